/* SPDX-License-Identifier: MIT */
/*
 * A packet of multicast DNS: what is told of it fits the format, whatever stands
 * in it; a name that was told can be asked for, and what we make of a question
 * and a record is read again as the same.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/base.h"
#include "net/mdns.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void each(void *owner, const struct mdns_record *r)
{
	CLEANUP(buf_done) struct buf label = { 0 }, question = { 0 };
	const char *const *bounds = owner;

	assert(r->name && strlen(r->name) <= 1024);
	assert(!r->to || strlen(r->to) <= 1024);
	assert(!r->address || strlen(r->address) < 64);
	assert((r->type == MDNS_PTR || r->type == MDNS_SRV) == (r->to != NULL));
	if (r->type == MDNS_TXT && r->len)
		assert(r->text >= bounds[0] && r->text + r->len <= bounds[1]);
	mdns_table.label(&label, r->name);
	assert(label.len <= 63);
	if (mdns_table.ask(&question, r->name, MDNS_SRV) == 0)
		assert(question.len > 16 && question.len <= 512);
}

/* ---- said again ---- */

struct again {
	const struct mdns_question *question;
	const struct mdns_record *record;
	unsigned questions, records;
};

static void same_question(void *owner, const struct mdns_question *q)
{
	struct again *a = owner;

	assert(q->type == a->question->type);
	assert(strcmp(q->name, a->question->name) == 0);
	a->questions++;
}

/* In a packet the end of one name may stand for that of another, whose letters are
   smaller: to DNS it is the same. */
static void same_record(void *owner, const struct mdns_record *r)
{
	struct again *a = owner;

	assert(r->type == a->record->type && r->port == a->record->port);
	assert(strcmp(r->name, a->record->name) == 0);
	assert(!r->to || strcasecmp(r->to, a->record->to) == 0);
	assert(r->len == a->record->len);
	a->records++;
}

static void say_record(void *owner, const struct mdns_record *r)
{
	static const struct mdns_hearer hearer = { .said = same_record };
	struct again a = { .record = r };
	const struct mdns_saying s = { .record = r, .count = 1 };
	CLEANUP(buf_done) struct buf packet = { 0 };
	uint16_t id;

	each(owner, r);
	if (mdns_table.say(&packet, &s))
		return;
	assert(packet.len <= MDNS_SAID_MAX);
	assert(mdns_table.hear(packet.data, packet.len, &hearer, &a, &id) == 0);
	assert(a.records == 1);
}

static void say_question(void *owner, const struct mdns_question *q)
{
	static const struct mdns_hearer hearer = { .asked = same_question };
	struct again a = { .question = q };
	const struct mdns_saying s = { .question = q, .claims = true };
	CLEANUP(buf_done) struct buf packet = { 0 };
	uint16_t id;

	(void)owner;
	assert(q->name && strlen(q->name) <= 1024);
	if (mdns_table.say(&packet, &s))
		return;
	assert(mdns_table.hear(packet.data, packet.len, &hearer, &a, &id) == 0);
	assert(a.questions == 1);
}

static const struct mdns_hearer all = { .asked = say_question,
					.known = say_record,
					.claimed = say_record,
					.said = say_record };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *const bounds[] = { (const char *)data,
				       (const char *)data + size };
	uint16_t id;

	mdns_table.read(data, size, each, (void *)(uintptr_t)bounds);
	mdns_table.hear(data, size, &all, (void *)(uintptr_t)bounds, &id);
	return 0;
}
