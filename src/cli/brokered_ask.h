/* SPDX-License-Identifier: MIT */
/* Servers at a broker (cli/brokered.h), each opened and asked, at once. */
#ifndef CLI_BROKERED_ASK_H
#define CLI_BROKERED_ASK_H

#include "cli/all.h"
#include "mcp/listing.h"

struct connection;

/* What is asked of one; released by who asks. */
struct brokered_question {
	const char *method, *notify; /* neither: the list was all */
	struct buf params; /* empty: none */
};

struct brokered_ask {
	bool lists; /* its tools first */
	/* What is asked then. tools: NULL without `lists`. -1: its row says why. */
	int (*question)(void *owner, struct connection *c,
			const struct tool_list *tools,
			struct brokered_question *q, struct error *err);
	/* Behind the list alone: what its row says. NULL */
	void (*listed)(void *owner, const struct tool_list *tools,
		       struct all_row *row);
	/* As in struct all_fan. */
	bool (*judge)(void *owner, struct all_row *row);
	void *owner;
};

/* Each of the devices of a: opened, asked, told by its row. -1: Ctrl-C. */
int brokered_run(struct all *a, const struct brokered_ask *ask,
		 struct error *err);

#endif
