/* SPDX-License-Identifier: MIT */
/* Which tools a check calls, with what, and what --call may name. */
#include "checkup.h"

#include "check/calls.h"
#include "check/questions.h"

#define READS ",\"annotations\":{\"readOnlyHint\":true}"
#define DESTROYS ",\"annotations\":{\"destructiveHint\":true}"

static void list_of(struct tool_list *l, const char *schema, const char *more)
{
	CLEANUP(mem_free_ptr)
	char *tool = mem_printf(
		"{\"name\":\"self.xyz\",\"inputSchema\":{\"type\":\"object\"%s}%s}",
		schema, more);

	add_page(l, tool);
}

static void test_readers(void **state)
{
	static const struct {
		const char *schema, *more;
		bool is;
	} rows[] = {
		{ "", "", false },
		{ "", READS, true },
		{ "", DESTROYS, false },
		{ ",\"required\":[]", READS, true },
		{ ",\"required\":[\"a\"]", READS, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(tool_list_done) struct tool_list l = { 0 };

		list_of(&l, rows[i].schema, rows[i].more);
		assert_int_equal(tool_is_reader(&l.tool[0]), rows[i].is);
		/* The second of one name cannot be called for certain. */
		list_of(&l, rows[i].schema, rows[i].more);
		assert_false(tool_is_reader(&l.tool[1]));
	}
}

#define INTEGER(more)                                                                   \
	",\"properties\":{\"s\":{\"type\":\"string\"},\"v\":{\"type\":\"integer\"" more \
	"}},\"required\":[\"s\",\"v\"]"

static void test_tried(void **state)
{
	static const struct {
		const char *schema, *more;
		bool is;
	} rows[] = {
		{ "", "", false },
		{ INTEGER(""), "", true },
		{ INTEGER(""), READS, true },
		{ INTEGER(""), DESTROYS, false },
		{ ",\"properties\":{\"v\":{\"type\":\"integer\"}}", "", false },
		{ ",\"properties\":{\"v\":{\"type\":\"number\"}},\"required\":[\"v\"]",
		  "", false },
		{ ",\"properties\":{\"v\":{}},\"required\":[\"v\",7,\"w\"]", "",
		  false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(tool_list_done) struct tool_list l = { 0 };

		list_of(&l, rows[i].schema, rows[i].more);
		assert_int_equal(tool_is_tried(&l.tool[0]), rows[i].is);
		list_of(&l, rows[i].schema, rows[i].more);
		assert_false(tool_is_tried(&l.tool[1]));
	}
}

/* None, one above the maximum, one below the minimum; NULL: there is none. */
static void test_wrong_arguments(void **state)
{
	static const struct {
		const char *schema, *wrong[WRONG_WAYS];
	} rows[] = {
		{ INTEGER(",\"minimum\":0,\"maximum\":100"),
		  { "{}", "{\"s\":\"text\",\"v\":101}",
		    "{\"s\":\"text\",\"v\":-1}" } },
		{ INTEGER(",\"minimum\":5"),
		  { "{}", "{\"s\":\"text\",\"v\":2147483648}",
		    "{\"s\":\"text\",\"v\":4}" } },
		{ INTEGER(""),
		  { "{}", "{\"s\":\"text\",\"v\":2147483648}", NULL } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(tool_list_done) struct tool_list l = { 0 };

		list_of(&l, rows[i].schema, "");
		for (int n = 0; n < WRONG_WAYS; n++) {
			CLEANUP(buf_done) struct buf out = { 0 };
			const char *wrong = rows[i].wrong[n];

			assert_int_equal(
				tool_wrong_arguments(&l.tool[0], n, &out),
				wrong != NULL);
			assert_string_equal(buf_string(&out),
					    wrong ? wrong : "");
		}
	}
}

static void test_split(void **state)
{
	static const struct {
		const char *word, *name, *arguments;
	} rows[] = {
		{ "", "", "{}" },
		{ "a", "a", "{}" },
		{ "a=", "a", "" },
		{ "=b", "", "b" },
		{ "a.b={\"c\":\"d=e\"}", "a.b", "{\"c\":\"d=e\"}" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *arguments;
		CLEANUP(mem_free_ptr)
		char *name = check_call_split(rows[i].word, &arguments);

		assert_string_equal(name, rows[i].name);
		assert_string_equal(arguments, rows[i].arguments);
	}
}

/* text NULL: it is taken. */
static void reads(const char *word, const char *text)
{
	CLEANUP(error_reset) struct error err = { 0 };
	struct checkup k;

	begin(&k);
	words_add(&options.calls, "good");
	words_add(&options.calls, word);
	assert_int_equal(check_calls_read(&k, &err), text ? -1 : 0);
	if (text) {
		assert_int_equal(err.kind, ERR_USAGE);
		assert_memory_equal(err.text, text, strlen(text));
		assert_string_equal(
			err.hint,
			"for example --call self.audio_speaker.set_volume='{\"volume\":20}'");
	}
	words_done(&options.calls);
	end(&k);
}

static void test_calls_read(void **state)
{
	(void)state;
	reads("a", NULL);
	reads("a={\"b\":1}", NULL);
	reads("={}", "--call: '={}' is no TOOL[=JSON]");
	reads("a=[]", "--call: 'a=[]' is no TOOL[=JSON]");
	reads("a=7", "--call: 'a=7' is no TOOL[=JSON]");
	reads("a={", "--call: 'a={' is no TOOL[=JSON]: ");
	reads("a=", "--call: 'a=' is no TOOL[=JSON]: ");
}

static const struct check_question *question(const char *name)
{
	for (const struct check_question *q = questions; q->name; q++) {
		if (strcmp(q->name, name) == 0)
			return q;
	}
	fail_msg("there is no question '%s'", name);
	return NULL;
}

static void asks(const char *name, bool device, const char *expected)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	question_text(question(name), 7, device, &out);
	assert_string_equal(buf_string(&out), expected);
}

#define RPC(id, rest) "{\"jsonrpc\":\"2.0\",\"id\":" id "," rest "}"

static void test_questions(void **state)
{
	(void)state;
	asks("unknown method", false,
	     RPC("7", "\"method\":\"mcpctl/unknown\""));
	asks("id 0", true, RPC("7", "\"method\":\"mcpctl/unknown\""));
	asks("id 0", false, RPC("7", "\"method\":\"ping\""));
	asks("string id", false, RPC("\"mcpctl-1\"", "\"method\":\"ping\""));
	asks("float id", false, RPC("7.5", "\"method\":\"ping\""));
	asks("batch", true, "[" RPC("7", "\"method\":\"mcpctl/unknown\"") "]");
	asks("params null", true,
	     RPC("7", "\"method\":\"mcpctl/unknown\",\"params\":null"));
}

/* A hundred deep, and 200 kB. */
static void test_large_questions(void **state)
{
	CLEANUP(buf_done) struct buf deep = { 0 }, large = { 0 };
	const char *at;

	(void)state;
	question_text(question("deep JSON"), 7, true, &deep);
	at = strchr(buf_string(&deep), '[');
	assert_non_null(at);
	assert_int_equal(strspn(at, "["), 100);
	assert_int_equal(strspn(at + 100, "]"), 100);
	assert_string_equal(at + 200, "}}");
	question_text(question("200 kB frame"), 7, true, &large);
	at = strstr(buf_string(&large), "\"large\":\"") + 9;
	assert_int_equal(strspn(at, "x"), 200000);
	assert_string_equal(at + 200000, "\"}}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_readers),
		cmocka_unit_test(test_tried),
		cmocka_unit_test(test_wrong_arguments),
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_calls_read),
		cmocka_unit_test(test_questions),
		cmocka_unit_test(test_large_questions),
	};

	return cmocka_run_group_tests_name("check_calls", tests, NULL, NULL);
}
