/* SPDX-License-Identifier: MIT */
/*
 * Writing what a tool gave. Existing files are replaced, as `>` does.
 */
#include "cli/save.h"
#include "base/file.h"
#include "base/mem.h"
#include "out/term.h"
#include "out/text_result.h"
#include "out/wrap.h"

#include <errno.h>
#include <string.h>

char *save_path(const char *path, size_t number)
{
	const char *name = file_name(path);
	const char *dot = strrchr(name, '.');
	if (number < 2)
		return mem_strdup(path);
	/* A dot that begins a name begins no extension. */
	if (!dot || dot == name)
		return mem_printf("%s-%zu", path, number);
	return mem_printf("%.*s-%zu%s", (int)(dot - path), path, number, dot);
}

static int refuse_terminal(const char *path, struct error *err)
{
	error_set(err, ERR_USAGE, "--save: '%s' is a terminal", path);
	return error_hint(err,
			  "name a file, or send stdout to a file or a program");
}

static int write_file(FILE *f, const struct content *c, const char *path,
		      struct error *err)
{
	size_t put = fwrite(c->data.data, 1, c->data.len, f);
	int flushed = fflush(f);
	if (put == c->data.len && flushed == 0)
		return 0;
	return error_set(err, ERR_OUTPUT, "cannot write '%s': %s", path,
			 strerror(errno));
}

static int save_to_file(const struct content *c, const char *path,
			struct error *err)
{
	FILE *f = file_create_stream(NULL, path, false, err);
	if (!f)
		return -1;
	int status = term_is_terminal(f) ? refuse_terminal(path, err) :
					   write_file(f, c, path, err);
	if (fclose(f) != 0 && status == 0)
		return error_set(err, ERR_OUTPUT, "cannot write '%s': %s", path,
				 strerror(errno));
	return status;
}

static void tell(struct app *app, const struct content *c, const char *path)
{
	CLEANUP(buf_done) struct buf size = { 0 };
	wrap_count(&size, c->data.len, "byte");
	render_note(&app->out, "saved %s to %s", buf_string(&size), path);
}

static int save_one(struct app *app, const struct content *c, const char *path,
		    size_t number, struct error *err)
{
	if (strcmp(path, "-") == 0) {
		if (term_is_terminal(app->out.out))
			return refuse_terminal("stdout", err);
		/* What is lost on stdout is told at the end, once. */
		if (number == 1) {
			fwrite(c->data.data, 1, c->data.len, app->out.out);
			return 0;
		}
		render_note(
			&app->out,
			"--save - takes the first only; left out: number %zu",
			number);
		return 0;
	}
	CLEANUP(mem_free_ptr) char *to = save_path(path, number);
	if (save_to_file(c, to, err))
		return -1;
	tell(app, c, to);
	return 0;
}

#define NAMED_MOST 8

/* "content 1, 3 and 2 more": those whose bytes could not be read. */
static void name_unread(const struct result *result, struct buf *out)
{
	size_t unread = 0;

	for (size_t i = 0; i < result->count; i++)
		if (result->content[i].bad_data &&
		    result->content[i].kind != CONTENT_UNKNOWN &&
		    ++unread <= NAMED_MOST)
			buf_printf(out, "%s%zu", out->len ? ", " : "content ",
				   i + 1);
	if (unread > NAMED_MOST)
		buf_printf(out, " and %zu more", unread - NAMED_MOST);
}

/* What could not be read is not saved: never in silence beside what was. */
static int all_were_read(const struct result *result, struct error *err)
{
	CLEANUP(buf_done) struct buf unread = { 0 };

	name_unread(result, &unread);
	if (!unread.len)
		return 0;
	return error_set(err, ERR_PROTOCOL,
			 "--save: the bytes of %s are not valid base64",
			 buf_string(&unread));
}

static bool has_bytes(const struct result *result)
{
	for (size_t i = 0; i < result->count; i++) {
		if (content_has_bytes(&result->content[i]))
			return true;
	}
	return false;
}

int save_result(struct app *app, const struct result *result, const char *path,
		bool texts, struct error *err)
{
	size_t number = 0;
	texts = texts || !has_bytes(result);
	for (size_t i = 0; i < result->count; i++) {
		const struct content *c = &result->content[i];
		if (!content_has_bytes(c) && !(texts && c->inside))
			continue;
		if (save_one(app, c, path, ++number, err))
			return -1;
	}
	if (all_were_read(result, err))
		return -1;
	if (number > 0)
		return 0;
	return error_set(
		err, ERR_UNMET,
		"--save: the result has no image, audio or other bytes");
}
