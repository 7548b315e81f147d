/* SPDX-License-Identifier: MIT */
/*
 * The pages of serve from literal boards, schemas and heads: what hostile
 * names become, which fields a schema makes, what comes back from them, and who
 * may see any of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "mcp/tools.h"
#include "serve/board.h"
#include "serve/pages_access.h"
#include "serve/pages_board.h"
#include "serve/pages_call.h"
#include "serve/pages_form.h"
#include "serve/pages_parts.h"
#include "serve/pages_rows.h"
#include "serve/pages_status.h"
#include "serve/serve_state.h"

#define EVIL "<script>alert('1')</script>\"&\x1b[31m\xe2\x80\xae"

static struct buf out;

static const char *text(void)
{
	return buf_string(&out);
}

static void has(const char *wanted)
{
	if (!strstr(text(), wanted))
		fail_msg("no '%s' in:\n%s", wanted, text());
}

static void has_not(const char *unwanted)
{
	if (strstr(text(), unwanted))
		fail_msg("'%s' in:\n%s", unwanted, text());
}

static void same(const char *wanted)
{
	assert_string_equal(text(), wanted);
}

static int reset(void **state)
{
	(void)state;
	buf_done(&out);
	return 0;
}

/* ---- rows ---- */

static char evil[] = EVIL;
static char plain[] = "02:00:00:00:00:01";
static struct serve nobodys; /* no leases */

static void add(struct registry *r, struct board *d)
{
	if (r->last)
		r->last->next = d;
	else
		r->first = d;
	r->last = d;
	r->count++;
}

static void table(const struct registry *r, const char *query)
{
	struct pages_query q = { 0 };
	struct pages_found f;

	pages_query_read(&q, query);
	pages_rows_find(&f, r, &q);
	buf_done(&out);
	pages_rows_summary(&out, &f, &q);
	buf_char(&out, '\n');
	pages_rows_table(&out, &f, &q);
	pages_query_done(&q);
}

static void test_rows_are_text(void **state)
{
	struct board d = { .server = &nobodys,
			   .id = evil,
			   .board = evil,
			   .version = evil,
			   .alias = evil,
			   .reason = evil,
			   .state = DEVICE_FAILED };
	struct registry r = { 0 };

	(void)state;
	add(&r, &d);
	table(&r, NULL);
	has_not("<script");
	has_not("\x1b");
	has_not(">\xe2\x80\xae");
	has_not("m\xe2\x80\xae<");
	has_not("'1'");
	has("/boards/%3Cscript%3Ealert%28%271%27%29%3C%2Fscript%3E%22%26%1B%5B31m%E2%80%AE\"");
	has("&#60;script&#62;");
	table(&r, "q=%22%3E%3Cscript");
	has_not("<script");
	buf_done(&out);
	pages_row_json(&out, &d);
	has_not("\x1b");
	has_not("\n");
	assert_int_equal(strncmp(text(), "[\"<script>", 10), 0);
}

/* As long as it is not too old. */
static void test_health(void **state)
{
	struct pages_health health = {
		.status = { .battery = 80, .charging = true, .heap = 98304 }
	};
	struct board d = { .server = &nobodys, .id = plain, .health = &health };
	struct registry r = { 0 };

	(void)state;
	add(&r, &d);
	table(&r, NULL);
	has_not("80%");
	health.told = loop_now();
	table(&r, NULL);
	has("<td>80%+</td><td>98.3 kB</td>");
	health.told = loop_now() - 60000;
	table(&r, NULL);
	has_not("80%");
}

static void test_rows_in_parts(void **state)
{
	static struct board d[PAGES_ROWS_MAX + 5];
	struct registry r = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(d); i++) {
		d[i] = (struct board){ .server = &nobodys,
				       .id = plain,
				       .state = i ? DEVICE_READY :
						    DEVICE_LISTING };
		add(&r, &d[i]);
	}
	table(&r, NULL);
	has("205 devices are connected, 204 of them ready; shown are 1 to 200.");
	has("href=\"/?from=200\">The next");
	has_not("Those before");
	table(&r, "from=200&q=ready");
	has("204 fit; shown are 201 to 204.");
	has("href=\"/?from=0&amp;q=ready\">Those before");
	has_not("The next");
	table(&r, "from=99999999999999999999&q=nothing");
	has("0 fit.");
	table(&r, "board=02:00:00:00:00:0F");
	has_not("<tr data-id");
	table(&(struct registry){ 0 }, NULL);
	has("No device is connected now.");
}

static const char *row_of(const struct board *d)
{
	buf_done(&out);
	pages_row_json(&out, d);
	return text();
}

static const char *ended_name(const struct held *h)
{
	(void)h;
	return "ended";
}

static const char *no_name(const struct held *h)
{
	(void)h;
	return NULL;
}

/* One that 'mcpctl open' keeps is no board: as 'devices' has it. */
static void test_held_cells(void **state)
{
	struct held_ops ops = { .state_name = ended_name };
	struct held held = { .ops = &ops, .kind = (char[]){ "stdio" } };
	struct board d = { .server = &nobodys, .id = plain, .held = &held };
	struct registry r = { 0 };

	(void)state;
	add(&r, &d);
	table(&r, NULL);
	has("<td>stdio</td><td>ended</td>");
	has_not("WebSocket");
	table(&r, "q=ENDED");
	has("1 fits.");
	table(&r, "q=connected");
	has("0 fit.");
	ops.state_name = no_name;
	d.state = DEVICE_READY;
	assert_non_null(strstr(row_of(&d), ",\"stdio\",\"ready\","));
}

static void keep_page(const struct front_table *front, struct front_request *rq,
		      int status, const struct buf *page)
{
	(void)front;
	(void)rq;
	assert_int_equal(status, 503);
	buf_done(&out);
	buf_add(&out, page->data, page->len);
}

/* It ended since the page was loaded. */
static void test_held_call(void **state)
{
	const struct held_ops ops = { .state_name = ended_name };
	struct held held = { .ops = &ops, .kind = (char[]){ "stdio" } };
	struct board d = { .server = &nobodys, .id = plain, .held = &held };
	struct pages_calls calls = { .answer = keep_page };
	struct port port = { 0 };
	const struct visit v = { .port = &port };

	(void)state;
	pages_call_begin(&calls, &v, &d, &(struct pages_given){ 0 });
	has("the board is not ready (ended)");
}

