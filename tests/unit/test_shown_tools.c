/* SPDX-License-Identifier: MIT */
/*
 * bridge/shown_tools, given_names, seen_list, own_answers: peers as hosts and
 * people see them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bridge/bridge.h"
#include "bridge/own_answers.h"
#include "bridge/seen_list.h"
#include "rendered.h"

#define PEERS_MAX 4

/* A bridge with peers that nobody reaches. */
struct scene {
	struct bridge b;
	struct bridge_peer peer[PEERS_MAX];
	struct bridge_peer *all[PEERS_MAX];
	bool changed, woken;
};

static struct scene *scene_new(void)
{
	struct scene *s = mem_zalloc(sizeof(*s));

	s->b.peer = s->all;
	s->b.rules.no_own = true;
	return s;
}

static void scene_free(struct scene **s)
{
	shown_tools_done(&(*s)->b.shown);
	given_names_done(&(*s)->b.given);
	for (size_t i = 0; i < (*s)->b.count; i++)
		bridge_peer_done(&(*s)->peer[i]);
	mem_free(*s);
}

static struct bridge_list *list_of(const char *tools)
{
	struct tool_list list = { 0 };

	add_page(&list, tools);
	return bridge_list_new(NULL, &list);
}

/* tools NULL: they are not known. It is awake. */
static struct bridge_peer *put(struct scene *s, const char *prefix,
			       const char *id, const char *tools)
{
	struct bridge_peer *p = &s->peer[s->b.count];
	struct bridge_list *l = tools ? list_of(tools) : NULL;

	*p = (struct bridge_peer){ .prefix = mem_strdup(prefix),
				   .id = mem_strdup(id),
				   .device = true,
				   .state = PEER_READY,
				   .changed = &s->changed,
				   .woken = &s->woken };
	s->all[s->b.count++] = p;
	bridge_peer_list(p, l);
	bridge_list_release(l);
	return p;
}

static void show_anew(struct scene *s)
{
	shown_tools_make(&s->b.shown, s->b.peer, s->b.count, &s->b.rules);
	given_names_add(&s->b.given, &s->b.shown);
}

static const char lamp[] = "{\"name\":\"lamp\",\"description\":\"L\"}";
static const char two[] = "{\"name\":\"self.reboot\"},{\"name\":\"lamp\","
			  "\"description\":\"L\"},{\"name\":\"self.a\","
			  "\"description\":\"A\"}";

/* ---- what hosts see ---- */

#define LISTED(name, title, text, own)                                \
	"{\"name\":\"" name "\",\"title\":\"" title                   \
	"\",\"description\":\"" text                                  \
	"\",\"inputSchema\":{\"type\":\"object\",\"properties\":{}}," \
	"\"_meta\":{\"mcpctl/tool\":\"" own "\",\"mcpctl/device\":\"1\"}}"

static void listings(void **state)
{
	CLEANUP(scene_free) struct scene *s = scene_new();
	const struct shown_tools *shown;

	(void)state;
	shown = bridge_shown(&s->b);
	assert_string_equal(buf_string(&shown->listing), "[]");
	assert_int_equal(shown->count, 0);
	put(s, "k", "1", two);
	show_anew(s);
	/* What is hidden is not in it. */
	assert_string_equal(buf_string(&shown->listing),
			    "[" LISTED("lamp", "lamp", "L", "lamp") "," LISTED(
				    "a", "self.a", "A", "self.a") "]");
	assert_int_equal(shown->count, 1);
	assert_ptr_equal(shown->peer[0], &s->peer[0]);
	assert_ptr_equal(shown->list[0], s->peer[0].list);
	assert_int_equal(s->peer[0].list->users, 2);
	assert_string_equal(shown->source[0].id, "1");
	assert_true(shown->source[0].device);
	assert_false(shown->source[0].wants_all);
	assert_null(shown->source[0].away);
}

