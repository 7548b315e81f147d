/* SPDX-License-Identifier: MIT */
#include "top/feed_serve.h"

#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "cli/serve_client.h"
#include "net/control_client.h"
#include "wire/envelope.h"

#define STATUS_TIMEOUT 5000
/* The list of all: a second, or more where there are many boards. */
#define LIST_MS 1000
#define LIST_MS_EACH 2
/* After this time it is told that no list came, then again each second. */
#define SILENT_MS 5000
/* Of an answer to a question for the status: a longer one is not read. */
#define ANSWER_MAX ((size_t)256 << 10)

/* Lists of tools that are known; boards with others are not asked. */
#define FEED_LISTS 256

struct serve_feed;

struct feed_line {
	struct serve_feed *feed;
	struct control_client *client; /* NULL: not open */
	void (*object)(struct serve_feed *f, const cJSON *json, const char *op);
	bool closed; /* its last callback came */
	struct error why;
};

struct feed_list {
	char id[ROW_TEXT];
	bool known
		[BOARD_STATUS_TOOLS]; /* it was asked whether it has that tool */
	bool has[BOARD_STATUS_TOOLS];
	bool used; /* a board that is ready has it now */
};

struct serve_feed {
	struct feed base;
	char *path; /* of the socket; owned */
	struct feed_line boards, status, tail;

	bool listing; /* the list of all is on its way */
	int64_t asked_at; /* loop_now() ms when it was asked for */
	int64_t list_at; /* loop_now() ms: when it is asked for again */

	bool asking; /* a question for the status is open */
	int64_t status_at; /* when the next round begins */
	size_t list, tool; /* the next question of this round */
	bool learning; /* the open question is whether the list has the tool */
	struct feed_list lists[FEED_LISTS];
	size_t lists_count;

	char *follow; /* what -d takes: whom to follow; NULL; owned */
	bool again; /* follow changed: the line is to be opened anew */
};

/* ---- boards ---- */

/* A word that is misspelt looks like no boards. */
static void tell_nobody(struct serve_feed *f)
{
	mem_free(f->base.told);
	f->base.told =
		mem_printf("no device fits '%s' now; what comes is shown",
			   f->base.pattern);
}

static void on_boards(struct serve_feed *f, const cJSON *json, const char *op)
{
	const cJSON *device = json_object(json, "device");
	const char *change = json_string(json, "change");

	if (strcmp(op, "device") == 0 && device) {
		rows_device(f->base.rows, device,
			    change && strcmp(change, "gone") == 0,
			    unix_now_ms());
	} else if (strcmp(op, "end") == 0 && f->listing) {
		rows_end(f->base.rows);
		if (!f->base.listed && f->base.pattern && !f->base.rows->count)
			tell_nobody(f);
		f->listing = false;
		f->base.listed = f->base.wake = true;
		f->list_at = loop_now() + LIST_MS +
			     LIST_MS_EACH * (int64_t)f->base.rows->count;
	}
}

static int ask_boards(struct serve_feed *f, struct error *err)
{
	const struct serve_question q = { .op = "devices",
					  .device = f->base.pattern,
					  .watch = true };

	if (f->listing || loop_now() < f->list_at)
		return 0;
	f->listing = true;
	f->asked_at = loop_now();
	rows_begin(f->base.rows);
	return control_client_ask(f->boards.client, &q, err);
}

/* ---- status ---- */

static void take_status(struct serve_feed *f, const cJSON *json)
{
	const cJSON *device = json_object(json, "device");
	const char *id = json_string(device, "id");
	struct top_row *row = id ? rows_find(f->base.rows, id) : NULL;

	if (!row)
		return;
	if (!board_row_status(row, json_object(json, "reply")))
		return;
	row->told = loop_now();
	f->base.rows->dirty = true;
}

static void next_question(struct serve_feed *f)
{
	f->asking = false;
	f->base.wake = true;
	if (f->learning) {
		f->learning = false;
		return;
	}
	if (++f->tool == BOARD_STATUS_TOOLS) {
		f->tool = 0;
		f->list++;
	}
}

