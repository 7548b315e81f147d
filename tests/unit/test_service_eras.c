/* SPDX-License-Identifier: MIT */
/*
 * What a service does before a result, and what it asks its client, in both
 * eras, from literal bytes.
 */
#include "service_harness.h"

#include "sim/service_find.h"

static const char profile[] =
	"{\"kind\":\"service\",\"name\":\"s\",\"era\":\"both\",\"cache\":{"
	"\"ttl_ms\":7,\"scope\":\"public\"},\"tools\":["
	"{\"name\":\"log\",\"steps\":[{\"log\":{\"level\":\"info\",\"data\":"
	"\"line ${n}\"},\"times\":3},{\"progress\":2,\"total\":4,\"message\":"
	"\"m\",\"times\":2}],\"result\":\"done\"},"
	"{\"name\":\"ask\",\"inputSchema\":{\"type\":\"object\",\"properties\":"
	"{\"q\":{\"type\":\"string\",\"default\":\"who\"}}},\"steps\":[{\"ask\":"
	"{\"user\":{\"method\":\"elicitation/create\",\"params\":{\"message\":"
	"\"${q}?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
	"\"name\":{\"type\":\"string\"}},\"required\":[\"name\"]}}}}}],"
	"\"result\":{\"template\":\"${answer.user.content.name} by "
	"${answer.user.action}\"}},"
	"{\"name\":\"two\",\"steps\":[{\"ask\":{\"a\":{\"method\":"
	"\"roots/list\"}}},{\"ask\":{\"b\":{\"method\":"
	"\"sampling/createMessage\",\"params\":{}}}}],\"result\":{\"template\":"
	"\"${answer.a.roots.0.uri} ${answer.b.content.text}\"}},"
	"{\"name\":\"maybe\",\"steps\":[{\"ask\":{\"a\":{\"method\":"
	"\"roots/list\",\"optional\":true},\"b\":{\"method\":"
	"\"sampling/createMessage\",\"params\":{},\"optional\":true}}}],"
	"\"result\":\"ready\"},"
	"{\"name\":\"toggle\",\"steps\":[{\"toggle\":{\"tool\":\"shy\"}},{"
	"\"updated\":\"x://1\"}],\"result\":\"toggled\"},"
	"{\"name\":\"region\",\"inputSchema\":{\"type\":\"object\","
	"\"properties\":{\"r\":{\"type\":\"string\",\"x-mcp-header\":\"R\"},"
	"\"n\":{\"type\":\"integer\",\"x-mcp-header\":\"N\"}}},\"result\":"
	"\"here\"},"
	"{\"name\":\"shy\",\"hidden\":true,\"result\":\"hello\"},"
	"{\"name\":\"url\",\"steps\":[{\"ask\":{\"u\":{\"method\":"
	"\"elicitation/create\",\"params\":{\"mode\":\"url\",\"url\":"
	"\"http://x\",\"message\":\"m\"}}}}],\"result\":\"went\"},"
	"{\"name\":\"all\",\"steps\":[{\"ask\":{\"u\":{\"method\":"
	"\"elicitation/create\",\"params\":{\"mode\":\"url\"}},\"f\":{"
	"\"method\":\"elicitation/create\",\"params\":{}},\"s\":{\"method\":"
	"\"sampling/createMessage\",\"params\":{}},\"r\":{\"method\":"
	"\"roots/list\"}}}],\"result\":\"all\"},"
	"{\"name\":\"hasty\",\"steps\":[{\"ask\":{\"r\":{\"method\":"
	"\"roots/list\"}},\"timeout_ms\":1}],\"result\":\"late\"},"
	"{\"name\":\"strict\",\"steps\":[{\"ask\":{\"r\":{\"method\":"
	"\"roots/list\"}},\"state\":true}],\"result\":\"strict\"},"
	"{\"name\":\"waits\",\"inputSchema\":{\"type\":\"object\","
	"\"properties\":{\"ms\":{}}},\"steps\":[{\"wait_ms\":\"${ms}\"}],"
	"\"result\":\"waited\"}],"
	"\"prompts\":[{\"name\":\"rich\",\"arguments\":[{\"name\":\"u\"}],"
	"\"messages\":[{\"role\":\"assistant\",\"content\":{\"type\":"
	"\"resource\",\"resource\":{\"uri\":\"${u}\",\"text\":\"t\"}}}]},"
	"{\"name\":\"asks\",\"steps\":[{\"ask\":{\"k\":{\"method\":"
	"\"roots/list\"}}}],\"text\":\"${answer.k.roots}\"}],"
	"\"resources\":[{\"uri\":\"x://1\",\"mimeType\":\"image/png\",\"blob\":"
	"\"AAEC\"}],\"templates\":[{\"uriTemplate\":\"x://{id}/{part}.txt\","
	"\"name\":\"t\",\"values\":{\"id\":[\"ab\",\"b\"]},\"text\":"
	"\"${id} of ${part}\"}]}";

/* ---- one that hears all ---- */

struct heard {
	struct buf all; /* what was told, a line each */
	char *reply;
	int status;
	bool done, deaf;
};

static void on_done(void *owner, const char *reply, size_t len)
{
	struct heard *h = owner;

	h->reply = mem_strndup(reply, len);
	h->done = true;
}

static bool on_tell(void *owner, const char *text, size_t len)
{
	struct heard *h = owner;

	if (h->deaf)
		return false;
	buf_add(&h->all, text, len);
	buf_char(&h->all, '\n');
	return true;
}

static void on_status(void *owner, int status)
{
	struct heard *h = owner;

	h->status = status;
}

static const struct mcp_hearer hearer = { .done = on_done,
					  .tell = on_tell,
					  .status = on_status };

