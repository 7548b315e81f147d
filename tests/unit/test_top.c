/* SPDX-License-Identifier: MIT */
/* top/: rows from device objects, order, filter, and what stands on a screen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "serve/board_calls.h"
#include "top/view.h"

#define NOW INT64_C(1786190400000) /* 2026-08-08T12:00:00Z */

static struct top_rows rows;
static struct last_frames frames;
static struct view_line line;

static int begin(void **state)
{
	(void)state;
	rows = (struct top_rows){ 0 };
	frames = (struct last_frames){ 0 };
	return 0;
}

static int end(void **state)
{
	(void)state;
	rows_done(&rows);
	last_frames_done(&frames);
	view_line_done(&line);
	line = (struct view_line){ 0 };
	return 0;
}

static void told(const char *json, bool gone)
{
	struct error err = { 0 };
	CLEANUP(json_free_ptr)
	cJSON *device = json_parse(json, strlen(json), &err);

	assert_non_null(device);
	rows_device(&rows, device, gone, NOW);
}

#define DEVICE(id, more)                                                    \
	"{\"id\":\"" id "\",\"client_id\":null,\"alias\":null,"             \
	"\"board\":\"bread\",\"version\":\"2.4.2\","                        \
	"\"transport\":\"websocket\",\"address\":\"10.0.0.7:5000\","        \
	"\"asked\":null,\"state\":\"ready\",\"reason\":null,"               \
	"\"list\":\"l1\",\"audio\":null,\"last_finding\":null,\"calls\":0," \
	"\"p50_us\":null" more "}"

static void status(const char *id, const char *text, bool known)
{
	CLEANUP(buf_done) struct buf reply = { 0 };
	struct top_row *row = rows_find(&rows, id);
	CLEANUP(json_free_ptr) cJSON *json = NULL;

	assert_non_null(row);
	buf_text(&reply, "{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{"
			 "\"content\":[{\"type\":\"text\",\"text\":");
	buf_json_string(&reply, text, strlen(text));
	buf_text(&reply, "}],\"isError\":false}}");
	json = json_parse(reply.data, reply.len, NULL);
	assert_int_equal(board_row_status(row, json), known);
}

static void assert_cell(const char *id, enum row_column c, const char *expected)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	rows_cell(&out, rows_find(&rows, id), c);
	assert_string_equal(buf_string(&out), expected);
}

/* The names that are shown, a blank between. */
static void assert_shown(const char *expected)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	rows_update(&rows);
	for (size_t i = 0; i < rows.shown_count; i++)
		buf_printf(&out, "%s%s", i ? " " : "", rows.shown[i]->name);
	assert_string_equal(buf_string(&out), expected);
}

static void cells(void **state)
{
	(void)state;
	told(DEVICE("a", ""), false);
	assert_cell("a", COLUMN_NAME, "a");
	assert_cell("a", COLUMN_STATE, "ready");
	assert_cell("a", COLUMN_TRANSPORT, "ws");
	assert_cell("a", COLUMN_CALLS, "0");
	for (enum row_column c = COLUMN_SIGNAL; c < ROW_COLUMNS; c++) {
		if (c != COLUMN_CALLS)
			assert_cell("a", c, "-");
	}
	told(DEVICE("b", ",\"calls\":7,\"pick\":\"id:b\","
			 "\"breaker\":\"open\""),
	     false);
	assert_cell("b", COLUMN_NAME, "id:b");
	assert_string_equal(rows_find(&rows, "b")->pick, "id:b");
	assert_cell("b", COLUMN_STATE, "no answer");
	told("{\"id\":\"c\",\"alias\":\"kitchen\",\"calls\":3,"
	     "\"p50_us\":4000,\"last_finding\":\"D106\","
	     "\"audio\":{\"frames\":12},\"state\":\"ready\","
	     "\"asked\":\"2026-08-08T11:59:50.000Z\"}",
	     false);
	assert_cell("c", COLUMN_NAME, "kitchen");
	assert_cell("c", COLUMN_STATE, "stale");
	assert_cell("c", COLUMN_P50, "4 ms");
	assert_cell("c", COLUMN_FINDING, "D106");
	assert_cell("c", COLUMN_AUDIO, "12");
	assert_cell("c", COLUMN_JITTER, "-");
	told("{\"id\":\"c\",\"audio\":{\"frames\":12,\"lost\":2,"
	     "\"jitter_ms\":12.3,\"late\":1,\"holes\":1,"
	     "\"missing_ms\":600,\"drift_ppm\":-900}}",
	     false);
	assert_cell("c", COLUMN_JITTER, "12 ms");
	assert_cell("c", COLUMN_LOST, "2");
	assert_string_equal(
		rows_find(&rows, "c")->sound,
		"12 packets, 2 lost, jitter 12.3 ms, late once, 0.60 s missing, drift -900 ppm");
	told("{\"id\":\"c\",\"audio\":{\"frames\":1,\"lost\":-7,"
	     "\"jitter_ms\":1e300,\"late\":\"x\",\"drift_ppm\":[]}}",
	     false);
	assert_cell("c", COLUMN_JITTER, "-");
	assert_cell("c", COLUMN_LOST, "-");
	assert_string_equal(rows_find(&rows, "c")->sound, "1 packet");
	told("{\"id\":\"c\",\"alias\":\"kitchen\",\"calls\":3,"
	     "\"p50_us\":4000,\"last_finding\":\"D106\","
	     "\"audio\":{\"frames\":12},\"state\":\"ready\","
	     "\"asked\":\"2026-08-08T11:59:50.000Z\"}",
	     false);
	assert_cell("c", COLUMN_VERSION, "-");
}

