/* SPDX-License-Identifier: MIT */
/* What is known of others: the built-in files, an own one, and a broken one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "diag/facts.h"
#include "diag/subjects.h"
#include "folder.h"

static struct buf told;
static size_t tellings;

static void tell(void *owner, const char *problem)
{
	(void)owner;
	buf_text(&told, problem);
	tellings++;
}

static char *path_of(void *owner, const char *name)
{
	(void)owner;
	return folder_path(name);
}

static const struct facts_ops ops = { path_of, tell };

static void forget(void)
{
	facts_forget();
	facts_from(NULL, NULL);
	buf_reset(&told);
	tellings = 0;
}

/* Each entry says where it is from, and when that was read. */
static void built_in(void **state)
{
	size_t backends, models, versions;
	const struct backend_fact *b;
	const struct model_fact *m;
	const struct firmware_fact *f;

	(void)state;
	forget();
	b = backend_facts(&backends);
	m = model_facts(&models);
	f = firmware_facts(&versions);
	assert_int_equal(backends, 6);
	assert_int_equal(models, 8);
	assert_int_equal(versions, 5);
	for (size_t i = 0; i < backends; i++)
		assert_true(*b[i].source && strlen(b[i].read) == 10);
	for (size_t i = 0; i < models; i++)
		assert_true(*m[i].source && strlen(m[i].read) == 10);
	for (size_t i = 0; i < versions; i++) {
		assert_true(*f[i].source && strlen(f[i].read) == 10);
		assert_int_equal(f[i].page_bytes, 8000);
	}
	assert_true(f[versions - 1].error_codes);
	assert_false(f[0].error_codes);
	assert_int_equal(firmware_tool_max(), 7959);
	assert_int_equal(firmware_answer_max(), 8000);
	assert_int_equal(firmware_answer_hangs(), 8300);
	assert_int_equal(firmware_name_max(), 15);
	assert_int_equal(firmware_value_max(), 4000);
	assert_int_equal(backend_message_max(&b), 8192);
	assert_string_equal(b->id, "gw");
}

/* esp_xiaozhi, and stock firmware, which may have a board of any type. */
static void who_asks(void **state)
{
	struct ota_request rq = { .board_type = "generic",
				  .user_agent = "esp32s3",
				  .chip = "esp32s3" };
	const struct library_fact *l;

	(void)state;
	forget();
	l = library_asking(&rq);
	assert_non_null(l);
	assert_string_equal(l->id, "esp_xiaozhi");
	assert_true(l->odd_mqtt && *l->mqtt_why);
	assert_true(*l->source && strlen(l->read) == 10);
	snprintf(rq.user_agent, sizeof(rq.user_agent), "generic/2.4.2");
	assert_null(library_asking(&rq));
	rq.user_agent[0] = rq.chip[0] = '\0';
	assert_null(library_asking(&rq));
	rq = (struct ota_request){ .board_type = "lichuang-dev",
				   .user_agent = "esp32s3",
				   .chip = "esp32s3" };
	assert_null(library_asking(&rq));
	assert_null(library_asking(&(struct ota_request){ 0 }));
}

/* What hosts take is judged in test_host_rules. */
static void hosts(void **state)
{
	size_t count;
	const struct host_fact *h;

	(void)state;
	forget();
	h = host_facts(&count);
	assert_int_equal(count, 8);
	for (size_t i = 0; i < count; i++)
		assert_true(*h[i].name && *h[i].source &&
			    strlen(h[i].read) == 10);
	assert_string_equal(h[0].id, "claude");
	assert_int_equal(h[0].name_max, 64);
	assert_true(h[0].all_or_none);
}

static void assert_fault(const char *kind, const char *text, const char *says)
{
	struct error err = { 0 };

	if (!says) {
		assert_int_equal(facts_check(kind, text, strlen(text), &err),
				 0);
		return;
	}
	assert_int_equal(facts_check(kind, text, strlen(text), &err), -1);
	assert_string_equal(err.text, says);
	error_reset(&err);
}

