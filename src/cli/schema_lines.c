/* SPDX-License-Identifier: MIT */
/*
 * The lines of a kept listing. Whatever is read here may have been cut,
 * written by another version, or be no such file at all.
 */
#include "cli/schema_lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "mcp/types.h"
#include "out/wrap.h"

#define MAGIC "mcpctl-tools 1 "
#define HEAD_MAX 65536 /* a target of escapes only */
#define BRIEF_MAX 400 /* bytes */

/* ---- writing ---- */

void schema_lines_head(struct buf *out, int64_t time, size_t bytes,
		       const char *target)
{
	buf_printf(out, MAGIC "%" PRId64 " %zu %s\n", time, bytes, target);
}

/* Shown as it is, it does nothing to a terminal, nor to the lines here. */
static bool is_fit(const char *name)
{
	return *name && text_is_safe(name, strlen(name));
}

/* No character is cut. */
static void add_brief(struct buf *out, const struct tool *t)
{
	CLEANUP(buf_done) struct buf safe = { 0 };
	CLEANUP(mem_free_ptr) char *line = NULL;
	const char *start;
	size_t len = wrap_first(t->description, &start);

	if (len == 0 && t->title)
		len = wrap_first(t->title, &start);
	line = mem_strndup(start, len < BRIEF_MAX ? len : BRIEF_MAX);
	len = strlen(line);
	while (len > 0 && !text_is_utf8(line, len) &&
	       ((unsigned char)line[len - 1] & 0x80))
		len--;
	for (size_t i = 0; i < len; i++)
		if (line[i] == '\t')
			line[i] = ' ';
	text_safe(&safe, line, len, TEXT_LINE);
	buf_add(out, buf_string(&safe), safe.len);
}

static void add_tool(struct buf *out, const struct tool *t)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	struct span json = tool_text(t);

	buf_text(&line, t->name);
	buf_char(&line, '\t');
	add_brief(&line, t);
	buf_char(&line, '\t');
	if (json.len > 0)
		json_minify(&line, json.text, json.len);
	else
		json_print(&line, t->json);
	buf_char(&line, '\n');
	buf_add(out, line.data, line.len);
}

void schema_lines_write(struct buf *out, const struct tool_list *list)
{
	const struct tool **sorted =
		mem_alloc((list->count + 1) * sizeof(struct tool *));
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (is_fit(list->tool[i].name))
			sorted[count++] = &list->tool[i];
	}
	qsort(sorted, count, sizeof(struct tool *), tool_by_name);
	for (size_t i = 0; i < count && !out->full; i++)
		add_tool(out, sorted[i]);
	mem_free(sorted);
}

/* ---- reading ---- */

/* The digits at *at and the space behind them; *at moves on. */
static int take_number(char **at, int64_t *out)
{
	char *start = *at, *space = strchr(start, ' ');

	if (!space)
		return -1;
	*space = '\0';
	*at = space + 1;
	return text_integer(start, 0, INT64_MAX, out);
}

/* Where the first tool begins; 0: it is no such file, or was cut. */
static size_t read_head(struct schema_cache *c)
{
	size_t max = c->size < HEAD_MAX ? c->size : HEAD_MAX;
	const char *end = memchr(c->map, '\n', max);
	size_t len = end ? (size_t)(end - c->map) : 0;
	CLEANUP(mem_free_ptr) char *head = NULL;
	int64_t bytes;
	char *at;

	if (!end || memchr(c->map, '\0', len))
		return 0;
	head = mem_strndup(c->map, len);
	if (!text_starts(head, MAGIC))
		return 0;
	at = head + strlen(MAGIC);
	if (take_number(&at, &c->time) || take_number(&at, &bytes) || !*at ||
	    (uint64_t)bytes != c->size - len - 1)
		return 0;
	c->target = mem_strdup(at);
	return len + 1;
}

/* The three parts of the line from..to, which has its line end. */
static bool split_line(const char *from, const char *to, struct span part[3])
{
	for (size_t i = 0; i < 3; i++) {
		char stop = i < 2 ? '\t' : '\n';
		const char *end = memchr(from, stop, (size_t)(to - from));

		if (!end)
			return false;
		part[i] = (struct span){ from, (size_t)(end - from) };
		from = end + 1;
	}
	return part[0].len > 0 && part[2].len > 1 && part[2].text[0] == '{' &&
	       part[2].text[part[2].len - 1] == '}';
}

static int compare(struct span a, const char *text, size_t len)
{
	int order = memcmp(a.text, text, a.len < len ? a.len : len);

	if (order != 0 || a.len == len)
		return order;
	return a.len < len ? -1 : 1;
}

int schema_lines_read(struct schema_cache *c)
{
	size_t at = read_head(c), capacity = 0;
	struct span before = { "", 0 }, part[3] = { 0 };

	if (at == 0)
		return -1;
	while (at < c->size) {
		const char *line = c->map + at;
		const char *end = memchr(line, '\n', c->size - at);

		if (!end || !split_line(line, end + 1, part) ||
		    compare(before, part[0].text, part[0].len) > 0)
			return -1;
		c->line = mem_grow(c->line, &capacity, c->count + 1,
				   sizeof(*c->line));
		c->line[c->count++] = at;
		at = (size_t)(end + 1 - c->map);
		c->line[c->count] = at;
		before = part[0];
	}
	return 0;
}

bool schema_cache_tool(const struct schema_cache *c, size_t i,
		       struct span *name, struct span *brief, struct span *json)
{
	struct span part[3];

	if (i >= c->count ||
	    !split_line(c->map + c->line[i], c->map + c->line[i + 1], part))
		return false;
	*name = part[0];
	*brief = part[1];
	*json = part[2];
	return true;
}

size_t schema_cache_find(const struct schema_cache *c, const char *prefix)
{
	size_t low = 0, high = c->count, len = strlen(prefix);
	struct span name = { "", 0 }, brief, json;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		schema_cache_tool(c, middle, &name, &brief, &json);
		if (compare(name, prefix, len) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
