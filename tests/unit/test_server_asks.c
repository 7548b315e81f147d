/* SPDX-License-Identifier: MIT */
/* What a server asks its client: passed on, answered, refused, withdrawn. */
#include "session_harness.h"

#include "base/text.h"
#include "bridge/server_asks.h"

static struct server_asks asks;
static struct connection server;
static struct bridge_peer peer;
static bool changed, woken;

/* What the hearer was asked last, and how it takes that. */
static struct {
	const char *why; /* not; NULL: it is asked */
	char asked[128];
	unsigned times;
	char withdrawn[64];
	unsigned withdrawals;
	const struct client_answers *answers;
	char told[256];
	unsigned tells;
} host;

static const char *on_ask(void *owner, struct bridge_peer *p,
			  const struct peer_question *q)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	assert_ptr_equal(owner, &host);
	assert_ptr_equal(p, &peer);
	host.times++;
	buf_printf(&text, "%s %s ", q->id, q->method);
	buf_add(&text, q->params.text, q->params.len);
	text_copy(host.asked, sizeof(host.asked), buf_string(&text));
	return host.why;
}

static void on_withdrawn(void *owner, struct bridge_peer *p, struct span id)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	assert_ptr_equal(owner, &host);
	assert_ptr_equal(p, &peer);
	host.withdrawals++;
	if (id.text)
		buf_add(&text, id.text, id.len);
	else
		buf_text(&text, "all");
	text_copy(host.withdrawn, sizeof(host.withdrawn), buf_string(&text));
}

static const struct client_answers *on_answers(void *owner)
{
	assert_ptr_equal(owner, &host);
	return host.answers;
}

static void on_told(void *owner, const char *text)
{
	assert_ptr_equal(owner, &peer);
	host.tells++;
	text_copy(host.told, sizeof(host.told), text);
}

static const struct peer_hearer hearer = { .ask = on_ask,
					   .withdrawn = on_withdrawn,
					   .answers = on_answers,
					   .owner = &host };

static int set_up_asks(void **state)
{
	if (set_up(state))
		return -1;
	open_up(DIALECT_PLAIN);
	memset(&host, 0, sizeof(host));
	changed = woken = false;
	server = (struct connection){ .session = session,
				      .client.session = session };
	peer = (struct bridge_peer){ .prefix = mem_strdup("box"),
				     .changed = &changed,
				     .woken = &woken };
	asks = (struct server_asks){ .peer = &peer,
				     .connection = &server,
				     .hearer = &hearer,
				     .told = on_told,
				     .owner = &peer,
				     .woken = &woken };
	return 0;
}

static int tear_down_asks(void **state)
{
	server_asks_end_call(&asks);
	bridge_peer_done(&peer);
	return tear_down(state);
}

static bool hear(const char *method, const char *text)
{
	CLEANUP(mem_free_ptr) char *name = mem_strdup(method);
	CLEANUP(mem_free_ptr) char *whole = mem_strdup(text);
	const struct event e = { .kind = EVENT_REQUEST,
				 .name = name,
				 .text = whole,
				 .len = strlen(text) };

	return server_asks_hear(&asks, &e);
}

/* So many messages went to the server, that one last. */
static void sent(size_t count, const char *text)
{
	assert_int_equal(fake.sent_count, count);
	assert_string_equal(fake.sent[count - 1], text);
}

static void is_held(bool held)
{
	assert_int_equal(session_is_held(session), held);
	assert_int_equal(peer.held, held);
}

#define ASKS(id, method, more) \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\"" more "}"

/* ---- by requests ---- */

static void a_question_and_its_answer(void **state)
{
	(void)state;
	assert_true(hear("sampling/createMessage",
			 ASKS("\"x\"", "sampling/createMessage",
			      ",\"params\":{\"a\":1}")));
	assert_string_equal(host.asked,
			    "\"x\" sampling/createMessage {\"a\":1}");
	assert_int_equal(fake.sent_count, 0);
	assert_int_equal(host.tells, 0);
	is_held(true);
	server_asks_answer(&asks, "\"x\"", "{\"b\":2}", 0, NULL);
	sent(1, "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{\"b\":2}}");
	is_held(false);
}

