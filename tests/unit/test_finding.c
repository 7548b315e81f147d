/* SPDX-License-Identifier: MIT */
/* A finding in words, as JSON, and back; and the engine that keeps them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "diag/finding.h"

static struct finding example(void)
{
	struct finding f = {
		.code = D114,
		.detail = mem_strdup("id \"7\" is a text"),
		.proof = { .n = 3,
			   .at_us = 5,
			   .leg = LEG_MQTT,
			   .from_device = true,
			   .size = 12,
			   .text = "\"id\":\"7\"}",
			   .text_len = 9,
			   .from = 3,
			   .off = 5,
			   .len = 3 },
		.count = 2,
		.first_us = 6,
		.last_us = 9,
	};

	return f;
}

#define BEGIN                                                               \
	"{\"code\":\"D114\",\"severity\":\"warning\",\"title\":\"the reply" \
	" has its id as another type\",\"detail\":"
#define REST                                                             \
	",\"count\":2,\"first_us\":6,\"last_us\":9,\"evidence\":[{"      \
	"\"n\":3,\"at_us\":5,\"leg\":\"mqtt\",\"from\":\"device\","      \
	"\"size\":12,\"text\":\"\\\"id\\\":\\\"7\\\"}\",\"from_byte\":3" \
	",\"span\":[5,3]}]"

static void in_words(void **state)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct finding f = example();

	(void)state;
	finding_title(&out, &f, NULL);
	assert_string_equal(
		buf_string(&out),
		"the reply has its id as another type: id \"7\" is a text");
	buf_reset(&out);
	finding_title(&out, &f, "now");
	assert_string_equal(buf_string(&out),
			    "the reply has its id as another type: now");
	buf_reset(&out);
	finding_title(&out, &f, "");
	assert_string_equal(buf_string(&out),
			    "the reply has its id as another type");
	buf_reset(&out);
	finding_line(&out, &f);
	assert_string_equal(
		buf_string(&out),
		"D114 warning  the reply has its id as another type: id \"7\" is a text");
	finding_done(&f);
}

static void as_json(void **state)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	CLEANUP(json_free_ptr) cJSON *json = NULL;
	struct finding f = example();

	(void)state;
	finding_facts(&out, &f, NULL, "aa:bb");
	assert_string_equal(buf_string(&out),
			    BEGIN "\"id \\\"7\\\" is a text\","
				  "\"device\":\"aa:bb\"" REST "}");
	buf_reset(&out);
	finding_facts(&out, &f, "now", NULL);
	assert_string_equal(buf_string(&out),
			    BEGIN "\"now\",\"device\":null" REST "}");
	/* What is wrong is all of it; it was the backend's. */
	f.proof.len = 0;
	f.proof.from_device = false;
	buf_reset(&out);
	finding_facts(&out, &f, NULL, NULL);
	assert_non_null(
		strstr(buf_string(&out), "\"from\":\"backend\",\"size\":12,"));
	assert_non_null(strstr(buf_string(&out), "\"from_byte\":3}]}"));
	/* An empty frame has its number; what was no frame has no proof. */
	f.proof = (struct proof){ .n = 1 };
	buf_reset(&out);
	finding_facts(&out, &f, NULL, NULL);
	assert_non_null(strstr(buf_string(&out), "\"evidence\":[{\"n\":1,"));
	f.proof = (struct proof){ .size = 1 };
	buf_reset(&out);
	finding_facts(&out, &f, NULL, NULL);
	assert_non_null(strstr(buf_string(&out), "\"evidence\":[{\"n\":0,"));
	f.proof = (struct proof){ 0 };
	buf_reset(&out);
	finding_json(&out, &f, NULL);
	assert_non_null(strstr(buf_string(&out), ",\"evidence\":[],\"hits\":"));
	/* And its story, which is JSON as well. */
	json = json_parse(buf_string(&out), out.len, NULL);
	assert_non_null(json_string(json_object(json, "do"), "firmware"));
	assert_null(json_string(json_object(json, "do"), "why"));
	finding_done(&f);
}

static int read_back(struct finding *out, const char *text, struct error *err)
{
	CLEANUP(json_free_ptr)
	cJSON *json = json_parse(text, strlen(text), NULL);

	assert_non_null(json);
	return finding_read(out, json, err);
}

static void back(void **state)
{
	CLEANUP(buf_done) struct buf text = { 0 }, again = { 0 };
	struct finding f = example(), g;

	(void)state;
	for (enum diag_leg leg = LEG_WS; leg <= LEG_SERIAL; leg++) {
		f.proof.leg = leg;
		buf_reset(&text);
		finding_json(&text, &f, "x");
		assert_int_equal(read_back(&g, buf_string(&text), NULL), 0);
		assert_int_equal(g.proof.leg, leg);
		buf_reset(&again);
		finding_json(&again, &g, "x");
		assert_string_equal(buf_string(&again), buf_string(&text));
		finding_done(&g);
	}
	finding_done(&f);
}

