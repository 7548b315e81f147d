/* SPDX-License-Identifier: MIT */
/*
 * Our plugin for mosquitto without mosquitto: its events from literal bytes,
 * and what it has the broker do.
 */
#include <dlfcn.h>
#include <mosquitto.h>
#include <mosquitto_broker.h>
#include <mosquitto_plugin.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "skip_for.h"

#include "base/error.h"
#include "base/mem.h"
#include "base/module.h"
#include "base/split.h"
#include "wire/broker_topic.h"

#define DEVICE "GID_test@@@02_00_00_00_00_01@@@uuid"
/* Signatures by openssl dgst -sha256 -hmac, for the id, USER and KEY. */
#define KEY "secret key"
#define USER "eyJpcCI6IjEuMi4zLjQifQ=="
#define SIGNATURE "vhQdZbF3NJBFKXDq1DHpQR33lCaEngRoUZjwtu9+OJY="
#define SERVE BROKER_CLIENT_ID

static void *plugin; /* the loaded part */
static void *owner; /* what it gave to mosquitto */
static int64_t ahead_s; /* its clock is so much before ours */
static volatile sig_atomic_t ended;
static char folder[64];

/* ---- in mosquitto's place ---- */

struct fake_client {
	const char *id, *address;
};

static struct {
	int event;
	MOSQ_FUNC_generic_callback fn;
	void *owner;
} registered[16];
static size_t registered_count, unregistered;
static struct words done; /* "CLIENT TOPIC PAYLOAD", "kick CLIENT" */
static unsigned logged;

static struct mosquitto *as_client(struct fake_client *c)
{
	return (struct mosquitto *)c;
}

const char *mosquitto_client_id(const struct mosquitto *client)
{
	return ((const struct fake_client *)client)->id;
}

const char *mosquitto_client_address(const struct mosquitto *client)
{
	return ((const struct fake_client *)client)->address;
}

int mosquitto_callback_register(mosquitto_plugin_id_t *identifier, int event,
				MOSQ_FUNC_generic_callback cb_func,
				const void *event_data, void *userdata)
{
	(void)identifier;
	(void)event_data;
	assert_true(registered_count < COUNT(registered));
	registered[registered_count].event = event;
	registered[registered_count].fn = cb_func;
	registered[registered_count++].owner = userdata;
	return MOSQ_ERR_SUCCESS;
}

int mosquitto_callback_unregister(mosquitto_plugin_id_t *identifier, int event,
				  MOSQ_FUNC_generic_callback cb_func,
				  const void *event_data)
{
	(void)identifier;
	(void)event_data;
	for (size_t i = 0; i < registered_count; i++)
		unregistered += registered[i].event == event &&
				registered[i].fn == cb_func;
	return MOSQ_ERR_SUCCESS;
}

int mosquitto_broker_publish_copy(const char *clientid, const char *topic,
				  int payloadlen, const void *payload, int qos,
				  bool retain, mosquitto_property *properties)
{
	CLEANUP(mem_free_ptr)
	char *line = mem_printf("%s %s %.*s", clientid, topic, payloadlen,
				(const char *)payload);

	assert_int_equal(qos, 0);
	assert_false(retain);
	assert_null(properties);
	words_add(&done, line);
	return MOSQ_ERR_SUCCESS;
}

int mosquitto_kick_client_by_clientid(const char *clientid, bool with_will)
{
	CLEANUP(mem_free_ptr) char *line = mem_printf("kick %s", clientid);

	assert_false(with_will);
	words_add(&done, line);
	return MOSQ_ERR_SUCCESS;
}

void mosquitto_log_printf(int level, const char *fmt, ...)
{
	assert_int_equal(level, MOSQ_LOG_ERR);
	assert_non_null(fmt);
	logged++;
}

