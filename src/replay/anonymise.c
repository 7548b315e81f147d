/* SPDX-License-Identifier: MIT */
#include "replay/anonymise.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"

#define MAC_LENGTH 17
#define UUID_LENGTH 36
#define SESSION "\"session_id\""

enum anonym_kind { A_MAC, A_UUID, A_SESSION };

struct anonym {
	uint64_t key;
	size_t number;
};

void anonyms_done(struct anonyms *a)
{
	struct anonym *one;
	size_t at = 0;

	while ((one = map_each(&a->map, &at)))
		mem_free(one);
	map_done(&a->map);
}

static size_t number_of(struct anonyms *a, enum anonym_kind kind,
			const char *text, size_t len)
{
	CLEANUP(mem_free_ptr)
	char *name = mem_printf("%d %.*s", (int)kind, (int)len, text);
	struct anonym *one;
	uint64_t key;
	size_t at = 0;

	/* One address is written in several ways. */
	for (char *p = name; kind != A_SESSION && *p; p++)
		*p = (char)(strchr(":_-", *p) ? ':' :
						tolower((unsigned char)*p));
	key = map_hash_text(name);
	one = map_find(&a->map, key, &at);
	if (one)
		return one->number;
	one = mem_zalloc(sizeof(*one));
	*one = (struct anonym){ key, ++a->count[kind] };
	map_add(&a->map, key, one);
	return one->number;
}

/* Hexadecimal digits, where form has an x; else that very byte, or for ':' the
   separator that the first place has. */
static bool has_form(const char *text, size_t len, const char *form)
{
	char separator = '\0';
	size_t i;

	for (i = 0; form[i]; i++) {
		if (i >= len)
			return false;
		if (form[i] == 'x' && !isxdigit((unsigned char)text[i]))
			return false;
		if (form[i] == '-' && text[i] != '-')
			return false;
		if (form[i] != ':')
			continue;
		if (!separator && strchr(":_-", text[i]))
			separator = text[i];
		if (!separator || text[i] != separator)
			return false;
	}
	return i == len || !isxdigit((unsigned char)text[i]);
}

static void add_mac(struct anonyms *a, struct buf *out, const char *text)
{
	size_t n = number_of(a, A_MAC, text, MAC_LENGTH);
	char between = text[2];

	buf_printf(out, "02%c00", between);
	for (int shift = 24; shift >= 0; shift -= 8)
		buf_printf(out, "%c%02x", between,
			   (unsigned)(n >> shift & 0xff));
}

/* What stands behind "session_id": in quotes. 0: it is not there. */
static size_t session_at(const char *text, size_t len, size_t *from)
{
	size_t at = strlen(SESSION);
	const char *end;

	if (len < at || memcmp(text, SESSION, at) != 0)
		return 0;
	while (at < len && strchr(" \t\r\n:", text[at]))
		at++;
	if (at >= len || text[at] != '"')
		return 0;
	*from = ++at;
	end = memchr(text + at, '"', len - at);
	return end ? (size_t)(end - text) - at : 0;
}

/* How much of text it took; 0: nothing of these begins here. */
static size_t replace(struct anonyms *a, struct buf *out, const char *text,
		      size_t len, bool begins)
{
	static const char mac[] = "xx:xx:xx:xx:xx:xx";
	static const char uuid[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
	size_t from = 0, id;

	if (begins && has_form(text, len, mac)) {
		add_mac(a, out, text);
		return MAC_LENGTH;
	}
	if (begins && has_form(text, len, uuid)) {
		buf_printf(out, "00000000-0000-4000-8000-%012zx",
			   number_of(a, A_UUID, text, UUID_LENGTH));
		return UUID_LENGTH;
	}
	id = *text == '"' ? session_at(text, len, &from) : 0;
	if (id == 0 || has_form(text + from, id, uuid))
		return 0;
	buf_add(out, text, from);
	buf_printf(out, "session-%zu",
		   number_of(a, A_SESSION, text + from, id));
	return from + id;
}

void anonymise(struct anonyms *a, struct buf *out, const char *text, size_t len)
{
	CLEANUP(buf_done) struct buf other = { 0 };
	size_t copied = 0, at = 0;

	while (at < len) {
		bool begins =
			isxdigit((unsigned char)text[at]) &&
			(at == 0 || !isxdigit((unsigned char)text[at - 1]));
		size_t took = 0;

		buf_reset(&other);
		if (begins || text[at] == '"')
			took = replace(a, &other, text + at, len - at, begins);
		if (!took) {
			at++;
			continue;
		}
		buf_add(out, text + copied, at - copied);
		buf_add(out, buf_string(&other), other.len);
		at += took;
		copied = at;
	}
	buf_add(out, text + copied, len - copied);
}
