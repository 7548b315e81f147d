#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# upgrade: images judged, fetched from serve's port by pretend boards, and what
# becomes of each of them.
load helper

image() { /usr/bin/python3 "$BATS_TEST_DIRNAME/firmware.py" "$@"; }

# board NAME ARG…: asks this serve's OTA, and dials again by itself.
board() {
	local name=$1
	shift
	background "$name" mcpctl sim "$@" --ota "$OTA" --reconnect
}

# ready N: so many are.
ready() { until_true matches serve.out '"event":"ready"' "$1"; }

# verdicts: of what was printed; what came meanwhile goes to the file progress.
verdicts() {
	jq -c 'select(.event == "progress")' "$WORK/stdout" >progress
	jq -c 'select(.event == "verdict")' "$WORK/stdout" >verdict
	mv verdict "$WORK/stdout"
}

COMMAND=(upgrade new.bin)
upgraded() { # VERDICT STATUS ARG…
	local verdict=$1 wanted=$2
	shift 2
	mcp -o json "${COMMAND[@]}" "$@"
	ends "$wanted"
	verdicts
	[ "$(jq -r .verdict "$WORK/stdout")" = "$verdict" ] || {
		printf 'not %s: %s\n%s\n' "$verdict" "$out" "$err" >&2
		return 1
	}
}

@test "fetched, restarted, and the new version is seen" {
	image new.bin 2.5.0
	serve
	board one
	ready 1
	upgraded 'done' 0 --settle 10ms
	[ "$(jq -r '.before, .now, .words' "$WORK/stdout" | xargs)" = '2.4.2 2.5.0 null' ]
	[ "$(jq '.fetched == .size' "$WORK/stdout")" = true ]
	[ "$(jq .size "$WORK/stdout")" = "$(stat -c %s new.bin)" ]
	hints 'xiaozhi 2.5.0 for esp32s3'
	mcp devices
	says 2.5.0
	# A verdict for people; the address of the file is a secret.
	image new.bin 2.6.0
	mcp upgrade new.bin --settle 10ms
	ends 0
	says 'done  2.5.0 -> 2.6.0'
	absent '/download/' "$WORK/stdout" "$WORK/stderr" serve.out serve.err
	image next.bin 2.7.0
	mcp upgrade next.bin --settle 10ms --jq 'select(.verdict) | .verdict, .now'
	ends 0
	[ "$(xargs <<<"$out")" = 'done 2.7.0' ]
}

@test "what comes meanwhile, for a program" {
	image new.bin 2.5.0 3000000
	serve
	board one
	ready 1
	# So long is it back before that is believed.
	upgraded 'done' 0 --settle 1s
	[ "$(jq -s 'length >= 2 and all(.verdict == null and .size > 3000000 and .device.id != null)' progress)" = true ]
	[ "$(jq -rs 'last | "\(.stage) \(.now) \(.fetched == .size)"' progress)" = 'back 2.5.0 true' ]
	[ "$(jq -r .stage "$WORK/stdout")" = back ]
}

@test "over MQTT" {
	image new.bin 2.5.0
	serve "--mqtt=$(free_port)"
	board one
	ready 1
	upgraded 'done' 0 --settle 10ms
}

@test "a board that never fetches" {
	image new.bin 2.5.0
	serve
	board one --fault upgrade-never
	ready 1
	upgraded 'never fetched' 3 --timeout 500ms
	[ "$(jq .fetched "$WORK/stdout")" = 0 ]
	# Not before its time is over, though it is gone.
	hints 'it did not begin to fetch within'
	[ "$(jq '.took_ms >= 500' "$WORK/stdout")" = true ]
}

@test "a board that dies at 60 %" {
	image new.bin 2.5.0 3000000
	serve
	board one --fault upgrade-dies
	ready 1
	upgraded 'fetched in part' 3
	[ "$(jq '.fetched > 0 and .fetched < .size' "$WORK/stdout")" = true ]
	hints 'back with version 2.4.2'
}

