/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a text frame, through the link in each dialect.
 */
#include <assert.h>
#include <stdint.h>

#include "base/json_scan.h"
#include "rpc/link.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* How often what was handed out, and what was sent. */
struct taken {
	unsigned sent, hello, broken, other;
	bool batch;
};

static void on_send(void *owner, const struct buf *frame)
{
	struct taken *t = owner;

	t->sent += frame->len > 0;
}

static void on_hello(void *owner, struct span frame)
{
	struct taken *t = owner;

	t->hello += frame.len > 0;
}

/* What is passed on must be JSON again, with the id where it is said to be. */
static void on_message(void *owner, const struct message *m)
{
	struct taken *t = owner;

	assert(json_check(m->text, m->len, NULL) == 0);
	assert(json_check(m->frame.text, m->frame.len, NULL) == 0);
	assert(!m->id.text ||
	       (m->id.text > m->frame.text &&
		m->id.text + m->id.len < m->frame.text + m->frame.len));
	t->other++;
}

static void on_reply(void *owner, struct message *m)
{
	on_message(owner, m);
	assert(m->id.text && message_keep(m, NULL) == 0);
	assert(m->result || m->error);
}

static void on_odd(void *owner, const struct message *m, const char *why)
{
	assert(why && json_check(m->text, m->len, NULL) == 0);
	((struct taken *)owner)->other++;
}

static bool on_batch(void *owner, const struct message *m)
{
	struct taken *t = owner;

	assert(m->kind == MESSAGE_BATCH);
	t->batch = true;
	return m->len % 2;
}

static void on_unread(void *owner, const struct message *m)
{
	(void)m;
	((struct taken *)owner)->other++;
}

static void on_device(void *owner, const char *type, struct span frame)
{
	assert(type && frame.len);
	((struct taken *)owner)->other++;
}

static void on_broken(void *owner, struct span frame,
		      const struct error *problem,
		      const struct salvage *salvage)
{
	(void)frame;
	assert(problem->kind == ERR_PROTOCOL);
	assert(!salvage->has_id || salvage->id_text.len);
	((struct taken *)owner)->broken++;
}

static const struct link_events events = {
	.send = on_send,
	.hello = on_hello,
	.reply = on_reply,
	.request = on_message,
	.notification = on_message,
	.odd = on_odd,
	.batch = on_batch,
	.unread = on_unread,
	.device = on_device,
	.broken = on_broken,
};

static void receive(enum dialect dialect, const uint8_t *data, size_t size)
{
	struct span frame = { (const char *)data, size };
	struct taken t = { 0 };
	struct link l;

	link_init(&l, dialect, 0);
	link_receive(&l, FRAME_TEXT, frame, &events, &t);
	assert(t.hello + t.broken + t.other == 1 || t.batch);
	assert(t.hello == t.sent);
	link_done(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = { 0 };
	struct envelope e;

	if (envelope_decode(&e, (const char *)data, size, &err) == 0 &&
	    e.message.text)
		assert(json_check(e.message.text, e.message.len, NULL) == 0);
	envelope_done(&e);
	error_reset(&err);
	receive(DIALECT_UNKNOWN, data, size);
	receive(DIALECT_DEVICE, data, size);
	receive(DIALECT_PLAIN, data, size);
	return 0;
}
