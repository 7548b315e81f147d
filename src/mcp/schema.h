/* SPDX-License-Identifier: MIT */
/*
 * JSON Schema, the part that tools use: type, properties, patternProperties,
 * required, additionalProperties, enum, const, minimum, maximum,
 * exclusiveMinimum, exclusiveMaximum, multipleOf, minLength, maxLength,
 * pattern, items, prefixItems, minItems, maxItems, uniqueItems, anyOf, oneOf,
 * allOf, not, local $ref, default, and the formats of mcp/format.h. Other
 * keywords are ignored and reported, but for those that only describe (title,
 * examples, $comment, …; other formats, too). Pure, but for
 * PCRE2, which is loaded at the first pattern.
 */
#ifndef MCP_SCHEMA_H
#define MCP_SCHEMA_H

#include "base/json.h"
#include "base/split.h"

/* Starts zeroed. */
struct schema_report {
	/* Of the first mismatch: "volume", "items[2].name"; "" for the whole. */
	struct buf path;
	/* "maximum 100", "type integer", "required", … */
	struct buf rule;
	/* The value as JSON, cut at 200 bytes; "" if it is missing. */
	struct buf value;
	/* The keyword of the rule alone, and the rest; static, and cut as value. */
	const char *keyword;
	struct buf operand;
	/* Keywords that were not checked, each once; at most 32. */
	struct words ignored;
};
void schema_report_done(struct schema_report *r);

/* The mismatch in words, appended: "150 is above the maximum of 100". */
void schema_explain(const struct schema_report *r, struct buf *out);

#define SCHEMA_PRINT_MAX 200 /* bytes of a value that are shown */
#define SCHEMA_DEPTH_MAX 64
#define SCHEMA_STEPS_MAX 2000000 /* and 32 more for each value inside value */

/*
 * True if value fits. Recursion ($ref included) is limited to
 * SCHEMA_DEPTH_MAX levels; deeper is a mismatch with rule "depth". Work is
 * limited too: after SCHEMA_STEPS_MAX visits it is one with rule "steps".
 * A keyword that has the wrong type, a $ref that cannot be followed, a pattern
 * that is none: not checked, and reported. Beside $ref other keywords count,
 * unless $schema of the whole names draft 7 or older. report may be NULL; what
 * is ignored is added to what stands there.
 */
bool schema_check(const cJSON *schema, const cJSON *value,
		  struct schema_report *report);

/* The same with a part of a schema: root is where its "#/…" point into. */
bool schema_check_in(const cJSON *root, const cJSON *schema, const cJSON *value,
		     struct schema_report *report);

/* Nothing but whether it fits, within *steps visits; those spent are taken off. */
bool schema_fits(const cJSON *root, const cJSON *schema, const cJSON *value,
		 size_t *steps);

/* How many values value holds, itself included. */
size_t schema_count(const cJSON *value);

#endif
