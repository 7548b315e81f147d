/* SPDX-License-Identifier: MIT */
/* From options and entries to logins; the user at the terminal. */
#include "cli/credentials.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "auth/browser.h"
#include "auth/url.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/secret_file.h"
#include "base/text.h"
#include "cli/config.h"
#include "cli/named_entry.h"
#include "cli/prompt.h"
#include "cli/target_text.h"
#include "net/address.h"
#include "net/head.h"

#define FOLDER "oauth/"
#define SECRET_VARIABLE "MCPCTL_OAUTH_CLIENT_SECRET"
#define KEY_MAX ((size_t)64 * 1024)

struct credentials {
	struct credentials *next;
	struct app *app;
	struct auth_settings settings;
	struct auth_user user;
	struct endpoint way;
	struct token_source *source;
	struct buf key, identity;
	/* what settings lends */
	char *server, *name, *client_id, *client_secret, *client_document,
		*issuer, *scope, *folder, *secret_file, *key_file, *idp_file,
		*idp_endpoint, *idp_client_id;
	/* of the user */
	bool insists, no_browser;
	struct prompt *prompt; /* NULL: nothing is asked */
	char *url; /* that is visited now; NULL */
	pid_t browser; /* 0: none was started */
};

/* ---- the user ---- */

static bool has_terminal(const struct app *app)
{
	return !prompt_obstacle(app);
}

static bool can(void *owner)
{
	const struct credentials *c = owner;
	bool set;

	browser_is_there(&set);
	return c->insists || set || has_terminal(c->app);
}

static void note(void *owner, const char *text)
{
	const struct credentials *c = owner;

	render_note(&c->app->out, "%s", text);
}

static void say(const struct credentials *c, const char *format, ...)
	PRINTF_LIKE(2, 3);

/* The address is printed as it is: its words must work in a browser. */
static void say(const struct credentials *c, const char *format, ...)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	va_list args;

	va_start(args, format);
	buf_vprintf(&line, format, args);
	va_end(args);
	if (c->prompt)
		prompt_say(c->prompt, buf_string(&line));
	else
		put_err(&c->app->out, &line);
}

static void open_browser(struct credentials *c)
{
	browser_reap(c->browser);
	c->browser = browser_open(c->url);
	if (!c->browser)
		say(c,
		    "no browser could be started: open that address by hand\n");
}

static void ask_again(struct credentials *c)
{
	prompt_ask(
		c->prompt,
		c->no_browser || !browser_is_there(NULL) ?
			"paste the address that your browser ends at (n: no): " :
			"Enter opens it in a browser; or paste the address that yours ended at (n: no): ");
}

static void take_answer(struct credentials *c, struct auth_flow *flow,
			const char *line)
{
	if (!*line && !c->no_browser && browser_is_there(NULL))
		open_browser(c);
	else if (*line && !flow_paste(flow, line))
		say(c,
		    "that is not the answer of this login: it ends in ?code=…&state=…\n");
	ask_again(c);
}

static void on_line(void *owner, const char *line)
{
	struct credentials *c = owner;
	struct auth_flow *flow = token_source_flow(c->source);

	if (!flow)
		return;
	/* The command's end, as without a prompt. */
	if (!line && prompt_interrupted(c->prompt))
		raise(SIGINT);
	else if (!line || text_same(line, "n") || text_same(line, "no"))
		flow_refuse(flow);
	else
		take_answer(c, flow, line);
}

static void visit(void *owner, const struct auth_visit *v)
{
	struct credentials *c = owner;
	bool terminal = has_terminal(c->app), set;

	browser_is_there(&set);
	mem_free(c->url);
	c->url = mem_strdup(v->url);
	say(c, "'%s' wants a login at %s:\n  %s\n", v->server, v->host, v->url);
	if (terminal && prompt_open(&c->prompt, c->app, on_line, c, NULL) == 0)
		ask_again(c);
	/* Whoever sees that page for the first time looks at its host first. */
	if (!c->no_browser && (c->prompt ? !v->first : set))
		open_browser(c);
}

static void left(void *owner)
{
	struct credentials *c = owner;

	prompt_close(TAKE(c->prompt));
	browser_reap(c->browser);
	secret_free(TAKE(c->url));
}

