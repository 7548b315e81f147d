/* SPDX-License-Identifier: MIT */
/* Tokens: had, renewed, got anew. */
#include "auth/token_source.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "auth/url.h"
#include "base/base.h"
#include "base/mem.h"
#include "base/secret_file.h"
#include "net/http.h"
#include "wire/challenge.h"

#define LOCK_AGAIN_MS 50
#define LOCK_WAIT_MS 30000 /* the other one asks its server, too */
#define STEP_UPS_MAX 2 /* of one request */
#define EARLY_AGAIN_MS \
	10000 /* after one that failed, while the token is good */

struct waiter {
	struct waiter *next;
	bearer_done *done;
	void *arg;
	bool due; /* it asked before the verdict was told */
};

struct token_source {
	const struct auth_settings *s;
	const struct auth_user *user;
	struct bearer bearer;
	struct login_entry entry;
	struct waiter *waiters;
	/* what goes on */
	char *metadata, *scope; /* of the challenge that it is for */
	struct auth_flow *flow;
	struct http_fetch *fetch;
	int64_t lock_until;
	struct timer timer; /* closes last */
	struct error why, unkept;
	int lock; /* -1: none */
	enum bearer_verdict verdict;
	bool has, loaded;
	bool renewed; /* entry.access came by a refresh, and was not refused yet */
	bool logged_in; /* entry.access came by a login of this run */
	bool busy;
	bool step_up;
	bool told; /* the verdict is to be told by the timer */
	bool early; /* it goes on before the token is over: none was refused */
	int64_t early_from; /* not so before then (loop_now()) */
};

/* ---- what there is ---- */

/*
 * Core files and other processes of this user do not get it. LeakSanitizer is
 * one of these.
 */
static void be_private(void)
{
#if !ADDRESS_SANITIZED
	prctl(PR_SET_DUMPABLE, 0);
#endif
}

static void take_entry(struct token_source *k, struct login_entry *e)
{
	login_entry_done(&k->entry);
	k->entry = *e;
	*e = (struct login_entry){ 0 };
	k->has = true;
	k->loaded = true;
}

/* Somebody else's client, or another issuer than the user wants: not ours. */
static bool fits(const struct token_source *k, const struct login_entry *e)
{
	const struct auth_settings *s = k->s;

	return (!s->client_id || strcmp(s->client_id, e->client_id) == 0) &&
	       (!s->issuer || strcmp(s->issuer, e->issuer) == 0) &&
	       (e->proof != PROOF_KEY || s->key);
}

/* False: there is none, or nothing new; what cannot be read is told. */
static bool load(struct token_source *k)
{
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(login_entry_done) struct login_entry e = { 0 };
	int status = 0;

	k->loaded = true;
	if (k->s->folder)
		status = store_find(&e, k->s->folder, k->s->server, &why);
	if (status < 0 && k->user) {
		CLEANUP(mem_free_ptr) char *line = error_line(&why);

		k->user->note(k->user->owner, line);
	}
	if (status <= 0 || !fits(k, &e) ||
	    (k->has && strcmp(k->entry.access, e.access) == 0))
		return false;
	be_private();
	take_entry(k, &e);
	k->renewed = k->logged_in = false;
	return true;
}

const struct login_entry *token_source_entry(struct token_source *k)
{
	if (!k->loaded)
		load(k);
	return k->has ? &k->entry : NULL;
}

/* A token that works now is used, kept or not. */
static void keep(struct token_source *k)
{
	CLEANUP(mem_free_ptr) char *line = NULL;

	error_reset(&k->unkept);
	if (!k->s->folder)
		return;
	if (k->s->make && k->s->make(k->s->folder, &k->unkept))
		error_prefix(&k->unkept, "the login was not kept");
	else if (store_keep(k->s->folder, &k->entry, &k->unkept) == 0)
		return;
	line = error_line(&k->unkept);
	if (k->user)
		k->user->note(k->user->owner, line);
}

const struct error *token_source_unkept(const struct token_source *k)
{
	return &k->unkept;
}

/* ---- telling ---- */

