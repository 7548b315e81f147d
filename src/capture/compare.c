/* SPDX-License-Identifier: MIT */
#include "capture/compare.h"
#include "base/mask.h"
#include "base/mem.h"

#include <string.h>

#define NESTED_MAX 4 /* texts that are JSON within texts that are JSON */

struct both_messages {
	const struct compare_rules *rules;
	void (*found)(void *owner, const struct compare_difference *d);
	void *owner;
	size_t count;
	struct buf pointer;
	int nested;
};

static void compare(struct both_messages *c, const cJSON *was, const cJSON *is);

/* Whether pattern, in which * is any one member, is that pointer. */
static bool pointer_matches(const char *pattern, const char *pointer)
{
	while (*pattern == '/' && *pointer == '/') {
		size_t want = strcspn(++pattern, "/");
		size_t have = strcspn(++pointer, "/");

		if (!(want == 1 && *pattern == '*') &&
		    (want != have || strncmp(pattern, pointer, want) != 0))
			return false;
		pattern += want;
		pointer += have;
	}
	return !*pattern && !*pointer;
}

/* What is another each time, wherever it stands. */
static bool is_fleeting(const char *name)
{
	static const char *const names[] = { "session_id",  "sessionId",
					     "server_time", "timestamp",
					     "uuid",	    "nonce",
					     "key",	    "progressToken" };

	for (size_t i = 0; i < COUNT(names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static bool is_ignored(const struct both_messages *c)
{
	const char *pointer = buf_string(&c->pointer);
	const char *last = strrchr(pointer, '/');

	if (strcmp(pointer, "/id") == 0 || (last && is_fleeting(last + 1)))
		return true;
	for (size_t i = 0; i < c->rules->count; i++)
		if (pointer_matches(c->rules->ignore[i], pointer))
			return true;
	return false;
}

/* A secret that has no name of a capture's. */
static bool is_bare_secret(const struct both_messages *c, const cJSON *value)
{
	const char *name = strrchr(buf_string(&c->pointer), '/');

	return name && mask_is_secret(name + 1) && cJSON_IsString(value) &&
	       *value->valuestring &&
	       strncmp(value->valuestring, "***", 3) != 0;
}

/* As json_print, but for secrets; NULL for what is not there; out is kept by the caller. */
static const char *printed(const struct both_messages *c, struct buf *out,
			   const cJSON *value)
{
	CLEANUP(buf_done) struct buf plain = { 0 };

	if (!value)
		return NULL;
	if (is_bare_secret(c, value)) {
		buf_text(out, "\"***\"");
		return buf_string(out);
	}
	json_print(&plain, value);
	mask_secrets(out, buf_string(&plain), plain.len);
	return buf_string(out);
}

static void differ(struct both_messages *c, const cJSON *was, const cJSON *is)
{
	CLEANUP(buf_done) struct buf old = { 0 }, new = { 0 };
	struct compare_difference d = { .pointer = buf_string(&c->pointer) };

	c->count++;
	if (!c->found)
		return;
	d.was = printed(c, &old, was);
	d.is = printed(c, &new, is);
	c->found(c->owner, &d);
}

/* NOLINTBEGIN(misc-no-recursion): as deep as json_parse goes, NESTED_MAX times */
static void go_into(struct both_messages *c, const char *name, const cJSON *was,
		    const cJSON *is)
{
	size_t len = c->pointer.len;

	buf_char(&c->pointer, '/');
	for (; *name; name++) {
		if (*name == '~' || *name == '/')
			buf_text(&c->pointer, *name == '~' ? "~0" : "~1");
		else
			buf_char(&c->pointer, *name);
	}
	compare(c, was, is);
	buf_cut(&c->pointer, len);
}

static void compare_objects(struct both_messages *c, const cJSON *was,
			    const cJSON *is)
{
	for (const cJSON *item = was->child; item; item = item->next)
		go_into(c, item->string, item, json_member(is, item->string));
	for (const cJSON *item = is->child; item; item = item->next)
		if (!json_member(was, item->string))
			go_into(c, item->string, NULL, item);
}

static void compare_arrays(struct both_messages *c, const cJSON *was,
			   const cJSON *is)
{
	const cJSON *a = was->child, *b = is->child;

	for (size_t i = 0; a || b; i++) {
		CLEANUP(mem_free_ptr) char *name = mem_printf("%zu", i);

		go_into(c, name, a, b);
		a = a ? a->next : NULL;
		b = b ? b->next : NULL;
	}
}

/* An object or array, told as a text; NULL: it is none. Yours. */
static cJSON *told_in(const cJSON *text)
{
	const char *value = text->valuestring;

	if (*value != '{' && *value != '[')
		return NULL;
	return json_parse(value, strlen(value), NULL);
}

/* A capture has its name only; but that there is one can be told. */
static bool is_secret(const cJSON *masked, const cJSON *other)
{
	return strncmp(masked->valuestring, "***", 3) == 0 &&
	       *other->valuestring;
}

static void compare_texts(struct both_messages *c, const cJSON *was,
			  const cJSON *is)
{
	cJSON *a, *b;

	if (strcmp(was->valuestring, is->valuestring) == 0 ||
	    is_secret(was, is) || is_secret(is, was))
		return;
	a = c->nested < NESTED_MAX ? told_in(was) : NULL;
	b = a ? told_in(is) : NULL;
	c->nested++;
	if (b)
		compare(c, a, b);
	else
		differ(c, was, is);
	c->nested--;
	cJSON_Delete(a);
	cJSON_Delete(b);
}

static void compare(struct both_messages *c, const cJSON *was, const cJSON *is)
{
	if (is_ignored(c))
		return;
	if (cJSON_IsObject(was) && cJSON_IsObject(is))
		compare_objects(c, was, is);
	else if (cJSON_IsArray(was) && cJSON_IsArray(is))
		compare_arrays(c, was, is);
	else if (cJSON_IsString(was) && cJSON_IsString(is))
		compare_texts(c, was, is);
	else if (!was || !is || !json_equal(was, is))
		differ(c, was, is);
}
/* NOLINTEND(misc-no-recursion) */

static void add_bytes(struct buf *out, struct span bytes)
{
	CLEANUP(buf_done) struct buf masked = { 0 };

	mask_secrets(&masked, bytes.text, bytes.len);
	buf_json_string(out, buf_string(&masked), masked.len);
}

/* One of the two is no JSON: their bytes, each told as a JSON text. */
static void compare_bytes(struct both_messages *c, struct span was,
			  struct span is)
{
	CLEANUP(buf_done) struct buf old = { 0 }, new = { 0 };
	struct compare_difference d = { .pointer = "" };

	if (was.len == is.len && memcmp(was.text, is.text, was.len) == 0)
		return;
	c->count++;
	if (!c->found)
		return;
	add_bytes(&old, was);
	add_bytes(&new, is);
	d.was = buf_string(&old);
	d.is = buf_string(&new);
	c->found(c->owner, &d);
}

size_t compare_messages(struct span was, struct span is,
			const struct compare_rules *rules,
			void (*found)(void *owner,
				      const struct compare_difference *d),
			void *owner)
{
	struct both_messages c = { .rules = rules,
				   .found = found,
				   .owner = owner };
	cJSON *a = was.len ? json_parse(was.text, was.len, NULL) : NULL;
	cJSON *b = a && is.len ? json_parse(is.text, is.len, NULL) : NULL;

	if (b)
		compare(&c, a, b);
	else if (was.len || is.len)
		compare_bytes(&c, was, is);
	cJSON_Delete(a);
	cJSON_Delete(b);
	buf_done(&c.pointer);
	return c.count;
}

int compare_pointer_check(const char *text, struct error *err)
{
	if (!*text || *text == '/')
		return 0;
	return error_set(
		err, ERR_USAGE,
		"--ignore '%.60s': a pointer begins with '/', as in /result/content/0/text/battery",
		text);
}
