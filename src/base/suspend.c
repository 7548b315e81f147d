/* SPDX-License-Identifier: MIT */
#include "base/suspend.h"

#include <pthread.h>
#include <signal.h>

void suspend_here(void)
{
	struct sigaction normal = { .sa_handler = SIG_DFL }, ours;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	sigaction(SIGTSTP, &normal, &ours);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	raise(SIGTSTP);
	/* cppcheck-suppress unreachableCode */
	sigaction(SIGTSTP, &ours, NULL);
}

bool suspend_ignored(void)
{
	struct sigaction now;

	return sigaction(SIGTSTP, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}
