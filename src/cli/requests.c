/* SPDX-License-Identifier: MIT */
/*
 * Questions of the server: which there are, which are answered at all, and
 * the way of an answer. How each is answered is in answering_*.c.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/requests_private.h"

#define ID_MAX 1024 /* bytes of the token */

/* ---- answers ---- */

/* What cannot be sent is told by the end of the connection. */
void question_result(const struct question *q, const char *result)
{
	CLEANUP(error_reset) struct error ignored = { 0 };

	session_answer(q->of->app->session, q->id, result, &ignored);
}

void question_refuse(const struct question *q, int code, const char *why)
{
	CLEANUP(error_reset) struct error ignored = { 0 };

	session_refuse(q->of->app->session, q->id, code, why, &ignored);
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
		render_note(&q->of->app->out, "the server asks '%.*s%s': %s",
			    (int)cut, words, cut < len ? "…" : "", told);
	else
		render_note(&q->of->app->out, "the server asks %s: %s",
			    method ? method : "", told);
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
	session_hold(kept->of->app->session, true);
	return kept;
}

static void release(struct question *q)
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
	struct session *session = q->of->app->session;

	while (*list && *list != q)
		list = &(*list)->next;
	if (*list)
		*list = q->next;
	session_hold(session, false);
	session_wake(session);
	release(q);
	if (q->timer.open)
		timer_close(&q->timer, on_timer_closed);
	else
		mem_free(q);
}

/* ---- what comes ---- */

static void answer_roots(struct question *q)
{
	question_result(q, q->of->roots);
}

static bool has_roots(const struct client_answers *answers)
{
	return answers->roots;
}

static bool has_sampling(const struct client_answers *answers)
{
	return answers->sampling;
}

static bool has_elicit(const struct client_answers *answers)
{
	return answers->elicit_form || answers->elicit_url;
}

static const struct kind {
	const char *method, *option;
	bool (*declared)(const struct client_answers *answers);
	void (*answer)(struct question *q);
} kinds[] = {
	{ "elicitation/create", "--elicit", has_elicit, requests_elicit },
	{ "sampling/createMessage", "--sampling", has_sampling,
	  requests_sample },
	{ "roots/list", "--root", has_roots, answer_roots },
};

static const struct kind *kind_of(const struct event *e)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (e->name && strcmp(kinds[i].method, e->name) == 0)
			return &kinds[i];
	}
	return NULL;
}

/* It is refused by the session, as anything that is not known. */
static bool not_declared(struct requests *a, const struct kind *kind)
{
	unsigned bit = 1U << (kind - kinds);

	if (!(a->told & bit))
		render_note(&a->app->out,
			    "the server asks %s, which it was not told it may: "
			    "refused (%s answers it)",
			    kind->method, kind->option);
	a->told |= bit;
	return false;
}

bool requests_told(const struct requests *a, const struct event *e)
{
	const struct kind *kind = e->kind == EVENT_REQUEST ? kind_of(e) : NULL;

	return a && kind && a->told & 1U << (kind - kinds);
}

static bool read_question(struct question *q, const struct event *e)
{
	const struct span whole = { e->text, e->len };
	struct span id;

	if (!e->text || !json_span_member(whole, "id", &id) || id.len > ID_MAX)
		return false;
	q->json = json_parse(e->text, e->len, NULL);
	q->params = json_object(q->json, "params");
	q->id = mem_strndup(id.text, id.len);
	return q->json != NULL;
}

static void question_done(struct question *q)
{
	release(q);
}

bool requests_request(struct requests *a, const struct event *e)
{
	CLEANUP(question_done) struct question q = { .of = a };
	const struct client_answers declared = requests_declares(a);
	const struct kind *kind = kind_of(e);

	if (!kind || a->app->client.device)
		return false;
	if (!kind->declared(&declared))
		return not_declared(a, kind);
	if (!read_question(&q, e))
		return false;
	if (question_count(a->waiting) + question_count(a->running) <
	    QUESTIONS_MAX) {
		kind->answer(&q);
		return true;
	}
	question_refuse(&q, JSONRPC_INTERNAL_ERROR,
			"too many questions are open");
	question_note(&q, "refused: %d others are open", QUESTIONS_MAX);
	return true;
}

/* ---- what is withdrawn ---- */

