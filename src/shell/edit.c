/* SPDX-License-Identifier: MIT */
/*
 * The line editor: readline on our loop; the file of its history; signals.
 */
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/suspend.h"
#include "shell/edit.h"
#include "shell/edit_complete.h"
#include "shell/edit_keys.h"
#include "shell/edit_private.h"
#include "shell/edit_screen.h"

/*
 * The history's file: an entry a line, newlines in it as \n, backslashes
 * doubled. A line is appended when it is remembered, so that a closed window
 * loses none and several shells keep all; the oldest go when one ends.
 */

#define ENTRIES_MAX 2000
#define ENTRY_MAX ((size_t)64 << 10) /* bytes in the file */
#define FILE_MAX ((off_t)8 << 20) /* what is before is not read */

static void encode(struct buf *out, const char *line)
{
	for (; *line; line++) {
		if (*line == '\n')
			buf_text(out, "\\n");
		else if (*line == '\\')
			buf_text(out, "\\\\");
		else
			buf_char(out, *line);
	}
	buf_char(out, '\n');
}

static void decode(char *line)
{
	char *to = line;

	for (; *line; line++) {
		bool escaped = *line == '\\' && line[1];

		line += escaped;
		*to = *line;
		if (escaped && *line == 'n')
			*to = '\n';
		to++;
	}
	*to = '\0';
}

/* The end of the file, whole lines of it, into out. -1: nothing to read. */
static int load(const char *path, struct buf *out)
{
	struct stat st;
	int fd = file_open_regular(path, 0, &st), result;

	if (fd < 0)
		return -1;
	if (st.st_mode & 077)
		fchmod(fd, 0600);
	if (st.st_size > FILE_MAX)
		lseek(fd, -FILE_MAX, SEEK_END);
	/* It may grow meanwhile. */
	buf_init(out, 2 * (size_t)FILE_MAX);
	result = file_read_fd(out, fd);
	close(fd);
	if (!result && st.st_size > FILE_MAX) {
		const char *end = memchr(out->data, '\n', out->len);

		buf_consume(out, end ? (size_t)(end + 1 - out->data) : 0);
	}
	return result;
}

static void add_entries(struct buf *text)
{
	char *line = text->data, *end;

	for (; line && *line; line = end + 1) {
		end = strchr(line, '\n');
		if (end)
			*end = '\0';
		decode(line);
		if (*line)
			add_history(line);
		if (!end)
			break;
	}
}

static void edit_history_open(struct editor *e, const char *path)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	stifle_history(ENTRIES_MAX);
	if (!path)
		return;
	e->history = mem_strdup(path);
	if (load(path, &text) == 0)
		add_entries(&text);
}

static void append(const char *path, const char *line)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	int fd;

	encode(&text, line);
	if (text.len > ENTRY_MAX)
		return;
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK,
		  0600);
	if (fd < 0 || file_write(fd, text.data, text.len))
		log_debug("cannot add to '%s': %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
}

static void edit_history_add(struct editor *e, const char *line)
{
	const HIST_ENTRY *last;

	if (!*line || *line == ' ')
		return;
	using_history();
	last = history_get(history_base + history_length - 1);
	if (last && strcmp(last->line, line) == 0)
		return;
	add_history(line);
	if (e->history)
		append(e->history, line);
}

/* The last ENTRIES_MAX lines of text; NULL if there are no more. */
static const char *newest(const struct buf *text)
{
	const char *at = text->data + text->len;
	size_t lines = 0;

	while (at > text->data) {
		if (at[-1] == '\n' && lines++ == ENTRIES_MAX)
			return at;
		at--;
	}
	return NULL;
}

static void trim(const char *path)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	char *file = realpath(path, NULL); /* a link stays one */

	if (file && load(file, &text) == 0 && text.len) {
		const char *from = newest(&text);

		if (from && file_replace(file, 0600, from,
					 text.len - (size_t)(from - text.data)))
			log_debug("cannot replace '%s': %s", file,
				  strerror(errno));
	}
	free(file);
}

static void edit_history_close(struct editor *e)
{
	if (e->history)
		trim(e->history);
	mem_free(TAKE(e->history));
	clear_history();
	unstifle_history();
}

/* The bytes of the escape sequence at p (ESC [ … letter), 0 if it is none. */
static size_t sequence(const char *p)
{
	size_t len;

	if (p[0] != '\033' || p[1] != '[')
		return 0;
	len = 2 + strspn(p + 2, "0123456789;:");
	return p[len] == 'm' ? len + 1 : 0;
}

