/* SPDX-License-Identifier: MIT */
/*
 * The help topics: a table of texts. What other tables know (targets, faults,
 * options) is written from them.
 */
#include <string.h>

#include "cli/app.h"
#include "cli/config.h"
#include "cli/topics.h"
#include "diag/codebook.h"
#include "out/render_json.h"
#include "sim/profile.h"
#include "sim/sim.h"

/*
 * The text of `help backend`: how boards come to serve. A table of lines.
 */

static const char websocket_text[] =
	"'mcpctl serve' is what a stock board accepts as its server. It is started once; boards come and go, and every other command, in any terminal or script, finds it by itself:\n"
	"\n"
	"  mcpctl serve\n"
	"  mcpctl devices\n"
	"  mcpctl tools\n"
	"  mcpctl -d kitchen call self.get_device_status\n"
	"  mcpctl --all call self.audio_speaker.set_volume volume=30\n"
	"  mcpctl stop\n"
	"\n"
	"A board over WebSocket: set the OTA address that serve prints on the board (mcpctl help board says where), restart the board, wake it. "
	"It dials in only when it is woken and stays until it goes back to standby; a command with --wait waits for it. "
	"Then serve says hello, initializes it, lists its tools, and keeps the list, so that a call costs one message each way. "
	"--path and --token-file keep others out: a line TOKEN in that file is for every board, a line 'DEVICE-ID TOKEN' for one; OTA gives it to the board. "
	"A token belongs to the Device-Id, whatever the Client-Id is.\n"
	"\n";

static const char mqtt_text[] =
	"A board over MQTT: --mqtt starts a broker (mosquitto, package mosquitto, with a plugin of ours, since stock boards never subscribe), and the OTA answer sends boards there. "
	"They connect at start and stay connected while they sleep: no wake word, no button, no hello. For a rack of boards in continuous integration this is the way:\n"
	"\n"
	"  mcpctl serve --mqtt --daemon\n"
	"  mcpctl --wait 2m -d 'kitchen' run smoke.mcp\n"
	"\n"
	"A board takes plain MQTT on every port but 8883, where it wants a publicly signed certificate. "
	"--mqtt-broker URL uses a broker that runs already; it has to subscribe the boards by itself, as EMQX does by a rule for auto-subscription. "
	"For topics {client_id} and {mac} stand for the board's own:\n"
	"\n"
	"  mcpctl serve --mqtt-broker mqtt://192.168.1.5 --topic-down 'mcpctl/down/{client_id}'\n"
	"\n"
	"There serve asks each board that OTA sent until it answers; one that was there before serve started is known when it speaks or restarts. "
	"A single command can go to such a board without serve; what all boards publish to one topic, as to device-server by default, it hears too, and takes only the replies that are its own:\n"
	"\n"
	"  mcpctl 'mqtt://192.168.1.5/CLIENT_ID?up=mcpctl/up/{client_id}&down=mcpctl/down/{client_id}' tools\n"
	"\n"
	"A hello over MQTT is answered with a UDP port for audio; what comes is decrypted and counted, and with --silence answered. "
	"With --mqtt-key-file the broker lets in only boards whose client id, user name and password fit that key; the OTA answer gives them to boards that are known: listed in devices.json, or with their token (in the OTA address: ...?token=TOKEN), or enrolled. serve --enroll enrols for 10 minutes each board that asks, and remembers its Device-Id and Client-Id in enrolled.json in the state folder; mcpctl devices --enrolled lists them. "
	"What was signed stays good until the key changes.\n"
	"\n"
	"A client at that broker publishes to device-server and may subscribe to its own topic alone: what boards say is for serve. To look at all of it, put a password into a file:\n"
	"\n"
	"  mcpctl serve --mqtt --mqtt-operator-file FILE\n"
	"  mosquitto_sub -t '#' -v\n"
	"\n"
	"with the lines '-u operator' and '-P PASSWORD' in ~/.config/mosquitto_sub.\n"
	"\n";

