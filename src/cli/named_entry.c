/* SPDX-License-Identifier: MIT */
/*
 * What an entry of an mcp.json means: its variables, how it may be shown, the
 * endpoint that it is.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mask.h"
#include "base/mem.h"
#include "base/split.h"
#include "base/text.h"
#include "cli/named_entry.h"
#include "net/head.h"

/*
 * Variables in texts. Only the form with braces is one: a '$' elsewhere is
 * itself.
 */

#define SHOWN_MAX 60 /* bytes of what is not understood */

static size_t name_length(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len &&
	       (text[n] == '_' || (text[n] >= 'A' && text[n] <= 'Z') ||
		(text[n] >= 'a' && text[n] <= 'z') ||
		(n && text[n] >= '0' && text[n] <= '9')))
		n++;
	return n;
}

/* What only the program knows whose file it is. */
static const struct {
	const char *begin, *what;
} elsewhere[] = {
	{ "input:", "its editor asks for it" },
	{ "workspaceFolder", "it is the folder that its editor has open" },
	{ "command:", "its editor finds it out" },
	{ "{", "it is kept by its client" },
};

static int unknown_here(const char *inside, size_t len, struct error *err)
{
	for (size_t i = 0; i < COUNT(elsewhere); i++) {
		if (len < strlen(elsewhere[i].begin) ||
		    !text_starts(inside, elsewhere[i].begin))
			continue;
		error_set(err, ERR_USAGE,
			  "'${%.*s}%s' cannot be known here: %s",
			  (int)(len < SHOWN_MAX ? len : SHOWN_MAX), inside,
			  *inside == '{' ? "}" : "", elsewhere[i].what);
		error_hint(
			err,
			"put the entry into your own mcp.json, with a variable of the environment in its place: ${NAME}");
		return -1;
	}
	return 0;
}

static int not_understood(const char *inside, size_t len, struct error *err)
{
	error_set(err, ERR_USAGE, "'${%.*s}' is not understood",
		  (int)(len < SHOWN_MAX ? len : SHOWN_MAX), inside);
	return error_hint(
		err,
		"expected ${NAME} or ${NAME:-default}, from the environment");
}

/* Bytes in front of the name. */
static size_t prefix_length(const char *inside, size_t len)
{
	return len > 4 && strncmp(inside, "env:", 4) == 0 ? 4 : 0;
}

/* What stands between the braces. */
static int add_variable(struct buf *out, const char *inside, size_t len,
			struct error *err)
{
	CLEANUP(mem_free_ptr) char *name = NULL;
	const char *value;
	size_t n, skip = prefix_length(inside, len);

	n = name_length(inside + skip, len - skip);
	name = mem_strndup(inside + skip, n);
	n += skip;
	value = n > skip ? getenv(name) : NULL;
	if (!value && unknown_here(inside, len, err))
		return -1;
	if (n > skip && n == len) {
		if (value)
			return buf_text(out, value);
		error_set(err, ERR_USAGE, "the variable '%s' is not set", name);
		return error_hint(
			err,
			"set it, or give it a default in the file: ${%s:-…}",
			name);
	}
	if (n == skip || len - n < 2 || strncmp(inside + n, ":-", 2) != 0)
		return not_understood(inside, len, err);
	if (value && *value)
		return buf_text(out, value);
	return buf_add(out, inside + n + 2, len - n - 2);
}

static int expand(struct buf *out, const char *text, struct error *err)
{
	while (*text) {
		const char *start = strstr(text, "${"), *end;

		if (!start)
			return buf_text(out, text);
		end = strchr(start, '}');
		if (!end)
			return error_set(err, ERR_USAGE,
					 "a '${' is not closed by '}'");
		if (buf_add(out, text, (size_t)(start - text)) ||
		    add_variable(out, start + 2, (size_t)(end - start - 2),
				 err))
			return -1;
		text = end + 1;
	}
	return 0;
}

char *named_expand(const char *text, struct error *err)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_init(&out, NAMED_TEXT_MAX);
	if (expand(&out, text, err) == 0)
		return buf_take(&out);
	if (out.full)
		error_set(err, ERR_USAGE, "it is longer than %u kB",
			  NAMED_TEXT_MAX >> 10);
	return NULL;
}

