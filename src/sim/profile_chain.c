/* SPDX-License-Identifier: MIT */
/*
 * Profile files found, read and parsed, with what they extend. What stands in
 * them is not looked at, but for `extends`.
 */
#include "sim/profile_chain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "sim/profile.h"

void profile_chain_done(struct profile_chain *c)
{
	size_t i;

	for (i = 0; i < c->count; i++) {
		mem_free(c->part[i].file);
		cJSON_Delete(c->part[i].tree);
	}
}

/* Where a person finds the byte that json_parse names; "" if it names none. */
static void find_byte(const struct error *err, const char *text, size_t len,
		      struct buf *out)
{
	const char *digits = strstr(err->text, "at byte ");
	size_t byte, i, line = 1, column = 1;

	if (!digits)
		return;
	byte = (size_t)strtoull(digits + strlen("at byte "), NULL, 10);
	for (i = 0; i < byte && i < len; i++) {
		column++;
		if (text[i] == '\n') {
			column = 1;
			line++;
		}
	}
	buf_printf(out, ", line %zu, column %zu", line, column);
}

static cJSON *parse(const char *file, const char *text, size_t len,
		    struct error *err)
{
	struct error why = { 0 };
	cJSON *tree = json_parse(text, len, &why);
	struct buf where;

	if (tree)
		return tree;
	buf_init(&where, 0);
	find_byte(&why, text, len, &where);
	error_set(err, ERR_USAGE, "profile '%s'%s: %s", file,
		  buf_string(&where), why.text);
	error_hint(err, "a profile is one JSON object; 'mcpctl help profile' "
			"tells what stands in it");
	buf_done(&where);
	error_reset(&why);
	return NULL;
}

static int no_such_path(const char *path, const char *beside, struct error *err)
{
	error_set(err, ERR_USAGE, "cannot read the profile '%s': %s", path,
		  strerror(errno));
	if (!beside || *path == '/')
		return -1;
	return error_hint(err,
			  "it was looked for in %.200s, beside the file that "
			  "extends it, and from the current folder",
			  *beside ? beside : "/");
}

static int no_such(const char *name, const char *beside, struct error *err)
{
	CLEANUP(words_done) struct words names = { 0 };
	CLEANUP(words_done) struct words folders = { 0 };
	CLEANUP(mem_free_ptr) char *near = NULL;
	struct buf list;
	size_t i;

	if (profile_is_path(name))
		return no_such_path(name, beside, err);
	profile_names(&names);
	profile_folders(&folders);
	near = text_proposal(name, (const char *const *)names.word,
			     names.count);
	error_set(err, ERR_USAGE, "there is no profile '%s'%s", name, near);
	error_hint(err,
		   "a profile is a name, or a path with '/' in it or .json at "
		   "its end; 'mcpctl help profile' lists them and tells how "
		   "to write one");
	buf_init(&list, 0);
	buf_text(&list, "looked in:");
	if (beside)
		buf_printf(&list, "\n  %s", beside);
	for (i = 0; i < folders.count; i++)
		buf_printf(&list, "\n  %s", folders.word[i]);
	error_detail(err, buf_string(&list), list.len);
	buf_done(&list);
	return -1;
}

/* Add the file to the chain. Takes tree, also on failure. */
static int link_part(struct profile_chain *c, const char *file, cJSON *tree,
		     struct error *err)
{
	size_t i;

	for (i = 0; i < c->count; i++) {
		if (strcmp(c->part[i].file, file) != 0)
			continue;
		cJSON_Delete(tree);
		return error_set(err, ERR_USAGE,
				 "profile '%s' extends itself, by way of '%s'",
				 file, c->part[c->count - 1].file);
	}
	if (c->count == PROFILE_EXTENDS_MAX) {
		cJSON_Delete(tree);
		return error_set(err, ERR_USAGE,
				 "profile '%s' extends more than %d others",
				 c->part[0].file, PROFILE_EXTENDS_MAX - 1);
	}
	c->part[c->count].file = mem_strdup(file);
	c->part[c->count++].tree = tree;
	return 0;
}

