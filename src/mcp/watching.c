/* SPDX-License-Identifier: MIT */
/* Subscriptions of both eras. */
#include "mcp/watching.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "mcp/client_start.h"
#include "mcp/modern.h"
#include "net/http.h"
#include "rpc/session_calls.h"

enum {
	END_MS = 1000, /* for unsubscribing: nobody waits for that longer */
	AGAIN_MS = 1000, /* before it is taken up again; doubled each time */
	AGAIN_MOST_MS = 30000,
	FAILURES_MAX = 5 /* in a row */
};

/* A subscriptions/listen. */
struct client_watching {
	struct words uris;
	bool lists; /* and of all lists that change */
	struct call call;
	bool open; /* it is in flight, or ended by itself */
	unsigned failures;
	int64_t again_at; /* loop_now() ms; 0: it stands */
	int64_t acknowledge_by; /* of one that is asked for */
};

/* The lists of which a server may tell: its capability, the filter's word. */
static const char *const lists[][2] = {
	{ "tools", "toolsListChanged" },
	{ "prompts", "promptsListChanged" },
	{ "resources", "resourcesListChanged" },
};

/* ---- one subscription ---- */

static bool tells_of(const struct client *c, size_t list)
{
	const cJSON *part = json_object(c->capabilities, lists[list][0]);

	return json_true(part, "listChanged");
}

bool client_watch_filter(const struct client *c, bool with_lists,
			 const struct words *uris, struct buf *out)
{
	size_t count = 0;

	buf_text(out, "{\"notifications\":{");
	for (size_t i = 0; with_lists && i < COUNT(lists); i++) {
		if (tells_of(c, i))
			buf_printf(out, "%s\"%s\":true", count++ ? "," : "",
				   lists[i][1]);
	}
	for (size_t i = 0; i < uris->count; i++) {
		buf_text(out, i	      ? "," :
			      count++ ? ",\"resourceSubscriptions\":[" :
					"\"resourceSubscriptions\":[");
		buf_json_string(out, uris->word[i], strlen(uris->word[i]));
	}
	buf_text(out, uris->count ? "]}}" : "}}");
	return count > 0;
}

static void drop(struct client *c, struct call *call)
{
	if (!call->done && call->id && session_is_open(c->session))
		session_cancel(c->session, call, "not wanted any more");
	session_forget(c->session, call);
	call_done(call);
}

static bool has_uri(const cJSON *honoured, const char *uri)
{
	const cJSON *each;

	cJSON_ArrayForEach(each,
			   json_array(honoured, "resourceSubscriptions")) {
		const char *text = cJSON_GetStringValue(each);

		if (text && strcmp(text, uri) == 0)
			return true;
	}
	return false;
}

/* What it acknowledged, in *json (json_free). */
static const cJSON *read_honoured(const struct call *call, cJSON **json)
{
	*json = json_parse(call->first, strlen(call->first), NULL);
	return json_object(json_object(*json, "params"), "notifications");
}

bool client_watch_honours(const struct call *call, const char *uri)
{
	CLEANUP(json_free_ptr) cJSON *json = NULL;

	return has_uri(read_honoured(call, &json), uri);
}

static bool honours_any(const struct call *call, char *const *uri, size_t count)
{
	CLEANUP(json_free_ptr) cJSON *json = NULL;
	const cJSON *honoured = read_honoured(call, &json);
	size_t i = 0;

	while (i < count && !has_uri(honoured, uri[i]))
		i++;
	return i < count;
}

/* Of what was asked for the server may honour a part. */
static void tell_missing(struct client *c)
{
	const struct client_watching *w = c->watching;
	CLEANUP(json_free_ptr) cJSON *json = NULL;
	const cJSON *honoured = read_honoured(&w->call, &json);

	for (size_t i = 0; i < w->uris.count; i++) {
		if (!has_uri(honoured, w->uris.word[i]))
			session_tell(
				c->session, NOTICE_OTHER,
				"the server will not tell of changes of '%.200s'",
				w->uris.word[i]);
	}
	for (size_t i = 0; w->lists && i < COUNT(lists); i++) {
		if (tells_of(c, i) && !json_true(honoured, lists[i][1]))
			session_tell(
				c->session, NOTICE_OTHER,
				"the server will not tell of changes of its %s",
				lists[i][0]);
	}
}

static int ask(struct client *c, struct error *err)
{
	CLEANUP(buf_done) struct buf params = { 0 };
	struct client_request rq = { .method = "subscriptions/listen" };
	struct client_watching *w = c->watching;

	client_watch_filter(c, w->lists, &w->uris, &params);
	rq.params = buf_string(&params);
	w->call = (struct call){ .lasts = true };
	w->open = false;
	if (client_start_modern(c, &w->call, &rq, c->era.revision, err))
		return -1;
	w->open = true;
	w->acknowledge_by = loop_now() + session_timeout(c->session);
	return 0;
}

