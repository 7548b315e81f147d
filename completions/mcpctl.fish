# Completion of mcpctl for fish. Written by 'mcpctl generate fish' from the
# command table: do not edit.

# Ask mcpctl itself: it looks at a running serve and at lists that were kept.
function __mcpctl_ask
	set -l words (commandline -opc)
	set -l raw (commandline -ct)
	set -l typed (string unescape -- "$raw"; or string unescape -- "$raw"\"; or string unescape -- "$raw"\')
	# Names of options are known without it.
	string match -q -r -- '^-([^dt-].*|[dt]?|-[^=]*)$' "$typed"; and return
	set -l program mcpctl
	string match -q '*/*' -- $words[1]; and set program (string replace -r '^~/' $HOME/ -- $words[1])
	command -q $program; or return
	set -e words[1]
	set -l found (command $program _complete fish $words "$typed" 2>/dev/null </dev/null)
	set -l kind $found[1]
	set -e found[1]
	# The answer is whole words; fish puts the option in front itself.
	set -l option (string match -r -- '^(?:--[^=]*=|-[a-zA-Z])' "$typed")
	set -l start (math 1 + (string length -- "$option"))
	switch "$kind"
		case words
			string sub -s $start -- $found
		case 'files*'
			set -l keep (string replace -r '^files ?' '' -- $kind)
			set -l rest (string sub -s (math 1 + (string length -- "$keep")) -- "$typed")
			string sub -s $start -- $found
			string sub -s $start -- "$keep"(complete -C "'' "(string escape -- "$rest"))
		case shown
			__mcpctl_range $found
		case 'note *'
			# One alone would be taken and not be shown.
			test -z "$typed"; and printf '%s\t%s\n' '' (string sub -s 6 -- $kind) --help 'help on the command'
	end
end

# What only can be shown has no place in fish; the ends of a range have.
function __mcpctl_range --argument-names text
	set -l part (string match -r -- '^([^<]*=)<(-?[0-9.]+?)\.\.(-?[0-9.]+)>  (.*)$' $text)
	test (count $part) = 5; or return 0
	test (string sub -l 1 -- $part[3]) = (string sub -l 1 -- $part[4]); and return 0
	printf '%s\t%s\n' $part[2]$part[3] $part[5] $part[2]$part[4] $part[5]
end

function __mcpctl_targets
	if string match -q '*:*' -- (commandline -ct)
		__mcpctl_ask
		return
	end
	printf '%s\t%s\n' \
		'listen:' 'wait for a board on port 8000' \
		'sim:' 'the simulated device' \
		'http://' 'an MCP server over HTTP' \
		'https://' 'the same over TLS' \
		'stdio:' 'a server that is started: its command line' \
		'ws://' 'dial a WebSocket MCP server' \
		'wss://' 'the same over TLS' \
		'mqtt://' 'a device at a broker' \
		'mqtts://' 'the same over TLS' \
		'attach:' 'a device of the running serve' \
		'sim:esp32' 'the firmware\'s own tools on a board with screen, speaker and camera' \
		'sim:fixtures' 'the device of the recordings: host-board with its self.test tools' \
		'sim:fixtures-ws' 'the device of the WebSocket recording: a slow and a big tool, and what it said by itself' \
		'sim:large' '2,000 tools on many pages, to try paging and speed' \
		'sim:llm' 'an LLM service, no device: extracts entities from Portuguese text by Ollama'
end

function __mcpctl_faults
	printf '%s\t%s\n' \
		'late-reply' 'a call is answered after 11 s (late-reply=500ms: after that)' \
		'no-reply' 'a call is never answered' \
		'two-replies' 'a call is answered twice' \
		'wrong-id' 'the answer to a call has an id that nobody asked with' \
		'string-id' 'the answer to a call has its id as a string' \
		'not-json' 'a call is answered by a line that is no JSON' \
		'cut-frame' 'the connection ends in the middle of the frame of an answer' \
		'close-mid-reply' 'half of an answer comes, then a Close frame' \
		'huge' 'a call is answered with 17 MB of text (huge=1000: that many bytes)' \
		'deep' 'the answer to a call holds 2,000 lists inside each other' \
		'bad-utf8' 'the answer to a call has bytes that are no UTF-8' \
		'control-characters' 'the answer to a call tries to drive the terminal' \
		'loop-cursor' 'each page of tools names itself as the next one' \
		'empty-page' 'a page of tools is empty and names a next one' \
		'no-features' 'the hello has no features, as before firmware 1.6.6' \
		'no-hello' 'it connects and never says hello' \
		'late-hello' 'it says hello after 5 s (late-hello=2s: after that)' \
		'duplicate-tool' 'each page lists its first tool twice' \
		'notify-storm' '5,000 notifications come right after initialize (notify-storm=10: that many)'
end

function __mcpctl_profiles
	printf '%s\t%s\n' \
		'esp32' 'the firmware\'s own tools on a board with screen, speaker and camera' \
		'fixtures' 'the device of the recordings: host-board with its self.test tools' \
		'fixtures-ws' 'the device of the WebSocket recording: a slow and a big tool, and what it said by itself' \
		'large' '2,000 tools on many pages, to try paging and speed' \
		'llm' 'an LLM service, no device: extracts entities from Portuguese text by Ollama'
end

function __mcpctl_commands
	printf '%s\t%s\n' \
		'info' 'who the peer is, what it told, and how long each step took' \
		'tools' 'the tools of the peer, a line each' \
		'describe' 'all about one tool: arguments, an example, its hazards' \
		'call' 'call a tool and print its result' \
		'resources' 'the resources of a server, a line each' \
		'templates' 'the resource templates of a server, a line each' \
		'read' 'read a resource and print it' \
		'subscribe' 'show each change of a resource, as the server tells it' \
		'prompts' 'the prompts of a server, a line each' \
		'prompt' 'fill in a prompt and print its messages' \
		'complete' 'the values that a server proposes for an argument' \
		'tail' 'show every message that is no reply, as it comes' \
		'ping' 'one round trip: \'alive, 4 ms\'' \
		'devices' 'the devices of the running serve' \
		'kick' 'end the connection of a device of the running serve' \
		'stop' 'end the running serve' \
		'targets' 'the servers that mcp.json files name' \
		'trust' 'let an mcp.json of a folder be used' \
		'request' 'send any request and print its result' \
		'notify' 'send a notification' \
		'send' 'send a device message: alert, system, tts, stt, llm, …' \
		'loglevel' 'from which level on the server logs' \
		'run' 'many commands on one connection' \
		'shell' 'explore a device: commands on one open session' \
		'serve' 'be the backend of many boards, for commands that attach' \
		'sim' 'pretend to be a device that dials in, many, or a service' \
		'help' 'help on a command or a topic' \
		'version' 'the version; with -v also of its libraries' \
		'completion' 'print the completion for bash, zsh or fish'
end

function __mcpctl_topics
	printf '%s\t%s\n' \
		'info' 'who the peer is, what it told, and how long each step took' \
		'tools' 'the tools of the peer, a line each' \
		'describe' 'all about one tool: arguments, an example, its hazards' \
		'call' 'call a tool and print its result' \
		'resources' 'the resources of a server, a line each' \
		'templates' 'the resource templates of a server, a line each' \
		'read' 'read a resource and print it' \
		'subscribe' 'show each change of a resource, as the server tells it' \
		'prompts' 'the prompts of a server, a line each' \
		'prompt' 'fill in a prompt and print its messages' \
		'complete' 'the values that a server proposes for an argument' \
		'tail' 'show every message that is no reply, as it comes' \
		'ping' 'one round trip: \'alive, 4 ms\'' \
		'devices' 'the devices of the running serve' \
		'kick' 'end the connection of a device of the running serve' \
		'stop' 'end the running serve' \
		'targets' 'the servers that mcp.json files name' \
		'trust' 'let an mcp.json of a folder be used' \
		'request' 'send any request and print its result' \
		'notify' 'send a notification' \
		'send' 'send a device message: alert, system, tts, stt, llm, …' \
		'loglevel' 'from which level on the server logs' \
		'run' 'many commands on one connection' \
		'shell' 'explore a device: commands on one open session' \
		'serve' 'be the backend of many boards, for commands that attach' \
		'sim' 'pretend to be a device that dials in, many, or a service' \
		'help' 'help on a command or a topic' \
		'version' 'the version; with -v also of its libraries' \
		'completion' 'print the completion for bash, zsh or fish' \
		'board' 'how to bring a real board here, and how to put it back' \
		'backend' 'serve: boards over WebSocket and MQTT, racks in CI, files, proxy' \
		'servers' 'every other MCP server: programs, HTTP, names, retries' \
		'llm' 'the simulated LLM service, and Ollama behind it' \
		'status' 'what the exit statuses mean' \
		'json' 'what -o json and -o raw print' \
		'profile' 'profiles of the simulated device: which, and how to write one' \
		'faults' 'how the simulated device can misbehave' \
		'environment' 'environment variables'
end

function __mcpctl_methods
	if string match -q '@*' -- (commandline -ct)
		__mcpctl_ask
		return
	end
	printf '%s\t%s\n' \
		'initialize' '' \
		'ping' '' \
		'tools/list' '' \
		'tools/call' '' \
		'resources/list' '' \
		'resources/read' '' \
		'resources/templates/list' '' \
		'resources/subscribe' '' \
		'resources/unsubscribe' '' \
		'prompts/list' '' \
		'prompts/get' '' \
		'completion/complete' '' \
		'logging/setLevel' '' \
		'notifications/initialized' '' \
		'notifications/cancelled' ''
end

function __mcpctl_levels
	printf '%s\t%s\n' \
		'debug' '' \
		'info' '' \
		'notice' '' \
		'warning' '' \
		'error' '' \
		'critical' '' \
		'alert' '' \
		'emergency' ''
end

function __mcpctl_shells
	printf '%s\t%s\n' \
		'bash' '' \
		'zsh' '' \
		'fish' ''
end

# Print target (if asked) or command of what is typed so far; status 1: none.
function __mcpctl_word --argument-names asked
	set -l words (commandline -opc)
	set -l skip 0
	set -l target ''
	set -e words[1]
	for word in $words
		if test $skip = 1
			set skip 0
			continue
		end
		if string match -q -r '^(-t|--target)' -- $word
			set target given
			test "$asked" = target; and return 0
		end
		switch $word
			case '-t' '--target' '-d' '--device' '-e' '--execute' '-o' '--output' '--trace' '--timeout' '--wait' '--envelope' '--token-file' '--mqtt-password-file' '--socket' '--header' '--env' '--cwd' '--config' '--proxy' '--resolve' '--retry' '--elicit' '--sampling' '--root' '--cacert' '--advertise' '--allow-origin' '--allow-host' '--trusted-proxy' '--vision-url' '--vision-token-file' '--color'
				set skip 1
			case '-*'
			case '*'
				if test -z "$target"; and string match -q '*:*' -- $word
					set target $word
					test "$asked" = target; and return 0
				else
					test "$asked" = target; and return 1
					echo $word
					return 0
				end
		end
	end
	return 1
end

function __mcpctl_using
	set -l word (__mcpctl_word command); and contains -- $word $argv
end

# Read once more, it would offer everything twice.
complete -c mcpctl -e
complete -c mcpctl -f
complete -c mcpctl -n 'not __mcpctl_word command >/dev/null' -a '(__mcpctl_commands)'
complete -c mcpctl -n 'not __mcpctl_word command >/dev/null; and not __mcpctl_word target' -a '(__mcpctl_targets)'
complete -c mcpctl -s t -l target -x -k -a '(__mcpctl_ask)' -d 'the peer; a first word with \':\' names it too'
complete -c mcpctl -s d -l device -x -k -a '(__mcpctl_ask)' -d 'which device of a running serve: Device-Id, client id, alias or glob'
complete -c mcpctl -l all -d 'on every device of a running serve that fits -d, at once'
complete -c mcpctl -s e -l execute -x -a '(__mcpctl_commands)' -d 'a command line for run; may be given many times'
complete -c mcpctl -s o -l output -x -a 'text json raw' -d 'form of the output: text, json or raw'
complete -c mcpctl -s v -l verbose -d 'show every frame on stderr'
complete -c mcpctl -s q -l quiet -d 'no notices on stderr, only errors'
complete -c mcpctl -l trace -r -F -d 'write every frame to FILE, one JSON object a line'
complete -c mcpctl -l timeout -x -d 'longest wait for one answer'
complete -c mcpctl -l wait -x -d 'longest wait for the peer; a sign of life starts it anew'
complete -c mcpctl -l envelope -x -a 'auto device plain' -d 'dialect of a dialled ws: peer: device or plain JSON-RPC'
complete -c mcpctl -l token-file -r -F -d 'tokens that serve and listen: accept, one a line; or the one sent to ws: and http: (or MCPCTL_TOKEN)'
complete -c mcpctl -l mqtt-password-file -r -F -d 'password for a broker (or MCPCTL_MQTT_PASSWORD)'
complete -c mcpctl -l socket -r -F -d 'control socket of serve, where it is not the default'
complete -c mcpctl -l header -x -d 'one more header for ws: and http:; may be given many times'
complete -c mcpctl -l env -x -d 'set it for a child process; may be given many times'
complete -c mcpctl -l cwd -r -F -d 'folder that a child process runs in'
complete -c mcpctl -l config -r -F -d 'mcp.json that names servers, instead of those that are looked for (see mcpctl targets)'
complete -c mcpctl -l trust -d 'take the names of a folder\'s mcp.json for this command, whatever it holds; nothing is asked or kept (see mcpctl trust)'
complete -c mcpctl -l proxy -x -d 'proxy for http: and https:, instead of http_proxy and https_proxy; \'none\': no proxy'
complete -c mcpctl -l resolve -x -d 'reach HOST at ADDRESS, for http: and https:; may be given many times'
complete -c mcpctl -l retry -x -d 'tries in all, of what may be repeated'
complete -c mcpctl -l retry-calls -d 'repeat tool calls too that are not marked as idempotent'
complete -c mcpctl -l breaker -d 'after N failed calls (5) fail at once for DURATION (60s), also in later commands on the same target; off: not even within run and shell'
complete -c mcpctl -l elicit -x -k -a '(__mcpctl_ask)' -d 'answer what a server asks the user: ask, accept-defaults, decline, cancel or @FILE'
complete -c mcpctl -l sampling -x -k -a '(__mcpctl_ask)' -d 'answer what a server asks a model: decline, @FILE or exec:COMMAND'
complete -c mcpctl -l root -r -F -d 'a folder that the server may work in; may be given many times'
complete -c mcpctl -l cacert -r -F -d 'certificates (PEM) to trust for wss:, https: and mqtts:'
complete -c mcpctl -l insecure -d 'do not verify the certificate of wss:, https: or mqtts:'
complete -c mcpctl -l advertise -x -d 'the address that serve and listen: tell devices, where their own is not the one they reach'
complete -c mcpctl -l allow-origin -x -d 'let web pages of that origin (https://HOST[:PORT]) ask at a port that serve, listen: or sim opens; may be given many times'
complete -c mcpctl -l allow-host -x -d 'one more name that leads to such a port, beside IP addresses, localhost, this machine\'s and that of --advertise; may be given many times'
complete -c mcpctl -l trusted-proxy -x -d 'a reverse proxy in front of such a port: the address that it forwards for (X-Forwarded-For, Forwarded) is who asked, for the log and for how much one address gets; may be given many times'
complete -c mcpctl -l vision-url -x -d 'where the device uploads photos to'
complete -c mcpctl -l vision-token-file -r -F -d 'token for --vision-url (or MCPCTL_VISION_TOKEN)'
complete -c mcpctl -l no-init -d 'do not send initialize before the command'
complete -c mcpctl -l color -x -a 'auto always never' -d 'colour: auto, always or never'
complete -c mcpctl -s h -l help -d 'help on the command; with call TOOL: on the tool'
complete -c mcpctl -l version -d 'the version; with -v also of its libraries'
complete -c mcpctl -n '__mcpctl_using tools' -l tree -d 'grouped by the parts of their names'
complete -c mcpctl -n '__mcpctl_using tools' -l diff -r -F -d 'what is not as in FILE, which \'-o json tools\' wrote'
complete -c mcpctl -n '__mcpctl_using tools' -l cached -d 'as they were listed last, without a connection'
complete -c mcpctl -n '__mcpctl_using tools' -l no-user -d 'as a backend asks: without user-only tools'
complete -c mcpctl -n '__mcpctl_using tools' -k -a '(__mcpctl_ask)'
complete -c mcpctl -n '__mcpctl_using describe' -k -a '(__mcpctl_ask)'
complete -c mcpctl -n '__mcpctl_using call' -l no-validate -d 'send as it is: no listing, no check against the schema'
complete -c mcpctl -n '__mcpctl_using call' -l expect -x -k -a '(__mcpctl_ask)' -d 'what the result must contain (or @FILE); else status 7'
complete -c mcpctl -n '__mcpctl_using call' -l save -r -F -d 'write images and audio to FILE, FILE-2, …; - is stdout'
complete -c mcpctl -n '__mcpctl_using call' -l upload -x -d 'give the argument ARG an address of serve that takes one picture'
complete -c mcpctl -n '__mcpctl_using call' -k -a '(__mcpctl_ask)'
complete -c mcpctl -n '__mcpctl_using resources' -k -a '(__mcpctl_ask)'
complete -c mcpctl -n '__mcpctl_using templates' -k -a '(__mcpctl_ask)'
complete -c mcpctl -n '__mcpctl_using read' -l save -r -F -d 'write it to FILE, FILE-2, …, exactly as it came; - is stdout'
complete -c mcpctl -n '__mcpctl_using read' -k -a '(__mcpctl_ask)'
complete -c mcpctl -n '__mcpctl_using subscribe' -l read -d 'read it again at each update, and print that'
complete -c mcpctl -n '__mcpctl_using subscribe' -s n -l count -x -d 'end after N updates'
complete -c mcpctl -n '__mcpctl_using subscribe' -l for -x -d 'end after that time; with --count: status 4 if fewer came'
complete -c mcpctl -n '__mcpctl_using subscribe' -k -a '(__mcpctl_ask)'
complete -c mcpctl -n '__mcpctl_using prompts' -k -a '(__mcpctl_ask)'
complete -c mcpctl -n '__mcpctl_using prompt' -l no-validate -d 'send it as it is: no listing, no check'
complete -c mcpctl -n '__mcpctl_using prompt' -l save -r -F -d 'write images, audio and resources to FILE, FILE-2, …'
complete -c mcpctl -n '__mcpctl_using prompt' -k -a '(__mcpctl_ask)'
complete -c mcpctl -n '__mcpctl_using complete' -k -a '(__mcpctl_ask)'
complete -c mcpctl -n '__mcpctl_using tail' -l filter -x -d 'only messages whose name contains WORD, or is GLOB; may be given many times'
complete -c mcpctl -n '__mcpctl_using tail' -s n -l count -x -d 'end after N messages'
complete -c mcpctl -n '__mcpctl_using tail' -l for -x -d 'end after that time; with --count: status 4 if fewer came'
complete -c mcpctl -n '__mcpctl_using tail' -l level -x -a '(__mcpctl_levels)' -d 'have the server log from LEVEL on (debug, info, notice, warning, error, critical, alert, emergency)'
complete -c mcpctl -n '__mcpctl_using devices' -l watch -d 'go on: a line for each device that comes, changes or goes'
complete -c mcpctl -n '__mcpctl_using devices' -l enrolled -d 'those that were enrolled (serve --enroll), also if they are not here'
complete -c mcpctl -n '__mcpctl_using devices' -k -a '(__mcpctl_ask)'
complete -c mcpctl -n '__mcpctl_using kick' -k -a '(__mcpctl_ask)'
complete -c mcpctl -n '__mcpctl_using trust' -s l -l list -d 'all files that are trusted, wherever they are'
complete -c mcpctl -n '__mcpctl_using trust' -l revoke -d 'FILE is not trusted any more'
complete -c mcpctl -n '__mcpctl_using trust' -F
complete -c mcpctl -n '__mcpctl_using request' -a '(__mcpctl_methods)'
complete -c mcpctl -n '__mcpctl_using notify' -a '(__mcpctl_methods)'
complete -c mcpctl -n '__mcpctl_using send' -k -a '(__mcpctl_ask)'
complete -c mcpctl -n '__mcpctl_using loglevel' -a '(__mcpctl_levels)'
complete -c mcpctl -n '__mcpctl_using run' -s k -l keep-going -d 'go on after a command that failed'
complete -c mcpctl -n '__mcpctl_using run' -l report -x -k -a '(__mcpctl_ask)' -d 'a case for each command: junit:FILE or tap:FILE; - is stdout, and results go to stderr then'
complete -c mcpctl -n '__mcpctl_using run' -F
complete -c mcpctl -n '__mcpctl_using shell' -s k -l keep-going -d 'a script goes on after a line that failed'
complete -c mcpctl -n '__mcpctl_using shell' -l no-history -d 'neither read nor write the file of lines typed before'
complete -c mcpctl -n '__mcpctl_using serve' -l listen -x -d 'wait there; may be given many times'
complete -c mcpctl -n '__mcpctl_using serve' -l path -x -d 'the only path for WebSockets'
complete -c mcpctl -n '__mcpctl_using serve' -l offer -x -a 'auto ws mqtt' -d 'what the OTA answer sends a board to: ws, mqtt, or auto: mqtt where there is a broker'
complete -c mcpctl -n '__mcpctl_using serve' -l alias-file -r -F -d 'names for boards'
complete -c mcpctl -n '__mcpctl_using serve' -l save-images -r -F -d 'keep the pictures that boards upload'
complete -c mcpctl -n '__mcpctl_using serve' -l vision-exec -x -d 'what sh runs to answer a picture: $1 is its file, $2 the question (and MCPCTL_FILE, MCPCTL_QUESTION, MCPCTL_DEVICE); its output is the answer'
complete -c mcpctl -n '__mcpctl_using serve' -l vision-text -x -d 'answer every picture with that'
complete -c mcpctl -n '__mcpctl_using serve' -l mqtt -d 'start a broker for boards (mosquitto), on port 1883 unless PORT is given'
complete -c mcpctl -n '__mcpctl_using serve' -l mqtt-broker -x -d 'use a broker that runs: mqtt[s]://[USER@]HOST[:PORT]'
complete -c mcpctl -n '__mcpctl_using serve' -l topic-up -x -d 'with --mqtt-broker: what a board publishes to; {client_id} and {mac} are its own'
complete -c mcpctl -n '__mcpctl_using serve' -l topic-down -x -d 'with --mqtt-broker: what serve publishes to for a board'
complete -c mcpctl -n '__mcpctl_using serve' -l mqtt-key-file -r -F -d 'the key that signs the passwords of boards: let no other in'
complete -c mcpctl -n '__mcpctl_using serve' -l enroll -d 'with --mqtt-key-file: sign for each board that asks OTA within that time, 10m unless DURATION is given, and remember it'
complete -c mcpctl -n '__mcpctl_using serve' -l mqtt-operator-file -r -F -d 'the password of the user \'operator\', who may look at all messages of the broker'
complete -c mcpctl -n '__mcpctl_using serve' -l udp-port -x -d 'port for the audio of MQTT boards'
complete -c mcpctl -n '__mcpctl_using serve' -l silence -d 'answer that audio with silence'
complete -c mcpctl -n '__mcpctl_using serve' -l devices-max -x -d 'hold at most N devices'
complete -c mcpctl -n '__mcpctl_using serve' -l message-max -x -d 'longest message of a device'
complete -c mcpctl -n '__mcpctl_using serve' -l picture-max -x -d 'largest picture'
complete -c mcpctl -n '__mcpctl_using serve' -l handshake -x -d 'longest time for the head of a request'
complete -c mcpctl -n '__mcpctl_using serve' -l hello-wait -x -d 'how long a peer may be silent before its hello'
complete -c mcpctl -n '__mcpctl_using serve' -l exec -x -d 'what sh runs for each device that is ready, with MCPCTL_TARGET and MCPCTL_DEVICE set'
complete -c mcpctl -n '__mcpctl_using serve' -l once -d 'with --exec: end with the first command, and with its status'
complete -c mcpctl -n '__mcpctl_using serve' -l daemon -d 'go to the background once it listens'
complete -c mcpctl -n '__mcpctl_using serve' -l no-sandbox -d 'keep all that the user may do: for a debugger, and where a fence is in the way'
complete -c mcpctl -n '__mcpctl_using serve' -l pidfile -r -F -d 'write the process id there while it runs, and hold its lock (flock)'
complete -c mcpctl -n '__mcpctl_using serve' -l log -r -F -d 'append what happens to FILE instead of printing it'
complete -c mcpctl -n '__mcpctl_using sim' -l connect -x -d 'dial this backend: ws://HOST:PORT/PATH, or a broker as mqtt://[USER@]HOST[:PORT]/CLIENT_ID[?up=TOPIC]'
complete -c mcpctl -n '__mcpctl_using sim' -l ota -x -d 'ask this OTA address first, and go where it sends'
complete -c mcpctl -n '__mcpctl_using sim' -l listen -x -d 'be a WebSocket MCP server at /ws, as boards like otto-robot are; of a service, where it is reached (127.0.0.1:8088)'
complete -c mcpctl -n '__mcpctl_using sim' -l devices -x -d 'that many devices, each with ids of its own'
complete -c mcpctl -n '__mcpctl_using sim' -l device-id -x -d 'Device-Id of the first device; the others count on from it'
complete -c mcpctl -n '__mcpctl_using sim' -l client-id -x -d 'Client-Id of the first device; the others count on from it'
complete -c mcpctl -n '__mcpctl_using sim' -l token-file -r -F -d 'token to dial with, instead of the one that OTA gives; MCPCTL_SIM_TOKEN holds one too'
complete -c mcpctl -n '__mcpctl_using sim' -l rate -x -d 'dial so many a second (50/s, 30/m)'
complete -c mcpctl -n '__mcpctl_using sim' -l for -x -d 'end after that time'
complete -c mcpctl -n '__mcpctl_using sim' -l fill -x -d 'add N tools with long descriptions, so that listing takes many pages'
complete -c mcpctl -n '__mcpctl_using sim' -l firmware -x -a '2.4.2 next' -d 'error texts of that firmware: 2.4.2, or next, which has error codes'
complete -c mcpctl -n '__mcpctl_using sim' -l reconnect -d 'dial again when the connection is over'
complete -c mcpctl -n '__mcpctl_using sim' -l audio -d 'send a frame of silence every 60 ms while listening; over MQTT, begin a voice session for it'
complete -c mcpctl -n '__mcpctl_using sim' -l subscribe -d 'MQTT: subscribe to ?down=TOPIC of the URL, or to devices/p2p/MAC, which stock firmware never does'
complete -c mcpctl -n '__mcpctl_using sim' -l photo -r -F -d 'the JPEG that the camera takes'
complete -c mcpctl -n '__mcpctl_using sim' -l frame-version -x -d 'version of binary frames: 1, 2 or 3'
complete -c mcpctl -n '__mcpctl_using sim' -l fault -x -a '(__mcpctl_faults)' -d 'misbehave; 3:NAME for the third device only (see help faults)'
complete -c mcpctl -n '__mcpctl_using sim' -l ollama -x -d 'Ollama, for tools that a language model answers'
complete -c mcpctl -n '__mcpctl_using sim' -l model -x -d 'the model that it runs'
complete -c mcpctl -n '__mcpctl_using sim' -l ollama-timeout -x -d 'how long the model may take'
complete -c mcpctl -n '__mcpctl_using sim' -F -a '(__mcpctl_profiles)'
complete -c mcpctl -n '__mcpctl_using help' -a '(__mcpctl_topics)'
complete -c mcpctl -n '__mcpctl_using completion' -a '(__mcpctl_shells)'
