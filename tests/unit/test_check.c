/* SPDX-License-Identifier: MIT */
/* A check in the making: its stages and cases, what is told, how it ends. */
#include "checkup.h"

static void find(enum diag_code code)
{
	diag_found(&diag, code, (struct span){ 0 }, "it");
}

static void is_case(const struct checkup *k, size_t i, struct check_case c)
{
	assert_true(i < k->case_count);
	assert_int_equal(k->cases[i].stage, c.stage);
	assert_string_equal(k->cases[i].name, c.name);
	assert_string_equal(k->cases[i].text, c.text);
	assert_int_equal(k->cases[i].verdict, c.verdict);
	assert_int_equal(k->cases[i].finding, c.finding);
}

#define T(text) ((char[]){ text })

/* A stage that asked nothing of its own is a case itself. */
static void test_stages(void **state)
{
	struct checkup k;

	(void)state;
	begin(&k);
	assert_int_equal(k.first_severity, -1);
	check_stage(&k, "one", STAGE_OK, "%d ms", 4);
	check_case(&k, "question", STAGE_OK, 5, "");
	check_stage(&k, "two", STAGE_ODD, "words");
	check_stage(&k, "three", STAGE_SKIPPED, "not asked");
	assert_string_equal(rendered_out(&s), "one      ok    4 ms\n"
					      "two      odd   words\n"
					      "three    -     not asked\n");
	assert_int_equal(k.stages, 3);
	assert_string_equal(k.stage[0].name, "one");
	assert_string_equal(k.stage[0].words, "4 ms");
	assert_int_equal(k.stage[1].verdict, STAGE_ODD);
	assert_int_equal(k.case_count, 3);
	is_case(&k, 0,
		(struct check_case){ 0, T("one"), T(""), STAGE_OK, 0, -1 });
	is_case(&k, 1,
		(struct check_case){ 1, T("question"), T(""), STAGE_OK, 5,
				     -1 });
	assert_int_equal(k.cases[1].took_us, 5);
	is_case(&k, 2,
		(struct check_case){ 2, T("three"), T("not asked"),
				     STAGE_SKIPPED, 0, -1 });
	end(&k);
}

/* What was found stands behind the stage in which it came, and is a case. */
static void test_findings(void **state)
{
	struct checkup k;
	const char *out;

	(void)state;
	begin(&k);
	find(D145);
	find(B214);
	find(N101);
	k.subject = "N";
	check_stage(&k, "ask", STAGE_OK, "done");
	out = rendered_out(&s);
	assert_ptr_equal(
		strstr(out,
		       "ask      ok    done\n"
		       "error   D145   a request is not answered in time: it\n"),
		out);
	assert_non_null(strstr(
		out, "\nwarning B214   a request id is used again: it\n"));
	assert_null(strstr(out, "N101"));
	assert_int_equal(k.case_count, 3);
	is_case(&k, 1,
		(struct check_case){
			0, T("D145 a request is not answered in time"), T("it"),
			STAGE_FAIL, 0, 0 });
	is_case(&k, 2,
		(struct check_case){ 0, T("B214 a request id is used again"),
				     T("it"), STAGE_FAIL, 0, 1 });
	assert_int_equal(k.count[SEVERITY_ERROR], 1);
	assert_int_equal(k.count[SEVERITY_WARNING], 1);
	assert_int_equal(k.count[SEVERITY_NOTE], 0);
	assert_string_equal(k.first, "D145");
	assert_int_equal(k.told, 3);
	/* Each once. */
	check_stage(&k, "again", STAGE_OK, "done");
	assert_int_equal(k.case_count, 4);
	end(&k);
}

/* The first of the most severe; what is below --fail-on is odd, not failed. */
static void test_severity(void **state)
{
	struct checkup k;

	(void)state;
	begin(&k);
	options.fail_on = SEVERITY_ERROR;
	find(B214);
	check_stage(&k, "one", STAGE_OK, "-");
	assert_int_equal(k.cases[1].verdict, STAGE_ODD);
	assert_string_equal(k.first, "B214");
	find(D145);
	find(D124);
	check_stage(&k, "two", STAGE_OK, "-");
	assert_int_equal(k.cases[3].verdict, STAGE_FAIL);
	assert_string_equal(k.first, "D145");
	assert_int_equal(k.first_severity, SEVERITY_ERROR);
	assert_int_equal(k.count[SEVERITY_ERROR], 2);
	end(&k);
}

