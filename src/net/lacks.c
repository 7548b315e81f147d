/* SPDX-License-Identifier: MIT */
/* The words of refusals, and how often; the contract is in the header. */
#include "net/lacks.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"

#define PROXY_HINT                                                        \
	"if many come through a reverse proxy of yours: --trusted-proxy " \
	"ADDRESS"

static const struct {
	const char *text, *hint;
	const char *more; /* "N more connections were refused since: …" */
} words[] = {
	[LACK_FILES] = { "refused: no open file is left for its connection",
			 "the others go on; raise the limit of open files (ulimit -n)",
			 "no open file was left" },
	[LACK_MEMORY] = { "refused: no memory is left for its connection",
			  "the others go on", "no memory was left" },
	[LACK_PLACES] = { "closed: it said nothing for a while, or half of what it wants, and others wait for its place",
			  NULL, "others waited for their place" },
	[LACK_TIME] = { "closed: it did not say in time all of what it wants",
			NULL, "they did not say in time what they want" },
	[LACK_ALL] = { "refused: as many connections are open as there may be",
		       "the others go on; open files (ulimit -n) may allow more",
		       "all places were taken" },
	[LACK_CONNECTIONS] = { "refused: its address has more connections than one gets",
			       PROXY_HINT,
			       "their addresses had more than one gets" },
	[LACK_BYTES] = { "refused: what it sent does not fit into the memory that is for strangers",
			 PROXY_HINT,
			 "the memory that is for strangers was full" },
	[LACK_QUESTIONS] = { "refused for up to a minute: its address asks more often than one may",
			     PROXY_HINT,
			     "their addresses asked more often than one may" },
	[LACK_TURN] = { "refused: it waited 10 s to be passed on, as others do whom the upstream does not know yet",
			"whom it has said hello to goes first",
			"they waited 10 s to be passed on" },
};

static void tell_more(struct lacks *l, enum lack what, uint64_t count)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf(
		"%" PRIu64 " more connection%s refused since: %s", count,
		count == 1 ? " was" : "s were", words[what].more);
	const struct front_refusal more = { .text = text, .count = count };

	l->refused(l->owner, &more);
}

void lacks_end(struct lacks *l)
{
	for (unsigned i = 0; i < COUNT(l->of); i++) {
		if (l->of[i].more && l->refused)
			tell_more(l, (enum lack)i, l->of[i].more);
	}
	memset(l->of, 0, sizeof(l->of));
}

/* The minute is over. */
static void on_timer(void *owner)
{
	lacks_end(owner);
}

bool lack_of_files(int error)
{
	return error == EMFILE || error == ENFILE;
}

void lacks_open(struct lacks *l, struct loop *loop)
{
	timer_open(&l->timer, loop, on_timer, l);
}

void lacks_tell(struct lacks *l, enum lack what, const char *address)
{
	const struct front_refusal refusal = { .address = address,
					       .text = words[what].text,
					       .hint = words[what].hint,
					       .count = 1 };

	if (!l->refused)
		return;
	if (!uv_is_active((uv_handle_t *)&l->timer.uv))
		timer_start(&l->timer, l->again_ms);
	if (l->of[what].told++)
		l->of[what].more++;
	else
		l->refused(l->owner, &refusal);
}

static void on_closed(void *owner)
{
	struct lacks *l = owner;

	l->closed(l->closed_owner);
}

void lacks_close(struct lacks *l, void (*closed)(void *owner), void *owner)
{
	lacks_end(l);
	l->refused = NULL;
	l->closed = closed;
	l->closed_owner = owner;
	timer_close(&l->timer, on_closed);
}
