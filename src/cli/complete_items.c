/* SPDX-License-Identifier: MIT */
/* Candidates: tools, arguments, values, resources, targets. */
#include "cli/complete_items.h"

#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/complete.h"
#include "cli/complete_words.h"
#include "cli/config.h"
#include "cli/target_text.h"
#include "mcp/arguments.h"
#include "mcp/name_set.h"
#include "mcp/schema.h"
#include "mcp/schema_describe.h"
#include "mcp/schema_look.h"
#include "mcp/tools.h"
#include "net/head.h"
#include "out/wrap.h"

static void complete_describe(const struct tool_schema *t, struct buf *out);

/*
 * Values of one argument, as a schema names them: const, enum, booleans, the
 * default. Only those that are read again as what they are.
 */

#define DEPTH_MAX 8
#define LOOKS_MAX 200

struct values {
	struct completing *c;
	const struct tool_schema *t;
	struct name_set seen;
	unsigned looks;
	bool named; /* the schema names all that fits: a description says no more */
};

/* schema: what the text is read by. */
static void add_value(struct values *v, const cJSON *schema, const cJSON *value,
		      const char *brief)
{
	const struct tool_schema *t = v->t;
	const struct offer offer = { .typed = v->c->question->word };
	CLEANUP(mem_free_ptr) char *word = NULL;

	if (cJSON_IsArray(value) || cJSON_IsObject(value))
		return;
	word = argument_word(t->root, schema, t->name, value);
	if (name_set_add(&v->seen, word, 0) == NAME_NONE)
		complete_add(v->c, &offer, word, brief);
}

static void add_named(struct values *v, const cJSON *schema, const cJSON *value,
		      const cJSON *usual)
{
	v->named = true;
	add_value(v, schema, value,
		  usual && json_equal(value, usual) ? "default" : "");
}

static void add_booleans(struct values *v, const cJSON *schema,
			 const cJSON *usual)
{
	for (int i = 1; i >= 0; i--) {
		CLEANUP(json_free_ptr) cJSON *value = cJSON_CreateBool(i);

		add_named(v, schema, value, usual);
	}
}

/* The default; the description says that it is, and what else would fit. */
static void add_usual(struct values *v, const cJSON *schema, const cJSON *usual)
{
	CLEANUP(buf_done) struct buf brief = { 0 };

	complete_describe(v->t, &brief);
	add_value(v, schema, usual, buf_string(&brief));
}

static void look(struct values *v, const cJSON *schema, int depth);

/* NOLINTNEXTLINE(misc-no-recursion): see look */
static void look_at_parts(struct values *v, const cJSON *schema, int depth)
{
	static const char *const keywords[] = { "anyOf", "oneOf", "allOf" };

	for (size_t i = 0; i < COUNT(keywords); i++) {
		const cJSON *part;

		cJSON_ArrayForEach(part, json_array(schema, keywords[i])) {
			look(v, part, depth + 1);
		}
	}
}

/* NOLINTNEXTLINE(misc-no-recursion): depth and looks are counted */
static void look(struct values *v, const cJSON *schema, int depth)
{
	const cJSON *usual = json_member(schema, "default");
	const cJSON *only, *choices, *choice, *items;

	if (depth > DEPTH_MAX || v->looks++ > LOOKS_MAX)
		return;
	schema = schema_resolve(v->t->root, schema);
	if (!usual)
		usual = json_member(schema, "default");
	only = json_member(schema, "const");
	choices = json_array(schema, "enum");
	if (only) {
		add_named(v, schema, only, usual);
	} else if (choices) {
		cJSON_ArrayForEach(choice, choices) {
			add_named(v, schema, choice, usual);
		}
	} else if (schema_types(v->t->root, schema) == SCHEMA_BOOLEAN) {
		add_booleans(v, schema, usual);
	} else if (schema_types(v->t->root, schema) == SCHEMA_ARRAY) {
		items = schema_items(v->t->root, schema);
		if (items)
			look(v, items, depth + 1);
	} else {
		look_at_parts(v, schema, depth);
	}
	if (usual && !only && !choices)
		add_usual(v, schema, usual);
}

