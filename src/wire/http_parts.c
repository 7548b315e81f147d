/* SPDX-License-Identifier: MIT */
/* RFC 9112: the head, and which bytes are the body. */
#include "wire/http_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"

/* ---- heads ---- */

/* The line at *at, without its end; false: there is none. */
static bool next_line(const char *head, size_t len, size_t *at,
		      struct span *line)
{
	const char *from, *end;

	if (*at >= len)
		return false;
	from = head + *at;
	end = memchr(from, '\n', len - *at);
	if (!end)
		return false;
	*at = (size_t)(end - head) + 1;
	line->text = from;
	line->len = (size_t)(end - from);
	if (line->len && from[line->len - 1] == '\r')
		line->len--;
	return true;
}

static bool is_field(struct span line, const char *name)
{
	size_t len = strlen(name);

	return line.len > len && line.text[len] == ':' &&
	       strncasecmp(line.text, name, len) == 0;
}

static struct span value_of(struct span line, const char *name)
{
	struct span value = { .text = line.text + strlen(name) + 1 };

	value.len = text_trim(&value.text, line.len - strlen(name) - 1);
	return value;
}

/* Of a list in several fields the last one has the end of it (RFC 9110, 5.3). */
static struct span field_of(const char *head, size_t len, const char *name,
			    bool last)
{
	struct span line, value = { 0 };
	size_t at = 0;

	while ((last || !value.text) && next_line(head, len, &at, &line)) {
		if (is_field(line, name))
			value = value_of(line, name);
	}
	return value;
}

struct span http_parts_field(const char *head, size_t len, const char *name)
{
	return field_of(head, len, name, false);
}

char *http_parts_text(const struct buf *head, const char *name)
{
	struct span value = http_parts_field(buf_string(head), head->len, name);

	return value.text ? mem_strndup(value.text, value.len) : NULL;
}

char *http_parts_list(const struct buf *head, const char *name)
{
	struct buf out = { 0 };
	struct span line;
	size_t at = 0;

	while (next_line(buf_string(head), head->len, &at, &line)) {
		struct span value = { 0 };

		if (is_field(line, name))
			value = value_of(line, name);
		if (!value.len)
			continue;
		buf_text(&out, out.len ? ", " : "");
		buf_add(&out, value.text, value.len);
	}
	return out.len ? buf_take(&out) : NULL;
}

bool http_parts_is(const struct buf *head, const char *type)
{
	struct span value =
		http_parts_field(buf_string(head), head->len, "Content-Type");

	return value.text && value.len >= strlen(type) &&
	       strncasecmp(value.text, type, strlen(type)) == 0;
}

void http_parts_replace(struct buf *out, const char *head, size_t len,
			const char *name, const char *value)
{
	struct span line;
	size_t at = 0, from = 0;
	bool done = false;

	while (next_line(head, len, &at, &line)) {
		if (!is_field(line, name) || (done && value))
			buf_add(out, head + from, at - from);
		else if (value)
			/* The name as it was written. */
			buf_printf(out, "%.*s: %s\r\n", (int)strlen(name),
				   line.text, value);
		done |= is_field(line, name);
		from = at;
	}
	buf_add(out, head + from, len - from);
}

void http_parts_instead(struct buf *out, const struct http_parts *p,
			const struct buf *head, struct span body)
{
	char length[24];

	snprintf(length, sizeof(length), "%zu", body.len);
	http_parts_replace(out, buf_string(head), head->len, "Content-Length",
			   length);
	if (p->how == BODY_CHUNKED && body.len)
		buf_printf(out, "%zx\r\n", body.len);
	buf_add(out, body.text, body.len);
	if (p->how == BODY_CHUNKED)
		buf_text(out, body.len ? "\r\n0\r\n\r\n" : "0\r\n\r\n");
}

static bool word_is(struct span value, const char *word)
{
	size_t len = strlen(word);

	return value.len >= len &&
	       strncasecmp(value.text + value.len - len, word, len) == 0;
}

static void read_status(struct http_parts *p)
{
	const char *at = strchr(buf_string(&p->head), ' ');
	int64_t status;
	char text[4] = "";

	if (strncmp(buf_string(&p->head), "HTTP/1.", 7) == 0 && at)
		memcpy(text, at + 1, strnlen(at + 1, 3));
	if (text_integer(text, 100, 999, &status))
		p->broken = true;
	else
		p->status = (int)status;
}

