/* SPDX-License-Identifier: MIT */
/* Datagrams both ways; the contract is in the header. */
#include "proxy/udp_relay.h"
#include "proxy/gate.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/lookup.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/module.h"
#include "base/text.h"
#include "net/address.h"
#include "net/bind.h"
#include "net/endpoint.h"
#include "net/lacks.h"
#include "net/mqtt.h"
#include "proxy/tell.h"

#define ROOM 65536
/* Kept while the backend's name is looked up: some seconds of audio. */
#define EARLY_MAX 64
#define EARLY_BYTES (16u << 10)

struct udp_relay {
	struct proxy *proxy;
	const struct mqtt_table *table; /* for the cipher; NULL: not there */
	uv_udp_t uv;
	uint16_t number;
	struct map legs; /* by ssrc */
	unsigned open; /* this, and legs that are not released */
	bool stranger_told;
};

struct early {
	struct early *next;
	size_t len;
	char data[];
};

struct udp_leg {
	struct udp_relay *relay;
	struct talk *talk;
	uv_udp_t up; /* connected to the backend */
	uv_getaddrinfo_t *lookup; /* under way; NULL */
	struct sockaddr_storage board; /* its host; its port once it spoke */
	bool pinned; /* the port is known */
	bool opened, connected, closing, up_gone;
	bool broken_told, late_told, deaf_told;
	bool lost; /* there is no way to the backend */
	uint32_t ssrc, last[2]; /* [from_device] */
	uint32_t heard; /* the last number that was kept */
	unsigned char key[16];
	struct udp_offer offer;
	struct udp_counts counts[2]; /* [from_device] */
	struct early *first, **end;
	unsigned early;
	size_t early_bytes;
};

static uint64_t hash_of(uint32_t ssrc)
{
	return map_hash(&ssrc, sizeof(ssrc));
}

static struct udp_leg *find(const struct udp_relay *r, uint32_t ssrc)
{
	struct udp_leg *u;
	size_t at = 0;

	while ((u = map_find(&r->legs, hash_of(ssrc), &at))) {
		if (u->ssrc == ssrc)
			break;
	}
	return u;
}

/* ---- what passes is counted ---- */

static void count_number(struct udp_leg *u, bool from_device, uint32_t number)
{
	struct udp_counts *c = &u->counts[from_device];
	uint32_t *last = &u->last[from_device];

	if (number <= *last) {
		c->late++;
		if (!u->late_told)
			diag_found(&u->talk->diag, M412, (struct span){ 0 },
				   "%" PRIu32 " came after %" PRIu32, number,
				   *last);
		u->late_told = true;
		return;
	}
	if (number - *last > 1) {
		c->gaps++;
		c->lost += number - *last - 1;
	}
	*last = number;
}

/* ---- what the board says ---- */

static void judge_pace(struct udp_leg *u, struct span plain, struct span opus,
		       uint64_t missing)
{
	const struct diag_frame f = {
		.at_us = loop_now_us(),
		.leg = LEG_UDP,
		.kind = FRAME_IS_BINARY,
		.from_device = true,
		.data = plain.text,
		.len = plain.len,
	};
	const struct pace_packet k = {
		.frame = &f,
		.opus = opus,
		.own_us = loop_delay_us(u->relay->proxy->loop),
		.missing = missing,
	};

	pace_packet(u->talk->pace, &u->talk->diag, &k);
}

/* One packet of the board: its head as it came, its audio decrypted. */
static void hear(struct udp_leg *u, struct span plain)
{
	struct udp_audio_head head;
	struct span opus;
	uint64_t missing;

	if (udp_audio_decode(&head, plain.text, plain.len, NULL) ||
	    head.sequence <= u->heard)
		return;
	missing = head.sequence - u->heard - 1;
	u->heard = head.sequence;
	opus = (struct span){ plain.text + UDP_AUDIO_HEAD, head.length };
	judge_pace(u, plain, opus, missing);
	if (talk_voice(u->talk))
		voice_packet(u->talk->voice, opus.text, opus.len, missing);
}

void udp_leg_text(struct udp_leg *u, bool from_device, struct span text)
{
	if (u && !u->closing && talk_voice(u->talk))
		voice_text(u->talk->voice, from_device, text.text, text.len);
}

/* Its head as it is, its audio decrypted. */
static void record(struct udp_leg *u, bool from_device, const char *data,
		   size_t len)
{
	struct capture_event e = { .kind = CAPTURED_PACKET,
				   .from = from_device ? FROM_DEVICE :
							 FROM_BACKEND,
				   .data = { data, len },
				   .bytes = true,
				   .size = len };

	if (u->relay->table && len > UDP_AUDIO_HEAD) {
		static unsigned char plain[ROOM];

		memcpy(plain, data, UDP_AUDIO_HEAD);
		u->relay->table->cipher(u->key, plain, data + UDP_AUDIO_HEAD,
					len - UDP_AUDIO_HEAD,
					plain + UDP_AUDIO_HEAD);
		e.data.text = (const char *)plain;
		if (from_device)
			hear(u, e.data);
	}
	talk_pass(u->talk, &e);
}

