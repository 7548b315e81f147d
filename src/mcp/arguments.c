/* SPDX-License-Identifier: MIT */
/*
 * Arguments of a call: from words to JSON, checked against the schema, and told
 * how to be written.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/split.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "base/utf8.h"
#include "mcp/arguments.h"
#include "mcp/schema.h"
#include "mcp/schema_describe.h"
#include "mcp/schema_example.h"
#include "mcp/schema_look.h"

/*
 * Text to value. A number keeps the digits it was given with, so that what is
 * sent is not what a double makes of it.
 */

static void argument_value_done(struct argument_value *v)
{
	cJSON_Delete(v->json);
	buf_done(&v->text);
	*v = (struct argument_value){ 0 };
}

/* JSON as given. what says whose it is, for the error: "argument 'x'". */
static int argument_value_json(struct argument_value *out, const char *what,
			       const char *text, size_t len, struct error *err)
{
	struct error why = { .kind = ERR_NONE };

	out->json = json_parse(text, len, &why);
	if (!out->json) {
		error_set(err, ERR_USAGE, "%s is not JSON: %.300s", what,
			  why.text);
		error_reset(&why);
		return -1;
	}
	json_minify(&out->text, text, len);
	return 0;
}

static int value_string(struct argument_value *out, const char *what,
			const char *text, size_t len, struct error *err)
{
	if (memchr(text, '\0', len))
		return error_set(err, ERR_USAGE,
				 "%s holds a NUL byte, which no text may",
				 what);
	if (!text_is_utf8(text, len)) {
		error_set(err, ERR_USAGE, "%s is not valid UTF-8", what);
		return error_hint(
			err,
			"JSON is UTF-8; convert the text first, for example with iconv");
	}
	buf_json_string(&out->text, text, len);
	out->json = cJSON_CreateString(text);
	return 0;
}

static const char *skip_blanks(const char *text, size_t *len)
{
	while (*len > 0 && strchr(" \t\r\n", *text) && *text) {
		text++;
		(*len)--;
	}
	return text;
}

/* '[' or '{' where the types let through an array or an object. */
static bool looks_nested(unsigned types, const char *text, size_t len)
{
	text = skip_blanks(text, &len);
	if (len == 0)
		return false;
	return (*text == '[' && types & SCHEMA_ARRAY) ||
	       (*text == '{' && types & SCHEMA_OBJECT);
}

/* 50.9 for an integer is a wrong number, and told as one; not a text. */
static bool lets_through(unsigned types, const cJSON *value)
{
	if (types == 0)
		return !cJSON_IsObject(value) && !cJSON_IsArray(value);
	if (cJSON_IsNumber(value) && !(types & SCHEMA_STRING))
		return (types & SCHEMA_INTEGER) != 0;
	return (schema_type_of(value) & types) != 0;
}

/*
 * Text that a schema of these types (bits of schema_look.h; 0: unknown) makes
 * a value; see arguments_build. An array is only made from a JSON array.
 */
static int argument_value_text(struct argument_value *out, const char *what,
			       unsigned types, const char *text, size_t len,
			       struct error *err)
{
	CLEANUP(json_free_ptr) cJSON *parsed = NULL;
	bool nested = looks_nested(types, text, len);

	if (types != SCHEMA_STRING)
		parsed = json_parse(text, len, NULL);
	if (parsed && lets_through(types, parsed)) {
		out->json = TAKE(parsed);
		json_minify(&out->text, text, len);
		return 0;
	}
	/* Broken JSON is better told as such than sent, or refused, as text. */
	if ((nested || types == SCHEMA_OBJECT) && !(types & SCHEMA_STRING) &&
	    !parsed)
		return argument_value_json(out, what, text, len, err);
	return value_string(out, what, text, len, err);
}

int argument_read(struct buf *out, const cJSON *root, const cJSON *property,
		  const char *name, const char *text, struct error *err)
{
	CLEANUP(argument_value_done) struct argument_value value = { 0 };
	CLEANUP(mem_free_ptr)
	char *what = mem_printf("argument '%.100s'", name);

	if (argument_value_text(&value, what, schema_types(root, property),
				text, strlen(text), err))
		return -1;
	return buf_add(out, buf_string(&value.text), value.text.len);
}

