/* SPDX-License-Identifier: MIT */
/*
 * Questions of the server: which are answered, and by whom. Asking for the
 * answers is requests_ask.c's matter.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/prompt.h"
#include "cli/requests.h"
#include "cli/requests_ask.h"
#include "mcp/unanswered.h"

/*
 * What --elicit, --sampling and --root say. Files are read here, so that a
 * wrong one is told before anything is dialled.
 */

#define ANSWER_FILE_MAX (4u << 20)

static int read_answer(struct buf *out, const char *option, const char *path,
		       struct error *err)
{
	buf_init(out, ANSWER_FILE_MAX);
	if (file_read(out, "file", path, err) == 0)
		return 0;
	return error_prefix(err, "%s", option);
}

/* ---- --elicit ---- */

static const char *elicit_source(const char *how)
{
	return text_same(getenv("MCPCTL_ELICIT"), how) ?
		       "environment variable MCPCTL_ELICIT" :
		       "option '--elicit'";
}

static int read_values(struct requests *a, const char *how, struct error *err)
{
	const char *path = how + 1; /* behind the '@' */
	CLEANUP(buf_done) struct buf text = { 0 };

	if (read_answer(&text, elicit_source(how), path, err))
		return -1;
	a->elicit = ELICIT_FILE;
	a->values = json_parse(buf_string(&text), text.len, err);
	if (!a->values) {
		err->kind = ERR_USAGE;
		return error_prefix(err, "%s: '%s' is no JSON",
				    elicit_source(how), path);
	}
	if (cJSON_IsObject(a->values))
		return 0;
	error_set(err, ERR_USAGE, "%s: '%s' is no JSON object of values",
		  elicit_source(how), path);
	return error_hint(
		err,
		"a member for each field, as {\"name\":\"Ada\", \"age\":36}");
}

static int set_elicit(struct requests *a, const char *how, struct error *err)
{
	static const char *const words[] = { "ask", "accept-defaults",
					     "decline", "cancel", "none" };
	static const enum elicit_how means[] = { ELICIT_ASK, ELICIT_DEFAULTS,
						 ELICIT_DECLINE, ELICIT_CANCEL,
						 ELICIT_NONE };
	const char *near;

	if (how[0] == '@')
		return read_values(a, how, err);
	for (size_t i = 0; i < COUNT(words); i++) {
		if (strcmp(words[i], how) == 0) {
			a->elicit = means[i];
			return 0;
		}
	}
	near = text_nearest(how, words, COUNT(words));
	error_set(err, ERR_USAGE, "%s: '%s' is no way to answer",
		  elicit_source(how), how);
	if (near)
		return error_hint(err, "did you mean '%s'?", near);
	return error_hint(
		err,
		"expected ask, accept-defaults, decline, cancel, none or @FILE");
}

/* ---- --sampling ---- */

static int read_sampled(struct requests *a, const char *path, struct error *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	if (read_answer(&text, "option '--sampling'", path, err))
		return -1;
	a->sampling = SAMPLING_FILE;
	a->sampled = requests_sampled(buf_string(&text), text.len, "file", err);
	if (a->sampled)
		return 0;
	return error_prefix(err, "option '--sampling': '%s'", path);
}

static int set_command(struct requests *a, const char *line, struct error *err)
{
	a->sampling = SAMPLING_EXEC;
	if (words_split(&a->command, line, err))
		return error_prefix(err, "option '--sampling'");
	if (a->command.count)
		return 0;
	return error_set(
		err, ERR_USAGE,
		"option '--sampling': behind 'exec:' a command is missing");
}

static int set_sampling(struct requests *a, const char *how, struct error *err)
{
	if (how[0] == '@')
		return read_sampled(a, how + 1, err);
	if (text_starts(how, "exec:"))
		return set_command(a, how + 5, err);
	a->sampling = SAMPLING_DECLINE;
	if (strcmp(how, "decline") == 0)
		return 0;
	error_set(err, ERR_USAGE,
		  "option '--sampling': '%s' is no way to answer", how);
	return error_hint(err, "expected decline, @FILE or exec:COMMAND");
}

