/* SPDX-License-Identifier: MIT */
/* By libchafa. A loaded part. */
#include "out/canvas.h"

#include <chafa.h>
#include <stdlib.h>

#include "base/text.h"

/* ---- what the terminal can ---- */

/* Released by chafa_term_info_unref. */
static ChafaTermInfo *terminal(void)
{
	gchar **environment = g_get_environ();
	ChafaTermInfo *info =
		chafa_term_db_detect(chafa_term_db_get_default(), environment);

	g_strfreev(environment);
	return info;
}

/* They show what is in them to another terminal, and pass few sequences on. */
static bool is_inside_another(void)
{
	const char *term = getenv("TERM");

	return getenv("TMUX") || getenv("STY") ||
	       (term &&
		(text_starts(term, "tmux") || text_starts(term, "screen")));
}

static enum image_mode best(void)
{
	static const struct {
		ChafaTermSeq sequence;
		enum image_mode how;
	} graphics[] = {
		{ CHAFA_TERM_SEQ_BEGIN_KITTY_IMMEDIATE_IMAGE_V1, IMAGE_KITTY },
		{ CHAFA_TERM_SEQ_BEGIN_ITERM2_IMAGE, IMAGE_ITERM },
		{ CHAFA_TERM_SEQ_BEGIN_SIXELS, IMAGE_SIXEL },
	};
	enum image_mode found = IMAGE_SYMBOLS;
	ChafaTermInfo *info;

	if (is_inside_another())
		return IMAGE_SYMBOLS;
	info = terminal();
	for (size_t i = 0; i < COUNT(graphics); i++) {
		if (chafa_term_info_have_seq(info, graphics[i].sequence)) {
			found = graphics[i].how;
			break;
		}
	}
	chafa_term_info_unref(info);
	return found;
}

/* ---- drawn ---- */

static ChafaPixelMode pixel_mode(enum image_mode how)
{
	switch (how) {
	case IMAGE_KITTY:
		return CHAFA_PIXEL_MODE_KITTY;
	case IMAGE_SIXEL:
		return CHAFA_PIXEL_MODE_SIXELS;
	case IMAGE_ITERM:
		return CHAFA_PIXEL_MODE_ITERM2;
	case IMAGE_AUTO:
	case IMAGE_OFF:
	case IMAGE_SYMBOLS:
		break;
	}
	return CHAFA_PIXEL_MODE_SYMBOLS;
}

/* Of symbols; the others have all colours. 240: the 16 are the user's theme. */
static ChafaCanvasMode color_mode(const ChafaTermInfo *info)
{
	static const struct {
		ChafaTermSeq sequence;
		ChafaCanvasMode mode;
	} colors[] = {
		{ CHAFA_TERM_SEQ_SET_COLOR_FGBG_DIRECT,
		  CHAFA_CANVAS_MODE_TRUECOLOR },
		{ CHAFA_TERM_SEQ_SET_COLOR_FGBG_256,
		  CHAFA_CANVAS_MODE_INDEXED_240 },
		{ CHAFA_TERM_SEQ_SET_COLOR_FGBG_16,
		  CHAFA_CANVAS_MODE_INDEXED_16 },
	};

	for (size_t i = 0; i < COUNT(colors); i++) {
		if (chafa_term_info_have_seq(info, colors[i].sequence))
			return colors[i].mode;
	}
	return CHAFA_CANVAS_MODE_FGBG;
}

/* Those that every font has. */
static void set_symbols(ChafaCanvasConfig *config, bool unicode)
{
	ChafaSymbolMap *map = chafa_symbol_map_new();

	chafa_symbol_map_add_by_tags(
		map, unicode ? CHAFA_SYMBOL_TAG_SPACE | CHAFA_SYMBOL_TAG_SOLID |
				       CHAFA_SYMBOL_TAG_HALF :
			       CHAFA_SYMBOL_TAG_ASCII);
	chafa_canvas_config_set_symbol_map(config, map);
	chafa_symbol_map_unref(map);
}

static void set_size(ChafaCanvasConfig *config, const struct canvas_order *o)
{
	gint width = (gint)o->columns, height = (gint)o->rows;

	chafa_calc_canvas_geometry(
		(gint)o->pixels->width, (gint)o->pixels->height, &width,
		&height, (gfloat)o->cell_width / (gfloat)o->cell_height, TRUE,
		FALSE);
	chafa_canvas_config_set_geometry(config, width < 1 ? 1 : width,
					 height < 1 ? 1 : height);
	chafa_canvas_config_set_cell_geometry(config, (gint)o->cell_width,
					      (gint)o->cell_height);
}

/* That the user named it shall do: with sequences that it is not known for. */
static void add_unknown(ChafaTermInfo *info)
{
	ChafaTermInfo *usual =
		chafa_term_db_get_fallback_info(chafa_term_db_get_default());

	chafa_term_info_supplement(info, usual);
	chafa_term_info_unref(usual);
}

/* Without colours none of a terminal's sequences is known to it. */
static ChafaTermInfo *sequences(const struct canvas_order *o)
{
	ChafaTermInfo *info;

	if (o->how == IMAGE_SYMBOLS && !o->color)
		return chafa_term_info_new();
	info = terminal();
	if (o->how != IMAGE_SYMBOLS)
		add_unknown(info);
	return info;
}

static ChafaCanvas *canvas(const struct canvas_order *o,
			   const ChafaTermInfo *info)
{
	ChafaCanvasConfig *config = chafa_canvas_config_new();
	ChafaCanvas *made;

	set_size(config, o);
	set_symbols(config, o->unicode);
	chafa_canvas_config_set_pixel_mode(config, pixel_mode(o->how));
	if (o->how == IMAGE_SYMBOLS)
		chafa_canvas_config_set_canvas_mode(config, color_mode(info));
	/* "Again so often" is known to few terminals, and to no pager. */
	chafa_canvas_config_set_optimizations(
		config, CHAFA_OPTIMIZATION_REUSE_ATTRIBUTES);
	made = chafa_canvas_new(config);
	chafa_canvas_config_unref(config);
	return made;
}

static void draw(struct buf *out, const struct canvas_order *o)
{
	ChafaTermInfo *info = sequences(o);
	ChafaCanvas *drawn;
	GString *text;

	chafa_set_n_threads(1);
	drawn = canvas(o, info);
	chafa_canvas_draw_all_pixels(drawn, CHAFA_PIXEL_RGBA8_UNASSOCIATED,
				     o->pixels->rgba, (gint)o->pixels->width,
				     (gint)o->pixels->height,
				     (gint)(4 * o->pixels->width));
	text = chafa_canvas_print(drawn, info);
	buf_add(out, text->str, text->len);
	buf_char(out, '\n');
	g_string_free(text, TRUE);
	chafa_canvas_unref(drawn);
	chafa_term_info_unref(info);
}

const struct canvas_table canvas_table = { .best = best, .draw = draw };
