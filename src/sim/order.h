/* SPDX-License-Identifier: MIT */
/*
 * What a profile's tool orders from outside: the members exec and ollama of its
 * result.
 */
#ifndef SIM_ORDER_H
#define SIM_ORDER_H

#include "sim/exec.h"
#include "sim/profile_reader.h"
#include "sim/template.h"

/* Whether a result (any JSON) orders something. */
bool order_is(const cJSON *result);

/*
 * Check the members exec, timeout_ms and ollama of a result; `known` is asked
 * for the names in templates (words: which there are, for the message).
 * prompt: the member "prompt" of ollama may stand for "user"; whether there
 * is such a prompt is the caller's matter. -1: r->err.
 */
struct order_check {
	const struct template_source *known;
	const char *words;
	bool prompt;
};
int order_check(const struct order_check *c, struct reader *r,
		const cJSON *result);
/* Check the member "ollama" of a profile itself: the defaults. */
int order_check_defaults(struct reader *r, const cJSON *profile);

/*
 * A text, or a list of its lines: as one text, yours; NULL if it is neither
 * (also if it is absent).
 */
char *order_lines(const cJSON *text);
/* False: it is a list in which something is no string. */
bool order_is_lines(const cJSON *text);

struct order {
	const cJSON *result; /* where exec or ollama stands */
	const cJSON *defaults; /* the profile's "ollama"; NULL */
	const struct exec_config *config; /* what the user said wins */
	/* Templates filled in: system NULL if there is none; user of ollama. */
	const char *system, *user;
	const char *arguments; /* JSON; of exec */
};

/* As exec_run and ollama_ask. */
int order_start(struct exec **out, const struct order *o, exec_done *done,
		void *owner, struct error *err);

#endif
