/* SPDX-License-Identifier: MIT */
/*
 * The three messages of a whole call, as the floors send them.
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

static const char *const messages[] = {
	INITIALIZE,
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
	CALL,
};

#endif