/* In place of the C library's: what waits for seconds need not. */
int clock_gettime(clockid_t clock, struct timespec *out)
{
	int (*real)(clockid_t, struct timespec *);
	int status;

	*(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
	status = real(clock, out);
	out->tv_sec += ahead_s;
	return status;
}

static int happens(int event, void *data)
{
	for (size_t i = 0; i < registered_count; i++) {
		if (registered[i].event == event) {
			assert_ptr_equal(registered[i].owner, owner);
			return registered[i].fn(event, data, owner);
		}
	}
	fail_msg("nobody waits for event %d", event);
	return -1;
}

/* ---- the plugin ---- */

static int begin(struct mosquitto_opt *options, int count)
{
	int (*init)(mosquitto_plugin_id_t *, void **, struct mosquitto_opt *,
		    int);

	*(void **)&init = dlsym(plugin, "mosquitto_plugin_init");
	registered_count = unregistered = 0;
	owner = NULL;
	return init(NULL, &owner, options, count);
}

static void end(void)
{
	int (*cleanup)(void *, struct mosquitto_opt *, int);

	*(void **)&cleanup = dlsym(plugin, "mosquitto_plugin_cleanup");
	assert_int_equal(cleanup(owner, NULL, 0), MOSQ_ERR_SUCCESS);
	words_done(&done);
}

static char *in_folder(const char *name)
{
	return mem_printf("%s/%s", folder, name);
}

static void write_file(const char *name, const char *text)
{
	CLEANUP(mem_free_ptr) char *path = in_folder(name);
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	fprintf(f, "%s\n", text);
	fclose(f);
}

/* With a secret, and perhaps a key and an operator. */
static void begin_well(bool key, bool operated)
{
	static char names[][16] = { "secret_file", "key_file",
				    "operator_file" };
	CLEANUP(mem_free_ptr) char *secret = in_folder("secret");
	CLEANUP(mem_free_ptr) char *keys = in_folder("key");
	CLEANUP(mem_free_ptr) char *password = in_folder("operator");
	struct mosquitto_opt options[3] = { { names[0], secret } };
	int count = 1;

	if (key)
		options[count++] = (struct mosquitto_opt){ names[1], keys };
	if (operated)
		options[count++] = (struct mosquitto_opt){ names[2], password };
	assert_int_equal(begin(options, count), MOSQ_ERR_SUCCESS);
	assert_non_null(owner);
	words_done(&done);
}

static int comes(struct fake_client *c, const char *user, const char *password)
{
	CLEANUP(mem_free_ptr) char *u = mem_strdup(user);
	CLEANUP(mem_free_ptr) char *p = mem_strdup(password);
	struct mosquitto_evt_basic_auth auth = { .client = as_client(c),
						 .username = u,
						 .password = p };

	words_done(&done);
	return happens(MOSQ_EVT_BASIC_AUTH, &auth);
}

static void goes(struct fake_client *c, int reason)
{
	struct mosquitto_evt_disconnect gone = { .client = as_client(c),
						 .reason = reason };

	words_done(&done);
	assert_int_equal(happens(MOSQ_EVT_DISCONNECT, &gone), MOSQ_ERR_SUCCESS);
}

static int says(struct fake_client *c, const char *topic, const char *text)
{
	CLEANUP(mem_free_ptr) char *where = mem_strdup(topic);
	CLEANUP(mem_free_ptr) char *what = mem_strdup(text);
	struct mosquitto_evt_message m = { .client = as_client(c),
					   .topic = where,
					   .payload = what,
					   .payloadlen =
						   (uint32_t)strlen(text) };

	words_done(&done);
	return happens(MOSQ_EVT_MESSAGE, &m);
}

static int may(struct fake_client *c, int access, const char *topic)
{
	struct mosquitto_evt_acl_check a = { .client = as_client(c),
					     .access = access,
					     .topic = topic };

	words_done(&done);
	return happens(MOSQ_EVT_ACL_CHECK, &a);
}

static void did(size_t n, const char *start, const char *part)
{
	const char *word = n < done.count ? done.word[n] : "";

	if (strncmp(word, start, strlen(start)) != 0 || !strstr(word, part))
		fail_msg("did '%s', not '%s' … '%s'", word, start, part);
}

static void tick(void)
{
	words_done(&done);
	assert_int_equal(happens(MOSQ_EVT_TICK, NULL), MOSQ_ERR_SUCCESS);
}

static struct fake_client serve = { SERVE, "127.0.0.1" };
static struct fake_client device = { DEVICE, "10.0.0.1" };
static struct fake_client plain = { "plain", "10.0.0.2" };

static void test_life(void **state)
{
	static char name[] = "secret_file", key[] = "key_file";
	static char parent[] = "parent_pid", one[] = "1", other[] = "x";
	static char nope[] = "/nope/x";
	CLEANUP(mem_free_ptr) char *secret = in_folder("secret");
	struct mosquitto_opt good = { name, secret };
	struct mosquitto_opt bad[] = { { name, nope },
				       { key, nope },
				       { parent, one },
				       { parent, other } };
	const int none[] = { 1, 2 }, some[] = { 2, MOSQ_PLUGIN_VERSION };
	int (*version)(int, const int *);

	(void)state;
	*(void **)&version = dlsym(plugin, "mosquitto_plugin_version");
	assert_int_equal(version(2, none), -1);
	assert_int_equal(version(2, some), MOSQ_PLUGIN_VERSION);
	assert_int_equal(version(1, some), -1);
	/* without a secret anybody could be serve */
	assert_int_equal(begin(NULL, 0), MOSQ_ERR_INVAL);
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct mosquitto_opt both[] = { good, bad[i] };

		logged = 0;
		assert_int_equal(begin(both, 2), MOSQ_ERR_INVAL);
		assert_null(owner);
		assert_int_equal(logged, i < 2);
		assert_int_equal(registered_count, 0);
	}
	assert_int_equal(begin(&good, 1), MOSQ_ERR_SUCCESS);
	assert_int_equal(registered_count, 6);
	end();
	assert_int_equal(unregistered, 6);
}

