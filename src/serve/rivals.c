/* SPDX-License-Identifier: MIT */
#include "serve/rivals.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/port_memory.h"

#define QUIET_MS 600000
#define SOON_MS 10000
#define OFTEN 3u /* a board that comes again is no riddle, unless often */

enum { NOTHING, PERHAPS, OFTEN_TOLD, CERTAIN, LEVELS };

static const char *const hints[3][LEVELS] = {
	{
		[PERHAPS] =
			"its client id is another one than before: two boards with one Device-Id throw each other out; or were its settings erased?",
		[OFTEN_TOLD] =
			"again and again: two boards with one Device-Id throw each other out, or one restarts (see its own log)",
		[CERTAIN] =
			"two boards with one Device-Id throw each other out, for ever: only one can be served; give the other a Device-Id of its own (firmware takes its MAC address)",
	},
	{
		[PERHAPS] =
			"from another address than before: if these are two boards, each needs a client id of its own, which OTA gives it",
		[OFTEN_TOLD] =
			"again and again: two boards with one client id throw each other out, or one restarts (see its own log)",
		[CERTAIN] =
			"two boards with one client id throw each other out, for ever: let each ask OTA here, which gives it a client id of its own; were settings copied from one to the other?",
	},
	{
		[PERHAPS] =
			"from another address than before: two tool sides with one token throw each other out",
		[OFTEN_TOLD] =
			"again and again: two tool sides with one token throw each other out, or one reconnects (see its own log)",
		[CERTAIN] =
			"two tool sides with one token throw each other out, for ever: only one can be served; give the other a token, or agent=NAME in its URL, of its own",
	},
};

static void empty(struct rival *r)
{
	mem_free(r->id);
	mem_free(r->last);
	mem_free(r->before);
	*r = (struct rival){ 0 };
}

static void forget_thrown(struct rivals *m)
{
	mem_free(TAKE(m->thrown));
	mem_free(TAKE(m->client));
	mem_free(TAKE(m->address));
}

void rivals_done(struct rivals *m)
{
	forget_thrown(m);
	while (m->count > 0)
		empty(&m->item[--m->count]);
}

/* The one of this id; else an empty one, for which the oldest goes. */
static struct rival *place_of(struct rivals *m, const char *id)
{
	struct rival *oldest = &m->item[0];

	for (size_t i = 0; i < m->count; i++) {
		if (text_same(m->item[i].id, id))
			return &m->item[i];
		if (m->item[i].at < oldest->at)
			oldest = &m->item[i];
	}
	if (m->count < RIVALS_MAX)
		oldest = &m->item[m->count++];
	empty(oldest);
	oldest->id = mem_strdup(id);
	return oldest;
}

/* Its client id and its address, without the port. */
static char *name_of(const char *client, const char *address)
{
	const char *port = address ? strrchr(address, ':') : NULL;
	bool bare = !port || (strchr(address, ':') != port && *address != '[');

	return mem_printf("%s at %.*s", client ? client : "",
			  address ? (int)(bare ? strlen(address) :
						 (size_t)(port - address)) :
				    0,
			  address ? address : "");
}

static int judge(const struct rival *r, const struct rivalry *how,
		 const char *new)
{
	bool by_address = how->mqtt || how->tool_side;
	bool other = by_address ? how->old_address && how->new_address &&
					  !memory_same_peer(how->old_address,
							    how->new_address) :
				  how->old_client && how->new_client &&
					  strcmp(how->old_client,
						 how->new_client) != 0;

	if (r->before && strcmp(new, r->before) == 0 &&
	    strcmp(new, r->last) != 0)
		return CERTAIN;
	if (r->times >= OFTEN)
		return OFTEN_TOLD;
	return other ? PERHAPS : NOTHING;
}

const char *rivals_meet(struct rivals *m, const struct rivalry *how)
{
	CLEANUP(mem_free_ptr)
	char *new = name_of(how->new_client, how->new_address);
	struct rival *r = place_of(m, how->id);
	int level;

	if (r->last && how->now - r->at > QUIET_MS) {
		empty(r);
		r->id = mem_strdup(how->id);
	}
	r->times = r->last && how->now - r->at <= SOON_MS ? r->times + 1 : 1;
	mem_free(r->before);
	r->before = TAKE(r->last);
	r->last = name_of(how->old_client, how->old_address);
	r->at = how->now;
	level = judge(r, how, new);
	if (level <= r->told)
		return NULL;
	r->told = level;
	return hints[how->tool_side ? 2 : how->mqtt][level];
}

bool rivals_certain(const struct rivals *m, const char *id)
{
	for (size_t i = 0; i < m->count; i++) {
		if (text_same(m->item[i].id, id))
			return m->item[i].told == CERTAIN;
	}
	return false;
}

void rivals_thrown(struct rivals *m, const char *id, const char *client,
		   const char *address)
{
	forget_thrown(m);
	m->thrown = mem_strdup(id);
	m->client = mem_strdup(client);
	m->address = mem_strdup(address);
}

const char *rivals_came(struct rivals *m, const struct rivalry *new)
{
	struct rivalry how = *new;
	const char *hint;

	if (!m->thrown || !text_same(m->thrown, new->id))
		return NULL;
	how.old_client = m->client;
	how.old_address = m->address;
	hint = rivals_meet(m, &how);
	forget_thrown(m);
	return hint;
}
