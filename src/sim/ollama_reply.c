/* SPDX-License-Identifier: MIT */
/* What goes to Ollama and what comes from it, as JSON; no connection. */
#include "sim/ollama_reply.h"

#include <string.h>

#include "base/json.h"
#include "base/text.h"

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
			 (int)text_cut(words, strlen(words), QUOTED), words);
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
	return error_hint(err,
			  "get it with: ollama pull %.100s; or choose another "
			  "with --model",
			  f->model);
}

static int busy(const struct ollama_refusal *f, const char *words,
		struct error *err)
{
	return error_set(err, ERR_CONNECT, "%s answers HTTP status %d%s%.*s",
			 f->where, f->status, words ? ": " : "",
			 words ? (int)text_cut(words, strlen(words), QUOTED) :
				 0,
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
		return error_hint(err, "the address of Ollama is meant, as in "
				       "--ollama " OUTSIDE_OLLAMA);
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
		return error_set(err, ERR_PEER,
				 "%s answers HTTP status %d, as Ollama does "
				 "not",
				 f->where, f->status);
	}
}
