/* SPDX-License-Identifier: MIT */
/*
 * The event loop: waiting, signals, deadlines, timers. Sockets and children
 * are those of its users.
 */
#include "base/loop.h"

#include <assert.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/chain.h"
#include "base/log.h"
#include "base/mem.h"

#define CLOSE_MS 1000
#define FILES_LEAST 16
#define BEAT_US 50000 /* of the watch for delays */
#define BEAT_SLACK_US 20000 /* later than that is late */
#define WATCH_US INT64_C(30000000) /* so long after the last question */
#define UNWATCHED_US INT64_C(3600000000)

struct loop {
	uv_loop_t uv;
	uv_signal_t interrupt, terminate, hangup;
	uv_poll_t unread; /* loop NULL: not watched */
	int unread_fd;
	void (*on_hangup)(void *owner);
	void *hangup_owner;
	uv_timer_t deadline;
	uv_prepare_t before_poll;
	uv_timer_t beat; /* while delays are watched */
	int64_t beat_due, delay, delay_asked; /* microseconds */
	const bool *done; /* what loop_wait waits for; NULL outside of it */
	int signal; /* that came and was not reported yet; 0 if none */
	bool running;
	bool timing; /* amid the event of a timer */
	struct timer *due, *due_last; /* that were started with 0 then */
	uv_idle_t later; /* while there are some */
};

/*
 * A second Ctrl-C before the first was reported kills the program as if
 * nobody watched: the main line may be blocked in a write, where the loop
 * cannot run. What libuv does with the first one stays as it is.
 */
static volatile sig_atomic_t unreported, spared;
static struct sigaction first_interrupt;

static void on_interrupt(int number)
{
	if (unreported && !spared) {
		signal(number, SIG_DFL);
		raise(number);
		return;
	}
	unreported = 1;
	first_interrupt.sa_handler(number);
}

/* libuv asks for SA_RESTART; a read from the terminal must end instead. */
static void interrupts_reads(int number)
{
	struct sigaction action;

	sigaction(number, NULL, &action);
	action.sa_flags &= ~SA_RESTART;
	sigaction(number, &action, NULL);
}

static void escalate_interrupt(void)
{
	struct sigaction action;

	sigaction(SIGINT, NULL, &first_interrupt);
	action = first_interrupt;
	action.sa_handler = on_interrupt;
	action.sa_flags &= ~SA_RESTART;
	sigaction(SIGINT, &action, NULL);
	interrupts_reads(SIGTERM);
	unreported = 0;
	spared = 0;
}

/* The handler is one for all loops of the program. */
void loop_spare(struct loop *l, bool spare)
{
	(void)l;
	spared = spare;
}

static void on_signal(uv_signal_t *handle, int number)
{
	struct loop *l = handle->data;

	l->signal = number;
}

/* Do not sleep in this turn: loop_wait looks at the clock. */
static void on_deadline(uv_timer_t *timer)
{
	uv_stop(timer->loop);
}

/*
 * A turn runs the timers that are due first, and then sleeps all the same.
 * Where one of them has done what was waited for, it must not.
 */
static void on_before_poll(uv_prepare_t *prepare)
{
	struct loop *l = prepare->data;

	if (l->done && *l->done)
		uv_stop(&l->uv);
}

static void watch_timers(struct loop *l)
{
	uv_timer_init(&l->uv, &l->deadline);
	uv_timer_init(&l->uv, &l->beat);
	l->beat.data = l;
	uv_unref((uv_handle_t *)&l->beat);
	uv_prepare_init(&l->uv, &l->before_poll);
	l->before_poll.data = l;
	uv_prepare_start(&l->before_poll, on_before_poll);
	uv_unref((uv_handle_t *)&l->before_poll);
	uv_idle_init(&l->uv, &l->later);
	l->uv.data = l->later.data = l;
}

static void on_hangup(uv_signal_t *handle, int number)
{
	struct loop *l = handle->data;

	(void)number;
	l->on_hangup(l->hangup_owner);
}

