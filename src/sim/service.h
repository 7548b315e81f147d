/* SPDX-License-Identifier: MIT */
/*
 * A pretend MCP server that is no device: tools, resources and prompts from a
 * profile file with "kind":"service" (the LLM service is one: profiles/llm.json).
 * Strict where firmware is lenient. It knows no sockets: messages go in, replies
 * come out. service_port.c puts it behind a port, target.c behind sim:.
 */
#ifndef SIM_SERVICE_H
#define SIM_SERVICE_H

#include "base/json.h"
#include "base/loop.h"
#include "net/admit.h"
#include "net/head.h"
#include "sim/exec.h"

struct service; /* a profile at work; shared by all its clients */
struct service_client; /* one of them: what its initialize said */
struct service_question; /* a message whose reply is not there yet */

struct service_config {
	struct loop *loop;
	struct exec_config outside; /* --ollama, --model, limits */
	/* A line worth showing: "extract_entities: ollama answered in 812 ms". May be NULL. */
	void (*line)(void *owner, const char *text);
	/* A message of a client, or the reply to one. May be NULL. */
	void (*message)(void *owner, bool outgoing, const char *text,
			size_t len);
	void *owner;
};

/* Whether a profile file is of this kind (its member "kind"). False: it is a device, or cannot be read. */
bool service_profile_is(const char *name_or_path);

/* NULL (ERR_USAGE): no such profile, or what is wrong where in the file. */
struct service *service_load(const char *name_or_path,
			     const struct service_config *config,
			     struct error *err);
/* All questions must be over or abandoned. NULL is fine. */
void service_free(struct service *s);
/* serverInfo.name, for lines */
const char *service_name(const struct service *s);

struct service_client *service_client_new(struct service *s);
/* NULL is fine. Its questions are abandoned. */
void service_client_free(struct service_client *c);
bool service_client_is_initialized(const struct service_client *c);
/* The revision settled with it ("2025-06-18"); NULL before initialize. */
const char *service_client_revision(const struct service_client *c);

/*
 * Whom to tell what comes before replies: notifications and requests of the
 * service. done is the only one that must be there.
 */
typedef void service_done(void *owner, const char *reply, size_t len);
struct service_hearer {
	service_done *done;
	/* A message that belongs to the question. False: it cannot be told. */
	bool (*tell)(void *owner, const char *text, size_t len);
	/*
	 * The rest is to be fetched: the way of its messages is closed, and
	 * the client comes back after so many ms (2025-11-25, polling).
	 */
	void (*pause)(void *owner, int64_t ms);
	/* With which status of HTTP the reply goes; before done, if not 200. */
	void (*status)(void *owner, int status);
};

/*
 * One message of a client: a request, a notification, a response, a batch
 * (where the revision has them), or garbage. headers: those of HTTP, lent for
 * this call; NULL where it came otherwise. hearer is lent until it is over.
 * `done` is called exactly once with the reply text, lent; "" when there is
 * nothing to say (notification, response): at once, inside this function, if
 * nothing outside is needed, else later from the loop. tell comes inside, too.
 * Returns the question while it is open, NULL if done was called already.
 */
struct service_said {
	const char *text;
	size_t len;
	const struct headers *headers;
};
struct service_question *service_hear(struct service_client *c,
				      const struct service_said *m,
				      const struct service_hearer *h,
				      void *owner);
/* Of one who is told the reply only. */
struct service_question *service_ask(struct service_client *c, const char *text,
				     size_t len, service_done *done,
				     void *owner);
/* Nobody waits: what runs outside is stopped. done is not called. */
void service_abandon(struct service_question *q);

/*
 * Where to send what belongs to no question (a list changed, a resource was
 * updated); until the client is freed.
 */
void service_client_reach(struct service_client *c,
			  bool (*tell)(void *owner, const char *text,
				       size_t len),
			  void *owner);

/* Whether text is an initialize request (routing by HTTP session). */
bool service_is_initialize(const char *text, size_t len);
/*
 * Whether it is a message without a session (2026-07-28): by these headers, or
 * by its own metadata if they name no revision that has sessions.
 */
bool service_is_modern(const struct service *s, const struct service_said *m);
/* Whether the profile serves clients that begin with initialize, too. */
bool service_is_legacy(const struct service *s);

struct service_listen_options {
	const char *listen; /* [HOST:]PORT; NULL: 127.0.0.1:8088 */
	struct admit_options admit;
	int64_t run_for; /* ms; 0: until Ctrl-C */
	int64_t keep_alive; /* ms between comments on idle streams; 0: 15 s */
	int64_t idle; /* ms until an unused HTTP session ends; 0: 30 min */
};
struct service_listen_observer {
	void (*listening)(void *owner, const char *url); /* http://HOST:PORT/ */
	void (*line)(void *owner, const char *text);
	void *owner;
};
/*
 * One port: POST /, /mcp, /rpc with JSON-RPC (a bare POST without session, and
 * Streamable HTTP: Mcp-Session-Id, GET stream, DELETE), GET /sse with POST
 * /messages (HTTP+SSE; a GET for an event stream at the others begins it too,
 * if it names no session), WebSocket at any path, a page, /health. Runs until
 * run_for is over or Ctrl-C (ERR_INTERRUPTED). -1 (ERR_CONNECT): the port
 * cannot be had; (ERR_USAGE): listen is no [HOST:]PORT.
 */
int service_listen(struct loop *l, struct service *s,
		   const struct service_listen_options *o,
		   const struct service_listen_observer *observer,
		   struct error *err);

#endif