static void test_who_may_come(void **state)
{
	char *id = mem_zalloc(1026);
	struct fake_client nobody = { NULL, "h" }, empty = { "", "h" };
	struct fake_client longest = { id, "h" };
	struct fake_client half = { "GID_a@@@b", "h" };

	(void)state;
	begin_well(false, false);
	assert_int_equal(comes(&nobody, NULL, NULL), MOSQ_ERR_AUTH);
	assert_int_equal(comes(&empty, NULL, NULL), MOSQ_ERR_AUTH);
	assert_int_equal(done.count, 0);
	memset(id, 'x', 1025);
	assert_int_equal(comes(&longest, NULL, NULL), MOSQ_ERR_AUTH);
	did(0, SERVE " mcpctl/refused/xxx",
	    " {\"address\":\"h\",\"text\":\"its client id is longer than 1024 "
	    "bytes\",\"hint\":null}");
	/* its topic holds the beginning of it */
	assert_int_equal(strspn(strstr(done.word[0], "/xxx") + 1, "x"), 512);
	id[1024] = '\0';
	assert_int_equal(comes(&longest, NULL, NULL), MOSQ_ERR_SUCCESS);
	assert_int_equal(done.count, 0);
	assert_int_equal(comes(&serve, NULL, NULL), MOSQ_ERR_AUTH);
	assert_int_equal(comes(&serve, NULL, "hush"), MOSQ_ERR_AUTH);
	did(0, SERVE " mcpctl/refused/" SERVE " ",
	    "this client id is kept for mcpctl itself");
	assert_int_equal(comes(&serve, NULL, "hush!"), MOSQ_ERR_SUCCESS);
	assert_int_equal(done.count, 0);
	/* of those who may be none serve is not told */
	assert_int_equal(comes(&plain, "u", NULL), MOSQ_ERR_SUCCESS);
	assert_int_equal(comes(&half, NULL, NULL), MOSQ_ERR_SUCCESS);
	assert_int_equal(done.count, 0);
	assert_int_equal(comes(&device, "a\"b", NULL), MOSQ_ERR_SUCCESS);
	did(0, SERVE " mcpctl/joined/" DEVICE " ",
	    "{\"address\":\"10.0.0.1\",\"user\":\"a\\\"b\",\"n\":");
	/* who operates is nobody here */
	assert_int_equal(comes(&plain, BROKER_OPERATOR, "x"), MOSQ_ERR_SUCCESS);
	end();
	mem_free(id);
}

