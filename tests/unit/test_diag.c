/* SPDX-License-Identifier: MIT */
/* The engine: frames in, findings out; no rule finds what is not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "diag/diag.h"
#include "diag/facts.h"
#include "diag/rule_row.h"
#include "wire/envelope.h"

#define MCP(payload) \
	"{\"session_id\":\"S1\",\"type\":\"mcp\",\"payload\":" payload "}"
#define RPC(rest) "{\"jsonrpc\":\"2.0\"," rest "}"
#define HELLO                                              \
	"{\"type\":\"hello\",\"version\":1,\"transport\":" \
	"\"websocket\",\"features\":{\"mcp\":true}}"
#define WELCOME                                            \
	"{\"type\":\"hello\",\"transport\":\"websocket\"," \
	"\"session_id\":\"S1\"}"
#define INIT MCP(RPC("\"id\":1,\"method\":\"initialize\",\"params\":{}"))
#define INIT_DONE MCP(RPC("\"id\":1,\"result\":{}"))
#define DONE MCP(RPC("\"method\":\"notifications/initialized\""))
#define CALL(id)                                           \
	MCP(RPC("\"id\":" id ",\"method\":\"tools/call\"," \
		"\"params\":{\"name\":\"self.x\",\"arguments\":{}}"))
#define RESULT(id)                                        \
	MCP(RPC("\"id\":" id ",\"result\":{\"content\":[" \
		"{\"type\":\"text\",\"text\":\"true\"}],\"isError\":false}"))

/* ">" from the device, "<" from the backend, "!N" gives up id N. */
static const char *const opening[] = { ">" HELLO,     "<" WELCOME, "<" INIT,
				       ">" INIT_DONE, "<" DONE,	   NULL };

/* Who feeds has read the frames already. */
static bool handed_over;

static void feed_line(struct diag *d, const char *line, int64_t *now,
		      enum diag_leg leg)
{
	struct diag_frame f = { .at_us = *now += 1000,
				.leg = leg,
				.from_device = *line == '>',
				.data = line + 1,
				.len = strlen(line + 1) };
	struct json_places at;
	bool odd;

	if (handed_over && envelope_scan(&at, &odd, f.data, f.len, NULL) == 0)
		f.at = &at;
	if (*line == '!')
		diag_gave_up(d, atoll(line + 1), *now);
	else
		diag_feed(d, &f);
}

static void codes_of(const struct diag *d, struct buf *out)
{
	for (size_t i = 0; i < d->count; i++)
		buf_printf(out, "%s%s", i > 0 ? " " : "",
			   finding_row(d->item[i].code)->code);
}

/* Lines behind an opening (or alone) give these codes, in that order. */
struct situation {
	const char *codes;
	bool alone;
	const char *lines[7];
};

static void run(const struct situation *s, enum diag_leg leg,
		const struct diag_about *about)
{
	struct diag d = { .about = *about };
	struct buf found = { 0 };
	int64_t now = 0;

	for (size_t i = 0; !s->alone && opening[i]; i++)
		feed_line(&d, opening[i], &now, leg);
	for (size_t i = 0; i < COUNT(s->lines) && s->lines[i]; i++)
		feed_line(&d, s->lines[i], &now, leg);
	diag_end(&d);
	codes_of(&d, &found);
	if (strcmp(buf_string(&found), s->codes) != 0)
		fail_msg("'%s' instead of '%s' for %s", buf_string(&found),
			 s->codes, s->lines[0] ? s->lines[0] : "the opening");
	buf_done(&found);
	diag_done(&d);
}

#define BACKEND_SAYS(codes, frame) \
	{                          \
		codes, false,      \
		{                  \
			"<" frame  \
		}                  \
	}
#define REPLY_IS(codes, frame)                   \
	{                                        \
		codes, false,                    \
		{                                \
			"<" CALL("2"), ">" frame \
		}                                \
	}

/* clang-format off */
static const struct situation conversations[] = {
	{ "", false, { NULL } },
	{ "", false, { "<" CALL("2"), ">" RESULT("2"), "<" CALL("3"), ">" RESULT("3") } },
	/* of the backend */
	BACKEND_SAYS("B225", "hello?"),
	BACKEND_SAYS("B225", ""),
	BACKEND_SAYS("B226", "{\"session_id\":\"S1\"}"),
	BACKEND_SAYS("", "{\"session_id\":\"S1\",\"type\":\"tts\",\"state\":\"start\"}"),
	BACKEND_SAYS("B219", "{\"session_id\":\"S1\",\"type\":\"mcp\",\"payload\":\"x\"}"),
	BACKEND_SAYS("B211", "{\"type\":\"mcp\",\"payload\":" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"x\"}") "}"),
	BACKEND_SAYS("B211", "{\"sessionId\":\"S1\",\"type\":\"mcp\",\"payload\":" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"x\"}") "}"),
	BACKEND_SAYS("B211", "{\"session_id\":\"\",\"type\":\"mcp\",\"payload\":" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"x\"}") "}"),
	BACKEND_SAYS("B211", "{\"session_id\":\"S2\",\"type\":\"mcp\",\"payload\":" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"x\"}") "}"),
	BACKEND_SAYS("B216", MCP("[]")),
	BACKEND_SAYS("B216", MCP("{\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"x\"}}")),
	BACKEND_SAYS("B216", MCP(RPC("\"id\":2,\"method\":\"tools/call\",\"params\":null"))),
	BACKEND_SAYS("B216", MCP(RPC("\"id\":2,\"method\":\"tools/call\",\"params\":[]"))),
	BACKEND_SAYS("B218", MCP(RPC("\"id\":2,\"result\":{}"))),
	BACKEND_SAYS("B217", MCP(RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"x\"},\"result\":null"))),
	BACKEND_SAYS("B215", CALL("\"2\"")),
	BACKEND_SAYS("B215", CALL("null")),
	BACKEND_SAYS("B215", CALL("true")),
	BACKEND_SAYS("B215", CALL("2.5")),
	BACKEND_SAYS("B215", CALL("3000000000")),
	BACKEND_SAYS("", CALL("-1")),
	BACKEND_SAYS("", CALL("2147483647")),
	BACKEND_SAYS("B215", MCP(RPC("\"method\":\"tools/call\",\"params\":{\"name\":\"x\"}"))),
	BACKEND_SAYS("B212", CALL("0")),
	BACKEND_SAYS("B214", CALL("1")),
	BACKEND_SAYS("B220", MCP(RPC("\"id\":2,\"method\":\"initialize\",\"params\":{}"))),
	BACKEND_SAYS("B223", MCP(RPC("\"id\":2,\"method\":\"ping\""))),
	BACKEND_SAYS("B224", MCP(RPC("\"id\":2,\"method\":\"resources/list\""))),
	BACKEND_SAYS("B233", MCP(RPC("\"id\":2,\"method\":\"tools/list\",\"params\":{\"cursor\":\"\"}"))),
	BACKEND_SAYS("B243", MCP(RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"self.camera.take_photo\"}"))),
	{ "B227", false, { "<" WELCOME } },
	{ "B207", true, { "<" WELCOME } },
	{ "B201", true, { ">" HELLO, "<" INIT } },
	{ "B208 B221", true, { ">" HELLO, "<" CALL("2") } },
	{ "B202", true, { ">" HELLO, "<{\"type\":\"hello\",\"session_id\":\"S1\"}" } },
	{ "B210", true, { ">" HELLO, "<{\"type\":\"hello\",\"transport\":\"udp\",\"session_id\":\"S1\"}" } },
	{ "B203", true, { ">" HELLO, "<{\"type\":\"hello\",\"transport\":\"websocket\"}" } },
	{ "B203", true, { ">" HELLO, "<{\"type\":\"hello\",\"transport\":\"websocket\",\"session_id\":\"a\\\"b\"}" } },
	{ "B203", true, { ">" HELLO, "<{\"type\":\"hello\",\"transport\":\"websocket\",\"session_id\":\"a\\\\b\"}" } },
	{ "B203", true, { ">" HELLO, "<{\"type\":\"hello\",\"transport\":\"websocket\",\"session_id\":\"a\\nb\"}" } },
	/* base64 in JSON, as PHP and .NET write it: it is plain, and the same */
	{ "", true, { ">" HELLO, "<{\"type\":\"hello\",\"transport\":\"websocket\",\"session_id\":\"a\\/\\u002Bb\"}", "<{\"session_id\":\"a\\/\\u002Bb\",\"type\":\"mcp\",\"payload\":" RPC("\"id\":1,\"method\":\"initialize\",\"params\":{}") "}", "<{\"session_id\":\"a/+b\",\"type\":\"mcp\",\"payload\":" RPC("\"id\":2,\"method\":\"tools/list\"") "}" } },
	{ "B211", true, { ">" HELLO, "<{\"type\":\"hello\",\"transport\":\"websocket\",\"session_id\":\"a\\/b\"}", "<{\"session_id\":\"a\\/c\",\"type\":\"mcp\",\"payload\":" RPC("\"id\":1,\"method\":\"initialize\",\"params\":{}") "}" } },
	/* of 48 bytes the last character is cut, and what is kept of it is the same */
	{ "", true, { ">" HELLO, "<{\"type\":\"hello\",\"transport\":\"websocket\",\"session_id\":\"1234567890123456789012345678901234567890123456\u00fc\"}", "<{\"session_id\":\"1234567890123456789012345678901234567890123456\u00fc\",\"type\":\"mcp\",\"payload\":" RPC("\"id\":1,\"method\":\"initialize\",\"params\":{}") "}" } },
	{ "B205", true, { ">" HELLO, "<\350\256\244\350\257\201\345\244\261\350\264\245" } },
	{ "B204", true, { ">" HELLO, "<{\"type\":\"error\",\"message\":\"no\"}" } },
	{ "B221", true, { ">" HELLO, "<" WELCOME, "<" CALL("2") } },
	{ "B213", true, { ">" HELLO, "<" WELCOME, "<" MCP(RPC("\"id\":10000,\"method\":\"initialize\"")) } },
	{ "V506", true, { ">" HELLO, "<" WELCOME, "<" MCP(RPC("\"id\":1,\"method\":\"initialize\",\"params\":{\"capabilities\":{\"vision\":{\"url\":null}}}")) } },
	{ "", true, { ">" HELLO, "<" WELCOME, "<" MCP(RPC("\"id\":1,\"method\":\"initialize\",\"params\":{\"capabilities\":{\"vision\":{\"url\":\"http://h/\"}}}")) } },
	/* lists */
