/* SPDX-License-Identifier: MIT */
/*
 * An HTTP server on the loop of a test, without a library: it takes requests
 * apart just enough, keeps them as text, and says what the test tells it to,
 * byte for byte.
 */
#ifndef HTTP_SERVER_H
#define HTTP_SERVER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/loop.h"
#include "base/mem.h"
#include "base/split.h"
#include "base/text.h"

struct web;
struct web_client {
	uv_tcp_t tcp;
	struct web *web;
	struct web_client *next;
	struct buf in;
	bool closing;
};

struct web {
	struct loop *loop;
	uv_tcp_t door;
	uint16_t port;
	struct web_client *clients; /* also those that are closing */
	struct words requests; /* whole */
	unsigned connections, step;
	void *owner; /* the test's */
	int64_t at[64]; /* loop_now() of each request */
	/* request is whole, the head as it came; answer it, now or later. */
	void (*answer)(struct web_client *c, const char *request);
};

static inline void web_on_closed(uv_handle_t *handle)
{
	struct web_client *c = handle->data;
	struct web_client **at = &c->web->clients;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	buf_done(&c->in);
	mem_free(c);
}

static inline void web_hang_up(struct web_client *c)
{
	if (c->closing)
		return;
	c->closing = true;
	uv_close((uv_handle_t *)&c->tcp, web_on_closed);
}

/* As a small stack does that has forgotten the connection. */
static inline void web_break(struct web_client *c)
{
	if (c->closing)
		return;
	c->closing = true;
	uv_tcp_close_reset(&c->tcp, web_on_closed);
}

static inline void web_on_written(uv_write_t *rq, int status)
{
	(void)status;
	mem_free(rq);
}

static inline void web_bytes(struct web_client *c, const char *data, size_t len)
{
	uv_write_t *rq = mem_alloc(sizeof(*rq) + len);
	char *copy = (char *)(rq + 1);
	uv_buf_t out = uv_buf_init(copy, (unsigned)len);

	memcpy(copy, data, len);
	uv_write(rq, (uv_stream_t *)&c->tcp, &out, 1, web_on_written);
}

static inline void web_on_shut(uv_shutdown_t *rq, int status)
{
	(void)status;
	mem_free(rq);
}

/* Says no more, behind what was said; it goes on reading. */
static inline void web_end(struct web_client *c)
{
	uv_shutdown(mem_zalloc(sizeof(uv_shutdown_t)), (uv_stream_t *)&c->tcp,
		    web_on_shut);
}

static inline void PRINTF_LIKE(2, 3)
	web_say(struct web_client *c, const char *format, ...)
{
	CLEANUP(mem_free_ptr) char *text = NULL;
	va_list args;

	va_start(args, format);
	text = mem_vprintf(format, args);
	va_end(args);
	web_bytes(c, text, strlen(text));
}

/* head: further lines, each with its end; "" */
static inline void web_reply(struct web_client *c, int status, const char *head,
			     const char *type, const char *body)
{
	web_say(c, "HTTP/1.1 %d Words\r\n%s%s%s%sContent-Length: %zu\r\n\r\n%s",
		status, head, *type ? "Content-Type: " : "", type,
		*type ? "\r\n" : "", strlen(body), body);
}

static inline void web_json(struct web_client *c, const char *body)
{
	web_reply(c, 200, "", "application/json", body);
}

/* The head of an event stream that ends with the connection. */
static inline void web_stream(struct web_client *c, const char *head)
{
	web_say(c,
		"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
		"Connection: close\r\n%s\r\n",
		head);
}

static inline bool web_take(struct web_client *c)
{
	const char *text = buf_string(&c->in);
	const char *blank = strstr(text, "\r\n\r\n");
	const char *told = strcasestr(text, "\r\nContent-Length:");
	CLEANUP(mem_free_ptr) char *request = NULL;
	size_t len;

	if (!blank)
		return false;
	len = (size_t)(blank + 4 - text);
	if (told && told < blank)
		len += strtoul(told + 17, NULL, 10);
	if (c->in.len < len)
		return false;
	request = mem_strndup(text, len);
	buf_consume(&c->in, len);
	if (c->web->requests.count < COUNT(c->web->at))
		c->web->at[c->web->requests.count] = loop_now();
	words_add(&c->web->requests, request);
	c->web->answer(c, request);
	return true;
}

static inline void web_on_room(uv_handle_t *handle, size_t wanted,
			       uv_buf_t *out)
{
	static char room[65536];

	(void)handle;
	(void)wanted;
	*out = uv_buf_init(room, sizeof(room));
}

static inline void web_on_read(uv_stream_t *stream, ssize_t len,
			       const uv_buf_t *in)
{
	struct web_client *c = stream->data;

	if (len < 0) {
		web_hang_up(c);
		return;
	}
	buf_add(&c->in, in->base, (size_t)len);
	while (!c->closing && web_take(c))
		;
}

static inline void web_on_connection(uv_stream_t *door, int status)
{
	struct web *w = door->data;
	struct web_client *c = mem_zalloc(sizeof(*c));

	assert_int_equal(status, 0);
	w->connections++;
	c->web = w;
	c->next = w->clients;
	w->clients = c;
	uv_tcp_init(loop_uv(w->loop), &c->tcp);
	c->tcp.data = c;
	uv_accept(door, (uv_stream_t *)&c->tcp);
	uv_tcp_nodelay(&c->tcp, 1);
	uv_read_start((uv_stream_t *)&c->tcp, web_on_room, web_on_read);
}

static inline void web_open(struct web *w, struct loop *l)
{
	struct sockaddr_in any;
	int len = sizeof(any);

	*w = (struct web){ .loop = l };
	uv_ip4_addr("127.0.0.1", 0, &any);
	uv_tcp_init(loop_uv(l), &w->door);
	w->door.data = w;
	assert_int_equal(uv_tcp_bind(&w->door, (struct sockaddr *)&any, 0), 0);
	assert_int_equal(
		uv_listen((uv_stream_t *)&w->door, 64, web_on_connection), 0);
	uv_tcp_getsockname(&w->door, (struct sockaddr *)&any, &len);
	w->port = ntohs(any.sin_port);
}

static inline void web_close(struct web *w)
{
	for (struct web_client *c = w->clients; c; c = c->next)
		web_hang_up(c);
	uv_close((uv_handle_t *)&w->door, NULL);
	while (w->clients)
		loop_poll(w->loop);
	words_done(&w->requests);
}

/* A line of a request's head, case as it came; "" if it is not there; yours. */
static inline char *web_header(const char *request, const char *name)
{
	CLEANUP(mem_free_ptr) char *start = mem_printf("\r\n%s: ", name);
	const char *line = strcasestr(request, start);
	const char *blank = strstr(request, "\r\n\r\n");

	if (!line || line > blank)
		return mem_strdup("");
	line += strlen(start);
	return mem_strndup(line, strcspn(line, "\r"));
}

static inline void web_has(const char *request, const char *name,
			   const char *value)
{
	CLEANUP(mem_free_ptr) char *found = web_header(request, name);

	assert_string_equal(found, value);
}

static inline const char *web_body(const char *request)
{
	return strstr(request, "\r\n\r\n") + 4;
}

#endif
