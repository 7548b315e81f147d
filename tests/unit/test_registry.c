/* SPDX-License-Identifier: MIT */
/* Which board a word means: of literal boards, aliases and enrolled ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "serve/board.h"
#include "serve/known_boards.h"
#include "serve/serve_state.h"

#define TEXT(text) ((char[]){ text })
#define MAC_A "aa:00:00:00:00:01"
#define MAC_B "aa:00:00:00:00:02"
#define AWAY "aa:00:00:00:00:0f"

static struct serve s;
static struct alias aliases[] = { { TEXT("Kitchen"), TEXT(MAC_A) },
				  { TEXT("attic"), TEXT(AWAY) } };
static struct board board[6];

/* A board of that id, which is its Device-Id too. */
static struct board *here(size_t i, const char *id)
{
	struct board *d = &board[i];

	d->server = &s;
	d->id = mem_strdup(id);
	d->device_id = d->id;
	registry_add(&s.registry, d);
	return d;
}

static int begin(void **state)
{
	(void)state;
	s.aliases = (struct aliases){ aliases, COUNT(aliases) };
	return 0;
}

static int end(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(board); i++)
		mem_free(board[i].id);
	memset(board, 0, sizeof(board));
	registry_done(&s.registry);
	enrolled_done(&s.enrolled);
	leases_done(&s.leases);
	memset(&s, 0, sizeof(s));
	return 0;
}

/* ---- the list ---- */

static void assert_order(const char *expected)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	const struct board *last = NULL;

	for (const struct board *d = s.registry.first; d; d = d->next) {
		buf_text(&out, d->id);
		assert_ptr_equal(d->previous, last);
		last = d;
	}
	assert_ptr_equal(s.registry.last, last);
	assert_string_equal(buf_string(&out), expected);
	assert_int_equal(s.registry.count, out.len);
}

static void come_and_go(void **state)
{
	(void)state;
	assert_null(registry_find(&s.registry, "a"));
	for (size_t i = 0; i < 4; i++)
		here(i, (const char[]){ (char)('a' + i), '\0' });
	assert_order("abcd");
	registry_remove(&s.registry, &board[1]);
	assert_order("acd");
	assert_null(board[1].next);
	assert_null(board[1].previous);
	assert_null(registry_find(&s.registry, "b"));
	registry_remove(&s.registry, &board[0]);
	assert_order("cd");
	registry_remove(&s.registry, &board[3]);
	assert_order("c");
	assert_ptr_equal(registry_find(&s.registry, "c"), &board[2]);
	assert_null(registry_find(&s.registry, "C"));
	assert_ptr_equal(registry_find_written(&s.registry, "C"), &board[2]);
	assert_null(registry_find_written(&s.registry, NULL));
	registry_remove(&s.registry, &board[2]);
	assert_order("");
	registry_add(&s.registry, &board[1]);
	assert_order("b");
}

static void next_one(void **state)
{
	struct held held = { .name = TEXT("c"), .key = TEXT("k") };

	(void)state;
	here(0, "b1");
	here(1, "c1")->closing = true;
	here(2, "c2")->held = &held;
	here(3, "b2");
	assert_ptr_equal(registry_next(&s.registry, NULL, NULL), &board[0]);
	assert_ptr_equal(registry_next(&s.registry, &board[0], NULL),
			 &board[2]);
	assert_ptr_equal(registry_next(&s.registry, &board[0], "b*"),
			 &board[3]);
	assert_null(registry_next(&s.registry, &board[3], NULL));
	assert_null(registry_next(&s.registry, NULL, "c1"));
	/* A server is meant only where it is named. */
	assert_ptr_equal(registry_next_meant(&s.registry, &board[0], NULL),
			 &board[3]);
	assert_ptr_equal(registry_next_meant(&s.registry, NULL, "c*"),
			 &board[2]);
	assert_null(registry_next_meant(&s.registry, &board[3], NULL));
}

/* ---- patterns ---- */

