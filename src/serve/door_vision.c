/* SPDX-License-Identifier: MIT */
/*
 * Pictures of the camera and of the screen (device.md 6): checked, kept, and
 * answered; with a fixed text, or with what a command says of them.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/knock.h"
#include "serve/board.h"
#include "serve/door_vision.h"

/* Of the answer's text: the whole reply must stay well under 8,000 bytes (device.md 5.4, 6). */
#define TEXT_MAX 7000
#define ENCODED_MAX 7500
#define JOBS_MAX 64

static void vision_free(void *owner)
{
	struct vision *p = owner;

	upload_done(&p->upload);
	mem_free(p->device_id);
	mem_free(p->client_id);
	mem_free(p->address);
	mem_free(p->warning);
	mem_free(p->last_words);
	mem_free(p);
}

static void leave_jobs(struct vision *p)
{
	if (!p->link)
		return;
	*p->link = p->next;
	if (p->next)
		p->next->link = p->link;
	p->link = NULL;
	p->door->job_count--;
}

void vision_end(struct vision *p)
{
	leave_jobs(p);
	if (p->timer.open) {
		upload_done(&p->upload);
		timer_close(&p->timer, vision_free);
	} else {
		vision_free(p);
	}
}

/* ---- answers ---- */

/* So many bytes of text, whole characters, that it fits as a JSON string. */
static void add_text(struct buf *out, const char *text, size_t len)
{
	struct buf one = { 0 };

	len = text_cut(text, len, TEXT_MAX);
	buf_json_string(&one, text, len);
	while (one.len > ENCODED_MAX) {
		len = text_cut(text, len, len - len / 16 - 1);
		buf_reset(&one);
		buf_json_string(&one, text, len);
	}
	buf_add(out, one.data, one.len);
	buf_done(&one);
}

void upload_refuse(const struct visit *v, int status, const char *message)
{
	CLEANUP(headers_done) struct headers more = { 0 };
	struct buf body = { 0 };
	char seconds[16];

	buf_text(&body, "{\"success\":false,\"message\":");
	add_text(&body, message, strlen(message));
	buf_char(&body, '}');
	snprintf(seconds, sizeof(seconds), "%d",
		 budget_retry_after(v->door->server->budget));
	if (status == 429)
		headers_add(&more, "Retry-After", seconds);
	v->door->front_table->reply_with(v->rq, status, "application/json",
					 &more, body.data, body.len);
	buf_done(&body);
}

void vision_answer(struct vision *p, bool success, const char *text, size_t len)
{
	struct buf body = { 0 };

	buf_text(&body, success ? "{\"success\":true,\"action\":\"RESPONSE\","
				  "\"response\":" :
				  "{\"success\":false,\"message\":");
	add_text(&body, text, len);
	json_add_text(&body, "warning", p->warning);
	buf_char(&body, '}');
	/* 200 in any case: of another status firmware tells nobody the text. */
	p->door->front_table->reply(p->rq, 200, "application/json", body.data,
				    body.len);
	buf_done(&body);
}

static void add_verdict(struct buf *text, struct picture_upload *u)
{
	if (u->file && !u->temporary)
		buf_printf(text, ", saved as %s", u->file);
	if (u->more)
		buf_printf(text,
			   "; %u more file%s in the form %s not looked at",
			   u->more, u->more == 1 ? "" : "s",
			   u->more == 1 ? "was" : "were");
	if (u->question)
		buf_printf(text, "; it asks '%.*s'",
			   (int)text_fit(u->question, strlen(u->question), 200),
			   u->question);
}

void vision_tell(struct vision *p, enum record_kind kind, const char *problem)
{
	struct who who = { p->device_id, p->client_id, p->address };
	struct picture_upload *u = &p->upload;
	struct buf text = { 0 }, detail = { 0 };
	bool warn = problem || !u->type || u->more;
	struct record *r;

	buf_text(&text, "sent ");
	upload_describe(&text, u);
	add_verdict(&text, u);
	if (problem)
		buf_printf(&text, "; %s", problem);
	r = door_record(p->door, &who, kind, warn ? LEVEL_WARN : LEVEL_GOOD,
			buf_string(&text));
	upload_members(&detail, u);
	buf_printf(&detail, ",\"took_ms\":%lld",
		   (long long)((loop_now_us() - p->started_us) / 1000));
	record_detail(r, &detail);
	buf_done(&text);
}

void vision_fail(struct vision *p, const char *problem)
{
	vision_answer(p, false, problem, strlen(problem));
	vision_tell(p, RECORD_VISION, problem);
	vision_end(p);
}

static void answer_fixed(struct vision *p, enum record_kind kind)
{
	const char *fixed = p->door->server->config.vision_text;
	struct buf text = { 0 };

	if (fixed && kind == RECORD_VISION) {
		buf_text(&text, fixed);
	} else {
		buf_text(&text, "mcpctl received ");
		upload_describe(&text, &p->upload);
	}
	vision_answer(p, true, buf_string(&text), text.len);
	buf_done(&text);
	vision_tell(p, kind, NULL);
	vision_end(p);
}