@test "a board that comes back with the old version" {
	image new.bin 2.5.0
	serve
	board one --fault upgrade-back
	ready 1
	upgraded 'old version' 7
	[ "$(jq -r .now "$WORK/stdout")" = 2.4.2 ]
}

@test "a board that restarts again and again" {
	image new.bin 2.5.0
	serve
	board one --fault upgrade-loops
	ready 1
	upgraded loop 7 --settle 1m
	hints 'again and again'
}

@test "a board that does not come back" {
	image new.bin 2.5.0
	serve
	# Without --reconnect it stays away.
	background one mcpctl sim --ota "$OTA"
	ready 1
	upgraded 'not seen' 4 --restart 500ms
	[ "$(jq '.fetched == .size' "$WORK/stdout")" = true ]
}

@test "the same version without a sum proves nothing" {
	image new.bin 2.4.2
	serve
	board one
	ready 1
	upgraded 'not seen' 4
	hints 'cannot be told'
}

# told JSON: the tool self.get_system_info of the board answers that.
told() {
	jq -n --arg text "$1" '{extends: "esp32", tools: [{name: "self.get_system_info",
		description: "Facts.", user_only: true, result: {template: $text}}]}' >told.json
}

@test "another chip: nothing is sent" {
	image new.bin 2.5.0 1000 5
	serve
	told '{"chip_model_name":"esp32s3","application":{"version":"2.4.2"}}'
	board one told.json
	ready 1
	upgraded unfit 2
	hints 'the image is for esp32c3, and the board is esp32s3'
	[ "$(jq .fetched "$WORK/stdout")" = 0 ]
}

@test "larger than the partition that is written next: nothing is sent" {
	image new.bin 2.5.0 100000
	serve
	told '{"chip_model_name":"esp32s3","application":{"version":"2.4.2"},"ota":{"label":"ota_0"},
		"partition_table":[{"label":"nvs","type":1,"subtype":2,"size":100},{"label":"ota_0","type":0,"subtype":16,"size":10},
		{"label":"ota_1","type":0,"subtype":17,"size":65536}]}'
	board one told.json
	ready 1
	upgraded unfit 2
	hints 'the partition for it 65536'
}

@test "larger than the partition that it told when it asked OTA: nothing is sent" {
	image new.bin 2.5.0 5000000
	serve
	board one --install
	ready 1
	upgraded unfit 2
	hints 'the partition for it 4128768'
	[ "$(jq .fetched "$WORK/stdout")" = 0 ]
	background by mcpctl -o json upgrade new.bin --by ota
	BY=$LAST
	finish "$BY" 2
	grep -q 'the partition for it 4128768' by.err
}

# by_ota NAME ARG…: that command in the background, once serve offers the image.
by_ota() {
	local name=$1
	shift
	background "$name" mcpctl -o json "$@" upgrade new.bin --by ota --settle "${SETTLE:-10ms}"
	BY=$LAST
	wait_for "$name.err" 'offered to each that asks OTA'
}

# by_ota_is NAME VERDICT STATUS
by_ota_is() {
	finish "$BY" "$3"
	[ "$(jq -r 'select(.verdict).verdict' "$1.out")" = "$2" ] || {
		cat "$1.out" "$1.err" >&2
		return 1
	}
}

@test "by OTA: offered at the next start, fetched, restarted, seen" {
	image new.bin 2.5.0
	serve
	board one --install
	ready 1
	by_ota by
	mcp call self.reboot
	by_ota_is by 'done' 0
	jq -e 'select(.verdict) | .before == "2.4.2" and .now == "2.5.0" and .fetched == .size' by.out
	# To be had once: the next start is an ordinary one.
	mcp call self.reboot
	ready 3
	mcp devices
	says 2.5.0
	absent '/download/' by.out by.err serve.out serve.err
}

