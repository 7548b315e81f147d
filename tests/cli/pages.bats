#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The boards of serve in a browser: what is shown to whom, forms and what they
# call, pictures, the capture, what changes; and each door of it, tried by who
# may not. curl is the browser, but in the last tests, where there is a real one.

load helper

eval "$(declare -f serve | sed '1s/serve/plain_serve/')"
serve() { plain_serve --web "$@"; }

# asks STATUS PATH [CURL ARG]…: answered so; head, body.
asks() {
	local wanted=$1 url=http://${AT:-127.0.0.1}:$PORT$2 got
	shift 2
	got=$(curl -sS --max-time 10 -D head -o body -w '%{http_code}' "$url" "$@")
	[ "$got" = "$wanted" ] || { echo "$url $*: $got, not $wanted" >&2; cat head body >&2; return 1; }
}

BOARD=/boards/02:00:00:00:00:01

# hidden NAME: of the first form in body.
hidden() { grep -o "name=\"$1\" value=\"[^\"]*\"" body | head -n 1 | cut -d'"' -f4; }

# fetch_form: what a call needs, from the board's page.
fetch_form() {
	asks 200 "$BOARD" "$@"
	SEAL=$(hidden seal)
	LIST=$(hidden list)
}

# calls STATUS TOOL [CURL ARG]…
calls() {
	local status=$1 tool=$2
	shift 2
	asks "$status" "$BOARD/call" --data-urlencode "seal=$SEAL" --data-urlencode "list=$LIST" \
		--data-urlencode "tool=$tool" "$@"
}

with_board() {
	serve "$@"
	device board
	event ready
}

# The board was asked N times to call that tool.
was_called() { [ "$(grep -c "tools/call.*$1" trace.jsonl)" -eq "$2" ]; }

@test "the boards, one of them, the story of a finding, style and script" {
	with_board
	asks 200 /
	grep -q '1 device is connected, 1 of them ready' body
	grep -q "<a href=\"$BOARD\">" body
	event browser 'the page was opened'
	# The page as a whole, but for the rows.
	grep -qF '<p id="summary">1 device is connected, 1 of them ready.</p>' body
	grep -qF '<form class="search" action="/"><input type="search" name="q" placeholder="id, alias, board, version, state" aria-label="Only boards with"><button>Find</button></form>' body
	grep -qF '<table id="boards" data-live="/events?from=0">' body
	grep -qF '<details><summary>Bring a board here</summary>' body
	grep -qF '<p>This address answers: network and firewall are fine.</p>' body
	grep -qF "http://127.0.0.1:$PORT/xiaozhi/ota/" body
	grep -qF 'Then wake it, by wake word or button: it connects only then.</p>' body
	grep -qF '<p>In a terminal of the machine where serve runs:</p>' body
	grep -qxF 'mcpctl call self.get_device_status' body
	[ "$(tail -n 1 body)" = '</main></body></html>' ]
	absent 'Log out|The capture' body
	for path in /findings/D106 /events /trace; do
		asks 405 "$path" -d x=1
		grep -q 'That is only read' body
	done
	asks 405 /events -I
	asks 200 '/?q=nothing+like+that'
	grep -q '0 fit' body
	grep -qF 'name="q" placeholder="id, alias, board, version, state" aria-label="Only boards with" value="nothing like that">' body
	absent "$BOARD" body
	asks 200 "$BOARD"
	grep -q '<code>self.get_device_status</code>' body
	asks 200 /findings/D106
	grep -q D106 body
	asks 404 /findings/D999
	asks 404 /boards/02:00:00:00:00:99
	asks 404 /pictures/1
	asks 404 /trace
	asks 200 "$(asks 200 / && grep -o '/web/script.js?[0-9a-f]*' body)"
	grep -qi 'cache-control: max-age=31536000, immutable' head
	absent 'no-store' head
	asks 200 /web/style.css
	asks 404 /web/other
}

