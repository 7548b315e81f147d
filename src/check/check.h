/* SPDX-License-Identifier: MIT */
/*
 * A check in the making: stages one after another, each with a line and with
 * the findings that came in it. Who checks what is in a file of its own
 * (device.c, tools.c, …); how it is told and counted is here, what is kept of
 * it for reports too.
 */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include "cli/connection.h"

enum check_risk { RISK_LOOK, RISK_ASK, RISK_READ, RISK_ODD, RISK_ARGS };
/* "look", … */
const char *risk_name(enum check_risk risk);

struct check_options {
	int risk; /* enum check_risk */
	int fail_on; /* enum severity, of "note warning error" */
	bool plan, kept, power_cycle;
	struct words only, skip; /* codes, globs */
	struct words reports, calls;
	const char *against;
	/* of whom we play, where we play a board */
	const char *device_id, *client_id, *photo, *say;
	int64_t quiet; /* ms: how long silence is listened to; 0: default */
};

/* A question, a rule, a stage: how it went. */
struct check_case {
	size_t stage; /* of struct checkup */
	char *name, *text; /* owned; raw; text may be "" */
	enum stage_verdict verdict;
	int64_t took_us;
	int finding; /* index in diag->item; -1: it is none */
};

struct check_stage {
	char *name, *words; /* owned; raw */
	enum stage_verdict verdict;
	int64_t took_us;
};

struct checkup {
	const struct invocation *in;
	const struct check_options *options;
	struct diag *diag; /* what is found goes there; lent */
	const char *subject; /* letters of codes that are not about it; "" */
	char *peer; /* whom, in words; owned; NULL: nobody was reached */
	const char *const
		*plan; /* names of its stages in order; NULL at the end */
	size_t plan_from; /* of stage; those before it are none of the plan */
	struct check_stage *stage; /* those that were made */
	size_t stages, stage_capacity;
	struct check_case *cases;
	size_t case_count, case_capacity;
	size_t told; /* findings of diag so far */
	size_t count[SEVERITY_ERROR + 1];
	const char *first; /* the code of the first that is most severe */
	int first_severity;
	unsigned asked; /* questions, calls */
	unsigned planned; /* messages that --plan showed */
	unsigned left[RISK_ARGS + 1]; /* that this level would ask besides */
	/* Calls of --call, lists: a failure without a code of its own. */
	unsigned failed;
	int64_t begun_us, stage_us;
	bool ended; /* the last line is told */
	char *died; /* at which question; NULL: more can be asked */
};

void check_begin(struct checkup *k, const struct invocation *in,
		 const struct check_options *options, struct diag *diag);
void check_done(struct checkup *k);

/* On a terminal: what is asked now; NULL: nothing any more. */
void check_progress(struct checkup *k, const char *what);

/*
 * How what ended so went: what a signal ended is nobody's failure, and was not
 * made to its end.
 */
enum stage_verdict check_verdict(const struct error *why);

/* A question of the stage that is under way is over. */
void check_case(struct checkup *k, const char *name, enum stage_verdict verdict,
		int64_t took_us, const char *text);

/* A stage is over: its line (stage_record), then what was found in it. */
void check_stage(struct checkup *k, const char *name,
		 enum stage_verdict verdict, const char *format, ...)
	PRINTF_LIKE(4, 5);

/* Nothing more can be asked: the stages of the plan that were not reached. */
void check_stopped(struct checkup *k);

/* Whether that level is allowed; if not, n questions are counted as left. */
bool check_dares(struct checkup *k, enum check_risk risk, unsigned n);

/* Whether a code is told: of this subject, and as --only and --skip say. */
bool check_wants(const struct checkup *k, const char *code);

/* The last line, and what to type next. -1 (ERR_UNMET): something was found. */
int check_end(struct checkup *k, struct error *err);
/* The same where it could not be made to its end, unless it is told. */
void check_end_early(struct checkup *k);

/*
 * The subjects. Each: stages until its check_end, or -1 where it could not be
 * made. url: of a list, or a capture, a file; NULL where none was given.
 */
int check_device(struct checkup *k, const char *url, struct error *err);
int check_here(struct checkup *k, const char *url, struct error *err);
int check_broker(struct checkup *k, const char *url, struct error *err);
int check_backend(struct checkup *k, const char *url, struct error *err);
int check_ota(struct checkup *k, const char *url, struct error *err);
int check_vision(struct checkup *k, const char *url, struct error *err);
/* A capture, or else a serial log that was saved. */
int check_file(struct checkup *k, const char *given, struct error *err);
int check_tools(struct checkup *k, const char *url, struct error *err);

/* What --plan prints of each; nothing is sent. */
int check_plan(struct checkup *k, struct error *err);
int check_tools_plan(struct checkup *k, struct error *err);
int check_here_plan(struct checkup *k, struct error *err);
int check_broker_plan(struct checkup *k, struct error *err);
int check_backend_plan(struct checkup *k, struct error *err);
int check_ota_plan(struct checkup *k, struct error *err);
int check_vision_plan(struct checkup *k, struct error *err);

/* It ended at that question (D134), or answers nothing any more (D145). */
int check_died(struct checkup *k, const char *question, const struct error *why,
	       struct error *err);
/*
 * It did not answer that one: in time (D145), or by what why says; unless
 * something that was found tells why.
 */
void check_silent(struct checkup *k, const char *question,
		  const struct error *why);

#endif
