/* SPDX-License-Identifier: MIT */
#include "bridge/mend_schema.h"

#include <string.h>

#include "base/mem.h"
#include "base/text_safe.h"
#include "bridge/cut_name.h"
#include "bridge/mend.h"
#include "mcp/schema.h"
#include "mcp/schema_describe.h"
#include "mcp/schema_look.h"
#include "mcp/tools.h"

#define MEND_DEPTH 12 /* below that a schema is {}: anything */
#define MEND_REFERENCES 4 /* one inside the other, likewise: some go round */
#define MEND_SCHEMAS 2000 /* in one tool, parts and all */
#define MEND_BYTES 65536 /* of its words and names */
#define MEND_PROPERTIES 200 /* of one object */
#define MEND_CHOICES 200 /* of an enum */
#define MEND_VALUE 512 /* bytes of a default, a choice, a pattern */
#define MEND_NAME 128 /* bytes of a property's name */
#define MEND_STEPS 200000 /* to look whether defaults fit */
#define MEND_KEY 64 /* bytes of a name on the first level */

struct schema_mender {
	const cJSON *root;
	size_t depth, references;
	size_t schemas, bytes, steps; /* what is left */
};

static cJSON *mend_one(struct schema_mender *m, const cJSON *schema);

static bool spend(size_t *left, size_t amount)
{
	if (amount > *left)
		return false;
	*left -= amount;
	return true;
}

/* ---- values ---- */

/* One that a model can be shown as it is: short, and nothing in it hides. */
static bool is_showable(const cJSON *value)
{
	CLEANUP(buf_done) struct buf text = { .max = MEND_VALUE };

	json_print(&text, value);
	return !text.full && text_is_safe(buf_string(&text), text.len);
}

static void add_copy(cJSON *out, const char *name, const cJSON *value)
{
	cJSON_AddItemToObject(out, name, cJSON_Duplicate(value, true));
}

static bool is_count(const cJSON *value)
{
	return cJSON_IsNumber(value) && value->valuedouble >= 0 &&
	       schema_type_of(value) == SCHEMA_INTEGER;
}

static bool is_positive(const cJSON *value)
{
	return cJSON_IsNumber(value) && value->valuedouble > 0;
}

static bool is_number(const cJSON *value)
{
	return cJSON_IsNumber(value);
}

static bool is_flag(const cJSON *value)
{
	return cJSON_IsBool(value);
}

/* Short text that is no prose. */
static bool is_word(const cJSON *value)
{
	return cJSON_IsString(value) && is_showable(value);
}

/* Keywords that stay as they are where their value is of the right kind. */
static void add_plain(cJSON *out, const cJSON *schema)
{
	static const struct {
		const char *name;
		bool (*fits)(const cJSON *value);
	} keywords[] = {
		{ "minimum", is_number },
		{ "maximum", is_number },
		{ "exclusiveMinimum", is_number },
		{ "exclusiveMaximum", is_number },
		{ "multipleOf", is_positive },
		{ "minLength", is_count },
		{ "maxLength", is_count },
		{ "pattern", is_word },
		{ "format", is_word },
		{ "minItems", is_count },
		{ "maxItems", is_count },
		{ "uniqueItems", is_flag },
		{ "const", is_showable },
	};

	for (size_t i = 0; i < COUNT(keywords); i++) {
		const cJSON *value = json_member(schema, keywords[i].name);

		if (value && keywords[i].fits(value))
			add_copy(out, keywords[i].name, value);
	}
}

/* One choice that cannot be shown, and it does not say which there are. */
static void add_choices(struct schema_mender *m, cJSON *out,
			const cJSON *schema)
{
	const cJSON *choices = json_array(schema, "enum"), *one;
	cJSON *kept;
	size_t count = 0;

	cJSON_ArrayForEach(one, choices) {
		if (++count > MEND_CHOICES || !is_showable(one) ||
		    !spend(&m->bytes, MEND_VALUE / 16))
			return;
	}
	if (count == 0)
		return;
	kept = cJSON_AddArrayToObject(out, "enum");
	cJSON_ArrayForEach(one, choices) {
		if (!json_array_has(kept, one))
			cJSON_AddItemToArray(kept, cJSON_Duplicate(one, true));
	}
}