void named_expand_names(struct words *out, const char *text, size_t max)
{
	while (out->count < max && (text = strstr(text, "${")) != NULL) {
		size_t len = strcspn(text += 2, "}");
		size_t skip = prefix_length(text, len);
		CLEANUP(mem_free_ptr)
		char *name = mem_strndup(text + skip,
					 name_length(text + skip, len - skip));

		if (*name)
			words_add_once(out, name);
		text += len;
	}
}

/*
 * An entry of an mcp.json as it may be shown: variables by their names, and
 * what looks like a secret as ***.
 */

#define HIDDEN "***"

/* Whether the value of something that is called so is a secret. */
static bool is_secret(const char *name, size_t len)
{
	static const char *const words[] = {
		"key",	"token",      "secret",	   "passw", "passwd",
		"auth", "credential", "signature", "cookie"
	};
	CLEANUP(mem_free_ptr) char *copy = mem_strndup(name, len);

	for (size_t i = 0; i < COUNT(words); i++) {
		if (text_find(copy, words[i]))
			return true;
	}
	return false;
}

/* Bytes of the variable that text begins with; 0: it begins with none. */
static size_t variable_length(const char *text, size_t len)
{
	const char *end = len > 2 && strncmp(text, "${", 2) == 0 ?
				  memchr(text, '}', len) :
				  NULL;

	return end ? (size_t)(end + 1 - text) : 0;
}

/* Its name is no secret; what it stands for if it is not set may be one. */
static void add_variable_name(struct buf *out, const char *text, size_t len)
{
	const char *other = memmem(text, len, ":-", 2);
	size_t head = other ? (size_t)(other + 2 - text) : len - 1;

	buf_add(out, text, head);
	if (head < len - 1)
		buf_text(out, HIDDEN);
	buf_char(out, '}');
}

/* What stands beside variables, and behind the scheme of a header. */
static void add_hidden(struct buf *out, const char *value, size_t len)
{
	size_t own = mask_scheme(value, len);
	bool hidden = false;

	buf_add(out, value, own);
	for (size_t at = own; at < len; at += own ? own : 1) {
		own = variable_length(value + at, len - at);
		if (own)
			add_variable_name(out, value + at, own);
		else if (!hidden)
			buf_text(out, HIDDEN);
		hidden = !own;
	}
}

static void add_value(struct buf *out, const char *value, size_t len,
		      bool secret)
{
	if (secret)
		add_hidden(out, value, len);
	else
		buf_add(out, value, len);
}

/* "a=1&key=2" behind the '?'. */
static void add_query(struct buf *out, const char *query)
{
	while (*query) {
		size_t len = strcspn(query, "&"), name = strcspn(query, "=&");
		size_t value = name < len ? name + 1 : len;

		buf_add(out, query, value);
		add_value(out, query + value, len - value,
			  is_secret(query, name));
		query += len;
		if (*query)
			buf_char(out, *query++);
	}
}

/* What stands before '@' in the authority is user and password. */
static const char *skip_user(struct buf *out, const char *url)
{
	const char *host = strstr(url, "://");
	size_t len;

	if (!host)
		return url;
	host += 3;
	len = strcspn(host, "/?#");
	buf_add(out, url, (size_t)(host - url));
	while (len > 0 && host[len - 1] != '@')
		len--;
	if (len)
		buf_text(out, HIDDEN "@");
	return host + len;
}

static char *masked(struct buf *text)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	mask_secrets(&out, buf_string(text), text->len);
	return buf_take(&out);
}

static char *show_url(const char *url, const char *before)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	const char *rest, *query;

	buf_text(&out, before);
	rest = skip_user(&out, url);
	query = strchr(rest, '?');
	buf_add(&out, rest, query ? (size_t)(query - rest) + 1 : strlen(rest));
	if (query)
		add_query(&out, query + 1);
	return masked(&out);
}

/* "--api-key=x", or "x" behind "--api-key". */
static void add_argument(struct buf *out, const char *word, const char *before)
{
	CLEANUP(buf_done) struct buf shown = { 0 };
	size_t name = strcspn(word, "=");
	bool behind = before && *before == '-' && !strchr(before, '=') &&
		      *word != '-' && is_secret(before, strlen(before));

	if (behind) {
		add_value(&shown, word, strlen(word), true);
	} else if (word[name] && is_secret(word, name)) {
		buf_add(&shown, word, name + 1);
		add_value(&shown, word + name + 1, strlen(word + name + 1),
			  true);
	} else {
		mask_secrets(&shown, word, strlen(word));
	}
	buf_char(out, ' ');
	words_quote(out, buf_string(&shown));
}

