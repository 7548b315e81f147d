# SPDX-License-Identifier: MIT
# Completion of mcpctl for fish. What may stand there is mcpctl's to say: it looks
# at a running serve and at lists that were kept.

function __mcpctl
	set -l words (commandline -opc)
	set -l raw (commandline -ct)
	set -l typed (string unescape -- "$raw"; or string unescape -- "$raw"\"; or string unescape -- "$raw"\')
	set -l program mcpctl
	string match -q '*/*' -- $words[1]; and set program (string replace -r '^~/' $HOME/ -- $words[1])
	command -q $program; or return
	set -e words[1]
	set -l found (command $program _complete fish $words "$typed" 2>/dev/null </dev/null)
	set -l kind $found[1]
	set -e found[1]
	switch "$kind"
		case words
			string sub -s 1 -- $found
		case 'files*'
			set -l keep (string replace -r '^files ?' '' -- $kind)
			# As it was typed, so that fish knows a ~.
			test -n "$keep"; and set raw (string escape -- (string sub -s (math 1 + (string length -- "$keep")) -- "$typed"))
			string sub -s 1 -- $found
			string sub -s 1 -- "$keep"(complete -C "'' $raw")
		case 'note *'
			# One alone would be taken and not be shown.
			test -z "$typed"; and printf '%s\t%s\n' '' (string sub -s 6 -- $kind) --help 'help on the command'
	end
end

# Read once more, it would offer everything twice.
complete -c mcpctl -e
complete -c mcpctl -f -k -a '(__mcpctl)'
