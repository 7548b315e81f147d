/* SPDX-License-Identifier: MIT */
/* replay/replay: what was said again and what was answered then, compared: the
   last line, the case of each step, the status. */
#include "checkup.h"

#include "replay/replay.h"

#define ASKS(id, method)                                                \
	"{\"type\":\"mcp\",\"payload\":{\"jsonrpc\":\"2.0\",\"id\":" id \
	",\"method\":\"" method "\"}}"
#define SAYS(id, result)                                                \
	"{\"type\":\"mcp\",\"payload\":{\"jsonrpc\":\"2.0\",\"id\":" id \
	",\"result\":" result "}}"

struct line {
	enum event_from from;
	int64_t at_us;
	const char *text; /* NULL: there is none */
};

#define LINES 6

static void add(struct steps *to, const struct line *line)
{
	for (size_t i = 0; i < LINES && line[i].text; i++) {
		const struct capture_event e = {
			.n = i + 1,
			.at_us = line[i].at_us,
			.conn = 1,
			.leg = LEG_WS,
			.kind = CAPTURED_TEXT,
			.from = line[i].from,
			.device = "d1",
			.data = { line[i].text, strlen(line[i].text) },
			.size = strlen(line[i].text)
		};

		assert_true(steps_add(to, &e));
	}
}

/* Cases of that replay as "VERDICT NAME: TEXT" lines. */
static void cases(const struct checkup *k, const char *wanted)
{
	static const char *const words[] = {
		[STAGE_OK] = "ok", [STAGE_FAIL] = "fail"
	};
	CLEANUP(buf_done) struct buf all = { 0 };

	for (size_t i = 0; i < k->case_count; i++)
		buf_printf(&all, "%s %s: %s\n", words[k->cases[i].verdict],
			   k->cases[i].name, k->cases[i].text);
	assert_string_equal(buf_string(&all), wanted);
}

struct row {
	int as;
	const char *ignore; /* NULL */
	struct line was[LINES], is[LINES];
	const char *last; /* line of what is told */
	const char *cases;
	const char *error; /* NULL: all as it was */
};

static void compared(const struct row *row)
{
	struct replay_options o = { .as = row->as };
	struct replay r = { .in = &in, .o = &o };
	CLEANUP(error_reset) struct error err = { 0 };
	const char *out;

	begin(&r.k);
	app.out.width = 100;
	if (row->ignore)
		words_add(&o.ignore, row->ignore);
	add(&r.was, row->was);
	add(&r.is, row->is);
	assert_int_equal(replay_compare(&r, &err), row->error ? -1 : 0);
	assert_int_equal(err.kind, row->error ? ERR_UNMET : 0);
	assert_string_equal(err.text, row->error ? row->error : "");
	cases(&r.k, row->cases);
	out = rendered_out(&s);
	if (!strstr(out, row->last))
		fail_msg("no '%s' in: %s", row->last, out);
	assert_string_equal(strstr(out, row->last), row->last);
	words_done(&o.ignore);
	steps_done(&r.was);
	steps_done(&r.is);
	end(&r.k);
}

#define PING_1                                     \
	{                                          \
		FROM_BACKEND, 0, ASKS("1", "ping") \
	}
#define PING_2                                     \
	{                                          \
		FROM_BACKEND, 9, ASKS("2", "ping") \
	}
#define PONG_1(result)                            \
	{                                         \
		FROM_DEVICE, 5, SAYS("1", result) \
	}
#define PONG_2(result)                             \
	{                                          \
		FROM_DEVICE, 12, SAYS("2", result) \
	}

