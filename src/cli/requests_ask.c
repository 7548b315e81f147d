/* SPDX-License-Identifier: MIT */
/*
 * elicitation/create asked of a person: one question at a time, one field
 * after another, on the loop. How it looks is in requests_show.c.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/prompt.h"
#include "cli/requests_private.h"

enum ask_step { STEP_CONSENT, STEP_FIELD, STEP_REVIEW };

struct asking {
	struct question *q;
	struct prompt *prompt;
	enum ask_step step;
	const char *url; /* NULL: a form */
	struct form form;
	cJSON *content;
	size_t at; /* field */
};

static void say(struct asking *g, const struct buf *text)
{
	if (text->len)
		prompt_say(g->prompt, buf_string(text));
}

static void say_why(struct asking *g, const char *why)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	buf_text(&b, "  ");
	shown_line(&b, why, SAID_MAX);
	say(g, &b);
}

/* What was typed before it is edited again, or the server's proposal. */
static const cJSON *proposed(const struct asking *g)
{
	const struct form_field *f = &g->form.field[g->at];
	const cJSON *before = json_member(g->content, f->name);

	return before ? before : f->fallback;
}

static void show_field(struct asking *g)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	shown_field(&b, &g->form.field[g->at]);
	say(g, &b);
}

/* ---- what is asked ---- */

static void ask_field(struct asking *g)
{
	const struct form_field *f = &g->form.field[g->at];
	const cJSON *value = proposed(g);
	CLEANUP(buf_done) struct buf b = { 0 };

	shown_line(&b, f->name, TITLE_MAX);
	buf_text(&b, " (");
	form_expects(&g->form, f, &b);
	buf_char(&b, ')');
	if (value) {
		buf_text(&b, " [");
		shown_value(&b, value);
		buf_char(&b, ']');
	}
	buf_text(&b, ": ");
	prompt_ask(g->prompt, buf_string(&b));
}

static void ask_again(struct asking *g)
{
	switch (g->step) {
	case STEP_CONSENT:
		prompt_ask(g->prompt,
			   g->url ? "Do you agree? [y: yes, d: decline, c: "
				    "cancel] " :
				    "Answer it? [Y: yes, d: decline, c: "
				    "cancel] ");
		break;
	case STEP_FIELD:
		ask_field(g);
		break;
	case STEP_REVIEW:
		prompt_ask(g->prompt, "Send it? [Y: yes, e: edit, d: decline, "
				      "c: cancel] ");
		break;
	}
}

/* ---- its end ---- */

static void asking_free(struct asking *g)
{
	prompt_close(g->prompt);
	form_done(&g->form);
	json_free_ptr(&g->content);
	mem_free(g);
}

static void remember_consent(struct requests *a, const struct question *q)
{
	const char *id = json_string(q->params, "elicitationId");

	for (size_t i = 0; id && i < CONSENTS_MAX; i++) {
		if (a->consent[i])
			continue;
		a->consent[i] = mem_strdup(id);
		return;
	}
}

/* g is gone after. */
static void finish(struct asking *g, const char *action)
{
	struct question *q = g->q;
	struct requests *a = q->of;
	bool accepted = strcmp(action, "accept") == 0;

	a->asking = NULL;
	question_action(q, action, accepted && !g->url ? g->content : NULL);
	if (accepted && g->url)
		remember_consent(a, q);
	asking_free(g);
	question_end(q, &a->waiting);
	requests_ask_next(a);
}

/* ---- what was typed ---- */

static void review(struct asking *g)
{
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(buf_done) struct buf b = { 0 };

	if (form_check(&g->form, g->content, &why) != 0) {
		say_why(g, why.text);
		g->step = STEP_CONSENT;
		ask_again(g);
		return;
	}
	if (g->form.count < 2) {
		finish(g, "accept");
		return;
	}
	buf_text(&b, "This will be sent:\n");
	json_print_pretty(&b, g->content);
	say(g, &b);
	g->step = STEP_REVIEW;
	ask_again(g);
}

static void field_or_review(struct asking *g)
{
	if (g->at == g->form.count) {
		review(g);
		return;
	}
	show_field(g);
	ask_again(g);
}

static void next_field(struct asking *g)
{
	g->at++;
	field_or_review(g);
}

