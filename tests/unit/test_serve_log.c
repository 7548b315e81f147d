/* SPDX-License-Identifier: MIT */
/*
 * What serve shows: records as text and JSON, a reader that is slow or gone,
 * a log file, the file with the process id, what is said when nobody came.
 */
#include "rendered.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_scan.h"
#include "cli/cmd_serve.h"
#include "cli/daemon.h"
#include "cli/serve_log.h"

#define AT 1760000000123 /* 2025-10-09T08:53:20.123Z */

static char folder[] = "/tmp/test_serve_log.XXXXXX";

static char *in_folder(const char *name)
{
	return mem_printf("%s/%s", folder, name);
}

static struct record *make(enum record_kind kind, enum record_level level,
			   const char *text)
{
	struct record *r = mem_zalloc(sizeof(*r));

	r->kind = kind;
	r->level = level;
	r->at_ms = AT;
	r->text = mem_strdup(text);
	return r;
}

static struct record *of_device(enum record_level level, const char *text)
{
	struct record *r = make(RECORD_READY, level, text);

	r->device = mem_strdup("aa:bb:cc:dd:ee:01");
	return r;
}

static void test_text(void **state)
{
	struct rendered s;
	struct record *r = of_device(LEVEL_GOOD, "ready: 29 tools");

	(void)state;
	rendered_start(&s, OUTPUT_TEXT, false);
	s.r.ops->record(&s.r, r);
	assert_string_equal(rendered_out(&s),
			    "08:53:20.123  aa:bb:cc:dd:ee:01  ready: 29 "
			    "tools\n");
	rendered_end(&s);

	rendered_start(&s, OUTPUT_TEXT, false);
	r->alias = mem_strdup("kitchen\x1b[2J");
	r->hint = mem_strdup("do this\nand that");
	s.r.dated = true;
	s.r.ops->record(&s.r, r);
	assert_string_equal(rendered_out(&s),
			    "2025-10-09 08:53:20.123  kitchen\\x1b[2J  ready: "
			    "29 tools\n"
			    "                         do this\n"
			    "                         and that\n");
	rendered_end(&s);
	record_free(r);
}

/* What a peer sent can neither colour a terminal nor look like another line. */
static void test_hostile(void **state)
{
	struct rendered s;
	struct record *r = make(RECORD_MESSAGE, LEVEL_INFO,
				"\x1b]0;x\x07\n08:53:20.999  bob  all is well");

	(void)state;
	r->address = mem_strdup("10.0.0.9:1");
	rendered_start(&s, OUTPUT_TEXT, false);
	s.r.ops->record(&s.r, r);
	assert_string_equal(rendered_out(&s),
			    "08:53:20.123  10.0.0.9:1  \\x1b]0;x\\x07\n"
			    "              08:53:20.999  bob  all is well\n");
	rendered_end(&s);
	record_free(r);
}

static void test_terminal(void **state)
{
	struct rendered s;
	struct record *r = make(
		RECORD_BROKER, LEVEL_BAD,
		"the broker ended by itself with status 3 and is started again");

	(void)state;
	rendered_start(&s, OUTPUT_TEXT, true);
	s.r.out_color = true;
	s.r.ops->record(&s.r, r);
	/* The first line has its text in the column of texts; 60 columns. */
	const char *out = rendered_out(&s);
	assert_non_null(strstr(out, "broker"));
	assert_non_null(strstr(out, "31m"));
	assert_non_null(strstr(out, "\n              "));
	rendered_end(&s);
	record_free(r);
}

static void test_listening(void **state)
{
	struct rendered s;
	struct record *r = make(RECORD_LISTENING, LEVEL_INFO,
				"OTA address to set on the board:\n"
				"  http://192.168.1.2:8000/xiaozhi/ota/");

	(void)state;
	rendered_start(&s, OUTPUT_TEXT, false);
	s.r.ops->record(&s.r, r);
	assert_string_equal(rendered_out(&s), "");
	assert_string_equal(rendered_err(&s),
			    "OTA address to set on the board:\n"
			    "  http://192.168.1.2:8000/xiaozhi/ota/\n");
	s.r.dated = true;
	s.r.ops->record(&s.r, r);
	assert_non_null(strstr(rendered_out(&s), "listening  OTA address"));
	rendered_end(&s);
	record_free(r);
}

