/* SPDX-License-Identifier: MIT */
/*
 * Whom a listening port answers, as far as web pages go. A browser sends what
 * any page tells it to, also to this machine and its network. Two headers that
 * no page can choose tell of it:
 *  - Origin: the page's own address. Own is what was loaded from this very
 *    port: http or https, and the same place as the request's Host. Others are
 *    foreign, "null" too, unless the user named them (--allow-origin).
 *  - Host: the name by which the browser came here. A page can let a name of
 *    its own lead here (DNS rebinding), and is own then; so names are judged.
 *    It needs a name for that: IP addresses always pass.
 * Pure functions over the fields of a request, the same for all ports.
 */
#ifndef NET_ADMIT_H
#define NET_ADMIT_H

#include "net/endpoint.h"
#include "net/forwarded.h"

struct admit_options { /* lent */
	const struct words *hosts; /* --allow-host; NULL */
	const struct words *origins; /* --allow-origin; NULL */
	const struct words
		*proxies; /* --trusted-proxy (net/forwarded.h); NULL */
	const char *advertise; /* --advertise HOST, HOST:PORT or URL; NULL */
};

struct admit {
	struct words hosts; /* names that lead here, beside localhost */
	struct words origins; /* as browsers write them */
	struct forwarded proxies;
};

/*
 * The host of --advertise; yours. NULL: there is none, or it is wrong (whoever
 * opens the port says so).
 */
char *admit_advertised(const char *text);

/*
 * machine: the name of this machine; listen: where the port is open; NULL or
 * "": none. -1 (ERR_USAGE): a host, an origin or a proxy that is none.
 */
int admit_open(struct admit *a, const struct admit_options *o,
	       const char *machine, const char *listen, struct error *err);
void admit_done(struct admit *a);

enum admit_verdict {
	ADMIT_YES,
	ADMIT_HOST, /* Host is no name of ours: 421 */
	ADMIT_ORIGIN /* a foreign page: 403 */
};
/*
 * upgrade: a WebSocket is asked for. There a Device-Id among the headers is
 * proof that no page asks, since pages cannot set headers of a WebSocket: its
 * Origin does not count. So is the User-Agent of the Arduino library for
 * WebSockets, which by itself says it came from a file. A request without Host, which is HTTP/1.0 and comes
 * from no browser, has no name to be judged.
 */
enum admit_verdict admit_judge(const struct admit *a, const struct headers *h,
			       bool upgrade);

/* The Origin of an allowed page, which gets CORS answers; lent. NULL: none. */
const char *admit_guest(const struct admit *a, const struct headers *h);

/*
 * What would let it in: "--allow-host NAME", "--allow-origin ORIGIN", appended.
 * False: nothing would, or it is not fit to be typed.
 */
bool admit_remedy(struct buf *out, enum admit_verdict why,
		  const struct headers *h);

#endif