@test "by OTA: --power-cycle restarts them by the power of the rack" {
	image new.bin 2.5.0
	printf '#!/bin/sh\necho "$*" >>rack.log\n[ ! -e broken ] || { echo "no outlet" >&2; exit 5; }\n' >rack
	chmod +x rack
	serve
	mcp upgrade new.bin --power-cycle
	ends 2
	hints "is for '--by ota'"
	mcp upgrade new.bin --by ota --power-cycle
	ends 2
	hints 'cannot switch power'
	mcp stop
	wait "$SERVER" || :
	serve --power-cmd "$WORK/rack {device}"
	board one --install --devices 2
	ready 2
	touch broken
	mcp -o json upgrade -d 02:00:00:00:00:02 new.bin --by ota --power-cycle --settle 10ms
	ends 3
	verdicts
	[ "$(jq -r .verdict "$WORK/stdout")" = busy ]
	jq -r .words "$WORK/stdout" | grep -q 'the power command ended with status 5: no outlet'
	rm broken rack.log
	mcp -o json --all upgrade new.bin --by ota --power-cycle --settle 10ms
	ends 0
	verdicts
	[ "$(jq -r '.verdict, .now' "$WORK/stdout" | xargs)" = 'done 2.5.0 done 2.5.0' ]
	[ "$(sort rack.log | xargs)" = '02:00:00:00:00:01 cycle 02:00:00:00:00:02 cycle' ]
}

@test "by OTA: a board that is not here yet, and one with a version that is newer" {
	image new.bin 2.0.0
	serve
	# A glob is not waited for, an id is.
	mcp -d '02:*' upgrade new.bin
	ends 3
	hints "no board that is here now fits '02:*'"
	hints 'with --by ota, -d ID means a board that comes later, too'
	mcp -d '02:*' upgrade new.bin --by ota
	ends 3
	by_ota by -d 02:00:00:00:00:07
	board one --install --device-id 02:00:00:00:00:07
	by_ota_is by 'done' 0
	[ "$(jq -r 'select(.verdict).now' by.out)" = 2.0.0 ]
}

@test "by OTA: several boards that are known, of which one is here" {
	image new.bin 2.5.0
	echo '{"kitchen":"02:00:00:00:00:01","hall":"02:00:00:00:00:07"}' >names.json
	serve --alias-file names.json
	board one --install
	ready 1
	mcp -d '02:*' upgrade new.bin --by ota
	ends 2
	hints "2 boards fit '02:*'"
	hints 'kitchen'
	hints 'hall'
	hints '--all takes all of them'
}

@test "by OTA: nobody starts; a board of another id is offered nothing" {
	image new.bin 2.5.0
	serve
	board other --install --device-id 02:00:00:00:00:08
	ready 1
	upgraded 'never fetched' 3 --by ota -d 02:00:00:00:00:07 --timeout 300ms
	hints 'did not ask OTA here within'
	absent installs other.out other.err
}

@test "by OTA: a board that dies at 60 %, and one that loops" {
	image new.bin 2.5.0 3000000
	serve
	by_ota dies -d 02:00:00:00:00:07
	board one --install --device-id 02:00:00:00:00:07 --fault upgrade-dies
	by_ota_is dies 'fetched in part' 3
	SETTLE=1m by_ota loops -d 02:00:00:00:00:08
	board two --install --device-id 02:00:00:00:00:08 --fault upgrade-loops
	by_ota_is loops loop 7
}

@test "by OTA: a version that boards do not survive is refused before anything is asked" {
	image new.bin v2.5.0
	mcp upgrade new.bin --by ota
	ends 2
	hints "the version 'v2.5.0' cannot be offered by OTA"
}

@test "a board that is leased to another gets no image; its holder may send one" {
	image new.bin 2.5.0
	serve
	board one --install
	ready 1
	mcp lease 02:00:00:00:00:01 --for 1h --as other
	ends 0
	export "${out#export }"
	local token=$MCPCTL_LEASE
	unset MCPCTL_LEASE
	upgraded busy 3
	hints 'leased by other'
	upgraded busy 3 --by ota
	hints 'leased by other'
	MCPCTL_LEASE=$token upgraded 'done' 0 --settle 10ms
}

# pack FILE [BYTES]: assets.
pack() { /usr/bin/python3 "$BATS_TEST_DIRNAME/assets.py" "$@"; }