static void count(struct udp_leg *u, bool from_device, const char *data,
		  size_t len)
{
	struct udp_counts *c = &u->counts[from_device];
	CLEANUP(error_reset) struct error why = { 0 };
	struct udp_audio_head head;

	c->packets++;
	c->bytes += len;
	if (!udp_audio_decode(&head, data, len, &why)) {
		count_number(u, from_device, head.sequence);
		return;
	}
	c->broken++;
	if (from_device || u->broken_told)
		return;
	u->broken_told = true;
	diag_found(&u->talk->diag, M411, (struct span){ 0 }, "%s", why.text);
}

static void dropped(struct udp_leg *u, bool from_device)
{
	u->counts[from_device].dropped++;
	if (u->deaf_told)
		return;
	u->deaf_told = true;
	talk_note(
		u->talk,
		from_device ?
			"audio of the board is not passed on: %s:%u does not take it" :
			"audio for the board %s:%u is not passed on",
		u->offer.server, (unsigned)u->offer.port);
}

/* to NULL: where the socket is connected to. */
static void pass(struct udp_leg *u, bool from_device, const char *data,
		 size_t len)
{
	uv_udp_t *out = from_device ? &u->up : &u->relay->uv;
	uv_buf_t piece;
	int status;

	piece.len = len;
	/* libuv takes a buffer that it does not change. */
	memcpy(&piece.base, &data, sizeof(piece.base));
	status = uv_udp_try_send(out, &piece, 1,
				 from_device ? NULL :
					       (struct sockaddr *)&u->board);
	if (status < 0) {
		dropped(u, from_device);
		return;
	}
	count(u, from_device, data, len);
	record(u, from_device, data, len);
}

/* ---- datagrams ---- */

static void on_room(uv_handle_t *uv, size_t wanted, uv_buf_t *out)
{
	/* Looked at and passed on in one step: all sockets share it. */
	static char shared[ROOM];

	(void)uv;
	(void)wanted;
	*out = uv_buf_init(shared, sizeof(shared));
}

static bool same_host(const struct sockaddr *a, const struct sockaddr *b)
{
	char one[ADDRESS_TEXT_MAX], other[ADDRESS_TEXT_MAX];

	address_print_host(a, one, sizeof(one));
	address_print_host(b, other, sizeof(other));
	return strcmp(one, other) == 0;
}

static bool is_board(struct udp_leg *u, const struct sockaddr *from)
{
	const struct sockaddr *board = (struct sockaddr *)&u->board;

	if (!same_host(board, from))
		return false;
	if (u->pinned)
		return address_port(board) == address_port(from);
	u->pinned = true;
	memcpy(&u->board, from,
	       from->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) :
					     sizeof(struct sockaddr_in));
	return true;
}

static void stranger(struct udp_relay *r, const struct sockaddr *from)
{
	char address[ADDRESS_TEXT_MAX];

	r->proxy->counts.strangers++;
	if (r->stranger_told)
		return;
	r->stranger_told = true;
	address_print(from, address, sizeof(address));
	proxy_say(
		r->proxy, PROXY_INFO, NULL, NULL,
		"UDP from %s is of no session, and goes nowhere (more of it is only counted)",
		address);
}

/* The backend's name is not found yet. */
static void keep_early(struct udp_leg *u, const char *data, size_t len)
{
	struct early *e;

	if (u->lost || u->early == EARLY_MAX ||
	    u->early_bytes + len > EARLY_BYTES) {
		dropped(u, true);
		return;
	}
	e = mem_alloc(sizeof(*e) + len);
	*e = (struct early){ .len = len };
	memcpy(e->data, data, len);
	*u->end = e;
	u->end = &e->next;
	u->early++;
	u->early_bytes += len;
}

static void on_board(uv_udp_t *uv, ssize_t len, const uv_buf_t *in,
		     const struct sockaddr *from, unsigned flags)
{
	struct udp_relay *r = uv->data;
	struct udp_audio_head head;
	struct udp_leg *u;

	(void)flags;
	if (len <= 0 || !from)
		return;
	/* A broken head may still name whose it is. */
	udp_audio_decode(&head, in->base, (size_t)len, NULL);
	u = find(r, head.ssrc);
	if (!u || !is_board(u, from))
		stranger(r, from);
	else if (!u->connected)
		keep_early(u, in->base, (size_t)len);
	else
		pass(u, true, in->base, (size_t)len);
}

