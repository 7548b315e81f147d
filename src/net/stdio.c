/* SPDX-License-Identifier: MIT */
/*
 * An MCP server as a child process: its stdin and stdout become messages, its
 * stderr notices. How a process is started and ended is base/child's matter.
 */
#include "net/stdio.h"
#include "base/child.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "net/why.h"
#include "wire/lines.h"

#include <string.h>

enum {
	END_MS = 100, /* after the end of its stdin, until SIGTERM */
	TERM_MS = 1000, /* from there until SIGKILL */
	LAST_MS = 300, /* from there until nobody waits any more */
	QUIET_MS = 500 /* how long it may live without its stdin or stdout */
};

/*
 * Of its stderr, for the error when it dies. The cause stands first (usage
 * texts, panics of Go) or last (Python): both ends are kept.
 */
#define HEAD_LINES 10
#define TAIL_LINES 20
#define EXCERPT_BYTES 160

enum phase {
	PHASE_STARTED, /* not told yet */
	PHASE_OPEN,
	PHASE_DEAF, /* it closed its stdin: it may be about to end */
	PHASE_SILENT, /* as DEAF, its stdout */
	PHASE_ENDING, /* we closed its stdin */
	PHASE_TERMINATED, /* SIGTERM was sent; SIGKILL comes by itself */
	PHASE_OVER
};

struct stdio {
	struct transport *transport;
	struct child *child; /* NULL: it has ended, or is not waited for */
	struct timer timer; /* what it means: phase */
	enum phase phase;
	struct lines lines;
	char *name; /* of the program, without its folder */
	char *head
		[HEAD_LINES]; /* the first ones since something was sent to it */
	size_t head_from; /* which of all that came is head[0] */
	char *tail[TAIL_LINES]; /* a ring */
	size_t tail_count; /* all that came */
	bool heard; /* a message came */
	struct error why; /* of closed */
};

static bool is_ending(const struct stdio *s)
{
	return s->phase >= PHASE_ENDING;
}

static void set_phase(struct stdio *s, enum phase phase, int64_t ms)
{
	s->phase = phase;
	timer_start(&s->timer, ms);
}

static void stdio_free(struct stdio *s)
{
	for (size_t i = 0; i < HEAD_LINES; i++)
		mem_free(s->head[i]);
	for (size_t i = 0; i < TAIL_LINES; i++)
		mem_free(s->tail[i]);
	lines_release(&s->lines);
	error_reset(&s->why);
	mem_free(s->name);
	mem_free(s);
}

static void on_timer_closed(void *owner)
{
	struct stdio *s = owner;
	struct transport *t = s->transport;

	t->impl = NULL;
	t->events->closed(t->owner, &s->why);
	stdio_free(s);
}

static void finish(struct stdio *s)
{
	s->child = NULL;
	s->phase = PHASE_OVER;
	timer_close(&s->timer, on_timer_closed);
}

/* ---- what it says ---- */

/* Nothing comes before it. */
static void tell_ready(struct stdio *s)
{
	struct transport *t = s->transport;
	CLEANUP(mem_free_ptr) char *address = NULL;
	struct peer_info peer = { 0 };

	if (s->phase != PHASE_STARTED)
		return;
	s->phase = PHASE_OPEN;
	timer_stop(&s->timer);
	address = mem_printf("%s, process %d", s->name, child_pid(s->child));
	peer.address = address;
	t->events->ready(t->owner, &peer);
}

/* A line of spaces; a JSON object or batch; or what was printed by mistake. */
enum line_kind { LINE_BLANK, LINE_MESSAGE, LINE_ODD };

static size_t skip_blanks(const char *text, size_t len, size_t at)
{
	while (at < len && (text[at] == ' ' || text[at] == '\t'))
		at++;
	return at;
}

/* Logs like "[INFO] up" are no batch. */
static enum line_kind kind_of(const char *text, size_t len)
{
	size_t at = skip_blanks(text, len, 0);

	if (at == len)
		return LINE_BLANK;
	if (text[at] == '{')
		return LINE_MESSAGE;
	if (text[at] != '[')
		return LINE_ODD;
	at = skip_blanks(text, len, at + 1);
	return at < len && (text[at] == '{' || text[at] == ']') ? LINE_MESSAGE :
								  LINE_ODD;
}

