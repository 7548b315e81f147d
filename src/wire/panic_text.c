/* SPDX-License-Identifier: MIT */
#include "wire/panic_text.h"

#include <stdlib.h>
#include <string.h>

#include "wire/serial_line.h"

/*
 * Where code lies on all chips of the family (their technical references, maps
 * of the address space): ROM, IRAM and flash as the processor sees them.
 */
static bool is_code(uint32_t address)
{
	return address >= 0x40000000 && address < 0x50000000;
}

static void add(struct panic_text *p, uint32_t address)
{
	if (!is_code(address) || p->count >= PANIC_ADDRESSES)
		return;
	for (size_t i = 0; i < p->count; i++) {
		if (p->address[i] == address)
			return;
	}
	p->address[p->count++] = address;
}

/* The number at text, "0x…" of 32 bits; its length, 0: there is none. */
static size_t read_hex(const char *text, size_t len, uint32_t *out)
{
	uint64_t value = 0;
	size_t i = 2;

	if (len < 3 || text[0] != '0' || text[1] != 'x')
		return 0;
	for (; i < len && i < 10; i++) {
		const char c = text[i];

		if (c >= '0' && c <= '9')
			value = value * 16 + (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			value = value * 16 + (uint64_t)(c - 'a') + 10;
		else
			break;
	}
	*out = (uint32_t)value;
	return i > 2 ? i : 0;
}

/* All of "0x…" in it; pairs: of "PC:SP" the first one. */
static void add_all(struct panic_text *p, struct span rest, bool pairs)
{
	for (size_t i = 0; i < rest.len;) {
		uint32_t value;
		size_t n = read_hex(rest.text + i, rest.len - i, &value);

		if (!n) {
			i++;
			continue;
		}
		add(p, value);
		i += n;
		if (pairs && i < rest.len && rest.text[i] == ':')
			i += 1 + read_hex(rest.text + i + 1, rest.len - i - 1,
					  &value);
	}
}

static struct span behind(struct span line, struct span at)
{
	const char *from = at.text + at.len;

	return (struct span){ from, (size_t)(line.text + line.len - from) };
}

static bool take_backtrace(struct panic_text *p, struct span line)
{
	const struct span at = serial_find(line, "Backtrace:");

	if (!at.text)
		return false;
	add_all(p, behind(line, at), true);
	p->sure = p->count;
	p->dumping = false;
	return p->count > 0;
}

/* Of the registers those that hold where it was: MEPC, RA. */
static void take_registers(struct panic_text *p, struct span line)
{
	const struct span mepc = serial_find(line, "MEPC");
	struct span values = line;
	const struct span end = serial_find(line, "SP ");

	if (!mepc.text)
		return;
	if (end.text)
		values.len = (size_t)(end.text - line.text);
	add_all(p, values, false);
	p->sure = p->count;
	p->dumping = p->count > 0;
}

/* "3fc8f2f0: 0x00000000 0x42005678 …" */
static bool is_stack(struct span line)
{
	if (line.len < 12 || line.text[8] != ':')
		return false;
	for (size_t i = 0; i < 8; i++) {
		if (!strchr("0123456789abcdef", line.text[i]) || !line.text[i])
			return false;
	}
	return true;
}

/* The end of what a panic prints of one processor. */
static bool is_end(struct span line)
{
	static const char *const ends[] = { "ELF file SHA256", "Rebooting",
					    "CPU halted", "rst:0x" };

	for (size_t i = 0; i < COUNT(ends); i++) {
		if (serial_find(line, ends[i]).text)
			return true;
	}
	return false;
}

bool panic_text_line(struct panic_text *p, struct span line)
{
	const struct span abort =
		serial_find(line, "abort() was called at PC ");

	if (abort.text) {
		panic_text_reset(p);
		add_all(p, behind(line, abort), false);
		p->sure = p->count;
		return false;
	}
	if (take_backtrace(p, line))
		return true;
	take_registers(p, line);
	if (p->dumping && is_stack(line))
		add_all(p, (struct span){ line.text + 9, line.len - 9 }, false);
	return p->count > 0 && is_end(line);
}

void panic_text_reset(struct panic_text *p)
{
	*p = (struct panic_text){ 0 };
}
