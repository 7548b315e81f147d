/* SPDX-License-Identifier: MIT */
/*
 * The words behind `call TOOL`, gathered by name and made one JSON object.
 * What a single text means is argument_value.c's, what the schema says to the
 * whole is arguments_check.c's.
 */
#include "mcp/arguments.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "mcp/argument_value.h"
#include "mcp/arguments_check.h"
#include "mcp/schema_look.h"

/* What stands behind NAME= or NAME:= in one word. Lent. */
struct given {
	const char *text;
	bool is_json;
};

struct argument {
	char *name;
	struct given *given; /* in the order of the words */
	size_t count, capacity;
};

struct gathering {
	const struct arguments_options *options;
	struct argument *argument;
	size_t count, capacity;
	struct name_set names;
};

static void gathering_done(struct gathering *g)
{
	for (size_t i = 0; i < g->count; i++) {
		mem_free(g->argument[i].name);
		mem_free(g->argument[i].given);
	}
	mem_free(g->argument);
	name_set_done(&g->names);
}

static void gather(struct gathering *g, char *name, struct given given)
{
	size_t at = name_set_add(&g->names, name, g->count);
	struct argument *a;

	if (at == NAME_NONE) {
		g->argument = mem_grow(g->argument, &g->capacity, g->count,
				       sizeof(*g->argument));
		at = g->count++;
		g->argument[at] = (struct argument){ .name = mem_strdup(name) };
	}
	a = &g->argument[at];
	a->given =
		mem_grow(a->given, &a->capacity, a->count, sizeof(*a->given));
	a->given[a->count++] = given;
}

static int refuse_word(const struct gathering *g, const char *word,
		       struct error *err)
{
	const struct tool *t = g->options->tool;
	const char *name[2];
	size_t names = t && t->schema ?
			       schema_property_names(t->schema, t->schema, name,
						     COUNT(name)) :
			       0;

	error_set(err, ERR_USAGE,
		  "'%.100s' is no argument: neither NAME=VALUE nor NAME:=JSON, "
		  "a JSON object, @FILE or -",
		  word);
	if (names == 1)
		error_hint(err, "write %.100s=%.100s", name[0], word);
	return -1;
}

/* NAME=VALUE or NAME:=JSON: the first '=' splits. */
static int gather_word(struct gathering *g, const char *word, struct error *err)
{
	CLEANUP(mem_free_ptr) char *name = NULL;
	const char *equals = strchr(word, '=');
	size_t len;

	if (!equals || equals == word)
		return refuse_word(g, word, err);
	len = (size_t)(equals - word);
	if (len > 1 && word[len - 1] == ':')
		name = mem_strndup(word, len - 1);
	else
		name = mem_strndup(word, len);
	gather(g, name, (struct given){ equals + 1, strlen(name) < len });
	return 0;
}

/* The schema of a name; NULL: anything goes. */
static const cJSON *schema_of(const struct arguments_options *options,
			      const char *name)
{
	const cJSON *schema = options->tool ? options->tool->schema : NULL;
	const cJSON *found;

	if (options->no_validate || !schema)
		return NULL;
	found = schema_property(schema, schema, name);
	return found ? found :
		       json_object(schema_resolve(schema, schema),
				   "additionalProperties");
}

/* NAME:=JSON, NAME=@FILE or NAME=TEXT, as a value of these types. */
static int make_one(struct argument_value *out, const struct given *given,
		    const char *what, unsigned types, struct error *err)
{
	CLEANUP(buf_done) struct buf content = { 0 };
	size_t len = strlen(given->text);

	if (given->is_json) {
		if (argument_value_json(out, what, given->text, len, err) == 0)
			return 0;
		return *given->text == '@' ?
			       error_hint(err, "a file is read by NAME=@FILE, "
					       "without the colon") :
			       -1;
	}
	if (*given->text != '@')
		return argument_value_text(out, what, types, given->text, len,
					   err);
	if (argument_file_read(&content, given->text + 1, err) < 0)
		return error_prefix(err, "%s", what);
	return argument_value_text(out, what, types, buf_string(&content),
				   content.len, err);
}

static unsigned item_types(const struct arguments_options *options,
			   const cJSON *schema)
{
	const cJSON *items = schema_items(options->tool->schema, schema);

	return items ? schema_types(options->tool->schema, items) : 0;
}

static int make_array(struct argument_value *out, const struct argument *a,
		      const char *what, unsigned types, struct error *err)
{
	for (size_t i = 0; i < a->count; i++) {
		struct argument_value item = { 0 };

		if (make_one(&item, &a->given[i], what, types, err) < 0) {
			argument_value_done(&item);
			return -1;
		}
		argument_value_append_take(out, &item);
	}
	argument_value_close(out);
	return 0;
}

static int refuse_repeated(const char *what, unsigned types, struct error *err)
{
	error_set(err, ERR_USAGE, "%s is given more than once", what);
	if (types)
		return error_hint(err, "the tool's schema does not make it an "
				       "array");
	return error_hint(err, "for an array write NAME:=[…]");
}

