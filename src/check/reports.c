/* SPDX-License-Identifier: MIT */
#include "check/reports.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mask.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "net/endpoint.h"
#include "out/render_json.h"
#include "out/report.h"
#include "out/wrap.h"

/* A check as SARIF 2.1.0, as one JSON object, and as Markdown for an issue. */

/* Whom: what it was connected to, else what was asked after, the target. */
static const char *subject_of(const struct checkup *k)
{
	const struct config *config = &k->in->app->config;

	if (k->peer)
		return k->peer;
	if (k->in->argc > 1)
		return k->in->argv[1];
	if (k->in->argc == 1 && text_same(k->in->argv[0], "here"))
		return "this machine";
	return config->target ? config->target : "the device of serve";
}

/* It may be an address that was refused since it has a password. Yours. */
static char *report_subject(const struct checkup *k)
{
	return endpoint_without_password(subject_of(k));
}

static void add_string(struct buf *out, const char *name, const char *text)
{
	buf_printf(out, "\"%s\":", name);
	buf_json_string(out, text, strlen(text));
}

/* Those that were told, in their order. */
static const struct finding *finding_of(const struct checkup *k,
					const struct check_case *c)
{
	return c->finding >= 0 ? &k->diag->item[c->finding] : NULL;
}

/* ---- SARIF ---- */

static void add_rule(struct buf *out, enum diag_code code)
{
	CLEANUP(explanation_done) struct explanation e;
	const struct finding_row *row = finding_row(code);

	explanation_read(&e, code, EXPLAIN_ENGLISH);
	buf_text(out, "{");
	add_string(out, "id", row->code);
	buf_text(out, ",\"shortDescription\":{");
	add_string(out, "text", row->title);
	buf_text(out, "},\"fullDescription\":{");
	add_string(out, "text",
		   e.part[EXPLAIN_WHY] ? e.part[EXPLAIN_WHY] : row->title);
	buf_text(out, "},\"defaultConfiguration\":{");
	add_string(out, "level", severity_name(row->severity));
	buf_text(out, "}}");
}

/* What may stand in a URI, and is no scheme that others follow. */
static void add_uri(struct buf *out, const char *text)
{
	buf_text(out, "\"uri\":\"");
	text_percent_encode(out, text, "-._~:/?=&,+@");
	buf_char(out, '"');
}

static void add_result(struct buf *out, const struct checkup *k,
		       const struct check_case *c, const struct finding *f)
{
	CLEANUP(buf_done) struct buf title = { 0 };
	CLEANUP(mem_free_ptr) char *subject = report_subject(k);
	const struct finding_row *row = finding_row(f->code);
	const char *target = k->in->app->config.target;

	finding_title(&title, f, NULL);
	buf_text(out, "{");
	add_string(out, "ruleId", row->code);
	buf_printf(out, ",\"ruleIndex\":%d,", (int)f->code);
	add_string(out, "level", severity_name(row->severity));
	buf_text(out, ",\"message\":{");
	add_string(out, "text", buf_string(&title));
	buf_text(
		out,
		"},\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{");
	add_uri(out, target ? target : "mcpctl:serve");
	buf_text(out, "}},\"logicalLocations\":[{");
	add_string(out, "name",
		   c->stage < k->stages ? k->stage[c->stage].name : "end");
	buf_char(out, ',');
	add_string(out, "fullyQualifiedName", subject);
	buf_text(out, ",\"kind\":\"function\"}]}]");
	buf_printf(out, ",\"occurrenceCount\":%" PRIu64, f->count);
	buf_text(out, ",\"partialFingerprints\":{");
	add_string(out, "code/v1", row->code);
	buf_text(out, "}}");
}

/* SARIF 2.1.0 3.20: without results it looks good, also where none could be. */
static void add_run(struct buf *out, const struct error *why)
{
	const bool made = !why || why->kind == ERR_UNMET;

	buf_printf(out, "\"invocations\":[{\"executionSuccessful\":%s",
		   made ? "true" : "false");
	if (!made) {
		buf_text(
			out,
			",\"toolExecutionNotifications\":[{\"level\":\"error\",\"message\":{");
		add_string(out, "text", why->text);
		buf_text(out, "}}]");
	}
	buf_text(out, "}]");
}

/* Each appends a whole report; secrets are masked by the caller. */
static void report_sarif(struct buf *out, const struct checkup *k,
			 const struct error *why)
{
	bool any = false;

	buf_text(
		out,
		"{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"mcpctl\",");
	add_string(out, "version", MCPCTL_VERSION);
	buf_text(out, ",\"rules\":[");
	for (int i = 0; i < DIAG_CODE_COUNT; i++) {
		if (i > 0)
			buf_char(out, ',');
		add_rule(out, (enum diag_code)i);
	}
	buf_text(out, "]}},\"results\":[");
	for (size_t i = 0; i < k->case_count; i++) {
		const struct finding *f = finding_of(k, &k->cases[i]);

		if (!f)
			continue;
		if (any)
			buf_char(out, ',');
		add_result(out, k, &k->cases[i], f);
		any = true;
	}
	buf_text(out, "],");
	add_run(out, why);
	buf_text(out, "}]}\n");
}

