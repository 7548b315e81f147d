/* SPDX-License-Identifier: MIT */
/*
 * Logins: from a refusal to a token, against servers that say what the test
 * wants; and tokens that are kept, renewed and got anew.
 */
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "auth/token_source.h"
#include "base/module.h"
#include "base/secret_file.h"
#include "folder.h"
#include "http_server.h"
#include "net/http.h"

/* Made for this test alone. */
#define KEY                                                                  \
	"-----BEGIN PRIVATE KEY-----\n"                                      \
	"MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgi6Sl72DRA2cNX6BU\n" \
	"iZPCS/v4//tNL5AAbfCvvvQlB+ahRANCAAS5MzAmzuDufyLoE78hbJ/1OAXPRKyY\n" \
	"nyPJXqL4FT/i08zQ1ey37jd7R7myg49gh4mTHIbO0843y6yqf+qCALaM\n"         \
	"-----END PRIVATE KEY-----\n"

/* What a server says to requests that begin so; @ is its address. */
struct page {
	const char *start;
	int status;
	const char *body;
};

static struct {
	struct loop *loop;
	struct web web;
	char *base, *mcp; /* http://127.0.0.1:N, and /mcp there */
	struct page page[16];
	struct auth_settings s;
	struct auth_flow *flow;
	struct token_source *source;
	/* the user */
	bool cannot, refuses, stays;
	const char *brings; /* behind the state */
	unsigned visits, lefts, notes;
	char *url, *host, *server, *note;
	bool first;
	/* how it ended */
	unsigned done;
	bool got;
	struct login_entry e;
	struct error why;
	enum bearer_verdict verdict;
} t;

/* ---- servers ---- */

/* text with the address of the server in place of each @; yours. */
static char *at_base(const char *text)
{
	struct buf out = { 0 };

	for (; *text; text++) {
		if (*text == '@')
			buf_text(&out, t.base);
		else
			buf_char(&out, *text);
	}
	return buf_take(&out);
}

static const char *page_type = "application/json";

static void serve(struct web_client *c, const char *request)
{
	for (size_t i = 0; i < COUNT(t.page) && t.page[i].start; i++) {
		CLEANUP(mem_free_ptr) char *body = NULL;

		if (!text_starts(request, t.page[i].start))
			continue;
		body = at_base(t.page[i].body);
		web_reply(c, t.page[i].status, "", page_type, body);
		return;
	}
	web_reply(c, 404, "", "text/plain", "");
}

/* In front of those that there are. */
static void page(const char *start, int status, const char *body)
{
	memmove(&t.page[1], &t.page[0], sizeof(t.page) - sizeof(t.page[0]));
	t.page[0] = (struct page){ start, status, body };
}

/* The one in front. */
static void drop_page(void)
{
	memmove(&t.page[0], &t.page[1], sizeof(t.page) - sizeof(t.page[0]));
}

#define WELL_KNOWN "GET /.well-known/"
#define RESOURCE WELL_KNOWN "oauth-protected-resource/mcp "
#define SERVER WELL_KNOWN "oauth-authorization-server/as "
#define SERVER_DOC(more)                                                       \
	"{\"issuer\":\"@/as\",\"authorization_endpoint\":\"@/as/go?k=1\","     \
	"\"token_endpoint\":\"@/as/token\",\"revocation_endpoint\":\"@/as/r\"" \
	",\"code_challenge_methods_supported\":[\"S256\"]" more "}"
#define REGISTERS ",\"registration_endpoint\":\"@/as/register\""
#define PUBLIC ",\"token_endpoint_auth_methods_supported\":[\"none\"]"
#define TOKEN "POST /as/token "
#define REGISTER "POST /as/register "

/* All that a login needs. */
static void good_pages(void)
{
	page(RESOURCE, 200,
	     "{\"resource\":\"@/mcp\",\"authorization_servers\":[\"@/as\"],"
	     "\"scopes_supported\":[\"read\"]}");
	page(SERVER, 200, SERVER_DOC(REGISTERS PUBLIC));
	page(REGISTER, 201, "{\"client_id\":\"c:1\"}");
	page(TOKEN, 200,
	     "{\"access_token\":\"at-1\",\"token_type\":\"Bearer\","
	     "\"refresh_token\":\"rt-1\",\"expires_in\":60}");
}

/* The request that came as that number begins so. */
static const char *asked(size_t index, const char *start)
{
	const char *request;

	if (t.web.requests.count <= index)
		fail_msg("request %zu (%s) did not come", index, start);
	request = t.web.requests.word[index];
	if (!text_starts(request, start))
		fail_msg("request %zu is not '%s' but '%.60s'", index, start,
			 request);
	return request;
}

/* ---- the user ---- */

static bool can(void *owner)
{
	(void)owner;
	return !t.cannot;
}

static void keep_text(char **to, const char *text)
{
	mem_free(*to);
	*to = mem_strdup(text);
}

static struct auth_flow *flow_now(void)
{
	return t.source ? token_source_flow(t.source) : t.flow;
}

static void visit(void *owner, const struct auth_visit *v)
{
	CLEANUP(mem_free_ptr) char *back = NULL;
	const char *state = strstr(v->url, "&state=");

	(void)owner;
	t.visits++;
	t.first = v->first;
	keep_text(&t.url, v->url);
	keep_text(&t.host, v->host);
	keep_text(&t.server, v->server);
	assert_non_null(state);
	if (t.refuses)
		flow_refuse(flow_now());
	if (t.refuses || t.stays)
		return;
	assert_false(flow_paste(flow_now(), "code=x&state=wrong"));
	state += strlen("&state=");
	back = mem_printf("http://127.0.0.1:1/callback?state=%.*s&%s#x",
			  (int)strcspn(state, "&"), state, t.brings);
	assert_true(flow_paste(flow_now(), back));
}

static void left(void *owner)
{
	(void)owner;
	t.lefts++;
}

static void note(void *owner, const char *text)
{
	(void)owner;
	t.notes++;
	keep_text(&t.note, text);
}

static const struct auth_user user = {
	.can = can, .visit = visit, .left = left, .note = note
};

/* ---- a test's life ---- */

static int set_up(void **state)
{
	struct error err = { 0 };

	(void)state;
	memset(&t, 0, sizeof(t));
	assert_non_null(module_table("http", HTTP_TABLE, &err));
	assert_int_equal(loop_new(&t.loop, &err), 0);
	web_open(&t.web, t.loop);
	t.web.answer = serve;
	t.base = mem_printf("http://127.0.0.1:%u", (unsigned)t.web.port);
	t.mcp = mem_printf("%s/mcp", t.base);
	t.brings = "code=the-code";
	t.s = (struct auth_settings){ .server = t.mcp,
				      .name = "shop",
				      .loop = t.loop };
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	token_source_free(t.source);
	web_close(&t.web);
	loop_free(t.loop);
	login_entry_done(&t.e);
	error_reset(&t.why);
	mem_free(t.base);
	mem_free(t.mcp);
	mem_free(t.url);
	mem_free(t.host);
	mem_free(t.server);
	mem_free(t.note);
	return 0;
}

static void wait_done(void)
{
	const bool never = false;

	for (size_t turns = 0; !t.done; turns++) {
		if (turns > 100000)
			fail_msg("it does not end");
		loop_wait(t.loop, &never, loop_now() + 2, NULL);
	}
}

static void on_done(void *owner, struct login_entry *e, const struct error *why)
{
	(void)owner;
	t.done++;
	t.flow = NULL;
	t.got = e;
	if (e)
		login_entry_copy(&t.e, e);
	error_copy(&t.why, why);
}

static void log_in(const struct auth_wish *wish)
{
	static const struct auth_wish plain;

	t.done = 0;
	login_entry_done(&t.e);
	words_done(&t.web.requests);
	t.flow = flow_start(&t.s, &user, wish ? wish : &plain, on_done, NULL);
	wait_done();
	assert_int_equal(t.lefts, t.visits);
}

static void succeeds(const struct auth_wish *wish)
{
	log_in(wish);
	if (!t.got)
		fail_msg("%s; %s", t.why.text, t.why.hint);
}

/* hint NULL: it is of no interest. */
static void fails(enum error_kind kind, const char *text, const char *hint)
{
	CLEANUP(mem_free_ptr) char *whole = at_base(text);

	log_in(NULL);
	assert_false(t.got);
	assert_int_equal(t.why.kind, kind);
	if (!strstr(t.why.text, whole))
		fail_msg("not '%s' but '%s'", whole, t.why.text);
	if (hint && !strstr(t.why.hint, hint))
		fail_msg("not '%s' but '%s'", hint, t.why.hint);
}

static void is_at(const char *got, const char *want)
{
	CLEANUP(mem_free_ptr) char *whole = at_base(want);

	assert_non_null(got);
	assert_string_equal(got, whole);
}

/* The value of a member of a form, as it stands there; yours; NULL. */
static char *member_of(const char *form, const char *name)
{
	CLEANUP(mem_free_ptr) char *start = mem_printf("%s=", name);
	const char *at = form;

	while (at && !text_starts(at, start)) {
		at = strchr(at, '&');
		at = at ? at + 1 : NULL;
	}
	if (!at)
		return NULL;
	at += strlen(start);
	return mem_strndup(at, strcspn(at, "& \r\n"));
}

static void has_member(const char *form, const char *name, const char *value)
{
	CLEANUP(mem_free_ptr) char *found = member_of(form, name);

	if (!found && value)
		fail_msg("no %s in '%s'", name, form);
	if (!value)
		assert_null(found);
	else
		assert_string_equal(found, value);
}

