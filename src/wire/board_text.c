/* SPDX-License-Identifier: MIT */
/* The quirks of the board's parsers, and nothing else. */
#include "wire/board_text.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/*
 * A number as the board's parser of integers takes it: from the front of a
 * text, whatever stands behind. False: it throws, and the board restarts.
 */
static bool board_number(const char *text, int *out, const char **behind)
{
	char *rest;
	long number;

	errno = 0;
	number = strtol(text, &rest, 10);
	*behind = rest;
	if (rest == text || errno || number < INT_MIN || number > INT_MAX)
		return false;
	*out = (int)number;
	return true;
}

static bool fault(struct board_url *out, enum board_url_fault what)
{
	out->fault = what;
	return what == BOARD_URL_GOOD;
}

/* The first number is read: of h:8000:8015 that is 8000 (device.md 5.4). */
static enum board_url_fault read_port(struct board_url *out, const char *text,
				      size_t len)
{
	CLEANUP(mem_free_ptr) char *port = mem_strndup(text, len);
	const char *behind;
	int number;

	out->port_text = text;
	out->port_len = len;
	if (!board_number(port, &number, &behind))
		return BOARD_URL_NO_NUMBER;
	if (number < 1 || number > UINT16_MAX)
		return BOARD_URL_NO_PORT;
	out->more_port = *behind != '\0';
	out->has_port = number != out->port;
	out->port = (uint16_t)number;
	return BOARD_URL_GOOD;
}

/* Neither header lines nor the request line may be broken by an address. */
static bool is_plain(const char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text <= ' ' || *text == 0x7f)
			return false;
	}
	return true;
}

/*
 * 1.2: the first ':' behind "://" is taken for the port's, wherever it is; the
 * port ends at the next '/'. Without a '/' there is no path and no query.
 */
static enum board_url_fault read_rest(struct board_url *out, const char *rest)
{
	const char *slash = strchr(rest, '/');
	const char *colon = strchr(rest, ':');
	enum board_url_fault wrong = BOARD_URL_GOOD;

	out->host = rest;
	out->host_len = slash ? (size_t)(slash - rest) : strcspn(rest, "?");
	out->path = slash ? slash : "/";
	out->lost_query = !slash && strchr(rest, '?');
	if (colon && slash && colon > slash) {
		out->port_text = colon + 1;
		out->port_len = strlen(colon + 1);
		return BOARD_URL_NO_NUMBER;
	}
	if (colon) {
		out->host_len = (size_t)(colon - rest);
		wrong = read_port(out, colon + 1, strcspn(colon + 1, "/?"));
	}
	return wrong || out->host_len ? wrong : BOARD_URL_NO_HOST;
}

bool board_url_read(struct board_url *out, const char *text)
{
	const char *rest = strstr(text, "://");

	*out = (struct board_url){ 0 };
	if (!rest)
		return fault(out, BOARD_URL_NO_SCHEME);
	if (!is_plain(text))
		return fault(out, BOARD_URL_BLANK);
	out->tls = text_starts(text, "wss://") || text_starts(text, "https://");
	out->port = out->tls ? 443 : 80;
	return fault(out, read_rest(out, rest + 3));
}

/*
 * 2.1: what stands behind the first ':' goes to a parser of integers, which
 * takes a number at the front and throws on anything else.
 */
bool board_endpoint_read(struct board_endpoint *out, const char *text)
{
	const char *colon = strchr(text, ':'), *behind;

	*out = (struct board_endpoint){ .host_len = strcspn(text, ":"),
					.port = BOARD_PORT_TLS };
	if (colon && !board_number(colon + 1, &out->port, &behind))
		out->fault = BOARD_URL_NO_NUMBER;
	else if (!out->host_len)
		out->fault = BOARD_URL_NO_HOST;
	else if (out->port < 1 || out->port > UINT16_MAX)
		out->fault = BOARD_URL_NO_PORT;
	out->tls = out->port == BOARD_PORT_TLS;
	return out->fault == BOARD_URL_GOOD;
}

bool board_version_read(const char *version, int *part, size_t max,
			size_t *count)
{
	for (*count = 0; *version; (*count)++) {
		CLEANUP(mem_free_ptr)
		char *text = mem_strndup(version, strcspn(version, "."));
		const char *behind;
		int number;

		if (!board_number(text, &number, &behind))
			return false;
		if (*count < max)
			part[*count] = number;
		version += strlen(text);
		version += *version == '.';
	}
	return true;
}

bool board_version_newer(const char *offered, const char *own)
{
	int a[8], b[8];
	size_t count, others;

	if (!board_version_read(offered, a, COUNT(a), &count) ||
	    !board_version_read(own, b, COUNT(b), &others))
		return false;
	for (size_t i = 0; i < COUNT(a) && i < count && i < others; i++) {
		if (a[i] != b[i])
			return a[i] > b[i];
	}
	return count > others;
}
