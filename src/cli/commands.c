/* SPDX-License-Identifier: MIT */
/*
 * The command table, in the order of help.
 */
#include "cli/commands.h"

#include <string.h>

/* clang-format off */
const struct command *const commands[] = {
	&cmd_serve, &cmd_adopt, &cmd_devices, &cmd_top, &cmd_lease, &cmd_power,
	&cmd_kick, &cmd_stop, &cmd_open, &cmd_close,
	&cmd_targets, &cmd_trust, &cmd_login, &cmd_logout,
	&cmd_tools, &cmd_describe, &cmd_call, &cmd_task, &cmd_watch, &cmd_shell, &cmd_run,
	&cmd_resources, &cmd_templates, &cmd_read, &cmd_subscribe,
	&cmd_prompts, &cmd_prompt, &cmd_complete,
	&cmd_send, &cmd_speak, &cmd_upgrade, &cmd_assets, &cmd_notify, &cmd_loglevel,
	&cmd_info, &cmd_ping, &cmd_tail, &cmd_check, &cmd_explain, &cmd_capture,
	&cmd_replay, &cmd_request,
	&cmd_bridge, &cmd_proxy, &cmd_sim, &cmd_clone,
	&cmd_help, &cmd_version, &cmd_completion,
	&cmd_generate, &cmd_decode, &cmd_complete_words, NULL
};
/* clang-format on */

static bool is_alias(const struct command *c, const char *name)
{
	for (const char *const *a = c->aliases; a && *a; a++) {
		if (strcmp(*a, name) == 0)
			return true;
	}
	return false;
}

bool command_heeds(const struct command *c, const struct option_row *global)
{
	/* What holds for all; and what is refused in words of its own. */
	static const char all[] =
		"output quiet color no-pager help version all execute";

	return !c->globals || option_choice(all, global->name) >= 0 ||
	       option_choice(c->globals, global->name) >= 0;
}

const struct command *command_find(const char *name)
{
	for (const struct command *const *c = commands; *c; c++) {
		if (strcmp((*c)->name, name) == 0 || is_alias(*c, name))
			return *c;
	}
	return NULL;
}

bool command_is_tool(const char *word)
{
	return strchr(word, '.') && !strpbrk(word, ":/@") &&
	       strcspn(word, "0123456789.") > 0;
}