/* http://127.0.0.1:N and what is behind it, percent-encoded; yours. */
static char *encoded(const char *behind)
{
	return mem_printf("http%%3A%%2F%%2F127.0.0.1%%3A%u%s",
			  (unsigned)t.web.port, behind);
}

/* ---- flows ---- */

static void each_step_of_a_login(void **state)
{
	CLEANUP(mem_free_ptr) char *resource = encoded("%2Fmcp");
	CLEANUP(mem_free_ptr) char *verifier = NULL, *back = NULL;
	const char *rq;

	(void)state;
	good_pages();
	succeeds(NULL);
	assert_int_equal(t.web.requests.count, 4);
	rq = asked(0, RESOURCE);
	web_has(rq, "Accept", "application/json");
	web_has(rq, "Content-Type", "");
	asked(1, SERVER);
	rq = asked(2, REGISTER);
	web_has(rq, "Content-Type", "application/json");
	assert_non_null(strstr(web_body(rq), ",\"scope\":\"read\"}"));
	assert_non_null(strstr(web_body(rq),
			       "\"grant_types\":[\"authorization_code\"],"));
	assert_non_null(strstr(web_body(rq),
			       "{\"client_name\":\"mcpctl\",\"redirect_uris\":"
			       "[\"http://127.0.0.1:"));
	rq = asked(3, TOKEN);
	web_has(rq, "Content-Type", "application/x-www-form-urlencoded");
	web_has(rq, "Authorization", "");
	rq = web_body(rq);
	has_member(rq, "grant_type", "authorization_code");
	has_member(rq, "code", "the-code");
	has_member(rq, "resource", resource);
	has_member(rq, "client_id", "c%3A1");
	has_member(rq, "scope", NULL);
	verifier = member_of(rq, "code_verifier");
	assert_int_equal(strlen(verifier), 43);
	back = member_of(rq, "redirect_uri");
	assert_non_null(strstr(back, "%2Fcallback"));
	/* Where the user was sent. */
	assert_int_equal(t.visits, 1);
	assert_true(t.first);
	is_at(t.host, "@");
	is_at(t.server, "@/mcp");
	assert_true(text_starts(t.url, t.base));
	assert_non_null(strstr(t.url, "/as/go?k=1&response_type=code&"));
	has_member(t.url, "client_id", "c%3A1");
	has_member(t.url, "redirect_uri", back);
	has_member(t.url, "code_challenge_method", "S256");
	has_member(t.url, "resource", resource);
	has_member(t.url, "scope", "read");
	assert_null(strstr(t.url, verifier));
	/* What is to be kept. */
	is_at(t.e.server, "@/mcp");
	is_at(t.e.issuer, "@/as");
	is_at(t.e.resource, "@/mcp");
	is_at(t.e.token_endpoint, "@/as/token");
	is_at(t.e.revocation_endpoint, "@/as/r");
	assert_string_equal(t.e.client_id, "c:1");
	assert_null(t.e.client_secret);
	assert_string_equal(t.e.access, "at-1");
	assert_string_equal(t.e.refresh, "rt-1");
	assert_string_equal(t.e.scope, "read");
	assert_string_equal(t.e.requested, "read");
	assert_int_equal(t.e.expires_at - t.e.obtained_at, 60);
	assert_true(t.e.obtained_at > 1700000000);
}

/* The challenge says where; the first server that it names is broken. */
static void the_next_server_is_asked(void **state)
{
	CLEANUP(mem_free_ptr) char *where = at_base("@/meta?x=1");
	const struct auth_wish wish = { .metadata = where,
					.scope = "read admin" };

	(void)state;
	good_pages();
	page("GET /meta?x=1 ", 200,
	     "{\"resource\":\"@\",\"authorization_servers\":["
	     "\"http://10.0.0.1/as\",\"@/other\",\"@/none\",\"@/as\"]}");
	page(WELL_KNOWN "oauth-authorization-server/other ", 200,
	     SERVER_DOC(""));
	succeeds(&wish);
	assert_int_equal(t.web.requests.count, 8);
	asked(0, "GET /meta?x=1 ");
	asked(1, WELL_KNOWN "oauth-authorization-server/other ");
	asked(2, WELL_KNOWN "oauth-authorization-server/none ");
	asked(3, WELL_KNOWN "openid-configuration/none ");
	asked(4, "GET /none/.well-known/openid-configuration ");
	asked(5, SERVER);
	is_at(t.e.resource, "@");
	assert_string_equal(t.e.requested, "read admin");
}

/* 2025-03-26: the server is its own authorization server. */
static void older_servers(void **state)
{
	(void)state;
	page("POST /register ", 200, "{\"client_id\":\"old\"}");
	page("POST /token ", 200, "{\"access_token\":\"a\",\"scope\":\"s\"}");
	succeeds(NULL);
	asked(0, RESOURCE);
	asked(1, WELL_KNOWN "oauth-protected-resource ");
	asked(2, WELL_KNOWN "oauth-authorization-server ");
	asked(3, WELL_KNOWN "openid-configuration ");
	assert_non_null(
		strstr(asked(4, "POST /register "), "\"refresh_token\""));
	asked(5, "POST /token ");
	assert_int_equal(t.web.requests.count, 6);
	assert_non_null(strstr(t.url, "/authorize?response_type=code"));
	is_at(t.e.issuer, "@");
	is_at(t.e.resource, "@/mcp");
	assert_string_equal(t.e.scope, "s");
	assert_null(t.e.requested);
	assert_int_equal(t.e.expires_at, 0);
	/* Its document calls it otherwise, at the same place. */
	page(WELL_KNOWN "oauth-authorization-server ", 200,
	     SERVER_DOC(REGISTERS));
	page(REGISTER, 200, "{\"client_id\":\"new\",\"client_secret\":\"x\"}");
	page(TOKEN, 200, "{\"access_token\":\"b\"}");
	succeeds(NULL);
	is_at(t.e.issuer, "@/as");
	assert_string_equal(t.e.client_id, "new");
	assert_string_equal(t.e.client_secret, "x");
	/* Elsewhere it must not be. */
	page(WELL_KNOWN "oauth-authorization-server ", 200,
	     "{\"issuer\":\"https://evil.example/as\"}");
	fails(ERR_PROTOCOL, "is of another one, 'https://evil.example/as'",
	      "RFC 8414");
	/* Nothing of OAuth is there: no words. */
	memset(t.page, 0, sizeof(t.page));
	fails(ERR_NONE, "", NULL);
	assert_int_equal(t.web.requests.count, 5);
}

static void documents_that_cannot_be_had(void **state)
{
	CLEANUP(mem_free_ptr) char *where = at_base("@/meta");
	const struct auth_wish told = { .metadata = where };
	const struct auth_wish plain = { .metadata = "http://10.0.0.1/meta" };

	(void)state;
	page(RESOURCE, 500, "");
	fails(ERR_PROTOCOL,
	      "the metadata of the resource cannot be had from "
	      "'@/.well-known/oauth-protected-resource/mcp': "
	      "it answers with HTTP 500",
	      NULL);
	assert_int_equal(t.why.code, 500);
	assert_int_equal(t.web.requests.count, 1);
	log_in(&told);
	assert_non_null(strstr(t.why.text, "/meta': it answers with HTTP 404"));
	log_in(&plain);
	assert_string_equal(
		t.why.text,
		"resource_metadata 'http://10.0.0.1/meta' is plain http");
	assert_int_equal(t.web.requests.count, 0);
	good_pages();
	page(SERVER, 503, "");
	fails(ERR_PROTOCOL,
	      "the metadata of the authorization server cannot be had from "
	      "'@/.well-known/oauth-authorization-server/as': "
	      "it answers with HTTP 503",
	      NULL);
	page(SERVER, 404, "");
	fails(ERR_PROTOCOL, "the authorization server '@/as' has no metadata",
	      "neither by RFC 8414 nor by OpenID Connect Discovery");
	/* Pages that are there for every address are none. */
	page(SERVER, 200, "<html>");
	page(WELL_KNOWN "openid-configuration/as ", 200, "[]");
	fails(ERR_PROTOCOL, "the authorization server '@/as' has no metadata",
	      NULL);
	assert_int_equal(t.web.requests.count, 4);
	page(SERVER, 200, "{\"issuer\":\"@/as\"}");
	fails(ERR_PROTOCOL, "the metadata of '@/as' has no token_endpoint",
	      NULL);
	page(RESOURCE, 200, "{}");
	fails(ERR_PROTOCOL, "names no authorization server", NULL);
}

static void what_the_user_does(void **state)
{
	(void)state;
	good_pages();
	t.cannot = true;
	fails(ERR_AUTH, "'@/mcp' wants a login", "mcpctl login shop");
	assert_int_equal(t.web.requests.count, 2);
	t.cannot = false;
	t.refuses = true;
	fails(ERR_AUTH, "the login was not made", "later: mcpctl login shop");
	assert_int_equal(t.visits, 1);
	t.refuses = false;
	t.stays = true;
	t.s.timeout = 1;
	fails(ERR_TIMEOUT, "nobody came back from '@/as' within 1 ms",
	      "'mcpctl logout shop' forgets");
	t.stays = false;
	t.s.timeout = 0;
	t.brings = "error=access_denied&error_description=no%20way";
	fails(ERR_AUTH, "'@/as' did not let you in: access_denied (no way)",
	      NULL);
	t.brings = "code=";
	fails(ERR_PROTOCOL, "'@/as' sent the browser back without a code",
	      NULL);
	t.brings = "code=c&iss=https%3A%2F%2Fevil";
	fails(ERR_PROTOCOL, "of another authorization server than '@/as'",
	      "RFC 9207");
	assert_null(flow_now());
}