/* ---- JSON ---- */

/* What both a stage and a case have, from its '{' on. */
static void add_judged(struct buf *out, const char *name,
		       enum stage_verdict verdict, const char *text,
		       int64_t took_us)
{
	buf_char(out, '{');
	add_string(out, "name", name);
	buf_char(out, ',');
	add_string(out, "verdict", stage_verdict_word(verdict));
	buf_char(out, ',');
	add_string(out, "text", text);
	buf_printf(out, ",\"took_us\":%" PRId64, took_us);
}

static void add_case(struct buf *out, const struct checkup *k,
		     const struct check_case *c)
{
	const struct finding *f = finding_of(k, c);

	add_judged(out, c->name, c->verdict, c->text, c->took_us);
	if (f) {
		buf_text(out, ",\"finding\":");
		finding_json(out, f, NULL);
	}
	buf_char(out, '}');
}

static void add_cases(struct buf *out, const struct checkup *k, size_t stage)
{
	bool any = false;

	buf_text(out, ",\"cases\":[");
	for (size_t i = 0; i < k->case_count; i++) {
		if (k->cases[i].stage != stage)
			continue;
		if (any)
			buf_char(out, ',');
		add_case(out, k, &k->cases[i]);
		any = true;
	}
	buf_text(out, "]}");
}

static void add_stage(struct buf *out, const struct checkup *k, size_t i)
{
	const struct check_stage *s = &k->stage[i];

	if (i > 0)
		buf_char(out, ',');
	add_judged(out, s->name, s->verdict, s->words, s->took_us);
	add_cases(out, k, i);
}

static void report_json(struct buf *out, const struct checkup *k,
			const struct error *why)
{
	CLEANUP(mem_free_ptr) char *subject = report_subject(k);

	buf_text(out, "{\"check\":{");
	add_string(out, "subject", subject);
	buf_char(out, ',');
	add_string(out, "risk", risk_name((enum check_risk)k->options->risk));
	buf_printf(
		out,
		",\"errors\":%zu,\"warnings\":%zu,\"notes\":%zu,\"asked\":%u",
		k->count[SEVERITY_ERROR], k->count[SEVERITY_WARNING],
		k->count[SEVERITY_NOTE], k->asked);
	buf_text(out, ",\"error\":");
	if (why && why->kind != ERR_UNMET)
		buf_json_string(out, why->text, strlen(why->text));
	else
		buf_text(out, "null");
	buf_text(out, ",\"stages\":[");
	for (size_t i = 0; i < k->stages; i++)
		add_stage(out, k, i);
	buf_text(out, "]}}\n");
}

/* ---- Markdown ---- */

struct sheet {
	struct buf *out;
	unsigned lines, left; /* that were not written */
};

/* One line, safe; a bar would end a cell, a backtick what is quoted. */
static void add_line(struct sheet *s, const char *text, size_t len)
{
	CLEANUP(buf_done) struct buf safe = { 0 };

	/* Two are kept, to say so. */
	if (s->lines >= MARKDOWN_LINES - 2) {
		s->left++;
		return;
	}
	text_safe(&safe, text, len, TEXT_LINE);
	buf_printf(s->out, "%s\n", buf_string(&safe));
	s->lines++;
}

static void add_cell(struct buf *out, const char *text)
{
	for (const char *p = text; *p; p++) {
		if (*p == '|' || *p == '<' || *p == '`')
			buf_char(out, '\\');
		buf_char(out, *p);
	}
}

static void line(struct sheet *s, const struct buf *b)
{
	add_line(s, buf_string(b), b->len);
}

static void markdown_stage(struct sheet *s, const struct check_stage *stage)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	buf_printf(&b, "| %s | %s | ", stage->name,
		   stage_verdict_name(stage->verdict));
	add_cell(&b, stage->words);
	buf_text(&b, " |");
	line(s, &b);
}

static void markdown_proof(struct sheet *s, const struct proof *p)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	if (!p->text_len)
		return;
	if (p->n > 0)
		buf_printf(&b,
			   "  - frame %" PRIu64 ", %zu B, from the %s: ", p->n,
			   p->size, p->from_device ? "device" : "backend");
	else /* a part of one, such as a tool */
		buf_text(&b, "  - ");
	buf_text(&b, "``");
	buf_char(&b, ' ');
	for (size_t i = 0; i < p->text_len; i++)
		buf_add(&b, p->text[i] == '`' ? "'" : &p->text[i], 1);
	buf_text(&b, " ``");
	line(s, &b);
}

