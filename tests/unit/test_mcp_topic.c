/* SPDX-License-Identifier: MIT */
/*
 * wire/mcp_topic: topics of MCP over MQTT, filters, presence; mcp/kwargs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "mcp/kwargs.h"
#include "wire/mcp_topic.h"

static void is_span(struct span s, const char *text)
{
	if (!text) {
		assert_null(s.text);
		return;
	}
	assert_int_equal(s.len, strlen(text));
	assert_memory_equal(s.text, text, s.len);
}

static void is_text(const char *text, const char *wanted)
{
	if (wanted)
		assert_string_equal(text, wanted);
	else
		assert_null(text);
}

static void topics_are_read(void **state)
{
	static const struct {
		const char *topic;
		enum mcp_topic_kind kind;
		const char *client, *id, *name, *server;
	} rows[] = {
		{ "$mcp-server/presence/i/a/b c", MCP_TOPIC_PRESENCE, NULL, "i",
		  "a/b c", "i/a/b c" },
		{ "$mcp-server/i/a", MCP_TOPIC_CONTROL, NULL, "i", "a", "i/a" },
		{ "$mcp-server/capability/i/a", MCP_TOPIC_CAPABILITY, NULL, "i",
		  "a", "i/a" },
		{ "$mcp-rpc/c/i/a/b", MCP_TOPIC_RPC, "c", "i", "a/b", "i/a/b" },
		{ "$mcp-client/presence/c", MCP_TOPIC_CLIENT, "c", NULL, NULL,
		  NULL },
		{ "$mcp-client/capability/c", MCP_TOPIC_CLIENT_CAPABILITY, "c",
		  NULL, NULL, NULL },
		{ "$mcp-service/x", MCP_TOPIC_DRAFT, NULL, NULL, NULL, NULL },
		{ "$mcp-rpc-endpoint/c/x", MCP_TOPIC_DRAFT, NULL, NULL, NULL,
		  NULL },
	};
	static const char *const none[] = {
		"",
		"$mcp-server",
		"$mcp-server/",
		"$mcp-server/i",
		"$mcp-server/i/",
		"$mcp-server//a",
		"$mcp-server/presence/",
		"$mcp-server/presence/i",
		"$mcp-rpc/c",
		"$mcp-rpc/c/i",
		"$mcp-rpc//i/a",
		"$mcp-client/presence/",
		"$mcp-client/presence/a/b",
		"mcp-server/i/a",
		"$mcp-serverx/i/a",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct mcp_topic t;

		mcp_topic_read(&t, rows[i].topic);
		assert_int_equal(t.kind, rows[i].kind);
		is_span(t.client, rows[i].client);
		is_span(t.id, rows[i].id);
		is_span(t.name, rows[i].name);
		if (rows[i].server)
			assert_string_equal(t.server, rows[i].server);
		else
			assert_null(t.server);
	}
	for (size_t i = 0; i < COUNT(none); i++) {
		struct mcp_topic t;

		mcp_topic_read(&t, none[i]);
		assert_int_equal(t.kind, MCP_TOPIC_NONE);
	}
}

static void topics_are_made(void **state)
{
	static const struct {
		enum mcp_topic_kind kind;
		const char *topic;
	} rows[] = {
		{ MCP_TOPIC_PRESENCE, "$mcp-server/presence/i/a" },
		{ MCP_TOPIC_CONTROL, "$mcp-server/i/a" },
		{ MCP_TOPIC_CAPABILITY, "$mcp-server/capability/i/a" },
		{ MCP_TOPIC_RPC, "$mcp-rpc/c/i/a" },
		{ MCP_TOPIC_CLIENT, "$mcp-client/presence/c" },
		{ MCP_TOPIC_CLIENT_CAPABILITY, "$mcp-client/capability/c" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *topic = mcp_topic_make(rows[i].kind, "c", "i/a");
		struct mcp_topic t;

		assert_string_equal(topic, rows[i].topic);
		mcp_topic_read(&t, topic);
		assert_int_equal(t.kind, rows[i].kind);
	}
	assert_null(mcp_topic_make(MCP_TOPIC_NONE, "c", "i/a"));
}

static void filters(void **state)
{
	static const struct {
		const char *text, *presence;
		bool exact;
	} rows[] = {
		{ "", "$mcp-server/presence/+/#", false },
		{ "i", "$mcp-server/presence/i/#", false },
		{ "i/", "$mcp-server/presence/i/#", false },
		{ "+/#", "$mcp-server/presence/+/#", false },
		{ "+/a/+", "$mcp-server/presence/+/a/+", false },
		{ "i/a b/\xc3\xa4", "$mcp-server/presence/i/a b/\xc3\xa4",
		  true },
	};
	static const char *const wrong[] = { "a+/b", "#",      "i/#/a",
					     "i/a#", "i/+a",   "i/a\nb",
					     "/a",   "i\x7f/a" };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *filter = mcp_presence_filter(rows[i].text);

		assert_string_equal(filter, rows[i].presence);
		assert_int_equal(mcp_filter_is_exact(rows[i].text),
				 rows[i].exact);
		if (*rows[i].text)
			assert_int_equal(mcp_filter_check(rows[i].text, NULL),
					 0);
	}
	for (size_t i = 0; i < COUNT(wrong); i++)
		assert_int_equal(mcp_filter_check(wrong[i], NULL), -1);
	assert_true(mcp_id_fits("a b:c", 5));
	assert_false(mcp_id_fits("", 0));
	assert_false(mcp_id_fits("a/b", 3));
	assert_false(mcp_id_fits("a+", 2));
	assert_false(mcp_id_fits("a#", 2));
	assert_false(mcp_id_fits("a\xff", 2));
	assert_false(mcp_id_fits("a\n", 2));
}

static void names_fit(void **state)
{
	static const struct mcp_names board = { "host-AA", "lab/box/Kitchen",
						"02:00:AA" };
	static const struct mcp_names bare = { "a", "lamp", NULL };
	static const struct mcp_names id_only = { "a", NULL, NULL };
	static const struct mcp_names name_only = { NULL, "lamp", NULL };
	static const struct {
		const struct mcp_names *names;
		const char *pattern;
		bool fits;
	} rows[] = {
		{ &board, "kitchen", true },
		{ &board, "KITCHEN", true },
		{ &board, "lab/box/kitchen", true },
		{ &board, "host-aa/lab/box/kitchen", true },
		{ &board, "host-aa", true },
		{ &board, "02:00:aa", true },
		{ &board, "kit*", true },
		{ &board, "02:*", true },
		{ &board, "box", false },
		{ &board, "box/kitchen", false },
		{ &board, "", false },
		{ &board, "id:02:00:aa", true },
		{ &board, "id:host-aa", true },
		{ &board, "id:host-aa/lab/box/kitchen", true },
		{ &board, "id:kitchen", false },
		{ &bare, "lamp", true },
		{ &bare, "a", true },
		{ &bare, "a/lamp", true },
		{ &bare, "id:lamp", false },
		{ &bare, "b", false },
		{ &id_only, "a", true },
		{ &id_only, "a/*", false },
		{ &name_only, "lamp", true },
		{ &name_only, "*/lamp", false },
		{ &name_only, "id:*", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(mcp_names_fit(rows[i].names, rows[i].pattern),
				 rows[i].fits);
}

