/* SPDX-License-Identifier: MIT */
#include "bridge/bridge.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mask.h"
#include "base/mem.h"
#include "base/text_safe.h"
#include "cli/app.h"
#include "net/control_client.h"

enum {
	SETTLE_MS = 500, /* changes within it are one */
	FIRST_MS = 50, /* the same before anything was shown */
	RATE = 10, /* calls a second for each board, unless told */
	LINES_MAX = 100, /* that wait to be shown */
	ARGUMENTS_MAX = 400, /* bytes of them in the log */
	WHO_MAX = 80
};

#define ATTACH "attach:"

/* ---- told ---- */

void bridge_tell(void *owner, const char *text)
{
	struct bridge *b = owner;

	if (b->lines.count < LINES_MAX)
		words_add(&b->lines, text);
	b->woken = true;
}

static void show_lines(struct bridge *b)
{
	for (size_t i = 0; i < b->lines.count; i++)
		render_note(&b->app->out, "%s", b->lines.word[i]);
	words_done(&b->lines);
}

static void add_safe(struct buf *out, const char *text, size_t max)
{
	CLEANUP(buf_done) struct buf cut = { 0 };

	buf_add_cut(&cut, text, strlen(text), max);
	text_safe(out, buf_string(&cut), cut.len, TEXT_LINE);
}

static void add_deed(struct buf *out, const struct bridge_deed *d)
{
	CLEANUP(buf_done) struct buf masked = { 0 };
	char took[32];

	add_safe(out, d->host, WHO_MAX);
	buf_char(out, ' ');
	add_safe(out, d->peer ? d->peer : "-", WHO_MAX);
	buf_char(out, ' ');
	add_safe(out, d->tool ? d->tool : "-", WHO_MAX);
	buf_char(out, ' ');
	if (d->arguments)
		mask_secrets(&masked, d->arguments, strlen(d->arguments));
	add_safe(out, masked.len ? buf_string(&masked) : "{}", ARGUMENTS_MAX);
	text_microseconds(d->took_us, took, sizeof(took));
	buf_printf(out, " %s %s", took, d->ok ? "ok" : "failed");
	if (!d->ok && d->why) {
		buf_text(out, ": ");
		buf_reset(&masked);
		mask_secrets(&masked, d->why, strlen(d->why));
		add_safe(out, buf_string(&masked), ARGUMENTS_MAX);
	}
}

/* Not the end of the bridge, but of its log: that is said, once. */
static void lose_log(struct bridge *b)
{
	bridge_tell(
		b,
		"the log cannot be written any more; calls stand here from now on");
	close(b->log);
	b->log = -1;
}

static bool write_log(struct bridge *b, const struct bridge_deed *d)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	char stamp[STAMP_SIZE];

	buf_printf(&line, "%s ", clock_utc(stamp));
	add_deed(&line, d);
	buf_char(&line, '\n');
	return file_write(b->log, line.data, line.len) == 0;
}

void bridge_log(struct bridge *part, const struct bridge_deed *d)
{
	struct bridge *b = part->of ? part->of : part;
	CLEANUP(buf_done) struct buf line = { 0 };
	char stamp[STAMP_SIZE];

	if (b->log >= 0 && write_log(b, d))
		return;
	if (b->log >= 0)
		lose_log(b);
	buf_printf(&line, "%s ", clock_time(stamp));
	add_deed(&line, d);
	bridge_tell(b, buf_string(&line));
}

static int open_log(struct bridge *b, struct error *err)
{
	b->log = -1;
	if (!b->options->log)
		return 0;
	b->log = file_create("log", b->options->log, true, err);
	return b->log < 0 ? -1 : 0;
}

/* ---- who is behind it ---- */

static void add_peer(void *owner, struct bridge_peer *p)
{
	struct bridge *b = owner;

	b->peer = mem_grow(b->peer, &b->capacity, b->count,
			   sizeof(struct bridge_peer *));
	b->peer[b->count++] = p;
	b->changed = b->woken = true;
}

static void lose_peer(void *owner, struct bridge_peer *p)
{
	struct bridge *b = owner;
	size_t at = 0;

	if (b->lost)
		b->lost(b->lost_owner, p);
	while (b->peer[at] != p)
		at++;
	memmove(b->peer + at, b->peer + at + 1,
		(--b->count - at) * sizeof(struct bridge_peer *));
	given_names_forget(&b->given, p);
	b->went = true;
}