static void which_client_it_is(void **state)
{
	(void)state;
	good_pages();
	page(SERVER, 200, SERVER_DOC(PUBLIC));
	fails(ERR_AUTH,
	      "the authorization server '@/as' lets no client register itself",
	      "by --oauth-client-id");
	assert_null(strstr(t.why.hint, "--oauth-client-metadata-url"));
	page(SERVER, 200,
	     SERVER_DOC(PUBLIC
			",\"client_id_metadata_document_supported\":true"));
	fails(ERR_AUTH, "lets no client", "--oauth-client-metadata-url");
	t.s.client_document = "https://me/doc";
	succeeds(NULL);
	assert_string_equal(t.e.client_id, "https://me/doc");
	assert_int_equal(t.web.requests.count, 3);
	t.s.client_id = "mine";
	succeeds(NULL);
	assert_string_equal(t.e.client_id, "mine");
	/* With a secret; which is not copied to our files. */
	t.s.client_secret = "p:w";
	t.s.grant = GRANT_CODE;
	page(SERVER, 200, SERVER_DOC(""));
	succeeds(NULL);
	assert_int_equal(t.e.proof, PROOF_BASIC);
	assert_null(t.e.client_secret);
	web_has(asked(2, TOKEN), "Authorization", "Basic bWluZTpwJTNBdw==");
	has_member(web_body(asked(2, TOKEN)), "client_id", NULL);
	page(SERVER, 200,
	     SERVER_DOC(",\"token_endpoint_auth_methods_supported\":"
			"[\"client_secret_post\"]"));
	succeeds(NULL);
	assert_int_equal(t.e.proof, PROOF_POST);
	has_member(web_body(asked(2, TOKEN)), "client_id", "mine");
	has_member(web_body(asked(2, TOKEN)), "client_secret", "p%3Aw");
	page(SERVER, 200,
	     SERVER_DOC(",\"token_endpoint_auth_methods_supported\":"
			"[\"private_key_jwt\"]"));
	fails(ERR_AUTH, "'@/as' takes no client secret",
	      "--oauth-private-key-file");
	/* A server without such a page is for programs alone. */
	t.s.client_secret = NULL;
	page(SERVER, 200,
	     "{\"issuer\":\"@/as\",\"token_endpoint\":\"@/as/token\"}");
	fails(ERR_PROTOCOL,
	      "the metadata of '@/as' has no authorization_endpoint", NULL);
}

/* By its own right, without a browser. */
static void a_client_for_itself(void **state)
{
	(void)state;
	good_pages();
	page(SERVER, 200,
	     SERVER_DOC(",\"grant_types_supported\":[\"client_credentials\"]"));
	t.cannot = true;
	assert_false(auth_needs_nobody(&t.s));
	t.s.grant = GRANT_CLIENT;
	assert_true(auth_needs_nobody(&t.s));
	fails(ERR_USAGE, "whose secret or key it is was not said",
	      "--oauth-client-id");
	/* That there is a secret says so, too. */
	t.s.grant = GRANT_AUTO;
	t.s.client_secret = "pw";
	assert_true(auth_needs_nobody(&t.s));
	t.s.client_id = "mine";
	succeeds(NULL);
	assert_int_equal(t.visits, 0);
	has_member(web_body(asked(2, TOKEN)), "grant_type",
		   "client_credentials");
	has_member(web_body(asked(2, TOKEN)), "scope", "read");
	has_member(web_body(asked(2, TOKEN)), "assertion", NULL);
	has_member(web_body(asked(2, TOKEN)), "code", NULL);
	assert_null(t.e.client_secret);
	/* Where codes are given, a secret is for them. */
	page(SERVER, 200,
	     SERVER_DOC(",\"grant_types_supported\":[\"authorization_code\"]"));
	fails(ERR_AUTH, "wants a login", NULL);
	t.s.grant = GRANT_CODE;
	assert_false(auth_needs_nobody(&t.s));
}

static void a_company_for_its_user(void **state)
{
	CLEANUP(mem_free_ptr) char *where = at_base("@/idp");
	CLEANUP(mem_free_ptr) char *audience = encoded("%2Fas");
	CLEANUP(mem_free_ptr) char *resource = encoded("%2Fmcp");
	const char *rq;

	(void)state;
	good_pages();
	page("POST /idp ", 200,
	     "{\"access_token\":\"grant-1\",\"issued_token_type\":"
	     "\"urn:ietf:params:oauth:token-type:id-jag\"}");
	t.cannot = true;
	t.s.client_id = "mine";
	t.s.idp_endpoint = where;
	t.s.idp_client_id = "desk";
	t.s.idp_token = "id-1";
	assert_true(auth_needs_nobody(&t.s));
	succeeds(NULL);
	rq = asked(2, "POST /idp ");
	web_has(rq, "Content-Type", "application/x-www-form-urlencoded");
	has_member(web_body(rq), "audience", audience);
	has_member(web_body(rq), "resource", resource);
	has_member(web_body(rq), "scope", "read");
	has_member(web_body(rq), "subject_token", "id-1");
	has_member(web_body(rq), "client_id", "desk");
	rq = web_body(asked(3, TOKEN));
	has_member(rq, "grant_type",
		   "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer");
	has_member(rq, "assertion", "grant-1");
	has_member(rq, "scope", "read");
	has_member(rq, "client_id", "mine");
	page("POST /idp ", 400, "{\"error\":\"invalid_grant\"}");
	fails(ERR_AUTH, "'@/idp' gave no grant: invalid_grant",
	      "--oauth-idp-token-file");
	/* Trouble there says nothing of the token. */
	page("POST /idp ", 503, "");
	fails(ERR_CONNECT, "'@/idp' gave no grant: HTTP 503", NULL);
	assert_string_equal(t.why.hint, "");
	t.s.idp_endpoint = "http://idp.example/";
	fails(ERR_PROTOCOL, "option '--oauth-idp-token-endpoint':", NULL);
}

/* ---- scopes ---- */

static void which_scopes(void **state)
{
	struct login_entry before = { 0 };
	struct auth_wish wish = { .scope = "write" };

	(void)state;
	good_pages();
	before.issuer = at_base("@/as");
	before.client_id = mem_strdup("c");
	before.requested = mem_strdup("old");
	succeeds(&wish);
	assert_string_equal(t.e.requested, "write");
	/* A scope that no request could hold is none. */
	wish.scope = "a\"b";
	succeeds(&wish);
	assert_string_equal(t.e.requested, "read");
	wish.scope = "write";
	wish.before = &before;
	succeeds(&wish);
	assert_string_equal(t.e.requested, "old write");
	assert_false(t.first);
	t.s.scope = "mine";
	succeeds(&wish);
	assert_string_equal(t.e.requested, "old mine");
	wish.step_up = true;
	succeeds(&wish);
	assert_string_equal(t.e.requested, "old mine write");
	/* What was had elsewhere is not asked for here. */
	mem_free(before.issuer);
	before.issuer = mem_strdup("https://elsewhere");
	succeeds(&wish);
	assert_string_equal(t.e.requested, "mine write");
	assert_true(t.first);
	page(SERVER, 200,
	     SERVER_DOC(REGISTERS PUBLIC
			",\"scopes_supported\":[\"offline_access\"]"));
	succeeds(NULL);
	assert_string_equal(t.e.requested, "mine offline_access");
	login_entry_done(&before);
}

/* ---- ids, and whom they are for ---- */

static void an_id_is_for_its_issuer(void **state)
{
	struct login_entry before = { 0 };
	const struct auth_wish wish = { .before = &before };
	CLEANUP(mem_free_ptr) char *issuer = at_base("@/as");

	(void)state;
	good_pages();
	t.s.issuer = "https://nobody";
	fails(ERR_AUTH,
	      "'@/mcp' does not name the authorization server 'https://nobody'",
	      "/as' (--oauth-issuer)");
	t.s.issuer = NULL;
	t.s.client_id = "mine";
	before.issuer = mem_strdup("https://elsewhere");
	before.client_id = mem_strdup("mine");
	log_in(&wish);
	assert_false(t.got);
	assert_int_equal(t.why.kind, ERR_AUTH);
	assert_non_null(strstr(t.why.text, "the client id was used with "
					   "'https://elsewhere'"));
	assert_non_null(strstr(t.why.hint, "/as'"));
	assert_int_equal(t.web.requests.count, 1);
	/* The user says that it is meant. */
	t.s.issuer = issuer;
	succeeds(&wish);
	t.s.issuer = NULL;
	t.s.client_id = "another";
	succeeds(&wish);
	login_entry_done(&before);
}

/* Nor does another server that is named get it, where its own has gone. */
static void an_id_goes_to_no_other(void **state)
{
	struct login_entry before = { 0 };
	const struct auth_wish wish = { .before = &before };

	(void)state;
	good_pages();
	page(RESOURCE, 200,
	     "{\"authorization_servers\":[\"@/gone\",\"@/as\"]}");
	t.s.client_id = "mine";
	before.issuer = at_base("@/gone");
	before.client_id = mem_strdup("mine");
	log_in(&wish);
	assert_false(t.got);
	assert_int_equal(t.visits, 0);
	assert_int_equal(t.why.kind, ERR_PROTOCOL);
	assert_non_null(strstr(t.why.text, "/gone' has no metadata"));
	assert_int_equal(t.web.requests.count, 4);
	/* Its own is the one, wherever in the list it stands. */
	page(RESOURCE, 200,
	     "{\"authorization_servers\":[\"@/as\",\"@/gone\"]}");
	log_in(&wish);
	assert_false(t.got);
	assert_non_null(strstr(t.why.text, "/gone' has no metadata"));
	/* Of an id that was used nowhere yet, each may be the one. */
	mem_free(before.client_id);
	before.client_id = mem_strdup("another");
	succeeds(&wish);
	is_at(t.e.issuer, "@/as");
	login_entry_done(&before);
}

