/* SPDX-License-Identifier: MIT */
/*
 * What a tool, a prompt or a resource of a service does before its result, one
 * step after another: checked when the profile is read, run at each call.
 */
#include "sim/service_steps.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "mcp/rules.h"
#include "sim/service_call.h"
#include "sim/service_reply.h"
#include "sim/service_rounds.h"
#include "sim/service_watch.h"

#define WAIT_MAX_MS 3600000

/* ---- checked ---- */

struct step_checking {
	struct service *service;
	struct reader *reader;
	const struct template_source *known;
};

#define STEP_WORDS "the arguments, answer.KEY of what is asked, and n"

/* ${n} is how often a step was done. */
static int known_in_step(void *owner, const char *name, struct buf *out)
{
	const struct template_source *known = owner;

	if (strcmp(name, "n") == 0)
		return 0;
	return known->get(known->owner, name, out);
}

static int check_texts(const struct step_checking *c, const cJSON *json)
{
	struct template_source inner = *c->known;
	const struct template_source source = { known_in_step, &inner };

	return reader_filled(c->reader, json, &source, STEP_WORDS);
}

static int check_times(const struct step_checking *c, const cJSON *step)
{
	int64_t times;

	return reader_number(c->reader, step, "times", 1, SERVICE_TIMES_MAX,
			     &times);
}

static int check_wait(const struct step_checking *c, const cJSON *step)
{
	const cJSON *wait = json_member(step, "wait_ms");
	int64_t ms;

	if (cJSON_IsString(wait))
		return check_texts(c, wait);
	return reader_number(c->reader, step, "wait_ms", 0, WAIT_MAX_MS, &ms);
}

static int check_pause(const struct step_checking *c, const cJSON *step)
{
	int64_t ms;

	return reader_number(c->reader, step, "pause_ms", 0, WAIT_MAX_MS, &ms);
}

static int check_progress(const struct step_checking *c, const cJSON *step)
{
	const cJSON *total = json_member(step, "total");

	if (!cJSON_IsNumber(json_member(step, "progress")) ||
	    (total && !cJSON_IsNumber(total)))
		return reader_fail(c->reader,
				   "'progress' and 'total' are numbers");
	return check_times(c, step) ||
			       check_texts(c, json_member(step, "message")) ?
		       -1 :
		       0;
}

static int check_log(const struct step_checking *c, const cJSON *step)
{
	static const char *const members[] = { "level", "logger", "data",
					       NULL };
	const cJSON *log = json_member(step, "log");
	const char *level = json_string(log, "level");

	if (check_times(c, step) || check_texts(c, log))
		return -1;
	if (cJSON_IsString(log))
		return 0;
	if (reader_members(c->reader, log, "a log message", members))
		return -1;
	if (!json_member(log, "data"))
		return reader_fail(c->reader, "a log message needs 'data'");
	if (json_member(log, "level") && !log_level_rank(level))
		return reader_fail(
			c->reader,
			"'level' is debug, info, notice, warning, error, critical, alert or emergency");
	return 0;
}

static int check_ask(const struct step_checking *c, const cJSON *step)
{
	return service_ask_check(c->reader, step, c->known);
}

static int check_updated(const struct step_checking *c, const cJSON *step)
{
	if (!cJSON_IsString(json_member(step, "updated")))
		return reader_fail(c->reader,
				   "'updated' is the URI of a resource");
	c->service->updates = true;
	return check_texts(c, json_member(step, "updated"));
}

static bool *find_hidden(struct service *s, const cJSON *toggle,
			 enum service_list *list);

static int check_toggle(const struct step_checking *c, const cJSON *step)
{
	struct service *s = c->service;
	enum service_list list = LIST_TOOLS;

	if (!find_hidden(s, json_member(step, "toggle"), &list))
		return reader_fail(
			c->reader,
			"'toggle' is an object with tool, prompt or resource: the name (or URI) of one in this file");
	s->tools_change = s->tools_change || list == LIST_TOOLS;
	s->prompts_change = s->prompts_change || list == LIST_PROMPTS;
	s->resources_change = s->resources_change || list == LIST_RESOURCES;
	return 0;
}

/* ---- run ---- */

enum stepped {
	STEP_ON,
	STEP_LATER, /* the timer goes on */
	STEP_OVER /* the part is answered */
};

static enum stepped run_wait(struct service_call *call, const cJSON *step)
{
	CLEANUP(json_free_ptr)
	cJSON *wait = service_call_fill(call, json_member(step, "wait_ms"));
	int64_t ms = 0;

