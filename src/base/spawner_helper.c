/* SPDX-License-Identifier: MIT */
#include "base/spawner_helper.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fence.h"
#include "base/mem.h"
#include "base/spawner_message.h"
#include "base/text.h"

#define SOCKET_FD 3
#define GRACE_MS 500

struct allowed {
	struct words argv, rules;
	unsigned more;
	bool fenced;
};

struct kept {
	char *path;
	int flags;
};

struct running {
	uint32_t id;
	pid_t pid;
	bool own_group;
	bool over; /* told; a zombie until it is forgotten, so that its number stays its own */
};

struct helper {
	struct allowed *allowed;
	struct kept *kept;
	struct running *running;
	size_t allowed_count, kept_count, running_count;
	size_t allowed_room, kept_room, running_room;
	int socket, signals;
	bool sealed;
};

/* ---- what may be ---- */

static bool fits(const struct allowed *a, const struct words *argv)
{
	if (argv->count < a->argv.count ||
	    argv->count > a->argv.count + a->more)
		return false;
	for (size_t i = 0; i < a->argv.count; i++) {
		if (strcmp(a->argv.word[i], argv->word[i]) != 0)
			return false;
	}
	return true;
}

static const struct allowed *find_allowed(const struct helper *h,
					  const struct words *argv)
{
	for (size_t i = 0; i < h->allowed_count; i++) {
		if (fits(&h->allowed[i], argv))
			return &h->allowed[i];
	}
	return NULL;
}

/* It stands in our own environment like that, or is one of the program's. */
static bool is_honest(const char *setting)
{
	char *const *own;

	if (text_starts(setting, "MCPCTL_"))
		return true;
	for (own = environ; *own; own++) {
		if (strcmp(*own, setting) == 0)
			return true;
	}
	return false;
}

static bool may_start(const struct helper *h, const struct words lists[],
		      const struct allowed *a)
{
	if (lists[0].count == 0)
		return false;
	if (!h->sealed)
		return true;
	for (size_t i = 0; i < lists[1].count; i++) {
		if (!is_honest(lists[1].word[i]))
			return false;
	}
	return a && lists[2].count == 0;
}

static void allow(struct helper *h, const struct spawner_message *m,
		  struct words lists[])
{
	struct allowed *a;

	if (h->sealed)
		return;
	h->allowed = mem_grow(h->allowed, &h->allowed_room, h->allowed_count,
			      sizeof(*h->allowed));
	a = &h->allowed[h->allowed_count++];
	*a = (struct allowed){ .more = (unsigned)m->number,
			       .fenced = m->fenced };
	a->argv = lists[0];
	a->rules = lists[1];
	lists[0] = lists[1] = (struct words){ 0 };
}

static void keep(struct helper *h, const struct spawner_message *m,
		 const struct words lists[])
{
	if (h->sealed || lists[0].count != 1)
		return;
	h->kept = mem_grow(h->kept, &h->kept_room, h->kept_count,
			   sizeof(*h->kept));
	h->kept[h->kept_count].path = mem_strdup(lists[0].word[0]);
	h->kept[h->kept_count++].flags = m->number;
}

/* A pipe without a reader must not hold us up. */
static int open_kept(const struct kept *k)
{
	int fd = open(k->path, k->flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
		      0600);

	if (fd < 0)
		return -errno;
	fcntl(fd, F_SETFL, k->flags & (O_APPEND | O_ACCMODE));
	return fd;
}

static void reopen(const struct helper *h, const struct spawner_message *m)
{
	struct spawner_message answer = { .op = SPAWNER_OPENED, .id = m->id };
	struct spawner_fds fds = { .count = 0 };
	int fd = m->id < h->kept_count ? open_kept(&h->kept[m->id]) : -EPERM;

	answer.number = fd < 0 ? fd : 0;
	if (fd >= 0) {
		fds.fd[0] = fd;
		fds.count = 1;
	}
	spawner_send(h->socket, &answer, &fds);
	spawner_fds_close(&fds);
}

/* ---- a start ---- */

