/* SPDX-License-Identifier: MIT */
/* Transfers by libcurl on the loop. */
#include "net/http_curl.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "net/http_private.h"

static void http_engine_stir(struct http_engine *e, struct http_transfer *t);
static void http_engine_tell(struct http_engine *e);

/*
 * One request for curl: its options in one place, what comes kept in the
 * transfer, and curl's ways of failing as outcomes.
 */

#define HEAD_MAX ((size_t)256 * 1024)
#define IDLE_MAX_S 3L /* servers wait for 5 s and more */

/* ---- what curl calls ---- */

static size_t on_body(char *data, size_t size, size_t count, void *owner)
{
	const struct curl_request *r = owner;

	buf_add(&r->transfer->arrived, data, size * count);
	http_engine_stir(r->engine, r->transfer);
	return size * count;
}

static void take_header(struct http_transfer *t, const char *line, size_t len)
{
	const char *colon = memchr(line, ':', len), *value;
	CLEANUP(mem_free_ptr) char *name = NULL, *copy = NULL;

	if (!colon || colon == line)
		return;
	value = colon + 1;
	while (value < line + len && (*value == ' ' || *value == '\t'))
		value++;
	name = mem_strndup(line, (size_t)(colon - line));
	copy = mem_strndup(value, (size_t)(line + len - value));
	headers_add(&t->answer, name, copy);
}

/*
 * A server may close behind a refusal without saying so. Espressif's mcp-c-sdk
 * 2.0.1 (espressif.md 6) says a second answer there, which the next request on
 * this connection would get. HTTP/2 knows whose an answer is.
 */
static void part_from(const struct curl_request *r)
{
	const struct http_transfer *t = r->transfer;

	if (t->status >= 400 && strcmp(t->version, "HTTP/2") != 0)
		curl_easy_setopt(r->easy, CURLOPT_FORBID_REUSE, 1L);
}

/* Each status line begins anew: interim answers do not count. */
static size_t on_header(char *data, size_t size, size_t count, void *owner)
{
	struct curl_request *r = owner;
	struct http_transfer *t = r->transfer;
	size_t len = size * count, left = len;
	long status = 0, version = 0;

	r->head_bytes += len;
	if (r->head_bytes > HEAD_MAX)
		return 0;
	while (left > 0 && strchr(" \t\r\n", data[left - 1]))
		left--;
	if (!left && t->status)
		http_engine_stir(r->engine, t);
	if (left < 5 || memcmp(data, "HTTP/", 5) != 0) {
		take_header(t, data, left);
		return len;
	}
	headers_done(&t->answer);
	curl_easy_getinfo(r->easy, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_getinfo(r->easy, CURLINFO_HTTP_VERSION, &version);
	t->status = status >= 200 ? (int)status : 0;
	t->version = version == CURL_HTTP_VERSION_2_0 ? "HTTP/2" :
		     version == CURL_HTTP_VERSION_1_0 ? "HTTP/1.0" :
							"HTTP/1.1";
	part_from(r);
	return len;
}

/* Children must not inherit it. */
static curl_socket_t on_socket(void *owner, curlsocktype purpose,
			       struct curl_sockaddr *to)
{
	(void)owner;
	(void)purpose;
	return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

/*
 * When a connection that was kept breaks before an answer, curl sends the
 * request again: but the first one may have been carried out.
 */
/* NOLINTNEXTLINE(readability-non-const-parameter): curl's type */
static int on_send(void *owner, char *there, char *here, int port_there,
		   int port_here)
{
	struct curl_request *r = owner;
	bool again = r->sent;

	(void)there, (void)here, (void)port_there, (void)port_here;
	r->sent = true;
	return again && r->transfer->once ? CURL_PREREQFUNC_ABORT :
					    CURL_PREREQFUNC_OK;
}

/* ---- options ---- */

static void set_safety(CURL *easy)
{
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	/* A lookup that hangs must not hold up the end. */
	curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
	curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_socket);
}

static void set_tls(CURL *easy, const struct http_site *site)
{
	/* Older ones would fail amid the handshake, for a reason that misleads. */
	curl_easy_setopt(easy, CURLOPT_SSLVERSION,
			 (long)CURL_SSLVERSION_TLSv1_2);
	if (site->cacert) {
		/* Instead of the system's certificates, not beside them. */
		curl_easy_setopt(easy, CURLOPT_CAINFO, site->cacert);
		curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
	}
	if (site->insecure) {
		curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
		curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
	}
	curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS);
	/* Rather share one HTTP/2 connection than open another. */
	curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
}