#define LIST(id, params) "<" MCP(RPC("\"id\":" id ",\"method\":\"tools/list\",\"params\":{" params "}"))
#define PAGE(id, next) ">" MCP(RPC("\"id\":" id ",\"result\":{\"tools\":[{}]" next "}"))
	{ "B230", false, { LIST("2", ""), PAGE("2", ",\"nextCursor\":\"a\"") } },
	{ "", false, { LIST("2", ""), PAGE("2", ",\"nextCursor\":\"a\""), LIST("3", "\"cursor\":\"a\""), PAGE("3", "") } },
	{ "B231", false, { LIST("2", ""), PAGE("2", ",\"nextCursor\":\"a\""), LIST("3", "\"cursor\":\"a\""), LIST("4", "\"cursor\":\"a\""), PAGE("3", ""), PAGE("4", "") } },
	{ "B232", false, { LIST("2", "\"withUserTools\":true"), PAGE("2", ",\"nextCursor\":\"a\""), LIST("3", "\"cursor\":\"a\""), PAGE("3", "") } },
	{ "D106", false, { LIST("2", ""), PAGE("2", ",\"nextCursor\":\"a\""), LIST("3", "\"cursor\":\"a\""), PAGE("3", ",\"nextCursor\":\"a\"") } },
	/* round in a circle; a page that was asked for twice is none */
	{ "D106", false, { LIST("2", ""), PAGE("2", ",\"nextCursor\":\"a\""), LIST("3", "\"cursor\":\"a\""), PAGE("3", ",\"nextCursor\":\"b\""), LIST("4", "\"cursor\":\"b\""), PAGE("4", ",\"nextCursor\":\"a\"") } },
	{ "", false, { LIST("2", ""), PAGE("2", ",\"nextCursor\":\"a\""), LIST("3", "\"cursor\":\"a\""), LIST("4", ""), PAGE("3", ""), PAGE("4", "") } },
	/* what ends in an error was followed, what leads nowhere cannot be */
	{ "D108", false, { LIST("2", ""), PAGE("2", ",\"nextCursor\":\"a\""), LIST("3", "\"cursor\":\"a\""), ">" MCP(RPC("\"id\":3,\"error\":{\"code\":-32603,\"message\":\"Failed to add tool a because of payload size limit\"}")) } },
	{ "", false, { LIST("2", "\"cursor\":\"no\""), ">" MCP(RPC("\"id\":2,\"error\":{\"code\":-32603,\"message\":\"Failed to add tool  because of payload size limit\"}")) } },
	{ "D146", false, { LIST("2", ""), ">" MCP(RPC("\"id\":2,\"result\":{\"tools\":[],\"nextCursor\":\"a\"}")) } },
	{ "D146", false, { LIST("2", ""), ">" MCP(RPC("\"id\":2,\"result\":{\"tools\":[],\"nextCursor\":\"a\"}")), LIST("3", "\"cursor\":\"a\""), PAGE("3", "") } },
	{ "D107", false, { LIST("2", ""), PAGE("2", ",\"nextCursor\":\"\"") } },
	{ "B222", true, { ">" HELLO, "<" WELCOME, "<" INIT, ">" INIT_DONE, LIST("2", ""), PAGE("2", "") } },
	/* of the device */
	REPLY_IS("D114", RESULT("\"2\"")),
	REPLY_IS("D114", RESULT("2.0")),
	{ "B215", false, { "<" CALL("\"2\""), ">" RESULT("\"2\"") } },
	{ "", false, { "<" CALL("2.0"), ">" RESULT("2.0") } },
	REPLY_IS("D116", RESULT("7")),
	REPLY_IS("D116", RESULT("null")),
	{ "D115", false, { ">" RESULT("7") } },
	{ "D123", false, { "<" CALL("2"), ">" RESULT("2"), ">" RESULT("2") } },
	{ "B250", false, { "<" CALL("2"), "!2", ">" RESULT("2") } },
	{ "D123", false, { "<" CALL("2"), ">" RESULT("2"), "!2", ">" RESULT("2") } },
	{ "D122", false, { "<" CALL("2"), "<" CALL("3"), ">" RESULT("3"), ">" RESULT("2") } },
	/* half an id comes back as its whole part, or as it was */
	{ "B215", false, { "<" CALL("7.5"), ">" RESULT("7") } },
	{ "B215", false, { "<" CALL("7.5"), ">" RESULT("7.5") } },
	{ "D116", false, { "<" CALL("7"), ">" RESULT("7.5") } },
	REPLY_IS("D119", MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\\u001b[31m\"}],\"isError\":false}"))),
	REPLY_IS("D119", MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\342\200\256b\"}],\"isError\":false}"))),
	REPLY_IS("", MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\\n\\t\\u4e2d\342\200\246\"}],\"isError\":false}"))),
	REPLY_IS("D119", MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\\u0007b\"}],\"isError\":false}"))),
	REPLY_IS("D119", MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\\u0000b\"}],\"isError\":false}"))),
	REPLY_IS("D119", MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\\u202Eb\"}],\"isError\":false}"))),
	REPLY_IS("D119", MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\\u2066b\"}],\"isError\":false}"))),
	REPLY_IS("D119", MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\\bb\"}],\"isError\":false}"))),
	REPLY_IS("", MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"\\u2022 \\u2026 \\u201c\\u201d \\u2020 \\u200d\"}],\"isError\":false}"))),
	REPLY_IS("", MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"C:\\\\u001b \\\\\\\\u202e\"}],\"isError\":false}"))),
	REPLY_IS("D129", MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"message\\\":\\\"no lamp\\\",\\\"success\\\": false}\"}],\"isError\":false}"))),
	REPLY_IS("D129", MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"{\\n  \\\"success\\\" : false\\n}\"}],\"isError\":false}"))),
	REPLY_IS("", MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"success\\\":true,\\\"was\\\":false}\"}],\"isError\":false}"))),
	REPLY_IS("", MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"say \\\"success\\\":false\"}],\"isError\":false}"))),
	REPLY_IS("D119", MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\\u202Eb\"}],\"isError\":false}"))),
	REPLY_IS("D119", MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\\u009bb\"}],\"isError\":false}"))),
	REPLY_IS("D119", MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\\u2066b\"}],\"isError\":false}"))),
	REPLY_IS("D119", MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\\\\\\u202eb\"}],\"isError\":false}"))),
	/* an ellipsis, a bullet; and a backslash, with letters behind it */
	REPLY_IS("", MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"wait\\u2026 \\u2022\"}],\"isError\":false}"))),
	REPLY_IS("", MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"C:\\\\u202e\"}],\"isError\":false}"))),
	/* it has no id that could come back */
	{ "B216", false, { "<" MCP("[]"), ">" MCP(RPC("\"id\":null,\"error\":{\"code\":-32600,\"message\":\"no\"}")) } },
	REPLY_IS("D140", MCP(RPC("\"id\":2,\"error\":{\"message\":\"no\"}"))),
	REPLY_IS("", MCP(RPC("\"id\":2,\"error\":{\"code\":-32603,\"message\":\"no\"}"))),
	REPLY_IS("B240", MCP(RPC("\"id\":2,\"error\":{\"code\":-32602,\"message\":\"Unknown tool: self.x\"}"))),
	REPLY_IS("B241", MCP(RPC("\"id\":2,\"error\":{\"code\":-32602,\"message\":\"Missing valid argument: r\"}"))),
	REPLY_IS("D127", MCP(RPC("\"id\":2,\"result\":{\"content\":[{}]},\"error\":{\"code\":1,\"message\":\"no\"}"))),
	REPLY_IS("D126", MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}"))),
	REPLY_IS("D126", MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\"}],\"isError\":\"false\"}"))),
	REPLY_IS("D139", MCP(RPC("\"id\":2,\"result\":{\"content\":[],\"isError\":false}"))),
	REPLY_IS("D139", MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\"}],\"isError\":false}"))),
	REPLY_IS("D139", MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":5}],\"isError\":false}"))),
	REPLY_IS("D139", MCP(RPC("\"id\":2,\"result\":{\"content\":[\"a\"],\"isError\":false}"))),
	REPLY_IS("D139", MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"odd\"}],\"isError\":false}"))),
	REPLY_IS("", MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"image\",\"data\":\"\",\"mimeType\":\"image/png\"}],\"isError\":false}"))),
	REPLY_IS("", MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"text\":\"a\"}],\"isError\":false}"))),
	REPLY_IS("D139", MCP(RPC("\"id\":2,\"result\":{\"content\":[{},{}],\"isError\":false}"))),
	REPLY_IS("D128", MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"image\",\"image\":\"{}\"}],\"isError\":false}"))),
	REPLY_IS("D129", MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"success\\\": false}\"}],\"isError\":false}"))),
	REPLY_IS("D124", MCP(RPC("\"id\":2,\"error\":{\"message\":\"Unknown tool: \"x\"\"}"))),
	REPLY_IS("D125", MCP(RPC("\"id\":2,\"error\":{\"message\":\"\xff\"}"))),
	REPLY_IS("D143", "what?"),
	REPLY_IS("D143", "7"),
	REPLY_IS("D143", MCP("7")),
	REPLY_IS("D143", "[" RESULT("2") "]"),
	REPLY_IS("D137", MCP(RPC("\"id\":9,\"method\":\"notifications/x\""))),
	{ "D142", false, { ">" HELLO, "<" WELCOME } },
	{ "D101", true, { ">{\"type\":\"hello\",\"version\":1,\"transport\":\"websocket\"}", "<" WELCOME } },
	{ "D101", true, { ">{\"type\":\"hello\",\"version\":1,\"features\":{\"mcp\":false},\"transport\":\"websocket\"}", "<" WELCOME } },
	{ "D103", true, { ">{\"type\":\"hello\",\"version\":1,\"features\":{\"mcp\":true},\"transport\":\"udp\"}", "<" WELCOME } },
	{ "D104", true, { ">{\"type\":\"hello\",\"version\":3,\"features\":{\"mcp\":true},\"transport\":\"websocket\"}", "<" WELCOME } },
};
/* clang-format on */

static void over_websocket(void **state)
{
	const struct diag_about about = { .board = true,
					  .protocol_version = 1 };

	(void)state;
	for (size_t i = 0; i < COUNT(conversations); i++)
		run(&conversations[i], LEG_WS, &about);
}

/* clang-format off */
static const struct situation at_a_broker[] = {
	{ "B213", true, { "<{\"type\":\"mcp\",\"payload\":" RPC("\"id\":10000,\"method\":\"initialize\"") "}" } },
	{ "M407", true, { ">{\"type\":\"hello\",\"version\":3,\"transport\":\"udp\",\"features\":{\"mcp\":true}}", "<{\"type\":\"hello\",\"transport\":\"udp\",\"session_id\":\"a\",\"udp\":{\"server\":\"h\",\"port\":\"1\"}}" } },
	{ "M407", true, { ">{\"type\":\"hello\",\"version\":3,\"transport\":\"udp\",\"features\":{\"mcp\":true}}", "<{\"type\":\"hello\",\"transport\":\"udp\",\"session_id\":\"a\",\"udp\":{\"server\":\"h\",\"port\":1,\"key\":\"00\"}}" } },
	{ "B210", true, { "<{\"type\":\"hello\",\"transport\":\"websocket\",\"session_id\":\"a\"}" } },
	{ "M408", true, { "<{\"type\":\"hello\",\"transport\":\"udp\",\"session_id\":\"a\",\"udp\":{\"server\":\"h\",\"port\":1,\"key\":\"00112233445566778899aabbccddeeff\",\"nonce\":\"00112233445566778899aabbccddeeff\"}}", "<{\"type\":\"goodbye\",\"session_id\":\"b\"}" } },
	{ "", true, { "<{\"type\":\"hello\",\"transport\":\"udp\",\"session_id\":\"a\",\"udp\":{\"server\":\"h\",\"port\":1,\"key\":\"00112233445566778899aabbccddeeff\",\"nonce\":\"00112233445566778899aabbccddeeff\"}}", "<{\"type\":\"goodbye\",\"session_id\":\"a\"}" } },
};

