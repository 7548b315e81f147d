/* SPDX-License-Identifier: MIT */
/* Packets of multicast DNS, by the functions of glibc's resolver. */
#include "net/mdns.h"

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <string.h>

#include "base/base.h"

#define CLASS_MASK 0x7fff
#define UNIQUE_BIT 0x8000u /* of a record: nobody else has that name */
#define UNICAST_BIT 0x8000u /* of a question: answer me alone */
#define PLAIN_TTL 10u /* seconds, for who may not know of goodbyes */

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
		out->priority = (uint16_t)ns_get16(ns_rr_rdata(*rr));
		out->weight = (uint16_t)ns_get16(ns_rr_rdata(*rr) + 2);
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
		record.ttl = ns_rr_ttl(rr);
		record.unique = (ns_rr_class(rr) & UNIQUE_BIT) != 0;
		if (status == 0 && record.ttl > 0 && r->each)
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

static int read_questions(struct packet_reading *r, const struct mdns_hearer *h)
{
	int count = ns_msg_count(r->message, ns_s_qd);

	for (int i = 0; i < count && i < MDNS_QUESTIONS_MAX; i++) {
		struct mdns_question q = { 0 };
		ns_rr rr;

		if (ns_parserr(&r->message, ns_s_qd, i, &rr) != 0)
			return -1;
		if ((ns_rr_class(rr) & CLASS_MASK) != ns_c_in &&
		    (ns_rr_class(rr) & CLASS_MASK) != ns_c_any)
			continue;
		q.name = ns_rr_name(rr);
		q.type = ns_rr_type(rr);
		q.unicast = (ns_rr_class(rr) & UNICAST_BIT) != 0;
		if (h->asked)
			h->asked(r->owner, &q);
	}
	return 0;
}

static int hear(const void *packet, size_t len, const struct mdns_hearer *h,
		void *owner, uint16_t *id)
{
	struct packet_reading r = { .owner = owner };
	bool answers;

	if (len > MDNS_PACKET_MAX ||
	    ns_initparse(packet, (int)len, &r.message) != 0)
		return -1;
	*id = (uint16_t)ns_msg_id(r.message);
	answers = ns_msg_getflag(r.message, ns_f_qr);
	if (!answers && read_questions(&r, h))
		return -1;
	r.each = answers ? h->said : h->known;
	if (read_section(&r, ns_s_an))
		return -1;
	r.each = answers ? NULL : h->claimed;
	if (read_section(&r, ns_s_ns))
		return -1;
	r.each = answers ? h->said : NULL;
	return read_section(&r, ns_s_ar);
}

/* ---- written ---- */

struct packet_writing {
	unsigned char packet[MDNS_SAID_MAX];
	size_t at;
	/* Names that stand there, for those behind them; glibc's list of them. */
	const unsigned char *names[32];
};

static int put(struct packet_writing *w, const void *data, size_t len)
{
	if (len > sizeof(w->packet) - w->at)
		return -1;
	memcpy(w->packet + w->at, data, len);
	w->at += len;
	return 0;
}

static int put16(struct packet_writing *w, unsigned value)
{
	const unsigned char bytes[] = { (unsigned char)(value >> 8),
					(unsigned char)value };

	return put(w, bytes, sizeof(bytes));
}

/* shorter: names before it may stand for its end. */
static int put_name(struct packet_writing *w, const char *name, bool shorter)
{
	int len = ns_name_compress(name, w->packet + w->at,
				   sizeof(w->packet) - w->at,
				   shorter ? w->names : NULL,
				   shorter ? w->names + COUNT(w->names) : NULL);

	if (len < 0)
		return -1;
	w->at += (size_t)len;
	return 0;
}

static int put_address(struct packet_writing *w, const char *text)
{
	unsigned char address[NS_INADDRSZ];

	return inet_pton(AF_INET, text, address) == 1 ?
		       put(w, address, sizeof(address)) :
		       -1;
}

/* Where older readers look for it a name in SRV stands in full (RFC 6762, 18.14). */
static int put_data(struct packet_writing *w, const struct mdns_record *r)
{
	static const char first[4] = { 0 }; /* priority and weight */

	switch (r->type) {
	case MDNS_PTR:
		return put_name(w, r->to, true);
	case MDNS_SRV:
		return put(w, first, sizeof(first)) || put16(w, r->port) ||
				       put_name(w, r->to, false) ?
			       -1 :
			       0;
	case MDNS_TXT:
		return put(w, r->text, r->len);
	case MDNS_A:
		return put_address(w, r->address);
	default:
		return -1;
	}
}

static int put_record(struct packet_writing *w, const struct mdns_record *r,
		      const struct mdns_saying *s)
{
	uint32_t ttl = s->plain && r->ttl > PLAIN_TTL ? PLAIN_TTL : r->ttl;
	unsigned unique = r->unique && !s->plain && !s->claims ? UNIQUE_BIT : 0;
	size_t length;

	if (put_name(w, r->name, true) || put16(w, r->type) ||
	    put16(w, ns_c_in | unique) || put16(w, ttl >> 16) ||
	    put16(w, ttl & 0xffff) || put16(w, 0))
		return -1;
	length = w->at;
	if (put_data(w, r))
		return -1;
	ns_put16((unsigned)(w->at - length), w->packet + length - 2);
	return 0;
}

static int put_question(struct packet_writing *w, const struct mdns_question *q)
{
	return put_name(w, q->name, true) || put16(w, q->type) ||
			       put16(w,
				     ns_c_in | (q->unicast ? UNICAST_BIT : 0)) ?
		       -1 :
		       0;
}

static int put_head(struct packet_writing *w, const struct mdns_saying *s)
{
	size_t answers = s->claims ? 0 : s->count - s->more;
	unsigned flags = s->claims ? 0 : 0x8400; /* an answer, of who knows */

	return put16(w, s->id) || put16(w, flags) ||
			       put16(w, s->question != NULL) ||
			       put16(w, (unsigned)answers) ||
			       put16(w, s->claims ? (unsigned)s->count : 0) ||
			       put16(w, s->claims ? 0 : (unsigned)s->more) ?
		       -1 :
		       0;
}

static int say(struct buf *out, const struct mdns_saying *s)
{
	struct packet_writing w = { .names = { w.packet } };

	if (put_head(&w, s) || (s->question && put_question(&w, s->question)))
		return -1;
	for (size_t i = 0; i < s->count; i++) {
		if (put_record(&w, &s->record[i], s))
			return -1;
	}
	return buf_add(out, w.packet, w.at);
}

/* ---- names ---- */

static int name_of(struct buf *out, const char *label, const char *rest)
{
	unsigned char wire[NS_MAXCDNAME];
	char text[NS_MAXDNAME];
	size_t len = strlen(label);

	if (len == 0 || len > NS_MAXLABEL ||
	    ns_name_pton(rest, wire + len + 1, sizeof(wire) - len - 1) < 0)
		return -1;
	wire[0] = (unsigned char)len;
	memcpy(wire + 1, label, len);
	if (ns_name_ntop(wire, text, sizeof(text)) < 0)
		return -1;
	return buf_add(out, text, strlen(text));
}

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
				       .label = label,
				       .hear = hear,
				       .say = say,
				       .name = name_of };
