/* SPDX-License-Identifier: MIT */
/* Who announces himself at a broker. Within the module of net/mqtt. */
#ifndef NET_MCP_BROWSE_H
#define NET_MCP_BROWSE_H

#include "net/mcp_mqtt.h"

struct mcp_browse *mcp_browse_open(struct loop *l, const struct endpoint *to,
				   bool *woken, struct error *err);
int mcp_browse_poll(struct mcp_browse *b, struct error *err);
const struct mcp_server *mcp_browse_list(struct mcp_browse *b, size_t *count);
/* More than MCP_SERVERS_MAX fitted: some are not listed. */
bool mcp_browse_is_cut(const struct mcp_browse *b);
/* -1: why nobody is known yet, though the broker of `at` accepted us. 0: it did not; b is NULL. */
int mcp_browse_explain(const struct mcp_browse *b, const struct endpoint *at,
		       struct error *err);
void mcp_browse_close(struct mcp_browse *b);
/* Told, besides *woken, of each change; NULL: nobody. */
void mcp_browse_tell(struct mcp_browse *b, void (*changed)(void *owner),
		     void *owner);
/* Something of the older draft was seen. */
bool mcp_browse_saw_draft(const struct mcp_browse *b);

#endif