/* The ends of a range, unless they begin alike: fish would insert that much. */
static void keep_range(struct completion *out, const struct tool_schema *t)
{
	const cJSON *end[2];

	if (!argument_range(t->root, t->property, end))
		return;
	for (size_t i = 0; i < COUNT(end); i++) {
		CLEANUP(buf_done) struct buf word = { 0 };

		json_print(&word, end[i]);
		out->end[i] = mem_printf("%s=%s", t->name, buf_string(&word));
	}
	size_t at = strlen(t->name) + 1;
	if (out->end[0][at] == out->end[1][at])
		mem_free(TAKE(out->end[1]));
}

/* A range cannot be inserted. */
static void show_what_fits(struct completing *c, const struct tool_schema *t)
{
	CLEANUP(buf_done) struct buf usage = { 0 };
	CLEANUP(buf_done) struct buf brief = { 0 };
	const struct offer offer = { .open = true };

	argument_usage(t->root, t->property, t->name, &usage);
	complete_describe(t, &brief);
	keep_range(c->out, t);
	c->out->show_only = true;
	c->out->show_only =
		complete_add(c, &offer, buf_string(&usage), buf_string(&brief));
}

/* Behind "NAME=": values, else what fits, to be shown only. */
static void complete_argument_value(struct completing *c,
				    const struct tool_schema *t)
{
	struct values v = { .c = c, .t = t };

	look(&v, t->property, 0);
	name_set_done(&v.seen);
	if (c->out->count == 0 && !v.named)
		show_what_fits(c, t);
}

/*
 * Names of tools: those that share a part up to the next dot are shown as that
 * part, until only one is left of them.
 */

/* The tools that share what stands up to the next dot. They come one after the other. */
struct group {
	struct completing *c;
	const char *typed;
	char *first, *brief;
	size_t part; /* bytes of first up to and with that dot; 0: it has none */
	size_t count;
	bool bare; /* only those that command_is_tool */
};

static void flush(struct group *g)
{
	struct offer offer = { .open = g->count > 1 };
	CLEANUP(mem_free_ptr) char *many = NULL;

	if (g->count > 1) {
		many = mem_printf("%zu tools", g->count);
		g->first[g->part] = '\0';
	}
	if (g->count > 0)
		complete_add(g->c, &offer, g->first, many ? many : g->brief);
	mem_free(TAKE(g->first));
	mem_free(TAKE(g->brief));
	g->count = 0;
}

static void take_tool(void *owner, const char *name, const char *brief)
{
	struct group *g = owner;
	const char *dot;

	if (!text_starts(name, g->typed) || !complete_is_safe(name) ||
	    (g->bare && (!command_is_tool(name) || command_find(name))) ||
	    (g->count > 0 && strcmp(g->first, name) == 0))
		return;
	if (g->count > 0 && g->part > 0 &&
	    strncmp(g->first, name, g->part) == 0) {
		g->count++;
		return;
	}
	flush(g);
	dot = strchr(name + strlen(g->typed), '.');
	g->first = mem_strdup(name);
	g->brief = mem_strdup(brief);
	g->part = dot ? (size_t)(dot - name) + 1 : 0;
	g->count = 1;
}

/* As it was given: without it the command would list another's. */
static void add_peer(struct buf *out, const struct position *p)
{
	if (p->peer.target) {
		target_words(out, p->peer.target, p->config);
	} else if (p->peer.device) {
		buf_text(out, "-d ");
		words_quote(out, p->peer.device);
		buf_char(out, ' ');
	}
}

/*
 * "no list yet: run mcpctl -t NAME tools", for that list ("tools"): with the
 * peer that the words name. Unless there is a candidate or a note.
 */
static void complete_note_list(struct completing *c, const char *list)
{
	CLEANUP(buf_done) struct buf peer = { 0 };
	bool inside = c->question->inside;

	if (c->out->count > 0 || c->out->note)
		return;
	if (!inside)
		add_peer(&peer, c->position);
	if (!complete_is_safe(buf_string(&peer)))
		buf_reset(&peer);
	c->out->note =
		mem_printf("no list yet: run %s%s%s", inside ? "" : "mcpctl ",
			   buf_string(&peer), list);
}

static void complete_note_unknown(struct completing *c)
{
	const struct schema_source *s = c->source;

	if (!s->known(s->owner))
		complete_note_list(c, "tools");
}

