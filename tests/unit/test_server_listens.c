/* SPDX-License-Identifier: MIT */
/* What a server of 2026-07-28 is asked to tell: who waits for it, and for what. */
#include "session_harness.h"

#include "bridge/server_listens.h"

/* ---- without a session ---- */

static void a_host_waits_on_when_another_ends(void **state)
{
	bool stale = false;
	struct connection connection = { .client.modern = true };
	struct server_listens l = { .connection = &connection,
				    .stale = &stale };
	struct bridge_call c = { 0 };

	(void)state;
	assert_true(server_listens_take(&l, "resources/subscribe",
					"{\"uri\":\"a:1\"}", NULL));
	assert_null(l.asked);
	assert_true(server_listens_take(&l, "resources/subscribe",
					"{\"uri\":\"a:2\"}", &c));
	assert_true(server_listens_take(&l, "resources/unsubscribe",
					"{\"uri\":\"a:1\"}", NULL));
	assert_ptr_equal(l.asked, &c);
	assert_string_equal(l.uri, "a:2");
	assert_int_equal(l.uris.count, 1);
	assert_string_equal(l.uris.word[0], "a:2");
	server_listens_end(&l);
	assert_int_equal(c.end, CALL_LOST);
	assert_int_equal(c.why.kind, ERR_CONNECT);
	assert_string_equal(c.why.text, "its connection ended");
	error_reset(&c.why);
}

static void what_older_ones_know_is_left_to_them(void **state)
{
	struct connection connection = { 0 };
	struct server_listens l = { .connection = &connection };

	(void)state;
	assert_false(server_listens_take(&l, "resources/subscribe",
					 "{\"uri\":\"a:1\"}", NULL));
	connection.client.modern = true;
	assert_false(server_listens_take(&l, "resources/read",
					 "{\"uri\":\"a:1\"}", NULL));
	assert_int_equal(l.uris.count, 0);
	assert_false(l.due);
	connection.client.modern = false;
	server_listens_begin(&l);
	assert_false(l.due);
}

/* Twice is as once; so many, and no more. */
static void so_many_resources(void **state)
{
	struct connection connection = { .client.modern = true };
	struct server_listens l = { .connection = &connection };
	char params[32];

	(void)state;
	for (int i = 0; i <= 1024; i++) {
		snprintf(params, sizeof(params), "{\"uri\":\"a:%d\"}", i);
		assert_true(server_listens_take(&l, "resources/subscribe",
						params, NULL));
		assert_true(server_listens_take(&l, "resources/subscribe",
						params, NULL));
	}
	assert_int_equal(l.uris.count, 1024);
	assert_string_equal(l.uris.word[0], "a:0");
	assert_string_equal(l.uris.word[1023], "a:1023");
	server_listens_end(&l);
	assert_int_equal(l.uris.count, 0);
}

/* What went wrong before says more; who is not waited for any more is left alone. */
static void whose_end_it_is(void **state)
{
	struct connection connection = { .client.modern = true };
	struct server_listens l = { .connection = &connection };
	struct bridge_call a = { 0 }, b = { 0 };

	(void)state;
	server_listens_take(&l, "resources/subscribe", "{\"uri\":\"a:1\"}", &a);
	server_listens_drop(&l, &b);
	assert_ptr_equal(l.asked, &a);
	server_listens_drop(&l, &a);
	assert_null(l.asked);
	server_listens_take(&l, "resources/subscribe", "{\"uri\":\"a:1\"}", &b);
	error_set(&b.why, ERR_PROTOCOL, "it stutters");
	server_listens_end(&l);
	assert_int_equal(a.end, CALL_OPEN);
	assert_int_equal(b.end, CALL_LOST);
	assert_string_equal(b.why.text, "it stutters");
	assert_false(l.due);
	error_reset(&b.why);
}

/* ---- with one ---- */

static struct connection server;
static cJSON *offers;
static struct server_listens listens;
static bool stale;
static struct bridge_call waits; /* of a host */

