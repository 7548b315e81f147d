/* SPDX-License-Identifier: MIT */
/*
 * A service in parts, each above what it uses: what it answers
 * (service_reply.c), what it has by a name (service_find.c), who is told of
 * changes (service_watch.c), what is at work (service_call.c), what runs as a
 * task (service_tasks.c), what is asked of a client (service_rounds.c), the steps before a result (service_steps.c),
 * what its profile says (service_profile.c), the two eras (service_era.c),
 * the ways of small SDKs (service_ways.c),
 * tools (service_tools.c), prompts and resources (service_items.c), clients and
 * their questions (service_client.c), messages (service.c). Private to them.
 */
#ifndef SIM_SERVICE_STATE_H
#define SIM_SERVICE_STATE_H

#include "base/split.h"
#include "sim/profile_reader.h"
#include "sim/service.h"
#include "sim/template.h"
#include "wire/jsonrpc.h"
#include "wire/llm.h"

#define SERVICE_CALLS_MAX 100 /* tools at work, of all clients */
#define SERVICE_QUOTED 60 /* bytes of a client's word that an error repeats */
#define SERVICE_FEEDS_MAX 100 /* subscriptions/listen, of all clients */
#define SERVICE_URIS_MAX 64 /* resources that one client is told of */
#define SERVICE_URI_MAX 1024 /* bytes of one of them */
#define SERVICE_ROUNDS_MAX 1000 /* requestStates that are kept */
#define SERVICE_ROUND_MAX 65536 /* bytes of answers in one of them */
#define SERVICE_ROUND_MS 600000 /* how long one can be used */
#define SERVICE_ANSWER_MS 300000 /* how long a client may take to answer */
#define SERVICE_TIMES_MAX 10000 /* of one step */

#define REVISION_MODERN "2026-07-28"
#define MODERN_HEADER_MISMATCH (-32020)
#define MODERN_CAPABILITY_MISSING (-32021)
#define MODERN_UNSUPPORTED_VERSION (-32022)
#define EXTENSION_TASKS "io.modelcontextprotocol/tasks"
#define SERVICE_TASKS_MAX 100 /* of all clients */
#define SERVICE_TASK_MAX (1 << 20) /* bytes of a result that is kept */
#define SERVICE_TASK_SAID 500 /* bytes of how far one is */
#define SERVICE_TASK_QUEUE 16 /* requests that wait for tasks/result */
#define META_VERSION "io.modelcontextprotocol/protocolVersion"
#define META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"
#define META_LOG_LEVEL "io.modelcontextprotocol/logLevel"
#define META_SERVER "io.modelcontextprotocol/serverInfo"
#define META_SUBSCRIPTION "io.modelcontextprotocol/subscriptionId"

/* What the profile says; json is its element, all is owned by the service. */
struct service_tool {
	const char *name;
	const cJSON *json, *result;
	const cJSON *input, *output; /* schemas; output may be NULL */
	const cJSON *steps; /* before the result; NULL */
	const char *task; /* "optional", "required"; NULL: never a task */
	int64_t poll_ms, ttl_ms; /* of its tasks; ttl 0: they last */
	bool hidden; /* not listed, not there: now */
};
struct service_prompt {
	const char *name;
	const cJSON *json;
	const cJSON *arguments; /* list; NULL */
	const cJSON *messages, *steps; /* NULL */
	char *text; /* the template; NULL with messages */
	char *uri; /* "prompt://NAME": as a resource */
	bool hidden;
};
struct service_resource {
	const char *uri, *name; /* uri: of a template, with {places} */
	const cJSON *json;
	const cJSON *steps; /* NULL */
	char *text; /* NULL with blob */
	const char *blob; /* base64; NULL */
	bool hidden;
};

/* What its profile says of `ways` (service_ways.h); 0, false, NULL: as ever. */
struct service_ways {
	struct service_reach reach;
	int64_t page_max, text_max; /* bytes */
	int64_t not_found; /* the code */
	bool every_argument, newest_first, initialize_first, lax;
	bool early_result; /* tasks/result does not wait */
};

enum service_eras { SERVICE_LEGACY = 1, SERVICE_MODERN = 2 };

struct service {
	struct service_config config;
	cJSON *tree; /* the profile with what it extends */
	const char *name;
	const cJSON *ollama; /* defaults for tools; NULL */
	struct service_tool *tool;
	struct service_prompt *prompt;
	struct service_resource *resource, *template;
	size_t tool_count, prompt_count, resource_count, template_count;
	unsigned eras; /* of enum service_eras */
	struct service_ways ways;
	int64_t ttl_ms; /* of lists and resources */
	const char *cache_scope;
	/* Some step changes the list; some step updates a resource. */
	bool tools_change, prompts_change, resources_change, updates;
	size_t calls; /* at work */
	size_t feeds; /* subscriptions/listen */
	struct service_client *clients;
	struct service_round *rounds; /* the newest first */
	size_t round_count;
	unsigned asked; /* requests sent to clients */
	bool has_tasks; /* some tool may be one */
	struct service_task *tasks; /* the newest first */
	size_t task_count;
	/* Tasks of a client that goes; NULL: there were none yet. */
	void (*tasks_leave)(const struct service_client *c);
};

/* What a client can be asked for. */
enum service_can {
	CAN_FORM = 1, /* elicitation, and of the url kind: */
	CAN_URL = 2,
	CAN_SAMPLE = 4,
	CAN_ROOTS = 8
};

struct service_client {
	struct service *service;
	struct service_client *next, *previous;
	const char *revision; /* static; NULL before initialize */
	unsigned can; /* of enum service_can */
	int log_rank; /* what is below is not logged */
	struct words uris; /* that it is told of */
	mcp_tell *tell; /* NULL */
	void *tell_owner;
	struct service_question *first; /* open ones */
};

/* One message of a question: all of it, or an element of a batch. */
struct service_part {
	struct service_question *question;
	char *id; /* the raw token to echo; NULL: a notification */
	const cJSON *params; /* lent while the method runs; NULL */
	struct buf reply; /* the whole JSON-RPC reply; empty if there is none */
	struct service_call *call; /* at work; NULL */
	struct service_feed *feed; /* a subscription; NULL */
	struct service_task *task; /* it is the work of this one; NULL */
	struct service_task *awaits; /* tasks/result: its end; NULL */
	bool tasks; /* 2026-07-28: the client has that extension */
	char **said; /* where words of its progress are kept; NULL: nowhere */
	bool modern; /* of 2026-07-28 */
	bool cacheable; /* its result says for how long */
	unsigned can; /* what its client can be asked for */
	int log_rank; /* what is below is not logged; 0: nothing is */
};

struct service_question {
	struct service_client *client;
	struct service_question *next, *previous;
	const struct mcp_hearer *hearer;
	struct mcp_hearer own; /* of service_ask */
	void *owner;
	const struct headers *headers; /* lent while it is asked; NULL */
	bool batch, asking; /* asking: service_hear has not returned yet */
	struct service_part *part;
	size_t count, open; /* parts; those at work */
};

#endif
