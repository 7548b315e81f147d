/* SPDX-License-Identifier: MIT */
/*
 * serve/control: who may come, what commands ask, rubbish, the end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "control_harness.h"
#include "skip_for.h"

#include "mcp/tools.h"

/* ---- the socket ---- */

static void private_socket(void **state)
{
	struct stat st;

	(void)state;
	assert_string_equal(control_socket(server.control), socket_path);
	assert_int_equal(lstat(socket_path, &st), 0);
	assert_true(S_ISSOCK(st.st_mode));
	assert_int_equal(st.st_mode & 07777, 0600);
	close_control();
	assert_int_equal(lstat(socket_path, &st), -1);
}

static void only_one(void **state)
{
	CLEANUP(mem_free_ptr) char *pid = mem_printf("pid %d", (int)getpid());
	struct error err = { 0 };
	struct control *second;

	(void)state;
	assert_int_equal(control_open(&second, &server, &err), -1);
	assert_null(second);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_non_null(strstr(err.text, "another serve is running there"));
	assert_non_null(strstr(err.text, pid));
	assert_non_null(strstr(err.text, socket_path));
	assert_string_equal(
		err.hint,
		"'serve' and 'open' keep one: end it with 'mcpctl stop', or give this one a socket of its own with --socket FILE");
	error_reset(&err);
	assert_int_equal(control_check(&server, &err), -1);
	assert_non_null(strstr(err.text, pid));
	error_reset(&err);
	assert_int_equal(access(socket_path, F_OK), 0);
}

/* Nobody can be asked whether the file is stale: it may be in use. */
static void second_without_descriptors(void **state)
{
	struct rlimit before, tight;
	struct error asked = { 0 }, opened = { 0 };
	struct control *second;
	struct command c;
	int fd = dup(0);

	(void)state;
	close(fd);
	getrlimit(RLIMIT_NOFILE, &before);
	tight = before;
	tight.rlim_cur = (rlim_t)fd;
	setrlimit(RLIMIT_NOFILE, &tight);
	control_check(&server, &asked);
	control_open(&second, &server, &opened);
	setrlimit(RLIMIT_NOFILE, &before);
	assert_null(second);
	assert_int_equal(asked.kind, ERR_CONNECT);
	assert_int_equal(opened.kind, ERR_CONNECT);
	assert_non_null(strstr(asked.text, socket_path));
	assert_non_null(strstr(asked.text, "Too many open files"));
	assert_string_equal(opened.text, asked.text);
	error_reset(&asked);
	error_reset(&opened);
	/* The running one can still be found. */
	command_open(&c);
	ask(&c, "{\"op\":\"status\"}");
	expect_json(&c, "\"op\":\"status\"", NULL);
	command_done(&c);
}

