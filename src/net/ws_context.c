/* SPDX-License-Identifier: MIT */
#include "net/ws_context.h"

#include <dlfcn.h>
#include <string.h>

#include "base/descriptors.h"
#include "base/log.h"
#include "base/mem.h"
#include "net/front.h"
#include "net/why.h"

/* What is read of a socket at once, for all connections. */
#define BUFFER_SIZE 65536
/*
 * What each connection has for itself, as long as it lives: a frame that is
 * longer comes in pieces. The library touches little of a large one, but each
 * time another part of the heap, so that a serve would grow with those who come
 * and go.
 */
#define PIECE_SIZE 4096
/*
 * Descriptors of one context. Below the process' limit it is a small table that
 * the library searches for each event; 0: two tables as long as the limit, and
 * nothing is searched.
 */
#define CONNECTIONS_FEW 256u
/* Its own deadlines are put out of the way: ours are shorter and exact. */
#define NEVER_SECONDS (7u * 24 * 3600)
/*
 * What a context opens, for a moment or for good, and some room. When one
 * cannot be made, the library frees the memory of handles that are on our loop:
 * so it is not begun where descriptors do not suffice.
 */
#define DESCRIPTORS_NEEDED 12
/* Its part for our loop, which it loads and unloads with each context. */
#define LOOP_PLUGIN "libwebsockets-evlib_uv.so"
/*
 * Turns of the loop between the two steps of the destruction: the first
 * closes handles, in their close callback more are closed.
 */
#define TURNS_TO_CLOSE 5

/* Neither pings nor hang-ups: some boards do not answer Ping in time (device.md 1.4). */
static const lws_retry_bo_t no_pings = { .secs_since_valid_ping = 0,
					 .secs_since_valid_hangup = 0 };

static struct ws_context *contexts;
static unsigned connections_max = CONNECTIONS_FEW;

void ws_context_many(void)
{
	connections_max = 0;
}

/* Its log lines are developers' matter; the cause of an error is found elsewhere. */
static void on_log(int level, const char *line)
{
	size_t len = strcspn(line, "\n");

	log_debug("libwebsockets %d: %.*s", level, (int)len, line);
}

static struct lws_context *create(struct loop *l, struct lws_context **out)
{
	void *loops[1] = { loop_uv(l) };
	struct lws_context_creation_info info = { 0 };

	info.port = CONTEXT_PORT_NO_LISTEN;
	info.options = LWS_SERVER_OPTION_LIBUV |
		       LWS_SERVER_OPTION_EXPLICIT_VHOSTS |
		       LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT |
		       LWS_SERVER_OPTION_UV_NO_SIGSEGV_SIGFPE_SPIN;
	info.foreign_loops = loops;
	info.pt_serv_buf_size = BUFFER_SIZE;
	info.max_http_header_data = FRONT_HEAD_MAX;
	info.fd_limit_per_thread = connections_max;
	info.timeout_secs = NEVER_SECONDS;
	info.retry_and_idle_policy = &no_pings;
	info.pcontext = out;
	return lws_create_context(&info);
}

static struct lws_vhost *vhost_new(struct ws_context *c, const char *name,
				   uint64_t options, const char *cacert)
{
	struct lws_context_creation_info info = { 0 };

	info.port = CONTEXT_PORT_NO_LISTEN_SERVER;
	info.vhost_name = name;
	info.protocols = c->protocols;
	info.options = options;
	info.client_ssl_ca_filepath = cacert;
	info.connect_timeout_secs = NEVER_SECONDS;
	info.timeout_secs_ah_idle = 60;
	info.retry_and_idle_policy = &no_pings;
	return lws_create_vhost(c->lws, &info);
}

static void unlink_context(struct ws_context *c)
{
	struct ws_context **link = &contexts;

	while (*link != c)
		link = &(*link)->next;
	*link = c->next;
}

static void free_context(struct ws_context *c)
{
	struct ws_trust *next;

	for (struct ws_trust *t = c->trusts; t; t = next) {
		next = t->next;
		mem_free(t->cacert);
		mem_free(t);
	}
	unlink_context(c);
	buf_done(&c->scratch);
	mem_free(c);
}

static void on_check_closed(uv_handle_t *handle)
{
	free_context(handle->data);
}

static void on_idle_closed(uv_handle_t *handle)
{
	struct ws_context *c = handle->data;

	uv_close((uv_handle_t *)&c->check, on_check_closed);
}

/*
 * Destroying takes two calls with turns of the loop between them: the first
 * closes the handles, the second frees. The library clears the pointer that
 * it was given as pcontext when it has freed itself at the first one.
 *
 * The first call closes the descriptor of the library's wake-up, and its close
 * callback closes the same number once more. So that call is made from a check
 * handle, behind which nothing but close callbacks run in a turn: nobody is
 * given the number in between.
 */