static void set_site(struct curl_request *r, const struct http_site *site)
{
	curl_easy_setopt(r->easy, CURLOPT_CONNECTTIMEOUT_MS,
			 (long)site->connect_timeout);
	if (site->proxy || site->here)
		curl_easy_setopt(r->easy, CURLOPT_PROXY,
				 site->proxy ? site->proxy : "");
	for (size_t i = 0; i < site->resolve.count; i++)
		r->resolve =
			curl_slist_append(r->resolve, site->resolve.word[i]);
	if (r->resolve)
		curl_easy_setopt(r->easy, CURLOPT_RESOLVE, r->resolve);
	if (site->tls)
		set_tls(r->easy, site);
}

static void set_headers(struct curl_request *r)
{
	const struct headers *h = &r->transfer->headers;

	/* Nobody is asked before a body goes out: it would cost a second. */
	r->headers = curl_slist_append(NULL, "Expect:");
	for (size_t i = 0; i < h->count; i++) {
		const char *name = h->item[i].name, *value = h->item[i].value;
		/* "Name:" would take it away, "Name;" sends it empty. */
		CLEANUP(mem_free_ptr)
		char *line = *value ? mem_printf("%s: %s", name, value) :
				      mem_printf("%s;", name);

		r->headers = curl_slist_append(r->headers, line);
	}
	curl_easy_setopt(r->easy, CURLOPT_HTTPHEADER, r->headers);
}

static void set_request(struct curl_request *r)
{
	const struct http_transfer *t = r->transfer;
	const char *usual = t->body ? "POST" : "GET";

	curl_easy_setopt(r->easy, CURLOPT_URL, t->url);
	if (t->body) {
		curl_easy_setopt(r->easy, CURLOPT_POST, 1L);
		curl_easy_setopt(r->easy, CURLOPT_POSTFIELDSIZE_LARGE,
				 (curl_off_t)t->len);
		curl_easy_setopt(r->easy, CURLOPT_POSTFIELDS, t->body);
	}
	if (strcmp(t->method, usual) != 0)
		curl_easy_setopt(r->easy, CURLOPT_CUSTOMREQUEST, t->method);
	set_headers(r);
	curl_easy_setopt(r->easy, CURLOPT_PREREQFUNCTION, on_send);
	curl_easy_setopt(r->easy, CURLOPT_PREREQDATA, r);
	/* The connection that was kept is for what comes and goes. */
	if (t->lasts && !t->site->tls)
		curl_easy_setopt(r->easy, CURLOPT_FRESH_CONNECT, 1L);
	if (t->parts)
		curl_easy_setopt(r->easy, CURLOPT_FORBID_REUSE, 1L);
	/* Below TLS, curl does not see that the server closed it meanwhile. */
	if (t->once && t->site->tls)
		curl_easy_setopt(r->easy, CURLOPT_MAXAGE_CONN, IDLE_MAX_S);
}

/* NULL: curl gives none. */
static struct curl_request *curl_request_new(struct http_transfer *t)
{
	struct curl_request *r = mem_zalloc(sizeof(*r));

