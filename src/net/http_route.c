/* SPDX-License-Identifier: MIT */
/*
 * The way to a site as the target and the options tell it, checked before
 * anything is sent. Finds no host, connects to nothing.
 */
#include <arpa/inet.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/address.h"
#include "net/dial_words.h"
#include "net/http_private.h"

#define CONNECT_MS 10000
#define PORT_TEXT_MAX 5

static bool is_port(const char *text, size_t len)
{
	char copy[PORT_TEXT_MAX + 1] = "";
	int64_t port;

	if (len > PORT_TEXT_MAX)
		return false;
	memcpy(copy, text, len);
	return !text_integer(copy, 1, 65535, &port);
}

/* With or without brackets, as curl takes it. */
static bool is_address(const char *text, size_t len)
{
	char copy[INET6_ADDRSTRLEN] = "";
	struct in6_addr any;

	if (len > 1 && text[0] == '[' && text[len - 1] == ']') {
		text++;
		len -= 2;
	}
	if (len >= sizeof(copy))
		return false;
	memcpy(copy, text, len);
	return inet_pton(AF_INET, copy, &any) == 1 ||
	       inet_pton(AF_INET6, copy, &any) == 1;
}

/* HOST:PORT:ADDRESS[,ADDRESS]… */
static bool is_resolve(const char *word)
{
	const char *port = strchr(word, ':'), *at;

	if (!port || port == word)
		return false;
	at = strchr(port + 1, ':');
	if (!at || !is_port(port + 1, (size_t)(at - port - 1)))
		return false;
	do {
		size_t len = strcspn(++at, ",");

		if (!is_address(at, len))
			return false;
		at += len;
	} while (*at);
	return true;
}

static int take_resolve(struct http_site *site, const struct words *from,
			struct error *err)
{
	for (size_t i = 0; i < from->count; i++) {
		if (!is_resolve(from->word[i])) {
			error_set(err, ERR_USAGE,
				  "option '--resolve': '%.100s' is none",
				  from->word[i]);
			return error_hint(err, "write it as in "
					       "HOST:PORT:ADDRESS, an IP "
					       "address");
		}
		words_add(&site->resolve, from->word[i]);
	}
	return 0;
}

/* Its credentials are in no message. */
static bool is_proxy(const char *text)
{
	static const char *const schemes[] = { "http",	  "https",  "socks4",
					       "socks4a", "socks5", "socks5h" };
	const char *mark = strstr(text, "://");
	const char *host = mark ? mark + 3 : text;
	bool known = !mark;

	for (size_t i = 0; i < COUNT(schemes) && !known; i++)
		known = strlen(schemes[i]) == (size_t)(mark - text) &&
			text_starts(text, schemes[i]);
	for (const char *p = text; *p; p++)
		known = known && (unsigned char)*p > ' ' && *p != 0x7f;
	return known && *host && *host != '/' && *host != ':';
}

static int take_proxy(struct http_site *site, const char *text,
		      struct error *err)
{
	if (!text)
		return 0;
	if (strcmp(text, "none") == 0) {
		site->proxy = mem_strdup("");
		return 0;
	}
	if (!is_proxy(text)) {
		error_set(err, ERR_USAGE,
			  "option '--proxy': that is no address of a proxy");
		return error_hint(err,
				  "write it as in http://HOST:PORT or "
				  "socks5h://HOST:PORT; 'none' for no proxy");
	}
	site->proxy = mem_strdup(text);
	return 0;
}

/* These belong to the transport, or to HTTP itself. */
static const char *const ours[] = { "Connection",
				    "Content-Length",
				    "Expect",
				    "Last-Event-ID",
				    "Mcp-Session-Id",
				    "TE",
				    "Transfer-Encoding",
				    "Trailer",
				    "Upgrade",
				    NULL };

static int take_headers(struct http *h, const struct headers *from,
			struct error *err)
{
	if (headers_check(from, ours, "transport", err))
		return -1;
	for (size_t i = 0; i < from->count; i++)
		headers_add(&h->headers, from->item[i].name,
			    from->item[i].value);
	return 0;
}

/* "http://host:port/path" of the target, without "sse+". */
static int take_url(struct http *h, const struct endpoint *to,
		    struct error *err)
{
	CLEANUP(buf_done) struct buf url = { 0 };
	bool old = text_starts(to->scheme, "sse+");

	buf_printf(&url, "%s://", to->scheme + (old ? 4 : 0));
	authority_print(&url, to->host, to->has_port ? to->port : 0);
	buf_text(&url, to->path);
	h->forced = h->old = old;
	h->site.url = buf_take(&url);
	return http_site_set(&h->site, h->site.url, err);
}

int http_configure(struct http *h, const struct endpoint *to, struct error *err)
{
	struct http_site *site = &h->site;

	if (take_url(h, to, err) || take_headers(h, &to->headers, err) ||
	    take_resolve(site, &to->resolve, err) ||
	    take_proxy(site, to->proxy, err))
		return -1;
	site->insecure = site->tls && to->insecure;
	site->connect_timeout =
		to->connect_timeout ? to->connect_timeout : CONNECT_MS;
	if (!site->tls || !to->cacert)
		return 0;
	site->cacert = mem_strdup(to->cacert);
	return dial_check_cacert(site->cacert, err);
}
