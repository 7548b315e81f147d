/* SPDX-License-Identifier: MIT */
/*
 * A target taken apart, with what the options add before the transport is
 * opened. Knows the syntax of every scheme, and none
 * of their implementations.
 */
#ifndef NET_ENDPOINT_H
#define NET_ENDPOINT_H

#include "base/error.h"
#include "base/split.h"
#include "wire/envelope.h"

struct bearer;

struct header {
	char *name, *value; /* name as received or given */
};

struct headers {
	struct header *item;
	size_t count, capacity;
};

/* What stands behind a target. What each can do is its row's matter. */
enum scheme_kind {
	SCHEME_ATTACH,
	SCHEME_LISTEN,
	SCHEME_WEBSOCKET,
	SCHEME_HTTP,
	SCHEME_CHILD,
	SCHEME_MQTT,
	SCHEME_MCP_MQTT, /* servers at a broker, by MCP over MQTT */
	SCHEME_SIM
};

enum scheme_trait {
	SCHEME_TLS = 1 << 0,
	SCHEME_WAITS = 1 << 1, /* for a device that comes when it likes */
	SCHEME_OLD_SSE = 1 << 2, /* HTTP+SSE, not Streamable HTTP */
	/* Neither of these: it is found out, or --envelope says it. */
	SCHEME_DEVICE = 1 << 3, /* speaks in the envelope of devices */
	SCHEME_PLAIN = 1 << 4 /* speaks bare JSON-RPC */
};

struct endpoint;

struct scheme {
	const char *name, *syntax, *brief;
	enum scheme_kind kind;
	unsigned traits; /* of enum scheme_trait */
	uint16_t port; /* unless the target names one; 0: it has none */
	/* What stands behind the colon, into e. -1 (ERR_USAGE). */
	int (*parse)(struct endpoint *e, const char *rest, struct error *err);
};

/* All there are, as help lists them; a row without name ends it. */
extern const struct scheme schemes[];

/* The row of the len bytes of name, whatever their case. NULL: there is none. */
const struct scheme *scheme_find(const char *name, size_t len);

/* Places of the choice --era. */
enum era_wish { WISH_AUTO, WISH_MODERN, WISH_LEGACY };

struct endpoint {
	char *text; /* the target as given */
	char *source; /* where it came from: "the argument", "MCPCTL_TARGET", … */
	const struct scheme *scheme;
	char *host; /* without brackets; NULL if not given */
	uint16_t port; /* scheme's default if not given */
	bool has_port;
	char *user; /* mqtt and mcp+mqtt, decoded; NULL if none */
	/*
	 * With its query, "/" if not given (listen: any path). sim: the profile,
	 * attach: the socket ("" if none). stdio: the command line. mqtt: the
	 * client id, decoded, without a slash. mcp+mqtt: SERVER-ID/SERVER-NAME, or a
	 * filter of those, decoded; "" if none.
	 */
	char *path;
	char *query; /* sim only: behind '?'; NULL if none */
	bool plain_args; /* mcp+mqtt: ?args=plain, whatever SDK it is */

	/*
	 * A file says so that came with a folder: it gets no secret of the
	 * environment that it does not name.
	 */
	bool foreign;

	/* from options; owned */
	char *cacert; /* --cacert */
	bool insecure; /* --insecure */
	struct headers headers; /* --header, ws and http */
	char *advertise; /* --advertise HOST or URL, listen */
	char *save_images; /* --save-images DIR, listen and sim */
	int64_t picture_max; /* --picture-max, listen and sim; 0: 8 MB */
	struct words allow_hosts, allow_origins,
		trusted_proxies; /* net/admit.h, listen */
	struct words tokens; /* accepted device tokens; empty: any */
	enum dialect envelope; /* --envelope */
	enum era_wish era; /* --era, protocolEra */
	int64_t connect_timeout; /* ms for one dial; 0: 10 s */
	int64_t wait; /* mcp+mqtt: ms for a server to come; 0: who is there */
	size_t message_max; /* bytes of one message from the peer; 0: 16 MB */
	/* -d: attach: Device-Id, client id, alias or glob; mcp+mqtt: as mcp_names_fit;
	   NULL */
	char *device;
	bool tail; /* attach: audio frames are wanted too */
	int64_t call_timeout; /* attach: ms that calls are waited for; 0 */
	char *password; /* mqtt: from a file or the environment; NULL */
	struct words argv; /* stdio: the program and its arguments */
	struct words env; /* stdio: "NAME=VALUE", added to ours */
	char *cwd; /* stdio: where it runs; NULL: here */
	/* http: who has the tokens of OAuth (net/bearer.h), lent; NULL: none */
	const struct bearer *bearer;
	char *oauth; /* http: the object of that name of a configuration; NULL */
	char *proxy; /* http: --proxy; NULL: as the environment says */
	struct words resolve; /* http: "HOST:PORT:ADDRESS" */
	/* It is kept open by serve: asked there (net/attach.h), by this key, at that
	   socket. NULL: it is dialled. */
	char *held, *held_at;
	char *topic_up,
		*topic_down; /* mqtt: from ?up= and ?down=, decoded; NULL */
};

/*
 * Parse `text` into out (freed by endpoint_done). -1 (ERR_USAGE): which part
 * is wrong, what is expected, and that it came from `source`; an unknown
 * scheme gets the nearest one proposed.
 */
int endpoint_parse(struct endpoint *out, const char *text, const char *source,
		   struct error *err);
/* The same with the reason alone as error: for who names the target itself. */
int endpoint_read(struct endpoint *out, const char *text, const char *source,
		  struct error *err);
void endpoint_done(struct endpoint *e);
/* For an error text: what should not be in a URL, a password, is ***. Yours. */
char *endpoint_without_password(const char *text);

/* The scheme's row has that trait. */
bool endpoint_has(const struct endpoint *e, enum scheme_trait trait);

/*
 * A program and its arguments as a target: "stdio:" and the words, quoted so
 * that endpoint_parse takes the same words out of it. Yours.
 */
char *endpoint_child_text(char *const *words, size_t count);

/*
 * One server at the broker of a target of MCP over MQTT, as a target; appended.
 * id NULL: all of them.
 */
void endpoint_mcp_text(struct buf *out, const struct endpoint *at,
		       const char *id, const char *name);

/* Nobody at the broker of such a target fits it, and its device. Always -1. */
int endpoint_mcp_none(const struct endpoint *at, struct error *err);

/* "HOST:PORT" or "PORT" or "[::1]:8000", as --listen takes it. host is yours, NULL if none. */
int endpoint_parse_listen(const char *text, char **host, uint16_t *port,
			  struct error *err);

#endif
