/* SPDX-License-Identifier: MIT */
/*
 * targets: the names that files of servers give them, as they stand there; with
 * --ping each dialled. Who else is there is cli/scan's matter.
 */
#include "base/mem.h"
#include "cli/app.h"
#include "cli/brokered.h"
#include "cli/commands.h"
#include "cli/every.h"
#include "cli/named.h"
#include "cli/scan.h"
#include "net/neighbours.h"
#include "out/wrap.h"

struct targets_options {
	struct scan_options scan;
	bool scans, ping;
};

static const struct option_row targets_options[] = {
	{ .name = "scan",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct targets_options, scans),
	  .brief = "who else is there: in this network, and serves of yours" },
	{ .name = "interface",
	  .word = "NAME",
	  .type = OPTION_LIST,
	  .offset = offsetof(struct targets_options, scan.interfaces),
	  .brief = "with --scan: ask there; again for more; all if not given" },
	{ .name = "for",
	  .word = "DURATION",
	  .type = OPTION_DURATION,
	  .offset = offsetof(struct targets_options, scan.duration),
	  .brief = "with --scan: wait so long for answers; 2s if not given",
	  .min = 1 },
	{ .name = "count",
	  .word = "N",
	  .type = OPTION_NUMBER,
	  .offset = offsetof(struct targets_options, scan.count),
	  .brief = "with --scan: end when N have answered in this network",
	  .min = 1,
	  .max = NEIGHBOURS_MAX },
	{ .name = "probe",
	  .word = "HOST[/24]",
	  .type = OPTION_LIST,
	  .offset = offsetof(struct targets_options, scan.probes),
	  .brief =
		  "with --scan: dial that host, or each of that network, and ask who listens; again for more" },
	{ .name = "watch",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct targets_options, scan.watch),
	  .brief =
		  "with --scan: go on: a line for each that comes or goes, until Ctrl-C or for --for" },
	{ .name = "ping",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct targets_options, ping),
	  .brief = "dial each: who answers, and how long it took" },
	{ .name = NULL }
};

struct row {
	char *name, *file, *peer,
		*problem; /* owned; name, problem may be NULL */
	const char *client;
	bool hidden, off, untrusted, dials;
};

struct targets {
	struct app *app;
	struct row *item;
	size_t count, capacity;
	size_t name_width, peer_width;
	size_t next; /* --ping: the first that was not shown */
};

static void widen(size_t *width, const char *text)
{
	size_t columns = wrap_columns(text);

	if (columns > *width)
		*width = columns;
}

/* All that are there, since the columns must be known before the first. */
static void collect(void *owner, const struct named_entry *e)
{
	struct targets *t = owner;
	struct row row = { .client = e->client,
			   .hidden = e->hidden,
			   .off = e->off,
			   .untrusted = e->untrusted,
			   .dials = every_dials(e) };

	row.name = mem_strdup(e->name);
	row.file = mem_strdup(e->file);
	row.peer = mem_strdup(e->peer);
	row.problem = mem_strdup(e->problem);
	t->item = mem_grow(t->item, &t->capacity, t->count, sizeof(*t->item));
	t->item[t->count++] = row;
	widen(&t->name_width, row.name ? row.name : "");
	widen(&t->peer_width, row.peer);
}

static struct target_record record_of(const struct targets *t,
				      const struct row *row)
{
	return (struct target_record){ .name = row->name,
				       .file = row->file,
				       .peer = row->peer,
				       .problem = row->problem,
				       .client = row->client,
				       .hidden = row->hidden,
				       .off = row->off,
				       .untrusted = row->untrusted,
				       .name_width = t->name_width,
				       .peer_width = t->peer_width };
}

static void show(struct targets *t, const struct target_record *record)
{
	struct renderer *r = &t->app->out;

	if (r->ops->target)
		r->ops->target(r, record);
	t->next++;
}

static void show_all(struct targets *t)
{
	while (t->next < t->count) {
		const struct target_record record =
			record_of(t, &t->item[t->next]);

		show(t, &record);
	}
}

static void targets_done(struct targets *t)
{
	for (size_t i = 0; i < t->count; i++) {
		mem_free(t->item[i].name);
		mem_free(t->item[i].file);
		mem_free(t->item[i].peer);
		mem_free(t->item[i].problem);
	}
	mem_free(t->item);
}

/* The file that was given is not there, or is none: its only row says so. */
static int check_given(const struct app *app, const struct targets *t,
		       struct error *err)
{
	if (!app->config.config_file || t->count != 1 || t->item[0].name)
		return 0;
	return error_set(err, ERR_USAGE, "%s", t->item[0].problem);
}

/* ---- --ping ---- */

