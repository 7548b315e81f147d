/* SPDX-License-Identifier: MIT */
/*
 * The simulated device without a socket: hello, waiting, the two threads,
 * restarts, sizes, and what it finds.
 */
#include "sim_harness.h"

#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\"}"
#define PONG(id)                                                              \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"message\":\"Method " \
	"not implemented: ping\"}}"
#define CALL(id, name, arguments)                                       \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\"," \
	"\"params\":{\"name\":\"" name "\",\"arguments\":" arguments "}}"
#define DONE(id)                                                        \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"content\":[{" \
	"\"type\":\"text\",\"text\":\"true\"}],\"isError\":false}}"

static void start(struct harness *h)
{
	harness_start(h, harness_profile("fixtures-ws", NULL), NULL, false);
}

static bool noted(const struct harness *h, const char *text)
{
	size_t i;

	for (i = 0; i < h->notes.count; i++) {
		if (!strncmp(h->notes.word[i], text, strlen(text)))
			return true;
	}
	return false;
}

#define IN_ENVELOPE(payload) "{\"type\":\"mcp\",\"payload\":" payload "}"
#define CALL_STATUS(id)                                                 \
	"{\"type\":\"mcp\",\"payload\":{\"jsonrpc\":\"2.0\",\"id\":" id \
	",\"method\":\"tools/call\",\"params\":{\"name\":"              \
	"\"self.get_device_status\"}}}"

static void test_hello(void **state)
{
	struct harness h;

	(void)state;
	start(&h);
	harness_says(&h, "{\"type\":\"hello\",\"version\":1,\"features\":{"
			 "\"mcp\":true,\"glyph_push\":false},\"transport\":"
			 "\"websocket\",\"audio_params\":{\"format\":\"opus\","
			 "\"sample_rate\":16000,\"channels\":1,"
			 "\"frame_duration\":60}}");
	harness_says(&h, NULL);
	harness_send(&h, "{\"type\":\"hello\",\"transport\":\"websocket\"}");
	harness_says(&h, "{\"session_id\":\"\",\"type\":\"listen\",\"state\":"
			 "\"start\",\"mode\":\"auto\"}");
	assert_true(noted(&h, "welcomed"));
	assert_true(harness_saw(&h, B203));
	harness_stop(&h);
}

/* 1.5: parsed at once, answered after the hello. */
static void test_mcp_before_hello(void **state)
{
	struct harness h;

	(void)state;
	start(&h);
	harness_next(&h, 0);
	harness_mcp(&h, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
			"\"initialize\"}");
	harness_mcp(&h, PING("2"));
	assert_null(harness_next(&h, 20));
	harness_send(&h, "{\"type\":\"hello\",\"transport\":\"websocket\","
			 "\"session_id\":\"S1\"}");
	assert_non_null(strstr(harness_next(&h, 0), "\"listen\""));
	assert_non_null(strstr(harness_next(&h, 0), "serverInfo"));
	harness_mcp_says(&h, PONG("2"));
	assert_true(harness_saw(&h, B201));
	assert_true(harness_saw(&h, B208));
	assert_true(harness_saw(&h, B223));
	harness_stop(&h);
}

/* In place of a server hello; made no more of than a board does. */
static void test_refusals(void **state)
{
	struct harness h;

	(void)state;
	start(&h);
	harness_next(&h, 0);
	harness_send(&h, "认证失败");
	assert_true(noted(&h, "refused 认证失败"));
	harness_send(&h, "{\"type\":\"error\",\"message\":\"not bound\"}");
	assert_true(noted(&h, "refused not bound"));
	harness_send(&h, "{\"type\":\"error\"}");
	harness_says(&h, NULL);
	harness_stop(&h);
}

static void test_bad_hellos(void **state)
{
	struct harness h;

	(void)state;
	start(&h);
	harness_next(&h, 0);
	harness_send(&h, "{\"type\":\"hello\",\"transport\":\"udp\"}");
	harness_says(&h, NULL);
	assert_true(harness_saw(&h, B210));
	assert_false(h.died);
	harness_send(&h, "{\"type\":\"hello\"}");
	harness_says(&h, "<drop>");
	assert_true(harness_saw(&h, B202));
	assert_true(h.died);
	assert_true(noted(&h, "line the server hello has no 'transport'"));
	harness_stop(&h);
}

/* 1.5: a hello that nobody waits for lets the next session start at once. */
/* From 2.5.0 on a hello without transport is ignored, and kills nobody. */
static void test_hello_2_5(void **state)
{
	const struct profile_changes changes = { .firmware_2_5 = true };
	struct harness h;

	(void)state;
	harness_start(&h, harness_profile("esp32", &changes), NULL, false);
	assert_non_null(harness_next(&h, 0));
	harness_send(&h, "{\"type\":\"hello\",\"session_id\":\"S1\"}");
	harness_says(&h, NULL);
	assert_true(harness_saw(&h, B202));
	assert_false(h.died);
	harness_send(&h, "{\"type\":\"hello\",\"transport\":\"websocket\","
			 "\"session_id\":\"S1\"}");
	assert_non_null(strstr(harness_next(&h, 0), "listen"));
	harness_stop(&h);
}

/* Pings among pipelined calls are answered in between (device.md 3.9). */
static void test_interleaved(void **state)
{
	static const char *const frames[] = { CALL_STATUS("1"),
					      IN_ENVELOPE(PING("2")),
					      CALL_STATUS("3"),
					      IN_ENVELOPE(PING("4")) };
	static const char ids[] = "2413";
	struct harness h;
	size_t i;

	(void)state;
	harness_start(&h, harness_profile("esp32", NULL), NULL, false);
	harness_welcome(&h);
	for (i = 0; i < COUNT(frames); i++)
		pretend_receive(&h.device, frames[i], strlen(frames[i]));
	for (i = 0; i < COUNT(frames); i++) {
		const char *text = harness_next(&h, 60000);
		const char *id = strstr(text, "\"id\":");

		assert_non_null(id);
		assert_int_equal(id[5], ids[i]);
	}
	harness_stop(&h);
}

