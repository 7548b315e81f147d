/* SPDX-License-Identifier: MIT */
/*
 * Bytes from the terminal to readline, which never waits for one: it would
 * for the rest of a paste, or after an ESC in vi mode. So a paste is held
 * until all of it is there, and an ESC for a moment. So is a character that
 * is not whole yet: some versions draw its bytes one by one, and lose their
 * place. Bytes are read one by one: what is typed ahead is left for the
 * command that the line starts.
 */
#include "shell/edit_keys.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/text.h"
#include "shell/edit_complete.h"
#include "shell/edit_private.h"
#include "shell/edit_screen.h"

#define KEYS_A_TURN 256
#define PASTE_MAX ((size_t)1 << 20)
#define REST_OF_CHARACTER_MS 100

static const char paste_begins[] = "\033[200~", paste_ends[] = "\033[201~";
#define MARK (sizeof(paste_begins) - 1)

/* The events that are there; 0: none in that time. */
static int readable(int timeout_ms)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };

	return poll(&p, 1, timeout_ms) > 0 ? p.revents : 0;
}

/*
 * Ctrl-C throws away what the terminal holds, also between poll and read:
 * so that read never waits, whatever comes.
 */
static void prepare_terminal(int meta)
{
	struct termios modes;

	rl_prep_terminal(meta);
	if (tcgetattr(STDIN_FILENO, &modes))
		return;
	modes.c_cc[VMIN] = modes.c_cc[VTIME] = 0;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &modes);
}

static bool is_ready(const struct edit_keys *k)
{
	return k->at < k->ready.len;
}

/* For readline: the next byte. */
static int next_byte(FILE *in)
{
	struct edit_keys *k = &edit_current->keys;
	unsigned char c;

	(void)in;
	if (is_ready(k))
		return (unsigned char)k->ready.data[k->at++];
	/* In a search it wants all bytes of a character at once. */
	if (readable(REST_OF_CHARACTER_MS) && read(STDIN_FILENO, &c, 1) == 1)
		return c;
	return EOF;
}

static int has_byte(void)
{
	return is_ready(&edit_current->keys);
}

/* How far byte c brings the mark of which `matched` bytes were there. */
static size_t match(const char *mark, size_t matched, char c)
{
	if (c == mark[matched])
		return matched + 1;
	return c == mark[0];
}

static void end_paste(struct editor *e)
{
	struct edit_keys *k = &e->keys;
	struct words note = { 0 };

	k->pasting = false;
	k->matched = 0;
	if (k->paste.full) {
		/* A part of it would be worse than nothing. */
		buf_done(&k->paste);
		words_add(&note, "a paste of more than 1 MB was dropped");
		buf_text(&k->ready, "~");
		buf_text(&k->ready, paste_ends);
		edit_list_show(e, &note, 0);
		return;
	}
	buf_text(&k->ready, "~");
	buf_add(&k->ready, k->paste.data, k->paste.len);
	buf_done(&k->paste);
}

/* A NUL would be the end for readline, and a CR is a line end for it. */
static void add_pasted(struct buf *paste, char c)
{
	bool crlf =
		c == '\n' && paste->len && paste->data[paste->len - 1] == '\r';

	if (c && !crlf)
		buf_char(paste, c);
}

/* How many bytes of UTF-8 are still to come behind c. */
static unsigned lacking_after(unsigned lacking, unsigned char c)
{
	if (c < 0xc0)
		return c >= 0x80 && lacking ? lacking - 1 : 0;
	return c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
}

static void add_byte(struct editor *e, char c)
{
	struct edit_keys *k = &e->keys;

	if (k->pasting) {
		add_pasted(&k->paste, c);
		k->matched = match(paste_ends, k->matched, c);
		if (k->matched == MARK)
			end_paste(e);
		return;
	}
	k->matched = match(paste_begins, k->matched, c);
	if (k->matched == MARK) {
		/* readline has the rest of the mark; with '~' it would read. */
		k->pasting = true;
		k->matched = 0;
		buf_init(&k->paste, PASTE_MAX);
		return;
	}
	buf_char(&k->ready, c);
	k->lacking = lacking_after(k->lacking, (unsigned char)c);
}

static void one_key(struct editor *e)
{
	if (e->list.ask) {
		edit_list_key(e, next_byte(NULL));
		return;
	}
	edit_draw(e);
	rl_callback_read_char();
	edit_complete_after_key(e);
	edit_prompt_due(e);
	fflush(e->out);
}

