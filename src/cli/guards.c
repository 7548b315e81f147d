/* SPDX-License-Identifier: MIT */
/*
 * Between the client and its peer: tries that follow a failure, and the breaker
 * with its file.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/random.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "base/utf8.h"
#include "cli/app.h"
#include "cli/catalog_file.h"
#include "cli/config.h"
#include "cli/guards.h"
#include "mcp/guard.h"
#include "out/mask.h"

#define OPENING_METHOD "initialize"

/* A target that was used in this run. */
struct guarded {
	char *key; /* without secrets */
	struct guards_record record;
	struct guards_file file;
	struct guarded *next;
};

struct guards {
	struct app *app;
	struct client_guard guard;
	struct retry_policy policy;
	struct guards_option option;
	struct guarded *all, *here;
	bool opening; /* admitted, and not over */
	bool trial; /* the one that is out is ours */
	bool spoilt; /* what stood in the file is none of ours */
	bool told; /* so */
	unsigned tries; /* of the present request or opening */
};

/*
 * The breaker of the present target, in memory or in its file. Tries are
 * guards.c's matter.
 */

/* ---- the state, in memory or in its file ---- */

/* Once: it is the same each time. */
static void tell_problem(struct guards *g, const struct error *why)
{
	if (!g->told)
		render_note(&g->app->out, "%s", why->text);
	g->told = true;
}

static struct guards_record *begin_change(struct guards *g)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct guarded *here = g->here;

	g->spoilt = here->file.path &&
		    guards_file_begin(&here->file, &here->record, &why) != 0;
	if (g->spoilt)
		tell_problem(g, &why);
	return &here->record;
}

static void end_change(struct guards *g, bool changed)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct guarded *here = g->here;

	if (here->file.path &&
	    guards_file_end(&here->file,
			    changed || g->spoilt ? &here->record : NULL,
			    &why) != 0)
		tell_problem(g, &why);
}

/* ---- the breaker ---- */

static void hint_open(const struct guards *g, struct error *err)
{
	const struct guarded *here = g->here;
	const char *why = here->record.why ? here->record.why : "unknown";
	int len = (int)text_cut(why, strlen(why), 200);

	if (here->file.path)
		error_hint(
			err,
			"the last one: %.*s; then one trial call is let through; --breaker=off tries at once",
			len, why);
	else
		error_hint(
			err,
			"the last one: %.*s; then one trial call is let through; 'reconnect' in the shell closes it now, --breaker=off leaves it out",
			len, why);
}

/* How much a success of it tells. */
static int weight_of(const char *method)
{
	static const char *const small[] = { "tools/list",
					     "resources/list",
					     "resources/templates/list",
					     "prompts/list",
					     "ping",
					     "logging/setLevel",
					     "completion/complete" };

	if (strcmp(method, OPENING_METHOD) == 0)
		return 0;
	for (size_t i = 0; i < COUNT(small); i++) {
		if (strcmp(method, small[i]) == 0)
			return 1;
	}
	return retry_is_call(method) ? 3 : 2;
}

/* A server that reads well although its tools fail goes on reading. */
static bool is_apart(const struct guards_record *r, const char *method)
{
	return r->method && strcmp(method, OPENING_METHOD) != 0 &&
	       weight_of(method) < weight_of(r->method);
}

/* May it be sent to the present target? -1: its breaker is open. */
static int guards_breaker_admit(struct guards *g, const char *method,
				struct error *err)
{
	struct guards_record *r;
	int64_t now = unix_now_ms();
	bool trial;
	int status;

	if (!g->option.on || g->trial)
		return 0;
	r = begin_change(g);
	if (is_apart(r, method)) {
		end_change(g, false);
		return 0;
	}
	trial = breaker_state(&r->breaker, now) == BREAKER_HALF_OPEN;
	status = breaker_admit(&r->breaker, now, err);
	g->trial = trial && status == 0;
	end_change(g, g->trial);
	if (status != 0)
		hint_open(g, err);
	if (g->trial && g->app->out.verbose)
		render_note(&g->app->out,
			    "the circuit breaker lets one trial through");
	return status;
}

static bool ends_row(const char *method, const char *failed)
{
	return !failed || weight_of(method) >= weight_of(failed);
}

