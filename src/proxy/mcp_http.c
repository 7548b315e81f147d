/* SPDX-License-Identifier: MIT */
/*
 * A server over HTTP: a port of ours stands for its address. Requests go on with
 * another Host and without compression, answers as they are, chunk by chunk; a
 * connection up for each one down. What is said is found beside it, and belongs
 * to a session: by Mcp-Session-Id, or where there is none by the host's address.
 * See proxy/mcp_relay.h.
 */
#include "proxy/mcp_http.h"

#include <string.h>

#include "base/chain.h"
#include "base/mem.h"
#include "base/module.h"
#include "base/text.h"
#include "base/utf8.h"
#include "mcp/revision.h"
#include "net/address.h"
#include "net/endpoint.h"
#include "net/front.h"
#include "net/head.h"
#include "net/port_parts.h"
#include "net/why.h"
#include "proxy/http_bend.h"
#include "proxy/lull.h"
#include "proxy/mcp_relay.h"
#include "proxy/pair.h"
#include "proxy/stage.h"
#include "proxy/tell.h"
#include "proxy/turn.h"
#include "proxy/upstream.h"
#include "proxy/web.h"
#include "proxy/web_leg.h"
#include "wire/http_parts.h"
#include "wire/sse.h"

#define SESSIONS_MAX 256
#define ASKED_MAX 16 /* requests on one connection that are not answered */
#define IDLE_MS 120000 /* amid a request, and between two of them */
#define LISTEN_AT "127.0.0.1" /* a server is for programs here, unless told */
#define LISTEN_NUMBER 8000
#define NO_UPGRADE "no WebSocket passes to an MCP server"

struct mcp_session {
	struct mcp_session *next;
	char *id; /* NULL: not told, or there are none */
	char *address; /* of the host */
	struct talk *talk;
	unsigned uses; /* requests that are not answered */
	bool gone; /* it was deleted: it ends with the last of them */
	uint64_t last; /* the higher, the later it was used */
};

struct asked_http { /* a request, in the order of the answers */
	struct mcp_session *session; /* NULL: its body is not there yet */
	bool head, ends; /* HEAD; DELETE, which ends the session */
	bool wants; /* a message, for one that has an id */
	bool knows; /* it named a session */
	bool newer; /* it named a revision without sessions */
};

struct mcp_leg { /* one connection */
	struct mcp_leg *next, *previous;
	struct mcp_http *http;
	struct pair pair;
	struct share share;
	struct lull lull;
	struct turn turn;
	char *address, *peer; /* of its host: without its port, with it */
	struct http_parts rq, rs;
	struct asked_http asked[ASKED_MAX]; /* a ring */
	unsigned first, count;
	char *wanted; /* Mcp-Session-Id of rq; NULL */
	struct sse sse;
	struct bend bend; /* --set and --fault: of rs */
	struct buf held_head, held; /* … of rq: what goes up, and its body */
	bool holds;
	bool streams; /* rs is one */
	bool told; /* the head of rs was */
	bool heard; /* something came from the server */
	bool judged; /* why there is no answer */
	bool dialled; /* or its turn is to come */
	bool blind; /* answers are no HTTP: they go on unread */
	struct buf later; /* requests behind those, until one is answered */
};

struct mcp_http {
	struct proxy *proxy;
	void (*closed)(struct proxy *p);
	const struct front_table *table;
	struct front *front;
	uint16_t number;
	struct upstream up;
	char *host; /* where it listens; NULL: all addresses */
	char *advertised; /* a ws or wss URL by --advertise; NULL */
	struct mcp_leg *legs;
	struct mcp_session *sessions;
	size_t session_count;
	uint64_t uses;
	unsigned open; /* the front, and connections */
	bool closing;
};

/* ---- sessions ---- */

static void session_drop(struct mcp_http *h, struct mcp_session *s,
			 enum event_from from)
{
	struct mcp_session **at = &h->sessions;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	h->session_count--;
	talk_end(s->talk, from, ENDED_OTHER, 0);
	mem_free(s->id);
	mem_free(s->address);
	mem_free(s);
}

/* The one that was not used for longest makes room. */
static void make_room(struct mcp_http *h)
{
	const struct proxy *p = h->proxy;
	struct mcp_session *oldest = NULL;

	if (h->session_count < SESSIONS_MAX &&
	    p->open_talks < p->options.talks_max)
		return;
	for (struct mcp_session *s = h->sessions; s; s = s->next) {
		if (!s->uses && (!oldest || s->last < oldest->last))
			oldest = s;
	}
	if (oldest)
		session_drop(h, oldest, FROM_NOBODY);
}

