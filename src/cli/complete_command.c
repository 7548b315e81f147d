/* SPDX-License-Identifier: MIT */
/*
 * _complete SHELL WORD...: what the completion scripts ask while somebody types
 * (cli/complete_print.h). It says nothing else, whatever happens.
 */
#include <signal.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "cli/complete_print.h"
#include "cli/complete_private.h"

static bool find_shell(const char *name, enum complete_shell *out)
{
	static const char *const names[] = { "bash", "zsh", "fish" };

	for (size_t i = 0; i < COUNT(names); i++) {
		if (strcmp(names[i], name) == 0) {
			*out = (enum complete_shell)i;
			return true;
		}
	}
	return false;
}

static void answer(struct completion *out, const struct words *words,
		   enum complete_shell shell)
{
	const struct complete_question q = {
		.words = words->word,
		.count = words->count - 1,
		.word = words->word[words->count - 1],
		.no_briefs = shell == COMPLETE_BASH
	};
	CLEANUP(mem_free_ptr) char *target = complete_kept_target(&q);
	struct schema_source source;
	struct complete_peer peer;

	complete_peer(&peer, &q);
	schema_source_open(&source, target, peer.device, peer.socket,
			   SCHEMA_SOURCE_MS);
	complete(out, &q, &source);
	schema_source_close(&source);
}

static int complete_run(const struct invocation *in, struct error *err)
{
	CLEANUP(completion_done) struct completion found = { 0 };
	CLEANUP(words_done) struct words words = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };
	enum complete_shell shell;

	(void)err;
	in->app->status = 1;
	signal(SIGPIPE, SIG_IGN);
	if (in->argc == 0 || !find_shell(in->argv[0], &shell))
		return 0;
	for (int i = 1; i < in->argc; i++) {
		CLEANUP(mem_free_ptr)
		char *word = shell == COMPLETE_BASH ?
				     complete_unquote(in->argv[i]) :
				     mem_strdup(in->argv[i]);

		words_add(&words, word);
	}
	if (words.count == 0)
		words_add(&words, "");
	answer(&found, &words, shell);
	complete_print(&out, shell, &found,
		       in->argc > 1 ? in->argv[in->argc - 1] : "");
	/* Nobody is told if it cannot be written: the reader has seen enough. */
	file_write(fileno(in->app->out.out), out.data, out.len);
	if (found.count > 0 || found.files || found.note)
		in->app->status = 0;
	return 0;
}

const struct command cmd_complete_words = {
	.name = "_complete",
	.args = "bash|zsh|fish [WORD]...",
	.brief = "what the completion scripts ask",
	.group = GROUP_PROGRAM,
	.flags = CMD_HIDDEN | CMD_VERBATIM,
	.min = 0,
	.max = -1,
	.run = complete_run
};
