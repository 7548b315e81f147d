/* SPDX-License-Identifier: MIT */
/* Results from outside: real commands, and a scripted server in Ollama's place. */
#include "service_harness.h"
/* behind it: cmocka comes first */
#include "http_child.h"
#include "http_server.h"
#include "sim/ollama.h"
#include "sim/order.h"
#include "sim_harness.h"

#define DONE "\"done\":true}"

struct heard {
	bool done;
	char *text;
	struct error why;
	int64_t timeout;
};

static void on_done(void *owner, const struct exec_answer *a)
{
	struct heard *h = owner;

	assert_false(h->done);
	h->done = true;
	h->text = mem_strndup(a->text ? a->text : "", a->len);
	h->timeout = a->timeout;
	error_copy(&h->why, a->why);
}

static void heard_reset(struct heard *h)
{
	mem_free(h->text);
	error_reset(&h->why);
	memset(h, 0, sizeof(*h));
}

/* ---- exec ---- */

/* Run a shell's line; timeout in ms, 0: the usual. */
static void run(struct heard *h, const char *line, const char *input,
		int64_t timeout)
{
	char *const argv[] = { (char[]){ "sh" }, (char[]){ "-c" },
			       mem_strdup(line), NULL };
	struct error err = { 0 };
	struct exec_config c = { .timeout = timeout };
	struct exec *o;

	assert_int_equal(loop_new(&c.loop, &err), 0);
	assert_int_equal(exec_run(&o, &c, &(struct exec_command){ argv, input },
				  on_done, h, &err),
			 0);
	assert_false(h->done);
	assert_int_equal(loop_wait(c.loop, &h->done, loop_now() + 60000, &err),
			 0);
	loop_free(c.loop);
	mem_free(argv[2]);
}

static void test_exec(void **state)
{
	struct heard h = { 0 };
	char *large = mem_zalloc(1000001);

	(void)state;
	run(&h, "cat", "{\"a\":1}", 0);
	assert_string_equal(h.text, "{\"a\":1}");
	assert_int_equal(h.why.kind, ERR_NONE);
	heard_reset(&h);
	run(&h, "printf 'a\\nb\\r\\n'", "{}", 0);
	assert_string_equal(h.text, "a\nb");
	heard_reset(&h);
	/* who does not read does no harm */
	memset(large, 'x', 1000000);
	run(&h, "exec <&-; echo ok", large, 0);
	assert_string_equal(h.text, "ok");
	heard_reset(&h);
	run(&h, "cat", large, 0);
	assert_int_equal(strlen(h.text), 1000000);
	heard_reset(&h);
	mem_free(large);
}

static void test_exec_fails(void **state)
{
	struct heard h = { 0 };
	int64_t start = loop_now();

	(void)state;
	run(&h, "echo one >&2; echo two >&2; exit 3", "{}", 0);
	assert_int_equal(h.why.kind, ERR_PEER);
	assert_string_equal(h.why.text,
			    "the command 'sh' ended with status 3: two");
	heard_reset(&h);
	run(&h, "kill -9 $$", "{}", 0);
	assert_non_null(strstr(h.why.text, "signal 9"));
	heard_reset(&h);
	run(&h, "head -c 5000000 /dev/zero", "{}", 0);
	assert_int_equal(h.why.kind, ERR_PEER);
	assert_non_null(strstr(h.why.text, "more than 4194304 bytes"));
	heard_reset(&h);
	run(&h, "trap '' TERM; sleep 100", "{}", 100);
	assert_int_equal(h.why.kind, ERR_TIMEOUT);
	assert_string_equal(h.why.text,
			    "the command 'sh' did not end in 100 ms");
	assert_true(loop_now() - start < 10000);
	heard_reset(&h);
}

