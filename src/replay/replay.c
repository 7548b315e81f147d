/* SPDX-License-Identifier: MIT */
#include "replay/replay.h"

#include <inttypes.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "capture/clone.h"
#include "cli/serve_client.h"
#include "cli/setup.h"
#include "sim/fleet.h"
#include "sim/sim.h"
#include "wire/hello.h"

/* A step that was heard or said just now: into is. */
static void replay_heard(struct replay *r, enum event_from from,
			 enum diag_leg leg, int64_t at_us, struct span text)
{
	const struct capture_event e = {
		.n = r->is.count + 1,
		.at_us = at_us,
		.conn = 1,
		.leg = leg,
		.kind = CAPTURED_TEXT,
		.from = from,
		.device = r->was.device[r->was.item[0].device],
		.data = text,
		.size = text.len,
	};

	steps_add(&r->is, &e);
}

static void found(void *owner, const struct difference *d)
{
	struct replay *r = owner;
	const struct step *before = r->shown.step;

	render_difference(&r->in->app->out, d, &r->shown);
	r->different[d->kind]++;
	if (before != r->shown.step)
		r->unlike++;
}

static const char *case_text(enum difference_kind kind)
{
	static const char *const words[] = { "missing", "more than there was",
					     "in another order",
					     "says another thing", "slower" };

	return words[kind];
}

/* Which side is compared: the other one said what it was told to. */
static enum event_from other_side(const struct replay *r)
{
	return r->o->as == 0 ? FROM_DEVICE : FROM_BACKEND;
}

#define SAME (DIFFERS_SLOWER + 1u)

struct sorting {
	struct replay *r;
	unsigned *worst; /* enum difference_kind by step of was, or SAME */
	char **says; /* by step of was: the first thing that is another; NULL */
};

static void add_value(struct buf *out, const char *value)
{
	const size_t len = value ? strlen(value) : 0;
	const size_t fits = len ? text_cut(value, len, 200) : 0;

	if (!value)
		buf_text(out, "nothing");
	buf_add(out, value, fits);
	if (fits < len)
		buf_text(out, "…");
}

static char *says_what(const struct compare_difference *d)
{
	struct buf out = { 0 };

	buf_printf(&out, "%s: %s was ", case_text(DIFFERS_SAYS),
		   *d->pointer ? d->pointer : "it");
	add_value(&out, d->was);
	buf_text(&out, ", is ");
	add_value(&out, d->is);
	return buf_take(&out);
}

static void sort_one(struct sorting *s, size_t i, const struct difference *d)
{
	if (d->kind < s->worst[i])
		s->worst[i] = d->kind;
	if (d->kind == DIFFERS_SAYS && !s->says[i])
		s->says[i] = says_what(&d->says);
}

static void sort(void *owner, const struct difference *d)
{
	struct sorting *s = owner;

	if (!d->was)
		check_case(&s->r->k, d->is->key, STAGE_FAIL, 0,
			   case_text(DIFFERS_MORE));
	else
		sort_one(s, (size_t)(d->was - s->r->was.item), d);
	found(s->r, d);
}

/* A case for each step of the other side, for reports. */
static size_t add_cases(struct sorting *s)
{
	struct replay *r = s->r;
	size_t count = 0;

	for (size_t i = 0; i < r->was.count; i++) {
		const struct step *step = &r->was.item[i];
		const unsigned worst = s->worst[i];

		if (step->from != other_side(r))
			continue;
		count++;
		check_case(&r->k, step->key,
			   worst == SAME ? STAGE_OK : STAGE_FAIL, 0,
			   worst == SAME ?
				   "" :
			   worst == DIFFERS_SAYS ?
				   s->says[i] :
				   case_text((enum difference_kind)worst));
	}
	return count;
}

static void sorting_done(struct sorting *s)
{
	for (size_t i = 0; i < s->r->was.count; i++)
		mem_free(s->says[i]);
	mem_free(s->says);
	mem_free(s->worst);
}

static void add_counts(const struct replay *r, struct buf *out)
{
	static const char *const words[] = { "missing", "more", "moved",
					     "other", "slower" };

	for (int i = 0; i <= DIFFERS_SLOWER; i++)
		if (r->different[i])
			buf_printf(out, ", %zu %s", r->different[i], words[i]);
}

