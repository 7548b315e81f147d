/* SPDX-License-Identifier: MIT */
/* What is there, and how it is reached. */
#include "cli/scan.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/brokered.h"
#include "cli/every.h"
#include "cli/scan_list.h"
#include "cli/scan_watch.h"
#include "cli/target_text.h"
#include "net/address.h"
#include "net/control_client.h"
#include "net/neighbours.h"
#include "net/probe.h"
#include "net/why.h"
#include "out/wrap.h"

enum {
	WAIT_MS = 2000, /* for answers, if not said otherwise */
	ROUNDS = 4, /* questions in that time */
	WATCH_MS = 1000, /* the same of each look of --watch */
	REST_MS = 2000, /* between two of them */
	SERVE_MS = 1000, /* for a serve to answer */
	SERVES_MAX = 50,
	DIAL_MS = 1000, /* for a place that is probed to take a connection */
	ASK_MS = 3000 /* for who was found to answer, if not said otherwise */
};

/* ---- names ---- */

static void add_name(void *owner, const struct named_entry *e)
{
	struct scan_list *s = owner;
	struct scanned one = { .kind = "name",
			       .name = mem_strdup(e->name ? e->name : ""),
			       .peer = mem_strdup(e->peer),
			       .source = mem_strdup(e->file),
			       .problem = mem_strdup(e->problem) };
	CLEANUP(buf_done) struct buf command = { 0 };

	if (!e->problem && e->hidden)
		one.problem = mem_strdup("another file before it has the name");
	if (!one.problem) {
		buf_text(&command, "mcpctl ");
		target_words(&command, e->name, s->search->config_file);
		buf_text(&command, "info");
		one.command = buf_take(&command);
	}
	scan_list_add(s, &one);
}

/* ---- serves ---- */

static char *describe_serve(const char *path, const cJSON *status)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	int64_t devices = 0;

	json_integer(status, "devices", &devices);
	wrap_count(&out, (uint64_t)(devices > 0 ? devices : 0), "device");
	buf_printf(&out, ", %s", path);
	return buf_take(&out);
}

static void add_answered(struct scan_list *s, const char *path, bool usual,
			 const cJSON *status)
{
	CLEANUP(buf_done) struct buf command = { 0 };
	struct scanned one = { .kind = "serve",
			       .socket = mem_strdup(path),
			       .source = describe_serve(path, status) };
	int64_t pid = 0;

	json_integer(status, "pid", &pid);
	one.name = mem_printf("pid %" PRId64, pid);
	buf_text(&command, "mcpctl ");
	if (!usual) {
		buf_text(&command, "--socket ");
		words_quote(&command, path);
		buf_char(&command, ' ');
	}
	buf_text(&command, "devices");
	one.command = buf_take(&command);
	scan_list_add(s, &one);
	s->answered++;
}

/* Somebody has that socket, and is busy or stopped: --watch may know who. */
static void add_silent(struct scan_list *s, const char *path)
{
	const struct scanned one = { .kind = "serve",
				     .name = mem_strdup("-"),
				     .socket = mem_strdup(path),
				     .source = mem_strdup(path),
				     .problem = mem_strdup(SCAN_SILENT),
				     .fails = true };

	scan_list_add(s, &one);
}

static bool has_silent(const struct scan_list *s)
{
	for (size_t i = 0; i < s->count; i++) {
		if (s->item[i].socket && s->item[i].fails)
			return true;
	}
	return false;
}

/* The socket is left from one that ended, or is another user's now. */
static bool is_left(const struct error *why)
{
	return why->kind == ERR_AUTH || why->code == ENOENT ||
	       why->code == ECONNREFUSED || why->code == ENOTSOCK;
}

/* A socket that nobody is behind any more is none. Only Ctrl-C is an error. */
static int ask_serve(struct scan_list *s, const char *path, bool usual,
		     struct error *err)
{
	const struct serve_question q = { .op = "status" };
	CLEANUP(control_answer_done) struct control_answer answer = { 0 };
	CLEANUP(error_reset) struct error why = { 0 };
	struct control_line *line = NULL;
	bool there = false;
	int status = control_path_check(path, &there, NULL);

