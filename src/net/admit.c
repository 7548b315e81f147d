/* SPDX-License-Identifier: MIT */
/*
 * Host and Origin of a request, judged. See admit.h for what they prove.
 */
#include "net/admit.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"
#include "net/address.h"
#include "net/head.h"

#include <arpa/inet.h>
#include <string.h>

#define ORIGIN_MAX 300

/* ---- names of this machine ---- */

static bool is_number(const char *host)
{
	struct in_addr v4;

	/* authority_parse has looked at what is in brackets. */
	return strchr(host, ':') || inet_pton(AF_INET, host, &v4) == 1;
}

/* "name." is the same name. */
static size_t name_length(const char *name)
{
	size_t len = strlen(name);

	return len > 1 && name[len - 1] == '.' ? len - 1 : len;
}

static bool same_name(const char *a, const char *b)
{
	size_t len = name_length(a);

	return len == name_length(b) && strncasecmp(a, b, len) == 0;
}

static bool is_localhost(const char *name)
{
	static const char word[] = ".localhost";
	size_t len = name_length(name), tail = sizeof(word) - 1;

	return same_name(name, word + 1) ||
	       (len > tail && strncasecmp(name + len - tail, word, tail) == 0);
}

static bool is_ours(const struct admit *a, const char *host)
{
	if (is_number(host) || is_localhost(host))
		return true;
	for (size_t i = 0; i < a->hosts.count; i++) {
		if (same_name(a->hosts.word[i], host))
			return true;
	}
	return false;
}

/* ---- origins ---- */

struct origin {
	char scheme[32];
	struct authority at; /* of http and https */
};

static bool is_web(const char *scheme)
{
	return strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0;
}

static uint16_t port_of(const struct authority *a, const char *scheme)
{
	if (a->has_port)
		return a->port;
	return strcmp(scheme, "https") ? 80 : 443;
}

static bool is_plain(const char *text)
{
	for (; *text; text++) {
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-._",
			    *text))
			return false;
	}
	return true;
}

/*
 * "https://bench.example:8443", "file://", "moz-extension://ID". False: it is
 * none that names a page; "null" is that of any page that hides its own.
 */
static bool origin_parse(struct origin *out, const char *text)
{
	const char *mark = strstr(text, "://"), *rest = mark ? mark + 3 : "";
	size_t len = mark ? (size_t)(mark - text) : 0;

	if (len == 0 || len >= sizeof(out->scheme) || strlen(text) > ORIGIN_MAX)
		return false;
	for (size_t i = 0; i < len; i++)
		out->scheme[i] = (char)text_lower(text[i]);
	out->scheme[len] = '\0';
	if (!is_plain(out->scheme))
		return false;
	if (!is_web(out->scheme))
		return is_plain(rest) &&
		       (*rest || strcmp(out->scheme, "file") == 0);
	return !authority_parse(&out->at, rest, strlen(rest), NULL) &&
	       out->at.host[0];
}

static bool is_own(const char *origin, const char *host)
{
	struct origin from;
	struct authority to;

	return host && origin_parse(&from, origin) && is_web(from.scheme) &&
	       !authority_parse(&to, host, strlen(host), NULL) &&
	       text_same(from.at.host, to.host) &&
	       port_of(&from.at, from.scheme) == port_of(&to, from.scheme);
}

static bool is_allowed(const struct admit *a, const char *origin)
{
	for (size_t i = 0; i < a->origins.count; i++) {
		if (text_same(a->origins.word[i], origin))
			return true;
	}
	return false;
}

/* ---- requests ---- */

/* Its library says "Origin: file://", as pages of files do. */
static bool is_arduino(const struct headers *h)
{
	const char *agent = headers_get(h, "User-Agent");

	return agent && strcmp(agent, "arduino-WebSocket-Client") == 0;
}

enum admit_verdict admit_judge(const struct admit *a, const struct headers *h,
			       bool upgrade)
{
	const char *host = headers_get(h, "Host");
	const char *id = headers_get(h, "Device-Id");
	struct authority at;

	if (host && (authority_parse(&at, host, strlen(host), NULL) ||
		     !is_ours(a, at.host)))
		return ADMIT_HOST;
	if (upgrade && ((id && *id) || is_arduino(h)))
		return ADMIT_YES;
	for (size_t i = 0; i < h->count; i++) {
		const char *value = h->item[i].value;

		if (text_same(h->item[i].name, "Origin") &&
		    !is_own(value, host) && !is_allowed(a, value))
			return ADMIT_ORIGIN;
	}
	return ADMIT_YES;
}

