/* SPDX-License-Identifier: MIT */
/*
 * trust: which mcp.json of folders may be used, shown, asked, kept, taken
 * back. Nothing in them is run or sent here.
 */
#include "base/mem.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "cli/named.h"

struct trust_options {
	bool list, revoke;
};

static const struct option_row trust_options[] = {
	{ .letter = 'l',
	  .name = "list",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct trust_options, list),
	  .brief = "all files that are trusted, wherever they are" },
	{ .name = "revoke",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct trust_options, revoke),
	  .brief = "FILE is not trusted any more" },
	{ .name = NULL }
};

static void show(struct app *app, const char *file, const char *state,
		 const char *problem)
{
	const struct trust_record record = { file, state, problem };

	if (app->out.ops->trust)
		app->out.ops->trust(&app->out, &record);
}

static const char *state_of(const struct named_file *f)
{
	if (!f->servers)
		return "unusable";
	if (f->own)
		return "own";
	return f->trust == TRUST_SAME	 ? "trusted" :
	       f->trust == TRUST_CHANGED ? "changed" :
					   "untrusted";
}

static void show_file(struct app *app, const struct named_file *f)
{
	show(app, f->path, state_of(f), f->servers ? NULL : f->problem.text);
}

/* ---- those that apply here ---- */

/* refused: why the first was not trusted. Only what must end it returns -1. */
static int settle(struct app *app, struct named_file *f, struct error *refused,
		  struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };

	if (f->servers && !named_trusted(f)) {
		if (trust_ask(app, f, &why) == 0)
			f->trust = TRUST_SAME;
		else if (why.kind != ERR_USAGE)
			error_copy(err, &why);
		else if (refused->kind == ERR_NONE)
			error_copy(refused, &why);
	}
	show_file(app, f);
	return err->kind == ERR_NONE ? 0 : -1;
}

static void tell_none(struct app *app, const struct named_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		if (!files->item[i].own)
			return;
	}
	render_note(
		&app->out,
		"no folder's file applies here: there is neither .mcp.json nor mcp.json in this folder or above, nor a file of another client");
}

static int trust_here(struct app *app, struct error *err)
{
	CLEANUP(error_reset) struct error refused = { 0 };
	CLEANUP(named_files_done) struct named_files files;
	int status = 0;

	named_files_read(&files, NULL);
	named_files_read_clients(&files);
	for (size_t i = 0; i < files.count && status == 0; i++)
		status = settle(app, &files.item[i], &refused, err);
	tell_none(app, &files);
	if (status != 0 || refused.kind == ERR_NONE)
		return status;
	error_copy(err, &refused);
	return -1;
}

/* ---- one ---- */

static int trust_file(struct app *app, const char *file, struct error *err)
{
	CLEANUP(named_files_done) struct named_files files = { 0 };
	struct named_file *f;

	if (named_files_add(&files, file, err))
		return -1;
	if (!files.count)
		return error_set(err, ERR_USAGE, "there is no file '%s'", file);
	f = &files.item[0];
	if (!f->servers) {
		error_copy(err, &f->problem);
		return -1;
	}
	if (trust_store_keep(f->path, f->text.data, f->text.len, err))
		return -1;
	f->trust = TRUST_SAME;
	show_file(app, f);
	return 0;
}

static int forget(struct app *app, const char *file, struct error *err)
{
	CLEANUP(mem_free_ptr) char *path = NULL;

	/* A folder that is gone has no real path: as --list shows it. */
	if (*file == '/' && trust_store_drop(file, NULL) == 0) {
		show(app, file, "untrusted", NULL);
		return 0;
	}
	path = named_file_path(file, err);
	if (!path || trust_store_drop(path, err))
		return -1;
	show(app, path, "untrusted", NULL);
	return 0;
}

/* ---- all ---- */

static void show_kept(void *owner, const char *path, const struct buf *text)
{
	struct app *app = owner;
	CLEANUP(named_files_done) struct named_files files = { 0 };

	(void)text;
	if (named_files_add(&files, path, NULL) == 0 && files.count)
		show_file(app, &files.item[0]);
	else
		show(app, path, "gone", NULL);
}

static int trust_run(const struct invocation *in, struct error *err)
{
	const struct trust_options *o = in->options;
	const char *file = in->argv[0];

	if (in->app->config.trust) {
		error_set(
			err, ERR_USAGE,
			"option '--trust' is for the command that uses a name, and keeps nothing");
		return error_hint(err, "to keep it: mcpctl trust FILE");
	}
	if (o->list && (o->revoke || file))
		return error_set(
			err, ERR_USAGE,
			"option '--list' shows all, and takes no FILE nor --revoke");
	if (o->revoke && !file)
		return error_set(
			err, ERR_USAGE,
			"option '--revoke' needs the FILE that is not trusted any more");
	if (o->list)
		trust_store_each(show_kept, in->app);
	else if (o->revoke)
		return forget(in->app, file, err);
	else if (file)
		return trust_file(in->app, file, err);
	else
		return trust_here(in->app, err);
	return 0;
}

static const struct example trust_examples[] = { { "trust --list", NULL, 0 },
						 { NULL, NULL, 0 } };

const struct command cmd_trust = {
	.name = "trust",
	.globals = "jq trust",
	.args = "[FILE]",
	.brief = "let an mcp.json of a folder be used",
	.text = "A .mcp.json or mcp.json in a folder may have come with it, from anybody: it names programs that would be run, and addresses that would get what variables of the environment hold. "
		"So none of its names is used before you trusted the file. "
		"At a terminal you are asked when one is used first, and shown what the file would run and open, what it sets and sends, and which variables it reads.\n"
		"\n"
		"Without FILE: the files that apply here, those of other clients too, a line each with its state; at a terminal those that are not trusted are asked for. "
		"Status 2: one of them is still not trusted. With FILE: it is trusted, as it is now, and nothing is asked.\n"
		"\n"
		"Trusted is what the file holds in that place: after any change you are asked again, and shown the difference. "
		"The programs and files that it names are not looked into. A copy of what was trusted is kept in mcpctl/trust in $XDG_STATE_HOME (~/.local/state).\n"
		"\n"
		"In a script, where nobody can be asked, a name of such a file ends with status 2 unless it was trusted before, or the option --trust is given, which takes any content and keeps nothing. "
		"Your own mcp.json in $XDG_CONFIG_HOME/mcpctl, and a file that --config names, need no trust, and your own names win.\n"
		"\n"
		"MCPCTL_TOKEN and MCPCTL_MQTT_PASSWORD are not sent to what a folder's file names, trusted or not, unless a header of the entry says ${MCPCTL_TOKEN}; --token-file and --mqtt-password-file of the command line are.\n"
		"\n"
		"The state is own (nobody is asked), trusted, changed (since it was trusted), untrusted, unusable (and why), or, with --list, gone.",
	.group = GROUP_START,
	.flags = CMD_MINOR,
	.max = 1,
	.operand = OPERAND_FILE,
	.options = trust_options,
	.options_size = sizeof(struct trust_options),
	.examples = trust_examples,
	.run = trust_run
};
