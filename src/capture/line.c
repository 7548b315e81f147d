/* SPDX-License-Identifier: MIT */
#include "capture/line.h"

#include <string.h>

#include "base/text.h"

void capture_line_done(struct capture_line *l)
{
	buf_done(&l->data);
	buf_done(&l->passed);
	buf_done(&l->head);
	for (size_t i = 0; i < COUNT(l->texts); i++)
		buf_done(&l->texts[i]);
}

/* ---- strings and bytes ---- */

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)text_lower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static uint32_t code_at(const char *p)
{
	uint32_t code = 0;

	for (int i = 0; i < 4; i++)
		code = code << 4 | (uint32_t)digit(p[i]);
	return code;
}

static void add_point(struct buf *out, uint32_t point)
{
	char bytes[4];
	size_t len;

	if (point < 0x80) {
		buf_char(out, (char)point);
		return;
	}
	len = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
	for (size_t i = len; --i > 0; point >>= 6)
		bytes[i] = (char)(0x80 | (point & 0x3f));
	bytes[0] = (char)(0xf00 >> len | point);
	buf_add(out, bytes, len);
}

/* p: behind "\u", four digits. Returns what is behind it all. */
static const char *add_code(struct buf *out, const char *p, const char *end)
{
	uint32_t code = code_at(p), second = 0;

	p += 4;
	if (code >= 0xd800 && code < 0xdc00 && end - p >= 6 && *p == '\\' &&
	    p[1] == 'u')
		second = code_at(p + 2);
	if (second >= 0xdc00 && second < 0xe000) {
		add_point(out, 0x10000 + ((code - 0xd800) << 10) +
				       (second - 0xdc00));
		return p + 6;
	}
	add_point(out, code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
	return p;
}

/* What stands in the quotes of checked JSON; lent from it, or from room. */
static struct span decode(struct span string, struct buf *room)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *p = string.text + 1, *end = string.text + string.len - 1;

	if (string.len < 2 || *string.text != '"')
		return (struct span){ 0 };
	if (!memchr(p, '\\', (size_t)(end - p)))
		return (struct span){ p, (size_t)(end - p) };
	buf_reset(room);
	while (p < end) {
		const char *stop = memchr(p, '\\', (size_t)(end - p));

		buf_add(room, p, (size_t)((stop ? stop : end) - p));
		if (!stop)
			break;
		if (stop[1] == 'u') {
			p = add_code(room, stop + 2, end);
			continue;
		}
		buf_char(room, to[strchr(from, stop[1]) - from]);
		p = stop + 2;
	}
	return (struct span){ buf_string(room), room->len };
}

/* As a text with a NUL behind it, up to a NUL in it. */
static const char *text_of(struct span string, struct buf *room)
{
	struct span text = decode(string, room);

	if (!text.text)
		return NULL;
	if (text.text != room->data) {
		buf_reset(room);
		buf_add(room, text.text, text.len);
	}
	return buf_string(room);
}

/* Digits in pairs; -1: they are none. */
static int bytes_of(struct span string, struct buf *room, struct span *out)
{
	if (string.len < 2 || *string.text != '"' || string.len % 2)
		return -1;
	buf_reset(room);
	for (size_t i = 1; i + 1 < string.len; i += 2) {
		int high = digit(string.text[i]),
		    low = digit(string.text[i + 1]);

		if (high < 0 || low < 0)
			return -1;
		buf_char(room, (char)(high << 4 | low));
	}
	*out = (struct span){ buf_string(room), room->len };
	return 0;
}

/* ---- members ---- */

enum member {
	M_N,
	M_T,
	M_C,
	M_LEG,
	M_FROM,
	M_KIND,
	M_SIZE,
	M_TEXT,
	M_HEX,
	M_CUT,
	M_SHA256,
	M_HEAD,
	M_STATUS,
	M_DEVICE,
	M_TOPIC,
	M_BOARD,
	M_VERSION,
	M_PASSED,
	M_PASSED_HEX,
	M_PASSED_CUT,
	M_PASSED_SHA256,
	M_HOW,
	M_CODE,
	M_COUNT,
	M_FINDING,
	M_DIR,
	MEMBERS
};

