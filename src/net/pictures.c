/* SPDX-License-Identifier: MIT */
/*
 * Pictures that boards send: who may, where they are kept, and what answers.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/picture.h"
#include "base/text.h"
#include "base/utf8.h"
#include "net/pictures.h"

struct picture_upload {
	char *question; /* cut at 4 kB; NULL: none came */
	struct buf data;
	size_t bytes;
	unsigned more; /* files beside the first */
	bool has_file;
	const struct picture_type *type; /* NULL: no picture that we know */
	unsigned width, height; /* 0: unknown */
	char *file; /* where it lies; NULL */
	bool temporary; /* removed with it */
};

/* One picture until it is answered. */
struct vision {
	struct pictures *pictures;
	const struct front_table *front;
	struct front_request *rq;
	bool screen; /* it came to an address for one picture */
	char *device_id, *client_id, *address;
	struct picture_upload upload;
	char *warning; /* it is answered, but was not saved; NULL */
	char mark[RANDOM_HEX_SIZE]; /* by which the answer names it; "" */
	int64_t started_us;

	/* of the command */
	struct child *child;
	struct timer timer;
	char *last_words; /* the last line of its stderr; NULL */
	bool more; /* it wrote more than is kept */
	struct vision *next, **link;
};

static void vision_by_command(struct vision *p);
static bool upload_has_room(struct pictures *ps, const struct visit *v,
			    const struct who *who, bool by_command);

/*
 * One picture that a board sent: read from its form, looked at, kept in a
 * file. What is answered is take_photo's matter.
 */

#define QUESTION_MAX 4096
#define NAMES_TRIED 1000

/* ---- the form ---- */

static void on_field(void *owner, const char *name, const char *filename,
		     const char *type, const char *data, size_t len)
{
	struct picture_upload *u = owner;

	(void)filename;
	(void)type;
	if (strcmp(name, "question") == 0) {
		mem_free(u->question);
		u->question =
			mem_strndup(data, text_cut(data, len, QUESTION_MAX));
		return;
	}
	/* Firmware says "file"; a well-known web client "image". */
	if (strcmp(name, "file") != 0 && strcmp(name, "image") != 0)
		return;
	if (u->has_file) {
		u->more++;
		return;
	}
	u->has_file = true;
	u->bytes = len;
	buf_add(&u->data, data, len);
}

/* From the form of the request. -1 (ERR_PROTOCOL): no form, cut, no file, empty. */
static int upload_read(struct picture_upload *u, const struct visit *v,
		       struct error *err)
{
	*u = (struct picture_upload){ 0 };
	if (v->port->front->form(v->rq, on_field, u, err))
		return -1;
	if (!u->has_file)
		return error_set(err, ERR_PROTOCOL,
				 "the form has no field 'file'");
	if (u->bytes == 0)
		return error_set(err, ERR_PROTOCOL, "the picture is empty");
	u->type = picture_type(u->data.data, u->bytes);
	if (!picture_size(u->data.data, u->bytes, &u->width, &u->height))
		u->width = u->height = 0;
	return 0;
}

static void upload_done(struct picture_upload *u)
{
	if (u->temporary && u->file)
		unlink(u->file);
	mem_free(u->file);
	mem_free(u->question);
	buf_done(&u->data);
	*u = (struct picture_upload){ 0 };
}

/* ---- in words ---- */

/* 34567 as "34,567". */
static void add_grouped(struct buf *out, size_t n)
{
	char digits[24];
	size_t len = (size_t)snprintf(digits, sizeof(digits), "%zu", n);

	for (size_t i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			buf_char(out, ',');
		buf_char(out, digits[i]);
	}
}

/* "a JPEG picture, 640x480, 34,567 bytes", appended. */
static void upload_describe(struct buf *out, const struct picture_upload *u)
{
	if (u->type)
		buf_printf(out, "a %s picture", u->type->name);
	else
		buf_text(out, "a file that is no known picture");
	if (u->width && u->height)
		buf_printf(out, ", %ux%u", u->width, u->height);
	buf_text(out, ", ");
	add_grouped(out, u->bytes);
	buf_text(out, u->bytes == 1 ? " byte" : " bytes");
}