/* The wake word: two packets, what was heard, then listening. */
static void test_wake_word(void **state)
{
	struct harness h;

	(void)state;
	harness_start(&h, harness_profile("esp32", NULL), NULL, false);
	h.device.config.wake_word = true;
	assert_non_null(strstr(harness_next(&h, 0), "\"type\":\"hello\""));
	harness_send(&h, "{\"type\":\"hello\",\"transport\":\"websocket\","
			 "\"session_id\":\"S1\"}");
	harness_says(&h, "<binary fb03fffefffefffe>");
	harness_says(&h, "<binary fb03fffefffefffe>");
	harness_says(&h, "{\"session_id\":\"S1\",\"type\":\"listen\","
			 "\"state\":\"detect\",\"text\":\"你好小智\"}");
	harness_says(&h, "{\"session_id\":\"S1\",\"type\":\"listen\","
			 "\"state\":\"start\",\"mode\":\"auto\"}");
	harness_stop(&h);
}

/* A NUL between tokens is a blank, and no end. */
static void test_nul(void **state)
{
	static const char text[] = "{\"type\":\"mcp\",\0\"payload\":\0{"
				   "\"jsonrpc\":\"2.0\",\"id\":7,\0"
				   "\"method\":\"ping\"}}";
	struct harness h;

	(void)state;
	harness_start(&h, harness_profile("esp32", NULL), NULL, false);
	harness_welcome(&h);
	pretend_text(&h.device, text, sizeof(text) - 1);
	assert_non_null(strstr(harness_next(&h, 0), "not implemented: ping"));
	harness_stop(&h);
}

