/* SPDX-License-Identifier: MIT */
/*
 * An answer of multicast DNS: what is told of it fits the format, whatever
 * stands in the packet; and a name that was told can be asked for.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *const bounds[] = { (const char *)data,
				       (const char *)data + size };

	mdns_table.read(data, size, each, (void *)(uintptr_t)bounds);
	return 0;
}
