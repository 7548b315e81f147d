/* SPDX-License-Identifier: MIT */
#include "bridge/shown_tools.h"

#include "base/mem.h"

void shown_tools_done(struct shown_tools *s)
{
	bridge_catalogue_done(&s->catalogue);
	for (size_t i = 0; i < s->count; i++) {
		bridge_list_release(s->list[i]);
		mem_free(s->prefix[i]);
	}
	mem_free(s->source);
	mem_free(s->peer);
	mem_free(s->list);
	mem_free(s->prefix);
	buf_done(&s->listing);
	*s = (struct shown_tools){ 0 };
}

static struct bridge_source source_of(const struct bridge_peer *p,
				      const char *prefix)
{
	return (struct bridge_source){
		.prefix = prefix,
		.id = p->id,
		.tools = p->list ? &p->list->tools : NULL,
		.device = p->device,
		.away = bridge_peer_away_word(p),
		.wants_all = p->wants_all,
	};
}

static void print(struct shown_tools *s)
{
	const struct bridge_catalogue *c = &s->catalogue;

	buf_char(&s->listing, '[');
	for (size_t i = 0; i < c->count; i++) {
		if (!c->tool[i].json)
			continue;
		if (s->listing.len > 1)
			buf_char(&s->listing, ',');
		buf_text(&s->listing, c->tool[i].json);
	}
	buf_char(&s->listing, ']');
}

void shown_tools_make(struct shown_tools *s, struct bridge_peer *const *peer,
		      size_t count, const struct bridge_rules *rules)
{
	struct shown_tools now = { .count = count };

	now.source = mem_zalloc((count + 1) * sizeof(*now.source));
	now.peer = mem_zalloc((count + 1) * sizeof(struct bridge_peer *));
	now.list = mem_zalloc((count + 1) * sizeof(struct bridge_list *));
	now.prefix = mem_zalloc((count + 1) * sizeof(char *));
	for (size_t i = 0; i < count; i++) {
		now.peer[i] = peer[i];
		now.list[i] = bridge_list_hold(peer[i]->list);
		now.prefix[i] = mem_strdup(peer[i]->prefix ? peer[i]->prefix :
							     peer[i]->id);
		now.source[i] = source_of(peer[i], now.prefix[i]);
	}
	bridge_catalogue_make(&now.catalogue, now.source, count, rules);
	print(&now);
	shown_tools_done(s);
	*s = now;
}
