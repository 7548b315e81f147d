/* SPDX-License-Identifier: MIT */
/*
 * wire/ota: the device's question, and replies that no device trips over.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/json_scan.h"
#include "wire/ota.h"

static const char question[] =
	"{\"version\":2,\"language\":\"zh-CN\",\"flash_size\":16777216,"
	"\"minimum_free_heap_size\":\"8318916\",\"mac_address\":"
	"\"02:00:00:00:00:01\",\"uuid\":\"u\",\"chip_model_name\":\"esp32s3\","
	"\"application\":{\"name\":\"xiaozhi\",\"version\":\"2.4.2\","
	"\"compile_time\":\"Aug  8 2026T10:00:00Z\",\"idf_version\":\"v6.0\","
	"\"elf_sha256\":\"abc\"},\"board\":{\"type\":\"bread-compact-wifi\","
	"\"name\":\"bread\",\"ssid\":\"home\",\"rssi\":-58,\"ip\":"
	"\"192.168.1.7\"}}";

static int decode(struct ota_request *rq, const char *body)
{
	struct error err = { 0 };
	int status = ota_request_decode(rq, body, strlen(body), &err);

	assert_int_equal(err.kind, status ? ERR_PROTOCOL : ERR_NONE);
	error_reset(&err);
	return status;
}

static void request(void **state)
{
	struct ota_request rq = { .device_id = "from the header",
				  .language = "en-US" };

	(void)state;
	assert_int_equal(decode(&rq, question), 0);
	assert_string_equal(rq.device_id, "from the header");
	assert_string_equal(rq.language, "en-US");
	assert_string_equal(rq.version, "2.4.2");
	assert_string_equal(rq.compile_time, "Aug  8 2026T10:00:00Z");
	assert_string_equal(rq.idf_version, "v6.0");
	assert_string_equal(rq.elf_sha256, "abc");
	assert_string_equal(rq.board_type, "bread-compact-wifi");
	assert_string_equal(rq.board_name, "bread");
	assert_string_equal(rq.chip, "esp32s3");
	assert_string_equal(rq.ip, "192.168.1.7");
	assert_string_equal(rq.ssid, "home");
	assert_int_equal(rq.flash_size, 16777216);
	assert_int_equal(rq.rssi, -58);
}

static void hostile_request(void **state)
{
	struct ota_request rq = { .flash_size = 5 };

	(void)state;
	assert_int_equal(decode(&rq, "[]"), -1);
	assert_int_equal(decode(&rq, "nonsense"), -1);
	assert_int_equal(decode(&rq, ""), -1);
	assert_int_equal(
		decode(&rq, "{\"flash_size\":\"16\",\"board\":{\"rssi\":1e99,"
			    "\"name\":7},\"application\":[],"
			    "\"chip_model_name\":"
			    "\"0123456789012345678901234567890123456789\"}"),
		0);
	assert_int_equal(rq.flash_size, 0);
	assert_int_equal(rq.rssi, 0);
	assert_string_equal(rq.board_name, "");
	assert_string_equal(rq.chip, "0123456789012345678901234567890");
}

/* What is encoded decodes to the same, and is JSON whatever stands in it. */
static void round_trip(void **state)
{
	struct ota_request rq = { .flash_size = 8388608,
				  .rssi = -40,
				  .device_id = "02:00:00:00:00:01",
				  .board_name = "a \"quoted\" board",
				  .version = "2.4.2",
				  .ssid = "\xe4\xbd\xa0\xe5\xa5\xbd" };
	struct ota_request back = { 0 };
	struct buf out = { 0 };

	(void)state;
	ota_request_encode(&out, &rq);
	assert_int_equal(decode(&back, buf_string(&out)), 0);
	assert_int_equal(back.flash_size, 8388608);
	assert_int_equal(back.rssi, -40);
	assert_string_equal(back.board_name, rq.board_name);
	assert_string_equal(back.version, "2.4.2");
	assert_string_equal(back.ssid, rq.ssid);
	assert_memory_equal(buf_string(&out),
			    "{\"version\":2,\"language\":", 24);
	assert_non_null(strstr(buf_string(&out),
			       "\"mac_address\":\"02:00:00:00:00:01\""));
	assert_non_null(
		strstr(buf_string(&out), "\"minimum_free_heap_size\":\""));
	buf_done(&out);
}

