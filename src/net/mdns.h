/* SPDX-License-Identifier: MIT */
/*
 * Packets of multicast DNS (RFC 6762, in the format of RFC 1035): questions and
 * answers, written and read, by glibc's reader of DNS, which never looks behind
 * the end of a packet. A loaded part: module_table("mdns", MDNS_TABLE, err). Pure:
 * opens nothing.
 */
#ifndef NET_MDNS_H
#define NET_MDNS_H

#include "base/buf.h"

#define MDNS_TABLE "mdns_table"
#define MDNS_GROUP "224.0.0.251"
#define MDNS_PORT 5353
#define MDNS_PACKET_MAX 9000 /* bytes, with all headers (RFC 6762, 17) */
#define MDNS_RECORDS_MAX 200 /* of one packet that are read */
#define MDNS_QUESTIONS_MAX 50 /* likewise */
#define MDNS_SAID_MAX 1400 /* bytes of a packet of ours */

enum mdns_type { /* the numbers of DNS */
		 MDNS_A = 1,
		 MDNS_PTR = 12,
		 MDNS_TXT = 16,
		 MDNS_AAAA = 28,
		 MDNS_SRV = 33
};
#define MDNS_ANY 255u /* of questions alone */

/* One that a packet has; lent. Names as DNS writes them: "\.", "\032". */
struct mdns_record {
	enum mdns_type type;
	const char *name;
	const char *to; /* PTR, SRV: the name there; else NULL */
	const char *address; /* A, AAAA: a number; else NULL */
	uint16_t port; /* SRV */
	uint16_t priority, weight; /* SRV; written as 0 */
	const char *text; /* TXT: its strings, each behind a byte of length */
	size_t len;
	uint32_t ttl; /* seconds */
	bool unique; /* written: nobody else has that name */
};

struct mdns_question {
	const char *name; /* lent */
	unsigned type; /* enum mdns_type, or another one */
	bool unicast; /* the answer may go to the asker alone */
};

/* What a packet has; each is called in the order in which it stands there. */
struct mdns_hearer {
	void (*asked)(void *owner, const struct mdns_question *q);
	/* Of who asks: it knows that already. */
	void (*known)(void *owner, const struct mdns_record *r);
	/* Of who asks: it wants that for itself (a probe; RFC 6762, 8.2). */
	void (*claimed)(void *owner, const struct mdns_record *r);
	/* An answer; those that take back what was said (TTL 0) are left out. */
	void (*said)(void *owner, const struct mdns_record *r);
};

/* A packet to be written. */
struct mdns_saying {
	uint16_t id;
	const struct mdns_question *question; /* NULL: none */
	/* Answers; with `claims` what is claimed by the question. */
	const struct mdns_record *record;
	size_t count;
	size_t more; /* so many of them, the last, were not asked for */
	bool claims;
	/* For who asks as other DNS does (RFC 6762, 6.7): to be kept briefly. */
	bool plain;
};

struct mdns_table {
	size_t size; /* of this struct */
	/* A packet with one question, into out. -1: name is none of DNS. */
	int (*ask)(struct buf *out, const char *name, enum mdns_type type);
	/*
	 * Each answer and additional record of these kinds. Those that take
	 * back what was said (TTL 0) are left out. -1: it is no answer, or
	 * broken; what stood before the fault was told.
	 */
	int (*read)(const void *packet, size_t len,
		    void (*each)(void *owner, const struct mdns_record *r),
		    void *owner);
	/*
	 * The first label of a name, as it was sent: "My Lamp" of
	 * "My\032Lamp._mcp._tcp.local". Added to out.
	 */
	void (*label)(struct buf *out, const char *name);
	/*
	 * Any packet that came; *id is its. -1: it is broken; what stood before
	 * the fault was told.
	 */
	int (*hear)(const void *packet, size_t len, const struct mdns_hearer *h,
		    void *owner, uint16_t *id);
	/* Added to out. -1: a name is none of DNS, or it is too long. */
	int (*say)(struct buf *out, const struct mdns_saying *s);
	/* The name whose first label is that one ("a.b"), and the rest of it; as `read` tells it, added to out. -1: it is too long. */
	int (*name)(struct buf *out, const char *label, const char *rest);
};

/* Exported by the module. */
extern const struct mdns_table mdns_table;

#endif
