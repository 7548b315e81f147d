/* SPDX-License-Identifier: MIT */
#include "check/check.h"

#include <stdarg.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/judged.h"
#include "out/wrap.h"

void check_begin(struct check *k, const struct invocation *in,
		 struct diag *diag)
{
	*k = (struct check){
		.in = in,
		.options = in->options,
		.diag = diag,
		.subject = "",
		.first_severity = -1,
		.begun_us = loop_now_us(),
	};
}

static bool has(const struct words *codes, const char *code)
{
	for (size_t i = 0; i < codes->count; i++) {
		if (text_glob(codes->word[i], code))
			return true;
	}
	return false;
}

static bool is_wanted(const struct check *k, const char *code)
{
	const struct check_options *o = k->options;

	if (strchr(k->subject, *code))
		return false;
	return (!o->only.count || has(&o->only, code)) && !has(&o->skip, code);
}

static void count(struct check *k, const struct finding_row *row)
{
	k->count[row->severity]++;
	if ((int)row->severity <= k->first_severity)
		return;
	k->first_severity = (int)row->severity;
	k->first = row->code;
}

static void tell_findings(struct check *k)
{
	struct renderer *r = &k->in->app->out;

	for (; k->told < k->diag->count; k->told++) {
		const struct finding *f = &k->diag->item[k->told];
		const struct finding_row *row = finding_row(f->code);
		const struct finding_record record = { .finding = f,
						       .whole = true };

		if (!is_wanted(k, row->code))
			continue;
		count(k, row);
		findings_write(k->in->app, f, NULL);
		render_finding(r, &record);
	}
}

void check_stage(struct check *k, const char *name, enum stage_verdict verdict,
		 const char *format, ...)
{
	struct renderer *r = &k->in->app->out;
	struct stage_record record = { .name = name, .verdict = verdict };
	CLEANUP(mem_free_ptr) char *words = NULL;
	va_list args;

	va_start(args, format);
	words = mem_vprintf(format, args);
	va_end(args);
	record.words = words;
	if (r->ops->stage)
		r->ops->stage(r, &record);
	tell_findings(k);
}

bool check_dares(struct check *k, enum check_risk risk, unsigned n)
{
	if ((int)risk <= k->options->risk) {
		k->asked += n;
		return true;
	}
	k->left[risk] += n;
	return false;
}

int check_end(struct check *k, struct error *err)
{
	struct renderer *r = &k->in->app->out;
	const struct check_record record = {
		.errors = k->count[SEVERITY_ERROR],
		.warnings = k->count[SEVERITY_WARNING],
		.notes = k->count[SEVERITY_NOTE],
		.took_us = loop_now_us() - k->begun_us,
		.asked = k->asked,
		.left_read = k->left[RISK_READ],
		.left_odd = k->left[RISK_ODD],
		.left_args = k->left[RISK_ARGS],
		.first = k->first,
	};

	tell_findings(k);
	if (r->ops->check)
		r->ops->check(r, &record);
	if (k->first_severity < k->options->fail_on)
		return 0;
	return error_set(err, ERR_UNMET, "the check found %s",
			 k->first_severity == SEVERITY_ERROR   ? "errors" :
			 k->first_severity == SEVERITY_WARNING ? "warnings" :
								 "notes");
}
