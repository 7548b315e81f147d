#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# capture: recordings shown, masked, joined.

load helper

# line PATTERN: a line of stdout fits.
line() {
	grep -q -- "$1" stdout
}

# put MEMBERS…: a line of a capture on stdout.
put() {
	printf '{%s}\n' "$*"
}

header='{"capture":1,"made":"2026-11-22T10:02:11.400Z","as":"proxy","clock":"us","masked":true}'

# A conversation in talk.jsonl.
talk() {
	{
		echo "$header"
		put '"n":1,"t":12000,"c":2,"leg":"ws","from":"device","kind":"open","head":["GET /xiaozhi/v1/ HTTP/1.1"]'
		put '"n":2,"t":12001,"c":2,"kind":"device","device":"kitchen","board":"kevin-box-2","version":"2.2.6"'
		put '"n":3,"t":15000,"c":2,"leg":"ws","from":"backend","kind":"text","size":9,"text":"{\"type\":\"mcp\",\"payload\":{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"self.light.set_rgb\",\"arguments\":{\"r\":\"255\"}}}}"'
		put '"n":4,"t":15500,"c":2,"kind":"finding","finding":{"code":"B214","severity":"warning","title":"a request id is used again","detail":"id 1"}'
		put '"n":5,"t":16000,"c":2,"leg":"ws","from":"device","kind":"binary","size":90'
		put '"n":6,"t":30000,"c":2,"leg":"ws","from":"device","kind":"text","size":9,"text":"{\"type\":\"mcp\",\"payload\":{\"id\":1,\"error\":{\"message\":\"Missing valid argument: r\"}}}"'
		put '"n":7,"t":31000000,"c":2,"leg":"ws","from":"device","kind":"end","how":"close","code":1000'
	} >talk.jsonl
}

@test "show: who, direction, what, how long; findings under their line" {
	talk
	TZ=UTC mcp capture show talk.jsonl
	ends 0
	line '^10:02:11.412 .*ws begins GET /xiaozhi/v1/'
	line '^10:02:11.412 kitchen .*is kitchen, kevin-box-2 2.2.6'
	line '^10:02:11.415 kitchen  < call #1 self.light.set_rgb {"r":"255"}$'
	line '^ *! B214 warning  a request id is used again: id 1$'
	line '^10:02:11.430 kitchen  > error #1 Missing valid argument: r *15 ms$'
	line '^10:02:42.400 kitchen  > ended by Close 1000$'
	absent '90 B' stdout
	TZ=UTC mcp -v capture show talk.jsonl
	line 'ws binary 90 B'
	TZ=UTC mcp -vv capture show talk.jsonl
	line '^    {"type":"mcp","payload":{"id":1,"error"'
}

@test "show: by word, device and time; what is left as a capture; nothing is status 7" {
	talk
	mcp capture show talk.jsonl --filter SELF.LIGHT
	ends 0
	[ "$(wc -l <stdout)" = 2 ]
	says B214
	# How long it took is known, though its question is not shown.
	mcp capture show talk.jsonl --filter missing
	line '15 ms$'
	mcp capture show talk.jsonl --from 1s
	[ "$(wc -l <stdout)" = 1 ]
	TZ=UTC mcp capture show talk.jsonl --from 10:02:42 --to 10:03
	[ "$(wc -l <stdout)" = 1 ]
	TZ=UTC mcp capture show talk.jsonl --to 10:02:12
	[ "$(wc -l <stdout)" = 5 ]
	mcp -d 'kit*' capture show talk.jsonl
	[ "$(wc -l <stdout)" = 5 ]
	mcp -d cellar capture show talk.jsonl
	ends 7
	hints 'no event fits'
	mcp -o json capture show talk.jsonl --filter missing
	ends 0
	jq -es 'length == 2 and .[0].capture == 1 and .[1].t == 30000 and .[1].c == 2' stdout
	mcp capture show talk.jsonl --from yesterday
	ends 2
	for when in 25:00 24:00 10:60 10:02:61 10:02x; do
		mcp capture show talk.jsonl --from "$when"
		ends 2
		hints "'$when' is no time"
	done
}

# shown WORDS…: how many lines of talk.jsonl are shown so.
shown() {
	TZ=UTC mcp capture show talk.jsonl "$@"
	wc -l <stdout
}

