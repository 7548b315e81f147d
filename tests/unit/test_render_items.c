/* SPDX-License-Identifier: MIT */
/*
 * Lists that are not tools, answers that are no tool's, progress and named
 * targets, in all forms of output.
 */
#include "rendered.h"

#include "mcp/content.h"

#define ITEMS                                                               \
	"{\"uri\":\"a:1\",\"name\":\"one\",\"mimeType\":\"text/plain\","    \
	"\"description\":\"the first\\nand more\"},"                        \
	"{ \"uri\" : \"a:22\",\"name\":\"a:22\",\"description\":\"a:22\"}," \
	"{\"uri\":\"\\u001b[31m\"},{\"name\":\"x\"}"

static void list_of(struct page_list *l, enum list_kind kind, const char *items)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("{\"result\":{\"%s\":[%s]}}", list_member(kind),
				items);
	struct message m = message_from(text);

	*l = (struct page_list){ .kind = kind };
	assert_int_equal(page_list_add_take(l, &m, NULL, NULL), 0);
}

static void show(struct rendered *s, const struct page_list *l)
{
	struct item_record line = { .list = l, .key_width = 6 };
	const struct items_record end = { .list = l, .shown = l->count };

	for (size_t i = 0; s->r.ops->item && i < l->count; i++) {
		line.item = &l->item[i];
		s->r.ops->item(&s->r, &line);
	}
	s->r.ops->items_end(&s->r, &end);
}

static void expect_list(enum output_form form, bool terminal,
			const struct page_list *l, const char *out,
			const char *err)
{
	struct rendered s;

	rendered_start(&s, form, terminal);
	show(&s, l);
	assert_string_equal(rendered_out(&s), out);
	assert_string_equal(rendered_err(&s), err);
	rendered_end(&s);
}

static void test_resources(void **state)
{
	struct page_list l;

	(void)state;
	list_of(&l, LIST_RESOURCES, ITEMS);
	expect_list(OUTPUT_TEXT, false, &l,
		    "a:1     one: the first  text/plain\n"
		    "a:22\n"
		    "\\x1b[31m\n"
		    "(no name)  x\n",
		    "4 resources, 1 page\n");
	expect_list(OUTPUT_JSON, false, &l,
		    "{\"uri\":\"a:1\",\"name\":\"one\",\"mimeType\":"
		    "\"text/plain\",\"description\":\"the first\\nand more\"}\n"
		    "{\"uri\":\"a:22\",\"name\":\"a:22\",\"description\":"
		    "\"a:22\"}\n"
		    "{\"uri\":\"\\u001b[31m\"}\n"
		    "{\"name\":\"x\"}\n",
		    "{\"listing\":{\"resources\":4,\"pages\":1,\"shown\":4,"
		    "\"complete\":true}}\n");
	expect_list(OUTPUT_RAW, false, &l,
		    "{\"result\":{\"resources\":[" ITEMS "]}}\n",
		    "4 resources, 1 page\n");
	page_list_done(&l);
}

/* The words are cut for the type; what leaves no room is left out. */
static void test_narrow(void **state)
{
	struct page_list l;

	(void)state;
	list_of(&l, LIST_RESOURCES,
		"{\"uri\":\"a:1\",\"mimeType\":\"text/plain\",\"description\":"
		"\"0123456789012345678901234567890123456789012345\"},"
		"{\"uri\":\"a:2\",\"mimeType\":"
		"\"application/01234567890123456789012345678901234567890\","
		"\"description\":\"seen\"},{\"uri\":\"a:3\",\"description\":"
		"\"01234567890123456789012345678901234567890123456789012\"}");
	expect_list(
		OUTPUT_TEXT, true, &l,
		"a:1     012345678901234567890123456789012345678…  "
		"text/plain\n"
		"a:2     seen\n"
		"a:3     012345678901234567890123456789012345678901234567890…\n",
		"3 resources, 1 page\n");
	/* A pipe gets all. */
	expect_list(
		OUTPUT_TEXT, false, &l,
		"a:1     0123456789012345678901234567890123456789012345  "
		"text/plain\n"
		"a:2     seen  application/"
		"01234567890123456789012345678901234567890\n"
		"a:3     01234567890123456789012345678901234567890123456789012\n",
		"3 resources, 1 page\n");
	page_list_done(&l);
}

