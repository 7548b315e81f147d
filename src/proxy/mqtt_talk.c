/* SPDX-License-Identifier: MIT */
#include "proxy/mqtt_talk.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/chain.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "net/address.h"
#include "net/admit.h"
#include "net/why.h"
#include "proxy/mqtt_relay.h"
#include "proxy/pair.h"
#include "proxy/readdress.h"
#include "proxy/stage.h"
#include "proxy/tell.h"
#include "proxy/turn.h"
#include "proxy/udp_relay.h"
#include "proxy/web.h"
#include "proxy/web_leg.h"
#include "wire/broker_topic.h"
#include "wire/mqtt_packets.h"

/* A larger packet passes without being looked into. */
#define KEPT_MAX (256u << 10)
#define CONNECT_MS 10000 /* for the first packet; as brokers wait */
#define PACKET_MS 10000 /* for the rest of another one */
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
	struct turn turn;
	struct sockaddr_storage board;
	char *host; /* of that, as web_host_of has it */
	char own[ADDRESS_TEXT_MAX]; /* our host, as the board reaches it */
	int level; /* of its CONNECT; 4 until then */
	char *client; /* its client id; NULL */
	unsigned open; /* the pair, three timers */
	bool begun, closing;
	bool answered; /* by a CONNACK */
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
	r->waiting -= !m->begun;
	CHAIN_LEAVE(r->talks, r->oldest, m);
	turn_over(&m->turn);
	for (int i = 0; i < 2; i++) {
		buf_done(&m->way[i].in);
		buf_done(&m->way[i].waits);
	}
	share_close(&m->share);
	mem_free(m->client);
	mem_free(m->host);
	mem_free(m);
	r->released(r);
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

	if (!w->talk->talk)
		return;
	talk_pass(w->talk->talk, &e);
	if (text)
		udp_leg_text(w->talk->udp, w->from == SIDE_DEVICE, p->payload);
}

static void tell_added(struct mqtt_way *w)
{
	latency_add(&proxy_of(w->talk)->added,
		    (int64_t)uv_hrtime() - w->came_ns);
}

static void found(struct mqtt_talk *m, enum diag_code code, const char *detail)
{
	if (m->talk)
		diag_found(&m->talk->diag, code, (struct span){ 0 }, "%s",
			   detail);
}

/* ---- packets that tell something ---- */

/* The board's Device-Id, if the client id has one; yours. */
static char *name_of(const char *client)
{
	char mac[18];

	return mem_strdup(client_id_mac(client, mac) ? mac : client);
}

/* Of the CONNECT that it begins with; NULL: it is none. Yours. */
static char *name_in(const struct buf *first)
{
	CLEANUP(mem_free_ptr) char *client = NULL;
	struct packet_connect c;
	struct mqtt_packet p;

	if (packet_read(&p, first->data, first->len) != PACKET_WHOLE ||
	    !packet_connect(&c, &p) || !c.client.len)
		return NULL;
	client = mem_strndup(c.client.text, c.client.len);
	return name_of(client);
}

static void see_connect(struct mqtt_talk *m, const struct mqtt_packet *p)
{
	struct packet_connect c;

	if (m->client || !packet_connect(&c, p))
		return;
	timer_stop(&m->patience);
	m->level = c.level;
	m->client = mem_strndup(c.client.text, c.client.len);
	if (m->talk && *m->client) {
		CLEANUP(mem_free_ptr) char *name = name_of(m->client);

		talk_is(m->talk, name, NULL, NULL);
	}
}

