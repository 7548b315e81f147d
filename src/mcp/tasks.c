/* SPDX-License-Identifier: MIT */
/* Tasks of both eras, each waited for by asking again and again. */
#include "mcp/tasks.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "mcp/client_start.h"
#include "mcp/content.h"
#include "mcp/modern.h"
#include "mcp/rules.h"
#include "rpc/session_calls.h"

#define WORD_MAX 60 /* bytes of a server's status in an error */

enum { GIVE_UP_MS = 2000, PAGES_MAX = 100 };

/* ---- a task as it comes ---- */

void task_done(struct task *t)
{
	mem_free(t->id);
	mem_free(t->word);
	mem_free(t->message);
	mem_free(t->created);
	mem_free(t->updated);
	message_done(&t->reply);
	*t = (struct task){ 0 };
}

bool task_is_over(const struct task *t)
{
	return t->status >= TASK_COMPLETED;
}

static enum task_status status_of(const char *word)
{
	static const struct {
		const char *word;
		enum task_status status;
	} known[] = {
		{ "input_required", TASK_INPUT },
		{ "completed", TASK_COMPLETED },
		{ "failed", TASK_FAILED },
		{ "cancelled", TASK_CANCELLED },
	};

	for (size_t i = 0; i < COUNT(known); i++) {
		if (strcmp(known[i].word, word) == 0)
			return known[i].status;
	}
	return TASK_WORKING;
}

/* The eras have two names for a time. */
static const cJSON *time_of(const cJSON *json, const char *modern,
			    const char *legacy)
{
	const cJSON *found = json_member(json, modern);

	return found ? found : json_member(json, legacy);
}

static int64_t poll_of(const cJSON *json)
{
	const cJSON *ms = time_of(json, "pollIntervalMs", "pollInterval");

	if (!cJSON_IsNumber(ms))
		return TASK_POLL_MS;
	if (ms->valuedouble > TASK_POLL_MOST_MS)
		return TASK_POLL_MOST_MS;
	return ms->valuedouble > TASK_POLL_LEAST_MS ? (int64_t)ms->valuedouble :
						      TASK_POLL_LEAST_MS;
}

static int64_t ttl_of(const cJSON *json)
{
	int64_t ms;

	if (json_integer(json, "ttlMs", &ms) && json_integer(json, "ttl", &ms))
		return -1;
	return ms >= 0 ? ms : -1;
}

static int check_id(const struct task *t, const char *id, struct error *err)
{
	if (!id && !t->id)
		return error_set(err, ERR_PROTOCOL,
				 "the server began a task without a 'taskId'");
	if (!id)
		return 0;
	if (!*id || strlen(id) > TASK_ID_MAX)
		return error_set(
			err, ERR_PROTOCOL,
			"the server's 'taskId' is empty, or longer than %d bytes",
			TASK_ID_MAX);
	if (t->id && strcmp(t->id, id) != 0)
		return error_set(
			err, ERR_PROTOCOL,
			"the server was asked for the task '%.60s', and tells of '%.60s'",
			t->id, id);
	return 0;
}

static void keep_text(char **to, const char *text)
{
	mem_free(*to);
	*to = mem_strdup(text);
}

int task_read(struct task *t, const cJSON *json, struct error *err)
{
	const char *id = json_string(json, "taskId");
	const char *word = json_string(json, "status");
	const char *message = json_string(json, "statusMessage");

	if (check_id(t, id, err))
		return -1;
	if (!word)
		return error_set(
			err, ERR_PROTOCOL,
			"the server tells of a task without a 'status'");
	if (!t->id)
		t->id = mem_strdup(id);
	t->changed =
		!text_equal(t->word, word) || !text_equal(t->message, message);
	t->status = status_of(word);
	keep_text(&t->word, word);
	keep_text(&t->message, message);
	keep_text(&t->created, json_string(json, "createdAt"));
	keep_text(&t->updated, json_string(json, "lastUpdatedAt"));
	t->ttl_ms = ttl_of(json);
	t->poll_ms = poll_of(json);
	return 0;
}

/* json is within the reply, which is taken. */
static int take_task(struct task *t, struct message *reply, const cJSON *json,
		     struct error *err)
{
	if (task_read(t, json, err)) {
		error_detail(err, reply->text, reply->len);
		return -1;
	}
	message_done(&t->reply);
	message_take(&t->reply, reply);
	return 0;
}

/* ---- whether there are tasks ---- */