static void markdown_finding(struct sheet *s, const struct finding *f)
{
	CLEANUP(explanation_done) struct explanation e;
	CLEANUP(buf_done) struct buf b = { 0 }, title = { 0 };
	const struct finding_row *row = finding_row(f->code);

	explanation_read(&e, f->code, EXPLAIN_ENGLISH);
	finding_title(&title, f, NULL);
	buf_printf(&b, "- **%s** %s: ", row->code,
		   severity_name(row->severity));
	add_cell(&b, buf_string(&title));
	line(s, &b);
	markdown_proof(s, &f->proof);
	if (!e.part[EXPLAIN_HITS])
		return;
	buf_reset(&b);
	buf_printf(&b, "  - hits: %s", e.part[EXPLAIN_HITS]);
	line(s, &b);
}

static void markdown_head(struct sheet *s, const struct checkup *k,
			  const struct error *why)
{
	CLEANUP(mem_free_ptr) char *subject = report_subject(k);
	CLEANUP(buf_done) struct buf b = { 0 };

	buf_printf(&b, "### mcpctl %s: ", k->in->command->name);
	add_cell(&b, subject);
	line(s, &b);
	add_line(s, "", 0);
	buf_reset(&b);
	wrap_count(&b, k->count[SEVERITY_ERROR], "error");
	buf_text(&b, ", ");
	wrap_count(&b, k->count[SEVERITY_WARNING], "warning");
	buf_text(&b, ", ");
	wrap_count(&b, k->count[SEVERITY_NOTE], "note");
	/* A replay asks nothing of its own. */
	if (text_same(k->in->command->name, "check"))
		buf_printf(&b, "; --risk %s, %u asked",
			   risk_name((enum check_risk)k->options->risk),
			   k->asked);
	buf_text(&b, "; mcpctl " MCPCTL_VERSION);
	line(s, &b);
	add_line(s, "", 0);
	if (!why || why->kind == ERR_UNMET)
		return;
	buf_reset(&b);
	buf_text(&b, "It could not be made to its end: ");
	add_cell(&b, why->text);
	line(s, &b);
	add_line(s, "", 0);
}

static void report_markdown(struct buf *out, const struct checkup *k,
			    const struct error *why)
{
	struct sheet s = { .out = out };

	markdown_head(&s, k, why);
	add_line(&s, "| stage | | |", 13);
	add_line(&s, "|---|---|---|", 13);
	for (size_t i = 0; i < k->stages; i++)
		markdown_stage(&s, &k->stage[i]);
	add_line(&s, "", 0);
	for (size_t i = 0; i < k->case_count; i++) {
		const struct finding *f = finding_of(k, &k->cases[i]);

		if (f)
			markdown_finding(&s, f);
	}
	if (s.left > 0)
		buf_printf(out,
			   "\n… %u more line%s: --report json:FILE has all\n",
			   s.left, s.left == 1 ? "" : "s");
}

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
	if (strcmp(r->path, "-") == 0)
		return 0;
	r->file = file_take_stream("report", r->path, err);
	return r->file ? 0 : -1;
}

static int open_one(struct check_report *r, const char *spec, const char *name,
		    struct error *err)
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
		return report_open(&r->cases, spec, name, err);
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
		 const struct invocation *of, struct error *err)
{
	CLEANUP(mem_free_ptr)
	char *name = mem_printf("mcpctl %s", of->command->name);

	r->item = mem_zalloc((specs->count + 1) * sizeof(*r->item));
	for (size_t i = 0; i < specs->count; i++) {
		struct check_report *one = &r->item[i];

		if (open_one(one, specs->word[i], name, err))
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

static void report_case(struct report *r, const struct checkup *k,
			const struct check_case *c)
{
	CLEANUP(error_reset) struct error failure = { 0 };
	CLEANUP(mem_free_ptr) char *skipped = NULL;
	CLEANUP(mem_free_ptr) char *subject = report_subject(k);
	struct report_case out = { .source = subject,
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

/* What ended it is a case where no other one failed: else it would be green. */
static int write_cases(struct check_report *r, const struct checkup *k,
		       const struct error *why, struct error *err)
{
	CLEANUP(mem_free_ptr) char *subject = report_subject(k);
	const struct report_case stop = { .suite = "stopped",
					  .source = subject,
					  .name = k->in->command->name,
					  .failure = why };
	bool failed = false;

	for (size_t i = 0; i < k->case_count; i++) {
		report_case(r->cases, k, &k->cases[i]);
		failed |= k->cases[i].verdict == STAGE_FAIL;
	}
	if (why && !failed)
		report_add(r->cases, &stop);
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
		return write_cases(r, k, why, err);
	if (r->kind == KIND_SARIF)
		report_sarif(&text, k, why);
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
