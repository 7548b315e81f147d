/* SPDX-License-Identifier: MIT */
/*
 * A service without a port, asked in literal bytes; for the tests of services.
 * Run from the project's root.
 */
#ifndef SERVICE_HARNESS_H
#define SERVICE_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/split.h"
#include "sim/service_state.h"

#define LLM "src/sim/profiles/llm.json"

struct bench {
	struct loop *loop;
	struct service *service;
	struct service_client *client;
	struct words lines;
};

/* One answer that is waited for. */
struct asked {
	struct service_question *question;
	char *reply; /* NULL: not there yet */
	bool done;
	unsigned times;
};

static inline void bench_line(void *owner, const char *text)
{
	struct bench *b = owner;

	words_add(&b->lines, text);
}

/* profile: a path, or the text of one. */
static inline void bench_open(struct bench *b, const char *profile,
			      const struct exec_config *outside)
{
	struct error err = { 0 };
	struct service_config config = { .line = bench_line, .owner = b };

	memset(b, 0, sizeof(*b));
	assert_int_equal(loop_new(&b->loop, &err), 0);
	config.loop = b->loop;
	if (outside)
		config.outside = *outside;
	if (*profile == '{')
		b->service =
			service_load_text(profile, "mine.json", &config, &err);
	else
		b->service = service_load(profile, &config, &err);
	if (!b->service)
		print_error("%s\n", err.text);
	assert_non_null(b->service);
	b->client = service_client_new(b->service);
}

static inline void bench_close(struct bench *b)
{
	service_client_free(b->client);
	assert_int_equal(b->service->calls, 0);
	service_free(b->service);
	loop_free(b->loop);
	words_done(&b->lines);
}

static inline void asked_done(void *owner, const char *reply, size_t len)
{
	struct asked *a = owner;

	assert_int_equal(strlen(reply), len);
	mem_free(a->reply);
	a->reply = mem_strdup(reply);
	a->done = true;
	a->times++;
}

static inline void bench_begin(struct bench *b, struct asked *a,
			       const char *text)
{
	memset(a, 0, sizeof(*a));
	a->question = service_ask(b->client, text, strlen(text), asked_done, a);
	assert_true(a->done == (a->question == NULL));
}

static inline const char *bench_wait(struct bench *b, struct asked *a)
{
	struct error err = { 0 };

	assert_int_equal(loop_wait(b->loop, &a->done, loop_now() + 60000, &err),
			 0);
	assert_int_equal(a->times, 1);
	return a->reply;
}

/* Ask and wait; the reply is yours. */
static inline char *bench_ask(struct bench *b, const char *text)
{
	struct asked a;

	bench_begin(b, &a, text);
	bench_wait(b, &a);
	return a.reply;
}

/* The reply must be these bytes. */
static inline void bench_says(struct bench *b, const char *text,
			      const char *expected)
{
	char *reply = bench_ask(b, text);

	assert_string_equal(reply, expected);
	mem_free(reply);
}

/* The reply must contain it. */
static inline void bench_has(struct bench *b, const char *text,
			     const char *part)
{
	char *reply = bench_ask(b, text);

	if (!strstr(reply, part))
		print_error("asked: %s\nsaid: %s\nnot: %s\n", text, reply,
			    part);
	assert_non_null(strstr(reply, part));
	mem_free(reply);
}

static inline void bench_initialize(struct bench *b, const char *revision)
{
	char *text = mem_printf(
		"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\","
		"\"params\":{\"protocolVersion\":\"%s\",\"capabilities\":{},"
		"\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}",
		revision);

	bench_has(b, text, "\"serverInfo\"");
	bench_says(b,
		   "{\"jsonrpc\":\"2.0\",\"method\":"
		   "\"notifications/initialized\"}",
		   "");
	mem_free(text);
}

/* A request of that method. */
static inline char *request(const char *method, const char *params)
{
	return mem_printf("{\"jsonrpc\":\"2.0\",\"id\":\"r\",\"method\":\"%s\","
			  "\"params\":%s}",
			  method, params);
}

static inline void bench_method(struct bench *b, const char *method,
				const char *params, const char *part)
{
	char *text = request(method, params);

	bench_has(b, text, part);
	mem_free(text);
}

#endif
