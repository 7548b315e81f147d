/* SPDX-License-Identifier: MIT */
/* Questions to the network, and who answered them. */
#include "net/neighbours.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/module.h"
#include "base/text.h"
#include "net/address.h"
#include "net/interfaces.h"
#include "net/mdns.h"

#define SERVICE_NAME NEIGHBOURS_SERVICE ".local"

enum {
	HOSTS_MAX = 2 * NEIGHBOURS_MAX,
	PATH_MAX_LEN = 200, /* bytes of a path that is believed */
	VERSION_MAX_LEN = 32,
	ENDPOINT_MAX_LEN = 250,
	FOLLOW_MAX = 32 /* questions for what is missing, at once */
};

struct neighbours_host {
	char *name, *address; /* owned */
};

struct announced { /* a service, as far as it was told */
	char *full; /* its name in DNS; owned, as all here */
	char *name, *host, *path, *where, *from, *version, *endpoint;
	uint16_t port, ws_port;
	bool pointed; /* by a PTR of the service that was asked for */
	bool has_text;
};

struct asked_interface { /* on one interface */
	struct neighbours *owner;
	uv_udp_t uv;
	char name[32];
	char packet[MDNS_PACKET_MAX];
};

struct neighbours {
	struct loop *loop;
	const struct mdns_table *mdns;
	struct asked_interface *asking[INTERFACES_MAX];
	size_t count;
	struct announced item[NEIGHBOURS_MAX];
	size_t items, more;
	struct neighbours_host host[HOSTS_MAX];
	size_t hosts;
	struct neighbour *list; /* made by neighbours_list */
	struct buf asked, failure;
	const struct asked_interface
		*on; /* the packet that is read came there */
	const char *from;
	bool *woken;
	size_t open;
};

/* ---- what was told ---- */

static struct announced *find(struct neighbours *n, const char *full)
{
	CLEANUP(buf_done) struct buf name = { 0 };
	struct announced *a;

	for (size_t i = 0; i < n->items; i++) {
		if (text_same(n->item[i].full, full))
			return &n->item[i];
	}
	if (n->items == NEIGHBOURS_MAX) {
		n->more++;
		return NULL;
	}
	a = &n->item[n->items++];
	*a = (struct announced){ .full = mem_strdup(full),
				 .where = mem_strdup(n->on->name),
				 .from = mem_strdup(n->from) };
	n->mdns->label(&name, full);
	a->name = mem_strdup(buf_string(&name));
	return a;
}

/* What others told of other services is of no use. */
static bool is_ours(const char *full)
{
	size_t len = strlen(full), tail = strlen("." SERVICE_NAME);

	return len > tail && text_same(full + len - tail, "." SERVICE_NAME);
}

static void take_pointer(struct neighbours *n, const struct mdns_record *r)
{
	struct announced *a;

	if (!text_same(r->name, SERVICE_NAME) || !is_ours(r->to))
		return;
	a = find(n, r->to);
	if (a)
		a->pointed = true;
}

static void take_service(struct neighbours *n, const struct mdns_record *r)
{
	struct announced *a = is_ours(r->name) ? find(n, r->name) : NULL;

	if (!a || a->host)
		return;
	a->host = mem_strdup(r->to);
	a->port = r->port;
}

/* Plain, and nothing that a shell or a URL reads otherwise. */
static bool is_path(const char *text, size_t len)
{
	if (len == 0 || len > PATH_MAX_LEN || text[0] != '/')
		return false;
	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
		    !(c >= '0' && c <= '9') && !(c && strchr("/-._~", c)))
			return false;
	}
	return true;
}

/* The value of "NAME=…" of len bytes; text NULL: it is another one. */
static struct span value_of(const char *word, size_t len, const char *name)
{
	const size_t skip = strlen(name) + 1;

	if (len <= skip || strncasecmp(word, name, skip - 1) != 0 ||
	    word[skip - 1] != '=')
		return (struct span){ 0 };
	return (struct span){ word + skip, len - skip };
}

