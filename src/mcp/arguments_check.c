/* SPDX-License-Identifier: MIT */
/*
 * Unknown names, numbers that would arrive as others, then the schema. Names
 * come first: a mistyped name is also a missing one, and says more.
 */
#include "mcp/arguments_check.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "mcp/schema.h"
#include "mcp/schema_look.h"

#define NAMES_MAX 256

/* What is known of the names that a tool takes. */
struct names {
	const char *name[NAMES_MAX];
	size_t count;
};

static const char *nearest_name(const struct names *known, const char *name)
{
	return strlen(name) > 100 ?
		       NULL :
		       text_nearest(name, known->name, known->count);
}

static int refuse_unknown(const struct names *known, const char *name,
			  struct error *err)
{
	CLEANUP(buf_done) struct buf list = { 0 };
	const char *nearest = nearest_name(known, name);

	if (nearest)
		error_set(err, ERR_USAGE,
			  "unknown argument '%.100s' (did you mean '%.100s'?)",
			  name, nearest);
	else
		error_set(err, ERR_USAGE, "unknown argument '%.100s'", name);
	if (known->count == 0)
		return error_hint(err, "this tool takes no arguments");
	for (size_t i = 0; i < known->count; i++)
		buf_printf(&list, "%s%s", i ? ", " : "", known->name[i]);
	return error_hint(err, "this tool takes: %.400s", buf_string(&list));
}

static void warn_unknown(const struct names *known, const char *name,
			 struct buf *warnings)
{
	const char *nearest = nearest_name(known, name);

	buf_printf(warnings,
		   "argument '%.100s' is not in the tool's schema; it is sent "
		   "all the same",
		   name);
	if (nearest)
		buf_printf(warnings, " (did you mean '%.100s'?)", nearest);
	buf_char(warnings, '\n');
}

/*
 * Firmware takes what it knows and drops the rest (device.md 3.6). Elsewhere
 * additionalProperties decides; as a schema it is what free names must fit.
 */
static int check_names(const cJSON *object,
		       const struct arguments_options *options,
		       struct buf *warnings, struct error *err)
{
	const cJSON *schema =
		schema_resolve(options->tool->schema, options->tool->schema);
	const cJSON *rest = json_member(schema, "additionalProperties");
	bool free_names = cJSON_IsObject(rest) ||
			  json_object(schema, "patternProperties");
	struct names known;
	const cJSON *member;

	known.count = schema_property_names(options->tool->schema, schema,
					    known.name, NAMES_MAX);
	cJSON_ArrayForEach(member, object) {
		if (schema_property(options->tool->schema, schema,
				    member->string))
			continue;
		if (options->device || (cJSON_IsFalse(rest) && !free_names))
			return refuse_unknown(&known, member->string, err);
		if (!free_names)
			warn_unknown(&known, member->string, warnings);
	}
	return 0;
}

/* NOLINTNEXTLINE(misc-no-recursion): no deeper than JSON_DEPTH_MAX */
static const cJSON *find_number_beyond(const cJSON *value, double limit)
{
	const cJSON *child;
	const cJSON *found = NULL;

	if (cJSON_IsNumber(value) && !(fabs(value->valuedouble + 0.5) < limit))
		return value;
	cJSON_ArrayForEach(child, value) {
		found = find_number_beyond(child, limit);
		if (found)
			break;
	}
	return found;
}

/* INT32_MIN - 0.5 and INT32_MAX + 0.5 are as far from -0.5. */
#define INT32_LIMIT 2147483648.0

/* Firmware makes every number an int32, and the nearest one of a larger (device.md 3.6). */
static int check_numbers(const cJSON *object, bool device, struct error *err)
{
	const cJSON *member;

	cJSON_ArrayForEach(member, object) {
		const cJSON *beyond = find_number_beyond(member, HUGE_VAL);

		if (beyond)
			return error_set(err, ERR_USAGE,
					 "argument '%.100s': the number is too "
					 "large",
					 member->string);
		beyond =
			device ? find_number_beyond(member, INT32_LIMIT) : NULL;
		if (!beyond)
			continue;
		error_set(err, ERR_USAGE,
			  "argument '%.100s': %.15g does not fit into 32 bits",
			  member->string, beyond->valuedouble);
		return error_hint(err,
				  "firmware would take it for %d; "
				  "--no-validate sends it all the same",
				  beyond->valuedouble > 0 ? INT32_MAX :
							    INT32_MIN);
	}
	return 0;
}

static void warn_ignored(const struct schema_report *report,
			 struct buf *warnings)
{
	const struct words *ignored = &report->ignored;

	if (ignored->count == 0)
		return;
	buf_text(warnings, "not checked of the tool's schema:");
	for (size_t i = 0; i < ignored->count; i++)
		buf_printf(warnings, "%s %.60s", i ? "," : "",
			   ignored->word[i]);
	buf_char(warnings, '\n');
}

static int refuse_missing(const struct tool *t, const char *path,
			  struct error *err)
{
	CLEANUP(buf_done) struct buf what = { 0 };
	const cJSON *property = schema_property(t->schema, t->schema, path);

	if (!property)
		return error_set(err, ERR_USAGE,
				 "argument '%.100s' is required", path);
	schema_describe_in(t->schema, property, &what);
	return error_set(err, ERR_USAGE,
			 "argument '%.100s' is required (%.300s)", path,
			 buf_string(&what));
}

/* "yes" for a boolean; a choice with a letter wrong. */
static void add_proposal(const struct tool *t, const cJSON *object,
			 const char *path, struct error *err)
{
	const cJSON *property = schema_property(t->schema, t->schema, path);
	const char *text = json_string(object, path);
	const char *choice[64] = { NULL };
	const char *nearest;
	const cJSON *each;
	size_t count = 0;

	if (!property || !text || strlen(text) > 100)
		return;
	if (schema_types(t->schema, property) == SCHEMA_BOOLEAN) {
		error_hint(err, "write %.100s=true or %.100s=false", path,
			   path);
		return;
	}
	property = schema_resolve(t->schema, property);
	cJSON_ArrayForEach(each, json_array(property, "enum")) {
		if (cJSON_IsString(each) && count < COUNT(choice))
			choice[count++] = each->valuestring;
	}
	nearest = text_nearest(text, choice, count);
	if (nearest)
		error_hint(err, "did you mean '%.100s'?", nearest);
}

static int refuse_value(const struct tool *t, const cJSON *object,
			const struct schema_report *report, struct error *err)
{
	CLEANUP(buf_done) struct buf why = { 0 };
	const char *path = buf_string(&report->path);

	if (strcmp(report->keyword, "required") == 0)
		return refuse_missing(t, path, err);
	schema_explain(report, &why);
	if (!*path)
		return error_set(err, ERR_USAGE, "arguments: %.450s",
				 buf_string(&why));
	error_set(err, ERR_USAGE, "argument '%.100s': %.350s", path,
		  buf_string(&why));
	add_proposal(t, object, path, err);
	return -1;
}

int arguments_check(const cJSON *object,
		    const struct arguments_options *options,
		    struct buf *warnings, struct error *err)
{
	struct schema_report report = { 0 };
	const struct tool *t = options->tool;
	int status = 0;

	if (options->no_validate)
		return 0;
	if (t && t->schema && check_names(object, options, warnings, err) < 0)
		return -1;
	if (check_numbers(object, options->device, err) < 0)
		return -1;
	if (!t || !t->schema)
		return 0;
	if (!schema_check(t->schema, object, &report))
		status = refuse_value(t, object, &report, err);
	else
		warn_ignored(&report, warnings);
	schema_report_done(&report);
	return status;
}