/* NULL: there are too many. */
static struct mcp_session *session_new(struct mcp_http *h, const char *id,
				       const char *address)
{
	const struct talk_head head = { .leg = LEG_HTTP, .address = address };
	struct mcp_session *s;
	struct talk *t;

	make_room(h);
	t = h->session_count < SESSIONS_MAX ? talk_open(h->proxy, &head) : NULL;
	if (!t)
		return NULL;
	t->diag.about = (struct diag_about){ .bare = true };
	s = mem_zalloc(sizeof(*s));
	s->id = id ? mem_strdup(id) : NULL;
	s->address = mem_strdup(address);
	s->talk = t;
	s->next = h->sessions;
	h->sessions = s;
	h->session_count++;
	return s;
}

static bool session_fits(const struct mcp_session *s, const char *id,
			 const char *address)
{
	if (id)
		return s->id && strcmp(s->id, id) == 0;
	return !s->id && strcmp(s->address, address) == 0;
}

/* fresh: an initialize begins one, whatever there is. */
static struct mcp_session *session_for(struct mcp_leg *l, bool fresh)
{
	struct mcp_http *h = l->http;
	struct mcp_session *s = fresh && !l->wanted ? NULL : h->sessions;

	while (s && !session_fits(s, l->wanted, l->address))
		s = s->next;
	if (!s)
		s = session_new(h, l->wanted, l->address);
	if (!s) {
		proxy_say(
			h->proxy, PROXY_WARN, NULL, NULL,
			"%s: a request goes on, and is not recorded: all %zu sessions that are seen here are amid one",
			l->address, h->session_count);
		return NULL;
	}
	s->uses++;
	s->last = ++h->uses;
	return s;
}

static void session_release(struct mcp_http *h, struct mcp_session *s)
{
	if (s && --s->uses == 0 && s->gone)
		session_drop(h, s, FROM_BACKEND);
}

/* ---- a connection's end ---- */

static void http_release(struct mcp_http *h)
{
	struct proxy *p = h->proxy;
	void (*closed)(struct proxy * p) = h->closed;

	if (--h->open)
		return;
	while (h->sessions)
		session_drop(h, h->sessions, FROM_NOBODY);
	upstream_done(&h->up);
	mem_free(h->host);
	mem_free(h->advertised);
	mem_free(h);
	closed(p);
}

static void leg_free(void *owner)
{
	struct mcp_leg *l = owner;
	struct mcp_http *h = l->http;

	CHAIN_REMOVE(h->legs, l);
	lull_over(&l->lull);
	turn_over(&l->turn);
	while (l->count) {
		session_release(h, l->asked[l->first].session);
		l->first = (l->first + 1) % ASKED_MAX;
		l->count--;
	}
	http_parts_done(&l->rq);
	http_parts_done(&l->rs);
	sse_done(&l->sse);
	buf_done(&l->held_head);
	buf_done(&l->held);
	share_close(&l->share);
	buf_done(&l->later);
	mem_free(l->wanted);
	mem_free(l->address);
	mem_free(l->peer);
	mem_free(l);
	http_release(h);
}

static void on_closed(void *owner)
{
	struct mcp_leg *l = owner;

	bend_close(&l->bend, leg_free);
}

/* ---- what is asked ---- */

static struct asked_http *newest(struct mcp_leg *l)
{
	return &l->asked[(l->first + l->count - 1) % ASKED_MAX];
}

/* In JSON, for who looks. */
static void answer_error(struct mcp_leg *l, int status, const char *why)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	web_refusal(&out, l->http->proxy, status, why);
	pair_write(&l->pair, SIDE_DEVICE, out.data, out.len);
	pair_finish(&l->pair);
}

static void refuse(struct mcp_leg *l, int status, const char *why,
		   const char *remedy)
{
	l->http->proxy->counts.refused++;
	proxy_say(l->http->proxy, PROXY_WARN, NULL, remedy, "refused %s: %s",
		  l->address, why);
	answer_error(l, status, why);
}

/*
 * The front judged the first one. A browser sends the requests of all its pages
 * by a connection that it has: each is judged.
 */
static bool is_let_in(struct mcp_leg *l, const struct head *h)
{
	const struct front_head view = { .address = l->peer,
					 .local = "",
					 .method = h->method,
					 .path = h->path,
					 .query = h->query,
					 .headers = &h->headers,
					 .share = &l->share };
	const char *why =
		head_problem(&h->headers, h->target_host, h->http_1_0);
	int status = 400;

	if (why) {
		refuse(l, 400, why, NULL);
		return false;
	}
	if (!l->dialled)
		return true;
	why = l->http->table->judge(l->http->front, &view, &status);
	if (!why &&
	    text_same(headers_get(&h->headers, "Upgrade"), "websocket")) {
		why = NO_UPGRADE;
		status = 404;
	}
	if (why)
		answer_error(l, status, why);
	return !why;
}