static void stale_socket(void **state)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	struct command c;

	(void)state;
	close_control();
	snprintf(to.sun_path, sizeof(to.sun_path), "%s", socket_path);
	assert_int_equal(bind(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	close(fd);
	assert_int_equal(control_open(&server.control, &server, NULL), 0);
	command_open(&c);
	ask(&c, "{\"op\":\"status\"}");
	expect_json(&c, "\"op\":\"status\"", NULL);
	command_done(&c);
}

static void file_in_the_way(void **state)
{
	struct error err = { 0 };
	struct control *c;

	(void)state;
	close_control();
	mem_free(folder_write("serve.sock", "precious", 8));
	assert_int_equal(control_open(&c, &server, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	error_reset(&err);
	assert_int_equal(access(socket_path, F_OK), 0);
	unlink(socket_path);
}

static void missing_folder(void **state)
{
	CLEANUP(mem_free_ptr) char *path = folder_path("none/serve.sock");
	struct error err = { 0 };
	struct control *c;

	(void)state;
	server.config.socket = path;
	assert_int_equal(control_open(&c, &server, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_non_null(strstr(err.text, "none"));
	assert_true(err.hint[0]);
	error_reset(&err);
}

/* Another serve's file is not removed at the end. */
static void replaced_socket(void **state)
{
	(void)state;
	unlink(socket_path);
	mem_free(folder_write("serve.sock", "", 0));
	close_control();
	assert_int_equal(access(socket_path, F_OK), 0);
	unlink(socket_path);
}

/* In a child: so many commands, until the other end of fd is closed. */
static int hold_commands(size_t count, int fd)
{
	char byte = 0;

	while (count--)
		dial();
	if (write(fd, &byte, 1) != 1)
		return 1;
	return read(fd, &byte, 1) == 0 ? 0 : 2;
}

/*
 * Commands that do nothing but be there. In another process: both ends of 512
 * in this one would be more files than most may open. Closing fd ends them.
 */
static pid_t crowd_open(size_t count, int *fd)
{
	int pair[2];
	char byte;
	ssize_t n;
	pid_t child;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		close(pair[0]);
		_exit(hold_commands(count, pair[1]));
	}
	close(pair[1]);
	*fd = pair[0];
	while ((n = recv(*fd, &byte, 1, MSG_DONTWAIT)) < 0)
		serve_runs();
	assert_int_equal(n, 1);
	return child;
}

static void too_many(void **state)
{
	struct command last, above;
	int crowd, status = -1;
	pid_t child = crowd_open(511, &crowd);

	(void)state;
	command_open(&last);
	command_open(&above);
	expect_json(&above, "\"op\":\"error\"", "512 commands");
	expect_end(&above);
	ask(&last, "{\"op\":\"status\"}");
	expect_json(&last, "\"op\":\"status\"", NULL);
	close(crowd);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	command_done(&above);
	command_done(&last);
}

#define OTHER_USER 65534

/* In a child: what serve does with it. */
static int knock_as_other(void)
{
	char byte;
	int fd;

	if (setgid(OTHER_USER) || setuid(OTHER_USER))
		return 1;
	fd = dial();
	fcntl(fd, F_SETFL, 0);
	return recv(fd, &byte, 1, 0) == 0 ? 0 : 2;
}

static void other_user(void **state)
{
	int status = -1;
	pid_t child;

	(void)state;
	needs_root();
	chmod(folder, 0711);
	chmod(socket_path, 0666);
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		_exit(knock_as_other());
	while (waitpid(child, &status, WNOHANG) == 0)
		serve_runs();
	chmod(folder, 0700);
	assert_int_equal(status, 0);
	assert_non_null(server.records.first);
	assert_int_equal(server.records.first->kind, RECORD_REFUSED);
	assert_non_null(strstr(server.records.first->text, "another user"));
	assert_null(server.control->first);
}

/* It does not spin, and lets them in when there is room again. */
static void no_descriptors(void **state)
{
	struct rlimit before, tight;
	struct command c;

	(void)state;
	getrlimit(RLIMIT_NOFILE, &before);
	command_open(&c);
	tight = before;
	tight.rlim_cur = (rlim_t)c.fd + 1;
	setrlimit(RLIMIT_NOFILE, &tight);
	loop_poll(loop);
	assert_null(server.control->first);
	assert_false(uv_is_active((uv_handle_t *)&server.control->poll));
	setrlimit(RLIMIT_NOFILE, &before);
	ask(&c, "{\"op\":\"status\"}");
	expect_json(&c, "\"op\":\"status\"", NULL);
	command_done(&c);
}

/* ---- questions ---- */

static void status(void **state)
{
	CLEANUP(mem_free_ptr)
	char *pid = mem_printf("\"pid\":%d", (int)getpid());
	struct fake_board *b = board_ready("aa");
	struct command c;

	(void)state;
	command_open(&c);
	ask(&c, "{\"op\":\"status\"}");
	expect_json(&c, pid,
		    ",\"version\":\"" MCPCTL_VERSION
		    "\",\"addresses\":[],\"devices\":1,\"came\":1,\"hint\":\"");
	server.config.power_cmd = "true";
	ask(&c, "{\"op\":\"status\"}");
	expect_json(&c, "\"came\":1,\"power\":true,\"hint\":", NULL);
	server.config.power_cmd = NULL;
	command_done(&c);
	fake_board_free(b);
}

static void devices(void **state)
{
	struct fake_board *a = board_ready("AA:01"),
			  *b = fake_board_new("bb:02");
	struct command c;

	(void)state;
	command_open(&c);
	ask(&c, "{\"op\":\"devices\"}");
	expect_json(&c, "\"op\":\"device\"", "\"id\":\"aa:01\"");
	expect_json(&c, "\"id\":\"bb:02\"", "\"state\":\"connected\"");
	expect_json(&c, "\"op\":\"end\"", "\"count\":2");
	ask(&c, "{\"op\":\"devices\",\"device\":\"b*\"}");
	expect_json(&c, "\"id\":\"bb:02\"", NULL);
	expect_json(&c, "\"op\":\"end\"", "\"count\":1");
	ask(&c, "{\"op\":\"devices\",\"device\":\"none\"}");
	expect_json(&c, "\"op\":\"end\"", "\"count\":0");
	expect_quiet(&c);
	command_done(&c);
	fake_board_free(a);
	fake_board_free(b);
}

static void watch(void **state)
{
	struct fake_board *a, *b;
	struct command c;

	(void)state;
	command_open(&c);
	ask(&c, "{\"op\":\"devices\",\"device\":\"a*\",\"watch\":true}");
	expect_json(&c, "\"op\":\"end\"", "\"count\":0");
	b = board_ready("bb");
	a = fake_board_new("aa");
	expect_json(&c, "\"id\":\"aa\"", "\"change\":\"connected\"");
	board_says(a, HELLO);
	expect_json(&c, "\"state\":\"ready\"", "\"change\":\"ready\"");
	fake_board_free(b);
	fake_board_free(a);
	expect_json(&c, "\"id\":\"aa\"", "\"change\":\"gone\"");
	expect_quiet(&c);
	close_control();
	expect_json(&c, "\"op\":\"error\"", "serve was stopped");
	expect_end(&c);
	command_done(&c);
}

/* Enrolled boards that are not here are away; those that are, are here. */
static void enrolled_boards(void **state)
{
	char id[] = "aa:01", away[] = "aa:02", client[] = "c-2", none[] = "";
	struct enrolled_board item[] = { { id, none, 0, false },
					 { away, client, 86400000, false } };
	struct fake_board *a = board_ready("AA:01"), *b = board_ready("bb");
	struct command c;

	(void)state;
	server.enrolled = (struct enrolled){ .item = item, .count = 2 };
	command_open(&c);
	ask(&c, "{\"op\":\"devices\",\"enrolled\":true}");
	expect_json(&c, "\"id\":\"aa:01\"",
		    ",\"enrolled\":\"1970-01-01T00:00:00.000Z\"");
	assert_string_equal(
		hear(&c, CONTROL_JSON),
		"{\"op\":\"device\",\"device\":{\"id\":\"aa:02\",\"client_id\":\"c-2\",\"alias\":null,\"state\":\"away\",\"enrolled\":\"1970-01-02T00:00:00.000Z\"}}");
	expect_json(&c, "{\"op\":\"end\",\"count\":2}", NULL);
	ask(&c, "{\"op\":\"devices\",\"enrolled\":true,\"device\":\"*\"}");
	expect_json(&c, "\"id\":\"aa:01\"", NULL);
	expect_json(&c, "{\"op\":\"end\",\"count\":1}", NULL);
	server.enrolled = (struct enrolled){ 0 };
	command_done(&c);
	fake_board_free(a);
	fake_board_free(b);
}

/* All of a board's object, but for what moves. */
static void whole_object(void **state)
{
	static const char wanted[] =
		"{\"op\":\"device\",\"device\":{\"id\":\"aa\",\"client_id\":\"c-1\",\"alias\":\"kitchen\",\"board\":\"kevin\",\"version\":\"2.4.2\",\"transport\":\"websocket\",\"address\":\"192.168.1.7:5000\",\"since\":\"1970-01-01T00:00:01.000Z\",\"seen\":\"1970-01-01T00:00:02.000Z\",\"asked\":\"1970-01-01T00:00:03.000Z\",\"state\":\"failed\",\"reason\":\"why\",\"tools\":null,\"user_tools\":null,\"list\":null,\"audio\":null,\"findings\":{\"error\":0,\"warning\":0,\"note\":0},\"last_finding\":null,\"calls\":2,\"p50_us\":5}}";
	struct fake_board *a = board_ready("aa");
	struct board *d = a->device;
	struct command c;

	(void)state;
	d->client_id = mem_strdup("c-1");
	d->alias = "kitchen";
	d->board = mem_strdup("kevin");
	d->version = mem_strdup("2.4.2");
	d->reason = mem_strdup("why");
	d->state = DEVICE_FAILED;
	d->since_ms = 1000;
	d->seen_ms = 2000;
	d->asked_ms = 3000;
	board_calls_add(&d->calls, 5);
	board_calls_add(&d->calls, 9);
	command_open(&c);
	ask(&c, "{\"op\":\"devices\"}");
	assert_string_equal(hear(&c, CONTROL_JSON), wanted);
	expect_json(&c, "{\"op\":\"end\",\"count\":1}", NULL);
	d->asked_ms = 0;
	d->mqtt = true;
	ask(&c, "{\"op\":\"devices\"}");
	expect_json(&c, "\"transport\":\"mqtt\"", "\"asked\":null");
	d->mqtt = false;
	d->alias = NULL;
	expect_json(&c, "\"op\":\"end\"", NULL);
	command_done(&c);
	fake_board_free(a);
}

/* Without a port there is no address, and without boards no board. */
static void uploads(void **state)
{
	struct fake_board *a;
	struct command c;

	(void)state;
	command_open(&c);
	ask(&c, "{\"op\":\"upload\"}");
	expect_json(&c, "no device is there", "wake the board");
	ask(&c, "{\"op\":\"upload\",\"device\":\"aa:*\"}");
	expect_json(&c, "no device fits 'aa:*'", "wake the board");
	a = board_ready("aa");
	ask(&c, "{\"op\":\"upload\",\"device\":\"aa\"}");
	expect_json(&c, "\"op\":\"error\"",
		    "no address is known by which 'aa' reaches serve");
	command_done(&c);
	fake_board_free(a);
}

static void kick(void **state)
{
	struct fake_board *a = board_ready("aa"), *b = board_ready("ab");
	struct command c, attached;

	(void)state;
	command_attach(&attached, "{\"op\":\"attach\",\"device\":\"aa\"}");
	command_open(&c);
	ask(&c, "{\"op\":\"kick\"}");
	expect_json(&c, "\"op\":\"error\"", "\"usage\"");
	ask(&c, "{\"op\":\"kick\",\"device\":\"none*\"}");
	expect_json(&c, "\"op\":\"kicked\"", "\"count\":0");
	ask(&c, "{\"op\":\"kick\",\"device\":\"a?\"}");
	expect_json(&c, "\"op\":\"kicked\"", "\"count\":2");
	expect_json(&attached, "\"op\":\"gone\"", "kick");
	expect_end(&attached);
	assert_null(a->device);
	assert_null(b->device);
	assert_int_equal(server.registry.count, 0);
	command_done(&c);
	command_done(&attached);
	fake_board_free(a);
	fake_board_free(b);
}

static void stop(void **state)
{
	struct command c;
	char byte;

	(void)state;
	command_open(&c);
	server.wake = false;
	ask(&c, "{\"op\":\"stop\"}");
	expect_json(&c, "\"op\":\"stopping\"", NULL);
	assert_true(server.stopping && server.wake);
	close_control();
	/* It waits for the end of the process: a broker may still be ending. */
	serve_runs();
	assert_int_equal(recv(c.fd, &byte, 1, MSG_DONTWAIT), -1);
	command_done(&c);
}

static struct shared_list *list_tools(const char *tools)
{
	CLEANUP(tool_list_done) struct tool_list list = { 0 };
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":"
				"{\"tools\":%s}}",
				tools);
	struct message page;

	if (message_decode(&page, text, strlen(text), NULL) ||
	    tool_list_add_take(&list, &page, NULL, NULL))
		abort();
	return tool_lists_hold(&server.tool_lists, &list);
}

static void tool(void **state)
{
	struct fake_board *a = board_ready("aa"), *b = board_ready("bb");
	CLEANUP(mem_free_ptr) char *by_list = NULL;
	struct command c, attached;

	(void)state;
	a->device->tools = list_tools("[{\"name\":\"self.get\"},"
				      "{\"name\":\"self.set_volume\"}]");
	by_list = mem_printf("{\"op\":\"tool\",\"name\":\"self.get\","
			     "\"list\":\"%s\"}",
			     a->device->tools->id);
	command_open(&c);
	ask(&c, by_list);
	expect_json(&c, "\"tool\":{\"name\":\"self.get\"}", "\"tools\":2");
	ask(&c, "{\"op\":\"tool\",\"name\":\"self.sett\",\"device\":\"aa\"}");
	expect_json(&c, "\"nearest\":\"self.", "\"tools\":2");
	ask(&c, "{\"op\":\"tool\",\"name\":\"self.get\"}");
	expect_json(&c, "\"op\":\"error\"", "there are 2 devices");
	ask(&c, "{\"op\":\"tool\",\"name\":\"a\",\"device\":\"cc\"}");
	expect_json(&c, "\"op\":\"error\"", "'cc' is no alias, and no board");
	ask(&c, "{\"op\":\"tool\",\"name\":\"a\",\"device\":\"cc:*\"}");
	expect_json(&c, "\"op\":\"error\"", "no device fits 'cc:*'");
	ask(&c, "{\"op\":\"tool\",\"name\":\"a\",\"list\":\"cc\"}");
	expect_json(&c, "\"op\":\"error\"", "'cc'");
	ask(&c, "{\"op\":\"tool\"}");
	expect_json(&c, "\"op\":\"error\"", "\"usage\"");
	ask(&c, "{\"op\":\"tool\",\"name\":\"a\",\"device\":\"bb\"}");
	assert_string_equal(hear(&c, CONTROL_JSON),
			    "{\"op\":\"tool\",\"tools\":0}");
	command_attach(&attached, "{\"op\":\"attach\",\"device\":\"aa\"}");
	ask(&attached, "{\"op\":\"tool\",\"name\":\"self.set_volume\"}");
	expect_json(&attached, "\"tool\":{\"name\":\"self.set_volume\"}", NULL);
	command_done(&c);
	command_done(&attached);
	fake_board_free(a);
	fake_board_free(b);
}

/* Of all lists that fit, each name once; first lines only. */
static void names(void **state)
{
	struct fake_board *a = board_ready("aa"), *b = board_ready("bb");
	CLEANUP(buf_done) struct buf words = { 0 };
	CLEANUP(mem_free_ptr) char *list = NULL;
	CLEANUP(mem_free_ptr) char *cut = NULL;
	struct command c, attached;

	(void)state;
	a->device->tools = list_tools(
		"[{\"name\":\"b.two\",\"description\":\"\\n Two.\\nMore.\"},"
		"{\"name\":\"b.one\",\"description\":7},{\"name\":\"\"},"
		"{\"name\":\"a\\u001b\"}]");
	b->device->tools =
		list_tools("[{\"name\":\"b.two\"},{\"name\":\"c\"}]");
	command_attach(&attached, "{\"op\":\"attach\",\"device\":\"bb\"}");
	command_open(&c);
	ask(&c, "{\"op\":\"names\",\"device\":\"aa\",\"prefix\":\"b.\"}");
	expect_json(&c,
		    "\"tools\":[[\"b.one\",\"\"],[\"b.two\",\"Two.\"]],"
		    "\"count\":2,\"lists\":[\"",
		    a->device->tools->id);
	ask(&c, "{\"op\":\"names\"}");
	expect_json(&c, "[[\"a\\u001b\",\"\"],[\"b.one\",\"\"],[\"b.two\",",
		    ",[\"c\",\"\"]],\"count\":4");
	ask(&c, "{\"op\":\"names\",\"prefix\":\"none\"}");
	expect_json(&c, "\"tools\":[],\"count\":0,\"lists\":[\"", "\",\"");
	ask(&c, "{\"op\":\"names\",\"device\":\"none\"}");
	expect_json(&c, "\"count\":0,\"lists\":[]", NULL);
	ask(&attached, "{\"op\":\"names\",\"prefix\":\"\"}");
	expect_json(&attached, "[[\"b.two\",\"\"],[\"c\",\"\"]]", NULL);
	/* A long description is cut at a whole character. */
	for (int i = 0; i < 66; i++)
		buf_text(&words, "\xe4\xbd\xa0");
	cut = mem_printf("[[\"l\",\"%s\"]],\"count\":1,", buf_string(&words));
	buf_text(&words, "\xe4\xbd\xa0\xe4\xbd\xa0");
	list = mem_printf("[{\"name\":\"l\",\"description\":\"%s\"}]",
			  buf_string(&words));
	tool_lists_release(&server.tool_lists, b->device->tools);
	b->device->tools = list_tools(list);
	ask(&attached, "{\"op\":\"names\"}");
	expect_json(&attached, cut, NULL);
	command_done(&c);
	command_done(&attached);
	fake_board_free(a);
	fake_board_free(b);
}

/* ---- rubbish ---- */

static void wrong_questions(void **state)
{
	struct command c;

	(void)state;
	command_open(&c);
	ask(&c, "{\"op\":\"format\"}");
	expect_json(&c, "\"op\":\"error\"", "'format'");
	ask(&c, "{\"OP\":\"stop\"}");
	expect_json(&c, "\"op\":\"error\"", "'op'");
	ask(&c, "{\"op\":7}");
	expect_json(&c, "\"op\":\"error\"", NULL);
	ask(&c, "[]");
	expect_json(&c, "\"op\":\"error\"", NULL);
	ask(&c, "{\"op\":");
	expect_json(&c, "\"op\":\"error\"", "\"protocol\"");
	ask(&c, "");
	expect_json(&c, "\"op\":\"error\"", NULL);
	say(&c, CONTROL_TEXT, "{}");
	expect_json(&c, "\"op\":\"error\"", "before a device");
	say(&c, CONTROL_BINARY, "abc");
	expect_json(&c, "\"op\":\"error\"", "before a device was attached");
	ask(&c, "{\"op\":\"fan\"}");
	expect_json(&c, "\"op\":\"error\"", "\"usage\"");
	ask(&c, "{\"op\":\"fan\",\"method\":\"a\",\"notify\":\"b\"}");
	expect_json(&c, "\"op\":\"error\"", "\"usage\"");
	ask(&c, "{\"op\":\"fan\",\"message\":{\"type\":\"hello\"}}");
	expect_json(&c, "\"op\":\"error\"", "\"usage\"");
	assert_false(server.stopping);
	command_done(&c);
}

static void rubbish(void **state)
{
	static const char *const bytes[] = {
		"GET / HTTP/1.1\r\n\r\n",
		"\xff\xff\xff\xffj...",
		"\x01\x01\x01\x01x\x01\x01\x01",
	};
	struct command c;

	(void)state;
	for (size_t i = 0; i < COUNT(bytes); i++) {
		command_open(&c);
		write_bytes(&c, bytes[i], strlen(bytes[i]));
		expect_json(&c, "\"op\":\"error\"", "\"protocol\"");
		expect_end(&c);
		command_done(&c);
	}
	/* Half a frame, and gone. */
	command_open(&c);
	write_bytes(&c, "\0\0\1\0j\0\0\0{\"op\"", 13);
	command_done(&c);
	assert_null(server.registry.first);
}

/* Byte by byte, and many in one. */
static void pieces(void **state)
{
	CLEANUP(buf_done) struct buf frames = { 0 };
	struct command c;

	(void)state;
	for (int i = 0; i < 3; i++)
		control_encode(&frames, CONTROL_JSON, "{\"op\":\"status\"}",
			       15);
	command_open(&c);
	for (size_t i = 0; i < frames.len; i++)
		write_bytes(&c, frames.data + i, 1);
	write_bytes(&c, frames.data, frames.len);
	for (int i = 0; i < 6; i++)
		expect_json(&c, "\"op\":\"status\"", NULL);
	expect_quiet(&c);
	command_done(&c);
}

/* A command that asks on and on and reads nothing is not asked for more. */
static void deaf_asker(void **state)
{
	struct fake_board *board[50];
	struct command c;
	CLEANUP(buf_done) struct buf frames = { 0 };
	size_t sent = 0;
	ssize_t n;

	(void)state;
	for (size_t i = 0; i < COUNT(board); i++) {
		char id[32];

		snprintf(id, sizeof(id), "device-%zu", i);
		board[i] = board_ready(id);
	}
	while (frames.len < 1 << 20)
		control_encode(&frames, CONTROL_JSON, "{\"op\":\"devices\"}",
			       16);
	command_open(&c);
	for (int still = 0; still < 100 && sent < frames.len;) {
		n = send(c.fd, frames.data + sent, frames.len - sent,
			 MSG_NOSIGNAL);
		sent += n > 0 ? (size_t)n : 0;
		still = n > 0 ? 0 : still + 1;
		loop_poll(loop);
	}
	assert_true(sent < frames.len);
	expect_json(&c, "\"op\":\"device\"", "device-0");
	command_done(&c);
	for (size_t i = 0; i < COUNT(board); i++)
		fake_board_free(board[i]);
}

/* ---- versions ---- */

static void greeted(void **state)
{
	CLEANUP(mem_free_ptr)
	char *pid = mem_printf("\"pid\":%d,\"version\":\"" MCPCTL_VERSION "\"",
			       (int)getpid());
	struct command c;

	(void)state;
	command_open(&c);
	ask(&c, "{\"op\":\"greet\",\"protocol\":1,\"version\":\"9.9\"}");
	expect_json(&c, "{\"op\":\"greeting\",\"protocol\":1,", pid);
	ask(&c, "{\"op\":\"status\"}");
	expect_json(&c, "\"op\":\"status\"", NULL);
	ask(&c, "{\"op\":\"of-tomorrow\"}");
	expect_json(&c, "no question 'of-tomorrow'",
		    "this serve is version " MCPCTL_VERSION);
	command_done(&c);
}

/* What it asks may mean something else: nothing is done but stop. */
static void other_protocol(void **state)
{
	struct fake_board *board = board_ready("aa:01");
	struct command c;

	(void)state;
	command_open(&c);
	ask(&c, "{\"op\":\"greet\",\"protocol\":2}");
	expect_json(&c, "\"op\":\"greeting\"", "\"protocol\":1");
	ask(&c, "{\"op\":\"kick\",\"device\":\"aa:01\"}");
	expect_json(&c, "\"op\":\"error\"",
		    "the command speaks protocol 2, this serve 1");
	ask(&c, "{\"op\":\"attach\"}");
	expect_json(&c, "\"op\":\"error\"", "protocol 2");
	ask(&c, "{\"op\":\"stop\"}");
	expect_json(&c, "\"op\":\"stopping\"", NULL);
	assert_true(server.stopping);
	server.stopping = false;
	command_done(&c);
	fake_board_free(board);
}

/* One that reads late gets all answers all the same. */
static void slow_asker(void **state)
{
	CLEANUP(buf_done) struct buf frames = { 0 };
	struct fake_board *board[50];
	struct command c;

	(void)state;
	for (size_t i = 0; i < COUNT(board); i++) {
		char id[32];

		snprintf(id, sizeof(id), "device-%zu", i);
		board[i] = board_ready(id);
	}
	for (int i = 0; i < 400; i++)
		control_encode(&frames, CONTROL_JSON, "{\"op\":\"devices\"}",
			       16);
	command_open(&c);
	write_bytes(&c, frames.data, frames.len);
	for (int i = 0; i < 20; i++)
		loop_poll(loop);
	for (int i = 0; i < 400; i++) {
		for (size_t k = 0; k < COUNT(board); k++)
			expect_json(&c, "\"op\":\"device\"", NULL);
		expect_json(&c, "\"op\":\"end\"", "\"count\":50");
	}
	expect_quiet(&c);
	command_done(&c);
	for (size_t i = 0; i < COUNT(board); i++)
		fake_board_free(board[i]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, serve_start, serve_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(private_socket),
		TEST(only_one),
		TEST(second_without_descriptors),
		TEST(stale_socket),
		TEST(file_in_the_way),
		TEST(missing_folder),
		TEST(replaced_socket),
		TEST(too_many),
		TEST(status),
		TEST(devices),
		TEST(watch),
		TEST(enrolled_boards),
		TEST(whole_object),
		TEST(uploads),
		TEST(kick),
		TEST(stop),
		TEST(tool),
		TEST(names),
		TEST(wrong_questions),
		TEST(rubbish),
		TEST(pieces),
		TEST(deaf_asker),
		TEST(slow_asker),
		TEST(greeted),
		TEST(other_protocol),
		TEST(other_user),
		TEST(no_descriptors),
	};

	return cmocka_run_group_tests(tests, harness_make, harness_remove);
}
