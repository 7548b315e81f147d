/* SPDX-License-Identifier: MIT */
/*
 * net/attach and net/control_client against a fake serve: waiting, attached,
 * frames, questions about tools, and every way it ends. The contract of
 * transports is in test_transport.c.
 */
#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "fake_serve.h"
#include "net/attach.h"
#include "net/control_client.h"

#define HELLO "{\"type\":\"hello\",\"features\":{\"mcp\":true}}"
#define INITIALIZED "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"x\":1}}"

static struct loop *loop;
static struct fake_serve serve;
static struct transport t;
static struct endpoint to;
static struct error err, why;
static struct buf seen; /* what came, a word each */
static char *device; /* of the relay, as text */
static unsigned events; /* so many came */
static bool enough, closed;
static char path[64];

static void on_ready(void *owner, const struct peer_info *peer)
{
	const struct relay_info *r = peer->relay;
	const struct peer_kept *k = peer->kept;

	(void)owner;
	assert_non_null(r);
	buf_printf(&seen, "ready %s %s %s %d %s %.*s %.*s|", peer->address,
		   peer->device_id, peer->client_id, r->frame_version,
		   r->session_id, (int)r->hello_len, r->hello ? r->hello : "",
		   (int)k->initialize_len, k->initialize ? k->initialize : "");
	device = mem_strdup(k->device);
	assert_string_equal(k->id, "aa:01");
	assert_true(peer->envelope);
	enough = --events == 0;
}

static void on_message(void *owner, enum frame_kind kind, const void *data,
		       size_t len)
{
	(void)owner;
	buf_printf(&seen, "%s %.*s|", kind == FRAME_TEXT ? "text" : "binary",
		   (int)len, (const char *)data);
	enough = --events == 0;
}

static void on_closed(void *owner, const struct error *reason)
{
	(void)owner;
	error_copy(&why, reason);
	closed = true;
}

static void on_failed(void *owner, int64_t id, const struct error *reason)
{
	(void)owner;
	buf_printf(&seen, "failed %d %s|", (int)id, reason->text);
	enough = --events == 0;
}

static void on_notice(void *owner, const struct notice *n)
{
	(void)owner;
	buf_printf(&seen, "notice %s|", n->text);
	enough = --events == 0;
}

static const struct transport_events transport_events = {
	.ready = on_ready,
	.message = on_message,
	.failed = on_failed,
	.closed = on_closed,
	.notice = on_notice,
};

static int set_up(void **state)
{
	(void)state;
	t = (struct transport){ .ops = &attach_ops,
				.events = &transport_events };
	enough = closed = false;
	if (loop_new(&loop, &err))
		return -1;
	t.loop = loop;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	attach_ops.close(&t);
	if (t.impl && loop_wait(loop, &closed, loop_now() + 60000, NULL))
		return -1;
	fake_serve_close(&serve);
	loop_free(loop);
	buf_done(&seen);
	error_reset(&err);
	error_reset(&why);
	mem_free(TAKE(device));
	return 0;
}

static void serve_with(void (*on_frame)(struct fake_peer *p,
					const struct control_frame *f))
{
	fake_serve_open(&serve, loop, on_frame);
	snprintf(path, sizeof(path), "%s", serve.path);
	to = (struct endpoint){ .path = path };
}

static void open_it(unsigned count)
{
	events = count;
	if (attach_ops.open(&t, &to, &err))
		fail_msg("%s", err.text);
	if (count && loop_wait(loop, &enough, loop_now() + 60000, &err))
		fail_msg("only came: %s", buf_string(&seen));
}

static void await_closed(void)
{
	assert_int_equal(loop_wait(loop, &closed, loop_now() + 60000, &err), 0);
	assert_null(t.impl);
}

static void assert_part(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in '%s'", part, text);
}

/* ---- attached ---- */

static void whole_device(struct fake_peer *p, const struct control_frame *f)
{
	if (f->kind == CONTROL_JSON)
		fake_serve_attached(p, HELLO, INITIALIZED);
	else
		fake_serve_send(p, CONTROL_TEXT, f->data, f->len);
}

