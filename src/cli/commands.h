/* SPDX-License-Identifier: MIT */
/*
 * The constants that make up the command table, one for each src/cli/cmd_*.c.
 */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/command.h"

extern const struct command cmd_adopt, cmd_upgrade, cmd_assets, cmd_check,
	cmd_capture, cmd_clone, cmd_replay, cmd_explain, cmd_info, cmd_tools,
	cmd_describe, cmd_call, cmd_task, cmd_watch, cmd_resources,
	cmd_templates, cmd_read, cmd_subscribe, cmd_prompts, cmd_prompt,
	cmd_complete, cmd_tail, cmd_ping, cmd_devices, cmd_kick, cmd_lease,
	cmd_power, cmd_stop, cmd_open, cmd_close, cmd_targets, cmd_trust,
	cmd_login, cmd_logout, cmd_request, cmd_notify, cmd_send, cmd_speak,
	cmd_loglevel, cmd_run, cmd_shell, cmd_serve, cmd_sim, cmd_proxy,
	cmd_help, cmd_top, cmd_version, cmd_completion, cmd_generate,
	cmd_decode, cmd_complete_words, cmd_bridge;

/* Whether it heeds that global option. */
bool command_heeds(const struct command *c, const struct option_row *global);

/* By name or alias; NULL. */
const struct command *command_find(const char *name);
/*
 * Whether a word that is no command's name calls a tool by its own: it has a
 * dot, so that no command to come takes it, and is no address.
 */
bool command_is_tool(const char *word);

#endif