/* A server that is no board may say what a board may not. */
static const struct situation plain_servers[] = {
	{ "", true, { "<" RPC("\"id\":\"a\",\"method\":\"initialize\",\"params\":{}"), ">" RPC("\"id\":\"a\",\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"serverInfo\":{}}") } },
	{ "", true, { "<" RPC("\"id\":1,\"method\":\"initialize\",\"params\":{}"), ">" RPC("\"id\":1,\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"serverInfo\":{}}"), "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{}"), ">" RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}"), "<" RPC("\"id\":3,\"method\":\"ping\""), ">" RPC("\"id\":3,\"result\":{}") } },
	{ "", true, { ">" RPC("\"id\":1,\"method\":\"sampling/createMessage\",\"params\":{}"), "<" RPC("\"id\":1,\"result\":{}") } },
	{ "D115", true, { ">" RPC("\"id\":5,\"result\":{}") } },
	{ "P702", true, { ">Listening on port 3000" } },
	{ "P701", true, { "<" RPC("\"id\":1,\"method\":\"initialize\",\"params\":{}"), ">" RPC("\"id\":1,\"result\":{\"protocolVersion\":\"1999-01-01\",\"capabilities\":{},\"serverInfo\":{}}") } },
	{ "P705", true, { "<" RPC("\"id\":1,\"method\":\"initialize\",\"params\":{}"), ">" RPC("\"id\":1,\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"serverInfo\":{}}"), "<" RPC("\"method\":\"notifications/initialized\""), ">" RPC("\"id\":null,\"result\":{}") } },
	/* ids that are texts: without their quotes, as a number, as they were, or another one */
	{ "P719", true, { "<" RPC("\"id\":\"6f1c_n_1\",\"method\":\"initialize\",\"params\":{}"), ">" RPC("\"id\":6f1c_n_1,\"result\":{}") } },
	{ "P712", true, { "<" RPC("\"id\":\"6f1c_n_1\",\"method\":\"initialize\",\"params\":{}"), ">" RPC("\"id\":\"6f1c_n_1\",\"result\":{}") } },
	{ "D124", true, { "<" RPC("\"id\":\"6f1c_n_1\",\"method\":\"initialize\",\"params\":{}"), ">" RPC("\"id\":6f1c_n_2,\"result\":{}") } },
	{ "D114 P712", true, { "<" RPC("\"id\":\"7\",\"method\":\"initialize\",\"params\":{}"), ">" RPC("\"id\":7,\"result\":{}") } },
	/* in place of a tool side; the code alone says nothing */
	{ "P717", true, { "<" RPC("\"id\":1,\"method\":\"initialize\",\"params\":{}"), ">" RPC("\"id\":1,\"result\":null,\"error\":{\"code\":-32001,\"message\":\"工具端未连接\",\"data\":null}") } },
	{ "", true, { "<" RPC("\"id\":1,\"method\":\"initialize\",\"params\":{}"), ">" RPC("\"id\":1,\"error\":{\"code\":-32001,\"message\":\"busy\"}") } },
};

/* What an answer may not look like, and what it may. */
#define HELD "<" RPC("\"id\":1,\"method\":\"initialize\",\"params\":{}"), ">" RPC("\"id\":1,\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"serverInfo\":{}}"), "<" RPC("\"method\":\"notifications/initialized\"")
static const struct situation answers[] = {
	{ "D150", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/list\""), ">" RPC("\"id\":2,\"result\":{\"tools\":[],\"nextCursor\":2}") } },
	{ "D150", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/list\""), ">" RPC("\"id\":2,\"result\":{\"tools\":[],\"nextCursor\":true}") } },
	{ "D150", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/list\""), ">" RPC("\"id\":2,\"result\":{\"tools\":[],\"nextCursor\":{\"a\":1}}") } },
	{ "", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/list\""), ">" RPC("\"id\":2,\"result\":{\"tools\":[],\"nextCursor\":null}") } },
	{ "D151", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/list\""), ">" RPC("\"id\":2,\"result\":{}") } },
	{ "D151", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/list\""), ">" RPC("\"id\":2,\"result\":null") } },
	{ "D151", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/list\""), ">" RPC("\"id\":2,\"result\":[]") } },
	{ "D151", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/list\""), ">" RPC("\"id\":2,\"result\":\"none\"") } },
	{ "D151", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/list\""), ">" RPC("\"id\":2,\"result\":{\"tools\":{}}") } },
	{ "D151", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/list\""), ">" RPC("\"id\":2,\"result\":{\"tools\":null}") } },
	{ "D152", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/list\""), ">" RPC("\"id\":2,\"error\":\"busy\"") } },
	{ "D152", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/list\""), ">" RPC("\"id\":2,\"error\":5") } },
	{ "D152", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/list\""), ">" RPC("\"id\":2,\"error\":true") } },
	{ "D152", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/list\""), ">" RPC("\"id\":2,\"error\":[\"x\"]") } },
	{ "D152", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/list\""), ">" RPC("\"id\":2,\"error\":{}") } },
	{ "D152", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/list\""), ">" RPC("\"id\":2,\"error\":{\"code\":-1}") } },
	{ "D152", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/list\""), ">" RPC("\"id\":2,\"error\":{\"code\":-1,\"message\":\"\"}") } },
	{ "D152", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/list\""), ">" RPC("\"id\":2,\"error\":{\"code\":-1,\"message\":{\"a\":1}}") } },
	{ "", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/list\""), ">" RPC("\"id\":2,\"error\":{\"code\":-1,\"message\":\"no\"}") } },
	{ "", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/list\""), ">" RPC("\"id\":2,\"result\":{\"tools\":[]},\"error\":null") } },
	{ "D158", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/list\""), ">" RPC("\"id\":2,\"error\":{\"code\":\"busy\",\"message\":\"no\"}") } },
	{ "D158", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/list\""), ">" RPC("\"id\":2,\"error\":{\"code\":null,\"message\":\"no\"}") } },
	{ "D158", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/list\""), ">" RPC("\"id\":2,\"error\":{\"code\":\"-32601\",\"message\":\"no\"}") } },
	{ "", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/list\""), ">" RPC("\"id\":2,\"error\":{\"code\":-32603.0,\"message\":\"no\"}") } },
	{ "", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/list\""), ">" RPC("\"id\":2,\"error\":{\"code\":7,\"message\":\"no\"}") } },
	{ "D159", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}"), ">" RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"image\",\"data\":\"data:image/png;base64,AAAA\",\"mimeType\":\"image/png\"}]}") } },
	{ "D159", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}"), ">" RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"image\",\"data\":\"AAA-_A==\",\"mimeType\":\"image/png\"}]}") } },
	{ "D159", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}"), ">" RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"image\",\"data\":\"AAAAA\",\"mimeType\":\"image/png\"}]}") } },
	{ "D159", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}"), ">" RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"image\",\"data\":5,\"mimeType\":\"image/png\"}]}") } },
	{ "D159", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}"), ">" RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"image\",\"data\":\"AA==AA\",\"mimeType\":\"image/png\"}]}") } },
	{ "D159", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}"), ">" RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"x\"},{\"type\":\"audio\",\"data\":\"/tmp/x.wav\",\"mimeType\":\"audio/wav\"}]}") } },
	{ "", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}"), ">" RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"image\",\"data\":\"iVBORw0KGgo=\",\"mimeType\":\"image/png\"}]}") } },
	{ "", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}"), ">" RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"image\",\"data\":\"iVBORw0KGgo\",\"mimeType\":\"image/png\"}]}") } },
	{ "", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}"), ">" RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"x\"},{\"type\":\"image\",\"data\":\"AA\\/+\\nAAA=\",\"mimeType\":\"image/png\"}]}") } },
	{ "P727", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}}"), ">" RPC("\"id\":2,\"result\":{\"resultType\":\"partial\",\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}") } },
	{ "P727", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}}"), ">" RPC("\"id\":2,\"result\":{\"resultType\":5,\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}") } },
	{ "", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}}"), ">" RPC("\"id\":2,\"result\":{\"resultType\":\"complete\",\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}") } },
	{ "", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}}"), ">" RPC("\"id\":2,\"result\":{\"resultType\":\"task\",\"taskId\":\"1\"}") } },
	{ "", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}}"), ">" RPC("\"id\":2,\"result\":{\"resultType\":\"input_required\",\"inputRequests\":{}}") } },
	{ "", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}"), ">" RPC("\"id\":2,\"result\":{\"resultType\":\"partial\",\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}") } },
	{ "D154", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/list\""), ">" RPC("\"id\":2,\"result\":{\"tools\":[null,{\"name\":\"a\"}]}") } },
	{ "D154", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/list\""), ">" RPC("\"id\":2,\"result\":{\"tools\":[\"self.x\",{\"name\":\"a\"},1]}") } },
	{ "D153", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/list\""), ">{\"id\":2,\"result\":{\"tools\":[]}}" } },
	{ "D153", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/list\""), ">{\"jsonrpc\":\"1.0\",\"id\":2,\"result\":{\"tools\":[]}}" } },
	{ "D153", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/list\""), ">{\"jsonrpc\":2.0,\"id\":2,\"result\":{\"tools\":[]}}" } },
	{ "P711", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}"), ">" RPC("\"id\":2,\"result\":\"done\"") } },
	{ "P711", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}"), ">" RPC("\"id\":2,\"result\":null") } },
	{ "P711", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}"), ">" RPC("\"id\":2,\"result\":true") } },
	{ "P711", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}"), ">" RPC("\"id\":2,\"result\":{}") } },
	{ "P711", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}"), ">" RPC("\"id\":2,\"result\":{\"content\":\"x\"}") } },
	{ "P711", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}"), ">" RPC("\"id\":2,\"result\":{\"content\":[\"x\"]}") } },
	{ "P711", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}"), ">" RPC("\"id\":2,\"result\":{\"content\":[{\"text\":\"x\"}]}") } },
	{ "P711", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}"), ">" RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":5}]}") } },
	{ "P711", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}"), ">" RPC("\"id\":2,\"result\":{\"structuredContent\":{}}") } },
	{ "P726", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}"), ">" RPC("\"id\":2,\"result\":{\"content\":[]}") } },
	{ "", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}"), ">" RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"image\",\"data\":\"\",\"mimeType\":\"image/png\"}]}") } },
	{ "", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}"), ">" RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"odd\"}]}") } },
	{ "", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}"), ">" RPC("\"id\":2,\"result\":{\"task\":{\"taskId\":\"1\"}}") } },
	{ "", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}"), ">" RPC("\"id\":2,\"result\":{\"resultType\":\"input_required\",\"inputRequests\":{}}") } },
	{ "P726", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}"), ">" RPC("\"id\":2,\"result\":{\"content\":[],\"isError\":false}") } },
	{ "", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}"), ">" RPC("\"id\":2,\"result\":{\"content\":[],\"isError\":true}") } },
	{ "", true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}"), ">" RPC("\"id\":2,\"result\":{\"content\":[],\"structuredContent\":{}}") } },
	{ "P712", true, { "<" RPC("\"id\":2,\"method\":\"initialize\",\"params\":{}"), ">" RPC("\"id\":2,\"result\":{}") } },
	{ "P712", true, { "<" RPC("\"id\":2,\"method\":\"initialize\",\"params\":{}"), ">" RPC("\"id\":2,\"result\":{\"protocolVersion\":20250618}") } },
	{ "P720", true, { "<" RPC("\"id\":2,\"method\":\"initialize\",\"params\":{}"), ">" RPC("\"id\":2,\"result\":{\"protocolVersion\":\"2025-06-18\",\"serverInfo\":{}}") } },
	{ "P720", true, { "<" RPC("\"id\":2,\"method\":\"initialize\",\"params\":{}"), ">" RPC("\"id\":2,\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"serverInfo\":\"s\"}") } },
	{ "", true, { "<" RPC("\"id\":2,\"method\":\"initialize\",\"params\":{}"), ">" RPC("\"id\":2,\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"serverInfo\":{}}") } },
};