static int set_up_server(void **state)
{
	static const char lists[] =
		"{\"tools\":{\"listChanged\":true},\"prompts\":{}}";

	if (set_up(state))
		return -1;
	open_up(DIALECT_PLAIN);
	offers = json_parse(lists, strlen(lists), NULL);
	server = (struct connection){ .session = session,
				      .client = { .session = session,
						  .modern = true,
						  .era.revision = "2026-07-28",
						  .capabilities = offers } };
	stale = false;
	listens = (struct server_listens){ .connection = &server,
					   .stale = &stale };
	server_listens_begin(&listens);
	return 0;
}

static int tear_down_server(void **state)
{
	server_listens_end(&listens);
	message_done(&waits.reply);
	error_reset(&waits.why);
	waits = (struct bridge_call){ 0 };
	cJSON_Delete(TAKE(offers));
	return tear_down(state);
}

/* The server tells no list. */
static void tells_no_list(void)
{
	cJSON_Delete(TAKE(offers));
	server.client.capabilities = NULL;
}

static const char *last_sent(void)
{
	assert_true(fake.sent_count > 0);
	return fake.sent[fake.sent_count - 1];
}

/* It is asked now, for that. */
static void asks(const char *filter)
{
	const size_t before = fake.sent_count;
	CLEANUP(mem_free_ptr)
	char *part = mem_printf(
		"\"method\":\"subscriptions/listen\",\"params\":{\"notifications\":{%s},",
		filter);

	assert_true(server_listens_tend(&listens) == LOOP_FOREVER);
	assert_true(fake.sent_count > before);
	assert_part(last_sent(), part);
	assert_true(listens.open);
	assert_false(listens.due);
}

/* It is to be looked after again in so many ms. */
static void is_due_in(int64_t ms)
{
	const int64_t before = loop_now();
	const int64_t due = server_listens_tend(&listens);

	assert_in_range(due, before + ms, loop_now() + ms);
}

static void acknowledges(const char *honoured)
{
	const int64_t until = loop_now() + 10000;
	CLEANUP(mem_free_ptr)
	char *text = mem_printf(
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{\"notifications\":{%s},\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":%d}}}",
		honoured, (int)listens.call.id);

	fake_text(text);
	while (!listens.call.first)
		assert_int_equal(session_step(session, NULL, until, NULL), 0);
}

/* The subscription ends, with that behind its id. */
static void ends(const char *rest)
{
	const int64_t until = loop_now() + 10000;
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("{\"jsonrpc\":\"2.0\",\"id\":%d,%s}",
				(int)listens.call.id, rest);

	fake_text(text);
	while (!listens.call.done)
		assert_int_equal(session_step(session, NULL, until, NULL), 0);
}

#define TOOLS "\"toolsListChanged\":true"

static void lists_that_it_tells_of(void **state)
{
	(void)state;
	asks(TOOLS);
	assert_int_equal(fake.sent_count, 1);
	acknowledges(TOOLS);
	assert_true(server_listens_tend(&listens) == LOOP_FOREVER);
	assert_int_equal(fake.sent_count, 1);
	/* Nothing was missed. */
	assert_false(stale);
}

static void nothing_to_be_told(void **state)
{
	(void)state;
	tells_no_list();
	assert_true(server_listens_tend(&listens) == LOOP_FOREVER);
	assert_int_equal(fake.sent_count, 0);
	assert_false(listens.open);
	assert_false(listens.due);
}

/* One subscription has all of it; the one before is given up. */
static void a_resource_that_is_told_of(void **state)
{
	(void)state;
	asks(TOOLS);
	acknowledges(TOOLS);
	server_listens_tend(&listens);
	assert_true(server_listens_take(&listens, "resources/subscribe",
					"{\"uri\":\"a:1\"}", &waits));
	asks(TOOLS ",\"resourceSubscriptions\":[\"a:1\"]");
	assert_int_equal(fake.sent_count, 3);
	assert_part(fake.sent[1],
		    "\"notifications/cancelled\",\"params\":{\"requestId\":1,"
		    "\"reason\":\"not wanted any more\"}");
	server_listens_tend(&listens);
	assert_int_equal(waits.end, CALL_OPEN);
	acknowledges(TOOLS ",\"resourceSubscriptions\":[\"a:1\"]");
	server_listens_tend(&listens);
	assert_int_equal(waits.end, CALL_ANSWERED);
	assert_int_equal(waits.reply.kind, MESSAGE_RESULT);
	assert_true(cJSON_IsObject(waits.reply.result));
	assert_null(listens.asked);
	assert_int_equal(listens.uris.count, 1);
}