static int64_t interval_of(const struct bridge *b)
{
	int64_t rate = b->options->rate ? b->options->rate : RATE;

	return rate > 1000 ? 1 : 1000 / rate;
}

static bool is_serve(const char *target)
{
	return text_starts(target, ATTACH);
}

bool bridge_wants_boards(const struct config *c)
{
	if (c->devices.count || (!c->targets.count && !c->target))
		return true;
	for (size_t i = 0; i < c->targets.count; i++) {
		if (is_serve(c->targets.word[i]))
			return true;
	}
	return !c->targets.count && is_serve(c->target);
}

static const char *socket_of(const char *target, const char *otherwise)
{
	return target && is_serve(target) && target[strlen(ATTACH)] ?
		       target + strlen(ATTACH) :
		       otherwise;
}

const char *bridge_socket(const struct config *c)
{
	const char *given = c->socket;

	for (size_t i = 0; i < c->targets.count; i++)
		given = socket_of(c->targets.word[i], given);
	return c->targets.count ? given : socket_of(c->target, given);
}

static int open_boards(struct bridge *b, struct error *err)
{
	const struct config *c = &b->app->config;
	struct boards_config config = {
		.loop = b->app->loop,
		.patterns = &b->patterns,
		.keep = !b->rules.awake_only,
		.interval = interval_of(b),
		.changed = &b->changed,
		.woken = &b->woken,
		.came = add_peer,
		/* They stay announced as long as we run. */
		.went = b->options->keep_asleep ? NULL : lose_peer,
		.told = bridge_tell,
		.owner = b
	};

	if (!bridge_wants_boards(c))
		return 0;
	for (size_t i = 0; i < c->devices.count; i++)
		words_add(&b->patterns, c->devices.word[i]);
	if (!c->devices.count && c->device)
		words_add(&b->patterns, c->device);
	if (control_path(&b->socket, bridge_socket(c), false, err))
		return -1;
	config.socket = b->socket;
	b->boards = bridge_boards_open(&config);
	return 0;
}

static void open_server(struct bridge *b, const char *target)
{
	const struct server_config config = { .app = b->app,
					      .target = target,
					      .keep = !b->rules.awake_only,
					      .interval = interval_of(b),
					      .changed = &b->changed,
					      .woken = &b->woken,
					      .hearer = &b->hearer,
					      .told = bridge_tell,
					      .owner = b };

	if (is_serve(target))
		return;
	b->server = mem_realloc(
		b->server, (b->servers + 1) * sizeof(struct bridge_server *));
	b->server[b->servers] = bridge_server_open(&config);
	add_peer(b, bridge_server_peer(b->server[b->servers++]));
}

static void open_servers(struct bridge *b)
{
	const struct config *c = &b->app->config;

	for (size_t i = 0; i < c->targets.count; i++)
		open_server(b, c->targets.word[i]);
	/* That of the environment is for who names nothing. */
	if (!c->targets.count && !c->devices.count && c->target)
		open_server(b, c->target);
}

/* ---- all of it ---- */

static void take_options(struct bridge *b)
{
	const struct bridge_options *o = b->options;
	const struct config *c = &b->app->config;

	b->rules = (struct bridge_rules){
		.names = (enum bridge_names)o->names,
		.user_tools = o->user_tools,
		.read_only = o->read_only,
		.merge = o->merge,
		.no_own = o->no_own,
		.generic = o->generic,
		.awake_only = o->awake_only,
		.allow = o->allow.count ? &o->allow : NULL,
		.deny = o->deny.count ? &o->deny : NULL,
	};
	b->mend.false_is_error = o->false_is_error;
	b->timeout = c->timeout ? c->timeout : BRIDGE_TIMEOUT_MS;
	b->wait = c->wait ? c->wait : BRIDGE_WAIT_MS;
}

int bridge_open(struct bridge *b, struct app *app,
		const struct bridge_options *options, struct error *err)
{
	*b = (struct bridge){ .app = app,
			      .options = options,
			      .log = -1,
			      .changed = true,
			      .show_at = LOOP_FOREVER };
	take_options(b);
	if (app_open_loop(app, err) || open_log(b, err) || open_boards(b, err))
		return -1;
	open_servers(b);
	return 0;
}