/* Always there, for programs: null where it is not known. */
static void add_member(struct buf *out, const char *name, const char *value)
{
	buf_printf(out, "%s\"%s\":", out->len ? "," : "", name);
	if (value)
		buf_json_string(out, value, strlen(value));
	else
		buf_text(out, "null");
}

/* file, bytes, type, width, height, question as members of an object. */
static void upload_members(struct buf *out, const struct picture_upload *u)
{
	add_member(out, "file", u->temporary ? NULL : u->file);
	buf_printf(out, ",\"bytes\":%zu", u->bytes);
	add_member(out, "type", u->type ? u->type->word : NULL);
	if (u->width && u->height)
		buf_printf(out, ",\"width\":%u,\"height\":%u", u->width,
			   u->height);
	else
		buf_text(out, ",\"width\":null,\"height\":null");
	add_member(out, "question", u->question);
}

/* ---- files ---- */

/* The whole file, or errno. Closes fd. */
static int fill(int fd, const struct buf *data)
{
	int error = file_write(fd, data->data, data->len) ? errno : 0;

	if (close(fd) && !error)
		error = errno;
	return error;
}

static int cannot_write(const char *path, int error, struct error *err)
{
	error_set(err, ERR_OUTPUT,
		  "the picture could not be saved as '%.300s': %s", path,
		  strerror(error));
	return error_code(err, error);
}

/*
 * Whoever watches the folder sees whole pictures only, and none takes the
 * place of another file. Sets u->file; or errno.
 */
static int publish(struct picture_upload *u, struct pictures *ps,
		   const char *part, const char *device)
{
	int tried = 0, error;

	do {
		mem_free(u->file);
		u->file = keep_name(ps->rules->save_images, &ps->number, device,
				    u->type ? u->type->suffix : "bin");
		error = file_publish(part, u->file) ? errno : 0;
	} while (error == EEXIST && ++tried < NAMES_TRIED);
	return error;
}

/* Into --save-images; name: of the device. -1 (ERR_OUTPUT, code errno). */
static int upload_save(struct picture_upload *u, struct pictures *ps,
		       const char *name, struct error *err)
{
	CLEANUP(mem_free_ptr)
	char *part = mem_printf("%s/.mcpctl-XXXXXX", ps->rules->save_images);
	int fd = mkostemp(part, O_CLOEXEC), error;

	if (fd < 0)
		return cannot_write(part, errno, err);
	error = fill(fd, &u->data);
	if (!error)
		error = publish(u, ps, part, name);
	if (!error)
		return 0;
	unlink(part);
	cannot_write(u->file ? u->file : part, error, err);
	mem_free(TAKE(u->file));
	return -1;
}

/* Into a private file that goes with the upload. -1 as above. */
static int upload_spool(struct picture_upload *u, struct error *err)
{
	const char *suffix = u->type ? u->type->suffix : "bin";
	CLEANUP(mem_free_ptr)
	char *path =
		mem_printf("%s/mcpctl-XXXXXX.%s", file_temporary(), suffix);
	int fd = mkostemps(path, (int)strlen(suffix) + 1, O_CLOEXEC), error;

	if (fd < 0)
		return cannot_write(path, errno, err);
	error = fill(fd, &u->data);
	if (error) {
		unlink(path);
		return cannot_write(path, error, err);
	}
	u->file = TAKE(path);
	u->temporary = true;
	return 0;
}

/*
 * Pictures of the camera and of the screen (device.md 6): checked, kept, and
 * answered; with a fixed text, or with what a command says of them.
 */

/*
 * Of the answer's text: the whole reply must stay well under 8,000 bytes
 * (device.md 5.4 item 6).
 */
#define TEXT_MAX 7000
#define ENCODED_MAX 7500
#define JOBS_MAX 64
#define OUTPUT_KEPT ((size_t)16384) /* of a command */

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
	p->pictures->job_count--;
}

/* It is answered: the file goes now, the memory when the timer is closed. */
static void vision_end(struct vision *p)
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

/* So many bytes of text, whole characters, that it fits as a JSON string: how many. */
static size_t add_text(struct buf *out, const char *text, size_t len)
{
	CLEANUP(buf_done) struct buf one = { 0 };

	len = text_cut(text, len, TEXT_MAX);
	buf_json_string(&one, text, len);
	while (one.len > ENCODED_MAX) {
		len = text_cut(text, len, len - len / 16 - 1);
		buf_reset(&one);
		buf_json_string(&one, text, len);
	}
	buf_add(out, one.data, one.len);
	return len;
}