static void test_keys(void **state)
{
	static const struct {
		const char *id, *user, *password, *why;
	} rows[] = {
		{ "plain", USER, SIGNATURE, "its client id is not of the" },
		{ "GID_test@@@02_00@@@uuid", USER, SIGNATURE, "client id is" },
		{ DEVICE, NULL, SIGNATURE, "its user name is not base64 of a" },
		{ DEVICE, "e3?0", SIGNATURE, "its user name is not base64" },
		{ DEVICE, "W10=", SIGNATURE, "its user name is not base64" },
		{ DEVICE, USER, NULL, "it sent no password" },
		{ DEVICE, USER, "x", "its password is not the signature" },
		{ DEVICE, "e30=", SIGNATURE, "its password is not the" },
		{ DEVICE, USER, SIGNATURE, NULL },
	};

	(void)state;
	begin_well(true, false);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fake_client c = { rows[i].id, "h" };

		assert_int_equal(comes(&c, rows[i].user, rows[i].password),
				 rows[i].why ? MOSQ_ERR_AUTH :
					       MOSQ_ERR_SUCCESS);
		assert_int_equal(done.count, 1);
		if (rows[i].why)
			did(0, SERVE " mcpctl/refused/", rows[i].why);
		else
			did(0, SERVE " mcpctl/joined/", "\"n\":");
	}
	end();
}

static void test_operator(void **state)
{
	struct mosquitto_evt_reload again = { .options = NULL };

	(void)state;
	begin_well(true, true);
	assert_int_equal(comes(&plain, BROKER_OPERATOR, "y"), MOSQ_ERR_AUTH);
	did(0, SERVE " mcpctl/refused/plain ",
	    "\"text\":\"the password of the operator is wrong\",\"hint\":\"it "
	    "stands in the file of --mqtt-operator-file\"");
	assert_int_equal(comes(&plain, BROKER_OPERATOR, NULL), MOSQ_ERR_AUTH);
	assert_int_equal(comes(&plain, BROKER_OPERATOR, "look"),
			 MOSQ_ERR_SUCCESS);
	assert_int_equal(done.count, 0);
	assert_int_equal(may(&plain, MOSQ_ACL_SUBSCRIBE, "#"),
			 MOSQ_ERR_SUCCESS);
	assert_int_equal(may(&plain, MOSQ_ACL_WRITE, "x"), MOSQ_ERR_SUCCESS);
	assert_int_equal(may(&plain, MOSQ_ACL_READ, "mcpctl/up/x"),
			 MOSQ_ERR_ACL_DENIED);
	assert_int_equal(says(&plain, "x", "{\"type\":\"hello\"}"),
			 MOSQ_ERR_SUCCESS);
	assert_int_equal(done.count, 0);
	/* another password, once it is read anew; who is there stays */
	write_file("operator", "other");
	assert_int_equal(happens(MOSQ_EVT_RELOAD, &again), MOSQ_ERR_SUCCESS);
	assert_int_equal(comes(&plain, BROKER_OPERATOR, "look"),
			 MOSQ_ERR_SUCCESS);
	tick();
	assert_int_equal(comes(&plain, BROKER_OPERATOR, "look"), MOSQ_ERR_AUTH);
	assert_int_equal(comes(&plain, BROKER_OPERATOR, "other"),
			 MOSQ_ERR_SUCCESS);
	write_file("operator", "look");
	end();
}

static void test_messages(void **state)
{
	static const char hello[] = "{\"type\":\"hello\"}";

	(void)state;
	begin_well(false, false);
	comes(&serve, NULL, "hush!");
	comes(&device, NULL, NULL);
	assert_int_equal(says(&device, "device-server", "x"), MOSQ_ERR_SUCCESS);
	did(0, SERVE " mcpctl/up/" DEVICE " x", "x");
	assert_int_equal(done.count, 1);
	/* what makes another one a device */
	comes(&plain, NULL, NULL);
	says(&plain, "device-server", "{\"type\":7}");
	says(&plain, "device-server", "[]");
	says(&plain, "device-server", "{\"type\":\"hello\"");
	assert_int_equal(done.count, 0);
	says(&plain, "device-server", hello);
	assert_int_equal(done.count, 2);
	did(0, SERVE " mcpctl/joined/plain ", "\"user\":null,\"n\":");
	did(1, SERVE " mcpctl/up/plain ", hello);
	/* what serve wants done, which goes no further */
	assert_int_equal(says(&serve, "mcpctl/down/plain", "to it"),
			 MOSQ_ERR_ACL_DENIED);
	did(0, "plain ", " to it");
	assert_int_equal(says(&serve, "mcpctl/kick/plain", ""),
			 MOSQ_ERR_ACL_DENIED);
	assert_string_equal(done.word[0], "kick plain");
	assert_int_equal(says(&serve, "mcpctl/kick/" SERVE, ""),
			 MOSQ_ERR_ACL_DENIED);
	assert_int_equal(done.count, 0);
	assert_int_equal(says(&serve, "mcpctl/up/plain", ""),
			 MOSQ_ERR_ACL_DENIED);
	assert_int_equal(done.count, 0);
	assert_int_equal(says(&serve, "other", ""), MOSQ_ERR_SUCCESS);
	assert_int_equal(done.count, 0);
	/* one that never came */
	goes(&plain, 1);
	assert_int_equal(says(&plain, "device-server", hello),
			 MOSQ_ERR_SUCCESS);
	assert_int_equal(done.count, 0);
	end();
}

