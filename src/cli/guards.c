/* SPDX-License-Identifier: MIT */
/*
 * Between the client and its peer: which tries follow a failure, and whether a
 * call is made at all. Waits for nothing, sends nothing; the rules are
 * mcp/guard's.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/loop.h"
#include "base/mask.h"
#include "base/mem.h"
#include "base/random.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "base/utf8.h"
#include "cli/app.h"
#include "cli/call_clock.h"
#include "cli/catalog_file.h"
#include "cli/config.h"
#include "cli/guards.h"
#include "cli/target_text.h"

/* The file of a breaker: read, locked, written. */

#define FOLDER "breakers/"

enum {
	FILE_MAX = 16384,
	WHY_MAX = 400, /* bytes of the words that are kept */
	LOCK_MS = 500, /* a stopped command must not stop us */
	FAILURES_MAX = 1000000
};

void guard_file_init(struct guard_file *f, const char *target)
{
	*f = (struct guard_file){ .target = mem_strdup(target), .lock = -1 };
}

void guard_file_done(struct guard_file *f)
{
	mem_free(f->target);
	mem_free(f->method);
	mem_free(f->why);
	mem_free(f->path);
	mem_free(f->lock_path);
	guard_file_init(f, NULL);
}

int guard_file_keep(struct guard_file *f, struct error *err)
{
	CLEANUP(mem_free_ptr)
	char *name = mem_printf(FOLDER "%016" PRIx64 ".json",
				text_hash(f->target, strlen(f->target)));

	if (f->path)
		return 0;
	if (!f->lock_path && state_file(&f->lock_path, FOLDER "lock", err))
		return -1;
	return state_file(&f->path, name, err);
}

/* ---- reading ---- */

/* -1: there is no regular file of ours. */
static int read_text(struct buf *out, const char *path)
{
	buf_init(out, FILE_MAX);
	return file_read_own(out, path);
}

static bool number_of(const cJSON *tree, const char *name, int64_t *out)
{
	return json_integer(tree, name, out) == 0 && *out >= 0;
}

static bool decode(struct guard_file *f, const struct buf *text)
{
	CLEANUP(json_free_ptr)
	cJSON *tree = json_parse(buf_string(text), text->len, NULL);
	const char *whose = json_string(tree, "target");
	int64_t failures, opened_at, trial_at;

	if (!whose || !number_of(tree, "failures", &failures) ||
	    !number_of(tree, "opened_at", &opened_at) ||
	    !number_of(tree, "trial_at", &trial_at) || failures > FAILURES_MAX)
		return false;
	/* Two targets of one hash: the last one counts. */
	if (strcmp(whose, f->target) != 0)
		return true;
	f->breaker.failures = failures;
	f->breaker.opened_at = opened_at;
	f->breaker.trial_at = trial_at;
	f->method = mem_strdup(json_string(tree, "method"));
	f->why = mem_strdup(json_string(tree, "why"));
	return true;
}

int guard_file_begin(struct guard_file *f, struct error *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	if (!f->path)
		return 0;
	mem_free(TAKE(f->method));
	mem_free(TAKE(f->why));
	breaker_close(&f->breaker);
	/* Not the file itself, which is replaced. -1: it goes on without. */
	f->lock = file_lock(f->lock_path, LOCK_MS);
	if (access(f->path, F_OK) != 0 && errno == ENOENT)
		return 0;
	if (read_text(&text, f->path) == 0 && decode(f, &text))
		return 0;
	return error_set(
		err, ERR_USAGE,
		"the state of the circuit breaker in '%s' cannot be read: it counts as closed",
		f->path);
}

/* ---- writing ---- */

static void encode(struct buf *out, const struct guard_file *f)
{
	const struct breaker *b = &f->breaker;

	buf_text(out, "{\"target\":");
	buf_json_string(out, f->target, strlen(f->target));
	buf_printf(out,
		   ",\"failures\":%lld,\"opened_at\":%lld,\"trial_at\":%lld",
		   (long long)b->failures, (long long)b->opened_at,
		   (long long)b->trial_at);
	json_add_text(out, "method", f->method);
	if (f->why) {
		size_t len = text_cut(f->why, strlen(f->why), WHY_MAX);
		CLEANUP(buf_done) struct buf safe = { 0 };

		text_safe(&safe, f->why, len, TEXT_LINE);
		json_add_text(out, "why", buf_string(&safe));
	}
	buf_text(out, "}\n");
}

