/* SPDX-License-Identifier: MIT */
/* The tools of a service's profile, checked with their results. */

#include "sim/normalise.h"
#include "sim/order.h"
#include "sim/service_load.h"

static const char *const tool_members[] = {
	"name",		"title",       "description", "inputSchema",
	"outputSchema", "annotations", "result",      NULL,
};
static const char *const result_members[] = {
	"text",	  "template",	"json",	     "content",	 "error", "exec",
	"ollama", "timeout_ms", "normalise", "delay_ms", NULL,
};
static const char *const answers[] = { "text",	"template", "json",  "content",
				       "error", "exec",	    "ollama" };

static int known_argument(void *owner, const char *name, struct buf *out)
{
	const struct service_tool *t = owner;

	(void)out;
	return json_member(json_object(t->input, "properties"), name) ? 0 : -1;
}

static int check_template(struct reader *r, struct service_tool *t,
			  const char *name, const char *text)
{
	const struct template_source source = { known_argument, t };
	struct error err = { 0 };
	size_t mark = reader_enter(r, name);
	int bad = 0;

	if (text && template_check(text, &source, &err))
		bad = reader_fail(r, "%s; the names are the tool's arguments",
				  err.text);
	error_reset(&err);
	reader_leave(r, mark);
	return bad;
}

/* A prompt that a tool asks a model with is filled in by the tool's arguments. */
static int check_prompt(const struct service *s, struct reader *r,
			struct service_tool *t)
{
	const char *name =
		json_string(json_object(t->result, "ollama"), "prompt");
	const struct service_prompt *prompt = service_prompt(s, name);

	if (prompt)
		return check_template(r, t, "prompt", prompt->text);
	return name ? reader_fail(r, "there is no prompt '%.60s'", name) : 0;
}

static int check_one_answer(struct reader *r, const cJSON *result)
{
	size_t count = 0, i;

	for (i = 0; i < COUNT(answers); i++)
		count += json_member(result, answers[i]) != NULL;
	if (count != 1)
		return reader_fail(r, "one of text, template, json, content, "
				      "error, exec and ollama is needed");
	if (json_member(result, "normalise") && !order_is(result))
		return reader_fail(r, "'normalise' needs 'exec' or 'ollama'");
	if (json_member(result, "delay_ms") && order_is(result))
		return reader_fail(r, "'exec' and 'ollama' take their own "
				      "time: no 'delay_ms' goes with them");
	return 0;
}

static int check_order(const struct service *s, struct reader *r,
		       struct service_tool *t)
{
	const struct template_source source = { known_argument, t };
	const struct order_check check = {
		.known = &source,
		.words = "the tool's arguments",
		.prompt = true,
	};
	const cJSON *rules = json_member(t->result, "normalise");

	if (order_check(&check, r, t->result) || check_prompt(s, r, t))
		return -1;
	return rules ? normalise_check(r, rules,
				       json_object(t->input, "properties")) :
		       0;
}

static int check_result(const struct service *s, struct reader *r,
			struct service_tool *t)
{
	const cJSON *content = NULL;
	const char *text = NULL, *template = NULL, *error = NULL;
	int64_t ms;

	if (cJSON_IsString(t->result) || cJSON_IsNumber(t->result) ||
	    cJSON_IsBool(t->result))
		return 0;
	if (reader_members(r, t->result, "a result", result_members) ||
	    check_one_answer(r, t->result) ||
	    reader_text(r, t->result, "text", &text) ||
	    reader_text(r, t->result, "template", &template) ||
	    reader_text(r, t->result, "error", &error) ||
	    reader_array(r, t->result, "content", &content) ||
	    reader_number(r, t->result, "delay_ms", 0, INT32_MAX, &ms) ||
	    check_template(r, t, "template", template) ||
	    check_template(r, t, "error", error))
		return -1;
	return check_order(s, r, t);
}

static const cJSON *input_of(cJSON *tool)
{
	cJSON *input = json_object(tool, "inputSchema");

	if (input)
		return input;
	input = cJSON_AddObjectToObject(tool, "inputSchema");
	cJSON_AddStringToObject(input, "type", "object");
	return input;
}

int service_read_tool(struct service *s, struct reader *r, cJSON *json)
{
	struct service_tool t = { .json = json };
	const cJSON *ignored = NULL;
	size_t mark;
	int bad;

	if (reader_members(r, json, "a tool", tool_members) ||
	    service_check_texts(r, json) ||
	    reader_object(r, json, "inputSchema", &ignored) ||
	    reader_object(r, json, "outputSchema", &t.output) ||
	    reader_object(r, json, "annotations", &ignored))
		return -1;
	t.name = json_string(json, "name");
	t.result = json_member(json, "result");
	t.input = input_of(json);
	if (!t.name || !*t.name || !t.result)
		return reader_fail(r, "a tool needs a 'name' and a 'result'");
	if (service_tool(s, t.name))
		return reader_fail(r, "there are two of that name");
	mark = reader_enter(r, "result");
	bad = check_result(s, r, &t);
	reader_leave(r, mark);
	s->tool[s->tool_count++] = t;
	return bad;
}
