/* SPDX-License-Identifier: MIT */
/*
 * login: a token of OAuth, got before it is needed; and which there are.
 */
#include <string.h>

#include "base/mem.h"
#include "base/module.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "cli/logins.h"
#include "net/head.h"
#include "net/http.h"

#define PROBE_MS 10000
#define PROBE_MAX ((size_t)64 * 1024)

struct login_options {
	bool list, no_browser;
};

static const struct option_row login_options[] = {
	{ .letter = 'l',
	  .name = "list",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct login_options, list),
	  .brief = "the logins that are kept; no token is shown" },
	{ .name = "no-browser",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct login_options, no_browser),
	  .brief =
		  "start none here: open the address elsewhere, and paste the one that the browser ends at" },
	{ .name = NULL }
};

/* ---- what there is ---- */

struct shown_logins {
	struct app *app;
	size_t count;
};

static void show_one(void *owner, const struct login_entry *e)
{
	struct shown_logins *s = owner;

	s->count++;
	login_show(s->app, e, NULL);
}

static int list_run(struct app *app)
{
	CLEANUP(mem_free_ptr) char *folder = credentials_folder();
	struct shown_logins shown = { .app = app };

	if (folder)
		store_each(folder, show_one, &shown);
	if (!shown.count)
		render_note(&app->out, "no login is kept");
	return 0;
}

/* ---- what the server asks for ---- */

struct probe {
	char *challenge;
	struct error why;
	bool done;
	bool open; /* it answered who has no token */
};

static void on_probed(void *owner, const struct http_answer *a)
{
	struct probe *p = owner;

	p->challenge = headers_list(a->headers, "WWW-Authenticate");
	p->open = a->status / 100 == 2;
	if (!a->status)
		error_copy(&p->why, a->why);
	p->done = true;
}

/* Servers that say nothing here may say enough in their metadata. */
static int probe(struct probe *p, const struct auth_settings *s,
		 const struct app *app, struct error *err)
{
	static const char body[] =
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}";
	const struct http_table *http = module_table("http", HTTP_TABLE, err);
	CLEANUP(headers_done) struct headers headers = { 0 };
	const struct http_request rq = { .url = s->server,
					 .headers = &headers,
					 .body = body,
					 .len = strlen(body),
					 .timeout = PROBE_MS,
					 .body_max = PROBE_MAX,
					 .way = s->way };
	struct http_fetch *fetch;

	headers_add(&headers, "Content-Type", "application/json");
	headers_add(&headers, "Accept", "application/json, text/event-stream");
	if (!http || http->fetch(&fetch, app->loop, &rq, on_probed, p, err))
		return -1;
	if (loop_wait(app->loop, &p->done, LOOP_FOREVER, err)) {
		http->fetch_abandon(fetch);
		return -1;
	}
	if (p->why.kind == ERR_NONE || p->why.kind == ERR_TIMEOUT)
		return 0;
	error_copy(err, &p->why);
	return -1;
}

/* ---- the login ---- */

struct outcome_of_login {
	bool done;
	enum bearer_verdict verdict;
	struct error why;
};

static void on_done(void *arg, enum bearer_verdict verdict,
		    const struct error *why)
{
	struct outcome_of_login *o = arg;

	o->verdict = verdict;
	if (verdict == BEARER_FAILED)
		error_copy(&o->why, why);
	o->done = true;
}

static int none_there(const struct auth_settings *s, struct error *err)
{
	error_set(err, ERR_AUTH, "nothing of OAuth is found at '%.200s'",
		  s->server);
	return error_hint(
		err,
		"is the path right (often /mcp)? what wants a key instead takes it by MCPCTL_TOKEN, --token-file or --header");
}