/* One of 2025-03-26 that has a name of its own is the same one again. */
static void an_id_at_an_older_server(void **state)
{
	struct login_entry before = { 0 };
	const struct auth_wish wish = { .before = &before };

	(void)state;
	page(WELL_KNOWN "oauth-authorization-server ", 200, SERVER_DOC(""));
	page(TOKEN, 200, "{\"access_token\":\"b\"}");
	t.s.client_id = "mine";
	succeeds(NULL);
	login_entry_copy(&before, &t.e);
	is_at(before.issuer, "@/as");
	succeeds(&wish);
	is_at(t.e.issuer, "@/as");
	/* What was used elsewhere is not for it. */
	mem_free(before.issuer);
	before.issuer = mem_strdup("https://elsewhere");
	log_in(&wish);
	assert_false(t.got);
	assert_non_null(strstr(t.why.text,
			       "/as', and the client id was used with "
			       "'https://elsewhere'"));
	/* It has no metadata that --oauth-issuer would find. */
	assert_non_null(strstr(t.why.text, "is its own authorization server"));
	assert_non_null(strstr(t.why.hint, "'mcpctl logout shop'"));
	assert_null(strstr(t.why.hint, "--oauth-issuer '"));
	login_entry_done(&before);
}

/* ---- once more ---- */

static const char *again_code; /* what the first token question gets */

static void refuse_once(struct web_client *c, const char *request)
{
	CLEANUP(mem_free_ptr) char *body = NULL;

	if (!again_code || !text_starts(request, TOKEN)) {
		serve(c, request);
		return;
	}
	body = mem_printf("{\"error\":\"%s\"}", again_code);
	again_code = NULL;
	web_reply(c, 400, "", "application/json", body);
}

static void a_second_try(void **state)
{
	(void)state;
	good_pages();
	t.web.answer = refuse_once;
	again_code = "invalid_grant";
	succeeds(NULL);
	assert_int_equal(t.visits, 2);
	assert_int_equal(t.web.requests.count, 6);
	asked(3, TOKEN);
	asked(4, REGISTER);
	asked(5, TOKEN);
	/* Nobody stored it: it is not asked anew. */
	again_code = "invalid_client";
	fails(ERR_AUTH, "'@/as' gave no token: invalid_client", NULL);
	assert_int_equal(t.visits, 3);
	page(TOKEN, 400, "{\"error\":\"invalid_grant\"}");
	fails(ERR_AUTH, "'@/as' gave no token: invalid_grant", NULL);
	assert_int_equal(t.visits, 5);
	page(TOKEN, 503, "");
	fails(ERR_CONNECT, "'@/as' gave no token: HTTP 503", NULL);
	assert_int_equal(t.why.code, 503);
	page(REGISTER, 403, "{\"error\":\"no\"}");
	fails(ERR_AUTH, "'@/as' gave no registration: no",
	      "give --oauth-client-id");
}

static int forbid(const char *path, struct error *err)
{
	(void)path;
	return error_set(err, ERR_OUTPUT, "not here");
}

static void registrations_are_kept(void **state)
{
	CLEANUP(mem_free_ptr) char *kept = folder_path("kept/");
	CLEANUP(mem_free_ptr) char *issuer = at_base("@/as");
	struct registration r;
	uint16_t port;

	(void)state;
	good_pages();
	t.s.folder = kept;
	succeeds(NULL);
	assert_int_equal(store_client_find(&r, kept, issuer, NULL), 1);
	assert_string_equal(r.id, "c:1");
	port = r.port;
	assert_int_not_equal(port, 0);
	registration_done(&r);
	/* Again: the same id and the same port. */
	page(REGISTER, 201, "{\"client_id\":\"c-2\"}");
	succeeds(NULL);
	assert_int_equal(t.web.requests.count, 3);
	assert_string_equal(t.e.client_id, "c:1");
	assert_false(t.first);
	/* It is not known there any more. */
	t.web.answer = refuse_once;
	again_code = "invalid_client";
	succeeds(NULL);
	assert_string_equal(t.e.client_id, "c-2");
	assert_int_equal(store_client_find(&r, kept, issuer, NULL), 1);
	assert_string_equal(r.id, "c-2");
	/* Its secret is over. */
	r.secret_expires_at = 1;
	assert_int_equal(store_client_keep(kept, issuer, &r, NULL), 0);
	registration_done(&r);
	page(REGISTER, 201, "{\"client_id\":\"c-3\"}");
	succeeds(NULL);
	assert_string_equal(t.e.client_id, "c-3");
	assert_int_equal(t.notes, 0);
	store_client_drop(kept, issuer);
	assert_int_equal(store_client_find(&r, kept, issuer, NULL), 0);
	/* That it cannot be kept is worth a line, and no more. */
	t.s.make = forbid;
	succeeds(NULL);
	assert_int_equal(t.notes, 1);
	assert_string_equal(t.note, "the registration was not kept: not here");
}

/* The port that was registered is somebody else's now. */
static void a_port_that_is_taken(void **state)
{
	CLEANUP(mem_free_ptr) char *kept = folder_path("port/");
	CLEANUP(mem_free_ptr) char *issuer = at_base("@/as");
	struct registration r = { .id = mem_strdup("c-0"), .port = t.web.port };
	struct registration got;

	(void)state;
	good_pages();
	t.s.folder = kept;
	assert_int_equal(store_client_keep(kept, issuer, &r, NULL), 0);
	registration_done(&r);
	succeeds(NULL);
	assert_string_equal(t.e.client_id, "c:1");
	assert_true(t.first);
	asked(2, REGISTER);
	assert_int_equal(store_client_find(&got, kept, issuer, NULL), 1);
	assert_int_not_equal(got.port, t.web.port);
	assert_int_not_equal(got.port, 0);
	registration_done(&got);
}

static struct rlimit files_before;

/* Behind that answer there is no room for another socket. */
static void leave_no_room(struct web_client *c, const char *request)
{
	struct rlimit none;

	serve(c, request);
	if (!text_starts(request, SERVER))
		return;
	none = files_before;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
}

/* No port for who comes back: nobody is sent away, and nothing registered. */
static void no_port_at_all(void **state)
{
	(void)state;
	good_pages();
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &files_before), 0);
	t.web.answer = leave_no_room;
	log_in(NULL);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &files_before), 0);
	assert_false(t.got);
	assert_int_equal(t.why.kind, ERR_CONNECT);
	assert_string_equal(t.why.text,
			    "cannot listen on port 0: Too many open files");
	assert_int_equal(t.visits, 0);
	asked(1, SERVER);
	assert_int_equal(t.web.requests.count, 2);
}

/* Its secret is good for a while, and sent as it was registered. */
static void a_secret_that_is_kept(void **state)
{
	CLEANUP(mem_free_ptr) char *kept = folder_path("secret/");
	CLEANUP(mem_free_ptr) char *issuer = at_base("@/as");
	struct registration r;

	(void)state;
	good_pages();
	t.s.folder = kept;
	page(SERVER, 200, SERVER_DOC(REGISTERS));
	page(REGISTER, 201,
	     "{\"client_id\":\"c\",\"client_secret\":\"s\","
	     "\"client_secret_expires_at\":253402300799}");
	succeeds(NULL);
	assert_non_null(strstr(asked(2, REGISTER), "\"client_secret_basic\""));
	web_has(asked(3, TOKEN), "Authorization", "Basic Yzpz");
	assert_string_equal(t.e.client_secret, "s");
	assert_int_equal(store_client_find(&r, kept, issuer, NULL), 1);
	assert_int_equal(r.secret_expires_at, 253402300799);
	registration_done(&r);
	succeeds(NULL);
	assert_int_equal(t.web.requests.count, 3);
	web_has(asked(2, TOKEN), "Authorization", "Basic Yzpz");
	assert_string_equal(t.e.client_secret, "s");
}

/* ---- answers that do not come, and that say nothing ---- */

static void break_off(struct web_client *c, const char *request)
{
	if (again_code && text_starts(request, again_code))
		web_break(c);
	else
		serve(c, request);
}

/* What failed stands in front of why. */
static void breaks_off(const char *start, const char *words)
{
	again_code = start;
	log_in(NULL);
	again_code = NULL;
	assert_false(t.got);
	assert_int_equal(t.why.kind, ERR_CONNECT);
	if (!text_starts(t.why.text, words))
		fail_msg("not '%s' but '%s'", words, t.why.text);
}

static void answers_that_do_not_come(void **state)
{
	CLEANUP(mem_free_ptr) char *idp = at_base("@/idp");

	(void)state;
	good_pages();
	t.web.answer = break_off;
	breaks_off(RESOURCE, "the metadata of the resource cannot be had from "
			     "'http://127.0.0.1:");
	breaks_off(SERVER, "the metadata of the authorization server cannot be "
			   "had from 'http://127.0.0.1:");
	breaks_off(REGISTER, "this program could not be registered: ");
	breaks_off(TOKEN, "no token came: ");
	assert_int_equal(t.visits, 1);
	t.s.client_id = "mine";
	t.s.idp_endpoint = idp;
	t.s.idp_token = "id-1";
	breaks_off("POST /idp ", "the identity token was not exchanged: ");
}

