#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# nginx in front of a service, as it is set up if nobody thinks of streams:
# TLS with a private authority, HTTP/2, events held back. Without nginx these
# are skipped, but in continuous integration they always run.

load helper

answers() { : <"/dev/tcp/127.0.0.1/$1"; }

# proxy: sim llm behind nginx. Sets PORT (good), OLD (an expired certificate).
proxy() {
	local behind
	need_nginx
	background service mcpctl sim llm --listen 127.0.0.1:0
	behind=$(wait_for service.err 'http://.*/$') || return 1
	behind=${behind##* } behind=${behind%/}
	PORT=$(free_port)
	OLD=$(free_port)
	certificates
	old_certificate
	cat >nginx.conf <<-END
		daemon off;
		worker_processes 1;
		pid $WORK/nginx.pid;
		error_log $WORK/nginx.log;
		events {}
		http {
		  access_log off;
		  client_body_temp_path $WORK/body;
		  proxy_temp_path $WORK/proxy;
		  fastcgi_temp_path $WORK/fastcgi;
		  uwsgi_temp_path $WORK/uwsgi;
		  scgi_temp_path $WORK/scgi;
		  ssl_certificate_key $WORK/server.key;
		  server {
		    listen 127.0.0.1:$PORT ssl http2;
		    ssl_certificate $WORK/server.pem;
		    location / { proxy_pass $behind; }
		    location /held/ { proxy_pass $behind/; proxy_ignore_headers X-Accel-Buffering; }
		    location /ws {
		      proxy_pass $behind;
		      proxy_http_version 1.1;
		      proxy_set_header Upgrade \$http_upgrade;
		      proxy_set_header Connection upgrade;
		    }
		    location /dead { proxy_pass http://127.0.0.1:1; }
		  }
		  server {
		    listen 127.0.0.1:$OLD ssl;
		    ssl_certificate $WORK/old.pem;
		    location / { proxy_pass $behind; }
		  }
		}
	END
	background nginx "$NGINX" -c "$WORK/nginx.conf" -e "$WORK/nginx.log"
	until_true answers "$PORT"
	export MCPCTL_RETRY=1
}

@test "Streamable HTTP through nginx: TLS with a private authority, HTTP/2" {
	proxy
	mcp --cacert ca.pem "https://localhost:$PORT/mcp" info
	ends 0
	says llm-service
	says 'HTTP/2'
	mcp --cacert ca.pem "https://localhost:$PORT/mcp" tools
	ends 0
	says extract_entities
	mcp --cacert ca.pem "https://localhost:$PORT/mcp" read prompt://validation_prompt
	ends 0
	# Many on one connection, also with the GET stream open.
	printf 'ping\n%.0s' {1..100} >script
	mcp --cacert ca.pem --elicit decline "https://localhost:$PORT/mcp" run script
	ends 0
	[ "$(grep -c alive <<<"$out")" = 100 ]
}

@test "HTTP+SSE and WebSocket through nginx" {
	proxy
	mcp --cacert ca.pem "sse+https://localhost:$PORT/sse" tools
	ends 0
	says extract_entities
	mcp --cacert ca.pem "wss://localhost:$PORT/ws" tools
	ends 0
	says extract_entities
}

@test "nginx that holds events back, or knows nothing of WebSocket: said" {
	proxy
	mcp --cacert ca.pem --timeout 3s "sse+https://localhost:$PORT/held/sse" tools
	ends 4
	hints 'has not begun to answer'
	hints 'proxy_buffering off'
	mcp --cacert ca.pem "wss://localhost:$PORT/" tools
	ends 3
	hints 'must pass Upgrade on'
}

@test "what is wrong in front: the port, the name, the certificate, the server" {
	proxy
	mcp "http://localhost:$PORT/mcp" ping
	ends 3
	hints 'sent to HTTPS port'
	hints 'use https://'
	mcp --cacert ca.pem "https://127.0.0.1:$PORT/mcp" ping
	ends 3
	hints 'another name'
	mcp "https://localhost:$PORT/mcp" ping
	ends 3
	hints '--cacert'
	for target in https wss; do
		mcp --cacert ca.pem "$target://localhost:$OLD/mcp" ping
		ends 3
		hints 'has expired'
		hints 'must be renewed'
	done
	mcp --cacert ca.pem "https://localhost:$PORT/dead" ping
	ends 3
	hints 'HTTP 502: Bad Gateway'
}

@test "the guide's nginx in front of serve: OTA, WebSocket" {
	need_nginx
	local tls plain
	tls=$(free_port)
	plain=$(free_port)
	certificates
	serve --advertise "wss://localhost:$tls/" --trusted-proxy 127.0.0.1
	{
		cat <<-END
			daemon off;
			pid $WORK/nginx.pid;
			events {}
			http {
			access_log off;
			client_body_temp_path $WORK/body;
			proxy_temp_path $WORK/proxy;
			fastcgi_temp_path $WORK/fastcgi;
			uwsgi_temp_path $WORK/uwsgi;
			scgi_temp_path $WORK/scgi;
		END
		python3 "$ROOT/tests/cli/documents.py" block proxy_set_header "$ROOT/doc/guide/proxy.md" |
			sed -E "s|listen 443|listen 127.0.0.1:$plain; listen 127.0.0.1:$tls|; s|127.0.0.1:8000|127.0.0.1:$PORT|
				s|/etc/.*/fullchain.pem|$WORK/server.pem|; s|/etc/.*/privkey.pem|$WORK/server.key|"
		echo '}'
	} >nginx.conf
	absent 8000 nginx.conf
	background nginx "$NGINX" -c "$WORK/nginx.conf" -e "$WORK/nginx.log"
	until_true answers "$tls"
	curl -s --cacert ca.pem "https://localhost:$tls/xiaozhi/ota/" -H 'Device-Id: aa:bb:cc:dd:ee:01' \
		-H 'Client-Id: 1-2' -H 'Content-Type: application/json' -d '{}' >answer
	jq -e --arg url "wss://localhost:$tls/" '.websocket.url | startswith($url)' answer
	# The simulated board speaks no TLS; the rest is the same.
	background board mcpctl sim --connect "ws://localhost:$plain/xiaozhi/v1/"
	event ready
	mcp call self.audio_speaker.set_volume volume=30
	ends 0
	says true
}
