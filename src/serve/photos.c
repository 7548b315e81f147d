/* SPDX-License-Identifier: MIT */
#include "serve/photos.h"

#include <string.h>

#include "base/loop.h"
#include "base/mem.h"
#include "net/pictures.h"

struct kept_photo {
	char mark[RANDOM_HEX_SIZE];
	char *data; /* owned; NULL: too large, or there was no room */
	size_t len;
	int64_t came_us; /* loop_now_us() */
	bool over; /* it is nobody's any more */
};

struct photos {
	unsigned calls;
	unsigned count; /* that came; the last ones are kept */
	struct kept_photo kept[PHOTOS_KEPT];
};

void photos_begin(struct photos **photos)
{
	if (!*photos)
		*photos = mem_zalloc(sizeof(**photos));
	(*photos)->calls++;
}

/* Its name may yet come in a reply. */
static void forget(struct kept_photo *k, size_t *all)
{
	if (k->data)
		*all -= k->len;
	mem_free(TAKE(k->data));
	k->over = true;
}

void photos_end(struct photos *photos, size_t *all)
{
	if (--photos->calls)
		return;
	for (size_t i = 0; i < PHOTOS_KEPT; i++)
		forget(&photos->kept[i], all);
}

bool photos_wanted(const struct photos *photos)
{
	return photos && photos->calls;
}

void photos_free(struct photos *photos)
{
	mem_free(photos);
}

void photos_add(struct photos *photos, size_t *all, struct span picture,
		char mark[RANDOM_HEX_SIZE])
{
	struct kept_photo *k = &photos->kept[photos->count++ % PHOTOS_KEPT];

	forget(k, all);
	k->over = false;
	random_hex(k->mark);
	k->len = picture.len;
	k->came_us = loop_now_us();
	if (k->len <= PHOTOS_LARGEST && *all + k->len <= PHOTOS_ALL) {
		k->data = mem_alloc(k->len + 1);
		memcpy(k->data, picture.text, k->len);
		*all += k->len;
	}
	memcpy(mark, k->mark, sizeof(k->mark));
}

/* ---- whose ---- */

static bool names(struct span reply, const char *mark)
{
	return memmem(reply.text, reply.len, mark, strlen(mark)) != NULL;
}

static void take(struct call_photo *out, const struct kept_photo *k,
		 size_t most)
{
	out->mark = k->mark;
	out->size = k->len;
	out->state = k->len > most || k->len > PHOTOS_LARGEST ?
			     PHOTO_TOO_LARGE :
		     k->data ? PHOTO_HERE :
			       PHOTO_NO_ROOM;
	if (out->state == PHOTO_HERE)
		out->data = (struct span){ k->data, k->len };
}

void photos_find(struct call_photo *out, const struct photos *photos,
		 struct span reply, int64_t since_us, size_t most)
{
	*out = (struct call_photo){ .state = PHOTO_NONE };
	for (size_t i = 0; photos && i < PHOTOS_KEPT; i++) {
		const struct kept_photo *k = &photos->kept[i];

		if (!*k->mark || k->over || k->came_us < since_us)
			continue;
		if (names(reply, k->mark)) {
			take(out, k, most);
			return;
		}
		out->state = PHOTO_UNNAMED;
	}
}

/* As it stands in a text within JSON: the result is one. */
static void unmark(struct buf *out, struct span reply, const char *mark)
{
	CLEANUP(mem_free_ptr)
	char *member = mem_printf(",\\\"" PICTURE_MARK "\\\":\\\"%s\\\"", mark);
	const char *at = reply.text, *end = reply.text + reply.len, *found;

	while ((found = memmem(at, (size_t)(end - at), member,
			       strlen(member)))) {
		buf_add(out, at, (size_t)(found - at));
		at = found + strlen(member);
	}
	buf_add(out, at, (size_t)(end - at));
}

struct span photos_unmark(const struct photos *photos, struct span reply,
			  struct buf *room)
{
	for (size_t i = 0; photos && i < PHOTOS_KEPT; i++) {
		const char *mark = photos->kept[i].mark;
		struct buf out = { 0 };

		if (!*mark || !names(reply, mark))
			continue;
		unmark(&out, reply, mark);
		buf_done(room);
		*room = out;
		reply = (struct span){ buf_string(room), room->len };
	}
	return reply;
}

char *photos_explain(const struct call_photo *p, size_t most)
{
	switch (p->state) {
	case PHOTO_HERE:
		break;
	case PHOTO_NONE:
		return mem_strdup("none came while the tool was at work");
	case PHOTO_UNNAMED:
		return mem_strdup(
			"one came, but the tool's result does not say that it is of this call");
	case PHOTO_TOO_LARGE:
		return mem_printf("it has %zu bytes, and %zu are the most here",
				  p->size, most);
	case PHOTO_NO_ROOM:
		return mem_strdup("serve holds too many pictures just now");
	}
	return NULL;
}