static bool is_printable(struct span s, size_t max)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.text[i] <= ' ' || s.text[i] > '~')
			return false;
	}
	return s.len <= max;
}

static uint16_t read_port(struct span s)
{
	CLEANUP(mem_free_ptr) char *text = mem_strndup(s.text, s.len);
	int64_t port = 0;

	return text_integer(text, 1, UINT16_MAX, &port) ? 0 : (uint16_t)port;
}

/* One of the strings of a TXT record; the first of a name counts. */
static void take_word(struct announced *a, const char *word, size_t len)
{
	const struct span path = value_of(word, len, "path");
	const struct span version = value_of(word, len, "version");
	const struct span port = value_of(word, len, "ws_port");
	const struct span endpoint = value_of(word, len, "endpoint");

	if (path.text && !a->path && is_path(path.text, path.len))
		a->path = mem_strndup(path.text, path.len);
	if (version.text && !a->version &&
	    is_printable(version, VERSION_MAX_LEN))
		a->version = mem_strndup(version.text, version.len);
	if (port.text && !a->ws_port)
		a->ws_port = read_port(port);
	if (endpoint.text && !a->endpoint &&
	    is_printable(endpoint, ENDPOINT_MAX_LEN))
		a->endpoint = mem_strndup(endpoint.text, endpoint.len);
}

static void take_text(struct neighbours *n, const struct mdns_record *r)
{
	struct announced *a = is_ours(r->name) ? find(n, r->name) : NULL;
	size_t at = 0;

	if (!a || a->has_text)
		return;
	a->has_text = true;
	while (at < r->len) {
		size_t len = (unsigned char)r->text[at++];

		if (len > r->len - at)
			return;
		take_word(a, r->text + at, len);
		at += len;
	}
}

/* The first that was told counts, but one of IPv4 more than one of IPv6. */
static void take_address(struct neighbours *n, const struct mdns_record *r)
{
	struct neighbours_host *h = n->host, *end = h + n->hosts;

	/* Without the interface's number such an address leads nowhere. */
	if (r->type == MDNS_AAAA && text_starts(r->address, "fe80:"))
		return;
	while (h < end && !text_same(h->name, r->name))
		h++;
	if (h == end && n->hosts == HOSTS_MAX)
		return;
	if (h == end) {
		n->hosts++;
		*h = (struct neighbours_host){ .name = mem_strdup(r->name) };
	}
	if (!h->address || (r->type == MDNS_A && strchr(h->address, ':'))) {
		mem_free(h->address);
		h->address = mem_strdup(r->address);
	}
}

static void on_record(void *owner, const struct mdns_record *r)
{
	struct neighbours *n = owner;

	switch (r->type) {
	case MDNS_PTR:
		take_pointer(n, r);
		return;
	case MDNS_SRV:
		take_service(n, r);
		return;
	case MDNS_TXT:
		take_text(n, r);
		return;
	case MDNS_A:
	case MDNS_AAAA:
		take_address(n, r);
		return;
	}
}

/* ---- the sockets ---- */

static void on_alloc(uv_handle_t *h, size_t wanted, uv_buf_t *out)
{
	struct asked_interface *a = h->data;

	(void)wanted;
	*out = uv_buf_init(a->packet, sizeof(a->packet));
}

static void on_packet(uv_udp_t *u, ssize_t len, const uv_buf_t *data,
		      const struct sockaddr *from, unsigned flags)
{
	struct asked_interface *a = u->data;
	struct neighbours *n = a->owner;
	char text[ADDRESS_TEXT_MAX];

	if (len <= 0 || !from || (flags & UV_UDP_PARTIAL))
		return;
	address_print_host(from, text, sizeof(text));
	n->on = a;
	n->from = text;
	n->mdns->read(data->base, (size_t)len, on_record, n);
	n->from = NULL;
	*n->woken = true;
}