static int watch(struct loop *l, uv_signal_t *handle, uv_signal_cb fn,
		 int number)
{
	int status = uv_signal_init(&l->uv, handle);

	if (status)
		return status;
	handle->data = l;
	status = uv_signal_start(handle, fn, number);
	/* Signals alone keep nothing running (but see loop_wait). */
	uv_unref((uv_handle_t *)handle);
	return status;
}

/* The terminal was closed: children have sessions of their own, and stay. */
static int watch_hangup(struct loop *l)
{
	struct sigaction now;
	int status = 0;

	/* nohup */
	if (sigaction(SIGHUP, NULL, &now) || now.sa_handler == SIG_IGN)
		return 0;
	status = watch(l, &l->hangup, on_signal, SIGHUP);
	if (!status)
		interrupts_reads(SIGHUP);
	return status;
}

static int cannot_watch(int status, struct error *err)
{
	error_set(err, ERR_CONNECT, "cannot watch for signals: %s",
		  uv_strerror(status));
	return error_code(err, -status);
}

/* libuv aborts where it gets none for itself. */
static int check_files(struct error *err)
{
	struct rlimit most = { FILES_LEAST, FILES_LEAST };

	if (getrlimit(RLIMIT_NOFILE, &most) || most.rlim_cur >= FILES_LEAST)
		return 0;
	most.rlim_cur =
		most.rlim_max < FILES_LEAST ? most.rlim_max : FILES_LEAST;
	if (most.rlim_cur >= FILES_LEAST && !setrlimit(RLIMIT_NOFILE, &most))
		return 0;
	error_set(err, ERR_USAGE,
		  "no more than %llu open files are allowed, and %d are needed",
		  (unsigned long long)most.rlim_max, FILES_LEAST);
	return error_hint(err, "ulimit -n 1024");
}

int loop_new_aside(struct loop **out, struct error *err)
{
	struct loop *l;
	int status;

	*out = NULL;
	if (check_files(err))
		return -1;
	l = mem_zalloc(sizeof(*l));
	status = uv_loop_init(&l->uv);
	if (status) {
		mem_free(l);
		error_set(err, ERR_CONNECT, "cannot start the event loop: %s",
			  uv_strerror(status));
		return error_code(err, -status);
	}
	signal(SIGPIPE, SIG_IGN);
	watch_timers(l);
	*out = l;
	return 0;
}

int loop_new(struct loop **out, struct error *err)
{
	struct loop *l;
	int status;

	if (loop_new_aside(out, err))
		return -1;
	l = TAKE(*out);
	status = watch(l, &l->interrupt, on_signal, SIGINT);
	if (!status)
		status = watch(l, &l->terminate, on_signal, SIGTERM);
	if (!status)
		status = watch_hangup(l);
	if (status) {
		loop_free(l);
		return cannot_watch(status, err);
	}
	escalate_interrupt();
	*out = l;
	return 0;
}

static void on_too_long(uv_timer_t *timer)
{
	uv_stop(timer->loop);
}

/* A handle that was never initialised has no loop. */
static void close_own(uv_signal_t *handle)
{
	if (handle->loop)
		uv_close((uv_handle_t *)handle, NULL);
}

void loop_free(struct loop *l)
{
	if (!l)
		return;
	assert(!l->running);
	close_own(&l->interrupt);
	close_own(&l->terminate);
	close_own(&l->hangup);
	if (l->unread.loop) {
		uv_close((uv_handle_t *)&l->unread, NULL);
		close(l->unread_fd);
	}
	uv_close((uv_handle_t *)&l->before_poll, NULL);
	uv_close((uv_handle_t *)&l->beat, NULL);
	uv_update_time(&l->uv);
	uv_timer_start(&l->deadline, on_too_long, CLOSE_MS, 0);
	uv_unref((uv_handle_t *)&l->deadline);
	uv_run(&l->uv, UV_RUN_DEFAULT);
	uv_close((uv_handle_t *)&l->deadline, NULL);
	uv_close((uv_handle_t *)&l->later, NULL);
	uv_run(&l->uv, UV_RUN_NOWAIT);
	if (uv_loop_close(&l->uv)) {
		/* Open handles still point into it: leaking is the safe way. */
		log_debug("handles were left open at the end");
		return;
	}
	mem_free(l);
}