static void test_json(void **state)
{
	struct rendered s;
	struct record *r = of_device(LEVEL_WARN, "a \"picture\"\ncame");

	(void)state;
	rendered_start(&s, OUTPUT_JSON, false);
	r->detail = mem_strdup("\"bytes\": 5,\n \"type\":\"image/jpeg\"");
	r->count = 3;
	s.r.ops->record(&s.r, r);
	assert_string_equal(
		rendered_out(&s),
		"{\"event\":\"ready\",\"time\":\"2025-10-09T08:53:20.123Z\","
		"\"level\":\"warn\",\"device\":\"aa:bb:cc:dd:ee:01\","
		"\"alias\":null,\"address\":null,"
		"\"text\":\"a \\\"picture\\\"\\ncame\",\"hint\":null,"
		"\"count\":3,\"bytes\":5,\"type\":\"image/jpeg\"}\n");
	rendered_end(&s);

	/* Whatever the parts of serve put there, the line is JSON. */
	rendered_start(&s, OUTPUT_JSON, false);
	mem_free(r->detail);
	r->detail = mem_strdup("\"bytes\":");
	mem_free(r->text);
	r->text = mem_strdup("Bearer abcdef0123456789");
	s.r.ops->record(&s.r, r);
	const char *out = rendered_out(&s);
	assert_null(strstr(out, "bytes"));
	assert_null(strstr(out, "abcdef"));
	assert_int_equal(json_check(out, strlen(out), NULL), 0);
	rendered_end(&s);
	record_free(r);
}

static void test_levels(void **state)
{
	struct rendered s;
	struct serve_log log;

	(void)state;
	rendered_start(&s, OUTPUT_TEXT, false);
	assert_int_equal(serve_log_open(&log, &s.r, NULL, false, NULL), 0);
	serve_log_take(&log, of_device(LEVEL_DEBUG, "small"));
	assert_string_equal(rendered_out(&s), "");
	s.r.verbose = true;
	serve_log_take(&log, of_device(LEVEL_DEBUG, "small"));
	assert_non_null(strstr(rendered_out(&s), "small"));
	s.r.quiet = true;
	serve_log_take(&log, of_device(LEVEL_GOOD, "fine"));
	serve_log_take(&log, of_device(LEVEL_WARN, "hm"));
	assert_null(strstr(rendered_out(&s), "fine"));
	assert_non_null(strstr(rendered_out(&s), "hm"));
	assert_int_equal(serve_log_close(&log, NULL), 0);
	rendered_end(&s);
}

/* The renderer's stdout is a pipe; the other end is returned. */
static int pipe_out(struct rendered *s)
{
	int ends[2];

	rendered_start(s, OUTPUT_TEXT, false);
	fclose(s->r.out);
	free(s->out);
	s->out = NULL;
	assert_int_equal(pipe(ends), 0);
	s->r.out = fdopen(ends[1], "w");
	assert_non_null(s->r.out);
	return ends[0];
}

static void test_slow_reader(void **state)
{
	struct rendered s;
	struct serve_log log;
	int from = pipe_out(&s);
	char text[65536];
	size_t total = 0;

	(void)state;
	memset(text, 'x', 1000);
	text[1000] = '\0';
	assert_int_equal(serve_log_open(&log, &s.r, NULL, false, NULL), 0);
	for (int i = 0; i < RECORDS_MAX + 500; i++)
		serve_log_take(&log, of_device(LEVEL_INFO, text));
	assert_true(serve_log_pump(&log));
	assert_true(log.waiting == RECORDS_MAX);
	assert_true(log.dropped > 0);
	/* Whoever reads again gets all that was kept, and how many were not. */
	while (serve_log_pump(&log)) {
		ssize_t got = read(from, text, sizeof(text));

		assert_true(got > 0);
		total += (size_t)got;
	}
	assert_true(total > RECORDS_MAX * 900);
	assert_true(log.dropped == 0 && log.lost == 0);
	ssize_t got = read(from, text, sizeof(text) - 1);
	assert_true(got > 0);
	text[got] = '\0';
	assert_non_null(strstr(text, "dropped  "));
	assert_int_equal(serve_log_close(&log, NULL), 0);
	close(from);
	rendered_end(&s);
}