static void learnt(struct serve_feed *f, bool has)
{
	struct feed_list *l = &f->lists[f->list];

	l->known[f->tool] = true;
	l->has[f->tool] = has;
	next_question(f);
}

/* A row of one board; or a tool that is described at such length. */
static void too_long(struct serve_feed *f)
{
	if (f->asking && f->learning)
		learnt(f, false);
}

/* The answer to `tool` is one object, also where it is an error. */
static void on_status(struct serve_feed *f, const cJSON *json, const char *op)
{
	if (strcmp(op, "row") == 0) {
		take_status(f, json);
	} else if (f->asking && f->learning) {
		learnt(f, json_object(json, "tool") != NULL);
	} else if (f->asking &&
		   (strcmp(op, "end") == 0 || strcmp(op, "error") == 0)) {
		next_question(f);
	}
}

static void use_list(struct serve_feed *f, const char *id)
{
	size_t i = 0;

	while (i < f->lists_count && strcmp(f->lists[i].id, id) != 0)
		i++;
	if (i == FEED_LISTS)
		return;
	if (i == f->lists_count) {
		f->lists[f->lists_count++] = (struct feed_list){ 0 };
		memcpy(f->lists[i].id, id, strlen(id) + 1);
	}
	f->lists[i].used = true;
}

/* Whoever did not answer in three rounds may be anything by now. */
static void forget_old(struct serve_feed *f)
{
	int64_t oldest = loop_now() - 3 * f->base.every - STATUS_TIMEOUT;

	for (size_t i = 0; i < f->base.rows->count; i++) {
		struct top_row *row = f->base.rows->item[i];

		if (row->told && row->told < oldest) {
			board_row_forget(row);
			f->base.rows->dirty = f->base.changed = true;
		}
	}
}

/* Which lists there are now; those that nobody has are forgotten. */
static void begin_round(struct serve_feed *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->lists_count; i++)
		f->lists[i].used = false;
	for (size_t i = 0; i < f->base.rows->count; i++) {
		const struct top_row *row = f->base.rows->item[i];

		if (row->counted && *row->list &&
		    strcmp(row->state, "ready") == 0)
			use_list(f, row->list);
	}
	for (size_t i = 0; i < f->lists_count; i++) {
		if (f->lists[i].used)
			f->lists[kept++] = f->lists[i];
	}
	f->lists_count = kept;
	f->list = f->tool = 0;
	f->status_at = loop_now() + f->base.every;
}

static int learn(struct serve_feed *f, struct error *err)
{
	const struct serve_question q = { .op = "tool",
					  .list = f->lists[f->list].id,
					  .name = board_status_tools[f->tool] };

	f->asking = f->learning = true;
	return control_client_ask(f->status.client, &q, err);
}

static int ask_status(struct serve_feed *f, struct error *err)
{
	CLEANUP(mem_free_ptr)
	char *params = mem_printf("{\"name\":\"%s\",\"arguments\":{}}",
				  board_status_tools[f->tool]);
	const struct serve_question q = { .op = "fan",
					  .device = f->base.pattern,
					  .list = f->lists[f->list].id,
					  .method = "tools/call",
					  .params = params,
					  .timeout = STATUS_TIMEOUT,
					  .idle = true };

	f->asking = true;
	return control_client_ask(f->status.client, &q, err);
}

static int step_status(struct serve_feed *f, struct error *err)
{
	if (f->asking || !f->base.listed)
		return 0;
	while (f->list < f->lists_count) {
		const struct feed_list *l = &f->lists[f->list];

		if (!l->known[f->tool])
			return learn(f, err);
		if (l->has[f->tool])
			return ask_status(f, err);
		next_question(f);
	}
	if (loop_now() >= f->status_at) {
		forget_old(f);
		begin_round(f);
		f->base.wake = true;
	}
	return 0;
}