static int write_text(const struct guard_file *f)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	if (f->breaker.failures == 0 && f->breaker.opened_at == 0)
		return unlink(f->path) == 0 || errno == ENOENT ? 0 : -1;
	encode(&text, f);
	return file_replace(f->path, 0600, text.data, text.len);
}

int guard_file_end(struct guard_file *f, bool changed, struct error *err)
{
	int status = f->path && changed ? write_text(f) : 0;

	if (status != 0)
		error_set(
			err, ERR_OUTPUT,
			"the state of the circuit breaker was not kept in '%s': %s",
			f->path, strerror(errno));
	if (f->lock >= 0)
		close(f->lock);
	f->lock = -1;
	return status;
}

/* A target that was used in this run. */
struct guarded {
	struct guard_file file;
	struct guarded *next;
};

struct guards {
	struct app *app;
	struct client_guard guard;
	struct retry_policy policy;
	struct guards_option option;
	struct guarded *all;
	struct guard_file *here; /* the present target's */
	bool listens; /* it comes by itself */
	bool opening; /* admitted, and not over */
	bool trial; /* the one that is out is ours */
	bool spoilt; /* what stood in the file is none of ours */
	bool told; /* so */
	unsigned tries; /* of the present request or opening */
	struct call_clock *clock;
};

/* ---- the state, in memory or in its file ---- */

/* Once: it is the same each time. */
static void tell_problem(struct guards *g, const struct error *why)
{
	if (!g->told)
		render_note(&g->app->out, "%s", why->text);
	g->told = true;
}

static void begin_change(struct guards *g)
{
	CLEANUP(error_reset) struct error why = { 0 };

	g->spoilt = guard_file_begin(g->here, &why) != 0;
	if (g->spoilt)
		tell_problem(g, &why);
}

static void end_change(struct guards *g, bool changed)
{
	CLEANUP(error_reset) struct error why = { 0 };

	if (guard_file_end(g->here, changed || g->spoilt, &why) != 0)
		tell_problem(g, &why);
}

/* ---- the breaker ---- */

static void hint_open(const struct guards *g, struct error *err)
{
	const struct guard_file *f = g->here;
	const char *why = f->why ? f->why : "unknown";

	error_hint(
		err,
		"the last one: %.*s; then one trial call is let through; %s",
		text_shown(why, 200), why,
		f->path ?
			"--breaker=off tries at once" :
			"'reconnect' in the shell closes it now, --breaker=off leaves it out");
}

/* May it be sent to the present target? -1: its breaker is open. */
static int admit(struct guards *g, const char *method, struct error *err)
{
	struct breaker *b = &g->here->breaker;
	int64_t now = unix_now_ms();
	int status = 0;

	if (!g->option.on || g->trial)
		return 0;
	begin_change(g);
	if (!guard_is_apart(method, g->here->method)) {
		bool trial = breaker_state(b, now) == BREAKER_HALF_OPEN;

		status = breaker_admit(b, now, err);
		g->trial = trial && status == 0;
	}
	end_change(g, g->trial);
	if (status != 0)
		hint_open(g, err);
	if (g->trial && g->app->out.verbose)
		render_note(&g->app->out,
			    "the circuit breaker lets one trial through");
	return status;
}

/* Does it change what is known? */
static bool tells(const struct guards *g, const char *method,
		  enum breaker_verdict verdict)
{
	switch (verdict) {
	case BREAKER_GOOD:
		return g->here->breaker.failures > 0 &&
		       guard_ends_row(method, g->here->method);
	case BREAKER_BAD:
		return true;
	case BREAKER_SILENT:
		break;
	}
	return g->trial;
}

static void tell_state(const struct guards *g, bool was_open)
{
	const struct breaker *b = &g->here->breaker;
	struct renderer *r = &g->app->out;

	if (was_open == (b->opened_at > 0))
		return;
	if (!was_open) {
		char text[32];

		render_note(
			r,
			"%lld failed in a row: the circuit breaker is open, calls fail at once for %s",
			(long long)b->failures,
			text_milliseconds(breaker_left(b, unix_now_ms()), text,
					  sizeof(text)));
	} else if (r->verbose) {
		render_note(r, "the circuit breaker is closed");
	}
}