/* NULL: none is named, as where the field is empty. */
static const char *session_named(const struct headers *h)
{
	const char *id = headers_get(h, "Mcp-Session-Id");

	return id && *id ? id : NULL;
}

static void ask(struct mcp_leg *l, const struct head *h)
{
	const char *id = session_named(&h->headers);
	const char *revision = headers_get(&h->headers, "MCP-Protocol-Version");
	struct asked_http *a;

	mem_free(l->wanted);
	l->wanted = id ? mem_strdup(id) : NULL;
	if (l->blind)
		return;
	l->count++;
	a = newest(l);
	*a = (struct asked_http){ .head = strcmp(h->method, "HEAD") == 0,
				  .ends = strcmp(h->method, "DELETE") == 0,
				  .knows = id != NULL,
				  .newer = revision_known(ERA_MODERN,
							  revision) };
}

/* It waits for its body where that may be changed. */
static void send_head(struct mcp_leg *l, const struct head *h, struct buf *up)
{
	static const char more[] = "HTTP/1.1 100 Continue\r\n\r\n";

	l->holds = l->bend.plan && !l->blind && l->rq.how != BODY_NONE;
	if (!l->holds) {
		pair_write(&l->pair, SIDE_BACKEND, up->data, up->len);
		return;
	}
	buf_add(&l->held_head, up->data, up->len);
	/* Its server, which has not seen it yet, would ask for the body so. */
	if (headers_get(&h->headers, "Expect"))
		pair_write(&l->pair, SIDE_DEVICE, more, strlen(more));
}

static void send_held(struct mcp_leg *l)
{
	pair_write(&l->pair, SIDE_BACKEND, buf_string(&l->held_head),
		   l->held_head.len);
	pair_write(&l->pair, SIDE_BACKEND, buf_string(&l->held), l->held.len);
	buf_reset(&l->held_head);
	buf_reset(&l->held);
	l->holds = false;
}

static void send_body(struct mcp_leg *l, const char *data, size_t len)
{
	if (!l->holds) {
		pair_write(&l->pair, SIDE_BACKEND, data, len);
		return;
	}
	buf_add(&l->held, data, len);
	/* Larger than what is looked into. */
	if (l->held.len > MCP_KEPT_MAX)
		send_held(l);
}

static void on_turn(void *owner)
{
	struct mcp_leg *l = owner;
	const struct mcp_http *h = l->http;

	pair_dial(&l->pair, h->up.host, h->up.port,
		  h->up.tls ? &h->proxy->options.trust : NULL);
}

/* For the first request; nobody is dialled for half a head. */
static void dial(struct mcp_leg *l)
{
	if (l->dialled)
		return;
	l->dialled = true;
	turn_take(&l->turn, l->wanted, false);
}

/* Its head is whole. False: it was refused. */
static bool pass_head(struct mcp_leg *l)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct span lines = { l->rq.head.data, l->rq.head.len };
	const char *struck = NULL;
	struct head head;
	bool fine;

	if (head_parse(&head, lines.text, lines.len) != HEAD_READY) {
		refuse(l, 400, "no request of HTTP/1.1", NULL);
		return false;
	}
	fine = is_let_in(l, &head);
	if (fine) {
		ask(l, &head);
		web_request_head(&out, lines, &l->http->up, NULL, &struck);
		send_head(l, &head, &out);
		dial(l);
	}
	head_done(&head);
	return fine;
}

static bool is_initialize(struct span text)
{
	struct span method;

	return memmem(text.text, text.len, "\"initialize\"", 12) &&
	       !json_check(text.text, text.len, NULL) &&
	       json_span_member(text, "method", &method) &&
	       json_span_is(method, "initialize");
}

static bool wants_answer(struct span text)
{
	struct span at;

	return text.len && !json_check(text.text, text.len, NULL) &&
	       json_span_member(text, "method", &at) &&
	       json_span_member(text, "id", &at);
}

/* More than is looked into: it goes on, and all that it says is not known. */
static void tell_large(struct talk *t, bool from_device, struct span beginning,
		       size_t size)
{
	struct capture_event e = { .kind = CAPTURED_TEXT,
				   .from = from_device ? FROM_DEVICE :
							 FROM_BACKEND,
				   .data = beginning,
				   .size = size,
				   .cut = true };

	if (beginning.len > CAPTURE_DATA_MAX)
		e.data.len = text_cut(beginning.text, beginning.len,
				      CAPTURE_DATA_MAX);
	talk_pass(t, &e);
}

