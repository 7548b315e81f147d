/* SPDX-License-Identifier: MIT */
/* From a refusal to a token. */
#include "auth/flow.h"

#include <string.h>

#include "auth/crypt.h"
#include "auth/redirect.h"
#include "auth/url.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/module.h"
#include "base/secret_file.h"
#include "base/text.h"
#include "net/head.h"
#include "net/http.h"

#define ASK_MS 15000 /* for one answer of a server */
#define NONCE_BYTES 32

struct auth_flow {
	const struct auth_settings *s;
	const struct auth_user *user;
	auth_flow_done *done;
	void *owner;
	char *told_metadata, *told_scope;
	struct login_entry before;
	bool has_before, step_up;
	bool local; /* the MCP server is on this machine */
	/* where metadata is asked for now */
	struct words places;
	size_t place;
	struct http_fetch *fetch;
	struct resource_metadata resource;
	bool described; /* the resource has metadata */
	struct words issuers;
	size_t issuer;
	struct server_metadata server;
	/* what is being asked for */
	struct login_entry e;
	struct registration client;
	bool kept_client; /* the registration was there before */
	bool again; /* a second try */
	bool by_code;
	char *grant; /* of the company, for the authorization server; NULL */
	char *verifier, *state, *redirect_uri, *code;
	struct redirect *redirect;
	bool visiting;
	/* what came outside of a turn where it can be acted upon */
	struct timer timer; /* closes last */
	int64_t until;
	struct error failed;
	bool came; /* code, or failed */
	bool over;
};

static void next_step(struct auth_flow *f);

/* ---- the end ---- */

static void end_visit(struct auth_flow *f)
{
	if (f->visiting && f->user)
		f->user->left(f->user->owner);
	f->visiting = false;
}

static void on_closed(void *owner)
{
	struct auth_flow *f = owner;

	mem_free(f->told_metadata);
	mem_free(f->told_scope);
	login_entry_done(&f->before);
	login_entry_done(&f->e);
	words_done(&f->places);
	words_done(&f->issuers);
	resource_metadata_done(&f->resource);
	server_metadata_done(&f->server);
	registration_done(&f->client);
	secret_free(f->verifier);
	secret_free(f->state);
	secret_free(f->code);
	secret_free(f->grant);
	mem_free(f->redirect_uri);
	error_reset(&f->failed);
	mem_free(f);
}

static void release(struct auth_flow *f)
{
	f->over = true;
	auth_forget(TAKE(f->fetch));
	end_visit(f);
	redirect_close(TAKE(f->redirect));
	timer_close(&f->timer, on_closed);
}

void flow_abandon(struct auth_flow *f)
{
	if (f && !f->over)
		release(f);
}

/* why is released. */
static void fail(struct auth_flow *f, struct error *why)
{
	end_visit(f);
	f->over = true;
	f->done(f->owner, NULL, why);
	error_reset(why);
	release(f);
}

static void succeed(struct auth_flow *f)
{
	const struct error none = { 0 };

	end_visit(f);
	f->over = true;
	f->done(f->owner, &f->e, &none);
	release(f);
}

/* ---- asking ---- */

struct http_fetch *auth_ask(const struct auth_settings *s,
			    const struct auth_question *q, auth_answered *fn,
			    void *owner, struct error *err)
{
	const struct http_table *http = module_table("http", HTTP_TABLE, err);
	CLEANUP(headers_done) struct headers headers = { 0 };
	const struct http_request rq = { .url = q->url,
					 .headers = &headers,
					 .body = q->body,
					 .len = q->len,
					 .timeout = ASK_MS,
					 .body_max = METADATA_MAX,
					 .way = s->way };
	struct http_fetch *out;

	if (!http)
		return NULL;
	headers_add(&headers, "Accept", "application/json");
	if (q->body)
		headers_add(&headers, "Content-Type",
			    q->form ? "application/x-www-form-urlencoded" :
				      "application/json");
	if (q->basic)
		headers_add(&headers, "Authorization", q->basic);
	return http->fetch(&out, s->loop, &rq, fn, owner, err) ? NULL : out;
}

bool auth_came(const struct http_answer *a)
{
	/* Of a refusal the status will do. */
	return a->status && (a->status >= 300 || a->why->kind == ERR_NONE);
}

