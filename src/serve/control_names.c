/* SPDX-License-Identifier: MIT */
/*
 * The names of tools, for who completes one: of all lists of the devices that
 * fit, each name once.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "serve/control_private.h"

#define LISTS_MAX 8
#define NAMES_MAX 5000
#define NAME_MAX_BYTES 512
#define BRIEF_MAX_BYTES 200
#define ANSWER_MAX (4u << 20)

/* A place in a list: the tool whose turn comes next. */
struct cursor {
	const struct shared_list *list;
	size_t at;
	char *name; /* NULL: there are no more */
};

struct asked_names {
	struct cursor cursor[LISTS_MAX];
	size_t lists;
	const char *prefix;
};

/* Names are sorted, so those with the prefix stand together. */
static void read_name(const struct asked_names *n, struct cursor *c)
{
	mem_free(TAKE(c->name));
	if (c->at == c->list->count)
		return;
	c->name = shared_list_name(c->list, c->at);
	if (!text_starts(c->name, n->prefix))
		mem_free(TAKE(c->name));
}

static void add_list(struct asked_names *n, const struct shared_list *list)
{
	for (size_t i = 0; i < n->lists; i++) {
		if (n->cursor[i].list == list)
			return;
	}
	if (!list || n->lists == LISTS_MAX)
		return;
	n->cursor[n->lists++] =
		(struct cursor){ .list = list,
				 .at = shared_list_find(list, n->prefix) };
}

static void find_lists(struct asked_names *n, struct control_peer *p,
		       const char *pattern)
{
	struct board *d = NULL;

	if (p->device) {
		add_list(n, p->device->tools);
		return;
	}
	while ((d = registry_next(&p->server->registry, d, pattern)))
		add_list(n, d->tools);
}

/* The one that comes first; NULL: there are none. */
static const struct cursor *first(const struct asked_names *n)
{
	const struct cursor *found = NULL;

	for (size_t i = 0; i < n->lists; i++) {
		const struct cursor *c = &n->cursor[i];

		if (c->name && (!found || strcmp(c->name, found->name) < 0))
			found = c;
	}
	return found;
}

/* Behind that name, in every list. */
static void advance(struct asked_names *n, const char *name)
{
	for (size_t i = 0; i < n->lists; i++) {
		struct cursor *c = &n->cursor[i];

		while (c->name && strcmp(c->name, name) == 0) {
			c->at++;
			read_name(n, c);
		}
	}
}

/* The first line of the description, cut at a whole character. */
static void add_brief(struct buf *out, struct span tool)
{
	CLEANUP(mem_free_ptr) char *text = NULL;
	const char *start = "";
	struct span found;
	size_t len;

	if (json_span_member(tool, "description", &found))
		text = json_span_string(found);
	if (text)
		start = text + strspn(text, " \t\r\n");
	len = strcspn(start, "\r\n");
	if (len > BRIEF_MAX_BYTES)
		len = BRIEF_MAX_BYTES;
	while (len > 0 && ((unsigned char)start[len] & 0xc0) == 0x80)
		len--;
	buf_json_string(out, start, len);
}

static size_t add_names(struct asked_names *n, struct buf *out)
{
	const struct cursor *c;
	size_t count = 0;

	for (size_t i = 0; i < n->lists; i++)
		read_name(n, &n->cursor[i]);
	while (count < NAMES_MAX && out->len < ANSWER_MAX && (c = first(n))) {
		CLEANUP(mem_free_ptr) char *name = mem_strdup(c->name);
		size_t len = strlen(name);

		if (len > 0 && len <= NAME_MAX_BYTES) {
			buf_text(out, count++ ? ",[" : "[");
			buf_json_string(out, name, len);
			buf_char(out, ',');
			add_brief(out, shared_list_text(c->list, c->at));
			buf_char(out, ']');
		}
		advance(n, name);
	}
	return count;
}

void names_ask(struct control_peer *p, const cJSON *question, struct span text)
{
	const char *prefix = json_string(question, "prefix");
	struct asked_names n = { .prefix = prefix ? prefix : "" };
	CLEANUP(buf_done) struct buf out = { 0 };
	size_t count;

	(void)text;
	find_lists(&n, p, json_string(question, "device"));
	buf_text(&out, "{\"op\":\"names\",\"tools\":[");
	count = add_names(&n, &out);
	buf_printf(&out, "],\"count\":%zu,\"lists\":[", count);
	for (size_t i = 0; i < n.lists; i++) {
		mem_free(n.cursor[i].name);
		buf_printf(&out, "%s\"%s\"", i ? "," : "",
			   n.cursor[i].list->id);
	}
	buf_text(&out, "]}");
	control_peer_send(p, CONTROL_JSON, buf_string(&out), out.len);
}