static void test_exec_cannot(void **state)
{
	char *const argv[] = { (char[]){ "/nope/nothing" }, NULL };
	char *const sleeper[] = { (char[]){ "sleep" }, (char[]){ "100" },
				  NULL };
	const struct exec_command nothing = { argv, "{}" };
	const struct exec_command sleeps = { sleeper, "{}" };
	struct exec_config c = { .timeout = 0 };
	struct error err = { 0 };
	struct heard h = { 0 };
	struct exec *o;

	(void)state;
	assert_int_equal(loop_new(&c.loop, &err), 0);
	assert_int_equal(exec_run(&o, &c, &nothing, on_done, &h, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_non_null(strstr(err.text, "/nope/nothing"));
	error_reset(&err);
	assert_int_equal(exec_run(&o, &c, &sleeps, on_done, &h, &err), 0);
	exec_abandon(o);
	exec_abandon(NULL);
	loop_free(c.loop);
	assert_false(h.done);
}

/* ---- Ollama's JSON ---- */

static void test_request(void **state)
{
	struct ollama_question q = { .system = "s",
				     .user = "u\"",
				     .format = "{\"type\":\"object\"}",
				     .options = "{\"temperature\":0}" };
	struct buf out;

	(void)state;
	buf_init(&out, 0);
	ollama_request(&out, "m", &q);
	assert_string_equal(
		buf_string(&out),
		"{\"model\":\"m\",\"messages\":[{\"role\":\"system\","
		"\"content\":\"s\"},{\"role\":\"user\",\"content\":\"u\\\"\"}],"
		"\"stream\":false,\"format\":{\"type\":\"object\"},\"options\":"
		"{\"temperature\":0}}");
	buf_reset(&out);
	q = (struct ollama_question){ .user = "u", .stream = true };
	ollama_request(&out, "m", &q);
	assert_string_equal(buf_string(&out),
			    "{\"model\":\"m\",\"messages\":[{\"role\":\"user\","
			    "\"content\":\"u\"}],\"stream\":true}");
	buf_done(&out);
}

#define PIECE(text) "{\"message\":{\"content\":\"" text "\"},\"done\":false}\n"

static void test_words(void **state)
{
	static const struct {
		const char *body, *words;
		enum error_kind kind;
	} rows[] = {
		{ "{\"message\":{\"content\":\"a\"}," DONE, "a", ERR_NONE },
		{ " {\n\"message\":\n{\"content\":\"a\"}," DONE "\n", "a",
		  ERR_NONE },
		{ PIECE("a") PIECE("b") "\n{\"message\":{\"content\":\"\"}"
					"," DONE "\n",
		  "ab", ERR_NONE },
		{ PIECE("a") "{" DONE, "a", ERR_NONE },
		{ PIECE("a"), "a", ERR_CONNECT },
		{ PIECE("a") "{\"mess", "a", ERR_CONNECT },
		{ "{not json", "", ERR_PEER },
		{ "{\"mess", "", ERR_PEER },
		{ "", "", ERR_PEER },
		{ PIECE("a") "{\"error\":\"out of memory\"}\n", "a", ERR_PEER },
		{ "<html>hello</html>\n", "", ERR_PEER },
		{ "{\"message\":{\"content\":7},\"done\":false}", "",
		  ERR_PEER },
		{ "[]", "", ERR_PEER },
		{ "<html>", "", ERR_PEER },
	};
	struct error err = { 0 };
	struct buf out;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		buf_init(&out, 0);
		ollama_words(rows[i].body, strlen(rows[i].body), &out, &err);
		assert_int_equal(err.kind, rows[i].kind);
		assert_string_equal(buf_string(&out), rows[i].words);
		buf_done(&out);
		error_reset(&err);
	}
}

/* What was asked for in pieces can break off before the first. */
static void test_broken_streams(void **state)
{
	static const struct {
		const char *body;
		enum error_kind kind;
		const char *words;
	} rows[] = {
		{ "", ERR_CONNECT, "broke off after 0 bytes" },
		{ "{\"mess", ERR_CONNECT, "broke off after 6 bytes" },
		{ PIECE("a") "{\"mess", ERR_CONNECT,
		  "broke off after 47 bytes" },
		{ "<html>", ERR_PEER, "no answer of Ollama's" },
		{ "{not json\n", ERR_PEER, "no answer of Ollama's" },
	};
	struct error err = { 0 };
	struct buf out;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		buf_init(&out, 0);
		assert_int_equal(ollama_words_in_pieces(rows[i].body,
							strlen(rows[i].body),
							&out, &err),
				 -1);
		if (!strstr(err.text, rows[i].words))
			print_error("said: %s\n", err.text);
		assert_int_equal(err.kind, rows[i].kind);
		assert_non_null(strstr(err.text, rows[i].words));
		buf_done(&out);
		error_reset(&err);
	}
}