/* Where nothing was compared, nothing is as it was. */
static int conclude(struct replay *r, size_t steps, struct error *err)
{
	const char *other = r->o->as == 0 ? "device" : "backend";
	CLEANUP(buf_done) struct buf counts = { 0 };

	add_counts(r, &counts);
	check_stage(&r->k, "same", r->unlike || !steps ? STAGE_FAIL : STAGE_OK,
		    "%zu step%s of the %s compared%s%s", steps,
		    steps == 1 ? "" : "s", other, buf_string(&counts),
		    r->unlike || !steps ? "" : ", all as they were");
	if (r->unlike)
		return error_set(err, ERR_UNMET, "%zu step%s not as recorded",
				 r->unlike, r->unlike == 1 ? " is" : "s are");
	return steps ? 0 :
		       error_set(err, ERR_UNMET,
				 "the capture has no step of the %s to compare",
				 other);
}

int replay_compare(struct replay *r, struct error *err)
{
	const struct compare_rules rules = {
		(const char *const *)r->o->ignore.word, r->o->ignore.count
	};
	struct sorting s = { .r = r };
	size_t steps;

	s.worst = mem_alloc((r->was.count + 1) * sizeof(*s.worst));
	s.says = mem_zalloc((r->was.count + 1) * sizeof(*s.says));
	for (size_t i = 0; i < r->was.count; i++)
		s.worst[i] = SAME;
	conversations_compare(&r->was, &r->is, &rules, other_side(r), sort, &s);
	render_differences_end(&r->in->app->out, &r->shown);
	steps = add_cases(&s);
	sorting_done(&s);
	return conclude(r, steps, err);
}

/*
 * To a backend, what a device said: a simulated board (sim) with the profile
 * that is made of the capture, so that each request is answered as the same one
 * was.
 */

#define QUIET_MS 3000 /* it is over once nothing came for so long */

static void on_line(void *owner, uint64_t device, const char *text)
{
	struct replay *r = owner;

	(void)device;
	render_note(&r->in->app->out, "%s", text);
}

static bool is_conversation(const struct trace *t)
{
	return strcmp(t->kind, "text") == 0 &&
	       (!t->leg || strcmp(t->leg, "ota") != 0);
}

static void on_trace(void *owner, const struct trace *t)
{
	struct replay *r = owner;

	if (is_conversation(t) && r->is.bytes < STEPS_BYTES_MAX)
		replay_heard(r, t->outgoing ? FROM_DEVICE : FROM_BACKEND,
			     r->was.item[0].leg, t->at_us,
			     (struct span){ t->data, t->len });
}

static void on_listening(void *owner, const char *url)
{
	(void)owner;
	(void)url;
}

static bool is_ota(const char *url)
{
	return strncmp(url, "http://", 7) == 0 ||
	       strncmp(url, "https://", 8) == 0;
}

static int dial(struct replay *r, const char *profile, struct error *err)
{
	struct app *app = r->in->app;
	const char *to = r->in->argv[1];
	CLEANUP(mem_free_ptr) char *token = NULL;
	const struct sim_observer observer = { .line = on_line,
					       .listening = on_listening,
					       .trace = on_trace,
					       .owner = r };
	struct sim_options o = { .profile = r->path,
				 .profile_text = profile,
				 .device_id = r->o->device_id,
				 .client_id = r->o->client_id,
				 .cacert = app->config.cacert,
				 .insecure = app->config.insecure,
				 .quiet = app->config.wait ? app->config.wait :
							     QUIET_MS };
	struct sim_summary seen = { 0 };
	int status;

	if (secret_read(&token, app->config.token_file, "MCPCTL_SIM_TOKEN",
			err) ||
	    app_open_loop(app, err))
		return -1;
	o.token = token;
	*(is_ota(to) ? &o.ota : &o.connect) = to;
	status = sim_run(app->loop, &o, &observer, &seen, err);
	sim_summary_done(&seen);
	/* What is found is not what this is about. */
	if (status && err->kind == ERR_UNMET) {
		error_reset(err);
		status = 0;
	}
	return status;
}

int replay_as_device(struct replay *r, struct error *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(json_free_ptr)
	cJSON *profile =
		clone_device(&r->was, r->was.item[0].device, r->path, err);

	if (!profile)
		return -1;
	json_print(&text, profile);
	return dial(r, buf_string(&text), err);
}

/*
 * To a device, what its backend said: each message once what was answered before
 * it is answered now, and as long after that as it was then. Nothing is made of
 * the answers; a device that says nothing is not waited for again.
 */

