/* SPDX-License-Identifier: MIT */
/*
 * A client over the fake transport, whose peer answers by method as a script
 * says.
 */
#ifndef CLIENT_HARNESS_H
#define CLIENT_HARNESS_H

#include "session_harness.h"

#include "mcp/client.h"
#include "mcp/opening.h"

#define INITIALIZED                                                        \
	"\"result\":{\"protocolVersion\":\"2024-11-05\",\"capabilities\":" \
	"{\"tools\":{}},\"serverInfo\":{\"name\":\"board\",\"version\":"   \
	"\"2.4.2\"}}"

/* What the peer does with the next request of that method; one use each. */
struct answer {
	const char *method;
	/*
	 * Behind the id; NULL: say nothing; "drop": close; "fail": the request
	 * fails
	 */
	const char *rest;
	int64_t delay;
	bool bare, used;
};

static struct answer script[32];
static size_t script_count;
static bool deaf_to_plain;
static struct client client;

static inline void script_add(const char *method, const char *rest)
{
	assert_true(script_count < COUNT(script));
	script[script_count++] =
		(struct answer){ .method = method, .rest = rest };
}

static inline struct answer *script_next(const char *method)
{
	for (size_t i = 0; i < script_count; i++) {
		if (!script[i].used && strcmp(script[i].method, method) == 0)
			return &script[i];
	}
	return NULL;
}

static inline void send_answer(const struct answer *a, int64_t id,
			       bool enveloped)
{
	CLEANUP(mem_free_ptr)
	char *text =
		mem_printf("%s{\"jsonrpc\":\"2.0\",\"id\":%lld,%s}%s",
			   enveloped ? "{\"session_id\":\"S\",\"type\":\"mcp\","
				       "\"payload\":" :
				       "",
			   (long long)id, a->rest, enveloped ? "}" : "");

	if (strcmp(a->rest, "drop") == 0)
		fake_push(FAKE_CLOSED, NULL, a->delay);
	else if (strcmp(a->rest, "fail") == 0)
		fake_push_number(FAKE_FAILED, id, NULL, a->delay);
	else
		fake_push(FAKE_TEXT, text, a->delay);
}

static inline void answer(const char *text, size_t len)
{
	CLEANUP(json_free_ptr) cJSON *json = json_parse(text, len, NULL);
	const cJSON *payload = json_object(json, "payload");
	const cJSON *rpc = payload ? payload : json;
	const char *method = json_string(rpc, "method");
	struct answer *a = method ? script_next(method) : NULL;
	int64_t id;

	if (!a || json_integer(rpc, "id", &id) || (deaf_to_plain && !payload))
		return;
	a->used = true;
	if (a->rest)
		send_answer(a, id, payload && !a->bare);
}

static inline int set_up_client(void **state)
{
	memset(script, 0, sizeof(script));
	script_count = 0;
	deaf_to_plain = false;
	return set_up(state);
}

static inline int tear_down_client(void **state)
{
	client_done(&client);
	return tear_down(state);
}

/* What was not used is forgotten: open_client leaves one for initialize. */
static inline void script_drop(const char *method)
{
	struct answer *a;

	while ((a = script_next(method)))
		a->used = true;
}

static inline void open_client(enum dialect dialect)
{
	struct error err = { 0 };

	script_add("initialize", INITIALIZED);
	fake.on_send = answer;
	open_up(dialect);
	if (client_open(&client, session, NULL, &err))
		fail_msg("client_open: %s", err.text);
}

static inline void assert_sent(const char *part)
{
	for (size_t i = 0; i < fake.sent_count; i++) {
		if (strstr(fake.sent[i], part))
			return;
	}
	fail_msg("'%s' was not sent", part);
}

#define CLIENT_TEST(name) \
	cmocka_unit_test_setup_teardown(name, set_up_client, tear_down_client)

#endif