static const char files_text[] =
	"Pictures: boards with a camera upload them to serve, which shows what came. "
	"--save-images keeps them; --vision-exec CMD answers them ($1 is the file, $2 the question, the output is the answer), as does --vision-text:\n"
	"\n"
	"  mcpctl serve --save-images shots --vision-exec 'file -b \"$1\"'\n"
	"\n"
	"A snapshot of the screen shows no token: 'mcpctl call self.screen.snapshot --upload url' gives the board an address (http://HOST:PORT/upload/...) that takes one picture of it, within 10 minutes; 'describe self.screen.snapshot' shows one. "
	"listen: and sim: take pictures in the same way, as long as the command runs: mcpctl --save-images shots listen: call self.camera.take_photo question=what. "
	"'call' says where a picture is kept. "
	"Each board's pictures go where its own connection reached serve; --advertise makes it one address for all, which a broker elsewhere (--mqtt-broker) needs where this machine has several.\n"
	"\n"
	"Sound: --save-audio DIR keeps what boards say as Ogg Opus, packet by packet as they came, a file for each utterance (from 'listen start' to its end); a line says which file, how long, and what is missing. listen: and proxy have it too.\n"
	"\n"
	"Names for boards stand in devices.json in the configuration folder (or --alias-file), each with a Device-Id: {\"kitchen\":\"aa:bb:cc:dd:ee:ff\"}. After a change, send SIGHUP. A name is that board's alone: one that calls itself so is shown as id:NAME.\n"
	"\n"
	"One serve for a user listens on a socket in $XDG_RUNTIME_DIR/mcpctl (where that is not set: a folder of the user in the temporary one); only that user gets in. "
	"A second serve needs another --socket FILE, and so do the commands that are for it (MCPCTL_SOCKET). "
	"A command that finds a serve of another version says so and goes on: after an upgrade, 'mcpctl stop' and start serve again.\n"
	"\n"
	"In the background: --daemon returns when everything listens; the log is mcpctl/serve.log in $XDG_STATE_HOME (~/.local/state). "
	"For systemd: systemctl --user enable --now mcpctl-serve, with options as MCPCTL_SERVE_OPTIONS=... in ~/.config/mcpctl/serve.env. "
	"Without --user it is the machine's, as a user of its own (mcpctl), with options in /etc/mcpctl/serve.env and its socket at /run/mcpctl/serve.sock; its unit says what its commands may. "
	"Commands of --exec and --vision-exec run in '/' under --daemon.\n"
	"\n"
	"Boards accept only publicly signed certificates, so serve offers no TLS. Put a reverse proxy in front that passes upgrades, and tell boards its address: --advertise wss://bench.example/. Then OTA and uploads go through it too. "
	"Inside a container, --advertise HOST names the address that boards can reach. "
	"A name in a board's OTA address that is not this machine's own must be allowed: --allow-host NAME (see mcpctl help targets).\n";

static void topic_backend(struct buf *out)
{
	buf_text(out, websocket_text);
	buf_text(out, mqtt_text);
	buf_text(out, files_text);
}

/*
 * The topics `servers`, for every MCP server that is no device, and `llm`.
 */

static const char reach_text[] =
	"The commands for devices work on every MCP server, whatever its transport:\n"
	"\n"
	"  mcpctl tools -- npx -y @modelcontextprotocol/server-everything\n"
	"  mcpctl http://127.0.0.1:8088/mcp call echo message=hello\n"
	"  mcpctl -t files resources\n"
	"\n"
	"A program is started by everything behind '--', or by 'stdio:COMMAND LINE', whose words are split as a shell splits them; no shell is run. "
	"--env and --cwd are for it. What it writes to stderr is shown with -v, and its last lines when it dies. "
	"At the end its stdin is closed; after 100 ms it gets SIGTERM, after one more second SIGKILL.\n"
	"\n"
	"http:// and https:// mean Streamable HTTP. A server that answers initialize with 400, 404 or 405 is tried with the older HTTP+SSE; sse+http:// and sse+https:// mean that one at once. "
	"--token-file or MCPCTL_TOKEN is sent as a bearer token, --header adds any other; --cacert trusts a private authority, --resolve reaches a name at another address. http_proxy, https_proxy and no_proxy are heeded, but not towards this machine itself; --proxy replaces them. A server that wants OAuth gets a login (mcpctl help login).\n"
	"\n"
	"A server is asked by server/discover which era of MCP it speaks: modern (2026-07-28, each request stands alone), or legacy, where initialize settles the revision (2025-11-25, 2025-06-18, 2025-03-26 or 2024-11-05). That is kept, and asked anew when it proves wrong. "
	"--era modern or --era legacy says it (in an mcp.json: \"protocolEra\"). Boards, ws: without --envelope plain, sim: and sse+http: are not asked. 'info' shows era and revision, and what the server offers.\n"
	"\n";

