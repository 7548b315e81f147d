/* SPDX-License-Identifier: MIT */
/* Tools that run as tasks, of both eras. */
#ifndef SIM_SERVICE_TASKS_H
#define SIM_SERVICE_TASKS_H

#include "sim/service_state.h"

void service_tasks_get(struct service_part *p);
void service_tasks_result(struct service_part *p);
void service_tasks_list(struct service_part *p);
void service_tasks_cancel(struct service_part *p);
void service_tasks_update(struct service_part *p);
/* tools/call, of what may become a task. */
void service_tasks_call(struct service_part *p);
void service_tasks_free(struct service *s);

#endif
