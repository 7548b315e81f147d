/* SPDX-License-Identifier: MIT */
/* The command that switches a board: made safe, run, watched, told of. */
#include "serve/power.h"

#include <ctype.h>
#include <string.h>

#include "base/child.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/spawner.h"
#include "base/split.h"
#include "base/text.h"
#include "serve/control.h"
#include "serve/control_peer.h"
#include "serve/known_boards.h"
#include "serve/leasing.h"
#include "serve/mqtt_boards.h"

#define KEPT 4096 /* bytes of each output */

static const char *const actions[] = {
	[POWER_ON] = "on",
	[POWER_OFF] = "off",
	[POWER_CYCLE] = "cycle",
};

/* ---- the command ---- */

static const struct power_place {
	const char *name, *value;
} places[] = { { "{device}", "\"$1\"" },
	       { "{alias}", "\"$2\"" },
	       { "{action}", "\"$3\"" } };

/* The first place in text; NULL. */
static const struct power_place *next_place(const char *text, const char **at)
{
	const struct power_place *found = NULL;

	for (size_t i = 0; i < COUNT(places); i++) {
		const char *here = strstr(text, places[i].name);

		if (!here || (found && here > *at))
			continue;
		found = &places[i];
		*at = here;
	}
	return found;
}

/* One word for sh; used: which places stood there. */
static void add_word(struct buf *out, const char *word,
		     bool used[COUNT(places)])
{
	const struct power_place *place;
	const char *at = NULL;
	bool empty = true;

	buf_char(out, ' ');
	while ((place = next_place(word, &at))) {
		CLEANUP(mem_free_ptr)
		char *before = mem_strndup(word, (size_t)(at - word));

		if (*before)
			words_quote(out, before);
		buf_text(out, place->value);
		used[place - places] = true;
		word = at + strlen(place->name);
		empty = false;
	}
	if (empty || *word)
		words_quote(out, word);
}

int power_text(char **out, const char *command, struct error *err)
{
	CLEANUP(words_done) struct words words = { 0 };
	CLEANUP(buf_done) struct buf text = { 0 };
	bool used[COUNT(places)] = { false };

	*out = NULL;
	if (words_split(&words, command, err))
		return -1;
	buf_text(&text, "exec");
	for (size_t i = 0; i < words.count; i++)
		add_word(&text, words.word[i], used);
	if (!used[0] && !used[1]) {
		error_set(err, ERR_USAGE,
			  "'%s' does not say which board it switches", command);
		return error_hint(
			err,
			"{device} stands for its id, {alias} for its name");
	}
	if (!used[2])
		buf_printf(&text, " %s", places[2].value);
	*out = buf_take(&text);
	return 0;
}

void power_allow(const char *command)
{
	CLEANUP(mem_free_ptr) char *text = NULL;

	if (!command || power_text(&text, command, NULL))
		return;
	spawner_allow((const char *const[]){ "sh", "-c", text, "sh", NULL }, 3,
		      NULL);
}

/* ---- a run of it ---- */

struct power_job {
	struct serve *server;
	char *id;
	enum power_action action;
	int64_t started_ms; /* Unix time */
	struct child *child;
	struct timer timer;
	void (*done)(void *owner, const struct power_outcome *outcome);
	void *owner; /* NULL: forgotten */
	struct power_job *next;
};

static void on_timer_closed(void *owner)
{
	struct power_job *job = owner;

	mem_free(job->id);
	mem_free(job);
}

static void unlink_job(struct power *power, const struct power_job *job)
{
	struct power_job **at = &power->first;

	while (*at != job)
		at = &(*at)->next;
	*at = job->next;
	power->count--;
}

static void record(const struct power_job *job,
		   const struct power_outcome *outcome)
{
	struct records *log = &job->server->records;
	const char *action = actions[job->action];
	struct record *r;

	if (outcome->over)
		r = records_add(
			log, RECORD_POWER, LEVEL_BAD, job->id, NULL,
			"power %s: the command took longer than %d s and is being ended",
			action, POWER_MS / 1000);
	else
		r = records_add(log, RECORD_POWER,
				outcome->status ? LEVEL_BAD : LEVEL_INFO,
				job->id, NULL,
				"power %s: the command ended with status %d",
				action, outcome->status);
	if (r)
		r->detail =
			mem_printf("\"action\":\"%s\",\"status\":%d", action,
				   outcome->over ? -1 : outcome->status);
}

