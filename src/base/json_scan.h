/* SPDX-License-Identifier: MIT */
/*
 * The checking scan by itself: JSON that is right and that cJSON does not take,
 * and messages of which some members are wanted and no tree.
 */
#ifndef BASE_JSON_SCAN_H
#define BASE_JSON_SCAN_H

#include "base/json.h"

#define JSON_NAMES_MAX 12

/* Where members with these names stand; of those of one name the first. */
struct json_places {
	const char *const *name;
	size_t names;
	size_t inside; /* the name whose own members are wanted too; names: none */
	/* by name, in the whole and in that one; text NULL: there is none */
	struct span outer[JSON_NAMES_MAX], inner[JSON_NAMES_MAX];
};

/*
 * json_check. places: found in the same pass; NULL. *odd: an escape stands in
 * it for what is no text, \u0000 or half of a surrogate pair (JavaScript writes
 * that where it cut a text).
 */
int json_scan(const char *text, size_t len, struct json_places *places,
	      bool *odd, struct error *err);
/* The byte from which on it is no JSON. False: it is all of it. */
bool json_fault(const char *text, size_t len, size_t *at);
/* Why it is none from there on: "it ends too early"; static. NULL: it is JSON. */
const char *json_fault_words(const char *text, size_t len);
/* Checked text: such escapes become that of U+FFFD. */
void json_mend(char *text, size_t len);

/* The same scan without building a tree: 0 if it is one JSON value. */
int json_check(const char *text, size_t len, struct error *err);

#endif