static void add_prose(struct schema_mender *m, cJSON *out, const cJSON *schema,
		      const char *name, size_t characters)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	const char *said = json_string(schema, name);

	if (!said || json_member(out, name))
		return;
	mend_text(&text, said, characters);
	if (text.len && spend(&m->bytes, text.len))
		cJSON_AddStringToObject(out, name, buf_string(&text));
}

/* ---- types ---- */

static bool is_type(const cJSON *value)
{
	return cJSON_IsString(value) && schema_type_bit(value->valuestring);
}

/* Several, of which one is not known, let more through than what would be left. */
static void add_types(cJSON *out, const cJSON *types)
{
	cJSON *kept = cJSON_CreateArray();
	const cJSON *one;

	cJSON_ArrayForEach(one, types) {
		if (!is_type(one)) {
			cJSON_Delete(kept);
			return;
		}
		if (!json_array_has(kept, one))
			cJSON_AddItemToArray(kept, cJSON_Duplicate(one, true));
	}
	if (cJSON_GetArraySize(kept) == 1)
		add_copy(out, "type", kept->child);
	if (cJSON_GetArraySize(kept) < 2)
		cJSON_Delete(kept);
	else
		cJSON_AddItemToObject(out, "type", kept);
}

/* A server for MQTT writes a boolean's as a boolean. */
static void add_type(cJSON *out, const cJSON *schema)
{
	const cJSON *type = json_member(schema, "type");

	if (cJSON_IsBool(type))
		cJSON_AddStringToObject(out, "type", "boolean");
	else if (is_type(type))
		add_copy(out, "type", type);
	else if (cJSON_IsArray(type))
		add_types(out, type);
}

static bool may_be(const cJSON *out, const char *type)
{
	const cJSON *said = json_member(out, "type"), *one;

	if (cJSON_IsString(said))
		return strcmp(said->valuestring, type) == 0;
	cJSON_ArrayForEach(one, said) {
		if (strcmp(one->valuestring, type) == 0)
			return true;
	}
	return false;
}

/* ---- arrays, and schemas put together ---- */

/* NOLINTNEXTLINE(misc-no-recursion): see mend_one */
static void add_items(struct schema_mender *m, cJSON *out, const cJSON *schema)
{
	const cJSON *items = json_object(schema, "items");

	/* Of a tuple: as many kinds of items as it has. */
	if (json_member(schema, "prefixItems"))
		items = NULL;
	if (items || may_be(out, "array"))
		cJSON_AddItemToObject(out, "items",
				      items ? mend_one(m, items) :
					      cJSON_CreateObject());
}

/* NOLINTNEXTLINE(misc-no-recursion): see mend_one */
static void add_parts(struct schema_mender *m, cJSON *out, const cJSON *schema,
		      const char *name, const char *as)
{
	const cJSON *parts = json_array(schema, name), *one;
	cJSON *kept;

	if (!parts || !parts->child || json_member(out, as) ||
	    cJSON_GetArraySize(parts) > MEND_CHOICES)
		return;
	kept = cJSON_AddArrayToObject(out, as);
	cJSON_ArrayForEach(one, parts) {
		cJSON_AddItemToArray(kept, mend_one(m, one));
	}
}

/* ---- objects ---- */

static bool is_name(struct schema_mender *m, const char *name)
{
	size_t len = strlen(name);

	return len && len <= MEND_NAME && text_is_safe(name, len) &&
	       spend(&m->bytes, len);
}

/*
 * "integer 0..100, default 50", where the device does not say what it is; what
 * has parts says it by these.
 */
static void describe_property(struct schema_mender *m, cJSON *out)
{
	CLEANUP(buf_done) struct buf words = { 0 };
	CLEANUP(buf_done) struct buf text = { 0 };

	if (json_member(out, "description") || json_member(out, "properties") ||
	    json_member(out, "anyOf") || json_member(out, "allOf"))
		return;
	schema_describe(out, &words);
	mend_text(&text, buf_string(&words), MEND_TEXT_MAX);
	if (strcmp(buf_string(&text), "any") != 0 && spend(&m->bytes, text.len))
		cJSON_AddStringToObject(out, "description", buf_string(&text));
}