static void test_refused(void **state)
{
	static const struct {
		int status;
		const char *body;
		enum error_kind kind;
		const char *words;
	} rows[] = {
		{ 404, "{\"error\":\"model 'm' not found\"}", ERR_CONNECT,
		  "has no model 'm'" },
		{ 404, "404 page not found", ERR_CONNECT,
		  "there is no Ollama" },
		{ 503, "{\"error\":\"server busy\"}", ERR_CONNECT,
		  "status 503: server busy" },
		{ 500, "{\"error\":\"no memory\"}", ERR_PEER,
		  "an error: no memory" },
		{ 302, "", ERR_PEER, "status 302" },
		{ 401, "", ERR_CONNECT, "status 401" },
		{ 403, "", ERR_CONNECT, "status 403" },
		{ 407, "", ERR_CONNECT, "status 407" },
		{ 429, "{\"error\":\"slow\"}", ERR_CONNECT,
		  "http://h:1 answers HTTP status 429: slow" },
		{ 502, "", ERR_CONNECT, "status 502" },
		{ 504, "", ERR_CONNECT, "status 504" },
	};
	struct error err = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		const struct ollama_refusal f = { rows[i].status, rows[i].body,
						  strlen(rows[i].body),
						  "http://h:1", "m" };

		assert_int_equal(ollama_refused(&f, &err), -1);
		assert_int_equal(err.kind, rows[i].kind);
		assert_non_null(strstr(err.text, rows[i].words));
		error_reset(&err);
	}
}

/* ---- Ollama over HTTP ---- */

static void ask(struct heard *h, const struct exec_config *config)
{
	const struct ollama_question q = { .user = "u" };
	struct exec_config c = *config;
	struct error err = { 0 };
	struct exec *o;

	assert_int_equal(loop_new(&c.loop, &err), 0);
	if (ollama_ask(&o, &c, &q, on_done, h, &err))
		print_error("%s\n", err.text);
	assert_int_equal(err.kind, ERR_NONE);
	assert_false(h->done);
	assert_int_equal(loop_wait(c.loop, &h->done, loop_now() + 60000, &err),
			 0);
	loop_free(c.loop);
}

/* A server that says these bytes. */
static void served(struct heard *h, const char *answer, int64_t timeout)
{
	struct http_script script = { .answer = answer, .close = true };
	struct exec_config c = { .timeout = timeout, .retry_after = 7000 };
	struct http_child server;
	char url[64];

	script.answer_len = answer ? strlen(answer) : 0;
	script.close = answer != NULL;
	http_child_open(&server);
	http_child_start(&server, &script);
	snprintf(url, sizeof(url), "127.0.0.1:%u/api/", server.port);
	c.ollama = url;
	ask(h, &c);
	http_child_finish(&server);
}

#define HEAD(status) "HTTP/1.1 " status "\r\nConnection: close\r\n"

static void test_answers(void **state)
{
	struct heard h = { 0 };

	(void)state;
	served(&h, HEAD("200 OK") "\r\n{\"message\":{\"content\":\"oi\"}," DONE,
	       0);
	assert_int_equal(h.why.kind, ERR_NONE);
	assert_string_equal(h.text, "oi");
	assert_int_equal(h.timeout, OUTSIDE_TIMEOUT_MS);
	heard_reset(&h);
	served(&h, HEAD("200 OK") "\r\n" PIECE("o") PIECE("i") "{" DONE, 0);
	assert_string_equal(h.text, "oi");
	heard_reset(&h);
}

static void unavailable(const char *answer, int64_t retry, const char *words)
{
	struct heard h = { 0 };

	served(&h, answer, 0);
	assert_int_equal(h.why.kind, ERR_CONNECT);
	assert_int_equal(h.why.code, LLM_UNAVAILABLE);
	assert_int_equal(h.why.retry_after, retry);
	if (!strstr(h.why.text, words))
		print_error("said: %s\n", h.why.text);
	assert_non_null(strstr(h.why.text, words));
	assert_string_equal(h.text, "");
	heard_reset(&h);
}

static void test_unavailable(void **state)
{
	(void)state;
	unavailable(HEAD("404 Not Found") "\r\n{\"error\":\"model not found\"}",
		    7000, "has no model 'llama3:8b'");
	unavailable(HEAD("503 x") "Retry-After: 3\r\n\r\n{\"error\":\"busy\"}",
		    3000, "busy");
	unavailable(HEAD("200 OK") "Content-Length: 999\r\n\r\n" PIECE("o"),
		    7000, "broke off");
	unavailable(HEAD("200 OK") "\r\n" PIECE("o"), 7000, "broke off");
}

