/* SPDX-License-Identifier: MIT */
/*
 * serve's socket seen from a command: where it is, who may be behind it, and
 * frames in both directions: on the loop, or polled until a deadline.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json_scan.h"
#include "base/mem.h"
#include "net/control_client.h"
#include "wire/control_frames.h"

/*
 * Frames over serve's socket, in both directions. What the frames say is the
 * matter of whoever opened it.
 */

#define CHUNK 65536
/* A serve whose queue is full: asked again so often, given up after so long. */
#define AGAIN_MS 10
#define CONNECT_MS 5000
/* How long what was sent may take to leave before a close. */
#define DRAIN_MS 1000

struct control_client {
	uv_pipe_t pipe;
	uv_shutdown_t shutdown;
	struct timer timer; /* until connected: to try again; then: to drain */
	int fd; /* not connected yet; -1 */
	struct sockaddr_un to;
	int64_t give_up_at; /* loop_now() ms */
	struct buf early; /* sent before it was connected */
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
	buf_done(&c->early);
	error_reset(&c->why);
	mem_free(c);
}

static void on_pipe_closed(uv_handle_t *handle)
{
	on_part_closed(handle->data);
}

static void close_parts(struct control_client *c)
{
	if (uv_is_closing((uv_handle_t *)&c->pipe))
		return;
	c->parts = 2;
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	uv_close((uv_handle_t *)&c->pipe, on_pipe_closed);
	timer_close(&c->timer, on_part_closed);
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
		timer_start(&c->timer, DRAIN_MS);
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
		error_hint(
			&c->why,
			"serve and this command must be of one version: start serve again");
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

static void write_frames(struct control_client *c, const struct buf *frames)
{
	uv_stream_t *stream = (uv_stream_t *)&c->pipe;
	uv_buf_t all = uv_buf_init(frames->data, (unsigned)frames->len);
	int written = uv_try_write(stream, &all, 1);

	/*
	 * A serve that has gone: what it said last is still to be read, and
	 * tells more than a failed write.
	 */
	if (written < 0 && written != UV_EAGAIN)
		return;
	if (written < 0)
		written = 0;
	if ((size_t)written < frames->len)
		write_later(stream, frames->data + written,
			    frames->len - (size_t)written);
}

int control_client_send(struct control_client *c, enum control_kind kind,
			const void *data, size_t len, struct error *err)
{
	CLEANUP(buf_done) struct buf frame = { 0 };
	size_t waiting;

	if (c->closing)
		return error_set(err, ERR_CONNECT,
				 "the connection to serve is closed");
	waiting = uv_stream_get_write_queue_size((uv_stream_t *)&c->pipe) +
		  c->early.len;
	if (len > CONTROL_FRAME_MAX || waiting > CONTROL_FRAME_MAX - len)
		return error_set(
			err, ERR_CONNECT,
			"serve does not read: %zu bytes wait to be sent",
			waiting + len);
	control_encode(&frame, kind, data, len);
	if (c->fd >= 0) {
		buf_add(&c->early, frame.data, frame.len);
		return 0;
	}
	write_frames(c, &frame);
	return 0;
}

int control_client_silent(enum error_kind kind, struct error *err)
{
	error_set(err, kind, "the running serve does not answer");
	return error_hint(
		err,
		"its process may be stopped (Ctrl-Z) or stuck: continue it (fg), or kill it and start it again");
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
			error_hint(
				err,
				"a serve takes commands of its own user only; start your own: mcpctl serve");
		return error_code(err, number);
	}
	error_set(err, ERR_CONNECT, "no serve is running: %s '%s'",
		  number == ENOENT ? "there is no socket" : "nobody answers at",
		  path);
	if (user && geteuid() == 0)
		error_hint(
			err,
			"without sudo, the serve of '%s' would be asked; or start one of root's: mcpctl serve",
			user);
	else
		error_hint(err,
			   "start one, and let boards dial in: mcpctl serve");
	return error_code(err, number);
}

static int make_address(struct sockaddr_un *out, const char *path,
			struct error *err)
{
	size_t len = strlen(path);

