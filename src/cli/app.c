/* SPDX-License-Identifier: MIT */
/*
 * What the commands of one run share: the loop and the renderer, each opened
 * when it is first needed. Parses nothing, decides no exit status.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/query.h"
#include "cli/app.h"
#include "cli/config.h"
#include "cli/credentials.h"
#include "cli/trace.h"
#include "cli/witness.h"
#include "diag/facts.h"
#include "out/forms.h"
#include "out/table.h"

#define QUERY_MS 10000 /* for one value */

/*
 * A program may be started with closed files; the next one that is opened, a
 * socket for example, would take the number, and messages would go there.
 * stdout is opened for reading: what is lost must still be noticed.
 */
static void fill_standard_files(void)
{
	static const int modes[] = { O_RDONLY, O_RDONLY, O_WRONLY };

	for (int fd = 0; fd < 3; fd++) {
		if (fcntl(fd, F_GETFD) < 0)
			(void)open("/dev/null", modes[fd]);
	}
}

static char *own_facts(void *owner, const char *name)
{
	(void)owner;
	return user_path(&user_config, name);
}

static void tell_facts(void *owner, const char *problem)
{
	struct app *app = owner;

	render_note(&app->out, "%s", problem);
}

void app_init(struct app *app)
{
	static const struct facts_ops facts = { own_facts, tell_facts };

	fill_standard_files();
	*app = (struct app){ .told_serve = -1 };
	renderer_init(&app->out, OUTPUT_TEXT, COLOR_AUTO);
	facts_from(&facts, app);
}

int64_t app_query_timeout(const struct app *app)
{
	return app->config.timeout ? app->config.timeout : QUERY_MS;
}

void app_configure(struct app *app)
{
	const struct config *c = &app->config;

	renderer_init(&app->out, (enum output_form)c->output,
		      (enum color_mode)c->color);
	app->out.verbose = c->verbose > 0;
	app->out.raw_frames = c->verbose > 1;
	app->out.quiet = c->quiet;
	if (app->query)
		renderer_ask(&app->out, app->query, app_query_timeout(app),
			     c->output == OUTPUT_TEXT);
	if (app->table)
		renderer_tabulate(&app->out, app->table);
	app->out.image = (enum image_mode)c->image;
	app->out.pictures = true;
}

static int findings_close(struct app *app, struct error *err)
{
	FILE *out = TAKE(app->findings);
	bool lost = out && ferror(out) != 0;

	if (out && (fclose(out) != 0 || lost))
		return error_set(err, ERR_OUTPUT,
				 "'%s' could not be written whole",
				 app->config.findings);
	return 0;
}

void held_line_done(struct held_line *l)
{
	mem_free(l->name);
	mem_free(l->device);
	mem_free(l->text);
	mem_free(l->note);
	mem_free(l->finding);
}

void held_lines_done(struct held_lines *h)
{
	for (size_t i = 0; i < h->count; i++)
		held_line_done(&h->item[i]);
	mem_free(h->item);
	*h = (struct held_lines){ 0 };
}

void app_done(struct app *app)
{
	witness_close(TAKE(app->witness));
	credentials_done(app);
	held_lines_done(&app->held);
	trace_close(TAKE(app->trace), NULL);
	findings_close(app, NULL);
	query_free(TAKE(app->query));
	table_free(TAKE(app->table));
	loop_free(app->loop);
	app->loop = NULL;
	config_release(&app->config);
}

int app_finish(struct app *app, struct error *err)
{
	int lost = trace_close(TAKE(app->trace), err);

	if (findings_close(app, lost ? NULL : err))
		lost = -1;

	return renderer_finish(&app->out, lost ? NULL : err) || lost ? -1 : 0;
}

int app_open_loop(struct app *app, struct error *err)
{
	if (app->loop)
		return 0;
	return loop_new(&app->loop, err);
}

int app_follow(struct app *app, struct error *err)
{
	if (app_open_loop(app, err))
		return -1;
	loop_end_unread(app->loop, STDOUT_FILENO);
	return 0;
}

void app_tell_failure(struct app *app, struct error *err)
{
	render_error(&app->out, err);
	if ((int)err->kind > app->status)
		app->status = (int)err->kind;
	error_reset(err);
}

/*
 * A read from the terminal ends with EINTR, which looks like any other
 * failure. A millisecond, since a loop without handles does not turn in none.
 */
void app_check_signal(struct app *app, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	bool never = false;

	if (app->loop && err->kind != ERR_INTERRUPTED &&
	    loop_wait(app->loop, &never, loop_now() + 1, &why) != 0 &&
	    why.kind == ERR_INTERRUPTED)
		error_copy(err, &why);
}

bool app_listens(const struct app *app)
{
	const char *target = app->config.target;
	const struct scheme *scheme =
		target ? scheme_find(target, strcspn(target, ":")) : NULL;

	return scheme && (scheme->traits & SCHEME_WAITS);
}
