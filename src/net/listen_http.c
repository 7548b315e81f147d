/* SPDX-License-Identifier: MIT */
/*
 * Plain HTTP at the listening port: the OTA question of a board (device.md 5)
 * and the page for a browser.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/head.h"
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

	buf_text(&body, "{\"error\":");
	buf_json_string(&body, text, strlen(text));
	buf_text(&body, "}\n");
	answer(l, rq, status, JSON_TYPE, &body);
	buf_done(&body);
}

/* How the peer reached us: its Host if that is one, else our end of the socket. */
static const char *host_of(const struct front_head *head)
{
	const char *host = headers_get(head->headers, "Host");

	return host && head_is_host(host) ? host : head->local;
}

static void copy(char *out, size_t size, const struct headers *h,
		 const char *name)
{
	const char *value = headers_get(h, name);

	snprintf(out, size, "%s", value ? value : "");
}

static void read_question(struct ota_request *out,
			  const struct front_head *head, const char *body,
			  size_t len, struct error *err)
{
	const struct headers *h = head->headers;

	*out = (struct ota_request){ 0 };
	copy(out->device_id, sizeof(out->device_id), h, "Device-Id");
	copy(out->client_id, sizeof(out->client_id), h, "Client-Id");
	copy(out->language, sizeof(out->language), h, "Accept-Language");
	copy(out->user_agent, sizeof(out->user_agent), h, "User-Agent");
	copy(out->serial, sizeof(out->serial), h, "Serial-Number");
	ota_request_decode(out, body, len, err);
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

/* "board/version" is what firmware sends as its User-Agent (device.md 5.1). */
static void note_board(struct knocks *k, const struct ota_request *rq,
		       const char *address)
{
	const char *slash = strchr(rq->user_agent, '/');
	const char *version = rq->version;
	int name = slash ? (int)(slash - rq->user_agent) : 0;

	if (!*version && slash)
		version = slash + 1;
	if (rq->board_name[0] || rq->board_type[0])
		snprintf(k->ota_board, sizeof(k->ota_board), "%s",
			 rq->board_name[0] ? rq->board_name : rq->board_type);
	else
		snprintf(k->ota_board, sizeof(k->ota_board), "%.*s", name,
			 rq->user_agent);
	snprintf(k->ota_version, sizeof(k->ota_version), "%.*s",
		 (int)sizeof(k->ota_version) - 1, version);
	snprintf(k->ota_address, sizeof(k->ota_address), "%s", address);
}

static void tell_question(struct listen *l, const struct front_head *head,
			  const struct ota_request *rq, const char *url)
{
	const struct knocks *k = &l->knocks;
	struct buf text = { 0 };

	buf_printf(&text, "%s asked OTA",
		   rq->device_id[0] ? rq->device_id :
				      "a board without a Device-Id");
	if (k->ota_board[0])
		buf_printf(&text, ": board '%s'", k->ota_board);
	if (k->ota_version[0])
		buf_printf(&text, "%s version %s", k->ota_board[0] ? "," : ":",
			   k->ota_version);
	if (rq->compile_time[0])
		buf_printf(&text, " (%s)", rq->compile_time);
	buf_printf(&text, "\nit was sent to %s: now wake it", url);
	listen_notice(l, NOTICE_OTA, head->address, buf_string(&text));
	buf_done(&text);
}

static char *device_url(const struct listen *l, const struct front_head *head)
{
	if (l->advertised_ws)
		return mem_strdup(l->advertised_ws);
	return mem_printf("ws://%s%s", host_of(head),
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

	read_question(&asked, head, body, len, &err);
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
	listen_page(&page, host_of(head), l->serving ? device : NULL);
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
	/* Browsers ask for these by themselves. */
	if (text_starts(head->path, "/favicon") ||
	    text_starts(head->path, "/apple-touch-icon"))
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

static bool same_path(const char *path, const char *with_slash)
{
	size_t len = strlen(with_slash);

	return !strcmp(path, with_slash) ||
	       (strlen(path) == len - 1 && !strncmp(path, with_slash, len - 1));
}

void listen_http(void *owner, struct front_request *rq,
		 const struct front_head *head, const char *body, size_t len)
{
	struct listen *l = owner;
	bool ota = same_path(head->path, OTA_PATH);
	bool reads =
		!strcmp(head->method, "GET") || !strcmp(head->method, "HEAD");
	bool posts = !strcmp(head->method, "POST");

	listen_knock(l, head->address, head->local);
	if (!reads && !posts)
		answer_error(l, rq, 405, "only GET and POST are answered");
	else if (ota && (posts || headers_get(head->headers, "Device-Id")))
		serve_ota(l, rq, head, body, len);
	else if (same_path(head->path, OTA_PATH "activate/"))
		serve_activate(l, rq);
	else if (reads && (ota || !strcmp(head->path, "/")))
		serve_page(l, rq, head);
	else
		serve_nothing(l, rq, head);
}