/* Each cell, in the table and for who looks on. */
static void test_cells(void **state)
{
	struct finding f[] = {
		{ .code = D106, .count = 9 }, /* an error */
		{ .code = B211, .count = 9 }, /* serve's own: not counted */
		{ .code = D123, .count = 1 }, /* a warning */
		{ .code = D101, .count = 1 }, /* another error */
	};
	struct diag diag = { .item = f, .count = 2 };
	struct shared_list tools = { .count = 7 };
	struct board d = { .server = &nobodys,
			   .id = plain,
			   .alias = "a & b",
			   .version = plain,
			   .tools = &tools,
			   .mqtt = true,
			   .diag = &diag,
			   .state = DEVICE_READY };
	struct registry r = { 0 };
	char words[204];

	(void)state;
	setenv("TZ", "UTC0", 1);
	tzset();
	d.board = plain;
	add(&r, &d);
	table(&r, NULL);
	same("1 device is connected, 1 of them ready.\n"
	     "<table id=\"boards\" data-live=\"/events?from=0\"><thead><tr>"
	     "<th>device</th><th>alias</th><th>board</th><th>version</th>"
	     "<th>transport</th><th>state</th><th>battery</th><th>heap</th>"
	     "<th>tools</th><th>found</th><th>lease</th><th>since</th>"
	     "</tr></thead><tbody>\n"
	     "<tr data-id=\"02:00:00:00:00:01\">"
	     "<td><a href=\"/boards/02:00:00:00:00:01\">02:00:00:00:00:01</a></td>"
	     "<td>a &#38; b</td><td>02:00:00:00:00:01</td>"
	     "<td>02:00:00:00:00:01</td><td>MQTT</td><td>ready</td>"
	     "<td></td><td></td><td>7</td><td>1 error</td><td></td>"
	     "<td>1970-01-01 00:00:00</td></tr>\n"
	     "</tbody></table>\n<p class=\"ways\"></p>\n");
	diag.count = COUNT(f);
	d.state = DEVICE_FAILED;
	d.mqtt = false;
	d.tools = NULL;
	d.alias = NULL;
	d.since_ms = 86399999;
	d.reason = plain;
	assert_string_equal(
		row_of(&d),
		"[\"02:00:00:00:00:01\",\"02:00:00:00:00:01\",\"\","
		"\"02:00:00:00:00:01\",\"02:00:00:00:00:01\",\"WebSocket\","
		"\"failed: 02:00:00:00:00:01\",\"\",\"\",\"\","
		"\"2 errors, 1 warning\",\"\",\"1970-01-01 23:59:59\"]");
	/* Its words are cut between characters. */
	memset(words, 'x', 199);
	memcpy(words + 199, "\xc3\xa4!", 4);
	d.reason = words;
	row_of(&d);
	has("xxx\xe2\x80\xa6\"");
	memcpy(words + 198, "\xc3\xa4", 3);
	row_of(&d);
	has("xxx\xc3\xa4\"");
}

/* Who holds it is for commands; that somebody does is for all. */
static void test_leased(void **state)
{
	static struct serve holders;
	struct board d = { .server = &holders, .id = plain };
	struct words ids = { 0 };
	struct lease *first, *second;
	struct lease_order order = { .by = "ann", .ids = &ids };

	(void)state;
	words_add(&ids, plain);
	first = leases_add(&holders.leases, &order, NULL);
	assert_non_null(first);
	row_of(&d);
	has_not("leased");
	assert_ptr_equal(leases_turn(&holders.leases, 1), first);
	second = leases_add(&holders.leases, &order, NULL);
	assert_non_null(second);
	row_of(&d);
	has("\"leased\"");
	has_not("ann");
	leases_remove(&holders.leases, first);
	leases_remove(&holders.leases, second);
	row_of(&d);
	has_not("leased");
	leases_done(&holders.leases);
	words_done(&ids);
}

/* What is looked for may stand in any of these, in letters of any size. */
static void test_search(void **state)
{
	static const struct {
		const char *query;
		bool fits;
	} rows[] = {
		{ "q=AA:BB", true },
		{ "q=Kitchen", true },
		{ "q=kevin-BOX", true },
		{ "q=2.4.2-x", true },
		{ "q=LISTING", true },
		{ "q=WebSocket", false },
		{ "q=", true },
		{ "board=aa:bb", true },
		{ "board=aa", false },
		{ "board=AA:BB", false },
		{ "q=nothing&board=aa:bb", true },
	};
	char id[] = "aa:bb", board[] = "Kevin-box", version[] = "2.4.2-X";
	struct board d = { .server = &nobodys,
			   .id = id,
			   .alias = "kitchen",
			   .board = board,
			   .version = version,
			   .state = DEVICE_LISTING };
	struct registry r = { 0 };

	(void)state;
	add(&r, &d);
	for (size_t i = 0; i < COUNT(rows); i++) {
		table(&r, rows[i].query);
		if (rows[i].fits)
			has("<tr data-id");
		else
			has_not("<tr data-id");
	}
	table(&r, "q=kitchen");
	has("1 device is connected, 0 of them ready; 1 fits.\n");
	has("data-live=\"/events?from=0&amp;q=kitchen\"");
	table(&r, "board=aa:bb");
	has("data-live=\"/events?from=0&amp;board=aa:bb\"");
	has_not("class=\"ways\"");
	/* Where there are none any more there is no "shown". */
	table(&r, "from=5");
	has("1 device is connected, 0 of them ready.\n");
	has("href=\"/?from=0\">Those before");
	has_not("The next");
	table(&r, "from=1000001");
	has("<tr data-id");
	table(&r, "from=-1");
	has("<tr data-id");
}

/* ---- forms ---- */

static struct tool_list list;

static const struct tool *tool(const char *json)
{
	struct error err = { 0 };

	tool_list_done(&list);
	if (tool_list_add_text(&list, json, strlen(json), &err))
		fail_msg("%s", err.text);
	assert_int_equal(list.count, 1);
	return &list.tool[0];
}

#define TOOL(name, properties, required)                                     \
	"{\"name\":\"" name "\",\"inputSchema\":{\"type\":"                  \
	"\"object\",\"properties\":{" properties "},\"required\":[" required \
	"]}}"