	if (status || !there)
		return 0;
	status = control_line_open(&line, s->app->loop, path, NULL, NULL, &why);
	if (status == 0)
		status = control_line_ask(line, &q, loop_now() + SERVE_MS,
					  control_answer_take, &answer, &why);
	control_line_close(line);
	if (why.kind == ERR_INTERRUPTED) {
		error_copy(err, &why);
		return -1;
	}
	if (status == 0)
		add_answered(s, path, usual, answer.json);
	else if (!is_left(&why))
		add_silent(s, path);
	return 0;
}

/* The usual place, or that of --socket, and what else stands in its folder. */
static int ask_serves(struct scan_list *s, struct error *err)
{
	CLEANUP(mem_free_ptr) char *path = NULL;
	CLEANUP(mem_free_ptr) char *folder = NULL;
	CLEANUP(mem_free_ptr) char *pattern = NULL;
	const char *given = s->app->config.socket;
	glob_t found = { 0 };
	int status = 0;

	if (control_path(&path, given, false, NULL))
		return 0;
	folder = file_folder(path);
	pattern = mem_printf("%s/*.sock", folder);
	if (ask_serve(s, path, !given, err))
		return -1;
	if (!strpbrk(folder, "*?[\\") && glob(pattern, 0, NULL, &found) == 0) {
		for (size_t i = 0;
		     i < found.gl_pathc && i < SERVES_MAX && status == 0; i++) {
			if (strcmp(found.gl_pathv[i], path) != 0)
				status = ask_serve(s, found.gl_pathv[i], false,
						   err);
		}
		globfree(&found);
	}
	return status;
}

/* ---- the network ---- */

/* As a target: all of its parts were checked by net/neighbours. */
static char *neighbour_target(const struct neighbour *n)
{
	const uint16_t usual = n->tls ? 443 : 80;
	CLEANUP(buf_done) struct buf out = { 0 };

	if (!n->port)
		return NULL;
	buf_text(&out, n->tls ? "https://" : "http://");
	authority_print(&out, n->address, n->port == usual ? 0 : n->port);
	buf_text(&out, n->path ? n->path : "/mcp");
	return buf_take(&out);
}

static char *neighbour_source(const struct neighbour *n)
{
	return mem_printf("%s on %s%s%s", n->host ? n->host : n->address,
			  n->where, n->version ? ", version " : "",
			  n->version ? n->version : "");
}

/* Where it says that it has a WebSocket as well. */
static void add_socket(struct scan_list *s, const struct neighbour *n)
{
	struct scanned one = { .kind = "network",
			       .dials = true,
			       .guessed = true };
	CLEANUP(buf_done) struct buf peer = { 0 };

	if (!n->ws_port || n->elsewhere)
		return;
	buf_text(&peer, "ws://");
	authority_print(&peer, n->address, n->ws_port);
	buf_char(&peer, '/');
	one.name = mem_strdup(n->name);
	one.peer = buf_take(&peer);
	one.source = neighbour_source(n);
	one.command = mem_printf("mcpctl %s info", one.peer);
	scan_list_add(s, &one);
}

/* A stranger must not have us dial others: only what is at its own address. */
static void add_neighbour(struct scan_list *s, const struct neighbour *n)
{
	struct scanned one = { .kind = "network",
			       .name = mem_strdup(n->name),
			       .peer = neighbour_target(n),
			       .source = neighbour_source(n) };

	if (!one.peer)
		one.problem = mem_strdup("it did not tell its port");
	else if (n->elsewhere)
		one.problem = mem_strdup(
			"not asked: another address than this one announced it");
	else
		one.command = mem_printf("mcpctl %s info", one.peer);
	one.dials = !one.problem;
	s->announced++;
	scan_list_add(s, &one);
	add_socket(s, n);
}