	/* What was filled in may be no number: then it is not waited. */
	if (cJSON_IsString(wait))
		text_integer(wait->valuestring, 0, WAIT_MAX_MS, &ms);
	else
		json_integer(step, "wait_ms", &ms);
	service_call_later(call, ms, service_steps_run);
	return STEP_LATER;
}

/* The way of the messages is closed; the client comes back for the rest. */
static enum stepped run_pause(struct service_call *call, const cJSON *step)
{
	const struct service_question *q = call->part->question;
	int64_t ms = 0;

	json_integer(step, "pause_ms", &ms);
	if (q->hearer->pause)
		q->hearer->pause(q->owner, ms);
	return STEP_ON;
}

static bool tell(const struct service_call *call, const char *method,
		 const struct buf *params)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	jsonrpc_notification(&out, method, buf_string(params));
	return service_tell(call->part, &out);
}

static void add_number(struct buf *out, const char *name, double value)
{
	CLEANUP(json_free_ptr) cJSON *number = cJSON_CreateNumber(value);

	buf_printf(out, ",\"%s\":", name);
	json_print(out, number);
}

static enum stepped run_progress(struct service_call *call, const cJSON *step)
{
	CLEANUP(json_free_ptr)
	cJSON *message = service_call_fill(call, json_member(step, "message"));
	const cJSON *total = json_member(step, "total");
	CLEANUP(buf_done) struct buf params = { 0 };

	if (call->part->said && cJSON_IsString(message)) {
		mem_free(*call->part->said);
		*call->part->said =
			mem_strndup(message->valuestring,
				    text_cut(message->valuestring,
					     strlen(message->valuestring),
					     SERVICE_TASK_SAID));
	}
	if (!call->progress)
		return STEP_ON;
	buf_printf(&params, "{\"progressToken\":%s", call->progress);
	add_number(&params, "progress",
		   json_member(step, "progress")->valuedouble *
			   (double)call->n);
	if (total)
		add_number(&params, "total", total->valuedouble);
	if (service_has(call->part, "2025-03-26"))
		json_add_text(&params, "message",
			      cJSON_GetStringValue(message));
	buf_char(&params, '}');
	tell(call, "notifications/progress", &params);
	return STEP_ON;
}

static enum stepped run_log(struct service_call *call, const cJSON *step)
{
	const cJSON *log = json_member(step, "log");
	const char *level = json_string(log, "level");
	int rank = log_level_rank(level ? level : "info");
	CLEANUP(json_free_ptr) cJSON *filled = NULL;
	CLEANUP(buf_done) struct buf params = { 0 };

	if (!call->part->log_rank || rank < call->part->log_rank)
		return STEP_ON;
	filled = service_call_fill(call, log);
	buf_printf(&params, "{\"level\":\"%s\"", level ? level : "info");
	json_add_text(&params, "logger", json_string(filled, "logger"));
	buf_text(&params, ",\"data\":");
	json_print(&params, cJSON_IsString(filled) ?
				    filled :
				    json_member(filled, "data"));
	buf_char(&params, '}');
	tell(call, "notifications/message", &params);
	return STEP_ON;
}

static enum stepped run_ask(struct service_call *call, const cJSON *step)
{
	switch (service_ask_step(call, step)) {
	case ASKED_WAIT:
		return STEP_LATER;
	case ASKED_OVER:
		return STEP_OVER;
	default:
		return STEP_ON;
	}
}

static enum stepped run_updated(struct service_call *call, const cJSON *step)
{
	CLEANUP(json_free_ptr)
	cJSON *uri = service_call_fill(call, json_member(step, "updated"));

	service_updated(call->service, cJSON_GetStringValue(uri));
	return STEP_ON;
}

static bool *find_hidden(struct service *s, const cJSON *toggle,
			 enum service_list *list)
{
	const char *tool = json_string(toggle, "tool");
	const char *prompt = json_string(toggle, "prompt");
	const char *uri = json_string(toggle, "resource");

	*list = tool ? LIST_TOOLS : prompt ? LIST_PROMPTS : LIST_RESOURCES;
	if (cJSON_GetArraySize(toggle) != 1)
		return NULL;
	for (size_t i = 0; tool && i < s->tool_count; i++) {
		if (strcmp(s->tool[i].name, tool) == 0)
			return &s->tool[i].hidden;
	}
	for (size_t i = 0; prompt && i < s->prompt_count; i++) {
		if (strcmp(s->prompt[i].name, prompt) == 0)
			return &s->prompt[i].hidden;
	}
	for (size_t i = 0; uri && i < s->resource_count; i++) {
		if (strcmp(s->resource[i].uri, uri) == 0)
			return &s->resource[i].hidden;
	}
	return NULL;
}

