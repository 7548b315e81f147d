/* SPDX-License-Identifier: MIT */
/* What is there, and how it is reached. */
#include "cli/scan.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/brokered.h"
#include "cli/every.h"
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
	MISSES = 1, /* looks in which a neighbour may be overheard */
	AGAIN_MS =
		3000, /* until one that does not answer is asked again; doubled … */
	AGAIN_MAX_MS = 60000, /* … up to this */
	AGAIN_AT_ONCE = 16, /* of one look, so that it does not take long */
	UNHEARD_MAX =
		NEIGHBOURS_MAX, /* kept, though nothing is heard of them */
	SERVE_MS = 1000, /* for a serve to answer */
	SERVES_MAX = 50,
	DIAL_MS = 1000, /* for a place that is probed to take a connection */
	ASK_MS = 3000 /* for who was found to answer, if not said otherwise */
};

struct scanned { /* owned, but kind */
	const char *kind;
	char *name, *peer, *source, *command, *problem;
	char *socket; /* of a serve */
	bool dials; /* it is asked for initialize */
	bool guessed; /* nobody said that it is there: shown if it answers */
	bool hidden; /* it did not */
	bool fails; /* problem says how; the command would, too */
	bool refused; /* … nobody listens there */
	bool told, told_fails; /* --watch: it was shown; as one that fails */
	int64_t since; /* of a broker: when it came; a later one is another */
	unsigned missed; /* looks in which it was not there */
	int64_t ask_at, pause; /* --watch: asked again then; 0: not tried yet */
	const struct probe_place *place; /* which was probed; NULL */
};

struct scanning {
	struct app *app;
	const struct named_search *search;
	struct scanned *item;
	size_t count, capacity;
	size_t answered; /* serves, and others that are MCP servers */
	size_t announced;
	size_t name_width, command_width;
	const char *change; /* what happened to them: --watch; NULL */
};

static void scanned_done(struct scanned *one)
{
	mem_free(one->name);
	mem_free(one->peer);
	mem_free(one->source);
	mem_free(one->command);
	mem_free(one->problem);
	mem_free(one->socket);
}

static void scanning_done(struct scanning *s)
{
	for (size_t i = 0; i < s->count; i++)
		scanned_done(&s->item[i]);
	mem_free(s->item);
}

static void add_take(struct scanning *s, const struct scanned *one)
{
	s->item = mem_grow(s->item, &s->capacity, s->count, sizeof(*s->item));
	s->item[s->count++] = *one;
}

/* ---- names ---- */

static void add_name(void *owner, const struct named_entry *e)
{
	struct scanning *s = owner;
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
	add_take(s, &one);
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

static void add_answered(struct scanning *s, const char *path, bool usual,
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
	add_take(s, &one);
	s->answered++;
}

/* Somebody has that socket, and is busy or stopped: --watch may know who. */
static void add_silent(struct scanning *s, const char *path)
{
	const struct scanned one = { .kind = "serve",
				     .name = mem_strdup("-"),
				     .socket = mem_strdup(path),
				     .source = mem_strdup(path),
				     .hidden = true,
				     .fails = true };

	add_take(s, &one);
}

/* The socket is left from one that ended, or is another user's now. */
static bool is_left(const struct error *why)
{
	return why->kind == ERR_AUTH || why->code == ENOENT ||
	       why->code == ECONNREFUSED || why->code == ENOTSOCK;
}

/* A socket that nobody is behind any more is none. Only Ctrl-C is an error. */
static int ask_serve(struct scanning *s, const char *path, bool usual,
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
static int ask_serves(struct scanning *s, struct error *err)
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
static void add_socket(struct scanning *s, const struct neighbour *n)
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
	add_take(s, &one);
}

/* A stranger must not have us dial others: only what is at its own address. */
static void add_neighbour(struct scanning *s, const struct neighbour *n)
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
	add_take(s, &one);
	add_socket(s, n);
}

static int wait_answers(struct scanning *s, struct neighbours *n,
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

static void take_neighbours(struct scanning *s, struct neighbours *n)
{
	size_t count, more;
	const struct neighbour *list = neighbours_list(n, &count, &more);

	for (size_t i = 0; i < count; i++)
		add_neighbour(s, &list[i]);
}

/* What is not seen of the network. */
static void note_unseen(const struct scanning *s, struct neighbours *n)
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

static void add_probed(struct scanning *s, const struct probe_place *p)
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
		add_take(s, &one);
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

static int probe_all(struct scanning *s, struct probe_list *list,
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
	struct scanning *s;
	size_t next; /* the first that was not asked, or told of */
};

/* It stands there already, or another path of the same place has answered. */
static bool is_known(const struct scanning *s, size_t at)
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
static int ask_found(struct scanning *s, struct error *err)
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
	error_set(err, ERR_UNMET,
		  "none of the %zu that were announced is an MCP server",
		  found);
	return error_hint(err, "what is wrong stands beside each");
}

