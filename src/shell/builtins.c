/* SPDX-License-Identifier: MIT */
/*
 * The table of what only the shell understands, and the simple ones of it;
 * use and reconnect are below.
 */
#include "shell/builtins.h"

#include <ctype.h>
#include <string.h>

#include "base/mask.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/config.h"
#include "cli/connection.h"
#include "cli/guards.h"
#include "cli/manual.h"
#include "cli/named.h"
#include "cli/serve_client.h"
#include "cli/setup.h"
#include "cli/topics.h"
#include "out/render_json.h"
#include "shell/shell.h"
#include "shell/shell_peer.h"
#include "shell/shell_run.h"

/*
 * use and reconnect: which peer the shell is on. What is wrong is said before
 * the one that is open is left.
 */

static int show_peer(struct shell *s, struct error *err)
{
	struct renderer *r = &s->app->out;
	const char *target = s->app->config.target;
	CLEANUP(mem_free_ptr) char *masked = mask_text(target);
	CLEANUP(buf_done) struct buf json = { 0 };

	if (!target || shell_is_attached(s)) {
		char name[] = "devices";
		char *words[] = { name, NULL };

		return shell_words(s, words, 1, err);
	}
	if (r->form != OUTPUT_JSON) {
		fprintf(r->out, "%s\n", masked);
		return 0;
	}
	buf_text(&json, "{\"target\":");
	buf_json_string(&json, masked, strlen(masked));
	buf_char(&json, '}');
	put_json_line(r, &json, (struct span){ 0 });
	return 0;
}

int shell_check_target(const struct shell *s, const char *target, bool later,
		       struct error *err)
{
	const struct transport_ops *ops;
	struct app other = *s->app;
	struct endpoint endpoint = { 0 };
	int status;

	other.config.target = target;
	other.config.device = NULL;
	/* Nobody logs in with what is only looked at, and then gone. */
	other.apart = true;
	if (later)
		shell_mark_later(&other);
	status = setup_endpoint(&endpoint, &other, &ops, err);
	endpoint_done(&endpoint);
	return status;
}

static int use_target(struct shell *s, const char *target, struct error *err)
{
	if (shell_check_target(s, target, true, err))
		return -1;
	shell_peer_choose(s, target, NULL);
	return shell_peer_open(s, err);
}

/* use -- PROGRAM [ARG]... */
static int use_child(struct shell *s, size_t count, char *const *words,
		     struct error *err)
{
	CLEANUP(mem_free_ptr) char *target = NULL;

	if (count == 0)
		return error_set(err, ERR_USAGE,
				 "behind '--' a program is missing");
	target = endpoint_child_text(words, count);
	return use_target(s, target, err);
}

struct meant {
	int64_t count;
	struct error unknown; /* ERR_NONE */
};

/* The last one has both. */
static void take_meant(void *owner, struct control_answer *a)
{
	const cJSON *unknown = json_object(a->json, "unknown");
	struct meant *m = owner;

	json_integer(a->json, "count", &m->count);
	if (unknown)
		control_error_decode(&m->unknown, unknown);
}

/* Which devices of serve it means. -1: err. */
static int ask_meant(struct shell *s, const char *pattern, struct meant *m,
		     struct error *err)
{
	const struct serve_question q = { .op = "devices", .device = pattern };

	return serve_ask(s->app, &q, serve_deadline(s->app), take_meant, m,
			 err);
}

static int wrong_count(const char *device, struct meant *m, struct error *err)
{
	int64_t count = m->count;

	if (m->unknown.kind != ERR_NONE) {
		error_copy(err, &m->unknown);
		error_reset(&m->unknown);
		return -1;
	}
	if (count > 0)
		error_set(err, ERR_USAGE,
			  "%lld devices of the running serve fit '%s'",
			  (long long)count, device);
	else
		error_set(err, ERR_CONNECT,
			  "no device of the running serve fits '%s'", device);
	return error_hint(err, "'devices' lists them");
}

/* Where another target is open, the running serve is meant. */
static int use_device(struct shell *s, const char *device, struct error *err)
{
	struct config *c = &s->app->config;
	const char *before = c->target;
	bool attached = shell_is_attached(s);
	CLEANUP(mem_free_ptr)
	char *target = mem_strdup(attached ? before : "attach:");
	struct meant m = { 0 };
	int status;

	c->target = target;
	status = ask_meant(s, device, &m, err);
	c->target = before;
	if (status != 0 && !attached)
		return error_hint(
			err,
			"a target has ':', as 'use sim:', or is a name of 'targets'; else a device of 'mcpctl serve' is meant");
	if (status != 0)
		return -1;
	if (m.count != 1)
		return wrong_count(device, &m, err);
	shell_peer_choose(s, target, device);
	/* It is there: at a terminal too this does not last. */
	if (shell_peer_open(s, err))
		return -1;
	return connection_open(s->connection, err);
}

