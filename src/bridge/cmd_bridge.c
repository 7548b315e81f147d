/* SPDX-License-Identifier: MIT */
/*
 * bridge: boards and servers as one MCP server for hosts. Its options, its
 * fronts, its main line.
 */
#include <assert.h>
#include <signal.h>
#include <unistd.h>

#include "base/mask.h"
#include "base/mem.h"
#include "base/text.h"
#include "bridge/bridge.h"
#include "bridge/bridge_host.h"
#include "bridge/bridge_server.h"
#include "bridge/host_config.h"
#include "bridge/seen_list.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "cli/named_file.h"

#define AT(member) offsetof(struct bridge_options, member)

/* clang-format off */
static const struct option_row bridge_rows[] = {
	{ 0, "stdio", NULL, OPTION_FLAG, AT(stdio),
	  "stdin and stdout, beside other ways, too; without one of those it is the only way", NULL, NULL, 0, 0, NULL },
	{ 0, "listen", "[HOST:]PORT", OPTION_TEXT, AT(listen),
	  "wait for hosts there: Streamable HTTP at /mcp, HTTP+SSE at /sse, WebSocket at /ws; --token-file says which tokens they show", NULL, NULL, 0, 0, NULL },
	{ 0, "announce", NULL, OPTION_FLAG, AT(announce),
	  "with --listen: announce the port in this network, as _mcp._tcp, so that 'targets --scan' finds it", NULL, NULL, 0, 0, NULL },
	{ 0, "interface", "NAME", OPTION_LIST, AT(interfaces),
	  "with --announce: there; again for more; all but loopback if not given", NULL, NULL, 0, 0, NULL },
	{ 0, "mcp-endpoint-file", "FILE", OPTION_FILE, AT(mcp_endpoint_file),
	  "dial the access points whose addresses stand in FILE, one a line: ws[s]://HOST/…/mcp/?token=… (or MCPCTL_MCP_ENDPOINT: one address)", NULL, NULL, 0, 0, NULL },
	{ 0, "mcp-endpoint-tools", "N", OPTION_NUMBER, AT(mcp_endpoint_tools),
	  "show access points so many tools at most", NULL, NULL, 1, 1000, "32" },
	{ 0, "mcp-mqtt", "BROKER", OPTION_TEXT, AT(mcp_mqtt),
	  "each board as a server of its own at mqtt://[USER@]HOST[:PORT][/PREFIX], by MCP over MQTT", NULL, NULL, 0, 0, NULL },
	{ 0, "keep-asleep", NULL, OPTION_FLAG, AT(keep_asleep),
	  "with --mcp-mqtt: boards stay announced while they sleep", NULL, NULL, 0, 0, NULL },
	{ 0, "names", "flat|dots|raw", OPTION_CHOICE, AT(names),
	  "how tools are called: flat (letters, digits, _ and -, which every host takes), dots, or raw, as boards call them", NULL, "flat dots raw", 0, 0, "flat" },
	{ 0, "user-tools", NULL, OPTION_FLAG, AT(user_tools),
	  "show tools, too, that a board keeps for its user", NULL, NULL, 0, 0, NULL },
	{ 0, "read-only", NULL, OPTION_FLAG, AT(read_only),
	  "show tools that only read, and no others", NULL, NULL, 0, 0, NULL },
	{ 0, "allow", "GLOB", OPTION_LIST, AT(allow),
	  "show tools of that name, whatever they do; may be given many times", NULL, NULL, 0, 0, NULL },
	{ 0, "deny", "GLOB", OPTION_LIST, AT(deny),
	  "hide tools of that name; may be given many times", NULL, NULL, 0, 0, NULL },
	{ 0, "one-tool-a-name", NULL, OPTION_FLAG, AT(merge),
	  "one tool for all boards that have it alike, with an argument 'device'; so it is, too, where there would be more than 40", NULL, NULL, 0, 0, NULL },
	{ 0, "only-awake", NULL, OPTION_FLAG, AT(awake_only),
	  "show tools of boards only while they are connected", NULL, NULL, 0, 0, NULL },
	{ 0, "no-own-tools", NULL, OPTION_FLAG, AT(no_own),
	  "do not show the bridge's own tools: devices, refresh", NULL, NULL, 0, 0, NULL },
	{ 0, "generic", NULL, OPTION_FLAG, AT(generic),
	  "show a tool that calls any tool of any board, for hosts that list tools once", NULL, NULL, 0, 0, NULL },
	{ 0, "false-is-error", NULL, OPTION_FLAG, AT(false_is_error),
	  "a result whose text is 'false' is a failure", NULL, NULL, 0, 0, NULL },
	{ 0, "photos", NULL, OPTION_FLAG, AT(photos),
	  "the picture that a call takes with the camera of a board of serve stands in its result, too", NULL, NULL, 0, 0, NULL },
	{ 0, "rate", "N", OPTION_NUMBER, AT(rate),
	  "calls a second for each board; what is more waits", NULL, NULL, 1, 1000, "10" },
	{ 0, "ask-timeout", "DURATION", OPTION_DURATION, AT(ask_timeout),
	  "so long a host may take to answer what a server asks; then the server is told that nobody does", NULL, NULL, 1, 0, "10m" },
	{ 0, "list", NULL, OPTION_FLAG, AT(list),
	  "print what a host would see, and end", NULL, NULL, 0, 0, NULL },
	{ 0, "print-config", "HOST", OPTION_TEXT, AT(print_config),
	  "print what to paste into the settings of claude, cursor, vscode or codex, and end", NULL, "claude cursor vscode codex", 0, 0, NULL },
	{ 0, "log", "FILE", OPTION_FILE, AT(log),
	  "a line for each call at the end of FILE", NULL, NULL, 0, 0, "stderr" },
	{ 0, NULL, NULL, OPTION_FLAG, 0, NULL, NULL, NULL, 0, 0, NULL }
};
/* clang-format on */