@test "show: both ends of a time belong to it, a word may stand anywhere" {
	talk
	[ "$(shown)" = 6 ]
	[ "$(shown --from 31s)" = 1 ]
	[ "$(shown --to 31s)" = 6 ]
	[ "$(shown --from 30ms)" = 2 ]
	[ "$(shown --to 29ms)" = 4 ]
	[ "$(shown --from 10:02:42.400)" = 1 ]
	[ "$(shown --to 10:02:42.399)" = 5 ]
	[ "$(shown --from 0:00 --to 21:59)" = 6 ]
	[ "$(shown --filter sing)" = 1 ]
	[ "$(shown --filter 'R"}}}')" = 1 ]
	[ "$(shown --filter 'r"}}}}')" = 0 ]
	[ "$(shown --filter xiaozhi/)" = 1 ]
	[ "$(shown --filter END)" = 1 ]
	mcp -o json capture show talk.jsonl --from 31s
	jq -es 'length == 2 and (.[0] | .as == "proxy" and .made == "2026-11-22T10:02:11.400Z")' stdout
	# Past midnight a time of day is that of the next day.
	{
		echo "${header/T10:02:11.400Z/T23:59:30.000Z}"
		put '"n":1,"t":0,"c":2,"leg":"ws","from":"device","kind":"open"'
		put '"n":2,"t":60000000,"c":2,"leg":"ws","from":"device","kind":"end"'
	} >talk.jsonl
	[ "$(shown --from 0:00)" = 1 ]
	line '^00:00:30.000 '
	[ "$(shown --to 0:00)" = 1 ]
	echo "$header" >talk.jsonl
	mcp capture show talk.jsonl
	ends 7
	hints "nothing in 'talk.jsonl' is to be shown"
	absent 'no event fits' stderr
}

@test "each verb takes so many files, and its own options" {
	talk
	mcp capture show talk.jsonl talk.jsonl
	ends 2
	hints 'capture show takes one file'
	mcp capture pcap
	ends 2
	hints 'capture pcap takes one file'
	mcp capture mask talk.jsonl talk.jsonl
	ends 2
	hints 'capture mask takes one file'
	hints 'goes to stdout: capture mask FILE >OTHER'
	mcp capture diff talk.jsonl
	ends 2
	hints 'capture diff takes two files'
	mcp capture diff talk.jsonl talk.jsonl talk.jsonl
	ends 2
	hints 'capture diff takes two files'
	mcp capture join talk.jsonl
	ends 2
	hints 'capture join takes two files or more'
	mcp capture join talk.jsonl talk.jsonl talk.jsonl
	ends 0
	mcp capture show talk.jsonl --ignore /a
	ends 2
	hints "option '--ignore' is not for capture show"
	mcp capture diff talk.jsonl talk.jsonl --anonymise
	ends 2
	hints "option '--anonymise' is not for capture diff"
	mcp capture pcap talk.jsonl --from 1s
	ends 2
	hints "option '--from' is not for capture pcap"
	mcp capture join talk.jsonl talk.jsonl --to 1s
	ends 2
	hints "option '--to' is not for capture join"
	mcp capture diff talk.jsonl talk.jsonl --ignore a
	ends 2
	mcp --jq . capture pcap talk.jsonl
	ends 2
	hints 'pcapng is none'
	{
		echo "$header"
		put '"n":1,"t":0,"c":1,"leg":"ws","from":"device","kind":"text","device":"aa:bb","text":"{}"'
	} >one.jsonl
	mcp -d aa:bb capture diff one.jsonl one.jsonl
	ends 0
	mcp -d nobody capture diff one.jsonl one.jsonl
	ends 7
	hints "'one.jsonl' has no messages of nobody"
}

@test "packed, piped, cut and old files are read" {
	talk
	TZ=UTC mcp capture show talk.jsonl
	cp stdout whole
	gzip -k talk.jsonl
	zstd -q talk.jsonl
	for file in talk.jsonl.gz talk.jsonl.zst; do
		TZ=UTC mcp capture show "$file"
		ends 0
		diff whole stdout
	done
	TZ=UTC mcpctl capture show - <talk.jsonl | diff whole -
	head -c -9 talk.jsonl >cut.jsonl
	mcp capture show cut.jsonl
	ends 0
	hints "'cut.jsonl' ends too early"
	[ "$(wc -l <stdout)" = 5 ]
	head -c 200 talk.jsonl.gz >cut.gz
	mcp capture show cut.gz
	hints "cut.gz"
	printf '%s\n' '{"t":0,"dir":"in","kind":"ready","size":9,"text":"127.0.0.1"}' \
		'{"t":5,"dir":"out","kind":"text","size":9,"text":"{\"id\":1,\"method\":\"initialize\"}"}' >old.jsonl
	mcp capture show old.jsonl
	ends 0
	line '^[+]0.000 .*ws begins 127.0.0.1'
	line '#1 *< initialize #1'
}

