/* SPDX-License-Identifier: MIT */
/* What a check told, as files for others: each form whole, and what ends it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "check/reports.h"
#include "folder.h"

#define T(text) ((char[]){ text })

static struct app app;
static struct connection connection;
static const struct command command = { .name = "check" };
static const struct command replay = { .name = "replay" };
static char *operands[] = { T("ota"), T("http://h/?token=hush"), NULL };
static struct invocation in;
static struct check_options options;

static struct check_stage stages[] = {
	{ T("connect"), T("ws | 4 <ms> `x`"), STAGE_OK, 4000 },
	{ T("tools"), T("odd\none"), STAGE_FAIL, 70 },
};
static struct check_case cases[] = {
	{ 0, T("connect"), T(""), STAGE_OK, 4000, -1 },
	{ 1, T("B214 twice"), T("id 7"), STAGE_ODD, 0, 0 },
	{ 1, T("page 2"), T("Bearer hush"), STAGE_FAIL, 5, -1 },
	{ 1, T("page 3"), T(""), STAGE_FAIL, 6, -1 },
	{ 2, T("D145 late"), T(""), STAGE_FAIL, 0, 1 },
	{ 2, T("rest"), T("not reached"), STAGE_SKIPPED, 0, -1 },
};

static void begin(struct checkup *k, struct diag *d)
{
	in = (struct invocation){ .command = &command,
				  .app = &app,
				  .connection = &connection,
				  .argv = operands };
	options = (struct check_options){ .risk = RISK_READ };
	app.config.target = NULL;
	*d = (struct diag){ 0 };
	check_begin(k, &in, &options, d);
	k->stage = stages;
	k->stages = COUNT(stages);
	k->cases = cases;
	k->case_count = COUNT(cases);
	k->asked = 12;
	k->count[SEVERITY_ERROR] = 1;
	k->count[SEVERITY_WARNING] = 2;
	diag_found(d, B214, (struct span){ 0 }, "id %d", 7);
	diag_found(d, D145, (struct span){ 0 }, "%s", "");
	d->item[0].count = 3;
}

static struct words specs_of(const char *kind, char *path)
{
	CLEANUP(mem_free_ptr) char *spec = mem_printf("%s:%s", kind, path);
	struct words specs = { 0 };

	words_add(&specs, spec);
	return specs;
}

/* That report of it; yours. */
static char *report_of(const char *kind, const struct checkup *k,
		       const struct error *why)
{
	CLEANUP(mem_free_ptr) char *path = folder_path("report");
	CLEANUP(words_done) struct words specs = specs_of(kind, path);
	struct check_reports r = { 0 };
	struct buf text = { 0 };

	assert_int_equal(reports_open(&r, &specs, k->in, NULL), 0);
	assert_int_equal(r.count, 1);
	assert_false(r.on_stdout);
	assert_int_equal(reports_write(&r, k, why, NULL), 0);
	assert_null(r.item);
	assert_int_equal(file_read(&text, "report", path, NULL), 0);
	assert_int_equal(unlink(path), 0);
	return buf_take(&text);
}

static void reports(const char *kind, const struct checkup *k,
		    const struct error *why, const char *expected)
{
	CLEANUP(mem_free_ptr) char *text = report_of(kind, k, why);

	assert_string_equal(text, expected);
}

/* From the first of that on: what stands before is the same for all. */
static void ends(const char *kind, const struct checkup *k,
		 const struct error *why, const char *from,
		 const char *expected)
{
	CLEANUP(mem_free_ptr) char *text = report_of(kind, k, why);
	const char *at = strstr(text, from);

	if (!at)
		fail_msg("'%s' is not in it", from);
	assert_string_equal(at, expected);
}

