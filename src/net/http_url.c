/* SPDX-License-Identifier: MIT */
#include "net/http_url.h"

#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "net/address.h"

#define URL_MAX 8192

struct url {
	bool tls, has_user;
	struct authority authority;
	const char *start, *path; /* of the authority; of what is behind it */
};

static int parse(struct url *out, const char *text)
{
	const char *host, *at;

	*out = (struct url){ 0 };
	if (strncasecmp(text, "https://", 8) == 0)
		out->tls = true;
	else if (strncasecmp(text, "http://", 7) != 0)
		return -1;
	out->start = host = text + (out->tls ? 8 : 7);
	out->path = host + strcspn(host, "/?#");
	at = memchr(host, '@', (size_t)(out->path - host));
	out->has_user = at;
	if (at)
		host = at + 1;
	if (authority_parse(&out->authority, host, (size_t)(out->path - host),
			    NULL) ||
	    !out->authority.host[0])
		return -1;
	if (!out->authority.has_port)
		out->authority.port = out->tls ? 443 : 80;
	return out->authority.port ? 0 : -1;
}

/* "/a/./b/../c" becomes "/a/c" (RFC 3986, 5.2.4); the query stays. */
static void remove_dots(char *path)
{
	char *query = path + strcspn(path, "?"), *in = path, *out = path;

	while (in < query) {
		size_t len = strcspn(in + 1, "/?") + 1;
		bool last = in + len == query;

		if ((len == 2 && in[1] == '.') ||
		    (len == 3 && in[1] == '.' && in[2] == '.')) {
			if (len == 3) {
				while (out > path && *--out != '/')
					;
			}
			if (last)
				*out++ = '/';
		} else {
			memmove(out, in, len);
			out += len;
		}
		in += len;
	}
	memmove(out, query, strlen(query) + 1);
}

/* Behind the authority of base: where a relative reference begins. */
static size_t keep_of(const char *path, const char *text)
{
	size_t whole = strcspn(path, "?#"), len = whole;

	if (*text == '/')
		return 0;
	if (*text == '?' || !*text)
		return *text ? whole : strcspn(path, "#");
	while (len > 0 && path[len - 1] != '/')
		len--;
	return len;
}

static bool has_scheme(const char *text)
{
	size_t len = strcspn(text, ":/?#");

	return text[len] == ':';
}

static bool is_clean(const char *text)
{
	size_t len = 0;

	while ((unsigned char)text[len] > ' ' && text[len] != 0x7f)
		len++;
	return !text[len] && len <= URL_MAX;
}

static char *join(const struct url *base, const char *text)
{
	const char *scheme = base->tls ? "https:" : "http:";
	int authority = (int)(base->path - base->start);
	CLEANUP(mem_free_ptr) char *path = NULL;
	const char *slash;

	if (has_scheme(text))
		return mem_strdup(text);
	if (strncmp(text, "//", 2) == 0)
		return mem_printf("%s%s", scheme, text);
	path = mem_printf("%.*s%s", (int)keep_of(base->path, text), base->path,
			  text);
	slash = *path == '/' ? "" : "/";
	if (!*slash)
		remove_dots(path);
	return mem_printf("%s//%.*s%s%s", scheme, authority, base->start, slash,
			  path);
}

char *http_url_join(const char *base, const char *text)
{
	/* A fragment is never sent, and its dots and slashes are no path's. */
	CLEANUP(mem_free_ptr)
	char *bare = mem_strndup(text, strcspn(text, "#"));
	CLEANUP(mem_free_ptr) char *whole = NULL;
	struct url from, to;

	if (!is_clean(text) || parse(&from, base))
		return NULL;
	whole = join(&from, bare);
	return parse(&to, whole) ? NULL : TAKE(whole);
}

/* What is in front of '@' would be sent as credentials: never the same. */
bool http_url_same_origin(const char *a, const char *b)
{
	struct url one, other;

	return !parse(&one, a) && !parse(&other, b) && one.tls == other.tls &&
	       one.authority.port == other.authority.port &&
	       text_same(one.authority.host, other.authority.host) &&
	       !other.has_user;
}

char *http_url_show(const char *url)
{
	size_t len = strcspn(url, "?#");
	const char *host = strstr(url, "://");
	const char *at = NULL;

	host = host ? host + 3 : url;
	if (host < url + len)
		at = memrchr(host, '@', strcspn(host, "/?#"));
	if (at)
		return mem_printf(
			"%.*s***%.*s", (int)(host - url), url,
			(int)text_cut(at, len - (size_t)(at - url), 200), at);
	return mem_strndup(url, text_cut(url, len, 200));
}

/* Its path and query, as they stand in a request; lent. */
static const char *http_url_target(const char *url)
{
	const char *host = strstr(url, "://");

	return host ? host + 3 + strcspn(host + 3, "/?#") : "";
}

char *http_url_path(const char *url)
{
	const char *path = http_url_target(url);

	return *path == '/' ? http_url_show(path) : mem_strdup("/");
}

int http_site_set(struct http_site *s, const char *url, struct error *err)
{
	struct url parsed;

	if (!is_clean(url) || parse(&parsed, url)) {
		CLEANUP(mem_free_ptr) char *shown = http_url_show(url);

		return error_set(err, ERR_USAGE, "'%s' is no http or https URL",
				 shown);
	}
	mem_free(s->host);
	s->host = mem_strdup(parsed.authority.host);
	s->port = parsed.authority.port;
	s->tls = parsed.tls;
	s->here = address_is_here(s->host);
	return 0;
}

/* Only the form that is sent today: "Sun, 06 Nov 1994 08:49:37 GMT". */
int64_t http_date(const char *text)
{
	struct tm tm = { 0 };
	const char *end = strptime(text, "%a, %d %b %Y %H:%M:%S GMT", &tm);

	return end && !*end ? (int64_t)timegm(&tm) : -1;
}
