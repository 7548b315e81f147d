/* SPDX-License-Identifier: MIT */
/*
 * Secrets do not come through; everything else does, byte for byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/json_scan.h"
#include "base/mask.h"
#include "base/mem.h"

static void assert_masked(const char *text, const char *expected)
{
	struct buf b = { 0 };
	mask_secrets(&b, text, strlen(text));
	assert_string_equal(buf_string(&b), expected);
	buf_done(&b);
}

static void test_members(void **state)
{
	(void)state;
	assert_masked("{\"vision\":{\"url\":\"http://h/\",\"token\":\"abc\"}}",
		      "{\"vision\":{\"url\":\"http://h/\",\"token\":\"***\"}}");
	assert_masked("{\"Token\" : \"a\\\"b\", \"x\":1}",
		      "{\"Token\" : \"***\", \"x\":1}");
	assert_masked("{\"password\":\"p\",\"api_key\":\"k\"}",
		      "{\"password\":\"***\",\"api_key\":\"***\"}");
	assert_masked("{\"accessToken\":\"a\",\"auth_token\":\"b\"}",
		      "{\"accessToken\":\"***\",\"auth_token\":\"***\"}");
	assert_masked("{\"wifi_password\":\"a\",\"id_token\":\"b\"}",
		      "{\"wifi_password\":\"***\",\"id_token\":\"***\"}");
	assert_masked("{\"progressToken\":\"a\",\"nextToken\":\"b\"}",
		      "{\"progressToken\":\"a\",\"nextToken\":\"b\"}");
	assert_masked("{\"token\":\"\"}", "{\"token\":\"\"}");
	assert_masked("{\"token\":5,\"tokens\":\"3\"}",
		      "{\"token\":5,\"tokens\":\"3\"}");
}

static void test_escaped_members(void **state)
{
	(void)state;
	assert_masked("{\"text\":\"{\\\"token\\\":\\\"abc\\\",\\\"n\\\":1}\"}",
		      "{\"text\":\"{\\\"token\\\":\\\"***\\\",\\\"n\\\":1}\"}");
}

static void test_headers_and_urls(void **state)
{
	(void)state;
	assert_masked("Authorization: Bearer abc.def\r\nHost: h",
		      "Authorization: Bearer ***\r\nHost: h");
	assert_masked("GET /x?token=abc&v=1 HTTP", "GET /x?token=***&v=1 HTTP");
	assert_masked("{\"url\":\"http://h:8000/upload/"
		      "0123456789abcdef0123456789abcdef\"}",
		      "{\"url\":\"http://h:8000/upload/***\"}");
	assert_masked("http://h/upload/0123456789abcdef0123456789abcdef",
		      "http://h/upload/***");
	assert_masked("http://h/uploaX/0123456789abcdef0123456789abcdef",
		      "http://h/uploaX/0123456789abcdef0123456789abcdef");
	assert_masked("http://h/upload/0123456789abcdef0123456789abcdeg",
		      "http://h/upload/0123456789abcdef0123456789abcdeg");
	assert_masked("http://h/upload/0123456789abcdef0123456789abcde",
		      "http://h/upload/0123456789abcdef0123456789abcde");
	/* A challenge has no token; but what it leads to may have. */
	assert_masked(
		"Bearer realm=\"r\", resource_metadata=\"http://h/?key=a\"",
		"Bearer realm=\"r\", "
		"resource_metadata=\"http://h/?key=***\"");
	assert_masked("{\"said\":\"Bearer realm=\\\"r\\\"\"}",
		      "{\"said\":\"Bearer realm=\\\"r\\\"\"}");
	assert_masked("{\"said\":\"Bearer cmVhbG0=\"}",
		      "{\"said\":\"Bearer ***\"}");
	assert_masked("ws://h/?authorization=Bearer",
		      "ws://h/?authorization=***");
}

static void test_queries(void **state)
{
	(void)state;
	assert_masked("http://h/?api_key=a&apikey=b&api-key=c&key=d",
		      "http://h/?api_key=***&apikey=***&api-key=***&key=***");
	assert_masked("http://h/?key=a&client_secret=b&v=1",
		      "http://h/?key=***&client_secret=***&v=1");
	assert_masked("monkey=1 keyboard=2", "monkey=1 keyboard=2");
	assert_masked("http://h/?auth=a&sig=b&v=1",
		      "http://h/?auth=***&sig=***&v=1");
	assert_masked("/x?X-Amz-Signature=a&amp;pwd=b&amp;access_key=c&pass=d",
		      "/x?X-Amz-Signature=***&amp;pwd=***&amp;access_key=***&"
		      "pass=***");
	assert_masked("{\"url\":\"http:\\/\\/h?v=1\\u0026sig=b\"}",
		      "{\"url\":\"http:\\/\\/h?v=1\\u0026sig=***\"}");
	assert_masked("auth=a sig=b ?author=c&design=d&sig &auth",
		      "auth=a sig=b ?author=c&design=d&sig &auth");
}