static void form(const struct tool *t)
{
	const struct pages_form_place at = { "/boards/x/call", "l1", "s1" };

	buf_done(&out);
	pages_form_add(&out, t, &at);
}

static void test_fields(void **state)
{
	(void)state;
	form(tool(TOOL(
		"t",
		"\"n\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":100},"
		"\"b\":{\"type\":\"boolean\"},\"e\":{\"enum\":[\"a\\\"b\",2]},"
		"\"s\":{\"type\":\"string\",\"default\":\"x\"},"
		"\"o\":{\"type\":\"object\"},\"f\":{\"type\":\"number\"}",
		"\"n\",\"e\"")));
	has("<input type=\"number\" name=\"a0\" step=\"1\" min=\"0\" max=\"100\" required>");
	has("<select name=\"a1\"><option value=\"\"></option><option value=\"true\">true</option>");
	has("<select name=\"a2\" required>");
	has("<option value=\"0\">a&#34;b</option><option value=\"1\">2</option>");
	has("<input name=\"a3\">");
	has("<textarea name=\"a4\"");
	has("name=\"a5\" step=\"any\"");
	has("name=\"seal\" value=\"s1\"");
	has_not("name=\"sure\"");
	form(tool(TOOL("self.reboot", "", "")));
	has("name=\"sure\" value=\"1\" required");
	has("cannot be taken back");
}

/* A whole form, to the letter. */
static void test_form(void **state)
{
	(void)state;
	form(tool(
		"{\"name\":\"self.get_device_status\",\"description\":\"How it \\\"is\\\".\",\"annotations\":{\"audience\":[\"user\"]},\"inputSchema\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":9,\"description\":\"How many\"},\"b\":{\"type\":\"boolean\"},\"j\":{\"type\":\"array\"}},\"required\":[\"b\",\"j\"]}}"));
	same("<details class=\"tool\"><summary><code>self.get_device_status</code> <i>reads</i> <i>for users only</i></summary>\n"
	     "<p class=\"words\">How it &#34;is&#34;.</p>\n"
	     "<form method=\"post\" action=\"/boards/x/call\"><input type=\"hidden\" name=\"tool\" value=\"self.get_device_status\"><input type=\"hidden\" name=\"list\" value=\"l1\"><input type=\"hidden\" name=\"seal\" value=\"s1\">"
	     "<label><span>n</span><input type=\"number\" name=\"a0\" step=\"1\" min=\"1\" max=\"9\"><small>integer 1..9: How many</small></label>\n"
	     "<label><span>b *</span><select name=\"a1\" required><option value=\"\"></option><option value=\"true\">true</option><option value=\"false\">false</option></select><small>boolean</small></label>\n"
	     "<label><span>j *</span><textarea name=\"a2\" rows=\"2\" placeholder=\"JSON\" required></textarea><small>array</small></label>\n"
	     "<button>Call</button><div class=\"answer\" aria-live=\"polite\"></div></form></details>\n");
	form(tool("{\"name\":\"self.audio_speaker.set_volume\"}"));
	has("</code> <i>acts</i></summary>");
	form(tool("{\"name\":\"x\"}"));
	has("<code>x</code></summary>");
}

static void form_of(size_t words, size_t choice)
{
	CLEANUP(buf_done) struct buf json = { 0 };

	buf_text(&json, "{\"name\":\"t\",\"description\":\"");
	for (size_t i = 0; i < words; i++)
		buf_char(&json, 'w');
	buf_text(&json,
		 "\",\"inputSchema\":{\"properties\":{\"e\":{\"enum\":[\"");
	for (size_t i = 0; i < choice; i++)
		buf_char(&json, 'c');
	buf_text(&json, "\"]}}}}");
	form(tool(buf_string(&json)));
}

/* Long texts end where a page has no more room for them. */
static void test_long_words(void **state)
{
	(void)state;
	form_of(2000, 200);
	has("ww</p>");
	has("cc</option>");
	has_not("w…");
	form_of(2001, 200);
	has("ww…</p>");
	has("cc</option>");
	form_of(1, 201);
	has("<p class=\"words\">w</p>");
	has("cc…</option>");
}

/* As many choices as fit; a longer list is JSON. */
static void test_choices(void **state)
{
	struct buf json = { 0 };

	(void)state;
	for (int most = 256; most <= 257; most++) {
		buf_reset(&json);
		buf_text(
			&json,
			"{\"name\":\"t\",\"inputSchema\":{\"properties\":{\"e\":{\"enum\":[");
		for (int i = 0; i < most; i++)
			buf_printf(&json, "%s%d", i ? "," : "", i);
		buf_text(&json, "]}}}}");
		form(tool(buf_string(&json)));
		if (most == 256)
			has("<option value=\"255\">255</option></select>");
		else
			has_not("<select");
	}
	buf_done(&json);
	form(tool(TOOL("t", "\"e\":{\"enum\":[]},\"z\":{}", "")));
	has("<textarea name=\"a0\"");
	has("<textarea name=\"a1\"");
}

/* What the fields of a form are called; all else is not ours. */
static void test_given(void **state)
{
	static const struct {
		const char *name, *value;
	} rows[] = { { "tool", "T" },  { "list", "L" },	 { "seal", "S" },
		     { "sure", "1" },  { "a0", "zero" }, { "a63", "last" },
		     { "a64", "no" },  { "a-1", "no" },	 { "b1", "no" },
		     { "a0", "again" } };
	struct pages_given g = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		pages_given_take(&g, rows[i].name, NULL, NULL, rows[i].value,
				 strlen(rows[i].value));
	assert_string_equal(g.tool, "T");
	assert_string_equal(g.list, "L");
	assert_string_equal(g.seal, "S");
	assert_true(g.sure);
	assert_string_equal(g.value[0], "again");
	assert_string_equal(g.value[63], "last");
	for (size_t i = 1; i < 63; i++)
		assert_null(g.value[i]);
	pages_given_take(&g, "sure", NULL, NULL, "12", 2);
	assert_false(g.sure);
	pages_given_take(&g, "sure", NULL, NULL, "0", 1);
	assert_false(g.sure);
	pages_given_done(&g);
	assert_null(g.tool);
	assert_null(g.value[0]);
}