void auth_forget(struct http_fetch *fetch)
{
	const struct http_table *http;

	if (!fetch)
		return;
	http = module_table("http", HTTP_TABLE, NULL);
	http->fetch_abandon(fetch);
}

static void ask(struct auth_flow *f, const struct auth_question *q,
		auth_answered *fn)
{
	struct error why = { 0 };

	f->fetch = auth_ask(f->s, q, fn, f, &why);
	if (!f->fetch)
		fail(f, &why);
}

/* Where servers have nothing. They may send a browser elsewhere instead. */
static bool is_nothing(const struct http_answer *a)
{
	return a->status >= 300 && !status_is_passing(a->status);
}

/* Of a page that is there for every address, too. */
static bool is_document(const struct http_answer *a)
{
	CLEANUP(json_free_ptr) cJSON *tree = json_parse(a->body, a->len, NULL);

	return auth_came(a) && a->status == 200 && cJSON_IsObject(tree);
}

/* Neither a document nor nothing: also one that did not come whole. */
static bool is_trouble(const struct http_answer *a)
{
	const char *type = headers_get(a->headers, "Content-Type");

	if (a->status != 200)
		return !is_nothing(a);
	return !auth_came(a) && !(type && text_starts(type, "text/html"));
}

static void fail_answer(struct auth_flow *f, const struct http_answer *a,
			const char *of)
{
	struct error why = { 0 };

	if (a->why->kind != ERR_NONE) {
		error_copy(&why, a->why);
	} else {
		error_set(&why, ERR_PROTOCOL, "it answers with HTTP %d",
			  a->status);
		error_code(&why, a->status);
	}
	error_prefix(&why, "the metadata of %.200s cannot be had from '%.200s'",
		     of, f->places.word[f->place]);
	fail(f, &why);
}

static void ask_place(struct auth_flow *f, auth_answered *fn)
{
	const struct auth_question q = { .url = f->places.word[f->place] };

	ask(f, &q, fn);
}

static void set_places(struct auth_flow *f)
{
	words_done(&f->places);
	f->place = 0;
}

/* ---- the authorization server ---- */

static void on_server(void *owner, const struct http_answer *a);
static void choose_client(struct auth_flow *f);

static bool is_bound(const struct auth_flow *f)
{
	return f->s->client_id && !f->s->issuer && f->has_before &&
	       strcmp(f->before.client_id, f->s->client_id) == 0;
}

/* An id that was made by hand is for one issuer: another must not get it. */
static int refuse_bound(const struct auth_flow *f, const char *issuer,
			struct error *err)
{
	error_set(
		err, ERR_AUTH,
		f->described ?
			"'%.120s' now names another authorization server, '%.120s', and the client id was used with '%.120s'" :
			"'%.120s' is its own authorization server, '%.120s', and the client id was used with '%.120s'",
		f->s->server, issuer, f->before.issuer);
	if (f->described)
		return error_hint(
			err,
			"if it is meant for the new one: --oauth-issuer '%s'",
			issuer);
	return error_hint(
		err,
		"give the --oauth-issuer that it was used with; or, if it is meant for this one, 'mcpctl logout %s' forgets the other",
		f->s->name);
}

/* What an older server calls itself is known only now. */
static void begin_client(struct auth_flow *f)
{
	const char *own = f->server.issuer;
	struct error why = { 0 };

	if (f->described || !is_bound(f) ||
	    strcmp(f->before.issuer, own) == 0) {
		choose_client(f);
		return;
	}
	refuse_bound(f, own, &why);
	fail(f, &why);
}

static void next_issuer(struct auth_flow *f, struct error *why)
{
	const char *issuer;

	do {
		if (f->issuer >= f->issuers.count) {
			fail(f, why);
			return;
		}
		issuer = f->issuers.word[f->issuer++];
		error_reset(why);
	} while (auth_url_check(issuer, "the authorization server", f->local,
				why));
	set_places(f);
	server_metadata_places(&f->places, issuer);
	ask_place(f, on_server);
}

