/* SPDX-License-Identifier: MIT */
/*
 * OTA bodies. The question as firmware 2.4.2 asks it, and a reply that no
 * device trips over. Headers and status belong to whoever speaks HTTP.
 */
#include "wire/ota.h"
#include "base/mem.h"
#include "wire/board_text.h"
#include "wire/jsonrpc.h"

#include <stddef.h>
#include <string.h>

/*
 * The device's storage (device.md 5.4): a value that is too long makes it abort
 * at every boot.
 */
enum { URL_MAX = 255, TOKEN_MAX = 512 };
/* The three texts of CONNECT, of a buffer of 1,024 bytes (device.md 2.2). */
enum { CONNECT_MAX = 960 };

/* Parse a body that must be an object; NULL with err set. */
static cJSON *parse_object(const char *body, size_t len, struct error *err)
{
	cJSON *json = json_parse(body, len, err);

	if (json && !cJSON_IsObject(json)) {
		error_set(err, ERR_PROTOCOL, "OTA body is no JSON object");
		cJSON_Delete(json);
		return NULL;
	}
	if (!json)
		error_prefix(err, "OTA body");
	return json;
}

/* 0: not told. */
static int64_t bytes_of(const cJSON *json, const char *name)
{
	int64_t bytes = 0;

	return json_integer(json, name, &bytes) || bytes < 0 ? 0 : bytes;
}

static void decode_application(struct ota_request *out, const cJSON *json)
{
	member_copy(json, "version", out->version, sizeof(out->version));
	member_copy(json, "compile_time", out->compile_time,
		    sizeof(out->compile_time));
	member_copy(json, "idf_version", out->idf_version,
		    sizeof(out->idf_version));
	member_copy(json, "elf_sha256", out->elf_sha256,
		    sizeof(out->elf_sha256));
}

static void decode_board(struct ota_request *out, const cJSON *json)
{
	member_copy(json, "type", out->board_type, sizeof(out->board_type));
	member_copy(json, "name", out->board_name, sizeof(out->board_name));
	member_copy(json, "ip", out->ip, sizeof(out->ip));
	member_copy(json, "ssid", out->ssid, sizeof(out->ssid));
	out->rssi = member_int(json, "rssi");
}

/* One whose type and subtype are numbers. */
struct partition {
	const char *label;
	int64_t type, subtype, size;
};

static bool read_partition(struct partition *out, const cJSON *json)
{
	*out = (struct partition){ .label = json_string(json, "label"),
				   .type = -1 };
	json_integer(json, "type", &out->type);
	json_integer(json, "subtype", &out->subtype);
	json_integer(json, "size", &out->size);
	return out->label && out->size > 0;
}

/* For an application over the air, and not the one that runs. */
static bool is_next(const struct partition *p, const char *running)
{
	return p->type == 0 && p->subtype >= 0x10 && p->subtype <= 0x1f &&
	       running && strcmp(p->label, running) != 0;
}

/* Of several that may be written next the smallest. */
static void decode_partitions(struct ota_request *out, const cJSON *json)
{
	const char *running = json_string(json_object(json, "ota"), "label");
	const cJSON *one;
	struct partition p;

	out->app_room = out->assets_room = 0;
	cJSON_ArrayForEach(one, json_array(json, "partition_table")) {
		if (!read_partition(&p, one))
			continue;
		if (is_next(&p, running) &&
		    (!out->app_room || p.size < out->app_room))
			out->app_room = p.size;
		if (strcmp(p.label, "assets") == 0 && !out->assets_room)
			out->assets_room = p.size;
	}
}

int ota_request_decode(struct ota_request *out, const char *body, size_t len,
		       struct error *err)
{
	CLEANUP(json_free_ptr) cJSON *json = parse_object(body, len, err);