static void test_hostile_schema(void **state)
{
	struct buf json = { 0 };

	(void)state;
	form(tool(
		"{\"name\":\"<script>\\\"'&\\u001b\",\"description\":\"</p><script>\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"<b>\":{\"type\":\"string\",\"description\":\"<img src=x onerror=1>\",\"enum\":[\"</select><script>\"]}}}}"));
	has_not("<script");
	has_not("<b>");
	has_not("<img");
	has_not("\x1b");
	has("name=\"tool\" value=\"&#60;script&#62;&#34;&#39;&#38;&#27;\"");
	buf_text(&json, "{\"name\":\"t\",\"inputSchema\":{\"properties\":{");
	for (int i = 0; i < 1000; i++)
		buf_printf(&json, "%s\"p%d\":{\"type\":\"string\"}",
			   i ? "," : "", i);
	buf_text(&json, "}}}");
	form(tool(buf_string(&json)));
	has("name=\"a63\"");
	has_not("name=\"a64\"");
	has("More arguments than these");
	buf_done(&json);
	form(tool("{\"name\":\"t\",\"inputSchema\":{\"$ref\":\"#\"}}"));
	form(tool("{\"name\":\"t\",\"inputSchema\":[1]}"));
	form(tool("{\"name\":\"t\"}"));
	has("<button>Call");
}

/* The arguments of values; NULL ends them. */
static const char *arguments(const struct tool *t, const char *const *values)
{
	struct pages_given g = { 0 };
	struct error err = { 0 };

	buf_done(&out);
	for (size_t i = 0; values[i]; i++) {
		char name[24];

		snprintf(name, sizeof(name), "a%zu", i);
		pages_given_take(&g, name, NULL, NULL, values[i],
				 strlen(values[i]));
	}
	if (pages_form_arguments(&out, t, &g, &err)) {
		buf_done(&out);
		buf_printf(&out, "no: %s", err.text);
	}
	error_reset(&err);
	pages_given_done(&g);
	return text();
}

#define ARGUMENTS(t, ...) \
	arguments(t, (const char *const[]){ __VA_ARGS__, NULL })

static void test_what_came_back(void **state)
{
	const struct tool *t = tool(TOOL(
		"t",
		"\"n\":{\"type\":\"integer\",\"maximum\":100},\"s\":{\"type\":\"string\"},"
		"\"e\":{\"enum\":[\"a\\\"b\",2]},\"o\":{\"type\":\"array\"},\"b\":{\"type\":\"boolean\"}",
		"\"n\",\"s\""));

	(void)state;
	assert_string_equal(
		ARGUMENTS(t, "7", "hi", "0", "[1]", "true"),
		"{\"n\":7,\"s\":\"hi\",\"e\":\"a\\\"b\",\"o\":[1],\"b\":true}");
	assert_string_equal(ARGUMENTS(t, "7", "", "", "", ""),
			    "{\"n\":7,\"s\":\"\"}");
	assert_string_equal(ARGUMENTS(t, "7", "@/etc/passwd", "1"),
			    "{\"n\":7,\"s\":\"@/etc/passwd\",\"e\":2}");
	ARGUMENTS(t, "101", "");
	has("no: argument 'n': 101 is above the maximum of 100");
	ARGUMENTS(t, "", "");
	has("no: argument 'n' is required");
	ARGUMENTS(t, "7", "", "2");
	has("no: argument 'e': that is no choice");
	ARGUMENTS(t, "7", "", "-1");
	has("no: argument 'e'");
	ARGUMENTS(t, "7", "", "0", "[1");
	has("no: argument 'o' is not JSON");
	ARGUMENTS(t, "@/etc/passwd", "");
	has("no: argument 'n'");
	ARGUMENTS(t, "7", "\xff");
	has("not valid UTF-8");
}

/* ---- results ---- */

static void result(const char *frame)
{
	buf_done(&out);
	pages_call_result(&out, frame, strlen(frame));
}

static void test_results(void **state)
{
	(void)state;
	result("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"<script>\\u001b\"}],\"isError\":true}}");
	has("it failed");
	has("<pre>&#60;script&#62;");
	has_not("\x1b");
	result("{\"type\":\"mcp\",\"payload\":{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"<b>\"}}}");
	has("answers with an error");
	has("&#60;b&#62;");
	result("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"message\":\"a \"quoted\" <b>\"}}");
	has("answers with an error");
	has("&#60;b&#62;");
	result("<html>");
	has("no JSON-RPC");
	has("&#60;html&#62;");
	result("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"image\",\"mimeType\":\"<i>\",\"data\":\"AAAA\"}]}}");
	has("a picture (&#60;i&#62;), 3 bytes");
	result("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}");
	has("null");
}

/* Each kind of content, to the letter. */
static void test_contents(void **state)
{
	static const struct {
		const char *content, *html;
	} rows[] = {
		{ "{\"type\":\"text\",\"text\":\"a\\nb\"}",
		  "<pre>a&#10;b</pre>\n" },
		{ "{\"type\":\"audio\",\"mimeType\":\"audio/wav\",\"data\":\"AAAA\"}",
		  "<p>a sound (audio/wav), 3 bytes; 'mcpctl call' with --save keeps it</p>\n" },
		{ "{\"type\":\"image\",\"data\":\"AA==\"}",
		  "<p>a picture, 1 bytes; 'mcpctl call' with --save keeps it</p>\n" },
		{ "{\"type\":\"resource\",\"resource\":{\"uri\":\"u:1\",\"text\":\"in it\"}}",
		  "<p>a resource, 5 bytes; 'mcpctl call' with --save keeps it</p>\n<pre>u:1</pre>\n<pre>in it</pre>\n" },
		{ "{\"type\":\"new\"}", "<p>something unknown</p>\n" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *frame = mem_printf(
			"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[%s]}}",
			rows[i].content);

		result(frame);
		has(rows[i].html);
		has_not("it failed");
	}
	result("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":1}}");
	has_not("That is not all");
	result("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-1}}");
	same("<p class=\"bad\">The board answers with an error:</p>\n"
	     "<pre>(it has no words)</pre>\n");
	result("{\"id\":1,\"result\":broken}");
	has("<p class=\"bad\">The reply is no JSON-RPC; it is:</p>\n<pre>");
}

