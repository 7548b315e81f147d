/* SPDX-License-Identifier: MIT */
/* Values made regular; the rules were checked when the profile was read. */
#include <string.h>

#include "base/text.h"
#include "sim/normalise.h"

/* A percentage is told from a share by its size: 1.2 is a share that is off. */
#define PERCENT_FROM 2.0
#define NUMBER_MAX 32 /* bytes of a number in words */

/* ---- the object within what was said ---- */

static cJSON *parse_object(const char *text, size_t len)
{
	cJSON *json = json_parse(text, len, NULL);

	if (cJSON_IsObject(json))
		return json;
	cJSON_Delete(json);
	return NULL;
}

cJSON *normalise_find(const char *text, size_t len)
{
	static const char thought[] = "</think>";
	const char *end = text + len;
	const char *behind = memmem(text, len, thought, strlen(thought));
	cJSON *json = parse_object(text, len);
	const char *first, *last;

	if (json)
		return json;
	if (behind)
		text = behind + strlen(thought);
	first = memchr(text, '{', (size_t)(end - text));
	if (!first)
		return NULL;
	last = memrchr(first, '}', (size_t)(end - first));
	return last ? parse_object(first, (size_t)(last + 1 - first)) : NULL;
}

/* ---- texts ---- */

/* The white space at p, the no-break space included; 0 if there is none. */
static size_t space_at(const char *p)
{
	if (*p && strchr(" \t\r\n\v\f", *p))
		return 1;
	return strncmp(p, "\xc2\xa0", 2) == 0 ? 2 : 0;
}

/* Without white space at its ends, and with single spaces within. */
static void add_trimmed(struct buf *out, const char *text)
{
	size_t start = out->len;
	bool gap = false;

	while (*text) {
		size_t space = space_at(text);

		if (space) {
			text += space;
			gap = out->len > start;
			continue;
		}
		if (gap)
			buf_char(out, ' ');
		gap = false;
		buf_char(out, *text++);
	}
}

/* One value as text; nothing for what cannot be one. */
static void add_value(struct buf *out, const cJSON *value)
{
	if (cJSON_IsString(value))
		add_trimmed(out, value->valuestring);
	else if (cJSON_IsNumber(value))
		json_print(out, value);
}

/* The byte at `at` without case: of ASCII, and of À to Þ in UTF-8 (but ×). */
static int folded(const char *text, size_t at)
{
	int c = (unsigned char)text[at];
	bool latin = at && text[at - 1] == '\xc3' && c >= 0x80 && c <= 0x9e &&
		     c != 0x97;

	return latin ? c + 0x20 : text_lower(text[at]);
}

/* Whether len bytes of text are the word, without case. */
static bool is_word(const char *word, const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len && word[i]; i++) {
		if (folded(word, i) != folded(text, i))
			return false;
	}
	return i == len && !word[i];
}

/* The first of the list that is the text without case; NULL. */
static const char *listed(const cJSON *list, const char *text, size_t len)
{
	const cJSON *one;

	cJSON_ArrayForEach(one, list) {
		if (is_word(one->valuestring, text, len))
			return one->valuestring;
	}
	return NULL;
}

/* It is one of the "empty" words, perhaps as a sentence: "Nenhum." */
static bool says_nothing(const cJSON *rules, const char *text)
{
	const cJSON *empty = json_array(rules, "empty");
	size_t len = strlen(text);

	if (!len || listed(empty, text, len))
		return true;
	while (len && strchr(".!; ", text[len - 1]))
		len--;
	return listed(empty, text, len) != NULL;
}

/* NULL: it says nothing, or is none of what it may be. */
static cJSON *make_text(const cJSON *rules, const cJSON *rule,
			const cJSON *value)
{
	CLEANUP(buf_done) struct buf all = { 0 };
	const cJSON *choices = json_array(rule, "enum"), *one;
	const char *glob = json_string(rule, "glob");
	const char *text;

	add_value(&all, value);
	cJSON_ArrayForEach(one, value) {
		CLEANUP(buf_done) struct buf part = { 0 };

		if (!cJSON_IsArray(value))
			break;
		add_value(&part, one);
		if (says_nothing(rules, buf_string(&part)))
			continue;
		buf_printf(&all, "%s%s", all.len ? ", " : "",
			   buf_string(&part));
	}
	text = buf_string(&all);
	if (says_nothing(rules, text) || (glob && !text_glob(glob, text)))
		return NULL;
	if (choices)
		text = listed(choices, text, strlen(text));
	return text ? cJSON_CreateString(text) : NULL;
}

