/* SPDX-License-Identifier: MIT */
/* A kind of file is a table of members; one reader for all of them. */
#include "diag/facts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_scan.h"
#include "base/mem.h"
#include "base/text.h"
#include "mcp/tool_effect.h"

#define FILE_MAX (1u << 20)

/* The files as they are, each with a NUL; make runs where their paths begin. */
#define FILE_OF(name)                                                 \
	__asm__(".section .rodata\nfacts_" #name ":\n"                \
		".incbin \"src/diag/data/" #name ".json\"\n.byte 0\n" \
		".previous");                                         \
	extern __attribute__((visibility("hidden"))) const char facts_##name[]
FILE_OF(backends);
FILE_OF(models);
FILE_OF(firmware);
FILE_OF(libraries);
FILE_OF(hosts);

enum member_type { TEXT, FLAG, NUMBER };
struct fact_member {
	const char *name;
	size_t offset;
	enum member_type type;
	bool required;
};

#define IN(type, name) offsetof(struct type, name)
static const struct fact_member backend_members[] = {
	{ "id", IN(backend_fact, id), TEXT, true },
	{ "name", IN(backend_fact, name), TEXT, true },
	{ "source", IN(backend_fact, source), TEXT, true },
	{ "read", IN(backend_fact, read), TEXT, true },
	{ "mqtt", IN(backend_fact, mqtt), FLAG, false },
	{ "websocket", IN(backend_fact, websocket), FLAG, false },
	{ "max_tools", IN(backend_fact, max_tools), NUMBER, false },
	{ "first_page", IN(backend_fact, first_page), FLAG, false },
	{ "names", IN(backend_fact, names), TEXT, false },
	{ "call_ms", IN(backend_fact, call_ms), NUMBER, false },
	{ "api_ms", IN(backend_fact, api_ms), NUMBER, false },
	{ "max_message", IN(backend_fact, max_message), NUMBER, false },
	{ "loses_error_text", IN(backend_fact, loses_error_text), FLAG, false },
	{ "error_phrase", IN(backend_fact, error_phrase), TEXT, false },
	{ "needs_is_error", IN(backend_fact, needs_is_error), FLAG, false },
	{ "client", IN(backend_fact, client), TEXT, false },
	{ "first_id", IN(backend_fact, first_id), TEXT, false },
	{ "session_key", IN(backend_fact, session_key), TEXT, false },
};
static const struct fact_member model_members[] = {
	{ "id", IN(model_fact, id), TEXT, true },
	{ "name", IN(model_fact, name), TEXT, true },
	{ "source", IN(model_fact, source), TEXT, true },
	{ "read", IN(model_fact, read), TEXT, true },
	{ "name_max", IN(model_fact, name_max), NUMBER, false },
	{ "name_marks", IN(model_fact, name_marks), TEXT, false },
	{ "letter_first", IN(model_fact, letter_first), FLAG, false },
	{ "max_tools", IN(model_fact, max_tools), NUMBER, false },
	{ "array_items", IN(model_fact, array_items), FLAG, false },
	{ "known_required", IN(model_fact, known_required), FLAG, false },
	{ "one_type", IN(model_fact, one_type), FLAG, false },
};
static const struct fact_member firmware_members[] = {
	{ "id", IN(firmware_fact, id), TEXT, true },
	{ "name", IN(firmware_fact, name), TEXT, true },
	{ "source", IN(firmware_fact, source), TEXT, true },
	{ "read", IN(firmware_fact, read), TEXT, true },
	{ "page_bytes", IN(firmware_fact, page_bytes), NUMBER, false },
	{ "tool_bytes", IN(firmware_fact, tool_bytes), NUMBER, false },
	{ "message_bytes", IN(firmware_fact, message_bytes), NUMBER, false },
	{ "user_tools", IN(firmware_fact, user_tools), FLAG, false },
	{ "strict_hello", IN(firmware_fact, strict_hello), FLAG, false },
	{ "error_codes", IN(firmware_fact, error_codes), FLAG, false },
	{ "local_bytes", IN(firmware_fact, local_bytes), NUMBER, false },
	{ "answer_passes", IN(firmware_fact, answer_passes), NUMBER, false },
	{ "answer_hangs", IN(firmware_fact, answer_hangs), NUMBER, false },
	{ "store_name", IN(firmware_fact, store_name), NUMBER, false },
	{ "store_value", IN(firmware_fact, store_value), NUMBER, false },
	{ "threads", IN(firmware_fact, threads), TEXT, false },
	{ "range_restarts", IN(firmware_fact, range_restarts), FLAG, false },
};

