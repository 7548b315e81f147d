/* SPDX-License-Identifier: MIT */
/*
 * One board's connection to its broker: packets read on their way, recorded,
 * judged, and passed on. See proxy/mqtt_relay.h.
 */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "net/address.h"
#include "net/why.h"
#include "proxy/mqtt_relay.h"
#include "proxy/pair.h"
#include "proxy/readdress.h"
#include "proxy/udp_relay.h"
#include "proxy/web.h"
#include "wire/broker_topic.h"
#include "wire/mqtt_packets.h"

/* A larger packet passes without being looked into. */
#define KEPT_MAX (256u << 10)
#define CONNECT_MS 10000 /* for the first packet; as brokers wait */
#define TLS_HELLO 0x16
/* A code by which a later broker refuses, and the words of 3.1.1. */
static const char *const connack_words[] = {
	"accepted",	    "it does not speak that version of MQTT",
	"client id",	    "server unavailable",
	"user or password", "not authorized"
};

struct mqtt_way { /* what comes from one side */
	struct mqtt_talk *talk;
	enum side from;
	struct buf in; /* a packet that is not whole */
	size_t skip; /* bytes of one that is not looked into */
	bool raw; /* it is no MQTT: nothing is looked into any more */
	bool dead; /* --fault: nothing goes on any more */
	struct timer timer; /* --fault: what waits goes on then */
	struct buf waits; /* it */
	bool waiting;
	int64_t came_ns; /* what is looked at now */
};

struct mqtt_talk {
	struct mqtt_talk *next, *previous;
	struct mqtt_place *at;
	struct pair pair;
	struct mqtt_way way[2]; /* by enum side */
	struct timer patience;
	struct talk *talk;
	struct udp_leg *udp;
	struct share share;
	struct sockaddr_storage board;
	char own[ADDRESS_TEXT_MAX]; /* our host, as the board reaches it */
	int level; /* of its CONNECT; 4 until then */
	char *client; /* its client id; NULL */
	unsigned open; /* the pair, three timers */
	bool begun, closing;
};

static struct proxy *proxy_of(const struct mqtt_talk *m)
{
	return m->at->relay->proxy;
}

/* ---- its end ---- */

static void release(void *owner)
{
	struct mqtt_talk *m = owner;
	struct mqtt_relay *r = m->at->relay;

	if (--m->open)
		return;
	if (m->previous)
		m->previous->next = m->next;
	else
		r->talks = m->next;
	if (m->next)
		m->next->previous = m->previous;
	for (int i = 0; i < 2; i++) {
		buf_done(&m->way[i].in);
		buf_done(&m->way[i].waits);
	}
	share_close(&m->share);
	mem_free(m->client);
	mem_free(m);
	mqtt_relay_release(r);
}

static void release_way(void *owner)
{
	struct mqtt_way *w = owner;

	release(w->talk);
}

static void end_talk(struct mqtt_talk *m, enum event_from from,
		     enum event_end how)
{
	udp_leg_close(TAKE(m->udp));
	if (m->talk)
		talk_end(TAKE(m->talk), from, how, 0);
}

static void close_all(struct mqtt_talk *m)
{
	if (m->closing)
		return;
	m->closing = true;
	timer_close(&m->patience, release);
	timer_close(&m->way[SIDE_DEVICE].timer, release_way);
	timer_close(&m->way[SIDE_BACKEND].timer, release_way);
}

static void on_closed(void *owner)
{
	struct mqtt_talk *m = owner;

	end_talk(m, FROM_NOBODY, ENDED_OTHER);
	close_all(m);
	release(m);
}

void mqtt_talks_close(struct mqtt_relay *r)
{
	for (struct mqtt_talk *m = r->talks; m; m = m->next) {
		end_talk(m, FROM_NOBODY, ENDED_OTHER);
		pair_reset(&m->pair);
	}
}

/* ---- what passes is told ---- */

static enum event_from from_of(const struct mqtt_way *w)
{
	return w->from == SIDE_DEVICE ? FROM_DEVICE : FROM_BACKEND;
}

static void tell_packet(const struct mqtt_way *w, const struct mqtt_packet *p)
{
	struct capture_event e = { .kind = CAPTURED_PACKET,
				   .from = from_of(w),
				   .data = p->whole,
				   .bytes = true,
				   .size = p->size,
				   .cut = p->whole.len < p->size };

	if (w->talk->talk)
		talk_pass(w->talk->talk, &e);
}