static void settle_bad(struct guards *g, const char *method,
		       const struct error *why)
{
	struct guards_record *r = &g->here->record;
	int64_t now = unix_now_ms();
	bool was_open = r->breaker.opened_at > 0;
	char text[32];

	breaker_settle(&r->breaker, why, now);
	mem_free(r->method);
	mem_free(r->why);
	r->method = mem_strdup(method);
	r->why = mask_text(why->text);
	g->trial = false;
	if (was_open || r->breaker.opened_at == 0)
		return;
	text_milliseconds(breaker_left(&r->breaker, now), text, sizeof(text));
	render_note(
		&g->app->out,
		"%lld failed in a row: the circuit breaker is open, calls fail at once for %s",
		(long long)r->breaker.failures, text);
}

/* True: it changed. */
static bool settle_good(struct guards *g, const char *method)
{
	struct guards_record *r = &g->here->record;
	bool was_open = r->breaker.opened_at > 0;

	if (r->breaker.failures == 0 || !ends_row(method, r->method))
		return false;
	breaker_close(&r->breaker);
	g->trial = false;
	if (was_open && g->app->out.verbose)
		render_note(&g->app->out, "the circuit breaker is closed");
	return true;
}

static bool settle_silent(struct guards *g)
{
	bool trial = g->trial;

	if (trial)
		breaker_release(&g->here->record.breaker);
	g->trial = false;
	return trial;
}

/* How it ended; why NULL: good. */
static void guards_breaker_settle(struct guards *g, const char *method,
				  const struct error *why)
{
	bool changed = true;

	if (!g->option.on)
		return;
	begin_change(g);
	switch (breaker_judge(why)) {
	case BREAKER_GOOD:
		changed = settle_good(g, method);
		break;
	case BREAKER_BAD:
		settle_bad(g, method, why);
		break;
	case BREAKER_SILENT:
		changed = settle_silent(g);
		break;
	}
	end_change(g, changed);
}

/* A trial of ours that nothing came of. */
static void guards_breaker_release(struct guards *g)
{
	if (!g->trial)
		return;
	begin_change(g);
	end_change(g, settle_silent(g));
}

void guards_reset(struct guards *g)
{
	if (!g || !g->here || !g->option.on)
		return;
	begin_change(g);
	breaker_close(&g->here->record.breaker);
	g->trial = false;
	end_change(g, true);
}

/*
 * Between the client and its peer: which tries follow a failure, and whether
 * a call is made at all. Waits for nothing, sends nothing; the rules are
 * mcp/guard's.
 */

#define HTTP_TRIES 3

/* ---- tries ---- */

/* 0 to 1. */
static double random_part(void)
{
	uint32_t bits;

	random_bytes(&bits, sizeof(bits));
	return (double)bits / (double)UINT32_MAX;
}

