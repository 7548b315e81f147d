#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The LLM service in front of a model: a small server speaks Ollama's API.

load helper

TEXT='Novo contato: Maria Silva, telefone 11-9999-8888, motivo: apoio emocional'

# A model: ollama.py's options; sets OLLAMA, its requests go to asked.
ollama() {
	background ollama /usr/bin/python3 "$BATS_TEST_DIRNAME/ollama.py" --log asked "$@"
	OLLAMA=http://127.0.0.1:$(wait_for ollama.out 'port [0-9]+' | sed 's/port //')
}

# The service on an ephemeral port; sets URL.
llm() {
	background llm mcpctl sim llm --listen 127.0.0.1:0 --for 600s "$@"
	URL=$(wait_for llm.err 'http://' | sed 's/.*\(http:[^ ]*\).*/\1/')
}

extract() {
	mcp -o json --retry 1 "$@" call extract_entities text="$TEXT"
}

entities() {
	jq -cS '.structuredContent.entities // .result.structuredContent.entities' <<<"$out"
}

@test "extract_entities over HTTP, from Ollama's answer, whole and in pieces" {
	ollama
	llm --ollama "$OLLAMA"
	extract "$URL"
	ends 0
	[ "$(entities)" = '{"confianca":0.92,"motivo":"apoio emocional","nome":"Maria Silva","telefone":"11-9999-8888"}' ]
	wait_for llm.err 'extract_entities: ollama answered in'
	[ "$(jq -r .model asked)" = llama3:8b ]
	[ "$(jq -r .stream asked)" = false ]
	[ "$(jq -r .options.temperature asked)" = 0 ]
	[ "$(jq -r '.messages[0].role, .messages[1].role' asked | tr '\n' ' ')" = 'system user ' ]
	[[ $(jq -r '.messages[1].content' asked) == *"$TEXT"* ]]
	[ "$(jq -r .format.properties.confianca.type asked)" = number ]
	cat >streaming.json <<-'END'
		{"kind": "service", "extends": "llm", "ollama": {"stream": true, "model": "other"}}
	END
	extract "sim:./streaming.json?ollama=$OLLAMA"
	ends 0
	[[ $(entities) == *'"nome":"Maria Silva"'* ]]
	[ "$(jq -r .model asked | tail -n 1)" = other ]
	[ "$(jq -r .stream asked | tail -n 1)" = true ]
}

@test "only what was asked for; wrong arguments never reach the model" {
	ollama
	mcp -o json "sim:llm?ollama=$OLLAMA" call extract_entities text="$TEXT" 'entity_types:=["nome"]'
	ends 0
	[ "$(entities)" = '{"confianca":0.92,"nome":"Maria Silva"}' ]
	[[ $(jq -r '.messages[1].content' asked) == *'entidades: nome.'* ]]
	rm asked
	mcp "sim:llm?ollama=$OLLAMA" call --no-validate extract_entities text= 'entity_types:=["cpf"]'
	ends 1
	[[ $out$err == *'Invalid arguments: '* ]]
	mcp "sim:llm?ollama=$OLLAMA" request tools/extract_entities '{"text":""}'
	ends 1
	hints 'invalid params (-32602): '
	[ ! -e asked ]
}

@test "what a careless model says is made regular" {
	ollama --mode odd
	extract "sim:llm?ollama=$OLLAMA"
	ends 0
	[ "$(entities)" = '{"confianca":0.92,"nome":"Ana Maria","telefone":"1199998888"}' ]
	ollama --mode nothing
	extract "sim:llm?ollama=$OLLAMA"
	ends 0
	[ "$(entities)" = '{"confianca":0.7}' ]
	ollama --mode fence
	extract "sim:llm?ollama=$OLLAMA"
	ends 0
	[[ $(entities) == *'"nome":"Maria Silva"'* ]]
}

@test "a model that says something else" {
	ollama --mode wrong
	mcp "sim:llm?ollama=$OLLAMA" call extract_entities text="$TEXT"
	ends 1
	[[ $out$err == *'the model said no JSON object: Desculpe, não posso ajudar com isso.'* ]]
	ollama --mode half
	mcp "sim:llm?ollama=$OLLAMA" call extract_entities text="$TEXT"
	ends 1
	ollama --mode html
	mcp "sim:llm?ollama=$OLLAMA" call extract_entities text="$TEXT"
	ends 1
	[[ $out$err == *"no answer of Ollama's"* ]]
	for mode in broken empty; do
		ollama --mode "$mode"
		mcp "sim:llm?ollama=$OLLAMA" call extract_entities text="$TEXT"
		ends 1
		[[ $out$err == *"no answer of Ollama's"* ]]
		absent 'broke off|-32001' stdout stderr
	done
	ollama --mode memory
	mcp "sim:llm?ollama=$OLLAMA" call extract_entities text="$TEXT"
	ends 1
	[[ $out$err == *'model requires more system memory'* ]]
}

@test "a model that takes too long is -32000, with timeout_seconds and retry_after" {
	ollama --mode slow
	llm --ollama "$OLLAMA" --ollama-timeout 300ms
	mcp --retry 1 "$URL" call extract_entities text="$TEXT"
	ends 1
	hints 'LLM timeout'
	[[ $err == *-32000* ]]
	mcp --retry 1 "$URL" request tools/extract_entities "{\"text\":\"$TEXT\"}"
	ends 1
	hints 'LLM timeout'
	wait_for llm.err "'llama3:8b' did not answer in 300 ms"
	# in the words of the client that the service was written for
	curl -s "$URL" -H 'Content-Type: application/json' \
		-d '{"jsonrpc":"2.0","method":"tools/extract_entities","params":{"text":"x"},"id":"req_123"}' >reply
	[ "$(jq -cS . reply)" = '{"error":{"code":-32000,"data":{"retry_after":5,"timeout_seconds":0.3},"message":"Internal error: LLM timeout"},"id":"req_123","jsonrpc":"2.0"}' ]
}

