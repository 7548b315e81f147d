/* SPDX-License-Identifier: MIT */
/* Boards at a broker: called, gone, back. */
#include "cli/upgrade_fleet.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/brokered.h"
#include "cli/brokered_ask.h"
#include "cli/connection.h"
#include "cli/upgrade_board.h"
#include "mcp/content.h"
#include "mcp/tools.h"

#define TOOL "self.upgrade_firmware"

enum {
	SHOWN_MAX = 6, /* servers, of those that fit */
	TURN_MS = 1000,
	/* A failure may be that it went in the midst of the call; and what it
	   announces may be what it was. */
	SETTLE_MS = 5000
};

enum fleet_step {
	FLEET_UNASKED,
	FLEET_ASKED,
	FLEET_AWAY,
	FLEET_BACK,
	FLEET_OVER
};

struct fleet_board {
	struct all_device device; /* its texts are its own */
	const char *server; /* its id, in device */
	char version[48], now[48]; /* "": not told */
	enum fleet_step step;
	int64_t begun, until; /* loop_now() ms */
	struct error said; /* how the call failed; ERR_NONE: not yet, or well */
};

struct fleet_upgrade {
	struct app *app;
	const struct upgrade_fleet_order *order;
	struct all all;
	struct fleet_board *board;
	size_t count;
};

/* ---- which ---- */

static void keep_version(char out[48], const cJSON *device)
{
	const char *version = json_string(device, "version");

	text_copy(out, 48, version ? version : "");
}

/* Sessions take those of `all`; these stay. */
static void keep_boards(struct fleet_upgrade *u)
{
	u->board = mem_zalloc((u->all.count + 1) * sizeof(*u->board));
	for (size_t i = 0; i < u->all.count; i++) {
		const struct all_device *from = &u->all.device[i];
		struct fleet_board *b = &u->board[u->count++];

		b->device = (struct all_device){
			.json = cJSON_Duplicate(from->json, true),
			.text = mem_copy(from->text, from->len),
			.len = from->len,
		};
		b->device.id = json_string(b->device.json, "id");
		b->server = json_string(b->device.json, "server_id");
		keep_version(b->version, b->device.json);
	}
}

static int which(const struct fleet_upgrade *u, struct error *err)
{
	CLEANUP(buf_done) struct buf names = { 0 };

	for (size_t i = 0; i < u->all.count && i < SHOWN_MAX; i++)
		buf_printf(&names, "%s%s", i ? ", " : "",
			   json_string(u->all.device[i].json, "alias"));
	if (u->all.count > SHOWN_MAX)
		buf_printf(&names, " and %zu more", u->all.count - SHOWN_MAX);
	error_set(err, ERR_USAGE, "%zu MCP servers fit: which one?",
		  u->all.count);
	return error_hint(err, "name one by -d, or take them --all: %s",
			  buf_string(&names));
}

static struct fleet_board *find(const struct fleet_upgrade *u, const char *id)
{
	for (size_t i = 0; id && i < u->count; i++) {
		if (strcmp(u->board[i].device.id, id) == 0)
			return &u->board[i];
	}
	return NULL;
}

/* ---- called ---- */

static int ask_upgrade(void *owner, struct connection *c,
		       const struct tool_list *tools,
		       struct brokered_question *q, struct error *err)
{
	struct fleet_upgrade *u = owner;
	struct fleet_board *b = find(u, c->whose);

	if (!tool_list_find(tools, TOOL))
		return error_set(
			err, ERR_USAGE,
			"nothing was sent: it does not offer " TOOL
			"; a serve shows that at a broker if it is started with --mcp-allow " TOOL);
	q->method = "tools/call";
	buf_text(&q->params, "{\"name\":\"" TOOL "\",\"arguments\":{\"url\":");
	buf_json_string(&q->params, u->order->url, strlen(u->order->url));
	buf_text(&q->params, "}}");
	if (b) {
		b->step = FLEET_ASKED;
		b->begun = loop_now();
		b->until = b->begun + u->order->begin;
	}
	return 0;
}

/* No row yet: what becomes of it, its presence tells. */
static bool judge_answer(void *owner, struct all_row *row)
{
	struct fleet_upgrade *u = owner;
	struct fleet_board *b = find(u, row->device->id);
	CLEANUP(result_done) struct result result = { 0 };

	if (row->reply.kind == MESSAGE_RESULT) {
		result_decode_take(&result, &row->reply);
		client_judge_result(TOOL, &result, &row->error);
	}
	/* It answers after a failure only, or went, which is as it should be. */
	if (b && row->error.kind == ERR_PEER) {
		error_copy(&b->said, &row->error);
		b->until = loop_now() + SETTLE_MS;
	}
	return false;
}

/* ---- over ---- */

static void end(struct fleet_upgrade *u, struct fleet_board *b,
		enum upgrade_verdict verdict, const struct error *why)
{
	struct renderer *r = &u->app->out;
	const bool good = verdict == UPGRADE_DONE;
	const struct upgrade_record record = {
		.device = b->device.json,
		.device_text = { b->device.text, b->device.len },
		.verdict = upgrade_verdict_name(verdict),
		.stage = upgrade_stage_name(
			b->step == FLEET_BACK ? UPGRADE_BACK : UPGRADE_WAITING),
		.good = good,
		.words = good || !why ? NULL : why->text,
		.before = b->version,
		.now = b->now,
		.took_ms = loop_now() - b->begun,
	};

