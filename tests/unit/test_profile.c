/* SPDX-License-Identifier: MIT */
/* Profile files: read, put over each other, wrong in many ways; and their rules. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/rule.h"
#include "sim/sim.h"
#include "sim/template.h"
#include "sim_harness.h"

static struct profile *parse(const char *text, struct error *err)
{
	return profile_parse(text, strlen(text), PROFILES "mine.json", err);
}

static struct profile *good(const char *text)
{
	struct error err = { 0 };
	struct profile *p = parse(text, &err);

	if (!p)
		print_error("%s\n", err.text);
	assert_non_null(p);
	return p;
}

/* The profile is refused, with these words in the message. */
static void refused(const char *text, const char *place, const char *words)
{
	struct error err = { 0 };
	struct profile *p = parse(text, &err);

	assert_null(p);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.text, "mine.json"));
	if (!strstr(err.text, place) || !strstr(err.text, words))
		print_error("said: %s\n", err.text);
	assert_non_null(strstr(err.text, place));
	assert_non_null(strstr(err.text, words));
	error_reset(&err);
}

static void test_minimal(void **state)
{
	struct profile *p = good("{}");

	(void)state;
	assert_string_equal(p->name, "mine");
	assert_string_equal(p->brief, "");
	assert_string_equal(p->catalog.version, "2.4.2");
	assert_int_equal(p->catalog.count, 0);
	assert_string_equal(p->device_id, "02:00:00:00:00:01");
	profile_free(p);
}

static void test_extends(void **state)
{
	struct profile *p = good(
		"{\"extends\":\"esp32\",\"board\":\"x\",\"remove\":"
		"[\"self.screen.*\"],\"state\":{\"volume\":3},\"tools\":["
		"{\"name\":\"self.lamp\",\"result\":1},"
		"{\"name\":\"self.reboot\",\"description\":\"d\"},"
		"{\"name\":\"self.x\",\"user_only\":true,\"result\":\"t\"}]}");

	(void)state;
	assert_string_equal(p->catalog.board, "x");
	assert_string_equal(p->about.chip, "esp32s3");
	assert_null(firmware_catalog_find(&p->catalog, "self.screen.get_info"));
	assert_string_equal(p->state[rule_state_index(p, "volume")].value, "3");
	/* AI-visible tools stay in front of user-only ones */
	assert_string_equal(p->catalog.tool[3].name, "self.lamp");
	assert_true(p->catalog.tool[4].user_only);
	assert_string_equal(p->catalog.tool[p->catalog.count - 1].name,
			    "self.x");
	assert_string_equal(
		firmware_catalog_find(&p->catalog, "self.reboot")->description,
		"d");
	profile_free(p);
}

static void test_generate(void **state)
{
	const struct profile_changes fill = { .fill = 3 };
	struct profile *p = good("{\"generate\":[{\"count\":12,\"name\":"
				 "\"t${n:3}\",\"description\":\"no ${n}\","
				 "\"result\":true}]}");

	(void)state;
	assert_int_equal(p->catalog.count, 12);
	assert_string_equal(p->catalog.tool[11].name, "t011");
	assert_string_equal(p->catalog.tool[11].description, "no 11");
	profile_free(p);
	p = harness_profile("fixtures", &fill);
	assert_string_equal(p->catalog.tool[p->catalog.count - 1].name,
			    "self.fill.t002");
	profile_free(p);
	p = harness_profile("large", NULL);
	assert_int_equal(p->catalog.count, 2000);
	profile_free(p);
}

/* The sizes that device.md 3.10 names: descriptions are of the same length. */
static void test_sizes(void **state)
{
	static const struct {
		const char *name;
		size_t bytes;
	} rows[] = {
		{ "self.get_device_status", 458 },
		{ "self.audio_speaker.set_volume", 325 },
		{ "self.screen.set_brightness", 218 },
		{ "self.screen.set_theme", 207 },
		{ "self.camera.take_photo", 410 },
		{ "self.get_system_info", 158 },
		{ "self.reboot", 140 },
		{ "self.upgrade_firmware", 334 },
		{ "self.screen.get_info", 191 },
		{ "self.screen.snapshot", 293 },
		{ "self.screen.preview_image", 209 },
		{ "self.assets.set_download_url", 217 },
	};
	struct profile *p = harness_profile("esp32", NULL);
	size_t i;

	(void)state;
	assert_int_equal(p->catalog.count, COUNT(rows));
	for (i = 0; i < COUNT(rows); i++) {
		assert_string_equal(p->catalog.tool[i].name, rows[i].name);
		assert_int_equal(p->catalog.tool[i].json_len, rows[i].bytes);
	}
	profile_free(p);
}

/* What a file says of the board and its hello is what both tell. */
static void test_facts(void **state)
{
	static const char all[] =
		"{\"brief\":\"b\",\"version\":\"1.2.3\",\"device_id\":\"d\","
		"\"client_id\":\"c\",\"camera\":true,\"board\":{\"name\":\"n\","
		"\"type\":\"t\",\"chip\":\"esp32c6\",\"language\":\"pt-BR\","
		"\"serial\":\"S1\",\"compile_time\":\"noon\",\"idf_version\":"
		"\"v5\",\"elf_sha256\":\"ab\",\"ip\":\"10.0.0.9\",\"ssid\":\"w\","
		"\"flash_size\":4194304,\"rssi\":-200},\"hello\":{\"features\":"
		"false,\"mcp\":false,\"aec\":true,\"glyph_push\":true,"
		"\"text_font\":{\"size\":16},\"sample_rate\":48000,"
		"\"channels\":2,\"frame_duration\":120},\"events\":[{"
		"\"after_ms\":0,\"audio\":\"00fF\"}],\"ollama\":{\"model\":"
		"\"m\"}}";
	struct profile *p = good(all);

	(void)state;
	assert_string_equal(p->brief, "b");
	assert_string_equal(p->catalog.version, "1.2.3");
	assert_string_equal(p->device_id, "d");
	assert_string_equal(p->client_id, "c");
	assert_true(p->catalog.camera);
	assert_string_equal(p->catalog.board, "n");
	assert_string_equal(p->about.board_type, "t");
	assert_string_equal(p->about.chip, "esp32c6");
	assert_string_equal(p->about.language, "pt-BR");
	assert_string_equal(p->about.serial, "S1");
	assert_string_equal(p->about.compile_time, "noon");
	assert_string_equal(p->about.idf_version, "v5");
	assert_string_equal(p->about.elf_sha256, "ab");
	assert_string_equal(p->about.ip, "10.0.0.9");
	assert_string_equal(p->about.ssid, "w");
	assert_int_equal(p->about.flash_size, 4194304);
	assert_int_equal(p->about.rssi, -200);
	assert_false(p->hello.features || p->hello.mcp);
	assert_true(p->hello.aec && p->hello.has_glyph_push);
	assert_true(p->hello.glyph_push);
	assert_non_null(json_member(p->hello.text_font, "size"));
	assert_int_equal(p->hello.sample_rate, 48000);
	assert_int_equal(p->hello.channels, 2);
	assert_int_equal(p->hello.frame_duration, 120);
	assert_int_equal(cJSON_GetArraySize(p->events), 1);
	assert_string_equal(json_string(p->ollama, "model"), "m");
	profile_free(p);
}

