/* SPDX-License-Identifier: MIT */
/* Places in a text, in their order. */
#include "proxy/edits.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static size_t place_of(const struct edits *e, struct span place)
{
	size_t at = e->count;

	while (at > 0 && e->item[at - 1].place.text > place.text)
		at--;
	return at;
}

static bool overlaps(const struct edits *e, struct span place)
{
	for (size_t i = 0; i < e->count; i++) {
		struct span other = e->item[i].place;

		if (place.text < other.text + other.len &&
		    other.text < place.text + place.len)
			return true;
	}
	return false;
}

bool edits_add(struct edits *e, struct span place, const char *text)
{
	size_t at;

	if (overlaps(e, place))
		return false;
	e->item = mem_grow(e->item, &e->capacity, e->count, sizeof(*e->item));
	at = place_of(e, place);
	memmove(&e->item[at + 1], &e->item[at],
		(e->count - at) * sizeof(*e->item));
	e->item[at] = (struct edit){ place, mem_strdup(text) };
	e->count++;
	return true;
}

bool edits_add_string(struct edits *e, struct span place, const char *text)
{
	CLEANUP(buf_done) struct buf quoted = { 0 };

	buf_json_string(&quoted, text, strlen(text));
	return edits_add(e, place, buf_string(&quoted));
}

void edits_apply(const struct edits *e, struct span text, struct buf *out)
{
	const char *from = text.text;

	for (size_t i = 0; i < e->count; i++) {
		struct span place = e->item[i].place;

		buf_add(out, from, (size_t)(place.text - from));
		buf_text(out, e->item[i].text);
		from = place.text + place.len;
	}
	buf_add(out, from, (size_t)(text.text + text.len - from));
}

void edits_done(struct edits *e)
{
	for (size_t i = 0; i < e->count; i++)
		mem_free(e->item[i].text);
	mem_free(e->item);
	*e = (struct edits){ 0 };
}

/* ---- where ---- */

/* One step of a pointer, "~1" and "~0" decoded; yours. */
static char *next_step(const char **at)
{
	size_t len = strcspn(*at, "/");
	struct buf out = { 0 };

	for (size_t i = 0; i < len; i++) {
		char c = (*at)[i];

		if (c == '~' && i + 1 < len && (*at)[i + 1] == '1')
			c = '/';
		if (c == '~' || (c == '/' && (*at)[i] == '~'))
			i++;
		buf_char(&out, c);
	}
	*at += len;
	return buf_take(&out);
}

static bool step_into(struct span *json, const char *name)
{
	struct span element;
	size_t at = 0;
	int64_t index;

	if (json->len && *json->text == '{')
		return json_span_member(*json, name, json);
	if (text_integer(name, 0, INT32_MAX, &index))
		return false;
	while (json_span_next(*json, &at, &element)) {
		if (index-- == 0) {
			*json = element;
			return true;
		}
	}
	return false;
}

bool edit_point(struct span json, const char *pointer, struct span *out)
{
	while (*pointer == '/') {
		CLEANUP(mem_free_ptr) char *name = NULL;

		pointer++;
		name = next_step(&pointer);
		if (!step_into(&json, name))
			return false;
	}
	*out = json;
	return true;
}

int edit_check_pointer(const char *pointer, struct error *err)
{
	if (*pointer != '/')
		return error_set(
			err, ERR_USAGE,
			"'%.100s' is no JSON pointer: it begins with '/'",
			pointer);
	for (const char *at = pointer; *at; at++) {
		if (*at == '~' && at[1] != '0' && at[1] != '1')
			return error_set(
				err, ERR_USAGE,
				"'%.100s' is no JSON pointer: behind '~' stands 0 or 1",
				pointer);
	}
	return 0;
}