void credentials_insist(struct credentials *c, bool browser)
{
	c->insists = true;
	c->no_browser = !browser;
}

/* ---- the entry of a configuration ---- */

static int wrong(const char *member, const char *why, struct error *err)
{
	return error_set(err, ERR_USAGE, "\"oauth\" of its entry: \"%s\" %s",
			 member, why);
}

/* *out stays where the options said it already. */
static int take_text(char **out, const cJSON *entry, const char *name,
		     const char *other, struct error *err)
{
	const cJSON *member = json_member(entry, name);
	char *text;

	if (!member)
		member = json_member(entry, other);
	if (!member || *out)
		return 0;
	if (!cJSON_IsString(member))
		return wrong(name, "is no text", err);
	text = named_expand(member->valuestring, err);
	if (!text)
		return error_prefix(err, "\"oauth\" of its entry: \"%s\"",
				    name);
	*out = text;
	return 0;
}

static int take_scopes(struct credentials *c, const cJSON *entry,
		       struct error *err)
{
	const cJSON *list = json_array(entry, "scopes"), *item;
	CLEANUP(buf_done) struct buf out = { 0 };

	if (!list || c->scope)
		return take_text(&c->scope, entry, "scope", "scopes", err);
	cJSON_ArrayForEach(item, list) {
		if (!cJSON_IsString(item))
			return wrong("scopes", "holds what is no text", err);
		buf_printf(&out, "%s%s", out.len ? " " : "", item->valuestring);
	}
	c->scope = out.len ? buf_take(&out) : NULL;
	return 0;
}

static int take_grant(struct credentials *c, const cJSON *entry,
		      struct error *err)
{
	static const char words[] = "auto code client-credentials";
	const char *word = json_string(entry, "grant");
	int grant = word ? option_choice(words, word) : 0;

	if (grant < 0)
		return wrong("grant",
			     "is none of auto, code, client-credentials", err);
	if (c->settings.grant == GRANT_AUTO)
		c->settings.grant = (enum auth_grant)grant;
	return 0;
}

/* Files of secrets would go to whoever wrote the file that names them. */
static int check_foreign(const struct endpoint *e, const cJSON *entry,
			 struct error *err)
{
	static const char *const names[] = { "client_secret_file",
					     "private_key_file",
					     "idp_token_file",
					     "idp_token_endpoint" };

	for (size_t i = 0; i < COUNT(names) && e->foreign; i++) {
		if (!json_member(entry, names[i]))
			continue;
		wrong(names[i], "is not heeded in a file of a folder", err);
		return error_hint(
			err, "give it as an option, or in your own mcp.json");
	}
	return 0;
}

static int take_entry(struct credentials *c, const struct endpoint *e,
		      struct error *err)
{
	CLEANUP(json_free_ptr) cJSON *entry = NULL;

	if (!e->oauth)
		return 0;
	entry = json_parse(e->oauth, strlen(e->oauth), err);
	if (!entry)
		return -1;
	if (!cJSON_IsObject(entry))
		return error_set(
			err, ERR_USAGE,
			"\"oauth\" of its entry is neither an object nor false");
	if (json_member(entry, "client_secret"))
		return wrong(
			"client_secret",
			"must not stand there: client_secret_file names a file",
			err);
	if (check_foreign(e, entry, err) ||
	    take_text(&c->client_id, entry, "client_id", "clientId", err) ||
	    take_text(&c->client_document, entry, "client_metadata_url",
		      "clientMetadataUrl", err) ||
	    take_text(&c->issuer, entry, "issuer", "authServer", err) ||
	    take_text(&c->secret_file, entry, "client_secret_file",
		      "clientSecretFile", err) ||
	    take_text(&c->key_file, entry, "private_key_file", "privateKeyFile",
		      err) ||
	    take_text(&c->idp_file, entry, "idp_token_file", "idpTokenFile",
		      err) ||
	    take_text(&c->idp_endpoint, entry, "idp_token_endpoint",
		      "idpTokenEndpoint", err) ||
	    take_text(&c->idp_client_id, entry, "idp_client_id", "idpClientId",
		      err) ||
	    take_scopes(c, entry, err))
		return -1;
	return take_grant(c, entry, err);
}

