/* SPDX-License-Identifier: MIT */
/*
 * A check under way that reaches nobody, for tests: what it tells is rendered
 * into buffers.
 */
#ifndef TESTS_CHECKUP_H
#define TESTS_CHECKUP_H

#include "rendered.h"

#include "check/check.h"

static struct rendered s;
static struct app app;
static struct connection connection;
static struct check_options options;
static struct diag diag;
static struct invocation in = { .app = &app, .connection = &connection };

static inline void begin(struct checkup *k)
{
	rendered_start(&s, OUTPUT_TEXT, false);
	app.out = s.r;
	app.config = (struct config){ 0 };
	connection = (struct connection){ .app = &app };
	options = (struct check_options){ .fail_on = SEVERITY_WARNING };
	diag = (struct diag){ 0 };
	check_begin(k, &in, &options, &diag);
}

static inline void end(struct checkup *k)
{
	check_done(k);
	diag_done(&diag);
	rendered_end(&s);
}

/* All that was told until now. */
static inline void told(const char *expected)
{
	assert_string_equal(rendered_out(&s), expected);
}

#endif
