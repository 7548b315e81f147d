/* SPDX-License-Identifier: MIT */
/* Boards that a bridge knew: what is written is read again, and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/text.h"
#include "bridge/boards_file.h"
#include "folder.h"

static char *path;

struct heard {
	size_t count;
	char id[4][32], prefix[4][32], way[4][32], tool[4][32];
	size_t tools[4];
	struct bridge_list *list[4];
};

static void on_board(void *owner, const struct kept_board *b)
{
	struct heard *h = owner;

	assert_true(h->count < 4);
	text_copy(h->id[h->count], sizeof(h->id[0]), b->id);
	text_copy(h->prefix[h->count], sizeof(h->prefix[0]), b->prefix);
	text_copy(h->way[h->count], sizeof(h->way[0]), b->way ? b->way : "-");
	h->tools[h->count] = b->list->tools.count;
	if (b->list->tools.count)
		text_copy(h->tool[h->count], sizeof(h->tool[0]),
			  b->list->tools.tool[0].name);
	h->list[h->count++] = b->list;
}

static struct heard hear(void)
{
	struct heard h = { 0 };

	boards_file_read(path, on_board, &h);
	return h;
}

static struct bridge_list *list(const char *id, const char *tools)
{
	struct tool_list l = { 0 };

	assert_int_equal(tool_list_add_text(&l, tools, strlen(tools), NULL), 0);
	return bridge_list_new(id, &l);
}

static void keep(const struct kept_board *b, size_t count)
{
	struct error err = { 0 };

	assert_int_equal(boards_file_write(path, b, count, &err), 0);
}

static void written_and_read(void **state)
{
	struct bridge_list *l = list("abc", "{\"name\":\"self.a\"},"
					    "{\"name\":\"self.b\"}");
	const struct kept_board b[] = {
		{ "02:01", "kitchen", "esp 1", "MQTT", unix_now_ms(), l },
		{ "02:02", "a \"b\"\\", NULL, NULL, unix_now_ms(), l },
	};
	struct heard h;

	(void)state;
	keep(b, 2);
	h = hear();
	assert_int_equal(h.count, 2);
	assert_string_equal(h.id[0], "02:01");
	assert_string_equal(h.prefix[1], "a \"b\"\\");
	assert_string_equal(h.way[0], "MQTT");
	assert_string_equal(h.way[1], "-");
	assert_int_equal(h.tools[1], 2);
	assert_string_equal(h.tool[1], "self.a");
	/* It stands there once. */
	assert_ptr_equal(h.list[0], h.list[1]);
	bridge_list_release(l);
}

static void boards_of_another_bridge_stay(void **state)
{
	struct bridge_list *l = list("abc", "{\"name\":\"self.a\"}");
	struct bridge_list *other = list("def", "{\"name\":\"self.c\"}");
	const struct kept_board first = { "02:01", "one",	  NULL,
					  NULL,	   unix_now_ms(), l };
	const struct kept_board second[] = {
		{ "02:02", "two", NULL, NULL, unix_now_ms(), other },
	};
	const struct kept_board renamed = { "02:01", "uno",	    NULL,
					    NULL,    unix_now_ms(), other };
	struct heard h;

	(void)state;
	keep(&first, 1);
	keep(second, 1);
	assert_int_equal(hear().count, 2);
	keep(&renamed, 1);
	h = hear();
	assert_int_equal(h.count, 2);
	assert_string_equal(h.prefix[0], "uno");
	assert_string_equal(h.tool[0], "self.c");
	bridge_list_release(l);
	bridge_list_release(other);
}

static void old_ones_are_forgotten(void **state)
{
	struct bridge_list *l = list("abc", "{\"name\":\"self.a\"}");
	const int64_t day = INT64_C(24) * 3600 * 1000;
	const struct kept_board b[] = {
		{ "02:01", "old", NULL, NULL,
		  unix_now_ms() - (BOARDS_FILE_DAYS + 1) * day, l },
		{ "02:02", "new", NULL, NULL,
		  unix_now_ms() - (BOARDS_FILE_DAYS - 1) * day, l },
	};
	struct heard h;

	(void)state;
	keep(b, 2);
	h = hear();
	assert_int_equal(h.count, 1);
	assert_string_equal(h.prefix[0], "new");
	bridge_list_release(l);
}