static void server_missing(struct auth_flow *f)
{
	const char *issuer = f->issuers.word[f->issuer - 1];
	struct error why = { 0 };

	if (!f->described) {
		server_metadata_assume(&f->server, issuer);
		begin_client(f);
		return;
	}
	error_set(&why, ERR_PROTOCOL,
		  "the authorization server '%.200s' has no metadata", issuer);
	error_hint(
		&why,
		"neither by RFC 8414 nor by OpenID Connect Discovery; tell who runs '%.150s'",
		f->s->server);
	next_issuer(f, &why);
}

/*
 * Nobody named an issuer to a client of 2025-03-26: a document at the root of
 * the server's own origin may call itself so, as long as it stays there. Yours.
 */
static char *issuer_of(const struct auth_flow *f, const struct http_answer *a)
{
	const char *known = f->issuers.word[f->issuer - 1];
	CLEANUP(json_free_ptr) cJSON *tree = json_parse(a->body, a->len, NULL);
	const char *told = json_string(tree, "issuer");
	CLEANUP(auth_url_done) struct auth_url own = { 0 }, its = { 0 };

	if (f->described || !told || auth_url_read(&own, known, "", NULL) ||
	    auth_url_read(&its, told, "", NULL) ||
	    strcmp(own.origin, its.origin) != 0)
		return mem_strdup(known);
	return mem_strdup(told);
}

static void on_server(void *owner, const struct http_answer *a)
{
	struct auth_flow *f = owner;
	struct error why = { 0 };

	f->fetch = NULL;
	if (is_document(a)) {
		CLEANUP(mem_free_ptr) char *issuer = issuer_of(f, a);

		if (server_metadata_read(&f->server, a->body, a->len, issuer,
					 f->local, &why))
			next_issuer(f, &why);
		else
			begin_client(f);
	} else if (is_trouble(a)) {
		fail_answer(f, a, "the authorization server");
	} else if (++f->place < f->places.count) {
		ask_place(f, on_server);
	} else {
		server_missing(f);
	}
}

/* ---- the resource ---- */

static int pick_issuer(struct auth_flow *f, struct error *err)
{
	const struct words *told = &f->resource.issuers;
	const char *wanted = f->s->issuer;

	for (size_t i = 0; i < told->count; i++) {
		if (!wanted || strcmp(told->word[i], wanted) == 0)
			words_add(&f->issuers, told->word[i]);
	}
	if (f->issuers.count)
		return 0;
	error_set(err, ERR_AUTH,
		  "'%.150s' does not name the authorization server '%.150s'",
		  f->s->server, wanted);
	return error_hint(err, "it names '%.200s' (--oauth-issuer)",
			  told->word[0]);
}

/* Nor is it for one that is named beside its own, where that is gone. */
static int pick_bound(struct auth_flow *f, struct error *err)
{
	if (!f->described || !is_bound(f))
		return 0;
	if (!words_has(&f->issuers, f->before.issuer))
		return refuse_bound(f, f->issuers.word[0], err);
	words_done(&f->issuers);
	words_add(&f->issuers, f->before.issuer);
	return 0;
}

static void begin_servers(struct auth_flow *f)
{
	struct error why = { 0 };

	if (pick_issuer(f, &why) || pick_bound(f, &why))
		fail(f, &why);
	else
		next_issuer(f, &why);
}

/* 2025-03-26: the server is its own authorization server, at its root. */
static void assume_own(struct auth_flow *f)
{
	CLEANUP(auth_url_done) struct auth_url u = { 0 };
	struct error why = { 0 };

	if (auth_url_read(&u, f->s->server, "the target", &why)) {
		fail(f, &why);
		return;
	}
	words_add(&f->resource.issuers, f->s->issuer ? f->s->issuer : u.origin);
	f->described = f->s->issuer != NULL;
	begin_servers(f);
}

static void on_resource(void *owner, const struct http_answer *a)
{
	struct auth_flow *f = owner;
	const bool guessed = !f->told_metadata;
	struct error why = { 0 };

	f->fetch = NULL;
	if (is_document(a)) {
		f->described = true;
		if (resource_metadata_read(&f->resource, a->body, a->len,
					   f->s->server, &why))
			fail(f, &why);
		else
			begin_servers(f);
	} else if (!guessed || is_trouble(a)) {
		fail_answer(f, a, "the resource");
	} else if (++f->place < f->places.count) {
		ask_place(f, on_resource);
	} else {
		assume_own(f);
	}
}

