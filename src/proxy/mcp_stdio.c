/* SPDX-License-Identifier: MIT */
/*
 * A server that is a program: our stdin is its stdin, its stdout is ours, its
 * stderr is ours as it is, and its end is ours, with its status. See
 * proxy/mcp_relay.h.
 */
#include "proxy/mcp_stdio.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/mem.h"
#include "base/pipe_end.h"
#include "net/endpoint.h"
#include "proxy/mcp_relay.h"
#include "proxy/tell.h"

#define GRACE_MS 1000 /* after SIGTERM, as net/stdio gives it */
#define LINGER_MS 500 /* for who holds its stdout after its end */

struct stdio_way { /* one direction */
	struct mcp_stdio *of;
	bool from_server;
	struct pipe_end from, to;
	struct buf in; /* a line that has no end yet */
	bool skipping; /* it is too long */
	bool dead; /* --fault: nothing goes on any more */
	struct timer timer; /* --fault: what waits goes on then */
	struct buf waits;
	bool waiting;
	int64_t came_ns;
};

struct mcp_stdio {
	struct proxy *proxy;
	void (*closed)(struct proxy *p);
	struct talk *talk;
	struct child *child; /* NULL: it has ended */
	struct stdio_way way[2]; /* [from_server] */
	struct timer linger;
	unsigned open; /* four pipes, three timers, the child */
	bool child_ended, drained, closing;
	bool host_ended; /* it says no more */
};

/* ---- its end ---- */

#define HOST_SEES "a host reads the end of its output, and gives it up"

static void tell_end(struct proxy *p, struct talk *t, const char *format, ...)
	PRINTF_LIKE(3, 4);

/* To who looks at our stderr, too: a host shows no more than that it failed. */
static void tell_end(struct proxy *p, struct talk *t, const char *format, ...)
{
	CLEANUP(mem_free_ptr) char *text = NULL;
	va_list args;

	va_start(args, format);
	text = mem_vprintf(format, args);
	va_end(args);
	diag_found(&t->diag, P716, (struct span){ 0 }, "%s", text);
	talk_note(t, "%s; %s", text, HOST_SEES);
	proxy_say(p, PROXY_BAD, NULL, HOST_SEES,
		  "P716 the server's program: %s", text);
}

static void release(void *owner)
{
	struct mcp_stdio *s = owner;
	struct proxy *p = s->proxy;
	void (*closed)(struct proxy * p) = s->closed;

	if (--s->open)
		return;
	for (int i = 0; i < 2; i++) {
		buf_done(&s->way[i].in);
		buf_done(&s->way[i].waits);
	}
	mem_free(s);
	closed(p);
}

static void release_way(void *owner)
{
	struct stdio_way *w = owner;

	release(w->of);
}

/*
 * A server may end when its host says no more; not before it said anything, and
 * not with a request that it owes an answer. --fault may have taken that.
 */
static void judge_end(const struct mcp_stdio *s)
{
	const struct talk *t = s->talk;
	const int status = s->proxy->status;
	const bool silent = !t->frames[true];
	const bool owes = diag_owes_any(&t->diag);

	if (s->way[true].dead || s->way[false].dead || s->proxy->counts.dropped)
		return;
	if (status ? !silent && !owes : s->host_ended || !owes)
		return;
	tell_end(s->proxy, s->talk, "it ended with status %d%s", status,
		 silent ? " before it said anything" :
			  ", and a request has no answer");
}

/* It is known how it ended, and all that it said has gone on. */
static void maybe_over(struct mcp_stdio *s)
{
	if (!s->child_ended || !s->drained || !s->talk)
		return;
	judge_end(s);
	talk_end(TAKE(s->talk), FROM_DEVICE, ENDED_FIN, 0);
	s->proxy->over = true;
}

void mcp_stdio_close(struct mcp_stdio *s)
{
	if (s->closing)
		return;
	s->closing = true;
	if (s->talk)
		talk_end(TAKE(s->talk), FROM_NOBODY, ENDED_OTHER, 0);
	for (int i = 0; i < 2; i++) {
		pipe_end_close(&s->way[i].from);
		pipe_end_close(&s->way[i].to);
		timer_close(&s->way[i].timer, release_way);
	}
	timer_close(&s->linger, release);
	if (s->child)
		child_stop(s->child, GRACE_MS);
}

/* ---- lines ---- */

static bool alters(const struct stdio_way *w)
{
	return alterations_any(w->of->proxy->options.alter);
}

static void await_rest(struct mcp_stdio *s)
{
	if (s->child_ended && !s->closing)
		timer_start(&s->linger, LINGER_MS);
}

static void settle(struct stdio_way *w)
{
	const bool held = w->from.held;

	pipe_end_hold(&w->from,
		      w->waiting || pipe_end_waiting(&w->to) > PIPE_WAITS_MAX);
	if (held && !w->from.held)
		await_rest(w->of);
}

static void write_on(struct stdio_way *w, const char *data, size_t len)
{
	pipe_end_write(&w->to, data, len);
	settle(w);
}

