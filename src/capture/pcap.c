/* SPDX-License-Identifier: MIT */
#include "capture/pcap.h"
#include "base/mem.h"
#include "wire/http_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SEGMENT_MAX 60000 /* bytes of a stream in one packet */
#define LINKTYPE_RAW 101
#define FLOWS_MAX 16384 /* connections that are open at once */

enum { TCP_FIN = 1, TCP_SYN = 2, TCP_RST = 4, TCP_PUSH = 8, TCP_ACK = 16 };

struct flow {
	uint32_t conn;
	uint32_t seq[2]; /* of the device, of the backend */
	bool begun, asked, upgraded; /* the HTTP before WebSocket */
};

/* One packet on its way: where from, and what of it is known. */
struct made_packet {
	int64_t at_us;
	uint32_t conn;
	bool from_device, udp;
	uint16_t port; /* the backend's */
	uint8_t flags;
	uint32_t seq, ack;
	struct span data; /* behind the heads */
	size_t missing; /* bytes that follow, and were not kept */
	const char *comment; /* NULL */
};

static void le16(struct buf *b, unsigned v)
{
	buf_char(b, (char)v);
	buf_char(b, (char)(v >> 8));
}

static void le32(struct buf *b, uint32_t v)
{
	le16(b, v & 0xffff);
	le16(b, v >> 16);
}

static void be16(struct buf *b, unsigned v)
{
	buf_char(b, (char)(v >> 8));
	buf_char(b, (char)v);
}

static void be32(struct buf *b, uint32_t v)
{
	be16(b, v >> 16);
	be16(b, v & 0xffff);
}

static void pad(struct buf *b, size_t len)
{
	while (len++ % 4)
		buf_char(b, 0);
}

