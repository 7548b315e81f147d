/* SPDX-License-Identifier: MIT */
/*
 * The help topics: a table of texts. What other tables know (targets, faults,
 * options) is written from them.
 */
#include "cli/topics.h"

#include <string.h>

#include "cli/app.h"
#include "cli/manual.h"
#include "out/render_json.h"
#include "sim/sim.h"

static const char targets_text[] =
	"A target names the peer. It is the first word that contains ':', in "
	"front of the command; -t TARGET and MCPCTL_TARGET name it too. With "
	"none, the boards of a running 'mcpctl serve' are meant: -d picks one "
	"by alias, Device-Id, client id or glob (id:X is the id X, where an "
	"alias reads the same), --all means every one.\n"
	"\n"
	"  mcpctl -d kitchen tools\n"
	"  mcpctl listen: info\n"
	"  mcpctl -t ws://192.168.1.9:8080/ws tools\n"
	"  MCPCTL_TARGET=sim: mcpctl call self.get_device_status\n"
	"\n";

static const char targets_more[] =
	"\n"
	"A board with xiaozhi-esp32 firmware dials in: start 'mcpctl serve' "
	"(mcpctl help backend), or use listen: for one command; 'mcpctl help "
	"board' tells what to set on it. IPv6 addresses stand in brackets: "
	"listen:[::1]:8000. Port 0 picks a free port and prints it.\n"
	"\n"
	"The address that listen: and serve give to a device is the one that the "
	"device's own request was sent to. Behind a proxy or inside a "
	"container that is not the right one: --advertise HOST or "
	"--advertise wss://HOST/PATH replaces it.\n"
	"\n"
	"Ports that are opened here (listen:, serve, sim) answer no web page "
	"but their own: one from elsewhere gets 403, unless --allow-origin "
	"names its origin. And they answer only to IP addresses, localhost, "
	"this machine's name and that of --advertise: another name gets 421, "
	"unless --allow-host names it. The log tells who was refused, and what "
	"would let it in. Behind a reverse proxy that --trusted-proxy names, "
	"who asked is whom it forwards for.\n"
	"\n"
	"With --token-file or MCPCTL_TOKEN, listen: refuses devices without "
	"one of these tokens, and ws: and http: send it as 'Authorization: "
	"Bearer'.\n"
	"\n"
	"For sim:, PROFILE is a name or a file, and behind '?' may stand "
	"fault=NAME[,NAME]..., firmware=next and fill=N:\n"
	"\n"
	"  mcpctl 'sim:esp32?fault=late-reply' tools\n"
	"\n"
	"'mcpctl help servers' tells of http:, stdio: and '--', and of names "
	"(-t NAME).\n"
	"\n"
	"For ws: and wss:, mcpctl finds out by itself whether the peer speaks "
	"plain JSON-RPC or the device envelope; --envelope says it.\n";

static void write_targets(struct buf *out)
{
	buf_text(out, targets_text);
	for (const struct target_row *t = target_rows; t->scheme; t++)
		buf_printf(out, "%s\t%s\n", t->syntax, t->brief);
	buf_text(out, targets_more);
}

static void write_status(struct buf *out)
{
	buf_text(out,
		 "0\tgood\n"
		 "1\tthe peer answered with an error: a JSON-RPC error, or a "
		 "result with isError\n"
		 "2\twrong usage, or arguments that do not fit the tool's "
		 "schema; nothing was sent\n"
		 "3\tcannot connect, no device came, the connection was lost, "
		 "or the device offers no MCP\n"
		 "4\ttime over\n"
		 "5\tthe peer broke the protocol\n"
		 "6\trefused: credentials\n"
		 "7\tan expectation was not met: --expect, nothing found\n"
		 "8\toutput could not be written\n"
		 "130\tinterrupted by Ctrl-C (128 + the number of the signal; "
		 "143 for SIGTERM)\n"
		 "\n"
		 "'run' ends with the status of the first command that "
		 "failed, --all with the highest one of its rows, 'serve "
		 "--exec CMD --once' with that of CMD.\n");
}

static void write_json(struct buf *out)
{
	buf_text(out, json_help);
	buf_text(out, json_help_stderr);
	buf_text(out, json_help_serve);
}

