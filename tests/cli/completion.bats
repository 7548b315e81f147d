#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Completion in the real shells, non-interactively where they can.

load helper

bash_complete() { # WORD…: candidates for the last word, a line each
	bash -c '
		source "$1"; shift
		COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
		COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
		_mcpctl
		printf "%s\n" "${COMPREPLY[@]}"
	' bash "$ROOT/completions/mcpctl.bash" "$@"
}

@test "bash: commands, options of a command, choices, topics, faults" {
	bash_complete mcpctl sim: to >got
	grep -q '^tools' got
	bash_complete mcpctl sim: tools --no >got
	grep -q -- '^--no-user' got
	bash_complete mcpctl -o j >got
	grep -q '^json' got
	bash_complete mcpctl help fau >got
	grep -q '^faults' got
	bash_complete mcpctl sim --fault late >got
	grep -q '^late-reply' got
}

@test "bash: what completion prints is what is installed" {
	mcpctl completion bash | cmp - "$ROOT/completions/mcpctl.bash"
	mcpctl completion zsh | cmp - "$ROOT/completions/_mcpctl"
	mcpctl completion fish | cmp - "$ROOT/completions/mcpctl.fish"
}

@test "fish: its own machinery, with descriptions" {
	fish --no-config -c "source $ROOT/completions/mcpctl.fish
		complete -C 'mcpctl sim: to'" >got
	grep -qE '^tools[[:space:]]+[a-z]' got
	fish --no-config -c "source $ROOT/completions/mcpctl.fish
		complete -C 'mcpctl sim: tools --no'" >got
	grep -q -- '--no-user' got
}

@test "zsh: in a terminal" {
	cat >.zshrc <<END
fpath=($ROOT/completions \$fpath)
autoload -Uz compinit && compinit -u -D
PS1='> '
END
	socket=$WORK/tmux
	tmux -u -S "$socket" -f /dev/null new-session -d -x 100 -y 30 \
		"env ZDOTDIR=$WORK PATH=$PATH zsh -i"
	sleep 1
	tmux -S "$socket" send-keys 'mcpctl sim: desc' Tab
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		sleep 0.3
		tmux -S "$socket" capture-pane -p >screen
		grep -q 'mcpctl sim: describe' screen && break
	done
	tmux -S "$socket" kill-server
	grep -q 'mcpctl sim: describe' screen
}
