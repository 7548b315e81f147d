/* SPDX-License-Identifier: MIT */
/*
 * A conversation in which we play the board, as stages: told from what goes
 * over the wire while sim/ plays, and from what it says at the end.
 */
#ifndef CHECK_BOARD_TALK_H
#define CHECK_BOARD_TALK_H

#include "check/check.h"
#include "sim/sim.h"

enum board_talk_stage {
	TALK_NAME,
	TALK_TCP,
	TALK_TLS,
	TALK_OPEN, /* the upgrade, or CONNACK */
	TALK_HELLO,
	TALK_INIT,
	TALK_LIST,
	TALK_QUIET,
	TALK_SAY, /* only with --say */
	TALK_BYE,
	TALK_STAGES
};

/*
 * What a backend does with a text that a user said (device.md 4.2): what it
 * heard, which tools it calls, what it says, how long that takes.
 */
struct said {
	int64_t began_us; /* the text went out; 0: it did not */
	int64_t first_us, over_us; /* anything came; the last tts stop; 0 */
	char *heard, *spoken, *emotion; /* the first of each; NULL */
	unsigned sentences;
	struct words called; /* tools, as many as are kept */
	unsigned calls, messages;
};

/* Where to; all is lent. */
struct board_talk_to {
	bool mqtt, tls;
	const char *host;
	uint16_t port;
	const char *client_id; /* MQTT */
};

/* Zeroed at first. */
struct board_talk {
	struct checkup *k;
	struct board_talk_to to;
	int64_t quiet_ms, say_ms; /* how long silence is listened to */
	int64_t limit_us; /* loop_now_us() at which it is ended anyway */
	enum board_talk_stage at; /* the one that is not over */
	int64_t open_us, said_hello_us, hello_us, init_us, list_us;
	int64_t last_us; /* of the backend */
	uint32_t seen; /* requests */
	unsigned lists, calls, others; /* of them */
	struct said said;
	bool goodbye; /* said by us */
	char *over; /* the connection is: why; NULL; owned */
	int64_t over_us;
};

/* The name of a stage; NULL: it is none of this conversation. */
const char *board_talk_stage_name(const struct board_talk *t,
				  enum board_talk_stage stage);

/* Of struct sim_observer; owner is the talk. */
void board_talk_trace(void *owner, const struct trace *frame);
void board_talk_found(void *owner, const char *device, const struct finding *f,
		      const char *detail);

/* It is over: the stages that are left. why: of sim_run. */
void board_talk_end(struct board_talk *t, const struct sim_summary *sum,
		    struct error *why);
void board_talk_done(struct board_talk *t);

/* The backend said something, whatever a board makes of it. */
bool board_talk_was_heard(const struct board_talk *t);

#endif
