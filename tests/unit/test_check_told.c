/* SPDX-License-Identifier: MIT */
/* A check as text: what it asked, what it found, how much there was. */
#include "rendered.h"

#include "base/split.h"
#include "out/text_check.h"

static struct rendered s;

static void shows(const char *expected)
{
	assert_string_equal(rendered_out(&s), expected);
	rendered_end(&s);
}

static struct finding finding_of(enum diag_code code, char *detail,
				 const char *proof, size_t off, size_t len)
{
	struct finding f = { .code = code, .detail = detail };

	f.proof = (struct proof){ .n = 7,
				  .leg = LEG_WS,
				  .from_device = true,
				  .size = 1204,
				  .text_len = strlen(proof),
				  .off = off,
				  .len = len };
	memcpy(f.proof.text, proof, f.proof.text_len);
	return f;
}

static void tell(const struct finding *f, bool whole)
{
	const struct finding_record record = { .finding = f, .whole = whole };

	rendered_start(&s, OUTPUT_TEXT, false);
	text_finding(&s.r, &record);
}

/* While something else runs: a line on stderr. */
static void test_line(void **state)
{
	struct finding f =
		finding_of(D124, (char[]){ "token=hush \x1b" }, "", 0, 0);
	struct finding_record record = { .finding = &f };

	(void)state;
	rendered_start(&s, OUTPUT_TEXT, false);
	text_finding(&s.r, &record);
	record.device = "kitchen";
	record.detail = "this time";
	text_finding(&s.r, &record);
	record.worded = true;
	text_finding(&s.r, &record);
	s.r.err_terminal = true;
	s.r.width = 40;
	record.worded = false;
	text_finding(&s.r, &record);
	assert_string_equal(
		rendered_err(&s),
		"! D124 error  a reply that cannot be read as JSON: token=*** \\x1b\n"
		"! D124 error  kitchen: a reply that cannot be read as JSON: this time\n"
		"! D124 error  kitchen: a reply that\n"
		"  cannot be read as JSON: this time\n");
	shows("");
}

static void test_whole(void **state)
{
	struct finding f = finding_of(D124, (char[]){ "it ends" },
				      "{\"a\":\"b\"c\"}", 6, 3);

	(void)state;
	tell(&f, true);
	shows("error   D124   a reply that cannot be read as JSON: it ends\n"
	      "   #7 ws device > 1204 B  {\"a\":\"b\"c\"}\n"
	      "                                ^^^\n"
	      "   hits  all backends: the error is lost, the model hears of\n"
	      "         a time-out. mcpctl reads what was meant, and says\n"
	      "         so\n"
	      "   do    firmware: escape messages before they go into JSON\n"
	      "         (cJSON_AddStringToObject)\n"
	      "   do    backend: on broken JSON look for \"id\":N, and end\n"
	      "         that call with the raw text\n"
	      "   do    operator: do not put quotes or line breaks into\n"
	      "         tool names and URLs\n");
}

/* Long excerpts are cut at both ends, around what is wrong. */
static void test_proofs(void **state)
{
	struct finding f = finding_of(
		B214, (char[]){ "" },
		"0123456789012345678901234567890123456789wrong0123456789012345678901234567890123456789",
		40, 5);
	const char *out;

	(void)state;
	f.proof.from_device = false;
	tell(&f, true);
	shows("warning B214   a request id is used again\n"
	      "   #7 ws backend < 1204 B  …4567890123456789wrong0123456789…\n"
	      "                                            ^^^^^\n"
	      "   hits  Python server and Go of AnimeAIChat: tools/list has\n"
	      "         id 2 on every page, and calls begin at 1 again.\n"
	      "         Boards do not mind: they echo what came\n"
	      "   do    backend: count up for the life of the connection\n");
	/* Where it does not begin the frame, that is seen. */
	f = finding_of(B214, (char[]){ "" }, "abc", 1, 0);
	f.proof.from = 9;
	tell(&f, true);
	out = strchr(rendered_out(&s), '\n') + 1;
	assert_int_equal(strncmp(out,
				 "   #7 ws device > 1204 B  …abc\n"
				 "   hits ",
				 strlen("   #7 ws device > 1204 B  …abc\n"
					"   hits ")),
			 0);
	rendered_end(&s);
	/* It was no frame: the bytes alone, or nothing at all. */
	f.proof.n = 0;
	f.proof.from = 0;
	tell(&f, true);
	out = strchr(rendered_out(&s), '\n') + 1;
	assert_int_equal(strncmp(out, "   abc\n   hits ", 15), 0);
	rendered_end(&s);
	f.proof.text_len = 0;
	tell(&f, true);
	out = strchr(rendered_out(&s), '\n') + 1;
	assert_int_equal(strncmp(out, "   hits ", 8), 0);
	rendered_end(&s);
	/* Without room beside the words it stands below them. */
	f = finding_of(B214, (char[]){ "" }, "abcdef", 2, 2);
	rendered_start(&s, OUTPUT_TEXT, false);
	s.r.width = 40;
	text_finding(&s.r,
		     &(struct finding_record){ .finding = &f, .whole = true });
	assert_non_null(strstr(rendered_out(&s),
			       "\n   #7 ws device > 1204 B\n   abcdef\n"
			       "     ^^\n   hits "));
	rendered_end(&s);
}

