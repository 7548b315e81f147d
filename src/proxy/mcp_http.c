/* SPDX-License-Identifier: MIT */
/*
 * A server over HTTP: a port of ours stands for its address. Requests go on with
 * another Host and without compression, answers as they are, chunk by chunk; a
 * connection up for each one down. What is said is found beside it, and belongs
 * to a session: by Mcp-Session-Id, or where there is none by the host's address.
 * See proxy/mcp_relay.h.
 */
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/address.h"
#include "net/admit.h"
#include "net/endpoint.h"
#include "net/head.h"
#include "net/why.h"
#include "proxy/gate.h"
#include "proxy/mcp_relay.h"
#include "proxy/pair.h"
#include "proxy/upstream.h"
#include "proxy/web.h"
#include "wire/http_parts.h"
#include "wire/sse.h"

#define SESSIONS_MAX 256
#define ASKED_MAX 16 /* requests on one connection that are not answered */
#define HEAD_MS 10000 /* for the first head of a connection */
#define LISTEN_AT "127.0.0.1" /* a server is for programs here, unless told */
#define LISTEN_NUMBER 8000

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
};

struct mcp_leg { /* one connection */
	struct mcp_leg *next, *previous;
	struct mcp_http *http;
	struct pair pair;
	struct share share;
	struct timer patience;
	char *address;
	struct http_parts rq, rs;
	struct asked_http asked[ASKED_MAX]; /* a ring */
	unsigned first, count;
	char *wanted; /* Mcp-Session-Id of rq; NULL */
	struct sse sse;
	bool streams; /* rs is one */
	bool told; /* the head of rs was */
	bool blind; /* no HTTP, or too much at once: it goes on unread */
	bool closing;
	unsigned open; /* the pair, the timer */
};

struct mcp_http {
	struct proxy *proxy;
	struct gate gate;
	struct admit admit;
	struct upstream up;
	char *host; /* where it listens; NULL: all addresses */
	struct mcp_leg *legs;
	struct mcp_session *sessions;
	size_t session_count;
	uint64_t uses;
	unsigned open; /* the gate, and connections */
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
	talk_end(s->talk, from, ENDED_CLOSE, 0);
	mem_free(s->id);
	mem_free(s->address);
	mem_free(s);
}

/* The one that was not used for longest makes room. */
static void make_room(struct mcp_http *h)
{
	struct mcp_session *oldest = NULL;

	if (h->session_count < SESSIONS_MAX)
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
	if (s) {
		s->uses++;
		s->last = ++h->uses;
	}
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

	if (--h->open)
		return;
	while (h->sessions)
		session_drop(h, h->sessions, FROM_NOBODY);
	admit_done(&h->admit);
	upstream_done(&h->up);
	mem_free(h->host);
	mem_free(h);
	mcp_relay_release(p);
}

static void leg_free(struct mcp_leg *l)
{
	struct mcp_http *h = l->http;

	if (l->previous)
		l->previous->next = l->next;
	else
		h->legs = l->next;
	if (l->next)
		l->next->previous = l->previous;
	while (l->count) {
		session_release(h, l->asked[l->first].session);
		l->first = (l->first + 1) % ASKED_MAX;
		l->count--;
	}
	http_parts_done(&l->rq);
	http_parts_done(&l->rs);
	sse_done(&l->sse);
	share_close(&l->share);
	mem_free(l->wanted);
	mem_free(l->address);
	mem_free(l);
	http_release(h);
}

static void release(void *owner)
{
	struct mcp_leg *l = owner;

	if (!--l->open)
		leg_free(l);
}

static void on_closed(void *owner)
{
	struct mcp_leg *l = owner;

	if (!l->closing)
		timer_close(&l->patience, release);
	l->closing = true;
	release(l);
}

/* ---- what is asked ---- */

static struct asked_http *newest(struct mcp_leg *l)
{
	return &l->asked[(l->first + l->count - 1) % ASKED_MAX];
}

