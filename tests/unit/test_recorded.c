/* SPDX-License-Identifier: MIT */
/*
 * capture/clone and sim/recorded: what was answered once is answered again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "capture/clone.h"
#include "sim/profile.h"

static void add(struct steps *s, int64_t ms, bool device, const char *text)
{
	struct capture_event e = { .n = s->count + 1,
				   .at_us = ms * 1000,
				   .conn = 1,
				   .leg = LEG_WS,
				   .kind = CAPTURED_TEXT,
				   .from = device ? FROM_DEVICE : FROM_BACKEND,
				   .device = "aa:bb",
				   .data = { text, strlen(text) },
				   .size = strlen(text) };

	assert_true(steps_add(s, &e));
}

#define MCP(payload) \
	"{\"session_id\":\"s\",\"type\":\"mcp\",\"payload\":" payload "}"
#define CALL(id, arguments)                                                 \
	MCP("{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\"," \
	    "\"params\":{\"name\":\"x\",\"arguments\":" arguments "}}")

static const char hello[] =
	"{\"type\":\"hello\",\"version\":1,\"transport\":\"websocket\"}";

static void converse(struct steps *s)
{
	add(s, 0, true, hello);
	add(s, 1, false, "{\"type\":\"hello\",\"transport\":\"websocket\"}");
	add(s, 2, false,
	    MCP("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
		"\"params\":{\"capabilities\":{}}}"));
	add(s, 5, true,
	    MCP("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"serverInfo\":"
		"{\"name\":\"b\",\"version\":\"1.2\"}}}"));
	add(s, 10, false, CALL("2", "{}"));
	add(s, 17, true,
	    MCP("{\"id\":2,  \"jsonrpc\":\"2.0\",\"result\":\"one\"}"));
	add(s, 20, false, CALL("3", "{}"));
	add(s, 21, true, MCP("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":2}"));
	add(s, 30, false, CALL("4", "{\"a\":1}"));
	add(s, 31, true, "{\"type\":\"mcp\",\"payload\":{\"id\":4,\"error");
	add(s, 40, true, "{\"session_id\":\"s\",\"type\":\"abort\"}");
	add(s, 50, false, CALL("5", "{\"a\":2}"));
}

/* The profile of it, as a file would have it. */
static struct profile *cloned(void)
{
	CLEANUP(steps_done) struct steps s = { 0 };
	CLEANUP(buf_done) struct buf text = { 0 };
	struct error err = { 0 };
	cJSON *json;
	struct profile *p;

	converse(&s);
	json = clone_device(&s, 0, "f.jsonl", &err);
	assert_non_null(json);
	json_print(&text, json);
	cJSON_Delete(json);
	p = profile_parse(buf_string(&text), text.len, "f.json", &err);
	if (!p)
		fail_msg("%s", err.text);
	return p;
}

static void assert_answers(const struct profile *p, uint32_t **given,
			   const char *request, const char *wanted)
{
	cJSON *asked = cJSON_Parse(request);
	const struct recorded_reply *r =
		recorded_find(&p->recorded, given, asked);
	CLEANUP(buf_done) struct buf text = { 0 };

	if (!wanted) {
		assert_null(r);
	} else {
		assert_non_null(r);
		recorded_text(r, asked, &text);
		assert_string_equal(buf_string(&text), wanted);
	}
	cJSON_Delete(asked);
}