/* ---- frames ---- */

static void note(struct serve_feed *f, const char *text)
{
	last_frames_add(f->base.frames, "", text, strlen(text));
}

static void clock_at(time_t at, char out[16])
{
	struct tm tm;

	localtime_r(&at, &tm);
	strftime(out, 16, "%H:%M:%S", &tm);
}

/* What it said before it was selected. */
static void take_earlier(struct serve_feed *f, const cJSON *json,
			 const char *text)
{
	char clock[16] = "";
	int64_t at;

	if (!json_integer(json, "at", &at))
		clock_at((time_t)(at / 1000), clock);
	last_frames_add(f->base.frames, clock, text, strlen(text));
}

static void on_tail(struct serve_feed *f, const cJSON *json, const char *op)
{
	const cJSON *error = json_object(json, "error");
	const char *text = json_string(error ? error : json, "text");
	int64_t lost;

	if (strcmp(op, "lost") == 0 && !json_integer(json, "count", &lost))
		note(f, "some frames are missing here");
	else if (text && strcmp(op, "said") == 0)
		take_earlier(f, json, text);
	else if (text)
		note(f, text);
}

/* What it says; of MCP without the envelope, which is always the same. */
static void take_text(struct serve_feed *f, const struct control_frame *frame,
		      const char *clock)
{
	struct span said =
		envelope_payload((struct span){ frame->data, frame->len });

	last_frames_add(f->base.frames, clock, said.text, said.len);
}

/* ---- the lines ---- */

static void take_object(struct feed_line *line,
			const struct control_frame *frame)
{
	CLEANUP(json_free_ptr)
	cJSON *json = json_parse(frame->data, frame->len, NULL);
	const char *op = json_string(json, "op");

	if (op)
		line->object(line->feed, json, op);
}

static void take_said(struct serve_feed *f, const struct control_frame *frame)
{
	char clock[16];

	clock_at(time(NULL), clock);
	if (frame->kind == CONTROL_TEXT)
		take_text(f, frame, clock);
	else
		last_frames_audio(f->base.frames, clock);
}

static void on_frame(void *owner, const struct control_frame *frame)
{
	struct feed_line *line = owner;
	struct serve_feed *f = line->feed;

	f->base.wake = f->base.wake || !f->base.changed;
	f->base.changed = true;
	if (line == &f->status && frame->len > ANSWER_MAX)
		too_long(f);
	else if (frame->kind == CONTROL_JSON)
		take_object(line, frame);
	else if (line == &f->tail && !f->again)
		take_said(f, frame);
}

static int on_greeted(void *owner, const struct greeting *g, struct error *err)
{
	CLEANUP(buf_done) struct buf told = { 0 };
	struct feed_line *line = owner;
	struct serve_feed *f = line->feed;

	if (greeting_check(g, err))
		return -1;
	if (line != &f->boards || !greeting_differs(g))
		return 0;
	greeting_tell(&told, g);
	mem_free(f->base.told);
	f->base.told = buf_take(&told);
	f->base.wake = f->base.changed = true;
	return 0;
}

static void on_closed(void *owner, const struct error *why)
{
	struct feed_line *line = owner;

	line->closed = true;
	line->client = NULL;
	error_copy(&line->why, why);
	line->feed->base.wake = line->feed->base.changed = true;
}

static const struct control_client_events events = {
	.greeted = on_greeted,
	.frame = on_frame,
	.closed = on_closed,
};

static int open_line(struct serve_feed *f, struct feed_line *line,
		     struct error *err)
{
	line->feed = f;
	line->closed = false;
	error_reset(&line->why);
	return control_client_open(&line->client, f->base.app->loop, f->path,
				   &events, line, err);
}

static int open_serve(struct feed *feed, struct error *err)
{
	struct serve_feed *f = (struct serve_feed *)feed;

	f->boards.object = on_boards;
	f->status.object = on_status;
	f->tail.object = on_tail;
	if (open_line(f, &f->boards, err))
		return -1;
	return open_line(f, &f->status, err);
}