/* What is no document, and what is trouble of the server. */
static void statuses_of_documents(void **state)
{
	static const int nothing[] = { 300, 302, 401, 404, 407,
				       409, 428, 430, 499 };
	static const int trouble[] = { 201, 204, 408, 429, 500, 503, 599 };

	(void)state;
	good_pages();
	page(WELL_KNOWN "oauth-protected-resource ", 200,
	     "{\"authorization_servers\":[\"@/as\"]}");
	for (size_t i = 0; i < COUNT(nothing); i++) {
		page(RESOURCE, nothing[i], "{}");
		succeeds(NULL);
		drop_page();
	}
	for (size_t i = 0; i < COUNT(trouble); i++) {
		CLEANUP(mem_free_ptr)
		char *words = mem_printf("/mcp': it answers with HTTP %d",
					 trouble[i]);

		page(RESOURCE, trouble[i], "{}");
		fails(ERR_PROTOCOL, words, NULL);
		assert_int_equal(t.why.code, trouble[i]);
		assert_int_equal(t.web.requests.count, 1);
		drop_page();
	}
}

static void documents_that_are_too_large(void **state)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	(void)state;
	good_pages();
	buf_text(&text, "{\"authorization_servers\":[\"@/as\"]}");
	/* The @ becomes an address. */
	while (text.len < METADATA_MAX - strlen(t.base) + 1)
		buf_char(&text, ' ');
	page(RESOURCE, 200, buf_string(&text));
	succeeds(NULL);
	buf_char(&text, ' ');
	page(RESOURCE, 200, buf_string(&text));
	fails(ERR_PROTOCOL,
	      "the metadata of the resource cannot be had from "
	      "'@/.well-known/oauth-protected-resource/mcp': the answer of "
	      "'127.0.0.1' is above 262144 bytes",
	      NULL);
	assert_int_equal(t.web.requests.count, 1);
	/* A page that is there for every address may be as large. */
	page_type = "text/html; charset=utf-8";
	page(WELL_KNOWN "oauth-protected-resource ", 200,
	     "{\"authorization_servers\":[\"@/as\"]}");
	succeeds(NULL);
	page_type = "application/json";
}

static void cut_off(struct web_client *c, const char *request)
{
	if (!again_code || !text_starts(request, again_code)) {
		serve(c, request);
		return;
	}
	web_say(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
		   "Content-Length: 99\r\n\r\n{\"access_");
	web_end(c);
}

static void answers_that_are_cut(void **state)
{
	CLEANUP(mem_free_ptr) char *idp = at_base("@/idp");
	static const char cut[] =
		"the answer of '127.0.0.1' was cut after 9 bytes";
	static const char *const starts[] = { RESOURCE, SERVER, REGISTER, TOKEN,
					      "POST /idp " };

	(void)state;
	good_pages();
	t.web.answer = cut_off;
	for (size_t i = 0; i < COUNT(starts); i++) {
		if (i == COUNT(starts) - 1) {
			t.s.client_id = "mine";
			t.s.idp_endpoint = idp;
			t.s.idp_token = "id-1";
		}
		again_code = starts[i];
		fails(ERR_PROTOCOL, cut, NULL);
	}
	again_code = NULL;
}

/* Where it is only guessed that there is OAuth: trouble is told, no more. */
static void an_older_server_in_trouble(void **state)
{
	(void)state;
	page("POST /register ", 500, "");
	fails(ERR_CONNECT, "'@' gave no registration: HTTP 500", NULL);
	page("POST /register ", 499, "");
	fails(ERR_NONE, "", NULL);
	page("POST /register ", 300, "");
	fails(ERR_NONE, "", NULL);
	page("POST /register ", 200, "{}");
	fails(ERR_PROTOCOL,
	      "the registration at '@' has no client_id or client_secret that "
	      "can be sent",
	      NULL);
}

/* Only a code can be old: who comes without one is not asked again. */
static void no_second_try(void **state)
{
	(void)state;
	good_pages();
	t.cannot = true;
	t.s.client_id = "mine";
	t.s.client_secret = "pw";
	t.s.grant = GRANT_CLIENT;
	page(SERVER, 200, SERVER_DOC(""));
	page(TOKEN, 400, "{\"error\":\"invalid_grant\"}");
	fails(ERR_AUTH, "'@/as' gave no token: invalid_grant", NULL);
	assert_int_equal(t.web.requests.count, 3);
}

static void a_token_that_is_over_at_once(void **state)
{
	(void)state;
	good_pages();
	page(TOKEN, 200, "{\"access_token\":\"a\",\"expires_in\":0}");
	succeeds(NULL);
	assert_int_equal(t.e.expires_at, t.e.obtained_at);
	page(TOKEN, 200, "{\"access_token\":\"a\",\"expires_in\":-1}");
	succeeds(NULL);
	assert_int_equal(t.e.expires_at, 0);
}

/* A refresh token is wished for where the server has them. */
static void grants_that_are_registered(void **state)
{
	(void)state;
	good_pages();
	page(SERVER, 200,
	     SERVER_DOC(REGISTERS PUBLIC
			",\"grant_types_supported\":"
			"[\"authorization_code\",\"refresh_token\"]"));
	succeeds(NULL);
	assert_non_null(strstr(asked(2, REGISTER),
			       "\"grant_types\":[\"authorization_code\","
			       "\"refresh_token\"]"));
	page(SERVER, 200,
	     SERVER_DOC(REGISTERS PUBLIC ",\"grant_types_supported\":"
					 "[\"authorization_code\"]"));
	succeeds(NULL);
	assert_non_null(strstr(asked(2, REGISTER),
			       "\"grant_types\":[\"authorization_code\"],"));
}

/* Of a server elsewhere nothing is asked on this machine. */
static void what_is_on_this_machine(void **state)
{
	CLEANUP(mem_free_ptr) char *where = at_base("@/meta");
	const struct auth_wish wish = { .metadata = where };
	CLEANUP(mem_free_ptr)
	char *words = mem_printf(
		"resource_metadata '%s' is plain http on this machine", where);

	(void)state;
	t.s.server = "https://shop.example/mcp";
	log_in(&wish);
	assert_false(t.got);
	assert_int_equal(t.why.kind, ERR_PROTOCOL);
	assert_string_equal(t.why.text, words);
	assert_int_equal(t.web.requests.count, 0);
}

/* ---- while the user is away ---- */

static void begin_and_wait_for_visit(void)
{
	static const struct auth_wish plain;
	const bool never = false;

	t.stays = true;
	t.done = 0;
	t.flow = flow_start(&t.s, &user, &plain, on_done, NULL);
	for (size_t turns = 0; !t.visits; turns++) {
		assert_true(turns < 100000);
		loop_wait(t.loop, &never, loop_now() + 2, NULL);
	}
}

static void a_login_that_is_forgotten(void **state)
{
	(void)state;
	flow_abandon(NULL);
	good_pages();
	begin_and_wait_for_visit();
	assert_int_equal(t.lefts, 0);
	flow_abandon(t.flow);
	assert_int_equal(t.lefts, 1);
	loop_poll(t.loop);
	assert_int_equal(t.done, 0);
	assert_int_equal(t.lefts, 1);
}

static void what_is_pasted(void **state)
{
	CLEANUP(mem_free_ptr) char *own = NULL, *good = NULL, *late = NULL;
	const char *at;

	(void)state;
	good_pages();
	begin_and_wait_for_visit();
	assert_false(flow_paste(t.flow, ""));
	assert_false(flow_paste(t.flow, "http://127.0.0.1:1/callback"));
	assert_false(flow_paste(t.flow, "code=c"));
	assert_false(flow_paste(t.flow, "code=c&state="));
	at = strstr(t.url, "&state=") + strlen("&state=");
	own = mem_strndup(at, strcspn(at, "&"));
	/* Neither a fragment nor what is behind a blank belongs to it. */
	good = mem_printf("code=c%%2Bd&state=%s more", own);
	late = mem_printf("code=late&state=%s", own);
	assert_true(flow_paste(t.flow, good));
	/* The first counts, and it is no time to refuse any more. */
	assert_true(flow_paste(t.flow, late));
	assert_true(flow_paste(t.flow, "anything"));
	flow_refuse(t.flow);
	wait_done();
	assert_non_null(t.got);
	has_member(web_body(asked(3, TOKEN)), "code", "c%2Bd");
	assert_int_equal(t.lefts, 1);
}

/* ---- a browser on this machine ---- */

static struct {
	char *url; /* where it comes back to, with the state */
	struct web_client *token; /* who waits for a token meanwhile */
	unsigned pages;
	bool came;
} browser;

static void on_page(void *owner, const struct http_answer *a)
{
	const char *words = owner;
	CLEANUP(mem_free_ptr) char *text = mem_strndup(a->body, a->len);

	assert_int_equal(a->status, 200);
	if (!strstr(text, words))
		fail_msg("not '%s' but '%s'", words, text);
	browser.pages++;
	browser.came = true;
	if (browser.token && browser.pages == 3)
		serve(TAKE(browser.token), TOKEN);
}