static void attached(void **state)
{
	static char pattern[] = "kit*\"";

	(void)state;
	serve_with(whole_device);
	to.device = pattern;
	to.tail = true;
	open_it(1);
	assert_string_equal(
		serve.asked,
		"{\"op\":\"attach\",\"device\":"
		"\"kit*\\\"\",\"tail\":true,\"pictures\":true,\"findings\":true,"
		"\"serial\":true}");
	assert_string_equal(buf_string(&seen),
			    "ready 10.0.0.7:5 aa:01 c-1 2 S-1 " HELLO
			    " " INITIALIZED "|");
	assert_string_equal(device, FAKE_DEVICE);
	buf_reset(&seen);
	events = 1;
	enough = false;
	assert_int_equal(attach_ops.send(&t, "{\"a\":1}", 7, &err), 0);
	assert_int_equal(loop_wait(loop, &enough, loop_now() + 60000, &err), 0);
	assert_string_equal(buf_string(&seen), "text {\"a\":1}|");
	attach_ops.close(&t);
	await_closed();
	assert_int_equal(why.kind, ERR_NONE);
}

static void bare_device(struct fake_peer *p, const struct control_frame *f)
{
	(void)f;
	/* before attached: not for this command */
	fake_serve_send(p, CONTROL_TEXT, "early", 5);
	fake_serve_json(p, "{\"op\":\"attached\",\"device\":{\"id\":\"aa:01\","
			   "\"client_id\":\"c\"},\"hello\":null,"
			   "\"frame_version\":9}");
	fake_serve_send(p, CONTROL_BINARY, "opus", 4);
	fake_serve_send(p, CONTROL_TEXT, "", 0);
	/* once more is not */
	fake_serve_json(p, "{\"op\":\"attached\",\"device\":{}}");
	fake_serve_send(p, CONTROL_TEXT, "end", 3);
}

static void nothing_kept(void **state)
{
	(void)state;
	serve_with(bare_device);
	open_it(4);
	assert_string_equal(
		serve.asked,
		"{\"op\":\"attach\",\"pictures\":true,\"findings\":true}");
	assert_string_equal(buf_string(&seen),
			    "ready aa:01 aa:01 c 1   |binary opus|text |"
			    "text end|");
}

/* All the bytes at once, then one by one in the middle of a frame. */
static void in_pieces(struct fake_peer *p, const struct control_frame *f)
{
	struct buf bytes = { 0 };

	(void)f;
	fake_serve_attached(p, "null", "null");
	control_encode(&bytes, CONTROL_TEXT, "one", 3);
	control_encode(&bytes, CONTROL_TEXT, "two", 3);
	for (size_t i = 0; i < bytes.len; i++) {
		fake_serve_bytes(p, bytes.data + i, 1);
		loop_now();
	}
	buf_done(&bytes);
}

static void pieces(void **state)
{
	(void)state;
	serve_with(in_pieces);
	open_it(3);
	assert_part(buf_string(&seen), "|text one|text two|");
}

static void says_odd(struct fake_peer *p, const struct control_frame *f)
{
	if (f->kind == CONTROL_JSON)
		fake_serve_attached(p, "null", "null");
	else
		fake_serve_json(
			p,
			"{\"op\":\"odd\",\"message\":\"{}\",\"text\":\"a reply to "
			"nothing\"}");
}

/* What serve keeps to itself, since its id is nobody's, was heard all the same. */
static void odd(void **state)
{
	(void)state;
	serve_with(says_odd);
	open_it(1);
	events = 1;
	enough = false;
	assert_int_equal(attach_ops.send(&t, "x", 1, &err), 0);
	assert_int_equal(loop_wait(loop, &enough, loop_now() + 60000, &err), 0);
	assert_part(buf_string(&seen), "|failed 0 a reply to nothing|");
}

static void says_lost(struct fake_peer *p, const struct control_frame *f)
{
	if (f->kind == CONTROL_JSON)
		fake_serve_attached(p, "null", "null");
	else
		fake_serve_json(p, "{\"op\":\"lost\",\"count\":3}");
}

static void says_one_lost(struct fake_peer *p, const struct control_frame *f)
{
	if (f->kind == CONTROL_JSON)
		fake_serve_attached(p, "null", "null");
	else
		fake_serve_json(p, "{\"op\":\"lost\",\"count\":1}");
}

/* Who reads too slowly is told how much he missed. */
static void hear_lost(void (*on_frame)(struct fake_peer *p,
				       const struct control_frame *f))
{
	serve_with(on_frame);
	open_it(1);
	events = 1;
	enough = false;
	assert_int_equal(attach_ops.send(&t, "x", 1, &err), 0);
	assert_int_equal(loop_wait(loop, &enough, loop_now() + 60000, &err), 0);
}

static void lost(void **state)
{
	(void)state;
	hear_lost(says_lost);
	assert_part(buf_string(&seen),
		    "|notice 3 messages of the device were left out "
		    "here: they came faster than they were read|");
}

