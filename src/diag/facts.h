/* SPDX-License-Identifier: MIT */
/*
 * What is known of other programs: backends, language models, firmware, hosts. It
 * stands in data files (diag/data/), each entry with its source and the day it
 * was read; a file of the same name in the user's configuration folder goes
 * instead. Read when first asked for.
 */
#ifndef DIAG_FACTS_H
#define DIAG_FACTS_H

#include "base/error.h"
#include "wire/ota.h"

/* How a backend, as MCP client of boards, behaves (backends.md 1). */
struct backend_fact {
	char *id, *name, *source, *read;
	bool mqtt, websocket; /* what boards reach it by */
	int64_t max_tools; /* the page above is dropped; 0: no limit */
	bool first_page; /* it asks for no other */
	/*
	 * What it makes of them: "wide", "dots" (mcp/types.h), "keep"; "pass":
	 * another server gets them; "": not known.
	 */
	char *names;
	int64_t call_ms; /* after which it gives a call up; 0: not known */
	int64_t api_ms; /* the same of its own HTTP interface; 0: it has none */
	int64_t max_message; /* bytes from the board; 0: no limit */
	bool loses_error_text; /* of isError */
	char *error_phrase; /* what is heard then; "" */
	bool needs_is_error; /* without it a result is a failure */
	/* By which it is known; "". Of the session: "absent", "sessionId", … */
	char *client, *first_id, *session_key;
};

/* What a provider of language models takes (names and schemas of tools). */
struct model_fact {
	char *id, *name, *source, *read;
	int64_t name_max; /* characters; 0: no limit known */
	char *name_marks; /* beside a-z A-Z 0-9; "": not known which */
	bool letter_first; /* a name begins with a letter or '_' */
	int64_t max_tools; /* 0: no limit known */
	bool array_items; /* it refuses an array without items, */
	bool known_required; /* a required name that is no property, */
	bool one_type; /* a list of types */
};

/* What changed in stock firmware, by version (device.md 7). */
struct firmware_fact {
	char *id; /* the first version that has it */
	char *name, *source, *read;
	int64_t page_bytes, tool_bytes, message_bytes; /* 0: not known */
	int64_t local_bytes; /* of a message to its own port 8080 */
	/* Of an answer of HTTP: what was seen to pass, and to hang the board. */
	int64_t answer_passes, answer_hangs;
	int64_t store_name, store_value; /* bytes in the board's store */
	char *threads; /* patterns of versions that run each call in a thread; "" */
	bool user_tools; /* withUserTools */
	bool strict_hello; /* over MQTT */
	bool error_codes;
	bool range_restarts; /* a number out of range restarts the board */
};

/* Software of boards that is no stock firmware. */
struct library_fact {
	char *id, *name, *source, *read;
	char *board_type; /* that it tells OTA */
	bool agent_is_chip; /* its User-Agent is the chip's name alone */
	bool odd_mqtt; /* MQTT as it is offered to stock firmware misses it: */
	char *mqtt_why; /* "" */
};

/* What a program that people use tools in takes of an MCP server's list. */
struct host_fact {
	char *id, *name, *source, *read;
	int64_t name_max; /* characters of what a tool is called there; 0: not known */
	int64_t name_adds; /* of these the host's own, */
	bool name_server; /* and those of the server's name */
	char *name_marks; /* beside a-z A-Z 0-9; "": it mends others, or not known */
	bool cuts_names; /* what is longer; else it does not take it */
	int64_t max_tools; /* of all servers; 0: not known */
	bool all_or_none; /* one that is refused costs all of the server's */
	bool array_items; /* it refuses an array without items, */
	bool plain_root; /* alternatives on the first level of a schema, */
	bool plain_keys; /* names of arguments but [a-zA-Z0-9_.-]{1,64} */
	char *client; /* its clientInfo.name; "": not known, or no matter */
	bool reads_json; /* a text that is JSON must be an object's */
};

const struct backend_fact *backend_facts(size_t *count);
const struct model_fact *model_facts(size_t *count);
const struct firmware_fact *firmware_facts(size_t *count);
const struct host_fact *host_facts(size_t *count);
/* Whose question of OTA this is, most likely; NULL: stock firmware, or unknown. */
const struct library_fact *library_asking(const struct ota_request *rq);

/* Bytes of a tool that every firmware can list, 0: not known. */
size_t firmware_tool_max(void);
/* Bytes of a message that every firmware takes at its own port; 0: not known. */
size_t firmware_local_max(void);
/* Likewise of an answer of HTTP: the least that hangs; with what passes. */
size_t firmware_answer_max(void);
size_t firmware_answer_hangs(void);
/* Bytes of a name and of a value in the board's store; 0: not known. */
size_t firmware_name_max(void);
size_t firmware_value_max(void);
/* A call runs in a thread of its own; NULL: a version that is not known. */
bool firmware_has_threads(const char *version);
/* Bytes of a message that every firmware can send; 0: not known. */
size_t firmware_message_max(void);
/* Bytes of a message that every backend takes, and whose it is; 0: any. */
size_t backend_message_max(const struct backend_fact **out);
/* ms that every backend waits for an answer, and who no longer; 0: not known. */
int64_t backend_wait(const struct backend_fact **out);

/* Who knows where own files lie, and is told of those that cannot be used. */
struct facts_ops {
	/* The path of a file of that name, for the caller; NULL: nowhere. */
	char *(*path)(void *owner, const char *name);
	/* Once a file: its path, the line, what was expected. */
	void (*tell)(void *owner, const char *problem);
};
/* Reads nothing yet. ops (NULL: there are no own files) is lent for ever. */
void facts_from(const struct facts_ops *ops, void *owner);
/* Read own files now: for who can open none later. */
void facts_read_own(void);

/* A text as such a file: 0, or -1 (ERR_USAGE) with the line. For tests. */
int facts_check(const char *kind, const char *text, size_t len,
		struct error *err);
/* Forget what was read. For tests. */
void facts_forget(void);

#endif
