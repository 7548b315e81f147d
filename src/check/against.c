/* SPDX-License-Identifier: MIT */
/*
 * Only the list of tools: of the target, as it was kept, or from a file; and
 * what backends would make of it (diag/facts.h).
 */
#include "check/against.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "check/parts.h"
#include "cli/catalog_file.h"
#include "diag/backend_view.h"
#include "diag/facts.h"
#include "diag/list_rules.h"
#include "mcp/tools.h"

/* ---- what a backend sees ---- */

struct view {
	struct words lost, renamed, unreachable;
	struct buf calls;
	size_t kept, of;
	bool known;
};

static void view_done(struct view *v)
{
	words_done(&v->lost);
	words_done(&v->renamed);
	words_done(&v->unreachable);
	buf_done(&v->calls);
}

static size_t for_models(const struct tool_list *l)
{
	return l->count - l->user_only;
}

static size_t on_first_page(const struct tool_list *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->count; i++)
		n += !l->tool[i].user_only && l->tool[i].page == 0;
	return n;
}

static void count_kept(struct view *v, const struct backend_fact *b,
		       const struct tool_list *l)
{
	size_t most;

	v->known = true;
	v->of = v->kept = for_models(l);
	if (b->first_page)
		v->kept = on_first_page(l);
	if (b->max_tools && for_models(l) > (size_t)b->max_tools) {
		v->known = backend_visible(l, (size_t)b->max_tools, &most);
		v->kept = v->known && most < v->kept ? most : v->kept;
	}
}

static bool rule_of(const struct backend_fact *b, enum sanitise_rule *out)
{
	*out = strcmp(b->names, "wide") == 0 ? SANITISE_WIDE : SANITISE_DOTS;
	return strcmp(b->names, "wide") == 0 || strcmp(b->names, "dots") == 0;
}

/* Of two that become the same the last can be called. */
static bool is_hidden(const struct tool_list *l, const struct tool *t,
		      enum sanitise_rule rule)
{
	const struct tool *other = tool_collision(l, t, rule);

	return other && !other->user_only && other->position > t->position &&
	       strcmp(other->name, t->name) != 0;
}

static void look_at_name(struct view *v, const struct backend_fact *b,
			 const struct tool_list *l, const struct tool *t)
{
	CLEANUP(buf_done) struct buf name = { 0 };
	enum sanitise_rule rule;

	if (!rule_of(b, &rule))
		return;
	tool_sanitise(t->name, rule, &name);
	if (strcmp(buf_string(&name), t->name) != 0) {
		words_add(&v->renamed, t->name);
		words_add(&v->renamed, buf_string(&name));
	}
	if (is_hidden(l, t, rule))
		words_add(&v->unreachable, t->name);
}

static void look_at_calls(struct view *v, const struct backend_fact *b)
{
	char time[TEXT_ROOM];

	if (b->call_ms)
		buf_printf(&v->calls, "given up after %s",
			   text_milliseconds(b->call_ms, time, sizeof(time)));
	if (b->api_ms)
		buf_printf(&v->calls, "%safter %s by its HTTP interface",
			   v->calls.len ? ", " : "given up ",
			   text_milliseconds(b->api_ms, time, sizeof(time)));
	if (b->max_message)
		buf_printf(&v->calls,
			   "%sa reply above %" PRId64 " B ends the connection",
			   v->calls.len ? "; " : "", b->max_message);
}

static void tell_against(struct checkup *k, const struct backend_fact *b,
			 const struct tool_list *l)
{
	CLEANUP(view_done) struct view v = { 0 };
	struct renderer *r = &k->in->app->out;
	struct against_record record = { .id = b->id, .name = b->name };
	size_t seen = 0;

	count_kept(&v, b, l);
	for (size_t i = 0; i < l->count; i++) {
		const struct tool *t = &l->tool[i];

		if (t->user_only)
			continue;
		if (v.known && seen++ >= v.kept)
			words_add(&v.lost, t->name);
		else
			look_at_name(&v, b, l, t);
	}
	look_at_calls(&v, b);
	record.known = v.known;
	record.kept = v.kept;
	record.of = v.of;
	record.lost = &v.lost;
	record.renamed = &v.renamed;
	record.unreachable = &v.unreachable;
	record.calls = buf_string(&v.calls);
	if (r->ops->against)
		r->ops->against(r, &record);
}

