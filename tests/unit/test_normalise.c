/* SPDX-License-Identifier: MIT */
/* What a model says, made regular: found, trimmed, kept within limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "sim/normalise.h"

static const char rules_text[] =
	"{\"into\":\"e\",\"only\":\"types\",\"empty\":[\"null\",\"n/a\","
	"\"não informado\",\"3×\",\"n.d.\"],"
	"\"members\":{"
	"\"nome\":{\"type\":\"text\",\"also\":[\"name\"]},"
	"\"email\":{\"type\":\"text\",\"glob\":\"*?@?*\"},"
	"\"tom\":{\"type\":\"text\",\"enum\":[\"bom\",\"péssimo\"]},"
	"\"situação\":{\"type\":\"text\",\"also\":[\"condição\"]},"
	"\"ok\":{\"type\":\"boolean\"},"
	"\"c\":{\"type\":\"number\",\"minimum\":0,\"maximum\":1,\"percent\":"
	"true,\"default\":0.5,\"always\":true}}}";

static void made(const char *arguments, const char *said, const char *expected)
{
	cJSON *rules = cJSON_Parse(rules_text);
	cJSON *asked = cJSON_Parse(arguments);
	cJSON *found = normalise_find(said, strlen(said));
	cJSON *out;
	struct buf text;

	assert_non_null(found);
	out = normalise(rules, asked, found);
	buf_init(&text, 0);
	json_print(&text, out);
	assert_string_equal(buf_string(&text), expected);
	buf_done(&text);
	cJSON_Delete(rules);
	cJSON_Delete(asked);
	cJSON_Delete(found);
	cJSON_Delete(out);
}

static void test_texts(void **state)
{
	(void)state;
	made("{}", "{\"nome\":\"  Ana\\n  \\u00a0Maria \",\"c\":1}",
	     "{\"e\":{\"nome\":\"Ana Maria\",\"c\":1}}");
	made("{}", "{\"nome\":\" \",\"email\":null,\"c\":1}",
	     "{\"e\":{\"c\":1}}");
	made("{}", "{\"nome\":\"N/A\",\"email\":\"sem\",\"c\":1}",
	     "{\"e\":{\"c\":1}}");
	made("{}", "{\"nome\":7,\"email\":\"a@b\",\"c\":1}",
	     "{\"e\":{\"nome\":\"7\",\"email\":\"a@b\",\"c\":1}}");
	made("{}", "{\"nome\":[\"a\",null,\"n/a\",\" b \"],\"c\":1}",
	     "{\"e\":{\"nome\":\"a, b\",\"c\":1}}");
	made("{}", "{\"nome\":{\"x\":\"y\"},\"c\":1}", "{\"e\":{\"c\":1}}");
	made("{}", "{\"tom\":\"BOM\",\"ok\":\"True\",\"c\":1}",
	     "{\"e\":{\"tom\":\"bom\",\"ok\":true,\"c\":1}}");
	made("{}", "{\"tom\":\"assim\",\"ok\":1,\"c\":1}", "{\"e\":{\"c\":1}}");
	/* a lone no-break byte at the end is not read over */
	made("{}", "{\"nome\":\"\\u00a0\",\"c\":1}", "{\"e\":{\"c\":1}}");
}

static void nothing(const char *said)
{
	char *text = mem_printf("{\"nome\":\"%s\",\"c\":1}", said);

	made("{}", text, "{\"e\":{\"c\":1}}");
	mem_free(text);
}

static void kept(const char *said)
{
	char *text = mem_printf("{\"nome\":\"%s\",\"c\":1}", said);
	char *out = mem_printf("{\"e\":{\"nome\":\"%s\",\"c\":1}}", said);

	made("{}", text, out);
	mem_free(text);
	mem_free(out);
}

static void test_says_nothing(void **state)
{
	(void)state;
	nothing("NÃO INFORMADO");
	nothing("Não informado.");
	nothing("NÃO INFORMADO !;");
	nothing("N.D.");
	nothing("null...");
	kept("Não informado?");
	kept("nao informado");
	kept("Ana Não Informado");
	kept("não informad");
	kept("Ana S.A.");
	kept("...");
	/* × is no letter: its "small" one would be ÷ */
	nothing("3×");
	kept("3÷");
	made("{}", "{\"nome\":[\"Ana\",\"NÃO INFORMADO.\"],\"c\":1}",
	     "{\"e\":{\"nome\":\"Ana\",\"c\":1}}");
}

