/* SPDX-License-Identifier: MIT */
/*
 * logout: a login taken back, there (RFC 7009) and here.
 */
#include <string.h>

#include "base/mem.h"
#include "base/secret_file.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "cli/logins.h"
#include "net/http.h"

/* ---- there ---- */

struct answer_of_revocation {
	bool done;
	int status;
	struct error why;
};

static void on_answer(void *owner, const struct http_answer *a)
{
	struct answer_of_revocation *r = owner;

	r->status = a->status;
	if (!a->status)
		error_copy(&r->why, a->why);
	r->done = true;
}

static int judge(const struct answer_of_revocation *r,
		 const struct login_entry *e, struct error *err)
{
	if (r->status >= 200 && r->status < 300)
		return 0;
	if (r->status)
		error_set(err, ERR_AUTH, "'%.200s' answered with HTTP %d",
			  e->issuer, r->status);
	else
		error_copy(err, &r->why);
	return -1;
}

static int wait_answer(struct app *app, const struct auth_settings *s,
		       const struct auth_question *q,
		       const struct login_entry *e, struct error *err)
{
	struct answer_of_revocation r = { 0 };
	struct http_fetch *fetch = auth_ask(s, q, on_answer, &r, err);
	int status = -1;

	if (!fetch)
		return -1;
	if (loop_wait(app->loop, &r.done, LOOP_FOREVER, err))
		auth_forget(fetch);
	else
		status = judge(&r, e, err);
	error_reset(&r.why);
	return status;
}

static int revoke_one(struct app *app, const struct auth_settings *s,
		      const struct login_entry *e, const char *token,
		      const char *kind, struct error *err)
{
	CLEANUP(secret_wipe) struct buf form = { 0 };
	CLEANUP(mem_free_ptr) char *basic = NULL;

	form_add(&form, "token", token);
	form_add(&form, "token_type_hint", kind);
	if (auth_prove(&form, &basic, s, e, err))
		return -1;
	const struct auth_question q = { .url = e->revocation_endpoint,
					 .body = form.data,
					 .len = form.len,
					 .basic = basic,
					 .form = true };
	return wait_answer(app, s, &q, e, err);
}

/* The one that gives others first: whatever happens then, it is dead. */
static int revoke_all(struct app *app, const struct auth_settings *s,
		      const struct login_entry *e, struct error *err)
{
	if (!e->revocation_endpoint) {
		render_note(
			&app->out,
			"'%s' takes no token back: this one lives until it ends",
			e->issuer);
		return 0;
	}
	if (e->refresh &&
	    revoke_one(app, s, e, e->refresh, "refresh_token", err))
		return -1;
	return revoke_one(app, s, e, e->access, "access_token", err);
}

/* ---- here ---- */

static void forget_client(const char *folder, const struct login_entry *e)
{
	CLEANUP(registration_done) struct registration r;

	if (store_client_find(&r, folder, e->issuer, NULL) == 1 &&
	    strcmp(r.id, e->client_id) == 0)
		store_client_drop(folder, e->issuer);
}

static int none_kept(const struct auth_settings *s, struct error *err)
{
	error_set(err, ERR_UNMET, "there is no login for '%.200s'", s->server);
	return error_hint(err,
			  "mcpctl login --list shows those that there are");
}

/* Here first: what cannot be asked there is gone here all the same. */
static int log_out(struct app *app, const struct auth_settings *s,
		   struct error *err)
{
	CLEANUP(login_entry_done) struct login_entry e = { 0 };
	int status = s->folder ? store_find(&e, s->folder, s->server, err) : 0;

	if (status < 0)
		return -1;
	if (status == 0)
		return none_kept(s, err);
	if (store_drop(s->folder, s->server, err) < 0)
		return -1;
	forget_client(s->folder, &e);
	if (revoke_all(app, s, &e, err)) {
		error_prefix(
			err,
			"the token was forgotten here, but not taken back");
		return error_hint(
			err, "take it back at the authorization server itself");
	}
	login_show(app, &e, "logged out");
	return 0;
}

static int logout_run(const struct invocation *in, struct error *err)
{
	CLEANUP(login_target_done) struct login_target t;

	if (login_target_open(&t, in, err))
		return -1;
	return log_out(in->app, credentials_settings(t.credentials), err);
}

static const struct example logout_examples[] = {
	{ "logout https://mcp.example.com/mcp", NULL, EXAMPLE_GOES_ON },
	{ NULL, NULL, 0 }
};

const struct command cmd_logout = {
	.name = "logout",
	.args = "[TARGET]",
	.brief = "take back a login by OAuth",
	.text = "The tokens for that server are removed here, with what was registered for it, and taken back at the authorization server where that can be done (RFC 7009). "
		"If it cannot be reached, or refuses, they are gone here all the same, and the status says that they still live there. "
		"Status 7: there is no login for that server.",
	.group = GROUP_START,
	.flags = CMD_MINOR | CMD_TARGET,
	.max = 1,
	.examples = logout_examples,
	.run = logout_run
};
