/* SPDX-License-Identifier: MIT */
/* Where the board of the target sim: sends its pictures. */
#include "sim/target_camera.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"

/* ---- the port: nothing but pictures ---- */

/* Pages of others, and whoever has no place; not who only asks for nothing. */
static void heard(void *owner, const struct port_news *news)
{
	const struct target_camera *c = owner;
	const struct transport *t = c->camera.transport;
	CLEANUP(mem_free_ptr) char *text = NULL;
	struct notice n = { .kind = NOTICE_REFUSED,
			    .address = news->who.address };

	if (news->event != PORT_REFUSED || !t->events->notice)
		return;
	text = mem_printf("%s%s%s", news->text, news->hint ? "\n" : "",
			  news->hint ? news->hint : "");
	n.text = text;
	t->events->notice(t->owner, &n);
}

static bool http(const struct visit *v)
{
	struct target_camera *c = v->owner;

	if (!pictures_http(c->camera.pictures, v))
		visit_refuse(v, 404, "only pictures are taken here");
	return true;
}

static size_t body_max(const struct visit *v)
{
	const struct target_camera *c = v->owner;

	return pictures_body_max(c->camera.pictures, v);
}

static enum token_verdict token(void *owner, const struct who *who,
				const char *given)
{
	(void)owner;
	(void)who;
	(void)given;
	return TOKEN_FITS;
}

static const char *token_at(void *owner, size_t i)
{
	(void)owner;
	(void)i;
	return NULL;
}

static struct transport *
place(const struct visit *v, const struct peer_info *peer, const char **reason)
{
	(void)v;
	(void)peer;
	*reason = "no device dials in here";
	return NULL;
}

static enum front_standing standing(const struct visit *v)
{
	(void)v;
	return FRONT_STRANGER;
}

/* http takes every request: nobody asks OTA here, nor for a page. */
static const struct port_policy policy = {
	.heard = heard,
	.token = token,
	.token_at = token_at,
	.place = place,
	.standing = standing,
	.http = http,
	.body_max = body_max,
};

/* ---- the socket, until then ---- */

#define BACKLOG 16

/* Of this machine alone; a number, or -1 and errno. */
static int reserve(int *port)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int error;

	if (fd < 0)
		return -1;
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (!bind(fd, (struct sockaddr *)&at, sizeof(at)) &&
	    !listen(fd, BACKLOG) &&
	    !getsockname(fd, (struct sockaddr *)&at, &len)) {
		*port = ntohs(at.sin_port);
		return fd;
	}
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

static void drop_socket(struct target_camera *c)
{
	close(c->socket);
	c->socket = 0;
}

/* Who knocked finds the port closed where nothing can answer; the user is told. */
static void failed(struct target_camera *c, const struct error *why)
{
	const struct transport *t = c->camera.transport;
	const struct notice n = { .kind = NOTICE_OTHER, .text = why->text };

	if (t->events->notice)
		t->events->notice(t->owner, &n);
}

static void on_knock(uv_poll_t *poll, int status, int events)
{
	struct target_camera *c = poll->data;
	CLEANUP(error_reset) struct error err = { 0 };
	const struct port_config config = {
		.host = "127.0.0.1",
		.socket = c->socket,
		.body_max = (size_t)c->camera.rules.picture_max,
		.budget = c->camera.budget
	};

	(void)status;
	(void)events;
	uv_poll_stop(poll);
	if (port_open(&c->port, c->camera.transport->loop, &config, &policy, c,
		      &err))
		failed(c, &err);
	drop_socket(c);
}

int target_camera_open(struct target_camera *c, struct transport *t,
		       const struct endpoint *to, const char *id,
		       struct error *err)
{
	CLEANUP(mem_free_ptr) char *base = NULL;
	int port = 0, fd;

	if (camera_open(&c->camera, t, to, err))
		return -1;
	fd = reserve(&port);
	if (fd < 0) {
		error_set(err, ERR_CONNECT, "no port for pictures: %s",
			  strerror(errno));
		camera_done(&c->camera);
		camera_free_budget(&c->camera);
		return -1;
	}
	c->socket = fd;
	base = mem_printf("http://127.0.0.1:%d", port);
	camera_meet(&c->camera, base, id);
	uv_poll_init(loop_uv(t->loop), &c->knock, fd);
	c->knock.data = c;
	uv_poll_start(&c->knock, UV_READABLE, on_knock);
	return 0;
}

/* ---- the end ---- */

static void on_port_closed(void *owner)
{
	struct target_camera *c = owner;

	camera_free_budget(&c->camera);
	c->closed(c->owner);
}

static void on_knock_closed(uv_handle_t *handle)
{
	struct target_camera *c = handle->data;

	/* Not before: what knocked may ask until the port is closed. */
	camera_done(&c->camera);
	if (c->port)
		port_close(TAKE(c->port), on_port_closed, c);
	else
		on_port_closed(c);
}

void target_camera_close(struct target_camera *c, void (*closed)(void *owner),
			 void *owner)
{
	c->closed = closed;
	c->owner = owner;
	uv_close((uv_handle_t *)&c->knock, on_knock_closed);
	if (c->socket)
		drop_socket(c);
}
