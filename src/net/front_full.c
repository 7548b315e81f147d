/* SPDX-License-Identifier: MIT */
/*
 * Connections that are not served, since what they need is used up, and those
 * that are no request. Of each kind some are told in a minute; how many more
 * there were is told behind that, so that no stranger can fill a log.
 */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "net/front_private.h"
#include "net/knock.h"

#define NOISE_TOLD 10
#define PROXY_HINT                                                        \
	"if many come through a reverse proxy of yours: --trusted-proxy " \
	"ADDRESS"

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
	[LACK_CONNECTIONS] = { "refused: its address has more connections than "
			       "one gets",
			       PROXY_HINT,
			       "their addresses had more than one gets" },
	[LACK_BYTES] = { "refused: what it sent does not fit into the memory "
			 "that is for strangers",
			 PROXY_HINT,
			 "the memory that is for strangers was full" },
	[LACK_QUESTIONS] = { "refused for up to a minute: its address asks "
			     "more often than one may",
			     PROXY_HINT,
			     "their addresses asked more often than one may" },
};

static void tell_more(struct front *f, uint64_t count, char *text)
{
	const struct front_refusal more = { .text = text, .count = count };

	if (f->events.refused && !f->closing)
		f->events.refused(f->owner, &more);
	mem_free(text);
}

static void tell_lack(struct front *f, enum front_lack what, uint64_t count)
{
	tell_more(f, count,
		  mem_printf("%" PRIu64 " more connection%s refused since: %s",
			     count, count == 1 ? " was" : "s were",
			     words[what].more));
}

static void tell_noise(struct front *f, enum front_noise what, uint64_t count)
{
	const char *text = knock_noise(what);

	if (text)
		tell_more(f, count,
			  mem_printf("%" PRIu64 " more within a minute: %s",
				     count, text));
}

static void on_timer(void *owner)
{
	struct front *f = owner;
	struct lacks *l = &f->lacks;

	for (unsigned i = 0; i < COUNT(l->of); i++) {
		if (l->of[i].more)
			tell_lack(f, (enum front_lack)i, l->of[i].more);
	}
	for (unsigned i = 0; i < COUNT(l->noise); i++) {
		if (l->noise[i].more)
			tell_noise(f, (enum front_noise)i, l->noise[i].more);
	}
	memset(l->of, 0, sizeof(l->of));
	memset(l->noise, 0, sizeof(l->noise));
}

static bool tells(struct front *f, struct counted *c, unsigned most)
{
	if (!uv_is_active((uv_handle_t *)&f->lacks.timer.uv))
		timer_start(&f->lacks.timer, f->config.refused_again);
	if (c->told < most) {
		c->told++;
		return true;
	}
	c->more++;
	return false;
}

void front_lacks(struct front *f, enum front_lack what, const char *address)
{
	const struct front_refusal refusal = { .address = address,
					       .text = words[what].text,
					       .hint = words[what].hint,
					       .count = 1 };

	if (!f->closing && tells(f, &f->lacks.of[what], 1) && f->events.refused)
		f->events.refused(f->owner, &refusal);
}

bool front_tells(struct front *f, enum front_noise what)
{
	return tells(f, &f->lacks.noise[what], NOISE_TOLD);
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
