/* SPDX-License-Identifier: MIT */
/*
 * What is known without asking a device: from a serve (here a child that
 * answers, or does not), from kept listings, from a session.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "cli/catalog.h"
#include "cli/catalog_file.h"
#include "cli/connection.h"
#include "cli/schema_cache.h"
#include "cli/target_text.h"
#include "folder.h"
#include "mcp/tools.h"
#include "mcp/types.h"
#include "net/control_client.h"
#include "skip_for.h"
#include "wire/control_frames.h"

#define OTHER_USER 65534
/* What serve is given: where it answers, and where it never does. */
#define PATIENT 60000
#define MOMENT SCHEMA_SOURCE_MS

/* ---- a serve ---- */

enum manner {
	ANSWERS,
	OLD, /* it knows no greeting */
	OTHER_PROTOCOL,
	NOTHING_LISTED,
	SILENT,
	SLOW,
	RUBBISH,
	NO_JSON,
	HANGS_UP
};

static pid_t child;
static char *path;

static void reply(int fd, const char *json)
{
	struct buf frame = { 0 };

	control_encode(&frame, CONTROL_JSON, json, strlen(json));
	if (write(fd, frame.data, frame.len) < 0)
		_exit(1);
	buf_done(&frame);
}

static void answer(int fd, const char *question)
{
	bool named = strstr(question, "\"device\":\"kitchen\"") != NULL;

	if (strstr(question, "\"op\":\"names\"") && named)
		reply(fd, "{\"op\":\"names\",\"tools\":[[\"k\",\"\"]],"
			  "\"count\":1,\"lists\":[\"01\"]}");
	else if (strstr(question, "\"op\":\"names\""))
		reply(fd, "{\"op\":\"names\",\"tools\":[[\"s\\u0065lf.a\","
			  "\"of \\\"a\\\"\"],[\"self.b\"],[],7],\"count\":2,"
			  "\"lists\":[\"00\",\"01\"]}");
	else if (strstr(question, "\"list\":\"01\"") &&
		 strstr(question, "\"self.b\""))
		reply(fd, "{\"op\":\"tool\",\"tools\":2,"
			  "\"tool\":{\"name\":\"self.b\"}}");
	else if (strstr(question, "\"list\":\"00\"") &&
		 strstr(question, "\"self.c\""))
		reply(fd, "{\"op\":\"error\",\"error\":{\"kind\":\"peer\"}}");
	else if (strstr(question, "\"self.c\""))
		reply(fd, "{\"op\":\"tool\",\"tools\":2,"
			  "\"tool\":{\"name\":\"self.c\"}}");
	else if (strstr(question, "\"op\":\"tool\""))
		reply(fd, "{\"op\":\"tool\",\"tools\":2}");
	else if (strstr(question, "\"device\":\"gl*\""))
		reply(fd, "{\"op\":\"end\",\"count\":0}");
	else if (strstr(question, "\"op\":\"devices\"")) {
		reply(fd, "{\"op\":\"device\",\"device\":{\"id\":\"aa:01\","
			  "\"alias\":\"kitchen\",\"board\":\"esp-box\","
			  "\"version\":\"2.4.2\",\"state\":\"ready\"}}");
		reply(fd, "{\"op\":\"device\",\"device\":{\"id\":\"bb:02\","
			  "\"alias\":null,\"board\":null,\"version\":null,"
			  "\"state\":\"failed\"}}");
		reply(fd, "{\"op\":\"end\",\"count\":2}");
	} else {
		reply(fd, "{\"op\":\"error\",\"error\":{}}");
	}
}

static void misbehave(int fd, enum manner manner, const char *question)
{
	switch (manner) {
	case ANSWERS:
	case OLD:
	case OTHER_PROTOCOL:
		answer(fd, question);
		break;
	case NOTHING_LISTED:
		reply(fd, "{\"op\":\"names\",\"tools\":[],\"lists\":[]}");
		break;
	case SILENT:
		break;
	case SLOW:
		for (int i = 0; i < 1000; i++) {
			if (write(fd, i ? "" : "\0\0\0\200j\0\0", 1) < 0)
				_exit(0);
			usleep(20000);
		}
		break;
	case RUBBISH:
		if (write(fd, "HTTP/1.1 400 Bad\r\n\r\n", 20) < 0)
			_exit(0);
		break;
	case NO_JSON:
		reply(fd, "{\"op\":\"names\",");
		break;
	case HANGS_UP:
		close(fd);
		break;
	}
}