@test "a foreign file, a newer version, broken lines: what and where" {
	mcp capture show /etc/passwd
	ends 2
	hints "'/etc/passwd' is no capture: line 1 is no JSON"
	echo '{"capture":2,"program":"mcpctl 9"}' >new.jsonl
	mcp capture show new.jsonl
	ends 2
	hints 'version 2'
	hints 'mcpctl 9'
	{ echo "$header"; echo '{"t":1,"kind":"text","text":"{}"}'; echo nonsense; } >broken.jsonl
	mcp capture show broken.jsonl
	ends 2
	hints "'broken.jsonl', line 3"
	: >empty.jsonl
	mcp capture show empty.jsonl
	ends 2
	hints 'empty'
	mcp capture show nothing.jsonl
	ends 2
	hints nothing.jsonl
	mcp capture show .
	ends 2
	mcp capture look new.jsonl
	ends 2
	hints 'show, diff, pcap, mask, join'
	mcp capture show
	ends 2
	mcp capture join new.jsonl
	ends 2
	mcp capture mask new.jsonl --filter x
	ends 2
	hints '--filter'
}

@test "a narrow terminal: what was changed is told to its end" {
	{
		echo '{"capture":1,"made":"2026-11-22T10:02:11.400Z","as":"proxy","masked":true}'
		put '"n":1,"t":0,"c":1,"leg":"ota","kind":"notice","device":"aa:bb:cc:dd:ee:ff","text":"websocket.url: ws://10.0.0.1:8000/xiaozhi/v1/ -> ws://10.0.0.2:8000/xiaozhi/v1/"'
	} >changed.jsonl
	NO_COLOR=1 "$BATS_TEST_DIRNAME/in_terminal.py" 80 24 mcpctl --no-pager capture show changed.jsonl | tr -d '\r' >shown
	grep 'ws://10.0.0.2:8000/xiaozhi/v1/' shown
	[ "$(awk '{ if (length > most) most = length } END { print most }' shown)" -le 80 ]
}

@test "whose a connection is stays, though only its own events tell it" {
	{
		echo '{"capture":1,"made":"2026-11-22T10:02:11.400Z","as":"proxy","masked":true}'
		put '"n":1,"t":0,"c":1,"leg":"ws","from":"device","kind":"open","device":"aa:bb"'
		put '"n":2,"t":1,"c":1,"leg":"ws","from":"device","kind":"text","device":"aa:bb","text":"{\"type\":\"hello\"}"'
	} >named.jsonl
	for how in "mask named.jsonl" "join named.jsonl named.jsonl" "-o json show named.jsonl"; do
		# shellcheck disable=SC2086 # words
		mcp capture $how
		ends 0
		cp stdout other.jsonl
		mcp capture show -d 'aa*' other.jsonl
		ends 0
		grep 'aa:bb *> ws begins' stdout
		grep 'aa:bb *> hello' stdout
	done
	mcp capture mask --anonymise named.jsonl
	ends 0
}