static void see_connack(struct mqtt_talk *m, const struct mqtt_packet *p)
{
	struct packet_connack c;
	char why[80];

	if (!packet_connack(&c, p))
		return;
	m->answered = true;
	if (c.code == 0 && m->talk)
		turn_proven(&m->turn, m->talk->device);
	turn_answered(&m->turn);
	if (c.code == 0)
		return;
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
	char *given = admit_advertised(proxy_of(m)->options.admit.advertise);

	return given ? given : mem_strdup(m->own);
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

/* The port for pictures at the address of ours where it came in. */
static uint16_t web_port(const struct mqtt_talk *m)
{
	const struct web *w = proxy_of(m)->web;
	const char *own = m->at->listens;

	for (size_t i = 0; own && i < w->places; i++) {
		if (w->place[i].host && text_same(w->place[i].host, own))
			return w->place[i].number;
	}
	return w->place[0].number;
}

static bool change_vision(struct mqtt_talk *m, struct span text,
			  struct buf *out)
{
	const struct proxy *p = proxy_of(m);
	CLEANUP(mem_free_ptr) char *host = told_host(m);
	CLEANUP(mem_free_ptr) char *reached = NULL;

	if (!p->web || !m->talk)
		return false;
	reached = mem_printf("%s:%u", host, (unsigned)web_port(m));
	return web_move_vision(m->talk, text, reached, out);
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
		for (int i = 0; i < (what->twice ? 2 : 1); i++)
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
	enum packet_state what = PACKET_FOREIGN;

	if (w->skip) {
		len = len < w->skip ? len : w->skip;
		w->skip -= len;
		write_on(w, data, len);
		return len;
	}
	if (!w->raw)
		what = packet_read(&p, data, len);
	switch (what) {
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

#define CONNACK_FIRST \
	0x20 /* nothing else may come before it (MQTT 3.1.1, 3.2) */

static void feed(struct mqtt_way *w, const char *data, size_t len)
{
	w->came_ns = (int64_t)uv_hrtime();
	if (w->from == SIDE_BACKEND && !w->talk->answered && !w->raw &&
	    !w->in.len && (unsigned char)*data != CONNACK_FIRST)
		is_foreign(w);
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

/* ---- its turn ---- */

static void refuse(struct mqtt_talk *m, enum lack what)
{
	gate_refuse(&m->at->gate, what, (struct sockaddr *)&m->board);
	end_talk(m, FROM_NOBODY, ENDED_RST);
	turn_over(&m->turn);
	share_close(&m->share);
	pair_reset(&m->pair);
}

static void on_turn(void *owner)
{
	struct mqtt_talk *m = owner;

	pair_dial(&m->pair, m->at->host, m->at->port,
		  m->at->tls ? &proxy_of(m)->options.trust : NULL);
}

static void on_late(void *owner)
{
	refuse(owner, LACK_TURN);
}

/* Others wait for its place. */
static void make_way(void *owner)
{
	refuse(owner, LACK_PLACES);
}

static struct talk *new_talk(struct mqtt_talk *m, bool known)
{
	char address[ADDRESS_TEXT_MAX];
	const struct talk_head head = { .leg = LEG_MQTT, .address = address };
	struct proxy *p = proxy_of(m);
	struct talk *t;

	address_print((struct sockaddr *)&m->board, address, sizeof(address));
	t = talk_open(p, &head);
	return t || !turn_make_room(p, known) ? t : talk_open(p, &head);
}

/* False: it is refused. */
static bool has_place(struct mqtt_talk *m, bool known)
{
	share_ask(&m->share);
	if (!known && share_is_over(&m->share) &&
	    (!turn_make_room(proxy_of(m), false) || share_is_over(&m->share))) {
		refuse(m, LACK_CONNECTIONS);
		return false;
	}
	m->talk = new_talk(m, known);
	if (!m->talk)
		refuse(m, LACK_ALL);
	return m->talk != NULL;
}

/* Who says nothing whole makes no talk, and nobody is dialled for him. */
static bool begin(struct mqtt_talk *m, const char *name, char first)
{
	const struct known_names *known = &proxy_of(m)->turns->known;

	m->begun = true;
	m->at->relay->waiting--;
	timer_stop(&m->patience);
	if (!has_place(m, known_find(known, name, m->host)))
		return false;
	m->talk->diag.about = (struct diag_about){
		.board = true,
		.standby = true,
		.from = { .board = m->talk->address },
	};
	if (first == TLS_HELLO) {
		refuse_tls(m);
		return false;
	}
	return true;
}

/* Its CONNECT is awaited; what is none of MQTT is told at once. */
static void take_first(struct mqtt_talk *m, const char *data, size_t len)
{
	struct mqtt_way *w = &m->way[SIDE_DEVICE];
	CLEANUP(buf_done) struct buf whole = { 0 };
	CLEANUP(mem_free_ptr) char *name = NULL;
	struct mqtt_packet p;
	enum packet_state state;

	buf_add(&w->in, data, len);
	state = packet_read(&p, w->in.data, w->in.len);
	if (*w->in.data != TLS_HELLO &&
	    (state == PACKET_NOTHING ||
	     (state == PACKET_PART && p.size <= KEPT_MAX)))
		return;
	whole = w->in;
	w->in = (struct buf){ 0 };
	name = name_in(&whole);
	if (!begin(m, name, *whole.data))
		return;
	feed(w, whole.data, whole.len);
	turn_take(&m->turn, name, false);
}

/* Half a packet of a board may wait for its rest, but not for ever. */
static void watch_half(struct mqtt_talk *m)
{
	const struct mqtt_way *w = &m->way[SIDE_DEVICE];

	if (!m->begun || m->closing)
		return;
	if (!w->in.len || w->waiting)
		timer_stop(&m->patience);
	else if (!uv_is_active((uv_handle_t *)&m->patience.uv))
		timer_start(&m->patience, PACKET_MS);
}

static void on_came(void *owner, enum side from, const char *data, size_t len)
{
	struct mqtt_talk *m = owner;

	if (m->begun)
		feed(&m->way[from], data, len);
	else
		take_first(m, data, len);
	watch_half(m);
}

static size_t on_kept(void *owner)
{
	const struct mqtt_talk *m = owner;
	size_t bytes = 0;

	for (int i = 0; i < 2; i++)
		bytes += m->way[i].in.len + m->way[i].waits.len;
	return bytes;
}

static void on_crowded(void *owner)
{
	struct mqtt_talk *m = owner;

	gate_refuse(&m->at->gate, LACK_BYTES, (struct sockaddr *)&m->board);
	end_talk(m, FROM_NOBODY, ENDED_RST);
}

static void on_up(void *owner)
{
	struct mqtt_talk *m = owner;
	const struct stage s = { .facts = { .with = WITH_MQTT,
					    .host = m->at->host,
					    .port = m->at->port },
				 .then = "a board would go no further" };

	stage_tls(proxy_of(m), m->talk, &m->pair, &s);
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

	if (why && lack_of_files(why->code)) {
		gate_refuse(&m->at->gate, LACK_FILES,
			    (struct sockaddr *)&m->board);
		end_talk(m, FROM_NOBODY, ENDED_RST);
		pair_reset(&m->pair);
		return;
	}
	if (why && *why->finding)
		error_copy(&told, why);
	else
		why_set(&told, &facts);
	stage_found(m->talk, told.finding, told.text);
	proxy_of(m)->counts.refused++;
	proxy_say(proxy_of(m), PROXY_BAD, m->talk ? m->talk->device : NULL,
		  told.hint, "%s", told.text);
	end_talk(m, FROM_BACKEND, ENDED_OTHER);
	pair_reset(&m->pair);
}

/* It ended, and the broker had not answered. */
static void judge_silence(struct mqtt_talk *m, enum side who)
{
	struct stage s = {
		.facts = { .what = who == SIDE_BACKEND ? WHY_CLOSED :
							 WHY_SILENT,
			   .with = WITH_MQTT,
			   .host = m->at->host,
			   .port = m->at->port },
		.then = "the board sees its connection fail, and tries again"
	};

	if (!m->talk || m->answered || m->way[SIDE_BACKEND].raw)
		return;
	if (who == SIDE_DEVICE)
		stage_left(m->talk, &s, pair_is_up(&m->pair));
	else
		stage_failed(m->talk, &s);
}

static void on_ended(void *owner, enum side from, enum event_end how)
{
	struct mqtt_talk *m = owner;
	struct mqtt_way *w = &m->way[from];

	judge_silence(m, from);

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
	.crowded = on_crowded,
	.kept = on_kept,
	.ended = on_ended,
	.closed = on_closed,
};

/* What there is of it goes on, unread, and its rest when it comes. */
static void pass_half(struct mqtt_way *w)
{
	CLEANUP(buf_done) struct buf half = w->in;
	struct mqtt_packet p;

	w->in = (struct buf){ 0 };
	if (packet_read(&p, half.data, half.len) != PACKET_PART) {
		buf_add(&w->in, half.data, half.len);
		return;
	}
	w->skip = p.size - half.len;
	tell_packet(w, &p);
	write_on(w, half.data, half.len);
}

static void on_patience(void *owner)
{
	struct mqtt_talk *m = owner;

	if (m->begun) {
		pass_half(&m->way[SIDE_DEVICE]);
		return;
	}
	if (m->way[SIDE_DEVICE].in.len)
		gate_refuse(&m->at->gate, LACK_TIME,
			    (struct sockaddr *)&m->board);
	pair_finish(&m->pair);
}

/* Who has said nothing whole for longest goes. */
static void make_room(struct mqtt_relay *r)
{
	struct mqtt_talk *m = r->oldest;

	if (r->waiting < r->proxy->knocks_max)
		return;
	while (m && (m->begun || m->pair.closing))
		m = m->previous;
	if (!m)
		return;
	gate_refuse(&m->at->gate, LACK_PLACES, (struct sockaddr *)&m->board);
	pair_reset(&m->pair);
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
	char text[ADDRESS_TEXT_MAX];

	memcpy(&m->board, from,
	       from->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) :
					     sizeof(struct sockaddr_in));
	getsockname(fd, (struct sockaddr *)&own, &len);
	address_print_host((struct sockaddr *)&own, m->own, sizeof(m->own));
	address_print((struct sockaddr *)&m->board, text, sizeof(text));
	m->host = web_host_of(text);
}

void mqtt_talk_begin(struct mqtt_place *at, int fd, const struct sockaddr *from,
		     struct share *share)
{
	struct mqtt_relay *r = at->relay;
	struct mqtt_talk *m;

	make_room(r);
	m = mem_zalloc(sizeof(*m));
	m->at = at;
	m->level = 4;
	m->open = 4;
	share_move(&m->share, share);
	m->pair.share = &m->share;
	read_ends(m, fd, from);
	m->turn = (struct turn){ .proxy = r->proxy,
				 .share = &m->share,
				 .from = m->host,
				 .go = on_turn,
				 .late = on_late,
				 .end = make_way,
				 .owner = m };
	timer_open(&m->patience, r->proxy->loop, on_patience, m);
	timer_start(&m->patience, CONNECT_MS);
	way_open(m, SIDE_DEVICE);
	way_open(m, SIDE_BACKEND);
	if (!r->oldest)
		r->oldest = m;
	CHAIN_PUSH(r->talks, m);
	r->waiting++;
	r->open++;
	pair_open(&m->pair, r->proxy->loop, fd, &pair_events, m);
}
