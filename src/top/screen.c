/* SPDX-License-Identifier: MIT */
#include "top/screen.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>

#include "base/mem.h"

/* term.h has these for its capabilities. */
#undef lines
#undef columns

/* After an ESC: a key of the terminal follows within this time, or none. */
#define ESCAPE_MS 25
/* Screens that are larger than this are not drawn on beyond it. */
#define SIZE_MAX_CELLS 1000

static struct {
	SCREEN *screen; /* NULL: not open */
	char *locale; /* of before; owned */
	bool color, ascii;
} own;

enum { PAIR_GOOD = 1, PAIR_WARN, PAIR_BAD };

static void set_up_colors(void)
{
	own.color = own.color && has_colors() && start_color() == OK &&
		    use_default_colors() == OK;
	if (!own.color)
		return;
	init_pair(PAIR_GOOD, COLOR_GREEN, -1);
	init_pair(PAIR_WARN, COLOR_YELLOW, -1);
	init_pair(PAIR_BAD, COLOR_RED, -1);
}

static void set_up(void)
{
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(ESCAPE_MS);
	curs_set(0);
	set_up_colors();
}

static int refuse(struct error *err)
{
	const char *name = getenv("TERM");

	error_set(err, ERR_USAGE,
		  "the terminal '%s' is none that can be drawn on",
		  name ? name : "");
	return error_hint(
		err,
		"set TERM to what it is; 'mcpctl devices --watch' tells line by line, '-o json devices' a program");
}

static void screen_close(void)
{
	if (!own.screen)
		return;
	endwin();
	delscreen(own.screen);
	own.screen = NULL;
	setlocale(LC_CTYPE, own.locale ? own.locale : "C");
	mem_free(TAKE(own.locale));
}

static int screen_open(bool color, struct error *err)
{
	int status;

	/* newterm would end the program where it knows nothing of it. */
	if (setupterm(NULL, STDOUT_FILENO, &status) != OK || !cursor_address)
		return refuse(err);
	own.color = color;
	own.locale = mem_strdup(setlocale(LC_CTYPE, NULL));
	setlocale(LC_CTYPE, "");
	own.ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	/* LINES and COLUMNS of the environment would hide a new size. */
	use_env(FALSE);
	own.screen = newterm(NULL, stdout, stdin);
	if (!own.screen) {
		mem_free(TAKE(own.locale));
		return refuse(err);
	}
	set_up();
	return 0;
}

static bool screen_ascii(void)
{
	return own.ascii;
}

static int within(int value, int otherwise)
{
	if (value <= 0)
		return otherwise;
	return value > SIZE_MAX_CELLS ? SIZE_MAX_CELLS : value;
}

static void screen_size(size_t *lines, size_t *columns)
{
	struct winsize size = { 0 };

	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	size.ws_row = (unsigned short)within(size.ws_row, 24);
	size.ws_col = (unsigned short)within(size.ws_col, 80);
	if (size.ws_row != getmaxy(stdscr) || size.ws_col != getmaxx(stdscr)) {
		resizeterm(size.ws_row, size.ws_col);
		erase();
	}
	*lines = (size_t)getmaxy(stdscr);
	*columns = (size_t)getmaxx(stdscr);
}

static attr_t attribute_of(enum paint paint)
{
	switch (paint) {
	case PAINT_STRONG:
		return A_BOLD;
	case PAINT_DIM:
		return A_DIM;
	case PAINT_GOOD:
		return own.color ? (attr_t)COLOR_PAIR(PAIR_GOOD) : A_NORMAL;
	case PAINT_WARN:
		return own.color ? (attr_t)COLOR_PAIR(PAIR_WARN) : A_NORMAL;
	case PAINT_BAD:
		return own.color ? (attr_t)COLOR_PAIR(PAIR_BAD) : A_BOLD;
	default:
		return A_NORMAL;
	}
}

static void screen_line(size_t y, const struct view_line *line)
{
	attr_t all = line->marked ? A_REVERSE : A_NORMAL;

	attrset((int)all);
	move((int)y, 0);
	clrtoeol();
	if (line->marked)
		mvhline((int)y, 0, ' ' | all, getmaxx(stdscr));
	for (size_t i = 0; i < line->count; i++) {
		const struct view_cell *cell = &line->cell[i];

		/* On the marked line colours would be unreadable. */
		attrset((int)(line->marked ? all : attribute_of(cell->paint)));
		mvaddnstr((int)y, (int)cell->x, buf_string(&cell->text), -1);
	}
	attrset(A_NORMAL);
}

static void screen_show(int cursor)
{
	curs_set(cursor >= 0);
	if (cursor >= 0)
		move(getmaxy(stdscr) - 1, cursor);
	refresh();
}

static int special(wint_t key)
{
	static const struct {
		wint_t key;
		enum screen_key means;
	} keys[] = {
		{ KEY_UP, SCREEN_UP },	       { KEY_DOWN, SCREEN_DOWN },
		{ KEY_PPAGE, SCREEN_PAGE_UP }, { KEY_NPAGE, SCREEN_PAGE_DOWN },
		{ KEY_HOME, SCREEN_HOME },     { KEY_END, SCREEN_END },
		{ KEY_ENTER, SCREEN_ENTER },   { KEY_BACKSPACE, SCREEN_ERASE },
	};

	for (size_t i = 0; i < COUNT(keys); i++) {
		if (keys[i].key == key)
			return (int)keys[i].means;
	}
	return SCREEN_OTHER;
}

static int screen_key(void)
{
	wint_t key;
	int kind = get_wch(&key);

	if (kind == ERR)
		return SCREEN_NONE;
	if (kind == KEY_CODE_YES)
		return special(key);
	switch (key) {
	case '\r':
	case '\n':
		return SCREEN_ENTER;
	case '\b':
	case 0x7f:
		return SCREEN_ERASE;
	case 0x1b:
		return SCREEN_ESCAPE;
	default:
		return key < 0x110000 ? (int)key : SCREEN_OTHER;
	}
}

static void screen_leave(void)
{
	endwin();
}

/* All is drawn anew: another program was there. */
static void screen_back(void)
{
	clearok(stdscr, TRUE);
	refresh();
}

extern const struct screen_table screen_table;
const struct screen_table screen_table = {
	.open = screen_open,
	.ascii = screen_ascii,
	.size = screen_size,
	.line = screen_line,
	.show = screen_show,
	.key = screen_key,
	.leave = screen_leave,
	.back = screen_back,
	.close = screen_close,
};
