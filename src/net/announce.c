/* SPDX-License-Identifier: MIT */
/*
 * A service announced: its name tried, told, answered for, taken back. One
 * socket on each interface, which hears what comes there and nothing else; one
 * timer for all that is due.
 */
#include "net/announce.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/module.h"
#include "base/random.h"
#include "base/text.h"
#include "base/utf8.h"
#include "net/address.h"
#include "net/announced.h"
#include "net/interfaces.h"

enum {
	PROBES = 3, /* RFC 6762, 8.1, as all times here */
	PROBE_MS = 250,
	LOST_MS = 1000, /* after somebody else asked for the name, too */
	ANNOUNCEMENTS = 2,
	ANNOUNCE_MS = 1000,
	AGAIN_MS = 1000, /* until a record is told to all again */
	DELAY_LEAST_MS = 20, /* before an answer to all, so that not all of */
	DELAY_MS = 100, /* them come at once */
	HEARD_MAX = 200, /* packets of one interface in a second */
	ALONE_MAX = 20, /* answers there to one asker alone, in a second */
	CONFLICTS_MAX = 15,
	REST_MS = 60000, /* after so many of them */
	LABEL_MAX = 63 /* bytes */
};

struct announced_on { /* one interface */
	struct announce *owner;
	uv_udp_t uv;
	char name[32], text[INET_ADDRSTRLEN];
	struct in_addr address, mask;
	unsigned due; /* to be told to all … */
	int64_t due_at; /* … at that loop_now() ms */
	bool defends; /* somebody wants our name */
	int64_t told[RECORDS]; /* when each was last; 0: never */
	int64_t second; /* loop_now() ms: since when is counted */
	unsigned heard, alone;
	char packet[MDNS_PACKET_MAX];
};

enum announce_state {
	ANNOUNCE_PROBES, /* asks whether the name is another's */
	ANNOUNCE_TELLS,
	ANNOUNCE_IS_UP
};

struct announce {
	struct loop *loop;
	const struct mdns_table *mdns;
	struct announce_events events;
	struct announced_on *on[INTERFACES_MAX];
	size_t count;
	struct timer timer;
	enum announce_state state;
	unsigned step; /* of that state, so far */
	int64_t step_at; /* loop_now() ms */
	char *label; /* without a number */
	unsigned number; /* behind it; 1: none */
	unsigned shown; /* that of the name that was told; 0: none */
	unsigned conflicts;
	struct announced_service what;
	bool failed; /* that it cannot send was told */
	size_t open;
};

static void tell(const struct announce *a, const char *format, ...)
	PRINTF_LIKE(2, 3);
static void tell(const struct announce *a, const char *format, ...)
{
	CLEANUP(mem_free_ptr) char *line = NULL;
	va_list args;

	va_start(args, format);
	line = mem_vprintf(format, args);
	va_end(args);
	a->events.told(a->events.owner, line);
}

static int64_t by_chance(int64_t least, int64_t range)
{
	uint32_t bits;

	random_bytes(&bits, sizeof(bits));
	return loop_now() + least + (int64_t)(bits % (uint32_t)range);
}

/* ---- names ---- */

/* "mcpctl on lab (2)", cut so that DNS takes it; yours. */
static char *shown_name(const struct announce *a)
{
	CLEANUP(mem_free_ptr)
	char *tail =
		a->number > 1 ? mem_printf(" (%u)", a->number) : mem_strdup("");
	size_t most = LABEL_MAX - strlen(tail);

	return mem_printf("%.*s%s", text_shown(a->label, most), a->label, tail);
}

static int name_it(struct announce *a)
{
	CLEANUP(mem_free_ptr) char *label = shown_name(a);
	CLEANUP(buf_done) struct buf full = { 0 };

	if (a->mdns->name(&full, label, a->what.service))
		return -1;
	mem_free(a->what.full);
	a->what.full = buf_take(&full);
	return 0;
}

/* ---- what is said ---- */

static void send_to(struct announced_on *on, const struct sockaddr *to,
		    const struct mdns_saying *s)
{
	struct announce *a = on->owner;
	CLEANUP(buf_done) struct buf packet = { 0 };
	struct sockaddr_in group;
	uv_buf_t data;
	int status;

	if (a->mdns->say(&packet, s))
		return;
	uv_ip4_addr(MDNS_GROUP, MDNS_PORT, &group);
	data = uv_buf_init(packet.data, (unsigned)packet.len);
	status = uv_udp_try_send(&on->uv, &data, 1,
				 to ? to : (const struct sockaddr *)&group);
	if (status >= 0 || status == UV_EAGAIN || a->failed)
		return;
	a->failed = true;
	tell(a, "cannot announce on %s: %s", on->name, uv_strerror(status));
}

