/* SPDX-License-Identifier: MIT */
/*
 * An answerer of the tests' own: what a message says is what happens to it. For
 * what carries messages of MCP clients.
 */
#ifndef ANSWERING_H
#define ANSWERING_H

#include <stdio.h>
#include <string.h>

#include "base/loop.h"
#include "base/mem.h"
#include "clients/answerer.h"

#define LATER_MS 30
#define FLOOD 5000 /* more than are kept for a client that comes back */
#define CHANGED "{\"method\":\"notifications/changed\"}"

struct behind {
	struct loop *loop;
	unsigned clients, made, open, abandoned;
	struct open_question *questions;
};

struct caller {
	struct behind *behind;
	unsigned number;
	bool initialized;
	mcp_tell *tell;
	void *tell_owner;
};

struct open_question {
	struct caller *client;
	struct open_question *next;
	mcp_done *done;
	void *owner;
	struct timer timer;
};

static const char *behind_name(void *owner)
{
	(void)owner;
	return "a <service>";
}

static void *caller_new(void *owner)
{
	struct behind *s = owner;
	struct caller *c = mem_zalloc(sizeof(*c));

	c->behind = s;
	c->number = ++s->made;
	s->clients++;
	return c;
}

static void question_closed(void *owner)
{
	mem_free(owner);
}

static void question_end(struct open_question *q)
{
	struct open_question **at = &q->client->behind->questions;

	while (*at != q)
		at = &(*at)->next;
	*at = q->next;
	q->client->behind->open--;
	timer_close(&q->timer, question_closed);
}

static void question_abandon(void *question)
{
	struct open_question *q = question;

	q->client->behind->abandoned++;
	question_end(q);
}

static void caller_free(void *client)
{
	struct caller *c = client;
	struct open_question *next;

	if (!c)
		return;
	for (struct open_question *q = c->behind->questions; q; q = next) {
		next = q->next;
		if (q->client == c)
			question_abandon(q);
	}
	c->behind->clients--;
	mem_free(c);
}

static bool caller_initialized(const void *client)
{
	const struct caller *c = client;

	return c->initialized;
}

static const char *caller_revision(const void *client)
{
	return caller_initialized(client) ? "2025-11-25" : NULL;
}

static bool is_initialize(const char *text, size_t len)
{
	return memmem(text, len, "\"initialize\"", 12) != NULL;
}

static void on_later(void *owner)
{
	static const char reply[] = "{\"id\":9,\n\"result\":\"late\"}";
	struct open_question *q = owner;

	q->done(q->owner, reply, sizeof(reply) - 1);
	question_end(q);
}

static char *big_reply(void)
{
	static const char begin[] = "{\"id\":1,\"result\":\"";
	const size_t len = (size_t)1 << 20;
	char *out = mem_alloc(len + 1);

	memset(out, 'x', len);
	memcpy(out, begin, sizeof(begin) - 1);
	memcpy(out + len - 2, "\"}", 3);
	return out;
}

static void end_newest(const struct behind *s)
{
	struct open_question *q = s->questions;

	if (!q)
		return;
	q->done(q->owner, "", 0);
	question_end(q);
}

static struct open_question *wait_for(struct caller *c, mcp_done *done,
				      void *owner, int64_t ms)
{
	struct open_question *q = mem_zalloc(sizeof(*q));

	q->client = c;
	q->done = done;
	q->owner = owner;
	q->next = c->behind->questions;
	c->behind->questions = q;
	c->behind->open++;
	timer_open(&q->timer, c->behind->loop, on_later, q);
	if (ms)
		timer_start(&q->timer, ms);
	return q;
}

static void caller_reach(void *client, mcp_tell *tell, void *owner)
{
	struct caller *c = client;

	c->tell = tell;
	c->tell_owner = owner;
}

/* Those that say so. */
static bool says_modern(void *owner, const struct mcp_said *m)
{
	(void)owner;
	return memmem(m->text, m->len, "modern", 6) != NULL;
}

static bool always_legacy(void *owner)
{
	(void)owner;
	return true;
}

static void tell_before(const struct mcp_said *m, const struct mcp_hearer *h,
			void *owner)
{
	static const char text[] = "{\"method\":\"notifications/x\"}";

	if (memmem(m->text, m->len, "tell", 4))
		h->tell(owner, text, sizeof(text) - 1);
	for (int i = 0; memmem(m->text, m->len, "flood", 5) && i < FLOOD; i++)
		h->tell(owner, text, sizeof(text) - 1);
	if (memmem(m->text, m->len, "pause", 5))
		h->pause(owner, 7);
}

/*
 * "big" has a reply of 1 MB, "change" tells what belongs to no question, "cancel" ends the newest that is open, "answer" answers it, "never" is not answered, "later" soon, "tell", "flood" (often) and "pause" do so before;
 * "status404" has that one; others at once.
 */
static void *caller_hear(void *client, const struct mcp_said *m,
			 const struct mcp_hearer *h, void *owner)
{
	struct caller *c = client;
	const char *text = m->text;
	const size_t len = m->len;
	CLEANUP(mem_free_ptr) char *reply = NULL;

	tell_before(m, h, owner);
	if (memmem(text, len, "change", 6))
		c->tell(c->tell_owner, CHANGED, sizeof(CHANGED) - 1);
	if (memmem(text, len, "cancel", 6))
		end_newest(c->behind);
	if (memmem(text, len, "answer", 6) && c->behind->questions)
		on_later(c->behind->questions);
	if (memmem(text, len, "never", 5))
		return wait_for(c, h->done, owner, 0);
	if (memmem(text, len, "later", 5))
		return wait_for(c, h->done, owner, LATER_MS);
	if (memmem(text, len, "\"big\"", 5))
		reply = big_reply();
	else if (memmem(text, len, "notifications/", 14))
		reply = mem_strdup("");
	else if (!len || *text != '{')
		reply = mem_strdup("{\"error\":{\"code\":-32700},\"id\":null}");
	else
		reply = mem_printf("{\"id\":1,\"result\":\"client %u\"}",
				   c->number);
	if (memmem(text, len, "status404", 9))
		h->status(owner, 404);
	c->initialized = c->initialized || is_initialize(text, len);
	h->done(owner, reply, strlen(reply));
	return NULL;
}

static const struct answerer behind_answerer = {
	.name = behind_name,
	.client_new = caller_new,
	.client_free = caller_free,
	.is_initialized = caller_initialized,
	.revision = caller_revision,
	.reach = caller_reach,
	.hear = caller_hear,
	.abandon = question_abandon,
	.is_modern = says_modern,
	.is_legacy = always_legacy,
};

#endif
