/* SPDX-License-Identifier: MIT */
/* A question of the server's: kept, answered, shown. */
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "base/utf8.h"
#include "cli/question.h"
#include "rpc/session_calls.h"

/* ---- answers ---- */

/* What cannot be sent is told by the end of the connection. */
void question_result(const struct question *q, const char *result)
{
	CLEANUP(error_reset) struct error ignored = { 0 };

	if (q->round)
		round_answer(q->round, result);
	if (!*q->id)
		return;
	session_answer(q->of->connection->session, q->id, result, &ignored);
}

void question_refuse(const struct question *q, int code, const char *why)
{
	CLEANUP(error_reset) struct error ignored = { 0 };

	if (q->round)
		round_refuse(q->round, why);
	if (!*q->id)
		return;
	session_refuse(q->of->connection->session, q->id, code, why, &ignored);
}

void question_action(const struct question *q, const char *action,
		     const cJSON *content)
{
	CLEANUP(buf_done) struct buf result = { 0 };

	buf_printf(&result, "{\"action\":\"%s\"", action);
	if (content) {
		buf_text(&result, ",\"content\":");
		json_print(&result, content);
	}
	buf_char(&result, '}');
	question_result(q, buf_string(&result));
}

void question_note(const struct question *q, const char *format, ...)
{
	CLEANUP(mem_free_ptr) char *told = NULL;
	const char *words = json_string(q->params, "message");
	const char *method = json_string(q->json, "method");
	size_t len = words ? strlen(words) : 0;
	size_t cut = words ? text_cut(words, len, TITLE_MAX) : 0;
	va_list args;

	va_start(args, format);
	told = mem_vprintf(format, args);
	va_end(args);
	if (words)
		render_note(&q->of->connection->app->out,
			    "the server asks '%.*s%s': %s", (int)cut, words,
			    cut < len ? "…" : "", told);
	else
		render_note(&q->of->connection->app->out,
			    "the server asks %s: %s", method ? method : "",
			    told);
}

/* ---- open questions ---- */

size_t question_count(const struct question *list)
{
	size_t n = 0;

	for (; list; list = list->next)
		n++;
	return n;
}

struct question *question_keep(struct question *q, struct question **list)
{
	struct question *kept = mem_alloc(sizeof(*kept));

	*kept = *q;
	*q = (struct question){ 0 };
	while (*list)
		list = &(*list)->next;
	*list = kept;
	session_hold(kept->of->connection->session, true);
	return kept;
}

void question_done(struct question *q)
{
	mem_free(TAKE(q->id));
	json_free_ptr(&q->json);
	buf_done(&q->output);
}

static void on_timer_closed(void *owner)
{
	mem_free(owner);
}

void question_end(struct question *q, struct question **list)
{
	struct session *session = q->of->connection->session;

	while (*list && *list != q)
		list = &(*list)->next;
	if (*list)
		*list = q->next;
	session_hold(session, false);
	session_wake(session);
	question_done(q);
	if (q->timer.open)
		timer_close(&q->timer, on_timer_closed);
	else
		mem_free(q);
}

/* ---- pages in a browser ---- */

/* A backslash is a slash to a browser. */
static char *find_host(const char *url)
{
	const char *host = strstr(url, "://") + 3;
	size_t len = strcspn(host, "/\\?#");

	/* What stands before the last '@' is user and password. */
	while (len > 0 && host[len - 1] != '@')
		len--;
	host += len;
	if (*host == '[')
		len = strcspn(host, "]") + 1;
	else
		len = strcspn(host, ":/\\?#");
	return mem_strndup(host, len);
}

char *question_url_host(const char *url, struct error *err)
{
	bool web = strncasecmp(url, "https://", 8) == 0 ||
		   strncasecmp(url, "http://", 7) == 0;
	CLEANUP(mem_free_ptr) char *host = NULL;

	if (!web) {
		error_set(err, ERR_USAGE,
			  "the URL begins neither with https:// nor http://");
		return NULL;
	}
	for (const char *p = url; *p; p++) {
		if ((unsigned char)*p > ' ' && *p != 0x7f)
			continue;
		error_set(err, ERR_USAGE,
			  "the URL has a space or a control character");
		return NULL;
	}
	host = find_host(url);
	if (*host)
		return TAKE(host);
	error_set(err, ERR_USAGE, "the URL has no host");
	return NULL;
}

/*
 * How a question of a server looks at the terminal. What the server says
 * stands behind '|' or within a line, so that it cannot look like a word of
 * ours.
 */

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
	const char *name = q->of->connection->client.server_name;

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
		buf_printf(
			out,
			"%zu field%s; Enter takes what stands in [ ], or leaves out what is not required.\n",
			f->count, f->count == 1 ? "" : "s");
}

void shown_url(struct buf *out, const struct question *q, const char *url)
{
	CLEANUP(mem_free_ptr) char *host = question_url_host(url, NULL);
	/* Browsers decode what stands there by %. */
	bool plain = !text_find(host, "xn--") && !strchr(host, '%');

	for (const char *p = host; *p; p++)
		plain = plain && !(*p & 0x80);
	add_who(out, q);
	buf_text(out, "wants you to open a page in your browser:\n");
	add_message(out, q);
	buf_printf(out, "host: %s%s\n", host,
		   plain ? "" : "  (not plain letters: look twice)");
	buf_printf(out, "URL:  %s\n", url);
	buf_text(
		out,
		"Nothing is opened for you: open it yourself if you trust that host.\n");
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
