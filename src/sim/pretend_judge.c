/* SPDX-License-Identifier: MIT */
/* What a pretend device hears and says, as the engine of findings sees it. */
#include "sim/pretend_loop.h"

/* What the firmware that is played is like is no news to who plays it. */
static bool is_habit(enum diag_code code)
{
	const struct finding_row *row = finding_row(code);

	return *row->code == 'D' && row->severity == SEVERITY_NOTE;
}

static void tell_finding(struct pretend *d, const struct finding *f,
			 const char *detail)
{
	const struct pretend_config *c = &d->config;

	if (c->events->finding && !is_habit(f->code))
		c->events->finding(c->owner, f, detail);
}

static void on_found(void *owner, const struct finding *f, const char *detail)
{
	tell_finding(owner, f, detail);
}

void pretend_talk_start(struct pretend *d, struct pretend_talk *t)
{
	const struct pretend_config *c = &d->config;

	*t = (struct pretend_talk){ 0 };
	t->diag.about = (struct diag_about){
		.board = true,
		.bare = c->bare,
		.standby = c->mqtt,
		.vision = d->server.vision_url != NULL,
		.protocol_version = c->mqtt ? 0 : c->frame_version,
		.from = { .asked = c->asked },
	};
	t->diag.found = on_found;
	t->diag.owner = d;
	diag_start(&t->diag);
}

void pretend_judge_anew(struct pretend *d)
{
	struct diag *diag = &d->talk.diag;

	for (size_t i = 0; i < diag->count; i++) {
		if (diag->item[i].count > 1)
			tell_finding(d, &diag->item[i], NULL);
	}
	diag_done(diag);
	pretend_talk_start(d, &d->talk);
}

enum diag_leg pretend_leg(const struct pretend *d)
{
	return d->config.bare ? LEG_LOCAL : d->config.mqtt ? LEG_MQTT : LEG_WS;
}

void pretend_judge(struct pretend *d, bool from_device, const char *text,
		   size_t len)
{
	const struct diag_frame f = { .at_us = loop_now_us(),
				      .leg = pretend_leg(d),
				      .kind = FRAME_IS_TEXT,
				      .from_device = from_device,
				      .data = text,
				      .len = len };

	if (d->config.events->finding && !(from_device && d->aside))
		diag_feed(&d->talk.diag, &f);
}

void pretend_died(struct pretend *d, enum diag_code of)
{
	if (d->config.events->died)
		d->config.events->died(d->config.owner, of);
}