# sent VERDICT STATUS ARG…: new.assets.
sent() {
	local COMMAND=(assets new.assets)
	upgraded "$@"
}

@test "assets: told, restarted, fetched before OTA is asked, back" {
	pack new.assets 3000000
	serve
	board one
	ready 1
	sent 'done' 0
	jq -e '.fetched == .size and .words == null and .stage == "back"' "$WORK/stdout"
	hints 'assets: 2 files'
	grep -q 'has its assets' one.err one.out
	# Once: the next start is an ordinary one.
	mcp call self.reboot
	ready 3
	[ "$(cat one.out one.err | grep -c 'has its assets')" = 1 ]
}

@test "assets --later: they wait for a restart by somebody" {
	pack new.assets
	serve
	board one
	ready 1
	background later mcpctl -o json assets new.assets --later
	LATER=$LAST
	wait_for later.err 'it fetches when it starts next'
	mcp call self.reboot
	finish "$LATER" 0
	[ "$(jq -r 'select(.verdict).verdict' later.out)" = 'done' ]
	sent 'never fetched' 3 --later --timeout 300ms
}

@test "assets: a board that dies at 60 %, one that never fetches, one that refuses" {
	pack new.assets 3000000
	serve
	board one --fault upgrade-dies
	ready 1
	sent 'fetched in part' 3
	kill "$LAST"
	wait "$LAST" || :
	board one --fault upgrade-never
	ready 3
	sent 'never fetched' 3
	hints 'it is there after it was told'
	kill "$LAST"
	wait "$LAST" || :
	echo '{"extends": "esp32", "tools": [{"name": "self.assets.set_download_url", "description": "No.", "user_only": true,
		"arguments": {"url": {"type": "string"}}, "result": {"error": "no partition"}}]}' >refuses.json
	board one refuses.json
	ready 5
	sent failed 1
	hints 'no partition'
}

@test "assets: files that are none, before anything is asked; larger than the partition" {
	pack new.assets 5000
	image firmware.bin 2.5.0
	head -c 3000 new.assets >cut.bin
	{ head -c 3000 new.assets && printf x && tail -c +3002 new.assets; } >damaged.bin
	printf 'not at all what it is' >other.bin
	: >empty.bin
	for case in 'cut.bin:it is cut: 3000 of' 'damaged.bin:it is damaged' 'firmware.bin:it is firmware' \
		'other.bin:no file of assets' 'empty.bin:empty' 'absent.bin:cannot read'; do
		mcp assets "${case%%:*}"
		ends 2
		hints "${case#*:}"
		[ -z "$out" ]
	done
	serve
	board one
	ready 1
	pack new.assets 9000000
	sent unfit 2
	hints 'the partition for them 8388608'
	mcp assets other.bin --force
	ends 0
	hints 'sent all the same'
}

@test "the very build that it runs: nothing is sent, unless forced" {
	image new.bin 2.5.0
	serve
	told "{\"chip_model_name\":\"esp32s3\",\"application\":{\"version\":\"2.5.0\",\"elf_sha256\":\"$(printf 2.5.0 | sha256sum | cut -d' ' -f1)\"}}"
	board one told.json
	ready 1
	upgraded same 0
	[ "$(jq .fetched "$WORK/stdout")" = 0 ]
	upgraded 'done' 0 --force --settle 10ms
	# Beside one that fails it is none of those that failed.
	board two --device-id 02:00:00:00:00:02 --fault upgrade-back
	ready 3
	mcp --all upgrade new.bin --settle 10ms
	ends 7
	hints '1 of 2 boards failed'
}

@test "files that are no such image, before anything is asked" {
	image new.bin 2.5.0
	head -c 5000 new.bin >cut.bin
	{ head -c 3000 new.bin && printf x && tail -c +3002 new.bin; } >damaged.bin
	{ head -c 32768 /dev/zero | tr '\0' '\377' && printf '\252\120' && cat new.bin; } >merged.bin
	printf '\177ELF................' >elf.bin
	: >empty.bin
	for case in 'cut.bin:it is cut' 'damaged.bin:it is damaged' 'merged.bin:merged image' 'elf.bin:ELF' \
		'empty.bin:empty' 'absent.bin:cannot read'; do
		mcp upgrade "${case%%:*}"
		ends 2
		hints "${case#*:}"
		[ -z "$out" ]
	done
}

