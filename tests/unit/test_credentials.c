/* SPDX-License-Identifier: MIT */
/*
 * Logins of a target, out of options and of the entry of a configuration: what
 * is settled before anybody is asked. Nothing is dialled.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "auth/flow.h"
#include "base/mem.h"
#include "cli/credentials.h"
#include "folder.h"
#include "net/head.h"

static struct app app;
static struct endpoint e;
static struct error err;

static int begin(void **state)
{
	(void)state;
	app = (struct app){ 0 };
	setenv("XDG_STATE_HOME", folder, 1);
	unsetenv("MCPCTL_OAUTH_CLIENT_SECRET");
	return 0;
}

static int end(void **state)
{
	(void)state;
	credentials_done(&app);
	endpoint_done(&e);
	error_reset(&err);
	loop_free(app.loop);
	return 0;
}

static void parse(const char *target)
{
	endpoint_done(&e);
	assert_int_equal(endpoint_parse(&e, target, "the argument", &err), 0);
}

/* oauth: of the entry; NULL: it has none. */
static int attach(const char *target, const char *oauth)
{
	error_reset(&err);
	parse(target);
	app.config.target = target;
	e.oauth = mem_strdup(oauth);
	return credentials_attach(&e, &app, &err);
}

static const struct auth_settings *settings(const char *target,
					    const char *oauth)
{
	const struct credentials *c;

	if (attach(target, oauth) != 0)
		fail_msg("%s", err.text);
	c = credentials_of(&app, &e);
	assert_non_null(c);
	return credentials_settings(c);
}

