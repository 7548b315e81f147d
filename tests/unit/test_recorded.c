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

static void wrong(void **state)
{
	static const char *const texts[] = {
		"{\"says\":\"no JSON\"}",
		"{\"says\":7}",
		"{\"replies\":[{}]}",
		"{\"replies\":[{\"method\":\"ping\"}]}",
		"{\"replies\":[{\"method\":\"ping\",\"reply\":\"a\",\"frame\":\"b\"}]}",
		"{\"replies\":[{\"method\":\"ping\",\"reply\":\"a\",\"delay_ms\":-1}]}",
		"{\"replies\":[{\"method\":\"ping\",\"reply\":\"a\",\"x\":1}]}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct error err = { 0 };

		assert_null(profile_parse(texts[i], strlen(texts[i]), "f.json",
					  &err));
		assert_int_equal(err.kind, ERR_USAGE);
		error_reset(&err);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers),
		cmocka_unit_test(others),
		cmocka_unit_test(nothing),
		cmocka_unit_test(wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
