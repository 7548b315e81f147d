/* SPDX-License-Identifier: MIT */
/*
 * Time whole processes in turn (A B A B …), so that drift of the machine hits
 * both: spawn RUNS 'COMMAND A' 'COMMAND B'. Prints medians, their ratio, and
 * the peak memory of each as the kernel counted it.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/split.h"

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* One run: milliseconds; peak memory in kB into *peak if larger. */
static double run_once(char *const argv[], long *peak)
{
	posix_spawn_file_actions_t actions;
	struct rusage usage;
	double start;
	pid_t pid;
	int status;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	start = now_ms();
	if (posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ) != 0 ||
	    wait4(pid, &status, 0, &usage) < 0 || !WIFEXITED(status) ||
	    WEXITSTATUS(status) != 0) {
		fprintf(stderr, "spawn: '%s' failed\n", argv[0]);
		exit(1);
	}
	start = now_ms() - start;
	posix_spawn_file_actions_destroy(&actions);
	if (usage.ru_maxrss > *peak)
		*peak = usage.ru_maxrss;
	return start;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	struct words a = { 0 }, b = { 0 };
	struct error err = { 0 };
	long peak_a = 0, peak_b = 0;
	double *times;
	size_t runs, i;

	if (argc != 4 || (runs = strtoul(argv[1], NULL, 10)) == 0 ||
	    words_split(&a, argv[2], &err) || words_split(&b, argv[3], &err)) {
		fprintf(stderr, "usage: spawn RUNS 'COMMAND A' 'COMMAND B'\n");
		return 2;
	}
	times = calloc(2 * runs, sizeof(*times));
	run_once(a.word, &peak_a);
	run_once(b.word, &peak_b);
	for (i = 0; i < runs; i++) {
		times[i] = run_once(a.word, &peak_a);
		times[runs + i] = run_once(b.word, &peak_b);
	}
	qsort(times, runs, sizeof(*times), compare);
	qsort(times + runs, runs, sizeof(*times), compare);
	printf("p50 %.2f ms against %.2f ms: ratio %.2f; p99 %.2f and %.2f ms; "
	       "peak %ld kB against %ld kB\n",
	       times[runs / 2], times[runs + runs / 2],
	       times[runs / 2] / times[runs + runs / 2], times[runs * 99 / 100],
	       times[runs + runs * 99 / 100], peak_a, peak_b);
	free(times);
	words_done(&a);
	words_done(&b);
	return 0;
}
