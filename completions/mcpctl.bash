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
	'call --expect')
		:
		;;
	'call --save')
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
	'run --report')
		:
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
	*' -t' | *' --target')
		list='listen: sim: ws:// wss:// mqtt:// mqtts:// attach: sim:esp32 sim:fixtures sim:fixtures-ws sim:large'
		;;
	*' -d' | *' --device')
		:
		;;
	*' -e' | *' --execute')
		list='info tools describe call tail ping devices kick stop request notify send run serve sim help version completion'
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
	*' --cacert')
		files=1
		;;
	*' --advertise')
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
	list=' -t --target -d --device --all -e --execute -o --output -v --verbose -q --quiet --trace --timeout --wait --envelope --token-file --mqtt-password-file --socket --header --cacert --insecure --advertise --vision-url --vision-token-file --no-init --color -h --help --version'
	case $1 in
	tools)
		list+=' --no-user'
		;;
	call)
		list+=' --no-validate --expect --save'
		;;
	tail)
		list+=' --filter -n --count --for'
		;;
	devices)
		list+=' --watch'
		;;
	run)
		list+=' -k --keep-going --report'
		;;
	serve)
		list+=' --listen --path --offer --alias-file --save-images --vision-exec --vision-text --mqtt --mqtt-broker --topic-up --topic-down --mqtt-key-file --udp-port --silence --devices-max --message-max --picture-max --handshake --hello-wait --exec --once --daemon --pidfile --log'
		;;
	sim)
		list+=' --connect --ota --listen --devices --device-id --client-id --token-file --rate --for --fill --firmware --reconnect --audio --subscribe --photo --frame-version --fault'
		;;
	esac
}

# COMMAND: sets what completes its operands.
_mcpctl_operand() {
	case $1 in
	request)
		list='initialize ping tools/list tools/call resources/list resources/read prompts/list prompts/get logging/setLevel notifications/initialized notifications/cancelled'
		;;
	notify)
		list='initialize ping tools/list tools/call resources/list resources/read prompts/list prompts/get logging/setLevel notifications/initialized notifications/cancelled'
		;;
	run)
		files=1
		;;
	sim)
		list='esp32 fixtures fixtures-ws large'
		files=1
		;;
	help)
		list='info tools describe call tail ping devices kick stop request notify send run serve sim help version completion targets board backend status json profile faults environment'
		;;
	completion)
		list='bash zsh fish'
		;;
	esac
}

# TARGET: sets the commands and, where there is none yet, the targets.
_mcpctl_first() {
	list='info tools describe call tail ping devices kick stop request notify send run serve sim help version completion'
	[[ $1 ]] || list+=' listen: sim: ws:// wss:// mqtt:// mqtts:// attach: sim:esp32 sim:fixtures sim:fixtures-ws sim:large'
}

_mcpctl() {
	local cur words word command='' target='' pending='' list='' files=''
	local prefix='' keep='' many='' i=1 reply
	_mcpctl_words
	while ((i < ${#words[@]})); do
		word=${words[i]} pending=''
		((i += 1))
		[[ $word == -t* || $word == --target* ]] && target=given
		if [[ $word == --*=* ]]; then
			continue
		elif [[ $word == -?* ]]; then
			_mcpctl_value "$command" "$word" || continue
			if ((i < ${#words[@]})); then
				((i += 1))
			else
				pending=$word
			fi
		elif [[ ! $command && ! $target && $word == *:* ]]; then
			target=$word
		elif [[ ! $command ]]; then
			command=$word
		fi
	done
	list='' files='' many=''
	if [[ $pending ]]; then
		_mcpctl_value "$command" "$pending"
	elif [[ $cur == --*=* ]]; then
		prefix=${cur%%=*}=
		_mcpctl_value "$command" "${cur%%=*}"
	elif [[ $cur == -* ]]; then
		_mcpctl_options "$command"
	elif [[ ! $command ]]; then
		_mcpctl_first "$target"
	else
		_mcpctl_operand "$command"
	fi
	# A list in one word: the last one of a,b,c is completed.
	[[ $many && $cur == *[:,]* ]] && prefix=${cur%"${cur##*[:,]}"}
	if [[ $list ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$list" -- "${cur#"$prefix"}")
	else
		COMPREPLY=()
	fi
	if [[ $files ]]; then
		compopt -o filenames 2>/dev/null
		while IFS= read -r reply; do
			COMPREPLY+=("$reply")
		done < <(compgen -f -- "${cur#"$prefix"}")
	fi
	# What readline takes for earlier words is on the line already.
	[[ $COMP_WORDBREAKS == *:* && $cur == *:* ]] && keep=${cur%"${cur##*:}"}
	if [[ $COMP_WORDBREAKS == *=* && $cur == *=* ]]; then
		reply=${cur%"${cur##*=}"}
		((${#reply} > ${#keep})) && keep=$reply
	fi
	for i in "${!COMPREPLY[@]}"; do
		reply=$prefix${COMPREPLY[i]}
		COMPREPLY[i]=${reply#"$keep"}
	done
	if [[ ${COMPREPLY[0]-} == */ && ! $files ]]; then
		compopt -o nospace 2>/dev/null
	fi
	return 0
}

complete -F _mcpctl mcpctl