static void heard_done(struct heard *h)
{
	buf_done(&h->all);
	mem_free(h->reply);
	memset(h, 0, sizeof(*h));
}

static struct service_question *hear(struct bench *b, struct heard *h,
				     const char *text,
				     const struct headers *headers)
{
	const struct mcp_said said = { text, strlen(text), headers };

	return service_hear(b->client, &said, &hearer, h);
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		print_error("said: %s\nnot: %s\n", text, part);
	assert_non_null(strstr(text, part));
}

static void has_not(const char *text, const char *part)
{
	if (strstr(text, part))
		print_error("said: %s\nalso: %s\n", text, part);
	assert_null(strstr(text, part));
}

static void wait_reply(struct bench *b, struct heard *h, const char *part)
{
	struct error err = { 0 };

	assert_int_equal(loop_wait(b->loop, &h->done, loop_now() + 60000, &err),
			 0);
	has(h->reply, part);
}

#define CALL(id, rest)                                                  \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\"," \
	"\"params\":{" rest "}}"
#define META(caps)                                                            \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28" \
	"\",\"io.modelcontextprotocol/clientCapabilities\":{" caps "}}"
#define INIT(caps)                                                             \
	"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{" \
	"\"protocolVersion\":\"2025-11-25\",\"capabilities\":{" caps           \
	"},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}"

/* ---- sessions ---- */

static void test_tells(void **state)
{
	struct bench b;
	struct heard h = { 0 };

	(void)state;
	bench_open(&b, profile, NULL);
	bench_has(&b, INIT(""), "\"listChanged\":true");
	assert_null(hear(&b, &h,
			 CALL("1", "\"name\":\"log\",\"_meta\":{"
				   "\"progressToken\":\"p\"}"),
			 NULL));
	has(h.reply, "done");
	assert_string_equal(
		buf_string(&h.all),
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\","
		"\"params\":{\"level\":\"info\",\"data\":\"line 1\"}}\n"
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\","
		"\"params\":{\"level\":\"info\",\"data\":\"line 2\"}}\n"
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\","
		"\"params\":{\"level\":\"info\",\"data\":\"line 3\"}}\n"
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\","
		"\"params\":{\"progressToken\":\"p\",\"progress\":2,\"total\":4,"
		"\"message\":\"m\"}}\n"
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\","
		"\"params\":{\"progressToken\":\"p\",\"progress\":4,\"total\":4,"
		"\"message\":\"m\"}}\n");
	heard_done(&h);
	bench_method(&b, "logging/setLevel", "{\"level\":\"warning\"}", "{}");
	assert_null(hear(&b, &h, CALL("1", "\"name\":\"log\""), NULL));
	assert_int_equal(h.all.len, 0);
	heard_done(&h);
	bench_close(&b);
}

/* Revision 2025-03-26 brought the words of progress. */
static void test_older_progress(void **state)
{
	static const struct {
		const char *revision, *told;
	} rows[] = { { "2024-11-05", "\"progress\":4,\"total\":4}}\n" },
		     { "2025-03-26",
		       "\"progress\":4,\"total\":4,\"message\":\"m\"}}\n" } };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct heard h = { 0 };
		struct bench b;

		bench_open(&b, profile, NULL);
		bench_initialize(&b, rows[i].revision);
		assert_null(hear(&b, &h,
				 CALL("1", "\"name\":\"log\",\"_meta\":{"
					   "\"progressToken\":\"p\"}"),
				 NULL));
		has(buf_string(&h.all), rows[i].told);
		heard_done(&h);
		bench_close(&b);
	}
}

/* "x://iii…/p.txt" of that many bytes. */
static void subscribes(struct bench *b, size_t len, const char *part)
{
	CLEANUP(buf_done) struct buf params = { 0 };

	buf_text(&params, "{\"uri\":\"x://");
	for (size_t i = 0; i < len - strlen("x:///p.txt"); i++)
		buf_char(&params, 'i');
	buf_text(&params, "/p.txt\"}");
	bench_method(b, "resources/subscribe", buf_string(&params), part);
}

static void test_long_uris(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, profile, NULL);
	bench_has(&b, INIT(""), "\"subscribe\":true");
	subscribes(&b, 1024, "\"result\":{}");
	subscribes(&b, 1025, "Invalid params: 'uri' is too long");
	bench_close(&b);
}

#define ANSWER(n, result) \
	"{\"jsonrpc\":\"2.0\",\"id\":\"sim-" n "\",\"result\":" result "}"