/* At the local port an upgrade fails, is answered, and the port stays. */
static void test_bare_upgrade(void **state)
{
	struct harness h;

	(void)state;
	harness_start(&h, harness_profile("esp32", NULL), NULL, true);
	harness_send(&h, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
			 "\"tools/call\",\"params\":{\"name\":"
			 "\"self.upgrade_firmware\",\"arguments\":{}}}");
	harness_says(&h, NULL);
	assert_string_equal(
		harness_next(&h, 60000),
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{"
		"\"type\":\"text\",\"text\":\"true\"}],\"isError\":false}}");
	assert_true(h.device.online);
	harness_stop(&h);
}

static void test_late_hello_helps_the_next_session(void **state)
{
	struct harness h;

	(void)state;
	start(&h);
	harness_welcome(&h);
	harness_send(&h, "{\"type\":\"hello\",\"transport\":\"websocket\"}");
	assert_true(harness_saw(&h, B227));
	pretend_hang_up(&h.device);
	pretend_open(&h.device);
	assert_non_null(strstr(harness_next(&h, 0), "\"hello\""));
	/* the old session id stays in use */
	harness_says(&h, "{\"session_id\":\"S1\",\"type\":\"listen\","
			 "\"state\":\"start\",\"mode\":\"auto\"}");
	harness_stop(&h);
}

/* 3.9: slow, slow, ping, ping are answered ping, ping, slow, slow. */
static void test_order(void **state)
{
	struct harness h;
	int64_t began;

	(void)state;
	start(&h);
	harness_welcome(&h);
	began = loop_now();
	harness_mcp(&h, CALL("1", "self.test.slow", "{\"ms\":40}"));
	harness_mcp(&h, CALL("2", "self.test.slow", "{\"ms\":40}"));
	harness_mcp(&h, PING("3"));
	harness_mcp(&h, PING("4"));
	harness_says(&h, NULL);
	assert_non_null(harness_next(&h, 2000));
	assert_true(loop_now() - began >= 79);
	h.read--;
	harness_mcp_says(&h, PONG("3"));
	harness_mcp_says(&h, PONG("4"));
	harness_mcp_says(&h, DONE("1"));
	harness_mcp_says(&h, DONE("2"));
	harness_stop(&h);
}

static void test_reboot(void **state)
{
	struct harness h;
	int64_t began;

	(void)state;
	start(&h);
	harness_welcome(&h);
	harness_mcp(&h, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
			"\"initialize\",\"params\":{\"capabilities\":{"
			"\"vision\":{\"url\":\"http://v\"}}}}");
	harness_next(&h, 0);
	harness_mcp(&h, CALL("1", "self.audio_speaker.set_volume",
			     "{\"volume\":9}"));
	harness_next(&h, 0);
	harness_mcp(&h, CALL("2", "self.reboot", "{}"));
	harness_mcp(&h, PING("3")); /* nothing is said any more */
	began = loop_now();
	assert_string_equal(harness_next(&h, 3000), "<drop>");
	assert_in_range(loop_now() - began, 950, 2500);
	assert_null(h.device.server.vision_url);
	/* what is in the board's store stays */
	pretend_open(&h.device);
	harness_welcome(&h);
	harness_mcp(&h, CALL("4", "self.get_device_status", "{}"));
	assert_non_null(strstr(harness_next(&h, 0), "\\\"volume\\\":9"));
	harness_stop(&h);
}

static void test_upgrade_closes_at_once(void **state)
{
	struct harness h;

	(void)state;
	start(&h);
	harness_welcome(&h);
	harness_mcp(&h, CALL("2", "self.upgrade_firmware", "{}"));
	harness_says(&h, "<drop>");
	harness_says(&h, NULL);
	harness_stop(&h);
}

/* 1.4: too large is not sent; MCP goes on. */
static void test_size(void **state)
{
	struct harness h;

	(void)state;
	start(&h);
	harness_welcome(&h);
	harness_mcp(&h, CALL("2", "self.test.big", "{\"n\":65390}"));
	assert_int_equal(strlen(harness_next(&h, 0)), 65390 + 132);
	harness_mcp(&h, CALL("2", "self.test.big", "{\"n\":65403}"));
	assert_int_equal(strlen(harness_next(&h, 0)), 65535);
	harness_mcp(&h, CALL("3", "self.test.big", "{\"n\":65404}"));
	harness_says(&h, NULL);
	assert_true(h.device.unusable);
	assert_true(harness_saw(&h, D121));
	harness_mcp(&h, PING("4"));
	harness_mcp_says(&h, PONG("4"));
	harness_stop(&h);
}

static void test_peer_close(void **state)
{
	struct harness h;

	(void)state;
	start(&h);
	harness_welcome(&h);
	pretend_peer_close(&h.device);
	harness_mcp(&h, PING("4"));
	harness_says(&h, NULL);
	harness_stop(&h);
}

/* A session id is pasted in as it is. */
static void test_session_id_with_quotes(void **state)
{
	struct harness h;

	(void)state;
	start(&h);
	harness_next(&h, 0);
	harness_send(&h, "{\"type\":\"hello\",\"transport\":\"websocket\","
			 "\"session_id\":\"a\\\"b\"}");
	harness_says(&h, "{\"session_id\":\"a\"b\",\"type\":\"listen\","
			 "\"state\":\"start\",\"mode\":\"auto\"}");
	harness_stop(&h);
}

static void test_speaking(void **state)
{
	struct harness h;

	(void)state;
	start(&h);
	harness_welcome(&h);
	harness_send(&h, "{\"type\":\"tts\",\"state\":\"start\"}");
	assert_int_equal(h.device.mode, DEVICE_SPEAKING);
	harness_says(&h, NULL);
	harness_send(&h, "{\"type\":\"tts\",\"state\":\"stop\"}");
	assert_int_equal(h.device.mode, DEVICE_LISTENING);
	assert_non_null(strstr(harness_next(&h, 0), "\"state\":\"start\""));
	harness_send(&h, "{\"type\":\"system\",\"command\":\"reboot\"}");
	harness_says(&h, "<drop>");
	harness_stop(&h);
}

static void test_audio(void **state)
{
	struct harness h;

	(void)state;
	start(&h);
	h.device.config.audio = true;
	h.device.config.frame_version = 2;
	harness_welcome(&h);
	assert_string_equal(
		harness_next(&h, 1000),
		"<binary 00020000000000000000000000000008fb03fffefffefffe>");
	assert_string_equal(harness_next(&h, 1000),
			    "<binary 0002000000000000"
			    "0000003c00000008fb03fffefffefffe>");
	harness_stop(&h);
}

static void test_envelopes(void **state)
{
	struct harness h;

	(void)state;
	start(&h);
	harness_welcome(&h);
	/* names without case, what stands behind is ignored, so is a payload */
	harness_send(&h, "{\"TYPE\":\"mcp\",\"PayLoad\":" PING("1") "}tail");
	harness_mcp_says(&h, PONG("1"));
	harness_send(&h, "{\"type\":\"mcp\",\"payload\":" PING("1") "}");
	harness_mcp_says(&h, PONG("1"));
	assert_true(harness_told(&h, B211, "it has none"));
	harness_send(&h, "{\"type\":\"mcp\",\"payload\":[]}");
	harness_send(&h, "{\"type\":\"mcp\",\"payload\":" PING("1") "x}");
	harness_send(&h, "{\"type\":\"mcp\",\"payload\":7}");
	harness_send(&h, "nothing");
	harness_send(&h, "{\"payload\":" PING("1") "}");
	harness_says(&h, NULL);
	assert_true(harness_told(&h, B216, "a batch"));
	assert_true(harness_saw(&h, B219));
	assert_true(harness_saw(&h, B225));
	assert_true(harness_saw(&h, B226));
	harness_send(&h, "{\"type\":\"mcp\",\"sessionId\":\"S1\",\"payload\":"
			 "{}}");
	harness_send(&h, "{\"type\":\"mcp\",\"session_id\":\"\",\"payload\":{}"
			 "}");
	harness_send(&h, "{\"type\":\"mcp\",\"session_id\":\"S2\",\"payload\":"
			 "{}}");
	assert_true(harness_told(&h, B211, "it is called sessionId"));
	assert_true(harness_told(&h, B211, "it is empty"));
	assert_true(harness_told(&h, B211, "it is another"));
	harness_stop(&h);
}

/* Feed payloads; what is named must be found, and only then. */
static void shows(enum diag_code expected, const char *words,
		  const char *payload)
{
	struct harness h;

	start(&h);
	harness_welcome(&h);
	assert_false(harness_saw(&h, expected));
	harness_mcp(&h, payload);
	if (!harness_told(&h, expected, words))
		print_error("not found: %s %s\n", finding_row(expected)->code,
			    words);
	assert_true(harness_told(&h, expected, words));
	harness_stop(&h);
}

#define RQ(id, rest) "{\"jsonrpc\":\"2.0\",\"id\":" id "," rest "}"
#define LIST "\"method\":\"tools/list\""

static void test_findings(void **state)
{
	(void)state;
	shows(B212, "", RQ("0", LIST));
	shows(B213, "", RQ("10000", LIST));
	shows(B215, "is a text", RQ("\"1\"", LIST));
	shows(B215, "id null", RQ("null", LIST));
	shows(B215, "there is no id", "{\"jsonrpc\":\"2.0\"," LIST "}");
	shows(B215, "is no whole number within 32 bits",
	      RQ("3000000000", LIST));
	shows(B215, "is no whole number within 32 bits", RQ("1.5", LIST));
	shows(B217, "'result'", RQ("1", "\"result\":null," LIST));
	shows(B216, "params is null", RQ("1", "\"params\":null," LIST));
	shows(B216, "params is []", RQ("1", "\"params\":[]," LIST));
	shows(B216, "jsonrpc", "{\"id\":1," LIST "}");
	shows(B218, "", RQ("1", "\"result\":{}"));
	shows(B233, "", RQ("1", "\"params\":{\"cursor\":\"\"}," LIST));
	shows(B221, "", RQ("1", LIST));
	shows(B224, "resources/list", RQ("1", "\"method\":\"resources/list\""));
	shows(V506, "",
	      RQ("1", "\"method\":\"initialize\",\"params\":{\"capabilities\":"
		      "{\"vision\":{\"url\":null}}}"));
	shows(V506, "",
	      RQ("1", "\"method\":\"initialize\",\"params\":{\"capabilities\":"
		      "{\"vision\":{\"url\":\"你的地址\"}}}"));
	shows(B243, "",
	      CALL("1", "self.camera.take_photo", "{\"question\":\"\"}"));
}

/* Loopback is the board itself, unless the board is pretended on that machine. */
static void vision_from(const char *asked, const char *url, const char *code)
{
	CLEANUP(mem_free_ptr)
	char *payload = mem_printf(
		RQ("1", "\"method\":\"initialize\",\"params\":{"
			"\"capabilities\":{\"vision\":{\"url\":\"%s\"}}}"),
		url);
	struct harness h;

	start(&h);
	h.device.talk.diag.about.from.asked = asked;
	harness_welcome(&h);
	harness_mcp(&h, payload);
	assert_int_equal(harness_saw(&h, V506), strcmp(code, "V506") == 0);
	assert_int_equal(harness_saw(&h, V509), strcmp(code, "V509") == 0);
	harness_stop(&h);
}

static void test_vision_reach(void **state)
{
	(void)state;
	vision_from("ws://192.168.1.2:8000/", "http://127.0.0.1:8003/", "V506");
	vision_from("ws://192.168.1.2:8000/", "http://172.17.0.2/", "V509");
	vision_from("ws://192.168.1.2:8000/", "http://192.168.1.2/", "");
	vision_from("ws://192.168.1.2:8000/", "192.168.1.2:8003", "V506");
	vision_from("ws://127.0.0.1:8000/", "http://127.0.0.1:8003/", "");
	vision_from(NULL, "http://127.0.0.1:8003/", "");
}

/* It is answered, with another id, which is not told of the device. */
static void test_odd_id(void **state)
{
	struct harness h;

	(void)state;
	start(&h);
	harness_welcome(&h);
	harness_mcp(&h, RQ("1.5", "\"method\":\"initialize\""));
	assert_non_null(strstr(harness_next(&h, 0), "\"id\":1,"));
	assert_true(harness_saw(&h, B215));
	assert_int_equal(harness_findings(&h), 1);
	harness_stop(&h);
}

static void test_findings_over_time(void **state)
{
	struct harness h;
	const struct profile_changes fill = { .fill = 100 };

	(void)state;
	harness_start(&h, harness_profile("fixtures", &fill), NULL, false);
	harness_welcome(&h);
	harness_mcp(&h, RQ("1", "\"method\":\"initialize\""));
	harness_mcp(&h, RQ("2", LIST ",\"params\":{\"withUserTools\":true}"));
	assert_false(harness_saw(&h, B214));
	assert_false(harness_saw(&h, B221));
	harness_mcp(&h, RQ("2", LIST ",\"params\":{\"cursor\":"
				     "\"self.fill.t014\"}"));
	assert_true(harness_saw(&h, B214));
	assert_true(harness_saw(&h, B232));
	harness_mcp(&h, RQ("3", LIST ",\"params\":{\"cursor\":"
				     "\"self.fill.t014\"}"));
	assert_true(harness_saw(&h, B231));
	harness_mcp(&h, RQ("4", "\"method\":\"initialize\""));
	assert_true(harness_saw(&h, B220));
	assert_false(harness_saw(&h, B230));
	pretend_hang_up(&h.device);
	assert_true(harness_saw(&h, B230));
	assert_true(harness_saw(&h, B222));
	harness_stop(&h);
}

/* A proper backend shows none. */
static void test_no_findings(void **state)
{
	struct harness h;

	(void)state;
	start(&h);
	harness_welcome(&h);
	harness_mcp(&h, RQ("1", "\"method\":\"initialize\",\"params\":{"
				"\"capabilities\":{\"vision\":{\"url\":"
				"\"http://v\"}}}"));
	harness_mcp(&h, "{\"jsonrpc\":\"2.0\",\"method\":"
			"\"notifications/initialized\"}");
	harness_mcp(&h, RQ("2", LIST));
	harness_mcp(&h,
		    CALL("3", "self.camera.take_photo", "{\"question\":\"\"}"));
	pretend_hang_up(&h.device);
	assert_int_equal(harness_findings(&h), 0);
	harness_stop(&h);
}

/* The local port (device.md 3.11): bare or in an envelope, answered bare. */
static void calls(const struct harness *h, uint64_t came, uint64_t answered,
		  uint64_t refused)
{
	assert_int_equal(h->counts.calls.came, came);
	assert_int_equal(h->counts.calls.answered, answered);
	assert_int_equal(h->counts.calls.refused, refused);
	assert_int_equal(asked_unanswered(&h->counts.calls),
			 came - answered - refused);
}

/* What came, and what became of it. */
static void test_counts(void **state)
{
	const struct firmware_catalog *c;
	struct harness h;
	size_t i;
	uint64_t lost = 0;

	(void)state;
	harness_start(&h, harness_profile("esp32", NULL), NULL, false);
	c = h.counts.catalog;
	harness_welcome(&h);
	assert_int_equal(h.counts.sessions, 1);
	harness_mcp(&h, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
			"\"tools/call\",\"params\":{\"name\":"
			"\"self.get_device_status\"}}");
	calls(&h, 1, 1, 0);
	harness_mcp(&h, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":"
			"\"tools/call\",\"params\":{\"name\":\"nope\"}}");
	calls(&h, 2, 1, 1);
	/* Never answered: a text as id, and a restart. */
	harness_mcp(&h, "{\"jsonrpc\":\"2.0\",\"id\":\"3\",\"method\":"
			"\"tools/call\",\"params\":{\"name\":\"nope\"}}");
	harness_mcp(&h, "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":"
			"\"tools/call\",\"params\":{\"name\":"
			"\"self.reboot\"}}");
	calls(&h, 4, 1, 1);
	assert_int_equal(h.counts.requests.came, 4);
	for (i = 0; i < c->count; i++) {
		const struct asked_counts *a = &h.counts.tool[i].calls;

		if (!strcmp(c->tool[i].name, "self.reboot"))
			assert_int_equal(asked_unanswered(a), 1);
		else
			assert_int_equal(asked_unanswered(a), 0);
	}
	harness_stop(&h);

	harness_start(&h,
		      harness_profile("esp32",
				      &(struct profile_changes){ .fill = 40 }),
		      NULL, false);
	c = h.counts.catalog;
	harness_welcome(&h);
	harness_mcp(&h, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
			"\"tools/list\"}");
	pretend_hang_up(&h.device);
	assert_int_equal(h.counts.listed_whole, 0);
	for (i = 0; i < c->count; i++) {
		lost += h.counts.tool[i].unlisted;
		if (c->tool[i].user_only)
			assert_int_equal(h.counts.tool[i].unlisted, 0);
	}
	assert_in_range(lost, 10, 40);
	harness_stop(&h);
}

static void test_samples(void **state)
{
	struct samples s = { .count = 0 };
	int i;

	(void)state;
	for (i = 1; i <= 10 * SAMPLES_MAX; i++)
		samples_add(&s, i);
	assert_in_range(s.count, 1, SAMPLES_MAX);
	assert_in_range(samples_percentile(&s, 50), 4.9 * SAMPLES_MAX,
			5.1 * SAMPLES_MAX);
	samples_done(&s);
}

static void test_bare(void **state)
{
	struct harness h;

	(void)state;
	harness_start(&h, harness_profile("fixtures", NULL), NULL, true);
	harness_says(&h, NULL);
	harness_send(&h, PING("1"));
	harness_says(&h, PONG("1"));
	harness_mcp(&h, PING("2"));
	harness_says(&h, PONG("2"));
	harness_send(&h, "[" PING("3") "]");
	harness_says(&h, NULL);
	assert_true(harness_told(&h, B216, "a batch"));
	harness_stop(&h);
}

static void test_events(void **state)
{
	static const char text[] =
		"{\"events\":[{\"after_ms\":20,\"every_ms\":20,"
		"\"notification\":{\"method\":\"notifications/x\",\"params\":{"
		"\"a\":1}}},{\"after_ms\":1,\"message\":{\"type\":\"listen\","
		"\"state\":\"stop\"}}]}";
	struct harness h;
	size_t i;

	(void)state;
	harness_start(&h, profile_parse(text, strlen(text), "x.json", NULL),
		      NULL, false);
	harness_welcome(&h);
	assert_string_equal(harness_next(&h, 1000),
			    "{\"session_id\":\"S1\",\"type\":\"listen\","
			    "\"state\":\"stop\"}");
	assert_true(h.device.stopped);
	for (i = 0; i < 3; i++) {
		assert_non_null(harness_next(&h, 1000));
		h.read--;
		harness_mcp_says(&h, "{\"jsonrpc\":\"2.0\",\"method\":"
				     "\"notifications/x\",\"params\":{\"a\":1}"
				     "}");
	}
	/* after listen/stop, the end of speech does not bring it back */
	harness_send(&h, "{\"type\":\"tts\",\"state\":\"start\"}");
	harness_send(&h, "{\"type\":\"tts\",\"state\":\"stop\"}");
	assert_int_equal(h.device.mode, DEVICE_IDLE);
	harness_stop(&h);
}

/* A profile of that text, in which ' stands for " and ^ for a quote in a text. */
static struct profile *quoted(const char *text)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct error err = { 0 };
	struct profile *p;

	for (; *text; text++)
		buf_text(&out, *text == '\'' ? "\"" :
			       *text == '^'  ? "\\\"" :
					       (char[]){ *text, '\0' });
	p = profile_parse(buf_string(&out), out.len, "x.json", &err);
	if (!p)
		print_error("%s\n", err.text);
	assert_non_null(p);
	return p;
}

