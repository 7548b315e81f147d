/* SPDX-License-Identifier: MIT */
#include "serve/pages_access.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "base/secret_file.h"
#include "base/text.h"
#include "net/address.h"

#define COOKIE "mcpctl"
#define MINUTE_MS 60000

/*
 * A hash with two keys, each a whole block in front: HMAC (RFC 2104) but for the
 * keys, which need not be made of one, and the inner sum, which is hashed as
 * text.
 */
static void seal(const struct pages_access *a, const char *kind,
		 const char *text, char out[SHA256_TEXT])
{
	CLEANUP(secret_wipe) struct buf b = { 0 };
	char sum[SHA256_TEXT];

	buf_add(&b, a->inner, sizeof(a->inner));
	buf_printf(&b, "%s\n%s", kind, text);
	sha256_text(b.data, b.len, sum);
	buf_reset(&b);
	buf_add(&b, a->outer, sizeof(a->outer));
	buf_text(&b, sum);
	sha256_text(b.data, b.len, out);
}

static bool same_text(const char *a, const char *b)
{
	return secret_same(a, strlen(a), b, strlen(b));
}

/* ---- open ---- */

static int read_token(struct pages_access *a, const char *file,
		      struct error *err)
{
	struct buf text;
	int status;

	status = secret_file_read(&text, "token file of the page", file, err);
	if (status == 0 && text.len < PAGES_TOKEN_MIN) {
		error_set(err, ERR_USAGE,
			  "the token in '%.200s' has %zu bytes, and needs %d",
			  file, text.len, PAGES_TOKEN_MIN);
		status = error_hint(
			err,
			"whoever has it can call every tool: 'openssl rand -hex 16' makes one");
	}
	if (status == 0)
		a->token = mem_strndup(text.data, text.len);
	secret_wipe(&text);
	return status;
}

int pages_access_open(struct pages_access *a, const char *token_file,
		      struct error *err)
{
	random_bytes(a->inner, sizeof(a->inner));
	random_bytes(a->outer, sizeof(a->outer));
	return token_file ? read_token(a, token_file, err) : 0;
}

void pages_access_done(struct pages_access *a)
{
	secret_free(a->token);
	explicit_bzero(a, sizeof(*a));
}

/* ---- cookies: "mcpctl=UNTIL-RANDOM-SEAL" ---- */

/* One that was sealed before the last end of all is none. */
static void seal_session(const struct pages_access *a, const char *what,
			 char out[SHA256_TEXT])
{
	CLEANUP(mem_free_ptr)
	char *kind = mem_printf("session %" PRIu64, a->epoch);

	seal(a, kind, what, out);
}

/* The value of ours among all; yours, NULL. */
static char *cookie_of(const struct front_head *head)
{
	const char *all = headers_get(head->headers, "Cookie");

	while (all && *all) {
		all += strspn(all, "; ");
		if (text_starts(all, COOKIE "=")) {
			all += strlen(COOKIE "=");
			return mem_strndup(all, strcspn(all, "; "));
		}
		all += strcspn(all, ";");
	}
	return NULL;
}

static bool cookie_holds(const struct pages_access *a, const char *cookie)
{
	const char *mark = strrchr(cookie, '-');
	CLEANUP(mem_free_ptr) char *what = NULL;
	CLEANUP(mem_free_ptr) char *until = NULL;
	char wanted[SHA256_TEXT];
	int64_t ms;

	if (!mark)
		return false;
	what = mem_strndup(cookie, (size_t)(mark - cookie));
	seal_session(a, what, wanted);
	if (!same_text(wanted, mark + 1))
		return false;
	until = mem_strndup(what, strcspn(what, "-"));
	return !text_integer(until, 0, INT64_MAX, &ms) && unix_now_ms() < ms;
}

/* tls: it came by TLS, and goes nowhere else then. */
static char *new_cookie(const struct pages_access *a, bool tls)
{
	CLEANUP(mem_free_ptr) char *what = NULL;
	char id[RANDOM_HEX_SIZE], sum[SHA256_TEXT];

	random_hex(id);
	what = mem_printf("%" PRId64 "-%s", unix_now_ms() + PAGES_SESSION_MS,
			  id);
	seal_session(a, what, sum);
	return mem_printf(
		COOKIE
		"=%s-%s; Path=/; HttpOnly; SameSite=Strict; Max-Age=%lld%s",
		what, sum, (long long)(PAGES_SESSION_MS / 1000),
		tls ? "; Secure" : "");
}

void pages_access_end_all(struct pages_access *a)
{
	a->epoch++;
}

/* ---- who may ---- */

static bool is_here(const struct front_head *head)
{
	size_t len = address_host_length(head->address);

	if (strncmp(head->address, "127.", 4) == 0 ||
	    strncmp(head->address, "[::1]", 5) == 0)
		return true;
	return head->local && len == address_host_length(head->local) &&
	       strncmp(head->address, head->local, len) == 0;
}