static void write_faults(struct buf *out)
{
	buf_text(out,
		 "The simulated device can misbehave, each way by a name, to "
		 "see what a client or a backend makes of it. In the target:\n"
		 "\n"
		 "  mcpctl 'sim:?fault=late-reply' call "
		 "self.get_device_status\n"
		 "\n"
		 "As a device that dials in, for all devices or only for the "
		 "third one:\n"
		 "\n"
		 "  mcpctl sim --connect ws://127.0.0.1:8000/ --fault "
		 "cut-frame\n"
		 "  mcpctl sim --connect ws://127.0.0.1:8000/ --devices 5 "
		 "--fault 3:no-hello\n"
		 "\n");
	for (const struct sim_fault_row *f = sim_fault_rows; f->name; f++)
		buf_printf(out, "%s\t%s\n", f->name, f->brief);
}

static void add_profile(void *owner, const char *name, const char *brief)
{
	struct buf *out = owner;

	buf_printf(out, "%s\t%s\n", name, brief);
}

static void write_profile(struct buf *out)
{
	buf_text(out, "Installed profiles, of simulated devices and "
		      "services:\n\n");
	sim_each_profile(add_profile, out);
	buf_char(out, '\n');
	buf_text(out, sim_profile_help);
	buf_text(out, sim_profile_help_rest);
	buf_char(out, '\n');
	buf_text(out, sim_profile_help_service);
	buf_text(out, sim_profile_help_rules);
}

static const char board_text[] =
	"A board with stock xiaozhi-esp32 firmware knows one address, "
	"its OTA address. It asks there once at each start, and the "
	"answer tells it where to dial to. 'mcpctl serve' answers both, on "
	"one port, and keeps the board for every command in every terminal "
	"(mcpctl help backend); the target 'listen:' does the same for "
	"one command.\n"
	"\n"
	"1. Start it. It prints the address to set, the likeliest "
	"first:\n"
	"\n"
	"  mcpctl serve\n"
	"  mcpctl listen: info\n"
	"\n"
	"2. Set it on the board. Bring the board into Wi-Fi setup: "
	"press its BOOT button while it starts and is not connected "
	"yet (a board that finds no known network for a minute goes "
	"there by itself; so does the tool "
	"self.system.reconfigure_wifi). Join the hotspot Xiaozhi-XXXX "
	"with a phone, open http://192.168.4.1, tab 'Advanced', field "
	"'Custom OTA URL', save, restart. The address has at least 10 "
	"characters and starts with http://, as boards trust only "
	"public certificates.\n"
	"\n"
	"Firmware 2.4.0 does not show that field: take an older or a "
	"newer one. Where you build the firmware yourself, set "
	"CONFIG_OTA_URL.\n"
	"\n"
	"3. Restart the board, then wake it: say the wake word, or "
	"press the talk button (often BOOT). Only then does it dial "
	"in: in standby there is no connection, and nothing can be "
	"sent to wake it.\n"
	"\n"
	"4. Nothing comes? Open the same address in a phone's browser, "
	"in the same Wi-Fi. A page: the network is fine, look at the "
	"board (address, restart, wake). No page: a firewall, another "
	"network, or guest isolation. Board and computer must be in "
	"one network.\n"
	"\n"
	"Meanwhile mcpctl says what knocked and which step is missing. "
	"serve keeps the connection as long as the board does; over MQTT "
	"(mcpctl serve --mqtt) a board needs no waking at all. After a "
	"command with listen: the connection is closed and the board goes "
	"to standby: wake it again for the next command, or use one "
	"connection for many:\n"
	"\n"
	"  mcpctl listen: run -e info -e tools -e 'call "
	"self.get_device_status'\n"
	"\n"
	"To put the board back: in the same field, enter the address "
	"that it had before, by default\n"
	"\n"
	"  https://api.tenclass.net/xiaozhi/ota/\n"
	"\n"
	"and restart it: it asks there again, and goes where that "
	"answer sends it.\n";

static void write_board(struct buf *out)
{
	buf_text(out, board_text);
}

/* A variable that stands in no row: secrets, and what others define. */
struct variable {
	const char *name, *brief;
};

