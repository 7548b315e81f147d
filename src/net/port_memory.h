/* SPDX-License-Identifier: MIT */
/*
 * What was heard from boards that asked OTA, and what they were told; bounded.
 *
 * A question tells of who asked it, not of the board that it names: anybody may
 * send any Device-Id and any Host. So nothing of it leads a board anywhere, and
 * board and version are taken for one that comes from the same address.
 */
#ifndef NET_PORT_MEMORY_H
#define NET_PORT_MEMORY_H

#include "base/map.h"
#include "net/address.h"
#include "wire/ota.h"

#define MEMORY_MAX 1024

struct told {
	struct ota_request asked;
	char from[ADDRESS_TEXT_MAX]; /* the asker's address, without the port */
	char *given; /* the MQTT client id that it was given; NULL */
	char *sent_to; /* in the answer; NULL */
	uint64_t since, at; /* it asked first, and last: the larger the newer */
};
/* What a board that is connected was told last. */
struct sent {
	char *id, *url;
	uint64_t at;
};
struct memory {
	struct told *item[MEMORY_MAX];
	struct sent *sent[MEMORY_MAX];
	size_t count, sent_count;
	struct map by_id, by_given, sent_by_id; /* ids in lower case */
	uint64_t clock;
};
void memory_done(struct memory *m);
/* What the answer to a question tells: a client id for MQTT, or NULL; where to dial. */
struct told_it {
	const char *given, *sent_to;
};
/*
 * It asked (again) from that address. What the last answer to it was, if that
 * was another one; yours. NULL: the same, or none.
 */
char *memory_tell(struct memory *m, const struct ota_request *asked,
		  const char *from, const struct told_it *it);
/* from NULL: an address is not known; then the first that asked. */
const struct told *memory_find(const struct memory *m, const char *device_id,
			       const char *from);
const struct told *memory_find_given(const struct memory *m,
				     const char *client_id, const char *from);
/* By the client id that it was given (NULL: over WebSocket), else by its own id. */
const struct told *memory_find_board(const struct memory *m, const char *given,
				     const char *device_id, const char *from);
/* The device with this id is told that address for pictures. As memory_tell. */
char *memory_sent(struct memory *m, const char *id, const char *url);
/* Two addresses of one host, whatever their ports are. NULL is nobody's. */
bool memory_same_peer(const char *a, const char *b);

#endif