/* As an older serve tells it: nothing is made up. */
static void of_an_older_serve(void **state)
{
	(void)state;
	told("{\"id\":\"a\",\"state\":\"ready\",\"list\":\"x\"}", false);
	assert_false(rows.item[0]->counted);
	assert_cell("a", COLUMN_CALLS, "-");
	told("{\"alias\":\"none\"}", false);
	told("{\"id\":\"\"}", false);
	told("{\"id\":7}", false);
	assert_int_equal(rows.count, 1);
}

static void statuses(void **state)
{
	(void)state;
	told(DEVICE("a", ""), false);
	status("a",
	       "{\"audio_speaker\":{\"volume\":70},\"battery\":{\"level\":87,"
	       "\"charging\":true},\"network\":{\"type\":\"wifi\","
	       "\"ssid\":\"host\",\"signal\":\"strong\"}}",
	       true);
	assert_cell("a", COLUMN_BATTERY, "87%+");
	assert_cell("a", COLUMN_SIGNAL, "strong");
	status("a",
	       "{\"minimum_free_heap_size\":\"8318916\",\"board\":{"
	       "\"rssi\":-48}}",
	       true);
	assert_cell("a", COLUMN_HEAP, "8.3 MB");
	assert_cell("a", COLUMN_SIGNAL, "-48 dBm");
	/* What is not told stays; what cannot be is not believed. */
	status("a", "{\"battery\":{\"level\":101}}", false);
	status("a", "{\"battery\":{\"level\":-1}}", false);
	status("a", "{\"battery\":7,\"network\":[],\"board\":\"x\"}", false);
	status("a", "{\"minimum_free_heap_size\":\"-5\"}", false);
	status("a", "{\"minimum_free_heap_size\":1e300}", false);
	status("a", "{\"board\":{\"rssi\":5}}", false);
	status("a", "not JSON", false);
	status("a", "", false);
	assert_cell("a", COLUMN_BATTERY, "87%+");
	/* A new description of it does not forget its status. */
	told(DEVICE("a", ""), false);
	assert_cell("a", COLUMN_HEAP, "8.3 MB");
}

static void errors_are_no_status(void **state)
{
	static const char failed_status[] =
		"{\"result\":{\"isError\":true,\"content\":[{\"type\":\"text\","
		"\"text\":\"{\\\"battery\\\":{\\\"level\\\":5}}\"}]}}";
	static const char *const replies[] = {
		"{\"error\":{\"message\":\"Unknown tool\"}}",
		"{\"result\":{}}",
		"{\"result\":{\"content\":{}}}",
		"{\"result\":{\"content\":[]}}",
		"{\"result\":{\"content\":[7]}}",
		failed_status,
	};

	(void)state;
	told(DEVICE("a", ""), false);
	for (size_t i = 0; i < COUNT(replies); i++) {
		CLEANUP(json_free_ptr)
		cJSON *json = json_parse(replies[i], strlen(replies[i]), NULL);

		assert_non_null(json);
		assert_false(board_row_status(rows.item[0], json));
	}
	assert_false(board_row_status(rows.item[0], NULL));
	assert_cell("a", COLUMN_BATTERY, "-");
}

static void come_and_go(void **state)
{
	(void)state;
	told(DEVICE("b", ""), false);
	told(DEVICE("a", ""), false);
	assert_shown("a b");
	told(DEVICE("b", ""), true);
	told(DEVICE("unknown", ""), true);
	assert_shown("a");
	/* Whoever is in no list any more went unseen. */
	rows_begin(&rows);
	told(DEVICE("c", ""), false);
	rows_end(&rows);
	assert_shown("c");
	assert_null(rows_find(&rows, "a"));
	/* Whoever is in it again stays, with what is told of it now. */
	rows_begin(&rows);
	told("{\"id\":\"c\",\"alias\":\"x\",\"state\":\"failed\"}", false);
	told(DEVICE("w", ""), false);
	rows_end(&rows);
	assert_shown("w x");
	assert_int_equal(rows.ready, 1);
	told("{\"id\":\"w\",\"alias\":\"y\",\"state\":\"failed\"}", false);
	assert_shown("x y");
	assert_int_equal(rows.ready, 0);
}

