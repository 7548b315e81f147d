/* SPDX-License-Identifier: MIT */
/* Reports of checked cases, as JUnit XML or TAP. */
#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/mask.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "out/report.h"

/*
 * JUnit XML as Jenkins, GitLab and others read it.
 */

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

static void add_place(struct buf *out, const struct kept_case *c)
{
	buf_text(out, c->source);
	if (c->line > 0)
		buf_printf(out, ":%zu", c->line);
}

static void add_failure(struct buf *out, const struct kept_case *c)
{
	CLEANUP(buf_done) struct buf place = { 0 };
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
	buf_text(out, "\nat ");
	add_place(&place, c);
	xml_text(out, buf_string(&place));
	buf_printf(out, "</%s>\n\t</testcase>\n", element);
}

static void add_name(struct buf *out, const struct kept_case *c)
{
	buf_text(out, c->name);
	if (c->nth > 1)
		buf_printf(out, " (%zu)", c->nth);
}

static void add_case(struct buf *out, const struct kept_case *c)
{
	CLEANUP(buf_done) struct buf name = { 0 };
	add_name(&name, c);
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

static void add_suite(struct buf *b, const struct report_cases *cases,
		      size_t suite)
{
	size_t count = 0, failures = 0, errors = 0, skipped = 0;
	int64_t took_us = 0;
	for (size_t i = 0; i < cases->count; i++) {
		const struct kept_case *c = &cases->item[i];
		if (c->suite != suite)
			continue;
		count++;
		took_us += c->took_us;
		if (c->skipped)
			skipped++;
		else if (is_failure(c))
			failures++;
		else if (c->failure.kind != ERR_NONE)
			errors++;
	}
	/* Where each device has its own, the report's is there if needed. */
	if (count == 0 && cases->suites > 1)
		return;
	buf_text(b, "<testsuite");
	attribute(b, "name", cases->suite[suite]);
	buf_printf(
		b,
		" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"",
		count, failures, errors, skipped);
	add_time(b, took_us);
	buf_text(b, ">\n");
	for (size_t i = 0; i < cases->count; i++) {
		if (cases->item[i].suite == suite)
			add_case(b, &cases->item[i]);
	}
	buf_text(b, "</testsuite>\n");
}

static void report_write_junit(const struct report_cases *cases, FILE *out)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	bool many = cases->suites > 1;
	buf_text(&b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	if (many) {
		buf_text(&b, "<testsuites");
		attribute(&b, "name", cases->suite[0]);
		buf_text(&b, ">\n");
	}
	for (size_t i = 0; i < cases->suites; i++)
		add_suite(&b, cases, i);
	if (many)
		buf_text(&b, "</testsuites>\n");
	fwrite(b.data, 1, b.len, out);
}

/*
 * TAP version 13, with what failed in its YAML block.
 */

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

static void add_case_tap(struct buf *out, const struct report_cases *cases,
			 size_t index)
{
	const struct kept_case *c = &cases->item[index];
	bool good = c->skipped || c->failure.kind == ERR_NONE;
	CLEANUP(buf_done) struct buf place = { 0 };
	CLEANUP(buf_done) struct buf name = { 0 };
	buf_printf(out, "%s %zu - ", good ? "ok" : "not ok", index + 1);
	if (c->suite)
		buf_printf(&name, "%s: ", cases->suite[c->suite]);
	add_name(&name, c);
	description(out, buf_string(&name));
	if (c->skipped) {
		buf_text(out, " # SKIP ");
		description(out, c->skipped);
		buf_char(out, '\n');
		return;
	}
	buf_printf(out, " # time=%" PRId64 "ms\n", c->took_us / 1000);
	if (good)
		return;
	add_place(&place, c);
	buf_text(out, "  ---\n");
	yaml(out, "at", buf_string(&place));
	yaml(out, "message", c->failure.text);
	yaml(out, "kind", error_kind_name(c->failure.kind));
	buf_printf(out, "  status: %d\n", error_status(&c->failure));
	yaml(out, "finding", c->failure.finding);
	yaml(out, "hint", c->failure.hint);
	yaml(out, "detail", c->failure.detail);
	buf_text(out, "  ...\n");
}

static void report_write_tap(const struct report_cases *cases, FILE *out)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	buf_printf(&b, "TAP version 13\n1..%zu\n", cases->count);
	for (size_t i = 0; i < cases->count; i++)
		add_case_tap(&b, cases, i);
	fwrite(b.data, 1, b.len, out);
}