/* False: it is left out. */
/* NOLINTNEXTLINE(misc-no-recursion): see mend_one */
static bool add_property(struct schema_mender *m, cJSON *properties,
			 const cJSON *schema, const char *name)
{
	cJSON *mended;

	if (!name || !is_name(m, name))
		return false;
	if (json_member(properties, name))
		return true;
	mended = mend_one(m, schema);
	describe_property(m, mended);
	cJSON_AddItemToObject(properties, name, mended);
	return true;
}

/* False: some were left out. */
/* NOLINTNEXTLINE(misc-no-recursion): see mend_one */
static bool add_properties(struct schema_mender *m, cJSON *out,
			   const cJSON *from)
{
	cJSON *properties = cJSON_AddObjectToObject(out, "properties");
	const cJSON *one;

	bool all = true;

	cJSON_ArrayForEach(one, from) {
		if (cJSON_GetArraySize(properties) >= MEND_PROPERTIES)
			return false;
		all = add_property(m, properties, one, one->string) && all;
	}
	return all;
}

/* Of names of properties, each once; those that are required of what is there. */
static void add_required(cJSON *out, const cJSON *names)
{
	const cJSON *properties = json_object(out, "properties"), *one;
	cJSON *required = cJSON_CreateArray();

	cJSON_ArrayForEach(one, names) {
		if (cJSON_IsString(one) &&
		    json_member(properties, one->valuestring) &&
		    !json_array_has(required, one))
			cJSON_AddItemToArray(required,
					     cJSON_Duplicate(one, true));
	}
	if (required->child)
		cJSON_AddItemToObject(out, "required", required);
	else
		cJSON_Delete(required);
}

/* Whether others may be there; not said where not all names could be kept. */
/* NOLINTNEXTLINE(misc-no-recursion): see mend_one */
static void add_others(struct schema_mender *m, cJSON *out, const cJSON *schema)
{
	const cJSON *others = json_member(schema, "additionalProperties");

	if (json_member(schema, "patternProperties"))
		return;
	if (cJSON_IsBool(others))
		add_copy(out, "additionalProperties", others);
	else if (cJSON_IsObject(others))
		cJSON_AddItemToObject(out, "additionalProperties",
				      mend_one(m, others));
}

/* NOLINTNEXTLINE(misc-no-recursion): see mend_one */
static void add_object(struct schema_mender *m, cJSON *out, const cJSON *schema)
{
	const cJSON *properties = json_object(schema, "properties");
	bool all = true;

	if (properties || may_be(out, "object")) {
		all = add_properties(m, out, properties);
		add_required(out, json_array(schema, "required"));
	}
	if (all)
		add_others(m, out, schema);
}

/* ---- one schema ---- */

static void add_default(struct schema_mender *m, cJSON *out,
			const cJSON *schema)
{
	const cJSON *standard = json_member(schema, "default");

	if (standard && is_showable(standard) &&
	    schema_fits(out, out, standard, &m->steps))
		add_copy(out, "default", standard);
}

/* NOLINTNEXTLINE(misc-no-recursion): to MEND_DEPTH */
static void mend_inside(struct schema_mender *m, cJSON *out,
			const cJSON *schema)
{
	add_type(out, schema);
	add_plain(out, schema);
	add_choices(m, out, schema);
	add_prose(m, out, schema, "title", MEND_NAME);
	add_prose(m, out, schema, "description", MEND_TEXT_MAX);
	add_object(m, out, schema);
	add_items(m, out, schema);
	add_parts(m, out, schema, "allOf", "allOf");
	add_parts(m, out, schema, "anyOf", "anyOf");
	add_parts(m, out, schema, "oneOf", "anyOf");
	add_default(m, out, schema);
}

/*
 * What $ref means stands in its place; not without end. Always an object.
 */
/* NOLINTNEXTLINE(misc-no-recursion): to MEND_DEPTH */
static cJSON *mend_one(struct schema_mender *m, const cJSON *schema)
{
	const cJSON *meant = schema_resolve(m->root, schema);
	const bool refers = meant != schema;
	cJSON *out = cJSON_CreateObject();

	/* Beside a $ref stands what the property is. */
	if (refers)
		add_prose(m, out, schema, "description", MEND_TEXT_MAX);
	if (!cJSON_IsObject(meant) || m->depth >= MEND_DEPTH ||
	    m->references + refers > MEND_REFERENCES || !spend(&m->schemas, 1))
		return out;
	m->depth++;
	m->references += refers;
	mend_inside(m, out, meant);
	m->references -= refers;
	m->depth--;
	return out;
}