@test "nothing of it comes from outside, nor stands within" {
	with_board
	for path in / "$BOARD" /findings/D106 /boards/x /login; do
		curl -sS -D head -o body "http://127.0.0.1:$PORT$path"
		grep -q "^Content-Security-Policy: default-src 'none'; script-src 'self';" head
		grep -q '^X-Content-Type-Options: nosniff' head
		grep -q '^Cross-Origin-Resource-Policy: same-origin' head
		grep -q '^Cross-Origin-Opener-Policy: same-origin' head
		grep -q '^X-Frame-Options: DENY' head
		grep -q '^Referrer-Policy: same-origin' head
		grep -qi '^Cache-Control: no-store' head
		absent '(src|href|action)="?(https?:)?//' body
		absent '<script>| style=| on[a-z]+=' body
	done
}

@test "a form calls a tool, with values that fit" {
	with_board --trace trace.jsonl
	fetch_form
	calls 200 self.audio_speaker.set_volume -d a0=31
	grep -q '<pre>true</pre>' body
	calls 200 self.get_device_status
	grep -q '&#34;volume&#34;:31' body
	was_called self.audio_speaker.set_volume 1
	calls 400 self.audio_speaker.set_volume -d a0=101
	grep -q '101 is above the maximum of 100' body
	calls 400 self.audio_speaker.set_volume
	grep -q 'is required' body
	calls 400 self.audio_speaker.set_volume -d a0=@/etc/passwd
	calls 400 self.no_such_tool
	grep -q 'there is no such tool' body
	LIST=0 calls 400 self.get_device_status
	grep -q 'tools are others now' body
	was_called self.audio_speaker.set_volume 1
}

@test "what cannot be taken back wants a tick, whatever the browser does" {
	with_board --trace trace.jsonl
	fetch_form
	calls 400 self.reboot
	grep -q 'nothing was called' body
	calls 400 self.reboot -d sure=yes
	was_called self.reboot 0
	calls 502 self.reboot -d sure=1
	grep -q 'closed the connection' body
	was_called self.reboot 1
}

@test "a form that is not of this page calls nothing" {
	with_board --trace trace.jsonl
	fetch_form
	local tool=self.audio_speaker.set_volume
	asks 403 "$BOARD/call" -d "tool=$tool" -d "list=$LIST" -d a0=1
	grep -q 'Nothing was called' body
	SEAL=${SEAL%?}g calls 403 "$tool" -d a0=1
	calls 403 "$tool" -d a0=1 -H "Origin: https://evil.example"
	calls 403 "$tool" -d a0=1 -H 'Origin: null'
	calls 403 "$tool" -d a0=1 -H 'Origin: http://127.0.0.1:1'
	calls 403 "$tool" -d a0=1 -H 'Sec-Fetch-Site: cross-site'
	calls 421 "$tool" -d a0=1 -H "Host: evil.example:$PORT"
	asks 405 "$BOARD/call?tool=$tool&seal=$SEAL&list=$LIST&a0=1"
	asks 400 "$BOARD/call" -H 'Content-Type: text/plain' -d "tool=$tool&seal=$SEAL&list=$LIST&a0=1"
	asks 405 "$BOARD" -d a0=1
	asks 405 / -X DELETE
	was_called "$tool" 0
	calls 200 "$tool" -d a0=1 -H "Origin: http://127.0.0.1:$PORT" -H 'Sec-Fetch-Site: same-origin'
	was_called "$tool" 1
}

@test "a page that may ask for boards (--allow-origin) may not see this one" {
	with_board --allow-origin https://bench.example
	local from='Origin: https://bench.example'
	for path in "$BOARD" /events /trace; do
		asks 403 "$path" -H "$from"
		absent 'name="seal"' body
	done
	asks 200 / -H "$from"
	absent '02:00:00:00:00:01' body
}

