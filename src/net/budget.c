/* SPDX-License-Identifier: MIT */
/*
 * A table of those who hold something or used something in this minute.
 */
#include "net/budget.h"

#include <netinet/in.h>
#include <string.h>

#include "base/loop.h"
#include "base/map.h"
#include "base/mem.h"

struct budget_holder {
	struct budget_key key;
	uint64_t used[BUDGET_KINDS];
	int64_t minute; /* that of what is used within one */
	size_t shares;
};

struct budget {
	uint64_t sum[BUDGET_KINDS], used[BUDGET_KINDS];
	int64_t minute, began; /* its number; loop_now() ms of the first one */
	struct map holders; /* by key */
	size_t shares;
	bool ownerless;
};

static bool is_of_minute(enum budget_kind kind)
{
	return kind >= BUDGET_QUESTIONS;
}

/* ---- keys ---- */

struct budget_key budget_key_address(const struct sockaddr *sa)
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct budget_key key = { { 0 } };
	struct sockaddr_in6 v6;
	struct sockaddr_in v4;

	if (sa->sa_family == AF_INET) {
		memcpy(&v4, sa, sizeof(v4));
		memcpy(key.of, mapped, sizeof(mapped));
		memcpy(key.of + 12, &v4.sin_addr, 4);
	} else if (sa->sa_family == AF_INET6) {
		memcpy(&v6, sa, sizeof(v6));
		memcpy(key.of, &v6.sin6_addr,
		       memcmp(&v6.sin6_addr, mapped, sizeof(mapped)) ? 8 : 16);
	}
	return key;
}

struct budget_key budget_key_name(const char *name)
{
	uint64_t hash = map_hash_text(name);
	/* No peer has an address of multicast. */
	struct budget_key key = { { 0xff } };

	memcpy(key.of + 8, &hash, sizeof(hash));
	return key;
}

/* ---- holders ---- */

static uint64_t hash_of(const struct budget_key *key)
{
	return map_hash(key, sizeof(*key));
}

static struct budget_holder *holder_of(struct budget *b, struct budget_key key)
{
	uint64_t hash = hash_of(&key);
	struct budget_holder *h;
	size_t at = 0;

	while ((h = map_find(&b->holders, hash, &at))) {
		if (memcmp(&h->key, &key, sizeof(key)) == 0)
			return h;
	}
	h = mem_zalloc(sizeof(*h));
	h->key = key;
	h->minute = b->minute;
	map_add(&b->holders, hash, h);
	return h;
}

static bool uses_nothing(const struct budget *b, const struct budget_holder *h)
{
	if (h->shares)
		return false;
	if (h->minute != b->minute)
		return true;
	for (int i = BUDGET_QUESTIONS; i < BUDGET_KINDS; i++) {
		if (h->used[i])
			return false;
	}
	return true;
}

static void perhaps_drop(struct budget *b, struct budget_holder *h)
{
	if (!uses_nothing(b, h))
		return;
	map_remove(&b->holders, hash_of(&h->key), h);
	mem_free(h);
}

static bool keep_holder(void *owner, void *holder)
{
	bool keep = !uses_nothing(owner, holder);

	if (!keep)
		mem_free(holder);
	return keep;
}

/* What was used in the last minute is forgotten, with those who hold nothing. */
static void turn_minute(struct budget *b)
{
	int64_t minute = (loop_now() - b->began) / BUDGET_MINUTE_MS;

	if (minute == b->minute)
		return;
	b->minute = minute;
	for (int i = BUDGET_QUESTIONS; i < BUDGET_KINDS; i++)
		b->used[i] = 0;
	map_sweep(&b->holders, keep_holder, b);
}

static uint64_t used_by(const struct budget *b, const struct budget_holder *h,
			enum budget_kind kind)
{
	return is_of_minute(kind) && h->minute != b->minute ? 0 : h->used[kind];
}

/* How much of it one may have that has so much: as often as it is left. */
static bool fits(const struct budget *b, enum budget_kind kind, uint64_t has,
		 uint64_t more)
{
	uint64_t left =
		b->used[kind] < b->sum[kind] ? b->sum[kind] - b->used[kind] : 0;
	unsigned times = kind == BUDGET_HEADS || kind == BUDGET_CONNECTIONS ?
				 BUDGET_TIMES_CONNECTIONS :
				 BUDGET_TIMES;

	return more <= left && has + more <= times * (left - more);
}

/* ---- the budget ---- */

struct budget *budget_new(void)
{
	struct budget *b = mem_zalloc(sizeof(*b));

	b->began = loop_now();
	b->sum[BUDGET_HEADS] = UINT32_MAX;
	b->sum[BUDGET_CONNECTIONS] = UINT32_MAX;
	b->sum[BUDGET_BYTES] = BUDGET_BYTES_SUM;
	b->sum[BUDGET_UPSTREAM] = UINT32_MAX;
	b->sum[BUDGET_QUESTIONS] = BUDGET_QUESTIONS_SUM;
	b->sum[BUDGET_NAMED] = BUDGET_NAMED_SUM;
	b->sum[BUDGET_WRITTEN] = UINT32_MAX;
	return b;
}

