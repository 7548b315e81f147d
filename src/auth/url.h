/* SPDX-License-Identifier: MIT */
/*
 * The URLs of OAuth: taken apart, compared, and which of them may be asked.
 * Pure. What a server gives as one is hostile.
 */
#ifndef AUTH_URL_H
#define AUTH_URL_H

#include "base/error.h"

#define AUTH_URL_MAX 2048 /* bytes of one that a server tells */

struct auth_url {
	bool tls;
	bool loopback; /* 127.0.0.0/8, ::1 or localhost */
	char *origin; /* "https://host:8443", small letters, no usual port */
	char *host; /* without brackets */
	char *path; /* "" or from the slash on */
	char *query; /* without '?'; NULL */
};

/*
 * http and https, without user, fragment, blanks and control characters. -1
 * (ERR_PROTOCOL): it is none; what names it in the error: "token_endpoint".
 */
int auth_url_read(struct auth_url *out, const char *text, const char *what,
		  struct error *err);
void auth_url_done(struct auth_url *u);

/*
 * It may be asked: https, or http on this machine where local, as the MCP
 * server is there too. -1 (ERR_PROTOCOL): why not.
 */
int auth_url_check(const char *text, const char *what, bool local,
		   struct error *err);

/*
 * An MCP server as a resource (RFC 8707): scheme and host in small letters, no
 * fragment, no slash at the end. Yours; NULL: no URL of HTTP.
 */
char *auth_url_resource(const char *target);

/* resource is the origin of url, and its path one in front, by segments. */
bool auth_url_covers(const char *resource, const char *url);

#endif
