/* SPDX-License-Identifier: MIT */
/*
 * A question to a language model by Ollama's HTTP API. How it is written and
 * read is ollama_reply.c's matter.
 */
#include <string.h>

#include "base/mem.h"
#include "base/module.h"
#include "base/text.h"
#include "net/endpoint.h"
#include "net/http.h"
#include "sim/exec_private.h"
#include "sim/ollama_reply.h"

#define CONNECT_MS 5000
#define API "/api"

/* "localhost:11434/" into "http://localhost:11434". Yours. */
static char *base_url(const char *text)
{
	char *url =
		mem_printf("%s%s", strstr(text, "://") ? "" : "http://", text);
	size_t len = strlen(url), api = strlen(API);

	while (len && url[len - 1] == '/')
		url[--len] = '\0';
	if (len > api && !strcmp(url + len - api, API))
		url[len - api] = '\0';
	return url;
}

/* As it may be shown: without what stands before '@'. Yours. */
static char *shown(const char *url)
{
	const char *host = strstr(url, "://") + strlen("://");
	const char *at = strrchr(host, '@');

	if (!at)
		return mem_strdup(url);
	return mem_printf("%.*s%s", (int)(host - url), url, at + 1);
}

int ollama_check(const char *text, struct error *err)
{
	CLEANUP(mem_free_ptr) char *url = base_url(text);
	CLEANUP(error_reset) struct error why = { 0 };
	struct endpoint e = { 0 };
	bool good = !endpoint_parse(&e, url, "", &why) &&
		    text_starts(e.scheme, "http");
	const char *at = strrchr(text, '@'); /* behind a password */

	endpoint_done(&e);
	if (good)
		return 0;
	error_set(err, ERR_USAGE, "'%.100s' is no address of Ollama",
		  at ? at + 1 : text);
	return error_hint(err, "write it as in http://127.0.0.1:11434");
}

static void stop_fetch(struct exec *o)
{
	if (o->fetch)
		o->http->fetch_abandon(TAKE(o->fetch));
}

static int too_late(const struct exec *o, struct error *err)
{
	char limit[32];

	return error_set(err, ERR_TIMEOUT,
			 "the model '%.100s' did not answer in %s", o->model,
			 text_milliseconds(o->timeout, limit, sizeof(limit)));
}

static int unreachable(const struct exec *o, const struct error *why,
		       struct error *err)
{
	error_set(err, ERR_CONNECT, "cannot reach Ollama at %s: %s", o->where,
		  why->text);
	return error_hint(err, "start it with 'ollama serve', or name another "
			       "with --ollama");
}

/* There was no answer, or not all of it. */
static int judge_failure(const struct exec *o, const struct http_answer *a,
			 struct error *err)
{
	int64_t took = loop_now() - o->started;

	/* Not even a connection within its own, shorter limit: not there. */
	if (a->why->kind == ERR_TIMEOUT && took + CONNECT_MS / 2 >= o->timeout)
		return too_late(o, err);
	if (!a->status)
		return unreachable(o, a->why, err);
	if (a->why->kind == ERR_PROTOCOL && a->len >= OUTSIDE_ANSWER_MAX / 2)
		return error_set(err, ERR_PEER,
				 "the answer of the model is larger than %u "
				 "bytes",
				 OUTSIDE_ANSWER_MAX);
	return error_set(err, ERR_CONNECT,
			 "the answer of the model broke off: %s", a->why->text);
}

static int judge(struct exec *o, const struct http_answer *a, struct error *err)
{
	const struct ollama_refusal refusal = { a->status, a->body, a->len,
						o->where, o->model };

	if (a->why->kind)
		return judge_failure(o, a, err);
	if (a->status != 200)
		return ollama_refused(&refusal, err);
	if (o->stream)
		return ollama_words_in_pieces(a->body, a->len, &o->text, err);
	return ollama_words(a->body, a->len, &o->text, err);
}

/* What the LLM service tells its clients with each kind. */
static void add_codes(const struct exec *o, int64_t asked, struct error *err)
{
	if (err->kind == ERR_TIMEOUT)
		error_code(err, LLM_TIMEOUT);
	else if (err->kind == ERR_CONNECT)
		error_code(err, LLM_UNAVAILABLE);
	else
		return;
	error_retry_after(err, asked ? asked : o->retry_after);
}

static void on_done(void *owner, const struct http_answer *a)
{
	struct exec *o = owner;
	struct error why = { 0 };

	o->fetch = NULL;
	if (!judge(o, a, &why)) {
		exec_end(o, NULL);
		return;
	}
	add_codes(o, a->why->retry_after, &why);
	buf_reset(&o->text);
	exec_end(o, &why);
	error_reset(&why);
}

static int start(struct exec *o, const struct exec_config *c, const char *url,
		 const struct buf *body, struct error *err)
{
	CLEANUP(mem_free_ptr) char *chat = mem_printf("%s" API "/chat", url);
	CLEANUP(headers_done) struct headers headers = { 0 };
	struct http_request rq = {
		.url = chat,
		.headers = &headers,
		.body = body->data,
		.len = body->len,
		.timeout = o->timeout,
		.body_max = OUTSIDE_ANSWER_MAX,
	};

	rq.connect_timeout = o->timeout < CONNECT_MS ? o->timeout : CONNECT_MS;
	headers_add(&headers, "Content-Type", "application/json");
	o->http = module_table("http", HTTP_TABLE, err);
	if (!o->http)
		return -1;
	return o->http->fetch(&o->fetch, c->loop, &rq, on_done, o, err);
}

int ollama_ask(struct exec **out, const struct exec_config *c,
	       const struct ollama_question *q, exec_done *done, void *owner,
	       struct error *err)
{
	CLEANUP(mem_free_ptr)
	char *url = base_url(c->ollama ? c->ollama : OUTSIDE_OLLAMA);
	CLEANUP(buf_done) struct buf body = { 0 };
	struct exec *o = exec_new(c, done, owner);
	struct error why = { 0 };

	o->stop = stop_fetch;
	o->stream = q->stream;
	o->where = shown(url);
	o->model = mem_strdup(c->model ? c->model : OUTSIDE_MODEL);
	ollama_request(&body, o->model, q);
	if (!start(o, c, url, &body, &why)) {
		*out = o;
		return 0;
	}
	add_codes(o, 0, &why);
	error_copy(err, &why);
	error_reset(&why);
	exec_free(o);
	return -1;
}