@test "mask: secrets by name, told loudly where they stand; others in the place of ids" {
	{
		echo '{"capture":1,"made":"2026-11-22T10:02:11.400Z","as":"proxy"}'
		put '"n":1,"t":0,"c":1,"leg":"ota","from":"device","kind":"request","head":["POST / HTTP/1.1","Authorization: Bearer hush-1","Device-Id: aa:bb:cc:dd:ee:ff","Mcp-Session-Id: eyJh.deadbeef","Referer: /messages?sessionId=Zq.deadbeef&v=7"],"text":"{}"'
		put '"n":2,"t":1,"c":1,"leg":"ota","from":"backend","kind":"response","status":200,"text":"{\"websocket\":{\"token\":\"hush-2\"},\"token\":\"hush-1\",\"session_id\":\"deadbeef\",\"mac\":\"aa_bb_cc_dd_ee_ff\"}"'
	} >open.jsonl
	mcp capture show open.jsonl
	ends 0
	hints 'WARNING'
	absent hush stdout stderr
	mcp capture mask open.jsonl
	ends 0
	absent hush stdout
	jq -es '.[0].masked and .[1].t == 0' stdout
	grep -q 'Bearer \*\*\*1' stdout
	grep -q 'token.*\*\*\*2.*token.*\*\*\*1.*deadbeef' stdout
	hints '2 secrets masked'
	cp stdout masked.jsonl
	mcp capture mask --anonymise masked.jsonl
	absent 'deadbeef\|aa:bb:cc\|aa_bb' stdout
	grep -q 'Device-Id: 02:00:00:00:00:01' stdout
	grep -q '02_00_00_00_00_01' stdout
	grep -q 'session-1' stdout
	grep -q 'Mcp-Session-Id: session-[0-9]' stdout
	grep -q '?sessionId=session-[0-9]*&v=7' stdout
	# Masked is masked: the names stay what they are.
	mcp capture mask masked.jsonl
	diff <(tail -n +2 masked.jsonl) <(tail -n +2 stdout)
	mcpctl capture mask masked.jsonl >/dev/full 2>err && return 1
	grep -q 'No space' err
	for how in mask show; do
		mcpctl -o json capture $how masked.jsonl >/dev/full 2>err && return 1
		[ "$(grep -c error err)" = 1 ]
		grep -q 'No space' err
	done
}

@test "mask: kinds that are not known are left out; who stood behind is hidden, too" {
	{
		echo '{"capture":1,"made":"2026-11-22T10:02:11.400Z","as":"proxy","upstream":"ws://h/?session=abc","masked":true}'
		put '"n":1,"t":0,"c":1,"kind":"dream"'
		put '"n":2,"t":1,"c":1,"leg":"ws","from":"device","kind":"text","text":"{}"'
	} >odd.jsonl
	mcp capture mask odd.jsonl
	ends 0
	hints '1 event of kinds that this mcpctl does not know is left out'
	hints '0 secrets masked'
	jq -es 'length == 2 and (.[0] | .as == "proxy" and .upstream == "ws://h/?session=abc")' stdout
	put '"n":3,"t":2,"c":1,"kind":"dream"' >>odd.jsonl
	mcp capture mask --anonymise odd.jsonl
	ends 0
	hints '2 events of kinds that this mcpctl does not know are left out'
	jq -es '.[0].upstream == "ws://h/?session=session-1"' stdout
	mcp clone odd.jsonl
	ends 7
	hints "'odd.jsonl' has no answer of a device in it"
	{
		echo '{"capture":1,"masked":true}'
		put '"n":1,"t":0,"c":1,"leg":"ws","from":"device","kind":"text","text":"{}"'
	} >odd.jsonl
	mcp capture show odd.jsonl --from 10:00
	ends 2
	hints "'odd.jsonl' does not say when it was made"
	echo '{"capture":1,"masked":true}' >odd.jsonl
	mcp clone odd.jsonl
	ends 7
	hints "'odd.jsonl' has no device in it"
}

@test "join: by time, connections and secrets of each apart" {
	{
		echo '{"capture":1,"made":"2026-11-22T10:00:01.000Z","masked":true}'
		put '"n":1,"t":0,"c":1,"leg":"ws","from":"device","kind":"text","text":"{\"token\":\"***1\",\"at\":\"b\"}"'
		put '"n":2,"t":2000000,"c":1,"leg":"ws","from":"device","kind":"text","text":"d"'
	} >b.jsonl
	{
		echo '{"capture":1,"made":"2026-11-22T10:00:00.000Z","masked":true}'
		put '"n":1,"t":5,"c":1,"leg":"ws","from":"device","kind":"text","text":"{\"token\":\"***1\",\"at\":\"a\"}"'
		put '"n":2,"t":2000000,"c":1,"leg":"ws","from":"device","kind":"text","text":"c"'
	} >a.jsonl
	mcp capture join b.jsonl a.jsonl
	ends 0
	jq -es '.[0].as == "join" and .[0].made == "2026-11-22T10:00:00.000Z"' stdout
	jq -es '[.[1:][].t] == [5, 1000000, 2000000, 3000000]' stdout
	jq -es '[.[1:][].c] == [1, 2, 1, 2]' stdout
	jq -es '.[1].text | contains("***1")' stdout
	jq -es '.[2].text | contains("***2")' stdout
	echo '{"t":0,"dir":"in","kind":"ready","size":0,"text":""}' >old.jsonl
	mcp capture join a.jsonl old.jsonl
	ends 2
	hints "'old.jsonl' does not say when"
}

