/* SPDX-License-Identifier: MIT */
#include "net/announced.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"

#define KINDS_NAME "_services._dns-sd._udp.local" /* RFC 6763, 9 */

enum {
	TTL = 120, /* seconds; of what does not name a host 4500 */
	TTL_LONG = 4500,
	TEXT_MAX = 255 /* bytes */
};

#define BIT ANNOUNCED_BIT

void announced_done(struct announced_service *s)
{
	mem_free(s->service);
	mem_free(s->host);
	mem_free(s->full);
	buf_done(&s->text);
	words_done(&s->addresses);
	*s = (struct announced_service){ 0 };
}

void announced_add_text(struct announced_service *s, const char *const *text)
{
	for (; *text; text++) {
		size_t len = text_cut(*text, strlen(*text), TEXT_MAX);

		buf_char(&s->text, (char)len);
		buf_add(&s->text, *text, len);
	}
}

/* ---- what is said ---- */

struct mdns_record announced_record(const struct announced_service *s,
				    enum announced_record which,
				    const char *address)
{
	switch (which) {
	case RECORD_KINDS:
		return (struct mdns_record){ .type = MDNS_PTR,
					     .name = KINDS_NAME,
					     .to = s->service,
					     .ttl = TTL_LONG };
	case RECORD_POINTER:
		return (struct mdns_record){ .type = MDNS_PTR,
					     .name = s->service,
					     .to = s->full,
					     .ttl = TTL_LONG };
	case RECORD_PLACE:
		return (struct mdns_record){ .type = MDNS_SRV,
					     .name = s->full,
					     .to = s->host,
					     .port = s->port,
					     .ttl = TTL,
					     .unique = true };
	case RECORD_ABOUT:
		return (struct mdns_record){ .type = MDNS_TXT,
					     .name = s->full,
					     .text = s->text.data,
					     .len = s->text.len,
					     .ttl = TTL_LONG,
					     .unique = true };
	case RECORD_HOST:
	case RECORDS:
		break;
	}
	return (struct mdns_record){ .type = MDNS_A,
				     .name = s->host,
				     .address = address,
				     .ttl = TTL,
				     .unique = true };
}

unsigned announced_belonging(unsigned asked)
{
	unsigned more = 0;

	if (asked & BIT(RECORD_POINTER))
		more = BIT(RECORD_PLACE) | BIT(RECORD_ABOUT) | BIT(RECORD_HOST);
	if (asked & BIT(RECORD_PLACE))
		more |= BIT(RECORD_HOST);
	return more & ~asked;
}

size_t announced_records(struct mdns_record *out, size_t count,
			 const struct announced_service *s, unsigned which,
			 const char *address)
{
	for (size_t i = 0; i < RECORDS; i++) {
		if (which & BIT(i))
			out[count++] = announced_record(
				s, (enum announced_record)i, address);
	}
	return count;
}

/* ---- what others say ---- */

static bool is_address_of_ours(const struct announced_service *s,
			       const char *address)
{
	for (size_t i = 0; i < s->addresses.count; i++) {
		if (strcmp(s->addresses.word[i], address) == 0)
			return true;
	}
	return false;
}

/* A record of a name of ours that says what we do not. */
static bool is_conflict(const struct announced_service *s,
			const struct mdns_record *r)
{
	if (!text_same(r->name, s->full))
		return r->type == MDNS_A && text_same(r->name, s->host) &&
		       !is_address_of_ours(s, r->address);
	if (r->type == MDNS_SRV)
		return r->port != s->port || !text_same(r->to, s->host);
	return r->type == MDNS_TXT &&
	       (r->len != s->text.len ||
		memcmp(r->text, s->text.data, r->len) != 0);
}

/*
 * Somebody asks for our name at the same time: who says more, as DNS sorts it,
 * has it (RFC 6762, 8.2.1). We claim one record, the last of the kinds.
 */
static int compare_claim(const struct announced_service *s,
			 const struct mdns_record *r)
{
	size_t mine, theirs;

	if (r->type != MDNS_SRV)
		return 1;
	if (r->priority || r->weight)
		return -1;
	if (r->port != s->port)
		return s->port > r->port ? 1 : -1;
	mine = strcspn(s->host, ".");
	theirs = strcspn(r->to, ".");
	if (mine != theirs)
		return mine > theirs ? 1 : -1;
	return strcasecmp(s->host, r->to);
}

static bool wants(unsigned type, unsigned one)
{
	return type == one || type == MDNS_ANY;
}

static unsigned asked_for(const struct announced_service *s,
			  const struct mdns_question *q)
{
	unsigned out = 0;

	if (text_same(q->name, KINDS_NAME) && wants(q->type, MDNS_PTR))
		out = BIT(RECORD_KINDS);
	if (text_same(q->name, s->service) && wants(q->type, MDNS_PTR))
		out = BIT(RECORD_POINTER);
	if (text_same(q->name, s->full) && wants(q->type, MDNS_SRV))
		out |= BIT(RECORD_PLACE);
	if (text_same(q->name, s->full) && wants(q->type, MDNS_TXT))
		out |= BIT(RECORD_ABOUT);
	if (text_same(q->name, s->host) && wants(q->type, MDNS_A))
		out = BIT(RECORD_HOST);
	return out;
}

static void on_asked(void *owner, const struct mdns_question *q)
{
	struct announced_hearing *h = owner;
	unsigned which = asked_for(h->of, q);

	if (which && !h->asked) {
		snprintf(h->question, sizeof(h->question), "%s", q->name);
		h->type = q->type;
	}
	if (which && q->unicast)
		h->alone = true;
	h->asked |= which;
}

/* It need not be told what it says, if it says so for a while yet. */
static void on_known(void *owner, const struct mdns_record *r)
{
	struct announced_hearing *h = owner;
	const struct announced_service *s = h->of;

	if (r->type != MDNS_PTR || r->ttl < TTL_LONG / 2)
		return;
	if (text_same(r->name, s->service) && text_same(r->to, s->full))
		h->known |= BIT(RECORD_POINTER);
	if (text_same(r->name, KINDS_NAME) && text_same(r->to, s->service))
		h->known |= BIT(RECORD_KINDS);
}

/* The first of them counts: they come in the order in which DNS sorts them. */
static void on_claimed(void *owner, const struct mdns_record *r)
{
	struct announced_hearing *h = owner;
	const struct announced_service *s = h->of;

	if (h->claimed || !text_same(r->name, s->full))
		return;
	h->claimed = true;
	h->claim = compare_claim(s, r);
}

static void on_said(void *owner, const struct mdns_record *r)
{
	struct announced_hearing *h = owner;

	h->conflict = h->conflict || is_conflict(h->of, r);
}

static const struct mdns_hearer hearer = { .asked = on_asked,
					   .known = on_known,
					   .claimed = on_claimed,
					   .said = on_said };

bool announced_hear(struct announced_hearing *h,
		    const struct announced_service *of,
		    const struct mdns_table *mdns, const void *data, size_t len,
		    uint16_t *id)
{
	*h = (struct announced_hearing){ .of = of };
	return mdns->hear(data, len, &hearer, h, id) == 0;
}
