/* SPDX-License-Identifier: MIT */
/*
 * Calls: of tools that are known to read only, of those that --call names, and
 * with arguments that do not fit, of tools that are not known to destroy.
 */
#include "check/calls.h"

#include <limits.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "check/parts.h"
#include "cli/catalog_file.h"
#include "mcp/content.h"
#include "mcp/schema_example.h"
#include "mcp/tool_effect.h"

#define TIMES 3 /* each read-only tool, for its time, after the first call */

static const cJSON *required_of(const struct tool *t)
{
	return json_array(t->schema, "required");
}

bool tool_is_reader(const struct tool *t)
{
	return !t->duplicate && tool_effect(t) == EFFECT_READS &&
	       cJSON_GetArraySize(required_of(t)) == 0;
}

static bool is_over(const struct checkup *k)
{
	return session_is_over(k->in->connection->session);
}

/* ---- one call ---- */

struct made {
	const char *label; /* for progress and cases */
	const char *tool, *arguments;
	int64_t took_us;
	bool noted; /* result.note: it ended the connection as it must */
};

static void look_at_result(struct checkup *k, const struct tool *t,
			   const struct result *r)
{
	CLEANUP(error_reset) struct error why = { 0 };

	if (t && !r->is_error && client_check_output(t, r, &why))
		diag_found(k->diag, P710, (struct span){ 0 }, "%s: %s", t->name,
			   why.text);
}

static int call_once(struct checkup *k, struct made *m, const struct tool *t,
		     struct error *err)
{
	CLEANUP(result_done) struct result result = { 0 };
	struct client *c = &k->in->connection->client;
	int status = client_call_tool(c, m->tool, m->arguments, &result, err);

	m->took_us = result.took_us;
	m->noted = status == 0 && is_over(k);
	if (m->noted)
		diag_found(k->diag, D136, (struct span){ 0 }, "%s", m->tool);
	if (status == 0)
		look_at_result(k, t, &result);
	return status;
}

/* After one that failed. -1: nothing more can be asked. */
static int after(struct checkup *k, const struct made *m,
		 const struct error *why, struct error *err)
{
	if (why->kind == ERR_INTERRUPTED) {
		error_copy(err, why);
		return -1;
	}
	if (is_over(k))
		return check_died(k, m->label, why, err);
	if (why->kind == ERR_TIMEOUT)
		check_silent(k, m->label, why);
	return 0;
}

/* ---- those that read ---- */

/* Once, which may be slow as the first is, then the best of TIMES. */
static int call_reader(struct checkup *k, const struct tool *t, struct made *m,
		       struct error *err)
{
	int64_t best = INT64_MAX;

	if (call_once(k, m, t, err))
		return -1;
	for (int i = 0; i < TIMES; i++) {
		if (call_once(k, m, t, err))
			return -1;
		if (m->took_us < best)
			best = m->took_us;
	}
	m->took_us = best;
	return 0;
}

static void name_readers(const struct tool_list *l, struct buf *out,
			 unsigned *count)
{
	for (size_t i = 0; i < l->count; i++) {
		if (!tool_is_reader(&l->tool[i]))
			continue;
		buf_printf(out, "%s%s", out->len ? " " : "", l->tool[i].name);
		++*count;
	}
}

struct calls {
	struct buf out;
	unsigned made;
	bool failed;
};

static void calls_done(struct calls *c)
{
	buf_done(&c->out);
}

static void tell_call(struct checkup *k, struct calls *all,
		      const struct made *m, const struct error *why)
{
	const bool good = why->kind == ERR_NONE;
	char time[TEXT_ROOM];

	check_case(k, m->label, check_verdict(why), m->took_us,
		   good ? "" : why->text);
	all->failed = all->failed || !good;
	all->made++;
	buf_printf(&all->out, "%s%s %s", all->out.len ? ", " : "", m->label,
		   good ? text_microseconds(m->took_us, time, sizeof(time)) :
			  why->text);
}