static void test_asks(void **state)
{
	struct bench b;
	struct heard h = { 0 };

	(void)state;
	bench_open(&b, profile, NULL);
	bench_has(&b, INIT("\"elicitation\":{}"), "\"serverInfo\"");
	assert_non_null(
		hear(&b, &h,
		     CALL("1", "\"name\":\"ask\",\"arguments\":{\"q\":\"X\"}"),
		     NULL));
	has(buf_string(&h.all),
	    "\"id\":\"sim-1\",\"method\":\"elicitation/create\",\"params\":{"
	    "\"message\":\"X?\"");
	bench_says(&b, ANSWER("2", "{}"), ""); /* nobody asked that */
	bench_says(&b, ANSWER("x", "{}"), "");
	bench_says(&b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", "");
	assert_false(h.done);
	bench_says(&b,
		   ANSWER("1", "{\"action\":\"accept\",\"content\":{\"name\":"
			       "\"Bo\"}}"),
		   "");
	wait_reply(&b, &h, "\"Bo by accept\"");
	bench_says(&b, ANSWER("1", "{}"), ""); /* once more */
	heard_done(&h);
	bench_close(&b);
}

static void bad_answer(struct bench *b, const char *message, const char *why)
{
	struct heard h = { 0 };
	char *text;

	assert_non_null(hear(b, &h, CALL("1", "\"name\":\"ask\""), NULL));
	text = mem_printf("{\"jsonrpc\":\"2.0\",\"id\":\"sim-%u\",%s}",
			  b->service->asked, message);
	bench_says(b, text, "");
	wait_reply(b, &h, why);
	has(h.reply, "\"isError\":true");
	mem_free(text);
	heard_done(&h);
}

static void test_bad_answers(void **state)
{
	struct bench b;
	struct heard h = { 0 };

	(void)state;
	bench_open(&b, profile, NULL);
	bench_has(&b, CALL("1", "\"name\":\"ask\""),
		  "elicitation is needed, and the client did not declare it");
	bench_has(&b, INIT("\"elicitation\":{\"url\":{}}"), "\"serverInfo\"");
	bench_has(&b, CALL("1", "\"name\":\"ask\""), "did not declare it");
	bench_has(&b, INIT("\"elicitation\":{\"form\":{}}"), "\"serverInfo\"");
	bad_answer(&b, "\"result\":7", "is no object");
	bad_answer(&b, "\"result\":{\"action\":\"hm\"}", "has no 'action'");
	bad_answer(&b, "\"result\":{\"action\":\"accept\"}",
		   "without 'content'");
	bad_answer(&b, "\"result\":{\"action\":\"accept\",\"content\":{}}",
		   "does not fit the requestedSchema");
	bad_answer(&b, "\"error\":{\"code\":-1,\"message\":\"no\"}",
		   "answered 'user' with an error: no");
	/* who cannot be told cannot be asked; a call that is given up ends */
	h.deaf = true;
	assert_null(hear(&b, &h, CALL("1", "\"name\":\"ask\""), NULL));
	has(h.reply, "it takes no event stream here");
	heard_done(&h);
	assert_non_null(hear(&b, &h, CALL("5", "\"name\":\"ask\""), NULL));
	bench_says(&b,
		   "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
		   "cancelled\",\"params\":{\"requestId\":5}}",
		   "");
	wait_reply(&b, &h, "");
	assert_string_equal(h.reply, "");
	heard_done(&h);
	service_abandon(hear(&b, &h, CALL("6", "\"name\":\"ask\""), NULL));
	heard_done(&h);
	bench_close(&b);
}

static void test_subscriptions(void **state)
{
	struct bench b;
	struct heard own = { 0 };
	char *uri;

	(void)state;
	bench_open(&b, profile, NULL);
	service_client_reach(b.client, on_tell, &own);
	bench_has(&b, INIT(""), "\"subscribe\":true");
	bench_method(&b, "resources/subscribe", "{\"uri\":\"x://1\"}", "{}");
	bench_method(&b, "resources/subscribe", "{\"uri\":\"y://1\"}",
		     "-32002");
	bench_method(&b, "resources/subscribe", "{}", "-32602");
	bench_method(&b, "tools/call", "{\"name\":\"shy\"}",
		     "there is no tool");
	bench_method(&b, "tools/call", "{\"name\":\"toggle\"}", "toggled");
	assert_string_equal(
		buf_string(&own.all),
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/"
		"list_changed\"}\n"
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/"
		"updated\",\"params\":{\"uri\":\"x://1\"}}\n");
	bench_method(&b, "tools/call", "{\"name\":\"shy\"}", "hello");
	bench_method(&b, "resources/unsubscribe", "{\"uri\":\"x://1\"}", "{}");
	buf_reset(&own.all);
	bench_method(&b, "tools/call", "{\"name\":\"toggle\"}", "toggled");
	has_not(buf_string(&own.all), "updated");
	/* without end */
	for (int i = 0; i < SERVICE_URIS_MAX; i++) {
		uri = mem_printf("{\"uri\":\"x://%d/p.txt\"}", i);
		bench_method(&b, "resources/subscribe", uri, "{}");
		mem_free(uri);
	}
	bench_method(&b, "resources/subscribe", "{\"uri\":\"x://1\"}",
		     "64 resources are subscribed to already");
	uri = mem_zalloc(3000);
	memset(uri, 'x', 2999);
	memcpy(uri, "{\"uri\":\"", 8);
	memcpy(uri + 2997, "\"}", 2);
	bench_method(&b, "resources/subscribe", uri, "'uri' is too long");
	mem_free(uri);
	heard_done(&own);
	bench_close(&b);
}

/* ---- prompts, resources ---- */

static void test_items(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, profile, NULL);
	bench_method(&b, "prompts/get",
		     "{\"name\":\"rich\",\"arguments\":{\"u\":\"a\\\"b\"}}",
		     "{\"messages\":[{\"role\":\"assistant\",\"content\":{"
		     "\"type\":\"resource\",\"resource\":{\"uri\":\"a\\\"b\","
		     "\"text\":\"t\"}}}]}");
	bench_method(&b, "resources/read", "{\"uri\":\"x://1\"}",
		     "\"mimeType\":\"image/png\",\"blob\":\"AAEC\"}]");
	bench_method(&b, "resources/templates/list", "{}",
		     "\"uriTemplate\":\"x://{id}/{part}.txt\"");
	bench_method(&b, "resources/read", "{\"uri\":\"x://a%20b/c.txt\"}",
		     "\"text\":\"a b of c\"");
	bench_method(&b, "resources/read", "{\"uri\":\"x://a/b/c.txt\"}",
		     "-32002");
	bench_method(&b, "resources/read", "{\"uri\":\"x:///c.txt\"}",
		     "-32002");
	bench_method(&b, "resources/read", "{\"uri\":\"x://%00/c.txt\"}",
		     "-32002");
	bench_method(&b, "completion/complete",
		     "{\"ref\":{\"type\":\"ref/resource\",\"uri\":"
		     "\"x://{id}/{part}.txt\"},\"argument\":{\"name\":\"id\","
		     "\"value\":\"A\"}}",
		     "\"values\":[\"ab\"]");
	bench_close(&b);
}