static void which_fit(void **state)
{
	static const struct {
		bool fits;
		const char *pattern;
		struct board_names names;
	} rows[] = {
		{ true, NULL, { .id = "x" } },
		{ true, "x1", { .id = "X1" } },
		{ false, "x1", { .id = "x12" } },
		{ true, "x1", { .id = "other", .device_id = "X1" } },
		{ true, "hall", { .id = "x", .alias = "Hall" } },
		/* An alias is who stands in the file, whatever others say. */
		{ true, "kitchen", { .id = MAC_A, .device_id = MAC_A } },
		{ false, "kitchen", { .id = "kitchen" } },
		{ false, "kitchen", { .id = "x", .device_id = "kitchen" } },
		{ false, "kitchen", { .id = "x", .alias = "kitchen" } },
		{ false,
		  "kitchen",
		  { .id = "x", .device_id = "x", .client_id = MAC_A } },
		{ true, "id:Kitchen", { .id = "kitchen" } },
		{ true, "id:x", { .id = "y", .device_id = "X" } },
		{ false, "id:x", { .id = "y", .alias = "x" } },
		{ false, "id:x", { .id = "y", .client_id = "x" } },
		{ false, "id:x*", { .id = "xy" } },
		/* A client id, if it is nobody's. */
		{ true, "me", { .id = "x", .client_id = "Me" } },
		{ false, MAC_B, { .id = "x", .client_id = MAC_B } },
		{ false, "here", { .id = "x", .client_id = "here" } },
		{ true,
		  "attic",
		  { .id = AWAY, .device_id = AWAY, .client_id = "c" } },
		/* Globs see all names. */
		{ true, "*", { .id = "x" } },
		{ true, "X?", { .id = "x1" } },
		{ true, "x[12]", { .id = "other", .device_id = "x2" } },
		{ true, "c*", { .id = "x", .client_id = "C1" } },
		{ true, "h*", { .id = "x", .alias = "Hall" } },
		{ false, "h*", { .id = "x", .device_id = "y" } },
		{ false, "*", { 0 } },
	};

	(void)state;
	here(0, "here");
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (id_fits(&s, &rows[i].names, rows[i].pattern) !=
		    rows[i].fits)
			fail_msg("row %zu", i);
	}
	/* Without a serve no alias is known. */
	assert_true(id_fits(NULL, &(struct board_names){ .id = "kitchen" },
			    "kitchen"));
	assert_true(id_fits(
		NULL, &(struct board_names){ .id = "x", .client_id = "here" },
		"here"));
	/* Its own client id, which is its id. */
	assert_true(id_fits(&s,
			    &(struct board_names){ .id = "other",
						   .client_id = "here",
						   .itself = &board[0] },
			    "here"));
}

/* What is longer than an id can be fits no glob. */
static void long_names(void **state)
{
	char name[DEVICE_ID_MAX + 2];
	const struct board_names names = { .id = name };

	(void)state;
	memset(name, 'x', sizeof(name));
	name[DEVICE_ID_MAX] = '\0';
	assert_true(id_fits(&s, &names, "x*"));
	name[DEVICE_ID_MAX] = 'x';
	name[DEVICE_ID_MAX + 1] = '\0';
	assert_false(id_fits(&s, &names, "x*"));
	assert_null(registry_find_written(&s.registry, name));
}

/* Names of servers that are kept open differ with case, boards' do not. */
static void servers(void **state)
{
	struct held low = { .name = TEXT("srv"), .key = TEXT("k1") };
	struct held high = { .name = TEXT("SRV"), .key = TEXT("k2") };
	const struct board *a = here(0, "srv"), *b = here(1, "srv-2");

	(void)state;
	here(2, "other");
	board[0].held = &low;
	board[1].held = &high;
	assert_true(device_fits(a, "srv"));
	assert_false(device_fits(b, "srv"));
	assert_true(device_fits(b, "SRV"));
	assert_false(device_fits(a, "SRV"));
	/* Nobody is called just so: by ids. */
	assert_true(device_fits(a, "Srv"));
	assert_true(device_fits(b, "SRV-2"));
	assert_true(device_fits(a, NULL));
	assert_true(device_fits(a, "held:k1"));
	assert_false(device_fits(a, "held:K1"));
	assert_false(device_fits(b, "held:k1"));
	assert_false(device_fits(&board[2], "held:k1"));
	/* One that ends is no longer meant. */
	board[1].closing = true;
	assert_true(device_fits(a, "SRV"));
	/* It stands before the one whose id that is. */
	board[1].closing = false;
	high.name = TEXT("OTHER");
	assert_true(device_fits(b, "OTHER"));
}

/* ---- what a board tells of itself ---- */

static void assert_claim(const struct board *d, const char *told,
			 const char *whose)
{
	const struct claim c = device_claim(d);

	if (!told) {
		assert_null(c.told);
		assert_null(c.whose);
		return;
	}
	assert_string_equal(c.told, told);
	assert_string_equal(c.whose, whose);
}

