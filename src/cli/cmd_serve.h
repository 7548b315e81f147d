/* SPDX-License-Identifier: MIT */
/*
 * The options of `serve`, and their rows for help.
 */
#ifndef CLI_CMD_SERVE_H
#define CLI_CMD_SERVE_H

#include "base/error.h"
#include "base/loop.h"
#include "base/split.h"
#include "cli/connection.h"
#include "cli/serve_bridge.h"
#include "diag/arrival.h"
#include "serve/serve.h"

struct serve_arguments {
	struct words listen;
	const char *path, *mcp_endpoint, *alias_file, *vision_exec,
		*vision_text;
	const char *mqtt_broker, *topic_up, *topic_down, *mqtt_key_file;
	const char *mqtt_operator_file, *enroll;
	const char *exec, *pidfile, *log, *power_cmd;
	int offer; /* enum serve_offer */
	int64_t mqtt; /* port; OPTION_BARE: the default one; 0: no broker */
	int64_t udp_port, devices_max, message_max;
	int64_t handshake, hello_wait;
	const char *web_token_file;
	struct words open; /* targets that are kept open */
	struct serve_bridge_order mcp; /* --mcp-mqtt and what goes with it */
	bool silence, once, daemon, no_sandbox, web, no_listen;
};

struct record;

/* Each record that was taken, shown or not. */
void serve_note_arrival(struct arrival *a, const struct record *record);

/*
 * Of the device that is attached; yours. -1: ERR_USAGE: it is no device of a
 * serve; why serve has none; ERR_TIMEOUT.
 */
int upload_address(const struct connection *c, char **out, struct error *err);

#endif