static int wait_answers(struct scan_list *s, struct neighbours *n,
			const struct scan_options *o, bool *woken,
			struct error *err)
{
	int64_t length = o->watch    ? WATCH_MS :
			 o->duration ? o->duration :
				       WAIT_MS;
	int64_t begin = loop_now(), end = begin + length;
	size_t count = 0, more;
	int round = 0;

	while (loop_now() < end && (!o->count || count < (size_t)o->count)) {
		int64_t next = begin + length * round / ROUNDS;

		if (loop_now() >= next) {
			neighbours_ask(n);
			next = begin + length * ++round / ROUNDS;
		}
		*woken = false;
		if (loop_stay(s->app->loop, woken, next < end ? next : end,
			      err))
			return -1;
		neighbours_list(n, &count, &more);
	}
	return 0;
}

static void take_neighbours(struct scan_list *s, struct neighbours *n)
{
	size_t count, more;
	const struct neighbour *list = neighbours_list(n, &count, &more);

	for (size_t i = 0; i < count; i++)
		add_neighbour(s, &list[i]);
}

/* What is not seen of the network. */
static void note_unseen(const struct scan_list *s, struct neighbours *n)
{
	size_t count, more;

	neighbours_list(n, &count, &more);
	if (more)
		render_note(
			&s->app->out,
			"more than %d were announced; the others are not shown",
			NEIGHBOURS_MAX);
	if (neighbours_failure(n))
		render_note(&s->app->out, "cannot ask everywhere: %s",
			    neighbours_failure(n));
}

/* ---- what is probed ---- */

static const uint16_t probe_ports[] = { 80, 8080, 0 };
static const struct {
	const char *scheme, *path;
} probe_paths[] = { { "http", "/mcp" },
		    { "http", "/mcp_server" },
		    { "sse+http", "/sse" } };

static void add_probed(struct scan_list *s, const struct probe_place *p)
{
	const char *colon = strchr(p->host, ':');

	for (size_t i = 0; i < COUNT(probe_paths); i++) {
		struct scanned one = { .kind = "probe",
				       .name = mem_strdup(p->host),
				       .place = p,
				       .dials = true,
				       .guessed = true };

		one.peer =
			mem_printf("%s://%s%s%s:%u%s", probe_paths[i].scheme,
				   colon ? "[" : "", p->host, colon ? "]" : "",
				   p->port, probe_paths[i].path);
		one.source = mem_printf("port %u", p->port);
		one.command = mem_printf("mcpctl %s info", one.peer);
		scan_list_add(s, &one);
	}
}

static int read_probes(struct probe_list *list, const struct words *probes,
		       struct error *err)
{
	for (size_t i = 0; i < probes->count; i++) {
		if (!probe_add(list, probes->word[i], probe_ports, err))
			continue;
		error_prefix(err, "option '--probe'");
		return error_hint(
			err,
			"--probe 192.168.1.7, 192.168.1.7:8080, 192.168.1.0/24");
	}
	return 0;
}

static int probe_all(struct scan_list *s, struct probe_list *list,
		     struct error *err)
{
	if (probe_run(s->app->loop, list, DIAL_MS, err))
		return -1;
	for (size_t i = 0; i < list->count; i++) {
		if (list->item[i].open)
			add_probed(s, &list->item[i]);
	}
	return 0;
}

/* ---- do they speak MCP? ---- */

struct scan_asking {
	struct scan_list *s;
	size_t next; /* the first that was not asked, or told of */
};

/* It stands there already, or another path of the same place has answered. */
static bool is_known(const struct scan_list *s, size_t at)
{
	const struct scanned *one = &s->item[at];

	for (size_t i = 0; i < at; i++) {
		const struct scanned *other = &s->item[i];

		if (!other->dials || other->hidden)
			continue;
		if (strcmp(other->peer, one->peer) == 0 ||
		    (one->place && other->place == one->place))
			return true;
	}
	return false;
}

