/* SPDX-License-Identifier: MIT */
/*
 * From options to an endpoint; secrets from files and the environment.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "cli/app.h"
#include "cli/config.h"
#include "cli/setup.h"
#include "net/head.h"

static struct app app;
static struct endpoint endpoint;
static struct error err;
static char path[] = "/tmp/mcpctl-test-XXXXXX";

static void write_file(const char *text, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static int prepare(void **state)
{
	(void)state;
	app = (struct app){ .target_source = "the argument" };
	unsetenv("MCPCTL_TOKEN");
	unsetenv("MCPCTL_DEVICE");
	unsetenv("MCPCTL_SOCKET");
	/* A serve that runs here is not to be found. */
	setenv("XDG_RUNTIME_DIR", "/nonexistent", 1);
	setenv("TMPDIR", "/proc", 1);
	return 0;
}

static int clean(void **state)
{
	(void)state;
	endpoint_done(&endpoint);
	config_release(&app.config);
	error_reset(&err);
	return 0;
}

static int setup(const char *target)
{
	const struct transport_ops *ops;

	endpoint_done(&endpoint);
	endpoint = (struct endpoint){ 0 };
	app.config.target = target;
	return setup_endpoint(&endpoint, &app, &ops, &err);
}

static void refused(const char *target, const char *says)
{
	assert_int_equal(setup(target), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	if (!strstr(err.text, says))
		fail_msg("'%s' does not say '%s'", err.text, says);
}

static void test_targets(void **state)
{
	(void)state;
	assert_int_equal(setup("sim:"), 0);
	assert_int_equal(endpoint.envelope, DIALECT_DEVICE);
	assert_int_equal(setup("listen:0"), 0);
	assert_int_equal(endpoint.envelope, DIALECT_UNKNOWN);
	assert_string_equal(endpoint.source, "the argument");

	refused(NULL, "no target");
	assert_non_null(strstr(err.detail, "mcpctl sim: tools"));
	assert_non_null(strstr(err.detail, "mcpctl listen: info"));
	assert_non_null(strstr(err.detail, "mcpctl serve"));
	assert_non_null(strstr(err.hint, "mcpctl help targets"));
	refused("listen", "has no ':'");
	assert_non_null(strstr(err.hint, "'listen:'"));
}

static void test_stdio(void **state)
{
	(void)state;
	assert_int_equal(setup("stdio:cat -n 'a b'"), 0);
	assert_int_equal(endpoint.envelope, DIALECT_PLAIN);
	assert_int_equal(endpoint.argv.count, 3);
	assert_string_equal(endpoint.argv.word[2], "a b");
	words_add(&app.config.env, "A=1");
	words_add(&app.config.env, "B=x=y");
	words_add(&app.config.env, "A=");
	app.config.cwd = "/tmp";
	assert_int_equal(setup("stdio:cat"), 0);
	assert_int_equal(endpoint.env.count, 2);
	assert_string_equal(endpoint.env.word[0], "A=");
	assert_string_equal(endpoint.env.word[1], "B=x=y");
	assert_string_equal(endpoint.cwd, "/tmp");

	words_add(&app.config.env, "C");
	refused("stdio:cat", "'C' is no NAME=VALUE");
	assert_non_null(strstr(err.hint, "--env C=\"$C\""));
	words_done(&app.config.env);
	words_add(&app.config.env, "=x");
	refused("stdio:cat", "'=x' is no NAME=VALUE");
}

/* What would be left out in silence is refused. */
static void test_misfits(void **state)
{
	(void)state;
	app.config.cwd = "/tmp";
	refused("sim:", "'--cwd' is for a child process");
	/* In the shell it was for the first target. */
	app.later = true;
	assert_int_equal(setup("sim:"), 0);
	app.later = false;
	app.config.cwd = NULL;
	app.config.insecure = true;
	refused("sim:", "'--insecure' is for ws:, http: and mqtt:");
	app.config.insecure = false;
	app.config.mqtt_password_file = "/dev/null";
	refused("listen:0",
		"'--mqtt-password-file' is for mqtt:, mcp+mqtt: and serve");
	app.config.mqtt_password_file = NULL;
	app.config.token_file = "/dev/null";
	refused("mqtt://h/c", "'--token-file' is for");
	app.config.token_file = NULL;
	words_add(&app.config.env, "A=1");
	refused("ws://h/", "'--env' is for a child process, and the target is "
			   "'ws://h/' (from the argument)");
	words_done(&app.config.env);
	app.config.proxy = "none";
	refused("stdio:cat", "'--proxy' is for http: and https:");
	app.config.proxy = NULL;
	words_add(&app.config.resolve, "h:80:127.0.0.1");
	refused("ws://h/", "'--resolve' is for http:");
	words_done(&app.config.resolve);
	words_add(&app.config.headers, "A: b");
	refused("stdio:cat", "'--header' is for ws: and http:");
	words_done(&app.config.headers);
	app.config.token_file = path;
	refused("stdio:cat", "'--token-file' is for");
	assert_non_null(strstr(err.hint, "--env NAME=VALUE"));
	app.config.token_file = NULL;
	/* A variable is for whom it fits. */
	setenv("MCPCTL_TOKEN", "x", 1);
	assert_int_equal(setup("stdio:cat"), 0);
	assert_int_equal(endpoint.headers.count, 0);
}

static void test_http(void **state)
{
	static const char *const targets[] = { "http://h/", "https://h/mcp",
					       "sse+http://h/",
					       "sse+https://h/" };

	(void)state;
	words_add(&app.config.headers, "X-One: 1");
	words_add(&app.config.resolve, "h:80:127.0.0.1");
	app.config.proxy = "http://proxy:3128";
	app.config.cacert = "ca.pem";
	setenv("MCPCTL_TOKEN", "secret", 1);
	for (size_t i = 0; i < COUNT(targets); i++) {
		const struct headers *h = &endpoint.headers;

		setup(targets[i]); /* the module may be missing here */
		assert_int_equal(endpoint.envelope, DIALECT_PLAIN);
		assert_string_equal(headers_get(h, "x-one"), "1");
		assert_string_equal(headers_get(h, "authorization"),
				    "Bearer secret");
		assert_string_equal(endpoint.proxy, "http://proxy:3128");
		assert_string_equal(endpoint.resolve.word[0], "h:80:127.0.0.1");
		assert_string_equal(endpoint.cacert, "ca.pem");
	}
}

/* What a file says gives way to the command line; a variable to the file. */
static void test_named(void **state)
{
	static const char json[] =
		"{\"mcpServers\":{\"web\":{\"url\":\"ws://h/x\",\"headers\":{"
		"\"authorization\":\"of the file\",\"X\":\"1\"}},"
		"\"own\":{\"command\":\"cat\",\"args\":[\"-n\"],"
		"\"env\":{\"A\":\"1\",\"B\":\"2\"}}}}";
	const struct headers *h = &endpoint.headers;
	char other[sizeof(path) + 6];

	(void)state;
	snprintf(other, sizeof(other), "%s.token", path);
	write_file(json, sizeof(json) - 1);
	app.config.config_file = path;
	words_add(&app.config.env, "A=9");
	assert_int_equal(setup("own"), 0);
	assert_int_equal(endpoint.envelope, DIALECT_PLAIN);
	assert_string_equal(endpoint.argv.word[1], "-n");
	assert_int_equal(endpoint.env.count, 2);
	assert_string_equal(endpoint.env.word[0], "A=9");
	words_done(&app.config.env);

	setenv("MCPCTL_TOKEN", "outside", 1);
	setup("web");
	assert_int_equal(h->count, 2);
	assert_string_equal(headers_get(h, "Authorization"), "of the file");
	words_add(&app.config.headers, "X: 2");
	words_add(&app.config.headers, "AUTHORIZATION: Mine");
	setup("web");
	assert_int_equal(h->count, 2);
	assert_string_equal(headers_get(h, "Authorization"), "Mine");
	assert_string_equal(headers_get(h, "X"), "2");
	refused("nobody", "the argument");
	assert_non_null(strstr(err.text, "'nobody'"));

	/* A token file was asked for, a variable is only there. */
	words_done(&app.config.headers);
	FILE *token = fopen(other, "w");

	assert_non_null(token);
	fputs("told\n", token);
	assert_int_equal(fclose(token), 0);
	app.config.token_file = other;
	setup("web");
	unlink(other);
	assert_string_equal(headers_get(h, "Authorization"), "Bearer told");
}

/* The options that go with a running serve. */
static void test_serve_options(void **state)
{
	(void)state;
	app.config.device = "kit*";
	assert_int_equal(setup("attach:/x/s"), 0);
	assert_string_equal(endpoint.path, "/x/s");
	assert_string_equal(endpoint.device, "kit*");
	assert_int_equal(endpoint.envelope, DIALECT_DEVICE);
	refused("sim:", "'--device' is for the devices of a running serve");
	app.config.device = NULL;
	app.config.all = true;
	refused("listen:0", "'--all' is for");
	app.config.all = false;
	app.config.socket = "/y";
	refused("sim:", "'--socket' is for");
	refused("attach:/x/s", "two sockets");
	assert_int_equal(setup("attach:"), 0);
	assert_string_equal(endpoint.path, "/y");
	assert_false(app.found_serve);
	assert_int_equal(setup(NULL), 0);
	assert_true(app.found_serve);
	assert_string_equal(endpoint.path, "/y");
	assert_string_equal(app.config.target, "attach:");
	assert_string_equal(app.target_source, "the running serve");
}

/* From the environment they count only where they fit. */
static void test_serve_environment(void **state)
{
	(void)state;
	setenv("MCPCTL_DEVICE", "one", 1);
	setenv("MCPCTL_SOCKET", "/z", 1);
	app.config.device = getenv("MCPCTL_DEVICE");
	app.config.socket = getenv("MCPCTL_SOCKET");
	assert_int_equal(setup("sim:"), 0);
	assert_null(endpoint.device);
	assert_int_equal(setup("attach:/x"), 0);
	assert_string_equal(endpoint.path, "/x");
	assert_string_equal(endpoint.device, "one");
	assert_int_equal(setup("attach:"), 0);
	assert_string_equal(endpoint.path, "/z");
}

/* A broker's password goes with a user; what is not asked for is not sent. */
static void test_mqtt_password(void **state)
{
	(void)state;
	setenv("MCPCTL_MQTT_PASSWORD", "from outside", 1);
	setup("mqtt://u@h/c"); /* the module may be missing beside this test */
	assert_string_equal(endpoint.password, "from outside");
	setup("mqtts://h/c");
	assert_null(endpoint.password);
	setup("sim:");
	assert_null(endpoint.password);
	write_file("from a file\n", 12);
	app.config.mqtt_password_file = path;
	setup("mqtts://u@h/c");
	assert_string_equal(endpoint.password, "from a file");
	refused("mqtt://h/c", "whose password");
	assert_non_null(strstr(err.hint, "mqtt://USER@h/"));
	refused("mqtt://[::1]:1884/c", "whose password");
	assert_non_null(strstr(err.hint, "mqtt://USER@[::1]:1884/"));
	write_file("", 0);
	refused("mqtt://u@h/c", "the password file");
	assert_non_null(strstr(err.text, "is empty"));
	unsetenv("MCPCTL_MQTT_PASSWORD");
}

static void test_options(void **state)
{
	(void)state;
	words_add(&app.config.headers, "X-One: 1");
	words_add(&app.config.headers, "X-Two:two words");
	setup("http://h/"); /* the module may be missing beside this test */
	assert_string_equal(headers_get(&endpoint.headers, "x-one"), "1");
	assert_string_equal(headers_get(&endpoint.headers, "x-two"),
			    "two words");
	refused("listen:0", "'--header' is for ws: and http:");
	refused("sim:", "'--header' is for ws: and http:");
	words_done(&app.config.headers);
	app.config.advertise = "10.0.0.1";
	words_add(&app.config.allow_hosts, "box");
	words_add(&app.config.allow_origins, "https://bench.example");
	assert_int_equal(setup("listen:0"), 0);
	assert_string_equal(endpoint.advertise, "10.0.0.1");
	assert_string_equal(endpoint.allow_hosts.word[0], "box");
	assert_string_equal(endpoint.allow_origins.word[0],
			    "https://bench.example");
	refused("http://h/", "'--allow-host' is for listen: and serve");
}

/* Who dials in is a device, and so on: only of ws: it can be asked for. */
static void test_envelope(void **state)
{
	static const char *const others[] = { "sim:", "stdio:cat",
					      "attach:/x/s", "http://h/",
					      "mqtt://h/x" };

	(void)state;
	for (size_t i = 0; i < COUNT(others); i++) {
		app.config.envelope = DIALECT_PLAIN;
		refused(others[i], "'--envelope' is for ws:, wss: and listen:");
		app.config.envelope = DIALECT_DEVICE;
		refused(others[i], "'--envelope' is for ws:, wss: and listen:");
	}
	setup("ws://h/"); /* the module may be missing beside this test */
	assert_int_equal(endpoint.envelope, DIALECT_DEVICE);
	/* Who dials in may be told beforehand what it is. */
	app.config.envelope = DIALECT_PLAIN;
	assert_int_equal(setup("listen:0"), 0);
	assert_int_equal(endpoint.envelope, DIALECT_PLAIN);
	app.config.envelope = DIALECT_DEVICE;
	assert_int_equal(setup("listen:0"), 0);
	assert_int_equal(endpoint.envelope, DIALECT_DEVICE);
	/* That of the environment is for the ws: among many targets. */
	setenv("MCPCTL_ENVELOPE", "plain", 1);
	refused("sim:", "'--envelope' is for");
	app.config.envelope = DIALECT_PLAIN;
	assert_int_equal(setup("mqtt://h/x"), 0);
	assert_int_equal(endpoint.envelope, DIALECT_DEVICE);
	unsetenv("MCPCTL_ENVELOPE");
}

static void test_headers(void **state)
{
	static const char *const wrong[] = { "novalue", ": x", "a b: c",
					     "A: b\r\nC: d", "A\n: b" };

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		words_done(&app.config.headers);
		words_add(&app.config.headers, wrong[i]);
		refused("http://h/", "is no header");
	}
	words_done(&app.config.headers);
	/* What may be a secret is not told. */
	words_add(&app.config.headers, "X-Api-Key hush");
	refused("http://h/", "'X-Api-Key…' is no header");
	words_done(&app.config.headers);
	words_add(&app.config.headers, "X-Name");
	refused("http://h/", "'X-Name' is no header");
	words_done(&app.config.headers);
}