static int nobody(const struct neighbours *n, const struct probe_list *probes,
		  struct error *err)
{
	CLEANUP(mem_free_ptr)
	char *probed =
		probes->count ?
			mem_printf(
				", and none of the %zu places that were probed",
				probes->count) :
			mem_strdup("");

	error_set(err, ERR_UNMET,
		  "nobody answered: no serve of yours, and nobody on %s%s",
		  n ? neighbours_asked(n) : "a network, since none was asked",
		  probed);
	return error_hint(
		err,
		"only what announces " NEIGHBOURS_SERVICE
		" can be found, if no firewall holds back UDP port 5353; other servers are named by their address (mcpctl http://HOST/mcp info), and boards dial in: mcpctl serve");
}

static const char *command_of(const struct scanned *one)
{
	return one->fails ? NULL : one->command;
}

static void show(const struct scanning *s)
{
	struct renderer *r = &s->app->out;

	for (size_t i = 0; i < s->count && r->ops->neighbour; i++) {
		const struct scanned *one = &s->item[i];

		if (one->hidden)
			continue;

		const struct neighbour_record record = {
			.change = s->change,
			.kind = one->kind,
			.asked = one->dials,
			.name = one->name,
			.peer = one->peer,
			.source = one->source,
			.command = command_of(one),
			.problem = one->problem,
			.name_width = s->name_width,
			.command_width = s->command_width,
		};

		r->ops->neighbour(r, &record);
	}
}

/* What does not answer takes no room. */
static void measure(struct scanning *s)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct scanned *one = &s->item[i];
		size_t name = wrap_columns(one->name);
		const char *reaches = command_of(one);
		size_t command = wrap_columns(reaches ? reaches : "-");

		if (one->hidden)
			continue;
		if (name > s->name_width)
			s->name_width = name;
		if (command > s->command_width)
			s->command_width = command;
	}
}

static int look(struct scanning *s, struct neighbours *n,
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
	measure(s);
	show(s);
	if (s->answered)
		return 0;
	return s->announced ? none_good(s->announced, err) :
			      nobody(n, &probes, err);
}

/* ---- --watch ---- */

struct scan_watch {
	struct scanning there; /* what was told, and what may answer yet */
	const char *place; /* that is watched */
	bool goes_on; /* the first look is over */
	bool many; /* that not all are kept was said */
};

/* What waits shows it. Any line, and the end, clears it. */
static void show_wait(struct scan_watch *w)
{
	const struct scanning *there = &w->there;
	CLEANUP(buf_done) struct buf line = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < there->count; i++)
		count += !there->item[i].hidden && !there->item[i].fails;
	buf_printf(&line, "watching %s: ", w->place);
	if (count)
		buf_printf(&line, "%zu there", count);
	else
		buf_text(&line, "nobody there");
	buf_text(&line, " (Ctrl-C ends)");
	render_count_down(&there->app->out, buf_string(&line));
}

static bool is_serve(const struct scanned *one)
{
	return one->socket != NULL;
}

/* Announced by multicast, which gets lost, and tells no end. */
static bool is_overheard(const struct scanned *one)
{
	return strcmp(one->kind, "network") == 0;
}

static bool is_unheard(const struct scanned *one)
{
	return one->missed > MISSES;
}

/* A serve that does not answer now is known by its socket alone. */
static bool is_same(const struct scanned *told, const struct scanned *now)
{
	if (is_serve(told) && is_serve(now) && now->fails)
		return strcmp(told->socket, now->socket) == 0;
	return strcmp(told->kind, now->kind) == 0 &&
	       strcmp(told->name, now->name) == 0 &&
	       text_equal(told->peer, now->peer) && told->since == now->since;
}

/* Of a look. NULL: it did not find it. */
static const struct scanned *found_again(const struct scanning *now,
					 const struct scanned *one)
{
	for (size_t i = 0; i < now->count; i++) {
		if (is_same(one, &now->item[i]))
			return &now->item[i];
	}
	return NULL;
}

static bool is_there(const struct scan_watch *w, const struct scanned *found)
{
	for (size_t i = 0; i < w->there.count; i++) {
		if (is_same(&w->there.item[i], found))
			return true;
	}
	return false;
}

