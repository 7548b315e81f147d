/* SPDX-License-Identifier: MIT */
/*
 * From the JSON of an entry to an endpoint. How it is shown, which is without
 * its secrets, is named_shown.c's matter.
 */
#include "cli/named_entry.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/named_expand.h"

/* ---- which kind ---- */

struct entry_type {
	const char *name;
	const char *
		scheme; /* that its URL must have, or that with an 's'; NULL: it has none */
	const char *before; /* put before its URL */
};

/* As other clients spell them. */
static const struct entry_type types[] = {
	{ "stdio", NULL, "" },
	{ "http", "http", "" },
	{ "streamable-http", "http", "" },
	{ "streamableHttp", "http", "" },
	{ "sse", "http", "sse+" },
	{ "ws", "ws", "" },
	{ "websocket", "ws", "" },
};

/* *out NULL: the entry names none. */
static int find_type(const struct entry_type **out, const cJSON *entry,
		     struct error *err)
{
	const char *name = json_string(entry, "type");

	*out = NULL;
	if (!name && json_member(entry, "type"))
		return error_set(err, ERR_USAGE, "\"type\" is no text");
	for (size_t i = 0; name && i < COUNT(types); i++) {
		if (strcmp(types[i].name, name) == 0)
			*out = &types[i];
	}
	if (!name || *out)
		return 0;
	error_set(err, ERR_USAGE, "the type '%.40s' is not known", name);
	return error_hint(err, "expected stdio, http, sse or ws");
}

static bool has_scheme(const char *url, const char *scheme)
{
	size_t len = strlen(scheme);

	if (strncasecmp(url, scheme, len) != 0)
		return false;
	return text_starts(url + len + (url[len] == 's' || url[len] == 'S'),
			   "://");
}

/* ---- members ---- */

/* The text of a member with its variables; yours. NULL: err names it. */
static char *expand_member(const cJSON *member, const char *of,
			   struct error *err)
{
	const char *name = member->string;
	char *out;

	if (!cJSON_IsString(member)) {
		error_set(err, ERR_USAGE, "%s%s%s is no text", of ? of : "",
			  of && name ? " " : "", name ? name : "");
		return NULL;
	}
	out = named_expand(member->valuestring, err);
	if (!out)
		error_prefix(err, "%s%s%s", of ? of : "", of && name ? " " : "",
			     name ? name : "");
	return out;
}

/* False: it is there, and of another type. */
static bool is_kind(const cJSON *entry, const char *name, int type,
		    struct error *err)
{
	const cJSON *member = json_member(entry, name);

	if (!member || (member->type & 0xff) == type || cJSON_IsNull(member))
		return true;
	error_set(err, ERR_USAGE, "\"%s\" is no %s", name,
		  type == cJSON_Array ? "array" : "object");
	return false;
}

/* ---- a program ---- */

static int take_argv(struct endpoint *e, const cJSON *entry, struct error *err)
{
	const cJSON *command = json_member(entry, "command"), *argument;
	CLEANUP(mem_free_ptr) char *program = NULL;

	if (!command)
		return error_set(err, ERR_USAGE, "there is no \"command\"");
	program = expand_member(command, NULL, err);
	if (!program)
		return -1;
	if (!*program)
		return error_set(err, ERR_USAGE, "\"command\" is empty");
	words_add(&e->argv, program);
	if (!is_kind(entry, "args", cJSON_Array, err))
		return -1;
	cJSON_ArrayForEach(argument, json_array(entry, "args")) {
		CLEANUP(mem_free_ptr)
		char *word = expand_member(argument, "an argument", err);

		if (!word)
			return -1;
		words_add(&e->argv, word);
	}
	return 0;
}

static int take_setting(struct endpoint *e, const cJSON *member,
			struct error *err)
{
	const char *name = member->string;
	CLEANUP(mem_free_ptr) char *value = NULL, *setting = NULL;

	if (!*name || strchr(name, '='))
		return error_set(err, ERR_USAGE,
				 "'%.60s' is no name of a variable", name);
	/* Ports are often written as numbers. */
	if (cJSON_IsNumber(member)) {
		CLEANUP(buf_done) struct buf number = { 0 };

		json_print(&number, member);
		value = buf_take(&number);
	} else {
		value = expand_member(member, "\"env\"", err);
	}
	if (!value)
		return -1;
	setting = mem_printf("%s=%s", name, value);
	words_add(&e->env, setting);
	return 0;
}

static char *join_folder(const char *folder, const char *path)
{
	if (*path == '/' || !folder)
		return mem_strdup(path);
	return mem_printf("%s/%s", folder, path);
}

