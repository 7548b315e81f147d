/* SPDX-License-Identifier: MIT */
/*
 * curl's multi interface on the loop: its sockets, its timer. curl must not
 * be entered from inside itself, so what came is told when it has returned.
 */
#include <netinet/tcp.h>

#include "base/log.h"
#include "base/mem.h"
#include "net/http_curl.h"

struct curl_socket {
	uv_poll_t poll;
	struct curl_engine *engine;
	curl_socket_t fd;
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

	act(s->engine, s->fd, status < 0 ? CURL_CSELECT_ERR : what);
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

static int want_socket(CURL *easy, curl_socket_t fd, int what, void *owner,
		       void *known)
{
	struct curl_engine *e = owner;
	struct curl_socket *s = known;
	int events = ((what & CURL_POLL_IN) ? UV_READABLE : 0) |
		     ((what & CURL_POLL_OUT) ? UV_WRITABLE : 0);

	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		if (s)
			drop_socket(e, s);
		curl_multi_assign(e->multi, fd, NULL);
		return 0;
	}
	if (!s)
		s = new_socket(e, fd);
	if (s)
		uv_poll_start(&s->poll, events, on_ready);
	/* The first part may have come already. */
	if (what & CURL_POLL_IN)
		acknowledge(fd);
	return 0;
}

/* ---- its life ---- */

struct curl_engine *curl_engine_new(struct http_engine *http, struct error *err)
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

void curl_engine_close(struct curl_engine *e)
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
