/* SPDX-License-Identifier: MIT */
/*
 * What a call or a request gave, as text. A pipe gets text exactly as it came,
 * so that `| jq` works; a terminal gets it safe, and JSON inside it laid out.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_scan.h"
#include "base/loop.h"
#include "base/picture.h"
#include "base/split.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "diag/facts.h"
#include "out/image.h"
#include "out/render_json.h"
#include "out/render_text.h"
#include "out/term.h"
#include "out/text_result.h"
#include "out/wrap.h"

/*
 * A walk over the tokens of valid JSON, with a depth and no recursion.
 */

#define FLAT_MOST 64 /* bytes of a container that stays on one line */

struct layout {
	struct buf *out;
	const char *at, *end;
	size_t depth;
	bool color;
	bool flat; /* inside a container that is on one line */
	bool key; /* the next string is a member's name */
	bool object[JSON_DEPTH_MAX + 2]; /* by depth */
};

static size_t string_length(const char *at, const char *end)
{
	const char *p = at + 1;
	while (p < end && *p != '"')
		p += *p == '\\' && p + 1 < end ? 2 : 1;
	return (size_t)(p - at) + (p < end ? 1 : 0);
}

static size_t word_length(const char *at, const char *end)
{
	const char *p = at;
	while (p < end && !text_is_space(*p) && !strchr(",:]}", *p))
		p++;
	return p > at ? (size_t)(p - at) : 1;
}

/* Whether the container that begins here is small and holds no other. */
static bool is_flat(const char *at, const char *end)
{
	const char *stop = at + FLAT_MOST;
	for (const char *p = at + 1; p < end && p < stop;) {
		if (*p == '{' || *p == '[')
			return false;
		if (*p == '}' || *p == ']')
			return true;
		p += *p == '"' ? string_length(p, end) : 1;
	}
	return false;
}

static bool is_empty(const char *at, const char *end)
{
	do
		at++;
	while (at < end && text_is_space(*at));
	return at < end && (*at == '}' || *at == ']');
}

static void new_line(struct layout *l)
{
	if (l->flat) {
		buf_char(l->out, ' ');
		return;
	}
	buf_char(l->out, '\n');
	wrap_pad(l->out, 0, 2 * l->depth);
}

static void open_container(struct layout *l)
{
	char c = *l->at;
	bool empty = is_empty(l->at, l->end);
	l->flat = is_flat(l->at, l->end);
	if (l->depth <= JSON_DEPTH_MAX)
		l->depth++;
	l->object[l->depth] = c == '{';
	l->key = c == '{';
	buf_char(l->out, c);
	/* [1, 2] but { "a": 1 }: as people write it */
	if (!empty && !(l->flat && c == '['))
		new_line(l);
	l->at++;
}

static void close_container(struct layout *l)
{
	char c = *l->at++;
	size_t len = l->out->len;
	bool empty = len > 0 && (l->out->data[len - 1] == '{' ||
				 l->out->data[len - 1] == '[');
	if (l->depth > 0)
		l->depth--;
	if (!empty && !(l->flat && c == ']'))
		new_line(l);
	l->flat = false;
	buf_char(l->out, c);
}

static void add_token(struct layout *l, size_t len, enum paint paint)
{
	term_paint(l->out, l->color, paint);
	text_safe(l->out, l->at, len, TEXT_JSON);
	term_plain(l->out, l->color);
	l->at += len;
}

static void add_value(struct layout *l)
{
	bool number = *l->at == '-' || (*l->at >= '0' && *l->at <= '9');
	if (*l->at == '"')
		add_token(l, string_length(l->at, l->end),
			  l->key ? PAINT_KEY : PAINT_STRING);
	else
		add_token(l, word_length(l->at, l->end),
			  number ? PAINT_NUMBER : PAINT_WORD);
}

static void step(struct layout *l)
{
	switch (*l->at) {
	case '{':
	case '[':
		open_container(l);
		break;
	case '}':
	case ']':
		close_container(l);
		break;
	case ',':
		buf_char(l->out, ',');
		new_line(l);
		l->key = l->object[l->depth];
		l->at++;
		break;
	case ':':
		buf_text(l->out, ": ");
		l->key = false;
		l->at++;
		break;
	default:
		add_value(l);
	}
}

