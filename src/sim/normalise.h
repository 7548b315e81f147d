/* SPDX-License-Identifier: MIT */
/*
 * What a model or a command says, made regular by the "normalise" of a
 * service's tool: members known by name, values trimmed, read as numbers, kept
 * within limits, dropped where they say nothing. Pure; both sides are bounded
 * by the JSON that they came from.
 */
#ifndef SIM_NORMALISE_H
#define SIM_NORMALISE_H

#include "sim/profile_reader.h"

/*
 * Check the rules; arguments: the properties of the tool's input schema, of
 * which "only" names one (NULL: there are none). -1: r->err.
 */
int normalise_check(struct reader *r, const cJSON *rules,
		    const cJSON *arguments);

/*
 * The JSON in what was said: all of it, or behind what reasoning models think
 * aloud, within a ``` fence, or from the first '{' to the last '}'. Yours;
 * NULL: there is no object.
 */
cJSON *normalise_find(const char *text, size_t len);

/* The regular form of an object, by checked rules; yours. */
cJSON *normalise(const cJSON *rules, const cJSON *arguments, const cJSON *said);

#endif
