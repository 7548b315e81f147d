/* SPDX-License-Identifier: MIT */
/* What would be sent, told. */
#include "check/planned.h"

#include "base/mask.h"

void planned_instead(struct checkup *k, enum check_risk risk, const char *what,
		     const char *instead)
{
	struct renderer *r = &k->in->app->out;
	const struct plan_record record = { .risk = risk_name(risk),
					    .what = what,
					    .instead = instead };

	if (r->ops->plan)
		r->ops->plan(r, &record);
}

static void plan_message(struct checkup *k, const char *risk, const char *what,
			 const struct buf *text)
{
	struct renderer *r = &k->in->app->out;
	CLEANUP(buf_done) struct buf masked = { 0 };
	struct plan_record record = { .risk = risk, .what = what };

	if (text) {
		mask_secrets(&masked, text->data, text->len);
		record.text = (struct span){ buf_string(&masked), masked.len };
	}
	k->planned++;
	if (r->ops->plan)
		r->ops->plan(r, &record);
}

void planned(struct checkup *k, enum check_risk risk, const char *what,
	     const struct buf *text)
{
	plan_message(k, risk_name(risk), what, text);
}

void planned_call(struct checkup *k, const char *what, const struct buf *text)
{
	plan_message(k, "call", what, text);
}

void planned_packet(struct checkup *k, enum check_risk risk, const char *what,
		    const char *words)
{
	k->planned++;
	planned_instead(k, risk, what, words);
}

void planned_end(struct checkup *k, const char *more)
{
	render_note(&k->in->app->out, "%u message%s%s; nothing was sent",
		    k->planned, k->planned == 1 ? "" : "s", more);
}