	b->step = FLEET_OVER;
	all_count(&u->all, &b->device, good ? NULL : why,
		  record.took_ms * 1000);
	if (r->ops->upgrade)
		r->ops->upgrade(r, &record);
	fflush(r->out);
}

static void end_in_time(struct fleet_upgrade *u, struct fleet_board *b)
{
	CLEANUP(error_reset) struct error why = { 0 };

	if (b->step == FLEET_BACK && !*b->now) {
		error_set(&why, ERR_TIMEOUT,
			  "it is back, and does not announce its version");
		end(u, b, UPGRADE_UNSEEN, &why);
	} else if (b->step == FLEET_BACK && !*b->version) {
		error_set(
			&why, ERR_TIMEOUT,
			"it is back with %s, and had announced no version before",
			b->now);
		end(u, b, UPGRADE_UNSEEN, &why);
	} else if (b->step == FLEET_BACK) {
		error_set(&why, ERR_UNMET,
			  "it is back with the version that it had");
		end(u, b, UPGRADE_OLD, &why);
	} else if (b->step == FLEET_AWAY) {
		error_set(&why, ERR_TIMEOUT,
			  "it went, and is not announced again");
		end(u, b, UPGRADE_UNSEEN, &why);
	} else if (b->said.kind) {
		end(u, b, UPGRADE_FAILED, &b->said);
	} else {
		error_set(
			&why, ERR_CONNECT,
			"it was told, and did not restart: can it reach the address?");
		end(u, b, UPGRADE_NEVER, &why);
	}
}

/* ---- what presence tells ---- */

/* Its name may be another one now: the board's type stands in it. */
static const cJSON *announced(const struct fleet_upgrade *u,
			      const struct fleet_board *b)
{
	for (size_t i = 0; i < u->all.count; i++) {
		const cJSON *json = u->all.device[i].json;

		if (text_equal(json_string(json, "server_id"), b->server))
			return text_equal(json_string(json, "state"),
					  "present") ?
				       json :
				       NULL;
	}
	return NULL;
}

static void tend(struct fleet_upgrade *u, struct fleet_board *b)
{
	const cJSON *now = announced(u, b);

	if (b->step == FLEET_UNASKED || b->step == FLEET_OVER)
		return;
	if (!now && b->step != FLEET_AWAY) {
		b->step = FLEET_AWAY;
		b->until = loop_now() + u->order->restart;
	} else if (now &&
		   (b->step == FLEET_AWAY ||
		    (b->step == FLEET_ASKED &&
		     brokered_since(u->all.brokered, b->server) > b->begun))) {
		b->step = FLEET_BACK;
		b->until = loop_now() + SETTLE_MS;
	}
	if (now)
		keep_version(b->now, now);
	if (now && *b->now && *b->version && !text_equal(b->now, b->version))
		end(u, b, UPGRADE_DONE, NULL);
	else if (loop_now() >= b->until)
		end_in_time(u, b);
}

/* How many are not over; *next: when to look again at the latest. */
static size_t tend_all(struct fleet_upgrade *u, int64_t *next)
{
	size_t open = 0;

	*next = loop_now() + TURN_MS;
	for (size_t i = 0; i < u->count; i++) {
		struct fleet_board *b = &u->board[i];

		tend(u, b);
		if (b->step == FLEET_UNASKED || b->step == FLEET_OVER)
			continue;
		open++;
		if (b->until < *next)
			*next = b->until;
	}
	return open;
}

static int await(struct fleet_upgrade *u, struct error *err)
{
	int64_t next;

	for (;;) {
		if (all_look(&u->all, err))
			return -1;
		if (!tend_all(u, &next))
			return 0;
		if (brokered_stay(u->all.brokered, u->app, next, err))
			return -1;
	}
}

/* ---- the whole ---- */

static int run(struct fleet_upgrade *u, struct error *err)
{
	const struct brokered_ask ask = { .lists = true,
					  .question = ask_upgrade,
					  .judge = judge_answer,
					  .owner = u };

	if (u->all.count > 1 && !u->app->config.all)
		return which(u, err);
	keep_boards(u);
	if (brokered_run(&u->all, &ask, err) || await(u, err))
		return -1;
	return all_outcome(&u->all, err);
}

int upgrade_fleet(struct app *app, const struct upgrade_fleet_order *order,
		  struct error *err)
{
	struct fleet_upgrade u = { .app = app, .order = order };
	int status = all_open(&u.all, app, err);

	if (status == 0)
		status = run(&u, err);
	for (size_t i = 0; i < u.count; i++) {
		cJSON_Delete(u.board[i].device.json);
		mem_free(u.board[i].device.text);
		error_reset(&u.board[i].said);
	}
	mem_free(u.board);
	all_done(&u.all);
	return status;
}