static void no_answer(const char *answer, const char *words)
{
	struct heard h = { 0 };

	served(&h, answer, 0);
	assert_int_equal(h.why.kind, ERR_PEER);
	assert_int_equal(h.why.code, 0);
	assert_string_equal(h.why.text, words);
	heard_reset(&h);
}

/* It came whole, and is wrong: asking again later will not help. */
static void test_no_answer(void **state)
{
	(void)state;
	no_answer(HEAD("200 OK") "Content-Length: 9\r\n\r\n{not json",
		  "what came is no answer of Ollama's");
	no_answer(HEAD("200 OK") "Content-Length: 0\r\n\r\n",
		  "what came is no answer of Ollama's: its body is empty");
	no_answer(HEAD("200 OK") "\r\n<html>",
		  "what came is no answer of Ollama's");
}

static void test_nobody(void **state)
{
	struct exec_config c = { .ollama = "http://user:secret@127.0.0.1:1" };
	struct heard h = { 0 };

	(void)state;
	ask(&h, &c);
	assert_int_equal(h.why.kind, ERR_CONNECT);
	assert_int_equal(h.why.code, LLM_UNAVAILABLE);
	assert_int_equal(h.why.retry_after, OUTSIDE_RETRY_MS);
	assert_non_null(strstr(h.why.text, "at http://127.0.0.1:1: "));
	assert_null(strstr(h.why.text, "secret"));
	heard_reset(&h);
}

static void test_slow(void **state)
{
	struct heard h = { 0 };

	(void)state;
	served(&h, NULL, 200);
	assert_int_equal(h.why.kind, ERR_TIMEOUT);
	assert_int_equal(h.why.code, LLM_TIMEOUT);
	assert_int_equal(h.why.retry_after, 7000);
	assert_int_equal(h.timeout, 200);
	heard_reset(&h);
}

/* ---- ordered by a profile ---- */

static void says_well(struct web_client *c, const char *request)
{
	(void)request;
	web_json(c, "{\"message\":{\"content\":\"well\"}," DONE);
}

/*
 * A tool's "ollama", and the profile's own: this is what goes out. In place of
 * 'URL' in both stands the address of the server.
 */
static void ordered(const char *own, const char *defaults, const char *system,
		    const char *body)
{
	struct exec_config config = { .timeout = 20000 };
	struct error err = { 0 };
	struct heard h = { 0 };
	struct order o = { .system = system, .user = "u", .arguments = "{}" };
	CLEANUP(mem_free_ptr) char *text = NULL, *common = NULL;
	CLEANUP(json_free_ptr) cJSON *result = NULL, *profile = NULL;
	struct web web;
	struct exec *e;

	assert_int_equal(loop_new(&config.loop, &err), 0);
	web_open(&web, config.loop);
	web.answer = says_well;
	text = mem_printf("{\"ollama\":{\"url\":\"127.0.0.1:%u\",%s}}",
			  web.port, own);
	common = mem_printf("{\"url\":\"http://127.0.0.1:1\",%s}", defaults);
	result = cJSON_Parse(text);
	profile = cJSON_Parse(common);
	assert_true(result && profile);
	o.result = result;
	o.defaults = profile;
	o.config = &config;
	assert_int_equal(order_start(&e, &o, on_done, &h, &err), 0);
	assert_int_equal(
		loop_wait(config.loop, &h.done, loop_now() + 60000, &err), 0);
	assert_string_equal(h.text, "well");
	assert_int_equal(web.requests.count, 1);
	assert_string_equal(web_body(web.requests.word[0]), body);
	assert_int_equal(h.timeout, 20000); /* the user's word wins */
	heard_reset(&h);
	web_close(&web);
	loop_free(config.loop);
}

#define ASKS(model) "{\"model\":\"" model "\",\"messages\":["
#define USER "{\"role\":\"user\",\"content\":\"u\"}]"