@test "who asks through a proxy, or from elsewhere, sees no board" {
	with_board --trace trace.jsonl
	for header in 'X-Forwarded-For: 127.0.0.1' 'Forwarded: for=127.0.0.1' 'Via: 1.1 x' 'X-Real-IP: ::1'; do
		asks 200 / -H "$header"
		grep -q 'came through a proxy' body
		absent '02:00:00:00:00:01' body
		for path in "$BOARD" /events /trace /pictures/1; do
			asks 403 "$path" -H "$header"
		done
	done
	serve --socket other.sock --trusted-proxy 127.0.0.1
	asks 200 / -H 'X-Forwarded-For: 192.0.2.7'
	grep -q 'shown to browsers on the machine' body
	asks 403 /events -H 'X-Forwarded-For: 192.0.2.7'
	asks 200 /
	grep -q 'No device is connected' body
}

@test "another address of this machine is this machine" {
	local address
	address=$(hostname -I | tr ' ' '\n' | grep -m 1 -E '^[0-9.]+$') || skip 'this machine has no address but loopback'
	background serve mcpctl -o json serve --web --listen "$address:0"
	PORT=$(wait_for serve.out '"event":"listening"' | grep -oE '[0-9]+/xiaozhi' | head -n 1 | tr -dc 0-9)
	AT=$address asks 200 /
	grep -q 'No device is connected' body
}

@test "from another machine: the address, and no board" {
	needs_root 'a network of its own'
	ip netns add "mcpctl$$" 2>/dev/null || skip 'no network can be made here'
	ip link add "mp$$" type veth peer name "mq$$" netns "mcpctl$$" || { ip netns del "mcpctl$$"; skip 'no network can be made here'; }
	ip addr add 198.51.100.1/30 dev "mp$$"
	ip link set "mp$$" up
	ip -n "mcpctl$$" addr add 198.51.100.2/30 dev "mq$$"
	ip -n "mcpctl$$" link set "mq$$" up
	background serve mcpctl -o json serve --web --listen 198.51.100.1:0
	PORT=$(wait_for serve.out '"event":"listening"' | grep -oE '[0-9]+/xiaozhi' | head -n 1 | tr -dc 0-9)
	ip netns exec "mcpctl$$" curl -sS --max-time 10 "http://198.51.100.1:$PORT/" >page || true
	ip netns exec "mcpctl$$" curl -sS --max-time 10 -o events -w '%{http_code}' "http://198.51.100.1:$PORT/events" >status || true
	ip netns del "mcpctl$$"
	grep -q 'shown to browsers on the machine where serve runs' page
	[ "$(cat status)" = 403 ]
}

@test "with a token: nobody without it, also from here; a cookie for who has it" {
	echo 0123456789abcdef-token >web.token
	with_board --web-token-file web.token
	asks 200 /
	grep -q '<a href="/login">' body
	absent '02:00:00:00:00:01' body
	asks 303 "$BOARD"
	asks 403 /events
	asks 403 "$BOARD/call" -d a0=1
	asks 200 /login
	grep -qF '<p></p>' body
	grep -qF '<form method="post" action="/login"><label><span>Token</span><input type="password" name="token" autocomplete="current-password" required autofocus>' body
	asks 400 /login -d other=wrong
	grep -q 'No token came' body
	asks 403 /login -d token=wrong
	grep -q 'That is not the token' body
	absent -i set-cookie head
	event refused 'wrong token'
	asks 303 /login --data-urlencode token@<(printf 0123456789abcdef-token) -c jar
	grep -qi '^set-cookie: mcpctl=.*HttpOnly; SameSite=Strict' head
	asks 200 / -b jar
	grep -q '1 device is connected' body
	fetch_form -b jar
	calls 200 self.get_device_status -b jar
	calls 403 self.get_device_status
	# A seal is of one session.
	cp jar other
	asks 303 /login --data-urlencode token@<(printf 0123456789abcdef-token) -c other
	calls 403 self.get_device_status -b other
	asks 403 / -b jar -H 'Origin: https://evil.example'
	absent '0123456789abcdef' serve.out
	absent '0123456789abcdef' serve.err
}