/* Add to an array that is being made; takes item. */
static void argument_value_append_take(struct argument_value *array,
				       struct argument_value *item)
{
	if (!array->json)
		array->json = cJSON_CreateArray();
	buf_char(&array->text, array->text.len > 0 ? ',' : '[');
	buf_add(&array->text, buf_string(&item->text), item->text.len);
	cJSON_AddItemToArray(array->json, TAKE(item->json));
	argument_value_done(item);
}

/* The last item was added. */
static void argument_value_close(struct argument_value *array)
{
	buf_char(&array->text, ']');
}

static int read_all(struct buf *out, int fd, const char *path,
		    struct error *err)
{
	char part[65536];
	ssize_t got;

	buf_init(out, ARGUMENTS_FILE_MAX);
	while ((got = read(fd, part, sizeof(part))) != 0) {
		/* EINTR too: Ctrl-C while somebody should type. */
		if (got < 0)
			return error_set(err, ERR_USAGE, "cannot read '%s': %s",
					 path, strerror(errno));
		if (buf_add(out, part, (size_t)got) < 0)
			return error_set(err, ERR_USAGE,
					 "'%s' is larger than %u MB", path,
					 ARGUMENTS_FILE_MAX >> 20);
	}
	return 0;
}

/* A file, or stdin for NULL, whole; at most ARGUMENTS_FILE_MAX bytes. */
static int argument_file_read(struct buf *out, const char *path,
			      struct error *err)
{
	int fd, status;

	if (!path)
		return read_all(out, STDIN_FILENO, "standard input", err);
	if (!*path)
		return error_set(err, ERR_USAGE,
				 "'@' wants the name of a file behind it");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		error_set(err, ERR_USAGE, "cannot read '%s': %s", path,
			  strerror(errno));
		if (strcmp(path, "-") == 0)
			error_hint(
				err,
				"all arguments from standard input: a single -, without @");
		return -1;
	}
	status = read_all(out, fd, path, err);
	close(fd);
	return status;
}

/*
 * NAME=VALUE as it is to be written. What such a word means when it comes is
 * arguments.c's matter.
 */

#define CHOICES_BYTES_MAX 60

/* A word that stands in a command line as it is; a number; else false. */
static bool add_choice(const cJSON *choice, struct buf *out)
{
	if (cJSON_IsNumber(choice)) {
		json_print(out, choice);
		return true;
	}
	if (!cJSON_IsString(choice) || !*choice->valuestring ||
	    strpbrk(choice->valuestring, " |<>[]\"'\\\t\r\n"))
		return false;
	buf_text(out, choice->valuestring);
	return true;
}

/* "light|dark" if all choices are plain and short words; else nothing. */
static bool add_choices(const cJSON *schema, struct buf *out)
{
	CLEANUP(buf_done) struct buf choices = { 0 };
	const cJSON *each;

	cJSON_ArrayForEach(each, json_array(schema, "enum")) {
		if (choices.len > CHOICES_BYTES_MAX)
			return false;
		if (choices.len > 0)
			buf_char(&choices, '|');
		if (!add_choice(each, &choices))
			return false;
	}
	buf_text(out, buf_string(&choices));
	return choices.len > 0;
}

bool argument_range(const cJSON *root, const cJSON *property,
		    const cJSON *end[2])
{
	const cJSON *schema = schema_resolve(root, property);

	end[0] = json_member(schema, "minimum");
	end[1] = json_member(schema, "maximum");
	return (schema_types(root, schema) & SCHEMA_INTEGER) &&
	       cJSON_IsNumber(end[0]) && cJSON_IsNumber(end[1]);
}

static bool add_range(const cJSON *root, const cJSON *schema, struct buf *out)
{
	const cJSON *end[2];

	if (!argument_range(root, schema, end))
		return false;
	buf_char(out, '<');
	json_print(out, end[0]);
	buf_text(out, "..");
	json_print(out, end[1]);
	buf_char(out, '>');
	return true;
}

