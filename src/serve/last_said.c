/* SPDX-License-Identifier: MIT */
/* The last frames that a board said, in a ring. */
#include "serve/last_said.h"

#include <inttypes.h>
#include <string.h>

#include "base/mask.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "wire/envelope.h"

/* A secret that begins within what is kept is masked as a whole. */
#define LOOKED_AT 4096

struct last_said {
	struct one_said {
		char *text; /* owned */
		int64_t at; /* Unix time, ms */
	} said[LAST_SAID_KEPT];
	size_t first, count;
};

static size_t size_of(const char *text)
{
	return strlen(text) + 1;
}

static void drop_oldest(struct last_said *l, size_t *all)
{
	struct one_said *oldest = &l->said[l->first];

	*all -= size_of(oldest->text);
	mem_free(TAKE(oldest->text));
	l->first = (l->first + 1) % LAST_SAID_KEPT;
	l->count--;
}

/* Of MCP without the envelope, which is always the same. */
static char *shorten(const char *frame, size_t len)
{
	struct span said = envelope_payload((struct span){ frame, len });
	CLEANUP(buf_done) struct buf masked = { 0 };

	mask_secrets(&masked, said.text,
		     text_cut(said.text, said.len, LOOKED_AT));
	return mem_strndup(
		buf_string(&masked),
		text_cut(buf_string(&masked), masked.len, LAST_SAID_BYTES));
}

void last_said_add(struct last_said **said, size_t *all, const char *frame,
		   size_t len, int64_t now_ms)
{
	CLEANUP(mem_free_ptr) char *text = shorten(frame, len);
	struct last_said *l = *said;
	size_t size = size_of(text);

	if (!l)
		l = *said = mem_zalloc(sizeof(*l));
	if (l->count == LAST_SAID_KEPT)
		drop_oldest(l, all);
	while (l->count && *all + size > LAST_SAID_ALL)
		drop_oldest(l, all);
	if (*all + size > LAST_SAID_ALL)
		return;
	l->said[(l->first + l->count++) % LAST_SAID_KEPT] =
		(struct one_said){ TAKE(text), now_ms };
	*all += size;
}

bool last_said_tell(const struct last_said *said, size_t back, struct buf *out)
{
	const struct one_said *one;

	if (!said || back >= said->count)
		return false;
	one = &said->said[(said->first + said->count - 1 - back) %
			  LAST_SAID_KEPT];
	buf_printf(out, "{\"op\":\"said\",\"at\":%" PRId64, one->at);
	json_add_text(out, "text", one->text);
	buf_char(out, '}');
	return true;
}

void last_said_free(struct last_said *said, size_t *all)
{
	while (said && said->count)
		drop_oldest(said, all);
	mem_free(said);
}