/* ---- --root ---- */

static int add_root(struct buf *out, const char *given, struct error *err)
{
	char *path = realpath(given, NULL);
	CLEANUP(buf_done) struct buf uri = { 0 };
	const char *name;
	struct stat st;

	if (!path || stat(path, &st) != 0) {
		error_set(err, ERR_USAGE, "option '--root': '%s': %s", given,
			  strerror(errno));
	} else if (!S_ISDIR(st.st_mode)) {
		error_set(err, ERR_USAGE, "option '--root': '%s' is no folder",
			  given);
	} else {
		name = strrchr(path, '/') + 1;
		buf_text(&uri, "file://");
		text_percent_encode(&uri, path, "-._~/");
		buf_text(out, "{\"uri\":");
		buf_json_string(out, buf_string(&uri), uri.len);
		json_add_text(out, "name", *name ? name : "/");
		buf_char(out, '}');
		free(path);
		return 0;
	}
	free(path);
	return -1;
}

static int set_roots(struct requests *a, const struct words *given,
		     struct error *err)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_text(&out, "{\"roots\":[");
	for (size_t i = 0; i < given->count; i++) {
		if (i)
			buf_char(&out, ',');
		if (add_root(&out, given->word[i], err))
			return -1;
	}
	buf_text(&out, "]}");
	a->roots = buf_take(&out);
	return 0;
}

/* --elicit, --sampling, --root. -1 (ERR_USAGE) */
static int requests_options(struct requests *a, const struct config *c,
			    struct error *err)
{
	if (c->elicit && set_elicit(a, c->elicit, err))
		return -1;
	/* Whoever sits there can answer. */
	if (!c->elicit && !prompt_obstacle(a->connection->app))
		a->elicit = ELICIT_ASK;
	if (c->sampling && set_sampling(a, c->sampling, err))
		return -1;
	return c->roots.count ? set_roots(a, &c->roots, err) : 0;
}

/*
 * Questions of the server: which there are, which are answered at all, and
 * what is withdrawn. How each is answered is in requests_ask.c.
 */

#define ID_MAX 1024 /* bytes of the token */

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

static const struct kind *kind_named(const char *method)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (method && strcmp(kinds[i].method, method) == 0)
			return &kinds[i];
	}
	return NULL;
}

static const struct kind *kind_of(const struct event *e)
{
	return kind_named(e->name);
}

/* It was told that it may ask, before anybody knew who would be here. */
static bool is_shared(const struct requests *a)
{
	const struct session *s = a->connection->session;

	return s && session_peer(s)->held;
}

static bool answer_for_nobody(const struct requests *a, const struct event *e)
{
	const struct span whole = { e->text, e->len };
	const struct unanswered answer = unanswered_find(e->name);
	struct session *s = a->connection->session;
	CLEANUP(error_reset) struct error ignored = { 0 };
	CLEANUP(mem_free_ptr) char *token = NULL;
	struct span id;

	if (!e->text || !json_span_member(whole, "id", &id) || id.len > ID_MAX)
		return false;
	token = mem_strndup(id.text, id.len);
	/* If it is gone, nobody waits for it. */
	if (answer.result)
		session_answer(s, token, answer.result, &ignored);
	else
		session_refuse(s, token, answer.code, answer.words, &ignored);
	return true;
}

/*
 * It is refused by the session, as anything that is not known; or answered,
 * where it may be asked.
 */
