/* SPDX-License-Identifier: MIT */
/*
 * What is known of other programs: backends, language models, firmware. It
 * stands in data files (diag/data/), each entry with its source and the day it
 * was read; a file of the same name in the user's configuration folder goes
 * instead. Read when first asked for.
 */
#ifndef DIAG_FACTS_H
#define DIAG_FACTS_H

#include "base/error.h"

/* How a backend, as MCP client of boards, behaves (backends.md 1). */
struct backend_fact {
	char *id, *name, *source, *read;
	bool mqtt, websocket; /* what boards reach it by */
	int64_t max_tools; /* the page above is dropped; 0: no limit */
	bool first_page; /* it asks for no other */
	char *names; /* "wide", "dots", "keep" (mcp/types.h) */
	int64_t call_ms; /* after which it gives a call up; 0: not known */
	int64_t api_ms; /* the same of its own HTTP interface; 0: it has none */
	int64_t max_message; /* bytes from the board; 0: no limit */
	bool loses_error_text; /* of isError */
	bool needs_is_error; /* without it a result is a failure */
	/* By which it is known; "". Of the session: "absent", "sessionId", … */
	char *client, *first_id, *session_key;
};

/* What a provider of language models takes (names and schemas of tools). */
struct model_fact {
	char *id, *name, *source, *read;
	int64_t name_max; /* characters; 0: no limit known */
	bool dots; /* a name may hold '.' */
	bool letter_first; /* a name begins with a letter or '_' */
	int64_t max_tools; /* 0: no limit known */
};

const struct backend_fact *backend_facts(size_t *count);
const struct model_fact *model_facts(size_t *count);

/*
 * Where own files lie (NULL: nowhere), and who is told that one cannot be used:
 * path, line, what was expected. Reads nothing. Both are lent for ever.
 */
void facts_from(const char *folder,
		void (*tell)(void *owner, const char *problem), void *owner);

/* A text as such a file: 0, or -1 (ERR_USAGE) with the line. For tests. */
int facts_check(const char *kind, const char *text, size_t len,
		struct error *err);
/* Forget what was read. For tests. */
void facts_forget(void);

#endif