int loop_on_hangup(struct loop *l, void (*fn)(void *owner), void *owner,
		   struct error *err)
{
	int status;

	l->on_hangup = fn;
	l->hangup_owner = owner;
	status = l->hangup.loop ?
			 uv_signal_start(&l->hangup, on_hangup, SIGHUP) :
			 watch(l, &l->hangup, on_hangup, SIGHUP);
	return status ? cannot_watch(status, err) : 0;
}

static void on_unread(uv_poll_t *poll, int status, int events)
{
	struct loop *l = poll->data;

	(void)status;
	(void)events;
	uv_poll_stop(poll);
	l->signal = SIGPIPE;
}

/* libuv's polls do not block, and a writer of stdout may: so it is opened anew. */
void loop_end_unread(struct loop *l, int fd)
{
	struct stat st;
	char path[32];

	if (l->unread.loop || fstat(fd, &st) || !S_ISFIFO(st.st_mode))
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	l->unread_fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (l->unread_fd < 0)
		return;
	uv_poll_init(&l->uv, &l->unread, l->unread_fd);
	l->unread.data = l;
	uv_poll_start(&l->unread, UV_DISCONNECT, on_unread);
	uv_unref((uv_handle_t *)&l->unread);
}

uv_loop_t *loop_uv(struct loop *l)
{
	return &l->uv;
}

int64_t loop_now(void)
{
	return (int64_t)(uv_hrtime() / 1000000);
}

int64_t loop_now_us(void)
{
	return (int64_t)(uv_hrtime() / 1000);
}

