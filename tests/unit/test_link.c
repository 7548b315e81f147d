/* SPDX-License-Identifier: MIT */
/*
 * rpc/link: when a link is up, what frames mean, and what goes out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "rpc/link.h"

#define HELLO "{\"type\":\"hello\",\"version\":3,\"features\":{\"mcp\":true}}"

enum link_kind {
	LINK_NOTHING,
	LINK_HELLO,
	LINK_PAYLOAD,
	LINK_DEVICE,
	LINK_AUDIO,
	LINK_BROKEN
};

/* What was handed out last. */
struct link_item {
	enum link_kind kind;
	unsigned count; /* of all */
	struct message message; /* kept */
	char *type;
	struct salvage salvage;
	struct error problem;
	struct buf *reply;
	char *why; /* odd */
	bool refuse; /* batches */
	unsigned unread;
};

static void link_item_done(struct link_item *i)
{
	message_done(&i->message);
	mem_free(i->type);
	mem_free(i->why);
	salvage_done(&i->salvage);
	error_reset(&i->problem);
	*i = (struct link_item){ 0 };
}

static void on_send(void *owner, const struct buf *frame)
{
	struct link_item *i = owner;

	/* Before it is told. */
	assert_int_equal(i->kind, LINK_NOTHING);
	buf_add(i->reply, frame->data, frame->len);
}

static void on_hello(void *owner, struct span frame)
{
	struct link_item *i = owner;

	assert_true(frame.len);
	i->kind = LINK_HELLO;
	i->count++;
}

static void keep(struct link_item *i, const struct message *m)
{
	message_done(&i->message);
	assert_int_equal(message_decode(&i->message, m->text, m->len, NULL), 0);
	i->kind = LINK_PAYLOAD;
	i->count++;
}

static void on_reply(void *owner, struct message *m)
{
	keep(owner, m);
	assert_true(m->kind == MESSAGE_RESULT || m->kind == MESSAGE_ERROR);
	/* Its id may be replaced in the frame. */
	assert_true(m->id.text >= m->frame.text &&
		    m->id.text + m->id.len <= m->frame.text + m->frame.len);
}

static void on_request(void *owner, const struct message *m)
{
	keep(owner, m);
	assert_int_equal(m->kind, MESSAGE_REQUEST);
}

static void on_notification(void *owner, const struct message *m)
{
	keep(owner, m);
	assert_int_equal(m->kind, MESSAGE_NOTIFICATION);
}

static void on_odd(void *owner, const struct message *m, const char *why)
{
	struct link_item *i = owner;

	keep(i, m);
	mem_free(i->why);
	i->why = mem_strdup(why);
}

static bool on_batch(void *owner, const struct message *m)
{
	struct link_item *i = owner;

	assert_int_equal(m->kind, MESSAGE_BATCH);
	return !i->refuse;
}

static void on_unread(void *owner, const struct message *m)
{
	struct link_item *i = owner;

	(void)m;
	i->unread++;
}

static void on_device(void *owner, const char *type, struct span frame)
{
	struct link_item *i = owner;

	assert_true(frame.len);
	i->kind = LINK_DEVICE;
	i->type = mem_strdup(type);
	i->count++;
}

static void on_audio(void *owner, struct span frame,
		     const struct error *problem)
{
	struct link_item *i = owner;

	assert_true(frame.len);
	i->kind = LINK_AUDIO;
	i->problem.kind = problem->kind;
	i->count++;
}

static void on_broken(void *owner, struct span frame,
		      const struct error *problem,
		      const struct salvage *salvage)
{
	struct link_item *i = owner;

	assert_true(frame.len);
	i->kind = LINK_BROKEN;
	error_copy(&i->problem, problem);
	i->salvage = *salvage;
	i->salvage.message = mem_strdup(salvage->message);
	i->count++;
}

static const struct link_events events = {
	.send = on_send,
	.hello = on_hello,
	.reply = on_reply,
	.request = on_request,
	.notification = on_notification,
	.odd = on_odd,
	.batch = on_batch,
	.unread = on_unread,
	.device = on_device,
	.audio = on_audio,
	.broken = on_broken,
};

static enum link_kind receive(struct link *l, const char *text,
			      struct link_item *item, struct buf *reply)
{
	*item = (struct link_item){ .reply = reply };
	link_receive(l, FRAME_TEXT, (struct span){ text, strlen(text) },
		     &events, item);
	return item->kind;
}

static void receive_binary(struct link *l, const char *data, size_t len,
			   struct link_item *item)
{
	*item = (struct link_item){ 0 };
	link_receive(l, FRAME_BINARY, (struct span){ data, len }, &events,
		     item);
}