static void test_tokens(void **state)
{
	(void)state;
	app.config.token_file = path;
	write_file("one\n\n two words \r\nthree", 23);
	assert_int_equal(setup("listen:0"), 0);
	assert_int_equal(endpoint.tokens.count, 3);
	assert_string_equal(endpoint.tokens.word[1], "two words");
	assert_string_equal(endpoint.tokens.word[2], "three");
	setup("ws://h/");
	assert_string_equal(headers_get(&endpoint.headers, "authorization"),
			    "Bearer one");
	write_file("Basic abc\n", 10);
	setup("ws://h/");
	assert_string_equal(headers_get(&endpoint.headers, "authorization"),
			    "Basic abc");
	app.config.token_file = NULL;
	setenv("MCPCTL_TOKEN", "from-outside", 1);
	assert_int_equal(setup("listen:0"), 0);
	assert_string_equal(endpoint.tokens.word[0], "from-outside");
	/* A header that was given goes first. */
	words_add(&app.config.headers, "Authorization: Mine");
	setup("ws://h/");
	assert_string_equal(headers_get(&endpoint.headers, "authorization"),
			    "Mine");
	assert_int_equal(endpoint.headers.count, 1);
}

/* Without what was asked for nobody is let in, nor anything dialled. */
static void test_missing_secrets(void **state)
{
	(void)state;
	app.config.token_file = "/nonexistent/t";
	refused("listen:0", "'/nonexistent/t'");
	refused("ws://h/", "'/nonexistent/t'");
	app.config.token_file = NULL;
	app.config.mqtt_password_file = "/nonexistent/p";
	refused("mqtt://u@h/c", "'/nonexistent/p'");
	app.config.mqtt_password_file = NULL;
	app.config.vision_token_file = "/nonexistent/v";
	refused("sim:", "'--vision-token-file' needs --vision-url");
}