static void tell_in(struct mcp_leg *l, const struct mcp_session *s,
		    struct span text)
{
	struct http_parts *rq = &l->rq;
	CLEANUP(buf_done) struct buf up = { 0 };
	struct capture_event e = { .kind = CAPTURED_REQUEST,
				   .from = FROM_BACKEND,
				   .head = { rq->head.data, rq->head.len },
				   .data = { "", 0 } };

	talk_pass(s->talk, &e);
	if (rq->size > text.len)
		tell_large(s->talk, false, text, rq->size);
	if (!rq->size || rq->size != text.len)
		return;
	if (!l->holds) {
		talk_text(s->talk, false, text, NULL);
		return;
	}
	bend_request(l->bend.plan, s->talk, rq, &l->held_head, &l->held, &up);
	pair_write(&l->pair, SIDE_BACKEND, up.data, up.len);
	buf_reset(&l->held_head);
	buf_reset(&l->held);
	l->holds = false;
}

/* All of it is there: it can be said whose it is, and what it says. */
static void tell_request(struct mcp_leg *l)
{
	const struct span text = { buf_string(&l->rq.body), l->rq.body.len };
	/* Of the requests that wait it is the last: else it was answered amid it. */
	const bool early = !l->count;
	struct mcp_session *s;

	if (l->blind)
		return;
	s = session_for(l, is_initialize(text));
	if (!early) {
		newest(l)->session = s;
		newest(l)->wants = wants_answer(text);
	}
	if (s)
		tell_in(l, s, text);
	if (early)
		session_release(l->http, s);
}

static void next_request(struct mcp_leg *l)
{
	tell_request(l);
	if (l->holds)
		send_held(l);
	http_parts_done(&l->rq);
	l->rq = (struct http_parts){ .keep = MCP_KEPT_MAX };
}

static bool is_amid(const struct mcp_leg *l)
{
	return l->rq.head.len || l->rq.has_head;
}

/* Returns how much of it is done with: all, unless it must wait. */
static size_t take_requests(struct mcp_leg *l, const char *data, size_t len)
{
	size_t at = 0;

	while (at < len && !l->pair.closing &&
	       (is_amid(l) || l->blind || l->count < ASKED_MAX)) {
		bool body = l->rq.has_head;
		size_t used = http_parts_feed(&l->rq, data + at, len - at);

		if (l->rq.broken) {
			refuse(l, 400, "no request of HTTP/1.1", NULL);
			return len;
		}
		if (body)
			send_body(l, data + at, used);
		else if (l->rq.has_head && !pass_head(l))
			return len;
		at += used;
		if (l->rq.over)
			next_request(l);
	}
	return l->pair.closing ? len : at;
}

static void came_from_host(struct mcp_leg *l, const char *data, size_t len)
{
	size_t done = l->later.len ? 0 : take_requests(l, data, len);

	buf_add(&l->later, data + done, len - done);
	pair_stop(&l->pair, SIDE_DEVICE, l->later.len > 0);
}

/* One was answered: there is room for the next. */
static void go_on(struct mcp_leg *l)
{
	if (!l->later.len || l->pair.closing)
		return;
	buf_consume(&l->later, take_requests(l, l->later.data, l->later.len));
	pair_stop(&l->pair, SIDE_DEVICE, l->later.len > 0);
}

/* ---- what is answered ---- */

/* A session gets its name by the answer to its initialize. */
static void name_session(struct mcp_http *h, struct mcp_session *s,
			 const struct http_parts *rs)
{
	struct span id = http_parts_field(buf_string(&rs->head), rs->head.len,
					  "Mcp-Session-Id");

	if (s->id || !id.len)
		return;
	s->id = mem_strndup(id.text, id.len);
	known_add(&h->proxy->turns->known, s->id, "");
}

/* What was asked first, and is not answered; NULL: nothing that is known. */
static struct talk *asking(const struct mcp_leg *l)
{
	const struct asked_http *a = &l->asked[l->first];

	return l->count && a->session ? a->session->talk : NULL;
}

static struct stage stage_of(const struct mcp_leg *l, enum why what)
{
	const struct upstream *up = &l->http->up;

	return (struct stage){
		.facts = { .what = what,
			   .with = WITH_HTTP | (up->tls ? 0 : WITH_PLAIN),
			   .host = up->host,
			   .port = up->port,
			   .path = up->path },
		.then = "the host's request fails, as it would without us"
	};
}