/* ---- numbers ---- */

/* "0,92", " 92 % ": -1 if it is none. */
static int number_in(const char *text, double *out, bool *percent)
{
	CLEANUP(buf_done) struct buf clean = { 0 };
	CLEANUP(json_free_ptr) cJSON *json = NULL;

	add_trimmed(&clean, text);
	*percent = clean.len && clean.data[clean.len - 1] == '%';
	if (*percent)
		buf_cut(&clean, clean.len - 1);
	buf_trim(&clean, 0, " ");
	if (!clean.len || clean.len > NUMBER_MAX)
		return -1;
	for (size_t i = 0; i < clean.len; i++) {
		if (clean.data[i] == ',')
			clean.data[i] = '.';
	}
	json = json_parse(clean.data, clean.len, NULL);
	if (!cJSON_IsNumber(json))
		return -1;
	*out = json->valuedouble;
	return 0;
}

static cJSON *make_number(const cJSON *rule, const cJSON *value)
{
	const cJSON *min = json_member(rule, "minimum");
	const cJSON *max = json_member(rule, "maximum");
	bool percent = false;
	double number;

	if (cJSON_IsNumber(value))
		number = value->valuedouble;
	else if (!cJSON_IsString(value) ||
		 number_in(value->valuestring, &number, &percent))
		return NULL;
	if (json_true(rule, "percent") && (percent || number >= PERCENT_FROM))
		number /= 100;
	if (min && number < min->valuedouble)
		number = min->valuedouble;
	if (max && number > max->valuedouble)
		number = max->valuedouble;
	return cJSON_CreateNumber(number);
}

static cJSON *make_boolean(const cJSON *value)
{
	const char *text = cJSON_GetStringValue(value);

	if (cJSON_IsBool(value))
		return cJSON_CreateBool(cJSON_IsTrue(value));
	if (text_same(text, "true"))
		return cJSON_CreateTrue();
	return text_same(text, "false") ? cJSON_CreateFalse() : NULL;
}

/* ---- members ---- */

static cJSON *make(const cJSON *rules, const cJSON *rule, const cJSON *value)
{
	const char *type = json_string(rule, "type");

	if (!value)
		return NULL;
	if (strcmp(type, "text") == 0)
		return make_text(rules, rule, value);
	if (strcmp(type, "number") == 0)
		return make_number(rule, value);
	return make_boolean(value);
}

/* A member by its name without case, or by one of its other names. */
static const cJSON *find_named(const cJSON *object, const cJSON *rule)
{
	const cJSON *member;

	cJSON_ArrayForEach(member, object) {
		if (is_word(rule->string, member->string,
			    strlen(member->string)))
			return member;
	}
	cJSON_ArrayForEach(member, object) {
		if (listed(json_array(rule, "also"), member->string,
			   strlen(member->string)))
			return member;
	}
	return NULL;
}

static bool is_wanted(const cJSON *rules, const cJSON *rule,
		      const cJSON *arguments)
{
	const char *only = json_string(rules, "only");
	const cJSON *wanted = only ? json_array(arguments, only) : NULL;
	const cJSON *one;

	if (!wanted || json_true(rule, "always"))
		return true;
	cJSON_ArrayForEach(one, wanted) {
		if (cJSON_IsString(one) &&
		    strcmp(one->valuestring, rule->string) == 0)
			return true;
	}
	return false;
}

/* said: what is in `into`, if the model put it there itself, and what is beside. */
static cJSON *make_members(const cJSON *rules, const cJSON *arguments,
			   const cJSON *said)
{
	const char *into = json_string(rules, "into");
	const cJSON *inner = into ? json_object(said, into) : NULL;
	cJSON *out = cJSON_CreateObject();
	const cJSON *rule;

	cJSON_ArrayForEach(rule, json_object(rules, "members")) {
		const cJSON *value = find_named(inner, rule);
		cJSON *made;

		if (!is_wanted(rules, rule, arguments))
			continue;
		if (!value)
			value = find_named(said, rule);
		made = make(rules, rule, value);
		if (!made && json_member(rule, "default"))
			made = cJSON_Duplicate(json_member(rule, "default"),
					       true);
		if (made)
			cJSON_AddItemToObject(out, rule->string, made);
	}
	return out;
}