	if (!json)
		return -1;
	decode_application(out, json_object(json, "application"));
	decode_board(out, json_object(json, "board"));
	decode_partitions(out, json);
	member_copy(json, "chip_model_name", out->chip, sizeof(out->chip));
	out->flash_size = bytes_of(json, "flash_size");
	return 0;
}

/*
 * `"name":"value"`, with a comma in front unless it is the first of its object.
 */
static void add_string(struct buf *out, const char *name, const char *value)
{
	if (buf_string(out)[out->len - 1] != '{')
		buf_char(out, ',');
	buf_printf(out, "\"%s\":", name);
	buf_json_string(out, value, strlen(value));
}

/* All its texts. */
#define FACT(name)                                                 \
	{                                                          \
#		name, offsetof(struct ota_request, name),         \
			sizeof(((struct ota_request *)NULL)->name) \
	}
static const struct {
	const char *name;
	size_t at, size;
} facts[] = {
	FACT(version),	  FACT(compile_time), FACT(idf_version),
	FACT(elf_sha256), FACT(board_type),   FACT(board_name),
	FACT(chip),	  FACT(ip),	      FACT(ssid),
	FACT(language),	  FACT(user_agent),   FACT(serial),
	FACT(device_id),  FACT(client_id),
};

void ota_facts_encode(struct buf *out, const struct ota_request *rq)
{
	buf_char(out, '{');
	for (size_t i = 0; i < COUNT(facts); i++)
		add_string(out, facts[i].name, (const char *)rq + facts[i].at);
	buf_printf(
		out,
		",\"flash_size\":%lld,\"app_room\":%lld,\"assets_room\":%lld,\"rssi\":%d}",
		(long long)rq->flash_size, (long long)rq->app_room,
		(long long)rq->assets_room, rq->rssi);
}

void ota_facts_decode(struct ota_request *out, const cJSON *object)
{
	*out = (struct ota_request){ 0 };
	for (size_t i = 0; i < COUNT(facts); i++)
		member_copy(object, facts[i].name, (char *)out + facts[i].at,
			    facts[i].size);
	out->flash_size = bytes_of(object, "flash_size");
	out->app_room = bytes_of(object, "app_room");
	out->assets_room = bytes_of(object, "assets_room");
	out->rssi = member_int(object, "rssi");
}

static void add_application(struct buf *out, const struct ota_request *rq)
{
	buf_text(out, ",\"application\":{");
	add_string(out, "name", "xiaozhi");
	add_string(out, "version", rq->version);
	add_string(out, "compile_time", rq->compile_time);
	add_string(out, "idf_version", rq->idf_version);
	add_string(out, "elf_sha256", rq->elf_sha256);
	buf_char(out, '}');
}

static void add_board(struct buf *out, const struct ota_request *rq)
{
	buf_text(out, ",\"board\":{");
	add_string(out, "type", rq->board_type);
	add_string(out, "name", rq->board_name);
	add_string(out, "manufacturer", "");
	add_string(out, "ssid", rq->ssid);
	buf_printf(out, ",\"rssi\":%d,\"channel\":6", rq->rssi);
	add_string(out, "ip", rq->ip);
	add_string(out, "mac", rq->device_id);
	buf_char(out, '}');
}

/* What no server looks at, but firmware sends; of a 16 MB board. */
static const char partitions[] =
	",\"partition_table\":[{\"label\":\"nvs\",\"type\":1,\"subtype\":2,\"address\":36864,\"size\":16384},{\"label\":\"otadata\",\"type\":1,\"subtype\":0,\"address\":53248,\"size\":8192},{\"label\":\"phy_init\",\"type\":1,\"subtype\":1,\"address\":61440,\"size\":4096},{\"label\":\"ota_0\",\"type\":0,\"subtype\":16,\"address\":131072,\"size\":4128768},{\"label\":\"ota_1\",\"type\":0,\"subtype\":17,\"address\":4259840,\"size\":4128768},{\"label\":\"assets\",\"type\":1,\"subtype\":130,\"address\":8388608,\"size\":8388608}],\"ota\":{\"label\":\"ota_0\"},\"display\":{\"monochrome\":false,\"width\":320,\"height\":240}";