static void default_signals(void)
{
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* 0, or errno. Those that are not given are /dev/null, as ours are. */
static int take_streams(const struct spawner_message *m,
			const struct spawner_fds *fds)
{
	size_t at = 1;

	for (int i = 0; i < 3; i++) {
		int flags;

		if (!(m->streams & 1U << i))
			continue;
		if (at >= fds->count || dup2(fds->fd[at++], i) < 0)
			return EBADF;
		/* Where the others of that terminal or pipe expect it so. */
		flags = fcntl(i, F_GETFL);
		if (flags >= 0 && flags & O_NONBLOCK)
			fcntl(i, F_SETFL, flags & ~O_NONBLOCK);
	}
	return 0;
}

/* A program that is a script names another that would run: no fence fits. */
static bool is_binary(const char *path)
{
	char magic[4] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool binary;

	if (fd < 0)
		return false;
	binary = read(fd, magic, sizeof(magic)) == sizeof(magic) &&
		 memcmp(magic, "\177ELF", sizeof(magic)) == 0;
	close(fd);
	return binary;
}

/* In the new process, until it is the program. Returns why it is not. */
static int become(const struct spawner_message *m,
		  const struct spawner_fds *fds, struct words lists[],
		  const struct allowed *a)
{
	static char *no_environment[] = { NULL };
	int error;

	if (!m->same_group)
		setsid();
	error = take_streams(m, fds);
	if (error)
		return error;
	if (lists[2].count && chdir(lists[2].word[0]) != 0)
		return errno;
	default_signals();
	if (a && a->fenced && is_binary(lists[0].word[0]))
		mem_free(fence_raise((const char *const *)a->rules.word));
	environ = lists[1].count ? lists[1].word : no_environment;
	execvp(lists[0].word[0], lists[0].word);
	return errno;
}

/* What the new process says before it is the program; 0: it is. */
static int hear(int fd)
{
	int error = 0;
	ssize_t got;

	do {
		got = read(fd, &error, sizeof(error));
	} while (got < 0 && errno == EINTR);
	close(fd);
	return got == (ssize_t)sizeof(error) ? error : 0;
}

/* Its process id, or -errno. */
static int launch(const struct spawner_message *m,
		  const struct spawner_fds *fds, struct words lists[],
		  const struct allowed *a)
{
	int ends[2], error;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return -errno;
	/* Not what libraries do at a fork: their descriptors are ours now. */
	pid = _Fork();
	if (pid == 0) {
		error = become(m, fds, lists, a);
		if (write(ends[1], &error, sizeof(error)) < 0) {
			/* Then nobody is there. */
		}
		_exit(127);
	}
	error = errno;
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return -error;
	}
	error = hear(ends[0]);
	if (!error)
		return pid;
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return -error;
}

static void start(struct helper *h, const struct spawner_message *m,
		  const struct spawner_fds *fds, struct words lists[])
{
	struct spawner_message answer = { .op = SPAWNER_STARTED, .id = m->id };
	const struct allowed *a = find_allowed(h, &lists[0]);

	answer.number =
		may_start(h, lists, a) ? launch(m, fds, lists, a) : -EPERM;
	if (answer.number > 0) {
		h->running = mem_grow(h->running, &h->running_room,
				      h->running_count, sizeof(*h->running));
		h->running[h->running_count++] =
			(struct running){ m->id, answer.number, !m->same_group,
					  false };
	}
	spawner_send(h->socket, &answer, NULL);
}

/* ---- what runs ---- */

static struct running *find_running(const struct helper *h, uint32_t id)
{
	for (size_t i = 0; i < h->running_count; i++) {
		if (h->running[i].id == id)
			return &h->running[i];
	}
	return NULL;
}

static void send_signal(const struct running *r, int number, bool group)
{
	if (group && r->own_group)
		kill(-r->pid, number);
	else if (!r->over)
		kill(r->pid, number);
}

static void drop(struct helper *h, struct running *r)
{
	assert(h->running);
	*r = h->running[--h->running_count];
}

/* One that runs on is forgotten when it ends. */
static void forget(struct helper *h, struct running *r)
{
	r->id = 0;
	if (r->over && waitpid(r->pid, NULL, WNOHANG) == r->pid)
		drop(h, r);
}

static void tell_end(const struct helper *h, const struct running *r,
		     const siginfo_t *how)
{
	struct spawner_message m = { .op = SPAWNER_ENDED, .id = r->id };

	if (how->si_code == CLD_EXITED)
		m.number = how->si_status;
	else
		m.signal = (uint32_t)how->si_status;
	spawner_send(h->socket, &m, NULL);
}

