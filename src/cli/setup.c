/* SPDX-License-Identifier: MIT */
/*
 * From the configuration to an endpoint: which target, and what the options
 * add to it. Opens nothing but files of secrets.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/module.h"
#include "base/secret_file.h"
#include "base/text.h"
#include "cli/app.h"
#include "cli/config.h"
#include "cli/credentials.h"
#include "cli/held_key.h"
#include "cli/named.h"
#include "cli/serve_client.h"
#include "cli/setup.h"
#include "net/address.h"
#include "net/attach.h"
#include "net/endpoint.h"
#include "net/head.h"
#include "net/http.h"
#include "net/listen.h"
#include "net/mqtt.h"
#include "net/stdio.h"
#include "net/ws.h"
#include "sim/sim.h"

/*
 * Kind of target -> transport: the only place that knows which there are. How
 * targets are written is net/endpoint's matter.
 */

static const struct transport_ops *ws_ops(struct error *err)
{
	const struct ws_table *ws = module_table("ws", WS_TABLE, err);

	return ws ? &ws->dial : NULL;
}

static const struct transport_ops *mqtt_ops(struct error *err)
{
	const struct mqtt_table *mqtt = module_table("mqtt", MQTT_TABLE, err);

	return mqtt ? &mqtt->dial : NULL;
}

static const struct transport_ops *mcp_mqtt_ops(struct error *err)
{
	const struct mqtt_table *mqtt = module_table("mqtt", MQTT_TABLE, err);

	return mqtt ? &mqtt->mcp_dial : NULL;
}

static const struct transport_ops *http_ops(struct error *err)
{
	const struct http_table *http = module_table("http", HTTP_TABLE, err);

	return http ? &http->dial : NULL;
}

/* Without a default: the compiler tells of a kind that has no line here. */
/* The transport of a kind of targets. NULL: err. */
static const struct transport_ops *target_ops(enum scheme_kind kind,
					      struct error *err)
{
	switch (kind) {
	case SCHEME_ATTACH:
		return &attach_ops;
	case SCHEME_LISTEN:
		return &listen_ops;
	case SCHEME_WEBSOCKET:
		return ws_ops(err);
	case SCHEME_HTTP:
		return http_ops(err);
	case SCHEME_CHILD:
		return &stdio_ops;
	case SCHEME_MQTT:
		return mqtt_ops(err);
	case SCHEME_MCP_MQTT:
		return mcp_mqtt_ops(err);
	case SCHEME_SIM:
		return &sim_ops;
	}
	return NULL;
}

/*
 * Secrets from a file or the environment. They never come from the command
 * line, and no message here repeats one.
 */

#define TOKENS_MAX (64u << 10)

/* A header line carries it: neither control characters nor spaces around it. */
static int add_secret(struct words *out, char *line, const char *from,
		      struct error *err)
{
	line += strspn(line, " \t");

	size_t len = strlen(line);

	while (len > 0 && strchr(" \t\r", line[len - 1]))
		line[--len] = '\0';
	if (len == 0)
		return 0;
	for (const char *p = line; *p; p++) {
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			return error_set(
				err, ERR_USAGE,
				"a token from %s holds a control character",
				from);
	}
	words_add(out, line);
	return 0;
}

static int add_lines(struct words *out, struct buf *text, const char *path,
		     struct error *err)
{
	CLEANUP(mem_free_ptr) char *from = mem_printf("the file '%s'", path);
	size_t before = out->count, at = 0;

	while (at < text->len) {
		char *line = text->data + at;
		char *end = memchr(line, '\n', text->len - at);

		at = end ? (size_t)(end - text->data) + 1 : text->len;
		if (end)
			*end = '\0';
		if (memchr(line, '\0',
			   (size_t)(text->data + at - line) - (end ? 1 : 0)))
			return error_set(
				err, ERR_USAGE,
				"%s holds a NUL byte: it is no file of tokens",
				from);
		if (add_secret(out, line, from, err))
			return -1;
	}
	if (out->count == before)
		return error_set(err, ERR_USAGE, "%s holds no token", from);
	return 0;
}

/* The same for many: each line of the file is one. */
int secrets_read(struct words *out, const char *file, const char *environment,
		 struct error *err)
{
	if (file) {
		CLEANUP(secret_wipe) struct buf text;

		secret_init(&text, TOKENS_MAX);
		if (file_read(&text, "token file", file, err))
			return -1;
		return add_lines(out, &text, file, err);
	}

	const char *value = getenv(environment);

