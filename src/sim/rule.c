/* SPDX-License-Identifier: MIT */
/* Rules of profiles: checked when they are read, applied at a call. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "sim/order.h"
#include "sim/rule.h"
#include "sim/template.h"

/*
 * Rules at run time. Everything here was checked by rule_check when the
 * profile was read, so that nothing can fail.
 */

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
	for (size_t i = 0; state && i < p->state_count; i++)
		mem_free(state[i]);
	mem_free(state);
}

int rule_state_index(const struct profile *p, const char *name)
{
	for (size_t i = 0; i < p->state_count; i++) {
		if (strcmp(p->state[i].name, name) == 0)
			return (int)i;
	}
	return -1;
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
		buf_text(out, state_text(w, (size_t)rule_state_index(
						    w->profile,
						    name + strlen("state."))));
	else if (strcmp(name, "vision") == 0)
		buf_text(out, w->vision ? "true" : "false");
	else if (strcmp(name, "device.id") == 0)
		buf_text(out, w->device_id ? w->device_id : "");
	else if (strcmp(name, "device.client") == 0)
		buf_text(out, w->client_id ? w->client_id : "");
	else if (strcmp(name, "device.board") == 0)
		buf_text(out, w->profile->catalog.board);
	else
		buf_text(out,
			 w->version ? w->version : w->profile->catalog.version);
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
	CLEANUP(buf_done) struct buf text = { 0 };

	if (!value)
		return 0;
	if (cJSON_IsString(value))
		expand(r, value->valuestring, &text);
	else
		json_print(&text, value);
	if (text_integer(buf_string(&text), 0, INT32_MAX, &number))
		number = 0;
	return number < max ? number : max;
}