/* In the columns of those before it. */
static void tell(struct scan_watch *w, struct scanning *s, const char *change)
{
	s->name_width = w->there.name_width;
	s->command_width = w->there.command_width;
	measure(s);
	w->there.name_width = s->name_width;
	w->there.command_width = s->command_width;
	s->change = change;
	show(s);
}

static void tell_one(struct scan_watch *w, struct scanned *one,
		     const char *change)
{
	struct scanning alone = { .app = w->there.app,
				  .item = one,
				  .count = 1 };

	tell(w, &alone, change);
}

static void tell_gone(struct scan_watch *w, struct scanned *one)
{
	one->dials = false;
	mem_free(TAKE(one->command));
	mem_free(TAKE(one->problem));
	tell_one(w, one, "gone");
	scanned_done(one);
}

/* A serve that did not answer, and one that does again. */
static void take_silence(struct scan_watch *w, struct scanned *one, bool fails)
{
	if (one->fails == fails)
		return;
	one->fails = fails;
	mem_free(TAKE(one->problem));
	if (fails)
		one->problem = mem_strdup(
			"does not answer: it may be busy, or stopped");
	tell_one(w, one, "changed");
}

/* An announcement that leads nowhere is all that there was of it. */
static bool is_over(const struct scanned *one)
{
	if (one->missed == 0)
		return false;
	return !is_overheard(one) || (is_unheard(one) && !one->dials);
}

static void drop_gone(struct scan_watch *w, const struct scanning *now)
{
	struct scanning *there = &w->there;
	size_t kept = 0;

	for (size_t i = 0; i < there->count; i++) {
		struct scanned *one = &there->item[i];
		const struct scanned *same = found_again(now, one);
		const bool unheard = is_unheard(one);

		one->missed = same ? 0 : one->missed + 1;
		if (is_unheard(one) != unheard)
			one->ask_at = one->pause = 0;
		if (is_over(one)) {
			tell_gone(w, one);
			continue;
		}
		if (same && is_serve(one))
			take_silence(w, one, same->fails);
		there->item[kept++] = *one;
	}
	there->count = kept;
}

/* ---- those that do not answer ---- */

static bool wants_again(const struct scanned *one)
{
	return one->dials && (one->fails || is_unheard(one));
}

static void plan_again(struct scanned *one)
{
	one->told = !one->hidden;
	one->told_fails = one->fails;
	/* What was shown is no guess any more. */
	one->guessed = one->guessed && one->hidden;
	if (!wants_again(one)) {
		one->ask_at = one->pause = 0;
		return;
	}
	one->pause = one->pause ? one->pause * 2 : AGAIN_MS;
	if (one->pause > AGAIN_MAX_MS)
		one->pause = AGAIN_MAX_MS;
	one->ask_at = loop_now() + one->pause;
}

/* It was asked again. True: it is kept. */
static bool take_again(struct scan_watch *w, struct scanned *one)
{
	if (is_unheard(one) && one->refused) {
		tell_gone(w, one);
		return false;
	}
	if (!one->told || one->fails != one->told_fails)
		tell_one(w, one, one->told ? "changed" : "came");
	plan_again(one);
	return true;
}

/* Those whose time has come, out of the others. */
static void take_due(struct scan_watch *w, struct scanning *due)
{
	struct scanning *there = &w->there;
	size_t kept = 0;

	for (size_t i = 0; i < there->count; i++) {
		struct scanned *one = &there->item[i];

		if (due->count < AGAIN_AT_ONCE && wants_again(one) &&
		    loop_now() >= one->ask_at)
			add_take(due, one);
		else
			there->item[kept++] = *one;
	}
	there->count = kept;
}

/*
 * It may not have listened yet when it was announced; and who is not heard of any
 * more may be there all the same.
 */
static int ask_again(struct scan_watch *w,
		     int (*ask)(struct scanning *s, struct error *err),
		     struct error *err)
{
	struct scanning due = { .app = w->there.app };
	int status;

	take_due(w, &due);
	status = due.count ? ask(&due, err) : 0;
	for (size_t i = 0; i < due.count; i++) {
		if (status || take_again(w, &due.item[i]))
			add_take(&w->there, &due.item[i]);
	}
	mem_free(due.item);
	return status;
}

/* When the next is to be asked. */
static int64_t next_again(const struct scan_watch *w)
{
	int64_t next = LOOP_FOREVER;

	for (size_t i = 0; i < w->there.count; i++) {
		const struct scanned *one = &w->there.item[i];

		if (wants_again(one) && one->ask_at < next)
			next = one->ask_at;
	}
	return next;
}

