/* SPDX-License-Identifier: MIT */
/*
 * The line editor: readline on our loop. Its life, and that of a line.
 */
#include "shell/edit.h"

#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "shell/edit_private.h"

#define RL_TEXT_(x) #x
#define RL_TEXT(x) RL_TEXT_(x)

struct editor *edit_current;

/* ---- one line ---- */

/*
 * readline sets the locale of the environment at each line. Where that has no
 * UTF-8, our text is UTF-8 all the same.
 */
static void want_utf8(void)
{
	if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		setlocale(LC_CTYPE, "C.UTF-8");
}

/* Before readline shows the line for the first time. */
static int on_startup(void)
{
	struct editor *e = edit_current;

	want_utf8();
	if (e->kept) {
		rl_insert_text(e->kept);
		rl_point = e->kept_point;
	}
	mem_free(TAKE(e->kept));
	return 0;
}

/*
 * A macro of inputrc may have more behind the line's end; without a handler
 * readline would edit nothing with it.
 */
static void on_line(char *line)
{
	struct editor *e = edit_current;

	rl_callback_handler_remove();
	edit_quiet();
	rl_free_line_state();
	/* It ends the row at Ctrl-D only for a terminal that can paste. */
	if (!line &&
	    strcmp(rl_variable_value("enable-bracketed-paste"), "on") != 0)
		fputs("\n", e->out);
	rl_eof_found = 0;
	e->drawn = false;
	e->finished = true;
	e->line = line;
}

void edit_begin(struct editor *e)
{
	fflush(stdout);
	timer_stop(&e->redraw);
	rl_redisplay_function = rl_redisplay;
	rl_reset_screen_size();
	rl_startup_hook = on_startup;
	rl_callback_handler_install(e->before.len ? EDIT_CONTINUES : e->prompt,
				    on_line);
	rl_startup_hook = NULL;
	fflush(e->out);
	e->editing = e->drawn = true;
	e->prompt_due = false;
	e->drawn_at = loop_now();
	edit_keys_start(e);
	edit_signal_start(e);
	if (e->hidden)
		edit_erase(e);
}

static void stop_reading(struct editor *e)
{
	e->editing = false;
	timer_stop(&e->redraw);
	edit_keys_stop(e);
	edit_signal_stop(e);
	fflush(e->out);
}

/* What readline does at the end of a line, with the history's lines restored. */
void edit_end(struct editor *e)
{
	edit_list_end(e);
	edit_quiet();
	rl_callback_sigcleanup();
	if (current_history() && rl_undo_list)
		rl_revert_line(1, 0);
	rl_free_line_state();
	rl_callback_handler_remove();
	e->drawn = false;
	stop_reading(e);
}

static void report(struct editor *e, const char *line)
{
	const struct edit_events *events = e->events;

	events->line(e->owner, line);
}

void edit_finish(struct editor *e)
{
	CLEANUP(buf_done) struct buf whole = e->before;
	char *line = TAKE(e->line);

	e->finished = false;
	stop_reading(e);
	e->before = (struct buf){ 0 };
	if (!line && !whole.len) {
		report(e, NULL);
		return;
	}
	if (line)
		buf_text(&whole, line);
	else
		whole.data[--whole.len] = '\0'; /* the newline of the last */
	if (line && e->events->incomplete &&
	    e->events->incomplete(e->owner, buf_string(&whole))) {
		buf_char(&whole, '\n');
		e->before = whole;
		whole = (struct buf){ 0 };
		edit_begin(e);
	} else {
		report(e, buf_string(&whole));
	}
	free(line);
}

/* ---- the table ---- */

static void edit_prompt(const char *prompt)
{
	struct editor *e = edit_current;

	if (!e)
		return;
	mem_free(e->prompt);
	e->prompt = edit_prompt_marked(prompt);
	e->prompt_due = e->editing && !e->before.len;
	edit_prompt_due(e);
}

static void edit_start(const char *prompt)
{
	struct editor *e = edit_current;

	edit_prompt(prompt);
	if (e && !e->editing)
		edit_begin(e);
}

static void edit_stop(void)
{
	struct editor *e = edit_current;

	if (!e || !e->editing)
		return;
	edit_erase(e);
	edit_list_end(e);
	/* Out of a search, so that the line is the line. */
	rl_callback_sigcleanup();
	e->kept = mem_strdup(rl_line_buffer);
	e->kept_point = rl_point;
	edit_end(e);
}