#define SERVER                                                                             \
	"{\"id\":\"h/lab/box/lamp\",\"server_id\":\"h\",\"server_name\":\"lab/box/lamp\"," \
	"\"state\":\"present\",\"description\":\"a lamp\",\"tools\":3}"

static void announced(void **state)
{
	(void)state;
	told(SERVER, false);
	assert_shown("lamp");
	assert_int_equal(rows.ready, 1);
	assert_int_equal(rows.servers, 1);
	assert_cell("h/lab/box/lamp", COLUMN_BOARD, "a lamp");
	assert_cell("h/lab/box/lamp", COLUMN_ADDRESS, "h");
	assert_cell("h/lab/box/lamp", COLUMN_TRANSPORT, "mqtt");
	assert_cell("h/lab/box/lamp", COLUMN_TOOLS, "3");
	/* Nobody announces these. */
	assert_cell("h/lab/box/lamp", COLUMN_CALLS, "-");
	assert_cell("h/lab/box/lamp", COLUMN_VERSION, "-");
	rows_begin(&rows);
	rows_end_gone(&rows, 1000, 60000);
	assert_shown("lamp");
	assert_cell("h/lab/box/lamp", COLUMN_STATE, "gone");
	assert_int_equal(rows.ready, 0);
	/* It is counted from when it went, and is back as if it were new. */
	rows_begin(&rows);
	rows_end_gone(&rows, 60999, 60000);
	assert_shown("lamp");
	told(SERVER, false);
	assert_cell("h/lab/box/lamp", COLUMN_STATE, "present");
	rows_begin(&rows);
	rows_end_gone(&rows, 70000, 60000);
	assert_shown("lamp");
	rows_begin(&rows);
	rows_end_gone(&rows, 130000, 60000);
	assert_shown("");
}

static void order(void **state)
{
	(void)state;
	told(DEVICE("a", ""), false);
	told("{\"id\":\"b\",\"state\":\"failed\",\"calls\":9}", false);
	told("{\"id\":\"c\",\"state\":\"ready\",\"calls\":10}", false);
	status("c", "{\"battery\":{\"level\":5}}", true);
	status("a", "{\"battery\":{\"level\":50}}", true);
	assert_shown("a b c");
	rows_sort(&rows, COLUMN_CALLS, true);
	assert_shown("c b a");
	rows_sort(&rows, COLUMN_BATTERY, false);
	assert_shown("b c a");
	rows_sort(&rows, COLUMN_STATE, false);
	assert_shown("b a c");
	status("a", "{\"network\":{\"signal\":\"weak\"}}", true);
	status("b", "{\"network\":{\"signal\":\"strong\"}}", true);
	status("c", "{\"board\":{\"rssi\":-70}}", true);
	rows_sort(&rows, COLUMN_SIGNAL, true);
	assert_shown("c b a");
}

static void filter(void **state)
{
	CLEANUP(buf_done) struct buf words = { 0 };

	(void)state;
	told(DEVICE("aa:01", ""), false);
	told("{\"id\":\"aa:02\",\"state\":\"failed\",\"board\":\"Otto\"}",
	     false);
	rows_filter(&rows, "aa otto");
	assert_shown("aa:02");
	rows_filter(&rows, "  AA  ");
	assert_shown("aa:01 aa:02");
	rows_filter(&rows, "otto ready");
	assert_shown("");
	assert_null(rows_selected(&rows));
	rows_move(&rows, 1);
	for (size_t i = 0; i < (size_t)2 * ROWS_FILTER_MAX; i++)
		buf_text(&words, "é");
	rows_filter(&rows, buf_string(&words));
	assert_true(strlen(rows.filter) < ROWS_FILTER_MAX);
	assert_true(text_is_utf8(rows.filter, strlen(rows.filter)));
	assert_shown("");
}

/* Whoever is selected stays so, wherever it stands now. */
static void selected(void **state)
{
	(void)state;
	told(DEVICE("b", ""), false);
	told(DEVICE("c", ""), false);
	rows_move(&rows, 1);
	assert_string_equal(rows_selected(&rows)->id, "c");
	told(DEVICE("a", ""), false);
	rows_update(&rows);
	assert_string_equal(rows_selected(&rows)->id, "c");
	rows_move(&rows, INT64_MAX);
	assert_string_equal(rows_selected(&rows)->id, "c");
	rows_move(&rows, -INT64_MAX);
	assert_string_equal(rows_selected(&rows)->id, "a");
	told(DEVICE("a", ""), true);
	rows_update(&rows);
	assert_string_equal(rows_selected(&rows)->id, "b");
	/* Below the last one nobody stands. */
	rows_move(&rows, 1);
	assert_string_equal(rows_selected(&rows)->id, "c");
	told(DEVICE("c", ""), true);
	rows_update(&rows);
	assert_string_equal(rows_selected(&rows)->id, "b");
	told(DEVICE("b", ""), true);
	rows_update(&rows);
	assert_null(rows_selected(&rows));
}

