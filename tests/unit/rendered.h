/* SPDX-License-Identifier: MIT */
/*
 * A renderer over two buffers, for tests: what would be on stdout and stderr.
 * Also tool lists and results from literal JSON.
 */
#ifndef TESTS_RENDERED_H
#define TESTS_RENDERED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "mcp/content.h"
#include "mcp/tools.h"
#include "out/forms.h"

struct rendered {
	struct renderer r;
	char *out, *err;
	size_t out_len, err_len;
};

static inline void rendered_start(struct rendered *s, enum output_form form,
				  bool terminal)
{
	static const struct render_ops *const forms[] = { &render_text,
							  &render_json,
							  &render_raw };
	*s = (struct rendered){ 0 };
	s->r = (struct renderer){ .ops = forms[form],
				  .form = form,
				  .out_terminal = terminal,
				  .err_terminal = terminal,
				  .width = 60 };
	s->r.out = open_memstream(&s->out, &s->out_len);
	s->r.err = open_memstream(&s->err, &s->err_len);
	assert_non_null(s->r.out);
	assert_non_null(s->r.err);
}

static inline const char *rendered_out(struct rendered *s)
{
	fflush(s->r.out);
	return s->out;
}

static inline const char *rendered_err(struct rendered *s)
{
	fflush(s->r.err);
	return s->err;
}

static inline void rendered_end(struct rendered *s)
{
	assert_int_equal(renderer_finish(&s->r, NULL), 0);
	fclose(s->r.out);
	fclose(s->r.err);
	/* open_memstream uses malloc. */
	free(s->out);
	free(s->err);
}

/* A reply decoded; text is a whole JSON-RPC message. */
static inline struct message message_from(const char *text)
{
	struct message m = { 0 };
	assert_int_equal(message_decode(&m, text, strlen(text), NULL), 0);
	return m;
}

/* One more page, given as the inside of "tools":[…]. */
static inline void add_page(struct tool_list *list, const char *tools)
{
	char *text = mem_printf("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{"
				"\"tools\":[%s]}}",
				tools);
	struct message m = message_from(text);
	assert_int_equal(tool_list_add_take(list, &m, NULL, NULL), 0);
	mem_free(text);
}

static inline struct result result_from(const char *result)
{
	struct result out;
	char *text = mem_printf("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":%s}",
				result);
	struct message m = message_from(text);
	result_decode_take(&out, &m);
	mem_free(text);
	return out;
}

#endif