static int call_readers(struct checkup *k, struct calls *all, struct error *err)
{
	const struct tool_list *l = &k->in->connection->tools;

	for (size_t i = 0; i < l->count; i++) {
		CLEANUP(error_reset) struct error why = { 0 };
		const struct tool *t = &l->tool[i];
		struct made m = { t->name, t->name, "{}", 0, false };

		if (!tool_is_reader(t))
			continue;
		check_progress(k, t->name);
		call_reader(k, t, &m, &why);
		tell_call(k, all, &m, &why);
		if (why.kind != ERR_NONE && after(k, &m, &why, err))
			return -1;
	}
	return 0;
}

/* ---- those that are named ---- */

char *check_call_split(const char *word, const char **arguments)
{
	const char *equals = strchr(word, '=');

	*arguments = equals ? equals + 1 : "{}";
	return mem_strndup(word,
			   equals ? (size_t)(equals - word) : strlen(word));
}

int check_calls_read(const struct checkup *k, struct error *err)
{
	const struct words *calls = &k->options->calls;

	for (size_t i = 0; i < calls->count; i++) {
		CLEANUP(json_free_ptr) cJSON *tree = NULL;
		CLEANUP(error_reset) struct error why = { 0 };
		const char *arguments;
		CLEANUP(mem_free_ptr)
		char *name = check_call_split(calls->word[i], &arguments);

		tree = json_parse(arguments, strlen(arguments), &why);
		if (*name && cJSON_IsObject(tree))
			continue;
		error_set(err, ERR_USAGE, "--call: '%s' is no TOOL[=JSON]%s%s",
			  calls->word[i], tree ? "" : ": ",
			  tree ? "" : why.text);
		return error_hint(
			err,
			"for example --call self.audio_speaker.set_volume='{\"volume\":20}'");
	}
	return 0;
}

static int call_named(struct checkup *k, struct calls *all, const char *word,
		      struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	const struct tool *t;
	const char *arguments;
	CLEANUP(mem_free_ptr) char *name = check_call_split(word, &arguments);
	struct made m = { word, name, arguments, 0, false };

	if (is_over(k))
		return error_set(
			err, ERR_CONNECT,
			"'%s' was not called: the connection has ended", name);
	if (tools_cache_find(k->in->connection, name, false, &t, err))
		return -1;
	m.tool = t->name;
	check_progress(k, name);
	k->asked++;
	if (call_once(k, &m, t, &why))
		k->failed++;
	tell_call(k, all, &m, &why);
	return why.kind == ERR_NONE ? 0 : after(k, &m, &why, err);
}

int stage_named(struct checkup *k, struct error *err)
{
	CLEANUP(calls_done) struct calls all = { 0 };
	const struct words *calls = &k->options->calls;
	int status = 0;

	for (size_t i = 0; i < calls->count && status == 0; i++)
		status = call_named(k, &all, calls->word[i], err);
	if (calls->count > 0)
		check_stage(k, "called",
			    status     ? check_verdict(err) :
			    all.failed ? STAGE_ODD :
					 STAGE_OK,
			    "%s",
			    all.out.len ? buf_string(&all.out) : err->text);
	return status;
}

int stage_calls(struct checkup *k, struct error *err)
{
	CLEANUP(calls_done) struct calls all = { 0 };
	CLEANUP(buf_done) struct buf names = { 0 };
	unsigned count = 0;
	int status;

	name_readers(&k->in->connection->tools, &names, &count);
	if (count == 0) {
		check_stage(k, "calls", STAGE_SKIPPED,
			    "no tool that is known to read only");
		return 0;
	}
	if (!check_dares(k, RISK_READ, count)) {
		check_stage(k, "calls", STAGE_SKIPPED,
			    "not made (--risk read would call: %s)",
			    buf_string(&names));
		return 0;
	}
	status = call_readers(k, &all, err);
	k->asked -= count - all.made;
	check_stage(k, "calls",
		    status     ? check_verdict(err) :
		    all.failed ? STAGE_ODD :
				 STAGE_OK,
		    "%s", buf_string(&all.out));
	return status;
}

/* ---- arguments that do not fit ---- */

static const cJSON *first_integer(const struct tool *t)
{
	const cJSON *properties = json_object(t->schema, "properties");
	const cJSON *name;

	cJSON_ArrayForEach(name, required_of(t)) {
		const cJSON *p =
			cJSON_IsString(name) ?
				json_member(properties, name->valuestring) :
				NULL;
		const char *type = json_string(p, "type");

		if (type && strcmp(type, "integer") == 0)
			return p;
	}
	return NULL;
}