static int make_argument(struct argument_value *out, const struct argument *a,
			 const struct arguments_options *options,
			 struct error *err)
{
	const cJSON *schema = schema_of(options, a->name);
	unsigned types =
		schema ? schema_types(options->tool->schema, schema) : 0;
	CLEANUP(mem_free_ptr)
	char *what = mem_printf("argument '%.100s'", a->name);

	if (a->count > 1 && !(types & SCHEMA_ARRAY))
		return refuse_repeated(what, types, err);
	if (a->count > 1)
		return make_array(out, a, what, item_types(options, schema),
				  err);
	if (make_one(out, a->given, what, types, err) < 0)
		return -1;
	if (a->given->is_json || !(types & SCHEMA_ARRAY) ||
	    (schema_type_of(out->json) & types))
		return 0;
	/* tag=a for an array is an array of one. */
	argument_value_done(out);
	return make_array(out, a, what, item_types(options, schema), err);
}

/* {"NAME":VALUE,…}; takes the values one by one. */
static int make_object(struct argument_value *out, const struct gathering *g,
		       struct error *err)
{
	out->json = cJSON_CreateObject();
	buf_char(&out->text, '{');
	for (size_t i = 0; i < g->count; i++) {
		const struct argument *a = &g->argument[i];
		struct argument_value value = { 0 };

		if (make_argument(&value, a, g->options, err) < 0) {
			argument_value_done(&value);
			return -1;
		}
		if (i > 0)
			buf_char(&out->text, ',');
		buf_json_string(&out->text, a->name, strlen(a->name));
		buf_char(&out->text, ':');
		buf_add(&out->text, buf_string(&value.text), value.text.len);
		cJSON_AddItemToObject(out->json, a->name, TAKE(value.json));
		argument_value_done(&value);
	}
	buf_char(&out->text, '}');
	return 0;
}

static int refuse_twice(const cJSON *object, struct error *err)
{
	struct name_set names = { 0 };
	const char *twice = NULL;
	const cJSON *member;

	cJSON_ArrayForEach(member, object) {
		if (name_set_add(&names, member->string, 0) != NAME_NONE)
			twice = member->string;
	}
	name_set_done(&names);
	if (!twice)
		return 0;
	return error_set(err, ERR_USAGE,
			 "argument '%.100s' stands twice in the object", twice);
}

bool arguments_are_whole(const char *word)
{
	return *word == '@' || strcmp(word, "-") == 0 ||
	       word[strspn(word, " \t\r\n")] == '{';
}

/* One word for all: a JSON object, @FILE, or - for stdin. */
static int make_whole(struct argument_value *out, const char *word,
		      const struct arguments_options *options,
		      struct error *err)
{
	CLEANUP(buf_done) struct buf content = { 0 };
	CLEANUP(mem_free_ptr) char *what = NULL;
	bool is_stdin = strcmp(word, "-") == 0;

	if (is_stdin && options->stdin_taken)
		return error_set(err, ERR_USAGE,
				 "arguments from standard input: something "
				 "else reads it already");
	if (*word == '@' || is_stdin) {
		if (argument_file_read(&content, is_stdin ? NULL : word + 1,
				       err) < 0)
			return -1;
		what = is_stdin ? mem_strdup("standard input") :
				  mem_printf("'%.100s'", word + 1);
	} else {
		buf_text(&content, word);
		what = mem_strdup("the arguments object");
	}
	if (argument_value_json(out, what, buf_string(&content), content.len,
				err) < 0)
		return -1;
	if (!cJSON_IsObject(out->json))
		return error_set(err, ERR_USAGE,
				 "%s must hold one JSON object, not %s", what,
				 json_type_name(out->json));
	return refuse_twice(out->json, err);
}

static int make_from_words(struct argument_value *out, char *const *word,
			   size_t count,
			   const struct arguments_options *options,
			   struct error *err)
{
	CLEANUP(gathering_done) struct gathering g = { .options = options };

	if (count == 1 && arguments_are_whole(word[0]))
		return make_whole(out, word[0], options, err);
	for (size_t i = 0; i < count; i++) {
		if (arguments_are_whole(word[i]))
			return error_set(err, ERR_USAGE,
					 "'%.100s' gives all arguments, so no "
					 "other word may stand beside it",
					 word[i]);
		if (!text_is_utf8(word[i], strlen(word[i])))
			return error_set(err, ERR_USAGE,
					 "'%.100s' is not valid UTF-8",
					 word[i]);
		if (gather_word(&g, word[i], err) < 0)
			return -1;
	}
	return make_object(out, &g, err);
}

int arguments_build(struct buf *out, char *const *word, size_t count,
		    const struct arguments_options *options,
		    struct buf *warnings, struct error *err)
{
	CLEANUP(argument_value_done) struct argument_value whole = { 0 };
	CLEANUP(buf_done) struct buf usage = { 0 };

	buf_reset(out);
	if (make_from_words(&whole, word, count, options, err) == 0 &&
	    arguments_check(whole.json, options, warnings, err) == 0)
		return buf_add(out, buf_string(&whole.text), whole.text.len);
	if (options->tool) {
		arguments_usage(options->tool, &usage);
		error_detail(err, buf_string(&usage), usage.len);
	}
	return -1;
}