/* Indented it would be 100 times as much. */
static void test_deep_result(void **state)
{
	CLEANUP(buf_done) struct buf frame = { 0 };

	(void)state;
	buf_text(&frame, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":");
	for (int i = 0; i < 150; i++)
		buf_char(&frame, '[');
	for (int i = 0; i < 100000; i++)
		buf_text(&frame, "0,");
	buf_char(&frame, '0');
	for (int i = 0; i < 150; i++)
		buf_char(&frame, ']');
	buf_char(&frame, '}');
	result(buf_string(&frame));
	has("That is not all");
	assert_true(out.len < 300000);
}

/* Many texts, each below what is shown of one. */
static void test_many_texts(void **state)
{
	CLEANUP(buf_done) struct buf frame = { 0 };

	(void)state;
	buf_text(&frame,
		 "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[");
	for (int i = 0; i < 100; i++)
		buf_printf(&frame,
			   "%s{\"type\":\"text\",\"text\":\"%0150000d\"}",
			   i ? "," : "", 0);
	buf_text(&frame, "]}}");
	result(buf_string(&frame));
	has("The rest would be too much");
	assert_true(out.len < (2u << 20));
}

/* ---- a board's page ---- */

static void test_board_page(void **state)
{
	struct finding f = { .code = D123, .detail = evil, .count = 3 };
	struct diag diag = { .item = &f, .count = 1 };
	struct pages_picture pictures[PAGES_PICTURES_MAX] = {
		{ 1, plain, evil, evil, 0, true },
		{ 2, evil, evil, evil, 0, true },
		{ 3, plain, evil, evil, 0, false }
	};
	struct board d = {
		.server = &nobodys, .id = plain, .diag = &diag, .address = evil
	};
	struct pages_board_view v = { .board = &d,
				      .picture = pictures,
				      .pictures = 3,
				      .kept = true,
				      .seal = "s1" };

	(void)state;
	pages_board_page(&out, &v);
	has_not("<script>a");
	has("<a href=\"/findings/D123\">");
	has("(3 times)");
	has("<img src=\"/pictures/1\"");
	has_not("/pictures/2");
	has("<a href=\"/pictures/3\">Not shown by itself");
	has("It has not told them.");
	buf_done(&out);
	pages_story_page(&out, D123);
	has("D123");
	has("<dt>");
}

/* All that is known of a board, to the letter. */
/* Where a finding leads: its whole story, and nothing of parts that it lacks. */
static void test_story(void **state)
{
	(void)state;
	pages_story_page(&out, B214);
	has("B214: a request id is used again");
	has("<dt>looks</dt><dd>Two requests of one connection have the same id.");
	has("<dt>backend</dt><dd>count up for the life of the connection</dd>");
	has_not("<dt>firmware</dt>");
}

static void test_whole_board_page(void **state)
{
	struct tool_lists lists = { 0 };
	struct finding f[] = { { .code = B211, .detail = plain, .count = 1 },
			       { .code = D123, .detail = plain, .count = 1 } };
	struct diag diag = { .item = f, .count = 1 };
	char name[] = "n", client[] = "c-1", reason[] = "no answer";
	struct board_calls calls = { .count = 2, .took_us = { 2000, 9000 } };
	struct board d = { .server = &nobodys,
			   .id = plain,
			   .alias = "kitchen",
			   .address = name,
			   .client_id = client,
			   .server_name = name,
			   .reason = reason,
			   .calls = &calls,
			   .diag = &diag,
			   .state = DEVICE_FAILED };
	struct pages_board_view v = { .board = &d, .seal = "s1" };

	(void)state;
	setenv("TZ", "UTC0", 1);
	tzset();
	pages_board_page(&out, &v);
	has("<title>kitchen - mcpctl</title>");
	has("<h1>kitchen</h1>\n"
	    "<table id=\"boards\" data-live=\"/events?from=0&amp;board=02:00:00:00:00:01\">");
	has("</tbody></table>\n");
	has("<dl id=\"facts\">\n"
	    "<dt>address</dt><dd>n</dd>\n"
	    "<dt>client id</dt><dd>c-1</dd>\n"
	    "<dt>server</dt><dd>n</dd>\n"
	    "<dt>heard last</dt><dd>1970-01-01 00:00:00</dd>\n"
	    "<dt>calls</dt><dd>2, half of the last ones in 2 ms or less</dd>\n"
	    "<dt>why not ready</dt><dd>no answer</dd>\n"
	    "</dl>\n"
	    "<section id=\"findings\"><h2>Found</h2>\n"
	    "<p>Nothing is out of place so far.</p>\n"
	    "</section>\n"
	    "<section id=\"pictures\"><h2>Pictures</h2>\n"
	    "<p>They are not kept: start serve with --save-images FOLDER.</p>\n"
	    "</section>\n"
	    "<section id=\"tools\"><h2>Tools</h2>\n"
	    "<p>It has not told them.</p></section>\n"
	    "</main></body></html>\n");
	has_not("<dt>signal");
	has_not("<dt>sound");
	/* Findings, no pictures, and the tools in the order of their names. */
	diag.count = 2;
	v.kept = true;
	d.alias = NULL;
	tool("{\"name\":\"t\"}");
	d.tools = tool_lists_hold(&lists, &list);
	buf_done(&out);
	pages_board_page(&out, &v);
	has("<title>02:00:00:00:00:01 - mcpctl</title>");
	has("<section id=\"findings\"><h2>Found</h2>\n<ul>\n"
	    "<li class=\"warning\"><a href=\"/findings/D123\">D123</a> warning: ");
	has("</li>\n</ul></section>\n");
	has_not("times)");
	has_not("/findings/B211");
	has("<p>None of the last ones kept is of it.</p>\n</section>\n");
	has("<section id=\"tools\"><h2>Tools</h2>\n<details class=\"tool\">");
	has("action=\"/boards/02:00:00:00:00:01/call\"");
	has("</details>\n<p class=\"ways\"></p>\n</section>\n");
	tool_lists_release(&lists, d.tools);
	/* A hundred on a page. */
	tool_list_done(&list);
	for (int i = 0; i < 250; i++) {
		CLEANUP(mem_free_ptr)
		char *each = mem_printf("{\"name\":\"t%03d\"}", i);

		assert_int_equal(
			tool_list_add_text(&list, each, strlen(each), NULL), 0);
	}
	d.tools = tool_lists_hold(&lists, &list);
	for (v.from = 0; v.from <= 200; v.from += 100) {
		buf_done(&out);
		pages_board_page(&out, &v);
		if (v.from == 0) {
			has("<code>t000<");
			has("<code>t099<");
			has_not("<code>t100<");
			has("<p class=\"ways\"><a href=\"?from=100\">150 more tools</a></p>");
		} else if (v.from == 100) {
			has_not("<code>t099<");
			has("<code>t100<");
			has("<p class=\"ways\"><a href=\"?from=0\">The tools before</a> <a href=\"?from=200\">50 more tools</a></p>");
		} else {
			has("<code>t249<");
			has("<p class=\"ways\"><a href=\"?from=100\">The tools before</a> </p>");
		}
	}
	v.from = 150;
	buf_done(&out);
	pages_board_page(&out, &v);
	has("<a href=\"?from=50\">The tools before</a> </p>");
	tool_lists_release(&lists, d.tools);
	tool_lists_done(&lists);
}