/* It may have been followed before: that line ends first. */
static void step_tail(struct serve_feed *f)
{
	const struct serve_question q = {
		.op = "attach", .device = f->follow, .tail = true, .last = true
	};
	CLEANUP(error_reset) struct error why = { 0 };

	if (!f->again)
		return;
	if (f->tail.client) {
		control_client_close(f->tail.client);
		return;
	}
	f->again = false;
	if (f->follow && (open_line(f, &f->tail, &why) ||
			  control_client_ask(f->tail.client, &q, &why)))
		note(f, why.text);
}

static void follow_board(struct feed *feed, const struct top_row *row)
{
	struct serve_feed *f = (struct serve_feed *)feed;

	mem_free(TAKE(f->follow));
	if (row)
		f->follow = row->pick ? mem_strdup(row->pick) :
					mem_printf("id:%s", row->id);
	last_frames_begin(f->base.frames, row ? row->name : NULL);
	f->base.following = row != NULL;
	f->again = true;
}

static int ended(struct feed_line *line, struct error *err)
{
	error_copy(err, &line->why);
	if (err->kind == ERR_NONE)
		error_set(err, ERR_CONNECT, "serve ended the connection");
	return -1;
}

static int step_serve(struct feed *feed, struct error *err)
{
	struct serve_feed *f = (struct serve_feed *)feed;

	if (f->boards.closed)
		return ended(&f->boards, err);
	if (f->status.closed)
		return ended(&f->status, err);
	step_tail(f);
	return ask_boards(f, err) || step_status(f, err) ? -1 : 0;
}

static int64_t silent_for(const struct feed *feed)
{
	const struct serve_feed *f = (const struct serve_feed *)feed;
	int64_t silent = f->listing ? loop_now() - f->asked_at : 0;

	return silent < SILENT_MS ? 0 : silent;
}

static int64_t next_due(const struct feed *feed)
{
	const struct serve_feed *f = (const struct serve_feed *)feed;
	int64_t due = f->list_at;

	if (f->listing)
		due = silent_for(feed) ? loop_now() + 1000 :
					 f->asked_at + SILENT_MS;
	if (!f->asking && f->base.listed && f->status_at < due)
		due = f->status_at;
	return due;
}

static void close_line(struct serve_feed *f, struct feed_line *line)
{
	if (line->client) {
		control_client_close(line->client);
		loop_drain(f->base.app->loop, &line->closed, LOOP_FOREVER);
	}
	error_reset(&line->why);
}

static void close_serve(struct feed *feed)
{
	struct serve_feed *f = (struct serve_feed *)feed;

	close_line(f, &f->tail);
	close_line(f, &f->status);
	close_line(f, &f->boards);
	mem_free(f->base.told);
	mem_free(f->follow);
	mem_free(f->path);
	mem_free(f);
}

static bool reach_board(const struct feed *feed, const struct top_row *row,
			struct buf *out)
{
	const struct serve_feed *f = (const struct serve_feed *)feed;
	CLEANUP(mem_free_ptr) char *id = mem_printf("id:%s", row->id);

	buf_text(out, "--socket ");
	words_quote(out, f->path);
	buf_text(out, " --device ");
	words_quote(out, row->pick ? row->pick : id);
	buf_text(out, " attach:");
	return true;
}

int feed_serve_new(struct feed **out, struct app *app, struct error *err)
{
	static const struct feed_ops ops = { .open = open_serve,
					     .step = step_serve,
					     .due = next_due,
					     .silent = silent_for,
					     .follow = follow_board,
					     .reach = reach_board,
					     .close = close_serve };
	struct serve_feed *f;
	char *path;

	if (serve_target_path(app, &path, err))
		return -1;
	f = mem_zalloc(sizeof(*f));
	f->base.ops = &ops;
	f->base.app = app;
	f->path = path;
	*out = &f->base;
	return 0;
}