/* ---- fronts ---- */

#define FRONTS_MAX 8

struct bridging {
	struct bridge bridge;
	struct bridge_host *host;
	struct bridge_options options;
	struct front_order order;
	struct opened_front {
		const struct bridge_front *row;
		void *front;
	} open[FRONTS_MAX];
	size_t fronts;
};

/* Without another way stdin and stdout are the way. */
static void choose_fronts(struct bridge_options *o)
{
	bool any = false;

	for (const struct bridge_front *const *f = bridge_fronts; *f; f++)
		any = any || (*f)->wanted(o);
	o->stdio = o->stdio || !any;
}

static int open_fronts(struct bridging *s, struct error *err)
{
	s->order = (struct front_order){
		.app = s->bridge.app,
		.options = &s->options,
		.answerer = bridge_host_answerer(s->host),
		.bridge = &s->bridge,
		.told = bridge_tell,
		.owner = &s->bridge,
		.woken = &s->bridge.woken,
	};
	for (const struct bridge_front *const *f = bridge_fronts; *f; f++) {
		struct opened_front *o = &s->open[s->fronts];

		if (!(*f)->wanted(&s->options))
			continue;
		assert(s->fronts < FRONTS_MAX);
		if ((*f)->open(&o->front, &s->order, err))
			return -1;
		o->row = *f;
		s->fronts++;
	}
	return 0;
}

static void close_front(struct bridging *s, size_t i)
{
	s->open[i].row->close(s->open[i].front);
	s->fronts--;
	for (; i < s->fronts; i++)
		s->open[i] = s->open[i + 1];
}

/* 1: the bridge ends. -1: the last one failed. */
static int step_fronts(struct bridging *s, int64_t *next, struct error *err)
{
	size_t i = 0;

	while (i < s->fronts) {
		const struct opened_front *o = &s->open[i];
		int64_t due = LOOP_FOREVER;
		int status =
			o->row->step ? o->row->step(o->front, &due, err) : 0;

		if (due < *next)
			*next = due;
		if (status > 0)
			return 1;
		if (status == 0) {
			i++;
			continue;
		}
		close_front(s, i);
		if (!s->fronts)
			return -1;
		render_error(&s->bridge.app->out, err);
		error_reset(err);
	}
	return 0;
}

/* ---- the main line ---- */

static void earliest(struct bridging *s, int64_t *next)
{
	int64_t due = bridge_tend(&s->bridge);

	*next = bridge_host_tend(s->host);
	if (due < *next)
		*next = due;
}

static int serve_hosts(struct bridging *s, struct error *err)
{
	for (;;) {
		int64_t next;
		int status;

		s->bridge.woken = false;
		earliest(s, &next);
		status = step_fronts(s, &next, err);
		if (status)
			return status > 0 ? 0 : -1;
		if (loop_stay(s->bridge.app->loop, &s->bridge.woken, next, err))
			return -1;
	}
}

