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
#ifndef SIM_SERVICE_PRIVATE_H
#define SIM_SERVICE_PRIVATE_H

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

/* As service_load, from the text of a file of that name. */
struct service *service_load_text(const char *text, const char *file,
				  const struct service_config *config,
				  struct error *err);
/* service_profile.c: read and check; s is zeroed but for config. -1: err. */
int service_read(struct service *s, const char *name_or_path,
		 struct error *err);
int service_parse(struct service *s, const char *text, size_t len,
		  const char *file, struct error *err);

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

/* service_reply.c */
struct service *service_of(const struct service_part *p);
/* Whether the client's revision has what came with `since` ("2025-06-18"). */
bool service_has(const struct service_part *p, const char *since);
/*
 * The reply of a part that is open: a result (JSON text; one of 2026-07-28 gets
 * what each has there), or an error.
 */
void service_result(struct service_part *p, const char *result);
/* data: JSON text, or NULL. */
void service_fail(struct service_part *p, int code, const char *data,
		  const char *format, ...) PRINTF_LIKE(4, 5);
/* Such data: {"timeout_seconds":30,"retry_after":5}, of ms; 0: left out. */
void service_add_times(struct buf *out, int64_t timeout, int64_t retry_after);
/* With that status, where it is HTTP. */
void service_status(struct service_part *p, int status);
/* The result of a tool. content and structured are JSON; NULL: none. */
void service_tool_result(struct service_part *p, const char *content,
			 const char *structured, bool is_error);
/* A list of content that is one text. */
void service_add_text(struct buf *out, const char *text, size_t len);
/* Show it to whom the configuration names (service_config.message). */
void service_message(const struct service_client *c, bool outgoing,
		     const char *text, size_t len);
void service_line(const struct service *s, const char *format, ...)
	PRINTF_LIKE(2, 3);
/* A message before the reply of p. False: its client cannot be told. */
bool service_tell(const struct service_part *p, const struct buf *message);
/* All of it is said. The owner may free the client while it is told. */
void service_question_over(struct service_question *q);
/* Nothing of it is at work any more. */
void service_question_free(struct service_question *q);
/* A part that was at work has its reply (or none: it was cancelled). */
void service_part_over(struct service_part *p);

/* service_find.c. By its name, which may be NULL; NULL: there is none. */
const struct service_tool *service_tool(const struct service *s,
					const char *name);
const struct service_prompt *service_prompt(const struct service *s,
					    const char *name);
/* A resource, or a prompt that is read as one; all is lent. */
struct service_found {
	const char *name, *uri, *text; /* NULL: there is none */
	const cJSON *json;
	const cJSON *arguments; /* of a prompt; NULL */
	const struct service_resource *resource; /* NULL: a prompt */
};
/* By its URI, or by its name. */
struct service_found service_find(const struct service *s, const char *asked,
				  bool by_uri);
/* The template that fits. NULL: none does. */
const struct service_resource *service_find_template(const struct service *s,
						     const char *uri);
/*
 * Whether uri fits a template, as "file:///{name}"; what stands for its places
 * is put into values (a cJSON object; NULL: nobody wants it).
 */
bool service_uri_fits(const char *pattern, const char *uri, cJSON *values);
/* Whether a URI can be read: a resource, a prompt, or what fits a template. */
bool service_reads(const struct service *s, const char *uri);
/*
 * There is none: the part is answered with that. name NULL: the client sent
 * none, or no text.
 */
void service_no_tool(struct service_part *p, const char *name);
void service_no_prompt(struct service_part *p, const char *name);
void service_no_resource(struct service_part *p, const char *uri);

/* service_items.c */
void service_prompts_list(struct service_part *p);
void service_prompts_get(struct service_part *p);
void service_complete(struct service_part *p);

void service_resources_list(struct service_part *p);
void service_templates_list(struct service_part *p);
void service_resources_read(struct service_part *p);
void service_resources_get(struct service_part *p);

/* service_tools.c. The last: the method "tools/NAME"; false if there is no such tool. */
void service_tools_list(struct service_part *p);
void service_tools_call(struct service_part *p);
bool service_tools_direct(struct service_part *p, const char *name);

/* service_call.c. End what is at work, without a reply. NULL is fine. */
void service_call_drop(struct service_call *call);
/* End it as notifications/cancelled wants it: the part is over soon. */
void service_call_cancel(struct service_call *call);
/* It is answered: away with it, then the question may be over. */
void service_call_end(struct service_call *call);

/* What is at work for a part: of a tool, a prompt or a resource. */
struct service_call {
	struct service *service;
	struct service_part *part; /* NULL: dropped */
	const struct service_tool *tool; /* NULL: of another kind */
	const struct service_prompt *prompt;
	const struct service_resource *resource;
	const char *name; /* of it, for lines */
	char *uri; /* that is read; NULL */
	/*
	 * Its steps are over. True: it will be answered later, and then ended
	 * by service_call_end.
	 */
	bool (*finish)(struct service_call *call);
	const cJSON *steps; /* NULL */
	const cJSON *step; /* the next one */
	int64_t n; /* how often that step was done, from 1; 0: outside of steps */
	cJSON *arguments; /* checked, defaults filled in */
	cJSON *answers; /* of the client, by key; NULL */
	cJSON *responses; /* inputResponses that are not used yet; NULL */
	const cJSON
		*asks; /* a task: the step whose answers are missing; NULL */
	bool resumed; /* by a requestState */
	char *progress; /* the raw token; NULL */
	struct service_wait *wait; /* requests that the client has; NULL */
	char *failed; /* why it can have no result: the client's answer; NULL */
	bool direct; /* asked as tools/NAME: the plain object is the result */
	bool structured; /* the client's revision has structuredContent */
	bool counted; /* in service.calls */
	bool cancelled;
	struct exec *outside;
	bool (*after)(struct service_call *call); /* what the timer calls */
	bool (*run)(struct service_call *call); /* service_steps_run */
	struct timer timer; /* delay_ms, a step, and the end after a cancel */
};