/* The clocks stand still until the last of them has its end. */
static void two_at_once(void **state)
{
	(void)state;
	assert_true(hear("roots/list", ASKS("1", "roots/list", "")));
	assert_string_equal(host.asked, "1 roots/list ");
	assert_true(hear("roots/list", ASKS("2", "roots/list", "")));
	assert_int_equal(asks.open, 2);
	server_asks_answer(&asks, "1", NULL, -7, "not now");
	sent(1,
	     "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-7,\"message\":\"not now\"}}");
	is_held(true);
	/* The server does not wait for it: it is told nothing. */
	server_asks_answer(&asks, "2", NULL, 0, NULL);
	assert_int_equal(fake.sent_count, 1);
	is_held(false);
	/* Nothing is open. */
	server_asks_answer(&asks, "2", "{}", 0, NULL);
	assert_int_equal(fake.sent_count, 1);
	assert_int_equal(asks.open, 0);
}

static void what_is_none_of_them(void **state)
{
	struct event e = { .kind = EVENT_REQUEST };
	char name[] = "roots/list";

	(void)state;
	assert_false(hear("tools/list", ASKS("1", "tools/list", "")));
	assert_false(hear("roots/list", "{\"method\":\"roots/list\"}"));
	e.name = name;
	assert_false(server_asks_hear(&asks, &e));
	/* Firmware asks nothing of the kind. */
	server.client.device = true;
	assert_false(hear("roots/list", ASKS("1", "roots/list", "")));
	assert_int_equal(host.times, 0);
	assert_int_equal(host.tells, 0);
	is_held(false);
}

/* As it was told that it may ask, or was not. */
static void questions_that_are_refused(void **state)
{
	static const struct {
		const char *method;
		struct client_answers declared;
		const char *rest;
	} rows[] = {
		{ "roots/list",
		  { .sampling = true, .elicit_form = true, .elicit_url = true },
		  "\"error\":{\"code\":-32601,\"message\":\"it is busy\"}}" },
		{ "roots/list",
		  { .roots = true },
		  "\"result\":{\"roots\":[]}}" },
		{ "elicitation/create",
		  { .roots = true, .sampling = true },
		  "\"error\":{\"code\":-32601,\"message\":\"it is busy\"}}" },
		{ "elicitation/create",
		  { .elicit_form = true },
		  "\"result\":{\"action\":\"cancel\"}}" },
		{ "elicitation/create",
		  { .elicit_url = true },
		  "\"result\":{\"action\":\"cancel\"}}" },
		{ "sampling/createMessage",
		  { .roots = true, .elicit_form = true },
		  "\"error\":{\"code\":-32601,\"message\":\"it is busy\"}}" },
		{ "sampling/createMessage",
		  { .sampling = true },
		  "\"error\":{\"code\":-1,\"message\":\"it is busy\"}}" },
	};

	(void)state;
	host.why = "it is busy";
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *reply = mem_printf("{\"jsonrpc\":\"2.0\",\"id\":3,%s",
					 rows[i].rest);
		CLEANUP(mem_free_ptr)
		char *line = mem_printf(
			"box asks %s, and is told that nobody answers: it is busy",
			rows[i].method);

		asks.declared = rows[i].declared;
		assert_true(hear(rows[i].method, ASKS("3", "x", "")));
		sent(i + 1, reply);
		assert_string_equal(host.told, line);
		is_held(false);
	}
	asks.hearer = NULL;
	assert_true(hear("roots/list", ASKS("3", "x", "")));
	assert_string_equal(
		host.told,
		"box asks roots/list, and is told that nobody answers: no host is there");
}

static void cancel(const char *text)
{
	CLEANUP(mem_free_ptr) char *whole = mem_strdup(text);
	const struct event e = { .kind = EVENT_NOTIFICATION,
				 .text = whole,
				 .len = text ? strlen(text) : 0 };

	server_asks_hear_withdrawn(&asks, &e);
}