@test "log out: this browser, or all of them with what they look at" {
	echo 0123456789abcdef-token >web.token
	serve --web-token-file web.token
	for jar in jar other; do asks 303 /login -d token=0123456789abcdef-token -c "$jar"; done
	asks 405 /logout -b jar
	asks 403 /logout -b jar -d seal=x -d all=1
	grep -q 'Nobody was logged out' body
	asks 200 / -b other
	local seal
	seal=$(hidden seal)
	grep -qF '<details open><summary>Bring a board here</summary>' body
	grep -qF '<button>Log out</button> <button name="all" value="1">Log out all browsers</button>' body
	asks 403 /logout -b jar -d "seal=$seal" -d all=1
	asks 303 /logout -b other -d "seal=$seal"
	grep -qi '^set-cookie: mcpctl=; .*Max-Age=0' head
	background events curl -sSN "http://127.0.0.1:$PORT/events" -b jar
	wait_for events.out 'No device is connected'
	asks 303 /logout -b other -d "seal=$seal" -d all=1
	until_true ended "$LAST"
	for jar in jar other; do
		asks 200 / -b "$jar"
		grep -q '<a href="/login">' body
	done
	asks 303 /login -d token=0123456789abcdef-token -c jar
	asks 200 / -b jar
	grep -q 'No device is connected' body
}
ended() { if kill -0 "$1" 2>/dev/null; then false; fi; }

@test "wrong tokens make answers late, and keep out nobody who has the right one" {
	echo 0123456789abcdef-token >web.token
	serve --web-token-file web.token
	for _ in 1 2 3 4 5; do asks 403 /login -d token=wrong; done
	for wanted in '403 wrong' '303 0123456789abcdef-token'; do
		[ "$(curl -sS -o body -w '%{http_code} %{time_total}' "http://127.0.0.1:$PORT/login" -d "token=${wanted#* }" |
			awk '{ print $1, ($2 > 1.9) }')" = "${wanted% *} 1" ]
	done
	[ "$(grep -c 'wrong token' serve.out)" -eq 5 ]
	# More than are kept back: some answers come at once, and each comes.
	for _ in $(seq 80); do
		curl -sS -o /dev/null -w '%{http_code}\n' "http://127.0.0.1:$PORT/login" -d token=0123456789abcdef-token >>codes 3>&- &
		PIDS+=($!)
	done
	all_came() { [ "$(grep -c 303 codes)" -eq 80 ]; }
	until_true all_came
}

@test "a serve that ends does not wait for late answers" {
	echo 0123456789abcdef-token >web.token
	serve --web-token-file web.token
	for _ in 1 2 3 4 5; do asks 403 /login -d token=wrong; done
	background late curl -sS "http://127.0.0.1:$PORT/login" -d token=wrong
	mcp stop
	ends 0
}

@test "the cookie is for TLS alone where a proxy of the user's was asked by it" {
	echo 0123456789abcdef-token >web.token
	serve --web-token-file web.token --trusted-proxy 127.0.0.1
	local by=(-H 'X-Forwarded-For: 192.0.2.7' -d token=0123456789abcdef-token)
	asks 303 /login "${by[@]}" -H 'X-Forwarded-Proto: https'
	grep -qi '^set-cookie: mcpctl=.*; Secure' head
	asks 303 /login "${by[@]}" -H 'X-Forwarded-Proto: http'
	absent -i '; Secure' head
	serve --socket other.sock --web-token-file web.token
	asks 303 /login "${by[@]}" -H 'X-Forwarded-Proto: https'
	absent -i '; Secure' head
}