/* A request that a client has. */
struct service_wait {
	struct service_wait *next;
	unsigned id;
	const cJSON *request; /* of the profile; its name is the key */
};
/* All of them: nobody waits any more. */
void service_wait_free(struct service_call *call);

/*
 * A new one of p with these arguments, which it takes; name and steps are lent
 * by the profile. NULL: too many are at work, and that was answered.
 */
struct service_call *service_call_new(struct service_part *p, const char *name,
				      const cJSON *steps, cJSON *arguments,
				      bool model);
/* The source of its templates: arguments, answers, ${n}; owner is a call. */
int service_call_value(void *owner, const char *name, struct buf *out);
/* A text filled in, and JSON with its texts filled in; yours, NULL for NULL. */
char *service_call_fill_text(struct service_call *call, const char *text);
cJSON *service_call_fill(struct service_call *call, const cJSON *json);
/* Of a tool: a text is its answer; is_error: what went wrong in it. */
void service_call_text(struct service_call *call, const char *text, size_t len,
		       bool is_error);
/* It can have no result. */
void service_call_failed(struct service_call *call, const char *why);

/* In so many ms call `after`, as finish. */
void service_call_later(struct service_call *call, int64_t ms,
			bool (*after)(struct service_call *call));

/* service_steps.c. Set a call to work: it answers at once or later. */
void service_steps_begin(struct service_call *call);
/*
 * The steps that are left, and the end. True: it goes on later; false: it is
 * answered.
 */
bool service_steps_run(struct service_call *call);
/*
 * Check the list `steps` of an element, whose templates may use what `known`
 * knows; sets what s can change.
 */
int service_steps_check(struct service *s, struct reader *r,
			const cJSON *element,
			const struct template_source *known);
/* Whether some step asks for that key. */
bool service_steps_ask(const cJSON *steps, const char *key);

/* service_rounds.c */
enum service_asked {
	ASKED_ON, /* nothing had to be asked, or all answers are there */
	ASKED_WAIT, /* the call goes on when they are */
	ASKED_OVER /* the part is answered: more is required, or it is refused */
};
/* The step `ask`. */
enum service_asked service_ask_step(struct service_call *call,
				    const cJSON *step);
int service_ask_check(struct reader *r, const cJSON *step,
		      const struct template_source *known);
/*
 * Before the first step: what came with the request (inputResponses,
 * requestState), and whether its client can be asked at all. -1: refused, and
 * said so.
 */
int service_rounds_begin(struct service_call *call);
void service_rounds_free(struct service *s);
/* What a task of 2026-07-28 asks now, as members of an object. Appended. */
void service_add_asked(struct service_call *call, struct buf *out);
/* tasks/update: answers to that, by key. */
void service_answer_task(struct service_call *call, const cJSON *responses);
/* A response of the client to what it was asked. */
void service_answered(struct service_client *c, const cJSON *message);

/* service_era.c. False: refused, and said so. */
bool service_era_begin(struct service_part *p, const char *method);
/* Of enum service_can. */
unsigned service_abilities(const cJSON *capabilities);
void service_discover(struct service_part *p);
void service_add_capabilities(const struct service_part *p, struct buf *out);
/* Whether a message carries the metadata of 2026-07-28. */
bool service_meta_modern(const cJSON *message);

/* service_client.c. A question that is asked now; h NULL: its own is. */
struct service_question *service_question_begin(struct service_client *c,
						const struct mcp_hearer *h,
						void *owner);
/* So many parts, zeroed. */
void service_question_parts(struct service_question *q, size_t count);
/* It was asked; the same as service_hear returns. */
struct service_question *service_question_asked(struct service_question *q);

/* service_tasks.c */
void service_tasks_get(struct service_part *p);
void service_tasks_result(struct service_part *p);
void service_tasks_list(struct service_part *p);
void service_tasks_cancel(struct service_part *p);
void service_tasks_update(struct service_part *p);
/* tools/call, of what may become a task. */
void service_tasks_call(struct service_part *p);
void service_tasks_free(struct service *s);

/* service_watch.c */
void service_subscribe(struct service_part *p);
void service_unsubscribe(struct service_part *p);
void service_feed(struct service_part *p);
/* Without a reply. NULL is fine. */
void service_feed_drop(struct service_part *p);
/* A list changed, for all that want to know. */
enum service_list { LIST_TOOLS, LIST_PROMPTS, LIST_RESOURCES, SERVICE_LISTS };
void service_changed(const struct service *s, enum service_list list);
void service_updated(const struct service *s, const char *uri);

#endif
