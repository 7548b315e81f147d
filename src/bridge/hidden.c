/* SPDX-License-Identifier: MIT */
#include "bridge/hidden.h"

#include <string.h>

#include "base/mem.h"
#include "base/split.h"
#include "base/text.h"
#include "base/utf8.h"
#include "bridge/hints.h"
#include "mcp/tool_effect.h"

#define NAME_SHOWN 40 /* bytes */

/* The first glob that it matches; NULL. */
static const char *matching(const struct words *globs, const char *name)
{
	for (size_t i = 0; globs && i < globs->count; i++) {
		if (text_glob(globs->word[i], name))
			return globs->word[i];
	}
	return NULL;
}

/* Nobody could call it, or it was said that nobody shall. */
static char *why_never(const struct bridge_source *s, const struct tool *t,
		       const struct bridge_rules *rules)
{
	const char *glob = matching(rules->deny, t->name);

	if (!*t->name)
		return mem_strdup("it has no name");
	if (t->duplicate)
		return mem_strdup("another tool of that name stands before it");
	if (glob)
		return mem_printf("denied by '%s'", glob);
	if (rules->awake_only && s->away)
		return mem_printf("it is %s (--only-awake)", s->away);
	return NULL;
}

/* Not unasked. */
static char *why_unasked(const struct tool *t, const struct tool_hints *h,
			 const struct bridge_rules *rules)
{
	const char *address = tool_address(t);

	if (h->destructive == HINT_YES)
		return mem_strdup(
			"it destroys something, or somebody has to go to the board afterwards; --allow shows it");
	if (t->user_only && !rules->user_tools)
		return mem_strdup(
			"it is for users only; --user-tools or --allow shows it");
	if (address && h->read_only != HINT_YES)
		return mem_printf(
			"it takes an address ('%.*s') and may do more than read; --allow shows it",
			text_shown(address, NAME_SHOWN), address);
	return NULL;
}

char *hidden_why(const struct bridge_source *s, const struct tool *t,
		 const struct bridge_rules *rules)
{
	char *why = why_never(s, t, rules);
	struct tool_hints h;

	if (why)
		return why;
	tool_hints_find(&h, t);
	if (rules->read_only && h.read_only != HINT_YES)
		return mem_strdup(
			"it is not known to do nothing but read (--read-only)");
	if (matching(rules->allow, t->name))
		return NULL;
	return why_unasked(t, &h, rules);
}
