/* SPDX-License-Identifier: MIT */
/* The part that is linked with libjq (1.6 or later). */
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <jq.h>

#include "base/query_jq.h"

#include "base/text.h"

/*
 * The value of a run is [LINE, VALUE]. The line end keeps a comment at the end
 * of the expression from taking the bracket.
 */
#define BEFORE ".[0] as $line | .[1] | ("
#define BEHIND "\n)"

/* "jq: error: X at <top-level>, line 1:\nTEXT"; then how many there were. */
static void keep_message(void *owner, jv message)
{
	static const char prefix[] = "jq: error: ";
	struct buf *why = owner;
	jv text = jq_format_error(message);
	const char *at = jv_string_value(text);

	if (text_starts(at, prefix))
		at += sizeof(prefix) - 1;
	if (!strstr(at, "compile error")) {
		buf_text(why, why->len ? "\n" : "");
		buf_text(why, at);
		buf_trim(why, 0, " \n");
	}
	jv_free(text);
}

static jv no_input(jq_state *jq, void *owner)
{
	(void)jq;
	(void)owner;
	return jv_invalid();
}

static void no_debug(void *owner, jv message)
{
	(void)owner;
	jv_free(message);
}

static jq_state *begin(struct buf *why)
{
	jq_state *jq = jq_init();

	if (!jq) {
		buf_text(why, "libjq cannot begin");
		return NULL;
	}
	jq_set_error_cb(jq, keep_message, why);
	/* libjq 1.6 leaves these as the memory was. */
	jq_set_input_cb(jq, no_input, NULL);
	jq_set_debug_cb(jq, no_debug, NULL);
	/* No libraries: no file is opened for an expression. */
	jq_set_attr(jq, jv_string("JQ_LIBRARY_PATH"), jv_array());
	return jq;
}

/* By itself first: its mistakes are told as they stand in it. */
static bool compiles_alone(const char *text, struct buf *why)
{
	jq_state *jq = begin(why);
	jv args = jv_object_set(jv_object(), jv_string("line"), jv_null());
	bool compiles;

	if (!jq) {
		jv_free(args);
		return false;
	}
	compiles = jq_compile_args(jq, text, args) != 0;
	jq_teardown(&jq);
	return compiles;
}

static void *compile(const char *text, struct buf *why)
{
	CLEANUP(buf_done) struct buf whole = { 0 };
	jq_state *jq;

	if (!compiles_alone(text, why) || !(jq = begin(why)))
		return NULL;
	buf_printf(&whole, "%s%s%s", BEFORE, text, BEHIND);
	if (!jq_compile(jq, buf_string(&whole))) {
		jq_teardown(&jq);
		return NULL;
	}
	jq_set_error_cb(jq, NULL, NULL);
	return jq;
}

static bool put(const struct jq_sink *sink, jv output)
{
	bool string = jv_get_kind(output) == JV_KIND_STRING;
	jv text = string ? output : jv_dump_string(output, 0);
	bool more = sink->output(sink->owner, string, jv_string_value(text),
				 (size_t)jv_string_length_bytes(jv_copy(text)));

	jv_free(text);
	return more;
}

static void add_reason(struct buf *why, jv message)
{
	jv text = jv_get_kind(message) == JV_KIND_STRING ?
			  message :
			  jv_dump_string(message, 0);
	const char *words = jv_string_value(text);

	if (strcmp(words, "break") == 0)
		words = "there is no further input: each value is asked by itself";
	buf_text(why, words);
	jv_free(text);
}

/* last is invalid: the end, or why. Takes it. */
static bool ended_well(jq_state *jq, jv last, struct buf *why)
{
	bool failed = jv_invalid_has_msg(jv_copy(last)) != 0;

	if (failed)
		add_reason(why, jv_invalid_get_msg(last));
	else
		jv_free(last);
	if (failed || !jq_halted(jq))
		return !failed;

	jv words = jq_get_error_message(jq);

	if (!jv_is_valid(words)) {
		jv_free(words);
		return true;
	}
	add_reason(why, words);
	return false;
}

static bool start(jq_state *jq, struct span value, struct span line,
		  struct buf *why)
{
	jv dot = jv_parse_sized(value.text, (int)value.len);
	jv whole = line.text ? jv_parse_sized(line.text, (int)line.len) :
			       jv_copy(dot);

	if (!jv_is_valid(dot) || !jv_is_valid(whole)) {
		jv_free(dot);
		jv_free(whole);
		buf_text(why, "jq cannot read this JSON");
		return false;
	}
	jq_start(jq, jv_array_append(jv_array_append(jv_array(), whole), dot),
		 0);
	return true;
}

static bool run(void *program, struct span value, struct span line,
		const struct jq_sink *sink, struct buf *why)
{
	jq_state *jq = program;
	jv output;

	if (value.len > INT_MAX || line.len > INT_MAX) {
		buf_text(why, "more than jq can read at once");
		return false;
	}
	if (!start(jq, value, line, why))
		return false;
	for (output = jq_next(jq); jv_is_valid(output); output = jq_next(jq)) {
		/* The next one may take any time; a start forgets the rest. */
		if (!put(sink, output))
			return true;
	}
	return ended_well(jq, output, why);
}

const struct jq_table jq_table = { .compile = compile, .run = run };
