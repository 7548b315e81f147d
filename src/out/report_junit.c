/* SPDX-License-Identifier: MIT */
/*
 * JUnit XML as Jenkins, GitLab and others read it.
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "out/report_form.h"

/* U+FFFE and U+FFFF: valid UTF-8, but no characters of XML. */
static bool is_forbidden(const char *p)
{
	return strncmp(p, "\xef\xbf\xbe", 3) == 0 ||
	       strncmp(p, "\xef\xbf\xbf", 3) == 0;
}

void xml_text(struct buf *out, const char *text)
{
	CLEANUP(buf_done) struct buf safe = { 0 };
	text_safe(&safe, text, strlen(text), TEXT_PARAGRAPH);
	for (const char *p = buf_string(&safe); *p; p++) {
		if (is_forbidden(p)) {
			buf_char(out, '?');
			p += 2;
		} else if (*p == '&')
			buf_text(out, "&amp;");
		else if (*p == '<')
			buf_text(out, "&lt;");
		else if (*p == '>')
			buf_text(out, "&gt;");
		else if (*p == '"')
			buf_text(out, "&quot;");
		else if (*p == '\n')
			buf_text(out, "&#10;");
		else if (*p == '\t')
			buf_text(out, "&#9;");
		else
			buf_char(out, *p);
	}
}

static void attribute(struct buf *out, const char *name, const char *text)
{
	buf_printf(out, " %s=\"", name);
	xml_text(out, text);
	buf_char(out, '"');
}

static void add_time(struct buf *out, int64_t us)
{
	buf_printf(out, " time=\"%" PRId64 ".%03d\"", us / 1000000,
		   (int)(us / 1000 % 1000));
}

/* A failure is what the peer did wrong; an error, that it could not be tried. */
static bool is_failure(const struct kept_case *c)
{
	return c->failure.kind == ERR_PEER || c->failure.kind == ERR_UNMET;
}

static void add_failure(struct buf *out, const struct kept_case *c)
{
	const char *element = is_failure(c) ? "failure" : "error";
	buf_printf(out, ">\n\t\t<%s", element);
	attribute(out, "type", error_kind_name(c->failure.kind));
	attribute(out, "message", c->failure.text);
	buf_char(out, '>');
	xml_text(out, c->failure.text);
	if (c->failure.detail) {
		buf_char(out, '\n');
		xml_text(out, c->failure.detail);
	}
	if (c->failure.hint[0]) {
		buf_text(out, "\nhint: ");
		xml_text(out, c->failure.hint);
	}
	buf_printf(out, "</%s>\n\t</testcase>\n", element);
}

static void add_case(struct buf *out, const struct kept_case *c)
{
	CLEANUP(buf_done) struct buf name = { 0 };
	buf_printf(&name, "%zu: %s", c->line, c->name);
	buf_text(out, "\t<testcase");
	attribute(out, "classname", c->source);
	attribute(out, "name", buf_string(&name));
	add_time(out, c->took_us);
	if (c->skipped) {
		buf_text(out, ">\n\t\t<skipped");
		attribute(out, "message", c->skipped);
		buf_text(out, "/>\n\t</testcase>\n");
	} else if (c->failure.kind != ERR_NONE) {
		add_failure(out, c);
	} else {
		buf_text(out, "/>\n");
	}
}

void report_write_junit(const struct report_cases *cases, FILE *out)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	size_t failures = 0, errors = 0, skipped = 0;
	int64_t took_us = 0;
	for (size_t i = 0; i < cases->count; i++) {
		const struct kept_case *c = &cases->item[i];
		took_us += c->took_us;
		if (c->skipped)
			skipped++;
		else if (is_failure(c))
			failures++;
		else if (c->failure.kind != ERR_NONE)
			errors++;
	}
	buf_text(&b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite");
	attribute(&b, "name", cases->suite);
	buf_printf(&b,
		   " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" "
		   "skipped=\"%zu\"",
		   cases->count, failures, errors, skipped);
	add_time(&b, took_us);
	buf_text(&b, ">\n");
	for (size_t i = 0; i < cases->count; i++)
		add_case(&b, &cases->item[i]);
	buf_text(&b, "</testsuite>\n");
	fwrite(b.data, 1, b.len, out);
}
