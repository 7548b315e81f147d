/* SPDX-License-Identifier: MIT */
#include "base/few_lines.h"
#include "base/mem.h"

#include <string.h>

static void say_rest(void *owner, const struct aside_kind *k)
{
	struct few_lines *f = owner;
	CLEANUP(mem_free_ptr) char *text = asides_text(k);

	f->line(f->owner, text);
}

void few_lines_end(struct few_lines *f)
{
	asides_end(&f->asides, say_rest, f);
}

/* The minute is over. */
static void on_timer(void *owner)
{
	few_lines_end(owner);
}

void few_lines_open(struct few_lines *f, struct loop *l,
		    void (*line)(void *owner, const char *text), void *owner)
{
	f->line = line;
	f->owner = owner;
	timer_open(&f->timer, l, on_timer, f);
}

bool few_lines_left(struct few_lines *f, uintptr_t kind, const char *text)
{
	CLEANUP(mem_free_ptr) char *first = NULL;

	if (asides_has_line(&f->asides, kind, ASIDES_TOLD))
		return true;
	if (f->timer.open && !f->asides.counted)
		timer_start(&f->timer, f->asides.ends - loop_now());
	first = mem_strndup(text, strcspn(text, "\n"));
	asides_count(&f->asides, kind, NULL, first, 0);
	return false;
}

void few_lines_say(struct few_lines *f, uintptr_t kind, const char *text)
{
	if (few_lines_left(f, kind, text))
		f->line(f->owner, text);
}

void few_lines_tell(struct few_lines *f, const char *format, va_list args)
{
	CLEANUP(mem_free_ptr) char *text = mem_vprintf(format, args);

	few_lines_say(f, (uintptr_t)format, text);
}

static void on_closed(void *owner)
{
	struct few_lines *f = owner;

	f->closed(f->closed_owner);
}

void few_lines_close(struct few_lines *f, void (*closed)(void *owner),
		     void *owner)
{
	few_lines_end(f);
	f->closed = closed;
	f->closed_owner = owner;
	timer_close(&f->timer, on_closed);
}
