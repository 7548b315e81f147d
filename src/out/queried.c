/* SPDX-License-Identifier: MIT */
#include "out/queried.h"
#include "out/render_json.h"

#include "base/query.h"
#include "base/text_safe.h"

const char json_help_asked[] =
	"\n"
	"--jq EXPR asks these lines in the language of jq (jq(1)), by libjq: each line is an input, each output a line; strings are printed as they are, all else as compact JSON. stderr is then as in the text form, unless -o json is given, too. "
	"What is no expression is status 2, before anything is sent; what fails on a line is status 7, and the other lines are asked all the same.\n"
	"\n"
	"  mcpctl sim: call self.get_device_status --jq .audio_speaker.volume\n"
	"  mcpctl sim: tools --jq '\"\\(.name): \\(.description)\"'\n"
	"  mcpctl --all call self.get_device_status --jq '[$line.device.id, .battery.level]'\n"
	"\n"
	"Of call, the input is the tool's value: structuredContent, where there is one; else the only text, as JSON if it is JSON, as a string if it is none; else (no text, or several) the whole result. With --all it is that of each device, null where a device failed. $line is the whole line that -o json would print, for every command.\n"
	"\n"
	"call --expect-jq EXPR and watch --until EXPR ask the same value; $line is the result object. It holds if the last output is neither false nor null, and there is one. A result that is an error stays one, whatever is expected of it: for that there is --expect '{\"isError\":true}'. --expect JSON is no expression: as one, each object would be true.\n"
	"\n"
	"An expression runs in a process of its own, without files, libraries (import, include), the environment (env is empty) and further inputs; it may take 512 MB, 64 MB of output a line, and --timeout (10 s) for one. "
	"jq keeps about 17 digits of a number. One that comes out as it went in keeps all that it had; where two of the input are one to jq, that is told.\n"
	"\n"
	"A line of watch, and its last one; that is also the line of watch --load and, on stdout, of call --repeat unless --jq is given:\n"
	"\n"
	"  {\"time\":\"2026-08-08T12:01:02.123Z\", \"took_us\", \"changed\": it is not\n"
	"   the one before, \"value\"}\n"
	"  {\"calls\":{\"made\", \"failed\", \"late\": not begun in time, of a rate,\n"
	"   \"lasted_us\", \"p50_us\", \"p90_us\", \"p99_us\", \"max_us\": or null}}\n";

/* On a terminal JSON stays JSON; a string is prose, made safe. */
static void add_output(const struct renderer *r, struct buf *out,
		       const char *text, size_t len, bool string)
{
	if (r->out_terminal)
		text_safe(out, text, len, string ? TEXT_PARAGRAPH : TEXT_JSON);
	else
		buf_add(out, text, len);
	buf_char(out, '\n');
}

static void put_outputs(struct renderer *r, struct buf *out,
			const struct query_outputs *o)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	for (size_t i = 0; i < o->count; i++) {
		add_output(r, out ? out : &line, o->text.data + o->item[i].at,
			   o->item[i].len, o->item[i].string);
		if (!out)
			put_out(r, &line);
	}
	if (r->query_at_once && !out)
		render_flush(r);
	if (!o->inexact || r->query_inexact)
		return;
	r->query_inexact = true;
	render_note(
		r,
		"--jq: jq keeps about 17 digits of a number; some here have more, and may be changed");
}

static void keep(struct renderer *r, const struct error *why)
{
	if (r->query_failed++ == 0)
		error_copy(&r->query_error, why);
	if (r->query_at_once && why->kind != ERR_INTERRUPTED)
		render_note(r, "--jq: %s", why->text);
}

void queried_line(struct renderer *r, struct buf *out, struct span value,
		  struct span line)
{
	CLEANUP(query_outputs_done) struct query_outputs outputs = { 0 };
	CLEANUP(error_reset) struct error why = { 0 };
	int status = query_run(r->query, value, line, r->query_timeout,
			       &outputs, &why);

	put_outputs(r, out, &outputs);
	if (status)
		keep(r, &why);
}

int queried_outcome(struct renderer *r, struct error *err)
{
	size_t failed = r->query_failed;

	r->query_failed = 0;
	if (failed == 0)
		return 0;
	error_copy(err, &r->query_error);
	error_reset(&r->query_error);
	if (err->kind == ERR_INTERRUPTED)
		return -1;
	error_prefix(err, "--jq");
	if (failed > 1 && !*err->hint)
		error_hint(err,
			   "and so for %zu lines in all; that is the first",
			   failed);
	return -1;
}
