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

static void test_wrong_tools(void **state)
{
	(void)state;
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
		cmocka_unit_test(test_wrong_members),
		cmocka_unit_test(test_wrong_tools),
		cmocka_unit_test(test_wrong_results),
		cmocka_unit_test(test_lookup),
		cmocka_unit_test(test_extends_beside),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_template),
	};

	mem_init();
	return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