/* ---- settings ---- */

static int read_key(struct credentials *c, struct error *err)
{
	if (!c->key_file)
		return 0;
	secret_init(&c->key, KEY_MAX);
	if (file_read(&c->key, "private key file", c->key_file, err))
		return -1;
	c->settings.key = c->key.data;
	c->settings.key_len = c->key.len;
	return 0;
}

static int read_identity(struct credentials *c, struct error *err)
{
	struct buf *text = &c->identity;

	if (!c->idp_file)
		return 0;
	secret_init(text, KEY_MAX);
	if (file_read(text, "identity token file", c->idp_file, err))
		return -1;
	buf_trim(text, 0, " \t\r\n");
	if (!text->len || strlen(text->data) != text->len)
		return error_set(err, ERR_USAGE,
				 "the identity token file '%s' holds no token",
				 c->idp_file);
	c->settings.idp_token = text->data;
	return 0;
}

/* One of the environment was set for somebody else than a folder's file. */
static int read_secret(struct credentials *c, const struct endpoint *e,
		       struct error *err)
{
	if (c->secret_file)
		return secret_find(&c->client_secret, "client secret file",
				   c->secret_file, SECRET_VARIABLE, err);
	if (e->foreign || !c->client_id)
		return 0;
	return secret_find(&c->client_secret, "client secret file", NULL,
			   SECRET_VARIABLE, err);
}

static int check_settings(const struct credentials *c, struct error *err)
{
	if (c->client_document &&
	    auth_url_check(c->client_document,
			   "option '--oauth-client-metadata-url':", false,
			   err)) {
		err->kind = ERR_USAGE;
		return error_hint(
			err,
			"it must be an https URL, where everybody can read it");
	}
	if (!c->idp_file != !c->idp_endpoint) {
		error_set(
			err, ERR_USAGE,
			"an identity token and where it is exchanged belong together");
		return error_hint(
			err,
			"give both: --oauth-idp-token-file and --oauth-idp-token-endpoint");
	}
	if ((c->secret_file || c->key_file || c->idp_file) && !c->client_id) {
		error_set(
			err, ERR_USAGE,
			c->idp_file ?
				"which client logs in with the identity token was not said" :
				"whose secret or key it is was not said");
		return error_hint(err, "name the client by --oauth-client-id");
	}
	if (c->scope && !scope_fits(c->scope))
		return error_set(
			err, ERR_USAGE,
			"option '--oauth-scope': a scope cannot hold such characters");
	return 0;
}

static int make_folder(const char *folder, struct error *err)
{
	return user_path_make(&user_state, folder, err);
}

static void lend(struct credentials *c)
{
	struct auth_settings *s = &c->settings;

	s->server = c->server;
	s->name = c->name;
	s->client_id = c->client_id;
	s->client_secret = c->client_secret;
	s->client_document = c->client_document;
	s->issuer = c->issuer;
	s->scope = c->scope;
	s->idp_endpoint = c->idp_endpoint;
	s->idp_client_id = c->idp_client_id;
	s->folder = c->folder;
	s->make = make_folder;
	s->way = &c->way;
	s->loop = c->app->loop;
	c->user = (struct auth_user){ .can = can,
				      .visit = visit,
				      .left = left,
				      .note = note,
				      .owner = c };
}

/* As the target is typed, behind `login`. */
static char *typed(const struct app *app)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	target_words(&out, app->config.target, app->config.config_file);
	buf_trim(&out, 0, " ");
	return buf_take(&out);
}

static void set_way(struct endpoint *way, const struct endpoint *e)
{
	way->cacert = mem_strdup(e->cacert);
	way->proxy = mem_strdup(e->proxy);
	way->insecure = e->insecure;
	way->connect_timeout = e->connect_timeout;
	for (size_t i = 0; i < e->resolve.count; i++)
		words_add(&way->resolve, e->resolve.word[i]);
}

static int set_up(struct credentials *c, const struct endpoint *e,
		  struct error *err)
{
	const struct config *o = &c->app->config;

