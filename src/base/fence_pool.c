/* SPDX-License-Identifier: MIT */
/* Landlock for threads of libuv's that are there already. */
#include "base/fence_pool.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "base/lookup.h"
#include "base/mem.h"

/* For a thread that is none of libuv's and so never comes. */
#define TOGETHER_S 30

/* One piece of work a thread; each waits for the others, so that none does two. */
struct pool {
	pthread_mutex_t lock;
	pthread_cond_t all_here;
	unsigned threads, here, left;
	struct words rules;
	struct timespec until;
	uv_work_t work[];
};

static unsigned count_threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	const struct dirent *entry;
	unsigned count = 0;

	while (dir && (entry = readdir(dir)))
		count += entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return count;
}

static void on_work(uv_work_t *work)
{
	struct pool *p = work->data;
	int late = 0;

	fence_files((const char *const *)p->rules.word);
	pthread_mutex_lock(&p->lock);
	if (++p->here == p->threads)
		pthread_cond_broadcast(&p->all_here);
	while (p->here < p->threads && late != ETIMEDOUT)
		late = pthread_cond_timedwait(&p->all_here, &p->lock,
					      &p->until);
	pthread_mutex_unlock(&p->lock);
}

static void on_done(uv_work_t *work, int status)
{
	struct pool *p = work->data;

	(void)status;
	if (--p->left)
		return;
	pthread_cond_destroy(&p->all_here);
	pthread_mutex_destroy(&p->lock);
	words_done(&p->rules);
	mem_free(p);
}

void fence_pool(struct loop *l, const struct words *rules)
{
	unsigned count = count_threads();
	struct pool *p;

	if (count < 2 || lookup_threads() != 0)
		return;
	count--;
	p = mem_zalloc(sizeof(*p) + count * sizeof(p->work[0]));
	p->threads = p->left = count;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->all_here, NULL);
	clock_gettime(CLOCK_REALTIME, &p->until);
	p->until.tv_sec += TOGETHER_S;
	for (size_t i = 0; i < rules->count; i++)
		words_add(&p->rules, rules->word[i]);
	for (unsigned i = 0; i < count; i++) {
		p->work[i].data = p;
		uv_queue_work(loop_uv(l), &p->work[i], on_work, on_done);
	}
}
