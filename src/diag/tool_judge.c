/* SPDX-License-Identifier: MIT */
/* Sizes, names and texts. */
#include "diag/tool_judge.h"

#include <string.h>

#include "base/text_safe.h"
#include "base/utf8.h"
#include "diag/backend_view.h"
#include "mcp/tools.h"

void judge_word(struct buf *out, const char *word)
{
	size_t len = strlen(word);
	size_t cut = text_cut(word, len, JUDGE_WORD_MAX);

	buf_add(out, word, cut);
	if (cut < len)
		buf_text(out, "…");
}

bool judge_size(const struct tool *t, struct buf *out)
{
	const size_t len = tool_text(t).len, most = firmware_tool_max();

	if (most == 0 || len <= most)
		return false;
	buf_printf(
		out,
		"its JSON has %zu bytes: stock firmware cannot list a tool above %zu",
		len, most);
	return true;
}

/* ---- names ---- */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_spelled(const char *name, const char *marks)
{
	for (; *name; name++) {
		if (!is_letter(*name) && !(*name >= '0' && *name <= '9') &&
		    !strchr(marks, *name))
			return false;
	}
	return true;
}

static bool is_long(const struct model_fact *m, const char *name)
{
	return m->name_max > 0 &&
	       text_characters(name, strlen(name)) > (size_t)m->name_max;
}

static bool has_others(const struct model_fact *m, const char *name)
{
	return *m->name_marks && !is_spelled(name, m->name_marks);
}

static bool begins_otherwise(const struct model_fact *m, const char *name)
{
	return m->letter_first && *name && !is_letter(*name) && *name != '_';
}

typedef bool refuses(const struct model_fact *m, const char *name);

/* The models that refuse it for that reason. */
static size_t add_refusing(struct subjects *out, refuses *why, const char *name)
{
	size_t count, n = 0;
	const struct model_fact *m = model_facts(&count);

	for (size_t i = 0; i < count; i++) {
		if (!why(&m[i], name))
			continue;
		subjects_add_model(out, &m[i]);
		n++;
	}
	return n;
}

/* Who refuses what, and behind whom. */
struct refusal {
	struct subjects models, behind;
	bool everywhere;
};

/* As each backend hands it to the model. */
static bool refused(struct refusal *r, refuses *why, const char *name)
{
	size_t count;
	const struct backend_fact *b = backend_facts(&count);
	CLEANUP(buf_done) struct buf known = { 0 };

	*r = (struct refusal){ .everywhere = true };
	for (size_t i = 0; i < count; i++) {
		buf_reset(&known);
		if (!backend_name(&b[i], name, &known))
			continue;
		if (add_refusing(&r->models, why, buf_string(&known)))
			subjects_add_backend(&r->behind, &b[i]);
		else
			r->everywhere = false;
	}
	return r->behind.count > 0;
}

/* The one who mends most is taken for whoever stands between. */
static bool refused_at_best(struct refusal *r, refuses *why, const char *name)
{
	CLEANUP(buf_done) struct buf known = { 0 };

	*r = (struct refusal){ .everywhere = true };
	tool_sanitise(name, SANITISE_WIDE, &known);
	return add_refusing(&r->models, why, buf_string(&known)) > 0;
}

static void add_who_refuses(struct buf *out, const struct refusal *r)
{
	subjects_as_models(out, &r->models);
	buf_text(out,
		 subjects_are_many(&r->models) ? " refuse it" : " refuses it");
	if (!r->everywhere) {
		buf_text(out, " behind ");
		subjects_as_backends(out, &r->behind);
	}
}

bool judge_name(const struct tool *t, bool board, struct buf *out)
{
	struct refusal r;
	bool (*const judge)(struct refusal *, refuses *, const char *) =
		board ? refused : refused_at_best;

	if (!*t->name) {
		buf_text(out, "it has no name: nobody can call it");
		return true;
	}
	if (judge(&r, is_long, t->name))
		buf_printf(out, "its name has %zu characters: ",
			   text_characters(t->name, strlen(t->name)));
	else if (judge(&r, begins_otherwise, t->name))
		buf_text(out,
			 "its name begins neither with a letter nor with _: ");
	else if (judge(&r, has_others, t->name))
		buf_text(out,
			 "its name holds more than letters, digits, _ and -: ");
	else
		return false;
	add_who_refuses(out, &r);
	return true;
}

/* ---- characters that hide ---- */

/* Of a line's end as Windows has it, only the newline. */
static void add_lines(struct buf *out, const char *text)
{
	for (const char *end; (end = strstr(text, "\r\n")); text = end + 1)
		buf_add(out, text, (size_t)(end - text));
	buf_text(out, text);
}

/* Prose may have lines, a name not. */
static bool hides(const char *prose, enum text_mode mode, uint32_t *point)
{
	CLEANUP(buf_done) struct buf lines = { 0 };
	CLEANUP(buf_done) struct buf safe = { 0 };
	const char *text = prose;
	size_t len = strlen(prose), at = 0;

	if (text_is_safe(prose, len))
		return false;
	if (mode == TEXT_PARAGRAPH) {
		add_lines(&lines, prose);
		text = buf_string(&lines);
		len = lines.len;
	}
	text_safe(&safe, text, len, mode);
	while (at < len && at < safe.len && text[at] == safe.data[at])
		at++;
	if (at == len)
		return false;
	while (at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80)
		at--;
	*point = text_point(text + at, text_utf8(text + at, len - at));
	return true;
}

bool judge_text(const struct tool *t, struct buf *out)
{
	const struct {
		const char *name, *text;
		enum text_mode mode;
	} texts[] = {
		{ "name", t->name, TEXT_NAME },
		{ "title", t->title, TEXT_PARAGRAPH },
		{ "description", t->description, TEXT_PARAGRAPH },
	};
	uint32_t point;

	for (size_t i = 0; i < COUNT(texts); i++) {
		if (!texts[i].text ||
		    !hides(texts[i].text, texts[i].mode, &point))
			continue;
		buf_printf(out, "its %s holds U+%04X, %s", texts[i].name,
			   (unsigned)point,
			   point < 0xa0 ? "a control character" :
					  "which nobody sees");
		return true;
	}
	return false;
}