static void presence(void **state)
{
	static const char online[] =
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/server/online\",\"params\":{\"description\":\"d\",\"meta\":{\"a\":1}}}";
	static const char board[] =
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/server/online\",\"params\":{\"meta\":{\"id\":\"02:x\"}}}";
	static const char *const odd[] = {
		"{",   "[]", "\xff", "{\"method\":\"x\"}", "{\"method\":1}",
		"null"
	};
	struct mcp_presence p;

	(void)state;
	mcp_presence_read(&p, "", 0);
	assert_true(p.gone);
	assert_false(p.online);
	mcp_presence_read(&p, online, strlen(online));
	assert_false(p.gone);
	assert_true(p.online);
	assert_string_equal(p.description, "d");
	assert_string_equal(p.meta, "{\"a\":1}");
	assert_null(p.device);
	mcp_presence_done(&p);
	mcp_presence_read(&p, board, strlen(board));
	assert_string_equal(p.device, "02:x");
	mcp_presence_done(&p);
	for (size_t i = 0; i < COUNT(odd); i++) {
		mcp_presence_read(&p, odd[i], strlen(odd[i]));
		assert_false(p.gone);
		assert_false(p.online);
		mcp_presence_done(&p);
	}
}

/* ---- kwargs ---- */

static cJSON *tree(const char *text)
{
	cJSON *out = json_parse(text, strlen(text), NULL);

	assert_non_null(out);
	return out;
}