bool client_wanted_task(const struct client *c, const struct message *reply)
{
	const cJSON *wanted = json_object(json_object(reply->error, "data"),
					  "requiredCapabilities");
	int64_t code;

	return c->modern && !json_integer(reply->error, "code", &code) &&
	       code == MODERN_MISSING_CAPABILITY &&
	       json_given(json_object(wanted, "extensions"), MODERN_TASKS);
}

bool client_tasks_stay(const struct client *c)
{
	return c->modern && session_takes_headers(c->session);
}

/* part: "call", "list", "cancel"; NULL: any of it. */
static bool has_part(const struct client *c, const char *part)
{
	const cJSON *tasks;

	if (!client_has_tasks(c, &tasks))
		return false;
	if (!tasks || !part)
		return true;
	if (strcmp(part, "call") == 0)
		tasks = json_object(json_object(tasks, "requests"), "tools");
	return json_given(tasks, part);
}

bool client_tells_tasks(const struct client *c)
{
	return has_part(c, NULL);
}

bool client_must_be_task(const struct client *c, const char *tool)
{
	size_t hints = name_set_find(&c->hints, tool);

	return hints != NAME_NONE && (hints & HINT_TASK_ONLY) &&
	       has_part(c, "call");
}

static int require_part(struct client *c, const char *part, struct error *err)
{
	if (has_part(c, part))
		return 0;
	/* What was kept of it may be old. */
	if (c->modern && !c->described && !client_describe(c, NULL) &&
	    has_part(c, part))
		return 0;
	if (!has_part(c, NULL))
		error_set(err, ERR_UNMET, "the server '%.100s' has no tasks",
			  c->server_name ? c->server_name : "");
	else
		error_set(err, ERR_UNMET,
			  "the server '%.100s' has tasks, but not '%s' of them",
			  c->server_name ? c->server_name : "", part);
	return error_hint(
		err,
		"'call' without --task waits for the result of one request");
}

static int require_tool(const struct client *c, const char *tool,
			struct error *err)
{
	size_t hints = name_set_find(&c->hints, tool);

	if (hints == NAME_NONE || !(hints & HINT_TASK_NEVER))
		return 0;
	error_set(
		err, ERR_UNMET,
		"the tool '%.100s' cannot run as a task (its execution.taskSupport does not say that it may)",
		tool);
	return error_hint(err, "'call' without --task calls it");
}

/* ---- begun, asked ---- */

static const cJSON *find_task(const struct client *c, const cJSON *result)
{
	const char *type = json_string(result, "resultType");

	if (!c->modern)
		return json_object(result, "task");
	return type && strcmp(type, "task") == 0 ? result : NULL;
}

int client_task_start(struct client *c, const char *tool, const char *arguments,
		      struct task *t, struct result *out, struct error *err)
{
	CLEANUP(message_done) struct message reply = { 0 };
	int64_t began_us = loop_now_us();
	const cJSON *task;

	*t = (struct task){ 0 };
	*out = (struct result){ 0 };
	if (require_part(c, "call", err) || require_tool(c, tool, err))
		return -1;
	if (client_ask_tool(c, tool, arguments, &reply, err)) {
		message_take(&out->message, &reply);
		return -1;
	}
	task = find_task(c, reply.result);
	if (task)
		return take_task(t, &reply, task, err);
	result_decode_take(out, &reply);
	out->took_us = loop_now_us() - began_us;
	return client_judge_result(tool, out, err);
}

static int ask(struct client *c, const char *method, const struct task *t,
	       struct message *reply, struct error *err)
{
	CLEANUP(buf_done) struct buf params = { 0 };
	int64_t took_us;

	json_add_object(&params, "taskId", t->id);
	if (!client_request(c, method, buf_string(&params), reply, &took_us,
			    err))
		return 0;
	if (err && err->kind == ERR_PEER && !*err->hint &&
	    strcmp(method, "tasks/get") == 0)
		error_hint(
			err,
			client_tasks_stay(c) ?
				"a server forgets a task some time after its end (ttl)" :
				"a task is gone some time after its end (ttl), and with its session, which ends with the command unless 'mcpctl open' keeps the server");
	return -1;
}

int client_task_get(struct client *c, struct task *t, struct error *err)
{
	CLEANUP(message_done) struct message reply = { 0 };

	if (require_part(c, NULL, err) || ask(c, "tasks/get", t, &reply, err))
		return -1;
	return take_task(t, &reply, reply.result, err);
}