	*out = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (len >= sizeof(out->sun_path))
		return error_set(
			err, ERR_USAGE,
			"the path of the socket is longer than %zu bytes",
			sizeof(out->sun_path) - 1);
	memcpy(out->sun_path, path, len + 1);
	return 0;
}

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

/* 1: connected; 0: its queue is full for a moment; -1: err. */
static int try_connect(struct control_client *c, struct error *err)
{
	const char *path = c->to.sun_path;

	if (connect(c->fd, (struct sockaddr *)&c->to, sizeof(c->to)) == 0)
		return check_owner(c->fd, path, err) ? -1 : 1;
	return errno == EAGAIN ? 0 : refused(path, errno, err);
}

static void on_connected(struct control_client *c)
{
	uv_pipe_open(&c->pipe, c->fd);
	c->fd = -1;
	uv_read_start((uv_stream_t *)&c->pipe, on_allocate, on_read);
	write_frames(c, &c->early);
	buf_done(&c->early);
}

static void on_timer(void *owner)
{
	struct control_client *c = owner;
	int status;

	if (c->closing) {
		close_parts(c);
		return;
	}
	status = try_connect(c, &c->why);
	if (status == 0 && loop_now() >= c->give_up_at)
		status = control_client_silent(ERR_CONNECT, &c->why);
	if (status < 0)
		hang_up(c);
	else if (status > 0)
		on_connected(c);
	else
		timer_start(&c->timer, AGAIN_MS);
}

int control_client_open(struct control_client **out, struct loop *l,
			const char *path,
			const struct control_client_events *events, void *owner,
			struct error *err)
{
	struct control_client *c = mem_alloc(sizeof(*c));
	int status = -1;

	*out = NULL;
	memset(c, 0, offsetof(struct control_client, chunk));
	c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (c->fd < 0)
		refused(path, errno, err);
	else if (!make_address(&c->to, path, err))
		status = try_connect(c, err);
	if (status < 0) {
		if (c->fd >= 0)
			close(c->fd);
		mem_free(c);
		return -1;
	}
	c->events = events;
	c->owner = owner;
	timer_open(&c->timer, l, on_timer, c);
	uv_pipe_init(loop_uv(l), &c->pipe, 0);
	c->pipe.data = c;
	c->give_up_at = loop_now() + CONNECT_MS;
	greet(c);
	if (status > 0)
		on_connected(c);
	else
		timer_start(&c->timer, AGAIN_MS);
	*out = c;
	return 0;
}

/*
 * A socket that is polled until a deadline. Serve's answers are read as they
 * are; what they say is the asker's matter.
 */

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void control_quick_close(struct control_quick *q)
{
	if (q->fd >= 0)
		close(q->fd);
	q->fd = -1;
	buf_done(&q->in);
	q->used = 0;
}

static int give_up(struct control_quick *q)
{
	control_quick_close(q);
	return -1;
}

/* -1: the time is over. A hang-up is found by what is done next. */
static int wait_for(const struct control_quick *q, short what)
{
	struct pollfd p = { .fd = q->fd, .events = what };
	int n;

	do {
		int64_t left = q->deadline - now_ms();

		n = left > 0 ? poll(&p, 1, (int)left) : 0;
	} while (n < 0 && errno == EINTR);
	return n > 0 ? 0 : -1;
}

int control_quick_open(struct control_quick *q, const char *path, int64_t ms)
{
	struct sockaddr_un to;
	bool exists = false;
	CLEANUP(buf_done) struct buf question = { 0 };

	*q = (struct control_quick){ .fd = -1, .deadline = now_ms() + ms };
	if (make_address(&to, path, NULL) ||
	    control_path_check(path, &exists, NULL) != 0 || !exists)
		return -1;
	/* A full queue is EAGAIN then: such a serve is too slow anyway. */
	q->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (q->fd < 0 ||
	    connect(q->fd, (struct sockaddr *)&to, sizeof(to)) != 0 ||
	    check_owner(q->fd, path, NULL))
		return give_up(q);
	buf_init(&q->in, CONTROL_HEAD + CONTROL_FRAME_MAX + CHUNK);
	greeting_ask(&question);
	return control_quick_send(q, &question);
}

