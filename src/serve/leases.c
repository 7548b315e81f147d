/* SPDX-License-Identifier: MIT */
/*
 * The table of leases: a list in the order of asking, and a map of the boards
 * that are held.
 */
#include "serve/leases.h"

#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/secret_file.h"
#include "base/text.h"

/* ---- boards ---- */

static const struct lease_board *find(const struct map *boards, const char *id)
{
	uint64_t hash = map_hash_text(id);
	const struct lease_board *b;
	size_t at = 0;

	while ((b = map_find(boards, hash, &at))) {
		if (strcmp(b->id, id) == 0)
			break;
	}
	return b;
}

static void put(struct map *boards, const struct lease *l)
{
	for (size_t i = 0; i < l->count; i++)
		map_add(boards, map_hash_text(l->board[i].id), &l->board[i]);
}

/* The first board of l that stands there; NULL. */
static const struct lease_board *shared(const struct map *boards,
					const struct lease *l)
{
	const struct lease_board *b = NULL;

	for (size_t i = 0; i < l->count && !b; i++)
		b = find(boards, l->board[i].id);
	return b;
}

/* ---- asked for, held, over ---- */

bool lease_is_held(const struct lease *l)
{
	return *l->token != '\0';
}

static int check(const struct leases *t, const struct lease_order *o,
		 struct error *err)
{
	if (o->ids->count > LEASE_BOARDS_MAX)
		return error_set(err, ERR_CONNECT,
				 "%zu boards are too many for one lease: %d",
				 o->ids->count, LEASE_BOARDS_MAX);
	if (t->count < LEASES_MAX)
		return 0;
	error_set(
		err, ERR_CONNECT,
		"serve has %d leases and who waits for one, which is the most",
		LEASES_MAX);
	return error_hint(err, "'mcpctl devices' shows who holds which board");
}

struct lease *leases_add(struct leases *t, const struct lease_order *o,
			 struct error *err)
{
	struct lease **at = &t->first;
	struct lease *l;

	if (check(t, o, err))
		return NULL;
	l = mem_zalloc(sizeof(*l));
	l->by = mem_strdup(o->by);
	l->holder = o->holder;
	l->length = o->length;
	l->until = LEASE_OPEN;
	l->count = o->ids->count;
	l->board = mem_zalloc((l->count + 1) * sizeof(*l->board));
	for (size_t i = 0; i < l->count; i++) {
		l->board[i].lease = l;
		l->board[i].id = mem_strdup(o->ids->word[i]);
	}
	while (*at)
		at = &(*at)->next;
	*at = l;
	t->count++;
	return l;
}

static void begin(struct leases *t, struct lease *l, int64_t now)
{
	random_hex(l->token);
	if (l->length && l->length < LEASE_OPEN - now)
		l->until = now + l->length;
	put(&t->held, l);
}

struct lease *leases_turn(struct leases *t, int64_t now)
{
	struct map wanted = { 0 }; /* by those who asked earlier */
	struct lease *l;

	for (l = t->first; l; l = l->next) {
		if (lease_is_held(l) || l->until == LEASE_LEFT)
			continue;
		if (!shared(&t->held, l) && !shared(&wanted, l))
			break;
		put(&wanted, l);
	}
	map_done(&wanted);
	if (l)
		begin(t, l, now);
	return l;
}

void lease_leave(struct lease *l)
{
	l->holder = NULL;
	l->until = LEASE_LEFT;
}

struct lease *leases_due(const struct leases *t, int64_t now)
{
	struct lease *l = t->first;

	while (l && l->until > now)
		l = l->next;
	return l;
}

int64_t leases_deadline(const struct leases *t)
{
	int64_t soonest = LEASE_OPEN;

	for (const struct lease *l = t->first; l; l = l->next) {
		if (l->until < soonest)
			soonest = l->until;
	}
	return soonest;
}

static void free_lease(struct lease *l)
{
	for (size_t i = 0; i < l->count; i++)
		mem_free(l->board[i].id);
	explicit_bzero(l->token, sizeof(l->token));
	mem_free(l->board);
	mem_free(l->by);
	mem_free(l);
}