static void read_framing(struct http_parts *p)
{
	const char *head = buf_string(&p->head);
	struct span coding =
		field_of(head, p->head.len, "Transfer-Encoding", true);
	struct span length =
		http_parts_field(head, p->head.len, "Content-Length");
	int64_t bytes;
	char text[20] = "";

	if (length.text && length.len < sizeof(text)) {
		memcpy(text, length.text, length.len);
		p->has_length = !text_integer(text, 0, INT64_MAX, &bytes);
		p->length = p->has_length ? (uint64_t)bytes : 0;
	}
	if (p->answer && (p->to_head || p->status < 200 || p->status == 204 ||
			  p->status == 304))
		p->how = BODY_NONE;
	else if (coding.text && word_is(coding, "chunked"))
		p->how = BODY_CHUNKED;
	else if (p->has_length)
		p->how = BODY_LENGTH;
	else
		p->how = p->answer ? BODY_TO_END : BODY_NONE;
	p->left = p->how == BODY_LENGTH ? p->length : 0;
	p->over = p->how == BODY_NONE || (p->how == BODY_LENGTH && !p->left);
}

static bool ends_head(const struct buf *b)
{
	return (b->len >= 4 &&
		memcmp(b->data + b->len - 4, "\r\n\r\n", 4) == 0) ||
	       (b->len >= 2 && memcmp(b->data + b->len - 2, "\n\n", 2) == 0);
}

static size_t feed_head(struct http_parts *p, const char *data, size_t len)
{
	size_t used = 0;

	while (used < len && !p->has_head && !p->broken) {
		const char *end = memchr(data + used, '\n', len - used);
		size_t piece =
			end ? (size_t)(end - data) + 1 - used : len - used;

		if (p->head.len + piece > HTTP_PARTS_HEAD_MAX) {
			p->broken = true;
			return used;
		}
		buf_add(&p->head, data + used, piece);
		used += piece;
		p->has_head = end && ends_head(&p->head);
	}
	if (!p->has_head)
		return used;
	if (p->answer)
		read_status(p);
	if (!p->broken)
		read_framing(p);
	return used;
}

/* ---- bodies ---- */

static size_t take(struct http_parts *p, const char *data, size_t len)
{
	size_t room = p->keep > p->body.len ? p->keep - p->body.len : 0;

	buf_add(&p->body, data, len < room ? len : room);
	p->size += len;
	return len;
}

static size_t take_left(struct http_parts *p, const char *data, size_t len)
{
	size_t used = take(p, data, p->left < len ? (size_t)p->left : len);

	p->left -= used;
	return used;
}

enum chunk_state { CHUNK_SIZE, CHUNK_DATA, CHUNK_END, CHUNK_TRAILER };

/* Hexadecimal digits alone, all of them kept, and what may follow. RFC 9112, 7.1. */
static bool is_chunk_size(const struct http_parts *p)
{
	size_t digits = strspn(p->line, "0123456789abcdefABCDEF");

	return digits > 0 && digits < sizeof(p->line) - 1 &&
	       strchr("; \t", p->line[digits]);
}

static void end_line(struct http_parts *p)
{
	if (p->line_len > 0 && p->line[p->line_len - 1] == '\r')
		p->line_len--;
	p->line[p->line_len] = '\0';
	switch ((enum chunk_state)p->chunk_state) {
	case CHUNK_SIZE:
		p->left = strtoull(p->line, NULL, 16);
		p->broken = !is_chunk_size(p) || p->left > INT64_MAX;
		p->chunk_state = p->left ? CHUNK_DATA : CHUNK_TRAILER;
		break;
	case CHUNK_END:
		p->broken = p->line_len > 0;
		p->chunk_state = CHUNK_SIZE;
		break;
	case CHUNK_TRAILER:
		p->over = p->line_len == 0;
		break;
	case CHUNK_DATA:
		break;
	}
	p->line_len = 0;
}

static size_t feed_chunks(struct http_parts *p, const char *data, size_t len)
{
	size_t used = 0;

	while (used < len && !p->over && !p->broken) {
		if (p->chunk_state == CHUNK_DATA) {
			used += take_left(p, data + used, len - used);
			if (!p->left)
				p->chunk_state = CHUNK_END;
		} else if (data[used] == '\n') {
			used++;
			end_line(p);
		} else {
			if (p->line_len < sizeof(p->line) - 1)
				p->line[p->line_len++] = data[used];
			used++;
		}
	}
	return used;
}

size_t http_parts_feed(struct http_parts *p, const char *data, size_t len)
{
	size_t used;

	if (p->over || p->broken)
		return 0;
	if (!p->has_head)
		return feed_head(p, data, len);
	if (p->how == BODY_CHUNKED)
		return feed_chunks(p, data, len);
	if (p->how == BODY_TO_END)
		return take(p, data, len);
	used = take_left(p, data, len);
	p->over = !p->left;
	return used;
}

bool http_parts_end(struct http_parts *p)
{
	if (p->has_head && p->how == BODY_TO_END)
		p->over = true;
	return p->over;
}

void http_parts_done(struct http_parts *p)
{
	buf_done(&p->head);
	buf_done(&p->body);
	*p = (struct http_parts){ 0 };
}
