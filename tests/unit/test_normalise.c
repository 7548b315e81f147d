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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_says_nothing),
		cmocka_unit_test(test_accents),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_find),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
