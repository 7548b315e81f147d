/* SPDX-License-Identifier: MIT */
/*
 * The OTA question and answer (device.md 5). Pure; HTTP is net/front's and
 * sim's matter.
 */
#ifndef WIRE_OTA_H
#define WIRE_OTA_H

#include "base/json.h"

/* What a device told of itself; "" where it told nothing. Cut to fit. */
struct ota_request {
	char device_id[64], client_id[64];
	char language[16], user_agent[96], serial[64];
	char board_type[64], board_name[96], chip[32];
	char version[48], compile_time[64], idf_version[48], elf_sha256[72];
	char ip[64], ssid[64];
	int64_t flash_size; /* bytes, 0 if not told */
	int64_t app_room; /* of the partition that is written next; the same */
	int64_t assets_room; /* of the one for assets */
	int rssi; /* dBm, 0 if not told */
};

/*
 * Fill from the JSON body; the members from headers (device_id, client_id,
 * language, user_agent, serial) stay as they are. -1 (ERR_PROTOCOL): no JSON
 * object.
 */
int ota_request_decode(struct ota_request *out, const char *body, size_t len,
		       struct error *err);

/* The body as firmware 2.4.2 sends it (device.md 5.1), from what is in *rq. */
void ota_request_encode(struct buf *out, const struct ota_request *rq);

/*
 * The same as one flat object, {"version":…,"rssi":…}, with all its members:
 * for a person, and for who hands it on. Texts are cut to fit again.
 */
void ota_facts_encode(struct buf *out, const struct ota_request *rq);
void ota_facts_decode(struct ota_request *out, const cJSON *object);

/*
 * {"websocket":{"url":URL,"token":TOKEN,"version":N}} and nothing that traps
 * a device (device.md 5.4): token left out if NULL, version if 0, well under
 * 8,000 bytes. -1 (ERR_USAGE): a value is too long for the device's storage (255 bytes for
 * the url, 512 for the token).
 */
int ota_reply_websocket(struct buf *out, const char *url, const char *token,
			int version, struct error *err);

/* server_time; now_ms: Unix time, offset: minutes from UTC. */
struct ota_clock {
	int64_t now_ms;
	int offset;
};

/*
 * Firmware that the board is to install now, newer or not (force). A version
 * that the board's parser throws at is refused (device.md 5.4 item 5).
 */
struct ota_firmware {
	const char *version, *url;
};

/* What else stands in a reply; each may be NULL. */
struct ota_besides {
	const struct ota_clock *clock;
	const struct ota_firmware *firmware;
};

/* Where an MQTT device is sent (device.md 2.1, 5.2). */
struct ota_mqtt {
	const char *endpoint; /* "host:port", no scheme */
	const char *client_id, *username,
		*password; /* empty ones are left out */
	const char *publish_topic;
	const char *subscribe_topic; /* stock firmware has no use for it */
};

/*
 * A reply with "mqtt", or with "websocket" where mqtt is NULL, and what is in
 * besides (NULL: nothing). Rules and errors as ota_reply_websocket.
 */
int ota_reply_encode(struct buf *out, const struct ota_mqtt *mqtt,
		     const char *url, const char *token,
		     const struct ota_besides *besides, struct error *err);
/* Whether a board survives to be offered that version. -1 (ERR_USAGE). */
int ota_version_check(const char *version, struct error *err);

/*
 * What a reply told: for the simulated device. Owned strings, NULL if absent.
 */
struct ota_reply {
	/* the object is there (even {}): the device stays on WebSocket */
	bool websocket;
	char *websocket_url, *websocket_token;
	bool has_version;
	int websocket_version; /* 0 if a string, as firmware reads it */
	/* the object if present (even {}): it hides websocket; owned */
	cJSON *mqtt;
	char *activation_code;
	bool activation_challenge;
	char *firmware_version, *firmware_url;
	bool firmware_forced;
};
/*
 * As firmware reads it: sections without case, members (which are names in its
 * store) with case, whatever stands behind the value.
 */
int ota_reply_decode(struct ota_reply *out, const char *body, size_t len,
		     struct error *err);
/* A section of a reply, as firmware finds it; NULL if there is no object. */
cJSON *ota_section(const cJSON *reply, const char *name);
/* A member of one that is no name of the store, as firmware finds it; NULL. */
const cJSON *ota_member(const cJSON *section, const char *name);
/* The reply as firmware parses it; NULL with err set. Yours. */
cJSON *ota_reply_parse(const char *body, size_t len, struct error *err);
void ota_reply_done(struct ota_reply *r);

#endif