	c->client_id = mem_strdup(o->oauth_client_id);
	c->client_document = mem_strdup(o->oauth_client_document);
	c->issuer = mem_strdup(o->oauth_issuer);
	c->scope = mem_strdup(o->oauth_scope);
	c->secret_file = mem_strdup(o->oauth_secret_file);
	c->key_file = mem_strdup(o->oauth_key_file);
	c->idp_file = mem_strdup(o->oauth_idp_token_file);
	c->idp_endpoint = mem_strdup(o->oauth_idp_endpoint);
	c->idp_client_id = mem_strdup(o->oauth_idp_client_id);
	c->settings.grant = (enum auth_grant)o->oauth_grant;
	c->settings.timeout = o->oauth_timeout;
	c->folder = credentials_folder();
	c->name = typed(c->app);
	set_way(&c->way, e);
	if (take_entry(c, e, err) || check_settings(c, err) ||
	    read_secret(c, e, err) || read_key(c, err) || read_identity(c, err))
		return -1;
	lend(c);
	return 0;
}

/* ---- all of a run ---- */

char *credentials_folder(void)
{
	return user_path(&user_state, FOLDER);
}

static void credentials_free(struct credentials *c)
{
	token_source_free(c->source);
	left(c);
	endpoint_done(&c->way);
	secret_wipe(&c->key);
	mem_free(c->server);
	mem_free(c->name);
	mem_free(c->client_id);
	secret_free(c->client_secret);
	mem_free(c->client_document);
	mem_free(c->issuer);
	mem_free(c->scope);
	mem_free(c->folder);
	mem_free(c->secret_file);
	mem_free(c->key_file);
	secret_wipe(&c->identity);
	mem_free(c->idp_file);
	mem_free(c->idp_endpoint);
	mem_free(c->idp_client_id);
	mem_free(c);
}

void credentials_done(struct app *app)
{
	while (app->credentials) {
		struct credentials *c = app->credentials;

		app->credentials = c->next;
		credentials_free(c);
	}
}

/* The URL of MCP as a resource; NULL: it cannot be one. */
static char *server_of(const struct endpoint *e)
{
	CLEANUP(buf_done) struct buf url = { 0 };

	buf_text(&url, endpoint_has(e, SCHEME_TLS) ? "https://" : "http://");
	authority_print(&url, e->host, e->has_port ? e->port : 0);
	buf_text(&url, e->path);
	return auth_url_resource(buf_string(&url));
}

struct credentials *credentials_of(const struct app *app,
				   const struct endpoint *e)
{
	struct credentials *c = app->credentials;

	while (c && token_source_bearer(c->source) != e->bearer)
		c = c->next;
	return c;
}

static struct credentials *find(const struct app *app, const char *server,
				const char *name)
{
	struct credentials *c = app->credentials;

	while (c &&
	       (strcmp(c->server, server) != 0 || strcmp(c->name, name) != 0))
		c = c->next;
	return c;
}

int credentials_attach(struct endpoint *e, struct app *app, struct error *err)
{
	CLEANUP(mem_free_ptr) char *server = NULL, *name = NULL;
	struct credentials *c;

	if (e->scheme->kind != SCHEME_HTTP || app->config.no_oauth ||
	    app->config.stranger || headers_get(&e->headers, "Authorization"))
		return 0;
	if (e->oauth && strcmp(e->oauth, "false") == 0)
		return 0;
	server = server_of(e);
	name = typed(app);
	if (!server)
		return 0;
	if (!app->loop && loop_new(&app->loop, err))
		return -1;
	c = find(app, server, name);
	if (!c) {
		c = mem_zalloc(sizeof(*c));
		c->app = app;
		c->server = TAKE(server);
		if (set_up(c, e, err)) {
			credentials_free(c);
			return -1;
		}
		c->source = token_source_new(&c->settings, &c->user);
		c->next = app->credentials;
		app->credentials = c;
	}
	e->bearer = token_source_bearer(c->source);
	return 0;
}

struct token_source *credentials_source(const struct credentials *c)
{
	return c->source;
}

const struct auth_settings *credentials_settings(const struct credentials *c)
{
	return &c->settings;
}
