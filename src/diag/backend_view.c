/* SPDX-License-Identifier: MIT */
/* Facts are few: they are gone through each time. */
#include "diag/backend_view.h"

#include <string.h>

#include "mcp/tools.h"

size_t keepers_of(struct keepers *out)
{
	size_t count, kinds = 0;
	const struct backend_fact *b = backend_facts(&count);

	for (size_t i = 0; i < count; i++) {
		const size_t most = (size_t)b[i].max_tools;
		size_t k = 0;

		if (most == 0)
			continue;
		while (k < kinds && out[k].most != most)
			k++;
		if (k == KEEPERS_MAX)
			continue;
		if (k == kinds)
			out[kinds++] = (struct keepers){ .most = most };
		subjects_add_backend(&out[k].who, &b[i]);
	}
	return kinds;
}

bool backend_page_known(const struct tool_list *list, size_t page)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->tool[i].user_only && list->tool[i].page < page)
			return false;
	}
	return true;
}

bool backend_visible(const struct tool_list *list, size_t most, size_t *out)
{
	size_t kept = 0, on_page = 0, page = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct tool *t = &list->tool[i];

		if (t->user_only)
			continue;
		if (t->page != page) {
			kept += on_page;
			on_page = 0;
			page = t->page;
		}
		if (kept + ++on_page > most) {
			*out = kept;
			return backend_page_known(list, page);
		}
	}
	*out = kept + on_page;
	return true;
}

void first_pagers(struct subjects *out)
{
	size_t count;
	const struct backend_fact *b = backend_facts(&count);

	for (size_t i = 0; i < count; i++) {
		if (b[i].first_page)
			subjects_add_backend(out, &b[i]);
	}
}

static bool changes(const struct backend_fact *b, enum sanitise_rule rule)
{
	return strcmp(b->names, rule == SANITISE_WIDE ? "wide" : "dots") == 0;
}

void name_changers(struct subjects *out, enum sanitise_rule rule)
{
	size_t count;
	const struct backend_fact *b = backend_facts(&count);

	for (size_t i = 0; i < count; i++) {
		if (changes(&b[i], rule))
			subjects_add_backend(out, &b[i]);
	}
}

bool backend_name(const struct backend_fact *b, const char *name,
		  struct buf *out)
{
	if (changes(b, SANITISE_WIDE))
		tool_sanitise(name, SANITISE_WIDE, out);
	else if (changes(b, SANITISE_DOTS))
		tool_sanitise(name, SANITISE_DOTS, out);
	else if (strcmp(b->names, "keep") == 0)
		buf_text(out, name);
	else
		return false;
	return true;
}
