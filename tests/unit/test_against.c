/* SPDX-License-Identifier: MIT */
/* A list of tools, and what each backend would make of it. */
#include "checkup.h"

#include "check/against.h"
#include "folder.h"

#define SCHEMA "\"inputSchema\":{\"type\":\"object\"}"
#define TOOL(name) "{\"name\":\"" name "\"," SCHEMA "}"
#define USERS(name)                      \
	"{\"name\":\"" name "\"," SCHEMA \
	",\"annotations\":{\"audience\":[\"user\"]}}"

/* What is told of the list by those that are named. */
static void makes(const char *against, const struct tool_list *l,
		  const char *expected)
{
	struct checkup k;

	begin(&k);
	s.r.width = app.out.width = 78;
	options.against = against;
	assert_int_equal(check_against_read(&k, NULL), 0);
	told("");
	check_against(&k, l);
	told(expected);
	end(&k);
}

#define GW_CALLS                                                                      \
	"   calls    given up after 10 s, after 5 s by its HTTP interface; a reply\n" \
	"            above 8192 B ends the connection\n"
#define GIVEN_UP(time) "   calls    given up after " time "\n"

static void test_names(void **state)
{
	CLEANUP(tool_list_done) struct tool_list l = { 0 };

	(void)state;
	add_page(&l, TOOL("a.b") "," TOOL("a_b") "," TOOL("x y") "," USERS(
			     "x_y") "," TOOL("灯"));
	makes(NULL, &l, "");
	makes("py", &l,
	      "py       Python server: keeps 4 of 4\n"
	      "   renamed  a.b -> a_b, x y -> x_y\n"
	      "   hidden   a.b\n" GIVEN_UP("30 s"));
	makes("go-a", &l,
	      "go-a     Go server (xiaozhi-server-go): keeps 4 of 4\n"
	      "   renamed  a.b -> a_b\n"
	      "   hidden   a.b\n" GIVEN_UP("30 s"));
	/* Whose names are not known, and who hands them on. */
	makes("go-h,gw", &l,
	      "go-h     Go server (xiaozhi-esp32-server-golang): keeps 4 of 4\n" GIVEN_UP(
		      "15 s") "gw       MQTT gateway: keeps 4 of 4\n" GW_CALLS);
}

/* The first of two is not hidden, nor is one by itself. */
static void test_hidden(void **state)
{
	CLEANUP(tool_list_done) struct tool_list l = { 0 };

	(void)state;
	add_page(&l, TOOL("a_b") "," TOOL("a.b") "," TOOL("c") "," TOOL("c"));
	makes("go-a", &l,
	      "go-a     Go server (xiaozhi-server-go): keeps 4 of 4\n"
	      "   renamed  a.b -> a_b\n"
	      "   hidden   a_b\n" GIVEN_UP("30 s"));
}

/* Of two pages one sees the first alone. */
static void test_first_page(void **state)
{
	CLEANUP(tool_list_done) struct tool_list l = { 0 };

	(void)state;
	add_page(&l, TOOL("a") "," USERS("u") "," TOOL("b.c"));
	add_page(&l, TOOL("d.e") "," USERS("v") "," TOOL("f"));
	makes("rust", &l,
	      "rust     Rust server: keeps 2 of 4\n"
	      "   lost     d.e f\n" GIVEN_UP("15 s"));
	makes("java", &l,
	      "java     Java server: keeps 4 of 4\n"
	      "   renamed  b.c -> b_c, d.e -> d_e\n" GIVEN_UP("30 s"));
}

static void add_tools(struct tool_list *l, const char *first, int count)
{
	CLEANUP(buf_done) struct buf page = { 0 };

	buf_text(&page, first);
	for (int i = 0; i < count; i++)
		buf_printf(&page, "%s{\"name\":\"t%d\"," SCHEMA "}",
			   page.len ? "," : "", i);
	add_page(l, buf_string(&page));
}

/* 32 are kept; of more the page that would pass that is dropped. */
static void test_limit(void **state)
{
	CLEANUP(tool_list_done) struct tool_list l = { 0 };

	(void)state;
	add_tools(&l, "", 32);
	makes("gw", &l, "gw       MQTT gateway: keeps 32 of 32\n" GW_CALLS);
	add_page(&l, TOOL("last.one"));
	makes("gw", &l,
	      "gw       MQTT gateway: keeps 32 of 33\n"
	      "   lost     last.one\n" GW_CALLS);
	makes("java", &l,
	      "java     Java server: keeps 32 of 33\n"
	      "   lost     last.one\n" GIVEN_UP("30 s"));
	makes("py", &l,
	      "py       Python server: keeps 33 of 33\n"
	      "   renamed  last.one -> last_one\n" GIVEN_UP("30 s"));
}

