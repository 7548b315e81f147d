/* SPDX-License-Identifier: MIT */
/*
 * The three messages of a whole call, as the floors send them; and the one of a
 * server that is modern.
 */
#ifndef BENCH_MESSAGES_H
#define BENCH_MESSAGES_H

#define INITIALIZE                                                        \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","        \
	"\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\"" \
	":{},\"clientInfo\":{\"name\":\"floor\",\"version\":\"1\"}}}"
#define CALL                                                       \
	"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\"," \
	"\"params\":{\"name\":\"echo\",\"arguments\":{}}}"

/* Of 2026-07-28, which needs no other before it. */
#define ALONE                                                                 \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","            \
	"\"params\":{\"name\":\"echo\",\"arguments\":{},\"_meta\":{"          \
	"\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","         \
	"\"io.modelcontextprotocol/clientInfo\":{\"name\":\"floor\","         \
	"\"version\":\"1\"},\"io.modelcontextprotocol/clientCapabilities\":{" \
	"}}}}"

static const char *const messages[] = {
	INITIALIZE,
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
	CALL,
};

#endif
