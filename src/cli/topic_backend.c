/* SPDX-License-Identifier: MIT */
/*
 * The text of `help backend`: how boards come to serve. A table of lines.
 */
#include "cli/topics.h"

static const char websocket_text[] =
	"'mcpctl serve' is what a stock board accepts as its server. It is "
	"started once; boards come and go, and every other command, in any "
	"terminal or script, finds it by itself:\n"
	"\n"
	"  mcpctl serve\n"
	"  mcpctl devices\n"
	"  mcpctl tools\n"
	"  mcpctl -d kitchen call self.get_device_status\n"
	"  mcpctl --all call self.audio_speaker.set_volume volume=30\n"
	"  mcpctl stop\n"
	"\n"
	"A board over WebSocket: set the OTA address that serve prints on the "
	"board (mcpctl help board says where), restart the board, wake it. It "
	"dials in only when it is woken and stays until it goes back to "
	"standby; a command with --wait waits for it. Then serve says hello, "
	"initializes it, lists its tools, and keeps the list, so that a call "
	"costs one message each way. --path and --token-file keep others "
	"out: a line TOKEN in that file is for every board, a line 'DEVICE "
	"TOKEN' for one; OTA gives it to the board.\n"
	"\n";

static const char mqtt_text[] =
	"A board over MQTT: --mqtt starts a broker (mosquitto, package "
	"mosquitto, with a plugin of ours, since stock boards never "
	"subscribe), and the OTA answer sends boards there. They connect at "
	"start and stay connected while they sleep: no wake word, no button, "
	"no hello. For a rack of boards in continuous integration this is "
	"the way:\n"
	"\n"
	"  mcpctl serve --mqtt --daemon\n"
	"  mcpctl --wait 2m -d 'kitchen' run smoke.mcp\n"
	"\n"
	"A board takes plain MQTT on every port but 8883, where it wants a "
	"publicly signed certificate. --mqtt-broker URL uses a broker that "
	"runs already; it has to subscribe the boards by itself, as EMQX does "
	"by a rule for auto-subscription. For topics {client_id} and {mac} "
	"stand for the board's own:\n"
	"\n"
	"  mcpctl serve --mqtt-broker mqtt://192.168.1.5 --topic-down "
	"'mcpctl/down/{client_id}'\n"
	"\n"
	"There serve asks each board that OTA sent until it answers; one that "
	"was there before serve started is known when it speaks or restarts. "
	"A single command can go to such a board without serve; what all "
	"boards publish to one topic, as to device-server by default, it hears "
	"too, and takes only the replies that are its own:\n"
	"\n"
	"  mcpctl 'mqtt://192.168.1.5/CLIENT_ID?up=mcpctl/up/{client_id}"
	"&down=mcpctl/down/{client_id}' tools\n"
	"\n"
	"A hello over MQTT is answered with a UDP port for audio; what comes "
	"is decrypted and counted, and with --silence answered. With "
	"--mqtt-key-file the broker lets in only boards whose client id, user "
	"name and password fit that key; the OTA answer gives them.\n"
	"\n";

static const char files_text[] =
	"Pictures: boards with a camera upload them to serve, which shows "
	"what came. --save-images keeps them; --vision-exec CMD answers them "
	"($1 is the file, $2 the question, the output is the answer), as does "
	"--vision-text:\n"
	"\n"
	"  mcpctl serve --save-images shots --vision-exec 'file -b \"$1\"'\n"
	"\n"
	"Names for boards stand in devices.json in the configuration folder "
	"(or --alias-file): {\"kitchen\":\"aa:bb:cc:dd:ee:ff\"}. After a "
	"change, send SIGHUP.\n"
	"\n"
	"One serve for a user listens on a socket in $XDG_RUNTIME_DIR/mcpctl "
	"(where that is not set: a folder of the user in the temporary one); "
	"only that user gets in. A second serve needs another --socket FILE, "
	"and so do the commands that are for it (MCPCTL_SOCKET).\n"
	"\n"
	"In the background: --daemon returns when everything listens; the log "
	"is mcpctl/serve.log in $XDG_STATE_HOME (~/.local/state). For "
	"systemd: systemctl --user enable --now mcpctl-serve, with options "
	"as MCPCTL_SERVE_OPTIONS=... in ~/.config/mcpctl/serve.env. Commands "
	"of --exec and --vision-exec run in '/' under --daemon.\n"
	"\n"
	"Boards accept only publicly signed certificates, so serve offers no "
	"TLS. Put a reverse proxy in front that passes upgrades, and tell "
	"boards its address: --advertise wss://bench.example/. Then OTA and "
	"uploads go through it too. Inside a container, --advertise HOST "
	"names the address that boards can reach. A name in a board's OTA "
	"address that is not this machine's own must be allowed: --allow-host "
	"NAME (see mcpctl help targets).\n";

void topic_backend(struct buf *out)
{
	buf_text(out, websocket_text);
	buf_text(out, mqtt_text);
	buf_text(out, files_text);
}
