/* SPDX-License-Identifier: MIT */
/*
 * Names of tools: those that share a part up to the next dot are shown as that
 * part, until only one is left of them.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/complete_private.h"
#include "cli/named_words.h"

/* The tools that share what stands up to the next dot. They come one after the other. */
struct group {
	struct completing *c;
	const char *typed;
	char *first, *brief;
	size_t part; /* bytes of first up to and with that dot; 0: it has none */
	size_t count;
};

static void flush(struct group *g)
{
	struct offer offer = { .open = g->count > 1 };
	CLEANUP(mem_free_ptr) char *many = NULL;

	if (g->count > 1) {
		many = mem_printf("%zu tools", g->count);
		g->first[g->part] = '\0';
	}
	if (g->count > 0)
		complete_add(g->c, &offer, g->first, many ? many : g->brief);
	mem_free(TAKE(g->first));
	mem_free(TAKE(g->brief));
	g->count = 0;
}

static void take_tool(void *owner, const char *name, const char *brief)
{
	struct group *g = owner;
	const char *dot;

	if (!text_starts(name, g->typed) || !complete_is_safe(name) ||
	    (g->count > 0 && strcmp(g->first, name) == 0))
		return;
	if (g->count > 0 && g->part > 0 &&
	    strncmp(g->first, name, g->part) == 0) {
		g->count++;
		return;
	}
	flush(g);
	dot = strchr(name + strlen(g->typed), '.');
	g->first = mem_strdup(name);
	g->brief = mem_strdup(brief);
	g->part = dot ? (size_t)(dot - name) + 1 : 0;
	g->count = 1;
}

/* As it was given: without it the command would list another's. */
static void add_peer(struct buf *out, const struct position *p)
{
	if (p->peer.target) {
		named_words(out, p->peer.target, p->config);
	} else if (p->peer.device) {
		buf_text(out, "-d ");
		words_quote(out, p->peer.device);
		buf_char(out, ' ');
	}
}

void complete_note_list(struct completing *c, const char *list)
{
	CLEANUP(buf_done) struct buf peer = { 0 };
	bool inside = c->question->inside;

	if (c->out->count > 0 || c->out->note)
		return;
	if (!inside)
		add_peer(&peer, c->position);
	if (!complete_is_safe(buf_string(&peer)))
		buf_reset(&peer);
	c->out->note =
		mem_printf("no list yet: run %s%s%s", inside ? "" : "mcpctl ",
			   buf_string(&peer), list);
}

void complete_note_unknown(struct completing *c)
{
	const struct schema_source *s = c->source;

	if (!s->known(s->owner))
		complete_note_list(c, "tools");
}

void complete_tools(struct completing *c, const char *typed)
{
	const struct schema_source *s = c->source;
	struct group g = { .c = c, .typed = typed };

	s->tools(s->owner, typed, take_tool, &g);
	flush(&g);
	complete_note_unknown(c);
}
