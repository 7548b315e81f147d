/* SPDX-License-Identifier: MIT */
/* MAC addresses and UUIDs that count. */
#include "sim/identity.h"

#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

#define PART "@@@" /* between the parts of a gateway's client id */
#define DIGITS 12 /* of a MAC, and of the last group of a UUID */

static void lower(char *text)
{
	for (; *text; text++)
		*text = (char)tolower((unsigned char)*text);
}

/* 12 hex digits out of len letters, `between` allowed after each pair. */
static bool read_hex(const char *text, char between, uint64_t *out)
{
	size_t digits = 0;

	*out = 0;
	for (; *text; text++) {
		int c = tolower((unsigned char)*text);

		if (between && digits && digits % 2 == 0 && c == between &&
		    text[-1] != between)
			continue;
		if (!isxdigit(c))
			return false;
		*out = *out << 4 |
		       (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
		if (++digits > DIGITS)
			return false;
	}
	return digits == DIGITS;
}

static char *numbered(const char *first, uint64_t n)
{
	char *id = n ? mem_printf("%s-%llu", first, (unsigned long long)n + 1) :
		       mem_strdup(first);

	lower(id);
	return id;
}

char *identity_device(const char *first, uint64_t n)
{
	uint64_t mac;

	if (!read_hex(first, ':', &mac) || !strchr(first, ':'))
		return numbered(first, n);
	mac += n;
	return mem_printf(
		"%02x:%02x:%02x:%02x:%02x:%02x", (unsigned)(mac >> 40 & 0xff),
		(unsigned)(mac >> 32 & 0xff), (unsigned)(mac >> 24 & 0xff),
		(unsigned)(mac >> 16 & 0xff), (unsigned)(mac >> 8 & 0xff),
		(unsigned)(mac & 0xff));
}

char *identity_client(const char *first, uint64_t n)
{
	const char *dash = strrchr(first, '-');
	uint64_t number;
	char *id;

	if (!dash || !read_hex(dash + 1, '\0', &number))
		return numbered(first, n);
	id = mem_printf("%.*s-%012llx", (int)(dash - first), first,
			(unsigned long long)((number + n) & 0xffffffffffff));
	lower(id);
	return id;
}

/* "02_00_…" and back. */
static void swap(char *text, char from, char to)
{
	for (; *text; text++) {
		if (*text == from)
			*text = to;
	}
}

/* "GID@@@MAC@@@UUID": NULL if it has another form. */
static char *counted_parts(const char *first, uint64_t n)
{
	CLEANUP(mem_free_ptr) char *mac = NULL;
	CLEANUP(mem_free_ptr) char *next = NULL;
	CLEANUP(mem_free_ptr) char *uuid = NULL;
	const char *one = strstr(first, PART);
	const char *two = one ? strstr(one + strlen(PART), PART) : NULL;
	uint64_t number;

	if (!two)
		return NULL;
	one += strlen(PART);
	mac = mem_strndup(one, (size_t)(two - one));
	swap(mac, '_', ':');
	if (!read_hex(mac, ':', &number) || !strchr(mac, ':'))
		return NULL;
	next = identity_device(mac, n);
	swap(next, ':', '_');
	uuid = identity_client(two + strlen(PART), n);
	return mem_printf("%.*s%s" PART "%s", (int)(one - first), first, next,
			  uuid);
}

char *identity_mqtt(const char *first, uint64_t n)
{
	char *id;

	if (!n)
		return mem_strdup(first);
	id = counted_parts(first, n);
	return id ? id :
		    mem_printf("%s-%llu", first, (unsigned long long)n + 1);
}

char *identity_library(const char *mac)
{
	size_t len = strlen(mac);
	struct buf id;

	buf_init(&id, 0);
	buf_text(&id, "ESP32_");
	for (mac += len > 8 ? len - 8 : 0; *mac; mac++) {
		if (*mac >= 'a' && *mac <= 'f')
			buf_char(&id, (char)(*mac - 'a' + 'A'));
		else if (*mac != ':')
			buf_char(&id, *mac);
	}
	return buf_take(&id);
}

bool identity_is_plain(const char *id)
{
	size_t len = strlen(id), i;

	for (i = 0; i < len; i++) {
		if (id[i] < ' ' || id[i] > '~')
			return false;
	}
	return len > 0 && len <= 128;
}
