/* SPDX-License-Identifier: MIT */
/* sim with a profile that is a service: a port for MCP clients. */
#ifndef CLI_SIM_SERVICE_H
#define CLI_SIM_SERVICE_H

#include "cli/app.h"
#include "sim/service.h"

struct sim_service {
	const char *profile;
	const char *listen; /* NULL: 127.0.0.1:8088 */
	int64_t run_for; /* ms; 0: until Ctrl-C */
	struct admit_options admit;
	struct exec_config outside; /* its loop does not count */
};

/* Until the time is over or Ctrl-C; what happens stands on stderr. -1: err, as service_load and service_listen. */
int sim_service_run(struct app *app, const struct sim_service *o,
		    struct error *err);

#endif