static void tell_publish(const struct mqtt_way *w,
			 const struct packet_publish *p, struct span passed)
{
	struct span topic = p->topic;
	CLEANUP(mem_free_ptr) char *name = mem_strndup(topic.text, topic.len);
	bool text = text_is_utf8(p->payload.text, p->payload.len);
	struct capture_event e = { .kind = text ? CAPTURED_TEXT :
						  CAPTURED_BINARY,
				   .from = from_of(w),
				   .topic = name,
				   .data = p->payload,
				   .bytes = !text,
				   .size = p->payload.len,
				   .passed = passed };

	if (w->talk->talk)
		talk_pass(w->talk->talk, &e);
}

static void tell_added(struct mqtt_way *w)
{
	latency_add(&proxy_of(w->talk)->added,
		    (int64_t)uv_hrtime() - w->came_ns);
}

static void found(struct mqtt_talk *m, enum diag_code code, const char *detail)
{
	if (m->talk)
		diag_found(&m->talk->diag, code, (struct span){ 0 }, "%.160s",
			   detail);
}

/* A reason of net/why.h whose finding is sure. */
static void found_why(struct mqtt_talk *m, const struct error *why)
{
	int code = *why->finding ? finding_by_name(why->finding) : -1;

	if (code >= 0)
		found(m, (enum diag_code)code, why->text);
}

/* ---- packets that tell something ---- */

static void see_connect(struct mqtt_talk *m, const struct mqtt_packet *p)
{
	struct packet_connect c;

	if (m->client || !packet_connect(&c, p))
		return;
	timer_stop(&m->patience);
	m->level = c.level;
	m->client = mem_strndup(c.client.text, c.client.len);
	if (m->talk && *m->client) {
		char mac[18];

		talk_is(m->talk,
			client_id_mac(m->client, mac) ? mac : m->client, NULL,
			NULL);
	}
}

static void see_connack(struct mqtt_talk *m, const struct mqtt_packet *p)
{
	struct packet_connack c;
	char why[80];

	if (!packet_connack(&c, p))
		return;
	if (c.code == 0) {
		share_settle(&m->share);
		return;
	}
	snprintf(why, sizeof(why), "CONNACK %u%s%s", c.code,
		 c.code < COUNT(connack_words) ? ": " : "",
		 c.code < COUNT(connack_words) ? connack_words[c.code] : "");
	found(m, M401, why);
}

static void see(struct mqtt_way *w, const struct mqtt_packet *p)
{
	if (w->from == SIDE_DEVICE && p->type == PACKET_CONNECT)
		see_connect(w->talk, p);
	if (w->from == SIDE_BACKEND && p->type == PACKET_CONNACK)
		see_connack(w->talk, p);
}

/* ---- addresses ---- */

/* The host that boards are told; yours. */
static char *told_host(const struct mqtt_talk *m)
{
	const char *given = proxy_of(m)->options.admit.advertise;
	const char *behind = given ? strstr(given, "://") : NULL;
	struct authority a;

	if (behind)
		given = behind + 3;
	if (given && !authority_parse(&a, given, strcspn(given, "/?#"), NULL) &&
	    *a.host)
		return mem_strdup(a.host);
	return mem_strdup(m->own);
}

static bool change_udp(struct mqtt_talk *m, struct span text, struct buf *out)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct udp_order order = { .board = (struct sockaddr *)&m->board,
				   .device = m->client };
	struct told_udp told;
	uint16_t port;

	if (!(proxy_of(m)->options.rewrite & REWRITE_UDP) || !m->talk ||
	    !told_udp(&told, text))
		return false;
	/* A new hello begins a new session, whatever became of the old one. */
	udp_leg_close(TAKE(m->udp));
	order.offer = &told.offer;
	order.device = m->talk->device;
	m->udp = udp_leg_open(proxy_of(m), &order, &port, &why);
	if (!m->udp) {
		talk_note(
			m->talk,
			"audio does not come through here, but goes to %s:%u: %s",
			told.offer.server, (unsigned)told.offer.port, why.text);
		return false;
	}
	CLEANUP(mem_free_ptr) char *host = told_host(m);
	told_udp_replace(out, text, &told, host, port);
	talk_note(m->talk, "audio: %s:%u became %s:%u", told.offer.server,
		  (unsigned)told.offer.port, host, (unsigned)port);
	return true;
}