static void test_prompts(void **state)
{
	struct page_list l;

	(void)state;
	list_of(&l, LIST_PROMPTS,
		"{\"name\":\"city\",\"title\":\"City\",\"arguments\":["
		"{\"name\":\"c\",\"required\":true},{\"name\":\"s\"},7]},"
		"{\"name\":\"b\",\"arguments\":[{\"name\":\"\\u001b\"}]}");
	expect_list(OUTPUT_TEXT, false, &l,
		    "city    City  c= [s=]\n"
		    "b       [\\x1b=]\n",
		    "2 prompts, 1 page\n");
	page_list_done(&l);
}

static void test_filtered(void **state)
{
	struct rendered s;
	struct page_list l;
	const struct error broke = { .kind = ERR_PROTOCOL };
	const struct items_record end = {
		.list = &l, .filter = "x", .shown = 1, .broke = &broke
	};

	(void)state;
	list_of(&l, LIST_TEMPLATES, "{},{}");
	rendered_start(&s, OUTPUT_TEXT, false);
	s.r.ops->items_end(&s.r, &end);
	assert_string_equal(rendered_err(&s), "1 shown of 2 templates, 1 page, "
					      "incomplete\n");
	rendered_end(&s);
	rendered_start(&s, OUTPUT_JSON, false);
	s.r.quiet = true;
	s.r.ops->items_end(&s.r, &end);
	assert_string_equal(rendered_err(&s), "");
	rendered_end(&s);
	page_list_done(&l);
}

/* ---- answers ---- */

static void expect_answer(enum answer_kind kind, bool terminal,
			  const char *result, const char *out, const char *err)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("{\"id\":1,\"result\":%s}", result);
	struct message m = message_from(text);
	struct result r = { 0 };
	struct answer_record a = { .kind = kind, .of = "x" };
	struct rendered s;

	if (kind == ANSWER_CONTENTS)
		contents_decode_take(&r, &m, NULL);
	else if (kind == ANSWER_MESSAGES)
		messages_decode_take(&r, &m, NULL);
	else
		message_take(&r.message, &m);
	a.reply = &r.message;
	a.contents = &r;
	rendered_start(&s, OUTPUT_TEXT, terminal);
	s.r.ops->answer(&s.r, &a);
	assert_string_equal(rendered_out(&s), out);
	assert_string_equal(rendered_err(&s), err);
	rendered_end(&s);
	rendered_start(&s, OUTPUT_JSON, false);
	s.r.ops->answer(&s.r, &a);
	assert_int_equal(strlen(rendered_out(&s)), strlen(result) + 1);
	rendered_end(&s);
	result_done(&r);
}

static void test_contents(void **state)
{
	(void)state;
	expect_answer(ANSWER_CONTENTS, false,
		      "{\"contents\":[{\"uri\":\"a:1\",\"text\":"
		      "\"a\\u001bb\"}]}",
		      "a\033b\n", "");
	expect_answer(ANSWER_CONTENTS, true,
		      "{\"contents\":[{\"uri\":\"a:1\",\"text\":"
		      "\"a\\u001bb\"}]}",
		      "a\\x1bb\n", "");
	expect_answer(ANSWER_CONTENTS, false,
		      "{\"contents\":[{\"uri\":\"a:1\",\"text\":\"t\"},"
		      "{\"uri\":\"a:2\",\"blob\":\"AAEC\",\"mimeType\":"
		      "\"x/y\"},{\"uri\":\"a:3\",\"blob\":\"?\"}]}",
		      "resource a:1\nt\nresource a:2 (x/y), 3 bytes\n"
		      "resource a:3, not valid base64\n",
		      "");
	expect_answer(ANSWER_CONTENTS, false, "{\"contents\":[]}", "",
		      "the resource is empty: no contents\n");
}