static void tell_odd(struct stdio *s, const char *text, size_t len)
{
	struct transport *t = s->transport;
	CLEANUP(error_reset) struct error why = { 0 };
	size_t shown = text ? text_cut(text, len, EXCERPT_BYTES) : 0;

	if (text)
		error_set(
			&why, ERR_PROTOCOL,
			"'%s' printed on its stdout what is no JSON-RPC message: '%.*s%s'",
			s->name, (int)shown, text, shown < len ? "…" : "");
	else
		error_set(
			&why, ERR_PROTOCOL,
			"'%s' printed a line of more than %zu bytes: it was left out",
			s->name, s->lines.max);
	error_finding(&why, "P702");
	t->events->failed(t->owner, 0, &why);
}

static void on_message(void *owner, const char *text, size_t len)
{
	struct stdio *s = owner;
	struct transport *t = s->transport;
	enum line_kind kind;

	if (text && !s->heard) {
		size_t mark = text_mark(text, len);

		text += mark;
		len -= mark;
	}
	kind = text ? kind_of(text, len) : LINE_ODD;
	if (is_ending(s) || kind == LINE_BLANK)
		return;
	if (kind == LINE_ODD) {
		tell_odd(s, text, len);
		return;
	}
	s->heard = true;
	t->events->message(t->owner, FRAME_TEXT, text, len);
}

static void on_data(void *owner, const char *data, size_t len)
{
	struct stdio *s = owner;

	if (is_ending(s))
		return;
	tell_ready(s);
	if (is_ending(s))
		return;
	if (len > 0) {
		lines_feed(&s->lines, data, len, on_message, s);
		return;
	}
	lines_finish(&s->lines, on_message, s);
	if (!is_ending(s))
		set_phase(s, PHASE_SILENT, QUIET_MS);
}

static void keep(char **place, const char *line)
{
	mem_free(*place);
	*place = mem_strdup(line);
}

static void keep_line(struct stdio *s, const char *line)
{
	size_t at = s->tail_count - s->head_from;

	if (at < HEAD_LINES)
		keep(&s->head[at], line);
	keep(&s->tail[s->tail_count % TAIL_LINES], line);
	s->tail_count++;
}

static void on_line(void *owner, bool is_err, const char *line)
{
	struct stdio *s = owner;
	struct transport *t = s->transport;
	struct notice n = { .kind = NOTICE_CHILD,
			    .text = line,
			    .address = s->name };

	(void)is_err;
	if (!line[strspn(line, " \t")])
		return;
	keep_line(s, line);
	tell_ready(s);
	if (!is_ending(s) && t->events->notice)
		t->events->notice(t->owner, &n);
}

/* ---- its end ---- */

/* The head, what is missing behind it, the tail. */
static void add_stderr(const struct stdio *s, struct error *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	size_t from =
		s->tail_count > TAIL_LINES ? s->tail_count - TAIL_LINES : 0;
	size_t head = 0;

	while (head < HEAD_LINES && s->head_from + head < from)
		buf_printf(&text, "%s\n", s->head[head++]);
	if (head && s->head_from + head < from)
		buf_printf(&text, "… (%zu more line%s) …\n",
			   from - s->head_from - head,
			   from - s->head_from - head == 1 ? "" : "s");
	for (size_t i = from; i < s->tail_count; i++)
		buf_printf(&text, "%s%s", i > from ? "\n" : "",
			   s->tail[i % TAIL_LINES]);
	if (text.len)
		error_detail(err, buf_string(&text), text.len);
}

/* A shell tells the signal that ended its child in the same way. */
static void set_ended(struct stdio *s, int status)
{
	const char *before = s->heard ? "" : " before it said anything";
	const char *signal_name =
		status > 128 ? sigabbrev_np(status - 128) : NULL;

	if (signal_name)
		error_set(&s->why, ERR_CONNECT,
			  "'%s' ended%s, with status %d (128 + SIG%s)", s->name,
			  before, status, signal_name);
	else
		error_set(&s->why, ERR_CONNECT, "'%s' ended%s, with status %d",
			  s->name, before, status);
	error_reason(&s->why, WHY_FIN);
	if (!s->heard)
		error_finding(&s->why, "P716");
	if (!s->heard)
		error_hint(
			&s->why, "%s",
			s->tail_count ?
				"this is what it wrote to its stderr; is an argument or a variable (--env NAME=VALUE) missing?" :
				"it wrote nothing to its stderr; does it run when it is typed in a terminal?");
	add_stderr(s, &s->why);
}

static void set_shut(struct stdio *s, const char *stream, const char *hint)
{
	error_set(&s->why, ERR_CONNECT,
		  "'%s' closed its %s, but went on running", s->name, stream);
	error_reason(&s->why, WHY_FIN);
	error_hint(&s->why, "%s", hint);
	add_stderr(s, &s->why);
}

