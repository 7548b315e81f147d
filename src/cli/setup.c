/* SPDX-License-Identifier: MIT */
/*
 * From the configuration to an endpoint: which target, and what the options
 * add to it. Opens nothing but files of secrets.
 */
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/app.h"
#include "cli/suggest.h"

static int no_target(struct error *err)
{
	static const char next[] =
		"mcpctl listen: info     wait for a board that dials in\n"
		"mcpctl sim: tools       try it without hardware\n"
		"mcpctl help targets     all kinds of targets";

	error_set(err, ERR_USAGE, "no target: which device is meant?");
	error_hint(err, "name it before the command, by -t or by "
			"MCPCTL_TARGET");
	return error_detail(err, next, sizeof(next) - 1);
}

static const struct target_row *find_target(const char *scheme)
{
	for (const struct target_row *t = target_rows; t->scheme; t++) {
		if (strcmp(t->scheme, scheme) == 0)
			return t;
	}
	return NULL;
}

static int unsupported(const struct endpoint *e, struct error *err)
{
	CLEANUP(buf_done) struct buf known = { 0 };

	for (const struct target_row *t = target_rows; t->scheme; t++)
		buf_printf(&known, "%s%s:", known.len ? ", " : "", t->scheme);
	error_set(err, ERR_USAGE,
		  "target '%s:…' is not supported by this version", e->scheme);
	return error_hint(err, "it knows %s (mcpctl help targets)",
			  buf_string(&known));
}

/* "Name: value" as it is typed in a header line. */
static int add_header(struct headers *to, const char *text, struct error *err)
{
	const char *colon = strchr(text, ':');
	size_t len = colon ? (size_t)(colon - text) : 0;

	for (const char *p = text; *p; p++) {
		bool name = !colon || p < colon;

		if ((name && !isalnum((unsigned char)*p) &&
		     !strchr("!#$%&'*+-.^_`|~", *p)) ||
		    (unsigned char)*p < 0x20)
			len = 0;
	}
	if (len == 0) {
		error_set(err, ERR_USAGE,
			  "option '--header': '%s' is no header", text);
		return error_hint(err,
				  "write it as in --header 'X-Name: value'");
	}
	CLEANUP(mem_free_ptr) char *name = mem_strndup(text, len);
	headers_add(to, name, colon + 1 + strspn(colon + 1, " \t"));
	return 0;
}

static bool dials(const struct endpoint *e)
{
	return strcmp(e->scheme, "ws") == 0 || strcmp(e->scheme, "wss") == 0;
}

/* What a listening target accepts, what a dialled one is sent. */
static int set_tokens(struct endpoint *e, const struct config *c,
		      struct error *err)
{
	CLEANUP(words_done) struct words all = { 0 };

	if (secret_read_all(&all, c->token_file, "MCPCTL_TOKEN", err) != 0)
		return -1;
	if (strcmp(e->scheme, "listen") == 0) {
		for (size_t i = 0; i < all.count; i++)
			words_add(&e->tokens, all.word[i]);
	}
	if (!dials(e) || all.count == 0)
		return 0;
	if (headers_get(&e->headers, "Authorization"))
		return 0;
	/* As firmware does: a token with a space brings its own scheme. */
	bool whole = strchr(all.word[0], ' ') != NULL;
	CLEANUP(mem_free_ptr)
	char *value = mem_printf("%s%s", whole ? "" : "Bearer ", all.word[0]);
	headers_add(&e->headers, "Authorization", value);
	return 0;
}

static int set_options(struct endpoint *e, const struct config *c,
		       struct error *err)
{
	if (c->vision_token_file && !c->vision_url)
		return error_set(err, ERR_USAGE,
				 "option '--vision-token-file' needs "
				 "--vision-url");
	e->cacert = mem_strdup(c->cacert);
	e->insecure = c->insecure;
	e->advertise = mem_strdup(c->advertise);
	e->envelope = dials(e) ? (enum dialect)c->envelope : DIALECT_DEVICE;
	for (size_t i = 0; i < c->headers.count; i++) {
		if (add_header(&e->headers, c->headers.word[i], err) != 0)
			return -1;
	}
	return set_tokens(e, c, err);
}

int app_setup(struct app *app, const struct transport_ops **ops,
	      struct error *err)
{
	const struct config *c = &app->config;
	struct endpoint *e = &app->endpoint;

	if (!c->target)
		return no_target(err);
	if (!strchr(c->target, ':'))
		return suggest_target(c->target, app->target_source, err);
	if (endpoint_parse(e, c->target, app->target_source, err) != 0)
		return -1;

	const struct target_row *row = find_target(e->scheme);

	if (!row)
		return unsupported(e, err);
	if (set_options(e, c, err) != 0)
		return -1;
	*ops = row->ops(err);
	return *ops ? 0 : -1;
}