static void answers(void **state)
{
	static const char call[] =
		"{\"id\":70,\"method\":\"tools/call\",\"params\":{\"name\":"
		"\"x\",\"arguments\":{},\"_meta\":{\"progressToken\":1}}}";
	struct profile *p = cloned();
	uint32_t *given = NULL, *other = NULL;

	(void)state;
	assert_string_equal(p->recorded.hello, hello);
	assert_string_equal(p->device_id, "aa:bb");
	assert_string_equal(p->about.version, "1.2");
	assert_int_equal(p->recorded.count, 4);
	assert_int_equal(p->recorded.reply[1]->delay_ms, 7);
	/* The first, the second, and that again; each device by itself. */
	assert_answers(p, &given, call,
		       "{\"id\":70,  \"jsonrpc\":\"2.0\",\"result\":\"one\"}");
	assert_answers(p, &given, call,
		       "{\"jsonrpc\":\"2.0\",\"id\":70,\"result\":2}");
	assert_answers(p, &given, call,
		       "{\"jsonrpc\":\"2.0\",\"id\":70,\"result\":2}");
	assert_answers(p, &other, call,
		       "{\"id\":70,  \"jsonrpc\":\"2.0\",\"result\":\"one\"}");
	mem_free(given);
	mem_free(other);
	profile_free(p);
}

static void others(void **state)
{
	struct profile *p = cloned();
	uint32_t *given = NULL;

	(void)state;
	/* Who asks, and for what else, does not count in initialize. */
	assert_answers(
		p, &given,
		"{\"id\":\"i\",\"method\":\"initialize\",\"params\":{\"x\":1}}",
		"{\"jsonrpc\":\"2.0\",\"id\":\"i\",\"result\":{\"serverInfo\":"
		"{\"name\":\"b\",\"version\":\"1.2\"}}}");
	/* Broken JSON is said as it was. */
	assert_answers(p, &given,
		       "{\"id\":9,\"method\":\"tools/call\",\"params\":"
		       "{\"arguments\":{\"a\":1},\"name\":\"x\"}}",
		       "{\"type\":\"mcp\",\"payload\":{\"id\":4,\"error");
	assert_true(p->recorded.reply[3]->frame);
	/* It had no answer, or was not asked. */
	assert_answers(p, &given,
		       "{\"id\":9,\"method\":\"tools/call\",\"params\":"
		       "{\"name\":\"x\",\"arguments\":{\"a\":2}}}",
		       NULL);
	assert_answers(p, &given, "{\"id\":9,\"method\":\"ping\"}", NULL);
	assert_answers(p, &given, "{\"id\":9}", NULL);
	assert_int_equal(cJSON_GetArraySize(p->events), 1);
	mem_free(given);
	profile_free(p);
}

static void tell(struct steps *s, uint32_t conn, int64_t us,
		 enum event_from from, bool cut, const char *text)
{
	struct capture_event e = { .at_us = us,
				   .conn = conn,
				   .kind = CAPTURED_TEXT,
				   .from = from,
				   .cut = cut,
				   .device = "aa:bb",
				   .data = { text, strlen(text) } };

	assert_true(steps_add(s, &e));
}

