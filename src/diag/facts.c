/* SPDX-License-Identifier: MIT */
/* A kind of file is a table of members; one reader for all of them. */
#include "diag/facts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_scan.h"
#include "base/mem.h"
#include "base/text.h"

#define FILE_MAX (1u << 20)

/* The files as they are, each with a NUL; make runs where their paths begin. */
#define FILE_OF(name)                                                 \
	__asm__(".section .rodata\nfacts_" #name ":\n"                \
		".incbin \"src/diag/data/" #name ".json\"\n.byte 0\n" \
		".previous");                                         \
	extern __attribute__((visibility("hidden"))) const char facts_##name[]
FILE_OF(backends);
FILE_OF(models);

enum member_type { TEXT, FLAG, NUMBER };
struct member {
	const char *name;
	enum member_type type;
	size_t offset;
	bool required;
};

#define IN(type, name) offsetof(struct type, name)
static const struct member backend_members[] = {
	{ "id", TEXT, IN(backend_fact, id), true },
	{ "name", TEXT, IN(backend_fact, name), true },
	{ "source", TEXT, IN(backend_fact, source), true },
	{ "read", TEXT, IN(backend_fact, read), true },
	{ "mqtt", FLAG, IN(backend_fact, mqtt), false },
	{ "websocket", FLAG, IN(backend_fact, websocket), false },
	{ "max_tools", NUMBER, IN(backend_fact, max_tools), false },
	{ "first_page", FLAG, IN(backend_fact, first_page), false },
	{ "names", TEXT, IN(backend_fact, names), true },
	{ "call_ms", NUMBER, IN(backend_fact, call_ms), false },
	{ "api_ms", NUMBER, IN(backend_fact, api_ms), false },
	{ "max_message", NUMBER, IN(backend_fact, max_message), false },
	{ "loses_error_text", FLAG, IN(backend_fact, loses_error_text), false },
	{ "needs_is_error", FLAG, IN(backend_fact, needs_is_error), false },
	{ "client", TEXT, IN(backend_fact, client), false },
	{ "first_id", TEXT, IN(backend_fact, first_id), false },
	{ "session_key", TEXT, IN(backend_fact, session_key), false },
};
static const struct member model_members[] = {
	{ "id", TEXT, IN(model_fact, id), true },
	{ "name", TEXT, IN(model_fact, name), true },
	{ "source", TEXT, IN(model_fact, source), true },
	{ "read", TEXT, IN(model_fact, read), true },
	{ "name_max", NUMBER, IN(model_fact, name_max), false },
	{ "dots", FLAG, IN(model_fact, dots), false },
	{ "letter_first", FLAG, IN(model_fact, letter_first), false },
	{ "max_tools", NUMBER, IN(model_fact, max_tools), false },
};

/* What was read of a kind. */
struct facts {
	char *item;
	size_t count, capacity;
	bool known;
};

static struct kind {
	const char *name; /* of the file and of its list */
	const char *built_in;
	const struct member *member;
	size_t members, size;
	struct facts facts;
} kinds[] = {
	{ "backends",
	  facts_backends,
	  backend_members,
	  COUNT(backend_members),
	  sizeof(struct backend_fact),
	  { 0 } },
	{ "models",
	  facts_models,
	  model_members,
	  COUNT(model_members),
	  sizeof(struct model_fact),
	  { 0 } },
};

static struct {
	const char *folder;
	void (*tell)(void *owner, const char *problem);
	void *owner;
} own;

static void facts_done(const struct kind *k, struct facts *f)
{
	for (size_t i = 0; i < f->count; i++) {
		for (size_t m = 0; m < k->members; m++) {
			if (k->member[m].type == TEXT)
				mem_free(*(
					char **)(void *)(f->item + i * k->size +
							 k->member[m].offset));
		}
	}
	mem_free(f->item);
	*f = (struct facts){ 0 };
}

/* The text that is read, for line numbers. */
struct source {
	const char *text;
	size_t len;
};

static int wrong(const struct source *s, const char *at, const char *what,
		 struct error *err)
{
	size_t line = 1;

	for (const char *p = s->text; p < at; p++)
		line += *p == '\n';
	return error_set(err, ERR_USAGE, "line %zu: %s", line, what);
}

static int read_value(const struct source *s, const struct member *m,
		      struct span value, char *item, struct error *err)
{
	void *place = item + m->offset;
	const bool yes = value.len == 4 && memcmp(value.text, "true", 4) == 0;
	const bool no = value.len == 5 && memcmp(value.text, "false", 5) == 0;
	CLEANUP(mem_free_ptr) char *what = NULL;

