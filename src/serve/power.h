/* SPDX-License-Identifier: MIT */
/*
 * A board's power, switched by a command of the user's (--power-cmd). Its words
 * are split as a shell splits them, and in each {device} is replaced by the id,
 * {alias} by the name (else the id), {action} by on, off or cycle, which stands
 * last where {action} does not. A shell starts it, and expands nothing:
 * those three are its arguments. The command has
 * MCPCTL_DEVICE and MCPCTL_POWER, too. It runs outside of the fences
 * (base/spawner.h), for POWER_MS at most.
 */
#ifndef SERVE_POWER_H
#define SERVE_POWER_H

#include "base/error.h"

struct control_peer;
struct control_question;
struct power_job;
struct serve;

#define POWER_MS 30000
#define POWER_JOBS_MAX 32 /* at once */

enum power_action { POWER_ON, POWER_OFF, POWER_CYCLE, POWER_ACTIONS };

/* Starts zeroed. */
struct power {
	struct power_job *first;
	size_t count;
};

struct power_outcome { /* lent */
	int status; /* of the command; 128 + signal */
	bool over; /* it took too long, and is being ended: status says nothing */
	const char *output; /* the beginning of what it said; "" */
};

/*
 * What sh runs, yours; the id is $1, the name $2, the action $3. -1
 * (ERR_USAGE): no command, a quote that is open, neither {device} nor {alias}.
 */
int power_text(char **out, const char *command, struct error *err);
/* Before the fences: that may be run. command NULL: nothing. */
void power_allow(const char *command);
/* Ends what runs. */
void power_close(struct power *power);

/* ---- for control.c ---- */

void power_ask(struct control_peer *p, const struct control_question *q);
/* The connection goes. */
void power_leave(struct control_peer *p);

#endif