static void greet(int fd, enum manner manner)
{
	CLEANUP(buf_done) struct buf ours = { 0 };

	greeting_answer(&ours, 4711);
	if (manner == OLD)
		reply(fd, "{\"op\":\"error\",\"error\":{\"kind\":"
			  "\"protocol\",\"text\":\"no such question\"}}");
	else if (manner == OTHER_PROTOCOL)
		reply(fd, "{\"op\":\"greeting\",\"protocol\":2,"
			  "\"version\":\"9.9\"}");
	else
		reply(fd, buf_string(&ours));
}

static void converse(int fd, enum manner manner)
{
	struct buf in = { 0 };
	struct control_frame f;
	char piece[4096];
	ssize_t n;

	while ((n = read(fd, piece, sizeof(piece))) > 0) {
		buf_add(&in, piece, (size_t)n);
		while (control_decode(&f, in.data, in.len, NULL) > 0) {
			char *question = mem_strndup(f.data, f.len);

			if (strstr(question, "\"greet\""))
				greet(fd, manner);
			else
				misbehave(fd, manner, question);
			mem_free(question);
			buf_consume(&in, f.size);
		}
	}
	buf_done(&in);
	close(fd);
}

static void serve(enum manner manner, uid_t user)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
	assert_int_equal(bind(listener, (struct sockaddr *)&to, sizeof(to)), 0);
	/* Who listens is whose serve it is. */
	if (user)
		assert_int_equal(seteuid(user), 0);
	assert_int_equal(listen(listener, 8), 0);
	if (user)
		assert_int_equal(seteuid(0), 0);
	child = fork();
	assert_true(child >= 0);
	if (child > 0) {
		close(listener);
		return;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_DFL);
	for (;;)
		converse(accept(listener, NULL, NULL), manner);
}

static void serve_ends(void)
{
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	child = 0;
	unlink(path);
}

/* ---- asking ---- */

static void note(void *to, const char *name, const char *brief)
{
	buf_printf(to, "%s(%s) ", name, brief);
}

static void expect_tools(struct schema_source *s, const char *prefix,
			 const char *expected)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	s->tools(s->owner, prefix, note, &out);
	assert_string_equal(buf_string(&out), expected);
}

static void expect_devices(struct schema_source *s, const char *prefix,
			   const char *expected)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	s->devices(s->owner, prefix, note, &out);
	assert_string_equal(buf_string(&out), expected);
}

/* expected NULL: there is none. */
static void expect_tool(struct schema_source *s, const char *name,
			const char *expected)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	assert_int_equal(s->tool(s->owner, name, &out), expected != NULL);
	assert_string_equal(buf_string(&out), expected ? expected : "");
}

static void decode(struct tool_list *l, const char *tools)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("{\"id\":1,\"result\":{\"tools\":%s}}", tools);
	struct message m;

	assert_int_equal(message_decode(&m, text, strlen(text), NULL), 0);
	assert_int_equal(tool_list_add_take(l, &m, NULL, NULL), 0);
}

static void keep(const char *target, const char *device, const char *tools)
{
	CLEANUP(mem_free_ptr) char *key = target_key(target, device);
	CLEANUP(tool_list_done) struct tool_list l = { 0 };

	decode(&l, tools);
	assert_int_equal(schema_cache_write(key, &l, NULL), 0);
}

static int fresh(void **state)
{
	CLEANUP(mem_free_ptr) char *cache = folder_path("cache");
	CLEANUP(mem_free_ptr) char *config = folder_path("mcpctl");

	(void)state;
	nftw(cache, folder_drop, 8, FTW_DEPTH | FTW_PHYS);
	nftw(config, folder_drop, 8, FTW_DEPTH | FTW_PHYS);
	setenv("XDG_CACHE_HOME", cache, 1);
	setenv("XDG_CONFIG_HOME", folder, 1);
	return 0;
}

