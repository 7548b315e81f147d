/* SPDX-License-Identifier: MIT */
/*
 * URLs of http and https: joined, compared by origin, shown without what may
 * be secret; and dates. What a peer gives as one is hostile.
 */
#ifndef NET_HTTP_URL_H
#define NET_HTTP_URL_H

#include "net/http_private.h"

/* A date of HTTP (RFC 9110, 5.6.7) as seconds since 1970; -1: it is none. */
int64_t http_date(const char *text);

/* text, relative to base; yours. NULL: no http(s) URL, or absurdly long. */
char *http_url_join(const char *base, const char *text);
/* Scheme, host and port are the same. */
bool http_url_same_origin(const char *a, const char *b);
/* Without its query, which may hold secrets; cut; yours. */
char *http_url_show(const char *url);
/* Its path likewise. */
char *http_url_path(const char *url);
/* Host, port and tls of a URL; site->url stays. -1 (ERR_USAGE): it is none. */
int http_site_set(struct http_site *s, const char *url, struct error *err);

#endif
