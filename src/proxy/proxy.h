/* SPDX-License-Identifier: MIT */
/*
 * Between boards and their backend: what the legs of a running proxy share. A
 * leg (ota, ws, vision; mqtt, udp; an MCP server) has its sockets and reads
 * what passes; each connection of a board is a talk (proxy/talk.h), which is
 * recorded, judged and shown by what stands here. All on one loop; nothing
 * prints: what happened is told to who opened the proxy.
 *
 * Device side -> backend side, whoever dials: "from_device" is towards the
 * upstream.
 */
#ifndef PROXY_PROXY_H
#define PROXY_PROXY_H

#include "base/loop.h"
#include "base/split.h"
#include "capture/writer.h"
#include "net/admit.h"
#include "net/budget.h"
#include "net/lacks.h"
#include "net/tls.h"
#include "net/voice.h"
#include "proxy/alter.h"
#include "proxy/latency.h"

struct proxy;
struct talk;

enum proxy_rewrite { /* bits: what may be changed so that it comes through us */
		     REWRITE_OTA = 1 << 0, /* the rest of its answer */
		     REWRITE_WS = 1 << 1,
		     REWRITE_MQTT = 1 << 2,
		     REWRITE_UDP = 1 << 3,
		     REWRITE_VISION = 1 << 4,
		     REWRITE_ALL = 31
};

enum proxy_level { PROXY_DEBUG, PROXY_INFO, PROXY_WARN, PROXY_BAD };

struct proxy_news { /* texts are lent, and may hold what a peer sent */
	enum proxy_level level;
	const char *device; /* NULL: of none */
	const char *text;
	const char *hint; /* NULL */
};

/* To who opened the proxy, from the loop. */
struct proxy_events {
	/* What passed, as it stands in the capture; the talk may be NULL. */
	void (*passed)(void *owner, const struct talk *t,
		       const struct capture_event *e);
	/* Behind the frame it is of; detail: of this time. count 1 is new. */
	void (*found)(void *owner, const struct talk *t,
		      const struct finding *f, const char *detail);
	void (*said)(void *owner, const struct proxy_news *n);
};

enum upstream_kind {
	UPSTREAM_OTA, /* http:// or https://, whose path ends with an "ota" */
	UPSTREAM_WS,
	UPSTREAM_MQTT,
	UPSTREAM_MCP /* other http(s)://, stdio:, or a command */
};
struct proxy_options { /* lent until the proxy is closed */
	const char *upstream; /* as typed */
	enum upstream_kind kind;
	const struct words *argv; /* of an MCP server behind "--"; NULL */
	/* [HOST:]PORT each; NULL or empty: 8000, before a broker 1883, before a server at 127.0.0.1 */
	const struct words *listen;
	struct admit_options admit; /* --advertise is in it */
	struct tls_trust trust; /* of what is dialled */
	unsigned rewrite; /* of enum proxy_rewrite */
	bool firmware; /* let a newer one through */
	const struct alterations *alter; /* --set and --fault; NULL */
	struct capture_writer *writer; /* NULL: nothing is recorded */
	const char *save_audio; /* folder, see net/voice.h; NULL: not kept */
	size_t talks_max; /* at once; 0: 10,000, or what open files allow */
	const struct proxy_events *events;
	void *owner;
};

/* What the legs have in common; each leg's own things stand behind its pointer. */
struct proxy {
	struct loop *loop;
	struct proxy_options options;
	/*
	 * Of all doors: each connection counts to its end, and no address gets
	 * all of them. Who the upstream knows is learned (proxy/known.h).
	 */
	struct budget *budget;
	size_t knocks_max; /* sockets whose first words are awaited */
	struct turns *turns; /* proxy/turn.h */
	struct tells *tells; /* proxy/tell.c: lines of this minute */
	struct lull *lulls, *lulls_last; /* proxy/lull.h */
	struct talk *talks, *talks_last; /* those that are open */
	size_t open_talks;
	uint32_t next_conn; /* where there is no writer */
	int64_t began_us;
	struct proxy_counts {
		uint64_t talks; /* that ever were */
		uint64_t frames[2], bytes[2]; /* [from_device] */
		uint64_t audio[2];
		uint64_t changed, dropped;
		uint64_t refused; /* who was not let in, or found no upstream */
		uint64_t strangers; /* datagrams of no session */
	} counts;
	struct latency added; /* by us, each frame: arrived -> handed on */
	struct voices *voices; /* NULL: what boards say is not kept */
	struct proxy_found *found; /* findings by code, over all talks */
	bool closing;

	struct web *web; /* the port for OTA, WebSocket, vision; NULL */
	struct mqtt_relay *mqtt; /* NULL until the first endpoint */
	struct udp_relay *udp; /* NULL until the first session */
	struct mcp_relay *mcp; /* an MCP server upstream; NULL */

	bool over; /* the server behind stdio: has ended: close it */
	int status; /* of its program, then: 128 and its number after a signal */
	unsigned legs_open; /* parts that are not closed yet */
	void (*closed)(void *owner);
	void *closed_owner;
};

/*
 * Opens the kind that the upstream is: see proxy_kind. -1: err (ERR_USAGE,
 * ERR_CONNECT: a port that is taken).
 */
int proxy_open(struct proxy **out, struct loop *l,
	       const struct proxy_options *o, struct error *err);
/* Once. All talks end (told), then closed(owner) from the loop, which may look at
   its counts; it is gone then. */
void proxy_close(struct proxy *p, void (*closed)(void *owner), void *owner);
/* Behind that, for who waits no longer: nothing more is told, closed neither, and
   what was lent for p is not looked at again. */
void proxy_leave(struct proxy *p);

/* By its address. -1 (ERR_USAGE): it is none. */
int proxy_kind(enum upstream_kind *out, const char *upstream,
	       struct error *err);

/* The addresses to set on boards, or on hosts of MCP; best first, added. */
void proxy_addresses(const struct proxy *p, struct words *out);

/* How often a code was found, in all talks. */
struct proxy_found {
	uint64_t count[DIAG_CODE_COUNT];
	uint64_t talks[DIAG_CODE_COUNT]; /* in how many of them */
};

#endif