static void test_reader_gone(void **state)
{
	struct rendered s;
	struct serve_log log;
	struct error err = { 0 };
	int from = pipe_out(&s);

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	s.r.quiet = true;
	assert_int_equal(serve_log_open(&log, &s.r, NULL, false, NULL), 0);
	close(from);
	for (int i = 0; i < 3; i++)
		serve_log_take(&log, of_device(LEVEL_BAD, "who hears it"));
	assert_false(serve_log_pump(&log));
	assert_int_equal(log.lost, 3);
	/* Once, even with -q. */
	const char *told = strstr(rendered_err(&s), "serve goes on");
	assert_non_null(told);
	assert_null(strstr(told + 1, "serve goes on"));
	assert_int_equal(serve_log_close(&log, &err), -1);
	assert_int_equal(err.kind, ERR_OUTPUT);
	assert_int_equal(err.code, EPIPE);
	/* The end of the program has nothing to add. */
	rendered_end(&s);
	error_reset(&err);
}

static void test_file(void **state)
{
	struct rendered s;
	struct serve_log log;
	char *path = in_folder("log"), *moved = in_folder("log.1");
	struct stat st;

	(void)state;
	rendered_start(&s, OUTPUT_TEXT, false);
	assert_int_equal(serve_log_open(&log, &s.r, path, true, NULL), 0);
	serve_log_take(&log, of_device(LEVEL_INFO, "one"));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_true(st.st_size > 20);
	assert_int_equal(rename(path, moved), 0);
	serve_log_take(&log, of_device(LEVEL_INFO, "two"));
	serve_log_reopen(&log);
	serve_log_take(&log, of_device(LEVEL_INFO, "three"));
	assert_int_equal(stat(moved, &st), 0);
	off_t both = st.st_size;
	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_size > 20 && st.st_size < both);
	assert_int_equal(serve_log_close(&log, NULL), 0);
	assert_false(s.r.dated);
	assert_string_equal(rendered_out(&s), "");
	rendered_end(&s);
	mem_free(path);
	mem_free(moved);
}

static void test_no_file(void **state)
{
	struct rendered s;
	struct serve_log log;
	struct error err = { 0 };

	(void)state;
	rendered_start(&s, OUTPUT_TEXT, false);
	assert_int_equal(
		serve_log_open(&log, &s.r, "/nowhere/log", false, &err), -1);
	assert_int_equal(err.kind, ERR_OUTPUT);
	assert_non_null(strstr(err.text, "/nowhere/log"));
	error_reset(&err);
	rendered_end(&s);
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static char *read_all(const char *path)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	assert_int_equal(file_read(&text, "file", path, NULL), 0);
	return buf_take(&text);
}