/* The file that is written, to the letter. */
static void written(void **state)
{
	CLEANUP(steps_done) struct steps s = { 0 };
	CLEANUP(buf_done) struct buf text = { 0 };
	const struct capture_event lost = { .kind = CAPTURED_LOST, .count = 3 };
	cJSON *json;

	(void)state;
	/* Before the backend spoke there is no conversation. */
	tell(&s, 1, 0, FROM_DEVICE, false, "{\"type\":\"abort\"}");
	tell(&s, 1, 1000, FROM_DEVICE, false, hello);
	tell(&s, 1, 2000, FROM_BACKEND, false, "{\"type\":\"hello\"}");
	tell(&s, 1, 3000, FROM_BACKEND, false,
	     MCP("{\"id\":1,\"method\":\"initialize\"}"));
	tell(&s, 1, 9499, FROM_DEVICE, false,
	     MCP("{\"id\":1,\"result\":{\"serverInfo\":{\"name\":\"b\",\"version\":\"1\"}}}"));
	tell(&s, 1, 12000, FROM_DEVICE, false,
	     MCP("{\"method\":\"notifications/x\",\"session_id\":\"s\"}"));
	tell(&s, 1, 13000, FROM_DEVICE, false,
	     "{\"type\":\"abort\",\"session_id\":\"s\"}");
	/* These are not of its own: they answer, or sim says them anyway. */
	tell(&s, 1, 14000, FROM_DEVICE, false,
	     "{\"type\":\"listen\",\"state\":\"start\"}");
	tell(&s, 1, 14000, FROM_DEVICE, false, "{\"type\":\"goodbye\"}");
	tell(&s, 1, 14000, FROM_DEVICE, false, MCP("{\"id\":77,\"result\":1}"));
	tell(&s, 1, 14000, FROM_DEVICE, false,
	     MCP("{\"id\":7,\"method\":\"ping\"}"));
	tell(&s, 2, 15000, FROM_DEVICE, false, "{\"type\":\"abort\"}");
	/* Two wait: which of them the broken one answers nobody knows. */
	tell(&s, 1, 20000, FROM_BACKEND, false,
	     MCP("{\"id\":2,\"method\":\"a\",\"params\":{\"p\":1}}"));
	tell(&s, 1, 20000, FROM_BACKEND, false,
	     MCP("{\"id\":3,\"method\":\"b\"}"));
	tell(&s, 1, 21000, FROM_DEVICE, false, "{broken");
	tell(&s, 1, 20501, FROM_DEVICE, false,
	     MCP("{\"id\":2,\"result\":\"${id}\"}"));
	tell(&s, 1, 23000, FROM_DEVICE, true, "{\"id\":3,\"result\":[");
	tell(&s, 1, 24000, FROM_BACKEND, false,
	     MCP("{\"id\":4,\"method\":\"c\"}"));
	/* Here the place of the id cannot be told from that in the text. */
	tell(&s, 1, 25000, FROM_BACKEND, false,
	     MCP("{\"id\":5,\"method\":\"d\"}"));
	tell(&s, 1, 26000, FROM_DEVICE, false,
	     MCP("{\"result\":\"${id}\",\"id\":5}"));
	steps_add(&s, &lost);
	json = clone_device(&s, 0, "f.cap", NULL);
	assert_non_null(json);
	json_print(&text, json);
	cJSON_Delete(json);
	assert_string_equal(
		buf_string(&text),
		"{\"brief\":\"cloned from f.cap\",\"device_id\":\"aa:bb\","
		"\"says\":\"{\\\"type\\\":\\\"hello\\\",\\\"version\\\":1,\\\"transport\\\":\\\"websocket\\\"}\","
		"\"board\":\"b\",\"version\":\"1\",\"notes\":["
		"\"1 unanswered: such requests get the answer of a board which does not know them\","
		"\"2 answers could not be told apart, and are left out\","
		"\"1 messages above 64 kB, of which the capture has the beginning alone, are left out\","
		"\"3 events are missing in the capture\"],"
		"\"events\":[{\"after_ms\":10,\"notification\":{\"method\":\"notifications/x\"}},"
		"{\"after_ms\":11,\"message\":{\"type\":\"abort\"}}],"
		"\"replies\":[{\"method\":\"initialize\",\"delay_ms\":6,\"reply\":\"{\\\"id\\\":${id},\\\"result\\\":{\\\"serverInfo\\\":{\\\"name\\\":\\\"b\\\",\\\"version\\\":\\\"1\\\"}}}\"},"
		"{\"method\":\"a\",\"params\":{\"p\":1},\"delay_ms\":1,\"reply\":\"{\\\"id\\\":${id},\\\"result\\\":\\\"${id}\\\"}\"}]}");
}