static void test_passwords_in_addresses(void **state)
{
	(void)state;
	assert_masked("http://me:pw@h/", "http://me:***@h/");
	assert_masked("'ftp:/me:p@w@h:80/x', a@b", "'ftp:/me:***@h:80/x', a@b");
	assert_masked("mqtt://:pw@h", "mqtt://:***@h");
	/* A slash of a password ends the authority, whose port is none then. */
	assert_masked("ws://me:a/b@h is", "ws://me:***@h is");
	assert_masked("{\"url\":\"http:\\/\\/me:a\\u002b\\/b@h\",\"n\":1}",
		      "{\"url\":\"http:\\/\\/me:***@h\",\"n\":1}");
	assert_masked("http://me:***@h", "http://me:***@h");
}

static void test_addresses_without_a_password(void **state)
{
	static const char *const plain[] = {
		"http://me@h:80/x", "http://h:8000/x@y", "http://[::1]:80/@x",
		"file:///c:/x@y",   "http://h:8000 a@b", "http://me:@h/",
		"{\"a\":/x:y@z}",   "1:/a:b c@d",	 "https://h/a:b@c?d=e@f"
	};

	(void)state;
	for (size_t i = 0; i < COUNT(plain); i++)
		assert_masked(plain[i], plain[i]);
}

static void test_command_lines(void **state)
{
	(void)state;
	assert_masked("call x password='a b' c=d", "call x password='***' c=d");
	assert_masked("call x password=\"a b\" c=d",
		      "call x password=\"***\" c=d");
	assert_masked("call x token:='\"a b\"' c=d",
		      "call x token:='\"***\"' c=d");
	assert_masked("call x token:=7 secret=", "call x token:=*** secret=");
	assert_masked("curl -H 'Authorization: Basic YTpi' h",
		      "curl -H 'Authorization: Basic ***' h");
}

/* Slashes and pluses of base64, as PHP and .NET write them. */
static void test_escapes_inside_a_secret(void **state)
{
	(void)state;
	assert_masked("\"got Bearer a\\/b\\u002bc=\\n\"",
		      "\"got Bearer ***\\n\"");
	assert_masked("Bearer a\\/", "Bearer ***");
	assert_masked("Bearer a\\", "Bearer ***\\");
}

static void assert_still_json(const char *text, const char *hidden)
{
	CLEANUP(mem_free_ptr) char *masked = mask_text(text);
	assert_int_equal(json_check(text, strlen(text), NULL), 0);
	assert_int_equal(json_check(masked, strlen(masked), NULL), 0);
	assert_null(strstr(masked, hidden));
}

static void test_json_stays_json(void **state)
{
	(void)state;
	assert_still_json("{\"token\":\"geheim\\\\\",\"a\":\"b\"}", "geheim");
	assert_still_json("{\"token\":\"a\\\\\\\"geheim\",\"a\":1}", "geheim");
	assert_still_json("{\"t\":\"{\\\"token\\\":\\\"geheim\\\\\\\\\\\"}"
			  "\",\"a\":\"b\"}",
			  "geheim");
	assert_still_json("[\"token=\\\"geheim\\\"\",\"token=\",\"Bearer \"]",
			  "geheim");
	assert_still_json("[\"password='geheim\",\"token='\", \"b\"]",
			  "geheim");
}

/* Behind each of many backslashes something quoted could begin. */
static void test_many_backslashes(void **state)
{
	size_t len = (size_t)4 << 20;
	CLEANUP(mem_free_ptr) char *text = mem_zalloc(len + 1);
	(void)state;
	memset(text, '\\', len);
	assert_masked(text, text);
}

/* Each of many schemes could begin an address that ends far behind. */
static void test_many_addresses(void **state)
{
	static const char one[] = "x:/y:z/";
	const size_t count = (size_t)1 << 19;
	struct buf text = { 0 };

	(void)state;
	for (size_t i = 0; i < count; i++)
		buf_text(&text, one);
	assert_masked(buf_string(&text), buf_string(&text));
	buf_done(&text);
}

static void test_text(void **state)
{
	CLEANUP(mem_free_ptr) char *masked = mask_text("?token=a");
	(void)state;
	assert_string_equal(masked, "?token=***");
	assert_null(mask_text(NULL));
}