static void tell_try(const struct guards *g, const struct error *why,
		     int64_t wait)
{
	struct renderer *r = &g->app->out;
	char line[120], time[32];

	text_milliseconds(wait, time, sizeof(time));
	if (r->verbose) {
		render_note(r, "try %u of %u failed: %s; again in %s", g->tries,
			    g->policy.tries, why->text, time);
		return;
	}
	snprintf(line, sizeof(line),
		 "try %u of %u failed; again in %s (Ctrl-C ends)", g->tries,
		 g->policy.tries, time);
	render_count_down(r, line);
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

	if (err->hint[0] || g->tries >= g->policy.tries || !retry_may_pass(err))
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
	render_count_down(&g->app->out, NULL);
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

static bool is_ping(const struct guard_ask *ask)
{
	return strcmp(ask->method, "ping") == 0;
}

static int on_admit(void *owner, const struct guard_ask *ask, struct error *err)
{
	struct guards *g = owner;

	g->tries = 0;
	return is_ping(ask) ? 0 : guards_breaker_admit(g, ask->method, err);
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

	if (!is_ping(ask))
		guards_breaker_settle(g, ask->method, err);
	add_tries(g, ask, err);
}

const struct client_guard *guards_guard(const struct guards *g)
{
	return g ? &g->guard : NULL;
}

/* ---- opening ---- */

static const struct guard_ask opening_ask = { .method = OPENING_METHOD };

int64_t guards_again(struct guards *g, unsigned tries, const struct error *why)
{
	return g && g->opening ? again(g, &opening_ask, tries, why) : -1;
}

/* Nobody dials a device that comes by itself. */
int guards_admit(struct guards *g, struct error *err)
{
	if (g->opening)
		return 0;
	g->tries = 0;
	if (!app_listens(g->app) &&
	    guards_breaker_admit(g, OPENING_METHOD, err))
		return -1;
	g->opening = true;
	return 0;
}

void guards_opened(struct guards *g, struct error *why)
{
	if (!g || !g->opening)
		return;
	g->opening = false;
	if (!app_listens(g->app))
		guards_breaker_settle(g, OPENING_METHOD, why);
	else if (!why)
		guards_reset(g);
	add_tries(g, &opening_ask, why);
}

/* ---- its life ---- */

static char *key_of(const struct app *app)
{
	CLEANUP(mem_free_ptr)
	char *target = schema_cache_key(app->endpoint.text, NULL);
	const char *device = app->endpoint.device;

	if (device && *device)
		return mem_printf("%s -d %s", target, device);
	return TAKE(target);
}

static void close_file(struct guards *g, struct guarded *t)
{
	if (g->here == t)
		guards_breaker_release(g);
	guards_file_close(&t->file);
}

/* The one of that key becomes the present one. */
static void choose(struct guards *g, const char *key)
{
	struct guarded *t = g->all;

	if (g->here && strcmp(g->here->key, key) == 0)
		return;
	if (g->here)
		close_file(g, g->here);
	while (t && strcmp(t->key, key) != 0)
		t = t->next;
	if (!t) {
		t = mem_zalloc(sizeof(*t));
		t->key = mem_strdup(key);
		t->next = g->all;
		g->all = t;
	}
	g->here = t;
	g->trial = g->opening = false;
}

static struct guards *guards_new(struct app *app)
{
	struct guards *g = mem_zalloc(sizeof(*g));

	g->app = app;
	g->guard = (struct client_guard){ .admit = on_admit,
					  .again = on_again,
					  .settle = on_settle,
					  .owner = g };
	return g;
}

int guards_open(struct app *app, struct error *err)
{
	const struct config *c = &app->config;
	unsigned usual =
		app->endpoint.scheme->kind == SCHEME_HTTP ? HTTP_TRIES : 1;
	CLEANUP(mem_free_ptr) char *key = key_of(app);
	struct guards_option option;
	struct guards *g;

	if (guards_option_parse(&option, c->breaker, err))
		return -1;
	if (!app->guarding)
		app->guarding = guards_new(app);
	g = app->guarding;
	g->option = option;
	g->policy.tries = c->retry ? (unsigned)c->retry : usual;
	g->policy.calls = c->retry_calls;
	choose(g, key);
	g->here->record.breaker.limit = option.limit;
	g->here->record.breaker.pause_ms = option.pause_ms;
	if (!option.lasts || g->here->file.path)
		return 0;
	return guards_file_open(&g->here->file, key, err);
}

void guards_close(struct app *app)
{
	struct guards *g = TAKE(app->guarding);

	while (g && g->all) {
		struct guarded *t = g->all;

		close_file(g, t);
		g->all = t->next;
		guards_record_done(&t->record);
		mem_free(t->key);
		mem_free(t);
	}
	mem_free(g);
}

/*
 * Reading and writing the file of a breaker: small, replaced as a whole, and
 * not believed further than its numbers make sense. Decides nothing.
 */

#define FOLDER "breakers/"

enum {
	FILE_MAX = 16384,
	WHY_MAX = 400, /* bytes of the words that are kept */
	LOCK_TRIES = 50, /* 10 ms each: a stopped command must not stop us */
	FAILURES_MAX = 1000000
};

void guards_record_done(struct guards_record *r)
{
	mem_free(r->method);
	mem_free(r->why);
	*r = (struct guards_record){ 0 };
}

int guards_file_open(struct guards_file *out, const char *target,
		     struct error *err)
{
	CLEANUP(mem_free_ptr)
	char *name = mem_printf(FOLDER "%016" PRIx64 ".json",
				text_hash(target, strlen(target)));

	*out = (struct guards_file){ .lock = -1 };
	if (state_file(&out->path, name, err) ||
	    state_file(&out->lock_path, FOLDER "lock", err)) {
		guards_file_close(out);
		return -1;
	}
	out->target = mem_strdup(target);
	return 0;
}

void guards_file_close(struct guards_file *f)
{
	mem_free(f->path);
	mem_free(f->lock_path);
	mem_free(f->target);
	*f = (struct guards_file){ .lock = -1 };
}

/* Not the file itself, which is replaced. -1: go on without. */
static int take_lock(const char *path)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	for (int i = 0; fd >= 0 && i < LOCK_TRIES; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return fd;
		nanosleep(&pause, NULL);
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

/* ---- reading ---- */

/* -1: there is no regular file. */
static int read_text(struct buf *out, const char *path)
{
	struct stat st;
	int fd = file_open_regular(path, O_NOFOLLOW, &st), status;

	if (fd < 0)
		return -1;
	buf_init(out, FILE_MAX);
	status = file_read_fd(out, fd);
	close(fd);
	return status;
}

static bool number_of(const cJSON *tree, const char *name, int64_t *out)
{
	return json_integer(tree, name, out) == 0 && *out >= 0;
}

static bool decode(struct guards_record *r, const char *target,
		   const struct buf *text)
{
	CLEANUP(json_free_ptr)
	cJSON *tree = json_parse(buf_string(text), text->len, NULL);
	const char *whose = json_string(tree, "target");
	struct breaker *b = &r->breaker;
	int64_t failures, opened_at, trial_at;

	if (!whose || !number_of(tree, "failures", &failures) ||
	    !number_of(tree, "opened_at", &opened_at) ||
	    !number_of(tree, "trial_at", &trial_at) || failures > FAILURES_MAX)
		return false;
	/* Two targets of one hash: the last one counts. */
	if (strcmp(whose, target) != 0)
		return true;
	b->failures = failures;
	b->opened_at = opened_at;
	b->trial_at = trial_at;
	r->method = mem_strdup(json_string(tree, "method"));
	r->why = mem_strdup(json_string(tree, "why"));
	return true;
}

static void forget(struct guards_record *r)
{
	mem_free(TAKE(r->method));
	mem_free(TAKE(r->why));
	breaker_close(&r->breaker);
}

int guards_file_begin(struct guards_file *f, struct guards_record *r,
		      struct error *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	forget(r);
	f->lock = take_lock(f->lock_path);
	if (access(f->path, F_OK) != 0 && errno == ENOENT)
		return 0;
	if (read_text(&text, f->path) == 0 && decode(r, f->target, &text))
		return 0;
	return error_set(
		err, ERR_USAGE,
		"the state of the circuit breaker in '%s' cannot be read: it counts as closed",
		f->path);
}

/* ---- writing ---- */

static void encode(struct buf *out, const struct guards_file *f,
		   const struct guards_record *r)
{
	const struct breaker *b = &r->breaker;

	buf_text(out, "{\"target\":");
	buf_json_string(out, f->target, strlen(f->target));
	buf_printf(out,
		   ",\"failures\":%lld,\"opened_at\":%lld,\"trial_at\":%lld",
		   (long long)b->failures, (long long)b->opened_at,
		   (long long)b->trial_at);
	json_add_text(out, "method", r->method);
	if (r->why) {
		size_t len = text_cut(r->why, strlen(r->why), WHY_MAX);
		CLEANUP(buf_done) struct buf safe = { 0 };

		text_safe(&safe, r->why, len, TEXT_LINE);
		json_add_text(out, "why", buf_string(&safe));
	}
	buf_text(out, "}\n");
}

static int drop(const char *path)
{
	return unlink(path) == 0 || errno == ENOENT ? 0 : -1;
}

int guards_file_end(struct guards_file *f, const struct guards_record *r,
		    struct error *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	int status = 0;

	if (r && r->breaker.failures == 0 && r->breaker.opened_at == 0) {
		status = drop(f->path);
	} else if (r) {
		encode(&text, f, r);
		status = file_replace(f->path, 0600, text.data, text.len);
	}
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