static void on_backend(uv_udp_t *uv, ssize_t len, const uv_buf_t *in,
		       const struct sockaddr *from, unsigned flags)
{
	struct udp_leg *u = uv->data;

	(void)flags;
	if (len < 0)
		dropped(u, true);
	if (len <= 0 || !from)
		return;
	/* Nobody knows where the board is before it spoke: a backend neither. */
	if (u->pinned)
		pass(u, false, in->base, (size_t)len);
	else
		dropped(u, false);
}

/* ---- the relay's end ---- */

static void relay_release(struct udp_relay *r)
{
	struct proxy *p = r->proxy;

	if (--r->open)
		return;
	map_done(&r->legs);
	mem_free(r);
	p->udp = NULL;
	proxy_leg_closed(p);
}

static void on_relay_closed(uv_handle_t *uv)
{
	relay_release(uv->data);
}

void udp_relay_close(struct proxy *p)
{
	struct udp_relay *r = p->udp;

	if (!uv_is_closing((uv_handle_t *)&r->uv))
		uv_close((uv_handle_t *)&r->uv, on_relay_closed);
}

/* ---- a session ---- */

static void drop_early(struct udp_leg *u)
{
	while (u->first) {
		struct early *next = u->first->next;

		mem_free(u->first);
		u->first = next;
	}
	u->end = &u->first;
	u->early = 0;
	u->early_bytes = 0;
}

static void leg_release(struct udp_leg *u)
{
	struct udp_relay *r = u->relay;

	if (!u->closing || !u->up_gone)
		return;
	drop_early(u);
	mem_free(u);
	relay_release(r);
}

static void on_up_closed(uv_handle_t *uv)
{
	struct udp_leg *u = uv->data;

	u->up_gone = true;
	leg_release(u);
}

void udp_leg_close(struct udp_leg *u)
{
	if (!u || u->closing)
		return;
	u->closing = true;
	map_remove(&u->relay->legs, hash_of(u->ssrc), u);
	talk_end(TAKE(u->talk), FROM_NOBODY, ENDED_OTHER, 0);
	if (u->lookup) { /* it may take long and cannot be stopped: let go */
		u->lookup->data = NULL;
		uv_cancel((uv_req_t *)TAKE(u->lookup));
	}
	if (u->opened)
		uv_close((uv_handle_t *)&u->up, on_up_closed);
	else
		u->up_gone = true;
	leg_release(u);
}

static void pass_early(struct udp_leg *u)
{
	while (u->first) {
		struct early *e = u->first;

		u->first = e->next;
		pass(u, true, e->data, e->len);
		mem_free(e);
	}
	drop_early(u);
}