static const struct fact_member library_members[] = {
	{ "id", IN(library_fact, id), TEXT, true },
	{ "name", IN(library_fact, name), TEXT, true },
	{ "source", IN(library_fact, source), TEXT, true },
	{ "read", IN(library_fact, read), TEXT, true },
	{ "board_type", IN(library_fact, board_type), TEXT, true },
	{ "agent_is_chip", IN(library_fact, agent_is_chip), FLAG, false },
	{ "odd_mqtt", IN(library_fact, odd_mqtt), FLAG, false },
	{ "mqtt_why", IN(library_fact, mqtt_why), TEXT, false },
};

static const struct fact_member host_members[] = {
	{ "id", IN(host_fact, id), TEXT, true },
	{ "name", IN(host_fact, name), TEXT, true },
	{ "source", IN(host_fact, source), TEXT, true },
	{ "read", IN(host_fact, read), TEXT, true },
	{ "name_max", IN(host_fact, name_max), NUMBER, false },
	{ "name_adds", IN(host_fact, name_adds), NUMBER, false },
	{ "name_server", IN(host_fact, name_server), FLAG, false },
	{ "name_marks", IN(host_fact, name_marks), TEXT, false },
	{ "cuts_names", IN(host_fact, cuts_names), FLAG, false },
	{ "max_tools", IN(host_fact, max_tools), NUMBER, false },
	{ "all_or_none", IN(host_fact, all_or_none), FLAG, false },
	{ "array_items", IN(host_fact, array_items), FLAG, false },
	{ "plain_root", IN(host_fact, plain_root), FLAG, false },
	{ "plain_keys", IN(host_fact, plain_keys), FLAG, false },
	{ "client", IN(host_fact, client), TEXT, false },
	{ "reads_json", IN(host_fact, reads_json), FLAG, false },
};

#define MEMBERS_MAX 18
static_assert(COUNT(backend_members) <= MEMBERS_MAX &&
		      COUNT(model_members) <= MEMBERS_MAX &&
		      COUNT(firmware_members) <= MEMBERS_MAX &&
		      COUNT(library_members) <= MEMBERS_MAX &&
		      COUNT(host_members) <= MEMBERS_MAX,
	      "read_entry() has room for all of them");

/* What was read of a kind. */
struct fact_list {
	char *item;
	size_t count, capacity;
	bool known, own_asked;
};

