/* SPDX-License-Identifier: MIT */
/*
 * What a call or a request gave, as text. A pipe gets text exactly as it came,
 * so that `| jq` works; a terminal gets it safe, and JSON inside it laid out.
 */
#include <string.h>

#include "out/content.h"
#include "out/layout.h"
#include "out/render_text.h"
#include "out/term.h"
#include "out/wrap.h"

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
	if (r->out_terminal)
		json_layout(&b, json.text, json.len, r->out_color);
	else
		json_minify(&b, json.text, json.len);
	buf_char(&b, '\n');
	put_out(r, &b);
}

static bool result_member(const struct result *result, const char *name,
			  struct span *out)
{
	struct span all = { result->message.text, result->message.len }, part;
	if (!all.text || !json_span_member(all, "result", &part))
		return false;
	if (!name) {
		*out = part;
		return true;
	}
	return json_span_member(part, name, out);
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

void text_content(struct renderer *r, const struct content *c)
{
	if (c->kind == CONTENT_TEXT && c->text) {
		put_text(r, c->text, strlen(c->text));
		return;
	}
	put_description(r, c);
	/* The text inside a resource stands below its address. */
	text_inside(r, c);
}

void text_inside(struct renderer *r, const struct content *c)
{
	if (c->inside)
		put_text(r, c->inside, strlen(c->inside));
}

static void put_notes(struct renderer *r, const struct result *result)
{
	if (result->note)
		render_note(r, "%s", result->note);
	if (result->odd_is_error)
		render_note(r, "isError is no boolean: backends disagree on "
			       "what that means");
	else if (r->verbose && result->from_device && !result->has_is_error)
		render_note(r, "the result has no isError: the Java server "
			       "takes that for a failure");
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
	for (size_t i = 0; i < result->count; i++)
		text_content(r, &result->content[i]);
	put_structured(r, result);
	put_notes(r, result);
}

void text_reply(struct renderer *r, const struct message *reply)
{
	struct span all = { reply->text, reply->len }, part;
	/* An error is shown by whoever shows errors. */
	if (all.text && json_span_member(all, "result", &part))
		put_json(r, part);
}