static struct waiter *take_due(struct token_source *k)
{
	struct waiter **at = &k->waiters, *w;

	while (*at && !(*at)->due)
		at = &(*at)->next;
	w = *at;
	if (w)
		*at = w->next;
	return w;
}

static void tell(struct token_source *k)
{
	const enum bearer_verdict verdict = k->verdict;
	CLEANUP(error_reset) struct error why = k->why;
	struct waiter *w;

	k->why = (struct error){ 0 };
	k->busy = k->told = false;
	for (w = k->waiters; w; w = w->next)
		w->due = true;
	/* One by one: who is told may make others forget, and may ask anew. */
	while ((w = take_due(k))) {
		w->done(w->arg, verdict, &why);
		mem_free(w);
	}
}

/* From the loop only, so that nobody is told amid its question. */
static void end(struct token_source *k, enum bearer_verdict verdict)
{
	k->verdict = verdict;
	k->told = true;
	if (k->lock >= 0)
		close(k->lock);
	k->lock = -1;
	timer_start(&k->timer, 0);
}

/* Though it is time to have another one. */
static bool is_good(const struct token_source *k)
{
	return k->has && unix_now_ms() / 1000 < k->entry.expires_at;
}

/* A token that is still good is used; at its end it is asked again. */
static void end_failed(struct token_source *k, struct error *why)
{
	if (k->early && is_good(k)) {
		k->early_from = loop_now() + EARLY_AGAIN_MS;
		error_reset(why);
		end(k, BEARER_AGAIN);
		return;
	}
	error_reset(&k->why);
	k->why = *why;
	*why = (struct error){ 0 };
	end(k, BEARER_FAILED);
}

/* ---- a login ---- */

static void on_flow(void *owner, struct login_entry *e, const struct error *why)
{
	struct token_source *k = owner;
	struct error failure = { 0 };

	k->flow = NULL;
	if (e) {
		be_private();
		take_entry(k, e);
		k->logged_in = true;
		k->renewed = false;
		keep(k);
		end(k, BEARER_AGAIN);
		return;
	}
	if (why->kind == ERR_NONE) {
		error_copy(&k->why, why);
		end(k, BEARER_AS_IS);
		return;
	}
	error_copy(&failure, why);
	end_failed(k, &failure);
}

static void log_in(struct token_source *k)
{
	const struct auth_wish wish = {
		.metadata = k->metadata,
		.scope = k->scope,
		.before = k->has ? &k->entry : NULL,
		.step_up = k->step_up,
	};

	be_private();
	k->flow = flow_start(k->s, k->user, &wish, on_flow, k);
}

/*
 * Nobody is here who could log in. Of a server that says nothing of OAuth it
 * is not known whether that would help.
 */
static void end_without(struct token_source *k)
{
	error_reset(&k->why);
	if (k->metadata || k->has) {
		error_set(&k->why, ERR_AUTH, "login");
		error_hint(
			&k->why,
			"log in: mcpctl login %s (or give a token: MCPCTL_TOKEN, --token-file)",
			k->s->name);
	}
	end(k, BEARER_AS_IS);
}

static void begin_login(struct token_source *k)
{
	if (auth_needs_nobody(k->s) ||
	    (k->user && k->user->can(k->user->owner)))
		log_in(k);
	else
		end_without(k);
}

/* ---- a refresh ---- */

static void refresh_over(struct token_source *k, struct error *why)
{
	/* The token is dead for good, or the client is: only a login helps. */
	if (why->kind != ERR_AUTH) {
		error_prefix(why, "the token could not be renewed");
		end_failed(k, why);
		return;
	}
	if (k->lock >= 0)
		close(k->lock);
	k->lock = -1;
	error_reset(why);
	begin_login(k);
}

static void on_refreshed(void *owner, const struct http_answer *a)
{
	struct token_source *k = owner;
	CLEANUP(token_answer_done) struct token_answer t = { 0 };
	struct error why = { 0 };

	k->fetch = NULL;
	if (!auth_came(a)) {
		error_copy(&why, a->why);
		refresh_over(k, &why);
	} else if (token_answer_read(&t, a->status, a->body, a->len,
				     k->entry.issuer, &why)) {
		refresh_over(k, &why);
	} else {
		auth_take_token(&k->entry, &t);
		k->renewed = true;
		k->logged_in = false;
		keep(k);
		end(k, BEARER_AGAIN);
	}
}

