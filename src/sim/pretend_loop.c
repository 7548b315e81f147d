/* SPDX-License-Identifier: MIT */
/* The queue of jobs and the list of alarms; not what they do. */
#include <string.h>

#include "base/mem.h"
#include "sim/pretend_loop.h"

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

void pretend_add_job(struct pretend *d, struct job *job)
{
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
		d->busy = !pretend_do_job(d, job);
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
	pretend_forget_upload(d);
	pretend_forget_outside(d);
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

void pretend_on_timer(void *owner)
{
	struct pretend *d = owner;
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
			pretend_add_job(d, job);
		if (kind != ALARM_JOB && kind != ALARM_FREE)
			pretend_on_alarm(d, kind);
		pretend_run(d);
	}
	arm(d);
}

static void on_timer_closed(void *owner)
{
	struct pretend *d = owner;

	rule_state_free(d->config.profile, d->state);
	firmware_reset(&d->server);
	mem_free(d->session_id);
	mem_free(d->device_id);
	mem_free(d->client_id);
	d->state = NULL;
	d->session_id = d->device_id = d->client_id = NULL;
	d->closed(d->config.owner);
}

void pretend_close(struct pretend *d, void (*closed)(void *owner))
{
	pretend_hang_up(d);
	d->closed = closed;
	timer_close(&d->timer, on_timer_closed);
}

/*
 * The voice session of a device that lives at a broker: begun and ended by
 * messages, its sound over UDP (device.md 2.3, 2.5). MCP needs none of it.
 */

/* Events that only a voice session can carry. */
static bool needs_session(const struct pretend *d)
{
	const cJSON *event;

	if (d->config.audio)
		return true;
	cJSON_ArrayForEach(event, d->config.profile->events) {
		if (!json_object(event, "notification"))
			return true;
	}
	return false;
}

void pretend_standby(struct pretend *d)
{
	d->watch.standby = true;
	if (!needs_session(d)) {
		pretend_schedule_events(d);
		return;
	}
	/* The session before is forgotten here and not earlier. */
	mem_free(d->session_id);
	d->session_id = NULL;
	d->hello_flag = false;
	pretend_begin(d);
}

static bool is_hex(const char *text, char out[33])
{
	if (!text || strlen(text) != 32)
		return false;
	for (size_t i = 0; i <= 32; i++)
		out[i] = text[i];
	return strspn(text, "0123456789abcdefABCDEF") == 32;
}

/* What firmware looks at from 2.4.0 on; older ones trust it. */
static bool read_offer(struct udp_offer *out, const cJSON *udp)
{
	const char *server =
		cJSON_GetStringValue(cJSON_GetObjectItem(udp, "server"));
	const cJSON *port = cJSON_GetObjectItem(udp, "port");

	if (!server || !*server || strlen(server) >= sizeof(out->server) ||
	    !cJSON_IsNumber(port) || port->valueint < 1 ||
	    port->valueint > UINT16_MAX)
		return false;
	memcpy(out->server, server, strlen(server) + 1);
	out->port = (uint16_t)port->valueint;
	return is_hex(cJSON_GetStringValue(cJSON_GetObjectItem(udp, "key")),
		      out->key) &&
	       is_hex(cJSON_GetStringValue(cJSON_GetObjectItem(udp, "nonce")),
		      out->nonce);
}

void pretend_udp_hello(struct pretend *d, const cJSON *root)
{
	const char *transport =
		cJSON_GetStringValue(cJSON_GetObjectItem(root, "transport"));
	struct udp_offer offer;

	if (!transport || strcmp(transport, "udp") != 0) {
		hazard_tell(&d->watch, HAZARD_HELLO_NOT_UDP);
		pretend_line(
			d,
			"the server hello was ignored: its 'transport' is not \"udp\"");
		return;
	}
	if (!read_offer(&offer, cJSON_GetObjectItem(root, "udp"))) {
		hazard_tell(&d->watch, HAZARD_HELLO_NO_UDP);
		pretend_line(
			d,
			"the server hello was ignored: its 'udp' lacks a server, a port from 1 to 65535, or 32 hex digits of key or nonce");
		return;
	}
	hazard_hello(&d->watch, root);
	pretend_take_session(d, root);
	if (!d->waiting || !d->watch.hello_sent)
		return;
	d->in_session = true;
	d->config.events->audio(d->config.owner, &offer);
	pretend_welcome(d);
}

void pretend_goodbye(struct pretend *d, const cJSON *root)
{
	const char *id =
		cJSON_GetStringValue(cJSON_GetObjectItem(root, "session_id"));

	if (!id || strcmp(id, d->session_id ? d->session_id : "") != 0) {
		hazard_tell(&d->watch, HAZARD_GOODBYE_SESSION);
		pretend_line(
			d,
			"a goodbye was ignored: its session_id is not that of the session");
		return;
	}
	if (d->in_session)
		pretend_line(d,
			     "the session is over: the backend said goodbye");
	pretend_leave_session(d);
}

void pretend_leave_session(struct pretend *d)
{
	if (!d->in_session)
		return;
	d->in_session = false;
	d->mode = DEVICE_IDLE;
	d->config.events->audio(d->config.owner, NULL);
}

void pretend_end_session(struct pretend *d)
{
	if (!d->in_session)
		return;
	pretend_leave_session(d);
	pretend_say_goodbye(d);
}