/* For frames of which only the kind counts. */
static enum link_kind kind_of(struct link *l, const char *text)
{
	struct buf reply = { 0 };
	struct link_item item;
	enum link_kind kind = receive(l, text, &item, &reply);

	link_item_done(&item);
	buf_done(&reply);
	return kind;
}

static void device_hello(void **state)
{
	struct buf reply = { 0 }, again = { 0 };
	struct link_item item;
	struct link l;

	(void)state;
	link_init(&l, DIALECT_DEVICE, 0);
	link_connected(&l, true, 2);
	assert_false(l.up);
	assert_int_equal(l.frame_version, 2);
	assert_int_equal(receive(&l, HELLO, &item, &reply), LINK_HELLO);
	assert_true(l.up && l.has_hello && l.hello.mcp);
	assert_int_equal(l.frame_version, 3);
	assert_true(strlen(l.session_id) > 8);
	assert_non_null(strstr(buf_string(&reply), l.session_id));
	assert_non_null(
		strstr(buf_string(&reply), "\"transport\":\"websocket\""));
	link_item_done(&item);
	/* once more: the same session, answered again */
	assert_int_equal(receive(&l, HELLO, &item, &again), LINK_HELLO);
	assert_int_equal(l.hellos, 2);
	assert_string_equal(buf_string(&again), buf_string(&reply));
	link_item_done(&item);
	buf_done(&reply);
	buf_done(&again);
	link_done(&l);
}

static void up(void **state)
{
	struct link l;

	(void)state;
	link_init(&l, DIALECT_PLAIN, 0);
	assert_true(l.up);
	link_done(&l);
	/* a board's own server, dialled: no hello will come */
	link_init(&l, DIALECT_DEVICE, 0);
	link_connected(&l, false, 0);
	assert_true(l.up);
	link_done(&l);
	/* it dialled in: the device's dialect, unless plain is forced */
	link_init(&l, DIALECT_UNKNOWN, 0);
	link_connected(&l, true, 9);
	assert_int_equal(l.dialect, DIALECT_DEVICE);
	assert_int_equal(l.frame_version, 1);
	assert_false(l.up);
	link_done(&l);
	link_init(&l, DIALECT_PLAIN, 0);
	link_connected(&l, true, 0);
	assert_int_equal(l.dialect, DIALECT_PLAIN);
	link_done(&l);
}

static void assert_learns(const char *text, enum dialect dialect)
{
	struct link l;

	link_init(&l, DIALECT_UNKNOWN, 0);
	link_connected(&l, false, 0);
	assert_false(l.up);
	kind_of(&l, text);
	assert_int_equal(l.dialect, dialect);
	assert_int_equal(l.up, dialect != DIALECT_UNKNOWN);
	link_done(&l);
}

static void unknown_dialect(void **state)
{
	(void)state;
	assert_learns("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
		      DIALECT_PLAIN);
	assert_learns("[{\"id\":1,\"result\":{}}]", DIALECT_PLAIN);
	assert_learns(HELLO, DIALECT_DEVICE);
	assert_learns("{\"type\":\"mcp\",\"payload\":{\"id\":1,\"result\":1}}",
		      DIALECT_DEVICE);
	assert_learns("{\"status\":\"welcome\"}", DIALECT_UNKNOWN);
	assert_learns("{\"type\":\"welcome\"}", DIALECT_UNKNOWN);
	assert_learns("nonsense", DIALECT_UNKNOWN);
}

static void settled(void **state)
{
	struct link l;

	(void)state;
	link_init(&l, DIALECT_UNKNOWN, 0);
	link_settle(&l, DIALECT_DEVICE);
	assert_true(l.up);
	/* answers are bare in either case; that unsettles nothing */
	assert_int_equal(kind_of(&l, "{\"id\":1,\"result\":{}}"), LINK_PAYLOAD);
	assert_int_equal(l.dialect, DIALECT_DEVICE);
	link_done(&l);
}

static void payloads(void **state)
{
	struct buf reply = { 0 };
	struct link_item item;
	struct link l;

	(void)state;
	link_init(&l, DIALECT_DEVICE, 0);
	assert_int_equal(receive(&l,
				 "{\"sessionId\":\"S\",\"type\":\"mcp\","
				 "\"payload\":{\"id\": 4,\"result\":[]}}",
				 &item, &reply),
			 LINK_PAYLOAD);
	assert_int_equal(item.message.number, 4);
	assert_int_equal(item.message.len, 21);
	assert_memory_equal(item.message.text, "{\"id\": 4,\"result\":[]}", 21);
	assert_true(l.gone_camel);
	assert_int_equal(reply.len, 0);
	link_item_done(&item);
	assert_int_equal(
		receive(&l, "{\"type\":\"mcp\",\"payload\":[[{\"id\":1}]]}",
			&item, &reply),
		LINK_PAYLOAD);
	assert_int_equal(item.message.kind, MESSAGE_BATCH);
	assert_string_equal(item.why, "a batch inside a batch is not read");
	link_item_done(&item);
	link_done(&l);
}