static void test_uri_fits(void **state)
{
	(void)state;
	assert_true(service_uri_fits("a:{x}", "a:b", NULL));
	assert_true(service_uri_fits("a:{x}-{y}/z", "a:1-2/z", NULL));
	assert_false(service_uri_fits("a:{x}", "a:", NULL));
	assert_false(service_uri_fits("a:{x}", "a:b/c", NULL));
	assert_false(service_uri_fits("a:{x}/", "a:b", NULL));
	assert_false(service_uri_fits("a:{x}", "a:%zz", NULL));
	assert_false(service_uri_fits("a:b", "a:", NULL));
	assert_false(service_uri_fits("a:", "a:b", NULL));
}

/* ---- 2026-07-28 ---- */

static void test_meta(void **state)
{
	struct bench b;
	struct heard h = { 0 };

	(void)state;
	bench_open(&b, profile, NULL);
	bench_says(&b,
		   "{\"jsonrpc\":\"2.0\",\"id\":\"d\",\"method\":\"server/"
		   "discover\",\"params\":{" META("") "}}",
		   "{\"jsonrpc\":\"2.0\",\"id\":\"d\",\"result\":{"
		   "\"resultType\":\"complete\",\"_meta\":{\"io."
		   "modelcontextprotocol/serverInfo\":{\"name\":\"s\","
		   "\"version\":\"" MCPCTL_VERSION
		   "\"}},\"ttlMs\":7,\"cacheScope\":\"public\","
		   "\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{"
		   "\"logging\":{},\"tools\":{\"listChanged\":true},"
		   "\"prompts\":{\"listChanged\":false},\"resources\":{"
		   "\"subscribe\":true,\"listChanged\":false},"
		   "\"completions\":{}}}}");
	/* What is read is kept as long as a list. */
	bench_has(&b,
		  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\","
		  "\"params\":{\"uri\":\"x://1\"," META("") "}}",
		  "\"ttlMs\":7,\"cacheScope\":\"public\"");
	hear(&b, &h,
	     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{" META(
		     "") "}}",
	     NULL);
	has(h.reply, "-32601");
	assert_int_equal(h.status, 404);
	heard_done(&h);
	hear(&b, &h,
	     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":"
	     "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
	     "\"2026-07-28\"}}}",
	     NULL);
	has(h.reply, "-32602");
	assert_int_equal(h.status, 400);
	heard_done(&h);
	hear(&b, &h,
	     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":"
	     "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
	     "\"2099-01-01\",\"io.modelcontextprotocol/clientCapabilities\":{}"
	     "}}}",
	     NULL);
	has(h.reply, "\"code\":-32022");
	has(h.reply, "\"data\":{\"supported\":[\"2026-07-28\"],\"requested\":"
		     "\"2099-01-01\"}");
	assert_int_equal(h.status, 400);
	heard_done(&h);
	/* the direct methods are of sessions; who has one stays in it */
	bench_method(&b, "tools/log", "{" META("") "}", "-32601");
	bench_initialize(&b, "2025-11-25");
	bench_method(&b, "ping", "{" META("") "}", "\"result\":{}");
	bench_close(&b);
}

static void with_headers(struct bench *b, const char *text, const char *method,
			 const char *name, const char *param, const char *part)
{
	CLEANUP(headers_done) struct headers headers = { 0 };
	struct heard h = { 0 };

	headers_add(&headers, "mcp-protocol-version", "2026-07-28");
	if (method)
		headers_add(&headers, "Mcp-Method", method);
	if (name)
		headers_add(&headers, "Mcp-Name", name);
	if (param)
		headers_add(&headers, "Mcp-Param-R", param);
	hear(b, &h, text, &headers);
	has(h.reply, part);
	assert_int_equal(h.status, strstr(h.reply, "-32020") ? 400 : 0);
	heard_done(&h);
}

#define REGION(arguments) \
	CALL("1", "\"name\":\"region\",\"arguments\":{" arguments "}," META(""))

static void test_headers(void **state)
{
	static const char call[] = "tools/call", bad[] = "\"code\":-32020";
	static const char none[] = REGION(""), r[] = REGION("\"r\":\"x y\"");
	struct bench b;

	(void)state;
	bench_open(&b, profile, NULL);
	with_headers(&b, none, call, "region", NULL, "here");
	with_headers(&b, none, call, " \tregion ", NULL, "here");
	with_headers(&b, none, call, "=?base64?cmVnaW9u?=", NULL, "here");
	with_headers(&b, none, call, "=?base64?cmVnaW9?=", NULL, bad);
	with_headers(&b, none, call, "=?base64?cmVn aW9u?=", NULL, bad);
	with_headers(&b, none, call, "Region", NULL, bad);
	with_headers(&b, none, call, NULL, NULL, bad);
	with_headers(&b, none, NULL, "region", NULL, bad);
	with_headers(&b, none, "TOOLS/CALL", "region", NULL, bad);
	with_headers(&b, none, call, "region", "x", bad);
	with_headers(&b, r, call, "region", "x y", "here");
	with_headers(&b, r, call, "region", "=?base64?eCB5?=", "here");
	with_headers(&b, r, call, "region", "x", bad);
	with_headers(&b, r, call, "region", NULL, bad);
	with_headers(&b, REGION("\"n\":1"), call, "region", NULL, bad);
	with_headers(&b, REGION("\"r\":null"), call, "region", NULL,
		     "is not of type string");
	bench_close(&b);
}

