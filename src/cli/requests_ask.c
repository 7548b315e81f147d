/* SPDX-License-Identifier: MIT */
/*
 * The answers to questions of a server: from a person, from options, by a
 * command.
 */
#include <string.h>

#include "base/child.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/prompt.h"
#include "cli/requests_ask.h"

/*
 * elicitation/create asked of a person: one question at a time, one field
 * after another, on the loop. How it looks is in question.c.
 */

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
		prompt_ask(
			g->prompt,
			g->url ?
				"Do you agree? [y: yes, d: decline, c: cancel] " :
				"Answer it? [Y: yes, d: decline, c: cancel] ");
		break;
	case STEP_FIELD:
		ask_field(g);
		break;
	case STEP_REVIEW:
		prompt_ask(
			g->prompt,
			"Send it? [Y: yes, e: edit, d: decline, c: cancel] ");
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
		refuse_value(g,
			     f->kind == FORM_TEXT ?
				     "it is required (\"\" is the empty text)" :
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
	if (prompt_open(&g->prompt, a->connection->app, on_line, g, &why) ==
	    0) {
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

/* requests_ask.c */
static void requests_ask(struct question *q)
{
	struct requests *a = q->of;
	const char *obstacle =
		a->lent ? NULL : prompt_obstacle(a->connection->app);

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

/*
 * elicitation/create: what is checked before anybody is asked, and the answers
 * that need nobody.
 */

/* Wrong parameters: the server is told, and the user. */
static void question_wrong(const struct question *q, const struct error *why)
{
	question_refuse(q, JSONRPC_INVALID_PARAMS, why->text);
	question_note(q, "refused: %s", why->text);
}

static const char *const actions[] = {
	[ELICIT_DECLINE] = "decline", [ELICIT_CANCEL] = "cancel"
};

/* ---- forms ---- */

static void decline(const struct question *q, const char *why)
{
	question_action(q, "decline", NULL);
	question_note(q, "declined: %s (--elicit)", why);
}

/* The names alone: values may be secrets. */
static void accept_form(const struct question *q, const cJSON *content)
{
	CLEANUP(buf_done) struct buf names = { 0 };
	const cJSON *one;

	cJSON_ArrayForEach(one, content) {
		buf_printf(&names, "%s%s", names.len ? ", " : "", one->string);
	}
	question_action(q, "accept", content);
	question_note(q, "accepted (--elicit)%s%s", names.len ? ": " : "",
		      buf_string(&names));
}

/* From the file, or the defaults of the schema. */
static void fill_in(const struct question *q, const struct form *f)
{
	CLEANUP(json_free_ptr) cJSON *content = form_pick(f, q->of->values);
	CLEANUP(buf_done) struct buf missing = { 0 };
	CLEANUP(error_reset) struct error why = { 0 };

	form_complete(f, content, &missing);
	if (missing.len) {
		CLEANUP(mem_free_ptr)
		char *text = mem_printf("no value for %s", missing.data);

		decline(q, text);
	} else if (form_check(f, content, &why) != 0) {
		decline(q, why.text);
	} else {
		accept_form(q, content);
	}
}

static void answer_form(struct question *q)
{
	CLEANUP(form_done) struct form f = { 0 };
	CLEANUP(error_reset) struct error why = { 0 };

	if (form_read(&f, json_member(q->params, "requestedSchema"), &why) != 0)
		question_wrong(q, &why);
	else if (q->of->elicit == ELICIT_ASK)
		requests_ask(q);
	else
		fill_in(q, &f);
}

/* ---- pages in a browser ---- */

static void answer_url(struct question *q)
{
	const char *url = json_string(q->params, "url");
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(mem_free_ptr) char *host = NULL;

	if (!q->of->declared.elicit_url)
		error_set(&why, ERR_USAGE, "the mode url was not declared");
	else if (!url)
		error_set(&why, ERR_USAGE, "the url is missing");
	else
		host = question_url_host(url, &why);
	if (!host)
		question_wrong(q, &why);
	else
		requests_ask(q);
}

void requests_elicit(struct question *q)
{
	const char *mode = json_string(q->params, "mode");
	const char *action = NULL;
	CLEANUP(error_reset) struct error why = { 0 };

	if (q->of->elicit == ELICIT_DECLINE || q->of->elicit == ELICIT_CANCEL)
		action = actions[q->of->elicit];
	if (action) {
		question_action(q, action, NULL);
		question_note(q, "answered '%s' (--elicit)", action);
	} else if (!mode || strcmp(mode, "form") == 0) {
		answer_form(q);
	} else if (strcmp(mode, "url") == 0) {
		answer_url(q);
	} else {
		error_set(&why, ERR_USAGE, "the mode '%.40s' is not known",
			  mode);
		question_wrong(q, &why);
	}
}

/*
 * sampling/createMessage: refused, answered from a file, or by a command that
 * gets the request as JSON and prints the answer.
 */

#define COMMAND_MS 120000
#define GRACE_MS 1000
#define OUTPUT_MAX (4u << 20)
#define STDERR_KEPT 2048

/* ---- results ---- */

static cJSON *text_content(const char *text)
{
	cJSON *out = cJSON_CreateObject();

	cJSON_AddStringToObject(out, "type", "text");
	cJSON_AddStringToObject(out, "text", text);
	return out;
}

static void set_if_missing(cJSON *result, const char *name, const char *value)
{
	if (!json_string(result, name)) {
		cJSON_DeleteItemFromObjectCaseSensitive(result, name);
		cJSON_AddStringToObject(result, name, value);
	}
}

static char *print_result(cJSON *result, const char *model)
{
	struct buf out = { 0 };

	set_if_missing(result, "role", "assistant");
	set_if_missing(result, "model", model);
	json_print(&out, result);
	return buf_take(&out);
}

/* An object with "content" is a result; a text there is short for one. */
static bool is_result(cJSON *json)
{
	const cJSON *content = json_member(json, "content");

	if (cJSON_IsString(content))
		cJSON_ReplaceItemInObjectCaseSensitive(
			json, "content", text_content(content->valuestring));
	content = json_member(json, "content");
	return cJSON_IsObject(content) || cJSON_IsArray(content);
}

char *requests_sampled(const char *text, size_t len, const char *model,
		       struct error *err)
{
	CLEANUP(json_free_ptr) cJSON *json = json_parse(text, len, NULL);
	CLEANUP(mem_free_ptr) char *plain = NULL;

	if (json && is_result(json))
		return print_result(json, model);
	while (len && strchr("\r\n", text[len - 1]))
		len--;
	if (!len || !text_is_utf8(text, len) || memchr(text, '\0', len)) {
		error_set(err, ERR_USAGE, len ? "no text" : "nothing");
		return NULL;
	}
	plain = mem_strndup(text, len);
	json_free_ptr(&json);
	json = cJSON_CreateObject();
	cJSON_AddItemToObject(json, "content", text_content(plain));
	cJSON_AddStringToObject(json, "stopReason", "endTurn");
	return print_result(json, model);
}

/* ---- by a command ---- */

static void failed(struct question *q, const char *why)
{
	const struct buf *said = q->child ? child_output(q->child, true) : NULL;
	const char *words = said ? buf_string(said) : "";
	size_t len = said ? text_trim(&words, said->len) : 0;

	question_refuse(q, JSONRPC_INTERNAL_ERROR, why);
	question_note(q, "refused: %s (--sampling)%s%.*s", why, len ? ": " : "",
		      (int)len, words);
}

static void judge(struct question *q, int status)
{
	const char *model = file_name(q->of->command.word[0]);
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(mem_free_ptr) char *result = NULL, *text = NULL;

	if (q->late)
		text = mem_printf("the command took longer than %d s",
				  COMMAND_MS / 1000);
	else if (q->output.full)
		text = mem_printf("the command printed more than %u MB",
				  OUTPUT_MAX >> 20);
	else if (status != 0)
		text = mem_printf("the command ended with status %d", status);
	else
		result = requests_sampled(buf_string(&q->output), q->output.len,
					  model, &why);
	if (result) {
		question_result(q, result);
		question_note(q, "answered by '%s' (--sampling)", model);
		return;
	}
	if (!text)
		text = mem_printf("the command printed %s", why.text);
	failed(q, text);
}

static void on_ended(void *owner, int status)
{
	struct question *q = owner;
	struct requests *a = q->of;

	judge(q, status);
	q->child = NULL;
	question_end(q, &a->running);
}

static void on_data(void *owner, const char *data, size_t len)
{
	struct question *q = owner;

	if (buf_add(&q->output, data, len) != 0)
		child_stop(q->child, GRACE_MS);
}

static const struct child_events events = { .ended = on_ended,
					    .data = on_data };

static void on_late(void *owner)
{
	struct question *q = owner;

	q->late = true;
	child_stop(q->child, GRACE_MS);
}

/* Its stdin may be closed to us: what it prints counts all the same. */
static void give_request(struct question *q)
{
	CLEANUP(buf_done) struct buf request = { 0 };
	CLEANUP(error_reset) struct error ignored = { 0 };

	json_print(&request, q->params);
	buf_char(&request, '\n');
	child_write(q->child, request.data, request.len, &ignored);
	child_close_input(q->child);
}

static void start_sampling(struct question *given)
{
	struct requests *a = given->of;
	const struct child_options options = { .argv = a->command.word,
					       .out = CHILD_PIPE,
					       .err = CHILD_PIPE,
					       .writable = true,
					       .keep = STDERR_KEPT };
	struct question *q = question_keep(given, &a->running);
	CLEANUP(error_reset) struct error why = { 0 };

	buf_init(&q->output, OUTPUT_MAX);
	if (child_start(&q->child, a->connection->app->loop, &options, &events,
			q, &why) != 0) {
		failed(q, why.text);
		question_end(q, &a->running);
		return;
	}
	timer_open(&q->timer, a->connection->app->loop, on_late, q);
	timer_start(&q->timer, COMMAND_MS);
	give_request(q);
}

void requests_sample_stop(struct question *q)
{
	child_abandon(TAKE(q->child));
}

void requests_sample(struct question *q)
{
	CLEANUP(error_reset) struct error why = { 0 };

	if (q->of->sampling == SAMPLING_DECLINE) {
		question_refuse(q, USER_REJECTED,
				"User rejected sampling request");
		question_note(q, "declined (--sampling)");
	} else if (q->of->sampling == SAMPLING_FILE) {
		question_result(q, q->of->sampled);
		question_note(q, "answered from the file (--sampling)");
	} else if (!json_array(q->params, "messages")) {
		error_set(&why, ERR_USAGE, "there are no messages");
		question_wrong(q, &why);
	} else if (question_count(q->of->running) >= COMMANDS_MAX) {
		failed(q, "too many commands run already");
	} else {
		start_sampling(q);
	}
}