static void release(struct neighbours *n)
{
	for (size_t i = 0; i < n->items; i++) {
		struct announced *a = &n->item[i];

		mem_free(a->full);
		mem_free(a->from);
		mem_free(a->name);
		mem_free(a->host);
		mem_free(a->path);
		mem_free(a->version);
		mem_free(a->endpoint);
		mem_free(a->where);
	}
	for (size_t i = 0; i < n->hosts; i++) {
		mem_free(n->host[i].name);
		mem_free(n->host[i].address);
	}
	mem_free(n->list);
	buf_done(&n->asked);
	buf_done(&n->failure);
	mem_free(n);
}

static void on_closed(uv_handle_t *h)
{
	struct asked_interface *a = h->data;
	struct neighbours *n = a->owner;

	mem_free(a);
	if (--n->open == 0)
		release(n);
}

void neighbours_close(struct neighbours *n)
{
	if (!n)
		return;
	if (n->open == 0)
		release(n);
	else
		for (size_t i = 0, count = n->count; i < count; i++)
			uv_close((uv_handle_t *)&n->asking[i]->uv, on_closed);
}

static void add_failure(struct neighbours *n, const char *name, int status)
{
	if (n->failure.len == 0)
		buf_printf(&n->failure, "%s: %s", name, uv_strerror(status));
}

/* Bound to the interface's own address: what is sent leaves there. */
static int bind_to(struct asked_interface *a, const struct sockaddr_in *address)
{
	struct sockaddr_in here = *address;
	char text[INET_ADDRSTRLEN];
	int status;

	here.sin_port = 0;
	uv_ip4_name(address, text, sizeof(text));
	status = uv_udp_bind(&a->uv, (const struct sockaddr *)&here, 0);
	if (status == 0)
		status = uv_udp_set_multicast_interface(&a->uv, text);
	if (status == 0)
		status = uv_udp_set_multicast_ttl(&a->uv, 255);
	if (status == 0)
		status = uv_udp_recv_start(&a->uv, on_alloc, on_packet);
	return status;
}

static bool add_interface(void *owner, const uv_interface_address_t *one)
{
	struct neighbours *n = owner;
	struct asked_interface *a = mem_zalloc(sizeof(*a));
	int status;

	a->owner = n;
	snprintf(a->name, sizeof(a->name), "%s", one->name);
	if (uv_udp_init(loop_uv(n->loop), &a->uv) != 0) {
		mem_free(a);
		return false;
	}
	a->uv.data = a;
	n->asking[n->count++] = a;
	n->open++;
	status = bind_to(a, &one->address.address4);
	if (status != 0)
		add_failure(n, a->name, status);
	buf_printf(&n->asked, "%s%s", n->asked.len ? ", " : "", a->name);
	return true;
}

static int open_all(struct neighbours *n, const struct words *names,
		    struct error *err)
{
	const struct interfaces_choice choice = {
		.names = names, .purpose = "there is no network to ask"
	};

	return interfaces_each(&choice, add_interface, n, err);
}

int neighbours_open(struct neighbours **out, struct loop *l,
		    const struct words *interfaces, bool *woken,
		    struct error *err)
{
	const struct mdns_table *mdns =
		module_sized("mdns", MDNS_TABLE, sizeof(*mdns), err);
	struct neighbours *n;

	*out = NULL;
	if (!mdns)
		return -1;
	n = mem_zalloc(sizeof(*n));
	n->loop = l;
	n->mdns = mdns;
	n->woken = woken;
	if (open_all(n, interfaces, err)) {
		neighbours_close(n);
		return -1;
	}
	*out = n;
	return 0;
}

/* ---- asking ---- */

static void send_question(struct neighbours *n, const char *name,
			  enum mdns_type type)
{
	CLEANUP(buf_done) struct buf packet = { 0 };
	struct sockaddr_in group;