/* What boards and their backends do wrong, a plain server and its host may. */
static void test_plain_server(void **state)
{
	struct finding f = finding_of(D124, (char[]){ "x" }, "{", 0, 0);

	(void)state;
	f.proof.leg = LEG_STDIO;
	tell(&f, true);
	assert_null(strstr(rendered_out(&s), "hits"));
	assert_non_null(strstr(s.out, "   do    server: escape messages"));
	assert_non_null(strstr(s.out, "   do    host: on broken JSON"));
	assert_non_null(strstr(s.out, "   do    operator: do not put quotes"));
	rendered_end(&s);
	f.proof.leg = LEG_HTTP;
	tell(&f, true);
	assert_null(strstr(rendered_out(&s), "hits"));
	rendered_end(&s);
	f.proof.leg = LEG_MQTT;
	tell(&f, true);
	assert_non_null(strstr(rendered_out(&s), "hits"));
	rendered_end(&s);
}

static void advises(enum diag_code code, enum diag_leg leg, const char *words,
		    bool advised)
{
	struct finding f = finding_of(code, (char[]){ "x" }, "{", 0, 0);

	f.proof.leg = leg;
	tell(&f, true);
	if (!strstr(rendered_out(&s), words) == advised)
		fail_msg("'%s' in %s", words, s.out);
	rendered_end(&s);
}

/* What is good for a board alone is advised for boards alone. */
static void test_advice_for_boards(void **state)
{
	(void)state;
	advises(D121, LEG_WS, "   do    operator: ask for less", true);
	advises(D121, LEG_STDIO, "   do    operator: ask for less", false);
	advises(B251, LEG_WS, "   do    firmware: answer failures", true);
	advises(B251, LEG_HTTP, "answer failures with", false);
}

static const struct check_record check = {
	.errors = 1, .warnings = 2, .notes = 0, .took_us = 1500000, .asked = 12
};

static void test_end(void **state)
{
	struct check_record c = check;

	(void)state;
	rendered_start(&s, OUTPUT_TEXT, false);
	text_check(&s.r, &c);
	shows("\n1 error, 2 warnings, 0 notes in 1.5 s; 12 asked\n");
	c.left_odd = 3;
	c.first = "D124";
	rendered_start(&s, OUTPUT_TEXT, false);
	text_check(&s.r, &c);
	shows("\n1 error, 2 warnings, 0 notes in 1.5 s; 12 asked\n"
	      "3 more with --risk odd\n"
	      "mcpctl explain D124\n");
	c.left_read = 1;
	c.left_args = 4;
	c.first = NULL;
	rendered_start(&s, OUTPUT_TEXT, false);
	s.r.width = 40;
	text_check(&s.r, &c);
	shows("\n1 error, 2 warnings, 0 notes in 1.5 s;\n"
	      "  12 asked\n"
	      "1 more with --risk read, 3 with odd, 4\n"
	      "  with args\n");
}

static void test_stages(void **state)
{
	static const struct stage_record stages[] = {
		{ "connect", STAGE_OK, "ws, 4 ms" },
		{ "hello", STAGE_ODD, "\x1b[31m, token=hush" },
		{ "mcp", STAGE_FAIL,
		  "no reply to initialize, though it was waited for as long as --timeout said" },
		{ "audio", STAGE_SKIPPED, "not asked" },
		{ "the rest", STAGE_STOPPED,
		  "was not reached, because it ended before that could be" }
	};

	(void)state;
	rendered_start(&s, OUTPUT_TEXT, false);
	for (size_t i = 0; i < COUNT(stages); i++)
		text_stage(&s.r, &stages[i]);
	shows("connect  ok    ws, 4 ms\n"
	      "hello    odd   \\x1b[31m, token=***\n"
	      "mcp      fail  no reply to initialize, though it was waited\n"
	      "               for as long as --timeout said\n"
	      "audio    -     not asked\n"
	      "the rest was not reached, because it ended before that could\n"
	      "         be\n");
	rendered_start(&s, OUTPUT_TEXT, false);
	s.r.out_color = true;
	for (size_t i = 0; i < COUNT(stages); i++) {
		struct stage_record one = stages[i];

		one.words = "x";
		text_stage(&s.r, &one);
	}
	shows("\033[1mconnect\033[0m  \033[32mok\033[0m    x\n"
	      "\033[1mhello\033[0m    \033[33modd\033[0m   x\n"
	      "\033[1mmcp\033[0m      \033[1;31mfail\033[0m  x\n"
	      "\033[1maudio\033[0m    \033[2m-\033[0m     x\n"
	      "\033[1mthe rest\033[0m x\n");
}

