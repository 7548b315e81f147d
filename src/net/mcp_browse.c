/* SPDX-License-Identifier: MIT */
/* Who announces himself at a broker: presence, as it is kept and as it changes. */
#include "net/mcp_browse.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "net/mcp_broker.h"
#include "wire/mcp_topic.h"

/* Nothing marks the end of what was kept: nobody more for so long. */
#define QUIET_MS 250
#define ANSWER_MS 10000 /* for SUBACK */
#define FILTERS_MAX 16 /* that a broker names */
#define PRESENCE "$mcp-server/presence/"

struct browsed { /* owned */
	char *text; /* "ID/NAME" */
	char *id, *name;
	int64_t since; /* loop_now() ms */
	struct mcp_presence presence;
};

struct mcp_browse {
	struct mcp_broker *broker; /* NULL: it was lost */
	struct mcp_guest guest;
	char *filter; /* of presence */
	char *device; /* -d; NULL */
	struct browsed **one; /* sorted once it is listed */
	size_t count, capacity;
	struct mcp_server *list;
	bool sorted;
	bool *woken;
	void (*changed)(void *owner);
	void *owner;
	struct timer timer;
	bool subscribed, settled, draft, closing;
	bool cut;
	bool timer_gone, left;
	struct error why;
};

/* ---- who is there ---- */

static void browsed_free(struct browsed *one)
{
	mem_free(one->id);
	mem_free(one->name);
	mcp_presence_done(&one->presence);
	mem_free(one->text);
	mem_free(one);
}

static void tell(struct mcp_browse *b)
{
	if (b->woken)
		*b->woken = true;
	if (b->changed)
		b->changed(b->owner);
}

static size_t place(const struct mcp_browse *b, const char *server)
{
	size_t i = 0;

	while (i < b->count && strcmp(b->one[i]->text, server) != 0)
		i++;
	return i;
}

static void drop(struct mcp_browse *b, size_t at)
{
	browsed_free(b->one[at]);
	b->one[at] = b->one[--b->count];
}

static bool is_meant(const struct mcp_browse *b, const struct browsed *one)
{
	const struct mcp_names names = { one->id, one->name,
					 one->presence.device };

	return !b->device || mcp_names_fit(&names, b->device);
}

static struct browsed *browsed_new(const struct mcp_topic *t,
				   struct mcp_presence *p, int64_t since)
{
	struct browsed *one = mem_zalloc(sizeof(*one));

	one->text = mem_strdup(t->server);
	one->id = mem_strndup(t->id.text, t->id.len);
	one->name = mem_strndup(t->name.text, t->name.len);
	one->since = since;
	one->presence = *p;
	*p = (struct mcp_presence){ 0 };
	return one;
}

static void add(struct mcp_browse *b, const struct mcp_topic *t,
		struct mcp_presence *p)
{
	size_t at = place(b, t->server);
	int64_t since = at < b->count ? b->one[at]->since : loop_now();
	struct browsed *one;

	if (at < b->count)
		drop(b, at);
	if (!mcp_id_fits(t->id.text, t->id.len))
		return;
	one = browsed_new(t, p, since);
	if (!is_meant(b, one) || b->count >= MCP_SERVERS_MAX) {
		b->cut = b->cut || is_meant(b, one);
		browsed_free(one);
		return;
	}
	b->one = mem_grow(b->one, &b->capacity, b->count,
			  sizeof(struct browsed *));
	b->one[b->count++] = one;
}

/* The broker may have had another filter than ours. */
static bool is_wanted(const struct mcp_browse *b, const char *topic)
{
	bool fits = false;

	return mosquitto_topic_matches_sub(b->filter, topic, &fits) ==
		       MOSQ_ERR_SUCCESS &&
	       fits;
}

static void on_message(void *owner, const char *topic, const void *data,
		       size_t len)
{
	struct mcp_browse *b = owner;
	CLEANUP(mcp_presence_done) struct mcp_presence p = { 0 };
	struct mcp_topic t;
	size_t at;

	mcp_topic_read(&t, topic);
	if (t.kind == MCP_TOPIC_DRAFT)
		b->draft = true;
	if (t.kind != MCP_TOPIC_PRESENCE || b->closing || !is_wanted(b, topic))
		return;
	mcp_presence_read(&p, data, len);
	at = place(b, t.server);
	if (!p.gone)
		add(b, &t, &p);
	else if (at < b->count)
		drop(b, at);
	b->sorted = false;
	if (b->subscribed && !b->settled)
		timer_start(&b->timer, QUIET_MS);
	else if (b->settled)
		tell(b);
}

/* ---- the question ---- */

static void fail(struct mcp_browse *b, const struct error *why)
{
	error_copy(&b->why, why);
	tell(b);
}

static void on_subscribed(void *owner, size_t count, const int *code)
{
	struct mcp_browse *b = owner;
	CLEANUP(error_reset) struct error why = { 0 };
	bool granted = false;

	/* The last one asks for the older draft, which nobody needs. */
	for (size_t i = 0; i + 1 < count; i++)
		granted = granted || code[i] < 0x80;
	b->subscribed = true;
	if (granted) {
		timer_start(&b->timer, QUIET_MS);
		return;
	}
	error_set(
		&why, mcp_broker_kind(code[0]),
		"the broker '%s' does not let us see who is there: the topic '%s' is refused (0x%02x%s)",
		b->broker->host, b->filter, (unsigned)code[0],
		mcp_broker_words(code[0]));
	if (code[0] == MCP_NOT_AUTHORIZED)
		error_hint(
			&why,
			"its access rules must let this user read $mcp-server/presence/#");
	fail(b, &why);
}