static void kwargs_of_an_sdk(void **state)
{
	static const struct {
		const char *info;
		bool wanted;
	} rows[] = {
		{ "{\"name\":\"mcp\",\"version\":\"0.0.1\"}", true },
		{ "{\"name\":\"mcp\",\"version\":\"0.0.2\"}", false },
		{ "{\"name\":\"mcp\"}", false },
		{ "{\"name\":1,\"version\":\"0.0.1\"}", false },
		{ "[]", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(json_free_ptr) cJSON *info = tree(rows[i].info);

		assert_int_equal(kwargs_wanted(info), rows[i].wanted);
	}
	assert_false(kwargs_wanted(NULL));
}

static void kwargs_are_sorted(void **state)
{
	static const char schema[] =
		"{\"type\":\"object\",\"properties\":{\"b\":{},\"a\":{},\"c\":{\"default\":[1]}}}";
	static const struct {
		const char *given, *sent;
	} rows[] = {
		/* numbers keep the digits that they were given with */
		{ "{\"a\":1.50,\"b\":12345678901234567890}",
		  "{\"kwargs\":{\"b\":12345678901234567890,\"a\":1.50,\"c\":[1]}}" },
		{ "{\"c\":{\"x\":\"}\"},\"a\":null,\"b\":\"\\\"\"}",
		  "{\"kwargs\":{\"b\":\"\\\"\",\"a\":null,\"c\":{\"x\":\"}\"}}}" },
		{ "{\"z\":0,\"a\":1,\"b\":2}",
		  "{\"kwargs\":{\"b\":2,\"a\":1,\"c\":[1],\"z\":0}}" },
	};
	CLEANUP(json_free_ptr) cJSON *root = tree(schema);
	CLEANUP(buf_done) struct buf out = { 0 };
	CLEANUP(error_reset) struct error err = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		buf_reset(&out);
		assert_int_equal(kwargs_wrap(&out, root, rows[i].given, &err),
				 0);
		assert_string_equal(buf_string(&out), rows[i].sent);
	}
	buf_reset(&out);
	assert_int_equal(kwargs_wrap(&out, root, "{\"a\":1}", &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.text, "'b' is missing"));
	/* Nothing is known of the order. */
	buf_reset(&out);
	assert_int_equal(kwargs_wrap(&out, NULL, "{\"z\":1,\"a\":2}", NULL), 0);
	assert_string_equal(buf_string(&out), "{\"kwargs\":{\"z\":1,\"a\":2}}");
	buf_reset(&out);
	assert_int_equal(kwargs_wrap(&out, NULL, "{}", NULL), 0);
	assert_string_equal(buf_string(&out), "{\"kwargs\":{}}");
}

