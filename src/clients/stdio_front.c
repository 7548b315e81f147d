/* SPDX-License-Identifier: MIT */
/* A host at our stdin and stdout; the contract is in the header. */
#include "clients/stdio_front.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "base/mem.h"
#include "base/pipe_end.h"
#include "wire/jsonrpc.h"
#include "wire/lines.h"

#define LOOK_MS 250
#define FLUSH_MS 200

struct stdio_front {
	struct loop *loop;
	const struct answerer *answerer;
	struct stdio_front_events events;
	void *client;
	struct pipe_end in, out;
	int fd; /* of stdin */
	struct lines lines;
	struct timer end; /* begun when the host has said all */
	struct timer look; /* while nothing is read: has stdin ended? */
	unsigned open; /* questions that are not answered */
	unsigned handles; /* not closed yet */
	bool doomed; /* end runs */
	bool ending; /* stdin is at its end */
	bool over, written, closed;
};

static void line_of(const struct stdio_front *f, const char *text)
{
	if (f->events.line)
		f->events.line(f->events.owner, text);
}

/* ---- its end ---- */

static void over(struct stdio_front *f)
{
	if (f->over)
		return;
	f->over = true;
	pipe_end_hold(&f->in, true);
	f->events.ended(f->events.owner);
}

/* All is answered: it is over when that is written. */
static void maybe_over(struct stdio_front *f)
{
	if (f->ending && !f->open)
		pipe_end_finish(&f->out);
}

static void doom(struct stdio_front *f)
{
	if (!f->doomed)
		timer_start(&f->end, STDIO_END_MS);
	f->doomed = true;
	timer_stop(&f->look);
}

static void begin_end(struct stdio_front *f)
{
	f->ending = true;
	doom(f);
	maybe_over(f);
}

static void on_end(void *owner)
{
	struct stdio_front *f = owner;

	if (pipe_end_waiting(&f->out))
		line_of(f, "stdin ended, and stdout is not read");
	over(f);
}

/* ---- stdout ---- */

/* A pipe tells that nobody writes into it, also while something is in it. */
static bool has_ended(const struct stdio_front *f)
{
	struct pollfd at = { .fd = f->fd, .events = POLLRDHUP };

	return poll(&at, 1, 0) > 0 && at.revents & (POLLHUP | POLLRDHUP);
}

static void on_look(void *owner)
{
	struct stdio_front *f = owner;

	if (has_ended(f))
		doom(f);
	else
		timer_start(&f->look, LOOK_MS);
}

/* Who reads no replies is heard no further. */
static void settle(struct stdio_front *f)
{
	bool slow = pipe_end_waiting(&f->out) > PIPE_WAITS_MAX;

	if (f->over || f->ending)
		return;
	pipe_end_hold(&f->in, slow);
	if (slow && !f->doomed)
		timer_start(&f->look, LOOK_MS);
	else
		timer_stop(&f->look);
}

/* Line breaks between the values of JSON are blanks, and in texts there are none. */
static void write_line(struct stdio_front *f, const char *text, size_t len)
{
	char *line = mem_alloc(len + 1);

	memcpy(line, text, len);
	for (size_t i = 0; i < len; i++) {
		if (line[i] == '\n' || line[i] == '\r')
			line[i] = ' ';
	}
	line[len] = '\n';
	pipe_end_write(&f->out, line, len + 1);
	mem_free(line);
}

static void on_done(void *owner, const char *reply, size_t len)
{
	struct stdio_front *f = owner;

	f->open--;
	if (len > 0 && !f->over)
		write_line(f, reply, len);
	maybe_over(f);
}

static bool on_tell(void *owner, const char *text, size_t len)
{
	struct stdio_front *f = owner;

	if (f->over || f->out.finishing ||
	    pipe_end_waiting(&f->out) > STDIO_LINE_MAX)
		return false;
	write_line(f, text, len);
	return true;
}

static const struct mcp_hearer hearer = { .done = on_done, .tell = on_tell };

static void refuse(struct stdio_front *f, const char *id, int code,
		   const char *why)
{
	CLEANUP(buf_done) struct buf reply = { 0 };

	jsonrpc_error(&reply, id, code, why);
	write_line(f, reply.data, reply.len);
}

/* ---- stdin ---- */

