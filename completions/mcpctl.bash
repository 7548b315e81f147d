# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Completion of mcpctl for bash. What may stand there is mcpctl's to say: it reads
# the line, and looks at a running serve and at lists that were kept. It needs
# nothing of the bash-completion package and works sourced as well as loaded by it.

_mcpctl() {
	local program=${COMP_WORDS[0]} glob=$- IFS=$'\n' head lead typed file
	[[ $program == */* ]] || program=mcpctl
	program=${program/#\~\//$HOME/}
	COMPREPLY=()
	head=$(COMP_LINE=${COMP_LINE:0:COMP_POINT} \
		exec "$program" _complete bash "$2" 2>/dev/null </dev/null)
	# Two that have nothing in common: readline lists them, and inserts none.
	if [[ $head == 'note '* ]]; then
		compopt -o nosort -o nospace 2>/dev/null
		COMPREPLY=("${head#note }" ' ')
		return 0
	fi
	[[ $head == words* || $head == files* ]] || return 0
	set -f
	# shellcheck disable=SC2206 # lines
	COMPREPLY=($head)
	[[ $glob == *f* ]] || set +f
	head=${COMPREPLY[0]}
	unset 'COMPREPLY[0]'
	[[ $head == words*nosort* ]] && compopt -o nosort 2>/dev/null
	[[ $head == words*nospace ]] && compopt -o nospace 2>/dev/null
	[[ $head == files* ]] || return 0
	# What stands before a name, unless readline cut it off, and what is typed of it.
	typed=${head##*$'\t'} lead=${head#*$'\t'}
	lead=${lead%%$'\t'*}
	compopt -o filenames 2>/dev/null
	while read -r file; do
		[[ $lead && -d $file ]] && file+=/ && compopt -o nospace 2>/dev/null
		COMPREPLY+=("$lead$file")
	done < <(compgen -f -- "$typed")
	return 0
}

complete -F _mcpctl mcpctl