/* What came of it. failure NULL: it answered. */
static void take_outcome(struct scanned *one, const struct error *failure,
			 const char *before)
{
	CLEANUP(mem_free_ptr)
	char *why = failure ? error_headline(failure) : NULL;

	mem_free(TAKE(one->problem));
	one->fails = failure;
	one->refused = failure && failure->reason == WHY_NO_CONNECTION &&
		       failure->code == ECONNREFUSED;
	if (failure)
		one->problem = mem_printf("%s%s", before, why);
}

static void on_asked(void *owner, const char *name, int64_t took_us,
		     const struct error *failure)
{
	struct scan_asking *a = owner;
	struct scanned *one;
	/* It was sent none: perhaps an MCP server all the same. */
	const bool locked = failure && failure->kind == ERR_AUTH;

	(void)name;
	(void)took_us;
	while (!a->s->item[a->next].dials)
		a->next++;
	one = &a->s->item[a->next];
	take_outcome(one, failure,
		     locked ? "wants a token or a login: " :
			      "no answer to initialize: ");
	one->fails = failure && !locked;
	if (!one->fails)
		a->s->answered++;
	one->hidden = one->guessed && (one->fails || is_known(a->s, a->next));
	a->next++;
}

/* Strangers are told no secret; nobody is asked to log in at one. */
static int ask_found(struct scan_list *s, struct error *err)
{
	struct scan_asking asking = { .s = s };
	const struct every_order order = { .told = on_asked, .owner = &asking };
	struct config *config = &s->app->config;
	const char *source = s->app->target_source;
	const int64_t timeout = config->timeout;
	CLEANUP(words_done) struct words peers = { 0 };
	int status;

	for (size_t i = 0; i < s->count; i++) {
		if (s->item[i].dials)
			words_add(&peers, s->item[i].peer);
	}
	s->app->target_source = "--scan";
	config->stranger = true;
	config->timeout = timeout ? timeout : ASK_MS;
	status = every_run(s->app, &peers, &order, err);
	config->stranger = false;
	config->timeout = timeout;
	s->app->target_source = source;
	if (status == 0 || err->kind != ERR_UNMET)
		return status;
	error_reset(err);
	return 0;
}

/* ---- all of it ---- */

/* Those that were announced. */
static int none_good(size_t found, struct error *err)
{
	if (found == 1)
		error_set(err, ERR_UNMET,
			  "the one that was announced is no MCP server");
	else
		error_set(
			err, ERR_UNMET,
			"none of the %zu that were announced is an MCP server",
			found);
	return error_hint(err, "what is wrong stands beside each");
}

/* Yours. */
static char *probed_in_vain(size_t places)
{
	if (places > 1)
		return mem_printf(
			", and none of the %zu places that were probed",
			places);
	return mem_strdup(places ? ", and nobody at the place that was probed" :
				   "");
}

static int nobody(const struct scan_list *s, const struct neighbours *n,
		  const struct probe_list *probes, struct error *err)
{
	CLEANUP(mem_free_ptr) char *probed = probed_in_vain(probes->count);

	error_set(err, ERR_UNMET,
		  "nobody answered: %s serve of yours, and nobody on %s%s",
		  has_silent(s) ? "not the" : "no",
		  n ? neighbours_asked(n) : "a network, since none was asked",
		  probed);
	return error_hint(
		err,
		"only what announces " NEIGHBOURS_SERVICE
		" can be found, if no firewall holds back UDP port 5353; other servers are named by their address (mcpctl http://HOST/mcp info), and boards dial in: mcpctl serve");
}

static int look(struct scan_list *s, struct neighbours *n,
		const struct scan_options *o, bool *woken, struct error *err)
{
	CLEANUP(probe_list_done) struct probe_list probes = { 0 };

	if (read_probes(&probes, &o->probes, err))
		return -1;
	named_targets(s->search, add_name, s);
	if (ask_serves(s, err) || (n && wait_answers(s, n, o, woken, err)))
		return -1;
	if (n) {
		take_neighbours(s, n);
		note_unseen(s, n);
	}
	if (probe_all(s, &probes, err) || ask_found(s, err))
		return -1;
	scan_list_measure(s);
	scan_list_show(s);
	if (s->answered)
		return 0;
	return s->announced ? none_good(s->announced, err) :
			      nobody(s, n, &probes, err);
}

