/* SPDX-License-Identifier: MIT */
/*
 * The asker's side: values go over a socket to the process, outputs come back;
 * time and signals are watched meanwhile, without the loop.
 */
#include "base/query.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/module.h"
#include "base/query_jq.h"
#include "base/query_worker.h"

enum { COMPILE_MS = 10000, PIECE = 65536 };

struct query {
	char *text;
	int socket; /* -1: the process is over */
	int signals; /* readable: one is pending */
	pid_t pid;
	struct error over; /* why */
};

/* What one question waits for. */
struct query_wait {
	struct query *q;
	int64_t deadline, timeout; /* ms */
	struct buf got; /* frames, as far as they came */
};

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Those that end a command; they stay pending for the loop. */
static sigset_t ending_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	return set;
}

/* ---- the process ends ---- */

/* One that ended by itself may not be our child (--daemon): its id is another's soon. */
static void reap(struct query *q, bool runs)
{
	if (q->socket >= 0)
		close(q->socket);
	q->socket = -1;
	if (q->pid > 0) {
		if (runs)
			kill(q->pid, SIGKILL);
		while (waitpid(q->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	q->pid = 0;
}

/* It is not asked any more: each later question gets the same words. */
static int give_up_on(struct query *q, bool runs, struct error *err)
{
	reap(q, runs);
	error_copy(err, &q->over);
	return -1;
}

static int timed_out(const struct query_wait *w, struct error *err)
{
	struct query *q = w->q;

	error_set(&q->over, ERR_TIMEOUT,
		  "the expression did not end within %lld ms",
		  (long long)w->timeout);
	error_hint(&q->over, "does it loop? --timeout gives it more time");
	return give_up_on(q, true, err);
}

static int interrupted(const struct query_wait *w, struct error *err)
{
	sigset_t pending;

	sigpending(&pending);
	error_set(&w->q->over, ERR_INTERRUPTED, "interrupted");
	error_code(&w->q->over,
		   sigismember(&pending, SIGINT) ? SIGINT : SIGTERM);
	return give_up_on(w->q, true, err);
}

/* Out of memory libjq aborts; what nests too deep ends with its stack. */
static int died(const struct query_wait *w, struct error *err)
{
	struct query *q = w->q;

	error_set(
		&q->over, ERR_UNMET,
		"the expression took more memory than it may have (%d MB), or broke jq",
		QUERY_MEMORY_MAX >> 20);
	return give_up_on(q, false, err);
}

/* ---- over the socket ---- */

/* Until the socket is ready. */
static int await(const struct query_wait *w, short events, struct error *err)
{
	struct pollfd what[] = {
		{ .fd = w->q->socket, .events = events },
		{ .fd = w->q->signals, .events = POLLIN },
	};

	for (;;) {
		int64_t left = w->deadline - now_ms();

		if (left <= 0)
			return timed_out(w, err);
		if (poll(what, COUNT(what), left > 60000 ? 60000 : (int)left) <=
		    0)
			continue;
		if (what[1].revents)
			return interrupted(w, err);
		if (what[0].revents)
			return 0;
	}
}

static int send_part(struct query_wait *w, const char *data, size_t len,
		     struct error *err)
{
	while (len > 0) {
		ssize_t n = send(w->q->socket, data, len,
				 MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n > 0) {
			data += n;
			len -= (size_t)n;
		} else if (n < 0 && errno == EAGAIN) {
			if (await(w, POLLOUT, err))
				return -1;
		} else if (n == 0 || errno != EINTR) {
			return died(w, err);
		}
	}
	return 0;
}

static int send_value(struct query_wait *w, char kind, struct span value,
		      struct error *err)
{
	const struct query_frame head = { .len = (uint32_t)value.len,
					  .kind = kind };

	if (value.len > UINT32_MAX)
		return error_set(err, ERR_UNMET, "more than jq can read");
	if (send_part(w, (const char *)&head, sizeof(head), err))
		return -1;
	return send_part(w, value.text, value.len, err);
}

static int receive_part(struct query_wait *w, struct error *err)
{
	char part[PIECE];
	ssize_t n;

	do {
		if (await(w, POLLIN, err))
			return -1;
		n = recv(w->q->socket, part, sizeof(part), MSG_DONTWAIT);
	} while (n < 0 && (errno == EINTR || errno == EAGAIN));
	if (n <= 0)
		return died(w, err);
	buf_add(&w->got, part, (size_t)n);
	return 0;
}

/* The frame at *at of what came, and *at behind it; waits for it. */
static int next_frame(struct query_wait *w, size_t *at,
		      struct query_frame *head, const char **text,
		      struct error *err)
{
	for (;;) {
		size_t there = w->got.len - *at;

		if (there >= sizeof(*head)) {
			memcpy(head, w->got.data + *at, sizeof(*head));
			if (there - sizeof(*head) >= head->len)
				break;
		}
		if (receive_part(w, err))
			return -1;
	}
	*text = w->got.data + *at + sizeof(*head);
	*at += sizeof(*head) + head->len;
	return 0;
}

static struct query_wait wait_for(struct query *q, int64_t timeout)
{
	return (struct query_wait){ .q = q,
				    .timeout = timeout,
				    .deadline = now_ms() + timeout };
}

/* ---- one value ---- */

void query_outputs_done(struct query_outputs *o)
{
	buf_done(&o->text);
	mem_free(o->item);
	*o = (struct query_outputs){ 0 };
}

bool query_output_is_true(const struct query_outputs *o, size_t i)
{
	const struct query_output *item = &o->item[i];
	const struct span value = { o->text.data + item->at, item->len };

	return item->string || !(json_span_literal(value, "false") ||
				 json_span_literal(value, "null"));
}

static void add_output(struct query_outputs *o, bool string, const char *text,
		       size_t len)
{
	o->item = mem_grow(o->item, &o->capacity, o->count, sizeof(*o->item));
	o->item[o->count++] = (struct query_output){ .at = o->text.len,
						     .len = len,
						     .string = string };
	buf_add(&o->text, text, len);
}

static void take_frame(const struct query_frame *head, const char *text,
		       struct query_outputs *out, struct error *why)
{
	switch (head->kind) {
	case FRAME_STRING:
	case FRAME_JSON:
		add_output(out, head->kind == FRAME_STRING, text, head->len);
		break;
	case FRAME_INEXACT:
		out->inexact = true;
		break;
	case FRAME_FAILED:
		error_set(why, ERR_UNMET, "%.*s", (int)head->len, text);
		break;
	case FRAME_TOO_MUCH:
		error_set(why, ERR_UNMET,
			  "the expression gives more than %d MB for one value",
			  QUERY_OUTPUT_MAX >> 20);
		break;
	default:
		break;
	}
}

static int take_outputs(struct query_wait *w, struct query_outputs *out,
			struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct query_frame head = { 0 };
	const char *text;
	size_t at = 0;

	while (head.kind != FRAME_END) {
		if (next_frame(w, &at, &head, &text, err))
			return -1;
		take_frame(&head, text, out, &why);
		if (at == w->got.len || at > PIECE) {
			buf_consume(&w->got, at);
			at = 0;
		}
	}
	if (why.kind == ERR_NONE)
		return 0;
	error_copy(err, &why);
	return -1;
}

int query_run(struct query *q, struct span value, struct span line,
	      int64_t timeout, struct query_outputs *out, struct error *err)
{
	struct query_wait w = wait_for(q, timeout);
	const sigset_t ending = ending_signals();
	sigset_t before;
	int status = 0;

	if (q->socket < 0) {
		error_copy(err, &q->over);
		return -1;
	}
	pthread_sigmask(SIG_BLOCK, &ending, &before);
	if (line.text)
		status = send_value(&w, FRAME_LINE, line, err);
	if (status == 0)
		status = send_value(&w, FRAME_VALUE, value, err);
	if (status == 0)
		status = take_outputs(&w, out, err);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	buf_done(&w.got);
	return status;
}

/* ---- begun, ended ---- */

static int wrong(const char *text, size_t len, struct error *err)
{
	const char *end = memchr(text, '\n', len);
	size_t first = end ? (size_t)(end - text) : len;

	error_set(err, ERR_USAGE, "%.*s", (int)first, text);
	return end ? error_detail(err, end + 1, len - first - 1) : -1;
}

static int await_ready(struct query *q, struct error *err)
{
	struct query_wait w = wait_for(q, COMPILE_MS);
	const sigset_t ending = ending_signals();
	struct query_frame head;
	sigset_t before;
	const char *text;
	size_t at = 0;
	int status;

	pthread_sigmask(SIG_BLOCK, &ending, &before);
	status = next_frame(&w, &at, &head, &text, err);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (status == 0 && head.kind == FRAME_WRONG)
		status = wrong(text, head.len, err);
	buf_done(&w.got);
	return status;
}

static int no_process(struct error *err)
{
	int why = errno;

	error_set(err, ERR_OUTPUT, "no process for jq: %s", strerror(why));
	return error_code(err, why);
}

static int begin(struct query *q, struct error *err)
{
	const struct jq_table *jq = module_table("jq", "jq_table", err);
	const sigset_t ending = ending_signals();
	int pair[2];

	if (!jq)
		return -1;
	q->signals = signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK);
	if (q->signals < 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return no_process(err);
	q->pid = fork();
	if (q->pid == 0)
		query_work(jq, q->text, pair[1]);
	close(pair[1]);
	q->socket = pair[0];
	return q->pid < 0 ? no_process(err) : await_ready(q, err);
}

int query_new(struct query **out, const char *text, struct error *err)
{
	struct query *q;

	*out = NULL;
	if (strlen(text) > QUERY_TEXT_MAX)
		return error_set(err, ERR_USAGE,
				 "the expression is longer than %d bytes",
				 QUERY_TEXT_MAX);
	q = mem_zalloc(sizeof(*q));
	q->text = mem_strdup(text);
	q->socket = q->signals = -1;
	if (begin(q, err)) {
		query_free(q);
		return -1;
	}
	*out = q;
	return 0;
}

void query_free(struct query *q)
{
	if (!q)
		return;
	reap(q, true);
	if (q->signals >= 0)
		close(q->signals);
	error_reset(&q->over);
	mem_free(q->text);
	mem_free(q);
}

const char *query_text(const struct query *q)
{
	return q->text;
}
