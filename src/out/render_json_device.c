/* SPDX-License-Identifier: MIT */
/*
 * Devices of a running serve as JSON: its own objects, as they came.
 */
#include <stdio.h>

#include "out/json_line.h"
#include "out/mask.h"
#include "out/render_json.h"
#include "out/stream.h"

void json_device(struct renderer *r, const struct device_record *d)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	if (!d->device)
		return;
	if (!d->change) {
		json_minify(&b, d->device_text.text, d->device_text.len);
	} else {
		buf_char(&b, '{');
		line_text(&b, "change", d->change);
		line_json(&b, "device", d->device_text.text,
			  d->device_text.len);
		buf_char(&b, '}');
	}
	json_put_line(r, &b);
	if (d->change)
		fflush(r->out);
}

/* A reply that is an error is the answer: the exit status tells the rest. */
void json_row(struct renderer *r, const struct device_record *d)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	buf_char(&b, '{');
	line_json(&b, "device", d->device_text.text, d->device_text.len);
	line_time(&b, "took_us", d->took_us);
	if (d->reply && d->reply->text)
		line_json(&b, "reply", d->reply->text, d->reply->len);
	if (d->error) {
		CLEANUP(error_reset) struct error shown = { 0 };
		mask_error(&shown, d->error);
		line_name(&b, "error");
		json_error(&b, &shown);
	}
	buf_char(&b, '}');
	json_put_line(r, &b);
	if (r->out_terminal)
		fflush(r->out);
}
