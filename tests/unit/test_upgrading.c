/* SPDX-License-Identifier: MIT */
/*
 * upgrade and assets against a fake serve that says what stands here: what they
 * ask it, what they show, and how they end. (One board's way: test_upgrade_board.c.)
 */
#include "fake_serve.h"

#include "cli/commands.h"
#include "cli/connection.h"
#include "cli/parse.h"
#include "folder.h"
#include "rendered.h"

enum { IMAGE_SIZE = 304 };

struct step {
	const char *key; /* a part of the question, each step once */
	const char *lines; /* the answer: a newline between */
	const char
		*events; /* … then where the file was hosted; "." closes it */
};

struct upgrade_line {
	const char *line; /* behind the file's name */
	struct step steps[8];
	const char *out, *notes; /* parts, as all below; NULL */
	int status;
	const char *text, *hint; /* of the error; NULL: there is none */
	const char *asks; /* what is asked */
};

static struct app app;
static struct connection connection;
static struct fake_serve serve;
static struct rendered shown;
static struct buf asked; /* all questions but the first, a line each */
static const struct upgrade_line *now;
static bool used[8];
static struct fake_peer *host;
static char *image, *assets;

/* ---- serve ---- */

static void say(struct fake_peer *p, const char *text)
{
	CLEANUP(mem_free_ptr) char *lines = mem_strdup(text);
	char *rest = lines, *one;

	while ((one = strsep(&rest, "\n"))) {
		if (strcmp(one, ".") == 0)
			fake_serve_drop(p);
		else if (*one)
			fake_serve_json(p, one);
	}
}

static void on_frame(struct fake_peer *p, const struct control_frame *f)
{
	CLEANUP(mem_free_ptr) char *question = mem_strndup(f->data, f->len);

	buf_printf(&asked, "%s\n", question);
	if (strstr(question, "\"op\":\"host\""))
		host = p;
	for (size_t i = 0; i < COUNT(now->steps) && now->steps[i].key; i++) {
		if (used[i] || !strstr(question, now->steps[i].key))
			continue;
		used[i] = true;
		say(p, now->steps[i].lines);
		if (now->steps[i].events)
			say(host, now->steps[i].events);
		break;
	}
}

/* ---- files ---- */

/* As ESP-IDF builds it: one segment, which describes it; no SHA-256 behind. */
static void write_image(void)
{
	unsigned char data[IMAGE_SIZE] = { 0xe9, 1, 2, 0x4f };
	unsigned char sum = 0xef;

	data[12] = 9; /* ESP32-S3 */
	data[28] = 0;
	data[29] = 1; /* 256 bytes */
	memcpy(data + 32, "\x32\x54\xcd\xab", 4);
	memcpy(data + 48, "2.5.0", 5);
	memcpy(data + 80, "xiaozhi", 7);
	memcpy(data + 112, "10:11:12", 8);
	memcpy(data + 128, "Nov 23 2026", 11);
	memcpy(data + 144, "v5.5.1", 6);
	for (size_t i = 32; i < 288; i++)
		sum ^= data[i];
	data[IMAGE_SIZE - 1] = sum;
	image = folder_write("new.bin", (const char *)data, sizeof(data));
	assets = folder_write("odd.assets", "of no form", 10);
}

/* ---- the program ---- */

static int run_words(const char *command, struct error *err)
{
	CLEANUP(words_done) struct words words = { 0 };
	CLEANUP(parsed_done) struct parsed p = { 0 };
	CLEANUP(mem_free_ptr)
	char *line = mem_printf("%s %s %s", command,
				strcmp(command, "assets") == 0 ? assets : image,
				now->line);

	assert_int_equal(words_split(&words, line, NULL), 0);
	if (parse_words(&p, words.word, words.count, &app.config, err))
		return -1;
	app.out.form = (enum output_form)app.config.output;
	app.out.ops = app.out.form == OUTPUT_JSON ? &render_json : &render_text;
	app.config.socket = serve.path;
	return command_execute(&connection, &p, err);
}