static void test_pidfile(void **state)
{
	char *path = in_folder("pid"), *text;
	struct error err = { 0 };
	struct pidfile p, other;
	struct stat st;

	(void)state;
	assert_int_equal(pidfile_take(&p, path, &err), 0);
	assert_int_equal(pidfile_write(&p, &err), 0);
	text = read_all(path);
	assert_int_equal(atol(text), getpid());
	mem_free(text);
	/* Held, whatever number stands there. */
	assert_int_equal(pidfile_take(&other, path, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_non_null(strstr(err.text, "is held by process"));
	pidfile_remove(&other);
	put(path, "");
	assert_int_equal(pidfile_take(&other, path, &err), -1);
	assert_non_null(strstr(err.text, "starting"));
	error_reset(&err);
	pidfile_remove(&p);
	assert_int_equal(access(path, F_OK), -1);
	pidfile_remove(&p);

	/* Not held, though the number is that of a process that runs. */
	text = mem_printf("%d\n", (int)getppid());
	put(path, text);
	mem_free(text);
	assert_int_equal(pidfile_take(&p, path, &err), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 0);
	/* Another file has its name now: that one stays. */
	assert_int_equal(unlink(path), 0);
	put(path, "1\n");
	pidfile_remove(&p);
	assert_int_equal(access(path, F_OK), 0);

	put(path, "Dear diary,\n");
	assert_int_equal(pidfile_take(&p, path, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	text = read_all(path);
	assert_string_equal(text, "Dear diary,\n");
	error_reset(&err);
	mem_free(text);
	mem_free(path);
}

static void test_pidfile_link(void **state)
{
	char *path = in_folder("link"), *target = in_folder("target");
	struct error err = { 0 };
	struct pidfile p;

	(void)state;
	put(target, "1\n");
	assert_int_equal(symlink(target, path), 0);
	assert_int_equal(pidfile_take(&p, path, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.text, "is a link"));
	error_reset(&err);
	mem_free(path);
	mem_free(target);
}

static void test_daemon(void **state)
{
	struct daemon d;
	int status = -1, fork_status;

	(void)state;
	fork_status = daemon_fork(&d, &status, NULL);
	if (fork_status == 0) {
		daemon_ready(&d);
		_exit(9);
	}
	assert_int_equal(fork_status, 1);
	assert_int_equal(status, 0);
	fork_status = daemon_fork(&d, &status, NULL);
	if (fork_status == 0)
		_exit(3); /* before it was ready */
	assert_int_equal(fork_status, 1);
	assert_int_equal(status, 3);
	while (wait(NULL) > 0) {
	}
}

static void note(struct arrival *m, enum record_kind kind, const char *text,
		 const char *hint)
{
	struct record *r = make(kind, LEVEL_WARN, text);

	r->device = mem_strdup("aa:01");
	r->hint = mem_strdup(hint);
	serve_note_arrival(m, r);
	record_free(r);
}

static void note_broker(struct arrival *m, enum broker_news news)
{
	struct record *r = make(RECORD_BROKER, LEVEL_WARN, "no way to it");

	r->broker = news;
	r->hint = mem_strdup("look there");
	serve_note_arrival(m, r);
	record_free(r);
}

static void explained(const struct arrival *m, const char *text,
		      const char *hint)
{
	struct error err = { 0 };

	assert_int_equal(arrival_explain(m, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_non_null(strstr(err.text, text));
	assert_non_null(strstr(err.hint, hint));
	error_reset(&err);
}

static void test_missing(void **state)
{
	struct port_facts came = { 0 };
	struct arrival m = { .port = &came,
			     .ota_url = "http://h/xiaozhi/ota/",
			     .serves = true,
			     .waited = 120000 };

	(void)state;
	explained(&m, "nothing came at all", "OTA address");
	came.connections = 1;
	explained(&m, "no device was ready within 2 min: 1 connection came",
		  "OTA address");
	came.browser = 1;
	explained(&m, "only a browser came", "reboot");
	came.tls = 1;
	explained(&m, "something spoke TLS to this plain port", "OTA address");
	came.ota = 1;
	snprintf(came.ota_id, sizeof(came.ota_id), "%s", "aa:01");
	explained(&m, "aa:01 asked OTA, but never dialled", "wake it");
	m.mqtt = true;
	explained(&m, "asked OTA, but never dialled", "broker");
	note_broker(&m, NEWS_LOST);
	note_broker(&m, NEWS_SAID);
	assert_string_equal(m.broker, "no way to it");
	assert_string_equal(m.broker_hint, "look there");
	note_broker(&m, NEWS_JOINED);
	assert_null(m.broker);
	note_broker(&m, NEWS_DOWN);
	assert_non_null(m.broker);
	note_broker(&m, NEWS_JOINED);
	explained(&m, "asked OTA, but never dialled", "broker");
	note(&m, RECORD_REFUSED, "wrong token", "give it the token");
	explained(&m, "aa:01: wrong token", "give it the token");
	note(&m, RECORD_CONNECTED, "", NULL);
	explained(&m, "aa:01 connected, and said no hello", "--trace");
	note(&m, RECORD_HELLO, "", NULL);
	explained(&m, "said hello", "--trace");
	note(&m, RECORD_FAILED, "initialize: error -32603", NULL);
	note(&m, RECORD_REFUSED, "too many devices", "never mind");
	explained(&m, "aa:01: initialize: error -32603", "mcpctl devices");
	arrival_done(&m);
}

static int prepare(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	return mkdtemp(folder) ? 0 : -1;
}

static int clear(void **state)
{
	static const char *const files[] = { "log", "log.1", "pid", "link",
					     "target" };

	(void)state;
	for (size_t i = 0; i < COUNT(files); i++) {
		char *path = in_folder(files[i]);

		unlink(path);
		mem_free(path);
	}
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_terminal),
		cmocka_unit_test(test_listening),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_slow_reader),
		cmocka_unit_test(test_reader_gone),
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_no_file),
		cmocka_unit_test(test_pidfile),
		cmocka_unit_test(test_pidfile_link),
		cmocka_unit_test(test_daemon),
		cmocka_unit_test(test_missing),
	};

	return cmocka_run_group_tests_name("serve log", tests, prepare, clear);
}