/* The Internet's checksum (RFC 1071), begun with sum. */
static unsigned checksum(uint32_t sum, const char *data, size_t len)
{
	const unsigned char *byte = (const unsigned char *)data;

	for (size_t i = 0; i < len; i++)
		sum += i & 1 ? byte[i] : (uint32_t)byte[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum & 0xffff;
}

static void put16(struct buf *b, size_t at, unsigned v)
{
	b->data[at] = (char)(v >> 8);
	b->data[at + 1] = (char)v;
}

static uint32_t address(const struct made_packet *k, bool device)
{
	return device ? 0xc0000200 + 1 + (k->conn % 250) : 0xc6336401;
}

static void add_ip_head(struct buf *b, const struct made_packet *k,
			size_t total)
{
	size_t at = b->len;

	be16(b, 0x4500);
	be16(b, total > 0xffff ? 0xffff : (unsigned)total);
	be32(b, 0x4000); /* one piece */
	be16(b, 0x4000 | (k->udp ? 17 : 6));
	be16(b, 0);
	be32(b, address(k, k->from_device));
	be32(b, address(k, !k->from_device));
	put16(b, at + 10, checksum(0, b->data + at, 20));
}

static void add_ports(struct buf *b, const struct made_packet *k)
{
	unsigned device = 10000 + (k->conn % 50000);

	be16(b, k->from_device ? device : k->port);
	be16(b, k->from_device ? k->port : device);
}

static void add_udp(struct buf *b, const struct made_packet *k, size_t len)
{
	add_ports(b, k);
	be16(b, len > 0xffff ? 0xffff : (unsigned)len);
	be16(b, 0); /* no checksum */
	buf_add(b, k->data.text, k->data.len);
}

static void add_tcp(struct buf *b, const struct made_packet *k, size_t len)
{
	size_t at = b->len;
	uint32_t sum = (uint32_t)(len + 6);

	add_ports(b, k);
	be32(b, k->seq);
	be32(b, k->ack);
	be16(b, 0x5000 | k->flags);
	be16(b, 0xffff);
	be32(b, 0);
	buf_add(b, k->data.text, k->data.len);
	for (int side = 0; side < 2; side++) {
		uint32_t ip = address(k, side == 0);

		sum += (ip >> 16) + (ip & 0xffff);
	}
	put16(b, at + 16, checksum(sum, b->data + at, b->len - at));
}

static void add_comment(struct buf *b, const char *comment)
{
	size_t len = strlen(comment);

	le16(b, 1);
	le16(b, (unsigned)len);
	buf_text(b, comment);
	pad(b, len);
	le32(b, 0);
}

/* A block of the file: its length stands before and behind it. */
static void add_block(struct buf *out, uint32_t type, const struct buf *body)
{
	uint32_t len = (uint32_t)(12 + ((body->len + 3) & ~(size_t)3));

	le32(out, type);
	le32(out, len);
	buf_add(out, body->data, body->len);
	pad(out, body->len);
	le32(out, len);
}

static void add_packet(struct pcap *p, const struct made_packet *k)
{
	CLEANUP(buf_done) struct buf bytes = { 0 }, body = { 0 };
	size_t head = k->udp ? 8 : 20;
	size_t len = head + k->data.len + k->missing;
	uint64_t at = (uint64_t)(p->made_us + k->at_us);

	add_ip_head(&bytes, k, 20 + len);
	if (k->udp)
		add_udp(&bytes, k, len);
	else
		add_tcp(&bytes, k, len);
	le32(&body, 0); /* the one interface */
	le32(&body, (uint32_t)(at >> 32));
	le32(&body, (uint32_t)at);
	le32(&body, (uint32_t)bytes.len);
	le32(&body, (uint32_t)(bytes.len + k->missing));
	buf_add(&body, bytes.data, bytes.len);
	pad(&body, bytes.len);
	if (k->comment)
		add_comment(&body, k->comment);
	add_block(&p->out, 6, &body);
}

void pcap_begin(struct pcap *p, int64_t made_us)
{
	CLEANUP(buf_done) struct buf body = { 0 };

	p->made_us = made_us;
	le32(&body, 0x1a2b3c4d);
	le32(&body, 1); /* version 1.0 */
	le32(&body, 0xffffffff); /* how long it will be is not known */
	le32(&body, 0xffffffff);
	add_block(&p->out, 0x0a0d0d0a, &body);
	buf_reset(&body);
	le16(&body, LINKTYPE_RAW);
	le16(&body, 0);
	le32(&body, 0); /* packets are not cut */
	add_block(&p->out, 1, &body);
}

static void forget_all(struct pcap *p)
{
	size_t at = 0;

	for (struct flow *f; (f = map_each(&p->flows, &at));)
		mem_free(f);
	map_done(&p->flows);
	p->flows = (struct map){ 0 };
}

/*
 * The one of that connection; made if it is new. Who writes a file need not end
 * what he begins: what is forgotten then begins anew.
 */
static struct flow *flow_of(struct pcap *p, uint32_t conn)
{
	uint64_t hash = map_hash(&conn, sizeof(conn));
	size_t at = 0;
	struct flow *f;

	while ((f = map_find(&p->flows, hash, &at)))
		if (f->conn == conn)
			return f;
	if (p->flows.count == FLOWS_MAX)
		forget_all(p);
	f = mem_zalloc(sizeof(*f));
	f->conn = conn;
	map_add(&p->flows, hash, f);
	return f;
}

static void forget(struct pcap *p, struct flow *f)
{
	map_remove(&p->flows, map_hash(&f->conn, sizeof(f->conn)), f);
	mem_free(f);
}

static uint16_t port_of(enum diag_leg leg)
{
	switch (leg) {
	case LEG_WS:
	case LEG_OTA:
	case LEG_VISION:
		return 80;
	case LEG_MQTT:
		return 1883;
	case LEG_LOCAL:
		return 8080;
	default:
		return 8000;
	}
}

/* One TCP packet of a flow; what it takes of the numbers is counted. */
static void segment(struct pcap *p, struct flow *f,
		    const struct capture_event *e, struct made_packet k)
{
	int side = k.from_device ? 0 : 1;

	k.at_us = e->at_us;
	k.conn = f->conn;
	k.port = port_of(e->leg);
	k.seq = f->seq[side];
	k.ack = k.flags == TCP_SYN ? 0 : f->seq[!side];
	add_packet(p, &k);
	f->seq[side] += (uint32_t)(k.data.len + k.missing) +
			((k.flags & (TCP_SYN | TCP_FIN)) ? 1 : 0);
}

/*
 * Bytes of the stream, in as many packets as it takes; all has from_device,
 * data, missing and comment. What is missing and fits into no packet is a gap
 * in the numbers.
 */
static void stream(struct pcap *p, struct flow *f,
		   const struct capture_event *e, struct made_packet all)
{
	do {
		struct made_packet k = all;

		k.flags = TCP_PUSH | TCP_ACK;
		if (k.data.len > SEGMENT_MAX)
			k.data.len = SEGMENT_MAX;
		if (k.data.len) /* else it may be NULL */
			all.data.text += k.data.len;
		all.data.len -= k.data.len;
		if (all.data.len || k.data.len + k.missing > SEGMENT_MAX)
			k.missing = 0;
		all.missing -= k.missing;
		segment(p, f, e, k);
		all.comment = NULL;
	} while (all.data.len);
	f->seq[all.from_device ? 0 : 1] += (uint32_t)all.missing;
}

/* Who dials: the board; but a plain server, and a board's own port, are dialled. */
static bool device_dials(enum diag_leg leg)
{
	return leg != LEG_HTTP && leg != LEG_STDIO && leg != LEG_LOCAL;
}

/* The first packets of a connection. */
static void begin(struct pcap *p, struct flow *f, const struct capture_event *e)
{
	bool device = device_dials(e->leg);

	if (f->begun)
		return;
	f->begun = true;
	segment(p, f, e,
		(struct made_packet){ .from_device = device,
				      .flags = TCP_SYN });
	segment(p, f, e,
		(struct made_packet){ .from_device = !device,
				      .flags = TCP_SYN | TCP_ACK });
	segment(p, f, e,
		(struct made_packet){ .from_device = device,
				      .flags = TCP_ACK });
}

static void say(struct pcap *p, struct flow *f, const struct capture_event *e,
		bool from_device, const char *text, const char *comment)
{
	stream(p, f, e,
	       (struct made_packet){ .from_device = from_device,
				     .data = { text, strlen(text) },
				     .comment = comment });
}

/* The upgrade, without which nobody knows that it is WebSocket. */
static void upgrade(struct pcap *p, struct flow *f,
		    const struct capture_event *e)
{
	static const char made[] = "made: this was not recorded";

	if (!f->asked)
		say(p, f, e, true,
		    "GET / HTTP/1.1\r\nHost: backend\r\n"
		    "Upgrade: websocket\r\nConnection: Upgrade\r\n"
		    "Sec-WebSocket-Version: 13\r\n"
		    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
		    made);
	if (!f->upgraded)
		say(p, f, e, false,
		    "HTTP/1.1 101 Switching Protocols\r\n"
		    "Upgrade: websocket\r\nConnection: Upgrade\r\n"
		    "Sec-WebSocket-Accept: ICX+Yqv66kxgM0FcWaLWlFLwTAI=\r\n\r\n",
		    made);
	f->asked = f->upgraded = true;
}

/*
 * How many bytes of a frame were not kept: of audio, and of an MQTT CONNECT,
 * whose length stands in what was kept. A text is shorter or longer
 * than it was where a secret in it was masked.
 */
static size_t missing_of(const struct capture_event *e)
{
	const bool whole = !e->cut || e->kind == CAPTURED_PACKET;

	return e->kind != CAPTURED_TEXT && whole && e->size > e->data.len ?
		       e->size - e->data.len :
		       0;
}

static int opcode_of(const struct capture_event *e)
{
	switch (e->kind) {
	case CAPTURED_TEXT:
		return 1;
	case CAPTURED_BINARY:
		return 2;
	case CAPTURED_PING:
		return 9;
	case CAPTURED_PONG:
		return 10;
	default:
		return 8;
	}
}

/* RFC 6455 5.2; a device's is masked, with zeros, which changes nothing. */
static void add_ws_head(struct buf *b, int opcode, size_t len, bool masked)
{
	unsigned mask = masked ? 0x80 : 0;

	buf_char(b, (char)(0x80 | opcode));
	if (len < 126) {
		buf_char(b, (char)(mask | len));
	} else if (len <= 0xffff) {
		buf_char(b, (char)(mask | 126));
		be16(b, (unsigned)len);
	} else {
		buf_char(b, (char)(mask | 127));
		be32(b, (uint32_t)((uint64_t)len >> 32));
		be32(b, (uint32_t)len);
	}
	if (masked)
		be32(b, 0);
}

static void ws_frame(struct pcap *p, struct flow *f,
		     const struct capture_event *e)
{
	static const char cut[] = "the rest of this message was not recorded";
	CLEANUP(buf_done) struct buf frame = { 0 };
	bool device = e->from == FROM_DEVICE;
	size_t missing = missing_of(e);

	add_ws_head(&frame, opcode_of(e), e->data.len + missing, device);
	buf_add(&frame, e->data.text, e->data.len);
	stream(p, f, e,
	       (struct made_packet){ .from_device = device,
				     .data = { frame.data, frame.len },
				     .missing = missing,
				     .comment = e->cut ? cut : NULL });
}

/* MQTT 3.1.1 3.3: a message is all that was kept of its packet. */
static void mqtt_publish(struct pcap *p, struct flow *f,
			 const struct capture_event *e)
{
	CLEANUP(buf_done) struct buf packet = { 0 };
	const char *topic = e->topic ? e->topic : "";
	size_t name = strlen(topic), left = 2 + name + e->data.len;

	if (name > 0xffff)
		return;
	buf_char(&packet, 0x30);
	do {
		buf_char(&packet,
			 (char)((left & 0x7f) | (left > 0x7f ? 0x80 : 0)));
	} while (left >>= 7);
	be16(&packet, (unsigned)name);
	buf_add(&packet, topic, name);
	buf_add(&packet, e->data.text, e->data.len);
	stream(p, f, e,
	       (struct made_packet){ .from_device = e->from == FROM_DEVICE,
				     .data = { packet.data, packet.len } });
}

/*
 * A head and its body. Secrets were masked, and much cut, since its length was
 * told, and its chunks are put together: the length is that of what is here.
 */
static void http_message(struct pcap *p, struct flow *f,
			 const struct capture_event *e)
{
	CLEANUP(buf_done) struct buf head = { 0 }, text = { 0 };
	const char *was = e->head.text ? e->head.text : "";
	const bool chunked =
		http_parts_field(was, e->head.len, "Transfer-Encoding").text;
	char length[24];

	snprintf(length, sizeof(length), "%zu", e->data.len);
	http_parts_replace(&head, was, e->head.len, "Transfer-Encoding", NULL);
	http_parts_replace(&text, buf_string(&head), head.len, "Content-Length",
			   length);
	if (chunked)
		buf_printf(&text, "Content-Length: %s\r\n", length);
	buf_text(&text, "\r\n");
	buf_add(&text, e->data.text, e->data.len);
	stream(p, f, e,
	       (struct made_packet){ .from_device = e->from == FROM_DEVICE,
				     .data = { text.data, text.len } });
}

static void json_line(struct pcap *p, struct flow *f,
		      const struct capture_event *e)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	buf_add(&line, e->data.text, e->data.len);
	buf_char(&line, '\n');
	stream(p, f, e,
	       (struct made_packet){ .from_device = e->from == FROM_DEVICE,
				     .data = { line.data, line.len } });
}

