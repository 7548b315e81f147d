# shellcheck shell=bash
# Completion of mcpctl for bash. Written by 'mcpctl generate bash' from the
# command table: do not edit.

# Readline splits words at ':' and '=', mcpctl does not: put them together.
# Sets words (before the cursor) and cur (what is being typed).
_mcpctl_words() {
	local rest=${COMP_LINE:0:COMP_POINT} piece i
	words=() cur=${COMP_WORDS[COMP_CWORD]}
	if [[ -z ${COMP_LINE-} ]]; then
		words=("${COMP_WORDS[@]:0:COMP_CWORD}")
		return
	fi
	for ((i = 0; i < COMP_CWORD; i++)); do
		piece=${COMP_WORDS[i]}
		if [[ $i == 0 || $rest == [[:space:]]* ]]; then
			words+=("$piece")
		else
			words[${#words[@]} - 1]+=$piece
		fi
		rest=${rest#"${rest%%[![:space:]]*}"}
		rest=${rest#"$piece"}
	done
	if [[ $rest == [[:space:]]* ]]; then
		cur=${rest#"${rest%%[![:space:]]*}"}
	else
		cur=${words[${#words[@]} - 1]}$rest
		unset 'words[${#words[@]} - 1]'
	fi
}

# COMMAND OPTION: sets what completes its value; 1 if it takes none.
_mcpctl_value() {
	case "$1 $2" in
	'tools --diff')
		files=1
		;;
	'call --expect')
		ask=1
		;;
	'call --save')
		files=1
		;;
	'call --upload')
		:
		;;
	'read --save')
		files=1
		;;
	'subscribe -n' | 'subscribe --count')
		:
		;;
	'subscribe --for')
		:
		;;
	'prompt --save')
		files=1
		;;
	'tail --filter')
		:
		;;
	'tail -n' | 'tail --count')
		:
		;;
	'tail --for')
		:
		;;
	'tail --level')
		list='debug info notice warning error critical alert emergency'
		;;
	'run --report')
		ask=1
		;;
	'serve --listen')
		:
		;;
	'serve --path')
		:
		;;
	'serve --offer')
		list='auto ws mqtt'
		;;
	'serve --alias-file')
		files=1
		;;
	'serve --save-images')
		files=1
		;;
	'serve --vision-exec')
		:
		;;
	'serve --vision-text')
		:
		;;
	'serve --mqtt-broker')
		:
		;;
	'serve --topic-up')
		:
		;;
	'serve --topic-down')
		:
		;;
	'serve --mqtt-key-file')
		files=1
		;;
	'serve --mqtt-operator-file')
		files=1
		;;
	'serve --udp-port')
		:
		;;
	'serve --devices-max')
		:
		;;
	'serve --message-max')
		:
		;;
	'serve --picture-max')
		:
		;;
	'serve --handshake')
		:
		;;
	'serve --hello-wait')
		:
		;;
	'serve --exec')
		:
		;;
	'serve --pidfile')
		files=1
		;;
	'serve --log')
		files=1
		;;
	'sim --connect')
		:
		;;
	'sim --ota')
		:
		;;
	'sim --listen')
		:
		;;
	'sim --devices')
		:
		;;
	'sim --device-id')
		:
		;;
	'sim --client-id')
		:
		;;
	'sim --token-file')
		files=1
		;;
	'sim --rate')
		:
		;;
	'sim --for')
		:
		;;
	'sim --fill')
		:
		;;
	'sim --firmware')
		list='2.4.2 next'
		;;
	'sim --photo')
		files=1
		;;
	'sim --frame-version')
		:
		;;
	'sim --fault')
		list='late-reply no-reply two-replies wrong-id string-id not-json cut-frame close-mid-reply huge deep bad-utf8 control-characters loop-cursor empty-page no-features no-hello late-hello duplicate-tool notify-storm'
		many=1
		;;
	'sim --ollama')
		:
		;;
	'sim --model')
		:
		;;
	'sim --ollama-timeout')
		:
		;;
	*' -t' | *' --target')
		ask=1
		;;
	*' -d' | *' --device')
		ask=1
		;;
	*' -e' | *' --execute')
		list='info tools describe call resources templates read subscribe prompts prompt complete tail ping devices kick stop targets trust request notify send loglevel run shell serve sim help version completion'
		;;
	*' -o' | *' --output')
		list='text json raw'
		;;
	*' --trace')
		files=1
		;;
	*' --timeout')
		:
		;;
	*' --wait')
		:
		;;
	*' --envelope')
		list='auto device plain'
		;;
	*' --token-file')
		files=1
		;;
	*' --mqtt-password-file')
		files=1
		;;
	*' --socket')
		files=1
		;;
	*' --header')
		:
		;;
	*' --env')
		:
		;;
	*' --cwd')
		files=1
		;;
	*' --config')
		files=1
		;;
	*' --proxy')
		:
		;;
	*' --resolve')
		:
		;;
	*' --retry')
		:
		;;
	*' --elicit')
		ask=1
		;;
	*' --sampling')
		ask=1
		;;
	*' --root')
		files=1
		;;
	*' --cacert')
		files=1
		;;
	*' --advertise')
		:
		;;
	*' --allow-origin')
		:
		;;
	*' --allow-host')
		:
		;;
	*' --trusted-proxy')
		:
		;;
	*' --vision-url')
		:
		;;
	*' --vision-token-file')
		files=1
		;;
	*' --color')
		list='auto always never'
		;;
	*) return 1 ;;
	esac
}

