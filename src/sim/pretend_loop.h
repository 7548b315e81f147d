/* SPDX-License-Identifier: MIT */
/*
 * The main loop of a pretend device: jobs in order, alarms in time. Private to
 * pretend.c (what comes in, and what is done), pretend_loop.c and pretend_say.c
 * (what goes out, and what is found in both).
 */
#ifndef SIM_PRETEND_LOOP_H
#define SIM_PRETEND_LOOP_H

#include "sim/pretend.h"
#include "sim/rule.h"

enum job_kind {
	JOB_REPLY, /* send payload */
	JOB_CALL, /* run call, then reply */
	JOB_REBOOT, /* a second of nothing, then the connection drops */
	JOB_CLOSE, /* the connection drops */
	JOB_UPGRADE, /* the same, and firmware is fetched; payload: from where */
	JOB_RESTART, /* the same, and memory is forgotten */
	JOB_EVENT, /* say what the profile wants said */
	JOB_STORM, /* many notifications */
	JOB_SPEAK, /* tts start */
	JOB_SILENCE /* tts stop */
};

struct job {
	enum job_kind kind;
	struct job *next;
	struct firmware_call *call; /* JOB_CALL; owned, NULL once taken */
	char *payload; /* JOB_REPLY; owned */
	size_t len; /* JOB_CALL: of the message that asked */
	enum firmware_method method; /* JOB_REPLY */
	bool is_error; /* JOB_REPLY */
	bool as_is; /* JOB_REPLY: payload is a whole frame */
	struct counted_request of; /* JOB_REPLY, JOB_CALL: the request */
	const cJSON *event; /* JOB_EVENT */
	int64_t said; /* JOB_STORM: so far */
};

enum alarm_kind {
	ALARM_JOB, /* a job is due (late, or an event) */
	ALARM_FREE, /* the job that took time is over; its reply follows */
	ALARM_REBOOT, /* the second is over */
	ALARM_HELLO, /* say hello now */
	ALARM_NO_HELLO, /* the server hello did not come */
	ALARM_AUDIO, /* the next frame */
	ALARM_STIR, /* the main loop's turn, after what came */
	ALARM_LEFT_OPEN /* the peer closed and kept TCP open */
};

struct alarm {
	enum alarm_kind kind;
	int64_t due; /* loop_now() ms */
	struct job *job; /* owned; NULL */
	struct alarm *next;
};

struct job *job_new(enum job_kind kind);
/* Queue a job; takes it. */
void pretend_add_job(struct pretend *d, struct job *job);
/* Run what can be run now. */
void pretend_run(struct pretend *d);
/* Set an alarm; takes job. */
void pretend_set_alarm(struct pretend *d, enum alarm_kind kind, int64_t ms,
		       struct job *job);
void pretend_clear_alarms(struct pretend *d, enum alarm_kind kind);
/* The timer rang. */
void pretend_on_timer(void *owner);
/* Drop all jobs and alarms. */
void pretend_forget_work(struct pretend *d);

/* What is done, by who stands above the loop. */
struct pretend_work {
	/* One job; false: it takes time, an alarm will go on. */
	bool (*job)(struct pretend *d, struct job *job);
	/* An alarm that is not ALARM_JOB rang. */
	void (*alarm)(struct pretend *d, enum alarm_kind kind);
};

/* The call gives the address of assets, for the next start. */
void pretend_keep_assets(const struct pretend *d,
			 const struct firmware_call *call);

#endif