/* What the options say of the way, and of what a listener does. */
static void test_handed_on(void **state)
{
	(void)state;
	app.config.wait = 7000;
	app.config.save_images = "shots";
	app.config.picture_max = 1234;
	words_add(&app.config.trusted_proxies, "10.0.0.1");
	assert_int_equal(setup("listen:0"), 0);
	assert_int_equal(endpoint.wait, 7000);
	assert_string_equal(endpoint.save_images, "shots");
	assert_int_equal(endpoint.picture_max, 1234);
	assert_int_equal(endpoint.trusted_proxies.count, 1);
	assert_string_equal(endpoint.trusted_proxies.word[0], "10.0.0.1");
	assert_false(endpoint.insecure);
	assert_int_equal(endpoint.era, WISH_AUTO);
	words_done(&app.config.trusted_proxies);
	app.config.save_images = NULL;
	app.config.picture_max = 0;
	app.config.insecure = true;
	app.config.era = WISH_LEGACY;
	setup("http://h/"); /* the module may be missing beside this test */
	assert_true(endpoint.insecure);
	assert_int_equal(endpoint.era, WISH_LEGACY);
}

/* Where consoles send tools, a client would throw them off. */
static void test_sides(void **state)
{
	(void)state;
	refused("ws://h:8004/mcp_endpoint/mcp/?token=x", "tools dial in");
	assert_non_null(strstr(err.hint, "/mcp_endpoint/call/ in the place"));
	refused("wss://api.xiaozhi.me/mcp/?token=x", "tools dial in");
	assert_non_null(strstr(err.hint, "can be asked by 'mcpctl serve'"));
	error_reset(&err);
	setup("ws://h:8004/mcp_endpoint/call/?token=x");
	assert_int_not_equal(err.kind, ERR_USAGE);
	setup("ws://h:8004/mcp_endpoint/mcp/?other=x");
	assert_int_not_equal(err.kind, ERR_USAGE);
	setup("wss://api.example/mcp/?token=x");
	assert_int_not_equal(err.kind, ERR_USAGE);
}

