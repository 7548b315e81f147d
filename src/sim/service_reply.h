/* SPDX-License-Identifier: MIT */
/* Results and errors of a message; the end of a question. */
#ifndef SIM_SERVICE_REPLY_H
#define SIM_SERVICE_REPLY_H

#include "sim/service_state.h"

struct service *service_of(const struct service_part *p);
/* Whether the client's revision has what came with `since` ("2025-06-18"). */
bool service_has(const struct service_part *p, const char *since);
/*
 * The reply of a part that is open: a result (JSON text; one of 2026-07-28 gets
 * what each has there), or an error.
 */
void service_result(struct service_part *p, const char *result);
/* data: JSON text, or NULL. */
void service_fail(struct service_part *p, int code, const char *data,
		  const char *format, ...) PRINTF_LIKE(4, 5);
/* Such data: {"timeout_seconds":30,"retry_after":5}, of ms; 0: left out. */
void service_add_times(struct buf *out, int64_t timeout, int64_t retry_after);
/* With that status, where it is HTTP. */
void service_status(struct service_part *p, int status);
/* The result of a tool. content and structured are JSON; NULL: none. */
void service_tool_result(struct service_part *p, const char *content,
			 const char *structured, bool is_error);
/* A list of content that is one text. */
void service_add_text(struct buf *out, const char *text, size_t len);
/* Show it to whom the configuration names (service_config.message). */
void service_message(const struct service_client *c, bool outgoing,
		     const char *text, size_t len);
void service_line(const struct service *s, const char *format, ...)
	PRINTF_LIKE(2, 3);
/* A message before the reply of p. False: its client cannot be told. */
bool service_tell(const struct service_part *p, const struct buf *message);
/* All of it is said. The owner may free the client while it is told. */
void service_question_over(struct service_question *q);
/* Nothing of it is at work any more. */
void service_question_free(struct service_question *q);
/* A part that was at work has its reply (or none: it was cancelled). */
void service_part_over(struct service_part *p);

#endif