static void test_error(void **state)
{
	CLEANUP(error_reset) struct error e = { 0 };
	CLEANUP(error_reset) struct error shown = { 0 };
	(void)state;
	error_set(&e, ERR_AUTH, "refused: 'Bearer abc'");
	error_hint(&e, "is token=abc right?");
	error_detail(&e, "{\"token\":\"abc\"}", 15);
	error_code(&e, 401);
	error_retry_after(&e, 5);
	error_reason(&e, 7);
	error_finding(&e, "N102");
	mask_error(&shown, &e);
	assert_int_equal(shown.kind, ERR_AUTH);
	assert_string_equal(shown.text, "refused: 'Bearer ***'");
	assert_string_equal(shown.hint, "is token=*** right?");
	assert_string_equal(shown.detail, "{\"token\":\"***\"}");
	assert_true(shown.has_code);
	assert_int_equal(shown.code, 401);
	assert_int_equal(shown.retry_after, 5);
	assert_int_equal(shown.reason, 7);
	assert_string_equal(shown.finding, "N102");
	error_detail(&e, NULL, 0);
	mask_error(&shown, &e);
	assert_null(shown.detail);
}

static void test_broken_json(void **state)
{
	(void)state;
	assert_masked("{\"token\":\"cut of", "{\"token\":\"***");
	assert_masked("{\"token\":", "{\"token\":");
	assert_masked("{\"token", "{\"token");
	assert_masked("\"", "\"");
	assert_masked("\\\\\\", "\\\\\\");
	assert_masked("", "");
}

static void test_keys_of_a_voice_session(void **state)
{
	(void)state;
	assert_masked("{\"udp\":{\"key\":\"ab\",\"port\":1,\"nonce\":\"cd\"},"
		      "\"key\":\"k\",\"nonce\":\"n\"}",
		      "{\"udp\":{\"key\":\"***\",\"port\":1,\"nonce\":\"***\"},"
		      "\"key\":\"k\",\"nonce\":\"n\"}");
	assert_masked("\"{\\\"udp\\\" : {\\\"key\\\":\\\"ab\\\"}}\"",
		      "\"{\\\"udp\\\" : {\\\"key\\\":\\\"***\\\"}}\"");
	assert_masked("{\"udp\":{\"key\":\"cut", "{\"udp\":{\"key\":\"***");
	assert_masked("{\"udp\":{\"key\":\"a\"}} {\"udp\":{\"key\":\"b\"}}",
		      "{\"udp\":{\"key\":\"***\"}} "
		      "{\"udp\":{\"key\":\"***\"}}");
	assert_masked("{\"transport\":\"udp\",\"key\":\"k\"}",
		      "{\"transport\":\"udp\",\"key\":\"k\"}");
}

/* What a window of that size shows, from the first time that begins stands there. */
static void assert_window(const char *text, const char *begins, size_t size,
			  const char *expected)
{
	const size_t from = (size_t)(strstr(text, begins) - text);
	char window[80] = "";

	memcpy(window, text + from, size);
	mask_window(window, size, (struct span){ text, strlen(text) }, from);
	assert_string_equal(window, expected);
}

static void test_windows(void **state)
{
	static const char ota[] =
		"{\"token\":\"s3cretTok\",\"password\": \"pass\\\"word\",\"a\":5}";
	static const char hello[] =
		"{\"udp\":{\"server\":\"h\",\"key\":\"0123\",\"nonce\":\"45\"},\"key\":\"k\"}";

	(void)state;
	/* Its name, or its beginning, is outside. */
	assert_window(ota, "en\":\"s3", 20, "en\":\"*********\",\"pas");
	assert_window(ota, "Tok", 12, "***\",\"passwo");
	assert_window(ota, "word\",", 7, "****\",\"");
	assert_window(ota, "word\": ", 12, "word\": \"****");
	assert_window(hello, "key", 26, "key\":\"****\",\"nonce\":\"**\"},");
	assert_window(hello, "\"k\"", 3, "\"k\"");
	assert_window(ota, "\"a\"", 6, "\"a\":5}");
	/* What is only stars has no number of its own. */
	struct mask_names *names = mask_names_new();
	struct buf b = { 0 };
	mask_named(&b, "{\"token\":\"*****\"}", 17, names);
	assert_string_equal(buf_string(&b), "{\"token\":\"***\"}");
	buf_done(&b);
	mask_names_free(names);
}

/* What is hidden by its name in one place is in each. */
static void test_names(void **state)
{
	static const char *const secret[] = {
		"Authorization", "X-Token",    "my_secret",	"Set-Cookie",
		"db_password",	 "PASSWD",     "a-passphrase",	"x-api-key",
		"API_KEY_2",	 "apikey",     "key",		"KEY",
		"private_key",	 "Access_Key", "code_verifier", "id_token",
		"auth",		 "sig",	       "Signature",
	};
	static const char *const plain[] = { "",     "device-id", "keyword",
					     "keys", "x-key",	  "Accept",
					     "user", "verifier" };

	(void)state;
	for (size_t i = 0; i < COUNT(secret); i++)
		assert_true(mask_is_secret(secret[i]));
	for (size_t i = 0; i < COUNT(plain); i++)
		assert_false(mask_is_secret(plain[i]));
}