/* Comes back with that, and is shown a page with those words. */
static void come_back(const char *query, const char *words)
{
	const struct http_table *http = module_table("http", HTTP_TABLE, NULL);
	CLEANUP(mem_free_ptr)
	char *url = mem_printf("%s%s", browser.url, query);
	const struct http_request rq = { .url = url };
	struct http_fetch *fetch;

	browser.came = false;
	assert_int_equal(http->fetch(&fetch, t.loop, &rq, on_page,
				     (void *)(uintptr_t)words, NULL),
			 0);
}

static void hold_token(struct web_client *c, const char *request)
{
	if (!text_starts(request, TOKEN)) {
		serve(c, request);
		return;
	}
	browser.token = c;
	come_back("&code=second",
		  "<p>This login is over. You can close this page.</p>");
}

static void set_browser(void)
{
	CLEANUP(mem_free_ptr) char *own = member_of(t.url, "state");
	CLEANUP(mem_free_ptr) char *back = member_of(t.url, "redirect_uri");
	const char *port = strstr(back, "127.0.0.1%3A");

	assert_non_null(port);
	mem_free(browser.url);
	browser.url = mem_printf("http://127.0.0.1:%lu/callback?state=%s",
				 strtoul(port + 12, NULL, 10), own);
}

static void what_the_browser_is_shown(void **state)
{
	(void)state;
	good_pages();
	t.web.answer = hold_token;
	begin_and_wait_for_visit();
	set_browser();
	come_back("x&code=c",
		  "<p>This is not the answer that mcpctl waits for.</p>");
	loop_wait(t.loop, &browser.came, loop_now() + 60000, NULL);
	assert_int_equal(browser.pages, 1);
	assert_int_equal(t.done, 0);
	come_back("&code=first",
		  "<p>You are logged in with mcpctl, as far as this page "
		  "knows: see your terminal. You can close this page.</p>");
	wait_done();
	assert_non_null(t.got);
	assert_int_equal(browser.pages, 3);
	has_member(web_body(asked(3, TOKEN)), "code", "first");
	t.web.answer = serve;
	t.visits = 0;
	begin_and_wait_for_visit();
	set_browser();
	come_back("&error=access_denied", "<p>The login failed: your terminal "
					  "says why. You can close this "
					  "page.</p>");
	wait_done();
	assert_null(t.got);
	loop_wait(t.loop, &browser.came, loop_now() + 60000, NULL);
	assert_int_equal(browser.pages, 4);
	mem_free(TAKE(browser.url));
}

/* ---- tokens that are kept ---- */

#define CHALLENGE "Bearer resource_metadata=\"@/meta\", scope=\"write\""

static void on_verdict(void *arg, enum bearer_verdict verdict,
		       const struct error *why)
{
	assert_ptr_equal(arg, &t.done);
	t.done++;
	t.verdict = verdict;
	error_copy(&t.why, why);
}

/* A login that is there already, and works for a minute. */
static void keep_login(const char *path, const char *access,
		       const char *refresh)
{
	struct login_entry e = { .server = mem_strdup(t.mcp),
				 .issuer = at_base("@/as"),
				 .resource = at_base("@/mcp"),
				 .client_id = mem_strdup("c-0"),
				 .token_endpoint = at_base("@/as/token"),
				 .access = mem_strdup(access),
				 .refresh = mem_strdup(refresh),
				 .requested = mem_strdup("read"),
				 .obtained_at = unix_now_ms() / 1000 - 60,
				 .expires_at = unix_now_ms() / 1000 + 600 };

	assert_int_equal(store_keep(path, &e, NULL), 0);
	login_entry_done(&e);
}

static void source(const struct auth_user *whose)
{
	token_source_free(t.source);
	t.source = token_source_new(&t.s, whose);
}

static const char *token_now(void)
{
	const struct bearer *b = token_source_bearer(t.source);

	return b->token(b->owner);
}

static bool over_now(void)
{
	const struct bearer *b = token_source_bearer(t.source);

	return b->is_over(b->owner);
}

static void refuse(int status, const char *challenge, const char *sent,
		   unsigned times)
{
	const struct bearer *b = token_source_bearer(t.source);
	CLEANUP(mem_free_ptr)
	char *whole = challenge ? at_base(challenge) : NULL;
	const struct bearer_refusal r = { status, whole, sent, times };

	t.done = 0;
	error_reset(&t.why);
	words_done(&t.web.requests);
	b->refused(b->owner, &r, on_verdict, &t.done);
	/* Nobody is told amid its question. */
	assert_int_equal(t.done, 0);
}

static void becomes(enum bearer_verdict verdict, const char *token)
{
	wait_done();
	if (t.verdict != verdict)
		fail_msg("%d: %s; %s", t.verdict, t.why.text, t.why.hint);
	if (token)
		assert_string_equal(token_now(), token);
}

static void a_token_is_renewed(void **state)
{
	CLEANUP(mem_free_ptr) char *path = folder_path("renewed/");
	CLEANUP(mem_free_ptr) char *resource = encoded("%2Fmcp");
	struct login_entry e;
	const char *rq;

	(void)state;
	t.s.folder = path;
	source(NULL);
	assert_null(token_now());
	keep_login(path, "at-0", "rt-0");
	source(NULL);
	assert_string_equal(token_now(), "at-0");
	assert_false(over_now());
	page(TOKEN, 200, "{\"access_token\":\"at-1\",\"expires_in\":3600}");
	refuse(401, CHALLENGE, "at-0", 0);
	becomes(BEARER_AGAIN, "at-1");
	assert_int_equal(t.web.requests.count, 1);
	rq = asked(0, TOKEN);
	web_has(rq, "Content-Type", "application/x-www-form-urlencoded");
	has_member(web_body(rq), "grant_type", "refresh_token");
	has_member(web_body(rq), "refresh_token", "rt-0");
	has_member(web_body(rq), "resource", resource);
	has_member(web_body(rq), "client_id", "c-0");
	/* The refresh token goes on, and all of it is kept. */
	assert_int_equal(store_find(&e, path, t.mcp, NULL), 1);
	assert_string_equal(e.access, "at-1");
	assert_string_equal(e.refresh, "rt-0");
	assert_string_equal(e.scope, "read");
	assert_int_equal(e.expires_at - e.obtained_at, 3600);
	login_entry_done(&e);
	/* Who sent the old one is late: the new one is tried first. */
	refuse(401, CHALLENGE, "at-0", 0);
	becomes(BEARER_AGAIN, "at-1");
	assert_int_equal(t.web.requests.count, 0);
	/* Another process was faster. */
	keep_login(path, "at-2", "rt-2");
	refuse(401, CHALLENGE, "at-1", 0);
	becomes(BEARER_AGAIN, "at-2");
	assert_int_equal(t.web.requests.count, 0);
	/* It is over at the other end: only a login would help. */
	page(TOKEN, 400, "{\"error\":\"invalid_grant\"}");
	refuse(401, CHALLENGE, "at-2", 0);
	becomes(BEARER_AS_IS, "at-2");
	assert_non_null(strstr(t.why.hint, "log in: mcpctl login shop"));
	assert_int_equal(t.web.requests.count, 1);
	page(TOKEN, 503, "");
	refuse(401, CHALLENGE, "at-2", 0);
	becomes(BEARER_FAILED, "at-2");
	assert_int_equal(t.why.kind, ERR_CONNECT);
	assert_non_null(
		strstr(t.why.text, "the token could not be renewed: '"));
	assert_non_null(strstr(t.why.text, "gave no token: HTTP 503"));
	/* So is it where too many asked: no login would help. */
	page(TOKEN, 429, "");
	refuse(401, CHALLENGE, "at-2", 0);
	becomes(BEARER_FAILED, "at-2");
	assert_int_equal(t.why.kind, ERR_CONNECT);
}

/* It works for so many seconds more. */
static void keep_nearly_over(const char *path, const char *refresh,
			     int64_t left)
{
	struct login_entry e;

	keep_login(path, "at-0", refresh);
	assert_int_equal(store_find(&e, path, t.mcp, NULL), 1);
	e.obtained_at = unix_now_ms() / 1000 - 600;
	e.expires_at = unix_now_ms() / 1000 + left;
	assert_int_equal(store_keep(path, &e, NULL), 0);
	login_entry_done(&e);
	source(&user);
	assert_string_equal(token_now(), "at-0");
	assert_true(over_now());
}

/* It is renewed a minute before its end; where that fails it is still good. */
static void a_last_minute(void **state)
{
	CLEANUP(mem_free_ptr) char *path = folder_path("minute/");

	(void)state;
	t.s.folder = path;
	t.cannot = true;
	page(TOKEN, 503, "");
	keep_nearly_over(path, "rt-0", 50);
	refuse(0, NULL, NULL, 0);
	becomes(BEARER_AGAIN, "at-0");
	assert_int_equal(t.web.requests.count, 1);
	assert_int_equal(t.notes, 0);
	/* Not asked again by the next request at once. */
	assert_false(over_now());
	/* One that is refused, and one that is over, are no good. */
	refuse(401, CHALLENGE, "at-0", 0);
	becomes(BEARER_FAILED, "at-0");
	keep_nearly_over(path, "rt-0", -1);
	refuse(0, NULL, NULL, 0);
	becomes(BEARER_FAILED, "at-0");
	assert_true(over_now());
	/* The same where no refresh token is needed. */
	good_pages();
	page(SERVER, 200,
	     SERVER_DOC(",\"grant_types_supported\":[\"client_credentials\"]"));
	page(TOKEN, 503, "");
	t.s.client_id = "c-0";
	t.s.client_secret = "s";
	keep_nearly_over(path, NULL, 50);
	refuse(0, NULL, NULL, 0);
	becomes(BEARER_AGAIN, "at-0");
	assert_int_equal(t.visits, 0);
}

