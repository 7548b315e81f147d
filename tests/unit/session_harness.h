/* SPDX-License-Identifier: MIT */
/*
 * A session over the fake transport, opened and closed for each test, whose
 * observer keeps the events.
 */
#ifndef SESSION_HARNESS_H
#define SESSION_HARNESS_H

#include "fake_transport.h"

#include "base/json.h"
#include "diag/diag.h"
#include "mcp/rules.h"
#include "rpc/session_calls.h"
#include "rpc/session_state.h"

#define HELLO                                                            \
	"{\"type\":\"hello\",\"version\":1,\"features\":{\"mcp\":true}," \
	"\"transport\":\"websocket\"}"

static struct loop *loop;
static struct session *session;
static struct event seen[64]; /* what the observer was told; all texts copied */
static size_t seen_count;
static size_t stop_at; /* the observer sets stop at that many events */
static bool stop;
static struct buf traced;
static struct session_config config;

static inline void observe(void *owner, const struct event *e)
{
	struct event *copy = &seen[seen_count];

	(void)owner;
	assert_true(seen_count < COUNT(seen));
	*copy = *e;
	copy->name = mem_strdup(e->name);
	copy->text = e->len ? mem_copy(e->text, e->len) : mem_strdup(e->text);
	copy->note = mem_strdup(e->note);
	copy->file = mem_strdup(e->file);
	copy->finding = mem_strdup(e->finding);
	seen_count++;
	if (stop_at && seen_count >= stop_at)
		stop = true;
}

static inline void trace(void *owner, const struct trace *t)
{
	(void)owner;
	assert_true(t->at_us >= 0);
	buf_printf(&traced, "%c%s ", t->outgoing ? '>' : '<', t->kind);
}

/* The engine beside the session, as cli/judged has it. */
static struct diag judge;
static struct span judging;

static inline void on_found(void *owner, const struct finding *f,
			    const char *detail)
{
	(void)owner;
	session_judged(session, finding_row(f->code)->code, detail, judging);
}

static inline void judge_frame(void *owner, bool outgoing, enum frame_kind kind,
			       struct span frame, const struct json_places *at)
{
	const struct diag_frame f = { .at_us = loop_now_us(),
				      .kind = kind == FRAME_TEXT ?
						      FRAME_IS_TEXT :
						      FRAME_IS_BINARY,
				      .from_device = !outgoing,
				      .data = frame.text,
				      .len = frame.len,
				      .at = at };

	(void)owner;
	if (!session)
		return;
	judging = kind == FRAME_TEXT ? frame : (struct span){ 0 };
	judge.about.board = session_link(session)->dialect == DIALECT_DEVICE;
	judge.about.bare = !judge.about.board;
	judge.about.no_batches = !session_reads_batches(session);
	diag_feed(&judge, &f);
}

static inline void judge_gave_up(void *owner, int32_t id)
{
	(void)owner;
	diag_gave_up(&judge, id, loop_now_us());
}

static inline const char *judge_whose(void *owner, int64_t id)
{
	(void)owner;
	(void)id;
	return session_peer(session)->shared ? "" : NULL;
}

/* A test may set request. */
static struct session_observer observer = { .event = observe, .trace = trace };

/* Before the session is opened. */
static inline void with_engine(void)
{
	judge.found = on_found;
	judge.whose = judge_whose;
	observer.frame = judge_frame;
	observer.gave_up = judge_gave_up;
}

static inline void forget_events(void)
{
	for (size_t i = 0; i < seen_count; i++)
		event_done(&seen[i]);
	seen_count = 0;
}

static inline int set_up(void **state)
{
	struct error err = { 0 };

	(void)state;
	fake_reset();
	observer.request = NULL;
	observer.frame = NULL;
	observer.gave_up = NULL;
	config = (struct session_config){ .rules = &mcp_rules,
					  .dialect = DIALECT_PLAIN,
					  .timeout = 2000,
					  .wait = 2000,
					  .trace = true };
	return loop_new(&loop, &err);
}

static inline int tear_down(void **state)
{
	(void)state;
	session_free(session);
	session = NULL;
	loop_free(loop);
	diag_done(&judge);
	fake_reset();
	forget_events();
	stop_at = 0;
	stop = false;
	buf_done(&traced);
	return 0;
}

static inline void open_with(const struct transport_ops *ops)
{
	struct error err = { 0 };
	static struct endpoint to;
	static char text[] = "fake:peer";

	to.text = text;
	assert_int_equal(session_open(&session, loop, ops, &to, &config,
				      &observer, &err),
			 0);
}

static inline void open_up(enum dialect dialect)
{
	struct error err = { 0 };

	config.dialect = dialect;
	fake.peer.envelope = dialect == DIALECT_DEVICE;
	open_with(&fake_ops);
	if (dialect == DIALECT_DEVICE)
		fake_push(FAKE_TEXT, HELLO, 0);
	assert_int_equal(session_wait_up(session, &err), 0);
}

/* Start and wait; afterwards it is not in flight, whatever happened. */
static inline int call_peer(struct call *c, const char *method,
			    const char *params, struct error *err)
{
	int status;

	if (session_start(session, c, method, params, 0, err))
		return -1;
	status = session_wait(session, c, err);
	session_forget(session, c);
	return status;
}

/* Until one of two started calls is done; both are left as they are. */
static inline void wait_either(const struct call *a, const struct call *b)
{
	int64_t until = loop_now() + 10000;
	struct error err = { 0 };

	while (!a->done && !b->done) {
		assert_true(loop_now() < until);
		assert_int_equal(session_step(session, NULL, until, &err), 0);
	}
}

/* Let the loop deliver what is due. */
static inline void watch(int64_t ms)
{
	struct error err = { 0 };

	session_watch(session, NULL, loop_now() + ms, &err);
	error_reset(&err);
}

static inline const struct event *find_event(enum event_kind kind, size_t nth)
{
	for (size_t i = 0; i < seen_count; i++) {
		if (seen[i].kind == kind && nth-- == 0)
			return &seen[i];
	}
	return NULL;
}

/* It must be there. */
static inline const struct event *the_event(enum event_kind kind, size_t nth)
{
	static const struct event none;
	const struct event *e = find_event(kind, nth);

	assert_non_null(e);
	return e ? e : &none;
}

static inline void assert_odd(size_t nth, const char *part)
{
	const struct event *e = the_event(EVENT_ODD, nth);

	if (!strstr(e->note, part))
		fail_msg("'%s' is not in '%s'", part, e->note);
}

static inline void assert_part(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in '%s'", part, text);
}

/* The nth finding of that code, counted from 0, has that in its detail. */
static inline const struct event *assert_found(const char *code, size_t nth,
					       const char *part)
{
	static const struct event none = { .note = NULL };
	const struct event *e = &none;

	for (size_t i = 0; i < seen_count && e == &none; i++) {
		if (seen[i].kind == EVENT_FINDING &&
		    strcmp(seen[i].name, code) == 0 && nth-- == 0)
			e = &seen[i];
	}
	if (!e->note || !strstr(e->note, part))
		fail_msg("%s '%s' is not in '%s'", code, part,
			 e->note ? e->note : "");
	return e;
}

static inline void start(struct call *c, const char *method)
{
	struct error err = { 0 };

	assert_int_equal(session_start(session, c, method, NULL, 0, &err), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