static void test_access(void **state)
{
	CLEANUP(buf_done) struct buf own = { 0 };

	(void)state;
	broker_own_topic(&own, "plain");
	begin_well(false, false);
	comes(&plain, NULL, NULL);
	assert_int_equal(may(&serve, MOSQ_ACL_SUBSCRIBE, "#"),
			 MOSQ_ERR_SUCCESS);
	assert_int_equal(may(&device, MOSQ_ACL_WRITE, "device-server"),
			 MOSQ_ERR_ACL_DENIED);
	assert_int_equal(may(&plain, MOSQ_ACL_WRITE, "device-server"),
			 MOSQ_ERR_SUCCESS);
	assert_int_equal(may(&plain, MOSQ_ACL_SUBSCRIBE, buf_string(&own)),
			 MOSQ_ERR_SUCCESS);
	assert_int_equal(may(&plain, MOSQ_ACL_READ, buf_string(&own)),
			 MOSQ_ERR_SUCCESS);
	assert_int_equal(may(&plain, MOSQ_ACL_WRITE, NULL),
			 MOSQ_ERR_ACL_DENIED);
	assert_int_equal(may(&plain, MOSQ_ACL_WRITE, "mcpctl/down/x"),
			 MOSQ_ERR_ACL_DENIED);
	assert_int_equal(may(&plain, MOSQ_ACL_READ, "device-server"),
			 MOSQ_ERR_ACL_DENIED);
	assert_int_equal(done.count, 0);
	/* what it tried is told once */
	assert_int_equal(may(&plain, MOSQ_ACL_SUBSCRIBE, "#"),
			 MOSQ_ERR_ACL_DENIED);
	did(0, SERVE " mcpctl/refused/plain ",
	    "\"text\":\"it may not subscribe to '#': a device has '");
	did(0, SERVE, "--mqtt-operator-file");
	assert_int_equal(may(&plain, MOSQ_ACL_SUBSCRIBE, "#"),
			 MOSQ_ERR_ACL_DENIED);
	assert_int_equal(done.count, 0);
	comes(&device, NULL, NULL);
	assert_int_equal(may(&device, MOSQ_ACL_WRITE, buf_string(&own)),
			 MOSQ_ERR_ACL_DENIED);
	did(0, SERVE " mcpctl/refused/" DEVICE " ", "it may not publish to '");
	did(0, SERVE, "': a device publishes to 'device-server' only");
	did(0, SERVE, "a board gets the right topic when it asks OTA here");
	end();
}

/* The number of a connection in what was told of it. */
static long long number(size_t n)
{
	const char *at = n < done.count ? strstr(done.word[n], "\"n\":") : NULL;

	assert_non_null(at);
	return at ? strtoll(at + 4, NULL, 10) : 0;
}

static void test_comings(void **state)
{
	struct fake_client again = { DEVICE, "10.0.0.9" };
	long long first, second;

	(void)state;
	begin_well(false, false);
	comes(&device, NULL, NULL);
	first = number(0);
	assert_true(first > 1000000000000000);
	/* another takes its place: that its end comes later means nothing */
	comes(&again, NULL, NULL);
	second = number(0);
	assert_int_equal(second, first + 1);
	goes(&device, 7);
	assert_int_equal(done.count, 0);
	/* serve, when it is back, is told of who is there */
	comes(&plain, NULL, NULL);
	comes(&serve, NULL, "hush!");
	assert_int_equal(done.count, 1);
	did(0, SERVE " mcpctl/joined/" DEVICE " ", "10.0.0.9");
	assert_int_equal(number(0), second);
	goes(&again, 7);
	did(0, SERVE " mcpctl/left/" DEVICE " ", "{\"reason\":7,\"n\":");
	assert_int_equal(number(0), second);
	goes(&plain, 7);
	goes(&again, 7);
	assert_int_equal(done.count, 0);
	/* asked for twice it is one, and gone when it goes */
	comes(&again, NULL, NULL);
	comes(&again, NULL, NULL);
	goes(&again, 7);
	assert_int_equal(done.count, 1);
	assert_int_equal(may(&again, MOSQ_ACL_WRITE, "device-server"),
			 MOSQ_ERR_ACL_DENIED);
	comes(&serve, NULL, "hush!");
	assert_int_equal(done.count, 0);
	end();
}