/* A failure of HTTP for who wants a message, or a page. */
static void judge_status(struct mcp_leg *l)
{
	const struct asked_http *a = &l->asked[l->first];
	const struct http_parts *rs = &l->rs;
	CLEANUP(mem_free_ptr) char *to = http_parts_text(&rs->head, "Location");
	CLEANUP(mem_free_ptr)
	char *challenge = http_parts_list(&rs->head, "WWW-Authenticate");
	struct stage s = stage_of(l, WHY_STATUS);

	if (!asking(l) || !a->wants || rs->status < 200)
		return;
	/* As MCP has it, where a server does not speak it: hosts find out so. */
	if (a->newer && rs->status == 400)
		return;
	s.facts.number = rs->status;
	s.facts.to = to;
	s.facts.challenge = challenge;
	s.code = P713;
	s.sure = true;
	if (rs->status < 300 && http_parts_is(&rs->head, "text/html"))
		s.facts.what = WHY_PAGE;
	else if (rs->status < 300)
		return;
	else if (rs->status < 400 && to)
		s.facts.what = WHY_REDIRECT;
	else if (rs->status == 404 && a->knows)
		s.facts.what = WHY_SESSION_FORGOTTEN;
	if (s.facts.what == WHY_REDIRECT) {
		s.code = P715;
		s.then =
			"whether the host follows is its own affair: what it asks there does not come through here";
	}
	stage_failed(asking(l), &s);
}

static void tell_answer(struct mcp_leg *l)
{
	struct mcp_session *s = l->count ? l->asked[l->first].session : NULL;
	struct http_parts *rs = &l->rs;
	struct capture_event e = { .kind = CAPTURED_RESPONSE,
				   .from = FROM_DEVICE,
				   .status = rs->status,
				   .head = { rs->head.data, rs->head.len },
				   .data = { "", 0 } };

	l->told = true;
	if (rs->status >= 200)
		turn_answered(&l->turn);
	l->streams = http_parts_is(&rs->head, "text/event-stream");
	if (s) {
		name_session(l->http, s, rs);
		talk_pass(s->talk, &e);
		judge_status(l);
	}
	if (l->bend.plan)
		bend_begin(&l->bend, rs, s ? s->talk : NULL);
}

static void on_event(void *owner, const struct sse_event *e)
{
	struct mcp_leg *l = owner;
	struct mcp_session *s = l->count ? l->asked[l->first].session : NULL;

	if (s && e->len && strcmp(e->type, "message") == 0)
		talk_text(s->talk, true, (struct span){ e->data, e->len },
			  NULL);
}

/* What of it stands in one line, as far as that was read. */
static void on_too_long(void *owner)
{
	struct mcp_leg *l = owner;
	struct mcp_session *s = l->count ? l->asked[l->first].session : NULL;
	struct span text = { buf_string(&l->sse.line), l->sse.line.len };
	const size_t name = text_starts(text.text, "data: ") ? 6 : 0;

	text.text += name;
	text.len -= name;
	if (s)
		tell_large(s->talk, true, text,
			   text.len ? text.len : MCP_KEPT_MAX);
}

static const struct sse_events sse_events = { .event = on_event,
					      .too_long = on_too_long };

static void answered(struct mcp_leg *l)
{
	struct asked_http *a = &l->asked[l->first];
	struct mcp_session *s = l->count ? a->session : NULL;
	struct span text = { buf_string(&l->rs.body), l->rs.body.len };
	const bool json = s && http_parts_is(&l->rs.head, "application/json");

	if (json && l->rs.size > text.len)
		tell_large(s->talk, true, text, l->rs.size);
	if (l->bend.plan)
		bend_end(&l->bend, &l->rs);
	else if (json && l->rs.size && l->rs.size == text.len)
		talk_text(s->talk, true, text, NULL);
	if (!l->count || (l->rs.status >= 100 && l->rs.status < 200))
		return;
	if (s && a->ends && l->rs.status < 300)
		s->gone = true;
	session_release(l->http, s);
	l->first = (l->first + 1) % ASKED_MAX;
	l->count--;
}

static void next_answer(struct mcp_leg *l)
{
	answered(l);
	http_parts_done(&l->rs);
	sse_done(&l->sse);
	l->sse = (struct sse){ .max = MCP_KEPT_MAX };
	l->rs = (struct http_parts){ .answer = true, .keep = MCP_KEPT_MAX };
	l->told = l->streams = false;
	go_on(l);
}

/* What of it was read just now. */
static void read_body(struct mcp_leg *l, const char *data, size_t len)
{
	if (l->bend.plan) {
		bend_body(&l->bend, &l->rs, data, len);
	} else if (l->streams && l->rs.body.len) {
		sse_feed(&l->sse, l->rs.body.data, l->rs.body.len, &sse_events,
			 l);
		buf_reset(&l->rs.body);
	}
	if (l->rs.over && !bend_waits(&l->bend))
		next_answer(l);
}

/* It is no HTTP: unread from here on. */
static void go_blind(struct mcp_leg *l, const char *data, size_t len)
{
	struct stage s = stage_of(l, WHY_FOREIGN);

	l->blind = true;
	if (asking(l) && !l->told)
		stage_failed(asking(l), &s);
	go_on(l);
	if (!l->bend.plan)
		return;
	if (!l->told)
		bend_give_up(&l->bend, &l->rs, buf_string(&l->rs.head),
			     l->rs.head.len);
	bend_give_up(&l->bend, &l->rs, data, len);
}

