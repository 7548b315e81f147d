/* SPDX-License-Identifier: MIT */
/*
 * A service in parts: what is answered (service_answer.c), what its profile says
 * (service_load.c), what messages ask for and tools at work (service_call.c),
 * clients and their messages (service.c). Private to them.
 */
#ifndef SIM_SERVICE_PRIVATE_H
#define SIM_SERVICE_PRIVATE_H

#include "sim/service.h"
#include "wire/jsonrpc.h"
#include "wire/llm.h"

#define SERVICE_BATCH_MAX 100 /* messages in one batch */
#define SERVICE_CALLS_MAX 100 /* tools at work, of all clients */
#define SERVICE_QUOTED 60 /* bytes of a client's word that an error repeats */

/* What the profile says; json is its element, all is owned by the service. */
struct service_tool {
	const char *name;
	const cJSON *json, *result;
	const cJSON *input, *output; /* schemas; output may be NULL */
};
struct service_prompt {
	const char *name;
	const cJSON *json;
	const cJSON *arguments; /* list; NULL */
	char *text; /* the template */
	char *uri; /* "prompt://NAME": as a resource */
};
struct service_resource {
	const char *uri, *name;
	const cJSON *json;
	char *text;
};

struct service {
	struct service_config config;
	cJSON *tree; /* the profile with what it extends */
	const char *name;
	const cJSON *ollama; /* defaults for tools; NULL */
	struct service_tool *tool;
	struct service_prompt *prompt;
	struct service_resource *resource;
	size_t tool_count, prompt_count, resource_count;
	size_t calls; /* at work */
};

/* By its name, which may be NULL; NULL: there is none. */
const struct service_tool *service_tool(const struct service *s,
					const char *name);
const struct service_prompt *service_prompt(const struct service *s,
					    const char *name);

/* Read and check; s is zeroed but for config. -1: err; service_free is due. */
int service_read(struct service *s, const char *name_or_path,
		 struct error *err);
int service_parse(struct service *s, const char *text, size_t len,
		  const char *file, struct error *err);

/* As service_load, from the text of a file of that name. */
struct service *service_load_text(const char *text, const char *file,
				  const struct service_config *config,
				  struct error *err);

struct service_client {
	struct service *service;
	const char *revision; /* static; NULL before initialize */
	struct service_question *first; /* open ones */
};

/* One message of a question: all of it, or an element of a batch. */
struct service_part {
	struct service_question *question;
	char *id; /* the raw token to echo; NULL: a notification */
	const cJSON *params; /* lent while the method runs; NULL */
	struct buf reply; /* the whole JSON-RPC reply; empty if there is none */
	struct service_call *call; /* at work; NULL */
};

struct service_question {
	struct service_client *client;
	struct service_question *next, *previous;
	service_done *done;
	void *owner;
	bool batch, asking; /* asking: service_ask has not returned yet */
	struct service_part *part;
	size_t count, open; /* parts; those at work */
};

struct service *service_of(const struct service_part *p);
/* Whether the client's revision has what came with `since` ("2025-06-18"). */
bool service_has(const struct service_part *p, const char *since);

/* The reply of a part that is open: a result (JSON text), or an error. */
void service_result(struct service_part *p, const char *result);
/* data: JSON text, or NULL. */
void service_fail(struct service_part *p, int code, const char *data,
		  const char *format, ...) PRINTF_LIKE(4, 5);
/* A part that was at work has its reply (or none: it was cancelled). */
void service_part_over(struct service_part *p);
/* Show it to whom the configuration names (service_config.message). */
void service_message(const struct service_client *c, bool outgoing,
		     const char *text, size_t len);
/* All of it is said. The owner may free the client while it is told. */
void service_question_over(struct service_question *q);
/* Nothing of it is at work any more. */
void service_question_free(struct service_question *q);

/* service_call.c */
void service_prompts_list(struct service_part *p);
void service_prompts_get(struct service_part *p);
void service_complete(struct service_part *p);

/* service_call.c */
void service_resources_list(struct service_part *p);
void service_resources_read(struct service_part *p);
void service_resources_get(struct service_part *p);

/* service_call.c. The last: the method "tools/NAME"; false if there is no such tool. */
void service_tools_list(struct service_part *p);
void service_tools_call(struct service_part *p);
bool service_tools_direct(struct service_part *p, const char *name);
/* End what is at work, without a reply. NULL is fine. */
void service_call_drop(struct service_call *call);
/* End it as notifications/cancelled wants it: the part is over soon. */
void service_call_cancel(struct service_call *call);

/* The call as its parts need it: made in service_call.c. */
struct service_call {
	struct service *service;
	struct service_part *part; /* NULL: dropped */
	const struct service_tool *tool;
	cJSON *arguments; /* checked, defaults filled in */
	bool direct; /* asked as tools/NAME: the plain object is the result */
	bool structured; /* the client's revision has structuredContent */
	bool counted; /* in service.calls */
	bool cancelled;
	struct exec *outside;
	struct timer timer; /* delay_ms, and the end after a cancel */
};

/*
 * service_answer.c: what a tool answers. text with is_error: an error of the
 * tool; else text is all there is, or object is its structured form.
 */
void service_answer_text(struct service_call *call, const char *text,
			 size_t len, bool is_error);
void service_answer_json(struct service_call *call, const cJSON *value);
void service_answer_content(struct service_call *call, const cJSON *list);
void service_answer_outside(struct service_call *call,
			    const struct exec_answer *a);
/* Too many calls are at work. */
void service_busy(struct service_part *p, const struct service_tool *t);
/*
 * Arguments do not fit the tool's inputSchema: an error of the tool, which a
 * model gets to read, in a session of 2025-11-25 or later; else, and for the
 * direct method, invalid params.
 */
void service_wrong_arguments(struct service_part *p, bool direct,
			     const char *why);

PRINTF_LIKE(2, 3)
void service_line(const struct service *s, const char *format, ...);

#endif
