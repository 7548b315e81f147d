/* SPDX-License-Identifier: MIT */
/*
 * What the terminal is and can. The only file that knows escape sequences.
 */
#include "out/term.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"
#include "out/wrap.h"

#define WIDTH_DEFAULT 80
#define WIDTH_LEAST 20
#define WIDTH_MOST 10000
#define ERASE_LINE "\r\033[K"

/* The sixteen colours only: they follow the user's theme. */
static const char *const codes[] = {
	[PAINT_NONE] = "",   [PAINT_STRONG] = "1",  [PAINT_DIM] = "2",
	[PAINT_KEY] = "36",  [PAINT_STRING] = "32", [PAINT_NUMBER] = "33",
	[PAINT_WORD] = "35", [PAINT_BAD] = "1;31",  [PAINT_WARN] = "33",
	[PAINT_GOOD] = "32",
};

void term_paint(struct buf *out, bool color, enum paint paint)
{
	if (color && paint != PAINT_NONE)
		buf_printf(out, "\033[%sm", codes[paint]);
}

void term_plain(struct buf *out, bool color)
{
	if (color)
		buf_text(out, "\033[0m");
}

void term_painted(struct buf *out, bool color, enum paint paint,
		  const char *text)
{
	bool painted = color && paint != PAINT_NONE && *text;
	term_paint(out, painted, paint);
	buf_text(out, text);
	term_plain(out, painted);
}

bool term_is_terminal(FILE *f)
{
	int fd = fileno(f);
	return fd >= 0 && isatty(fd);
}

bool term_moves(void)
{
	const char *term = getenv("TERM");
	return term && *term && strcmp(term, "dumb") != 0;
}

bool term_has_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *term = getenv("TERM");
	if (!term || !term_moves() || strcmp(term, "linux") == 0)
		return false;
	for (size_t i = 0; i < COUNT(names); i++) {
		const char *locale = getenv(names[i]);
		if (locale && *locale)
			return text_find(locale, "UTF-8") ||
			       text_find(locale, "utf8");
	}
	return false;
}

size_t term_width(FILE *f)
{
	struct winsize size = { 0 };
	int fd = fileno(f);
	int64_t columns = 0;
	if (fd >= 0 && ioctl(fd, TIOCGWINSZ, &size) == 0)
		columns = size.ws_col;
	const char *given = getenv("COLUMNS");
	if (columns == 0 && given)
		text_integer(given, 1, WIDTH_MOST, &columns);
	if (columns == 0)
		columns = WIDTH_DEFAULT;
	return columns < WIDTH_LEAST ? WIDTH_LEAST : (size_t)columns;
}

struct term_size term_size(FILE *f)
{
	struct winsize size = { 0 };
	struct term_size found = { 0 };

	if (ioctl(fileno(f), TIOCGWINSZ, &size) != 0)
		return found;
	found.rows = size.ws_row;
	if (size.ws_col && size.ws_row && size.ws_xpixel >= size.ws_col &&
	    size.ws_ypixel >= size.ws_row) {
		found.cell_width = size.ws_xpixel / size.ws_col;
		found.cell_height = size.ws_ypixel / size.ws_row;
	}
	return found;
}

bool term_has_color(FILE *f)
{
	const char *no = getenv("NO_COLOR");
	return term_is_terminal(f) && term_moves() && (!no || !*no);
}

void term_rewrite(FILE *f, const char *text, size_t width)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	buf_text(&line, ERASE_LINE);
	/* The last column stays free: some terminals wrap when it is filled. */
	wrap_cut(&line, text, strlen(text), width > 1 ? width - 1 : width);
	fwrite(line.data, 1, line.len, f);
	fflush(f);
}

void term_erase(FILE *f)
{
	fputs(ERASE_LINE, f);
	fflush(f);
}