# COMMAND: sets its options and the global ones.
_mcpctl_options() {
	list=' -t --target -d --device --all -e --execute -o --output -v --verbose -q --quiet --trace --timeout --wait --envelope --token-file --mqtt-password-file --socket --header --env --cwd --config --trust --proxy --resolve --retry --retry-calls --breaker --elicit --sampling --root --cacert --insecure --advertise --allow-origin --allow-host --trusted-proxy --vision-url --vision-token-file --no-init --color -h --help --version'
	case $1 in
	tools)
		list+=' --tree --diff --cached --no-user'
		;;
	call)
		list+=' --no-validate --expect --save --upload'
		;;
	read)
		list+=' --save'
		;;
	subscribe)
		list+=' --read -n --count --for'
		;;
	prompt)
		list+=' --no-validate --save'
		;;
	tail)
		list+=' --filter -n --count --for --level'
		;;
	devices)
		list+=' --watch --enrolled'
		;;
	trust)
		list+=' -l --list --revoke'
		;;
	run)
		list+=' -k --keep-going --report'
		;;
	shell)
		list+=' -k --keep-going --no-history'
		;;
	serve)
		list+=' --listen --path --offer --alias-file --save-images --vision-exec --vision-text --mqtt --mqtt-broker --topic-up --topic-down --mqtt-key-file --enroll --mqtt-operator-file --udp-port --silence --devices-max --message-max --picture-max --handshake --hello-wait --exec --once --daemon --no-sandbox --pidfile --log'
		;;
	sim)
		list+=' --connect --ota --listen --devices --device-id --client-id --token-file --rate --for --fill --firmware --reconnect --audio --subscribe --photo --frame-version --fault --ollama --model --ollama-timeout'
		;;
	esac
}

# COMMAND: sets what completes its operands.
_mcpctl_operand() {
	case $1 in
	tools)
		ask=1
		;;
	describe)
		ask=1
		;;
	call)
		ask=1
		;;
	resources)
		ask=1
		;;
	templates)
		ask=1
		;;
	read)
		ask=1
		;;
	subscribe)
		ask=1
		;;
	prompts)
		ask=1
		;;
	prompt)
		ask=1
		;;
	complete)
		ask=1
		;;
	devices)
		ask=1
		;;
	kick)
		ask=1
		;;
	trust)
		files=1
		;;
	request)
		list='initialize ping tools/list tools/call resources/list resources/read resources/templates/list resources/subscribe resources/unsubscribe prompts/list prompts/get completion/complete logging/setLevel notifications/initialized notifications/cancelled'
		;;
	notify)
		list='initialize ping tools/list tools/call resources/list resources/read resources/templates/list resources/subscribe resources/unsubscribe prompts/list prompts/get completion/complete logging/setLevel notifications/initialized notifications/cancelled'
		;;
	send)
		ask=1
		;;
	loglevel)
		list='debug info notice warning error critical alert emergency'
		;;
	run)
		files=1
		;;
	sim)
		list='esp32 fixtures fixtures-ws large llm'
		files=1
		;;
	help)
		list='info tools describe call resources templates read subscribe prompts prompt complete tail ping devices kick stop targets trust request notify send loglevel run shell serve sim help version completion board backend servers llm status json profile faults environment'
		;;
	completion)
		list='bash zsh fish'
		;;
	esac
}

# TARGET: sets the commands and, where there is none yet, the targets.
_mcpctl_first() {
	list='info tools describe call resources templates read subscribe prompts prompt complete tail ping devices kick stop targets trust request notify send loglevel run shell serve sim help version completion'
	[[ $1 ]] || list+=' listen: sim: http:// https:// stdio: ws:// wss:// mqtt:// mqtts:// attach: sim:esp32 sim:fixtures sim:fixtures-ws sim:large sim:llm'
}