/* A host ends us so, where it does not close our stdin. */
static int was_ended(int status, struct error *err)
{
	if (status == 0 || err->kind != ERR_INTERRUPTED || err->code != SIGTERM)
		return status;
	error_reset(err);
	return 0;
}

static int run_hosts(struct bridging *s, struct error *err)
{
	int status;

	choose_fronts(&s->options);
	s->bridge.app->stdin_taken = true;
	if (s->options.stdio && isatty(STDIN_FILENO))
		render_note(
			&s->bridge.app->out,
			"waiting for a host on stdin: --print-config HOST prints what it needs to start this, --list what it sees");
	s->host = bridge_host_new(&s->bridge);
	status = open_fronts(s, err);
	if (status == 0)
		status = was_ended(serve_hosts(s, err), err);
	while (s->fronts)
		close_front(s, s->fronts - 1);
	bridge_host_free(s->host);
	return status;
}

/* ---- --list ---- */

#define LIST_MS 10000

/* What was named and could not be asked: a bridge goes on, a list is wrong. */
static int judge_list(const struct bridge *b, struct error *err)
{
	size_t unknown = 0;

	for (size_t i = 0; i < b->servers; i++)
		unknown += !bridge_server_peer(b->server[i])->list;
	if (unknown)
		return error_set(
			err, ERR_CONNECT,
			"the tools of %zu of %zu targets are not known",
			unknown, b->servers);
	if (b->app->config.devices.count && b->count == b->servers)
		return error_set(
			err, ERR_CONNECT,
			"no board that fits -d is there, or was lately");
	return 0;
}

static int run_list(struct bridging *s, struct error *err)
{
	struct bridge *b = &s->bridge;
	struct app *app = b->app;
	int64_t until = loop_now() +
			(app->config.timeout ? app->config.timeout : LIST_MS);

	for (;;) {
		int64_t next;

		b->woken = false;
		next = bridge_tend(b);
		if (bridge_settled(b) || loop_now() >= until)
			break;
		if (loop_stay(app->loop, &b->woken, next < until ? next : until,
			      err))
			return -1;
	}
	if (!bridge_settled(b))
		render_note(
			&app->out,
			"not all could be asked in time; what follows is what is known");
	seen_list_print(&app->out, bridge_shown(b));
	return judge_list(b, err);
}

static bool has_secret(const char *target)
{
	CLEANUP(mem_free_ptr) char *masked = mask_text(target);

	return !text_equal(masked, target);
}

/* The host needs them: what is printed has them as they are. */
static void warn_of_secrets(struct app *app)
{
	const struct config *c = &app->config;
	bool any = c->target && has_secret(c->target);

	for (size_t i = 0; i < c->targets.count; i++)
		any = any || has_secret(c->targets.word[i]);
	if (any)
		render_note(
			&app->out,
			"a secret stands in what is printed, since it stands in a target: keep it from others, or give the target to the server in an mcp.json, and name that with -t");
}

static void tell_left_out(struct app *app)
{
	const struct config *c = &app->config;
	const struct {
		const char *name;
		bool given;
	} rows[] = {
		{ "header", c->headers.count },
		{ "env", c->env.count },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		if (rows[i].given)
			render_note(
				&app->out,
				"--%s is left out, since it may hold a secret: give it to the server in an mcp.json, and name that with -t",
				rows[i].name);
	}
	if (host_config_hides_proxy(c))
		render_note(
			&app->out,
			"--proxy is left out, since it holds a password: the host can set http_proxy and https_proxy");
	if (c->trust)
		render_note(
			&app->out,
			"--trust is left out, since it is for one command: 'mcpctl trust FILE' lets an mcp.json of a folder be used from now on");
}

static void tell_folder(struct app *app, const struct named_files *files,
			const char *name)
{
	for (size_t i = 0; i < files->count; i++) {
		const struct named_file *f = &files->item[i];

		if (!named_file_entry(f, name))
			continue;
		if (!f->own)
			render_note(
				&app->out,
				"'%s' stands in '%s', a file of this folder or of one above: a host that starts elsewhere does not find it, unless --config names it",
				name, f->path);
		return;
	}
}