int control_quick_send(struct control_quick *q, const struct buf *json)
{
	CLEANUP(buf_done) struct buf frame = { 0 };
	size_t at = 0;

	if (q->fd < 0)
		return -1;
	if (json->len > CONTROL_FRAME_MAX)
		return give_up(q);
	control_encode(&frame, CONTROL_JSON, buf_string(json), json->len);
	while (at < frame.len) {
		ssize_t n = send(q->fd, frame.data + at, frame.len - at,
				 MSG_NOSIGNAL);

		if (n > 0)
			at += (size_t)n;
		else if (n == 0 || (errno != EAGAIN && errno != EINTR) ||
			 wait_for(q, POLLOUT) != 0)
			return give_up(q);
	}
	return 0;
}

/* More of what is no whole frame yet. -1: nothing comes, or it is too much. */
static int receive(struct control_quick *q)
{
	char chunk[CHUNK];
	ssize_t n;

	buf_consume(&q->in, q->used);
	q->used = 0;
	do {
		if (wait_for(q, POLLIN) != 0)
			return -1;
		n = recv(q->fd, chunk, sizeof(chunk), 0);
	} while (n < 0 && (errno == EAGAIN || errno == EINTR));
	if (n <= 0 || buf_add(&q->in, chunk, (size_t)n) != 0)
		return -1;
	return 0;
}

/* The next JSON frame; lent until more is received. */
static int next_frame(struct control_quick *q, struct control_frame *f)
{
	int status;

	do {
		status = control_decode(f, buf_string(&q->in) + q->used,
					q->in.len - q->used, NULL);
		if (status < 0 || (status == 0 && receive(q) != 0))
			return -1;
		if (status > 0)
			q->used += f->size;
	} while (status == 0 || f->kind != CONTROL_JSON);
	return 0;
}

/* Past the greeting. -1: a serve that is not understood, or says no more. */
static int meet(struct control_quick *q)
{
	struct control_frame f;
	struct greeting g;

	if (q->greeted)
		return 0;
	q->greeted = true;
	if (next_frame(q, &f) != 0 || !greeting_read(&g, &f))
		return -1;
	return greeting_check(&g, NULL);
}

int control_quick_next(struct control_quick *q, struct span *out)
{
	struct control_frame f;

	if (q->fd < 0)
		return -1;
	if (meet(q) != 0 || next_frame(q, &f) != 0)
		return give_up(q);
	*out = (struct span){ f.data, f.len };
	return json_check(f.data, f.len, NULL) == 0 ? 0 : give_up(q);
}

/*
 * The path of serve's socket and who may be behind it. Opens nothing.
 */

#define PRIVATE_MODE 0700
#define OTHERS 0077

/* The longest path that an address holds with its NUL: 107 bytes. */
#define PATH_MAX_LEN (sizeof(((struct sockaddr_un *)0)->sun_path) - 1)

static int refuse_folder(const char *folder, const char *why, struct error *err)
{
	error_set(err, ERR_CONNECT, "the folder '%s' of the control socket %s",
		  folder, why);
	return error_hint(
		err, "remove it, or name another place with --socket FILE");
}

/* 0 if it is not there: nothing is trusted then. */
static int check_folder(const char *folder, struct error *err)
{
	struct stat st;

	if (lstat(folder, &st)) {
		int error = errno;

		if (error == ENOENT || error == ENOTDIR)
			return 0;
		error_set(
			err, ERR_CONNECT,
			"cannot look at the folder '%s' of the control socket: %s",
			folder, strerror(error));
		error_hint(err, "name another place with --socket FILE");
		return error_code(err, error);
	}
	if (S_ISLNK(st.st_mode))
		return refuse_folder(folder, "is a symbolic link", err);
	if (!S_ISDIR(st.st_mode))
		return refuse_folder(folder, "is no folder", err);
	if (st.st_uid != geteuid())
		return refuse_folder(folder, "belongs to another user", err);
	if (st.st_mode & OTHERS)
		return refuse_folder(folder, "is open to other users", err);
	return 0;
}

