/* SPDX-License-Identifier: MIT */
/*
 * A serial port, as a terminal of the kernel's plays it: what names one, why
 * one cannot be read, what is read of it, and how it goes and comes back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>

#include "base/base.h"
#include "folder.h"
#include "net/serial.h"

#define LONG_MS 60000

/* As the kernel tells it, with the rate: libc's own has no room for that. */
struct line_state {
	tcflag_t c_iflag, c_oflag, c_cflag, c_lflag;
	cc_t c_line, c_cc[19];
	speed_t c_ispeed, c_ospeed;
};
#define GET_LINE _IOR('T', 0x2A, struct line_state)

static struct loop *loop;
static struct serial *serial;
static struct serial_place place;
static struct error err;
static struct buf told;
static bool woken;
static int master = -1;
static char *device; /* a link, so that it can be another one */

static void on_line(void *owner, struct span line, size_t over)
{
	(void)owner;
	buf_printf(&told, "%.*s|%zu\n", (int)line.len, line.text, over);
	woken = true;
}

static void on_news(void *owner, enum serial_news what, const char *why)
{
	(void)owner;
	buf_printf(&told, "%s %s\n", what == SERIAL_GONE ? "gone" : "back",
		   why ? why : "-");
	woken = true;
}

static const struct serial_events events = { on_line, on_news };

static void plug(void)
{
	master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_true(master >= 0);
	assert_int_equal(grantpt(master), 0);
	assert_int_equal(unlockpt(master), 0);
	unlink(device);
	assert_int_equal(symlink(ptsname(master), device), 0);
}

static int set_up(void **state)
{
	(void)state;
	assert_int_equal(loop_new(&loop, NULL), 0);
	device = folder_path("port");
	place = (struct serial_place){ .device = device, .rate = 115200 };
	plug();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	serial_close(serial);
	serial = NULL;
	loop_free(loop);
	if (master >= 0)
		close(master);
	master = -1;
	unlink(device);
	mem_free(device);
	buf_done(&told);
	error_reset(&err);
	return 0;
}

static void opens(void)
{
	assert_int_equal(
		serial_open(&serial, loop, &place, &events, NULL, &err), 0);
	assert_non_null(serial);
}

static void fails(enum error_kind kind, const char *text, const char *hint)
{
	CLEANUP(mem_free_ptr)
	char *wanted = mem_printf("%s|%s", text, hint);
	CLEANUP(mem_free_ptr) char *said = NULL;

	serial = (struct serial *)&err;
	error_reset(&err);
	assert_int_equal(
		serial_open(&serial, loop, &place, &events, NULL, &err), -1);
	assert_null(serial);
	said = mem_printf("%s|%s", err.text, err.hint);
	assert_string_equal(said, wanted);
	assert_int_equal(err.kind, kind);
}

static void await(const char *wanted)
{
	while (told.len < strlen(wanted)) {
		woken = false;
		if (loop_wait(loop, &woken, loop_now() + LONG_MS, NULL))
			break;
	}
	assert_string_equal(buf_string(&told), wanted);
	buf_reset(&told);
}

static void says(const char *text)
{
	assert_int_equal(write(master, text, strlen(text)), strlen(text));
}

/* ---- what names one ---- */

static const struct {
	const char *text, *alias, *device;
	unsigned rate;
} places[] = {
	{ "/dev/x", NULL, "/dev/x", 115200 },
	{ "ttyUSB0", NULL, "/dev/ttyUSB0", 115200 },
	{ "tty", NULL, "/dev/tty", 115200 },
	{ "ttx", NULL, "ttx", 115200 },
	{ "a=ttyACM1@9600", "a", "/dev/ttyACM1", 9600 },
	{ "a=b=c@50", "a", "b=c", 50 },
	{ "/d=x/e", NULL, "/d=x/e", 115200 },
	{ "a=/d=x/e@20000000", "a", "/d=x/e", 20000000 },
	{ "/by@7/x", NULL, "/by@7/x", 115200 },
	{ "/by@7/x@1@300", NULL, "/by@7/x@1", 300 },
};