#define KIND(list, one)                                                   \
	.name = #list, .built_in = facts_##list, .member = one##_members, \
	.members = COUNT(one##_members), .size = sizeof(struct one##_fact)
static struct fact_file {
	const char *name; /* of the file and of its list */
	const char *built_in;
	const struct fact_member *member;
	size_t members, size;
	struct fact_list facts;
} kinds[] = {
	{ KIND(backends, backend) },  { KIND(models, model) },
	{ KIND(firmware, firmware) }, { KIND(libraries, library) },
	{ KIND(hosts, host) },
};

static struct {
	const struct facts_ops *ops;
	void *owner;
} own;

static void facts_done(const struct fact_file *k, struct fact_list *f)
{
	for (size_t i = 0; i < f->count * k->members; i++) {
		const struct fact_member *m = &k->member[i % k->members];
		char *text;

		if (m->type != TEXT)
			continue;
		memcpy(&text, f->item + i / k->members * k->size + m->offset,
		       sizeof(text));
		mem_free(text);
	}
	mem_free(f->item);
	*f = (struct fact_list){ 0 };
}

/* The text that is read, for line numbers. */
struct fact_text {
	const char *text;
	size_t len;
};

static int wrong(const struct fact_text *s, const char *at, const char *what,
		 struct error *err)
{
	size_t line = 1;

	for (const char *p = s->text; p < at; p++)
		line += *p == '\n';
	return error_set(err, ERR_USAGE, "line %zu: %s", line, what);
}

static void set_text(char *item, const struct fact_member *m, char *text)
{
	memcpy(item + m->offset, &text, sizeof(text));
}

static int read_value(const struct fact_text *s, const struct fact_member *m,
		      struct span value, char *item, struct error *err)
{
	void *place = item + m->offset;
	const bool yes = json_span_literal(value, "true");
	const bool no = json_span_literal(value, "false");
	CLEANUP(mem_free_ptr) char *what = NULL;

	if (m->type == TEXT && *value.text == '"') {
		set_text(item, m, json_span_string(value));
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

static int read_entry(const struct fact_file *k, const struct fact_text *s,
		      struct span entry, char *item, struct error *err)
{
	struct span value[MEMBERS_MAX] = { 0 };
	const char *name[MEMBERS_MAX];

	if (*entry.text != '{')
		return wrong(s, entry.text, "an object is expected", err);
	for (size_t i = 0; i < k->members; i++)
		name[i] = k->member[i].name;
	json_span_members(entry, name, k->members, value);
	for (size_t i = 0; i < k->members; i++) {
		const struct fact_member *m = &k->member[i];
		CLEANUP(mem_free_ptr) char *what = NULL;

		if (value[i].text) {
			if (read_value(s, m, value[i], item, err))
				return -1;
			continue;
		}
		if (m->type == TEXT)
			set_text(item, m, mem_strdup(""));
		if (!m->required)
			continue;
		what = mem_printf("the entry has no \"%s\"", m->name);
		return wrong(s, entry.text, what, err);
	}
	return 0;
}

static int read_list(const struct fact_file *k, const struct fact_text *s,
		     struct fact_list *out, struct error *err)
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

static int read_text(const struct fact_file *k, const char *text, size_t len,
		     struct fact_list *out, struct error *err)
{
	const struct fact_text s = { text, len };
	size_t at = 0;

	*out = (struct fact_list){ 0 };
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

	own.ops->tell(own.owner, text);
}

/* 0: an own file was read. */
static int read_own(struct fact_file *k)
{
	CLEANUP(mem_free_ptr) char *name = mem_printf("%s.json", k->name);
	CLEANUP(mem_free_ptr)
	char *path = own.ops ? own.ops->path(own.owner, name) : NULL;
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

static void ask_own(struct fact_file *k)
{
	if (k->facts.known || k->facts.own_asked)
		return;
	k->facts.known = read_own(k) == 0;
	k->facts.own_asked = true;
}

/* tools.json, whose form and use are mcp's. Yours; NULL: there is none. */
static char *own_tools(void *owner)
{
	CLEANUP(mem_free_ptr)
	char *path = own.ops ? own.ops->path(own.owner, "tools.json") : NULL;
	struct buf text = { .max = FILE_MAX };
	CLEANUP(error_reset) struct error err = { 0 }, why = { 0 };
	struct fact_text s;
	size_t at;

	(void)owner;
	if (!path || access(path, F_OK))
		return NULL;
	if (file_read(&text, "file", path, &err) == 0) {
		s = (struct fact_text){ buf_string(&text), text.len };
		if (tool_effect_check(s.text, s.len, &at, &why) == 0)
			return buf_take(&text);
		wrong(&s, s.text + at, why.text, &err);
	}
	tell_problem(path, &err);
	buf_done(&text);
	return NULL;
}

void facts_read_own(void)
{
	tool_effect_read();
	for (size_t i = 0; i < COUNT(kinds); i++)
		ask_own(&kinds[i]);
}

static const void *facts_of(struct fact_file *k, size_t *count)
{
	ask_own(k);
	if (!k->facts.known)
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

const struct firmware_fact *firmware_facts(size_t *count)
{
	return facts_of(&kinds[2], count);
}

static const struct library_fact *library_facts(size_t *count)
{
	return facts_of(&kinds[3], count);
}

const struct host_fact *host_facts(size_t *count)
{
	return facts_of(&kinds[4], count);
}

const struct library_fact *library_asking(const struct ota_request *rq)
{
	size_t count;
	const struct library_fact *l = library_facts(&count);

	for (size_t i = 0; i < count; i++) {
		if (*l[i].board_type &&
		    strcmp(l[i].board_type, rq->board_type) == 0 &&
		    (!l[i].agent_is_chip ||
		     (*rq->chip && strcmp(rq->user_agent, rq->chip) == 0)))
			return &l[i];
	}
	return NULL;
}

/* The least that one of them has, of a member of firmware_fact; 0: none has. */
static size_t firmware_least(size_t member)
{
	size_t count;
	const char *f = (const char *)firmware_facts(&count);
	int64_t least = 0;

	for (size_t i = 0; i < count; i++, f += sizeof(struct firmware_fact)) {
		int64_t most;

		memcpy(&most, f + member, sizeof(most));
		if (most > 0 && (least == 0 || most < least))
			least = most;
	}
	return (size_t)least;
}

size_t firmware_tool_max(void)
{
	return firmware_least(IN(firmware_fact, tool_bytes));
}

size_t firmware_local_max(void)
{
	return firmware_least(IN(firmware_fact, local_bytes));
}

size_t firmware_message_max(void)
{
	return firmware_least(IN(firmware_fact, message_bytes));
}

size_t firmware_answer_max(void)
{
	return firmware_least(IN(firmware_fact, answer_passes));
}

size_t firmware_answer_hangs(void)
{
	return firmware_least(IN(firmware_fact, answer_hangs));
}

size_t firmware_name_max(void)
{
	return firmware_least(IN(firmware_fact, store_name));
}

size_t firmware_value_max(void)
{
	return firmware_least(IN(firmware_fact, store_value));
}

/* One of the patterns, which have blanks between them. */
static bool has_pattern(const char *patterns, const char *version)
{
	while (*patterns) {
		size_t len = strcspn(patterns, " ");
		CLEANUP(mem_free_ptr) char *one = mem_strndup(patterns, len);

		if (len > 0 && text_glob(one, version))
			return true;
		patterns += len + (patterns[len] == ' ');
	}
	return false;
}

bool firmware_has_threads(const char *version)
{
	size_t count;
	const struct firmware_fact *f = firmware_facts(&count);

	for (size_t i = 0; version && i < count; i++) {
		if (has_pattern(f[i].threads, version))
			return true;
	}
	return false;
}

size_t backend_message_max(const struct backend_fact **out)
{
	size_t count;
	const struct backend_fact *b = backend_facts(&count);

	*out = NULL;
	for (size_t i = 0; i < count; i++) {
		if (b[i].max_message > 0 &&
		    (!*out || b[i].max_message < (*out)->max_message))
			*out = &b[i];
	}
	return *out ? (size_t)(*out)->max_message : 0;
}

int64_t backend_wait(const struct backend_fact **out)
{
	size_t count;
	const struct backend_fact *b = backend_facts(&count);

	*out = NULL;
	for (size_t i = 0; i < count; i++) {
		if (b[i].call_ms > 0 &&
		    (!*out || b[i].call_ms < (*out)->call_ms))
			*out = &b[i];
	}
	return *out ? (*out)->call_ms : 0;
}

void facts_from(const struct facts_ops *ops, void *owner)
{
	own.ops = ops;
	own.owner = owner;
	tool_effect_from(own_tools, NULL);
}

int facts_check(const char *kind, const char *text, size_t len,
		struct error *err)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct fact_list f;

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
