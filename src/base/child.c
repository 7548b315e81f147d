/* SPDX-License-Identifier: MIT */
/*
 * A child process on the loop: its pipes, its end. What its lines mean is the
 * owner's matter; how it starts stands in child_start.c.
 */
#include <signal.h>
#include <string.h>

#include "base/child_private.h"
#include "base/mem.h"

#define LINE_MAX_BYTES 4096
#define ABANDON_MS 500
/* How long a pipe may stay open, and silent, after the child's end. */
#define LINGER_MS 500

static void release(struct child *c)
{
	if (--c->handles)
		return;
	buf_done(&c->out.line);
	buf_done(&c->out.kept);
	buf_done(&c->err.line);
	buf_done(&c->err.kept);
	mem_free(c);
}

static void on_process_closed(uv_handle_t *handle)
{
	release(handle->data);
}

static void on_stream_closed(uv_handle_t *handle)
{
	struct stream *s = handle->data;

	release(s->child);
}

void child_part_closed(void *owner)
{
	release(owner);
}

static void stream_close(struct stream *s)
{
	if (s->used && !uv_is_closing((uv_handle_t *)&s->uv))
		uv_close((uv_handle_t *)&s->uv, on_stream_closed);
	s->ended = true;
}

void child_close_all(struct child *c)
{
	stream_close(&c->out);
	stream_close(&c->err);
	child_input_close(&c->in);
	timer_close(&c->timer, child_part_closed);
	spawned_release(&c->spawned);
	/* It was never initialised if a pipe could not be made. */
	if (c->process.loop)
		uv_close((uv_handle_t *)&c->process, on_process_closed);
}

/* To all of its group: a shell's children too. */
static void send_signal(const struct child *c, int number)
{
	if (c->spawned.ended)
		spawned_signal(&c->spawned, number, !c->same_group);
	else if (!c->same_group)
		kill(-c->pid, number);
	else if (!c->exited)
		kill(c->pid, number);
}

void child_signal(struct child *c, int number)
{
	if (c->exited)
		return;
	if (c->spawned.ended)
		spawned_signal(&c->spawned, number, false);
	else
		kill(c->pid, number);
}

/* ---- what comes through the pipes ---- */

static void tell_line(struct stream *s)
{
	struct child *c = s->child;
	size_t len = s->line.len;

	if (len && s->line.data[len - 1] == '\r')
		s->line.data[--s->line.len] = '\0';
	s->begun = false;
	if (c->events && c->events->line)
		c->events->line(c->owner, s == &c->err, buf_string(&s->line));
	buf_reset(&s->line);
}

static void take_lines(struct stream *s, const char *data, size_t len)
{
	while (len && s->child->events) {
		const char *end = memchr(data, '\n', len);
		size_t part = end ? (size_t)(end - data) : len;
		size_t room = LINE_MAX_BYTES - s->line.len;

		buf_add(&s->line, data, part < room ? part : room);
		s->begun = s->begun || part > 0;
		if (end)
			tell_line(s);
		part += end != NULL;
		data += part;
		len -= part;
	}
}

static void keep_bytes(struct stream *s, const char *data, size_t len)
{
	size_t room = s->child->keep - s->kept.len;

	buf_add(&s->kept, data, len < room ? len : room);
}

static void take(struct stream *s, const char *data, size_t len)
{
	struct child *c = s->child;

	keep_bytes(s, data, len);
	if (c->events && c->events->data && s == &c->out)
		c->events->data(c->owner, data, len);
	else
		take_lines(s, data, len);
}

/* A last line need not have an end. */
static void take_end(struct stream *s)
{
	struct child *c = s->child;

	if (s->begun)
		tell_line(s);
	stream_close(s);
	if (c->events && c->events->data && s == &c->out)
		c->events->data(c->owner, "", 0);
}

static void tell_end(struct child *c)
{
	const struct child_events *events = c->events;

	if (!c->exited || !c->out.ended || !c->err.ended || c->told)
		return;
	c->told = true;
	if (events)
		events->ended(c->owner, c->status);
	c->events = NULL;
	child_close_all(c);
}

static void on_alloc(uv_handle_t *handle, size_t wanted, uv_buf_t *out)
{
	struct stream *s = handle->data;

	(void)wanted;
	*out = uv_buf_init(s->child->chunk, sizeof(s->child->chunk));
}

static void on_read(uv_stream_t *uv, ssize_t got, const uv_buf_t *chunk)
{
	struct stream *s = uv->data;

	s->child->silent = false;
	if (got > 0) {
		take(s, chunk->base, (size_t)got);
	} else if (got < 0) {
		take_end(s);
		tell_end(s->child);
	}
}

void child_read(struct stream *s)
{
	if (s->used)
		uv_read_start((uv_stream_t *)&s->uv, on_alloc, on_read);
}

/* ---- its end ---- */

/*
 * It, or what it left behind in its group, did not heed SIGTERM. Or, after
 * its end, a process that it left behind holds a pipe; what comes within a
 * while still counts. The loop may have been busy, so it must have looked at
 * the pipes once more in between.
 */
void child_on_timer(void *owner)
{
	struct child *c = owner;

	if (c->stopping) {
		c->stopping = false;
		c->killed = true;
		send_signal(c, SIGKILL);
		timer_start(&c->timer, LINGER_MS);
		return;
	}
	if (!c->exited)
		return;
	if (!c->silent) {
		c->silent = true;
		timer_start(&c->timer, LINGER_MS);
		return;
	}
	stream_close(&c->out);
	stream_close(&c->err);
	tell_end(c);
}

void child_on_exit(uv_process_t *process, int64_t status, int number)
{
	child_on_end(process->data, status, number);
}

void child_on_end(void *owner, int64_t status, int number)
{
	struct child *c = owner;

	c->exited = true;
	c->status = number ? 128 + number : (int)status;
	if (!c->stopping)
		timer_start(&c->timer, LINGER_MS);
	tell_end(c);
}

void child_stop(struct child *c, int64_t grace)
{
	if (c->told)
		return;
	c->stopping = true;
	send_signal(c, SIGTERM);
	timer_start(&c->timer, grace);
}

void child_abandon(struct child *c)
{
	c->events = NULL;
	if (!c->killed || !c->exited) {
		child_stop(c, ABANDON_MS);
		return;
	}
	/* Only what left its group is there still. */
	stream_close(&c->out);
	stream_close(&c->err);
	tell_end(c);
}

const struct buf *child_output(const struct child *c, bool is_err)
{
	return is_err ? &c->err.kept : &c->out.kept;
}

int child_pid(const struct child *c)
{
	return c->pid;
}

int child_write(struct child *c, const char *data, size_t len,
		struct error *err)
{
	return child_input_write(&c->in, data, len, err);
}

void child_close_input(struct child *c)
{
	child_input_end(&c->in);
}
