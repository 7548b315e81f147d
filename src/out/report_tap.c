/* SPDX-License-Identifier: MIT */
/*
 * TAP version 13, with what failed in its YAML block.
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "out/report_form.h"

/* A description ends at '#', where a directive would begin. */
static void description(struct buf *out, const char *text)
{
	CLEANUP(buf_done) struct buf safe = { 0 };
	text_safe(&safe, text, strlen(text), TEXT_LINE);
	for (const char *p = buf_string(&safe); *p; p++) {
		if (*p == '#')
			buf_char(out, '\\');
		buf_char(out, *p);
	}
}

/* A string of JSON is one of YAML too. */
static void yaml(struct buf *out, const char *name, const char *text)
{
	CLEANUP(buf_done) struct buf safe = { 0 };
	if (!text || !*text)
		return;
	text_safe(&safe, text, strlen(text), TEXT_PARAGRAPH);
	buf_printf(out, "  %s: ", name);
	buf_json_string(out, buf_string(&safe), safe.len);
	buf_char(out, '\n');
}

static void add_case(struct buf *out, const struct kept_case *c, size_t number)
{
	bool good = c->skipped || c->failure.kind == ERR_NONE;
	CLEANUP(buf_done) struct buf place = { 0 };
	buf_printf(out, "%s %zu - ", good ? "ok" : "not ok", number);
	description(out, c->name);
	if (c->skipped) {
		buf_text(out, " # SKIP ");
		description(out, c->skipped);
		buf_char(out, '\n');
		return;
	}
	buf_printf(out, " # time=%" PRId64 "ms\n", c->took_us / 1000);
	if (good)
		return;
	buf_printf(&place, "%s:%zu", c->source, c->line);
	buf_text(out, "  ---\n");
	yaml(out, "at", buf_string(&place));
	yaml(out, "message", c->failure.text);
	yaml(out, "kind", error_kind_name(c->failure.kind));
	buf_printf(out, "  status: %d\n", error_status(&c->failure));
	yaml(out, "hint", c->failure.hint);
	yaml(out, "detail", c->failure.detail);
	buf_text(out, "  ...\n");
}

void report_write_tap(const struct report_cases *cases, FILE *out)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	buf_printf(&b, "TAP version 13\n1..%zu\n", cases->count);
	for (size_t i = 0; i < cases->count; i++)
		add_case(&b, &cases->item[i], i + 1);
	fwrite(b.data, 1, b.len, out);
}