static void what_is_none_says_nothing(void **state)
{
	static const char *const texts[] = {
		"",
		"{",
		"[]",
		"null",
		"{\"boards\":{},\"lists\":[]}",
		"{\"boards\":[1,{\"id\":\"x\"},{\"id\":\"x\",\"prefix\":\"y\","
		"\"seen\":9007199254740000,\"list\":\"none\"}],\"lists\":"
		"{\"a\":1,\"b\":[1],\"c\":{}}}",
		("{\"boards\":[{\"id\":\"\",\"prefix\":\"y\",\"seen\":"
		 "9007199254740000,\"list\":\"a\"}],\"lists\":{\"a\":[]}}"),
		("{\"boards\":[{\"id\":\"x\",\"prefix\":\"\",\"seen\":"
		 "9007199254740000,\"list\":\"a\"}],\"lists\":{\"a\":[]}}"),
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		assert_int_equal(
			file_replace(path, 0600, texts[i], strlen(texts[i])),
			0);
		assert_int_equal(hear().count, 0);
	}
	unlink(path);
	assert_int_equal(hear().count, 0);
}

static void a_path_for_each_serve(void **state)
{
	char *a, *b;

	(void)state;
	setenv("HOME", folder, 1);
	unsetenv("XDG_STATE_HOME");
	a = boards_file_path("/run/a.sock");
	b = boards_file_path("/run/b.sock");
	assert_non_null(a);
	assert_string_not_equal(a, b);
	mem_free(a);
	mem_free(b);
}

static char *path_from(const char *where, const char *socket)
{
	assert_int_equal(chdir(where), 0);
	return boards_file_path(socket);
}

/* A path from where we are is that of one serve, wherever that is written. */
static void a_path_from_here(void **state)
{
	CLEANUP(mem_free_ptr) char *in_a = folder_path("a");
	CLEANUP(mem_free_ptr) char *in_b = folder_path("b");
	CLEANUP(mem_free_ptr) char *whole = mem_printf("%s/s.sock", in_a);
	CLEANUP(mem_free_ptr) char *a = NULL, *b = NULL, *same = NULL;
	CLEANUP(mem_free_ptr) char *dot = NULL, *nowhere = NULL;

	(void)state;
	setenv("HOME", folder, 1);
	unsetenv("XDG_STATE_HOME");
	assert_int_equal(mkdir(in_a, 0700), 0);
	assert_int_equal(mkdir(in_b, 0700), 0);
	a = path_from(in_a, "s.sock");
	b = path_from(in_b, "s.sock");
	same = path_from("/", whole);
	dot = path_from(in_a, "./s.sock");
	nowhere = path_from("/", "no/such/s.sock");
	assert_string_not_equal(a, b);
	assert_string_equal(a, same);
	assert_string_equal(a, dot);
	assert_non_null(nowhere);
}

/* The file, byte for byte: another version's bridge reads it, too. */
static void as_it_stands_there(void **state)
{
	struct bridge_list *l = list("abc", "{\"name\":\"self.a\"},"
					    "{\"name\":\"self.b\"}");
	struct bridge_list *unnamed = list(NULL, "{\"name\":\"self.c\"}");
	const int64_t now = unix_now_ms();
	const struct kept_board b[] = {
		{ "02:01", "kitchen", "esp 1", "MQTT", now, l },
		{ "02:02", "hall", NULL, NULL, now, l },
		{ "02:03", "attic", NULL, NULL, now, unnamed },
		{ "02:04", "shed", NULL, NULL, now, NULL },
	};
	CLEANUP(mem_free_ptr)
	char *expected = mem_printf(
		"{\"boards\":[{\"id\":\"02:01\",\"prefix\":\"kitchen\",\"about\":\"esp 1\",\"way\":\"MQTT\",\"list\":\"abc\",\"seen\":%lld},{\"id\":\"02:02\",\"prefix\":\"hall\",\"list\":\"abc\",\"seen\":%lld}],\"lists\":{\"abc\":[{\"name\":\"self.a\"},{\"name\":\"self.b\"}]}}\n",
		(long long)now, (long long)now);
	CLEANUP(buf_done) struct buf text = { .max = 4096 };

	(void)state;
	keep(b, 4);
	assert_int_equal(file_read_own(&text, path), 0);
	assert_string_equal(buf_string(&text), expected);
	bridge_list_release(l);
	bridge_list_release(unnamed);
}

