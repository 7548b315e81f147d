/* SPDX-License-Identifier: MIT */
/* Boards by word: those that are here, and those that files name. */
#include "serve/known_boards.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "mcp/name_set.h"
#include "serve/board.h"
#include "serve/serve_state.h"

struct collected {
	struct name_set names;
	struct words *ids;
	size_t fitting; /* those that stand there already, too */
};

static void add(struct collected *c, const char *id)
{
	CLEANUP(mem_free_ptr) char *small = mem_strdup(id);

	for (char *p = small; *p; p++)
		*p = (char)text_lower(*p);
	c->fitting++;
	if (name_set_add(&c->names, small, c->ids->count) == NAME_NONE)
		words_add(c->ids, small);
}

static void add_here(struct collected *c, const struct serve *s,
		     const char *pattern)
{
	struct board *d = NULL;

	while ((d = registry_next(&s->registry, d, pattern)))
		add(c, d->id);
}

static bool is_here(const struct serve *s, const char *id)
{
	CLEANUP(mem_free_ptr) char *pick = mem_printf(REGISTRY_ID "%s", id);

	return registry_next(&s->registry, NULL, pick) != NULL;
}

static void add_away(struct collected *c, const struct serve *s,
		     const char *pattern)
{
	for (size_t i = 0; i < s->aliases.count; i++) {
		const struct alias *a = &s->aliases.item[i];
		const struct board_names names = { .id = a->id,
						   .device_id = a->id,
						   .alias = a->name };

		if (id_fits(s, &names, pattern) &&
		    !registry_next(&s->registry, NULL, a->name) &&
		    !is_here(s, a->id))
			add(c, a->id);
	}
	for (size_t i = 0; i < s->enrolled.count; i++) {
		const struct enrolled_board *b = &s->enrolled.item[i];
		const struct board_names names = {
			.id = b->device_id,
			.device_id = b->device_id,
			.client_id = b->client_id,
			.alias = aliases_name(&s->aliases, b->device_id, NULL)
		};

		if (id_fits(s, &names, pattern) && !is_here(s, b->device_id))
			add(c, b->device_id);
	}
}

static void add_leased(struct collected *c, const struct serve *s,
		       const char *pattern)
{
	for (const struct lease *l = s->leases.first; l; l = l->next) {
		for (size_t i = 0; i < l->count; i++) {
			const struct board_names names = {
				.id = l->board[i].id
			};

			if (id_fits(s, &names, pattern) &&
			    !is_here(s, l->board[i].id))
				add(c, l->board[i].id);
		}
	}
}

/* A glob means only boards that serve has heard of. */
static int nobody(const char *pattern, struct error *err)
{
	error_set(err, ERR_CONNECT, "no board that is here or known fits '%s'",
		  pattern);
	return error_hint(
		err,
		"'mcpctl devices' lists who is here; one that is not is meant by its alias or its whole id");
}

/* Nobody heard of it: it may come under that id. */
static int add_word(struct collected *c, const struct serve *s,
		    const char *pattern, struct error *err)
{
	const char *id = text_starts(pattern, REGISTRY_ID) ?
				 pattern + strlen(REGISTRY_ID) :
				 pattern;

	if (device_word_check(s, pattern, false, err))
		return -1;
	if (text_has_glob(pattern) || !*id || strlen(id) > DEVICE_ID_MAX)
		return nobody(pattern, err);
	add(c, id);
	return 0;
}

int known_boards(const struct serve *s, const char *pattern, struct words *out,
		 struct error *err)
{
	struct collected c = { .ids = out };
	int status = 0;

	for (size_t i = 0; i < out->count; i++)
		name_set_add(&c.names, out->word[i], i);
	add_here(&c, s, pattern);
	add_away(&c, s, pattern);
	add_leased(&c, s, pattern);
	if (!c.fitting)
		status = add_word(&c, s, pattern, err);
	name_set_done(&c.names);
	return status;
}

const char *known_board_name(const struct serve *s, const char *id)
{
	const struct board *d = registry_find(&s->registry, id);
	const char *alias = d ? d->alias : aliases_name(&s->aliases, id, id);

	return alias ? alias : id;
}