@test "a full disk while recording: said once, the work goes on, status 8" {
	(
		trap '' XFSZ
		ulimit -f 1
		mcp --trace full.jsonl sim: call self.audio_speaker.set_volume volume=5
		ends 8
		says true
		[ "$(grep -c 'the work goes on' stderr)" = 1 ]
		hints 'lost'
	)
	mcp capture show full.jsonl
	ends 0
}

@test "how a connection ended stands in the capture: Close and its code, FIN, RST" {
	background serve mcpctl -o json --trace serve.cap serve --listen 127.0.0.1:0
	SERVER=$LAST
	OTA=http://127.0.0.1:$(wait_for serve.out '"event":"listening"' | grep -oE '127.0.0.1:[0-9]+' | head -n 1 | cut -d: -f2)/xiaozhi/ota/
	background one mcpctl --trace one.cap sim --ota "$OTA" --device-id 02:00:00:00:00:01
	background two mcpctl --trace two.cap sim --ota "$OTA" --device-id 02:00:00:00:00:02
	TWO=$LAST
	wait_for serve.out '"event":"ready".*02:00:00:00:00:01'
	wait_for serve.out '"event":"ready".*02:00:00:00:00:02'
	kill -INT "$TWO"
	wait_for serve.cap '"from":"device","kind":"end","how":"fin"'
	kill -INT "$SERVER"
	finish "$SERVER" 130
	wait_for one.cap '"from":"backend","kind":"end","how":"close","code":1000'
	# serve ended the other one itself.
	grep -q '"from":"backend","kind":"end","how":"close","code":1000' serve.cap
}

# again SECOND: a board that dials in, says hello, and dials in once more without
# ending the first; says how the second one leaves: "fin" or "rst".
again() {
	cat >again.py <<'END'
import base64, os, socket, struct, sys

def dial():
    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    s.sendall(("GET /xiaozhi/v1/ HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
               "Sec-WebSocket-Key: %s\r\nSec-WebSocket-Version: 13\r\nProtocol-Version: 1\r\n"
               "Device-Id: 02:00:00:00:00:01\r\n\r\n" % base64.b64encode(os.urandom(16)).decode()).encode())
    say(s, '{"type":"hello","version":1,"features":{"mcp":true},"transport":"websocket"}')
    return s

def say(s, text):
    s.sendall(bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text.encode())

def hears(s, word):
    data = b""
    while word not in data:
        more = s.recv(65536)
        if not more:
            sys.exit("ended before " + repr(word))
        data += more

first = dial()
hears(first, b"initialize")
second = dial()
hears(second, b"initialize")
while first.recv(65536):
    pass
say(second, '{"type":"listen","state":"start"}')
print("said", flush=True)
sys.stdin.readline()
if sys.argv[2] == "rst":
    second.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
second.close()
END
	mkfifo go
	/usr/bin/python3 again.py "$PORT" "$1" <go >again.out &
	exec 9>go
	wait_for again.out said
}