static void questions_withdrawn(void **state)
{
	(void)state;
	cancel(NULL);
	cancel("{}");
	cancel("{\"params\":{}}");
	assert_int_equal(host.withdrawals, 0);
	cancel("{\"params\":{\"requestId\":\"x\"}}");
	assert_int_equal(host.withdrawals, 1);
	assert_string_equal(host.withdrawn, "\"x\"");
	asks.hearer = NULL;
	cancel("{\"params\":{\"requestId\":\"x\"}}");
	assert_int_equal(host.withdrawals, 1);
}

static void its_connection_ends(void **state)
{
	(void)state;
	server_asks_forget(&asks);
	assert_int_equal(host.withdrawals, 0);
	assert_true(hear("roots/list", ASKS("1", "roots/list", "")));
	asks.pauses = true;
	server_asks_forget(&asks);
	assert_int_equal(host.withdrawals, 1);
	assert_string_equal(host.withdrawn, "all");
	assert_int_equal(asks.open, 0);
	assert_false(asks.pauses);
	assert_false(peer.held);
	server.session = NULL;
	server_asks_answer(&asks, "1", "{}", 0, NULL);
	assert_int_equal(fake.sent_count, 0);
}

/* ---- in rounds ---- */

static int begin_round(const char *result, struct error *err)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":%s}",
				result);
	struct message reply = { 0 };
	int status;

	assert_int_equal(message_decode(&reply, text, strlen(text), NULL), 0);
	status = server_asks_begin_round(&asks, &reply, err);
	message_done(&reply);
	return status;
}

/* What is cut ends with a character: of 61 bytes the last two are one. */
#define UNCUT "0123456789012345678901234567890123456789012345678901234567x"
#define LONG                                                    \
	"{\"resultType\":\"input_required\",\"inputRequests\":" \
	"{\"a\":{\"method\":\"" UNCUT "\u00fc\"}}}"

static void a_long_method_in_a_round(void **state)
{
	CLEANUP(error_reset) struct error err = { 0 };
	CLEANUP(buf_done) struct buf params = { 0 };

	(void)state;
	assert_int_equal(begin_round(LONG, NULL), 0);
	assert_string_equal(
		host.told,
		"box asks " UNCUT
		", and is told that nobody answers: nobody knows that method");
	assert_int_equal(server_asks_end_round(&asks, "{}", &params, &err), -1);
	assert_string_equal(err.text,
			    "what it asks its user ('" UNCUT
			    "') was not answered: nobody knows that method");
}

#define TWO                                                              \
	"{\"resultType\":\"input_required\",\"requestState\":\"s\","     \
	"\"inputRequests\":{\"a\":{\"method\":\"roots/list\"},"          \
	"\"b\":{\"method\":\"elicitation/create\",\"params\":{\"c\":1}}" \
	"}}"

static void a_round_and_its_answers(void **state)
{
	CLEANUP(buf_done) struct buf params = { 0 };

	(void)state;
	assert_int_equal(begin_round(TWO, NULL), 0);
	assert_true(asks.pauses);
	assert_true(woken);
	assert_int_equal(host.times, 2);
	assert_string_equal(host.asked, "b elicitation/create {\"c\":1}");
	is_held(true);
	woken = false;
	server_asks_answer(&asks, "b", "{\"d\":2}", 0, NULL);
	assert_true(woken);
	assert_false(asks.rounds.answered);
	is_held(true);
	server_asks_answer(&asks, "a", "{\"e\":3}", 0, NULL);
	assert_true(asks.rounds.answered);
	is_held(false);
	assert_int_equal(fake.sent_count, 0);
	assert_int_equal(
		server_asks_end_round(&asks, "{\"name\":\"t\"}", &params, NULL),
		0);
	assert_false(asks.pauses);
	assert_string_equal(
		buf_string(&params),
		"{\"name\":\"t\",\"inputResponses\":{\"a\":{\"e\":3},\"b\":{\"d\":2}},\"requestState\":\"s\"}");
	server_asks_end_call(&asks);
	assert_int_equal(asks.rounds.asks, 0);
	assert_int_equal(asks.rounds.count, 0);
}

