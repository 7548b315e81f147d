/* SPDX-License-Identifier: MIT */
/*
 * Plain HTTP at the listening port: the OTA question of a board (device.md 5)
 * and the page for a browser.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/knock.h"
#include "net/listen_private.h"

#define JSON_TYPE "application/json"

static void answer(struct listen *l, struct front_request *rq, int status,
		   const char *type, const struct buf *body)
{
	l->front_table->reply(rq, status, type, buf_string(body), body->len);
}

static void answer_error(struct listen *l, struct front_request *rq, int status,
			 const char *text)
{
	struct buf body = { 0 };

	knock_error(&body, text);
	answer(l, rq, status, JSON_TYPE, &body);
	buf_done(&body);
}

const struct ota_request *listen_asked(const struct listen *l,
				       const char *device_id)
{
	if (!device_id || !*device_id)
		return NULL;
	for (size_t i = 0; i < OTA_REMEMBERED; i++) {
		/* Some boards write the hexadecimal digits otherwise here and there. */
		if (text_same(l->asked[i].device_id, device_id))
			return &l->asked[i];
	}
	return NULL;
}

static void remember(struct listen *l, const struct ota_request *rq)
{
	const struct ota_request *old = listen_asked(l, rq->device_id);
	size_t at = old ? (size_t)(old - l->asked) :
			  l->asked_count++ % OTA_REMEMBERED;

	l->asked[at] = *rq;
}

static void note_board(struct knocks *k, const struct ota_request *rq,
		       const char *address)
{
	struct ota_board board;

	ota_board(&board, rq);
	snprintf(k->ota_board, sizeof(k->ota_board), "%s", board.name);
	snprintf(k->ota_version, sizeof(k->ota_version), "%s", board.version);
	snprintf(k->ota_address, sizeof(k->ota_address), "%s", address);
}

static void tell_question(struct listen *l, const struct front_head *head,
			  const struct ota_request *rq, const char *url)
{
	struct buf text = { 0 };

	buf_printf(&text, "%s ",
		   rq->device_id[0] ? rq->device_id :
				      "a board without a Device-Id");
	ota_describe(&text, rq);
	buf_printf(&text, "\nit was sent to %s: now wake it", url);
	listen_notice(l, NOTICE_OTA, head->address, buf_string(&text));
	buf_done(&text);
}

static char *device_url(const struct listen *l, const struct front_head *head)
{
	if (l->advertised_ws)
		return mem_strdup(l->advertised_ws);
	return mem_printf("ws://%s%s", knock_host(head),
			  l->path ? l->path : DEVICE_PATH);
}

/*
 * Every board is answered, also one that sends no Device-Id or no JSON: it
 * would go on with whatever it has stored (device.md 5.4, 2).
 */
static void serve_ota(struct listen *l, struct front_request *rq,
		      const struct front_head *head, const char *body,
		      size_t len)
{
	const char *token = l->tokens.count ? l->tokens.word[0] : NULL;
	CLEANUP(mem_free_ptr) char *url = device_url(l, head);
	struct ota_request asked;
	struct error err = { 0 };
	struct buf reply = { 0 };

	ota_read(&asked, head, body, len, &err);
	error_reset(&err);
	l->knocks.ota++;
	note_board(&l->knocks, &asked, head->address);
	if (asked.device_id[0])
		remember(l, &asked);
	if (ota_reply_websocket(&reply, url, token, 0, &err)) {
		listen_notice(l, NOTICE_OTHER, head->address, err.text);
		answer_error(l, rq, 500, err.text);
	} else {
		answer(l, rq, 200, JSON_TYPE, &reply);
		tell_question(l, head, &asked, url);
	}
	error_reset(&err);
	buf_done(&reply);
}

static void serve_page(struct listen *l, struct front_request *rq,
		       const struct front_head *head)
{
	const char *device = l->served_id[0] ? l->served_id : l->served;
	struct buf page = { 0 };

	l->knocks.browser++;
	listen_page(&page, knock_host(head), l->serving ? device : NULL);
	answer(l, rq, 200, "text/html; charset=utf-8", &page);
	buf_done(&page);
	listen_notice(l, NOTICE_BROWSER, head->address,
		      "a browser opened the page: network and port are fine");
}

/* Empty is no body to firmware: it would wait for the end (device.md 5.4, 7). */
static void serve_activate(struct listen *l, struct front_request *rq)
{
	struct buf done = { 0 };

	l->knocks.activate++;
	buf_text(&done, "{}");
	answer(l, rq, 200, JSON_TYPE, &done);
	buf_done(&done);
}

static void serve_nothing(struct listen *l, struct front_request *rq,
			  const struct front_head *head)
{
	CLEANUP(mem_free_ptr) char *text = NULL;

	answer_error(l, rq, 404,
		     "nothing at this path; the OTA path is " OTA_PATH);
	if (knock_wish(head) == KNOCK_ICON)
		return;
	if (headers_get(head->headers, "Device-Id")) {
		l->knocks.wrong_path++;
		snprintf(l->knocks.wrong_path_text,
			 sizeof(l->knocks.wrong_path_text), "%s", head->path);
	} else {
		l->knocks.browser++;
	}
	text = mem_printf(
		"%.16s '%.120s': there is nothing; the OTA path is " OTA_PATH,
		head->method, head->path);
	listen_notice(l, NOTICE_PATH, head->address, text);
}

void listen_http(void *owner, struct front_request *rq,
		 const struct front_head *head, const char *body, size_t len)
{
	struct listen *l = owner;

	listen_knock(l, head->address, head->local);
	switch (knock_wish(head)) {
	case KNOCK_METHOD:
		answer_error(l, rq, 405, "only GET and POST are answered");
		break;
	case KNOCK_OTA:
		serve_ota(l, rq, head, body, len);
		break;
	case KNOCK_ACTIVATE:
		serve_activate(l, rq);
		break;
	case KNOCK_PAGE:
		serve_page(l, rq, head);
		break;
	case KNOCK_ICON:
	case KNOCK_OTHER:
		serve_nothing(l, rq, head);
		break;
	}
}