#define STAGES                                                             \
	"\"stages\":[{\"name\":\"connect\",\"verdict\":\"ok\","            \
	"\"text\":\"ws | 4 <ms> `x`\",\"took_us\":4000,\"cases\":["        \
	"{\"name\":\"connect\",\"verdict\":\"ok\",\"text\":\"\","          \
	"\"took_us\":4000}]},"                                             \
	"{\"name\":\"tools\",\"verdict\":\"fail\",\"text\":\"odd\\none\"," \
	"\"took_us\":70,\"cases\":["                                       \
	"{\"name\":\"B214 twice\",\"verdict\":\"odd\",\"text\":\"id 7\","  \
	"\"took_us\":0,\"finding\":"

#define STAGES_END                                                 \
	"},{\"name\":\"page 2\",\"verdict\":\"fail\","             \
	"\"text\":\"Bearer ***\",\"took_us\":5},"                  \
	"{\"name\":\"page 3\",\"verdict\":\"fail\",\"text\":\"\"," \
	"\"took_us\":6}]}]}}\n"

static void test_json(void **state)
{
	CLEANUP(buf_done) struct buf expected = { 0 };
	CLEANUP(error_reset) struct error why = { 0 };
	struct checkup k;
	struct diag d;

	(void)state;
	begin(&k, &d);
	in.argc = 2;
	buf_text(&expected,
		 "{\"check\":{\"subject\":\"http://h/?token=***\","
		 "\"risk\":\"read\",\"errors\":1,\"warnings\":2,\"notes\":0,"
		 "\"asked\":12,\"error\":null," STAGES);
	finding_json(&expected, &d.item[0], NULL);
	buf_text(&expected, STAGES_END);
	reports("json", &k, NULL, buf_string(&expected));
	/* That something was found is no error of it; what ended it is one. */
	error_set(&why, ERR_UNMET, "the check found errors");
	reports("json", &k, &why, buf_string(&expected));
	k.stages = 0;
	why.kind = ERR_CONNECT;
	ends("json", &k, &why, "\"error\":",
	     "\"error\":\"the check found errors\",\"stages\":[]}}\n");
	diag_done(&d);
}

static void subject_is(const struct checkup *k, const char *subject)
{
	CLEANUP(mem_free_ptr)
	char *begins = mem_printf("### mcpctl check: %s\n\n", subject);
	CLEANUP(mem_free_ptr) char *text = report_of("md", k, NULL);

	assert_memory_equal(text, begins, strlen(begins));
}

/* Whom it is about: who was reached, else what was given, else the target. */
static void test_subject(void **state)
{
	struct checkup k;
	struct diag d;

	(void)state;
	begin(&k, &d);
	subject_is(&k, "the device of serve");
	app.config.target = "ws://h/";
	subject_is(&k, "ws://h/");
	in.argc = 1;
	subject_is(&k, "ws://h/");
	operands[0] = T("here");
	subject_is(&k, "this machine");
	in.argc = 2;
	subject_is(&k, "http://h/?token=***");
	in.argc = 0;
	app.config.target = "ws://u:secret@h/";
	subject_is(&k, "ws://u:***@h/");
	k.peer = T("board a|b");
	subject_is(&k, "board a\\|b");
	operands[0] = T("ota");
	diag_done(&d);
}

#define HEAD                                                    \
	"### mcpctl check: the device of serve\n\n"             \
	"1 error, 2 warnings, 0 notes; --risk read, 12 asked; " \
	"mcpctl " MCPCTL_VERSION "\n\n"
#define TABLE                                          \
	"| stage | | |\n|---|---|---|\n"               \
	"| connect | ok | ws \\| 4 \\<ms> \\`x\\` |\n" \
	"| tools | fail | odd\\none |\n\n"
#define B214_HITS                                                              \
	"  - hits: Python server and Go of AnimeAIChat: tools/list has id 2 "  \
	"on every page, and calls begin at 1 again. Boards do not mind: they " \
	"echo what came\n"
#define D145_HITS                                                              \
	"  - hits: every backend: it waits 10 to 30 s, and the model is told " \
	"of a failure\n"
#define B214_LINE "- **B214** warning: a request id is used again: id 7\n"
#define D145_LINE "- **D145** error: a request is not answered in time\n"

static void prove(struct finding *f, uint64_t n, bool from_device)
{
	f->proof = (struct proof){ .n = n,
				   .size = 30,
				   .from_device = from_device,
				   .text = "{`a`}|",
				   .text_len = 6 };
}