/* One that is refused is the end of the call. */
static void a_round_that_is_refused(void **state)
{
	CLEANUP(error_reset) struct error err = { 0 };
	CLEANUP(buf_done) struct buf params = { 0 };

	(void)state;
	assert_int_equal(begin_round(TWO, NULL), 0);
	server_asks_answer(&asks, "a", "{}", 0, NULL);
	server_asks_answer(&asks, "b", NULL, -1, "the host went away");
	assert_int_equal(server_asks_end_round(&asks, "{}", &params, &err), -1);
	assert_int_equal(err.kind, ERR_UNMET);
	assert_string_equal(
		err.text,
		"what it asks its user ('elicitation/create') was not answered: the host went away");
	assert_false(asks.pauses);
	assert_int_equal(params.len, 0);
	error_reset(&err);
	/* Without words it was withdrawn. */
	assert_int_equal(begin_round(TWO, NULL), 0);
	server_asks_answer(&asks, "a", NULL, 0, NULL);
	server_asks_answer(&asks, "b", "{}", 0, NULL);
	assert_int_equal(server_asks_end_round(&asks, "{}", &params, &err), -1);
	assert_string_equal(
		err.text,
		"what it asks its user ('roots/list') was not answered: it was withdrawn");
	assert_int_equal(host.tells, 0);
}

/* Nobody has to be waited for. */
static void a_round_that_nobody_is_asked(void **state)
{
	CLEANUP(error_reset) struct error err = { 0 };
	CLEANUP(buf_done) struct buf params = { 0 };

	(void)state;
	host.why = "no way";
	assert_int_equal(begin_round(TWO, NULL), 0);
	assert_true(asks.rounds.answered);
	assert_int_equal(host.tells, 2);
	assert_string_equal(
		host.told,
		"box asks elicitation/create, and is told that nobody answers: no way");
	is_held(false);
	assert_int_equal(server_asks_end_round(&asks, "{}", &params, &err), -1);
	assert_string_equal(
		err.text,
		"what it asks its user ('roots/list') was not answered: no way");
}

static void a_round_of_a_method_that_is_none(void **state)
{
	CLEANUP(buf_done) struct buf reply = { 0 };

	(void)state;
	assert_int_equal(
		begin_round(
			"{\"inputRequests\":{\"a\":{\"method\":\"tools/list\"}}}",
			NULL),
		0);
	assert_int_equal(host.times, 0);
	assert_true(asks.rounds.answered);
	assert_string_equal(
		host.told,
		"box asks tools/list, and is told that nobody answers: nobody knows that method");
	/* However long it is. */
	buf_text(&reply, "{\"inputRequests\":{\"a\":{\"method\":\"");
	for (int i = 0; i < 100; i++)
		buf_char(&reply, 'm');
	buf_text(&reply, "\"}}}");
	assert_int_equal(begin_round(buf_string(&reply), NULL), 0);
	assert_int_equal(strspn(host.told + strlen("box asks "), "m"), 60);
}

static void rounds_that_are_none(void **state)
{
	CLEANUP(error_reset) struct error err = { 0 };

	(void)state;
	assert_int_equal(begin_round("{\"requestState\":\"s\"}", &err), -1);
	assert_int_equal(err.kind, ERR_UNMET);
	assert_string_equal(
		err.text,
		"it wants to be asked again later, which the bridge does not do");
	error_reset(&err);
	assert_int_equal(begin_round("{}", &err), -1);
	assert_int_equal(err.kind, ERR_PROTOCOL);
	assert_false(asks.pauses);
	assert_int_equal(host.times, 0);
}

/* A key that stands twice is two questions, and each has an answer. */
static void a_key_that_stands_twice(void **state)
{
	(void)state;
	assert_int_equal(
		begin_round(
			"{\"inputRequests\":{\"a\":{\"method\":\"roots/list\"},\"a\":{\"method\":\"roots/list\"}}}",
			NULL),
		0);
	server_asks_answer(&asks, "a", "{}", 0, NULL);
	assert_false(asks.rounds.answered);
	server_asks_answer(&asks, "a", "{}", 0, NULL);
	assert_true(asks.rounds.answered);
	is_held(false);
}

/* Those that are open are withdrawn; later answers are of no use. */
static void a_round_that_is_dropped(void **state)
{
	(void)state;
	assert_int_equal(begin_round(TWO, NULL), 0);
	server_asks_answer(&asks, "a", "{}", 0, NULL);
	server_asks_drop_round(&asks);
	assert_int_equal(host.withdrawals, 1);
	assert_string_equal(host.withdrawn, "b");
	assert_false(asks.pauses);
	server_asks_drop_round(&asks);
	assert_int_equal(host.withdrawals, 1);
}