static void one_that_is_not(void **state)
{
	(void)state;
	server_listens_take(&listens, "resources/subscribe",
			    "{\"uri\":\"a:1\"}", NULL);
	server_listens_take(&listens, "resources/subscribe",
			    "{\"uri\":\"a:2\"}", &waits);
	asks(TOOLS ",\"resourceSubscriptions\":[\"a:1\",\"a:2\"]");
	acknowledges("\"resourceSubscriptions\":[\"a:1\"]");
	server_listens_tend(&listens);
	assert_int_equal(waits.end, CALL_ANSWERED);
	assert_int_equal(waits.reply.kind, MESSAGE_ERROR);
	assert_int_equal(member_int(waits.reply.error, "code"), -32602);
	assert_string_equal(json_string(waits.reply.error, "message"),
			    "the server does not tell of changes of 'a:2'");
	assert_int_equal(listens.uris.count, 1);
	assert_string_equal(listens.uris.word[0], "a:1");
}

/* What it acknowledged is not what is wanted by now. */
static void an_answer_to_what_was(void **state)
{
	(void)state;
	asks(TOOLS);
	server_listens_take(&listens, "resources/subscribe",
			    "{\"uri\":\"a:1\"}", &waits);
	acknowledges(TOOLS);
	asks(TOOLS ",\"resourceSubscriptions\":[\"a:1\"]");
	assert_int_equal(waits.end, CALL_OPEN);
	assert_int_equal(listens.uris.count, 1);
}

/* Nothing is asked for that nobody names: who waits for it is told. */
static void no_resource_is_named(void **state)
{
	(void)state;
	tells_no_list();
	assert_true(server_listens_take(&listens, "resources/subscribe",
					"{\"name\":\"x\"}", &waits));
	server_listens_tend(&listens);
	assert_int_equal(fake.sent_count, 0);
	assert_int_equal(waits.end, CALL_ANSWERED);
	assert_int_equal(waits.reply.kind, MESSAGE_ERROR);
}

/* Asked anew ever more seldom; once it stands, what was missed is looked up. */
static void one_that_is_lost(void **state)
{
	static const int64_t pauses[] = { 1000,	 2000,	4000, 8000,
					  16000, 30000, 30000 };

	(void)state;
	for (size_t i = 0; i < COUNT(pauses); i++) {
		asks(TOOLS);
		ends("\"result\":{}");
		is_due_in(pauses[i]);
		assert_false(listens.open);
		assert_false(listens.refused);
		listens.again_at = loop_now();
	}
	asks(TOOLS);
	assert_int_equal(fake.sent_count, COUNT(pauses) + 1);
	assert_false(stale);
	acknowledges(TOOLS);
	server_listens_tend(&listens);
	assert_true(stale);
	stale = false;
	server_listens_tend(&listens);
	assert_false(stale);
	/* It stood: the next pause is short. */
	ends("\"result\":{}");
	is_due_in(1000);
	/* So it knows subscriptions, though it ends one with an error. */
	listens.again_at = loop_now();
	asks(TOOLS);
	acknowledges(TOOLS);
	ends("\"error\":{\"code\":-32603,\"message\":\"restarting\"}");
	is_due_in(1000);
	assert_false(listens.refused);
}

/* Who waits for a resource waits on. */
static void lost_while_a_host_waits(void **state)
{
	(void)state;
	server_listens_take(&listens, "resources/subscribe",
			    "{\"uri\":\"a:1\"}", &waits);
	asks(TOOLS ",\"resourceSubscriptions\":[\"a:1\"]");
	ends("\"result\":{}");
	server_listens_tend(&listens);
	assert_int_equal(waits.end, CALL_OPEN);
	assert_ptr_equal(listens.asked, &waits);
	assert_int_equal(listens.uris.count, 1);
}

