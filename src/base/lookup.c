/* SPDX-License-Identifier: MIT */
#include "base/lookup.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"

/* As libuv counts them. */
#define THREADS 4
#define THREADS_MAX 1024

static pthread_mutex_t all_here = PTHREAD_MUTEX_INITIALIZER;

static size_t wanted(void)
{
	const char *size = getenv("UV_THREADPOOL_SIZE");
	long count = size ? strtol(size, NULL, 10) : THREADS;

	if (count < 1)
		return 1;
	return count < THREADS_MAX ? (size_t)count : THREADS_MAX;
}

static void *wait_for_all(void *nothing)
{
	pthread_mutex_lock(&all_here);
	pthread_mutex_unlock(&all_here);
	return nothing;
}

/* That many at once, and then none. */
static bool can_start(size_t count)
{
	CLEANUP(mem_free_ptr)
	pthread_t *threads = mem_alloc(count * sizeof(*threads));
	size_t started = 0;
	bool all;

	pthread_mutex_lock(&all_here);
	while (started < count &&
	       !pthread_create(&threads[started], NULL, wait_for_all, NULL))
		started++;
	pthread_mutex_unlock(&all_here);
	all = started == count;
	while (started > 0)
		pthread_join(threads[--started], NULL);
	return all;
}

int lookup_threads(void)
{
	/* Once it has them, it keeps them. */
	static bool there;

	if (!there)
		there = can_start(wanted());
	return there ? 0 : UV_EAGAIN;
}

int lookup_start(struct loop *l, uv_getaddrinfo_t *rq, uv_getaddrinfo_cb fn,
		 const char *host, const char *service,
		 const struct addrinfo *hints)
{
	int status = lookup_threads();

	return status ?
		       status :
		       uv_getaddrinfo(loop_uv(l), rq, fn, host, service, hints);
}
