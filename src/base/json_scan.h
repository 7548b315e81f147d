/* SPDX-License-Identifier: MIT */
/* For json.c: JSON that is right and that cJSON does not take. */
#ifndef BASE_JSON_SCAN_H
#define BASE_JSON_SCAN_H

#include "base/json.h"

/*
 * json_check. *odd: an escape stands in it for what is no text, \u0000 or half
 * of a surrogate pair (JavaScript writes that where it cut a text).
 */
int json_scan(const char *text, size_t len, bool *odd, struct error *err);
/* Checked text: such escapes become that of U+FFFD. */
void json_mend(char *text, size_t len);

/* The same scan without building a tree: 0 if it is one JSON value. */
int json_check(const char *text, size_t len, struct error *err);

#endif
