/* SPDX-License-Identifier: MIT */
/*
 * The connections of HTTP, and which of them make room for others.
 */
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "net/front_private.h"

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