/* What is broken answers the one request that waits on its own connection. */
static void broken_by_connection(void **state)
{
	CLEANUP(steps_done) struct steps s = { 0 };
	CLEANUP(buf_done) struct buf text = { 0 };
	cJSON *json;

	(void)state;
	for (uint32_t conn = 1; conn <= 2; conn++)
		tell(&s, conn, 1000, FROM_BACKEND, false,
		     conn == 1 ? MCP("{\"id\":1,\"method\":\"a\"}") :
				 MCP("{\"id\":1,\"method\":\"b\"}"));
	tell(&s, 2, 2000, FROM_DEVICE, false, "{two");
	tell(&s, 1, 3000, FROM_DEVICE, false, "{one");
	tell(&s, 3, 3000, FROM_DEVICE, false, "{three");
	tell(&s, 1, 4000, FROM_BACKEND, false,
	     MCP("{\"id\":2,\"method\":\"c\"}"));
	tell(&s, 1, 5000, FROM_DEVICE, false, "{which");
	json = clone_device(&s, 0, "f.cap", NULL);
	assert_non_null(json);
	json_print(&text, cJSON_GetObjectItem(json, "replies"));
	assert_string_equal(
		buf_string(&text),
		"[{\"method\":\"b\",\"delay_ms\":1,\"frame\":\"{two\"},"
		"{\"method\":\"a\",\"delay_ms\":2,\"frame\":\"{one\"}]");
	buf_reset(&text);
	json_print(&text, cJSON_GetObjectItem(json, "notes"));
	assert_non_null(strstr(buf_string(&text), "2 answers could not be"));
	cJSON_Delete(json);
}

static void nothing(void **state)
{
	CLEANUP(steps_done) struct steps s = { 0 };
	struct error err = { 0 };

	(void)state;
	add(&s, 0, true, hello);
	assert_null(clone_device(&s, 0, "f.jsonl", &err));
	assert_int_equal(err.kind, ERR_UNMET);
	error_reset(&err);
}

/* place: of the reply in its file; "" is none. */
static void is_wrong(const char *text, const char *place, const char *why)
{
	CLEANUP(error_reset) struct error err = { 0 };
	CLEANUP(mem_free_ptr)
	char *whole = mem_printf("profile 'f.json'%s: %s", place, why);

	assert_null(profile_parse(text, strlen(text), "f.json", &err));
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, whole);
	assert_string_equal(err.hint,
			    "'mcpctl help profile' tells what may stand there");
}

#define NEEDS "a recorded reply needs a 'method', and a 'reply' or a 'frame'"

static void wrong(void **state)
{
	static const char *const rows[][3] = {
		{ "{\"says\":7}", ", says", "expected a string, not integer" },
		{ "{\"replies\":[{}]}", ", replies[0]", NEEDS },
		{ "{\"replies\":[{\"method\":\"ping\"}]}", ", replies[0]",
		  NEEDS },
		{ "{\"replies\":[{\"reply\":\"a\"}]}", ", replies[0]", NEEDS },
		{ "{\"replies\":[{\"method\":\"a\",\"reply\":\"a\"},{\"method\":\"ping\",\"reply\":\"a\",\"frame\":\"b\"}]}",
		  ", replies[1]", NEEDS },
		{ "{\"replies\":[{\"method\":\"ping\",\"reply\":\"a\",\"delay_ms\":-1}]}",
		  ", replies[0].delay_ms",
		  "expected a whole number from 0 to 2147483647" },
		{ "{\"replies\":[{\"method\":\"ping\",\"reply\":\"a\",\"delay_ms\":2147483648}]}",
		  ", replies[0].delay_ms",
		  "expected a whole number from 0 to 2147483647" },
		{ "{\"replies\":[{\"method\":\"ping\",\"reply\":\"a\",\"x\":1}]}",
		  ", replies[0]", "a recorded reply has no member 'x'" },
		{ "{\"replies\":[{\"method\":\"ping\",\"reply\":\"a\",\"params\":1}]}",
		  ", replies[0].params",
		  "expected an object ({...}), not integer" },
		{ "{\"replies\":[{\"method\":1,\"reply\":\"a\"}]}",
		  ", replies[0].method", "expected a string, not integer" },
		{ "{\"replies\":[{\"method\":\"a\",\"reply\":1}]}",
		  ", replies[0].reply", "expected a string, not integer" },
		{ "{\"replies\":[{\"method\":\"a\",\"frame\":[]}]}",
		  ", replies[0].frame", "expected a string, not array" },
		{ "{\"replies\":[7]}", ", replies[0]",
		  "expected an object ({...}) for a recorded reply" },
	};

	(void)state;
	assert_null(
		profile_parse("{\"says\":\"no JSON\"}", 18, "f.json", NULL));
	for (size_t i = 0; i < COUNT(rows); i++)
		is_wrong(rows[i][0], rows[i][1], rows[i][2]);
}

