/* SPDX-License-Identifier: MIT */
/*
 * The tools of many devices: all that are to be asked the same next page are
 * asked at once, until each has told its last one.
 */
#include <string.h>

#include "base/mem.h"
#include "cli/all.h"
#include "cli/all_call.h"
#include "mcp/listing.h"
#include "out/wrap.h"

struct listed {
	char *id; /* owned */
	struct listing listing;
	struct tool_list tools;
	int64_t took_us;
	bool over; /* its row was shown */
};

struct tools_of_all {
	struct all all;
	const char *filter;
	struct listed *device;
	size_t count, shown;
	const char *list; /* of the page that is asked now */
	struct buf params;
};

static struct listed *find(struct tools_of_all *t, const char *id)
{
	for (size_t i = 0; i < t->count; i++) {
		if (strcmp(t->device[i].id, id) == 0)
			return &t->device[i];
	}
	return NULL;
}

/* ---- the row of a device ---- */

/* As if all had come in one page. */
static void join_pages(const struct tool_list *tools, struct message *out)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_text(&text, "{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{"
			"\"tools\":[");
	for (size_t i = 0; i < tools->count; i++) {
		struct span tool = tool_text(&tools->tool[i]);

		if (i > 0)
			buf_char(&text, ',');
		buf_add(&text, tool.text, tool.len);
	}
	buf_text(&text, "]}}");
	message_done(out);
	message_decode_take(out, NULL, text.data, text.len, NULL);
}

static void summarize(struct tools_of_all *t, const struct tool_list *tools,
		      struct buf *out)
{
	for (size_t i = 0; t->filter && i < tools->count; i++) {
		if (!tool_matches(&tools->tool[i], t->filter))
			continue;
		buf_printf(out, "%s%s", out->len ? ", " : "",
			   tools->tool[i].name);
		t->shown++;
	}
	if (t->filter && out->len > 0)
		return;
	if (t->filter)
		buf_text(out, "none of ");
	wrap_count(out, tools->count - tools->user_only, "tool");
	if (tools->user_only > 0)
		buf_printf(out, " + %zu user-only", tools->user_only);
}

/* One page; true: it was the last, and the row tells all of them. */
static bool judge(void *owner, struct all_row *row)
{
	struct tools_of_all *t = owner;
	struct listed *l = find(t, row->device->id);
	CLEANUP(buf_done) struct buf params = { 0 };

	if (!l || l->over)
		return false;
	listing_params(&l->listing, &params);
	if (strcmp(buf_string(&params), buf_string(&t->params)) != 0)
		return false;
	if (row->took_us > 0)
		l->took_us += row->took_us;
	if (row->error.kind != ERR_NONE)
		listing_failed(&l->listing, &row->error);
	else
		listing_feed_take(&l->listing, &row->reply, &row->error);
	l->over = l->listing.done || row->error.kind != ERR_NONE;
	if (!l->over)
		return false;
	row->took_us = l->took_us;
	if (row->error.kind == ERR_NONE) {
		join_pages(&l->tools, &row->reply);
		summarize(t, &l->tools, &row->summary);
	}
	listing_done(&l->listing);
	tool_list_done(&l->tools);
	return true;
}

/* ---- the rounds ---- */

static int ask_page(struct tools_of_all *t, struct listed *l, struct error *err)
{
	const struct all_device *d = all_find(&t->all, l->id);
	struct all_request rq = { .method = "tools/list" };
	struct all_fan f = { .judge = judge, .owner = t };

	listing_params(&l->listing, &t->params);
	rq.params = t->params.len ? buf_string(&t->params) : NULL;
	/* The first page is asked of all; the next of those that are alike. */
	if (l->tools.pages > 0 && d && d->list)
		rq.list = d->list;
	else if (l->tools.pages > 0)
		rq.device = l->id;
	if (all_start(&t->all, &f, &rq, err) != 0) {
		serve_client_free(f.serve);
		return -1;
	}
	return all_finish(&t->all, &f, err);
}

/* No row came for it. */
static void tell_gone(struct tools_of_all *t, struct listed *l)
{
	struct all_row row = { .device = all_find(&t->all, l->id),
			       .took_us = -1 };

	l->over = true;
	error_set(&row.error, ERR_CONNECT, "the device went meanwhile");
	if (row.device)
		all_show(&t->all, &row);
}

static int ask_all(struct tools_of_all *t, struct error *err)
{
	for (size_t i = 0; i < t->count; i++) {
		struct listed *l = &t->device[i];

		while (!l->over) {
			size_t pages = l->tools.pages;

			if (ask_page(t, l, err) != 0)
				return -1;
			if (!l->over && l->tools.pages == pages)
				tell_gone(t, l);
		}
	}
	return 0;
}

static int outcome(const struct tools_of_all *t, struct error *err)
{
	if (all_outcome(&t->all, err) != 0)
		return -1;
	if (!t->filter || t->shown > 0)
		return 0;
	return error_set(err, ERR_UNMET,
			 "no device has a tool that matches "
			 "'%s'",
			 t->filter);
}

int all_tools_run(struct app *app, const char *filter, bool no_user,
		  struct error *err)
{
	struct tools_of_all t = { .filter = filter };
	int status = all_open(&t.all, app, err);

	t.count = t.all.count;
	t.device = mem_zalloc((t.count + 1) * sizeof(*t.device));
	for (size_t i = 0; i < t.count; i++) {
		t.device[i].id = mem_strdup(t.all.device[i].id);
		listing_init(&t.device[i].listing, &t.device[i].tools,
			     !no_user);
	}
	if (status == 0)
		status = ask_all(&t, err);
	if (status == 0)
		status = outcome(&t, err);
	for (size_t i = 0; i < t.count; i++) {
		mem_free(t.device[i].id);
		listing_done(&t.device[i].listing);
		tool_list_done(&t.device[i].tools);
	}
	mem_free(t.device);
	buf_done(&t.params);
	all_done(&t.all);
	return status;
}