/* ---- its end ---- */

static int tell_end(const struct task *t, struct error *err)
{
	return error_set(err, ERR_PEER, "the task %s%s%.400s",
			 t->status == TASK_FAILED ? "failed" : "was cancelled",
			 t->message ? ": " : "", t->message ? t->message : "");
}

/* A message of its own, of a part of the one that the task came in. */
static int take_part(struct message *out, const struct task *t,
		     const char *name, struct error *err)
{
	const struct span whole = t->reply.result_text;
	CLEANUP(buf_done) struct buf text = { 0 };
	struct span part;

	if (!json_span_member(whole, name, &part) ||
	    !json_span_begins(part, '{')) {
		error_set(
			err, ERR_PROTOCOL,
			"the task is over (%.*s), and has no '%s' that is an object",
			WORD_MAX, t->word, name);
		return error_detail(err, t->reply.text, t->reply.len);
	}
	buf_printf(&text, "{\"jsonrpc\":\"2.0\",\"id\":0,\"%s\":", name);
	buf_add(&text, part.text, part.len);
	buf_char(&text, '}');
	return message_decode(out, buf_string(&text), text.len, err);
}

static int end_modern(const struct task *t, struct result *out,
		      struct error *err)
{
	struct message m = { 0 };

	if (t->status == TASK_FAILED && !json_given(t->reply.result, "error"))
		return tell_end(t, err);
	if (t->status == TASK_FAILED) {
		if (take_part(&out->message, t, "error", err))
			return -1;
		session_peer_error(&mcp_rules, err, &out->message);
		return -1;
	}
	if (take_part(&m, t, "result", err)) {
		message_done(&m);
		return -1;
	}
	result_decode_take(out, &m);
	return client_judge_result(NULL, out, err);
}

/* ---- waiting ---- */

struct task_waiting {
	struct client *c;
	struct task *t;
	const struct task_wait *how;
	int64_t deadline;
	/* Up to 2025-11-25: tasks/result, which also brings what is asked */
	struct call call;
	bool begun; /* it is under way */
	bool useless; /* the server does not let it wait */
	bool looked; /* the task is as tasks/get gave it */
	struct name_set known; /* keys of inputRequests */
	struct rounds rounds;
};

static void waiting_done(struct task_waiting *w)
{
	if (w->begun) {
		if (!w->call.done && session_is_open(w->c->session))
			session_cancel(w->c->session, &w->call, "not needed");
		session_forget(w->c->session, &w->call);
	}
	call_done(&w->call);
	rounds_done(&w->rounds);
	name_set_done(&w->known);
}

static void put_off(struct task_waiting *w, int64_t since)
{
	if (w->deadline != LOOP_FOREVER)
		w->deadline += loop_now() - since;
}

static int begin_result(struct task_waiting *w, struct error *err)
{
	CLEANUP(buf_done) struct buf params = { 0 };
	struct client_request rq = { .method = "tasks/result" };

	if (w->begun || w->useless)
		return 0;
	json_add_object(&params, "taskId", w->t->id);
	rq.params = buf_string(&params);
	call_done(&w->call);
	w->call.lasts = true;
	if (client_start(w->c, &w->call, &rq, err))
		return -1;
	w->begun = true;
	return 0;
}

static int answer_modern(struct task_waiting *w, struct error *err)
{
	CLEANUP(message_done) struct message reply = { 0 };
	CLEANUP(buf_done) struct buf id = { 0 }, params = { 0 };
	const cJSON *asked = json_member(w->t->reply.result, "inputRequests");
	int64_t took_us, began = loop_now();

	if (rounds_take_new(&w->rounds, asked, &w->known, err))
		return -1;
	if (!w->rounds.asks)
		return 0;
	if (client_answer(w->c, &w->rounds, err)) {
		if (err->kind == ERR_PROTOCOL)
			err->kind = ERR_UNMET;
		return -1;
	}
	put_off(w, began);
	json_add_object(&id, "taskId", w->t->id);
	rounds_params(&params, buf_string(&id), &w->rounds);
	return client_request(w->c, "tasks/update", buf_string(&params), &reply,
			      &took_us, err);
}

static int answer(struct task_waiting *w, struct error *err)
{
	if (w->how->answers)
		return w->c->modern ? answer_modern(w, err) :
				      begin_result(w, err);
	error_set(
		err, ERR_UNMET,
		"the task waits for an answer, and nobody here gives one%s%.300s",
		w->t->message ? ": " : "", w->t->message ? w->t->message : "");
	return error_hint(
		err,
		"'task answer' asks at the terminal, or answers as --elicit, --sampling and --root say");
}