/* ---- the whole ---- */

/*
 * What models call an argument: they take [a-zA-Z0-9_.-]{1,64} there. What else
 * it is called has the digits of the whole name, so it needs no table.
 */
static void add_key(struct buf *out, const char *name)
{
	CLEANUP(buf_done) struct buf plain = { 0 };

	tool_sanitise(name, SANITISE_SPEC, &plain);
	if (plain.len && plain.len <= MEND_KEY && strcmp(plain.data, name) == 0)
		buf_text(out, name);
	else
		cut_name(out, buf_string(&plain), MEND_KEY, name);
}

/* One that goes by another name says its own. */
static void add_title(struct schema_mender *m, cJSON *property,
		      const char *name)
{
	CLEANUP(json_free_ptr) cJSON *own = cJSON_CreateObject();

	cJSON_AddStringToObject(own, "title", name);
	add_prose(m, property, own, "title", MEND_NAME);
}

/* Properties of the first level; what is required of them. */
static bool add_first(struct schema_mender *m, cJSON *out, const cJSON *schema,
		      const char *name, cJSON *required)
{
	cJSON *properties = json_object(out, "properties");
	CLEANUP(buf_done) struct buf key = { 0 };
	const cJSON *property = schema_property(m->root, schema, name);

	add_key(&key, name);
	if (!add_property(m, properties, property, key.data))
		return false;
	if (strcmp(key.data, name) != 0)
		add_title(m, json_object(properties, key.data), name);
	if (schema_requires(m->root, schema, name))
		cJSON_AddItemToArray(required, cJSON_CreateString(key.data));
	return true;
}

static bool is_put_together(const cJSON *schema)
{
	return json_member(schema, "allOf") || json_member(schema, "anyOf") ||
	       json_member(schema, "oneOf");
}

/*
 * Models want the properties on the first level, and no alternatives there:
 * those of all parts, of which only what every part asks for is required.
 */
static void add_root(struct schema_mender *m, cJSON *out, const cJSON *schema)
{
	CLEANUP(json_free_ptr) cJSON *required = cJSON_CreateArray();
	const char *name[MEND_PROPERTIES];
	size_t count =
		schema_property_names(m->root, schema, name, COUNT(name));
	bool all = count < MEND_PROPERTIES;

	for (size_t i = 0; i < count; i++)
		all = add_first(m, out, schema, name[i], required) && all;
	add_required(out, required);
	if (all && !is_put_together(schema))
		add_others(m, out, schema);
}

cJSON *mend_schema(const cJSON *schema)
{
	struct schema_mender m = { .root = schema,
				   .depth = 1,
				   .schemas = MEND_SCHEMAS,
				   .bytes = MEND_BYTES,
				   .steps = MEND_STEPS };
	const cJSON *meant = schema_resolve(schema, schema);
	cJSON *out = cJSON_CreateObject();

	cJSON_AddStringToObject(out, "type", "object");
	cJSON_AddObjectToObject(out, "properties");
	if (cJSON_IsObject(meant))
		add_root(&m, out, meant);
	return out;
}

/* ---- the way back ---- */

/* The device's name for what the host calls key; key itself if it has none. */
static const char *name_of(const char *const *name, char *const *keys,
			   size_t count, const char *key)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(keys[i], key) == 0)
			return name[i];
	}
	return key;
}

cJSON *mend_arguments(const cJSON *schema, const cJSON *arguments)
{
	const char *name[MEND_PROPERTIES];
	char *keys[MEND_PROPERTIES];
	size_t count = schema_property_names(schema, schema, name, COUNT(name));
	cJSON *out = cJSON_CreateObject();
	const cJSON *one;

	for (size_t i = 0; i < count; i++) {
		struct buf key = { 0 };

		add_key(&key, name[i]);
		keys[i] = buf_take(&key);
	}
	cJSON_ArrayForEach(one, arguments) {
		if (one->string)
			cJSON_AddItemToObject(
				out, name_of(name, keys, count, one->string),
				cJSON_Duplicate(one, true));
	}
	for (size_t i = 0; i < count; i++)
		mem_free(keys[i]);
	return out;
}
