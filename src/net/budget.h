/* SPDX-License-Identifier: MIT */
/*
 * What strangers may hold at the ports of a program, and ask of them: in sum,
 * and each address by itself. One for all ports of serve; listen: and sim have
 * one for theirs.
 *
 * Who is a stranger. Whatever connects, until it is known who it is:
 *  - a request over HTTP is known when its head is there and shows a secret of
 *    ours: the token of its board (--token-file), that of the connection of a
 *    board that is known, or an address for one picture. It counts no more,
 *    until it is answered;
 *  - a request in the name of a board that is listed (devices.json) or enrolled
 *    has no proof for that: it is served before strangers and counts beside
 *    them (BUDGET_NAMED), what it holds counts as theirs;
 *  - a WebSocket is known once it said hello, if its board showed the token, is
 *    listed, or is enrolled. It counts no more, to its end;
 *  - where no token is asked for, boards that are not listed cannot be told from
 *    strangers. One that said hello, and whose initialize has ended in whatever
 *    way, is a device: its connection counts no more, since --devices-max
 *    counts it. What it holds of messages that it has not finished goes on
 *    counting.
 *
 * How much. In sum what stands below. One address gets a few times what is left
 * for all others: of connections 15 times (alone 15/16 of them: a fleet behind
 * one address starts all its boards at once, and is no flood), of the rest 3
 * times (alone three quarters, ten of them 3/31 each). There is always something
 * left for one more. An address of IPv6 is its /64.
 * Pure but for the clock; in memory as large as what is counted.
 */
#ifndef NET_BUDGET_H
#define NET_BUDGET_H

#include <sys/socket.h>

#include "base/base.h"

enum budget_kind {
	/* held at a time; of the first two as many as the port has places */
	BUDGET_HEADS, /* sockets whose request's head is not there yet */
	BUDGET_CONNECTIONS, /* those that asked for something */
	BUDGET_BYTES, /* of heads, bodies, WebSocket messages that are not whole */
	BUDGET_UPSTREAM, /* those that were passed on to another server */
	/* within a minute */
	BUDGET_QUESTIONS, /* requests over HTTP: OTA above all */
	BUDGET_NAMED, /* the same in the name of a board that is known */
	BUDGET_WRITTEN, /* bytes of pictures, each board by itself */
	BUDGET_HEARD, /* bytes of audio that is kept, the same */
	BUDGET_KINDS
};

/* In sum, where the owner says nothing else. */
#define BUDGET_BYTES_SUM (UINT64_C(128) << 20)
#define BUDGET_QUESTIONS_SUM 24000
#define BUDGET_NAMED_SUM 24000
#define BUDGET_MINUTE_MS 60000
/* One address, or one board, gets so many times what is left. */
#define BUDGET_TIMES 3
#define BUDGET_TIMES_CONNECTIONS 15 /* of the first two */

struct budget;
struct budget *budget_new(void);
/* Shares that are open stay usable. NULL is fine. */
void budget_free(struct budget *b);
void budget_set(struct budget *b, enum budget_kind kind, uint64_t sum);
/* What is held of it, or was used in this minute, in sum. */
uint64_t budget_used(const struct budget *b, enum budget_kind kind);
/* Who is counted now. */
size_t budget_holders(const struct budget *b);
/* Seconds until the next minute begins: 1 to 60. */
int budget_retry_after(const struct budget *b);

/* Whose: an address (of IPv6 its /64; one of IPv4 inside IPv6 is that of IPv4). */
struct budget_key {
	unsigned char of[16];
};
struct budget_key budget_key_address(const struct sockaddr *sa);
/* Or a name, as of a board; never that of an address. */
struct budget_key budget_key_name(const char *name);

/* So much more within this minute. False: that is too much, nothing is counted. */
bool budget_spend(struct budget *b, struct budget_key key,
		  enum budget_kind kind, uint64_t amount);

/*
 * What one connection holds. Zeroed, or closed, it counts nothing, and nothing
 * is too much for it. The others are moved by share_move, never by assignment.
 */
struct share {
	struct budget *budget;
	struct budget_holder *holder;
	uint64_t bytes;
	enum budget_kind counted; /* as which of the first two, where one is */
	bool connected;
	bool upstream; /* it counts among those, too */
};
/*
 * A connection came, and its head is awaited. It is counted in any case: see
 * share_is_over. s is closed.
 */
void share_open(struct share *s, struct budget *b, struct budget_key key);
/* Its head is there: it counts among BUDGET_CONNECTIONS. */
void share_ask(struct share *s);
/* Its address has more of such connections than it gets. */
bool share_is_over(const struct share *s);
/* Both are counted, and for the same address. */
bool share_same(const struct share *a, const struct share *b);
/* It holds so many bytes now. False: that is too much, it is as before. */
bool share_hold(struct share *s, uint64_t bytes);
/*
 * It is passed on, and counts among BUDGET_UPSTREAM beside. False: its address
 * has as many there as it gets. Again is fine.
 */
bool share_pass_on(struct share *s);
/* The other server knows it, or it is not passed on any more. */
void share_passed(struct share *s);
/* How many of its address are counted there. */
uint64_t share_upstream(const struct share *s);
/* Something of a minute, as budget_spend. */
bool share_spend(struct share *s, enum budget_kind kind, uint64_t amount);
/* The connection is a device's now: only what it holds counts. */
void share_settle(struct share *s);
/* It is known who it is, or it went: all is given back. */
void share_close(struct share *s);
/* to is closed before. */
void share_move(struct share *to, struct share *from);

#endif
