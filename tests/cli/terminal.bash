# SPDX-License-Identifier: MIT
# Shared by the tests in a real terminal (tmux): a shell in it, keys, and what
# stands on the screen. The teardown of helper.bash ends it.
#
# shellcheck disable=SC2034 # variables that the test files use

# terminal [COLUMNS ROWS] [NAME=VALUE…]: a bash that waits at its prompt.
terminal() {
	SOCKET=$WORK/tmux
	tmux -u -S "$SOCKET" -f /dev/null new-session -d -x "${1:-80}" -y "${2:-30}" \
		"exec env PATH='$PATH' TERM=screen-256color ${*:3} PS1='\$ ' bash --norc --noprofile" 3>&-
	see '^\$'
}

keys() { tmux -S "$SOCKET" send-keys "$@"; }
type_text() { tmux -S "$SOCKET" send-keys -l "$1"; }
enter() { type_text "$1" && keys Enter; }

# anew LINE: enter it on a screen that is empty, so that what the one before said
# is not taken for its words.
anew() { keys -R && enter "$1"; }

# close_terminal: it and what runs in it, to their ends: else the next one at
# that socket is talking to a server that goes.
close_terminal() {
	local pids pid
	pids=$(tmux -S "$SOCKET" list-panes -a -F '#{pane_pid} #{pid}')
	tmux -S "$SOCKET" kill-server
	for pid in $pids; do
		until_true over "$pid"
	done
}

end_terminals() { [ ! -S "${SOCKET:-}" ] || close_terminal; }

# capture: what stands there now, in the file screen.
capture() { tmux -S "$SOCKET" capture-pane -p >screen; }

shows() { capture && grep -qE -- "$1" screen; }
ends_with() { capture && grep -v '^ *$' screen | tail -n 1 | grep -qE -- "$1"; }

# scrolled_away PATTERN: it stood on the screen, and is above it now.
scrolled_away() { tmux -S "$SOCKET" capture-pane -p -S - -E -1 | grep -qE -- "$1"; }

# runs NAME: whether that program has the terminal now.
runs() { [ "$(tmux -S "$SOCKET" display -p '#{pane_current_command}')" = "$1" ]; }

# see PATTERN: until it stands on the screen.
see() {
	until_true shows "$1" && return 0
	echo "never on the screen: $1" >&2
	cat screen >&2
	return 1
}

# last_line PATTERN: until the last line that is not empty matches.
#
# A key that is more than a letter (Ctrl-D, Ctrl-C, Ctrl-Z) means what the test
# wants only behind a prompt, and behind what was typed only when that stands
# there: before, the terminal takes it itself, and throws away what was typed.
last_line() {
	until_true ends_with "$1" && return 0
	echo "the last line is not: $1" >&2
	cat screen >&2
	return 1
}
