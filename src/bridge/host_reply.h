/* SPDX-License-Identifier: MIT */
/* Results, errors, the end of a question. */
#ifndef BRIDGE_HOST_REPLY_H
#define BRIDGE_HOST_REPLY_H

#include "bridge/host_state.h"

/* The part is over with this result (JSON of an object), or an error. */
void host_result(struct host_part *p, const char *result);
void host_error(struct host_part *p, int code, const char *data,
		const char *format, ...) PRINTF_LIKE(4, 5);
/* … with nothing to say, whatever is under way. */
void host_silence(struct host_part *p);
/* With which status of HTTP, where it is alone. */
void host_status(struct host_part *p, int status);
/* A message that belongs to the question; false: it cannot be told. */
bool host_tell(const struct host_part *p, const char *text, size_t len);
/*
 * All parts are over: the reply goes out, and the question is released. True:
 * that is so.
 */
bool host_settle(struct host_question *q);
/*
 * Its one part has this result for now, and the question is held until it goes
 * on for another one (host_take_up), or is freed. Whoever is told may free the
 * client.
 */
void host_hold(struct host_question *q, const char *result);
/*
 * The held question that q has become: it goes on for q's host, under q's id, and
 * q is released. Any other: q.
 */
struct host_question *host_take_up(struct host_question *q);
/* ms that a host may take to answer. */
int64_t host_patience(const struct bridge_host *h);
/* Of its metadata, for signs of life. */
void host_take_token(struct host_part *p);
void host_question_link(struct host_question *q, struct host_client *c);
/* It is heard no more, and nobody waits. */
void host_question_free(struct host_question *q);
/*
 * True: what there is behind the bridge may yet come to be known, so the method
 * (static) is run anew by host_resume.
 */
bool host_waits(struct host_part *p, const char *method);
/* A text of the host's, cut, for an error. */
int host_cut(const char *text);
/* "NAME/VERSION" of clientInfo; yours. NULL: it told none. */
char *host_who(const cJSON *info);

#endif
