/* SPDX-License-Identifier: MIT */
/*
 * An entry of an mcp.json as it may be shown: variables by their names, and
 * what looks like a secret as ***.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/named_entry.h"
#include "out/mask.h"

#define HIDDEN "***"

/* Whether the value of something that is called so is a secret. */
static bool is_secret(const char *name, size_t len)
{
	static const char *const words[] = { "key",	   "token",    "secret",
					     "passw",	   "passwd",   "auth",
					     "credential", "signature" };
	CLEANUP(mem_free_ptr) char *copy = mem_strndup(name, len);

	for (size_t i = 0; i < COUNT(words); i++) {
		if (text_find(copy, words[i]))
			return true;
	}
	return false;
}

/* A variable is no secret: its name is what stands there. */
static void add_value(struct buf *out, const char *value, size_t len,
		      bool secret)
{
	if (secret && len && strncmp(value, "${", 2) != 0)
		buf_text(out, HIDDEN);
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
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_printf(&text, "%s: ", name);
	/* What is sent is what it names: "Bearer ${TOKEN}". */
	if (strstr(value, "${")) {
		buf_text(&text, value);
		return buf_take(&text);
	}
	buf_text(&text, is_secret(name, strlen(name)) ? HIDDEN : value);
	return masked(&text);
}