void door_vision_abandon(struct door *d)
{
	while (d->jobs) {
		struct vision *p = d->jobs;

		child_abandon(TAKE(p->child));
		vision_end(p);
	}
}

/* ---- requests ---- */

static void save(struct vision *p, enum record_kind kind)
{
	struct who who = { p->device_id, p->client_id, p->address };
	const char *name = p->device_id ? p->device_id : "unknown";
	struct error err = { 0 };
	struct record *r;

	if (!p->door->server->config.save_images ||
	    !upload_save(&p->upload, p->door, name, &err))
		return;
	p->warning =
		mem_printf("the picture was not saved: %s", strerror(err.code));
	r = door_record(p->door, &who, kind, LEVEL_BAD, err.text);
	record_hint(r, "the board was answered all the same; make room, or "
		       "see to the folder of --save-images");
	error_reset(&err);
}

static struct vision *vision_new(const struct visit *v, const struct who *who,
				 struct picture_upload *u)
{
	struct vision *p = mem_zalloc(sizeof(*p));

	p->door = v->door;
	p->rq = v->rq;
	p->device_id = mem_strdup(who->device_id);
	p->client_id = mem_strdup(who->client_id);
	p->address = mem_strdup(who->address);
	p->upload = *u;
	*u = (struct picture_upload){ 0 };
	p->started_us = loop_now_us();
	return p;
}

static void refuse_and_tell(const struct visit *v, int status,
			    const char *message, const char *hint)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("%s refused: %s",
				text_starts(v->head->path, UPLOAD_PATH) ?
					UPLOAD_PATH :
					v->head->path,
				message);

	upload_refuse(v, status, message);
	record_hint(
		door_record(v->door, &v->who, RECORD_REFUSED, LEVEL_WARN, text),
		hint);
}

static bool only_post(const struct visit *v)
{
	if (!strcmp(v->head->method, "POST"))
		return true;
	upload_refuse(v, 405, "pictures are sent here with POST");
	return false;
}

/* The upload, or NULL: refused. */
static struct vision *receive(const struct visit *v, const struct who *who)
{
	struct error err = { 0 };
	struct vision *p = NULL;
	struct picture_upload u;

	if (upload_read(&u, v, &err))
		refuse_and_tell(v, 400, err.text,
				"a picture comes as multipart/form-data, in a "
				"field 'file'");
	else
		p = vision_new(v, who, &u);
	upload_done(&u);
	error_reset(&err);
	return p;
}

/* What a record says of it is what we know, not what it told. */
static struct who who_is(const struct visit *v, const struct board *d)
{
	return (struct who){ d->id, d->client_id, v->head->address };
}

void door_vision(const struct visit *v)
{
	const struct serve *s = v->door->server;
	CLEANUP(mem_free_ptr) char *given = knock_token(v->head);
	const struct board *device;
	struct vision *p;
	struct who who;

	if (!only_post(v))
		return;
	device = pass_by_token(v, given);
	if (!device) {
		refuse_and_tell(v, 401,
				given ? "the token is wrong" :
					"a token is needed",
				"each connection has its own, which the board "
				"gets with initialize: serve must be the one "
				"that it is connected to");
		return;
	}
	if (s->config.vision_exec && v->door->job_count >= JOBS_MAX) {
		refuse_and_tell(v, 503, "too many pictures at once", NULL);
		return;
	}
	who = who_is(v, device);
	if (!upload_has_room(v, &who, s->config.vision_exec != NULL))
		return;
	p = receive(v, &who);
	if (!p)
		return;
	save(p, RECORD_VISION);
	if (s->config.vision_exec)
		vision_by_command(p);
	else
		answer_fixed(p, RECORD_VISION);
}

static void take_upload(const struct visit *v, const struct who *who)
{
	struct vision *p;

	if (!upload_has_room(v, who, false))
		return;
	p = receive(v, who);
	if (!p)
		return;
	save(p, RECORD_UPLOAD);
	answer_fixed(p, RECORD_UPLOAD);
}

/* self.screen.snapshot names nobody: the address does. */
void door_upload(const struct visit *v)
{
	CLEANUP(mem_free_ptr) char *given = NULL;
	CLEANUP(mem_free_ptr) char *id = NULL;
	const struct board *device;
	struct who who;

	if (!only_post(v))
		return;
	id = pass_by_address(v);
	given = id ? NULL : knock_token(v->head);
	device = id ? registry_find(&v->door->server->registry, id) :
		      pass_by_token(v, given);
	if (!id && !device) {
		refuse_and_tell(v, 403,
				"this address takes no picture, or takes none "
				"any more",
				"each address is for one picture of one board: "
				"mcpctl call self.screen.snapshot --upload "
				"url");
		return;
	}
	who = device ? who_is(v, device) :
		       (struct who){ id, NULL, v->head->address };
	take_upload(v, &who);
}
