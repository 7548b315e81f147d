/* SPDX-License-Identifier: MIT */
/* Multipart in chunks, and the firmware's words for what goes wrong. */
#include "sim/upload.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define CAMERA_BOUNDARY "----ESP32_CAMERA_BOUNDARY"
#define SCREEN_BOUNDARY "----ESP32_SCREEN_SNAPSHOT_BOUNDARY"
#define PIECE 512 /* bytes that the JPEG encoder hands on at a time */

struct upload {
	struct board_http ask;
	enum rule_upload kind;
	char *url;
	const struct upload_events *events; /* NULL: abandoned, or over */
	void *owner;
};

static void add_chunk(struct buf *out, const void *data, size_t len)
{
	buf_printf(out, "%zx\r\n", len);
	buf_add(out, data, len);
	buf_text(out, "\r\n");
}

static void add_chunk_text(struct buf *out, const char *text)
{
	add_chunk(out, text, strlen(text));
}

static void add_question(struct buf *out, const char *question)
{
	CLEANUP(mem_free_ptr)
	char *part = mem_printf(
		"--" CAMERA_BOUNDARY "\r\n"
		"Content-Disposition: form-data; name=\"question\"\r\n\r\n%s\r\n",
		question);

	add_chunk_text(out, part);
}

/* The camera's JPEG comes in pieces as it is encoded, the screen's whole. */
static void add_picture(struct buf *out, const struct photo *p, size_t piece)
{
	const char *data = p->data;
	size_t len;

	for (size_t at = 0; at < p->len; at += len) {
		len = p->len - at < piece ? p->len - at : piece;
		add_chunk(out, data + at, len);
	}
}

static void add_body(struct buf *out, const struct upload_order *o)
{
	bool camera = o->kind == RULE_PHOTO;
	const char *boundary = camera ? CAMERA_BOUNDARY : SCREEN_BOUNDARY;
	CLEANUP(mem_free_ptr)
	char *head = mem_printf(
		"--%s\r\nContent-Disposition: form-data; name=\"file\"; filename=\"%s\"\r\n"
		"Content-Type: image/jpeg\r\n\r\n",
		boundary, camera ? "camera.jpg" : "screenshot.jpg");
	CLEANUP(mem_free_ptr)
	char *tail = mem_printf("\r\n--%s--\r\n", boundary);

	if (camera)
		add_question(out, o->question);
	add_chunk_text(out, head);
	add_picture(out, o->photo, camera ? PIECE : SIZE_MAX);
	add_chunk_text(out, tail);
	buf_text(out, "0\r\n\r\n");
}

void upload_request(struct buf *out, const struct board_ws_url *u,
		    const struct upload_order *o)
{
	buf_printf(out, "POST %s HTTP/1.1\r\nHost: %s", u->path, u->host);
	if (u->has_port)
		buf_printf(out, ":%u", (unsigned)u->port);
	buf_text(out, "\r\n");
	if (o->kind == RULE_PHOTO) {
		if (o->token && *o->token)
			buf_printf(out, "Authorization: Bearer %s\r\n",
				   o->token);
		buf_printf(
			out,
			"Client-Id: %s\r\n"
			"Content-Type: multipart/form-data; boundary=" CAMERA_BOUNDARY
			"\r\n"
			"Device-Id: %s\r\n",
			o->client_id, o->device_id);
	} else {
		buf_text(
			out,
			"Content-Type: multipart/form-data; boundary=" SCREEN_BOUNDARY
			"\r\n");
	}
	buf_text(out, "Transfer-Encoding: chunked\r\n"
		      "Connection: close\r\n\r\n");
	add_body(out, o);
}

void upload_unreachable(struct buf *out, enum rule_upload kind, const char *url)
{
	if (kind == RULE_PHOTO)
		buf_text(out, "Failed to connect to explain URL");
	else
		buf_printf(out, "Failed to open URL: %s", url);
}

