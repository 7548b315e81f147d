/* SPDX-License-Identifier: MIT */
/* Who is on the other side, by habits; nobody is named who only might be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "diag/facts.h"
#include "diag/recognise.h"

static void feed(struct diag *d, bool from_device, const char *text)
{
	const struct diag_frame f = { .from_device = from_device,
				      .data = text,
				      .len = strlen(text) };

	diag_feed(d, &f);
}

#define INIT(before, id, client)                                        \
	"{" before "\"type\":\"mcp\",\"payload\":{\"jsonrpc\":\"2.0\"," \
	"\"id\":" id ",\"method\":\"initialize\",\"params\":{"          \
	"\"clientInfo\":{\"name\":\"" client "\",\"version\":\"1\"}}}}"

static void is_backend(const char *frame, const char *who, const char *by)
{
	struct diag d = { .about = { .board = true } };
	struct buf name = { 0 }, evidence = { 0 };

	assert_false(recognise_backend(&d, &name, &evidence));
	feed(&d, false, frame);
	assert_true(recognise_backend(&d, &name, &evidence));
	assert_string_equal(buf_string(&name), who);
	assert_non_null(strstr(buf_string(&evidence), by));
	buf_done(&name);
	buf_done(&evidence);
	diag_done(&d);
	facts_forget();
}

static void backends(void **state)
{
	(void)state;
	is_backend(INIT("", "1", "XiaozhiClient"), "Python server",
		   "no session_id in the envelope");
	is_backend(INIT("\"session_id\":\"a\",", "1", "XiaozhiClient"),
		   "Go server (xiaozhi-server-go)", "session_id");
	is_backend(INIT("", "10000", "xiaozhi-mqtt-client"), "MQTT gateway",
		   "first id 10000");
	is_backend(INIT("\"sessionId\":\"a\",", "10000", "xiaozhi-mqtt-client"),
		   "Java server", "sessionId");
	is_backend(INIT("", "7", "XiaozhiClient"), "", "first id 7");
	is_backend(INIT("\"session_id\":\"a\",", "1", "mcpctl"), "",
		   "calls itself mcpctl");
}

static void is_device(const char *hello, const char *error, const char *who,
		      const char *by)
{
	struct diag d = { .about = { .board = true } };
	struct buf name = { 0 }, evidence = { 0 };

	assert_false(recognise_device(&d, &name, &evidence));
	feed(&d, true, hello);
	feed(&d, false,
	     "{\"type\":\"mcp\",\"payload\":{\"jsonrpc\":\"2.0\",\"id\":1,"
	     "\"method\":\"ping\"}}");
	if (error)
		feed(&d, true, error);
	assert_true(recognise_device(&d, &name, &evidence));
	assert_string_equal(buf_string(&name), who);
	assert_non_null(strstr(buf_string(&evidence), by));
	buf_done(&name);
	buf_done(&evidence);
	diag_done(&d);
}

#define STOCK                                                           \
	"{\"type\":\"hello\",\"version\":1,\"features\":{\"mcp\":true," \
	"\"glyph_push\":false},\"audio_params\":{\"frame_duration\":60}}"

static void devices(void **state)
{
	(void)state;
	is_device(STOCK, NULL, "stock firmware 2.4.0 or later",
		  "features.glyph_push, frames of 60 ms");
	is_device(STOCK,
		  "{\"type\":\"mcp\",\"payload\":{\"jsonrpc\":\"2.0\","
		  "\"id\":1,\"error\":{\"message\":\"no\"}}}",
		  "stock firmware 2.4.0 or later, up to 2.4.2 by its errors",
		  "errors without a code");
	is_device(STOCK,
		  "{\"type\":\"mcp\",\"payload\":{\"jsonrpc\":\"2.0\","
		  "\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no\"}}}",
		  "stock firmware 2.4.0 or later, 2.5.0 by its errors",
		  "errors with a code");
	is_device("{\"type\":\"hello\",\"version\":1,\"features\":{\"mcp\":"
		  "true},\"audio_params\":{\"frame_duration\":20}}",
		  NULL, "py-xiaozhi", "frames of 20 ms");
	is_device("{\"type\":\"hello\",\"device_name\":\"x\","
		  "\"features\":{\"mcp\":true}}",
		  NULL, "the digital-human page", "device_name in hello");
	is_device("{\"type\":\"hello\",\"version\":1,"
		  "\"features\":{\"mcp\":true}}",
		  NULL, "", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(backends),
					    cmocka_unit_test(devices) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