/*
 * Collecting cases, and the file. How they are written
 * stands above.
 */

struct report {
	enum report_form form;
	FILE *file; /* NULL for stdout */
	char *path;
	struct report_cases cases;
};

static int bad_spec(const char *spec, struct error *err)
{
	error_set(err, ERR_USAGE,
		  "--report: '%s' is neither junit:FILE nor tap:FILE", spec);
	return error_hint(err, "for example --report junit:report.xml");
}

static int parse(struct report *r, const char *spec, struct error *err)
{
	const char *colon = strchr(spec, ':');
	if (text_starts(spec, "junit:"))
		r->form = REPORT_JUNIT;
	else if (text_starts(spec, "tap:"))
		r->form = REPORT_TAP;
	else
		return bad_spec(spec, err);
	if (!colon[1])
		return bad_spec(spec, err);
	r->path = mem_strdup(colon + 1);
	return 0;
}

void report_drop(struct report *r)
{
	if (r->file)
		fclose(r->file);
	for (size_t i = 0; i < r->cases.count; i++) {
		struct kept_case *c = &r->cases.item[i];
		mem_free(c->source);
		mem_free(c->name);
		mem_free(c->skipped);
		error_reset(&c->failure);
	}
	mem_free(r->cases.item);
	for (size_t i = 0; i < r->cases.suites; i++)
		mem_free(r->cases.suite[i]);
	mem_free(r->cases.suite);
	mem_free(r->path);
	mem_free(r);
}

static size_t take_suite(struct report_cases *all, const char *name)
{
	/* What is asked for in turns is found at once. */
	size_t last = all->count ? all->item[all->count - 1].suite : 0;
	for (size_t i = 0; i < all->suites; i++) {
		size_t at = (last + 1 + i) % all->suites;
		if (at > 0 && strcmp(all->suite[at], name) == 0)
			return at;
	}
	all->suite = mem_grow(all->suite, &all->suite_capacity, all->suites,
			      sizeof(*all->suite));
	all->suite[all->suites] = mem_strdup(name);
	return all->suites++;
}

int report_open(struct report **out, const char *spec, const char *suite,
		struct error *err)
{
	struct report *r = mem_zalloc(sizeof(*r));
	take_suite(&r->cases, suite);
	if (parse(r, spec, err)) {
		report_drop(r);
		return -1;
	}
	if (strcmp(r->path, "-") != 0) {
		r->file = file_take_stream("report", r->path, err);
		if (!r->file) {
			report_drop(r);
			return -1;
		}
	}
	*out = r;
	return 0;
}

bool report_is_on_stdout(const struct report *r)
{
	return r && !r->file;
}

/* Which one of its name the newest is. From the newest down: what repeats
   often is found soon. */
static size_t count_same(const struct report_cases *all)
{
	const struct kept_case *newest = &all->item[all->count - 1];
	for (size_t i = all->count - 1; i-- > 0;) {
		const struct kept_case *c = &all->item[i];
		if (c->suite == newest->suite &&
		    strcmp(c->name, newest->name) == 0 &&
		    strcmp(c->source, newest->source) == 0)
			return c->nth + 1;
	}
	return 1;
}

void report_add(struct report *r, const struct report_case *c)
{
	struct report_cases *all = &r->cases;
	size_t suite = c->suite ? take_suite(all, c->suite) : 0;
	all->item = mem_grow(all->item, &all->capacity, all->count,
			     sizeof(*all->item));
	struct kept_case *kept = &all->item[all->count++];
	*kept = (struct kept_case){ .suite = suite,
				    .source = mask_text(c->source),
				    .line = c->line,
				    .name = mask_text(c->name),
				    .took_us = c->took_us,
				    .skipped = mask_text(c->skipped) };
	kept->nth = count_same(all);
	if (c->failure)
		mask_error(&kept->failure, c->failure);
}

void report_write(const struct report *r, FILE *out)
{
	if (r->form == REPORT_JUNIT)
		report_write_junit(&r->cases, out);
	else
		report_write_tap(&r->cases, out);
}

int report_close(struct report *r, struct error *err)
{
	if (!r)
		return 0;
	report_write(r, r->file ? r->file : stdout);
	/* What is lost on stdout is told at the end, once. */
	bool lost = r->file && ferror(r->file) != 0;
	if (r->file && fclose(r->file) != 0)
		lost = true;
	r->file = NULL;
	if (lost)
		error_set(err, ERR_OUTPUT,
			  "the report '%s' could not be written", r->path);
	report_drop(r);
	return lost ? -1 : 0;
}
