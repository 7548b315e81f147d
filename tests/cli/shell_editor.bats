#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The shell's line editor in a real terminal (tmux): pastes, lists, searches,
# other widths, other locales, vi mode.

load helper
load terminal

# A shell in the terminal; COLUMNS ROWS [NAME=VALUE…].
open_shell() {
	terminal "$1" "$2" INPUTRC=/dev/null "${@:3}"
	enter 'mcpctl sim: shell'
	last_line '^pretend-esp32s3> *$'
}

leave() {
	last_line '> *$'
	keys C-d
	see '^\$ *$'
	enter 'stty -a | grep -o "[-]*icanon"'
	see '^icanon'
	close_terminal
}

at_column() { [ "$(tmux -S "$SOCKET" display -p '#{cursor_x}')" = "$1" ]; }

@test "a paste of three lines is one entry, also in the history of the next shell" {
	open_shell 80 20
	printf '{\n  "volume": 41\n}' >pasted
	type_text 'self.audio_speaker.set_volume '
	tmux -S "$SOCKET" load-buffer pasted
	tmux -S "$SOCKET" paste-buffer -p
	see '^  "volume": 41'
	last_line '^}$'
	absent '^true' screen
	keys Enter
	see '^true'
	leave
	open_shell 80 20
	keys C-r
	type_text 'volu'
	see 'reverse-i-search'
	keys C-e
	see '^  "volume": 41'
	keys Enter
	see '^true'
	leave
}

@test "TAB completes, and lists with what each is, above the line" {
	open_shell 80 12
	type_text 'self.audio_sp'
	keys Tab
	last_line 'self.audio_speaker.set_volume'
	type_text '7'
	keys C-u
	type_text 'describe self.screen.'
	keys Tab Tab
	see '^self\.screen\.set_theme  +[^ ]'
	last_line '^pretend-esp32s3> describe self\.screen\.'
	keys C-c
	last_line '^pretend-esp32s3> *$'
	# More than a screen: a page at a time.
	keys Tab Tab
	last_line '^--More--'
	type_text 'q'
	last_line '^pretend-esp32s3> *$'
	leave
}

@test "a wrapped line at other widths, and typing goes on in it" {
	open_shell 60 20
	type_text 'self.audio_speaker.set_volume 你好世界 and a good deal more that wraps'
	keys Left Left
	tmux -S "$SOCKET" resize-window -x 40 -y 20
	see 'good deal more'
	type_text 'X'
	see 'wraXps'
	tmux -S "$SOCKET" resize-window -x 100 -y 20
	last_line '^pretend-esp32s3> self.audio_speaker.set_volume 你好世界 and a good deal more that wraXps$'
	type_text 'Y'
	last_line 'wraXYps$'
	keys C-c
	last_line '^pretend-esp32s3> *$'
	leave
}

@test "LANG=C: wide characters all the same" {
	open_shell 60 20 LC_ALL=C
	type_text '你好世界'
	keys Left Left
	type_text 'x'
	last_line '^pretend-esp32s3> 你好x世界$'
	keys BSpace BSpace
	last_line '^pretend-esp32s3> 你世界$'
	keys C-c
	last_line '^pretend-esp32s3> *$'
	type_text '好'
	last_line '^pretend-esp32s3> 好$'
	keys C-u
	leave
}

@test "vi mode of inputrc, for mcpctl alone" {
	# shellcheck disable=SC2016 # it is readline's
	printf '$if mcpctl\nset editing-mode vi\n$endif\n' >inputrc
	open_shell 60 20 INPUTRC="$WORK/inputrc"
	type_text 'xxx ping'
	last_line 'xxx ping$'
	keys Escape
	# Only then it is no beginning of another key: the cursor goes back one.
	until_true at_column 24
	type_text '0dw'
	last_line '^pretend-esp32s3> ping$'
	keys Enter
	see '^alive'
	leave
}