/* Its reply to a notification may come when the next request waits already. */
#define BEGUN "<" RPC("\"id\":1,\"method\":\"initialize\",\"params\":{}"), ">" RPC("\"id\":1,\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"serverInfo\":{}}"), "<" RPC("\"method\":\"notifications/initialized\""), "<" RPC("\"id\":2,\"method\":\"tools/list\"")
static const struct situation to_notifications[] = {
	{ "P705", true, { BEGUN, ">" RPC("\"id\":null,\"result\":{}"), ">" RPC("\"id\":2,\"result\":{\"tools\":[]}") } },
	{ "P705", true, { BEGUN, ">" RPC("\"id\":null,\"error\":{\"code\":-32601,\"message\":\"no\"}"), ">" RPC("\"id\":2,\"result\":{\"tools\":[]}") } },
	{ "D116", true, { BEGUN, ">" RPC("\"id\":null,\"error\":{\"code\":-32700,\"message\":\"no\"}") } },
	{ "D116", true, { BEGUN, ">" RPC("\"id\":null,\"result\":{\"tools\":[]}") } },
	{ "P705 D116", true, { BEGUN, ">" RPC("\"id\":null,\"result\":{}"), ">" RPC("\"id\":null,\"result\":{}") } },
};

/* A server that forgot the session is initialized anew; that is a new one. */
#define ANEW "<" RPC("\"id\":3,\"method\":\"initialize\",\"params\":{}"), ">" RPC("\"id\":3,\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"serverInfo\":{}}")
static const struct situation anew = { "", true, { BEGUN, ">" RPC("\"id\":2,\"result\":{\"tools\":[]}"), ANEW } };
static const struct situation again = { "B220", true, { BEGUN, ">" RPC("\"id\":2,\"result\":{\"tools\":[]}"), ANEW } };
/* clang-format on */

/* Only a program prints beside its messages. */
static void over_http(void **state)
{
	const struct situation s = { "D143",
				     true,
				     { ">Listening on port 3000" } };
	const struct diag_about about = { .bare = true };

	(void)state;
	run(&s, LEG_HTTP, &about);
	run(&anew, LEG_HTTP, &about);
	run(&again, LEG_STDIO, &about);
}

/* A thousand notifications within a second, and the same within an hour. */
static void flood(void **state)
{
	const struct diag_about about = { .board = true };
	const char *line = ">" MCP(RPC("\"method\":\"notifications/x\""));

	(void)state;
	for (int64_t step = 100; step <= 3600000; step *= 36000) {
		struct diag d = { .about = about };
		int64_t now = 5000000;

		for (int i = 0; i < 1500; i++) {
			feed_line(&d, line, &now, LEG_WS);
			now += step - 1000;
		}
		assert_int_equal(diag_count(&d, D148), step == 100);
		diag_done(&d);
	}
}

/* A board elsewhere in the network; addresses of its own, or ours, or none. */
static void addresses_at_a_broker(void **state)
{
	static const struct {
		const char *host, *code;
	} offers[] = { { "127.0.0.1", "M407" },
		       { "0.0.0.0", "M407" },
		       { "host.docker.internal", "M407" },
		       { "192.168.1.2", "" },
		       { "bench.example", "" } };
	const struct diag_about about = {
		.board = true,
		.standby = true,
		.from = { .board = "192.168.1.40:5000" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(offers); i++) {
		CLEANUP(mem_free_ptr)
		char *hello = mem_printf(
			"<{\"type\":\"hello\",\"transport\":\"udp\",\"session_id\":\"a\",\"udp\":{\"server\":\"%s\",\"port\":1,\"key\":\"00112233445566778899aabbccddeeff\",\"nonce\":\"00112233445566778899aabbccddeeff\"}}",
			offers[i].host);
		CLEANUP(mem_free_ptr)
		char *opened = mem_printf(
			"<{\"type\":\"mcp\",\"payload\":{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"capabilities\":{\"vision\":{\"url\":\"http://%s:8003/\"}}}}}",
			offers[i].host);
		const struct situation udp = { offers[i].code,
					       true,
					       { hello } };
		const struct situation vision = { *offers[i].code ? "V506" : "",
						  true,
						  { opened } };

		const struct situation fine = { "", true, { hello } };
		const struct diag_about same = {
			.board = true,
			.standby = true,
			.from = { .asked = "mqtt://u@127.0.0.1:1883/id" },
		};

		run(&udp, LEG_MQTT, &about);
		run(&vision, LEG_MQTT, &about);
		run(&fine, LEG_MQTT, &same);
	}
}

static void over_mqtt(void **state)
{
	const struct diag_about about = { .board = true, .standby = true };

	(void)state;
	for (size_t i = 0; i < COUNT(at_a_broker); i++)
		run(&at_a_broker[i], LEG_MQTT, &about);
}

static void plain(void **state)
{
	const struct diag_about about = { .bare = true };

	(void)state;
	for (size_t i = 0; i < COUNT(plain_servers); i++)
		run(&plain_servers[i], LEG_STDIO, &about);
	for (size_t i = 0; i < COUNT(answers); i++)
		run(&answers[i], LEG_STDIO, &about);
	for (size_t i = 0; i < COUNT(to_notifications); i++)
		run(&to_notifications[i], LEG_STDIO, &about);
}

static void read_before(void **state)
{
	handed_over = true;
	over_websocket(state);
	over_mqtt(state);
	plain(state);
	handed_over = false;
}

/* A finding in full: its words, and the bytes that prove it (NULL: none). */
struct spoken {
	const char *detail, *at;
	struct situation s;
};

#define SAYS_HELLO(members) "<{\"type\":\"hello\"" members "}"
#define HEARS(frame)              \
	{                         \
		NULL, false,      \
		{                 \
			"<" frame \
		}                 \
	}
#define ANSWERED(frame)                          \
	{                                        \
		NULL, false,                     \
		{                                \
			"<" CALL("2"), ">" frame \
		}                                \
	}
#define AT_FIRST(...)                          \
	{                                      \
		NULL, true,                    \
		{                              \
			">" HELLO, __VA_ARGS__ \
		}                              \
	}
#define TEXT_RESULT(more)                                                                \
	RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\"}]" more \
	    "}")

