/* SPDX-License-Identifier: MIT */
/*
 * Fences: what this process gives up for good, and everything that it starts
 * with it. For a process that reads what strangers send, once all is open: who
 * takes it over gets no further.
 *
 * - No new privileges: set-user-ID programs do not help any more.
 * - Of root's capabilities those to open files and to listen below 1024 stay.
 * - No core files: they would hold tokens.
 * - seccomp: system calls that nothing here needs are refused. It is a list of
 *   those that are refused, not of those that are allowed: what must not be is
 *   known (programs, other processes, the kernel's wide and rarely walked
 *   parts), and what glibc, OpenSSL, resolvers and their next versions call is
 *   not. Files and TCP are Landlock's part. A refused call fails with EPERM and
 *   kills nothing, so that an unforeseen one is an error that is told. clone3
 *   is "not implemented", since its flags cannot be seen; libraries use clone
 *   then. The list is by name: each processor has its own numbers.
 * - Landlock, where the kernel has it: files and TCP ports but those in the
 *   rules. From its version 6 on no signals to, and no abstract sockets of,
 *   processes outside.
 *
 * Each is tried by itself. What a kernel, a container or a missing library does
 * not give is left out and said; nothing ever fails because of it.
 *
 * Still allowed, on purpose: to be looked at by the same user (gdb, and other
 * commands that say who holds a port), UDP, Unix sockets.
 */
#ifndef BASE_FENCE_H
#define BASE_FENCE_H

#include "base/base.h"
#include "base/loop.h"
#include "base/split.h"

/*
 * Rules are words: "read PATH" (a file, or a folder with all in it), "write
 * PATH" (read too; make and remove in it), "remove PATH" (files right in it and
 * below), "exec PATH" (a file; without such a rule nothing may be executed),
 * "bind PORT", "connect PORT" (TCP). A path that is not there is no rule.
 */
void fence_rule(struct words *rules, const char *verb, const char *path);
void fence_port(struct words *rules, const char *verb, uint16_t port);
/* What programs need to run at all: libraries, resolver, certificates, time. */
void fence_system(struct words *rules);
/* That it is a program that can be started: its loader. */
void fence_program(struct words *rules, const char *path);

/*
 * Before the loop is opened in a process that raises fences later: libuv (from
 * 1.45) tells the kernel of what it watches through io_uring where it can, asks
 * for it when a loop is opened, and aborts when it is refused only afterwards.
 */
void fence_early(void);
/*
 * For all threads of this process, NULL-terminated rules. What is in force then,
 * as text, yours: "no new privileges, seccomp, Landlock 6"; and what is not, and
 * why.
 */
char *fence_raise(const char *const *rules);

/* ---- the loaded part (mcpctl-fence.so) ---- */

#define FENCE_TABLE "fence_table"

struct fence_table {
	/* Both 0 or -errno. exec: programs may be executed still. */
	int (*refuse_io_uring)(void);
	int (*refuse_calls)(bool exec);
};
extern const struct fence_table fence_table;

/* Put the rest of the threads behind these rules, too, as soon as each is free. */
void fence_pool(struct loop *l, const struct words *rules);

#endif