void ota_request_encode(struct buf *out, const struct ota_request *rq)
{
	buf_text(out, "{\"version\":2");
	add_string(out, "language", rq->language);
	buf_printf(out, ",\"flash_size\":%lld", (long long)rq->flash_size);
	/* A number as a string: so does firmware. */
	add_string(out, "minimum_free_heap_size", "8318916");
	add_string(out, "mac_address", rq->device_id);
	add_string(out, "uuid", rq->client_id);
	add_string(out, "chip_model_name", rq->chip);
	buf_text(
		out,
		",\"chip_info\":{\"model\":9,\"cores\":2,\"revision\":2,\"features\":18}");
	add_application(out, rq);
	buf_text(out, partitions);
	add_board(out, rq);
	buf_char(out, '}');
}

static int check_length(const char *what, const char *value, size_t max,
			struct error *err)
{
	if (!value || strlen(value) <= max)
		return 0;
	error_set(err, ERR_USAGE,
		  "%s of %zu bytes is too long for a device (%zu at most)",
		  what, strlen(value), max);
	return error_hint(err, "give a shorter %s", what);
}

static int add_websocket(struct buf *out, const char *url, const char *token,
			 int version, struct error *err)
{
	if (check_length("address", url, URL_MAX, err) ||
	    check_length("token", token, TOKEN_MAX, err))
		return -1;
	buf_text(out, "{\"websocket\":{");
	add_string(out, "url", url);
	if (token)
		add_string(out, "token", token);
	if (version)
		buf_printf(out, ",\"version\":%d", version);
	buf_char(out, '}');
	return 0;
}

int ota_reply_websocket(struct buf *out, const char *url, const char *token,
			int version, struct error *err)
{
	if (add_websocket(out, url, token, version, err))
		return -1;
	buf_char(out, '}');
	return 0;
}

static size_t length(const char *text)
{
	return text ? strlen(text) : 0;
}

static int check_mqtt(const struct ota_mqtt *m, struct error *err)
{
	size_t connect = length(m->client_id) + length(m->username) +
			 length(m->password);

	if (check_length("broker address", m->endpoint, URL_MAX, err) ||
	    check_length("topic", m->publish_topic, URL_MAX, err) ||
	    check_length("topic", m->subscribe_topic, URL_MAX, err))
		return -1;
	if (connect <= CONNECT_MAX)
		return 0;
	error_set(
		err, ERR_USAGE,
		"client id, user name and password of %zu bytes are too long for a device (%d together at most)",
		connect, CONNECT_MAX);
	return error_hint(err, "give shorter ones");
}

static int add_mqtt(struct buf *out, const struct ota_mqtt *m,
		    struct error *err)
{
	const struct {
		const char *name, *value;
	} member[] = { { "endpoint", m->endpoint },
		       { "client_id", m->client_id },
		       { "username", m->username },
		       { "password", m->password },
		       { "publish_topic", m->publish_topic },
		       { "subscribe_topic", m->subscribe_topic } };

	if (check_mqtt(m, err))
		return -1;
	buf_text(out, "{\"mqtt\":{");
	for (size_t i = 0; i < COUNT(member); i++) {
		if (length(member[i].value) > 0)
			add_string(out, member[i].name, member[i].value);
	}
	buf_char(out, '}');
	return 0;
}

int ota_version_check(const char *version, struct error *err)
{
	size_t count;

	if (*version && board_version_read(version, NULL, 0, &count))
		return 0;
	error_set(
		err, ERR_USAGE,
		"the version '%.40s' cannot be offered by OTA: boards restart over and over at one that is not of numbers with dots between",
		version);
	return error_hint(
		err,
		"give it one as 2.5.0 (PROJECT_VER), or send it without --by ota");
}