static int unacknowledged(struct error *err)
{
	return error_set(
		err, ERR_TIMEOUT,
		"the server did not acknowledge the subscription in time");
}

static int ended(struct client *c, struct error *err)
{
	const struct call *call = &c->watching->call;

	if (call->failure.kind != ERR_NONE) {
		error_copy(err, &call->failure);
		modern_explain(err, call->reply.error);
		return -1;
	}
	return error_set(err, ERR_CONNECT, "the server ended the subscription");
}

static void stands(struct client *c)
{
	struct client_watching *w = c->watching;

	w->failures = 0;
	w->again_at = w->acknowledge_by = 0;
	tell_missing(c);
}

/* Until it is acknowledged: then it stands. */
static int begin(struct client *c, struct error *err)
{
	struct client_watching *w = c->watching;

	if (ask(c, err))
		return -1;
	while (!w->call.first && !w->call.done &&
	       loop_now() < w->acknowledge_by) {
		if (session_step(c->session, NULL, w->acknowledge_by, err))
			return -1;
	}
	if (w->call.done && !w->call.first)
		return ended(c, err);
	if (!w->call.first)
		return unacknowledged(err);
	stands(c);
	return 0;
}

static void end(struct client *c)
{
	struct client_watching *w = c->watching;

	if (w->open)
		drop(c, &w->call);
	w->open = false;
}

/* Another filter: one subscription has them all. reply: of an error. */
static int change(struct client *c, struct message *reply, struct error *err)
{
	struct client_watching *w = c->watching;

	end(c);
	if (!w->uris.count && !w->lists)
		return 0;
	if (begin(c, err) == 0)
		return 0;
	message_take(reply, &w->call.reply);
	end(c);
	return -1;
}

static void unwatch(struct client *c)
{
	struct client_watching *w = c->watching;

	if (!w)
		return;
	end(c);
	words_done(&w->uris);
	mem_free(w);
	c->watching = NULL;
}

static struct client_watching *watching(struct client *c)
{
	if (!c->watching)
		c->watching = mem_zalloc(sizeof(*c->watching));
	c->unwatch = unwatch;
	return c->watching;
}

/* ---- resources ---- */

static int ask_legacy(struct client *c, const char *method, const char *uri,
		      struct message *reply, struct error *err)
{
	CLEANUP(buf_done) struct buf params = { 0 };
	int64_t took_us;

	json_add_object(&params, "uri", uri);
	return client_request(c, method, buf_string(&params), reply, &took_us,
			      err);
}

/* Nobody waits for it for long. */
static void unsubscribe_legacy(struct client *c, const char *uri)
{
	CLEANUP(error_reset) struct error ignored = { 0 };
	CLEANUP(buf_done) struct buf params = { 0 };
	struct call call = { 0 };

	json_add_object(&params, "uri", uri);
	if (session_is_open(c->session) &&
	    session_start(c->session, &call, "resources/unsubscribe",
			  buf_string(&params), END_MS, &ignored) == 0)
		session_wait(c->session, &call, &ignored);
	session_forget(c->session, &call);
	call_done(&call);
}

static int subscribe_legacy(struct client *c, char *const *uri, size_t count,
			    const char **refused, struct message *reply,
			    struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		message_done(reply);
		*refused = uri[i];
		if (ask_legacy(c, "resources/subscribe", uri[i], reply, err) ==
		    0)
			continue;
		while (i-- > 0)
			unsubscribe_legacy(c, uri[i]);
		return -1;
	}
	return 0;
}

/* Without what was added; asks: the rest is to stand again. */
static void as_before(struct client *c, size_t before, bool asks)
{
	CLEANUP(error_reset) struct error ignored = { 0 };
	CLEANUP(message_done) struct message other = { 0 };
	struct words *uris = &c->watching->uris;

	while (uris->count > before) {
		uris->count--;
		mem_free(TAKE(uris->word[uris->count]));
	}
	if (asks)
		change(c, &other, &ignored);
}

int client_subscribe(struct client *c, char *const *uri, size_t count,
		     const char **refused, struct message *reply,
		     struct error *err)
{
	struct client_watching *w;
	size_t before;
	int status;

	*refused = count == 1 ? *uri : NULL;
	if (!c->modern)
		return subscribe_legacy(c, uri, count, refused, reply, err);
	w = watching(c);
	before = w->uris.count;
	for (size_t i = 0; i < count; i++)
		words_add_once(&w->uris, uri[i]);
	status = change(c, reply, err);
	if (status == 0 && honours_any(&w->call, uri, count))
		return 0;
	/* Who is silent, or interrupted, is asked nothing more. */
	as_before(c, before, status == 0 || (err && err->kind == ERR_PEER));
	if (status)
		return -1;
	return error_set(err, ERR_PEER,
			 "the server will not tell of its changes");
}

