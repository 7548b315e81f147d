/* SPDX-License-Identifier: MIT */
#include "wire/serial_line.h"

#include <stdlib.h>
#include <string.h>

#define ESC '\x1b'

/* ---- cleaned ---- */

/* Bytes of the sequence at text, which begins with ESC. */
static size_t escape_length(const char *text, size_t len)
{
	size_t i = 2;

	if (len < 2)
		return len;
	if (text[1] == '[') {
		while (i < len && (unsigned char)text[i] >= 0x20 &&
		       (unsigned char)text[i] < 0x40)
			i++;
		/* What ends it; another byte is no part of it. */
		return i + (i < len && (unsigned char)text[i] >= 0x40 &&
			    (unsigned char)text[i] < 0x7f);
	}
	if (text[1] != ']')
		return (unsigned char)text[1] >= 0x20 &&
				       (unsigned char)text[1] < 0x7f ?
			       2 :
			       1;
	while (i < len && text[i] != '\a' && text[i] != ESC)
		i++;
	if (i < len && text[i] == '\a')
		return i + 1;
	/* ESC and a backslash end it; any other sequence only begins there. */
	return i + 1 < len && text[i + 1] == '\\' ? i + 2 : i;
}

/*
 * In place: escape sequences (ECMA-48: CSI, OSC, those of two bytes), NUL, and
 * carriage returns go. Returns the length that is left.
 */
static size_t serial_clean(char *text, size_t len)
{
	size_t to = 0;

	for (size_t i = 0; i < len;) {
		if (text[i] == ESC) {
			i += escape_length(text + i, len - i);
			continue;
		}
		if (text[i] != '\0' && text[i] != '\r')
			text[to++] = text[i];
		i++;
	}
	return to;
}

/* ---- split ---- */

void serial_flush(struct serial_splitter *s, serial_line_told *told,
		  void *owner)
{
	struct span line = { s->text, serial_clean(s->text, s->len) };
	size_t over = s->over;

	s->len = s->over = 0;
	if (line.len > 0)
		told(owner, line, over);
}

static void keep_part(struct serial_splitter *s, const char *data, size_t len)
{
	size_t room = sizeof(s->text) - s->len;
	size_t part = len < room ? len : room;

	memcpy(s->text + s->len, data, part);
	s->len += part;
	s->over += len - part;
}

void serial_split(struct serial_splitter *s, const char *data, size_t len,
		  serial_line_told *told, void *owner)
{
	while (len > 0) {
		const char *end = memchr(data, '\n', len);
		size_t part = end ? (size_t)(end - data) : len;

		keep_part(s, data, part);
		if (end)
			serial_flush(s, told, owner);
		part += end != NULL;
		data += part;
		len -= part;
	}
}

/* ---- read ---- */

struct span serial_find(struct span line, const char *word)
{
	const size_t len = strlen(word);
	const char *at = memmem(line.text, line.len, word, len);

	return at ? (struct span){ at, len } : (struct span){ 0 };
}

bool serial_number(struct span line, const char *word, int64_t *out)
{
	struct span at = serial_find(line, word);
	char digits[24];
	char *end;
	size_t left, n;

	if (!at.text)
		return false;
	at.text += at.len;
	left = (size_t)(line.text + line.len - at.text);
	n = left < sizeof(digits) - 1 ? left : sizeof(digits) - 1;
	memcpy(digits, at.text, n);
	digits[n] = '\0';
	*out = strtoll(digits, &end, strncmp(digits, "0x", 2) == 0 ? 16 : 10);
	return end > digits;
}

/* How far another program's time may stand in front. */
#define PREFIX_MAX 48

/* "(1234) " or "(00:01:30.000) ": its length; 0: it is none. */
static size_t stamp_length(const char *text, size_t len, int64_t *ms)
{
	size_t i = 1;
	bool plain = true;
	int64_t value = 0;

	if (len < 4 || *text != '(')
		return 0;
	for (; i < len && i < 32 && text[i] != ')'; i++) {
		const char c = text[i];

		if (c >= '0' && c <= '9')
			value = value < INT64_C(100000000000) ?
					value * 10 + (c - '0') :
					value;
		else if (strchr(":. -", c))
			plain = false;
		else
			return 0;
	}
	if (i < 2 || i + 1 >= len || text[i] != ')' || text[i + 1] != ' ')
		return 0;
	*ms = plain ? value : -1;
	return i + 2;
}

/* "E (1234) TAG: text" at the start; early ones have no stamp ("E TAG: "). */
static bool read_at(struct span line, struct esp_log *out)
{
	size_t stamp;
	const char *colon;

	if (line.len < 8 || !strchr("EWIDV", *line.text) || !*line.text ||
	    line.text[1] != ' ')
		return false;
	stamp = stamp_length(line.text + 2, line.len - 2, &out->ms);
	if (!stamp)
		return false;
	out->level = *line.text;
	line.text += 2 + stamp;
	line.len -= 2 + stamp;
	colon = memchr(line.text, ':', line.len);
	if (!colon || colon == line.text || colon - line.text > 40)
		return false;
	out->tag = (struct span){ line.text, (size_t)(colon - line.text) };
	colon++;
	while (colon < line.text + line.len && *colon == ' ')
		colon++;
	out->text =
		(struct span){ colon, (size_t)(line.text + line.len - colon) };
	return true;
}

bool esp_log_read(struct span line, struct esp_log *out)
{
	for (size_t i = 0; i < line.len && i <= PREFIX_MAX; i++) {
		const bool begins = i == 0 || strchr(" \t>]", line.text[i - 1]);
		const struct span rest = { line.text + i, line.len - i };

		if (begins && read_at(rest, out))
			return true;
	}
	return false;
}