	uv_ip4_addr(MDNS_GROUP, MDNS_PORT, &group);
	if (n->mdns->ask(&packet, name, type))
		return;
	for (size_t i = 0; i < n->count; i++) {
		struct asked_interface *a = n->asking[i];
		uv_buf_t data = uv_buf_init(packet.data, (unsigned)packet.len);
		int status = uv_udp_try_send(&a->uv, &data, 1,
					     (const struct sockaddr *)&group);

		if (status < 0)
			add_failure(n, a->name, status);
	}
}

static const char *address_of(const struct neighbours *n, const char *host)
{
	for (size_t i = 0; host && i < n->hosts; i++) {
		if (text_same(n->host[i].name, host))
			return n->host[i].address;
	}
	return NULL;
}

/* Most send all that belongs to it with the first answer; who does not is asked. */
void neighbours_ask(struct neighbours *n)
{
	int left = FOLLOW_MAX;

	send_question(n, SERVICE_NAME, MDNS_PTR);
	for (size_t i = 0; i < n->items && left > 0; i++) {
		const struct announced *a = &n->item[i];

		if (!a->host && left-- > 0)
			send_question(n, a->full, MDNS_SRV);
		if (!a->has_text && left-- > 0)
			send_question(n, a->full, MDNS_TXT);
		if (a->host && !address_of(n, a->host) && left-- > 0)
			send_question(n, a->host, MDNS_A);
	}
}

/* ---- who answered ---- */

static int by_name(const void *a, const void *b)
{
	const struct neighbour *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : strcmp(x->address, y->address);
}

/*
 * "http://HOST[:PORT]/PATH" of the host that announces it, by its name or its
 * number: what it says more than the other records. Of another host: nothing.
 */
static void use_endpoint(const struct announced *a, struct neighbour *out)
{
	static const char plain[] = "http://", secure[] = "https://";
	const bool tls = a->endpoint && text_starts(a->endpoint, secure);
	struct authority there;
	const char *at;
	size_t len;

	if (!a->endpoint || (!tls && !text_starts(a->endpoint, plain)))
		return;
	at = a->endpoint + (tls ? sizeof(secure) : sizeof(plain)) - 1;
	len = strcspn(at, "/");
	if (authority_parse(&there, at, len, NULL) ||
	    !(text_same(there.host, out->address) ||
	      (a->host && text_same(there.host, a->host))) ||
	    (at[len] && !is_path(at + len, strlen(at + len))))
		return;
	out->tls = tls;
	out->port = there.has_port ? there.port : tls ? 443 : 80;
	if (at[len])
		out->path = at + len;
}

static struct neighbour neighbour_of(const struct neighbours *n,
				     const struct announced *a)
{
	const char *told = address_of(n, a->host);
	struct neighbour out = { .name = a->name,
				 .host = a->host,
				 .address = told ? told : a->from,
				 .path = a->path,
				 .where = a->where,
				 .version = a->version,
				 .port = a->port,
				 .ws_port = a->ws_port,
				 .elsewhere =
					 told && strcmp(told, a->from) != 0 };

	use_endpoint(a, &out);
	return out;
}

const struct neighbour *neighbours_list(struct neighbours *n, size_t *count,
					size_t *more)
{
	*count = 0;
	*more = n->more;
	mem_free(n->list);
	n->list = mem_zalloc((n->items + 1) * sizeof(*n->list));
	for (size_t i = 0; i < n->items; i++) {
		const struct announced *a = &n->item[i];

		if (a->pointed)
			n->list[(*count)++] = neighbour_of(n, a);
	}
	if (*count)
		qsort(n->list, *count, sizeof(*n->list), by_name);
	return n->list;
}

const char *neighbours_asked(const struct neighbours *n)
{
	return buf_string(&n->asked);
}

const char *neighbours_failure(const struct neighbours *n)
{
	return n->failure.len ? buf_string(&n->failure) : NULL;
}
