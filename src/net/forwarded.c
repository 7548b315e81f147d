/* SPDX-License-Identifier: MIT */
/*
 * X-Forwarded-For and Forwarded, read from their ends.
 */
#include "net/forwarded.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/address.h"

#define LIST "X-Forwarded-For"
#define FIELD "Forwarded"
#define SCHEME "X-Forwarded-Proto"
#define BITS 128u
#define BITS_OF_4 32u

/* ---- addresses ---- */

static void bytes_of(unsigned char out[16], const struct sockaddr *sa)
{
	struct sockaddr_in6 v6;
	struct sockaddr_in v4;

	memset(out, 0, 16);
	if (sa->sa_family == AF_INET) {
		memcpy(&v4, sa, sizeof(v4));
		out[10] = out[11] = 0xff;
		memcpy(out + 12, &v4.sin_addr, 4);
	} else if (sa->sa_family == AF_INET6) {
		memcpy(&v6, sa, sizeof(v6));
		memcpy(out, &v6.sin6_addr, 16);
	}
}

static bool read_address(struct sockaddr_storage *out, const char *host,
			 uint16_t port)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET,
				  .sin_port = htons(port) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6,
				   .sin6_port = htons(port) };

	*out = (struct sockaddr_storage){ 0 };
	if (inet_pton(AF_INET, host, &v4.sin_addr) == 1)
		memcpy(out, &v4, sizeof(v4));
	else if (inet_pton(AF_INET6, host, &v6.sin6_addr) == 1)
		memcpy(out, &v6, sizeof(v6));
	else
		return false;
	return true;
}

/* "192.0.2.1", "192.0.2.1:80", "2001:db8::1", "[2001:db8::1]", with a port too. */
static bool read_node(struct sockaddr_storage *out, const char *text,
		      size_t len)
{
	CLEANUP(mem_free_ptr) char *bare = mem_strndup(text, len);
	struct authority a;

	if (read_address(out, bare, 0))
		return true;
	return !authority_parse(&a, text, len, NULL) &&
	       read_address(out, a.host, a.port);
}

/* ---- proxies ---- */

static int bad_proxy(const char *text, struct error *err)
{
	error_set(err, ERR_USAGE,
		  "'%.80s' is no address of a proxy, nor a network", text);
	return error_hint(err,
			  "such as 127.0.0.1, 10.0.0.0/8 or 2001:db8::/32");
}

static int add_proxy(struct forwarded *f, const char *text, struct error *err)
{
	size_t len = strcspn(text, "/");
	CLEANUP(mem_free_ptr) char *host = mem_strndup(text, len);
	struct forwarded_proxy *p = &f->proxy[f->count];
	struct sockaddr_storage sa;
	int64_t bits, most;

	if (!read_address(&sa, host, 0))
		return bad_proxy(text, err);
	most = sa.ss_family == AF_INET ? BITS_OF_4 : BITS;
	bits = most;
	if (text[len] && text_integer(text + len + 1, 0, most, &bits))
		return bad_proxy(text, err);
	bytes_of(p->address, (struct sockaddr *)&sa);
	p->bits = (unsigned)(bits + BITS - most);
	f->count++;
	return 0;
}

int forwarded_open(struct forwarded *f, const struct words *proxies,
		   struct error *err)
{
	size_t count = proxies ? proxies->count : 0;

	*f = (struct forwarded){ 0 };
	if (!count)
		return 0;
	f->proxy = mem_zalloc(count * sizeof(*f->proxy));
	for (size_t i = 0; i < count; i++) {
		if (add_proxy(f, proxies->word[i], err)) {
			forwarded_done(f);
			return error_prefix(err, "option '--trusted-proxy'");
		}
	}
	return 0;
}

void forwarded_done(struct forwarded *f)
{
	mem_free(f->proxy);
	*f = (struct forwarded){ 0 };
}

static bool is_within(const struct forwarded_proxy *p,
		      const unsigned char address[16])
{
	unsigned whole = p->bits / 8, rest = p->bits % 8;
	unsigned char mask = (unsigned char)(0xff00u >> rest);

	if (memcmp(p->address, address, whole) != 0)
		return false;
	return !rest || !((p->address[whole] ^ address[whole]) & mask);
}

