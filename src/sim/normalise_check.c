/* SPDX-License-Identifier: MIT */
/* The rules of "normalise" checked when a profile is read. */
#include <string.h>

#include "sim/normalise.h"

static const char *const rules_members[] = { "into", "only", "empty", "members",
					     NULL };
static const char *const rule_members[] = {
	"type",	   "also",    "enum",	 "glob",   "minimum",
	"maximum", "percent", "default", "always", NULL,
};

static int check_words(struct reader *r, const cJSON *object, const char *name)
{
	const cJSON *list = NULL, *one;

	if (reader_array(r, object, name, &list))
		return -1;
	cJSON_ArrayForEach(one, list) {
		if (!cJSON_IsString(one))
			return reader_fail(r, "'%s' is a list of strings",
					   name);
	}
	return 0;
}

/* Members that only one type has. */
static int check_fit(struct reader *r, const cJSON *rule, const char *type)
{
	static const struct {
		const char *name, *type;
	} rows[] = {
		{ "enum", "text" },	 { "glob", "text" },
		{ "minimum", "number" }, { "maximum", "number" },
		{ "percent", "number" },
	};
	size_t i;

	for (i = 0; i < COUNT(rows); i++) {
		const cJSON *member = json_member(rule, rows[i].name);

		if (!member)
			continue;
		if (strcmp(type, rows[i].type) != 0)
			return reader_fail(r, "'%s' is for type \"%s\"",
					   rows[i].name, rows[i].type);
		if (i >= 2 && i <= 3 && !cJSON_IsNumber(member))
			return reader_fail(r, "'%s' is a number", rows[i].name);
	}
	return 0;
}

static int check_rule(struct reader *r, const cJSON *rule)
{
	const char *type = NULL, *glob;
	bool flag;

	if (reader_members(r, rule, "a member's rule", rule_members) ||
	    reader_text(r, rule, "type", &type) ||
	    check_words(r, rule, "also") || check_words(r, rule, "enum") ||
	    reader_text(r, rule, "glob", &glob) ||
	    reader_flag(r, rule, "percent", &flag) ||
	    reader_flag(r, rule, "always", &flag))
		return -1;
	if (!type ||
	    (strcmp(type, "text") != 0 && strcmp(type, "number") != 0 &&
	     strcmp(type, "boolean") != 0))
		return reader_fail(r, "'type' is \"text\", \"number\" or "
				      "\"boolean\"");
	return check_fit(r, rule, type);
}

static int check_members(struct reader *r, const cJSON *rules)
{
	const cJSON *members = NULL, *rule;
	size_t mark;
	int bad = 0;

	if (reader_object(r, rules, "members", &members))
		return -1;
	if (!members)
		return reader_fail(r, "'members' is needed");
	mark = reader_enter(r, "members");
	cJSON_ArrayForEach(rule, members) {
		size_t inner = reader_enter(r, rule->string);

		bad = check_rule(r, rule);
		reader_leave(r, inner);
		if (bad)
			break;
	}
	reader_leave(r, mark);
	return bad;
}

int normalise_check(struct reader *r, const cJSON *rules,
		    const cJSON *arguments)
{
	const char *into = NULL, *only = NULL;
	size_t mark = reader_enter(r, "normalise");
	int bad;

	bad = reader_members(r, rules, "normalise", rules_members) ||
	      reader_text(r, rules, "into", &into) ||
	      reader_text(r, rules, "only", &only) ||
	      check_words(r, rules, "empty") || check_members(r, rules);
	if (!bad && only && !json_member(arguments, only))
		bad = reader_fail(r, "'only': the tool has no argument '%.60s'",
				  only);
	reader_leave(r, mark);
	return bad ? -1 : 0;
}
