/* SPDX-License-Identifier: MIT */
/*
 * What it puts on the wire, at once; what it hears and says, as the engine of
 * findings sees it.
 */
#ifndef SIM_PRETEND_SAY_H
#define SIM_PRETEND_SAY_H

#include "sim/pretend_loop.h"

/* Another conversation is judged from here on. */
void pretend_judge_anew(struct pretend *d);

/* Sound is over, nothing is said of it. */
void pretend_leave_session(struct pretend *d);

/* What leaves at once; nothing if there is no connection. */
void pretend_say_hello(struct pretend *d);
void pretend_say_wake_word(struct pretend *d);
void pretend_start_listening(struct pretend *d);
void pretend_send_audio(struct pretend *d);
void pretend_say_event(struct pretend *d, const cJSON *event);
/*
 * A JSON-RPC payload, in its envelope unless the device is bare. False: it did
 * not go out.
 */
bool pretend_send_payload(struct pretend *d, const char *payload, size_t len);
/*
 * Half of it: cut-frame, close-mid-reply. True: then the connection has ended.
 */
bool pretend_send_cut(struct pretend *d, const char *payload, size_t len);
void pretend_send_as_is(struct pretend *d, const char *text);

/* Which way its frames go, in the engine's words. */
enum diag_leg pretend_leg(const struct pretend *d);
/* A frame that the engine sees, whatever the board makes of it. */
void pretend_judge(struct pretend *d, bool from_device, const char *text,
		   size_t len);
/* A listing got to its last page; the first one of a device is counted. */
void pretend_listed_whole(struct pretend *d);
/* A real board does not survive what was just found. */
void pretend_died(struct pretend *d, enum diag_code of);
/* One that has not begun. For who has several clients, and swaps d->talk. */
void pretend_talk_start(struct pretend *d, struct pretend_talk *t);

/* To its owner: DEVICE_LINE. */
PRINTF_LIKE(2, 3)
void pretend_line(struct pretend *d, const char *format, ...);

/* What waits, answers above all, that a peer may make us hold. */
#define HELD_MOST ((size_t)64 << 20)
/* More than that, which is told. */
bool pretend_is_overrun(struct pretend *d);

#endif
