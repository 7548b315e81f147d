/* SPDX-License-Identifier: MIT */
/* Its profile, read and checked. */
#ifndef SIM_SERVICE_PROFILE_H
#define SIM_SERVICE_PROFILE_H

#include "sim/service_state.h"

/* Read and check; s is zeroed but for config. -1: err. */
int service_read(struct service *s, const char *name_or_path,
		 struct error *err);
int service_parse(struct service *s, const char *text, size_t len,
		  const char *file, struct error *err);

#endif
