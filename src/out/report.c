/* SPDX-License-Identifier: MIT */
/*
 * Collecting cases, and the file. How they are written is in report_junit.c
 * and report_tap.c.
 */
#include "out/report.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "out/mask.h"
#include "out/report_form.h"

struct report {
	enum report_form form;
	FILE *file; /* NULL for stdout */
	char *path;
	struct report_cases cases;
};

static int bad_spec(const char *spec, struct error *err)
{
	error_set(err, ERR_USAGE,
		  "--report: '%s' is neither junit:FILE nor "
		  "tap:FILE",
		  spec);
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

static void report_free(struct report *r)
{
	for (size_t i = 0; i < r->cases.count; i++) {
		struct kept_case *c = &r->cases.item[i];
		mem_free(c->source);
		mem_free(c->name);
		mem_free(c->skipped);
		error_reset(&c->failure);
	}
	mem_free(r->cases.item);
	mem_free(r->cases.suite);
	mem_free(r->path);
	mem_free(r);
}

int report_open(struct report **out, const char *spec, const char *suite,
		struct error *err)
{
	struct report *r = mem_zalloc(sizeof(*r));
	r->cases.suite = mem_strdup(suite);
	if (parse(r, spec, err) != 0) {
		report_free(r);
		return -1;
	}
	if (strcmp(r->path, "-") != 0) {
		int fd = file_create("report", r->path, false, err);
		r->file = fd < 0 ? NULL : fdopen(fd, "w");
		if (!r->file) {
			report_free(r);
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

void report_add(struct report *r, const struct report_case *c)
{
	struct report_cases *all = &r->cases;
	all->item = mem_grow(all->item, &all->capacity, all->count,
			     sizeof(*all->item));
	struct kept_case *kept = &all->item[all->count++];
	*kept = (struct kept_case){ .source = mem_strdup(c->source),
				    .line = c->line,
				    .name = mask_text(c->name),
				    .took_us = c->took_us,
				    .skipped = mem_strdup(c->skipped) };
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
	if (lost)
		error_set(err, ERR_OUTPUT,
			  "the report '%s' could not be "
			  "written",
			  r->path);
	report_free(r);
	return lost ? -1 : 0;
}