static void test_messages(void **state)
{
	static const char one[] = "{\"description\":\"D\",\"messages\":[{"
				  "\"role\":\"user\",\"content\":{\"type\":"
				  "\"text\",\"text\":\"hi\"}}]}";

	(void)state;
	expect_answer(ANSWER_MESSAGES, false, one, "hi\n", "");
	expect_answer(ANSWER_MESSAGES, true, one, "user:\nhi\n", "D\n");
	expect_answer(ANSWER_MESSAGES, false,
		      "{\"messages\":[{\"role\":\"user\",\"content\":{"
		      "\"type\":\"text\",\"text\":\"a\"}},{\"role\":\"user\","
		      "\"content\":{\"type\":\"text\",\"text\":\"b\"}},{"
		      "\"content\":\"c\"}]}",
		      "user:\na\nb\n(no role):\nc\n", "");
	expect_answer(ANSWER_MESSAGES, false,
		      "{\"messages\":[{\"role\":\"user\",\"content\":{"
		      "\"type\":\"text\",\"text\":\"a\"}},{\"role\":"
		      "\"assistant\",\"content\":{\"type\":\"text\","
		      "\"text\":\"b\"}},{\"role\":\"user\",\"content\":{"
		      "\"type\":\"text\",\"text\":\"c\"}}]}",
		      "user:\na\nassistant:\nb\nuser:\nc\n", "");
	expect_answer(ANSWER_MESSAGES, true,
		      "{\"description\":\"\",\"messages\":[]}", "",
		      "the prompt has no messages\n");
	expect_answer(ANSWER_MESSAGES, false, "{\"messages\":[]}", "",
		      "the prompt has no messages\n");
}

static void test_values(void **state)
{
	(void)state;
	expect_answer(ANSWER_VALUES, false,
		      "{\"completion\":{\"values\":[\"a\",\"b\",3]}}", "a\nb\n",
		      "");
	expect_answer(ANSWER_VALUES, false,
		      "{\"completion\":{\"values\":[\"a\"],\"total\":12}}",
		      "a\n", "1 value of 12: type more to narrow it\n");
	expect_answer(ANSWER_VALUES, false,
		      "{\"completion\":{\"values\":[\"a\"],\"hasMore\":true}}",
		      "a\n",
		      "1 value, and there are more: type more to narrow it\n");
	/* Nothing is left out. */
	expect_answer(ANSWER_VALUES, false,
		      "{\"completion\":{\"values\":[\"a\",\"b\"],\"total\":2}}",
		      "a\nb\n", "");
}