static int take_cwd(struct endpoint *e, const cJSON *entry,
		    const struct named_place *place, struct error *err)
{
	const cJSON *member = json_member(entry, "cwd");
	CLEANUP(mem_free_ptr) char *path = NULL;

	if (!member || cJSON_IsNull(member)) {
		e->cwd = mem_strdup(place->folder);
		return 0;
	}
	path = expand_member(member, NULL, err);
	if (!path)
		return -1;
	e->cwd = *path ? join_folder(place->folder, path) :
			 mem_strdup(place->folder);
	return 0;
}

static int take_program(struct endpoint *e, const cJSON *entry,
			const struct named_place *place, struct error *err)
{
	const cJSON *member;

	e->scheme = mem_strdup("stdio");
	if (take_argv(e, entry, err) != 0 ||
	    take_cwd(e, entry, place, err) != 0)
		return -1;
	if (!is_kind(entry, "env", cJSON_Object, err))
		return -1;
	cJSON_ArrayForEach(member, json_object(entry, "env")) {
		if (!cJSON_IsNull(member) && take_setting(e, member, err) != 0)
			return -1;
	}
	return 0;
}

/* ---- a URL ---- */

static int take_headers(struct endpoint *e, const cJSON *entry,
			struct error *err)
{
	const cJSON *member;

	if (!is_kind(entry, "headers", cJSON_Object, err))
		return -1;
	cJSON_ArrayForEach(member, json_object(entry, "headers")) {
		CLEANUP(mem_free_ptr) char *value = NULL;

		if (!header_name_fits(member->string))
			return error_set(err, ERR_USAGE,
					 "'%.60s' is no name of a header",
					 member->string);
		value = expand_member(member, "header", err);
		if (!value)
			return -1;
		if (text_has_control(value))
			return error_set(err, ERR_USAGE,
					 "the value of the header %.60s has a "
					 "control character",
					 member->string);
		headers_add(&e->headers, member->string, value);
	}
	return 0;
}

/* endpoint_parse names the target, with what the variables brought: not here. */
static int wrong_url(struct error *err)
{
	char *reason = strstr(err->text, "': ");
	CLEANUP(mem_free_ptr) char *copy = mem_strdup(reason ? reason + 3 : "");

	return error_set(err, ERR_USAGE, "\"url\" is no target%s%s",
			 *copy ? ": " : "", copy);
}

static int check_scheme(const char *url, const struct entry_type *type,
			struct error *err)
{
	if (type && !has_scheme(url, type->scheme)) {
		error_set(err, ERR_USAGE,
			  "\"url\" does not begin with %s:// or %ss://",
			  type->scheme, type->scheme);
		return error_hint(err, "\"type\" is '%s'", type->name);
	}
	if (strncasecmp(url, "stdio:", 6) == 0)
		return error_set(err, ERR_USAGE,
				 "a program is no \"url\": it has \"command\" "
				 "and \"args\"");
	return 0;
}

static int take_url(struct endpoint *e, const cJSON *entry,
		    const struct entry_type *type,
		    const struct named_place *place, struct error *err)
{
	const cJSON *member = json_member(entry, "url");
	CLEANUP(mem_free_ptr) char *url = NULL, *text = NULL;

	if (!member)
		return error_set(err, ERR_USAGE, "there is no \"url\"");
	url = expand_member(member, NULL, err);
	if (!url || check_scheme(url, type, err) != 0)
		return -1;
	text = mem_printf("%s%s", type ? type->before : "", url);
	if (endpoint_parse(e, text, place->file, err) != 0)
		return wrong_url(err);
	return take_headers(e, entry, err);
}

/* ---- the whole ---- */

static int take(struct endpoint *e, const cJSON *entry,
		const struct named_place *place, struct error *err)
{
	bool program = json_member(entry, "command") != NULL;
	bool url = json_member(entry, "url") != NULL;
	const struct entry_type *type;

	if (!cJSON_IsObject(entry))
		return error_set(err, ERR_USAGE, "it is no object");
	if (find_type(&type, entry, err) != 0)
		return -1;
	if (!type && program && url) {
		error_set(err, ERR_USAGE,
			  "it has both \"command\" and \"url\"");
		return error_hint(err, "\"type\" says which of them counts");
	}
	if (type && !type->scheme)
		return take_program(e, entry, place, err);
	if (type)
		return take_url(e, entry, type, place, err);
	if (!program && !url)
		return error_set(err, ERR_USAGE,
				 "it has neither \"command\" nor \"url\"");
	return program ? take_program(e, entry, place, err) :
			 take_url(e, entry, NULL, place, err);
}

int named_entry_endpoint(struct endpoint *out, const cJSON *entry,
			 const struct named_place *place, struct error *err)
{
	*out = (struct endpoint){ 0 };
	if (take(out, entry, place, err) != 0) {
		endpoint_done(out);
		return -1;
	}
	mem_free(out->text);
	out->text = named_entry_shown(entry);
	if (!out->source)
		out->source = mem_strdup(place->file);
	if (out->argv.count) {
		mem_free(out->path);
		out->path = mem_strdup(out->text + strlen("stdio:"));
	}
	return 0;
}
