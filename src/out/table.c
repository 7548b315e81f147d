/* SPDX-License-Identifier: MIT */
#include "out/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/split.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "base/utf8.h"
#include "out/term.h"
#include "out/wrap.h"

enum {
	GAP = 2, /* between columns */
	LEAST = 6, /* columns of a column that gives way */
	KEY_LEAST = 24, /* of the first one, or half of the terminal */
	MORE = 3, /* "  …" in the heading, for those without room */
	ROWS_MAX = 100000,
	CELL_MAX = 4096, /* bytes */
	NAMES_INDENT = 2
};

struct table_row {
	char *cell[TABLE_FIELDS_MAX]; /* safe for a terminal; owned */
	char *name; /* of the device; owned; NULL */
	uint64_t whole; /* of groups: what stands behind a cut; 0: nothing */
	bool server; /* it is one that is kept open, and no board */
};

struct table {
	struct table_how how; /* fields is `copy` */
	char *copy, *heads;
	char *field[TABLE_FIELDS_MAX]; /* in copy */
	size_t fields;
	struct table_row *row;
	size_t count, capacity, lost;
};

/* ---- fields ---- */

static bool is_head(const char *heads, const char *field)
{
	const size_t len = strcspn(field, ".");

	while (*heads) {
		const size_t head = strcspn(heads, " ");

		if (head == len && memcmp(heads, field, len) == 0)
			return true;
		heads += head + (heads[head] == ' ');
	}
	return false;
}

static int unknown(const char *field, const char *heads, struct error *err)
{
	error_set(err, ERR_USAGE, "option '--fields': there is no field '%s'",
		  field);
	return error_hint(err, "there are: %s", heads);
}

static int take_fields(struct table *t, struct error *err)
{
	char *rest = t->copy;

	while (rest) {
		char *one = strsep(&rest, ",");

		if (t->fields == TABLE_FIELDS_MAX)
			return error_set(
				err, ERR_USAGE,
				"option '--fields': more than %d fields",
				TABLE_FIELDS_MAX);
		if (!is_head(t->heads, one))
			return unknown(one, t->heads, err);
		t->field[t->fields++] = one;
	}
	return 0;
}

int table_new(struct table **out, const struct table_how *how,
	      struct error *err)
{
	struct table *t = mem_zalloc(sizeof(*t));

	t->how = *how;
	t->copy = mem_strdup(how->fields);
	t->heads = mem_strdup(how->heads);
	*out = t;
	if (take_fields(t, err) == 0)
		return 0;
	table_free(t);
	*out = NULL;
	return -1;
}

static void forget_rows(struct table *t)
{
	for (size_t i = 0; i < t->count; i++) {
		for (size_t f = 0; f < t->fields; f++)
			mem_free(t->row[i].cell[f]);
		mem_free(t->row[i].name);
	}
	t->count = t->lost = 0;
}

void table_free(struct table *t)
{
	if (!t)
		return;
	forget_rows(t);
	mem_free(t->row);
	mem_free(t->copy);
	mem_free(t->heads);
	mem_free(t);
}

/* ---- cells ---- */

/* Member by member along "a.b"; text NULL: it is not there. */
static struct span follow(struct span from, const char *path)
{
	CLEANUP(mem_free_ptr) char *copy = mem_strdup(path);
	char *rest = copy;

	while (rest && from.text) {
		const char *name = strsep(&rest, ".");
		struct span next = { 0 };

		if (!json_span_begins(from, '{') ||
		    !json_span_member(from, name, &next))
			return (struct span){ 0 };
		from = next;
	}
	return from;
}

/* Of --all: the value, the row's own member, else one of the device. */
static struct span find_cell(const struct table *t, const char *field,
			     struct span line, struct span value)
{
	struct span device = { 0 }, own;

	if (!t->how.all)
		return follow(line, field);
	if (strcmp(field, "value") == 0)
		return value;
	if (text_starts(field, "value."))
		return follow(value, field + strlen("value."));
	if (strcmp(field, "error") == 0)
		field = "error.message";
	own = follow(line, field);
	if (own.text || !json_span_member(line, "device", &device))
		return own;
	return follow(device, field);
}

