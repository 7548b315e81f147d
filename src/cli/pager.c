/* SPDX-License-Identifier: MIT */
/* What is held, whether it fits, and the pager as a child on the terminal. */
#include "cli/pager.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/outside.h"
#include "cli/parse.h"
#include "out/term.h"

/* "less -FRX", or what PAGER says; NULL: none is wanted. */
static const char *pager_command(void)
{
	const char *given = getenv("PAGER");

	if (!given)
		return "less -FRX";
	return *given && !text_same(given, "cat") ? given : NULL;
}

/* Its end is that of who looks on. */
static bool goes_on(const struct parsed *p)
{
	const struct option_row *o = p->command->options;

	for (; o && o->name; o++) {
		if (o->type == OPTION_FLAG && strcmp(o->name, "watch") == 0)
			return *((const bool *)p->options + o->offset);
	}
	return false;
}

static bool is_wanted(const struct app *app, const struct parsed *p)
{
	const struct renderer *r = &app->out;
	bool long_one = p->help || (p->command->flags & CMD_PAGED);

	/* With --all each device answers in its time. */
	return long_one && (p->help || !goes_on(p)) &&
	       (!app->config.all || p->command == &cmd_help) &&
	       !app->config.no_pager && r->form == OUTPUT_TEXT &&
	       r->out_terminal && term_moves() && pager_command();
}

void pager_begin(struct pager *p, struct app *app, const struct parsed *parsed)
{
	*p = (struct pager){ .app = app };
	if (!is_wanted(app, parsed))
		return;
	p->held = open_memstream(&p->text, &p->len);
	if (!p->held)
		return;
	p->was = app->out.out;
	app->out.out = p->held;
	if (app->out.err_terminal)
		app->out.later = &p->later;
}

/* ---- does it fit ---- */

/* Columns of a line without the colours of ours in it. */
static size_t columns(const char *line, size_t len)
{
	CLEANUP(buf_done) struct buf plain = { 0 };

	for (size_t i = 0; i < len; i++) {
		if (line[i] == '\033') {
			while (i < len && line[i] != 'm')
				i++;
			continue;
		}
		buf_char(&plain, line[i]);
	}
	return text_width(buf_string(&plain), plain.len);
}

static bool fits(const struct pager *p)
{
	struct winsize size = { 0 };
	size_t rows = 0, width = p->app->out.width;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0)
		return true;
	for (const char *at = p->text; *at && rows < size.ws_row;) {
		size_t len = strcspn(at, "\n"), wide = columns(at, len);

		rows += wide > width ? (wide + width - 1) / width : 1;
		at += len + (at[len] == '\n');
	}
	/* The prompt has the last row. */
	return rows < size.ws_row;
}

/* ---- the child ---- */

/* A pager that was left early reads no more: that is no failure. */
static void feed(const struct pager *p, int fd)
{
	for (size_t at = 0; at < p->len;) {
		ssize_t count = write(fd, p->text + at, p->len - at);

		if (count <= 0)
			return;
		at += (size_t)count;
	}
}

/* False: there is no such program; nothing was shown. */
static bool show(struct pager *p)
{
	enum { NOT_FOUND = 127, NOT_RUN = 126 };
	CLEANUP(error_reset) struct error why = { 0 };
	struct outside_order order = { .command = pager_command(),
				       .in = CHILD_PIPE };
	struct outside o;
	int ends[2], status;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	order.in_fd = ends[0];
	status = outside_start(&o, p->app, &order, &why);
	close(ends[0]);
	if (status == 0)
		feed(p, ends[1]);
	close(ends[1]);
	if (status != 0)
		return false;
	outside_wait(&o);
	return o.status != NOT_FOUND && o.status != NOT_RUN;
}

void pager_end(struct pager *p, bool good)
{
	if (!p->held)
		return;
	fclose(p->held);
	p->app->out.out = p->was;
	p->app->out.later = NULL;
	if (!good || p->app->out.drawn || fits(p) || !show(p))
		fwrite(p->text, 1, p->len, p->was);
	fflush(p->was);
	put_err(&p->app->out, &p->later);
	buf_done(&p->later);
	free(p->text);
	*p = (struct pager){ 0 };
}
