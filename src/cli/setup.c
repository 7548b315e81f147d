/* SPDX-License-Identifier: MIT */
/*
 * From the configuration to an endpoint: which target, and what the options
 * add to it. Opens nothing but files of secrets.
 */
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/secret_file.h"
#include "base/text.h"
#include "cli/app.h"
#include "cli/serve_target.h"
#include "cli/suggest.h"

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

/* A password without a user cannot be sent (MQTT 3.1.1, 3.1.2.9). */
static int set_password(struct endpoint *e, const struct config *c,
			struct error *err)
{
	if (strcmp(e->scheme, "mqtt") != 0 && strcmp(e->scheme, "mqtts") != 0)
		return 0;
	if (e->user)
		return secret_find(&e->password, "password file",
				   c->mqtt_password_file,
				   "MCPCTL_MQTT_PASSWORD", err);
	if (!c->mqtt_password_file)
		return 0;
	error_set(err, ERR_USAGE,
		  "option '--mqtt-password-file': whose password is it?");
	return error_hint(err, "name the user in the target: %s://USER@%s/…",
			  e->scheme, e->host);
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
	if (set_tokens(e, c, err) != 0)
		return -1;
	return set_password(e, c, err);
}

int app_setup(struct app *app, const struct transport_ops **ops,
	      struct error *err)
{
	const struct config *c = &app->config;
	struct endpoint *e = &app->endpoint;

	if (!c->target && serve_target_find(app, err) != 0)
		return -1;
	if (!c->target)
		return serve_target_none(app, err);
	if (!strchr(c->target, ':'))
		return suggest_target(c->target, app->target_source, err);
	if (endpoint_parse(e, c->target, app->target_source, err) != 0)
		return -1;

	const struct target_row *row = find_target(e->scheme);

	if (!row)
		return unsupported(e, err);
	if (serve_target_options(app, e, err) != 0 ||
	    set_options(e, c, err) != 0)
		return -1;
	*ops = row->ops(err);
	return *ops ? 0 : -1;
}
