/* SPDX-License-Identifier: MIT */
#include "base/asides.h"

#include <inttypes.h>
#include <string.h>

#include "base/loop.h"
#include "base/mem.h"
#include "base/utf8.h"

static struct aside_kind *kind_of(struct asides *a, uintptr_t kind)
{
	size_t i = 0;

	while (i < a->used && a->of[i].kind != kind)
		i++;
	if (i == ASIDES_KINDS)
		return &a->of[ASIDES_KINDS - 1];
	if (i == a->used)
		a->of[a->used++].kind = kind;
	return &a->of[i];
}

bool asides_has_line(struct asides *a, uintptr_t kind, unsigned most)
{
	struct aside_kind *k;

	if (a->ends && !a->counted && loop_now() >= a->ends)
		memset(a, 0, sizeof(*a));
	if (!a->ends)
		a->ends = loop_now() + ASIDES_MINUTE_MS;
	k = kind_of(a, kind);
	if (k->told >= most)
		return false;
	k->told++;
	return true;
}

void asides_count(struct asides *a, uintptr_t kind, const char *whom,
		  const char *text, int level)
{
	struct aside_kind *k = kind_of(a, kind);
	CLEANUP(mem_free_ptr)
	char *line =
		mem_printf("%s%s%s", whom ? whom : "", whom ? ": " : "", text);

	a->counted = true;
	if (!k->more++ || level > k->level)
		k->level = level;
	line[text_cut(line, strlen(line), ASIDES_LAST_MAX)] = '\0';
	memcpy(k->last, line, strlen(line) + 1);
}

void asides_end(struct asides *a,
		void (*rest)(void *owner, const struct aside_kind *k),
		void *owner)
{
	for (size_t i = 0; i < a->used; i++) {
		if (a->of[i].more)
			rest(owner, &a->of[i]);
	}
	memset(a, 0, sizeof(*a));
}

char *asides_text(const struct aside_kind *k)
{
	return mem_printf("and %" PRIu64
			  " more like that since, the last one: %s",
			  k->more, k->last);
}