cJSON *normalise(const cJSON *rules, const cJSON *arguments, const cJSON *said)
{
	const char *into = json_string(rules, "into");
	cJSON *members = make_members(rules, arguments, said);
	cJSON *out;

	if (!into)
		return members;
	out = cJSON_CreateObject();
	cJSON_AddItemToObject(out, into, members);
	return out;
}

/* The rules of "normalise" checked when a profile is read. */

static const char *const rules_members[] = { "into", "only", "empty", "members",
					     NULL };
static const char *const rule_members[] = {
	"type",	   "also",    "enum",	 "glob",   "minimum",
	"maximum", "percent", "default", "always", NULL,
};

static int check_words(struct reader *r, const cJSON *object, const char *name)
{
	const cJSON *list = NULL, *one;

	if (reader_array(r, object, name, &list))
		return -1;
	cJSON_ArrayForEach(one, list) {
		if (!cJSON_IsString(one))
			return reader_fail(r, "'%s' is a list of strings",
					   name);
	}
	return 0;
}

/* Members that only one type has. */
static int check_fit(struct reader *r, const cJSON *rule, const char *type)
{
	static const struct {
		const char *name, *type;
	} rows[] = {
		{ "enum", "text" },	 { "glob", "text" },
		{ "minimum", "number" }, { "maximum", "number" },
		{ "percent", "number" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const cJSON *member = json_member(rule, rows[i].name);

		if (!member)
			continue;
		if (strcmp(type, rows[i].type) != 0)
			return reader_fail(r, "'%s' is for type \"%s\"",
					   rows[i].name, rows[i].type);
		if (i >= 2 && i <= 3 && !cJSON_IsNumber(member))
			return reader_fail(r, "'%s' is a number", rows[i].name);
	}
	return 0;
}

static int check_rule(struct reader *r, const cJSON *rule)
{
	const char *type = NULL, *glob;
	bool flag;

	if (reader_members(r, rule, "a member's rule", rule_members) ||
	    reader_text(r, rule, "type", &type) ||
	    check_words(r, rule, "also") || check_words(r, rule, "enum") ||
	    reader_text(r, rule, "glob", &glob) ||
	    reader_flag(r, rule, "percent", &flag) ||
	    reader_flag(r, rule, "always", &flag))
		return -1;
	if (!type ||
	    (strcmp(type, "text") != 0 && strcmp(type, "number") != 0 &&
	     strcmp(type, "boolean") != 0))
		return reader_fail(
			r, "'type' is \"text\", \"number\" or \"boolean\"");
	return check_fit(r, rule, type);
}

static int check_members(struct reader *r, const cJSON *rules)
{
	const cJSON *members = NULL, *rule;
	size_t mark;
	int bad = 0;

	if (reader_object(r, rules, "members", &members))
		return -1;
	if (!members)
		return reader_fail(r, "'members' is needed");
	mark = reader_enter(r, "members");
	cJSON_ArrayForEach(rule, members) {
		size_t inner = reader_enter(r, rule->string);

		bad = check_rule(r, rule);
		reader_leave(r, inner);
		if (bad)
			break;
	}
	reader_leave(r, mark);
	return bad;
}

int normalise_check(struct reader *r, const cJSON *rules,
		    const cJSON *arguments)
{
	const char *into = NULL, *only = NULL;
	size_t mark = reader_enter(r, "normalise");
	int bad;

	bad = reader_members(r, rules, "normalise", rules_members) ||
	      reader_text(r, rules, "into", &into) ||
	      reader_text(r, rules, "only", &only) ||
	      check_words(r, rules, "empty") || check_members(r, rules);
	if (!bad && only && !json_member(arguments, only))
		bad = reader_fail(r, "'only': the tool has no argument '%.60s'",
				  only);
	reader_leave(r, mark);
	return bad ? -1 : 0;
}
