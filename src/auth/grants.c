/* SPDX-License-Identifier: MIT */
/* Requests and answers of OAuth. */
#include "auth/grants.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/secret_file.h"
#include "base/text.h"
#include "net/head.h"

#define SECRET_MAX 16384 /* bytes of a token, an id, a secret */
#define SHOWN_MAX 160 /* bytes of a server's words */

/* ---- how a client proves who it is ---- */

static const char *const proofs[] = {
	[PROOF_NONE] = "none",
	[PROOF_BASIC] = "client_secret_basic",
	[PROOF_POST] = "client_secret_post",
	[PROOF_KEY] = "private_key_jwt",
};

const char *client_proof_name(enum client_proof p)
{
	return proofs[p];
}

int client_proof_find(const char *name)
{
	for (size_t i = 0; name && i < COUNT(proofs); i++) {
		if (strcmp(proofs[i], name) == 0)
			return (int)i;
	}
	return -1;
}

static bool lists(const struct server_metadata *m, enum client_proof p)
{
	if (!m->methods_told)
		return p == PROOF_BASIC;
	return words_has(&m->methods, proofs[p]);
}

int client_proof_choose(const struct server_metadata *m, bool secret,
			struct error *err)
{
	/* A public client has nothing else, whatever the list says. */
	if (!secret)
		return PROOF_NONE;
	if (lists(m, PROOF_BASIC))
		return PROOF_BASIC;
	if (lists(m, PROOF_POST) || m->assumed)
		return PROOF_POST;
	error_set(
		err, ERR_AUTH,
		"the authorization server '%.150s' takes no client secret, neither by client_secret_basic nor by client_secret_post",
		m->issuer);
	return error_hint(
		err, "leave the secret out, or give --oauth-private-key-file");
}

enum client_proof client_proof_register(const struct server_metadata *m)
{
	if (lists(m, PROOF_NONE))
		return PROOF_NONE;
	if (lists(m, PROOF_BASIC))
		return PROOF_BASIC;
	return lists(m, PROOF_POST) ? PROOF_POST : PROOF_NONE;
}

/* ---- forms ---- */

#define UNRESERVED "-._~" /* RFC 3986, 2.3 */

void form_add(struct buf *out, const char *name, const char *value)
{
	if (!value)
		return;
	if (out->len && !strchr("?&", out->data[out->len - 1]))
		buf_char(out, '&');
	buf_printf(out, "%s=", name);
	text_percent_encode(out, value, UNRESERVED);
}

/* Each is encoded first (RFC 6749, 2.3.1): there may be a colon in it. */
char *form_basic(const char *id, const char *secret)
{
	CLEANUP(secret_wipe) struct buf both = { 0 };
	struct buf out = { 0 };

	text_percent_encode(&both, id, UNRESERVED);
	buf_char(&both, ':');
	text_percent_encode(&both, secret, UNRESERVED);
	buf_text(&out, "Basic ");
	text_base64_encode(&out, both.data, both.len);
	return buf_take(&out);
}

/* ---- answers ---- */

/* Words of a server for a message: no more than a line of them. */
static void add_words(struct buf *out, const cJSON *tree, const char *fallback)
{
	const char *error = json_string(tree, "error");
	const char *words = json_string(tree, "error_description");

	buf_text(out, ": ");
	buf_add_cut(out, error ? error : fallback,
		    strlen(error ? error : fallback), SHOWN_MAX);
	if (words && *words) {
		buf_text(out, " (");
		buf_add_cut(out, words, strlen(words), SHOWN_MAX);
		buf_char(out, ')');
	}
}

static void keep_code(char code[40], const cJSON *tree)
{
	const char *error = json_string(tree, "error");
	size_t len = error ? strlen(error) : 0;

	if (len && len < 40)
		memcpy(code, error, len + 1);
}

/* RFC 9110, RFC 6585. */
bool status_is_passing(int status)
{
	return status == 408 || status == 429 || status >= 500;
}

