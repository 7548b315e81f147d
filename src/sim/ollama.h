/* SPDX-License-Identifier: MIT */
/*
 * Ollama's /api/chat in JSON: the request's body, and what its answers mean,
 * streamed (one object a line) or whole. Pure.
 */
#ifndef SIM_OLLAMA_H
#define SIM_OLLAMA_H

#include "sim/exec.h"

/* Append the body of the request. */
void ollama_request(struct buf *out, const char *model,
		    const struct ollama_question *q);

/*
 * The model's words out of the whole body of a 200, appended. -1: err is
 * ERR_PEER (an error in words; or what is no answer of Ollama's), or
 * ERR_CONNECT (it came in pieces and broke off: no "done").
 */
int ollama_words(const char *body, size_t len, struct buf *out,
		 struct error *err);
/* The same of what was asked for in pieces, so that it can break off in the first. */
int ollama_words_in_pieces(const char *body, size_t len, struct buf *out,
			   struct error *err);

/*
 * What another status means: err is ERR_CONNECT (no such model, with the hint;
 * busy; refused; no Ollama there) or ERR_PEER (its words). where: the base URL.
 */
struct ollama_refusal {
	int status;
	const char *body;
	size_t len;
	const char *where, *model;
};
int ollama_refused(const struct ollama_refusal *f, struct error *err);

/* -1 (ERR_USAGE): no base URL as above; whether somebody is there shows later. */
int ollama_check(const char *text, struct error *err);
int ollama_ask(struct exec **out, const struct exec_config *c,
	       const struct ollama_question *q, exec_done *done, void *owner,
	       struct error *err);

#endif
