/* SPDX-License-Identifier: MIT */
/*
 * Counts descriptors.
 */
#include "base/descriptors.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>
#include <unistd.h>

#define SPARE_MAX 64
/* They are given from below: none that matters lies above this many. */
#define LOOKED_AT 65536u

size_t descriptors_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur > INT_MAX)
		return INT_MAX;
	return (size_t)limit.rlim_cur;
}

size_t descriptors_raise(size_t wanted)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return descriptors_limit();
	limit.rlim_cur = wanted;
	if (limit.rlim_max != RLIM_INFINITY && wanted > limit.rlim_max)
		limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
	return descriptors_limit();
}

size_t descriptors_open(void)
{
	size_t limit = descriptors_limit(), count = 0;

	for (size_t fd = 0; fd < limit && fd < LOOKED_AT; fd++) {
		if (fcntl((int)fd, F_GETFD) >= 0)
			count++;
	}
	return count;
}

bool descriptors_spare(int fd, size_t wanted)
{
	int held[SPARE_MAX];
	size_t count = 0;
	bool enough;

	if (wanted > SPARE_MAX)
		wanted = SPARE_MAX;
	while (count < wanted) {
		held[count] = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		if (held[count] < 0)
			break;
		count++;
	}
	enough = count == wanted;
	while (count > 0)
		close(held[--count]);
	return enough;
}