/* And where it is silent. */
static void test_defaults(void **state)
{
	struct profile *p =
		good("{\"hello\":{\"sample_rate\":8000,\"channels\":"
		     "1,\"frame_duration\":5},\"board\":{\"rssi\":0,"
		     "\"flash_size\":0}}");

	(void)state;
	assert_string_equal(p->client_id,
			    "00000000-0000-4000-8000-000000000001");
	assert_string_equal(p->about.board_name, "mcpctl-sim");
	assert_string_equal(p->about.board_type, "mcpctl-sim");
	assert_string_equal(p->about.chip, "esp32s3");
	assert_string_equal(p->about.language, "en-US");
	assert_true(p->hello.features && p->hello.mcp);
	assert_true(p->hello.has_glyph_push);
	assert_false(p->hello.glyph_push || p->hello.aec);
	assert_int_equal(p->hello.sample_rate, 8000);
	assert_int_equal(p->hello.frame_duration, 5);
	assert_int_equal(p->dialect, SERVER_2_4_2);
	profile_free(p);
	p = good("{}");
	assert_int_equal(p->about.flash_size, 16777216);
	assert_int_equal(p->hello.sample_rate, 16000);
	assert_int_equal(p->hello.channels, 1);
	assert_int_equal(p->hello.frame_duration, 60);
	profile_free(p);
	/* Firmware before 2.4.0 sends no glyph_push. */
	p = good("{\"hello\":{\"glyph_push\":null}}");
	assert_false(p->hello.has_glyph_push);
	profile_free(p);
	/* The newer firmware has its own version, but where one is named. */
	p = good("{\"firmware\":\"2.5.0\"}");
	assert_int_equal(p->dialect, SERVER_2_5_0);
	assert_string_equal(p->catalog.version, "2.5.0");
	profile_free(p);
	p = good("{\"firmware\":\"next\",\"version\":\"9\"}");
	assert_string_equal(p->catalog.version, "9");
	profile_free(p);
}

/* Of an inherited profile what the file does not say stays. */
static void test_inherited(void **state)
{
	struct profile *base = good("{\"extends\":\"fixtures-ws\"}");
	struct profile *p = good(
		"{\"extends\":\"fixtures-ws\",\"state\":{\"new\":true,\"half\":0.5},"
		"\"hello\":{\"channels\":2},\"board\":{\"chip\":\"c\"}}");

	(void)state;
	assert_string_equal(p->device_id, base->device_id);
	assert_string_equal(p->client_id, base->client_id);
	assert_string_equal(p->about.board_name, base->about.board_name);
	assert_string_equal(p->about.chip, "c");
	assert_int_equal(p->hello.has_glyph_push, base->hello.has_glyph_push);
	assert_int_equal(p->hello.channels, 2);
	assert_int_equal(p->catalog.count, base->catalog.count);
	assert_int_equal(p->state_count, base->state_count + 2);
	assert_string_equal(p->state[rule_state_index(p, "new")].value, "true");
	assert_string_equal(p->state[rule_state_index(p, "half")].value, "0.5");
	assert_int_equal(rule_state_index(p, "none"), -1);
	profile_free(base);
	profile_free(p);
}

/* An argument as the file has it. */
static void test_arguments(void **state)
{
	struct profile *p = good(
		"{\"tools\":[{\"name\":\"x\",\"result\":1,\"arguments\":{"
		"\"b\":{\"type\":\"boolean\",\"default\":true},"
		"\"i\":{\"type\":\"integer\",\"default\":-7,\"minimum\":-8,"
		"\"maximum\":9},\"s\":{\"type\":\"string\",\"default\":\"d\","
		"\"maxLength\":5},\"r\":{\"type\":\"integer\"}}}]}");
	const struct firmware_argument *a = p->catalog.tool->argument;

	(void)state;
	assert_int_equal(p->catalog.tool->argument_count, 4);
	assert_int_equal(a[0].type, SERVER_BOOLEAN);
	assert_true(a[0].has_default);
	assert_int_equal(a[0].number, 1);
	assert_int_equal(a[1].type, SERVER_INTEGER);
	assert_int_equal(a[1].number, -7);
	assert_true(a[1].has_minimum && a[1].has_maximum);
	assert_int_equal(a[1].minimum, -8);
	assert_int_equal(a[1].maximum, 9);
	assert_int_equal(a[2].type, SERVER_STRING);
	assert_string_equal(a[2].text, "d");
	assert_int_equal(a[2].max_length, 5);
	assert_false(a[3].has_default || a[3].has_minimum || a[3].has_maximum);
	profile_free(p);
	/* Arguments of an inherited tool are replaced as a whole. */
	p = good("{\"extends\":\"esp32\",\"tools\":[{\"name\":"
		 "\"self.audio_speaker.set_volume\",\"result\":1,"
		 "\"arguments\":{\"v\":{\"type\":\"boolean\"}}}]}");
	a = firmware_catalog_find(&p->catalog, "self.audio_speaker.set_volume")
		    ->argument;
	assert_string_equal(a->name, "v");
	profile_free(p);
}