/* A string without its quotes, null as nothing; one line, safe. */
static char *cell_text(struct span value)
{
	CLEANUP(buf_done) struct buf safe = { 0 };
	CLEANUP(buf_done) struct buf compact = { 0 };

	if (!value.text || json_span_literal(value, "null"))
		return mem_strdup("");
	if (json_span_begins(value, '"')) {
		CLEANUP(mem_free_ptr) char *string = json_span_string(value);

		buf_text(&compact, string ? string : "");
	} else {
		json_minify(&compact, value.text, value.len);
	}
	text_safe(&safe, buf_string(&compact),
		  text_cut(buf_string(&compact), compact.len, CELL_MAX),
		  TEXT_LINE);
	if (compact.len > CELL_MAX)
		buf_text(&safe, "…");
	return buf_take(&safe);
}

static void read_device(struct table_row *row, const struct table *t,
			struct span line)
{
	CLEANUP(json_free_ptr) cJSON *device = NULL;
	CLEANUP(buf_done) struct buf safe = { 0 };
	struct span text;

	if (!json_span_member(line, "device", &text))
		return;
	device = json_parse(text.text, text.len, NULL);
	wrap_name(&safe, device ? t->how.name(device) : "?");
	row->name = buf_take(&safe);
	row->server = json_object(device, "held") != NULL;
}

/* Groups tell what its cell does not: "" is not null, and a beginning not all. */
static void tell_apart(struct table_row *row, struct span value)
{
	if (json_span_literal(value, "\"\"")) {
		mem_free(row->cell[0]);
		row->cell[0] = mem_strdup("\"\"");
	}
	if (value.len > CELL_MAX)
		row->whole = text_hash(value.text, value.len);
}

void table_add(struct table *t, struct span line, struct span value)
{
	struct table_row *row;

	if (t->count == ROWS_MAX) {
		t->lost++;
		return;
	}
	t->row = mem_grow(t->row, &t->capacity, t->count, sizeof(*t->row));
	row = &t->row[t->count++];
	*row = (struct table_row){ 0 };
	if (t->how.all)
		read_device(row, t, line);
	for (size_t i = 0; i < t->fields; i++)
		row->cell[i] =
			cell_text(find_cell(t, t->field[i], line, value));
	if (t->how.groups)
		tell_apart(row, value);
}

/* ---- columns ---- */

static size_t columns_of(const char *text)
{
	return text_width(text, strlen(text));
}

static void measure(const struct table *t, size_t *width)
{
	for (size_t f = 0; f < t->fields; f++) {
		width[f] = columns_of(t->field[f]);
		for (size_t i = 0; i < t->count; i++) {
			size_t columns = columns_of(t->row[i].cell[f]);

			width[f] = columns > width[f] ? columns : width[f];
		}
	}
}

/* What stays of one that gives way. The first says which row it is. */
static size_t least_of(const size_t *width, size_t f, size_t room)
{
	const size_t key = room / 2 > KEY_LEAST ? room / 2 : KEY_LEAST;
	const size_t least = f == 0 ? key : LEAST;

	return width[f] < least ? width[f] : least;
}

/* How many have room, from the first on; room is 0 where nothing is cut. */
static size_t how_many(const struct table *t, const size_t *width, size_t room)
{
	size_t used = least_of(width, 0, room), n = 1;

	for (; n < t->fields; n++) {
		const size_t more = n + 1 < t->fields ? MORE : 0;

		used += GAP + least_of(width, n, room);
		if (room && used + more > room)
			break;
	}
	return n;
}

/* The widest gives way until all fit. Returns how many columns are shown. */
static size_t fit(const struct table *t, size_t *width, size_t room)
{
	const size_t shown = how_many(t, width, room);
	size_t used = GAP * (shown - 1) + (shown < t->fields ? MORE : 0);

	for (size_t f = 0; f < shown; f++)
		used += width[f];
	while (room && used > room) {
		size_t widest = shown;

		for (size_t f = 0; f < shown; f++) {
			if (width[f] > least_of(width, f, room) &&
			    (widest == shown || width[f] > width[widest]))
				widest = f;
		}
		if (widest == shown)
			break;
		width[widest]--;
		used--;
	}
	return shown;
}