static void on_pinged(void *owner, const char *name, int64_t took_us,
		      const struct error *failure)
{
	struct targets *t = owner;
	CLEANUP(mem_free_ptr) char *why = failure ? every_why(failure) : NULL;
	struct target_record record;

	(void)name;
	/* Those between are not dialled. */
	while (!t->item[t->next].dials) {
		record = record_of(t, &t->item[t->next]);
		show(t, &record);
	}
	record = record_of(t, &t->item[t->next]);
	record.dialled = true;
	record.took_us = took_us;
	record.failure = why;
	show(t, &record);
	fflush(t->app->out.out);
}

/* What stands in files but cannot be dialled at all; what is not to be is none of them. */
static size_t count_broken(const struct targets *t)
{
	size_t count = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct row *row = &t->item[i];

		count += row->problem && !row->untrusted && !row->hidden &&
			 !row->off;
	}
	return count;
}

static void note_passed(const struct targets *t)
{
	size_t untrusted = 0;

	for (size_t i = 0; i < t->count; i++)
		untrusted += t->item[i].untrusted;
	if (untrusted)
		render_note(
			&t->app->out,
			"%zu not dialled: their files are not trusted (mcpctl trust)",
			untrusted);
}

static int ping_all(struct targets *t, struct error *err)
{
	const struct every_order order = { .told = on_pinged, .owner = t };
	CLEANUP(words_done) struct words names = { 0 };
	size_t broken = count_broken(t);
	int status;

	for (size_t i = 0; i < t->count; i++) {
		if (t->item[i].dials)
			words_add(&names, t->item[i].name);
	}
	status = every_run(t->app, &names, &order, err);
	if (status != 0 && err->kind != ERR_UNMET)
		return -1;
	show_all(t);
	note_passed(t);
	if (status != 0)
		return -1;
	if (broken)
		return error_set(
			err, ERR_UNMET,
			"%zu cannot be dialled: what is wrong stands beside it",
			broken);
	if (names.count)
		return 0;
	error_set(err, ERR_UNMET, "there was no target to dial");
	return error_hint(err,
			  "mcpctl targets --help says which files are read");
}

/* ---- which of them ---- */

/* What --scan has of these alone; of a broker none but --watch with its time. */
static int check_scan(const struct invocation *in,
		      const struct targets_options *o, struct error *err)
{
	const struct scan_options *scan = &o->scan;
	const char *option = scan->interfaces.count	    ? "interface" :
			     scan->duration && !scan->watch ? "for" :
			     scan->count		    ? "count" :
			     scan->probes.count		    ? "probe" :
							      NULL;

	if (scan->watch && (scan->count || scan->probes.count))
		return error_set(
			err, ERR_USAGE,
			"options '--watch' and '--%s' do not go together",
			scan->count ? "count" : "probe");
	if (option && in->argc > 0)
		return error_set(
			err, ERR_USAGE,
			"option '--%s' is for a network, and '%s' is a broker",
			option, in->argv[0]);
	return 0;
}

static int check_options(const struct invocation *in,
			 const struct targets_options *o, struct error *err)
{
	const char *option = o->scan.interfaces.count ? "interface" :
			     o->scan.duration	      ? "for" :
			     o->scan.count	      ? "count" :
			     o->scan.probes.count     ? "probe" :
			     o->scan.watch	      ? "watch" :
							NULL;

	if (o->scans && o->ping)
		return error_set(
			err, ERR_USAGE,
			"options '--scan' and '--ping' do not go together");
	if (in->argc > 0 && !o->scans)
		return error_set(
			err, ERR_USAGE,
			"'%s' is a word too many: a broker can stand there, with '--scan'",
			in->argv[0]);
	if (in->argc > 0 && !brokered_fits(in->app))
		return scan_no_broker(in->app, err);
	if (o->scans)
		return check_scan(in, o, err);
	if (option)
		return error_set(err, ERR_USAGE,
				 "option '--%s' is for '--scan'", option);
	return 0;
}

static int targets_run(const struct invocation *in, struct error *err)
{
	const struct targets_options *o = in->options;
	struct app *app = in->app;
	const struct named_search search = { .config_file =
						     app->config.config_file,
					     .trust = app->config.trust };
	CLEANUP(targets_done) struct targets t = { .app = app };

	if (in->argc > 0) {
		app->config.target = in->argv[0];
		app->target_source = "the operand";
	}
	if (check_options(in, o, err))
		return -1;
	if (o->scans && (in->argc > 0 || brokered_fits(app)))
		return scan_broker(app, &o->scan, err);
	if (o->scans)
		return scan_run(app, &search, &o->scan, err);
	named_targets(&search, collect, &t);
	if (check_given(app, &t, err))
		return -1;
	if (o->ping)
		return ping_all(&t, err);
	show_all(&t);
	if (t.count == 0)
		render_note(
			&app->out,
			"no mcp.json names a server, and no file of another MCP client: neither mcp.json in the configuration folder, nor .mcp.json or mcp.json here or above (mcpctl targets --help)");
	return 0;
}