static void destroy_step(uv_check_t *check)
{
	struct ws_context *c = check->data;

	if (c->turns++ == 0) {
		lws_context_destroy(c->lws);
		return;
	}
	if (c->turns <= TURNS_TO_CLOSE)
		return;
	if (c->lws)
		lws_context_destroy(c->lws);
	uv_check_stop(&c->check);
	uv_close((uv_handle_t *)&c->idle, on_idle_closed);
}

/* Turns must not wait for events while they are counted. */
static void on_idle(uv_idle_t *idle)
{
	(void)idle;
}

/*
 * One that was to die is kept if its destruction has not begun: two contexts
 * at once share OpenSSL's numbers, and the older one could not free its own.
 */
static struct ws_context *find_context(const struct loop *l)
{
	struct ws_context *c = contexts;

	while (c && (c->loop != l || c->turns > 0))
		c = c->next;
	if (c && c->dying) {
		c->dying = false;
		uv_idle_stop(&c->idle);
		uv_check_stop(&c->check);
	}
	return c;
}

/*
 * Stays for good: a handle that is still on our loop calls into it. Where the
 * library was built without plugins there is nothing to keep.
 */
static void keep_plugin(void)
{
	static bool kept;

	if (!kept)
		dlopen(LOOP_PLUGIN, RTLD_NOW | RTLD_NODELETE);
	kept = true;
}

static int check_descriptors(struct loop *l, struct error *err)
{
	if (descriptors_spare(uv_backend_fd(loop_uv(l)), DESCRIPTORS_NEEDED))
		return 0;
	error_set(
		err, ERR_CONNECT,
		"no WebSocket can be opened: of the %zu open files that are allowed fewer than %d are left",
		descriptors_limit(), DESCRIPTORS_NEEDED);
	return error_hint(err, "raise the limit (ulimit -n), or close some");
}

struct ws_context *ws_context_take(struct loop *l,
				   lws_callback_function *callback,
				   struct error *err)
{
	struct ws_context *c;

	c = find_context(l);
	if (c) {
		c->users++;
		return c;
	}
	if (check_descriptors(l, err))
		return NULL;
	keep_plugin();
	lws_set_log_level(LLL_ERR | LLL_WARN, on_log);
	c = mem_zalloc(sizeof(*c));
	c->loop = l;
	c->protocols[0] =
		(struct lws_protocols){ .name = "mcp",
					.callback = callback,
					.rx_buffer_size = PIECE_SIZE };
	c->lws = create(l, &c->lws);
	if (!c->lws) {
		mem_free(c);
		error_set(err, ERR_CONNECT,
			  "libwebsockets cannot join the event loop");
		error_hint(err, "install the package libwebsockets-evlib-uv");
		return NULL;
	}
	uv_idle_init(loop_uv(l), &c->idle);
	c->idle.data = c;
	uv_check_init(loop_uv(l), &c->check);
	c->check.data = c;
	c->next = contexts;
	contexts = c;
	c->users = 1;
	c->vhost = vhost_new(c, "plain", 0, NULL);
	if (!c->vhost) {
		ws_context_release(c);
		error_set(err, ERR_CONNECT, "libwebsockets cannot be set up");
		return NULL;
	}
	return c;
}

void ws_context_release(struct ws_context *c)
{
	if (--c->users > 0)
		return;
	c->dying = true;
	uv_idle_start(&c->idle, on_idle);
	uv_check_start(&c->check, destroy_step);
}

void ws_context_let_go(struct loop *l)
{
	struct ws_context *c = find_context(l);

	if (c)
		ws_context_release(c);
}

/*
 * A session that is resumed shows no certificate: what --insecure let in would be
 * let in for good, also by a dial that verifies. From libwebsockets 4.2 on.
 */
#ifdef LWS_SERVER_OPTION_DISABLE_TLS_SESSION_CACHE
#	define NOTHING_RESUMED LWS_SERVER_OPTION_DISABLE_TLS_SESSION_CACHE
#else
#	define NOTHING_RESUMED 0
#endif

struct lws_vhost *ws_context_trust(struct ws_context *c, const char *cacert,
				   struct error *err)
{
	uint64_t options =
		LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT | NOTHING_RESUMED;
	struct ws_trust *t;
	unsigned count = 0;

	for (t = c->trusts; t; t = t->next) {
		if (cacert ? t->cacert && strcmp(t->cacert, cacert) == 0 :
			     !t->cacert)
			return t->vhost;
		count++;
	}
	if (cacert && why_check_cacert(cacert, err))
		return NULL;
	/* --cacert is instead of the system's certificates, not beside them. */
	if (cacert)
		options |= LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS;
	t = mem_zalloc(sizeof(*t));
	t->cacert = mem_strdup(cacert);
	snprintf(t->name, sizeof(t->name), "tls%u", count);
	t->vhost = vhost_new(c, t->name, options, t->cacert);
	if (!t->vhost) {
		mem_free(t->cacert);
		mem_free(t);
		error_set(err, ERR_CONNECT, "TLS cannot be set up");
		return NULL;
	}
	t->next = c->trusts;
	c->trusts = t;
	return t->vhost;
}
