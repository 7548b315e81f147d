/* SPDX-License-Identifier: MIT */
/*
 * What resources/read and prompts/get give, as content: what is shown and
 * saved is shown and saved as the content of a tool's result.
 */
#ifndef MCP_CONTENT_H
#define MCP_CONTENT_H

#include "mcp/types.h"

/*
 * resources/read: each element of result.contents is a CONTENT_RESOURCE, its
 * text in `inside` or its bytes in `data`; what has neither is CONTENT_UNKNOWN.
 * Takes the message. -1 (ERR_PROTOCOL, detail the frame): there is no such
 * array; *out has the message all the same.
 */
int contents_decode_take(struct result *out, struct message *m,
			 struct error *err);

/*
 * prompts/get: the content of each of result.messages, with its role. A
 * message whose content is an array gives several, one that is a bare string a
 * text. As above.
 */
int messages_decode_take(struct result *out, struct message *m,
			 struct error *err);

void result_done(struct result *r);

/*
 * Decode a tools/call result (device.md 3.6); takes the message. A result
 * without content has count 0; never fails on odd shapes.
 */
void result_decode_take(struct result *out, struct message *m);

#endif