static void test_wrong_facts(void **state)
{
	(void)state;
	refused("{\"board\":{\"rssi\":1}}", "board.rssi", "from -200 to 0");
	refused("{\"board\":{\"rssi\":-201}}", "board.rssi", "from -200 to 0");
	refused("{\"board\":{\"flash_size\":-1}}", "board.flash_size",
		"from 0 to");
	refused("{\"board\":{\"ip\":7}}", "board.ip", "expected a string");
	refused("{\"board\":{\"language\":\"0123456789abcdef\"}}", "board",
		"'0123456789abcdef…' is longer than 15 bytes");
	refused("{\"board\":\"a\\tb\"}", "board", "control character");
	refused("{\"device_id\":\"a\\nb\"}", "mine.json",
		"an id has a control");
	refused("{\"client_id\":\"a\\nb\"}", "mine.json",
		"an id has a control");
	refused("{\"camera\":1}", "camera", "true or false");
	refused("{\"hello\":[]}", "hello", "an object");
	refused("{\"hello\":{\"sample_rate\":7999}}", "hello.sample_rate",
		"from 8000 to 48000");
	refused("{\"hello\":{\"sample_rate\":48001}}", "hello.sample_rate",
		"from 8000");
	refused("{\"hello\":{\"channels\":0}}", "hello.channels", "1 to 2");
	refused("{\"hello\":{\"channels\":3}}", "hello.channels", "1 to 2");
	refused("{\"hello\":{\"frame_duration\":4}}", "hello.frame_duration",
		"5 to 120");
	refused("{\"hello\":{\"frame_duration\":121}}", "hello.frame_duration",
		"5 to 120");
	refused("{\"hello\":{\"features\":1}}", "hello.features", "true");
	refused("{\"hello\":{\"mcp\":1}}", "hello.mcp", "true or false");
	refused("{\"hello\":{\"aec\":1}}", "hello.aec", "true or false");
	refused("{\"hello\":{\"text_font\":1}}", "hello.text_font", "object");
	refused("{\"hello\":{\"glyph_push\":1}}", "hello.glyph_push", "true");
	refused("{\"extends\":7}", "extends", "expected the name");
	refused("{\"kind\":\"lamp\"}", "kind", "\"device\" or \"service\"");
	refused("{\"kind\":\"service\"}", "mine.json",
		"is a service, and a device is needed");
	refused("{\"says\":\"[]\"}", "mine.json", "the text of a hello");
	refused("{\"replies\":{}}", "replies", "a list");
	refused("{\"state\":[]}", "state", "an object");
	refused("{\"remove\":[7]}", "remove[0]", "a tool's name");
	refused("{\"ollama\":{\"system\":\"x\"}}", "ollama", "'system'");
	refused("{\"ollama\":7}", "ollama", "an object");
	refused("{\"ollama\":{\"url\":\"ftp://x\"}}", "ollama", "url: ");
}

static void wrong_event(const char *event, const char *place, const char *words)
{
	char *text =
		mem_printf("{\"events\":[{\"after_ms\":1,\"audio\":\"00\"},"
			   "%s]}",
			   event);

	refused(text, place, words);
	mem_free(text);
}

static void test_wrong_events(void **state)
{
	(void)state;
	wrong_event("7", "events[1]", "an event");
	wrong_event("{\"after\":1}", "events[1]", "'after_ms'");
	wrong_event("{\"after_ms\":-1,\"audio\":\"\"}", "events[1].after_ms",
		    "from 0");
	wrong_event("{\"after_ms\":0,\"every_ms\":0,\"audio\":\"\"}",
		    "events[1].every_ms", "from 1");
	wrong_event("{\"after_ms\":0,\"audio\":\"00\",\"message\":{\"type\":"
		    "\"x\"}}",
		    "events[1]", "needs one of");
	wrong_event("{\"after_ms\":0,\"message\":{}}", "events[1]",
		    "a message needs a 'type'");
	wrong_event("{\"after_ms\":0,\"notification\":{}}", "events[1]",
		    "a notification needs a 'method'");
	wrong_event("{\"after_ms\":0,\"audio\":\"abc\"}", "events[1]", "hex");
	wrong_event("{\"after_ms\":0,\"audio\":\"zz\"}", "events[1]", "hex");
	wrong_event("{\"after_ms\":0,\"audio\":7}", "events[1].audio",
		    "string");
	wrong_event("{\"after_ms\":0,\"message\":7}", "events[1].message",
		    "object");
}

static void test_wrong_members(void **state)
{
	(void)state;
	refused("[]", "mine.json", "expected an object");
	refused("{\"tols\":[]}", "mine.json", "did you mean 'tools'?");
	refused("{\"tools\":{}}", "tools", "expected a list");
	refused("{\"brief\":1,\"brief\":2}", "mine.json", "twice");
	refused("{\"brief\":7}", "brief", "expected a string");
	refused("{\"version\":\"a\\nb\"}", "mine.json", "control character");
	refused("{\"hello\":{\"mpc\":true}}", "hello", "'mcp'");
	refused("{\"hello\":{\"frame_duration\":0}}", "hello.frame_duration",
		"from 5 to 120");
	refused("{\"state\":{\"x\":[]}}", "state", "'x'");
	refused("{\"firmware\":\"3\"}", "mine.json", "\"next\"");
	refused("{\"remove\":[\"nope\"]}", "remove[0]", "no tool 'nope'");
	refused("{\"board\":{\"chp\":\"x\"}}", "board", "'chip'");
	refused("{\n  ,", "line 2, column 3", "JSON");
	refused("{\"events\":[{\"after_ms\":1}]}", "events[0]", "one of");
	refused("{\"events\":[{\"message\":{\"type\":\"x\"}}]}", "events[0]",
		"'after_ms'");
	refused("{\"generate\":[{\"count\":1,\"name\":\"x\",\"result\":1}]}",
		"generate[0]", "${n}");
	refused("{\"generate\":[{\"count\":1,\"name\":\"${nn}\",\"result\":1}]"
		"}",
		"generate[0]", "'nn'");
}

/* A generator of that text. */
static void wrong_generator(const char *json, const char *place,
			    const char *words)
{
	char *text = mem_printf("{\"generate\":[%s]}", json);

	refused(text, place, words);
	mem_free(text);
}

/* An argument "a" of that text. */
static void wrong_argument(const char *json, const char *place,
			   const char *words)
{
	char *text = mem_printf("{\"tools\":[{\"name\":\"x\",\"result\":1,"
				"\"arguments\":{\"a\":%s}}]}",
				json);

	refused(text, place, words);
	mem_free(text);
}

static void test_wrong_generators(void **state)
{
	static const char tool[] = "\"name\":\"x${n}\",\"result\":1}";
	char *text;

	(void)state;
	wrong_generator("{\"count\":1,\"result\":1}", "generate[0]", "'name'");
	text = mem_printf("{%s", tool);
	wrong_generator(text, "generate[0]", "needs a 'count'");
	mem_free(text);
	text = mem_printf("{\"count\":-1,%s", tool);
	wrong_generator(text, "generate[0].count", "from 0 to 100000");
	mem_free(text);
	text = mem_printf("{\"count\":1,\"hidden\":1,%s", tool);
	wrong_generator(text, "generate[0]", "'hidden'");
	mem_free(text);
	text = mem_printf("{\"count\":1,\"user_only\":1,%s", tool);
	wrong_generator(text, "generate[0].user_only", "true or false");
	mem_free(text);
	wrong_generator("{\"count\":1,\"name\":\"x${n}\"}", "generate[0]",
			"tool 'x0' needs a 'result'");
	wrong_generator("{\"count\":1,\"name\":\"x${n}\",\"result\":1,"
			"\"description\":\"${m}\"}",
			"generate[0]", "a generator has only n");
}