const char *admit_guest(const struct admit *a, const struct headers *h)
{
	const char *origin = headers_get(h, "Origin");

	return origin && is_allowed(a, origin) ? origin : NULL;
}

bool admit_remedy(struct buf *out, enum admit_verdict why,
		  const struct headers *h)
{
	const char *host = headers_get(h, "Host");
	const char *origin = headers_get(h, "Origin");
	struct origin from;
	struct authority at;

	if (why == ADMIT_HOST && host && *host != '-' &&
	    !authority_parse(&at, host, strlen(host), NULL)) {
		buf_printf(out, "--allow-host %s", at.host);
		return true;
	}
	if (why == ADMIT_ORIGIN && origin && origin_parse(&from, origin)) {
		buf_printf(out, "--allow-origin %s", origin);
		return true;
	}
	return false;
}

/* ---- what is allowed ---- */

static void add_name(struct admit *a, const char *name, size_t len)
{
	CLEANUP(mem_free_ptr) char *copy = mem_strndup(name, len);

	if (len > 0)
		words_add(&a->hosts, copy);
}

/* "box" and "box.lan" are called box.local by multicast DNS. */
static void add_machine(struct admit *a, const char *name)
{
	size_t first = strcspn(name, ".");
	CLEANUP(mem_free_ptr)
	char *local = mem_printf("%.*s.local", (int)first, name);

	if (first == 0)
		return;
	add_name(a, name, strlen(name));
	add_name(a, name, first);
	add_name(a, local, strlen(local));
}

char *admit_advertised(const char *text)
{
	const char *mark = text ? strstr(text, "://") : NULL;
	const char *where = mark ? mark + 3 : text;
	struct authority at;

	if (!where ||
	    authority_parse(&at, where, strcspn(where, "/?#"), NULL) ||
	    !*at.host)
		return NULL;
	return mem_strdup(at.host);
}

static int add_host(struct admit *a, const char *text, struct error *err)
{
	struct authority at;

	if (!authority_parse(&at, text, strlen(text), NULL) && at.host[0] &&
	    !at.has_port) {
		add_name(a, at.host, strlen(at.host));
		return 0;
	}
	error_set(err, ERR_USAGE, "option '--allow-host': '%.100s' is no host",
		  text);
	return error_hint(err, "write the name alone, as in bench.example");
}

static int bad_origin(const char *text, struct error *err)
{
	error_set(err, ERR_USAGE,
		  "option '--allow-origin': '%.100s' is no origin of a page",
		  text);
	if (strcmp(text, "null") == 0 || strcmp(text, "*") == 0)
		return error_hint(
			err,
			"that would let every page in; name one, as in https://bench.example");
	return error_hint(
		err,
		"write scheme, host and port alone, as in https://bench.example or http://127.0.0.1:3000");
}

/* Browsers leave out the port that the scheme has by itself. */
static int add_origin(struct admit *a, const char *text, struct error *err)
{
	CLEANUP(buf_done) struct buf whole = { 0 };
	const struct authority none = { 0 };
	struct origin o;
	uint16_t port;

	if (!origin_parse(&o, text))
		return bad_origin(text, err);
	if (!is_web(o.scheme)) {
		words_add(&a->origins, text);
		return 0;
	}
	buf_printf(&whole, "%s://", o.scheme);
	port = port_of(&o.at, o.scheme);
	authority_print(&whole, o.at.host,
			port == port_of(&none, o.scheme) ? 0 : port);
	words_add(&a->origins, buf_string(&whole));
	return 0;
}

int admit_open(struct admit *a, const struct admit_options *o,
	       const char *machine, const char *listen, struct error *err)
{
	CLEANUP(mem_free_ptr)
	char *advertised = admit_advertised(o->advertise);
	int status = 0;

	*a = (struct admit){ 0 };
	if (machine)
		add_machine(a, machine);
	if (listen)
		add_name(a, listen, strlen(listen));
	if (advertised)
		add_name(a, advertised, strlen(advertised));
	for (size_t i = 0; o->hosts && i < o->hosts->count && !status; i++)
		status = add_host(a, o->hosts->word[i], err);
	for (size_t i = 0; o->origins && i < o->origins->count && !status; i++)
		status = add_origin(a, o->origins->word[i], err);
	if (!status)
		status = forwarded_open(&a->proxies, o->proxies, err);
	if (status)
		admit_done(a);
	return status;
}

void admit_done(struct admit *a)
{
	words_done(&a->hosts);
	words_done(&a->origins);
	forwarded_done(&a->proxies);
}
