/* SPDX-License-Identifier: MIT */
/* Between service_load.c and service_load_tools.c. Private to them. */
#ifndef SIM_SERVICE_LOAD_H
#define SIM_SERVICE_LOAD_H

#include "sim/reader.h"
#include "sim/service_private.h"

/* The common texts of an element; each is a string if it is there. */
int service_check_texts(struct reader *r, const cJSON *json);
/* Add a tool; prompts are there already. -1: r->err. */
int service_read_tool(struct service *s, struct reader *r, cJSON *json);

#endif
