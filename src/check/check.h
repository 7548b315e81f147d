/* SPDX-License-Identifier: MIT */
/*
 * A check in the making: stages one after another, each with a line and with
 * the findings that came in it. Who checks what is in a file of its own
 * (device.c, …); how it is told and counted is here.
 */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include "cli/connection.h"

enum check_risk { RISK_LOOK, RISK_ASK, RISK_READ, RISK_ODD, RISK_ARGS };

struct check_options {
	int risk; /* enum check_risk */
	int fail_on; /* enum severity, of "note warning error" */
	bool plan;
	struct words only, skip; /* codes, globs */
	struct words reports, calls;
	const char *against;
	/* of whom we play, where we play a board */
	const char *device_id, *client_id, *photo;
};

struct check {
	const struct invocation *in;
	const struct check_options *options;
	struct diag *diag; /* what is found goes there; lent */
	const char *subject; /* letters of codes that are not about it; "" */
	const char *stage;
	size_t told; /* findings of diag so far */
	size_t count[SEVERITY_ERROR + 1];
	const char *first; /* the code of the first that is most severe */
	int first_severity;
	unsigned asked; /* questions, calls */
	unsigned left[RISK_ARGS + 1]; /* that this level would ask besides */
	int64_t begun_us;
};

void check_begin(struct check *k, const struct invocation *in,
		 struct diag *diag);

/*
 * A stage is over: its line (stage_record), then what was found in it. With
 * --plan nothing is sent, and the line says what would be.
 */
void check_stage(struct check *k, const char *name, enum stage_verdict verdict,
		 const char *format, ...) PRINTF_LIKE(4, 5);

/* Whether that level is allowed; if not, n questions are counted as left. */
bool check_dares(struct check *k, enum check_risk risk, unsigned n);

/* The last line, and what to type next. -1 (ERR_UNMET): something was found. */
int check_end(struct check *k, struct error *err);

/* The subjects. Each: stages until the end, or -1 where it could not be made. */
int check_device(struct check *k, const char *url, struct error *err);
int check_here(struct check *k, const char *url, struct error *err);
int check_broker(struct check *k, const char *url, struct error *err);
int check_ota(struct check *k, const char *url, struct error *err);
int check_vision(struct check *k, const char *url, struct error *err);

#endif