/* Yours: colours marked as having no width, no other control characters. */
static char *edit_prompt_marked(const char *prompt)
{
	struct buf out = { 0 };

	while (*prompt) {
		size_t len = sequence(prompt);

		if (len) {
			buf_char(&out, RL_PROMPT_START_IGNORE);
			buf_add(&out, prompt, len);
			buf_char(&out, RL_PROMPT_END_IGNORE);
			prompt += len;
			continue;
		}
		if ((unsigned char)*prompt >= ' ' && *prompt != '\177')
			buf_char(&out, *prompt);
		prompt++;
	}
	return buf_take(&out);
}

/*
 * Signals of the terminal, while a line is edited: another size, Ctrl-Z and
 * what follows, Ctrl-\. Ctrl-C is the loop's. Outside of editing nothing is
 * caught.
 */

static void on_resize(uv_signal_t *handle, int number)
{
	struct editor *e = handle->data;

	(void)number;
	if (e->drawn && !e->list.ask)
		rl_resize_terminal();
	else
		rl_reset_screen_size();
	fflush(e->out);
}

/* Whoever had the terminal meanwhile left the cursor on a line of its own. */
static void restore(struct editor *e)
{
	rl_prep_term_function(1);
	rl_reset_screen_size();
	edit_draw(e);
	fflush(e->out);
}

static void on_suspend(uv_signal_t *handle, int number)
{
	struct editor *e = handle->data;

	(void)number;
	edit_erase(e);
	rl_deprep_terminal();
	suspend_here();
	e->resumed_at = loop_now();
	restore(e);
}

/* After a SIGSTOP, which nobody can catch, the modes must be set anew. */
static void on_resume(uv_signal_t *handle, int number)
{
	struct editor *e = handle->data;

	(void)number;
	/* That of a Ctrl-Z, which is over, comes in the next turn. */
	if (e->resumed_at && loop_now() - e->resumed_at < 200)
		return;
	rl_deprep_terminal();
	e->drawn = false;
	restore(e);
}

/* Ctrl-\ would leave the terminal in readline's modes. */
static void on_quit(uv_signal_t *handle, int number)
{
	(void)handle;
	(void)number;
}

static int init_signal(struct editor *e, uv_signal_t *handle)
{
	int status = uv_signal_init(loop_uv(e->loop), handle);

	if (status == 0)
		handle->data = e;
	return status;
}

static int edit_signal_open(struct editor *e, struct error *err)
{
	int status = init_signal(e, &e->resize);

	if (!status)
		status = init_signal(e, &e->suspend);
	if (!status)
		status = init_signal(e, &e->resume);
	if (!status)
		status = init_signal(e, &e->quit);
	e->can_suspend = !suspend_ignored();
	if (!status)
		return 0;
	error_set(err, ERR_CONNECT, "cannot watch for signals: %s",
		  uv_strerror(status));
	return error_code(err, -status);
}

static void edit_signal_start(struct editor *e)
{
	e->resumed_at = 0;
	uv_signal_start(&e->resize, on_resize, SIGWINCH);
	uv_signal_start(&e->resume, on_resume, SIGCONT);
	uv_signal_start(&e->quit, on_quit, SIGQUIT);
	if (e->can_suspend)
		uv_signal_start(&e->suspend, on_suspend, SIGTSTP);
}

static void edit_signal_stop(struct editor *e)
{
	uv_signal_stop(&e->resize);
	uv_signal_stop(&e->resume);
	uv_signal_stop(&e->quit);
	if (e->can_suspend)
		uv_signal_stop(&e->suspend);
}

static void edit_signal_close(struct editor *e)
{
	edit_close_handle(e, (uv_handle_t *)&e->resize);
	edit_close_handle(e, (uv_handle_t *)&e->suspend);
	edit_close_handle(e, (uv_handle_t *)&e->resume);
	edit_close_handle(e, (uv_handle_t *)&e->quit);
}

/*
 * The line editor: readline on our loop. Its life, and that of a line.
 */

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

/* edit.c */
static void edit_begin(struct editor *e)
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
		buf_cut(&whole, whole.len - 1); /* the newline of the last */
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

static void edit_hide(void)
{
	struct editor *e = edit_current;

	if (!e)
		return;
	e->hidden++;
	if (e->editing)
		edit_erase(e);
}

/* A key does not wait until the line is drawn. */
static void edit_show(void)
{
	struct editor *e = edit_current;

	if (!e || !e->hidden || --e->hidden || !e->editing)
		return;
	if (e->keys.paused)
		edit_keys_start(e);
	edit_draw_soon(e);
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
	edit_close_timer(e, &e->redraw);
	rl_redisplay_function = rl_redisplay;
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