/* clang-format off */
static const struct spoken words_of_boards[] = {
	/* of the backend */
	{ "B225 from byte 0 on", "h", HEARS("hello?") },
	{ "B225 from byte 0 on", NULL, HEARS("") },
	{ "B225 from byte 8 on", "}", HEARS("{\"type\":}") },
	{ "B226 the device ignores it", NULL, HEARS("{\"session_id\":\"S1\"}") },
	{ "B226 the device ignores it", NULL, HEARS("{\"session_id\":\"S1\",\"type\":7}") },
	{ "B219 the device ignores it", "\"x\"", HEARS("{\"session_id\":\"S1\",\"type\":\"mcp\",\"payload\":\"x\"}") },
	{ "B211 it has none", NULL, HEARS("{\"type\":\"mcp\",\"payload\":" RPC("\"id\":2,\"method\":\"tools/list\"") "}") },
	{ "B211 it is called sessionId", "\"S1\"", HEARS("{\"sessionId\":\"S1\",\"type\":\"mcp\",\"payload\":" RPC("\"id\":2,\"method\":\"tools/list\"") "}") },
	{ "B211 it is empty", "\"\"", HEARS("{\"session_id\":\"\",\"type\":\"mcp\",\"payload\":" RPC("\"id\":2,\"method\":\"tools/list\"") "}") },
	{ "B211 it is another than the server hello gave", "\"S12\"", HEARS("{\"session_id\":\"S12\",\"type\":\"mcp\",\"payload\":" RPC("\"id\":2,\"method\":\"tools/list\"") "}") },
	{ "B216 a batch", MCP("[]"), HEARS(MCP("[]")) },
	{ "B216 no \"jsonrpc\":\"2.0\"", NULL, HEARS(MCP("{\"id\":2,\"method\":\"tools/list\"}")) },
	{ "B216 params is null", "null", HEARS(MCP(RPC("\"id\":2,\"method\":\"tools/list\",\"params\":null"))) },
	{ "B218 a message without a method", "2", HEARS(MCP(RPC("\"id\":2,\"result\":{}"))) },
	{ "B217 'result' beside the method", "null", HEARS(MCP(RPC("\"id\":2,\"method\":\"tools/list\",\"result\":null"))) },
	{ "B217 'error' beside the method", "{}", HEARS(MCP(RPC("\"id\":2,\"method\":\"tools/list\",\"error\":{}"))) },
	{ "B215 id null", "null", HEARS(CALL("null")) },
	{ "B215 id 2.5 is no whole number within 32 bits", "2.5", HEARS(CALL("2.5")) },
	{ "B215 id -2.5 is no whole number within 32 bits", "-2.5", HEARS(CALL("-2.5")) },
	{ "B215 there is no id", "\"tools/list\"", HEARS(MCP(RPC("\"method\":\"tools/list\""))) },
	{ "B212 some relays lose the reply", "0", HEARS(CALL("0")) },
	{ "B214 id 1 was initialize, answered", "1", HEARS(CALL("1")) },
	{ "B214 id 2 was self.x, not answered yet", "2", { NULL, false, { "<" CALL("2"), "<" CALL("2") } } },
	{ "B220 on one connection", "\"initialize\"", HEARS(MCP(RPC("\"id\":2,\"method\":\"initialize\",\"params\":{}"))) },
	{ "B223 it answers with an error", "\"ping\"", HEARS(MCP(RPC("\"id\":2,\"method\":\"ping\""))) },
	{ "B224 \"resources/list\"", "\"resources/list\"", HEARS(MCP(RPC("\"id\":2,\"method\":\"resources/list\""))) },
	{ "B233 \"cursor\":\"\"", "\"\"", HEARS(MCP(RPC("\"id\":2,\"method\":\"tools/list\",\"params\":{\"cursor\":\"\"}"))) },
	{ "B233 \"cursor\":null", "null", HEARS(MCP(RPC("\"id\":2,\"method\":\"tools/list\",\"params\":{\"cursor\":null}"))) },
	{ "B243 initialize gave no vision address", "\"self.camera.take_photo\"", HEARS(MCP(RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"self.camera.take_photo\"}"))) },
	{ "B227 one is enough", "\"hello\"", HEARS(WELCOME) },
	{ "B207 \"tts\"", "\"tts\"", { NULL, true, { "<{\"type\":\"tts\"}" } } },
	{ "B201 the device answers when the hello came, or never", "\"initialize\"", AT_FIRST("<" INIT) },
	{ "B208 the device answers when the hello came", "\"tools/list\"", AT_FIRST("<" MCP(RPC("\"id\":2,\"method\":\"tools/list\""))) },
	{ "B221 the device knows no vision address", "\"tools/list\"", AT_FIRST("<" WELCOME, "<" MCP(RPC("\"id\":2,\"method\":\"tools/list\""))) },
	{ "B202 firmware up to 2.4.2 restarts, later one ignores the hello", "\"hello\"", AT_FIRST(SAYS_HELLO(",\"session_id\":\"S1\"")) },
	{ "B210 \"udp\" instead of \"websocket\": the device ignores it", "\"udp\"", AT_FIRST(SAYS_HELLO(",\"transport\":\"udp\",\"session_id\":\"S1\"")) },
	{ "B203 the device keeps the old one", NULL, AT_FIRST(SAYS_HELLO(",\"transport\":\"websocket\"")) },
	{ "B203 the device keeps the old one", "\"\"", AT_FIRST(SAYS_HELLO(",\"transport\":\"websocket\",\"session_id\":\"\"")) },
	{ "B203 no message with it will be JSON", "\"a\\\"b\"", AT_FIRST(SAYS_HELLO(",\"transport\":\"websocket\",\"session_id\":\"a\\\"b\"")) },
	{ "B205 \"go away\"", "go away", AT_FIRST("<go away") },
	{ "B204 \"no\"", "\"no\"", AT_FIRST("<{\"type\":\"error\",\"message\":\"no\"}") },
	{ "B204 ", NULL, AT_FIRST("<{\"type\":\"error\"}") },
	{ "B213 as the MQTT gateway and the Java server count", "10000", AT_FIRST("<" WELCOME, "<" MCP(RPC("\"id\":10000,\"method\":\"initialize\""))) },
	{ "B230 some tools stay unknown behind the cursor \"a\"", NULL, { NULL, false, { LIST("2", ""), PAGE("2", ",\"nextCursor\":\"a\"") } } },
	{ "B231 cursor \"a\"", "\"a\"", { NULL, false, { LIST("2", ""), PAGE("2", ",\"nextCursor\":\"a\""), LIST("3", "\"cursor\":\"a\""), LIST("4", "\"cursor\":\"a\""), PAGE("3", ""), PAGE("4", "") } } },
	{ "B232 the listing breaks off", "\"a\"", { NULL, false, { LIST("2", "\"withUserTools\":true"), PAGE("2", ",\"nextCursor\":\"a\""), LIST("3", "\"cursor\":\"a\""), PAGE("3", "") } } },
	{ "B222 firmware does not mind", NULL, { NULL, true, { ">" HELLO, "<" WELCOME, "<" INIT, ">" INIT_DONE, LIST("2", ""), PAGE("2", "") } } },
	/* of the device */
	{ "D101 hello has no features", NULL, { NULL, true, { ">{\"type\":\"hello\",\"version\":1}" } } },
	{ "D101 features has no mcp", "{}", { NULL, true, { ">{\"type\":\"hello\",\"version\":1,\"features\":{}}" } } },
	{ "D101 features.mcp is not true", "false", { NULL, true, { ">{\"type\":\"hello\",\"version\":1,\"features\":{\"mcp\":false}}" } } },
	{ "D103 \"udp\" instead of \"websocket\"", "\"udp\"", { NULL, true, { ">{\"type\":\"hello\",\"version\":1,\"transport\":\"udp\",\"features\":{\"mcp\":true}}" } } },
	{ "D104 hello says 3, the header 1", "3", { NULL, true, { ">{\"type\":\"hello\",\"version\":3,\"features\":{\"mcp\":true}}" } } },
	{ "D142 2 times by now", "\"hello\"", { NULL, false, { ">" HELLO, "<" WELCOME } } },
	{ "D116 id 7, while self.x waits", "7", ANSWERED(RESULT("7")) },
	{ "D116 id none, while self.x waits", NULL, ANSWERED(MCP(RPC("\"result\":{}"))) },
	{ "D116 id 7, while self.x waits: \"no\"", "7", ANSWERED(MCP(RPC("\"id\":7,\"error\":{\"code\":1,\"message\":\"no\"}"))) },
	{ "D115 id 7", "7", { NULL, false, { ">" RESULT("7") } } },
	{ "D115 id 7: \"no\"", "7", { NULL, false, { ">" MCP(RPC("\"id\":7,\"error\":{\"code\":1,\"message\":\"no\"}")) } } },
	{ "D114 id \"2\" (self.x) is a text", "\"2\"", ANSWERED(RESULT("\"2\"")) },
	{ "D114 id 2.0 (self.x) is no whole number", "2.0", ANSWERED(RESULT("2.0")) },
	{ "D123 id 2 (self.x), 1 ms after the first", "2", { NULL, false, { "<" CALL("2"), ">" RESULT("2"), ">" RESULT("2") } } },
	{ "B250 id 2 (self.x), late by 1 ms", "2", { NULL, false, { "<" CALL("2"), "!2", ">" RESULT("2") } } },
	{ "D122 id 3 (self.x) before id 2 (self.x)", "2", { NULL, false, { "<" CALL("2"), "<" CALL("3"), ">" RESULT("3"), ">" RESULT("2") } } },
	{ "D127 id 2 (self.x): the error counts", "{\"code\":1,\"message\":\"no\"}", ANSWERED(MCP(RPC("\"id\":2,\"result\":{},\"error\":{\"code\":1,\"message\":\"no\"}"))) },
	{ "D140 firmware up to 2.4.2: harmless", "{\"message\":\"no\"}", ANSWERED(MCP(RPC("\"id\":2,\"error\":{\"message\":\"no\"}"))) },
	{ "B240 self.x", "\"Unknown tool: self.x\"", ANSWERED(MCP(RPC("\"id\":2,\"error\":{\"code\":1,\"message\":\"Unknown tool: self.x\"}"))) },
	{ "B241 self.x: Missing valid argument: r", "\"Missing valid argument: r\"", ANSWERED(MCP(RPC("\"id\":2,\"error\":{\"code\":1,\"message\":\"Missing valid argument: r\"}"))) },
	{ "B241 self.x: Missing required argument: r", "\"Missing required argument: r\"", ANSWERED(MCP(RPC("\"id\":2,\"error\":{\"code\":1,\"message\":\"Missing required argument: r\"}"))) },
	{ "B241 self.x: Invalid type for argument: r", "\"Invalid type for argument: r\"", ANSWERED(MCP(RPC("\"id\":2,\"error\":{\"code\":1,\"message\":\"Invalid type for argument: r\"}"))) },
	/* 80 bytes of it at most, and no part of a character */
	{ "B241 self.x: Missing valid argument: 1234567890123456789012345678901234567890123456789012345", "\"Missing valid argument: 1234567890123456789012345678901234567890123456789012345", ANSWERED(MCP(RPC("\"id\":2,\"error\":{\"code\":1,\"message\":\"Missing valid argument: 1234567890123456789012345678901234567890123456789012345图\"}"))) },
	{ "D106 nextCursor \"a\" again", "\"a\"", { NULL, false, { LIST("2", ""), PAGE("2", ",\"nextCursor\":\"a\""), LIST("3", "\"cursor\":\"a\""), PAGE("3", ",\"nextCursor\":\"a\"") } } },
	{ "D107 some backends begin anew at it", "\"\"", { NULL, false, { LIST("2", ""), PAGE("2", ",\"nextCursor\":\"\"") } } },
	{ "D146 nextCursor \"a\"", "\"a\"", { NULL, false, { LIST("2", ""), ">" MCP(RPC("\"id\":2,\"result\":{\"tools\":[],\"nextCursor\":\"a\"}")) } } },
	{ "D119 in the result of self.x", "\\", ANSWERED(MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\\u202e\"}],\"isError\":false}"))) },
	{ "D126 self.x: it is none", "{\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}", ANSWERED(MCP(TEXT_RESULT(""))) },
	{ "D126 self.x: \"false\"", "\"false\"", ANSWERED(MCP(TEXT_RESULT(",\"isError\":\"false\""))) },
	{ "D139 self.x: 0 items", "[]", ANSWERED(MCP(RPC("\"id\":2,\"result\":{\"content\":[],\"isError\":false}"))) },
	{ "D139 self.x: 0 items", "{\"isError\":false}", ANSWERED(MCP(RPC("\"id\":2,\"result\":{\"isError\":false}"))) },
	{ "D139 self.x: 2 items", "[{},{}]", ANSWERED(MCP(RPC("\"id\":2,\"result\":{\"content\":[{},{}],\"isError\":false}"))) },
	{ "D139 self.x: [{\"type\":\"text\"}]", "[{\"type\":\"text\"}]", ANSWERED(MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\"}],\"isError\":false}"))) },
	{ "D128 self.x", "\"{}\"", ANSWERED(MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"image\",\"image\":\"{}\"}],\"isError\":false}"))) },
	{ "D129 self.x", "\"{\\\"success\\\":false}\"", ANSWERED(MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"success\\\":false}\"}],\"isError\":false}"))) },
	{ "D124 byte 8: it ends too early, in answer to self.x", NULL, ANSWERED("{\"id\":2,") },
	{ "D125 from byte 1 on", "\xff", ANSWERED("a\xff") },
	{ "D143 neither an object nor a list", "7", ANSWERED("7") },
	{ "D143 mcp without a payload object", "7", ANSWERED("{\"type\":\"mcp\",\"payload\":7}") },
	{ "D143 " NOT_A_MESSAGE, "{\"type\":\"mcp\",\"payload\":{}}", ANSWERED("{\"type\":\"mcp\",\"payload\":{}}") },
	{ "D143 " NOT_A_MESSAGE, "{\"a\":1}", ANSWERED("{\"a\":1}") },
	{ "D143 " NOT_A_MESSAGE, "{\"a\":1}", ANSWERED(" \n{\"a\":1}\n") },
	{ "D143 an empty batch", "[]", ANSWERED("[]") },
	{ "D143 an envelope inside a batch", "{\"type\":\"x\"}", ANSWERED("[{\"type\":\"x\"}]") },
	{ "D143 a batch inside a batch", "[1]", ANSWERED("[[1]]") },
	{ "D143 " NOT_A_MESSAGE, "{\"a\":1}", ANSWERED("[{\"a\":1}]") },
	{ "D137 \"notifications/x\" has the id 9", "9", ANSWERED(MCP(RPC("\"id\":9,\"method\":\"notifications/x\""))) },
};