static void scrolled(void **state)
{
	(void)state;
	for (int id = 'a'; id <= 'j'; id++) {
		char json[32];

		snprintf(json, sizeof(json), "{\"id\":\"%c\"}", id);
		told(json, false);
	}
	rows_move(&rows, 7);
	rows_scroll(&rows, 4);
	assert_int_equal(rows.first, 4);
	rows_move(&rows, -1);
	rows_scroll(&rows, 4);
	assert_int_equal(rows.first, 4);
	rows_move(&rows, -6);
	rows_scroll(&rows, 4);
	assert_int_equal(rows.first, 0);
	rows_move(&rows, 9);
	rows_scroll(&rows, 0);
	rows_scroll(&rows, 4);
	assert_int_equal(rows.first, 6);
	/* More room: none of it is left empty while there are rows above. */
	rows_scroll(&rows, 8);
	assert_int_equal(rows.first, 2);
}

/* ---- the view ---- */

/* A line as it stands on the screen: cells apart, in their columns. */
static const char *shown(const struct top_view *v, size_t y)
{
	static struct buf text;
	size_t x = 0;

	view_line(v, y, &line);
	buf_reset(&text);
	for (size_t i = 0; i < line.count; i++) {
		const struct view_cell *cell = &line.cell[i];
		size_t width =
			text_width(buf_string(&cell->text), cell->text.len);

		assert_true(cell->x >= x);
		assert_true(cell->x + width <= v->columns);
		assert_true(width <= cell->width);
		for (; x < cell->x; x++)
			buf_char(&text, ' ');
		buf_text(&text, buf_string(&cell->text));
		x += width;
	}
	return buf_string(&text);
}

static struct top_view view_of(size_t columns, size_t lines)
{
	struct top_view v = { .rows = &rows,
			      .frames = &frames,
			      .columns = columns,
			      .lines = lines,
			      .listed = true,
			      .every = 10000 };

	view_prepare(&v);
	return v;
}

#define HOSTILE "\\u001b[31mred\\u202e\\u0007\\n\\u200b"

static void fill(size_t count)
{
	for (size_t i = 0; i < count; i++) {
		CLEANUP(mem_free_ptr)
		char *json = mem_printf(
			"{\"id\":\"aa:bb:cc:dd:ee:%02zx\",\"state\":\"ready\","
			"\"version\":\"2.4.2\",\"calls\":%zu}",
			i, i);

		told(json, false);
	}
}

static void servers_are_no_boards(void **state)
{
	struct top_view v;

	(void)state;
	told("{\"id\":\"files\",\"state\":\"ready\",\"held\":{\"pid\":7}}",
	     false);
	v = view_of(80, 24);
	assert_string_equal(shown(&v, 0),
			    "1 server, 1 ready; by name; status every 10 s");
	fill(2);
	v = view_of(80, 24);
	assert_string_equal(
		shown(&v, 0),
		"2 boards, 1 server, 3 ready; by name; status every 10 s");
}

static void lines_of_80(void **state)
{
	struct top_view v;

	(void)state;
	fill(30);
	v = view_of(80, 24);
	assert_string_equal(shown(&v, 0),
			    "30 boards, 30 ready; by name; status every 10 s");
	assert_string_equal(
		shown(&v, 1),
		"name               state        firmware  via  signal     calls      p50 finding");
	assert_string_equal(
		shown(&v, 9),
		"aa:bb:cc:dd:ee:07  ready        2.4.2     -    -              7        - -");
	assert_string_equal(
		shown(&v, 23),
		"q quit  / filter  s sort  r reverse  Enter frames  c call  x shell");
	assert_int_equal(view_page(&v), 21);
	view_line(&v, 2, &line);
	assert_true(line.marked);
	view_line(&v, 3, &line);
	assert_false(line.marked);
}