/* Names and choices in capitals, accents included. */
static void test_accents(void **state)
{
	(void)state;
	made("{}", "{\"SITUAÇÃO\":\"x\",\"c\":1}",
	     "{\"e\":{\"situação\":\"x\",\"c\":1}}");
	made("{}", "{\"CONDIÇÃO\":\"x\",\"c\":1}",
	     "{\"e\":{\"situação\":\"x\",\"c\":1}}");
	made("{}", "{\"situacao\":\"x\",\"c\":1}", "{\"e\":{\"c\":1}}");
	made("{}", "{\"tom\":\"PÉSSIMO\",\"c\":1}",
	     "{\"e\":{\"tom\":\"péssimo\",\"c\":1}}");
}

static void test_numbers(void **state)
{
	static const struct {
		const char *said, *number;
	} rows[] = {
		{ "0.92", "0.92" },
		{ "92", "0.92" },
		{ "\"92%\"", "0.92" },
		{ "\" 0,92 \"", "0.92" },
		{ "\"1 %\"", "0.01" },
		{ "1.2", "1" },
		{ "-3", "0" },
		{ "1e400", "1" },
		{ "\"alta\"", "0.5" },
		{ "null", "0.5" },
		{ "\"nan\"", "0.5" },
		{ "\"0x10\"", "0.5" },
		{ "\"%\"", "0.5" },
		{ "[]", "0.5" },
		{ "\"1\\u00002\"", "0.5" },
		{ "\"\"", "0.5" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		char *said = mem_printf("{\"c\":%s}", rows[i].said);
		char *out = mem_printf("{\"e\":{\"c\":%s}}", rows[i].number);

		made("{}", said, out);
		mem_free(said);
		mem_free(out);
	}
	made("{}", "{}", "{\"e\":{\"c\":0.5}}");
}

static void test_members(void **state)
{
	(void)state;
	made("{\"types\":[\"email\"]}", "{\"nome\":\"x\",\"email\":\"a@b\"}",
	     "{\"e\":{\"email\":\"a@b\",\"c\":0.5}}");
	made("{\"types\":[]}", "{\"nome\":\"x\"}", "{\"e\":{\"c\":0.5}}");
	made("{}", "{\"NOME\":\"x\",\"other\":1}",
	     "{\"e\":{\"nome\":\"x\",\"c\":0.5}}");
	made("{}", "{\"Name\":\"x\"}", "{\"e\":{\"nome\":\"x\",\"c\":0.5}}");
	/* wrapped by the model itself; what stands beside counts too */
	made("{}", "{\"e\":{\"nome\":\"x\"},\"c\":0.3,\"nome\":\"y\"}",
	     "{\"e\":{\"nome\":\"x\",\"c\":0.3}}");
}

static void test_find(void **state)
{
	static const char *const none[] = { "",	  "no",	      "[1]",	 "{",
					    "}{", "{\"a\":}", "</think>" };
	size_t i;

	(void)state;
	made("{}", "```json\n{\"c\": 0.3}\n```", "{\"e\":{\"c\":0.3}}");
	made("{}", "Claro! Aqui: {\"c\":0.3}. Espero ajudar.",
	     "{\"e\":{\"c\":0.3}}");
	made("{}", "<think>maybe {x}</think>\n{\"c\":0.3}",
	     "{\"e\":{\"c\":0.3}}");
	for (i = 0; i < COUNT(none); i++)
		assert_null(normalise_find(none[i], strlen(none[i])));
}

/* Rules of a profile: the place and the words of what is wrong with them. */
static void test_wrong_rules(void **state)
{
	static const char *const rows[][3] = {
		{ "[]", "normalise", "for normalise" },
		{ "{\"members\":{},\"x\":1}", "normalise", "no member 'x'" },
		{ "{}", "normalise", "'members' is needed" },
		{ "{\"members\":7}", "normalise.members", "an object" },
		{ "{\"members\":{},\"into\":7}", "normalise.into", "a string" },
		{ "{\"members\":{},\"only\":7}", "normalise.only", "a string" },
		{ "{\"members\":{},\"only\":\"b\"}", "normalise",
		  "'only': the tool has no argument 'b'" },
		{ "{\"members\":{},\"empty\":7}", "normalise.empty", "a list" },
		{ "{\"members\":{},\"empty\":[7]}", "normalise",
		  "'empty' is a list of strings" },
		{ "{\"members\":{\"m\":7}}", "normalise.members.m",
		  "a member's rule" },
		{ "{\"members\":{\"m\":{}}}", "normalise.members.m",
		  "'type' is" },
		{ "{\"members\":{\"m\":{\"type\":7}}}",
		  "normalise.members.m.type", "a string" },
		{ "{\"members\":{\"m\":{\"type\":\"list\"}}}",
		  "normalise.members.m", "\"number\" or \"boolean\"" },
		{ "{\"members\":{\"m\":{\"type\":\"text\",\"x\":1}}}",
		  "normalise.members.m", "no member 'x'" },
		{ "{\"members\":{\"m\":{\"type\":\"text\",\"also\":[7]}}}",
		  "normalise.members.m", "'also' is a list of strings" },
		{ "{\"members\":{\"m\":{\"type\":\"text\",\"enum\":[7]}}}",
		  "normalise.members.m", "'enum' is a list of strings" },
		{ "{\"members\":{\"m\":{\"type\":\"text\",\"glob\":7}}}",
		  "normalise.members.m.glob", "a string" },
		{ "{\"members\":{\"m\":{\"type\":\"number\",\"percent\":7}}}",
		  "normalise.members.m.percent", "true or false" },
		{ "{\"members\":{\"m\":{\"type\":\"text\",\"always\":7}}}",
		  "normalise.members.m.always", "true or false" },
		{ "{\"members\":{\"m\":{\"type\":\"number\",\"enum\":[]}}}",
		  "normalise.members.m", "'enum' is for type \"text\"" },
		{ "{\"members\":{\"m\":{\"type\":\"boolean\",\"glob\":\"\"}}}",
		  "normalise.members.m", "'glob' is for type \"text\"" },
		{ "{\"members\":{\"m\":{\"type\":\"text\",\"minimum\":1}}}",
		  "normalise.members.m", "'minimum' is for type \"number\"" },
		{ "{\"members\":{\"m\":{\"type\":\"text\",\"maximum\":1}}}",
		  "normalise.members.m", "'maximum' is for type \"number\"" },
		{ "{\"members\":{\"m\":{\"type\":\"number\",\"minimum\":\"1\"}}}",
		  "normalise.members.m", "'minimum' is a number" },
		{ "{\"members\":{\"m\":{\"type\":\"number\",\"maximum\":\"1\"}}}",
		  "normalise.members.m", "'maximum' is a number" },
	};
	CLEANUP(json_free_ptr) cJSON *arguments = cJSON_Parse("{\"a\":{}}");
	CLEANUP(json_free_ptr) cJSON *all = cJSON_Parse(rules_text);
	CLEANUP(json_free_ptr) cJSON *types = cJSON_Parse("{\"types\":{}}");
	struct error err = { 0 };
	struct reader r = { .file = "f.json", .err = &err };

	(void)state;
	assert_int_equal(normalise_check(&r, all, types), 0);
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(json_free_ptr) cJSON *rules = cJSON_Parse(rows[i][0]);
		CLEANUP(mem_free_ptr)
		char *place = mem_printf(", %s: ", rows[i][1]);

		assert_non_null(rules);
		assert_int_equal(normalise_check(&r, rules, arguments), -1);
		assert_int_equal(err.kind, ERR_USAGE);
		if (!strstr(err.text, place) || !strstr(err.text, rows[i][2]))
			print_error("said: %s\n", err.text);
		assert_non_null(strstr(err.text, place));
		assert_non_null(strstr(err.text, rows[i][2]));
		assert_string_equal(r.place, "");
		error_reset(&err);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_says_nothing),
		cmocka_unit_test(test_accents),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_wrong_rules),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
