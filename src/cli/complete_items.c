/* SPDX-License-Identifier: MIT */
/*
 * Resources, templates and prompts as they were listed last. Nothing is asked:
 * the values that a server proposes are the command `complete`'s.
 */
#include <string.h>

#include "base/mem.h"
#include "cli/complete_private.h"

static void add_item(void *owner, const char *key, const char *brief)
{
	struct completing *c = owner;
	const struct offer offer = { .typed = c->question->word };

	complete_add(c, &offer, key, brief);
}

static void list_items(struct completing *c, enum list_kind kind)
{
	const struct schema_source *s = c->source;
	CLEANUP(mem_free_ptr) char *list = NULL;

	if (s->items &&
	    s->items(s->owner, kind, c->question->word, add_item, c))
		return;
	list = mem_printf("%ss", list_noun(kind));
	complete_note_list(c, list);
}

/* "city=", of words[0]: a template has parts in braces. */
static void list_arguments(struct completing *c)
{
	const struct words *operands = &c->position->operands;
	bool template = strchr(operands->word[0], '{') != NULL;

	complete_item_arguments(c, template ? LIST_TEMPLATES : LIST_PROMPTS,
				operands->word, operands->count);
}

void complete_items(struct completing *c, enum operand_kind operand)
{
	bool call = operand == OPERAND_PROMPT_CALL ||
		    operand == OPERAND_COMPLETABLE;

	if (call && c->position->operands.count > 0) {
		list_arguments(c);
		return;
	}
	if (operand == OPERAND_RESOURCE)
		list_items(c, LIST_RESOURCES);
	if (operand == OPERAND_PROMPT || call)
		list_items(c, LIST_PROMPTS);
	if (operand == OPERAND_TEMPLATE || operand == OPERAND_COMPLETABLE)
		list_items(c, LIST_TEMPLATES);
}