/* The newest first, as many as are kept, those of this board alone. */
static void test_pictures(void **state)
{
	static struct pages_picture ring[PAGES_PICTURES_MAX];
	char other[] = "other", words[] = "a cat";
	struct board d = { .server = &nobodys, .id = plain };
	struct pages_board_view v = { .board = &d,
				      .picture = ring,
				      .pictures = 66,
				      .kept = true,
				      .seal = "s1" };

	(void)state;
	setenv("TZ", "UTC0", 1);
	tzset();
	for (uint64_t n = 3; n <= 66; n++)
		ring[(n - 1) % PAGES_PICTURES_MAX] = (struct pages_picture){
			n, n == 65 ? other : plain, other, words, 1000, true
		};
	pages_board_page(&out, &v);
	has("<section id=\"pictures\"><h2>Pictures</h2>\n"
	    "<figure><a href=\"/pictures/66\"><img src=\"/pictures/66\" loading=\"lazy\" alt=\"\"></a><figcaption>1970-01-01 00:00:01 a cat</figcaption></figure>\n"
	    "<figure><a href=\"/pictures/64\">");
	has("<figure><a href=\"/pictures/3\"><img src=\"/pictures/3\" loading=\"lazy\" alt=\"\"></a><figcaption>1970-01-01 00:00:01 a cat</figcaption></figure>\n"
	    "</section>\n");
	has_not("/pictures/65");
	has_not("None of the last ones");
}

static void test_parts(void **state)
{
	const struct html_file *f;

	(void)state;
	html_notice(&out, "A <b>", "Words.", "/x?a=\"1\"");
	has("<title>A &#60;b&#62; - mcpctl</title>"
	    "<link rel=\"stylesheet\" href=\"/web/style.css?");
	has("\"><link rel=\"icon\" href=\"/web/icon.svg?");
	has("\"><script defer src=\"/web/script.js?");
	has("\"></script></head>\n<body>\n"
	    "<header><a href=\"/\">mcpctl</a> <span id=\"live\"></span></header>\n"
	    "<main>\n<h1>A &#60;b&#62;</h1>\n"
	    "<div id=\"answer\"><p>Words.</p></div>\n"
	    "<p><a href=\"/x?a=&#34;1&#34;\">Back</a></p>\n"
	    "</main></body></html>\n");
	buf_done(&out);
	html_notice(&out, "A", "Words.", NULL);
	has_not("Back");
	assert_null(html_file("/web/none"));
	assert_null(html_file("/web/"));
	f = html_file("/web/icon.svg");
	assert_non_null(f);
	assert_string_equal(f->type, "image/svg+xml");
	assert_int_equal(f->len, strlen(f->text));
	assert_string_equal(html_file("/web/style.css")->type,
			    "text/css; charset=utf-8");
	assert_string_equal(html_file("/web/script.js")->type,
			    "text/javascript; charset=utf-8");
}

/* ---- who may ---- */

struct asks {
	const char *address, *local, *method;
	const char *header[8]; /* names and values */
};

static enum pages_verdict judge(const struct pages_access *a,
				const struct asks *asks)
{
	struct headers h = { 0 };
	struct front_head head = {
		.address = asks->address,
		.local = asks->local ? asks->local : "127.0.0.1:8000",
		.method = asks->method ? asks->method : "GET",
		.path = "/",
		.headers = &h
	};
	enum pages_verdict verdict;

	headers_add(&h, "Host", "127.0.0.1:8000");
	for (size_t i = 0; i < COUNT(asks->header) && asks->header[i]; i += 2)
		headers_add(&h, asks->header[i], asks->header[i + 1]);
	verdict = pages_access_judge(a, &head);
	headers_done(&h);
	return verdict;
}

#define JUDGE(a, ...) judge(a, &(struct asks){ __VA_ARGS__ })

static void test_from_here_alone(void **state)
{
	struct pages_access a = { 0 };

	(void)state;
	assert_int_equal(pages_access_open(&a, NULL, NULL), 0);
	assert_int_equal(JUDGE(&a, .address = "127.0.0.1:5"), PAGES_MAY);
	assert_int_equal(JUDGE(&a, .address = "127.9.9.9:5"), PAGES_MAY);
	assert_int_equal(JUDGE(&a, .address = "[::1]:5"), PAGES_MAY);
	assert_int_equal(JUDGE(&a, .address = "192.0.2.1:5"), PAGES_ELSEWHERE);
	assert_int_equal(JUDGE(&a, .address = "[2001:db8::1]:5"),
			 PAGES_ELSEWHERE);
	assert_int_equal(
		JUDGE(&a, .address = "192.0.2.1:5", .local = "192.0.2.1:8000"),
		PAGES_MAY);
	assert_int_equal(
		JUDGE(&a, .address = "192.0.2.1:5", .local = "192.0.2.11:8000"),
		PAGES_ELSEWHERE);
	assert_int_equal(JUDGE(&a, .address = "127.0.0.1:5", .method = "GET",
			       .header = { "X-Forwarded-For", "127.0.0.1" }),
			 PAGES_PROXIED);
	assert_int_equal(JUDGE(&a, .address = "127.0.0.1:5", .method = "GET",
			       .header = { "Via", "1.1 x" }),
			 PAGES_PROXIED);
	pages_access_done(&a);
}

