/* SPDX-License-Identifier: MIT */
/*
 * The options of `serve`, and their rows for help.
 */
#ifndef CLI_CMD_SERVE_H
#define CLI_CMD_SERVE_H

#include "base/error.h"
#include "base/loop.h"
#include "base/split.h"
#include "cli/app.h"
#include "mcp/name_set.h"
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

struct serve;
struct command_of;

struct serve_exec {
	struct loop *loop;
	struct serve *server;
	const char *command; /* for sh -c; NULL: nothing is run */
	struct command_of *first; /* running */
	size_t running;
	bool idle; /* none is running: for loop_wait */
	uint64_t started, ended; /* one that could not be started ended, too */
	int worst, first_status; /* of those that ended */
	struct words queue; /* ready devices that have to wait */
	struct name_set places; /* theirs in it, since it was empty */
	size_t taken; /* of the queue: their turn came */
};

struct record;

struct serve_missing {
	bool came, browser, ota, mqtt, connected, hello;
	char *failed, *refused; /* "ID: why" of the last one, or NULL */
	char *hint; /* of that record */
	char *broker; /* why there is none now; NULL */
	char *broker_hint;
	char *who; /* who got furthest, last; NULL */
};

/* Each record that was taken, shown or not. */
void serve_missing_note(struct serve_missing *m, const struct record *record);

/* Always -1: ERR_CONNECT. waited: ms. */
int serve_missing_explain(const struct serve_missing *m, int64_t waited,
			  struct error *err);
void serve_missing_done(struct serve_missing *m);

/*
 * Of the device that is attached; yours. -1: ERR_USAGE: it is no device of a
 * serve; why serve has none; ERR_TIMEOUT.
 */
int upload_address(struct app *app, char **out, struct error *err);

#endif