void client_unsubscribe(struct client *c, char *const *uri, size_t count)
{
	CLEANUP(error_reset) struct error ignored = { 0 };
	struct message reply = { 0 };

	for (size_t i = 0; i < count; i++) {
		if (!c->modern)
			unsubscribe_legacy(c, uri[i]);
		else if (c->watching)
			words_drop(&c->watching->uris, uri[i]);
	}
	if (c->watching && session_is_open(c->session))
		change(c, &reply, &ignored);
	message_done(&reply);
}

/* ---- all that it tells by itself ---- */

static bool tells_anything(const struct client *c)
{
	for (size_t i = 0; i < COUNT(lists); i++) {
		if (tells_of(c, i))
			return true;
	}
	return false;
}

int client_listen(struct client *c, struct error *err)
{
	CLEANUP(message_done) struct message reply = { 0 };

	if (!c->modern)
		return 0;
	if (client_describe(c, err))
		return -1;
	if (!c->modern)
		return 0;
	if (!tells_anything(c)) {
		session_tell(
			c->session, NOTICE_OTHER,
			"the server names nothing that it would tell by itself");
		return 0;
	}
	watching(c)->lists = true;
	return change(c, &reply, err);
}

bool client_logs_apart(const struct client *c)
{
	return !c->modern;
}

/* ---- waiting ---- */

/* It was lost, and not ended: is it worth to be taken up again? */
static int take_up(struct client *c, struct error *err)
{
	struct client_watching *w = c->watching;
	CLEANUP(error_reset) struct error why = { 0 };
	int64_t wait = AGAIN_MS;

	ended(c, &why);
	if (w->call.failure.kind != ERR_CONNECT ||
	    session_is_over(c->session) || ++w->failures >= FAILURES_MAX) {
		error_copy(err, &why);
		return -1;
	}
	for (unsigned i = 1; i < w->failures && wait < AGAIN_MOST_MS; i++)
		wait *= 2;
	w->again_at = loop_now() + wait;
	drop(c, &w->call);
	w->open = false;
	session_tell(
		c->session, NOTICE_OTHER,
		"%s: the subscription is taken up again; what changes until then is not told",
		why.text);
	return 0;
}

static int tend(struct client *c, struct error *err)
{
	struct client_watching *w = c->watching;

	if (w && w->open && w->call.done)
		return take_up(c, err);
	if (w && w->again_at && loop_now() >= w->again_at) {
		w->again_at = 0;
		return ask(c, err);
	}
	if (!w || !w->open || !w->acknowledge_by)
		return 0;
	if (w->call.first)
		stands(c);
	else if (loop_now() >= w->acknowledge_by)
		return unacknowledged(err);
	return 0;
}

/* When there is something to tend to, before deadline. */
static int64_t next_tending(const struct client_watching *w, int64_t deadline)
{
	int64_t next = w->again_at ? w->again_at :
		       w->open	   ? w->acknowledge_by :
				     0;

	return next && next < deadline ? next : deadline;
}

struct pinging {
	struct call call;
	int64_t every, next; /* ms; loop_now() ms */
};

/*
 * That the session is gone is news; that the server knows no ping, or is slow,
 * is not.
 */
static int tend_ping(struct client *c, struct pinging *p, struct error *err)
{
	const struct error *why = &p->call.failure;

	if (p->call.done && why->kind == ERR_CONNECT) {
		error_copy(err, why);
		return -1;
	}
	if (loop_now() < p->next)
		return 0;
	p->next = loop_now() + p->every;
	session_forget(c->session, &p->call);
	call_done(&p->call);
	p->call = (struct call){ 0 };
	return session_start(c->session, &p->call, "ping", NULL,
			     session_timeout(c->session), err);
}

static int watch_session(struct client *c, const bool *stop, int64_t deadline,
			 struct pinging *p, struct error *err)
{
	while (!(stop && *stop) && loop_now() < deadline) {
		if (tend_ping(c, p, err) ||
		    session_step(c->session, stop,
				 p->next < deadline ? p->next : deadline, err))
			return -1;
	}
	return 0;
}

static int watch_legacy(struct client *c, const bool *stop, int64_t deadline,
			int64_t ping, struct error *err)
{
	struct pinging p = { .every = ping ? ping : CLIENT_PING_MS };
	int status;

	if (!http_has_session(session_transport(c->session)))
		return session_watch(c->session, stop, deadline, err);
	p.next = loop_now() + p.every;
	status = watch_session(c, stop, deadline, &p, err);
	session_forget(c->session, &p.call);
	call_done(&p.call);
	return status;
}

int client_watch(struct client *c, const bool *stop, int64_t deadline,
		 int64_t ping, struct error *err)
{
	const struct client_watching *w = c->watching;

	if (!c->modern)
		return watch_legacy(c, stop, deadline, ping, err);
	if (!w)
		return session_watch(c->session, stop, deadline, err);
	while (!(stop && *stop) && loop_now() < deadline) {
		if (tend(c, err) ||
		    session_step(c->session, stop, next_tending(w, deadline),
				 err))
			return -1;
	}
	return 0;
}