void complete_bare_tools(struct completing *c)
{
	const struct schema_source *s = c->source;
	struct group g = { .c = c, .typed = c->question->word, .bare = true };

	s->tools(s->owner, g.typed, take_tool, &g);
	flush(&g);
	if (command_is_tool(g.typed))
		complete_note_unknown(c);
}

/* ---- the last part of a name instead of all of it ---- */

#define ENDINGS_MAX 64

struct endings {
	const char *typed;
	bool begun; /* the last part begins so; else the name ends so */
	struct words names;
};

static void take_ending(void *owner, const char *name, const char *brief)
{
	struct endings *e = owner;
	const char *dot = strrchr(name, '.');

	(void)brief;
	if (e->begun ? dot && text_starts(dot + 1, e->typed) :
		       tool_name_ends(name, e->typed))
		words_add(&e->names, name);
}

/* Those tools, to be judged (tool_list_meant); none if there are too many. */
static void find_endings(const struct schema_source *s, const char *typed,
			 bool begun, struct tool_list *out)
{
	struct endings e = { .typed = typed, .begun = begun };

	s->tools(s->owner, "", take_ending, &e);
	for (size_t i = 0; i < e.names.count && e.names.count < ENDINGS_MAX;
	     i++) {
		CLEANUP(buf_done) struct buf json = { 0 };

		if (s->tool(s->owner, e.names.word[i], &json))
			tool_list_add_text(out, buf_string(&json), json.len,
					   NULL);
	}
	words_done(&e.names);
}

static void complete_endings(struct completing *c, const char *typed,
			     bool reads)
{
	int (*of_list)(const struct tool_list *l, const char *word,
		       const struct tool **out, struct error *err) =
		reads ? tool_list_named : tool_list_meant;
	CLEANUP(tool_list_done) struct tool_list few = { 0 };
	const struct offer offer = { .typed = typed };

	find_endings(c->source, typed, true, &few);
	for (size_t i = 0; i < few.count; i++) {
		const char *name = few.tool[i].name;
		const char *last = strrchr(name, '.') + 1;
		const struct tool *meant;

		if (of_list(&few, last, &meant, NULL) == 0 && meant &&
		    strcmp(meant->name, name) == 0)
			complete_add(c, &offer, last, name);
	}
}

/* The JSON of the tool that word means; false: there is none. */
static bool find_meant(const struct schema_source *s, const char *word,
		       struct buf *json)
{
	CLEANUP(tool_list_done) struct tool_list few = { 0 };
	const struct tool *meant;

	if (s->tool(s->owner, word, json))
		return true;
	find_endings(s, word, false, &few);
	return tool_list_meant(&few, word, &meant, NULL) == 0 && meant &&
	       s->tool(s->owner, meant->name, json);
}

void complete_tools(struct completing *c, const char *typed, bool reads)
{
	const struct schema_source *s = c->source;
	struct group g = { .c = c, .typed = typed };

	s->tools(s->owner, typed, take_tool, &g);
	flush(&g);
	if (c->out->count == 0 && *typed)
		complete_endings(c, typed, reads);
	complete_note_unknown(c);
}

/*
 * Names of a tool's arguments that are not given yet, the required ones first.
 */

#define NAMES_MAX 512

/* "integer 0..100, required: the volume", appended. */
static void complete_describe(const struct tool_schema *t, struct buf *out)
{
	const cJSON *resolved = schema_resolve(t->root, t->property);
	const char *text = json_string(t->property, "description");
	const char *start;
	size_t len;

	schema_describe_in(t->root, t->property, out);
	if (schema_requires(t->root, t->root, t->name))
		buf_text(out, ", required");
	if (!text)
		text = json_string(resolved, "description");
	len = text ? wrap_first(text, &start) : 0;
	if (len == 0)
		return;
	buf_text(out, ": ");
	buf_add(out, start, len);
}

/* NAME of NAME=VALUE and NAME:=JSON; NULL: it is neither. Yours. */
static char *name_of(const char *word)
{
	const char *equals = strchr(word, '=');
	size_t len = equals ? (size_t)(equals - word) : 0;

	if (len == 0)
		return NULL;
	if (len > 1 && word[len - 1] == ':')
		len--;
	return mem_strndup(word, len);
}

