/* SPDX-License-Identifier: MIT */
/*
 * Names of mcp.json as targets: the one that is asked for, and all. Starts
 * nothing.
 */
#include "cli/named_target.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/named_entry.h"
#include "cli/named_file.h"
#include "cli/named_trust.h"
#include "cli/suggest.h"

#define NAMES_MAX 500 /* candidates for the nearest one */

/* ---- no such name ---- */

static const char *nearest(const struct named_files *files, const char *name)
{
	const char *names[NAMES_MAX] = { NULL };
	const cJSON *entry;
	size_t n = 0;

	for (size_t i = 0; i < files->count; i++) {
		cJSON_ArrayForEach(entry, files->item[i].servers) {
			if (n < NAMES_MAX)
				names[n++] = entry->string;
		}
	}
	return text_nearest(name, names, n);
}

/* Of those that stand in front of number `end`. */
static const struct named_file *first_broken(const struct named_files *files,
					     size_t end)
{
	for (size_t i = 0; i < end; i++) {
		if (!files->item[i].servers)
			return &files->item[i];
	}
	return NULL;
}

static void add_looked(const struct named_files *files, struct error *err)
{
	CLEANUP(buf_done) struct buf list = { 0 };

	buf_text(&list, "looked for in");
	for (size_t i = 0; i < files->looked.count; i++)
		buf_printf(&list, "\n%s", files->looked.word[i]);
	error_detail(err, buf_string(&list), list.len);
}

static void add_broken(const struct named_files *files, struct buf *hint)
{
	const struct named_file *broken = first_broken(files, files->count);

	if (!broken)
		return;
	buf_printf(hint, "a file that may name it is of no use: %s",
		   broken->problem.text);
	if (*broken->problem.hint)
		buf_printf(hint, " (%s)", broken->problem.hint);
}

static void add_near(const char *near, struct buf *hint)
{
	if (near)
		buf_printf(hint,
			   "%sdid you mean '%s'? (mcpctl targets lists them)",
			   hint->len ? "; " : "", near);
}

static void hint_next(const struct named_files *files, const char *name,
		      struct error *err)
{
	CLEANUP(error_reset) struct error other = { 0 };
	CLEANUP(buf_done) struct buf hint = { 0 };

	suggest_target(name, "", &other);
	add_broken(files, &hint);
	add_near(nearest(files, name), &hint);
	error_hint(err, "%s", hint.len ? buf_string(&hint) : other.hint);
}

static int not_found(const struct named_files *files, const char *name,
		     struct error *err)
{
	error_set(err, ERR_USAGE,
		  "'%.100s' is no target: it has no ':', and no mcp.json names "
		  "it",
		  name);
	hint_next(files, name, err);
	add_looked(files, err);
	return -1;
}

/* ---- one of them ---- */

void named_found_done(struct named_found *f)
{
	error_reset(&f->passed);
	mem_free(f->own);
	mem_free(f->shadowed);
	*f = (struct named_found){ 0 };
}

static bool is_usable(const struct named_file *f,
		      const struct named_search *search)
{
	return search->trust || named_trusted(f);
}

static int take(struct endpoint *out, const struct named_file *f,
		const char *name, const struct named_search *search,
		struct error *err)
{
	const struct named_place place = { f->path, f->folder };

	if (!is_usable(f, search) &&
	    (search->ask ? search->ask(search->owner, f, err) :
			   named_trust_refuse(f, NULL, err)) != 0)
		return -1;
	if (named_entry_endpoint(out, named_file_entry(f, name), &place, err) !=
	    0)
		return error_prefix(err, "server '%.100s' of '%.200s'", name,
				    f->path);
	out->foreign = !f->own;
	return 0;
}

/* The number of the first file that has the name; the count: none has. */
static size_t find_file(const struct named_files *files, const char *name)
{
	size_t i = 0;

	while (i < files->count && !named_file_entry(&files->item[i], name))
		i++;
	return i;
}

/* What stands before and behind the file that counts. */
static void look_around(struct named_found *found,
			const struct named_files *files, const char *name)
{
	size_t at = find_file(files, name);
	const struct named_file *broken = first_broken(files, at);

	if (at == files->count)
		return;
	if (broken)
		error_copy(&found->passed, &broken->problem);
	if (!files->item[at].own)
		return;
	for (size_t i = at + 1; i < files->count && !found->shadowed; i++) {
		if (!named_file_entry(&files->item[i], name))
			continue;
		found->own = mem_strdup(files->item[at].path);
		found->shadowed = mem_strdup(files->item[i].path);
	}
}

