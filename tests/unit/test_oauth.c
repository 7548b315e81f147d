/* SPDX-License-Identifier: MIT */
/* What is said in OAuth, from literal bytes; and files of logins. */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "auth/browser.h"
#include "auth/crypt.h"
#include "auth/store.h"
#include "auth/url.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/module.h"
#include "base/text.h"

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
		{ "https:/h/", NULL },
		{ "http:/h/", NULL },
		{ "https:///", NULL },
		{ "https://h:80/", "https://h:80" },
		{ "http://h:443/", "http://h:443" },
		{ "https://h:443", "https://h" },
		{ "https://h//", "https://h" },
		{ "https://h/a/?b", "https://h/a/?b" },
		{ "https://h/\"", NULL },
		{ "https://h/>", NULL },
		{ "https://h/!~", "https://h/!~" },
		{ "", NULL },
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
	assert_int_equal(
		auth_url_check("http://127.255.255.255/", "x", true, NULL), 0);
	assert_int_equal(
		auth_url_check("http://126.255.255.255/", "x", true, NULL), -1);
	assert_int_equal(auth_url_check("http://128.0.0.0/", "x", true, NULL),
			 -1);
	assert_int_equal(auth_url_check("http://[::2]/", "x", true, NULL), -1);
	assert_int_equal(auth_url_check("http://LocalHost/", "x", true, NULL),
			 0);
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
	assert_true(auth_url_covers("https://h/mcp", "https://h/mcp?x=/y"));
	assert_true(auth_url_covers("https://h/", "https://h"));
	assert_false(auth_url_covers("nothing", "https://h"));
	assert_false(auth_url_covers("https://h", "nothing"));
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
	resource_metadata_places(&w, "https://h//");
	places_are(&w, resource + 1);
	words_done(&w);
	resource_metadata_places(&w, "nothing");
	server_metadata_places(&w, "nothing");
	assert_int_equal(w.count, 0);
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
	assert_string_equal(
		err.text,
		"the metadata of 'https://h/mcp' names no authorization server");
	assert_int_equal(err.kind, ERR_PROTOCOL);
	assert_int_equal(read_resource("[]", &m, &err), -1);
	assert_string_equal(
		err.text,
		"the metadata of the resource is unusable: it is no object");
	assert_int_equal(read_resource("<html>", &m, &err), -1);
	assert_string_equal(
		err.text,
		"the metadata of the resource is unusable: invalid JSON at byte 0: a value is expected");
	assert_int_equal(
		read_resource("{\"authorization_servers\":[\"https://a\"]}", &m,
			      &err),
		0);
	assert_null(m.resource);
	assert_null(m.scopes);
	resource_metadata_done(&m);
	error_reset(&err);
}

