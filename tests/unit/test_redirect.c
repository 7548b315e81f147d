/* SPDX-License-Identifier: MIT */
/*
 * auth/redirect: what a browser that comes back is shown, and what comes of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "auth/redirect.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/module.h"
#include "net/head.h"
#include "net/http.h"

static struct {
	struct loop *loop;
	struct redirect *redirect;
	const struct http_table *http;
	/* what came by it */
	unsigned came;
	char *query;
	/* what was answered */
	bool answered;
	int status;
	struct buf body;
	char *type, *referrer, *policy;
} t;

static const char *on_came(void *owner, const char *query)
{
	assert_ptr_equal(owner, &t.came);
	t.came++;
	mem_free(t.query);
	t.query = mem_strdup(query);
	return "Words & more.";
}

static int set_up(void **state)
{
	struct error err = { 0 };

	(void)state;
	memset(&t, 0, sizeof(t));
	t.http = module_table("http", HTTP_TABLE, &err);
	assert_non_null(t.http);
	assert_int_equal(loop_new(&t.loop, &err), 0);
	if (redirect_open(&t.redirect, t.loop, 0, on_came, &t.came, &err))
		fail_msg("%s", err.text);
	return 0;
}

static void forget_answer(void)
{
	mem_free(t.type);
	mem_free(t.referrer);
	mem_free(t.policy);
	t.type = t.referrer = t.policy = NULL;
	buf_done(&t.body);
	t.answered = false;
}

static int tear_down(void **state)
{
	(void)state;
	redirect_close(t.redirect);
	loop_free(t.loop);
	forget_answer();
	mem_free(t.query);
	return 0;
}

static char *header_of(const struct http_answer *a, const char *name)
{
	return mem_strdup(headers_get(a->headers, name));
}

static void on_answer(void *owner, const struct http_answer *a)
{
	(void)owner;
	t.status = a->status;
	buf_add(&t.body, a->body, a->len);
	t.type = header_of(a, "Content-Type");
	t.referrer = header_of(a, "Referrer-Policy");
	t.policy = header_of(a, "Content-Security-Policy");
	t.answered = true;
}

/* The status of that path; body NULL: it is a GET. */
static int ask(const char *path, const char *body)
{
	CLEANUP(mem_free_ptr)
	char *url = mem_printf("http://127.0.0.1:%u%s",
			       (unsigned)redirect_port(t.redirect), path);
	const struct http_request rq = { .url = url,
					 .body = body,
					 .len = body ? strlen(body) : 0 };
	struct http_fetch *fetch;
	struct error err = { 0 };

	forget_answer();
	if (t.http->fetch(&fetch, t.loop, &rq, on_answer, NULL, &err))
		fail_msg("%s", err.text);
	loop_wait(t.loop, &t.answered, loop_now() + 60000, NULL);
	assert_true(t.answered);
	return t.status;
}

#define PAGE(words)                                                                                                                                                                                                            \
	"<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>mcpctl</title><body style=\"font-family:sans-serif;margin:4em auto;max-width:30em\"><p>" words \
	"</p></body></html>\n"

static void what_comes_back_is_handed_on(void **state)
{
	(void)state;
	assert_int_equal(ask("/callback?code=c%20d&state=s", NULL), 200);
	assert_int_equal(t.came, 1);
	/* As it came: nothing is judged or decoded here. */
	assert_string_equal(t.query, "code=c%20d&state=s");
	assert_string_equal(buf_string(&t.body), PAGE("Words & more."));
	assert_string_equal(t.type, "text/html; charset=utf-8");
	/* Its address, which holds a code, goes nowhere. */
	assert_string_equal(t.referrer, "no-referrer");
	assert_string_equal(t.policy,
			    "default-src 'none'; style-src 'unsafe-inline'");
	assert_int_equal(ask("/callback", NULL), 200);
	assert_int_equal(t.came, 2);
	assert_null(t.query);
}

static void nothing_else_is_there(void **state)
{
	static const char *const paths[] = { "/", "/callback/", "/callback/x",
					     "/Callback?code=c",
					     "/favicon.ico" };

	(void)state;
	for (size_t i = 0; i < COUNT(paths); i++) {
		assert_int_equal(ask(paths[i], NULL), 404);
		assert_string_equal(buf_string(&t.body),
				    PAGE("There is nothing here."));
		assert_string_equal(t.referrer, "no-referrer");
	}
	assert_int_equal(ask("/callback?code=c", "code=c"), 404);
	assert_string_equal(buf_string(&t.body),
			    PAGE("There is nothing here."));
	assert_int_equal(t.came, 0);
}

/* A body is of no use to it, so that a large one is not taken. */
static void large_bodies_are_refused(void **state)
{
	char body[1026];

	(void)state;
	memset(body, 'x', sizeof(body));
	body[1025] = '\0';
	assert_int_equal(ask("/callback", body), 413);
	body[1024] = '\0';
	assert_int_equal(ask("/callback", body), 404);
	assert_int_equal(t.came, 0);
}

static void a_port_that_is_wanted(void **state)
{
	const uint16_t port = redirect_port(t.redirect);
	struct redirect *other = t.redirect;
	struct error err = { 0 };

	(void)state;
	assert_int_not_equal(port, 0);
	assert_int_equal(
		redirect_open(&other, t.loop, port, on_came, &t.came, &err),
		-1);
	assert_null(other);
	assert_int_equal(err.kind, ERR_CONNECT);
	error_reset(&err);
	/* It is free again as soon as it is closed. */
	redirect_close(t.redirect);
	t.redirect = NULL;
	if (redirect_open(&t.redirect, t.loop, port, on_came, &t.came, &err))
		fail_msg("%s", err.text);
	assert_int_equal(redirect_port(t.redirect), port);
	assert_int_equal(ask("/callback?x", NULL), 200);
	assert_string_equal(t.query, "x");
	redirect_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_comes_back_is_handed_on,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(nothing_else_is_there, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(large_bodies_are_refused,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_port_that_is_wanted, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
