/* SPDX-License-Identifier: MIT */
/*
 * The ways by which hosts come to the bridge: stdin and stdout, a port, an
 * access point, a broker. Each is a row of the table: whether the options ask for
 * it, and how it is opened, looked after and closed. It carries messages to the
 * answerer and replies back, and knows nothing of boards.
 */
#ifndef BRIDGE_FRONTS_H
#define BRIDGE_FRONTS_H

#include "base/loop.h"
#include "base/split.h"
#include "bridge/catalogue.h"
#include "clients/answerer.h"

struct app;
struct bridge;

/* Of the command; see the rows in cmd_bridge.c. */
struct bridge_options {
	int names; /* enum bridge_names */
	bool user_tools, read_only, merge, awake_only, no_own, generic;
	bool false_is_error, photos;
	struct words allow, deny;
	bool list;
	const char *print_config; /* whose; NULL */
	const char *log; /* file; NULL: stderr */
	int64_t ask_timeout; /* ms that a host may take to answer; 0: the default */
	int64_t rate; /* calls a second for each board; 0: the default */
	const char *listen; /* [HOST:]PORT; NULL */
	bool announce; /* that port, in this network */
	struct words interfaces; /* there; none: all but loopback */
	const char *token_file; /* of that port; NULL: from the environment */
	const char *mcp_endpoint_file; /* addresses of access points; NULL */
	int64_t mcp_endpoint_tools; /* shown there; 0: the default */
	const char *mcp_mqtt; /* a broker; NULL */
	bool keep_asleep; /* boards stay announced there while they sleep */
	bool stdio; /* also set where no other front is wanted */
};

/* What a front is opened with; lent as long as it is open. */
struct front_order {
	struct app *app; /* its loop is open */
	const struct bridge_options *options;
	const struct answerer *answerer;
	struct bridge *bridge; /* for what shows each board apart */
	/* One line for the user, which hides no secret by itself; from the loop, too. */
	void (*told)(void *owner, const char *text);
	void *owner;
	bool *woken; /* set it where `step` has something to do */
};

struct bridge_front {
	const char *name; /* for lines: "stdio" */
	bool (*wanted)(const struct bridge_options *o);
	int (*open)(void **front, const struct front_order *order,
		    struct error *err);
	/*
	 * Main line, after each turn of the loop; may be NULL. 0: it goes on;
	 * *next (LOOP_FOREVER before) is the loop_now() ms at which to come
	 * again at the latest. 1: it is over and all is well: the bridge ends.
	 * -1: it is over and will not come back; the bridge ends with that where
	 * no other front is left.
	 */
	int (*step)(void *front, int64_t *next, struct error *err);
	/* At most a second; releases. NULL is never given. */
	void (*close)(void *front);
};

extern const struct bridge_front bridge_front_stdio;
extern const struct bridge_front bridge_front_port;
extern const struct bridge_front bridge_front_endpoint;
extern const struct bridge_front bridge_front_mqtt;

/* NULL-terminated. (fronts.c) */
extern const struct bridge_front *const bridge_fronts[];

#endif