/* A lookup does not say it of itself. */
static bool no_file_is_left(const struct udp_leg *u)
{
	uv_os_fd_t any;
	int fd;

	if (uv_fileno((const uv_handle_t *)&u->relay->uv, &any))
		return false;
	fd = fcntl(any, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return lack_of_files(errno);
	close(fd);
	return false;
}

/* What is missing here says nothing of the hello. */
static bool is_ours(int status)
{
	static const int ours[] = { UV_EMFILE, UV_ENFILE, UV_ENOBUFS,
				    UV_ENOMEM, UV_EAGAIN, UV_EAI_MEMORY };

	for (size_t i = 0; i < COUNT(ours); i++) {
		if (status == ours[i])
			return true;
	}
	return false;
}

static void not_reached(struct udp_leg *u, int status)
{
	const char *server = u->offer.server;
	unsigned port = u->offer.port;

	u->lost = u->deaf_told = true;
	drop_early(u);
	if (status == UV_EMFILE || status == UV_ENFILE || no_file_is_left(u))
		talk_note(
			u->talk,
			"audio for %s:%u is not passed on: no open file is left here (ulimit -n)",
			server, port);
	else if (is_ours(status))
		talk_note(u->talk, "audio for %s:%u is not passed on: %s",
			  server, port, uv_strerror(status));
	else
		diag_found(&u->talk->diag, M407, (struct span){ 0 },
			   "%s port %u: %s", server, port, uv_strerror(status));
}

static int connect_up(struct udp_leg *u, const struct sockaddr *to)
{
	int status = uv_udp_init_ex(loop_uv(u->relay->proxy->loop), &u->up,
				    to->sa_family);

	if (status)
		return status;
	u->opened = true;
	u->up.data = u;
	status = uv_udp_connect(&u->up, to);
	return status ? status : uv_udp_recv_start(&u->up, on_room, on_backend);
}

static void on_found(uv_getaddrinfo_t *rq, int status, struct addrinfo *list)
{
	struct udp_leg *u = rq->data;

	mem_free(rq);
	if (!u) {
		uv_freeaddrinfo(list);
		return;
	}
	u->lookup = NULL;
	if (!status)
		status = connect_up(u, list->ai_addr);
	uv_freeaddrinfo(list);
	if (status) {
		not_reached(u, status);
		return;
	}
	u->connected = true;
	pass_early(u);
}

static void look_up(struct udp_leg *u)
{
	/* Boards have IPv4 (device.md 1.2). */
	const struct addrinfo hints = { .ai_socktype = SOCK_DGRAM,
					.ai_flags = AI_NUMERICSERV };
	char service[8];
	int status;

	snprintf(service, sizeof(service), "%u", (unsigned)u->offer.port);
	u->lookup = mem_zalloc(sizeof(*u->lookup));
	u->lookup->data = u;
	status = lookup_start(u->relay->proxy->loop, u->lookup, on_found,
			      u->offer.server, service, &hints);
	if (!status)
		return;
	mem_free(TAKE(u->lookup));
	not_reached(u, status);
}

/* That of --listen; of several all, for boards come in at each. Yours. */
static char *own_host(const struct words *listen)
{
	CLEANUP(mem_free_ptr) char *host = gate_host(listen);

	for (size_t i = 1; host && i < listen->count; i++) {
		const struct words one = { .word = listen->word + i,
					   .count = 1 };
		CLEANUP(mem_free_ptr) char *other = gate_host(&one);

		if (!other || !text_same(other, host))
			return NULL;
	}
	return TAKE(host);
}

static int relay_open(struct proxy *p, struct error *err)
{
	CLEANUP(mem_free_ptr) char *host = own_host(p->options.listen);
	struct sockaddr_storage own = { 0 };
	int size = sizeof(own);
	int fd = bind_udp(host, 0, err);
	struct udp_relay *r;

	if (fd < 0)
		return -1;
	r = mem_zalloc(sizeof(*r));
	r->proxy = p;
	r->open = 1;
	r->table = module_table("mqtt", MQTT_TABLE, NULL);
	uv_udp_init(loop_uv(p->loop), &r->uv);
	r->uv.data = r;
	p->udp = r;
	p->legs_open++;
	if (uv_udp_open(&r->uv, fd) ||
	    uv_udp_recv_start(&r->uv, on_room, on_board)) {
		close(fd);
		return error_set(err, ERR_CONNECT, "cannot use a UDP socket");
	}
	uv_udp_getsockname(&r->uv, (struct sockaddr *)&own, &size);
	r->number = address_port((const struct sockaddr *)&own);
	return 0;
}

static struct udp_leg *leg_new(struct udp_relay *r, const struct udp_order *o,
			       uint32_t ssrc)
{
	char address[ADDRESS_TEXT_MAX];
	const struct talk_head head = { .leg = LEG_UDP,
					.device = o->device,
					.address = address };
	struct udp_leg *u;
	struct talk *t;

	address_print_host(o->board, address, sizeof(address));
	t = talk_open(r->proxy, &head);
	if (!t)
		return NULL;
	t->diag.about.board = true;
	u = mem_zalloc(sizeof(*u));
	u->relay = r;
	u->talk = t;
	u->ssrc = ssrc;
	u->offer = *o->offer;
	u->end = &u->first;
	hex_decode_16(u->key, o->offer->key);
	memcpy(&u->board, o->board,
	       o->board->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) :
						 sizeof(struct sockaddr_in));
	map_add(&r->legs, hash_of(ssrc), u);
	r->open++;
	return u;
}

struct udp_leg *udp_leg_open(struct proxy *p, const struct udp_order *o,
			     uint16_t *port, struct error *err)
{
	struct udp_audio_head head;
	unsigned char nonce[16];
	struct udp_leg *u;

	if (!p->udp && relay_open(p, err))
		return NULL;
	if (!p->udp->number) {
		error_set(err, ERR_CONNECT, "there is no UDP socket");
		return NULL;
	}
	hex_decode_16(nonce, o->offer->nonce);
	/* Its length is 0, which is no packet's; its ssrc is read all the same. */
	udp_audio_decode(&head, nonce, sizeof(nonce), NULL);
	if (find(p->udp, head.ssrc)) {
		error_set(err, ERR_CONNECT,
			  "the connection id %08" PRIx32
			  " in its nonce is that of another session",
			  head.ssrc);
		return NULL;
	}
	u = leg_new(p->udp, o, head.ssrc);
	if (!u) {
		error_set(err, ERR_CONNECT, "there are too many talks");
		return NULL;
	}
	*port = p->udp->number;
	look_up(u);
	return u;
}
