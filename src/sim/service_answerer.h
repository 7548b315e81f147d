/* SPDX-License-Identifier: MIT */
/* A pretend service as what answers MCP clients. */
#ifndef SIM_SERVICE_ANSWERER_H
#define SIM_SERVICE_ANSWERER_H

#include "clients/answerer.h"
#include "sim/service.h"

/* Those that answer for this service at a port (clients/mcp_port.h); it is lent. */
struct answerer service_answerer(struct service *s);

#endif