#define UDP(members) { NULL, true, { "<{\"type\":\"hello\",\"transport\":\"udp\",\"session_id\":\"a\"" members "}" } }
#define HEX "00112233445566778899aabbccddEEFF"
/* Keys are no bytes to show. */
#define STARS "********************************"
static const struct spoken words_at_brokers[] = {
	{ "B202 the device ignores it", "\"hello\"", { NULL, true, { SAYS_HELLO(",\"session_id\":\"a\"") } } },
	{ "B210 \"websocket\" instead of \"udp\": the device ignores it", "\"websocket\"", { NULL, true, { SAYS_HELLO(",\"transport\":\"websocket\",\"session_id\":\"a\"") } } },
	{ "M407 there is no udp object", NULL, UDP("") },
	{ "M407 there is no udp object", "7", UDP(",\"udp\":7") },
	{ "M407 udp.server is missing", "{\"port\":1}", UDP(",\"udp\":{\"port\":1}") },
	{ "M407 udp.server is missing", "{\"server\":\"\",\"port\":1}", UDP(",\"udp\":{\"server\":\"\",\"port\":1}") },
	{ "M407 udp.port is no number of 1 to 65535", "{\"server\":\"h\",\"port\":\"1\"}", UDP(",\"udp\":{\"server\":\"h\",\"port\":\"1\"}") },
	{ "M407 udp.port is no number of 1 to 65535", "{\"server\":\"h\",\"port\":0}", UDP(",\"udp\":{\"server\":\"h\",\"port\":0}") },
	{ "M407 udp.port is no number of 1 to 65535", "{\"server\":\"h\",\"port\":65536}", UDP(",\"udp\":{\"server\":\"h\",\"port\":65536}") },
	{ "M407 udp.key is not 32 hex digits", "{\"server\":\"h\",\"port\":65535,\"key\":\"**\"}", UDP(",\"udp\":{\"server\":\"h\",\"port\":65535,\"key\":\"00\"}") },
	{ "M407 udp.key is not 32 hex digits", "{\"server\":\"h\",\"port\":1,\"key\":\"" STARS "\"}", UDP(",\"udp\":{\"server\":\"h\",\"port\":1,\"key\":\"g0112233445566778899aabbccddeeff\"}") },
	{ "M407 udp.nonce is not 32 hex digits", "{\"server\":\"h\",\"port\":1,\"key\":\"" STARS "\",\"nonce\":\"*******", UDP(",\"udp\":{\"server\":\"h\",\"port\":1,\"key\":\"" HEX "\",\"nonce\":\"" HEX "0\"}") },
	{ "M407 udp.nonce is not 32 hex digits", "{\"server\":\"h\",\"port\":1,\"key\":\"******\",\"nonce\":\"" STARS "\"", UDP(",\"udp\":{\"server\":\"h\",\"port\":1,\"key\":\"***key\",\"nonce\":\"0011223344556677889-aabbccddeefg\"}") },
	{ "M408 the device ignores it", "\"b\"", { NULL, true, { "<{\"type\":\"hello\",\"transport\":\"udp\",\"session_id\":\"a\",\"udp\":{\"server\":\"h\",\"port\":1,\"key\":\"" HEX "\",\"nonce\":\"***nonce\"}}", "<{\"type\":\"goodbye\",\"session_id\":\"b\"}" } } },
};

#define ASKED(method, rest) { NULL, true, { HELD, "<" RPC("\"id\":2,\"method\":\"" method "\",\"params\":{\"name\":\"a\"}"), ">" rest } }
#define OPENED(rest) { NULL, true, { "<" RPC("\"id\":2,\"method\":\"initialize\",\"params\":{}"), ">" RPC("\"id\":2," rest) } }
static const struct spoken words_of_servers[] = {
	{ "P702 no JSON from byte 0 on", "L", { NULL, true, { ">Listening on port 3000" } } },
	{ "P719 id 6f1c, in answer to initialize", "6f1c", { NULL, true, { "<" RPC("\"id\":\"6f1c\",\"method\":\"initialize\",\"params\":{}"), ">" RPC("\"id\":6f1c,\"result\":{}") } } },
	{ "D114 id 7 (ping) is a number, and was a text", "7", { NULL, true, { HELD, "<" RPC("\"id\":\"7\",\"method\":\"ping\""), ">" RPC("\"id\":7,\"result\":{}") } } },
	{ "B221 a server may refuse them", "\"tools/call\"", { NULL, true, { "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{}") } } },
	{ "D150 \"nextCursor\":2", "2", ASKED("tools/list", RPC("\"id\":2,\"result\":{\"tools\":[],\"nextCursor\":2}")) },
	{ "D151 the result is {}", "{}", ASKED("tools/list", RPC("\"id\":2,\"result\":{}")) },
	{ "D151 tools is null", "null", ASKED("tools/list", RPC("\"id\":2,\"result\":{\"tools\":null}")) },
	{ "D152 \"error\":\"busy\"", "\"busy\"", ASKED("tools/list", RPC("\"id\":2,\"error\":\"busy\"")) },
	{ "D152 \"message\":\"\"", "\"\"", ASKED("tools/list", RPC("\"id\":2,\"error\":{\"code\":-1,\"message\":\"\"}")) },
	{ "D153 there is none", "2", ASKED("tools/list", "{\"id\":2,\"result\":{\"tools\":[]}}") },
	{ "D153 \"jsonrpc\":\"1.0\"", "\"1.0\"", ASKED("tools/list", "{\"jsonrpc\":\"1.0\",\"id\":2,\"result\":{\"tools\":[]}}") },
	{ "D158 \"code\":\"busy\"", "\"busy\"", ASKED("tools/list", RPC("\"id\":2,\"error\":{\"code\":\"busy\",\"message\":\"no\"}")) },
	{ "D154 null", "null", ASKED("tools/list", RPC("\"id\":2,\"result\":{\"tools\":[null,{\"name\":\"a\"}]}")) },
	{ "D154 \"self.x\", and more", "\"self.x\"", ASKED("tools/list", RPC("\"id\":2,\"result\":{\"tools\":[\"self.x\",{\"name\":\"a\"},1]}")) },
	{ "D159 a: data is 5", "5", ASKED("tools/call", RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"image\",\"data\":5}]}")) },
	{ "D159 a: data is \"data:image/png;base64,AAAA\" (a data: URL)", "\"data:image/png;base64,AAAA\"", ASKED("tools/call", RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"image\",\"data\":\"data:image/png;base64,AAAA\"}]}")) },
	{ "P711 a: the result is \"done\"", "\"done\"", ASKED("tools/call", RPC("\"id\":2,\"result\":\"done\"")) },
	{ "P711 图图图图图图图图: the result is \"done\"", "\"done\"", { NULL, true, { HELD, "<" RPC("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"图图图图图图图图图图\"}"), ">" RPC("\"id\":2,\"result\":\"done\"") } } },
	{ "P711 a: content is \"x\"", "\"x\"", ASKED("tools/call", RPC("\"id\":2,\"result\":{\"content\":\"x\"}")) },
	{ "P726 a", "[]", ASKED("tools/call", RPC("\"id\":2,\"result\":{\"content\":[]}")) },
	{ "P705 it has no id", "{}", { NULL, true, { HELD, ">" RPC("\"id\":null,\"result\":{}") } } },
	{ "P701 it answers with 1999-01-01", "\"1999-01-01\"", OPENED("\"result\":{\"protocolVersion\":\"1999-01-01\",\"capabilities\":{},\"serverInfo\":{}}") },
	{ "P701 it answers with 2025-06-18-and-whatever-stands-behind-it", "\"2025-06-18-and-whatever-stands-behind-it\"", OPENED("\"result\":{\"protocolVersion\":\"2025-06-18-and-whatever-stands-behind-it\",\"capabilities\":{},\"serverInfo\":{}}") },
	{ "P712 there is no protocolVersion", "{}", OPENED("\"result\":{}") },
	{ "P712 protocolVersion is no text", "20250618", OPENED("\"result\":{\"protocolVersion\":20250618}") },
	{ "P720 it has no object capabilities", "{\"protocolVersion\":\"2025-06-18\",\"serverInfo\":{}}", OPENED("\"result\":{\"protocolVersion\":\"2025-06-18\",\"serverInfo\":{}}") },
	{ "P720 it has no object serverInfo", "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{}}", OPENED("\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{}}") },
	{ "P717 工具端未连接", "\"工具端未连接\"", OPENED("\"error\":{\"code\":-32001,\"message\":\"工具端未连接\"}") },
};
/* clang-format on */

static void assert_spoken(const struct spoken *w, enum diag_leg leg,
			  const struct diag_about *about)
{
	struct diag d = { .about = *about };
	const struct finding *f;
	CLEANUP(buf_done) struct buf said = { 0 };
	int64_t now = 0;

	for (size_t i = 0; !w->s.alone && opening[i]; i++)
		feed_line(&d, opening[i], &now, leg);
	for (size_t i = 0; i < COUNT(w->s.lines) && w->s.lines[i]; i++)
		feed_line(&d, w->s.lines[i], &now, leg);
	diag_end(&d);
	f = d.item;
	if (!d.count)
		fail_msg("nothing instead of '%s'", w->detail);
	buf_printf(&said, "%s %s", finding_row(f->code)->code, f->detail);
	assert_string_equal(buf_string(&said), w->detail);
	if (f->proof.len != (w->at ? strlen(w->at) : 0) ||
	    (w->at &&
	     memcmp(f->proof.text + f->proof.off, w->at, f->proof.len) != 0))
		fail_msg("'%.*s' proves %s", (int)f->proof.len,
			 f->proof.text + f->proof.off, w->detail);
	diag_done(&d);
}

static void says_what_and_where(void **state)
{
	const struct diag_about board = { .board = true,
					  .protocol_version = 1 };
	const struct diag_about at_broker = { .board = true, .standby = true };
	const struct diag_about server = { .bare = true };

	(void)state;
	for (size_t i = 0; i < COUNT(words_of_boards); i++)
		assert_spoken(&words_of_boards[i], LEG_WS, &board);
	for (size_t i = 0; i < COUNT(words_at_brokers); i++)
		assert_spoken(&words_at_brokers[i], LEG_MQTT, &at_broker);
	for (size_t i = 0; i < COUNT(words_of_servers); i++)
		assert_spoken(&words_of_servers[i], LEG_STDIO, &server);
}

