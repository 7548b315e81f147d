/* SPDX-License-Identifier: MIT */
/* Many pretend devices that dial, in one loop; what sim_run does with connect or ota. */
#ifndef SIM_FLEET_H
#define SIM_FLEET_H

#include "base/error.h"
#include "sim/board_link.h"
#include "sim/counts.h"
#include "sim/sim.h"

struct tally {
	/* its latencies, findings and what was lost only at the end */
	struct sim_summary sum;
	struct counts counts;
	struct sim_found found[DIAG_CODE_COUNT];
	struct samples welcome, first_call; /* ms */
};

/* It showed on a connection, there f->count times by now. */
void tally_found(struct tally *t, const struct finding *f, const char *detail);
/* A board did not survive it. */
void tally_died(struct tally *t, enum diag_code of);

/* Hand the sum over and release the rest. The catalog must live still. */
void tally_finish(struct tally *t, struct sim_summary *out);

#define FLEET_MAX 10000

/* What sim_run has made ready. All borrowed. */
struct fleet_order {
	struct loop *loop;
	const struct sim_options *options;
	const struct profile *profile;
	const struct fault_plan *faults;
	const struct endpoint
		*mqtt; /* options->connect, if that is a broker; NULL */
	const struct photo *photo; /* NULL: the built-in one */
	const struct sim_observer *observer; /* may be NULL */
	struct tally *tally; /* filled in every case */
	int64_t opened_us; /* loop_now_us() of the beginning */
};

/* To the observer, with the time since the run began; device NULL: the only one. */
void fleet_trace(const struct fleet_order *order, const struct trace *t,
		 const char *device);

/* As pretend_events.finding: counted, and told to the observer. */
void fleet_found(const struct fleet_order *order, const struct finding *f,
		 const char *detail, const char *device);

/* Dial with connect or ota; ends as sim_run says. */
int fleet_run(const struct fleet_order *order, struct error *err);

void sim_summary_done(struct sim_summary *s);

/*
 * What whoever runs a simulated device can do next when it was not let in: one
 * table over the reason of the error and where the device was. Pure.
 */

/* Where it was, and with what. */
enum advice_fact {
	ADVICE_OTA = 1, /* OTA was asked, and did not answer so as to go on */
	ADVICE_BROKER = 2,
	ADVICE_TOLD = 4, /* the address is one that OTA named */
	ADVICE_TOKEN = 8, /* the user gave a token, which was sent */
	ADVICE_OTA_TOKEN = 16 /* OTA gave one, which was sent */
};

/* By reason and code of why; NULL: what why itself advises, if anything. */
const char *advice_for(const struct error *why, unsigned facts);

/* The peer opened the connection, and refused the credentials in words. */
const char *advice_for_credentials(unsigned facts);

#endif