static int refuse(int status, const cJSON *tree, const char *host,
		  const char *what, struct error *err)
{
	CLEANUP(buf_done) struct buf words = { 0 };
	char number[24];

	snprintf(number, sizeof(number), "HTTP %d", status);
	add_words(&words, tree, number);
	error_set(err, status_is_passing(status) ? ERR_CONNECT : ERR_AUTH,
		  "'%.150s' gave no %s%s", host, what, buf_string(&words));
	return error_code(err, status);
}

static bool is_ok(int status)
{
	return status == 200 || status == 201;
}

/* A header carries it. */
static bool is_secret_text(const char *text)
{
	size_t len = 0;

	while (text && text[len] > 0x20 && text[len] < 0x7f)
		len++;
	return text && len > 0 && !text[len] && len <= SECRET_MAX;
}

static char *take_secret(const cJSON *tree, const char *name)
{
	const char *text = json_string(tree, name);

	return is_secret_text(text) ? mem_strdup(text) : NULL;
}

static int judge_token(const struct token_answer *t, const cJSON *tree,
		       const char *host, struct error *err)
{
	const char *type = json_string(tree, "token_type");

	if (!t->access)
		return error_set(
			err, ERR_PROTOCOL,
			"the answer of '%.150s' has no access_token that can be sent",
			host);
	if (!type || text_same(type, "bearer"))
		return 0;
	error_set(err, ERR_PROTOCOL,
		  "'%.150s' gave a token of the type '%.40s', not Bearer", host,
		  type);
	return error_hint(err, "no other type is spoken here");
}

int token_answer_read(struct token_answer *out, int status, const char *body,
		      size_t len, const char *host, struct error *err)
{
	CLEANUP(json_free_ptr) cJSON *tree = json_parse(body, len, NULL);
	const char *scope = json_string(tree, "scope");

	*out = (struct token_answer){ .expires_in = -1 };
	keep_code(out->code, tree);
	if (!is_ok(status) || json_string(tree, "error"))
		return refuse(status, tree, host, "token", err);
	out->access = take_secret(tree, "access_token");
	out->refresh = take_secret(tree, "refresh_token");
	out->scope = scope && scope_fits(scope) ? mem_strdup(scope) : NULL;
	if (json_integer(tree, "expires_in", &out->expires_in) ||
	    out->expires_in < 0 || out->expires_in > INT32_MAX)
		out->expires_in = -1;
	if (judge_token(out, tree, host, err) == 0)
		return 0;
	token_answer_done(out);
	return -1;
}

void token_answer_done(struct token_answer *t)
{
	secret_free(t->access);
	secret_free(t->refresh);
	mem_free(t->scope);
	*t = (struct token_answer){ 0 };
}

/* ---- exchanges ---- */

#define TOKEN_TYPE "urn:ietf:params:oauth:token-type:"

void exchange_form(struct buf *out, const char *identity, const char *client)
{
	form_add(out, "grant_type",
		 "urn:ietf:params:oauth:grant-type:token-exchange");
	form_add(out, "requested_token_type", TOKEN_TYPE "id-jag");
	form_add(out, "subject_token", identity);
	form_add(out, "subject_token_type", TOKEN_TYPE "id_token");
	form_add(out, "client_id", client);
}

int exchange_read(char **grant, int status, struct span body, const char *host,
		  struct error *err)
{
	CLEANUP(json_free_ptr)
	cJSON *tree = json_parse(body.text, body.len, NULL);
	const char *type = json_string(tree, "issued_token_type");

	*grant = NULL;
	if (!is_ok(status) || json_string(tree, "error"))
		return refuse(status, tree, host, "grant", err);
	if (!text_equal(type, TOKEN_TYPE "id-jag"))
		return error_set(
			err, ERR_PROTOCOL,
			"'%.150s' gave a token of the type '%.80s' in place of an identity assertion grant (id-jag)",
			host, type ? type : "");
	*grant = take_secret(tree, "access_token");
	return *grant ?
		       0 :
		       error_set(
			       err, ERR_PROTOCOL,
			       "the answer of '%.150s' has no access_token that can be sent",
			       host);
}

/* ---- registrations ---- */

char *registration_request(const char *redirect, const char *scope,
			   enum client_proof proof, bool refresh)
{
	struct buf out = { 0 };

