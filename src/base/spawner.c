/* SPDX-License-Identifier: MIT */
/*
 * The spawner as this process sees it: it asks, and hears of ends from the
 * loop. How the other one does it stands in spawner_helper.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/spawner_helper.h"
#include "base/spawner_message.h"

/* On the loop while there are children; its memory goes with the last handle. */
struct watch {
	uv_poll_t poll;
	uv_timer_t
		now; /* ends that were heard of while an answer was awaited */
	unsigned handles;
};

static struct {
	bool open, lost, sealed;
	int socket;
	pid_t pid;
	uint32_t last_id;
	struct spawned *first;
	struct watch *watch;
	struct words kept; /* paths */
	int kept_flags[16];
} it;

bool spawner_is_open(void)
{
	return it.open;
}

bool spawner_is_lost(void)
{
	return it.lost;
}

int spawner_parent(void)
{
	return it.open ? it.pid : getpid();
}

/* ---- ends ---- */

static void on_closed(uv_handle_t *handle)
{
	struct watch *w = handle->data;

	if (--w->handles == 0)
		mem_free(w);
}

static void close_watch(void)
{
	struct watch *w = TAKE(it.watch);

	if (!w)
		return;
	uv_close((uv_handle_t *)&w->poll, on_closed);
	uv_close((uv_handle_t *)&w->now, on_closed);
}

static struct spawned *next_over(void)
{
	struct spawned *s = it.first;

	while (s && (!s->over || s->told))
		s = s->next;
	return s;
}

static void tell_ends(void)
{
	struct spawned *s;

	/* Whoever is told may release others. */
	while ((s = next_over())) {
		s->told = true;
		s->ended(s->owner, s->status, s->number);
	}
}

static void on_now(uv_timer_t *timer)
{
	(void)timer;
	tell_ends();
}

static void note_end(const struct spawner_message *m)
{
	for (struct spawned *s = it.first; s; s = s->next) {
		if (s->id != m->id)
			continue;
		s->over = true;
		s->status = m->number;
		s->number = (int)m->signal;
	}
	if (it.watch)
		uv_timer_start(&it.watch->now, on_now, 0, 0);
}

/* What runs there is being ended; how, nobody will tell. */
static void note_loss(void)
{
	it.lost = true;
	for (struct spawned *s = it.first; s; s = s->next) {
		if (!s->over)
			s->number = SIGKILL;
		s->over = true;
	}
	if (!it.watch)
		return;
	uv_poll_stop(&it.watch->poll);
	uv_timer_start(&it.watch->now, on_now, 0, 0);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
	struct spawner_message m;
	struct spawner_fds fds;
	int got = status ? -1 : 1;

	(void)poll;
	(void)events;
	while (got > 0 &&
	       (got = spawner_receive(it.socket, &m, &fds, false)) > 0) {
		spawner_fds_close(&fds);
		if (m.op == SPAWNER_ENDED)
			note_end(&m);
	}
	if (got < 0)
		note_loss();
}

static int open_watch(struct loop *l)
{
	struct watch *w;
	int status;

	if (it.watch)
		return 0;
	w = mem_zalloc(sizeof(*w));
	status = uv_poll_init(loop_uv(l), &w->poll, it.socket);
	if (status) {
		mem_free(w);
		return status;
	}
	uv_timer_init(loop_uv(l), &w->now);
	w->poll.data = w->now.data = w;
	w->handles = 2;
	it.watch = w;
	return uv_poll_start(&w->poll, UV_READABLE, on_readable);
}

/* ---- questions ---- */

/* 0, or -errno; the answer's descriptors are yours. */
static int ask(const struct spawner_message *m, const struct spawner_fds *sent,
	       struct spawner_message *answer, struct spawner_fds *fds)
{
	int status = it.lost ? -EPIPE : spawner_send(it.socket, m, sent);

	while (!status) {
		if (spawner_receive(it.socket, answer, fds, true) < 0)
			status = -EPIPE;
		else if (answer->op != SPAWNER_ENDED)
			return 0;
		else
			note_end(answer);
	}
	if (status == -EPIPE)
		note_loss();
	return status;
}

static void tell(const struct spawner_message *m)
{
	if (!it.lost && spawner_send(it.socket, m, NULL) == -EPIPE)
		note_loss();
}

static void tell_lists(struct spawner_message *m,
		       char *const *const lists[SPAWNER_LISTS])
{
	struct spawner_fds fds = { .count = 1 };

	fds.fd[0] = spawner_pack(m, lists);
	if (fds.fd[0] < 0)
		return;
	if (spawner_send(it.socket, m, &fds) == -EPIPE)
		note_loss();
	spawner_fds_close(&fds);
}

void spawner_allow(const char *const *argv, unsigned more,
		   const char *const *rules)
{
	struct spawner_message m = { .op = SPAWNER_ALLOW,
				     .number = (int32_t)more,
				     .fenced = rules != NULL };
	char *const *lists[SPAWNER_LISTS] = { NULL };

	if (!it.open || it.sealed)
		return;
	/* Words are only read, whatever their type says. */
	memcpy(&lists[0], &argv, sizeof(argv));
	memcpy(&lists[1], &rules, sizeof(rules));
	tell_lists(&m, lists);
}