static void claims(void **state)
{
	struct board *d = here(0, "x");

	(void)state;
	here(1, MAC_B);
	assert_claim(d, NULL, NULL);
	d->client_id = TEXT("AA:00:00:00:00:02");
	assert_claim(d, "AA:00:00:00:00:02", MAC_B);
	d->client_id = TEXT("attic");
	assert_claim(d, "attic", AWAY);
	d->client_id = NULL;
	d->board = TEXT("");
	assert_claim(d, NULL, NULL);
	d->board = TEXT("KITCHEN");
	assert_claim(d, "KITCHEN", MAC_A);
	d->board = TEXT("bread");
	d->server_name = TEXT(MAC_A);
	assert_claim(d, MAC_A, MAC_A);
	/* Its own names it may have. */
	d->server_name = TEXT("X");
	assert_claim(d, NULL, NULL);
	assert_claim(here(2, MAC_A), NULL, NULL);
	assert_claim(here(3, "attic"), "attic", AWAY);
}

static void assert_pattern(size_t i, const char *id, const char *pattern)
{
	CLEANUP(mem_free_ptr) char *made = device_pattern(here(i, id));

	assert_string_equal(made, pattern);
}

static void patterns(void **state)
{
	(void)state;
	assert_pattern(0, MAC_A, MAC_A);
	assert_pattern(1, "kitchen", "id:kitchen");
	assert_pattern(2, "x*", "id:x*");
	assert_pattern(3, "id:x", "id:id:x");
	assert_pattern(4, "plain", "plain");
}

static void assert_free(const char *name, const char *id)
{
	CLEANUP(mem_free_ptr) char *made = registry_free_id(&s, name, '-');

	assert_string_equal(made, id);
}

static void free_ids(void **state)
{
	(void)state;
	here(0, "x");
	here(1, "y");
	here(2, "y-2");
	assert_free("z", "z");
	assert_free("x", "x-2");
	assert_free("y", "y-3");
	assert_free("attic", "attic-2");
	assert_free(AWAY, AWAY "-2");
}

/* ---- words that name nothing ---- */

static void words_of_ids(void **state)
{
	static const char *const good[] = {
		NULL,
		"aabbccddeeff",
		"AA-BB-CC-DD-EE-FF",
		"aa_bb_cc_dd_ee_ff",
		"a:b",
		"x@y",
		"x*",
		"00000000-0000-4000-8000-000000000001",
		"Kitchen",
		"attic",
		"HERE",
		"enrolled",
	};

	(void)state;
	here(0, "here");
	enrolled_add(&s.enrolled, NULL, "enrolled", "", 1, NULL);
	for (size_t i = 0; i < COUNT(good); i++)
		assert_int_equal(device_word_check(&s, good[i], false, NULL),
				 0);
}