static void find_resource(struct auth_flow *f)
{
	struct error why = { 0 };

	if (!f->told_metadata) {
		resource_metadata_places(&f->places, f->s->server);
	} else if (auth_url_check(f->told_metadata, "resource_metadata",
				  f->local, &why)) {
		fail(f, &why);
		return;
	} else {
		words_add(&f->places, f->told_metadata);
	}
	ask_place(f, on_resource);
}

/* ---- what is asked for ---- */

static bool offers_refresh(const struct auth_flow *f)
{
	return f->server.grants_told ?
		       words_has(&f->server.grants, "refresh_token") :
		       f->server.assumed;
}

/* Of the challenge, else of the resource; with what was had before. */
static void choose_scope(struct auth_flow *f)
{
	const struct login_entry *b = &f->before;
	bool same = f->has_before && strcmp(b->issuer, f->server.issuer) == 0;
	const char *wanted = f->told_scope ? f->told_scope : f->resource.scopes;
	CLEANUP(mem_free_ptr) char *first = NULL, *kept = NULL;

	if (f->s->scope)
		wanted = f->s->scope;
	first = scope_union(wanted, f->step_up ? f->told_scope : NULL);
	kept = scope_union(same ? b->requested : NULL, first);
	if (kept && f->by_code &&
	    words_has(&f->server.scopes, "offline_access"))
		f->e.requested = scope_union(kept, "offline_access");
	else
		f->e.requested = TAKE(kept);
}

static void choose_resource(struct auth_flow *f)
{
	const char *told = f->resource.resource;

	f->e.resource = mem_strdup(told ? told : f->s->server);
}

static bool is_by_company(const struct auth_settings *s)
{
	return s->grant == GRANT_AUTO && s->idp_token;
}

bool auth_needs_nobody(const struct auth_settings *s)
{
	return s->grant == GRANT_CLIENT ||
	       (s->grant == GRANT_AUTO &&
		(s->key || s->client_secret || s->idp_token));
}

static bool is_by_code(const struct auth_flow *f)
{
	const struct server_metadata *m = &f->server;

	if (f->s->grant != GRANT_AUTO)
		return f->s->grant == GRANT_CODE;
	if (f->s->key || f->s->idp_token)
		return false;
	return !f->s->client_secret || !m->grants_told ||
	       words_has(&m->grants, "authorization_code");
}

static int check_code(const struct auth_flow *f, struct error *err)
{
	if (!f->server.authorization)
		return error_set(
			err, ERR_PROTOCOL,
			"the metadata of '%.150s' has no authorization_endpoint",
			f->server.issuer);
	if (f->user && f->user->can(f->user->owner))
		return 0;
	error_set(err, ERR_AUTH, "'%.200s' wants a login", f->s->server);
	return error_hint(err, "mcpctl login %s", f->s->name);
}

/* ---- the client ---- */

static void on_registered(void *owner, const struct http_answer *a);

static void use_client(struct auth_flow *f, const char *id, const char *secret,
		       enum client_proof proof)
{
	f->e.client_id = mem_strdup(id);
	f->e.client_secret = mem_strdup(secret);
	f->e.proof = proof;
	next_step(f);
}

static void use_given(struct auth_flow *f, const char *id)
{
	struct error why = { 0 };
	int proof = PROOF_KEY;

	if (!f->s->key)
		proof = client_proof_choose(&f->server,
					    f->s->client_secret != NULL, &why);
	if (proof < 0)
		fail(f, &why);
	else
		use_client(f, id, f->s->client_secret,
			   (enum client_proof)proof);
}

static void register_client(struct auth_flow *f)
{
	enum client_proof proof = client_proof_register(&f->server);
	CLEANUP(mem_free_ptr)
	char *body = registration_request(f->redirect_uri, f->e.requested,
					  proof, offers_refresh(f));
	const struct auth_question q = { .url = f->server.registration,
					 .body = body,
					 .len = strlen(body) };

	ask(f, &q, on_registered);
}

