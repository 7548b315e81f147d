/* SPDX-License-Identifier: MIT */
/*
 * serve's socket seen from a command: where it is, who may be behind it, and
 * frames in both directions, as they come or taken from a queue.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json_scan.h"
#include "base/mem.h"
#include "base/text.h"
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

int control_client_ask(struct control_client *c, const struct serve_question *q,
		       struct error *err)
{
	CLEANUP(buf_done) struct buf json = { 0 };

	serve_question_encode(&json, q);
	return control_client_send(c, CONTROL_JSON, json.data, json.len, err);
}

/* How much of it went. */
static ssize_t send_with(int socket, const struct buf *frame, int fd)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct iovec part = { frame->data, frame->len };
	struct msghdr h = { .msg_iov = &part,
			    .msg_iovlen = 1,
			    .msg_control = control.bytes,
			    .msg_controllen = sizeof(control.bytes) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&h);
	ssize_t sent;

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	do
		sent = sendmsg(socket, &h, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (sent < 0 && errno == EINTR);
	return sent;
}

/*
 * The same with a descriptor, which stays the caller's; only once serve has
 * answered something, and while nothing waits to be sent. -1: ERR_CONNECT.
 */
static int control_client_ask_with(struct control_client *c,
				   const struct serve_question *q, int fd,
				   struct error *err)
{
	uv_stream_t *stream = (uv_stream_t *)&c->pipe;
	CLEANUP(buf_done) struct buf json = { 0 }, frame = { 0 };
	uv_os_fd_t socket;
	ssize_t sent = -1;

	serve_question_encode(&json, q);
	control_encode(&frame, CONTROL_JSON, json.data, json.len);
	errno = EAGAIN;
	if (!c->closing && c->fd < 0 &&
	    uv_stream_get_write_queue_size(stream) == 0 &&
	    uv_fileno((uv_handle_t *)&c->pipe, &socket) == 0)
		sent = send_with(socket, &frame, fd);
	if (sent < 0)
		return error_set(err, ERR_CONNECT,
				 "the file could not be handed to serve: %s",
				 c->closing ? "it has ended" : strerror(errno));
	if ((size_t)sent < frame.len)
		write_later(stream, frame.data + sent,
			    frame.len - (size_t)sent);
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
	const char *leases = getenv("MCPCTL_LEASE");
	CLEANUP(buf_done) struct buf question = { 0 };

	greeting_ask(&question, leases && *leases ? leases : NULL);
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

/* One that blocks nobody. -1: err. */
static int make_socket(const char *path, struct error *err)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	return fd < 0 ? refused(path, errno, err) : fd;
}

/* 1: connected; 0: its queue is full for a moment; -1: err. */
static int reach(int fd, const struct sockaddr_un *to, struct error *err)
{
	if (connect(fd, (const struct sockaddr *)to, sizeof(*to)) == 0)
		return 1;
	return errno == EAGAIN ? 0 : refused(to->sun_path, errno, err);
}

bool control_is_open(const char *path)
{
	struct sockaddr_un to;
	int fd = make_socket(path, NULL);
	bool open = fd >= 0 && make_address(&to, path, NULL) == 0 &&
		    reach(fd, &to, NULL) >= 0;

	if (fd >= 0)
		close(fd);
	return open;
}