#define HEAD "\"id\":\"x\",\"name\":\"X\",\"source\":\"s\",\"read\":\"d\""

static void faults(void **state)
{
	(void)state;
	assert_fault("models", "{\"models\":[{" HEAD "}]}", NULL);
	assert_fault("firmware", "{\"firmware\":[]}", NULL);
	assert_fault("backends",
		     "{\"backends\":[\n{" HEAD ",\n\"max_tools\":-1}]}",
		     "line 3: \"max_tools\" must be a whole number, 0 or more");
	assert_fault("models", "{\"models\":[{" HEAD ",\"name_marks\":7}]}",
		     "line 1: \"name_marks\" must be a text");
	assert_fault("firmware",
		     "{\"firmware\":[{" HEAD ",\n\"user_tools\":1}]}",
		     "line 2: \"user_tools\" must be true or false");
	assert_fault("models", "{\"models\":[\n{\"id\":\"x\"}]}",
		     "line 2: the entry has no \"name\"");
	assert_fault("models", "{\"models\":[7]}",
		     "line 1: an object is expected");
	assert_fault("models", "{\"models\":{}}",
		     "line 1: an object with a list \"models\" is expected");
	assert_fault("models", "{\n\n\"models\":[}",
		     "line 3: no JSON from here on");
	assert_fault("models", "", "line 1: no JSON from here on");
	assert_fault("tigers", "{}", "there is no file of 'tigers'");
}

static void write_own(const char *name, const char *text)
{
	mem_free(folder_write(name, text, strlen(text)));
}

/* An own file goes instead; a broken one is told once, and does not count. */
static void own_files(void **state)
{
	char *says = mem_printf(
		"%s/models.json: line 2: the entry has no \"name\"; what is built in is used instead",
		folder);
	size_t count;

	(void)state;
	forget();
	write_own("backends.json",
		  "{\"backends\":[{" HEAD ",\"max_tools\":2}]}");
	write_own("models.json", "{\"models\":[\n{\"id\":\"x\"}]}");
	facts_from(&ops, NULL);
	assert_int_equal(backend_facts(&count)->max_tools, 2);
	assert_int_equal(count, 1);
	assert_int_equal(tellings, 0);
	facts_read_own();
	for (int i = 0; i < 3; i++)
		assert_string_equal(model_facts(&count)->id, "openai");
	assert_int_equal(tellings, 1);
	assert_string_equal(buf_string(&told), says);
	assert_int_equal(firmware_tool_max(), 7959);
	mem_free(says);
	forget();
}

/* ---- in a sentence ---- */

static void assert_who(const char *names, const char *words, bool many)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct subjects who = { 0 };
	struct backend_fact b[4] = { 0 };
	char *copy = mem_strdup(names), *at = copy;

	for (size_t i = 0; i < COUNT(b) && at; i++) {
		b[i].name = strsep(&at, "|");
		subjects_add_backend(&who, &b[i]);
	}
	subjects_as_backends(&out, &who);
	assert_string_equal(buf_string(&out), words);
	assert_int_equal(subjects_are_many(&who), many);
	mem_free(copy);
}

static void in_words(void **state)
{
	(void)state;
	assert_who("Java server", "the Java server", false);
	assert_who("Go server (a)|Go server (b)", "the Go servers", true);
	assert_who("MQTT gateway|Java server",
		   "the MQTT gateway and the Java server", true);
	assert_who("Python server|Java server|Go server (a)|Go server (b)",
		   "the Python, Java and Go servers", true);
	assert_who("MQTT gateway|Go server (a)|Go server (b)|Java server",
		   "the MQTT gateway, the Go servers and the Java server",
		   true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(built_in),  cmocka_unit_test(who_asks),
		cmocka_unit_test(hosts),     cmocka_unit_test(faults),
		cmocka_unit_test(own_files), cmocka_unit_test(in_words),
	};
	int failed = cmocka_run_group_tests(tests, folder_make, folder_remove);

	facts_forget();
	buf_done(&told);
	return failed;
}