/* To all. goodbye: it is no more. */
static void say(struct announced_on *on, unsigned which, bool goodbye)
{
	struct mdns_record record[RECORDS];
	struct mdns_saying s = { .record = record };
	unsigned more = goodbye ? 0 : announced_belonging(which);
	size_t asked =
		announced_records(record, 0, &on->owner->what, which, on->text);

	s.count = announced_records(record, asked, &on->owner->what, more,
				    on->text);
	s.more = s.count - asked;
	for (size_t i = 0; i < s.count && goodbye; i++)
		/* cppcheck-suppress unreadVariable ; s.record is the same */
		record[i].ttl = 0;
	for (size_t i = 0; i < RECORDS; i++) {
		if ((which | more) & ANNOUNCED_BIT(i))
			on->told[i] = loop_now();
	}
	if (s.count)
		send_to(on, NULL, &s);
}

static void say_all(const struct announce *a, unsigned which, bool goodbye)
{
	for (size_t i = 0; i < a->count; i++)
		say(a->on[i], which, goodbye);
}

/* Answered to all: our socket hears what is sent to all. */
static void probe(const struct announce *a)
{
	const struct mdns_question q = { a->what.full, MDNS_ANY, false };

	for (size_t i = 0; i < a->count; i++) {
		const struct mdns_record mine = announced_record(
			&a->what, RECORD_PLACE, a->on[i]->text);

		send_to(a->on[i], NULL,
			&(struct mdns_saying){ .question = &q,
					       .record = &mine,
					       .count = 1,
					       .claims = true });
	}
}

/* ---- what is due ---- */

static void begin(struct announce *a, enum announce_state state, int64_t at)
{
	a->state = state;
	a->step = 0;
	a->step_at = at;
}

/* Once for each name, whatever strangers claim. */
static void tell_up(struct announce *a)
{
	CLEANUP(mem_free_ptr) char *name = shown_name(a);
	CLEANUP(buf_done) struct buf where = { 0 };

	if (a->shown == a->number)
		return;
	a->shown = a->number;
	for (size_t i = 0; i < a->count; i++)
		buf_printf(&where, "%s%s (%s:%u)", i ? ", " : "",
			   a->on[i]->name, a->on[i]->text,
			   (unsigned)a->what.port);
	tell(a, "announced as '%s' on %s%s", name, buf_string(&where),
	     a->number > 1 ? "; its name without a number is another's" : "");
}

static void take_step(struct announce *a)
{
	if (a->state == ANNOUNCE_PROBES && a->step < PROBES) {
		probe(a);
		a->step++;
		a->step_at = loop_now() + PROBE_MS;
		return;
	}
	if (a->state == ANNOUNCE_PROBES) {
		begin(a, ANNOUNCE_TELLS, loop_now());
		tell_up(a);
	}
	say_all(a, ANNOUNCED_ALL, false);
	a->step_at = loop_now() + ANNOUNCE_MS;
	if (++a->step == ANNOUNCEMENTS)
		begin(a, ANNOUNCE_IS_UP, LOOP_FOREVER);
}

/* What all heard a moment ago is not said again. */
static void answer_all(struct announced_on *on)
{
	unsigned which = on->due;

	for (size_t i = 0; i < RECORDS; i++) {
		int64_t least = on->defends ? PROBE_MS : AGAIN_MS;

		if (on->told[i] && loop_now() - on->told[i] < least)
			which &= ~ANNOUNCED_BIT(i);
	}
	on->due = 0;
	on->defends = false;
	on->due_at = LOOP_FOREVER;
	if (which)
		say(on, which, false);
}

static void set_timer(struct announce *a)
{
	int64_t next = a->step_at, now = loop_now();

	for (size_t i = 0; i < a->count; i++) {
		if (a->on[i]->due_at < next)
			next = a->on[i]->due_at;
	}
	timer_stop(&a->timer);
	if (next < LOOP_FOREVER)
		timer_start(&a->timer, next > now ? next - now : 0);
}

static void on_timer(void *owner)
{
	struct announce *a = owner;

	if (loop_now() >= a->step_at)
		take_step(a);
	for (size_t i = 0; i < a->count; i++) {
		if (loop_now() >= a->on[i]->due_at)
			answer_all(a->on[i]);
	}
	set_timer(a);
}

/* ---- the name is another's ---- */

/* It was told, and somebody says otherwise: who has it is found out anew. */
static void doubt(struct announce *a)
{
	begin(a, ANNOUNCE_PROBES, by_chance(0, PROBE_MS));
}

