/* SPDX-License-Identifier: MIT */
#include "check/reports.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mask.h"
#include "base/mem.h"
#include "base/text.h"
#include "out/report.h"

enum kind { KIND_CASES, KIND_SARIF, KIND_JSON, KIND_MARKDOWN };

struct check_report {
	enum kind kind;
	struct report *cases; /* tap, junit: out/report.h writes it */
	FILE *file; /* the others; NULL: stdout */
	const char *path; /* lent */
};

/* ---- opening ---- */

static int bad_spec(const char *spec, struct error *err)
{
	error_set(
		err, ERR_USAGE,
		"--report: '%s' is none of tap:FILE, junit:FILE, sarif:FILE, json:FILE, md:FILE",
		spec);
	return error_hint(err, "for example --report junit:report.xml");
}

static int open_file(struct check_report *r, struct error *err)
{
	int fd;

	if (strcmp(r->path, "-") == 0)
		return 0;
	fd = file_create("report", r->path, false, err);
	r->file = fd < 0 ? NULL : fdopen(fd, "w");
	return r->file ? 0 : -1;
}

static int open_one(struct check_report *r, const char *spec, struct error *err)
{
	static const char *const names[] = {
		[KIND_SARIF] = "sarif:",
		[KIND_JSON] = "json:",
		[KIND_MARKDOWN] = "md:",
	};
	const char *colon = strchr(spec, ':');

	if (!colon || !colon[1])
		return bad_spec(spec, err);
	r->path = colon + 1;
	if (text_starts(spec, "tap:") || text_starts(spec, "junit:")) {
		r->kind = KIND_CASES;
		return report_open(&r->cases, spec, "mcpctl check", err);
	}
	for (int i = KIND_SARIF; i <= KIND_MARKDOWN; i++) {
		if (!text_starts(spec, names[i]))
			continue;
		r->kind = (enum kind)i;
		return open_file(r, err);
	}
	return bad_spec(spec, err);
}

int reports_open(struct check_reports *r, const struct words *specs,
		 struct error *err)
{
	r->item = mem_zalloc((specs->count + 1) * sizeof(*r->item));
	for (size_t i = 0; i < specs->count; i++) {
		struct check_report *one = &r->item[i];

		if (open_one(one, specs->word[i], err))
			return -1;
		r->count++;
		if (strcmp(one->path, "-") != 0)
			continue;
		if (r->on_stdout)
			return error_set(err, ERR_USAGE,
					 "--report: only one can go to stdout");
		r->on_stdout = true;
	}
	return 0;
}

void reports_drop(struct check_reports *r)
{
	for (size_t i = 0; i < r->count; i++) {
		if (r->item[i].cases)
			report_drop(r->item[i].cases);
		if (r->item[i].file)
			fclose(r->item[i].file);
	}
	mem_free(r->item);
	*r = (struct check_reports){ 0 };
}

/* ---- cases ---- */

static void add_case(struct report *r, const struct checkup *k,
		     const struct check_case *c)
{
	CLEANUP(error_reset) struct error failure = { 0 };
	CLEANUP(mem_free_ptr) char *skipped = NULL;
	struct report_case out = { .source = report_subject(k),
				   .name = c->name,
				   .took_us = c->took_us };

	out.suite = c->stage < k->stages ? k->stage[c->stage].name : "stopped";
	if (c->verdict == STAGE_FAIL) {
		error_set(&failure, ERR_UNMET, "%s",
			  *c->text ? c->text : c->name);
		out.failure = &failure;
	} else if (c->verdict == STAGE_SKIPPED) {
		out.skipped = c->text;
	} else if (c->finding >= 0) {
		skipped = mem_printf("found, below --fail-on: %s", c->text);
		out.skipped = skipped;
	}
	report_add(r, &out);
}

static int write_cases(struct check_report *r, const struct checkup *k,
		       struct error *err)
{
	for (size_t i = 0; i < k->case_count; i++)
		add_case(r->cases, k, &k->cases[i]);
	return report_close(TAKE(r->cases), err);
}

/* ---- the others ---- */

static int write_text(struct check_report *r, const struct buf *text,
		      struct error *err)
{
	FILE *out = r->file ? r->file : stdout;
	bool lost;

	fwrite(buf_string(text), 1, text->len, out);
	/* What is lost on stdout is told at the end, once. */
	lost = r->file && ferror(r->file) != 0;
	if (r->file && fclose(r->file) != 0)
		lost = true;
	r->file = NULL;
	return lost ? error_set(err, ERR_OUTPUT,
				"the report '%s' could not be written",
				r->path) :
		      0;
}

static int write_one(struct check_report *r, const struct checkup *k,
		     const struct error *why, struct error *err)
{
	CLEANUP(buf_done) struct buf text = { 0 }, masked = { 0 };

	if (r->kind == KIND_CASES)
		return write_cases(r, k, err);
	if (r->kind == KIND_SARIF)
		report_sarif(&text, k);
	else if (r->kind == KIND_JSON)
		report_json(&text, k, why);
	else
		report_markdown(&text, k, why);
	mask_secrets(&masked, buf_string(&text), text.len);
	return write_text(r, &masked, err);
}

int reports_write(struct check_reports *r, const struct checkup *k,
		  const struct error *why, struct error *err)
{
	int status = 0;

	for (size_t i = 0; i < r->count; i++) {
		CLEANUP(error_reset) struct error one = { 0 };

		if (write_one(&r->item[i], k, why, &one) == 0)
			continue;
		error_copy(err, &one);
		status = -1;
	}
	reports_drop(r);
	return status;
}