/* The value of requestState in a reply; yours. */
static char *state_of(const char *reply)
{
	const char *at = strstr(reply, "\"requestState\":\"");

	assert_non_null(at);
	at += strlen("\"requestState\":\"");
	return mem_strndup(at, strcspn(at, "\""));
}

#define TWO META("\"roots\":{},\"sampling\":{}")
#define ROOTS "\"a\":{\"roots\":[{\"uri\":\"file:///r\"}]}"
#define SAMPLE                                                          \
	"\"b\":{\"role\":\"assistant\",\"content\":{\"type\":\"text\"," \
	"\"text\":\"T\"}}"

static void test_rounds(void **state)
{
	struct bench b;
	char *first, *text, *id;

	(void)state;
	bench_open(&b, profile, NULL);
	bench_has(&b, CALL("1", "\"name\":\"two\"," META("")), "-32021");
	bench_has(&b, CALL("1", "\"name\":\"two\"," META("\"roots\":{}")),
		  "\"data\":{\"requiredCapabilities\":{\"sampling\":{}}}");
	bench_has(&b, CALL("1", "\"name\":\"two\"," TWO),
		  "\"resultType\":\"input_required\",\"inputRequests\":{\"a\":{"
		  "\"method\":\"roots/list\"}}}");
	first = bench_ask(&b, CALL("2", "\"name\":\"two\",\"inputResponses\":{"
					"\"z\":{}," ROOTS "}," TWO));
	has(first, "\"inputRequests\":{\"b\":{\"method\":"
		   "\"sampling/createMessage\",\"params\":{}}}");
	id = state_of(first);
	text = mem_printf(CALL("3", "\"name\":\"two\",\"requestState\":\"%s\","
				    "\"inputResponses\":{" SAMPLE "}," TWO),
			  id);
	bench_has(&b, text, "\"file:///r T\"");
	mem_free(text);
	/* of another request, changed, of no kind at all */
	text = mem_printf(CALL("3", "\"name\":\"maybe\",\"requestState\":"
				    "\"%s\"," TWO),
			  id);
	bench_has(&b, text, "-32602");
	mem_free(text);
	text = mem_printf(CALL("3", "\"name\":\"two\",\"requestState\":"
				    "\"%sx\"," TWO),
			  id);
	bench_has(&b, text, "'requestState' is none that");
	mem_free(text);
	bench_has(&b, CALL("3", "\"name\":\"two\",\"requestState\":7," TWO),
		  "-32602");
	bench_has(&b,
		  CALL("3", "\"name\":\"two\",\"inputResponses\":null," TWO),
		  "-32602");
	bench_has(
		&b,
		CALL("3", "\"name\":\"two\",\"inputResponses\":{\"a\":7}," TWO),
		"the answer to 'a' is no object");
	mem_free(id);
	mem_free(first);
	bench_has(&b,
		  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/get\","
		  "\"params\":{\"name\":\"asks\"," TWO "}}",
		  "\"inputRequests\":{\"k\":{\"method\":\"roots/list\"}}");
	/* what may be left out is asked of who declared it */
	bench_has(&b, CALL("1", "\"name\":\"maybe\"," META("\"roots\":{}")),
		  "\"inputRequests\":{\"a\":{\"method\":\"roots/list\"}}}");
	bench_has(&b, CALL("1", "\"name\":\"maybe\"," META("")), "ready");
	bench_close(&b);
}

/* States that nobody comes back with are not kept for ever, nor are long answers. */
static void test_many_rounds(void **state)
{
	static const char second[] = CALL(
		"2", "\"name\":\"two\",\"inputResponses\":{" ROOTS "}," TWO);
	struct bench b;
	char *big = mem_zalloc(SERVICE_ROUND_MAX + 1), *text;

	(void)state;
	bench_open(&b, profile, NULL);
	for (int i = 0; i < SERVICE_ROUNDS_MAX + 50; i++)
		bench_has(&b, second, "requestState");
	assert_int_equal(b.service->round_count, SERVICE_ROUNDS_MAX);
	memset(big, 'x', SERVICE_ROUND_MAX);
	text = mem_printf(CALL("2",
			       "\"name\":\"two\",\"inputResponses\":{\"a\":{"
			       "\"roots\":[\"%s\"]}}," TWO),
			  big);
	bench_has(&b, text, "the answers are too long");
	mem_free(text);
	mem_free(big);
	bench_close(&b);
}

#define LISTEN(id, filter)                                                \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":"                  \
	"\"subscriptions/listen\",\"params\":{\"notifications\":{" filter \
	"}," META("") "}}"