static void keep_client(struct auth_flow *f)
{
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(mem_free_ptr) char *line = NULL;

	f->client.port = redirect_port(f->redirect);
	if (!f->s->folder)
		return;
	if (f->s->make && f->s->make(f->s->folder, &why))
		error_prefix(&why, "the registration was not kept");
	else if (store_client_keep(f->s->folder, f->server.issuer, &f->client,
				   &why) == 0)
		return;
	line = error_line(&why);
	f->user->note(f->user->owner, line);
}

static void on_registered(void *owner, const struct http_answer *a)
{
	struct auth_flow *f = owner;
	struct error why = { 0 };

	f->fetch = NULL;
	if (!auth_came(a)) {
		error_copy(&why, a->why);
		error_prefix(&why, "this program could not be registered");
		fail(f, &why);
		return;
	}
	/* Not even that: nothing of OAuth is there, which needs no words. */
	if ((f->server.assumed && is_nothing(a)) ||
	    registration_read(&f->client, a->status,
			      (struct span){ a->body, a->len },
			      client_proof_register(&f->server),
			      f->server.issuer, &why)) {
		fail(f, &why);
		return;
	}
	keep_client(f);
	use_client(f, f->client.id, f->client.secret, f->client.proof);
}

static int no_client(const struct auth_flow *f, struct error *err)
{
	error_set(
		err, ERR_AUTH,
		"the authorization server '%.200s' lets no client register itself",
		f->server.issuer);
	return error_hint(
		err,
		"register mcpctl there (redirect URI http://127.0.0.1/callback), and give its id by --oauth-client-id%s",
		f->server.client_documents ?
			", or a document by --oauth-client-metadata-url" :
			"");
}

/* Opens the port that was registered, if it is free; else any. */
static int open_redirect(struct auth_flow *f, struct error *err);

static bool is_usable(const struct registration *r)
{
	return r->id && (!r->secret_expires_at ||
			 r->secret_expires_at > unix_now_ms() / 1000);
}

static int find_client(struct auth_flow *f, struct error *err)
{
	bool given = f->s->client_id || f->s->client_document;

	if (!given && f->s->folder && !f->again)
		store_client_find(&f->client, f->s->folder, f->server.issuer,
				  NULL);
	return open_redirect(f, err);
}

static void choose_registered(struct auth_flow *f)
{
	struct error why = { 0 };

	if (is_usable(&f->client) && f->client.port &&
	    f->client.port == redirect_port(f->redirect)) {
		f->kept_client = true;
		use_client(f, f->client.id, f->client.secret, f->client.proof);
	} else if (f->server.registration) {
		registration_done(&f->client);
		register_client(f);
	} else {
		no_client(f, &why);
		fail(f, &why);
	}
}

static void choose_client(struct auth_flow *f)
{
	const struct auth_settings *s = f->s;
	struct error why = { 0 };

	login_entry_done(&f->e);
	f->by_code = is_by_code(f);
	choose_scope(f);
	choose_resource(f);
	if (f->by_code && (check_code(f, &why) || find_client(f, &why))) {
		fail(f, &why);
	} else if (s->client_id) {
		use_given(f, s->client_id);
	} else if (s->client_document && f->server.client_documents) {
		use_given(f, s->client_document);
	} else if (f->by_code) {
		choose_registered(f);
	} else {
		error_set(&why, ERR_USAGE,
			  "whose secret or key it is was not said");
		error_hint(&why, "name the client by --oauth-client-id");
		fail(f, &why);
	}
}

/* ---- the token ---- */