/* What it shows it holds, whatever becomes of the peer; without a name its id. */
static void what_is_held(void **state)
{
	CLEANUP(scene_free) struct scene *s = scene_new();
	struct bridge_list *l = list_of("{\"name\":\"x\"}");

	(void)state;
	put(s, NULL, "1", lamp)->wants_all = true;
	bridge_peer_away(&s->peer[0], LACKS_WAKING, NULL);
	show_anew(s);
	assert_string_equal(s->b.shown.source[0].prefix, "1");
	assert_true(s->b.shown.source[0].wants_all);
	assert_string_equal(s->b.shown.source[0].away, "asleep");
	bridge_peer_list(&s->peer[0], l);
	bridge_list_release(l);
	assert_string_equal(s->b.shown.catalogue.tool[0].tool->name, "lamp");
	show_anew(s);
	assert_string_equal(s->b.shown.catalogue.tool[0].tool->name, "x");
	shown_tools_done(&s->b.shown);
	assert_null(s->b.shown.source);
	assert_int_equal(s->b.shown.count, 0);
	assert_null(s->b.shown.listing.data);
}

/* ---- names that were given ---- */

static void given_once(void **state)
{
	struct given_names g = { 0 };
	struct bridge_peer a = { 0 }, b = { 0 };
	const struct given_name *n;

	(void)state;
	assert_null(given_names_find(&g, "x"));
	given_names_give(&g, "x", "self.x", &a);
	n = given_names_find(&g, "x");
	assert_string_equal(n->name, "x");
	assert_string_equal(n->tool, "self.x");
	assert_ptr_equal(n->peer, &a);
	assert_null(given_names_find(&g, "X"));
	/* The same again, and another meaning: of another peer, another tool. */
	given_names_give(&g, "x", "self.x", &a);
	assert_int_equal(g.names.count, 1);
	given_names_give(&g, "x", "self.x", &b);
	assert_ptr_equal(given_names_find(&g, "x")->peer, &b);
	given_names_give(&g, "x", "x", &b);
	assert_string_equal(given_names_find(&g, "x")->tool, "x");
	assert_int_equal(g.names.count, 1);
	given_names_give(&g, "y", "x", &a);
	assert_int_equal(g.names.count, 2);
	given_names_forget(&g, &b);
	assert_null(given_names_find(&g, "x"));
	assert_ptr_equal(given_names_find(&g, "y")->peer, &a);
	given_names_done(&g);
}

static void given_no_more(void **state)
{
	struct given_names g = { 0 };
	struct bridge_peer a = { 0 }, b = { 0 };
	char name[16];

	(void)state;
	for (int i = 0; i <= GIVEN_NAMES_MAX; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		given_names_give(&g, name, "x", &a);
	}
	assert_int_equal(g.names.count, GIVEN_NAMES_MAX);
	assert_null(given_names_find(&g, name));
	assert_non_null(given_names_find(&g, "n65535"));
	/* What is known can change its meaning still. */
	given_names_give(&g, "n7", "y", &b);
	assert_string_equal(given_names_find(&g, "n7")->tool, "y");
	given_names_done(&g);
}

/* A name that was listed once goes on to mean its tool. */
static void names_of_before(void **state)
{
	CLEANUP(scene_free) struct scene *s = scene_new();
	const struct bridge_tool *t;
	size_t source;

	(void)state;
	put(s, "k", "1", two);
	show_anew(s);
	t = bridge_find(&s->b, "a", &source);
	assert_string_equal(t->tool->name, "self.a");
	assert_int_equal(source, 0);
	assert_null(bridge_find(&s->b, "self.a", &source));
	assert_null(bridge_find(&s->b, "reboot", &source));
	/* A second board came. */
	put(s, "h", "2", lamp);
	show_anew(s);
	assert_null(bridge_catalogue_find(&s->b.shown.catalogue, "a"));
	t = bridge_find(&s->b, "a", &source);
	assert_string_equal(t->name, "k__a");
	assert_int_equal(source, 0);
	t = bridge_find(&s->b, "h__lamp", &source);
	assert_int_equal(t->source, 1);
	assert_int_equal(source, 1);
	/* Equal ones became one: of which board it is, its old name says. */
	s->b.rules.merge = true;
	show_anew(s);
	t = bridge_find(&s->b, "lamp", &source);
	assert_true(t->merged);
	assert_int_equal(source, SIZE_MAX);
	t = bridge_find(&s->b, "h__lamp", &source);
	assert_true(t->merged);
	assert_int_equal(source, 1);
}

