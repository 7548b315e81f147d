/* SPDX-License-Identifier: MIT */
#include "bridge/announced_port.h"

#include <arpa/inet.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/random.h"
#include "cli/app.h"
#include "net/address.h"
#include "net/endpoint.h"
#include "net/neighbours.h"

#define HOST_DIGITS 8

/* ---- where it listens ---- */

static bool is_number(const char *host)
{
	struct in_addr v4;

	return inet_pton(AF_INET, host, &v4) == 1;
}

static bool is_all(const char *host)
{
	return strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0;
}

/* The host of --listen; yours. */
static char *host_of(const struct bridge_options *o, struct error *err)
{
	char *host = NULL;
	uint16_t number;

	if (endpoint_parse_listen(o->listen, &host, &number, err)) {
		error_prefix(err, "option '--listen'");
		return NULL;
	}
	if (host && strcmp(host, "localhost") != 0)
		return host;
	mem_free(host);
	return mem_strdup("127.0.0.1");
}

static int refuse_hidden(const char *host, struct error *err)
{
	error_set(err, ERR_USAGE,
		  "option '--announce': nobody but this machine reaches '%s'",
		  host);
	return error_hint(
		err,
		"let others reach it: --listen 0.0.0.0:PORT --token-file FILE; or announce it to this machine alone: --interface lo");
}

static int judge(const char *host, const struct bridge_options *o,
		 struct error *err)
{
	if (address_is_here(host) && !o->interfaces.count)
		return refuse_hidden(host, err);
	if (is_all(host) || is_number(host))
		return 0;
	error_set(
		err, ERR_USAGE,
		"option '--announce' needs an IPv4 address in --listen, which '%s' is not",
		host);
	return error_hint(
		err, "0.0.0.0 is all of this machine, 192.168.1.7 one of them");
}

/* ---- under which name ---- */

/* No other machine's, nor that of another program here: it leads to the port alone. */
static char *new_host(void)
{
	char digits[RANDOM_HEX_SIZE];

	random_hex(digits);
	return mem_printf("mcpctl-%.*s", HOST_DIGITS, digits);
}

/* "mcpctl on lab", yours. */
static char *new_label(void)
{
	char machine[256] = "";

	if (gethostname(machine, sizeof(machine) - 1))
		machine[0] = '\0';
	machine[strcspn(machine, ".")] = '\0';
	return machine[0] ? mem_printf("mcpctl on %s", machine) :
			    mem_strdup("mcpctl");
}

int announced_port_check(struct announced_port *p,
			 const struct front_order *order, struct error *err)
{
	const struct words *allowed = &order->app->config.allow_hosts;
	CLEANUP(mem_free_ptr) char *host = host_of(order->options, err);
	CLEANUP(mem_free_ptr) char *name = NULL;

	if (!host || judge(host, order->options, err))
		return -1;
	p->host = new_host();
	name = mem_printf("%s.local", p->host);
	for (size_t i = 0; i < allowed->count; i++)
		words_add(&p->names, allowed->word[i]);
	words_add(&p->names, name);
	return 0;
}

int announced_port_open(struct announced_port *p,
			const struct front_order *order, uint16_t number,
			struct error *err)
{
	static const char *const text[] = { "path=/mcp",
					    "version=" MCPCTL_VERSION, NULL };
	const struct announce_events events = { order->told, order->owner };
	CLEANUP(mem_free_ptr) char *host = host_of(order->options, err);
	CLEANUP(mem_free_ptr) char *label = new_label();
	const struct announce_order o = {
		.label = label,
		.service = NEIGHBOURS_SERVICE,
		.host = p->host,
		.port = number,
		.address = host && !is_all(host) ? host : NULL,
		.text = text,
		.interfaces = &order->options->interfaces,
	};

	return host ? announce_open(&p->announce, order->app->loop, &o, &events,
				    err) :
		      -1;
}

void announced_port_close(struct announced_port *p)
{
	announce_close(TAKE(p->announce));
	mem_free(TAKE(p->host));
	words_done(&p->names);
}