static void on_ended(void *owner, int status)
{
	struct stdio *s = owner;

	tell_ready(s);
	if (!is_ending(s))
		set_ended(s, status);
	finish(s);
}

static const struct child_events child_events = {
	.line = on_line,
	.ended = on_ended,
	.data = on_data,
};

static void begin_end(struct stdio *s)
{
	child_close_input(s->child);
	set_phase(s, PHASE_ENDING, END_MS);
}

static void on_timer(void *owner)
{
	struct stdio *s = owner;

	switch (s->phase) {
	case PHASE_STARTED:
		tell_ready(s);
		break;
	case PHASE_DEAF:
		set_shut(s, "stdin", "an MCP server reads its messages there");
		begin_end(s);
		break;
	case PHASE_SILENT:
		set_shut(
			s, "stdout",
			"an MCP server writes its messages there, and nothing else");
		begin_end(s);
		break;
	case PHASE_ENDING:
		child_stop(s->child, TERM_MS);
		set_phase(s, PHASE_TERMINATED, TERM_MS + LAST_MS);
		break;
	case PHASE_TERMINATED:
		/* Something that left its group holds its pipes. */
		child_abandon(s->child);
		finish(s);
		break;
	case PHASE_OPEN:
	case PHASE_OVER:
		break;
	}
}

/* ---- what the owner says ---- */

static int stdio_open(struct transport *t, const struct endpoint *to,
		      struct error *err)
{
	/* mem_alloc'ed words: nothing is changed in them. */
	const char *const *env = (const char *const *)to->env.word;
	const struct child_options options = {
		.argv = to->argv.word,
		.env = to->env.count ? env : NULL,
		.out = CHILD_PIPE,
		.err = CHILD_PIPE,
		.writable = true,
		.cwd = to->cwd,
	};
	struct stdio *s;

	if (to->argv.count == 0)
		return error_set(err, ERR_USAGE, "the command is missing");
	s = mem_zalloc(sizeof(*s));
	if (child_start(&s->child, t->loop, &options, &child_events, s, err)) {
		mem_free(s);
		return error_finding(err, "P716");
	}
	s->transport = t;
	s->name = mem_strdup(file_name(to->argv.word[0]));
	s->lines.max =
		to->message_max ? to->message_max : TRANSPORT_MESSAGE_MAX;
	timer_open(&s->timer, t->loop, on_timer, s);
	set_phase(s, PHASE_STARTED, 0);
	t->impl = s;
	return 0;
}

/* A line break in JSON stands between tokens: a space is the same. */
static int stdio_send(struct transport *t, const char *text, size_t len,
		      struct error *err)
{
	struct stdio *s = t->impl;
	CLEANUP(buf_done) struct buf line = { 0 };

	if (!s || is_ending(s))
		return error_set(err, ERR_CONNECT, "no process is running");
	buf_add(&line, text, len);
	for (size_t i = 0; i < len; i++) {
		if (line.data[i] == '\n' || line.data[i] == '\r')
			line.data[i] = ' ';
	}
	buf_char(&line, '\n');
	s->head_from = s->tail_count;
	if (child_write(s->child, line.data, line.len, err)) {
		if (child_reads(s->child))
			return error_prefix(err, "cannot send to '%s'",
					    s->name);
		/* Its end says more than that, and comes in a moment. */
		error_reset(err);
		if (s->phase == PHASE_OPEN)
			set_phase(s, PHASE_DEAF, QUIET_MS);
	}
	return 0;
}

static void stdio_close(struct transport *t)
{
	struct stdio *s = t->impl;

	if (!s)
		return;
	/* We close: what happened meanwhile is no error any more. */
	error_reset(&s->why);
	if (!is_ending(s))
		begin_end(s);
}

static int stdio_explain(struct transport *t, struct error *err)
{
	const struct stdio *s = t->impl;

	if (!s || is_ending(s) || s->heard)
		return 0;
	error_set(err, ERR_CONNECT,
		  "'%s' runs, but no message came on its stdout", s->name);
	if (s->tail_count)
		error_hint(
			err,
			"the last line of its stderr: %s; --timeout waits longer",
			s->tail[(s->tail_count - 1) % TAIL_LINES]);
	else
		error_hint(
			err,
			"is it an MCP server, and one that speaks over stdio? some need an argument for it; --timeout waits longer, as for one that is installed first");
	add_stderr(s, err);
	return -1;
}

const struct transport_ops stdio_ops = {
	.scheme = "stdio",
	.open = stdio_open,
	.send = stdio_send,
	.close = stdio_close,
	.explain = stdio_explain,
};