static void add_name(struct completing *c, const struct tool_schema *t)
{
	const char *typed = c->question->word;
	CLEANUP(buf_done) struct buf brief = { 0 };
	CLEANUP(buf_done) struct buf shown = { 0 };
	CLEANUP(mem_free_ptr) char *word = NULL;

	if (!argument_name_is_plain(t->name) || !text_starts(t->name, typed))
		return;
	argument_usage(t->root, t->property, t->name, &shown);
	complete_describe(t, &brief);
	word = mem_printf("%s%s", t->name,
			  argument_needs_json(t->root, t->property) ? ":=" :
								      "=");
	const struct offer offer = { .typed = typed,
				     .shown = buf_string(&shown),
				     .open = true };

	complete_add(c, &offer, word, buf_string(&brief));
}

static void add_names(struct completing *c, const cJSON *root,
		      const struct name_set *given)
{
	const char *name[NAMES_MAX];
	size_t count = schema_property_names(root, root, name, NAMES_MAX);

	for (int required = 1; required >= 0; required--) {
		for (size_t i = 0; i < count; i++) {
			struct tool_schema t = { .root = root,
						 .name = name[i] };

			if (name_set_find(given, name[i]) != NAME_NONE ||
			    schema_requires(root, root, name[i]) != required)
				continue;
			t.property = schema_property(root, root, name[i]);
			add_name(c, &t);
		}
	}
}

static void add_values(struct completing *c, const cJSON *root, size_t name)
{
	CLEANUP(mem_free_ptr) char *text = mem_strndup(c->question->word, name);
	const struct tool_schema t = { .root = root,
				       .name = text,
				       .property = schema_property(root, root,
								   text) };

	if (t.property)
		complete_argument_value(c, &t);
}

/* What needs no schema; true: that was all. */
static bool complete_plainly(struct completing *c, size_t count)
{
	const char *word = c->question->word;
	const char *equals = strchr(word, '=');

	if (*word == '@' && count == 0) {
		complete_files(c, "@", 1);
		return true;
	}
	if (arguments_are_whole(word) || word == equals)
		return true;
	if (!equals)
		return false;
	if (equals[-1] == ':' && equals - word > 1)
		return true;
	if (equals[1] != '@')
		return false;
	complete_files(c, word, (size_t)(equals - word) + 2);
	return true;
}

static void complete_known(struct completing *c, const cJSON *tree,
			   char *const *words, size_t count)
{
	const cJSON *root = json_object(tree, "inputSchema");
	const char *equals = strchr(c->question->word, '=');
	struct name_set given = { 0 };

	if (!root)
		return;
	if (equals) {
		add_values(c, root, (size_t)(equals - c->question->word));
		return;
	}
	for (size_t i = 0; i < count; i++) {
		CLEANUP(mem_free_ptr) char *name = name_of(words[i]);

		if (name)
			name_set_add(&given, name, i);
	}
	add_names(c, root, &given);
	name_set_done(&given);
}

/* False: there is no more to say. */
static bool may_go_on(struct completing *c, char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (arguments_are_whole(words[i]))
			return false;
	}
	return !complete_plainly(c, count);
}

void complete_arguments(struct completing *c, const char *tool,
			char *const *words, size_t count)
{
	const struct schema_source *s = c->source;
	CLEANUP(json_free_ptr) cJSON *tree = NULL;
	CLEANUP(buf_done) struct buf json = { 0 };

	if (!may_go_on(c, words, count))
		return;
	if (!find_meant(s, tool, &json)) {
		complete_note_unknown(c);
		return;
	}
	tree = json_parse(buf_string(&json), json.len, NULL);
	complete_known(c, tree, words, count);
}

/* The same of a prompt or a template: words[0] is its key. */
static void complete_item_arguments(struct completing *c, enum list_kind kind,
				    char *const *words, size_t count)
{
	const struct schema_source *s = c->source;
	CLEANUP(json_free_ptr) cJSON *tree = NULL;
	CLEANUP(buf_done) struct buf json = { 0 };

	if (!may_go_on(c, words + 1, count - 1) || !s->item ||
	    !s->item(s->owner, kind, words[0], &json))
		return;
	tree = json_parse(buf_string(&json), json.len, NULL);
	complete_known(c, tree, words + 1, count - 1);
}

/*
 * Resources, templates and prompts as they were listed last. Nothing is asked:
 * the values that a server proposes are the command `complete`'s.
 */

