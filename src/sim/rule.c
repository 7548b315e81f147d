/* SPDX-License-Identifier: MIT */
/*
 * Rules at run time. Everything here was checked by rule_check when the
 * profile was read, so that nothing can fail.
 */
#include "sim/rule.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "sim/order.h"
#include "sim/template.h"

#define NO_VISION "Image explain URL or token is not set"

struct rule_running {
	struct rule_world *world;
	const struct firmware_call *call;
};

void rule_result_done(struct rule_result *r)
{
	buf_done(&r->text);
	buf_done(&r->system);
}

void rule_state_free(const struct profile *p, char **state)
{
	size_t i;

	for (i = 0; state && i < p->state_count; i++)
		mem_free(state[i]);
	mem_free(state);
}

static const char *state_text(const struct rule_world *w, size_t index)
{
	if (w->state && w->state[index])
		return w->state[index];
	return w->profile->state[index].value;
}

/* What a name in a template or a condition stands for. */
static int get(void *owner, const char *name, struct buf *out)
{
	const struct rule_running *r = owner;
	const struct rule_world *w = r->world;
	int index = firmware_tool_argument(r->call->tool, name);

	if (index >= 0)
		firmware_value_text(&r->call->tool->argument[index],
				    &r->call->value[index], out);
	else if (text_starts(name, "state."))
		buf_text(out, state_text(w, (size_t)profile_state(
						    w->profile,
						    name + strlen("state."))));
	else if (!strcmp(name, "vision"))
		buf_text(out, w->vision ? "true" : "false");
	else if (!strcmp(name, "device.id"))
		buf_text(out, w->device_id ? w->device_id : "");
	else if (!strcmp(name, "device.client"))
		buf_text(out, w->client_id ? w->client_id : "");
	else if (!strcmp(name, "device.board"))
		buf_text(out, w->profile->catalog.board);
	else
		buf_text(out, w->profile->catalog.version);
	return 0;
}

static void expand(struct rule_running *r, const char *text, struct buf *out)
{
	const struct template_source source = { .get = get, .owner = r };

	template_expand(text, &source, out, NULL);
}

/* A literal as the text that it is compared as. */
static void literal(const cJSON *value, struct buf *out)
{
	if (cJSON_IsString(value))
		buf_text(out, value->valuestring);
	else
		json_print(out, value);
}

/* A number, or a template that gives one; 0 where it gives none. */
static int64_t amount(struct rule_running *r, const cJSON *value, int64_t max)
{
	int64_t number = 0;
	struct buf text;

	if (!value)
		return 0;
	buf_init(&text, 0);
	if (cJSON_IsString(value))
		expand(r, value->valuestring, &text);
	else
		json_print(&text, value);
	if (text_integer(buf_string(&text), 0, INT32_MAX, &number))
		number = 0;
	buf_done(&text);
	return number < max ? number : max;
}

static bool same(const char *text, const cJSON *value)
{
	struct buf wanted;
	bool equal;

	buf_init(&wanted, 0);
	literal(value, &wanted);
	equal = !strcmp(text, buf_string(&wanted));
	buf_done(&wanted);
	return equal;
}

static bool within(const char *text, const cJSON *test)
{
	const cJSON *min = json_member(test, "min");
	const cJSON *max = json_member(test, "max");
	const char *glob = json_string(test, "glob");
	const cJSON *not = json_member(test, "not");
	double number = strtod(text, NULL);

	return (!min || number >= min->valuedouble) &&
	       (!max || number <= max->valuedouble) &&
	       (!glob || text_glob(glob, text)) && (!not || !same(text, not ));
}

/* One member of `when`: a value, a list of values, or a test. */
static bool holds(struct rule_running *r, const cJSON *condition)
{
	const cJSON *one;
	struct buf text;
	bool yes = false;

	buf_init(&text, 0);
	get(r, condition->string, &text);
	if (cJSON_IsObject(condition)) {
		yes = within(buf_string(&text), condition);
	} else if (cJSON_IsArray(condition)) {
		cJSON_ArrayForEach(one, condition) {
			yes = yes || same(buf_string(&text), one);
		}
	} else {
		yes = same(buf_string(&text), condition);
	}
	buf_done(&text);
	return yes;
}

static const cJSON *choose(struct rule_running *r, const cJSON *rule)
{
	const cJSON *one, *condition;

	cJSON_ArrayForEach(one, json_array(rule, "cases")) {
		bool all = true;

		cJSON_ArrayForEach(condition, json_object(one, "when")) {
			all = all && holds(r, condition);
		}
		if (all)
			return json_member(one, "result");
	}
	return json_member(rule, "otherwise");
}