static void test_listens(void **state)
{
	struct bench b;
	struct heard h = { 0 }, narrow = { 0 };
	struct service_question *q;

	(void)state;
	bench_open(&b, profile, NULL);
	q = hear(&b, &h,
		 LISTEN("\"l\"", "\"toolsListChanged\":true,"
				 "\"promptsListChanged\":true,"
				 "\"resourceSubscriptions\":[\"x://1\",7,"
				 "\"none:\"]"),
		 NULL);
	assert_non_null(q);
	assert_string_equal(
		buf_string(&h.all),
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/"
		"acknowledged\",\"params\":{\"_meta\":{\"io."
		"modelcontextprotocol/subscriptionId\":\"l\"},"
		"\"notifications\":{\"toolsListChanged\":true,"
		"\"resourceSubscriptions\":[\"x://1\"]}}}\n");
	assert_non_null(hear(&b, &narrow, LISTEN("7", ""), NULL));
	buf_reset(&h.all);
	buf_reset(&narrow.all);
	bench_has(&b, CALL("1", "\"name\":\"toggle\"," META("")), "toggled");
	has(buf_string(&h.all),
	    "tools/list_changed\",\"params\":{\"_meta\":{\"io."
	    "modelcontextprotocol/subscriptionId\":\"l\"}}}");
	has(buf_string(&h.all), "\"uri\":\"x://1\"}");
	assert_int_equal(narrow.all.len, 0);
	service_abandon(q);
	bench_says(&b,
		   "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
		   "cancelled\",\"params\":{\"requestId\":7}}",
		   "");
	assert_true(narrow.done);
	assert_int_equal(b.service->feeds, 0);
	heard_done(&h);
	heard_done(&narrow);
	bench_has(&b,
		  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
		  "\"subscriptions/listen\",\"params\":{" META("") "}}",
		  "'notifications' is missing");
	/* each once, with a comma between, and no more than so many */
	q = hear(&b, &h,
		 LISTEN("9", "\"resourceSubscriptions\":[\"x://1\",\"x://1\","
			     "\"x://a/b.txt\"]"),
		 NULL);
	has(buf_string(&h.all), "\"notifications\":{\"resourceSubscriptions\":["
				"\"x://1\",\"x://a/b.txt\"]}");
	service_abandon(q);
	heard_done(&h);
	/* nobody to tell; too many */
	bench_has(&b, LISTEN("1", ""), "needs an event stream");
	for (int i = 0; i < SERVICE_FEEDS_MAX; i++)
		assert_non_null(hear(&b, &h, LISTEN("1", ""), NULL));
	assert_null(hear(&b, &narrow, LISTEN("1", ""), NULL));
	has(narrow.reply, "100 subscriptions are open already");
	heard_done(&narrow);
	while (b.client->first)
		service_abandon(b.client->first);
	heard_done(&h);
	bench_close(&b);
}

static void test_log_level(void **state)
{
	struct bench b;
	struct heard h = { 0 };

	(void)state;
	bench_open(&b, profile, NULL);
	hear(&b, &h, CALL("1", "\"name\":\"log\"," META("")), NULL);
	assert_int_equal(h.all.len, 0);
	heard_done(&h);
	hear(&b, &h,
	     CALL("1", "\"name\":\"log\",\"_meta\":{\"io.modelcontextprotocol/"
		       "protocolVersion\":\"2026-07-28\",\"io."
		       "modelcontextprotocol/clientCapabilities\":{},\"io."
		       "modelcontextprotocol/logLevel\":\"info\"}"),
	     NULL);
	has(buf_string(&h.all), "line 3");
	has(h.reply, "\"resultType\":\"complete\"");
	heard_done(&h);
	bench_close(&b);
}

/* ---- what is not taken ---- */

#define LIST(meta)                                                 \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"," \
	"\"params\":{\"_meta\":{" meta "}}}"
#define VERSION "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\""
#define CAPABILITIES "\"io.modelcontextprotocol/clientCapabilities\":{}"
#define LEVEL(level) "\"io.modelcontextprotocol/logLevel\":" level

static void test_bad_meta(void **state)
{
	static const char *const rows[][2] = {
		{ LIST(""), "'_meta' needs 'io.modelcontextprotocol/"
			    "protocolVersion', a string" },
		{ LIST("\"io.modelcontextprotocol/protocolVersion\":7"),
		  "protocolVersion', a string" },
		{ LIST(VERSION), "'_meta' needs 'io.modelcontextprotocol/"
				 "clientCapabilities', an object" },
		{ LIST(VERSION ",\"io.modelcontextprotocol/clientCapabilities\""
			       ":[]"),
		  "clientCapabilities', an object" },
		{ LIST(VERSION "," CAPABILITIES "," LEVEL("\"loud\"")),
		  "logLevel' is no level" },
		{ LIST(VERSION "," CAPABILITIES "," LEVEL("7")),
		  "logLevel' is no level" },
		{ LIST(VERSION "," CAPABILITIES ",\"progressToken\":[]"),
		  "'progressToken' must be a string or a number" },
		{ LIST(VERSION "," CAPABILITIES ",\"progressToken\":\"p\""),
		  "\"tools\":[]" },
		{ LIST(VERSION "," CAPABILITIES ",\"progressToken\":7"),
		  "\"tools\":[]" },
		{ LIST(VERSION "," CAPABILITIES "," LEVEL("\"debug\"")),
		  "\"ttlMs\":0,\"cacheScope\":\"private\",\"tools\":[]" },
	};
	struct bench b;

	(void)state;
	bench_open(&b,
		   "{\"kind\":\"service\",\"name\":\"s\",\"era\":\"modern\"}",
		   NULL);
	for (size_t i = 0; i < COUNT(rows); i++)
		bench_has(&b, rows[i][0], rows[i][1]);
	bench_close(&b);
}

/* A number is the same number, however it is written in its header. */
static void numbered(struct bench *b, const char *given, const char *part)
{
	static const char text[] = CALL(
		"1", "\"name\":\"region\",\"arguments\":{\"n\":50}," META(""));
	CLEANUP(headers_done) struct headers headers = { 0 };
	struct heard h = { 0 };

	headers_add(&headers, "MCP-Protocol-Version", "2026-07-28");
	headers_add(&headers, "Mcp-Method", "tools/call");
	headers_add(&headers, "Mcp-Name", "region");
	headers_add(&headers, "Mcp-Param-N", given);
	hear(b, &h, text, &headers);
	has(h.reply, part);
	heard_done(&h);
}