static bool change_vision(struct mqtt_talk *m, struct span text,
			  struct buf *out)
{
	struct proxy *p = proxy_of(m);
	CLEANUP(edits_done) struct edits e = { 0 };
	struct span at;

	if (!(p->options.rewrite & REWRITE_VISION) || !p->web || !m->talk ||
	    !told_vision(&at, text))
		return false;
	CLEANUP(mem_free_ptr) char *url = json_span_string(at);
	CLEANUP(mem_free_ptr) char *host = told_host(m);
	CLEANUP(mem_free_ptr)
	char *reached =
		mem_printf("%s:%u", host, (unsigned)p->web->place[0].number);
	CLEANUP(mem_free_ptr) char *ours = web_vision_url(p, url, reached);
	if (!ours)
		return false;
	edits_add_string(&e, at, ours);
	edits_apply(&e, text, out);
	talk_note(m->talk, "pictures: %s became %s", url, ours);
	return true;
}

/* ---- a PUBLISH ---- */

/* out: what goes on in place of its payload, if anything was changed. */
static bool change(struct mqtt_way *w, const struct packet_publish *m,
		   struct buf *out, struct altered *what)
{
	const struct alterations *a = proxy_of(w->talk)->options.alter;
	CLEANUP(buf_done) struct buf moved = { 0 };
	struct span text = m->payload;
	bool changed = w->from == SIDE_BACKEND &&
		       (change_udp(w->talk, text, &moved) ||
			change_vision(w->talk, text, &moved));

	if (changed)
		text = (struct span){ moved.data, moved.len };
	if (alterations_any(a) && w->talk->talk)
		alter_message(a, &w->talk->talk->alter, w->from == SIDE_DEVICE,
			      text, out, what);
	if (what->changed)
		return true;
	buf_reset(out);
	if (changed)
		buf_add(out, text.text, text.len);
	return changed;
}

static void write_on(struct mqtt_way *w, const char *data, size_t len)
{
	pair_write(&w->talk->pair, OTHER_SIDE(w->from), data, len);
}

/* --fault. True: that was all that becomes of it. */
static bool misuse(struct mqtt_way *w, const struct altered *what,
		   struct span packet)
{
	struct mqtt_talk *m = w->talk;

	if (what->fault)
		talk_note(m->talk, "--fault %s", what->fault);
	if (what->hang)
		w->dead = true;
	if (what->drop || what->hang) {
		proxy_of(m)->counts.dropped++;
		return true;
	}
	if (what->cut) {
		write_on(w, packet.text, packet.len / 2);
		end_talk(m, FROM_NOBODY, ENDED_RST);
		pair_reset(&m->pair);
		return true;
	}
	if (what->after_ms > 0) {
		buf_add(&w->waits, packet.text, packet.len);
		w->waiting = true;
		pair_stop(&m->pair, w->from, true);
		timer_start(&w->timer, what->after_ms);
		return true;
	}
	return false;
}

static void pass_publish(struct mqtt_way *w, const struct mqtt_packet *p,
			 const struct packet_publish *m)
{
	CLEANUP(buf_done) struct buf text = { 0 }, packet = { 0 };
	struct altered what = { 0 };
	struct span whole = p->whole, passed = { 0 };

	if (change(w, m, &text, &what)) {
		passed = (struct span){ buf_string(&text), text.len };
		packet_publish_with(&packet, p, m, passed);
		whole = (struct span){ packet.data, packet.len };
	}
	if (!misuse(w, &what, whole)) {
		write_on(w, whole.text, whole.len);
		if (what.twice)
			write_on(w, whole.text, whole.len);
		tell_added(w);
	}
	if (w->from == SIDE_BACKEND && m->retained && w->talk->talk)
		found(w->talk, M410, "it came with the retain flag");
	tell_publish(w, m, passed);
}