static int add_named(struct profile_chain *c, const char *name,
		     const char *beside, struct error *err)
{
	CLEANUP(mem_free_ptr) char *file = profile_find(name, beside);
	CLEANUP(buf_done) struct buf text;
	cJSON *tree;

	buf_init(&text, PROFILE_FILE_MAX);
	if (!file)
		return no_such(name, beside, err);
	if (file_read(&text, "profile", file, err))
		return -1;
	tree = parse(file, buf_string(&text), text.len, err);
	return tree ? link_part(c, file, tree, err) : -1;
}

/* Where the file lies; yours. */
static char *folder_of(const char *file)
{
	const char *slash = strrchr(file, '/');

	return slash ? mem_strndup(file, (size_t)(slash - file)) :
		       mem_strdup(".");
}

/*
 * Follow `extends` from the last file to the root. A profile of the same name
 * as the one it extends (an own esp32 over the installed one) is found beside
 * itself first, which link_part reports.
 */
static int follow(struct profile_chain *c, struct error *err)
{
	for (;;) {
		const struct profile_part *last = &c->part[c->count - 1];
		const cJSON *extends = json_member(last->tree, "extends");
		char *beside;
		int bad;

		if (!extends)
			return 0;
		if (!cJSON_IsString(extends))
			return error_set(err, ERR_USAGE,
					 "profile '%s', extends: expected the "
					 "name of a profile",
					 last->file);
		beside = folder_of(last->file);
		bad = add_named(c, extends->valuestring, beside, err);
		mem_free(beside);
		if (bad)
			return -1;
	}
}

int profile_chain_read(struct profile_chain *c, const char *name,
		       struct error *err)
{
	return add_named(c, name, NULL, err) || follow(c, err) ? -1 : 0;
}

int profile_chain_parse(struct profile_chain *c, const char *text, size_t len,
			const char *file, struct error *err)
{
	cJSON *tree = parse(file, text, len, err);

	return !tree || link_part(c, file, tree, err) || follow(c, err) ? -1 :
									  0;
}

static const char *kind_of(const cJSON *tree)
{
	const char *kind = json_string(tree, "kind");

	return kind ? kind : "device";
}

static int wrong_kind(const char *file, const char *found, const char *wanted,
		      struct error *err)
{
	bool service = !strcmp(found, "service");

	if (!service && strcmp(found, "device") != 0)
		return error_set(err, ERR_USAGE,
				 "profile '%s', kind: expected \"device\" or "
				 "\"service\"",
				 file);
	error_set(err, ERR_USAGE, "profile '%s' is a %s, and a %s is needed",
		  file, found, wanted);
	return error_hint(err, service ? "a service needs \"kind\": "
					 "\"service\" in each of its files; "
					 "'mcpctl sim NAME' and the target "
					 "sim:NAME run one" :
					 "a service's file says \"kind\": "
					 "\"service\"");
}

int profile_chain_kind(const struct profile_chain *c, const char *kind,
		       struct error *err)
{
	size_t i;

	for (i = 0; i < c->count; i++) {
		const char *found = kind_of(c->part[i].tree);

		if (strcmp(found, kind) != 0)
			return wrong_kind(c->part[i].file, found, kind, err);
	}
	return 0;
}

cJSON *profile_alone(const char *name)
{
	CLEANUP(mem_free_ptr) char *file = profile_find(name, NULL);
	CLEANUP(buf_done) struct buf text;

	buf_init(&text, PROFILE_FILE_MAX);
	if (!file || file_read(&text, "profile", file, NULL))
		return NULL;
	return json_parse(buf_string(&text), text.len, NULL);
}

/* Of either kind, so that lists show both. */
char *profile_brief(const char *name)
{
	CLEANUP(json_free_ptr) cJSON *tree = profile_alone(name);
	const char *brief;

	if (!cJSON_IsObject(tree))
		return NULL;
	brief = json_string(tree, "brief");
	return mem_strdup(brief ? brief : "");
}
