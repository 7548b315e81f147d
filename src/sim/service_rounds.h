/* SPDX-License-Identifier: MIT */
/* What it asks its client: by requests, or by rounds. */
#ifndef SIM_SERVICE_ROUNDS_H
#define SIM_SERVICE_ROUNDS_H

#include "sim/service_state.h"

enum service_asked {
	ASKED_ON, /* nothing had to be asked, or all answers are there */
	ASKED_WAIT, /* the call goes on when they are */
	ASKED_OVER /* the part is answered: more is required, or it is refused */
};
/* The step `ask`. */
enum service_asked service_ask_step(struct service_call *call,
				    const cJSON *step);
int service_ask_check(struct reader *r, const cJSON *step,
		      const struct template_source *known);
/*
 * Before the first step: what came with the request (inputResponses,
 * requestState), and whether its client can be asked at all. -1: refused, and
 * said so.
 */
int service_rounds_begin(struct service_call *call);
void service_rounds_free(struct service *s);
/* What a task of 2026-07-28 asks now, as members of an object. Appended. */
void service_add_asked(struct service_call *call, struct buf *out);
/* tasks/update: answers to that, by key. */
void service_answer_task(struct service_call *call, const cJSON *responses);
/* A response of the client to what it was asked. */
void service_answered(struct service_client *c, const cJSON *message);

#endif
