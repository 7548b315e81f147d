/* SPDX-License-Identifier: MIT */
/*
 * serve/pages_live: what browsers that look on are told, and when; their streams
 * are the test's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "serve/board.h"
#include "serve/pages_live.h"
#include "serve/serve_state.h"

#define ONE "02:00:00:00:00:01"
#define TWO "02:00:00:00:00:02"
#define LONG_MS 60000

/* One browser's end. */
struct front_stream {
	const struct front_stream_events *events;
	void *owner;
	struct buf said; /* since it was looked at */
	size_t waiting; /* that it did not read */
	bool wake, ended;
};

static struct front_stream far[PAGES_LIVE_MAX + 1];
static size_t streams;
static struct loop *loop;
static struct serve server;
static struct registry registry;
static struct board board[2];
static struct pages_live live;
static struct buf said; /* what heard() gave */

/* ---- the front ---- */

static struct front_stream *stream(struct front_request *rq, int status,
				   const char *content_type,
				   const struct headers *headers,
				   const struct front_stream_events *events,
				   void *owner)
{
	struct front_stream *s = &far[streams++];

	assert_null(rq);
	assert_null(headers);
	assert_int_equal(status, 200);
	assert_string_equal(content_type, "text/event-stream");
	*s = (struct front_stream){ .events = events, .owner = owner };
	return s;
}

static void stream_write(struct front_stream *s, const char *data, size_t len)
{
	buf_add(&s->said, data, len);
	s->wake = true;
}

static size_t stream_waiting(const struct front_stream *s)
{
	return s->waiting;
}

static void stream_end(struct front_stream *s)
{
	s->ended = true;
}

static const struct front_table front = { .stream = stream,
					  .stream_write = stream_write,
					  .stream_waiting = stream_waiting,
					  .stream_end = stream_end };

/* ---- boards and browsers ---- */

static void come(struct board *d, const char *id)
{
	*d = (struct board){ .server = &server,
			     .id = mem_strdup(id),
			     .state = DEVICE_CONNECTED };
	registry_add(&registry, d);
}

static void go(struct board *d)
{
	registry_remove(&registry, d);
	mem_free(d->id);
	mem_free(d->health);
}

static int open_live(void **state)
{
	(void)state;
	server = (struct serve){ 0 };
	registry = (struct registry){ 0 };
	live = (struct pages_live){ 0 };
	streams = 0;
	if (loop_new(&loop, NULL))
		return -1;
	pages_live_open(&live, loop, &registry);
	return 0;
}

static void on_closed(void *owner)
{
	bool *closed = owner;

	*closed = true;
}

static int close_live(void **state)
{
	bool closed = false;

	(void)state;
	pages_live_close(&live, on_closed, &closed);
	assert_false(closed);
	while (!closed)
		loop_poll(loop);
	for (size_t i = 0; i < streams; i++)
		buf_done(&far[i].said);
	buf_done(&said);
	while (registry.first)
		go(registry.first);
	registry_done(&registry);
	loop_free(loop);
	return 0;
}

static bool look(const char *query)
{
	struct pages_query q = { 0 };
	bool more;

	pages_query_read(&q, query);
	more = pages_live_add_take(&live, &front, NULL, NULL, &q);
	/* It was taken over; else it is still ours. */
	assert_int_equal(q.words == NULL, more || !query);
	pages_query_done(&q);
	return more;
}

/* What it was told since the last time; waits until there is something. */
static const char *heard(struct front_stream *s)
{
	if (!s->wake)
		assert_int_equal(
			loop_wait(loop, &s->wake, loop_now() + LONG_MS, NULL),
			0);
	s->wake = false;
	buf_done(&said);
	said = s->said;
	s->said = (struct buf){ 0 };
	return buf_string(&said);
}

static void hears(struct front_stream *s, const char *begin, const char *part)
{
	const char *text = heard(s);
	size_t len = strlen(text);

	if (strncmp(text, begin, strlen(begin)) != 0 || !strstr(text, part))
		fail_msg("no '%s' and '%s' in: %s", begin, part, text);
	/* One event, and the blank line that ends it. */
	assert_string_equal(text + len - 4, "]}\n\n");
	assert_ptr_equal(strstr(text, "\n\n"), text + len - 2);
}