static void refused(const char *oauth, const char *says, const char *hint)
{
	assert_int_equal(attach("https://h.example/mcp", oauth), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	if (!strstr(err.text, says) || !strstr(err.hint, hint))
		fail_msg("'%s' (%s) does not say '%s' (%s)", err.text, err.hint,
			 says, hint);
	assert_null(e.bearer);
}

/* ---- whether there is one ---- */

static void none(const char *target, const char *oauth)
{
	assert_int_equal(attach(target, oauth), 0);
	assert_null(e.bearer);
	assert_null(app.credentials);
}

static void test_none(void **state)
{
	(void)state;
	none("ws://h.example/", NULL);
	none("https://h.example/", "false");
	app.config.no_oauth = true;
	none("https://h.example/", NULL);
	app.config.no_oauth = false;
	app.config.stranger = true;
	none("https://h.example/", NULL);
	app.config.stranger = false;
	/* The user gives a token. */
	parse("https://h.example/");
	headers_add(&e.headers, "authorization", "Bearer x");
	assert_int_equal(credentials_attach(&e, &app, &err), 0);
	assert_null(e.bearer);
	assert_null(credentials_of(&app, &e));
}

/* Of one server and one way to call it there is one. */
static void test_same(void **state)
{
	const void *first;

	(void)state;
	settings("https://h.example/mcp", NULL);
	first = e.bearer;
	assert_non_null(first);
	settings("https://h.example/mcp", NULL);
	assert_ptr_equal(e.bearer, first);
	settings("https://h.example/other", NULL);
	assert_ptr_not_equal(e.bearer, first);
	assert_string_equal(
		credentials_settings(credentials_of(&app, &e))->server,
		"https://h.example/other");
	settings("https://h.example/mcp", NULL);
	assert_ptr_equal(e.bearer, first);
	/* By a name it is another's login. */
	parse("https://h.example/mcp");
	app.config.target = "named";
	assert_int_equal(credentials_attach(&e, &app, &err), 0);
	assert_ptr_not_equal(e.bearer, first);
}

/* ---- from options ---- */

static void test_options(void **state)
{
	const struct auth_settings *s;
	CLEANUP(mem_free_ptr) char *secret = folder_write("s", "hush\n", 5);
	CLEANUP(mem_free_ptr) char *key = folder_write("k", "PEM", 3);
	CLEANUP(mem_free_ptr) char *identity = folder_write("i", "tok \r\n", 6);
	CLEANUP(mem_free_ptr) char *kept = folder_path("mcpctl/oauth/");

	(void)state;
	s = settings("http://h.example:81/mcp", NULL);
	assert_string_equal(s->server, "http://h.example:81/mcp");
	assert_string_equal(s->name, "http://h.example:81/mcp");
	assert_string_equal(s->folder, kept);
	assert_null(s->client_id);
	assert_null(s->client_secret);
	assert_null(s->scope);
	assert_null(s->key);
	assert_null(s->idp_token);
	assert_int_equal(s->grant, GRANT_AUTO);
	assert_int_equal(s->timeout, 0);
	assert_ptr_equal(s->loop, app.loop);
	app.config.oauth_client_id = "me";
	app.config.oauth_client_document = "https://me.example/client.json";
	app.config.oauth_issuer = "https://as.example";
	app.config.oauth_scope = "a b";
	app.config.oauth_secret_file = secret;
	app.config.oauth_key_file = key;
	app.config.oauth_idp_token_file = identity;
	app.config.oauth_idp_endpoint = "https://idp.example/token";
	app.config.oauth_idp_client_id = "idp-me";
	app.config.oauth_grant = GRANT_CODE;
	app.config.oauth_timeout = 7000;
	app.config.config_file = "it's";
	s = settings("https://h.example:443/mcp", NULL);
	assert_string_equal(s->client_id, "me");
	assert_string_equal(s->client_document,
			    "https://me.example/client.json");
	assert_string_equal(s->issuer, "https://as.example");
	assert_string_equal(s->scope, "a b");
	assert_string_equal(s->client_secret, "hush");
	assert_int_equal(s->key_len, 3);
	assert_memory_equal(s->key, "PEM", 3);
	assert_string_equal(s->idp_token, "tok");
	assert_string_equal(s->idp_endpoint, "https://idp.example/token");
	assert_string_equal(s->idp_client_id, "idp-me");
	assert_int_equal(s->grant, GRANT_CODE);
	assert_int_equal(s->timeout, 7000);
}

/* Its own server is reached as the target is. */
static void test_way(void **state)
{
	const struct endpoint *way;

	(void)state;
	parse("https://h.example/");
	app.config.target = "named";
	app.config.config_file = "it's";
	e.cacert = mem_strdup("ca.pem");
	e.proxy = mem_strdup("http://p:1");
	e.insecure = true;
	e.connect_timeout = 1234;
	words_add(&e.resolve, "h.example:443:127.0.0.1");
	assert_int_equal(credentials_attach(&e, &app, &err), 0);
	way = credentials_settings(credentials_of(&app, &e))->way;
	assert_string_equal(way->cacert, "ca.pem");
	assert_string_equal(way->proxy, "http://p:1");
	assert_true(way->insecure);
	assert_int_equal(way->connect_timeout, 1234);
	assert_int_equal(way->resolve.count, 1);
	assert_string_equal(way->resolve.word[0], "h.example:443:127.0.0.1");
	assert_string_equal(
		credentials_settings(credentials_of(&app, &e))->name,
		"--config 'it'\\''s' -t named");
}

static void test_wrong_options(void **state)
{
	CLEANUP(mem_free_ptr) char *file = folder_write("f", "x", 1);
	CLEANUP(mem_free_ptr) char *blank = folder_write("b", " \n", 2);
	CLEANUP(mem_free_ptr) char *nul = folder_write("n", "a\0b", 3);
	static char bytes[70000];
	CLEANUP(mem_free_ptr) char *large = NULL;

	(void)state;
	memset(bytes, 'x', sizeof(bytes));
	large = folder_write("l", bytes, sizeof(bytes));
	app.config.oauth_client_document = "http://me.example/client.json";
	refused(NULL, "option '--oauth-client-metadata-url'",
		"it must be an https URL");
	app.config.oauth_client_document = NULL;
	app.config.oauth_client_id = "me";
	app.config.oauth_idp_token_file = file;
	refused(NULL, "belong together", "give both");
	app.config.oauth_idp_token_file = NULL;
	app.config.oauth_idp_endpoint = "https://idp.example/";
	refused(NULL, "belong together", "give both");
	app.config.oauth_idp_token_file = blank;
	refused(NULL, "holds no token", "");
	app.config.oauth_idp_token_file = nul;
	refused(NULL, "holds no token", "");
	app.config.oauth_idp_token_file = "/nonexistent/i";
	refused(NULL, "'/nonexistent/i'", "");
	app.config.oauth_idp_token_file = large;
	refused(NULL, "64 kB", "");
	app.config.oauth_idp_token_file = file;
	app.config.oauth_client_id = NULL;
	refused(NULL, "logs in with the identity token was not said",
		"--oauth-client-id");
	app.config.oauth_idp_token_file = app.config.oauth_idp_endpoint = NULL;
	app.config.oauth_secret_file = file;
	refused(NULL, "whose secret or key it is was not said",
		"--oauth-client-id");
	app.config.oauth_secret_file = NULL;
	app.config.oauth_key_file = file;
	refused(NULL, "whose secret or key it is was not said", "");
	app.config.oauth_client_id = "me";
	app.config.oauth_key_file = "/nonexistent/k";
	refused(NULL, "'/nonexistent/k'", "");
	app.config.oauth_key_file = large;
	refused(NULL, "64 kB", "");
	app.config.oauth_key_file = NULL;
	app.config.oauth_secret_file = "/nonexistent/s";
	refused(NULL, "'/nonexistent/s'", "");
	app.config.oauth_secret_file = NULL;
	app.config.oauth_scope = "a \"b";
	refused(NULL, "option '--oauth-scope'", "");
}

/* That of the environment goes with a client, and to no stranger. */
static void test_secret(void **state)
{
	(void)state;
	setenv("MCPCTL_OAUTH_CLIENT_SECRET", "outside", 1);
	assert_null(settings("https://h.example/1", NULL)->client_secret);
	assert_string_equal(
		settings("https://h.example/2", "{\"client_id\":\"me\"}")
			->client_secret,
		"outside");
	parse("https://h.example/3");
	e.oauth = mem_strdup("{\"client_id\":\"me\"}");
	e.foreign = true;
	assert_int_equal(credentials_attach(&e, &app, &err), 0);
	assert_null(
		credentials_settings(credentials_of(&app, &e))->client_secret);
}

/* ---- from an entry ---- */

static void test_entry(void **state)
{
	const struct auth_settings *s;
	CLEANUP(mem_free_ptr) char *file = folder_write("f", "x", 1);
	CLEANUP(mem_free_ptr)
	char *all = mem_printf(
		"{\"client_id\":\"${CREDENTIAL_ID}\",\"client_metadata_url\":"
		"\"https://me.example/c\",\"issuer\":\"https://as.example\","
		"\"scope\":\"a b\",\"client_secret_file\":\"%s\","
		"\"private_key_file\":\"%s\",\"idp_token_file\":\"%s\","
		"\"idp_token_endpoint\":\"https://idp.example/\","
		"\"idp_client_id\":\"i\",\"grant\":\"client-credentials\"}",
		file, file, file);
	CLEANUP(mem_free_ptr)
	char *other = mem_printf(
		"{\"clientId\":\"me\",\"clientMetadataUrl\":"
		"\"https://me.example/c\",\"authServer\":\"https://as.example\""
		",\"scopes\":\"c\",\"clientSecretFile\":\"%s\","
		"\"privateKeyFile\":\"%s\",\"idpTokenFile\":\"%s\","
		"\"idpTokenEndpoint\":\"https://idp.example/\","
		"\"idpClientId\":\"i\",\"grant\":\"code\"}",
		file, file, file);
	const char *const forms[] = { all, other };

	(void)state;
	setenv("CREDENTIAL_ID", "me", 1);
	for (size_t i = 0; i < COUNT(forms); i++) {
		CLEANUP(mem_free_ptr)
		char *target = mem_printf("https://h.example/%zu", i);

		s = settings(target, forms[i]);
		assert_string_equal(s->client_id, "me");
		assert_string_equal(s->client_document, "https://me.example/c");
		assert_string_equal(s->issuer, "https://as.example");
		assert_string_equal(s->scope, i ? "c" : "a b");
		assert_string_equal(s->client_secret, "x");
		assert_int_equal(s->key_len, 1);
		assert_string_equal(s->idp_token, "x");
		assert_string_equal(s->idp_endpoint, "https://idp.example/");
		assert_string_equal(s->idp_client_id, "i");
		assert_int_equal(s->grant, i ? GRANT_CODE : GRANT_CLIENT);
	}
	s = settings("https://h.example/list", "{\"scopes\":[\"x\",\"y\"]}");
	assert_string_equal(s->scope, "x y");
	s = settings("https://h.example/empty", "{\"scopes\":[]}");
	assert_null(s->scope);
	/* Options count before it. */
	app.config.oauth_scope = "mine";
	app.config.oauth_client_id = "mine";
	app.config.oauth_grant = GRANT_CODE;
	s = settings("https://h.example/options",
		     "{\"scopes\":[\"x\"],\"client_id\":\"its\","
		     "\"grant\":\"client-credentials\"}");
	assert_string_equal(s->scope, "mine");
	assert_string_equal(s->client_id, "mine");
	assert_int_equal(s->grant, GRANT_CODE);
}

static void test_wrong_entries(void **state)
{
	static const struct {
		const char *oauth, *says;
	} rows[] = {
		{ "{", "" },
		{ "true", "neither an object nor false" },
		{ "{\"client_secret\":\"x\"}", "\"client_secret\" must not" },
		{ "{\"client_id\":7}", "\"client_id\" is no text" },
		{ "{\"clientId\":7}", "\"client_id\" is no text" },
		{ "{\"issuer\":\"${CREDENTIAL_NONE}\"}",
		  "\"issuer\": the variable 'CREDENTIAL_NONE' is not set" },
		{ "{\"scopes\":[\"a\",7]}", "\"scopes\" holds what is no" },
		{ "{\"scope\":[\"a\"]}", "\"scope\" is no text" },
		{ "{\"grant\":\"odd\"}", "\"grant\" is none of auto, code" },
		{ "{\"private_key_file\":\"/x\"}", "whose secret or key" },
	};
	static const char *const foreign[] = { "client_secret_file",
					       "private_key_file",
					       "idp_token_file",
					       "idp_token_endpoint" };

	(void)state;
	unsetenv("CREDENTIAL_NONE");
	assert_int_equal(attach("https://h.example/mcp", rows[0].oauth), -1);
	for (size_t i = 1; i < COUNT(rows); i++)
		refused(rows[i].oauth, rows[i].says, "");
	/* Of a folder's file: it would be told to whoever wrote that. */
	for (size_t i = 0; i < COUNT(foreign); i++) {
		parse("https://h/");
		e.oauth = mem_printf("{\"client_id\":\"me\",\"%s\":\"/x\"}",
				     foreign[i]);
		e.foreign = true;
		assert_int_equal(credentials_attach(&e, &app, &err), -1);
		assert_non_null(strstr(err.text, "is not heeded in a file"));
		assert_non_null(strstr(err.text, foreign[i]));
		assert_non_null(strstr(err.hint, "your own mcp.json"));
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_none),  TEST(test_same),	    TEST(test_options),
		TEST(test_way),	  TEST(test_wrong_options), TEST(test_secret),
		TEST(test_entry), TEST(test_wrong_entries),
	};

	mem_init();
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