/* The store says where, and it may be old: judged as if it were told now. */
static int check_entry(const struct token_source *k, struct error *err)
{
	CLEANUP(auth_url_done) struct auth_url u = { 0 };

	if (auth_url_read(&u, k->s->server, "the target", err))
		return -1;
	return auth_url_check(k->entry.token_endpoint, "token_endpoint",
			      u.loopback, err);
}

static void ask_refresh(struct token_source *k)
{
	CLEANUP(secret_wipe) struct buf form = { 0 };
	CLEANUP(mem_free_ptr) char *basic = NULL;
	struct error why = { 0 };

	form_add(&form, "grant_type", "refresh_token");
	form_add(&form, "refresh_token", k->entry.refresh);
	form_add(&form, "resource", k->entry.resource);
	if (check_entry(k, &why) ||
	    auth_prove(&form, &basic, k->s, &k->entry, &why)) {
		refresh_over(k, &why);
		return;
	}
	const struct auth_question q = { .url = k->entry.token_endpoint,
					 .body = form.data,
					 .len = form.len,
					 .basic = basic,
					 .form = true };
	k->fetch = auth_ask(k->s, &q, on_refreshed, k, &why);
	if (!k->fetch)
		end_failed(k, &why);
}

/* Whoever has it renews; the others take what he kept. */
static void take_lock(struct token_source *k)
{
	struct error why = { 0 };

	k->lock = k->s->folder ? store_lock(k->s->folder, k->s->server, &why) :
				 -1;
	if (k->lock < 0 && k->s->folder && why.kind == ERR_NONE &&
	    loop_now() < k->lock_until) {
		timer_start(&k->timer, LOCK_AGAIN_MS);
		return;
	}
	if (k->lock < 0 && k->s->folder && why.kind == ERR_NONE) {
		error_set(
			&why, ERR_TIMEOUT,
			"another mcpctl renews the login of '%.200s', and does not end",
			k->s->server);
		error_hint(&why, "try again, or end that one");
		end_failed(k, &why);
		return;
	}
	/* A store that cannot be written is told when it is written. */
	error_reset(&why);
	k->lock_until = 0;
	if (load(k))
		end(k, BEARER_AGAIN);
	else
		ask_refresh(k);
}

static void begin_refresh(struct token_source *k)
{
	k->lock_until = loop_now() + LOCK_WAIT_MS;
	take_lock(k);
}

/* ---- a refusal ---- */

static const char *token(void *owner)
{
	const struct login_entry *e = token_source_entry(owner);

	return e ? e->access : NULL;
}

static bool is_over(void *owner)
{
	struct token_source *k = owner;
	const struct login_entry *e = token_source_entry(k);

	return e && login_entry_is_over(e, unix_now_ms() / 1000) &&
	       (e->refresh || auth_needs_nobody(k->s)) &&
	       (!is_good(k) || loop_now() >= k->early_from);
}

static void take_challenge(struct token_source *k, const char *field)
{
	struct challenge c;

	challenge_read(&c, field);
	mem_free(k->metadata);
	mem_free(k->scope);
	k->metadata = TAKE(c.resource_metadata);
	k->scope = TAKE(c.scope);
	k->step_up = c.error && strcmp(c.error, "insufficient_scope") == 0;
	challenge_done(&c);
}

static void refused_again(struct token_source *k)
{
	struct error why = { 0 };

	error_set(&why, ERR_AUTH,
		  "'%.200s' refuses the token that '%.200s' just gave for it",
		  k->s->server, k->entry.issuer);
	error_hint(
		&why,
		"tell who runs the server; 'mcpctl logout %s' forgets the login",
		k->s->name);
	end_failed(k, &why);
}

