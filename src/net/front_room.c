/* SPDX-License-Identifier: MIT */
/*
 * Who gets a place when there are not enough: what waits, who makes room, who
 * is refused.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "net/front_private.h"
#include "net/port.h"

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

/* ---- connections of HTTP ---- */

void http_guest_add(struct front *f, struct MHD_Connection *c, void **context)
{
	const struct sockaddr_storage peer = connection_peer(c);
	struct http_guest *g = mem_zalloc(sizeof(*g));

	g->front = f;
	g->connection = c;
	g->since = loop_now();
	g->previous = f->guests_last;
	if (g->previous)
		g->previous->next = g;
	else
		f->guests = g;
	f->guests_last = g;
	*context = g;
	front_share_begin(f, &g->share, (const struct sockaddr *)&peer);
}

void http_guest_remove(struct front *f, void **context)
{
	struct http_guest *g = TAKE(*context);

	if (!g)
		return;
	if (g->previous)
		g->previous->next = g->next;
	else
		f->guests = g->next;
	if (g->next)
		g->next->previous = g->previous;
	else
		f->guests_last = g->previous;
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
	if (!g->next)
		return;
	g->next->previous = g->previous;
	if (g->previous)
		g->previous->next = g->next;
	else
		f->guests = g->next;
	g->previous = f->guests_last;
	g->next = NULL;
	f->guests_last->next = g;
	f->guests_last = g;
}

static void end(struct front *f, struct http_guest *g)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		g->connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	g->ending = true;
	front_lacks(f, LACK_PLACES, NULL);
	/* The place is free when the library has seen that. */
	if (info)
		shutdown(info->connect_fd, SHUT_RDWR);
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
static void end_silent(struct front *f, size_t wanted)
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

	end_silent(f, f->queued);
	if (f->queued > 0 && !f->closing)
		timer_start(&f->press, PRESS_MS);
}

/*
 * A request waits for a place of HTTP: those that are silent go; for one that
 * is known, a stranger goes at once.
 */
static void front_press(struct front *f, bool known)
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

static void on_timer_closed(void *owner)
{
	front_handle_closed(owner);
}

void front_press_close(struct front *f)
{
	timer_close(&f->press, on_timer_closed);
}

/* ---- heads ---- */

static struct visitor *longest_waiting(const struct front *f)
{
	struct visitor *oldest = NULL;

	for (struct visitor *v = f->visitors_last; v; v = v->previous) {
		if (v->lingering)
			return v;
		if (!oldest && !v->queued && !v->called)
			oldest = v;
	}
	return oldest;
}

bool front_make_room(struct front *f)
{
	struct visitor *v = longest_waiting(f);

	/* Its place is free later, when the library has seen it. */
	if (!v) {
		end_silent(f, 1);
		return false;
	}
	if (!v->lingering) {
		/* Perhaps all of it came, and only its turn did not. */
		if (visitor_look(v))
			return true;
		front_lacks(f, LACK_PLACES, v->address);
		visitor_unwatch(v);
		front_refuse_socket(f, v->fd, "busy: others wait");
		v->fd = -1;
	}
	visitor_close(v);
	return true;
}

/*
 * HTTP requests that the daemon has no place for: it would drop them. They
 * wait outside, their heads unread, for the end of another connection; who is
 * known before strangers.
 */

static bool is_full(const struct front *f)
{
	return f->http_connections + f->called >= f->config.connections_max;
}

static bool is_known(const struct visitor *v)
{
	return v->standing != FRONT_STRANGER;
}

/* Behind all; one that is known, behind those only. */
static void put_in(struct visitor *v)
{
	struct front *f = v->front;
	struct visitor **link = &f->queue_first;

	if (!is_known(v) && f->queue_last)
		link = &f->queue_last->next_queued;
	while (*link && is_known(*link))
		link = &(*link)->next_queued;
	v->next_queued = *link;
	*link = v;
	if (!v->next_queued)
		f->queue_last = v;
	v->queued = true;
	f->queued++;
}

bool visitor_may_enter(struct visitor *v)
{
	struct front *f = v->front;

	if (v->called || !is_full(f))
		return true;
	put_in(v);
	visitor_unwatch(v);
	front_press(f, is_known(v));
	return false;
}

static void take_out(struct visitor *v)
{
	struct front *f = v->front;
	struct visitor *before = NULL;

	/* Nearly always the first. */
	for (struct visitor *at = f->queue_first; at != v; at = at->next_queued)
		before = at;
	if (before)
		before->next_queued = v->next_queued;
	else
		f->queue_first = v->next_queued;
	if (f->queue_last == v)
		f->queue_last = before;
	v->next_queued = NULL;
	v->queued = false;
	f->queued--;
}

void visitor_unqueue(struct visitor *v)
{
	if (v->queued)
		take_out(v);
	if (v->called)
		v->front->called--;
	v->called = false;
}

/*
 * Amid an event of the daemon: so the head is looked at in another turn of
 * the loop. Until then the place is kept, or who came later would take it.
 */
void front_dequeue(struct front *f)
{
	struct visitor *v;

	while ((v = f->queue_first) && !is_full(f)) {
		take_out(v);
		v->called = true;
		f->called++;
		if (!visitor_await(v))
			visitor_close(v);
	}
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

void front_lacks_close(struct front *f)
{
	timer_close(&f->lacks.timer, on_timer_closed);
}
