/* SPDX-License-Identifier: MIT */
/*
 * The main loop of a pretend device: jobs in order, alarms in time. Private to
 * device.c (what comes in), device_mqtt.c (the same over MQTT), device_loop.c,
 * device_jobs.c, device_upload.c and device_outside.c (what is done) and
 * device_say.c (what goes out).
 */
#ifndef SIM_DEVICE_LOOP_H
#define SIM_DEVICE_LOOP_H

#include "sim/device.h"
#include "sim/rule.h"

enum job_kind {
	JOB_REPLY, /* send payload */
	JOB_CALL, /* run call, then reply */
	JOB_REBOOT, /* a second of nothing, then the connection drops */
	JOB_CLOSE, /* the connection drops */
	JOB_RESTART, /* the same, and memory is forgotten */
	JOB_EVENT, /* say what the profile wants said */
	JOB_STORM, /* many notifications */
	JOB_SPEAK, /* tts start */
	JOB_SILENCE /* tts stop */
};

struct job {
	enum job_kind kind;
	struct job *next;
	struct server_call *call; /* JOB_CALL; owned, NULL once taken */
	char *payload; /* JOB_REPLY; owned */
	size_t len;
	enum server_method method; /* JOB_REPLY */
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
void device_add_job(struct device *d, struct job *job);
/* Run what can be run now. */
void device_run(struct device *d);
/* Set an alarm; takes job. */
void device_set_alarm(struct device *d, enum alarm_kind kind, int64_t ms,
		      struct job *job);
void device_clear_alarms(struct device *d, enum alarm_kind kind);
/* The timer rang. */
void device_on_timer(void *owner);
/* Drop all jobs and alarms. */
void device_forget_work(struct device *d);

/* One job; false: it takes time, an alarm will go on. (device_jobs.c) */
bool device_do_job(struct device *d, struct job *job);

/* The job that a finished call leaves behind. */
struct job *device_outcome(struct device *d, const struct server_call *call,
			   const struct server_outcome *outcome);

/*
 * Begin what a rule ordered; takes the job's call. False: the main loop waits
 * for it; true: it could not even begin, and the reply is queued.
 * (device_upload.c)
 */
bool device_upload(struct device *d, struct job *job,
		   const struct rule_result *result);
void device_forget_upload(struct device *d);

/* The same for a rule that orders a command or a model. (device_outside.c) */
bool device_outside(struct device *d, struct job *job,
		    const struct rule_result *result);
void device_forget_outside(struct device *d);

/* MQTT (device_mqtt.c): connected; hello and goodbye of the server. */
void device_standby(struct device *d);
void device_udp_hello(struct device *d, const cJSON *root);
void device_goodbye(struct device *d, const cJSON *root);
/* Sound is over, nothing is said of it. */
void device_leave_session(struct device *d);

/* Say hello, now or late as the fault wants it, and wait. (device.c) */
void device_begin(struct device *d);
/* The server hello that was waited for is there. */
void device_welcome(struct device *d);
/* A session_id of a server hello, if it is one. */
void device_take_session(struct device *d, const cJSON *hello);
void device_schedule_events(struct device *d);

/* What leaves at once; nothing if there is no connection. (device_say.c) */
void device_say_hello(struct device *d);
void device_say_goodbye(struct device *d);
void device_start_listening(struct device *d);
void device_send_audio(struct device *d);
void device_say_event(struct device *d, const cJSON *event);
/* A JSON-RPC payload, in its envelope unless the device is bare. */
void device_send_payload(struct device *d, const char *payload, size_t len);
/* Half of it, then the end: cut-frame, close-mid-reply. */
void device_send_cut(struct device *d, const char *payload, size_t len);
void device_send_as_is(struct device *d, const char *text);
void device_drop(struct device *d);
/* A restart forgets what is only in memory. (device.c) */
void device_restart(struct device *d);

/* An alarm that is not ALARM_JOB rang. (device.c) */
void device_on_alarm(struct device *d, enum alarm_kind kind);

PRINTF_LIKE(2, 3)
void device_line(struct device *d, const char *format, ...);

#endif
