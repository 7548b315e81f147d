/* SPDX-License-Identifier: MIT */
/* Names of mcp.json as targets: found, described, trusted. */
#include <string.h>

#include "base/mem.h"
#include "base/split.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "cli/named.h"
#include "cli/named_entry.h"
#include "cli/named_file.h"
#include "cli/named_forms.h"
#include "cli/prompt.h"
#include "cli/suggest.h"

/*
 * Names of mcp.json as targets: the one that is asked for, and all. Starts
 * nothing.
 */

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

#define LOOKED_SHOWN 8 /* places, whether a file is there or not */

/* Of many places only those where something was found. */
static void add_looked(const struct named_files *files, struct error *err)
{
	const size_t places = files->looked.count;
	CLEANUP(buf_done) struct buf list = { 0 };

	buf_text(&list, "looked for in");
	for (size_t i = 0; places <= LOOKED_SHOWN && i < places; i++)
		buf_printf(&list, "\n%s", files->looked.word[i]);
	for (size_t i = 0; places > LOOKED_SHOWN && i < files->count; i++)
		buf_printf(&list, "\n%s", files->item[i].path);
	if (places > LOOKED_SHOWN)
		buf_printf(
			&list,
			"%s%zu %splaces, where there is no such file: mcpctl targets --help",
			files->count ? "\nand " : " ", places - files->count,
			files->count ? "other " : "");
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
	error_set(
		err, ERR_USAGE,
		"'%.100s' is no target: it has no ':', and no mcp.json names it",
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
	/* Only then: they may need a library, and this is done often. */
	if (!search->config_file && find_file(&files, name) == files.count)
		named_files_read_clients(&files);
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

static void read_all(struct named_files *out, const struct named_search *search)
{
	named_files_read(out, search->config_file);
	if (!search->config_file)
		named_files_read_clients(out);
}

bool named_target_exists(const char *name, const struct named_search *search)
{
	struct named_files files;
	bool found = false;

	read_all(&files, search);
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

bool named_can_be_given(const char *name)
{
	return *name && !strchr(name, ':');
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
	if (!named_can_be_given(entry->string))
		return mem_strdup(
			"a name that is empty or has a ':' cannot be given");
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
					 .client = f->client,
					 .hidden = is_hidden(files, at, entry),
					 .off = named_form_is_off(entry),
					 .untrusted = !usable };

	tell(l, &out);
}

size_t named_targets(const struct named_search *search,
		     void (*each)(void *owner, const struct named_entry *e),
		     void *owner)
{
	struct telling l = { search, each, owner, 0 };
	struct named_files files;

	read_all(&files, search);
	for (size_t i = 0; i < files.count; i++) {
		const struct named_file *f = &files.item[i];
		const struct named_entry broken = { .file = f->path,
						    .peer = "",
						    .client = f->client,
						    .problem =
							    f->problem.text };
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

/*
 * Entries of an mcp.json as words for a person. Expands no variable.
 */

#define LINES_MAX 200 /* of one entry, and names of variables */

/* ---- the lines of one entry ---- */

static void add_line(struct words *lines, const char *label, const char *text)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	if (lines->count >= LINES_MAX)
		return;
	buf_printf(&line, "%-6s", label);
	text_safe(&line, text, strlen(text), TEXT_LINE);
	words_add(lines, buf_string(&line));
}

/* A text as a word of a command line; what is none, as its JSON. */
static void add_word(struct buf *out, const cJSON *value)
{
	if (out->len)
		buf_char(out, ' ');
	if (cJSON_IsString(value))
		words_quote(out, value->valuestring);
	else
		json_print(out, value);
}

static void add_argv(struct words *lines, const cJSON *entry)
{
	CLEANUP(buf_done) struct buf words = { 0 };
	const cJSON *argument;

	add_word(&words, json_member(entry, "command"));
	cJSON_ArrayForEach(argument, json_member(entry, "args")) {
		add_word(&words, argument);
	}
	add_line(lines, "runs", buf_string(&words));
}

static void add_settings(struct words *lines, const cJSON *entry)
{
	const cJSON *member;

	cJSON_ArrayForEach(member, json_object(entry, "env")) {
		CLEANUP(buf_done) struct buf value = { 0 }, text = { 0 };

		if (cJSON_IsNull(member))
			continue;
		add_word(&value, member);
		buf_printf(&text, "%s=%s", member->string, buf_string(&value));
		add_line(lines, "sets", buf_string(&text));
	}
}

static void add_program(struct words *lines, const cJSON *entry)
{
	const char *cwd = json_string(entry, "cwd");

	add_argv(lines, entry);
	if (cwd && *cwd)
		add_line(lines, "in", cwd);
	add_settings(lines, entry);
}

/* Which client logs in there, and where its secret is. */
static void add_login(struct words *lines, const cJSON *entry)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	if (!json_object(entry, "oauth"))
		return;
	json_print(&text, json_object(entry, "oauth"));
	add_line(lines, "logs in", buf_string(&text));
}

static void add_url(struct words *lines, const cJSON *entry)
{
	CLEANUP(mem_free_ptr) char *url = named_entry_shown(entry);
	const cJSON *member;

	if (!*url)
		return;
	add_line(lines, "opens", url);
	add_login(lines, entry);
	cJSON_ArrayForEach(member, json_object(entry, "headers")) {
		const char *value = cJSON_GetStringValue(member);
		CLEANUP(mem_free_ptr)
		char *header =
			named_header_shown(member->string, value ? value : "");

		add_line(lines, "sends", header);
	}
}

/* Of the texts in it that count, whatever they are for. */
static void add_variables(struct words *names, const cJSON *value)
{
	const cJSON *member;

	if (cJSON_IsString(value))
		named_expand_names(names, value->valuestring, LINES_MAX);
	cJSON_ArrayForEach(member, value) {
		if (cJSON_IsString(member))
			named_expand_names(names, member->valuestring,
					   LINES_MAX);
	}
}

/* False: they are too many. */
static bool add_reads(struct words *lines, const cJSON *entry)
{
	static const char *const program[] = { "command", "args", "cwd", "env",
					       NULL };
	static const char *const url[] = { "url", "headers", "oauth", NULL };
	CLEANUP(words_done) struct words names = { 0 };
	CLEANUP(buf_done) struct buf text = { 0 };
	const char *const *part = named_entry_is_program(entry) ? program : url;

	for (; *part; part++)
		add_variables(&names, json_member(entry, *part));
	for (size_t i = 0; i < names.count; i++)
		buf_printf(&text, "%s%s", i ? ", " : "", names.word[i]);
	if (text.len)
		add_line(lines, "reads", buf_string(&text));
	return names.count < LINES_MAX;
}

/* Overwrites lines. False: they are too many. */
static bool describe(struct words *lines, const cJSON *entry)
{
	*lines = (struct words){ 0 };
	if (named_entry_is_program(entry))
		add_program(lines, entry);
	else
		add_url(lines, entry);
	if (!lines->count)
		add_line(lines, "is", "no server: it cannot be used");
	return add_reads(lines, entry) && lines->count < LINES_MAX;
}

/* ---- all of them ---- */

static void add_name(struct buf *out, const char *name)
{
	buf_text(out, "  ");
	text_safe(out, name, strlen(name), TEXT_LINE);
	buf_char(out, '\n');
}

static void add_lines(struct buf *out, char mark, const struct words *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		buf_printf(out, "  %c %s\n", mark, lines->word[i]);
}

/* A name that stands twice means the first. */
static bool counts(const cJSON *servers, const cJSON *entry)
{
	return json_member(servers, entry->string) == entry;
}

bool named_describe(struct buf *out, const cJSON *servers)
{
	const cJSON *entry;
	bool whole = true;

	cJSON_ArrayForEach(entry, servers) {
		CLEANUP(words_done) struct words lines;

		if (!counts(servers, entry))
			continue;
		whole = describe(&lines, entry) && whole;
		add_name(out, entry->string);
		add_lines(out, ' ', &lines);
	}
	return whole;
}

/* ---- what changed ---- */

/* Those of a that b has not. Overwrites out. */
static void subtract(struct words *out, const struct words *a,
		     const struct words *b)
{
	*out = (struct words){ 0 };
	for (size_t i = 0; i < a->count; i++) {
		if (!words_has(b, a->word[i]))
			words_add(out, a->word[i]);
	}
}

/* One of them may be NULL: it is new, or gone. False: they are too long. */
static bool compare(struct buf *out, const char *name, const cJSON *before,
		    const cJSON *now)
{
	CLEANUP(words_done) struct words old = { 0 }, new = { 0 };
	CLEANUP(words_done) struct words gone = { 0 }, come = { 0 };

	if ((before && !describe(&old, before)) ||
	    (now && !describe(&new, now)))
		return false;
	subtract(&gone, &old, &new);
	subtract(&come, &new, &old);
	if (!gone.count && !come.count)
		return true;
	add_name(out, name);
	add_lines(out, '-', &gone);
	add_lines(out, '+', &come);
	return true;
}

bool named_describe_change(struct buf *out, const cJSON *before,
			   const cJSON *now)
{
	const cJSON *entry;
	bool whole = true;

	cJSON_ArrayForEach(entry, now) {
		if (counts(now, entry))
			whole = compare(out, entry->string,
					json_member(before, entry->string),
					entry) &&
				whole;
	}
	cJSON_ArrayForEach(entry, before) {
		if (counts(before, entry) && !json_member(now, entry->string))
			whole = compare(out, entry->string, entry, NULL) &&
				whole;
	}
	return whole;
}

/*
 * What is said of a file that is not trusted. Asks nobody.
 */

enum { SHOWN_LINES = 200, SHOWN_BYTES = 16384 };

bool named_trusted(const struct named_file *f)
{
	return f->own || f->trust == TRUST_SAME;
}

/* "mcpctl trust FILE", as it is typed. */
static void add_command(struct buf *out, const struct named_file *f)
{
	buf_text(out, "mcpctl trust ");
	words_quote(out, f->path);
}

char *named_trust_problem(const struct named_file *f)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	if (named_trusted(f))
		return NULL;
	buf_text(&out, f->trust == TRUST_CHANGED ?
			       "changed since it was trusted: " :
			       "not trusted: ");
	add_command(&out, f);
	return buf_take(&out);
}

int named_trust_refuse(const struct named_file *f, const char *why,
		       struct error *err)
{
	CLEANUP(buf_done) struct buf command = { 0 };

	add_command(&command, f);
	/* One that would be cut is none: without the file it asks for all. */
	if (command.len > 400) {
		buf_reset(&command);
		buf_text(&command, "mcpctl trust");
	}
	error_set(
		err, ERR_USAGE, "'%.300s' %s; nothing was run or sent", f->path,
		f->trust == TRUST_CHANGED ? "has changed since it was trusted" :
					    "is not trusted");
	return error_hint(
		err,
		"%s%s%s trusts what it holds now; --trust takes it for one command",
		why ? why : "", why ? ": " : "", buf_string(&command));
}

/* ---- the question ---- */

static void add_path(struct buf *out, const struct named_file *f)
{
	buf_char(out, '\'');
	text_safe(out, f->path, strlen(f->path), TEXT_LINE);
	buf_char(out, '\'');
}

static bool add_all(struct buf *out, const struct named_file *f)
{
	add_path(out, f);
	buf_text(out, " is not trusted. Its servers:\n");
	return named_describe(out, f->servers);
}

/* What was trusted, read anew, is only shown. */
static bool add_change(struct buf *out, const struct named_file *f)
{
	CLEANUP(buf_done) struct buf kept = { 0 };
	CLEANUP(json_free_ptr) cJSON *json = NULL;
	const cJSON *before;
	size_t head;

	trust_store_look(f->path, f->text.data, f->text.len, &kept);
	before = named_file_parse(&json, &kept, f->path, NULL);
	if (!before)
		return add_all(out, f);
	add_path(out, f);
	buf_text(out, " has changed since it was trusted:\n");
	head = out->len;
	if (!named_describe_change(out, before, f->servers))
		return false;
	if (out->len == head)
		buf_text(
			out,
			"  only what is not shown here: comments, order, values that look like secrets\n");
	return true;
}

static size_t count_lines(const struct buf *text)
{
	size_t lines = 0;

	for (size_t i = 0; i < text->len; i++)
		lines += text->data[i] == '\n';
	return lines;
}

bool named_trust_question(struct buf *out, const struct named_file *f)
{
	bool whole = f->trust == TRUST_CHANGED ? add_change(out, f) :
						 add_all(out, f);

	return whole && out->len <= SHOWN_BYTES &&
	       count_lines(out) <= SHOWN_LINES;
}

/*
 * Asks, waits for the line, and keeps the answer. What is shown is
 * named_trust's matter.
 */

struct trust_asking {
	struct prompt *prompt;
	bool answered, yes;
};

static void on_line(void *owner, const char *line)
{
	struct trust_asking *a = owner;

	a->yes = line && (text_same(line, "y") || text_same(line, "yes"));
	a->answered = true;
}

static int ask(struct app *app, const char *text, bool *yes, struct error *err)
{
	struct trust_asking a = { 0 };
	int status;

	if (app_open_loop(app, err) ||
	    prompt_open(&a.prompt, app, on_line, &a, err))
		return -1;
	prompt_say(a.prompt, text);
	prompt_ask(a.prompt, "Trust it, as it is now? [y: yes, N: no] ");
	status = loop_wait(app->loop, &a.answered, LOOP_FOREVER, err);
	prompt_close(a.prompt);
	*yes = a.yes;
	return status;
}

int trust_ask(struct app *app, const struct named_file *f, struct error *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	const char *obstacle = prompt_obstacle(app);
	bool yes;

	if (obstacle)
		return named_trust_refuse(f, obstacle, err);
	if (!named_trust_question(&text, f))
		return named_trust_refuse(
			f, "it is too long to be shown here: read it", err);
	if (ask(app, buf_string(&text), &yes, err))
		return -1;
	if (!yes)
		return named_trust_refuse(f, NULL, err);
	if (trust_store_keep(f->path, f->text.data, f->text.len, err) == 0)
		return 0;
	return error_hint(
		err, "--trust takes it for one command, and keeps nothing");
}