static void from_other_versions(void **state)
{
	static const char *const spans[] = { "[5,4]",  "[-1,2]", "[1,-1]",
					     "[9,1]",  "[1]",	 "[]",
					     "\"1,2\"" };
	CLEANUP(error_reset) struct error err = { 0 };
	struct finding f;

	(void)state;
	assert_int_equal(read_back(&f, "{\"code\":\"D999\"}", &err), -1);
	assert_int_equal(err.kind, ERR_PROTOCOL);
	assert_non_null(strstr(err.text, "does not know: D999"));
	assert_int_equal(read_back(&f, "{}", &err), -1);
	assert_non_null(strstr(err.text, "it has no code"));
	assert_int_equal(
		read_back(&f,
			  "{\"code\":\"D100\",\"code\":\"D114\",\"count\":-1}",
			  &err),
		-1);
	assert_int_equal(
		read_back(
			&f,
			"{\"code\":\"D114\",\"count\":-1,\"evidence\":[{\"n\":-7,\"leg\":\"tube\"}]}",
			NULL),
		0);
	assert_int_equal(f.code, D114);
	assert_string_equal(f.detail, "");
	assert_int_equal(f.count, 0);
	assert_int_equal(f.proof.n, 0);
	assert_int_equal(f.proof.leg, LEG_WS);
	assert_false(f.proof.from_device);
	finding_done(&f);
	for (size_t i = 0; i < COUNT(spans); i++) {
		CLEANUP(mem_free_ptr)
		char *text = mem_printf(
			"{\"code\":\"D114\",\"evidence\":[{\"text\":\"12345678\",\"span\":%s}]}",
			spans[i]);

		assert_int_equal(read_back(&f, text, NULL), 0);
		assert_int_equal(f.proof.text_len, 8);
		assert_int_equal(f.proof.len, 0);
		assert_int_equal(f.proof.off, 0);
		finding_done(&f);
	}
	read_back(
		&f,
		"{\"code\":\"D114\",\"evidence\":[{\"text\":\"12345678\",\"span\":[0,8]}]}",
		NULL);
	assert_int_equal(f.proof.len, 8);
	finding_done(&f);
}

/* ---- kept ---- */

static void counted_by_severity(void **state)
{
	struct diag d = { 0 };

	(void)state;
	assert_int_equal(diag_worst(&d), -1);
	diag_found(&d, B212, (struct span){ 0 }, "a");
	assert_int_equal(diag_worst(&d), SEVERITY_NOTE);
	diag_found(&d, B214, (struct span){ 0 }, "b");
	diag_found(&d, B214, (struct span){ 0 }, "c");
	diag_found(&d, B211, (struct span){ 0 }, "c");
	assert_int_equal(diag_worst(&d), SEVERITY_WARNING);
	assert_int_equal(diag_severe(&d, SEVERITY_NOTE), 2);
	assert_int_equal(diag_severe(&d, SEVERITY_WARNING), 1);
	assert_int_equal(diag_severe(&d, SEVERITY_ERROR), 0);
	assert_int_equal(diag_count(&d, B214), 2);
	assert_string_equal(diag_finding(&d, B214)->detail, "b");
	diag_done(&d);
}

/* Of another one: it stands in the place of its code. */
static void taken_over(void **state)
{
	struct diag d = { 0 };
	struct finding f = example(), g = example();

	(void)state;
	diag_found(&d, B214, (struct span){ 0 }, "b");
	assert_ptr_equal(diag_take(&d, &f), &d.item[1]);
	assert_null(f.detail);
	assert_int_equal(d.count, 2);
	assert_int_equal(diag_count(&d, D114), 2);
	g.count = 7;
	assert_ptr_equal(diag_take(&d, &g), &d.item[1]);
	assert_int_equal(d.count, 2);
	assert_int_equal(diag_count(&d, D114), 7);
	assert_int_equal(diag_count(&d, B214), 1);
	diag_done(&d);
}

static const struct proof *proof_at(struct diag *d, const char *frame,
				    size_t off, size_t len)
{
	const struct diag_frame f = { .at_us = 1,
				      .data = frame,
				      .len = strlen(frame) };

	diag_done(d);
	diag_found_in(d, B214, &f, (struct span){ frame + off, len }, "x");
	return &diag_finding(d, B214)->proof;
}

/* Of a long frame a window, with what is wrong in it. */
static void excerpts(void **state)
{
	char frame[301] = { 0 };
	struct diag d = { 0 };
	const struct proof *p;

	(void)state;
	for (size_t i = 0; i < sizeof(frame) - 1; i++)
		frame[i] = (char)('a' + i % 26);
	p = proof_at(&d, frame, 40, 5);
	assert_int_equal(p->from, 0);
	assert_int_equal(p->off, 40);
	assert_int_equal(p->len, 5);
	p = proof_at(&d, frame, 41, 5);
	assert_int_equal(p->from, 1);
	assert_int_equal(p->off, 40);
	assert_int_equal(p->text_len, PROOF_MAX);
	assert_int_equal(p->size, 300);
	assert_memory_equal(p->text, frame + 1, PROOF_MAX);
	p = proof_at(&d, frame, 41, 80);
	assert_int_equal(p->len, 80);
	p = proof_at(&d, frame, 41, 81);
	assert_int_equal(p->len, 80);
	p = proof_at(&d, frame, 299, 1);
	assert_int_equal(p->text_len, 41);
	assert_int_equal(p->off, 40);
	assert_int_equal(p->len, 1);
	frame[PROOF_MAX] = '\0';
	p = proof_at(&d, frame, 0, PROOF_MAX);
	assert_int_equal(p->text_len, PROOF_MAX);
	assert_int_equal(p->len, PROOF_MAX);
	diag_done(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_words),
		cmocka_unit_test(as_json),
		cmocka_unit_test(back),
		cmocka_unit_test(from_other_versions),
		cmocka_unit_test(counted_by_severity),
		cmocka_unit_test(taken_over),
		cmocka_unit_test(excerpts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