static void add_type(unsigned types, struct buf *out)
{
	buf_char(out, '<');
	schema_type_names(types, out);
	buf_char(out, '>');
}

static bool is_nested(unsigned types)
{
	return types && !(types & ~(unsigned)(SCHEMA_ARRAY | SCHEMA_OBJECT));
}

/* The types of its items, if it is an array of plain ones; else 0. */
static unsigned plain_items(const cJSON *root, const cJSON *schema)
{
	const cJSON *items = schema_items(root, schema);
	unsigned types = items ? schema_types(root, items) : 0;

	if (schema_types(root, schema) != SCHEMA_ARRAY || is_nested(types))
		return 0;
	return types;
}

bool argument_needs_json(const cJSON *root, const cJSON *property)
{
	const cJSON *schema = schema_resolve(root, property);

	return is_nested(schema_types(root, schema)) &&
	       !plain_items(root, schema);
}

void argument_usage(const cJSON *root, const cJSON *property, const char *name,
		    struct buf *out)
{
	const cJSON *schema = schema_resolve(root, property);
	unsigned types = schema_types(root, schema);
	unsigned items = plain_items(root, schema);

	words_quote(out, name);
	if (items) {
		buf_char(out, '=');
		add_type(items, out);
		buf_text(out, "...");
		return;
	}
	buf_text(out, is_nested(types) ? ":=" : "=");
	if (types == SCHEMA_BOOLEAN)
		buf_text(out, "true|false");
	else if (!add_choices(schema, out) && !add_range(root, schema, out))
		add_type(types, out);
}

bool argument_name_is_plain(const char *name)
{
	size_t len = strlen(name);

	/* Control characters are shown escaped, which only JSON reads. */
	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)name[i] < ' ')
			return false;
	}
	return len > 0 && !strchr("@-{ \t\r\n", *name) && !strchr(name, '=') &&
	       name[len - 1] != ':';
}

char *argument_word(const cJSON *root, const cJSON *schema, const char *name,
		    const cJSON *value)
{
	unsigned types = schema ? schema_types(root, schema) : 0;
	CLEANUP(argument_value_done) struct argument_value again = { 0 };
	CLEANUP(buf_done) struct buf json = { 0 }, seen = { 0 };
	const char *text;

	json_print(&json, value);
	text = cJSON_IsString(value) ? value->valuestring : buf_string(&json);
	if (*text != '@' && !cJSON_IsArray(value) && !cJSON_IsObject(value) &&
	    text_is_safe(text, strlen(text)) &&
	    argument_value_text(&again, "", types, text, strlen(text), NULL) ==
		    0 &&
	    json_equal(again.json, value))
		return mem_printf("%s=%s", name, text);
	/* As escapes of JSON it is seen, and means the same. */
	text_safe(&seen, buf_string(&json), json.len, TEXT_JSON);
	return mem_printf("%s:=%s", name, buf_string(&seen));
}

/*
 * Unknown names, numbers that would arrive as others, then the schema. Names
 * come first: a mistyped name is also a missing one, and says more.
 */

#define NAMES_MAX 256

/* What is known of the names that a tool takes. */
struct names {
	const char *name[NAMES_MAX];
	size_t count;
};

static const char *nearest_name(const struct names *known, const char *name)
{
	return strlen(name) > 100 ?
		       NULL :
		       text_nearest(name, known->name, known->count);
}

static int refuse_unknown(const struct names *known, const char *name,
			  struct error *err)
{
	CLEANUP(buf_done) struct buf list = { 0 };
	const char *nearest = nearest_name(known, name);

	if (nearest)
		error_set(err, ERR_USAGE,
			  "unknown argument '%.100s' (did you mean '%.100s'?)",
			  name, nearest);
	else
		error_set(err, ERR_USAGE, "unknown argument '%.100s'", name);
	if (known->count == 0)
		return error_hint(err, "it takes no arguments");
	for (size_t i = 0; i < known->count; i++)
		buf_printf(&list, "%s%s", i ? ", " : "", known->name[i]);
	return error_hint(err, "it takes: %.400s", buf_string(&list));
}