/* The same, of the user's own. */
static int try_connect(struct control_client *c, struct error *err)
{
	int status = reach(c->fd, &c->to, err);

	return status > 0 && check_owner(c->fd, c->to.sun_path, err) ? -1 :
								       status;
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
	c->fd = make_socket(path, err);
	if (c->fd >= 0 && !make_address(&c->to, path, err))
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
 * A queue between the socket's callbacks, which record, and the main line,
 * which takes.
 */

struct queued {
	char *text;
	size_t len;
	struct queued *next;
};

struct control_line {
	struct loop *loop;
	struct control_client *client;
	int (*greeted)(void *owner, const struct greeting *g,
		       struct error *err);
	void *owner;
	struct queued *first, **last;
	bool wake; /* there is something, or it is closed */
	bool *woken; /* the same, for somebody else; NULL */
	bool closed, abandoned;
	bool bare; /* no trees */
	struct greeting serve;
	struct error why; /* of closed */
};

static void release(struct control_line *c)
{
	while (c->first) {
		struct queued *q = c->first;

		c->first = q->next;
		mem_free(q->text);
		mem_free(q);
	}
	error_reset(&c->why);
	mem_free(c);
}

static int line_greeted(void *owner, const struct greeting *g,
			struct error *err)
{
	struct control_line *c = owner;

	c->serve = *g;
	return c->greeted ? c->greeted(c->owner, g, err) : 0;
}

static void wake(struct control_line *c)
{
	c->wake = true;
	if (c->woken)
		*c->woken = true;
}

static void line_frame(void *owner, const struct control_frame *f)
{
	struct control_line *c = owner;
	struct queued *q;

	if (f->kind != CONTROL_JSON)
		return;
	q = mem_zalloc(sizeof(*q));
	q->text = mem_copy(f->data, f->len);
	q->len = f->len;
	*c->last = q;
	c->last = &q->next;
	wake(c);
}

static void line_closed(void *owner, const struct error *why)
{
	struct control_line *c = owner;

	if (c->abandoned) {
		release(c);
		return;
	}
	c->closed = true;
	wake(c);
	error_copy(&c->why, why);
}

int control_line_open(struct control_line **out, struct loop *l,
		      const char *path,
		      int (*greeted)(void *owner, const struct greeting *g,
				     struct error *err),
		      void *owner, struct error *err)
{
	static const struct control_client_events line_events = {
		.greeted = line_greeted,
		.frame = line_frame,
		.closed = line_closed
	};
	struct control_line *c = mem_zalloc(sizeof(*c));

	*out = NULL;
	*c = (struct control_line){
		.loop = l, .greeted = greeted, .owner = owner, .last = &c->first
	};
	if (control_client_open(&c->client, l, path, &line_events, c, err)) {
		mem_free(c);
		return -1;
	}
	*out = c;
	return 0;
}

void control_line_bare(struct control_line *c)
{
	c->bare = true;
}

void control_line_wakes(struct control_line *c, bool *woken)
{
	c->woken = woken;
	if (woken)
		*woken = c->first || c->closed;
}

void control_line_close(struct control_line *c)
{
	if (!c)
		return;
	if (!c->closed) {
		control_client_close(c->client);
		loop_drain(c->loop, &c->closed, loop_now() + DRAIN_MS);
	}
	if (c->closed)
		release(c);
	else
		c->abandoned = true;
}

void control_answer_done(struct control_answer *a)
{
	cJSON_Delete(a->json);
	mem_free(a->op);
	mem_free(a->text);
	*a = (struct control_answer){ 0 };
}

void control_answer_take(void *owner, struct control_answer *a)
{
	control_answer_done(owner);
	memcpy(owner, a, sizeof(*a));
	*a = (struct control_answer){ 0 };
}

struct span control_answer_member(const struct control_answer *a,
				  const char *name)
{
	struct span whole = { a->text, a->len }, found;

	if (!json_span_member(whole, name, &found) || *found.text == 'n')
		return (struct span){ 0 };
	return found;
}

int control_line_send(struct control_line *c, const struct serve_question *q,
		      struct error *err)
{
	if (!c->closed)
		return control_client_ask(c->client, q, err);
	error_copy(err, &c->why);
	return -1;
}

int control_line_send_with(struct control_line *c,
			   const struct serve_question *q, int fd,
			   struct error *err)
{
	if (!c->closed)
		return control_client_ask_with(c->client, q, fd, err);
	error_copy(err, &c->why);
	return -1;
}

/* What an `error` object says. */
static int refused_by(const struct control_line *c,
		      const struct control_answer *a, struct error *err)
{
	CLEANUP(json_free_ptr) cJSON *json = json_parse(a->text, a->len, NULL);

	control_error_decode(err, json_object(json, "error"));
	if (err->kind == ERR_PROTOCOL)
		greeting_blame(&c->serve, err);
	return -1;
}

static int read_answer(const struct control_line *c, struct control_answer *a,
		       struct error *err)
{
	struct span whole = { a->text, a->len }, op;

	if (!c->bare)
		a->json = json_parse(a->text, a->len, err);
	if (c->bare ? json_check(a->text, a->len, err) != 0 : !a->json)
		return error_prefix(err, "serve's answer");
	if (json_span_member(whole, "op", &op))
		a->op = json_span_string(op);
	if (!a->op)
		a->op = mem_strdup("");
	return strcmp(a->op, "error") == 0 ? refused_by(c, a, err) : 0;
}

static int take(struct control_line *c, struct control_answer *out,
		struct error *err)
{
	struct queued *q = c->first;

	c->first = q->next;
	if (!c->first)
		c->last = &c->first;
	*out = (struct control_answer){ .text = q->text, .len = q->len };
	mem_free(q);
	if (read_answer(c, out, err) == 0)
		return 0;
	control_answer_done(out);
	return -1;
}

static int next(struct control_line *c, int64_t deadline,
		struct control_answer *out, struct error *err)
{
	while (!c->first && !c->closed) {
		c->wake = false;
		if (loop_wait(c->loop, &c->wake, deadline, err) == 0)
			continue;
		if (err->kind == ERR_TIMEOUT)
			control_client_silent(ERR_TIMEOUT, err);
		return -1;
	}
	if (c->first)
		return take(c, out, err);
	error_copy(err, &c->why);
	if (err->kind == ERR_NONE)
		error_set(err, ERR_CONNECT, "the running serve has ended");
	return -1;
}

int control_line_next(struct control_line *c, int64_t deadline,
		      struct control_answer *out, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };

	*out = (struct control_answer){ 0 };
	if (next(c, deadline, out, &why) == 0)
		return 0;
	error_copy(err, &why);
	return -1;
}

static bool is_last(const struct control_answer *a)
{
	return !text_same(a->op, "device") && !text_same(a->op, "row");
}

int control_line_ask(struct control_line *c, const struct serve_question *q,
		     int64_t deadline,
		     void (*each)(void *owner, struct control_answer *a),
		     void *owner, struct error *err)
{
	bool last = false;

	if (control_line_send(c, q, err))
		return -1;
	while (!last) {
		CLEANUP(control_answer_done) struct control_answer a;

		if (control_line_next(c, deadline, &a, err))
			return -1;
		last = is_last(&a);
		each(owner, &a);
	}
	return 0;
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

bool control_path_is_usual(const char *path)
{
	const unsigned user = (unsigned)geteuid();
	CLEANUP(mem_free_ptr)
	char *temporary = mem_printf("/tmp/mcpctl-%u/serve.sock", user);
	CLEANUP(mem_free_ptr)
	char *runtime = mem_printf("/run/user/%u/mcpctl/serve.sock", user);

	return strcmp(path, temporary) == 0 || strcmp(path, runtime) == 0;
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
