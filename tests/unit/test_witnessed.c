/* SPDX-License-Identifier: MIT */
/*
 * Lines of a serial log (here: of a pseudoterminal) where no session is open:
 * they wait for the one of their board, so many and no more.
 */
#include "rendered.h"
#include "session_harness.h"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include "cli/connection.h"
#include "cli/witness.h"
#include "cli/witnessed.h"
#include "wire/serial_line.h"

enum { HELD = 256 };

static struct app app;
static struct connection connection;
static struct rendered shown;
static struct error err;
static int master;

static int begin(void **state)
{
	struct termios raw;

	assert_int_equal(set_up(state), 0);
	app = (struct app){ .loop = loop };
	connection = (struct connection){ .app = &app };
	rendered_start(&shown, OUTPUT_TEXT, false);
	app.out = shown.r;
	master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_true(master >= 0);
	assert_int_equal(grantpt(master), 0);
	assert_int_equal(unlockpt(master), 0);
	assert_int_equal(tcgetattr(master, &raw), 0);
	cfmakeraw(&raw);
	assert_int_equal(tcsetattr(master, TCSANOW, &raw), 0);
	return 0;
}

static int end(void **state)
{
	witnessed_end(&connection);
	witness_close(TAKE(app.witness));
	held_lines_done(&app.held);
	words_done(&app.config.serial);
	close(master);
	error_reset(&err);
	rendered_end(&shown);
	return tear_down(state);
}

/* alias NULL: it was not said whose it is. */
static void open_port(const char *alias)
{
	CLEANUP(mem_free_ptr)
	char *place = mem_printf("%s%s%s", alias ? alias : "", alias ? "=" : "",
				 ptsname(master));

	words_add(&app.config.serial, place);
	if (witnessed_open(&app, &err) != 0)
		fail_msg("%s", err.text);
	assert_non_null(app.witness);
}

/* Until so many lines wait, or were lost. */
static void says(const char *text, size_t waiting, size_t lost)
{
	const int64_t until = loop_now() + 10000;
	size_t len = strlen(text);

	assert_int_equal(write(master, text, len), len);
	while (app.held.count < waiting || app.held.lost < lost) {
		bool never = false;

		assert_true(loop_now() < until);
		loop_stay(loop, &never, loop_now() + 10, &err);
	}
	assert_int_equal(app.held.count, waiting);
	assert_int_equal(app.held.lost, lost);
}

/* The session of that board is there; whose NULL: whoever it is. */
static void comes(const char *whose, const char *alias)
{
	connection.whose = whose;
	connection.whose_alias = alias;
	if (!session)
		open_up(DIALECT_PLAIN);
	connection.session = session;
	assert_int_equal(witnessed_begin(&connection, &err), 0);
	session_drain(session);
}

/* "NAME:TEXT[ (NOTE)]" of each line that the session told. */
static void told(const char *expected)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < seen_count; i++) {
		const struct event *e = &seen[i];

		if (e->kind != EVENT_SERIAL)
			continue;
		buf_printf(&out, "%s:%.*s", e->name, (int)e->len,
			   e->text ? e->text : "");
		if (e->note)
			buf_printf(&out, " (%s)", e->note);
		buf_char(&out, '\n');
	}
	forget_events();
	assert_string_equal(buf_string(&out), expected);
}

static void test_none(void **state)
{
	(void)state;
	assert_int_equal(witnessed_begin(&connection, &err), 0);
	assert_null(app.witness);
	assert_null(app.witnessed);
	app.config.elf = "x";
	assert_int_equal(witnessed_open(&app, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.text, "'--elf' needs --serial"));
	app.config.elf = NULL;
	app.config.reset = true;
	assert_int_equal(witnessed_open(&app, &err), -1);
	assert_non_null(strstr(err.text, "'--reset' needs --serial"));
	app.config.reset = false;
	words_add(&app.config.serial, "/dev/null");
	words_add(&app.config.serial, "/dev/null");
	assert_int_equal(witnessed_open(&app, &err), -1);
	assert_non_null(strstr(err.text, "'/dev/null' is given twice"));
	words_done(&app.config.serial);
	words_add(&app.config.serial, "/dev/null");
	app.config.all = true;
	assert_int_equal(witnessed_open(&app, &err), -1);
	assert_non_null(strstr(err.text, "say whose '/dev/null' is"));
	assert_null(app.witness);
}

/* What was said before comes first, in its order; then each as it is said. */
static void test_waits(void **state)
{
	const int64_t until = loop_now() + 10000;

	(void)state;
	open_port(NULL);
	assert_string_equal(witness_name(app.witness, 0), "serial");
	assert_null(witness_name(app.witness, 1));
	assert_int_equal(witnessed_open(&app, &err), 0);
	says("one\ntwo token=hush\n", 2, 0);
	comes(NULL, NULL);
	told("serial:one\nserial:two token=***\n");
	assert_int_equal(app.held.count, 0);
	assert_null(app.held.item);
	assert_ptr_equal(app.witnessed, &connection);
	assert_int_equal(write(master, "three\n", 6), 6);
	while (!find_event(EVENT_SERIAL, 0)) {
		assert_true(loop_now() < until);
		watch(10);
	}
	told("serial:three\n");
	witnessed_end(&connection);
	assert_null(app.witnessed);
	witnessed_end(&connection);
	says("four\n", 1, 0);
}