static void fits_every_size(void **state)
{
	static const size_t sizes[][2] = {
		{ 20, 6 }, { 40, 10 }, { 80, 24 }, { 200, 60 },	 { 1, 1 },
		{ 3, 2 },  { 17, 3 },  { 29, 9 },  { 1000, 200 }
	};

	(void)state;
	fill(100);
	told("{\"id\":\"" HOSTILE "\",\"alias\":\"" HOSTILE
	     "\",\"state\":\"" HOSTILE
	     "\",\"board\":\"板板板板板板板板板板板板板板\","
	     "\"version\":\"" HOSTILE "\",\"address\":\"" HOSTILE "\","
	     "\"transport\":\"" HOSTILE "\",\"last_finding\":\"" HOSTILE "\"}",
	     false);
	last_frames_begin(&frames, "\033[2J板");
	last_frames_add(&frames, "12:00:00", "{\"a\":\"\033]0;x\007\"}", 16);
	for (size_t i = 0; i < 2 * COUNT(sizes); i++) {
		struct top_view v = view_of(sizes[i / 2][0], sizes[i / 2][1]);

		v.ascii = i % 2;
		for (size_t y = 0; y < v.lines; y++) {
			const char *text = shown(&v, y);

			for (const char *p = text; *p; p++) {
				assert_true((unsigned char)*p >= 0x20);
				assert_int_not_equal(*p, 0x7f);
				if (v.ascii)
					assert_true((unsigned char)*p < 0x80);
			}
			assert_null(strstr(text, "\u202e"));
		}
	}
}

static void typed_and_notes(void **state)
{
	struct top_view v;

	(void)state;
	v = view_of(20, 4);
	assert_string_equal(shown(&v, 0), "0 boards, 0 ready; …");
	v.note = "no board is selected";
	assert_string_equal(shown(&v, 3), "no board is selected");
	v.prompt = "filter: ";
	v.typed = "0123456789abcdefghi";
	assert_string_equal(shown(&v, 3), "filter: 89abcdefghi");
	v.ascii = true;
	assert_string_equal(shown(&v, 0), "0 boards, 0 ready; ~");
	v.prompt = NULL;
	v.note = "Küche 板 went";
	assert_string_equal(shown(&v, 3), "K?che ? went");
	rows_filter(&rows, "x");
	rows_sort(&rows, COLUMN_P50, true);
	v = view_of(100, 4);
	v.unasked = true;
	assert_string_equal(
		shown(&v, 0),
		"0 boards, 0 ready, 0 with 'x'; by p50, reversed; no status: this serve is of an older version");
}

static void frames_below(void **state)
{
	struct top_view v;

	(void)state;
	fill(3);
	last_frames_begin(&frames, "kitchen");
	v = view_of(60, 12);
	assert_int_equal(view_page(&v), 5);
	assert_string_equal(shown(&v, 7),
			    "what kitchen says by itself: nothing yet");
	last_frames_add(&frames, "12:00:00", "one", 3);
	last_frames_audio(&frames, "12:00:01");
	last_frames_audio(&frames, "12:00:02");
	last_frames_add(&frames, "12:00:03", "two", 3);
	last_frames_audio(&frames, "12:00:04");
	assert_string_equal(shown(&v, 7), "what kitchen says by itself");
	assert_string_equal(shown(&v, 8), "12:00:02 audio: 2 packets");
	assert_string_equal(shown(&v, 9), "12:00:03 two");
	assert_string_equal(shown(&v, 10), "12:00:04 audio: 1 packet");
	for (size_t i = 0; i < (size_t)3 * LAST_FRAMES_KEPT; i++)
		last_frames_add(&frames, "", "more", 4);
	assert_non_null(last_frames_at(&frames, LAST_FRAMES_KEPT - 1));
	assert_null(last_frames_at(&frames, LAST_FRAMES_KEPT));
}

/* What is not known is not said. */
static void silent_serve(void **state)
{
	struct top_view v;

	(void)state;
	v = view_of(80, 24);
	v.listed = false;
	assert_string_equal(
		shown(&v, 0),
		"no list of boards yet; by name; status every 10 s");
	v.silent = 7300;
	assert_string_equal(
		shown(&v, 0),
		"no list of boards yet; by name; serve has not answered for 7 s");
	told(DEVICE("a", ""), false);
	status("a", "{\"battery\":{\"level\":5}}", true);
	rows.item[0]->told = 7;
	board_row_forget(rows.item[0]);
	assert_cell("a", COLUMN_BATTERY, "-");
	assert_int_equal(rows.item[0]->told, 0);
}