static void take_other_name(struct announce *a)
{
	CLEANUP(mem_free_ptr) char *taken = shown_name(a);
	bool many = ++a->conflicts % CONFLICTS_MAX == 0;

	a->number++;
	/* It was taken with a number before, and no number makes it longer. */
	if (name_it(a))
		return;
	if (many)
		tell(a,
		     "%d names were another's, the last one '%s': announced again in a minute",
		     CONFLICTS_MAX, taken);
	begin(a, ANNOUNCE_PROBES,
	      many ? loop_now() + REST_MS : by_chance(0, PROBE_MS));
}

/* ---- who asks ---- */

/* So that nobody can have others written to, nor keep us at it. */
static bool has_one_left(struct announced_on *on, unsigned *count,
			 unsigned most)
{
	if (loop_now() - on->second >= 1000) {
		on->second = loop_now();
		on->heard = on->alone = 0;
	}
	return (*count)++ < most;
}

static void answer_alone(struct announced_on *on,
			 const struct announced_hearing *h,
			 const struct sockaddr *to, bool plain, uint16_t id)
{
	const struct mdns_question q = { h->question, h->type, false };
	struct mdns_record record[RECORDS];
	struct mdns_saying s = { .record = record, .plain = plain };
	size_t asked = announced_records(record, 0, &on->owner->what,
					 h->asked & ~h->known, on->text);

	if (!asked || !has_one_left(on, &on->alone, ALONE_MAX))
		return;
	s.count = announced_records(record, asked, &on->owner->what,
				    announced_belonging(h->asked), on->text);
	s.more = s.count - asked;
	if (plain) {
		s.id = id;
		s.question = &q;
	}
	send_to(on, to, &s);
}

static void answer_soon(struct announced_on *on, unsigned which, bool defends)
{
	if (!which)
		return;
	on->due |= which;
	on->defends = on->defends || defends;
	if (on->due_at == LOOP_FOREVER)
		on->due_at = by_chance(DELAY_LEAST_MS, DELAY_MS);
}

static void take_question(struct announced_on *on,
			  const struct announced_hearing *h,
			  const struct sockaddr *from, uint16_t id)
{
	bool plain = address_port(from) != MDNS_PORT;

	/* Until it is known whose the name is there is nothing to say. */
	if (on->owner->state == ANNOUNCE_PROBES)
		return;
	if (plain || h->alone)
		answer_alone(on, h, from, plain, id);
	else
		answer_soon(on, h->asked & ~h->known, h->claimed);
}

static void take_claims(struct announce *a, const struct announced_hearing *h)
{
	if (a->state != ANNOUNCE_PROBES) {
		if (h->conflict)
			doubt(a);
		return;
	}
	/* What came before it was asked for is told again. */
	if (a->step == 0)
		return;
	if (h->conflict)
		take_other_name(a);
	else if (h->claimed && h->claim < 0)
		begin(a, ANNOUNCE_PROBES, loop_now() + LOST_MS);
}

/* ---- the sockets ---- */

static void on_alloc(uv_handle_t *handle, size_t wanted, uv_buf_t *out)
{
	struct announced_on *on = handle->data;

	(void)wanted;
	*out = uv_buf_init(on->packet, sizeof(on->packet));
}

/* Of the interface's own net: what comes from elsewhere was sent on purpose. */
static bool is_near(const struct announced_on *on, const struct sockaddr *from)
{
	struct sockaddr_in v4;

	if (from->sa_family != AF_INET)
		return false;
	memcpy(&v4, from, sizeof(v4));
	return ((v4.sin_addr.s_addr ^ on->address.s_addr) & on->mask.s_addr) ==
	       0;
}

static void on_packet(uv_udp_t *u, ssize_t len, const uv_buf_t *data,
		      const struct sockaddr *from, unsigned flags)
{
	struct announced_on *on = u->data;
	struct announce *a = on->owner;
	struct announced_hearing h;
	uint16_t id = 0;

	if (len <= 0 || !from || (flags & UV_UDP_PARTIAL) ||
	    !is_near(on, from) || !has_one_left(on, &on->heard, HEARD_MAX) ||
	    !announced_hear(&h, &a->what, a->mdns, data->base, (size_t)len,
			    &id))
		return;
	take_claims(a, &h);
	take_question(on, &h, from, id);
	set_timer(a);
}

/* Shared with whoever is there; only what comes on that interface is heard. */
static int open_socket(const struct announced_on *on)
{
	const int yes = 1, no = 0, hops = 255;
	struct sockaddr_in group;
	struct ip_mreqn join = { .imr_address = on->address };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int error;

	uv_ip4_addr(MDNS_GROUP, MDNS_PORT, &group);
	join.imr_multiaddr = group.sin_addr;
	if (fd < 0)
		return -errno;
	if (!setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) &&
	    !setsockopt(fd, IPPROTO_IP, IP_MULTICAST_ALL, &no, sizeof(no)) &&
	    !setsockopt(fd, IPPROTO_IP, IP_MULTICAST_TTL, &hops,
			sizeof(hops)) &&
	    !setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &join, sizeof(join)) &&
	    !bind(fd, (const struct sockaddr *)&group, sizeof(group)) &&
	    !setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &join, sizeof(join)))
		return fd;
	error = errno;
	close(fd);
	return -error;
}