static void test_wrong_arguments(void **state)
{
	(void)state;
	wrong_argument("7", "arguments.a", "an argument");
	wrong_argument("{}", "arguments.a", "'type' must be");
	wrong_argument("{\"type\":\"string\",\"min\":1}", "arguments.a",
		       "did you mean 'minimum'?");
	wrong_argument("{\"type\":\"string\",\"default\":1}",
		       "arguments.a.default", "a string");
	wrong_argument("{\"type\":\"boolean\",\"default\":1}",
		       "arguments.a.default", "true or false");
	wrong_argument("{\"type\":\"boolean\",\"maximum\":1}", "arguments.a",
		       "only an integer");
	wrong_argument("{\"type\":\"integer\",\"maximum\":2147483648}",
		       "arguments.a.maximum", "to 2147483647");
	wrong_argument("{\"type\":\"integer\",\"minimum\":-2147483649}",
		       "arguments.a.minimum", "from -2147483648");
	wrong_argument("{\"type\":\"integer\",\"maxLength\":1}", "arguments.a",
		       "only a string has 'maxLength'");
	wrong_argument("{\"type\":\"string\",\"maxLength\":0}",
		       "arguments.a.maxLength", "from 1");
}

static void test_wrong_tools(void **state)
{
	(void)state;
	refused("{\"tools\":[{\"name\":\"\",\"result\":1}]}", "tools[0]",
		"'name'");
	refused("{\"tools\":[{\"name\":\"x\",\"result\":1,\"title\":\"\"}]}",
		"tools[0]", "a tool has no member 'title'");
	refused("{\"tools\":[{\"name\":\"x\",\"result\":1,\"description\":1}]}",
		"tools[0].description", "a string");
	refused("{\"tools\":[{\"name\":\"x\",\"result\":1,\"arguments\":[]}]}",
		"tools[0].arguments", "an object");
	refused("{\"tools\":[{\"name\":\"x\",\"result\":1},{\"name\":\"x\","
		"\"user_only\":true}]}",
		"tools[1]", "'user_only' of an inherited tool cannot change");
	refused("{\"tools\":[{}]}", "tools[0]", "'name'");
	refused("{\"tools\":[{\"name\":\"x\"}]}", "tools[0]", "'result'");
	refused("{\"tools\":[{\"name\":\"x\",\"result\":1,\"arguments\":"
		"{\"a\":{\"type\":\"number\"}}}]}",
		"tools[0].arguments.a", "\"integer\"");
	refused("{\"tools\":[{\"name\":\"x\",\"result\":1,\"arguments\":"
		"{\"a\":{\"type\":\"string\",\"minimum\":1}}}]}",
		"tools[0].arguments.a", "only an integer");
	refused("{\"tools\":[{\"name\":\"x\",\"result\":1,\"arguments\":"
		"{\"a\":{\"type\":\"integer\",\"default\":\"x\"}}}]}",
		"tools[0].arguments.a.default", "whole number");
}

/* A tool with one argument "a" and that result. */
static void wrong_result(const char *result, const char *place,
			 const char *words)
{
	char *text = mem_printf("{\"state\":{\"s\":1},\"tools\":[{\"name\":"
				"\"x\",\"arguments\":{\"a\":{\"type\":"
				"\"integer\"}},\"result\":%s}]}",
				result);

	refused(text, place, words);
	mem_free(text);
}

static void test_wrong_results(void **state)
{
	(void)state;
	wrong_result("null", "tools[0].result", "expected an object");
	wrong_result("{\"txt\":\"x\"}", "tools[0].result", "'text'");
	wrong_result("{\"text\":\"x\",\"json\":1}", "tools[0].result",
		     "two answers");
	wrong_result("{\"template\":\"${b}\"}", "tools[0].result.template",
		     "no 'b'");
	wrong_result("{\"template\":\"${a\"}", "result.template", "not closed");
	wrong_result("{\"template\":\"${a?x}\"}", "result.template",
		     "two words");
	wrong_result("{\"error\":\"${state.t}\"}", "result.error", "state.t");
	wrong_result("{\"set\":{\"t\":1}}", "result.set", "no state 't'");
	wrong_result("{\"set\":{\"s\":[]}}", "result.set", "a state is");
	wrong_result("{\"then\":\"x\"}", "result", "\"reboot\"");
	wrong_result("{\"repeat\":\"x\"}", "result", "'times'");
	wrong_result("{\"delay_ms\":-1}", "result.delay_ms", "whole number");
	wrong_result("{\"image\":{\"mime\":\"image/png\",\"data\":\"*\"}}",
		     "result", "base64");
	wrong_result("{\"cases\":[{\"when\":{\"b\":1},\"result\":1}]}",
		     "result.cases[0].when", "'b'");
	wrong_result("{\"cases\":[{\"when\":{\"a\":{\"mn\":1}},\"result\":1}]}",
		     "result.cases[0].when", "'min'");
	wrong_result("{\"cases\":[{\"when\":{}}]}", "result.cases[0].result",
		     "missing");
	wrong_result("{\"cases\":[{\"when\":{},\"result\":{\"cases\":[]}}]}",
		     "result.cases[0].result", "inside cases");
	wrong_result("{\"otherwise\":1}", "result", "needs 'cases'");
	wrong_result("{\"times\":1}", "result", "'times' needs 'repeat'");
	wrong_result("{\"repeat\":\"x\",\"times\":-1}", "result.times",
		     "whole number");
	wrong_result("{\"repeat\":\"x\",\"times\":\"${b}\"}", "result.times",
		     "no 'b'");
	wrong_result("{\"repeat\":1,\"times\":1}", "result.repeat", "string");
	wrong_result("{\"text\":1}", "result.text", "string");
	wrong_result("{\"template\":1}", "result.template", "string");
	wrong_result("{\"error\":1}", "result.error", "string");
	wrong_result("{\"needs_vision\":1}", "result.needs_vision", "true");
	wrong_result("{\"texts\":1}", "result.texts", "a list");
	wrong_result("{\"texts\":[1]}", "result", "a list of texts");
	wrong_result("{\"image\":1}", "result.image", "an object");
	wrong_result("{\"image\":{\"mime\":\"x\"}}", "result", "base64");
	wrong_result("{\"image\":{\"data\":\"AA==\"}}", "result", "base64");
	wrong_result("{\"image\":{\"mime\":\"x\",\"data\":\"AA==\",\"u\":1}}",
		     "result", "an image has no member 'u'");
	wrong_result("{\"set\":1}", "result.set", "an object");
	wrong_result("{\"set\":{\"s\":\"${b}\"}}", "result.set", "no 'b'");
	wrong_result("{\"set\":{\"s\":[],\"s2\":1}}", "result.set", "a state");
	wrong_result("{\"then\":1}", "result.then", "string");
	wrong_result("{\"cases\":1}", "result.cases", "a list");
	wrong_result("{\"cases\":[{\"result\":1}]}", "result.cases[0]",
		     "'when' and 'result'");
	wrong_result("{\"cases\":[{\"when\":1,\"result\":1}]}",
		     "result.cases[0].when", "an object");
	wrong_result("{\"cases\":[{\"when\":{},\"result\":1,\"then\":1}]}",
		     "result.cases[0]", "a case has no member");
	wrong_result("{\"cases\":[{\"when\":{},\"result\":1},{\"when\":{\"a\":"
		     "[[]]},\"result\":1}]}",
		     "result.cases[1].when", "a list in 'when'");
	wrong_result("{\"cases\":[{\"when\":{\"a\":{\"max\":\"1\"}},"
		     "\"result\":1}]}",
		     "result.cases[0].when", "'max' needs a number");
	wrong_result("{\"cases\":[{\"when\":{\"a\":{\"min\":\"1\"}},"
		     "\"result\":1}]}",
		     "result.cases[0].when", "'min' needs a number");
	wrong_result("{\"cases\":[{\"when\":{\"a\":{\"not\":[]}},\"result\":1}]"
		     "}",
		     "result.cases[0].when", "'not' needs a plain value");
	wrong_result("{\"cases\":[{\"when\":{\"a\":{\"glob\":1}},\"result\":1}]"
		     "}",
		     "result.cases[0].when.glob", "string");
	wrong_result("{\"cases\":[{\"when\":{\"state.t\":1},\"result\":1}]}",
		     "result.cases[0].when", "'state.t'");
	wrong_result("{\"cases\":[],\"otherwise\":{\"x\":1}}",
		     "result.otherwise", "'x'");
	wrong_result(
		"{\"cases\":[{\"when\":{},\"result\":{\"template\":\"${b}\""
		"}}]}",
		"result.cases[0].result.template", "no 'b'");
	wrong_result("{\"upload\":\"sound\"}", "result", "\"screen\"");
	wrong_result("{\"upload\":1}", "result.upload", "string");
	wrong_result("{\"text\":\"\",\"question\":\"?\"}", "result",
		     "'question' needs 'upload'");
	wrong_result("{\"upload\":\"screen\"}", "result", "need each other");
	wrong_result("{\"upload\":\"photo\",\"to\":\"x\"}", "result",
		     "need each other");
	wrong_result("{\"upload\":\"screen\",\"to\":\"${b}\"}", "result.to",
		     "no 'b'");
	wrong_result("{\"upload\":\"photo\",\"question\":\"${b}\"}",
		     "result.question", "no 'b'");
	wrong_result("{\"upload\":\"photo\",\"delay_ms\":1}", "result",
		     "neither 'delay_ms' nor 'then'");
	wrong_result("{\"upload\":\"photo\",\"then\":\"close\"}", "result",
		     "neither 'delay_ms' nor 'then'");
	wrong_result("{\"template\":\"${a:21}\"}", "result.template",
		     "1 to 20");
}

