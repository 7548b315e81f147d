/* SPDX-License-Identifier: MIT */
/*
 * Who has a place at a port, what is told of those that it does not serve, and
 * what strangers hold at it: the ground of the other files.
 */
#include "net/front_room.h"

#include <inttypes.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "base/chain.h"
#include "base/map.h"
#include "base/mem.h"
#include "net/front_private.h"
#include "net/port.h"

/* ---- the connections of HTTP, and which of them make room ---- */

/*
 * Who makes room when there is none: not who comes, but the one that has kept
 * us waiting longest. So those that hold a place and say nothing cannot keep
 * out a board, which says all it has to at once.
 */

/*
 * How long a connection of HTTP may be silent while others wait for its place;
 * a lost packet is sent again within that.
 */
#define SILENCE_MS 400
#define PRESS_MS 20
#define STUCK_MS 1000 /* without a byte, while the library has no rest */

struct sockaddr_storage connection_peer(struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	const struct sockaddr *sa = info ? info->client_addr : NULL;
	struct sockaddr_storage out = { 0 };

	if (sa && sa->sa_family == AF_INET)
		memcpy(&out, sa, sizeof(struct sockaddr_in));
	else if (sa && sa->sa_family == AF_INET6)
		memcpy(&out, sa, sizeof(struct sockaddr_in6));
	return out;
}

void http_guest_add(struct front *f, struct MHD_Connection *c, void **context)
{
	const struct sockaddr_storage peer = connection_peer(c);
	struct http_guest *g = mem_zalloc(sizeof(*g));

	g->front = f;
	g->connection = c;
	g->since = loop_now();
	CHAIN_APPEND(f->guests, f->guests_last, g);
	*context = g;
	front_share_begin(f, &g->share, (const struct sockaddr *)&peer);
}

void http_guest_remove(struct front *f, void **context)
{
	struct http_guest *g = TAKE(*context);

	if (!g)
		return;
	CHAIN_LEAVE(f->guests, f->guests_last, g);
	share_close(&g->share);
	mem_free(g);
}

struct http_guest *http_guest_of(struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

void http_guest_moved(struct http_guest *g, bool answering)
{
	struct front *f;

	if (!g)
		return;
	f = g->front;
	g->since = loop_now();
	g->answering = answering;
	CHAIN_LEAVE(f->guests, f->guests_last, g);
	g->next = NULL;
	CHAIN_APPEND(f->guests, f->guests_last, g);
}

static void hang_up(struct http_guest *g)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		g->connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	g->ending = true;
	/* The place is free when the library has seen that. */
	if (info)
		shutdown(info->connect_fd, SHUT_RDWR);
}

static void end(struct front *f, struct http_guest *g)
{
	front_lacks(f, LACK_PLACES, NULL);
	hang_up(g);
}

static void end_stuck(struct front *f, int64_t before)
{
	for (struct http_guest *g = f->guests; g; g = g->next) {
		if (!g->answering && !g->ending && g->chunked &&
		    g->since <= before)
			hang_up(g);
	}
}

void front_rests(struct front *f, bool rests)
{
	const int64_t now = loop_now();

	if (rests || !f->restless)
		f->restless = rests ? 0 : now;
	else if (now - f->restless >= STUCK_MS)
		end_stuck(f, now - STUCK_MS);
}

/* A stranger's, which has not asked all yet, whenever it said something last. */
static void end_stranger(struct front *f)
{
	struct http_guest *g = f->guests;

	while (g && (g->answering || g->ending || g->known))
		g = g->next;
	if (g)
		end(f, g);
}

/*
 * It ended amid its request. The library is told of the end together with what
 * came right before it, reads that, and does not look again.
 */
static bool is_cut(const struct http_guest *g)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		g->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	char byte;

	return info &&
	       recv(info->connect_fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

/* So many of those that were silent, or have ended. */
void front_end_silent(struct front *f, size_t wanted)
{
	int64_t before = loop_now() - SILENCE_MS;

	for (struct http_guest *g = f->guests; g && wanted > 0; g = g->next) {
		if (g->answering || g->ending ||
		    (g->since > before && !is_cut(g)))
			continue;
		end(f, g);
		wanted--;
	}
}

bool front_end_other(struct front *f, const struct share *than)
{
	int64_t before = loop_now() - SILENCE_MS;
	struct http_guest *g = f->guests;

	while (g && g->since <= before &&
	       (g->answering || g->ending || !share_same(&g->share, than)))
		g = g->next;
	if (!g || g->since > before)
		return false;
	end(f, g);
	return true;
}

/* As many as wait; and those that may not go yet are looked at again. */
static void press(void *owner)
{
	struct front *f = owner;

	front_end_silent(f, f->queued);
	if (f->queued > 0 && !f->closing)
		timer_start(&f->press, PRESS_MS);
}

/*
 * A request waits for a place of HTTP: those that are silent go; for one that
 * is known, a stranger goes at once.
 */
void front_press(struct front *f, bool known)
{
	if (known)
		end_stranger(f);
	if (!uv_is_active((uv_handle_t *)&f->press.uv))
		timer_start(&f->press, PRESS_MS);
}

void front_press_open(struct front *f)
{
	timer_open(&f->press, f->loop, press, f);
	f->handles++;
}

void front_press_close(struct front *f)
{
	timer_close(&f->press, front_handle_closed);
}

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

static void tell_more(struct front *f, uint64_t count, char *text)
{
	const struct front_refusal more = { .text = text, .count = count };

	if (f->events.refused && !f->closing)
		f->events.refused(f->owner, &more);
	mem_free(text);
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

/* What was counted is told: the minute is over, or the port closes. */
static void tell_counted(void *owner)
{
	struct front *f = owner;
	struct front_told *l = &f->told;

	for (unsigned i = 0; i < COUNT(l->noise); i++) {
		if (l->noise[i].more)
			tell_noise(f, (enum front_noise)i, l->noise[i].more);
	}
	if (l->pages.more)
		tell_pages(f, l->pages.more);
	memset(l->noise, 0, sizeof(l->noise));
	l->pages = (struct counted){ 0 };
}

static bool tells(struct front *f, struct counted *c, unsigned most)
{
	if (!uv_is_active((uv_handle_t *)&f->told.timer.uv))
		timer_start(&f->told.timer, f->config.refused_again);
	if (c->told < most) {
		c->told++;
		return true;
	}
	c->more++;
	return false;
}

void front_lacks(struct front *f, enum lack what, const char *address)
{
	if (!f->closing)
		lacks_tell(&f->lacks, what, address);
}

static bool front_tells(struct front *f, enum front_noise what)
{
	return tells(f, &f->told.noise[what], NOISE_TOLD);
}

void front_tell_open(struct front *f)
{
	timer_open(&f->told.timer, f->loop, tell_counted, f);
	f->lacks.again_ms = f->config.refused_again;
	f->lacks.refused = f->events.refused;
	f->lacks.owner = f->owner;
	lacks_open(&f->lacks, f->loop);
	f->handles += 2;
}

void front_tell_end(struct front *f)
{
	tell_counted(f);
	lacks_end(&f->lacks);
}

void front_tell_close(struct front *f)
{
	timer_close(&f->told.timer, front_handle_closed);
	lacks_close(&f->lacks, front_handle_closed, f);
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

static bool is_told(const struct front_told *l, uint64_t hash)
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
	struct front_told *l = &f->told;
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
