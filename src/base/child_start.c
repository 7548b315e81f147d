/* SPDX-License-Identifier: MIT */
/*
 * The start of a child, by uv_spawn or the spawner: its environment, its pipes, and why it
 * did not start.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child_private.h"
#include "base/mem.h"
#include "base/text.h"

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

/* MCPCTL_TOKEN, MCPCTL_MQTT_PASSWORD, MCPCTL_VISION_TOKEN. */
static bool is_secret(const char *setting)
{
	CLEANUP(mem_free_ptr)
	char *name = mem_strndup(setting, strcspn(setting, "="));

	return text_starts(name, "MCPCTL_") &&
	       (strstr(name, "TOKEN") || strstr(name, "PASSWORD"));
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

static int not_started(const struct child_options *o, int status,
		       struct error *err)
{
	const char *program = o->argv[0];
	bool path = strchr(program, '/') != NULL;
	int folder = folder_problem(o->cwd);

	if (spawner_is_lost()) {
		error_set(err, ERR_CONNECT,
			  "cannot start '%s': the process that starts programs "
			  "has ended",
			  program);
		error_hint(err, "end this program, and start it again");
	} else if (folder) {
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
		if (status == UV_EAGAIN)
			error_hint(err, SPAWNER_FULL_HINT);
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