/* It knows none: it is not asked again in this session, and hosts are told. */
static void one_that_is_refused(void **state)
{
	struct bridge_call b = { 0 };

	(void)state;
	server_listens_take(&listens, "resources/subscribe",
			    "{\"uri\":\"a:1\"}", &waits);
	asks(TOOLS ",\"resourceSubscriptions\":[\"a:1\"]");
	ends("\"error\":{\"code\":-32601,\"message\":\"what?\"}");
	assert_true(server_listens_tend(&listens) == LOOP_FOREVER);
	assert_int_equal(waits.reply.kind, MESSAGE_ERROR);
	assert_int_equal(listens.uris.count, 0);
	server_listens_take(&listens, "resources/subscribe",
			    "{\"uri\":\"a:2\"}", &b);
	listens.again_at = loop_now();
	assert_true(server_listens_tend(&listens) == LOOP_FOREVER);
	assert_int_equal(b.end, CALL_ANSWERED);
	assert_int_equal(b.reply.kind, MESSAGE_ERROR);
	assert_int_equal(fake.sent_count, 1);
	message_done(&b.reply);
	server_listens_end(&listens);
	server_listens_begin(&listens);
	asks(TOOLS);
}

/* It refuses the one resource that a host waits for, not all that it tells. */
static void a_resource_that_is_refused(void **state)
{
	(void)state;
	server_listens_take(&listens, "resources/subscribe",
			    "{\"uri\":\"a:1\"}", NULL);
	server_listens_take(&listens, "resources/subscribe",
			    "{\"uri\":\"a:2\"}", &waits);
	asks(TOOLS ",\"resourceSubscriptions\":[\"a:1\",\"a:2\"]");
	ends("\"error\":{\"code\":-32602,\"message\":\"no such resource\"}");
	asks(TOOLS ",\"resourceSubscriptions\":[\"a:1\"]");
	assert_int_equal(waits.end, CALL_ANSWERED);
	assert_int_equal(waits.reply.kind, MESSAGE_ERROR);
	/* Now it is all that it refuses. */
	ends("\"error\":{\"code\":-32602,\"message\":\"no\"}");
	assert_true(server_listens_tend(&listens) == LOOP_FOREVER);
	assert_true(listens.refused);
}

static void one_that_cannot_be_sent(void **state)
{
	(void)state;
	fake.refuse_send = true;
	is_due_in(1000);
	assert_false(listens.open);
	fake.refuse_send = false;
	/* Not before. */
	server_listens_tend(&listens);
	assert_int_equal(fake.sent_count, 0);
	listens.again_at = loop_now();
	asks(TOOLS);
}

static void its_end(void **state)
{
	(void)state;
	asks(TOOLS);
	server_listens_end(&listens);
	assert_part(last_sent(), "notifications/cancelled");
	assert_false(listens.open);
	assert_true(server_listens_tend(&listens) == LOOP_FOREVER);
	assert_int_equal(fake.sent_count, 2);
}

#define WITH_SERVER(name) \
	cmocka_unit_test_setup_teardown(name, set_up_server, tear_down_server)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_host_waits_on_when_another_ends),
		cmocka_unit_test(what_older_ones_know_is_left_to_them),
		cmocka_unit_test(so_many_resources),
		cmocka_unit_test(whose_end_it_is),
		WITH_SERVER(lists_that_it_tells_of),
		WITH_SERVER(nothing_to_be_told),
		WITH_SERVER(a_resource_that_is_told_of),
		WITH_SERVER(one_that_is_not),
		WITH_SERVER(an_answer_to_what_was),
		WITH_SERVER(no_resource_is_named),
		WITH_SERVER(one_that_is_lost),
		WITH_SERVER(lost_while_a_host_waits),
		WITH_SERVER(one_that_is_refused),
		WITH_SERVER(a_resource_that_is_refused),
		WITH_SERVER(one_that_cannot_be_sent),
		WITH_SERVER(its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