/* An assertion is for the issuer, and no one else (RFC 7523). */
static int add_assertion(struct buf *form, const struct auth_settings *s,
			 const struct login_entry *e, struct error *err)
{
	const struct auth_table *auth = module_table("auth", AUTH_TABLE, err);
	const struct assertion a = { .client_id = e->client_id,
				     .audience = e->issuer,
				     .key = s->key,
				     .key_len = s->key_len,
				     .now = unix_now_ms() / 1000 };
	char *text = auth && s->key ? auth->assertion(&a, err) : NULL;

	if (!text)
		return auth && !s->key ?
			       error_set(
				       err, ERR_AUTH,
				       "the key of this login was not given (--oauth-private-key-file)") :
			       -1;
	form_add(form, "client_assertion_type",
		 "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
	form_add(form, "client_assertion", text);
	secret_free(text);
	return 0;
}

int auth_prove(struct buf *form, char **basic, const struct auth_settings *s,
	       const struct login_entry *e, struct error *err)
{
	const char *secret =
		e->client_secret ? e->client_secret : s->client_secret;

	*basic = NULL;
	if (e->proof == PROOF_BASIC && secret) {
		*basic = form_basic(e->client_id, secret);
		return 0;
	}
	form_add(form, "client_id", e->client_id);
	if (e->proof == PROOF_POST)
		form_add(form, "client_secret", secret);
	return e->proof == PROOF_KEY ? add_assertion(form, s, e, err) : 0;
}

void auth_take_token(struct login_entry *e, struct token_answer *t)
{
	const int64_t now = unix_now_ms() / 1000;

	secret_free(e->access);
	e->access = TAKE(t->access);
	if (t->refresh) {
		secret_free(e->refresh);
		e->refresh = TAKE(t->refresh);
	}
	if (t->scope) {
		mem_free(e->scope);
		e->scope = TAKE(t->scope);
	} else if (!e->scope) {
		e->scope = mem_strdup(e->requested);
	}
	e->obtained_at = now;
	e->expires_at = t->expires_in >= 0 ? now + t->expires_in : 0;
}

/* Once: what was stored is not known there any more, or the code was old. */
static bool may_begin_again(struct auth_flow *f, const char *code)
{
	bool unknown = strcmp(code, "invalid_client") == 0 && f->kept_client;
	bool old = strcmp(code, "invalid_grant") == 0 && f->by_code;

	if (f->again || (!unknown && !old))
		return false;
	if (unknown && f->s->folder)
		store_client_drop(f->s->folder, f->server.issuer);
	f->again = true;
	f->kept_client = f->came = false;
	redirect_close(TAKE(f->redirect));
	secret_free(TAKE(f->code));
	registration_done(&f->client);
	choose_client(f);
	return true;
}

static void add_clock(struct error *why)
{
	if (why->kind == ERR_AUTH && !*why->hint)
		error_hint(
			why,
			"is the key the one that is registered there, and the clock of this machine right?");
}

static void on_token(void *owner, const struct http_answer *a)
{
	struct auth_flow *f = owner;
	CLEANUP(token_answer_done) struct token_answer t = { 0 };
	struct error why = { 0 };
	int status;

	f->fetch = NULL;
	if (!auth_came(a)) {
		error_copy(&why, a->why);
		error_prefix(&why, "no token came");
		fail(f, &why);
		return;
	}
	status = token_answer_read(&t, a->status, a->body, a->len,
				   f->server.issuer, &why);
	if (status && may_begin_again(f, t.code)) {
		error_reset(&why);
		return;
	}
	if (status) {
		if (f->e.proof == PROOF_KEY)
			add_clock(&why);
		fail(f, &why);
		return;
	}
	f->e.server = mem_strdup(f->s->server);
	f->e.revocation_endpoint = mem_strdup(f->server.revocation);
	/* What the user keeps in a place of his own is not copied to ours. */
	if (f->s->client_secret)
		secret_free(TAKE(f->e.client_secret));
	auth_take_token(&f->e, &t);
	succeed(f);
}

static void add_grant(struct buf *form, const struct auth_flow *f)
{
	if (f->by_code) {
		form_add(form, "grant_type", "authorization_code");
		form_add(form, "code", f->code);
		form_add(form, "redirect_uri", f->redirect_uri);
		form_add(form, "code_verifier", f->verifier);
		return;
	}
	form_add(form, "grant_type",
		 f->grant ? "urn:ietf:params:oauth:grant-type:jwt-bearer" :
			    "client_credentials");
	form_add(form, "assertion", f->grant);
	form_add(form, "scope", f->e.requested);
}

static void ask_token(struct auth_flow *f)
{
	CLEANUP(secret_wipe) struct buf form = { 0 };
	CLEANUP(mem_free_ptr) char *basic = NULL;
	struct error why = { 0 };

	add_grant(&form, f);
	form_add(&form, "resource", f->e.resource);
	if (auth_prove(&form, &basic, f->s, &f->e, &why)) {
		fail(f, &why);
		return;
	}
	const struct auth_question q = { .url = f->server.token,
					 .body = form.data,
					 .len = form.len,
					 .basic = basic,
					 .form = true };
	ask(f, &q, on_token);
}

/* ---- the company (RFC 8693, then RFC 7523) ---- */

static void on_exchanged(void *owner, const struct http_answer *a)
{
	struct auth_flow *f = owner;
	struct error why = { 0 };

	f->fetch = NULL;
	if (!auth_came(a)) {
		error_copy(&why, a->why);
		error_prefix(&why, "the identity token was not exchanged");
		fail(f, &why);
	} else if (exchange_read(&f->grant, a->status,
				 (struct span){ a->body, a->len },
				 f->s->idp_endpoint, &why)) {
		if (why.kind == ERR_AUTH)
			error_hint(
				&why,
				"is the identity token still good, and meant for this program (--oauth-idp-token-file, --oauth-idp-client-id)?");
		fail(f, &why);
	} else {
		ask_token(f);
	}
}

/* What the user is there becomes what he may do at that server. */
static void ask_company(struct auth_flow *f)
{
	CLEANUP(secret_wipe) struct buf form = { 0 };
	struct error why = { 0 };

	if (auth_url_check(f->s->idp_endpoint,
			   "option '--oauth-idp-token-endpoint':", f->local,
			   &why)) {
		fail(f, &why);
		return;
	}
	exchange_form(&form, f->s->idp_token, f->s->idp_client_id);
	form_add(&form, "audience", f->server.issuer);
	form_add(&form, "resource", f->e.resource);
	form_add(&form, "scope", f->e.requested);
	const struct auth_question q = { .url = f->s->idp_endpoint,
					 .body = form.data,
					 .len = form.len,
					 .form = true };
	ask(f, &q, on_exchanged);
}

/* ---- the browser ---- */

static const char *on_redirect(void *owner, const char *query)
{
	struct auth_flow *f = owner;
	const struct redirect_rules rules = { .state = f->state ? f->state : "",
					      .issuer = f->server.issuer,
					      .tells_issuer =
						      f->server.tells_issuer };
	int status;

	if (f->over || !f->visiting || f->came)
		return "This login is over. You can close this page.";
	status = redirect_read(&f->code, query, &rules, &f->failed);
	if (status == 0)
		return "This is not the answer that mcpctl waits for.";
	f->came = true;
	/* Not amid the request: the page must get out. */
	timer_start(&f->timer, 0);
	return status > 0 ?
		       "You are logged in with mcpctl, as far as this page knows: see your terminal. You can close this page." :
		       "The login failed: your terminal says why. You can close this page.";
}

bool flow_paste(struct auth_flow *f, const char *text)
{
	const char *query = strchr(text, '?');
	CLEANUP(mem_free_ptr) char *copy = NULL;

	if (!f->visiting || f->came)
		return true;
	query = query ? query + 1 : text;
	copy = mem_strndup(query, strcspn(query, "# \t"));
	on_redirect(f, copy);
	return f->came;
}

void flow_refuse(struct auth_flow *f)
{
	if (f->over || f->came)
		return;
	error_set(&f->failed, ERR_AUTH, "the login was not made");
	error_hint(&f->failed, "later: mcpctl login %s", f->s->name);
	f->came = true;
	timer_start(&f->timer, 0);
}

static void time_over(struct auth_flow *f)
{
	struct error why = { 0 };
	char time[32];

	error_set(&why, ERR_TIMEOUT, "nobody came back from '%.200s' within %s",
		  f->server.issuer,
		  text_milliseconds(f->until, time, sizeof(time)));
	error_hint(
		&why,
		"--oauth-timeout waits longer; if its page showed an error, 'mcpctl logout %s' forgets what was registered there",
		f->s->name);
	fail(f, &why);
}

static void on_timer(void *owner)
{
	struct auth_flow *f = owner;
	struct error why = { 0 };

	if (!f->visiting && !f->came) {
		find_resource(f);
	} else if (!f->came) {
		time_over(f);
	} else if (f->failed.kind != ERR_NONE) {
		error_copy(&why, &f->failed);
		fail(f, &why);
	} else {
		end_visit(f);
		ask_token(f);
	}
}

static int open_redirect(struct auth_flow *f, struct error *err)
{
	if (f->client.port)
		redirect_open(&f->redirect, f->s->loop, f->client.port,
			      on_redirect, f, NULL);
	if (!f->redirect &&
	    redirect_open(&f->redirect, f->s->loop, 0, on_redirect, f, err))
		return -1;
	mem_free(f->redirect_uri);
	f->redirect_uri = mem_printf("http://127.0.0.1:%u" REDIRECT_PATH,
				     redirect_port(f->redirect));
	return 0;
}

static char *visit_url(struct auth_flow *f, const char *challenge)
{
	struct buf url = { 0 };

	buf_text(&url, f->server.authorization);
	buf_char(&url, strchr(f->server.authorization, '?') ? '&' : '?');
	form_add(&url, "response_type", "code");
	form_add(&url, "client_id", f->e.client_id);
	form_add(&url, "redirect_uri", f->redirect_uri);
	form_add(&url, "state", f->state);
	form_add(&url, "code_challenge", challenge);
	form_add(&url, "code_challenge_method", "S256");
	form_add(&url, "resource", f->e.resource);
	form_add(&url, "scope", f->e.requested);
	return buf_take(&url);
}

static int make_secrets(struct auth_flow *f, char **challenge,
			struct error *err)
{
	const struct auth_table *auth = module_table("auth", AUTH_TABLE, err);

	secret_free(TAKE(f->state));
	secret_free(TAKE(f->verifier));
	f->state = auth ? auth->nonce(NONCE_BYTES, err) : NULL;
	f->verifier = f->state ? auth->nonce(NONCE_BYTES, err) : NULL;
	*challenge = f->verifier ? auth->challenge(f->verifier, err) : NULL;
	return *challenge ? 0 : -1;
}

static void visit(struct auth_flow *f)
{
	CLEANUP(auth_url_done) struct auth_url u = { 0 };
	CLEANUP(mem_free_ptr) char *challenge = NULL, *url = NULL;
	struct error why = { 0 };

	if (make_secrets(f, &challenge, &why) ||
	    auth_url_read(&u, f->server.authorization, "authorization_endpoint",
			  &why)) {
		fail(f, &why);
		return;
	}
	url = visit_url(f, challenge);
	f->until = f->s->timeout ? f->s->timeout : LOGIN_TIMEOUT_MS;
	f->visiting = true;
	timer_start(&f->timer, f->until);
	const struct auth_visit v = {
		.url = url,
		.host = u.origin,
		.server = f->s->server,
		.first = !f->kept_client &&
			 !(f->has_before &&
			   strcmp(f->before.issuer, f->server.issuer) == 0),
	};
	f->user->visit(f->user->owner, &v);
}

/* The client is known. */
static void next_step(struct auth_flow *f)
{
	f->e.issuer = mem_strdup(f->server.issuer);
	f->e.token_endpoint = mem_strdup(f->server.token);
	secret_free(TAKE(f->grant));
	if (f->by_code)
		visit(f);
	else if (is_by_company(f->s))
		ask_company(f);
	else
		ask_token(f);
}

struct auth_flow *flow_start(const struct auth_settings *s,
			     const struct auth_user *user,
			     const struct auth_wish *wish, auth_flow_done *done,
			     void *owner)
{
	struct auth_flow *f = mem_zalloc(sizeof(*f));
	CLEANUP(auth_url_done) struct auth_url u = { 0 };

	f->s = s;
	f->user = user;
	f->done = done;
	f->owner = owner;
	f->told_metadata = mem_strdup(wish->metadata);
	f->told_scope = wish->scope && scope_fits(wish->scope) ?
				mem_strdup(wish->scope) :
				NULL;
	f->has_before = wish->before != NULL;
	f->step_up = wish->step_up;
	if (wish->before)
		login_entry_copy(&f->before, wish->before);
	f->local = auth_url_read(&u, s->server, "", NULL) == 0 && u.loopback;
	timer_open(&f->timer, s->loop, on_timer, f);
	timer_start(&f->timer, 0);
	return f;
}
