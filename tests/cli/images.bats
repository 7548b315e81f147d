#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Pictures in the terminal: where, how, and what a hostile one does.

load helper
load terminal

HALF='▄' # what a picture of symbols has, and no other text here

setup_file() {
	# 8x8 of two colours; a 100-megapixel bomb; one whose end is missing.
	/usr/bin/python3 - "$BATS_FILE_TMPDIR" <<-'END'
		import base64, json, struct, sys, zlib

		def chunk(kind, data):
		    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

		def png(width, height, raw):
		    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
		    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head)
		            + chunk(b"IDAT", zlib.compress(raw, 9)) + chunk(b"IEND", b""))

		rows = b"".join(b"\0" + (b"\xff\0\0" if y % 4 < 2 else b"\0\0\xff") * 8 for y in range(8))
		pictures = {
		    "small": png(8, 8, rows),
		    "bomb": png(10000, 10000, b"\0" * 30001 * 1000),
		    "lying": png(6000, 6000, rows),
		    "cut": png(8, 8, rows)[:50],
		    "text": b"hello",
		    "gif": b"GIF89a\x08\0\x08\0\0\0\0;",
		}
		for name, data in ("small", pictures["small"]), ("large", png(8000, 5000, b"\0" * 24001 * 5000)):
		    with open(sys.argv[1] + "/" + name, "wb") as f:
		        f.write(data)
		image = lambda data: {"mime": "image/png", "data": base64.b64encode(data).decode()}
		tools = [{"name": "self.picture." + name, "description": "A picture.", "result": {"image": image(data)}}
		         for name, data in pictures.items()]
		with open(sys.argv[1] + "/pictures.json", "w") as f:
		    json.dump({"extends": "esp32", "tools": tools}, f)
	END
}

# terminal_run ARGUMENT…: mcpctl, in a terminal; what came is in the file shown.
terminal_run() {
	status=0
	env -u TMUX -u STY -u COLORTERM -u TERM_PROGRAM -u VTE_VERSION -u LC_TERMINAL \
		"$BATS_TEST_DIRNAME/in_terminal.py" 250 20 mcpctl "$@" >shown || status=$?
	tr -d '\r' <shown >plain
}

# offers NAME COUNT: sets OFFERS, a server whose test://p is that picture, so often.
offers() {
	cat >server.py <<-'END'
		import base64, json, sys
		picture = base64.b64encode(open(sys.argv[1], "rb").read()).decode()
		for line in sys.stdin:
		    m = json.loads(line)
		    if "id" not in m:
		        continue
		    result = {"initialize": {"protocolVersion": "2025-06-18", "capabilities": {"resources": {}},
		                             "serverInfo": {"name": "s", "version": "1"}},
		              "resources/read": {"contents": [{"uri": "test://p", "blob": picture}] * int(sys.argv[2])}}
		    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result.get(m["method"], {})}), flush=True)
	END
	OFFERS=(/usr/bin/python3 server.py "$BATS_FILE_TMPDIR/$1" "$2")
}

picture() { # NAME [OPTION…]
	terminal_run "${@:2}" "sim:$BATS_FILE_TMPDIR/pictures.json" call "self.picture.$1"
}

@test "a picture in a result is drawn on a terminal, and nowhere else" {
	picture small
	ends 0
	grep -q 'image/png, .* bytes, 8x8' plain
	grep -q "$HALF" plain
	cp plain symbols
	picture small --image off
	ends 0
	absent "$HALF" plain
	picture small -o json
	absent "$HALF" plain
	/usr/bin/python3 -c 'import json; json.loads(open("plain").read())'
	TERM=dumb picture small
	absent "$HALF" plain
	NO_COLOR=1 picture small
	absent "$HALF" plain
	# Not even when it is asked for.
	mcp --image symbols "sim:$BATS_FILE_TMPDIR/pictures.json" call self.picture.small
	ends 0
	absent "$HALF" stdout
	mcp --image kitty --color always "sim:$BATS_FILE_TMPDIR/pictures.json" \
		call self.picture.small
	[[ $out != *$'\e'* ]]
	MCPCTL_IMAGE=off picture small
	absent "$HALF" plain
	mcp --image nothing sim: ping
	ends 2
	hints 'auto off kitty sixel iterm symbols'
}

@test "how it is drawn: as the terminal is known for, or as one says" {
	TERM=xterm-kitty picture small
	grep -q $'\e_Ga=T,f=32' plain
	TERM=foot picture small
	grep -q $'\eP[0-9;]*q"1;1;' plain
	picture small --image kitty
	grep -q $'\e_Ga=T,f=32' plain
	picture small --image sixel
	grep -q $'\eP[0-9;]*q"1;1;' plain
	picture small --image iterm
	grep -q $'\e]1337;File=inline=1' plain
	TERM=xterm-kitty picture small --image symbols
	grep -q "$HALF" plain
	absent $'\e_G' plain
	# Without colours, and without Unicode, where symbols are asked for.
	NO_COLOR=1 LC_ALL=C picture small --image symbols
	[ -z "$(tr -d '\000-\177' <plain)" ]
	absent $'\e' plain
}

