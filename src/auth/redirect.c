/* SPDX-License-Identifier: MIT */
/* The port that a browser is sent back to. */
#include "auth/redirect.h"

#include <string.h>

#include "base/mem.h"
#include "base/module.h"
#include "net/front.h"

struct redirect {
	const struct front_table *table;
	struct front *front;
	redirect_came *came;
	void *owner;
};

static const char page_start[] =
	"<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>mcpctl</title><body style=\"font-family:sans-serif;margin:4em auto;max-width:30em\"><p>";

static void reply(struct redirect *r, struct front_request *rq, int status,
		  const char *words)
{
	CLEANUP(headers_done) struct headers headers = { 0 };
	CLEANUP(mem_free_ptr)
	char *page = mem_printf("%s%s</p></body></html>\n", page_start, words);

	/* The address holds a code: it goes nowhere else. */
	headers_add(&headers, "Referrer-Policy", "no-referrer");
	headers_add(&headers, "Content-Security-Policy",
		    "default-src 'none'; style-src 'unsafe-inline'");
	r->table->reply_with(rq, status, "text/html; charset=utf-8", &headers,
			     page, strlen(page));
}

static void on_http(void *owner, struct front_request *rq,
		    const struct front_head *head, const char *body, size_t len)
{
	struct redirect *r = owner;

	(void)body, (void)len;
	if (strcmp(head->method, "GET") != 0 ||
	    strcmp(head->path, REDIRECT_PATH) != 0)
		reply(r, rq, 404, "There is nothing here.");
	else
		reply(r, rq, 200, r->came(r->owner, head->query));
}

static int no_upgrade(void *owner, int fd, const struct front_head *head,
		      const char **reason)
{
	(void)owner, (void)fd, (void)head;
	*reason = "no WebSocket is spoken here";
	return 404;
}

int redirect_open(struct redirect **out, struct loop *l, uint16_t port,
		  redirect_came *came, void *owner, struct error *err)
{
	static const struct front_events events = { .http = on_http,
						    .upgrade = no_upgrade };
	const struct front_config config = { .host = "127.0.0.1",
					     .port = port,
					     .body_max = 1024,
					     .connections_max = 16 };
	struct redirect *r;
	const struct front_table *table =
		module_table("front", FRONT_TABLE, err);

	*out = NULL;
	if (!table)
		return -1;
	r = mem_zalloc(sizeof(*r));
	r->table = table;
	r->came = came;
	r->owner = owner;
	r->front = table->open(l, &config, &events, r, err);
	if (!r->front) {
		mem_free(r);
		return -1;
	}
	*out = r;
	return 0;
}

uint16_t redirect_port(const struct redirect *r)
{
	return r->table->port(r->front);
}

static void on_closed(void *owner)
{
	mem_free(owner);
}

void redirect_close(struct redirect *r)
{
	if (r)
		r->table->close(r->front, on_closed);
}