static const struct {
	const char *text, *said, *hint;
} no_places[] = {
	{ "x@49", "option '--serial': '49' of 'x@49' is no rate",
	  "bits a second: 115200 is usual, as in x@115200" },
	{ "a=x@20000001",
	  "option '--serial': '20000001' of 'x@20000001' is no rate",
	  "bits a second: 115200 is usual, as in x@115200" },
	{ "ttyS0@", "option '--serial': '' of 'ttyS0@' is no rate",
	  "bits a second: 115200 is usual, as in /dev/ttyS0@115200" },
	{ "", "option '--serial': '' names no device",
	  "[ALIAS=]DEVICE[@BAUD], as in kitchen=/dev/ttyUSB0@115200" },
	{ "a=", "option '--serial': '' names no device",
	  "[ALIAS=]DEVICE[@BAUD], as in kitchen=/dev/ttyUSB0@115200" },
	{ "@300", "option '--serial': '@300' names no device",
	  "[ALIAS=]DEVICE[@BAUD], as in kitchen=/dev/ttyUSB0@115200" },
	{ "=x", "option '--serial': 'x' names no board before '='",
	  "[ALIAS=]DEVICE[@BAUD], as in kitchen=/dev/ttyUSB0@115200" },
};

static void test_places(void **state)
{
	struct serial_place p;

	(void)state;
	for (size_t i = 0; i < COUNT(places); i++) {
		assert_int_equal(serial_place_read(&p, places[i].text, NULL),
				 0);
		if (places[i].alias)
			assert_string_equal(p.alias, places[i].alias);
		else
			assert_null(p.alias);
		assert_string_equal(p.device, places[i].device);
		assert_int_equal(p.rate, places[i].rate);
		assert_false(p.reset);
		serial_place_done(&p);
		assert_null(p.device);
	}
}

static void test_no_places(void **state)
{
	struct serial_place p;

	(void)state;
	for (size_t i = 0; i < COUNT(no_places); i++) {
		error_reset(&err);
		assert_int_equal(serial_place_read(&p, no_places[i].text, &err),
				 -1);
		assert_int_equal(err.kind, ERR_USAGE);
		assert_string_equal(err.text, no_places[i].said);
		assert_string_equal(err.hint, no_places[i].hint);
		assert_null(p.alias);
		assert_null(p.device);
	}
}

/* ---- why not ---- */

static void test_not_there(void **state)
{
	CLEANUP(words_done) struct words all = { 0 };
	CLEANUP(buf_done) struct buf hint = { 0 };
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("serial port '%s' is not there", place.device);

	(void)state;
	serial_devices(&all);
	if (!all.count)
		buf_printf(
			&hint,
			"no USB serial port is there: is the board plugged in, by a cable that carries data?");
	for (size_t i = 0; i < all.count && i < 4; i++)
		buf_printf(&hint, "%s%s", i ? ", " : "there is: ", all.word[i]);
	unlink(device);
	fails(ERR_CONNECT, text, buf_string(&hint));
}

static void test_no_port(void **state)
{
	static char null[] = "/dev/null", below[] = "/dev/null/x";
	CLEANUP(mem_free_ptr) char *log = folder_write("log", "x\n", 2);
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("'%s' is no serial port", log);
	CLEANUP(mem_free_ptr)
	char *hint = mem_printf(
		"a log that was saved is read by 'mcpctl check %s'", log);

	(void)state;
	place.device = log;
	fails(ERR_USAGE, text, hint);
	place.device = null;
	fails(ERR_USAGE, "'/dev/null' is no serial port",
	      "one is /dev/ttyUSB0, /dev/ttyACM0 or the like");
	place.device = below;
	fails(ERR_CONNECT, "serial port '/dev/null/x': Not a directory", "");
}

/* Root reads all: not so while it gave that up. */
static void give_up_reading(bool give_up)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct data[2];
	const unsigned both =
		1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH;

	assert_int_equal(syscall(SYS_capget, &head, data), 0);
	data[0].effective =
		give_up ? data[0].effective & ~both :
			  data[0].effective | (data[0].permitted & both);
	assert_int_equal(syscall(SYS_capset, &head, data), 0);
}

static void refused(const char *path, mode_t mode, const char *hint)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("serial port '%s': permission denied", path);

	assert_int_equal(chmod(path, mode), 0);
	give_up_reading(true);
	fails(ERR_CONNECT, text, hint);
	give_up_reading(false);
}