static void as_it_was(void **state)
{
	static const struct row rows[] = {
		{ 0,
		  NULL,
		  { PING_1, PONG_1("{}") },
		  { PING_1, PONG_1("{}") },
		  "same     ok    1 step of the device compared, all as they were\n",
		  "ok reply to ping: \n",
		  NULL },
		{ 0,
		  NULL,
		  { PING_1, PONG_1("{}"), PING_2, PONG_2("{}") },
		  { PING_1, PONG_1("{}"), PING_2, PONG_2("{}") },
		  "same     ok    2 steps of the device compared, all as they were\n",
		  "ok reply to ping: \nok reply to ping: \n",
		  NULL },
		/* Where there is nothing to compare, nothing is as it was. */
		{ 0,
		  NULL,
		  { PING_1 },
		  { PING_1 },
		  "same     fail  0 steps of the device compared\n",
		  "fail same: 0 steps of the device compared\n",
		  "the capture has no step of the device to compare" },
		/* Of a backend, what it asks. */
		{ 1,
		  NULL,
		  { PING_1, PONG_1("{}") },
		  { PING_1, PONG_1("7") },
		  "same     ok    1 step of the backend compared, all as they were\n",
		  "ok ping: \n",
		  NULL },
		/* What is ignored is as it was. */
		{ 0,
		  "/result/a",
		  { PING_1, PONG_1("{\"a\":1}") },
		  { PING_1, PONG_1("{\"a\":2}") },
		  "same     ok    1 step of the device compared, all as they were\n",
		  "ok reply to ping: \n",
		  NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		compared(&rows[i]);
}

static void not_as_it_was(void **state)
{
	static const struct row rows[] = {
		{ 0,
		  NULL,
		  { PING_1, PONG_1("{\"a\":1,\"b\":[2]}") },
		  { PING_1, PONG_1("{\"a\":\"x\",\"b\":[]}") },
		  "same     fail  1 step of the device compared, 2 other\n",
		  "fail reply to ping: says another thing: /result/a was 1, is \"x\"\n",
		  "1 step is not as recorded" },
		{ 0,
		  NULL,
		  { PING_1, PONG_1("{\"a\":1}") },
		  { PING_1, PONG_1("{}") },
		  "same     fail  1 step of the device compared, 1 other\n",
		  "fail reply to ping: says another thing: /result/a was 1, is nothing\n",
		  "1 step is not as recorded" },
		{ 0,
		  NULL,
		  { PING_1, PONG_1("{}"), PING_2, PONG_2("{}") },
		  { PING_1, PING_2 },
		  "same     fail  2 steps of the device compared, 2 missing\n",
		  "fail reply to ping: missing\nfail reply to ping: missing\n",
		  "2 steps are not as recorded" },
		{ 0,
		  NULL,
		  { PING_1, PONG_1("{}"), PING_2 },
		  { PING_1, PONG_1("{}"), PING_2, PONG_2("{}") },
		  "same     fail  1 step of the device compared, 1 more\n",
		  "fail reply to ping: more than there was\n"
		  "ok reply to ping: \n",
		  "1 step is not as recorded" },
		/* Slower, and another thing: the worse of both stands there. */
		{ 0,
		  NULL,
		  { PING_1, PONG_1("{\"a\":1}") },
		  { PING_1, { FROM_DEVICE, 900000, SAYS("1", "{\"a\":2}") } },
		  "same     fail  1 step of the device compared, 1 other, 1 slower\n",
		  "fail reply to ping: says another thing: /result/a was 1, is 2\n",
		  "1 step is not as recorded" },
		{ 0,
		  NULL,
		  { PING_1, PONG_1("{}") },
		  { PING_1, { FROM_DEVICE, 900000, SAYS("1", "{}") } },
		  "same     fail  1 step of the device compared, 1 slower\n",
		  "fail reply to ping: slower\n",
		  "1 step is not as recorded" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		compared(&rows[i]);
}

#define X50 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X197 X50 X50 X50 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

/* Of a long value 200 bytes are told, and that there are more. */
static void long_values(void **state)
{
	static const struct row rows[] = {
		{ 0,
		  NULL,
		  { PING_1, PONG_1("{\"a\":\"" X197 "x\"}") },
		  { PING_1, PONG_1("{\"a\":\"" X197 "xy\"}") },
		  "1 other\n",
		  "fail reply to ping: says another thing: /result/a was \"" X197
		  "x\", is \"" X197 "xy…\n",
		  "1 step is not as recorded" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		compared(&rows[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_it_was),
		cmocka_unit_test(not_as_it_was),
		cmocka_unit_test(long_values),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
