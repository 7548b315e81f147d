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
#include "base/utf8.h"
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

/* The one that counts for characters; NULL: none is set. */
static const char *locale_of(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < COUNT(names); i++) {
		const char *locale = getenv(names[i]);

		if (locale && *locale)
			return locale;
	}
	return NULL;
}

static bool is_utf8(const char *locale)
{
	return text_find(locale, "UTF-8") || text_find(locale, "utf8");
}

bool term_has_utf8(void)
{
	const char *term = getenv("TERM"), *locale = locale_of();

	return term && term_moves() && strcmp(term, "linux") != 0 && locale &&
	       is_utf8(locale);
}

bool term_is_foreign(void)
{
	const char *locale = locale_of();

	return locale && strchr(locale, '.') && !is_utf8(locale);
}

static void add_marks(struct buf *out, size_t columns)
{
	for (; columns > 0; columns--)
		buf_char(out, '?');
}

void term_ascii(struct buf *out, const char *text, size_t len)
{
	for (size_t at = 0; at < len;) {
		const size_t size = text_utf8(text + at, len - at);
		const size_t bytes = size ? size : 1;

		if (bytes == 1 && (unsigned char)text[at] < 0x80)
			buf_char(out, text[at]);
		else if (bytes == 3 && memcmp(text + at, "…", 3) == 0)
			buf_char(out, '~');
		else
			add_marks(out, text_width(text + at, bytes));
		at += bytes;
	}
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
	if (term_is_foreign()) {
		CLEANUP(buf_done) struct buf shown = line;

		line = (struct buf){ 0 };
		term_ascii(&line, buf_string(&shown), shown.len);
	}
	fwrite(line.data, 1, line.len, f);
	fflush(f);
}

void term_erase(FILE *f)
{
	fputs(ERASE_LINE, f);
	fflush(f);
}
