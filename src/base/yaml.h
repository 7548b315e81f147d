/* SPDX-License-Identifier: MIT */
/*
 * YAML as JSON: a loaded part, for libyaml: module_table("yaml", YAML_TABLE,
 * err). What JSON cannot say (aliases, keys that are no text, more than one
 * document) is refused and named.
 */
#ifndef BASE_YAML_H
#define BASE_YAML_H

#include <cjson/cJSON.h>

#include "base/error.h"

#define YAML_TABLE "yaml_table"
#define YAML_DEPTH_MAX 50
#define YAML_NODES_MAX 20000

struct yaml_table {
	size_t size; /* of this struct */
	/*
	 * The first document, yours; an empty one is null. Plain true, false,
	 * null, ~ and nothing are what they are in JSON; every other plain word
	 * is a text, numbers too. NULL (ERR_USAGE): what is wrong, and in which
	 * line.
	 */
	cJSON *(*read)(const char *text, size_t len, struct error *err);
};

/* Exported by the module. */
extern const struct yaml_table yaml_table;

#endif