/* What is ordered from outside, as results have it. */
static void test_wrong_orders(void **state)
{
	(void)state;
	wrong_result("{\"exec\":7}", "result.exec", "expected a command");
	wrong_result("{\"exec\":[]}", "result.exec", "expected a command");
	wrong_result("{\"exec\":\"\"}", "result.exec", "there is no command");
	wrong_result("{\"exec\":\"a 'b\"}", "result.exec", "a quote");
	wrong_result("{\"exec\":[\"a\",1]}", "result.exec",
		     "the words of a command are strings");
	wrong_result("{\"exec\":\"a\",\"delay_ms\":1}", "result", "own time");
	wrong_result("{\"ollama\":{\"user\":\"\"},\"then\":\"close\"}",
		     "result", "own time");
	wrong_result("{\"exec\":\"a\",\"timeout_ms\":0}", "result.timeout_ms",
		     "from 1 to 86400000");
	wrong_result("{\"exec\":\"a\",\"timeout_ms\":86400001}",
		     "result.timeout_ms", "from 1 to 86400000");
	wrong_result("{\"timeout_ms\":1}", "result", "needs 'exec'");
	wrong_result("{\"ollama\":{\"user\":\"\"},\"timeout_ms\":1}", "result",
		     "'ollama' has its own");
	wrong_result("{\"ollama\":{}}", "result.ollama", "'user' is needed");
	wrong_result("{\"ollama\":{\"prompt\":\"p\"}}", "result.ollama",
		     "only a service has prompts");
	wrong_result("{\"ollama\":{\"user\":\"\",\"x\":1}}", "result.ollama",
		     "ollama has no member 'x'");
	wrong_result("{\"ollama\":{\"user\":1}}", "result.ollama.user",
		     "a string, or a list of lines");
	wrong_result("{\"ollama\":{\"user\":[1]}}", "result.ollama.user",
		     "a line is a string");
	wrong_result("{\"ollama\":{\"user\":\"${b}\"}}", "result.ollama.user",
		     "no 'b' to fill in; the names are the tool's arguments");
	wrong_result("{\"ollama\":{\"user\":\"\",\"system\":\"${b}\"}}",
		     "result.ollama.system", "no 'b'");
	wrong_result("{\"ollama\":{\"user\":\"\",\"format\":\"xml\"}}",
		     "result.ollama", "\"json\"");
	wrong_result("{\"ollama\":{\"user\":\"\",\"format\":7}}",
		     "result.ollama", "\"json\"");
	wrong_result("{\"ollama\":{\"user\":\"\",\"url\":7}}",
		     "result.ollama.url", "string");
	wrong_result("{\"ollama\":{\"user\":\"\",\"model\":7}}",
		     "result.ollama.model", "string");
	wrong_result("{\"ollama\":{\"user\":\"\",\"stream\":7}}",
		     "result.ollama.stream", "true or false");
	wrong_result("{\"ollama\":{\"user\":\"\",\"options\":7}}",
		     "result.ollama.options", "object");
	wrong_result("{\"ollama\":{\"user\":\"\",\"timeout_ms\":0}}",
		     "result.ollama.timeout_ms", "from 1");
	wrong_result("{\"ollama\":{\"user\":\"\",\"retry_after_ms\":0}}",
		     "result.ollama.retry_after_ms", "from 1");
	wrong_result("{\"ollama\":{\"user\":\"\",\"url\":\"ftp://x\"}}",
		     "result.ollama", "no address of Ollama");
	profile_free(good("{\"tools\":[{\"name\":\"x\",\"result\":{\"ollama\":{"
			  "\"user\":\"\",\"format\":\"json\",\"timeout_ms\":1,"
			  "\"retry_after_ms\":86400000}}},{\"name\":\"y\","
			  "\"result\":{\"exec\":[\"a\"],\"timeout_ms\":1}}]}"));
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void note_name(void *owner, const char *name, const char *brief)
{
	words_add(owner, name);
	assert_non_null(brief);
}

static void test_lookup(void **state)
{
	char root[] = "/tmp/mcpctl-profile-XXXXXX";
	struct error err = { 0 };
	struct words names = { 0 };
	struct profile *p;
	char path[128];

	(void)state;
	assert_non_null(mkdtemp(root));
	setenv("XDG_CONFIG_HOME", root, 1);
	snprintf(path, sizeof(path), "%s/mcpctl", root);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/mcpctl/profiles", root);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/mcpctl/profiles/lamp.json", root);
	write_file(path, "{\"brief\":\"mine\"}");
	p = profile_load("lamp", NULL, &err);
	assert_non_null(p);
	assert_string_equal(p->name, "lamp");
	profile_free(p);
	assert_null(profile_load("lmap", NULL, &err));
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.text, "did you mean 'lamp'?"));
	assert_non_null(strstr(err.detail, root));
	assert_null(profile_load("./nowhere.json", NULL, &err));
	assert_non_null(strstr(err.text, "./nowhere.json"));
	write_file(path, "{\"extends\":\"lamp\"}");
	assert_null(profile_load("lamp", NULL, &err));
	assert_non_null(strstr(err.text, "extends itself"));
	write_file(path, "{\"brief\":\"mine\"}");
	sim_each_profile(note_name, &names);
	assert_true(names.count > 0);
	error_reset(&err);
	words_done(&names);
	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
	rmdir(root);
}