static void plan(const struct plan_record *p, const char *expected)
{
	rendered_start(&s, OUTPUT_TEXT, false);
	text_plan(&s.r, p);
	shows(expected);
}

static void test_plan(void **state)
{
	char large[402], expected[500];
	struct plan_record p = { .risk = "look", .what = "its tools\x1b" };

	(void)state;
	plan(&p, "look  its tools\\x1b\n      (not known yet)\n");
	p.instead = "nothing";
	plan(&p, "look  its tools\\x1b\n      (nothing)\n");
	p.text = (struct span){ "{\"token\":\"hush\"}", 16 };
	plan(&p, "look  its tools\\x1b\n      {\"token\":\"***\"}\n");
	memset(large, 'x', sizeof(large));
	p.text = (struct span){ large, 400 };
	snprintf(expected, sizeof(expected),
		 "look  its tools\\x1b\n      %.400s\n", large);
	plan(&p, expected);
	p.text.len = 401;
	snprintf(expected, sizeof(expected),
		 "look  its tools\\x1b\n      %.400s… 401 B in all\n", large);
	plan(&p, expected);
}

static void test_against(void **state)
{
	struct words lost = { 0 }, pairs = { 0 }, none = { 0 };
	struct against_record a = { .id = "java",
				    .name = "xiaozhi-esp32-server-java",
				    .kept = 2,
				    .of = 5,
				    .known = true,
				    .lost = &none,
				    .renamed = &none,
				    .unreachable = &none,
				    .calls = "" };

	(void)state;
	rendered_start(&s, OUTPUT_TEXT, false);
	text_against(&s.r, &a);
	shows("java     xiaozhi-esp32-server-java: keeps 2 of 5\n");
	words_add(&lost, "self.a");
	words_add(&lost, "self.b\x1b");
	words_add(&pairs, "self.c");
	words_add(&pairs, "self_c");
	words_add(&pairs, "self.d");
	words_add(&pairs, "self_d");
	a.lost = &lost;
	a.renamed = &pairs;
	a.unreachable = &lost;
	a.calls = "those above 10 s";
	a.known = false;
	rendered_start(&s, OUTPUT_TEXT, false);
	s.r.width = 45;
	text_against(&s.r, &a);
	shows("java     xiaozhi-esp32-server-java: which it keeps is not known from this list\n"
	      "   lost     self.a self.b\\x1b\n"
	      "   renamed  self.c -> self_c, self.d ->\n"
	      "            self_d\n"
	      "   hidden   self.a self.b\\x1b\n"
	      "   calls    those above 10 s\n");
	words_done(&lost);
	words_done(&pairs);
}

static void test_story(void **state)
{
	CLEANUP(explanation_done) struct explanation e;

	(void)state;
	explanation_read(&e, B214, EXPLAIN_ENGLISH);
	rendered_start(&s, OUTPUT_TEXT, false);
	text_finding_row(&s.r, &e);
	text_explain(&s.r, &e);
	shows("B214  warning  a request id is used again\n"
	      "warning B214  a request id is used again\n\n"
	      "looks     Two requests of one connection have the same id.\n"
	      "          Replies to both bear it.\n"
	      "why       A reply is matched by its id alone, and boards may\n"
	      "          answer out of order. While both are open, or when\n"
	      "          the first reply comes late, one can be taken for\n"
	      "          the other.\n"
	      "hits      Python server and Go of AnimeAIChat: tools/list\n"
	      "          has id 2 on every page, and calls begin at 1\n"
	      "          again. Boards do not mind: they echo what came\n"
	      "backend   count up for the life of the connection\n"
	      "source    device.md 3.9; backends.md 1.1; backends.md 1.10;\n"
	      "          JSON-RPC 2.0 section 4\n"
	      "plant     mcpctl listen: send '{\"type\":\"mcp\",\n"
	      "          \"payload\":{\"jsonrpc\":\"2.0\",\n"
	      "          \"id\":1,\"method\":\"tools/list\"}}', then mcpctl sim\n"
	      "          --connect ws://127.0.0.1:8000/\n");
	explanation_done(&e);
	explanation_read(&e, B214, EXPLAIN_CHINESE);
	rendered_start(&s, OUTPUT_TEXT, false);
	s.r.out_color = true;
	text_finding_row(&s.r, &e);
	shows("\033[1mB214\033[0m  \033[33m警告\033[0m     "
	      "请求 id 被重复使用\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_end),
		cmocka_unit_test(test_stages),
		cmocka_unit_test(test_plan),
		cmocka_unit_test(test_against),
		cmocka_unit_test(test_story),
		cmocka_unit_test(test_proofs),
		cmocka_unit_test(test_plain_server),
		cmocka_unit_test(test_advice_for_boards),
	};

	return cmocka_run_group_tests_name("check_told", tests, NULL, NULL);
}
