/* SPDX-License-Identifier: MIT */
/* Packets of multicast DNS, by the functions of glibc's resolver. */
#include "net/mdns.h"

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <string.h>

#include "base/base.h"

#define CLASS_MASK 0x7fff /* the bit above it: nobody else has that name */

static int ask(struct buf *out, const char *name, enum mdns_type type)
{
	unsigned char packet[NS_HFIXEDSZ + NS_MAXCDNAME + NS_QFIXEDSZ] = { 0 };
	unsigned char *at = packet + NS_HFIXEDSZ;
	int len = ns_name_compress(name, at, NS_MAXCDNAME, NULL, NULL);

	if (len < 0)
		return -1;
	ns_put16(1, packet + 4); /* questions */
	at += len;
	ns_put16((unsigned)type, at);
	ns_put16(ns_c_in, at + 2);
	return buf_add(out, packet, (size_t)(at + NS_QFIXEDSZ - packet));
}

/* ---- what one record holds ---- */

struct packet_reading {
	ns_msg message;
	void (*each)(void *owner, const struct mdns_record *r);
	void *owner;
	char to[NS_MAXDNAME], address[INET6_ADDRSTRLEN];
};

/* A name that begins so many bytes behind the start of the data. */
static int read_name(struct packet_reading *r, const ns_rr *rr, size_t skip)
{
	if (ns_rr_rdlen(*rr) <= skip)
		return -1;
	return ns_name_uncompress(
		       ns_msg_base(r->message), ns_msg_end(r->message),
		       ns_rr_rdata(*rr) + skip, r->to, sizeof(r->to)) < 0 ?
		       -1 :
		       0;
}

static int read_address(struct packet_reading *r, const ns_rr *rr, int family,
			size_t len)
{
	return ns_rr_rdlen(*rr) == len &&
			       inet_ntop(family, ns_rr_rdata(*rr), r->address,
					 sizeof(r->address)) ?
		       0 :
		       -1;
}

/* -1: it is broken; 1: of a kind that is not asked for. */
static int read_record(struct packet_reading *r, const ns_rr *rr,
		       struct mdns_record *out)
{
	switch ((int)ns_rr_type(*rr)) {
	case MDNS_PTR:
		out->to = r->to;
		return read_name(r, rr, 0);
	case MDNS_SRV:
		out->to = r->to;
		if (read_name(r, rr, 6))
			return -1;
		out->port = (uint16_t)ns_get16(ns_rr_rdata(*rr) + 4);
		return 0;
	case MDNS_A:
		out->address = r->address;
		return read_address(r, rr, AF_INET, NS_INADDRSZ);
	case MDNS_AAAA:
		out->address = r->address;
		return read_address(r, rr, AF_INET6, NS_IN6ADDRSZ);
	case MDNS_TXT:
		out->text = (const char *)ns_rr_rdata(*rr);
		out->len = ns_rr_rdlen(*rr);
		return 0;
	default:
		return 1;
	}
}

static int read_section(struct packet_reading *r, ns_sect section)
{
	int count = ns_msg_count(r->message, section);

	for (int i = 0; i < count && i < MDNS_RECORDS_MAX; i++) {
		ns_rr rr;
		struct mdns_record record = { .type = MDNS_A };
		int status;

		if (ns_parserr(&r->message, section, i, &rr) != 0)
			return -1;
		if ((ns_rr_class(rr) & CLASS_MASK) != ns_c_in)
			continue;
		status = read_record(r, &rr, &record);
		if (status < 0)
			return -1;
		record.type = (enum mdns_type)ns_rr_type(rr);
		record.name = ns_rr_name(rr);
		if (status == 0 && ns_rr_ttl(rr) > 0)
			r->each(r->owner, &record);
	}
	return 0;
}

static int read_packet(const void *packet, size_t len,
		       void (*each)(void *owner, const struct mdns_record *r),
		       void *owner)
{
	struct packet_reading r = { .each = each, .owner = owner };

	if (len > MDNS_PACKET_MAX ||
	    ns_initparse(packet, (int)len, &r.message) != 0 ||
	    !ns_msg_getflag(r.message, ns_f_qr))
		return -1;
	if (read_section(&r, ns_s_an))
		return -1;
	return read_section(&r, ns_s_ar);
}

/* ---- names ---- */

static void label(struct buf *out, const char *name)
{
	unsigned char wire[NS_MAXCDNAME];

	/* The first byte is its length, the label stands behind it. */
	if (ns_name_pton(name, wire, sizeof(wire)) >= 0)
		buf_add(out, wire + 1, wire[0] & 0x3f);
}

const struct mdns_table mdns_table = { .size = sizeof(mdns_table),
				       .ask = ask,
				       .read = read_packet,
				       .label = label };