/* Of each column: by what stands in it, as a number where it is one. */
static void each_order(void **state)
{
	static const struct {
		enum row_column by;
		const char *shown;
	} orders[] = {
		{ COLUMN_NAME, "a b c" },    { COLUMN_STATE, "c b a" },
		{ COLUMN_BOARD, "b a c" },   { COLUMN_VERSION, "c a b" },
		{ COLUMN_ADDRESS, "b c a" }, { COLUMN_TRANSPORT, "a c b" },
		{ COLUMN_FINDING, "c b a" }, { COLUMN_SIGNAL, "b a c" },
		{ COLUMN_BATTERY, "c a b" }, { COLUMN_HEAP, "b c a" },
		{ COLUMN_CALLS, "a c b" },   { COLUMN_P50, "b a c" },
		{ COLUMN_AUDIO, "c b a" },   { COLUMN_JITTER, "b c a" },
		{ COLUMN_LOST, "c a b" },    { COLUMN_TOOLS, "a c b" },
	};

	(void)state;
	told("{\"id\":\"a\",\"state\":\"ready\",\"board\":\"m\",\"version\":\"2\",\"address\":\"z\",\"transport\":\"mqtt\",\"last_finding\":\"S1\",\"calls\":9,\"p50_us\":80,\"tools\":2,\"audio\":{\"frames\":30,\"lost\":4,\"jitter_ms\":100.5}}",
	     false);
	told("{\"id\":\"b\",\"state\":\"opening\",\"board\":\"k\",\"version\":\"3\",\"address\":\"x\",\"transport\":\"ws\",\"last_finding\":\"D2\",\"calls\":100,\"p50_us\":9,\"tools\":11,\"audio\":{\"frames\":4,\"lost\":10,\"jitter_ms\":2}}",
	     false);
	told("{\"id\":\"c\",\"state\":\"failed\",\"board\":\"n\",\"version\":\"1\",\"address\":\"y\",\"transport\":\"tcp\",\"last_finding\":\"B3\",\"calls\":10,\"p50_us\":1000,\"tools\":10,\"audio\":{\"frames\":3,\"lost\":0,\"jitter_ms\":9}}",
	     false);
	status("a",
	       "{\"battery\":{\"level\":50},\"network\":{\"signal\":\"medium\"},\"minimum_free_heap_size\":\"9000000\"}",
	       true);
	status("b",
	       "{\"battery\":{\"level\":100},\"network\":{\"signal\":\"very weak\"},\"minimum_free_heap_size\":\"10000\"}",
	       true);
	status("c",
	       "{\"battery\":{\"level\":9},\"network\":{\"signal\":\"strong\"},\"minimum_free_heap_size\":\"200000\"}",
	       true);
	for (size_t i = 0; i < COUNT(orders); i++) {
		rows_sort(&rows, orders[i].by, false);
		assert_shown(orders[i].shown);
	}
	/* What is alike is by name, whichever way. */
	told("{\"id\":\"d\",\"state\":\"failed\"}", false);
	rows_sort(&rows, COLUMN_STATE, true);
	assert_shown("a b c d");
	/* What is not known is less than all that is. */
	rows_sort(&rows, COLUMN_SIGNAL, false);
	assert_shown("d b a c");
	rows_sort(&rows, COLUMN_HEAP, false);
	assert_shown("d b c a");
	/* By the name that is seen, not by the id. */
	told("{\"id\":\"e\",\"alias\":\"aa\"}", false);
	assert_shown("aa d b c a");
}

/* In what one sees of it, and in its id; of any word the whole row. */
static void each_filter(void **state)
{
	static const char *const found[] = { "kitchen", "AA:01", "bread", "2.4",
					     "10.0.",	"d106",	 "read" };
	static const char *const not_found[] = { "websocket", "l1", "12" };

	(void)state;
	told("{\"id\":\"aa:01\",\"alias\":\"Kitchen\",\"board\":\"bread\",\"version\":\"2.4.2\",\"address\":\"10.0.0.7\",\"transport\":\"websocket\",\"list\":\"l1\",\"state\":\"ready\",\"last_finding\":\"D106\",\"calls\":12}",
	     false);
	for (size_t i = 0; i < COUNT(found); i++) {
		rows_filter(&rows, found[i]);
		assert_shown("Kitchen");
	}
	for (size_t i = 0; i < COUNT(not_found); i++) {
		rows_filter(&rows, not_found[i]);
		assert_shown("");
	}
}

static void not_stale_yet(void **state)
{
	(void)state;
	told("{\"id\":\"a\",\"state\":\"ready\",\"asked\":\"2026-08-08T11:59:51Z\"}",
	     false);
	assert_cell("a", COLUMN_STATE, "ready");
	told("{\"id\":\"a\",\"state\":\"ready\",\"asked\":\"long ago\"}",
	     false);
	assert_cell("a", COLUMN_STATE, "ready");
	told("{\"id\":\"a\",\"state\":\"ready\",\"alias\":\"\",\"pick\":\"p\",\"tools\":-3,\"breaker\":\"closed\"}",
	     false);
	assert_cell("a", COLUMN_NAME, "p");
	assert_cell("a", COLUMN_STATE, "ready");
	assert_cell("a", COLUMN_TOOLS, "-");
	told("{\"id\":\"a\",\"pick\":\"\"}", false);
	assert_cell("a", COLUMN_NAME, "a");
	/* A name that ends with a slash has no last part. */
	told("{\"id\":\"x\",\"server_id\":\"h\",\"server_name\":\"lab/\",\"board\":\"own\",\"description\":\"no\"}",
	     false);
	assert_cell("x", COLUMN_NAME, "lab/");
	assert_cell("x", COLUMN_BOARD, "own");
	told("{\"id\":\"x\",\"server_id\":\"h\",\"server_name\":\"lamp\"}",
	     false);
	assert_cell("x", COLUMN_NAME, "lamp");
}