	r->transfer = t;
	r->engine = t->engine;
	r->fd = CURL_SOCKET_BAD;
	r->easy = curl_easy_init();
	if (!r->easy)
		return r;
	set_safety(r->easy);
	set_site(r, t->site);
	set_request(r);
	curl_easy_setopt(r->easy, CURLOPT_PRIVATE, r);
	curl_easy_setopt(r->easy, CURLOPT_ERRORBUFFER, r->problem);
	curl_easy_setopt(r->easy, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(r->easy, CURLOPT_WRITEDATA, r);
	curl_easy_setopt(r->easy, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(r->easy, CURLOPT_HEADERDATA, r);
	return r;
}

static void curl_request_free(struct curl_request *r)
{
	curl_easy_cleanup(r->easy);
	curl_slist_free_all(r->headers);
	curl_slist_free_all(r->resolve);
	mem_free(r);
}

/* ---- outcomes ---- */

static long number(const struct curl_request *r, CURLINFO what)
{
	long value = 0;

	curl_easy_getinfo(r->easy, what, &value);
	return value;
}

/*
 * "Failed to connect to HOST port N …" names the proxy where one is in
 * between; nothing else tells that it came from the environment.
 */
static bool names_proxy(const struct curl_request *r, struct http_outcome *o)
{
	static const char start[] = "Failed to connect to ";
	const struct http_site *site = r->transfer->site;
	const char *host = strstr(r->problem, start), *port;
	CLEANUP(mem_free_ptr) char *name = NULL;

	port = host ? strstr(host, " port ") : NULL;
	if (!port)
		return false;
	host += sizeof(start) - 1;
	name = mem_strndup(host, (size_t)(port - host));
	if (text_same(name, site->host) &&
	    strtoul(port + strlen(" port "), NULL, 10) == site->port)
		return false;
	snprintf(o->text, sizeof(o->text), "%.150s port %.5s", name, port + 6);
	/* Behind the number stands more. */
	port = strstr(o->text, " port ") + 6;
	o->text[port - o->text + (ptrdiff_t)strspn(port, "0123456789")] = '\0';
	return true;
}

static enum why time_over(const struct curl_request *r)
{
	curl_off_t found = 0;

	curl_easy_getinfo(r->easy, CURLINFO_NAMELOOKUP_TIME_T, &found);
	if (found <= 0)
		return WHY_NO_NAMESERVER;
	/* Of TCP. Addresses, from curl 8 on, are told only behind TLS. */
	if (!number(r, CURLINFO_NUM_CONNECTS))
		return WHY_NO_CONNECTION;
	/* Without TLS only a proxy has something to say before the request. */
	return r->transfer->site->tls ? WHY_TLS_SILENT : WHY_PROXY;
}

/* CONNECT was refused, or a SOCKS proxy did not let us through. */
static bool is_proxys(const struct curl_request *r, CURLcode result,
		      struct http_outcome *o)
{
	long status = number(r, CURLINFO_HTTP_CONNECTCODE);

	if (strstr(r->problem, "Unsupported proxy syntax")) {
		snprintf(o->text, sizeof(o->text), "its address is none");
	} else if (result == CURLE_COULDNT_RESOLVE_PROXY) {
		snprintf(o->text, sizeof(o->text), "its host is unknown");
	} else if (result == CURLE_PROXY) {
		snprintf(o->text, sizeof(o->text), "%.200s", r->problem);
	} else if (status >= 300) {
		o->error = (int)status;
		snprintf(o->text, sizeof(o->text), "HTTP %ld", status);
	} else {
		return false;
	}
	return true;
}

static enum why what_of(const struct curl_request *r, CURLcode result)
{
	switch ((int)result) {
	case CURLE_COULDNT_RESOLVE_HOST:
		return WHY_NO_HOST;
	case CURLE_COULDNT_CONNECT:
		return WHY_NO_CONNECTION;
	case CURLE_OPERATION_TIMEDOUT:
		return time_over(r);
	case CURLE_SSL_CACERT_BADFILE:
		return WHY_BAD_CACERT;
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_CIPHER:
	case CURLE_SSL_ISSUER_ERROR:
		return WHY_TLS;
	case CURLE_GOT_NOTHING:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
	case CURLE_PARTIAL_FILE:
	case CURLE_HTTP2:
	case CURLE_HTTP2_STREAM:
	case CURLE_ABORTED_BY_CALLBACK: /* on_send: not a second time */
		return WHY_CLOSED;
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_WEIRD_SERVER_REPLY:
	case CURLE_WRITE_ERROR: /* a head without end */
	case CURLE_OUT_OF_MEMORY: /* one line of it, curl's word for that */
	case 100: /* CURLE_TOO_LARGE, the word of newer ones */
	case CURLE_BAD_CONTENT_ENCODING:
		return WHY_FOREIGN;
	default:
		return WHY_OTHER;
	}
}

/*
 * It was sent over a connection that was kept and broke, and curl dialled in
 * vain to send it again: it is not for want of a way that it has no answer.
 */
static bool is_lost(const struct curl_request *r, enum why what)
{
	return r->sent && r->transfer->once && what != WHY_CLOSED &&
	       what != WHY_FOREIGN && what != WHY_OTHER;
}

static void fail(const struct curl_request *r, CURLcode result,
		 struct http_outcome *o)
{
	o->what = what_of(r, result);
	if (is_lost(r, o->what)) {
		o->what = WHY_CLOSED;
		return;
	}
	if (is_proxys(r, result, o)) {
		o->what = WHY_PROXY;
		return;
	}
	if (o->what == WHY_NO_CONNECTION || o->what == WHY_CLOSED)
		o->error = (int)number(r, CURLINFO_OS_ERRNO);
	if (o->what == WHY_NO_CONNECTION) {
		if (result == CURLE_OPERATION_TIMEDOUT)
			o->error = ETIMEDOUT;
		if (names_proxy(r, o))
			o->what = WHY_PROXY;
	} else if (o->what == WHY_PROXY) {
		snprintf(o->text, sizeof(o->text), "it says nothing");
	} else if (o->what == WHY_TLS || o->what == WHY_OTHER) {
		snprintf(o->text, sizeof(o->text), "%.250s",
			 r->problem[0] ? r->problem :
					 curl_easy_strerror(result));
	}
}

/* It ended: fills the transfer's outcome. */
static void curl_request_done(const struct curl_request *r, CURLcode result)
{
	struct http_transfer *t = r->transfer;

	if (result != CURLE_OK)
		fail(r, result, &t->outcome);
	t->finished = true;
	http_engine_stir(r->engine, t);
}

/*
 * curl's multi interface on the loop: its sockets, its timer. curl must not
 * be entered from inside itself, so what came is told when it has returned.
 */

struct curl_socket {
	uv_poll_t poll;
	struct curl_engine *engine;
	curl_socket_t fd;
	int events; /* of libuv, that curl waits for */
	struct curl_socket *next;
};

static void note_finished(const struct curl_engine *e)
{
	const CURLMsg *m;
	int left;

	while ((m = curl_multi_info_read(e->multi, &left))) {
		struct curl_request *r = NULL;

		if (m->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &r);
		curl_request_done(r, m->data.result);
	}
}

/*
 * What came is not all: a server that keeps a small part back until the one
 * before is acknowledged (Nagle's algorithm) would wait 40 ms for it.
 */
static void acknowledge(curl_socket_t fd)
{
	int yes = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &yes, sizeof(yes));
}

static bool is_watched(const struct curl_engine *e, curl_socket_t fd)
{
	const struct curl_socket *s = e->sockets;

	while (s && s->fd != fd)
		s = s->next;
	return s;
}

/* The engine may be gone afterwards. */
static void act(struct curl_engine *e, curl_socket_t fd, int what)
{
	int running;

	curl_multi_socket_action(e->multi, fd, what, &running);
	if (is_watched(e, fd))
		acknowledge(fd);
	note_finished(e);
	http_engine_tell(e->http);
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
	const struct curl_socket *s = poll->data;
	int what = ((events & UV_READABLE) ? CURL_CSELECT_IN : 0) |
		   ((events & UV_WRITABLE) ? CURL_CSELECT_OUT : 0);

	/*
	 * Only who reads gets what came before a reset, and the reset itself,
	 * behind which curl sends again what was sent on an old connection.
	 * libuv looks no further after an error.
	 */
	if (status < 0) {
		what = CURL_CSELECT_IN | CURL_CSELECT_ERR;
		uv_poll_start(poll, s->events, on_ready);
	}
	act(s->engine, s->fd, what);
}

static void on_timer(void *owner)
{
	act(owner, CURL_SOCKET_TIMEOUT, 0);
}

static int want_timer(CURLM *multi, long ms, void *owner)
{
	struct curl_engine *e = owner;

	(void)multi;
	if (ms < 0)
		timer_stop(&e->timer);
	else
		timer_start(&e->timer, ms);
	return 0;
}

static void on_poll_closed(uv_handle_t *handle)
{
	mem_free(handle->data);
}

static void drop_socket(struct curl_engine *e, const struct curl_socket *s)
{
	struct curl_socket **at = &e->sockets, *gone;

	while (*at && *at != s)
		at = &(*at)->next;
	gone = *at;
	if (!gone)
		return;
	*at = gone->next;
	uv_poll_stop(&gone->poll);
	uv_close((uv_handle_t *)&gone->poll, on_poll_closed);
}

static struct curl_socket *new_socket(struct curl_engine *e, curl_socket_t fd)
{
	struct curl_socket *s = mem_zalloc(sizeof(*s));