/* As its own server would say no; in JSON, for who looks. */
static void refuse(struct mcp_leg *l, const char *status, const char *why,
		   const char *remedy)
{
	CLEANUP(buf_done) struct buf body = { 0 }, out = { 0 };

	buf_text(&body, "{\"error\":");
	buf_json_string(&body, why, strlen(why));
	buf_text(&body, "}\n");
	buf_printf(&out,
		   "HTTP/1.1 %s\r\nContent-Type: application/json\r\n"
		   "Content-Length: %zu\r\nConnection: close\r\n\r\n%s",
		   status, body.len, body.data);
	pair_write(&l->pair, SIDE_DEVICE, out.data, out.len);
	pair_finish(&l->pair);
	l->http->proxy->counts.refused++;
	proxy_say(l->http->proxy, PROXY_WARN, NULL, remedy, "refused %s: %s",
		  l->address, why);
}

/* What its server would judge by Host is judged here, where Host is known. */
static bool is_let_in(struct mcp_leg *l, const struct head *h)
{
	CLEANUP(buf_done) struct buf remedy = { 0 };
	enum admit_verdict verdict =
		admit_judge(&l->http->admit, &h->headers, false);
	const char *problem = head_problem(&h->headers, h->http_1_0);

	if (problem) {
		refuse(l, "400 Bad Request", problem, NULL);
		return false;
	}
	if (verdict == ADMIT_YES)
		return true;
	admit_remedy(&remedy, verdict, &h->headers);
	refuse(l,
	       verdict == ADMIT_HOST ? "421 Misdirected Request" :
				       "403 Forbidden",
	       verdict == ADMIT_HOST ?
		       "this port is not known by that name" :
		       "a page of another origin may not use this port",
	       remedy.len ? remedy.data : NULL);
	return false;
}

