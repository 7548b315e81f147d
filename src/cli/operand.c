/* SPDX-License-Identifier: MIT */
/*
 * Reading what the user points to. It checks that JSON is JSON, and no more.
 */
#include "cli/operand.h"
#include "base/json_scan.h"

#include <errno.h>
#include <string.h>

static int read_all(FILE *f, const char *name, struct buf *out,
		    struct error *err)
{
	char chunk[16384];
	size_t got;
	while ((got = fread(chunk, 1, sizeof(chunk), f)) > 0) {
		if (out->len + got > OPERAND_MAX)
			return error_set(err, ERR_USAGE,
					 "'%s' is larger than %u MB", name,
					 OPERAND_MAX >> 20);
		buf_add(out, chunk, got);
	}
	if (ferror(f))
		return error_set(err, ERR_USAGE, "cannot read '%s': %s", name,
				 strerror(errno));
	return 0;
}

static int read_stdin(struct app *app, struct buf *out, struct error *err)
{
	if (app->stdin_taken) {
		error_set(err, ERR_USAGE,
			  "stdin is read by something else already");
		return error_hint(
			err,
			"only one '-' can stand in a command line: put the other into a file");
	}
	app->stdin_taken = true;
	return read_all(stdin, "stdin", out, err);
}

int operand_file(struct app *app, const char *path, struct buf *out,
		 struct error *err)
{
	if (strcmp(path, "-") == 0)
		return read_stdin(app, out, err);
	FILE *f = fopen(path, "re");
	if (!f)
		return error_set(err, ERR_USAGE, "cannot open '%s': %s", path,
				 strerror(errno));
	int status = read_all(f, path, out, err);
	fclose(f);
	return status;
}

int operand_json(struct app *app, const char *word, const char *what,
		 struct buf *out, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	bool elsewhere = word[0] == '@' || strcmp(word, "-") == 0;
	if (elsewhere &&
	    operand_file(app, word[0] == '@' ? word + 1 : word, out, err))
		return -1;
	if (!elsewhere)
		buf_text(out, word);
	if (json_check(buf_string(out), out->len, &why) == 0)
		return 0;
	error_set(err, ERR_USAGE, "%s is no JSON: %s", what, why.text);
	if (elsewhere)
		return error_hint(err, "it was read from '%s'", word);
	return error_hint(
		err,
		"put JSON into single quotes, as '{\"a\":1}' or '\"text\"'; or give @FILE, or - for stdin");
}
