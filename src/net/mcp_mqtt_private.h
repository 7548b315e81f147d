/* SPDX-License-Identifier: MIT */
/*
 * What the files of MCP over MQTT share: a connection to a broker as a client
 * of MCP, which many targets use, and who announces himself there.
 */
#ifndef NET_MCP_MQTT_PRIVATE_H
#define NET_MCP_MQTT_PRIVATE_H

#include "base/map.h"
#include "net/head.h"
#include "net/mcp_mqtt.h"
#include "net/mqtt_private.h"

/* ---- mcp_broker.c: one connection ---- */

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
	char *key; /* where, as whom */
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
int mcp_broker_subscribe(struct mcp_broker *b, struct mcp_guest *g,
			 char *const *filter, size_t count, struct error *err);
int mcp_broker_publish(struct mcp_broker *b, const char *topic,
		       const char *text, size_t len, int *number,
		       struct error *err);

/* ---- mcp_browse.c ---- */

struct mcp_browse *mcp_browse_open(struct loop *l, const struct endpoint *to,
				   bool *woken, struct error *err);
int mcp_browse_poll(struct mcp_browse *b, struct error *err);
const struct mcp_server *mcp_browse_list(struct mcp_browse *b, size_t *count);
void mcp_browse_close(struct mcp_browse *b);
/* Told, besides *woken, of each change; NULL: nobody. */
void mcp_browse_tell(struct mcp_browse *b, void (*changed)(void *owner),
		     void *owner);
/* Something of the older draft was seen. */
bool mcp_browse_saw_draft(const struct mcp_browse *b);

/* ---- mcp_mqtt.c ---- */

int mcp_mqtt_open(struct transport *t, const struct endpoint *to,
		  struct error *err);
int mcp_mqtt_send(struct transport *t, const char *text, size_t len,
		  struct error *err);
void mcp_mqtt_close(struct transport *t);
int mcp_mqtt_explain(struct transport *t, struct error *err);
bool mcp_mqtt_layers(const struct transport *t, int64_t id, struct layers *out);

#endif
