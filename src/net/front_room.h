/* SPDX-License-Identifier: MIT */
/*
 * The connections of HTTP, and which of them make room for others; what is told
 * of who is not served; what strangers hold.
 */
#ifndef NET_FRONT_ROOM_H
#define NET_FRONT_ROOM_H

#include "net/front_private.h"

/* One handle less, perhaps the last. */
void front_handle_closed(void *front);
/*
 * Each watch is a handle of its own: it must be closed, not only stopped, before
 * another library puts the descriptor into the same loop. NULL: it failed.
 */
uv_poll_t *front_watch(struct front *f, int fd, int events, uv_poll_cb fn,
		       void *data);
void front_unwatch(uv_poll_t **poll); /* *poll may be NULL, and is afterwards */
void front_noise(struct front *f, enum front_noise what, const char *address);

/* Somebody is refused, since that is used up. */
void front_lacks(struct front *f, enum lack what, const char *address);
void front_tell_open(struct front *f);
void front_tell_end(struct front *f); /* what is counted is told now */
void front_tell_close(struct front *f);
/*
 * NULL, or why such a request is not answered, with the status of HTTP; it was
 * told then.
 */
const char *front_refuse(struct front *f, const struct front_head *head,
			 bool upgrade, int *status);

/*
 * What strangers hold. A connection came: one of a proxy is nobody's before the
 * head of a request is there.
 */
void front_share_begin(struct front *f, struct share *s,
		       const struct sockaddr *peer);
/* The head is there: whose is it? address becomes that of whom a proxy asks for. */
void front_share_whose(struct front *f, struct share *s,
		       const struct sockaddr_storage *peer,
		       const struct headers *h, char *address);
enum front_standing front_standing(const struct front *f,
				   const struct front_head *head);

/* The connections of HTTP */
void http_guest_add(struct front *f, struct MHD_Connection *c, void **context);
void http_guest_remove(struct front *f, void **context);
struct http_guest *http_guest_of(struct MHD_Connection *c);
/* It said something, or is to be answered: it goes behind the others. g may be NULL. */
void http_guest_moved(struct http_guest *g, bool answering);
/* The address of the connection's other end; of no family if it is not known. */
struct sockaddr_storage connection_peer(struct MHD_Connection *c);
/*
 * An address has more connections than one gets, and another one comes: one of
 * HTTP that was silent for long goes. False: there is none.
 */
bool front_end_other(struct front *f, const struct share *than);
/*
 * Does the library wait for a socket, or want to run again at once? Where it never
 * rests, those go whose chunk begins with more than there is room for: of them it
 * (to 0.9.75) reads nothing any more.
 */
void front_rests(struct front *f, bool rests);
/* So many of those that were silent, or have ended, go. */
void front_end_silent(struct front *f, size_t wanted);
/*
 * A request waits for a place of HTTP: those that are silent go; for one that
 * is known, a stranger goes at once.
 */
void front_press(struct front *f, bool known);
void front_press_open(struct front *f);
void front_press_close(struct front *f);

#endif