bool named_entry_is_program(const cJSON *entry)
{
	const char *type = json_string(entry, "type");

	return json_string(entry, "command") &&
	       (!type || strcmp(type, "stdio") == 0 ||
		!json_string(entry, "url"));
}

static char *show_program(const cJSON *entry)
{
	const char *command = json_string(entry, "command"), *before = NULL;
	CLEANUP(buf_done) struct buf out = { 0 };
	const cJSON *argument;

	buf_text(&out, "stdio:");
	words_quote(&out, command);
	cJSON_ArrayForEach(argument, json_array(entry, "args")) {
		if (!cJSON_IsString(argument))
			continue;
		add_argument(&out, argument->valuestring, before);
		before = argument->valuestring;
	}
	return buf_take(&out);
}

char *named_entry_shown(const cJSON *entry)
{
	const char *type = json_string(entry, "type");
	const char *url = json_string(entry, "url");

	if (named_entry_is_program(entry))
		return show_program(entry);
	if (!url || (type && strcmp(type, "stdio") == 0))
		return mem_strdup("");
	return show_url(url, type && strcmp(type, "sse") == 0 ? "sse+" : "");
}

char *named_header_shown(const char *name, const char *value)
{
	const bool secret = is_secret(name, strlen(name));
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_printf(&text, "%s: ", name);
	/* What is sent is what it names: "Bearer ${TOKEN}". */
	if (secret || strstr(value, "${")) {
		add_value(&text, value, strlen(value), secret);
		return buf_take(&text);
	}
	buf_text(&text, value);
	return masked(&text);
}

/*
 * From the JSON of an entry to an endpoint.
 */

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

	e->scheme = scheme_find("stdio", strlen("stdio"));
	if (take_argv(e, entry, err) || take_cwd(e, entry, place, err))
		return -1;
	if (!is_kind(entry, "env", cJSON_Object, err))
		return -1;
	cJSON_ArrayForEach(member, json_object(entry, "env")) {
		if (!cJSON_IsNull(member) && take_setting(e, member, err))
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
			return error_set(
				err, ERR_USAGE,
				"the value of the header %.60s has a control character",
				member->string);
		headers_add(&e->headers, member->string, value);
	}
	return 0;
}

/* As it stands there: cli/credentials judges it, and knows its variables. */
static void take_oauth(struct endpoint *e, const cJSON *entry)
{
	const cJSON *member = json_member(entry, "oauth");
	CLEANUP(buf_done) struct buf text = { 0 };

	if (!member || cJSON_IsNull(member))
		return;
	json_print(&text, member);
	e->oauth = buf_take(&text);
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
		return error_set(
			err, ERR_USAGE,
			"a program is no \"url\": it has \"command\" and \"args\"");
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
	if (!url || check_scheme(url, type, err))
		return -1;
	text = mem_printf("%s%s", type ? type->before : "", url);
	/* Not named, since variables may have brought secrets into it. */
	if (endpoint_read(e, text, place->file, err))
		return error_prefix(err, "\"url\" is no target");
	take_oauth(e, entry);
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
	if (program && json_string(entry, "envFile")) {
		error_set(
			err, ERR_USAGE,
			"\"envFile\" is not read here, and the program may need what stands there");
		return error_hint(
			err,
			"put the entry into your own mcp.json, with \"env\"");
	}
	if (find_type(&type, entry, err))
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

static int take_era(struct endpoint *e, const cJSON *entry, struct error *err)
{
	static const char *const eras[] = { "auto", "modern", "legacy" };
	const cJSON *member = json_member(entry, "protocolEra");
	const char *name = cJSON_GetStringValue(member);

	for (size_t i = 0; name && i < COUNT(eras); i++) {
		if (strcmp(name, eras[i]) == 0) {
			e->era = (enum era_wish)i;
			return 0;
		}
	}
	if (!member || cJSON_IsNull(member))
		return 0;
	error_set(err, ERR_USAGE, "\"protocolEra\" is no era");
	return error_hint(err, "expected auto, modern or legacy");
}

int named_entry_endpoint(struct endpoint *out, const cJSON *entry,
			 const struct named_place *place, struct error *err)
{
	*out = (struct endpoint){ 0 };
	if (take(out, entry, place, err)) {
		endpoint_done(out);
		return -1;
	}
	if (take_era(out, entry, err)) {
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
