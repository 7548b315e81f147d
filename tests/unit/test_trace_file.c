/* SPDX-License-Identifier: MIT */
/*
 * --trace: what a run sees, as events of a capture: which connection each is
 * of, from whom, how it ended, whose device it is.
 */
#include "rendered.h"

#include <errno.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/app.h"
#include "cli/trace.h"
#include "folder.h"
#include "net/why.h"

static struct app app;
static struct rendered shown;
static struct error err;
static char *path;

static int begin(void **state)
{
	(void)state;
	path = folder_path("trace");
	app = (struct app){ .config = { .trace = path } };
	rendered_start(&shown, OUTPUT_TEXT, false);
	app.out = shown.r;
	return 0;
}

static int end(void **state)
{
	(void)state;
	unlink(path);
	mem_free(path);
	error_reset(&err);
	rendered_end(&shown);
	return 0;
}

static void opened(bool device, enum diag_leg leg)
{
	const struct trace_role role = { .as = device ? "sim" : "client",
					 .device = device,
					 .leg = leg };

	assert_int_equal(trace_begin(&app, &role, &err), 0);
	assert_non_null(app.trace);
}

static void write_one(const char *kind, bool outgoing, const char *leg,
		      const char *device)
{
	const struct trace t = { .kind = kind,
				 .outgoing = outgoing,
				 .data = "d",
				 .len = 1,
				 .leg = leg,
				 .device = device };

	trace_write(&app, &t);
}

static void add_number(struct buf *out, const cJSON *json, const char *name)
{
	const cJSON *value = json_member(json, name);

	if (!value)
		return;
	buf_printf(out, " %s=", name);
	json_print(out, value);
}

/* "CONN KIND LEG FROM" and what else there is, of one line. */
static void add_event(struct buf *out, const cJSON *json)
{
	static const char *const names[] = { "text", "size",   "cut",
					     "head", "status", "device",
					     "how",  "code",   "finding" };
	const char *leg = json_string(json, "leg");
	const char *from = json_string(json, "from");
	int64_t conn = 0;

	json_integer(json, "c", &conn);
	buf_printf(out, "%d %s %s %s", (int)conn, json_string(json, "kind"),
		   leg ? leg : "-", from ? from : "-");
	for (size_t i = 0; i < COUNT(names); i++)
		add_number(out, json, names[i]);
	buf_char(out, '\n');
}

/* All events of the file, which is closed by it. */
static void holds(const char *expected)
{
	CLEANUP(buf_done) struct buf text = { 0 }, out = { 0 };
	const char *at;

	assert_int_equal(trace_close(TAKE(app.trace), &err), 0);
	assert_int_equal(file_read(&text, "trace", path, &err), 0);
	at = strchr(buf_string(&text), '\n') + 1; /* behind its head */
	while (*at) {
		size_t len = strcspn(at, "\n");
		CLEANUP(json_free_ptr) cJSON *json = json_parse(at, len, NULL);

		assert_non_null(json);
		add_event(&out, json);
		at += len + (at[len] == '\n');
	}
	assert_string_equal(buf_string(&out), expected);
}

/* ---- the file ---- */

static void test_file(void **state)
{
	const struct trace_role role = { .as = "client" };
	CLEANUP(buf_done) struct buf text = { 0 };
	int fd;

	(void)state;
	app.config.trace = NULL;
	assert_int_equal(trace_begin(&app, &role, &err), 0);
	assert_null(app.trace);
	assert_int_equal(trace_reader(&app), -1);
	write_one("text", true, NULL, NULL);
	trace_finding(&app, "{}", NULL);
	app.config.audio = true;
	assert_int_equal(trace_begin(&app, &role, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.text, "'--audio' needs --trace"));
	app.config.audio = false;
	app.config.trace = "/nonexistent/x";
	assert_int_equal(trace_begin(&app, &role, &err), -1);
	assert_int_equal(err.kind, ERR_OUTPUT);
	assert_null(app.trace);
	app.config.trace = path;
	opened(false, LEG_WS);
	fd = trace_reader(&app);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(file_read(&text, "trace", path, &err), 0);
	assert_non_null(strstr(buf_string(&text), "\"as\":\"client\""));
	/* Once a run, whoever records then. */
	write_one("text", true, NULL, NULL);
	opened(true, LEG_WS);
	write_one("text", true, NULL, NULL);
	holds("1 text ws backend text=\"d\" size=1\n"
	      "1 text ws device text=\"d\" size=1\n");
	assert_int_equal(trace_close(NULL, &err), 0);
}