static void test_no_permission(void **state)
{
	CLEANUP(mem_free_ptr) char *log = folder_write("log", "x\n", 2);
	CLEANUP(mem_free_ptr) char *hint = NULL;
	const struct group *one;

	(void)state;
	place.device = log;
	if (chown(log, (uid_t)-1, 1))
		return; /* not root: nothing else to choose from */
	refused(log, 0, "only its owner may read it");
	one = getgrgid(1);
	assert_non_null(one);
	hint = mem_printf(
		"the group '%s' may read it: sudo usermod -aG %s $USER, and log in again",
		one->gr_name, one->gr_name);
	refused(log, 0040, hint);
	assert_null(getgrgid(54321));
	assert_int_equal(chown(log, (uid_t)-1, 54321), 0);
	refused(log, 0040, "the group 54321 may read it");
	assert_int_equal(chown(log, (uid_t)-1, 0), 0);
	refused(log, 0040, "only its owner may read it");
}

static void test_in_use(void **state)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("serial port '%s' is in use by another program",
				device);
	int other = open(device, O_RDWR | O_NOCTTY | O_CLOEXEC);

	(void)state;
	assert_int_equal(flock(other, LOCK_EX), 0);
	fails(ERR_CONNECT, text,
	      "end it first (a serial monitor, a flash tool): two readers each get a part only");
	close(other);
	opens();
}

/* A terminal of the kernel's has no lines for that; it is not held then. */
static void test_no_reset(void **state)
{
	CLEANUP(mem_free_ptr) char *text = NULL;

	(void)state;
	place.reset = true;
	text = mem_printf(
		"serial port '%s' has no line to reset the board by (%s)",
		device, strerror(ENOTTY));
	fails(ERR_CONNECT, text, "");
	place.reset = false;
	opens();
}

/* ---- what is read ---- */

static void test_line_is_raw(void **state)
{
	struct line_state t;
	int other;

	(void)state;
	place.rate = 9600;
	other = open(device, O_RDWR | O_NOCTTY | O_CLOEXEC);
	opens();
	assert_int_equal(ioctl(other, GET_LINE, &t), 0);
	assert_int_equal(t.c_iflag, IGNBRK);
	assert_int_equal(t.c_oflag, 0);
	assert_int_equal(t.c_lflag, 0);
	assert_int_equal(t.c_cflag & (CSIZE | PARENB | CSTOPB | CREAD | CLOCAL |
				      HUPCL | CRTSCTS),
			 CS8 | CREAD | CLOCAL);
	assert_int_equal(t.c_cc[VMIN], 1);
	assert_int_equal(t.c_cc[VTIME], 0);
	assert_int_equal(t.c_ospeed, 9600);
	assert_int_equal(t.c_ispeed, 9600);
	/* Nobody else opens it. */
	if (geteuid() != 0) {
		assert_int_equal(open(device, O_RDONLY | O_NOCTTY), -1);
		assert_int_equal(errno, EBUSY);
	}
	close(other);
}

static void test_lines(void **state)
{
	(void)state;
	opens();
	says("I (1) a: b\r\n\x1b[0mtwo\n");
	await("I (1) a: b|0\ntwo|0\n");
	/* Without an end: told once it is quiet. */
	says("the last words");
	await("the last words|0\n");
	says("more\n");
	await("more|0\n");
}

static void test_goes_and_comes(void **state)
{
	(void)state;
	opens();
	says("one\nhalf");
	await("one|0\n");
	close(master);
	master = -1;
	await("half|0\ngone -\n");
	plug();
	await("back -\n");
	says("two\n");
	await("two|0\n");
	/* Again, and it is not there for longer than the first try. */
	unlink(device);
	close(master);
	await("gone -\n");
	plug();
	await("back -\n");
	says("three\n");
	await("three|0\n");
}

/* What is left of a line is told at its end; nothing else is, then. */
static void test_close(void **state)
{
	(void)state;
	opens();
	says("one\nhalf");
	await("one|0\n");
	serial_close(serial);
	serial = NULL;
	assert_string_equal(buf_string(&told), "half|0\n");
	buf_reset(&told);
	says("more\n");
	loop_poll(loop);
	assert_string_equal(buf_string(&told), "");
	/* It is given back. */
	opens();
	serial_close(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_places),	  TEST(test_no_places),
		TEST(test_not_there),	  TEST(test_no_port),
		TEST(test_no_permission), TEST(test_in_use),
		TEST(test_no_reset),	  TEST(test_line_is_raw),
		TEST(test_lines),	  TEST(test_goes_and_comes),
		TEST(test_close),
	};

	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