/* A Device-Id has colons too. */
static bool is_target(const char *text)
{
	size_t len = strcspn(text, ":");

	if (!text[len])
		return false;
	return scheme_find(text, len) || strstr(text, "://");
}

static bool is_name(const struct shell *s, const char *text)
{
	const struct named_search search = {
		.config_file = s->app->config.config_file
	};

	return named_target_exists(text, &search);
}

static int builtin_use(struct shell *s, int argc, char **argv,
		       struct error *err)
{
	if (argc == 0)
		return show_peer(s, err);
	if (strcmp(argv[0], "--") == 0)
		return use_child(s, (size_t)argc - 1, argv + 1, err);
	if (argc > 1)
		return error_set(err, ERR_USAGE,
				 "'use' takes one word, or '--' and a program");
	if (is_target(argv[0]) || is_name(s, argv[0]))
		return use_target(s, argv[0], err);
	return use_device(s, argv[0], err);
}

static int builtin_reconnect(struct shell *s, int argc, char **argv,
			     struct error *err)
{
	(void)argc;
	(void)argv;
	/* Whoever asks for it wants it tried now. */
	guards_reset(s->connection->guards);
	return shell_peer_open(s, err);
}

/* ---- set ---- */

static const char *const settings[] = { "timeout", "wait",  "output", "verbose",
					"quiet",   "color", NULL };

static const struct option_row *setting_row(const char *name)
{
	for (size_t i = 0; settings[i]; i++) {
		if (strcmp(settings[i], name) == 0)
			return config_setting(name);
	}
	return NULL;
}

static int no_setting(const char *name, struct error *err)
{
	const char *near = text_nearest(name, settings, COUNT(settings) - 1);

	error_set(err, ERR_USAGE, "there is no setting '%s'", name);
	if (near)
		return error_hint(err, "did you mean '%s'? 'set' shows all",
				  near);
	return error_hint(err, "'set' shows all of them");
}

/* The word number `index` of "text json raw". */
static void add_choice(struct buf *out, const char *choices, int index)
{
	while (index-- > 0)
		choices += strcspn(choices, " ") + 1;
	buf_add(out, choices, strcspn(choices, " "));
}

static void add_setting(struct buf *out, const struct option_row *row,
			const struct config *c)
{
	const void *place = (const char *)c + row->offset;
	int64_t ms;

	switch (row->type) {
	case OPTION_FLAG:
		buf_text(out, *(const bool *)place ? "on" : "off");
		break;
	case OPTION_COUNT:
		buf_text(out, *(const int *)place ? "on" : "off");
		break;
	case OPTION_CHOICE:
		add_choice(out, row->choices, *(const int *)place);
		break;
	default:
		ms = *(const int64_t *)place;
		if (ms <= 0)
			buf_text(out, row->fallback ? row->fallback : "0");
		else if (ms % 1000)
			buf_printf(out, "%lldms", (long long)ms);
		else
			buf_printf(out, "%llds", (long long)ms / 1000);
		break;
	}
}

static void show_settings(struct app *app)
{
	CLEANUP(buf_done) struct buf json = { 0 };
	bool as_json = app->out.form == OUTPUT_JSON;

	for (size_t i = 0; settings[i]; i++) {
		const struct option_row *row = setting_row(settings[i]);
		CLEANUP(buf_done) struct buf value = { 0 };

		if (row)
			add_setting(&value, row, &app->config);
		if (!as_json) {
			fprintf(app->out.out, "%-10s%s\n", settings[i],
				buf_string(&value));
			continue;
		}
		buf_printf(&json, "%c\"%s\":", i ? ',' : '{', settings[i]);
		buf_json_string(&json, buf_string(&value), value.len);
	}
	if (!as_json)
		return;
	buf_char(&json, '}');
	put_json_line(&app->out, &json, (struct span){ 0 });
}

/* The renderer and the session learn of it. */
static void apply_settings(struct shell *s)
{
	struct app *app = s->app;
	const struct config *c = &app->config;
	struct renderer *r = &app->out;
	struct render_place place = { r->out, r->out_terminal, r->out_color };
	bool waiting = r->waiting;
	int log_from = r->log_from;
	uint64_t held = r->held;

	app_configure(app);
	if (place.out != r->out)
		render_restore(r, &place);
	r->waiting = waiting;
	r->log_from = log_from;
	r->held = held;
	shell_dress(s);
	if (s->connection->session)
		session_adjust(s->connection->session, c->timeout, c->wait,
			       app->trace || c->verbose);
}