static void release(struct announce *a)
{
	mem_free(a->label);
	announced_done(&a->what);
	mem_free(a);
}

static void closed_one(struct announce *a)
{
	if (--a->open == 0)
		release(a);
}

static void on_closed(uv_handle_t *handle)
{
	struct announced_on *on = handle->data;
	struct announce *a = on->owner;

	mem_free(on);
	closed_one(a);
}

static void on_timer_closed(void *owner)
{
	closed_one(owner);
}

void announce_close(struct announce *a)
{
	if (!a)
		return;
	if (a->state != ANNOUNCE_PROBES)
		say_all(a, ANNOUNCED_ALL, true);
	a->open++;
	for (size_t i = 0; i < a->count; i++)
		uv_close((uv_handle_t *)&a->on[i]->uv, on_closed);
	if (a->timer.open)
		timer_close(&a->timer, on_timer_closed);
	closed_one(a);
}

/* ---- where ---- */

static int listen_on(struct announce *a, struct announced_on *on)
{
	int fd = open_socket(on), status;

	if (fd < 0)
		return fd;
	status = uv_udp_init(loop_uv(a->loop), &on->uv);
	if (status != 0) {
		close(fd);
		return status;
	}
	on->uv.data = on;
	a->on[a->count++] = on;
	a->open++;
	status = uv_udp_open(&on->uv, fd);
	if (status != 0) {
		close(fd);
		return status;
	}
	return uv_udp_recv_start(&on->uv, on_alloc, on_packet);
}

/* Of several addresses of one interface the first is announced. */
static bool is_there(const struct announce *a, const char *name)
{
	for (size_t i = 0; i < a->count; i++) {
		if (strcmp(a->on[i]->name, name) == 0)
			return true;
	}
	return false;
}

/* What fails on one may be fine on others: it is told. */
static bool add_interface(void *owner, const uv_interface_address_t *one)
{
	struct announce *a = owner;
	struct announced_on *on;
	size_t before = a->count;
	int status;

	if (is_there(a, one->name))
		return false;
	on = mem_zalloc(sizeof(*on));
	on->owner = a;
	on->due_at = LOOP_FOREVER;
	on->address = one->address.address4.sin_addr;
	on->mask = one->netmask.netmask4.sin_addr;
	snprintf(on->name, sizeof(on->name), "%s", one->name);
	uv_ip4_name(&one->address.address4, on->text, sizeof(on->text));
	status = listen_on(a, on);
	if (status != 0)
		tell(a, "cannot announce on %s: %s", on->name,
		     uv_strerror(status));
	if (a->count == before)
		mem_free(on);
	else
		words_add(&a->what.addresses, on->text);
	return a->count > before;
}

static int open_all(struct announce *a, const struct announce_order *o,
		    struct error *err)
{
	const struct interfaces_choice choice = {
		.names = o->interfaces,
		.address = o->address,
		.purpose = "there is no network to announce it in"
	};

	return interfaces_each(&choice, add_interface, a, err);
}

/* ---- from the beginning ---- */

static int prepare(struct announce *a, const struct announce_order *o,
		   struct error *err)
{
	a->number = 1;
	a->what.port = o->port;
	a->label = mem_strdup(o->label);
	a->what.service = mem_printf("%s.local", o->service);
	a->what.host = mem_printf("%s.local", o->host);
	announced_add_text(&a->what, o->text);
	if (name_it(a))
		return error_set(err, ERR_USAGE,
				 "'%s' is no name that DNS takes", o->label);
	return 0;
}

int announce_open(struct announce **out, struct loop *l,
		  const struct announce_order *order,
		  const struct announce_events *events, struct error *err)
{
	const struct mdns_table *mdns =
		module_sized("mdns", MDNS_TABLE, sizeof(*mdns), err);
	struct announce *a;

	*out = NULL;
	if (!mdns)
		return -1;
	a = mem_zalloc(sizeof(*a));
	a->loop = l;
	a->mdns = mdns;
	a->events = *events;
	if (prepare(a, order, err) || open_all(a, order, err)) {
		announce_close(a);
		return -1;
	}
	timer_open(&a->timer, l, on_timer, a);
	a->open++;
	begin(a, ANNOUNCE_PROBES, by_chance(0, PROBE_MS));
	set_timer(a);
	*out = a;
	return 0;
}