static void a_few_turns(void)
{
	const bool never = false;

	for (int i = 0; i < 5; i++)
		loop_wait(t.loop, &never, loop_now() + 2, NULL);
}

/* Who has the lock renews; who has not takes what that one kept. */
static void one_renews_for_all(void **state)
{
	CLEANUP(mem_free_ptr) char *path = folder_path("locked/");
	int lock;

	(void)state;
	t.s.folder = path;
	keep_login(path, "at-0", "rt-0");
	page(TOKEN, 200, "{\"access_token\":\"at-1\"}");
	source(NULL);
	assert_string_equal(token_now(), "at-0");
	lock = store_lock(path, t.mcp, NULL);
	assert_true(lock >= 0);
	refuse(401, NULL, "at-0", 0);
	a_few_turns();
	assert_int_equal(t.done, 0);
	assert_int_equal(t.web.requests.count, 0);
	keep_login(path, "at-other", "rt-other");
	close(lock);
	becomes(BEARER_AGAIN, "at-other");
	assert_int_equal(t.web.requests.count, 0);
	/* Nothing was kept there: it renews after all. */
	lock = store_lock(path, t.mcp, NULL);
	assert_true(lock >= 0);
	refuse(401, NULL, "at-other", 0);
	a_few_turns();
	assert_int_equal(t.done, 0);
	close(lock);
	becomes(BEARER_AGAIN, "at-1");
	has_member(web_body(asked(0, TOKEN)), "refresh_token", "rt-other");
	/* The lock is given back, also by who gives up waiting for it. */
	lock = store_lock(path, t.mcp, NULL);
	assert_true(lock >= 0);
	close(lock);
	page(TOKEN, 503, "");
	refuse(401, NULL, "at-1", 0);
	token_source_free(TAKE(t.source));
	lock = store_lock(path, t.mcp, NULL);
	assert_true(lock >= 0);
	close(lock);
}

/* With the secret that it was registered with, as long as that is kept. */
static void a_client_with_a_secret_renews(void **state)
{
	CLEANUP(mem_free_ptr) char *path = folder_path("secrets/");
	struct login_entry e;

	(void)state;
	t.s.folder = path;
	keep_login(path, "at-0", "rt-0");
	assert_int_equal(store_find(&e, path, t.mcp, NULL), 1);
	e.proof = PROOF_BASIC;
	e.client_secret = mem_strdup("kept");
	assert_int_equal(store_keep(path, &e, NULL), 0);
	login_entry_done(&e);
	t.s.client_secret = "given";
	page(TOKEN, 200,
	     "{\"access_token\":\"at-1\",\"refresh_token\":\"rt-1\","
	     "\"scope\":\"less\"}");
	source(NULL);
	assert_string_equal(token_now(), "at-0");
	refuse(401, NULL, "at-0", 0);
	becomes(BEARER_AGAIN, "at-1");
	/* c-0:kept */
	web_has(asked(0, TOKEN), "Authorization", "Basic Yy0wOmtlcHQ=");
	has_member(web_body(asked(0, TOKEN)), "client_id", NULL);
	assert_int_equal(store_find(&e, path, t.mcp, NULL), 1);
	assert_string_equal(e.refresh, "rt-1");
	assert_string_equal(e.scope, "less");
	assert_string_equal(e.client_secret, "kept");
	assert_int_equal(e.expires_at, 0);
	login_entry_done(&e);
}

static void what_is_over_and_whose(void **state)
{
	CLEANUP(mem_free_ptr) char *path = folder_path("whose/");
	struct login_entry e;

	(void)state;
	t.s.folder = path;
	keep_login(path, "at-0", "rt-0");
	assert_int_equal(store_find(&e, path, t.mcp, NULL), 1);
	e.expires_at = unix_now_ms() / 1000 - 1;
	assert_int_equal(store_keep(path, &e, NULL), 0);
	source(NULL);
	assert_true(over_now());
	/* Where it cannot be renewed, the server may say so itself. */
	mem_free(TAKE(e.refresh));
	assert_int_equal(store_keep(path, &e, NULL), 0);
	source(NULL);
	assert_string_equal(token_now(), "at-0");
	assert_false(over_now());
	t.s.grant = GRANT_CLIENT;
	assert_true(over_now());
	t.s.grant = GRANT_AUTO;
	/* Of another client, or another issuer. */
	t.s.client_id = "c-1";
	source(NULL);
	assert_null(token_now());
	assert_false(over_now());
	t.s.client_id = "c-0";
	source(NULL);
	assert_non_null(token_now());
	t.s.issuer = "https://elsewhere";
	source(NULL);
	assert_null(token_now());
	t.s.issuer = e.issuer;
	source(NULL);
	assert_non_null(token_now());
	e.proof = PROOF_KEY;
	assert_int_equal(store_keep(path, &e, NULL), 0);
	source(NULL);
	assert_null(token_now());
	t.s.key = "key";
	source(NULL);
	assert_non_null(token_now());
	/* A file that others can read is told of, once. */
	assert_int_equal(chmod(path, 0755), 0);
	source(&user);
	assert_null(token_now());
	assert_null(token_now());
	assert_int_equal(t.notes, 1);
	assert_non_null(strstr(t.note, "others may read it"));
	chmod(path, 0700);
	source(NULL);
	login_entry_done(&e);
}

static void a_refusal_leads_to_a_login(void **state)
{
	CLEANUP(mem_free_ptr) char *path = folder_path("login/");
	struct login_entry e;

	(void)state;
	good_pages();
	page("GET /meta ", 200,
	     "{\"resource\":\"@/mcp\",\"authorization_servers\":[\"@/as\"]}");
	t.s.folder = path;
	/* Nobody is there; and of a server that says nothing, no words. */
	t.cannot = true;
	source(&user);
	refuse(401, NULL, NULL, 0);
	becomes(BEARER_AS_IS, NULL);
	assert_int_equal(t.why.kind, ERR_NONE);
	refuse(401, CHALLENGE, NULL, 0);
	becomes(BEARER_AS_IS, NULL);
	assert_int_equal(t.why.kind, ERR_AUTH);
	assert_non_null(strstr(t.why.hint, "log in: mcpctl login shop"));
	assert_int_equal(t.web.requests.count, 0);
	t.cannot = false;
	refuse(401, CHALLENGE, NULL, 0);
	becomes(BEARER_AGAIN, "at-1");
	asked(0, "GET /meta ");
	assert_string_equal(token_source_entry(t.source)->requested, "write");
	assert_null(flow_now());
	assert_int_equal(store_find(&e, path, t.mcp, NULL), 1);
	assert_string_equal(e.access, "at-1");
	login_entry_done(&e);
	/* Refused at once: there is no use in another login. */
	refuse(401, CHALLENGE, "at-1", 1);
	becomes(BEARER_FAILED, "at-1");
	assert_int_equal(t.why.kind, ERR_AUTH);
	assert_non_null(strstr(t.why.text, "/mcp' refuses the token that '"));
	assert_non_null(strstr(t.why.hint, "'mcpctl logout shop' forgets"));
	assert_int_equal(t.web.requests.count, 0);
	/* Forbidden is no reason for a login, but where scopes are missing. */
	refuse(403, "Bearer scope=\"write\"", "at-1", 0);
	becomes(BEARER_AS_IS, "at-1");
	assert_int_equal(t.why.kind, ERR_NONE);
	assert_int_equal(t.visits, 1);
	page(TOKEN, 200, "{\"access_token\":\"at-2\"}");
	refuse(403, "Bearer error=\"insufficient_scope\", scope=\"admin\"",
	       "at-1", 1);
	becomes(BEARER_AGAIN, "at-2");
	assert_string_equal(token_source_entry(t.source)->requested,
			    "write admin");
	refuse(403, "Bearer error=\"insufficient_scope\", scope=\"admin\"",
	       "at-2", 2);
	becomes(BEARER_FAILED, "at-2");
	assert_non_null(strstr(
		t.why.text,
		"wants more than it was given, again and again: 'admin'"));
	assert_non_null(strstr(t.why.hint, "--oauth-scope"));
	/* By wish; and what fails is told. */
	t.done = 0;
	page(TOKEN, 200, "{\"access_token\":\"at-3\"}");
	token_source_login(t.source, NULL, on_verdict, &t.done);
	becomes(BEARER_AGAIN, "at-3");
	t.done = 0;
	t.refuses = true;
	token_source_login(t.source, NULL, on_verdict, &t.done);
	becomes(BEARER_FAILED, "at-3");
	assert_string_equal(t.why.text, "the login was not made");
}

static void a_login_that_is_not_kept(void **state)
{
	CLEANUP(mem_free_ptr) char *path = folder_path("unkept/");

	(void)state;
	good_pages();
	t.s.folder = path;
	t.s.make = forbid;
	source(&user);
	refuse(401, NULL, NULL, 0);
	becomes(BEARER_AGAIN, "at-1");
	assert_string_equal(token_source_unkept(t.source)->text,
			    "the login was not kept: not here");
	assert_string_equal(t.note, "the login was not kept: not here");
	assert_int_equal(t.notes, 2); /* and the registration */
	/* Without a folder there is nothing to be told of. */
	t.s.folder = NULL;
	source(&user);
	refuse(401, NULL, NULL, 0);
	becomes(BEARER_AGAIN, "at-1");
	assert_int_equal(token_source_unkept(t.source)->kind, ERR_NONE);
	assert_int_equal(t.notes, 2);
}