	if (!value || !*value)
		return 0;
	CLEANUP(mem_free_ptr) char *copy = mem_strdup(value);
	return add_secret(out, copy, environment, err);
}

int secret_read(char **out, const char *file, const char *environment,
		struct error *err)
{
	CLEANUP(words_done) struct words all = { 0 };

	*out = NULL;
	if (secrets_read(&all, file, environment, err))
		return -1;
	if (all.count > 0)
		*out = mem_strdup(all.word[0]);
	return 0;
}

/* Its name alone is told: the value is a secret as often as not. */
static int no_header(const char *text, struct error *err)
{
	const size_t len = strcspn(text, ": \t");

	error_set(err, ERR_USAGE, "option '--header': '%.*s%s' is no header",
		  (int)len, text, text[len] ? "…" : "");
	return error_hint(err, "write it as in --header 'X-Name: value'");
}

/* "Name: value" as it is typed in a header line. */
static int add_header(struct headers *to, const char *text, struct error *err)
{
	const char *colon = strchr(text, ':');
	CLEANUP(mem_free_ptr)
	char *name = mem_strndup(text, strcspn(text, ":"));

	if (!colon || !header_name_fits(name) || !header_value_fits(colon))
		return no_header(text, err);
	headers_add(to, name, colon + 1 + strspn(colon + 1, " \t"));
	return 0;
}

/* ---- which options fit ---- */

static bool is(const struct endpoint *e, enum scheme_kind kind)
{
	return e->scheme->kind == kind;
}

/* sim: says itself if it is a service and no device. */
static enum dialect dialect_for(const struct endpoint *e,
				const struct config *c)
{
	if (endpoint_has(e, SCHEME_PLAIN))
		return DIALECT_PLAIN;
	/* Who dials in may be no device (peer_info.unsure). */
	if (is(e, SCHEME_LISTEN))
		return (enum dialect)c->envelope;
	return endpoint_has(e, SCHEME_DEVICE) ? DIALECT_DEVICE :
						(enum dialect)c->envelope;
}

static int misfit(const char *option, const char *what,
		  const struct endpoint *e, struct error *err)
{
	return error_set(
		err, ERR_USAGE,
		"option '%s' is for %s, and the target is '%s' (from %s)",
		option, what, e->text, e->source);
}

#define KIND(kind) (1u << SCHEME_##kind)
#define LISTENS KIND(LISTEN)
#define BOARDS \
	(LISTENS | KIND(WEBSOCKET) | KIND(MQTT) | KIND(ATTACH) | KIND(SIM))
#define BROKERS (KIND(MQTT) | KIND(MCP_MQTT))
#define SECURE (KIND(WEBSOCKET) | KIND(HTTP) | BROKERS)

/* Global options that only some targets heed. */
static const struct fit {
	const char *option;
	unsigned kinds;
	const char *what;
} fits[] = {
	{ "env", KIND(CHILD), "a child process" },
	{ "cwd", KIND(CHILD), "a child process" },
	{ "proxy", KIND(HTTP), "http: and https:" },
	{ "resolve", KIND(HTTP), "http: and https:" },
	{ "no-oauth", KIND(HTTP), "http: and https:" },
	{ "oauth-client-id", KIND(HTTP), "http: and https:" },
	{ "oauth-client-secret-file", KIND(HTTP), "http: and https:" },
	{ "oauth-private-key-file", KIND(HTTP), "http: and https:" },
	{ "oauth-client-metadata-url", KIND(HTTP), "http: and https:" },
	{ "oauth-grant", KIND(HTTP), "http: and https:" },
	{ "oauth-idp-token-file", KIND(HTTP), "http: and https:" },
	{ "oauth-idp-token-endpoint", KIND(HTTP), "http: and https:" },
	{ "oauth-idp-client-id", KIND(HTTP), "http: and https:" },
	{ "oauth-issuer", KIND(HTTP), "http: and https:" },
	{ "oauth-scope", KIND(HTTP), "http: and https:" },
	{ "oauth-timeout", KIND(HTTP), "http: and https:" },
	{ "envelope", KIND(WEBSOCKET) | LISTENS, "ws:, wss: and listen:" },
	{ "era", KIND(WEBSOCKET) | KIND(HTTP) | KIND(CHILD) | KIND(SIM),
	  "http:, stdio:, ws: and sim:" },
	{ "save-images", LISTENS | KIND(SIM), "serve, listen: and sim:" },
	{ "save-audio", LISTENS, "serve, listen: and proxy" },
	{ "picture-max", LISTENS | KIND(SIM), "serve, listen: and sim:" },
	{ "serial", BOARDS, "boards" },
	{ "elf", BOARDS, "boards" },
	{ "reset", BOARDS, "boards" },
	{ "header", KIND(WEBSOCKET) | KIND(HTTP), "ws: and http:" },
	{ "token-file", KIND(WEBSOCKET) | KIND(HTTP) | LISTENS,
	  "ws:, http:, listen: and serve" },
	{ "insecure", SECURE, "ws:, http: and mqtt:" },
	{ "cacert", SECURE, "ws:, http: and mqtt:" },
	{ "mqtt-password-file", BROKERS, "mqtt:, mcp+mqtt: and serve" },
	{ "allow-host", LISTENS, "listen: and serve" },
	{ "allow-origin", LISTENS, "listen: and serve" },
	{ "trusted-proxy", LISTENS, "listen: and serve" },
	{ "advertise", LISTENS, "listen: and serve" },
};

