/* SPDX-License-Identifier: MIT */
/* Questions to the portal of a board, each a connection of its own. */
#include "cli/portal.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "net/address.h"
#include "net/endpoint.h"
#include "sim/board_http.h"

#define CONFIG_PATH "/advanced/config"
#define SUBMIT_PATH "/advanced/submit"
#define BODY_MAX 1024 /* what the portal takes; more is answered 400 */

static const char by_hand[] =
	"by hand: join the board's hotspot (its display names it), open http://192.168.4.1, and set the OTA address below 'Advanced'; firmware that hides the field takes it at build time (idf.py menuconfig)";

/* Who answers at host, as the kernel knows since it was asked. */
static void find_hardware(struct portal *p)
{
	char line[256], address[64], hardware[64];
	FILE *file = fopen("/proc/net/arp", "re");

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%63s %*s %*s %63s", address, hardware) != 2 ||
		    strcmp(address, p->host) != 0 || strlen(hardware) != 17 ||
		    strcmp(hardware, "00:00:00:00:00:00") == 0)
			continue;
		for (size_t i = 0; i <= 17; i++)
			p->hardware[i] = (char)text_lower(hardware[i]);
	}
	if (file)
		fclose(file);
}

int portal_open(struct portal *p, struct app *app, const char *url,
		struct error *err)
{
	static const char scheme[] = "http://";
	CLEANUP(mem_free_ptr) char *shown = endpoint_without_password(url);
	const char *rest = url + strlen(scheme);
	struct authority a;
	size_t len;

	*p = (struct portal){ .app = app };
	if (!text_starts(url, scheme))
		return error_set(
			err, ERR_USAGE,
			"'%.200s': the portal is at http://HOST[:PORT]", shown);
	len = strcspn(rest, "/");
	if (rest[len] && rest[len + 1])
		return error_set(err, ERR_USAGE,
				 "'%.200s': no path belongs to a portal",
				 shown);
	if (authority_parse(&a, rest, len, err))
		return error_prefix(err, "'%.200s'", shown);
	if (!*a.host)
		return error_set(err, ERR_USAGE, "'%.200s' names no host",
				 shown);
	p->base = mem_strndup(url, strlen(scheme) + len);
	p->host = mem_strdup(a.host);
	return app_open_loop(app, err);
}

void portal_done(struct portal *p)
{
	mem_free(p->base);
	mem_free(p->host);
	*p = (struct portal){ 0 };
}

/* ---- one question ---- */

struct portal_asked {
	struct board_http http;
	struct buf body;
	struct error why;
	int status;
	enum http_failure failure;
	char *location; /* NULL */
	bool over, answered, closed;
};

static void asked_done(struct portal_asked *a)
{
	buf_done(&a->body);
	error_reset(&a->why);
	mem_free(a->location);
}

static void on_answered(void *owner, const char *body, size_t len)
{
	struct portal_asked *a = owner;

	buf_add(&a->body, body, len);
	a->answered = a->over = true;
}

static void on_failed(void *owner, enum http_failure what,
		      const struct error *why)
{
	struct portal_asked *a = owner;

	a->failure = what;
	error_copy(&a->why, why);
	a->over = true;
}

static void on_head(void *owner)
{
	struct portal_asked *a = owner;

	a->status = a->http.reply.status;
	a->location = mem_strdup(a->http.reply.location);
}

static void on_closed(void *owner)
{
	struct portal_asked *a = owner;

	a->closed = true;
}

static const struct board_http_events events = { .answered = on_answered,
						 .failed = on_failed,
						 .head = on_head,
						 .closed = on_closed };

/* In one piece: the portal reads its body once. */
static void add_request(struct buf *out, const struct board_ws_url *u,
			const char *body)
{
	buf_printf(out, "%s %s HTTP/1.1\r\nHost: ", body ? "POST" : "GET",
		   u->path);
	authority_print(out, u->host, u->has_port ? u->port : 0);
	buf_text(out, "\r\nAccept: application/json\r\nConnection: close\r\n");
	if (body)
		buf_printf(out,
			   "Content-Type: application/json\r\n"
			   "Content-Length: %zu\r\n",
			   strlen(body));
	buf_printf(out, "\r\n%s", body ? body : "");
}

/* -1: Ctrl-C, or --timeout is over. Otherwise *a says how it went. */
static int make(struct portal *p, struct portal_asked *a,
		const struct board_ws_url *u, const char *body,
		struct error *err)
{
	const int64_t timeout = p->app->config.timeout;
	CLEANUP(buf_done) struct buf request = { 0 };
	int status;

