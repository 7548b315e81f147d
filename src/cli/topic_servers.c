/* SPDX-License-Identifier: MIT */
/*
 * The topics `servers`, for every MCP server that is no device, and `llm`.
 */
#include "cli/topics.h"

static const char reach_text[] =
	"The commands for devices work on every MCP server, whatever its "
	"transport:\n"
	"\n"
	"  mcpctl tools -- npx -y @modelcontextprotocol/server-everything\n"
	"  mcpctl http://127.0.0.1:8088/mcp call echo message=hello\n"
	"  mcpctl -t files resources\n"
	"\n"
	"A program is started by everything behind '--', or by "
	"'stdio:COMMAND LINE', whose words are split as a shell splits them; "
	"no shell is run. --env and --cwd are for it. What it writes to stderr "
	"is shown with -v, and its last lines when it dies. At the end its "
	"stdin is closed; after 100 ms it gets SIGTERM, after one more second "
	"SIGKILL.\n"
	"\n"
	"http:// and https:// mean Streamable HTTP. A server that answers "
	"initialize with 400, 404 or 405 is tried with the older HTTP+SSE; "
	"sse+http:// and sse+https:// mean that one at once. --token-file or "
	"MCPCTL_TOKEN is sent as a bearer token, --header adds any other; "
	"--cacert trusts a private authority, --resolve reaches a name at "
	"another address. http_proxy, https_proxy and no_proxy are heeded, "
	"but not towards this machine itself; --proxy replaces them.\n"
	"\n"
	"The revision of the protocol is settled by initialize: 2025-11-25, "
	"2025-06-18, 2025-03-26 or 2024-11-05. 'info' shows it, and what the "
	"server offers.\n"
	"\n";

static const char names_text[] =
	"Servers have names where an mcp.json lists them, as other MCP clients "
	"do. 'mcpctl targets' shows the names and their files, -t NAME uses "
	"one. Looked for are your own mcpctl/mcp.json in the configuration "
	"folder, then .mcp.json and mcp.json in the current folder and in each "
	"one above it; --config FILE is read instead of them. A file of a "
	"folder may have come with it, from anybody: before one of its names "
	"is used, you are asked whether you trust what it holds, and again "
	"after each change (mcpctl help trust; in scripts 'mcpctl trust FILE' "
	"once, or --trust). ${NAME} and ${NAME:-default} in it stand for "
	"variables of the environment:\n"
	"\n"
	"  {\"mcpServers\": {\n"
	"    \"files\": {\"command\": \"npx\", \"args\": [\"-y\", "
	"\"@modelcontextprotocol/server-filesystem\", \".\"]},\n"
	"    \"llm\": {\"type\": \"http\", \"url\": "
	"\"http://127.0.0.1:8088/mcp\",\n"
	"            \"headers\": {\"Authorization\": \"Bearer "
	"${LLM_TOKEN}\"}}\n"
	"  }}\n"
	"\n"
	"MCPCTL_TOKEN is not sent to a server that a folder's file names, "
	"unless a header of the entry says ${MCPCTL_TOKEN}; --token-file is.\n"
	"\n";

static const char asks_text[] =
	"A server may ask, too. Only what is answered is declared to it:\n"
	"\n"
	"  --elicit ask               ask whoever sits at the terminal\n"
	"  --elicit accept-defaults   the defaults of its form\n"
	"  --elicit decline, cancel   always that\n"
	"  --elicit @FILE             the values in FILE, a JSON object\n"
	"  --sampling @FILE           a model's answer from FILE\n"
	"  --sampling exec:COMMAND    the request on its stdin, its stdout the "
	"answer\n"
	"  --root DIR                 a folder that it may work in\n"
	"\n"
	"Progress of a call is shown on a terminal in one line, else as JSON "
	"lines, both on stderr; each sign of it starts --timeout anew. Ctrl-C "
	"and a time that is over are told to the server.\n"
	"\n";

static const char retry_text[] =
	"What failed for a reason that may pass is tried again: a refused "
	"connection, HTTP 429, 502, 503, 504, the codes -32000 and -32001. "
	"--retry N says how often in all (3 towards http:, else once), after "
	"1 s, 2 s, 4 s, at most 10 s, each changed by chance, or after what "
	"Retry-After or retry_after asks for. Tool calls are repeated only if "
	"the tool is marked as idempotent or read-only, or with --retry-calls. -v shows each "
	"try.\n"
	"\n"
	"A circuit breaker keeps from asking a server that is down: after 5 "
	"calls in a row that failed (no connection, time over, 5xx, -32000, "
	"-32001), calls fail at once for 60 s (where tools failed, lists and "
	"resources may still be read); then one is tried, and closes it if "
	"it is good. In the shell, in scripts and in serve it is always "
	"there. With --breaker it lasts from one command to the next, "
	"--breaker=3,10s sets its figures.\n";

void topic_servers(struct buf *out)
{
	buf_text(out, reach_text);
	buf_text(out, names_text);
	buf_text(out, asks_text);
	buf_text(out, retry_text);
}

static const char llm_text[] =
	"'mcpctl sim llm' is an MCP server that extracts entities from "
	"Portuguese text with a language model. It is a profile: tools, "
	"prompts and rules stand in llm.json, which can be extended or copied "
	"(mcpctl help profile).\n"
	"\n"
	"  ollama serve &\n"
	"  ollama pull llama3:8b\n"
	"  mcpctl sim llm --listen 127.0.0.1:8088\n"
	"\n"
	"and in another terminal:\n"
	"\n"
	"  mcpctl --timeout 40s http://127.0.0.1:8088/ call extract_entities "
	"text='Maria Silva, 11-9999-8888'\n"
	"  mcpctl --no-init http://127.0.0.1:8088/ request "
	"tools/extract_entities '{\"text\":\"Maria Silva\"}'\n"
	"  mcpctl ws://127.0.0.1:8088/ prompts\n"
	"\n"
	"One port takes JSON-RPC by POST, Streamable HTTP, HTTP+SSE and "
	"WebSocket. --ollama is the address of Ollama, --model the model. When "
	"the model takes longer than 30 s, the error is -32000 (LLM timeout); "
	"when Ollama or the model is not there, -32001 (LLM unavailable). Both "
	"say when to try again, which --retry obeys. A client that waits for less "
	"than the model may take (mcpctl: 10 s) sees its own time-out "
	"instead: --timeout.\n";

void topic_llm(struct buf *out)
{
	buf_text(out, llm_text);
}
