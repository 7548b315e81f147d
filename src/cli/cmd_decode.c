/* SPDX-License-Identifier: MIT */
/*
 * The hidden decode: a picture from stdin as pixels, for who shows it.
 */
#include "cli/commands.h"
#include "out/decoder.h"
#include "out/decoder_process.h"

static int decode_run(const struct invocation *in, struct error *err)
{
	(void)in;
	(void)err;
	decoder_process();
}

const struct command cmd_decode = {
	.name = DECODER_COMMAND,
	.args = "",
	.brief = "a picture from stdin as pixels, for a terminal",
	.group = GROUP_PROGRAM,
	.flags = CMD_HIDDEN,
	.min = 0,
	.max = 0,
	.run = decode_run
};
