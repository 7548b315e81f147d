/* SPDX-License-Identifier: MIT */
/* Hosts that come by HTTP or WebSocket: --listen. */
#include <string.h>

#include "base/mem.h"
#include "base/secret_file.h"
#include "bridge/announced_port.h"
#include "bridge/fronts.h"
#include "cli/app.h"
#include "cli/setup.h"
#include "clients/mcp_port.h"
#include "net/address.h"

#define TOKEN_ENV "MCPCTL_BRIDGE_TOKEN"
#define TOKEN_MIN 16 /* bytes, where others than this machine can try */

struct front_port {
	struct mcp_port *port;
	const struct front_order *order;
	struct words tokens;
	struct announced_port announced;
	uint16_t number; /* of the port */
};

static bool is_wanted(const struct bridge_options *o)
{
	return o->listen;
}

static void on_listening(void *owner, const char *url)
{
	struct front_port *f = owner;
	CLEANUP(mem_free_ptr) char *line = mem_printf("listening at %s", url);
	const char *at = strstr(url, "//") + 2;
	struct authority where;

	if (!authority_parse(&where, at, strcspn(at, "/"), NULL))
		f->number = where.port;
	f->order->told(f->order->owner, line);
}

static void on_line(void *owner, const char *text)
{
	struct front_port *f = owner;

	f->order->told(f->order->owner, text);
}

static void close_port(void *front)
{
	struct front_port *f = front;

	announced_port_close(&f->announced);
	mcp_port_close(f->port);
	for (size_t i = 0; i < f->tokens.count; i++)
		secret_free(TAKE(f->tokens.word[i]));
	words_done(&f->tokens);
	mem_free(f);
}

/* Whoever reaches it calls tools: others need more than the way to it. */
static int check_tokens(const struct front_port *f, const char *listen,
			struct error *err)
{
	CLEANUP(mem_free_ptr) char *host = NULL;
	uint16_t number;

	if (endpoint_parse_listen(listen, &host, &number, err))
		return error_prefix(err, "option '--listen'");
	if (!host || address_is_here(host))
		return 0;
	if (!f->tokens.count) {
		error_set(
			err, ERR_USAGE,
			"option '--listen': others than this machine reach '%s', and no token is asked for",
			host);
		return error_hint(
			err,
			"give a file with a token that hosts must show: --token-file FILE, or " TOKEN_ENV);
	}
	for (size_t i = 0; i < f->tokens.count; i++) {
		if (strlen(f->tokens.word[i]) < TOKEN_MIN)
			return error_set(
				err, ERR_USAGE,
				"a token of '--listen' is too short where others reach it: %zu bytes, of %d at least",
				strlen(f->tokens.word[i]), TOKEN_MIN);
	}
	return 0;
}

static struct mcp_port_options options_of(const struct front_port *f)
{
	const struct front_order *order = f->order;
	const struct config *c = &order->app->config;

	return (struct mcp_port_options){
		.listen = order->options->listen,
		.home = true,
		.admit = { .hosts = f->announced.host ? &f->announced.names :
							&c->allow_hosts,
			   .origins = &c->allow_origins,
			   .proxies = &c->trusted_proxies,
			   .advertise = c->advertise },
		.tokens = &f->tokens,
		.named_paths = true,
		.by = "'mcpctl bridge'",
	};
}

static int open_port(void **front, const struct front_order *order,
		     struct error *err)
{
	const struct bridge_options *o = order->options;
	struct front_port *f = mem_zalloc(sizeof(*f));
	const struct mcp_port_observer observer = { .listening = on_listening,
						    .line = on_line,
						    .owner = f };
	struct mcp_port_options options;

	f->order = order;
	if (secrets_read(&f->tokens, o->token_file, TOKEN_ENV, err) ||
	    check_tokens(f, o->listen, err) ||
	    (o->announce && announced_port_check(&f->announced, order, err))) {
		close_port(f);
		return -1;
	}
	options = options_of(f);
	if (mcp_port_open(&f->port, order->app->loop, order->answerer, &options,
			  &observer, err) ||
	    (o->announce &&
	     announced_port_open(&f->announced, order, f->number, err))) {
		close_port(f);
		return -1;
	}
	*front = f;
	return 0;
}

const struct bridge_front bridge_front_port = {
	.name = "listen",
	.wanted = is_wanted,
	.open = open_port,
	.close = close_port,
};
