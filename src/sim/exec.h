/* SPDX-License-Identifier: MIT */
/*
 * Results that come from outside the simulator: a command ("exec") or a
 * language model behind Ollama's API ("ollama"), as a profile's tool names
 * them. Each runs on the loop and ends in one callback.
 */
#ifndef SIM_EXEC_H
#define SIM_EXEC_H

#include "base/buf.h"
#include "base/json.h"
#include "base/loop.h"
#include "wire/jsonrpc.h"
#include "wire/llm.h"

struct child;
struct http_fetch;
struct http_table;

#define OUTSIDE_ANSWER_MAX \
	(4u << 20) /* bytes of stdout, or of Ollama's answer */
#define OUTSIDE_OLLAMA "http://127.0.0.1:11434"
#define OUTSIDE_MODEL "llama3:8b"
#define OUTSIDE_TIMEOUT_MS 30000
#define OUTSIDE_RETRY_MS 5000

struct exec_config {
	struct loop *loop;
	/*
	 * Ollama's base URL: http:// may be missing, and a "/" or "/api" behind
	 * it does no harm. NULL: the profile's, else OUTSIDE_OLLAMA.
	 */
	const char *ollama;
	const char *model; /* NULL: the profile's, else OUTSIDE_MODEL */
	int64_t timeout; /* ms; 0: the profile's, else OUTSIDE_TIMEOUT_MS */
	int64_t retry_after; /* ms, told with a failure; 0: the profile's, else OUTSIDE_RETRY_MS */
};

/* What came: text is the command's stdout without its last line end, or the model's words. */
struct exec_answer { /* lent */
	const char *text;
	size_t len;
	/*
	 * ERR_NONE, or ERR_TIMEOUT (the model: code LLM_TIMEOUT, and
	 * retry_after), ERR_CONNECT (the model: code LLM_UNAVAILABLE, and
	 * retry_after: unreachable, busy, no such model, its answer broke off;
	 * exec: it could not be started), ERR_PEER (exec: status other than 0,
	 * with the last line of its stderr; ollama: an error in words, or what
	 * is no answer of Ollama's; either: more than OUTSIDE_ANSWER_MAX).
	 */
	const struct error *why;
	int64_t took_ms;
	int64_t timeout; /* ms: the limit that held */
};
typedef void exec_done(void *owner, const struct exec_answer *a);

struct exec; /* one of them under way */

/*
 * exec: argv run without a shell, `input` (the arguments as JSON) on its stdin
 * and a newline; a command that does not read it does no harm. ollama: POST
 * /api/chat with messages [system, user], format a JSON schema (NULL: free
 * text), stream as the profile says. All is lent until they return. done comes
 * from the loop, never inside; the outside is gone then. -1: not even begun
 * (ERR_CONNECT, with the code of its kind; ERR_USAGE: no such URL).
 */
struct exec_command {
	char *const *argv;
	const char *input;
};
int exec_run(struct exec **out, const struct exec_config *c,
	     const struct exec_command *command, exec_done *done, void *owner,
	     struct error *err);

struct ollama_question {
	const char *system, *user; /* system NULL: left out */
	const char *format; /* JSON schema text, or "\"json\""; NULL */
	const char *options; /* JSON object text for "options"; NULL */
	bool stream;
};

/* Stop it; done is not called. NULL is fine. */
void exec_abandon(struct exec *o);

struct exec {
	exec_done *done;
	void *owner;
	int64_t started, timeout, retry_after;
	struct buf text; /* what came so far */
	struct timer timer; /* the limit; exec only */
	/* Stops what is under way; it tells nothing any more. */
	void (*stop)(struct exec *o);
	/* One of the two. */
	struct child *child;
	struct http_fetch *fetch;
	const struct http_table *http;
	char *command; /* exec: argv[0] */
	char last_line[256]; /* exec: of stderr */
	char *where, *model; /* ollama */
	bool stream; /* ollama: asked for in pieces */
};

struct exec *exec_new(const struct exec_config *c, exec_done *done,
		      void *owner);
/* Release it; what is under way was stopped, or is over. */
void exec_free(struct exec *o);
/* Tell and release: the text, or why there is none (NULL: all is well). */
void exec_end(struct exec *o, const struct error *why);

#endif
