/* SPDX-License-Identifier: MIT */
/*
 * The mock backend: what a stock device accepts as its server. It listens,
 * answers, holds the devices that come, and lets attached commands at them.
 * It prints nothing: what happens is queued as records.
 */
#ifndef SERVE_SERVE_H
#define SERVE_SERVE_H

#include "base/loop.h"
#include "base/split.h"
#include "net/pictures.h"
#include "serve/record.h"

struct finding;
struct port;
struct trace;

enum serve_offer { OFFER_AUTO, OFFER_WEBSOCKET, OFFER_MQTT };

struct serve_config { /* all borrowed: they live until serve_close */
	const struct words *listen; /* [HOST:]PORT each; NULL or empty: 8000 */
	const char *path; /* the only one for WebSockets; NULL: any */
	/*
	 * Of an access point (backends.md 3): who dials it and says no hello is a
	 * tool side at once. NULL: that shows by its silence.
	 */
	const char *mcp_endpoint;
	const char *advertise; /* HOST or URL, as for listen: */
	const struct words *allow_hosts, *allow_origins,
		*proxies; /* net/admit.h; NULL */
	int offer; /* enum serve_offer; AUTO: MQTT if there is a broker */
	const char
		*token_file; /* see serve/tokens.h; NULL: none; MCPCTL_TOKEN */
	const char *alias_file; /* see serve/aliases.h; NULL: the default one */
	bool no_init;
	/* No port: for servers that are kept open (serve/held.h) alone. It stops by
	   itself when there is none. */
	bool no_listen;

	/* the page */
	bool web; /* browsers of this machine, or with the token, see the boards */
	const char *web_token_file; /* see serve/pages_access.h; NULL: none */
	/* What trace writes, to be read for download; lent until then. NULL. */
	const int *trace_fd;

	/* vision */
	struct picture_rules pictures; /* picture_max 0: PICTURE_MAX */
	const char *save_audio; /* folder, see net/voice.h; NULL: not kept */
	const char *
		vision_url; /* of another service, told to devices instead of ours; NULL */
	const char *vision_token; /* for it; NULL: none */

	/* MQTT */
	bool mqtt; /* start a broker of our own */
	uint16_t mqtt_port; /* 0: 1883 */
	const char *mqtt_broker; /* URL of one that runs; NULL */
	const char *topic_up, *topic_down; /* for it; NULL: the defaults */
	/* the signature key of device.md 2.1, an absolute path; NULL: not checked */
	const char *mqtt_key_file;
	const char *enrolled_file; /* see serve/tokens.h; NULL: not kept */
	int64_t enroll; /* ms in which boards that come are enrolled; 0: none */
	const char *
		mqtt_operator_file; /* the operator's password, the same; NULL: none */
	const char *
		mqtt_password_file; /* for mqtt_broker; or MCPCTL_MQTT_PASSWORD */
	const char *cacert; /* for mqtts */
	bool insecure;
	uint16_t udp_port; /* 0: any free one */
	bool silence; /* answer audio with silence */

	/* limits; 0: the default */
	int64_t devices_max; /* 20,000, or what the descriptors allow */
	bool by_files; /* set by serve: it is the latter */
	int64_t message_max; /* bytes, 1 MB */
	int64_t handshake; /* ms for a request's head, 10 s */
	int64_t hello_wait; /* ms until a silent peer is closed, 30 s */
	int64_t timeout; /* ms for initialize and each page, 10 s */

	const char *power_cmd; /* see serve/power.h; NULL: none */

	const char *socket; /* control socket; NULL: the default place */
	bool verbose; /* records of LEVEL_DEBUG too */
	bool fenced; /* its broker gets fences (base/fence.h) */
	/* every frame of every device (rpc/session.h); may be NULL */
	void (*trace)(void *owner, const struct trace *t);
	void *trace_owner;
};

struct serve;

/*
 * Everything is listening when it returns 0. -1: what could not be (port in
 * use and by whom, another serve on the same socket, mosquitto missing and
 * which package, a file that cannot be read); nothing is left open.
 */
int serve_open(struct serve **out, struct loop *l,
	       const struct serve_config *config, struct error *err);

/* One with nothing open yet; for tests of its parts. */
struct serve *serve_new(struct loop *l, const struct serve_config *config);

/*
 * Wait until there is a record, a stop was asked for, or the deadline
 * (loop_now() ms): 0. -1: ERR_INTERRUPTED (signal).
 */
int serve_wait(struct serve *s, int64_t deadline, struct error *err);
struct record *serve_take(struct serve *s);
/* For parts of the program that add to the log (--exec). */
struct records *serve_records(struct serve *s);
/* Let serve_wait return. */
void serve_wake(struct serve *s);

bool serve_stopping(const struct serve *s); /* `mcpctl stop`, or alone */
/* It has no port, and nothing is kept open any more. */
bool serve_alone(const struct serve *s);
/* Something is still being opened: until then it does not end for being alone. */
void serve_awaits(struct serve *s, bool more);
/* Read token, alias and key files again; what could not be read stays as it was, and is a record. */
void serve_reload(struct serve *s);

/* What boards are saying ends here for the files of it, and what was counted is told: before serve closes. */
void serve_hush(struct serve *s);

const char *serve_socket(const struct serve *s);
/* The port that boards knock at. */
const struct port *serve_port(const struct serve *s);
/* The next device that became ready (or failed) since the last call: its id, lent until the next call; NULL: none. failed: its state. */
const char *serve_next_ready(struct serve *s, bool *failed);
/* How a command picks that device alone (-d), also where its id reads like another's alias; yours. */
char *serve_device_pattern(const struct serve *s, const char *id);
/* "leased by NAME for 12 min more", yours; NULL: nobody holds it. */
char *serve_leased(const struct serve *s, const char *id);
/* Its name, lent until names are read again; NULL: it has none. */
const char *serve_alias(const struct serve *s, const char *id);
/* Of a board's serial log, which is read beside (cli/witness.h); lent. */
struct serial_told {
	const char *name; /* "serial", "serial/kitchen" */
	struct span
		text; /* a line, secrets masked; text NULL: note says what */
	const char *note; /* NULL */
};
/*
 * For the commands that are attached to that board. device NULL: it is not known
 * whose log it is, so it is told where a single board is there.
 */
void serve_serial_line(struct serve *s, const char *device,
		       const struct serial_told *told);
void serve_serial_found(struct serve *s, const char *device,
			const struct finding *f, const char *detail);
/* From now on every wake-up tells of devices by serve_next_ready. */
void serve_track_ready(struct serve *s);

/* Before it is opened: what its spawner (base/spawner.h) will be asked for. */
void serve_allow(const struct serve_config *c);
/* The rules of its fences (base/fence.h), added. */
void serve_fence(const struct serve *s, struct words *rules);

/* Close all devices properly (at most one second), the broker, the socket; release. NULL is fine. */
void serve_close(struct serve *s);

#endif