static int end(void **state)
{
	(void)state;
	serve_ends();
	return 0;
}

/* ---- tests ---- */

static void test_nothing(void **state)
{
	struct schema_source s;

	(void)state;
	schema_source_open(&s, "sim:", NULL, path, MOMENT);
	assert_false(s.known(s.owner));
	expect_tools(&s, "", "");
	expect_tool(&s, "x", NULL);
	expect_devices(&s, "", "");
	schema_source_close(&s);
	schema_source_open(&s, NULL, NULL, path, MOMENT);
	assert_false(s.known(s.owner));
	schema_source_close(&s);
	schema_source_close(&s);
}

static void test_serve(void **state)
{
	struct schema_source s;

	(void)state;
	keep(NULL, "aa", "[{\"name\":\"kept\"}]");
	serve(ANSWERS, 0);
	schema_source_open(&s, NULL, NULL, path, PATIENT);
	expect_tools(&s, "self.", "self.a(of \"a\") self.b() ");
	expect_tool(&s, "self.b", "{\"name\":\"self.b\"}");
	expect_tool(&s, "self.none", NULL);
	/* Of one list it is refused, and the next one has it. */
	expect_tool(&s, "self.c", "{\"name\":\"self.c\"}");
	assert_true(s.known(s.owner));
	expect_devices(&s, "",
		       "kitchen(aa:01, esp-box 2.4.2, ready) "
		       "aa:01(kitchen, esp-box 2.4.2, ready) bb:02(failed) ");
	expect_devices(&s, "B", "bb:02(failed) ");
	expect_devices(&s, "gl", "");
	schema_source_close(&s);
	CLEANUP(mem_free_ptr) char *target = mem_printf("attach:%s", path);

	schema_source_open(&s, target, "kitchen", NULL, PATIENT);
	expect_tools(&s, "", "k() ");
	schema_source_close(&s);
	/* What is asked first does not matter. */
	schema_source_open(&s, NULL, NULL, path, PATIENT);
	expect_tool(&s, "self.b", "{\"name\":\"self.b\"}");
	assert_true(s.known(s.owner));
	schema_source_close(&s);
	/* Another target's tools are not serve's. */
	schema_source_open(&s, "sim:", NULL, path, PATIENT);
	expect_tools(&s, "", "");
	schema_source_close(&s);
}

/* None of these is waited for longer than a moment; what was kept is taken. */
static void test_bad_serves(void **state)
{
	static const enum manner manners[] = { OTHER_PROTOCOL, NOTHING_LISTED,
					       SILENT,	       SLOW,
					       RUBBISH,	       NO_JSON,
					       HANGS_UP };

	(void)state;
	keep(NULL, "aa", "[{\"name\":\"kept\"}]");
	for (size_t i = 0; i < COUNT(manners); i++) {
		struct schema_source s;

		serve(manners[i], 0);
		schema_source_open(&s, NULL, NULL, path, MOMENT);
		expect_tools(&s, "", "kept() ");
		expect_devices(&s, "", "");
		schema_source_close(&s);
		serve_ends();
	}
}

/* Of a time before there were greetings. */
static void test_old_serve(void **state)
{
	struct schema_source s;

	(void)state;
	serve(OLD, 0);
	schema_source_open(&s, NULL, NULL, path, PATIENT);
	expect_tools(&s, "", "self.a(of \"a\") self.b() ");
	schema_source_close(&s);
	serve_ends();
}

static void test_dead(void **state)
{
	struct schema_source s;

	(void)state;
	keep(NULL, "aa", "[{\"name\":\"kept\"}]");
	serve(ANSWERS, 0);
	kill(child, SIGSTOP);
	schema_source_open(&s, NULL, NULL, path, MOMENT);
	expect_tools(&s, "", "kept() ");
	schema_source_close(&s);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	child = 0;
	schema_source_open(&s, NULL, NULL, path, MOMENT);
	expect_tools(&s, "", "kept() ");
	schema_source_close(&s);
	unlink(path);
	mem_free(folder_write("serve.sock", "no socket", 9));
	schema_source_open(&s, NULL, NULL, path, MOMENT);
	expect_tools(&s, "", "kept() ");
	schema_source_close(&s);
}