/* ---- kinds and sides ---- */

static void test_kinds(void **state)
{
	const struct trace answer = { .kind = "text",
				      .outgoing = true,
				      .data = "{}",
				      .len = 2,
				      .leg = "ota",
				      .head = { "A: b\r\n", 6 },
				      .status = 200 };
	const struct trace cut = {
		.kind = "text", .data = "ab", .len = 2, .size = 9
	};

	(void)state;
	opened(false, LEG_HTTP);
	write_one("text", false, NULL, NULL);
	write_one("binary", true, NULL, NULL);
	write_one("notice", true, NULL, NULL);
	write_one("line", true, "serial", NULL);
	write_one("text", false, "ota", NULL);
	trace_write(&app, &answer);
	write_one("text", false, "vision", NULL);
	write_one("text", true, "vision", NULL);
	write_one("text", true, "nonsense", NULL);
	trace_write(&app, &cut);
	holds("1 text http device text=\"d\" size=1\n"
	      "1 binary http backend size=1\n"
	      "1 notice http - text=\"d\" size=1\n"
	      "2 line serial device text=\"d\" size=1\n"
	      "3 request ota device text=\"d\" size=1\n"
	      "3 response ota backend text=\"{}\" size=2 head=[\"A: b\"]"
	      " status=200\n"
	      "4 request vision device text=\"d\" size=1\n"
	      "4 response vision backend text=\"d\" size=1\n"
	      "1 text http backend text=\"d\" size=1\n"
	      "1 text http device text=\"ab\" size=9 cut=2\n");
}

/* ---- which connection ---- */

static void test_connections(void **state)
{
	const struct trace named = {
		.kind = "ready", .data = "1.2.3.4", .len = 7, .id = "aa:01"
	};
	const struct trace later = {
		.kind = "text", .data = "x", .len = 1, .id = "bb:02"
	};
	const struct trace other = {
		.kind = "text", .data = "x", .len = 1, .conn = 7
	};
	const struct trace bare = { .kind = "ready" };

	(void)state;
	opened(false, LEG_WS);
	write_one("notice", false, NULL, NULL);
	/* What was said before it began is of it. */
	trace_write(&app, &named);
	write_one("text", false, NULL, NULL);
	/* Sound over UDP is of the connection to the broker. */
	write_one("ready", false, "mqtt", NULL);
	write_one("binary", false, "udp", NULL);
	write_one("text", false, NULL, "x");
	trace_write(&app, &other);
	/* The same is told once; another one is told. */
	trace_write(&app, &later);
	trace_write(&app, &later);
	/* One that begins anew ended before. */
	trace_write(&app, &bare);
	write_one("closed", true, NULL, NULL);
	write_one("text", false, NULL, NULL);
	holds("1 notice ws - text=\"d\" size=1\n"
	      "1 open ws - text=\"1.2.3.4\" size=7\n"
	      "1 device - - device=\"aa:01\"\n"
	      "1 text ws device text=\"d\" size=1\n"
	      "2 open mqtt - text=\"d\" size=1\n"
	      "2 binary udp device size=1\n"
	      "3 text ws device text=\"d\" size=1\n"
	      "4 text ws device text=\"x\" size=1\n"
	      "1 device - - device=\"bb:02\"\n"
	      "1 text ws device text=\"x\" size=1\n"
	      "1 text ws device text=\"x\" size=1\n"
	      "1 end ws backend text=\"ended here\" size=10\n"
	      "5 open ws -\n"
	      "5 end ws backend text=\"d\" size=1\n"
	      "6 text ws device text=\"d\" size=1\n"
	      /* ours, at the end */
	      "2 end mqtt backend text=\"ended here\" size=10\n");
}