void bridge_part_open(struct bridge *out, struct bridge *of,
		      struct bridge_peer *peer)
{
	*out = (struct bridge){ .app = of->app,
				.options = of->options,
				.rules = of->rules,
				.mend = of->mend,
				.timeout = of->timeout,
				.wait = of->wait,
				.show_at = LOOP_FOREVER,
				.log = -1,
				.of = of };
	out->rules.names = BRIDGE_RAW;
	out->rules.no_own = true;
	out->rules.generic = false;
	out->rules.merge = false;
	out->rules.most = 0;
	add_peer(out, peer);
}

void bridge_close(struct bridge *b)
{
	for (size_t i = 0; i < b->servers; i++)
		bridge_server_close(b->server[i]);
	shown_tools_done(&b->shown);
	given_names_done(&b->given);
	given_names_done(&b->items);
	bridge_boards_close(b->boards);
	show_lines(b);
	if (b->log >= 0)
		close(b->log);
	mem_free(b->server);
	mem_free(b->peer);
	mem_free(b->socket);
	words_done(&b->patterns);
}

/* ---- what hosts see ---- */

static void show(struct bridge *b)
{
	struct buf before = b->shown.listing;
	bool first = !b->shown.source;
	bool same;

	b->show_at = LOOP_FOREVER;
	b->changed = false;
	b->shown.listing = (struct buf){ 0 };
	shown_tools_make(&b->shown, b->peer, b->count, &b->rules);
	given_names_add(&b->given, &b->shown);
	same = before.len == b->shown.listing.len &&
	       (!before.len ||
		memcmp(before.data, b->shown.listing.data, before.len) == 0);
	buf_done(&before);
	if (!first && !same && b->on_change)
		b->on_change(b->owner);
}

const struct shown_tools *bridge_shown(struct bridge *b)
{
	if (!b->shown.source)
		show(b);
	return &b->shown;
}

static size_t source_of(const struct shown_tools *s,
			const struct bridge_peer *peer)
{
	size_t i = 0;

	while (i < s->count && s->peer[i] != peer)
		i++;
	return i;
}

const struct bridge_tool *bridge_find(struct bridge *b, const char *name,
				      size_t *source)
{
	const struct shown_tools *s = bridge_shown(b);
	const struct bridge_tool *t =
		bridge_catalogue_find(&s->catalogue, name);
	const struct given_name *given;

	*source = t && !t->merged ? t->source : SIZE_MAX;
	if (t)
		return t;
	given = given_names_find(&b->given, name);
	if (!given)
		return NULL;
	*source = source_of(s, given->peer);
	t = *source < s->count ?
		    bridge_catalogue_at(&s->catalogue, *source, given->tool) :
		    NULL;
	return t && (!t->why || t->left_out) ? t : NULL;
}

static void look_at_changes(struct bridge *b)
{
	if (b->changed && b->show_at == LOOP_FOREVER)
		b->show_at =
			loop_now() + (b->shown.source ? SETTLE_MS : FIRST_MS);
	b->changed = false;
	if (loop_now() >= b->show_at)
		show(b);
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int64_t bridge_tend(struct bridge *b)
{
	int64_t next = LOOP_FOREVER;

	if (b->boards)
		next = bridge_boards_tend(b->boards);
	if (b->went && b->shown.source)
		show(b);
	b->went = false;
	for (size_t i = 0; i < b->servers; i++)
		next = earlier(next, bridge_server_tend(b->server[i]));
	look_at_changes(b);
	show_lines(b);
	return earlier(next, b->show_at);
}

void bridge_refresh(struct bridge *b)
{
	if (b->boards)
		bridge_boards_refresh(b->boards);
	for (size_t i = 0; i < b->servers; i++)
		bridge_server_refresh(b->server[i]);
	b->woken = true;
}

bool bridge_settled(const struct bridge *b)
{
	if (b->boards && !bridge_boards_settled(b->boards))
		return false;
	for (size_t i = 0; i < b->servers; i++) {
		if (!bridge_server_settled(b->server[i]))
			return false;
	}
	return !b->changed && b->show_at == LOOP_FOREVER;
}