static const char names_text[] =
	"Servers have names where an mcp.json lists them, as other MCP clients do. 'mcpctl targets' shows the names and their files, -t NAME uses one. "
	"Looked for are your own mcpctl/mcp.json in the configuration folder, then .mcp.json and mcp.json in the current folder and in each one above it; --config FILE is read instead of them. "
	"A file of a folder may have come with it, from anybody: before one of its names is used, you are asked whether you trust what it holds, and again after each change (mcpctl help trust; in scripts 'mcpctl trust FILE' once, or --trust). ${NAME} and ${NAME:-default} in it stand for variables of the environment:\n"
	"\n"
	"  {\"mcpServers\": {\n"
	"    \"files\": {\"command\": \"npx\", \"args\": [\"-y\", \"@modelcontextprotocol/server-filesystem\", \".\"]},\n"
	"    \"llm\": {\"type\": \"http\", \"url\": \"http://127.0.0.1:8088/mcp\",\n"
	"            \"headers\": {\"Authorization\": \"Bearer ${LLM_TOKEN}\"}}\n"
	"  }}\n"
	"\n"
	"MCPCTL_TOKEN is not sent to a server that a folder's file names, unless a header of the entry says ${MCPCTL_TOKEN}; --token-file is.\n"
	"\n";

static const char asks_text[] =
	"A server may ask, too. Only what is answered is declared to it:\n"
	"\n"
	"  --elicit ask               ask whoever sits at the terminal: so it is there\n"
	"                             without this option, if stdin and stderr are one\n"
	"  --elicit accept-defaults   the defaults of its form\n"
	"  --elicit decline, cancel   always that\n"
	"  --elicit none              it is not declared, nor answered\n"
	"  --elicit @FILE             the values in FILE, a JSON object\n"
	"  --sampling @FILE           a model's answer from FILE\n"
	"  --sampling exec:COMMAND    the request on its stdin, its stdout the answer\n"
	"  --root DIR                 a folder that it may work in\n"
	"\n"
	"Some servers list fewer tools to who cannot be asked.\n"
	"\n"
	"Progress of a call is shown on a terminal in one line, else as JSON lines, both on stderr; each sign of it starts --timeout anew. Ctrl-C and a time that is over are told to the server.\n"
	"\n";

static const char retry_text[] =
	"What failed for a reason that may pass is tried again: a refused connection, HTTP 429, 502, 503, 504; and the codes -32000 and -32001, from llm-service, or from any server that says when to come again (data.retry_after). "
	"--retry N says how often in all (3 towards http:, else once), after 1 s, 2 s, 4 s, at most 10 s, each changed by chance, or after what Retry-After or retry_after asks for. "
	"Tool calls are repeated only if the tool is marked as idempotent or read-only, or with --retry-calls. -v shows each try.\n"
	"\n"
	"A circuit breaker keeps from asking a server that is down: after 5 calls in a row that failed (no connection, time over, 5xx, -32000, -32001), calls fail at once for 60 s (where tools failed, lists and resources may still be read); then one is tried, and closes it if it is good. "
	"In the shell, in scripts and in serve it is always there. With --breaker it lasts from one command to the next, --breaker=3,10s sets its figures.\n";

static void topic_servers(struct buf *out)
{
	buf_text(out, reach_text);
	buf_text(out, names_text);
	buf_text(out, asks_text);
	buf_text(out, retry_text);
}

static const char llm_text[] =
	"'mcpctl sim llm' is an MCP server that extracts entities from Portuguese text with a language model. "
	"It is a profile: tools, prompts and rules stand in llm.json, which can be extended or copied (mcpctl help profile).\n"
	"\n"
	"  ollama serve &\n"
	"  ollama pull llama3:8b\n"
	"  mcpctl sim llm --listen 127.0.0.1:8088\n"
	"\n"
	"and in another terminal:\n"
	"\n"
	"  mcpctl --timeout 40s http://127.0.0.1:8088/ call extract_entities text='Maria Silva, 11-9999-8888'\n"
	"  mcpctl --no-init http://127.0.0.1:8088/ request tools/extract_entities '{\"text\":\"Maria Silva\"}'\n"
	"  mcpctl ws://127.0.0.1:8088/ prompts\n"
	"\n"
	"One port takes JSON-RPC by POST, Streamable HTTP, HTTP+SSE and WebSocket. --ollama is the address of Ollama, --model the model. "
	"When the model takes longer than 30 s, the error is -32000 (LLM timeout); when Ollama or the model is not there, -32001 (LLM unavailable). "
	"Both say when to try again, which --retry obeys. A client that waits for less than the model may take (mcpctl: 10 s) sees its own time-out instead: --timeout.\n";