static void part(const char *what, const char *text, const char *of)
{
	if (of && !strstr(text, of))
		fail_msg("'%s', %s: '%s' has no '%s'", now->line, what, text,
			 of);
}

static void run(const char *command, const struct upgrade_line *row)
{
	CLEANUP(error_reset) struct error err = { 0 };
	int status;

	now = row;
	memset(used, 0, sizeof(used));
	buf_reset(&asked);
	app_init(&app);
	connection = (struct connection){ .app = &app };
	rendered_start(&shown, OUTPUT_TEXT, false);
	app.out = shown.r;
	assert_int_equal(app_open_loop(&app, &err), 0);
	fake_serve_open(&serve, app.loop, on_frame);
	status = run_words(command, &err);
	part("stdout", rendered_out(&shown), row->out);
	part("stderr", rendered_err(&shown), row->notes);
	assert_int_equal(err.kind != ERR_NONE, row->text != NULL);
	part("error", err.text, row->text);
	part("hint", err.hint, row->hint);
	part("questions", buf_string(&asked), row->asks);
	status = status ? error_status(&err) : app.status;
	if (status != row->status)
		fail_msg("'%s' ends with %d", row->line, status);
	for (size_t i = 0; i < COUNT(row->steps) && row->steps[i].key; i++) {
		if (!used[i])
			fail_msg("'%s' never asked %s", row->line,
				 row->steps[i].key);
	}
	fake_serve_close(&serve);
	connection_done(&connection);
	app_done(&app);
	rendered_end(&shown);
}

#define STATUS                                            \
	{                                                 \
		"\"status\"", "{\"op\":\"status\"}", NULL \
	}
#define END "{\"op\":\"end\"}\n"
#define WHO "\"device\":{\"id\":\"aa\",\"address\":\"10.0.0.7:5\"}"
#define HOSTED "{\"op\":\"hosted\"," WHO ",\"url\":\"http://h/\\\"1\"}\n"
#define ROW(text)                                         \
	"{\"op\":\"row\"," WHO                            \
	",\"reply\":{\"result\":{\"content\":[{\"type\":" \
	"\"text\",\"text\":\"" text "\"}]}}}\n"
#define FACTS(version)                                                       \
	ROW("{\\\"chip_model_name\\\":\\\"esp32s3\\\",\\\"application\\\":{" \
	    "\\\"version\\\":\\\"" version "\\\"}}")
#define FETCH(taken, running)                              \
	"{\"op\":\"fetch\",\"id\":\"aa\",\"taken\":" taken \
	",\"asked\":1,\"running\":" running ",\"from\":\"10.0.0.8:6\"}\n"
#define ASKED(address, version, rest)                            \
	"{\"op\":\"asked\",\"id\":\"aa\",\"address\":\"" address \
	"\",\"ota\":{\"version\":\"" version "\"}" rest "}\n"
#define READY "{\"op\":\"device\"," WHO ",\"change\":\"ready\"}\n"
#define TOLD                                                \
	{                                                   \
		"get_system_info", FACTS("2.4.2") END, NULL \
	}
#define HOST                                        \
	{                                           \
		"\"op\":\"host\"", HOSTED END, NULL \
	}