/* Whoever that asks for: what it says of itself proves nothing. */
static bool is_proxied(const struct headers *h)
{
	static const char *const names[] = { "X-Forwarded-For", "Forwarded",
					     "X-Forwarded-Host", "X-Real-IP",
					     "Via" };

	for (size_t i = 0; i < COUNT(names); i++) {
		if (headers_get(h, names[i]))
			return true;
	}
	return false;
}

/* Nothing here frames a page of ours. */
static bool is_frame(const char *destination)
{
	static const char *const frames[] = { "iframe", "frame", "fencedframe",
					      "embed", "object" };

	for (size_t i = 0; i < COUNT(frames); i++) {
		if (text_same(destination, frames[i]))
			return true;
	}
	return false;
}

/* Also where --allow-origin lets that page in: it was for boards. */
static bool is_foreign(const struct front_head *head)
{
	const struct headers *h = head->headers;
	const char *origin = headers_get(h, "Origin");
	const char *host = headers_get(h, "Host");
	const char *site = headers_get(h, "Sec-Fetch-Site");
	const char *mode = headers_get(h, "Sec-Fetch-Mode");
	const char *to = headers_get(h, "Sec-Fetch-Dest");
	const char *at = origin ? strstr(origin, "://") : NULL;

	if (origin && (!at || !host || !text_same(at + 3, host)))
		return true;
	if (is_frame(to))
		return true;
	if (!site || text_same(site, "same-origin") || text_same(site, "none"))
		return false;
	return strcmp(head->method, "GET") != 0 || !text_same(mode, "navigate");
}

enum pages_verdict pages_access_judge(const struct pages_access *a,
				      const struct front_head *head)
{
	CLEANUP(mem_free_ptr) char *cookie = NULL;

	if (is_foreign(head))
		return PAGES_FOREIGN;
	if (a->token) {
		cookie = cookie_of(head);
		return cookie && cookie_holds(a, cookie) ? PAGES_MAY :
							   PAGES_UNKNOWN;
	}
	if (!is_here(head))
		return PAGES_ELSEWHERE;
	return is_proxied(head->headers) ? PAGES_PROXIED : PAGES_MAY;
}

void pages_access_seal(const struct pages_access *a,
		       const struct front_head *head, const char *subject,
		       char out[SHA256_TEXT])
{
	CLEANUP(mem_free_ptr) char *cookie = a->token ? cookie_of(head) : NULL;
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("%s\n%s", cookie ? cookie : "", subject);

	seal(a, "form", text, out);
}

bool pages_access_sealed(const struct pages_access *a,
			 const struct front_head *head, const char *subject,
			 const char *given)
{
	char wanted[SHA256_TEXT];

	pages_access_seal(a, head, subject, wanted);
	return given && same_text(wanted, given);
}

/* ---- tokens that are shown ---- */

/* Of what address_print gave; a scope of IPv6 says nothing more. */
static struct budget_key key_of(const char *address)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };
	size_t bracket = *address == '[';
	size_t len = address_host_length(address);
	CLEANUP(mem_free_ptr)
	char *host = mem_strndup(address + bracket, len - bracket);

	host[strcspn(host, "]%")] = '\0';
	if (inet_pton(AF_INET, host, &v4.sin_addr) == 1)
		return budget_key_address((struct sockaddr *)&v4);
	if (inet_pton(AF_INET6, host, &v6.sin6_addr) == 1)
		return budget_key_address((struct sockaddr *)&v6);
	return budget_key_name(host);
}

/* Who has tried within this minute, or a new one. */
static struct pages_trier *trier_of(struct pages_access *a, const char *address)
{
	const struct budget_key whose = key_of(address);
	int64_t now = loop_now();
	struct pages_trier *t;

	for (size_t i = 0; i < PAGES_TRIERS; i++) {
		t = &a->trier[i];
		if (t->tries && now - t->since < MINUTE_MS &&
		    memcmp(&t->whose, &whose, sizeof(whose)) == 0)
			return t;
	}
	t = &a->trier[a->next_trier++ % PAGES_TRIERS];
	*t = (struct pages_trier){ .whose = whose, .since = now };
	return t;
}

char *pages_access_login(struct pages_access *a, const struct front_head *head,
			 const char *given, bool *late)
{
	struct pages_trier *t = trier_of(a, head->address);
	char wanted[SHA256_TEXT], got[SHA256_TEXT];

	*late = t->tries >= PAGES_TRIES;
	/* As seals: of one length, whatever was given. */
	seal(a, "token", a->token, wanted);
	seal(a, "token", given, got);
	if (same_text(wanted, got))
		return new_cookie(a, head->tls);
	t->tries++;
	return NULL;
}