void json_layout(struct buf *out, const char *text, size_t len, bool color)
{
	CLEANUP(buf_done) struct buf read = { 0 };
	struct layout l = { .out = out, .color = color };
	text_unescape(&read, text, len);
	l.at = buf_string(&read);
	l.end = l.at + read.len;
	while (l.at < l.end) {
		if (text_is_space(*l.at))
			l.at++;
		else
			step(&l);
	}
}

static void text_inside(struct renderer *r, const struct content *c);

/* JSON that is worth laying out: an object or an array, nothing around it. */
static bool is_structured(const char *text, size_t len)
{
	const char *start = text;
	while (len > 0 && strchr(" \t\r\n", *start)) {
		start++;
		len--;
	}
	return len > 0 && (*start == '{' || *start == '[') &&
	       json_check(text, len + (size_t)(start - text), NULL) == 0;
}

/* Text of a peer that may be JSON. */
static void put_text(struct renderer *r, const char *text, size_t len)
{
	if (!r->out_terminal || !is_structured(text, len)) {
		put_received(r, text, len, true);
		return;
	}
	CLEANUP(buf_done) struct buf b = { 0 };
	json_layout(&b, text, len, r->out_color);
	buf_char(&b, '\n');
	put_out(r, &b);
}

/* JSON of the message itself: laid out, or minified on one line. */
static void put_json(struct renderer *r, struct span json)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(buf_done) struct buf small = { 0 };
	if (r->out_terminal) {
		json_layout(&b, json.text, json.len, r->out_color);
	} else {
		json_minify(&small, json.text, json.len);
		text_unescape(&b, buf_string(&small), small.len);
	}
	buf_char(&b, '\n');
	put_out(r, &b);
}

static bool result_member(const struct result *result, const char *name,
			  struct span *out)
{
	*out = result->message.result_text;
	return name ? json_span_member(*out, name, out) : out->text != NULL;
}

static void put_description(struct renderer *r, const struct content *c)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	content_describe(&b, c);
	if (r->out_terminal && content_has_bytes(c))
		term_painted(&b, r->out_color, PAINT_DIM,
			     "  (--save FILE keeps it)");
	buf_char(&b, '\n');
	put_out(r, &b);
}

/* What a resource's bytes are is told by them alone. */
static void show_picture(struct renderer *r, const struct content *c)
{
	const bool may_be = c->kind == CONTENT_RESOURCE &&
			    picture_type(c->data.data, c->data.len);

	if (content_has_bytes(c) && (c->kind == CONTENT_IMAGE || may_be))
		image_show(r, c->data.data, c->data.len);
}

/* One content of a result: its text, or what it is in words. */
static void text_content(struct renderer *r, const struct content *c)
{
	if (c->kind == CONTENT_TEXT && c->text) {
		put_text(r, c->text, strlen(c->text));
		return;
	}
	put_description(r, c);
	show_picture(r, c);
	/* The text inside a resource stands below its address. */
	text_inside(r, c);
}

/* The text of a resource alone; nothing if it has none. */
static void text_inside(struct renderer *r, const struct content *c)
{
	if (c->inside)
		put_text(r, c->inside, strlen(c->inside));
}

/* {"session_id":"","type":"mcp","payload":}, around the message */
#define ENVELOPE_LEAST 41

/* It came here; that it would elsewhere is not said by that. */
static void note_size(struct renderer *r, size_t size)
{
	CLEANUP(buf_done) struct buf count = { 0 };
	CLEANUP(buf_done) struct buf limit = { 0 };
	const struct backend_fact *b;
	const size_t most = backend_message_max(&b);
	if (most == 0 || size <= most)
		return;
	wrap_count(&count, size, "byte");
	wrap_number(&limit, most);
	render_note(
		r,
		"the message with this reply has at least %s: at a broker, the official %s closes the connection above %s",
		buf_string(&count), b->name, buf_string(&limit));
}

static void put_notes(struct renderer *r, const struct result *result)
{
	if (result->note)
		render_note(r, "%s", result->note);
	if (result->from_device)
		note_size(r, result->message.len + ENVELOPE_LEAST);
	if (result->odd_is_error)
		render_note(
			r,
			"isError is no boolean: backends disagree on what that means");
	else if (r->verbose && result->from_device && !result->has_is_error)
		render_note(
			r,
			"the result has no isError: the Java server takes that for a failure");
}

static bool is_copy(const char *text, const cJSON *value)
{
	CLEANUP(json_free_ptr) cJSON *copy = NULL;
	if (cJSON_IsString(value) && strcmp(value->valuestring, text) == 0)
		return true;
	copy = json_parse(text, strlen(text), NULL);
	return copy && json_equal(copy, value);
}