static bool not_declared(struct requests *a, const struct kind *kind,
			 const struct event *e)
{
	unsigned bit = 1U << (kind - kinds);

	if (!(a->told & bit))
		render_note(
			&a->connection->app->out,
			is_shared(a) ?
				"the server asks %s, which nobody here answers: it is told so (%s answers it)" :
				"the server asks %s, which it was not told it may: refused (%s answers it)",
			kind->method, kind->option);
	a->told |= bit;
	return is_shared(a) && answer_for_nobody(a, e);
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

bool requests_request(struct requests *a, const struct event *e)
{
	CLEANUP(question_done) struct question q = { .of = a };
	const struct client_answers declared = a->declared;
	const struct kind *kind = kind_of(e);

	if (!kind || a->connection->client.device)
		return false;
	if (!kind->declared(&declared))
		return not_declared(a, kind, e);
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

/* mcp.md 2024-11-05: no answer is expected any more. */
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
		render_note(
			&a->connection->app->out,
			"the server says that what you agreed to in the browser is done");
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

/* ---- what comes in the rounds of a request ---- */

static bool ask_round(void *owner, struct round_ask *ask, const char **option)
{
	struct requests *a = owner;
	CLEANUP(question_done) struct question q = { .of = a, .round = ask };
	const struct kind *kind = kind_named(ask->method);
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("{\"method\":\"%s\",\"params\":%s}",
				kind ? kind->method : "",
				ask->params ? ask->params : "{}");

	if (!kind)
		return false;
	*option = kind->option;
	if (!kind->declared(&a->declared))
		return false;
	q.id = mem_strdup("");
	q.json = json_parse(text, strlen(text), NULL);
	q.params = json_object(q.json, "params");
	kind->answer(&q);
	return true;
}

static struct question *find_round(struct requests *a)
{
	struct question *const lists[] = { a->running, a->waiting };

	for (size_t i = 0; i < COUNT(lists); i++) {
		for (struct question *q = lists[i]; q; q = q->next) {
			if (q->round)
				return q;
		}
	}
	return NULL;
}

static void withdraw_rounds(void *owner)
{
	struct requests *a = owner;
	struct question *q;

	while ((q = find_round(a)) != NULL) {
		q->round = NULL;
		withdraw(a, q, "nobody waits for an answer any more");
	}
	requests_ask_next(a);
}

const struct client_asker *requests_asker(struct requests *a)
{
	return a ? &a->asker : NULL;
}

/* ---- its life ---- */

/* Nobody but a person can agree to a page in the browser. */
static struct client_answers declare(const struct requests *a)
{
	bool form = a->elicit != ELICIT_NONE;

	return (struct client_answers){
		.roots = a->roots != NULL,
		.sampling = a->sampling != SAMPLING_NONE,
		.elicit_form = form,
		.elicit_url = form && a->elicit != ELICIT_DEFAULTS &&
			      a->elicit != ELICIT_FILE
	};
}

void requests_hidden(const struct connection *c, struct buf *out)
{
	const struct requests *a = c->requests;
	const char *option[COUNT(kinds)];
	size_t count = 0;

	if (!a || !c->client.initialize.result ||
	    client_may_be_board(&c->client) || c->client.device)
		return;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (!kinds[i].declared(&a->declared))
			option[count++] = kinds[i].option;
	}
	if (!count)
		return;
	buf_text(
		out,
		"; servers may hide tools from a client that they cannot ask: ");
	for (size_t i = 0; i < count; i++)
		buf_printf(out, "%s%s",
			   !i		  ? "" :
			   i + 1 == count ? " and " :
					    ", ",
			   option[i]);
	buf_printf(out, " %s that it can be asked",
		   count == 1 ? "says" : "say");
}

struct client_answers requests_declares(const struct requests *a)
{
	return a->declared;
}

int requests_open(struct connection *c, struct error *err)
{
	struct requests *a;

	requests_close(c);
	a = mem_zalloc(sizeof(*a));
	a->connection = c;
	a->asker = (struct client_asker){ ask_round, withdraw_rounds, a };
	c->requests = a;
	if (requests_options(a, &c->app->config, err)) {
		requests_close(c);
		return -1;
	}
	a->declared = declare(a);
	return 0;
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

void requests_close(struct connection *c)
{
	struct requests *a = TAKE(c->requests);

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