/*
 * On the command line: a variable may stand there for the one target of many
 * that heeds it.
 */
static bool is_given(const struct config *c, const char *option)
{
	const struct option_row *row =
		option_by_name(config_options, option, strlen(option));
	const void *place = (const char *)c + row->offset;
	const char *outside = row->env ? getenv(row->env) : NULL;

	switch (row->type) {
	case OPTION_FLAG:
		return *(const bool *)place;
	case OPTION_LIST:
		return ((const struct words *)place)->count > 0;
	case OPTION_TEXT:
	case OPTION_FILE:
		return *(const char *const *)place &&
		       *(const char *const *)place != outside;
	case OPTION_CHOICE:
		return *(const int *)place &&
		       (!outside || option_choice(row->choices, outside) !=
					    *(const int *)place);
	default:
		return *(const int64_t *)place != 0;
	}
}

static int misfit_of(const struct fit *f, const struct endpoint *e,
		     struct error *err)
{
	CLEANUP(mem_free_ptr) char *option = mem_printf("--%s", f->option);

	misfit(option, f->what, e, err);
	if (is(e, SCHEME_CHILD))
		error_hint(
			err,
			"what a child process is to know is given to it by its arguments or by --env NAME=VALUE");
	return -1;
}

static int check_fit(const struct endpoint *e, const struct config *c,
		     struct error *err)
{
	for (size_t i = 0; i < COUNT(fits); i++) {
		if (!(fits[i].kinds & (1u << e->scheme->kind)) &&
		    is_given(c, fits[i].option))
			return misfit_of(&fits[i], e, err);
	}
	return 0;
}

/* ---- what they say ---- */

static void drop_header(struct headers *h, size_t at)
{
	mem_free(h->item[at].name);
	mem_free(h->item[at].value);
	h->count--;
	memmove(&h->item[at], &h->item[at + 1],
		(h->count - at) * sizeof(*h->item));
}

/* Those of a configuration file give way to those of the command line. */
static void override_headers(struct headers *of_file,
			     const struct headers *given)
{
	for (size_t i = of_file->count; i-- > 0;) {
		if (headers_get(given, of_file->item[i].name))
			drop_header(of_file, i);
	}
	for (size_t i = 0; i < given->count; i++)
		headers_add(of_file, given->item[i].name, given->item[i].value);
}

static int set_headers(struct endpoint *e, const struct config *c,
		       struct error *err)
{
	CLEANUP(headers_done) struct headers given = { 0 };

	for (size_t i = 0; i < c->headers.count && !c->stranger; i++) {
		if (add_header(&given, c->headers.word[i], err))
			return -1;
	}
	override_headers(&e->headers, &given);
	return 0;
}

/*
 * What a dialled target is sent. As firmware does: a token with a space brings
 * its own scheme. A header that was given goes first; one of a configuration
 * file only before the environment.
 */
static void set_authorization(struct endpoint *e, const char *token,
			      const struct config *c)
{
	CLEANUP(headers_done) struct headers given = { 0 };
	bool whole = strchr(token, ' ') != NULL;
	CLEANUP(mem_free_ptr)
	char *value = mem_printf("%s%s", whole ? "" : "Bearer ", token);
	bool by_option = false;

	for (size_t i = 0; i < c->headers.count; i++)
		by_option = by_option ||
			    strncasecmp(c->headers.word[i], "Authorization:",
					strlen("Authorization:")) == 0;
	if (by_option ||
	    (!c->token_file && headers_get(&e->headers, "Authorization")))
		return;
	headers_add(&given, "Authorization", value);
	override_headers(&e->headers, &given);
}

static bool is_sent_token(const struct endpoint *e)
{
	return is(e, SCHEME_HTTP) || is(e, SCHEME_WEBSOCKET);
}

