/* SPDX-License-Identifier: MIT */
/* The file of enrolled boards. Who may enrol is the door's matter. */
#include "serve/enrolled.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"

#define FILE_MAX (2u << 20)

static void empty(struct enrolled_board *b)
{
	mem_free(b->device_id);
	mem_free(b->client_id);
}

void enrolled_done(struct enrolled *e)
{
	for (size_t i = 0; i < e->count; i++)
		empty(&e->item[i]);
	mem_free(e->item);
	*e = (struct enrolled){ 0 };
}

const struct enrolled_board *enrolled_find(const struct enrolled *e,
					   const char *device_id)
{
	for (size_t i = 0; i < e->count; i++) {
		if (text_same(e->item[i].device_id, device_id))
			return &e->item[i];
	}
	return NULL;
}

bool enrolled_or_listed(const struct enrolled *e, const struct aliases *a,
			const char *device_id, const char *client_id)
{
	return aliases_name(a, device_id, client_id) ||
	       (device_id && enrolled_find(e, device_id));
}

bool enrolled_is_full(const struct enrolled *e)
{
	return e->count >= ENROLLED_MAX;
}

static void put(struct enrolled *e, const char *device_id,
		const char *client_id, int64_t at_ms)
{
	const struct enrolled_board *old = enrolled_find(e, device_id);
	struct enrolled_board *b;

	if (!old && enrolled_is_full(e))
		return;
	if (old) {
		b = &e->item[old - e->item];
		empty(b);
	} else {
		e->item = mem_grow(e->item, &e->capacity, e->count,
				   sizeof(*e->item));
		b = &e->item[e->count++];
	}
	*b = (struct enrolled_board){ mem_strdup(device_id),
				      mem_strdup(client_id), at_ms };
}

static int bad_file(const char *file, const char *why, struct error *err)
{
	error_set(err, ERR_USAGE, "file of enrolled boards '%s': %s", file,
		  why);
	return error_hint(err, "remove it, and let the boards enrol again: "
			       "serve --enroll");
}

static int parse(struct enrolled *out, const struct buf *text, const char *file,
		 struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(json_free_ptr)
	cJSON *tree = json_parse(buf_string(text), text->len, &why);
	const cJSON *member;

	if (!cJSON_IsObject(tree))
		return bad_file(file, tree ? "not a JSON object" : why.text,
				err);
	cJSON_ArrayForEach(member, tree) {
		const char *client_id = json_string(member, "client_id");
		int64_t at = 0;

		if (!client_id || json_integer(member, "at", &at))
			return bad_file(file,
					"an entry has no client_id and "
					"at",
					err);
		put(out, member->string, client_id, at);
	}
	return 0;
}

int enrolled_read(struct enrolled *e, const char *file, struct error *err)
{
	bool missing = !file || (access(file, F_OK) && errno == ENOENT);
	CLEANUP(buf_done) struct buf text;
	struct enrolled read = { 0 };
	bool bad;

	buf_init(&text, FILE_MAX);
	bad = !missing &&
	      (file_read(&text, "file of enrolled boards", file, err) ||
	       parse(&read, &text, file, err));
	enrolled_done(bad ? &read : e);
	if (!bad)
		*e = read;
	return bad ? -1 : 0;
}

static int write_all(const struct enrolled *e, const char *file,
		     struct error *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_char(&text, '{');
	for (size_t i = 0; i < e->count; i++) {
		const struct enrolled_board *b = &e->item[i];

		buf_text(&text, i ? ",\n " : "\n ");
		buf_json_string(&text, b->device_id, strlen(b->device_id));
		buf_text(&text, ":{\"client_id\":");
		buf_json_string(&text, b->client_id, strlen(b->client_id));
		buf_printf(&text, ",\"at\":%lld}", (long long)b->at_ms);
	}
	buf_text(&text, "\n}\n");
	if (!file_replace(file, 0600, text.data, text.len))
		return 0;
	error_set(err, ERR_OUTPUT,
		  "cannot write the enrolled boards to '%s': %s", file,
		  strerror(errno));
	return -1;
}

int enrolled_add(struct enrolled *e, const char *file, const char *device_id,
		 const char *client_id, int64_t now_ms, struct error *err)
{
	int status = file ? enrolled_read(e, file, err) : 0;

	put(e, device_id, client_id, now_ms);
	/* A file that cannot be understood is not written over. */
	return status || !file ? status : write_all(e, file, err);
}