static void count_added(struct stdio_way *w)
{
	latency_add(&w->of->proxy->added, (int64_t)uv_hrtime() - w->came_ns);
}

/* Half of it goes on, and then nothing any more, as if it had died there. */
static void cut(struct stdio_way *w, struct span line)
{
	write_on(w, line.text, line.len / 2);
	pipe_end_finish(&w->to);
	w->dead = true;
}

static void misuse(struct stdio_way *w, const struct altered *what,
		   struct span line)
{
	struct proxy *p = w->of->proxy;

	if (what->fault)
		talk_note(w->of->talk, "--fault %s", what->fault);
	w->dead = w->dead || what->hang;
	if (what->drop || what->hang) {
		p->counts.dropped++;
	} else if (what->cut) {
		cut(w, line);
	} else if (what->after_ms > 0) {
		for (int i = 0; i < (what->twice ? 2 : 1); i++)
			buf_add(&w->waits, line.text, line.len);
		w->waiting = true;
		settle(w);
		timer_start(&w->timer, what->after_ms);
	} else {
		write_on(w, line.text, line.len);
		if (what->twice)
			write_on(w, line.text, line.len);
		count_added(w);
	}
}

/* The message in a line: without its end. */
static struct span message_of(struct span line)
{
	struct span out = line;

	while (out.len &&
	       (out.text[out.len - 1] == '\n' || out.text[out.len - 1] == '\r'))
		out.len--;
	return out;
}

static void alter(struct stdio_way *w, struct span line)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct span text = message_of(line);
	struct altered what = { 0 };

	alter_message(w->of->proxy->options.alter, &w->of->talk->alter,
		      w->from_server, text, &out, &what);
	if (what.changed) {
		struct span passed = { buf_string(&out), out.len };

		talk_text(w->of->talk, w->from_server, text, &passed);
		buf_char(&out, '\n');
		line = (struct span){ out.data, out.len };
	} else {
		talk_text(w->of->talk, w->from_server, text, NULL);
	}
	misuse(w, &what, line);
}

static void take_line(struct stdio_way *w, struct span line)
{
	if (!w->of->talk || !message_of(line).len) {
		if (alters(w))
			write_on(w, line.text, line.len);
		return;
	}
	if (alters(w))
		alter(w, line);
	else
		talk_text(w->of->talk, w->from_server, message_of(line), NULL);
}

/* It goes on, and what it says is not known. */
static void too_long(struct stdio_way *w)
{
	struct capture_event e = { .kind = CAPTURED_TEXT,
				   .from = w->from_server ? FROM_DEVICE :
							    FROM_BACKEND,
				   .data = { w->in.data, w->in.len },
				   .size = w->in.len,
				   .cut = true };

	w->skipping = true;
	if (w->of->talk)
		talk_pass(w->of->talk, &e);
	if (alters(w))
		write_on(w, w->in.data, w->in.len);
	buf_reset(&w->in);
}

/* Of what is there: to the end of a line, or all. Returns how much. */
static size_t take_some(struct stdio_way *w, const char *data, size_t len)
{
	const char *end = memchr(data, '\n', len);
	size_t part = end ? (size_t)(end - data) + 1 : len;

	if (w->skipping) {
		if (alters(w))
			write_on(w, data, part);
		w->skipping = !end;
		return part;
	}
	if (end && !w->in.len) {
		take_line(w, (struct span){ data, part });
		return part;
	}
	buf_add(&w->in, data, part);
	if (end) {
		struct buf line = w->in;

		w->in = (struct buf){ 0 };
		take_line(w, (struct span){ line.data, line.len });
		buf_done(&line);
	} else if (w->in.len > MCP_KEPT_MAX) {
		too_long(w);
	}
	return part;
}

static void take(struct stdio_way *w, const char *data, size_t len)
{
	size_t at = 0;

	w->came_ns = (int64_t)uv_hrtime();
	if (!alters(w)) {
		write_on(w, data, len);
		count_added(w);
	}
	while (at < len && !w->waiting && !w->dead)
		at += take_some(w, data + at, len - at);
	if (w->waiting && at < len)
		buf_add(&w->in, data + at, len - at);
}

static void on_waited(void *owner)
{
	struct stdio_way *w = owner;
	struct buf kept = w->in;

	w->in = (struct buf){ 0 };
	w->waiting = false;
	write_on(w, w->waits.data, w->waits.len);
	buf_reset(&w->waits);
	if (kept.len)
		take(w, kept.data, kept.len);
	buf_done(&kept);
	settle(w);
}

/* ---- pipes ---- */

static void on_came(void *owner, const char *data, size_t len)
{
	take(owner, data, len);
}

static void on_from_ended(void *owner)
{
	struct stdio_way *w = owner;

	/* A last line need not have an end. */
	if (w->in.len)
		take_line(w, (struct span){ w->in.data, w->in.len });
	buf_reset(&w->in);
	w->of->host_ended |= !w->from_server;
	pipe_end_finish(&w->to);
}

