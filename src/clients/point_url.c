/* SPDX-License-Identifier: MIT */
#include "clients/point_url.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/secret_file.h"
#include "base/text.h"
#include "net/endpoint.h"
#include "net/head.h"

#define DAY INT64_C(86400)

void point_urls_done(struct point_urls *u)
{
	for (size_t i = 0; i < u->count; i++) {
		secret_free(u->item[i].url);
		mem_free(u->item[i].shown);
	}
	mem_free(u->item);
	*u = (struct point_urls){ 0 };
}

/* ---- what its token says ---- */

/* The second part of a JWT (RFC 7519), which is base64url. */
static int64_t expiry_of(const char *token)
{
	const char *part = strchr(token, '.');
	const char *end = part ? strchr(part + 1, '.') : NULL;
	CLEANUP(buf_done) struct buf claims = { 0 };
	CLEANUP(json_free_ptr) cJSON *json = NULL;
	CLEANUP(mem_free_ptr) char *text = NULL;
	int64_t exp = 0;

	if (!end)
		return 0;
	text = mem_strndup(part + 1, (size_t)(end - part - 1));
	for (char *p = text; *p; p++)
		*p = (char)(*p == '-' ? '+' : *p == '_' ? '/' : *p);
	if (text_base64_decode(text, strlen(text), &claims))
		return 0;
	json = json_parse(buf_string(&claims), claims.len, NULL);
	return json_integer(json, "exp", &exp) || exp < 0 ? 0 : exp;
}

void point_url_expiry(const struct point_url *u, int64_t now, char *out,
		      size_t size)
{
	const int64_t left = u->expires - now;
	const time_t at = (time_t)u->expires;
	char day[32] = "";
	struct tm utc;

	*out = '\0';
	if (!u->expires || !gmtime_r(&at, &utc) ||
	    !strftime(day, sizeof(day), "%Y-%m-%d", &utc))
		return;
	if (left <= 0)
		snprintf(out, size, "its token ended on %s", day);
	else if (left < 2 * DAY)
		snprintf(out, size, "its token ends on %s, in %" PRId64 " h",
			 day, left / 3600);
	else
		snprintf(out, size, "its token ends on %s, in %" PRId64 " days",
			 day, left / DAY);
}

/* ---- lines ---- */

/* "wss://api.example/mcp/", and which of several it is. */
static char *shown_of(const char *url, unsigned number)
{
	const int len = (int)strcspn(url, "?");

	return number ? mem_printf("%.*s (line %u)", len, url, number) :
			mem_strndup(url, (size_t)len);
}

static int wrong(const char *where, const char *what, const char *hint,
		 struct error *err)
{
	error_set(err, ERR_USAGE, "%s: %s", where, what);
	return error_hint(err, "%s", hint);
}

static bool is_websocket(const char *url)
{
	return strncasecmp(url, "ws://", 5) == 0 ||
	       strncasecmp(url, "wss://", 6) == 0;
}

static int check_url(const char *url, const struct point_urls *u,
		     const char *where, struct error *err)
{
	CLEANUP(endpoint_done) struct endpoint to = { 0 };

	if (strlen(url) > POINT_URL_MAX || !is_websocket(url) ||
	    endpoint_read(&to, url, where, NULL))
		return wrong(
			where, "this is no address with ws:// or wss://",
			"copy the address of the access point as it is shown there: wss://HOST/mcp/?token=…",
			err);
	if (strstr(to.path, "/call/"))
		return wrong(
			where, "this is the address for robots (/call/)",
			"a tool side dials the one with /mcp/; as a target, the other is asked by 'mcpctl ws://…/call/?token=… tools'",
			err);
	for (size_t i = 0; i < u->count; i++) {
		if (strcmp(u->item[i].url, url) == 0)
			return wrong(
				where, "this address is there twice",
				"an access point has one place for each token",
				err);
	}
	if (u->count == POINT_URLS_MAX)
		return wrong(where, "these are too many addresses",
			     "32 are possible", err);
	return 0;
}

/* number: of its line; 0: it is the only one. */
static int add(struct point_urls *u, const char *url, const char *where,
	       unsigned number, struct error *err)
{
	struct point_url *p;
	const char *query;
	char *token;

	if (check_url(url, u, where, err))
		return -1;
	if (!u->item)
		u->item = mem_zalloc(POINT_URLS_MAX * sizeof(*u->item));
	p = &u->item[u->count++];
	p->url = mem_strdup(url);
	p->shown = shown_of(url, number);
	query = strchr(url, '?');
	token = query ? head_query_value(query + 1, "token") : NULL;
	p->expires = token ? expiry_of(token) : 0;
	secret_free(token);
	return 0;
}

static int add_line(struct point_urls *u, const char *file, unsigned number,
		    struct span line, struct error *err)
{
	CLEANUP(mem_free_ptr)
	char *where = mem_printf("'%s', line %u", file, number);
	char *url = mem_strndup(line.text, line.len);
	int status = add(u, url, where, number, err);

	secret_free(url);
	return status;
}

static int read_lines(struct point_urls *u, const char *file,
		      const struct buf *text, struct error *err)
{
	const char *at = buf_string(text);
	unsigned number = 1;

	for (;; number++) {
		struct span line = { at, strcspn(at, "\n") };
		const char *next = at + line.len;

		line.len = text_trim(&line.text, line.len);
		if (line.len && *line.text != '#' &&
		    add_line(u, file, number, line, err))
			return -1;
		if (!*next)
			break;
		at = next + 1;
	}
	if (u->count)
		return 0;
	return wrong(file, "there is no address in it",
		     "write one a line: wss://HOST/mcp/?token=…", err);
}

int point_urls_text(struct point_urls *out, const char *text, const char *where,
		    struct error *err)
{
	*out = (struct point_urls){ 0 };
	return add(out, text, where, 0, err);
}

int point_urls_read(struct point_urls *out, const char *file, struct error *err)
{
	struct buf whole;
	int status;

	*out = (struct point_urls){ 0 };
	secret_init(&whole, (size_t)POINT_URLS_MAX * POINT_URL_MAX);
	status = file_read(&whole, "file of access points", file, err);
	if (!status)
		status = read_lines(out, file, &whole, err);
	secret_wipe(&whole);
	if (status)
		point_urls_done(out);
	return status;
}