static void test_secret_files(void **state)
{
	char *secret = NULL;

	(void)state;
	write_file("first\nsecond\n", 13);
	assert_int_equal(secret_read(&secret, path, "MCPCTL_TOKEN", &err), 0);
	assert_string_equal(secret, "first");
	mem_free(secret);
	assert_int_equal(secret_read(&secret, NULL, "MCPCTL_TOKEN", &err), 0);
	assert_null(secret);

	write_file("\n \n", 3);
	assert_int_equal(secret_read(&secret, path, "X", &err), -1);
	assert_non_null(strstr(err.text, "holds no token"));
	write_file("a\0b\n", 4);
	assert_int_equal(secret_read(&secret, path, "X", &err), -1);
	assert_non_null(strstr(err.text, "NUL"));
	write_file("hush\x01hush", 9);
	assert_int_equal(secret_read(&secret, path, "X", &err), -1);
	assert_non_null(strstr(err.text, "control character"));
	assert_null(strstr(err.text, "hush"));
	assert_int_equal(secret_read(&secret, "/nonexistent/x", "X", &err), -1);
	assert_non_null(strstr(err.text, "'/nonexistent/x'"));
	assert_int_equal(secret_read(&secret, "/dev/zero", "X", &err), -1);
	assert_non_null(strstr(err.text, "64 kB"));
	assert_int_equal(err.kind, ERR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_targets, prepare, clean),
		cmocka_unit_test_setup_teardown(test_stdio, prepare, clean),
		cmocka_unit_test_setup_teardown(test_misfits, prepare, clean),
		cmocka_unit_test_setup_teardown(test_http, prepare, clean),
		cmocka_unit_test_setup_teardown(test_named, prepare, clean),
		cmocka_unit_test_setup_teardown(test_serve_options, prepare,
						clean),
		cmocka_unit_test_setup_teardown(test_serve_environment, prepare,
						clean),
		cmocka_unit_test_setup_teardown(test_mqtt_password, prepare,
						clean),
		cmocka_unit_test_setup_teardown(test_options, prepare, clean),
		cmocka_unit_test_setup_teardown(test_envelope, prepare, clean),
		cmocka_unit_test_setup_teardown(test_headers, prepare, clean),
		cmocka_unit_test_setup_teardown(test_tokens, prepare, clean),
		cmocka_unit_test_setup_teardown(test_missing_secrets, prepare,
						clean),
		cmocka_unit_test_setup_teardown(test_handed_on, prepare, clean),
		cmocka_unit_test_setup_teardown(test_sides, prepare, clean),
		cmocka_unit_test_setup_teardown(test_secret_files, prepare,
						clean),
	};
	int fd = mkstemp(path);

	if (fd < 0 || close(fd) != 0)
		return 1;
	int failed = cmocka_run_group_tests_name("setup", tests, NULL, NULL);
	unlink(path);
	return failed;
}
