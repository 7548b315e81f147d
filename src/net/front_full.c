/* SPDX-License-Identifier: MIT */
/*
 * Connections that are not served, since what they need is used up. Each kind
 * is told once a minute; how many more there were is told behind that.
 */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "net/front_private.h"

#define AGAIN_MS 60000

static const struct {
	const char *text, *hint;
	const char *more; /* "N more connections were refused since: …" */
} words[] = {
	[LACK_FILES] = { "refused: no open file is left for its connection",
			 "the others go on; raise the limit of open files "
			 "(ulimit -n)",
			 "no open file was left" },
	[LACK_MEMORY] = { "refused: no memory is left for its connection",
			  "the others go on", "no memory was left" },
	[LACK_PLACES] = { "closed: it said nothing for a while, or half of "
			  "what it wants, and others wait for its place",
			  NULL, "others waited for their place" },
};

static void tell_more(struct front *f, enum front_lack what)
{
	uint64_t count = f->lacks.of[what].more;
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("%" PRIu64 " more connection%s refused since: "
				"%s",
				count, count == 1 ? " was" : "s were",
				words[what].more);
	const struct front_refusal more = { .text = text, .count = count };

	f->events.refused(f->owner, &more);
}

static void on_timer(void *owner)
{
	struct front *f = owner;

	for (int i = 0; i < LACKS; i++) {
		if (f->lacks.of[i].more && f->events.refused && !f->closing)
			tell_more(f, (enum front_lack)i);
	}
	memset(f->lacks.of, 0, sizeof(f->lacks.of));
}

void front_lacks(struct front *f, enum front_lack what, const char *address)
{
	const struct front_refusal refusal = { .address = address,
					       .text = words[what].text,
					       .hint = words[what].hint,
					       .count = 1 };

	if (f->closing)
		return;
	if (!uv_is_active((uv_handle_t *)&f->lacks.timer.uv))
		timer_start(&f->lacks.timer, AGAIN_MS);
	if (f->lacks.of[what].told) {
		f->lacks.of[what].more++;
		return;
	}
	f->lacks.of[what].told = true;
	if (f->events.refused)
		f->events.refused(f->owner, &refusal);
}

void front_lacks_open(struct front *f)
{
	timer_open(&f->lacks.timer, f->loop, on_timer, f);
	f->handles++;
}

static void on_timer_closed(void *owner)
{
	front_handle_closed(owner);
}

void front_lacks_close(struct front *f)
{
	timer_close(&f->lacks.timer, on_timer_closed);
}