/* A file of that text in the folder w of root extends another one there. */
static void extends_beside(const char *root, const char *text, const char *says)
{
	char *path = mem_printf("%s/w/ext.json", root);
	struct error err = { 0 };
	struct profile *p;

	write_file(path, text);
	p = profile_load(path, NULL, &err);
	if (says) {
		assert_null(p);
		assert_int_equal(err.kind, ERR_USAGE);
		assert_non_null(strstr(err.text, says));
	} else {
		if (!p)
			print_error("%s\n", err.text);
		assert_non_null(p);
		assert_string_equal(p->catalog.board, "base2");
	}
	profile_free(p);
	error_reset(&err);
	unlink(path);
	mem_free(path);
}

static void test_extends_beside(void **state)
{
	char root[] = "/tmp/mcpctl-profile-XXXXXX";
	CLEANUP(mem_free_ptr) char *folder = NULL;
	CLEANUP(mem_free_ptr) char *base = NULL;
	CLEANUP(mem_free_ptr) char *absolute = NULL;

	(void)state;
	assert_non_null(mkdtemp(root));
	folder = mem_printf("%s/w", root);
	base = mem_printf("%s/base2.json", folder);
	absolute = mem_printf("{\"extends\":\"%s\"}", base);
	assert_int_equal(mkdir(folder, 0700), 0);
	write_file(base, "{\"board\":\"base2\"}");
	extends_beside(root, "{\"extends\":\"base2\"}", NULL);
	extends_beside(root, "{\"extends\":\"base2.json\"}", NULL);
	extends_beside(root, "{\"extends\":\"./base2.json\"}", NULL);
	extends_beside(root, "{\"extends\":\"../w/base2.json\"}", NULL);
	extends_beside(root, absolute, NULL);
	extends_beside(root, "{\"extends\":\"./ext.json\"}", "extends itself");
	extends_beside(root, "{\"extends\":\"none.json\"}",
		       "cannot read the profile 'none.json': No such file");
	/* what is not there is looked for from the current folder */
	extends_beside(root, "{\"extends\":\"src/sim/profiles/llm.json\"}",
		       "is a service");
	unlink(base);
	rmdir(folder);
	rmdir(root);
}

/* Rules at work. */

static const char rules[] =
	"{\"camera\":true,\"state\":{\"level\":5,\"name\":\"n\"},\"tools\":["
	"{\"name\":\"t\",\"arguments\":{\"flag\":{\"type\":\"boolean\"},"
	"\"n\":{\"type\":\"integer\",\"default\":3},"
	"\"s\":{\"type\":\"string\",\"default\":\"\"}},"
	"\"result\":{\"template\":\"${flag?on:off} ${n:3} $${n} ${s} "
	"${state.level} ${vision} ${device.id} ${device.board}\"}},"
	"{\"name\":\"set\",\"arguments\":{\"n\":{\"type\":\"integer\"}},"
	"\"result\":{\"set\":{\"level\":\"${n}\",\"name\":\"<${n}>\"}}},"
	"{\"name\":\"get\",\"result\":{\"cases\":["
	"{\"when\":{\"state.level\":{\"max\":9}},\"result\":\"low\"},"
	"{\"when\":{\"state.level\":{\"min\":30,\"max\":31}},\"result\":\"high\"},"
	"{\"when\":{\"state.level\":[10,11]},\"result\":{\"json\":{\"a\":[1.5,"
	"\"x\"]}}},"
	"{\"when\":{\"state.name\":{\"glob\":\"<2*>\",\"not\":\"<22>\"}},"
	"\"result\":{\"error\":\"no ${state.name}\"}}]}},"
	"{\"name\":\"see\",\"result\":{\"needs_vision\":true,\"text\":\"y\"}},"
	"{\"name\":\"many\",\"result\":{\"repeat\":\"ab\",\"times\":3}},"
	"{\"name\":\"num\",\"result\":4.5}]}";

static void call(struct harness *h, const char *name, const char *arguments,
		 const char *body)
{
	char *text = mem_printf(
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
		"\"params\":{\"name\":\"%s\",\"arguments\":%s}}",
		name, arguments);
	char *reply = mem_printf("{\"jsonrpc\":\"2.0\",\"id\":1,%s}", body);

	harness_send(h, text);
	harness_says(h, reply);
	mem_free(text);
	mem_free(reply);
}

#define TEXT(text)                                                     \
	"\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"" text \
	"\"}],\"isError\":false}"
#define FAILED(text) "\"error\":{\"message\":\"" text "\"}"