static int tell_timeout(const struct task_waiting *w, struct error *err)
{
	return error_set(err, ERR_TIMEOUT,
			 "the task is not over when the time is (%.*s%s%.300s)",
			 WORD_MAX, w->t->word, w->t->message ? ": " : "",
			 w->t->message ? w->t->message : "");
}

static int rest(struct task_waiting *w, struct error *err)
{
	struct session *s = w->c->session;
	int64_t began = loop_now(), until = began + w->t->poll_ms;

	if (until > w->deadline)
		until = w->deadline;
	/* What has ended already is waited for no more. */
	if (session_watch(s, w->begun && !w->call.done ? &w->call.done : NULL,
			  until, err))
		return -1;
	if (session_is_held(s))
		put_off(w, began);
	return loop_now() >= w->deadline ? tell_timeout(w, err) : 0;
}

/* What tasks/result gave. */
static int end_call(struct task_waiting *w, struct result *out,
		    struct error *err)
{
	struct message reply = { 0 };
	int status = 0;

	message_take(&reply, &w->call.reply);
	if (w->call.failure.kind != ERR_NONE) {
		error_copy(err, &w->call.failure);
		message_take(&out->message, &reply);
		status = -1;
	} else {
		result_decode_take(out, &reply);
		status = client_judge_result(NULL, out, err);
	}
	session_forget(w->c->session, &w->call);
	w->begun = false;
	return status;
}

static int end_legacy(struct task_waiting *w, struct result *out,
		      struct error *err)
{
	struct session *s = w->c->session;
	int status = 0;

	w->useless = false;
	if (begin_result(w, err))
		return -1;
	if (session_watch(s, &w->call.done, loop_now() + session_timeout(s),
			  err))
		return -1;
	if (!w->call.done) {
		error_set(
			err, ERR_TIMEOUT,
			"the task is over (%.*s), but 'tasks/result' has no answer",
			WORD_MAX, w->t->word);
		return -1;
	}
	status = end_call(w, out, err);
	if (!status && w->t->status == TASK_FAILED)
		return tell_end(w->t, err);
	return status;
}

static int look(struct task_waiting *w, struct error *err)
{
	w->looked = true;
	return client_task_get(w->c, w->t, err);
}

/* From 2026-07-28 on what came of it stands in what tasks/get gives, alone. */
static bool has_outcome(const struct task_waiting *w)
{
	const cJSON *reply = w->t->reply.result;

	return !w->c->modern || w->looked || json_given(reply, "result") ||
	       json_given(reply, "error");
}

static int end(struct task_waiting *w, struct result *out, struct error *err)
{
	if (w->how->only)
		return 0;
	if (w->t->status == TASK_CANCELLED)
		return tell_end(w->t, err);
	if (!has_outcome(w) && look(w, err))
		return -1;
	return w->c->modern ? end_modern(w->t, out, err) :
			      end_legacy(w, out, err);
}

/* tasks/result ended while the task was not known to be over: 1, it is. */
static int look_at_call(struct task_waiting *w)
{
	if (!w->begun || !w->call.done)
		return 0;
	if (w->call.failure.kind != ERR_PEER)
		return 1;
	/* It may not wait for the end of the task, although it should. */
	session_forget(w->c->session, &w->call);
	w->begun = false;
	w->useless = true;
	return 0;
}

static int wait_on(struct task_waiting *w, struct result *out,
		   struct error *err)
{
	struct task *t = w->t;

	for (;;) {
		if (t->changed && w->how->told)
			w->how->told(w->how->owner, t);
		if (task_is_over(t) ||
		    (w->how->only && t->status != TASK_INPUT))
			return end(w, out, err);
		if (t->status == TASK_INPUT && answer(w, err))
			return -1;
		if (rest(w, err))
			return -1;
		if (look_at_call(w) && !w->how->only)
			return end_call(w, out, err);
		if (look(w, err))
			return -1;
	}
}

int client_task_wait(struct client *c, struct task *t,
		     const struct task_wait *how, struct result *out,
		     struct error *err)
{
	struct task_waiting w = {
		.c = c, .t = t, .how = how, .deadline = how->deadline
	};
	int64_t began_us = loop_now_us();
	int status;