@test "nothing of it is shown in a frame" {
	with_board
	for to in iframe frame embed object; do
		for site in cross-site same-origin; do
			local by=(-H "Sec-Fetch-Site: $site" -H 'Sec-Fetch-Mode: navigate' -H "Sec-Fetch-Dest: $to")
			asks 403 "$BOARD" "${by[@]}"
			asks 403 /login "${by[@]}"
			asks 200 / "${by[@]}"
			absent '02:00:00:00:00:01' body
		done
	done
	asks 200 "$BOARD" -H 'Sec-Fetch-Site: cross-site' -H 'Sec-Fetch-Mode: navigate' -H 'Sec-Fetch-Dest: document'
}

@test "battery and memory, while somebody looks on, and never beside a call" {
	cat >slow.json <<'END'
{"extends":"esp32","tools":[{"name":"self.slow","description":"Takes its time.","result":{"text":"done","delay_ms":2000}}]}
END
	serve --trace trace.jsonl
	device board ./slow.json
	event ready
	asks 200 /
	absent get_device_status <(grep tools/call trace.jsonl)
	background slow mcpctl call self.slow
	wait_for trace.jsonl 'tools/call.*self.slow'
	background events curl -sSN "http://127.0.0.1:$PORT/events"
	wait_for events.out '"02:00:00:00:00:01"'
	wait_for slow.out 'done'
	absent 'tools/call.*get_' trace.jsonl
	wait_for events.out '"86%","8.3 MB"'
	asks 200 /
	grep -q '<td>86%</td><td>8.3 MB</td>' body
	# What `top` tells of it, too.
	asks 200 "$BOARD"
	grep -q '<dt>signal</dt><dd>strong</dd>' body
	grep -qE '<dt>calls</dt><dd>1, half of the last ones in [0-9.]+ m?s or less</dd>' body
	# Its own questions are no calls.
	[ "$(mcpctl devices -o json | jq .calls)" = 1 ]
}

@test "a token file that is none, a short token" {
	mcp serve --listen 127.0.0.1:0 --web-token-file /nonexistent/token
	ends 2
	hints '/nonexistent/token'
	echo short >short
	mcp serve --listen 127.0.0.1:0 --web-token-file short
	ends 2
	hints 'has 5 bytes, and needs 16'
}

@test "without --web: the page of the port, and nothing else" {
	plain_serve --trace trace.jsonl
	device board
	event ready
	asks 200 /
	grep -q 'shown in no browser (serve --web does that)' body
	absent '02:00:00:00:00:01' body
	for path in "$BOARD" /events /trace /login /web/style.css; do asks 404 "$path"; done
}

@test "what changes comes by itself: a board comes, and goes" {
	serve
	background events curl -sSN "http://127.0.0.1:$PORT/events"
	wait_for events.out '^data: [{]"summary":"No device is connected now[.]","rows":\[\][}]$'
	device board
	wait_for events.out '"02:00:00:00:00:01".*"ready"'
	grep -q '^event: all' events.out
	kill "$DEVICE"
	wait_for events.out 'No device is connected now.*"rows":\[\]'
	# One row that changed is sent alone.
	device two --devices 2
	wait_for events.out '2 of them ready'
}

@test "so many may look on, and no more; who goes makes room" {
	serve
	for i in $(seq 32); do
		background "e$i" curl -sSN "http://127.0.0.1:$PORT/events"
	done
	for i in $(seq 32); do wait_for "e$i.out" '^data:'; done
	asks 503 /events
	kill "$LAST"
	room() { curl -sN --max-time 1 "http://127.0.0.1:$PORT/events" | grep -q '^data:'; }
	until_true room
}