	s->engine = e;
	s->fd = fd;
	if (uv_poll_init(loop_uv(e->http->loop), &s->poll, fd)) {
		log_debug("a socket cannot be watched");
		mem_free(s);
		return NULL;
	}
	s->poll.data = s;
	s->next = e->sockets;
	e->sockets = s;
	curl_multi_assign(e->multi, fd, s);
	return s;
}

static void note_socket(CURL *easy, curl_socket_t fd)
{
	struct curl_request *r = NULL;

	/* Of the connections that curl keeps for later none is anybody's. */
	if (easy)
		curl_easy_getinfo(easy, CURLINFO_PRIVATE, &r);
	if (r)
		r->fd = fd;
}

bool http_transfer_layers(const struct http_transfer *t, struct layers *out)
{
	const struct curl_request *r = t ? t->request : NULL;
	const bool has = r && is_watched(r->engine->curl, r->fd);

	return layers_of_socket(out, has ? r->fd : CURL_SOCKET_BAD);
}

bool http_transfer_is_sent(const struct http_transfer *t)
{
	curl_off_t sent = 0;

	curl_easy_getinfo(t->request->easy, CURLINFO_SIZE_UPLOAD_T, &sent);
	return sent >= (curl_off_t)t->len;
}

static int want_socket(CURL *easy, curl_socket_t fd, int what, void *owner,
		       void *known)
{
	struct curl_engine *e = owner;
	struct curl_socket *s = known;
	int events = ((what & CURL_POLL_IN) ? UV_READABLE : 0) |
		     ((what & CURL_POLL_OUT) ? UV_WRITABLE : 0);

	note_socket(easy, what == CURL_POLL_REMOVE ? CURL_SOCKET_BAD : fd);
	if (what == CURL_POLL_REMOVE) {
		if (s)
			drop_socket(e, s);
		curl_multi_assign(e->multi, fd, NULL);
		return 0;
	}
	if (!s)
		s = new_socket(e, fd);
	if (s) {
		s->events = events;
		uv_poll_start(&s->poll, events, on_ready);
	}
	/* The first part may have come already. */
	if (what & CURL_POLL_IN)
		acknowledge(fd);
	return 0;
}

/* ---- its life ---- */

/*
 * For an engine. Transfers are filled, and their events never called: the
 * engine is stirred, and tells as the last thing that is done in a turn.
 */
static struct curl_engine *curl_engine_new(struct http_engine *http,
					   struct error *err)
{
	static bool started;
	struct curl_engine *e;
	CURLM *multi = NULL;