/* Without --set and --fault it went on already. */
static void read_answer(struct mcp_leg *l, const char *data, size_t len)
{
	while (len && !l->blind) {
		const size_t before = l->rs.body.len;
		size_t used;

		if (bend_waits(&l->bend)) {
			bend_keep(&l->bend, data, len);
			return;
		}
		l->rs.to_head = l->count && l->asked[l->first].head;
		used = http_parts_feed(&l->rs, data, len);
		if (l->rs.broken || (!used && !l->rs.over)) {
			/* What was read amid the fault goes on as it came. */
			if (l->told) {
				buf_cut(&l->rs.body, before);
				used = 0;
			}
			go_blind(l, data + used, len - used);
			return;
		}
		if (l->rs.has_head && !l->told) {
			tell_answer(l);
			read_body(l, NULL, 0);
		} else if (l->rs.has_head) {
			read_body(l, data, used);
		}
		data += used;
		len -= used;
	}
}

static void on_resumed(void *owner)
{
	struct mcp_leg *l = owner;
	CLEANUP(buf_done) struct buf late = l->bend.late;

	l->bend.late = (struct buf){ 0 };
	if (l->told)
		read_body(l, NULL, 0);
	read_answer(l, buf_string(&late), late.len);
}

/* ---- connections ---- */

/* Others wait for its place. */
static void make_way(void *owner)
{
	struct mcp_leg *l = owner;

	l->http->table->lacks(l->http->front, LACK_PLACES, l->peer);
	turn_over(&l->turn);
	share_close(&l->share);
	pair_reset(&l->pair);
}

static void on_late(void *owner)
{
	struct mcp_leg *l = owner;

	l->http->table->lacks(l->http->front, LACK_TURN, l->peer);
	answer_error(l, 503, BUSY_TURN);
}

/* Is a request of its peer awaited, or the rest of one? */
static void follow(struct mcp_leg *l)
{
	if (l->pair.closing || l->blind || (l->count && !is_amid(l)))
		lull_over(&l->lull);
	else
		lull_waits(&l->lull);
}

static void on_came(void *owner, enum side from, const char *data, size_t len)
{
	struct mcp_leg *l = owner;
	int64_t began = (int64_t)uv_hrtime();

	if (from == SIDE_DEVICE) {
		if (!is_amid(l))
			lull_over(&l->lull); /* another one begins */
		came_from_host(l, data, len);
	} else {
		l->heard = true;
		if (!l->bend.plan || l->blind)
			pair_write(&l->pair, SIDE_DEVICE, data, len);
		read_answer(l, data, len);
	}
	latency_add(&l->http->proxy->added, (int64_t)uv_hrtime() - began);
	/* Who waits for an answer may wait as long as its server lets him. */
	tcp_deadline(&l->pair.end[SIDE_DEVICE].tcp,
		     l->count && !is_amid(l) ? 0 : IDLE_MS);
	follow(l);
}

static size_t on_kept(void *owner)
{
	const struct mcp_leg *l = owner;

	return l->rq.head.len + l->rq.body.len + l->rs.head.len +
	       l->rs.body.len + l->later.len + l->sse.line.len +
	       l->sse.data.len + l->held_head.len + l->held.len +
	       bend_kept(&l->bend);
}

static void on_crowded(void *owner)
{
	struct mcp_leg *l = owner;

	l->http->table->lacks(l->http->front, LACK_BYTES, l->peer);
}

static void on_up(void *owner)
{
	struct mcp_leg *l = owner;
	struct stage s = stage_of(l, WHY_TLS);

	s.then = "--insecure lets that pass";
	stage_tls(l->http->proxy, asking(l), &l->pair, &s);
}

static void on_failed(void *owner, const struct error *why)
{
	struct mcp_leg *l = owner;
	CLEANUP(mem_free_ptr) char *text = NULL;
	struct stage s = stage_of(l, why ? (enum why)why->reason : WHY_CLOSED);

	if (why && lack_of_files(why->code)) {
		l->http->table->lacks(l->http->front, LACK_FILES, l->peer);
		answer_error(l, 503, "busy: no open file is left");
		return;
	}
	/* Who asked us knows neither path nor query of it, where tokens are. */
	text = mem_printf("the server %s:%u cannot be reached: %s",
			  l->http->up.host, l->http->up.port,
			  why ? why->text : "it ended");

	s.facts.number = why ? why->code : 0;
	stage_found(asking(l),
		    why && *why->finding ? why->finding :
					   why_find(&s.facts)->finding,
		    text);
	refuse(l, 502, text, why ? why->hint : NULL);
}

