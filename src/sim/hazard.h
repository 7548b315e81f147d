/* SPDX-License-Identifier: MIT */
/*
 * Habits of a backend that some device does not survive, or that lose replies
 * (backends.md 1.10; device.md 1 to 5). A watch looks at one connection and
 * tells each time a hazard shows. Pure: it neither answers nor sends.
 */
#ifndef SIM_HAZARD_H
#define SIM_HAZARD_H

#include <cjson/cJSON.h>

#include "base/base.h"

enum hazard {
	HAZARD_EARLY_INITIALIZE, /* before the server hello */
	HAZARD_EARLY_MCP,
	HAZARD_BEFORE_DEVICE_HELLO,
	HAZARD_TWICE_INITIALIZE,
	HAZARD_NO_INITIALIZE,
	HAZARD_NO_INITIALIZED,
	HAZARD_NO_SESSION_ID,
	HAZARD_CAMEL_SESSION_ID,
	HAZARD_EMPTY_SESSION_ID,
	HAZARD_OTHER_SESSION_ID,
	HAZARD_REUSED_ID,
	HAZARD_ID_ZERO,
	HAZARD_ID_10000,
	HAZARD_ID_STRING,
	HAZARD_ID_NULL,
	HAZARD_ID_RANGE,
	HAZARD_RESULT_MEMBER,
	HAZARD_PARAMS_NULL,
	HAZARD_PARAMS_SHAPE,
	HAZARD_NO_JSONRPC,
	HAZARD_BATCH,
	HAZARD_RESPONSE,
	HAZARD_PAYLOAD_SHAPE,
	HAZARD_EMPTY_CURSOR,
	HAZARD_FIRST_PAGE_ONLY,
	HAZARD_REPEATED_CURSOR,
	HAZARD_USER_TOOLS_DROPPED,
	HAZARD_PING,
	HAZARD_UNKNOWN_METHOD,
	HAZARD_UNSCHEMED_VISION,
	HAZARD_PHOTO_WITHOUT_VISION,
	HAZARD_LARGE,
	HAZARD_NOT_JSON,
	HAZARD_NO_TYPE,
	HAZARD_OVERSIZED_REPLY,
	HAZARD_HELLO_NO_TRANSPORT,
	HAZARD_HELLO_TRANSPORT_IGNORED, /* the same, from 2.5.0 on */
	HAZARD_HELLO_OTHER_TRANSPORT,
	HAZARD_HELLO_TWICE,
	HAZARD_HELLO_NO_SESSION,
	HAZARD_HELLO_LATE,
	HAZARD_CLOSE_LEFT_OPEN,
	HAZARD_LOCAL_TOO_LONG,
	HAZARD_OTA_TOO_LONG,
	HAZARD_OTA_BOTH,
	HAZARD_OTA_NEITHER,
	HAZARD_OTA_STORE,
	HAZARD_OTA_VERSION_TEXT,
	HAZARD_OTA_URL,
	HAZARD_OTA_PORT,
	HAZARD_OTA_NO_URL,
	HAZARD_OTA_FIRMWARE,
	HAZARD_OTA_LENGTH,
	HAZARD_OTA_ENDPOINT,
	HAZARD_OTA_NO_TOPIC,
	HAZARD_HELLO_NOT_UDP,
	HAZARD_HELLO_NO_UDP,
	HAZARD_GOODBYE_SESSION,
	HAZARD_FRAME_LENGTH,
	HAZARD_AUDIO_BROKEN,
	HAZARD_AUDIO_OLD,
	HAZARD_UPLOAD_TOO_LONG,
	HAZARD_UPLOAD_LENGTH,
	HAZARD_COUNT
};

/* In words, for the summary. */
const char *hazard_text(enum hazard h);
/* A real board with the firmware that is played does not survive it. */
bool hazard_is_fatal(enum hazard h);

/* What one connection has shown so far. */
struct hazard_watch {
	uint32_t
		times[HAZARD_COUNT]; /* each one showed; 1: this is the first */
	int32_t ids[16]; /* the last request ids, a ring */
	uint32_t requests;
	bool initialized, notified, hello_sent, hello_received;
	bool listed, more_pages; /* the last page had a next one */
	bool user_tools; /* withUserTools on the last page */
	/* MQTT: MCP needs neither hello nor session (device.md 2.2) */
	bool standby;
	char session_id[64]; /* as the server hello gave it, cut */
	char cursor[64]; /* of the last request, cut */
	void (*found)(void *owner, enum hazard h);
	void *owner;
};

/* A new connection: forgets everything but found and owner. */
void hazard_watch_start(struct hazard_watch *w);
/* It showed once more: counted, then told. */
void hazard_tell(struct hazard_watch *w, enum hazard h);

/* A text frame as it came; root NULL: no JSON. bare: no envelope is expected. */
void hazard_frame(struct hazard_watch *w, const cJSON *root, size_t len,
		  bool bare);
/* A JSON-RPC payload. vision: an address is known by now. */
void hazard_payload(struct hazard_watch *w, const cJSON *payload, bool vision);
/* The server hello. */
void hazard_hello(struct hazard_watch *w, const cJSON *hello);
/* A page of tools was answered. */
void hazard_page(struct hazard_watch *w, bool has_next);
/* The connection is over: what never came. */
void hazard_end(struct hazard_watch *w);

#endif