static void reply(void **state)
{
	struct error err = { 0 };
	struct buf out = { 0 };

	(void)state;
	assert_int_equal(
		ota_reply_websocket(&out, "ws://h:8000/", NULL, 0, &err), 0);
	assert_string_equal(buf_string(&out),
			    "{\"websocket\":{\"url\":\"ws://h:8000/\"}}");
	buf_reset(&out);
	assert_int_equal(ota_reply_websocket(&out, "ws://h/", "t\"k", 3, &err),
			 0);
	assert_string_equal(buf_string(&out),
			    "{\"websocket\":{\"url\":\"ws://h/\",\"token\":"
			    "\"t\\\"k\",\"version\":3}}");
	buf_done(&out);
}

static void reply_too_long(void **state)
{
	struct error err = { 0 };
	struct buf out = { 0 };
	char text[514];

	(void)state;
	memset(text, 'x', sizeof(text));
	text[256] = '\0';
	assert_int_equal(ota_reply_websocket(&out, text, NULL, 0, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_int_equal(out.len, 0);
	text[255] = '\0';
	assert_int_equal(ota_reply_websocket(&out, text, NULL, 0, &err), 0);
	text[255] = 'x';
	text[256] = 'x';
	text[513] = '\0';
	assert_int_equal(ota_reply_websocket(&out, "ws://h", text, 0, &err),
			 -1);
	assert_int_equal(err.kind, ERR_USAGE);
	buf_done(&out);
	error_reset(&err);
}

static void encodes(const struct ota_mqtt *mqtt, const char *url,
		    const char *token, const struct ota_clock *clock,
		    const char *text)
{
	struct error err = { 0 };
	struct buf out = { 0 };

	const struct ota_besides besides = { .clock = clock };

	assert_int_equal(ota_reply_encode(&out, mqtt, url, token,
					  clock ? &besides : NULL, &err),
			 0);
	assert_string_equal(buf_string(&out), text);
	assert_int_equal(json_check(out.data, out.len, &err), 0);
	buf_done(&out);
}

static void reply_with_time(void **state)
{
	const struct ota_clock clock = { 1760000000123, -150 };
	const struct ota_mqtt mqtt = { .endpoint = "192.168.1.2:1883",
				       .client_id = "GID@@@a_b",
				       .username = "",
				       .password = "p\"",
				       .publish_topic = "device-server" };

	(void)state;
	encodes(NULL, "ws://h/", "t", &clock,
		"{\"websocket\":{\"url\":\"ws://h/\",\"token\":\"t\"},"
		"\"server_time\":{\"timestamp\":1760000000123,"
		"\"timezone_offset\":-150}}");
	encodes(NULL, "ws://h/", NULL, NULL,
		"{\"websocket\":{\"url\":\"ws://h/\"}}");
	encodes(&mqtt, NULL, NULL, &clock,
		"{\"mqtt\":{\"endpoint\":\"192.168.1.2:1883\","
		"\"client_id\":\"GID@@@a_b\",\"password\":\"p\\\"\","
		"\"publish_topic\":\"device-server\"},"
		"\"server_time\":{\"timestamp\":1760000000123,"
		"\"timezone_offset\":-150}}");
}

static void reply_with_firmware(void **state)
{
	const struct ota_firmware firmware = { "2.5.0", "http://h/f\"" };
	const struct ota_besides besides = { .firmware = &firmware };
	struct ota_firmware bad = { .url = "http://h/f" };
	const struct ota_besides not = { .firmware = &bad };
	static const char *const versions[] = { "v2.5.0", "", "2..5", ".5" };
	struct error err = { 0 };
	struct buf out = { 0 };
	struct ota_reply r;

	(void)state;
	assert_int_equal(
		ota_reply_encode(&out, NULL, "ws://h/", NULL, &besides, &err),
		0);
	assert_string_equal(
		buf_string(&out),
		"{\"websocket\":{\"url\":\"ws://h/\"},\"firmware\":{\"version\":\"2.5.0\",\"url\":\"http://h/f\\\"\",\"force\":1}}");
	assert_int_equal(ota_reply_decode(&r, out.data, out.len, &err), 0);
	assert_true(r.firmware_forced);
	assert_string_equal(r.firmware_url, firmware.url);
	ota_reply_done(&r);
	buf_done(&out);
	/* A board would restart over and over at these. */
	for (size_t i = 0; i < COUNT(versions); i++) {
		bad.version = versions[i];
		assert_int_equal(ota_reply_encode(&out, NULL, "ws://h/", NULL,
						  &not, &err),
				 -1);
		assert_int_equal(err.kind, ERR_USAGE);
		assert_int_equal(out.len, 0);
		error_reset(&err);
	}
	assert_int_equal(ota_version_check("2.4.2-x", &err), 0);
}

static void rooms(void **state)
{
	static const char body[] =
		"{\"ota\":{\"label\":\"ota_0\"},\"partition_table\":["
		"{\"label\":\"ota_0\",\"type\":0,\"subtype\":16,\"size\":9},"
		"{\"label\":\"ota_1\",\"type\":0,\"subtype\":17,\"size\":70},"
		"{\"label\":\"ota_2\",\"type\":0,\"subtype\":18,\"size\":60},"
		"{\"label\":\"other\",\"type\":0,\"subtype\":32,\"size\":5},"
		"{\"label\":\"odd\",\"subtype\":17,\"size\":5},"
		"{\"label\":\"assets\",\"type\":1,\"subtype\":130,\"size\":80},"
		"{\"label\":\"assets\",\"size\":7},"
		"{\"size\":-1},{\"label\":4},null,7]}";
	struct ota_request rq = { .app_room = 3 }, back;
	CLEANUP(buf_done) struct buf facts = { 0 };
	cJSON *json;

	(void)state;
	assert_int_equal(decode(&rq, body), 0);
	assert_int_equal(rq.app_room, 60);
	assert_int_equal(rq.assets_room, 80);
	ota_facts_encode(&facts, &rq);
	json = json_parse(buf_string(&facts), facts.len, NULL);
	ota_facts_decode(&back, json);
	cJSON_Delete(json);
	assert_int_equal(back.app_room, 60);
	assert_int_equal(back.assets_room, 80);
	/* Which one runs is not told: so is not which comes next. */
	assert_int_equal(
		decode(&rq,
		       "{\"partition_table\":[{\"label\":\"a\",\"type\":0,\"subtype\":16,\"size\":9}]}"),
		0);
	assert_int_equal(rq.app_room, 0);
}

static void mqtt_too_long(void **state)
{
	struct ota_mqtt mqtt = { .endpoint = "h", .publish_topic = "t" };
	struct error err = { 0 };
	struct buf out = { 0 };
	char text[962];

	(void)state;
	memset(text, 'x', sizeof(text));
	text[961] = '\0';
	mqtt.username = text;
	assert_int_equal(ota_reply_encode(&out, &mqtt, NULL, NULL, NULL, &err),
			 -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_int_equal(out.len, 0);
	mqtt.username = NULL;
	mqtt.endpoint = text;
	assert_int_equal(ota_reply_encode(&out, &mqtt, NULL, NULL, NULL, &err),
			 -1);
	assert_int_equal(out.len, 0);
	buf_done(&out);
	error_reset(&err);
}

static void decode_reply(struct ota_reply *r, const char *body)
{
	struct error err = { 0 };

	assert_int_equal(ota_reply_decode(r, body, strlen(body), &err), 0);
}

static void replies(void **state)
{
	struct error err = { 0 };
	struct ota_reply r;

	(void)state;
	decode_reply(&r, "{\"websocket\":{\"url\":\"ws://h/\",\"token\":\"t\","
			 "\"version\":2}}");
	assert_string_equal(r.websocket_url, "ws://h/");
	assert_string_equal(r.websocket_token, "t");
	assert_int_equal(r.websocket_version, 2);
	assert_null(r.mqtt);
	ota_reply_done(&r);
	decode_reply(&r, "{\"mqtt\":{},\"websocket\":{\"version\":\"3\"},"
			 "\"activation\":{\"code\":\"123\","
			 "\"challenge\":\"c\"}}");
	assert_null(r.websocket_url);
	assert_int_equal(r.websocket_version, 0);
	assert_non_null(r.mqtt);
	assert_string_equal(r.activation_code, "123");
	assert_true(r.activation_challenge);
	ota_reply_done(&r);
	decode_reply(&r, "{\"mqtt\":null}");
	assert_null(r.mqtt);
	assert_null(r.activation_code);
	assert_false(r.activation_challenge);
	ota_reply_done(&r);
	decode_reply(&r, "{\"WEBSOCKET\":{\"Url\":\"ws://h/\"}}behind");
	assert_true(r.websocket);
	assert_null(r.websocket_url);
	assert_false(r.has_version);
	ota_reply_done(&r);
	assert_int_equal(ota_reply_decode(&r, "[1]", 3, &err), -1);
	assert_int_equal(err.kind, ERR_PROTOCOL);
	ota_reply_done(&r);
	error_reset(&err);
}

/* All that firmware sends, in its order. */
static void whole_request(void **state)
{
	const struct ota_request rq = { .version = "1",
					.compile_time = "2",
					.idf_version = "3",
					.elf_sha256 = "4",
					.board_type = "5",
					.board_name = "6",
					.chip = "7",
					.ip = "8",
					.ssid = "9",
					.language = "a",
					.device_id = "b",
					.client_id = "c",
					.rssi = -1,
					.flash_size = 2 };
	struct ota_request back;
	CLEANUP(buf_done) struct buf out = { 0 };
	CLEANUP(buf_done) struct buf facts = { 0 };
	cJSON *json;

	(void)state;
	ota_request_encode(&out, &rq);
	assert_non_null(strstr(
		buf_string(&out),
		"{\"version\":2,\"language\":\"a\",\"flash_size\":2,\"minimum_free_heap_size\":\"8318916\",\"mac_address\":\"b\",\"uuid\":\"c\",\"chip_model_name\":\"7\",\"chip_info\":{\"model\":9,\"cores\":2,\"revision\":2,\"features\":18},\"application\":{\"name\":\"xiaozhi\",\"version\":\"1\",\"compile_time\":\"2\",\"idf_version\":\"3\",\"elf_sha256\":\"4\"},\"partition_table\":[{\"label\":\"nvs\","));
	assert_non_null(strstr(
		buf_string(&out),
		"\"board\":{\"type\":\"5\",\"name\":\"6\",\"manufacturer\":\"\",\"ssid\":\"9\",\"rssi\":-1,\"channel\":6,\"ip\":\"8\",\"mac\":\"b\"}}"));
	assert_int_equal(json_check(out.data, out.len, NULL), 0);
	/* All texts there and back, and the numbers. */
	ota_facts_encode(&facts, &rq);
	json = json_parse(buf_string(&facts), facts.len, NULL);
	ota_facts_decode(&back, json);
	cJSON_Delete(json);
	assert_string_equal(back.version, "1");
	assert_string_equal(back.compile_time, "2");
	assert_string_equal(back.idf_version, "3");
	assert_string_equal(back.elf_sha256, "4");
	assert_string_equal(back.board_type, "5");
	assert_string_equal(back.board_name, "6");
	assert_string_equal(back.chip, "7");
	assert_string_equal(back.ip, "8");
	assert_string_equal(back.ssid, "9");
	assert_string_equal(back.language, "a");
	assert_string_equal(back.device_id, "b");
	assert_string_equal(back.client_id, "c");
	assert_int_equal(back.rssi, -1);
	assert_int_equal(back.flash_size, 2);
}

static void too_long(const struct ota_mqtt *mqtt, const char *words)
{
	struct error err = { 0 };
	struct buf out = { 0 };

	assert_int_equal(ota_reply_encode(&out, mqtt, NULL, NULL, NULL, &err),
			 -1);
	assert_non_null(strstr(err.text, words));
	assert_int_equal(out.len, 0);
	buf_done(&out);
	error_reset(&err);
}

/* What is too long says how long it is, and how long it may be. */
static void too_long_in_words(void **state)
{
	struct error err = { 0 };
	struct buf out = { 0 };
	char text[962];
	struct ota_mqtt mqtt = { .endpoint = "h",
				 .client_id = "c",
				 .username = text };

	(void)state;
	memset(text, 'x', sizeof(text));
	/* These three together, as they stand in one packet. */
	text[959] = '\0';
	assert_int_equal(ota_reply_encode(&out, &mqtt, NULL, NULL, NULL, &err),
			 0);
	mqtt.password = "p";
	too_long(
		&mqtt,
		"client id, user name and password of 961 bytes are too long for a device (960 together at most)");
	text[256] = '\0';
	too_long(&(struct ota_mqtt){ .endpoint = text },
		 "broker address of 256 bytes is too long");
	too_long(&(struct ota_mqtt){ .publish_topic = text },
		 "topic of 256 bytes is too long for a device (255 at most)");
	too_long(&(struct ota_mqtt){ .subscribe_topic = text },
		 "topic of 256 bytes");
	assert_int_equal(ota_reply_websocket(&out, text, NULL, 0, &err), -1);
	assert_string_equal(
		err.text,
		"address of 256 bytes is too long for a device (255 at most)");
	assert_string_equal(err.hint, "give a shorter address");
	buf_done(&out);
	error_reset(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_request),
		cmocka_unit_test(too_long_in_words),
		cmocka_unit_test(request),
		cmocka_unit_test(hostile_request),
		cmocka_unit_test(round_trip),
		cmocka_unit_test(reply),
		cmocka_unit_test(replies),
		cmocka_unit_test(reply_too_long),
		cmocka_unit_test(reply_with_time),
		cmocka_unit_test(mqtt_too_long),
		cmocka_unit_test(reply_with_firmware),
		cmocka_unit_test(rooms),
	};

	return cmocka_run_group_tests_name("ota", tests, NULL, NULL);
}