#define PATIENCE_MS 10000 /* for an answer; more if it took longer then */

/* What a device said more than once: the first of them that may be to come. */
struct said_again {
	const char *key; /* of a step, lent */
	size_t next; /* NO_STEP: none */
};

struct talk_again {
	struct replay *r;
	struct transport transport;
	struct endpoint to;
	bool ready, closed, stirred; /* stirred: something came */
	bool *seen; /* by step of was: it came, or is not waited for any more */
	size_t *same; /* by step: the next one of its key; NO_STEP */
	struct map keys; /* of struct said_again */
	size_t settled; /* nothing in front of it is waited for */
	bool no_hello, no_listen; /* in the capture, as of MQTT at rest */
	bool greets; /* the device did, and waits for ours */
	int64_t opened_us;
	struct error why; /* it was closed */
};

static int64_t now_of(const struct talk_again *t)
{
	return loop_now_us() - t->opened_us;
}

static void on_ready(void *owner, const struct peer_info *peer)
{
	struct talk_again *t = owner;

	(void)peer;
	t->ready = t->stirred = true;
	t->opened_us = loop_now_us();
}

static struct said_again *of_key(const struct talk_again *t, const char *key)
{
	const uint64_t hash = map_hash_text(key);
	struct said_again *a;
	size_t at = 0;

	while ((a = map_find(&t->keys, hash, &at)))
		if (strcmp(a->key, key) == 0)
			return a;
	return NULL;
}

/* Each key with its steps, the first one in front. */
static void line_up(struct talk_again *t)
{
	const struct steps *was = &t->r->was;

	t->seen = mem_zalloc((was->count + 1) * sizeof(*t->seen));
	t->same = mem_zalloc((was->count + 1) * sizeof(*t->same));
	for (size_t i = was->count; i-- > 0;) {
		const char *key = was->item[i].key;
		struct said_again *a = of_key(t, key);

		if (was->item[i].from != FROM_DEVICE)
			continue;
		if (!a) {
			a = mem_zalloc(sizeof(*a));
			*a = (struct said_again){ key, NO_STEP };
			map_add(&t->keys, map_hash_text(key), a);
		}
		t->same[i] = a->next;
		a->next = i;
	}
}

static void leave_line(struct talk_again *t)
{
	struct said_again *a;
	size_t at = 0;

	while ((a = map_each(&t->keys, &at)))
		mem_free(a);
	map_done(&t->keys);
	mem_free(t->seen);
	mem_free(t->same);
}

/* The first of was that waits for one like it. */
static void mark_seen(struct talk_again *t, const struct step *heard)
{
	struct said_again *a = of_key(t, heard->key);

	while (a && a->next != NO_STEP && t->seen[a->next])
		a->next = t->same[a->next];
	if (a && a->next != NO_STEP)
		t->seen[a->next] = true;
}

static enum diag_leg leg_of(const struct talk_again *t)
{
	return t->r->was.item[0].leg;
}

static bool has_key(const struct step *s, const char *type)
{
	const size_t len = strlen(type);

	return strncmp(s->key, type, len) == 0 &&
	       (!s->key[len] || s->key[len] == ' ');
}

/* One of that type is in it: "hello", "listen start". */
static bool has_type(const struct steps *was, const char *type)
{
	for (size_t i = 0; i < was->count; i++) {
		if (has_key(&was->item[i], type))
			return true;
	}
	return false;
}

static bool is_type(struct span text, const char *name)
{
	struct span type;

	return !json_check(text.text, text.len, NULL) &&
	       json_span_member(text, "type", &type) &&
	       json_span_is(type, name);
}

/*
 * What a device says because somebody is there, and does not at rest: its hello,
 * which is answered, and that it listens now.
 */
static bool is_beginning(struct talk_again *t, struct span text)
{
	if (!t->no_hello)
		return false;
	if (is_type(text, "hello"))
		return t->greets = true;
	return t->no_listen && is_type(text, "listen");
}

static void on_message(void *owner, enum frame_kind kind, const void *data,
		       size_t len)
{
	struct talk_again *t = owner;
	struct steps *is = &t->r->is;
	const size_t before = is->count;

	t->stirred = true;
	if (kind != FRAME_TEXT || is->bytes > STEPS_BYTES_MAX)
		return;
	if (is_beginning(t, (struct span){ data, len }))
		return;
	replay_heard(t->r, FROM_DEVICE, leg_of(t), now_of(t),
		     (struct span){ data, len });
	if (is->count > before)
		mark_seen(t, &is->item[is->count - 1]);
}

