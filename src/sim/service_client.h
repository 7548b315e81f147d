/* SPDX-License-Identifier: MIT */
/* Its clients, and their questions from being begun to being dropped. */
#ifndef SIM_SERVICE_CLIENT_H
#define SIM_SERVICE_CLIENT_H

#include "sim/service_state.h"

/* A question that is asked now; h NULL: its own is. */
struct service_question *service_question_begin(struct service_client *c,
						const struct mcp_hearer *h,
						void *owner);
/* So many parts, zeroed. */
void service_question_parts(struct service_question *q, size_t count);
/* It was asked; the same as service_hear returns. */
struct service_question *service_question_asked(struct service_question *q);

#endif