/* Each alone, in its order, and in a frame of its own. */
static void batches(void **state)
{
	static const char text[] =
		"[{\"id\":1,\"result\":{}}, {\"method\":\"x\"} ,"
		"{\"id\":\"a\",\"method\":\"y\"}]";
	struct link_item item;
	struct buf reply = { 0 };
	struct link l;

	(void)state;
	link_init(&l, DIALECT_PLAIN, 0);
	assert_int_equal(receive(&l, text, &item, &reply), LINK_PAYLOAD);
	assert_int_equal(item.count, 3);
	assert_string_equal(item.message.method, "y");
	assert_null(item.why);
	link_item_done(&item);
	assert_int_equal(receive(&l, " [ ] ", &item, &reply), LINK_PAYLOAD);
	assert_string_equal(item.why, "an empty batch");
	link_item_done(&item);
	item.refuse = true;
	link_receive(&l, FRAME_TEXT, (struct span){ text, strlen(text) },
		     &events, &item);
	assert_int_equal(item.unread, 3);
	assert_int_equal(item.count, 0);
	link_settle(&l, DIALECT_DEVICE);
	assert_int_equal(receive(&l,
				 "{\"type\":\"mcp\",\"payload\":[{\"id\":1,"
				 "\"error\":{}}]}",
				 &item, &reply),
			 LINK_PAYLOAD);
	assert_string_equal(item.message.text, "{\"id\":1,\"error\":{}}");
	link_item_done(&item);
	assert_int_equal(receive(&l, "{\"id\":1}", &item, &reply),
			 LINK_PAYLOAD);
	assert_string_equal(item.why, "neither a reply nor a request nor a "
				      "notification");
	link_item_done(&item);
	link_done(&l);
}

static void device_messages(void **state)
{
	struct buf reply = { 0 };
	struct link_item item;
	struct link l;

	(void)state;
	link_init(&l, DIALECT_DEVICE, 0);
	assert_int_equal(receive(&l, "{\"type\":\"listen\",\"state\":\"stop\"}",
				 &item, &reply),
			 LINK_DEVICE);
	assert_string_equal(item.type, "listen");
	assert_null(item.message.text);
	link_item_done(&item);
	link_done(&l);
	/* who forces plain JSON-RPC gets no hello answered */
	link_init(&l, DIALECT_PLAIN, 0);
	assert_int_equal(receive(&l, HELLO, &item, &reply), LINK_DEVICE);
	assert_int_equal(reply.len, 0);
	link_item_done(&item);
	link_done(&l);
}

static void broken(void **state)
{
	struct buf reply = { 0 };
	struct link_item item;
	struct link l;

	(void)state;
	link_init(&l, DIALECT_DEVICE, 0);
	assert_int_equal(
		receive(&l,
			"{\"session_id\":\"S1\",\"type\":\"mcp\",\"payload\":"
			"{\"jsonrpc\":\"2.0\",\"id\":20,\"error\":{"
			"\"message\":\"Unknown tool: a\"b\"}}}",
			&item, &reply),
		LINK_BROKEN);
	assert_int_equal(item.problem.kind, ERR_PROTOCOL);
	assert_int_equal(item.salvage.id, 20);
	assert_string_equal(item.salvage.message, "Unknown tool: a\"b");
	link_item_done(&item);
	assert_int_equal(
		receive(&l, "{\"type\":\"mcp\",\"payload\":5}", &item, &reply),
		LINK_BROKEN);
	assert_int_equal(item.problem.kind, ERR_PROTOCOL);
	assert_false(item.salvage.has_id);
	link_item_done(&item);
	link_done(&l);
}

static void audio(void **state)
{
	struct link_item item;
	struct link l;

	(void)state;
	link_init(&l, DIALECT_DEVICE, 3);
	receive_binary(&l, "\0\0\0\1x", 5, &item);
	assert_int_equal(item.kind, LINK_AUDIO);
	assert_int_equal(item.problem.kind, ERR_NONE);
	link_item_done(&item);
	receive_binary(&l, "\0\0", 2, &item);
	assert_int_equal(item.kind, LINK_AUDIO);
	assert_int_equal(item.problem.kind, ERR_PROTOCOL);
	link_item_done(&item);
	assert_int_equal(l.audio_frames, 2);
	assert_int_equal(l.audio_bytes, 7);
	assert_int_equal(l.audio_broken, 1);
	link_done(&l);
}

