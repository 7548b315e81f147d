/* SPDX-License-Identifier: MIT */
/*
 * An accepted socket whose request head is looked at without being read; it
 * waits for a place, or is answered by hand.
 */
#ifndef NET_FRONT_HEAD_H
#define NET_FRONT_HEAD_H

#include "net/front_private.h"

/* Take an accepted socket. */
void visitor_new(struct front *f, int fd, const struct sockaddr_storage *peer,
		 socklen_t len);
/* Drop it: with its socket, unless that was handed on. */
void visitor_close(struct visitor *v);
/*
 * There is no place for who comes: the one that kept us waiting longest goes, or
 * went on. False: there is none such.
 */
bool front_make_room(struct front *f);
/* Those that wait for a place of HTTP are looked at again, who came first first. */
void front_dequeue(struct front *f);
/* See front_table.judge. */
const char *front_judge(struct front *f, const struct front_head *head,
			int *status);
/* {"error":reason} without waiting for the peer: fd is closed. */
void front_refuse_socket(struct front *f, int fd, const char *reason);

#endif
