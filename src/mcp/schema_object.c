/* SPDX-License-Identifier: MIT */
/* The keywords of objects. */
#include "mcp/schema_check.h"

bool check_required(const struct check *c, const cJSON *operand)
{
	const cJSON *name;

	if (!cJSON_IsArray(operand))
		return walk_ignore(c, "required");
	if (!cJSON_IsObject(c->value))
		return true;
	cJSON_ArrayForEach(name, operand) {
		struct place place;
		struct check missing;

		if (!walk_spend(c, 1))
			return false;
		if (!cJSON_IsString(name) ||
		    json_member(c->value, name->valuestring))
			continue;
		place = walk_place(c, name->valuestring, 0);
		missing = (struct check){ c->walk, c->schema, NULL, &place };
		return walk_fail(&missing, "required", NULL);
	}
	return true;
}

bool check_properties(const struct check *c, const cJSON *operand)
{
	const cJSON *property;

	if (!cJSON_IsObject(operand))
		return walk_ignore(c, "properties");
	if (!cJSON_IsObject(c->value))
		return true;
	cJSON_ArrayForEach(property, operand) {
		const cJSON *member = json_member(c->value, property->string);
		struct place place = walk_place(c, property->string, 0);

		if (!walk_spend(c, 1))
			return false;
		if (member && !walk_check(c->walk, property, member, &place))
			return false;
	}
	return true;
}

/* Does a pattern of operand name this member? What is not known counts as yes. */
static bool any_pattern_names(const struct check *c, const cJSON *operand,
			      const char *name)
{
	const cJSON *rule;

	cJSON_ArrayForEach(rule, operand) {
		if (walk_pattern(c, rule->string, name) != PATTERN_FITS_NOT)
			return true;
	}
	return false;
}

static bool check_named_so(const struct check *c, const cJSON *rule)
{
	const cJSON *member;

	cJSON_ArrayForEach(member, c->value) {
		struct place place = walk_place(c, member->string, 0);
		enum pattern_result named;

		named = walk_pattern(c, rule->string, member->string);
		if (named == PATTERN_UNKNOWN || named == PATTERN_DEAR)
			return walk_ignore(c, "patternProperties");
		if (named == PATTERN_FITS &&
		    !walk_check(c->walk, rule, member, &place))
			return false;
	}
	return true;
}

bool check_pattern_properties(const struct check *c, const cJSON *operand)
{
	const cJSON *rule;

	if (!cJSON_IsObject(operand))
		return walk_ignore(c, "patternProperties");
	if (!cJSON_IsObject(c->value))
		return true;
	cJSON_ArrayForEach(rule, operand) {
		if (!check_named_so(c, rule))
			return false;
	}
	return true;
}

static bool is_named(const struct check *c, const char *name)
{
	return json_member(json_object(c->schema, "properties"), name) ||
	       any_pattern_names(c, json_object(c->schema, "patternProperties"),
				 name);
}

bool check_additional_properties(const struct check *c, const cJSON *operand)
{
	const cJSON *member;

	if (!cJSON_IsObject(c->value))
		return true;
	cJSON_ArrayForEach(member, c->value) {
		struct place place = walk_place(c, member->string, 0);
		struct check unknown = { c->walk, c->schema, member, &place };

		if (!walk_spend(c, 1))
			return false;
		if (is_named(c, member->string))
			continue;
		if (cJSON_IsFalse(operand))
			return walk_fail(&unknown, "additionalProperties",
					 NULL);
		if (!walk_check(c->walk, operand, member, &place))
			return false;
	}
	return true;
}