/* Who says nothing for two seconds is a device with an id of its own kind. */
static void test_silent(void **state)
{
	struct fake_client busy = { "busy", "h" };

	(void)state;
	begin_well(false, false);
	comes(&plain, NULL, NULL);
	comes(&busy, NULL, NULL);
	may(&busy, MOSQ_ACL_READ, "other");
	ahead_s += 1;
	tick();
	assert_int_equal(done.count, 0);
	ahead_s += 2;
	tick();
	assert_int_equal(done.count, 1);
	did(0, SERVE " mcpctl/joined/plain ", "\"n\":");
	ahead_s += 3;
	tick();
	assert_int_equal(done.count, 0);
	end();
}

static void on_term(int number)
{
	(void)number;
	ended++;
}

/* Without serve it ends the broker, and tidies up behind it, once. */
static void test_orphan(void **state)
{
	static char name[] = "secret_file", where[] = "folder";
	static char parent[] = "parent_pid";
	char own[] = "/tmp/mcpctl-plugin-own-XXXXXX";
	char self[24], strange[24];
	CLEANUP(mem_free_ptr) char *secret = in_folder("secret");
	struct mosquitto_opt options[] = { { name, secret },
					   { where, own },
					   { parent, self } };
	CLEANUP(mem_free_ptr) char *conf = NULL;
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(own));
	conf = mem_printf("%s/mosquitto.conf", own);
	f = fopen(conf, "we");
	assert_non_null(f);
	fclose(f);
	signal(SIGTERM, on_term);
	snprintf(self, sizeof(self), "%d", (int)getppid());
	snprintf(strange, sizeof(strange), "%d", (int)getpid());
	ended = 0;
	assert_int_equal(begin(options, 3), MOSQ_ERR_SUCCESS);
	tick();
	assert_int_equal(ended, 0);
	assert_int_equal(access(conf, F_OK), 0);
	end();
	options[2].value = strange;
	assert_int_equal(begin(options, 3), MOSQ_ERR_SUCCESS);
	tick();
	assert_int_equal(ended, 1);
	assert_int_equal(access(own, F_OK), -1);
	tick();
	assert_int_equal(ended, 1);
	end();
	signal(SIGTERM, SIG_DFL);
}

static int set_up(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/mcpctl-plugin-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	write_file("secret", "hush!");
	write_file("key", KEY);
	write_file("operator", "look");
	return 0;
}

static int tear_down(void **state)
{
	static const char *const names[] = { "secret", "key", "operator" };

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		CLEANUP(mem_free_ptr) char *path = in_folder(names[i]);

		unlink(path);
	}
	rmdir(folder);
	return 0;
}

static void load_plugin(void)
{
	struct error err = { 0 };
	CLEANUP(mem_free_ptr) char *path = module_file("broker", &err);

	if (path)
		plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	error_reset(&err);
}

static void test_nothing(void **state)
{
	(void)state;
	skip_for("mcpctl-broker.so is not built");
}

int main(void)
{
	const struct CMUnitTest none[] = { cmocka_unit_test(test_nothing) };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_life),
		cmocka_unit_test(test_who_may_come),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_operator),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_access),
		cmocka_unit_test(test_comings),
		cmocka_unit_test(test_silent),
		cmocka_unit_test(test_orphan),
	};

	mem_init();
	load_plugin();
	if (!plugin)
		return cmocka_run_group_tests_name("plugin", none, NULL, NULL);
	return cmocka_run_group_tests_name("plugin", tests, set_up, tear_down);
}