static int set(struct shell *s, int argc, char **argv, struct error *err)
{
	const struct option_row *row;
	CLEANUP(buf_done) struct buf label = { 0 };

	if (argc == 0) {
		show_settings(s->app);
		return 0;
	}
	row = setting_row(argv[0]);
	if (!row)
		return no_setting(argv[0], err);
	buf_printf(&label, "set %s", row->name);
	if (argc == 1 && !option_is_flag(row)) {
		error_set(err, ERR_USAGE, "'set %s' needs %s", row->name,
			  row->word);
		return error_hint(err, "'set' shows what it is now");
	}
	if (option_store(row, &s->app->config, argv[1], buf_string(&label),
			 err))
		return -1;
	apply_settings(s);
	return 0;
}

/* ---- last ---- */

static int last(struct shell *s, int argc, char **argv, struct error *err)
{
	const struct option_row *row = config_setting("output");
	struct config form = { .output = s->app->config.output };
	const char *word = argc > 0 ? argv[argc - 1] : NULL;

	if (argc == 2 && strcmp(argv[0], "--save") == 0)
		return shell_last_save(s, word, err);
	if (argc == 1 && text_starts(word, "--save="))
		return shell_last_save(s, word + strlen("--save="), err);
	/* "-o json", "-ojson", "--output=json" or "json". */
	if (argc == 2 && strcmp(argv[0], "-o") != 0 &&
	    strcmp(argv[0], "--output") != 0)
		return error_set(err, ERR_USAGE, "'last' does not know '%s'",
				 argv[0]);
	if (argc == 1 && text_starts(word, "--output="))
		word += strlen("--output=");
	else if (argc == 1 && text_starts(word, "-o"))
		word += 2;
	if (word && option_store(row, &form, word, "last", err))
		return -1;
	return shell_last_show(s, (enum output_form)form.output, err);
}

/* ---- help ---- */

static void help_item(FILE *out, const char *name, const char *args,
		      const char *brief)
{
	const struct manual_layout l = { .indent = 2,
					 .column = 28,
					 .width = 80 };
	CLEANUP(buf_done) struct buf term = { 0 };

	buf_printf(&term, "%s%s%s", name, *args ? " " : "", args);
	manual_item(out, &l, buf_string(&term), brief);
}

static void help_topics(FILE *out)
{
	CLEANUP(buf_done) struct buf names = { 0 };

	for (const struct topic *t = topics; t->name; t++)
		buf_printf(&names, "%s%s", t == topics ? "" : " ", t->name);
	manual_print(out, buf_string(&names), 80);
}

static void help_shell(FILE *out)
{
	fputs("Commands:\n", out);
	for (const struct command *const *c = commands; *c; c++) {
		if (shell_allows(*c) && !((*c)->flags & CMD_HIDDEN) &&
		    !builtin_find((*c)->name))
			help_item(out, (*c)->name, (*c)->args, (*c)->brief);
	}
	help_item(out, "TOOL", "[ARG]...",
		  "a name with a dot alone is the same as 'call TOOL'");
	fputs("\nOf the shell:\n", out);
	for (const struct builtin *b = builtins; b->name; b++)
		help_item(out, b->name, b->args, b->brief);
	help_item(out, "LINE | CMD", "",
		  "what LINE prints goes to the command CMD of sh");
	fputs("\nMore: help COMMAND, help TOOL, help TOPIC; the topics are\n",
	      out);
	help_topics(out);
}

static void help_builtin(FILE *out, const struct builtin *b)
{
	fprintf(out, "usage: %s%s%s\n\n%c%s.\n\n", b->name, *b->args ? " " : "",
		b->args, toupper((unsigned char)b->brief[0]), b->brief + 1);
	manual_print(out, b->text, 80);
}