static enum stepped run_toggle(struct service_call *call, const cJSON *step)
{
	enum service_list list = LIST_TOOLS;
	bool *hidden =
		find_hidden(call->service, json_member(step, "toggle"), &list);

	*hidden = !*hidden;
	service_changed(call->service, list);
	return STEP_ON;
}

/* ---- which step it is ---- */

static const struct step_kind {
	const char *name; /* the member that tells it */
	const char *members[5]; /* all that may be there */
	int (*check)(const struct step_checking *c, const cJSON *step);
	enum stepped (*run)(struct service_call *call, const cJSON *step);
} kinds[] = {
	{ "wait_ms", { "wait_ms", NULL }, check_wait, run_wait },
	{ "pause_ms", { "pause_ms", NULL }, check_pause, run_pause },
	{ "progress",
	  { "progress", "total", "message", "times", NULL },
	  check_progress,
	  run_progress },
	{ "log", { "log", "times", NULL }, check_log, run_log },
	{ "ask", { "ask", "state", "timeout_ms", NULL }, check_ask, run_ask },
	{ "updated", { "updated", NULL }, check_updated, run_updated },
	{ "toggle", { "toggle", NULL }, check_toggle, run_toggle },
};

static const struct step_kind *kind_of(const cJSON *step)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (json_member(step, kinds[i].name))
			return kinds + i;
	}
	return NULL;
}

static int check_step(const struct step_checking *c, const cJSON *step)
{
	const struct step_kind *kind = kind_of(step);

	if (!kind)
		return reader_fail(
			c->reader,
			"a step is an object with wait_ms, progress, log, ask, toggle, updated or pause_ms");
	if (reader_members(c->reader, step, "a step", kind->members))
		return -1;
	return kind->check(c, step);
}

int service_steps_check(struct service *s, struct reader *r,
			const cJSON *element,
			const struct template_source *known)
{
	const struct step_checking c = { s, r, known };
	const cJSON *steps = NULL, *one;
	size_t mark, index = 0;
	int bad = 0;

	if (reader_array(r, element, "steps", &steps))
		return -1;
	mark = reader_enter(r, "steps");
	cJSON_ArrayForEach(one, steps) {
		size_t inner = reader_enter_index(r, index++);

		bad = check_step(&c, one);
		reader_leave(r, inner);
		if (bad)
			break;
	}
	reader_leave(r, mark);
	return bad;
}

bool service_steps_ask(const cJSON *steps, const char *key)
{
	const cJSON *step;

	cJSON_ArrayForEach(step, steps) {
		if (json_member(json_object(step, "ask"), key))
			return true;
	}
	return false;
}

/* ---- all of them ---- */

static enum stepped run_step(struct service_call *call, const cJSON *step)
{
	const struct step_kind *kind = kind_of(step);
	enum stepped stepped = STEP_ON;
	int64_t times = 1;

	json_integer(step, "times", &times);
	for (call->n = 1; call->n <= times && stepped == STEP_ON; call->n++)
		stepped = kind->run(call, step);
	call->n = 0;
	return stepped;
}

bool service_steps_run(struct service_call *call)
{
	while (call->step && !call->failed) {
		const cJSON *step = call->step;
		enum stepped stepped;

		call->step = step->next;
		stepped = run_step(call, step);
		if (stepped != STEP_ON)
			return stepped == STEP_LATER;
	}
	if (!call->failed)
		return call->finish(call);
	service_call_failed(call, call->failed);
	return false;
}

/* The raw token of the client's; NULL. */
static char *read_token(const struct service_part *p)
{
	const cJSON *token =
		json_member(json_object(p->params, "_meta"), "progressToken");
	CLEANUP(buf_done) struct buf out = { 0 };

	if (!cJSON_IsString(token) && !cJSON_IsNumber(token))
		return NULL;
	json_print(&out, token);
	return buf_take(&out);
}

void service_steps_begin(struct service_call *call)
{
	call->run = service_steps_run;
	if (call->steps)
		call->progress = read_token(call->part);
	if (service_rounds_begin(call) || !service_steps_run(call))
		service_call_end(call);
}
