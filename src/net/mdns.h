/* SPDX-License-Identifier: MIT */
/*
 * Packets of multicast DNS (RFC 6762, in the format of RFC 1035): questions
 * written, answers read, by glibc's reader of DNS, which never looks behind the
 * end of a packet. A loaded part: module_table("mdns", MDNS_TABLE, err). Pure:
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

enum mdns_type { /* the numbers of DNS */
		 MDNS_A = 1,
		 MDNS_PTR = 12,
		 MDNS_TXT = 16,
		 MDNS_AAAA = 28,
		 MDNS_SRV = 33
};

/* One that a packet has; lent. Names as DNS writes them: "\.", "\032". */
struct mdns_record {
	enum mdns_type type;
	const char *name;
	const char *to; /* PTR, SRV: the name there; else NULL */
	const char *address; /* A, AAAA: a number; else NULL */
	uint16_t port; /* SRV */
	const char *text; /* TXT: its strings, each behind a byte of length */
	size_t len;
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
};

/* Exported by the module. */
extern const struct mdns_table mdns_table;

#endif
