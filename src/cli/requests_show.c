/* SPDX-License-Identifier: MIT */
/*
 * How a question of a server looks at the terminal. What the server says
 * stands behind '|' or within a line, so that it cannot look like a word of
 * ours.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/requests_private.h"

#define VALUE_MAX 200 /* bytes of a value */

/* Each line of it behind "| ". */
static void add_said(struct buf *out, const char *text)
{
	const char *end = text + text_cut(text, strlen(text), SAID_MAX);

	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t len = (size_t)((stop ? stop : end) - text);

		buf_text(out, "| ");
		buf_add(out, text, len);
		buf_char(out, '\n');
		text += len + (stop != NULL);
	}
}

void shown_line(struct buf *out, const char *text, size_t max)
{
	size_t len = strlen(text), cut = text_cut(text, len, max);

	text_safe(out, text, cut, TEXT_NAME);
	if (cut < len)
		buf_text(out, "…");
}

static void add_scalar(struct buf *out, const cJSON *value)
{
	if (cJSON_IsString(value) && *value->valuestring)
		buf_text(out, value->valuestring);
	else if (cJSON_IsBool(value))
		buf_char(out, cJSON_IsTrue(value) ? 'y' : 'n');
	else
		json_print(out, value);
}

void shown_value(struct buf *out, const cJSON *value)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	if (cJSON_IsArray(value) && value->child) {
		const cJSON *one;

		cJSON_ArrayForEach(one, value) {
			buf_text(&text, text.len ? ", " : "");
			add_scalar(&text, one);
		}
	} else {
		add_scalar(&text, value);
	}
	shown_line(out, buf_string(&text), VALUE_MAX);
}

static void add_who(struct buf *out, const struct question *q)
{
	const char *name = q->of->app->client.server_name;

	buf_text(out, "\nThe server ");
	if (name && *name) {
		buf_char(out, '\'');
		shown_line(out, name, TITLE_MAX);
		buf_text(out, "' ");
	}
}

static void add_message(struct buf *out, const struct question *q)
{
	const char *message = json_string(q->params, "message");

	add_said(out, message ? message : "(no message)");
}

void shown_form(struct buf *out, const struct question *q, const struct form *f)
{
	add_who(out, q);
	buf_text(out, "asks:\n");
	add_message(out, q);
	if (f->count)
		buf_printf(out,
			   "%zu field%s; Enter takes what stands in [ ], or "
			   "leaves out what is not required.\n",
			   f->count, f->count == 1 ? "" : "s");
}

void shown_url(struct buf *out, const struct question *q, const char *url)
{
	CLEANUP(mem_free_ptr) char *host = question_url_host(url, NULL);
	bool plain = !text_find(host, "xn--");

	for (const char *p = host; *p; p++)
		plain = plain && !(*p & 0x80);
	add_who(out, q);
	buf_text(out, "wants you to open a page in your browser:\n");
	add_message(out, q);
	buf_printf(out, "host: %s%s\n", host,
		   plain ? "" : "  (not plain letters: look twice)");
	buf_printf(out, "URL:  %s\n", url);
	buf_text(out, "Nothing is opened for you: open it yourself if you "
		      "trust that host.\n");
}

void shown_field(struct buf *out, const struct form_field *f)
{
	CLEANUP(buf_done) struct buf said = { 0 };

	if (f->title)
		buf_text(&said, f->title);
	if (f->description)
		buf_printf(&said, "%s%s", said.len ? ": " : "", f->description);
	add_said(out, buf_string(&said));
	for (size_t i = 0; i < f->count; i++) {
		const struct form_choice *c = &f->choice[i];

		buf_printf(out, "  %2zu  ", i + 1);
		shown_value(out, c->value);
		if (c->title) {
			buf_text(out, "  ");
			shown_line(out, c->title, VALUE_MAX);
		}
		buf_char(out, '\n');
	}
}