static void warn_unknown(const struct names *known, const char *name,
			 struct buf *warnings)
{
	const char *nearest = nearest_name(known, name);

	buf_printf(
		warnings,
		"argument '%.100s' is not in the tool's schema, which forbids no others",
		name);
	if (nearest)
		buf_printf(warnings, " (did you mean '%.100s'?)", nearest);
	buf_char(warnings, '\n');
}

/*
 * Firmware takes what it knows and drops the rest (device.md 3.6). Elsewhere
 * additionalProperties decides; as a schema it is what free names must fit.
 */
static int check_names(const cJSON *object,
		       const struct arguments_options *options,
		       struct buf *warnings, struct error *err)
{
	const cJSON *schema =
		schema_resolve(options->tool->schema, options->tool->schema);
	const cJSON *rest = json_member(schema, "additionalProperties");
	bool free_names = cJSON_IsObject(rest) ||
			  json_object(schema, "patternProperties");
	struct names known;
	const cJSON *member;

	known.count = schema_property_names(options->tool->schema, schema,
					    known.name, NAMES_MAX);
	cJSON_ArrayForEach(member, object) {
		if (schema_property(options->tool->schema, schema,
				    member->string) ||
		    schema_requires(options->tool->schema, schema,
				    member->string))
			continue;
		if (options->device || (cJSON_IsFalse(rest) && !free_names))
			return refuse_unknown(&known, member->string, err);
		if (!free_names)
			warn_unknown(&known, member->string, warnings);
	}
	return 0;
}

/* NOLINTNEXTLINE(misc-no-recursion): no deeper than JSON_DEPTH_MAX */
static const cJSON *find_number_beyond(const cJSON *value, double limit)
{
	const cJSON *child;
	const cJSON *found = NULL;

	if (cJSON_IsNumber(value) && !(fabs(value->valuedouble + 0.5) < limit))
		return value;
	cJSON_ArrayForEach(child, value) {
		found = find_number_beyond(child, limit);
		if (found)
			break;
	}
	return found;
}

/* INT32_MIN - 0.5 and INT32_MAX + 0.5 are as far from -0.5. */
#define INT32_LIMIT 2147483648.0

/* Firmware makes every number an int32, and the nearest one of a larger (device.md 3.6). */
static int check_numbers(const cJSON *object, bool device, struct error *err)
{
	const cJSON *member;

	cJSON_ArrayForEach(member, object) {
		const cJSON *beyond = find_number_beyond(member, HUGE_VAL);

		if (beyond)
			return error_set(
				err, ERR_USAGE,
				"argument '%.100s': the number is too large",
				member->string);
		beyond =
			device ? find_number_beyond(member, INT32_LIMIT) : NULL;
		if (!beyond)
			continue;
		error_set(err, ERR_USAGE,
			  "argument '%.100s': %.15g does not fit into 32 bits",
			  member->string, beyond->valuedouble);
		return error_hint(
			err,
			"firmware would take it for %d; --no-validate sends it all the same",
			beyond->valuedouble > 0 ? INT32_MAX : INT32_MIN);
	}
	return 0;
}

static void warn_ignored(const struct schema_report *report,
			 struct buf *warnings)
{
	const struct words *ignored = &report->ignored;

	if (ignored->count == 0)
		return;
	buf_text(warnings, "not checked of the tool's schema:");
	for (size_t i = 0; i < ignored->count; i++)
		buf_printf(warnings, "%s %.60s", i ? "," : "",
			   ignored->word[i]);
	buf_char(warnings, '\n');
}

static int refuse_missing(const struct tool *t, const char *path,
			  struct error *err)
{
	CLEANUP(buf_done) struct buf what = { 0 };
	const cJSON *property = schema_property(t->schema, t->schema, path);

	if (!property)
		return error_set(err, ERR_USAGE,
				 "argument '%.100s' is required", path);
	schema_describe_in(t->schema, property, &what);
	return error_set(err, ERR_USAGE,
			 "argument '%.100s' is required (%.300s)", path,
			 buf_string(&what));
}

