/* SPDX-License-Identifier: MIT */
/*
 * A port that boards knock at: it listens in one place or many, answers their
 * OTA question (device.md 5), activation and a browser, judges path, token and
 * names of a WebSocket before its upgrade is answered (device.md 1.2), counts
 * what came and remembers what each board was told. What is done otherwise by
 * listen: (one board) and by serve (many) is a table of theirs, port_policy.
 * Files: port.c, port_memory.c (of boards), port_parts.c (what other ports of
 * ours need too).
 */
#ifndef NET_PORT_H
#define NET_PORT_H

#include "net/port_memory.h"
#include "net/port_parts.h"

#define ID_MAX 127 /* bytes of a Device-Id or Client-Id */

/* Who a visit is about; NULL where it is not known. */
struct who {
	const char *device_id, *client_id, *address;
};

/* A request, during its event; lent. */
struct visit {
	struct port *port;
	void *owner; /* of the port */
	const struct port_place *place; /* where it came in */
	struct front_request *rq; /* NULL: an upgrade, or a head alone */
	const struct front_head *head;
	const char *body;
	size_t len;
	/* from its headers, of an upgrade from its query too; no id above ID_MAX */
	struct who who;
};

enum port_event {
	PORT_ACTIVATE,
	PORT_BROWSER, /* it saw the page */
	PORT_NOISE,
	PORT_NOTHING, /* there is nothing at that path, or no Upgrade came with it */
	PORT_REFUSED, /* by the rules of net/front: text, hint, count */
	PORT_TOO_LARGE, /* an OTA question */
	PORT_FAILED, /* we could not */
	PORT_PATH, /* an upgrade for another path than ours */
	PORT_TOKEN,
	PORT_NAME, /* an upgrade whose ids are too long */
	PORT_TOLD /* a board is sent elsewhere than before */
};

enum token_verdict {
	TOKEN_FITS, /* also if there are no tokens */
	TOKEN_MISSING,
	TOKEN_WRONG,
	TOKEN_OF_ANOTHER /* right, and of another device: what it showed was copied */
};

/* What happened; texts are lent. */
struct port_news {
	enum port_event event;
	struct who who;
	const char *text;
	const char *hint; /* NULL */
	enum front_noise noise; /* of PORT_NOISE */
	enum token_verdict verdict; /* of PORT_TOKEN */
	uint64_t count;
};

enum port_offer {
	PORT_OFFER_HERE, /* our WebSocket */
	PORT_OFFER_BROKER,
	PORT_OFFER_NONE /* it was refused, and answered */
};

struct port_policy {
	void (*heard)(void *owner, const struct port_news *n);
	/* OTA, and was sent there: to our WebSocket, or to a broker. */
	void (*asked)(const struct visit *v, const struct ota_request *rq,
		      const char *sent_to, bool mqtt);
	/* What stands between page_start and page_end. */
	void (*page)(const struct visit *v, struct buf *out);
	/* May a board with these names come with that token ("Bearer X", X, NULL)? */
	enum token_verdict (*token)(void *owner, const struct who *who,
				    const char *given);
	/* The token that it is told; NULL: none. */
	const char *(*token_for)(void *owner, const struct ota_request *rq);
	/* All that may be told, one by one; NULL: no more. */
	const char *(*token_at)(void *owner, size_t i);
	/*
	 * An upgrade is let in: what takes its WebSocket, and the share. NULL:
	 * there is no place, *reason says why (503). peer is lent.
	 */
	struct transport *(*place)(const struct visit *v,
				   const struct peer_info *peer,
				   const char **reason);
	/* Its WebSocket could not be opened: it has its place no more. */
	void (*unplace)(void *owner, struct transport *t);
	enum front_standing (*standing)(const struct visit *v);

	/* NULL: not of this owner. */

