/* SPDX-License-Identifier: MIT */
/*
 * What a board asks over the network, for subjects that play one: who it is,
 * the way to a server as stages, and one request of HTTP with all of the answer
 * that judges want to know (device.md 5.4, 6).
 */
#ifndef CHECK_EXCHANGE_H
#define CHECK_EXCHANGE_H

#include "check/check.h"
#include "net/address.h"
#include "sim/board_http.h"
#include "sim/profile.h"

/* Whom we play. */
struct board_self {
	struct profile *profile; /* owned */
	const char *device_id, *client_id; /* lent */
	struct tls_trust trust; /* lent */
	int64_t opened_us; /* for traces */
};
/* -1 (ERR_USAGE): an id that cannot stand in a header, certificates that cannot be read. */
int board_self_open(struct board_self *b, const struct checkup *k,
		    struct error *err);
void board_self_done(struct board_self *b);

/* An address that the user typed. -1 (ERR_USAGE): none with http or https. */
int exchange_url(struct board_ws_url *out, const struct board_self *b,
		 const char *text, struct error *err);

/* -v and --trace: what goes over the wire; leg and the like are filled here. */
void exchange_trace(const struct checkup *k, const struct board_self *b,
		    enum diag_leg leg, struct trace *t);

/* How far the way went. */
struct way {
	bool connected, secured;
	char own[ADDRESS_TEXT_MAX], peer[ADDRESS_TEXT_MAX];
	struct tls_facts tls;
};
/* From the loop, before the connection is closed. */
void way_look(struct way *w, const struct tcp *t);
/*
 * Its stages: name, where the host is one, tcp, and tls, if that was wanted.
 * False: it ended in one of them, for the reason why.
 */
bool way_tell(struct checkup *k, const struct way *w, const char *host,
	      bool tls, struct error *why);
/*
 * The same where nobody waits any longer, for the reason why (--timeout,
 * Ctrl-C): the stages that it passed, and the one that it stands in. False: that
 * is one of these. Whether a name was found is not known, and not told.
 */
bool way_tell_cut(struct checkup *k, const struct way *w, bool tls,
		  const struct error *why);

/* Say in why of whom it is, where it does not yet. */
void exchange_name(struct error *why, const struct board_ws_url *u);
/* What failed, as a finding if it is sure which. with: see net/why.h. */
void exchange_failure(struct checkup *k, struct error *why, unsigned with);
/* B209, unless another code told already why no server hello came. */
void exchange_no_hello(struct checkup *k, const char *instead);

/* --timeout, from now; LOOP_FOREVER: a board's own times. */
int64_t exchange_until(const struct checkup *k);

/* Zeroed at first. Texts of the answer are the peer's; NULL: not there. */
struct exchange {
	struct board_http http;
	const struct exchange_order *order; /* while it is made */
	struct way way;
	bool over,
		closed; /* the answer is there, or why not; all is given back */
	bool answered; /* 200, with all of its body */
	enum http_failure failure; /* if not */
	struct error why; /* likewise */
	int64_t begun_us, head_us, over_us;
	int status; /* 0: no answer of HTTP */
	char *location, *content_type, *content_encoding;
	bool has_length, chunked;
	bool closed_at_once; /* nothing says where it ends, and it did */
	int64_t length; /* Content-Length, if has_length */
	struct buf body;
	size_t asked, sent; /* bytes of the request; of those that went */
	char *head; /* of the answer, its lines; NULL: none came */
};

/* Of the answer, if one came; leg as above. */
void exchange_trace_answer(const struct checkup *k, const struct board_self *b,
			   enum diag_leg leg, const struct exchange *x);

struct exchange_order { /* lent until it is over */
	const struct checkup *k;
	const struct board_self *self;
	const struct board_ws_url *u;
	enum diag_leg leg; /* of its traces: the request, once it goes out */
	bool body; /* with its body; else that is told by its size */
};
/*
 * Make it and wait. request is taken. 0: it is over, one way or the other; -1:
 * Ctrl-C, or --timeout is over. Release it by exchange_done in both cases.
 */
int exchange_make(struct exchange *x, const struct exchange_order *o,
		  struct buf *request, struct error *err);
void exchange_done(struct exchange *x);

#endif