static void topic_llm(struct buf *out)
{
	buf_text(out, llm_text);
}

static const char endpoint_text[] =
	"An access point (MCP endpoint, as servers of xiaozhi call it) is where MCP servers dial in as tool sides, and robots as their clients: wss://HOST/mcp/?token=… for the one, …/call/?token=… for the other; the token says whose tools they are. Frames are bare JSON-RPC. mcpctl is all three.\n"
	"\n"
	"The point itself, to test a tool side with (mcp_pipe, xiaozhi-client, Home Assistant, an Arduino library), takes it at a path, beside boards at all others:\n"
	"\n"
	"  mcpctl serve --mcp-endpoint /mcp\n"
	"  mcpctl listen:8000/mcp tools\n"
	"\n"
	"A tool side says nothing until it is asked. Who dials in without a Device-Id and without a Client-Id, and says no hello within 2 s, is asked to initialize as one, without an envelope, with a whole number as id; at the path of --mcp-endpoint, and at a path of listen: that ends in /mcp, at once. A hello makes it a board after all. To the other commands it is a device like others. It is called as agent=NAME in its address says, else by the sum of its token (token-1a2b3c4d), else as its server calls itself. A second one of that agent or token takes the place: the first is closed with 1000. --token-file holds for tool sides, too: a line NAME TOKEN is for agent=NAME.\n"
	"\n"
	"A robot, to see what robots see:\n"
	"\n"
	"  mcpctl 'ws://HOST:8004/mcp_endpoint/call/?token=…' tools\n"
	"\n"
	"A tool side, with boards and servers behind it:\n"
	"\n"
	"  mcpctl bridge --mcp-endpoint-file FILE\n"
	"\n"
	"FILE has an address a line; each is one connection (MCPCTL_MCP_ENDPOINT holds one address, too). Names have letters, digits and _ only there, 32 tools are shown (--mcp-endpoint-tools), a result above 8192 bytes is cut, and a note says so. A connection that ends is dialled again after 1 s, 2 s and so on to 60 s; after 60 s where another tool side took the place; never where the token is refused: with the last address the bridge ends, with status 6.\n"
	"\n"
	"And a sketch with the Arduino library xiaozhi-esp32-mcp, whose documents have 1 KiB for a request and 2 KiB for a result, and which prints ids without quotes, so that it does not work where ids are texts (mcp-endpoint-server makes texts of all):\n"
	"\n"
	"  mcpctl sim arduino --connect ws://127.0.0.1:8000/mcp --reconnect\n";

static void topic_endpoint(struct buf *out)
{
	buf_text(out, endpoint_text);
}

static const char targets_text[] =
	"A target names the peer. It is the first word that contains ':', in front of the command; -t TARGET and MCPCTL_TARGET name it too. "
	"With none, the boards of a running 'mcpctl serve' are meant: -d picks one by alias, Device-Id, client id or glob (id:X is the id X, where an alias reads the same), --all means every one. With mcp+mqtt:, where a filter stands for servers at a broker, -d picks one by the last part of its name, its name, its id or the Device-Id of its board, and --all means each that fits.\n"
	"\n"
	"  mcpctl -d kitchen tools\n"
	"  mcpctl listen: info\n"
	"  mcpctl -t ws://192.168.1.9:8080/ws tools\n"
	"  MCPCTL_TARGET=sim: mcpctl call self.get_device_status\n"
	"\n";