static const struct example targets_examples[] = {
	{ "targets", NULL, 0 },
	{ "targets --ping", NULL, EXAMPLE_GOES_ON },
	{ "targets --scan", NULL, EXAMPLE_GOES_ON },
	{ "targets --scan --probe 192.168.1.0/24", NULL, EXAMPLE_GOES_ON },
	{ "targets --scan mcp+mqtt://broker.local", NULL, EXAMPLE_GOES_ON },
	{ "targets --scan --watch", NULL, EXAMPLE_GOES_ON },
	{ NULL, NULL, 0 }
};

const struct command cmd_targets = {
	.name = "targets",
	.globals =
		"jq fields config trust device socket timeout wait insecure cacert mqtt-password-file",
	.args = "[BROKER]",
	.brief = "servers that files name; --scan: who else is there",
	.text = "A line for each server that can be named as -t NAME: its name, what it is as a target, and the file that says so. Nothing is started or dialled, but with --ping and --scan.\n"
		"\n"
		"The files: mcp.json in $XDG_CONFIG_HOME/mcpctl (~/.config/mcpctl), which is your own, then .mcp.json and mcp.json in the current folder and in each one above it. "
		"Then those of other clients, where they stand on Linux and macOS: your own of Claude Code, Claude Desktop, VS Code, Cursor, Windsurf, Codex, Zed, Continue, Gemini and opencode, and those of a project, here and above: .vscode/mcp.json, .cursor/mcp.json, .codex/config.toml, .zed/settings.json, .continue/mcpServers/*, .gemini/settings.json, opencode.json. "
		"The first that has a name counts; a later one is marked. --config FILE reads that file alone, in any of these forms. "
		"A file that was found, and belongs to neither the user nor root, is not used.\n"
		"\n"
		"A file of a folder may have come with it, and can name any program. So its names are used only after you trusted what it holds: mcpctl trust, or the question when one is used first.\n"
		"\n"
		"An entry of \"mcpServers\" (or \"servers\") is {\"command\", \"args\", \"env\", \"cwd\"} or {\"url\", \"headers\"}; its \"type\" may be stdio, http, sse or ws; \"url\" may be any target. ${VAR} and ${VAR:-default} stand for variables of the environment; ${input:…} and the like are known to an editor alone. "
		"Comments are allowed. A program of a file above the current folder runs in that file's folder, unless \"cwd\" says otherwise. "
		"Options of the command line count more than the entry.\n"
		"\n"
		"Secrets are shown as ***. What is wrong with an entry or a file stands behind it and hides no other; the status is 0 all the same, but for a file that was given and cannot be read.\n"
		"\n"
		"--ping dials each, 16 at once, up to initialize, and shows how long that took, or why it failed; --timeout for each, 10s if not given. Not dialled are names of files that are not trusted, those that a file before them has, and those that are switched off in their file. Status 7: one did not answer.\n"
		"\n"
		"--scan lists what is there, each with the command that reaches it: these names, the serves of this user, and who announces _mcp._tcp in this network (multicast DNS, IPv4; nothing has to be installed for it). "
		"Of such a server its own host alone is believed (TXT: path, version, ws_port, endpoint), and each is asked for initialize, without a token, a header or a login, before it is called one; --timeout for each, 3s if not given. "
		"But for that nothing but the multicast group is asked, on all interfaces but loopback, or on those of --interface. "
		"--probe HOST[:PORT], or a network of addresses such as 192.168.1.0/24 (up to 256), dials what announces nothing: the ports 80 and 8080, or the one that is given, and where somebody listens /mcp, /mcp_server and /sse. Only networks of your own, please. "
		"Status 7: no serve, and nobody who answered. "
		"Boards with xiaozhi-esp32 firmware announce nothing: they dial in, at serve.\n"
		"\n"
		"--scan mcp+mqtt://HOST lists the servers that announce themselves at a broker by MCP over MQTT; mcp+mqtt://HOST/+/xiaozhi/%23 those that fit. Each is asked initialize, since what is announced may be left from a server that ended: then it says so.\n"
		"\n"
		"--scan --watch goes on until Ctrl-C, or for as long as --for says (status 0): what is there at first, then a line when somebody comes or goes, begins to answer or does so no more ('changed'). Each is asked for initialize when it comes; one that did not answer is asked again, at first after 3 s, then ever more seldom, down to once a minute. "
		"In a network it is asked every 3 s who is there. Who did not answer that twice is asked for initialize, too, and is gone if its port refuses; what was not asked, since it told no port or another address, is gone at once. A serve is gone when nobody has its socket any more; one that does not answer may be busy. Names of files are shown once. At a broker presence tells who comes and goes; when the broker is lost, it ends with status 3. -o json: the objects of --scan, with \"change\": \"present\", \"came\", \"changed\" or \"gone\".",
	.group = GROUP_START,
	.flags = CMD_SHELL | CMD_MINOR | CMD_PAGED,
	.max = 1,
	.options = targets_options,
	.options_size = sizeof(struct targets_options),
	.examples = targets_examples,
	.run = targets_run
};