/* Names of a project's files mean nothing elsewhere. */
static void tell_folders(struct app *app)
{
	const struct config *c = &app->config;
	CLEANUP(named_files_done) struct named_files files = { 0 };

	if (c->config_file)
		return;
	named_files_read(&files, NULL);
	named_files_read_clients(&files);
	for (size_t i = 0; i < c->targets.count; i++)
		tell_folder(app, &files, c->targets.word[i]);
	if (!c->targets.count && c->target)
		tell_folder(app, &files, c->target);
}

static int print_config(const struct invocation *in,
			const struct bridge_options *o, struct error *err)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	const char *where;

	if (o->list)
		return error_set(
			err, ERR_USAGE,
			"options '--list' and '--print-config' exclude one another: each prints something else");
	if (o->listen) {
		error_set(
			err, ERR_USAGE,
			"option '--print-config' is for hosts that start the bridge, and with --listen none does");
		return error_hint(
			err,
			"a host that comes to a port is given its address, http://HOST:PORT/mcp, and the token as a header");
	}
	if (host_config_print(&out, &where, o->print_config, in->app, o, err))
		return -1;
	render_note(&in->app->out, "this goes into %s", where);
	tell_left_out(in->app);
	tell_folders(in->app);
	warn_of_secrets(in->app);
	fwrite(buf_string(&out), 1, out.len, in->app->out.out);
	return 0;
}

/*
 * The tokens of the command line are those of the port: they are not sent to
 * targets, which could come back with them.
 */
static int check_fronts(struct bridging *s, struct app *app, struct error *err)
{
	struct config *c = &app->config;
	const struct {
		const char *name;
		bool given;
	} rows[] = {
		{ "allow-origin", c->allow_origins.count },
		{ "allow-host", c->allow_hosts.count },
		{ "trusted-proxy", c->trusted_proxies.count },
	};

	if (s->options.keep_asleep && !s->options.mcp_mqtt)
		return error_set(err, ERR_USAGE,
				 "option '--keep-asleep' is for --mcp-mqtt");
	if (s->options.interfaces.count && !s->options.announce)
		return error_set(err, ERR_USAGE,
				 "option '--interface' is for --announce");
	if (s->options.announce && !s->options.listen)
		return error_set(err, ERR_USAGE,
				 "option '--announce' is for --listen");
	if (s->options.listen) {
		s->options.token_file = TAKE(c->token_file);
		return 0;
	}
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (rows[i].given)
			return error_set(err, ERR_USAGE,
					 "option '--%s' is for --listen",
					 rows[i].name);
	}
	return 0;
}

static int bridge_run(const struct invocation *in, struct error *err)
{
	const struct bridge_options *o = in->options;
	struct bridging s = { .options = *o };
	int status;

	if (o->print_config)
		return print_config(in, o, err);
	if (in->app->config.all)
		return error_set(
			err, ERR_USAGE,
			"'bridge' has all boards behind it that fit -d, so it has no use for --all");
	if (check_fronts(&s, in->app, err))
		return -1;
	/* It dials anew by itself, as often as it should. */
	in->app->config.breaker = "off";
	/* Its sessions have that time for each of their questions. */
	if (!in->app->config.timeout && !o->list)
		in->app->config.timeout = BRIDGE_TIMEOUT_MS;
	status = bridge_open(&s.bridge, in->app, &s.options, err);
	if (status == 0)
		status = o->list ? run_list(&s, err) : run_hosts(&s, err);
	bridge_close(&s.bridge);
	return status;
}

static const struct example bridge_examples[] = {
	{ "sim: bridge --list", "audio_speaker_set_volume", 0 },
	{ "bridge --print-config cursor", "mcpServers", 0 },
	{ "bridge", NULL, EXAMPLE_GOES_ON },
	{ "bridge --listen 127.0.0.1:8090", NULL, EXAMPLE_GOES_ON },
	{ "-t files -d kitchen bridge --read-only", NULL, EXAMPLE_GOES_ON },
	{ "bridge --listen 0.0.0.0:8090 --token-file FILE", NULL,
	  EXAMPLE_GOES_ON },
	{ "bridge --mcp-endpoint-file FILE", NULL, EXAMPLE_GOES_ON },
	{ NULL, NULL, 0 }
};