static void test_numbers_in_headers(void **state)
{
	static const char bad[] = "Header mismatch: 'Mcp-Param-N' is not what "
				  "stands in the message";
	struct bench b;

	(void)state;
	bench_open(&b, profile, NULL);
	numbered(&b, "50", "here");
	numbered(&b, " 50.0 ", "here");
	numbered(&b, "5e1", "here");
	numbered(&b, "=?base64?NTA=?=", "here");
	numbered(&b, "49", bad);
	numbered(&b, "51", bad);
	numbered(&b, "50x", bad);
	numbered(&b, "", bad);
	bench_close(&b);
}

/* What a client must have declared, all of it, each once. */
static void test_lacking(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, profile, NULL);
	bench_has(&b, CALL("1", "\"name\":\"all\"," META("")),
		  "\"message\":\"Missing required client capability: "
		  "elicitation, sampling, roots\",\"data\":{"
		  "\"requiredCapabilities\":{\"elicitation\":{\"form\":{}},"
		  "\"sampling\":{},\"roots\":{}}}");
	bench_has(&b,
		  CALL("1",
		       "\"name\":\"all\"," META(
			       "\"elicitation\":{\"form\":{}},\"roots\":{}")),
		  "\"requiredCapabilities\":{\"elicitation\":{\"url\":{}},"
		  "\"sampling\":{}}");
	bench_has(&b, CALL("1", "\"name\":\"url\"," META("\"elicitation\":{}")),
		  "capability: elicitation by URL\"");
	bench_has(
		&b,
		CALL("1",
		     "\"name\":\"url\"," META("\"elicitation\":{\"url\":{}}")),
		"\"inputRequests\":{\"u\":{\"method\":\"elicitation/create\"");
	/* of a prompt there is no result that could tell it */
	bench_has(&b, INIT(""), "\"serverInfo\"");
	bench_method(&b, "prompts/get", "{\"name\":\"asks\"}",
		     "\"code\":-32603,\"message\":\"Internal error: roots is "
		     "needed, and the client did not declare it\"");
	bench_has(&b, CALL("1", "\"name\":\"maybe\""), "ready");
	bench_close(&b);
}

/* Answers that are none, of each kind. */
static void test_odd_answers(void **state)
{
	static const struct {
		const char *key, *answer, *why;
	} rows[] = {
		{ "r", "{}", "the answer to 'r' has no 'roots'" },
		{ "r", "{\"roots\":{}}", "has no 'roots'" },
		{ "s", "{\"content\":{}}", "is no message with 'role' and" },
		{ "s", "{\"role\":\"user\"}", "is no message with" },
		{ "s", "{\"role\":\"user\",\"content\":\"x\"}",
		  "is no message" },
		{ "s", "{\"role\":\"user\",\"content\":[]}", "\"all\"" },
		{ "f", "{\"action\":\"decline\"}", "\"all\"" },
		{ "f", "{\"action\":\"cancel\"}", "\"all\"" },
		{ "f", "{\"action\":\"accept\"}", "\"all\"" },
		{ "f", "{\"action\":7}", "has no 'action' that is accept" },
		{ "u", "{\"action\":\"no\"}",
		  "the answer to 'u' has no 'action'" },
		{ "u", "[]", "the answer to 'u' is no object" },
	};
	static const char *const good[][2] = {
		{ "u", "{\"action\":\"accept\"}" },
		{ "f", "{\"action\":\"decline\"}" },
		{ "s", "{\"role\":\"user\",\"content\":{}}" },
		{ "r", "{\"roots\":[]}" },
	};
	struct bench b;

	(void)state;
	bench_open(&b, profile, NULL);
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(buf_done) struct buf text = { 0 };

		buf_text(&text, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
				"\"tools/call\",\"params\":{\"name\":\"all\","
				"\"inputResponses\":{\"z\":1");
		for (size_t k = 0; k < COUNT(good); k++) {
			bool odd = strcmp(good[k][0], rows[i].key) == 0;

			buf_printf(&text, ",\"%s\":%s", good[k][0],
				   odd ? rows[i].answer : good[k][1]);
		}
		buf_text(&text, "}," META("\"elicitation\":{\"form\":{},"
					  "\"url\":{}},\"sampling\":{},"
					  "\"roots\":{}") "}}");
		bench_has(&b, buf_string(&text), rows[i].why);
	}
	bench_close(&b);
}

/* Who does not answer in time is not waited for. */
static void test_no_answer(void **state)
{
	struct heard h = { 0 };
	struct bench b;

	(void)state;
	bench_open(&b, profile, NULL);
	bench_has(&b, INIT("\"roots\":{}"), "\"serverInfo\"");
	assert_non_null(hear(&b, &h, CALL("1", "\"name\":\"hasty\""), NULL));
	wait_reply(&b, &h,
		   "\"the client did not answer in time\"}],\"isError\":true");
	bench_says(&b, ANSWER("1", "{\"roots\":[]}"), "");
	assert_int_equal(b.service->calls, 0);
	heard_done(&h);
	bench_close(&b);
}

/* A step that wants its state takes no answer without it. */
static void test_state_wanted(void **state)
{
	static const char early[] =
		CALL("1", "\"name\":\"strict\",\"inputResponses\":{\"r\":{"
			  "\"roots\":[]}}," META("\"roots\":{}"));
	CLEANUP(mem_free_ptr) char *reply = NULL, *id = NULL, *text = NULL;
	struct bench b;

	(void)state;
	bench_open(&b, profile, NULL);
	reply = bench_ask(&b, early);
	has(reply, "\"resultType\":\"input_required\"");
	id = state_of(reply);
	text = mem_printf(CALL("1", "\"name\":\"strict\",\"requestState\":"
				    "\"%s\",\"inputResponses\":{\"r\":{"
				    "\"roots\":[]}}," META("\"roots\":{}")),
			  id);
	bench_has(&b, text, "\"text\":\"strict\"");
	bench_close(&b);
}

