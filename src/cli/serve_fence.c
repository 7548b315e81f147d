/* SPDX-License-Identifier: MIT */
/*
 * The fences of serve: what the command itself needs besides src/serve, and
 * when they go up.
 */
#include "cli/serve_fence.h"

#include <fcntl.h>

#include "base/fence.h"
#include "base/fence_pool.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/spawner.h"
#include "cli/user_path.h"

static void keep(char *path, int flags)
{
	if (path)
		spawner_keep(path, flags);
	mem_free(path);
}

void serve_fence_allow(const struct serve_config *c, const char *exec,
		       const char *log)
{
	const char *const command[] = { "sh", "-c", exec, NULL };

	if (exec)
		spawner_allow(command, 0, NULL);
	/* As file_create opens it, in a folder of ours and in others. */
	if (log) {
		spawner_keep(log, FILE_CREATE_FLAGS | O_APPEND);
		spawner_keep(log, FILE_CREATE_FLAGS | O_APPEND | O_NOFOLLOW);
	}
	if (!c->alias_file)
		keep(user_path(&user_config, "devices.json"), O_RDONLY);
	serve_allow(c);
}

void serve_fence_raise(struct serve *s, struct loop *l, const char *pidfile)
{
	CLEANUP(words_done) struct words rules = { 0 };
	CLEANUP(mem_free_ptr)
	char *folder = pidfile ? file_folder(pidfile) : NULL;
	CLEANUP(mem_free_ptr) char *what = NULL;

	serve_fence(s, &rules);
	fence_rule(&rules, "remove", folder);
	spawner_seal();
	what = fence_raise((const char *const *)rules.word);
	fence_pool(l, &rules);
	records_add(serve_records(s), RECORD_FENCES, LEVEL_DEBUG, NULL, NULL,
		    "%s", what);
}
