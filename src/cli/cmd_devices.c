/* SPDX-License-Identifier: MIT */
/*
 * devices: who is connected to the running serve, now and (--watch) from now
 * on.
 */
#include <string.h>

#include "base/mem.h"
#include "cli/commands.h"
#include "cli/serve_client.h"
#include "out/alike.h"
#include "out/text_device.h"

enum { SILENT_MS = 10000 };

struct devices_options {
	bool watch, enrolled;
};

static const struct option_row devices_options[] = {
	{ .name = "watch",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct devices_options, watch),
	  .brief =
		  "go on: a line for each device that comes, changes or goes" },
	{ .name = "enrolled",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct devices_options, enrolled),
	  .brief =
		  "those that were enrolled (serve --enroll), also if they are not here" },
	{ .name = NULL }
};

struct devices {
	struct app *app;
	const char *pattern; /* NULL: all */
	bool watch, enrolled;
	struct control_line *serve;
	struct control_answer *item;
	size_t count, capacity;
	struct device_record columns; /* widths */
};

/* All that are there, since the columns must be known before the first. */
static void keep(void *owner, struct control_answer *a)
{
	struct devices *d = owner;

	d->columns.device = json_object(a->json, "device");
	if (!d->columns.device)
		return;
	render_widen(&d->columns);
	d->item = mem_grow(d->item, &d->capacity, d->count, sizeof(*d->item));
	d->item[d->count++] = *a;
	*a = (struct control_answer){ 0 };
}

static void show(const struct devices *d, const struct control_answer *answer,
		 const char *change)
{
	struct renderer *r = &d->app->out;
	struct device_record record = d->columns;

	record.device = json_object(answer->json, "device");
	record.device_text = control_answer_member(answer, "device");
	record.change = change;
	if (record.device && r->ops->device)
		r->ops->device(r, &record);
}

/* NOLINTNEXTLINE(readability-non-const-parameter): as alike_tell has it */
static const char *name_at(const void *list, size_t i, bool *shown)
{
	const struct devices *d = list;

	(void)shown;
	return render_device_name(json_object(d->item[i].json, "device"));
}

static void show_all(struct devices *d)
{
	struct renderer *r = &d->app->out;

	d->columns.device = NULL;
	if (d->count > 0 && !d->watch && r->out_terminal && r->ops->device) {
		render_widen(&d->columns);
		r->ops->device(r, &d->columns);
	}
	for (size_t i = 0; i < d->count; i++)
		show(d, &d->item[i], d->watch ? "present" : NULL);
	fflush(r->out);
	alike_tell(r, d, d->count, name_at);
}

/* The next step depends on whether boards know the way here. */
static void tell_next_step(struct devices *d)
{
	const struct serve_question q = { .op = "status" };
	CLEANUP(control_answer_done) struct control_answer answer = { 0 };
	const char *address = NULL;
	const cJSON *addresses;
	const char *hint;
	int64_t came = 0;

	control_line_ask(d->serve, &q, serve_deadline(d->app),
			 control_answer_take, &answer, NULL);
	addresses = json_array(answer.json, "addresses");
	if (addresses && addresses->child)
		address = addresses->child->valuestring; /* NULL: no text */
	json_integer(answer.json, "came", &came);
	hint = json_string(answer.json, "hint");
	if (addresses && !addresses->child)
		render_note(
			&d->app->out,
			"nothing is kept open now, and this serve has no port for boards; 'mcpctl open' keeps a server open");
	else if (came > 0)
		render_note(&d->app->out, "no device is connected now%s%s",
			    hint ? ": " : "", hint ? hint : "");
	else
		render_note(
			&d->app->out,
			"no device is connected yet: set %s as the OTA address of a board and restart it; %s",
			address ? address : "the address that serve shows",
			hint ? hint :
			       "'mcpctl help board' tells what to set on it");
}

/* An empty list is one, a search that finds nothing has failed. */
static int refuse_nobody(const struct devices *d, struct error *err)
{
	if (d->enrolled)
		return error_set(err, ERR_UNMET,
				 "no board that is enrolled fits '%s'",
				 d->pattern);
	error_set(err, ERR_UNMET, "no device fits '%s'", d->pattern);
	return error_hint(err, "'mcpctl devices' lists all");
}