static void look_after(struct helper *h)
{
	for (size_t i = h->running_count; i-- > 0;) {
		struct running *r = &h->running[i];
		siginfo_t how = { 0 };

		if (r->over ||
		    waitid(P_PID, (id_t)r->pid, &how,
			   WEXITED | WNOHANG | WNOWAIT) != 0 ||
		    how.si_pid != r->pid)
			continue;
		r->over = true;
		if (r->id)
			tell_end(h, r, &how);
		else
			forget(h, r);
	}
}

static void take_signals(struct helper *h)
{
	struct signalfd_siginfo info;

	while (read(h->signals, &info, sizeof(info)) == sizeof(info))
		;
	look_after(h);
}

/* ---- its life ---- */

static void obey_lists(struct helper *h, const struct spawner_message *m,
		       const struct spawner_fds *fds)
{
	struct words lists[SPAWNER_LISTS] = { 0 };
	bool whole = fds->count && spawner_unpack(lists, m, fds->fd[0]);

	if (m->op == SPAWNER_START) {
		/* Broken ones are refused: no words. */
		if (!whole)
			words_done(&lists[0]);
		start(h, m, fds, lists);
	} else if (whole && m->op == SPAWNER_ALLOW) {
		allow(h, m, lists);
	} else if (whole && m->op == SPAWNER_KEEP) {
		keep(h, m, lists);
	}
	for (size_t i = 0; i < SPAWNER_LISTS; i++)
		words_done(&lists[i]);
}

static void obey(struct helper *h, const struct spawner_message *m,
		 const struct spawner_fds *fds)
{
	struct running *r = m->id ? find_running(h, m->id) : NULL;

	if (m->op == SPAWNER_SEAL)
		h->sealed = true;
	else if (m->op == SPAWNER_OPEN)
		reopen(h, m);
	else if (m->op == SPAWNER_SIGNAL && r)
		send_signal(r, m->number, m->group);
	else if (m->op == SPAWNER_FORGET && r)
		forget(h, r);
	else
		obey_lists(h, m, fds);
}

/* Until the other side is gone. */
static void serve(struct helper *h)
{
	struct pollfd p[] = { { .fd = h->socket, .events = POLLIN },
			      { .fd = h->signals, .events = POLLIN } };
	struct spawner_message m;
	struct spawner_fds fds;
	int got = 0;

	while (got >= 0) {
		poll(p, COUNT(p), -1);
		take_signals(h);
		while ((got = spawner_receive(h->socket, &m, &fds, false)) >
		       0) {
			obey(h, &m, &fds);
			spawner_fds_close(&fds);
		}
	}
}

static void signal_all(const struct helper *h, int number)
{
	for (size_t i = 0; i < h->running_count; i++)
		send_signal(&h->running[i], number, true);
}

static bool is_any_left(const struct helper *h)
{
	for (size_t i = 0; i < h->running_count; i++) {
		if (!h->running[i].over)
			return true;
	}
	return false;
}

static void end_all(struct helper *h)
{
	int64_t until = loop_now() + GRACE_MS;
	struct pollfd p = { .fd = h->signals, .events = POLLIN };

	/* Whoever looks for the serve of a broker finds none. */
	prctl(PR_SET_NAME, "ended mcpctl");
	signal_all(h, SIGTERM);
	while (is_any_left(h) && loop_now() < until) {
		poll(&p, 1, (int)(until - loop_now()));
		take_signals(h);
	}
	signal_all(h, SIGKILL);
}

/* Its descriptors are the socket and nothing else. */
static void let_go(int socket, bool away)
{
	int nothing;

	if (socket != SOCKET_FD)
		dup3(socket, SOCKET_FD, O_CLOEXEC);
	close_range(SOCKET_FD + 1, ~0U, 0);
	nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int i = 0; nothing >= 0 && i < SOCKET_FD; i++)
		dup2(nothing, i);
	if (nothing > SOCKET_FD)
		close(nothing);
	if (away && chdir("/") != 0) {
		/* Then a folder stays in use, and nothing else. */
	}
}

/* Whoever ends this program means the process that serves. */
static int watch_signals(void)
{
	static const int ignored[] = { SIGINT,	SIGTERM, SIGHUP,
				       SIGQUIT, SIGTSTP, SIGPIPE };
	sigset_t set;

	for (size_t i = 0; i < COUNT(ignored); i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

void spawner_help(int socket, bool away)
{
	struct helper h = { .socket = SOCKET_FD };

	let_go(socket, away);
	prctl(PR_SET_NAME, "mcpctl-starter");
	h.signals = watch_signals();
	if (h.signals >= 0)
		serve(&h);
	end_all(&h);
	_exit(0);
}