/* What it had before cannot be alive, and nothing else would tell. */
static void end_connection(const struct power_job *job)
{
	struct serve *s = job->server;
	struct board *d = registry_find(&s->registry, job->id);
	CLEANUP(error_reset) struct error why = { 0 };

	if (!d || d->closing || d->since_ms >= job->started_ms)
		return;
	error_set(&why, ERR_CONNECT, "its power was switched (%s)",
		  actions[job->action]);
	board_end(d, &why);
	if (d->mqtt)
		mqtt_boards_kick(s->mqtt_boards, d);
}

static void finish(struct power_job *job, const struct power_outcome *outcome)
{
	unlink_job(&job->server->power, job);
	record(job, outcome);
	if (job->action != POWER_ON && !outcome->over && !outcome->status)
		end_connection(job);
	if (job->owner)
		job->done(job->owner, outcome);
	timer_close(&job->timer, on_timer_closed);
}

/* Complaints first; yours. */
static char *take_output(const struct child *c)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	const struct buf *err = child_output(c, true);
	const struct buf *printed = child_output(c, false);

	size_t len;

	buf_add(&out, err->data, err->len);
	if (err->len && printed->len && err->data[err->len - 1] != '\n')
		buf_char(&out, '\n');
	buf_add(&out, printed->data, printed->len);
	len = out.len;
	while (len && strchr("\r\n", out.data[len - 1]))
		len--;
	return mem_strndup(buf_string(&out), len);
}

static void on_ended(void *owner, int status)
{
	struct power_job *job = owner;
	CLEANUP(mem_free_ptr) char *output = take_output(job->child);

	job->child = NULL;
	finish(job,
	       &(struct power_outcome){ .status = status, .output = output });
}

static void on_time_over(void *owner)
{
	struct power_job *job = owner;
	CLEANUP(mem_free_ptr) char *output = take_output(job->child);

	child_abandon(TAKE(job->child));
	finish(job, &(struct power_outcome){ .over = true, .output = output });
}

static int start(struct power_job *job, const char *text, struct error *err)
{
	static const struct child_events events = { .ended = on_ended };
	const char *action = actions[job->action];
	CLEANUP(words_done) struct words argv = { 0 };
	CLEANUP(mem_free_ptr)
	char *device = mem_printf("MCPCTL_DEVICE=%s", job->id);
	CLEANUP(mem_free_ptr)
	char *power = mem_printf("MCPCTL_POWER=%s", action);
	const char *const env[] = { device, power, NULL };
	struct child_options options = {
		.env = env, .out = CHILD_PIPE, .err = CHILD_PIPE, .keep = KEPT
	};

	words_add(&argv, "sh");
	words_add(&argv, "-c");
	words_add(&argv, text);
	words_add(&argv, "sh");
	words_add(&argv, job->id);
	words_add(&argv, known_board_name(job->server, job->id));
	words_add(&argv, action);
	options.argv = argv.word;
	return child_start(&job->child, job->server->loop, &options, &events,
			   job, err);
}

/* What a device calls itself may go on to a shell elsewhere (ssh). */
static int check_id(const char *id, struct error *err)
{
	for (const char *c = id; *c; c++) {
		if (!isascii(*c) || (!isalnum(*c) && !strchr(":._@-", *c)) ||
		    *id == '-')
			return error_set(
				err, ERR_CONNECT,
				"the id '%s' is not given to a command: it has other characters than letters, digits and ':._@-', or begins with '-'",
				id);
	}
	return 0;
}

static int check(const struct serve *s, const char *id, struct error *err)
{
	if (!s->config.power_cmd) {
		error_set(err, ERR_USAGE, "this serve cannot switch power");
		return error_hint(
			err,
			"start it with --power-cmd 'CMD {device}', which gets on, off or cycle as its last word");
	}
	for (const struct power_job *j = s->power.first; j; j = j->next) {
		if (strcmp(j->id, id) == 0)
			return error_set(err, ERR_CONNECT,
					 "'%s' is being switched already (%s)",
					 id, actions[j->action]);
	}
	if (s->power.count >= POWER_JOBS_MAX)
		return error_set(
			err, ERR_CONNECT,
			"%d boards are being switched, which is the most",
			POWER_JOBS_MAX);
	return check_id(id, err);
}