/* With tools for users on a page, those without have other pages. */
static void test_not_known(void **state)
{
	CLEANUP(tool_list_done) struct tool_list l = { 0 };

	(void)state;
	add_tools(&l, USERS("u"), 32);
	add_page(&l, TOOL("x.y"));
	makes("java", &l,
	      "java     Java server: which it keeps is not known from this list\n"
	      "   renamed  x.y -> x_y\n" GIVEN_UP("30 s"));
}

/* All, in the order of the data. */
static void test_all(void **state)
{
	CLEANUP(tool_list_done) struct tool_list l = { 0 };

	(void)state;
	add_page(&l, TOOL("a"));
	makes("all", &l,
	      "py       Python server: keeps 1 of 1\n" GIVEN_UP(
		      "30 s") "gw       MQTT gateway: keeps 1 of 1\n" GW_CALLS
			      "java     Java server: keeps 1 of 1\n" GIVEN_UP("30 s") "go-a     Go server (xiaozhi-server-go): keeps 1 of 1\n" GIVEN_UP("30 s") "go-h     Go server (xiaozhi-esp32-server-golang): keeps 1 of 1\n" GIVEN_UP(
				      "15 s") "rust     Rust server: keeps 1 of 1\n" GIVEN_UP("15 s"));
}

static void unknown(const char *against, const char *id)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("--against: no backend '%s' is known", id);
	CLEANUP(error_reset) struct error err = { 0 };
	struct checkup k;

	begin(&k);
	options.against = against;
	assert_int_equal(check_against_read(&k, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, text);
	assert_string_equal(err.hint,
			    "there are py, gw, java, go-a, go-h, rust; or all");
	end(&k);
}

static void test_unknown(void **state)
{
	(void)state;
	unknown("", "");
	unknown("p", "p");
	unknown("pyx", "pyx");
	unknown("py,", "");
	unknown("py,gw,go", "go");
}

/* A list in a file is looked at as a board's. */
static void lists(const char *text, const char *expected)
{
	const char *out;
	struct checkup k;

	mem_free(folder_write("list", text, strlen(text)));
	begin(&k);
	app.out.width = 78;
	options.against = "rust";
	assert_int_equal(chdir(folder), 0);
	check_tools(&k, "list", NULL);
	assert_int_equal(chdir("/"), 0);
	out = rendered_out(&s);
	assert_memory_equal(out, expected, strlen(expected));
	assert_true(diag.about.board);
	assert_string_equal(k.subject, "B");
	assert_string_equal(k.peer, "list");
	end(&k);
}

static void test_files(void **state)
{
	(void)state;
	lists("[" TOOL("abc") "]",
	      "list     ok    1 tool (0 user-only), 46 B in all, from list\n"
	      "rust     Rust server: keeps 1 of 1\n" GIVEN_UP(
		      "15 s") "\n0 errors, 0 warnings, 0 notes in ");
	lists("[" TOOL("abc") "," USERS("u") "]",
	      "list     ok    2 tools (1 user-only), 126 B in all, from list\n"
	      "rust     Rust server: keeps 1 of 1\n");
	lists("[" TOOL("2") "]",
	      "list     ok    1 tool (0 user-only), 44 B in all, from list\n"
	      "error   D117 ");
}

static void test_no_file(void **state)
{
	CLEANUP(error_reset) struct error err = { 0 };
	struct checkup k;

	(void)state;
	begin(&k);
	options.against = "none";
	assert_int_equal(check_tools(&k, "/no/such/file", &err), -1);
	assert_string_equal(err.text, "--against: no backend 'none' is known");
	told("");
	options.against = NULL;
	assert_int_equal(check_tools(&k, "/no/such/file", &err), -1);
	assert_ptr_equal(strstr(rendered_out(&s), "list     fail  "), s.out);
	assert_int_equal(k.stages, 1);
	end(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_first_page),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_not_known),
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_no_file),
	};

	return cmocka_run_group_tests_name("against", tests, folder_make,
					   folder_remove);
}