static void assert_named(struct mask_names *names, const char *text,
			 const char *expected)
{
	struct buf b = { 0 };
	mask_named(&b, text, strlen(text), names);
	assert_string_equal(buf_string(&b), expected);
	buf_done(&b);
}

/* The same one is the same wherever it stands, and of whichever scheme. */
static void test_numbers(void **state)
{
	struct mask_names *names = mask_names_new();
	(void)state;
	assert_int_equal(mask_names_count(names), 0);
	assert_named(names, "{\"token\":\"abc\",\"password\":\"def\"}",
		     "{\"token\":\"***1\",\"password\":\"***2\"}");
	assert_named(names, "Authorization: Bearer abc",
		     "Authorization: Bearer ***1");
	assert_named(names, "{\"authorization\":\"Basic def\"}",
		     "{\"authorization\":\"***2\"}");
	assert_named(names, "?token=new&secret=abc", "?token=***3&secret=***1");
	assert_named(names, "token= x", "token= x");
	assert_int_equal(mask_names_count(names), 3);
	/* What has a number already gets one in its turn, by its file. */
	assert_named(names, "token=***", "token=***");
	assert_named(names, "token=***1 token=***9 token=***1",
		     "token=***4 token=***5 token=***4");
	mask_names_from(names, 1);
	assert_named(names, "token=***1 token=abc", "token=***6 token=***1");
	mask_names_from(names, 0);
	assert_named(names, "token=***1 token=***x", "token=***4 token=***7");
	assert_int_equal(mask_names_count(names), 7);
	mask_names_free(names);
	mask_names_free(NULL);
}

static void assert_whole(struct mask_names *names, const char *secret,
			 const char *expected)
{
	struct buf b = { 0 };
	mask_whole(&b, secret, strlen(secret), names);
	assert_string_equal(buf_string(&b), expected);
	buf_done(&b);
}

static void test_whole(void **state)
{
	(void)state;
	assert_whole(NULL, "", "");
	assert_whole(NULL, "a", "***");
	assert_whole(NULL, "Bearer a", "***");
	assert_whole(NULL, "bASIC ***7", "***7");
	assert_whole(NULL, "**", "***");
	assert_whole(NULL, "***", "***");
	assert_whole(NULL, "***7", "***7");
	assert_whole(NULL, "***7x", "***");
	assert_whole(NULL, "x***7", "***");
	assert_whole(NULL, "Digest ***7", "***");
}

static void test_too_many_names(void **state)
{
	struct mask_names *names = mask_names_new();
	(void)state;
	for (size_t i = 1; i <= MASK_NAMES_MAX; i++) {
		CLEANUP(mem_free_ptr) char *secret = mem_printf("s%zu", i);
		CLEANUP(mem_free_ptr) char *name = mem_printf("***%zu", i);
		assert_whole(names, secret, name);
	}
	assert_whole(names, "one more", "***");
	assert_whole(names, "s4096", "***4096");
	assert_whole(names, "s1", "***1");
	assert_int_equal(mask_names_count(names), MASK_NAMES_MAX);
	mask_names_free(names);
}

static void test_nothing_to_hide(void **state)
{
	static const char bytes[] = "a\0b\"c\\\"Basic things, tokens";
	struct buf b = { 0 };
	(void)state;
	mask_secrets(&b, bytes, sizeof(bytes) - 1);
	assert_int_equal(b.len, sizeof(bytes) - 1);
	assert_memory_equal(b.data, bytes, b.len);
	buf_done(&b);
}

static void test_scheme(void **state)
{
	static const struct {
		const char *value;
		size_t shown;
	} rows[] = { { "Bearer abc", 7 }, { "bearer x", 7 },
		     { "Basic QQ==", 6 }, { "Digest a=b", 7 },
		     { "Bearer ", 0 },	  { "a=hush; b=c", 0 },
		     { "Bearerabc", 0 },  { "", 0 } };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(
			mask_scheme(rows[i].value, strlen(rows[i].value)),
			rows[i].shown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scheme),
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_escaped_members),
		cmocka_unit_test(test_headers_and_urls),
		cmocka_unit_test(test_queries),
		cmocka_unit_test(test_passwords_in_addresses),
		cmocka_unit_test(test_addresses_without_a_password),
		cmocka_unit_test(test_command_lines),
		cmocka_unit_test(test_escapes_inside_a_secret),
		cmocka_unit_test(test_json_stays_json),
		cmocka_unit_test(test_many_backslashes),
		cmocka_unit_test(test_many_addresses),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_error),
		cmocka_unit_test(test_broken_json),
		cmocka_unit_test(test_keys_of_a_voice_session),
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_too_many_names),
		cmocka_unit_test(test_nothing_to_hide),
	};
	return cmocka_run_group_tests_name("mask", tests, NULL, NULL);
}