static unsigned others;

static enum bearer_verdict other_verdict;

static void on_other(void *arg, enum bearer_verdict verdict,
		     const struct error *why)
{
	(void)arg;
	(void)why;
	other_verdict = verdict;
	others++;
}

static void who_waits_is_told(void **state)
{
	const struct bearer_refusal r = { .status = 401 };
	const struct bearer *b;
	int gone;

	(void)state;
	good_pages();
	others = 0;
	source(&user);
	b = token_source_bearer(t.source);
	refuse(401, NULL, NULL, 0);
	b->refused(b->owner, &r, on_other, &others);
	b->refused(b->owner, &r, on_other, &gone);
	b->forget(b->owner, &gone);
	b->forget(b->owner, &gone);
	becomes(BEARER_AGAIN, "at-1");
	assert_int_equal(others, 1);
	/* One login for all of them. */
	assert_int_equal(t.visits, 1);
	assert_int_equal(t.web.requests.count, 4);
	/* Where nobody waits any more, nothing goes on. */
	source(&user);
	refuse(401, NULL, NULL, 0);
	assert_non_null(flow_now());
	b = token_source_bearer(t.source);
	b->forget(b->owner, &t.done);
	assert_null(flow_now());
	refuse(401, NULL, NULL, 0);
	becomes(BEARER_AGAIN, "at-1");
	assert_int_equal(t.done, 1);
}

/* Asks at once, as who sends what waited behind it. */
static void ask_again(void *arg, enum bearer_verdict verdict,
		      const struct error *why)
{
	const struct bearer *b = token_source_bearer(t.source);
	const struct bearer_refusal r = { .status = 401, .token = "at-1" };

	assert_int_equal(verdict, BEARER_AGAIN);
	assert_int_equal(why->kind, ERR_NONE);
	++*(unsigned *)arg;
	page(TOKEN, 503, "");
	b->refused(b->owner, &r, on_verdict, &t.done);
	/* Not of what was there before. */
	assert_int_equal(t.done, 0);
}

static void who_asks_when_told_is_told_later(void **state)
{
	const struct bearer_refusal r = { .status = 401 };
	const struct bearer *b;

	(void)state;
	good_pages();
	others = 0;
	source(&user);
	b = token_source_bearer(t.source);
	b->refused(b->owner, &r, on_other, &others);
	b->refused(b->owner, &r, ask_again, &others);
	page(TOKEN, 200, "{\"access_token\":\"at-1\"}");
	becomes(BEARER_FAILED, "at-1");
	assert_non_null(strstr(t.why.text, "gave no token: HTTP 503"));
	assert_int_equal(t.done, 1);
	/* Who was waiting beside it heard of its own. */
	assert_int_equal(others, 2);
	assert_int_equal(other_verdict, BEARER_AGAIN);
}

/* Renewed, and refused all the same: then a login is tried, and the last. */
static void a_token_that_dies_again(void **state)
{
	CLEANUP(mem_free_ptr) char *path = folder_path("again/");

	(void)state;
	good_pages();
	t.s.folder = path;
	keep_login(path, "at-0", "rt-0");
	source(&user);
	assert_string_equal(token_now(), "at-0");
	refuse(401, NULL, "at-0", 0);
	becomes(BEARER_AGAIN, "at-1");
	assert_int_equal(t.web.requests.count, 1);
	assert_int_equal(t.visits, 0);
	page(TOKEN, 200, "{\"access_token\":\"at-2\",\"refresh_token\":\"r\"}");
	refuse(401, NULL, "at-1", 1);
	becomes(BEARER_AGAIN, "at-2");
	assert_int_equal(t.visits, 1);
	/* The token of a login is renewed, too, where it was good for a while. */
	page(TOKEN, 200, "{\"access_token\":\"at-3\"}");
	refuse(401, NULL, "at-2", 0);
	becomes(BEARER_AGAIN, "at-3");
	assert_int_equal(t.web.requests.count, 1);
	assert_int_equal(t.visits, 1);
	page(TOKEN, 200, "{\"access_token\":\"at-4\"}");
	refuse(401, NULL, "at-3", 1);
	becomes(BEARER_AGAIN, "at-4");
	assert_int_equal(t.visits, 2);
	/* Nothing was sent, since it is over. */
	page(TOKEN, 200, "{\"access_token\":\"at-5\"}");
	refuse(0, NULL, "at-0", 0);
	becomes(BEARER_AGAIN, "at-5");
	assert_int_equal(t.visits, 3);
}

/* Who logs in by wish has what was had before in mind. */
static void a_login_by_wish(void **state)
{
	CLEANUP(mem_free_ptr) char *path = folder_path("wish/");

	(void)state;
	good_pages();
	page(RESOURCE, 200,
	     "{\"authorization_servers\":[\"@/as\"],\"scopes_supported\":[\"x\"]}");
	t.s.folder = path;
	keep_login(path, "at-0", "rt-0");
	source(&user);
	token_source_login(t.source, NULL, on_verdict, &t.done);
	becomes(BEARER_AGAIN, "at-1");
	assert_string_equal(token_source_entry(t.source)->requested, "read x");
	assert_false(t.first);
	t.done = 0;
	token_source_login(t.source, "Bearer scope=\"y\"", on_verdict, &t.done);
	becomes(BEARER_AGAIN, "at-1");
	assert_string_equal(token_source_entry(t.source)->requested,
			    "read x y");
	/* A place that tokens must not go to, however it came into the file. */
	token_source_free(TAKE(t.source));
	keep_login(path, "at-7", "rt-7");
	{
		struct login_entry e;

		assert_int_equal(store_find(&e, path, t.mcp, NULL), 1);
		mem_free(e.token_endpoint);
		e.token_endpoint = mem_strdup("http://10.0.0.1/token");
		assert_int_equal(store_keep(path, &e, NULL), 0);
		login_entry_done(&e);
	}
	source(&user);
	assert_string_equal(token_now(), "at-7");
	refuse(401, NULL, "at-7", 0);
	becomes(BEARER_FAILED, "at-7");
	assert_non_null(strstr(t.why.text,
			       "token_endpoint 'http://10.0.0.1/token' is "
			       "plain http"));
	assert_int_equal(t.web.requests.count, 0);
}

/* Keys: what is wrong with them, and what the server says of them. */
static void a_key_of_the_client(void **state)
{
	static const char key[] = KEY;
	char *text;
	const char *rq;

	(void)state;
	good_pages();
	t.cannot = true;
	t.s.client_id = "mine";
	t.s.key = key;
	t.s.key_len = sizeof(key) - 1;
	assert_true(auth_needs_nobody(&t.s));
	succeeds(NULL);
	assert_int_equal(t.e.proof, PROOF_KEY);
	rq = web_body(asked(2, TOKEN));
	has_member(rq, "grant_type", "client_credentials");
	has_member(rq, "client_id", "mine");
	has_member(rq, "client_secret", NULL);
	has_member(
		rq, "client_assertion_type",
		"urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer");
	text = member_of(rq, "client_assertion");
	/* {"alg":"ES256","typ":"JWT"}; r and s are 64 bytes. */
	assert_int_equal(
		strncmp(text, "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.", 37), 0);
	assert_int_equal(strlen(strrchr(text, '.') + 1), 86);
	mem_free(text);
	page(TOKEN, 401, "{\"error\":\"invalid_client\"}");
	fails(ERR_AUTH, "'@/as' gave no token: invalid_client",
	      "and the clock of this machine right?");
	page(TOKEN, 429, "");
	fails(ERR_CONNECT, "'@/as' gave no token: HTTP 429", NULL);
	assert_string_equal(t.why.hint, "");
	page(TOKEN, 401, "{\"error\":\"invalid_client\"}");
	t.s.key = "no key";
	t.s.key_len = 6;
	fails(ERR_USAGE, "holds no private key in PEM", "PKCS#8");
	assert_int_equal(t.web.requests.count, 2);
	/* Of a client without one nothing is said of keys. */
	t.s.key = NULL;
	t.s.client_secret = "pw";
	t.s.grant = GRANT_CLIENT;
	page(SERVER, 200, SERVER_DOC(""));
	fails(ERR_AUTH, "'@/as' gave no token: invalid_client", NULL);
	assert_string_equal(t.why.hint, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_step_of_a_login, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(the_next_server_is_asked,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(older_servers, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(documents_that_cannot_be_had,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_the_user_does, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(which_client_it_is, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_client_for_itself, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_company_for_its_user, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(which_scopes, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(an_id_is_for_its_issuer, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(an_id_goes_to_no_other, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(an_id_at_an_older_server,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_second_try, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(registrations_are_kept, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_port_that_is_taken, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(no_port_at_all, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_secret_that_is_kept, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(answers_that_do_not_come,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(statuses_of_documents, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(an_older_server_in_trouble,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_second_try, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_token_that_is_over_at_once,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(grants_that_are_registered,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_on_this_machine, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_login_that_is_forgotten,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_pasted, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_the_browser_is_shown,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(documents_that_are_too_large,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(answers_that_are_cut, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(one_renews_for_all, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_client_with_a_secret_renews,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_last_minute, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_token_is_renewed, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_is_over_and_whose, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_refusal_leads_to_a_login,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_login_that_is_not_kept,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_token_that_dies_again, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_login_by_wish, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_key_of_the_client, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(who_waits_is_told, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			who_asks_when_told_is_told_later, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