/* What is neither ours nor a topic is a tool, which its device describes. */
static int help(struct shell *s, int argc, char **argv, struct error *err)
{
	struct app *app = s->app;
	char help_word[] = "help", describe_word[] = "describe";
	char *words[] = { help_word, argv[0], NULL };
	const struct builtin *b = argc > 0 ? builtin_find(argv[0]) : NULL;
	bool ours, tool;

	if (argc == 0) {
		help_shell(app->out.out);
		return 0;
	}
	if (b) {
		help_builtin(app->out.out, b);
		return 0;
	}
	/* No tool is asked for by an option. */
	ours = *argv[0] == '-' || command_find(argv[0]) || topic_find(argv[0]);
	tool = !ours && (strchr(argv[0], '.') || s->connection->connected);
	if (tool)
		words[0] = describe_word;
	if (command_run(s->connection, words, 2, err) == 0)
		return 0;
	if (ours || tool)
		return -1;
	return error_hint(err, "if it is a tool: describe %s; %s", argv[0],
			  err->hint);
}

/* ---- run, !, quit ---- */

static int run(struct shell *s, int argc, char **argv, struct error *err)
{
	bool keep_going = argc > 1 && (strcmp(argv[0], "-k") == 0 ||
				       strcmp(argv[0], "--keep-going") == 0);

	if (argc > 1 && !keep_going)
		return error_set(err, ERR_USAGE, "'run' does not know '%s'",
				 argv[0]);
	return shell_script_file(s, argv[argc - 1], keep_going, err);
}

/* The line itself was taken apart before (shell_line.h). */
static int outside(struct shell *s, int argc, char **argv, struct error *err)
{
	(void)argc;
	return shell_outside(s, argv[0], err);
}

static int quit(struct shell *s, int argc, char **argv, struct error *err)
{
	(void)argc;
	(void)argv;
	(void)err;
	s->quit = true;
	return 0;
}

const struct builtin builtins[] = {
	{ "use", "[DEVICE|TARGET|-- PROGRAM [ARG]...]",
	  "another device of serve, another target",
	  "DEVICE is an id, a client id or an alias of a device that the running 'mcpctl serve' holds; a word with a scheme, as sim: or ws://HOST/, is a target, and so is a name that 'targets' lists. "
	  "Behind '--' stands a program with its arguments: an MCP server that is started and spoken to over its stdin and stdout. "
	  "Without an operand the devices of serve are listed, or the target is shown (\"target\" as JSON). Settings and history stay.",
	  0, -1, INSIDE_PEER, builtin_use },
	{ "reconnect", "", "close the connection and open the target again",
	  "Where a device comes by itself (listen:, and serve's) it is waited for in the background.",
	  0, 0, INSIDE_NONE, builtin_reconnect },
	{ "set", "[NAME [VALUE]]", "show or change a setting of this session",
	  "The settings are options of mcpctl: timeout and wait (10s, 500ms), output (text, json, raw), verbose and quiet (on, off), color (auto, always, never). Without operands all are shown.",
	  0, 2, INSIDE_SETTING, set },
	{ "last", "[-o FORM|--save FILE]",
	  "the last result once more, in another form",
	  "FORM is text, json or raw; without it, that of 'set output'. --save writes its images and audio to FILE, FILE-2, …, as that of call does. Nothing is asked of the device. A pipe may follow: last -o raw | jq .",
	  0, 2, INSIDE_FORM, last },
	{ "run", "[-k] FILE", "run the lines of a file",
	  "As if they were typed: builtins, tools and pipes too. The first line that fails ends it; with -k (--keep-going) the rest is run all the same.",
	  1, 2, INSIDE_FILE, run },
	{ "help", "[COMMAND|TOOL|TOPIC]", "help on a command, a tool, a topic",
	  "Without an operand: what can be typed here. A tool is described as by 'describe'.",
	  0, 1, INSIDE_HELP, help },
	{ "!", "CMD", "run a command of sh",
	  "All that stands behind '!' is given to 'sh -c', with this terminal. In a script it reads nothing, and the line fails when its status is not 0.",
	  1, 1, INSIDE_FILE, outside },
	{ "quit", "", "leave the shell", "So does Ctrl-D on an empty line.", 0,
	  0, INSIDE_NONE, quit },
	{ "exit", "", "the same as quit", "So does Ctrl-D on an empty line.", 0,
	  0, INSIDE_NONE, quit },
	{ 0 }
};

const struct builtin *builtin_find(const char *name)
{
	for (const struct builtin *b = builtins; b->name; b++) {
		if (strcmp(b->name, name) == 0)
			return b;
	}
	return NULL;
}

/* ---- for completion, which is below ---- */

void builtins_offer(void)
{
	static struct inside_word words[COUNT(builtins)];
	size_t n = 0;

	for (const struct builtin *b = builtins; b->name; b++) {
		if (*b->name != '!')
			words[n++] = (struct inside_word){ b->name, b->brief,
							   b->operand };
	}
	complete_inside_words = words;
	complete_inside_settings = settings;
}