/* An answer to what the round has not is none, and goes nowhere. */
static void an_answer_to_no_question_of_it(void **state)
{
	(void)state;
	assert_int_equal(begin_round(TWO, NULL), 0);
	server_asks_answer(&asks, "z", "{}", 0, NULL);
	assert_int_equal(fake.sent_count, 0);
	assert_int_equal(asks.open, 1);
	assert_false(asks.rounds.ask[0].done);
	assert_false(asks.rounds.ask[1].done);
}

/* ---- what it may ask ---- */

static void whether_it_waits(void **state)
{
	static const struct client_answers none;

	(void)state;
	asks.meet_at = loop_now() + 60000;
	assert_true(server_asks_waits(&asks));
	host.answers = &none;
	assert_false(server_asks_waits(&asks));
	host.answers = NULL;
	asks.meet_at = loop_now();
	assert_false(server_asks_waits(&asks));
	asks.meet_at = loop_now() + 60000;
	asks.hearer = NULL;
	assert_false(server_asks_waits(&asks));
}

/* What was declared once stays so; what is new is for the next session. */
static void what_it_is_told(void **state)
{
	static const struct client_answers each[] = { { .roots = true },
						      { .sampling = true },
						      { .elicit_form = true },
						      { .elicit_url = true } };
	static const struct client_answers none;

	(void)state;
	assert_false(server_asks_should_know(&asks));
	for (size_t i = 0; i < COUNT(each); i++) {
		host.answers = &each[i];
		assert_true(server_asks_should_know(&asks));
		server_asks_declare(&asks);
		assert_false(server_asks_should_know(&asks));
	}
	host.answers = &none;
	assert_false(server_asks_should_know(&asks));
	server_asks_declare(&asks);
	host.answers = NULL;
	server_asks_declare(&asks);
	assert_true(server.answers.roots && server.answers.sampling);
	assert_true(server.answers.elicit_form && server.answers.elicit_url);
}

static void who_need_not_know(void **state)
{
	static const struct client_answers roots = { .roots = true };

	(void)state;
	host.answers = &roots;
	asks.open = 1;
	assert_false(server_asks_should_know(&asks));
	asks.open = 0;
	server.client.modern = true;
	assert_false(server_asks_should_know(&asks));
	server.client.modern = false;
	peer.device = true;
	assert_false(server_asks_should_know(&asks));
	peer.device = false;
	assert_true(server_asks_should_know(&asks));
}

static void what_each_request_says(void **state)
{
	static const struct client_answers url = { .elicit_url = true };
	struct client_config own = { .answers.roots = true };

	(void)state;
	server.client.modern = true;
	server_asks_declare_now(&asks, &url);
	server.client.config = &own;
	server_asks_declare_now(&asks, &url);
	assert_true(own.answers.elicit_url);
	assert_false(own.answers.roots);
	server.client.modern = false;
	own.answers.elicit_url = false;
	server_asks_declare_now(&asks, &url);
	assert_false(own.answers.elicit_url);
}

#define ASKED(name) \
	cmocka_unit_test_setup_teardown(name, set_up_asks, tear_down_asks)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ASKED(a_question_and_its_answer),
		ASKED(two_at_once),
		ASKED(what_is_none_of_them),
		ASKED(questions_that_are_refused),
		ASKED(questions_withdrawn),
		ASKED(its_connection_ends),
		ASKED(a_round_and_its_answers),
		ASKED(a_long_method_in_a_round),
		ASKED(a_round_that_is_refused),
		ASKED(a_round_that_nobody_is_asked),
		ASKED(a_round_of_a_method_that_is_none),
		ASKED(rounds_that_are_none),
		ASKED(a_key_that_stands_twice),
		ASKED(a_round_that_is_dropped),
		ASKED(an_answer_to_no_question_of_it),
		ASKED(whether_it_waits),
		ASKED(what_it_is_told),
		ASKED(who_need_not_know),
		ASKED(what_each_request_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