/* ---- which ones ---- */

static const struct backend_fact *fact_of(const char *id, size_t len)
{
	size_t count;
	const struct backend_fact *facts = backend_facts(&count);

	for (size_t i = 0; i < count; i++) {
		if (strlen(facts[i].id) == len &&
		    memcmp(facts[i].id, id, len) == 0)
			return &facts[i];
	}
	return NULL;
}

static int unknown(const char *id, size_t len, struct error *err)
{
	CLEANUP(buf_done) struct buf ids = { 0 };
	size_t count;
	const struct backend_fact *facts = backend_facts(&count);

	for (size_t i = 0; i < count; i++)
		buf_printf(&ids, "%s%s", i ? ", " : "", facts[i].id);
	error_set(err, ERR_USAGE, "--against: no backend '%.*s' is known",
		  (int)len, id);
	return error_hint(err, "there are %s; or all", buf_string(&ids));
}

/* Each of "py,gw"; "all" is every one. list NULL: they are only looked up. */
static int each_against(struct checkup *k, const struct tool_list *l,
			struct error *err)
{
	const char *at = k->options->against;
	size_t count;
	const struct backend_fact *facts = backend_facts(&count);

	if (strcmp(at, "all") == 0) {
		for (size_t i = 0; l && i < count; i++)
			tell_against(k, &facts[i], l);
		return 0;
	}
	for (;; at++) {
		const size_t len = strcspn(at, ",");
		const struct backend_fact *b = fact_of(at, len);

		if (!b)
			return unknown(at, len, err);
		if (l)
			tell_against(k, b, l);
		at += len;
		if (!*at)
			return 0;
	}
}

int check_against_read(struct checkup *k, struct error *err)
{
	return k->options->against ? each_against(k, NULL, err) : 0;
}

void check_against(struct checkup *k, const struct tool_list *l)
{
	CLEANUP(error_reset) struct error err = { 0 };

	if (k->options->against)
		each_against(k, l, &err);
}

/* ---- whose list ---- */

struct list_source {
	struct tool_list own; /* of a file */
	struct kept_list kept;
	const struct tool_list *list;
};

static void source_done(struct list_source *s)
{
	tool_list_done(&s->own);
	kept_list_done(&s->kept);
}

static int read_source(struct checkup *k, struct list_source *s,
		       const char *file, struct error *err)
{
	struct connection *c = k->in->connection;

	if (file) {
		k->peer = mem_strdup(file);
		s->list = &s->own;
		return saved_list_read(&s->own, k->in->app, file, err);
	}
	if (k->options->kept) {
		if (kept_list_open(&s->kept, c, err))
			return -1;
		k->peer = mem_strdup(s->kept.from);
		s->list = &s->kept.tools;
		return 0;
	}
	check_progress(k, "tools/list");
	if (connection_open(c, err))
		return -1;
	k->peer = mem_strdup(c->endpoint.text);
	s->list = &c->tools;
	return tools_cache_refresh(c, err);
}

static size_t bytes_of(const struct tool_list *l)
{
	size_t bytes = 0;

	for (size_t i = 0; i < l->count; i++)
		bytes += tool_text(&l->tool[i]).len;
	return bytes;
}

int check_tools(struct checkup *k, const char *url, struct error *err)
{
	CLEANUP(source_done) struct list_source s = { 0 };
	const struct tool_list *l;

	k->subject = "B";
	if (check_against_read(k, err))
		return -1;
	if (read_source(k, &s, url, err)) {
		check_stage(k, "list", STAGE_FAIL, "%s", err->text);
		return -1;
	}
	l = s.list;
	/* A list in a file is looked at as a board's. */
	if (url || k->options->kept)
		k->diag->about.board = true;
	diag_list(k->diag, l);
	check_stage(k, "list", STAGE_OK,
		    "%zu tool%s (%zu user-only), %zu B in all, from %s",
		    l->count, l->count == 1 ? "" : "s", l->user_only,
		    bytes_of(l), k->peer);
	check_against(k, l);
	return check_end(k, err);
}
