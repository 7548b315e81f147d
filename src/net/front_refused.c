/* SPDX-License-Identifier: MIT */
/*
 * Requests that are answered for nobody: pages of others, names that are not
 * ours. Each is told once a minute, and no more than a few of them; how many
 * more there were is told behind that, so that no page can fill a log.
 */
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"
#include "net/front_private.h"

static const char *value_of(enum admit_verdict why, const struct headers *h)
{
	const char *value =
		headers_get(h, why == ADMIT_HOST ? "Host" : "Origin");

	return value ? value : "";
}

static bool is_told(const struct refusals *r, uint64_t hash)
{
	for (size_t i = 0; i < r->told; i++) {
		if (r->hash[i] == hash)
			return true;
	}
	return false;
}

static void tell_more(struct front *f)
{
	struct refusals *r = &f->refusals;
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("%" PRIu64 " more request%s of pages, or for "
				"names that are not ours, %s refused since",
				r->more, r->more == 1 ? "" : "s",
				r->more == 1 ? "was" : "were");
	const struct front_refusal more = { .text = text, .count = r->more };

	f->events.refused(f->owner, &more);
}

static void on_timer(void *owner)
{
	struct front *f = owner;
	struct refusals *r = &f->refusals;

	if (r->more && f->events.refused && !f->closing)
		tell_more(f);
	r->more = 0;
	r->told = 0;
}

/* A page that dials may be a device: some of their libraries send an Origin. */
static void add_hint(struct buf *out, enum admit_verdict why,
		     const struct front_head *head, bool upgrade)
{
	CLEANUP(buf_done) struct buf option = { 0 };

	if (admit_remedy(&option, why, head->headers))
		buf_printf(out, "if that is %s: %s",
			   why == ADMIT_HOST ? "a name of this machine" :
					       "a page of yours",
			   buf_string(&option));
	else if (why == ADMIT_ORIGIN)
		buf_text(out, "no option lets a page in whose origin is not "
			      "like https://HOST: serve it from an address");
	if (why == ADMIT_ORIGIN && upgrade)
		buf_text(out, "; if it is a device: let it send its Device-Id "
			      "as a header, which no page can");
}

static void tell(struct front *f, const struct front_head *head,
		 enum admit_verdict why, bool upgrade)
{
	const char *value = value_of(why, head->headers);
	CLEANUP(buf_done) struct buf hint = { 0 };
	CLEANUP(mem_free_ptr)
	char *text = mem_printf(why == ADMIT_HOST ?
					"refused: it asked for the host "
					"'%.120s', which is no name of ours" :
					"refused: a page of '%.120s' may not "
					"ask here",
				value);
	struct front_refusal refusal = { .address = head->address,
					 .text = text,
					 .count = 1 };

	add_hint(&hint, why, head, upgrade);
	refusal.hint = hint.len ? buf_string(&hint) : NULL;
	f->events.refused(f->owner, &refusal);
}

const char *front_refuse(struct front *f, const struct front_head *head,
			 bool upgrade, int *status)
{
	enum admit_verdict why = admit_judge(&f->admit, head->headers, upgrade);
	struct refusals *r = &f->refusals;
	const char *value = value_of(why, head->headers);
	uint64_t hash = text_hash(value, strlen(value));

	if (why == ADMIT_YES)
		return NULL;
	if (r->told == 0 && r->more == 0)
		timer_start(&r->timer, f->config.refused_again);
	if (r->told == REFUSALS_TOLD || is_told(r, hash)) {
		r->more++;
	} else if (f->events.refused && !f->closing) {
		r->hash[r->told++] = hash;
		tell(f, head, why, upgrade);
	}
	*status = why == ADMIT_HOST ? 421 : 403;
	return why == ADMIT_HOST ? "this is no name of this server "
				   "(--allow-host)" :
				   "pages of this origin may not ask here "
				   "(--allow-origin)";
}

void front_refusals_open(struct front *f)
{
	timer_open(&f->refusals.timer, f->loop, on_timer, f);
	f->handles++;
}

static void on_timer_closed(void *owner)
{
	front_handle_closed(owner);
}

void front_refusals_close(struct front *f)
{
	timer_close(&f->refusals.timer, on_timer_closed);
}