static void test_pages_of_others(void **state)
{
	static const char *const frames[] = {
		"iframe", "iframe", "frame", "embed", "object", "fencedframe"
	};
	struct pages_access a = { 0 };
	const char *here = "127.0.0.1:5";

	(void)state;
	assert_int_equal(pages_access_open(&a, NULL, NULL), 0);
	assert_int_equal(JUDGE(&a, .address = here, .method = "POST",
			       .header = { "Origin", "http://127.0.0.1:8000" }),
			 PAGES_MAY);
	assert_int_equal(JUDGE(&a, .address = here, .method = "POST",
			       .header = { "Origin", "http://127.0.0.1:8001" }),
			 PAGES_FOREIGN);
	assert_int_equal(JUDGE(&a, .address = here, .method = "POST",
			       .header = { "Origin", "null" }),
			 PAGES_FOREIGN);
	assert_int_equal(JUDGE(&a, .address = here, .method = "GET",
			       .header = { "Sec-Fetch-Site", "cross-site",
					   "Sec-Fetch-Mode", "no-cors" }),
			 PAGES_FOREIGN);
	assert_int_equal(JUDGE(&a, .address = here, .method = "POST",
			       .header = { "Sec-Fetch-Site", "cross-site",
					   "Sec-Fetch-Mode", "navigate" }),
			 PAGES_FOREIGN);
	assert_int_equal(JUDGE(&a, .address = here, .method = "GET",
			       .header = { "Sec-Fetch-Site", "cross-site",
					   "Sec-Fetch-Mode", "navigate" }),
			 PAGES_MAY);
	assert_int_equal(JUDGE(&a, .address = here, .method = "GET",
			       .header = { "Sec-Fetch-Site", "cross-site",
					   "Sec-Fetch-Mode", "navigate",
					   "Sec-Fetch-Dest", "document" }),
			 PAGES_MAY);
	/* Ours, and what the user typed. */
	assert_int_equal(JUDGE(&a, .address = here, .method = "POST",
			       .header = { "Sec-Fetch-Site", "same-origin",
					   "Sec-Fetch-Mode", "cors" }),
			 PAGES_MAY);
	assert_int_equal(JUDGE(&a, .address = here, .method = "GET",
			       .header = { "Sec-Fetch-Site", "none",
					   "Sec-Fetch-Mode", "no-cors" }),
			 PAGES_MAY);
	for (size_t i = 0; i < COUNT(frames); i++) {
		assert_int_equal(
			JUDGE(&a, .address = here, .method = "GET",
			      .header = { "Sec-Fetch-Site",
					  i % 2 ? "cross-site" : "same-origin",
					  "Sec-Fetch-Mode", "navigate",
					  "Sec-Fetch-Dest", frames[i] }),
			PAGES_FOREIGN);
	}
	pages_access_done(&a);
}

static struct front_head head_with(struct headers *h, const char *cookie)
{
	if (cookie)
		headers_add(h, "Cookie", cookie);
	return (struct front_head){ .address = "192.0.2.1:5",
				    .local = "192.0.2.9:8000",
				    .method = "GET",
				    .path = "/",
				    .headers = h };
}

static enum pages_verdict with_cookie(const struct pages_access *a,
				      const char *cookie)
{
	struct headers h = { 0 };
	struct front_head head = head_with(&h, cookie);
	enum pages_verdict verdict = pages_access_judge(a, &head);

	headers_done(&h);
	return verdict;
}

/* All that is in front of the first ';'. */
static char *cut(const char *cookie)
{
	return mem_strndup(cookie, strcspn(cookie, ";"));
}

static void test_token(void **state)
{
	struct pages_access a = { 0 }, other = { 0 };
	struct headers none = { 0 };
	struct front_head head = head_with(&none, NULL);
	char *cookie, *pair, *among;
	bool late;

	(void)state;
	assert_int_equal(pages_access_open(&a, NULL, NULL), 0);
	assert_int_equal(pages_access_open(&other, NULL, NULL), 0);
	a.token = mem_strdup("0123456789abcdef");
	other.token = mem_strdup("0123456789abcdef");
	assert_int_equal(JUDGE(&a, .address = "127.0.0.1:5"), PAGES_UNKNOWN);
	assert_null(pages_access_login(&a, &head, "0123456789abcdeg", &late));
	assert_false(late);
	assert_null(pages_access_login(&a, &head, "", &late));
	cookie = pages_access_login(&a, &head, "0123456789abcdef", &late);
	assert_non_null(cookie);
	assert_non_null(strstr(cookie, "; HttpOnly; SameSite=Strict"));
	assert_null(strstr(cookie, "Secure"));
	pair = cut(cookie);
	among = mem_printf("a=b; x%s; %s; c=d", pair, pair);
	assert_int_equal(with_cookie(&a, pair), PAGES_MAY);
	assert_int_equal(with_cookie(&a, among), PAGES_MAY);
	assert_int_equal(with_cookie(&other, pair), PAGES_UNKNOWN);
	pair[strlen(pair) - 1] ^= 1;
	assert_int_equal(with_cookie(&a, pair), PAGES_UNKNOWN);
	pair[strlen(pair) - 1] ^= 1;
	pair[strlen("mcpctl=")]++; /* a later end */
	assert_int_equal(with_cookie(&a, pair), PAGES_UNKNOWN);
	assert_int_equal(with_cookie(&a, "mcpctl="), PAGES_UNKNOWN);
	assert_int_equal(with_cookie(&a, "mcpctl=-"), PAGES_UNKNOWN);
	pair[strlen("mcpctl=")]--;
	assert_int_equal(with_cookie(&a, pair), PAGES_MAY);
	pages_access_end_all(&a);
	assert_int_equal(with_cookie(&a, pair), PAGES_UNKNOWN);
	mem_free(cookie);
	mem_free(pair);
	mem_free(among);
	pages_access_done(&a);
	pages_access_done(&other);
}

/* A cookie that ends then, sealed as ours are; yours. */
static char *cookie_until(const struct pages_access *a, int64_t ms)
{
	CLEANUP(mem_free_ptr) char *what = mem_printf("%lld-00", (long long)ms);
	CLEANUP(buf_done) struct buf b = { 0 };
	char sum[SHA256_TEXT];

	buf_add(&b, a->inner, sizeof(a->inner));
	buf_printf(&b, "session 0\n%s", what);
	sha256_text(b.data, b.len, sum);
	buf_reset(&b);
	buf_add(&b, a->outer, sizeof(a->outer));
	buf_text(&b, sum);
	sha256_text(b.data, b.len, sum);
	return mem_printf("mcpctl=%s-%s", what, sum);
}