static const char *const names[MEMBERS] = {
	"n",	      "t",	    "c",
	"leg",	      "from",	    "kind",
	"size",	      "text",	    "hex",
	"cut",	      "sha256",	    "head",
	"status",     "device",	    "topic",
	"board",      "version",    "passed",
	"passed_hex", "passed_cut", "passed_sha256",
	"how",	      "code",	    "count",
	"finding",    "dir"
};

/* Not there is 0. -1: it is no number from min to max. */
static int whole(struct span number, int64_t min, int64_t max, int64_t *out)
{
	*out = 0;
	if (!number.text)
		return 0;
	return json_span_integer(number, out) || *out < min || *out > max ? -1 :
									    0;
}

#define NUMBER_MAX (INT64_C(1) << 53)

static int read_numbers(const struct span *m, struct capture_event *e,
			struct error *err)
{
	int64_t n, conn, size, status, code, count;

	if (!m[M_T].text || whole(m[M_T], 0, NUMBER_MAX, &e->at_us))
		return error_set(
			err, ERR_PROTOCOL,
			"\"t\" is not there, or no count of microseconds");
	if (whole(m[M_N], 0, NUMBER_MAX, &n) ||
	    whole(m[M_C], 0, UINT32_MAX, &conn) ||
	    whole(m[M_SIZE], 0, NUMBER_MAX, &size) ||
	    whole(m[M_STATUS], 0, INT32_MAX, &status) ||
	    whole(m[M_CODE], 0, UINT16_MAX, &code) ||
	    whole(m[M_COUNT], 0, NUMBER_MAX, &count))
		return error_set(err, ERR_PROTOCOL,
				 "a number is none, or is too large");
	e->n = (uint64_t)n;
	e->conn = (uint32_t)conn;
	e->size = (size_t)size;
	e->status = (int)status;
	e->code = (int)code;
	e->count = (uint64_t)count;
	return 0;
}

static int read_data(struct capture_line *l, const struct span *m,
		     struct capture_event *e, struct error *err)
{
	if (m[M_HEX].text) {
		e->bytes = true;
		if (bytes_of(m[M_HEX], &l->data, &e->data))
			return error_set(
				err, ERR_PROTOCOL,
				"\"hex\" is no hexadecimal digits in pairs");
	} else if (m[M_TEXT].text) {
		e->data = decode(m[M_TEXT], &l->data);
	}
	if (!m[M_SIZE].text)
		e->size = e->data.len;
	e->cut = m[M_CUT].text != NULL;
	return 0;
}

static int read_passed(struct capture_line *l, const struct span *m,
		       struct capture_event *e, struct error *err)
{
	if (m[M_PASSED].text)
		e->passed = decode(m[M_PASSED], &l->passed);
	else if (m[M_PASSED_HEX].text &&
		 bytes_of(m[M_PASSED_HEX], &l->passed, &e->passed))
		return error_set(
			err, ERR_PROTOCOL,
			"\"passed_hex\" is no hexadecimal digits in pairs");
	e->passed_cut = m[M_PASSED_CUT].text != NULL;
	return 0;
}

static void read_head(struct capture_line *l, struct span lines,
		      struct capture_event *e)
{
	CLEANUP(buf_done) struct buf room = { 0 };
	struct span line;
	size_t at = 0;

	if (!lines.text || *lines.text != '[')
		return;
	buf_reset(&l->head);
	while (json_span_next(lines, &at, &line)) {
		struct span text = decode(line, &room);

		if (!text.text)
			continue;
		buf_add(&l->head, text.text, text.len);
		buf_text(&l->head, "\r\n");
	}
	e->head = (struct span){ buf_string(&l->head), l->head.len };
}