/* Ctrl-C is shown where the line ends, as shells do. */
static void edit_clear(void)
{
	struct editor *e = edit_current;

	if (!e || !e->editing)
		return;
	edit_draw(e);
	if (e->drawn && !e->list.ask && !RL_ISSTATE(EDIT_SEARCHES)) {
		rl_point = rl_end;
		rl_redisplay();
	}
	if (e->drawn)
		fputs("^C\n", e->out);
	buf_done(&e->before);
	edit_keys_reset(e);
	edit_end(e);
	edit_begin(e);
}

static void edit_remember(const char *line)
{
	if (edit_current)
		edit_history_add(edit_current, line);
}

/* ---- life ---- */

static void release(struct editor *e)
{
	if (--e->closing)
		return;
	fclose(e->out);
	mem_free(e);
}

static void on_handle_closed(uv_handle_t *handle)
{
	release(handle->data);
}

static void on_timer_closed(void *owner)
{
	release(owner);
}

void edit_close_handle(struct editor *e, uv_handle_t *handle)
{
	if (!handle->data)
		return;
	e->closing++;
	uv_close(handle, on_handle_closed);
}

void edit_close_timer(struct editor *e, struct timer *t)
{
	if (!t->open)
		return;
	e->closing++;
	timer_close(t, on_timer_closed);
}

static void edit_close(void)
{
	struct editor *e = edit_current;

	if (!e)
		return;
	if (e->editing) {
		edit_erase(e);
		edit_end(e);
	}
	edit_history_close(e);
	edit_complete_close(e);
	e->closing = 1;
	edit_keys_close(e);
	edit_signal_close(e);
	edit_screen_close(e);
	mem_free(e->prompt);
	mem_free(e->kept);
	buf_done(&e->before);
	edit_current = NULL;
	release(e);
}

/*
 * Results go to stdout, which may be a file or a pipe: so the line is shown
 * on stderr, and on stdout only when stderr is no terminal. A FILE of our
 * own: readline writes bytewise, and stderr has no buffer.
 */
static FILE *open_terminal(struct error *err)
{
	int fd = isatty(STDERR_FILENO) ? STDERR_FILENO : STDOUT_FILENO;
	FILE *out = NULL;

	if (isatty(STDIN_FILENO) && isatty(fd)) {
		fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
		out = fd < 0 ? NULL : fdopen(fd, "w");
	}
	if (!out) {
		error_set(err, ERR_CONNECT,
			  "there is no terminal to edit lines on");
		error_hint(err, "give the lines to stdin of a script instead");
	}
	return out;
}

static void set_up_readline(struct editor *e)
{
	rl_readline_name = "mcpctl";
	rl_instream = stdin;
	rl_outstream = e->out;
	/* Signals are the loop's; LINES and COLUMNS would mislead children. */
	rl_catch_signals = 0;
	rl_catch_sigwinch = 0;
	rl_change_environment = 0;
	rl_initialize();
	if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0) {
		want_utf8();
		rl_variable_bind("input-meta", "on");
		rl_variable_bind("output-meta", "on");
		rl_variable_bind("convert-meta", "off");
	}
	/* Else a paste in vi's command mode would be commands, and run. */
	rl_bind_keyseq_if_unbound_in_map("\033[200~", rl_bracketed_paste_begin,
					 vi_movement_keymap);
}

static int edit_open(struct loop *l, const struct edit_events *events,
		     void *owner, const char *history, struct error *err)
{
	FILE *out = open_terminal(err);
	struct editor *e;

	if (!out)
		return -1;
	e = mem_zalloc(sizeof(*e));
	e->loop = l;
	e->events = events;
	e->owner = owner;
	e->out = out;
	edit_current = e;
	set_up_readline(e);
	edit_complete_open(e);
	edit_screen_open(e);
	if (edit_keys_open(e, err) || edit_signal_open(e, err)) {
		edit_close();
		return -1;
	}
	edit_history_open(e, history);
	return 0;
}

const struct edit_table edit_table = {
	.open = edit_open,
	.start = edit_start,
	.stop = edit_stop,
	.prompt = edit_prompt,
	.hide = edit_hide,
	.show = edit_show,
	.clear = edit_clear,
	.remember = edit_remember,
	.close = edit_close,
	.version = RL_TEXT(RL_VERSION_MAJOR) "." RL_TEXT(RL_VERSION_MINOR),
};