# Ask mcpctl itself: it looks at a running serve and at lists that were kept.
# Sets COMPREPLY to words as they are typed, and prefix and files.
_mcpctl_ask() {
	local program=${words[0]-mcpctl} text glob=$- IFS=$'\n'
	[[ $program == */* ]] || program=mcpctl
	program=${program/#\~\//$HOME/}
	text=$(exec "$program" _complete bash "${words[@]:1}" "$cur" 2>/dev/null </dev/null)
	case $text in
	words$'\n'* | files*) ;;
	*) return ;;
	esac
	set -f
	# shellcheck disable=SC2206 # lines
	COMPREPLY=($text)
	[[ $glob == *f* ]] || set +f
	if [[ $text == files* ]]; then
		prefix=${COMPREPLY[0]#files} files=1
		prefix=${prefix# }
	fi
	unset 'COMPREPLY[0]'
	# Readline adds a space itself; for thousands it takes its time.
	text=${COMPREPLY[1]-}
	if [[ ${#COMPREPLY[@]} == 1 && $text != "$cur"*' ' ]]; then
		open=1
	elif [[ ${#COMPREPLY[@]} -lt 100 && $text == "$cur"* ]]; then
		COMPREPLY=("${COMPREPLY[@]% }")
	fi
	compopt -o nosort 2>/dev/null
}

# Add the words of list that begin with what is typed behind prefix.
_mcpctl_list() {
	local word typed=${cur#"$prefix"}
	typed=${typed#[\"\']}
	for word in $list; do
		[[ $word == "$typed"* ]] && COMPREPLY+=("$prefix$word")
	done
	[[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[:/] ]] && open=1
}

# Add file names; lead: what of prefix readline has not cut off.
_mcpctl_files() {
	local file lead=${prefix#"$keep"} typed=${cur#"$prefix"}
	if [[ $typed == [\"\']* ]]; then
		typed=${typed#?}
	else
		typed=${typed//\\/}
	fi
	compopt -o filenames 2>/dev/null
	while IFS= read -r file; do
		[[ $lead && -d $file ]] && file+=/ open=1
		COMPREPLY+=("$prefix$file")
	done < <(compgen -f -- "$typed")
}

_mcpctl() {
	local cur words word letters command='' target='' pending='' list='' files=''
	local prefix='' keep='' many='' ask='' open='' i=1 IFS=$' \t\n'
	COMPREPLY=()
	_mcpctl_words
	while ((i < ${#words[@]})); do
		word=${words[i]} pending='' letters=''
		((i += 1))
		[[ $word == -t* || $word == --target* ]] && target=given
		if [[ $word == -- ]]; then
			return 0
		elif [[ $word == --*=* ]]; then
			continue
		elif [[ $word == -[!-]* ]]; then
			# Letters; the first that takes a value ends them.
			letters=${word#-}
			while [[ $letters ]]; do
				word=-${letters:0:1} letters=${letters:1}
				_mcpctl_value "$command" "$word" && break
				word=''
			done
			[[ $letters || ! $word ]] && continue
		elif [[ $word == --* ]]; then
			_mcpctl_value "$command" "$word" || continue
		elif [[ ! $command && ! $target && $word == *:* ]]; then
			target=$word
			continue
		else
			[[ $command ]] || command=$word
			continue
		fi
		if ((i < ${#words[@]})); then
			((i += 1))
		else
			pending=$word
		fi
	done
	list='' files='' many='' ask=''
	if [[ $pending ]]; then
		_mcpctl_value "$command" "$pending"
	elif [[ $cur == --*=* ]]; then
		prefix=${cur%%=*}=
		_mcpctl_value "$command" "${cur%%=*}"
	elif [[ $cur == -[!-]?* || $cur == @* ]]; then
		ask=1
	elif [[ $cur == -* ]]; then
		_mcpctl_options "$command"
	elif [[ $command ]]; then
		_mcpctl_operand "$command"
	elif [[ ! $target && $cur == *:* ]]; then
		ask=1
	else
		_mcpctl_first "$target"
	fi
	# A list in one word: the last one of a,b,c is completed.
	[[ $many && $cur == *[:,]* ]] && prefix=${cur%"${cur##*[:,]}"}
	# What readline cut off stands in front already.
	if [[ $# -gt 1 && $cur == *"$2" ]]; then
		keep=${cur%"$2"}
	else
		[[ ${COMP_WORDBREAKS-} == *:* && $cur == *:* ]] && keep=${cur%"${cur##*:}"}
		word=${cur%"${cur##*=}"}
		[[ ${COMP_WORDBREAKS-} == *=* && ${#word} -gt ${#keep} ]] && keep=$word
	fi
	[[ $ask ]] && _mcpctl_ask
	[[ $list ]] && _mcpctl_list
	[[ $files ]] && _mcpctl_files
	[[ $keep ]] && COMPREPLY=("${COMPREPLY[@]#"$keep"}")
	[[ $open ]] && compopt -o nospace 2>/dev/null
	return 0
}

complete -F _mcpctl mcpctl
