/* SPDX-License-Identifier: MIT */
/*
 * Reads members of a profile's JSON and, where something is wrong, says in
 * which file, at which place, and what is expected. Errors are ERR_USAGE.
 * Names of members are compared with case: a profile is ours, not a device's.
 */
#ifndef SIM_PROFILE_READER_H
#define SIM_PROFILE_READER_H

#include "base/json.h"
#include "sim/template.h"

struct reader {
	const char *file;
	char place[256]; /* "tools[2].result"; "" is the whole file */
	struct error *err;
};

/* "profile 'FILE', PLACE: TEXT". Always -1. */
int reader_fail(const struct reader *r, const char *format, ...)
	PRINTF_LIKE(2, 3);

/* Go into a member, or an element; returns what reader_leave needs. */
size_t reader_enter(struct reader *r, const char *member);
size_t reader_enter_index(struct reader *r, size_t index);
void reader_leave(struct reader *r, size_t mark);

/*
 * object is an object whose members are all in `allowed` (ends with NULL),
 * and none is there twice. what: "a tool", for the message.
 */
int reader_members(const struct reader *r, const cJSON *object,
		   const char *what, const char *const *allowed);

/*
 * An optional member of that type: 0 with *out untouched if it is absent; -1
 * if it is of another type. Texts are borrowed from the tree.
 */
int reader_text(struct reader *r, const cJSON *object, const char *name,
		const char **out);
int reader_flag(struct reader *r, const cJSON *object, const char *name,
		bool *out);
int reader_number(struct reader *r, const cJSON *object, const char *name,
		  int64_t min, int64_t max, int64_t *out);
int reader_object(struct reader *r, const cJSON *object, const char *name,
		  const cJSON **out);
int reader_array(struct reader *r, const cJSON *object, const char *name,
		 const cJSON **out);

/*
 * Check a template (NULL: none), and all that stand in JSON. words: what they
 * may name, for the message.
 */
int reader_template(struct reader *r, const char *text,
		    const struct template_source *known, const char *words);
int reader_filled(struct reader *r, const cJSON *json,
		  const struct template_source *known, const char *words);

#endif