/* What is open at the end is ended in the order in which it began. */
static void test_open_at_the_end(void **state)
{
	CLEANUP(buf_done) struct buf expected = { 0 };

	(void)state;
	opened(false, LEG_WS);
	for (unsigned i = 1; i <= 20; i++) {
		const struct trace one = { .kind = "ready", .conn = 100 - i };

		trace_write(&app, &one);
		buf_printf(&expected, "%u open ws -\n", i);
	}
	for (unsigned i = 1; i <= 20; i++)
		buf_printf(&expected,
			   "%u end ws backend text=\"ended here\" size=10\n",
			   i);
	holds(buf_string(&expected));
}

/* ---- ends ---- */

struct ending {
	bool outgoing;
	bool none; /* nothing is known of it */
	int code;
	enum why reason;
	const char *as_client, *as_device;
};

static void ends_as(const struct ending *row, bool device)
{
	CLEANUP(mem_free_ptr) char *expected = NULL;
	struct error why = { .kind = ERR_CONNECT,
			     .has_code = row->code != 0,
			     .code = row->code,
			     .reason = (int)row->reason };
	const struct trace t = { .kind = "closed",
				 .outgoing = row->outgoing,
				 .data = "w",
				 .len = 1,
				 .why = row->none ? NULL : &why };

	opened(device, LEG_WS);
	trace_write(&app, &t);
	expected = mem_printf("1 end ws %s\n",
			      device ? row->as_device : row->as_client);
	holds(expected);
	unlink(path);
}

