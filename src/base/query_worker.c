/* SPDX-License-Identifier: MIT */
#include "base/query_worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/file.h"
#include "base/query.h"
#include "base/query_jq.h"
#include "base/query_numbers.h"

#define SOCKET 3 /* its only file besides /dev/null */
#define SENT_AT_ONCE 65536

struct worker {
	const struct jq_table *jq;
	struct buf value, line;
	struct query_numbers numbers;
	size_t given; /* bytes of output of this value */
	struct buf frames; /* not sent yet */
	bool inexact;
};

/* ---- what it gives up ---- */

static void give_up_files(int socket)
{
	int nothing = open("/dev/null", O_RDWR);

	if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 ||
	    dup2(nothing, 2) < 0 || dup2(socket, SOCKET) < 0)
		_exit(1);
	if (close_range(SOCKET + 1, ~0U, 0) != 0)
		_exit(1);
}

/* What a parent handles, ignores or blocks is not this process's way. */
static void reset_signals(void)
{
	sigset_t none;

	for (int n = 1; n < NSIG; n++)
		signal(n, SIG_DFL);
	/* Who asks ends this process; a signal to the group reaches both. */
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/*
 * Also amid an expression that never ends: nobody else would stop it then. What
 * is not read yet would hide the end from recv, and poll takes no descriptor in a
 * process that may have none; nothing can be sent to who has gone, not even nothing.
 */
static void end_if_alone(int number)
{
	const int before = errno;

	(void)number;
	if (send(SOCKET, "", 0, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 &&
	    errno != EAGAIN)
		_exit(0);
	errno = before;
}

static void watch_asker(void)
{
	const struct sigaction action = { .sa_handler = end_if_alone,
					  .sa_flags = SA_RESTART };

	if (sigaction(SIGIO, &action, NULL) != 0 ||
	    fcntl(SOCKET, F_SETOWN, getpid()) < 0 ||
	    fcntl(SOCKET, F_SETFL, O_ASYNC) < 0)
		_exit(1);
	/* Who went before is told by no signal. */
	end_if_alone(SIGIO);
}

static void give_up(int socket)
{
	static char *nothing[] = { NULL };

	reset_signals();
	give_up_files(socket);
	watch_asker();
	tzset(); /* from a file, for localtime */
	environ = nothing;
	if (confine_limit(RLIMIT_CORE, 0) || confine_limit(RLIMIT_NOFILE, 0) ||
	    confine_memory(RLIMIT_DATA, QUERY_MEMORY_MAX))
		_exit(1);
}

/* ---- frames ---- */

static void send_all(const void *data, size_t len)
{
	if (file_write(SOCKET, data, len))
		_exit(0);
}

static void send_frames(struct worker *w)
{
	send_all(w->frames.data, w->frames.len);
	buf_reset(&w->frames);
}

static void add_frame(struct worker *w, char kind, const char *text, size_t len)
{
	const struct query_frame head = { .len = (uint32_t)len, .kind = kind };

	buf_add(&w->frames, &head, sizeof(head));
	buf_add(&w->frames, text, len);
	if (w->frames.len >= SENT_AT_ONCE)
		send_frames(w);
}

/* Whoever asks has gone: this process is over. */
static void receive_all(void *data, size_t len)
{
	char *at = data;

	while (len > 0) {
		ssize_t n = read(SOCKET, at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			_exit(0);
		at += n;
		len -= (size_t)n;
	}
}

static void receive_into(struct buf *b, size_t len)
{
	char part[16384];

	buf_reset(b);
	while (len > 0) {
		size_t n = len < sizeof(part) ? len : sizeof(part);

		receive_all(part, n);
		buf_add(b, part, n);
		len -= n;
	}
}

/* ---- one value ---- */

static bool put(void *owner, bool string, const char *text, size_t len)
{
	CLEANUP(buf_done) struct buf exact = { 0 };
	struct worker *w = owner;

	w->given += len + sizeof(struct query_frame);
	if (w->given > QUERY_OUTPUT_MAX) {
		add_frame(w, FRAME_TOO_MUCH, "", 0);
		return false;
	}
	if (string) {
		add_frame(w, FRAME_STRING, text, len);
		return true;
	}
	if (!query_numbers_restore(&w->numbers, (struct span){ text, len },
				   &exact))
		w->inexact = true;
	add_frame(w, FRAME_JSON, buf_string(&exact), exact.len);
	return true;
}

static void answer(struct worker *w, void *program)
{
	const struct jq_sink sink = { .output = put, .owner = w };
	const struct span value = { buf_string(&w->value), w->value.len };
	const struct span line = { buf_string(&w->line), w->line.len };
	CLEANUP(buf_done) struct buf why = { 0 };

	w->given = 0;
	w->inexact = false;
	w->numbers.count = 0;
	w->numbers.more = false;
	query_numbers_add(&w->numbers, value);
	query_numbers_add(&w->numbers, line);
	if (!w->jq->run(program, value, line.len ? line : (struct span){ 0 },
			&sink, &why))
		add_frame(w, FRAME_FAILED, buf_string(&why), why.len);
	if (w->inexact)
		add_frame(w, FRAME_INEXACT, "", 0);
	add_frame(w, FRAME_END, "", 0);
	send_frames(w);
	buf_reset(&w->line);
}

_Noreturn void query_work(const struct jq_table *jq, const char *text,
			  int socket)
{
	struct worker w = { .jq = jq };
	struct buf why = { 0 };
	struct query_frame head;
	void *program;

	give_up(socket);
	program = jq->compile(text, &why);
	if (!program)
		add_frame(&w, FRAME_WRONG, buf_string(&why), why.len);
	else
		add_frame(&w, FRAME_READY, "", 0);
	send_frames(&w);
	while (program) {
		receive_all(&head, sizeof(head));
		receive_into(head.kind == FRAME_LINE ? &w.line : &w.value,
			     head.len);
		if (head.kind == FRAME_VALUE)
			answer(&w, program);
	}
	_exit(0);
}
