/* SPDX-License-Identifier: MIT */
/*
 * A profile is read, with the chain of what it extends, the root of the chain
 * first. What the members mean is in profile_apply.c and profile_tools.c.
 */
#include "sim/profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

/* The extra tools of --fill, as in the recording with 200-byte descriptions. */
static const char fill_generator[] =
	"{\"name\":\"self.fill.t${n:3}\",\"result\":true,\"description\":\""
	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}";

/* One file of the chain; the first extends the second, and so on. */
struct part {
	char *file;
	cJSON *tree;
};

struct chain {
	struct part part[PROFILE_EXTENDS_MAX];
	size_t count;
};

int profile_state(const struct profile *p, const char *name)
{
	size_t i;

	for (i = 0; i < p->state_count; i++) {
		if (!strcmp(p->state[i].name, name))
			return (int)i;
	}
	return -1;
}

void profile_free(struct profile *p)
{
	size_t i;

	if (!p)
		return;
	server_catalog_done(&p->catalog);
	for (i = 0; i < p->state_count; i++) {
		mem_free(p->state[i].name);
		mem_free(p->state[i].value);
	}
	for (i = 0; i < p->tree_count; i++)
		cJSON_Delete(p->tree[i]);
	mem_free(p->state);
	mem_free(p->tree);
	mem_free(p->name);
	mem_free(p->file);
	mem_free(p->brief);
	mem_free(p->device_id);
	mem_free(p->client_id);
	mem_free(p);
}

static void chain_done(struct chain *c)
{
	size_t i;

	for (i = 0; i < c->count; i++) {
		mem_free(c->part[i].file);
		cJSON_Delete(c->part[i].tree);
	}
}

static void keep_tree(struct profile *p, cJSON *tree)
{
	p->tree = mem_realloc(p->tree, (p->tree_count + 1) * sizeof(cJSON *));
	p->tree[p->tree_count++] = tree;
}

/* What a board says where a profile says nothing. */
static void set_defaults(struct profile *p)
{
	snprintf(p->about.board_name, sizeof(p->about.board_name),
		 "mcpctl-sim");
	snprintf(p->about.board_type, sizeof(p->about.board_type), "wifi");
	snprintf(p->about.version, sizeof(p->about.version), "2.4.2");
	snprintf(p->about.language, sizeof(p->about.language), "en-US");
	snprintf(p->about.chip, sizeof(p->about.chip), "esp32s3");
	p->about.flash_size = 16777216;
	p->hello.features = true;
	p->hello.mcp = true;
	p->hello.has_glyph_push = true;
	p->hello.sample_rate = 16000;
	p->hello.channels = 1;
	p->hello.frame_duration = 60;
	p->device_id = mem_strdup("02:00:00:00:00:01");
	p->client_id = mem_strdup("00000000-0000-4000-8000-000000000001");
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

static int no_such(const char *name, const char *beside, struct error *err)
{
	CLEANUP(words_done) struct words names = { 0 };
	CLEANUP(words_done) struct words folders = { 0 };
	const char *near;
	struct buf list;
	size_t i;

	if (strchr(name, '/'))
		return error_set(err, ERR_USAGE,
				 "cannot read the profile '%s': %s", name,
				 strerror(errno));
	profile_names(&names);
	profile_folders(&folders);
	near = text_nearest(name, (const char *const *)names.word, names.count);
	error_set(err, ERR_USAGE, "there is no profile '%s'%s%s%s", name,
		  near ? " (did you mean '" : "", near ? near : "",
		  near ? "'?)" : "");
	error_hint(err,
		   "a profile is a name, or a path with '/' in it; 'mcpctl "
		   "help profile' lists them and tells how to write one");
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
static int link_part(struct chain *c, const char *file, cJSON *tree,
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

static int add_named(struct chain *c, const char *name, const char *beside,
		     struct error *err)
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

/* The folder of the chain's last file; NULL if its name has none. */
static char *folder_of(const char *file)
{
	const char *slash = strrchr(file, '/');

	return slash ? mem_strndup(file, (size_t)(slash - file)) : NULL;
}

/*
 * Follow `extends` from the last file to the root. A profile of the same name
 * as the one it extends (an own esp32 over the installed one) is found beside
 * itself first, which link_part reports.
 */
static int follow(struct chain *c, struct error *err)
{
	for (;;) {
		const struct part *last = &c->part[c->count - 1];
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

static char *name_of(const char *file)
{
	const char *slash = strrchr(file, '/');
	const char *from = slash ? slash + 1 : file;
	const char *dot = strrchr(from, '.');

	return dot ? mem_strndup(from, (size_t)(dot - from)) : mem_strdup(from);
}

static void finish(struct profile *p)
{
	size_t i;

	p->catalog.board = p->about.board_name;
	p->catalog.version = p->about.version;
	for (i = 0; i < p->catalog.count; i++)
		server_tool_prepare(p->catalog.tool + i, p->dialect);
}

static int change(struct profile *p, const struct profile_changes *changes,
		  struct error *err)
{
	struct reader r = { .file = "--fill", .err = err };
	cJSON *generator;

	if (!changes)
		return 0;
	if (changes->next_firmware)
		p->dialect = SERVER_NEXT;
	if (!changes->fill)
		return 0;
	generator = cJSON_Parse(fill_generator);
	keep_tree(p, generator);
	return profile_generate(p, &r, generator, changes->fill);
}

/* Build from a complete chain, which is emptied. */
static struct profile *
build(struct chain *c, const struct profile_changes *changes, struct error *err)
{
	struct profile *p = mem_zalloc(sizeof(*p));
	size_t i;

	set_defaults(p);
	p->file = mem_strdup(c->part[0].file);
	p->name = name_of(p->file);
	for (i = c->count; i-- > 0;) {
		struct reader r = { .file = c->part[i].file, .err = err };

		keep_tree(p, TAKE(c->part[i].tree));
		if (!profile_apply(p, &r, p->tree[p->tree_count - 1]))
			continue;
		profile_free(p);
		return NULL;
	}
	if (change(p, changes, err)) {
		profile_free(p);
		return NULL;
	}
	finish(p);
	return p;
}

struct profile *profile_load(const char *name,
			     const struct profile_changes *changes,
			     struct error *err)
{
	CLEANUP(chain_done) struct chain c = { .count = 0 };

	if (add_named(&c, name ? name : PROFILE_DEFAULT, NULL, err) ||
	    follow(&c, err))
		return NULL;
	return build(&c, changes, err);
}

char *profile_brief(const char *name)
{
	CLEANUP(mem_free_ptr) char *file = profile_find(name, NULL);
	CLEANUP(buf_done) struct buf text;
	CLEANUP(json_free_ptr) cJSON *tree = NULL;
	const char *brief;

	buf_init(&text, PROFILE_FILE_MAX);
	if (file && !file_read(&text, "profile", file, NULL))
		tree = json_parse(buf_string(&text), text.len, NULL);
	if (!cJSON_IsObject(tree))
		return NULL;
	brief = json_string(tree, "brief");
	return mem_strdup(brief ? brief : "");
}

struct profile *profile_parse(const char *text, size_t len, const char *file,
			      struct error *err)
{
	CLEANUP(chain_done) struct chain c = { .count = 0 };
	cJSON *tree = parse(file, text, len, err);

	if (!tree || link_part(&c, file, tree, err) || follow(&c, err))
		return NULL;
	return build(&c, NULL, err);
}
