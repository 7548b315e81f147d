/* SPDX-License-Identifier: MIT */
/*
 * Servers at a broker (mcp+mqtt:), many at once: found by what they announce,
 * each then a target, all over one connection. For --all and targets --scan.
 */
#ifndef CLI_BROKERED_H
#define CLI_BROKERED_H

#include "cli/all.h"
#include "mcp/listing.h"

struct brokered;
struct connection;

/* The configured target is such a broker. */
bool brokered_fits(const struct app *app);
/*
 * Who fits the filter of the target; with --wait until somebody does. -1: as
 * the broker fails; ERR_CONNECT: nobody.
 */
int brokered_open(struct brokered **out, struct app *app, struct error *err);
/* Those there, as they are listed; owned by the caller. Again: as they are now. */
void brokered_devices(struct brokered *b, struct all *a);
void brokered_close(struct brokered *b);

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