/* Of a list so many words, and no more; what is no word is none of them. */
static void many_issuers(void **state)
{
	CLEANUP(buf_done) struct buf json = { 0 };
	struct resource_metadata m;
	struct error err = { 0 };

	(void)state;
	buf_text(&json, "{\"authorization_servers\":[\"\",7,\"a\\u0001\"");
	for (int i = 0; i < 65; i++)
		buf_printf(&json, ",\"https://%d.example\"", i);
	buf_text(&json, "]");
	json_add_text(&json, "resource", NULL);
	buf_text(&json, "}");
	assert_int_equal(read_resource(json.data, &m, &err), 0);
	assert_int_equal(m.issuers.count, 64);
	assert_string_equal(m.issuers.word[63], "https://63.example");
	resource_metadata_done(&m);
	buf_cut(&json, json.len - 1);
	json_add_text(&json, "resource", "https://evil");
	buf_text(&json, "}");
	assert_int_equal(read_resource(json.data, &m, &err), -1);
	assert_string_equal(
		err.hint,
		"its authorization server 'https://0.example, https://1.example, https://2.example, https://3.example' is a placeholder: nobody set its login up, so give it a token itself (MCPCTL_TOKEN, --token-file)");
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

static void check_union(const char *a, const char *b, const char *expected)
{
	CLEANUP(mem_free_ptr) char *all = scope_union(a, b);

	assert_string_equal(all, expected);
}

static void scopes_at_borders(void **state)
{
	(void)state;
	assert_true(scope_has("a b", "a", 1));
	assert_true(scope_has("a  b", "b", 1));
	assert_false(scope_has("ab", "a", 1));
	assert_false(scope_has("a", "ab", 2));
	assert_false(scope_has("", "a", 1));
	assert_false(scope_has(NULL, "a", 1));
	assert_true(scope_fits(""));
	assert_true(scope_fits(" !#[]~"));
	assert_false(scope_fits("\x1f"));
	assert_false(scope_fits("a\x7f"));
	assert_false(scope_fits("\""));
	assert_false(scope_fits("a\\"));
	assert_false(scope_fits("\xc3\xa9"));
	check_union(NULL, "a", "a");
	check_union("a", NULL, "a");
	check_union("  a  b ", "", "a b");
	check_union("a b", "b c a", "a b c");
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
	buf_text(&form, "https://h/?");
	form_add(&form, "a", "b");
	buf_text(&form, "&");
	form_add(&form, "c", "-._~");
	form_add(&form, "d", "e");
	assert_string_equal(buf_string(&form), "https://h/?a=b&c=-._~&d=e");
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

/* What will pass says nothing of who asked. */
static void test_refusals_that_pass(void **state)
{
	static const int later[] = { 408, 429, 500, 599 };
	static const int never[] = { 200, 400, 401, 407, 409, 428, 430, 499 };
	struct token_answer t;
	struct error err = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(later); i++) {
		assert_int_equal(
			read_token(later[i], "{\"error\":\"x\"}", &t, &err),
			-1);
		assert_int_equal(err.kind, ERR_CONNECT);
		assert_int_equal(err.code, later[i]);
	}
	for (size_t i = 0; i < COUNT(never); i++) {
		assert_int_equal(
			read_token(never[i], "{\"error\":\"x\"}", &t, &err),
			-1);
		assert_int_equal(err.kind, ERR_AUTH);
	}
	error_reset(&err);
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
	assert_string_equal(
		err.text,
		"the answer of 'as' has no access_token that can be sent");
	assert_int_equal(
		read_token(200,
			   "{\"access_token\":\"t\",\"token_type\":\"DPoP\"}",
			   &t, &err),
		-1);
	assert_string_equal(err.text,
			    "'as' gave a token of the type 'DPoP', not Bearer");
	assert_string_equal(err.hint, "no other type is spoken here");
	assert_int_equal(read_token(200, "<html>", &t, &err), -1);
	assert_int_equal(read_token(202, "{\"access_token\":\"t\"}", &t, &err),
			 -1);
	assert_string_equal(err.text, "'as' gave no token: HTTP 202");
	assert_int_equal(read_token(199, "{\"access_token\":\"t\"}", &t, &err),
			 -1);
	error_reset(&err);
}

/* A token of len bytes. */
static int read_long(size_t len)
{
	CLEANUP(mem_free_ptr) char *token = mem_zalloc(len + 1);
	CLEANUP(buf_done) struct buf body = { 0 };
	struct token_answer t;
	int status;

	memset(token, 'x', len);
	buf_printf(&body, "{\"access_token\":\"%s\"}", token);
	status = token_answer_read(&t, 200, body.data, body.len, "as", NULL);
	token_answer_done(&t);
	return status;
}

/* So many bytes, and no more, of a token and of a server's words. */
static void lengthy_answers(void **state)
{
	CLEANUP(buf_done) struct buf expected = { 0 };
	struct token_answer t;
	struct error err = { 0 };
	char words[162] = "";

	(void)state;
	assert_int_equal(read_long(1), 0);
	assert_int_equal(read_long(16384), 0);
	assert_int_equal(read_long(16385), -1);
	for (size_t len = 160; len <= 161; len++) {
		CLEANUP(buf_done) struct buf body = { 0 };

		memset(words, 'w', len);
		buf_printf(&body,
			   "{\"error\":\"e\",\"error_description\":\"%s\"}",
			   words);
		assert_int_equal(read_token(400, body.data, &t, &err), -1);
		buf_reset(&expected);
		buf_printf(&expected, "'as' gave no token: e (%.160s%s)", words,
			   len > 160 ? "\xe2\x80\xa6" : "");
		assert_string_equal(err.text, expected.data);
	}
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

/* Each made for this test alone. */
#define KEY_256                                                              \
	"-----BEGIN PRIVATE KEY-----\n"                                      \
	"MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgi6Sl72DRA2cNX6BU\n" \
	"iZPCS/v4//tNL5AAbfCvvvQlB+ahRANCAAS5MzAmzuDufyLoE78hbJ/1OAXPRKyY\n" \
	"nyPJXqL4FT/i08zQ1ey37jd7R7myg49gh4mTHIbO0843y6yqf+qCALaM\n"         \
	"-----END PRIVATE KEY-----\n"
#define KEY_384                                                              \
	"-----BEGIN PRIVATE KEY-----\n"                                      \
	"MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDCPTetmifXXC95/Pd2z\n" \
	"MnTGJT6HBgn2GcPu9F8RvPAma+SaeMUMdvGt+tLh7xQuM+ihZANiAASG+vXxf5m+\n" \
	"pT92tcWwBGR6vRbPOOBBwJ/WBFRIN9Zy3NcGPMtqCbhv1GW/XPsTzbEWYkwvo44e\n" \
	"DDe7ou4hk2ux6dZx0mhDH3kJ+ChjXILVh/wpxDBixoqZpMGagFRG368=\n"         \
	"-----END PRIVATE KEY-----\n"
#define KEY_RSA_1024                                                         \
	"-----BEGIN PRIVATE KEY-----\n"                                      \
	"MIICdQIBADANBgkqhkiG9w0BAQEFAASCAl8wggJbAgEAAoGBANTQTjYJTYqoH/cO\n" \
	"4hufXjok3zzoCS2ki7CbwcB0Ea7ye3DZMmfzMu/tfLnkTluzPO2rFQLq+JJ75P1D\n" \
	"auAHFajQTDvf1ZiSuTZHgW3cdpb7vP3i9VpNRNHEeTu6P4E+kWYHshW8vtHMuzll\n" \
	"EWVHQG/0bwe2UUHZPap6bBycqe7NAgMBAAECgYAlBLcWHzglzmkBCM28EFTLuG48\n" \
	"ogA2uFC0P+PMHmSVEgj28FEcU+mgYqc3jscynFMU5JWbFFR45qRGidulbJYPnd9X\n" \
	"HLyaHj8JOm4pd1hSNitgQd6trWTHfVxaXLQwtNZ7ICdWFjfdhcPnfa0LZfyfaIFY\n" \
	"8bioNov7TPJXAc6YAQJBAP/+GKSDI3zpaMLkPkAkoIErq/NQR0GmD3z9c2eDWfOg\n" \
	"kl2fF8qyiks92ZTBaGStADyLwPx+8tedNTCkPhSkCEECQQDU0eNdXzz4gMTcp+Ce\n" \
	"+YpdKMyyxIXt7EH2MiHxwcfgP1WU0f+eBKZp7HWEChSH2kbSo3fhfO6NerC7MTwJ\n" \
	"EKONAkA6Ulak7GeiZr8CX+O6011p8Fwtg+WoFEBFFq07MRbGRZfzEnLmMEUHnWC7\n" \
	"3lB9V1jNcn2WSQnki6F5ooGuTCzBAkATigWm7/SIGEJ6w8sCrYR/kxxgGVz2gCd6\n" \
	"NBYbvR/dvdLcq/8dAe5JcVVEvywtYOP5uNpr0G2Sfb42IYoShv2NAkApUCFDdGXQ\n" \
	"nIgruxeJ/cnDX1tYmyCIHbMxZkzEbMdxB8gC4MTW0MnVZIUk98HXHvpgT50K6A36\n" \
	"lYW3gTf01x9q\n"                                                     \
	"-----END PRIVATE KEY-----\n"

static void nonces(void **state)
{
	const struct auth_table *auth = module_table("auth", AUTH_TABLE, NULL);
	struct error err = { 0 };
	char *one = auth->nonce(32, &err), *other = auth->nonce(32, &err);

	(void)state;
	assert_string_not_equal(one, other);
	assert_int_equal(strspn(one, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmno"
				     "pqrstuvwxyz0123456789-_"),
			 43);
	mem_free(one);
	mem_free(other);
	one = auth->nonce(96, &err);
	assert_int_equal(strlen(one), 128);
	mem_free(one);
	assert_null(auth->nonce(97, &err));
	assert_string_equal(err.text, "OpenSSL does not do its work");
	error_reset(&err);
}

static char *assert_by(const char *key, struct error *err)
{
	const struct auth_table *auth = module_table("auth", AUTH_TABLE, NULL);
	const struct assertion a = { .client_id = "me\"",
				     .audience = "https://a",
				     .key = key,
				     .key_len = strlen(key),
				     .now = 1000 };

	return auth->assertion(&a, err);
}

/* The part of a token behind so many dots, decoded; yours. */
static char *part_of(const char *token, int dots)
{
	struct buf raw = { 0 };
	CLEANUP(buf_done) struct buf text = { 0 };

	while (dots--)
		token = strchr(token, '.') + 1;
	for (; *token && *token != '.'; token++)
		buf_char(&text, *token == '-' ? '+' :
				*token == '_' ? '/' :
						*token);
	assert_int_equal(text_base64_decode(text.data, text.len, &raw), 0);
	return buf_take(&raw);
}

static void what_an_assertion_says(void **state)
{
	CLEANUP(mem_free_ptr) char *token = assert_by(KEY_256, NULL);
	CLEANUP(mem_free_ptr) char *head = NULL, *claims = NULL;
	static const char start[] =
		"{\"iss\":\"me\\\"\",\"sub\":\"me\\\"\",\"aud\":\"https://a\",\"jti\":\"";
	static const char end[] = "\",\"iat\":1000,\"exp\":1240}";

	(void)state;
	assert_non_null(token);
	head = part_of(token, 0);
	assert_string_equal(head, "{\"alg\":\"ES256\",\"typ\":\"JWT\"}");
	claims = part_of(token, 1);
	assert_true(text_starts(claims, start));
	/* 16 bytes at random between. */
	assert_int_equal(strlen(claims), strlen(start) + 22 + strlen(end));
	assert_string_equal(claims + strlen(start) + 22, end);
	assert_null(strchr(token, '='));
}

static void keys_that_do_not_sign(void **state)
{
	static const char *const weak[] = { KEY_384, KEY_RSA_1024 };
	static const char *const none[] = { "", "x", "-----BEGIN PRIVATE KEY" };
	struct error err = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(weak); i++) {
		assert_null(assert_by(weak[i], &err));
		assert_int_equal(err.kind, ERR_USAGE);
		assert_string_equal(
			err.text,
			"the private key is neither EC on P-256 (ES256) nor RSA of 2,048 bits or more (RS256)");
		error_reset(&err);
	}
	for (size_t i = 0; i < COUNT(none); i++) {
		assert_null(assert_by(none[i], &err));
		assert_int_equal(err.kind, ERR_USAGE);
		assert_string_equal(
			err.text,
			"the private key file holds no private key in PEM without a passphrase");
		assert_string_equal(
			err.hint,
			"make it PKCS#8: openssl pkcs8 -topk8 -nocrypt");
		error_reset(&err);
	}
}

/* ---- registrations ---- */

static int read_registration(struct registration *r, int status,
			     const char *body, enum client_proof asked,
			     struct error *err)
{
	return registration_read(r, status, (struct span){ body, strlen(body) },
				 asked, "as", err);
}

static void registrations(void **state)
{
	char *text = registration_request("http://127.0.0.1:1/callback", "a b",
					  PROOF_POST, true);
	struct registration r;
	struct error err = { 0 };

	(void)state;
	assert_string_equal(
		text,
		"{\"client_name\":\"mcpctl\",\"redirect_uris\":[\"http://127.0.0.1:1/callback\"],\"grant_types\":[\"authorization_code\",\"refresh_token\"],\"response_types\":[\"code\"],\"application_type\":\"native\",\"token_endpoint_auth_method\":\"client_secret_post\",\"scope\":\"a b\"}");
	mem_free(text);
	text = registration_request("r", NULL, PROOF_NONE, false);
	assert_non_null(strstr(
		text,
		"\"grant_types\":[\"authorization_code\"],\"response_types\""));
	assert_non_null(
		strstr(text, "\"token_endpoint_auth_method\":\"none\"}"));
	mem_free(text);
	assert_int_equal(
		read_registration(
			&r, 201,
			"{\"client_id\":\"i\",\"client_secret\":\"s\",\"client_secret_expires_at\":99,\"token_endpoint_auth_method\":\"client_secret_basic\"}",
			PROOF_POST, &err),
		0);
	assert_string_equal(r.id, "i");
	assert_string_equal(r.secret, "s");
	assert_int_equal(r.secret_expires_at, 99);
	assert_int_equal(r.proof, PROOF_BASIC);
	registration_done(&r);
	/* What it does not say is as it was asked for; a key we have none of. */
	assert_int_equal(
		read_registration(
			&r, 200,
			"{\"client_id\":\"i\",\"client_secret\":\"s\",\"client_secret_expires_at\":-1,\"token_endpoint_auth_method\":\"private_key_jwt\"}",
			PROOF_POST, &err),
		0);
	assert_int_equal(r.proof, PROOF_POST);
	assert_int_equal(r.secret_expires_at, 0);
	registration_done(&r);
	assert_int_equal(read_registration(&r, 200, "{\"client_id\":\"i\"}",
					   PROOF_NONE, &err),
			 0);
	assert_null(r.secret);
	registration_done(&r);
	assert_int_equal(read_registration(&r, 200, "{\"client_id\":\"i\"}",
					   PROOF_BASIC, &err),
			 -1);
	assert_null(r.id);
	assert_int_equal(err.kind, ERR_PROTOCOL);
	assert_string_equal(
		err.text,
		"the registration at 'as' has no client_id or client_secret that can be sent");
	assert_int_equal(read_registration(&r, 200, "{\"client_id\":\"i d\"}",
					   PROOF_NONE, &err),
			 -1);
	assert_int_equal(
		read_registration(&r, 201,
				  "{\"client_id\":\"i\",\"error\":\"e\"}",
				  PROOF_NONE, &err),
		-1);
	assert_string_equal(err.text, "'as' gave no registration: e");
	assert_non_null(strstr(err.hint, "--oauth-client-id"));
	assert_int_equal(err.kind, ERR_AUTH);
	assert_int_equal(read_registration(&r, 500, "", PROOF_NONE, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_int_equal(err.code, 500);
	assert_string_equal(err.text, "'as' gave no registration: HTTP 500");
	/* It was not refused: nothing need be done by hand. */
	assert_string_equal(err.hint, "try again later");
	assert_int_equal(read_registration(&r, 429, "", PROOF_NONE, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_string_equal(err.hint, "try again later");
	error_reset(&err);
}

static void which_proof_is_registered(void **state)
{
	static const struct {
		const char *listed[3];
		enum client_proof proof;
	} rows[] = {
		{ { "client_secret_post", "client_secret_basic", "none" },
		  PROOF_NONE },
		{ { "client_secret_post", "client_secret_basic" },
		  PROOF_BASIC },
		{ { "private_key_jwt", "client_secret_post" }, PROOF_POST },
		{ { "private_key_jwt" }, PROOF_NONE },
	};
	struct server_metadata untold = { 0 };

	(void)state;
	assert_int_equal(client_proof_register(&untold), PROOF_BASIC);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct server_metadata m = { .methods_told = true };

		for (size_t k = 0; k < 3 && rows[i].listed[k]; k++)
			words_add(&m.methods, rows[i].listed[k]);
		assert_int_equal(client_proof_register(&m), rows[i].proof);
		words_done(&m.methods);
	}
	for (int i = 0; i <= PROOF_KEY; i++)
		assert_int_equal(client_proof_find(client_proof_name(
					 (enum client_proof)i)),
				 i);
	assert_int_equal(client_proof_find("tls_client_auth"), -1);
	assert_int_equal(client_proof_find(NULL), -1);
}

/* What an answer says beside its token, and what cannot be sent. */
static void what_a_token_says(void **state)
{
	static const struct {
		const char *body;
		int64_t expires_in;
	} rows[] = {
		{ "{\"access_token\":\"t\",\"expires_in\":0}", 0 },
		{ "{\"access_token\":\"t\"}", -1 },
		{ "{\"access_token\":\"t\",\"expires_in\":-5}", -1 },
		{ "{\"access_token\":\"t\",\"expires_in\":2147483647}",
		  2147483647 },
		{ "{\"access_token\":\"t\",\"expires_in\":2147483648}", -1 },
		{ "{\"access_token\":\"t\",\"expires_in\":\"60\"}", -1 },
	};
	static const char *const bad[] = { "{}", "{\"access_token\":\"\"}",
					   "{\"access_token\":\"a b\"}",
					   "{\"access_token\":\"a\\u007f\"}",
					   "{\"access_token\":7}" };
	struct token_answer t;
	struct error err = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_int_equal(read_token(201, rows[i].body, &t, &err), 0);
		assert_int_equal(t.expires_in, rows[i].expires_in);
		assert_null(t.refresh);
		assert_null(t.scope);
		assert_string_equal(t.code, "");
		token_answer_done(&t);
	}
	for (size_t i = 0; i < COUNT(bad); i++) {
		assert_int_equal(read_token(200, bad[i], &t, &err), -1);
		assert_int_equal(err.kind, ERR_PROTOCOL);
		assert_null(t.access);
	}
	assert_int_equal(
		read_token(
			200,
			"{\"access_token\":\"!~\",\"refresh_token\":\"r r\",\"scope\":\"a b\"}",
			&t, &err),
		0);
	assert_string_equal(t.access, "!~");
	assert_null(t.refresh);
	assert_string_equal(t.scope, "a b");
	token_answer_done(&t);
	assert_int_equal(
		read_token(200, "{\"access_token\":\"t\",\"scope\":\"a\\\\\"}",
			   &t, &err),
		0);
	assert_null(t.scope);
	token_answer_done(&t);
	/* An error with a token is an error. */
	assert_int_equal(
		read_token(200, "{\"access_token\":\"t\",\"error\":\"slow\"}",
			   &t, &err),
		-1);
	assert_string_equal(err.text, "'as' gave no token: slow");
	assert_int_equal(err.kind, ERR_AUTH);
	assert_int_equal(err.code, 200);
	assert_int_equal(
		read_token(
			500,
			"{\"error\":\"0123456789012345678901234567890123456789\",\"error_description\":\"\"}",
			&t, &err),
		-1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_string_equal(
		err.text,
		"'as' gave no token: 0123456789012345678901234567890123456789");
	/* No code is so long. */
	assert_string_equal(t.code, "");
	assert_int_equal(
		read_token(
			499,
			"{\"error\":\"012345678901234567890123456789012345678\"}",
			&t, &err),
		-1);
	assert_int_equal(err.kind, ERR_AUTH);
	assert_int_equal(strlen(t.code), 39);
	error_reset(&err);
}

/* ---- metadata that is told ---- */

static void what_a_server_says(void **state)
{
	static const char json[] = SERVER(
		S256 ",\"revocation_endpoint\":\"\","
		     "\"registration_endpoint\":\"https://a/r\","
		     "\"grant_types_supported\":[\"g\"],"
		     "\"scopes_supported\":[\"s\",\"\",7,\"a\\nb\"],"
		     "\"client_id_metadata_document_supported\":true,"
		     "\"authorization_response_iss_parameter_supported\":true");
	struct server_metadata m;
	struct error err = { 0 };

	(void)state;
	assert_int_equal(server_metadata_read(&m, json, strlen(json),
					      "https://a/p", false, &err),
			 0);
	assert_string_equal(m.issuer, "https://a/p");
	assert_string_equal(m.authorization, "https://a/auth");
	assert_string_equal(m.token, "https://a/token");
	assert_string_equal(m.registration, "https://a/r");
	assert_null(m.revocation);
	assert_true(m.grants_told);
	assert_false(m.methods_told);
	assert_int_equal(m.scopes.count, 1);
	assert_true(words_has(&m.grants, "g"));
	assert_true(m.client_documents);
	assert_true(m.tells_issuer);
	assert_false(m.assumed);
	server_metadata_done(&m);
	/* No codes, no PKCE. */
	assert_int_equal(read_server(SERVER(",\"grant_types_supported\":[]"),
				     "https://a/p", false),
			 0);
	assert_int_equal(
		read_server(
			SERVER(",\"grant_types_supported\":[\"authorization_code\"]"),
			"https://a/p", false),
		-1);
	assert_int_equal(
		server_metadata_read(&m, "[]", 2, "https://a/p", false, &err),
		-1);
	assert_string_equal(
		err.text,
		"the metadata of the authorization server is unusable: it is no object");
	assert_int_equal(
		server_metadata_read(&m, "{}", 2, "https://a/p", false, &err),
		-1);
	assert_string_equal(
		err.text,
		"the metadata of the authorization server 'https://a/p' is of another one, ''");
	assert_string_equal(
		err.hint,
		"both must be the same to the last character (RFC 8414, 3.3); tell who runs the server");
	assert_int_equal(server_metadata_read(&m, SERVER(""),
					      strlen(SERVER("")), "https://a/p",
					      false, &err),
			 -1);
	assert_string_equal(
		err.text,
		"the authorization server 'https://a/p' does not say that it checks PKCE by S256");
	assert_string_equal(
		err.hint,
		"without it a code could be stolen; tell who runs the server (code_challenge_methods_supported)");
	assert_int_equal(server_metadata_read(&m, "{\"issuer\":\"i\"}", 14, "i",
					      false, &err),
			 -1);
	assert_string_equal(err.text,
			    "the metadata of 'i' has no token_endpoint");
	server_metadata_assume(&m, "https://h");
	assert_string_equal(m.issuer, "https://h");
	assert_string_equal(m.authorization, "https://h/authorize");
	assert_string_equal(m.token, "https://h/token");
	assert_string_equal(m.registration, "https://h/register");
	assert_true(m.assumed);
	assert_true(m.methods_told);
	assert_int_equal(client_proof_register(&m), PROOF_NONE);
	server_metadata_done(&m);
	error_reset(&err);
}

/* A server that was never set up says what its library does. */
static void placeholders(void **state)
{
	static const struct {
		const char *issuers;
		bool placeholder;
	} rows[] = {
		{ "\"https://auth.example.com/x\"", true },
		{ "\"http://EXAMPLE/\"", true },
		{ "\"https://a.example\"", true },
		{ "\"https://example:8/\",\"https://b.example?q\"", true },
		{ "\"https://auth.examples.com\"", false },
		{ "\"https://h/example.com\"", false },
		{ "\"https://example.com\",\"https://h\"", false },
		{ "", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(error_reset) struct error err = { 0 };
		CLEANUP(mem_free_ptr)
		char *json = mem_printf(
			"{\"resource\":\"https://evil\",\"authorization_servers\":[%s],\"scopes_supported\":[\"s\"]}",
			rows[i].issuers);
		struct resource_metadata m;

		assert_int_equal(read_resource(json, &m, &err), -1);
		assert_string_equal(
			err.text,
			"the metadata of 'https://h/mcp' is of another resource, 'https://evil'");
		if (!strstr(err.hint, "is a placeholder, scopes s: ") ==
		    rows[i].placeholder)
			fail_msg("%s: %s", rows[i].issuers, err.hint);
		if (!strstr(err.hint, "is the target's address right?") !=
		    rows[i].placeholder)
			fail_msg("%s: %s", rows[i].issuers, err.hint);
	}
}

static void urls_in_words(void **state)
{
	struct error err = { 0 };
	struct auth_url u;
	char *text;

	(void)state;
	assert_int_equal(auth_url_check("http://localhost/", "x", false, &err),
			 -1);
	assert_string_equal(
		err.text,
		"x 'http://localhost/' is plain http on this machine");
	assert_non_null(strstr(err.hint, "the server is elsewhere"));
	assert_int_equal(auth_url_check("http://h/", "x", true, &err), -1);
	assert_string_equal(err.text, "x 'http://h/' is plain http");
	assert_non_null(strstr(err.hint, "tokens must not go there"));
	assert_int_equal(auth_url_read(&u, "ftp://h/", "x", &err), -1);
	assert_string_equal(err.text, "x 'ftp://h/' is no http or https URL");
	assert_int_equal(auth_url_read(&u, "hTtPs://H/p?q?r", "x", &err), 0);
	assert_true(u.tls);
	assert_false(u.loopback);
	assert_string_equal(u.host, "h");
	assert_string_equal(u.path, "/p");
	assert_string_equal(u.query, "q?r");
	auth_url_done(&u);
	assert_int_equal(auth_url_read(&u, "http://h?q", "x", &err), 0);
	assert_string_equal(u.path, "");
	assert_string_equal(u.query, "q");
	assert_string_equal(u.origin, "http://h");
	auth_url_done(&u);
	assert_int_equal(auth_url_read(&u, "https://h/#x", "x", &err), -1);
	assert_int_equal(auth_url_read(&u, "https://h/<b>", "x", &err), -1);
	assert_int_equal(auth_url_read(&u, "https://h/\x7f", "x", &err), -1);
	/* So many bytes and no more. */
	text = mem_alloc(AUTH_URL_MAX + 2);
	memset(text, 'a', AUTH_URL_MAX + 1);
	memcpy(text, "https://h/", 10);
	text[AUTH_URL_MAX + 1] = '\0';
	assert_int_equal(auth_url_read(&u, text, "x", NULL), -1);
	text[AUTH_URL_MAX] = '\0';
	assert_int_equal(auth_url_read(&u, text, "x", NULL), 0);
	auth_url_done(&u);
	mem_free(text);
	error_reset(&err);
}

static void back_in_words(void **state)
{
	struct error err = { 0 };
	char *code;

	(void)state;
	assert_int_equal(redirect("error=e&error_description=d%20d&state=S",
				  false, &code, &err),
			 -1);
	assert_string_equal(err.text,
			    "'https://a/p' did not let you in: e (d d)");
	assert_int_equal(redirect("error=e&state=S", false, &code, &err), -1);
	assert_string_equal(err.text, "'https://a/p' did not let you in: e");
	assert_int_equal(redirect("state=S", false, &code, &err), -1);
	assert_string_equal(
		err.text, "'https://a/p' sent the browser back without a code");
	assert_null(code);
	assert_int_equal(redirect("state=S&code=", false, &code, &err), -1);
	assert_null(code);
	assert_int_equal(redirect("state=S&code=c", true, &code, &err), -1);
	assert_string_equal(
		err.text,
		"what the browser brought back does not say that it is of 'https://a/p'");
	assert_int_equal(redirect("state=S&code=c&iss=x", false, &code, &err),
			 -1);
	assert_string_equal(
		err.text,
		"what the browser brought back is of another authorization server than 'https://a/p'");
	assert_int_equal(err.kind, ERR_PROTOCOL);
	assert_string_equal(
		err.hint,
		"nothing of it was used (RFC 9207); a server in between may have tried to get the code");
	error_reset(&err);
}

static char folder[] = "/tmp/mcpctl-oauth-XXXXXX";

/* ---- browsers ---- */

/* What the browser that is started leaves behind; yours. */
static char *opened(const char *browser, const char *url)
{
	CLEANUP(mem_free_ptr) char *path = mem_printf("%s/seen", folder);
	struct buf out = { 0 };
	char part[1024];
	pid_t pid;
	FILE *f;
	size_t got;

	setenv("BROWSER", browser, 1);
	pid = browser_open(url);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	f = fopen(path, "re");
	assert_non_null(f);
	while ((got = fread(part, 1, sizeof(part), f)) > 0)
		buf_add(&out, part, got);
	fclose(f);
	unlink(path);
	return buf_take(&out);
}

static void browsers(void **state)
{
	CLEANUP(mem_free_ptr) char *script = mem_printf("%s/b", folder);
	CLEANUP(mem_free_ptr)
	char *list = mem_printf("/none/of/these::%s 'a b':/nor/this", script);
	char *seen;
	bool set = false;
	FILE *f = fopen(script, "we");

	(void)state;
	fprintf(f,
		"#!/bin/sh\nIFS='|'\necho \"$*|$FROM_US|$MCPCTL_TOKEN|$(readlink /proc/$$/fd/0)\" >%s/seen\n",
		folder);
	fclose(f);
	chmod(script, 0700);
	setenv("FROM_US", "yes", 1);
	setenv("MCPCTL_TOKEN", "secret", 1);
	seen = opened(list, "https://h/?a b");
	assert_string_equal(seen, "a b|https://h/?a b|yes||/dev/null\n");
	mem_free(seen);
	unsetenv("MCPCTL_TOKEN");
	unsetenv("DISPLAY");
	unsetenv("WAYLAND_DISPLAY");
	assert_true(browser_is_there(&set));
	assert_true(set);
	setenv("BROWSER", "/none/of/these", 1);
	assert_int_equal(browser_open("https://h/"), 0);
	setenv("BROWSER", "", 1);
	assert_false(browser_is_there(&set));
	assert_false(set);
	assert_int_equal(browser_open("https://h/"), 0);
	unsetenv("BROWSER");
	setenv("DISPLAY", ":9", 1);
	assert_true(browser_is_there(&set));
	assert_false(set);
	unsetenv("DISPLAY");
	setenv("WAYLAND_DISPLAY", "w", 1);
	assert_true(browser_is_there(NULL));
	unsetenv("WAYLAND_DISPLAY");
	unlink(script);
}

/* ---- files ---- */

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

/* The only file of the folder, whose name is a sum of what it is of; yours. */
static char *only_file(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *d;
	char *out = NULL;

	assert_non_null(dir);
	while ((d = readdir(dir))) {
		if (d->d_name[0] != '.') {
			assert_null(out);
			out = mem_printf("%s%s", path, d->d_name);
		}
	}
	closedir(dir);
	assert_non_null(out);
	return out;
}

static void test_store(void **state)
{
	char *path = mem_printf("%s/oauth/", folder);
	struct login_entry e = an_entry(), got;
	struct error err = { 0 };
	struct stat st;
	char *file;
	int n = 0, lock;

	(void)state;
	assert_int_equal(store_find(&got, path, e.server, &err), 0);
	assert_int_equal(store_keep(path, &e, &err), 0);
	assert_int_equal(store_find(&got, path, e.server, &err), 1);
	assert_string_equal(got.client_secret, "s\"x");
	assert_string_equal(got.refresh, "RT");
	assert_string_equal(got.server, "https://h/mcp");
	assert_string_equal(got.issuer, "https://a");
	assert_string_equal(got.client_id, "me");
	assert_string_equal(got.token_endpoint, "https://a/token");
	assert_string_equal(got.requested, "r w");
	assert_null(got.revocation_endpoint);
	assert_int_equal(got.obtained_at, 1000);
	assert_null(got.resource);
	assert_int_equal(got.proof, PROOF_POST);
	assert_int_equal(got.expires_at, 4600);
	login_entry_done(&got);
	assert_int_equal(store_find(&got, path, "https://h:1/mcp", &err), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	store_each(path, count, &n);
	assert_int_equal(n, 1);
	file = only_file(path);
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	mem_free(file);
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

static int put(const char *path, const char *text)
{
	return file_replace(path, 0600, text, strlen(text));
}

static void of_clients(void **state)
{
	char *path = mem_printf("%s/clients/", folder);
	struct registration r = { .id = mem_strdup("i"),
				  .secret = mem_strdup("s"),
				  .proof = PROOF_POST,
				  .secret_expires_at = 77,
				  .port = 65535 };
	struct registration got;
	struct error err = { 0 };

	(void)state;
	assert_int_equal(store_client_find(&got, path, "https://a", &err), 0);
	assert_int_equal(store_client_keep(path, "https://a", &r, &err), 0);
	assert_int_equal(store_client_find(&got, path, "https://a", &err), 1);
	assert_string_equal(got.id, "i");
	assert_string_equal(got.secret, "s");
	assert_int_equal(got.proof, PROOF_POST);
	assert_int_equal(got.secret_expires_at, 77);
	assert_int_equal(got.port, 65535);
	registration_done(&got);
	assert_int_equal(store_client_find(&got, path, "https://b", &err), 0);
	chmod(path, 0705);
	assert_int_equal(store_client_find(&got, path, "https://a", &err), -1);
	chmod(path, 0700);
	store_client_drop(path, "https://a");
	assert_int_equal(store_client_find(&got, path, "https://a", &err), 0);
	registration_done(&r);
	error_reset(&err);
	mem_free(path);
}

/* A copy has texts of its own, in place of those that it had. */
static void copies(void **state)
{
	struct login_entry e = an_entry(), copy = an_entry();
	char **from[] = { &e.server,	    &e.issuer,
			  &e.resource,	    &e.client_id,
			  &e.client_secret, &e.token_endpoint,
			  &e.access,	    &e.revocation_endpoint,
			  &e.refresh,	    &e.scope,
			  &e.requested };
	char **to[] = { &copy.server,	     &copy.issuer,
			&copy.resource,	     &copy.client_id,
			&copy.client_secret, &copy.token_endpoint,
			&copy.access,	     &copy.revocation_endpoint,
			&copy.refresh,	     &copy.scope,
			&copy.requested };

	(void)state;
	for (size_t i = 0; i < COUNT(from); i++) {
		mem_free(*from[i]);
		*from[i] = mem_printf("text %zu", i);
	}
	e.proof = PROOF_BASIC;
	e.expires_at = 9;
	login_entry_copy(&copy, &e);
	for (size_t i = 0; i < COUNT(from); i++) {
		assert_ptr_not_equal(*to[i], *from[i]);
		assert_string_equal(*to[i], *from[i]);
	}
	assert_int_equal(copy.proof, PROOF_BASIC);
	assert_int_equal(copy.expires_at, 9);
	login_entry_done(&e);
	login_entry_done(&copy);
	assert_null(copy.access);
}

static void files_that_are_none(void **state)
{
	static const char whole[] =
		"{\"server\":\"https://h/mcp\",\"issuer\":\"i\",\"client_id\":\"c\",\"token_endpoint\":\"t\",\"access_token\":\"AT\"}";
	static const char *const missing[] = {
		"{\"issuer\":\"i\",\"client_id\":\"c\",\"token_endpoint\":\"t\",\"access_token\":\"AT\"}",
		"{\"server\":\"https://h/mcp\",\"client_id\":\"c\",\"token_endpoint\":\"t\",\"access_token\":\"AT\"}",
		"{\"server\":\"https://h/mcp\",\"issuer\":\"i\",\"token_endpoint\":\"t\",\"access_token\":\"AT\"}",
		"{\"server\":\"https://h/mcp\",\"issuer\":\"i\",\"client_id\":\"c\",\"access_token\":\"AT\"}",
		"{\"server\":\"https://h/mcp\",\"issuer\":\"i\",\"client_id\":\"c\",\"token_endpoint\":\"t\"}",
		"{\"server\":\"https://H/mcp\",\"issuer\":\"i\",\"client_id\":\"c\",\"token_endpoint\":\"t\",\"access_token\":\"AT\"}",
	};
	char *path = mem_printf("%s/none/", folder), *file, *odd;
	struct login_entry e = an_entry(), got;
	struct error err = { 0 };
	int n = 0;

	(void)state;
	assert_int_equal(store_keep(path, &e, &err), 0);
	login_entry_done(&e);
	file = only_file(path);
	/* What it need not say is nothing. */
	assert_int_equal(put(file, whole), 0);
	assert_int_equal(store_find(&got, path, "https://h/mcp", &err), 1);
	assert_int_equal(got.proof, PROOF_NONE);
	assert_int_equal(got.expires_at, 0);
	assert_null(got.refresh);
	login_entry_done(&got);
	for (size_t i = 0; i < COUNT(missing); i++) {
		assert_int_equal(put(file, missing[i]), 0);
		assert_int_equal(store_find(&got, path, "https://h/mcp", &err),
				 -1);
		assert_non_null(
			strstr(err.text, "is no login of 'https://h/mcp'"));
		assert_null(got.access);
	}
	assert_int_equal(put(file, "{"), 0);
	assert_int_equal(store_find(&got, path, "https://h/mcp", &err), -1);
	assert_non_null(strstr(err.text, ".login.json' is broken: "));
	assert_string_equal(err.hint, "remove it, and log in again");
	/* Neither that nor what is named otherwise is shown. */
	odd = mem_printf("%sother.login.json", path);
	assert_int_equal(put(odd, whole), 0);
	store_each(path, count, &n);
	assert_int_equal(n, 0);
	assert_int_equal(put(file, whole), 0);
	store_each(path, count, &n);
	assert_int_equal(n, 1);
	chmod(file, 0604);
	assert_int_equal(store_find(&got, path, "https://h/mcp", &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(
		strstr(err.text, "holds logins, and others may read it"));
	assert_non_null(strstr(err.hint, "chmod go= '"));
	/* No link leads elsewhere. */
	unlink(file);
	assert_int_equal(symlink(odd, file), 0);
	assert_int_equal(store_find(&got, path, "https://h/mcp", &err), -1);
	assert_non_null(strstr(err.text, "cannot read '"));
	/* A file where the folder should be. */
	mem_free(path);
	path = mem_printf("%s/", odd);
	e = an_entry();
	assert_int_equal(store_keep(path, &e, &err), -1);
	assert_non_null(strstr(err.text, "is no folder"));
	assert_int_equal(store_lock(path, "s", &err), -1);
	assert_non_null(strstr(err.text, "is no folder"));
	mem_free(path);
	path = mem_printf("%s/not/there/", folder);
	assert_int_equal(store_keep(path, &e, &err), -1);
	assert_int_equal(err.kind, ERR_OUTPUT);
	assert_non_null(strstr(err.text, "the login was not kept in '"));
	assert_string_equal(err.hint, "what was kept before is unhurt");
	assert_int_equal(err.code, ENOENT);
	assert_int_equal(store_lock(path, "s", &err), -1);
	assert_non_null(strstr(err.text, "the lock was not kept in '"));
	login_entry_done(&e);
	error_reset(&err);
	mem_free(path);
	mem_free(file);
	mem_free(odd);
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
	assert_string_equal(
		err.text,
		"the answer of 'idp' has no access_token that can be sent");
	assert_int_equal(read_grant(&grant, "7", "\"g\"", &err), -1);
	assert_int_equal(err.kind, ERR_PROTOCOL);
	assert_string_equal(
		err.text,
		"'idp' gave a token of the type '' in place of an identity assertion grant (id-jag)");
	assert_null(grant);
	assert_int_equal(read_grant(&grant, "\"x\"", "\"g\"", &err), -1);
	assert_string_equal(
		err.text,
		"'idp' gave a token of the type 'x' in place of an identity assertion grant (id-jag)");
	assert_int_equal(
		read_grant(&grant, id_jag, "\"g\",\"error\":\"e\"", &err), -1);
	assert_string_equal(err.text, "'idp' gave no grant: e");
	assert_int_equal(
		exchange_read(&grant, 503, (struct span){ "", 0 }, "idp", &err),
		-1);
	assert_string_equal(err.text, "'idp' gave no grant: HTTP 503");
	assert_int_equal(err.kind, ERR_CONNECT);
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
		cmocka_unit_test(scopes_at_borders),
		cmocka_unit_test(many_issuers),
		cmocka_unit_test(lengthy_answers),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_refusals_that_pass),
		cmocka_unit_test(test_tokens),
		cmocka_unit_test(test_redirects),
		cmocka_unit_test(test_browser),
		cmocka_unit_test(test_challenge_of_verifier),
		cmocka_unit_test(nonces),
		cmocka_unit_test(what_an_assertion_says),
		cmocka_unit_test(keys_that_do_not_sign),
		cmocka_unit_test(test_store),
		cmocka_unit_test(test_over),
		cmocka_unit_test(registrations),
		cmocka_unit_test(which_proof_is_registered),
		cmocka_unit_test(what_a_token_says),
		cmocka_unit_test(what_a_server_says),
		cmocka_unit_test(placeholders),
		cmocka_unit_test(urls_in_words),
		cmocka_unit_test(back_in_words),
		cmocka_unit_test(browsers),
		cmocka_unit_test(of_clients),
		cmocka_unit_test(copies),
		cmocka_unit_test(files_that_are_none),
		cmocka_unit_test(companies_grant),
		cmocka_unit_test(proofs),
	};

	return cmocka_run_group_tests(tests, make, drop);
}
