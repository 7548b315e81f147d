/* SPDX-License-Identifier: MIT */
/*
 * The main line of a script: stdin that is no terminal, or a file. It stops
 * at the first failure, or goes on and tells it at the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "shell/shell.h"

#define DEPTH_MOST 8

struct script_run {
	struct shell *shell;
	struct shell_input *input;
	bool keep_going;
	size_t count, failed;
	enum error_kind first; /* kind of the first failure */
	char *first_line;
};

/* Where going on makes no sense, even if it was asked for. */
static bool is_final(const struct script_run *t, const struct error *why)
{
	return !t->keep_going || why->kind == ERR_INTERRUPTED ||
	       why->kind == ERR_OUTPUT || t->shell->quit;
}

/* 0: it went well, or goes on all the same. */
static int run_line(struct script_run *t, const char *line, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct app *app = t->shell->app;

	t->count++;
	if (shell_run_line(t->shell, line, &why) == 0) {
		/* main tells that something was lost. */
		t->shell->quit |= fflush(app->out.out) != 0;
		return 0;
	}
	app_check_signal(app, &why);
	fflush(app->out.out);
	if (t->failed++ == 0) {
		t->first = why.kind;
		t->first_line = mem_strdup(line + strspn(line, " \t"));
	}
	if (why.kind != ERR_INTERRUPTED)
		shell_input_prefix(t->input, &why);
	if (is_final(t, &why)) {
		error_copy(err, &why);
		return -1;
	}
	render_error(&app->out, &why);
	return 0;
}

static int summary(const struct script_run *t, struct error *err)
{
	if (t->failed == 0)
		return 0;
	error_set(err, t->first, "%zu of %zu lines failed", t->failed,
		  t->count);
	if (t->failed == 1)
		return -1;
	return error_hint(err, "the first was '%s'; the exit status is its own",
			  t->first_line);
}

static int run_all(struct script_run *t, struct error *err)
{
	const char *line;
	int status = 0;

	while (status == 0 && !t->shell->quit) {
		status = shell_input_next(t->input, &line, err);
		if (status != 0 || !line)
			break;
		if (line[strspn(line, " \t\r")] != '\0')
			status = run_line(t, line, err);
	}
	return status != 0 ? -1 : summary(t, err);
}

static int run(struct shell *s, int fd, const char *name, bool keep_going,
	       struct error *err)
{
	struct script_run t = { .shell = s, .keep_going = keep_going };
	int status;

	if (shell_input_open(&t.input, s, fd, name, err) != 0)
		return -1;
	status = run_all(&t, err);
	shell_input_close(t.input);
	mem_free(t.first_line);
	return status;
}

int shell_script(struct shell *s, struct error *err)
{
	const struct app *app = s->app;

	/* Also for a script that has no line to stumble over it. */
	if (app->config.target &&
	    shell_check_target(s, app->config.target, app->target_source,
			       err) != 0)
		return -1;
	s->app->stdin_taken = true;
	return run(s, STDIN_FILENO, "stdin", s->keep_going, err);
}

int shell_script_file(struct shell *s, const char *path, bool keep_going,
		      struct error *err)
{
	int fd, status;

	if (s->depth >= DEPTH_MOST)
		return error_set(err, ERR_USAGE,
				 "'run %s': scripts call each other too deep",
				 path);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return error_set(err, ERR_USAGE, "cannot open '%s': %s", path,
				 strerror(errno));
	s->depth++;
	status = run(s, fd, path, keep_going, err);
	s->depth--;
	close(fd);
	return status;
}