/*
 * Of the environment, which was set for somebody else. What a listener asks
 * for is not: without it everybody would be let in.
 */
static bool is_withheld(const struct endpoint *e, const struct config *c)
{
	return e->foreign && !c->token_file && !is(e, SCHEME_LISTEN);
}

/* What a listening target accepts, what a dialled one is sent. */
static int set_tokens(struct endpoint *e, const struct config *c,
		      struct error *err)
{
	CLEANUP(words_done) struct words all = { 0 };

	if (is(e, SCHEME_CHILD))
		return 0;
	if (is_withheld(e, c) || c->stranger)
		return 0;
	if (secrets_read(&all, c->token_file, "MCPCTL_TOKEN", err))
		return -1;
	if (is(e, SCHEME_LISTEN)) {
		for (size_t i = 0; i < all.count; i++)
			words_add(&e->tokens, all.word[i]);
	}
	if (is_sent_token(e) && all.count > 0)
		set_authorization(e, all.word[0], c);
	return 0;
}

/* "NAME=VALUE", instead of one of that name. */
static int add_setting(struct words *to, const char *text, struct error *err)
{
	size_t len = strcspn(text, "=") + 1;

	if (len == 1 || !text[len - 1]) {
		error_set(err, ERR_USAGE,
			  "option '--env': '%s' is no NAME=VALUE", text);
		if (len > 1)
			error_hint(
				err,
				"to hand on what is set here: --env %s=\"$%s\" (a child process has all of it anyway, but for mcpctl's tokens and passwords)",
				text, text);
		return -1;
	}
	for (size_t i = 0; i < to->count; i++) {
		if (strncmp(to->word[i], text, len) != 0)
			continue;
		mem_free(to->word[i]);
		to->word[i] = mem_strdup(text);
		return 0;
	}
	words_add(to, text);
	return 0;
}

static int set_child(struct endpoint *e, const struct config *c,
		     struct error *err)
{
	if (!is(e, SCHEME_CHILD))
		return 0;
	for (size_t i = 0; i < c->env.count; i++) {
		if (add_setting(&e->env, c->env.word[i], err))
			return -1;
	}
	if (c->cwd) {
		mem_free(e->cwd);
		e->cwd = mem_strdup(c->cwd);
	}
	return 0;
}

static void set_words(struct words *out, const struct words *from)
{
	for (size_t i = 0; i < from->count; i++)
		words_add(out, from->word[i]);
}

static void set_route(struct endpoint *e, const struct config *c)
{
	if (!is(e, SCHEME_HTTP))
		return;
	e->proxy = mem_strdup(c->proxy);
	set_words(&e->resolve, &c->resolve);
}

/* A password without a user cannot be sent (MQTT 3.1.1, 3.1.2.9). */
static int set_password(struct endpoint *e, const struct config *c,
			struct error *err)
{
	CLEANUP(buf_done) struct buf where = { 0 };

	if (!is(e, SCHEME_MQTT) && !is(e, SCHEME_MCP_MQTT))
		return 0;
	if (e->user && e->foreign && !c->mqtt_password_file)
		return 0;
	if (e->user)
		return secret_find(&e->password, "password file",
				   c->mqtt_password_file,
				   "MCPCTL_MQTT_PASSWORD", err);
	if (!c->mqtt_password_file)
		return 0;
	error_set(err, ERR_USAGE,
		  "option '--mqtt-password-file': whose password is it?");
	authority_print(&where, e->host, e->has_port ? e->port : 0);
	return error_hint(err, "name the user in the target: %s://USER@%s/…",
			  e->scheme->name, buf_string(&where));
}

static int set_options(struct endpoint *e, const struct config *c,
		       struct error *err)
{
	if (c->vision_token_file && !c->vision_url)
		return error_set(
			err, ERR_USAGE,
			"option '--vision-token-file' needs --vision-url");
	e->cacert = mem_strdup(c->cacert);
	e->insecure = c->insecure;
	e->advertise = mem_strdup(c->advertise);
	e->save_images = mem_strdup(c->save_images);
	e->picture_max = c->picture_max;
	e->wait = c->wait;
	set_words(&e->allow_hosts, &c->allow_hosts);
	set_words(&e->allow_origins, &c->allow_origins);
	set_words(&e->trusted_proxies, &c->trusted_proxies);
	e->envelope = dialect_for(e, c);
	if (c->era)
		e->era = (enum era_wish)c->era;
	set_route(e, c);
	if (set_headers(e, c, err) || set_tokens(e, c, err) ||
	    set_child(e, c, err))
		return -1;
	return set_password(e, c, err);
}

