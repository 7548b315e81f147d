/* SPDX-License-Identifier: MIT */
/*
 * Looks into a schema without a value: what a $ref means, which types a schema
 * lets through, which properties it knows. root is where "#/…" point into.
 */
#ifndef MCP_SCHEMA_LOOK_H
#define MCP_SCHEMA_LOOK_H

#include "base/json.h"

enum schema_type { /* bits */
		   SCHEMA_NULL = 1,
		   SCHEMA_BOOLEAN = 2,
		   SCHEMA_INTEGER = 4,
		   SCHEMA_NUMBER =
			   8, /* also said of whole numbers; never without INTEGER */
		   SCHEMA_STRING = 16,
		   SCHEMA_ARRAY = 32,
		   SCHEMA_OBJECT = 64
};

/* The bit of a type's name; 0 if it is none. "number" gives INTEGER too. */
unsigned schema_type_bit(const char *name);
/* The type of a value; of a whole number INTEGER only. */
unsigned schema_type_of(const cJSON *value);
/* The bits as words, appended: "integer or null"; "any" for 0. */
void schema_type_names(unsigned bits, struct buf *out);

/* Where "#", "#/a/b" point; NULL: not local, or nothing there. */
const cJSON *schema_pointer(const cJSON *root, const char *reference);
/* Follows $ref until there is none; what cannot be followed stays as it is. */
const cJSON *schema_resolve(const cJSON *root, const cJSON *schema);

/* All types that may fit, through $ref, anyOf, oneOf, allOf; 0: it does not say. */
unsigned schema_types(const cJSON *root, const cJSON *schema);

/* The schema of a property, through $ref, allOf, anyOf, oneOf; NULL: not named. */
const cJSON *schema_property(const cJSON *root, const cJSON *schema,
			     const char *name);
/* The schema of an array's items, looked for in the same places; NULL. */
const cJSON *schema_items(const cJSON *root, const cJSON *schema);
/* Is it required, through $ref and allOf? */
bool schema_requires(const cJSON *root, const cJSON *schema, const char *name);
/* Names of properties, as schema_property finds them; at most max. Lent. */
size_t schema_property_names(const cJSON *root, const cJSON *schema,
			     const char **out, size_t max);

#endif
