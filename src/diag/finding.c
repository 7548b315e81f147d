/* SPDX-License-Identifier: MIT */
#include "diag/finding.h"

#include <inttypes.h>
#include <string.h>

void finding_title(struct buf *out, const struct finding *f, const char *detail)
{
	if (!detail)
		detail = f->detail;
	buf_text(out, finding_row(f->code)->title);
	if (detail && *detail)
		buf_printf(out, ": %s", detail);
}

void finding_line(struct buf *out, const struct finding *f)
{
	const struct finding_row *row = finding_row(f->code);

	buf_printf(out, "%s %s  ", row->code, severity_name(row->severity));
	finding_title(out, f, NULL);
}

static void add_text(struct buf *out, const char *name, const char *text)
{
	buf_printf(out, ",\"%s\":", name);
	if (text)
		buf_json_string(out, text, strlen(text));
	else
		buf_text(out, "null");
}

static void add_evidence(struct buf *out, const struct proof *p)
{
	buf_text(out, ",\"evidence\":[");
	if (p->size > 0 || p->n > 0) {
		buf_printf(out,
			   "{\"n\":%" PRIu64 ",\"at_us\":%" PRId64
			   ",\"leg\":\"%s\",\"from\":\"%s\",\"size\":%zu",
			   p->n, p->at_us, diag_leg_name(p->leg),
			   p->from_device ? "device" : "backend", p->size);
		buf_text(out, ",\"text\":");
		buf_json_string(out, p->text, p->text_len);
		buf_printf(out, ",\"from_byte\":%zu", p->from);
		if (p->len > 0)
			buf_printf(out, ",\"span\":[%zu,%zu]", p->off, p->len);
		buf_char(out, '}');
	}
	buf_char(out, ']');
}

static void add_story(struct buf *out, enum diag_code code)
{
	static const enum explain_part dos[] = { EXPLAIN_FIRMWARE,
						 EXPLAIN_BACKEND,
						 EXPLAIN_OPERATOR };
	CLEANUP(explanation_done) struct explanation e;
	bool any = false;

	explanation_read(&e, code, EXPLAIN_ENGLISH);
	add_text(out, "hits", e.part[EXPLAIN_HITS]);
	buf_text(out, ",\"do\":{");
	for (size_t i = 0; i < COUNT(dos); i++) {
		const char *text = e.part[dos[i]];

		if (!text)
			continue;
		buf_printf(out, "%s\"%s\":", any ? "," : "",
			   explain_part_name(dos[i]));
		buf_json_string(out, text, strlen(text));
		any = true;
	}
	buf_char(out, '}');
}

void finding_json(struct buf *out, const struct finding *f, const char *device)
{
	const struct finding_row *row = finding_row(f->code);

	buf_printf(out, "{\"code\":\"%s\",\"severity\":\"%s\"", row->code,
		   severity_name(row->severity));
	add_text(out, "title", row->title);
	add_text(out, "detail", f->detail ? f->detail : "");
	add_text(out, "device", device);
	buf_printf(out,
		   ",\"count\":%" PRIu64 ",\"first_us\":%" PRId64
		   ",\"last_us\":%" PRId64,
		   f->count, f->first_us, f->last_us);
	add_evidence(out, &f->proof);
	add_story(out, f->code);
	buf_char(out, '}');
}