static void release(struct budget *b)
{
	struct budget_holder *h;
	size_t at = 0;

	if (!b->ownerless || b->shares)
		return;
	while ((h = map_each(&b->holders, &at)))
		mem_free(h);
	map_done(&b->holders);
	mem_free(b);
}

void budget_free(struct budget *b)
{
	if (!b)
		return;
	b->ownerless = true;
	release(b);
}

void budget_set(struct budget *b, enum budget_kind kind, uint64_t sum)
{
	b->sum[kind] = sum;
}

uint64_t budget_used(const struct budget *b, enum budget_kind kind)
{
	int64_t minute = (loop_now() - b->began) / BUDGET_MINUTE_MS;

	return is_of_minute(kind) && minute != b->minute ? 0 : b->used[kind];
}

size_t budget_holders(const struct budget *b)
{
	return b->holders.count;
}

int budget_retry_after(const struct budget *b)
{
	int64_t into = (loop_now() - b->began) % BUDGET_MINUTE_MS;

	return (int)((BUDGET_MINUTE_MS - into + 999) / 1000);
}

static bool spend(struct budget *b, struct budget_holder *h,
		  enum budget_kind kind, uint64_t amount)
{
	if (!fits(b, kind, used_by(b, h, kind), amount))
		return false;
	if (h->minute != b->minute) {
		h->minute = b->minute;
		for (int i = BUDGET_QUESTIONS; i < BUDGET_KINDS; i++)
			h->used[i] = 0;
	}
	h->used[kind] += amount;
	b->used[kind] += amount;
	return true;
}

bool budget_spend(struct budget *b, struct budget_key key,
		  enum budget_kind kind, uint64_t amount)
{
	struct budget_holder *h;
	bool fine;

	turn_minute(b);
	h = holder_of(b, key);
	fine = spend(b, h, kind, amount);
	if (!fine)
		perhaps_drop(b, h);
	return fine;
}

/* ---- shares ---- */

static void disconnect(struct share *s)
{
	if (!s->connected)
		return;
	s->connected = false;
	s->holder->used[s->counted]--;
	s->budget->used[s->counted]--;
}

static void connect_as(struct share *s, enum budget_kind kind)
{
	disconnect(s);
	s->connected = true;
	s->counted = kind;
	s->holder->used[kind]++;
	s->budget->used[kind]++;
}

void share_open(struct share *s, struct budget *b, struct budget_key key)
{
	turn_minute(b);
	*s = (struct share){ .budget = b, .holder = holder_of(b, key) };
	s->holder->shares++;
	b->shares++;
	connect_as(s, BUDGET_HEADS);
}

void share_ask(struct share *s)
{
	if (s->connected)
		connect_as(s, BUDGET_CONNECTIONS);
}

bool share_is_over(const struct share *s)
{
	return s->connected &&
	       !fits(s->budget, s->counted, s->holder->used[s->counted], 0);
}

bool share_same(const struct share *a, const struct share *b)
{
	return a->holder && a->holder == b->holder;
}

bool share_hold(struct share *s, uint64_t bytes)
{
	if (!s->budget)
		return true;
	if (bytes > s->bytes &&
	    !fits(s->budget, BUDGET_BYTES, s->holder->used[BUDGET_BYTES],
		  bytes - s->bytes))
		return false;
	s->holder->used[BUDGET_BYTES] += bytes - s->bytes;
	s->budget->used[BUDGET_BYTES] += bytes - s->bytes;
	s->bytes = bytes;
	return true;
}

bool share_pass_on(struct share *s)
{
	if (!s->budget || s->upstream)
		return true;
	if (!fits(s->budget, BUDGET_UPSTREAM, share_upstream(s), 1))
		return false;
	s->upstream = true;
	s->holder->used[BUDGET_UPSTREAM]++;
	s->budget->used[BUDGET_UPSTREAM]++;
	return true;
}

void share_passed(struct share *s)
{
	if (!s->upstream)
		return;
	s->upstream = false;
	s->holder->used[BUDGET_UPSTREAM]--;
	s->budget->used[BUDGET_UPSTREAM]--;
}

uint64_t share_upstream(const struct share *s)
{
	return s->holder ? s->holder->used[BUDGET_UPSTREAM] : 0;
}

bool share_spend(struct share *s, enum budget_kind kind, uint64_t amount)
{
	if (!s->budget)
		return true;
	turn_minute(s->budget);
	return spend(s->budget, s->holder, kind, amount);
}

void share_settle(struct share *s)
{
	disconnect(s);
}

void share_close(struct share *s)
{
	struct budget *b = s->budget;

	if (!b)
		return;
	share_settle(s);
	share_passed(s);
	share_hold(s, 0);
	s->holder->shares--;
	perhaps_drop(b, s->holder);
	b->shares--;
	*s = (struct share){ 0 };
	release(b);
}

void share_move(struct share *to, struct share *from)
{
	share_close(to);
	*to = *from;
	*from = (struct share){ 0 };
}
