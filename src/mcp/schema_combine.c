/* SPDX-License-Identifier: MIT */
/*
 * The keywords that combine schemas. Alternatives are tried in silence; if
 * none fits, and one of them was meant, that one is asked again, aloud.
 */
#include <stdio.h>
#include <string.h>

#include "mcp/schema_check.h"

bool check_all_of(const struct check *c, const cJSON *operand)
{
	const cJSON *schema;

	if (!cJSON_IsArray(operand))
		return walk_ignore(c, "allOf");
	cJSON_ArrayForEach(schema, operand) {
		if (!walk_check(c->walk, schema, c->value, c->place))
			return false;
	}
	return true;
}

static bool try_quietly(const struct check *c, const cJSON *schema)
{
	bool quiet = c->walk->quiet;
	bool fits;

	c->walk->quiet = true;
	fits = walk_check(c->walk, schema, c->value, c->place);
	c->walk->quiet = quiet;
	return fits;
}

/* Was the alternative that failed last of the right kind at least? */
static bool was_meant(const struct check *c)
{
	static const char *const kinds[] = { "type", "const", "enum", "false" };

	if (c->walk->failed_depth > (c->place ? c->place->depth : 0))
		return true;
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (strcmp(c->walk->failed, kinds[i]) == 0)
			return false;
	return true;
}

/* How many fit, up to enough; *meant is the only one that nearly did, or NULL. */
static size_t count_fits(const struct check *c, const cJSON *operand,
			 size_t enough, const cJSON **meant)
{
	const cJSON *schema;
	size_t fits = 0;
	size_t near = 0;

	*meant = NULL;
	cJSON_ArrayForEach(schema, operand) {
		if (try_quietly(c, schema)) {
			if (++fits == enough)
				break;
		} else if (!c->walk->given_up && was_meant(c)) {
			*meant = schema;
			near++;
		}
	}
	if (near != 1)
		*meant = NULL;
	return fits;
}

static void describe_alternatives(const struct check *c, const cJSON *operand,
				  struct buf *out)
{
	const cJSON *schema;

	cJSON_ArrayForEach(schema, operand) {
		if (out->len > 0)
			buf_text(out, "; ");
		schema_describe_in(c->walk->root, schema, out);
	}
}

static bool fits_none(const struct check *c, const cJSON *operand,
		      const cJSON *meant)
{
	CLEANUP(buf_done) struct buf alternatives = { 0 };

	if (c->walk->quiet || c->walk->given_up)
		return walk_fail(c, "anyOf", NULL);
	if (meant)
		return walk_check(c->walk, meant, c->value, c->place);
	describe_alternatives(c, operand, &alternatives);
	return walk_fail(c, "anyOf", buf_string(&alternatives));
}

bool check_any_of(const struct check *c, const cJSON *operand)
{
	const cJSON *meant;

	if (!cJSON_IsArray(operand))
		return walk_ignore(c, "anyOf");
	return count_fits(c, operand, 1, &meant) > 0 ||
	       fits_none(c, operand, meant);
}

bool check_one_of(const struct check *c, const cJSON *operand)
{
	char count[24];
	const cJSON *meant;
	size_t fits;

	if (!cJSON_IsArray(operand))
		return walk_ignore(c, "oneOf");
	fits = count_fits(c, operand, SIZE_MAX, &meant);
	if (fits == 1)
		return true;
	if (fits == 0)
		return fits_none(c, operand, meant);
	snprintf(count, sizeof(count), "%zu", fits);
	return walk_fail(c, "oneOf", count);
}

bool check_not(const struct check *c, const cJSON *operand)
{
	if (!cJSON_IsObject(operand) && !cJSON_IsBool(operand))
		return walk_ignore(c, "not");
	return !try_quietly(c, operand) || walk_fail(c, "not", NULL);
}