static const struct variable variables[] = {
	{ "MCPCTL_TOKEN",
	  "a token: what listen: and serve accept, what ws: and http: send "
	  "(but not to names of a folder's mcp.json); --token-file instead of "
	  "it" },
	{ "MCPCTL_VISION_TOKEN", "the token for --vision-url; "
				 "--vision-token-file instead of it" },
	{ "MCPCTL_SIM_TOKEN", "the token that sim dials with; its --token-file "
			      "instead of it" },
	{ "MCPCTL_MQTT_PASSWORD", "the password for a broker; "
				  "--mqtt-password-file instead of it" },
	{ "MCPCTL_MOSQUITTO", "the program that serve --mqtt starts; else "
			      "mosquitto in PATH, /usr/sbin or "
			      "/usr/local/sbin" },
	{ "XDG_RUNTIME_DIR", "where serve's socket is, below it; else, or if "
			     "it is another user's, TMPDIR or /tmp" },
	{ "XDG_CONFIG_HOME", "where mcpctl/devices.json, mcpctl/mcp.json and "
			     "mcpctl/profiles are; else ~/.config" },
	{ "XDG_STATE_HOME", "where mcpctl/serve.log, mcpctl/history (the lines "
			    "of the shell), the state of --breaker and "
			    "mcpctl/trust (copies of what was trusted) are; "
			    "else ~/.local/state" },
	{ "http_proxy", "proxy for http:; https_proxy and ALL_PROXY for "
			"https:; no_proxy: hosts without one; not for this "
			"machine itself" },
	{ "XDG_CACHE_HOME",
	  "mcpctl/tools in it (~/.cache) keeps the last list of each target" },
	{ "INPUTRC", "settings of readline for the shell; ~/.inputrc" },
	{ "MCPCTL_DEBUG", "set: lines for developers of mcpctl on stderr" },
	{ "NO_COLOR", "set: no colour, as --color never" },
	{ "TERM", "dumb: no colour and no line that is rewritten in place" },
	{ "COLUMNS", "the width where there is no terminal to ask" }
};

static void write_row_variables(struct buf *out, const struct option_row *rows,
				const char *of)
{
	for (; rows && rows->name; rows++) {
		if (!rows->env)
			continue;
		buf_printf(out, "%s\tthe value of --%s", rows->env, rows->name);
		if (of)
			buf_printf(out, " (%s)", of);
		buf_char(out, '\n');
	}
}

static void write_environment(struct buf *out)
{
	buf_text(out, "An option on the command line goes first, then the "
		      "variable; an empty variable counts as not set.\n\n");
	write_row_variables(out, config_options, NULL);
	for (const struct command *const *c = commands; *c; c++)
		write_row_variables(out, (*c)->options, (*c)->name);
	for (size_t i = 0; i < COUNT(variables); i++)
		buf_printf(out, "%s\t%s\n", variables[i].name,
			   variables[i].brief);
}

/* clang-format off */
const struct topic topics[] = {
	{ "targets", "how to name the peer: attach:, listen:, ws:, http:, stdio:, sim:",
	  "TARGETS", write_targets },
	{ "board", "how to bring a real board here, and how to put it back",
	  "BOARDS", write_board },
	{ "backend", "serve: boards over WebSocket and MQTT, racks in CI, files, proxy",
	  "BACKEND", topic_backend },
	{ "servers", "every other MCP server: programs, HTTP, names, retries",
	  "SERVERS", topic_servers },
	{ "llm", "the simulated LLM service, and Ollama behind it",
	  "LLM SERVICE", topic_llm },
	{ "status", "what the exit statuses mean",
	  "EXIT STATUS", write_status },
	{ "json", "what -o json and -o raw print",
	  "JSON OUTPUT", write_json },
	{ "profile", "profiles of the simulated device: which, and how to write one",
	  "PROFILES", write_profile },
	{ "faults", "how the simulated device can misbehave",
	  "FAULTS", write_faults },
	{ "environment", "environment variables",
	  "ENVIRONMENT", write_environment },
	{ NULL, NULL, NULL, NULL }
};
/* clang-format on */

const struct topic *topic_find(const char *name)
{
	for (const struct topic *t = topics; t->name; t++) {
		if (strcmp(t->name, name) == 0)
			return t;
	}
	return NULL;
}
