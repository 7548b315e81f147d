/* SPDX-License-Identifier: MIT */
/*
 * A small MQTT 3.1.1 client without a library, non-blocking, for tests that
 * run serve's loop in the same process: packets written and read byte for
 * byte, as stock firmware writes them (device.md 2.2).
 */
#ifndef MQTT_HARNESS_H
#define MQTT_HARNESS_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/loop.h"
#include "free_port.h"

#define MQTT_DEADLINE_MS 60000

struct raw_mqtt {
	int fd;
	struct buf in;
	bool over; /* the broker closed the connection */
};

struct raw_packet {
	unsigned type; /* 2 CONNACK, 3 PUBLISH, 9 SUBACK, … */
	int code; /* CONNACK: return code; SUBACK: first one */
	char topic[512];
	char payload[4096];
	size_t len;
};

static inline void raw_string(struct buf *out, const char *text)
{
	size_t len = strlen(text);

	buf_char(out, (char)(len >> 8));
	buf_char(out, (char)(len & 255));
	buf_text(out, text);
}

static inline void raw_write(struct raw_mqtt *m, int head,
			     const struct buf *body)
{
	struct buf all = { 0 };
	size_t len = body->len;

	buf_char(&all, (char)head);
	do {
		buf_char(&all, (char)((len & 127) | (len > 127 ? 128 : 0)));
		len >>= 7;
	} while (len);
	buf_add(&all, buf_string(body), body->len);
	assert_int_equal(send(m->fd, all.data, all.len, MSG_NOSIGNAL), all.len);
	buf_done(&all);
}

/* user, password NULL: left out, as firmware does with empty ones. */
static inline void raw_mqtt_open(struct raw_mqtt *m, uint16_t port,
				 const char *id, const char *user,
				 const char *password)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(port) };
	struct buf body = { 0 };
	int flags = 2 | (user ? 0x80 : 0) | (password ? 0x40 : 0);

	*m = (struct raw_mqtt){ .fd = -1 };
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	m->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(m->fd, (struct sockaddr *)&to, sizeof(to)), 0);
	fcntl(m->fd, F_SETFL, O_NONBLOCK);
	raw_string(&body, "MQTT");
	buf_char(&body, 4);
	buf_char(&body, (char)flags);
	buf_add(&body, "\0\x78", 2);
	raw_string(&body, id);
	if (user)
		raw_string(&body, user);
	if (password)
		raw_string(&body, password);
	raw_write(m, 0x10, &body);
	buf_done(&body);
}

static inline void raw_publish(struct raw_mqtt *m, const char *topic,
			       const char *text)
{
	struct buf body = { 0 };

	raw_string(&body, topic);
	buf_text(&body, text);
	raw_write(m, 0x30, &body);
	buf_done(&body);
}

static inline void raw_subscribe(struct raw_mqtt *m, const char *filter)
{
	struct buf body = { 0 };

	buf_add(&body, "\0\1", 2);
	raw_string(&body, filter);
	buf_char(&body, 0);
	raw_write(m, 0x82, &body);
	buf_done(&body);
}

static inline void raw_read(struct raw_mqtt *m)
{
	char piece[4096];
	ssize_t n;

	while ((n = recv(m->fd, piece, sizeof(piece), 0)) > 0)
		buf_add(&m->in, piece, (size_t)n);
	if (n == 0 || errno != EAGAIN)
		m->over = true;
}

/* Takes the first whole packet; false: there is none. */
static inline bool raw_take(struct raw_mqtt *m, struct raw_packet *p)
{
	const unsigned char *in = (const unsigned char *)m->in.data;
	size_t len = 0, at = 1, topic;
	unsigned shift = 0;

	do {
		if (at >= m->in.len)
			return false;
		len |= (size_t)(in[at] & 127) << shift;
		shift += 7;
	} while (in[at++] & 128);
	if (at + len > m->in.len)
		return false;
	*p = (struct raw_packet){ .type = in[0] >> 4, .code = -1 };
	if (p->type == 3) {
		topic = (size_t)in[at] << 8 | in[at + 1];
		assert_true(topic < sizeof(p->topic));
		memcpy(p->topic, in + at + 2, topic);
		p->len = len - 2 - topic;
		assert_true(p->len < sizeof(p->payload));
		memcpy(p->payload, in + at + 2 + topic, p->len);
	} else if (len) {
		p->code = in[at + len - 1];
	}
	buf_consume(&m->in, at + len);
	return true;
}

/* Runs the loop until the next packet; false: the broker closed. */
static inline bool raw_next(struct raw_mqtt *m, struct loop *l,
			    struct raw_packet *p)
{
	int64_t until = loop_now() + MQTT_DEADLINE_MS;

	while (!raw_take(m, p)) {
		if (m->over)
			return false;
		assert_true(loop_now() < until);
		loop_poll(l);
		raw_read(m);
		usleep(1000);
	}
	return true;
}

static inline void raw_expect_open(struct raw_mqtt *m, struct loop *l)
{
	struct raw_packet p = { 0 };

	assert_true(raw_next(m, l, &p));
	assert_int_equal(p.type, 2);
	assert_int_equal(p.code, 0);
}

/* Nothing but what was asked for has come until a ping came back. */
static inline void raw_expect_quiet(struct raw_mqtt *m, struct loop *l)
{
	struct raw_packet p = { 0 };
	struct buf none = { 0 };

	raw_write(m, 0xC0, &none);
	assert_true(raw_next(m, l, &p));
	assert_int_equal(p.type, 13);
}

static inline void raw_close(struct raw_mqtt *m)
{
	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
	buf_done(&m->in);
}

#endif