/* The broker's own filters take the place of ours. */
static size_t add_filters(const struct mcp_browse *b, char **out)
{
	const char *text =
		headers_get(&b->broker->told, MCP_TOPIC_FILTERS_PROPERTY);
	CLEANUP(json_free_ptr)
	cJSON *list = text ? json_parse(text, strlen(text), NULL) : NULL;
	const cJSON *each;
	size_t count = 0;

	cJSON_ArrayForEach(each, list) {
		if (cJSON_IsString(each) && count < FILTERS_MAX)
			out[count++] =
				mem_printf(PRESENCE "+/%s", each->valuestring);
	}
	if (count == 0)
		out[count++] = mem_strdup(b->filter);
	return count;
}

static void on_connected(void *owner)
{
	struct mcp_browse *b = owner;
	CLEANUP(error_reset) struct error why = { 0 };
	char *filter[FILTERS_MAX + 1];
	size_t count = add_filters(b, filter);

	filter[count++] = mem_strdup(MCP_DRAFT_FILTER);
	timer_start(&b->timer, ANSWER_MS);
	if (mcp_broker_subscribe(b->broker, &b->guest, filter, count, &why))
		fail(b, &why);
	for (size_t i = 0; i < count; i++)
		mem_free(filter[i]);
}

static void on_timer(void *owner)
{
	struct mcp_browse *b = owner;
	CLEANUP(error_reset) struct error why = { 0 };

	if (b->subscribed) {
		b->settled = true;
		tell(b);
		return;
	}
	error_set(&why, ERR_TIMEOUT,
		  "the broker '%s' did not answer SUBSCRIBE within 10 s",
		  b->broker->host);
	fail(b, &why);
}

/* ---- its life ---- */

static void release(struct mcp_browse *b)
{
	if (!b->timer_gone || !b->left)
		return;
	while (b->count)
		drop(b, b->count - 1);
	mem_free(b->one);
	mem_free(b->list);
	mem_free(b->filter);
	mem_free(b->device);
	error_reset(&b->why);
	mem_free(b);
}

static void on_timer_closed(void *owner)
{
	struct mcp_browse *b = owner;

	b->timer_gone = true;
	release(b);
}

static void on_left(void *owner)
{
	struct mcp_browse *b = owner;

	b->left = true;
	release(b);
}

static void on_lost(void *owner, const struct error *why)
{
	struct mcp_browse *b = owner;

	b->broker = NULL;
	timer_stop(&b->timer);
	fail(b, why);
}

void mcp_browse_close(struct mcp_browse *b)
{
	if (!b || b->closing)
		return;
	b->closing = true;
	b->changed = NULL;
	b->woken = NULL;
	if (b->broker)
		mcp_broker_leave(b->broker, &b->guest);
	else
		b->left = true;
	timer_close(&b->timer, on_timer_closed);
}

struct mcp_browse *mcp_browse_open(struct loop *l, const struct endpoint *to,
				   bool *woken, struct error *err)
{
	struct mcp_browse *b = mem_zalloc(sizeof(*b));

	b->woken = woken;
	b->filter = mcp_presence_filter(to->path);
	b->device = mem_strdup(to->device);
	b->guest = (struct mcp_guest){ .owner = b,
				       .connected = on_connected,
				       .subscribed = on_subscribed,
				       .message = on_message,
				       .lost = on_lost,
				       .left = on_left };
	timer_open(&b->timer, l, on_timer, b);
	b->broker = mcp_broker_enter(l, to, &b->guest, err);
	if (b->broker)
		return b;
	mcp_browse_close(b);
	return NULL;
}

int mcp_browse_poll(struct mcp_browse *b, struct error *err)
{
	if (b->why.kind != ERR_NONE) {
		error_copy(err, &b->why);
		return -1;
	}
	return b->settled;
}

int mcp_browse_explain(const struct mcp_browse *b, const struct endpoint *at,
		       struct error *err)
{
	if (b && b->subscribed)
		return endpoint_mcp_none(at, err);
	return b ? mcp_broker_unanswered(b->broker, err) : 0;
}

static int by_name(const void *a, const void *b)
{
	const struct browsed *const *x = a, *const *y = b;

	return strcmp((*x)->text, (*y)->text);
}

static void sort(struct mcp_browse *b)
{
	if (b->count)
		qsort(b->one, b->count, sizeof(struct browsed *), by_name);
	mem_free(b->list);
	b->list = mem_alloc((b->count + 1) * sizeof(*b->list));
	for (size_t i = 0; i < b->count; i++) {
		const struct browsed *one = b->one[i];

		b->list[i] = (struct mcp_server){
			.id = one->id,
			.name = one->name,
			.description = one->presence.description,
			.meta = one->presence.meta,
			.device = one->presence.device,
			.since = one->since,
			.odd = !one->presence.online,
		};
	}
	b->sorted = true;
}

const struct mcp_server *mcp_browse_list(struct mcp_browse *b, size_t *count)
{
	if (!b->sorted)
		sort(b);
	*count = b->count;
	return b->list;
}

bool mcp_browse_is_cut(const struct mcp_browse *b)
{
	return b->cut;
}

void mcp_browse_tell(struct mcp_browse *b, void (*changed)(void *owner),
		     void *owner)
{
	b->changed = changed;
	b->owner = owner;
}

bool mcp_browse_saw_draft(const struct mcp_browse *b)
{
	return b->draft;
}