static void add_item(void *owner, const char *key, const char *brief)
{
	struct completing *c = owner;
	const struct offer offer = { .typed = c->question->word };

	complete_add(c, &offer, key, brief);
}

static void list_items(struct completing *c, enum list_kind kind)
{
	const struct schema_source *s = c->source;
	CLEANUP(mem_free_ptr) char *list = NULL;

	if (s->items &&
	    s->items(s->owner, kind, c->question->word, add_item, c))
		return;
	list = mem_printf("%ss", list_noun(kind));
	complete_note_list(c, list);
}

/* "city=", of words[0]: a template has parts in braces. */
static void list_arguments(struct completing *c)
{
	const struct words *operands = &c->position->operands;
	bool template = strchr(operands->word[0], '{') != NULL;

	complete_item_arguments(c, template ? LIST_TEMPLATES : LIST_PROMPTS,
				operands->word, operands->count);
}

void complete_items(struct completing *c, enum operand_kind operand)
{
	bool call = operand == OPERAND_PROMPT_CALL ||
		    operand == OPERAND_COMPLETABLE;

	if (call && c->position->operands.count > 0) {
		list_arguments(c);
		return;
	}
	if (operand == OPERAND_RESOURCE)
		list_items(c, LIST_RESOURCES);
	if (operand == OPERAND_PROMPT || call)
		list_items(c, LIST_PROMPTS);
	if (operand == OPERAND_TEMPLATE || operand == OPERAND_COMPLETABLE)
		list_items(c, LIST_TEMPLATES);
}

/*
 * Values of options, targets and devices, and words from
 * tables.
 */

/* ---- words of a table ---- */

const char *complete_sifted(const struct completing *c, const char *typed)
{
	return c->question->unsifted ? NULL : typed;
}

struct adding {
	struct completing *c;
	struct offer offer;
};

static void add_word(void *owner, const char *word, const char *brief)
{
	struct adding *a = owner;

	complete_add(a->c, &a->offer, word, brief);
}

void complete_source(struct completing *c, enum source_kind kind,
		     const struct offer *offer)
{
	struct adding a = { c, *offer };
	const char *before = offer->before ? offer->before : "";

	a.offer.typed = complete_sifted(c, offer->typed);
	a.offer.kind = kind;
	source_each_word(kind, add_word, &a);
	if (kind == SOURCE_FILES || kind == SOURCE_PROFILES)
		complete_files(c, before, strlen(before));
	if (kind == SOURCE_PROFILES)
		c->out->files_like = "*.json";
}

static void add_choices(struct completing *c, const char *choices,
			struct offer *offer)
{
	offer->typed = complete_sifted(c, offer->typed);
	offer->kind = SOURCE_CHOICES;
	while (*choices) {
		size_t len = strcspn(choices, " ");
		CLEANUP(mem_free_ptr) char *word = mem_strndup(choices, len);

		complete_add(c, offer, word, "");
		choices += len;
		choices += strspn(choices, " ");
	}
}

/* ---- targets and devices ---- */

/* An address follows, or may follow: "listen:", "ws://". */
static void add_target(void *owner, const char *word, const char *brief)
{
	struct adding *a = owner;
	size_t len = strlen(word);

	a->offer.open = len > 0 && strchr(":/", word[len - 1]);
	complete_add(a->c, &a->offer, word, brief);
}

/* "sim:./robot.json", "attach:/run/x.sock". */
static void add_target_files(struct completing *c, const struct offer *offer)
{
	static const char *const prefixes[] = { "sim:", "attach:" };

	for (size_t i = 0; i < COUNT(prefixes); i++) {
		const char *typed = offer->typed ? offer->typed : "";
		size_t len = strlen(prefixes[i]);

		if (!text_starts(typed, prefixes[i]) ||
		    !strchr("./~", typed[len]) || !typed[len])
			continue;
		CLEANUP(mem_free_ptr)
		char *keep =
			mem_printf("%s%s", offer->before ? offer->before : "",
				   prefixes[i]);
		complete_files(c, keep, strlen(keep));
	}
}

void complete_targets(struct completing *c, const struct offer *offer)
{
	struct adding a = { c, *offer };

	a.offer.typed = complete_sifted(c, offer->typed);
	source_each_word(SOURCE_TARGETS, add_target, &a);
	add_target_files(c, offer);
}

