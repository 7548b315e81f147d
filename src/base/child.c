/* SPDX-License-Identifier: MIT */
/*
 * A child process on the loop, by uv_spawn: its pipes, its end. What its
 * lines mean is the owner's matter.
 */
#include "base/child.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/child_input.h"
#include "base/mem.h"

#define LINE_MAX_BYTES 4096
#define ABANDON_MS 500
/* How long a pipe may stay open, and silent, after the child's end. */
#define LINGER_MS 500

struct stream {
	uv_pipe_t uv;
	struct child *child;
	struct buf line, kept;
	bool begun; /* a line of which there is no end yet */
	bool used, ended;
};

struct child {
	struct loop *loop;
	uv_process_t process;
	struct child_input in; /* with options.writable */
	struct stream out, err; /* of stdout and stderr */
	struct timer timer; /* until SIGKILL, then until the pipes end */
	const struct child_events *events; /* NULL: nobody listens */
	void *owner;
	size_t keep;
	bool same_group, stopping, killed, exited, told, silent;
	unsigned handles; /* open ones */
	int pid, status;
	char chunk[16384];
};

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

static void on_part_closed(void *owner)
{
	release(owner);
}

static void stream_close(struct stream *s)
{
	if (s->used && !uv_is_closing((uv_handle_t *)&s->uv))
		uv_close((uv_handle_t *)&s->uv, on_stream_closed);
	s->ended = true;
}

static void close_all(struct child *c)
{
	stream_close(&c->out);
	stream_close(&c->err);
	child_input_close(&c->in);
	timer_close(&c->timer, on_part_closed);
	/* It was never initialised if a pipe could not be made. */
	if (c->process.loop)
		uv_close((uv_handle_t *)&c->process, on_process_closed);
}

