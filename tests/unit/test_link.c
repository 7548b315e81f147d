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

/* Only 1, 2 and 3 are versions of frames: of the option, the header, the hello. */
static void frame_versions(void **state)
{
	static const struct {
		int told, of_2; /* what it is then, where it was 2 before */
	} rows[] = { { -1, 2 }, { 0, 2 }, { 1, 1 }, { 2, 2 },
		     { 3, 3 },	{ 4, 2 }, { 9, 2 } };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct relay_info relay = { .session_id = "",
						  .frame_version =
							  rows[i].told };
		CLEANUP(mem_free_ptr)
		char *hello = mem_printf("{\"type\":\"hello\",\"version\":%d}",
					 rows[i].told);
		struct link l;

		link_init(&l, DIALECT_DEVICE, rows[i].told);
		assert_int_equal(l.frame_version, rows[i].of_2 == rows[i].told ?
							  rows[i].told :
							  1);
		link_init(&l, DIALECT_DEVICE, 2);
		link_connected(&l, true, rows[i].told);
		assert_int_equal(l.frame_version, rows[i].of_2);
		link_init(&l, DIALECT_DEVICE, 2);
		link_relayed(&l, &relay);
		assert_int_equal(l.frame_version, rows[i].of_2);
		link_init(&l, DIALECT_DEVICE, 2);
		assert_int_equal(kind_of(&l, hello), LINK_HELLO);
		assert_int_equal(l.frame_version, rows[i].of_2);
		link_done(&l);
	}
}

static void who_is_up(void **state)
{
	static const struct {
		enum dialect dialect;
		bool dialled_in;
		enum dialect then;
		bool up;
	} rows[] = {
		{ DIALECT_PLAIN, false, DIALECT_PLAIN, true },
		{ DIALECT_PLAIN, true, DIALECT_PLAIN, true },
		{ DIALECT_DEVICE, false, DIALECT_DEVICE, true },
		{ DIALECT_DEVICE, true, DIALECT_DEVICE, false },
		{ DIALECT_UNKNOWN, false, DIALECT_UNKNOWN, false },
		{ DIALECT_UNKNOWN, true, DIALECT_DEVICE, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct link l;

		link_init(&l, rows[i].dialect, 0);
		assert_int_equal(l.up, rows[i].dialect == DIALECT_PLAIN);
		link_connected(&l, rows[i].dialled_in, 0);
		assert_int_equal(l.dialect, rows[i].then);
		assert_int_equal(l.up, rows[i].up);
		link_done(&l);
		assert_int_equal(l.dialect, DIALECT_UNKNOWN);
		assert_false(l.up);
	}
}

/* What an unknown peer says first: whether it is up, and what it is. */
static void first_words(void **state)
{
	static const struct {
		const char *text;
		enum dialect dialect;
		bool up;
		enum link_kind kind;
	} rows[] = {
		{ "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}", DIALECT_PLAIN, true,
		  LINK_PAYLOAD },
		{ "{\"id\":1}", DIALECT_UNKNOWN, false, LINK_PAYLOAD },
		{ "{\"type\":\"mcp\",\"payload\":5}", DIALECT_DEVICE, true,
		  LINK_BROKEN },
		{ "{\"type\":\"mcp\"}", DIALECT_DEVICE, true, LINK_BROKEN },
		{ "{\"type\":\"hello\"}", DIALECT_DEVICE, true, LINK_HELLO },
		{ "{\"type\":\"listen\"}", DIALECT_UNKNOWN, false,
		  LINK_DEVICE },
		{ "{", DIALECT_UNKNOWN, false, LINK_BROKEN },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct link l;

		link_init(&l, DIALECT_UNKNOWN, 0);
		assert_int_equal(kind_of(&l, rows[i].text), rows[i].kind);
		assert_int_equal(l.dialect, rows[i].dialect);
		assert_int_equal(l.up, rows[i].up);
		link_done(&l);
	}
}

/* A dialect that is known stays, whatever comes. */
static void stays_plain(void **state)
{
	struct link l;

	(void)state;
	link_init(&l, DIALECT_PLAIN, 0);
	assert_int_equal(
		kind_of(&l,
			"{\"session_id\":\"S\",\"type\":\"mcp\",\"payload\":{\"id\":1,\"result\":1}}"),
		LINK_PAYLOAD);
	assert_int_equal(l.dialect, DIALECT_PLAIN);
	/* And an id of a session is of devices alone. */
	assert_string_equal(l.session_id, "");
	assert_int_equal(kind_of(&l, HELLO), LINK_DEVICE);
	assert_int_equal(l.hellos, 0);
	assert_false(l.has_hello);
	link_done(&l);
}

static void told_first(void *owner, enum frame_kind kind, struct span frame,
		       const struct json_places *at)
{
	struct link_item *i = owner;

	assert_int_equal(i->kind, LINK_NOTHING);
	buf_printf(i->reply, "%s %.*s%s",
		   kind == FRAME_TEXT ? "text" : "binary", (int)frame.len,
		   frame.text, at ? " placed" : "");
}

/* Each frame is told before what it means; what is no JSON has no places. */
static void frames_are_told(void **state)
{
	static const struct {
		enum frame_kind kind;
		const char *frame, *told;
	} rows[] = {
		{ FRAME_TEXT, "{\"id\":1,\"result\":1}",
		  "text {\"id\":1,\"result\":1} placed" },
		{ FRAME_TEXT, "{\"type\":\"x\"}",
		  "text {\"type\":\"x\"} placed" },
		{ FRAME_TEXT, "{\"id\":", "text {\"id\":" },
		{ FRAME_BINARY, "abc", "binary abc" },
	};
	struct link_events all = events;

	(void)state;
	all.frame = told_first;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(buf_done) struct buf told = { 0 };
		struct link_item item = { .reply = &told };
		struct link l;

		link_init(&l, DIALECT_DEVICE, 0);
		link_receive(
			&l, rows[i].kind,
			(struct span){ rows[i].frame, strlen(rows[i].frame) },
			&all, &item);
		assert_string_equal(buf_string(&told), rows[i].told);
		assert_true(item.kind != LINK_NOTHING);
		link_item_done(&item);
		link_done(&l);
	}
}