/* The answer to a board whose picture is not taken. */
static void upload_refuse(const struct pictures *ps, const struct visit *v,
			  int status, const char *message)
{
	CLEANUP(headers_done) struct headers more = { 0 };
	CLEANUP(buf_done) struct buf body = { 0 };
	char seconds[16];

	buf_text(&body, "{\"success\":false,\"message\":");
	add_text(&body, message, strlen(message));
	buf_char(&body, '}');
	snprintf(seconds, sizeof(seconds), "%d",
		 budget_retry_after(ps->budget));
	if (status == 429)
		headers_add(&more, "Retry-After", seconds);
	v->port->front->reply_with(v->rq, status, "application/json", &more,
				   body.data, body.len);
}

/* Both who asked and who serves are told; yours, NULL for one that is whole. */
static char *cut_words(const struct vision *p, size_t kept, size_t len)
{
	if (kept == len && !p->more)
		return NULL;
	return mem_printf(
		"the answer was cut: %zu of %s%zu bytes went to the board",
		kept, p->more ? "more than " : "", p->more ? OUTPUT_KEPT : len);
}

static void warn(struct vision *p, const char *text)
{
	CLEANUP(mem_free_ptr) char *before = TAKE(p->warning);

	if (text && before)
		p->warning = mem_printf("%s; %s", before, text);
	else if (text || before)
		p->warning = mem_strdup(text ? text : before);
}

/*
 * Answer the board: text is what it shows or says. How it was cut (yours);
 * NULL.
 */