void spawner_keep(const char *path, int flags)
{
	struct spawner_message m = { .op = SPAWNER_KEEP, .number = flags };
	char *word[] = { NULL, NULL };
	char *const *lists[SPAWNER_LISTS] = { word, NULL, NULL };
	CLEANUP(mem_free_ptr) char *copy = mem_strdup(path);

	if (!it.open || it.sealed || it.kept.count >= COUNT(it.kept_flags))
		return;
	word[0] = copy;
	it.kept_flags[it.kept.count] = flags;
	words_add(&it.kept, path);
	tell_lists(&m, lists);
}

/* For file_open: of what was not kept this process opens what it may itself. */
static int open_kept(const char *path, int flags, unsigned mode)
{
	struct spawner_message m = { .op = SPAWNER_OPEN }, answer;
	struct spawner_fds fds = { .count = 0 };
	int status;

	while (m.id < it.kept.count && (it.kept_flags[m.id] != flags ||
					strcmp(it.kept.word[m.id], path) != 0))
		m.id++;
	if (m.id >= it.kept.count || it.lost)
		return open(path, flags | O_CLOEXEC, mode);
	status = ask(&m, NULL, &answer, &fds);
	if (!status)
		status = answer.number;
	if (!status && fds.count)
		return fds.fd[0];
	errno = status ? -status : EPIPE;
	return -1;
}

void spawner_seal(void)
{
	const struct spawner_message m = { .op = SPAWNER_SEAL };

	if (!it.open || it.sealed)
		return;
	it.sealed = true;
	tell(&m);
	file_open_by(open_kept);
}

/* Asks; the answer is a process id, or -errno. */
static int ask_start(struct spawner_message *m, const struct spawner_program *p)
{
	struct spawner_message answer = { 0 };
	struct spawner_fds sent = { .count = 1 }, fds;
	char *cwd[] = { NULL, NULL };
	char *const *const lists[SPAWNER_LISTS] = { p->argv, p->env, cwd };
	CLEANUP(mem_free_ptr) char *folder = mem_strdup(p->cwd);
	int status;

	cwd[0] = folder;
	sent.fd[0] = spawner_pack(m, lists);
	if (sent.fd[0] < 0)
		return sent.fd[0];
	for (unsigned i = 0; i < COUNT(p->fd); i++) {
		if (p->fd[i] < 0)
			continue;
		m->streams |= 1U << i;
		sent.fd[sent.count++] = p->fd[i];
	}
	status = ask(m, &sent, &answer, &fds);
	close(sent.fd[0]);
	return status ? status : answer.number;
}

int spawner_start(struct spawned *out, struct loop *l,
		  const struct spawner_program *p)
{
	struct spawner_message m = { .op = SPAWNER_START,
				     .id = ++it.last_id,
				     .same_group = p->same_group };
	int status = open_watch(l);

	if (!status)
		status = ask_start(&m, p);
	if (status > 0) {
		out->id = m.id;
		out->pid = status;
		out->next = it.first;
		it.first = out;
	}
	if (!it.first)
		close_watch();
	return status > 0 ? 0 : status;
}

void spawned_signal(const struct spawned *s, int number, bool group)
{
	const struct spawner_message m = { .op = SPAWNER_SIGNAL,
					   .id = s->id,
					   .number = number,
					   .group = group };

	if (s->id)
		tell(&m);
}

void spawned_release(struct spawned *s)
{
	const struct spawner_message m = { .op = SPAWNER_FORGET, .id = s->id };
	struct spawned **at = &it.first;

	if (!s->id)
		return;
	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	tell(&m);
	s->id = 0;
	if (!it.first)
		close_watch();
}

/* ---- its life ---- */

static int cannot_open(struct error *err)
{
	int why = errno;

	error_set(err, ERR_CONNECT,
		  "cannot make the process that starts programs: %s",
		  strerror(why));
	if (why == EAGAIN)
		error_hint(err, SPAWNER_FULL_HINT);
	return error_code(err, why);
}

int spawner_open(bool away, struct error *err)
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return cannot_open(err);
	fflush(stdout);
	fflush(stderr);
	pid = fork();
	if (pid == 0) {
		close(ends[0]);
		spawner_help(ends[1], away);
	}
	if (pid < 0) {
		cannot_open(err);
		close(ends[0]);
		close(ends[1]);
		return -1;
	}
	close(ends[1]);
	it.open = true;
	it.socket = ends[0];
	it.pid = pid;
	return 0;
}

void spawner_close(void)
{
	if (!it.open)
		return;
	file_open_by(NULL);
	close(it.socket);
	while (waitpid(it.pid, NULL, 0) < 0 && errno == EINTR)
		;
	words_done(&it.kept);
	memset(&it, 0, sizeof(it));
}
