/* SPDX-License-Identifier: MIT */
/* Whether, how large, and why not. */
#include "out/image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/module.h"
#include "base/text.h"
#include "out/canvas.h"
#include "out/decoder.h"
#include "out/term.h"

/*
 * Whether stdout can show one: a terminal, as text, not switched off. Where
 * nobody said how, it must have colours, too.
 */
static bool image_fits(const struct renderer *r)
{
	if (!r->pictures || !r->out_terminal || r->form != OUTPUT_TEXT ||
	    r->whose || r->image == IMAGE_OFF)
		return false;
	return r->image != IMAGE_AUTO || (r->out_color && term_moves());
}

/* ---- how large ---- */

#define COLUMNS_MOST 120
#define ROWS_MOST 60
/* Where the terminal does not tell: those of a usual font. */
#define CELL_WIDTH 10
#define CELL_HEIGHT 20
#define CELL_MOST 200
/* A symbol has two colours, so it is worth some pixels of the picture. */
#define SYMBOL_WIDTH 2
#define SYMBOL_HEIGHT 4

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned cells(unsigned pixels, unsigned cell)
{
	return (pixels + cell - 1) / cell;
}

/* What was said before shall still be seen: three quarters of the rows. */
static unsigned rows_at_most(unsigned rows)
{
	unsigned most = rows ? rows * 3 / 4 : 24;

	return most < 4 ? 4 : least(most, ROWS_MOST);
}

/* What a terminal tells may be anything. */
static unsigned cell_or(unsigned told, unsigned usual)
{
	return told >= 2 && told <= CELL_MOST ? told : usual;
}

/* Not larger than it is: pixels by pixels. */
static void set_size(struct canvas_order *o, const struct renderer *r)
{
	const struct term_size size = term_size(stdout);
	const bool symbols = o->how == IMAGE_SYMBOLS;

	o->cell_width = cell_or(size.cell_width, CELL_WIDTH);
	o->cell_height = cell_or(size.cell_height, CELL_HEIGHT);
	o->columns =
		cells(o->pixels->width, symbols ? SYMBOL_WIDTH : o->cell_width);
	o->columns = least(o->columns, COLUMNS_MOST);
	o->columns = least(o->columns, (unsigned)r->width - 1);
	o->rows = cells(o->pixels->height,
			symbols ? SYMBOL_HEIGHT : o->cell_height);
	o->rows = least(o->rows, rows_at_most(size.rows));
}

/* Unset is what all else here takes it for: UTF-8. */
static bool has_unicode(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < COUNT(names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return text_find(value, "utf-8") ||
			       text_find(value, "utf8");
	}
	return true;
}

/* ---- shown ---- */

static void tell_not(struct renderer *r, const char *what,
		     const struct error *why)
{
	r->stopped |= why->kind == ERR_INTERRUPTED;
	if (r->stopped)
		return;
	render_note(r, "%s is not shown: %s%s%s%s", what, why->text,
		    *why->hint ? " (" : "", why->hint, *why->hint ? ")" : "");
}

static void draw(struct renderer *r, const struct canvas_table *t,
		 const struct pixels *p)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	struct canvas_order o = { .pixels = p,
				  .how = r->image == IMAGE_AUTO ? t->best() :
								  r->image,
				  .color = r->out_color,
				  .unicode = has_unicode() };

	set_size(&o, r);
	t->draw(&b, &o);
	/* A pager has rows of text, and nothing else. */
	r->drawn |= o.how != IMAGE_SYMBOLS;
	put_out(r, &b);
}

static int show(struct renderer *r, const char *what, const void *data,
		size_t len, struct error *err)
{
	const struct canvas_table *t;
	struct pixels p = { 0 };

	if (decoder_check(data, len, err))
		return -1;
	t = module_table("canvas", CANVAS_TABLE, err);
	if (!t || decoder_ask(&p, data, len, err))
		return -1;
	draw(r, t, &p);
	if (*p.damage)
		render_note(r, "%s is damaged: %s", what, p.damage);
	pixels_done(&p);
	return 0;
}

static void show_or_tell(struct renderer *r, const char *what, const void *data,
			 size_t len)
{
	CLEANUP(error_reset) struct error err = { 0 };

	if (show(r, what, data, len, &err))
		tell_not(r, what, &err);
}

void image_begin(struct renderer *r)
{
	r->images = 0;
	r->stopped = false;
}

/* Each may take seconds: no peer shall hold the terminal by many. */
static bool may_show(struct renderer *r)
{
	if (!image_fits(r) || r->stopped || r->images > IMAGES_MOST)
		return false;
	if (r->images++ < IMAGES_MOST)
		return true;
	render_note(r, "of one result %d pictures are shown, and it has more",
		    IMAGES_MOST);
	return false;
}

void image_show(struct renderer *r, const void *data, size_t len)
{
	if (may_show(r))
		show_or_tell(r, "the picture", data, len);
}

static int read_picture(struct buf *out, const char *path, struct error *err)
{
	struct stat st;
	int fd = file_open_regular(path, 0, &st);
	int status = fd < 0 ? -1 : file_read_fd(out, fd);

	if (status)
		error_set(err, ERR_OUTPUT, "it cannot be read: %s",
			  strerror(errno));
	if (fd >= 0)
		close(fd);
	return status;
}

void image_show_file(struct renderer *r, const char *path)
{
	CLEANUP(buf_done) struct buf file = { .max = PIXELS_FILE_MOST };
	CLEANUP(error_reset) struct error err = { 0 };

	if (!may_show(r))
		return;
	if (read_picture(&file, path, &err))
		tell_not(r, path, &err);
	else
		show_or_tell(r, path, file.data, file.len);
}
