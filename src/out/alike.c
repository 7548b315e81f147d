/* SPDX-License-Identifier: MIT */
/*
 * Finding names that look alike, in a time that grows with their number only.
 */
#include "out/alike.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "out/wrap.h"

#include <string.h>

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

void alike_add(struct alike *a, const char *name, bool shown)
{
	const struct alike_name *before;
	size_t found;

	if (a->renderer->quiet)
		return;
	buf_reset(&a->skeleton);
	text_skeleton(&a->skeleton, name, strlen(name));
	found = name_set_add(&a->seen, buf_string(&a->skeleton), a->count);
	if (found == NAME_NONE) {
		a->name = mem_grow(a->name, &a->capacity, a->count,
				   sizeof(*a->name));
		a->name[a->count++] = (struct alike_name){ name, shown };
		return;
	}
	before = &a->name[found];
	if ((shown || before->shown) && strcmp(name, before->name) != 0)
		tell(a, name, before->name);
}

void alike_end(struct alike *a)
{
	CLEANUP(buf_done) struct buf count = { 0 };

	if (!a->more)
		return;
	wrap_count(&count, a->more, "more name");
	render_note(a->renderer, "%s look%s like another", buf_string(&count),
		    a->more == 1 ? "s" : "");
}

void alike_done(struct alike *a)
{
	name_set_done(&a->seen);
	buf_done(&a->skeleton);
	mem_free(a->name);
	*a = (struct alike){ 0 };
}
