/* SPDX-License-Identifier: MIT */
/*
 * Frames over serve's socket, in both directions. What the frames say is the
 * matter of whoever opened it.
 */
#include "net/control_client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"

enum { CONNECT_SECONDS = 5, CHUNK = 65536 };
/* How long what was sent may take to leave before a close. */
#define DRAIN_MS 1000

struct control_client {
	uv_pipe_t pipe;
	uv_shutdown_t shutdown;
	struct timer drain;
	unsigned parts; /* that are still being closed */
	const struct control_client_events *events;
	void *owner;
	struct buf in; /* what is no whole frame yet */
	struct error why;
	bool greeted, closing;
	char chunk[CHUNK];
};

struct pending_write {
	uv_write_t uv;
	char *data;
};

/* ---- the end ---- */

static void on_part_closed(void *owner)
{
	struct control_client *c = owner;

	if (--c->parts)
		return;
	c->events->closed(c->owner, &c->why);
	buf_done(&c->in);
	error_reset(&c->why);
	mem_free(c);
}

static void on_pipe_closed(uv_handle_t *handle)
{
	on_part_closed(handle->data);
}

static void close_parts(void *owner)
{
	struct control_client *c = owner;

	if (uv_is_closing((uv_handle_t *)&c->pipe))
		return;
	c->parts = 2;
	uv_close((uv_handle_t *)&c->pipe, on_pipe_closed);
	timer_close(&c->drain, on_part_closed);
}

static void on_shutdown(uv_shutdown_t *request, int status)
{
	(void)status;
	close_parts(request->handle->data);
}

/* What was sent still goes out; a serve that does not read is not waited for. */
static void hang_up(struct control_client *c)
{
	uv_stream_t *stream = (uv_stream_t *)&c->pipe;

	c->closing = true;
	uv_read_stop(stream);
	if (c->why.kind == ERR_NONE &&
	    uv_stream_get_write_queue_size(stream) > 0 &&
	    uv_shutdown(&c->shutdown, stream, on_shutdown) == 0)
		timer_start(&c->drain, DRAIN_MS);
	else
		close_parts(c);
}

void control_client_close(struct control_client *c)
{
	if (!c->closing)
		hang_up(c);
}

static void lost(struct control_client *c, int status)
{
	if (status == UV_EOF || status == UV_ECONNRESET)
		error_set(&c->why, ERR_CONNECT,
			  "the running serve ended the connection");
	else
		error_set(&c->why, ERR_CONNECT,
			  "the connection to the running serve broke: %s",
			  uv_strerror(status));
	hang_up(c);
}

/* ---- receiving ---- */

/* True: that was all there was to it. */
static bool take_greeting(struct control_client *c,
			  const struct control_frame *f)
{
	struct greeting g;
	bool whole;

	if (c->greeted)
		return false;
	c->greeted = true;
	whole = greeting_read(&g, f);
	if (c->events->greeted(c->owner, &g, &c->why) != 0)
		hang_up(c);
	return whole || c->closing;
}

static void take_frames(struct control_client *c)
{
	struct control_frame f;
	size_t used = 0;
	int status = 0;

	while (!c->closing &&
	       (status = control_decode(&f, c->in.data + used, c->in.len - used,
					&c->why)) > 0) {
		used += f.size;
		if (!take_greeting(c, &f))
			c->events->frame(c->owner, &f);
	}
	buf_consume(&c->in, used);
	if (status < 0 && !c->closing) {
		error_prefix(&c->why, "serve sent what is no frame");
		error_hint(&c->why, "serve and this command must be of one "
				    "version: start serve again");
		hang_up(c);
	}
}

static void on_allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *out)
{
	struct control_client *c = handle->data;

	(void)suggested;
	*out = uv_buf_init(c->chunk, sizeof(c->chunk));
}

static void on_read(uv_stream_t *stream, ssize_t len, const uv_buf_t *data)
{
	struct control_client *c = stream->data;

	if (len < 0) {
		lost(c, (int)len);
		return;
	}
	buf_add(&c->in, data->base, (size_t)len);
	if (c->in.len > 0)
		take_frames(c);
}

/* ---- sending ---- */

static void on_written(uv_write_t *request, int status)
{
	struct pending_write *w = (struct pending_write *)request;

	(void)status;
	mem_free(w->data);
	mem_free(w);
}

static void write_later(uv_stream_t *stream, const char *data, size_t len)
{
	struct pending_write *w = mem_zalloc(sizeof(*w));
	uv_buf_t rest;

	w->data = mem_alloc(len);
	memcpy(w->data, data, len);
	rest = uv_buf_init(w->data, (unsigned)len);
	if (uv_write(&w->uv, stream, &rest, 1, on_written) != 0)
		on_written(&w->uv, 0);
}