static void add_named_value(void *owner, const struct named_entry *e)
{
	struct adding *a = owner;

	if (e->name && !e->hidden && named_can_be_given(e->name))
		complete_add(a->c, &a->offer, e->name,
			     e->problem ? e->problem : e->peer);
}

/* Names of configuration files, for -t. */
void complete_named(struct completing *c, const struct offer *offer)
{
	struct adding a = { c, *offer };

	named_targets(&c->position->search, add_named_value, &a);
}

/* Found without case, and taken so: what is typed of it stays as it is. */
static void add_device(void *owner, const char *word, const char *brief)
{
	struct adding *a = owner;
	const char *typed = a->offer.typed ? a->offer.typed : "";
	size_t len = strlen(typed);
	CLEANUP(mem_free_ptr) char *whole = NULL;

	if (strncasecmp(word, typed, len) != 0)
		return;
	whole = mem_printf("%s%s", typed, word + len);
	complete_add(a->c, &a->offer, whole, brief);
}

void complete_devices(struct completing *c, const struct offer *offer)
{
	const struct schema_source *s = c->source;
	struct adding a = { c, *offer };

	s->devices(s->owner, offer->typed ? offer->typed : "", add_device, &a);
	complete_sort(c);
}

void complete_held(struct completing *c, const struct offer *offer)
{
	const struct schema_source *s = c->source;
	struct adding a = { c, *offer };

	s->held(s->owner, offer->typed ? offer->typed : "", add_word, &a);
	complete_sort(c);
}

/* ---- values ---- */

/* Only the last of "3:late-reply,no-reply" is completed. */
static void complete_faults(struct completing *c, const char *before,
			    const char *typed)
{
	const char *last = typed + strlen(typed);

	while (last > typed && !strchr(":,", last[-1]))
		last--;
	CLEANUP(mem_free_ptr)
	char *head = mem_printf("%s%.*s", before, (int)(last - typed), typed);
	const struct offer offer = { .before = head, .typed = last };

	complete_source(c, SOURCE_FAULTS, &offer);
}

/* "junit:FILE", "tap:FILE". */
static void complete_report(struct completing *c, const char *before,
			    const char *typed)
{
	const char *colon = strchr(typed, ':');
	const struct offer offer = { .before = before,
				     .typed = typed,
				     .open = true };
	CLEANUP(buf_done) struct buf keep = { 0 };

	if (!colon) {
		complete_add(c, &offer, "junit:", "");
		complete_add(c, &offer, "tap:", "");
		return;
	}
	buf_printf(&keep, "%s%.*s", before, (int)(colon - typed) + 1, typed);
	complete_files(c, buf_string(&keep), keep.len);
}

/* "ask", "decline", …; "@FILE". */
static void complete_answers(struct completing *c, const char *before,
			     const char *typed, bool sampling)
{
	static const char *const words[] = { "accept-defaults", "ask", "cancel",
					     "decline", "none" };
	struct offer offer = { .before = before, .typed = typed };

	if (*typed == '@') {
		CLEANUP(mem_free_ptr) char *keep = mem_printf("%s@", before);

		complete_files(c, keep, strlen(keep));
		return;
	}
	for (size_t i = 0; !sampling && i < COUNT(words); i++)
		complete_add(c, &offer, words[i], "");
	if (sampling)
		complete_add(c, &offer, "decline", "");
	offer.open = true;
	complete_add(c, &offer, "@", "what is answered, from a file");
	if (sampling)
		complete_add(c, &offer, "exec:", "ask this command");
}

/* Those that need more than a table; true: done. */
static bool complete_by_name(struct completing *c, const struct option_row *row,
			     const char *before, const char *typed)
{
	const struct offer offer = { .before = before, .typed = typed };

	if (strcmp(row->name, "device") == 0) {
		complete_devices(c, &offer);
	} else if (strcmp(row->name, "target") == 0) {
		complete_named(c, &offer);
		complete_targets(c, &offer);
	} else if (strcmp(row->name, "elicit") == 0 ||
		   strcmp(row->name, "sampling") == 0) {
		complete_answers(c, before, typed, *row->name == 's');
	} else if (strcmp(row->name, "fault") == 0) {
		complete_faults(c, before, typed);
	} else if (strcmp(row->name, "report") == 0) {
		complete_report(c, before, typed);
	} else if (strcmp(row->name, "expect") == 0 && *typed == '@') {
		CLEANUP(mem_free_ptr) char *keep = mem_printf("%s@", before);

		complete_files(c, keep, strlen(keep));
	} else {
		return false;
	}
	return true;
}

