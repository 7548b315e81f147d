/* SPDX-License-Identifier: MIT */
/*
 * Writing to a child: at once what the pipe takes, the rest when it is read.
 * It knows no processes.
 */
#include "base/child_input.h"

#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/mem.h"

struct input_piece {
	uv_write_t uv;
	char data[];
};

static void on_closed(uv_handle_t *handle)
{
	struct child_input *i = handle->data;

	i->closed(i->owner);
}

int child_input_open(struct child_input *i, struct loop *l,
		     void (*closed)(void *owner), void *owner)
{
	uv_file ends[2];
	int status = uv_pipe(ends, 0, UV_NONBLOCK_PIPE);

	if (status)
		return status;
	uv_pipe_init(loop_uv(l), &i->uv, 0);
	i->uv.data = i;
	i->closed = closed;
	i->owner = owner;
	i->open = true;
	status = uv_pipe_open(&i->uv, ends[1]);
	if (status) {
		close(ends[0]);
		close(ends[1]);
		return status;
	}
	return ends[0];
}

void child_input_close(struct child_input *i)
{
	if (!i->open)
		return;
	i->open = false;
	uv_close((uv_handle_t *)&i->uv, on_closed);
}

/* uv_shutdown is for sockets: the end of a pipe is that it is closed. */
static void end_if_written(struct child_input *i)
{
	if (i->ending && i->uv.write_queue_size == 0)
		child_input_close(i);
}

void child_input_end(struct child_input *i)
{
	i->ending = true;
	if (i->open)
		end_if_written(i);
}

/* It comes before on_closed also for what was dropped. */
static void on_written(uv_write_t *uv, int status)
{
	struct child_input *i = uv->handle->data;

	mem_free(uv->data);
	if (!i->open)
		return;
	if (status)
		child_input_close(i);
	else
		end_if_written(i);
}

static int is_closed(struct error *err)
{
	return error_set(err, ERR_CONNECT, "its stdin is closed");
}

static int queue(struct child_input *i, const char *data, size_t len)
{
	struct input_piece *p = mem_alloc(sizeof(*p) + len);
	uv_buf_t part = uv_buf_init(p->data, (unsigned)len);
	int status;

	memcpy(p->data, data, len);
	p->uv.data = p;
	status = uv_write(&p->uv, (uv_stream_t *)&i->uv, &part, 1, on_written);
	if (status)
		mem_free(p);
	return status;
}

/* Bytes that were taken at once, or -errno. */
static int try_now(struct child_input *i, const char *data, size_t len)
{
	uv_buf_t part;
	int taken;

	if (i->uv.write_queue_size)
		return 0;
	/* uv_buf_init takes char *, and changes nothing. */
	part = uv_buf_init(NULL, (unsigned)len);
	memcpy(&part.base, &data, sizeof(part.base));
	taken = uv_try_write((uv_stream_t *)&i->uv, &part, 1);
	return taken == UV_EAGAIN ? 0 : taken;
}

int child_input_write(struct child_input *i, const char *data, size_t len,
		      struct error *err)
{
	size_t waiting = i->open ? i->uv.write_queue_size : 0;
	int taken;

	if (!i->open || i->ending)
		return is_closed(err);
	if (len > CHILD_INPUT_MAX - waiting)
		return error_set(err, ERR_CONNECT,
				 "it does not read its stdin: %zu bytes wait, "
				 "and %zu more are too many",
				 waiting, len);
	if (len == 0)
		return 0;
	taken = try_now(i, data, len);
	if (taken >= 0 && (size_t)taken < len)
		taken = queue(i, data + taken, len - (size_t)taken);
	if (taken >= 0)
		return 0;
	child_input_close(i);
	is_closed(err);
	return error_code(err, -taken);
}
