/* SPDX-License-Identifier: MIT */
/* Logins of commands. */
#include "cli/logins.h"

#include "cli/app.h"
#include "cli/setup.h"
#include "net/head.h"

static int no_target(const struct invocation *in, struct error *err)
{
	error_set(err, ERR_USAGE, "the server was not named");
	return error_hint(err, "for example: mcpctl %s https://HOST/mcp",
			  in->command->name);
}

static int no_login(const struct endpoint *e, const struct config *c,
		    struct error *err)
{
	if (e->scheme->kind != SCHEME_HTTP)
		return error_set(
			err, ERR_USAGE,
			"logins are for http: and https:, and the target is '%s' (from %s)",
			e->text, e->source);
	if (headers_get(&e->headers, "Authorization")) {
		error_set(
			err, ERR_USAGE,
			"a token for '%s' is given already, which wins over a login",
			e->text);
		return error_hint(
			err,
			"leave out MCPCTL_TOKEN, --token-file, and the header Authorization");
	}
	return error_set(err, ERR_USAGE, "logins are forbidden: %s",
			 c->no_oauth ? "--no-oauth" :
				       "\"oauth\" of its entry is false");
}

int login_target_open(struct login_target *out, const struct invocation *in,
		      struct error *err)
{
	const struct transport_ops *ops;
	struct app *app = in->app;

	*out = (struct login_target){ 0 };
	if (in->argv[0]) {
		app->config.target = in->argv[0];
		app->target_source = "the argument";
	}
	if (!app->config.target)
		return no_target(in, err);
	if (setup_endpoint(&out->endpoint, app, &ops, err))
		return -1;
	out->credentials = credentials_of(app, &out->endpoint);
	return out->endpoint.bearer && out->credentials ?
		       0 :
		       no_login(&out->endpoint, &app->config, err);
}

void login_target_done(struct login_target *t)
{
	endpoint_done(&t->endpoint);
}

void login_show(struct app *app, const struct login_entry *e, const char *state)
{
	bool renews = e->refresh != NULL;
	bool over = !renews && e->expires_at &&
		    e->expires_at <= unix_now_ms() / 1000;
	const struct login_record record = {
		.server = e->server,
		.issuer = e->issuer,
		.client = e->client_id,
		.scope = e->scope,
		.state = state ? state :
			 over  ? "over" :
				 "logged in",
		.expires_at = e->expires_at,
		.renews = renews,
	};

	if (app->out.ops->login)
		app->out.ops->login(&app->out, &record);
}