/* A text that is the same JSON need not be followed by it. */
static void test_structured(void **state)
{
	static const char *const cases[][2] = {
		{ "{\"content\":[{\"type\":\"text\",\"text\":\"{ \\\"a\\\": 1 "
		  "}\"}],\"structuredContent\":{\"a\":1.0}}",
		  "{ \"a\": 1 }\n" },
		{ "{\"content\":[{\"type\":\"text\",\"text\":\"one\"}],"
		  "\"structuredContent\":{\"a\":1.0}}",
		  "one\n{\"a\":1.0}\n" },
		{ "{\"content\":[{\"type\":\"text\",\"text\":\"one\"}],"
		  "\"structuredContent\":{\"result\":\"one\"}}",
		  "one\n" },
		{ "{\"content\":[{\"type\":\"text\",\"text\":\"7\"}],"
		  "\"structuredContent\":{\"result\":7}}",
		  "7\n" },
		{ "{\"content\":[],\"structuredContent\":{\"a\":1.0}}",
		  "{\"a\":1.0}\n" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rendered s;
		struct result r = result_from(cases[i][0]);

		rendered_start(&s, OUTPUT_TEXT, false);
		s.r.ops->result(&s.r, &r);
		assert_string_equal(rendered_out(&s), cases[i][1]);
		rendered_end(&s);
		result_done(&r);
	}
}

/* ---- progress, asides, targets ---- */

static void test_progress(void **state)
{
	static const char text[] = "{ \"progress\": 1 }";
	struct progress_record p = { .progress = 1,
				     .total = 4,
				     .message = "a\033b",
				     .text = { text, strlen(text) } };
	struct rendered s;

	(void)state;
	/* A program reads it: JSON, each of them. */
	rendered_start(&s, OUTPUT_TEXT, false);
	s.r.ops->progress(&s.r, &p);
	s.r.ops->progress(&s.r, &p);
	assert_string_equal(rendered_err(&s),
			    "{\"progress\":{\"progress\":1}}\n"
			    "{\"progress\":{\"progress\":1}}\n");
	rendered_end(&s);
	rendered_start(&s, OUTPUT_TEXT, false);
	s.r.err_terminal = true; /* but none that moves */
	s.r.ops->progress(&s.r, &p);
	p.progress = 2;
	s.r.ops->progress(&s.r, &p); /* at once after it: not shown */
	p = (struct progress_record){ .progress = 1e300 * 1e300, .total = 1 };
	s.r.ops->progress(&s.r, &p);
	assert_string_equal(rendered_err(&s), "progress: 25 %  a\\x1bb\n"
					      "progress: …\n");
	rendered_end(&s);
	/* It is never more than all, and never less than nothing. */
	p = (struct progress_record){ .progress = 5,
				      .total = 4,
				      .message = "" };
	rendered_start(&s, OUTPUT_TEXT, false);
	s.r.err_terminal = true;
	s.r.ops->progress(&s.r, &p);
	p = (struct progress_record){ .progress = -1, .total = -2 };
	s.r.progress_at = 0;
	s.r.ops->progress(&s.r, &p);
	assert_string_equal(rendered_err(&s), "progress: 100 %\n"
					      "progress: …\n");
	rendered_end(&s);
	p = (struct progress_record){ .progress = 7,
				      .text = { text, strlen(text) } };
	rendered_start(&s, OUTPUT_TEXT, true);
	s.r.err_moves = true;
	s.r.ops->progress(&s.r, &p);
	assert_non_null(strstr(rendered_err(&s), "7"));
	assert_true(s.r.count_down);
	rendered_end(&s);
	rendered_start(&s, OUTPUT_JSON, false);
	s.r.ops->progress(&s.r, &p);
	s.r.quiet = true;
	s.r.ops->progress(&s.r, &p);
	assert_string_equal(rendered_err(&s),
			    "{\"progress\":{\"progress\":1}}\n");
	rendered_end(&s);
}

static void test_asides(void **state)
{
	char name[] = "notifications/message", notice[] = "notice";
	char text[] = "{\"method\":\"notifications/message\",\"params\":{"
		      "\"level\":\"warning\",\"logger\":\"disk\",\"data\":"
		      "\"full\\u001b\"}}";
	char line[] = "a line of a child";
	const struct event log = { .kind = EVENT_NOTIFICATION,
				   .name = name,
				   .text = text,
				   .len = strlen(text) };
	const struct event child = { .kind = EVENT_NOTICE,
				     .notice = NOTICE_CHILD,
				     .name = notice,
				     .text = line,
				     .len = strlen(line) };
	struct rendered s;

	(void)state;
	rendered_start(&s, OUTPUT_TEXT, false);
	render_aside(&s.r, &child);
	assert_string_equal(rendered_err(&s), "");
	render_aside(&s.r, &log);
	assert_non_null(strstr(rendered_err(&s),
			       "  notifications/message  warning (disk): "
			       "full\\x1b\n"));
	s.r.verbose = true;
	render_aside(&s.r, &child);
	assert_non_null(strstr(rendered_err(&s), "  a line of a child\n"));
	rendered_end(&s);
}

static void test_targets(void **state)
{
	const struct target_record good = { .name = "a",
					    .file = "/x/mcp.json",
					    .peer = "stdio:b",
					    .name_width = 3,
					    .peer_width = 8 };
	const struct target_record bad = { .file = "/y", .problem = "no JSON" };
	const struct target_record broken = { .name = "c",
					      .file = "/y",
					      .problem = "no JSON" };
	const struct target_record hidden = { .name = "a",
					      .file = "/z",
					      .hidden = true };
	struct rendered s;

	(void)state;
	rendered_start(&s, OUTPUT_TEXT, false);
	s.r.ops->target(&s.r, &good);
	s.r.ops->target(&s.r, &bad);
	s.r.ops->target(&s.r, &hidden);
	assert_string_equal(rendered_out(&s),
			    "a    stdio:b   /x/mcp.json\n"
			    "/y  no JSON\n"
			    "a    /z  (another file before it has the name)\n");
	rendered_end(&s);
	/* What cannot be used by its name does not stand out. */
	rendered_start(&s, OUTPUT_TEXT, false);
	s.r.out_color = true;
	s.r.ops->target(&s.r, &good);
	s.r.ops->target(&s.r, &broken);
	s.r.ops->target(&s.r, &hidden);
	assert_string_equal(
		rendered_out(&s),
		"\033[1ma\033[0m    stdio:b   \033[2m/x/mcp.json\033[0m\n"
		"\033[2mc\033[0m    \033[2m/y\033[0m  \033[33mno JSON\033[0m\n"
		"\033[2ma\033[0m    \033[2m/z\033[0m  \033[2m(another file before it has the name)\033[0m\n");
	rendered_end(&s);
	rendered_start(&s, OUTPUT_JSON, false);
	s.r.ops->target(&s.r, &bad);
	assert_string_equal(rendered_out(&s),
			    "{\"name\":null,\"peer\":null,\"file\":\"/y\","
			    "\"problem\":\"no JSON\",\"hidden\":false,"
			    "\"trusted\":true,"
			    "\"client\":null,\"off\":false}\n");
	rendered_end(&s);
}

static void test_trust(void **state)
{
	const struct trust_record good = { "/x/.mcp.json", "trusted", NULL };
	const struct trust_record own = { "/o", "own", NULL };
	const struct trust_record bad = { "/y", "unusable", "no JSON" };
	struct rendered s;

	(void)state;
	rendered_start(&s, OUTPUT_TEXT, false);
	s.r.ops->trust(&s.r, &good);
	s.r.ops->trust(&s.r, &bad);
	assert_string_equal(rendered_out(&s), "trusted    /x/.mcp.json\n"
					      "unusable   /y  no JSON\n");
	rendered_end(&s);
	rendered_start(&s, OUTPUT_TEXT, false);
	s.r.out_color = true;
	s.r.ops->trust(&s.r, &own);
	s.r.ops->trust(&s.r, &good);
	s.r.ops->trust(&s.r, &bad);
	assert_string_equal(rendered_out(&s), "own        /o\n"
					      "trusted    /x/.mcp.json\n"
					      "\033[33munusable\033[0m   /y  "
					      "\033[33mno JSON\033[0m\n");
	rendered_end(&s);
	rendered_start(&s, OUTPUT_JSON, false);
	s.r.ops->trust(&s.r, &good);
	assert_string_equal(rendered_out(&s),
			    "{\"file\":\"/x/.mcp.json\",\"state\":"
			    "\"trusted\",\"problem\":null}\n");
	rendered_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_resources),
		cmocka_unit_test(test_narrow),
		cmocka_unit_test(test_prompts),
		cmocka_unit_test(test_filtered),
		cmocka_unit_test(test_contents),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_structured),
		cmocka_unit_test(test_progress),
		cmocka_unit_test(test_asides),
		cmocka_unit_test(test_targets),
		cmocka_unit_test(test_trust),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