static void message(struct pcap *p, struct flow *f,
		    const struct capture_event *e)
{
	begin(p, f, e);
	if (e->leg == LEG_WS) {
		upgrade(p, f, e);
		ws_frame(p, f, e);
	} else if (e->leg == LEG_MQTT && e->kind == CAPTURED_TEXT) {
		mqtt_publish(p, f, e);
	} else if (e->data.len && e->kind == CAPTURED_TEXT) {
		json_line(p, f, e);
	} else {
		stream(p, f, e,
		       (struct made_packet){ .from_device =
						     e->from == FROM_DEVICE,
					     .data = e->data,
					     .missing = missing_of(e) });
	}
}

static void http(struct pcap *p, struct flow *f, const struct capture_event *e)
{
	begin(p, f, e);
	if (e->kind == CAPTURED_RESPONSE)
		f->upgraded = true;
	else
		f->asked = true;
	http_message(p, f, e);
}

static void end(struct pcap *p, struct flow *f, const struct capture_event *e)
{
	bool device = e->from != FROM_BACKEND;

	if (f->begun && e->leg == LEG_WS && e->how == ENDED_CLOSE && e->code) {
		char code[2] = { (char)(e->code >> 8), (char)e->code };
		struct capture_event frame = *e;

		frame.data = (struct span){ code, 2 };
		frame.size = 2;
		ws_frame(p, f, &frame);
	}
	if (f->begun && e->how != ENDED_TIMEOUT)
		segment(p, f, e,
			(struct made_packet){
				.from_device = device,
				.flags = e->how == ENDED_RST ?
						 TCP_RST :
						 TCP_FIN | TCP_ACK });
	forget(p, f);
}