static void tell_nobody(struct devices *d)
{
	if (d->enrolled)
		render_note(&d->app->out, "no board is enrolled");
	else if (d->watch && d->pattern)
		render_note(&d->app->out,
			    "no device fits '%s' now; what comes is shown",
			    d->pattern);
	else if (d->watch)
		render_note(&d->app->out,
			    "no device is connected now; what comes is shown");
	else
		tell_next_step(d);
}

static int watch(struct devices *d, struct error *err)
{
	if (app_follow(d->app, err))
		return -1;
	while (!ferror(d->app->out.out)) {
		CLEANUP(control_answer_done)
		struct control_answer answer = { 0 };
		const char *change;

		if (control_line_next(d->serve, LOOP_FOREVER, &answer, err) !=
		    0)
			return -1;
		change = json_string(answer.json, "change");
		d->columns.device = json_object(answer.json, "device");
		if (!d->columns.device)
			continue;
		render_widen(&d->columns);
		show(d, &answer, change ? change : "changed");
	}
	return 0;
}

static int list(struct devices *d, struct error *err)
{
	const struct serve_question q = { .op = "devices",
					  .device = d->pattern,
					  .watch = d->watch,
					  .enrolled = d->enrolled };

	if (control_line_ask(d->serve, &q, loop_now() + SILENT_MS, keep, d,
			     err))
		return -1;
	show_all(d);
	if (d->count == 0 && d->pattern && !d->watch)
		return refuse_nobody(d, err);
	if (d->count == 0)
		tell_nobody(d);
	return d->watch ? watch(d, err) : 0;
}

static int devices_run(const struct invocation *in, struct error *err)
{
	const struct devices_options *o = in->options;
	struct devices d = { .app = in->app,
			     .pattern = in->argv[0],
			     .watch = o->watch,
			     .enrolled = o->enrolled };
	int status;

	if (o->watch && o->enrolled)
		return error_set(
			err, ERR_USAGE,
			"options '--watch' and '--enrolled' exclude each other");
	if (o->watch && in->app->out.table)
		return error_set(
			err, ERR_USAGE,
			"option '--watch' has no end, and so no table");
	d.columns.worded = d.watch || !in->app->out.out_terminal;
	if (!d.pattern)
		d.pattern = serve_target_device(in->app);
	status = serve_client_open(&d.serve, in->app, false, err);
	if (status == 0)
		status = list(&d, err);
	control_line_close(d.serve);
	for (size_t i = 0; i < d.count; i++)
		control_answer_done(&d.item[i]);
	mem_free(d.item);
	return status;
}

static const struct example devices_examples[] = {
	{ "devices", NULL, 3 },
	{ "devices 'aa:bb:*' --watch", NULL, 3 },
	{ "-o json devices", NULL, 3 },
	{ NULL, NULL, 0 }
};

const struct command cmd_devices = {
	.name = "devices",
	.globals = "jq fields device socket timeout",
	.args = "[PATTERN]",
	.brief = "the devices of the running serve",
	.text = "A line for each device that is connected to the 'mcpctl serve' of this user: what it is called (its alias, else its Device-Id or client id), board, version of the firmware, transport, how many tools it has or how far it is, address, when it came and when it was heard last. 'stale 49 s' stands there if it was asked something at least 10 s ago and nothing came since: whether it is still there is in doubt. "
		"PATTERN is an id, an alias or a glob; where no device fits, the status is 7. Where something went wrong with a device, the next line says what.\n"
		"\n"
		"With --enrolled: the boards that came while serve --enroll let them, and for which OTA signs passwords since then; those too that are not connected now (away). "
		"To take one out, remove it from enrolled.json in the state folder, send serve a SIGHUP, and change the key: what was signed stays good.\n"
		"\n"
		"With --watch it goes on until Ctrl-C. -o json prints each device as an object; with --watch {\"change\", \"device\"}.\n"
		"\n"
		"Servers that are kept open (mcpctl open) stand among the devices: their transport is stdio, http or ws, and one that ended is 'ended' until a command wants it.\n"
		"\n"
		"None at all is no error: it is told on stderr, and the status is 0.",
	.group = GROUP_START,
	.flags = CMD_SHELL,
	.max = 1,
	.operand = OPERAND_DEVICE,
	.options = devices_options,
	.options_size = sizeof(struct devices_options),
	.examples = devices_examples,
	.run = devices_run
};