static size_t times_noted(const struct harness *h, const char *text)
{
	size_t count = 0;

	for (size_t i = 0; i < h->notes.count; i++)
		count += strcmp(h->notes.word[i], text) == 0;
	return count;
}

/* The hello says what the profile says of it (device.md 1.5, 2.3). */
static void test_hellos(void **state)
{
	static const struct {
		const char *profile, *head;
		bool mqtt;
	} rows[] = {
		{ "{'hello':{'features':false}}",
		  "{\"type\":\"hello\",\"version\":1,\"transport\":", false },
		{ "{'hello':{'mcp':false}}",
		  "\"version\":1,\"features\":{\"glyph_push\":false},\"transp",
		  false },
		{ "{'hello':{'mcp':false,'aec':true,'glyph_push':null}}",
		  "\"features\":{\"aec\":true},\"transport\"", false },
		{ "{'hello':{'aec':true,'glyph_push':null}}",
		  "\"features\":{\"aec\":true,\"mcp\":true},\"transport\"",
		  false },
		{ "{'hello':{'mcp':false,'glyph_push':null}}",
		  "\"features\":{},\"transport\"", false },
		{ "{'hello':{'glyph_push':true,'text_font':{'size':16}}}",
		  "\"glyph_push\":true},\"text_font\":{\"size\":16},\"transport"
		  "\":\"websocket\",\"audio_params\":{\"format\":\"opus\","
		  "\"sample_rate\":16000,\"channels\":1,\"frame_duration\":60}}",
		  false },
		{ "{'hello':{'text_font':{'size':16}}}",
		  "\"glyph_push\":false},\"transport\"", false },
		{ "{'hello':{'sample_rate':24000,'channels':2,'frame_duration':"
		  "20}}",
		  "\"sample_rate\":24000,\"channels\":2,\"frame_duration\":20}",
		  false },
		{ "{}",
		  "{\"type\":\"hello\",\"version\":3,\"transport\":\"udp\","
		  "\"features\":{\"mcp\":true,\"glyph_push\":false},"
		  "\"audio_params\":",
		  true },
		/* a recorded one as it was, but for the way that it goes now */
		{ "{'says':'{^type^: ^hello^, ^version^:3,^x^:1}'}",
		  "{\"type\": \"hello\", \"version\":3,\"x\":1}", false },
		{ "{'says':'{^version^:2, ^transport^:^websocket^}'}",
		  "{\"version\":2, \"transport\":\"websocket\"}", false },
		{ "{'says':'{^version^:3, ^transport^:^udp^}'}",
		  "{\"version\":1,\"transport\":\"websocket\"}", false },
		{ "{'says':'{^version^:2, ^transport^:^websocket^}'}",
		  "{\"version\":3,\"transport\":\"udp\"}", true },
		{ "{'says':'{^transport^:^udp^}'}",
		  "{\"transport\":\"websocket\"}", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct harness h;
		const char *said;

		harness_start(&h, quoted(rows[i].profile), NULL, false);
		said = harness_next(&h, 0);
		if (rows[i].mqtt) {
			pretend_hang_up(&h.device);
			pretend_set_mqtt(&h.device, true);
			pretend_open(&h.device);
			harness_says(&h, NULL); /* in standby it has none */
			pretend_begin_session(&h.device);
			said = harness_next(&h, 0);
		}
		assert_non_null(said);
		if (!strstr(said, rows[i].head))
			print_error("said: %s\nnot: %s\n", said, rows[i].head);
		assert_non_null(strstr(said, rows[i].head));
		harness_stop(&h);
	}
}

#define REPLY(id, rest) \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":" rest "}"
#define RECORDED(firmware)                                                  \
	"{" firmware                                                        \
	"'replies':[{'method':'initialize','reply':'{^jsonrpc^:^2.0^,^id^:" \
	"${id},^result^:1}'},{'method':'tools/list','reply':'{^jsonrpc^:"   \
	"^2.0^,^id^:${id},^result^:2}'},{'method':'tools/call','params':{"  \
	"'name':'x'},'reply':'{^jsonrpc^:^2.0^,^id^:${id},^result^:3}',"    \
	"'delay_ms':30},{'method':'tools/call','params':{'name':'y'},"      \
	"'frame':'{^half'},{'method':'tools/call','params':{'name':'z'},"   \
	"'reply':'{^jsonrpc^:^2.0^,^id^:${id},^result^:5}'},{'method':"     \
	"'tools/call','params':{'name':'w'},'reply':'{^jsonrpc^:^2.0^,"     \
	"^id^:${id},^error^:{^message^:^no^}}'},{'method':'tools/list',"    \
	"'params':{'cursor':'c'},'reply':'{^jsonrpc^:^2.0^,^id^:${id},"     \
	"^result^:{^tools^:[],^nextCursor^:^d^}}'}],'tools':[{"             \
	"'name':'own','result':true}]}"

/* What was recorded is said again, each after its time, and told as a call. */
static void test_recorded(void **state)
{
	struct harness h;

	(void)state;
	harness_start(&h, quoted(RECORDED("")), NULL, false);
	harness_welcome(&h);
	harness_mcp(&h, RQ("1", "\"method\":\"initialize\""));
	harness_mcp_says(&h, REPLY("1", "1"));
	assert_int_equal(times_noted(&h, "initialized"), 1);
	harness_mcp(&h, RQ("2", "\"method\":\"initialize\""));
	harness_mcp_says(&h, REPLY("2", "1"));
	harness_mcp(&h, RQ("10", "\"method\":\"tools/list\",\"params\":{"
				 "\"cursor\":\"c\"}"));
	harness_mcp_says(&h,
			 REPLY("10", "{\"tools\":[],\"nextCursor\":\"d\"}"));
	assert_int_equal(h.counts.listed_whole, 0);
	harness_mcp(&h, RQ("3", LIST));
	harness_mcp_says(&h, REPLY("3", "2"));
	assert_int_equal(times_noted(&h, "listed"), 1);
	harness_mcp(&h, RQ("4", LIST));
	harness_mcp_says(&h, REPLY("4", "2"));
	assert_int_equal(times_noted(&h, "initialized"), 1);
	assert_int_equal(times_noted(&h, "listed"), 1);
	assert_int_equal(h.counts.listed_whole, 1);
	/* asked with other params it is another call */
	harness_mcp(&h, CALL("5", "x", "{}"));
	assert_non_null(strstr(harness_next(&h, 0), "\"id\":5,\"error\""));
	assert_int_equal(times_noted(&h, "called x"), 0);
	/* one that took its time holds nothing back */
	harness_mcp(&h,
		    RQ("6", "\"method\":\"tools/call\",\"params\":{\"name\":"
			    "\"x\"}"));
	harness_mcp(&h,
		    RQ("7", "\"method\":\"tools/call\",\"params\":{\"name\":"
			    "\"z\"}"));
	assert_int_equal(times_noted(&h, "called x"), 1);
	assert_int_equal(times_noted(&h, "called z"), 1);
	harness_mcp_says(&h, REPLY("7", "5"));
	harness_says(&h, NULL);
	assert_string_equal(harness_next(&h, 60000),
			    "{\"session_id\":\"S1\",\"type\":\"mcp\","
			    "\"payload\":" REPLY("6", "3") "}");
	/* a whole frame is said as it is */
	harness_mcp(&h,
		    RQ("8", "\"method\":\"tools/call\",\"params\":{\"name\":"
			    "\"y\"}"));
	harness_says(&h, "{\"half");
	calls(&h, 4, 2, 1);
	/* an error is none that was answered with a result */
	harness_mcp(&h,
		    RQ("9", "\"method\":\"tools/call\",\"params\":{\"name\":"
			    "\"w\"}"));
	harness_mcp_says(&h, RQ("9", "\"error\":{\"message\":\"no\"}"));
	calls(&h, 5, 2, 2);
	harness_stop(&h);
}

/* What was not recorded is told; a call is refused, the rest as firmware does. */
static void test_not_recorded(void **state)
{
	struct harness h;

	(void)state;
	harness_start(&h, quoted(RECORDED("")), NULL, false);
	harness_welcome(&h);
	harness_mcp(&h, CALL("5", "own", "{}"));
	harness_mcp_says(&h,
			 RQ("5", "\"error\":{\"message\":\"this call was not "
				 "recorded\"}"));
	assert_true(noted(&h, "line was asked what was not recorded: "
			      "tools/call own"));
	harness_mcp(&h, PING("6"));
	harness_mcp_says(&h, PONG("6"));
	assert_true(noted(&h, "line was asked what was not recorded: ping "));
	/* without an id it is no question; with an odd one no answer */
	harness_mcp(&h, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}");
	assert_false(noted(&h, "line was asked what was not recorded: not"));
	harness_mcp(&h, CALL("-1", "own", "{}"));
	harness_mcp(&h, CALL("2147483648", "own", "{}"));
	while (h.read < h.said.count)
		assert_null(strstr(harness_next(&h, 0), "not recorded"));
	harness_stop(&h);
	harness_start(&h, quoted(RECORDED("'firmware':'2.5.0',")), NULL, false);
	harness_welcome(&h);
	harness_mcp(&h, CALL("2147483647", "own", "{}"));
	harness_mcp_says(&h, RQ("2147483647",
				"\"error\":{\"code\":-32602,\"message\":"
				"\"this call was not recorded\"}"));
	harness_stop(&h);
	/* faults of calls are of calls that were recorded, too, and of no other */
	harness_start(&h, quoted(RECORDED("")), "no-reply", false);
	harness_welcome(&h);
	harness_mcp(&h,
		    RQ("7", "\"method\":\"tools/call\",\"params\":{\"name\":"
			    "\"z\"}"));
	harness_mcp(&h, RQ("8", LIST));
	harness_mcp_says(&h, REPLY("8", "2"));
	harness_says(&h, NULL);
	harness_stop(&h);
}

/* What a backend tells a board beside MCP, as a person sees it. */
static void test_told(void **state)
{
	const struct profile_changes changes = { .firmware_2_5 = true };
	static const char notify[] =
		"{\"type\":\"notify\",\"audio_url\":\"http://a\",\"subtitles\":["
		"{},{}]}";
	struct harness h;
	size_t before;

	(void)state;
	start(&h);
	harness_welcome(&h);
	before = h.notes.count;
	harness_send(&h, "{\"type\":\"alert\",\"status\":\"s\",\"message\":"
			 "\"m\"}");
	harness_send(&h, "{\"type\":\"alert\",\"status\":\"s\",\"emotion\":"
			 "\"e\"}");
	harness_send(&h, "{\"type\":\"alert\",\"message\":\"m\",\"emotion\":"
			 "\"e\"}");
	harness_send(&h, notify);
	harness_send(&h, "{\"type\":\"system\",\"command\":\"halt\"}");
	harness_send(&h, "{\"type\":\"tts\",\"state\":\"sentence_start\"}");
	assert_int_equal(h.notes.count, before);
	assert_int_equal(h.device.mode, DEVICE_LISTENING);
	harness_send(&h, "{\"type\":\"alert\",\"status\":\"s\",\"message\":"
			 "\"m\",\"emotion\":\"e\"}");
	assert_true(noted(&h, "line shows the alert 's: m'"));
	harness_says(&h, NULL);
	/* the end of speech is told, also of what never began */
	harness_send(&h, "{\"type\":\"tts\",\"state\":\"stop\"}");
	assert_int_equal(times_noted(&h, "spoken"), 1);
	harness_says(&h, NULL);
	harness_send(&h, "{\"type\":\"system\",\"command\":\"reboot\"}");
	assert_true(noted(&h, "line restarts, as the backend asked"));
	harness_says(&h, "<drop>");
	assert_int_equal(h.device.restarts, 1);
	assert_false(h.device.online);
	harness_stop(&h);
	harness_start(&h, harness_profile("esp32", &changes), NULL, false);
	harness_welcome(&h);
	harness_send(&h, "{\"type\":\"notify\",\"subtitles\":[{}]}");
	assert_false(noted(&h, "line notifies"));
	harness_send(&h, notify);
	assert_true(noted(&h, "line notifies: plays http://a, 2 subtitles"));
	harness_stop(&h);
}

/* That a backend begins, and that it lists, is told once a connection. */
static void test_told_once(void **state)
{
	struct harness h;

	(void)state;
	start(&h);
	for (size_t i = 1; i < 3; i++) {
		harness_welcome(&h);
		for (int k = 0; k < 2; k++) {
			harness_mcp(&h, RQ("1", "\"method\":\"initialize\""));
			assert_non_null(harness_next(&h, 0));
			harness_mcp(&h, RQ("2", LIST));
			assert_non_null(harness_next(&h, 0));
			assert_int_equal(times_noted(&h, "initialized"), i);
			assert_int_equal(times_noted(&h, "listed"), i);
		}
		pretend_hang_up(&h.device);
		if (i == 1)
			pretend_open(&h.device);
	}
	harness_stop(&h);
}

/* What a user says goes out while it listens, and not else. */
static void test_words(void **state)
{
	struct harness h;

	(void)state;
	start(&h);
	assert_false(pretend_say_words(&h.device, "early"));
	harness_welcome(&h);
	assert_true(pretend_say_words(&h.device, "say \"hi\""));
	harness_says(&h, "{\"session_id\":\"S1\",\"type\":\"listen\","
			 "\"state\":\"detect\",\"text\":\"say \\\"hi\\\"\"}");
	harness_mcp(&h, CALL("3", "self.test.big", "{\"n\":65404}"));
	assert_true(h.device.unusable);
	assert_false(pretend_say_words(&h.device, "late"));
	harness_says(&h, NULL);
	harness_stop(&h);
}

/* Other things that a profile has the device say by itself. */
static void test_more_events(void **state)
{
	static const char profile[] =
		"{'events':[{'after_ms':1,'audio':'00fF7a'},{'after_ms':2,"
		"'message':{'type':'listen','state':'stop'}},{'after_ms':3,"
		"'message':{'type':'listen','state':'detect'}},{'after_ms':4,"
		"'message':{'type':'abort'}},{'after_ms':5,'message':{'type':"
		"'listen','state':'start'}}]}";
	struct harness h;

	(void)state;
	harness_start(&h, quoted(profile), NULL, false);
	harness_welcome(&h);
	assert_string_equal(harness_next(&h, 60000), "<binary 00ff7a>");
	assert_int_equal(h.device.mode, DEVICE_LISTENING);
	assert_non_null(strstr(harness_next(&h, 60000), "\"stop\""));
	assert_non_null(strstr(harness_next(&h, 60000), "\"detect\""));
	assert_non_null(strstr(harness_next(&h, 60000), "\"abort\""));
	assert_string_equal(harness_next(&h, 60000),
			    "{\"session_id\":\"S1\",\"type\":\"listen\","
			    "\"state\":\"start\"}");
	assert_int_equal(h.device.mode, DEVICE_LISTENING);
	assert_false(h.device.stopped);
	harness_stop(&h);
	/* at the local port only what is MCP */
	harness_start(&h,
		      quoted("{'events':[{'after_ms':0,'audio':'00'},{"
			     "'after_ms':0,'message':{'type':'abort'}},{"
			     "'after_ms':0,'notification':{'method':'n'}}]}"),
		      NULL, true);
	assert_string_equal(harness_next(&h, 60000),
			    "{\"jsonrpc\":\"2.0\",\"method\":\"n\"}");
	harness_says(&h, NULL);
	harness_stop(&h);
}

/* What ends the connection, and what cannot even begin. */
static void test_ends(void **state)
{
	static const char profile[] =
		"{'tools':[{'name':'close','result':{'then':'close'}},{'name':"
		"'none','result':{'exec':'/nope/nothing'}},{'name':'run',"
		"'result':{'exec':'echo ok'}}]}";
	struct harness h;
	const char *text;

	(void)state;
	harness_start(&h, quoted(profile), NULL, false);
	harness_welcome(&h);
	harness_mcp(&h, CALL("1", "none", "{}"));
	text = harness_next(&h, 0);
	assert_non_null(text);
	assert_non_null(strstr(text, "\"id\":1,\"error\":{\"message\":\""));
	assert_non_null(strstr(text, "/nope/nothing"));
	assert_true(noted(&h, "line none: "));
	harness_mcp(&h, PING("2"));
	harness_mcp_says(&h, PONG("2"));
	harness_mcp(&h, CALL("3", "close", "{}"));
	harness_says(&h, "<drop>");
	harness_says(&h, NULL);
	assert_false(h.device.online);
	assert_int_equal(h.device.restarts, 0);
	harness_stop(&h);
	/* and what came of a command may be late, too */
	harness_start(&h, quoted(profile), "late-reply=1ms", false);
	harness_welcome(&h);
	harness_mcp(&h, CALL("4", "run", "{}"));
	text = harness_next(&h, 60000);
	assert_non_null(text);
	assert_non_null(strstr(text, "\"text\":\"ok\""));
	harness_stop(&h);
	harness_start(&h, quoted(profile), "late-reply=1h", false);
	harness_welcome(&h);
	harness_mcp(&h, CALL("4", "run", "{}"));
	while (!noted(&h, "line run: answered after "))
		harness_next(&h, 5);
	harness_mcp(&h, PING("5"));
	harness_mcp_says(&h, PONG("5"));
	harness_says(&h, NULL);
	harness_stop(&h);
}

/* At a broker only what is no MCP wants a voice session (device.md 2.2). */
static void test_standby(void **state)
{
	struct harness h;

	(void)state;
	harness_start(&h,
		      quoted("{'events':[{'after_ms':0,'notification':{"
			     "'method':'n'}}]}"),
		      NULL, false);
	harness_next(&h, 0);
	pretend_hang_up(&h.device);
	pretend_set_mqtt(&h.device, true);
	pretend_open(&h.device);
	harness_says(&h, NULL);
	assert_string_equal(harness_next(&h, 60000),
			    "{\"session_id\":\"\",\"type\":\"mcp\","
			    "\"payload\":{\"jsonrpc\":\"2.0\",\"method\":"
			    "\"n\"}}");
	assert_false(h.device.waiting);
	harness_mcp(&h, PING("1"));
	assert_non_null(strstr(harness_next(&h, 0), "\"id\":1,"));
	/* once, and not while it is waited for */
	pretend_begin_session(&h.device);
	assert_non_null(strstr(harness_next(&h, 0), "\"udp\""));
	pretend_begin_session(&h.device);
	harness_says(&h, NULL);
	harness_stop(&h);
	harness_start(&h,
		      quoted("{'events':[{'after_ms':0,'notification':{"
			     "'method':'n'}},{'after_ms':0,'message':{'type':"
			     "'abort'}}]}"),
		      NULL, false);
	harness_next(&h, 0);
	pretend_hang_up(&h.device);
	pretend_set_mqtt(&h.device, true);
	pretend_open(&h.device);
	assert_non_null(strstr(harness_next(&h, 0), "\"type\":\"hello\""));
	assert_true(h.device.waiting);
	harness_stop(&h);
}

/* Offers of sound that firmware does not take (device.md 2.3). */
static void test_bad_offers(void **state)
{
	static const char key[] = "0123456789abcdef0123456789ABCDEF";
	static const char *const rows[] = {
		"{\"server\":\"\",\"port\":1,\"key\":\"K\",\"nonce\":\"K\"}",
		"{\"server\":7,\"port\":1,\"key\":\"K\",\"nonce\":\"K\"}",
		"{\"server\":\"h\",\"port\":0,\"key\":\"K\",\"nonce\":\"K\"}",
		"{\"server\":\"h\",\"port\":65536,\"key\":\"K\",\"nonce\":\"K\"}",
		"{\"server\":\"h\",\"port\":\"1\",\"key\":\"K\",\"nonce\":\"K\"}",
		"{\"server\":\"h\",\"port\":1,\"key\":\"Kf\",\"nonce\":\"K\"}",
		"{\"server\":\"h\",\"port\":1,\"nonce\":\"K\"}",
		"{\"server\":\"h\",\"port\":1,\"key\":\"K\"}",
		"{\"server\":\"h\",\"port\":1,\"key\":\"K\",\"nonce\":\"x123456789abcdef0123456789abcdef\"}",
		"{}",
	};
	struct harness h;

	(void)state;
	start(&h);
	harness_next(&h, 0);
	pretend_hang_up(&h.device);
	pretend_set_mqtt(&h.device, true);
	pretend_open(&h.device);
	pretend_begin_session(&h.device);
	assert_non_null(strstr(harness_next(&h, 0), "\"udp\""));
	harness_send(&h, "{\"type\":\"hello\",\"transport\":\"websocket\"}");
	assert_true(noted(&h, "line the server hello was ignored: its "
			      "'transport' is not \"udp\""));
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(buf_done) struct buf text = { 0 };

		buf_text(&text, "{\"type\":\"hello\",\"transport\":\"udp\","
				"\"udp\":");
		for (const char *at = rows[i]; *at; at++) {
			if (*at == 'K')
				buf_text(&text, key);
			else
				buf_char(&text, *at);
		}
		buf_char(&text, '}');
		words_done(&h.notes);
		harness_send(&h, buf_string(&text));
		assert_true(noted(&h, "line the server hello was ignored: its "
				      "'udp' lacks"));
		assert_true(h.device.waiting);
	}
	words_done(&h.notes);
	harness_send(&h, "{\"type\":\"goodbye\",\"session_id\":\"other\"}");
	assert_true(noted(&h, "line a goodbye was ignored: its session_id"));
	harness_stop(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hello),
		cmocka_unit_test(test_mcp_before_hello),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_bad_hellos),
		cmocka_unit_test(test_hello_2_5),
		cmocka_unit_test(test_interleaved),
		cmocka_unit_test(test_wake_word),
		cmocka_unit_test(test_nul),
		cmocka_unit_test(test_bare_upgrade),
		cmocka_unit_test(test_late_hello_helps_the_next_session),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_reboot),
		cmocka_unit_test(test_upgrade_closes_at_once),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_peer_close),
		cmocka_unit_test(test_session_id_with_quotes),
		cmocka_unit_test(test_speaking),
		cmocka_unit_test(test_audio),
		cmocka_unit_test(test_envelopes),
		cmocka_unit_test(test_findings),
		cmocka_unit_test(test_vision_reach),
		cmocka_unit_test(test_odd_id),
		cmocka_unit_test(test_findings_over_time),
		cmocka_unit_test(test_no_findings),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_bare),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_hellos),
		cmocka_unit_test(test_recorded),
		cmocka_unit_test(test_not_recorded),
		cmocka_unit_test(test_told),
		cmocka_unit_test(test_told_once),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_more_events),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_standby),
		cmocka_unit_test(test_bad_offers),
	};

	mem_init();
	return cmocka_run_group_tests_name("sim device", tests, NULL, NULL);
}
