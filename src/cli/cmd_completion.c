/* SPDX-License-Identifier: MIT */
/*
 * completion SHELL, for people: the scripts of completions/, which ask
 * `_complete` (complete_shells.c). And the hidden generate WHAT, for `make generate`:
 * what is written from the command table.
 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "cli/complete.h"
#include "cli/generate_man.h"

/* The file as it is, and a NUL; make runs where its path begins. */
#define SCRIPT(name, path)                                    \
	__asm__(".section .rodata\n" name ":\n"               \
		".incbin \"completions/" path "\"\n.byte 0\n" \
		".previous")

SCRIPT("script_bash", "mcpctl.bash");
SCRIPT("script_zsh", "_mcpctl");
SCRIPT("script_fish", "mcpctl.fish");
extern __attribute__((visibility("hidden"))) const char script_bash[],
	script_zsh[], script_fish[];

static const char *const scripts[COMPLETE_SHELLS] = { script_bash, script_zsh,
						      script_fish };

/* One line an example: status (-1: EXAMPLE_GOES_ON), command line, text on stdout; parted by tabs. */
static void generate_examples(FILE *out)
{
	for (const struct command *const *c = commands; *c; c++) {
		const struct example *e = (*c)->examples;

		for (; e && e->line; e++)
			fprintf(out, "%d\t%s\t%s\n", e->status, e->line,
				e->says ? e->says : "");
	}
}

static const struct generator {
	const char *name;
	void (*write)(FILE *out);
} generators[] = { { "man", generate_man }, { "examples", generate_examples } };

static int completion_run(const struct invocation *in, struct error *err)
{
	/* "$SHELL" is a path. */
	const char *word = file_name(in->argv[0]);

	for (size_t i = 0; i < COUNT(scripts); i++) {
		if (strcmp(complete_shells[i], word) == 0) {
			fputs(scripts[i], in->app->out.out);
			return 0;
		}
	}
	error_set(err, ERR_USAGE, "no completion is made for '%s'", word);
	return error_hint(err, "give one of: bash, zsh, fish");
}

static int generate_run(const struct invocation *in, struct error *err)
{
	/* Profiles of the user's own do not belong into committed files. */
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	if (in->argc == 2 && strcmp(in->argv[0], "man") == 0) {
		if (generate_page(in->app->out.out, in->argv[1]) == 0)
			return 0;
		error_set(err, ERR_USAGE, "'%s' has no page '%s'", in->argv[0],
			  in->argv[1]);
		return error_hint(err, "'mcpctl generate man' lists the pages");
	}
	for (size_t i = 0; i < COUNT(generators); i++) {
		if (strcmp(generators[i].name, in->argv[0]) == 0) {
			generators[i].write(in->app->out.out);
			return 0;
		}
	}
	return error_set(err, ERR_USAGE, "nothing is generated as '%s'",
			 in->argv[0]);
}

static const struct example completion_examples[] = {
	{ "completion bash", "complete -F _mcpctl mcpctl", 0 },
	{ "completion fish", "complete -c mcpctl", 0 },
	{ NULL, NULL, 0 }
};

const struct command cmd_completion = {
	.name = "completion",
	.globals = "",
	.args = "SHELL",
	.brief = "print the completion for bash, zsh or fish",
	.text = "'make install' puts these files where the shells look for them: share/bash-completion/completions/mcpctl, share/zsh/site-functions/_mcpctl and share/fish/vendor_completions.d/mcpctl.fish. "
		"Without it:\n"
		"\n"
		"  bash: eval \"$(mcpctl completion bash)\" in ~/.bashrc\n"
		"  zsh:  eval \"$(mcpctl completion zsh)\" in ~/.zshrc, behind compinit\n"
		"  fish: mcpctl completion fish | source, in ~/.config/fish/config.fish\n"
		"\n"
		"The script asks mcpctl what may stand there. "
		"Devices, tools, arguments and values come from the running serve, else from the last complete list of the target (see tools --cached). "
		"Completing connects to no device; where there is no list yet, that is said.",
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
	.args = "man [PAGE]|examples",
	.brief = "print a file that is written from the command table",
	.group = GROUP_PROGRAM,
	.flags = CMD_HIDDEN,
	.min = 1,
	.max = 2,
	.run = generate_run
};
