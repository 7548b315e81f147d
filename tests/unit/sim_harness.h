/* SPDX-License-Identifier: MIT */
/*
 * A pretend device without a socket, whose words are kept in a list; for the
 * tests of the simulator. Run from the project's root.
 */
#ifndef SIM_HARNESS_H
#define SIM_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "sim/pretend.h"

#define PROFILES "src/sim/profiles/"

struct harness {
	struct loop *loop;
	struct profile *profile;
	struct pretend device;
	struct words
		said; /* text frames; "<binary HEX>", "<cut …>", "<drop>" */
	size_t read; /* how many of them were looked at */
	struct words notes; /* "welcomed", "called self.x", … */
	struct words found; /* "B214 id 1 was …", each time */
	bool died; /* a real board did not survive it */
	struct counts counts;
	bool closed;
};

static inline void harness_text(void *owner, const char *text, size_t len)
{
	struct harness *h = owner;
	char *copy = mem_strndup(text, len);

	words_add(&h->said, copy);
	mem_free(copy);
}

static inline void harness_binary(void *owner, const void *data, size_t len)
{
	struct harness *h = owner;
	CLEANUP(buf_done) struct buf text = { 0 };
	size_t i;

	buf_text(&text, "<binary ");
	for (i = 0; i < len && i < 40; i++)
		buf_printf(&text, "%02x", ((const unsigned char *)data)[i]);
	buf_char(&text, '>');
	words_add(&h->said, buf_string(&text));
}

static inline void harness_cut(void *owner, const char *text, size_t len,
			       bool close_frame)
{
	struct harness *h = owner;

	(void)text;
	assert_true(len > 0);
	words_add(&h->said, close_frame ? "<cut, Close>" : "<cut>");
}

static inline void harness_drop(void *owner)
{
	struct harness *h = owner;

	words_add(&h->said, "<drop>");
}

static inline void harness_note(void *owner, enum pretend_note what,
				const char *text)
{
	static const char *const names[] = { "welcomed", "initialized",
					     "listed",	 "called",
					     "spoken",	 "refused",
					     "line" };
	struct harness *h = owner;
	char *line = mem_printf("%s%s%s", names[what], text ? " " : "",
				text ? text : "");

	words_add(&h->notes, line);
	mem_free(line);
}

static inline void harness_finding(void *owner, const struct finding *f,
				   const char *detail)
{
	struct harness *h = owner;
	char *line;

	if (!detail)
		return;
	line = mem_printf("%s %s", finding_row(f->code)->code, detail);
	words_add(&h->found, line);
	mem_free(line);
}

static inline void harness_died(void *owner, enum diag_code of)
{
	struct harness *h = owner;

	(void)of;
	h->died = true;
}

/* It was found, with these words among the detail. */
static inline bool harness_told(const struct harness *h, enum diag_code code,
				const char *words)
{
	const char *name = finding_row(code)->code;

	for (size_t i = 0; i < h->found.count; i++) {
		if (strncmp(h->found.word[i], name, strlen(name)) == 0 &&
		    strstr(h->found.word[i], words))
			return true;
	}
	return false;
}

static inline bool harness_saw(const struct harness *h, enum diag_code code)
{
	return harness_told(h, code, "");
}

/* How many kinds. */
static inline size_t harness_findings(const struct harness *h)
{
	size_t count = 0;

	for (int i = 0; i < DIAG_CODE_COUNT; i++)
		count += harness_saw(h, (enum diag_code)i);
	return count;
}

static const struct pretend_events harness_events = {
	.text = harness_text,
	.binary = harness_binary,
	.cut = harness_cut,
	.drop = harness_drop,
	.note = harness_note,
	.finding = harness_finding,
	.died = harness_died,
};

/* fault: NAME[,NAME]; NULL. */
static inline void harness_start(struct harness *h, struct profile *profile,
				 const char *fault, bool bare)
{
	struct fault_plan plan = { .count = 0 };
	struct error err = { 0 };
	struct pretend_config config = {
		.events = &harness_events,
		.owner = h,
		.frame_version = 1,
		.bare = bare,
	};

	memset(h, 0, sizeof(*h));
	assert_int_equal(loop_new(&h->loop, &err), 0);
	h->profile = profile;
	config.loop = h->loop;
	config.profile = profile;
	counts_init(&h->counts, &profile->catalog);
	config.counts = &h->counts;
	if (fault)
		assert_int_equal(fault_plan_add(&plan, fault, 1, &err), 0);
	fault_plan_for(&plan, 1, &config.faults);
	fault_plan_done(&plan);
	pretend_init(&h->device, &config, "02:00:00:00:00:01",
		     "00000000-0000-4000-8000-000000000001");
	pretend_open(&h->device);
}

static inline struct profile *harness_profile(const char *name,
					      const struct profile_changes *c)
{
	struct error err = { 0 };
	char *path = mem_printf(PROFILES "%s.json", name);
	struct profile *p = profile_load(path, c, &err);

	if (!p)
		print_error("%s\n", err.text);
	assert_non_null(p);
	mem_free(path);
	return p;
}

static inline void harness_closed(void *owner)
{
	struct harness *h = owner;

	h->closed = true;
}

static inline void harness_stop(struct harness *h)
{
	pretend_close(&h->device, harness_closed);
	assert_int_equal(
		loop_wait(h->loop, &h->closed, loop_now() + 60000, NULL), 0);
	loop_free(h->loop);
	counts_done(&h->counts);
	profile_free(h->profile);
	words_done(&h->said);
	words_done(&h->notes);
	words_done(&h->found);
}

static inline void harness_send(struct harness *h, const char *text)
{
	pretend_text(&h->device, text, strlen(text));
}

/* The next thing said; waits up to ms; NULL if nothing comes. */
static inline const char *harness_next(struct harness *h, int64_t ms)
{
	const bool never = false;
	int64_t until = loop_now() + ms;

	while (h->read == h->said.count && loop_now() < until)
		loop_wait(h->loop, &never, loop_now() + 5, NULL);
	return h->read < h->said.count ? h->said.word[h->read++] : NULL;
}

/* The next thing said, now, must be this. */
static inline void harness_says(struct harness *h, const char *expected)
{
	const char *text = harness_next(h, 0);

	if (!expected) {
		if (text)
			print_error("said: %s\n", text);
		assert_null(text);
		return;
	}
	assert_non_null(text);
	assert_string_equal(text, expected);
}

/* Says hello and is welcomed with the session S1. */
static inline void harness_welcome(struct harness *h)
{
	assert_non_null(strstr(harness_next(h, 0), "\"type\":\"hello\""));
	harness_send(h, "{\"type\":\"hello\",\"transport\":\"websocket\","
			"\"session_id\":\"S1\"}");
	harness_says(h, "{\"session_id\":\"S1\",\"type\":\"listen\","
			"\"state\":\"start\",\"mode\":\"auto\"}");
}

/* An mcp envelope of session S1 around a payload. */
static inline void harness_mcp(struct harness *h, const char *payload)
{
	char *text = mem_printf(
		"{\"session_id\":\"S1\",\"type\":\"mcp\",\"payload\":%s}",
		payload);

	harness_send(h, text);
	mem_free(text);
}

static inline void harness_mcp_says(struct harness *h, const char *payload)
{
	char *text = mem_printf(
		"{\"session_id\":\"S1\",\"type\":\"mcp\",\"payload\":%s}",
		payload);

	harness_says(h, text);
	mem_free(text);
}

#endif