static void test_by_tool(void **state)
{
	static const struct upgrade_line rows[] = {
		{ .line = "--settle 1ms",
		  .steps = { STATUS,
			     HOST,
			     TOLD,
			     { "self.upgrade_firmware", "",
			       "{\"op\":\"fetch\",\"id\":\"other\","
			       "\"taken\":9}\n" FETCH("304", "0")
				       ASKED("10.0.0.8:9", "2.5.0", "") } },
		  .out = "aa  done  2.4.2 -> 2.5.0, 304 of 304 bytes, ",
		  .notes =
			  "xiaozhi 2.5.0 for esp32s3, 304 bytes, built Nov 23 2026 10:11:12 with ESP-IDF v5.5.1; it has no SHA-256\n",
		  .asks = "\"device\":\"id:aa\",\"method\":\"tools/call\",\"params\":{\"name\":"
			  "\"self.upgrade_firmware\",\"arguments\":{\"url\":"
			  "\"http://h/\\\"1\"}}" },
		/* Not from where it is: anybody may say its name. */
		{ .line = "--settle 1ms --restart 1ms",
		  .steps = { STATUS,
			     HOST,
			     TOLD,
			     { "self.upgrade_firmware", "",
			       FETCH("304", "0")
				       ASKED("10.9.9.9:9", "2.5.0", "") } },
		  .out = "aa  not seen  304 of 304 bytes, ",
		  .status = 4,
		  .text = "aa: it fetched all, and was not seen again" },
		/* Over MQTT or a socket: it is asked. */
		{ .line = "--settle 1ms",
		  .steps = { STATUS,
			     HOST,
			     TOLD,
			     { "self.upgrade_firmware", "",
			       FETCH("304", "0") READY },
			     { "get_system_info", FACTS("2.4.2"), NULL } },
		  .out = "aa  old version  2.4.2 -> 2.4.2, 304 of 304 bytes, ",
		  .status = 7,
		  .text = "aa: it fetched all, and is back with version 2.4.2 instead of 2.5.0",
		  .asks = "\"device\":\"id:aa\",\"method\":\"tools/call\",\"params\":{\"name\":"
			  "\"self.get_system_info\",\"arguments\":{}}" },
		/* A failure of the tool's own ends it. */
		{ .line = "",
		  .steps = { STATUS,
			     HOST,
			     { "get_system_info", END, NULL },
			     { "self.upgrade_firmware",
			       "{\"op\":\"row\"," WHO
			       ",\"reply\":{\"error\":{\"code\":1,\"message\":\"no room\"}}}",
			       NULL } },
		  .out = "aa  failed  0 of 304 bytes, ",
		  .notes =
			  "aa: chip, partition and version are not told by it: nothing was compared\n",
		  .status = 1,
		  .text = "no room" },
		/* serve ends: no address is good any more. */
		{ .line = "",
		  .steps = { STATUS,
			     HOST,
			     TOLD,
			     { "self.upgrade_firmware", "", "." } },
		  .status = 3,
		  .text = "the running serve ended the connection" },
		{ .line = "",
		  .steps = { STATUS,
			     { "\"op\":\"host\"", END, NULL },
			     { "get_system_info", END, NULL } },
		  .status = 7,
		  .text = "serve hosted it for no board: nothing was sent" },
		{ .line = "",
		  .steps = { STATUS,
			     { "\"op\":\"host\"",
			       "{\"op\":\"hosted\"," WHO
			       ",\"why\":\"it is busy\"}\n" END,
			       NULL },
			     { "get_system_info", END, NULL } },
		  .out = "aa  busy  0 of 304 bytes, 0 ms\n    it is busy: nothing was sent\n",
		  .status = 3,
		  .text = "aa: it is busy: nothing was sent" },
		{ .line = "",
		  .steps = { STATUS,
			     { "\"op\":\"host\"",
			       "{\"op\":\"hosted\"," WHO "}\n" END, NULL },
			     { "get_system_info", END, NULL } },
		  .status = 3,
		  .text = "aa: serve hosts nothing for it: nothing was sent" },
		/* It runs that build; what it told OTA is as good. */
		{ .line = "",
		  .steps = { STATUS,
			     { "\"op\":\"host\"",
			       "{\"op\":\"hosted\"," WHO
			       ",\"url\":\"http://h/\",\"ota\":{\"app_room\":9}}\n" END,
			       NULL },
			     TOLD },
		  .out = "aa  unfit  0 of 304 bytes, 0 ms\n",
		  .status = 2,
		  .text = "the partition for it 9" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		run("upgrade", &rows[i]);
}

static void test_by_ota(void **state)
{
	static const struct upgrade_line rows[] = {
		{ .line = "--by ota --settle 1ms --force",
		  .steps = { STATUS,
			     { "\"op\":\"host\"", HOSTED END,
			       ASKED("10.0.0.7:8", "2.4.2", ",\"offered\":true")
				       FETCH("304", "0") ASKED("10.0.0.7:9",
							       "2.5.0", "") } },
		  .out = "aa  done  2.4.2 -> 2.5.0, 304 of 304 bytes, ",
		  .notes = "offered to each that asks OTA here: restart them",
		  .asks = "\"by\":\"ota\",\"force\":true" },
		/* For a program, each stage; one that is offered may be anywhere. */
		{ .line = "-o json -d aa --by ota --settle 1ms",
		  .steps = { STATUS,
			     { "\"device\":\"aa\",\"by\":\"ota\"}", HOSTED END,
			       ASKED("10.1.1.1:8", "2.4.2", ",\"offered\":true")
				       FETCH("304", "0") ASKED("10.1.1.1:9",
							       "2.5.0", "") } },
		  .out = "\"now\":\"2.5.0\"" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		run("upgrade", &rows[i]);
}

static void test_assets(void **state)
{
	static const struct upgrade_line rows[] = {
		{ .line = "--force",
		  .steps = { STATUS,
			     HOST,
			     { "get_system_info", END, NULL },
			     { "self.assets.set_download_url", ROW("true"),
			       NULL },
			     { "self.reboot", "",
			       FETCH("10", "0")
				       ASKED("10.0.0.7:9", "2.4.2", "") } },
		  .out = "aa  done  10 of 10 bytes, ",
		  .notes =
			  "it is no file of assets as firmware reads them: sent all the same (--force)\n"
			  "aa: how large its partition for assets is is not told by it: nothing was compared\n",
		  .asks = "\"params\":{\"name\":\"self.assets.set_download_url\",\"arguments\":{"
			  "\"url\":\"http://h/\\\"1\"}}" },
		{ .line = "",
		  .status = 2,
		  .text = "cannot be sent over the air: it is no file of assets" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		run("assets", &rows[i]);
}

#define DONE(id)                                                                 \
	"{\"op\":\"fetch\",\"id\":\"" id "\",\"taken\":304,\"asked\":1,"         \
	"\"running\":0,\"from\":\"10.0.0.8:6\"}\n{\"op\":\"asked\",\"id\":\"" id \
	"\",\"address\":\"10.0.0.8:9\",\"ota\":{\"version\":\"2.5.0\"}}\n"

/*
 * There are lines for 64 of them. The last one is called though the others are
 * silent, and what these do is seen all the same.
 */
static void test_silent_ones(void **state)
{
	CLEANUP(buf_done) struct buf hosted = { 0 };
	struct upgrade_line row = { .line = "--all --settle 1ms --timeout 3s",
				    .steps = { STATUS,
					       { .key = "\"op\":\"host\"" },
					       { "get_system_info", END, NULL },
					       { "\"id:b64\"", "",
						 DONE("b64") DONE("b0") } },
				    .out = "b64  done  ",
				    .status = 3,
				    .text = "63 of 65 boards failed" };

	(void)state;
	for (int i = 0; i <= 64; i++)
		buf_printf(&hosted,
			   "{\"op\":\"hosted\",\"device\":{\"id\":\"b%d\"},"
			   "\"url\":\"http://h/\"}\n",
			   i);
	buf_text(&hosted, END);
	row.steps[1].lines = buf_string(&hosted);
	run("upgrade", &row);
}

static int prepare(void **state)
{
	unsetenv("MCPCTL_TARGET");
	unsetenv("MCPCTL_DEVICE");
	if (folder_make(state))
		return -1;
	write_image();
	return 0;
}

static int clean(void **state)
{
	mem_free(image);
	mem_free(assets);
	buf_done(&asked);
	return folder_remove(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_tool),
		cmocka_unit_test(test_by_ota),
		cmocka_unit_test(test_assets),
		cmocka_unit_test(test_silent_ones),
	};

	mem_init();
	return cmocka_run_group_tests_name("upgrading", tests, prepare, clean);
}
