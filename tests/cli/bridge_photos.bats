#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bridge --photos: the picture that a call took stands in its result, and never
# another one. Boards are simulated ones, and some with habits (camera_board.py).
# shellcheck disable=SC2154,SC2016 # set by helper.bash; for the shell of --vision-exec

load helper

# host ARG…: the host's script is stdin; ARG are its arguments.
host() {
	PYTHONPATH=$BATS_TEST_DIRNAME timeout $((PATIENCE * 2)) python3 - "$@" || {
		cat bridge.err >&2
		return 1
	}
}

ready() { [ "$(mcpctl devices -o json | grep -c '"state":"ready"')" = "$1" ]; }

# asked: the board is at a question.
asked() { mcpctl devices -o json | grep -q '"asked":"'; }

# cameras N: so many boards with habits, named c1, c2, …
cameras() {
	local i
	for ((i = 1; i <= $1; i++)); do
		background "camera$i" env "PYTHONPATH=$BATS_TEST_DIRNAME" /usr/bin/python3 \
			"$BATS_TEST_DIRNAME/camera_board.py" "ws://127.0.0.1:$PORT/xiaozhi/v1/" \
			"02:00:00:00:00:0$i" "c$i"
	done
	until_true ready "$1"
}

# small: photo.jpg, a picture of 2x2.
small() {
	base64 -d >photo.jpg <<'END2'
/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////
////////////////////////////////////////////wAALCAACAAIBAREA/8QAFAABAAAAAAAA
AAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AN//Z
END2
}

@test "it stands beside the text, as it was taken, with --photos alone" {
	small
	serve --vision-text 'a cat'
	device board --photo photo.jpg
	until_true ready 1
	host <<'EOF'
from bridge_host import Host
from photo_host import photo, take
h = Host("bridge", "--photos")
h.initialize()
text, data, mime = photo(take(h, "what is it"))
assert text == '{"success":true,"action":"RESPONSE","response":"a cat"}', text
assert data == open("photo.jpg", "rb").read() and mime == "image/jpeg", mime
# Of a tool that takes none nothing is said.
assert len(h.reply(h.start_call("get_device_status"))["result"]["content"]) == 1
assert h.end()[0] == 0
h = Host("bridge")
h.initialize()
assert take(h, "what is it")["content"] == [{"type": "text", "text": text}]
assert h.end()[0] == 0
EOF
	# It is written nowhere.
	[ "$(find . -name '*.jpg')" = ./photo.jpg ]
	[ -z "$(find . -name 'mcpctl-*')" ]
	absent '/9j/4AAQ' bridge.err serve.out
}

@test "a command answers it: the text is its own, the picture the board's" {
	small
	serve --vision-exec 'echo "asked: $2"'
	device board --photo photo.jpg
	until_true ready 1
	host <<'EOF'
from bridge_host import Host
from photo_host import photo, take
h = Host("bridge", "--photos")
h.initialize()
text, data, mime = photo(take(h, "which \"one\""))
assert 'asked: which \\"one\\"' in text and data == open("photo.jpg", "rb").read(), text
h.end()
EOF
}

@test "of several uploads it is the one whose answer is the result" {
	serve
	cameras 1
	host <<'EOF'
from bridge_host import Host
from photo_host import missing, photo, take
h = Host("bridge", "--photos")
h.initialize()
def shown(question):
    _, data, mime = photo(take(h, question))
    return data.split(b" ")[1], mime
assert shown("plain") == (b"1", "image/jpeg")
assert shown("first") == (b"2", "image/jpeg"), "2 and 3 were sent"
assert shown("last") == (b"5", "image/jpeg"), "4 and 5 were sent"
# Its type is that of its bytes; boards always say JPEG.
assert shown("png") == (b"6", "image/png")
assert missing(take(h, "gif"))[1] == "its bytes are no JPEG and no PNG"
# Where it is not known whose it is, there is none, and it is said.
text, why = missing(take(h, "own"))
assert text == "a cat" and "does not say that it is of this call" in why, why
# That of a call before, though the result has its name.
result = take(h, "old")
assert len(result["content"]) == 2 and "none came" in result["content"][1]["text"], result
for question in "none", "empty":
    assert "none came" in missing(take(h, question))[1]
# What strangers send is not taken, and shown to nobody.
text, why = missing(take(h, "stranger"))
assert text == "401 401" and "none came" in why, (text, why)
assert shown("plain")[0] == b"10"
h.end()
EOF
}

@test "what names a picture for that call stands in no other one" {
	small
	serve --vision-text 'a cat'
	cameras 1
	# Three ways to call beside it; the pictures are taken while it is on its way.
	local way
	for way in "call" "--all call" "raw"; do
		background "other" sh -c '
			way=$1
			[ "$way" = raw ] || exec mcpctl -o json $way self.camera.take_photo question=wait
			exec mcpctl request tools/call "{\"name\":\"self.camera.take_photo\",\"arguments\":{\"question\":\"wait\"}}"' sh "$way"
		local other=$LAST
		until_true asked
		host <<'EOF'
from bridge_host import Host
from photo_host import photo, take
h = Host("bridge", "--photos")
h.initialize()
text, data, mime = photo(take(h, "after"))
assert text == '{"success":true,"action":"RESPONSE","response":"a cat"}', text
h.end()
EOF
		finish "$other" 0
		grep -q 'a cat' other.out
		absent picture_id other.out
	done
}

