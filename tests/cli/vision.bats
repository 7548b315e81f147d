#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What a board asks serve's port over HTTP: OTA, activation, pictures; curl is
# the board.

# shellcheck disable=SC2016 # for the shell of --vision-exec
load helper

jpeg() { # a picture of 2x2
	base64 -d >photo.jpg <<'END'
/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////
////////////////////////////////////////////wAALCAACAAIBAREA/8QAFAABAAAAAAAA
AAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AN//Z
END
}

@test "OTA: a WebSocket address, the time, and nothing that traps a board" {
	serve
	reply=$(curl -s -H 'Device-Id: aa:bb:cc:dd:ee:ff' -H 'Client-Id: x' -d '{"version":2}' "$OTA")
	jq -e '.websocket.url | startswith("ws://127.0.0.1:")' <<<"$reply"
	jq -e '.server_time.timestamp > 1700000000000 and (.server_time.timezone_offset | type) == "number"' <<<"$reply"
	jq -e 'has("mqtt") or has("firmware") or has("activation") | not' <<<"$reply"
	event ota aa:bb:cc:dd:ee:ff
	curl -sf -d '{}' -H 'Device-Id: aa:bb:cc:dd:ee:ff' "${OTA%/}" | grep -q websocket
	curl -sf -d '{}' "$OTA" | grep -q websocket
	event ota Device-Id
	curl -sf -d '{}' -H 'Device-Id: x' "${OTA}activate" | grep -q '{'
	event activate
	[ "$(curl -s -o /dev/null -w '%{http_code}' -d '{}' -H 'Device-Id: x' "http://127.0.0.1:$PORT/nowhere")" = 404 ]
	event refused nowhere
}

@test "a board goes the whole way from OTA" {
	serve
	background board mcpctl sim --ota "$OTA"
	event ready
	mcp call self.get_device_status
	ends 0
}

@test "the page tells strangers of no board" {
	serve
	device board --device-id '02:00:00:00:00:01'
	event ready
	curl -s "http://127.0.0.1:$PORT/" >page.html
	absent '02:00:00:00:00:01' page.html
	grep -q '/xiaozhi/ota/' page.html
	absent '<script' page.html
	event browser
}

@test "a picture: chunked, fields in either order, saved, described" {
	serve --save-images "$WORK/pictures"
	token
	jpeg
	explain=http://127.0.0.1:$PORT/vision/explain
	curl -sf -H 'Transfer-Encoding: chunked' -H "Authorization: Bearer $TOKEN" -H 'Device-Id: aa:aa:aa:aa:aa:aa' \
		-F 'question=what is it? 你好' -F 'file=@photo.jpg;filename=camera.jpg' "$explain" |
		jq -e '.success == true and .action == "RESPONSE"'
	event vision '"width":2,.*"height":2|2x2'
	curl -sf -H 'Transfer-Encoding: chunked' -H "Authorization: Bearer $TOKEN" \
		-F 'file=@photo.jpg;filename=../../camera.jpg' -F 'question=again' "$explain" | jq -e .success
	[ "$(find pictures -name '*.jpg' | wc -l)" = 2 ]
	for picture in pictures/*.jpg; do
		cmp "$picture" photo.jpg
	done
}

@test "wrong token, no picture, no form, too large: each with its answer" {
	serve --picture-max 100000
	token
	jpeg
	explain=http://127.0.0.1:$PORT/vision/explain
	code() { curl -s -o body -w '%{http_code}' "$@"; }
	[ "$(code -H 'Authorization: Bearer wrong' -F file=@photo.jpg "$explain")" = 401 ]
	event refused token
	[ "$(code -F file=@photo.jpg "$explain")" = 401 ]
	[ "$(code -H "Authorization: Bearer $TOKEN" -F question=x "$explain")" = 400 ]
	[ "$(code -H "Authorization: Bearer $TOKEN" -d text "$explain")" = 400 ]
	head -c 200000 /dev/zero >large
	[ "$(code -H "Authorization: Bearer $TOKEN" -H 'Expect:' -F file=@large "$explain")" = 413 ]
	# As firmware sends it: in chunks, all of it before it reads. Far above, too.
	head -c 8000000 /dev/zero >huge
	for how in 'Transfer-Encoding: chunked' 'X-Length: told'; do
		[ "$(code -H "Authorization: Bearer $TOKEN" -H 'Expect:' -H "$how" -F file=@huge "$explain")" = 413 ]
	done
	# What goes on and on is ended here, and not told as ended there.
	head -c 70000000 /dev/zero >endless
	code -H "Authorization: Bearer $TOKEN" -H 'Expect:' -H 'Transfer-Encoding: chunked' \
		-F file=@endless "$explain" || :
	rm endless
	[ "$(curl -s -o body -w '%{http_code}' "http://127.0.0.1:$PORT/")" = 200 ]
	absent 'amid its body' serve.out
	# Of a stranger it is not read.
	status=0
	code -H 'Expect:' -H 'Transfer-Encoding: chunked' -F file=@huge "$explain" || status=$?
	[ "$status" != 0 ] || absent success body
	event noise 'large'
}

@test "the answer of a command; one that fails; one that hangs is not tried here" {
	serve --vision-exec 'echo "saw $(wc -c <"$1") bytes: $2"'
	token
	jpeg
	explain=http://127.0.0.1:$PORT/vision/explain
	curl -sf -H "Authorization: Bearer $TOKEN" -F 'question=$(rm -rf /) "q"' -F file=@photo.jpg "$explain" |
		jq -e '.response | test("saw [0-9]+ bytes: [$][(]rm -rf /[)] \"q\"")'
	mcp stop
	finish "$SERVER" 0
	serve --vision-exec 'head -c 9000 /dev/zero | tr "\0" x'
	token
	curl -sf -H "Authorization: Bearer $TOKEN" -F file=@photo.jpg "http://127.0.0.1:$PORT/vision/explain" |
		jq -e '.warning == "the answer was cut: 7000 of 9000 bytes went to the board"'
	event vision 'the answer was cut: 7000 of 9000 bytes went to the board'
	mcp stop
	finish "$SERVER" 0
	serve --vision-exec 'head -c "$2" /dev/zero | tr "\0" x'
	token
	for bytes in 16384 16385; do
		curl -sf -H "Authorization: Bearer $TOKEN" -F question=$bytes -F file=@photo.jpg "http://127.0.0.1:$PORT/vision/explain" |
			jq -r .warning
	done >warnings
	grep -qx 'the answer was cut: 7000 of 16384 bytes went to the board' warnings
	grep -qx 'the answer was cut: 7000 of more than 16384 bytes went to the board' warnings
	mcp stop
	finish "$SERVER" 0
	serve --vision-exec 'echo "no model" >&2; exit 1'
	token
	curl -s -H "Authorization: Bearer $TOKEN" -F file=@photo.jpg "http://127.0.0.1:$PORT/vision/explain" |
		jq -e '.success == false and (.message | test("no model"))'
}

@test "a board takes a photo, and serve has it" {
	serve --save-images "$WORK/pictures" --vision-text 'a cat'
	device board
	event ready
	mcp call self.camera.take_photo question=what
	ends 0
	says 'a cat'
	event vision
	[ "$(find pictures -name '*.jpg' | wc -l)" = 1 ]
	jpeg
	device other --device-id 02:00:00:00:00:02 --photo photo.jpg
	event ready 02:00:00:00:00:02
	mcp -d 02:00:00:00:00:02 call self.camera.take_photo question=again
	ends 0
	event vision '"width":2,.*"height":2|2x2'
}

@test "a snapshot of the screen: its address is made for it, and shown nowhere" {
	serve --save-images "$WORK/pictures" --trace trace.jsonl
	device board --device-id 02:00:00:00:00:01
	event ready
	mcp -v --trace mine.jsonl call self.screen.snapshot --upload url quality=50
	ends 0
	says true
	event upload 02:00:00:00:00:01
	[ "$(find pictures -type f | wc -l)" = 1 ]
	grep -q '/upload/\*\*\*' trace.jsonl
	grep -q '/upload/\*\*\*' mine.jsonl
	absent '/upload/[0-9a-f]' trace.jsonl mine.jsonl stderr serve.out
	mcp --all call self.screen.snapshot --upload url
	ends 2
	hints "'--upload' is for one device"
	background robot mcpctl sim --listen 127.0.0.1:0
	robot=$(wait_for robot.err "ws://" | grep -o "ws://.*")
	mcp --no-init "$robot" call self.screen.snapshot --no-validate --upload url
	ends 2
	hints 'is for a device of a running serve, of listen: or sim:'
}

# kept DIR: the file of the only picture there; it must be private.
kept() {
	[ "$(find "$1" -type f | wc -l)" = 1 ] || return 1
	find "$1" -type f -perm 600 -name '*.jpg' | grep .
}

@test "listen: takes the photo of its board, and call says where it is kept" {
	listener l --save-images shots --trace t.jsonl -o json listen:127.0.0.1:0 \
		call self.camera.take_photo 'question=what is it'
	background board mcpctl sim --ota "$OTA"
	finish "$LISTENER" 0
	file=$(kept shots)
	jq -e --arg file "$file" '.pictures == [$file] and
		(.content[0].text | fromjson | .success and (.response | test("JPEG picture, 64x48")))' l.out
	jq -es --arg file "$file" 'map(.event? | select(.file == $file))[0].text |
		test("saved as .*it asks .what is it.")' l.err
	grep -q 'vision/explain' t.jsonl
	absent 'token[\\":]+[0-9a-f]{32}' t.jsonl l.err
}

@test "listen: keeps no picture where no folder is named, and says so" {
	listener l listen:127.0.0.1:0 call self.camera.take_photo question=x
	background board mcpctl sim --ota "$OTA"
	finish "$LISTENER" 0
	grep -q 'the board sent a JPEG picture.*it is kept nowhere (--save-images DIR' l.err
	grep -q 'mcpctl received a JPEG picture' l.out
}

@test "listen: takes pictures of its board alone, and none above --picture-max" {
	listener l --save-images shots --picture-max 100000 --timeout 60s \
		listen:127.0.0.1:0 call self.camera.take_photo question=x
	token
	jpeg
	explain=http://127.0.0.1:$PORT/vision/explain
	code() { curl -s -o body -w '%{http_code}' "$@"; }
	[ "$(code -F file=@photo.jpg "$explain")" = 401 ]
	[ "$(code -H 'Authorization: Bearer wrong' -F file=@photo.jpg "$explain")" = 401 ]
	# Right, in the name of another board.
	[ "$(code -H "Authorization: Bearer $TOKEN" -H 'Device-Id: 02:00:00:00:00:09' -F file=@photo.jpg "$explain")" = 401 ]
	[ "$(code -F file=@photo.jpg "http://127.0.0.1:$PORT/upload")" = 403 ]
	head -c 200000 /dev/zero >large
	[ "$(code -H "Authorization: Bearer $TOKEN" -H 'Expect:' -F file=@large "$explain")" = 413 ]
	[ ! -e shots ] || [ -z "$(find shots -type f)" ]
	[ "$(code -H "Authorization: Bearer $TOKEN" -H 'Device-Id: AA:aa:aa:aa:aa:aa' -F file=@photo.jpg "$explain")" = 200 ]
	kept shots
	grep -q 'the token is wrong' l.err
}

@test "a folder that cannot be written to is told before anything listens" {
	touch file
	for target in listen:127.0.0.1:0 sim:; do
		mcp --save-images file/x "$target" call self.camera.take_photo question=x
		ends 8
		hints '--save-images'
	done
	mcp --save-images shots --cwd . 'stdio:true' tools
	ends 2
	hints "'--save-images' is for serve, listen: and sim:"
}

@test "sim: takes a photo, as serve and listen: do" {
	mcp -o json --save-images shots sim: call self.camera.take_photo question=x
	ends 0
	file=$(kept shots)
	jq -e --arg file "$file" '.pictures == [$file]' stdout
	rm -r shots
	printf 'call self.screen.snapshot --upload url\ncall self.camera.take_photo question=again\n' >two
	mcp --save-images shots sim: run two
	ends 0
	[ "$(find shots -type f | wc -l)" = 2 ]
	# What sends none has none.
	mcp -o json --save-images shots sim: call self.get_device_status
	ends 0
	jq -e 'has("pictures") | not' stdout
}

@test "sim: a page of others gets nothing at its port for pictures, and it is said" {
	mkfifo lines
	exec 7<>lines
	mcpctl sim: shell <lines >s.out 2>s.err 3>&- 7>&- &
	PIDS+=($!)
	shell=$!
	echo 'describe self.screen.snapshot' >&7
	at=$(wait_for s.out 'url=http://127.0.0.1:[0-9]*/upload/[0-9a-f]*' | grep -o '127.0.0.1:[0-9]*')
	[ "$(curl -s -o reply -w '%{http_code}' -H 'Origin: https://evil.example' -d x "http://$at/vision/explain")" = 403 ]
	[ "$(curl -s -o reply -w '%{http_code}' -H 'Host: evil.example' -d x "http://$at/vision/explain")" = 421 ]
	wait_for s.err "refused: a page of 'https://evil.example'"
	wait_for s.err "'evil.example', which is no name of ours"
	echo exit >&7
	finish "$shell" 0
	exec 7>&-
}

@test "a snapshot to listen:, by an address for one picture" {
	listener l --save-images shots listen:127.0.0.1:0 call self.screen.snapshot --upload url
	background board mcpctl sim --ota "$OTA"
	finish "$LISTENER" 0
	kept shots
	grep -q 'saved as shots/' l.err
	absent '/upload/[0-9a-f]' l.err
}

@test "describe self.screen.snapshot shows an address that works" {
	serve --save-images "$WORK/pictures"
	device board
	event ready
	mcp describe snapshot
	ends 0
	says 'call self.screen.snapshot --upload url'
	word=$(grep -o 'url=http://127.0.0.1:[0-9]*/upload/[0-9a-f]*' stdout)
	mcp call self.screen.snapshot "$word"
	ends 0
	kept pictures
	mcp -o json describe self.screen.snapshot
	url=$(jq -r .upload stdout)
	jpeg
	curl -sf -F file=@photo.jpg "$url" | jq -e .success
	# It would not outlive this command.
	mcp sim: describe snapshot
	ends 0
	says 'call self.screen.snapshot --upload url'
	absent '/upload/|example.com' stdout
	mcp -o json sim: describe set_theme
	jq -e 'has("upload") | not' stdout
}

@test "the shell of listen: describes an address that works as long as it is there" {
	mkfifo lines
	exec 7<>lines
	mcpctl --save-images shots listen:127.0.0.1:0 shell <lines >l.out 2>l.err 3>&- 7>&- &
	PIDS+=($!)
	shell=$!
	echo 'tools snapshot' >&7
	OTA=$(wait_for l.err 'http://[^ ]*/xiaozhi/ota/' | grep -o 'http://[^ ]*')
	background board mcpctl sim --ota "$OTA"
	echo 'describe snapshot' >&7
	word=$(wait_for l.out 'url=http://127.0.0.1:[0-9]*/upload/[0-9a-f]*' | grep -o 'url=.*')
	echo "call self.screen.snapshot $word" >&7
	wait_for l.err 'saved as shots/'
	echo exit >&7
	finish "$shell" 0
	exec 7>&-
	kept shots
}

@test "an attached call says where serve keeps the picture" {
	serve --save-images "$WORK/pictures"
	device board
	event ready
	mcp -o json call self.camera.take_photo question=what
	ends 0
	file=$(kept pictures)
	jq -e --arg file "$WORK/$file" '.pictures == [$file]' stdout
	mcp call self.screen.snapshot --upload url
	ends 0
	hints 'the board sent a JPEG picture'
	hints "saved as $WORK/pictures/"
}

@test "the members of a picture's event are always there" {
	serve
	token
	head -c 100 /dev/urandom >noise
	curl -sf -H "Authorization: Bearer $TOKEN" -F 'file=@noise' "http://127.0.0.1:$PORT/upload"
	event upload
	jq -es 'map(select(.event == "upload"))[0] |
		[has("file", "bytes", "type", "width", "height", "question")] | all' serve.out
}

@test "a full disk: the board is answered, the log says which file" {
	# A limit on the size of files stands in for a disk that is full.
	printf '#!/bin/bash\ntrap "" XFSZ\nulimit -f 16\nexec "$@"\n' >limited
	chmod +x limited
	head -c 100000 /dev/urandom >noise
	jpeg
	cat photo.jpg noise >large.jpg
	SERVE_BEFORE=$WORK/limited serve --save-images "$WORK/pictures"
	token
	curl -sf -H "Authorization: Bearer $TOKEN" -F 'file=@large.jpg' "http://127.0.0.1:$PORT/upload"
	event '(upload|failed)' pictures
	[ "$(find pictures -type f | wc -l)" = 0 ]
	mcp devices
	ends 0
}

# bats test_tags=root
@test "a disk that is nearly full takes no picture: 507, and the log says so" {
	needs_root "to mount a small disk"
	mkdir disk
	mount -t tmpfs -o size=2m tmpfs disk || skip "no file system can be mounted"
	jpeg
	head -c 400000 /dev/urandom >noise
	cat photo.jpg noise >large.jpg
	serve --save-images "$WORK/disk"
	token
	for _ in 1 2 3 4 5 6; do
		curl -s -o reply -w '%{http_code}\n' -H "Authorization: Bearer $TOKEN" \
			-F 'file=@large.jpg' "http://127.0.0.1:$PORT/vision/explain" >>codes
	done
	event refused 'MB are free where .*/disk.* stay free'
	left=$(df --output=avail -B1 disk | tail -n 1)
	umount -l disk
	sort -u codes | tr '\n' ' ' | grep -x '200 507 '
	# A tenth of it was left.
	[ "$left" -ge 209715 ]
	grep -F 'the disk is nearly full' reply
}

@test "a slow sender is no trouble for others" {
	serve
	cat >slow.py <<END
import socket, time
s = socket.create_connection(("127.0.0.1", $PORT))
s.sendall(b"POST /xiaozhi/ota/ HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n")
print("begun", flush=True)
for c in b"2\r\n{}\r\n0\r\n\r\n":
    s.sendall(bytes([c]))
    time.sleep(0.05)
print(s.recv(4000).decode().split("\r\n")[0], flush=True)
END
	background slow /usr/bin/python3 slow.py
	wait_for slow.out begun
	curl -sf -d '{}' "$OTA" | grep -q websocket
	wait_for slow.out '200 OK'
}

@test "another service for pictures: boards are given its address and its token" {
	local secret=0123456789abcdef0123456789abcdef
	echo "$secret" >secret
	serve --vision-url http://192.0.2.1/explain --vision-token-file secret
	token
	[ "$TOKEN" = "$secret" ]
	grep -qx http://192.0.2.1/explain spy.out
	absent "$secret" serve.out serve.err
	kill "$SERVER"
	finish "$SERVER" 143
	MCPCTL_VISION_TOKEN=fedcba9876543210fedcba9876543210 serve --vision-url http://192.0.2.1/explain
	token
	[ "$TOKEN" = fedcba9876543210fedcba9876543210 ]
}