@test "no serve, no board, another target, more than one board" {
	image new.bin 2.5.0
	mcp upgrade new.bin
	ends 3
	hints 'no serve is running'
	mcp sim: upgrade new.bin
	ends 2
	serve
	mcp upgrade new.bin
	ends 3
	hints 'none is there'
	for by in tool ota; do
		mcp --all upgrade new.bin --by "$by" --then 'touch ran'
		ends 3
		hints 'none is there'
		hints "'mcpctl devices' lists who is here"
		[ -z "$out" ]
	done
	mcp -o json --all upgrade new.bin
	ends 3
	jq -e '.error.status == 3' <<<"${err##*$'\n'}"
	[ ! -e ran ]
	background two mcpctl sim --ota "$OTA" --reconnect --devices 2
	ready 2
	mcp upgrade new.bin
	[ "$status" != 0 ]
	hints '02:00:00:00:00:02'
	absent 'fetch' two.out
}

two_are_there() { [ "$(mcpctl devices -q | wc -l)" = 2 ]; }

@test "a server that is kept open is no board that a file is for" {
	image new.bin 2.5.0
	serve --open "stdio:/usr/bin/python3 '$ROOT/tests/cli/asking_server.py'"
	board one --install
	ready 1
	until_true two_are_there
	upgraded 'done' 0 --settle 10ms
	image new.bin 2.6.0
	mcp --all -o json upgrade new.bin --settle 10ms
	ends 0
	verdicts
	[ "$(jq -r .device.id "$WORK/stdout")" = 02:00:00:00:00:01 ]
}

@test "--all: a verdict for each, the highest status; --then only when all went well" {
	image new.bin 2.5.0
	serve
	background rack mcpctl sim --ota "$OTA" --reconnect --devices 5 --fault 3:upgrade-back
	ready 5
	mcp --all -o json upgrade new.bin --settle 10ms --then 'touch ran; exit 9'
	ends 7
	[ "$(jq -rs 'map(select(.verdict == "done")) | length' "$WORK/stdout")" = 4 ]
	hints '1 of 5 boards failed'
	[ "$(jq -rs 'map(select(.verdict == "old version")) | .[].device.id' "$WORK/stdout")" = 02:00:00:00:00:03 ]
	[ ! -e ran ]
	image new.bin 2.6.0
	mcp -d '*:01' upgrade new.bin --settle 10ms --then 'touch ran; exit 9'
	ends 9
	[ -e ran ]
}

@test "--all: no more questions to serve at once than it has room for" {
	image new.bin 2.5.0
	serve
	background rack mcpctl sim --ota "$OTA" --reconnect --devices 150
	ready 150
	# It takes 512 commands; 135 more may come.
	background others /usr/bin/python3 -c '
import signal, socket, sys
all = []
for _ in range(377):
    all.append(socket.socket(socket.AF_UNIX))
    all[-1].connect(sys.argv[1])
print("here", flush=True)
signal.pause()' "$WORK/run/mcpctl/serve.sock"
	wait_for others.out here
	mcp --all -o json upgrade new.bin --settle 10ms
	ends 0
	[ "$(jq -rs 'map(select(.verdict == "done")) | length' "$WORK/stdout")" = 150 ]
}

second_is_busy() {
	mcp -o json upgrade new.bin --timeout 300ms
	# shellcheck disable=SC2031 # each test has its own
	[ "$status" = 3 ] && [ "$(jq -r .verdict "$WORK/stdout")" = busy ]
}

@test "two at once at one board: the second is refused" {
	image new.bin 2.5.0
	serve "--mqtt=$(free_port)"
	board one --fault upgrade-never
	ready 1
	background first mcpctl -o json upgrade new.bin
	FIRST=$LAST
	wait_for one.err 'called: self.upgrade_firmware'
	until_true second_is_busy
	kill -INT "$FIRST"
	finish "$FIRST" 130
	grep -q 'goes on by itself' first.err
	# Its address is void, and another may begin.
	upgraded 'never fetched' 3 --timeout 300ms
	grep -q 'did not begin to fetch within 300 ms' stdout
}