/* ---- the whole ---- */

#define TOLD_MAX 256 /* bytes that are compared */

/* Said once: a target is set up again for each connection. */
static bool is_new(char told[TOLD_MAX], const char *text)
{
	size_t len = strnlen(text, TOLD_MAX - 1);

	if (strncmp(told, text, len) == 0 && !told[len])
		return false;
	memcpy(told, text, len);
	told[len] = '\0';
	return true;
}

static void note_passed(struct app *app, const struct error *passed)
{
	static char told[TOLD_MAX];

	if (passed->kind == ERR_NONE || !is_new(told, passed->text))
		return;
	render_note(&app->out, "%s: it was passed over%s%s%s", passed->text,
		    *passed->hint ? " (" : "", passed->hint,
		    *passed->hint ? ")" : "");
}

static void note_shadowed(struct app *app, const struct named_found *found)
{
	static char told[TOLD_MAX];

	if (!found->shadowed || !is_new(told, app->config.target))
		return;
	render_note(
		&app->out,
		"'%s' is the one of your own '%s'; the one of '%s' does not count",
		app->config.target, found->own, found->shadowed);
}

/* A token that was set and is not sent would look like a wrong one. */
static void note_withheld(struct app *app, const struct endpoint *e)
{
	static char told[TOLD_MAX];
	const char *token = getenv("MCPCTL_TOKEN");

	if (!token || !*token || !is_withheld(e, &app->config) ||
	    !is_sent_token(e) || headers_get(&e->headers, "Authorization") ||
	    !is_new(told, app->config.target))
		return;
	render_note(
		&app->out,
		"MCPCTL_TOKEN is not sent to '%s', since a file that came with a folder says who that is ('%s'); --token-file FILE sends one",
		app->config.target, e->source);
}

static int ask(void *owner, const struct named_file *f, struct error *err)
{
	return trust_ask(owner, f, err);
}

int setup_target(struct endpoint *out, struct app *app, struct error *err)
{
	const struct config *c = &app->config;
	const struct named_search search = { .config_file = c->config_file,
					     .trust = c->trust,
					     .ask = ask,
					     .owner = app };
	CLEANUP(named_found_done) struct named_found found = { 0 };
	int status;

	if (strchr(c->target, ':'))
		return endpoint_parse(out, c->target, app->target_source, err);
	status = named_target(out, c->target, &search, &found, err);
	note_passed(app, &found.passed);
	note_shadowed(app, &found);
	if (status != 0)
		return error_prefix(err, "target (from %s)",
				    app->target_source);
	note_withheld(app, out);
	return 0;
}

/*
 * The address that consoles show is where tools dial in (backends.md 3): a
 * client that does takes the place of the tools that are there. Nobody has a
 * server of MCP behind such a path and a token, so it is not dialled at all.
 */
static int check_side(const struct endpoint *e, struct error *err)
{
	static const char tools[] = "/mcp_endpoint/mcp/";
	bool point = is(e, SCHEME_WEBSOCKET) && text_starts(e->path, tools);
	bool cloud = is(e, SCHEME_WEBSOCKET) &&
		     text_same(e->host, "api.xiaozhi.me") &&
		     text_starts(e->path, "/mcp/");

	if ((!point && !cloud) || !strstr(e->path, "token="))
		return 0;
	error_set(
		err, ERR_USAGE,
		"target (from %s): at this address tools dial in, as a server; a client that does throws them off",
		e->source);
	if (cloud)
		return error_hint(
			err,
			"the board that belongs to it can be asked by 'mcpctl serve'; mcpctl knows no address of that cloud for clients");
	return error_hint(
		err,
		"clients of the access point dial the same address with /mcp_endpoint/call/ in the place of %s",
		tools);
}

int setup_endpoint(struct endpoint *e, struct app *app,
		   const struct transport_ops **ops, struct error *err)
{
	const struct config *c = &app->config;

	if (!c->target && serve_target_find(app, err))
		return -1;
	if (!c->target)
		return serve_target_none(app, err);
	if (setup_target(e, app, err))
		return -1;
	/* What was given for the first target says nothing about a later one. */
	if (serve_target_options(app, e, err) || check_side(e, err) ||
	    (!app->later && check_fit(e, c, err)) || set_options(e, c, err) ||
	    (!app->apart && credentials_attach(e, app, err)))
		return -1;
	*ops = held_find(e, app) ? &attach_ops :
				   target_ops(e->scheme->kind, err);
	return *ops ? 0 : -1;
}
