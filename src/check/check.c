/* SPDX-License-Identifier: MIT */
#include "check/check.h"

#include <stdarg.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/judged.h"

const char *risk_name(enum check_risk risk)
{
	static const char *const names[] = { "look", "ask", "read", "odd",
					     "args" };

	return names[risk];
}

void check_begin(struct checkup *k, const struct invocation *in,
		 const struct check_options *options, struct diag *diag)
{
	*k = (struct checkup){
		.in = in,
		.options = options,
		.diag = diag,
		.subject = "",
		.first_severity = -1,
		.begun_us = loop_now_us(),
	};
	k->stage_us = k->begun_us;
}

void check_done(struct checkup *k)
{
	for (size_t i = 0; i < k->stages; i++) {
		mem_free(k->stage[i].name);
		mem_free(k->stage[i].words);
	}
	for (size_t i = 0; i < k->case_count; i++) {
		mem_free(k->cases[i].name);
		mem_free(k->cases[i].text);
	}
	mem_free(k->stage);
	mem_free(k->cases);
	mem_free(k->peer);
	mem_free(k->died);
}

static bool has(const struct words *codes, const char *code)
{
	for (size_t i = 0; i < codes->count; i++) {
		if (text_glob(codes->word[i], code))
			return true;
	}
	return false;
}

bool check_wants(const struct checkup *k, const char *code)
{
	const struct check_options *o = k->options;

	if (strchr(k->subject, *code))
		return false;
	return (!o->only.count || has(&o->only, code)) && !has(&o->skip, code);
}

static void count(struct checkup *k, const struct finding_row *row)
{
	k->count[row->severity]++;
	if ((int)row->severity <= k->first_severity)
		return;
	k->first_severity = (int)row->severity;
	k->first = row->code;
}

/* ---- cases ---- */

static struct check_case *add_case(struct checkup *k, const char *name,
				   const char *text)
{
	struct check_case *c;

	k->cases = mem_grow(k->cases, &k->case_capacity, k->case_count,
			    sizeof(*k->cases));
	c = &k->cases[k->case_count++];
	*c = (struct check_case){ .stage = k->stages,
				  .name = mem_strdup(name),
				  .text = mem_strdup(text),
				  .finding = -1 };
	return c;
}

enum stage_verdict check_verdict(const struct error *why)
{
	return why->kind == ERR_NONE	    ? STAGE_OK :
	       why->kind == ERR_INTERRUPTED ? STAGE_SKIPPED :
					      STAGE_FAIL;
}

void check_case(struct checkup *k, const char *name, enum stage_verdict verdict,
		int64_t took_us, const char *text)
{
	struct check_case *c = add_case(k, name, text);

	c->verdict = verdict;
	c->took_us = took_us;
}

static void add_finding(struct checkup *k, size_t index,
			const struct finding_row *row)
{
	CLEANUP(mem_free_ptr)
	char *name = mem_printf("%s %s", row->code, row->title);
	struct check_case *c = add_case(k, name, k->diag->item[index].detail);

	c->finding = (int)index;
	c->verdict = (int)row->severity >= k->options->fail_on ? STAGE_FAIL :
								 STAGE_ODD;
}

static void tell_findings(struct checkup *k)
{
	struct renderer *r = &k->in->app->out;

	/* What a transport found comes as an event. */
	if (k->in->connection->session)
		session_drain(k->in->connection->session);
	for (; k->told < k->diag->count; k->told++) {
		const struct finding *f = &k->diag->item[k->told];
		const struct finding_row *row = finding_row(f->code);
		const struct finding_record record = { .finding = f,
						       .whole = true };

		if (!check_wants(k, row->code))
			continue;
		count(k, row);
		add_finding(k, k->told, row);
		findings_write(k->in->app, f, NULL);
		render_finding(r, &record);
	}
}

/* ---- stages ---- */

void check_progress(struct checkup *k, const char *what)
{
	connection_asks(k->in->connection, what);
}

static bool has_cases(const struct checkup *k)
{
	return k->case_count > 0 &&
	       k->cases[k->case_count - 1].stage == k->stages;
}

static void show(struct checkup *k, const char *name,
		 enum stage_verdict verdict, const char *words)
{
	struct renderer *r = &k->in->app->out;
	const struct stage_record record = { .name = name,
					     .verdict = verdict,
					     .words = words };

	check_progress(k, NULL);
	if (r->ops->stage)
		r->ops->stage(r, &record);
}

static void keep_stage(struct checkup *k, const char *name,
		       enum stage_verdict verdict, const char *words)
{
	const int64_t now = loop_now_us();

	k->stage = mem_grow(k->stage, &k->stage_capacity, k->stages,
			    sizeof(*k->stage));
	k->stage[k->stages++] = (struct check_stage){
		.name = mem_strdup(name),
		.words = mem_strdup(words),
		.verdict = verdict,
		.took_us = now - k->stage_us,
	};
	k->stage_us = now;
}