/* What is hidden since is not reached by its old name; what is left out is. */
static void hidden_since(void **state)
{
	CLEANUP(scene_free) struct scene *s = scene_new();
	struct words deny = { 0 };
	size_t source;

	(void)state;
	put(s, "k", "1", two);
	show_anew(s);
	s->b.rules.most = 1;
	show_anew(s);
	assert_string_equal(bridge_find(&s->b, "a", &source)->tool->name,
			    "self.a");
	words_add(&deny, "self.a");
	s->b.rules.deny = &deny;
	show_anew(s);
	assert_null(bridge_find(&s->b, "a", &source));
	words_done(&deny);
	s->b.rules.deny = NULL;
	/* Its board is gone. */
	s->b.count = 0;
	show_anew(s);
	assert_null(bridge_find(&s->b, "a", &source));
	s->b.count = 1;
}

/* ---- what our own tools answer ---- */

static void assert_devices(struct scene *s, const char *expected)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	show_anew(s);
	assert_true(own_devices(&s->b, &out));
	assert_string_equal(buf_string(&out), expected);
}

static void devices_in_words(void **state)
{
	CLEANUP(scene_free) struct scene *s = scene_new();
	struct bridge_peer *p;

	(void)state;
	assert_devices(s, "No board is known yet.\n");
	p = put(s, "kitchen", "1", lamp);
	assert_devices(s, "kitchen: awake\n");
	p->device = false;
	assert_devices(s, "kitchen: connected\n");
	p->about = mem_strdup("esp\n 1");
	p->reason = mem_strdup("it\n \x1b[0mfails");
	assert_devices(s, "kitchen: connected, esp 1\n");
	p->state = PEER_COMING;
	p->seen = 1;
	p->way = "MQTT";
	assert_devices(s, "kitchen: connecting, esp 1 (it [0mfails)\n");
	p->state = PEER_AWAY;
	p->seen = INT64_C(1800000000000);
	assert_devices(
		s,
		"kitchen: asleep, esp 1 (it [0mfails), last seen 2027-01-15T08:00:00.000Z over MQTT\n");
	p->lacks = LACKS_START;
	p->way = NULL;
	mem_free(TAKE(p->about));
	assert_devices(
		s,
		"kitchen: not connected (it [0mfails), last seen 2027-01-15T08:00:00.000Z\n");
	p->lacks = LACKS_SERVE;
	p->seen = 0;
	mem_free(TAKE(p->reason));
	assert_devices(s, "kitchen: away, not seen yet\n");
	p = put(s, "hall", "2", NULL);
	assert_devices(s, "kitchen: away, not seen yet\n"
			  "hall: awake, its tools are not known yet\n");
	/* The same board once more is not told of. */
	put(s, "hall", "2", lamp);
	assert_devices(s, "kitchen: away, not seen yet\n"
			  "hall: awake, its tools are not known yet\n");
}

static void refresh_of_none(void **state)
{
	CLEANUP(scene_free) struct scene *s = scene_new();
	CLEANUP(json_free_ptr)
	cJSON *arguments = json_parse("{\"device\":\"attic\"}", 18, NULL);
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	put(s, "kitchen", "1", lamp);
	assert_false(own_refresh(&s->b, arguments, &out));
	assert_string_equal(
		buf_string(&out),
		"no board is called 'attic': the tool 'devices' lists them");
}

/* ---- bridge --list ---- */

static void assert_lines(struct scene *s, enum output_form form,
			 const char *out, const char *err)
{
	struct rendered r;

	show_anew(s);
	rendered_start(&r, form, false);
	seen_list_print(&r.r, &s->b.shown);
	assert_string_equal(rendered_out(&r), out);
	if (err)
		assert_string_equal(rendered_err(&r), err);
	rendered_end(&r);
}

#define TAKEN \
	"as far as is known, all of them are taken by Claude Desktop, Claude Code, Cursor (at most 80), Cursor until the summer of 2025 (at most 40), VS Code with Copilot (at most 128), Codex, Windsurf (at most 50), Gemini CLI\n"

static void lines_of_a_list(void **state)
{
	CLEANUP(scene_free) struct scene *s = scene_new();

	(void)state;
	put(s, "k", "1", two);
	assert_lines(
		s, OUTPUT_TEXT,
		"-     k self.reboot  hidden: it destroys something, or somebody has to go to the board afterwards; --allow shows it\n"
		"lamp  k lamp\n"
		"a     k self.a\n",
		"2 tools of 3\n" TAKEN);
	s->b.rules.no_own = false;
	s->b.count = 0;
	assert_lines(s, OUTPUT_TEXT,
		     "devices  (the bridge's own)\n"
		     "refresh  (the bridge's own)\n",
		     "2 tools of 2\n" TAKEN);
	s->b.count = 1;
}