bool tool_is_tried(const struct tool *t)
{
	const enum tool_effect effect = tool_effect(t);

	return !t->duplicate && effect != EFFECT_DESTROYS && first_integer(t);
}

static bool outside(const cJSON *p, int n, int64_t *out)
{
	int64_t limit;

	if (json_integer(p, n == 1 ? "maximum" : "minimum", &limit) == 0) {
		*out = n == 1 ? limit + 1 : limit - 1;
		return true;
	}
	/* Firmware 1.6.6 to 1.7.2 restarts at it (device.md 7.3). */
	*out = (int64_t)INT32_MAX + 1;
	return n == 1;
}

bool tool_wrong_arguments(const struct tool *t, int n, struct buf *out)
{
	const cJSON *p = first_integer(t);
	CLEANUP(json_free_ptr) cJSON *example = NULL;
	int64_t value;

	if (n == 0) {
		buf_text(out, "{}");
		return true;
	}
	example = schema_example(t->schema);
	if (!cJSON_IsObject(example) || !outside(p, n, &value))
		return false;
	cJSON_ReplaceItemInObjectCaseSensitive(
		example, p->string, cJSON_CreateNumber((double)value));
	json_print(out, example);
	return true;
}

struct trial {
	struct buf accepted;
	unsigned count;
};

static void judge_trial(struct checkup *k, struct trial *all,
			const struct made *m, const struct error *why)
{
	const bool good = why->kind == ERR_PEER;

	check_case(k, m->label,
		   good			 ? STAGE_OK :
		   why->kind == ERR_NONE ? STAGE_FAIL :
					   check_verdict(why),
		   m->took_us,
		   good			 ? "" :
		   why->kind == ERR_NONE ? "accepted" :
					   why->text);
	if (why->kind != ERR_NONE)
		return;
	buf_printf(&all->accepted, "%s%s", all->accepted.len ? ", " : "",
		   m->label);
	diag_found(k->diag, D149, (struct span){ 0 }, "%s", m->label);
}

static int try_arguments(struct checkup *k, const struct tool *t,
			 struct trial *all, struct error *err)
{
	for (int n = 0; n < WRONG_WAYS; n++) {
		CLEANUP(error_reset) struct error why = { 0 };
		CLEANUP(buf_done) struct buf arguments = { 0 };
		CLEANUP(mem_free_ptr) char *label = NULL;
		struct made m = { NULL, t->name, NULL, 0, false };

		if (!tool_wrong_arguments(t, n, &arguments))
			continue;
		m.arguments = buf_string(&arguments);
		m.label = label = mem_printf("%s %s", t->name, m.arguments);
		check_progress(k, label);
		all->count++;
		call_once(k, &m, NULL, &why);
		judge_trial(k, all, &m, &why);
		if (why.kind != ERR_NONE && after(k, &m, &why, err))
			return -1;
	}
	return 0;
}

static unsigned count_tried(const struct tool_list *l)
{
	unsigned count = 0;

	for (size_t i = 0; i < l->count; i++)
		count += tool_is_tried(&l->tool[i]);
	return count;
}

int stage_args(struct checkup *k, struct error *err)
{
	const struct tool_list *l = &k->in->connection->tools;
	const unsigned tools = count_tried(l);
	struct trial all = { 0 };
	int status = 0;

	if (!check_dares(k, RISK_ARGS, tools * WRONG_WAYS))
		return 0;
	for (size_t i = 0; i < l->count && status == 0; i++) {
		if (tool_is_tried(&l->tool[i]))
			status = try_arguments(k, &l->tool[i], &all, err);
	}
	if (tools == 0)
		check_stage(k, "args", STAGE_SKIPPED,
			    "no tool that needs an integer and cannot destroy");
	else
		check_stage(
			k, "args",
			status		 ? check_verdict(err) :
			all.accepted.len ? STAGE_ODD :
					   STAGE_OK,
			"%u calls of %u tool%s with arguments that do not fit%s%s",
			all.count, tools, tools == 1 ? "" : "s",
			all.accepted.len ? "; accepted: " : "",
			buf_string(&all.accepted));
	buf_done(&all.accepted);
	return status;
}