static void on_failed(void *owner, int64_t id, const struct error *why)
{
	(void)owner;
	(void)id;
	(void)why;
}

static void on_closed(void *owner, const struct error *why)
{
	struct talk_again *t = owner;

	t->closed = t->stirred = true;
	if (why && why->kind)
		error_copy(&t->why, why);
}

/* Where it listens, who knocks: as other commands show it. */
static void on_notice(void *owner, const struct notice *n)
{
	struct talk_again *t = owner;
	char name[] = "notice";
	struct event e = { .kind = EVENT_NOTICE,
			   .notice = n->kind,
			   .name = name,
			   .text = mem_strdup(n->text ? n->text : ""),
			   .len = n->text ? strlen(n->text) : 0,
			   .count = n->count };

	render_aside(&t->r->in->app->out, &e);
	mem_free(e.text);
}

static const struct transport_events events = {
	.ready = on_ready,
	.message = on_message,
	.failed = on_failed,
	.closed = on_closed,
	.notice = on_notice,
};

/* ---- waiting ---- */

/* Without it a device answers nothing for 10 s (device.md 1.5). */
static int greet(struct talk_again *t, struct error *err)
{
	CLEANUP(buf_done) struct buf hello = { 0 };

	if (!t->greets || t->closed)
		return 0;
	t->greets = false;
	hello_encode_server(&hello, "replay");
	check_stage(&t->r->k, "hello", STAGE_OK,
		    "answered by ours: the capture has none");
	return t->transport.ops->send(&t->transport, hello.data, hello.len,
				      err);
}

/* Until something comes, or the time is over; -1: a signal, or no way to it. */
static int stir(struct talk_again *t, int64_t until, struct error *err)
{
	t->stirred = false;
	if (loop_stay(t->transport.loop, &t->stirred, until, err))
		return -1;
	return t->ready ? greet(t, err) : 0;
}

static int wait_ready(struct talk_again *t, struct error *err)
{
	int64_t wait = t->r->in->app->config.wait;
	int64_t until = wait ? loop_now() + wait : LOOP_FOREVER;

	while (!t->ready && !t->closed && loop_now() < until)
		if (stir(t, until, err))
			return -1;
	if (t->ready)
		return 0;
	if (t->closed && t->why.kind) {
		error_copy(err, &t->why);
		return -1;
	}
	if (t->transport.ops->explain &&
	    t->transport.ops->explain(&t->transport, err))
		return -1;
	return error_set(err, ERR_CONNECT, "no device came");
}

/* What has to be there before step i is said: the hello, and answers. */
static bool is_awaited(const struct step *s)
{
	return s->from == FROM_DEVICE &&
	       (s->asked != NO_STEP || strcmp(s->key, "hello") == 0);
}

static bool is_to_come(const struct talk_again *t, size_t i)
{
	return !t->seen[i] && is_awaited(&t->r->was.item[i]);
}

/* Of those in front of i, when the last one may still come; 0: all are there. */
static int64_t patience(struct talk_again *t, size_t i, int64_t since)
{
	const struct steps *was = &t->r->was;
	int64_t timeout = t->r->in->app->config.timeout, most = 0;

	while (t->settled < i && !is_to_come(t, t->settled))
		t->settled++;
	for (size_t k = t->settled; k < i; k++) {
		const struct step *s = &was->item[k];
		int64_t took =
			s->asked == NO_STEP ?
				0 :
				(s->at_us - was->item[s->asked].at_us) / 1000;
		int64_t this = timeout ? timeout : PATIENCE_MS;

		if (!is_to_come(t, k))
			continue;
		if (this < 2 * took)
			this = 2 * took;
		if (this > most)
			most = this;
	}
	return most ? since + most : 0;
}

/* The same is not waited for twice. */
static void give_up(struct talk_again *t, size_t i)
{
	for (size_t k = 0; k < i; k++)
		t->seen[k] = true;
}

static int wait_answers(struct talk_again *t, size_t i, struct error *err)
{
	int64_t since = loop_now(), until;

	while (!t->closed && (until = patience(t, i, since)) != 0) {
		if (loop_now() >= until) {
			give_up(t, i);
			return 0;
		}
		if (stir(t, until, err))
			return -1;
	}
	return 0;
}

