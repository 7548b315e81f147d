/* SPDX-License-Identifier: MIT */
/*
 * Targets taken apart. Knows nothing of what is behind them: no name is looked
 * up and no file opened.
 */
#include "net/endpoint.h"

#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "net/endpoint_scheme.h"

#define TARGET_MAX 8192
#define COMMAND_MAX ((size_t)256 * 1024)
#define STDIO "stdio:"

static int unknown_scheme(const char *text, const char *name,
			  const char *source, struct error *err)
{
	const struct scheme *row = scheme_find(name);
	size_t behind = strlen(name) + 1;

	if (!strchr(text, ':')) {
		error_set(err, ERR_USAGE,
			  "target '%.100s' has no scheme, such as ws: or "
			  "listen:",
			  text);
		behind--;
	} else {
		error_set(err, ERR_USAGE,
			  "target '%.100s' has the unknown scheme '%.40s'",
			  text, name);
	}
	if (!row)
		row = scheme_nearest(name);
	if (row)
		return error_hint(err, "did you mean %s? (it came from %s)",
				  row->syntax, source);
	if (text[behind] >= '0' && text[behind] <= '9')
		return error_hint(err,
				  "did you mean ws://%.100s? (it came "
				  "from %s)",
				  text, source);
	return error_hint(err,
			  "'mcpctl help targets' lists them (it came "
			  "from %s)",
			  source);
}

/* The target for an error text: what should not be in it, a password, is not. */
static char *without_password(const char *text)
{
	const char *host = strstr(text, "://");
	const char *colon, *at;

	if (!host)
		return mem_strdup(text);
	host += 3;
	colon = memchr(host, ':', strcspn(host, "/?#"));
	at = colon ? memchr(colon, '@', strcspn(colon, "/?#")) : NULL;
	if (!at)
		return mem_strdup(text);
	return mem_printf("%.*s***%s", (int)(colon + 1 - text), text, at);
}

int endpoint_parse(struct endpoint *out, const char *text, const char *source,
		   struct error *err)
{
	const char *colon = strchr(text, ':');
	CLEANUP(mem_free_ptr) char *name = NULL, *shown = NULL;
	const struct scheme *row;
	size_t max = strncasecmp(text, STDIO, strlen(STDIO)) ? TARGET_MAX :
							       COMMAND_MAX;

	*out = (struct endpoint){ 0 };
	if (strlen(text) > max) {
		error_set(err, ERR_USAGE, "the target is longer than %zu bytes",
			  max);
		return error_hint(err, "it came from %s", source);
	}
	name = mem_strndup(text, colon ? (size_t)(colon - text) : strlen(text));
	row = colon ? scheme_find(name) : NULL;
	if (!row)
		return unknown_scheme(text, name, source, err);
	out->text = mem_strdup(text);
	out->source = mem_strdup(source);
	out->scheme = mem_strdup(row->name);
	out->port = row->port;
	if (!row->parse(out, colon + 1, err))
		return 0;
	endpoint_done(out);
	shown = without_password(text);
	error_prefix(err, "target '%.100s'", shown);
	return error_hint(err, "expected %s (it came from %s)", row->syntax,
			  source);
}

bool endpoint_is_http(const struct endpoint *e)
{
	return strstr(e->scheme, "http") != NULL;
}

void endpoint_done(struct endpoint *e)
{
	mem_free(e->text);
	mem_free(e->source);
	mem_free(e->scheme);
	mem_free(e->host);
	mem_free(e->user);
	mem_free(e->path);
	mem_free(e->query);
	mem_free(e->cacert);
	mem_free(e->advertise);
	words_done(&e->allow_hosts);
	words_done(&e->allow_origins);
	words_done(&e->trusted_proxies);
	mem_free(e->device);
	mem_free(e->password);
	mem_free(e->topic_up);
	mem_free(e->topic_down);
	mem_free(e->cwd);
	mem_free(e->proxy);
	headers_done(&e->headers);
	words_done(&e->tokens);
	words_done(&e->argv);
	words_done(&e->env);
	words_done(&e->resolve);
	*e = (struct endpoint){ 0 };
}

char *endpoint_child_text(char *const *words, size_t count)
{
	struct buf text = { 0 };

	buf_text(&text, STDIO);
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			buf_char(&text, ' ');
		words_quote(&text, words[i]);
	}
	return buf_take(&text);
}
