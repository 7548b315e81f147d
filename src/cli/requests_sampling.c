/* SPDX-License-Identifier: MIT */
/*
 * sampling/createMessage: refused, answered from a file, or by a command that
 * gets the request as JSON and prints the answer.
 */
#include <string.h>

#include "base/child.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/requests_private.h"

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

static void start(struct question *given)
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
	if (child_start(&q->child, a->app->loop, &options, &events, q, &why) !=
	    0) {
		failed(q, why.text);
		question_end(q, &a->running);
		return;
	}
	timer_open(&q->timer, a->app->loop, on_late, q);
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
		start(q);
	}
}