	*out = (struct result){ 0 };
	t->changed = true;
	status = wait_on(&w, out, err);
	out->took_us = loop_now_us() - began_us;
	waiting_done(&w);
	return status;
}

/* ---- cancelled ---- */

int client_task_cancel(struct client *c, struct task *t, struct error *err)
{
	CLEANUP(message_done) struct message reply = { 0 };

	if (require_part(c, "cancel", err) ||
	    ask(c, "tasks/cancel", t, &reply, err))
		return -1;
	if (!json_string(reply.result, "status"))
		return client_task_get(c, t, err);
	return take_task(t, &reply, reply.result, err);
}

static enum task_given_up ask_soon(struct client *c, const char *method,
				   const struct task *t)
{
	CLEANUP(call_done) struct call call = { 0 };
	CLEANUP(buf_done) struct buf params = { 0 };
	struct client_request rq = { .method = method, .timeout = GIVE_UP_MS };
	int status;

	json_add_object(&params, "taskId", t->id);
	rq.params = buf_string(&params);
	status = client_start(c, &call, &rq, NULL);
	if (!status)
		status = session_wait(c->session, &call, NULL);
	session_forget(c->session, &call);
	if (status)
		return TASK_KEPT;
	return text_equal(json_string(call.reply.result, "status"),
			  "cancelled") ?
		       TASK_ENDED :
		       TASK_TOLD;
}

/* The reply of a server of 2026-07-28 says only that it was told. */
enum task_given_up client_task_give_up(struct client *c, const struct task *t)
{
	enum task_given_up how;

	if (!session_is_open(c->session) || !has_part(c, "cancel"))
		return TASK_KEPT;
	how = ask_soon(c, "tasks/cancel", t);
	if (how == TASK_TOLD && c->modern &&
	    ask_soon(c, "tasks/get", t) == TASK_ENDED)
		return TASK_ENDED;
	return how;
}

/* ---- all of them ---- */

void task_list_done(struct task_list *l)
{
	for (size_t i = 0; i < l->count; i++)
		task_done(&l->task[i]);
	mem_free(l->task);
	*l = (struct task_list){ 0 };
}

static int take_tasks(struct task_list *l, const cJSON *result,
		      struct error *err)
{
	const cJSON *tasks = json_array(result, "tasks"), *each;

	if (!tasks)
		return error_set(err, ERR_PROTOCOL,
				 "the result of 'tasks/list' has no 'tasks'");
	cJSON_ArrayForEach(each, tasks) {
		struct task *t;

		if (l->count == TASKS_MAX)
			return error_set(
				err, ERR_PROTOCOL,
				"the server lists more than %d tasks: the rest is left out",
				TASKS_MAX);
		l->task = mem_grow(l->task, &l->capacity, l->count,
				   sizeof(*l->task));
		t = &l->task[l->count++];
		*t = (struct task){ 0 };
		if (task_read(t, each, err))
			return -1;
	}
	return 0;
}

/* *cursor: of the next page; NULL: this was the last. */
static int list_page(struct client *c, struct task_list *l, char **cursor,
		     struct error *err)
{
	CLEANUP(message_done) struct message reply = { 0 };
	CLEANUP(buf_done) struct buf params = { 0 };
	int64_t took_us;

	if (*cursor)
		json_add_object(&params, "cursor", *cursor);
	if (client_request(c, "tasks/list",
			   *cursor ? buf_string(&params) : NULL, &reply,
			   &took_us, err))
		return -1;
	mem_free(*cursor);
	*cursor = mem_strdup(json_string(reply.result, "nextCursor"));
	return take_tasks(l, reply.result, err);
}

int client_task_list(struct client *c, struct task_list *out, struct error *err)
{
	CLEANUP(mem_free_ptr) char *cursor = NULL;
	size_t pages = 0;

	*out = (struct task_list){ 0 };
	if (require_part(c, "list", err))
		return -1;
	if (c->modern) {
		error_set(err, ERR_UNMET,
			  "a server of this revision has no list of its tasks");
		return error_hint(
			err,
			"'call --task --detach' prints the id of one: keep that");
	}
	do {
		if (list_page(c, out, &cursor, err))
			return -1;
	} while (cursor && ++pages < PAGES_MAX);
	if (!cursor)
		return 0;
	return error_set(
		err, ERR_PROTOCOL,
		"the list of tasks has no end: %d pages were asked for",
		PAGES_MAX);
}