static int judge(const struct outcome_of_login *o, struct token_source *k,
		 const struct auth_settings *s, struct error *err)
{
	if (o->verdict == BEARER_AS_IS)
		return none_there(s, err);
	if (o->verdict == BEARER_AGAIN) {
		if (token_source_unkept(k)->kind == ERR_NONE)
			return 0;
		error_copy(err, token_source_unkept(k));
		return -1;
	}
	error_copy(err, &o->why);
	return -1;
}

static int log_in(struct app *app, const struct credentials *c,
		  const char *challenge, struct error *err)
{
	struct token_source *k = credentials_source(c);
	struct outcome_of_login o = { 0 };
	int status;

	token_source_login(k, challenge, on_done, &o);
	if (loop_wait(app->loop, &o.done, LOOP_FOREVER, err)) {
		token_source_bearer(k)->forget(k, &o);
		return -1;
	}
	status = judge(&o, k, credentials_settings(c), err);
	error_reset(&o.why);
	if (status == 0)
		login_show(app, token_source_entry(k), NULL);
	return status;
}

static int one_run(const struct invocation *in, bool browser, struct error *err)
{
	CLEANUP(login_target_done) struct login_target t;
	struct probe p = { 0 };
	int status;

	if (login_target_open(&t, in, err))
		return -1;
	credentials_insist(t.credentials, browser);
	status = probe(&p, credentials_settings(t.credentials), in->app, err);
	if (status == 0)
		status = log_in(in->app, t.credentials, p.challenge, err);
	if (status && p.open)
		render_note(
			&in->app->out,
			"it answers 'tools/list' without a login: none may be needed");
	mem_free(p.challenge);
	error_reset(&p.why);
	return status;
}

static int login_run(const struct invocation *in, struct error *err)
{
	const struct login_options *o = in->options;

	if (!o->list)
		return one_run(in, !o->no_browser, err);
	if (in->argv[0] || o->no_browser)
		return error_set(
			err, ERR_USAGE,
			"option '--list' shows all, and takes no TARGET nor --no-browser");
	return list_run(in->app);
}

static const struct example login_examples[] = {
	{ "login --list", NULL, 0 },
	{ "login https://mcp.example.com/mcp", NULL, EXAMPLE_GOES_ON },
	{ "login --no-browser https://mcp.example.com/mcp", NULL,
	  EXAMPLE_GOES_ON },
	{ NULL, NULL, 0 }
};

const struct command cmd_login = {
	.name = "login",
	.args = "[TARGET]",
	.brief = "log in at a server that wants OAuth, before it is used",
	.text = "Servers of HTTP may want a login by OAuth 2.1. At a terminal, or where BROWSER is set, any command that is refused logs in by itself; in a script this one does it once. "
		"It finds the server's authorization server, registers this program there unless --oauth-client-id names a client, opens your browser on its page, and waits until that comes back to a port of 127.0.0.1 (--oauth-timeout). "
		"The page's host is shown before. Where the browser is on another machine, open the address there, and paste the one that it ends at, though that page cannot be loaded.\n"
		"\n"
		"With --oauth-grant client-credentials, or a --oauth-private-key-file, nobody is asked: the client logs in for itself, as in CI. "
		"Where a company's identity provider vouches for its people, --oauth-idp-token-file (with --oauth-idp-token-endpoint, --oauth-idp-client-id and the client of that server) takes the place of the browser, too.\n"
		"\n"
		"Tokens are kept in mcpctl/oauth in $XDG_STATE_HOME (~/.local/state), in files of your own that nobody else may read, and go to that one server alone. They are renewed before they end, by one process at a time. "
		"A token that you give yourself (MCPCTL_TOKEN, --token-file, --header) wins over them; --no-oauth forbids them.\n"
		"\n"
		"--list shows which there are: \"over\" is one that has ended and cannot be renewed. 'mcpctl logout TARGET' takes one back.",
	.group = GROUP_START,
	.flags = CMD_MINOR | CMD_TARGET,
	.max = 1,
	.options = login_options,
	.options_size = sizeof(struct login_options),
	.examples = login_examples,
	.run = login_run
};