void leases_remove(struct leases *t, struct lease *l)
{
	struct lease **at = &t->first;

	for (size_t i = 0; i < l->count && lease_is_held(l); i++)
		map_remove(&t->held, map_hash_text(l->board[i].id),
			   &l->board[i]);
	while (*at != l)
		at = &(*at)->next;
	*at = l->next;
	t->count--;
	free_lease(l);
}

void leases_done(struct leases *t)
{
	while (t->first)
		leases_remove(t, t->first);
	map_done(&t->held);
	*t = (struct leases){ 0 };
}

/* ---- whose ---- */

static struct lease *of_id(const struct leases *t, const char *id)
{
	CLEANUP(mem_free_ptr) char *small = mem_strdup(id);
	const struct lease_board *b;

	if (!small)
		return NULL;
	for (char *p = small; *p; p++)
		*p = (char)text_lower(*p);
	b = find(&t->held, small);
	return b ? b->lease : NULL;
}

struct lease *leases_of(const struct leases *t, const char *id,
			const char *device_id, const char *client_id)
{
	struct lease *l = NULL;

	if (!t->held.count)
		return NULL;
	l = of_id(t, id);
	if (!l)
		l = of_id(t, device_id);
	return l ? l : of_id(t, client_id);
}

struct lease *leases_by_holder(const struct leases *t, const void *holder)
{
	struct lease *l = t->first;

	while (l && l->holder != holder)
		l = l->next;
	return l;
}

const struct lease *leases_before(const struct leases *t, const struct lease *w,
				  const struct lease *after, const char **board)
{
	const struct lease *found = NULL;
	const struct lease_board *b;
	struct map wanted = { 0 };
	bool behind = !after; /* where the last one stood */
	bool earlier = true;

	put(&wanted, w);
	for (const struct lease *l = t->first; l; l = l->next) {
		earlier = earlier && l != w;
		b = behind && l != w && (earlier || lease_is_held(l)) ?
			    shared(&wanted, l) :
			    NULL;
		behind = behind || l == after;
		if (b) {
			*board = b->id;
			found = l;
			break;
		}
	}
	map_done(&wanted);
	return found;
}

/* ---- tokens ---- */

/* The next of them in *at; false: there is none. */
static bool next_token(const char **at, const char **token, size_t *len)
{
	const char *start = *at ? *at + strspn(*at, ", ") : "";

	*token = start;
	*len = strcspn(start, ", ");
	*at = start + *len;
	return *len > 0;
}

static bool is_token(const struct lease *l, const char *token, size_t len)
{
	return lease_is_held(l) &&
	       secret_same(l->token, strlen(l->token), token, len);
}

bool lease_has_token(const struct lease *l, const char *tokens)
{
	const char *token;
	bool found = false;
	size_t len;

	while (next_token(&tokens, &token, &len))
		found = is_token(l, token, len) || found;
	return found;
}

bool leases_know(const struct leases *t, const char *tokens)
{
	const char *token;
	bool known = true;
	size_t len;

	while (next_token(&tokens, &token, &len)) {
		bool found = false;

		for (const struct lease *l = t->first; l; l = l->next)
			found = is_token(l, token, len) || found;
		known = known && found;
	}
	return known;
}

/* ---- in words ---- */

void lease_tell(struct buf *out, const struct lease *l, int64_t now)
{
	int64_t left = l->until > now ? l->until - now : 0;

	if (!lease_is_held(l)) {
		buf_printf(out, "wanted by %s, who asked earlier", l->by);
	} else if (l->until == LEASE_OPEN) {
		buf_printf(out, "leased by %s until its command ends", l->by);
	} else {
		char time[32];

		buf_printf(out, "leased by %s for %s more", l->by,
			   text_milliseconds((left + 999) / 1000 * 1000, time,
					     sizeof(time)));
	}
}

void lease_describe(struct buf *out, const struct lease *l, int64_t now,
		    int64_t unix_now)
{
	char text[32] = "";
	time_t at;
	struct tm tm;

	buf_text(out, "{\"by\":");
	buf_json_string(out, l->by, strlen(l->by));
	if (l->until == LEASE_OPEN) {
		buf_text(out, ",\"until\":null}");
		return;
	}
	/* Both clocks move between two looks: the same second all the same. */
	at = (time_t)((unix_now + (l->until - now) + 500) / 1000);
	gmtime_r(&at, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	buf_printf(out, ",\"until\":\"%s\"}", text);
}