/* One question too many is answered with that; the rest needs no place. */
static bool refuse_many(struct stdio_front *f, const char *text, size_t len)
{
	CLEANUP(mem_free_ptr) char *id = NULL;
	struct message m = { 0 };

	if (f->open < STDIO_OPEN_MAX)
		return false;
	if (!message_read(&m, text, len, NULL)) {
		if (m.kind == MESSAGE_REQUEST)
			id = mem_strndup(m.id.text, m.id.len);
		else if (m.kind == MESSAGE_BATCH)
			id = mem_strdup("null");
	}
	message_done(&m);
	if (id)
		refuse(f, id, JSONRPC_INTERNAL_ERROR,
		       "too many questions are open: ask again later");
	return id != NULL;
}

static void on_message(void *owner, const char *text, size_t len)
{
	const struct mcp_said said = { text, len, NULL };
	struct stdio_front *f = owner;

	if (f->over)
		return;
	if (!text) {
		refuse(f, "null", JSONRPC_INVALID_REQUEST,
		       "Invalid Request: a message of more than 16 MB");
	} else if (!refuse_many(f, text, len)) {
		f->open++;
		f->answerer->hear(f->client, &said, &hearer, f);
	}
}

static void on_came(void *owner, const char *data, size_t len)
{
	struct stdio_front *f = owner;

	if (f->ending)
		return;
	lines_feed(&f->lines, data, len, on_message, f);
	settle(f);
}

static void on_in_ended(void *owner)
{
	struct stdio_front *f = owner;

	if (f->ending)
		return;
	lines_finish(&f->lines, on_message, f);
	begin_end(f);
}

static void on_out_ended(void *owner)
{
	struct stdio_front *f = owner;

	if (!stdio_front_lost(f))
		line_of(f, "the host reads no more");
	over(f);
}

static void on_drained(void *owner)
{
	struct stdio_front *f = owner;

	f->written = true;
	settle(f);
}

int stdio_front_lost(const struct stdio_front *f)
{
	return f->out.why == EPIPE ? 0 : f->out.why;
}

/* ---- opened and closed ---- */

static void on_handle_closed(void *owner)
{
	struct stdio_front *f = owner;

	f->closed = --f->handles == 0;
}

static void on_out_closed(void *owner)
{
	struct stdio_front *f = owner;

	f->written = true;
	over(f);
	on_handle_closed(f);
}

static const struct pipe_end_events in_events = {
	.came = on_came,
	.ended = on_in_ended,
	.closed = on_handle_closed,
};
static const struct pipe_end_events out_events = {
	.ended = on_out_ended,
	.drained = on_drained,
	.closed = on_out_closed,
};

struct stdio_front *stdio_front_open(struct loop *l, const struct answerer *a,
				     int in, int out,
				     const struct stdio_front_events *events)
{
	struct stdio_front *f = mem_zalloc(sizeof(*f));

	f->loop = l;
	f->answerer = a;
	f->events = *events;
	f->fd = in;
	f->lines.max = STDIO_LINE_MAX;
	f->handles = 4;
	timer_open(&f->end, l, on_end, f);
	timer_open(&f->look, l, on_look, f);
	pipe_end_open(&f->in, l, in, false, &in_events, f);
	pipe_end_open(&f->out, l, out, true, &out_events, f);
	f->client = a->client_new(a->owner);
	a->reach(f->client, on_tell, f);
	pipe_end_hold(&f->in, false);
	return f;
}

static void flush(struct stdio_front *f)
{
	f->written = f->over || !pipe_end_waiting(&f->out);
	loop_wait(f->loop, &f->written, loop_now() + FLUSH_MS, NULL);
}

void stdio_front_close(struct stdio_front *f)
{
	if (!f)
		return;
	f->ending = true;
	pipe_end_hold(&f->in, true);
	f->answerer->client_free(f->client);
	flush(f);
	f->over = true;
	timer_close(&f->end, on_handle_closed);
	timer_close(&f->look, on_handle_closed);
	pipe_end_close(&f->in);
	pipe_end_close(&f->out);
	while (loop_wait(f->loop, &f->closed, LOOP_FOREVER, NULL))
		; /* handles still point into what is released next */
	lines_release(&f->lines);
	mem_free(f);
}
