/* SPDX-License-Identifier: MIT */
/* What `top` has from serve, whose other end is here. */
#include "fake_serve.h"

#include <signal.h>

#include "cli/app.h"
#include "top/feed_serve.h"

static struct app app;
static struct fake_serve serve;

static void on_frame(struct fake_peer *p, const struct control_frame *f)
{
	(void)p;
	(void)f;
}

static int begin(void **state)
{
	(void)state;
	app_init(&app);
	assert_int_equal(app_open_loop(&app, NULL), 0);
	fake_serve_open(&serve, app.loop, on_frame);
	app.config.socket = serve.path;
	return 0;
}

static int end(void **state)
{
	(void)state;
	fake_serve_close(&serve);
	app_done(&app);
	return 0;
}

/* Ctrl-C while it is closed is for whoever waits next. */
static void closing_leaves_signals(void **state)
{
	const bool never = false;
	struct error err = { 0 };
	struct feed *feed;

	(void)state;
	assert_int_equal(feed_serve_new(&feed, &app, &err), 0);
	assert_int_equal(feed->ops->open(feed, &err), 0);
	while (!serve.peer[0].greeted || !serve.peer[1].greeted)
		loop_stay(app.loop, NULL, loop_now() + 10, NULL);
	raise(SIGINT);
	loop_poll(app.loop);
	feed->ops->close(feed);
	assert_int_equal(loop_wait(app.loop, &never, loop_now(), &err), -1);
	assert_int_equal(err.kind, ERR_INTERRUPTED);
	assert_int_equal(err.code, SIGINT);
	error_reset(&err);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(closing_leaves_signals) };

	mem_init();
	return cmocka_run_group_tests_name("top_serve", tests, NULL, NULL);
}