void check_stage(struct checkup *k, const char *name,
		 enum stage_verdict verdict, const char *format, ...)
{
	CLEANUP(mem_free_ptr) char *words = NULL;
	va_list args;

	va_start(args, format);
	words = mem_vprintf(format, args);
	va_end(args);
	show(k, name, verdict, words);
	if (!has_cases(k))
		check_case(k, name, verdict, loop_now_us() - k->stage_us,
			   verdict == STAGE_OK ? "" : words);
	tell_findings(k);
	keep_stage(k, name, verdict, words);
}

static bool was_made(const struct checkup *k, const char *name)
{
	for (size_t i = k->plan_from; i < k->stages; i++) {
		if (strcmp(k->stage[i].name, name) == 0)
			return true;
	}
	return false;
}

void check_stopped(struct checkup *k)
{
	CLEANUP(buf_done) struct buf names = { 0 };

	for (size_t i = 0; k->plan && k->plan[i]; i++) {
		if (was_made(k, k->plan[i]))
			continue;
		buf_printf(&names, "%s%s", names.len ? ", " : "", k->plan[i]);
		check_case(k, k->plan[i], STAGE_SKIPPED, 0, "not reached");
	}
	if (!names.len)
		return;
	buf_text(&names, ": not reached");
	if (k->died)
		buf_printf(&names, ", %s", k->died);
	show(k, "stopped", STAGE_STOPPED, buf_string(&names));
	keep_stage(k, "stopped", STAGE_STOPPED, buf_string(&names));
}

bool check_dares(struct checkup *k, enum check_risk risk, unsigned n)
{
	if ((int)risk <= k->options->risk) {
		k->asked += n;
		return true;
	}
	k->left[risk] += n;
	return false;
}

/* ---- the end ---- */

static int judge(const struct checkup *k, struct error *err)
{
	if (k->first_severity < k->options->fail_on && !k->failed)
		return 0;
	if (k->first_severity < k->options->fail_on)
		return error_set(err, ERR_UNMET, "%s failed",
				 k->failed == 1 ? "a list or call" :
						  "lists or calls");
	return error_set(err, ERR_UNMET, "the check found %s",
			 k->first_severity == SEVERITY_ERROR   ? "errors" :
			 k->first_severity == SEVERITY_WARNING ? "warnings" :
								 "notes");
}

static void tell_end(struct checkup *k, bool stopped)
{
	struct renderer *r = &k->in->app->out;
	struct check_record record = {
		.asked = k->asked,
		.left_read = k->left[RISK_READ],
		.left_odd = k->left[RISK_ODD],
		.left_args = k->left[RISK_ARGS],
		.stopped = stopped,
	};

	k->ended = true;
	check_progress(k, NULL);
	tell_findings(k);
	record.errors = k->count[SEVERITY_ERROR];
	record.warnings = k->count[SEVERITY_WARNING];
	record.notes = k->count[SEVERITY_NOTE];
	record.first = k->first;
	record.took_us = loop_now_us() - k->begun_us;
	if (r->ops->check)
		r->ops->check(r, &record);
}

int check_end(struct checkup *k, struct error *err)
{
	tell_end(k, false);
	return judge(k, err);
}

void check_end_early(struct checkup *k)
{
	if (!k->ended && k->stages > 0)
		tell_end(k, true);
}

/* ---- what went wrong at a question ---- */

int check_died(struct checkup *k, const char *question, const struct error *why,
	       struct error *err)
{
	const bool over = session_is_over(k->in->connection->session);

	mem_free(k->died);
	k->died = mem_printf(over ? "the connection ended at '%s'" :
				    "nothing is answered since '%s'",
			     question);
	diag_found(k->diag, over ? D134 : D145, (struct span){ 0 },
		   over ? "the connection ended at '%s'" :
			  "'%s', and nothing since",
		   question);
	return error_set(err, over ? ERR_CONNECT : ERR_TIMEOUT, "%s: %s",
			 k->died, why->text);
}

/* What may be the answer came, and was found to be none: that is the error then. */
static bool is_explained(const struct checkup *k)
{
	static const enum diag_code why[] = { D116, D124, D125 };

	for (size_t i = 0; i < COUNT(why); i++) {
		if (diag_count(k->diag, why[i]))
			return true;
	}
	return false;
}

void check_silent(struct checkup *k, const char *question,
		  const struct error *why)
{
	const int64_t ms = k->in->app->config.timeout;
	const int code = finding_by_name(why->finding);
	char time[TEXT_ROOM];

	if (is_explained(k) || why->kind == ERR_INTERRUPTED)
		return;
	if (why->kind != ERR_NONE && why->kind != ERR_TIMEOUT) {
		diag_found(k->diag, code < 0 ? D145 : (enum diag_code)code,
			   (struct span){ 0 }, "%.60s: %s", question,
			   why->text);
		return;
	}
	text_milliseconds(ms ? ms : 10000, time, sizeof(time));
	diag_found(k->diag, D145, (struct span){ 0 }, "%.70s, within %s",
		   question, time);
}