static void test_markdown(void **state)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct checkup k;
	struct diag d;

	(void)state;
	begin(&k, &d);
	reports("md", &k, NULL,
		HEAD TABLE B214_LINE B214_HITS D145_LINE D145_HITS);
	prove(&d.item[0], 7, true);
	prove(&d.item[1], 0, true);
	error_set(&why, ERR_UNMET, "the check found errors");
	reports("md", &k, &why,
		HEAD TABLE B214_LINE
		"  - frame 7, 30 B, from the device: `` {'a'}| ``\n" B214_HITS
			D145_LINE "  - `` {'a'}| ``\n" D145_HITS);
	prove(&d.item[0], 1, false);
	d.item[1].proof.text_len = 0;
	error_set(&why, ERR_CONNECT, "it `ended`");
	reports("md", &k, &why,
		HEAD
		"It could not be made to its end: it \\`ended\\`\n\n" TABLE
			B214_LINE
		"  - frame 1, 30 B, from the backend: `` {'a'}| ``\n" B214_HITS
			D145_LINE D145_HITS);
	in.command = &replay;
	k.case_count = 0;
	reports("md", &k, NULL,
		"### mcpctl replay: the device of serve\n\n"
		"1 error, 2 warnings, 0 notes; mcpctl " MCPCTL_VERSION
		"\n\n" TABLE);
	diag_done(&d);
}

static size_t lines_of(const char *text)
{
	size_t lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

/* Seven lines are its own; what is beyond 78 is counted, in two more. */
static void test_long_markdown(void **state)
{
	static const struct {
		size_t stages, lines;
		const char *end;
	} rows[] = {
		{ 71, 78, "| s | ok | w |\n\n" },
		{ 72, 80,
		  "| s | ok | w |\n\n… 1 more line: --report json:FILE has all\n" },
		{ 90, 80,
		  "| s | ok | w |\n\n… 19 more lines: --report json:FILE has all\n" },
	};
	struct check_stage many[90];
	struct checkup k;
	struct diag d;

	(void)state;
	begin(&k, &d);
	k.case_count = 0;
	k.stage = many;
	for (size_t i = 0; i < COUNT(many); i++)
		many[i] = (struct check_stage){ T("s"), T("w"), STAGE_OK, 0 };
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr) char *text = NULL;

		k.stages = rows[i].stages;
		text = report_of("md", &k, NULL);
		assert_int_equal(lines_of(text), rows[i].lines);
		assert_string_equal(text + strlen(text) - strlen(rows[i].end),
				    rows[i].end);
	}
	diag_done(&d);
}

#define RESULT(code, index, level, text, uri, name, subject, count)           \
	"{\"ruleId\":\"" code "\",\"ruleIndex\":" index ",\"level\":\"" level \
	"\",\"message\":{\"text\":\"" text "\"},\"locations\":["              \
	"{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"" uri         \
	"\"}},\"logicalLocations\":[{\"name\":\"" name                        \
	"\",\"fullyQualifiedName\":\"" subject                                \
	"\",\"kind\":\"function\"}]}],\"occurrenceCount\":" count             \
	",\"partialFingerprints\":{\"code/v1\":\"" code "\"}}"

/* "ruleIndex" of a code. */
static const char *index_of(enum diag_code code)
{
	static char text[2][8];
	static unsigned at;

	at = !at;
	snprintf(text[at], sizeof(text[at]), "%d", (int)code % 1000);
	return text[at];
}