/* Whoever else may listen there is not believed. */
static void test_foreign(void **state)
{
	struct schema_source s;

	(void)state;
	needs_root();
	serve(ANSWERS, OTHER_USER);
	schema_source_open(&s, NULL, NULL, path, MOMENT);
	expect_tools(&s, "", "");
	schema_source_close(&s);
	serve_ends();
	serve(ANSWERS, 0);
	assert_int_equal(chown(path, OTHER_USER, OTHER_USER), 0);
	schema_source_open(&s, NULL, NULL, path, MOMENT);
	expect_tools(&s, "", "");
	schema_source_close(&s);
}

static void test_cache(void **state)
{
	struct schema_source s;

	(void)state;
	keep("sim:large", NULL,
	     "[{\"name\":\"b\",\"description\":\"B.\\nmore\"},"
	     "{\"name\":\"a.1\"},{\"name\":\"a.2\"}]");
	schema_source_open(&s, "sim:large", NULL, path, MOMENT);
	expect_tools(&s, "", "a.1() a.2() b(B.) ");
	expect_tools(&s, "a.", "a.1() a.2() ");
	expect_tools(&s, "c", "");
	expect_tool(&s, "a.1", "{\"name\":\"a.1\"}");
	expect_tool(&s, "a.", NULL);
	assert_true(s.known(s.owner));
	schema_source_close(&s);
	/* A listening target is one bench, whatever the port. */
	keep("listen:", NULL, "[{\"name\":\"heard\"}]");
	schema_source_open(&s, "listen:8001", NULL, path, MOMENT);
	expect_tools(&s, "", "heard() ");
	schema_source_close(&s);
}

static void test_aliases(void **state)
{
	static const char text[] = "{\"kitchen\":\"AA:01\",\"hall\":\"cc:03\"}";
	CLEANUP(mem_free_ptr) char *config = folder_path("mcpctl");
	struct schema_source s;

	(void)state;
	assert_int_equal(mkdir(config, 0700), 0);
	mem_free(folder_write("mcpctl/devices.json", text, strlen(text)));
	keep(NULL, "aa:01", "[{\"name\":\"one\"}]");
	/* Files are dated by ticks. */
	usleep(50000);
	keep(NULL, "bb:02", "[{\"name\":\"two\"}]");
	schema_source_open(&s, NULL, "kitchen", path, PATIENT);
	expect_tools(&s, "", "one() ");
	expect_devices(&s, "", "kitchen(AA:01) hall(cc:03) ");
	schema_source_close(&s);
	schema_source_open(&s, NULL, "AA:01", path, PATIENT);
	expect_tools(&s, "", "one() ");
	schema_source_close(&s);
	/* Of the others what was there last. */
	schema_source_open(&s, NULL, "hall", path, PATIENT);
	expect_tools(&s, "", "two() ");
	schema_source_close(&s);
	serve(ANSWERS, 0);
	schema_source_open(&s, NULL, NULL, path, PATIENT);
	expect_devices(&s, "k", "kitchen(aa:01, esp-box 2.4.2, ready) ");
	expect_devices(&s, "h", "hall(cc:03) ");
	schema_source_close(&s);
	mem_free(folder_write("mcpctl/devices.json", "[", 1));
	schema_source_open(&s, NULL, NULL, path, PATIENT);
	expect_devices(&s, "h", "");
	schema_source_close(&s);
}

/* Without a session, what was kept of its target. */
static void test_session(void **state)
{
	struct schema_source s;
	struct app app = { 0 };
	struct connection connection = { .app = &app };

	(void)state;
	keep("sim:", NULL, "[{\"name\":\"kept\"}]");
	app.config.target = "sim:";
	app.config.socket = path;
	schema_source_session(&s, &connection);
	expect_tools(&s, "", "kept() ");
	expect_tool(&s, "kept", "{\"name\":\"kept\"}");
	expect_devices(&s, "", "");
	assert_true(s.known(s.owner));
	schema_source_close(&s);
}