/* Asked anew from the beginning each time, so that nobody is kept who is not there. */
static int look_once(struct scan_watch *w, const struct scan_options *o,
		     struct error *err)
{
	CLEANUP(scan_list_done) struct scan_list now = { .app = w->there.app };
	CLEANUP(error_reset) struct error why = { 0 };
	struct neighbours *n = NULL;
	bool woken = false;
	int status;

	if (neighbours_open(&n, now.app->loop, &o->interfaces, &woken, &why) &&
	    !w->goes_on) {
		if (why.kind == ERR_USAGE) {
			error_copy(err, &why);
			return -1;
		}
		render_note(&now.app->out, "%s", why.text);
	}
	status = ask_serves(&now, err);
	if (status == 0 && n)
		status = wait_answers(&now, n, o, &woken, err);
	if (status == 0 && n)
		take_neighbours(&now, n);
	if (status == 0 && n && !w->goes_on)
		note_unseen(&now, n);
	neighbours_close(n);
	return status ? -1 : scan_watch_take(w, &now, ask_found, err);
}

static int64_t watch_end(const struct scan_options *o)
{
	return o->duration ? loop_now() + o->duration : LOOP_FOREVER;
}

static int watch_network(struct app *app, const struct named_search *search,
			 const struct scan_options *o, struct error *err)
{
	struct scan_watch w = { .there = { .app = app },
				.place = "the network and your serves" };
	CLEANUP(scan_list_done)
	struct scan_list names = { .app = app, .search = search };
	const int64_t end = watch_end(o);
	int status;

	named_targets(search, add_name, &names);
	scan_watch_tell(&w, &names, "present");
	scan_watch_show(&w);
	do {
		int64_t next = loop_now() + WATCH_MS + REST_MS;
		bool never = false;

		status = look_once(&w, o, err);
		if (status == 0)
			status = loop_stay(app->loop, &never,
					   next < end ? next : end, err);
	} while (status == 0 && loop_now() < end);
	render_count_down(&app->out, NULL);
	scan_list_done(&w.there);
	return status;
}

int scan_run(struct app *app, const struct named_search *search,
	     const struct scan_options *options, struct error *err)
{
	CLEANUP(scan_list_done)
	struct scan_list s = { .app = app, .search = search };
	CLEANUP(error_reset) struct error why = { 0 };
	struct neighbours *n;
	bool woken = false;
	int status;

	if (app_open_loop(app, err))
		return -1;
	if (options->watch)
		return watch_network(app, search, options, err);
	/* What stands on this machine can be shown without a network. */
	if (neighbours_open(&n, app->loop, &options->interfaces, &woken,
			    &why)) {
		if (why.kind == ERR_USAGE) {
			error_copy(err, &why);
			return -1;
		}
		render_note(&app->out, "%s", why.text);
	}
	status = look(&s, n, options, &woken, err);
	neighbours_close(n);
	return status;
}

/* ---- a broker ---- */

static void add_server(struct scan_list *s, const cJSON *json, int64_t since)
{
	const char *description = json_string(json, "description");
	const char *target = json_string(json, "target");
	struct scanned one = { .kind = "mqtt",
			       .dials = true,
			       .name = mem_strdup(json_string(json, "id")),
			       .peer = mem_strdup(target ? target : ""),
			       .source = mem_strdup(description ? description :
								  "-"),
			       .since = since };
	CLEANUP(buf_done) struct buf command = { 0 };

	buf_text(&command, "mcpctl ");
	words_quote(&command, one.peer);
	buf_text(&command, " info");
	one.command = buf_take(&command);
	scan_list_add(s, &one);
}

