/* SPDX-License-Identifier: MIT */
/*
 * Addresses of access points, which hold a secret: read from a file, one a line
 * (blank ones and those that begin with '#' do not count), or from a text.
 * Pure but for the file.
 */
#ifndef CLIENTS_POINT_URL_H
#define CLIENTS_POINT_URL_H

#include <stdint.h>

#include "base/error.h"

#define POINT_URLS_MAX 32
#define POINT_URL_MAX 4096 /* bytes of one */

struct point_url {
	char *url; /* with its token; wiped at the end */
	char *shown; /* without what is behind '?'; "… (line 2)" of a file */
	int64_t expires; /* Unix s, as its token (a JWT) says; 0: it does not */
};

struct point_urls {
	struct point_url *item;
	size_t count;
};

/*
 * -1 (ERR_USAGE): the file cannot be read, or which line is no ws: or wss:
 * address, is there twice, or is the robots' side (/call/). No message holds a
 * secret.
 */
int point_urls_read(struct point_urls *out, const char *file,
		    struct error *err);
/* The same of a single address; where: what the user calls the place of it. */
int point_urls_text(struct point_urls *out, const char *text, const char *where,
		    struct error *err);
void point_urls_done(struct point_urls *u);

/* "its token ends on 2027-01-31, in 66 days"; "" if it tells none. now: Unix s. */
void point_url_expiry(const struct point_url *u, int64_t now, char *out,
		      size_t size);

#endif