static void pass_packet(struct mqtt_way *w, const struct mqtt_packet *p)
{
	struct packet_publish m;

	if (packet_publish(&m, p, w->talk->level)) {
		pass_publish(w, p, &m);
		return;
	}
	see(w, p);
	write_on(w, p->whole.text, p->whole.len);
	tell_packet(w, p);
	tell_added(w);
}

/* ---- a stream ---- */

static void is_foreign(struct mqtt_way *w)
{
	w->raw = true;
	found(w->talk, N112,
	      w->from == SIDE_DEVICE ?
		      "what the board sends is no MQTT: it goes on unread" :
		      "what the broker sends is no MQTT: it goes on unread");
}

/* Returns how much of it is done with. */
static size_t pass_some(struct mqtt_way *w, const char *data, size_t len)
{
	struct mqtt_packet p;

	if (w->skip) {
		len = len < w->skip ? len : w->skip;
		w->skip -= len;
		write_on(w, data, len);
		return len;
	}
	switch (w->raw ? PACKET_FOREIGN : packet_read(&p, data, len)) {
	case PACKET_WHOLE:
		pass_packet(w, &p);
		return p.size;
	case PACKET_PART:
		if (p.size <= KEPT_MAX)
			return 0;
		w->skip = p.size - len;
		tell_packet(w, &p);
		break;
	case PACKET_NOTHING:
		return 0;
	case PACKET_FOREIGN:
		if (!w->raw)
			is_foreign(w);
	}
	write_on(w, data, len);
	return len;
}

static size_t pass_all(struct mqtt_way *w, const char *data, size_t len)
{
	size_t at = 0, done = 1;

	while (at < len && done && !w->waiting && !w->dead &&
	       !w->talk->pair.closing) {
		done = pass_some(w, data + at, len - at);
		at += done;
	}
	return w->dead || w->talk->pair.closing ? len : at;
}

static void feed(struct mqtt_way *w, const char *data, size_t len)
{
	w->came_ns = (int64_t)uv_hrtime();
	if (!w->in.len) {
		size_t done = pass_all(w, data, len);

		buf_add(&w->in, data + done, len - done);
		return;
	}
	buf_add(&w->in, data, len);
	if (!w->waiting)
		buf_consume(&w->in, pass_all(w, w->in.data, w->in.len));
}

static void on_waited(void *owner)
{
	struct mqtt_way *w = owner;

	w->waiting = false;
	write_on(w, w->waits.data, w->waits.len);
	buf_reset(&w->waits);
	w->came_ns = (int64_t)uv_hrtime();
	buf_consume(&w->in, pass_all(w, buf_string(&w->in), w->in.len));
	if (!w->waiting)
		pair_stop(&w->talk->pair, w->from, false);
}

/* ---- the connections ---- */

/* What a board behind TLS says first; nothing here can answer it. */
static void refuse_tls(struct mqtt_talk *m)
{
	proxy_of(m)->counts.refused++;
	proxy_say(
		proxy_of(m), PROXY_WARN, NULL,
		"boards speak TLS to port 8883 only: let this be reached by another port, or put a TLS server with a public certificate in front",
		"the board at %s wants TLS on port %u, which is plain (N121)",
		m->talk ? m->talk->address : "?", (unsigned)m->at->gate.port);
	found(m, N121, "TLS to the proxy's port, which is plain");
	end_talk(m, FROM_NOBODY, ENDED_FIN);
	pair_finish(&m->pair);
}

/* Who says nothing makes no talk, and nobody is dialled for him. */
static bool begin(struct mqtt_talk *m, char first)
{
	char address[ADDRESS_TEXT_MAX];
	const struct talk_head head = { .leg = LEG_MQTT, .address = address };
	const struct proxy *p = proxy_of(m);

	m->begun = true;
	address_print((struct sockaddr *)&m->board, address, sizeof(address));
	m->talk = talk_open(proxy_of(m), &head);
	if (!m->talk) {
		proxy_of(m)->counts.refused++;
		pair_reset(&m->pair);
		return false;
	}
	m->talk->diag.about = (struct diag_about){
		.board = true,
		.standby = true,
		.from = { .board = m->talk->address },
	};
	share_ask(&m->share);
	if (first == TLS_HELLO) {
		refuse_tls(m);
		return false;
	}
	pair_dial(&m->pair, m->at->host, m->at->port,
		  m->at->tls ? &p->options.trust : NULL);
	return true;
}