/* To all of its group: a shell's children too. */
static void send_signal(const struct child *c, int number)
{
	if (!c->same_group)
		kill(-c->pid, number);
	else if (!c->exited)
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
	close_all(c);
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

/* ---- its end ---- */

/*
 * It, or what it left behind in its group, did not heed SIGTERM. Or, after
 * its end, a process that it left behind holds a pipe; what comes within a
 * while still counts. The loop may have been busy, so it must have looked at
 * the pipes once more in between.
 */
static void on_timer(void *owner)
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

static void on_exit(uv_process_t *process, int64_t status, int number)
{
	struct child *c = process->data;

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

/* ---- its start ---- */

/* The name of "NAME=VALUE" with its '='. */
static size_t name_length(const char *setting)
{
	return strcspn(setting, "=") + 1;
}

static bool is_set_in(const char *const *env, const char *setting)
{
	for (; *env; env++) {
		if (!strncmp(*env, setting, name_length(setting)))
			return true;
	}
	return false;
}

/* Ours with theirs instead of those of the same name; the texts are lent. */
static char **merge_env(const char *const *env)
{
	size_t ours = 0, theirs = 0, at = 0;
	char **out;
	char *const *old;

	while (environ[ours])
		ours++;
	while (env[theirs])
		theirs++;
	out = mem_alloc((ours + theirs + 1) * sizeof(*out));
	for (old = environ; *old; old++) {
		if (!is_set_in(env, *old))
			out[at++] = *old;
	}
	while (*env) {
		/* uv_spawn wants char **, and changes nothing. */
		memcpy(&out[at++], env++, sizeof(*out));
	}
	out[at] = NULL;
	return out;
}

/*
 * A pipe and not libuv's socket pair: a script may open /dev/stderr, which
 * does not work with a socket. Returns the child's end, or -errno.
 */
static int stream_open(struct stream *s, struct child *c)
{
	uv_file ends[2];
	int status = uv_pipe(ends, UV_NONBLOCK_PIPE, 0);

	if (status)
		return status;
	uv_pipe_init(loop_uv(c->loop), &s->uv, 0);
	s->uv.data = s;
	s->used = true;
	c->handles++;
	status = uv_pipe_open(&s->uv, ends[0]);
	if (status) {
		close(ends[0]);
		close(ends[1]);
		return status;
	}
	return ends[1];
}

static int stdio_for(uv_stdio_container_t *io, struct stream *s,
		     enum child_stream how, int own)
{
	s->ended = how != CHILD_PIPE;
	io->flags = how == CHILD_NULL ? UV_IGNORE : UV_INHERIT_FD;
	io->data.fd = own;
	if (how != CHILD_PIPE)
		return 0;
	io->data.fd = stream_open(s, s->child);
	return io->data.fd < 0 ? io->data.fd : 0;
}

static int stdin_for(uv_stdio_container_t *io, struct child *c,
		     const struct child_options *o)
{
	io->flags = UV_INHERIT_FD;
	io->data.fd = o->in == CHILD_PIPE ? o->in_fd : STDIN_FILENO;
	if (o->writable) {
		io->data.fd =
			child_input_open(&c->in, c->loop, on_part_closed, c);
		c->handles += c->in.open;
		return io->data.fd < 0 ? io->data.fd : 0;
	}
	if (o->in == CHILD_NULL)
		io->flags = UV_IGNORE;
	return 0;
}

/* What the child gets; the ends are ours to close afterwards. */
static int open_stdio(struct child *c, const struct child_options *o,
		      uv_stdio_container_t io[3])
{
	int in = stdin_for(&io[0], c, o);
	int out = stdio_for(&io[1], &c->out, o->out, STDOUT_FILENO);
	int err = stdio_for(&io[2], &c->err, o->err, STDERR_FILENO);

	if (in)
		return in;
	return out ? out : err;
}

static void close_ends(const struct child_options *o,
		       const uv_stdio_container_t io[3])
{
	const bool ours[] = { o->writable, o->out == CHILD_PIPE,
			      o->err == CHILD_PIPE };

	for (size_t i = 0; i < COUNT(ours); i++) {
		if (ours[i] && io[i].data.fd >= 0)
			close(io[i].data.fd);
	}
}

static int spawn(struct child *c, const struct child_options *o)
{
	CLEANUP(mem_free_ptr) char **env = o->env ? merge_env(o->env) : NULL;
	uv_stdio_container_t io[3];
	uv_process_options_t options = {
		.exit_cb = on_exit,
		.file = o->argv[0],
		.env = env,
		.cwd = o->cwd,
		.flags = o->same_group ? 0 : UV_PROCESS_DETACHED,
		.stdio_count = 3,
		.stdio = io,
	};
	int status;

	/* uv_spawn wants char **, and changes nothing. */
	memcpy(&options.args, &o->argv, sizeof(options.args));
	/* Libraries leave sockets that are not close-on-exec. */
	close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
	status = open_stdio(c, o, io);
	if (!status) {
		c->handles++;
		status = uv_spawn(loop_uv(c->loop), &c->process, &options);
	}
	close_ends(o, io);
	return status;
}

/* Why the folder that it is to run in is none; 0 if it is one. */
static int folder_problem(const char *path)
{
	struct stat about;

	if (!path)
		return 0;
	if (stat(path, &about))
		return errno;
	return S_ISDIR(about.st_mode) ? 0 : ENOTDIR;
}

static int not_started(const struct child_options *o, int status,
		       struct error *err)
{
	const char *program = o->argv[0];
	bool path = strchr(program, '/') != NULL;
	int folder = folder_problem(o->cwd);

	if (folder) {
		error_set(err, ERR_CONNECT,
			  "cannot start '%s': the folder '%s': %s", program,
			  o->cwd, uv_strerror(-folder));
	} else if (status == UV_ENOENT && !path) {
		error_set(err, ERR_CONNECT,
			  "cannot start '%s': there is no such program in PATH",
			  program);
		error_hint(err, "install it, or give its whole path");
	} else {
		error_set(err, ERR_CONNECT, "cannot start '%s': %s", program,
			  uv_strerror(status));
		if (status == UV_ENOENT && o->cwd && *program != '/')
			error_hint(err, "it is looked for from the folder '%s'",
				   o->cwd);
	}
	return error_code(err, -status);
}

int child_start(struct child **out, struct loop *l,
		const struct child_options *o,
		const struct child_events *events, void *owner,
		struct error *err)
{
	struct child *c = mem_zalloc(sizeof(*c));
	int status;

	c->loop = l;
	c->owner = owner;
	c->out.child = c->err.child = c;
	c->keep = o->keep;
	c->same_group = o->same_group;
	c->process.data = c;
	c->handles = 1; /* the timer */
	timer_open(&c->timer, l, on_timer, c);
	status = spawn(c, o);
	if (status) {
		*out = NULL;
		close_all(c);
		return not_started(o, status, err);
	}
	c->pid = c->process.pid;
	c->events = events;
	if (c->out.used)
		uv_read_start((uv_stream_t *)&c->out.uv, on_alloc, on_read);
	if (c->err.used)
		uv_read_start((uv_stream_t *)&c->err.uv, on_alloc, on_read);
	*out = c;
	return 0;
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