/* "yes" for a boolean; a choice with a letter wrong. */
static void add_proposal(const struct tool *t, const cJSON *object,
			 const char *path, struct error *err)
{
	const cJSON *property = schema_property(t->schema, t->schema, path);
	const char *text = json_string(object, path);
	const char *choice[64] = { NULL };
	const char *nearest;
	const cJSON *each;
	size_t count = 0;

	if (!property || !text || strlen(text) > 100)
		return;
	if (schema_types(t->schema, property) == SCHEMA_BOOLEAN) {
		error_hint(err, "write %.100s=true or %.100s=false", path,
			   path);
		return;
	}
	property = schema_resolve(t->schema, property);
	cJSON_ArrayForEach(each, json_array(property, "enum")) {
		if (cJSON_IsString(each) && count < COUNT(choice))
			choice[count++] = each->valuestring;
	}
	nearest = text_nearest(text, choice, count);
	if (nearest)
		error_hint(err, "did you mean '%.100s'?", nearest);
}

static int refuse_value(const struct tool *t, const cJSON *object,
			const struct schema_report *report, struct error *err)
{
	CLEANUP(buf_done) struct buf why = { 0 };
	const char *path = buf_string(&report->path);

	if (strcmp(report->keyword, "required") == 0)
		return refuse_missing(t, path, err);
	schema_explain(report, &why);
	if (!*path)
		return error_set(err, ERR_USAGE, "arguments: %.450s",
				 buf_string(&why));
	error_set(err, ERR_USAGE, "argument '%.100s': %.350s", path,
		  buf_string(&why));
	add_proposal(t, object, path, err);
	return -1;
}

/* -1 (ERR_USAGE): as arguments_build says, less the detail. */
static int arguments_check(const cJSON *object,
			   const struct arguments_options *options,
			   struct buf *warnings, struct error *err)
{
	struct schema_report report = { 0 };
	const struct tool *t = options->tool;
	int status = 0;

	if (options->no_validate)
		return 0;
	if (t && t->schema && check_names(object, options, warnings, err) < 0)
		return -1;
	if (check_numbers(object, options->device, err) < 0)
		return -1;
	if (!t || !t->schema)
		return 0;
	if (!schema_check(t->schema, object, &report))
		status = refuse_value(t, object, &report, err);
	else
		warn_ignored(&report, warnings);
	schema_report_done(&report);
	return status;
}

/*
 * The words behind `call TOOL`, gathered by name and made one JSON object.
 * What the schema says to the whole is mcp/schema's.
 */

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
	bool alone; /* there is one word */
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

	/* "volume: 5", as it stands in YAML and in JSON. */
	size_t len = strcspn(word, ":");
	const char *value = word + len + strspn(word + len, ": ");

	error_set(
		err, ERR_USAGE,
		"'%.100s' is no argument: neither NAME=VALUE nor NAME:=JSON, a JSON object, @FILE or -",
		word);
	if (len > 0 && len < 100 && text_starts(word + len, ": ") && *value)
		return error_hint(err, "write %.*s=%.100s", (int)len, word,
				  value);
	if (names == 1 && g->alone)
		return error_hint(err, "write %.100s=%.100s", name[0], word);
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
			       error_hint(
				       err,
				       "a file is read by NAME=@FILE, without the colon") :
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

/* What was given, of a file its content, which may be there only once. */
static int wrap_one(struct argument_value *out, const char *what,
		    unsigned types, struct error *err)
{
	CLEANUP(argument_value_done) struct argument_value one = *out;
	struct argument_value item = { 0 };
	const char *text = cJSON_IsString(one.json) ? one.json->valuestring :
						      buf_string(&one.text);

	*out = (struct argument_value){ 0 };
	if (argument_value_text(&item, what, types, text, strlen(text), err)) {
		argument_value_done(&item);
		return -1;
	}
	argument_value_append_take(out, &item);
	argument_value_close(out);
	return 0;
}