	add_request(&request, u, body);
	board_http_open(&a->http, p->app->loop, u, &request, &events, a);
	status = loop_wait(p->app->loop, &a->over,
			   timeout ? loop_now() + timeout : LOOP_FOREVER, err);
	board_http_close(&a->http);
	loop_drain(p->app->loop, &a->closed, LOOP_FOREVER);
	find_hardware(p);
	return status;
}

/* Nobody there, or not what was asked. Always -1. */
static int explain(const struct portal *p, const struct portal_asked *a,
		   const char *path, struct error *err)
{
	if (a->failure == HTTP_UNREACHABLE) {
		error_copy(err, &a->why);
		error_prefix(err, "no portal at %s", p->base);
		return error_hint(
			err,
			"this machine must be in the network of the board's hotspot: its display names it, or a voice tells it, in its Wi-Fi setup");
	}
	if (a->status >= 300 && a->status < 400)
		error_set(
			err, ERR_PROTOCOL,
			"%s%s sends elsewhere (HTTP %d, to '%.150s'): it is the portal of something else",
			p->base, path, a->status,
			a->location ? a->location : "");
	else if (a->status == 404)
		error_set(
			err, ERR_PROTOCOL,
			"there is no %s at %s: no board, or firmware whose portal has no such page (from early 2025 on it has)",
			path, p->base);
	else if (a->failure == HTTP_HUNG)
		error_set(
			err, ERR_PROTOCOL,
			"%s%s answered more than 8 kB: it is the portal of something else",
			p->base, path);
	else {
		error_copy(err, &a->why);
		error_prefix(err, "%s%s", p->base, path);
	}
	return error_hint(err, "%s", by_hand);
}

/* The answer of 200, into out. */
static int ask(struct portal *p, const char *path, const char *body,
	       struct buf *out, struct error *err)
{
	CLEANUP(mem_free_ptr) char *url = mem_printf("%s%s", p->base, path);
	CLEANUP(asked_done) struct portal_asked a = { 0 };
	struct board_ws_url u;
	int status;

	if (board_ws_url_parse(&u, url, err)) {
		err->kind = ERR_USAGE;
		return -1;
	}
	status = make(p, &a, &u, body, err);
	board_ws_url_done(&u);
	if (status == 0 && !a.answered)
		status = explain(p, &a, path, err);
	if (status == 0)
		buf_add(out, a.body.data, a.body.len);
	return status;
}

/* ---- what is set ---- */

/* Something else may live at that address, and answer anything. */
static bool is_portal(const cJSON *json)
{
	return cJSON_IsNumber(json_member(json, "max_tx_power")) &&
	       cJSON_IsBool(json_member(json, "remember_bssid"));
}

char *portal_ota_url(struct portal *p, struct error *err)
{
	CLEANUP(buf_done) struct buf body = { 0 };
	CLEANUP(json_free_ptr) cJSON *json = NULL;
	const char *url;

	if (ask(p, CONFIG_PATH, NULL, &body, err))
		return NULL;
	json = json_parse(buf_string(&body), body.len, NULL);
	if (!is_portal(json)) {
		error_set(err, ERR_PROTOCOL,
			  "what answers at %s%s is no portal of this firmware",
			  p->base, CONFIG_PATH);
		error_hint(err, "%s", by_hand);
		return NULL;
	}
	url = json_string(json, "ota_url");
	return mem_strdup(url ? url : "");
}

int portal_set_ota_url(struct portal *p, const char *url, struct error *err)
{
	CLEANUP(buf_done) struct buf body = { 0 }, answer = { 0 };
	CLEANUP(json_free_ptr) cJSON *json = NULL;

	json_add_object(&body, "ota_url", url);
	if (body.len > BODY_MAX)
		return error_set(
			err, ERR_USAGE,
			"the OTA address has %zu bytes: the portal takes %d with what is around it",
			strlen(url), BODY_MAX);
	if (ask(p, SUBMIT_PATH, buf_string(&body), &answer, err))
		return -1;
	json = json_parse(buf_string(&answer), answer.len, NULL);
	if (json_true(json, "success"))
		return 0;
	error_set(err, ERR_PROTOCOL,
		  "the portal at %s did not say that it took the address",
		  p->base);
	return error_hint(err, "%s", by_hand);
}
