/* SPDX-License-Identifier: MIT */
/* What is said in OAuth, from literal bytes; and files of logins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "auth/browser.h"
#include "auth/crypt.h"
#include "auth/store.h"
#include "auth/url.h"
#include "base/mem.h"
#include "base/module.h"

/* ---- URLs ---- */

static void test_urls(void **state)
{
	static const struct {
		const char *url, *resource;
	} rows[] = {
		{ "HTTPS://Host.Example:443/Mcp/#x",
		  "https://host.example/Mcp" },
		{ "http://127.0.0.1:80/", "http://127.0.0.1" },
		{ "https://h:8443/a?b=c/", "https://h:8443/a?b=c/" },
		{ "http://[::1]:9/mcp", "http://[::1]:9/mcp" },
		{ "https://user@h/", NULL },
		{ "file:///etc/passwd", NULL },
		{ "https://h/a b", NULL },
		{ "https://h:0/", NULL },
		{ "https://", NULL },
		{ "https://h\\@evil/", NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char *got = auth_url_resource(rows[i].url);

		if (rows[i].resource)
			assert_string_equal(got, rows[i].resource);
		else
			assert_null(got);
		mem_free(got);
	}
}

static void test_which_may_be_asked(void **state)
{
	(void)state;
	assert_int_equal(auth_url_check("https://h/", "x", false, NULL), 0);
	assert_int_equal(auth_url_check("http://127.9.9.9:1/", "x", true, NULL),
			 0);
	assert_int_equal(auth_url_check("http://localhost/", "x", true, NULL),
			 0);
	assert_int_equal(auth_url_check("http://[::1]/", "x", true, NULL), 0);
	assert_int_equal(auth_url_check("http://localhost/", "x", false, NULL),
			 -1);
	assert_int_equal(auth_url_check("http://192.168.1.1/", "x", true, NULL),
			 -1);
	assert_int_equal(
		auth_url_check("http://localhost.evil/", "x", true, NULL), -1);
	assert_int_equal(
		auth_url_check("http://127.0.0.1.evil/", "x", true, NULL), -1);
	assert_int_equal(auth_url_check("file:///x", "x", true, NULL), -1);
}

static void test_covers(void **state)
{
	(void)state;
	assert_true(auth_url_covers("https://h", "https://h/mcp"));
	assert_true(auth_url_covers("https://H:443/mcp/", "https://h/mcp"));
	assert_true(auth_url_covers("https://h/mcp", "https://h/mcp/x"));
	assert_false(auth_url_covers("https://h/mcp", "https://h/mcpx"));
	assert_false(auth_url_covers("https://h/mcp/x", "https://h/mcp"));
	assert_false(auth_url_covers("https://evil/mcp", "https://h/mcp"));
	assert_false(auth_url_covers("http://h/mcp", "https://h/mcp"));
	assert_false(auth_url_covers("https://h:1/mcp", "https://h/mcp"));
}

/* ---- metadata ---- */

static void places_are(const struct words *w, const char *const *want)
{
	for (size_t i = 0; i < w->count; i++) {
		assert_non_null(want[i]);
		assert_string_equal(w->word[i], want[i]);
	}
	assert_null(want[w->count]);
}

static void test_places(void **state)
{
	static const char *const deep[] = {
		"https://h/.well-known/oauth-authorization-server/p/q",
		"https://h/.well-known/openid-configuration/p/q",
		"https://h/p/q/.well-known/openid-configuration", NULL
	};
	static const char *const root[] = {
		"https://h/.well-known/oauth-authorization-server",
		"https://h/.well-known/openid-configuration", NULL
	};
	static const char *const resource[] = {
		"https://h/.well-known/oauth-protected-resource/mcp",
		"https://h/.well-known/oauth-protected-resource", NULL
	};
	struct words w = { 0 };

	(void)state;
	server_metadata_places(&w, "https://h/p/q/");
	places_are(&w, deep);
	words_done(&w);
	server_metadata_places(&w, "https://h/");
	places_are(&w, root);
	words_done(&w);
	resource_metadata_places(&w, "https://h/mcp");
	places_are(&w, resource);
	words_done(&w);
}

static int read_resource(const char *json, struct resource_metadata *m,
			 struct error *err)
{
	return resource_metadata_read(m, json, strlen(json), "https://h/mcp",
				      err);
}

static void test_resource(void **state)
{
	struct resource_metadata m;
	struct error err = { 0 };

	(void)state;
	assert_int_equal(
		read_resource(
			"{\"resource\":\"https://h/mcp\",\"authorization_servers\":[\"https://a\",7,\"https://b\"],"
			"\"scopes_supported\":[\"x\",\"y\",\"x\",\"q\\\"\"]}",
			&m, &err),
		0);
	assert_int_equal(m.issuers.count, 2);
	assert_string_equal(m.scopes, "x y");
	resource_metadata_done(&m);
	assert_int_equal(
		read_resource(
			"{\"resource\":\"https://evil/mcp\",\"authorization_servers\":[\"https://a\"]}",
			&m, &err),
		-1);
	assert_non_null(strstr(err.text, "another resource"));
	assert_int_equal(
		read_resource("{\"authorization_servers\":[]}", &m, &err), -1);
	assert_int_equal(read_resource("[]", &m, &err), -1);
	assert_int_equal(read_resource("<html>", &m, &err), -1);
	error_reset(&err);
}

#define SERVER(more)                                                                 \
	"{\"issuer\":\"https://a/p\",\"authorization_endpoint\":\"https://a/auth\"," \
	"\"token_endpoint\":\"https://a/token\"" more "}"
#define S256 ",\"code_challenge_methods_supported\":[\"S256\"]"

static int read_server(const char *json, const char *issuer, bool local)
{
	struct server_metadata m;
	int status = server_metadata_read(&m, json, strlen(json), issuer, local,
					  NULL);

	server_metadata_done(&m);
	return status;
}

static void test_server(void **state)
{
	(void)state;
	assert_int_equal(read_server(SERVER(S256), "https://a/p", false), 0);
	assert_int_equal(read_server(SERVER(S256), "https://a/p/", false), -1);
	assert_int_equal(read_server(SERVER(S256), "https://A/p", false), -1);
	assert_int_equal(read_server(SERVER(""), "https://a/p", false), -1);
	assert_int_equal(
		read_server(
			SERVER(",\"code_challenge_methods_supported\":[\"plain\"]"),
			"https://a/p", false),
		-1);
	assert_int_equal(
		read_server(SERVER(S256
				   ",\"registration_endpoint\":\"http://a/r\""),
			    "https://a/p", true),
		-1);
	assert_int_equal(
		read_server(
			SERVER(S256
			       ",\"revocation_endpoint\":\"http://[::1]/r\""),
			"https://a/p", true),
		0);
	assert_int_equal(read_server("{}", "https://a/p", false), -1);
}

static void test_scopes(void **state)
{
	char *all = scope_union("read  write", "write admin read");

	(void)state;
	assert_string_equal(all, "read write admin");
	mem_free(all);
	assert_null(scope_union(NULL, " "));
	assert_true(scope_has("ab abc", "abc", 3));
	assert_false(scope_has("ab abcd", "abc", 3));
	assert_false(scope_fits("a\nb"));
}

/* ---- requests and answers ---- */

static void test_forms(void **state)
{
	struct buf form = { 0 };
	char *basic;

	(void)state;
	form_add(&form, "a", "x y&=+%/\xc3\xa4");
	form_add(&form, "none", NULL);
	form_add(&form, "b", "");
	assert_string_equal(buf_string(&form),
			    "a=x%20y%26%3D%2B%25%2F%C3%A4&b=");
	buf_done(&form);
	/* "a%3Ab:p%25w" */
	basic = form_basic("a:b", "p%w");
	assert_string_equal(basic, "Basic YSUzQWI6cCUyNXc=");
	mem_free(basic);
}

static int read_token(int status, const char *body, struct token_answer *t,
		      struct error *err)
{
	return token_answer_read(t, status, body, strlen(body), "as", err);
}

static void test_tokens(void **state)
{
	struct token_answer t;
	struct error err = { 0 };

	(void)state;
	assert_int_equal(
		read_token(
			200,
			"{\"access_token\":\"t\",\"token_type\":\"bEARER\",\"expires_in\":60,\"refresh_token\":\"r\"}",
			&t, &err),
		0);
	assert_string_equal(t.access, "t");
	assert_string_equal(t.refresh, "r");
	assert_int_equal(t.expires_in, 60);
	token_answer_done(&t);
	assert_int_equal(
		read_token(
			400,
			"{\"error\":\"invalid_grant\",\"error_description\":\"old\"}",
			&t, &err),
		-1);
	assert_string_equal(t.code, "invalid_grant");
	assert_int_equal(err.kind, ERR_AUTH);
	assert_string_equal(err.text,
			    "'as' gave no token: invalid_grant (old)");
	/* A header could not carry it; and another type. */
	assert_int_equal(
		read_token(200, "{\"access_token\":\"a\\r\\nb\"}", &t, &err),
		-1);
	assert_null(strstr(err.text, "a\r"));
	assert_int_equal(
		read_token(200,
			   "{\"access_token\":\"t\",\"token_type\":\"DPoP\"}",
			   &t, &err),
		-1);
	assert_int_equal(read_token(200, "<html>", &t, &err), -1);
	error_reset(&err);
}

static int redirect(const char *query, bool tells, char **code,
		    struct error *err)
{
	const struct redirect_rules rules = { .state = "S",
					      .issuer = "https://a/p",
					      .tells_issuer = tells };

	return redirect_read(code, query, &rules, err);
}

static void test_redirects(void **state)
{
	struct error err = { 0 };
	char *code;

	(void)state;
	assert_int_equal(redirect("code=c%2Fd&state=S", false, &code, &err), 1);
	assert_string_equal(code, "c/d");
	mem_free(code);
	assert_int_equal(redirect("state=S&code=c&iss=https%3A%2F%2Fa%2Fp",
				  true, &code, &err),
			 1);
	mem_free(code);
	assert_int_equal(redirect("code=c&state=s", false, &code, &err), 0);
	assert_int_equal(redirect("code=c", false, &code, &err), 0);
	assert_int_equal(redirect(NULL, false, &code, &err), 0);
	assert_int_equal(redirect("code=c&state=S", true, &code, &err), -1);
	assert_int_equal(redirect("error=words&state=S&iss=https://a/p/", false,
				  &code, &err),
			 -1);
	assert_null(strstr(err.text, "words"));
	assert_int_equal(
		redirect("error=access_denied&state=S", false, &code, &err),
		-1);
	assert_int_equal(err.kind, ERR_AUTH);
	assert_non_null(strstr(err.text, "access_denied"));
	error_reset(&err);
}

static void test_browser(void **state)
{
	struct words w = { 0 };

	(void)state;
	browser_words(&w, "firefox --new \"a b\"", 19, "https://h/?a=$(x)");
	assert_int_equal(w.count, 4);
	assert_string_equal(w.word[3], "https://h/?a=$(x)");
	words_done(&w);
	browser_words(&w, "open --url=%s!", 14, "https://h/");
	assert_int_equal(w.count, 2);
	assert_string_equal(w.word[1], "--url=https://h/!");
	words_done(&w);
	browser_words(&w, "", 0, "https://h/");
	assert_int_equal(w.count, 0);
}

/* RFC 7636, appendix B. */
static void test_challenge_of_verifier(void **state)
{
	struct error err = { 0 };
	const struct auth_table *auth = module_table("auth", AUTH_TABLE, &err);
	char *text;

	(void)state;
	assert_non_null(auth);
	text = auth->challenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
			       &err);
	assert_string_equal(text,
			    "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
	mem_free(text);
	text = auth->nonce(32, &err);
	assert_int_equal(strlen(text), 43);
	mem_free(text);
}

/* ---- files ---- */

static char folder[] = "/tmp/mcpctl-oauth-XXXXXX";

static struct login_entry an_entry(void)
{
	return (struct login_entry){
		.server = mem_strdup("https://h/mcp"),
		.issuer = mem_strdup("https://a"),
		.client_id = mem_strdup("me"),
		.proof = PROOF_POST,
		.client_secret = mem_strdup("s\"x"),
		.token_endpoint = mem_strdup("https://a/token"),
		.access = mem_strdup("AT"),
		.refresh = mem_strdup("RT"),
		.requested = mem_strdup("r w"),
		.obtained_at = 1000,
		.expires_at = 4600,
	};
}

static void count(void *owner, const struct login_entry *e)
{
	assert_string_equal(e->access, "AT");
	++*(int *)owner;
}

static void test_store(void **state)
{
	char *path = mem_printf("%s/oauth/", folder);
	struct login_entry e = an_entry(), got;
	struct error err = { 0 };
	struct stat st;
	int n = 0, lock;

	(void)state;
	assert_int_equal(store_find(&got, path, e.server, &err), 0);
	assert_int_equal(store_keep(path, &e, &err), 0);
	assert_int_equal(store_find(&got, path, e.server, &err), 1);
	assert_string_equal(got.client_secret, "s\"x");
	assert_string_equal(got.refresh, "RT");
	assert_null(got.resource);
	assert_int_equal(got.proof, PROOF_POST);
	assert_int_equal(got.expires_at, 4600);
	login_entry_done(&got);
	assert_int_equal(store_find(&got, path, "https://h:1/mcp", &err), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	store_each(path, count, &n);
	assert_int_equal(n, 1);
	lock = store_lock(path, e.server, &err);
	assert_true(lock >= 0);
	assert_int_equal(store_lock(path, e.server, &err), -1);
	assert_int_equal(err.kind, ERR_NONE);
	close(lock);
	/* Others could read it: refused. */
	chmod(path, 0750);
	assert_int_equal(store_find(&got, path, e.server, &err), -1);
	assert_int_equal(store_keep(path, &e, &err), -1);
	chmod(path, 0700);
	assert_int_equal(store_drop(path, e.server, &err), 1);
	assert_int_equal(store_drop(path, e.server, &err), 0);
	login_entry_done(&e);
	error_reset(&err);
	mem_free(path);
}

static void test_over(void **state)
{
	struct login_entry e = { .obtained_at = 1000, .expires_at = 4600 };

	(void)state;
	assert_false(login_entry_is_over(&e, 1001));
	assert_false(login_entry_is_over(&e, 4539));
	assert_true(login_entry_is_over(&e, 4540));
	/* The clock went back: nothing is known. */
	assert_false(login_entry_is_over(&e, 999));
	e.expires_at = 1010;
	assert_false(login_entry_is_over(&e, 1004));
	assert_true(login_entry_is_over(&e, 1005));
	e.expires_at = 0;
	assert_false(login_entry_is_over(&e, 999999));
}

static int make(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int drop(void **state)
{
	char *command = mem_printf("rm -r %s", folder);
	int status = system(command);

	(void)state;
	mem_free(command);
	return status;
}

static int read_grant(char **grant, const char *type, const char *token,
		      struct error *err)
{
	CLEANUP(buf_done) struct buf body = { 0 };

	buf_printf(&body, "{\"issued_token_type\":%s,\"access_token\":%s}",
		   type, token);
	return exchange_read(grant, 200, (struct span){ body.data, body.len },
			     "idp", err);
}

static void companies_grant(void **state)
{
	static const char id_jag[] =
		"\"urn:ietf:params:oauth:token-type:id-jag\"";
	CLEANUP(buf_done) struct buf form = { 0 };
	struct error err = { 0 };
	char *grant;

	(void)state;
	exchange_form(&form, "i+d", "desk");
	assert_string_equal(
		buf_string(&form),
		"grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange&requested_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aid-jag&subject_token=i%2Bd&subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aid_token&client_id=desk");
	assert_int_equal(read_grant(&grant, id_jag, "\"g\"", &err), 0);
	assert_string_equal(grant, "g");
	mem_free(grant);
	assert_int_equal(read_grant(&grant, id_jag, "\"a\\r\\nb\"", &err), -1);
	assert_null(grant);
	assert_int_equal(read_grant(&grant, "7", "\"g\"", &err), -1);
	assert_int_equal(err.kind, ERR_PROTOCOL);
	assert_null(grant);
}

/* How a client shows that it is the one, of what the server lists. */
static void proofs(void **state)
{
	static const struct {
		bool secret, told, assumed;
		const char *listed;
		int chosen;
	} rows[] = {
		{ false, true, false, "client_secret_basic", PROOF_NONE },
		{ true, false, false, NULL, PROOF_BASIC },
		{ true, true, false, "client_secret_basic", PROOF_BASIC },
		{ true, true, false, "client_secret_post", PROOF_POST },
		{ true, true, true, "none", PROOF_POST },
		{ true, true, false, "private_key_jwt", -1 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char issuer[] = "https://as";
		struct server_metadata m = { .issuer = issuer,
					     .methods_told = rows[i].told,
					     .assumed = rows[i].assumed };
		CLEANUP(error_reset) struct error err = { 0 };

		if (rows[i].listed)
			words_add(&m.methods, rows[i].listed);
		assert_int_equal(client_proof_choose(&m, rows[i].secret, &err),
				 rows[i].chosen);
		words_done(&m.methods);
		if (rows[i].chosen >= 0)
			continue;
		assert_int_equal(err.kind, ERR_AUTH);
		assert_non_null(strstr(err.text, "'https://as' takes no"));
		assert_non_null(strstr(err.hint, "--oauth-private-key-file"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_urls),
		cmocka_unit_test(test_which_may_be_asked),
		cmocka_unit_test(test_covers),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_resource),
		cmocka_unit_test(test_server),
		cmocka_unit_test(test_scopes),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_tokens),
		cmocka_unit_test(test_redirects),
		cmocka_unit_test(test_browser),
		cmocka_unit_test(test_challenge_of_verifier),
		cmocka_unit_test(test_store),
		cmocka_unit_test(test_over),
		cmocka_unit_test(companies_grant),
		cmocka_unit_test(proofs),
	};

	return cmocka_run_group_tests(tests, make, drop);
}
