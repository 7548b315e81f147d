/* SPDX-License-Identifier: MIT */
/*
 * capture/steps at its borders: what is held of a capture, how far back a
 * reply finds what it answers, which steps of a file are taken.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "capture/steps.h"

#define SPAN(text) ((struct span){ (text), strlen(text) })

static struct capture_event event(enum event_from from, const char *text)
{
	return (struct capture_event){ .conn = 1,
				       .kind = CAPTURED_TEXT,
				       .from = from,
				       .data = SPAN(text),
				       .size = strlen(text) };
}

static void say(struct steps *s, enum event_from from, const char *text)
{
	const struct capture_event e = event(from, text);

	assert_true(steps_add(s, &e));
}

/* ---- what is held ---- */

/* Names of devices are held, too: each once. */
static void names_count(void **state)
{
	CLEANUP(steps_done) struct steps s = { 0 };
	CLEANUP(mem_free_ptr) char *name = mem_zalloc(100001);
	struct capture_event e = event(FROM_DEVICE, "{}");
	size_t one;

	(void)state;
	say(&s, FROM_DEVICE, "{}");
	one = s.bytes;
	assert_true(one >= 2 && one < 1000);
	memset(name, 'a', 100000);
	e.device = name;
	steps_add(&s, &e);
	assert_int_equal(s.devices, 2);
	assert_true(s.bytes >= one + 100000);
	one = s.bytes;
	steps_add(&s, &e);
	assert_int_equal(s.devices, 2);
	assert_true(s.bytes < one + 1000);
	name[0] = 'b';
	steps_add(&s, &e);
	assert_int_equal(s.devices, 3);
	assert_true(s.bytes >= one + 100000);
}

/* ---- what answers what ---- */

/* A reply, that many steps behind its request. */
static void replies_behind(struct steps *s, size_t steps)
{
	say(s, FROM_BACKEND, "{\"id\":1,\"method\":\"ping\"}");
	while (s->count < steps)
		say(s, FROM_DEVICE, "{\"type\":\"abort\"}");
	say(s, FROM_DEVICE, "{\"id\":1,\"result\":{}}");
}

static void far_back(void **state)
{
	CLEANUP(steps_done) struct steps near = { 0 }, far = { 0 };

	(void)state;
	replies_behind(&near, 256);
	assert_string_equal(near.item[256].key, "reply to ping");
	assert_int_equal(near.item[256].asked, 0);
	assert_int_equal(near.item[0].answer, 256);
	replies_behind(&far, 257);
	assert_string_equal(far.item[257].key, "reply to nobody");
	assert_int_equal(far.item[257].asked, NO_STEP);
	assert_int_equal(far.item[0].answer, NO_STEP);
	assert_null(far.item[257].id);
}

/* The last of that id that is not answered yet; then the one before it. */
static void the_last_that_waits(void **state)
{
	CLEANUP(steps_done) struct steps s = { 0 };

	(void)state;
	say(&s, FROM_BACKEND, "{\"id\":1,\"method\":\"a\"}");
	say(&s, FROM_BACKEND, "{\"id\":1,\"method\":\"b\"}");
	say(&s, FROM_BACKEND, "{\"id\":11,\"method\":\"c\"}");
	say(&s, FROM_DEVICE, "{\"id\":1,\"result\":1}");
	say(&s, FROM_DEVICE, "{\"id\":1,\"result\":2}");
	say(&s, FROM_DEVICE, "{\"id\":1,\"result\":3}");
	assert_string_equal(s.item[3].key, "reply to b");
	assert_string_equal(s.item[4].key, "reply to a");
	assert_string_equal(s.item[5].key, "reply to nobody");
	assert_int_equal(s.item[2].answer, NO_STEP);
}

/* Of another connection, or another device, nothing is answered. */
static void conversations_are_apart(void **state)
{
	CLEANUP(steps_done) struct steps s = { 0 };
	struct capture_event e = event(FROM_DEVICE, "{\"id\":1,\"result\":1}");

	(void)state;
	say(&s, FROM_BACKEND, "{\"id\":1,\"method\":\"a\"}");
	e.conn = 2;
	steps_add(&s, &e);
	e.conn = 1;
	e.device = "aa";
	steps_add(&s, &e);
	e.device = NULL;
	steps_add(&s, &e);
	assert_string_equal(s.item[1].key, "reply to nobody");
	assert_string_equal(s.item[2].key, "reply to nobody");
	assert_int_equal(s.item[2].device, 1);
	assert_string_equal(s.device[0], "");
	assert_string_equal(s.device[1], "aa");
	assert_string_equal(s.item[3].key, "reply to a");
	assert_int_equal(s.item[3].device, 0);
}

