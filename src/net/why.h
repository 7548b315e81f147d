/* SPDX-License-Identifier: MIT */
/*
 * Why what was dialled failed: one table of reasons for all transports.
 * A transport fills in what it knows; the first row that fits the facts has
 * the words and the next step. Dials nothing, knows no transport.
 */
#ifndef NET_WHY_H
#define NET_WHY_H

#include "base/error.h"

/* What failed. Also struct error.reason, for those above who judge. */
enum why {
	WHY_NONE,
	WHY_OTHER,
	/* before the connection stands; number: an errno */
	WHY_NO_HOST, /* said: the resolver's words, or none */
	WHY_NO_NAMESERVER,
	WHY_NO_CONNECTION,
	WHY_PROXY, /* said: which, or why; number: an errno, an HTTP status */
	WHY_BAD_CACERT, /* path: the file */
	/* until the handshake is over */
	WHY_TLS, /* said: OpenSSL's words, or none: it ended the handshake */
	WHY_TLS_SILENT,
	WHY_SILENT,
	WHY_CLOSED,
	WHY_FOREIGN, /* what came is of another protocol */
	WHY_UPGRADE, /* said: libwebsockets' words */
	WHY_CONNACK, /* number: MQTT 3.1.1, 3.2.2.3 */
	/* HTTP; number: its status; said: the peer's reason */
	WHY_STATUS,
	WHY_BAD_TOKEN, /* by its challenge (RFC 6750, 3.1) */
	WHY_SCOPE, /* likewise; to: the scope that is missing */
	WHY_REDIRECT, /* to: a URL; so with the next two */
	WHY_REDIRECT_AGAIN,
	WHY_REDIRECT_ODD,
	WHY_REDIRECT_NOWHERE,
	WHY_SESSION_FORGOTTEN,
	WHY_SERVER_GONE,
	/* what a success of HTTP brought is no message; said: what, or why */
	WHY_NO_ANSWER,
	WHY_COMPRESSED,
	WHY_PAGE,
	WHY_TYPE,
	WHY_NO_MESSAGE,
	WHY_CUT, /* the answer, before it was whole */
	/* an event stream */
	WHY_STREAM_OFTEN,
	WHY_NO_ENDPOINT,
	WHY_ENDPOINT_SILENT,
	WHY_ENDPOINT_MISSING, /* path: where it told messages go */
	/* of a connection that stood */
	WHY_SUBSCRIBE, /* path: the topic */
	WHY_NO_PONG,
	WHY_NO_MQTT,
	WHY_WENT,
	WHY_WENT_AFTER, /* right behind what was sent; said: what that was */
	/* not failed, but not ready yet */
	WHY_WAITS_ANSWER,
	WHY_WAITS_END,
	WHY_WAITS_ENDPOINT,
	WHY_WAITS_EVENT,
	WHY_WAITS_BROKER,
	WHY_WAITS_DEVICE, /* said: its client id; path, to: the topics */
	/*
	 * No rows of the table: how a connection that stood was ended, in words
	 * of who saw it. The peer ended TCP in order, or a program its stdout; or said Close, code: its
	 * own, 1005 without one (RFC 6455, 7.1.5).
	 */
	WHY_FIN,
	WHY_CLOSE,
	WHY_TAKEN /* a Close, too: an access point gave the place to another one */
};

/* Of which transport, and what else decides between two rows. */
enum why_with {
	WITH_WS = 1,
	WITH_HTTP = 2,
	WITH_MQTT = 4,
	WITH_PLAIN = 8, /* it was dialled without TLS */
	WITH_USER = 16, /* a user name was given */
	WITH_OLD = 32, /* HTTP+SSE */
	WITH_LARGE = 128, /* what was sent last: above what a gateway takes */
	WITH_BROKEN = 256, /* … and no JSON */
	WITH_TOKEN = 512, /* credentials were sent */
	WITH_ID = 1024, /* MQTT: by a client id that others may have, too */
	WITH_FIVE = 2048, /* MQTT 5 */
	WITH_BOARD = 64 /* a pretend board dialled, by whichever protocol */
};

/* What is not known stays 0; all is lent. */
struct why_facts {
	enum why what;
	unsigned with; /* of enum why_with */
	int number; /* becomes the error's code, if it is not 0 */
	const char *host;
	uint16_t port;
	int64_t waited; /* ms */
	const char *path, *to, *said;
	const char *challenge; /* WWW-Authenticate */
};

/*
 * A row fits if `what` is the same, the facts have all of `with`, the number
 * lies within from and to (to 0: any does), and `said` is NULL or has one of
 * its alternatives ("a|b", without case; an empty one: nothing was said).
 *
 * In text and hint {host} stands for a fact (text_fill of base/text.h). Also:
 * {it}, "the broker " or nothing; {errno}, the number in words.
 */
struct why_row {
	enum why what;
	unsigned with;
	int from, to;
	const char *said;
	enum error_kind kind;
	const char *text;
	const char *hint; /* NULL: there is nothing to advise */
	const char *finding; /* a code of diag/codes.h that is sure; NULL */
};

/*
 * A name led nowhere: what it is, and the resolver's words for `said` (NULL).
 * status: as in struct dial_facts, DIAL_NAME.
 */
enum why why_lookup(int status, const char **said);

/* It was ended by a Close, for whatever reason. */
bool why_is_close(const struct error *why);

/* Set err, with hint, code, finding and reason. Always returns -1. */
int why_set(struct error *err, const struct why_facts *f);

/* The row that fits; the last one, WHY_OTHER, if there is none. */
const struct why_row *why_find(const struct why_facts *f);
/* For tests. */
const struct why_row *why_rows(size_t *count);

/* A file of certificates. -1 (ERR_USAGE): not readable, or none in it. */
int why_check_cacert(const char *path, struct error *err);

#endif