	if (m->type == TEXT && *value.text == '"') {
		*(char **)place = json_span_string(value);
		return 0;
	}
	if (m->type == FLAG && (yes || no)) {
		*(bool *)place = yes;
		return 0;
	}
	if (m->type == NUMBER && json_span_integer(value, place) == 0 &&
	    *(int64_t *)place >= 0)
		return 0;
	what = mem_printf("\"%s\" must be %s", m->name,
			  m->type == TEXT ? "a text" :
			  m->type == FLAG ? "true or false" :
					    "a whole number, 0 or more");
	return wrong(s, value.text, what, err);
}

static int read_entry(const struct kind *k, const struct source *s,
		      struct span entry, char *item, struct error *err)
{
	if (*entry.text != '{')
		return wrong(s, entry.text, "an object is expected", err);
	for (size_t i = 0; i < k->members; i++) {
		const struct member *m = &k->member[i];
		CLEANUP(mem_free_ptr) char *what = NULL;
		struct span value;

		if (json_span_member(entry, m->name, &value)) {
			if (read_value(s, m, value, item, err))
				return -1;
			continue;
		}
		if (m->type == TEXT)
			*(char **)(void *)(item + m->offset) = mem_strdup("");
		what = mem_printf("the entry has no \"%s\"", m->name);
		if (m->required)
			return wrong(s, entry.text, what, err);
	}
	return 0;
}

static int read_list(const struct kind *k, const struct source *s,
		     struct facts *out, struct error *err)
{
	const struct span whole = { s->text, s->len };
	struct span list, entry;
	size_t at = 0;
	CLEANUP(mem_free_ptr)
	char *what =
		mem_printf("an object with a list \"%s\" is expected", k->name);

	if (!json_span_member(whole, k->name, &list) || *list.text != '[')
		return wrong(s, s->text, what, err);
	while (json_span_next(list, &at, &entry)) {
		out->item = mem_grow(out->item, &out->capacity, out->count,
				     k->size);
		memset(out->item + out->count * k->size, 0, k->size);
		out->count++;
		if (read_entry(k, s, entry,
			       out->item + (out->count - 1) * k->size, err))
			return -1;
	}
	return 0;
}

static int read_text(const struct kind *k, const char *text, size_t len,
		     struct facts *out, struct error *err)
{
	const struct source s = { text, len };
	size_t at = 0;

	*out = (struct facts){ 0 };
	if (json_fault(text, len, &at))
		return wrong(&s, text + at, "no JSON from here on", err);
	if (read_list(k, &s, out, err) == 0)
		return 0;
	facts_done(k, out);
	return -1;
}

static void tell_problem(const char *path, const struct error *err)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("%s: %s; what is built in is used instead",
				path, err->text);

	if (own.tell)
		own.tell(own.owner, text);
}

/* 0: an own file was read. */
static int read_own(struct kind *k)
{
	CLEANUP(mem_free_ptr)
	char *path = own.folder ?
			     mem_printf("%s/%s.json", own.folder, k->name) :
			     NULL;
	CLEANUP(buf_done) struct buf text = { .max = FILE_MAX };
	CLEANUP(error_reset) struct error err = { 0 };

	if (!path || access(path, F_OK))
		return -1;
	if (file_read(&text, "file", path, &err) == 0 &&
	    read_text(k, buf_string(&text), text.len, &k->facts, &err) == 0)
		return 0;
	tell_problem(path, &err);
	return -1;
}

static const void *facts_of(struct kind *k, size_t *count)
{
	if (!k->facts.known && read_own(k))
		read_text(k, k->built_in, strlen(k->built_in), &k->facts, NULL);
	k->facts.known = true;
	*count = k->facts.count;
	return k->facts.item;
}

const struct backend_fact *backend_facts(size_t *count)
{
	return facts_of(&kinds[0], count);
}

const struct model_fact *model_facts(size_t *count)
{
	return facts_of(&kinds[1], count);
}

void facts_from(const char *folder,
		void (*tell)(void *owner, const char *problem), void *owner)
{
	own.folder = folder;
	own.tell = tell;
	own.owner = owner;
}

int facts_check(const char *kind, const char *text, size_t len,
		struct error *err)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct facts f;

		if (strcmp(kinds[i].name, kind) != 0)
			continue;
		if (read_text(&kinds[i], text, len, &f, err))
			return -1;
		facts_done(&kinds[i], &f);
		return 0;
	}
	return error_set(err, ERR_USAGE, "there is no file of '%s'", kind);
}

void facts_forget(void)
{
	for (size_t i = 0; i < COUNT(kinds); i++)
		facts_done(&kinds[i], &kinds[i].facts);
}
