/* SPDX-License-Identifier: MIT */
/* What waits for an attached command: in order, bounded, and what is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "serve/outbox.h"

#define COST 64 /* of a packet, besides its bytes */

static int end[2]; /* written to, and read from */

static int begin(void **state)
{
	(void)state;
	return socketpair(AF_UNIX, SOCK_STREAM, 0, end);
}

static int finish(void **state)
{
	(void)state;
	close(end[0]);
	if (end[1] >= 0)
		close(end[1]);
	return 0;
}

static struct packet *text_packet(const char *text)
{
	return packet_new(CONTROL_TEXT, text, strlen(text));
}

static struct packet *large_packet(size_t len)
{
	struct buf b = { 0 };
	CLEANUP(mem_free_ptr) char *data = mem_zalloc(len);

	buf_add(&b, data, len);
	return packet_take(&b);
}

static void add(struct outbox *o, const char *text)
{
	struct packet *p = text_packet(text);

	assert_int_equal(outbox_add(o, p), 0);
	packet_release(p);
}

static void offer(struct outbox *o, const char *text)
{
	struct packet *p = text_packet(text);

	outbox_offer(o, p);
	packet_release(p);
}

/* All that can be read now, behind what out has. */
static void read_now(struct buf *out)
{
	char data[65536];
	ssize_t n;

	while ((n = recv(end[1], data, sizeof(data), MSG_DONTWAIT)) > 0)
		buf_add(out, data, (size_t)n);
}

/* Frames as "t:TEXT j:{…}" */
static void assert_frames(const struct buf *got, const char *expected)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	const char *bytes = buf_string(got);
	struct control_frame frame;
	size_t at = 0;

	while (control_decode(&frame, bytes + at, got->len - at, NULL) == 1) {
		buf_printf(&text, "%s%c:%.*s", at ? " " : "", frame.kind,
			   (int)frame.len, frame.data);
		at += frame.size;
	}
	assert_int_equal(at, got->len);
	assert_string_equal(buf_string(&text), expected);
}

static void assert_written(struct outbox *o, const char *expected)
{
	CLEANUP(buf_done) struct buf got = { 0 };

	assert_int_equal(outbox_write(o, end[0]), 0);
	assert_int_equal(o->count, 0);
	assert_int_equal(o->bytes, 0);
	read_now(&got);
	assert_frames(&got, expected);
}

static void in_order(void **state)
{
	struct outbox o = { 0 };

	(void)state;
	assert_written(&o, "");
	add(&o, "one");
	/* A head of 8 bytes is in front of each. */
	assert_int_equal(o.bytes, 8 + 3 + COST);
	add(&o, "");
	assert_int_equal(o.bytes, 8 + 3 + COST + 8 + COST);
	offer(&o, "three");
	assert_int_equal(o.count, 3);
	assert_written(&o, "t:one t: t:three");
	add(&o, "four");
	assert_written(&o, "t:four");
	outbox_done(&o);
}

/* It is held by each that waits, and by who made it. */
static void shared(void **state)
{
	struct outbox one = { 0 }, other = { 0 };
	struct packet *p = text_packet("news");

	(void)state;
	assert_int_equal(outbox_add(&one, p), 0);
	outbox_offer(&other, p);
	packet_release(p);
	packet_release(NULL);
	assert_written(&one, "t:news");
	assert_written(&other, "t:news");
	add(&one, "that nobody reads");
	outbox_done(&one);
	outbox_done(&other);
	assert_int_equal(one.count, 0);
	assert_int_equal(one.bytes, 0);
}

/* Some hundreds go out in one step, whatever the ring is like. */
static void many(void **state)
{
	struct outbox o = { 0 };

	(void)state;
	for (size_t round = 0; round < 3; round++) {
		CLEANUP(buf_done) struct buf expected = { 0 };
		char text[24];

		for (size_t i = 0; i < 65 + round * 64; i++) {
			snprintf(text, sizeof(text), "%zu", i);
			add(&o, text);
			buf_printf(&expected, "%st:%zu", i ? " " : "", i);
		}
		assert_written(&o, buf_string(&expected));
	}
	outbox_done(&o);
}