#define REPLIES                                                              \
	"{\"replies\":["                                                     \
	"{\"method\":\"r\",\"params\":{\"uri\":\"a\"},\"reply\":\"ra\"},"    \
	"{\"method\":\"r\",\"params\":{\"uri\":\"b\"},\"reply\":\"rb\"},"    \
	"{\"method\":\"l\",\"reply\":\"l0\",\"delay_ms\":2147483647},"       \
	"{\"method\":\"l\",\"params\":{\"cursor\":\"c\"},\"frame\":\"lc\"}," \
	"{\"method\":\"r\",\"params\":{\"uri\":\"a\",\"_meta\":{}},"         \
	"\"reply\":\"<${id}|${id}>\"},"                                      \
	"{\"method\":\"ping\",\"params\":{\"x\":1},\"reply\":\"p\"},"        \
	"{\"method\":\"r\",\"params\":{\"uri\":\"a\",\"y\":1},"              \
	"\"reply\":\"ray\"}]}"

/* The same question: but for _meta, and with nothing as with {} or no cursor. */
static void which(void **state)
{
	static const char *const rows[][2] = {
		{ "{\"method\":\"r\",\"params\":{\"uri\":\"b\"}}", "rb" },
		{ "{\"method\":\"r\",\"params\":{\"uri\":\"a\"}}", "ra" },
		{ "{\"method\":\"r\",\"id\":[1],\"params\":{\"_meta\":7,\"uri\":\"a\"}}",
		  "<[1]|${id}>" },
		{ "{\"method\":\"r\",\"params\":{\"uri\":\"a\"}}", "<|${id}>" },
		{ "{\"method\":\"r\",\"params\":{\"y\":1,\"uri\":\"a\"}}",
		  "ray" },
		{ "{\"method\":\"r\",\"params\":{\"y\":2,\"uri\":\"a\"}}",
		  NULL },
		{ "{\"method\":\"r\",\"params\":{\"uri\":\"c\"}}", NULL },
		{ "{\"method\":\"r\"}", NULL },
		{ "{\"method\":\"l\"}", "l0" },
		{ "{\"method\":\"l\",\"params\":{}}", "l0" },
		{ "{\"method\":\"l\",\"params\":{\"_meta\":{\"a\":1}}}", "l0" },
		{ "{\"method\":\"l\",\"params\":{\"cursor\":\"\"}}", "l0" },
		{ "{\"method\":\"l\",\"params\":{\"cursor\":\"c\"}}", "lc" },
		{ "{\"method\":\"l\",\"params\":{\"cursor\":\"d\"}}", NULL },
		{ "{\"method\":\"ping\",\"params\":{\"x\":2}}", "p" },
		{ "{\"method\":\"ping\"}", "p" },
		{ "{\"method\":\"Ping\"}", NULL },
		{ "{\"method\":7}", NULL },
	};
	struct error err = { 0 };
	struct profile *p =
		profile_parse(REPLIES, strlen(REPLIES), "f.json", &err);
	uint32_t *given = NULL;

	(void)state;
	if (!p)
		fail_msg("%s", err.text);
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_answers(p, &given, rows[i][0], rows[i][1]);
	assert_int_equal(p->recorded.reply[2]->delay_ms, INT32_MAX);
	assert_false(p->recorded.reply[2]->frame);
	assert_true(p->recorded.reply[3]->frame);
	mem_free(given);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers),
		cmocka_unit_test(others),
		cmocka_unit_test(written),
		cmocka_unit_test(nothing),
		cmocka_unit_test(broken_by_connection),
		cmocka_unit_test(wrong),
		cmocka_unit_test(which),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
