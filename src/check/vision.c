/* SPDX-License-Identifier: MIT */
/*
 * A vision server, sent a picture as a board sends it (device.md 6): multipart
 * in chunks. With --risk odd a second time, the two parts swapped, to learn
 * whether it goes by their names.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "check/exchange.h"
#include "check/planned.h"
#include "cli/setup.h"
#include "diag/vision_rules.h"
#include "net/why.h"
#include "sim/upload.h"

#define QUESTION "What is in this picture?"
#define SHOWN 600 /* bytes of what the model gets */

struct eye {
	struct board_self self;
	struct board_ws_url url;
	struct buf file; /* of --photo */
	struct photo photo;
	char *token; /* owned; NULL */
};

static void camera_done(struct eye *c)
{
	board_self_done(&c->self);
	board_ws_url_done(&c->url);
	buf_done(&c->file);
	mem_free(c->token);
}

static int camera_open(struct eye *c, const struct checkup *k, const char *url,
		       struct error *err)
{
	const char *photo = k->options->photo;

	if (board_self_open(&c->self, k, err) ||
	    exchange_url(&c->url, &c->self, url, err) ||
	    (photo && photo_read(&c->file, photo, err)))
		return -1;
	c->photo = photo ? (struct photo){ c->file.data, c->file.len } :
			   photo_builtin;
	return secret_read(&c->token, k->in->app->config.vision_token_file,
			   "MCPCTL_VISION_TOKEN", err);
}

/* ---- the upload ---- */

static void add_upload(struct buf *out, const struct eye *c)
{
	const struct upload_order order = {
		.kind = RULE_PHOTO,
		.photo = &c->photo,
		.question = QUESTION,
		.token = c->token,
		.device_id = c->self.device_id,
		.client_id = c->self.client_id,
	};

	buf_init(out, 0);
	upload_request(out, &c->url, &order);
}

/* Bytes from here to the next line that begins with "--". */
static size_t part_length(const char *from, size_t len)
{
	static const char line[] = "\r\n------ESP32_CAMERA_BOUNDARY";
	const char *end = memmem(from, len, line, sizeof(line) - 1);

	return end ? (size_t)(end - from) + 2 : len;
}

/* The same request, the picture before the question. */
static void swap_parts(struct buf *request)
{
	const char *body = strstr(buf_string(request), "\r\n\r\n") + 4;
	size_t head = (size_t)(body - request->data);
	CLEANUP(buf_done) struct buf plain = { 0 };
	struct buf out;
	size_t first, second;

	buf_init(&plain, 0);
	http_unchunk(body, request->len - head, &plain);
	first = part_length(plain.data, plain.len);
	second = part_length(plain.data + first, plain.len - first);
	buf_init(&out, 0);
	buf_add(&out, request->data, head);
	buf_printf(&out, "%zx\r\n", plain.len);
	buf_add(&out, plain.data + first, second);
	buf_add(&out, plain.data, first);
	buf_add(&out, plain.data + first + second, plain.len - first - second);
	buf_text(&out, "\r\n0\r\n\r\n");
	buf_done(request);
	*request = out;
}

/* ---- the answer ---- */

static void judge(struct diag *d, const struct exchange *x)
{
	const struct vision_answer a = {
		.at_us = x->over_us,
		.status = x->status,
		.content_type = x->content_type,
		.location = x->location,
		.has_length = x->has_length,
		.chunked = x->chunked,
		.length = x->length,
		.body = buf_string(&x->body),
		.len = x->body.len,
		.half_way = x->http.asked && x->sent < x->asked,
		.sent = x->sent,
	};

	diag_vision(d, &a);
}

static void tell_answer(struct checkup *k, const struct exchange *x)
{
	char took[TEXT_ROOM];

	text_microseconds(x->over_us - x->begun_us, took, sizeof(took));
	if (x->status == 200 && x->answered)
		check_stage(k, "answer", STAGE_OK, "200 in %s, %zu B", took,
			    x->body.len);
	else if (x->status && x->status != 200)
		check_stage(k, "answer", STAGE_FAIL, "%d in %s", x->status,
			    took);
	else
		check_stage(k, "answer", STAGE_FAIL, "%s, after %s",
			    x->why.text, took);
}

static void tell_text(struct checkup *k, const struct exchange *x)
{
	const char *text = buf_string(&x->body);
	int shown = (int)text_cut(text, x->body.len, SHOWN);

	if (!x->answered)
		check_stage(k, "model", STAGE_FAIL,
			    "gets 'Failed to upload photo', and no more");
	else
		check_stage(k, "model",
			    diag_count(k->diag, V505) ? STAGE_ODD : STAGE_OK,
			    "gets: %.*s%s", shown, text,
			    x->body.len > SHOWN ? "…" : "");
}

/* ---- once more, otherwise ---- */