/* Where it stands: the bytes of the frame, and which of them. */
static void proof_shows_it(void **state)
{
	struct diag d = { .about = { .board = true } };
	int64_t now = 0;
	const struct finding *f;

	(void)state;
	for (size_t i = 0; opening[i]; i++)
		feed_line(&d, opening[i], &now, LEG_WS);
	feed_line(&d, "<" CALL("\"a\""), &now, LEG_WS);
	feed_line(&d, "<" CALL("\"a\""), &now, LEG_WS);
	f = diag_finding(&d, B215);
	assert_non_null(f);
	assert_int_equal(f->count, 2);
	assert_int_equal(f->proof.n, 6);
	assert_false(f->proof.from_device);
	assert_int_equal(f->proof.size, strlen(CALL("\"a\"")));
	assert_int_equal(f->proof.len, 3);
	assert_memory_equal(f->proof.text + f->proof.off, "\"a\"", 3);
	assert_string_equal(f->detail, "id \"a\" is a text");
	assert_int_equal(f->first_us + 1000, f->last_us);
	assert_int_equal(diag_worst(&d), SEVERITY_ERROR);
	diag_done(&d);
}

static void feed_at(struct diag *d, bool from_device, enum diag_kind kind,
		    const char *data, size_t len, int64_t at)
{
	const struct diag_frame f = { .at_us = at,
				      .kind = kind,
				      .from_device = from_device,
				      .data = data,
				      .len = len };

	diag_feed(d, &f);
}

/* Six seconds are too long for the gateway's interface, and for no other. */
static void slow_answers(void **state)
{
	struct diag d = { .about = { .board = true } };
	int64_t now = 0;

	(void)state;
	for (size_t i = 0; opening[i]; i++)
		feed_line(&d, opening[i], &now, LEG_WS);
	for (int round = 0; round < 2; round++) {
		feed_at(&d, false, FRAME_IS_TEXT, CALL("2"), strlen(CALL("2")),
			now);
		now += round == 0 ? 4900000 : 6200000;
		feed_at(&d, true, FRAME_IS_TEXT, RESULT("2"),
			strlen(RESULT("2")), now);
		assert_int_equal(diag_count(&d, D131), round);
	}
	assert_string_equal(
		diag_finding(&d, D131)->detail,
		"self.x took 6.2 s; the MQTT gateway's HTTP API gives up after 5 s");
	diag_done(&d);
	facts_forget();
}

/* Version 3 has a head of four bytes with the length in it. */
static void binary_frames(void **state)
{
	struct diag d = { .about = { .board = true } };
	static const char hello[] =
		"{\"type\":\"hello\",\"version\":3,\"features\":{\"mcp\":true}}";

	(void)state;
	feed_at(&d, true, FRAME_IS_TEXT, hello, strlen(hello), 1);
	feed_at(&d, true, FRAME_IS_BINARY, "\0\0\0\2ab", 6, 2);
	feed_at(&d, false, FRAME_IS_BINARY, "\0\0\0\2ab", 6, 3);
	assert_int_equal(d.count, 0);
	feed_at(&d, true, FRAME_IS_BINARY, "\0\0\0\3ab", 6, 4);
	assert_int_equal(diag_count(&d, D144), 1);
	feed_at(&d, false, FRAME_IS_BINARY, "\0\0\0\3ab", 6, 5);
	assert_int_equal(diag_count(&d, B263), 1);
	diag_done(&d);
	/* Of version 1 all is sound that is no message. */
	d = (struct diag){ .about = { .board = true } };
	feed_at(&d, true, FRAME_IS_BINARY, "{\"a\"", 4, 1);
	feed_at(&d, true, FRAME_IS_BINARY, "7", 1, 2);
	feed_at(&d, true, FRAME_IS_BINARY, "", 0, 3);
	assert_int_equal(d.count, 0);
	feed_at(&d, true, FRAME_IS_BINARY, "{}", 2, 4);
	assert_int_equal(diag_count(&d, D143), 1);
	diag_done(&d);
	/* Of a server there is no sound. */
	d = (struct diag){ .about = { .bare = true } };
	feed_at(&d, true, FRAME_IS_BINARY, "{}", 2, 1);
	assert_int_equal(diag_count(&d, D143), 1);
	assert_string_equal(diag_finding(&d, D143)->detail,
			    "a binary frame, where messages are text");
	diag_done(&d);
}

/* Above what gateways take, and what the local port does. */
static void large_frames(void **state)
{
	struct diag d = { .about = { .board = true, .bare = true } };
	size_t len = 9000;
	char *text = mem_zalloc(len + 1);
	const struct diag_frame f = {
		.leg = LEG_LOCAL, .from_device = false, .data = text, .len = len
	};

	(void)state;
	memset(text, ' ', len);
	memcpy(text, RPC("\"id\":1,\"method\":\"initialize\""),
	       strlen(RPC("\"id\":1,\"method\":\"initialize\"")));
	diag_feed(&d, &f);
	assert_int_equal(diag_count(&d, B252), 1);
	assert_int_equal(diag_count(&d, B253), 1);
	memset(text, ' ', len);
	memcpy(text, RPC("\"id\":1,\"result\":{}"),
	       strlen(RPC("\"id\":1,\"result\":{}")));
	feed_at(&d, true, FRAME_IS_TEXT, text, len, 1);
	assert_int_equal(diag_count(&d, D120), 1);
	assert_int_equal(d.count, 3);
	mem_free(text);
	diag_done(&d);
}

#define SAYS(d, from_device, text, at) \
	feed_at(d, from_device, FRAME_IS_TEXT, text, strlen(text), at)
#define LIST_AT(id) MCP(RPC("\"id\":" id ",\"method\":\"tools/list\""))

/* What runs no tool is late, and a wake word came before: not without it. */
static void late_behind_listen(void **state)
{
	static const char listen[] =
		"{\"session_id\":\"S1\",\"type\":\"listen\",\"state\":\"start\"}";
	struct diag d = { .about = { .board = true } };
	int64_t now = 0;

	(void)state;
	for (size_t i = 0; opening[i]; i++)
		feed_line(&d, opening[i], &now, LEG_WS);
	SAYS(&d, true, listen, 2000000);
	SAYS(&d, false, LIST_AT("2"), 3000000);
	SAYS(&d, true, MCP(RPC("\"id\":2,\"result\":{\"tools\":[]}")), 5000000);
	SAYS(&d, false, CALL("3"), 6000000);
	SAYS(&d, true, listen, 7000000);
	SAYS(&d, true, RESULT("3"), 8000000);
	SAYS(&d, false, LIST_AT("4"), 9000000);
	SAYS(&d, true, listen, 9100000);
	SAYS(&d, true, MCP(RPC("\"id\":4,\"result\":{\"tools\":[]}")), 9900000);
	assert_int_equal(d.count, 0);
	SAYS(&d, false, LIST_AT("5"), 10000000);
	SAYS(&d, true, listen, 10100000);
	SAYS(&d, true, MCP(RPC("\"id\":5,\"result\":{\"tools\":[]}")),
	     11500000);
	assert_int_equal(d.count, 1);
	assert_int_equal(d.item[0].code, D141);
	assert_string_equal(d.item[0].detail, "id 5 (tools/list) took 1.5 s");
	assert_int_equal(d.item[0].proof.n, d.frames);
	diag_done(&d);
}

#define ASKS(id, method) \
	MCP(RPC("\"id\":" id ",\"method\":\"" method "\",\"params\":{}"))
#define LISTENS \
	"{\"session_id\":\"S1\",\"type\":\"listen\",\"state\":\"start\"}"
#define S(n) ((int64_t)((n)*1e6))

/* What is said, when, by whom; NULL: that side said what was not seen. */
struct moment {
	double at;
	char who; /* '>' the device, '<' the backend */
	const char *text;
};

static void unfold(struct diag *d, const struct moment *m)
{
	int64_t now = 0;

	for (size_t i = 0; d->about.board && opening[i]; i++)
		feed_line(d, opening[i], &now, LEG_WS);
	for (; m->who; m++) {
		if (m->text)
			SAYS(d, m->who == '>', m->text, S(m->at));
		else
			diag_missed(d, m->who == '>');
	}
}

/* clang-format off */
static const struct {
	bool plain;
	const char *detail; /* NULL: nothing is wrong */
	struct moment m[8];
} silences[] = {
	/* one that runs no tool, of any kind, and the board goes on */
	{ false, "id 2 (tools/list), for 13.5 s; it said this meanwhile",
	  { { 1, '<', ASKS("2", "tools/list") }, { 12, '>', LISTENS }, { 13, '>', LISTENS }, { 14.5, '>', LISTENS }, { 30, '>', LISTENS } } },
	{ false, "id 2 (prompts/get), for 13 s; it said this meanwhile",
	  { { 1, '<', ASKS("2", "prompts/get") }, { 2, '<', CALL("3") }, { 3, '>', RESULT("3") }, { 11.5, '>', LISTENS }, { 14, '>', LISTENS } } },
	{ false, "id 3 (self.mine), for 13.5 s; it said this meanwhile",
	  { { 1, '<', CALL("2") }, { 20, '>', RESULT("2") }, { 21, '<', ASKS("3", "self.mine") }, { 32, '>', LISTENS }, { 34.5, '>', LISTENS } } },
	/* it may be on its way; it came; nothing more was heard of the board */
	{ false, NULL, { { 1, '<', ASKS("2", "tools/list") }, { 12, '>', LISTENS }, { 13.5, '>', LISTENS } } },
	{ false, NULL, { { 1, '<', ASKS("2", "tools/list") }, { 40, '>', LISTENS }, { 40.1, '>', MCP(RPC("\"id\":2,\"result\":{\"tools\":[]}")) }, { 60, '>', LISTENS } } },
	{ false, NULL, { { 1, '<', ASKS("2", "tools/list") }, { 40, '<', ASKS("3", "tools/list") }, { 80, '<', ASKS("4", "tools/list") } } },
	/* a tool that runs for minutes, and what waits behind it, then has its time */
	{ false, NULL, { { 1, '<', CALL("2") }, { 60, '>', LISTENS }, { 120, '>', LISTENS }, { 180, '>', LISTENS } } },
	{ false, NULL, { { 1, '<', CALL("2") }, { 2, '<', ASKS("3", "tools/list") }, { 60, '>', LISTENS }, { 120, '>', LISTENS }, { 180, '>', RESULT("2") }, { 183, '>', LISTENS }, { 188, '>', LISTENS } } },
	/* a notification has none; what was not seen may be it */
	{ false, NULL, { { 1, '<', MCP(RPC("\"method\":\"notifications/x\"")) }, { 20, '>', LISTENS }, { 40, '>', LISTENS } } },
	{ false, NULL, { { 1, '<', ASKS("2", "tools/list") }, { 2, '>', NULL }, { 20, '>', LISTENS }, { 40, '>', LISTENS }, { 41, '<', CALL("3") }, { 42, '>', RESULT("3") } } },
	{ false, NULL, { { 1, '<', NULL }, { 2, '>', RESULT("9") } } },
	/* a server: what it works on is its own; a list is there at once */
	{ true, NULL, { { 1, '<', RPC("\"id\":2,\"method\":\"prompts/get\"") }, { 20, '<', RPC("\"id\":3,\"method\":\"ping\"") }, { 20.1, '>', RPC("\"id\":3,\"result\":{}") }, { 40, '<', RPC("\"id\":4,\"method\":\"ping\"") }, { 40.1, '>', RPC("\"id\":4,\"result\":{}") } } },
	{ true, NULL, { { 1, '<', RPC("\"id\":1,\"method\":\"initialize\"") }, { 20, '>', RPC("\"method\":\"notifications/message\"") }, { 40, '>', RPC("\"method\":\"notifications/message\"") } } },
	{ true, "id 1 (initialize), for 39.1 s; it said this meanwhile",
	  { { 1, '<', RPC("\"id\":1,\"method\":\"initialize\"") }, { 20, '<', RPC("\"id\":3,\"method\":\"ping\"") }, { 20.1, '>', RPC("\"id\":3,\"result\":{}") }, { 40, '<', RPC("\"id\":4,\"method\":\"ping\"") }, { 40.1, '>', RPC("\"id\":4,\"result\":{}") } } },
	{ true, NULL,
	  { { 1, '<', RPC("\"id\":1,\"method\":\"initialize\"") }, { 2, '<', RPC("\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}") }, { 20, '<', RPC("\"id\":3,\"method\":\"ping\"") }, { 20.1, '>', RPC("\"id\":3,\"result\":{}") }, { 40, '<', RPC("\"id\":4,\"method\":\"ping\"") }, { 40.1, '>', RPC("\"id\":4,\"result\":{}") } } },
};
/* clang-format on */

