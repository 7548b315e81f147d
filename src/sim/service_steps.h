/* SPDX-License-Identifier: MIT */
/* What happens before a result, step by step. */
#ifndef SIM_SERVICE_STEPS_H
#define SIM_SERVICE_STEPS_H

#include "sim/service_state.h"

/* Set a call to work: it answers at once or later. */
void service_steps_begin(struct service_call *call);
/*
 * The steps that are left, and the end. True: it goes on later; false: it is
 * answered.
 */
bool service_steps_run(struct service_call *call);
/*
 * Check the list `steps` of an element, whose templates may use what `known`
 * knows; sets what s can change.
 */
int service_steps_check(struct service *s, struct reader *r,
			const cJSON *element,
			const struct template_source *known);
/* Whether some step asks for that key. */
bool service_steps_ask(const cJSON *steps, const char *key);

#endif
