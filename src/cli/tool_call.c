/* SPDX-License-Identifier: MIT */
/* Looked up, built, checked; what is odd about the arguments is told. */
#include <string.h>

#include "base/mem.h"
#include "cli/app.h"
#include "cli/catalog_file.h"
#include "cli/cmd_serve.h"
#include "cli/connection.h"
#include "cli/tool_call.h"
#include "mcp/arguments.h"

static void show_warnings(struct renderer *r, const struct buf *warnings)
{
	const char *line = buf_string(warnings);
	while (*line) {
		size_t len = strcspn(line, "\n");
		render_note(r, "warning: %.*s", (int)len, line);
		line += len + (line[len] == '\n');
	}
}

/* ARG=ADDRESS, which stands in no command line. */
static int add_upload(const struct connection *c, const char *name,
		      struct words *words, struct error *err)
{
	CLEANUP(mem_free_ptr) char *url = NULL;
	CLEANUP(mem_free_ptr) char *word = NULL;
	if (upload_address(c, &url, err))
		return -1;
	word = mem_printf("%s=%s", name, url);
	words_add(words, word);
	return 0;
}

void tool_call_done(struct tool_call *c)
{
	mem_free(c->name);
	buf_done(&c->arguments);
	*c = (struct tool_call){ 0 };
}

int tool_call_build(const struct invocation *in,
		    const struct tool_call_how *how, struct tool_call *out,
		    struct error *err)
{
	struct app *app = in->app;
	CLEANUP(buf_done) struct buf warnings = { 0 };
	CLEANUP(words_done) struct words words = { 0 };
	struct arguments_options o = { .no_validate = how->no_validate,
				       .fill_defaults = how->fill_defaults,
				       .device = in->connection->client.device,
				       .stdin_taken = app->stdin_taken };
	if (!how->no_validate &&
	    tools_cache_find(in->connection, in->argv[0], false, &o.tool, err))
		return -1;
	out->tool = o.tool;
	out->name = mem_strdup(o.tool ? o.tool->name : in->argv[0]);
	for (int i = 1; i < in->argc; i++) {
		app->stdin_taken |= strcmp(in->argv[i], "-") == 0;
		words_add(&words, in->argv[i]);
	}
	if (how->upload && add_upload(in->connection, how->upload, &words, err))
		return -1;
	int status = arguments_build(&out->arguments, words.word, words.count,
				     &o, &warnings, err);
	show_warnings(&app->out, &warnings);
	return status;
}