/* ---- tests ---- */

static void all_then_what_changed(void **state)
{
	struct front_stream *s = &far[0];

	(void)state;
	assert_true(look(NULL));
	assert_string_equal(
		heard(s),
		"event: all\ndata: {\"summary\":\"No device is connected now.\",\"rows\":[]}\n\n");
	come(&board[0], ONE);
	hears(s,
	      "event: all\ndata: {\"summary\":\"1 device is connected, 0 of them ready.\",\"rows\":[[\"" ONE
	      "\",\"" ONE "\",",
	      ",\"connected\",");
	come(&board[1], TWO);
	hears(s, "event: all\n", "\"rows\":[[\"" ONE "\",");
	board[1].state = DEVICE_READY;
	hears(s,
	      "event: some\ndata: {\"summary\":\"2 devices are connected, 1 of them ready.\",\"rows\":[[\"" TWO
	      "\",",
	      ",\"ready\",");
	board[0].alias = "kitchen";
	hears(s, "event: some\n", "\"rows\":[[\"" ONE "\",");
	go(&board[0]);
	hears(s, "event: all\n", "\"rows\":[[\"" TWO "\",");
}

/* Each has its own question, and hears what is new to it. */
static void each_its_own(void **state)
{
	(void)state;
	come(&board[0], ONE);
	come(&board[1], TWO);
	assert_true(look(NULL));
	assert_true(look("q=:02"));
	hears(&far[0], "event: all\n", ONE);
	hears(&far[1],
	      "event: all\ndata: {\"summary\":\"2 devices are connected, 0 of them ready; 1 fits.\",\"rows\":[[\"" TWO,
	      "]");
	board[0].version = (char[]){ "2.4.2" };
	hears(&far[0], "event: some\n", "2.4.2");
	assert_int_equal(far[1].said.len, 0);
	/* The number of those that are ready stands in every summary. */
	board[0].state = DEVICE_READY;
	hears(&far[0], "event: some\n", ",\"ready\",");
	hears(&far[1], "event: some\n",
	      "1 of them ready; 1 fits.\",\"rows\":[]}");
	board[0].version = NULL;
}

/* Whoever does not read is told when that is read; the last state alone. */
static void who_does_not_read(void **state)
{
	(void)state;
	come(&board[0], ONE);
	assert_true(look(NULL));
	assert_true(look(NULL));
	heard(&far[0]);
	heard(&far[1]);
	far[0].waiting = 65537;
	board[0].state = DEVICE_INITIALIZING;
	hears(&far[1], "event: some\n", "initializing");
	board[0].state = DEVICE_LISTING;
	hears(&far[1], "event: some\n", "listing");
	assert_int_equal(far[0].said.len, 0);
	far[0].waiting = 65536;
	hears(&far[0], "event: some\n", "listing");
}

static void so_many_look_on(void **state)
{
	(void)state;
	for (size_t i = 0; i < PAGES_LIVE_MAX; i++)
		assert_true(look("q=x"));
	assert_false(look("q=x"));
	assert_int_equal(live.count, 32);
	assert_int_equal(streams, 32);
	/* Who goes makes room: any of them. */
	far[7].events->gone(far[7].owner);
	assert_int_equal(live.count, 31);
	assert_true(look("q=x"));
	assert_false(look("q=x"));
	pages_live_end_all(&live);
	assert_int_equal(live.count, 0);
	for (size_t i = 0; i < streams; i++)
		assert_int_equal(far[i].ended, i != 7);
	/* It goes on for who comes then. */
	streams = 0;
	for (size_t i = 0; i < COUNT(far); i++)
		buf_done(&far[i].said);
	assert_true(look(NULL));
	heard(&far[0]);
	come(&board[0], ONE);
	hears(&far[0], "event: all\n", ONE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_live, close_live)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(all_then_what_changed),
		TEST(each_its_own),
		TEST(who_does_not_read),
		TEST(so_many_look_on),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