static void one_lost(void **state)
{
	(void)state;
	hear_lost(says_one_lost);
	assert_part(buf_string(&seen),
		    "|notice 1 message of the device was left out "
		    "here: it came faster than it was read|");
}

static void large_echo(struct fake_peer *p, const struct control_frame *f)
{
	char size[32];

	if (f->kind == CONTROL_JSON) {
		fake_serve_attached(p, "null", "null");
		return;
	}
	for (size_t i = 0; i < f->len; i++)
		assert_int_equal(f->data[i], 'a' + (char)(i % 26));
	snprintf(size, sizeof(size), "%zu", f->len);
	fake_serve_send(p, CONTROL_TEXT, size, strlen(size));
}

/* More than a socket takes at once. */
static void large(void **state)
{
	size_t len = 2 << 20;
	char *text = mem_alloc(len);

	(void)state;
	for (size_t i = 0; i < len; i++)
		text[i] = (char)('a' + i % 26);
	serve_with(large_echo);
	open_it(1);
	events = 2;
	enough = false;
	assert_int_equal(attach_ops.send(&t, text, len, &err), 0);
	assert_int_equal(attach_ops.send(&t, text, 26, &err), 0);
	assert_int_equal(loop_wait(loop, &enough, loop_now() + 60000, &err), 0);
	assert_part(buf_string(&seen), "|text 2097152|text 26|");
	mem_free(text);
}

static void deaf(struct fake_peer *p, const struct control_frame *f)
{
	(void)f;
	fake_serve_attached(p, "null", "null");
	uv_read_stop((uv_stream_t *)&p->pipe);
}

/* One that does not read is told so, and is not waited for at the end. */
static void queue_is_full(void **state)
{
	size_t len = 8 << 20;
	char *text = mem_zalloc(len);
	int sent = 0;

	(void)state;
	serve_with(deaf);
	open_it(1);
	while (sent < 4 && attach_ops.send(&t, text, len, &err) == 0)
		sent++;
	assert_true(sent >= 1 && sent < 4);
	assert_part(err.text, "serve does not read");
	mem_free(text);
	attach_ops.close(&t);
	await_closed();
	assert_int_equal(why.kind, ERR_NONE);
}

/* ---- waiting ---- */

static void wait_twice(struct fake_peer *p, const struct control_frame *f)
{
	(void)f;
	fake_serve_json(p, "{\"op\":\"waiting\",\"devices\":0,\"text\":"
			   "\"no device is there\"}");
	fake_serve_json(p, "{\"op\":\"waiting\",\"devices\":1,\"hint\":"
			   "\"it is awake\"}");
	if (p->serve->asked[0])
		fake_serve_send(p, CONTROL_TEXT, "x", 1);
}