static void at_most(void **state)
{
	struct outbox o = { 0 };
	struct packet *quarter = large_packet(OUTBOX_MAX / 4 - COST);
	struct packet *byte = large_packet(1);

	(void)state;
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(outbox_add(&o, quarter), 0);
	packet_release(quarter);
	quarter = large_packet(OUTBOX_MAX / 4 - COST + 1);
	assert_int_equal(outbox_add(&o, quarter), -1);
	packet_release(quarter);
	quarter = large_packet(OUTBOX_MAX / 4 - COST);
	assert_int_equal(outbox_add(&o, quarter), 0);
	assert_int_equal(o.bytes, OUTBOX_MAX);
	assert_int_equal(outbox_add(&o, byte), -1);
	assert_int_equal(o.count, 4);
	/* What may not be lost is not counted as such. */
	assert_int_equal(o.lost, 0);
	packet_release(quarter);
	packet_release(byte);
	outbox_done(&o);
}

/* Skips the large one in front of what is expected. */
static void assert_behind(struct outbox *o, size_t large, const char *expected)
{
	CLEANUP(buf_done) struct buf got = { 0 };

	while (o->count) {
		assert_int_equal(outbox_write(o, end[0]), 0);
		read_now(&got);
	}
	read_now(&got);
	assert_true(got.len >= large);
	buf_consume(&got, large);
	assert_frames(&got, expected);
	assert_int_equal(o->lost, 0);
	assert_int_equal(o->bytes, 0);
}

static void lost_are_counted(void **state)
{
	struct outbox o = { 0 };
	struct packet *large = large_packet(OUTBOX_LONG - COST);

	(void)state;
	assert_int_equal(outbox_add(&o, large), 0);
	packet_release(large);
	assert_int_equal(o.bytes, OUTBOX_LONG);
	offer(&o, "still");
	assert_int_equal(o.lost, 0);
	offer(&o, "no");
	offer(&o, "more");
	assert_int_equal(o.lost, 2);
	add(&o, "must");
	assert_int_equal(o.lost, 0);
	offer(&o, "again");
	/* Of those at the end it is told when there is room. */
	assert_behind(
		&o, OUTBOX_LONG - COST,
		"t:still j:{\"op\":\"lost\",\"count\":2} t:must j:{\"op\":\"lost\",\"count\":1}");
	outbox_done(&o);
}

/* A message that is too large for what is left is lost, too. */
static void too_large_to_offer(void **state)
{
	struct outbox o = { 0 };
	struct packet *large = large_packet(OUTBOX_MAX - COST + 1);

	(void)state;
	outbox_offer(&o, large);
	packet_release(large);
	assert_int_equal(o.count, 0);
	assert_int_equal(o.lost, 1);
	add(&o, "x");
	assert_written(&o, "j:{\"op\":\"lost\",\"count\":1} t:x");
	outbox_done(&o);
}

/* Who does not read has it later, whole. */
static void in_pieces(void **state)
{
	enum { LARGE = 1 << 20 };
	struct outbox o = { 0 };
	struct buf b = { 0 };
	struct packet *large;
	CLEANUP(buf_done) struct buf got = { 0 };

	(void)state;
	for (size_t i = 0; i < LARGE; i++)
		buf_char(&b, (char)(i % 251));
	large = packet_take(&b);
	add(&o, "a");
	assert_int_equal(outbox_add(&o, large), 0);
	packet_release(large);
	assert_int_equal(outbox_write(&o, end[0]), 0);
	assert_int_equal(o.count, 1);
	assert_int_equal(o.bytes, LARGE + COST);
	add(&o, "z");
	while (o.count) {
		assert_int_equal(outbox_write(&o, end[0]), 0);
		read_now(&got);
	}
	assert_int_equal(got.len, 9 + LARGE + 9);
	for (size_t i = 0; i < LARGE; i++)
		assert_true(got.data[9 + i] == (char)(i % 251));
	assert_memory_equal(got.data, "\0\0\0\1t\0\0\0a", 9);
	assert_memory_equal(got.data + 9 + LARGE, "\0\0\0\1t\0\0\0z", 9);
	outbox_done(&o);
}

static void nobody_reads(void **state)
{
	struct outbox o = { 0 };

	(void)state;
	close(end[1]);
	end[1] = -1;
	assert_int_equal(outbox_write(&o, end[0]), 0);
	add(&o, "x");
	assert_int_equal(outbox_write(&o, end[0]), -1);
	outbox_done(&o);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(in_order),	    TEST(shared),
		TEST(many),	    TEST(at_most),
		TEST(in_pieces),    TEST(lost_are_counted),
		TEST(nobody_reads), TEST(too_large_to_offer),
	};

	mem_init();
	return cmocka_run_group_tests_name("outbox", tests, NULL, NULL);
}