/* Nobody reads what goes on: who writes is to learn it as he would have. */
static void on_to_ended(void *owner)
{
	struct stdio_way *w = owner;
	int none;

	pipe_end_close(&w->from);
	pipe_end_close(&w->to);
	if (w->from_server)
		return;
	none = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (none >= 0) {
		dup2(none, STDIN_FILENO);
		close(none);
	}
}

static void on_drained(void *owner)
{
	settle(owner);
}

static void on_from_closed(void *owner)
{
	release_way(owner);
}

static void on_to_closed(void *owner)
{
	struct stdio_way *w = owner;

	if (w->from_server) {
		w->of->drained = true;
		maybe_over(w->of);
	}
	release_way(w);
}

static const struct pipe_end_events from_events = {
	.came = on_came,
	.ended = on_from_ended,
	.closed = on_from_closed,
};
static const struct pipe_end_events to_events = {
	.ended = on_to_ended,
	.drained = on_drained,
	.closed = on_to_closed,
};

/* ---- the child ---- */

static void on_linger(void *owner)
{
	struct mcp_stdio *s = owner;

	/* What it said before its end goes on first, however slowly: see settle. */
	if (!s->way[true].from.held)
		on_from_ended(&s->way[true]);
}

static void on_child_ended(void *owner, int status)
{
	struct mcp_stdio *s = owner;

	s->child = NULL;
	s->child_ended = true;
	s->proxy->status = status;
	await_rest(s);
	maybe_over(s);
	release(s);
}

static const struct child_events child_events = { .ended = on_child_ended };

static void way_open(struct mcp_stdio *s, bool from_server, int from, int to)
{
	struct stdio_way *w = &s->way[from_server];
	struct loop *l = s->proxy->loop;

	w->of = s;
	w->from_server = from_server;
	pipe_end_open(&w->from, l, from, false, &from_events, w);
	pipe_end_open(&w->to, l, to, true, &to_events, w);
	timer_open(&w->timer, l, on_waited, w);
}

static void open_talk(struct mcp_stdio *s)
{
	struct talk_head head = { .leg = LEG_STDIO };

	s->talk = talk_open(s->proxy, &head);
	if (s->talk)
		s->talk->diag.about = (struct diag_about){ .bare = true };
}

/* Nobody is there to talk to: that is recorded all the same. */
static void not_started(struct mcp_stdio *s, struct error *err)
{
	CLEANUP(mem_free_ptr) char *hint = NULL;

	open_talk(s);
	error_finding(err, "P716");
	hint = mem_strdup(err->hint);
	error_hint(err, "%s%s%s", hint, *hint ? "; " : "", HOST_SEES);
	if (!s->talk)
		return;
	diag_found(&s->talk->diag, P716, (struct span){ 0 }, "%s", err->text);
	talk_note(s->talk, "%s; %s", err->text, HOST_SEES);
	talk_end(TAKE(s->talk), FROM_NOBODY, ENDED_OTHER, 0);
}

static void open_all(struct mcp_stdio *s, int to_child, int from_child)
{
	s->open = 8;
	way_open(s, false, STDIN_FILENO, to_child);
	way_open(s, true, from_child, STDOUT_FILENO);
	timer_open(&s->linger, s->proxy->loop, on_linger, s);
	open_talk(s);
	pipe_end_hold(&s->way[false].from, false);
	pipe_end_hold(&s->way[true].from, false);
}

static int start(struct mcp_stdio *s, const struct child_options *o,
		 struct error *err)
{
	struct child_options options = *o;
	int in[2], out[2], status;

	if (pipe2(in, O_CLOEXEC))
		return error_set(err, ERR_CONNECT, "cannot make a pipe: %s",
				 strerror(errno));
	if (pipe2(out, O_CLOEXEC)) {
		close(in[0]);
		close(in[1]);
		return error_set(err, ERR_CONNECT, "cannot make a pipe: %s",
				 strerror(errno));
	}
	options.in = CHILD_PIPE;
	options.in_fd = in[0];
	options.out = CHILD_INHERIT;
	options.out_fd = out[1];
	options.err = CHILD_INHERIT;
	status = child_start(&s->child, s->proxy->loop, &options, &child_events,
			     s, err);
	if (!status)
		open_all(s, in[1], out[0]);
	for (int i = 0; i < 2; i++) {
		close(in[i]);
		close(out[i]);
	}
	return status;
}

int mcp_stdio_open(struct proxy *p, void (*closed)(struct proxy *p),
		   struct mcp_stdio **out, struct error *err)
{
	CLEANUP(endpoint_done) struct endpoint e = { 0 };
	struct child_options o = { 0 };
	struct mcp_stdio *s;

	if (p->options.argv && p->options.argv->count) {
		o.argv = p->options.argv->word;
	} else {
		if (endpoint_parse(&e, p->options.upstream, "the argument",
				   err))
			return -1;
		o.argv = e.argv.word;
		o.cwd = e.cwd;
	}
	s = mem_zalloc(sizeof(*s));
	s->proxy = p;
	s->closed = closed;
	if (start(s, &o, err)) {
		not_started(s, err);
		mem_free(s);
		return -1;
	}
	*out = s;
	return 0;
}