static const char targets_more[] =
	"\n"
	"A board with xiaozhi-esp32 firmware dials in: start 'mcpctl serve' (mcpctl help backend), or use listen: for one command; 'mcpctl help board' tells what to set on it. "
	"IPv6 addresses stand in brackets: listen:[::1]:8000. Port 0 picks a free port and prints it.\n"
	"\n"
	"The address that listen: and serve give to a device is the one that the device's own request was sent to. "
	"Behind a proxy or inside a container that is not the right one: --advertise HOST or --advertise wss://HOST/PATH replaces it.\n"
	"\n"
	"Ports that are opened here (listen:, serve, sim, proxy, bridge) answer no web page but their own: one from elsewhere gets 403, unless --allow-origin names its origin; at a proxy the upstream judges it, too. "
	"And they answer only to IP addresses, localhost, this machine's name and that of --advertise: another name gets 421, unless --allow-host names it. "
	"The log tells who was refused, and what would let it in. Behind a reverse proxy that --trusted-proxy names, who asked is whom it forwards for.\n"
	"\n"
	"With --token-file or MCPCTL_TOKEN, listen: refuses devices without one of these tokens, and ws: and http: send it as 'Authorization: Bearer'.\n"
	"\n"
	"For sim:, PROFILE is a name or a file, and behind '?' may stand fault=NAME[,NAME]..., firmware=2.5.0 and fill=N:\n"
	"\n"
	"  mcpctl 'sim:esp32?fault=late-reply' tools\n"
	"\n"
	"'mcpctl help servers' tells of http:, stdio: and '--', and of names (-t NAME).\n"
	"\n"
	"For ws: and wss:, mcpctl finds out by itself whether the peer speaks plain JSON-RPC or the device envelope; --envelope says it. "
	"So for who dials in at listen: without a Device-Id: a board says hello at once; who says nothing for 2 s, or dials a path that ends in /mcp, is asked as a tool side, an MCP server that waits to be asked ('mcpctl help endpoint').\n";

static void write_targets(struct buf *out)
{
	buf_text(out, targets_text);
	for (const struct scheme *t = schemes; t->name; t++)
		buf_printf(out, "%s\t%s\n", t->syntax, t->brief);
	buf_text(out, targets_more);
}

static void write_status(struct buf *out)
{
	buf_text(
		out,
		"0\tgood\n"
		"1\tthe peer answered with an error: a JSON-RPC error, or a result with isError\n"
		"2\twrong usage, or arguments that do not fit the tool's schema; nothing was sent\n"
		"3\tcannot connect, no device came, the connection was lost, or the device offers no MCP\n"
		"4\ttime over\n"
		"5\tthe peer broke the protocol\n"
		"6\trefused: credentials\n"
		"7\tan expectation was not met: --expect, nothing found\n"
		"8\toutput could not be written\n"
		"130\tinterrupted by Ctrl-C (128 + the number of the signal; 143 for SIGTERM)\n"
		"\n"
		"'run' ends with the status of the first command that failed, --all with the highest one of its rows, 'serve --exec CMD --once' with that of CMD.\n");
}

static void write_json(struct buf *out)
{
	buf_text(out, json_help);
	buf_text(out, json_help_info);
	buf_text(out, json_help_tail);
	buf_text(out, json_help_stderr);
	buf_text(out, json_help_serve);
	buf_text(out, json_help_findings);
	buf_text(out, json_help_asked);
}