static void store(struct asking *g, cJSON *value)
{
	const char *name = g->form.field[g->at].name;

	cJSON_DeleteItemFromObjectCaseSensitive(g->content, name);
	if (value)
		cJSON_AddItemToObject(g->content, name, value);
}

static void refuse_value(struct asking *g, const char *why)
{
	say_why(g, why);
	ask_again(g);
}

static void take_value(struct asking *g, const char *line)
{
	const struct form_field *f = &g->form.field[g->at];
	const cJSON *value = proposed(g);
	CLEANUP(error_reset) struct error why = { 0 };
	cJSON *typed;

	if (!*line && !value && f->required) {
		refuse_value(g, f->kind == FORM_TEXT ?
					"it is required (\"\" is the empty "
					"text)" :
					"it is required");
		return;
	}
	if (!*line) {
		store(g, value ? cJSON_Duplicate(value, true) : NULL);
		next_field(g);
		return;
	}
	typed = form_parse(&g->form, f, line, &why);
	if (!typed) {
		refuse_value(g, why.text);
		return;
	}
	store(g, typed);
	next_field(g);
}

static void begin_fields(struct asking *g)
{
	g->at = 0;
	g->step = STEP_FIELD;
	field_or_review(g);
}

static void take_consent(struct asking *g, bool yes, char letter)
{
	if (yes && g->url)
		finish(g, "accept");
	else if (yes || (letter == 'e' && g->step == STEP_REVIEW))
		begin_fields(g);
	else if (letter == 'd')
		finish(g, "decline");
	else if (letter == 'c')
		finish(g, "cancel");
	else
		ask_again(g);
}

/* One word decides; Enter alone agrees to a form, never to a page. */
static void take_word(struct asking *g, const char *line)
{
	char letter = (char)text_lower(line[strspn(line, " \t")]);
	bool yes = letter == 'y' || (!letter && !g->url);

	if (yes && g->step == STEP_REVIEW)
		finish(g, "accept");
	else
		take_consent(g, yes, letter);
}

static void on_line(void *owner, const char *line)
{
	struct asking *g = owner;

	if (!line)
		finish(g, "cancel");
	else if (g->step == STEP_FIELD)
		take_value(g, line);
	else
		take_word(g, line);
}

/* ---- its beginning ---- */

static void show(struct asking *g)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	if (g->url)
		shown_url(&b, g->q, g->url);
	else
		shown_form(&b, g->q, &g->form);
	say(g, &b);
	ask_again(g);
}

/* The schema was looked at before. */
static void start(struct requests *a, struct question *q)
{
	const char *mode = json_string(q->params, "mode");
	struct asking *g = mem_zalloc(sizeof(*g));
	CLEANUP(error_reset) struct error why = { 0 };

	g->q = q;
	g->content = cJSON_CreateObject();
	if (mode && strcmp(mode, "url") == 0)
		g->url = json_string(q->params, "url");
	else
		form_read(&g->form, json_member(q->params, "requestedSchema"),
			  &why);
	a->asking = g;
	if (prompt_open(&g->prompt, a->app, on_line, g, &why) == 0) {
		show(g);
		return;
	}
	a->asking = NULL;
	asking_free(g);
	question_action(q, "cancel", NULL);
	question_note(q, "cancelled: %s", why.text);
	question_end(q, &a->waiting);
}

void requests_ask_next(struct requests *a)
{
	while (a->waiting && !a->asking && !a->lent)
		start(a, a->waiting);
}

void requests_ask(struct question *q)
{
	struct requests *a = q->of;
	const char *obstacle = a->lent ? NULL : prompt_obstacle(a->app);

	if (obstacle) {
		question_action(q, "cancel", NULL);
		question_note(q, "cancelled: %s (--elicit ask)", obstacle);
		return;
	}
	question_keep(q, &a->waiting);
	requests_ask_next(a);
}

void requests_ask_stop(struct requests *a, const char *why)
{
	struct asking *g = TAKE(a->asking);
	CLEANUP(buf_done) struct buf b = { 0 };

	if (!g)
		return;
	if (why)
		buf_printf(&b, "(%s)\n", why);
	say(g, &b);
	asking_free(g);
}