static void test_wants(void **state)
{
	static const struct {
		const char *subject, *only, *skip, *code;
		bool wants;
	} rows[] = {
		{ "", NULL, NULL, "D145", true },
		{ "DB", NULL, NULL, "D145", false },
		{ "DB", NULL, NULL, "B214", false },
		{ "DB", NULL, NULL, "M415", true },
		{ "", "D145", NULL, "D145", true },
		{ "", "D145", NULL, "D146", false },
		{ "", "D*", NULL, "D146", true },
		{ "", "D*", NULL, "M415", false },
		{ "", NULL, "D*", "D145", false },
		{ "", NULL, "D*", "M415", true },
		{ "", "D*", "D145", "D145", false },
		{ "", "D*", "D145", "D146", true },
		{ "D", "D145", NULL, "D145", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct check_options o = { 0 };
		const struct checkup k = { .options = &o,
					   .subject = rows[i].subject };

		if (rows[i].only)
			words_add(&o.only, rows[i].only);
		if (rows[i].skip) {
			words_add(&o.skip, "X999");
			words_add(&o.skip, rows[i].skip);
		}
		assert_int_equal(check_wants(&k, rows[i].code), rows[i].wants);
		words_done(&o.only);
		words_done(&o.skip);
	}
}

static void test_dares(void **state)
{
	struct checkup k;

	(void)state;
	begin(&k);
	options.risk = RISK_READ;
	assert_true(check_dares(&k, RISK_ASK, 3));
	assert_true(check_dares(&k, RISK_READ, 4));
	assert_false(check_dares(&k, RISK_ODD, 5));
	assert_false(check_dares(&k, RISK_ODD, 1));
	assert_false(check_dares(&k, RISK_ARGS, 2));
	assert_int_equal(k.asked, 7);
	assert_int_equal(k.left[RISK_READ], 0);
	assert_int_equal(k.left[RISK_ODD], 6);
	assert_int_equal(k.left[RISK_ARGS], 2);
	assert_string_equal(risk_name(RISK_LOOK), "look");
	assert_string_equal(risk_name(RISK_ARGS), "args");
	end(&k);
}

/* Of the plan those that were not reached, and why. */
static void test_stopped(void **state)
{
	static const char *const plan[] = { "a", "b", "c", NULL };
	struct checkup k;

	(void)state;
	begin(&k);
	check_stopped(&k);
	k.plan = plan;
	check_stage(&k, "a", STAGE_OK, "-");
	k.plan_from = 1;
	check_stage(&k, "b", STAGE_OK, "-");
	check_stopped(&k);
	assert_string_equal(rendered_out(&s), "a        ok    -\n"
					      "b        ok    -\n"
					      "stopped  a, c: not reached\n");
	assert_int_equal(k.stages, 3);
	assert_string_equal(k.stage[2].name, "stopped");
	assert_string_equal(k.stage[2].words, "a, c: not reached");
	assert_int_equal(k.stage[2].verdict, STAGE_STOPPED);
	assert_int_equal(k.case_count, 4);
	is_case(&k, 2,
		(struct check_case){ 2, T("a"), T("not reached"), STAGE_SKIPPED,
				     0, -1 });
	is_case(&k, 3,
		(struct check_case){ 2, T("c"), T("not reached"), STAGE_SKIPPED,
				     0, -1 });
	end(&k);
}

static void test_stopped_by(void **state)
{
	static const char *const plan[] = { "a", "b", NULL };
	struct checkup k;

	(void)state;
	begin(&k);
	k.plan = plan;
	k.died = mem_strdup("it died");
	check_stage(&k, "a", STAGE_OK, "-");
	check_stopped(&k);
	assert_string_equal(rendered_out(&s),
			    "a        ok    -\n"
			    "stopped  b: not reached, it died\n");
	check_stage(&k, "b", STAGE_OK, "-");
	check_stopped(&k);
	assert_int_equal(k.stages, 3);
	end(&k);
}

static void ends(enum diag_code code, int fail_on, unsigned failed,
		 const char *why)
{
	CLEANUP(error_reset) struct error err = { 0 };
	struct checkup k;

	begin(&k);
	options.fail_on = fail_on;
	k.failed = failed;
	if (code < DIAG_CODE_COUNT)
		find(code);
	assert_int_equal(check_end(&k, &err), why ? -1 : 0);
	assert_true(k.ended);
	assert_int_equal(err.kind, why ? ERR_UNMET : ERR_NONE);
	assert_string_equal(err.text, why ? why : "");
	end(&k);
}

static void test_ends(void **state)
{
	const enum diag_code none = DIAG_CODE_COUNT;
	const enum diag_code note = (enum diag_code)finding_by_name("D136");

	(void)state;
	ends(none, SEVERITY_NOTE, 0, NULL);
	ends(none, SEVERITY_NOTE, 1, "a list or call failed");
	ends(none, SEVERITY_NOTE, 2, "lists or calls failed");
	ends(B214, SEVERITY_ERROR, 0, NULL);
	ends(B214, SEVERITY_ERROR, 1, "a list or call failed");
	ends(B214, SEVERITY_WARNING, 1, "the check found warnings");
	ends(D145, SEVERITY_ERROR, 0, "the check found errors");
	ends(D145, SEVERITY_NOTE, 0, "the check found errors");
	assert_int_equal(finding_row(note)->severity, SEVERITY_NOTE);
	ends(note, SEVERITY_NOTE, 0, "the check found notes");
	ends(note, SEVERITY_WARNING, 0, NULL);
}

/* The numbers of the last line; how long it took is left out. */
static void test_last_line(void **state)
{
	struct checkup k;
	const char *out;

	(void)state;
	begin(&k);
	find(D145);
	k.asked = 3;
	k.left[RISK_READ] = 4;
	k.left[RISK_ODD] = 5;
	k.left[RISK_ARGS] = 6;
	assert_int_equal(check_end(&k, NULL), -1);
	out = rendered_out(&s);
	assert_ptr_equal(strstr(out, "error   D145 "), out);
	out = strstr(out, "\n1 error, 0 warnings, 0 notes in ");
	assert_non_null(out);
	assert_string_equal(strchr(out, ';'),
			    "; 3 asked\n"
			    "4 more with --risk read, 5 with odd, 6 with args\n"
			    "mcpctl explain D145\n");
	/* It is told once. */
	check_end_early(&k);
	assert_string_equal(strchr(out, ';') + 2,
			    "3 asked\n"
			    "4 more with --risk read, 5 with odd, 6 with args\n"
			    "mcpctl explain D145\n");
	end(&k);
}

/* Its last line as JSON, where it was made to its end and where not. */
static void test_stopped_json(void **state)
{
	struct checkup k;

	(void)state;
	for (int stopped = 0; stopped < 2; stopped++) {
		begin(&k);
		app.out.ops = &render_json;
		check_stage(&k, "a", STAGE_OK, "-");
		find(B214);
		find(D112);
		find(D122);
		if (stopped)
			check_end_early(&k);
		else
			assert_int_equal(check_end(&k, NULL), -1);
		assert_non_null(strstr(rendered_out(&s),
				       "{\"check\":{\"errors\":0,"
				       "\"warnings\":1,\"notes\":2,"));
		assert_non_null(strstr(s.out, stopped ? "\"stopped\":true" :
							"\"stopped\":false"));
		end(&k);
	}
}

/* --findings: a line for each that is told. */
static void test_findings_file(void **state)
{
	char *text = NULL;
	size_t len = 0;
	struct checkup k;

	(void)state;
	begin(&k);
	app.findings = open_memstream(&text, &len);
	assert_non_null(app.findings);
	k.subject = "M";
	find(B214);
	find(M415);
	check_stage(&k, "a", STAGE_OK, "-");
	fclose(app.findings);
	app.findings = NULL;
	assert_ptr_equal(strstr(text, "{\"code\":\"B214\","), text);
	assert_ptr_equal(strchr(text, '\n'), text + len - 1);
	free(text);
	end(&k);
}

/* Where nothing was made there is nothing to be told. */
static void test_ends_early(void **state)
{
	struct checkup k;

	(void)state;
	begin(&k);
	check_end_early(&k);
	assert_false(k.ended);
	assert_string_equal(rendered_out(&s), "");
	check_stage(&k, "a", STAGE_FAIL, "-");
	check_end_early(&k);
	assert_true(k.ended);
	assert_non_null(strstr(rendered_out(&s), "0 errors, 0 warnings"));
	end(&k);
}

static void is_silent(enum error_kind kind, const char *why_code,
		      int64_t timeout, const char *code, const char *detail)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct checkup k;

	begin(&k);
	app.config.timeout = timeout;
	if (kind != ERR_NONE)
		error_set(&why, kind, "no more");
	if (why_code)
		error_finding(&why, why_code);
	check_silent(&k, "tools/list", &why);
	assert_int_equal(diag.count, code ? 1 : 0);
	if (code) {
		assert_string_equal(finding_row(diag.item[0].code)->code, code);
		assert_string_equal(diag.item[0].detail, detail);
	}
	end(&k);
}

