/* SPDX-License-Identifier: MIT */
/*
 * upgrade, assets: firmware or assets over the air, to boards of the running
 * serve, which hosts the file: called, or offered to them when they ask OTA;
 * watched while they fetch, waited for, compared.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/brokered.h"
#include "cli/commands.h"
#include "cli/outside.h"
#include "cli/power_switch.h"
#include "cli/serve_client.h"
#include "cli/upgrade_board.h"
#include "cli/upgrade_fleet.h"
#include "net/port_memory.h"
#include "out/text_device.h"
#include "wire/assets_image.h"

enum {
	LINES_MAX = 64, /* questions to boards at once; serve takes more */
	SILENT_PART =
		6, /* so long, of its time to begin, one is kept for who is silent */
	TURN_MS = 200, /* from one look at all boards to the next */
	STEP_MS = 1000, /* from one line of a program's to the next */
	BEGIN_MS = 30000,
	BOOT_MS = 60000, /* the same, with a restart before it */
	START_MS = 600000, /* until somebody restarts it */
	RESTART_MS = 120000,
	SETTLE_MS = 5000,
	CALL_MS = 3600000 /* no board takes longer; its end is seen otherwise */
};

struct upgrade_options { /* of assets, too */
	int by; /* enum upgrade_way */
	bool force, later, power_cycle;
	int64_t restart, settle;
	const char *then;
};

/* Of both. */
#define RESTART_ROW                                                             \
	{                                                                       \
		.name = "restart", .word = "TIME", .type = OPTION_DURATION,     \
		.offset = offsetof(struct upgrade_options, restart), .min = 1,  \
		.fallback = "2m",                                               \
		.brief =                                                        \
			"how long a board that fetched all may take to be back" \
	}
#define THEN_ROW                                                            \
	{                                                                   \
		.name = "then", .word = "CMD", .type = OPTION_TEXT,         \
		.offset = offsetof(struct upgrade_options, then),           \
		.brief = "run by sh when all went well; its status is ours" \
	}

static const struct option_row upgrade_options[] = {
	{ .name = "by",
	  .word = "WAY",
	  .type = OPTION_CHOICE,
	  .offset = offsetof(struct upgrade_options, by),
	  .choices = "tool ota",
	  .fallback = "tool",
	  .brief =
		  "tool: call self.upgrade_firmware; ota: offer it in the answer to OTA when the board starts next, connected or not" },
	{ .name = "force",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct upgrade_options, force),
	  .brief = "also a board that runs this very build" },
	{ .name = "power-cycle",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct upgrade_options, power_cycle),
	  .brief =
		  "with --by ota: restart them by their power (serve --power-cmd)" },
	RESTART_ROW,
	{ .name = "settle",
	  .word = "TIME",
	  .type = OPTION_DURATION,
	  .offset = offsetof(struct upgrade_options, settle),
	  .min = 1,
	  .fallback = "5s",
	  .brief = "how long the new version must stay before it is believed" },
	THEN_ROW,
	{ .name = NULL }
};

static const struct option_row assets_options[] = {
	{ .name = "later",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct upgrade_options, later),
	  .brief = "do not restart the board: wait until somebody does" },
	{ .name = "force",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct upgrade_options, force),
	  .brief = "also a file that does not look like assets" },
	RESTART_ROW,
	THEN_ROW,
	{ .name = NULL }
};

/* A question to one board, on a line of its own. */
struct upgrade_question {
	struct control_line *line; /* NULL: none is open */
};

struct upgrade_row {
	struct upgrade_board board;
	cJSON *device; /* owned */
	char *text; /* the same, as it came */
	const char *id; /* in device */
	char *pattern; /* it alone */
	char *url; /* NULL: it is offered by OTA, or why */
	char *why; /* nothing is hosted for it; NULL */
	char *address; /* by which it was known; NULL */
	char *fetched_from; /* who asked for the file; NULL */
	struct upgrade_question call, again; /* the tool; what it runs now */
	bool to_call, is_back; /* as soon as there is a line for that */
	bool restarting; /* assets: it was told to */
	bool shown;
	/* What a program was told of it last. */
	enum upgrade_stage told_stage;
	size_t told_percent;
	int64_t told_at;
};

struct upgrade {
	struct app *app;
	const struct upgrade_options *options;
	enum upgrade_way way;
	struct upgrade_times times;
	struct esp_image image;
	struct buf file;
	struct control_line *host;
	struct upgrade_row *row;
	size_t count, capacity;
	size_t failed;
	enum error_kind worst;
};

/* ---- the image ---- */