static void udp(struct pcap *p, const struct capture_event *e)
{
	struct made_packet k = { .at_us = e->at_us,
				 .conn = e->conn,
				 .udp = true,
				 .port = 8884,
				 .from_device = e->from == FROM_DEVICE,
				 .data = e->data,
				 .missing = missing_of(e) };

	if (k.data.len + k.missing <= SEGMENT_MAX)
		add_packet(p, &k);
}

/* RFC 3164: what is no traffic, as a line of a log. */
static void note(struct pcap *p, const struct capture_event *e, int severity,
		 struct span text)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	struct made_packet k = { .at_us = e->at_us,
				 .conn = e->conn,
				 .udp = true,
				 .port = 514,
				 .from_device = true };

	buf_printf(&line, "<%d>mcpctl: ", 16 * 8 + severity);
	buf_add(&line, text.text,
		text.len > SEGMENT_MAX / 2 ? SEGMENT_MAX / 2 : text.len);
	k.data = (struct span){ line.data, line.len };
	add_packet(p, &k);
}

static void finding(struct pcap *p, const struct capture_event *e)
{
	struct span severity = { 0 };
	int level = 5;

	json_span_member(e->data, "severity", &severity);
	if (json_span_is(severity, "error"))
		level = 3;
	else if (json_span_is(severity, "warning"))
		level = 4;
	note(p, e, level, e->data);
}