static char *vision_answer(struct vision *p, bool success, const char *text,
			   size_t len)
{
	CLEANUP(buf_done) struct buf body = { 0 };
	char *cut;

	buf_text(
		&body,
		success ?
			"{\"success\":true,\"action\":\"RESPONSE\",\"response\":" :
			"{\"success\":false,\"message\":");
	cut = cut_words(p, add_text(&body, text, len), len);
	warn(p, cut);
	json_add_text(&body, "warning", p->warning);
	json_add_text(&body, PICTURE_MARK, *p->mark ? p->mark : NULL);
	buf_char(&body, '}');
	/* 200 in any case: of another status firmware tells nobody the text. */
	p->front->reply(p->rq, 200, "application/json", body.data, body.len);
	return cut;
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

/* Tell the user. problem: what went wrong with the answer; NULL. */
static void vision_tell(struct vision *p, const char *problem)
{
	struct picture_upload *u = &p->upload;
	CLEANUP(buf_done) struct buf text = { 0 }, detail = { 0 };
	struct picture_news n = {
		.event = PICTURE_CAME,
		.upload = p->screen,
		.bad = problem || !u->type || u->more,
		.who = { p->device_id, p->client_id, p->address },
		.file = u->temporary ? NULL : u->file,
		.detail = &detail,
	};

	buf_text(&text, "sent ");
	upload_describe(&text, u);
	add_verdict(&text, u);
	if (problem)
		buf_printf(&text, "; %s", problem);
	n.text = buf_string(&text);
	upload_members(&detail, u);
	buf_printf(&detail, ",\"took_ms\":%lld",
		   (long long)((loop_now_us() - p->started_us) / 1000));
	p->pictures->policy->heard(p->pictures->owner, &n);
}

/* All three: the answer is the problem. */
static void vision_fail(struct vision *p, const char *problem)
{
	mem_free(vision_answer(p, false, problem, strlen(problem)));
	vision_tell(p, problem);
	vision_end(p);
}

static void answer_fixed(struct vision *p)
{
	const char *fixed = p->pictures->rules->vision_text;
	CLEANUP(mem_free_ptr) char *cut = NULL;
	struct buf text = { 0 };

	if (fixed && !p->screen) {
		buf_text(&text, fixed);
	} else {
		buf_text(&text, "mcpctl received ");
		upload_describe(&text, &p->upload);
	}
	cut = vision_answer(p, true, buf_string(&text), text.len);
	buf_done(&text);
	vision_tell(p, cut);
	vision_end(p);
}

/* ---- requests ---- */

static void save(struct vision *p)
{
	struct pictures *ps = p->pictures;
	const char *name = p->device_id ? p->device_id : "unknown";
	struct error err = { 0 };
	struct picture_news n = {
		.event = PICTURE_NOT_SAVED,
		.upload = p->screen,
		.who = { p->device_id, p->client_id, p->address },
		.hint = "the board was answered all the same; make room, or see to the folder of --save-images",
	};

	if (!ps->rules->save_images || !upload_save(&p->upload, ps, name, &err))
		return;
	p->warning =
		mem_printf("the picture was not saved: %s", strerror(err.code));
	n.text = err.text;
	ps->policy->heard(ps->owner, &n);
	error_reset(&err);
}

static bool is_upload(const struct visit *v)
{
	return knock_path_fits(UPLOAD_PATH, v->head->path) ||
	       text_starts(v->head->path, UPLOAD_PATH "/");
}

static struct vision *vision_new(struct pictures *ps, const struct visit *v,
				 const struct who *who,
				 struct picture_upload *u)
{
	struct vision *p = mem_zalloc(sizeof(*p));

	p->pictures = ps;
	p->front = v->port->front;
	p->screen = is_upload(v);
	p->rq = v->rq;
	p->device_id = mem_strdup(who->device_id);
	p->client_id = mem_strdup(who->client_id);
	p->address = mem_strdup(who->address);
	p->upload = *u;
	*u = (struct picture_upload){ 0 };
	p->started_us = loop_now_us();
	return p;
}

static void refuse_and_tell(const struct pictures *ps, const struct visit *v,
			    int status, const char *message, const char *hint)
{
	CLEANUP(mem_free_ptr)
	char *text =
		mem_printf("%s refused: %s",
			   is_upload(v) ? UPLOAD_PATH : v->head->path, message);
	const struct picture_news n = { .event = PICTURE_REFUSED,
					.who = v->who,
					.text = text,
					.hint = hint };

	upload_refuse(ps, v, status, message);
	ps->policy->heard(ps->owner, &n);
}

/* The upload, or NULL: refused. */
static struct vision *receive(struct pictures *ps, const struct visit *v,
			      const struct who *who)
{
	struct error err = { 0 };
	struct vision *p = NULL;
	struct picture_upload u;

	if (upload_read(&u, v, &err))
		refuse_and_tell(
			ps, v, 400, err.text,
			"a picture comes as multipart/form-data, in a field 'file'");
	else
		p = vision_new(ps, v, who, &u);
	upload_done(&u);
	error_reset(&err);
	return p;
}

static void mark(struct vision *p, const struct who *who)
{
	const struct pictures *ps = p->pictures;
	const struct span picture = { p->upload.data.data, p->upload.bytes };

	if (!ps->policy->marks ||
	    !ps->policy->marks(ps->owner, who, picture, p->mark))
		p->mark[0] = '\0';
}

static void take_photo(struct pictures *ps, const struct visit *v)
{
	CLEANUP(mem_free_ptr) char *given = knock_token(v->head);
	const char *command = ps->rules->vision_exec;
	struct vision *p;
	struct who who;

	if (!ps->policy->by_token(ps->owner, v, given, &who)) {
		refuse_and_tell(
			ps, v, 401,
			given ? "the token is wrong" : "a token is needed",
			"each connection has its own, which the board gets with initialize: it must be connected here");
		return;
	}
	if (command && ps->job_count >= JOBS_MAX) {
		refuse_and_tell(ps, v, 503, "too many pictures at once", NULL);
		return;
	}
	if (!upload_has_room(ps, v, &who, command != NULL))
		return;
	p = receive(ps, v, &who);
	if (!p)
		return;
	mark(p, &who);
	save(p);
	if (command)
		vision_by_command(p);
	else
		answer_fixed(p);
}

/* self.screen.snapshot names nobody: the address does. */
static void take_upload(struct pictures *ps, const struct visit *v)
{
	CLEANUP(mem_free_ptr) char *id = passes_take_address(&ps->passes, v);
	CLEANUP(mem_free_ptr) char *given = id ? NULL : knock_token(v->head);
	struct who who = { id, NULL, v->head->address };
	bool known = id ? ps->policy->by_id(ps->owner, v, id, &who) :
			  ps->policy->by_token(ps->owner, v, given, &who);
	struct vision *p;

	if (!id && !known) {
		refuse_and_tell(
			ps, v, 403,
			"this address takes no picture, or takes none any more",
			"each address is for one picture of one board: mcpctl call self.screen.snapshot --upload url");
		return;
	}
	if (!upload_has_room(ps, v, &who, false))
		return;
	p = receive(ps, v, &who);
	if (!p)
		return;
	save(p);
	answer_fixed(p);
}

bool pictures_http(struct pictures *ps, const struct visit *v)
{
	bool photo = knock_path_fits(VISION_PATH, v->head->path);

	if (!photo && !is_upload(v))
		return false;
	if (strcmp(v->head->method, "POST") != 0)
		upload_refuse(ps, v, 405, "pictures are sent here with POST");
	else if (photo)
		take_photo(ps, v);
	else
		take_upload(ps, v);
	return true;
}

/* Of a body, from whom we do not know: twice what a question may have. */
#define STRANGER_BODY_MAX (128ul * 1024)

size_t pictures_body_max(const struct pictures *ps, const struct visit *v)
{
	CLEANUP(mem_free_ptr) char *given = knock_token(v->head);
	struct who who;

	return ps->policy->by_token(ps->owner, v, given, &who) ||
			       passes_show(&ps->passes, v) ?
		       SIZE_MAX :
		       STRANGER_BODY_MAX;
}

char *pictures_address(struct pictures *ps, const char *base, const char *id)
{
	return mem_printf("%s" UPLOAD_PATH "/%s", base,
			  passes_add(&ps->passes, id, loop_now()));
}

/* What a command of the user (--vision-exec) says of a picture. */

static void on_line(void *owner, bool is_err, const char *line)
{
	struct vision *p = owner;

	if (!is_err || !line[strspn(line, " \t\r")])
		return;
	mem_free(p->last_words);
	p->last_words = mem_strdup(line);
}

static void on_ended(void *owner, int status)
{
	struct vision *p = owner;
	const struct buf *out = child_output(p->child, false);
	size_t len = out->len;
	CLEANUP(mem_free_ptr) char *problem = NULL, *cut = NULL;

	p->child = NULL;
	p->more = len > OUTPUT_KEPT;
	while (len > 0 && strchr("\r\n", out->data[len - 1]))
		len--;
	if (status) {
		problem = mem_printf(
			"the vision command ended with status %d%s%s", status,
			p->last_words ? ": " : "",
			p->last_words ? p->last_words : "");
		vision_fail(p, problem);
		return;
	}
	cut = vision_answer(p, true, buf_string(out), len);
	vision_tell(p, cut);
	vision_end(p);
}

static const struct child_events events = { .line = on_line,
					    .ended = on_ended };

static void on_time_over(void *owner)
{
	struct vision *p = owner;
	CLEANUP(mem_free_ptr)
	char *problem = mem_printf(
		"the vision command took longer than %lld ms and was ended",
		(long long)p->pictures->exec_limit);

	child_abandon(TAKE(p->child));
	vision_fail(p, problem);
}

/* sh -c COMMAND, which finds FILE and QUESTION as $1 and $2. */
static void command_line(struct words *argv, const struct vision *p)
{
	words_add(argv, "sh");
	words_add(argv, "-c");
	words_add(argv, p->pictures->rules->vision_exec);
	words_add(argv, "sh");
	words_add(argv, p->upload.file);
	words_add(argv, p->upload.question ? p->upload.question : "");
}

static int start_command(struct vision *p, struct error *err)
{
	const char *question = p->upload.question ? p->upload.question : "";
	const char *id = p->device_id ? p->device_id : "";
	CLEANUP(words_done) struct words argv = { 0 };
	CLEANUP(mem_free_ptr)
	char *file = mem_printf("MCPCTL_FILE=%s", p->upload.file);
	CLEANUP(mem_free_ptr)
	char *asked = mem_printf("MCPCTL_QUESTION=%s", question);
	CLEANUP(mem_free_ptr) char *device = mem_printf("MCPCTL_DEVICE=%s", id);
	const char *const env[] = { file, asked, device, NULL };
	struct child_options options = { .env = env,
					 .out = CHILD_PIPE,
					 .err = CHILD_PIPE,
					 .keep = OUTPUT_KEPT + 1 };

	command_line(&argv, p);
	options.argv = argv.word;
	return child_start(&p->child, p->pictures->loop, &options, &events, p,
			   err);
}

/* Answered when the user's command has ended. */
static void vision_by_command(struct vision *p)
{
	struct pictures *ps = p->pictures;
	struct error err = { 0 };

	if ((!p->upload.file && upload_spool(&p->upload, &err)) ||
	    start_command(p, &err)) {
		vision_fail(p, err.text);
		error_reset(&err);
		return;
	}
	buf_done(&p->upload.data);
	timer_open(&p->timer, ps->loop, on_time_over, p);
	timer_start(&p->timer, ps->exec_limit);
	p->next = ps->jobs;
	if (p->next)
		p->next->link = &p->next;
	p->link = &ps->jobs;
	ps->jobs = p;
	ps->job_count++;
}

/*
 * Whether there is room for a picture: boards that are let in may send many,
 * and a disk that is full is everybody's trouble.
 */

#define MEGABYTE 1e6

static void no_room(const struct pictures *ps, const struct who *who,
		    const char *text, const char *hint)
{
	const struct picture_news n = { .event = PICTURE_NO_ROOM,
					.who = *who,
					.text = text,
					.hint = hint };

	ps->policy->heard(ps->owner, &n);
}

static bool has_space(const struct pictures *ps, const struct visit *v,
		      const struct who *who, const char *folder)
{
	CLEANUP(mem_free_ptr) char *text = NULL;
	struct disk_space space;
	uint64_t reserve;

	/* If it cannot be known, writing will tell. */
	if (ps->space(folder, &space))
		return true;
	reserve = disk_reserve(&space);
	if (space.left >= reserve && space.left - reserve >= v->len)
		return true;
	text = mem_printf(
		"a picture was refused: %.1f MB are free where '%s' is, and %.1f MB stay free",
		(double)space.left / MEGABYTE, folder,
		(double)reserve / MEGABYTE);
	upload_refuse(ps, v, 507, "the disk is nearly full");
	no_room(ps, who, text,
		"make room there; boards go on without pictures");
	return false;
}

static bool has_part(const struct pictures *ps, const struct visit *v,
		     const struct who *who)
{
	const char *id = who->device_id ? who->device_id : "";

	if (budget_spend(ps->budget, budget_key_name(id), BUDGET_WRITTEN,
			 v->len))
		return true;
	upload_refuse(ps, v, 429, "too many pictures in this minute");
	no_room(ps, who,
		"a picture was refused: within a minute boards sent more than is taken",
		"in sum 32 pictures of --picture-max, and one board three times what is left for the others");
	return false;
}

/*
 * Whether a picture of that device may be written, where pictures are: its part
 * of this minute, and what must stay free on the disk (doc/security.md). It
 * counts then. False: it was refused (429, 507), and told. by_command:
 * --vision-exec looks at it.
 */
static bool upload_has_room(struct pictures *ps, const struct visit *v,
			    const struct who *who, bool by_command)
{
	const char *kept = ps->rules->save_images;
	const char *folder = kept ? kept : file_temporary();

	if (!kept && !by_command)
		return true;
	return has_space(ps, v, who, folder) && has_part(ps, v, who);
}

/* ---- open and close ---- */

/* All boards together may send so many of the largest pictures in a minute. */
#define PICTURES_A_MINUTE 32
/* Below the 30 s that firmware waits for an answer (device.md 6). */
#define EXEC_LIMIT_MS 25000

int pictures_open(struct pictures *ps, struct error *err)
{
	const struct picture_rules *rules = ps->rules;

	ps->exec_limit = EXEC_LIMIT_MS;
	ps->space = disk_space;
	budget_set(ps->budget, BUDGET_WRITTEN,
		   PICTURES_A_MINUTE * (uint64_t)rules->picture_max);
	return rules->save_images ? keep_folder("--save-images",
						rules->save_images, 0755, err) :
				    0;
}

void pictures_done(struct pictures *ps)
{
	while (ps->jobs) {
		struct vision *p = ps->jobs;

		child_abandon(TAKE(p->child));
		vision_end(p);
	}
	passes_done(&ps->passes);
}
