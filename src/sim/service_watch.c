/* SPDX-License-Identifier: MIT */
/*
 * Who is told that a list changed or a resource was updated: clients with a
 * session, by what they subscribed to, and from 2026-07-28 on whoever holds a
 * request subscriptions/listen open.
 */
#include "sim/service_watch.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "sim/service_find.h"
#include "sim/service_reply.h"

struct service_feed {
	bool list[SERVICE_LISTS];
	struct words uris;
};

static const struct {
	const char *filter; /* of subscriptions/listen */
	const char *notification;
} lists[SERVICE_LISTS] = {
	{ "toolsListChanged", "notifications/tools/list_changed" },
	{ "promptsListChanged", "notifications/prompts/list_changed" },
	{ "resourcesListChanged", "notifications/resources/list_changed" },
};

/* ---- resources/subscribe, resources/unsubscribe ---- */

static const char *read_uri(struct service_part *p)
{
	const char *uri = json_string(p->params, "uri");

	if (uri && strlen(uri) <= SERVICE_URI_MAX)
		return uri;
	service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
		     uri ? "Invalid params: 'uri' is too long" :
			   "Invalid params: 'uri' is missing");
	return NULL;
}

void service_subscribe(struct service_part *p)
{
	struct service_client *c = p->question->client;
	const char *uri = read_uri(p);

	if (!uri)
		return;
	if (!service_reads(c->service, uri)) {
		service_no_resource(p, uri);
		return;
	}
	if (!words_has(&c->uris, uri)) {
		if (c->uris.count >= SERVICE_URIS_MAX) {
			service_fail(
				p, JSONRPC_INVALID_PARAMS, NULL,
				"Invalid params: %d resources are subscribed to already",
				SERVICE_URIS_MAX);
			return;
		}
		words_add(&c->uris, uri);
	}
	service_result(p, "{}");
}

void service_unsubscribe(struct service_part *p)
{
	const char *uri = read_uri(p);

	if (!uri)
		return;
	words_drop(&p->question->client->uris, uri);
	service_result(p, "{}");
}

/* ---- subscriptions/listen ---- */

static bool can_change(const struct service *s, enum service_list list)
{
	return list == LIST_TOOLS   ? s->tools_change :
	       list == LIST_PROMPTS ? s->prompts_change :
				      s->resources_change;
}

static void take_uris(struct service_feed *feed, const struct service *s,
		      const cJSON *wanted)
{
	const cJSON *one;

	cJSON_ArrayForEach(one, wanted) {
		const char *uri = cJSON_GetStringValue(one);

		if (!s->updates || feed->uris.count >= SERVICE_URIS_MAX)
			break;
		if (uri && strlen(uri) <= SERVICE_URI_MAX &&
		    service_reads(s, uri) && !words_has(&feed->uris, uri))
			words_add(&feed->uris, uri);
	}
}

static bool tell_feed(const struct service_part *p, const char *method,
		      const char *rest)
{
	CLEANUP(buf_done) struct buf params = { 0 }, out = { 0 };

	buf_printf(&params, "{\"_meta\":{\"" META_SUBSCRIPTION "\":%s}%s}",
		   p->id, rest);
	jsonrpc_notification(&out, method, buf_string(&params));
	return service_tell(p, &out);
}

/* What is honoured, of what was asked for. */
static bool acknowledge(const struct service_part *p)
{
	const struct service_feed *feed = p->feed;
	const char *between = "";
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_text(&out, ",\"notifications\":{");
	for (size_t i = 0; i < SERVICE_LISTS; i++) {
		if (!feed->list[i])
			continue;
		buf_printf(&out, "%s\"%s\":true", between, lists[i].filter);
		between = ",";
	}
	if (feed->uris.count)
		buf_printf(&out, "%s\"resourceSubscriptions\":[", between);
	for (size_t i = 0; i < feed->uris.count; i++) {
		if (i)
			buf_char(&out, ',');
		buf_json_string(&out, feed->uris.word[i],
				strlen(feed->uris.word[i]));
	}
	buf_text(&out, feed->uris.count ? "]}" : "}");
	return tell_feed(p, "notifications/subscriptions/acknowledged",
			 buf_string(&out));
}

void service_feed_drop(struct service_part *p)
{
	struct service_feed *feed = TAKE(p->feed);

	if (!feed)
		return;
	service_of(p)->feeds--;
	words_done(&feed->uris);
	mem_free(feed);
}

void service_feed(struct service_part *p)
{
	struct service *s = service_of(p);
	const cJSON *wanted = json_object(p->params, "notifications");
	struct service_feed *feed;

	if (!wanted) {
		service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
			     "Invalid params: 'notifications' is missing");
		return;
	}
	if (s->feeds >= SERVICE_FEEDS_MAX) {
		service_fail(
			p, JSONRPC_INTERNAL_ERROR, NULL,
			"Internal error: %d subscriptions are open already",
			SERVICE_FEEDS_MAX);
		return;
	}
	feed = p->feed = mem_zalloc(sizeof(*feed));
	s->feeds++;
	for (size_t i = 0; i < SERVICE_LISTS; i++)
		feed->list[i] = json_true(wanted, lists[i].filter) &&
				can_change(s, (enum service_list)i);
	take_uris(feed, s, json_array(wanted, "resourceSubscriptions"));
	if (acknowledge(p)) {
		p->question->open++;
		return;
	}
	service_feed_drop(p);
	service_fail(p, JSONRPC_INVALID_REQUEST, NULL,
		     "Invalid Request: a subscription needs an event stream");
}

/* ---- what happened ---- */

struct happened {
	const char *method;
	const char *uri; /* NULL: a list changed: */
	enum service_list list;
};

static bool wants(const struct service_feed *feed, const struct happened *h)
{
	return h->uri ? words_has(&feed->uris, h->uri) : feed->list[h->list];
}

static void tell_session(const struct service_client *c,
			 const struct happened *h, const char *params)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	if (!c->tell || !c->revision ||
	    (h->uri && !words_has(&c->uris, h->uri)))
		return;
	jsonrpc_notification(&out, h->method, *params ? params : NULL);
	if (c->tell(c->tell_owner, buf_string(&out), out.len))
		service_message(c, true, buf_string(&out), out.len);
}

static void tell_all(const struct service *s, const struct happened *h)
{
	CLEANUP(buf_done) struct buf member = { 0 }, params = { 0 };

	json_add_text(&member, "uri", h->uri);
	if (member.len)
		buf_printf(&params, "{%s}", buf_string(&member) + 1);
	for (struct service_client *c = s->clients; c; c = c->next) {
		tell_session(c, h, buf_string(&params));
		for (struct service_question *q = c->first; q; q = q->next) {
			for (size_t i = 0; i < q->count; i++) {
				if (q->part[i].feed &&
				    wants(q->part[i].feed, h))
					tell_feed(q->part + i, h->method,
						  buf_string(&member));
			}
		}
	}
}

void service_changed(const struct service *s, enum service_list list)
{
	const struct happened h = { lists[list].notification, NULL, list };

	tell_all(s, &h);
}

void service_updated(const struct service *s, const char *uri)
{
	const struct happened h = { "notifications/resources/updated", uri,
				    LIST_RESOURCES };

	if (uri)
		tell_all(s, &h);
}