static int find(struct endpoint *out, const struct named_files *files,
		const char *name, const struct named_search *search,
		struct error *err)
{
	size_t at = find_file(files, name);

	if (search->config_file && !files->item[0].servers) {
		error_copy(err, &files->item[0].problem);
		return -1;
	}
	if (at == files->count)
		return not_found(files, name, err);
	return take(out, &files->item[at], name, search, err);
}

int named_target(struct endpoint *out, const char *name,
		 const struct named_search *search, struct named_found *found,
		 struct error *err)
{
	struct named_files files;
	int status;

	*out = (struct endpoint){ 0 };
	named_files_read(&files, search->config_file);
	if (found)
		look_around(found, &files, name);
	status = find(out, &files, name, search, err);
	named_files_done(&files);
	return status;
}

char *named_target_text(const char *target, const struct named_search *search)
{
	CLEANUP(endpoint_done) struct endpoint named = { 0 };
	struct named_search silent = *search;

	silent.ask = NULL;
	if (target && !strchr(target, ':') &&
	    named_target(&named, target, &silent, NULL, NULL) == 0)
		return TAKE(named.text);
	return mem_strdup(target);
}

bool named_target_exists(const char *name, const struct named_search *search)
{
	struct named_files files;
	bool found = false;

	named_files_read(&files, search->config_file);
	for (size_t i = 0; i < files.count && !found; i++)
		found = named_file_entry(&files.item[i], name) != NULL;
	named_files_done(&files);
	return found;
}

/* ---- all of them ---- */

struct telling {
	const struct named_search *search;
	void (*each)(void *owner, const struct named_entry *e);
	void *owner;
	size_t count;
};

static void tell(struct telling *l, const struct named_entry *e)
{
	l->each(l->owner, e);
	l->count++;
}

/* An earlier file has the name, or this one has it twice. */
static bool is_hidden(const struct named_files *files, size_t at,
		      const cJSON *entry)
{
	for (size_t i = 0; i < at; i++) {
		if (named_file_entry(&files->item[i], entry->string))
			return true;
	}
	return named_file_entry(&files->item[at], entry->string) != entry;
}

/* Yours; NULL: none. Of a file that is not trusted no variable is read. */
static char *find_problem(const struct named_file *f, const cJSON *entry,
			  bool usable)
{
	const struct named_place place = { f->path, f->folder };
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(endpoint_done) struct endpoint e = { 0 };

	if (!usable)
		return named_trust_problem(f);
	if (named_entry_endpoint(&e, entry, &place, &why) != 0)
		return mem_strdup(why.text);
	if (strchr(entry->string, ':') || !*entry->string)
		return mem_strdup("a name that is empty or has a ':' cannot be "
				  "given");
	return NULL;
}

static void tell_entry(struct telling *l, const struct named_files *files,
		       size_t at, const cJSON *entry)
{
	const struct named_file *f = &files->item[at];
	bool usable = is_usable(f, l->search);
	CLEANUP(mem_free_ptr) char *peer = named_entry_shown(entry);
	CLEANUP(mem_free_ptr) char *problem = find_problem(f, entry, usable);
	const struct named_entry out = { .name = entry->string,
					 .file = f->path,
					 .peer = peer,
					 .problem = problem,
					 .hidden = is_hidden(files, at, entry),
					 .untrusted = !usable };

	tell(l, &out);
}

size_t named_targets(const struct named_search *search,
		     void (*each)(void *owner, const struct named_entry *e),
		     void *owner)
{
	struct telling l = { search, each, owner, 0 };
	struct named_files files;

	named_files_read(&files, search->config_file);
	for (size_t i = 0; i < files.count; i++) {
		const struct named_file *f = &files.item[i];
		const struct named_entry broken = {
			.file = f->path, .peer = "", .problem = f->problem.text
		};
		const cJSON *entry;

		if (!f->servers)
			tell(&l, &broken);
		cJSON_ArrayForEach(entry, f->servers) {
			tell_entry(&l, &files, i, entry);
		}
	}
	named_files_done(&files);
	return l.count;
}