static void lines_of_merged_ones(void **state)
{
	CLEANUP(scene_free) struct scene *s = scene_new();

	(void)state;
	s->b.rules.merge = true;
	put(s, "k", "1", lamp);
	put(s, "h", "2", lamp);
	put(s, "h\x07", "2", lamp);
	put(s, "n", "4", NULL)->reason = mem_strdup("it is off");
	assert_lines(
		s, OUTPUT_TEXT,
		"-     h\\x07 lamp  hidden: its board is there twice\n"
		"lamp  2 boards lamp\n",
		"n: its tools are not known: it is off\n"
		"1 tool of 2; equal tools of boards are one, with an argument 'device'\n" TAKEN);
	mem_free(TAKE(s->peer[3].reason));
	assert_lines(
		s, OUTPUT_JSON,
		"{\"name\":null,\"tool\":\"lamp\",\"peer\":\"h\\u0007\",\"peers\":1,\"hidden\":\"its board is there twice\",\"odd\":null}\n"
		"{\"name\":\"lamp\",\"tool\":\"lamp\",\"peer\":\"h\",\"peers\":2,\"hidden\":null,\"odd\":null}\n",
		"");
	s->b.rules.merge = false;
	assert_lines(s, OUTPUT_TEXT,
		     "-        h\\x07 lamp  hidden: its board is there twice\n"
		     "h__lamp  h lamp\n"
		     "k__lamp  k lamp\n",
		     "n: its tools are not known\n"
		     "2 tools of 3\n" TAKEN);
}

static void odd_lines(void **state)
{
	CLEANUP(scene_free) struct scene *s = scene_new();

	(void)state;
	put(s, "k", "1", "{\"name\":\"x\",\"description\":\"id_rsa\"}");
	s->b.rules.no_own = false;
	s->b.rules.most = 1;
	assert_lines(
		s, OUTPUT_JSON,
		"{\"name\":null,\"tool\":\"x\",\"peer\":\"k\",\"peers\":1,\"hidden\":\"there are more than the 1 tools that are shown at most\",\"odd\":\"it holds what looks like a question for files with secrets\"}\n"
		"{\"name\":\"devices\",\"tool\":null,\"peer\":null,\"peers\":0,\"hidden\":null,\"odd\":null}\n"
		"{\"name\":null,\"tool\":null,\"peer\":null,\"peers\":0,\"hidden\":\"there are more than the 1 tools that are shown at most\",\"odd\":null}\n",
		"");
	s->b.rules.most = 0;
	s->b.rules.no_own = true;
	assert_lines(
		s, OUTPUT_TEXT,
		"x  k x  odd: it holds what looks like a question for files with secrets\n",
		"1 tool of 1\n" TAKEN);
}

/* Each host that does not take all in a line of its own. */
static void hosts_that_refuse(void **state)
{
	CLEANUP(scene_free) struct scene *s = scene_new();

	(void)state;
	s->b.rules.names = BRIDGE_RAW;
	put(s, "k", "1", "{\"name\":\"a.b\"}");
	assert_lines(
		s, OUTPUT_TEXT, "a.b  k a.b\n",
		"1 tool of 1\n"
		"Claude Desktop takes none of 1 tool: the name 'a.b' has '.', it takes a-z A-Z 0-9 and _-\n"
		"Codex takes none of 1 tool: the name 'a.b' has '.', it takes a-z A-Z 0-9 and _-\n"
		"as far as is known, all of them are taken by Claude Code, Cursor (at most 80), Cursor until the summer of 2025 (at most 40), VS Code with Copilot (at most 128), Windsurf (at most 50), Gemini CLI\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(listings),
		cmocka_unit_test(what_is_held),
		cmocka_unit_test(given_once),
		cmocka_unit_test(given_no_more),
		cmocka_unit_test(names_of_before),
		cmocka_unit_test(hidden_since),
		cmocka_unit_test(devices_in_words),
		cmocka_unit_test(refresh_of_none),
		cmocka_unit_test(lines_of_a_list),
		cmocka_unit_test(lines_of_merged_ones),
		cmocka_unit_test(odd_lines),
		cmocka_unit_test(hosts_that_refuse),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