static void wrap(void **state)
{
	struct buf out = { 0 };
	struct link l;

	(void)state;
	link_init(&l, DIALECT_DEVICE, 0);
	link_wrap(&l, "{}", 2, &out);
	assert_string_equal(buf_string(&out),
			    "{\"type\":\"mcp\",\"payload\":{}}");
	buf_reset(&out);
	memcpy(l.session_id, "S1", 3);
	link_wrap(&l, "{}", 2, &out);
	assert_string_equal(buf_string(&out),
			    "{\"session_id\":\"S1\",\"type\":\"mcp\","
			    "\"payload\":{}}");
	buf_reset(&out);
	link_done(&l);
	link_init(&l, DIALECT_UNKNOWN, 0);
	link_wrap(&l, "{}", 2, &out);
	assert_string_equal(buf_string(&out), "{}");
	buf_done(&out);
	link_done(&l);
}

static void wrap_device(void **state)
{
	struct error err = { 0 };
	struct buf out = { 0 };
	struct link l;

	(void)state;
	link_init(&l, DIALECT_DEVICE, 0);
	memcpy(l.session_id, "S1", 3);
	assert_int_equal(
		link_wrap_device(&l, " { \"type\":\"tts\"}", &out, &err), 0);
	assert_string_equal(buf_string(&out),
			    "{\"session_id\":\"S1\", \"type\":\"tts\"}");
	buf_reset(&out);
	assert_int_equal(link_wrap_device(&l,
					  "{\"type\":\"tts\","
					  "\"session_id\":\"mine\"}",
					  &out, &err),
			 0);
	assert_string_equal(buf_string(&out), "{\"type\":\"tts\","
					      "\"session_id\":\"mine\"}");
	l.relayed = true;
	assert_int_equal(
		link_wrap_device(&l, "{\"type\":\"hello\"}", &out, &err), -1);
	l.relayed = false;
	error_reset(&err);
	assert_int_equal(link_wrap_device(&l, "{\"a\":1}", &out, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_int_equal(link_wrap_device(&l, "{\"type\":", &out, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_int_equal(link_wrap_device(&l, "[]", &out, &err), -1);
	link_settle(&l, DIALECT_PLAIN);
	assert_int_equal(link_wrap_device(&l, "{\"type\":\"tts\"}", &out, &err),
			 -1);
	assert_int_equal(err.kind, ERR_USAGE);
	error_reset(&err);
	buf_done(&out);
	link_done(&l);
}

#define UDP_HELLO                                          \
	"{\"type\":\"hello\",\"version\":3,\"transport\":" \
	"\"udp\",\"features\":{\"mcp\":true}}"

static void udp_offer(void **state)
{
	static const struct udp_offer offer = { .server = "10.0.0.1",
						.port = 7 };
	struct buf reply = { 0 };
	struct link_item item;
	struct link l;

	(void)state;
	link_init(&l, DIALECT_DEVICE, 0);
	link_offer_udp(&l, &offer);
	link_connected(&l, true, 0);
	assert_false(l.up);
	assert_int_equal(receive(&l, UDP_HELLO, &item, &reply), LINK_HELLO);
	link_item_done(&item);
	assert_true(l.up);
	assert_non_null(strstr(buf_string(&reply), "\"transport\":\"udp\""));
	assert_non_null(strstr(buf_string(&reply), "\"port\":7"));
	assert_non_null(strstr(buf_string(&reply), l.session_id));
	/* audio is bare, whatever version the hello names */
	receive_binary(&l, "\xff\xff\xff", 3, &item);
	assert_int_equal(item.kind, LINK_AUDIO);
	assert_int_equal(item.problem.kind, ERR_NONE);
	assert_int_equal(l.audio_broken, 0);
	link_item_done(&item);
	/* a hello that is not for UDP gets the usual answer */
	buf_reset(&reply);
	assert_int_equal(receive(&l, HELLO, &item, &reply), LINK_HELLO);
	assert_non_null(strstr(buf_string(&reply), "\"websocket\""));
	link_item_done(&item);
	buf_done(&reply);
	link_done(&l);
}

/* Over MQTT a session may be older than we are: the device shows its id. */
static void learned_session(void **state)
{
	static const struct udp_offer offer = { .server = "10.0.0.1",
						.port = 7 };
	struct buf reply = { 0 };
	struct link_item item;
	struct link l;

	(void)state;
	link_init(&l, DIALECT_DEVICE, 0);
	link_offer_udp(&l, &offer);
	receive(&l, "{\"session_id\":\"\",\"type\":\"x\"}", &item, &reply);
	link_item_done(&item);
	assert_string_equal(l.session_id, "");
	receive(&l, "{\"session_id\":\"S-1\",\"type\":\"x\"}", &item, &reply);
	link_item_done(&item);
	assert_string_equal(l.session_id, "S-1");
	receive(&l, "{\"session_id\":\"S\\u002d2\",\"type\":\"x\"}", &item,
		&reply);
	link_item_done(&item);
	assert_string_equal(l.session_id, "S-2");
	/* one that has no room is none */
	receive(&l,
		"{\"session_id\":\"0123456789012345678901234567890123456789"
		"012345678901234567890123\",\"type\":\"x\"}",
		&item, &reply);
	link_item_done(&item);
	assert_string_equal(l.session_id, "S-2");
	/* the next one is ours, and stays */
	receive(&l, UDP_HELLO, &item, &reply);
	link_item_done(&item);
	assert_memory_equal(l.session_id, "mcpctl-", 7);
	receive(&l, "{\"session_id\":\"S-2\",\"type\":\"x\"}", &item, &reply);
	link_item_done(&item);
	assert_memory_equal(l.session_id, "mcpctl-", 7);
	buf_done(&reply);
	link_done(&l);
}

static void relayed(void **state)
{
	const struct relay_info relay = { .hello = HELLO ",…",
					  .hello_len = strlen(HELLO),
					  .session_id = "S-7",
					  .frame_version = 3 };
	struct buf reply = { 0 };
	struct link_item item;
	struct link l;

	(void)state;
	link_init(&l, DIALECT_UNKNOWN, 0);
	link_relayed(&l, &relay);
	assert_int_equal(l.dialect, DIALECT_DEVICE);
	assert_true(l.up && l.relayed && l.has_hello && l.hello.mcp);
	assert_string_equal(l.session_id, "S-7");
	assert_int_equal(l.hellos, 1);
	assert_int_equal(l.frame_version, 3);
	/* serve takes the head off */
	receive_binary(&l, "\xff", 1, &item);
	assert_int_equal(item.problem.kind, ERR_NONE);
	link_item_done(&item);
	/* a new one: reported, and serve has answered it */
	assert_int_equal(receive(&l, HELLO, &item, &reply), LINK_HELLO);
	assert_int_equal(l.hellos, 2);
	assert_int_equal(reply.len, 0);
	link_item_done(&item);
	link_wrap(&l, "{}", 2, &reply);
	assert_string_equal(buf_string(&reply),
			    "{\"session_id\":\"S-7\",\"type\":\"mcp\","
			    "\"payload\":{}}");
	buf_done(&reply);
	link_done(&l);
}

/* By MQTT there may be none; and it may be rubbish, or too long. */
static void relayed_without_hello(void **state)
{
	const struct relay_info none = { .session_id = "" };
	const struct relay_info bad = {
		.hello = "{\"type\":\"listen\"}",
		.hello_len = 17,
		.session_id = "0123456789012345678901234567890123456789"
			      "0123456789012345678901234567890123456789",
		.frame_version = 99
	};
	struct link l;

	(void)state;
	link_init(&l, DIALECT_DEVICE, 0);
	link_relayed(&l, &none);
	assert_true(l.up && !l.has_hello);
	assert_string_equal(l.session_id, "");
	link_done(&l);
	link_init(&l, DIALECT_DEVICE, 0);
	link_relayed(&l, &bad);
	assert_true(l.up && !l.has_hello);
	assert_int_equal(l.frame_version, 1);
	assert_int_equal(strlen(l.session_id), sizeof(l.session_id) - 1);
	link_done(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(device_hello),
		cmocka_unit_test(up),
		cmocka_unit_test(unknown_dialect),
		cmocka_unit_test(settled),
		cmocka_unit_test(payloads),
		cmocka_unit_test(batches),
		cmocka_unit_test(device_messages),
		cmocka_unit_test(broken),
		cmocka_unit_test(audio),
		cmocka_unit_test(wrap),
		cmocka_unit_test(wrap_device),
		cmocka_unit_test(udp_offer),
		cmocka_unit_test(learned_session),
		cmocka_unit_test(relayed),
		cmocka_unit_test(relayed_without_hello),
	};

	return cmocka_run_group_tests_name("link", tests, NULL, NULL);
}