static void no_name(const char *word, bool later, const char *hint)
{
	CLEANUP(error_reset) struct error err = { 0 };
	CLEANUP(mem_free_ptr)
	char *why = mem_printf(
		"'%s' is no alias, and no board that is here has that id",
		word);

	assert_int_equal(device_word_check(&s, word, later, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_string_equal(err.text, why);
	assert_string_equal(err.hint, hint);
}

#define NOBODY "no board is here; names of boards stand in devices.json"
#define SOME \
	"these are here: Kitchen, zz; names of boards stand in devices.json"

static void words_of_nobody(void **state)
{
	(void)state;
	no_name("qqqq", false, NOBODY);
	no_name("aabbccddeef", false, NOBODY);
	no_name("aabbccddeeff0", false, NOBODY);
	no_name("aabbccddeefg", false, NOBODY);
	no_name("00000000-0000-4000-8000_000000000001", false, NOBODY);
	no_name("000000000000-4000-8000-0000000000001", false, NOBODY);
	no_name("00000000-0000-4000-8000-00000000001", false, NOBODY);
	here(0, MAC_A)->alias = "Kitchen";
	here(1, "zz");
	no_name("qqqq", false, SOME);
	no_name("qqqq", true,
		SOME
		"; one that will come under that id is waited for as 'qqqq*'");
	no_name("kitchn", true, "did you mean 'Kitchen'?");
	no_name("zzz", false, "did you mean 'zz'?");
	enrolled_add(&s.enrolled, NULL, "enrolled", "", 1, NULL);
	no_name("enroled", false, "did you mean 'enrolled'?");
}

static void a_server_that_ended(void **state)
{
	CLEANUP(error_reset) struct error err = { 0 };
	struct held held = { .name = TEXT("srv"), .key = TEXT("k1") };

	(void)state;
	here(0, "srv")->held = &held;
	assert_int_equal(device_word_check(&s, "held:k1", false, NULL), 0);
	assert_int_equal(device_word_check(&s, "held:k2", false, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_string_equal(err.text,
			    "serve does not keep that server open any more");
	assert_string_equal(
		err.hint,
		"ask again: it is dialled directly then; 'mcpctl open' keeps it open");
}

static void some_names(void **state)
{
	static const char *const told[] = { "Hall",
					    "Hall, b",
					    "Hall, b, c",
					    "Hall, b, c, d",
					    "Hall, b, c, d and 1 more",
					    "Hall, b, c, d and 2 more" };
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	registry_names(&s.registry, &out);
	assert_string_equal(buf_string(&out), "");
	for (size_t i = 0; i < COUNT(told); i++) {
		here(i, (const char[]){ (char)('a' + i), '\0' });
		board[0].alias = "Hall";
		buf_reset(&out);
		registry_names(&s.registry, &out);
		assert_string_equal(buf_string(&out), told[i]);
	}
}

/* ---- boards that may be away ---- */

static void lease(const char *line)
{
	CLEANUP(words_done) struct words ids = { 0 };
	const struct lease_order order = { .by = "ci", .ids = &ids };

	assert_int_equal(words_split(&ids, line, NULL), 0);
	assert_non_null(leases_add(&s.leases, &order, NULL));
}

static void known_as(const char *pattern, const char *expected)
{
	CLEANUP(words_done) struct words ids = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };

	assert_int_equal(known_boards(&s, pattern, &ids, NULL), 0);
	for (size_t i = 0; i < ids.count; i++)
		buf_printf(&out, "%s%s", i ? " " : "", ids.word[i]);
	assert_string_equal(buf_string(&out), expected);
}

static void here_or_away(void **state)
{
	(void)state;
	here(0, MAC_A)->alias = "Kitchen";
	here(1, "y1");
	enrolled_add(&s.enrolled, NULL, "Y2", "c2", 1, NULL);
	enrolled_add(&s.enrolled, NULL, "y1", "c1", 1, NULL);
	lease("y3 y1");
	known_as("kitchen", MAC_A);
	known_as("Attic", AWAY);
	known_as("attic", AWAY);
	known_as("aa:*", MAC_A " " AWAY);
	known_as("y?", "y1 y2 y3");
	known_as("C2", "y2");
	known_as("y3", "y3");
	known_as("*", MAC_A " y1 " AWAY " y2 y3");
	/* Of nobody, and it may be an id. */
	known_as("AA:00:00:00:00:99", "aa:00:00:00:00:99");
	known_as("id:AA:00:00:00:00:99", "aa:00:00:00:00:99");
	assert_string_equal(known_board_name(&s, MAC_A), "Kitchen");
	assert_string_equal(known_board_name(&s, AWAY), "attic");
	assert_string_equal(known_board_name(&s, "y1"), "y1");
	assert_string_equal(known_board_name(&s, "y3"), "y3");
}

/* What stands there already is not added again. */
static void added(void **state)
{
	CLEANUP(words_done) struct words ids = { 0 };

	(void)state;
	here(0, "y1");
	here(1, "y2");
	words_add(&ids, "y1");
	assert_int_equal(known_boards(&s, "y*", &ids, NULL), 0);
	assert_int_equal(ids.count, 2);
	assert_string_equal(ids.word[1], "y2");
	assert_int_equal(known_boards(&s, "y1", &ids, NULL), 0);
	assert_int_equal(ids.count, 2);
}

static void unknown(const char *pattern, const char *why)
{
	CLEANUP(words_done) struct words ids = { 0 };
	CLEANUP(error_reset) struct error err = { 0 };

	assert_int_equal(known_boards(&s, pattern, &ids, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_string_equal(err.text, why);
	assert_int_equal(ids.count, 0);
	if (*why == '\'')
		return;
	assert_string_equal(
		err.hint,
		"'mcpctl devices' lists who is here; one that is not is meant by its alias or its whole id");
}

static void nobody_knows(void **state)
{
	CLEANUP(mem_free_ptr) char *id = mem_zalloc(DEVICE_ID_MAX + 2);
	CLEANUP(words_done) struct words ids = { 0 };

	(void)state;
	known_as("KITCHEN", MAC_A);
	unknown("y*", "no board that is here or known fits 'y*'");
	unknown("id:", "no board that is here or known fits 'id:'");
	unknown("y", "'y' is no alias, and no board that is here has that id");
	memset(id, ':', DEVICE_ID_MAX);
	assert_int_equal(known_boards(&s, id, &ids, NULL), 0);
	id[DEVICE_ID_MAX] = ':';
	assert_int_equal(known_boards(&s, id, &ids, NULL), -1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(come_and_go),
		TEST(next_one),
		TEST(which_fit),
		TEST(long_names),
		TEST(servers),
		TEST(claims),
		TEST(patterns),
		TEST(free_ids),
		TEST(words_of_ids),
		TEST(words_of_nobody),
		TEST(a_server_that_ended),
		TEST(some_names),
		TEST(here_or_away),
		TEST(added),
		TEST(nobody_knows),
	};

	mem_init();
	return cmocka_run_group_tests_name("registry", tests, NULL, NULL);
}
