/* SPDX-License-Identifier: MIT */
/*
 * The lines of a script, one by one as they come. A pipe is waited for on the
 * loop, so that the session goes on meanwhile; a file is read in slices, since
 * a file (and /dev/null) cannot be waited for.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "shell/shell.h"

#define LINE_MAX_BYTES (16u << 20)
#define SLICE 16384

struct shell_input {
	struct shell *shell;
	int fd;
	char *name;
	uv_poll_t poll;
	bool polled; /* else a read does not wait */
	bool readable, ended;
	struct buf text; /* what was read and is not a line yet */
	size_t searched; /* bytes of it without a line end */
	char *line; /* that was given last */
	size_t number;
};

static void on_readable(uv_poll_t *poll, int status, int events)
{
	struct shell_input *in = poll->data;
	struct session *session = in->shell->app->session;

	(void)status;
	(void)events;
	in->readable = true;
	uv_poll_stop(poll);
	if (session)
		session_wake(session);
}

/* libuv makes it non-blocking, for all who share it: put that back. */
static void poll_open(struct shell_input *in, struct loop *l)
{
	int flags = fcntl(in->fd, F_GETFL);

	in->polled = uv_poll_init(loop_uv(l), &in->poll, in->fd) == 0;
	in->poll.data = in;
	if (flags >= 0)
		fcntl(in->fd, F_SETFL, flags);
}

int shell_input_open(struct shell_input **out, struct shell *s, int fd,
		     const char *name, struct error *err)
{
	struct shell_input *in;

	*out = NULL;
	if (app_open_loop(s->app, err) != 0)
		return -1;
	in = mem_zalloc(sizeof(*in));
	in->shell = s;
	in->fd = fd;
	in->name = mem_strdup(name);
	poll_open(in, s->app->loop);
	*out = in;
	return 0;
}

static void input_free(uv_handle_t *poll)
{
	struct shell_input *in = poll->data;

	buf_done(&in->text);
	mem_free(in->name);
	mem_free(in->line);
	mem_free(in);
}

void shell_input_close(struct shell_input *in)
{
	if (!in)
		return;
	in->poll.data = in;
	if (in->polled)
		uv_close((uv_handle_t *)&in->poll, input_free);
	else
		input_free((uv_handle_t *)&in->poll);
}

static int wait_readable(struct shell_input *in, struct error *err)
{
	in->readable = !in->polled;
	if (in->polled)
		uv_poll_start(&in->poll, UV_READABLE | UV_DISCONNECT,
			      on_readable);
	while (!in->readable) {
		/* The device is the next command's matter. */
		if (shell_wait(in->shell, &in->readable, err) != 0) {
			uv_poll_stop(&in->poll);
			return -1;
		}
	}
	return 0;
}

static int read_some(struct shell_input *in, struct error *err)
{
	char slice[SLICE];
	ssize_t got;

	if (wait_readable(in, err) != 0)
		return -1;
	got = read(in->fd, slice, sizeof(slice));
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (got < 0)
		return error_set(err, ERR_USAGE, "cannot read '%s': %s",
				 in->name, strerror(errno));
	in->ended = got == 0;
	buf_add(&in->text, slice, (size_t)got);
	if (in->text.len > LINE_MAX_BYTES)
		return error_set(err, ERR_USAGE,
				 "a line of '%s' is longer than %u MB",
				 in->name, LINE_MAX_BYTES >> 20);
	return 0;
}

/* Bytes of the first line without its end; false: it is not whole yet. */
static bool find_line(struct shell_input *in, size_t *len)
{
	const char *text = buf_string(&in->text);
	const char *end =
		memchr(text + in->searched, '\n', in->text.len - in->searched);

	in->searched = in->text.len;
	if (!end && !(in->ended && in->text.len > 0))
		return false;
	*len = end ? (size_t)(end - text) : in->text.len;
	return true;
}

int shell_input_next(struct shell_input *in, const char **line,
		     struct error *err)
{
	size_t len;

	*line = NULL;
	while (!find_line(in, &len)) {
		if (in->ended)
			return 0;
		if (read_some(in, err) != 0)
			return -1;
	}
	if (!in->number) {
		size_t mark = text_mark(buf_string(&in->text), len);

		buf_consume(&in->text, mark);
		len -= mark;
	}
	in->number++;
	mem_free(in->line);
	in->line = mem_strndup(buf_string(&in->text), len);
	buf_consume(&in->text, len < in->text.len ? len + 1 : len);
	in->searched = 0;
	if (strlen(in->line) < len) {
		error_set(err, ERR_USAGE, "this line is no text");
		return shell_input_prefix(in, err);
	}
	*line = in->line;
	return 0;
}

int shell_input_prefix(const struct shell_input *in, struct error *err)
{
	return error_prefix(err, "%s:%zu", in->name, in->number);
}
