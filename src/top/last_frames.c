/* SPDX-License-Identifier: MIT */
#include "top/last_frames.h"

#include <inttypes.h>

#include "base/mem.h"
#include "base/utf8.h"

void last_frames_done(struct last_frames *f)
{
	for (size_t i = 0; i < LAST_FRAMES_KEPT; i++)
		mem_free(f->line[i]);
	mem_free(f->name);
	*f = (struct last_frames){ 0 };
}

void last_frames_begin(struct last_frames *f, const char *name)
{
	last_frames_done(f);
	f->name = mem_strdup(name);
}

static void put(struct last_frames *f, char *line)
{
	char **place = &f->line[f->count++ % LAST_FRAMES_KEPT];

	mem_free(*place);
	*place = line;
}

void last_frames_add(struct last_frames *f, const char *clock, const char *text,
		     size_t len)
{
	size_t cut = text_cut(text, len, LAST_FRAME_BYTES);

	f->audio = 0;
	put(f,
	    mem_printf("%s%s%.*s", clock, *clock ? " " : "", (int)cut, text));
}

void last_frames_audio(struct last_frames *f, const char *clock)
{
	if (f->audio++)
		f->count--;
	put(f, mem_printf("%s audio: %" PRIu64 " packet%s", clock, f->audio,
			  f->audio == 1 ? "" : "s"));
}

const char *last_frames_at(const struct last_frames *f, size_t back)
{
	if (back >= f->count || back >= LAST_FRAMES_KEPT)
		return NULL;
	return f->line[(f->count - 1 - back) % LAST_FRAMES_KEPT];
}