/* As long as it was between this step and the one before it. */
static int wait_pace(struct talk_again *t, size_t i, struct error *err)
{
	const struct steps *was = &t->r->was;
	int64_t gap = i ? was->item[i].at_us - was->item[i - 1].at_us : 0;
	int64_t until;

	if (t->r->speed <= 0 || gap <= 0)
		return 0;
	until = loop_now() + (int64_t)((double)gap / 1000 / t->r->speed);
	while (!t->closed && loop_now() < until)
		if (stir(t, until, err))
			return -1;
	return 0;
}

/* ---- saying ---- */

static int say(struct talk_again *t, const struct step *s, struct error *err)
{
	if (t->transport.ops->send(&t->transport, s->text, s->len, err))
		return -1;
	replay_heard(t->r, FROM_BACKEND, s->leg, now_of(t),
		     (struct span){ s->text, s->len });
	return 0;
}

/* Half a message is none that the backend said. */
static void leave_out(struct talk_again *t, const struct step *s)
{
	check_stage(
		&t->r->k, "left", STAGE_SKIPPED,
		"out: message %" PRIu64
		", of which the capture has the beginning alone: not said again",
		s->n);
}

static int say_all(struct talk_again *t, struct error *err)
{
	const struct steps *was = &t->r->was;

	for (size_t i = 0; i < was->count && !t->closed; i++) {
		const struct step *s = &was->item[i];

		if (s->from != FROM_BACKEND)
			continue;
		if (s->cut) {
			leave_out(t, s);
			continue;
		}
		check_progress(&t->r->k, s->key);
		if (greet(t, err) || wait_answers(t, i, err) ||
		    wait_pace(t, i, err))
			return -1;
		if (!t->closed && say(t, s, err))
			return -1;
	}
	check_progress(&t->r->k, NULL);
	return wait_answers(t, was->count, err);
}

static void hang_up(struct talk_again *t)
{
	struct error ignored = { 0 };

	if (t->transport.impl)
		t->transport.ops->close(&t->transport);
	while (t->transport.impl && !t->closed &&
	       !loop_wait(t->transport.loop, &t->closed, loop_now() + 1000,
			  &ignored))
		;
	error_reset(&ignored);
}

static int converse(struct talk_again *t, struct error *err)
{
	if (wait_ready(t, err))
		return -1;
	check_stage(&t->r->k, "device", STAGE_OK, "is there");
	if (say_all(t, err))
		return -1;
	if (t->closed)
		check_stage(&t->r->k, "end", STAGE_ODD,
			    "the device ended the connection%s%s",
			    t->why.kind ? ": " : "",
			    t->why.kind ? t->why.text : "");
	return 0;
}

/* A serve greets its boards itself: who is attached does not see it. */
static void leave_greeting(struct talk_again *t)
{
	struct steps *was = &t->r->was;
	bool listens = false, any = false;

	for (size_t i = 0; i < was->count; i++) {
		struct step *s = &was->item[i];
		const bool listen = !listens && s->from == FROM_DEVICE &&
				    has_key(s, "listen");

		if (!listen && !has_key(s, "hello"))
			continue;
		listens |= listen;
		any = true;
		s->from = FROM_NOBODY;
	}
	if (any)
		check_stage(&t->r->k, "hello", STAGE_SKIPPED,
			    "said by serve before: not compared");
}

int replay_as_backend(struct replay *r, struct error *err)
{
	struct app *app = r->in->app;
	struct talk_again t = { .r = r,
				.no_hello = !has_type(&r->was, "hello"),
				.no_listen = !has_type(&r->was, "listen") };
	int status = -1;

	if (!app->config.target && serve_target_find(app, err))
		return -1;
	/* Who dials in, unless it is one of a serve, which is not there. */
	if (!app->config.target && !app->config.device)
		app->config.target = "listen:";
	if (app_open_loop(app, err))
		return -1;
	t.transport = (struct transport){ .loop = app->loop,
					  .events = &events,
					  .owner = &t };
	t.opened_us = loop_now_us();
	if (setup_endpoint(&t.to, app, &t.transport.ops, err) == 0) {
		if (t.to.scheme->kind == SCHEME_ATTACH)
			leave_greeting(&t);
		line_up(&t);
		if (t.transport.ops->open(&t.transport, &t.to, err) == 0)
			status = converse(&t, err);
	}
	hang_up(&t);
	endpoint_done(&t.to);
	leave_line(&t);
	error_reset(&t.why);
	return status;
}
