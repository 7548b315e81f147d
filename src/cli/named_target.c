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

static int take(struct endpoint *out, const struct named_file *f,
		const char *name, const cJSON *entry, struct error *err)
{
	const struct named_place place = { f->path, f->folder };

	if (named_entry_endpoint(out, entry, &place, err) == 0)
		return 0;
	return error_prefix(err, "server '%.100s' of '%.200s'", name, f->path);
}

static int find(struct endpoint *out, const struct named_files *files,
		const char *name, struct error *passed, struct error *err)
{
	for (size_t i = 0; i < files->count; i++) {
		const struct named_file *f = &files->item[i];
		const struct named_file *broken = first_broken(files, i);
		const cJSON *entry = named_file_entry(f, name);

		if (!entry)
			continue;
		if (broken)
			error_copy(passed, &broken->problem);
		return take(out, f, name, entry, err);
	}
	return not_found(files, name, err);
}

int named_target_find(struct endpoint *out, const char *name,
		      const char *config_file, struct error *passed,
		      struct error *err)
{
	struct named_files files;
	int status = -1;

	*out = (struct endpoint){ 0 };
	named_files_read(&files, config_file);
	if (config_file && !files.item[0].servers)
		error_copy(err, &files.item[0].problem);
	else
		status = find(out, &files, name, passed, err);
	named_files_done(&files);
	return status;
}

int named_target(struct endpoint *out, const char *name,
		 const char *config_file, struct error *err)
{
	return named_target_find(out, name, config_file, NULL, err);
}

char *named_target_text(const char *target, const char *config_file)
{
	CLEANUP(endpoint_done) struct endpoint named = { 0 };

	if (target && !strchr(target, ':') &&
	    named_target(&named, target, config_file, NULL) == 0)
		return TAKE(named.text);
	return mem_strdup(target);
}

bool named_target_exists(const char *name, const char *config_file)
{
	struct named_files files;
	bool found = false;

	named_files_read(&files, config_file);
	for (size_t i = 0; i < files.count && !found; i++)
		found = named_file_entry(&files.item[i], name) != NULL;
	named_files_done(&files);
	return found;
}

/* ---- all of them ---- */

struct telling {
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

static void tell_entry(struct telling *l, const struct named_files *files,
		       size_t at, const cJSON *entry)
{
	const struct named_file *f = &files->item[at];
	const struct named_place place = { f->path, f->folder };
	CLEANUP(mem_free_ptr) char *peer = named_entry_shown(entry);
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(endpoint_done) struct endpoint e = { 0 };
	struct named_entry out = { .name = entry->string,
				   .file = f->path,
				   .peer = peer };

	out.hidden = is_hidden(files, at, entry);
	if (named_entry_endpoint(&e, entry, &place, &why) != 0)
		out.problem = why.text;
	else if (strchr(out.name, ':') || !*out.name)
		out.problem = "a name that is empty or has a ':' cannot be "
			      "given";
	tell(l, &out);
}

size_t named_targets(const char *config_file,
		     void (*each)(void *owner, const struct named_entry *e),
		     void *owner)
{
	struct telling l = { each, owner, 0 };
	struct named_files files;

	named_files_read(&files, config_file);
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