/*
 * Switch the board of that id (small letters), which need not be here. done:
 * once, from the loop. Where it was switched off, or off and on, a connection
 * that it had before is ended. -1: ERR_USAGE: serve has no --power-cmd; ERR_CONNECT:
 * that board is being switched, too many are, or no process. Leases are the
 * caller's matter (serve/leasing.h).
 */
static int
power_switch(struct serve *s, const char *id, enum power_action action,
	     void (*done)(void *owner, const struct power_outcome *outcome),
	     void *owner, struct error *err)
{
	CLEANUP(mem_free_ptr) char *text = NULL;
	struct power_job *job;

	if (check(s, id, err) || power_text(&text, s->config.power_cmd, err))
		return -1;
	job = mem_zalloc(sizeof(*job));
	*job = (struct power_job){ .server = s,
				   .id = mem_strdup(id),
				   .action = action,
				   .started_ms = unix_now_ms(),
				   .done = done,
				   .owner = owner,
				   .next = s->power.first };
	if (start(job, text, err)) {
		on_timer_closed(job);
		return -1;
	}
	s->power.first = job;
	s->power.count++;
	timer_open(&job->timer, s->loop, on_time_over, job);
	timer_start(&job->timer, POWER_MS);
	return 0;
}

/* Nothing is told to that owner any more; what runs runs on. */
static void power_forget(struct power *power, const void *owner)
{
	for (struct power_job *j = power->first; j; j = j->next) {
		if (j->owner == owner)
			j->owner = NULL;
	}
}

void power_close(struct power *power)
{
	while (power->first) {
		struct power_job *job = power->first;

		unlink_job(power, job);
		child_abandon(TAKE(job->child));
		timer_close(&job->timer, on_timer_closed);
	}
}

/* ---- asked for by a command ---- */

static void on_done(void *owner, const struct power_outcome *outcome)
{
	struct control_peer *p = owner;
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_printf(&out, "{\"op\":\"powered\",\"status\":%d", outcome->status);
	json_add_text(&out, "output", outcome->output);
	if (outcome->over)
		buf_text(&out, ",\"over\":true");
	buf_char(&out, '}');
	control_peer_send(p, CONTROL_JSON, out.data, out.len);
}

static int read_action(const char *word, enum power_action *out,
		       struct error *err)
{
	for (size_t i = 0; i < COUNT(actions); i++) {
		*out = (enum power_action)i;
		if (text_same(word, actions[i]))
			return 0;
	}
	return error_set(err, ERR_USAGE, "'power' is on, off or cycle");
}

/* Its id, of *ids; NULL: none fits, or several. */
static const char *only_one(const struct serve *s, const char *pattern,
			    struct words *ids, struct error *err)
{
	if (!pattern) {
		error_set(err, ERR_USAGE, "'power' needs a device");
		return NULL;
	}
	if (known_boards(s, pattern, ids, err))
		return NULL;
	if (ids->count == 1)
		return ids->word[0];
	error_set(err, ERR_USAGE,
		  "%zu boards fit '%s': power is switched for one", ids->count,
		  pattern);
	error_hint(err, "'mcpctl devices' shows who is there");
	return NULL;
}

void power_ask(struct control_peer *p, const struct control_question *q)
{
	CLEANUP(words_done) struct words ids = { 0 };
	CLEANUP(error_reset) struct error why = { 0 };
	const char *pattern = json_string(q->json, "device");
	enum power_action action;
	const char *id;

	if (read_action(json_string(q->json, "action"), &action, &why)) {
		control_peer_error(p, &why);
		return;
	}
	id = only_one(p->server, pattern, &ids, &why);
	if (!id || leasing_check_id(p, id, &why) ||
	    power_switch(p->server, id, action, on_done, p, &why))
		control_peer_error(p, &why);
}

void power_leave(struct control_peer *p)
{
	power_forget(&p->server->power, p);
}