static void lost(struct pcap *p, const struct capture_event *e)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_printf(&text, "%" PRIu64 " event%s not recorded here", e->count,
		   e->count == 1 ? " was" : "s were");
	note(p, e, 4, (struct span){ text.data, text.len });
}

static void traffic(struct pcap *p, const struct capture_event *e)
{
	struct flow *f = flow_of(p, e->conn);

	switch (e->kind) {
	case CAPTURED_OPEN:
		if (e->head.len)
			http(p, f, e);
		else
			begin(p, f, e);
		break;
	case CAPTURED_REQUEST:
	case CAPTURED_RESPONSE:
		http(p, f, e);
		break;
	case CAPTURED_END:
		end(p, f, e);
		break;
	default:
		message(p, f, e);
	}
}

void pcap_event(struct pcap *p, const struct capture_event *e)
{
	switch (e->kind) {
	case CAPTURED_OTHER:
	case CAPTURED_DEVICE:
		break;
	case CAPTURED_FINDING:
		finding(p, e);
		break;
	case CAPTURED_LINE:
	case CAPTURED_NOTICE:
		note(p, e, 6, e->data);
		break;
	case CAPTURED_LOST:
		lost(p, e);
		break;
	default:
		if (e->leg == LEG_UDP)
			udp(p, e);
		else
			traffic(p, e);
	}
}

void pcap_done(struct pcap *p)
{
	forget_all(p);
	buf_done(&p->out);
}