static void on_server_asked(void *owner, const char *name, int64_t took_us,
			    const struct error *failure)
{
	struct scan_asking *a = owner;
	struct scanned *one = &a->s->item[a->next++];

	(void)name;
	(void)took_us;
	take_outcome(one, failure, "");
	a->s->answered += !failure;
}

/* -1: ERR_UNMET too, some did not answer. */
static int ask_servers(struct scan_list *s, struct error *err)
{
	struct scan_asking asking = { .s = s };
	const struct every_order order = { .told = on_server_asked,
					   .owner = &asking };
	struct config *config = &s->app->config;
	const char *device = config->device;
	CLEANUP(words_done) struct words targets = { 0 };
	int status;

	for (size_t i = 0; i < s->count; i++)
		words_add(&targets, s->item[i].peer);
	/* It has chosen: each is named by its target now. */
	config->device = NULL;
	status = every_run(s->app, &targets, &order, err);
	config->device = device;
	return status;
}

static int ask_new_servers(struct scan_list *s, struct error *err)
{
	int status = s->count ? ask_servers(s, err) : 0;

	if (status == 0 || err->kind != ERR_UNMET)
		return status;
	error_reset(err);
	return 0;
}

static int look_at_broker(struct scan_watch *w, struct brokered *b,
			  struct error *err)
{
	struct app *app = w->there.app;
	CLEANUP(scan_list_done) struct scan_list now = { .app = app };
	struct all all = { .app = app };

	brokered_tell_cut(b, app);
	brokered_devices(b, &all);
	for (size_t i = 0; i < all.count; i++) {
		const cJSON *json = all.device[i].json;
		const char *id = json_string(json, "server_id");

		add_server(&now, json, id ? brokered_since(b, id) : 0);
	}
	all_done(&all);
	return scan_watch_take(w, &now, ask_new_servers, err);
}

static int watch_broker(struct app *app, const struct scan_options *o,
			struct error *err)
{
	struct scan_watch w = { .there = { .app = app },
				.place = "the broker" };
	struct brokered *b = NULL;
	const int64_t end = watch_end(o);
	bool woken = false;
	int status = brokered_watch(&b, app, &woken, err) ? -1 : 0;

	render_count_down(&app->out, "waiting for the broker (Ctrl-C ends)");
	while (status == 0) {
		int known;
		int64_t next;

		woken = false;
		known = brokered_poll(b, err);
		status = known < 0 ? -1 : 0;
		if (known > 0)
			status = look_at_broker(&w, b, err);
		if (status || loop_now() >= end)
			break;
		next = scan_watch_next(&w);
		status = loop_stay(app->loop, &woken, next < end ? next : end,
				   err);
	}
	render_count_down(&app->out, NULL);
	brokered_close(b);
	scan_list_done(&w.there);
	return status;
}

int scan_no_broker(const struct app *app, struct error *err)
{
	error_set(err, ERR_USAGE, "'%.100s' is no broker to scan",
		  app->config.target);
	return error_hint(
		err,
		"expected mcp+mqtt://HOST[:PORT][/FILTER]; --probe HOST[:PORT] dials a host or a network");
}

static int look_at_all(struct scan_list *s, const struct all *all,
		       struct error *err)
{
	int status;

	for (size_t i = 0; i < all->count; i++)
		add_server(s, all->device[i].json, 0);
	status = ask_servers(s, err);
	if (status && err->kind != ERR_UNMET)
		return -1;
	scan_list_measure(s);
	scan_list_show(s);
	if (!s->answered)
		return -1;
	error_reset(err);
	return 0;
}

int scan_broker(struct app *app, const struct scan_options *options,
		struct error *err)
{
	CLEANUP(scan_list_done) struct scan_list s = { .app = app };
	struct all all;
	int status;

	if (options->watch)
		return watch_broker(app, options, err);
	status = all_open(&all, app, err);
	if (status == 0)
		status = look_at_all(&s, &all, err);
	all_done(&all);
	return status;
}
