/* SPDX-License-Identifier: MIT */
/* Robots, behind access points that are dialled: --mcp-endpoint-file. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "bridge/fronts.h"
#include "cli/app.h"
#include "clients/point_front.h"
#include "clients/point_tools.h"

#define ENDPOINT_ENV "MCPCTL_MCP_ENDPOINT"
#define EXPIRY_ROOM 96

struct front_endpoint;

struct dialled_point {
	struct front_endpoint *all;
	struct point_front_order order;
	struct point_front *front;
	bool over, closed;
};

struct front_endpoint {
	const struct front_order *order;
	struct point_urls urls;
	struct dialled_point *point; /* one an address */
	size_t opened;
	struct error why; /* of the first that is over */
};

static const char *outside(void)
{
	const char *url = getenv(ENDPOINT_ENV);

	return url && *url ? url : NULL;
}

static bool is_wanted(const struct bridge_options *o)
{
	return o->mcp_endpoint_file || outside();
}

/* ---- what they tell ---- */

static void on_line(void *owner, const char *text)
{
	const struct dialled_point *p = owner;

	p->all->order->told(p->all->order->owner, text);
}

static void on_over(void *owner, const struct error *why)
{
	struct dialled_point *p = owner;
	struct front_endpoint *f = p->all;
	CLEANUP(mem_free_ptr)
	char *line = mem_printf("%s: %s; not dialled again",
				p->order.url->shown, why->text);

	p->over = true;
	if (f->why.kind == ERR_NONE)
		error_copy(&f->why, why);
	f->order->told(f->order->owner, line);
	*f->order->woken = true;
}

static void on_closed(void *owner)
{
	struct dialled_point *p = owner;

	p->closed = true;
}

static const struct point_front_events dialled_events = {
	.line = on_line,
	.over = on_over,
	.closed = on_closed,
};

/* ---- opened, looked after, closed ---- */

static void close_endpoint(void *front)
{
	struct front_endpoint *f = front;

	for (size_t i = 0; i < f->opened; i++)
		point_front_close(f->point[i].front);
	for (size_t i = 0; i < f->opened; i++) {
		while (loop_wait(f->order->app->loop, &f->point[i].closed,
				 LOOP_FOREVER, NULL))
			; /* it still points into what is released next */
	}
	mem_free(f->point);
	point_urls_done(&f->urls);
	error_reset(&f->why);
	mem_free(f);
}

static void tell_expiry(const struct front_endpoint *f,
			const struct point_url *u)
{
	CLEANUP(mem_free_ptr) char *line = NULL;
	char words[EXPIRY_ROOM];

	point_url_expiry(u, unix_now_ms() / 1000, words, sizeof(words));
	if (!*words)
		return;
	line = mem_printf("%s: %s", u->shown, words);
	f->order->told(f->order->owner, line);
}

static int open_points(struct front_endpoint *f, struct error *err)
{
	const struct bridge_options *o = f->order->options;
	const struct config *c = &f->order->app->config;

	for (size_t i = 0; i < f->urls.count; i++) {
		struct dialled_point *p = &f->point[i];

		p->all = f;
		p->order = (struct point_front_order){
			.loop = f->order->app->loop,
			.answerer = f->order->answerer,
			.url = &f->urls.item[i],
			.cacert = c->cacert,
			.insecure = c->insecure,
			.tools_max = (size_t)o->mcp_endpoint_tools,
		};
		if (point_front_open(&p->front, &p->order, &dialled_events, p,
				     err))
			return -1;
		f->opened++;
		tell_expiry(f, p->order.url);
	}
	return 0;
}

static int open_endpoint(void **front, const struct front_order *order,
			 struct error *err)
{
	const char *file = order->options->mcp_endpoint_file;
	struct front_endpoint *f = mem_zalloc(sizeof(*f));
	int status;

	f->order = order;
	status = file ? point_urls_read(&f->urls, file, err) :
			point_urls_text(&f->urls, outside(), ENDPOINT_ENV, err);
	if (status == 0) {
		f->point = mem_zalloc(f->urls.count * sizeof(*f->point));
		status = open_points(f, err);
	}
	if (status)
		close_endpoint(f);
	else
		*front = f;
	return status;
}

/* It ends with the last of them. */
static int step_endpoint(void *front, int64_t *next, struct error *err)
{
	const struct front_endpoint *f = front;

	*next = LOOP_FOREVER;
	for (size_t i = 0; i < f->opened; i++) {
		if (!f->point[i].over)
			return 0;
	}
	error_copy(err, &f->why);
	return -1;
}

const struct bridge_front bridge_front_endpoint = {
	.name = "access point",
	.wanted = is_wanted,
	.open = open_endpoint,
	.step = step_endpoint,
	.close = close_endpoint,
};