/* Each byte that has no place in an id, and its length. */
static void ids(void **state)
{
	static const struct {
		const char *text;
		bool fits;
	} rows[] = { { " ", true },	{ "~", true },	      { "\x1f", false },
		     { "\x7f", false }, { "\xc3\xa4", true }, { "\xc3", false },
		     { "/", false },	{ "+", false },	      { "#", false },
		     { "aa/", false },	{ ",", true } };
	char many[1025];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(
			mcp_id_fits(rows[i].text, strlen(rows[i].text)),
			rows[i].fits);
	memset(many, 'x', sizeof(many));
	assert_true(mcp_id_fits(many, 1));
	assert_true(mcp_id_fits(many, 1024));
	assert_false(mcp_id_fits(many, 1025));
	assert_false(mcp_id_fits("a\0b", 3));
}

static void filters_that_fit(void **state)
{
	static const struct {
		const char *text;
		bool fits, exact;
	} rows[] = {
		{ "i", true, false },	   { "+", true, false },
		{ "i/+", true, false },	   { "i/#", true, false },
		{ "i/+/b", true, false },  { "i//b", true, true },
		{ "i/ ", true, true },	   { "i/a", true, true },
		{ "", false, false },	   { "++/a", false, false },
		{ "i/##", false, false },  { "i/++", false, false },
		{ "i/#/", false, false },  { "i/\x1f", false, true },
		{ "i/\x7f", false, true }, { "#/a", false, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct error err = { 0 };
		CLEANUP(mem_free_ptr)
		char *why = mem_printf(
			"'%s' is neither SERVER_ID/SERVER_NAME nor a filter of such",
			rows[i].text);

		assert_int_equal(mcp_filter_check(rows[i].text, &err),
				 rows[i].fits ? 0 : -1);
		assert_int_equal(err.kind, rows[i].fits ? ERR_NONE : ERR_USAGE);
		assert_string_equal(err.text, rows[i].fits ? "" : why);
		assert_string_equal(
			err.hint,
			rows[i].fits ?
				"" :
				"+ stands for one level, and # (%23) for all that follow, as in +/xiaozhi/%23");
		assert_int_equal(mcp_filter_is_exact(rows[i].text),
				 rows[i].exact);
		error_reset(&err);
	}
}

/* What a presence leaves out, or has of another type. */
static void presence_of_little(void **state)
{
	static const struct {
		const char *params, *description, *meta, *device;
	} rows[] = {
		{ "null", NULL, NULL, NULL },
		{ "{}", NULL, NULL, NULL },
		{ "{\"description\":5,\"meta\":null}", NULL, NULL, NULL },
		{ "{\"description\":\"\",\"meta\":false}", "", NULL, NULL },
		{ "{\"meta\":\"x\"}", NULL, "\"x\"", NULL },
		{ "{\"meta\":{\"id\":5}}", NULL, "{\"id\":5}", NULL },
		{ "{\"meta\":{\"id\":\"b\"}}", NULL, "{\"id\":\"b\"}", "b" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *text = mem_printf("{\"method\":\"" MCP_ONLINE
					"\",\"params\":%s}",
					rows[i].params);
		struct mcp_presence p;

		mcp_presence_read(&p, text, strlen(text));
		assert_true(p.online && !p.gone);
		is_text(p.description, rows[i].description);
		is_text(p.meta, rows[i].meta);
		is_text(p.device, rows[i].device);
		mcp_presence_done(&p);
		assert_true(!p.online && !p.description && !p.meta);
	}
	assert_null(mcp_topic_make(MCP_TOPIC_DRAFT, "c", "i/a"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(topics_are_read),
		cmocka_unit_test(topics_are_made),
		cmocka_unit_test(filters),
		cmocka_unit_test(names_fit),
		cmocka_unit_test(presence),
		cmocka_unit_test(ids),
		cmocka_unit_test(filters_that_fit),
		cmocka_unit_test(presence_of_little),
		cmocka_unit_test(kwargs_of_an_sdk),
		cmocka_unit_test(kwargs_are_sorted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