/* How it ended; why NULL: good. */
static void settle(struct guards *g, const char *method,
		   const struct error *why)
{
	struct guard_file *f = g->here;
	enum breaker_verdict verdict = breaker_judge(why);
	bool was_open, changed;

	if (!g->option.on)
		return;
	begin_change(g);
	was_open = f->breaker.opened_at > 0;
	changed = tells(g, method, verdict);
	if (changed) {
		breaker_settle(&f->breaker, why, unix_now_ms());
		g->trial = false;
	}
	if (verdict == BREAKER_BAD) {
		mem_free(f->method);
		mem_free(f->why);
		f->method = mem_strdup(method);
		f->why = mask_text(why->text);
	}
	tell_state(g, was_open);
	end_change(g, changed);
}

/* A trial of ours that nothing came of. */
static void give_back(struct guards *g)
{
	if (!g->trial)
		return;
	begin_change(g);
	breaker_release(&g->here->breaker);
	g->trial = false;
	end_change(g, true);
}

void guards_reset(struct guards *g)
{
	if (!g || !g->here || !g->option.on)
		return;
	begin_change(g);
	breaker_close(&g->here->breaker);
	g->trial = false;
	end_change(g, true);
}

#define HTTP_TRIES 3

/* ---- tries ---- */

/* 0 to 1. */
static double random_part(void)
{
	uint32_t bits;

	random_bytes(&bits, sizeof(bits));
	return (double)bits / (double)UINT32_MAX;
}

static void tell_try(struct guards *g, const struct error *why, int64_t wait)
{
	struct renderer *r = &g->app->out;
	char line[120];

	if (r->verbose) {
		char time[32];

		render_note(r, "try %u of %u failed: %s; again in %s", g->tries,
			    g->policy.tries, why->text,
			    text_milliseconds(wait, time, sizeof(time)));
		return;
	}
	snprintf(line, sizeof(line), "try %u of %u failed", g->tries,
		 g->policy.tries);
	call_clock_pause(g->clock, line, wait);
}

static int64_t again(struct guards *g, const struct guard_ask *ask,
		     unsigned tries, const struct error *why)
{
	/* A trial is a single request. */
	int64_t wait = g->trial ? -1 :
				  retry_wait(&g->policy, ask, tries, why,
					     random_part());

	g->tries = tries;
	if (wait >= 0)
		tell_try(g, why, wait);
	return wait;
}

/* Why there was no further try, where that can be helped. */
static void hint_tries(const struct guards *g, const struct guard_ask *ask,
		       struct error *err)
{
	char time[32];

	if (err->hint[0] || g->tries >= g->policy.tries ||
	    !retry_may_pass(err, ask))
		return;
	if (!retry_may_repeat(&g->policy, ask))
		error_hint(
			err,
			"it was tried once, since the tool is not %s as idempotent: --retry-calls repeats it all the same",
			ask->known ? "marked" : "known");
	else if (err->retry_after > RETRY_ASKED_MOST_MS)
		error_hint(err, "it asks to wait %s before the next try",
			   text_milliseconds(err->retry_after, time,
					     sizeof(time)));
}

static void add_tries(struct guards *g, const struct guard_ask *ask,
		      struct error *err)
{
	call_clock_stop(g->clock);
	if (err && err->kind != ERR_INTERRUPTED) {
		size_t len = strlen(err->text);

		hint_tries(g, ask, err);
		if (g->tries > 1)
			snprintf(err->text + len, sizeof(err->text) - len,
				 " (after %u tries)", g->tries);
	}
	g->tries = 0;
}

/* ---- the guard of the client ---- */

static int on_admit(void *owner, const struct guard_ask *ask, struct error *err)
{
	struct guards *g = owner;

	g->tries = 0;
	if (!guard_is_free(ask->method) && admit(g, ask->method, err))
		return -1;
	call_clock_start(g->clock, ask->subject ? ask->subject : ask->method);
	return 0;
}

static int64_t on_again(void *owner, const struct guard_ask *ask,
			unsigned tries, const struct error *err)
{
	return again(owner, ask, tries, err);
}

static void on_settle(void *owner, const struct guard_ask *ask,
		      struct error *err)
{
	struct guards *g = owner;

	if (!guard_is_free(ask->method))
		settle(g, ask->method, err);
	add_tries(g, ask, err);
}

const struct client_guard *guards_guard(const struct guards *g)
{
	return g ? &g->guard : NULL;
}

/* ---- opening ---- */

static const struct guard_ask opening = { .method = "initialize" };

