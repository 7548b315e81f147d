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
	const size_t beginnings = capture_beginnings(file);

	if (capture_cut(file))
		render_note(out, "'%s' ends too early: read up to there", path);
	if (capture_long(file))
		render_note(
			out,
			"'%s', line %llu is longer than %u MB: passed over, an event that is missing here",
			path, (unsigned long long)capture_long(file),
			CAPTURE_LINE_MAX >> 20);
	if (beginnings)
		render_note(
			out,
			"'%s' has of %zu message%s above 64 kB the beginning alone: what stands behind it is not known",
			path, beginnings, beginnings == 1 ? "" : "s");
}
