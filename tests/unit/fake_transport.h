/* SPDX-License-Identifier: MIT */
/*
 * A transport for tests: what a test pushes comes out of the loop when it is
 * due, what is sent is kept and shown to the test's on_send. One at a time.
 */
#ifndef FAKE_TRANSPORT_H
#define FAKE_TRANSPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "net/transport.h"

enum { FAKE_FRAMES = 512 };

enum fake_what {
	FAKE_READY,
	FAKE_TEXT,
	FAKE_BINARY,
	FAKE_NOTICE,
	FAKE_PONG,
	FAKE_FAILED,
	FAKE_CLOSED
};

struct fake_frame {
	enum fake_what what;
	char *data;
	size_t len;
	int64_t due;
	int64_t number; /* kind of a notice, id of a failure */
};

struct fake {
	struct transport *transport;
	struct timer timer;
	struct fake_frame frame[FAKE_FRAMES];
	size_t count;
	char *sent[FAKE_FRAMES];
	size_t sent_count;
	struct peer_info peer;
	struct error close_why;
	int64_t close_delay;
	bool no_ready, closing, refuse_send, refuse_open;
	void (*on_send)(const char *text, size_t len);
	void (*on_ready)(void);
	struct error failed_why; /* of FAKE_FAILED; ERR_NONE: "refused" */
	char negotiated[32]; /* what the transport was told */
	bool speaks;
	int64_t forgotten[8]; /* the last */
	size_t forgotten_count;
};

static struct fake fake;

static inline void fake_schedule(void)
{
	int64_t next = INT64_MAX, now = loop_now();

	for (size_t i = 0; i < fake.count; i++) {
		if (fake.frame[i].due < next)
			next = fake.frame[i].due;
	}
	if (fake.count && fake.timer.open)
		timer_start(&fake.timer, next > now ? next - now : 0);
}

static inline void fake_push_number(enum fake_what what, int64_t number,
				    const char *data, int64_t delay)
{
	struct fake_frame *f = &fake.frame[fake.count++];

	assert_true(fake.count < FAKE_FRAMES);
	*f = (struct fake_frame){ .what = what, .number = number };
	f->len = data ? strlen(data) : 0;
	f->data = mem_strdup(data ? data : "");
	f->due = loop_now() + delay;
	fake_schedule();
}

static inline void fake_push(enum fake_what what, const char *data,
			     int64_t delay)
{
	fake_push_number(what, 0, data, delay);
}

/* May hold a NUL. */
static inline void fake_push_bytes(enum fake_what what, const void *data,
				   size_t len, int64_t delay)
{
	struct fake_frame *f;

	fake_push(what, NULL, delay);
	f = &fake.frame[fake.count - 1];
	mem_free(f->data);
	f->data = mem_alloc(len + 1);
	memcpy(f->data, data, len);
	f->len = len;
}

static inline void fake_push_binary(const void *data, size_t len, int64_t delay)
{
	fake_push_bytes(FAKE_BINARY, data, len, delay);
}

static inline void fake_text(const char *text)
{
	fake_push(FAKE_TEXT, text, 0);
}

static inline void fake_closed(void *owner)
{
	struct transport *t = fake.transport;

	(void)owner;
	t->impl = NULL;
	t->events->closed(t->owner, &fake.close_why);
}

static inline void fake_deliver(const struct fake_frame *f)
{
	struct transport *t = fake.transport;
	struct error refused = { .kind = ERR_PEER, .text = "refused" };
	struct notice n = { .kind = (enum notice_kind)f->number,
			    .text = f->data,
			    .address = "10.0.0.7:1",
			    .count = 7 };

	switch (f->what) {
	case FAKE_READY:
		t->events->ready(t->owner, &fake.peer);
		if (fake.on_ready)
			fake.on_ready();
		break;
	case FAKE_TEXT:
		t->events->message(t->owner, FRAME_TEXT, f->data, f->len);
		break;
	case FAKE_BINARY:
		t->events->message(t->owner, FRAME_BINARY, f->data, f->len);
		break;
	case FAKE_NOTICE:
		t->events->notice(t->owner, &n);
		break;
	case FAKE_PONG:
		t->events->pong(t->owner);
		break;
	case FAKE_FAILED:
		t->events->failed(t->owner, f->number,
				  fake.failed_why.kind == ERR_NONE ?
					  &refused :
					  &fake.failed_why);
		break;
	case FAKE_CLOSED:
		fake.closing = true;
		timer_close(&fake.timer, fake_closed);
		break;
	}
}

/* All that is due, in the order of pushing, in one turn of the loop. */
static inline void fake_due(void *owner)
{
	int64_t now = loop_now();
	size_t i = 0;

	(void)owner;
	while (i < fake.count && !fake.closing) {
		struct fake_frame f = fake.frame[i];

		if (f.due > now) {
			i++;
			continue;
		}
		fake.count--;
		memmove(&fake.frame[i], &fake.frame[i + 1],
			(fake.count - i) * sizeof(f));
		fake_deliver(&f);
		mem_free(f.data);
	}
	if (!fake.closing)
		fake_schedule();
}

static inline int fake_open(struct transport *t, const struct endpoint *to,
			    struct error *err)
{
	(void)to;
	if (fake.refuse_open)
		return error_set(err, ERR_CONNECT, "refused to open");
	fake.transport = t;
	t->impl = &fake;
	timer_open(&fake.timer, t->loop, fake_due, NULL);
	if (!fake.no_ready)
		fake_push(FAKE_READY, NULL, 0);
	fake_schedule();
	return 0;
}

static inline int fake_send(struct transport *t, const char *text, size_t len,
			    struct error *err)
{
	(void)t;
	if (fake.refuse_send)
		return error_set(err, ERR_CONNECT, "the queue is full");
	assert_true(fake.sent_count < FAKE_FRAMES);
	fake.sent[fake.sent_count++] = mem_strndup(text, len);
	if (fake.on_send)
		fake.on_send(text, len);
	return 0;
}

static inline void fake_close(struct transport *t)
{
	(void)t;
	if (!fake.closing)
		fake_push(FAKE_CLOSED, NULL, fake.close_delay);
}

static inline int fake_explain(struct transport *t, struct error *err)
{
	(void)t;
	return error_set(err, ERR_CONNECT, "nothing came at all");
}

static inline void fake_negotiated(struct transport *t, const char *revision,
				   bool speaks)
{
	(void)t;
	fake.speaks = speaks;
	assert_true(strlen(revision) < sizeof(fake.negotiated));
	memcpy(fake.negotiated, revision, strlen(revision) + 1);
}

static inline void fake_forget(struct transport *t, int64_t id)
{
	(void)t;
	fake.forgotten[fake.forgotten_count++ % COUNT(fake.forgotten)] = id;
}

static const struct transport_ops fake_ops = {
	.scheme = "fake",
	.open = fake_open,
	.send = fake_send,
	.close = fake_close,
	.explain = fake_explain,
	.negotiated = fake_negotiated,
	.forget = fake_forget,
};

static const struct transport_ops fake_mute_ops = {
	.scheme = "fake",
	.open = fake_open,
	.send = fake_send,
	.close = fake_close,
};

static inline void fake_reset(void)
{
	for (size_t i = 0; i < fake.count; i++)
		mem_free(fake.frame[i].data);
	for (size_t i = 0; i < fake.sent_count; i++)
		mem_free(fake.sent[i]);
	error_reset(&fake.close_why);
	error_reset(&fake.failed_why);
	fake = (struct fake){ .peer = { .address = "10.0.0.7:51234" } };
}

#endif