static void test_orders(void **state)
{
	(void)state;
	/* options of both, those of the tool over the profile's */
	ordered("\"model\":\"m\",\"options\":{\"b\":2,\"c\":[3]},\"stream\":true,"
		"\"format\":{\"type\":\"object\"},\"timeout_ms\":5",
		"\"model\":\"n\",\"options\":{\"a\":1,\"b\":1},\"stream\":false",
		"s",
		ASKS("m") "{\"role\":\"system\",\"content\":\"s\"}," USER
			  ",\"stream\":true,\"format\":{\"type\":\"object\"},"
			  "\"options\":{\"a\":1,\"b\":2,\"c\":[3]}}");
	/* of one of them alone */
	ordered("\"options\":{\"b\":2},\"format\":\"json\"", "\"model\":\"n\"",
		NULL,
		ASKS("n") USER ",\"stream\":false,\"format\":\"json\","
			       "\"options\":{\"b\":2}}");
	ordered("\"stream\":false", "\"options\":{\"a\":1},\"stream\":true",
		NULL,
		ASKS("llama3:8b") USER ",\"stream\":false,\"options\":{\"a\":1}"
				       "}");
	ordered("\"model\":\"m\"", "\"stream\":true", NULL,
		ASKS("m") USER ",\"stream\":true}");
}

/* What the user says of a model stands above both; times of the profile hold. */
static void test_order_words(void **state)
{
	struct exec_config config = { .ollama = "http://127.0.0.1:1",
				      .model = "mine" };
	CLEANUP(json_free_ptr)
	cJSON *result = cJSON_Parse(
		"{\"ollama\":{\"url\":\"http://127.0.0.1:2\",\"model\":\"m\","
		"\"timeout_ms\":7000}}");
	CLEANUP(json_free_ptr)
	cJSON *profile =
		cJSON_Parse("{\"timeout_ms\":9000,\"retry_after_ms\":1234}");
	const struct order o = { .result = result,
				 .defaults = profile,
				 .config = &config,
				 .user = "u",
				 .arguments = "{}" };
	struct error err = { 0 };
	struct heard h = { 0 };
	struct exec *e;

	(void)state;
	assert_int_equal(loop_new(&config.loop, &err), 0);
	assert_int_equal(order_start(&e, &o, on_done, &h, &err), 0);
	assert_string_equal(e->model, "mine");
	assert_int_equal(
		loop_wait(config.loop, &h.done, loop_now() + 60000, &err), 0);
	assert_non_null(strstr(h.why.text, "at http://127.0.0.1:1: "));
	assert_int_equal(h.why.retry_after, 1234);
	assert_int_equal(h.timeout, 7000);
	heard_reset(&h);
	loop_free(config.loop);
}

/* A command's time is the tool's: what the user says is of models. */
static void test_order_exec(void **state)
{
	struct exec_config config = { .timeout = 1 };
	CLEANUP(json_free_ptr)
	cJSON *result =
		cJSON_Parse("{\"exec\":\"sh -c 'read a; echo \\\"<$a>\\\"'\"}");
	CLEANUP(json_free_ptr)
	cJSON *other =
		cJSON_Parse("{\"exec\":[\"echo\",\"a  b\"],\"timeout_ms\":"
			    "40000}");
	struct order o = { .result = result,
			   .config = &config,
			   .arguments = "{\"n\":1}" };
	struct error err = { 0 };
	struct heard h = { 0 };
	struct exec *e;

	(void)state;
	assert_int_equal(loop_new(&config.loop, &err), 0);
	assert_int_equal(order_start(&e, &o, on_done, &h, &err), 0);
	assert_int_equal(
		loop_wait(config.loop, &h.done, loop_now() + 60000, &err), 0);
	assert_string_equal(h.text, "<{\"n\":1}>");
	assert_int_equal(h.timeout, OUTSIDE_TIMEOUT_MS);
	heard_reset(&h);
	o.result = other;
	assert_int_equal(order_start(&e, &o, on_done, &h, &err), 0);
	assert_int_equal(
		loop_wait(config.loop, &h.done, loop_now() + 60000, &err), 0);
	assert_string_equal(h.text, "a  b");
	assert_int_equal(h.timeout, 40000);
	heard_reset(&h);
	loop_free(config.loop);
}