static int make_folder(const char *folder, struct error *err)
{
	int error;

	if (!mkdir(folder, PRIVATE_MODE) || errno == EEXIST)
		return check_folder(folder, err);
	error = errno;
	error_set(err, ERR_CONNECT,
		  "cannot make the folder '%s' of the control socket: %s",
		  folder, strerror(error));
	error_hint(
		err,
		"set XDG_RUNTIME_DIR to a folder of yours, or name a place with --socket FILE");
	return error_code(err, error);
}

static bool is_folder(const char *path, struct stat *st)
{
	return path && path[0] == '/' && !stat(path, st) &&
	       S_ISDIR(st->st_mode);
}

/*
 * The variable may outlive its folder, as in a container, or be another
 * user's, as after su: a folder of ours in there would shut that user out.
 */
static const char *runtime_folder(void)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	struct stat st;

	return is_folder(runtime, &st) && st.st_uid == geteuid() ? runtime :
								   NULL;
}

static char *temporary_folder(void)
{
	const char *temporary = getenv("TMPDIR");
	struct stat st;

	return mem_printf("%s/mcpctl-%u",
			  is_folder(temporary, &st) ? temporary : "/tmp",
			  (unsigned)geteuid());
}

static char *default_folder(void)
{
	const char *runtime = runtime_folder();

	return runtime ? mem_printf("%s/mcpctl", runtime) : temporary_folder();
}

/* Where serve is if it was started in an environment of another kind. */
static char *other_folder(void)
{
	return runtime_folder() ?
		       temporary_folder() :
		       mem_printf("/run/user/%u/mcpctl", (unsigned)geteuid());
}

static int check_length(const char *path, struct error *err)
{
	size_t len = strlen(path);

	if (len <= PATH_MAX_LEN)
		return 0;
	error_set(
		err, ERR_USAGE,
		"the path of the control socket has %zu bytes, %zu at most: '%s'",
		len, PATH_MAX_LEN, path);
	return error_hint(err, "name a shorter one with --socket FILE");
}

static bool is_there(const char *path)
{
	bool exists;

	return !control_path_check(path, &exists, NULL) && exists;
}

/* A job of cron, or a command over ssh, finds the serve of a desktop session. */
static void look_elsewhere(char **path)
{
	CLEANUP(mem_free_ptr) char *folder = other_folder();
	CLEANUP(mem_free_ptr)
	char *other = mem_printf("%s/serve.sock", folder);

	if (is_there(*path) || check_folder(folder, NULL) || !is_there(other))
		return;
	mem_free(*path);
	*path = TAKE(other);
}

int control_path(char **out, const char *given, bool create, struct error *err)
{
	CLEANUP(mem_free_ptr) char *folder = NULL;
	CLEANUP(mem_free_ptr) char *path = NULL;
	int status;

	*out = NULL;
	if (given && *given) {
		if (check_length(given, err))
			return -1;
		*out = mem_strdup(given);
		return 0;
	}
	folder = default_folder();
	path = mem_printf("%s/serve.sock", folder);
	if (check_length(path, err))
		return -1;
	status = create ? make_folder(folder, err) : check_folder(folder, err);
	if (status)
		return -1;
	if (!create)
		look_elsewhere(&path);
	*out = TAKE(path);
	return 0;
}

int control_path_check(const char *path, bool *exists, struct error *err)
{
	struct stat st;

	*exists = false;
	if (lstat(path, &st)) {
		int error = errno;

		if (error == ENOENT || error == ENOTDIR)
			return 0;
		error_set(err, ERR_CONNECT,
			  "cannot look at the socket '%s': %s", path,
			  strerror(error));
		return error_code(err, error);
	}
	if (!S_ISSOCK(st.st_mode)) {
		error_set(err, ERR_CONNECT, "'%s' is no socket", path);
		return error_hint(err, "name another place with --socket FILE");
	}
	if (st.st_uid != geteuid()) {
		error_set(err, ERR_CONNECT,
			  "the socket '%s' belongs to another user (uid %u)",
			  path, (unsigned)st.st_uid);
		return error_hint(
			err,
			"a serve takes commands of its own user only; start your own");
	}
	*exists = true;
	return 0;
}
