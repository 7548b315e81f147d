/* SPDX-License-Identifier: MIT */
/*
 * What --elicit, --sampling and --root say. Files are read here, so that a
 * wrong one is told before anything is dialled.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/requests_private.h"

#define ANSWER_FILE_MAX (4u << 20)

static int read_answer(struct buf *out, const char *option, const char *path,
		       struct error *err)
{
	buf_init(out, ANSWER_FILE_MAX);
	if (file_read(out, "file", path, err) == 0)
		return 0;
	return error_prefix(err, "option '%s'", option);
}

/* ---- --elicit ---- */

static int read_values(struct requests *a, const char *path, struct error *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	if (read_answer(&text, "--elicit", path, err) != 0)
		return -1;
	a->elicit = ELICIT_FILE;
	a->values = json_parse(buf_string(&text), text.len, err);
	if (!a->values) {
		err->kind = ERR_USAGE;
		return error_prefix(err, "option '--elicit': '%s' is no JSON",
				    path);
	}
	if (cJSON_IsObject(a->values))
		return 0;
	error_set(err, ERR_USAGE,
		  "option '--elicit': '%s' is no JSON object of values", path);
	return error_hint(err, "a member for each field, as {\"name\":\"Ada\", "
			       "\"age\":36}");
}

static int set_elicit(struct requests *a, const char *how, struct error *err)
{
	static const char *const words[] = { "ask", "accept-defaults",
					     "decline", "cancel" };
	static const enum elicit_how means[] = { ELICIT_ASK, ELICIT_DEFAULTS,
						 ELICIT_DECLINE,
						 ELICIT_CANCEL };
	const char *near;

	if (how[0] == '@')
		return read_values(a, how + 1, err);
	for (size_t i = 0; i < COUNT(words); i++) {
		if (strcmp(words[i], how) == 0) {
			a->elicit = means[i];
			return 0;
		}
	}
	near = text_nearest(how, words, COUNT(words));
	error_set(err, ERR_USAGE, "option '--elicit': '%s' is no way to answer",
		  how);
	if (near)
		return error_hint(err, "did you mean '%s'?", near);
	return error_hint(err, "expected ask, accept-defaults, decline, cancel "
			       "or @FILE");
}

/* ---- --sampling ---- */

static int read_sampled(struct requests *a, const char *path, struct error *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	if (read_answer(&text, "--sampling", path, err) != 0)
		return -1;
	a->sampling = SAMPLING_FILE;
	a->sampled = requests_sampled(buf_string(&text), text.len, "file", err);
	if (a->sampled)
		return 0;
	return error_prefix(err, "option '--sampling': '%s'", path);
}

static int set_command(struct requests *a, const char *line, struct error *err)
{
	a->sampling = SAMPLING_EXEC;
	if (words_split(&a->command, line, err) != 0)
		return error_prefix(err, "option '--sampling'");
	if (a->command.count)
		return 0;
	return error_set(err, ERR_USAGE,
			 "option '--sampling': behind 'exec:' a command is "
			 "missing");
}

static int set_sampling(struct requests *a, const char *how, struct error *err)
{
	if (how[0] == '@')
		return read_sampled(a, how + 1, err);
	if (text_starts(how, "exec:"))
		return set_command(a, how + 5, err);
	a->sampling = SAMPLING_DECLINE;
	if (strcmp(how, "decline") == 0)
		return 0;
	error_set(err, ERR_USAGE,
		  "option '--sampling': '%s' is no way to answer", how);
	return error_hint(err, "expected decline, @FILE or exec:COMMAND");
}

/* ---- --root ---- */

static void add_uri(struct buf *out, const char *path)
{
	buf_text(out, "file://");
	for (; *path; path++) {
		if (strchr("-._~/", *path) || (*path >= '0' && *path <= '9') ||
		    (*path >= 'A' && *path <= 'Z') ||
		    (*path >= 'a' && *path <= 'z'))
			buf_char(out, *path);
		else
			buf_printf(out, "%%%02X", (unsigned char)*path);
	}
}

static int add_root(struct buf *out, const char *given, struct error *err)
{
	char *path = realpath(given, NULL);
	CLEANUP(buf_done) struct buf uri = { 0 };
	const char *name;
	struct stat st;

	if (!path || stat(path, &st) != 0) {
		error_set(err, ERR_USAGE, "option '--root': '%s': %s", given,
			  strerror(errno));
	} else if (!S_ISDIR(st.st_mode)) {
		error_set(err, ERR_USAGE, "option '--root': '%s' is no folder",
			  given);
	} else {
		name = strrchr(path, '/') + 1;
		add_uri(&uri, path);
		buf_text(out, "{\"uri\":");
		buf_json_string(out, buf_string(&uri), uri.len);
		json_add_text(out, "name", *name ? name : "/");
		buf_char(out, '}');
		free(path);
		return 0;
	}
	free(path);
	return -1;
}

static int set_roots(struct requests *a, const struct words *given,
		     struct error *err)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_text(&out, "{\"roots\":[");
	for (size_t i = 0; i < given->count; i++) {
		if (i)
			buf_char(&out, ',');
		if (add_root(&out, given->word[i], err) != 0)
			return -1;
	}
	buf_text(&out, "]}");
	a->roots = buf_take(&out);
	return 0;
}

int requests_options(struct requests *a, const struct config *c,
		     struct error *err)
{
	if (c->elicit && set_elicit(a, c->elicit, err) != 0)
		return -1;
	if (c->sampling && set_sampling(a, c->sampling, err) != 0)
		return -1;
	return c->roots.count ? set_roots(a, &c->roots, err) : 0;
}