void complete_value(struct completing *c, const struct option_row *row,
		    const char *before, const char *typed)
{
	struct offer offer = { .before = before, .typed = typed };

	if (option_is_flag(row))
		return;
	c->out->wanted = row->word;
	c->out->about = row->brief;
	if (row->choices)
		add_choices(c, row->choices, &offer);
	else if (!complete_by_name(c, row, before, typed))
		complete_source(c, source_of_option(row), &offer);
	if (!c->out->before && *before)
		c->out->before = mem_strdup(before);
}

/*
 * A line of the shell: its own words, which it told, commands that make sense
 * on a session, and tools as commands.
 */

const struct inside_word *complete_inside_words;
const char *const *complete_inside_settings;

const struct inside_word *inside_find(const char *name)
{
	const struct inside_word *w = complete_inside_words;

	for (; w && w->name; w++) {
		if (strcmp(w->name, name) == 0)
			return w;
	}
	return NULL;
}

bool inside_allows(const struct command *c)
{
	return (c->flags & (CMD_SHELL | CMD_HIDDEN)) == CMD_SHELL;
}

/* ---- the first word ---- */

static void add_words(struct completing *c, const struct offer *offer)
{
	const struct inside_word *w = complete_inside_words;

	for (; w && w->name; w++)
		complete_add(c, offer, w->name, w->brief);
}

void complete_inside_first(struct completing *c)
{
	const struct offer offer = { .typed = c->question->word };

	add_words(c, &offer);
	for (const struct command *const *p = commands; *p; p++) {
		if (inside_allows(*p) && !inside_find((*p)->name))
			complete_add(c, &offer, (*p)->name, (*p)->brief);
	}
	complete_bare_tools(c);
}

/* ---- behind the shell's own words ---- */

static void complete_setting(struct completing *c)
{
	const struct words *operands = &c->position->operands;
	const struct offer offer = { .typed = c->question->word };
	const char *const *name = complete_inside_settings;
	const struct option_row *row;

	if (operands->count == 1) {
		row = config_setting(operands->word[0]);
		if (row && option_is_flag(row)) {
			complete_add(c, &offer, "on", row->brief);
			complete_add(c, &offer, "off", "");
		} else if (row) {
			complete_value(c, row, "", c->question->word);
		}
	}
	for (; operands->count == 0 && name && *name; name++) {
		row = config_setting(*name);
		complete_add(c, &offer, *name, row ? row->brief : "");
	}
}

static void complete_form(struct completing *c)
{
	const struct words *operands = &c->position->operands;
	const struct offer offer = { .typed = c->question->word };

	if (operands->count > 1 ||
	    (operands->count == 1 && strcmp(operands->word[0], "-o") != 0))
		return;
	if (operands->count == 0 && c->question->word[0] == '-')
		complete_add(c, &offer, "-o", config_setting("output")->brief);
	else
		complete_value(c, config_setting("output"), "",
			       c->question->word);
}

static void complete_help(struct completing *c, const struct offer *offer)
{
	add_words(c, offer);
	complete_source(c, SOURCE_HELP, offer);
	complete_sort(c);
	complete_tools(c, offer->typed, true);
}

void complete_inside_operand(struct completing *c)
{
	const struct offer offer = { .typed = c->question->word };
	size_t index = c->position->operands.count;

	switch (c->position->inside->operand) {
	case INSIDE_NONE:
		break;
	case INSIDE_SETTING:
		complete_setting(c);
		break;
	case INSIDE_FORM:
		complete_form(c);
		break;
	case INSIDE_PEER:
		if (index > 0)
			break;
		complete_devices(c, &offer);
		complete_named(c, &offer);
		complete_targets(c, &offer);
		break;
	case INSIDE_FILE:
		/* Behind an option too: run -k FILE. */
		if (index == 0 ||
		    c->position->operands.word[index - 1][0] == '-')
			complete_files(c, "", 0);
		break;
	case INSIDE_HELP:
		if (index == 0)
			complete_help(c, &offer);
		break;
	}
}