/* A wait may be told by an argument; what is no time is not waited for. */
static void test_waits(void **state)
{
	struct heard h = { 0 };
	struct bench b;

	(void)state;
	bench_open(&b, profile, NULL);
	assert_non_null(hear(&b, &h,
			     CALL("1", "\"name\":\"waits\",\"arguments\":{"
				       "\"ms\":\"soon\"}"),
			     NULL));
	wait_reply(&b, &h, "waited");
	heard_done(&h);
	assert_non_null(hear(&b, &h,
			     CALL("1", "\"name\":\"waits\",\"arguments\":{"
				       "\"ms\":3600000}"),
			     NULL));
	loop_poll(b.loop);
	assert_false(h.done);
	service_abandon(b.client->first);
	heard_done(&h);
	bench_close(&b);
}

/* ---- profiles ---- */

static void refused(const char *members, const char *why)
{
	const struct service_config config = { .loop = NULL };
	struct error err = { 0 };
	char *text =
		mem_printf("{\"kind\":\"service\",\"name\":\"s\",%s}", members);

	assert_null(service_load_text(text, "f.json", &config, &err));
	has(err.text, why);
	error_reset(&err);
	mem_free(text);
}

#define STEP(step) \
	"\"tools\":[{\"name\":\"t\",\"result\":\"r\",\"steps\":[" step "]}]"

static void test_profiles(void **state)
{
	(void)state;
	refused("\"era\":\"new\"", "'era' is legacy, modern or both");
	refused("\"cache\":{\"scope\":\"all\"}",
		"'scope' is private or public");
	refused(STEP("{}"), "a step is an object with");
	refused(STEP("{\"wait_ms\":-1}"), "tools.t.steps[0].wait_ms");
	refused(STEP("{\"wait_ms\":\"${none}000\"}"), "none");
	refused(STEP("{\"wait_ms\":1,\"log\":\"x\"}"), "log");
	refused(STEP("{\"log\":{\"level\":\"loud\",\"data\":1}}"),
		"'level' is");
	refused(STEP("{\"log\":{\"level\":\"info\"}}"), "needs 'data'");
	refused(STEP("{\"log\":\"${x}\"}"), "there is no 'x'");
	refused(STEP("{\"log\":\"x\",\"times\":10001}"), "times");
	refused(STEP("{\"progress\":\"1\"}"), "are numbers");
	refused(STEP("{\"ask\":{}}"), "needs something to ask");
	refused(STEP("{\"ask\":{\"k\":{\"method\":\"ping\"}}}"), "'method' is");
	refused(STEP("{\"ask\":{\"k\":{\"method\":\"roots/list\",\"params\":{"
		     "\"a\":\"${b}\"}}}}"),
		"there is no 'b'");
	refused(STEP("{\"toggle\":{\"tool\":\"other\"}}"), "'toggle' is");
	refused("\"tools\":[{\"name\":\"t\",\"result\":{\"template\":"
		"\"${answer.k}\"}}]",
		"there is no 'answer.k'");
	refused("\"prompts\":[{\"name\":\"p\",\"text\":\"\",\"messages\":[]}]",
		"do not go together");
	refused("\"prompts\":[{\"name\":\"p\",\"messages\":[{\"role\":\"u\"}]}]",
		"a message needs");
	refused("\"resources\":[{\"uri\":\"a:\",\"blob\":\"?\"}]", "no base64");
	refused("\"resources\":[{\"uri\":\"a:\",\"blob\":\"\",\"text\":\"\"}]",
		"do not go together");
	refused("\"templates\":[{\"uriTemplate\":\"a:b\",\"text\":\"\"}]",
		"with places");
	refused("\"templates\":[{\"uriTemplate\":\"a:{b}{c}\",\"text\":\"\"}]",
		"with places");
	refused("\"templates\":[{\"uriTemplate\":\"a:{b}\",\"text\":\"${c}\"}]",
		"there is no 'c'");
}

/* A service of one era only. */
static void test_one_era(void **state)
{
	static const char modern[] =
		"{\"kind\":\"service\",\"name\":\"s\",\"era\":\"modern\"}";
	static const char legacy[] = "{\"kind\":\"service\",\"name\":\"s\"}";
	struct bench b;

	(void)state;
	bench_open(&b, modern, NULL);
	bench_has(&b, INIT(""), "\"requested\":\"2025-11-25\"");
	bench_method(&b, "tools/list", "{}", "'_meta' is missing");
	bench_close(&b);
	bench_open(&b, legacy, NULL);
	bench_method(&b, "server/discover", "{" META("") "}", "-32601");
	bench_method(&b, "ping", "{" META("") "}", "\"result\":{}");
	bench_method(&b, "resources/subscribe", "{\"uri\":\"a:\"}", "-32601");
	bench_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tells),
		cmocka_unit_test(test_older_progress),
		cmocka_unit_test(test_long_uris),
		cmocka_unit_test(test_asks),
		cmocka_unit_test(test_bad_answers),
		cmocka_unit_test(test_subscriptions),
		cmocka_unit_test(test_items),
		cmocka_unit_test(test_uri_fits),
		cmocka_unit_test(test_meta),
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_rounds),
		cmocka_unit_test(test_many_rounds),
		cmocka_unit_test(test_listens),
		cmocka_unit_test(test_log_level),
		cmocka_unit_test(test_bad_meta),
		cmocka_unit_test(test_numbers_in_headers),
		cmocka_unit_test(test_lacking),
		cmocka_unit_test(test_odd_answers),
		cmocka_unit_test(test_no_answer),
		cmocka_unit_test(test_state_wanted),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_profiles),
		cmocka_unit_test(test_one_era),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