static bool is_answer(const struct exchange *x)
{
	CLEANUP(diag_done) struct diag d = { 0 };

	judge(&d, x);
	return x->answered && !diag_count(&d, V505);
}

/* What was said to the picture before the question. */
static void found_swapped(struct checkup *k, const struct exchange *x)
{
	char status[24];

	snprintf(status, sizeof(status), "HTTP %d", x->status);
	diag_found(k->diag, V504,
		   (struct span){ buf_string(&x->body), x->body.len },
		   "with the picture before the question: %s",
		   x->status == 200 ? "a failure" :
		   x->status	    ? status :
				      x->why.text);
	check_stage(k, "swapped", STAGE_ODD,
		    "the picture before the question is not understood");
}

static int ask_swapped(struct checkup *k, const struct eye *c,
		       struct error *err)
{
	CLEANUP(exchange_done) struct exchange x = { 0 };
	const struct exchange_order order = { k, &c->self, &c->url, LEG_VISION,
					      false };
	struct buf request;

	if (diag_count(k->diag, V505)) {
		check_stage(k, "swapped", STAGE_SKIPPED,
			    "not asked: it failed in the usual order already");
		return 0;
	}
	if (!check_dares(k, RISK_ODD, 1)) {
		check_stage(
			k, "swapped", STAGE_SKIPPED,
			"not asked (--risk odd sends the picture before the question)");
		return 0;
	}
	add_upload(&request, c);
	swap_parts(&request);
	check_progress(k, "the picture before the question");
	if (exchange_make(&x, &order, &request, err)) {
		check_stage(k, "swapped", check_verdict(err), "%s", err->text);
		return -1;
	}
	exchange_trace_answer(k, &c->self, LEG_VISION, &x);
	if (is_answer(&x)) {
		check_stage(k, "swapped", STAGE_OK,
			    "the picture before the question is fine, too");
		return 0;
	}
	found_swapped(k, &x);
	return 0;
}

/* ---- the whole ---- */

static int look(struct checkup *k, const struct eye *c, struct exchange *x,
		struct error *err)
{
	if (!way_tell(k, &x->way, c->url.host, c->url.tls, &x->why)) {
		check_stage(k, "stopped", STAGE_SKIPPED,
			    "upload, answer: not reached");
		check_end(k, NULL);
		error_copy(err, &x->why);
		return -1;
	}
	check_stage(k, "upload", x->sent < x->asked ? STAGE_ODD : STAGE_OK,
		    "%zu of %zu B, chunked, a picture of %zu B%s", x->sent,
		    x->asked, c->photo.len, c->token ? ", with a token" : "");
	judge(k->diag, x);
	if (!x->status || x->failure == HTTP_NO_BODY)
		exchange_failure(k, &x->why, WITH_HTTP);
	tell_answer(k, x);
	exchange_trace_answer(k, &c->self, LEG_VISION, x);
	tell_text(k, x);
	if (x->answered && ask_swapped(k, c, err))
		return -1;
	if (check_end(k, x->status ? err : NULL) && x->status)
		return -1;
	if (x->answered)
		return 0;
	error_copy(err, &x->why);
	return -1;
}

int check_vision(struct checkup *k, const char *url, struct error *err)
{
	CLEANUP(camera_done) struct eye c = { 0 };
	CLEANUP(exchange_done) struct exchange x = { 0 };
	const struct exchange_order order = { k, &c.self, &c.url, LEG_VISION,
					      false };
	struct buf request;

	k->subject = "D"; /* we are the device */
	if (camera_open(&c, k, url, err))
		return -1;
	add_upload(&request, &c);
	check_dares(k, RISK_LOOK, 1);
	if (exchange_make(&x, &order, &request, err)) {
		check_stage(k, "answer", check_verdict(err), "%s", err->text);
		return -1;
	}
	return look(k, &c, &x, err);
}

/* The head, with the token masked; the picture is told by its size. */
int check_vision_plan(struct checkup *k, struct error *err)
{
	CLEANUP(camera_done) struct eye c = { 0 };
	CLEANUP(buf_done) struct buf request = { 0 }, head = { 0 };
	CLEANUP(mem_free_ptr) char *what = NULL;

	if (camera_open(&c, k, k->in->argv[1], err))
		return -1;
	add_upload(&request, &c);
	buf_add(&head, request.data,
		(size_t)(strstr(buf_string(&request), "\r\n\r\n") -
			 request.data));
	what = mem_printf("\"" QUESTION
			  "\", then a picture of %zu bytes, chunked",
			  c.photo.len);
	planned(k, RISK_LOOK, what, &head);
	if (k->options->risk >= RISK_ODD)
		planned(k, RISK_ODD,
			"the same, the picture before the question", &head);
	planned_end(k, "");
	return 0;
}