static void test_silent(void **state)
{
	(void)state;
	is_silent(ERR_NONE, NULL, 0, "D145", "tools/list, within 10 s");
	is_silent(ERR_TIMEOUT, NULL, 2500, "D145", "tools/list, within 2.5 s");
	is_silent(ERR_TIMEOUT, "M401", 1000, "D145", "tools/list, within 1 s");
	is_silent(ERR_CONNECT, NULL, 0, "D145", "tools/list: no more");
	is_silent(ERR_CONNECT, "M401", 0, "M401", "tools/list: no more");
	is_silent(ERR_INTERRUPTED, NULL, 0, NULL, NULL);
}

/* What may be the answer came, and was found to be none. */
static void test_explained(void **state)
{
	static const struct {
		enum diag_code code;
		bool is;
	} rows[] = {
		{ D116, true }, { D124, true }, { D125, true }, { D115, false }
	};
	const struct error why = { 0 };
	struct checkup k;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		begin(&k);
		find(rows[i].code);
		check_silent(&k, "ping", &why);
		assert_int_equal(diag.count, rows[i].is ? 1 : 2);
		end(&k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stages),
		cmocka_unit_test(test_findings),
		cmocka_unit_test(test_severity),
		cmocka_unit_test(test_wants),
		cmocka_unit_test(test_dares),
		cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_stopped_by),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_last_line),
		cmocka_unit_test(test_stopped_json),
		cmocka_unit_test(test_findings_file),
		cmocka_unit_test(test_ends_early),
		cmocka_unit_test(test_silent),
		cmocka_unit_test(test_explained),
	};

	return cmocka_run_group_tests_name("check", tests, NULL, NULL);
}
