/* SPDX-License-Identifier: MIT */
/*
 * One request for curl: its options in one place, what comes kept in the
 * transfer, and curl's ways of failing as outcomes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/http_curl.h"

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
	/* Below TLS, curl does not see that the server closed it meanwhile. */
	if (t->once && t->site->tls)
		curl_easy_setopt(r->easy, CURLOPT_MAXAGE_CONN, IDLE_MAX_S);
}

struct curl_request *curl_request_new(struct http_transfer *t)
{
	struct curl_request *r = mem_zalloc(sizeof(*r));

	r->transfer = t;
	r->engine = t->engine;
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

void curl_request_free(struct curl_request *r)
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

static enum http_end time_over(const struct curl_request *r)
{
	curl_off_t found = 0;

	curl_easy_getinfo(r->easy, CURLINFO_NAMELOOKUP_TIME_T, &found);
	if (found <= 0)
		return HTTP_END_NO_NAMESERVER;
	/* Of TCP. Addresses, from curl 8 on, are told only behind TLS. */
	if (!number(r, CURLINFO_NUM_CONNECTS))
		return HTTP_END_NO_CONNECTION;
	/* Without TLS only a proxy has something to say before the request. */
	return r->transfer->site->tls ? HTTP_END_TLS_SILENT : HTTP_END_PROXY;
}

/* CONNECT was refused, or a SOCKS proxy did not let us through. */
static bool is_proxys(const struct curl_request *r, CURLcode result,
		      struct http_outcome *o)
{
	long status = number(r, CURLINFO_HTTP_CONNECTCODE);

	if (result == CURLE_COULDNT_RESOLVE_PROXY) {
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

static enum http_end end_of(const struct curl_request *r, CURLcode result)
{
	switch ((int)result) {
	case CURLE_COULDNT_RESOLVE_HOST:
		return HTTP_END_NO_HOST;
	case CURLE_COULDNT_CONNECT:
		return HTTP_END_NO_CONNECTION;
	case CURLE_OPERATION_TIMEDOUT:
		return time_over(r);
	case CURLE_SSL_CACERT_BADFILE:
		return HTTP_END_BAD_CACERT;
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_CIPHER:
	case CURLE_SSL_ISSUER_ERROR:
		return HTTP_END_NO_TLS;
	case CURLE_GOT_NOTHING:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
	case CURLE_PARTIAL_FILE:
	case CURLE_HTTP2:
	case CURLE_HTTP2_STREAM:
	case CURLE_ABORTED_BY_CALLBACK: /* on_send: not a second time */
		return HTTP_END_LOST;
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_WEIRD_SERVER_REPLY:
	case CURLE_WRITE_ERROR: /* a head without end */
	case CURLE_OUT_OF_MEMORY: /* one line of it, curl's word for that */
	case 100: /* CURLE_TOO_LARGE, the word of newer ones */
	case CURLE_BAD_CONTENT_ENCODING:
		return HTTP_END_NO_HTTP;
	default:
		return HTTP_END_OTHER;
	}
}

static void fail(const struct curl_request *r, CURLcode result,
		 struct http_outcome *o)
{
	if (is_proxys(r, result, o)) {
		o->end = HTTP_END_PROXY;
		return;
	}
	o->end = end_of(r, result);
	o->error = (int)number(r, CURLINFO_OS_ERRNO);
	if (o->end == HTTP_END_NO_CONNECTION) {
		if (result == CURLE_OPERATION_TIMEDOUT)
			o->error = ETIMEDOUT;
		if (names_proxy(r, o))
			o->end = HTTP_END_PROXY;
	} else if (o->end == HTTP_END_PROXY) {
		o->error = 0;
		snprintf(o->text, sizeof(o->text), "it says nothing");
	} else if (o->end == HTTP_END_NO_TLS || o->end == HTTP_END_OTHER) {
		snprintf(o->text, sizeof(o->text), "%.250s",
			 r->problem[0] ? r->problem :
					 curl_easy_strerror(result));
	}
}

void curl_request_done(const struct curl_request *r, CURLcode result)
{
	struct http_transfer *t = r->transfer;

	if (result != CURLE_OK)
		fail(r, result, &t->outcome);
	t->finished = true;
	http_engine_stir(r->engine, t);
}
