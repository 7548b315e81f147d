/* SPDX-License-Identifier: MIT */
/*
 * What a port tells of those that it does not serve, and what strangers hold
 * at it: the ground of the other files.
 */
#include <inttypes.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "net/front_private.h"
#include "net/port.h"

void front_handle_closed(void *front)
{
	struct front *f = front;
	void (*closed)(void *owner) = f->closed;
	void *owner = f->owner;

	if (--f->handles > 0)
		return;
	mem_free(f->scratch);
	admit_done(&f->admit);
	if (f->budget != f->config.budget)
		budget_free(f->budget);
	mem_free(f);
	if (closed)
		closed(owner);
}

/* ---- watches ---- */

static void free_poll(uv_handle_t *handle)
{
	mem_free(handle);
}

uv_poll_t *front_watch(struct front *f, int fd, int events, uv_poll_cb fn,
		       void *data)
{
	uv_poll_t *poll = mem_zalloc(sizeof(*poll));

	if (uv_poll_init(loop_uv(f->loop), poll, fd)) {
		mem_free(poll);
		return NULL;
	}
	poll->data = data;
	uv_poll_start(poll, events, fn);
	return poll;
}

void front_unwatch(uv_poll_t **poll)
{
	if (*poll)
		uv_close((uv_handle_t *)TAKE(*poll), free_poll);
}

/*
 * What strangers hold at this port: where a connection begins to count, and
 * who it counts for.
 */

void front_share_begin(struct front *f, struct share *s,
		       const struct sockaddr *peer)
{
	share_close(s);
	if (!forwarded_is_proxy(&f->admit.proxies, peer))
		share_open(s, f->budget, budget_key_address(peer));
}

void front_share_whose(struct front *f, struct share *s,
		       const struct sockaddr_storage *peer,
		       const struct headers *h, char *address)
{
	struct sockaddr_storage from = *peer;
	uint64_t bytes = s->bytes;

	if (forwarded_peer(&f->admit.proxies, h, &from)) {
		address_print((struct sockaddr *)&from, address,
			      ADDRESS_TEXT_MAX);
		share_close(s);
	}
	if (!s->budget)
		share_open(s, f->budget,
			   budget_key_address((struct sockaddr *)&from));
	share_hold(s, bytes);
	share_ask(s);
}

enum front_standing front_standing(const struct front *f,
				   const struct front_head *head)
{
	return f->events.standing && !f->closing ?
		       f->events.standing(f->owner, head) :
		       FRONT_STRANGER;
}

/*
 * Connections that are not served, since what they need is used up, and those
 * that are no request. Of each kind some are told in a minute; how many more
 * there were is told behind that, so that no stranger can fill a log.
 */

#define NOISE_TOLD 10
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
	[LACK_CONNECTIONS] = { "refused: its address has more connections than one gets",
			       PROXY_HINT,
			       "their addresses had more than one gets" },
	[LACK_BYTES] = { "refused: what it sent does not fit into the memory that is for strangers",
			 PROXY_HINT,
			 "the memory that is for strangers was full" },
	[LACK_QUESTIONS] = { "refused for up to a minute: its address asks more often than one may",
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

static void tell_pages(struct front *f, uint64_t count)
{
	tell_more(
		f, count,
		mem_printf(
			"%" PRIu64
			" more request%s of pages, or for names that are not ours, %s refused since",
			count, count == 1 ? "" : "s",
			count == 1 ? "was" : "were"));
}

/* The minute is over. */
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
	if (l->pages.more)
		tell_pages(f, l->pages.more);
	memset(l->of, 0, sizeof(l->of));
	memset(l->noise, 0, sizeof(l->noise));
	l->pages = (struct counted){ 0 };
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

static bool front_tells(struct front *f, enum front_noise what)
{
	return tells(f, &f->lacks.noise[what], NOISE_TOLD);
}

void front_tell_open(struct front *f)
{
	timer_open(&f->lacks.timer, f->loop, on_timer, f);
	f->handles++;
}

void front_tell_close(struct front *f)
{
	timer_close(&f->lacks.timer, front_handle_closed);
}

void front_noise(struct front *f, enum front_noise what, const char *address)
{
	if (!f->closing && f->events.noise)
		f->events.noise(f->owner, what,
				front_tells(f, what) ? address : NULL);
}

/*
 * Requests that are answered for nobody: pages of others, names that are not
 * ours. Each is told once a minute, and no more than a few of them; how many
 * more there were is told behind that, so that no page can fill a log.
 */

static const char *value_of(enum admit_verdict why, const struct headers *h)
{
	const char *value =
		headers_get(h, why == ADMIT_HOST ? "Host" : "Origin");

	return value ? value : "";
}

static bool is_told(const struct lacks *l, uint64_t hash)
{
	for (unsigned i = 0; i < l->pages.told; i++) {
		if (l->page[i] == hash)
			return true;
	}
	return false;
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
		buf_text(
			out,
			"no option lets a page in whose origin is not like https://HOST: serve it from an address");
	if (why == ADMIT_ORIGIN && upgrade)
		buf_text(
			out,
			"; if it is a device: let it send its Device-Id as a header, which no page can");
}

static void tell_refused(struct front *f, const struct front_head *head,
			 enum admit_verdict why, bool upgrade)
{
	const char *value = value_of(why, head->headers);
	CLEANUP(buf_done) struct buf hint = { 0 };
	CLEANUP(mem_free_ptr)
	char *text = mem_printf(
		why == ADMIT_HOST ?
			"refused: it asked for the host '%.120s', which is no name of ours" :
			"refused: a page of '%.120s' may not ask here",
		value);
	struct front_refusal refusal = { .address = head->address,
					 .text = text,
					 .count = 1 };

	add_hint(&hint, why, head, upgrade);
	refusal.hint = hint.len ? buf_string(&hint) : NULL;
	f->events.refused(f->owner, &refusal);
}

/*
 * NULL, or why such a request is not answered, with the
 * status of HTTP; it was told then.
 */
const char *front_refuse(struct front *f, const struct front_head *head,
			 bool upgrade, int *status)
{
	enum admit_verdict why = admit_judge(&f->admit, head->headers, upgrade);
	struct lacks *l = &f->lacks;
	uint64_t hash = map_hash_text(value_of(why, head->headers));

	if (why == ADMIT_YES)
		return NULL;
	if (tells(f, &l->pages, is_told(l, hash) ? 0 : PAGES_TOLD)) {
		l->page[l->pages.told - 1] = hash;
		if (f->events.refused && !f->closing)
			tell_refused(f, head, why, upgrade);
	}
	*status = why == ADMIT_HOST ? 421 : 403;
	return why == ADMIT_HOST ?
		       "this is no name of this server (--allow-host)" :
		       "pages of this origin may not ask here (--allow-origin)";
}