@test "a board that dials in again: each connection has its own end, RST too" {
	background serve mcpctl -o json --trace serve.cap serve --listen 127.0.0.1:0
	PORT=$(wait_for serve.out '"event":"listening"' | grep -oE '127.0.0.1:[0-9]+' | head -n 1 | cut -d: -f2)
	again rst
	wait_for serve.cap '"type\\":\\"listen'
	echo >&9
	exec 9>&-
	wait_for serve.cap '"kind":"end","how":"rst"'
	jq -es 'map(select(.kind == "open").c) == [1, 2]
		and (map(select(.kind == "end")) | map([.c, .from]) == [[1, "backend"], [2, "device"]])
		and (map(select((.text // "") | contains("listen")).c) == [2])' serve.cap
}

@test "how a program ended stands in the capture" {
	mcp --trace p.cap tools -- sh -c 'read a; exit 104'
	ends 3
	jq -es '.[-1] | .kind == "end" and .from == "device" and .how == "fin" and (.text | contains("status 104"))' p.cap
}

@test "a time that is none says how one is written" {
	mcp --trace p.cap sim: tools
	for when in abc 10:x 1.y; do
		mcp capture show p.cap --to "$when"
		ends 2
		hints "'$when' is no time: 10s since the start, or 10:02:31"
	done
}

@test "heads of HTTP stand in the captures of sim and check, secrets masked" {
	background serve mcpctl -o json serve --listen 127.0.0.1:0
	OTA=http://127.0.0.1:$(wait_for serve.out '"event":"listening"' | grep -oE '127.0.0.1:[0-9]+' | head -n 1 | cut -d: -f2)/xiaozhi/ota/
	background board mcpctl --trace board.cap sim --ota "$OTA" --device-id 02:00:00:00:00:01
	wait_for serve.out '"event":"ready"'
	mcp call self.camera.take_photo question=what
	ends 0
	jq -es 'map(select(.leg == "ota")) | .[0].head[0] == "POST /xiaozhi/ota/ HTTP/1.1"
		and (.[0].text | fromjson | has("version")) and .[1].status == 200
		and (.[1].head | length > 2)' board.cap
	# That of the upgrade stands at the beginning of the WebSocket.
	jq -es 'map(select(.leg == "ws" and .kind == "open")) | length == 1 and (.[0]
		| .head[0] == "GET /xiaozhi/v1/ HTTP/1.1" and (.head | any(. == "Device-Id: 02:00:00:00:00:01"))
		and (has("text") | not))' board.cap
	# A picture is large, and may show somebody.
	jq -es 'map(select(.leg == "vision")) | .[0].kind == "request" and .[0].cut == 0
		and .[0].size > 1000 and (.[0].head | any(. == "Authorization: Bearer ***1"))
		and .[1].kind == "response" and .[1].status == 200' board.cap
	run mcpctl --trace check.cap check ota "$OTA"
	jq -es 'map(select(.leg == "ota")) | .[0].head[0] == "POST /xiaozhi/ota/ HTTP/1.1"
		and .[1].status == 200' check.cap
	run mcpctl --trace vision.cap check vision "${OTA%xiaozhi/ota/}vision/explain"
	jq -es 'map(select(.leg == "vision")) | .[0].head[0] == "POST /vision/explain HTTP/1.1"
		and .[1].status == 401' vision.cap
	mcp capture show board.cap
	ends 0
	says '> POST /vision/explain HTTP/1.1'
	mcp capture pcap board.cap
	ends 0
	# What reached nobody was not asked.
	mcp --trace none.cap check ota "http://127.0.0.1:$(free_port)/xiaozhi/ota/"
	ends 3
	grep -q N102 none.cap
	absent '"kind":"request"' none.cap
}

@test "what is made of a capture with secrets, or of a cut one, comes with a word" {
	local what
	mcp --trace whole.cap sim: tools
	ends 0
	sed '1s/"masked":true/"masked":false/' whole.cap >open.cap
	head -c $(($(stat -c %s open.cap) - 9)) open.cap >cut.cap
	mcp check open.cap
	hints "WARNING: 'open.cap' holds secrets as they were"
	for what in open.cap cut.cap; do
		mcp capture diff whole.cap $what
		hints "WARNING: '$what' holds secrets as they were"
	done
	hints "'cut.cap' ends too early"
	mcp sim: replay cut.cap --speed max
	hints "WARNING: 'cut.cap' holds secrets as they were"
	hints "'cut.cap' ends too early: read up to there"
	for what in 'capture pcap' 'capture show' clone; do
		# shellcheck disable=SC2086 # words
		mcp $what cut.cap
		ends 0
		hints "WARNING: 'cut.cap' holds secrets as they were"
		hints "'cut.cap' ends too early: read up to there"
	done
}

@test "of what is above 64 kB the beginning alone is there: not judged, not compared, not cloned, and said" {
	local huge='sim:?fault=huge=70000'
	mcp --trace g.cap "$huge" call self.get_device_status
	ends 0
	mcp check g.cap
	ends 0
	grep -q '^lost  *odd  *of 1 message above 64 kB' stdout
	mcp "$huge" replay g.cap
	ends 0
	hints 'of 1 message above 64 kB the beginning alone'
	mcp clone g.cap
	ends 0
	hints 'of 1 message above 64 kB the beginning alone'
	jq -e '.notes[] | select(test("^1 messages above 64 kB"))' stdout
	mv stdout g.json
	mcp sim:./g.json call self.get_device_status
	ends 1
	hints 'not recorded'
}