@test "no Ollama, no such model, a cut answer: -32001, with what to do" {
	mcp --retry 1 'sim:llm?ollama=127.0.0.1:1' call extract_entities text="$TEXT"
	ends 1
	hints '-32001'
	hints 'cannot reach Ollama at http://127.0.0.1:1'
	hints 'ollama serve'
	ollama --mode missing
	mcp --retry 1 "sim:llm?ollama=$OLLAMA&model=nope:1b" call extract_entities text="$TEXT"
	ends 1
	hints 'ollama pull nope:1b'
	# It runs, and does not speak TLS: to start it would not help.
	mcp --retry 1 "sim:llm?ollama=https://${OLLAMA#*://}" call extract_entities text="$TEXT"
	ends 1
	hints 'cannot reach Ollama'
	absent 'ollama serve' stderr
	mcp --retry 1 "sim:llm?ollama=$OLLAMA/elsewhere" call extract_entities text="$TEXT"
	ends 1
	hints 'there is no Ollama'
	ollama --mode cut
	mcp --retry 1 "sim:llm?ollama=$OLLAMA" call extract_entities text="$TEXT"
	ends 1
	hints 'broke off'
	ollama --mode dead
	mcp --retry 1 "sim:llm?ollama=$OLLAMA" call extract_entities text="$TEXT"
	ends 1
	hints '-32001'
}

@test "a busy model is asked again after the time that it says" {
	ollama --mode busy:1
	llm --ollama "$OLLAMA"
	mcp "$URL" call extract_entities text="$TEXT"
	ends 0
	says 'Maria Silva'
	[ "$(wc -l <asked)" = 2 ]
}

@test "templates: as prompts, as resources, and changed in an own file" {
	mcp sim:llm prompts
	ends 0
	says entity_extraction_prompt
	says validation_prompt
	says formatting_prompt
	mcp sim:llm prompt formatting_prompt entities='{"nome":"Ana"}' format=lista
	ends 0
	says 'na forma: lista.'
	mcp sim:llm read prompt://validation_prompt
	ends 0
	says 'entities}'
	mkdir -p config/mcpctl/profiles
	cat >config/mcpctl/profiles/meu.json <<-'END'
		{"kind": "service", "extends": "llm", "brief": "o meu",
		 "prompts": [{"name": "entity_extraction_prompt", "text": ["Ache ${entity_types}:", "${text}"]}]}
	END
	ollama
	mcp "sim:meu?ollama=$OLLAMA" call extract_entities text='nome: Zé' 'entity_types:=["nome"]'
	ends 0
	[ "$(jq -r '.messages[1].content' asked)" = $'Ache nome:\nnome: Zé' ]
	mcp help profile
	says 'meu'
	says 'o meu'
}

@test "results of a command, in a service and in a device" {
	cat >upper.py <<-'END'
		import json, sys
		given = json.load(sys.stdin)
		if given["text"] == "fail":
		    sys.exit("no way")
		print(json.dumps({"text": given["text"].upper()}))
	END
	cat >tools.json <<-'END'
		{"kind": "service", "name": "tools", "tools": [{"name": "upper",
		 "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
		 "outputSchema": {"type": "object"},
		 "result": {"exec": ["/usr/bin/python3", "upper.py"]}}]}
	END
	cat >board.json <<-'END'
		{"extends": "esp32", "tools": [{"name": "self.upper",
		 "arguments": {"text": {"type": "string"}},
		 "result": {"exec": "/usr/bin/python3 upper.py"}}]}
	END
	mcp -o json sim:./tools.json call upper text=olá
	ends 0
	[[ $out == *'"structuredContent":{"text":"OL'* ]]
	mcp sim:./tools.json call upper text=fail
	ends 1
	[[ $out$err == *'ended with status 1: no way'* ]]
	mcp sim:./board.json call self.upper text=abc
	ends 0
	says '{"text": "ABC"}'
	mcp sim:./board.json call self.upper text=fail
	ends 1
	[[ $out$err == *'no way'* ]]
}

@test "a profile of the other kind is refused with what to do" {
	mcp sim llm --connect ws://127.0.0.1:1/
	ends 2
	printf '{"extends": "llm"}' >board.json
	mcp sim:./board.json tools
	ends 2
	hints 'is a service, and a device is needed'
	printf '{"kind": "service", "name": "s", "tools": [{"name": "x", "result": {"ollama": {"prompt": "p"}}}]}' >s.json
	mcp sim:./s.json tools
	ends 2
	hints "tools.x.result: there is no prompt 'p'"
}

@test "what is no address of Ollama is refused at the start" {
	for wrong in ftp://x http:// http://127.0.0.1:99999 'http://a b'; do
		mcp sim llm --listen 127.0.0.1:0 --for 1 --ollama "$wrong"
		ends 2
		hints "option '--ollama': '$wrong' is no address of Ollama"
		mcp "sim:llm?ollama=$wrong" tools
		ends 2
	done
	jq '.ollama.url = "ftp://x"' "$ROOT/src/sim/profiles/llm.json" >bad.json
	mcp sim ./bad.json --for 1
	ends 2
	hints "url: 'ftp://x' is no address of Ollama"
	mcp sim llm --listen 127.0.0.1:0 --for 100ms --ollama localhost:11434/api/
	ends 0
}

@test "a model's time of 0 is refused" {
	mcp 'sim:llm?timeout=0' tools
	ends 2
	hints "timeout= of the target sim: '0' is no time"
	hints 'write it as in 30s'
}
