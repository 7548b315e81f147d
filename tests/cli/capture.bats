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
	mcp capture show talk.jsonl --from 25:00
	ends 2
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

@test "mask: secrets by name, told loudly where they stand; others in the place of ids" {
	{
		echo '{"capture":1,"made":"2026-11-22T10:02:11.400Z","as":"proxy"}'
		put '"n":1,"t":0,"c":1,"leg":"ota","from":"device","kind":"request","head":["POST / HTTP/1.1","Authorization: Bearer hush-1","Device-Id: aa:bb:cc:dd:ee:ff"],"text":"{}"'
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
	# Masked is masked: the names stay what they are.
	mcp capture mask masked.jsonl
	diff <(tail -n +2 masked.jsonl) <(tail -n +2 stdout)
	mcpctl capture mask masked.jsonl >/dev/full 2>err && return 1
	grep -q 'No space' err
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