int64_t guards_again(struct guards *g, unsigned tries, const struct error *why)
{
	return g && g->opening ? again(g, &opening, tries, why) : -1;
}

/* Nobody dials a device that comes by itself. */
int guards_admit(struct guards *g, struct error *err)
{
	if (g->opening)
		return 0;
	g->tries = 0;
	if (!g->listens && admit(g, opening.method, err))
		return -1;
	g->opening = true;
	return 0;
}

void guards_opened(struct guards *g, struct error *why)
{
	if (!g || !g->opening)
		return;
	g->opening = false;
	if (!g->listens)
		settle(g, opening.method, why);
	else if (!why)
		guards_reset(g);
	add_tries(g, &opening, why);
}

/* ---- its life ---- */

static char *key_of(const struct endpoint *e)
{
	return target_choice_key(e->text, e->device);
}

/* The one of that key becomes the present one. */
static void choose(struct guards *g, const char *key)
{
	struct guarded *t = g->all;

	while (t && strcmp(t->file.target, key) != 0)
		t = t->next;
	if (t && g->here == &t->file)
		return;
	give_back(g);
	if (!t) {
		t = mem_zalloc(sizeof(*t));
		guard_file_init(&t->file, key);
		t->next = g->all;
		g->all = t;
	}
	g->here = &t->file;
	g->trial = g->opening = false;
}

static struct guards *guards_new(struct connection *c)
{
	struct guards *g = mem_zalloc(sizeof(*g));

	g->app = c->app;
	g->clock = call_clock_new(c);
	g->guard = (struct client_guard){ .admit = on_admit,
					  .again = on_again,
					  .settle = on_settle,
					  .owner = g };
	return g;
}

int guards_open(struct connection *c, struct error *err)
{
	const struct config *config = &c->app->config;
	const struct scheme *scheme = c->endpoint.scheme;
	unsigned usual = scheme->kind == SCHEME_HTTP ? HTTP_TRIES : 1;
	CLEANUP(mem_free_ptr) char *key = key_of(&c->endpoint);
	struct guards_option option;
	struct guards *g;

	if (guards_option_parse(&option, config->breaker, err))
		return -1;
	if (!c->guards)
		c->guards = guards_new(c);
	g = c->guards;
	g->option = option;
	g->policy.tries = config->retry ? (unsigned)config->retry : usual;
	g->policy.calls = config->retry_calls;
	g->listens = scheme->traits & SCHEME_WAITS;
	choose(g, key);
	g->here->breaker.limit = option.limit;
	g->here->breaker.pause_ms = option.pause_ms;
	return option.lasts ? guard_file_keep(g->here, err) : 0;
}

void guards_close(struct connection *c)
{
	struct guards *g = TAKE(c->guards);

	if (g) {
		give_back(g);
		call_clock_free(g->clock);
	}
	while (g && g->all) {
		struct guarded *t = g->all;

		g->all = t->next;
		guard_file_done(&t->file);
		mem_free(t);
	}
	mem_free(g);
}

/*
 * The value of --breaker taken apart.
 */

#define VARIABLE "MCPCTL_BREAKER"
#define LIMIT_MAX 1000000

static int refuse(const char *text, struct error *err)
{
	bool from_environment = text == getenv(VARIABLE);

	error_set(err, ERR_USAGE, "%s: '%s' is no N[,DURATION]",
		  from_environment ? "environment variable " VARIABLE :
				     "option '--breaker'",
		  text);
	return error_hint(
		err,
		"as in --breaker=5,60s: after 5 failed calls in a row, for 60 s; --breaker=off is none at all");
}

int guards_option_parse(struct guards_option *out, const char *text,
			struct error *err)
{
	const char *comma = text ? strchr(text, ',') : NULL;
	CLEANUP(mem_free_ptr) char *number = NULL;

	*out = (struct guards_option){ .on = true, .lasts = text != NULL };
	if (text_same(text, "off")) {
		*out = (struct guards_option){ 0 };
		return 0;
	}
	if (!text || !*text || text_same(text, "on"))
		return 0;
	number = mem_strndup(text,
			     comma ? (size_t)(comma - text) : strlen(text));
	if (text_integer(number, 1, LIMIT_MAX, &out->limit) != 0 ||
	    (comma && (text_duration(comma + 1, &out->pause_ms, NULL) != 0 ||
		       out->pause_ms < 1)))
		return refuse(text, err);
	return 0;
}