@test "too large for a result, or for serve: the text alone, and why" {
	serve --picture-max 1500000
	cameras 1
	host <<'EOF'
from bridge_host import Host
from photo_host import missing, photo, take
h = Host("bridge", "--photos")
h.initialize()
most = (1048576 - 16384) // 4 * 3
assert len(photo(take(h, str(most)))[1]) == most
text, why = missing(take(h, str(most + 1)))
assert '"success":true' in text and why == "it has %d bytes, and %d are the most here" % (most + 1, most), why
assert "1200000 bytes" in missing(take(h, "1200000"))[1]
text, why = missing(take(h, "2000000"))
assert text == "413" and "none came" in why, (text, why)
assert len(photo(take(h, "1000"))[1]) == 1000
h.end()
EOF
}

@test "two boards at once, two bridges, twenty calls: each has its own" {
	serve
	cameras 2
	host <<'EOF'
from bridge_host import Host
from photo_host import photo
hosts = [Host("bridge", "--photos", "--rate", "1000"), Host("bridge", "--photos", "--rate", "1000")]
seen = set()
for h in hosts:
    h.initialize()
for turn in range(5):
    asked = [(h, n, h.start_call("00000%d__camera_take_photo" % n, {"question": "last" if turn % 2 else "plain"}))
             for h in hosts for n in (1, 2)]
    for h, n, i in asked:
        name, number = photo(h.reply(i)["result"])[1][4:].split(b" ")[:2]
        assert name == b"c%d" % n, (name, n)
        assert (name, number) not in seen, "shown twice"
        seen.add((name, number))
assert len(seen) == 20, seen
for h in hosts:
    h.end()
EOF
}

@test "no answer within the time: no picture either, and the board's next one is its own" {
	small
	serve
	device board --device-id 02:00:00:00:00:01 --fault no-reply --photo photo.jpg
	until_true ready 1
	host <<'EOF'
from bridge_host import Host
from photo_host import take
h = Host("--timeout", "2s", "bridge", "--photos")
h.initialize()
result = take(h, "silent")
assert result["isError"] and len(result["content"]) == 1, result
h.end()
EOF
	kill "$DEVICE"
	finish "$DEVICE" 143
	cameras 1
	host <<'EOF'
from bridge_host import Host
from photo_host import photo, take
h = Host("bridge", "--photos")
h.initialize()
assert photo(take(h, "plain"))[1].split(b" ")[1] == b"1"
h.end()
EOF
}

@test "boards that send theirs elsewhere, and targets that are no boards of serve" {
	background service /usr/bin/python3 "$BATS_TEST_DIRNAME/http_says.py" '200 OK' '{"success":true}' application/json
	at=$(wait_for service.out '^port ' | tr -dc 0-9)
	serve --vision-url "http://127.0.0.1:$at/explain"
	device board
	until_true ready 1
	host <<'EOF'
from bridge_host import Host
from photo_host import missing, take
h = Host("-t", "attach:", "-t", "sim:", "bridge", "--photos")
h.initialize()
tools = h.until_tool("sim__camera_take_photo")
board = [n for n in tools if n.endswith("camera_take_photo") and not n.startswith("sim")][0]
text, why = missing(take(h, "x", board))
assert text == '{"success":true}' and "another service (serve --vision-url)" in why, why
text, why = missing(take(h, "x", "sim__camera_take_photo"))
assert "mcpctl received a JPEG" in text and why == "--photos has those of serve's boards alone", why
h.end()
EOF
}

@test "over HTTP as over stdio; at an access point it has no room, and that is said" {
	small
	serve
	cameras 1
	background bridge mcpctl bridge --photos --listen 127.0.0.1:0
	url=$(wait_for bridge.err 'listening at http://127.*/mcp$' | grep -o 'http://.*')
	until_true eval "mcp '$url' tools --jq .name; grep -q camera stdout"
	mcp -o json "$url" call camera_take_photo question=plain
	ends 0
	jq -e '.content | length == 2 and .[1].type == "image" and .[1].mimeType == "image/jpeg"' stdout
	mkfifo orders
	exec 7<>orders
	background point /usr/bin/python3 "$BATS_TEST_DIRNAME/access_point.py" orders
	point=ws://127.0.0.1:$(wait_for point.out '^[0-9]+$')/mcp_endpoint
	printf '%s\n' "$point/mcp/?token=good" >urls
	background dials mcpctl bridge --photos --mcp-endpoint-file urls
	wait_for dials.err ': connected$'
	until_true eval "mcp '$point/call/?token=good' tools --jq .name; grep -q camera stdout"
	mcp -o json "$point/call/?token=good" call camera_take_photo question=9000
	ends 0
	jq -e '.content | length == 1 and (.[0].text | test("\"success\":true.*[(]left out: a picture or sound of 90[0-9][0-9] bytes; the access point takes 8192[)]$"))' stdout
}
