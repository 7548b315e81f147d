# SPDX-License-Identifier: MIT
# Shared by the tests in a real terminal (tmux): a shell in it, keys, and what
# stands on the screen. The teardown of helper.bash ends it.
#
# shellcheck disable=SC2034 # variables that the test files use

# terminal [COLUMNS ROWS] [NAME=VALUE…]: a bash that waits at its prompt.
terminal() {
	SOCKET=$WORK/tmux
	tmux -u -S "$SOCKET" -f /dev/null new-session -d -x "${1:-80}" -y "${2:-30}" \
		"env PATH='$PATH' TERM=screen-256color ${*:3} PS1='\$ ' bash --norc --noprofile" 3>&-
	see '^\$'
}

keys() { tmux -S "$SOCKET" send-keys "$@"; }
type_text() { tmux -S "$SOCKET" send-keys -l "$1"; }
enter() { type_text "$1" && keys Enter; }

# see PATTERN [SECONDS]: until it stands on the screen.
see() {
	local tries=$((${2:-10} * 20))
	while ((tries-- > 0)); do
		tmux -S "$SOCKET" capture-pane -p >screen 2>/dev/null || :
		grep -qE -- "$1" screen && return 0
		sleep 0.05
	done
	echo "never on the screen: $1" >&2
	cat screen >&2
	return 1
}

# last_line PATTERN: the last line that is not empty matches.
last_line() {
	local tries=200
	while ((tries-- > 0)); do
		tmux -S "$SOCKET" capture-pane -p >screen
		grep -v '^ *$' screen | tail -n 1 | grep -qE -- "$1" && return 0
		sleep 0.05
	done
	echo "the last line is not: $1" >&2
	cat screen >&2
	return 1
}
