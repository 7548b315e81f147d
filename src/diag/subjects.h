/* SPDX-License-Identifier: MIT */
/*
 * Backends and models of a sentence: "the Python, Java and Go servers keep".
 * Pure.
 */
#ifndef DIAG_SUBJECTS_H
#define DIAG_SUBJECTS_H

#include "base/buf.h"
#include "diag/facts.h"

#define SUBJECTS_MAX 16 /* kinds; what is beyond is not named */

struct subjects {
	struct subject {
		const char *text; /* lent by the facts */
		size_t len;
		bool several;
	} name[SUBJECTS_MAX];
	size_t count;
};

/* By its name without what stands in brackets; two of one name are one kind. */
void subjects_add_backend(struct subjects *w, const struct backend_fact *b);
void subjects_add_model(struct subjects *w, const struct model_fact *m);
/* Several, or of a kind that has several: the verb is "keep", not "keeps". */
bool subjects_are_many(const struct subjects *w);
/* Appended: "the MQTT gateway and the Java server", "the Go servers". */
void subjects_as_backends(struct buf *out, const struct subjects *w);
/* Appended: "OpenAI, Gemini and Qwen". */
void subjects_as_models(struct buf *out, const struct subjects *w);

#endif