static void test_sessions_end(void **state)
{
	struct pages_access a = { 0 };
	char *late, *good;

	(void)state;
	assert_int_equal(pages_access_open(&a, NULL, NULL), 0);
	a.token = mem_strdup("0123456789abcdef");
	late = cookie_until(&a, unix_now_ms() - 1);
	good = cookie_until(&a, unix_now_ms() + PAGES_SESSION_MS);
	assert_int_equal(with_cookie(&a, good), PAGES_MAY);
	assert_int_equal(with_cookie(&a, late), PAGES_UNKNOWN);
	mem_free(late);
	mem_free(good);
	pages_access_done(&a);
}

/* By TLS through a proxy of the user's, as front tells. */
static void test_secure(void **state)
{
	struct pages_access a = { 0 };
	struct headers none = { 0 };
	struct front_head head = head_with(&none, NULL);
	char *cookie;
	bool late;

	(void)state;
	assert_int_equal(pages_access_open(&a, NULL, NULL), 0);
	a.token = mem_strdup("0123456789abcdef");
	head.tls = true;
	cookie = pages_access_login(&a, &head, "0123456789abcdef", &late);
	assert_non_null(strstr(cookie, "; Secure"));
	mem_free(cookie);
	pages_access_done(&a);
}

static bool is_late(struct pages_access *a, const char *address)
{
	struct headers none = { 0 };
	struct front_head head = head_with(&none, NULL);
	bool late;

	head.address = address;
	assert_null(pages_access_login(a, &head, "x", &late));
	return late;
}

static void test_tries(void **state)
{
	static struct pages_access a;
	struct headers none = { 0 };
	struct front_head head = head_with(&none, NULL);
	char *cookie;
	bool late = false;

	(void)state;
	assert_int_equal(pages_access_open(&a, NULL, NULL), 0);
	a.token = mem_strdup("0123456789abcdef");
	for (int i = 0; i < PAGES_TRIES; i++)
		assert_false(is_late(&a, "192.0.2.1:5"));
	/* Another port is the same address, another address is not. */
	assert_true(is_late(&a, "192.0.2.1:6"));
	assert_false(is_late(&a, "192.0.2.2:6"));
	/* Late, and let in. */
	head.address = "192.0.2.1:7";
	cookie = pages_access_login(&a, &head, "0123456789abcdef", &late);
	assert_non_null(cookie);
	assert_true(late);
	mem_free(cookie);
	/* All of a network of IPv6 is one. */
	for (int i = 0; i < PAGES_TRIES; i++) {
		char *each = mem_printf("[2001:db8::%d]:5", i + 1);

		assert_false(is_late(&a, each));
		mem_free(each);
	}
	assert_true(is_late(&a, "[2001:db8::ffff]:5"));
	assert_false(is_late(&a, "[2001:db8:0:1::1]:5"));
	pages_access_done(&a);
}

static void test_seals(void **state)
{
	struct pages_access a = { 0 }, other = { 0 };
	struct headers none = { 0 };
	struct front_head head = head_with(&none, NULL);
	char seal[SHA256_TEXT];

	(void)state;
	assert_int_equal(pages_access_open(&a, NULL, NULL), 0);
	assert_int_equal(pages_access_open(&other, NULL, NULL), 0);
	pages_access_seal(&a, &head, "b1", seal);
	assert_true(pages_access_sealed(&a, &head, "b1", seal));
	assert_false(pages_access_sealed(&a, &head, "b2", seal));
	assert_false(pages_access_sealed(&other, &head, "b1", seal));
	/* Each of its two keys counts. */
	memcpy(other.outer, a.outer, sizeof(a.outer));
	assert_false(pages_access_sealed(&other, &head, "b1", seal));
	memcpy(other.inner, a.inner, sizeof(a.inner));
	assert_true(pages_access_sealed(&other, &head, "b1", seal));
	other.outer[0] ^= 1;
	assert_false(pages_access_sealed(&other, &head, "b1", seal));
	assert_false(pages_access_sealed(&a, &head, "b1", NULL));
	assert_false(pages_access_sealed(&a, &head, "b1", ""));
	pages_access_done(&a);
	pages_access_done(&other);
}

static void test_token_file(void **state)
{
	struct pages_access a = { 0 };
	struct error err = { 0 };

	(void)state;
	assert_int_equal(pages_access_open(&a, "/nonexistent/token", &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	error_reset(&err);
	pages_access_done(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_rows_are_text, reset),
		cmocka_unit_test_teardown(test_health, reset),
		cmocka_unit_test_teardown(test_rows_in_parts, reset),
		cmocka_unit_test_teardown(test_held_cells, reset),
		cmocka_unit_test_teardown(test_held_call, reset),
		cmocka_unit_test_teardown(test_cells, reset),
		cmocka_unit_test_teardown(test_leased, reset),
		cmocka_unit_test_teardown(test_search, reset),
		cmocka_unit_test_teardown(test_fields, reset),
		cmocka_unit_test_teardown(test_form, reset),
		cmocka_unit_test_teardown(test_long_words, reset),
		cmocka_unit_test_teardown(test_choices, reset),
		cmocka_unit_test(test_given),
		cmocka_unit_test_teardown(test_hostile_schema, reset),
		cmocka_unit_test_teardown(test_what_came_back, reset),
		cmocka_unit_test_teardown(test_results, reset),
		cmocka_unit_test_teardown(test_deep_result, reset),
		cmocka_unit_test_teardown(test_many_texts, reset),
		cmocka_unit_test_teardown(test_contents, reset),
		cmocka_unit_test_teardown(test_board_page, reset),
		cmocka_unit_test_teardown(test_story, reset),
		cmocka_unit_test_teardown(test_whole_board_page, reset),
		cmocka_unit_test_teardown(test_pictures, reset),
		cmocka_unit_test_teardown(test_parts, reset),
		cmocka_unit_test(test_from_here_alone),
		cmocka_unit_test(test_pages_of_others),
		cmocka_unit_test(test_token),
		cmocka_unit_test(test_sessions_end),
		cmocka_unit_test(test_secure),
		cmocka_unit_test(test_tries),
		cmocka_unit_test(test_seals),
		cmocka_unit_test(test_token_file),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	tool_list_done(&list);
	return failed;
}