/* Of many boards each gets its own lines; the others wait on. */
static void test_whose(void **state)
{
	(void)state;
	app.config.all = true;
	open_port("aa:01");
	assert_string_equal(witness_name(app.witness, 0), "serial/aa:01");
	says("one\ntwo\n", 2, 0);
	comes("bb:02", NULL);
	told("");
	assert_int_equal(app.held.count, 2);
	witnessed_end(&connection);
	comes("bb:02", "AA:01");
	told("serial/aa:01:one\nserial/aa:01:two\n");
	witnessed_end(&connection);
	says("three\n", 1, 0);
	comes("AA:01", NULL);
	told("serial/aa:01:three\n");
}

/* What is found waits, too, and is told as a finding. */
static void test_found(void **state)
{
	(void)state;
	open_port(NULL);
	says("Guru Meditation Error: Core  0 panic'ed (LoadProhibited). "
	     "Exception was unhandled.\n",
	     2, 0);
	comes(NULL, NULL);
	assert_non_null(find_event(EVENT_SERIAL, 0));
	assert_int_equal(connection.found[SEVERITY_ERROR], 1);
}

/* So many are kept; that others are missing is said, once. */
static void test_bounded(void **state)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	(void)state;
	open_port(NULL);
	for (int i = 0; i < HELD / 4; i++)
		buf_text(&text, "x\n");
	for (int i = 1; i <= 4; i++)
		says(buf_string(&text), (size_t)(HELD / 4 * i), 0);
	says("more\nand more\n", HELD, 2);
	witnessed_end(&connection);
	assert_int_equal(app.held.count, HELD);
}

/* A line that is too long keeps its beginning; how much is gone is said. */
static void test_cut(void **state)
{
	static char text[SERIAL_LINE_MAX + 11];

	(void)state;
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\n';
	open_port(NULL);
	for (size_t at = 0; at < sizeof(text);) {
		size_t len = sizeof(text) - at < 512 ? sizeof(text) - at : 512;
		bool never = false;

		assert_int_equal(write(master, text + at, len), len);
		at += len;
		loop_stay(loop, &never, loop_now() + 1, &err);
	}
	says("next\n", 2, 0);
	assert_int_equal(strlen(app.held.item[0].text), SERIAL_LINE_MAX);
	assert_string_equal(app.held.item[0].note, "cut, 10 bytes left out");
	assert_null(app.held.item[1].note);
	assert_null(app.held.item[1].device);
}

/* One that is unplugged is told of, with its device. */
static void test_gone(void **state)
{
	const int64_t until = loop_now() + 10000;
	CLEANUP(mem_free_ptr) char *gone = NULL;

	(void)state;
	open_port("kitchen");
	gone = mem_printf("%s is gone", ptsname(master));
	close(master);
	while (!app.held.count) {
		bool never = false;

		assert_true(loop_now() < until);
		loop_stay(loop, &never, loop_now() + 10, &err);
	}
	assert_string_equal(app.held.item[0].name, "serial/kitchen");
	assert_string_equal(app.held.item[0].device, "kitchen");
	assert_null(app.held.item[0].text);
	assert_non_null(strstr(app.held.item[0].note, gone));
	assert_non_null(strstr(app.held.item[0].note, "trying again"));
	master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
}

/* Of many ports each has a name of its own; the same one twice is refused. */
static void test_names(void **state)
{
	const char *port = strrchr(ptsname(master), '/') + 1;
	CLEANUP(mem_free_ptr) char *name = mem_printf("serial/%s", port);

	(void)state;
	words_add(&app.config.serial, "x=/dev/null");
	words_add(&app.config.serial, ptsname(master));
	assert_int_equal(witness_prepare(&app.witness, &app, NULL, &err), 0);
	assert_string_equal(witness_name(app.witness, 0), "serial/x");
	assert_string_equal(witness_name(app.witness, 1), name);
	assert_null(witness_name(app.witness, 2));
	assert_null(witness_name(NULL, 0));
}

static void test_news(void **state)
{
	struct finding f = { .code = S812, .count = 3 };

	(void)state;
	assert_true(witness_is_news(&f));
	f.code = (enum diag_code)(S812 + 1);
	assert_false(witness_is_news(&f));
	f.count = 1;
	assert_true(witness_is_news(&f));
}

#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_none),  TEST(test_waits),   TEST(test_whose),
		TEST(test_found), TEST(test_bounded), TEST(test_cut),
		TEST(test_gone),  TEST(test_names),   TEST(test_news),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
