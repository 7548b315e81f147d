/* SPDX-License-Identifier: MIT */
/* Firmware and assets, fetched by a pretend board. */
#include "sim/fetch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/address.h"

#define HEAD_MAX 16384
#define SILENT_MS 30000

struct fetch {
	struct tcp tcp;
	struct buf request, head;
	struct buf front; /* the first bytes of the body */
	bool has_head;
	uint64_t length, got, stop; /* bytes of the body; where it dies */
	fetch_ended *ended; /* NULL: it was told, or nobody wants to know */
	void *owner;
	int percent;
	bool assets;
};

static void end(struct fetch *f, const struct esp_image *image, const char *why)
{
	fetch_ended *ended = f->ended;

	f->ended = NULL;
	tcp_close(&f->tcp);
	if (ended)
		ended(f->owner, image, why);
}

void fetch_abandon(struct fetch *f)
{
	if (!f)
		return;
	f->ended = NULL;
	tcp_reset(&f->tcp);
}

/* A version is told in heads of HTTP, and without escaping in replies. */
static void whole(struct fetch *f)
{
	struct esp_image image;

	if (f->assets)
		end(f, NULL, NULL);
	else if (esp_image_peek(&image, buf_string(&f->front), f->front.len,
				NULL))
		end(f, NULL, "what it fetched is no image: not installed");
	else if (text_has_control(image.version))
		end(f, NULL,
		    "the version of what it fetched has a control character: not installed");
	else
		end(f, &image, NULL);
}

static void take_body(struct fetch *f, const char *data, size_t len)
{
	size_t room = ESP_IMAGE_FRONT - f->front.len;

	buf_add(&f->front, data, len < room ? len : room);
	f->got += len;
	tcp_deadline(&f->tcp, SILENT_MS);
	if (f->percent < 100 && f->got >= f->stop) {
		tcp_reset(&f->tcp);
		end(f, NULL,
		    "died amid what it fetched, as the fault wants it");
	} else if (f->got >= f->length) {
		whole(f);
	}
}

/* Status and length, or why not. */
static const char *read_head(struct fetch *f)
{
	const char *text = buf_string(&f->head);
	const char *length = text_find(text, "\r\nContent-Length:");

	if (board_status(text, strcspn(text, "\r\n")) != 200)
		return "nothing fetched: the status of HTTP is not 200";
	if (length)
		f->length = strtoull(length + strlen("\r\nContent-Length:"),
				     NULL, 10);
	if (!f->length)
		return "nothing fetched: the length is not told";
	f->stop = f->length * (uint64_t)f->percent / 100;
	return NULL;
}

static void on_data(struct tcp *t, const char *data, size_t len)
{
	struct fetch *f = t->owner;
	const char *blank, *why;
	size_t before, body;

	if (!f->ended)
		return;
	if (f->has_head) {
		take_body(f, data, len);
		return;
	}
	before = f->head.len;
	body = HEAD_MAX - before;
	buf_add(&f->head, data, len < body ? len : body);
	blank = strstr(buf_string(&f->head), "\r\n\r\n");
	if (!blank) {
		if (f->head.len == HEAD_MAX)
			end(f, NULL, "nothing fetched: the head is too long");
		return;
	}
	f->has_head = true;
	body = (size_t)(blank + 4 - f->head.data) - before;
	why = read_head(f);
	if (why)
		end(f, NULL, why);
	else if (body < len)
		take_body(f, data + body, len - body);
}

static void on_connected(struct tcp *t)
{
	struct fetch *f = t->owner;

	tcp_deadline(t, SILENT_MS);
	tcp_write(t, f->request.data, f->request.len);
	buf_done(&f->request);
}

static void on_ended(struct tcp *t, const struct error *why)
{
	struct fetch *f = t->owner;
	CLEANUP(mem_free_ptr)
	char *nothing = mem_printf("nothing fetched: %s",
				   why ? why->text :
					 "the connection ended before a head");

	end(f, NULL,
	    f->has_head ? "what it fetched ended before it was whole" :
			  nothing);
}

static void on_deadline(struct tcp *t)
{
	const struct fetch *f = t->owner;

	end(t->owner, NULL,
	    f->has_head ? "no more of what it fetches came within 30 s" :
			  "nothing fetched: no head came within 30 s");
}

static void on_closed(struct tcp *t)
{
	struct fetch *f = t->owner;

	buf_done(&f->request);
	buf_done(&f->head);
	buf_done(&f->front);
	mem_free(f);
}

static const struct tcp_events events = { .connected = on_connected,
					  .data = on_data,
					  .ended = on_ended,
					  .deadline = on_deadline,
					  .closed = on_closed };

struct fetch *fetch_start(struct loop *l, const struct fetch_order *order,
			  fetch_ended *ended, void *owner, struct error *why)
{
	struct board_ws_url u;
	struct tcp_order tcp;
	struct fetch *f;

	if (board_ws_url_parse(&u, order->url, why))
		return NULL;
	u.trust = order->trust;
	f = mem_zalloc(sizeof(*f));
	f->ended = ended;
	f->owner = owner;
	f->percent = order->percent;
	f->assets = order->assets;
	buf_init(&f->head, HEAD_MAX);
	buf_printf(&f->request, "GET %s HTTP/1.1\r\nHost: ", u.path);
	authority_print(&f->request, u.host, u.has_port ? u.port : 0);
	buf_text(&f->request, "\r\nConnection: close\r\n\r\n");
	tcp = board_ws_url_order(&u, l);
	tcp.events = &events;
	tcp.owner = f;
	tcp_open(&f->tcp, &tcp);
	board_ws_url_done(&u);
	return f;
}