static bool same(const char *text, const cJSON *value)
{
	CLEANUP(buf_done) struct buf wanted = { 0 };

	literal(value, &wanted);
	return strcmp(text, buf_string(&wanted)) == 0;
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
	CLEANUP(buf_done) struct buf text = { 0 };
	bool yes = false;

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
	size_t index = (size_t)rule_state_index(p, value->string);
	CLEANUP(buf_done) struct buf text = { .max = RULE_STATE_MAX };

	if (cJSON_IsString(value))
		expand(r, value->valuestring, &text);
	else
		json_print(&text, value);
	if (!r->world->state)
		r->world->state =
			mem_zalloc(p->state_count * sizeof(*r->world->state));
	mem_free(r->world->state[index]);
	r->world->state[index] = buf_take(&text);
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
	bool photo = strcmp(json_string(rule, "upload"), "photo") == 0;
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

static void add_texts(const cJSON *texts, struct rule_result *out)
{
	const cJSON *one;

	out->kind = SERVER_ITEMS;
	cJSON_ArrayForEach(one, texts) {
		if (out->text.len)
			buf_char(&out->text, ',');
		buf_text(&out->text, "{\"type\":\"text\",\"text\":");
		buf_json_string(&out->text, one->valuestring,
				strlen(one->valuestring));
		buf_char(&out->text, '}');
	}
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
	} else if (json_array(rule, "texts")) {
		add_texts(json_array(rule, "texts"), out);
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
		out->then = strcmp(then, "reboot") == 0	 ? RULE_REBOOT :
			    strcmp(then, "upgrade") == 0 ? RULE_UPGRADE :
			    strcmp(then, "assets") == 0	 ? RULE_ASSETS :
							   RULE_CLOSE;
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

	*out = (struct rule_result){ 0 };
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

/* Rules checked when a profile is read, so that running them cannot fail. */

static const char *const result_members[] = {
	"texts",  "text",	  "template", "json",	   "image",    "error",
	"repeat", "times",	  "cases",    "otherwise", "delay_ms", "set",
	"then",	  "needs_vision", "upload",   "question",  "to",       "exec",
	"ollama", "timeout_ms",	  NULL,
};

/* Members that give the answer: at most one of them. */
static const char *const answers[] = { "text",	"template", "json",  "image",
				       "error", "repeat",   "cases", "upload",
				       "exec",	"ollama",   "texts" };

struct checking {
	const struct profile *profile;
	const struct firmware_tool *tool;
	struct reader *r;
};

static bool is_device_fact(const char *name)
{
	return strcmp(name, "vision") == 0 || strcmp(name, "device.id") == 0 ||
	       strcmp(name, "device.client") == 0 ||
	       strcmp(name, "device.board") == 0 ||
	       strcmp(name, "device.version") == 0;
}

static int known(void *owner, const char *name, struct buf *out)
{
	struct checking *c = owner;

	(void)out;
	if (firmware_tool_argument(c->tool, name) >= 0 || is_device_fact(name))
		return 0;
	if (!text_starts(name, "state."))
		return -1;
	return rule_state_index(c->profile, name + strlen("state.")) < 0 ? -1 :
									   0;
}

static const char names[] =
	"the tool's arguments, state.NAME, vision, device.id, device.client, device.board and device.version";

static int check_text(struct checking *c, const char *text)
{
	const struct template_source source = { .get = known, .owner = c };
	struct error err = { 0 };

	if (!text || !template_check(text, &source, &err))
		return 0;
	reader_fail(c->r, "%s; the names are %s", err.text, names);
	error_reset(&err);
	return -1;
}

/* A member that is a template, if it is there. */
static int check_template(struct checking *c, const cJSON *rule,
			  const char *name)
{
	const char *text = NULL;
	size_t mark;
	int bad;

	if (reader_text(c->r, rule, name, &text))
		return -1;
	mark = reader_enter(c->r, name);
	bad = check_text(c, text);
	reader_leave(c->r, mark);
	return bad;
}

/* A member that is a number, or a template that gives one. */
static int check_amount(struct checking *c, const cJSON *rule, const char *name)
{
	int64_t ignored;

	if (cJSON_IsString(json_member(rule, name)))
		return check_template(c, rule, name);
	return reader_number(c->r, rule, name, 0, INT32_MAX, &ignored);
}

static int check_image(struct checking *c, const cJSON *rule)
{
	static const char *const members[] = { "mime", "data", NULL };
	const cJSON *image = NULL;
	const char *data, *mime;
	CLEANUP(buf_done) struct buf bytes = { .max = PROFILE_FILE_MAX };
	int bad;

	if (reader_object(c->r, rule, "image", &image))
		return -1;
	if (!image)
		return 0;
	if (reader_members(c->r, image, "an image", members))
		return -1;
	data = json_string(image, "data");
	mime = json_string(image, "mime");
	bad = !mime || !data || text_base64_decode(data, strlen(data), &bytes);
	return bad ? reader_fail(c->r,
				 "an image needs 'mime' and 'data' in base64") :
		     0;
}

static int check_texts(struct checking *c, const cJSON *rule)
{
	const cJSON *texts = NULL, *one;

	if (reader_array(c->r, rule, "texts", &texts))
		return -1;
	cJSON_ArrayForEach(one, texts) {
		if (!cJSON_IsString(one))
			return reader_fail(c->r, "'texts' is a list of texts");
	}
	return 0;
}

static int check_set(struct checking *c, const cJSON *rule)
{
	const cJSON *set = NULL, *value;
	size_t mark;
	int bad = 0;

	if (reader_object(c->r, rule, "set", &set))
		return -1;
	mark = reader_enter(c->r, "set");
	cJSON_ArrayForEach(value, set) {
		if (bad)
			break;
		if (rule_state_index(c->profile, value->string) < 0)
			bad = reader_fail(
				c->r,
				"there is no state '%.60s'; name it and its first value in 'state'",
				value->string);
		else if (cJSON_IsString(value))
			bad = check_text(c, value->valuestring);
		else if (!cJSON_IsNumber(value) && !cJSON_IsBool(value))
			bad = reader_fail(
				c->r,
				"a state is a string, a number, true or false");
	}
	reader_leave(c->r, mark);
	return bad;
}

static int check_then(struct checking *c, const cJSON *rule)
{
	const char *then = NULL;

	if (reader_text(c->r, rule, "then", &then))
		return -1;
	if (then && strcmp(then, "reboot") != 0 && strcmp(then, "close") != 0 &&
	    strcmp(then, "upgrade") != 0 && strcmp(then, "assets") != 0)
		return reader_fail(
			c->r,
			"'then' is \"reboot\", \"close\", \"upgrade\" or \"assets\"");
	return 0;
}

/* What goes with which upload; neither delay nor restart goes with any. */
static int check_upload(struct checking *c, const cJSON *rule)
{
	const char *upload = NULL;
	bool photo, screen;

	if (reader_text(c->r, rule, "upload", &upload))
		return -1;
	photo = upload && strcmp(upload, "photo") == 0;
	screen = upload && strcmp(upload, "screen") == 0;
	if (upload && !photo && !screen)
		return reader_fail(c->r, "'upload' is \"photo\" or \"screen\"");
	if (json_member(rule, "question") && !photo)
		return reader_fail(c->r,
				   "'question' needs 'upload': \"photo\"");
	if (screen != (json_member(rule, "to") != NULL))
		return reader_fail(
			c->r, "'upload': \"screen\" and 'to' need each other");
	if (upload &&
	    (json_member(rule, "delay_ms") || json_member(rule, "then")))
		return reader_fail(
			c->r,
			"'upload' takes its own time: neither 'delay_ms' nor 'then' goes with it");
	if (check_template(c, rule, "question"))
		return -1;
	return check_template(c, rule, "to");
}

/* A command or a model; as an upload it takes its own time. */
static int check_order(struct checking *c, const cJSON *rule)
{
	const struct template_source source = { .get = known, .owner = c };
	const struct order_check check = { .known = &source, .words = names };

	if (order_is(rule) &&
	    (json_member(rule, "delay_ms") || json_member(rule, "then")))
		return reader_fail(
			c->r,
			"'exec' and 'ollama' take their own time: neither 'delay_ms' nor 'then' goes with them");
	return order_check(&check, c->r, rule);
}

static int check_one_answer(struct checking *c, const cJSON *rule)
{
	const char *first = NULL;

	for (size_t i = 0; i < COUNT(answers); i++) {
		if (!json_member(rule, answers[i]))
			continue;
		if (first)
			return reader_fail(
				c->r,
				"'%s' and '%s' are two answers; one is needed",
				first, answers[i]);
		first = answers[i];
	}
	if (json_member(rule, "times") && !json_member(rule, "repeat"))
		return reader_fail(c->r, "'times' needs 'repeat'");
	if (json_member(rule, "otherwise") && !json_member(rule, "cases"))
		return reader_fail(c->r, "'otherwise' needs 'cases'");
	if (json_member(rule, "repeat") && !json_member(rule, "times"))
		return reader_fail(c->r, "'repeat' needs 'times'");
	return check_upload(c, rule) || check_order(c, rule) ? -1 : 0;
}

static bool is_plain(const cJSON *result)
{
	return cJSON_IsString(result) || cJSON_IsNumber(result) ||
	       cJSON_IsBool(result);
}

/* All of a result but its cases. */
static int check_parts(struct checking *c, const cJSON *rule)
{
	const char *ignored;
	bool flag;

	if (is_plain(rule))
		return 0;
	if (reader_members(c->r, rule, "a result", result_members) ||
	    check_one_answer(c, rule) ||
	    reader_text(c->r, rule, "text", &ignored) ||
	    reader_text(c->r, rule, "repeat", &ignored) ||
	    reader_flag(c->r, rule, "needs_vision", &flag) ||
	    check_template(c, rule, "template") ||
	    check_template(c, rule, "error") ||
	    check_amount(c, rule, "times") ||
	    check_amount(c, rule, "delay_ms") || check_image(c, rule) ||
	    check_texts(c, rule) || check_set(c, rule))
		return -1;
	return check_then(c, rule);
}

/* The test of one condition: a literal, a list of them, or min, max, … */
static int check_test(struct checking *c, const cJSON *test)
{
	static const char *const members[] = { "min", "max", "glob", "not",
					       NULL };
	const cJSON *one;
	const char *ignored;

	if (is_plain(test))
		return 0;
	if (cJSON_IsArray(test)) {
		cJSON_ArrayForEach(one, test) {
			if (!is_plain(one))
				return reader_fail(
					c->r,
					"a list in 'when' holds strings, numbers, true or false");
		}
		return 0;
	}
	if (reader_members(c->r, test, "a condition", members) ||
	    reader_text(c->r, test, "glob", &ignored))
		return -1;
	cJSON_ArrayForEach(one, test) {
		bool number = strcmp(one->string, "min") == 0 ||
			      strcmp(one->string, "max") == 0;

		if (number ? !cJSON_IsNumber(one) : !is_plain(one))
			return reader_fail(c->r, "'%s' needs a %s", one->string,
					   number ? "number" : "plain value");
	}
	return 0;
}

static int check_when(struct checking *c, const cJSON *one)
{
	const cJSON *when = NULL, *condition;
	size_t mark;
	int bad = 0;

	if (reader_object(c->r, one, "when", &when))
		return -1;
	if (!when)
		return reader_fail(c->r, "a case needs 'when' and 'result'");
	mark = reader_enter(c->r, "when");
	cJSON_ArrayForEach(condition, when) {
		if (bad)
			break;
		if (known(c, condition->string, NULL))
			bad = reader_fail(
				c->r,
				"'%.60s' is no argument of the tool, no state.NAME and not 'vision'",
				condition->string);
		else
			bad = check_test(c, condition);
	}
	reader_leave(c->r, mark);
	return bad;
}

/* Place stands at the case; its result must not have cases again. */
static int check_choice(struct checking *c, const cJSON *holder,
			const char *name)
{
	const cJSON *result = json_member(holder, name);
	size_t mark = reader_enter(c->r, name);
	int bad;

	if (!result)
		bad = reader_fail(c->r, "missing");
	else if (json_member(result, "cases"))
		bad = reader_fail(
			c->r,
			"cases cannot stand inside cases; put both conditions into one 'when'");
	else
		bad = check_parts(c, result);
	reader_leave(c->r, mark);
	return bad;
}

static int check_case(struct checking *c, const cJSON *one)
{
	static const char *const members[] = { "when", "result", NULL };

	if (reader_members(c->r, one, "a case", members) || check_when(c, one))
		return -1;
	return check_choice(c, one, "result");
}

static int check_cases(struct checking *c, const cJSON *rule)
{
	const cJSON *cases = NULL, *one;
	size_t mark, index = 0;
	int bad = 0;

	if (reader_array(c->r, rule, "cases", &cases))
		return -1;
	if (!cases)
		return 0;
	mark = reader_enter(c->r, "cases");
	cJSON_ArrayForEach(one, cases) {
		size_t inner;

		if (bad)
			break;
		inner = reader_enter_index(c->r, index++);
		bad = check_case(c, one);
		reader_leave(c->r, inner);
	}
	reader_leave(c->r, mark);
	if (bad || !json_member(rule, "otherwise"))
		return bad;
	return check_choice(c, rule, "otherwise");
}

int rule_check(const struct profile *p, const struct firmware_tool *t,
	       struct reader *r, const cJSON *result)
{
	struct checking c = { .profile = p, .tool = t, .r = r };

	if (check_parts(&c, result))
		return -1;
	return is_plain(result) ? 0 : check_cases(&c, result);
}
