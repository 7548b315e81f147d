/* SPDX-License-Identifier: MIT */
/*
 * What is on the screen: the line that is edited, taken away for other
 * output and put back, not more often than an eye can follow.
 */
#include <string.h>

#include "base/mem.h"
#include "shell/edit_private.h"

#define FRAME_MS 33

static void draw_nothing(void)
{
}

void edit_quiet(void)
{
	rl_redisplay_function = draw_nothing;
}

bool edit_moves(void)
{
	return rl_get_termcap("ce") && rl_get_termcap("up");
}

void edit_erase(struct editor *e)
{
	timer_stop(&e->redraw);
	edit_quiet();
	if (!e->drawn)
		return;
	e->drawn = false;
	if (!edit_moves())
		fputs("\n", e->out);
	else if (e->list.ask)
		fputs("\r\033[K", e->out);
	else
		rl_clear_visible_line();
	fflush(e->out);
}

void edit_draw(struct editor *e)
{
	if (e->drawn || e->hidden || !e->editing)
		return;
	timer_stop(&e->redraw);
	e->drawn = true;
	e->drawn_at = loop_now();
	if (e->list.ask) {
		edit_list_draw(e);
		return;
	}
	rl_redisplay_function = rl_redisplay;
	rl_on_new_line();
	rl_redisplay();
	fflush(e->out);
}

static void on_redraw(void *owner)
{
	edit_draw(owner);
}

void edit_screen_open(struct editor *e)
{
	timer_open(&e->redraw, e->loop, on_redraw, e);
}

void edit_screen_close(struct editor *e)
{
	edit_close_timer(e, &e->redraw);
	rl_redisplay_function = rl_redisplay;
}

void edit_hide(void)
{
	struct editor *e = edit_current;

	if (!e)
		return;
	e->hidden++;
	if (e->editing)
		edit_erase(e);
}

/*
 * After the first of many lines it is back at once, and then until they end
 * at every frame; a key does not wait for one.
 */
void edit_show(void)
{
	struct editor *e = edit_current;
	int64_t wait;

	if (!e || !e->hidden || --e->hidden || !e->editing)
		return;
	if (e->keys.paused)
		edit_keys_start(e);
	wait = e->drawn_at + FRAME_MS - loop_now();
	if (wait <= 0)
		edit_draw(e);
	else
		timer_start(&e->redraw, wait);
}

void edit_prompt_due(struct editor *e)
{
	bool drawn = e->drawn;

	if (!e->prompt_due || RL_ISSTATE(EDIT_SEARCHES))
		return;
	e->prompt_due = false;
	if (e->list.ask) {
		rl_set_prompt(e->prompt);
		return;
	}
	if (drawn)
		edit_erase(e);
	rl_set_prompt(e->prompt);
	if (drawn)
		edit_draw(e);
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

char *edit_prompt_marked(const char *prompt)
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