static void write_faults(struct buf *out)
{
	buf_text(
		out,
		"The simulated device can misbehave, each way by a name, to see what a client or a backend makes of it. In the target:\n"
		"\n"
		"  mcpctl 'sim:?fault=late-reply' call self.get_device_status\n"
		"\n"
		"As a device that dials in, for all devices or only for the third one:\n"
		"\n"
		"  mcpctl sim --connect ws://127.0.0.1:8000/ --fault cut-frame\n"
		"  mcpctl sim --connect ws://127.0.0.1:8000/ --devices 5 --fault 3:no-hello\n"
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
	buf_text(out,
		 "Installed profiles, of simulated devices and services:\n\n");
	sim_each_profile(add_profile, out);
	buf_char(out, '\n');
	buf_text(out, sim_profile_help);
	buf_text(out, sim_profile_help_rest);
	buf_char(out, '\n');
	buf_text(out, sim_profile_help_service);
	buf_text(out, sim_profile_help_steps);
	buf_text(out, sim_profile_help_rules);
}

static const char board_text[] =
	"A board with stock xiaozhi-esp32 firmware knows one address, its OTA address. It asks there once at each start, and the answer tells it where to dial to. "
	"'mcpctl serve' answers both, on one port, and keeps the board for every command in every terminal (mcpctl help backend); the target 'listen:' does the same for one command.\n"
	"\n"
	"1. Start it. It prints the address to set, the likeliest first:\n"
	"\n"
	"  mcpctl serve\n"
	"  mcpctl listen: info\n"
	"\n"
	"2. Set it on the board. "
	"Bring the board into Wi-Fi setup: press its BOOT button while it starts and is not connected yet (a board that finds no known network for a minute goes there by itself; so does the tool self.system.reconfigure_wifi). "
	"Join the hotspot Xiaozhi-XXXX with a phone, open http://192.168.4.1, tab 'Advanced', field 'Custom OTA URL', save, restart. "
	"The address has at least 10 characters and starts with http://, as boards trust only public certificates.\n"
	"\n"
	"With a computer: join the hotspot, and 'mcpctl adopt --ota URL' sets the same address, also where firmware hides the field (2.4.0 does), and keeps what stood there before. Where you build the firmware yourself, set CONFIG_OTA_URL.\n"
	"\n"
	"3. Restart the board, then wake it: say the wake word, or press the talk button (often BOOT). Only then does it dial in: in standby there is no connection, and nothing can be sent to wake it.\n"
	"\n"
	"4. Nothing comes? Open the same address in a phone's browser, in the same Wi-Fi. A page: the network is fine, look at the board (address, restart, wake). "
	"No page: a firewall, another network, or guest isolation. Board and computer must be in one network.\n"
	"\n"
	"Meanwhile mcpctl says what knocked and which step is missing. serve keeps the connection as long as the board does; over MQTT (mcpctl serve --mqtt) a board needs no waking at all. "
	"After a command with listen: the connection is closed and the board goes to standby: wake it again for the next command, or use one connection for many:\n"
	"\n"
	"  mcpctl listen: run -e info -e tools -e 'call self.get_device_status'\n"
	"\n"
	"To put the board back: in its hotspot 'mcpctl adopt --restore', or enter the address that it had before in the same field, by default\n"
	"\n"
	"  https://api.tenclass.net/xiaozhi/ota/\n"
	"\n"
	"and restart it: it asks there again, and goes where that answer sends it.\n";

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
	  "a token: what listen: and serve accept, what ws: and http: send (but not to names of a folder's mcp.json); --token-file instead of it" },
	{ "MCPCTL_BRIDGE_TOKEN",
	  "the token that hosts show at 'bridge --listen'; --token-file instead of it" },
	{ "MCPCTL_OAUTH_CLIENT_SECRET",
	  "the secret of --oauth-client-id; --oauth-client-secret-file instead of it" },
	{ "BROWSER",
	  "what opens the page of a login, several with ':' between; %s stands for its address" },
	{ "MCPCTL_VISION_TOKEN",
	  "the token for --vision-url; --vision-token-file instead of it" },
	{ "MCPCTL_SIM_TOKEN",
	  "the token that sim dials with; its --token-file instead of it" },
	{ "MCPCTL_MQTT_PASSWORD",
	  "the password for a broker; --mqtt-password-file instead of it" },
	{ "MCPCTL_LEASE",
	  "the leases under which this command runs: see mcpctl help lease" },
	{ "MCPCTL_MOSQUITTO",
	  "the program that serve --mqtt starts; else mosquitto in PATH, /usr/sbin or /usr/local/sbin" },
	{ "XDG_RUNTIME_DIR",
	  "where serve's socket is, below it; else, or if it is another user's, TMPDIR or /tmp" },
	{ "XDG_CONFIG_HOME",
	  "where mcpctl/devices.json, mcpctl/mcp.json, mcpctl/profiles, and mcpctl/backends.json, models.json, firmware.json, libraries.json, hosts.json and tools.json (mcpctl help findings) are; else ~/.config" },
	{ "XDG_STATE_HOME",
	  "where mcpctl/serve.log, mcpctl/history (the lines of the shell), the state of --breaker, mcpctl/trust (copies of what was trusted) and mcpctl/oauth (logins) are; else ~/.local/state" },
	{ "http_proxy",
	  "proxy for http:; https_proxy and ALL_PROXY for https:; no_proxy: hosts without one; not for this machine itself" },
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
	buf_text(
		out,
		"An option on the command line goes first, then the variable; an empty variable counts as not set.\n\n");
	write_row_variables(out, config_options, NULL);
	for (const struct command *const *c = commands; *c; c++)
		write_row_variables(out, (*c)->options, (*c)->name);
	for (size_t i = 0; i < COUNT(variables); i++)
		buf_printf(out, "%s\t%s\n", variables[i].name,
			   variables[i].brief);
}

