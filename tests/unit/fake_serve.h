/* SPDX-License-Identifier: MIT */
/*
 * The other end of serve's socket for tests: listens in a folder of its own,
 * on the test's loop; what a command sends goes to on_frame, which answers.
 */
#ifndef FAKE_SERVE_H
#define FAKE_SERVE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/loop.h"
#include "base/mem.h"
#include "wire/control_frames.h"

enum { FAKE_PEERS = 128 };

struct fake_serve;

struct fake_peer {
	struct fake_serve *serve;
	uv_pipe_t pipe;
	struct buf in;
	bool open, greeted;
	char chunk[4096];
};

struct fake_serve {
	struct loop *loop;
	uv_pipe_t listener;
	char folder[32], path[64];
	struct fake_peer peer[FAKE_PEERS];
	size_t peers;
	bool open;
	void (*on_frame)(struct fake_peer *p, const struct control_frame *f);
	char *asked; /* the last JSON that came, but for its greeting */
	const char *greeting; /* the answer to it; NULL: of this version */
	unsigned closed;
};

#define FAKE_DEVICE                                                         \
	"{\"id\":\"aa:01\",\"client_id\":\"c-1\",\"alias\":\"kitchen\","    \
	"\"board\":\"esp-box\",\"version\":\"2.4.2\",\"transport\":"        \
	"\"websocket\",\"address\":\"10.0.0.7:5\",\"since\":"               \
	"\"2026-08-08T12:01:02.123Z\",\"seen\":\"2026-08-08T12:01:02Z\","   \
	"\"state\":\"ready\",\"reason\":null,\"tools\":2,\"user_tools\":1," \
	"\"list\":\"00ff\"}"

static inline void fake_serve_bytes(struct fake_peer *p, const void *data,
				    size_t len)
{
	char *copy = mem_alloc(len);
	uv_buf_t all = uv_buf_init(copy, (unsigned)len);

	memcpy(copy, data, len);
	assert_int_equal(uv_try_write((uv_stream_t *)&p->pipe, &all, 1),
			 (int)len);
	mem_free(copy);
}

static inline void fake_serve_send(struct fake_peer *p, enum control_kind kind,
				   const void *data, size_t len)
{
	struct buf frame = { 0 };

	control_encode(&frame, kind, data, len);
	fake_serve_bytes(p, frame.data, frame.len);
	buf_done(&frame);
}

static inline void fake_serve_json(struct fake_peer *p, const char *json)
{
	fake_serve_send(p, CONTROL_JSON, json, strlen(json));
}

/* hello and initialize may be "null". */
static inline void fake_serve_attached(struct fake_peer *p, const char *hello,
				       const char *initialize)
{
	char *json = mem_printf("{\"op\":\"attached\",\"device\":" FAKE_DEVICE
				",\"hello\":%s,\"initialize\":%s,"
				"\"session_id\":\"S-1\",\"frame_version\":2}",
				hello, initialize);

	fake_serve_json(p, json);
	mem_free(json);
}

static inline void fake_serve_peer_closed(uv_handle_t *handle)
{
	struct fake_peer *p = handle->data;

	buf_done(&p->in);
	p->open = false;
	p->serve->closed++;
}

static inline void fake_serve_drop(struct fake_peer *p)
{
	if (p->open && !uv_is_closing((uv_handle_t *)&p->pipe))
		uv_close((uv_handle_t *)&p->pipe, fake_serve_peer_closed);
}

static inline void fake_serve_allocate(uv_handle_t *handle, size_t suggested,
				       uv_buf_t *out)
{
	struct fake_peer *p = handle->data;

	(void)suggested;
	*out = uv_buf_init(p->chunk, sizeof(p->chunk));
}

/* True: it was the first question of a command. */
static inline bool fake_serve_greeted(struct fake_peer *p,
				      const struct control_frame *f)
{
	struct buf answer = { 0 };

	if (f->kind != CONTROL_JSON || p->greeted)
		return false;
	p->greeted = true;
	greeting_answer(&answer, 4711);
	fake_serve_json(p, p->serve->greeting ? p->serve->greeting :
						buf_string(&answer));
	buf_done(&answer);
	return true;
}

static inline void fake_serve_read(uv_stream_t *stream, ssize_t len,
				   const uv_buf_t *data)
{
	struct fake_peer *p = stream->data;
	struct control_frame f;

	if (len < 0) {
		fake_serve_drop(p);
		return;
	}
	buf_add(&p->in, data->base, (size_t)len);
	while (p->in.len && control_decode(&f, p->in.data, p->in.len, NULL)) {
		if (fake_serve_greeted(p, &f)) {
			buf_consume(&p->in, f.size);
			continue;
		}
		if (f.kind == CONTROL_JSON) {
			mem_free(p->serve->asked);
			p->serve->asked = mem_strndup(f.data, f.len);
		}
		p->serve->on_frame(p, &f);
		buf_consume(&p->in, f.size);
	}
}

static inline void fake_serve_accept(uv_stream_t *listener, int status)
{
	struct fake_serve *s = listener->data;
	struct fake_peer *p = &s->peer[s->peers++];

	assert_int_equal(status, 0);
	assert_true(s->peers <= FAKE_PEERS);
	*p = (struct fake_peer){ .serve = s, .open = true };
	uv_pipe_init(loop_uv(s->loop), &p->pipe, 0);
	p->pipe.data = p;
	assert_int_equal(uv_accept(listener, (uv_stream_t *)&p->pipe), 0);
	uv_read_start((uv_stream_t *)&p->pipe, fake_serve_allocate,
		      fake_serve_read);
}

static inline void fake_serve_open(
	struct fake_serve *s, struct loop *l,
	void (*on_frame)(struct fake_peer *p, const struct control_frame *f))
{
	*s = (struct fake_serve){ .loop = l, .on_frame = on_frame };
	snprintf(s->folder, sizeof(s->folder), "/tmp/mcpctl-test-XXXXXX");
	assert_non_null(mkdtemp(s->folder));
	snprintf(s->path, sizeof(s->path), "%s/serve.sock", s->folder);
	uv_pipe_init(loop_uv(l), &s->listener, 0);
	s->listener.data = s;
	assert_int_equal(uv_pipe_bind(&s->listener, s->path), 0);
	assert_int_equal(
		uv_listen((uv_stream_t *)&s->listener, 64, fake_serve_accept),
		0);
	s->open = true;
}

static inline void fake_serve_close(struct fake_serve *s)
{
	if (!s->open)
		return;
	s->open = false;
	for (size_t i = 0; i < s->peers; i++)
		fake_serve_drop(&s->peer[i]);
	uv_close((uv_handle_t *)&s->listener, NULL);
	for (int i = 0; i < 4; i++)
		loop_poll(s->loop);
	unlink(s->path);
	rmdir(s->folder);
	mem_free(TAKE(s->asked));
}

#endif
