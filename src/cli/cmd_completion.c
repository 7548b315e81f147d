/* SPDX-License-Identifier: MIT */
/*
 * completion SHELL, for people, and the hidden generate WHAT, for `make
 * generate`: both print what the generators write.
 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "cli/generate.h"

static int unknown(const char *word, bool shell, struct error *err)
{
	CLEANUP(buf_done) struct buf known = { 0 };

	for (const struct generator *g = generators; g->name; g++) {
		if (g->shell || !shell)
			buf_printf(&known, "%s%s", known.len ? ", " : "",
				   g->name);
	}
	error_set(err, ERR_USAGE, "no completion is made for '%s'", word);
	return error_hint(err, "give one of: %s", buf_string(&known));
}

static int print(const struct invocation *in, bool shell, struct error *err)
{
	/* "$SHELL" is a path. */
	const char *word = file_name(in->argv[0]);
	const struct generator *g = generator_find(word);

	if (!g || (shell && !g->shell))
		return unknown(word, shell, err);
	g->write(in->app->out.out);
	return 0;
}

static int completion_run(const struct invocation *in, struct error *err)
{
	return print(in, true, err);
}

static int generate_run(const struct invocation *in, struct error *err)
{
	/* Profiles of the user's own do not belong into committed files. */
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	return print(in, false, err);
}

static const struct example completion_examples[] = {
	{ "completion bash", "complete -F _mcpctl mcpctl", 0 },
	{ "completion fish", "complete -c mcpctl", 0 },
	{ NULL, NULL, 0 }
};

const struct command cmd_completion = {
	.name = "completion",
	.args = "SHELL",
	.brief = "print the completion for bash, zsh or fish",
	.text = "'make install' puts these files where the shells look for them: share/bash-completion/completions/mcpctl, share/zsh/site-functions/_mcpctl and share/fish/vendor_completions.d/mcpctl.fish. "
		"Without it:\n"
		"\n"
		"  bash: eval \"$(mcpctl completion bash)\" in ~/.bashrc\n"
		"  zsh:  eval \"$(mcpctl completion zsh)\" in ~/.zshrc, behind compinit\n"
		"  fish: mcpctl completion fish | source, in ~/.config/fish/config.fish\n"
		"\n"
		"Commands, options and choices are in the script. "
		"Devices, tools, arguments and values come from the running serve, else from the last complete list of the target (see tools --cached). "
		"Completing connects to no device; where there is no list yet, zsh and fish say so.",
	.group = GROUP_PROGRAM,
	.flags = CMD_MINOR,
	.min = 1,
	.max = 1,
	.operand = OPERAND_SHELL_NAME,
	.examples = completion_examples,
	.run = completion_run
};

const struct command cmd_generate = {
	.name = "generate",
	.args = "man|bash|zsh|fish|examples",
	.brief = "print a file that is written from the command table",
	.group = GROUP_PROGRAM,
	.flags = CMD_HIDDEN,
	.min = 1,
	.max = 1,
	.run = generate_run
};
