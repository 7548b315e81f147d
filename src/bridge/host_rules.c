/* SPDX-License-Identifier: MIT */
#include "bridge/host_rules.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"

#define KEY_MAX 64
#define JUDGE_DEPTH 32 /* deeper schemas are not looked into */

/* ---- names ---- */

static bool is_alphanumeric(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9');
}

/* Where the first character stands that is none of these; NULL. */
static const char *odd_character(const char *text, const char *marks)
{
	while (*text && (is_alphanumeric(*text) || strchr(marks, *text)))
		text++;
	return *text ? text : NULL;
}

/* What it is called there has so many characters. */
static size_t name_length(const struct host_fact *h, const char *name,
			  const char *server)
{
	return text_characters(name, strlen(name)) + (size_t)h->name_adds +
	       (h->name_server ? text_characters(server, strlen(server)) : 0);
}

static bool is_too_long(const struct host_fact *h, const char *name,
			const char *server)
{
	return h->name_max &&
	       name_length(h, name, server) > (size_t)h->name_max;
}

static bool name_refused(const struct host_fact *h, const char *name,
			 const char *server, struct buf *why)
{
	const char *odd =
		*h->name_marks ? odd_character(name, h->name_marks) : NULL;
	size_t size = odd ? text_utf8(odd, strlen(odd)) : 0;

	if (odd) {
		buf_printf(
			why,
			"the name '%.100s' has '%.*s', it takes a-z A-Z 0-9 and %s",
			name, (int)(size ? size : 1), odd, h->name_marks);
		return true;
	}
	if (h->cuts_names || !is_too_long(h, name, server))
		return false;
	buf_printf(
		why,
		"what '%.100s' is called there has %zu characters, it takes %lld",
		name, name_length(h, name, server), (long long)h->name_max);
	return true;
}

/* ---- schemas ---- */

static bool says_array(const cJSON *schema)
{
	const cJSON *type = json_member(schema, "type"), *one;

	if (cJSON_IsString(type))
		return strcmp(type->valuestring, "array") == 0;
	cJSON_ArrayForEach(one, type) {
		if (cJSON_IsString(one) &&
		    strcmp(one->valuestring, "array") == 0)
			return true;
	}
	return false;
}

/* Anywhere in a value: what is no schema there says no "type":"array" either. */
/* NOLINTNEXTLINE(misc-no-recursion): to JUDGE_DEPTH */
static bool has_bare_array(const cJSON *value, int depth)
{
	const cJSON *one;

	if (depth > JUDGE_DEPTH)
		return false;
	if (cJSON_IsObject(value) && says_array(value) &&
	    !json_object(value, "items"))
		return true;
	cJSON_ArrayForEach(one, value) {
		if (has_bare_array(one, depth + 1))
			return true;
	}
	return false;
}

static const char *odd_key(const cJSON *schema)
{
	const cJSON *one;

	cJSON_ArrayForEach(one, json_object(schema, "properties")) {
		if (!*one->string || strlen(one->string) > KEY_MAX ||
		    odd_character(one->string, "_.-"))
			return one->string;
	}
	return NULL;
}

static bool schema_refused(const struct host_fact *h, const char *name,
			   const cJSON *schema, struct buf *why)
{
	const char *key = h->plain_keys ? odd_key(schema) : NULL;

	if (h->array_items && has_bare_array(schema, 0))
		buf_printf(why, "'%.100s' has an array without items", name);
	else if (h->plain_root &&
		 (json_member(schema, "anyOf") ||
		  json_member(schema, "oneOf") || json_member(schema, "allOf")))
		buf_printf(
			why,
			"'%.100s' has alternatives on the first level of its schema",
			name);
	else if (key)
		buf_printf(why, "'%.100s' has an argument '%.100s'", name, key);
	return why->len > 0;
}

/* ---- verdicts ---- */

static void judge_tool(struct host_verdict *v, const char *name,
		       const cJSON *schema, const char *server)
{
	CLEANUP(buf_done) struct buf why = { 0 };

	v->tools++;
	v->cut += v->host->cuts_names && is_too_long(v->host, name, server);
	if (!name_refused(v->host, name, server, &why) &&
	    !schema_refused(v->host, name, schema, &why))
		return;
	v->refused++;
	v->none = v->host->all_or_none;
	if (!v->why)
		v->why = buf_take(&why);
}

static void judge_number(struct host_verdict *v)
{
	const size_t most = (size_t)v->host->max_tools;

	if (most && v->tools > most)
		v->above = v->tools - most;
}

void host_verdicts_find(struct host_verdicts *out,
			const struct bridge_catalogue *c, const char *server)
{
	size_t count;
	const struct host_fact *facts = host_facts(&count);

	*out = (struct host_verdicts){
		mem_zalloc((count + 1) * sizeof(*out->item)), count
	};
	for (size_t h = 0; h < count; h++)
		out->item[h].host = &facts[h];
	for (size_t i = 0; i < c->count; i++) {
		const struct bridge_tool *t = &c->tool[i];
		CLEANUP(json_free_ptr) cJSON *json = NULL;

		if (!t->json)
			continue;
		json = json_parse(t->json, strlen(t->json), NULL);
		for (size_t h = 0; h < count; h++)
			judge_tool(&out->item[h], t->name,
				   json_object(json, "inputSchema"), server);
	}
	for (size_t h = 0; h < count; h++)
		judge_number(&out->item[h]);
}

void host_verdicts_done(struct host_verdicts *v)
{
	for (size_t i = 0; i < v->count; i++)
		mem_free(v->item[i].why);
	mem_free(v->item);
	*v = (struct host_verdicts){ 0 };
}

static void add_tools(struct buf *out, size_t count)
{
	buf_printf(out, "%zu %s", count, count == 1 ? "tool" : "tools");
}

void host_verdict_words(struct buf *out, const struct host_verdict *v)
{
	const bool none = v->none || (v->tools && v->refused == v->tools);

	if (none) {
		buf_text(out, "takes none of ");
		add_tools(out, v->tools);
	} else if (v->refused) {
		buf_printf(out, "refuses %zu of ", v->refused);
		add_tools(out, v->tools);
	} else {
		buf_text(out, "takes ");
		add_tools(out, v->tools);
	}
	if (v->why)
		buf_printf(out, ": %s", v->why);
	if (v->cut)
		buf_printf(out, "; cuts the names of %zu", v->cut);
	if (v->above)
		buf_printf(out,
			   "; %lld is the most that it takes of all servers",
			   (long long)v->host->max_tools);
}

/* ---- by its own name ---- */

static bool is_called(const char *who, const char *client)
{
	const size_t len = strlen(client);

	return len && text_starts(who, client) &&
	       (!who[len] || who[len] == '/');
}

bool host_reads_json(const char *who)
{
	size_t count;
	const struct host_fact *facts = host_facts(&count);

	for (size_t i = 0; who && i < count; i++) {
		if (facts[i].reads_json && is_called(who, facts[i].client))
			return true;
	}
	return false;
}