static int refuse_repeated(const char *what, unsigned types, struct error *err)
{
	error_set(err, ERR_USAGE, "%s is given more than once", what);
	if (types)
		return error_hint(
			err, "the tool's schema does not make it an array");
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
	return wrap_one(out, what, item_types(options, schema), err);
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
	const char *twice = name_set_twice(object);

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
		return error_set(
			err, ERR_USAGE,
			"arguments from standard input: something else reads it already");
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
	return 0;
}

static int make_from_words(struct argument_value *out, char *const *word,
			   size_t count,
			   const struct arguments_options *options,
			   struct error *err)
{
	CLEANUP(gathering_done)
	struct gathering g = { .options = options, .alone = count == 1 };

	if (count == 1 && arguments_are_whole(word[0]))
		return make_whole(out, word[0], options, err);
	for (size_t i = 0; i < count; i++) {
		if (arguments_are_whole(word[i]))
			return error_set(
				err, ERR_USAGE,
				"'%.100s' gives all arguments, so no other word may stand beside it",
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

/* ---- defaults ---- */

#define DEFAULTS_MAX 256

struct left_out {
	const char *name;
	const cJSON *value;
};

/* Of what object leaves out those that the schema has a default for. */
static size_t find_left_out(const struct tool *t, const cJSON *object,
			    struct left_out *out)
{
	const char *name[DEFAULTS_MAX];
	size_t found = 0, count = schema_property_names(t->schema, t->schema,
							name, DEFAULTS_MAX);

	for (size_t i = 0; i < count; i++) {
		const cJSON *schema =
			schema_property(t->schema, t->schema, name[i]);
		const cJSON *value = json_member(
			schema_resolve(t->schema, schema), "default");

		if (value && !json_member(object, name[i]))
			out[found++] = (struct left_out){ name[i], value };
	}
	return found;
}

bool arguments_left_out(const struct tool *t, const char *arguments,
			struct buf *out)
{
	CLEANUP(json_free_ptr)
	cJSON *object = json_parse(arguments, strlen(arguments), NULL);
	struct left_out left[DEFAULTS_MAX];
	size_t count = object ? find_left_out(t, object, left) : 0;

	for (size_t i = 0; i < count; i++)
		buf_printf(out, "%s%s", i ? ", " : "", left[i].name);
	return count > 0;
}

/* What was given stays byte for byte. */
static void fill_defaults(struct argument_value *whole, const struct tool *t)
{
	struct left_out left[DEFAULTS_MAX];
	size_t count = find_left_out(t, whole->json, left);

	for (size_t i = 0; i < count; i++) {
		buf_cut(&whole->text, whole->text.len - 1);
		if (whole->json->child)
			buf_char(&whole->text, ',');
		buf_json_string(&whole->text, left[i].name,
				strlen(left[i].name));
		buf_char(&whole->text, ':');
		json_print(&whole->text, left[i].value);
		buf_char(&whole->text, '}');
		cJSON_AddItemToObject(whole->json, left[i].name,
				      cJSON_Duplicate(left[i].value, true));
	}
}

static int make_all(struct argument_value *out, char *const *word, size_t count,
		    const struct arguments_options *options, struct error *err)
{
	if (make_from_words(out, word, count, options, err) ||
	    refuse_twice(out->json, err))
		return -1;
	if (options->fill_defaults && options->tool)
		fill_defaults(out, options->tool);
	return 0;
}

int arguments_build(struct buf *out, char *const *word, size_t count,
		    const struct arguments_options *options,
		    struct buf *warnings, struct error *err)
{
	CLEANUP(argument_value_done) struct argument_value whole = { 0 };
	CLEANUP(buf_done) struct buf usage = { 0 };

	buf_reset(out);
	if (make_all(&whole, word, count, options, err) == 0 &&
	    arguments_check(whole.json, options, warnings, err) == 0)
		return buf_add(out, buf_string(&whole.text), whole.text.len);
	if (options->tool) {
		arguments_usage(options->tool, &usage);
		error_detail(err, buf_string(&usage), usage.len);
	}
	return -1;
}

/* How to call a tool: its usage in one line, and an example that validates. */

#define NAMES_MAX_USAGE 64
#define REQUIRED_MAX 1024 /* of those that are looked for in the schema */

/* What is required, though the schema says no more of it. True: not all is looked at. */
static bool add_unlisted(const cJSON *root, struct buf *out)
{
	const cJSON *schema = schema_resolve(root, root), *name;
	size_t count = 0, looked = 0;

	cJSON_ArrayForEach(name, json_array(schema, "required")) {
		const char *text = cJSON_GetStringValue(name);

		if (++looked > REQUIRED_MAX)
			return true;
		if (!text || schema_property(root, root, text))
			continue;
		if (++count > NAMES_MAX_USAGE)
			return true;
		buf_char(out, ' ');
		argument_usage(root, NULL, text, out);
	}
	return false;
}

void arguments_usage(const struct tool *t, struct buf *out)
{
	const char *name[NAMES_MAX_USAGE];
	size_t count = schema_property_names(t->schema, t->schema, name,
					     NAMES_MAX_USAGE);

	buf_text(out, "call ");
	words_quote(out, t->name);
	for (size_t i = 0; i < count; i++) {
		const cJSON *property =
			schema_property(t->schema, t->schema, name[i]);
		bool required = schema_requires(t->schema, t->schema, name[i]);

		buf_text(out, required ? " " : " [");
		argument_usage(t->schema, property, name[i], out);
		if (!required)
			buf_char(out, ']');
	}
	if (add_unlisted(t->schema, out) || count == NAMES_MAX_USAGE)
		buf_text(out, " …");
}

static void example_words(const struct tool *t, const cJSON *example,
			  struct words *out)
{
	CLEANUP(buf_done) struct buf whole = { 0 };
	bool plain = true;
	const cJSON *member;

	cJSON_ArrayForEach(member, example) {
		plain = plain && argument_name_is_plain(member->string);
	}
	if (!plain) {
		json_print(&whole, example);
		words_add(out, buf_string(&whole));
		return;
	}
	cJSON_ArrayForEach(member, example) {
		const cJSON *property =
			schema_property(t->schema, t->schema, member->string);
		CLEANUP(mem_free_ptr)
		char *word = argument_word(t->schema, property, member->string,
					   member);

		words_add(out, word);
	}
}

/* Arguments are an object, also where the schema does not say so. */
static cJSON *make_example(const struct tool *t)
{
	CLEANUP(json_free_ptr) cJSON *schema = NULL;
	cJSON *example;

	if (!cJSON_IsObject(t->schema))
		return cJSON_CreateObject();
	schema = cJSON_Duplicate(t->schema, true);
	if (!json_member(schema, "type"))
		cJSON_AddStringToObject(schema, "type", "object");
	example = schema_example(schema);
	if (example && !cJSON_IsObject(example)) {
		cJSON_Delete(example);
		return NULL;
	}
	return example;
}

/* As a command line, if it fits. */
static int print_example(const struct tool *t, const cJSON *example,
			 struct buf *out)
{
	const struct arguments_options options = { .tool = t };
	CLEANUP(words_done) struct words words = { 0 };
	CLEANUP(buf_done) struct buf built = { 0 };
	CLEANUP(buf_done) struct buf warnings = { 0 };

	example_words(t, example, &words);
	if (arguments_build(&built, words.word, words.count, &options,
			    &warnings, NULL) < 0)
		return -1;
	buf_text(out, "call ");
	words_quote(out, t->name);
	for (size_t i = 0; i < words.count; i++) {
		buf_char(out, ' ');
		words_quote(out, words.word[i]);
	}
	return 0;
}

int arguments_example(const struct tool *t, struct buf *out)
{
	CLEANUP(json_free_ptr) cJSON *example = make_example(t);

	return example ? print_example(t, example, out) : -1;
}

int arguments_example_filled(const struct tool *t, struct buf *out)
{
	CLEANUP(json_free_ptr) cJSON *example = make_example(t);
	struct left_out left[DEFAULTS_MAX];
	size_t count = example ? find_left_out(t, example, left) : 0;

	for (size_t i = 0; i < count; i++)
		cJSON_AddItemToObject(example, left[i].name,
				      cJSON_Duplicate(left[i].value, true));
	return count ? print_example(t, example, out) : -1;
}