static void test_rules(void **state)
{
	struct harness h;

	(void)state;
	harness_start(&h, good(rules), NULL, true);
	call(&h, "t", "{\"flag\":true,\"s\":\"\\\"q\\\"\"}",
	     TEXT("on 003 ${n} \\\"q\\\" 5 false 02:00:00:00:00:01 "
		  "mcpctl-sim"));
	call(&h, "t", "{\"flag\":false,\"n\":-7}",
	     TEXT("off -07 ${n}  5 false 02:00:00:00:00:01 mcpctl-sim"));
	call(&h, "get", "{}", TEXT("low"));
	call(&h, "set", "{\"n\":11}", TEXT("true"));
	call(&h, "get", "{}", TEXT("{\\\"a\\\":[1.5,\\\"x\\\"]}"));
	/* Both borders belong to a range. */
	call(&h, "set", "{\"n\":9}", TEXT("true"));
	call(&h, "get", "{}", TEXT("low"));
	call(&h, "set", "{\"n\":30}", TEXT("true"));
	call(&h, "get", "{}", TEXT("high"));
	call(&h, "set", "{\"n\":31}", TEXT("true"));
	call(&h, "get", "{}", TEXT("high"));
	call(&h, "set", "{\"n\":32}", TEXT("true"));
	call(&h, "get", "{}", TEXT("true"));
	call(&h, "set", "{\"n\":23}", TEXT("true"));
	call(&h, "get", "{}", FAILED("no <23>"));
	call(&h, "set", "{\"n\":22}", TEXT("true"));
	call(&h, "get", "{}", TEXT("true")); /* no case, no otherwise */
	call(&h, "see", "{}", FAILED("Image explain URL or token is not set"));
	harness_send(&h, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
			 "\"initialize\",\"params\":{\"capabilities\":{"
			 "\"vision\":{\"url\":\"http://v\"}}}}");
	assert_non_null(harness_next(&h, 0));
	call(&h, "see", "{}", TEXT("y"));
	call(&h, "many", "{}", TEXT("ababab"));
	call(&h, "num", "{}", TEXT("4.5"));
	harness_stop(&h);
}

/* What a rule hands out, beside what is answered at once. */

struct ran {
	struct profile *profile;
	struct rule_world world;
	struct rule_result result;
};

/* The result of tool "x", with an argument n that is 5. */
static void ran(struct ran *r, const char *result)
{
	struct firmware_value five = { .number = 5 };
	struct firmware_call c = { .value = &five };
	char *text = mem_printf(
		"{\"state\":{\"s\":\"a\"},\"board\":\"B\",\"tools\":[{\"name\":"
		"\"x\",\"arguments\":{\"n\":{\"type\":\"integer\"}},\"result\":"
		"%s}]}",
		result);

	memset(r, 0, sizeof(*r));
	r->profile = good(text);
	r->world.profile = r->profile;
	r->world.client_id = "C1";
	r->world.vision = !strstr(result, "needs_vision");
	c.tool = r->profile->catalog.tool;
	rule_run(&r->world, &c, &r->result);
	mem_free(text);
}

static void ran_done(struct ran *r)
{
	rule_result_done(&r->result);
	rule_state_free(r->profile, r->world.state);
	profile_free(r->profile);
}

static void test_results(void **state)
{
	static const struct {
		const char *result;
		enum firmware_outcome_kind kind;
		const char *text;
		int64_t delay_ms;
		enum rule_then then;
		enum rule_upload upload;
	} rows[] = {
		{ "true", SERVER_TEXT, "true", 0, RULE_REPLY, RULE_NO_UPLOAD },
		{ "{\"text\":\"t\",\"delay_ms\":7}", SERVER_TEXT, "t", 7,
		  RULE_REPLY, RULE_NO_UPLOAD },
		{ "{\"delay_ms\":\"${n}0\"}", SERVER_TEXT, "true", 50,
		  RULE_REPLY, RULE_NO_UPLOAD },
		/* no more than a day, and nothing where there is no number */
		{ "{\"delay_ms\":\"${n}0000000\"}", SERVER_TEXT, "true",
		  50000000, RULE_REPLY, RULE_NO_UPLOAD },
		{ "{\"delay_ms\":\"${n}00000000\"}", SERVER_TEXT, "true",
		  86400000, RULE_REPLY, RULE_NO_UPLOAD },
		{ "{\"delay_ms\":\"${state.s}\"}", SERVER_TEXT, "true", 0,
		  RULE_REPLY, RULE_NO_UPLOAD },
		{ "{\"json\":{\"a\":[1]}}", SERVER_TEXT, "{\"a\":[1]}", 0,
		  RULE_REPLY, RULE_NO_UPLOAD },
		{ "{\"texts\":[\"a\",\"\\\"\"]}", SERVER_ITEMS,
		  "{\"type\":\"text\",\"text\":\"a\"},"
		  "{\"type\":\"text\",\"text\":\"\\\"\"}",
		  0, RULE_REPLY, RULE_NO_UPLOAD },
		{ "{\"image\":{\"mime\":\"image/x\",\"data\":\"AA==\"}}",
		  SERVER_IMAGE, "AA==", 0, RULE_REPLY, RULE_NO_UPLOAD },
		{ "{\"repeat\":\"ab\",\"times\":\"${n}\"}", SERVER_TEXT,
		  "ababababab", 0, RULE_REPLY, RULE_NO_UPLOAD },
		{ "{\"error\":\"e${n}\",\"then\":\"close\"}", SERVER_FAILED,
		  "e5", 0, RULE_CLOSE, RULE_NO_UPLOAD },
		{ "{\"then\":\"reboot\"}", SERVER_TEXT, "true", 0, RULE_REBOOT,
		  RULE_NO_UPLOAD },
		{ "{\"then\":\"upgrade\"}", SERVER_TEXT, "true", 0,
		  RULE_UPGRADE, RULE_NO_UPLOAD },
		{ "{\"then\":\"assets\"}", SERVER_TEXT, "true", 0, RULE_ASSETS,
		  RULE_NO_UPLOAD },
		{ "{\"upload\":\"photo\",\"question\":\"q${n}\"}", SERVER_TEXT,
		  "q5", 0, RULE_REPLY, RULE_PHOTO },
		{ "{\"upload\":\"photo\"}", SERVER_TEXT, "", 0, RULE_REPLY,
		  RULE_PHOTO },
		{ "{\"upload\":\"screen\",\"to\":\"http://${n}\"}", SERVER_TEXT,
		  "http://5", 0, RULE_REPLY, RULE_SCREEN },
		/* beside cases, and in the one that holds: both */
		{ "{\"delay_ms\":3,\"cases\":[{\"when\":{\"n\":4},\"result\":"
		  "1},{\"when\":{\"n\":[3,\"5\"],\"vision\":true},\"result\":{"
		  "\"text\":\"y\",\"delay_ms\":4}}],\"otherwise\":2}",
		  SERVER_TEXT, "y", 7, RULE_REPLY, RULE_NO_UPLOAD },
		{ "{\"cases\":[{\"when\":{\"n\":5,\"vision\":false},"
		  "\"result\":1}],\"otherwise\":{\"text\":\"o\"}}",
		  SERVER_TEXT, "o", 0, RULE_REPLY, RULE_NO_UPLOAD },
		{ "{\"cases\":[{\"when\":{\"n\":5,\"vision\":false},"
		  "\"result\":1}],\"otherwise\":-2}",
		  SERVER_TEXT, "-2", 0, RULE_REPLY, RULE_NO_UPLOAD },
		/* what needs a vision address does nothing else without one */
		{ "{\"needs_vision\":true,\"delay_ms\":9,\"cases\":[]}",
		  SERVER_FAILED, "Image explain URL or token is not set", 0,
		  RULE_REPLY, RULE_NO_UPLOAD },
		{ "{\"needs_vision\":true,\"text\":\"t\",\"delay_ms\":9,"
		  "\"then\":\"close\"}",
		  SERVER_FAILED, "Image explain URL or token is not set", 0,
		  RULE_REPLY, RULE_NO_UPLOAD },
		{ "{\"needs_vision\":false,\"upload\":\"photo\"}",
		  SERVER_FAILED, "Image explain URL or token is not set", 0,
		  RULE_REPLY, RULE_NO_UPLOAD },
		{ "{\"needs_vision\":false,\"upload\":\"screen\",\"to\":\"u\"}",
		  SERVER_TEXT, "u", 0, RULE_REPLY, RULE_SCREEN },
		{ "{\"template\":\"${device.client} ${device.board} "
		  "${device.version} [${device.id}] ${state.s}\"}",
		  SERVER_TEXT, "C1 B 2.4.2 [] a", 0, RULE_REPLY,
		  RULE_NO_UPLOAD },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct ran r;

		ran(&r, rows[i].result);
		assert_int_equal(r.result.kind, rows[i].kind);
		assert_string_equal(buf_string(&r.result.text), rows[i].text);
		assert_int_equal(r.result.delay_ms, rows[i].delay_ms);
		assert_int_equal(r.result.then, rows[i].then);
		assert_int_equal(r.result.upload, rows[i].upload);
		assert_null(r.result.order);
		if (rows[i].kind == SERVER_IMAGE)
			assert_string_equal(r.result.mime, "image/x");
		assert_null(r.world.state);
		ran_done(&r);
	}
}