bool forwarded_is_proxy(const struct forwarded *f, const struct sockaddr *peer)
{
	unsigned char address[16];

	bytes_of(address, peer);
	for (size_t i = 0; i < f->count; i++) {
		if (is_within(&f->proxy[i], address))
			return true;
	}
	return false;
}

/* ---- the fields ---- */

/*
 * Each part between these, those in quotes left alone. Behind a quote that is not
 * closed stands what a proxy wrote, as part of what a client did: it is none.
 */
static void add_parts(struct words *out, const char *text, char between)
{
	bool quoted = false;
	const char *from = text;

	for (const char *at = text;; at++) {
		CLEANUP(mem_free_ptr) char *part = NULL;
		size_t len;

		quoted ^= *at == '"';
		if (*at && (quoted || *at != between))
			continue;
		len = text_trim(&from, (size_t)(at - from));
		part = mem_strndup(from, len);
		words_add(out, quoted ? "\"" : part);
		if (!*at)
			return;
		from = at + 1;
	}
}

static void collect(struct words *out, const struct headers *h,
		    const char *name)
{
	for (size_t i = 0; i < h->count; i++) {
		if (text_same(h->item[i].name, name))
			add_parts(out, h->item[i].value, ',');
	}
}

/* The value of "NAME=" in one element; yours. NULL: it has none, or two. */
static char *value_of(const char *element, const char *name)
{
	CLEANUP(words_done) struct words pairs = { 0 };
	CLEANUP(mem_free_ptr) char *node = NULL;
	size_t name_len = strlen(name);

	add_parts(&pairs, element, ';');
	for (size_t i = 0; i < pairs.count; i++) {
		const char *value = pairs.word[i] + name_len;
		size_t len;

		if (strncasecmp(pairs.word[i], name, name_len) != 0)
			continue;
		len = strlen(value);
		if (node)
			return NULL;
		if (len >= 2 && value[0] == '"' && value[len - 1] == '"')
			node = mem_strndup(value + 1, len - 2);
		else
			node = mem_strdup(value);
	}
	return TAKE(node);
}

/* From the last one on, which a proxy of ours wrote. */
static bool last_stranger(const struct forwarded *f, const struct words *list,
			  bool elements, struct sockaddr_storage *out)
{
	for (size_t i = list->count; i-- > 0;) {
		CLEANUP(mem_free_ptr)
		char *node = elements ? value_of(list->word[i], "for=") :
					mem_strdup(list->word[i]);

		if (!node || !read_node(out, node, strlen(node)))
			return false;
		if (!forwarded_is_proxy(f, (struct sockaddr *)out))
			return true;
	}
	return false;
}

static bool same_host(const struct sockaddr_storage *a,
		      const struct sockaddr_storage *b)
{
	unsigned char one[16], other[16];

	bytes_of(one, (const struct sockaddr *)a);
	bytes_of(other, (const struct sockaddr *)b);
	return memcmp(one, other, sizeof(one)) == 0;
}

bool forwarded_peer(const struct forwarded *f, const struct headers *h,
		    struct sockaddr_storage *peer)
{
	CLEANUP(words_done) struct words list = { 0 };
	CLEANUP(words_done) struct words elements = { 0 };
	struct sockaddr_storage one = { 0 }, other = { 0 };

	if (!forwarded_is_proxy(f, (struct sockaddr *)peer))
		return false;
	collect(&list, h, LIST);
	collect(&elements, h, FIELD);
	if (list.count && !last_stranger(f, &list, false, &one))
		return false;
	if (elements.count && !last_stranger(f, &elements, true, &other))
		return false;
	if (!list.count && !elements.count)
		return false;
	if (list.count && elements.count && !same_host(&one, &other))
		return false;
	*peer = list.count ? one : other;
	return true;
}

bool forwarded_by_tls(const struct forwarded *f, const struct headers *h,
		      const struct sockaddr *peer)
{
	CLEANUP(words_done) struct words list = { 0 };
	CLEANUP(words_done) struct words elements = { 0 };
	CLEANUP(mem_free_ptr) char *scheme = NULL;

	if (!forwarded_is_proxy(f, peer))
		return false;
	collect(&list, h, SCHEME);
	collect(&elements, h, FIELD);
	if (elements.count)
		scheme = value_of(elements.word[elements.count - 1], "proto=");
	if (!list.count)
		return text_same(scheme, "https");
	return text_same(list.word[list.count - 1], "https") &&
	       (!scheme || text_same(scheme, "https"));
}
