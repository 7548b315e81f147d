/* SPDX-License-Identifier: MIT */
/* Rules checked when a profile is read, so that running them cannot fail. */
#include <string.h>

#include "base/text.h"
#include "sim/order.h"
#include "sim/rule.h"
#include "sim/template.h"

static const char *const result_members[] = {
	"text",	  "template", "json",	      "image",	    "error",
	"repeat", "times",    "cases",	      "otherwise",  "delay_ms",
	"set",	  "then",     "needs_vision", "upload",	    "question",
	"to",	  "exec",     "ollama",	      "timeout_ms", NULL,
};

/* Members that give the answer: at most one of them. */
static const char *const answers[] = { "text",	"template", "json",  "image",
				       "error", "repeat",   "cases", "upload",
				       "exec",	"ollama" };

struct checking {
	const struct profile *profile;
	const struct firmware_tool *tool;
	struct reader *r;
};

static bool is_device_fact(const char *name)
{
	return !strcmp(name, "vision") || !strcmp(name, "device.id") ||
	       !strcmp(name, "device.client") ||
	       !strcmp(name, "device.board") || !strcmp(name, "device.version");
}

static int known(void *owner, const char *name, struct buf *out)
{
	struct checking *c = owner;

	(void)out;
	if (firmware_tool_argument(c->tool, name) >= 0 || is_device_fact(name))
		return 0;
	if (!text_starts(name, "state."))
		return -1;
	return profile_state(c->profile, name + strlen("state.")) < 0 ? -1 : 0;
}

static const char names[] =
	"the tool's arguments, state.NAME, vision, device.id, device.client, "
	"device.board and device.version";

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
	struct buf bytes;
	int bad;

	if (reader_object(c->r, rule, "image", &image))
		return -1;
	if (!image)
		return 0;
	if (reader_members(c->r, image, "an image", members))
		return -1;
	data = json_string(image, "data");
	mime = json_string(image, "mime");
	buf_init(&bytes, PROFILE_FILE_MAX);
	bad = !mime || !data || text_base64_decode(data, strlen(data), &bytes);
	buf_done(&bytes);
	return bad ? reader_fail(c->r, "an image needs 'mime' and 'data' in "
				       "base64") :
		     0;
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
		if (profile_state(c->profile, value->string) < 0)
			bad = reader_fail(c->r,
					  "there is no state '%.60s'; name it "
					  "and its first value in 'state'",
					  value->string);
		else if (cJSON_IsString(value))
			bad = check_text(c, value->valuestring);
		else if (!cJSON_IsNumber(value) && !cJSON_IsBool(value))
			bad = reader_fail(c->r, "a state is a string, a "
						"number, true or false");
	}
	reader_leave(c->r, mark);
	return bad;
}

static int check_then(struct checking *c, const cJSON *rule)
{
	const char *then = NULL;

	if (reader_text(c->r, rule, "then", &then))
		return -1;
	if (then && strcmp(then, "reboot") != 0 && strcmp(then, "close") != 0)
		return reader_fail(c->r, "'then' is \"reboot\" or \"close\"");
	return 0;
}

/* What goes with which upload; neither delay nor restart goes with any. */
static int check_upload(struct checking *c, const cJSON *rule)
{
	const char *upload = NULL;
	bool photo, screen;

	if (reader_text(c->r, rule, "upload", &upload))
		return -1;
	photo = upload && !strcmp(upload, "photo");
	screen = upload && !strcmp(upload, "screen");
	if (upload && !photo && !screen)
		return reader_fail(c->r, "'upload' is \"photo\" or \"screen\"");
	if (json_member(rule, "question") && !photo)
		return reader_fail(c->r, "'question' needs 'upload': "
					 "\"photo\"");
	if (screen != (json_member(rule, "to") != NULL))
		return reader_fail(c->r, "'upload': \"screen\" and 'to' need "
					 "each other");
	if (upload &&
	    (json_member(rule, "delay_ms") || json_member(rule, "then")))
		return reader_fail(c->r, "'upload' takes its own time: "
					 "neither 'delay_ms' nor 'then' goes "
					 "with it");
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
		return reader_fail(c->r, "'exec' and 'ollama' take their own "
					 "time: neither 'delay_ms' nor 'then' "
					 "goes with them");
	return order_check(&check, c->r, rule);
}

static int check_one_answer(struct checking *c, const cJSON *rule)
{
	const char *first = NULL;
	size_t i;

	for (i = 0; i < COUNT(answers); i++) {
		if (!json_member(rule, answers[i]))
			continue;
		if (first)
			return reader_fail(c->r,
					   "'%s' and '%s' are two answers; "
					   "one is needed",
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
	    check_set(c, rule))
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
				return reader_fail(c->r,
						   "a list in 'when' holds "
						   "strings, numbers, true or "
						   "false");
		}
		return 0;
	}
	if (reader_members(c->r, test, "a condition", members) ||
	    reader_text(c->r, test, "glob", &ignored))
		return -1;
	cJSON_ArrayForEach(one, test) {
		bool number = !strcmp(one->string, "min") ||
			      !strcmp(one->string, "max");

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
			bad = reader_fail(c->r,
					  "'%.60s' is no argument of the tool, "
					  "no state.NAME and not 'vision'",
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
		bad = reader_fail(c->r, "cases cannot stand inside cases; put "
					"both conditions into one 'when'");
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
