/* SPDX-License-Identifier: MIT */
/*
 * A process of ours that is to have little: what it may use, and how a program
 * is started that needs nothing of ours. What a process may not do any more is
 * base/fence.
 */
#ifndef BASE_CONFINE_H
#define BASE_CONFINE_H

#include <sys/resource.h>
#include <sys/types.h>

/*
 * For good, for this process and those that it starts. what: RLIMIT_CPU and its
 * like, in the units of setrlimit(2). 0, or -1 and errno.
 */
int confine_limit(enum __rlimit_resource what, rlim_t most);
/*
 * The same for RLIMIT_AS and RLIMIT_DATA, in bytes; but nothing in builds with
 * AddressSanitizer, which takes more address space than there is memory.
 */
int confine_memory(enum __rlimit_resource what, rlim_t most);

/*
 * A program (a path, or looked for in our PATH) with these two files as stdin
 * and stdout, and nowhere to complain; of ours beside them it has those that are
 * not close-on-exec. env is all of its environment. SIGPIPE ends it. All is lent
 * for the call. 0: *child is the caller's to wait for; else an errno.
 */
int confine_spawn(pid_t *child, const char *program, char *const argv[],
		  char *const env[], int in, int out);

#endif
