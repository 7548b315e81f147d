/* SPDX-License-Identifier: MIT */
/* Pipes on the loop; the contract is in the header. */
#include "base/pipe_end.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

#define SLICE 65536
#define SLICES_A_TURN 16

struct pipe_rest {
	uv_write_t uv;
	char data[];
};

/* ---- its end ---- */

static void maybe_closed(struct pipe_end *e)
{
	if (e->closing && !e->open && e->timer_gone)
		e->events->closed(e->owner);
}

static void on_handle_closed(uv_handle_t *uv)
{
	struct pipe_end *e = uv->data;

	e->open = false;
	maybe_closed(e);
}

static void on_timer_closed(void *owner)
{
	struct pipe_end *e = owner;

	e->timer_gone = true;
	maybe_closed(e);
}

void pipe_end_close(struct pipe_end *e)
{
	if (e->closing)
		return;
	e->closing = true;
	if (e->fd >= 0)
		close(e->fd);
	if (e->open)
		uv_close((uv_handle_t *)&e->uv, on_handle_closed);
	timer_close(&e->timer, on_timer_closed);
}

static void tell_end(struct pipe_end *e)
{
	if (e->over || e->closing)
		return;
	e->over = true;
	e->events->ended(e->owner);
}

/* ---- written ---- */

size_t pipe_end_waiting(const struct pipe_end *e)
{
	return e->open ? e->uv.write_queue_size : 0;
}

static void on_written(uv_write_t *uv, int status)
{
	struct pipe_end *e = uv->handle->data;

	mem_free(uv->data);
	if (e->closing)
		return;
	if (status) {
		e->why = -status;
		tell_end(e);
	} else if (!e->uv.write_queue_size && e->finishing) {
		pipe_end_close(e);
	} else if (!e->uv.write_queue_size && e->events->drained) {
		e->events->drained(e->owner);
	}
}

static void write_later(struct pipe_end *e, const char *data, size_t len)
{
	struct pipe_rest *rest = mem_alloc(sizeof(*rest) + len);
	uv_buf_t part = uv_buf_init(rest->data, (unsigned)len);

	memcpy(rest->data, data, len);
	rest->uv.data = rest;
	if (uv_write(&rest->uv, (uv_stream_t *)&e->uv, &part, 1, on_written))
		mem_free(rest);
}

/* A file takes it at once, or never does. */
static void write_file(struct pipe_end *e, const char *data, size_t len)
{
	while (len) {
		ssize_t done = write(e->fd, data, len);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			e->why = done < 0 ? errno : EIO;
			timer_start(&e->timer, 0);
			return;
		}
		data += done;
		len -= (size_t)done;
	}
}

void pipe_end_write(struct pipe_end *e, const void *data, size_t len)
{
	uv_buf_t part;
	int done = 0;

	if (e->closing || e->finishing || e->over || !len)
		return;
	if (!e->open) {
		write_file(e, data, len);
		return;
	}
	if (!e->uv.write_queue_size) {
		/* libuv takes a buffer that it does not change. */
		memcpy(&part.base, &data, sizeof(part.base));
		part.len = len;
		done = uv_try_write((uv_stream_t *)&e->uv, &part, 1);
	}
	/* Why it failed comes with the write that follows. */
	if (done < 0)
		done = 0;
	if ((size_t)done < len)
		write_later(e, (const char *)data + done, len - (size_t)done);
}

void pipe_end_finish(struct pipe_end *e)
{
	e->finishing = true;
	if (!pipe_end_waiting(e))
		pipe_end_close(e);
}

/* ---- read ---- */

static void on_alloc(uv_handle_t *uv, size_t wanted, uv_buf_t *out)
{
	/* Read and given on in one step: all share it. */
	static char shared[SLICE];

	(void)uv;
	(void)wanted;
	*out = uv_buf_init(shared, sizeof(shared));
}

static void on_read(uv_stream_t *uv, ssize_t got, const uv_buf_t *in)
{
	struct pipe_end *e = uv->data;

	if (e->closing || got == 0)
		return;
	if (got > 0) {
		e->events->came(e->owner, in->base, (size_t)got);
		return;
	}
	uv_read_stop(uv);
	tell_end(e);
}

/* In one turn no more than that: others want theirs. */
static void read_file(struct pipe_end *e)
{
	static char slice[SLICE];

	for (int i = 0; i < SLICES_A_TURN && !e->held && !e->closing; i++) {
		ssize_t got = read(e->fd, slice, sizeof(slice));

		if (got <= 0) {
			tell_end(e);
			return;
		}
		e->events->came(e->owner, slice, (size_t)got);
	}
	if (!e->held && !e->closing)
		timer_start(&e->timer, 0);
}

void pipe_end_hold(struct pipe_end *e, bool hold)
{
	if (e->held == hold || e->closing || e->over)
		return;
	e->held = hold;
	if (!e->open && !hold)
		timer_start(&e->timer, 0);
	else if (!e->open)
		timer_stop(&e->timer);
	else if (hold)
		uv_read_stop((uv_stream_t *)&e->uv);
	else
		uv_read_start((uv_stream_t *)&e->uv, on_alloc, on_read);
}

static void on_timer(void *owner)
{
	struct pipe_end *e = owner;

	if (!e->held && e->fd >= 0)
		read_file(e);
	else
		tell_end(e);
}

/* ---- opened ---- */

/*
 * Whether it waits is a matter of the open file, which a copy shares with
 * whoever else has it. A pipe or terminal opened once more is ours alone; a
 * socket cannot be, but its other holders are gone in practice: a parent closes
 * the child's end.
 */
static int own_copy(int fd, bool write)
{
	char path[32];
	int copy;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	copy = open(path, (write ? O_WRONLY : O_RDONLY) | O_NONBLOCK |
				  O_CLOEXEC | O_NOCTTY);
	return copy >= 0 ? copy : fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

/* It cannot be waited for, and need not be. */
static bool is_file(int fd)
{
	uv_handle_type type = uv_guess_handle(fd);

	return type == UV_FILE || type == UV_UNKNOWN_HANDLE;
}

void pipe_end_open(struct pipe_end *e, struct loop *l, int fd, bool write,
		   const struct pipe_end_events *events, void *owner)
{
	int own;

	*e = (struct pipe_end){
		.events = events, .owner = owner, .fd = -1, .held = true
	};
	timer_open(&e->timer, l, on_timer, e);
	if (is_file(fd)) {
		/* Of a file the place in it is shared, and is to be. */
		e->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
		return;
	}
	own = own_copy(fd, write);
	uv_pipe_init(loop_uv(l), &e->uv, 0);
	e->uv.data = e;
	e->open = true;
	if (own >= 0 && !uv_pipe_open(&e->uv, own))
		return;
	if (own >= 0)
		close(own);
	timer_start(&e->timer, 0); /* tells its end */
}