	if (started || !curl_global_init(CURL_GLOBAL_NOTHING))
		multi = curl_multi_init();
	if (!multi) {
		error_set(err, ERR_CONNECT, "libcurl does not start");
		return NULL;
	}
	started = true;
	e = mem_zalloc(sizeof(*e));
	e->http = http;
	e->multi = multi;
	timer_open(&e->timer, http->loop, on_timer, e);
	curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, want_socket);
	curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, e);
	curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, want_timer);
	curl_multi_setopt(multi, CURLMOPT_TIMERDATA, e);
	return e;
}

static void on_closed(void *owner)
{
	mem_free(owner);
}

static void curl_engine_close(struct curl_engine *e)
{
	while (e->sockets)
		drop_socket(e, e->sockets);
	curl_multi_setopt(e->multi, CURLMOPT_SOCKETFUNCTION, NULL);
	curl_multi_setopt(e->multi, CURLMOPT_TIMERFUNCTION, NULL);
	curl_multi_cleanup(e->multi);
	timer_close(&e->timer, on_closed);
}

void curl_engine_start(struct curl_engine *e, struct http_transfer *t)
{
	struct curl_request *r = curl_request_new(t);

	t->request = r;
	if (r->easy && curl_multi_add_handle(e->multi, r->easy) == CURLM_OK)
		r->added = true;
	else
		curl_request_done(r, CURLE_FAILED_INIT);
}

