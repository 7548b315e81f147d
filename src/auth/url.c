/* SPDX-License-Identifier: MIT */
/* URLs of OAuth. */
#include "auth/url.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"
#include "net/address.h"

/* This machine, by a name or number that means no other. */
static bool auth_host_is_loopback(const char *host)
{
	struct in_addr v4;
	struct in6_addr v6;

	if (inet_pton(AF_INET, host, &v4) == 1)
		return ntohl(v4.s_addr) >> 24 == 127;
	if (inet_pton(AF_INET6, host, &v6) == 1)
		return IN6_IS_ADDR_LOOPBACK(&v6);
	return text_same(host, "localhost");
}

static bool is_clean(const char *text)
{
	size_t len = 0;

	while ((unsigned char)text[len] > ' ' &&
	       (unsigned char)text[len] < 0x7f && !strchr("\\\"<>", text[len]))
		len++;
	return !text[len] && len <= AUTH_URL_MAX;
}

static void set_origin(struct auth_url *u, const struct authority *a)
{
	uint16_t usual = u->tls ? 443 : 80;
	struct buf out = { 0 };

	u->host = mem_strdup(a->host);
	for (char *p = u->host; *p; p++)
		*p = (char)text_lower(*p);
	buf_text(&out, u->tls ? "https://" : "http://");
	authority_print(&out, u->host,
			a->has_port && a->port != usual ? a->port : 0);
	u->origin = buf_take(&out);
	u->loopback = auth_host_is_loopback(u->host);
}

/* Where the authority begins; NULL: another scheme. */
static const char *skip_scheme(const char *text, bool *tls)
{
	*tls = strncasecmp(text, "https://", 8) == 0;
	if (*tls)
		return text + 8;
	return strncasecmp(text, "http://", 7) == 0 ? text + 7 : NULL;
}

int auth_url_read(struct auth_url *out, const char *text, const char *what,
		  struct error *err)
{
	const char *host, *path, *query;
	struct authority a = { 0 };

	*out = (struct auth_url){ 0 };
	host = is_clean(text) ? skip_scheme(text, &out->tls) : NULL;
	path = host ? host + strcspn(host, "/?#") : NULL;
	if (!host || memchr(host, '@', (size_t)(path - host)) ||
	    strchr(path, '#') ||
	    authority_parse(&a, host, (size_t)(path - host), NULL) ||
	    !a.host[0] || (a.has_port && !a.port))
		return error_set(err, ERR_PROTOCOL,
				 "%s '%.100s' is no http or https URL", what,
				 text);
	query = strchr(path, '?');
	out->path = mem_strndup(path, strcspn(path, "?"));
	out->query = query ? mem_strdup(query + 1) : NULL;
	set_origin(out, &a);
	return 0;
}

void auth_url_done(struct auth_url *u)
{
	mem_free(u->origin);
	mem_free(u->host);
	mem_free(u->path);
	mem_free(u->query);
	*u = (struct auth_url){ 0 };
}

int auth_url_check(const char *text, const char *what, bool local,
		   struct error *err)
{
	CLEANUP(auth_url_done) struct auth_url u;

	if (auth_url_read(&u, text, what, err))
		return -1;
	if (u.tls || (u.loopback && local))
		return 0;
	error_set(err, ERR_PROTOCOL, "%s '%.200s' is plain http%s", what, text,
		  u.loopback ? " on this machine" : "");
	return error_hint(
		err,
		u.loopback ?
			"the server is elsewhere, and has no business with what listens here" :
			"tokens must not go there: tell who runs the server, or give a token of your own (MCPCTL_TOKEN, --token-file)");
}

static size_t without_slash(const char *path)
{
	size_t len = strlen(path);

	while (len > 0 && path[len - 1] == '/')
		len--;
	return len;
}

char *auth_url_resource(const char *target)
{
	CLEANUP(mem_free_ptr)
	char *whole = mem_strndup(target, strcspn(target, "#"));
	CLEANUP(auth_url_done) struct auth_url u;

	if (auth_url_read(&u, whole, "", NULL) != 0 || !u.path)
		return NULL;
	return mem_printf(
		"%s%.*s%s%s", u.origin,
		(int)(u.query ? strlen(u.path) : without_slash(u.path)), u.path,
		u.query ? "?" : "", u.query ? u.query : "");
}

bool auth_url_covers(const char *resource, const char *url)
{
	CLEANUP(auth_url_done) struct auth_url r = { 0 };
	CLEANUP(auth_url_done) struct auth_url u = { 0 };
	size_t len;

	if (auth_url_read(&r, resource, "", NULL) ||
	    auth_url_read(&u, url, "", NULL) || !r.origin || !u.origin ||
	    strcmp(r.origin, u.origin) != 0)
		return false;
	len = without_slash(r.path);
	return strncmp(r.path, u.path, len) == 0 &&
	       (!u.path[len] || u.path[len] == '/');
}