static void ask(struct mcp_leg *l, const struct head *h)
{
	const char *id = headers_get(&h->headers, "Mcp-Session-Id");
	struct asked_http *a;

	mem_free(l->wanted);
	l->wanted = id ? mem_strdup(id) : NULL;
	if (l->count == ASKED_MAX) {
		l->blind = true;
		return;
	}
	l->count++;
	a = newest(l);
	*a = (struct asked_http){ .head = strcmp(h->method, "HEAD") == 0,
				  .ends = strcmp(h->method, "DELETE") == 0 };
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
		refuse(l, "400 Bad Request", "no request of HTTP/1.1", NULL);
		return false;
	}
	fine = is_let_in(l, &head);
	if (fine) {
		timer_stop(&l->patience);
		share_ask(&l->share);
		ask(l, &head);
		web_request_head(&out, lines, &l->http->up, NULL, &struck);
		pair_write(&l->pair, SIDE_BACKEND, out.data, out.len);
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

/* All of it is there: it can be said whose it is, and what it says. */
static void tell_request(struct mcp_leg *l)
{
	struct http_parts *rq = &l->rq;
	struct span text = { buf_string(&rq->body), rq->body.len };
	struct capture_event e = { .kind = CAPTURED_REQUEST,
				   .from = FROM_BACKEND,
				   .head = { rq->head.data, rq->head.len },
				   .data = { "", 0 } };
	struct mcp_session *s;

	if (l->blind)
		return;
	s = session_for(l, is_initialize(text));
	newest(l)->session = s;
	if (!s)
		return;
	talk_pass(s->talk, &e);
	if (rq->size && rq->size == text.len)
		mcp_tell(s->talk, false, text, NULL);
}

static void next_request(struct mcp_leg *l)
{
	tell_request(l);
	http_parts_done(&l->rq);
	l->rq = (struct http_parts){ .keep = MCP_KEPT_MAX };
}

static void came_from_host(struct mcp_leg *l, const char *data, size_t len)
{
	while (len && !l->blind && !l->pair.closing) {
		bool body = l->rq.has_head;
		size_t used = http_parts_feed(&l->rq, data, len);

		if (l->rq.broken) {
			refuse(l, "400 Bad Request", "no request of HTTP/1.1",
			       NULL);
			return;
		}
		if (body)
			pair_write(&l->pair, SIDE_BACKEND, data, used);
		else if (l->rq.has_head && !pass_head(l))
			return;
		data += used;
		len -= used;
		if (l->rq.over)
			next_request(l);
	}
	if (l->blind)
		pair_write(&l->pair, SIDE_BACKEND, data, len);
}

/* ---- what is answered ---- */

static bool is_type(const struct http_parts *rs, const char *type)
{
	struct span value = http_parts_field(&rs->head, "Content-Type");

	return value.text && value.len >= strlen(type) &&
	       strncasecmp(value.text, type, strlen(type)) == 0;
}

/* A session gets its name by the answer to its initialize. */
static void name_session(struct mcp_session *s, const struct http_parts *rs)
{
	struct span id = http_parts_field(&rs->head, "Mcp-Session-Id");

	if (!s->id && id.text)
		s->id = mem_strndup(id.text, id.len);
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
	l->streams = is_type(rs, "text/event-stream");
	if (!s)
		return;
	name_session(s, rs);
	talk_pass(s->talk, &e);
}

static void on_event(void *owner, const struct sse_event *e)
{
	struct mcp_leg *l = owner;
	struct mcp_session *s = l->count ? l->asked[l->first].session : NULL;

	if (s && e->len && strcmp(e->type, "message") == 0)
		mcp_tell(s->talk, true, (struct span){ e->data, e->len }, NULL);
}

static const struct sse_events sse_events = { .event = on_event };

static void answered(struct mcp_leg *l)
{
	struct asked_http *a = &l->asked[l->first];
	struct mcp_session *s = l->count ? a->session : NULL;
	struct span text = { buf_string(&l->rs.body), l->rs.body.len };

	if (s && !l->streams && l->rs.size && l->rs.size == text.len &&
	    is_type(&l->rs, "application/json"))
		mcp_tell(s->talk, true, text, NULL);
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
}

/* It went on already. */
static void read_answer(struct mcp_leg *l, const char *data, size_t len)
{
	while (len && !l->blind) {
		size_t used;

		l->rs.to_head = l->count && l->asked[l->first].head;
		used = http_parts_feed(&l->rs, data, len);
		if (l->rs.broken || (!used && !l->rs.over)) {
			l->blind = true;
			return;
		}
		if (l->rs.has_head && !l->told)
			tell_answer(l);
		if (l->streams && l->rs.body.len) {
			sse_feed(&l->sse, l->rs.body.data, l->rs.body.len,
				 &sse_events, l);
			buf_reset(&l->rs.body);
		}
		data += used;
		len -= used;
		if (l->rs.over)
			next_answer(l);
	}
}

/* ---- connections ---- */

static void on_came(void *owner, enum side from, const char *data, size_t len)
{
	struct mcp_leg *l = owner;
	int64_t began = (int64_t)uv_hrtime();

	if (from == SIDE_DEVICE) {
		if (!l->pair.end[SIDE_BACKEND].used)
			pair_dial(&l->pair, l->http->up.host, l->http->up.port,
				  l->http->up.tls ?
					  &l->http->proxy->options.trust :
					  NULL);
		came_from_host(l, data, len);
	} else {
		pair_write(&l->pair, SIDE_DEVICE, data, len);
		read_answer(l, data, len);
	}
	latency_add(&l->http->proxy->added, (int64_t)uv_hrtime() - began);
}

static void on_up(void *owner)
{
	struct mcp_leg *l = owner;
	struct tls_facts tls;

	if (pair_tls(&l->pair, &tls) && *tls.doubt)
		proxy_say(
			l->http->proxy, PROXY_WARN, NULL, NULL,
			"the certificate of %s is not believed (--insecure): %s",
			l->http->up.host, tls.doubt);
}

static void on_failed(void *owner, const struct error *why)
{
	struct mcp_leg *l = owner;
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("the server %s cannot be reached: %s",
				l->http->up.url, why ? why->text : "it ended");

	refuse(l, "502 Bad Gateway", text, why ? why->hint : NULL);
}

static void on_ended(void *owner, enum side from, enum event_end how)
{
	struct mcp_leg *l = owner;

	(void)how;
	/* A body without a length ends so. */
	if (from == SIDE_BACKEND && !l->blind && l->rs.has_head &&
	    http_parts_end(&l->rs))
		next_answer(l);
}

static const struct pair_events pair_events = {
	.came = on_came,
	.up = on_up,
	.failed = on_failed,
	.ended = on_ended,
	.closed = on_closed,
};

static void on_patience(void *owner)
{
	struct mcp_leg *l = owner;

	pair_finish(&l->pair);
}

static void leg_open(struct mcp_http *h, int fd, const struct sockaddr *from,
		     struct share *share)
{
	struct mcp_leg *l = mem_zalloc(sizeof(*l));
	char address[ADDRESS_TEXT_MAX];

	address_print_host(from, address, sizeof(address));
	l->http = h;
	l->address = mem_strdup(address);
	l->open = 2;
	l->rq.keep = MCP_KEPT_MAX;
	l->rs = (struct http_parts){ .answer = true, .keep = MCP_KEPT_MAX };
	l->sse.max = MCP_KEPT_MAX;
	share_move(&l->share, share);
	timer_open(&l->patience, h->proxy->loop, on_patience, l);
	timer_start(&l->patience, HEAD_MS);
	l->next = h->legs;
	if (h->legs)
		h->legs->previous = l;
	h->legs = l;
	h->open++;
	pair_open(&l->pair, h->proxy->loop, fd, &pair_events, l);
}

static void on_visitor(void *owner, int fd, const struct sockaddr *from)
{
	struct mcp_http *h = owner;
	struct share share = { 0 };

	if (h->proxy->budget)
		share_open(&share, h->proxy->budget, budget_key_address(from));
	if (!h->closing && !share_is_over(&share)) {
		leg_open(h, fd, from, &share);
		return;
	}
	h->proxy->counts.refused++;
	share_close(&share);
	close(fd);
}

static void on_full(void *owner, const char *why)
{
	const struct mcp_http *h = owner;

	proxy_say(h->proxy, PROXY_WARN, NULL, NULL,
		  "nobody can be let in on port %u: %s", (unsigned)h->gate.port,
		  why);
}

static void on_gate_closed(void *owner)
{
	http_release(owner);
}

static const struct gate_events gate_events = {
	.came = on_visitor,
	.full = on_full,
	.closed = on_gate_closed,
};

void mcp_http_close(struct mcp_http *h)
{
	if (h->closing)
		return;
	h->closing = true;
	for (struct mcp_leg *l = h->legs; l; l = l->next)
		pair_reset(&l->pair);
	gate_close(&h->gate);
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

static int set_up(struct mcp_http *h, struct error *err)
{
	const struct proxy_options *o = &h->proxy->options;
	uint16_t port;

	if (alterations_any(o->alter))
		return error_set(
			err, ERR_USAGE,
			"--set and --fault do not change what passes over HTTP to an MCP server; they do with stdio: and -- COMMAND");
	if (upstream_read(&h->up, o->upstream, err) || where(h, &port, err) ||
	    admit_open(&h->admit, &o->admit, NULL, h->host, err))
		return -1;
	h->gate = (struct gate){ .loop = h->proxy->loop,
				 .events = &gate_events,
				 .owner = h };
	return gate_open(&h->gate, h->host, port, err);
}

int mcp_http_open(struct proxy *p, struct mcp_http **out, struct error *err)
{
	struct mcp_http *h = mem_zalloc(sizeof(*h));

	h->proxy = p;
	if (set_up(h, err)) {
		admit_done(&h->admit);
		upstream_done(&h->up);
		mem_free(h->host);
		mem_free(h);
		return -1;
	}
	h->open = 1;
	*out = h;
	return 0;
}

char *mcp_http_address(const struct mcp_http *h)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_text(&out, "http://");
	authority_print(&out, h->host, h->gate.port);
	buf_text(&out, h->up.path);
	return buf_take(&out);
}
