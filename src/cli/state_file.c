/* SPDX-License-Identifier: MIT */
/*
 * The folder for what lasts, by the XDG rules. Opens no file.
 */
#include "cli/state_file.h"

#include "base/mem.h"
#include "cli/user_path.h"

int state_file(char **out, const char *name, struct error *err)
{
	*out = user_path(&user_state, name);
	if (!*out)
		return error_set(err, ERR_USAGE,
				 "no place for '%s': HOME is not set", name);
	if (user_path_make(&user_state, *out, err) == 0)
		return 0;
	mem_free(TAKE(*out));
	return -1;
}