void curl_engine_stop(struct curl_engine *e, struct http_transfer *t)
{
	struct curl_request *r = t->request;

	if (r->added)
		curl_multi_remove_handle(e->multi, r->easy);
	curl_request_free(r);
	t->request = NULL;
}

/*
 * What transfers have to tell, told from the loop and never from inside
 * libcurl. Opens no socket.
 */

static struct http_engine *engines;

/* ---- telling ---- */

/* It has something to tell: from the loop, as soon as it can. */
static void http_engine_stir(struct http_engine *e, struct http_transfer *t)
{
	if (t->waits)
		return;
	t->waits = true;
	t->next = NULL;
	if (e->last)
		e->last->next = t;
	else
		e->first = t;
	e->last = t;
	if (!e->telling)
		timer_start(&e->timer, 0);
}

void http_engine_forget(struct http_engine *e, struct http_transfer *t)
{
	struct http_transfer *before = NULL, *i = e->first;

	while (i && i != t) {
		before = i;
		i = i->next;
	}
	if (!i)
		return;
	if (before)
		before->next = t->next;
	else
		e->first = t->next;
	if (e->last == t)
		e->last = before;
	t->waits = false;
}

/* The owner may free the transfer: it is not touched behind a call. */
static void tell_one(struct http_engine *e, struct http_transfer *t)
{
	CLEANUP(buf_done) struct buf data = t->arrived;

	http_engine_forget(e, t);
	t->arrived = (struct buf){ 0 };
	if (t->finished && data.len)
		http_engine_stir(e, t);
	if (data.len)
		t->events->data(t->owner, data.data, data.len);
	else if (t->finished)
		t->events->done(t->owner);
	else if (t->events->head)
		t->events->head(t->owner);
}

/* ---- its life ---- */

static void shut(struct http_engine *e)
{
	struct http_engine **at = &engines;

	while (*at != e)
		at = &(*at)->next;
	*at = e->next;
	curl_engine_close(e->curl);
	timer_close(&e->timer, on_closed);
}

/* Tell it all; the engine may be gone afterwards. */
static void http_engine_tell(struct http_engine *e)
{
	if (e->telling)
		return;
	e->telling = true;
	while (e->first)
		tell_one(e, e->first);
	e->telling = false;
	timer_stop(&e->timer);
	if (!e->users)
		shut(e);
}

static void on_timer_engine(void *owner)
{
	http_engine_tell(owner);
}

static struct http_engine *engine_new(struct loop *l, struct error *err)
{
	struct http_engine *e = mem_zalloc(sizeof(*e));

	e->loop = l;
	e->curl = curl_engine_new(e, err);
	if (!e->curl) {
		mem_free(e);
		return NULL;
	}
	timer_open(&e->timer, l, on_timer_engine, e);
	e->next = engines;
	engines = e;
	return e;
}

struct http_engine *http_engine_take(struct loop *l, struct error *err)
{
	struct http_engine *e = engines;

	while (e && e->loop != l)
		e = e->next;
	if (!e)
		e = engine_new(l, err);
	if (e)
		e->users++;
	return e;
}

void http_engine_release(struct http_engine *e)
{
	if (--e->users == 0 && !e->telling)
		shut(e);
}
