/* SPDX-License-Identifier: MIT */
/*
 * A connection to a broker as a client of MCP, which many targets use. Within the
 * module of net/mqtt.
 */
#ifndef NET_MCP_BROKER_H
#define NET_MCP_BROKER_H

#include "base/map.h"
#include "net/head.h"
#include "net/mqtt_client.h"

#define MCP_NOT_AUTHORIZED 0x87 /* MQTT 5, 2.4: by its access rules */

/* Who uses it. All functions come from the loop; server's texts are his. */
struct mcp_guest {
	struct mcp_guest *next;
	/* "ID/NAME": what is about it comes here; NULL: all presence */
	const char *server;
	int asked; /* the number of its SUBSCRIBE under way; 0 */
	bool told; /* that it is connected */
	void *owner;
	void (*connected)(void *owner);
	void (*subscribed)(void *owner, size_t count, const int *code);
	void (*published)(void *owner, int number, int reason); /* NULL */
	void (*message)(void *owner, const char *topic, const void *data,
			size_t len);
	/* The connection failed or ended; the guest is out already. */
	void (*lost)(void *owner, const struct error *why);
	/* It is out, and what it sent before is on its way. */
	void (*left)(void *owner);
};

struct mcp_broker {
	struct mcp_broker *next; /* of this process */
	struct loop *loop;
	struct mqtt_client *client; /* NULL: it is closing, or over */
	char *key; /* where, as whom, with which password: never shown */
	char *host;
	uint16_t port;
	char id[17]; /* of this client */
	bool connected;
	struct headers told; /* user properties of CONNACK */
	bool insecure_told; /* that its certificate is not verified */
	struct mcp_guest *guest;
	struct mcp_guest *walk; /* who is told next */
	struct mcp_guest *leaving; /* out, and not told yet */
	struct map used; /* "ID/NAME" that was opened on it; owned */
	struct timer timer;
	bool ends; /* nobody uses it any more: presence is taken back */
	int end_number; /* of that message */
};

/*
 * A connection to the broker of that endpoint; shared, if there is one on which
 * g->server was not opened before. The guest is in. NULL: err.
 */
struct mcp_broker *mcp_broker_enter(struct loop *l, const struct endpoint *to,
				    struct mcp_guest *g, struct error *err);
/* The last one takes it down, in good order: at most half a second. */
void mcp_broker_leave(struct mcp_broker *b, struct mcp_guest *g);
/* Of a code that refuses: its kind, and ", not authorized" or the like; "". */
enum error_kind mcp_broker_kind(int code);
const char *mcp_broker_words(int code);
/* -1: it accepted us, and does not answer SUBSCRIBE. 0: it did not yet; NULL. */
int mcp_broker_unanswered(const struct mcp_broker *b, struct error *err);
int mcp_broker_subscribe(struct mcp_broker *b, struct mcp_guest *g,
			 char *const *filter, size_t count, struct error *err);
int mcp_broker_publish(struct mcp_broker *b, const char *topic,
		       const char *text, size_t len, int *number,
		       struct error *err);

#endif
