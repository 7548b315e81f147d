/* SPDX-License-Identifier: MIT */
/*
 * The parts of `serve`: cmd_serve.c (the command), serve_rows.c (its options).
 */
#ifndef CLI_CMD_SERVE_H
#define CLI_CMD_SERVE_H

#include "cli/app.h"
#include "serve/serve.h"

struct serve_arguments {
	struct words listen;
	const char *path, *alias_file, *save_images, *vision_exec, *vision_text;
	const char *mqtt_broker, *topic_up, *topic_down, *mqtt_key_file;
	const char *mqtt_operator_file, *enroll;
	const char *exec, *pidfile, *log;
	int offer; /* enum serve_offer */
	int64_t mqtt; /* port; OPTION_BARE: the default one; 0: no broker */
	int64_t udp_port, devices_max, message_max, picture_max;
	int64_t handshake, hello_wait;
	bool silence, once, daemon, no_sandbox;
};

extern const struct option_row serve_rows[];

/*
 * What serve is asked for; texts that are files are made absolute and kept in
 * `paths`, since a daemon's folder is "/". -1 (ERR_USAGE): options that do not
 * go together.
 */
int serve_configure(struct serve_config *out, struct words *paths,
		    const struct app *app, const struct serve_arguments *a,
		    struct error *err);

#endif