static void withdraw(struct requests *a, struct question *q, const char *why)
{
	if (q->child) {
		requests_sample_stop(q);
		question_end(q, &a->running);
		return;
	}
	if (q == a->waiting)
		requests_ask_stop(a, why);
	question_end(q, &a->waiting);
}

static struct question *find(const struct requests *a, const struct span *id)
{
	struct question *const lists[] = { a->waiting, a->running };

	for (size_t i = 0; i < COUNT(lists); i++) {
		for (struct question *q = lists[i]; q; q = q->next) {
			if (strlen(q->id) == id->len &&
			    memcmp(q->id, id->text, id->len) == 0)
				return q;
		}
	}
	return NULL;
}

/* mcp.md, 2024-11-05: no answer is expected any more. */
static void cancelled(struct requests *a, const struct event *e)
{
	const struct span whole = { e->text, e->len };
	struct span params, id;
	struct question *q;

	if (!json_span_member(whole, "params", &params) ||
	    !json_span_member(params, "requestId", &id))
		return;
	q = find(a, &id);
	if (!q)
		return;
	/* Where it is being asked, that says so. */
	if (q != a->waiting || !a->asking)
		question_note(q, "withdrawn by the server");
	withdraw(a, q, "the server does not want an answer any more");
	requests_ask_next(a);
}

/* What happened in the browser, only for what was agreed to. */
static void completed(struct requests *a, const struct event *e)
{
	CLEANUP(json_free_ptr) cJSON *json = json_parse(e->text, e->len, NULL);
	const char *id =
		json_string(json_object(json, "params"), "elicitationId");

	for (size_t i = 0; id && i < CONSENTS_MAX; i++) {
		if (!a->consent[i] || strcmp(a->consent[i], id) != 0)
			continue;
		mem_free(TAKE(a->consent[i]));
		render_note(&a->app->out,
			    "the server says that what you agreed to in the "
			    "browser is done");
	}
}

static void withdraw_all(struct requests *a, const char *why)
{
	while (a->running)
		withdraw(a, a->running, why);
	while (a->waiting)
		withdraw(a, a->waiting, why);
}

void requests_event(struct requests *a, const struct event *e)
{
	if (e->kind == EVENT_CLOSED)
		withdraw_all(a, "the connection ended");
	if (e->kind != EVENT_NOTIFICATION || !e->name || !e->text)
		return;
	if (strcmp(e->name, "notifications/cancelled") == 0)
		cancelled(a, e);
	else if (strcmp(e->name, "notifications/elicitation/complete") == 0)
		completed(a, e);
}

/* ---- its life ---- */

struct client_answers requests_declares(const struct requests *a)
{
	bool form = a->elicit != ELICIT_NONE;

	/* Nobody but a person can agree to a page in the browser. */
	return (struct client_answers){
		.roots = a->roots != NULL,
		.sampling = a->sampling != SAMPLING_NONE,
		.elicit_form = form,
		.elicit_url = form && a->elicit != ELICIT_DEFAULTS &&
			      a->elicit != ELICIT_FILE
	};
}

int requests_open(struct app *app, struct error *err)
{
	struct requests *a;

	requests_close(app);
	a = mem_zalloc(sizeof(*a));
	a->app = app;
	app->answering = a;
	if (requests_options(a, &app->config, err) == 0)
		return 0;
	requests_close(app);
	return -1;
}

/* The command is over, or the target is left: nobody will answer. */
static void give_up(struct requests *a)
{
	static const char why[] = "the command is over";

	for (struct question *q = a->running; q; q = q->next)
		question_refuse(q, JSONRPC_INTERNAL_ERROR, why);
	for (struct question *q = a->waiting; q; q = q->next) {
		question_action(q, "cancel", NULL);
		question_note(q, "cancelled: %s", why);
	}
	withdraw_all(a, NULL);
}

void requests_close(struct app *app)
{
	struct requests *a = TAKE(app->answering);

	if (!a)
		return;
	give_up(a);
	json_free_ptr(&a->values);
	mem_free(a->sampled);
	words_done(&a->command);
	mem_free(a->roots);
	for (size_t i = 0; i < CONSENTS_MAX; i++)
		mem_free(a->consent[i]);
	mem_free(a);
}

void requests_lend(struct requests *a, bool lent)
{
	if (!a)
		return;
	a->lent = lent;
	requests_ask_next(a);
}

bool requests_asks(const struct requests *a)
{
	return a && a->waiting;
}
