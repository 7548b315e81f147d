/* SPDX-License-Identifier: MIT */
#include "diag/recognise.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "diag/facts.h"

static void add(struct buf *out, const char *text)
{
	buf_printf(out, "%s%s", out->len > 0 ? ", " : "", text);
}

/* ---- backends ---- */

static const char *const session_keys[] = { "", "absent", "sessionId",
					    "session_id" };

/* How many habits fit; -1: one does not. */
static int fits(const struct backend_fact *b, const struct diag *d)
{
	char id[24];
	int points = 0;

	snprintf(id, sizeof(id), "%" PRId64, d->seen.first_id);
	if (*b->client && strcmp(b->client, d->seen.client) != 0)
		return -1;
	points += *b->client != '\0';
	if (*b->first_id && strcmp(b->first_id, id) != 0)
		return -1;
	points += *b->first_id != '\0';
	if (*b->session_key &&
	    strcmp(b->session_key, session_keys[d->seen.session_key]) != 0)
		return -1;
	return points + (*b->session_key != '\0');
}

/* Those that fit best; with more than one nobody is named for sure. */
static void name_backend(const struct diag *d, struct buf *name)
{
	size_t count;
	const struct backend_fact *b = backend_facts(&count);
	int best = 1; /* a first id of 1 is nobody's mark */

	for (size_t i = 0; i < count; i++) {
		int points = fits(&b[i], d);

		if (points < best || points < 2)
			continue;
		if (points > best)
			buf_reset(name);
		best = points;
		buf_printf(name, "%s%s", name->len > 0 ? " or " : "",
			   b[i].name);
	}
}

bool recognise_backend(const struct diag *d, struct buf *name,
		       struct buf *evidence)
{
	static const char *const keys[] = { "", "no session_id in the envelope",
					    "sessionId in the envelope",
					    "session_id in the envelope" };

	if (!*d->seen.client)
		return false;
	buf_printf(evidence, "calls itself %s, first id %" PRId64,
		   d->seen.client, d->seen.first_id);
	if (d->seen.session_key)
		add(evidence, keys[d->seen.session_key]);
	name_backend(d, name);
	return true;
}

/* ---- devices ---- */

enum { GLYPHS = 1, SHORT_FRAMES = 2, NO_VERSION = 4, NAMED = 8 };

static const struct make {
	unsigned has, has_not; /* marks */
	const char *name;
} makes[] = {
	{ NAMED | NO_VERSION, 0, "the digital-human page" },
	{ SHORT_FRAMES, GLYPHS, "py-xiaozhi" },
	{ GLYPHS, NO_VERSION, "stock firmware 2.4.0 or later" },
};

static unsigned marks_of(const struct diag *d)
{
	return (d->seen.glyphs ? GLYPHS : 0) |
	       (d->seen.frame_ms == 20 ? SHORT_FRAMES : 0) |
	       (d->seen.no_version ? NO_VERSION : 0) |
	       (d->seen.device_name ? NAMED : 0);
}

static void name_device(const struct diag *d, struct buf *name)
{
	const unsigned marks = marks_of(d);

	for (size_t i = 0; i < COUNT(makes); i++) {
		if ((makes[i].has & marks) != makes[i].has ||
		    (makes[i].has_not & marks))
			continue;
		buf_text(name, makes[i].name);
		if (marks & GLYPHS && d->seen.error_codes)
			buf_text(name, d->seen.error_codes > 0 ?
					       ", 2.5.0 by its errors" :
					       ", up to 2.4.2 by its errors");
		return;
	}
}

bool recognise_device(const struct diag *d, struct buf *name,
		      struct buf *evidence)
{
	char frame[32];

	if (!d->hellos)
		return false;
	if (d->seen.glyphs)
		add(evidence, "features.glyph_push");
	if (d->seen.no_version)
		add(evidence, "no version in hello");
	if (d->seen.device_name)
		add(evidence, "device_name in hello");
	snprintf(frame, sizeof(frame), "frames of %d ms", d->seen.frame_ms);
	if (d->seen.frame_ms > 0)
		add(evidence, frame);
	if (d->seen.error_codes)
		add(evidence, d->seen.error_codes > 0 ?
				      "errors with a code" :
				      "errors without a code");
	name_device(d, name);
	return true;
}