static void count_boards(void *owner, const struct kept_board *b)
{
	(void)b;
	++*(size_t *)owner;
}

/* So many boards, and no more. */
static void no_end_of_boards(void **state)
{
	struct bridge_list *l = list("abc", "{\"name\":\"self.a\"}");
	const size_t many = BOARDS_FILE_MOST + 1;
	struct kept_board *b = mem_zalloc(many * sizeof(*b));
	char(*id)[24] = mem_zalloc(many * sizeof(*id));
	size_t count = 0;

	(void)state;
	for (size_t i = 0; i < many; i++) {
		snprintf(id[i], sizeof(id[i]), "%zu", i);
		b[i] = (struct kept_board){ id[i], "p",		  NULL,
					    NULL,  unix_now_ms(), l };
	}
	keep(b, many);
	boards_file_read(path, count_boards, &count);
	assert_int_equal(count, BOARDS_FILE_MOST);
	/* Those of this bridge first. */
	keep(&b[many - 1], 1);
	count = 0;
	boards_file_read(path, count_boards, &count);
	assert_int_equal(count, BOARDS_FILE_MOST);
	mem_free(b);
	mem_free(id);
	bridge_list_release(l);
}

/* What would be too large to be read again is left out, and the others stay. */
static void long_lists(void **state)
{
	enum { LISTS = 40, LENGTH = 1 << 20 };
	CLEANUP(mem_free_ptr) char *long_text = mem_alloc(LENGTH + 1);
	CLEANUP(mem_free_ptr) char *tool = NULL;
	struct bridge_list *l[LISTS], *small;
	struct kept_board b[LISTS + 2];
	char id[LISTS + 2][24];
	size_t count = 0;

	(void)state;
	memset(long_text, 'x', LENGTH);
	long_text[LENGTH] = '\0';
	tool = mem_printf("{\"name\":\"a\",\"description\":\"%s\"}", long_text);
	small = list("small", "{\"name\":\"self.a\"}");
	for (size_t i = 0; i < COUNT(b); i++) {
		snprintf(id[i], sizeof(id[i]), "%zu", i);
		if (i < LISTS)
			l[i] = list(id[i], tool);
		b[i] = (struct kept_board){
			id[i], "p",	      NULL,
			NULL,  unix_now_ms(), i < LISTS ? l[i] : small
		};
	}
	keep(b, COUNT(b));
	boards_file_read(path, count_boards, &count);
	assert_int_equal(count, 31 + 2);
	for (size_t i = 0; i < LISTS; i++)
		bridge_list_release(l[i]);
	bridge_list_release(small);
}

static void it_cannot_be_written(void **state)
{
	CLEANUP(error_reset) struct error err = { 0 };

	(void)state;
	assert_int_equal(boards_file_write("/no/such/folder/b", NULL, 0, &err),
			 -1);
	assert_int_equal(err.kind, ERR_OUTPUT);
	assert_string_equal(
		err.text,
		"'/no/such/folder/b' could not be written: No such file or directory");
}

static int make(void **state)
{
	(void)state;
	path = folder_path("boards.json");
	return 0;
}

static int drop(void **state)
{
	(void)state;
	unlink(path);
	mem_free(TAKE(path));
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(written_and_read, make, drop),
		cmocka_unit_test_setup_teardown(boards_of_another_bridge_stay,
						make, drop),
		cmocka_unit_test_setup_teardown(old_ones_are_forgotten, make,
						drop),
		cmocka_unit_test_setup_teardown(what_is_none_says_nothing, make,
						drop),
		cmocka_unit_test_setup_teardown(a_path_for_each_serve, make,
						drop),
		cmocka_unit_test_setup_teardown(a_path_from_here, make, drop),
		cmocka_unit_test_setup_teardown(as_it_stands_there, make, drop),
		cmocka_unit_test_setup_teardown(no_end_of_boards, make, drop),
		cmocka_unit_test_setup_teardown(long_lists, make, drop),
		cmocka_unit_test_setup_teardown(it_cannot_be_written, make,
						drop),
	};

	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