@test "a board that restarts for another command's file is away, and that is said" {
	image new.bin 2.5.0
	serve
	# Without --reconnect it stays away.
	background one mcpctl sim --ota "$OTA"
	ready 1
	background first mcpctl -o json upgrade new.bin --restart 1m
	FIRST=$LAST
	event gone
	for words in "" "-d *:01" "-d 02:00:00:00:00:01"; do
		# shellcheck disable=SC2086 # words
		mcp $words upgrade new.bin
		ends 3
		hints "'02:00:00:00:00:01' is away: another command has sent it a file"
	done
	mcp -d kitchen upgrade new.bin
	ends 3
	[[ $err != *"another command"* ]]
	kill -INT "$FIRST"
	finish "$FIRST" 130
}


# fetcher: a board of its own that is told an address, and asks for it in odd ways.
fetcher() {
	cat >fetcher.py <<END
import asyncio, json, re, sockets, sys, urllib.error, urllib.request

def get(url, method="GET", **headers):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, method=method, headers=headers)) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.headers, refused.read()

def ask(url):
    whole = open("new.bin", "rb").read()
    status, headers, body = get(url, "HEAD")
    assert (status, body) == (200, b"") and headers["Content-Length"] == str(len(whole)), headers
    assert get(url, Range="bytes=%d-" % len(whole))[0] == 416
    assert get(url, "POST")[0] == 405
    assert get(url[:-5])[0] == 404 and get(url.replace("download/", "download/0"))[0] == 404
    half = len(whole) // 2
    status, headers, first = get(url, Range="bytes=0-%d" % (half - 1))
    assert status == 206 and headers["Content-Range"] == "bytes 0-%d/%d" % (half - 1, len(whole))
    status, headers, rest = get(url, Range="bytes=%d-" % half)
    assert status == 206 and first + rest == whole
    print("asked", url, flush=True)

async def main():
    async with sockets.dial("ws://127.0.0.1:$PORT/x", {"Device-Id": "aa:aa:aa:aa:aa:aa"}) as ws:
        await ws.send(json.dumps({"type": "hello", "version": 1, "features": {"mcp": True}, "transport": "websocket"}))
        while True:
            text = json.loads(await ws.recv())
            if text["type"] != "mcp" or "id" not in text["payload"]:
                continue
            call, result = text["payload"], {}
            if call["method"] == "initialize":
                result = {"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}, "serverInfo": {"name": "b", "version": "1"}}
            elif call["method"] == "tools/list":
                result = {"tools": [{"name": "self.upgrade_firmware", "inputSchema": {"type": "object", "properties": {}}}]}
            elif call["params"]["name"] == "self.upgrade_firmware":
                await asyncio.to_thread(ask, call["params"]["arguments"]["url"])
                result = {"content": [{"type": "text", "text": "true"}], "isError": False}
            await ws.send(json.dumps({"type": "mcp", "payload": {"jsonrpc": "2.0", "id": call["id"], "result": result}}))

asyncio.run(main())
END
	background fetcher env "PYTHONPATH=$BATS_TEST_DIRNAME" /usr/bin/python3 fetcher.py
}

@test "ranges, HEAD, and what is refused; the address ends with the command" {
	image new.bin 2.5.0
	serve
	fetcher
	ready 1
	upgraded failed 1
	hints 'after a failure only; it had'
	hints 'nothing was compared'
	[ "$(jq '.fetched == .size' "$WORK/stdout")" = true ]
	url=$(wait_for fetcher.out '^asked ' | sed 's/asked //')
	[ "$(/usr/bin/python3 -c 'import sys, urllib.error, urllib.request
try:
    urllib.request.urlopen(sys.argv[1])
except urllib.error.HTTPError as refused:
    print(refused.code)' "$url")" = 404 ]
}
