/* SPDX-License-Identifier: MIT */
#include "bridge/given_names.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static struct given_name *find(const struct given_names *g, const char *name)
{
	struct given_name *found;
	size_t at = 0;

	while ((found = map_find(&g->names, map_hash_text(name), &at))) {
		if (strcmp(found->name, name) == 0)
			break;
	}
	return found;
}

const struct given_name *given_names_find(const struct given_names *g,
					  const char *name)
{
	return find(g, name);
}

void given_names_give(struct given_names *g, const char *name, const char *tool,
		      struct bridge_peer *peer)
{
	struct given_name *n = find(g, name);

	if (n && n->peer == peer && strcmp(n->tool, tool) == 0)
		return;
	if (!n && g->names.count >= GIVEN_NAMES_MAX)
		return;
	if (!n) {
		n = mem_zalloc(sizeof(*n));
		n->name = mem_strdup(name);
		map_add(&g->names, map_hash_text(name), n);
	}
	mem_free(n->tool);
	n->tool = mem_strdup(tool);
	n->peer = peer;
}

/* A merged one says by its argument whose it is. */
void given_names_add(struct given_names *g, const struct shown_tools *s)
{
	const struct bridge_catalogue *c = &s->catalogue;

	for (size_t i = 0; i < c->count; i++) {
		const struct bridge_tool *t = &c->tool[i];

		if (t->json && t->tool && !t->merged)
			given_names_give(g, t->name, t->tool->name,
					 s->peer[t->source]);
	}
}

static void free_name(struct given_name *n)
{
	mem_free(n->name);
	mem_free(n->tool);
	mem_free(n);
}

static bool is_of_other(void *owner, void *item)
{
	struct bridge_peer *gone = owner;
	struct given_name *n = item;

	if (n->peer != gone)
		return true;
	free_name(n);
	return false;
}

void given_names_forget(struct given_names *g, struct bridge_peer *peer)
{
	map_sweep(&g->names, is_of_other, peer);
}

void given_names_done(struct given_names *g)
{
	struct given_name *n;
	size_t at = 0;

	while ((n = map_each(&g->names, &at)))
		free_name(n);
	map_done(&g->names);
}