static void assert_paint(const char *json, enum row_column c, enum paint paint)
{
	struct top_view v;
	size_t i;

	told(json, false);
	v = view_of(200, 24);
	view_line(&v, 2, &line);
	/* All columns have room: they are the cells. */
	i = (size_t)c;
	assert_int_equal(line.count, ROW_COLUMNS);
	assert_int_equal(line.cell[i].paint, paint);
}

static void colors(void **state)
{
	struct top_view v;

	(void)state;
	assert_paint("{\"id\":\"a\",\"state\":\"ready\"}", COLUMN_NAME,
		     PAINT_STRONG);
	assert_paint("{\"id\":\"a\",\"state\":\"ready\"}", COLUMN_STATE,
		     PAINT_GOOD);
	assert_paint("{\"id\":\"a\",\"state\":\"opening\"}", COLUMN_STATE,
		     PAINT_DIM);
	assert_paint("{\"id\":\"a\",\"state\":\"failed\"}", COLUMN_STATE,
		     PAINT_BAD);
	assert_paint("{\"id\":\"a\",\"state\":\"ready\",\"breaker\":\"open\"}",
		     COLUMN_STATE, PAINT_BAD);
	assert_paint(
		"{\"id\":\"a\",\"state\":\"ready\",\"asked\":\"2026-08-08T11:00:00Z\"}",
		COLUMN_STATE, PAINT_WARN);
	assert_paint("{\"id\":\"a\",\"last_finding\":\"D1\"}", COLUMN_FINDING,
		     PAINT_WARN);
	assert_paint("{\"id\":\"a\",\"last_finding\":\"D1\"}", COLUMN_BOARD,
		     PAINT_NONE);
	assert_paint("{\"id\":\"a\"}", COLUMN_FINDING, PAINT_NONE);
	assert_paint("{\"id\":\"a\",\"state\":\"failed\"}", COLUMN_BOARD,
		     PAINT_NONE);
	rows_sort(&rows, COLUMN_HEAP, false);
	v = view_of(200, 24);
	view_line(&v, 0, &line);
	assert_int_equal(line.cell[0].paint, PAINT_STRONG);
	view_line(&v, 1, &line);
	for (size_t i = 0; i < ROW_COLUMNS; i++)
		assert_int_equal(line.cell[i].paint,
				 i == COLUMN_HEAP ? PAINT_STRONG : PAINT_DIM);
	view_line(&v, 23, &line);
	assert_int_equal(line.cell[0].paint, PAINT_DIM);
	v.note = "gone";
	view_line(&v, 23, &line);
	assert_int_equal(line.cell[0].paint, PAINT_WARN);
	v.prompt = "call: ";
	v.typed = "x";
	view_line(&v, 23, &line);
	assert_int_equal(line.cell[0].paint, PAINT_NONE);
}

static void heading(size_t columns, bool brokered, const char *expected)
{
	struct top_view v = view_of(columns, 10);

	v.brokered = brokered;
	assert_string_equal(shown(&v, 1), expected);
}

/* What counts most has room first; the name takes what is left. */
static void columns_of_widths(void **state)
{
	(void)state;
	heading(10, false, "name");
	heading(29, false, "name                  finding");
	heading(30, false, "name              state");
	heading(37, false, "name              state         calls");
	heading(38, false, "name              state        finding");
	heading(60, false,
		"name                 state        firmware       p50 finding");
	heading(80, true,
		"name               state        board                address               tools");
	heading(100, false,
		"name                state        firmware  signal    battery    heap  calls      p50 finding   audio");
	heading(120, true,
		"name              state        board                firmware  address               signal    battery  calls  lost tools");
	heading(182, false,
		"name                             state        board                firmware  via  address               signal    battery    heap  calls      p50 finding   audio   jitter  lost tools");
	heading(250, false,
		"name                             state        board                firmware  via  address               signal    battery    heap  calls      p50 finding   audio   jitter  lost tools");
}

static void brokered(void **state)
{
	struct top_view v = view_of(80, 24);

	(void)state;
	v.brokered = true;
	assert_string_equal(
		shown(&v, 0),
		"0 servers, 0 present; by name; as they announce themselves");
	v.silent = 7300;
	v.listed = false;
	assert_string_equal(
		shown(&v, 0),
		"no list of servers yet; by name; the broker has not answered for 7 s");
	told(SERVER, false);
	told(DEVICE("b", ""), false);
	v = view_of(80, 24);
	v.brokered = true;
	assert_string_equal(
		shown(&v, 0),
		"1 board, 1 server, 2 present; by name; as they announce themselves");
}