static void test_ends(void **state)
{
	static const struct ending rows[] = {
		{ false, true, 0, WHY_NONE, "- text=\"w\" size=1",
		  "- text=\"w\" size=1" },
		{ true, true, 0, WHY_NONE, "backend text=\"w\" size=1",
		  "device text=\"w\" size=1" },
		{ false, false, 0, WHY_FIN,
		  "device text=\"w\" size=1 how=\"fin\"",
		  "backend text=\"w\" size=1 how=\"fin\"" },
		{ false, false, ECONNRESET, WHY_NONE,
		  "device text=\"w\" size=1 how=\"rst\"",
		  "backend text=\"w\" size=1 how=\"rst\"" },
		{ false, false, EPIPE, WHY_NONE,
		  "device text=\"w\" size=1 how=\"rst\"",
		  "backend text=\"w\" size=1 how=\"rst\"" },
		{ false, false, ETIMEDOUT, WHY_NONE,
		  "- text=\"w\" size=1 how=\"timeout\"",
		  "- text=\"w\" size=1 how=\"timeout\"" },
		{ true, false, ETIMEDOUT, WHY_NONE,
		  "backend text=\"w\" size=1 how=\"timeout\"",
		  "device text=\"w\" size=1 how=\"timeout\"" },
		{ false, false, 1001, WHY_CLOSE,
		  "device text=\"w\" size=1 how=\"close\" code=1001",
		  "backend text=\"w\" size=1 how=\"close\" code=1001" },
		{ false, false, 1000, WHY_TAKEN,
		  "device text=\"w\" size=1 how=\"close\" code=1000",
		  "backend text=\"w\" size=1 how=\"close\" code=1000" },
		/* One that we sent, for what the other side said. */
		{ false, false, 1002, WHY_NONE,
		  "backend text=\"w\" size=1 how=\"close\" code=1002",
		  "device text=\"w\" size=1 how=\"close\" code=1002" },
		{ false, false, 0, WHY_OTHER, "- text=\"w\" size=1",
		  "- text=\"w\" size=1" },
		/* A broker's end is not the backend's, where we are that. */
		{ false, false, 0, WHY_WENT, "- text=\"w\" size=1 how=\"fin\"",
		  "backend text=\"w\" size=1 how=\"fin\"" },
		{ false, false, 0, WHY_WENT_AFTER,
		  "- text=\"w\" size=1 how=\"fin\"",
		  "backend text=\"w\" size=1 how=\"fin\"" },
		{ false, false, ECONNRESET, WHY_WENT,
		  "- text=\"w\" size=1 how=\"rst\"",
		  "backend text=\"w\" size=1 how=\"rst\"" },
		{ false, false, EINVAL, WHY_WENT, "- text=\"w\" size=1",
		  "- text=\"w\" size=1" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		ends_as(&rows[i], false);
		ends_as(&rows[i], true);
	}
}

/* ---- findings ---- */

#define FINDING(code) "{\"finding\":{\"code\":\"" code "\"}}"
#define FOUND(code) "{\"code\":\"" code "\"}\n"

static void named(const char *kind, const char *leg, uint64_t conn,
		  const char *id)
{
	const struct trace t = { .kind = kind,
				 .data = "d",
				 .len = 1,
				 .leg = leg,
				 .conn = conn,
				 .id = id };

	trace_write(&app, &t);
}

/* At the connection of its device, the latest of many; a log's at its log. */
static void test_findings(void **state)
{
	(void)state;
	opened(false, LEG_WS);
	trace_finding(&app, FINDING("D101"), NULL);
	named("ready", NULL, 1, "aa");
	trace_finding(&app, FINDING("D102"), "zz");
	named("ready", NULL, 2, "aa");
	named("ready", NULL, 3, "bb");
	trace_finding(&app, FINDING("D103"), "aa");
	trace_finding(&app, FINDING("D104"), "zz");
	trace_finding(&app, FINDING("D105"), NULL);
	trace_finding(&app, FINDING("S801"), "aa");
	named("ready", "serial", 4, "aa");
	trace_finding(&app, FINDING("D106"), "aa");
	trace_finding(&app, FINDING("S802"), "aa");
	trace_finding(&app, FINDING("S803"), "zz");
	named("ready", "serial", 5, "cc");
	trace_finding(&app, FINDING("S804"), "zz");
	trace_finding(&app, FINDING("S805"), "cc");
	for (uint64_t conn = 1; conn <= 5; conn++)
		named("closed", conn > 3 ? "serial" : NULL, conn, NULL);
	holds("0 finding - - finding=" FOUND(
		"D101") "1 open ws - text=\"d\" size=1\n"
			"1 device - - device=\"aa\"\n"
			"1 finding - - finding=" FOUND(
				"D102") "2 open ws - text=\"d\" size=1\n"
					"2 device - - device=\"aa\"\n"
					"3 open ws - text=\"d\" size=1\n"
					"3 device - - device=\"bb\"\n"
					"2 finding - - finding=" FOUND("D103") "0 finding - - finding=" FOUND("D104") "3 finding - - finding=" FOUND("D105") "0 finding - - finding=" FOUND(
						"S801") "4 open serial - text=\"d\" size=1\n"
							"4 device - - device=\"aa\"\n"
							"2 finding - - finding=" FOUND("D106") "4 finding - - finding=" FOUND("S802") "4 finding - - finding=" FOUND(
								"S803") "5 open serial - text=\"d\" size=1\n"
									"5 device - - device=\"cc\"\n"
									"0 finding - - finding=" FOUND("S804") "5 finding - - finding=" FOUND(
										"S805") "1 end ws - text=\"d\" size=1\n"
											"2 end ws - text=\"d\" size=1\n"
											"3 end ws - text=\"d\" size=1\n"
											"4 end serial - text=\"d\" size=1\n"
											"5 end serial - text=\"d\" size=1\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_file),	TEST(test_kinds),
		TEST(test_connections), TEST(test_open_at_the_end),
		TEST(test_ends),	TEST(test_findings),
	};

	mem_init();
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
