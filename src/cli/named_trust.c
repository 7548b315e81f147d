/* SPDX-License-Identifier: MIT */
/*
 * What is said of a file that is not trusted. Asks nobody.
 */
#include "cli/named_trust.h"

#include <string.h>

#include "base/mem.h"
#include "base/split.h"
#include "base/text.h"
#include "cli/named_describe.h"

enum { SHOWN_LINES = 200, SHOWN_BYTES = 16384 };

bool named_trusted(const struct named_file *f)
{
	return f->own || f->trust == TRUST_SAME;
}

/* "mcpctl trust FILE", as it is typed. */
static void add_command(struct buf *out, const struct named_file *f)
{
	buf_text(out, "mcpctl trust ");
	words_quote(out, f->path);
}

char *named_trust_problem(const struct named_file *f)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	if (named_trusted(f))
		return NULL;
	buf_text(&out, f->trust == TRUST_CHANGED ?
			       "changed since it was trusted: " :
			       "not trusted: ");
	add_command(&out, f);
	return buf_take(&out);
}

int named_trust_refuse(const struct named_file *f, const char *why,
		       struct error *err)
{
	CLEANUP(buf_done) struct buf command = { 0 };

	add_command(&command, f);
	/* One that would be cut is none: without the file it asks for all. */
	if (command.len > 400) {
		buf_reset(&command);
		buf_text(&command, "mcpctl trust");
	}
	error_set(
		err, ERR_USAGE, "'%.300s' %s; nothing was run or sent", f->path,
		f->trust == TRUST_CHANGED ? "has changed since it was trusted" :
					    "is not trusted");
	return error_hint(err,
			  "%s%s%s trusts what it holds now; --trust takes "
			  "it for one command",
			  why ? why : "", why ? ": " : "",
			  buf_string(&command));
}

/* ---- the question ---- */

static void add_path(struct buf *out, const struct named_file *f)
{
	buf_char(out, '\'');
	text_safe(out, f->path, strlen(f->path), TEXT_LINE);
	buf_char(out, '\'');
}

static bool add_all(struct buf *out, const struct named_file *f)
{
	add_path(out, f);
	buf_text(out, " is not trusted. Its servers:\n");
	return named_describe(out, f->servers);
}

/* What was trusted, read anew, is only shown. */
static bool add_change(struct buf *out, const struct named_file *f)
{
	CLEANUP(buf_done) struct buf kept = { 0 };
	CLEANUP(json_free_ptr) cJSON *json = NULL;
	const cJSON *before;
	size_t head;

	trust_store_look(f->path, f->text.data, f->text.len, &kept);
	before = named_file_parse(&json, &kept, f->path, NULL);
	if (!before)
		return add_all(out, f);
	add_path(out, f);
	buf_text(out, " has changed since it was trusted:\n");
	head = out->len;
	if (!named_describe_change(out, before, f->servers))
		return false;
	if (out->len == head)
		buf_text(out, "  only what is not shown here: comments, order, "
			      "values that look like secrets\n");
	return true;
}

static size_t count_lines(const struct buf *text)
{
	size_t lines = 0;

	for (size_t i = 0; i < text->len; i++)
		lines += text->data[i] == '\n';
	return lines;
}

bool named_trust_question(struct buf *out, const struct named_file *f)
{
	bool whole = f->trust == TRUST_CHANGED ? add_change(out, f) :
						 add_all(out, f);

	return whole && out->len <= SHOWN_BYTES &&
	       count_lines(out) <= SHOWN_LINES;
}