/* Addresses of Ollama as people write them. */
static void test_addresses(void **state)
{
	static const char *const good[] = { "localhost:11434", "http://h",
					    "https://h/api/", "h/api" };
	static const char *const bad[] = { "", "ftp://h", "ws://h", "http://",
					   "http://h:x" };
	struct error err = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++)
		assert_int_equal(ollama_check(good[i], &err), 0);
	for (size_t i = 0; i < COUNT(bad); i++) {
		assert_int_equal(ollama_check(bad[i], &err), -1);
		assert_int_equal(err.kind, ERR_USAGE);
		assert_non_null(strstr(err.hint, "http://127.0.0.1:11434"));
		error_reset(&err);
	}
	assert_int_equal(ollama_check("ftp://user:secret@h", &err), -1);
	assert_non_null(strstr(err.text, "'h' is no address of Ollama"));
	assert_null(strstr(err.text, "secret"));
	error_reset(&err);
}

/* ---- in a service ---- */

static const char runner[] =
	"{\"kind\":\"service\",\"name\":\"s\",\"tools\":["
	"{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\",\"properties\":"
	"{\"n\":{\"default\":3}}},\"result\":{\"exec\":\"cat\"}},"
	"{\"name\":\"fit\",\"outputSchema\":{\"type\":\"object\",\"required\":"
	"[\"n\"]},\"result\":{\"exec\":[\"sh\",\"-c\",\"cat; echo\"]}},"
	"{\"name\":\"bad\",\"result\":{\"exec\":\"sh -c 'echo no >&2; exit 1'\""
	"}},"
	"{\"name\":\"none\",\"result\":{\"exec\":\"/nope/nothing\"}},"
	"{\"name\":\"late\",\"result\":{\"exec\":\"sleep 100\",\"timeout_ms\":"
	"50}}]}";

static void test_service_exec(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, runner, NULL);
	bench_method(&b, "tools/call", "{\"name\":\"echo\"}",
		     "\"text\":\"{\\\"n\\\":3}\"}],\"isError\":false");
	bench_method(&b, "tools/fit", "{\"n\":4}", "\"result\":{\"n\":4}}");
	bench_method(&b, "tools/call", "{\"name\":\"fit\"}",
		     "the command said what does not fit");
	bench_method(&b, "tools/call", "{\"name\":\"bad\"}",
		     "ended with status 1: no\"}],\"isError\":true");
	bench_method(&b, "tools/none", "{}", "\"code\":-32603");
	bench_method(&b, "tools/call", "{\"name\":\"late\"}",
		     "\"code\":-32603,\"message\":\"Internal error: the "
		     "command 'sleep' did not end in 50 ms\"");
	bench_close(&b);
}

/* The LLM service against a server that says these bytes. */
static void extracted(const char *answer, const char *text,
		      const char *expected)
{
	struct http_script script = { .answer = answer };
	struct exec_config c = { .timeout = answer ? 20000 : 500 };
	struct http_child server;
	struct bench b;
	char url[64];

	script.answer_len = answer ? strlen(answer) : 0;
	script.close = answer != NULL;
	http_child_open(&server);
	http_child_start(&server, &script);
	snprintf(url, sizeof(url), "http://127.0.0.1:%u", server.port);
	c.ollama = url;
	bench_open(&b, LLM, &c);
	bench_has(&b, text, expected);
	assert_true(b.lines.count > 0);
	bench_close(&b);
	http_child_finish(&server);
}

#define ASKED                                                                  \
	"{\n  \"jsonrpc\": \"2.0\",\n  \"method\": \"tools/extract_entities\"" \
	",\n  \"params\": {\n    \"text\": \"Novo contato: Maria Silva, "      \
	"telefone 11-9999-8888, motivo: apoio emocional\",\n    "              \
	"\"entity_types\": [\"nome\", \"telefone\", \"email\", \"motivo\", "   \
	"\"data\"]\n  },\n  \"id\": \"req_123\"\n}"
#define SAID                                                             \
	"{\"message\":{\"content\":\"{\\\"nome\\\":\\\" Maria Silva "    \
	"\\\",\\\"telefone\\\":\\\"11-9999-8888\\\",\\\"email\\\":null," \
	"\\\"motivo\\\":\\\"apoio emocional\\\",\\\"data\\\":\\\"\\\","  \
	"\\\"confianca\\\":92}\"}," DONE