static void test_sarif(void **state)
{
	CLEANUP(mem_free_ptr)
	char *expected = mem_printf(
		"\"results\":[" RESULT(
			"B214", "%s", "warning",
			"a request id is used again: id 7", "ws://h/%%20b?c=d",
			"tools", "ws://h/ b?c=d",
			"3") "," RESULT("D145", "%s", "error",
					"a request is not answered in time",
					"ws://h/%%20b?c=d", "end",
					"ws://h/ b?c=d",
					"1") "],"
					     "\"invocations\":[{\"executionSuccessful\":true}]}]}\n",
		index_of(B214), index_of(D145));
	CLEANUP(error_reset) struct error why = { 0 };
	struct checkup k;
	struct diag d;

	(void)state;
	begin(&k, &d);
	app.config.target = "ws://h/ b?c=d";
	ends("sarif", &k, NULL, "\"results\":", expected);
	error_set(&why, ERR_UNMET, "the check found errors");
	ends("sarif", &k, &why, "\"results\":", expected);
	/* Without a result it looks good: so it says that it was not made. */
	error_set(&why, ERR_TIMEOUT, "no answer");
	k.case_count = 1;
	ends("sarif", &k, &why, "\"results\":",
	     "\"results\":[],\"invocations\":[{\"executionSuccessful\":false,"
	     "\"toolExecutionNotifications\":[{\"level\":\"error\","
	     "\"message\":{\"text\":\"no answer\"}}]}]}]}\n");
	app.config.target = NULL;
	k.case_count = 2;
	ends("sarif", &k, NULL, "\"uri\":\"",
	     "\"uri\":\"mcpctl:serve\"}},\"logicalLocations\":["
	     "{\"name\":\"tools\",\"fullyQualifiedName\":\"the device of serve\","
	     "\"kind\":\"function\"}]}],\"occurrenceCount\":3,"
	     "\"partialFingerprints\":{\"code/v1\":\"B214\"}}],"
	     "\"invocations\":[{\"executionSuccessful\":true}]}]}\n");
	diag_done(&d);
}

/* Every code is a rule, at its own index. */
static void test_sarif_rules(void **state)
{
	CLEANUP(mem_free_ptr) char *text = NULL;
	CLEANUP(json_free_ptr) cJSON *json = NULL;
	const cJSON *run, *driver, *rules;
	struct checkup k;
	struct diag d;

	(void)state;
	begin(&k, &d);
	text = report_of("sarif", &k, NULL);
	json = cJSON_Parse(text);
	assert_non_null(json);
	assert_string_equal(json_string(json, "version"), "2.1.0");
	run = cJSON_GetArrayItem(json_array(json, "runs"), 0);
	driver = json_object(json_object(run, "tool"), "driver");
	assert_string_equal(json_string(driver, "version"), MCPCTL_VERSION);
	rules = json_array(driver, "rules");
	assert_int_equal(cJSON_GetArraySize(rules), DIAG_CODE_COUNT);
	for (int i = 0; i < DIAG_CODE_COUNT; i++)
		assert_string_equal(
			json_string(cJSON_GetArrayItem(rules, i), "id"),
			finding_row((enum diag_code)i)->code);
	assert_non_null(strstr(
		text,
		"{\"id\":\"D145\",\"shortDescription\":{\"text\":"
		"\"a request is not answered in time\"},\"fullDescription\":"
		"{\"text\":\"Every request with a usable id has a reply"));
	assert_non_null(strstr(
		text, "},\"defaultConfiguration\":{\"level\":\"error\"}}"));
	diag_done(&d);
}

/* In TAP: found and below --fail-on is skipped, and a stage is a prefix. */
static void test_cases(void **state)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct checkup k;
	struct diag d;

	(void)state;
	begin(&k, &d);
	error_set(&why, ERR_CONNECT, "it ended");
	k.case_count = 2;
	ends("tap", &k, NULL, "1..",
	     "1..2\n"
	     "ok 1 - connect: connect # time=4ms\n"
	     "ok 2 - tools: B214 twice # SKIP found, below --fail-on: id 7\n");
	/* It ended, and no case failed: one does. */
	ends("tap", &k, &why, "1..",
	     "1..3\n"
	     "ok 1 - connect: connect # time=4ms\n"
	     "ok 2 - tools: B214 twice # SKIP found, below --fail-on: id 7\n"
	     "not ok 3 - stopped: check # time=0ms\n"
	     "  ---\n  at: \"the device of serve\"\n"
	     "  message: \"it ended\"\n"
	     "  kind: \"connect\"\n  status: 3\n  ...\n");
	k.cases += 2;
	ends("tap", &k, &why, "1..",
	     "1..2\n"
	     "not ok 1 - tools: page 2 # time=0ms\n"
	     "  ---\n  at: \"the device of serve\"\n"
	     "  message: \"Bearer ***\"\n"
	     "  kind: \"unmet\"\n  status: 7\n  ...\n"
	     "not ok 2 - tools: page 3 # time=0ms\n"
	     "  ---\n  at: \"the device of serve\"\n"
	     "  message: \"page 3\"\n"
	     "  kind: \"unmet\"\n  status: 7\n  ...\n");
	k.cases += 3;
	k.case_count = 1;
	ends("tap", &k, NULL, "1..",
	     "1..1\nok 1 - stopped: rest # SKIP not reached\n");
	diag_done(&d);
}

