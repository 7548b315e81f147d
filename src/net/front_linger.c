/* SPDX-License-Identifier: MIT */
/*
 * Answers by hand for requests that no library gets to see. The socket is
 * closed only when the peer has closed or a limit is reached: closing with
 * unread bytes would reset the connection and take the answer with it.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "net/front_private.h"

#define LINGER_MS 2000
#define DRAIN_MAX (4u << 20)

static const char *status_text(int status)
{
	switch (status) {
	case 400:
		return "Bad Request";
	case 401:
		return "Unauthorized";
	case 403:
		return "Forbidden";
	case 404:
		return "Not Found";
	case 421:
		return "Misdirected Request";
	case 408:
		return "Request Timeout";
	case 431:
		return "Request Header Fields Too Large";
	case 503:
		return "Service Unavailable";
	default:
		return "Refused";
	}
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
	struct visitor *v = poll->data;
	ssize_t len = recv(v->fd, v->front->scratch, FRONT_HEAD_MAX, 0);

	(void)events;
	if (len < 0 && (errno == EAGAIN || errno == EINTR) && status >= 0)
		return;
	if (len > 0)
		v->drained += (size_t)len;
	if (len <= 0 || v->drained > DRAIN_MAX)
		visitor_close(v);
}

static void write_answer(int fd, int status, const char *reason)
{
	struct buf body = { 0 }, answer = { 0 };

	buf_text(&body, "{\"error\":");
	buf_json_string(&body, reason, strlen(reason));
	buf_text(&body, "}\n");
	buf_printf(&answer, "HTTP/1.1 %d %s\r\n", status, status_text(status));
	if (status == 401)
		buf_text(&answer, "WWW-Authenticate: Bearer\r\n");
	if (status == 400)
		buf_text(&answer, "Sec-WebSocket-Version: 13\r\n");
	buf_printf(&answer,
		   "Content-Type: application/json\r\n"
		   "Content-Length: %zu\r\n"
		   "Connection: close\r\n\r\n%s",
		   body.len, buf_string(&body));
	/* A fresh socket takes these few bytes whole, or the peer is gone. */
	(void)!send(fd, answer.data, answer.len, MSG_NOSIGNAL);
	buf_done(&body);
	buf_done(&answer);
}

/*
 * No shutdown: firmware that reads the answer must not find the end of the
 * stream before it closes by itself (device.md 5.4, 8).
 */
static void linger(struct visitor *v)
{
	const int one = 1;

	visitor_unqueue(v);
	visitor_unwatch(v);
	setsockopt(v->fd, SOL_SOCKET, SO_RCVLOWAT, &one, sizeof(one));
	v->lingering = true;
	timer_start(&v->timer, LINGER_MS);
	if (!visitor_watch(v, on_readable))
		visitor_close(v);
}

void visitor_refuse(struct visitor *v, int status, const char *reason)
{
	write_answer(v->fd, status, reason);
	linger(v);
}

void front_refuse_socket(struct front *f, int fd, const char *reason)
{
	/* What is unread when it is closed would take the answer with it. */
	(void)!recv(fd, f->scratch, FRONT_HEAD_MAX, MSG_DONTWAIT);
	write_answer(fd, 503, reason);
	shutdown(fd, SHUT_WR);
	close(fd);
}

void visitor_refuse_tls(struct visitor *v)
{
	/* Record type alert, TLS 1.0, two bytes: fatal, protocol_version. */
	static const unsigned char alert[] = { 21, 3, 1, 0, 2, 2, 70 };

	(void)!send(v->fd, alert, sizeof(alert), MSG_NOSIGNAL);
	linger(v);
}