/* A finding: "D106 (error)" and all there is to say, as one item. */
static void write_finding(struct buf *out, enum diag_code code)
{
	CLEANUP(explanation_done) struct explanation e;

	explanation_read(&e, code, EXPLAIN_ENGLISH);
	buf_printf(out, "%s\t%s: %s.", e.row->code,
		   severity_name(e.row->severity), e.title);
	for (int i = 0; i < EXPLAIN_PARTS; i++) {
		const char *text = e.part[i];
		size_t len = text ? strlen(text) : 0;

		if (len > 0)
			buf_printf(out, " %s: %s%s",
				   explain_part_name((enum explain_part)i),
				   text, text[len - 1] == '.' ? "" : ".");
	}
	buf_char(out, '\n');
}

static void write_findings(struct buf *out)
{
	buf_text(
		out,
		"What is wrong or odd on the wire is told with a code, which stands for ever. Its letter says where to look: D the device, B the backend, O the OTA reply, V vision, M MQTT and UDP, N network and TLS, P a plain MCP server, H this machine, S what a serial log shows. "
		"An error breaks stock firmware or the protocol; a warning works here and breaks behind what it names; a note is odd and harmless.\n"
		"\n"
		"What is known of backends, language models, firmware, libraries for boards and hosts of MCP stands in backends.json, models.json, firmware.json, libraries.json and hosts.json, what tools do by their names in tools.json, each entry with its source and the day it was read. They are built in; copies lie in PREFIX/share/mcpctl/facts. "
		"A file of that name in ~/.config/mcpctl goes instead of the built-in one: copy, change, and the findings follow. If it cannot be read, its path, the line and what is wrong are told, and the built-in one is used.\n"
		"\n"
		"  mcpctl explain D106\n"
		"  mcpctl explain --lang zh D106\n"
		"\n");
	for (int i = 0; i < DIAG_CODE_COUNT; i++)
		write_finding(out, (enum diag_code)i);
}

static void captures_events(struct buf *out)
{
	buf_text(
		out,
		"Every event has n, t and kind; the others where they have a meaning:\n"
		"\n"
		"n\twhich event, from 1 on; numbers that are missing were lost\n"
		"t\tmicroseconds since made\n"
		"c\twhich connection, from 1 on; a new one has a new number\n"
		"leg\tws, mqtt, udp, http, stdio, ota, vision, local (a board's own port), or serial (its log)\n"
		"from\tdevice or backend: who sent it, whoever recorded; the MCP server is the device\n"
		"kind\tsee below\n"
		"size\tbytes on the wire; of audio over UDP that one of its ends recorded (binary, leg udp) those of the sound\n"
		"text\tthe bytes, where they are UTF-8 without a NUL; broken JSON stays as it came\n"
		"hex\tthe bytes, where they are not\n"
		"cut\tonly so many bytes of it are here: those above 64 kB are left out\n"
		"sha256\tthen the sum of all of it, secrets masked\n"
		"head\tlines of HTTP, without the empty one; of open, where they are known, those of its request\n"
		"status\tof an HTTP response\n"
		"topic\tof MQTT\n"
		"passed\twhat a proxy passed on in its place (passed_hex, passed_cut, passed_sha256 likewise)\n"
		"\n"
		"Kinds:\n"
		"\n"
		"open\ta connection begins; text: its address\n"
		"device\twho the device of c is: device, board, version; other events may have a device that tells it, too\n"
		"text, binary, ping, pong\tmessages of WebSocket, and what goes for them elsewhere; audio is counted, its bytes are kept (hex) with --audio only (of sim: with its own)\n"
		"packet\tof UDP, or of MQTT where it is no PUBLISH; of CONNECT, in which a password stands, only the front is kept\n"
		"request, response\tof HTTP; of a picture on its way from a board that is played here, the request has its head and size alone (cut 0)\n"
		"line\tof a serial log: a port is a connection of its own; what is told of the port is a notice there\n"
		"end\tthe connection is over; from: who ended it; how: fin, rst, timeout, close (code: of the Close; 1005: it had none), missing where it is not known (fin of stdio: the program ended its output; of MQTT: close is a DISCONNECT, timeout a keepalive; of a board at the broker of serve mosquitto 2.0 tells none of it); text: why, in words\n"
		"finding\tfinding is what -o json prints of one (help findings)\n"
		"lost\tcount events were not written: the disk was full; that is said on stderr once, what is recorded goes on, and the status is 8 at the end. It stands there as soon as there is room again. A file that takes nothing at the start is refused\n"
		"notice\twhat the recorder said\n"
		"\n"
		"Secrets are masked before they reach the file: tokens, passwords, API keys, cookies, in JSON, headers and addresses. The same secret has the same name, ***1, another one ***2, so that another token than before can be seen; of more than 4,096 the rest is ***. "
		"Likewise key and nonce of a voice session, in the object udp of a hello. Device ids and session ids stay: capture mask --anonymise replaces them.\n"
		"\n"
		"Files of earlier versions have no header, and events of another form: {\"t\", \"device\", \"dir\": in or out, \"kind\": text, binary, ready, closed or notice, \"size\", \"text\" or \"hex\"}. They are read all the same.\n");
}

