/* SPDX-License-Identifier: MIT */
/*
 * The last result, kept as the peer sent it, to be shown once more in another
 * form. It stands between commands and the renderer, and asks nobody.
 */
#include <string.h>

#include "base/mem.h"
#include "cli/show.h"
#include "shell/shell.h"

void shell_last_done(struct shell_last *l)
{
	mem_free(l->text);
	mem_free(l->name);
	tool_list_done(&l->tools);
	*l = (struct shell_last){ 0 };
}

static struct shell_last *begin(struct renderer *r, enum last_kind kind)
{
	struct shell *s = r->owner;

	shell_last_done(&s->last);
	s->last.kind = kind;
	return &s->last;
}

static const struct render_ops *inner(const struct renderer *r)
{
	const struct shell *s = r->owner;

	return s->inner;
}

/* ---- kept ---- */

static void keep_message(struct shell_last *l, const struct message *m)
{
	l->text = mem_copy(m->text, m->len);
	l->len = m->len;
}

static void on_result(struct renderer *r, const struct result *result)
{
	struct shell_last *l = begin(r, LAST_RESULT);

	keep_message(l, &result->message);
	l->took_us = result->took_us;
	l->note = result->note;
	inner(r)->result(r, result);
}

static void on_reply(struct renderer *r, const struct message *m)
{
	keep_message(begin(r, LAST_REPLY), m);
	inner(r)->reply(r, m);
}

static void keep_tools(struct shell_last *l, const struct tool_list *list)
{
	for (size_t i = 0; i < list->pages; i++) {
		const struct message *page = &list->page[i];
		struct message m;

		if (message_decode_take(&m, NULL, page->text, page->len,
					NULL) == 0)
			tool_list_add_take(&l->tools, &m, NULL, NULL);
	}
}

static void on_tools_end(struct renderer *r, const struct tools_record *t)
{
	struct shell_last *l = begin(r, LAST_TOOLS);

	keep_tools(l, t->list);
	l->name = mem_strdup(t->filter);
	l->backend_view = t->backend_view;
	l->device = t->device;
	l->shown = t->shown;
	l->name_width = t->name_width;
	if (inner(r)->tools_end)
		inner(r)->tools_end(r, t);
}

static void on_describe(struct renderer *r, const struct describe_record *d)
{
	struct shell_last *l = begin(r, LAST_DESCRIBE);

	keep_tools(l, d->list);
	l->name = mem_strdup(d->tool->name);
	l->device = d->device;
	inner(r)->describe(r, d);
}

static void on_info(struct renderer *r, const struct info_record *i)
{
	struct shell *s = r->owner;

	begin(r, LAST_INFO)->opened = s->app->opened;
	inner(r)->info(r, i);
}

static void on_ping(struct renderer *r, const struct ping_record *p)
{
	begin(r, LAST_PING)->ping = *p;
	inner(r)->ping(r, p);
}

void shell_last_watch(struct shell *s)
{
	struct renderer *r = &s->app->out;

	if (r->ops != &s->ops)
		s->inner = r->ops;
	s->ops = *s->inner;
	s->ops.tools_end = on_tools_end;
	if (s->inner->result)
		s->ops.result = on_result;
	if (s->inner->reply)
		s->ops.reply = on_reply;
	if (s->inner->describe)
		s->ops.describe = on_describe;
	if (s->inner->info)
		s->ops.info = on_info;
	if (s->inner->ping)
		s->ops.ping = on_ping;
	r->ops = &s->ops;
}

/* ---- shown again ---- */

static int show_message(struct renderer *r, const struct shell_last *l,
			struct error *err)
{
	CLEANUP(result_done) struct result result = { 0 };
	CLEANUP(message_done) struct message m = { 0 };

	if (l->text && message_decode_take(&m, NULL, l->text, l->len, err) != 0)
		return -1;
	if (l->kind == LAST_REPLY) {
		if (r->ops->reply)
			r->ops->reply(r, &m);
		return 0;
	}
	result_decode_take(&result, &m);
	result.took_us = l->took_us;
	result.note = l->note;
	if (r->ops->result)
		r->ops->result(r, &result);
	return 0;
}

static void show_tools(struct renderer *r, const struct shell_last *l)
{
	const struct tools_record record = { .list = &l->tools,
					     .filter = l->name,
					     .backend_view = l->backend_view,
					     .device = l->device,
					     .shown = l->shown,
					     .name_width = l->name_width };

	for (size_t i = 0; r->ops->tool && i < l->tools.count; i++) {
		if (tool_matches(&l->tools.tool[i], l->name))
			r->ops->tool(r, &l->tools.tool[i], &record);
	}
	if (r->ops->tools_end)
		r->ops->tools_end(r, &record);
}

static void show_description(struct renderer *r, const struct shell_last *l)
{
	const struct describe_record record = { .tool = tool_list_find(
							&l->tools, l->name),
						.list = &l->tools,
						.device = l->device };

	if (record.tool && r->ops->describe)
		r->ops->describe(r, &record);
}

/* As the present one, but for its form. */
static void dress(struct renderer *r, const struct shell *s,
		  enum output_form form)
{
	const struct renderer *now = &s->app->out;

	renderer_init(r, form, (enum color_mode)s->app->config.color);
	r->quiet = now->quiet;
	r->out = now->out;
	if (now->out_terminal)
		return;
	r->out_terminal = false;
	r->out_color = r->out_color && now->out_color;
}

int shell_last_show(struct shell *s, enum output_form form, struct error *err)
{
	const struct shell_last *l = &s->last;
	const struct app *app = s->app;
	bool gone = l->kind == LAST_INFO &&
		    (!app->connected || app->opened != l->opened);
	struct renderer r;

	dress(&r, s, form);
	if (l->kind == LAST_NONE || gone) {
		error_set(err, ERR_UNMET, "there is no result yet%s",
			  gone ? " of this connection" : "");
		return error_hint(err, "'last' shows again what call, request, "
				       "tools, describe, info or ping showed");
	}
	if (l->kind == LAST_RESULT || l->kind == LAST_REPLY)
		return show_message(&r, l, err);
	if (l->kind == LAST_INFO)
		info_show(app, &r);
	else if (l->kind == LAST_TOOLS)
		show_tools(&r, l);
	else if (l->kind == LAST_DESCRIBE)
		show_description(&r, l);
	else if (r.ops->ping)
		r.ops->ping(&r, &l->ping);
	return 0;
}