/* However many there are, one is found at once. */
static void many_devices(void **state)
{
	enum { DEVICES = 200000 };
	CLEANUP(steps_done) struct steps s = { 0 };
	struct capture_event e = event(FROM_DEVICE, "{}");

	(void)state;
	assert_int_equal(steps_device(&s, ""), NO_DEVICE);
	for (unsigned i = 0; i < DEVICES; i++) {
		char id[16];

		snprintf(id, sizeof(id), "%u", i);
		e.device = id;
		steps_add(&s, &e);
		assert_int_equal(s.item[i].device, i);
	}
	assert_int_equal(s.devices, DEVICES);
	assert_string_equal(s.device[DEVICES - 1], "199999");
	assert_int_equal(steps_device(&s, "199999"), DEVICES - 1);
	assert_int_equal(steps_device(&s, "0"), 0);
	assert_int_equal(steps_device(&s, "-1"), NO_DEVICE);
}

/* ---- from a file ---- */

static char path[] = "/tmp/test_steps.XXXXXX";

static int make_file(void **state)
{
	static const char text[] =
		"{\"capture\":1}\n"
		"{\"t\":1,\"c\":1,\"kind\":\"text\",\"text\":\"{}\"}\n"
		"{\"t\":2,\"c\":1,\"kind\":\"device\",\"device\":\"aa\"}\n"
		"{\"t\":3,\"c\":1,\"kind\":\"text\",\"text\":\"[]\"}\n"
		"{\"t\":4,\"c\":2,\"kind\":\"text\",\"device\":\"bb\",\"text\":\"7\"}\n"
		"{\"t\":5,\"kind\":\"lost\",\"count\":2}\n"
		"{\"t\":6,\"c\":1,\"kind\":\"ping\"}\n";
	const int fd = mkstemp(path);

	(void)state;
	if (fd < 0 || file_write(fd, text, strlen(text)))
		return -1;
	return close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static int load(struct steps *s, const char *device, struct error *err)
{
	struct capture_reader *r = capture_open(path, NULL);
	int status;

	assert_non_null(r);
	status = steps_load(s, r, device, err);
	capture_reader_free(r);
	return status;
}

static void all_of_a_file(void **state)
{
	CLEANUP(steps_done) struct steps s = { 0 };

	(void)state;
	assert_int_equal(load(&s, NULL, NULL), 0);
	assert_int_equal(s.count, 3);
	assert_int_equal(s.devices, 3);
	assert_int_equal(s.lost, 2);
	assert_string_equal(s.item[2].text, "7");
	assert_int_equal(s.item[2].len, 1);
	assert_int_equal(s.item[2].n, 5);
}

/* Nobody knows whose is what has no name; what is lost may be of that one. */
static void one_of_a_file(void **state)
{
	CLEANUP(steps_done) struct steps a = { 0 }, b = { 0 };

	(void)state;
	assert_int_equal(load(&a, "aa", NULL), 0);
	assert_int_equal(a.count, 1);
	assert_string_equal(a.item[0].text, "[]");
	assert_int_equal(a.lost, 2);
	assert_int_equal(load(&b, "bb", NULL), 0);
	assert_int_equal(b.count, 1);
	assert_string_equal(b.item[0].text, "7");
}

static void too_much_of_a_file(void **state)
{
	CLEANUP(steps_done) struct steps s = { 0 };
	CLEANUP(error_reset) struct error err = { 0 };

	(void)state;
	s.bytes = STEPS_BYTES_MAX;
	assert_int_equal(load(&s, NULL, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, "the conversation is larger than 256 MB");
	assert_int_equal(s.count, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_count),
		cmocka_unit_test(far_back),
		cmocka_unit_test(the_last_that_waits),
		cmocka_unit_test(conversations_are_apart),
		cmocka_unit_test(many_devices),
		cmocka_unit_test(all_of_a_file),
		cmocka_unit_test(one_of_a_file),
		cmocka_unit_test(too_much_of_a_file),
	};

	return cmocka_run_group_tests_name("steps", tests, make_file,
					   remove_file);
}
