/* SPDX-License-Identifier: MIT */
/* Its prompts, resources, completion. */
#ifndef SIM_SERVICE_ITEMS_H
#define SIM_SERVICE_ITEMS_H

#include "sim/service_state.h"

void service_prompts_list(struct service_part *p);
void service_prompts_get(struct service_part *p);
void service_complete(struct service_part *p);

void service_resources_list(struct service_part *p);
void service_templates_list(struct service_part *p);
void service_resources_read(struct service_part *p);
void service_resources_get(struct service_part *p);

#endif