static void write_captures(struct buf *out)
{
	buf_text(
		out,
		"What --trace FILE writes: JSON lines in UTF-8, one header, then one line for each event. Version 1. mcpctl capture shows, masks and joins such files.\n"
		"\n"
		"Stable are the names and meanings below. Members and kinds may be added without a new version: who reads skips what he does not know. A file that ends within a line was cut there, and is good up to that. "
		"The order of members is not stable, and a file may be packed by gzip or zstd.\n"
		"\n"
		"  {\"capture\":1,\"program\":\"mcpctl 0.1.0\",\n"
		"   \"made\":\"2026-11-22T10:02:11.400Z\",\"as\":\"serve\",\n"
		"   \"clock\":\"us\",\"masked\":true}\n"
		"  {\"n\":1,\"t\":41210,\"c\":1,\"leg\":\"ws\",\"kind\":\"open\"}\n"
		"  {\"n\":2,\"t\":41220,\"c\":1,\"kind\":\"device\",\n"
		"   \"device\":\"aa:bb:cc:dd:ee:ff\"}\n"
		"  {\"n\":3,\"t\":52010,\"c\":1,\"leg\":\"ws\",\"from\":\"device\",\n"
		"   \"kind\":\"text\",\"size\":16,\"text\":\"{\\\"type\\\":\\\"hello\\\"}\"}\n"
		"\n"
		"The header:\n"
		"\n"
		"capture\tthe version of this format; a program refuses one above those it knows\n"
		"program\twho wrote it\n"
		"made\twhen it began, UTC: t is counted from then\n"
		"as\twho recorded: client, listen, serve, sim, check, proxy, or join of several\n"
		"clock\tthe unit of t: us, microseconds\n"
		"masked\tsecrets are masked; if it is not true, they may stand in it as they were\n"
		"upstream\tthe address of the backend behind a proxy; may be missing\n"
		"\n");
	captures_events(out);
}

/* clang-format off */
const struct topic topics[] = {
	{ "targets", "how to name the peer: listen:, ws:, http:, mqtt:, mcp+mqtt:, stdio:, sim:",
	  '7', NULL, write_targets },
	{ "board", "how to bring a real board here, and how to put it back",
	  '7', NULL, write_board },
	{ "backend", "serve: boards over WebSocket and MQTT, racks in CI, files, proxy",
	  '7', NULL, topic_backend },
	{ "servers", "every other MCP server: programs, HTTP, names, retries",
	  '7', NULL, topic_servers },
	{ "llm", "the simulated LLM service, and Ollama behind it",
	  '7', NULL, topic_llm },
	{ "endpoint", "access points (MCP endpoint): as one, as tool side, as robot",
	  '7', NULL, topic_endpoint },
	{ "status", "what the exit statuses mean",
	  0, "EXIT STATUS", write_status },
	{ "json", "what -o json and -o raw print",
	  '7', NULL, write_json },
	{ "profile", "profiles of the simulated device: which, and how to write one",
	  '5', NULL, write_profile },
	{ "faults", "how the simulated device can misbehave",
	  '7', NULL, write_faults },
	{ "findings", "the codes of what is wrong or odd on the wire, all of them",
	  '7', NULL, write_findings },
	{ "capture", "the format of what --trace records, for other programs",
	  '5', NULL, write_captures },
	{ "environment", "environment variables",
	  0, "ENVIRONMENT", write_environment },
	{ NULL, NULL, 0, NULL, NULL }
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