static void on_came(void *owner, enum side from, const char *data, size_t len)
{
	struct mqtt_talk *m = owner;

	if (!m->begun && !begin(m, *data))
		return;
	feed(&m->way[from], data, len);
}

static void on_up(void *owner)
{
	struct mqtt_talk *m = owner;
	CLEANUP(error_reset) struct error why = { 0 };
	struct tls_facts tls;

	if (!pair_tls(&m->pair, &tls) || !*tls.doubt)
		return;
	why_set(&why, &(struct why_facts){ .what = WHY_TLS,
					   .with = WITH_MQTT,
					   .host = m->at->host,
					   .port = m->at->port,
					   .said = tls.doubt });
	found_why(m, &why);
	talk_note(m->talk, "the certificate is not believed (--insecure): %s",
		  tls.doubt);
}

static void on_failed(void *owner, const struct error *why)
{
	struct mqtt_talk *m = owner;
	const struct why_facts facts = {
		.what = why ? (enum why)why->reason : WHY_CLOSED,
		.with = WITH_MQTT,
		.number = why ? why->code : 0,
		.host = m->at->host,
		.port = m->at->port,
		.waited = TCP_CONNECT_MS,
	};
	CLEANUP(error_reset) struct error told = { 0 };

	if (why && *why->finding)
		error_copy(&told, why);
	else
		why_set(&told, &facts);
	found_why(m, &told);
	proxy_of(m)->counts.refused++;
	proxy_say(proxy_of(m), PROXY_BAD, m->talk ? m->talk->device : NULL,
		  told.hint, "%s", told.text);
	end_talk(m, FROM_BACKEND, ENDED_RST);
	pair_reset(&m->pair);
}

static void on_ended(void *owner, enum side from, enum event_end how)
{
	struct mqtt_talk *m = owner;
	struct mqtt_way *w = &m->way[from];

	/* A packet that is cut goes on as it is. */
	if (w->in.len && !w->dead)
		write_on(w, w->in.data, w->in.len);
	buf_reset(&w->in);
	end_talk(m, from_of(w), how);
}

static const struct pair_events pair_events = {
	.came = on_came,
	.up = on_up,
	.failed = on_failed,
	.ended = on_ended,
	.closed = on_closed,
};

static void on_patience(void *owner)
{
	struct mqtt_talk *m = owner;

	end_talk(m, FROM_NOBODY, ENDED_TIMEOUT);
	pair_finish(&m->pair);
}

static void way_open(struct mqtt_talk *m, enum side from)
{
	struct mqtt_way *w = &m->way[from];

	w->talk = m;
	w->from = from;
	timer_open(&w->timer, proxy_of(m)->loop, on_waited, w);
}

static void read_ends(struct mqtt_talk *m, int fd, const struct sockaddr *from)
{
	struct sockaddr_storage own = { 0 };
	socklen_t len = sizeof(own);

	memcpy(&m->board, from,
	       from->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) :
					     sizeof(struct sockaddr_in));
	getsockname(fd, (struct sockaddr *)&own, &len);
	address_print_host((struct sockaddr *)&own, m->own, sizeof(m->own));
}

void mqtt_talk_begin(struct mqtt_place *at, int fd, const struct sockaddr *from)
{
	struct mqtt_relay *r = at->relay;
	struct share share = { 0 };
	struct mqtt_talk *m;

	if (r->proxy->budget)
		share_open(&share, r->proxy->budget, budget_key_address(from));
	if (r->closing || share_is_over(&share)) {
		r->proxy->counts.refused++;
		share_close(&share);
		close(fd);
		return;
	}
	m = mem_zalloc(sizeof(*m));
	m->at = at;
	m->level = 4;
	m->open = 4;
	share_move(&m->share, &share);
	read_ends(m, fd, from);
	timer_open(&m->patience, r->proxy->loop, on_patience, m);
	timer_start(&m->patience, CONNECT_MS);
	way_open(m, SIDE_DEVICE);
	way_open(m, SIDE_BACKEND);
	m->next = r->talks;
	if (r->talks)
		r->talks->previous = m;
	r->talks = m;
	r->open++;
	pair_open(&m->pair, r->proxy->loop, fd, &pair_events, m);
}