static void add_line(struct buf *out, size_t shown, char *const *cell,
		     const size_t *width)
{
	for (size_t f = 0; f < shown; f++) {
		const size_t start = out->len;

		wrap_cut(out, cell[f], strlen(cell[f]), width[f]);
		if (f + 1 < shown)
			wrap_pad(
				out,
				text_width(out->data + start, out->len - start),
				width[f] + GAP);
	}
	buf_trim(out, 0, " ");
}

static void put_line(struct renderer *r, const struct buf *line,
		     enum paint paint)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	/* Where even the least widths do not fit, the line ends at the edge. */
	if (r->out_terminal)
		term_paint(&out, r->out_color, paint);
	wrap_cut(&out, buf_string(line), line->len,
		 r->out_terminal ? r->width : 0);
	if (r->out_terminal)
		term_plain(&out, r->out_color);
	buf_char(&out, '\n');
	put_out(r, &out);
}

static void show_rows(const struct table *t, struct renderer *r)
{
	size_t width[TABLE_FIELDS_MAX] = { 0 };
	CLEANUP(buf_done) struct buf heading = { 0 };
	size_t shown;

	measure(t, width);
	shown = fit(t, width, r->out_terminal ? r->width : 0);
	add_line(&heading, shown, t->field, width);
	buf_text(&heading, shown < t->fields ? "  …" : "");
	put_line(r, &heading, PAINT_STRONG);
	for (size_t i = 0; i < t->count; i++) {
		CLEANUP(buf_done) struct buf line = { 0 };

		add_line(&line, shown, t->row[i].cell, width);
		put_line(r, &line, PAINT_NONE);
	}
}

/* ---- groups ---- */

static int compare_cells(const void *a, const void *b)
{
	const struct table_row *x = a, *y = b;
	int order = strcmp(x->cell[1], y->cell[1]);

	if (order == 0)
		order = strcmp(x->cell[0], y->cell[0]);
	if (order == 0)
		order = (x->whole > y->whole) - (x->whole < y->whole);
	return order ? order : strcmp(x->name, y->name);
}

static bool is_alike(const struct table_row *a, const struct table_row *b)
{
	return strcmp(a->cell[0], b->cell[0]) == 0 && a->whole == b->whole &&
	       strcmp(a->cell[1], b->cell[1]) == 0;
}

static const char *group_word(const struct table_row *row, size_t count)
{
	size_t servers = 0;

	for (size_t i = 0; i < count; i++)
		servers += row[i].server;
	return servers == 0 ? "board" : servers == count ? "server" : "device";
}

static void show_group(const struct table_row *row, size_t count,
		       struct renderer *r)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	CLEANUP(buf_done) struct buf names = { 0 };
	CLEANUP(buf_done) struct buf wrapped = { 0 };
	const struct wrap how = { NAMES_INDENT, NAMES_INDENT,
				  r->out_terminal ? r->width : 0 };
	const bool failed = *row->cell[1] != '\0';

	wrap_count(&line, count, group_word(row, count));
	buf_printf(&line, ": %s%s", failed ? "failed: " : "",
		   failed	 ? row->cell[1] :
		   *row->cell[0] ? row->cell[0] :
				   "null");
	put_line(r, &line, failed ? PAINT_BAD : PAINT_STRONG);
	for (size_t i = 0; i < count; i++)
		buf_printf(&names, "%s%s", i ? ", " : "", row[i].name);
	wrap_pad(&wrapped, 0, NAMES_INDENT);
	wrap_wrap(&wrapped, buf_string(&names), names.len, &how);
	buf_char(&wrapped, '\n');
	put_out(r, &wrapped);
}

/* The fields are "value,error" (cli/form). What failed comes last. */
static void show_groups(struct table *t, struct renderer *r)
{
	size_t from = 0;

	if (t->count)
		qsort(t->row, t->count, sizeof(*t->row), compare_cells);
	while (from < t->count) {
		size_t to = from + 1;

		while (to < t->count && is_alike(&t->row[from], &t->row[to]))
			to++;
		show_group(&t->row[from], to - from, r);
		from = to;
	}
}

int table_show(struct table *t, struct renderer *r, struct error *err)
{
	const size_t lost = t->lost;

	if (t->how.groups)
		show_groups(t, r);
	else if (t->count)
		show_rows(t, r);
	forget_rows(t);
	if (!lost)
		return 0;
	return error_set(err, ERR_UNMET,
			 "%zu rows are not in the table: it holds %d", lost,
			 ROWS_MAX);
}
