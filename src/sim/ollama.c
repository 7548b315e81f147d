/* SPDX-License-Identifier: MIT */
/* A language model behind Ollama's API as the source of a result. */
#include <errno.h>
#include <string.h>

#include "base/json.h"
#include "base/json_scan.h"
#include "base/mem.h"
#include "base/module.h"
#include "base/text.h"
#include "base/utf8.h"
#include "net/endpoint.h"
#include "net/head.h"
#include "net/http.h"
#include "net/why.h"
#include "sim/exec.h"
#include "sim/ollama.h"

/*
 * A question to a language model by Ollama's HTTP API. How it is written and
 * read is ollama.h's matter.
 */

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
	if (len > api && strcmp(url + len - api, API) == 0)
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
		    e.scheme->kind == SCHEME_HTTP &&
		    !endpoint_has(&e, SCHEME_OLD_SSE);
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
	const bool refused =
		why->reason == WHY_NO_CONNECTION && why->code == ECONNREFUSED;

	error_set(err, ERR_CONNECT, "cannot reach Ollama at %s: %s", o->where,
		  why->text);
	if (refused || !*why->hint)
		return error_hint(
			err,
			"start it there with 'ollama serve', or name another address (--ollama, ollama= of a target)");
	return error_hint(err, "%s", why->hint);
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
		return error_set(
			err, ERR_PEER,
			"the answer of the model is larger than %u bytes",
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

/* What goes to Ollama and what comes from it, as JSON; no connection. */

#define QUOTED 200 /* bytes of its words in an error */

static void add_message(struct buf *out, const char *role, const char *text)
{
	buf_printf(out, "{\"role\":\"%s\",\"content\":", role);
	buf_json_string(out, text, strlen(text));
	buf_char(out, '}');
}

void ollama_request(struct buf *out, const char *model,
		    const struct ollama_question *q)
{
	buf_text(out, "{\"model\":");
	buf_json_string(out, model, strlen(model));
	buf_text(out, ",\"messages\":[");
	if (q->system) {
		add_message(out, "system", q->system);
		buf_char(out, ',');
	}
	add_message(out, "user", q->user);
	buf_printf(out, "],\"stream\":%s", q->stream ? "true" : "false");
	if (q->format)
		buf_printf(out, ",\"format\":%s", q->format);
	if (q->options)
		buf_printf(out, ",\"options\":%s", q->options);
	buf_char(out, '}');
}

static int say_error(struct error *err, const char *words)
{
	return error_set(err, ERR_PEER, "Ollama answers with an error: %.*s",
			 text_shown(words, QUOTED), words);
}

static int no_answer(struct error *err, const char *body, size_t len)
{
	error_set(err, ERR_PEER, "what came is no answer of Ollama's%s",
		  len ? "" : ": its body is empty");
	error_detail(err, body, text_cut(body, len, QUOTED));
	return -1;
}

struct reading {
	struct buf *out;
	bool pieces; /* it comes in pieces, so that it can break off */
	bool done; /* the last one was there */
};

static int take_object(struct reading *r, const char *text, size_t len,
		       struct error *err)
{
	CLEANUP(json_free_ptr) cJSON *json = json_parse(text, len, NULL);
	const char *words = json_string(json, "error");
	const char *content =
		json_string(json_object(json, "message"), "content");

	if (words)
		return say_error(err, words);
	r->done = json_true(json, "done");
	if (!content && !r->done)
		return no_answer(err, text, len);
	if (content)
		buf_text(r->out, content);
	r->pieces = true;
	return 0;
}

static int take_lines(struct reading *r, const char *body, size_t len,
		      struct error *err)
{
	size_t line;

	for (; len && !r->done; body += line, len -= line) {
		const char *end = memchr(body, '\n', len);

		line = end ? (size_t)(end - body) + 1 : len;
		if (!text_trim(&(const char *){ body }, line))
			continue;
		/* The last line of what broke off is half of one. */
		if (r->pieces && !end && *body == '{' &&
		    json_check(body, line, NULL))
			break;
		if (take_object(r, body, line, err))
			return -1;
	}
	return 0;
}

static int read_words(struct reading *r, const char *body, size_t len,
		      struct error *err)
{
	/* A whole answer is one object, perhaps laid out over several lines. */
	bool whole = !json_check(body, len, NULL);
	int bad = whole ? take_object(r, body, len, err) :
			  take_lines(r, body, len, err);

	if (bad || r->done)
		return bad;
	if (!r->pieces)
		return no_answer(err, body, len);
	return error_set(err, ERR_CONNECT,
			 "the answer of the model broke off after %zu bytes",
			 len);
}

int ollama_words(const char *body, size_t len, struct buf *out,
		 struct error *err)
{
	return read_words(&(struct reading){ .out = out }, body, len, err);
}

int ollama_words_in_pieces(const char *body, size_t len, struct buf *out,
			   struct error *err)
{
	struct reading r = { .out = out, .pieces = true };

	return read_words(&r, body, len, err);
}

static int no_such_model(const struct ollama_refusal *f, struct error *err)
{
	error_set(err, ERR_CONNECT, "Ollama at %s has no model '%.100s'",
		  f->where, f->model);
	return error_hint(
		err,
		"get it with: ollama pull %.100s; or choose another (--model, model= of a target)",
		f->model);
}

static int busy(const struct ollama_refusal *f, const char *words,
		struct error *err)
{
	return error_set(err, ERR_CONNECT, "%s answers HTTP status %d%s%.*s",
			 f->where, f->status, words ? ": " : "",
			 words ? text_shown(words, QUOTED) : 0,
			 words ? words : "");
}

int ollama_refused(const struct ollama_refusal *f, struct error *err)
{
	CLEANUP(json_free_ptr) cJSON *json = json_parse(f->body, f->len, NULL);
	const char *words = json_string(json, "error");

	switch (f->status) {
	case 404:
		if (words)
			return no_such_model(f, err);
		error_set(err, ERR_CONNECT,
			  "%s answers HTTP status 404: there is no Ollama",
			  f->where);
		return error_hint(
			err,
			"the address of Ollama is meant, as in " OUTSIDE_OLLAMA);
	case 401:
	case 403:
	case 407:
	case 429:
	case 502:
	case 503:
	case 504:
		return busy(f, words, err);
	default:
		if (words)
			return say_error(err, words);
		return error_set(
			err, ERR_PEER,
			"%s answers HTTP status %d, as Ollama does not",
			f->where, f->status);
	}
}