/*
 * Servers repeat structuredContent as a text, for clients that know it not;
 * some have a text first, and wrap it in an object of one member.
 */
static bool has_copy(const struct result *result, const cJSON *structured)
{
	const cJSON *only = structured->child;
	if (only && only->next)
		only = NULL;
	for (size_t i = 0; i < result->count; i++) {
		const struct content *c = &result->content[i];
		if (c->kind != CONTENT_TEXT || !c->text)
			continue;
		if (is_copy(c->text, structured) ||
		    (only && is_copy(c->text, only)))
			return true;
	}
	return false;
}

static void put_structured(struct renderer *r, const struct result *result)
{
	const cJSON *structured =
		json_member(result->message.result, "structuredContent");
	struct span part;
	if (structured) {
		if (!has_copy(result, structured) &&
		    result_member(result, "structuredContent", &part))
			put_json(r, part);
		return;
	}
	if (result->count == 0 && result_member(result, NULL, &part))
		put_json(r, part);
}

void text_result(struct renderer *r, const struct result *result)
{
	image_begin(r);
	for (size_t i = 0; i < result->count; i++)
		text_content(r, &result->content[i]);
	put_structured(r, result);
	for (size_t i = 0; result->pictures && i < result->pictures->count; i++)
		image_show_file(r, result->pictures->word[i]);
	put_notes(r, result);
}

void text_reply(struct renderer *r, const struct message *reply)
{
	/* An error is shown by whoever shows errors. */
	if (reply->result_text.text)
		put_json(r, reply->result_text);
}

/*
 * What read, prompt and complete give, as text; and progress on its way. As
 * with calls, a single text goes to a pipe exactly as it came.
 */

enum {
	LINE_MS = 1000, /* the same where lines cannot be rewritten */
	REWRITE_MS = 50
};

/* ---- read ---- */

static void put_contents(struct renderer *r, const struct answer_record *a)
{
	const struct result *c = a->contents;
	if (c->count == 1 && c->content[0].inside) {
		text_inside(r, &c->content[0]);
		return;
	}
	for (size_t i = 0; i < c->count; i++)
		text_content(r, &c->content[i]);
	if (c->count == 0)
		render_note(r, "the resource is empty: no contents");
}

/* ---- prompt ---- */

static void put_role(struct renderer *r, const char *role)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(buf_done) struct buf safe = { 0 };
	wrap_name(&safe, role ? role : "(no role)");
	buf_char(&safe, ':');
	term_painted(&b, r->out_color, PAINT_KEY, buf_string(&safe));
	buf_char(&b, '\n');
	put_out(r, &b);
}

static bool same_role(const struct content *a, const struct content *b)
{
	return a->role && b->role && strcmp(a->role, b->role) == 0;
}

static void put_messages(struct renderer *r, const struct answer_record *a)
{
	const struct result *m = a->contents;
	const char *description = json_string(a->reply->result, "description");
	if (description && *description && r->out_terminal)
		render_note(r, "%s", description);
	for (size_t i = 0; i < m->count; i++) {
		const struct content *c = &m->content[i];
		/* A prompt of one text is for a program that takes it. */
		if ((m->count > 1 || r->out_terminal) &&
		    (i == 0 || !same_role(c, c - 1)))
			put_role(r, c->role);
		text_content(r, c);
	}
	if (m->count == 0)
		render_note(r, "the prompt has no messages");
}

/* ---- complete ---- */

static void tell_rest(struct renderer *r, const cJSON *completion, size_t shown)
{
	CLEANUP(buf_done) struct buf count = { 0 };
	int64_t total = 0;
	bool known = json_integer(completion, "total", &total) == 0 &&
		     total > (int64_t)shown;
	if (!known && !json_true(completion, "hasMore"))
		return;
	wrap_count(&count, shown, "value");
	if (known) {
		buf_text(&count, " of ");
		wrap_number(&count, (uint64_t)total);
	}
	render_note(r, "%s%s: type more to narrow it", buf_string(&count),
		    known ? "" : ", and there are more");
}

static void put_values(struct renderer *r, const struct answer_record *a)
{
	const cJSON *completion = json_object(a->reply->result, "completion");
	const cJSON *value;
	size_t shown = 0;
	cJSON_ArrayForEach(value, json_array(completion, "values")) {
		if (!cJSON_IsString(value))
			continue;
		put_received(r, value->valuestring, strlen(value->valuestring),
			     true);
		shown++;
	}
	tell_rest(r, completion, shown);
}