static void read_texts(struct capture_line *l, const struct span *m,
		       struct capture_event *e)
{
	static const enum member which[] = {
		M_DEVICE, M_BOARD, M_VERSION, M_TOPIC, M_SHA256, M_PASSED_SHA256
	};
	const char **const to[] = { &e->device, &e->board,  &e->version,
				    &e->topic,	&e->sha256, &e->passed_sha256 };

	for (size_t i = 0; i < COUNT(which); i++)
		if (m[which[i]].text)
			*to[i] = text_of(m[which[i]], &l->texts[i]);
}

static int read_members(struct capture_line *l, struct span line,
			struct span *m, struct capture_event *e,
			struct error *err)
{
	if (json_check(line.text, line.len, err))
		return -1;
	json_span_members(line, names, MEMBERS, m);
	if (read_numbers(m, e, err) || read_data(l, m, e, err) ||
	    read_passed(l, m, e, err))
		return -1;
	read_head(l, m[M_HEAD], e);
	read_texts(l, m, e);
	return 0;
}

int capture_line_read(struct capture_line *l, struct span line,
		      struct capture_event *e, struct error *err)
{
	struct span m[MEMBERS] = { 0 };

	*e = (struct capture_event){ 0 };
	if (read_members(l, line, m, e, err))
		return -1;
	if (!m[M_KIND].text)
		return error_set(err, ERR_PROTOCOL, "it has no \"kind\"");
	capture_kind_read(m[M_KIND], &e->kind);
	if (m[M_LEG].text && !event_leg_read(m[M_LEG], &e->leg))
		e->kind = CAPTURED_OTHER;
	if (json_span_is(m[M_FROM], "device"))
		e->from = FROM_DEVICE;
	else if (json_span_is(m[M_FROM], "backend"))
		e->from = FROM_BACKEND;
	if (m[M_HOW].text)
		event_end_read(m[M_HOW], &e->how);
	if (e->kind == CAPTURED_FINDING)
		e->data = m[M_FINDING];
	return 0;
}

/* ---- traces of before ---- */

void old_trace_look(struct old_trace *o, struct span beginning)
{
	static const char word[] = "\\\"method\\\":\\\"initialize\\\"";
	const char *at =
		memmem(beginning.text, beginning.len, word, strlen(word));
	const char *start = at;

	if (!at)
		return;
	while (start > beginning.text && start[-1] != '\n')
		start--;
	o->we_are_device = memmem(start, (size_t)(at - start), "\"dir\":\"in\"",
				  strlen("\"dir\":\"in\"")) != NULL;
}

static uint32_t old_conn(struct old_trace *o, const char *device, bool begins)
{
	uint64_t hash = device ? text_hash(device, strlen(device)) : 0;
	size_t i = 0;

	if (!device) {
		if (begins || !o->conn)
			o->conn++;
		return o->conn;
	}
	while (i < o->names && o->named[i].hash != hash)
		i++;
	if (i == o->names && i < COUNT(o->named))
		o->named[o->names++].hash = hash;
	return (uint32_t)i + 1;
}

int old_trace_read(struct old_trace *o, struct capture_line *l,
		   struct span line, struct capture_event *e, struct error *err)
{
	struct span m[MEMBERS] = { 0 };
	bool in;

	*e = (struct capture_event){ 0 };
	if (read_members(l, line, m, e, err))
		return -1;
	in = json_span_is(m[M_DIR], "in");
	if (!in && !json_span_is(m[M_DIR], "out"))
		return error_set(err, ERR_PROTOCOL, "it has no \"dir\"");
	e->from = in == o->we_are_device ? FROM_BACKEND : FROM_DEVICE;
	if (json_span_is(m[M_KIND], "ready"))
		e->kind = CAPTURED_OPEN;
	else if (json_span_is(m[M_KIND], "closed"))
		e->kind = CAPTURED_END;
	else
		capture_kind_read(m[M_KIND], &e->kind);
	e->conn = old_conn(o, e->device, e->kind == CAPTURED_OPEN);
	return 0;
}