static void end(struct upload *u, bool failed, const char *text, size_t len)
{
	const struct upload_events *events = u->events;

	u->events = NULL;
	board_http_close(&u->ask);
	if (events)
		events->ended(u->owner, failed, text, len);
}

static void tell_answer(const struct upload *u, enum answer_part part)
{
	const struct board_reply *r = &u->ask.reply;
	const struct vision_answer a = {
		.at_us = loop_now_us(),
		.status = r->status,
		.content_type = r->type,
		.has_length = r->has_length,
		.chunked = r->chunked,
		.length = r->length < 0 ? 0 : r->length,
		.body = buf_string(&r->body),
		.len = r->body.len,
		.more = !u->ask.whole,
		.part = part,
		.half_way = u->ask.unsent > 0,
		.sent = u->ask.unsent < u->ask.size ?
				u->ask.size - u->ask.unsent :
				0,
	};

	if (u->events)
		u->events->answer(u->owner, &a);
}

static void finish(struct upload *u, const char *body, size_t len)
{
	if (u->kind == RULE_PHOTO)
		end(u, false, body, len);
	else
		end(u, false, "true", 4);
}

static void on_answered(void *owner, const char *body, size_t len)
{
	tell_answer(owner, ANSWER_BODY);
	finish(owner, body, len);
}

static void add_refusal(struct buf *out, const struct upload *u)
{
	int status = u->ask.reply.status;

	if (u->kind == RULE_PHOTO)
		buf_text(out, "Failed to upload photo");
	else
		buf_printf(out, "Unexpected status code: %d",
			   status > 0 ? status : -1);
}

static void on_failed(void *owner, enum http_failure what,
		      const struct error *why)
{
	struct upload *u = owner;
	const bool answered = what == HTTP_OTHER_STATUS || what == HTTP_HUNG;
	CLEANUP(buf_done) struct buf text = { 0 };

	if (answered || (what == HTTP_NO_HEAD && u->ask.unsent))
		tell_answer(u, ANSWER_BODY);
	if (!answered && u->events)
		u->events->line(u->owner, why->text);
	switch (what) {
	case HTTP_UNREACHABLE:
		upload_unreachable(&text, u->kind, u->url);
		end(u, true, buf_string(&text), text.len);
		break;
	case HTTP_NO_HEAD:
	case HTTP_OTHER_STATUS:
		add_refusal(&text, u);
		end(u, true, buf_string(&text), text.len);
		break;
	case HTTP_NO_BODY:
		/* The firmware's reader then gives an empty text. */
		finish(u, "", 0);
		break;
	case HTTP_HUNG:
		if (u->events)
			u->events->hung(u->owner);
		break;
	}
}

static void on_head(void *owner)
{
	tell_answer(owner, ANSWER_HEAD);
}

static void on_closed(void *owner)
{
	struct upload *u = owner;

	mem_free(u->url);
	mem_free(u);
}

static const struct board_http_events ask_events = {
	.answered = on_answered,
	.failed = on_failed,
	.head = on_head,
	.closed = on_closed,
};

struct upload *upload_start(struct loop *l, const struct upload_order *order,
			    const struct upload_events *events, void *owner,
			    struct error *why)
{
	struct board_ws_url url;
	struct upload *u;
	struct buf request;

	if (board_ws_url_parse(&url, order->url, why))
		return NULL;
	url.trust = order->trust;
	u = mem_zalloc(sizeof(*u));
	u->kind = order->kind;
	u->url = mem_strdup(order->url);
	u->events = events;
	u->owner = owner;
	buf_init(&request, 0);
	upload_request(&request, &url, order);
	board_http_open(&u->ask, l, &url, &request, &ask_events, u);
	board_ws_url_done(&url);
	return u;
}

void upload_abandon(struct upload *u)
{
	if (!u)
		return;
	u->events = NULL;
	board_http_close(&u->ask);
}
