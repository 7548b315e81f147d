/* SPDX-License-Identifier: MIT */
/* The queue of jobs and the list of alarms; not what they do. */
#include "sim/pretend_loop.h"
#include "base/mem.h"

struct job *job_new(enum job_kind kind)
{
	struct job *job = mem_zalloc(sizeof(*job));

	job->kind = kind;
	return job;
}

static void job_free(struct job *job)
{
	if (!job)
		return;
	firmware_call_free(job->call);
	mem_free(job->payload);
	mem_free(job);
}

/* Bytes that it holds while it waits, about. */
static size_t weight(const struct job *job)
{
	return job ? job->len + sizeof(*job) + 1024 : 0;
}

void pretend_add_job(struct pretend *d, struct job *job)
{
	d->held += weight(job);
	job->next = NULL;
	if (d->last)
		d->last->next = job;
	else
		d->first = job;
	d->last = job;
}

void pretend_run(struct pretend *d)
{
	struct job *job;

	if (d->running)
		return;
	d->running = true;
	while (!d->busy && d->first) {
		job = d->first;
		d->first = job->next;
		if (!d->first)
			d->last = NULL;
		d->held -= weight(job);
		d->busy = !d->work->job(d, job);
		job_free(job);
	}
	d->running = false;
}

/* The timer follows the first alarm. */
static void arm(struct pretend *d)
{
	int64_t left;

	if (!d->alarms) {
		timer_stop(&d->timer);
		return;
	}
	left = d->alarms->due - loop_now();
	timer_start(&d->timer, left > 0 ? left : 0);
}

void pretend_set_alarm(struct pretend *d, enum alarm_kind kind, int64_t ms,
		       struct job *job)
{
	struct alarm *a = mem_zalloc(sizeof(*a));
	struct alarm **at = &d->alarms;

	a->kind = kind;
	a->due = loop_now() + ms;
	a->job = job;
	d->held += weight(job);
	/* Behind those of the same time: events keep their order. */
	while (*at && (*at)->due <= a->due)
		at = &(*at)->next;
	a->next = *at;
	*at = a;
	if (d->alarms == a)
		arm(d);
}

void pretend_clear_alarms(struct pretend *d, enum alarm_kind kind)
{
	struct alarm **at = &d->alarms;
	struct alarm *a;

	while ((a = *at) != NULL) {
		if (a->kind != kind) {
			at = &a->next;
			continue;
		}
		*at = a->next;
		d->held -= weight(a->job);
		job_free(a->job);
		mem_free(a);
	}
	arm(d);
}

void pretend_forget_work(struct pretend *d)
{
	struct alarm *a;
	struct job *job;

	while ((job = d->first) != NULL) {
		d->first = job->next;
		job_free(job);
	}
	d->last = NULL;
	while ((a = d->alarms) != NULL) {
		d->alarms = a->next;
		job_free(a->job);
		mem_free(a);
	}
	d->held = 0;
	d->busy = false;
	d->waiting = false;
	d->ticking = false;
	d->stirred = false;
	timer_stop(&d->timer);
}

void pretend_on_timer(void *owner)
{
	struct pretend *d = owner;
	int64_t now = loop_now();
	struct alarm *a;

	while ((a = d->alarms) != NULL && a->due <= now) {
		enum alarm_kind kind = a->kind;
		struct job *job = a->job;

		d->alarms = a->next;
		d->held -= weight(job);
		mem_free(a);
		if (kind == ALARM_FREE)
			d->busy = false;
		if (job)
			pretend_add_job(d, job);
		if (kind != ALARM_JOB && kind != ALARM_FREE)
			d->work->alarm(d, kind);
		pretend_run(d);
	}
	arm(d);
}

void pretend_keep_assets(const struct pretend *d,
			 const struct firmware_call *call)
{
	if (d->config.events->assets && call->tool->argument_count &&
	    call->value[0].text)
		d->config.events->assets(d->config.owner, call->value[0].text);
}
