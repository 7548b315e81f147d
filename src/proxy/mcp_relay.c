/* SPDX-License-Identifier: MIT */
/* Which kind of server it is; the contract is in the header. */
#include "proxy/mcp_relay.h"

#include "base/mem.h"
#include "base/text.h"
#include "proxy/mcp_http.h"
#include "proxy/mcp_stdio.h"
#include "proxy/tell.h"

/* By either when all is given back. */
static void on_closed(struct proxy *p)
{
	mem_free(TAKE(p->mcp));
	proxy_leg_closed(p);
}

static bool is_child(const struct proxy *p)
{
	const struct words *argv = p->options.argv;

	return (argv && argv->count) ||
	       text_starts(p->options.upstream, "stdio:");
}

int mcp_relay_open(struct proxy *p, struct error *err)
{
	struct mcp_relay *r = mem_zalloc(sizeof(*r));
	int status = is_child(p) ?
			     mcp_stdio_open(p, on_closed, &r->stdio, err) :
			     mcp_http_open(p, on_closed, &r->http, err);

	if (status) {
		mem_free(r);
		return -1;
	}
	p->mcp = r;
	p->legs_open++;
	return 0;
}

void mcp_relay_addresses(const struct proxy *p, struct words *out)
{
	if (p->mcp && p->mcp->http)
		mcp_http_addresses(p->mcp->http, out);
}

void mcp_relay_close(struct proxy *p)
{
	if (p->mcp->stdio)
		mcp_stdio_close(p->mcp->stdio);
	else
		mcp_http_close(p->mcp->http);
}
