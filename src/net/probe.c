/* SPDX-License-Identifier: MIT */
/* Many places dialled, and hung up. */
#include "net/probe.h"

#include <arpa/inet.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/dial.h"

enum {
	AT_ONCE = 64,
	BITS_MIN =
		24 /* a network of a home; more is no question, but a sweep */
};

/* ---- which ---- */

static int add_place(struct probe_list *list, const char *host, uint16_t port,
		     struct error *err)
{
	struct probe_place *p;

	if (list->count == PROBE_MAX)
		return error_set(err, ERR_USAGE,
				 "more than %d places are to be probed",
				 PROBE_MAX);
	list->item = mem_grow(list->item, &list->capacity, list->count,
			      sizeof(*list->item));
	p = &list->item[list->count++];
	*p = (struct probe_place){ .port = port };
	snprintf(p->host, sizeof(p->host), "%s", host);
	return 0;
}

static int add_ports(struct probe_list *list, const struct authority *at,
		     const uint16_t *ports, struct error *err)
{
	if (at->has_port)
		return add_place(list, at->host, at->port, err);
	for (; *ports; ports++) {
		if (add_place(list, at->host, *ports, err))
			return -1;
	}
	return 0;
}

/* All of a network but its own address and that for all. */
static int add_network(struct probe_list *list, struct authority at,
		       int64_t bits, const uint16_t *ports, struct error *err)
{
	const uint32_t size = (uint32_t)1 << (32 - bits);
	const uint32_t ends = size > 2 ? 1 : 0;
	struct in_addr base;

	if (inet_pton(AF_INET, at.host, &base) != 1)
		return error_set(
			err, ERR_USAGE,
			"'%.60s' is no IPv4 address, so it has no network",
			at.host);
	for (uint32_t i = ends; i < size - ends; i++) {
		struct in_addr one = { htonl(
			(ntohl(base.s_addr) & ~(size - 1)) + i) };

		inet_ntop(AF_INET, &one, at.host, sizeof(at.host));
		if (add_ports(list, &at, ports, err))
			return -1;
	}
	return 0;
}

int probe_add(struct probe_list *list, const char *text, const uint16_t *ports,
	      struct error *err)
{
	const char *slash = strchr(text, '/');
	size_t len = slash ? (size_t)(slash - text) : strlen(text);
	struct authority at;
	int64_t bits;

	if (authority_parse(&at, text, len, err))
		return -1;
	if (!at.host[0])
		return error_set(err, ERR_USAGE, "a host is missing");
	if (at.has_port && !at.port)
		return error_set(err, ERR_USAGE, "nobody listens at port 0");
	if (!slash)
		return add_ports(list, &at, ports, err);
	if (text_integer(slash + 1, BITS_MIN, 32, &bits))
		return error_set(err, ERR_USAGE,
				 "'%.20s' is no network: /%d to /32", slash,
				 BITS_MIN);
	return add_network(list, at, bits, ports, err);
}

void probe_list_done(struct probe_list *list)
{
	mem_free(list->item);
	*list = (struct probe_list){ 0 };
}

/* ---- dialled ---- */

struct probing {
	struct probe_place *place;
	struct dial *dial; /* NULL: it is over */
	size_t *open; /* those that are not */
	bool *woken;
};

static void end(struct probing *p, bool open)
{
	p->dial = NULL;
	p->place->open = open;
	(*p->open)--;
	*p->woken = true;
}

static void on_connected(void *owner, int fd)
{
	close(fd);
	end(owner, true);
}

static void on_failed(void *owner, const struct dial_facts *f)
{
	(void)f;
	end(owner, false);
}

static void begin(struct loop *l, struct probing *p, int64_t timeout)
{
	const struct dial_order order = { .host = p->place->host,
					  .port = p->place->port,
					  .family = AF_UNSPEC,
					  .timeout = timeout,
					  .connected = on_connected,
					  .failed = on_failed,
					  .owner = p };

	(*p->open)++;
	p->dial = dial_open(l, &order);
}

int probe_run(struct loop *l, struct probe_list *list, int64_t timeout,
	      struct error *err)
{
	CLEANUP(mem_free_ptr)
	struct probing *all = mem_zalloc((list->count + 1) * sizeof(*all));
	size_t begun = 0, open = 0;
	bool woken = false;
	int status = 0;

	while (status == 0 && (begun < list->count || open > 0)) {
		for (; begun < list->count && open < AT_ONCE; begun++) {
			all[begun] = (struct probing){ &list->item[begun], NULL,
						       &open, &woken };
			begin(l, &all[begun], timeout);
		}
		woken = false;
		status = loop_stay(l, &woken, LOOP_FOREVER, err);
	}
	for (size_t i = 0; i < begun; i++)
		dial_close(all[i].dial);
	return status;
}