static void refuses(const char *first, const char *second, const char *why)
{
	CLEANUP(error_reset) struct error err = { 0 };
	CLEANUP(words_done) struct words specs = { 0 };
	struct check_reports r = { 0 };

	words_add(&specs, first);
	if (second)
		words_add(&specs, second);
	assert_int_equal(reports_open(&r, &specs, &in, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, why);
	reports_drop(&r);
	assert_int_equal(r.count, 0);
}

#define NONE(spec)                                                           \
	"--report: '" spec "' is none of tap:FILE, junit:FILE, sarif:FILE, " \
	"json:FILE, md:FILE"

static void test_wrong_ones(void **state)
{
	struct checkup k;
	struct diag d;

	(void)state;
	begin(&k, &d);
	refuses("json", NULL, NONE("json"));
	refuses("json:", NULL, NONE("json:"));
	refuses("tap:", NULL, NONE("tap:"));
	refuses("xml:file", NULL, NONE("xml:file"));
	refuses("md:-", "tap:-", "--report: only one can go to stdout");
	diag_done(&d);
}

/* Several at once, one of them on stdout. */
static void test_several(void **state)
{
	CLEANUP(mem_free_ptr) char *path = folder_path("report");
	CLEANUP(words_done) struct words specs = specs_of("md", path);
	struct check_reports r = { 0 };
	struct checkup k;
	struct diag d;

	(void)state;
	begin(&k, &d);
	words_add(&specs, "json:-");
	words_add(&specs, "junit:/dev/null");
	assert_int_equal(reports_open(&r, &specs, &in, NULL), 0);
	assert_int_equal(r.count, 3);
	assert_true(r.on_stdout);
	reports_drop(&r);
	assert_false(r.on_stdout);
	assert_int_equal(unlink(path), 0);
	diag_done(&d);
}

/* What cannot be written is told, and the others are written. */
static void test_full_disk(void **state)
{
	CLEANUP(mem_free_ptr) char *path = folder_path("report");
	CLEANUP(words_done) struct words specs = { 0 };
	CLEANUP(error_reset) struct error err = { 0 };
	CLEANUP(mem_free_ptr) char *last = mem_printf("md:%s", path);
	struct check_reports r = { 0 };
	struct checkup k;
	struct diag d;

	(void)state;
	begin(&k, &d);
	words_add(&specs, "json:/dev/full");
	words_add(&specs, last);
	assert_int_equal(reports_open(&r, &specs, &in, NULL), 0);
	assert_int_equal(reports_write(&r, &k, NULL, &err), -1);
	assert_int_equal(err.kind, ERR_OUTPUT);
	assert_string_equal(err.text,
			    "the report '/dev/full' could not be written");
	assert_int_equal(unlink(path), 0);
	diag_done(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_subject),
		cmocka_unit_test(test_markdown),
		cmocka_unit_test(test_long_markdown),
		cmocka_unit_test(test_sarif),
		cmocka_unit_test(test_sarif_rules),
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_wrong_ones),
		cmocka_unit_test(test_several),
		cmocka_unit_test(test_full_disk),
	};

	return cmocka_run_group_tests_name("reports", tests, folder_make,
					   folder_remove);
}