void text_answer(struct renderer *r, const struct answer_record *a)
{
	image_begin(r);
	switch (a->kind) {
	case ANSWER_CONTENTS:
		put_contents(r, a);
		break;
	case ANSWER_MESSAGES:
		put_messages(r, a);
		break;
	case ANSWER_VALUES:
		put_values(r, a);
		break;
	}
	/* subscribe --read goes on for hours. */
	render_flush(r);
}

/* ---- progress ---- */

/* Twenty columns of a bar say more than a number does. */
static void add_bar(struct buf *out, double part)
{
	size_t full = (size_t)(part * 20);
	buf_char(out, '[');
	for (size_t i = 0; i < 20; i++)
		buf_char(out, i < full ? '#' : '.');
	buf_text(out, "] ");
}

static void add_progress(struct buf *out, const struct progress_record *p,
			 bool bar)
{
	double part = p->total > 0 ? p->progress / p->total : 0;
	part = part > 1 ? 1 : part;
	if (!isfinite(p->progress) || p->progress < 0)
		buf_text(out, "…");
	else if (p->total > 0 && isfinite(p->total)) {
		if (bar)
			add_bar(out, part);
		buf_printf(out, "%d %%", (int)(part * 100));
	} else
		buf_printf(out, "%.15g", p->progress);
	if (!p->message || !*p->message)
		return;
	buf_text(out, "  ");
	wrap_safe(out, p->message);
}

void text_progress(struct renderer *r, const struct progress_record *p)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	int64_t now = loop_now();
	bool last = p->total > 0 && p->progress >= p->total;
	/* Whoever reads it from a file or a pipe is a program. */
	if (!r->err_terminal) {
		json_progress(r, p);
		return;
	}
	if (r->quiet)
		return;
	if (r->progress_at && !last &&
	    now - r->progress_at < (r->err_moves ? REWRITE_MS : LINE_MS))
		return;
	r->progress_at = now;
	add_progress(&b, p, r->err_moves);
	if (r->err_moves)
		render_count_down(r, buf_string(&b));
	else
		render_note(r, "progress: %s", buf_string(&b));
}

/*
 * What a person is told instead of bytes.
 */

bool content_has_bytes(const struct content *c)
{
	/* The text of an embedded resource is shown as text. */
	if (c->inside)
		return false;
	return !c->bad_data && c->data.len > 0;
}

/* ", 1,204 bytes, 64x48" */
static void describe_size(struct buf *out, const struct content *c)
{
	unsigned width, height;
	buf_text(out, ", ");
	wrap_count(out, c->data.len, "byte");
	if (c->kind != CONTENT_AUDIO &&
	    picture_size(c->data.data, c->data.len, &width, &height))
		buf_printf(out, ", %ux%u", width, height);
}

static void describe_bytes(struct buf *out, const struct content *c)
{
	const char *kind = c->kind == CONTENT_IMAGE ? "image" : "audio";
	wrap_name(out, c->mime ? c->mime : kind);
	if (c->bad_data) {
		buf_text(out, ", not valid base64");
		return;
	}
	describe_size(out, c);
	if (c->wrapped)
		buf_text(out, ", wrapped in a string");
}

static void describe_address(struct buf *out, const struct content *c,
			     const char *what)
{
	buf_text(out, what);
	wrap_name(out, c->text ? c->text : "(no URI)");
	if (c->mime) {
		buf_text(out, " (");
		wrap_name(out, c->mime);
		buf_char(out, ')');
	}
	if (content_has_bytes(c))
		describe_size(out, c);
	else if (c->kind == CONTENT_RESOURCE && !c->inside && c->bad_data)
		buf_text(out, ", not valid base64");
}

void content_describe(struct buf *out, const struct content *c)
{
	CLEANUP(buf_done) struct buf json = { 0 };
	switch (c->kind) {
	case CONTENT_IMAGE:
	case CONTENT_AUDIO:
		describe_bytes(out, c);
		break;
	case CONTENT_RESOURCE:
		describe_address(out, c, "resource ");
		break;
	case CONTENT_LINK:
		describe_address(out, c, "link ");
		break;
	case CONTENT_TEXT:
	case CONTENT_UNKNOWN:
		json_print(&json, c->json);
		text_safe(out, buf_string(&json), json.len, TEXT_JSON);
		break;
	}
}
