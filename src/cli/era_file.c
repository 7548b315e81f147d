/* SPDX-License-Identifier: MIT */
/* What is known of a server's era, in files. */
#include "cli/era_file.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "cli/config.h"

#define FILE_MAX (1u << 20)

/* ---- which file ---- */

static void add_part(struct buf *out, const char *text)
{
	buf_text(out, text);
	buf_char(out, '\0');
}

static void add_program(struct buf *out, const struct endpoint *e)
{
	char here[PATH_MAX];

	if (!getcwd(here, sizeof(here)))
		*here = '\0';
	for (size_t i = 0; i < e->argv.count; i++)
		add_part(out, e->argv.word[i]);
	buf_char(out, '\0');
	add_part(out, e->cwd ? e->cwd : here);
	for (size_t i = 0; i < e->env.count; i++) {
		buf_add(out, e->env.word[i], strcspn(e->env.word[i], "="));
		buf_char(out, '\0');
	}
}

static void add_url(struct buf *out, const struct endpoint *e)
{
	buf_printf(out, "%s://%s:%u", e->scheme->name, e->host ? e->host : "",
		   (unsigned)e->port);
	buf_add(out, e->path ? e->path : "",
		e->path ? strcspn(e->path, "?") : 0);
}

char *era_file_path(const struct endpoint *e, const char *suffix)
{
	CLEANUP(buf_done) struct buf key = { 0 };
	char sum[SHA256_TEXT];
	CLEANUP(mem_free_ptr) char *name = NULL;

	if (e->scheme->kind == SCHEME_CHILD)
		add_program(&key, e);
	else
		add_url(&key, e);
	sha256_text(buf_string(&key), key.len, sum);
	name = mem_printf("eras/%s%s", sum, suffix);
	return user_path(&user_cache, name);
}

/* ---- read and written ---- */

/* Only a file of our own counts. */
static void read_kept(struct connection *c)
{
	CLEANUP(mem_free_ptr) char *path = era_file_path(&c->endpoint, "");

	buf_done(&c->era_kept);
	buf_init(&c->era_kept, FILE_MAX);
	if (!path || file_read_own(&c->era_kept, path))
		buf_reset(&c->era_kept);
}

/* That it fails is no failure of the command: the server is asked again. */
static void on_found(void *owner, const struct era_known *e, struct span reply)
{
	const struct connection *c = owner;
	CLEANUP(mem_free_ptr) char *path = era_file_path(&c->endpoint, "");
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(error_reset) struct error ignored = { 0 };

	if (!path)
		return;
	if (e->era == ERA_UNKNOWN) {
		unlink(path);
		return;
	}
	era_write(&text, e, reply);
	if (text.len <= FILE_MAX &&
	    user_path_make(&user_cache, path, &ignored) == 0)
		file_replace(path, 0600, text.data, text.len);
}

/* ---- what is known ---- */

/* A server, and not what may be a board. */
static bool is_asked(const struct connection *c)
{
	const struct endpoint *e = &c->endpoint;
	enum scheme_kind kind = e->scheme->kind;

	if (c->checks || c->app->config.no_init)
		return false;
	if (kind == SCHEME_WEBSOCKET)
		return e->envelope == DIALECT_PLAIN;
	return kind == SCHEME_CHILD ||
	       (kind == SCHEME_HTTP && !endpoint_has(e, SCHEME_OLD_SSE));
}

static void take_kept(struct era_config *out, struct connection *c)
{
	struct era_known kept;

	read_kept(c);
	if (era_read(&kept, &out->reply,
		     (struct span){ buf_string(&c->era_kept),
				    c->era_kept.len }) ||
	    (out->told && kept.era != out->era))
		return;
	out->era = kept.era;
	if (!out->told)
		out->how = kept.how;
	out->kept = true;
	out->revision = kept.revision;
}

void era_file_config(struct era_config *out, struct connection *c)
{
	static const enum era eras[] = { ERA_UNKNOWN, ERA_MODERN, ERA_LEGACY };

	*out = (struct era_config){ .era = eras[c->endpoint.era],
				    .found = on_found,
				    .owner = c };
	out->told = out->era != ERA_UNKNOWN;
	if (out->told)
		out->how = ERA_BY_OPTION;
	if (!out->told && c->era_ended) {
		out->era = ERA_LEGACY;
		out->how = ERA_BY_END;
		return;
	}
	out->asks = !out->told && is_asked(c);
	if (out->asks || out->era == ERA_MODERN)
		take_kept(out, c);
	if (out->asks && !out->kept)
		out->how = ERA_BY_ANSWER;
}

/* ---- what is wrong ---- */

/* A program that ended at the question may live by the other one. */
static bool ended(const struct connection *c, const struct error *err)
{
	return c->client.probed && err->kind == ERR_CONNECT && c->session &&
	       session_is_over(c->session) &&
	       c->endpoint.scheme->kind == SCHEME_CHILD;
}

bool era_file_failed(struct connection *c, const struct error *err)
{
	const struct era_known *known = &c->client.era;
	bool kept = known->kept && known->era == ERA_LEGACY &&
		    !c->client.initialize.text && c->endpoint.era == WISH_AUTO;

	if (!c->era_ended && ended(c, err)) {
		c->era_ended = true;
		return true;
	}
	if (!kept || !era_may_be_other(err))
		return false;
	on_found(c, &(struct era_known){ .era = ERA_UNKNOWN },
		 (struct span){ 0 });
	return true;
}