/* Something was asked, and its answer has not begun, or is cut. */
static void judge_end(struct mcp_leg *l, enum side who)
{
	struct stage s = stage_of(l, WHY_CLOSED);

	if (!asking(l) || l->blind || l->judged)
		return;
	if (l->told && who == SIDE_BACKEND && l->rs.how != BODY_TO_END)
		talk_note(asking(l), "the connection ended amid the answer");
	if (l->told || (who == SIDE_DEVICE && l->rs.head.len))
		return;
	l->judged = true;
	s.code = who == SIDE_BACKEND ? N117 : N111;
	s.sure = !l->heard;
	if (who == SIDE_DEVICE)
		s.facts.what = WHY_WAITS_ANSWER;
	else if (l->rs.head.len)
		s.facts.what = WHY_FOREIGN;
	if (who == SIDE_DEVICE)
		stage_left(asking(l), &s, pair_is_up(&l->pair));
	else
		stage_failed(asking(l), &s);
}

/* What waits goes on in front of the end. */
static void wait_no_longer(struct mcp_leg *l)
{
	while (bend_waits(&l->bend) && !l->pair.closing)
		bend_go_on(&l->bend);
}

static void on_ended(void *owner, enum side from, enum event_end how)
{
	struct mcp_leg *l = owner;

	(void)how;
	judge_end(l, from);
	if (from == SIDE_DEVICE)
		return;
	wait_no_longer(l);
	/* A body without a length ends so. */
	if (!l->blind && l->rs.has_head && http_parts_end(&l->rs))
		next_answer(l);
	else if (l->bend.plan && !l->blind)
		bend_give_up(&l->bend, &l->rs, NULL, 0);
	wait_no_longer(l);
}

static const struct pair_events pair_events = {
	.came = on_came,
	.up = on_up,
	.failed = on_failed,
	.crowded = on_crowded,
	.kept = on_kept,
	.ended = on_ended,
	.closed = on_closed,
};

static void on_take(void *owner, int fd, const struct front_head *head)
{
	struct mcp_http *h = owner;
	struct mcp_leg *l = mem_zalloc(sizeof(*l));

	l->http = h;
	l->address = web_host_of(head->address);
	l->peer = mem_strdup(head->address);
	l->rq.keep = MCP_KEPT_MAX;
	l->rs = (struct http_parts){ .answer = true, .keep = MCP_KEPT_MAX };
	l->sse.max = MCP_KEPT_MAX;
	share_move(&l->share, head->share);
	l->pair.share = &l->share;
	l->bend.resumed = on_resumed;
	l->bend.owner = l;
	bend_open(&l->bend, h->proxy->loop, h->proxy->options.alter, &l->pair);
	CHAIN_PUSH(h->legs, l);
	h->open++;
	pair_open(&l->pair, h->proxy->loop, fd, &pair_events, l);
	tcp_deadline(&l->pair.end[SIDE_DEVICE].tcp, IDLE_MS);
	l->lull = (struct lull){ .proxy = h->proxy,
				 .share = &l->share,
				 .end = make_way,
				 .owner = l };
	l->turn = (struct turn){ .proxy = h->proxy,
				 .share = &l->share,
				 .from = "",
				 .go = on_turn,
				 .late = on_late,
				 .end = make_way,
				 .owner = l };
	lull_waits(&l->lull);
}

static int on_upgrade(void *owner, int fd, const struct front_head *head,
		      const char **reason)
{
	(void)owner;
	(void)fd;
	(void)head;
	*reason = NO_UPGRADE;
	return 404;
}

static void on_noise(void *owner, enum front_noise what, const char *address)
{
	const struct mcp_http *h = owner;

	proxy_noise(h->proxy, address, knock_noise(what));
}

static void on_refused(void *owner, const struct front_refusal *r)
{
	const struct mcp_http *h = owner;

	proxy_refused(h->proxy, r);
}

static bool on_room(void *owner)
{
	const struct mcp_http *h = owner;

	return turn_make_room(h->proxy, false);
}

/* The name of a session is a secret of the server's. */
static enum front_standing on_standing(void *owner,
				       const struct front_head *head)
{
	const struct mcp_http *h = owner;
	const char *id = session_named(head->headers);

	return known_find(&h->proxy->turns->known, id, "") ? FRONT_NAMED :
							     FRONT_STRANGER;
}

static size_t on_sockets_max(void *owner)
{
	const struct mcp_http *h = owner;

	return h->proxy->knocks_max;
}

static void on_front_closed(void *owner)
{
	http_release(owner);
}