/* All that is there. e may be closed after. */
static void feed(struct editor *e)
{
	struct edit_keys *k = &e->keys;

	while (edit_current == e && e->editing && is_ready(k)) {
		one_key(e);
		if (e->finished)
			edit_finish(e);
	}
	if (edit_current == e && !is_ready(k)) {
		buf_reset(&k->ready);
		k->at = 0;
	}
}

static void on_held(void *owner)
{
	struct editor *e = owner;

	if (e->keys.escape_held)
		add_byte(e, ESC);
	e->keys.escape_held = false;
	e->keys.lacking = 0;
	feed(e);
}

/* In vi mode an ESC that nothing follows ends inserting. */
static bool hold_escape(struct editor *e, char c)
{
	const char *text;
	int64_t ms = 0;

	if (c != ESC || rl_editing_mode != 0 || e->keys.pasting)
		return false;
	text = rl_variable_value("keyseq-timeout");
	if (!text || text_integer(text, 1, 10000, &ms))
		return false;
	e->keys.escape_held = true;
	timer_start(&e->keys.held, ms);
	return true;
}

static void take_byte(struct editor *e, char c)
{
	if (e->keys.escape_held) {
		timer_stop(&e->keys.held);
		e->keys.escape_held = false;
		add_byte(e, ESC);
	} else if (hold_escape(e, c)) {
		return;
	}
	add_byte(e, c);
	if (e->keys.lacking)
		timer_start(&e->keys.held, REST_OF_CHARACTER_MS);
	else
		feed(e);
}

/* The terminal is gone: as Ctrl-D. */
static void hang_up(struct editor *e)
{
	edit_end(e);
	buf_done(&e->before);
	e->line = NULL;
	e->finished = true;
	edit_finish(e);
}

/* False: enough for this turn. */
static bool take_bytes(struct editor *e, int status)
{
	char chunk[4096];
	ssize_t got = 0, i;

	if (status == 0) {
		int there = readable(0);

		if (!there)
			return false;
		got = read(STDIN_FILENO, chunk,
			   e->keys.pasting ? sizeof(chunk) : 1);
		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			return false;
		if (got == 0 && there == POLLIN)
			return false;
	}
	if (got <= 0)
		hang_up(e);
	for (i = 0; i < got && edit_current == e; i++)
		take_byte(e, chunk[i]);
	return edit_current == e && e->editing;
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
	struct editor *e = poll->data;
	int n = 0;

	(void)events;
	if (e->hidden) {
		e->keys.paused = true;
		uv_poll_stop(poll);
		return;
	}
	while (n < KEYS_A_TURN && take_bytes(e, status))
		n += e->keys.pasting ? KEYS_A_TURN / 8 : 1;
}

int edit_keys_open(struct editor *e, struct error *err)
{
	struct edit_keys *k = &e->keys;
	int flags = fcntl(STDIN_FILENO, F_GETFL);
	int status = uv_poll_init(loop_uv(e->loop), &k->poll, STDIN_FILENO);

	/* libuv makes it non-blocking, for all who write to this terminal. */
	fcntl(STDIN_FILENO, F_SETFL, flags);
	if (status) {
		error_set(err, ERR_CONNECT, "cannot watch the terminal: %s",
			  uv_strerror(status));
		return error_code(err, -status);
	}
	k->poll.data = e;
	timer_open(&k->held, e->loop, on_held, e);
	rl_getc_function = next_byte;
	rl_input_available_hook = has_byte;
	rl_prep_term_function = prepare_terminal;
	return 0;
}

void edit_keys_start(struct editor *e)
{
	e->keys.paused = false;
	uv_poll_start(&e->keys.poll, UV_READABLE, on_readable);
	/* What was behind a paste is for this line. */
	if (is_ready(&e->keys))
		timer_start(&e->keys.held, 0);
}

void edit_keys_stop(struct editor *e)
{
	timer_stop(&e->keys.held);
	e->keys.escape_held = false;
	uv_poll_stop(&e->keys.poll);
}

void edit_keys_reset(struct editor *e)
{
	struct edit_keys *k = &e->keys;

	timer_stop(&k->held);
	k->escape_held = k->pasting = false;
	k->matched = k->at = 0;
	k->lacking = 0;
	buf_done(&k->ready);
	buf_done(&k->paste);
}

void edit_keys_close(struct editor *e)
{
	edit_keys_reset(e);
	edit_close_timer(e, &e->keys.held);
	edit_close_handle(e, (uv_handle_t *)&e->keys.poll);
	rl_getc_function = rl_getc;
	rl_input_available_hook = NULL;
	rl_prep_term_function = rl_prep_terminal;
}
