/* SPDX-License-Identifier: MIT */
/*
 * A pretend MCP server that is no device: tools, resources and prompts from a
 * profile file with "kind":"service" (the LLM service is one: profiles/llm.json).
 * Strict where firmware is lenient. It knows no sockets: messages go in, replies
 * come out. service_answerer.c puts it behind a port, target.c behind sim:.
 */
#ifndef SIM_SERVICE_H
#define SIM_SERVICE_H

#include "base/json.h"
#include "base/loop.h"
#include "clients/answerer.h"
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
/* … and it is one that dials an access point ("dials": "arduino"; sim/arduino.h). */
bool service_profile_dials(const char *name_or_path);

/* NULL (ERR_USAGE): no such profile, or what is wrong where in the file. */
struct service *service_load(const char *name_or_path,
			     const struct service_config *config,
			     struct error *err);
/* The same, from the text of a file of that name. */
struct service *service_load_text(const char *text, const char *file,
				  const struct service_config *config,
				  struct error *err);
/* All questions must be over or abandoned. NULL is fine. */
void service_free(struct service *s);
/* How its profile wants to be reached over HTTP; lent. 0, NULL: as any. */
struct service_reach {
	const char *path; /* the only one */
	int64_t body_max; /* bytes */
	int64_t session_ms; /* how long one lasts unused */
	int64_t sockets; /* connections at a time; others wait */
};
struct service_reach service_reach(const struct service *s);
/* serverInfo.name, for lines */
const char *service_name(const struct service *s);

struct service_client *service_client_new(struct service *s);
/* NULL is fine. Its questions are abandoned. */
void service_client_free(struct service_client *c);
bool service_client_is_initialized(const struct service_client *c);
/* The revision settled with it ("2025-06-18"); NULL before initialize. */
const char *service_client_revision(const struct service_client *c);

/*
 * As clients/answerer.h says of hear. A batch is taken where the revision has
 * them.
 */
struct service_question *service_hear(struct service_client *c,
				      const struct mcp_said *m,
				      const struct mcp_hearer *h, void *owner);
/* Of one who is told the reply only. */
struct service_question *service_ask(struct service_client *c, const char *text,
				     size_t len, mcp_done *done, void *owner);
/* Nobody waits: what runs outside is stopped. done is not called. */
void service_abandon(struct service_question *q);

/*
 * Where to send what belongs to no question (a list changed, a resource was
 * updated); until the client is freed.
 */
void service_client_reach(struct service_client *c, mcp_tell *tell,
			  void *owner);

#endif