static const char bridge_text[] =
	"One standard MCP server for hosts (Claude, Cursor, VS Code, Codex and others), with the boards of the running 'mcpctl serve' behind it, and the targets that -t names, each of which may be given many times. Without a target it is the boards alone; -d chooses among them. The host starts it and talks over stdin and stdout; --print-config prints what to paste into its settings.\n"
	"\n"
	"  mcpctl bridge --print-config claude\n"
	"  mcpctl bridge --list                     what a host sees, what it does not, and why\n"
	"  mcpctl -t files -d kitchen bridge        a server of mcp.json, and one board\n"
	"\n"
	"initialize and the list of tools are answered at once, whether or not anybody is there. Boards come and go, serve too: the bridge stays, looks for them anew, and tells hosts (list_changed). Boards that were there within 30 days stay in the list while they sleep, and are marked so. A call to one waits --wait (20s) for it to wake; each call has its answer within --timeout (25s). A board gets one call at a time, ten a second (--rate); eight wait for it, and what is more is told that it is busy. Where a board goes away in the midst of a call, it is asked again only if that does no harm (it reads, or twice is as once); else the host is told that nobody knows.\n"
	"\n"
	"Tools are called by names that all hosts take (self.audio_speaker.set_volume is audio_speaker_set_volume, with the board's name in front where there are several), their schemas are mended, results too. Hidden are tools for users only, those that destroy (reboot, upgrade), and those that make a board fetch or send what somebody names; --allow and --user-tools show them, --deny and --read-only hide more. Above 40 tools equal ones of several boards become one, with an argument 'device'. What is the bridge's own: 'devices' (who is awake), 'refresh', and with --generic 'call_device_tool', for hosts that list tools once.\n"
	"\n"
	"Each call is a line on stderr, or in --log: who called, which board, which tool, its arguments without secrets, how long, what came of it. MCP is spoken to hosts from 2024-11-05 to 2026-07-28. Resources, prompts and completion of servers are passed on, too (a second one of the same name as mcpctl://NAME/URI or NAME__PROMPT); so is what changes there, and what they log, to hosts that asked for it. What a server asks its user (sampling, elicitation, roots) goes to the only host, or (2026-07-28) to that of the call, if it answers such questions; else the server is told so.\n"
	"\n"
	"With --photos the picture that a call takes with a board's camera stands in its result, too: a JPEG or PNG, by its bytes, up to 770 kB, of that call or none, and then the result says why. It is for boards of serve, which upload to it (not with serve --vision-url): for sim: and other targets there is nothing, and access points have no room for it.\n"
	"\n"
	"With --listen it waits for hosts at a port, many at a time, of this machine unless HOST says another address. --token-file or MCPCTL_BRIDGE_TOKEN: a host must show one of these tokens (Authorization: Bearer), which are not sent to targets then; where others than this machine reach the port there must be one. Web pages may not ask, but for those of --allow-origin; names beside this machine's need --allow-host. Other ways are closed unless they are asked for, too (--stdio). --announce tells this network of the port, by multicast DNS (IPv4; no secret), until it ends; one that only this machine reaches is told to it alone (--interface lo).\n"
	"\n"
	"With --mcp-endpoint-file it dials access points, one connection for each address, and answers robots there (mcpctl help endpoint).\n"
	"\n"
	"With --mcp-mqtt each board is a server of its own at a broker, by MCP over MQTT 5, under HOST-ID with the name PREFIX/BOARD/ALIAS, and its tools are called as the board calls them. It is announced from when its tools are known until it goes or sleeps (--keep-asleep: as long as the bridge runs). mcpctl targets --scan mcp+mqtt://BROKER lists them. USER's password: --mqtt-password-file. serve --mcp-mqtt starts such a bridge by itself.\n"
	"\n"
	"It ends with status 0 when stdin ends, if that is a way to it, and at SIGTERM.";

const struct command cmd_bridge = {
	.name = "bridge",
	.brief =
		"boards and servers as one MCP server for hosts such as Claude or Cursor",
	.text = bridge_text,
	.group = GROUP_USE,
	.flags = CMD_TARGET | CMD_MANY | CMD_MINOR,
	.options = bridge_rows,
	.options_size = sizeof(struct bridge_options),
	.globals =
		"target device jq verbose quiet timeout wait envelope era token-file mqtt-password-file socket header env cwd config trust proxy resolve no-oauth oauth-client-id oauth-client-secret-file oauth-private-key-file oauth-client-metadata-url oauth-grant oauth-idp-token-file oauth-idp-token-endpoint oauth-idp-client-id oauth-issuer oauth-scope oauth-timeout cacert insecure advertise allow-origin allow-host trusted-proxy",
	.examples = bridge_examples,
	.run = bridge_run
};
