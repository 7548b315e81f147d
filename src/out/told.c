/* SPDX-License-Identifier: MIT */
#include "out/told.h"

#include "out/render.h"

void told_unmasked(struct renderer *out, const struct capture_reader *file,
		   const char *path)
{
	if (!capture_head(file)->masked)
		render_note(
			out,
			"WARNING: '%s' holds secrets as they were: pass on only what 'mcpctl capture mask' makes of it",
			path);
}

void told_cut(struct renderer *out, const struct capture_reader *file,
	      const char *path)
{
	if (capture_cut(file))
		render_note(out, "'%s' ends too early: read up to there", path);
}
