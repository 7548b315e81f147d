/* SPDX-License-Identifier: MIT */
/*
 * serve's Unix socket: who may come, and the end. What the commands say is in
 * control_peer.c and control_ops.c.
 */
#include "serve/control.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/control_path.h"
#include "serve/control_private.h"

#define REST_MS 1000
#define LAST_WORDS_MS 300

static void on_incoming(uv_poll_t *poll, int status, int events);

static void listen_again(void *owner)
{
	struct control *c = owner;

	if (!c->closing)
		uv_poll_start(&c->poll, UV_READABLE, on_incoming);
}

static void refuse(struct control *c, const char *why)
{
	struct records *log = &c->server->records;

	records_add(log, RECORD_REFUSED, LEVEL_WARN, NULL, NULL,
		    "refused on the control socket: %s", why);
}

/* It is told before it is closed; a new socket has room for one frame. */
static void refuse_too_many(struct control *c, int fd)
{
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(buf_done) struct buf text = { 0 }, frame = { 0 };

	error_set(&why, ERR_CONNECT, "serve has %d commands, which is the most",
		  CONTROL_PEERS_MAX);
	error_hint(&why, "end some of them, or try again");
	buf_text(&text, "{\"op\":\"error\",\"error\":");
	control_error_encode(&text, &why);
	buf_char(&text, '}');
	control_encode(&frame, CONTROL_JSON, text.data, text.len);
	if (send(fd, frame.data, frame.len, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		refuse(c, "too many commands, and one that left");
	else
		refuse(c, "too many commands");
	close(fd);
}

static void take(struct control *c, int fd)
{
	struct ucred who = { 0 };
	socklen_t len = sizeof(who);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) ||
	    who.uid != geteuid()) {
		refuse(c, "a program of another user");
		close(fd);
	} else if (c->count >= CONTROL_PEERS_MAX) {
		refuse_too_many(c, fd);
	} else {
		control_peer_open(c, fd, (int)who.pid);
	}
}

static void on_incoming(uv_poll_t *poll, int status, int events)
{
	struct control *c = poll->data;

	(void)status;
	(void)events;
	for (;;) {
		int fd = accept4(c->fd, NULL, NULL,
				 SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
			continue;
		if (fd < 0)
			break;
		take(c, fd);
	}
	/* No descriptor is left: the socket would stay readable. */
	if (errno != EAGAIN) {
		uv_poll_stop(&c->poll);
		timer_start(&c->rest, REST_MS);
	}
}

int control_open(struct control **out, struct serve *s, struct error *err)
{
	CLEANUP(mem_free_ptr) char *path = NULL;
	struct control *c;
	struct stat file;
	int fd;

	*out = NULL;
	if (control_path(&path, s->config.socket, true, err))
		return -1;
	fd = control_listen(path, &file, err);
	if (fd < 0)
		return -1;
	c = mem_zalloc(sizeof(*c));
	c->server = s;
	c->path = TAKE(path);
	c->socket = file;
	c->fd = fd;
	c->handles = 2;
	uv_poll_init(loop_uv(s->loop), &c->poll, fd);
	c->poll.data = c;
	uv_poll_start(&c->poll, UV_READABLE, on_incoming);
	timer_open(&c->rest, s->loop, listen_again, c);
	*out = c;
	return 0;
}

int control_check(struct serve *s, struct error *err)
{
	CLEANUP(mem_free_ptr) char *path = NULL;

	if (control_path(&path, s->config.socket, true, err))
		return -1;
	return control_listen_check(path, err);
}

const char *control_socket(const struct control *c)
{
	return c->path;
}

static void release_if_done(struct control *c)
{
	void (*closed)(void *owner) = c->closed;
	void *owner = c->owner;

	if (!c->closing || c->handles || c->first)
		return;
	mem_free(c->path);
	mem_free(c);
	if (closed)
		closed(owner);
}

void control_peer_gone(struct control_peer *p)
{
	struct control *c = p->control;

	if (p->previous)
		p->previous->next = p->next;
	else
		c->first = p->next;
	if (p->next)
		p->next->previous = p->previous;
	c->count--;
	mem_free(p);
	release_if_done(c);
}

static void on_handle_closed(void *owner)
{
	struct control *c = owner;

	c->handles--;
	release_if_done(c);
}

static void on_poll_closed(uv_handle_t *handle)
{
	struct control *c = handle->data;

	close(c->fd);
	on_handle_closed(c);
}

/* Another serve may have put its own there. */
static void remove_socket(const struct control *c)
{
	struct stat now;

	if (!lstat(c->path, &now) && now.st_ino == c->socket.st_ino &&
	    now.st_dev == c->socket.st_dev)
		unlink(c->path);
}

static void say_goodbye(struct control_peer *p)
{
	CLEANUP(error_reset) struct error why = { 0 };

	error_set(&why, ERR_CONNECT, "serve was stopped");
	if (p->finishing || p->closing)
		return;
	if (p->device)
		control_tell_error(p, "gone", &why);
	else if (p->waiting || p->watching || p->fan)
		control_peer_error(p, &why);
	control_peer_finish(p, LAST_WORDS_MS);
}

void control_close(struct control *c, void (*closed)(void *owner), void *owner)
{
	struct control_peer *p, *next;

	if (c->closing)
		return;
	c->closing = true;
	c->closed = closed;
	c->owner = owner;
	remove_socket(c);
	for (p = c->first; p; p = next) {
		next = p->next;
		say_goodbye(p);
	}
	uv_close((uv_handle_t *)&c->poll, on_poll_closed);
	timer_close(&c->rest, on_handle_closed);
}
