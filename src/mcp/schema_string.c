/* SPDX-License-Identifier: MIT */
/* The keywords of strings. Lengths are characters, not bytes. */
#include "mcp/schema_check.h"

static size_t characters(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += ((unsigned char)*text & 0xc0) != 0x80;
	return count;
}

bool check_min_length(const struct check *c, const cJSON *operand)
{
	if (!cJSON_IsNumber(operand))
		return walk_ignore(c, "minLength");
	if (!cJSON_IsString(c->value))
		return true;
	return (double)characters(c->value->valuestring) >=
		       operand->valuedouble ||
	       walk_fail_json(c, "minLength", operand);
}

bool check_max_length(const struct check *c, const cJSON *operand)
{
	if (!cJSON_IsNumber(operand))
		return walk_ignore(c, "maxLength");
	if (!cJSON_IsString(c->value))
		return true;
	return (double)characters(c->value->valuestring) <=
		       operand->valuedouble ||
	       walk_fail_json(c, "maxLength", operand);
}

#define PATTERN_STEPS 10
#define DEAR_MAX 10

enum pattern_result walk_pattern(const struct check *c, const char *pattern,
				 const char *text)
{
	enum pattern_result result;

	if (c->walk->dear >= DEAR_MAX || !walk_spend(c, PATTERN_STEPS))
		return PATTERN_UNKNOWN;
	result = pattern_test(&c->walk->pattern, pattern, text);
	c->walk->dear += result == PATTERN_DEAR;
	return result;
}

bool check_pattern(const struct check *c, const cJSON *operand)
{
	if (!cJSON_IsString(operand))
		return walk_ignore(c, "pattern");
	if (!cJSON_IsString(c->value))
		return true;
	switch (walk_pattern(c, operand->valuestring, c->value->valuestring)) {
	case PATTERN_FITS:
		return true;
	case PATTERN_FITS_NOT:
		return walk_fail(c, "pattern", operand->valuestring);
	case PATTERN_UNKNOWN:
	case PATTERN_DEAR:
		break;
	}
	return walk_ignore(c, "pattern");
}