/* Anybody can announce, and be silent then. */
static void bound_unheard(struct scan_watch *w)
{
	struct scanning *there = &w->there;
	size_t unheard = 0, kept = 0;

	for (size_t i = there->count; i-- > 0;)
		unheard += is_unheard(&there->item[i]);
	if (unheard > UNHEARD_MAX && !w->many)
		render_note(
			&there->app->out,
			"more than %d that were announced are not heard of any more: some of them are forgotten",
			UNHEARD_MAX);
	w->many = w->many || unheard > UNHEARD_MAX;
	for (size_t i = 0; i < there->count; i++) {
		if (unheard > UNHEARD_MAX && is_unheard(&there->item[i])) {
			unheard--;
			scanned_done(&there->item[i]);
		} else {
			there->item[kept++] = there->item[i];
		}
	}
	there->count = kept;
}

/* ---- one look after the other ---- */

/* Who is new; of a serve that does not answer it is not known which one it is. */
static void take_fresh(struct scan_watch *w, struct scanning *now,
		       struct scanning *fresh)
{
	for (size_t i = 0; i < now->count; i++) {
		struct scanned *one = &now->item[i];

		if ((is_serve(one) && one->fails) || is_there(w, one))
			scanned_done(one);
		else
			add_take(fresh, one);
	}
	now->count = 0;
}

/* Takes what stands in `now`; who is new there is asked, and told. */
static int take_look(struct scan_watch *w, struct scanning *now,
		     int (*ask)(struct scanning *s, struct error *err),
		     struct error *err)
{
	struct scanning fresh = { .app = w->there.app };
	int status;

	drop_gone(w, now);
	take_fresh(w, now, &fresh);
	status = ask(&fresh, err);
	if (status == 0)
		tell(w, &fresh, w->goes_on ? "came" : "present");
	for (size_t i = 0; i < fresh.count; i++) {
		plan_again(&fresh.item[i]);
		add_take(&w->there, &fresh.item[i]);
	}
	mem_free(fresh.item);
	w->goes_on = true;
	if (status == 0)
		status = ask_again(w, ask, err);
	bound_unheard(w);
	show_wait(w);
	return status;
}

/* Asked anew from the beginning each time, so that nobody is kept who is not there. */
static int look_once(struct scan_watch *w, const struct scan_options *o,
		     struct error *err)
{
	CLEANUP(scanning_done) struct scanning now = { .app = w->there.app };
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
	return status ? -1 : take_look(w, &now, ask_found, err);
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
	CLEANUP(scanning_done)
	struct scanning names = { .app = app, .search = search };
	const int64_t end = watch_end(o);
	int status;

	named_targets(search, add_name, &names);
	tell(&w, &names, "present");
	show_wait(&w);
	do {
		int64_t next = loop_now() + WATCH_MS + REST_MS;
		bool never = false;

		status = look_once(&w, o, err);
		if (status == 0)
			status = loop_stay(app->loop, &never,
					   next < end ? next : end, err);
	} while (status == 0 && loop_now() < end);
	render_count_down(&app->out, NULL);
	scanning_done(&w.there);
	return status;
}

int scan_run(struct app *app, const struct named_search *search,
	     const struct scan_options *options, struct error *err)
{
	CLEANUP(scanning_done)
	struct scanning s = { .app = app, .search = search };
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

static void add_server(struct scanning *s, const cJSON *json, int64_t since)
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
	add_take(s, &one);
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
static int ask_servers(struct scanning *s, struct error *err)
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

static int ask_new_servers(struct scanning *s, struct error *err)
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
	CLEANUP(scanning_done) struct scanning now = { .app = app };
	struct all all = { .app = app };

	brokered_devices(b, &all);
	for (size_t i = 0; i < all.count; i++) {
		const cJSON *json = all.device[i].json;
		const char *id = json_string(json, "server_id");

		add_server(&now, json, id ? brokered_since(b, id) : 0);
	}
	all_done(&all);
	return take_look(w, &now, ask_new_servers, err);
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
		next = next_again(&w);
		status = loop_stay(app->loop, &woken, next < end ? next : end,
				   err);
	}
	render_count_down(&app->out, NULL);
	brokered_close(b);
	scanning_done(&w.there);
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

static int look_at_all(struct scanning *s, const struct all *all,
		       struct error *err)
{
	int status;

	for (size_t i = 0; i < all->count; i++)
		add_server(s, all->device[i].json, 0);
	status = ask_servers(s, err);
	if (status && err->kind != ERR_UNMET)
		return -1;
	measure(s);
	show(s);
	if (!s->answered)
		return -1;
	error_reset(err);
	return 0;
}

int scan_broker(struct app *app, const struct scan_options *options,
		struct error *err)
{
	CLEANUP(scanning_done) struct scanning s = { .app = app };
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