static void waiting(void **state)
{
	(void)state;
	serve_with(wait_twice);
	attach_ops.explain(&t, &err);
	assert_int_equal(err.kind, ERR_NONE);
	open_it(0);
	assert_int_equal(attach_ops.explain(&t, &err), -1);
	assert_part(err.text, "does not answer");
	events = 1;
	assert_int_equal(loop_wait(loop, &enough, loop_now() + 60000, &err), 0);
	loop_poll(loop);
	/* told once */
	assert_string_equal(buf_string(&seen),
			    "notice no device is there; waiting|");
	assert_int_equal(attach_ops.explain(&t, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_part(err.text, "no device is connected to serve yet");
	assert_string_equal(err.hint, "it is awake");
	assert_int_equal(attach_ops.send(&t, "x", 1, &err), -1);
}

/* ---- the end ---- */

static void many_devices(struct fake_peer *p, const struct control_frame *f)
{
	(void)f;
	fake_serve_json(p, "{\"op\":\"error\",\"error\":{\"kind\":\"usage\","
			   "\"text\":\"which one?\",\"hint\":\"use -d\","
			   "\"detail\":\"aa:01\\naa:02\"}}");
	fake_serve_send(p, CONTROL_TEXT, "never", 5);
}

static void refused(void **state)
{
	(void)state;
	serve_with(many_devices);
	open_it(0);
	await_closed();
	assert_int_equal(why.kind, ERR_USAGE);
	assert_string_equal(why.text, "which one?");
	assert_string_equal(why.hint, "use -d");
	assert_string_equal(why.detail, "aa:01\naa:02");
	assert_int_equal(seen.len, 0);
}

static void gone_device(struct fake_peer *p, const struct control_frame *f)
{
	(void)f;
	fake_serve_attached(p, "null", "null");
	fake_serve_json(p, "{\"op\":\"gone\",\"error\":{\"kind\":\"connect\","
			   "\"text\":\"the board restarted\"}}");
	fake_serve_drop(p);
}

static void gone(void **state)
{
	(void)state;
	serve_with(gone_device);
	open_it(1);
	/* what is sent into the closing socket does not hide the reason */
	if (t.impl)
		assert_int_equal(attach_ops.send(&t, "x", 1, &err), 0);
	await_closed();
	assert_int_equal(why.kind, ERR_CONNECT);
	assert_string_equal(why.text, "the board restarted");
}

static void dying(struct fake_peer *p, const struct control_frame *f)
{
	(void)f;
	fake_serve_drop(p);
}

static void died(void **state)
{
	(void)state;
	serve_with(dying);
	open_it(0);
	await_closed();
	assert_int_equal(why.kind, ERR_CONNECT);
	assert_part(why.text, "serve ended the connection");
}

static const char *nonsense;
static size_t nonsense_len;

static void other_program(struct fake_peer *p, const struct control_frame *f)
{
	(void)f;
	fake_serve_bytes(p, nonsense, nonsense_len);
}

static void assert_protocol(const char *bytes, size_t len)
{
	void *state = NULL;

	set_up(&state);
	nonsense = bytes;
	nonsense_len = len;
	serve_with(other_program);
	open_it(0);
	await_closed();
	assert_int_equal(why.kind, ERR_PROTOCOL);
	tear_down(&state);
}

/* ---- versions ---- */

static void other_version(void **state)
{
	(void)state;
	serve_with(whole_device);
	serve.greeting = "{\"op\":\"greeting\",\"protocol\":1,\"pid\":7,"
			 "\"version\":\"9.8.7\"}";
	open_it(2);
	assert_part(buf_string(&seen), "notice the running serve (pid 7) is "
				       "version 9.8.7, this is");
	assert_part(buf_string(&seen), "|ready");
}

static void older_serve(void **state)
{
	(void)state;
	serve_with(whole_device);
	serve.greeting = "{\"op\":\"error\",\"error\":{\"kind\":"
			 "\"protocol\",\"text\":\"no question 'greet'\"}}";
	open_it(2);
	assert_part(buf_string(&seen), "does not tell its version");
	assert_part(buf_string(&seen), "|ready");
}

static void other_protocol(void **state)
{
	(void)state;
	serve_with(whole_device);
	serve.greeting = "{\"op\":\"greeting\",\"protocol\":2,\"pid\":7,"
			 "\"version\":\"9.8.7\"}";
	open_it(0);
	await_closed();
	assert_string_equal(buf_string(&seen), "");
	assert_int_equal(why.kind, ERR_PROTOCOL);
	assert_part(why.text, "(pid 7) is version 9.8.7");
	assert_part(why.hint, "mcpctl stop");
}

static void knows_less(struct fake_peer *p, const struct control_frame *f)
{
	(void)f;
	fake_serve_json(p, "{\"op\":\"error\",\"error\":{\"kind\":"
			   "\"protocol\",\"text\":\"no question 'attach'\","
			   "\"hint\":\"its own\"}}");
}

/* What it does not know comes of its version, and that is said. */
static void unknown_question(void **state)
{
	(void)state;
	serve_with(knows_less);
	serve.greeting = "{\"op\":\"greeting\",\"protocol\":1,\"pid\":7,"
			 "\"version\":\"0.0.9\"}";
	open_it(0);
	await_closed();
	assert_string_equal(why.text, "no question 'attach'");
	assert_part(why.hint, "(pid 7) is version 0.0.9");
}

/* One of the same version has its own reason. */
static void same_version(void **state)
{
	(void)state;
	serve_with(knows_less);
	open_it(0);
	await_closed();
	assert_string_equal(why.hint, "its own");
	assert_string_equal(buf_string(&seen), "");
}

static void no_serve_at_all(void **state)
{
	(void)state;
	assert_protocol("HTTP/1.1 400 Bad Request\r\n\r\n", 28);
	assert_protocol("\xff\xff\xff\xff"
			"j\0\0\0",
			8);
	assert_protocol("\0\0\0\1j\0\0\1x", 9);
	assert_protocol("\0\0\0\1j\0\0\0x", 9);
	assert_protocol("\0\0\0\2j\0\0\0{}", 10);
	assert_protocol("\0\0\0\2j\0\0\0[]", 10);
	assert_protocol("\0\0\0\12j\0\0\0{\"op\":\"?\"}", 18);
}

static void nobody(void **state)
{
	static char no[] = "/tmp/mcpctl-no-such-folder/serve.sock";

	(void)state;
	to = (struct endpoint){ .path = no };
	assert_int_equal(attach_ops.open(&t, &to, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_int_equal(err.code, ENOENT);
	assert_part(err.text, "no serve is running");
	assert_part(err.hint, "mcpctl serve");
	assert_null(t.impl);
}

static void nobody_listens(void **state)
{
	(void)state;
	serve_with(whole_device);
	uv_close((uv_handle_t *)&serve.listener, NULL);
	serve.open = false;
	loop_poll(loop);
	/* libuv has removed it: a stale one is made anew */
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_un at = { .sun_family = AF_UNIX };

	memcpy(at.sun_path, path, strlen(path) + 1);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	close(fd);
	assert_int_equal(attach_ops.open(&t, &to, &err), -1);
	assert_int_equal(err.code, ECONNREFUSED);
	assert_part(err.text, "nobody answers at");
	unlink(path);
	rmdir(serve.folder);
}

/* ---- tools ---- */

static const char *answer;
static unsigned answers;

static void tool_keeper(struct fake_peer *p, const struct control_frame *f)
{
	if (strstr(p->serve->asked, "\"attach\""))
		fake_serve_attached(p, "null", "null");
	else if (strstr(p->serve->asked, "\"forgotten\""))
		fake_serve_json(p, "{\"op\":\"tool\",\"nearest\":\"wrong\"}");
	else if (strstr(p->serve->asked, "\"unknown\""))
		fake_serve_json(p, "{\"op\":\"error\",\"error\":{}}");
	else if (f->kind == CONTROL_JSON)
		fake_serve_json(p, answer);
}

static void on_tool(void *owner, const char *tool, size_t len,
		    const char *nearest, const char *broke)
{
	assert_ptr_equal(owner, &answers);
	buf_printf(&seen, "tool %.*s, %s, %s|", (int)len, tool ? tool : "",
		   nearest ? nearest : "-", broke ? broke : "-");
	answers++;
	enough = true;
}

static void ask_tool(const char *json, const char *expected)
{
	answer = json;
	enough = false;
	buf_reset(&seen);
	assert_int_equal(
		attach_ask_tool(&t, "self.\"x", on_tool, &answers, &err), 0);
	assert_int_equal(seen.len, 0);
	assert_int_equal(loop_wait(loop, &enough, loop_now() + 60000, &err), 0);
	assert_string_equal(buf_string(&seen), expected);
}

static void tools(void **state)
{
	(void)state;
	answers = 0;
	assert_int_equal(attach_ask_tool(&t, "x", on_tool, NULL, &err), -1);
	serve_with(tool_keeper);
	open_it(1);
	ask_tool("{\"op\":\"tool\",\"tool\":{\"name\": \"a\"},\"tools\":2}",
		 "tool {\"name\": \"a\"}, -, -|");
	assert_string_equal(serve.asked,
			    "{\"op\":\"tool\",\"name\":\"self.\\\"x\"}");
	ask_tool("{\"op\":\"tool\",\"tool\":null,\"nearest\":\"b\","
		 "\"tools\":2,\"broke\":\"page 2\"}",
		 "tool , b, page 2|");
	ask_tool("{\"op\":\"error\",\"error\":{\"kind\":\"connect\",\"text\":"
		 "\"not there\"}}",
		 "tool , -, not there|");
	/* forgotten: its answer is nobody's */
	answer = "{\"op\":\"tool\",\"tools\":2}";
	attach_ask_tool(&t, "forgotten", on_tool, &answers, &err);
	attach_ask_tool(&t, NULL, NULL, NULL, &err);
	attach_ask_tool(&t, "unknown", on_tool, &answers, &err);
	ask_tool(answer, "tool , -, -|");
	assert_int_equal(answers, 4);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(attached),
		TEST(nothing_kept),
		TEST(pieces),
		TEST(large),
		TEST(odd),
		TEST(lost),
		TEST(one_lost),
		TEST(queue_is_full),
		TEST(waiting),
		TEST(refused),
		TEST(gone),
		TEST(died),
		cmocka_unit_test(no_serve_at_all),
		TEST(nobody),
		TEST(nobody_listens),
		TEST(tools),
		TEST(other_version),
		TEST(older_serve),
		TEST(other_protocol),
		TEST(unknown_question),
		TEST(same_version),
	};

	return cmocka_run_group_tests_name("attach", tests, NULL, NULL);
}