/* A third of the lines, where there are nine, and at most fifteen. */
static void room_for_frames(void **state)
{
	static const size_t pages[][2] = { { 2, 0 },  { 3, 0 },	  { 4, 1 },
					   { 8, 5 },  { 9, 3 },	  { 11, 5 },
					   { 12, 5 }, { 45, 27 }, { 48, 30 },
					   { 60, 42 } };
	struct top_view v;

	(void)state;
	for (size_t i = 0; i < COUNT(pages); i++) {
		v = view_of(80, pages[i][0]);
		assert_int_equal(view_page(&v),
				 pages[i][0] > 3 ? pages[i][0] - 3 : 0);
	}
	last_frames_begin(&frames, "kitchen");
	for (size_t i = 0; i < COUNT(pages); i++) {
		v = view_of(80, pages[i][0]);
		assert_int_equal(view_page(&v), pages[i][1]);
	}
	/* The heading stands out; with the sound, if it is that board's. */
	told("{\"id\":\"a\",\"alias\":\"kitchen\",\"audio\":{\"frames\":12}}",
	     false);
	told("{\"id\":\"b\",\"alias\":\"other\",\"audio\":{\"frames\":7}}",
	     false);
	last_frames_add(&frames, "12:00:00", "one", 3);
	v = view_of(80, 9);
	assert_string_equal(shown(&v, 5),
			    "what kitchen says by itself; sound: 12 packets");
	assert_true(line.marked);
	assert_int_equal(line.cell[0].paint, PAINT_STRONG);
	assert_string_equal(shown(&v, 6), "");
	assert_false(line.marked);
	assert_string_equal(shown(&v, 7), "12:00:00 one");
	assert_false(line.marked);
	assert_int_equal(line.cell[0].paint, PAINT_NONE);
	rows_move(&rows, 1);
	assert_string_equal(shown(&v, 5), "what kitchen says by itself");
}

/* ---- what serve counts ---- */

static void medians(void **state)
{
	struct board_calls *calls = NULL;

	(void)state;
	assert_int_equal(board_calls_count(NULL), 0);
	assert_int_equal(board_calls_median(NULL), -1);
	board_calls_add(&calls, 30);
	assert_int_equal(board_calls_median(calls), 30);
	board_calls_add(&calls, 10);
	assert_int_equal(board_calls_median(calls), 10);
	board_calls_add(&calls, 20);
	assert_int_equal(board_calls_median(calls), 20);
	/* Only the last ones are kept. */
	for (int i = 0; i < BOARD_CALLS_KEPT; i++)
		board_calls_add(&calls, INT64_MAX);
	assert_int_equal(board_calls_median(calls), UINT32_MAX);
	board_calls_add(&calls, -5);
	assert_int_equal(board_calls_count(calls), 4 + BOARD_CALLS_KEPT);
	mem_free(calls);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(cells, begin, end),
		cmocka_unit_test_setup_teardown(of_an_older_serve, begin, end),
		cmocka_unit_test_setup_teardown(statuses, begin, end),
		cmocka_unit_test_setup_teardown(announced, begin, end),
		cmocka_unit_test_setup_teardown(errors_are_no_status, begin,
						end),
		cmocka_unit_test_setup_teardown(come_and_go, begin, end),
		cmocka_unit_test_setup_teardown(order, begin, end),
		cmocka_unit_test_setup_teardown(filter, begin, end),
		cmocka_unit_test_setup_teardown(selected, begin, end),
		cmocka_unit_test_setup_teardown(scrolled, begin, end),
		cmocka_unit_test_setup_teardown(servers_are_no_boards, begin,
						end),
		cmocka_unit_test_setup_teardown(lines_of_80, begin, end),
		cmocka_unit_test_setup_teardown(fits_every_size, begin, end),
		cmocka_unit_test_setup_teardown(typed_and_notes, begin, end),
		cmocka_unit_test_setup_teardown(frames_below, begin, end),
		cmocka_unit_test_setup_teardown(silent_serve, begin, end),
		cmocka_unit_test_setup_teardown(each_order, begin, end),
		cmocka_unit_test_setup_teardown(each_filter, begin, end),
		cmocka_unit_test_setup_teardown(not_stale_yet, begin, end),
		cmocka_unit_test_setup_teardown(colors, begin, end),
		cmocka_unit_test_setup_teardown(columns_of_widths, begin, end),
		cmocka_unit_test_setup_teardown(brokered, begin, end),
		cmocka_unit_test_setup_teardown(room_for_frames, begin, end),
		cmocka_unit_test(medians),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