static void test_extract(void **state)
{
	static const char call[] =
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
		"\"params\":{\"name\":\"extract_entities\",\"arguments\":{"
		"\"text\":\"t\",\"entity_types\":[\"nome\"]}}}";

	(void)state;
	extracted(HEAD("200 OK") "\r\n" SAID, ASKED,
		  "{\"jsonrpc\":\"2.0\",\"id\":\"req_123\",\"result\":{"
		  "\"entities\":{\"nome\":\"Maria Silva\",\"telefone\":"
		  "\"11-9999-8888\",\"motivo\":\"apoio emocional\","
		  "\"confianca\":0.92}}}");
	extracted(HEAD("200 OK") "\r\n" SAID, call,
		  "\"structuredContent\":{\"entities\":{\"nome\":\"Maria "
		  "Silva\",\"confianca\":0.92}},\"isError\":false");
	extracted(HEAD("200 OK") "\r\n{\"message\":{\"content\":\"oi\"}," DONE,
		  ASKED,
		  "\"code\":-32603,\"message\":\"Internal error: the model "
		  "said no JSON object: oi\"");
	extracted(HEAD("200 OK") "\r\n{\"message\":{\"content\":\"oi\"}," DONE,
		  call, "said no JSON object: oi\"}],\"isError\":true");
	extracted(NULL, ASKED,
		  "{\"jsonrpc\":\"2.0\",\"id\":\"req_123\",\"error\":{\"code\":"
		  "-32000,\"message\":\"Internal error: LLM timeout\",\"data\":"
		  "{\"timeout_seconds\":0.5,\"retry_after\":5}}}");
	extracted(HEAD("404 x") "\r\n{\"error\":\"model not found\"}", call,
		  "\"error\":{\"code\":-32001,\"message\":\"LLM unavailable: ");
	extracted(HEAD("404 x") "\r\n{\"error\":\"model not found\"}", call,
		  "ollama pull llama3:8b");
}

/* ---- in a device ---- */

static const char board[] =
	"{\"ollama\":{\"url\":\"http://127.0.0.1:1\"},\"tools\":["
	"{\"name\":\"run\",\"arguments\":{\"n\":{\"type\":\"integer\"},\"t\":"
	"{\"type\":\"string\",\"default\":\"x\"},\"b\":{\"type\":\"boolean\","
	"\"default\":true}},\"result\":{\"exec\":[\"sh\",\"-c\","
	"\"sleep 0.05; cat\"]}},"
	"{\"name\":\"bad\",\"result\":{\"exec\":\"false\"}},"
	"{\"name\":\"model\",\"result\":{\"ollama\":{\"user\":\"oi\"}}},"
	"{\"name\":\"now\",\"result\":true}]}";

static void call(struct harness *h, int id, const char *tool,
		 const char *arguments)
{
	char *text = mem_printf("{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":"
				"\"tools/call\",\"params\":{\"name\":\"%s\","
				"\"arguments\":%s}}",
				id, tool, arguments);

	harness_mcp(h, text);
	mem_free(text);
}

static void said(struct harness *h, const char *words)
{
	const char *text = harness_next(h, 10000);

	assert_non_null(text);
	if (!strstr(text, words))
		print_error("said: %s\n", text);
	assert_non_null(strstr(text, words));
}

/* The main loop waits: replies keep their order (device.md 3.9). */
static void test_device(void **state)
{
	struct error err = { 0 };
	struct profile *p =
		profile_parse(board, strlen(board), "board.json", &err);
	struct harness h;

	(void)state;
	assert_non_null(p);
	harness_start(&h, p, NULL, false);
	harness_welcome(&h);
	call(&h, 1, "run", "{\"n\":7}");
	call(&h, 2, "now", "{}");
	call(&h, 3, "bad", "{}");
	call(&h, 4, "model", "{}");
	said(&h, "\\\"n\\\":7,\\\"t\\\":\\\"x\\\",\\\"b\\\":true");
	said(&h, "\"id\":2");
	said(&h, "ended with status 1");
	said(&h, "cannot reach Ollama at http://127.0.0.1:1");
	/* and a device that is gone leaves nothing at work */
	call(&h, 5, "run", "{\"n\":7}");
	harness_stop(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exec),
		cmocka_unit_test(test_exec_fails),
		cmocka_unit_test(test_exec_cannot),
		cmocka_unit_test(test_request),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_broken_streams),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_service_exec),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_unavailable),
		cmocka_unit_test(test_no_answer),
		cmocka_unit_test(test_nobody),
		cmocka_unit_test(test_slow),
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_order_words),
		cmocka_unit_test(test_order_exec),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_extract),
		cmocka_unit_test(test_device),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
