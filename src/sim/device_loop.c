/* SPDX-License-Identifier: MIT */
/* The queue of jobs and the list of alarms; not what they do. */
#include "sim/device_loop.h"

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
	server_call_free(job->call);
	mem_free(job->payload);
	mem_free(job);
}

void device_add_job(struct device *d, struct job *job)
{
	job->next = NULL;
	if (d->last)
		d->last->next = job;
	else
		d->first = job;
	d->last = job;
}

void device_run(struct device *d)
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
		d->busy = !device_do_job(d, job);
		job_free(job);
	}
	d->running = false;
}

/* The timer follows the first alarm. */
static void arm(struct device *d)
{
	int64_t left;

	if (!d->alarms) {
		timer_stop(&d->timer);
		return;
	}
	left = d->alarms->due - loop_now();
	timer_start(&d->timer, left > 0 ? left : 0);
}

void device_set_alarm(struct device *d, enum alarm_kind kind, int64_t ms,
		      struct job *job)
{
	struct alarm *a = mem_zalloc(sizeof(*a));
	struct alarm **at = &d->alarms;

	a->kind = kind;
	a->due = loop_now() + ms;
	a->job = job;
	/* Behind those of the same time: events keep their order. */
	while (*at && (*at)->due <= a->due)
		at = &(*at)->next;
	a->next = *at;
	*at = a;
	if (d->alarms == a)
		arm(d);
}

void device_clear_alarms(struct device *d, enum alarm_kind kind)
{
	struct alarm **at = &d->alarms;
	struct alarm *a;

	while ((a = *at) != NULL) {
		if (a->kind != kind) {
			at = &a->next;
			continue;
		}
		*at = a->next;
		job_free(a->job);
		mem_free(a);
	}
	arm(d);
}

void device_forget_work(struct device *d)
{
	struct alarm *a;
	struct job *job;

	while ((job = d->first) != NULL) {
		d->first = job->next;
		job_free(job);
	}
	d->last = NULL;
	device_forget_upload(d);
	device_forget_outside(d);
	while ((a = d->alarms) != NULL) {
		d->alarms = a->next;
		job_free(a->job);
		mem_free(a);
	}
	d->busy = false;
	d->waiting = false;
	d->ticking = false;
	timer_stop(&d->timer);
}

void device_on_timer(void *owner)
{
	struct device *d = owner;
	int64_t now = loop_now();
	struct alarm *a;

	while ((a = d->alarms) != NULL && a->due <= now) {
		enum alarm_kind kind = a->kind;
		struct job *job = a->job;

		d->alarms = a->next;
		mem_free(a);
		if (kind == ALARM_FREE)
			d->busy = false;
		if (job)
			device_add_job(d, job);
		if (kind != ALARM_JOB && kind != ALARM_FREE)
			device_on_alarm(d, kind);
		device_run(d);
	}
	arm(d);
}

static void on_timer_closed(void *owner)
{
	struct device *d = owner;

	rule_state_free(d->config.profile, d->state);
	server_reset(&d->server);
	mem_free(d->session_id);
	mem_free(d->device_id);
	mem_free(d->client_id);
	d->state = NULL;
	d->session_id = d->device_id = d->client_id = NULL;
	d->closed(d->config.owner);
}

void device_close(struct device *d, void (*closed)(void *owner))
{
	device_hang_up(d);
	d->closed = closed;
	timer_close(&d->timer, on_timer_closed);
}
