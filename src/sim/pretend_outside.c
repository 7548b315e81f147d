/* SPDX-License-Identifier: MIT */
/*
 * A tool call that a command or a model answers: the main loop waits for it,
 * as for an upload, so that every other reply waits too (device.md 3.9).
 */
#include <string.h>

#include "base/text.h"
#include "sim/order.h"
#include "sim/pretend_loop.h"

static void reply(struct pretend *d, const struct firmware_call *call,
		  const struct exec_answer *a)
{
	const struct fault_set *f = &d->config.faults;
	struct firmware_outcome o = { .text = a->text, .len = a->len };
	struct job *job;

	if (a->why->kind)
		o = (struct firmware_outcome){ .kind = SERVER_FAILED,
					       .text = a->why->text,
					       .len = strlen(a->why->text) };
	job = pretend_outcome(d, call, &o);
	if (fault_has(f, FAULT_LATE_REPLY))
		pretend_set_alarm(d, ALARM_JOB, f->reply_late_ms, job);
	else
		pretend_add_job(d, job);
}

static void tell(struct pretend *d, const struct firmware_call *call,
		 const struct exec_answer *a)
{
	if (a->why->kind) {
		pretend_line(d, "%s: %s", call->tool->name, a->why->text);
	} else {
		char took[32];

		pretend_line(d, "%s: answered after %s", call->tool->name,
			     text_milliseconds(a->took_ms, took, sizeof(took)));
	}
}

static void on_done(void *owner, const struct exec_answer *a)
{
	struct pretend *d = owner;

	d->outside = NULL;
	tell(d, d->uploading, a);
	reply(d, d->uploading, a);
	pretend_forget_outside(d);
	d->busy = false;
	pretend_run(d);
}

static void add_argument(struct buf *out, const struct firmware_argument *a,
			 const struct firmware_value *v)
{
	buf_json_string(out, a->name, strlen(a->name));
	buf_char(out, ':');
	if (a->type == SERVER_STRING)
		buf_json_string(out, v->text, strlen(v->text));
	else
		firmware_value_text(a, v, out);
}

static void add_arguments(struct buf *out, const struct firmware_call *call)
{
	size_t i;

	buf_char(out, '{');
	for (i = 0; i < call->tool->argument_count; i++) {
		if (i)
			buf_char(out, ',');
		add_argument(out, call->tool->argument + i, call->value + i);
	}
	buf_char(out, '}');
}

bool pretend_outside(struct pretend *d, struct job *job,
		     const struct rule_result *result)
{
	CLEANUP(buf_done) struct buf arguments = { 0 };
	struct order order = {
		.result = result->order,
		.defaults = d->config.profile->ollama,
		.config = &d->config.outside,
		.system =
			result->system.len ? buf_string(&result->system) : NULL,
		.user = buf_string(&result->text),
	};
	struct error why = { 0 };

	add_arguments(&arguments, job->call);
	order.arguments = buf_string(&arguments);
	if (!order_start(&d->outside, &order, on_done, d, &why)) {
		d->uploading = TAKE(job->call);
		return false;
	}
	reply(d, job->call, &(struct exec_answer){ .why = &why });
	pretend_line(d, "%s: %s", job->call->tool->name, why.text);
	error_reset(&why);
	return true;
}

void pretend_forget_outside(struct pretend *d)
{
	exec_abandon(TAKE(d->outside));
	firmware_call_free(TAKE(d->uploading));
}