static void keep_frame(void *owner, const struct message *m)
{
	buf_add(owner, m->frame.text, m->frame.len);
	buf_char(owner, '\n');
}

/* The parts of a batch, each in a frame as it would have come alone. */
static void frames_of_a_batch(void **state)
{
	static const struct link_events notes = { .notification = keep_frame,
						  .request = keep_frame };
	static const char text[] =
		"{\"type\":\"mcp\",\"payload\":[{\"method\":\"a\"},{\"id\":1,\"method\":\"b\"}]}";
	CLEANUP(buf_done) struct buf out = { 0 };
	struct link l;

	(void)state;
	link_init(&l, DIALECT_DEVICE, 0);
	memcpy(l.session_id, "S1", 3);
	link_receive(&l, FRAME_TEXT, (struct span){ text, strlen(text) },
		     &notes, &out);
	assert_string_equal(
		buf_string(&out),
		"{\"session_id\":\"S1\",\"type\":\"mcp\",\"payload\":{\"method\":\"a\"}}\n"
		"{\"session_id\":\"S1\",\"type\":\"mcp\",\"payload\":{\"id\":1,\"method\":\"b\"}}\n");
	link_done(&l);
}

/* An id of 63 bytes has room, one more has none; a hello shows no old one. */
static void ids_that_are_learned(void **state)
{
#define ID_62 "01234567890123456789012345678901234567890123456789012345678901"
	static const struct {
		const char *text, *id;
	} rows[] = {
		{ "{\"session_id\":\"" ID_62 "2\",\"type\":\"x\"}", ID_62 "2" },
		{ "{\"session_id\":\"" ID_62 "23\",\"type\":\"x\"}", "" },
		{ "{\"sessionId\":\"S\",\"type\":\"x\"}", "S" },
		{ "{\"session_id\":5,\"type\":\"x\"}", "" },
		{ "{\"session_id\":\"S\",\"type\":\"mcp\",\"payload\":{\"id\":1}}",
		  "S" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct link l;

		link_init(&l, DIALECT_DEVICE, 0);
		kind_of(&l, rows[i].text);
		assert_string_equal(l.session_id, rows[i].id);
		assert_int_equal(l.learned, *rows[i].id != '\0');
		assert_int_equal(l.gone_camel, i == 2);
		kind_of(&l, "{\"type\":\"hello\",\"session_id\":\"T\"}");
		assert_memory_equal(l.session_id, "mcpctl-", 7);
		assert_int_equal(strlen(l.session_id), 23);
		assert_false(l.learned);
		assert_int_equal(l.gone_camel, i == 2);
		link_done(&l);
	}
}

/* serve may have made a new session at the hello: the device shows it. */
static void relayed_hello_again(void **state)
{
	const struct relay_info relay = { .hello = HELLO,
					  .hello_len = strlen(HELLO),
					  .session_id = "S-7",
					  .hellos = 5,
					  .mqtt = true };
	struct link l;

	(void)state;
	link_init(&l, DIALECT_DEVICE, 2);
	link_relayed(&l, &relay);
	assert_int_equal(l.hellos, 5);
	assert_true(l.has_udp);
	kind_of(&l, "{\"session_id\":\"S-8\",\"type\":\"x\"}");
	assert_string_equal(l.session_id, "S-7");
	assert_int_equal(kind_of(&l, "{\"type\":\"hello\",\"version\":2}"),
			 LINK_HELLO);
	assert_int_equal(l.hellos, 6);
	assert_false(l.hello.mcp);
	kind_of(&l, "{\"session_id\":\"S-8\",\"type\":\"x\"}");
	assert_string_equal(l.session_id, "S-8");
	link_done(&l);
}

/* How sound goes out: with the head of the version, bare over UDP and serve. */
static void wraps_sound(void **state)
{
	static const struct {
		int version;
		bool relayed, udp;
		const char *bytes;
		size_t len;
	} rows[] = {
		{ 1, false, false, "xy", 2 },
		{ 2, false, false, "\0\2\0\0\0\0\0\0\1\2\3\4\0\0\0\2xy", 18 },
		{ 3, false, false, "\0\0\0\2xy", 6 },
		{ 3, true, false, "xy", 2 },
		{ 2, false, true, "xy", 2 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(buf_done) struct buf out = { 0 };
		struct link l;

		link_init(&l, DIALECT_DEVICE, rows[i].version);
		l.relayed = rows[i].relayed;
		l.has_udp = rows[i].udp;
		link_wrap_sound(&l, 0x01020304, "xy", 2, &out);
		assert_int_equal(out.len, rows[i].len);
		assert_memory_equal(out.data, rows[i].bytes, rows[i].len);
		link_done(&l);
	}
}

static const struct link *watched;

static void told_whose(void *owner, enum frame_kind kind, struct span frame,
		       const struct json_places *at)
{
	(void)owner;
	(void)kind;
	(void)frame;
	(void)at;
	assert_int_equal(watched->dialect, DIALECT_DEVICE);
	assert_false(watched->up);
}

/* Who judges frames knows whose they are; and it is up behind the answer. */
static void whose_frames(void **state)
{
	CLEANUP(buf_done) struct buf reply = { 0 };
	struct link_item item = { .reply = &reply };
	struct link_events all = events;
	struct link l;

	(void)state;
	all.frame = told_whose;
	link_init(&l, DIALECT_UNKNOWN, 0);
	watched = &l;
	link_receive(&l, FRAME_TEXT, (struct span){ HELLO, strlen(HELLO) },
		     &all, &item);
	assert_true(l.up);
	link_item_done(&item);
	link_done(&l);
}

/* Nobody can guess it: it is another one each time. An id may be short. */
static void session_ids(void **state)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct link l, other;

	(void)state;
	link_init(&l, DIALECT_DEVICE, 0);
	link_init(&other, DIALECT_DEVICE, 0);
	kind_of(&l, HELLO);
	kind_of(&other, HELLO);
	assert_string_not_equal(l.session_id, other.session_id);
	link_done(&l);
	link_done(&other);
	link_init(&l, DIALECT_DEVICE, 0);
	memcpy(l.session_id, "S", 2);
	link_wrap(&l, "{}", 2, &out);
	assert_string_equal(
		buf_string(&out),
		"{\"session_id\":\"S\",\"type\":\"mcp\",\"payload\":{}}");
	kind_of(&l, "{\"session_id\":\"T\",\"type\":\"x\"}");
	assert_string_equal(l.session_id, "S");
	kind_of(&l, HELLO);
	assert_string_equal(l.session_id, "S");
	link_done(&l);
}

/* Without an offer, or for another transport, the answer is WebSocket's. */
static void offers(void **state)
{
	static const struct udp_offer offer = { .server = "h", .port = 7 };
	CLEANUP(buf_done) struct buf reply = { 0 };
	struct link_item item;
	struct link l;

	(void)state;
	link_init(&l, DIALECT_DEVICE, 0);
	link_offer_udp(&l, NULL);
	assert_false(l.has_udp);
	receive(&l, UDP_HELLO, &item, &reply);
	link_item_done(&item);
	assert_non_null(strstr(buf_string(&reply), "\"websocket\""));
	link_offer_udp(&l, &offer);
	link_offer_udp(&l, NULL);
	/* That there was one stays. */
	assert_true(l.has_udp && !l.udp);
	link_done(&l);
}

static void refused_device_messages(void **state)
{
	static const struct {
		const char *json;
		enum dialect dialect;
		bool relayed;
		const char *text, *hint;
	} rows[] = {
		{ "{\"type\":\"tts\"}", DIALECT_PLAIN, false,
		  "the peer speaks plain JSON-RPC and takes no device messages",
		  "for a JSON-RPC message use 'request' or 'notify'" },
		{ "{\"type\":5}", DIALECT_DEVICE, false,
		  "a device message is a JSON object with the text member 'type'",
		  "for example {\"type\":\"system\",\"command\":\"reboot\"}" },
		{ "{\"type\":\"hello\"}", DIALECT_DEVICE, true,
		  "serve has said hello to the device already", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(buf_done) struct buf out = { 0 };
		struct error err = { 0 };
		struct link l;

		link_init(&l, rows[i].dialect, 0);
		l.relayed = rows[i].relayed;
		assert_int_equal(link_wrap_device(&l, rows[i].json, &out, &err),
				 -1);
		assert_int_equal(err.kind, ERR_USAGE);
		assert_string_equal(err.text, rows[i].text);
		assert_string_equal(err.hint, rows[i].hint);
		assert_int_equal(out.len, 0);
		error_reset(&err);
		link_done(&l);
	}
}

/* As it was written: no session yet, serve's, an unknown dialect; and broken. */
static void other_device_messages(void **state)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct error err = { 0 };
	struct link l;

	(void)state;
	link_init(&l, DIALECT_UNKNOWN, 0);
	assert_int_equal(
		link_wrap_device(&l, "{\"type\":\"hello\"}", &out, &err), 0);
	assert_string_equal(buf_string(&out), "{\"type\":\"hello\"}");
	buf_reset(&out);
	l.relayed = true;
	assert_int_equal(link_wrap_device(&l, "{\"type\":\"tts\"}", &out, &err),
			 0);
	assert_string_equal(buf_string(&out), "{\"type\":\"tts\"}");
	assert_int_equal(link_wrap_device(&l, "{", &out, &err), -1);
	assert_memory_equal(err.text, "device message: ", 16);
	error_reset(&err);
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
		cmocka_unit_test(frame_versions),
		cmocka_unit_test(who_is_up),
		cmocka_unit_test(first_words),
		cmocka_unit_test(stays_plain),
		cmocka_unit_test(frames_are_told),
		cmocka_unit_test(frames_of_a_batch),
		cmocka_unit_test(ids_that_are_learned),
		cmocka_unit_test(relayed_hello_again),
		cmocka_unit_test(wraps_sound),
		cmocka_unit_test(offers),
		cmocka_unit_test(whose_frames),
		cmocka_unit_test(session_ids),
		cmocka_unit_test(refused_device_messages),
		cmocka_unit_test(other_device_messages),
	};

	return cmocka_run_group_tests_name("link", tests, NULL, NULL);
}