static int judge_assets(struct upgrade *u, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct assets_image assets;

	if (assets_image_read(&assets, u->file.data, u->file.len, &why) == 0) {
		render_note(&u->app->out, "assets: %u files, %zu bytes",
			    (unsigned)assets.files, u->file.len);
		return 0;
	}
	if (!u->options->force || !u->file.len) {
		error_copy(err, &why);
		return -1;
	}
	render_note(&u->app->out, "%s: sent all the same (--force)", why.text);
	return 0;
}

static int judge_file(struct upgrade *u, struct error *err)
{
	if (u->way == UPGRADE_ASSETS)
		return judge_assets(u, err);
	if (esp_image_read(&u->image, u->file.data, u->file.len, err))
		return -1;
	return u->way == UPGRADE_BY_OTA ?
		       ota_version_check(u->image.version, err) :
		       0;
}

static int read_image(struct upgrade *u, const char *path, struct error *err)
{
	const char *what = u->way == UPGRADE_ASSETS ? "assets" : "firmware";

	buf_init(&u->file, ESP_IMAGE_MAX);
	if (file_read(&u->file, what, path, err))
		return -1;
	if (judge_file(u, err) == 0)
		return 0;
	return error_prefix(err, "'%s' cannot be sent over the air", path);
}

static int cannot_seal(int fd, struct error *err)
{
	error_set(err, ERR_OUTPUT, "cannot keep the image in memory: %s",
		  strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Nobody can change or shorten it any more: serve maps it. -1: err. */
static int sealed(const struct upgrade *u, struct error *err)
{
	int fd = memfd_create("firmware", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || file_write(fd, u->file.data, u->file.len) != 0 ||
	    fcntl(fd, F_ADD_SEALS,
		  F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) !=
		    0)
		return cannot_seal(fd, err);
	return fd;
}

static void tell_image(const struct upgrade *u)
{
	const struct esp_image *i = &u->image;

	if (u->way == UPGRADE_ASSETS)
		return;
	render_note(&u->app->out,
		    "%s %s for %s, %zu bytes, built %s %s with ESP-IDF %s%s",
		    i->project, i->version,
		    i->chip_name ? i->chip_name : "a chip not known here",
		    u->file.len, i->date, i->time, i->idf,
		    i->hashed ? "" : "; it has no SHA-256");
}

/* ---- its boards ---- */

static void add_row(struct upgrade *u, struct control_answer *a)
{
	const cJSON *device = json_object(a->json, "device");
	const struct span text = control_answer_member(a, "device");
	const char *id = json_string(device, "id");
	const cJSON *told;
	struct ota_request rq;
	struct upgrade_row *row;

	if (!id || !text.text)
		return;
	u->row = mem_grow(u->row, &u->capacity, u->count,
			  sizeof(struct upgrade_row));
	row = &u->row[u->count++];
	*row = (struct upgrade_row){
		.device = cJSON_Duplicate(device, true),
		.text = mem_strndup(text.text, text.len),
		.url = mem_strdup(json_string(a->json, "url")),
		.why = mem_strdup(json_string(a->json, "why")),
		.address = mem_strdup(json_string(device, "address")),
		.pattern = mem_printf("id:%s", id),
		.board = { .way = u->way,
			   .image = u->way == UPGRADE_ASSETS ? NULL : &u->image,
			   .times = &u->times,
			   .size = u->file.len },
	};
	row->id = json_string(row->device, "id");
	told = json_object(a->json, "ota");
	ota_facts_decode(&rq, told);
	if (told)
		upgrade_facts_asked(&row->board.was, &rq, false);
}

static struct upgrade_row *find(const struct upgrade *u, const char *id)
{
	for (size_t i = 0; id && i < u->count; i++) {
		if (strcmp(u->row[i].id, id) == 0)
			return &u->row[i];
	}
	return NULL;
}

static void row_done(struct upgrade_row *row)
{
	control_line_close(row->call.line);
	control_line_close(row->again.line);
	upgrade_board_done(&row->board);
	cJSON_Delete(row->device);
	mem_free(row->text);
	mem_free(row->pattern);
	mem_free(row->url);
	mem_free(row->why);
	mem_free(row->address);
	mem_free(row->fetched_from);
}

/* Serve takes the file, and says for whom. */
static int host(struct upgrade *u, struct error *err)
{
	const struct serve_question status = { .op = "status" };
	const struct serve_question q = {
		.op = "host",
		.device = u->app->config.device,
		.all = u->app->config.all,
		.by = u->way == UPGRADE_BY_OTA ? "ota" : NULL,
		.force = u->way == UPGRADE_BY_OTA && u->options->force
	};
	const int64_t deadline = serve_deadline(u->app);
	CLEANUP(control_answer_done) struct control_answer a = { 0 };
	int fd, bad;

	/* It answers, so the line is up. */
	if (serve_client_open(&u->host, u->app, false, err) ||
	    control_line_ask(u->host, &status, deadline, control_answer_take,
			     &a, err))
		return -1;
	fd = sealed(u, err);
	if (fd < 0)
		return -1;
	bad = control_line_send_with(u->host, &q, fd, err);
	close(fd);
	while (!bad) {
		control_answer_done(&a);
		bad = control_line_next(u->host, deadline, &a, err);
		if (bad || text_same(a.op, "end"))
			break;
		if (text_same(a.op, "hosted"))
			add_row(u, &a);
	}
	return bad;
}

/* ---- asking them ---- */

/* The text of a tool's result; NULL: there is none. */
static const char *result_text(const struct control_answer *a, bool *is_error)
{
	const cJSON *reply = json_object(a->json, "reply");
	const cJSON *result = json_object(reply, "result");
	const cJSON *first =
		cJSON_GetArrayItem(json_array(result, "content"), 0);
	const cJSON *error = json_object(reply, "error");

	*is_error = error || json_true(result, "isError");
	return error ? json_string(error, "message") :
		       json_string(first, "text");
}

static const struct serve_question info = {
	.op = "fan",
	.method = "tools/call",
	.params = "{\"name\":\"self.get_system_info\",\"arguments\":{}}"
};

static void take_facts(void *owner, struct control_answer *a)
{
	struct upgrade *u = owner;
	struct upgrade_row *row =
		find(u, json_string(json_object(a->json, "device"), "id"));
	bool is_error = false;
	const char *text = row ? result_text(a, &is_error) : NULL;

	if (text && !is_error)
		upgrade_facts_read(&row->board.was, text, strlen(text));
}

static int ask_facts(struct upgrade *u, struct error *err)
{
	struct serve_question q = info;
	const int64_t deadline = serve_deadline(u->app);

	q.device = u->app->config.device;
	q.timeout = deadline - loop_now();
	return serve_ask(u->app, &q, deadline + TURN_MS, take_facts, u, err);
}

static int ask(struct upgrade *u, struct upgrade_question *a,
	       const struct serve_question *q, struct error *err)
{
	control_line_close(TAKE(a->line));
	if (serve_client_open(&a->line, u->app, false, err) == 0 &&
	    control_line_send(a->line, q, err) == 0)
		return 0;
	control_line_close(TAKE(a->line));
	return -1;
}

/* By OTA there is nobody to call: it will ask. */
static int call(struct upgrade *u, struct upgrade_row *row, struct error *err)
{
	CLEANUP(buf_done) struct buf params = { 0 };
	struct serve_question q = { .op = "fan",
				    .device = row->pattern,
				    .method = "tools/call",
				    .timeout = CALL_MS };

	row->to_call = false;
	upgrade_begin(&row->board, loop_now());
	if (u->way == UPGRADE_BY_OTA)
		return 0;
	buf_printf(&params, "{\"name\":\"%s\",\"arguments\":{\"url\":",
		   u->way == UPGRADE_ASSETS ? "self.assets.set_download_url" :
					      "self.upgrade_firmware");
	buf_json_string(&params, row->url, strlen(row->url));
	buf_text(&params, "}}");
	q.params = buf_string(&params);
	return ask(u, &row->call, &q, err);
}

/* Assets are fetched at a start. */
static void call_restart(struct upgrade *u, struct upgrade_row *row)
{
	const struct serve_question q = {
		.op = "fan",
		.device = row->pattern,
		.method = "tools/call",
		.params = "{\"name\":\"self.reboot\",\"arguments\":{}}",
		.timeout = CALL_MS
	};

	row->restarting = true;
	ask(u, &row->call, &q, NULL);
}

/* It is there again: what does it run? Of assets nothing tells. */
static void came_back(const struct upgrade *u, struct upgrade_row *row)
{
	if (u->way == UPGRADE_ASSETS)
		upgrade_back(&row->board, "", "", true, loop_now());
	else
		row->is_back = true;
}

static void ask_again(struct upgrade *u, struct upgrade_row *row)
{
	struct serve_question q = info;

	row->is_back = false;
	if (row->again.line || row->board.verdict != UPGRADE_OPEN)
		return;
	q.device = row->pattern;
	ask(u, &row->again, &q, NULL);
}

static bool has_come(struct control_line *line)
{
	bool woken;

	control_line_wakes(line, &woken);
	control_line_wakes(line, NULL);
	return woken;
}

/*
 * The next row of such a line; false: nothing came yet. The loop does not run
 * meanwhile: Ctrl-C is for take_events.
 */
static bool answered(struct upgrade_question *a, struct control_answer *out)
{
	if (!a->line || !has_come(a->line))
		return false;
	if (control_line_next(a->line, loop_now(), out, NULL) == 0)
		return text_same(out->op, "row");
	control_line_close(TAKE(a->line));
	return false;
}

/* It keeps the address of assets. */
static void take_kept(struct upgrade *u, struct upgrade_row *row)
{
	if (row->board.verdict != UPGRADE_OPEN || row->restarting)
		return;
	upgrade_offered(&row->board, !u->options->later, loop_now());
	if (!u->options->later)
		call_restart(u, row);
	else
		render_note(&u->app->out,
			    "%s: it fetches when it starts next: restart it",
			    render_device_name(row->device));
}

static void take_call(struct upgrade *u, struct upgrade_row *row)
{
	CLEANUP(control_answer_done) struct control_answer a = { 0 };
	CLEANUP(error_reset) struct error why = { 0 };
	bool is_error = false;
	const char *text;

	if (!answered(&row->call, &a))
		return;
	control_line_close(TAKE(row->call.line));
	if (json_object(a.json, "error")) {
		control_error_decode(&why, json_object(a.json, "error"));
		snprintf(row->board.said, sizeof(row->board.said), "%.150s",
			 why.text);
		return;
	}
	text = result_text(&a, &is_error);
	upgrade_answered(&row->board, is_error, text ? text : "", loop_now());
	if (u->way == UPGRADE_ASSETS)
		take_kept(u, row);
}

static void take_again(struct upgrade_row *row)
{
	CLEANUP(control_answer_done) struct control_answer a = { 0 };
	struct upgrade_facts now = { 0 };
	bool is_error = false;
	const char *text;

	if (!answered(&row->again, &a))
		return;
	control_line_close(TAKE(row->again.line));
	text = result_text(&a, &is_error);
	if (text && !is_error)
		upgrade_facts_read(&now, text, strlen(text));
	upgrade_back(&row->board, now.version, now.elf_sha256, false,
		     loop_now());
}

/* ---- what serve tells ---- */

static void on_fetch(struct upgrade_row *row, const cJSON *json)
{
	int64_t taken = 0, asked = 0, running = 0;
	const char *from = json_string(json, "from");

	json_integer(json, "taken", &taken);
	json_integer(json, "asked", &asked);
	json_integer(json, "running", &running);
	if (from) {
		mem_free(row->fetched_from);
		row->fetched_from = mem_strdup(from);
	}
	upgrade_fetched(&row->board, (size_t)taken, (unsigned)asked,
			(unsigned)running, loop_now());
}

/* It starts, and was offered the image, or does not fit. */
static void on_start(const struct upgrade *u, struct upgrade_row *row,
		     const char *from, const struct ota_request *rq,
		     bool offered)
{
	upgrade_facts_asked(&row->board.was, rq, true);
	if (!upgrade_fits(&row->board, u->options->force, loop_now()) ||
	    !offered)
		return;
	mem_free(row->address);
	row->address = mem_strdup(from);
	upgrade_offered(&row->board, true, loop_now());
}

/* Anybody may send any Device-Id: it counts from where the board is. */
static void on_asked(const struct upgrade *u, struct upgrade_row *row,
		     const cJSON *json)
{
	const bool offered = json_true(json, "offered");
	const char *from = json_string(json, "address");
	struct ota_request rq;

	if (!from || !(memory_same_peer(from, row->fetched_from) || offered ||
		       memory_same_peer(from, row->address)))
		return;
	ota_facts_decode(&rq, json_object(json, "ota"));
	if (u->way == UPGRADE_BY_OTA && !row->board.asked)
		on_start(u, row, from, &rq, offered);
	else
		upgrade_back(&row->board, rq.version, rq.elf_sha256, true,
			     loop_now());
}

static void take_event(struct upgrade *u, const struct control_answer *a)
{
	const cJSON *device = json_object(a->json, "device");
	const char *id = json_string(device ? device : a->json, "id");
	struct upgrade_row *row = find(u, id);

	if (!row || row->board.verdict != UPGRADE_OPEN || row->to_call)
		return;
	if (text_same(a->op, "fetch"))
		on_fetch(row, a->json);
	else if (text_same(a->op, "asked"))
		on_asked(u, row, a->json);
	else if (text_same(json_string(a->json, "change"), "ready"))
		came_back(u, row);
}

/* All that came, and a short while for more. -1: Ctrl-C, or serve ended. */
static int take_events(struct upgrade *u, struct error *err)
{
	int64_t until = loop_now() + TURN_MS;

	for (;;) {
		CLEANUP(control_answer_done) struct control_answer a = { 0 };
		CLEANUP(error_reset) struct error why = { 0 };

		if (control_line_next(u->host, until, &a, &why) == 0) {
			take_event(u, &a);
			if (loop_now() >= until)
				return 0;
			continue;
		}
		if (why.kind == ERR_TIMEOUT)
			return 0;
		error_copy(err, &why);
		return -1;
	}
}

/* ---- shown ---- */

static void show_record(const struct upgrade *u, const struct upgrade_row *row)
{
	const struct upgrade_board *b = &row->board;
	const bool over = b->verdict != UPGRADE_OPEN;
	struct renderer *r = &u->app->out;
	const struct upgrade_record record = {
		.device = row->device,
		.device_text = { row->text, strlen(row->text) },
		.verdict = over ? upgrade_verdict_name(b->verdict) : NULL,
		.stage = upgrade_stage_name(upgrade_stage(b)),
		.good = b->verdict <= UPGRADE_SAME,
		.words = b->why.kind ? b->why.text : NULL,
		.before = b->was.version,
		.now = b->now,
		.taken = b->taken,
		.size = b->size,
		.took_ms =
			b->begun ? (over ? b->ended : loop_now()) - b->begun : 0
	};

	if (r->ops->upgrade)
		r->ops->upgrade(r, &record);
	fflush(r->out);
}

static void show(struct upgrade *u, struct upgrade_row *row)
{
	const struct upgrade_board *b = &row->board;

	row->shown = true;
	control_line_close(TAKE(row->call.line));
	control_line_close(TAKE(row->again.line));
	if (b->why.kind > u->worst)
		u->worst = b->why.kind;
	u->failed += b->verdict > UPGRADE_SAME;
	render_count_down(&u->app->out, NULL);
	show_record(u, row);
}

/* 0 of nothing. */
static size_t hundredths(size_t part, size_t whole)
{
	return whole > 0 ? part * 100 / whole : 0;
}

/* For a program: a new stage, or a second later another hundredth. */
static void show_step(const struct upgrade *u, struct upgrade_row *row)
{
	const struct upgrade_board *b = &row->board;
	const enum upgrade_stage stage = upgrade_stage(b);
	const size_t percent = hundredths(b->taken, b->size);

	if (stage == row->told_stage && (percent == row->told_percent ||
					 loop_now() - row->told_at < STEP_MS))
		return;
	row->told_stage = stage;
	row->told_percent = percent;
	row->told_at = loop_now();
	show_record(u, row);
}

static void show_progress(const struct upgrade *u)
{
	const size_t whole = u->count * u->file.len;
	size_t over = 0, taken = 0, back = 0;
	CLEANUP(mem_free_ptr) char *line = NULL;

	for (size_t i = 0; i < u->count; i++) {
		const struct upgrade_board *b = &u->row[i].board;

		over += b->verdict != UPGRADE_OPEN;
		taken += b->taken;
		back += upgrade_stage(b) == UPGRADE_BACK;
	}
	line = mem_printf(
		"%3zu %% fetched (%zu of %zu bytes); %zu back, %zu of %zu over",
		hundredths(taken, whole), taken, whole, back, over, u->count);
	render_count_down(&u->app->out, line);
}

/* ---- from the start to the end ---- */

/* What was not compared; NULL: all was. By OTA that is serve's matter. */
static const char *uncompared(const struct upgrade *u,
			      const struct upgrade_facts *f)
{
	if (u->way == UPGRADE_BY_OTA)
		return NULL;
	if (u->way == UPGRADE_ASSETS)
		return f->assets_room ?
			       NULL :
			       "how large its partition for assets is is not told by it: nothing was compared";
	if (!f->told && !*f->chip && !f->room)
		return "chip, partition and version are not told by it: nothing was compared";
	return f->told ? NULL :
			 "its version is not told by it: it was not compared";
}

/* One after the other; a board whose power was not switched is not waited for. */
static int switch_power(struct upgrade *u, struct error *err)
{
	for (size_t i = 0; i < u->count; i++) {
		struct upgrade_row *row = &u->row[i];
		CLEANUP(error_reset) struct error why = { 0 };

		if (row->board.verdict != UPGRADE_OPEN ||
		    power_cycle(u->app, row->pattern, &why) == 0)
			continue;
		if (why.kind == ERR_INTERRUPTED) {
			error_copy(err, &why);
			return -1;
		}
		upgrade_busy(&row->board, why.text, loop_now());
	}
	return 0;
}

/* What it does is seen without its line, and its answer comes after a failure only. */
static bool is_silent(const struct upgrade *u, const struct upgrade_row *row)
{
	return row->call.line && !row->board.asked &&
	       (u->way == UPGRADE_BY_TOOL || row->restarting) &&
	       loop_now() - row->board.begun >= u->times.begin / SILENT_PART;
}

/* The line of such a one is for another; false: there is none. */
static bool give_back(const struct upgrade *u)
{
	for (size_t i = 0; i < u->count; i++) {
		if (!is_silent(u, &u->row[i]))
			continue;
		control_line_close(TAKE(u->row[i].call.line));
		return true;
	}
	return false;
}

/* As many as there are lines for: serve has so many for all commands. */
static int call_more(struct upgrade *u, struct error *err)
{
	size_t lines = 0;

	for (size_t i = 0; i < u->count; i++)
		lines += (size_t)(u->row[i].call.line != NULL) +
			 (size_t)(u->row[i].again.line != NULL);
	for (size_t i = 0; i < u->count; i++) {
		struct upgrade_row *row = &u->row[i];

		if (!row->is_back && !row->to_call)
			continue;
		if (lines >= LINES_MAX && !give_back(u))
			return 0;
		lines -= lines >= LINES_MAX;
		if (row->is_back)
			ask_again(u, row);
		else if (call(u, row, err))
			return -1;
		lines += row->call.line || row->again.line;
	}
	return 0;
}

static int begin(struct upgrade *u, struct error *err)
{
	for (size_t i = 0; i < u->count; i++) {
		struct upgrade_row *row = &u->row[i];
		const char *missing;

		if (row->why || (!row->url && u->way != UPGRADE_BY_OTA))
			upgrade_busy(&row->board,
				     row->why ? row->why :
						"serve hosts nothing for it",
				     loop_now());
		missing = uncompared(u, &row->board.was);
		if (row->board.verdict == UPGRADE_OPEN && missing)
			render_note(&u->app->out, "%s: %s",
				    render_device_name(row->device), missing);
		row->to_call = row->board.verdict == UPGRADE_OPEN &&
			       upgrade_fits(&row->board, u->options->force,
					    loop_now());
	}
	if (call_more(u, err))
		return -1;
	if (u->options->power_cycle) {
		render_note(
			&u->app->out,
			"offered to each that asks OTA here, which they do when their power is back");
		return switch_power(u, err);
	}
	if (u->way == UPGRADE_BY_OTA)
		render_note(
			&u->app->out,
			"offered to each that asks OTA here: restart them (button, power, 'mcpctl call self.reboot')");
	return 0;
}

/* Whether there is more to wait for. */
static bool look(struct upgrade *u)
{
	bool open = false;

	for (size_t i = 0; i < u->count; i++) {
		struct upgrade_row *row = &u->row[i];

		take_call(u, row);
		take_again(row);
		if (!row->to_call)
			upgrade_tick(&row->board, loop_now());
		if (row->board.verdict == UPGRADE_OPEN) {
			open = true;
			show_step(u, row);
		} else if (!row->shown) {
			show(u, row);
		}
	}
	return open;
}

static int run(struct upgrade *u, struct error *err)
{
	int status = begin(u, err);

	while (status == 0 && look(u)) {
		show_progress(u);
		status = call_more(u, err) || take_events(u, err) ? -1 : 0;
	}
	render_count_down(&u->app->out, NULL);
	if (status && err->kind == ERR_INTERRUPTED)
		error_hint(
			err,
			"a board that fetches goes on by itself; 'mcpctl devices' shows its version when it is back");
	return status;
}

static int outcome(const struct upgrade *u, struct error *err)
{
	if (!u->count)
		return error_set(
			err, ERR_UNMET,
			"serve hosted it for no board: nothing was sent");
	if (!u->failed)
		return 0;
	if (u->count == 1) {
		error_copy(err, &u->row[0].board.why);
		return error_prefix(err, "%s",
				    render_device_name(u->row[0].device));
	}
	return error_set(err, u->worst, "%zu of %zu boards failed", u->failed,
			 u->count);
}

/* --then */
static int then(const struct upgrade *u, struct error *err)
{
	const struct outside_order order = { .command = u->options->then,
					     .in = CHILD_INHERIT };
	struct outside o = { 0 };

	if (!order.command)
		return 0;
	fflush(u->app->out.out);
	if (outside_start(&o, u->app, &order, err))
		return -1;
	outside_wait(&o);
	u->app->status = o.status;
	return 0;
}

static void upgrade_done(struct upgrade *u)
{
	/* First: from here on no address is good. */
	control_line_close(u->host);
	for (size_t i = 0; i < u->count; i++)
		row_done(&u->row[i]);
	mem_free(u->row);
	buf_done(&u->file);
}

static struct upgrade_times times_of(const struct upgrade_options *o,
				     enum upgrade_way way, int64_t timeout)
{
	struct upgrade_times t = {
		.start = START_MS,
		.begin = way == UPGRADE_ASSETS ? BOOT_MS : BEGIN_MS,
		.restart = o->restart ? o->restart : RESTART_MS,
		.settle = o->settle ? o->settle : SETTLE_MS
	};

	/* What is waited for first. */
	if (timeout && (way == UPGRADE_BY_OTA || o->later))
		t.start = timeout;
	else if (timeout)
		t.begin = timeout;
	return t;
}

static int run_by(const struct invocation *in, enum upgrade_way way,
		  struct error *err)
{
	const struct upgrade_options *o = in->options;
	struct upgrade u = {
		.app = in->app,
		.options = o,
		.way = way,
		.times = times_of(o, way, in->app->config.timeout),
	};
	int status = read_image(&u, in->argv[0], err);

	if (status == 0) {
		tell_image(&u);
		status = host(&u, err);
	}
	if (status == 0 && way != UPGRADE_BY_OTA)
		status = ask_facts(&u, err);
	if (status == 0)
		status = run(&u, err);
	if (status == 0)
		status = outcome(&u, err);
	if (status == 0)
		status = then(&u, err);
	upgrade_done(&u);
	return status;
}

/* What serve does, nobody does at a broker. */
static int check_fleet(const struct invocation *in,
		       const struct upgrade_options *o, struct error *err)
{
	const struct {
		bool given;
		const char *name;
	} rows[] = { { o->by != UPGRADE_BY_TOOL, "by" },
		     { o->force, "force" },
		     { o->settle > 0, "settle" } };

	for (size_t i = 0; i < COUNT(rows); i++) {
		if (rows[i].given)
			return error_set(
				err, ERR_USAGE,
				"option '--%s' is for the boards of a running serve, and the target is a broker",
				rows[i].name);
	}
	if (text_starts(in->argv[0], "http://") ||
	    text_starts(in->argv[0], "https://"))
		return 0;
	error_set(
		err, ERR_USAGE,
		"'%.100s' is no address: at a broker nobody hosts a file for its boards",
		in->argv[0]);
	return error_hint(
		err,
		"put it on a server that they reach, and give its address: http://HOST/NAME.bin; or on the machine of their serve, without a target: mcpctl upgrade FILE");
}

static int run_fleet(const struct invocation *in,
		     const struct upgrade_options *o, struct error *err)
{
	const int64_t timeout = in->app->config.timeout;
	const struct upgrade_fleet_order order = {
		.url = in->argv[0],
		.begin = timeout ? timeout : START_MS,
		.restart = o->restart ? o->restart : START_MS,
	};
	const struct upgrade u = { .app = in->app, .options = o };

	return check_fleet(in, o, err) || upgrade_fleet(in->app, &order, err) ||
			       then(&u, err) ?
		       -1 :
		       0;
}

static int upgrade_run(const struct invocation *in, struct error *err)
{
	const struct upgrade_options *o = in->options;

	if (o->power_cycle && o->by != UPGRADE_BY_OTA)
		return error_set(
			err, ERR_USAGE,
			"option '--power-cycle' is for '--by ota', which waits for a restart");
	if (o->power_cycle && power_possible(in->app, err))
		return -1;
	return brokered_fits(in->app) ?
		       run_fleet(in, o, err) :
		       run_by(in, (enum upgrade_way)o->by, err);
}

static int assets_run(const struct invocation *in, struct error *err)
{
	return run_by(in, UPGRADE_ASSETS, err);
}

static const struct example upgrade_examples[] = {
	{ "upgrade build/xiaozhi.bin", NULL, EXAMPLE_GOES_ON },
	{ "-d kitchen upgrade build/xiaozhi.bin", NULL, EXAMPLE_GOES_ON },
	{ "-d kitchen upgrade build/xiaozhi.bin --by ota", NULL,
	  EXAMPLE_GOES_ON },
	{ "--all upgrade build/xiaozhi.bin --then 'mcpctl --all run smoke.mcp'",
	  NULL, EXAMPLE_GOES_ON },
	{ NULL, NULL, 0 }
};

const struct command cmd_upgrade = {
	.name = "upgrade",
	.globals =
		"jq target device socket timeout wait cacert insecure mqtt-password-file",
	.args = "FIRMWARE",
	.brief = "other firmware over the air, and see that it runs",
	.text = "FIRMWARE is the application alone, as 'idf.py build' leaves it (build/PROJECT.bin). It is read first: what is no image, merged for the cable, cut or damaged is refused, and so is, before anything is sent to it, a board with another chip or a partition that is too small, as far as it tells them (self.get_system_info). "
		"This is for the air; with a cable, 'idf.py flash' is for the first time and for a board that does not start.\n"
		"\n"
		"The board must be connected to the running serve, which hosts the image on the port that the board reaches, under an address of its own for each board and as long as this command runs. The tool self.upgrade_firmware is called with it. "
		"With --by ota nothing is called: at its next start the board finds the image in the answer to OTA, if it asks this serve (mcpctl adopt), newer or not. So it reaches boards that have no such tool, or are not connected (-d ID); who sends that Device-Id gets the address. It stays offered until the board fetches, or --timeout (10 min) is over; each part of the version, between its dots, must begin with a digit. With --power-cycle serve switches their power off and on, one after the other, so that a rack needs nobody.\n"
		"\n"
		"A board that somebody else leased (mcpctl lease) is left out. "
		"Progress is what the board took, as TCP tells; then it restarts, and the version and build that it tells afterwards are compared: when it asks OTA, or is connected again. "
		"Over WebSocket it is known from its OTA question, without waking it; a board that asks another OTA than this serve must be woken.\n"
		"\n"
		"A line for each board with its verdict. done: the new version was seen, and stayed for --settle. same: it runs that very build already, and nothing was sent. unfit, busy: nothing was sent. "
		"never fetched, fetched in part, failed (it says so), old version, loop (it restarts again and again), not seen: what it runs now is not known. With -o json progress comes as lines, too (mcpctl help json).\n"
		"\n"
		"With a target mcp+mqtt://BROKER/FILTER it is for boards that a serve --mcp-mqtt shows at a broker, one, or with --all each that fits: FIRMWARE is then an address (http:// or https://) that they reach, which is not read here. Nobody sees them fetch: that a board goes (within --timeout, 10 min), is announced again (within --restart, here 10 min: it may fetch meanwhile), and with which version, its presence tells. The serve must show the tool: --mcp-allow self.upgrade_firmware.\n"
		"\n"
		"--timeout is how long a board may take to begin, 30 s if not given. Status 0: done or same, all of them. Else the highest of 1 (it refuses, or says that it failed), 2 (unfit), 3 (not fetched, or busy), 4 (not seen), 7 (old version, or loop).",
	.group = GROUP_USE,
	.flags = CMD_MINOR,
	.min = 1,
	.max = 1,
	.operand = OPERAND_FILE,
	.options = upgrade_options,
	.options_size = sizeof(struct upgrade_options),
	.examples = upgrade_examples,
	.run = upgrade_run,
	.all = upgrade_run
};

static const struct example assets_examples[] = {
	{ "assets build/generated_assets.bin", NULL, EXAMPLE_GOES_ON },
	{ "-d kitchen assets assets.bin --later", NULL, EXAMPLE_GOES_ON },
	{ NULL, NULL, 0 }
};

const struct command cmd_assets = {
	.name = "assets",
	.globals = "jq device socket timeout",
	.args = "FILE",
	.brief = "fonts, pictures, wake words over the air",
	.text = "FILE is what belongs into a board's partition of assets: the assets.bin of a release, or generated_assets.bin of the build. It is read first: firmware, a file of something else, one that is cut or damaged is refused, and so is, before anything is sent to it, a board whose partition is too small, as far as it tells that (self.get_system_info, or OTA).\n"
		"\n"
		"The running serve hosts it, under an address of its own for each board and as long as this command runs. The board is told by self.assets.set_download_url, which firmware has from 2.3.0 on, and older one only where it has such a partition. "
		"It keeps the address, and fetches at its next start, before it asks OTA: so it is restarted (self.reboot), or, with --later, it is waited for until somebody does. It writes over what it had while it fetches, tries once, and tells nobody what became of it.\n"
		"\n"
		"A line for each board with its verdict. done: it took all and went on, which is all that can be seen: whether it shows the new assets, its screen tells. unfit, busy: nothing was sent. never fetched, failed (it refuses), not seen (it took all, and did not come back). "
		"fetched in part: what it had is written over, and the new is not whole: send it again. A board that somebody else leased is left out (busy).\n"
		"\n"
		"--timeout is how long a board may take to begin, 60 s if not given, with --later 10 min. The status is as of upgrade. After Ctrl-C a board that was told and did not fetch yet finds nothing at its next start, and goes on with what it has.",
	.group = GROUP_USE,
	.flags = CMD_MINOR,
	.min = 1,
	.max = 1,
	.operand = OPERAND_FILE,
	.options = assets_options,
	.options_size = sizeof(struct upgrade_options),
	.examples = assets_examples,
	.run = assets_run,
	.all = assets_run
};