static void test_set(void **state)
{
	static const char *const rows[][2] = {
		{ "\"<${n}>\"", "<5>" },
		{ "7.5", "7.5" },
		{ "false", "false" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *result = mem_printf("{\"set\":{\"s\":%s}}", rows[i][0]);
		struct ran r;

		ran(&r, result);
		assert_string_equal(r.world.state[0], rows[i][1]);
		ran_done(&r);
	}
}

static char *letters(size_t count)
{
	char *text = mem_zalloc(count + 1);

	memset(text, 'x', count);
	return text;
}

/* A state as long as a board's store takes it, and one that is longer. */
static void test_long_state(void **state)
{
	static const size_t rows[][2] = { { 4000, 4000 }, { 4001, 0 } };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr) char *text = letters(rows[i][0]);
		CLEANUP(mem_free_ptr)
		char *result = mem_printf("{\"set\":{\"s\":\"%s\"}}", text);
		struct ran r;

		ran(&r, result);
		assert_int_equal(strlen(r.world.state[0]), rows[i][1]);
		ran_done(&r);
	}
}

/* As often as is said; never more than 32 MiB, and whole. */
static void test_repeat(void **state)
{
	static const struct {
		size_t len;
		int times;
		size_t all;
	} rows[] = { { 3, 0, 0 },
		     { 3, 1, 3 },
		     { 3, 600, 1800 },
		     { 1024, 32768, 33554432 },
		     { 1024, 32769, 33554432 },
		     { 1025, INT32_MAX, 33554400 } };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr) char *text = letters(rows[i].len);
		CLEANUP(mem_free_ptr)
		char *result = mem_printf("{\"repeat\":\"%s\",\"times\":%d}",
					  text, rows[i].times);
		struct ran r;

		ran(&r, result);
		assert_int_equal(r.result.text.len, rows[i].all);
		ran_done(&r);
	}
}

/* What a model is asked, and what a command: where it stands. */
static void test_orders(void **state)
{
	struct ran r;

	(void)state;
	ran(&r,
	    "{\"ollama\":{\"user\":[\"a\",\"${n}\"],\"system\":\"s${n}\"}}");
	assert_non_null(json_object(r.result.order, "ollama"));
	assert_string_equal(buf_string(&r.result.text), "a\n5");
	assert_string_equal(buf_string(&r.result.system), "s5");
	ran_done(&r);
	ran(&r, "{\"exec\":\"cat\",\"set\":{\"s\":\"b\"}}");
	assert_non_null(json_member(r.result.order, "exec"));
	assert_int_equal(r.result.system.len, 0);
	assert_string_equal(r.world.state[0], "b");
	ran_done(&r);
}

/* Templates by themselves. */

static int get_x(void *owner, const char *name, struct buf *out)
{
	(void)owner;
	if (strcmp(name, "x") != 0)
		return -1;
	if (out)
		buf_text(out, "true");
	return 0;
}

static void test_template(void **state)
{
	const struct template_source source = { .get = get_x };
	struct error err = { 0 };
	struct buf out;

	(void)state;
	buf_init(&out, 0);
	assert_int_equal(template_expand("$ $$ ${x}$${x}$$${x}${x?a:}$",
					 &source, &out, &err),
			 0);
	assert_string_equal(buf_string(&out), "$ $$ true${x}$${x}a$");
	assert_int_equal(template_check("${y}", &source, &err), -1);
	assert_int_equal(template_check("${}", &source, &err), -1);
	assert_int_equal(template_check("${x:0}", &source, &err), -1);
	assert_int_equal(template_check("${x:3}", &source, &err), 0);
	error_reset(&err);
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_minimal),
		cmocka_unit_test(test_extends),
		cmocka_unit_test(test_generate),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_facts),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_inherited),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_wrong_facts),
		cmocka_unit_test(test_wrong_events),
		cmocka_unit_test(test_wrong_members),
		cmocka_unit_test(test_wrong_generators),
		cmocka_unit_test(test_wrong_arguments),
		cmocka_unit_test(test_wrong_tools),
		cmocka_unit_test(test_wrong_results),
		cmocka_unit_test(test_wrong_orders),
		cmocka_unit_test(test_lookup),
		cmocka_unit_test(test_extends_beside),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_long_state),
		cmocka_unit_test(test_repeat),
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_template),
	};

	mem_init();
	return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