static void set_state(struct rule_running *r, const cJSON *value)
{
	const struct profile *p = r->world->profile;
	size_t index = (size_t)profile_state(p, value->string);
	struct buf text;

	buf_init(&text, RULE_STATE_MAX);
	if (cJSON_IsString(value))
		expand(r, value->valuestring, &text);
	else
		json_print(&text, value);
	if (!r->world->state)
		r->world->state =
			mem_zalloc(p->state_count * sizeof(*r->world->state));
	mem_free(r->world->state[index]);
	r->world->state[index] = buf_take(&text);
	buf_done(&text);
}

static void repeat(struct rule_running *r, const cJSON *rule,
		   struct rule_result *out)
{
	const char *text = json_string(rule, "repeat");
	size_t len = strlen(text);
	int64_t times = amount(r, json_member(rule, "times"), INT32_MAX);

	out->text.max = RULE_REPEAT_MAX;
	while (times-- > 0 && !buf_add(&out->text, text, len))
		;
	out->text.max = 0;
}

static void order_upload(struct rule_running *r, const cJSON *rule,
			 struct rule_result *out)
{
	bool photo = !strcmp(json_string(rule, "upload"), "photo");
	const char *text = json_string(rule, photo ? "question" : "to");

	out->upload = photo ? RULE_PHOTO : RULE_SCREEN;
	if (text)
		expand(r, text, &out->text);
}

static void expand_lines(struct rule_running *r, const cJSON *lines,
			 struct buf *out)
{
	CLEANUP(mem_free_ptr) char *text = order_lines(lines);

	if (text)
		expand(r, text, out);
}

static void order(struct rule_running *r, const cJSON *rule,
		  struct rule_result *out)
{
	const cJSON *ollama = json_object(rule, "ollama");

	out->order = rule;
	expand_lines(r, json_member(ollama, "user"), &out->text);
	expand_lines(r, json_member(ollama, "system"), &out->system);
}

/* The part of an object that gives the text. */
static void answer(struct rule_running *r, const cJSON *rule,
		   struct rule_result *out)
{
	const cJSON *image = json_object(rule, "image");
	const cJSON *json = json_member(rule, "json");
	const char *error = json_string(rule, "error");
	const char *upload = json_string(rule, "upload");

	out->kind = SERVER_TEXT;
	if (json_string(rule, "text")) {
		buf_text(&out->text, json_string(rule, "text"));
	} else if (json_string(rule, "template")) {
		expand(r, json_string(rule, "template"), &out->text);
	} else if (json) {
		json_print(&out->text, json);
	} else if (json_string(rule, "repeat")) {
		repeat(r, rule, out);
	} else if (image) {
		out->kind = SERVER_IMAGE;
		out->mime = json_string(image, "mime");
		buf_text(&out->text, json_string(image, "data"));
	} else if (upload) {
		order_upload(r, rule, out);
	} else if (order_is(rule)) {
		order(r, rule, out);
	} else if (error) {
		out->kind = SERVER_FAILED;
		expand(r, error, &out->text);
	} else {
		buf_text(&out->text, "true"); /* as most firmware tools */
	}
}

/* What may stand beside an answer, and beside cases. */
static void consequences(struct rule_running *r, const cJSON *rule,
			 struct rule_result *out)
{
	const char *then = json_string(rule, "then");
	const cJSON *value;

	out->delay_ms += amount(r, json_member(rule, "delay_ms"), 86400000);
	cJSON_ArrayForEach(value, json_object(rule, "set")) {
		set_state(r, value);
	}
	if (then)
		out->then = !strcmp(then, "reboot") ? RULE_REBOOT : RULE_CLOSE;
}

/* True if the rule wants vision and there is none: that is the answer then. */
static bool blind(const struct rule_running *r, const cJSON *rule,
		  struct rule_result *out)
{
	const char *upload = json_string(rule, "upload");

	if ((!json_true(rule, "needs_vision") &&
	     (!upload || strcmp(upload, "photo") != 0)) ||
	    r->world->vision)
		return false;
	out->kind = SERVER_FAILED;
	buf_text(&out->text, NO_VISION);
	return true;
}

void rule_run(struct rule_world *w, const struct firmware_call *call,
	      struct rule_result *out)
{
	struct rule_running r = { .world = w, .call = call };
	const cJSON *rule = call->tool->behaviour;

	memset(out, 0, sizeof(*out));
	buf_init(&out->text, 0);
	buf_init(&out->system, 0);
	if (json_array(rule, "cases")) {
		if (blind(&r, rule, out))
			return;
		consequences(&r, rule, out);
		rule = choose(&r, rule);
	}
	if (rule && !cJSON_IsObject(rule)) {
		out->kind = SERVER_TEXT;
		literal(rule, &out->text);
		return;
	}
	if (blind(&r, rule, out))
		return;
	answer(&r, rule, out);
	consequences(&r, rule, out);
}