	/* True: the request is the owner's matter. */
	bool (*http)(const struct visit *v);
	enum port_offer (*offer)(const struct visit *v,
				 const struct ota_request *rq,
				 struct ota_mqtt *mqtt);
	/* What this board is to install, lent for now; false: nothing. */
	bool (*firmware)(const struct visit *v, const struct ota_request *rq,
			 struct ota_firmware *out);
	size_t (*body_max)(const struct visit *v);
	size_t (*sockets_max)(void *owner, const struct port_place *at);
};

struct port_config { /* lent; path and budget until it is closed */
	const struct words
		*listen; /* [HOST:]PORT each, of --listen; or these: */
	const char *host; /* NULL: all addresses */
	uint16_t number;
	int socket; /* one that listens there already, lent; 0: none */
	const char
		*taken; /* hint where that one cannot be had; NULL: front's */
	const char *path; /* the only one for WebSockets; NULL: any */
	/* Of the access point: where tool sides dial in, too; NULL: none. */
	const char *point;
	struct admit_options admit;
	size_t body_max, connections_max, message_max; /* 0: front's */
	int64_t head_timeout;
	struct budget *budget; /* NULL: one of its own */
	bool tells_time; /* in the answer to OTA */
	bool tells_port; /* a device is told by which port it asked (REACHED_PORT) */
};

/* What came so far; judged by diag/arrival. */
struct port_facts {
	unsigned connections; /* anything at all */
	unsigned browser, tls, ota, wrong_path, wrong_token, upgraded;
	unsigned
		no_upgrade; /* WebSockets from which a proxy took Upgrade away */
	unsigned foreign; /* pages of others, names that are not ours */
	bool lan; /* something came from another machine than this one */
	bool home; /* only this machine can reach the port */
	char ota_id[64], ota_board[96], ota_version[48],
		ota_address[64]; /* of the last OTA question */
	char wrong_path_text[128]; /* the last wrong path */
	char foreign_text[200], foreign_hint[256]; /* of the last one */
};

struct port_place { /* one listening socket */
	struct port *port;
	struct front *front;
	char *host; /* NULL: all addresses */
	uint16_t number;
};

struct port {
	struct loop *loop;
	struct port_config config;
	const struct port_policy *policy;
	void *owner;
	const struct front_table *front;
	const struct ws_table *ws;
	struct port_place *place;
	size_t places; /* opened */
	size_t open; /* not closed yet */
	char *advertised_ws, *advertised_ota; /* by --advertise; NULL */
	bool behind_proxy; /* --advertise was a URL */
	char *ota_url; /* the first that is shown */
	struct port_facts facts;
	struct memory memory;
	void (*closed)(void *owner);
	void *closed_owner;
};

/* All places, or none. -1: as front's open; ERR_USAGE: what the user gave. */
int port_open(struct port **out, struct loop *l, const struct port_config *c,
	      const struct port_policy *policy, void *owner, struct error *err);
/* Refusals that were counted are told now. */
void port_hush(struct port *p);
/* Once. The same, and no event from then on; then released, and closed(owner), which may be NULL. */
void port_close(struct port *p, void (*closed)(void *owner), void *owner);

/* The OTA addresses to set on boards, best first, added. */
void port_addresses(const struct port *p, struct words *out);
/*
 * By which HOST[:PORT] of ours an upgrade came; yours. Firmware leaves the port
 * out of Host in this request (device.md 1.2).
 */
char *port_reached(const struct port_place *at, const struct front_head *head);
/*
 * "http://HOST:PORT" of ours for a device that reached us so; yours. NULL: it is
 * not known how, the first address will do. --advertise goes first.
 */
char *port_base(const struct port *p, const char *reached);
/* Those addresses in lines, and where they lead behind a proxy; appended. */
void port_describe(const struct port *p, struct buf *out);
/* The same of the access point (config.point). */
void port_describe_point(const struct port *p, struct buf *out);
/* The member of the query in which a device says by which port it came. */
#define REACHED_PORT "port"

/* A browser is shown a page: counted and told, as that of the port is. */
void visit_by_browser(const struct visit *v);

/* {"error":text} */
void visit_refuse(const struct visit *v, int status, const char *text);

#endif
