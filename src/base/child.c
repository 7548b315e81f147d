/* SPDX-License-Identifier: MIT */
/*
 * A child process on the loop: started, written to, read line by line, ended.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/child.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/spawner.h"
#include "base/text.h"

struct stream {
	uv_pipe_t uv;
	struct child *child;
	struct buf line, kept;
	bool begun; /* a line of which there is no end yet */
	bool used, ended;
};

struct child {
	struct loop *loop;
	uv_process_t process; /* one of the two */
	struct spawned spawned;
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

static void child_on_end(void *owner, int64_t status, int number);

/*
 * Writing to a child: at once what the pipe takes, the rest when it is read.
 * It knows no processes.
 */

struct input_piece {
	uv_write_t uv;
	char data[];
};

static void on_closed(uv_handle_t *handle)
{
	struct child_input *i = handle->data;

	i->closed(i->owner);
}

/*
 * The child's end of the pipe, close-on-exec, or -errno. Also in the latter
 * case `open` says whether there is a handle: then closed comes after
 * child_input_close, or earlier, once all is written or nobody reads.
 */
static int child_input_open(struct child_input *i, struct loop *l,
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

/* Drop what waits. Again is fine. */
static void child_input_close(struct child_input *i)
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

static void child_input_end(struct child_input *i)
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

/* As child_write and child_close_input of base/child.h. */
static int child_input_write(struct child_input *i, const char *data,
			     size_t len, struct error *err)
{
	size_t waiting = i->open ? i->uv.write_queue_size : 0;
	int taken;

	if (!i->open || i->ending)
		return is_closed(err);
	if (len > CHILD_INPUT_MAX - waiting)
		return error_set(
			err, ERR_CONNECT,
			"it does not read its stdin: %zu bytes wait, and %zu more are too many",
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

/*
 * A child process on the loop: its pipes, its end. What its lines mean is the
 * owner's matter; how it starts stands below.
 */

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

static void child_part_closed(void *owner)
{
	release(owner);
}

static void stream_close(struct stream *s)
{
	if (s->used && !uv_is_closing((uv_handle_t *)&s->uv))
		uv_close((uv_handle_t *)&s->uv, on_stream_closed);
	s->ended = true;
}

/* Close what is open; the memory goes with the last of it. */
static void child_close_all(struct child *c)
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
		buf_cut(&s->line, s->line.len - 1);
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

/* Hear what comes through it, if it is used. */
static void child_read(struct stream *s)
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
static void child_on_timer(void *owner)
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

/* Of the process, of its timer; when a handle that is none of libuv's is closed. */
static void child_on_exit(uv_process_t *process, int64_t status, int number)
{
	child_on_end(process->data, status, number);
}

static void child_on_end(void *owner, int64_t status, int number)
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

bool child_reads(const struct child *c)
{
	return c->in.open && !c->in.ending;
}

void child_close_input(struct child *c)
{
	child_input_end(&c->in);
}

/*
 * The start of a child, by uv_spawn or the spawner: its environment, its pipes, and why it
 * did not start.
 */

/* The name of "NAME=VALUE" with its '='. */
static size_t name_length(const char *setting)
{
	return strcspn(setting, "=") + 1;
}

static bool is_set_in(const char *const *env, const char *setting)
{
	for (; *env; env++) {
		if (strncmp(*env, setting, name_length(setting)) == 0)
			return true;
	}
	return false;
}

/* MCPCTL_TOKEN, MCPCTL_OAUTH_CLIENT_SECRET, MCPCTL_MCP_ENDPOINT (an address with a token) … */
static bool is_secret(const char *setting)
{
	CLEANUP(mem_free_ptr)
	char *name = mem_strndup(setting, strcspn(setting, "="));

	return text_starts(name, "MCPCTL_") &&
	       (strstr(name, "TOKEN") || strstr(name, "PASSWORD") ||
		strstr(name, "SECRET") || strstr(name, "MCP_ENDPOINT"));
}

static bool is_handed_on(const struct child_options *o, const char *setting)
{
	return o->secrets || !is_secret(setting);
}

/* Ours with theirs instead of those of the same name; the texts are lent. */
static char **merge_env(const struct child_options *o)
{
	static const char *const none[] = { NULL };
	const char *const *env = o->env ? o->env : none;
	size_t ours = 0, theirs = 0, at = 0;
	char **out;
	char *const *old;

	while (environ[ours])
		ours++;
	while (env[theirs])
		theirs++;
	out = mem_alloc((ours + theirs + 1) * sizeof(*out));
	for (old = environ; *old; old++) {
		if (!is_set_in(env, *old) && is_handed_on(o, *old))
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
			child_input_open(&c->in, c->loop, child_part_closed, c);
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
	int out = stdio_for(&io[1], &c->out, o->out,
			    o->out_fd ? o->out_fd : STDOUT_FILENO);
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

static int spawn_here(struct child *c, const struct child_options *o,
		      char **env, uv_stdio_container_t io[3])
{
	uv_process_options_t options = {
		.exit_cb = child_on_exit,
		.file = o->argv[0],
		.env = env,
		.cwd = o->cwd,
		.flags = o->same_group ? 0 : UV_PROCESS_DETACHED,
		.stdio_count = 3,
		.stdio = io,
	};

	/* uv_spawn wants char **, and changes nothing. */
	memcpy(&options.args, &o->argv, sizeof(options.args));
	c->handles++;
	return uv_spawn(loop_uv(c->loop), &c->process, &options);
}

static int spawn_there(struct child *c, const struct child_options *o,
		       char **env, const uv_stdio_container_t io[3])
{
	struct spawner_program program = { .argv = o->argv,
					   .env = env,
					   .cwd = o->cwd,
					   .same_group = o->same_group };
	int status;

	for (size_t i = 0; i < COUNT(program.fd); i++)
		program.fd[i] = io[i].flags == UV_IGNORE ? -1 : io[i].data.fd;
	c->spawned.ended = child_on_end;
	c->spawned.owner = c;
	status = spawner_start(&c->spawned, c->loop, &program);
	c->process.pid = c->spawned.pid;
	return status;
}

static int spawn(struct child *c, const struct child_options *o)
{
	CLEANUP(mem_free_ptr)
	char **env = merge_env(o);
	uv_stdio_container_t io[3];
	int status;

	/* Libraries leave sockets that are not close-on-exec. */
	close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
	status = open_stdio(c, o, io);
	if (!status && spawner_is_open())
		status = spawn_there(c, o, env, io);
	else if (!status)
		status = spawn_here(c, o, env, io);
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

/* PATH as the child has it. */
static const char *path_of(const struct child_options *o)
{
	const char *path = getenv("PATH");

	for (size_t i = 0; o->env && o->env[i]; i++) {
		if (text_starts(o->env[i], "PATH="))
			path = o->env[i] + strlen("PATH=");
	}
	return path ? path : "";
}

/* EACCES is also a folder of PATH that is closed to us, and then says nothing
   of the program. */
static bool is_not_in_path(const struct child_options *o, int status)
{
	CLEANUP(mem_free_ptr) char *found = NULL;

	if (strchr(o->argv[0], '/'))
		return false;
	if (status != UV_EACCES)
		return status == UV_ENOENT;
	found = file_find(path_of(o), o->argv[0], F_OK);
	return !found;
}

static int not_started(const struct child_options *o, int status,
		       struct error *err)
{
	const char *program = o->argv[0];
	int folder = folder_problem(o->cwd);
	bool missing = !folder && is_not_in_path(o, status);

	if (spawner_is_lost()) {
		error_set(
			err, ERR_CONNECT,
			"cannot start '%s': the process that starts programs has ended",
			program);
		error_hint(err, "end this program, and start it again");
	} else if (folder) {
		error_set(err, ERR_CONNECT,
			  "cannot start '%s': the folder '%s': %s", program,
			  o->cwd, uv_strerror(-folder));
	} else if (missing) {
		error_set(err, ERR_CONNECT,
			  "cannot start '%s': there is no such program in PATH",
			  program);
		error_hint(err, "install it, or give its whole path");
	} else {
		error_set(err, ERR_CONNECT, "cannot start '%s': %s", program,
			  uv_strerror(status));
		if (status == UV_EAGAIN)
			error_hint(err, SPAWNER_FULL_HINT);
		if (status == UV_ENOENT && o->cwd && *program != '/')
			error_hint(err, "it is looked for from the folder '%s'",
				   o->cwd);
	}
	return error_code(err, missing ? ENOENT : -status);
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
	timer_open(&c->timer, l, child_on_timer, c);
	status = spawn(c, o);
	if (status) {
		*out = NULL;
		child_close_all(c);
		return not_started(o, status, err);
	}
	c->pid = c->process.pid;
	c->events = events;
	child_read(&c->out);
	child_read(&c->err);
	*out = c;
	return 0;
}
