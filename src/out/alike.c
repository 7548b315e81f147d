/* SPDX-License-Identifier: MIT */
/*
 * Finding names that look alike, in a time that grows with their number only.
 */
#include "out/alike.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "mcp/name_set.h"
#include "out/wrap.h"

#include <string.h>

struct alike {
	struct renderer *renderer;
	struct name_set seen; /* skeletons, and where they stand in name */
	struct buf skeleton;
	struct {
		const char *text;
		bool shown;
	} * name;
	size_t count, told, more;
};

static void add_spelled(struct buf *out, const char *name)
{
	buf_char(out, '\'');
	text_safe(out, name, strlen(name), TEXT_SPELLED);
	buf_char(out, '\'');
}

void alike_words(struct buf *out, const char *one, const char *other)
{
	add_spelled(out, one);
	buf_text(out, " looks like ");
	add_spelled(out, other);
}

static void tell(struct alike *a, const char *name, const char *before)
{
	CLEANUP(buf_done) struct buf words = { 0 };

	if (a->told == ALIKE_TOLD_MAX) {
		a->more++;
		return;
	}
	a->told++;
	alike_words(&words, name, before);
	render_note(a->renderer, "%s", buf_string(&words));
}

static void add(struct alike *a, const char *name, bool shown)
{
	size_t found;

	buf_reset(&a->skeleton);
	text_skeleton(&a->skeleton, name, strlen(name));
	found = name_set_add(&a->seen, buf_string(&a->skeleton), a->count);
	if (found == NAME_NONE) {
		a->name[a->count].text = name;
		a->name[a->count++].shown = shown;
	} else if ((shown || a->name[found].shown) &&
		   strcmp(name, a->name[found].text) != 0) {
		tell(a, name, a->name[found].text);
	}
}

static void tell_more(const struct alike *a)
{
	CLEANUP(buf_done) struct buf count = { 0 };

	wrap_count(&count, a->more, "more name");
	render_note(a->renderer, "%s look%s like another", buf_string(&count),
		    a->more == 1 ? "s" : "");
}

void alike_tell(struct renderer *r, const void *list, size_t count,
		alike_name *name)
{
	struct alike a = { .renderer = r };

	if (r->quiet || count == 0)
		return;
	a.name = mem_alloc(count * sizeof(*a.name));
	for (size_t i = 0; i < count; i++) {
		bool shown = true;
		const char *text = name(list, i, &shown);

		add(&a, text, shown);
	}
	if (a.more)
		tell_more(&a);
	name_set_done(&a.seen);
	buf_done(&a.skeleton);
	mem_free(a.name);
}