int control_client_send(struct control_client *c, enum control_kind kind,
			const void *data, size_t len, struct error *err)
{
	CLEANUP(buf_done) struct buf frame = { 0 };
	uv_stream_t *stream = (uv_stream_t *)&c->pipe;
	size_t waiting;
	uv_buf_t all;
	int written;

	if (c->closing)
		return error_set(err, ERR_CONNECT,
				 "the connection to serve is closed");
	waiting = uv_stream_get_write_queue_size(stream);
	if (len > CONTROL_FRAME_MAX || waiting > CONTROL_FRAME_MAX - len)
		return error_set(err, ERR_CONNECT,
				 "serve does not read: %zu bytes wait to be "
				 "sent",
				 waiting + len);
	control_encode(&frame, kind, data, len);
	all = uv_buf_init(frame.data, (unsigned)frame.len);
	written = uv_try_write(stream, &all, 1);
	/*
	 * A serve that has gone: what it said last is still to be read, and
	 * tells more than a failed write.
	 */
	if (written < 0 && written != UV_EAGAIN)
		return 0;
	if (written < 0)
		written = 0;
	if ((size_t)written < frame.len)
		write_later(stream, frame.data + written,
			    frame.len - (size_t)written);
	return 0;
}

int control_client_silent(enum error_kind kind, struct error *err)
{
	error_set(err, kind, "the running serve does not answer");
	return error_hint(err, "its process may be stopped (Ctrl-Z) or stuck: "
			       "continue it (fg), or kill it and start it "
			       "again");
}

/* ---- the beginning ---- */

static int refused(const char *path, int number, struct error *err)
{
	const char *user = getenv("SUDO_USER");

	if (number != ENOENT && number != ECONNREFUSED && number != ENOTSOCK) {
		error_set(err, ERR_CONNECT,
			  "cannot connect to serve at '%s': %s", path,
			  strerror(number));
		if (number == EACCES)
			error_hint(err, "a serve takes commands of its own "
					"user only; start your own: mcpctl "
					"serve");
		return error_code(err, number);
	}
	error_set(err, ERR_CONNECT, "no serve is running: %s '%s'",
		  number == ENOENT ? "there is no socket" : "nobody answers at",
		  path);
	if (user && geteuid() == 0)
		error_hint(err,
			   "without sudo, the serve of '%s' would be asked; or "
			   "start one of root's: mcpctl serve",
			   user);
	else
		error_hint(err,
			   "start one, and let boards dial in: mcpctl serve");
	return error_code(err, number);
}

/* A Unix socket answers at once, unless its queue is full for a moment. */
static int dial(const char *path, struct error *err)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	struct timeval limit = { .tv_sec = CONNECT_SECONDS };
	size_t len = strlen(path);
	int fd, number;

	if (len >= sizeof(to.sun_path)) {
		error_set(err, ERR_USAGE,
			  "the path of the socket is longer than %zu bytes",
			  sizeof(to.sun_path) - 1);
		return -1;
	}
	memcpy(to.sun_path, path, len + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return refused(path, errno, err);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0)
		return fd;
	number = errno;
	close(fd);
	return refused(path, number, err);
}

/* A new socket has room for it. */
static void greet(struct control_client *c)
{
	CLEANUP(buf_done) struct buf question = { 0 };

	greeting_ask(&question);
	control_client_send(c, CONTROL_JSON, question.data, question.len, NULL);
}

/* Whoever can make a socket there could pretend to be serve. */
static int check_owner(int fd, const char *path, struct error *err)
{
	struct ucred peer = { 0 };
	socklen_t size = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
		return refused(path, errno, err);
	if (peer.uid == geteuid())
		return 0;
	error_set(err, ERR_AUTH,
		  "the serve behind '%s' belongs to another user (%u)", path,
		  (unsigned)peer.uid);
	return error_hint(err, "start one of your own: mcpctl serve");
}

int control_client_open(struct control_client **out, struct loop *l,
			const char *path,
			const struct control_client_events *events, void *owner,
			struct error *err)
{
	struct control_client *c;
	int fd = dial(path, err);

	*out = NULL;
	if (fd < 0)
		return -1;
	if (check_owner(fd, path, err) != 0) {
		close(fd);
		return -1;
	}
	c = mem_alloc(sizeof(*c));
	memset(c, 0, offsetof(struct control_client, chunk));
	buf_init(&c->in, 0);
	c->events = events;
	c->owner = owner;
	timer_open(&c->drain, l, close_parts, c);
	uv_pipe_init(loop_uv(l), &c->pipe, 0);
	c->pipe.data = c;
	uv_pipe_open(&c->pipe, fd);
	uv_read_start((uv_stream_t *)&c->pipe, on_allocate, on_read);
	greet(c);
	*out = c;
	return 0;
}