/* Told once; nothing of one that may yet be answered, or never is. */
static void unanswered(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(silences); i++) {
		struct diag d = { .about = { .board = !silences[i].plain,
					     .bare = silences[i].plain } };
		const struct finding *f;

		unfold(&d, silences[i].m);
		f = diag_finding(&d, D145);
		if (diag_count(&d, D145) != (silences[i].detail ? 1u : 0u))
			fail_msg("case %zu: %s", i, f ? f->detail : "nothing");
		if (f)
			assert_string_equal(f->detail, silences[i].detail);
		assert_int_equal(diag_count(&d, D122), 0);
		assert_int_equal(diag_count(&d, D115), 0);
		diag_done(&d);
	}
}

#define SPOKEN(text)                                         \
	"{\"session_id\":\"S1\",\"type\":\"tts\",\"state\":" \
	"\"sentence_start\",\"text\":\"" text "\"}"
#define NO_DETAILS "工具调用错误: 工具调用返回错误，但未提供具体错误信息"

/* The device said why; the user hears that nobody did. */
static void error_unheard(void **state)
{
	static const char failure[] =
		MCP(RPC("\"id\":2,\"result\":{\"content\":[{\"type\":\"text\","
			"\"text\":\"lamp is hot\"}],\"isError\":true}"));
	struct diag d = { .about = { .board = true } };
	int64_t now = 0;

	(void)state;
	for (size_t i = 0; opening[i]; i++)
		feed_line(&d, opening[i], &now, LEG_WS);
	SAYS(&d, false, SPOKEN(NO_DETAILS), 1000000);
	SAYS(&d, false, CALL("2"), 2000000);
	SAYS(&d, true, failure, 2010000);
	SAYS(&d, false, SPOKEN("The lamp cannot be set."), 3000000);
	SAYS(&d, false, SPOKEN(NO_DETAILS), 33000000);
	assert_int_equal(d.count, 0);
	SAYS(&d, false, CALL("3"), 34000000);
	SAYS(&d, true, RESULT("3"), 34010000);
	SAYS(&d, false, SPOKEN(NO_DETAILS), 35000000);
	assert_int_equal(d.count, 0);
	SAYS(&d, false, CALL("2"), 36000000);
	SAYS(&d, true, failure, 36010000);
	SAYS(&d, false, SPOKEN(NO_DETAILS), 37000000);
	assert_int_equal(diag_count(&d, B251), 1);
	assert_string_equal(diag_finding(&d, B251)->detail,
			    "the device said \"lamp is hot\"");
	assert_true(diag_finding(&d, B251)->proof.len > 0);
	diag_done(&d);
}

/* Only what Close says by itself; a missing Pong only where one is missing. */
static void closes(void **state)
{
	static const struct {
		int code;
		const char *words;
		unsigned pings;
		int found;
	} cases[] = {
		{ 1000, "", 0, -1 },
		{ 1000, "bye", 3, -1 },
		{ 1011, "internal error", 1, -1 },
		{ 1011, "keepalive ping timeout", 0, -1 },
		{ 1011, "keepalive ping timeout", 1, B262 },
		{ 1009, "", 0, B264 },
		{ 1008, "no such agent", 0, B265 },
		{ 0, "", 1, -1 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *words = cases[i].words;
		struct diag d = { .about = { .board = true } };

		diag_ping(&d);
		diag_pong(&d);
		for (unsigned n = 0; n < cases[i].pings; n++)
			diag_ping(&d);
		diag_close(&d, cases[i].code,
			   (struct span){ words, strlen(words) });
		assert_int_equal(d.count, cases[i].found >= 0);
		if (d.count)
			assert_int_equal(d.item[0].code, cases[i].found);
		diag_done(&d);
	}
}

/* What does not fit is cut between characters, and that can be seen. */
static void cuts_words(void **state)
{
	struct diag d = { 0 };
	CLEANUP(mem_free_ptr) char *words = mem_zalloc(601);
	const char *detail;

	(void)state;
	for (int i = 0; i < 600; i += 2)
		memcpy(words + i, "é", 2);
	diag_found(&d, N102, (struct span){ 0 }, "%s", words);
	detail = diag_finding(&d, N102)->detail;
	assert_int_equal(strlen(detail), 316 + 3);
	assert_string_equal(detail + strlen(detail) - 5, "é…");
	diag_done(&d);
}

static void cuts_what_a_peer_said(void **state)
{
	char said[80 + 2] = { 0 };
	CLEANUP(mem_free_ptr) char *line = NULL;
	struct diag d = { .about = { .board = true } };
	int64_t now = 0;

	(void)state;
	memset(said, 'x', 79);
	memcpy(said + 79, "é", sizeof("é"));
	diag_close(&d, 1008, (struct span){ said, 81 });
	assert_int_equal(strlen(diag_finding(&d, B265)->detail), 79);
	/* Nothing is read behind a NUL within it. */
	said[0] = '\0';
	diag_close(&d, 1009, (struct span){ said, 81 });
	assert_string_equal(diag_finding(&d, B264)->detail, "");
	/* A quote before it: the 60th byte is the first of "é". */
	line = mem_printf("<" CALL("\"%s\""), said + 79 - 58);
	feed_line(&d, line, &now, LEG_WS);
	assert_non_null(diag_finding(&d, B215));
	assert_true(text_is_utf8(diag_finding(&d, B215)->detail,
				 strlen(diag_finding(&d, B215)->detail)));
	diag_done(&d);
}

static void is_small(void **state)
{
	(void)state;
	assert_true(sizeof(struct diag) <= 2048);
}

/* A connection that begins anew has no past, but its findings stay. */
static void begins_anew(void **state)
{
	struct diag d = { .about = { .board = true } };
	int64_t now = 0;

	(void)state;
	for (int round = 0; round < 2; round++) {
		diag_start(&d);
		for (size_t i = 0; opening[i]; i++)
			feed_line(&d, opening[i], &now, LEG_WS);
		feed_line(&d, "<" CALL("0"), &now, LEG_WS);
	}
	assert_int_equal(d.count, 1);
	assert_int_equal(diag_count(&d, B212), 2);
	assert_int_equal(diag_worst(&d), SEVERITY_NOTE);
	diag_done(&d);
}

/* What is recorded from real firmware: exactly these, and no other. */
struct recording {
	const char *file, *codes;
};

static const struct recording recordings[] = {
	{ "firmware-2.4.2.jsonl",
	  "B223 D140 B224 D124 B241 D128 B220 B216 B215 B218 B225 B231 D119 B240" },
	{ "firmware-2.4.2-paging.jsonl", "B233 B222" },
	{ "firmware-2.4.2-websocket.jsonl", "B233 D140 B223 D122 D124" },
};

static void feed_text(struct diag *d, const char *text, bool from_device,
		      int64_t now)
{
	const struct diag_frame f = { .at_us = now,
				      .from_device = from_device,
				      .leg = d->about.bare ? LEG_LOCAL : LEG_WS,
				      .data = text,
				      .len = strlen(text) };

	diag_feed(d, &f);
}

static void feed_recorded(struct diag *d, const cJSON *line, int64_t now)
{
	const cJSON *reply;

	if (json_string(line, "send")) {
		d->about.bare = true;
		feed_text(d, json_string(line, "send"), false, now);
	}
	cJSON_ArrayForEach(reply, json_array(line, "recv")) {
		feed_text(d, reply->valuestring, true, now + 500);
	}
	if (json_string(line, "op") &&
	    strcmp(json_string(line, "op"), "text") == 0)
		feed_text(d, json_string(line, "data"),
			  strcmp(json_string(line, "dir"), "in") == 0, now);
}

static void recorded(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(recordings); i++) {
		char *path =
			mem_printf("tests/fixtures/%s", recordings[i].file);
		struct diag d = { .about = { .board = true,
					     .protocol_version = 1 } };
		struct buf found = { 0 };
		char *line = NULL;
		size_t room = 0;
		int64_t now = 0;
		FILE *in = fopen(path, "r");

		assert_non_null(in);
		while (getline(&line, &room, in) > 0) {
			cJSON *json = json_parse(line, strlen(line), NULL);

			assert_non_null(json);
			feed_recorded(&d, json, now += 1000);
			cJSON_Delete(json);
		}
		diag_end(&d);
		codes_of(&d, &found);
		if (strcmp(buf_string(&found), recordings[i].codes) != 0)
			fail_msg("%s: '%s'", path, buf_string(&found));
		fclose(in);
		free(line);
		buf_done(&found);
		diag_done(&d);
		mem_free(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(over_websocket),
		cmocka_unit_test(over_mqtt),
		cmocka_unit_test(addresses_at_a_broker),
		cmocka_unit_test(over_http),
		cmocka_unit_test(flood),
		cmocka_unit_test(plain),
		cmocka_unit_test(read_before),
		cmocka_unit_test(says_what_and_where),
		cmocka_unit_test(proof_shows_it),
		cmocka_unit_test(slow_answers),
		cmocka_unit_test(binary_frames),
		cmocka_unit_test(large_frames),
		cmocka_unit_test(late_behind_listen),
		cmocka_unit_test(unanswered),
		cmocka_unit_test(error_unheard),
		cmocka_unit_test(closes),
		cmocka_unit_test(cuts_words),
		cmocka_unit_test(cuts_what_a_peer_said),
		cmocka_unit_test(is_small),
		cmocka_unit_test(begins_anew),
		cmocka_unit_test(recorded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