static void add_clock(struct buf *out, const struct ota_clock *clock)
{
	buf_printf(
		out,
		",\"server_time\":{\"timestamp\":%lld,\"timezone_offset\":%d}",
		(long long)clock->now_ms, clock->offset);
}

static void add_firmware(struct buf *out, const struct ota_firmware *f)
{
	buf_text(out, ",\"firmware\":{");
	add_string(out, "version", f->version);
	add_string(out, "url", f->url);
	buf_text(out, ",\"force\":1}");
}

int ota_reply_encode(struct buf *out, const struct ota_mqtt *mqtt,
		     const char *url, const char *token,
		     const struct ota_besides *besides, struct error *err)
{
	const struct ota_besides none = { 0 };

	if (!besides)
		besides = &none;
	if (besides->firmware &&
	    ota_version_check(besides->firmware->version, err))
		return -1;
	if (mqtt ? add_mqtt(out, mqtt, err) :
		   add_websocket(out, url, token, 0, err))
		return -1;
	if (besides->clock)
		add_clock(out, besides->clock);
	if (besides->firmware)
		add_firmware(out, besides->firmware);
	buf_char(out, '}');
	return 0;
}

cJSON *ota_section(const cJSON *reply, const char *name)
{
	cJSON *section = cJSON_GetObjectItem(reply, name);

	return cJSON_IsObject(section) ? section : NULL;
}

cJSON *ota_reply_parse(const char *body, size_t len, struct error *err)
{
	cJSON *json = cJSON_ParseWithLength(body, strnlen(body, len));

	if (cJSON_IsObject(json))
		return json;
	cJSON_Delete(json);
	json = parse_object(body, len, err); /* which says where it breaks */
	if (!json)
		return NULL;
	cJSON_Delete(json);
	error_set(err, ERR_PROTOCOL, "OTA body: a device cannot read it");
	return NULL;
}

const cJSON *ota_member(const cJSON *section, const char *name)
{
	return cJSON_GetObjectItem(section, name);
}

static const char *section_text(const cJSON *section, const char *name)
{
	return cJSON_GetStringValue(ota_member(section, name));
}

static bool is_one(const cJSON *number)
{
	return cJSON_IsNumber(number) && number->valueint == 1;
}

int ota_reply_decode(struct ota_reply *out, const char *body, size_t len,
		     struct error *err)
{
	CLEANUP(json_free_ptr) cJSON *json = ota_reply_parse(body, len, err);
	const cJSON *websocket, *activation, *firmware;
	cJSON *mqtt;

	*out = (struct ota_reply){ 0 };
	if (!json)
		return -1;
	websocket = ota_section(json, "websocket");
	activation = ota_section(json, "activation");
	out->websocket = websocket != NULL;
	out->websocket_url = mem_strdup(json_string(websocket, "url"));
	out->websocket_token = mem_strdup(json_string(websocket, "token"));
	out->has_version = json_member(websocket, "version") != NULL;
	out->websocket_version = member_int(websocket, "version");
	out->activation_code = mem_strdup(section_text(activation, "code"));
	out->activation_challenge =
		section_text(activation, "challenge") != NULL;
	firmware = ota_section(json, "firmware");
	out->firmware_version = mem_strdup(section_text(firmware, "version"));
	out->firmware_url = mem_strdup(section_text(firmware, "url"));
	out->firmware_forced = is_one(cJSON_GetObjectItem(firmware, "force"));
	mqtt = ota_section(json, "mqtt");
	if (mqtt)
		out->mqtt = cJSON_DetachItemViaPointer(json, mqtt);
	return 0;
}

void ota_reply_done(struct ota_reply *r)
{
	mem_free(r->websocket_url);
	mem_free(r->websocket_token);
	mem_free(r->activation_code);
	mem_free(r->firmware_version);
	mem_free(r->firmware_url);
	cJSON_Delete(r->mqtt);
	*r = (struct ota_reply){ 0 };
}
