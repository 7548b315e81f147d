/* SPDX-License-Identifier: MIT */
#include "diag/finding.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"

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
	json_add_text_or_null(out, "hits", e.part[EXPLAIN_HITS]);
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

/* Without the closing brace. */
static void begin(struct buf *out, const struct finding *f, const char *detail,
		  const char *device)
{
	const struct finding_row *row = finding_row(f->code);

	buf_printf(out, "{\"code\":\"%s\",\"severity\":\"%s\"", row->code,
		   severity_name(row->severity));
	json_add_text_or_null(out, "title", row->title);
	if (!detail)
		detail = f->detail;
	json_add_text_or_null(out, "detail", detail ? detail : "");
	json_add_text_or_null(out, "device", device);
	buf_printf(out,
		   ",\"count\":%" PRIu64 ",\"first_us\":%" PRId64
		   ",\"last_us\":%" PRId64,
		   f->count, f->first_us, f->last_us);
	add_evidence(out, &f->proof);
}

void finding_json(struct buf *out, const struct finding *f, const char *device)
{
	begin(out, f, NULL, device);
	add_story(out, f->code);
	buf_char(out, '}');
}

void finding_facts(struct buf *out, const struct finding *f, const char *detail,
		   const char *device)
{
	begin(out, f, detail, device);
	buf_char(out, '}');
}

/* Reading. What stands there may come from another version of us. */

static int64_t number_of(const cJSON *json, const char *name)
{
	int64_t number = 0;

	json_integer(json, name, &number);
	return number > 0 ? number : 0;
}

static enum diag_leg leg_by_name(const char *name)
{
	enum diag_leg leg = LEG_SERIAL;

	while (leg > LEG_WS && !text_same(name, diag_leg_name(leg)))
		leg--;
	return leg;
}

static void read_span(struct proof *p, const cJSON *span)
{
	const cJSON *off = cJSON_GetArrayItem(span, 0);
	const cJSON *len = cJSON_GetArrayItem(span, 1);

	if (!cJSON_IsNumber(off) || !cJSON_IsNumber(len) ||
	    off->valuedouble < 0 || len->valuedouble < 0 ||
	    off->valuedouble + len->valuedouble > (double)p->text_len)
		return;
	p->off = (size_t)off->valuedouble;
	p->len = (size_t)len->valuedouble;
}

static void read_proof(struct proof *p, const cJSON *json)
{
	const char *text = json_string(json, "text");

	p->n = (uint64_t)number_of(json, "n");
	p->at_us = number_of(json, "at_us");
	p->leg = leg_by_name(json_string(json, "leg"));
	p->from_device = text_same(json_string(json, "from"), "device");
	p->size = (size_t)number_of(json, "size");
	p->from = (size_t)number_of(json, "from_byte");
	p->text_len = text ? text_cut(text, strlen(text), PROOF_MAX) : 0;
	if (text)
		memcpy(p->text, text, p->text_len);
	read_span(p, json_array(json, "span"));
}

int finding_read(struct finding *out, const cJSON *json, struct error *err)
{
	const char *name = json_string(json, "code");
	const char *detail = json_string(json, "detail");
	int code = name ? finding_by_name(name) : -1;

	*out = (struct finding){ 0 };
	if (code < 0)
		return error_set(
			err, ERR_PROTOCOL,
			"a finding that this version does not know: %s",
			name ? name : "it has no code");
	out->code = (enum diag_code)code;
	out->detail = mem_strdup(detail ? detail : "");
	out->count = (uint64_t)number_of(json, "count");
	out->first_us = number_of(json, "first_us");
	out->last_us = number_of(json, "last_us");
	read_proof(&out->proof,
		   cJSON_GetArrayItem(json_array(json, "evidence"), 0));
	return 0;
}