@test "pictures that were kept, and no other file" {
	with_board --save-images shots
	fetch_form
	calls 200 self.camera.take_photo -d a0=what
	asks 200 "$BOARD"
	grep -q '<img src="/pictures/1"' body
	asks 200 /pictures/1
	grep -qi '^content-type: image/jpeg' head
	grep -qi '^x-content-type-options: nosniff' head
	cmp body shots/*.jpg
	for path in /pictures/0 /pictures/2 /pictures/65 /pictures/../shots /pictures/ /pictures/-1; do
		asks 404 "$path" --path-as-is
	done
	# What it is now counts, and a link is none of ours.
	echo '<html><script>' >shots/other
	for file in shots/*.jpg; do cp shots/other "$file"; done
	asks 404 /pictures/1
	for file in shots/*.jpg; do rm "$file"; ln -s /etc/passwd "$file"; done
	asks 404 /pictures/1
}

@test "the capture, its secrets masked, is what stands in the file" {
	with_board --trace trace.jsonl
	asks 200 /
	grep -qE '<p><a href="/trace" download>The capture</a>: [0-9]+ bytes so far' body
	asks 200 /trace
	grep -qi '^content-disposition: attachment; filename="serve.trace"' head
	grep -qi '^content-type: application/octet-stream' head
	head -c "$(stat -c %s body)" trace.jsonl | cmp - body
	grep -q '"token":"\*\*\*' <(tr -d "\\\\" <body)
	mcpctl capture show body >shown
	grep -q initialize shown
	# What has its name by now is not looked at.
	mv trace.jsonl moved
	echo secret >trace.jsonl
	asks 200 /trace
	grep -q initialize body
	absent secret body
	rm trace.jsonl
	ln -s /etc/passwd trace.jsonl
	asks 200 /trace
	absent root: body
}

@test "a board with hostile names and tools is only text" {
	serve
	cat >evil.json <<'END'
{"board":{"name":"<script>alert(1)</script>"},"version":"<img src=x>",
"tools":[{"name":"<b>x</b>","description":"</p><script>alert(2)</script>","result":"<script>alert(3)</script>"}]}
END
	device board ./evil.json
	event ready
	for path in / "$BOARD"; do
		asks 200 "$path"
		grep -q '&#60;script&#62;alert(1)' body
		absent '<script>|<img src=x|<b>x' body
	done
	fetch_form
	calls 200 '<b>x</b>'
	grep -q '<pre>&#60;script&#62;alert(3)' body
	absent '<script>|<b>x' body
}

# ---- a real browser ----

# The stages of a page, see browser.py.
browser() {
	command -v chromium chromium-browser google-chrome >/dev/null || skip 'no browser here (chromium)'
	PYTHONPATH=$BATS_TEST_DIRNAME /usr/bin/python3 "$BATS_TEST_DIRNAME/browser.py" "$@" 3>&-
}

LIVE='until:document.getElementById("live").className == "on"'

@test "in a browser: live, boards come and go, nothing is refused by it" {
	serve
	# Once somebody looks on.
	(until_true test -s looks && exec mcpctl sim --connect "ws://127.0.0.1:$PORT/" --devices 2) >boards.out 2>&1 3>&- &
	PIDS+=($!)
	(until_true grep -q 'the page was opened' serve.out && echo yes >looks) 3>&- &
	PIDS+=($!)
	browser "http://127.0.0.1:$PORT/" "$LIVE" \
		'until:document.querySelectorAll("tbody tr").length == 2' \
		'until:document.getElementById("summary").textContent.includes("2 of them ready")' \
		'print:document.querySelector("tbody tr:last-child a").getAttribute("href")' >said 2>refused
	grep -q '/boards/02%3A00%3A00%3A00%3A00%3A02' said
	[ ! -s refused ]
}

@test "in a browser: rows out of sight are not drawn, and those in sight are as the table is" {
	serve
	background boards mcpctl sim --connect "ws://127.0.0.1:$PORT/" --devices 120
	# shellcheck disable=SC2016 # asked again and again
	until_true eval '[ "$(grep -c "\"event\":\"ready\"" serve.out)" = 120 ]'
	browser "http://127.0.0.1:$PORT/" "$LIVE" \
		'do:window.rows = document.querySelectorAll("tbody tr"); window.drawn = r => r.cells[0].checkVisibility({ contentVisibilityAuto: true })' \
		'until:rows.length == 120 && drawn(rows[0])' 'print:drawn(rows[119])' \
		'do:rows[119].scrollIntoView()' 'until:drawn(rows[119])' \
		'print:[...rows[119].cells].every((c, i) => c.offsetLeft == document.querySelectorAll("th")[i].offsetLeft)' >said 2>refused
	[ "$(xargs <said)" = 'false true' ]
	[ ! -s refused ]
}

@test "in a browser: a form is called where it stands, and a photo appears" {
	serve --save-images shots
	device board
	event ready
	browser "http://127.0.0.1:$PORT$BOARD" "$LIVE" \
		'do:window.form = [...document.querySelectorAll("form")].find(f => f.tool && f.tool.value == "self.camera.take_photo"); form.closest("details").open = true; form.a0.value = "what is it"; form.querySelector("button").click()' \
		'until:document.querySelector(".answer pre")' \
		'until:document.querySelector("#pictures img")' \
		'do:document.querySelector("#pictures img").scrollIntoView()' \
		'until:document.querySelector("#pictures img").naturalWidth == 64' \
		'print:location.pathname' >said 2>refused
	grep -q "$BOARD" said
	[ ! -s refused ]
}

@test "in a browser: a call that takes long keeps no other waiting, one fetch of the page at a time" {
	with_board
	browser "http://127.0.0.1:$PORT$BOARD" "$LIVE" \
		'do:window.now = window.most = window.made = 0; window.held = null; const old = window.fetch; window.fetch = (u, o) => { if (o.method) return o.body.get("tool") == "self.get_device_status" ? new Promise(r => held = () => r(old(u, o))) : old(u, o); made++; now++; most = Math.max(most, now); return new Promise(r => setTimeout(r, 300)).then(() => old(u, o)).finally(() => now--); }' \
		'do:window.form = n => [...document.querySelectorAll("form")].find(f => f.tool && f.tool.value == n); window.ask = n => form(n).querySelector("button").click(); ask("self.get_device_status"); form("self.audio_speaker.set_volume").a0.value = 5; ask("self.audio_speaker.set_volume"); form("self.screen.set_brightness").a0.value = 5; ask("self.screen.set_brightness"); form("self.screen.set_theme").a0.value = "dark"; ask("self.screen.set_theme")' \
		'until:["self.audio_speaker.set_volume", "self.screen.set_brightness", "self.screen.set_theme"].every(n => form(n).querySelector(".answer pre"))' \
		'print:form("self.get_device_status").querySelector(".answer").textContent' \
		'do:held()' 'until:form("self.get_device_status").querySelector(".answer pre")' \
		'until:now == 0 && made > 1' 'print:most' >said 2>refused
	grep -q 'asking' said
	[ "$(tail -n 1 said)" = 1 ]
	[ ! -s refused ]
}

@test "in a browser: a page of another place can neither read nor call" {
	with_board --trace trace.jsonl
	mkdir other
	cat >other/index.html <<END
<form id=f method=post action="http://127.0.0.1:$PORT$BOARD/call"><input name=tool value=self.reboot><input name=sure value=1></form>
<iframe src="http://127.0.0.1:$PORT/"></iframe>
END
	background web /usr/bin/python3 -u -m http.server --bind 127.0.0.1 --directory other 0
	local port
	port=$(wait_for web.out 'port [0-9]+' | grep -oE 'port [0-9]+' | tr -dc 0-9)
	browser "http://127.0.0.1:$port/" \
		"do:fetch('http://127.0.0.1:$PORT/').then(r => r.text()).then(t => window.got = t, e => window.got = 'refused')" \
		'until:window.got' 'print:window.got' \
		'do:document.getElementById("f").submit()' \
		"until:location.port == '$PORT'" 'print:document.body.innerText' >said 2>refused
	grep -q '^"refused"' said
	absent 'Bring a board' said
	was_called self.reboot 0
}