@test "inside tmux it is symbols, whatever is around" {
	terminal 60 20 TERM_PROGRAM=iTerm.app
	anew "mcpctl 'sim:$BATS_FILE_TMPDIR/pictures.json' call self.picture.small; echo over"
	see '^over'
	grep -q "$HALF" screen
	absent '1337' screen
}

@test "a bomb, a lie, a torn one: told in words, and the call is well" {
	picture bomb
	ends 0
	grep -q 'not shown: it says 10000x10000, 100 megapixels, and 40 are the most' plain
	picture lying
	ends 0
	grep -q 'the picture is \(not shown\|damaged\): ' plain
	picture cut
	ends 0
	grep -q 'not shown: the PNG cannot be decoded' plain
	picture text
	ends 0
	grep -q 'not shown: its bytes are no JPEG and no PNG' plain
	picture gif
	ends 0
	grep -q 'not shown: it is a GIF, and only JPEG and PNG are decoded' plain
	picture bomb -q
	ends 0
	absent 'not shown' plain
}

@test "a photo that a board sends is shown, from the file that it is kept in" {
	terminal_run --save-images shots sim: call self.camera.take_photo question=what
	ends 0
	grep -q "$HALF" plain
	serve --save-images "$WORK/kept"
	device sim
	event ready
	terminal_run call self.camera.take_photo question=what
	ends 0
	grep -q "$HALF" plain
	mcp call self.camera.take_photo question=what
	absent "$HALF" stdout stderr
}

@test "tail draws a photo that comes, on a terminal" {
	serve --save-images "$WORK/kept"
	device sim
	event ready
	for how in auto off; do
		background "tail-$how" env -u TMUX -u STY -u COLORTERM -u TERM_PROGRAM -u VTE_VERSION -u LC_TERMINAL \
			"$BATS_TEST_DIRNAME/in_terminal.py" 250 20 mcpctl tail --image "$how"
		wait_for "tail-$how.out" attached
	done
	mcp call self.camera.take_photo question=what
	ends 0
	wait_for tail-auto.out "$HALF"
	wait_for tail-off.out '\.jpg'
	absent "$HALF" tail-off.out
}

@test "a resource that is a picture is shown, beside the pager" {
	offers small 10
	PAGER='cat' terminal_run read test://p -- "${OFFERS[@]}"
	ends 0
	grep -q "$HALF" plain
	# A server cannot fill the terminal.
	grep -q 'of one result 8 pictures are shown, and it has more' plain
	# By graphics it is for no pager.
	PAGER='sed s/^/paged:/' terminal_run --image sixel read test://p -- "${OFFERS[@]}"
	ends 0
	[ "$(grep -c $'\eP[0-9;]*q"1;1;' plain)" = 8 ]
	absent 'paged:' plain
}

@test "without its parts the call is well, and what is missing is told" {
	mkdir parts
	cp "$BUILD"/mcpctl parts/
	cp -r "$BUILD"/profiles parts/
	PATH=$WORK/parts:$PATH picture small
	ends 0
	grep -q "not shown: the part 'mcpctl-canvas.so' is not installed" plain
	cp "$BUILD"/mcpctl-canvas.so parts/
	PATH=$WORK/parts:$PATH picture small
	ends 0
	grep -q "not shown: the part 'mcpctl-pixels.so' is not installed" plain
}

@test "the process that decodes gives up files, sockets, programs, memory" {
	/usr/bin/python3 - "$BATS_FILE_TMPDIR/large" >given_up <<-'END'
		import subprocess, sys

		def of(pid, what):
		    return open(f"/proc/{pid}/{what}").read()

		# It takes as long as we need to look.
		decoder = subprocess.Popen(["mcpctl", "decode"], stdin=open(sys.argv[1]), stdout=open("answer", "w"))
		while "Max open files            0 " not in of(decoder.pid, "limits"):
		    assert decoder.poll() is None, "it has ended"
		sys.stdout.write(of(decoder.pid, "status") + of(decoder.pid, "limits"))
		assert decoder.wait() == 0
	END
	grep -q '^NoNewPrivs:[[:space:]]*1' given_up
	grep -Eq '^Max cpu time +5 +5 ' given_up
	grep -Eq '^Max processes +0 +0 ' given_up
	grep -Eq '^Max file size +[0-9]+ ' given_up
	# AddressSanitizer needs more than anybody has.
	[ "$BUILD" != "$TOP" ] || grep -Eq '^Max address space +536870912 ' given_up
	! grep -q '^Seccomp:[[:space:]]*[12]' /proc/self/status || skip 'one is in force already'
	grep -q '^Seccomp:[[:space:]]*2' given_up
}

@test "what is too long is not even read to its end" {
	head -c 70000000 /dev/zero | mcpctl decode >answer
	grep -aq 'too long' answer
}

@test "Ctrl-C amid a picture: no further one, and status 130" {
	offers large 5
	terminal 80 30
	enter "clear; PAGER= mcpctl read test://p -- ${OFFERS[*]@Q}; echo status \$?"
	# It takes half a second of CPU time.
	until_true pgrep -f '^mcpctl decode$'
	keys C-c
	see '^status 130'
	absent 'is not shown' screen
}
