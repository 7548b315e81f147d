/* SPDX-License-Identifier: MIT */
/*
 * clone: a profile for sim, of a capture or of a live device. Of the latter a
 * capture is made first, by asking it: one way to a profile, and one form.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "capture/clone.h"
#include "capture/reader.h"
#include "check/calls.h"
#include "check/parts.h"
#include "cli/catalog_file.h"
#include "cli/commands.h"
#include "cli/target_text.h"
#include "cli/trace.h"
#include "mcp/content.h"
#include "mcp/tools.h"
#include "net/endpoint.h"
#include "out/told.h"

struct clone_options {
	const char *of;
	bool lists; /* no tool is called */
};

#define PLACE(member) offsetof(struct clone_options, member)
static const struct option_row clone_options[] = {
	{ .name = "of",
	  .word = "DEVICE",
	  .type = OPTION_TEXT,
	  .offset = PLACE(of),
	  .fallback = "the first one",
	  .brief = "the device of the capture, of many" },
	{ .name = "no-calls",
	  .type = OPTION_FLAG,
	  .offset = PLACE(lists),
	  .brief = "of a live device: its hello and lists; no tool is called" },
	{ .name = NULL }
};

/* ---- from a capture ---- */

/* The device that is meant: the first that answered something. */
static unsigned device_of(const struct steps *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->item[i].kind == CAPTURED_TEXT &&
		    s->item[i].from == FROM_DEVICE &&
		    s->item[i].asked != NO_STEP)
			return s->item[i].device;
	return 0;
}

static int print_profile(struct app *app, const struct steps *s,
			 const char *from, struct error *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	cJSON *profile =
		s->devices ? clone_device(s, device_of(s), from, err) : NULL;

	if (!profile)
		return s->devices ? -1 :
				    error_set(err, ERR_UNMET,
					      "'%s' has no device in it", from);
	json_print_pretty(&text, profile);
	cJSON_Delete(profile);
	buf_char(&text, '\n');
	put_out(&app->out, &text);
	return 0;
}

static int clone_file(const struct invocation *in, const char *path,
		      const char *from, struct error *err)
{
	const struct clone_options *o = in->options;
	CLEANUP(steps_done) struct steps s = { 0 };
	struct capture_reader *file = capture_open(path, err);
	int status;

	if (!file)
		return -1;
	told_unmasked(&in->app->out, file, path);
	status = steps_load(&s, file, o->of, err);
	told_cut(&in->app->out, file, path);
	capture_reader_free(file);
	return status < 0 ? -1 : print_profile(in->app, &s, from, err);
}

/* ---- from a live device ---- */

static int call_readers(const struct invocation *in, struct error *err)
{
	struct connection *c = in->connection;

	for (size_t i = 0; i < c->tools.count; i++) {
		const struct tool *t = &c->tools.tool[i];
		CLEANUP(result_done) struct result result = { 0 };

		if (!tool_is_reader(t))
			continue;
		connection_asks(c, t->name);
		/* Its failure is an answer, too; only the end of all is none. */
		if (client_call_tool(&c->client, t->name, "{}", &result, err)) {
			if (err->kind != ERR_PEER)
				return -1;
			error_reset(err);
		}
	}
	connection_asks(c, NULL);
	return 0;
}

static int ask(const struct invocation *in, struct error *err)
{
	const struct clone_options *o = in->options;
	struct connection *c = in->connection;
	CLEANUP(tool_list_done) struct tool_list plain = { 0 };

	if (connection_open(c, err) || tools_cache_refresh(c, err))
		return -1;
	/* As backends ask for it, without what is for users only. */
	if (client_list_tools(&c->client, true, &plain, err))
		return -1;
	return o->lists ? 0 : call_readers(in, err);
}

static int clone_live(const struct invocation *in, struct error *err)
{
	struct app *app = in->app;
	CLEANUP(mem_free_ptr)
	char *target = target_key(app->config.target, NULL);
	char path[] = "/tmp/mcpctl-clone-XXXXXX";
	bool own = !app->config.trace;
	int fd = own ? mkstemp(path) : -1;
	int status;

	if (own && fd < 0)
		return error_set(err, ERR_OUTPUT,
				 "no file can be made in /tmp");
	if (own) {
		close(fd);
		app->config.trace = path;
	}
	status = ask(in, err);
	connection_close(in->connection);
	if (trace_close(TAKE(app->trace), status ? NULL : err))
		status = -1;
	if (status == 0)
		status = clone_file(in, app->config.trace,
				    *target ? target : "serve", err);
	if (own) {
		unlink(path);
		app->config.trace = NULL;
	}
	return status;
}

static int clone_run(const struct invocation *in, struct error *err)
{
	if (in->argc && strchr(in->argv[0], ':') &&
	    access(in->argv[0], F_OK) != 0) {
		CLEANUP(mem_free_ptr)
		char *shown = endpoint_without_password(in->argv[0]);

		error_set(err, ERR_USAGE, "there is no file '%.200s'", shown);
		return error_hint(
			err,
			"a live device is a target, before the command: mcpctl %.100s clone",
			shown);
	}
	if (in->argc)
		return clone_file(in, in->argv[0], in->argv[0], err);
	return clone_live(in, err);
}

static const struct example clone_examples[] = {
	{ "sim: clone", "\"replies\":", 0 },
	{ "clone board.jsonl >board.json", NULL, EXAMPLE_GOES_ON },
	{ NULL, NULL, 0 }
};

const struct command cmd_clone = {
	.name = "clone",
	.args = "[FILE]",
	.max = 1,
	.operand = OPERAND_FILE,
	.brief = "make a simulated board of a real one",
	.text = "Prints a profile (mcpctl-profile(5)) with which sim is that board: it says the same hello, and answers each request as the same one was answered, byte for byte, after the same time. FILE is a capture, as --trace writes it; without one the device of the target is asked: initialize, its lists, and each tool that is known to read only (--no-calls: none).\n"
		"\n"
		"  mcpctl clone kitchen.jsonl >kitchen.json\n"
		"  mcpctl sim:kitchen.json tools\n"
		"  mcpctl sim kitchen.json --connect ws://127.0.0.1:8000/xiaozhi/v1/\n"
		"\n"
		"What was asked once and not answered, and what could not be told, stands in its member 'notes'. A request that was never made is answered as by a board that does not know it. Secrets are masked.",
	.group = GROUP_PRETEND,
	.flags = CMD_TARGET | CMD_MINOR,
	.options = clone_options,
	.options_size = sizeof(struct clone_options),
	.examples = clone_examples,
	.run = clone_run
};