int64_t unix_now_ms(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void on_beat(uv_timer_t *timer);

static void start_beat(struct loop *l, int64_t now)
{
	l->beat_due = now + BEAT_US;
	/* libuv counts from the start of the turn, which may be long ago. */
	uv_update_time(&l->uv);
	uv_timer_start(&l->beat, on_beat, BEAT_US / 1000, 0);
}

/* What is overdue by now. */
static int64_t overdue(const struct loop *l, int64_t now)
{
	const int64_t late = now - l->beat_due;

	return late > BEAT_SLACK_US ? late : 0;
}

static void on_beat(uv_timer_t *timer)
{
	struct loop *l = timer->data;
	const int64_t now = loop_now_us();

	l->delay += overdue(l, now);
	if (now - l->delay_asked < WATCH_US)
		start_beat(l, now);
}

int64_t loop_delay_us(struct loop *l)
{
	const int64_t now = loop_now_us();

	l->delay_asked = now;
	if (!uv_is_active((uv_handle_t *)&l->beat)) {
		l->delay += UNWATCHED_US;
		start_beat(l, now);
	}
	return l->delay + overdue(l, now);
}

static void turn(struct loop *l, uv_run_mode mode)
{
	assert(!l->running);
	l->running = true;
	uv_run(&l->uv, mode);
	l->running = false;
}

/* One turn, ended by an event or by the deadline. */
static void turn_until(struct loop *l, int64_t deadline)
{
	int64_t now = loop_now();

	if (deadline <= now) {
		turn(l, UV_RUN_NOWAIT);
		return;
	}
	/*
	 * uv_run returns at once when nothing is referenced, and that would
	 * be busy waiting: so the timer, or else a signal, keeps it alive.
	 */
	if (deadline == LOOP_FOREVER) {
		uv_ref((uv_handle_t *)&l->interrupt);
	} else if (!uv_is_active((uv_handle_t *)&l->deadline)) {
		uv_update_time(&l->uv);
		uv_timer_start(&l->deadline, on_deadline,
			       (uint64_t)(deadline - now), 0);
	}
	turn(l, UV_RUN_ONCE);
	uv_unref((uv_handle_t *)&l->interrupt);
}

static int interrupted(struct loop *l, struct error *err)
{
	int number = l->signal;

	l->signal = 0;
	unreported = 0;
	if (number == SIGPIPE)
		error_set(err, ERR_INTERRUPTED,
			  "the reader of the output is gone");
	else
		error_set(err, ERR_INTERRUPTED, "interrupted by %s",
			  number == SIGINT ? "Ctrl-C" : "a signal");
	return error_code(err, number);
}

/* *signal: as soon as it is not 0, too. */
static void turn_while(struct loop *l, const bool *done, const int *signal,
		       int64_t deadline)
{
	bool last = false;

	assert(!l->running);
	l->done = done;
	while (!*done && !*signal && !last) {
		/* Even when the time was over before, what is ready counts. */
		last = deadline <= loop_now();
		turn_until(l, deadline);
	}
	uv_timer_stop(&l->deadline);
	l->done = NULL;
}

int loop_wait(struct loop *l, const bool *done, int64_t deadline,
	      struct error *err)
{
	turn_while(l, done, &l->signal, deadline);
	if (*done)
		return 0;
	if (l->signal)
		return interrupted(l, err);
	return error_set(err, ERR_TIMEOUT, "time over");
}

int loop_stay(struct loop *l, const bool *done, int64_t deadline,
	      struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	const bool never = false;

	if (!loop_wait(l, done ? done : &never, deadline, &why) ||
	    why.kind == ERR_TIMEOUT)
		return 0;
	error_copy(err, &why);
	return -1;
}

void loop_drain(struct loop *l, const bool *done, int64_t deadline)
{
	static const int none;

	turn_while(l, done, &none, deadline);
}

void loop_poll(struct loop *l)
{
	turn(l, UV_RUN_NOWAIT);
}

static void on_timer(uv_timer_t *uv)
{
	struct timer *t = uv->data;
	struct loop *l = uv->loop->data;

	l->timing = true;
	t->fn(t->owner);
	l->timing = false;
}

static void leave_due(struct loop *l, struct timer *t)
{
	if (!t->due)
		return;
	CHAIN_LEAVE(l->due, l->due_last, t);
	t->due = false;
}

/*
 * libuv (to 1.44) fires in the same turn what a timer starts with 0, so one that
 * does that each time would keep everything else from running.
 */
static void on_later(uv_idle_t *idle)
{
	struct loop *l = idle->data;

	uv_idle_stop(idle);
	while (l->due) {
		struct timer *t = l->due;

		leave_due(l, t);
		uv_timer_start(&t->uv, on_timer, 0, 0);
	}
}

static void start_later(struct loop *l, struct timer *t)
{
	uv_timer_stop(&t->uv);
	if (t->due)
		return;
	t->due = true;
	t->next = NULL;
	CHAIN_APPEND(l->due, l->due_last, t);
	uv_idle_start(&l->later, on_later);
}

void timer_open(struct timer *t, struct loop *l, void (*fn)(void *owner),
		void *owner)
{
	uv_timer_init(&l->uv, &t->uv);
	t->uv.data = t;
	t->fn = fn;
	t->owner = owner;
	t->due = false;
	t->open = true;
}

void timer_start(struct timer *t, int64_t ms)
{
	struct loop *l;

	if (!t->open)
		return;
	l = t->uv.loop->data;
	if (ms <= 0 && l->timing) {
		start_later(l, t);
		return;
	}
	leave_due(l, t);
	/* libuv counts from the start of the turn, which may be long ago. */
	uv_update_time(t->uv.loop);
	uv_timer_start(&t->uv, on_timer, ms > 0 ? (uint64_t)ms : 0, 0);
}

void timer_stop(struct timer *t)
{
	if (!t->open)
		return;
	leave_due(t->uv.loop->data, t);
	uv_timer_stop(&t->uv);
}

static void on_closed(uv_handle_t *uv)
{
	struct timer *t = uv->data;

	if (t->closed)
		t->closed(t->owner);
}

void timer_close(struct timer *t, void (*closed)(void *owner))
{
	if (!t->open)
		return;
	t->open = false;
	t->closed = closed;
	leave_due(t->uv.loop->data, t);
	uv_close((uv_handle_t *)&t->uv, on_closed);
}
