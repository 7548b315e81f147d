/* SPDX-License-Identifier: MIT */
/*
 * The owner of a transport, for tests: it writes down what it is told, and
 * checks that nothing comes when nothing may.
 */
#ifndef TRANSPORT_OWNER_H
#define TRANSPORT_OWNER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/loop.h"
#include "base/mem.h"
#include "base/split.h"
#include "net/transport.h"

struct seen {
	struct loop *loop;
	struct transport t;
	struct endpoint to;
	bool ready, closed, stir; /* stir: anything came */
	struct words messages;
	struct words failures; /* "ID: TEXT" */
	struct error last; /* of failures */
	struct words notices;
	struct error why;
	bool close_at_message, forget_at_message;
};

static inline void seen_ready(void *owner, const struct peer_info *peer)
{
	struct seen *s = owner;

	assert_non_null(peer->address);
	assert_false(s->closed);
	s->ready = s->stir = true;
}

static inline void seen_message(void *owner, enum frame_kind kind,
				const void *data, size_t len)
{
	struct seen *s = owner;
	CLEANUP(mem_free_ptr) char *text = mem_strndup(data, len);

	assert_int_equal(kind, FRAME_TEXT);
	assert_false(s->closed);
	if (len > 4096) {
		mem_free(text);
		text = mem_printf("%zu bytes", len);
	}
	words_add(&s->messages, text);
	s->stir = true;
	if (s->forget_at_message)
		s->t.ops->forget(&s->t, 1);
	if (s->close_at_message)
		s->t.ops->close(&s->t);
}

static inline void seen_failed(void *owner, int64_t id, const struct error *why)
{
	struct seen *s = owner;
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("%lld: %s", (long long)id, why->text);

	assert_false(s->closed);
	assert_int_not_equal(why->kind, ERR_NONE);
	/* No secret in any of them. */
	assert_null(strstr(why->text, "hush"));
	assert_null(strstr(why->hint, "hush"));
	words_add(&s->failures, text);
	error_copy(&s->last, why);
	s->stir = true;
}

static inline void seen_closed(void *owner, const struct error *why)
{
	struct seen *s = owner;

	assert_false(s->closed);
	assert_null(s->t.impl);
	s->closed = s->stir = true;
	error_copy(&s->why, why);
}

static inline void seen_notice(void *owner, const struct notice *n)
{
	struct seen *s = owner;

	assert_false(s->closed);
	assert_null(strstr(n->text, "hush"));
	words_add(&s->notices, n->text);
	s->stir = true;
}

static const struct transport_events seen_events = {
	.ready = seen_ready,
	.message = seen_message,
	.failed = seen_failed,
	.closed = seen_closed,
	.notice = seen_notice,
};

static inline void seen_wait(struct seen *s, const char *what)
{
	s->stir = false;
	if (loop_wait(s->loop, &s->stir, loop_now() + 60000, NULL))
		fail_msg("nothing came: %s", what);
}

static inline const char *seen_next(struct seen *s, const struct words *in,
				    size_t index)
{
	while (in->count <= index)
		seen_wait(s, "message, failure or notice");
	return in->word[index];
}

static inline void seen_send(struct seen *s, const char *text)
{
	struct error err = { 0 };

	if (s->t.ops->send(&s->t, text, strlen(text), &err))
		fail_msg("%s", err.text);
}

/* Options may be set in s->to after seen_target. */
static inline void seen_target(struct seen *s, const char *target)
{
	struct error err = { 0 };

	assert_int_equal(endpoint_parse(&s->to, target, "the test", &err), 0);
}

static inline void seen_open(struct seen *s, const struct transport_ops *ops)
{
	struct error err = { 0 };

	s->t.ops = ops;
	if (ops->open(&s->t, &s->to, &err))
		fail_msg("%s", err.text);
	while (!s->ready)
		seen_wait(s, "ready");
}

static inline void seen_close(struct seen *s)
{
	int64_t start = loop_now();

	s->t.ops->close(&s->t);
	while (!s->closed)
		seen_wait(s, "closed");
	assert_true(loop_now() - start < 3000);
}

static inline void seen_reset(struct seen *s)
{
	words_done(&s->messages);
	words_done(&s->failures);
	words_done(&s->notices);
	error_reset(&s->last);
	error_reset(&s->why);
	endpoint_done(&s->to);
	s->ready = s->closed = false;
	s->close_at_message = s->forget_at_message = false;
}

#endif