/* With one, its list; nothing is asked. */
static void test_session_listed(void **state)
{
	struct error err = { 0 };
	struct schema_source s;
	struct app app;
	struct connection connection = { .app = &app };

	(void)state;
	app_init(&app);
	app.config.target = "sim:";
	app.config.no_init = true;
	app_configure(&app);
	app.out.quiet = true;
	connection.tail = true;
	assert_int_equal(connection_open(&connection, &err), 0);
	assert_true(connection.endpoint.tail);
	decode(&connection.tools,
	       "[{\"name\":\"b\"},{\"name\":\"a\",\"description\":"
	       "\"A.\"},{\"name\":\"b\",\"title\":\"2\"}]");
	connection.has_tools = true;
	schema_source_session(&s, &connection);
	expect_tools(&s, "", "a(A.) b() b() ");
	expect_tools(&s, "b", "b() b() ");
	expect_tool(&s, "b", "{\"name\":\"b\"}");
	expect_tool(&s, "c", NULL);
	assert_true(s.known(s.owner));
	schema_source_close(&s);
	connection_done(&connection);
	app_done(&app);
}

/* Of resources and the like: what the session listed, else what was kept. */
static void test_items(void **state)
{
	struct error err = { 0 };
	struct schema_source s;
	struct app app;
	struct connection connection = { .app = &app };
	CLEANUP(buf_done) struct buf out = { 0 };
	struct message page;
	static const char prompts[] =
		"{\"id\":1,\"result\":{\"prompts\":[{\"name\":\"city\","
		"\"description\":\"about one\",\"arguments\":[{\"name\":"
		"\"n\",\"required\":true}]},{\"name\":\"bare\"}]}}";

	(void)state;
	app_init(&app);
	app.config.target = "sim:";
	app.config.no_init = true;
	app_configure(&app);
	app.out.quiet = true;
	assert_int_equal(connection_open(&connection, &err), 0);
	schema_source_session(&s, &connection);
	assert_false(s.items(s.owner, LIST_PROMPTS, "", note, &out));
	assert_false(s.item(s.owner, LIST_PROMPTS, "city", &out));
	connection.items[LIST_PROMPTS].kind = LIST_PROMPTS;
	assert_int_equal(
		message_decode(&page, prompts, sizeof(prompts) - 1, NULL), 0);
	assert_int_equal(page_list_add_take(&connection.items[LIST_PROMPTS],
					    &page, NULL, &err),
			 0);
	connection.has_items[LIST_PROMPTS] = true;
	assert_true(s.items(s.owner, LIST_PROMPTS, "", note, &out));
	assert_string_equal(buf_string(&out), "city(about one) bare(bare) ");
	buf_reset(&out);
	assert_true(s.items(s.owner, LIST_PROMPTS, "c", note, &out));
	assert_string_equal(buf_string(&out), "city(about one) ");
	buf_reset(&out);
	assert_false(s.items(s.owner, LIST_RESOURCES, "", note, &out));
	assert_true(s.item(s.owner, LIST_PROMPTS, "city", &out));
	assert_non_null(strstr(buf_string(&out), "\"name\":\"city\""));
	assert_non_null(strstr(buf_string(&out), "\"required\":[\"n\"]"));
	buf_reset(&out);
	assert_false(s.item(s.owner, LIST_PROMPTS, "none", &out));
	assert_int_equal(out.len, 0);
	schema_source_close(&s);
	connection_done(&connection);
	app_done(&app);
}

static int make(void **state)
{
	mem_init();
	if (folder_make(state))
		return -1;
	path = folder_path("serve.sock");
	return 0;
}

static int unmake(void **state)
{
	mem_free(path);
	return folder_remove(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_nothing),    TEST(test_serve),
		TEST(test_bad_serves), TEST(test_dead),
		TEST(test_old_serve),  TEST(test_foreign),
		TEST(test_cache),      TEST(test_aliases),
		TEST(test_session),    TEST(test_session_listed),
		TEST(test_items),
	};

	return cmocka_run_group_tests(tests, make, unmake);
}
