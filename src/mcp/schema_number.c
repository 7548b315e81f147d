/* SPDX-License-Identifier: MIT */
/* The keywords of numbers. Numbers are doubles, as cJSON has them. */
#include <float.h>
#include <math.h>

#include "mcp/schema_check.h"

/* Draft 4 wrote "exclusiveMinimum": true beside "minimum". */
static bool is_strict(const struct check *c, const char *keyword)
{
	return json_true(c->schema, keyword);
}

bool check_minimum(const struct check *c, const cJSON *operand)
{
	if (!cJSON_IsNumber(operand))
		return walk_ignore(c, "minimum");
	if (!cJSON_IsNumber(c->value))
		return true;
	if (is_strict(c, "exclusiveMinimum"))
		return c->value->valuedouble > operand->valuedouble ||
		       walk_fail_json(c, "exclusiveMinimum", operand);
	return c->value->valuedouble >= operand->valuedouble ||
	       walk_fail_json(c, "minimum", operand);
}

bool check_maximum(const struct check *c, const cJSON *operand)
{
	if (!cJSON_IsNumber(operand))
		return walk_ignore(c, "maximum");
	if (!cJSON_IsNumber(c->value))
		return true;
	if (is_strict(c, "exclusiveMaximum"))
		return c->value->valuedouble < operand->valuedouble ||
		       walk_fail_json(c, "exclusiveMaximum", operand);
	return c->value->valuedouble <= operand->valuedouble ||
	       walk_fail_json(c, "maximum", operand);
}

bool check_exclusive_minimum(const struct check *c, const cJSON *operand)
{
	if (cJSON_IsBool(operand))
		return true;
	if (!cJSON_IsNumber(operand))
		return walk_ignore(c, "exclusiveMinimum");
	if (!cJSON_IsNumber(c->value))
		return true;
	return c->value->valuedouble > operand->valuedouble ||
	       walk_fail_json(c, "exclusiveMinimum", operand);
}

bool check_exclusive_maximum(const struct check *c, const cJSON *operand)
{
	if (cJSON_IsBool(operand))
		return true;
	if (!cJSON_IsNumber(operand))
		return walk_ignore(c, "exclusiveMaximum");
	if (!cJSON_IsNumber(c->value))
		return true;
	return c->value->valuedouble < operand->valuedouble ||
	       walk_fail_json(c, "exclusiveMaximum", operand);
}

/* 0.0075 is 75 times 0.0001 on paper, and nearly so in doubles. */
static bool is_multiple(double value, double of)
{
	double times = value / of;
	double error;

	if (fmod(value, of) == 0)
		return true;
	if (!isfinite(times) || (floor(value) == value && floor(of) == of))
		return false;
	error = fabs(value - round(times) * of);
	return error <= 4 * DBL_EPSILON * fabs(value);
}

bool check_multiple_of(const struct check *c, const cJSON *operand)
{
	if (!cJSON_IsNumber(operand) || !(operand->valuedouble > 0))
		return walk_ignore(c, "multipleOf");
	if (!cJSON_IsNumber(c->value))
		return true;
	return is_multiple(c->value->valuedouble, operand->valuedouble) ||
	       walk_fail_json(c, "multipleOf", operand);
}