	buf_text(&out, "{\"client_name\":\"mcpctl\",\"redirect_uris\":[");
	buf_json_string(&out, redirect, strlen(redirect));
	buf_printf(
		&out,
		"],\"grant_types\":[\"authorization_code\"%s],\"response_types\":[\"code\"],\"application_type\":\"native\",\"token_endpoint_auth_method\":\"%s\"",
		refresh ? ",\"refresh_token\"" : "", proofs[proof]);
	json_add_text(&out, "scope", scope);
	buf_char(&out, '}');
	return buf_take(&out);
}

static void take_registration(struct registration *r, const cJSON *tree,
			      enum client_proof asked)
{
	int proof = client_proof_find(
		json_string(tree, "token_endpoint_auth_method"));
	bool known = proof >= 0 && proof != PROOF_KEY;

	r->id = take_secret(tree, "client_id");
	r->secret = take_secret(tree, "client_secret");
	r->proof = known ? (enum client_proof)proof : asked;
	if (json_integer(tree, "client_secret_expires_at",
			 &r->secret_expires_at) ||
	    r->secret_expires_at < 0)
		r->secret_expires_at = 0;
}

int registration_read(struct registration *out, int status, struct span body,
		      enum client_proof asked, const char *host,
		      struct error *err)
{
	CLEANUP(json_free_ptr)
	cJSON *tree = json_parse(body.text, body.len, NULL);

	*out = (struct registration){ 0 };
	if (!is_ok(status) || json_string(tree, "error")) {
		refuse(status, tree, host, "registration", err);
		if (status_is_passing(status))
			return error_hint(err, "try again later");
		return error_hint(
			err,
			"register this program with that server by hand, and give --oauth-client-id");
	}
	take_registration(out, tree, asked);
	if (out->id && (out->secret || out->proof == PROOF_NONE))
		return 0;
	registration_done(out);
	return error_set(
		err, ERR_PROTOCOL,
		"the registration at '%.150s' has no client_id or client_secret that can be sent",
		host);
}

void registration_done(struct registration *r)
{
	mem_free(r->id);
	secret_free(r->secret);
	*r = (struct registration){ 0 };
}

/* ---- what the browser brings back ---- */

static bool is_ours(const char *query, const char *state)
{
	CLEANUP(mem_free_ptr) char *told = head_query_value(query, "state");

	return told && secret_same(told, strlen(told), state, strlen(state));
}

/* Before anything else is believed, an error too (RFC 9207, 2.4). */
static int judge_sender(const char *query, const struct redirect_rules *r,
			struct error *err)
{
	CLEANUP(mem_free_ptr) char *iss = head_query_value(query, "iss");

	if (iss ? strcmp(iss, r->issuer) == 0 : !r->tells_issuer)
		return 0;
	error_set(
		err, ERR_PROTOCOL,
		iss ? "what the browser brought back is of another authorization server than '%.150s'" :
		      "what the browser brought back does not say that it is of '%.150s'",
		r->issuer);
	return error_hint(
		err,
		"nothing of it was used (RFC 9207); a server in between may have tried to get the code");
}

static int denied(const char *query, const char *error,
		  const struct redirect_rules *r, struct error *err)
{
	CLEANUP(mem_free_ptr)
	char *words = head_query_value(query, "error_description");

	error_set(err, ERR_AUTH, "'%.150s' did not let you in: %.80s%s%.160s%s",
		  r->issuer, error, words ? " (" : "", words ? words : "",
		  words ? ")" : "");
	return -1;
}

int redirect_read(char **code, const char *query,
		  const struct redirect_rules *r, struct error *err)
{
	CLEANUP(mem_free_ptr) char *error = NULL;

	*code = NULL;
	if (!is_ours(query, r->state))
		return 0;
	if (judge_sender(query, r, err))
		return -1;
	error = head_query_value(query, "error");
	if (error)
		return denied(query, error, r, err);
	*code = head_query_value(query, "code");
	if (*code && **code)
		return 1;
	mem_free(TAKE(*code));
	return error_set(err, ERR_PROTOCOL,
			 "'%.150s' sent the browser back without a code",
			 r->issuer);
}