static void on_scope(struct token_source *k, const struct bearer_refusal *r)
{
	struct error why = { 0 };

	if (!k->step_up) {
		error_reset(&k->why);
		end(k, BEARER_AS_IS);
	} else if (r->times >= STEP_UPS_MAX) {
		error_set(
			&why, ERR_AUTH,
			"'%.150s' wants more than it was given, again and again: '%.150s'",
			k->s->server, k->scope ? k->scope : "");
		error_hint(
			&why,
			"does the account have these rights? --oauth-scope asks for others");
		end_failed(k, &why);
	} else {
		begin_login(k);
	}
}

static void on_unauthorized(struct token_source *k,
			    const struct bearer_refusal *r)
{
	const char *sent = r->token;
	bool same = sent && k->has && strcmp(sent, k->entry.access) == 0;

	k->step_up = false;
	if ((k->has && !same && r->status) || load(k))
		end(k, BEARER_AGAIN);
	else if (same && k->logged_in && r->times > 0)
		refused_again(k);
	else if (k->has && k->entry.refresh && !(same && k->renewed))
		begin_refresh(k);
	else
		begin_login(k);
}

static void add_waiter(struct token_source *k, bearer_done *done, void *arg)
{
	struct waiter *w = mem_zalloc(sizeof(*w));

	w->done = done;
	w->arg = arg;
	w->next = k->waiters;
	k->waiters = w;
}

static void refused(void *owner, const struct bearer_refusal *r,
		    bearer_done *done, void *arg)
{
	struct token_source *k = owner;

	add_waiter(k, done, arg);
	if (k->busy)
		return;
	k->busy = true;
	k->early = r->status == 0;
	take_challenge(k, r->challenge);
	if (r->status == 403)
		on_scope(k, r);
	else
		on_unauthorized(k, r);
}

static void stop(struct token_source *k)
{
	flow_abandon(TAKE(k->flow));
	auth_forget(TAKE(k->fetch));
	if (k->lock >= 0)
		close(k->lock);
	k->lock = -1;
	timer_stop(&k->timer);
	k->busy = k->told = false;
}

/* Whom nobody waits for is not logged in. */
static void forget(void *owner, const void *arg)
{
	struct token_source *k = owner;
	struct waiter **at = &k->waiters;

	while (*at && (*at)->arg != arg)
		at = &(*at)->next;
	if (*at) {
		struct waiter *gone = *at;

		*at = gone->next;
		mem_free(gone);
	}
	if (!k->waiters && k->busy)
		stop(k);
}

/* ---- its life ---- */

static void on_timer(void *owner)
{
	struct token_source *k = owner;

	if (k->told)
		tell(k);
	else if (k->lock_until)
		take_lock(k);
}

struct token_source *token_source_new(const struct auth_settings *s,
				      const struct auth_user *user)
{
	struct token_source *k = mem_zalloc(sizeof(*k));

	k->s = s;
	k->user = user;
	k->lock = -1;
	k->bearer = (struct bearer){ .token = token,
				     .is_over = is_over,
				     .refused = refused,
				     .forget = forget,
				     .owner = k };
	timer_open(&k->timer, s->loop, on_timer, k);
	return k;
}

static void on_closed(void *owner)
{
	struct token_source *k = owner;

	login_entry_done(&k->entry);
	mem_free(k->metadata);
	mem_free(k->scope);
	error_reset(&k->why);
	error_reset(&k->unkept);
	mem_free(k);
}

void token_source_free(struct token_source *k)
{
	if (!k)
		return;
	stop(k);
	while (k->waiters) {
		struct waiter *gone = k->waiters;

		k->waiters = gone->next;
		mem_free(gone);
	}
	timer_close(&k->timer, on_closed);
}

const struct bearer *token_source_bearer(const struct token_source *k)
{
	return &k->bearer;
}

struct auth_flow *token_source_flow(const struct token_source *k)
{
	return k->flow;
}

void token_source_login(struct token_source *k, const char *challenge,
			bearer_done *done, void *arg)
{
	add_waiter(k, done, arg);
	token_source_entry(k);
	k->busy = true;
	k->early = false;
	take_challenge(k, challenge);
	k->step_up = false;
	begin_login(k);
}