void mcp_http_close(struct mcp_http *h)
{
	if (h->closing)
		return;
	h->closing = true;
	for (struct mcp_leg *l = h->legs; l; l = l->next)
		pair_reset(&l->pair);
	h->table->close(h->front, on_front_closed);
}

/* ---- opening ---- */

static int where(struct mcp_http *h, uint16_t *port, struct error *err)
{
	const struct words *listen = h->proxy->options.listen;

	*port = LISTEN_NUMBER;
	if (!listen || !listen->count) {
		h->host = mem_strdup(LISTEN_AT);
		return 0;
	}
	if (listen->count > 1)
		return error_set(
			err, ERR_USAGE,
			"--listen: an MCP server is served in one place");
	if (endpoint_parse_listen(listen->word[0], &h->host, port, err))
		return error_prefix(err, "--listen");
	/* A port alone: who wants more than this machine says so. */
	if (!h->host)
		h->host = mem_strdup(LISTEN_AT);
	return 0;
}

static int listen_at(struct mcp_http *h, uint16_t port, struct error *err)
{
	static const struct front_events events = {
		.take = on_take,
		.upgrade = on_upgrade,
		.noise = on_noise,
		.refused = on_refused,
		.sockets_max = on_sockets_max,
		.standing = on_standing,
		.room = on_room,
	};
	const struct front_config c = { .host = h->host,
					.port = port,
					.admit = h->proxy->options.admit,
					.budget = h->proxy->budget,
					.counts_questions = true };

	h->table = module_table("front", FRONT_TABLE, err);
	if (!h->table)
		return -1;
	h->front = h->table->open(h->proxy->loop, &c, &events, h, err);
	if (!h->front)
		return -1;
	h->number = h->table->port(h->front);
	return 0;
}

/* As hosts read it; boards have no IPv6, and no ':' in a path. */
static int read_server(struct upstream *out, const char *url, struct error *err)
{
	CLEANUP(endpoint_done) struct endpoint e = { 0 };
	const char *host = strstr(url, "://");

	if (host && memchr(host + 3, '@', strcspn(host + 3, "/?#"))) {
		error_set(
			err, ERR_USAGE,
			"a user has no place in the address: hosts bring their own");
		return error_hint(err, "leave out what stands before '@'");
	}
	if (endpoint_parse(&e, url, "the argument", err))
		return -1;
	*out = (struct upstream){ .url = mem_strdup(url),
				  .host = mem_strdup(e.host),
				  .path = mem_strdup(e.path),
				  .port = e.port,
				  .has_port = e.port != e.scheme->port,
				  .tls = endpoint_has(&e, SCHEME_TLS) };
	return 0;
}

/* port: ours, where it names none. */
static int take_advertise(struct mcp_http *h, uint16_t port, struct error *err)
{
	const char *text = h->proxy->options.admit.advertise;
	CLEANUP(mem_free_ptr) char *ota = NULL;

	mem_free(TAKE(h->advertised));
	return text ? ota_advertise(text, port, "/", &h->advertised, &ota,
				    err) :
		      0;
}

static int set_up(struct mcp_http *h, struct error *err)
{
	const struct proxy_options *o = &h->proxy->options;
	uint16_t port;

	if (read_server(&h->up, o->upstream, err) || where(h, &port, err) ||
	    take_advertise(h, port, err) || listen_at(h, port, err))
		return -1;
	/* Now that it is known; what was right stays right. */
	return take_advertise(h, h->number, err);
}

int mcp_http_open(struct proxy *p, void (*closed)(struct proxy *p),
		  struct mcp_http **out, struct error *err)
{
	struct mcp_http *h = mem_zalloc(sizeof(*h));

	h->proxy = p;
	h->closed = closed;
	if (set_up(h, err)) {
		upstream_done(&h->up);
		mem_free(h->host);
		mem_free(h->advertised);
		mem_free(h);
		return -1;
	}
	h->open = 1;
	*out = h;
	return 0;
}

static void add_address(const struct mcp_http *h, const char *scheme,
			const char *host, size_t len, struct words *out)
{
	CLEANUP(mem_free_ptr)
	char *url =
		mem_printf("%s://%.*s%s", scheme, (int)len, host, h->up.path);

	words_add(out, url);
}

void mcp_http_addresses(const struct mcp_http *h, struct words *out)
{
	CLEANUP(words_done) struct words found = { 0 };
	const char *own = h->advertised ? strstr(h->advertised, "://") : NULL;

	if (own) {
		add_address(
			h, text_starts(h->advertised, "wss") ? "https" : "http",
			own + 3, strcspn(own + 3, "/?"), out);
		return;
	}
	open_addresses(&found, h->host, h->number);
	for (size_t i = 0; i < found.count; i++)
		add_address(h, "http", found.word[i], strlen(found.word[i]),
			    out);
}
