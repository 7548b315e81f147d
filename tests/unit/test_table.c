/* SPDX-License-Identifier: MIT */
/* -o table: lines of JSON as rows that fit the terminal. */
#include "rendered.h"

#include "base/json.h"
#include "out/table.h"
#include "out/text_device.h"

#define SPAN(text) ((struct span){ (text), strlen(text) })

static struct rendered s;
static struct error err;

static struct table *table_of(const char *fields, const char *heads)
{
	const struct table_how how = { .fields = fields, .heads = heads };
	struct table *t;

	assert_int_equal(table_new(&t, &how, &err), 0);
	return t;
}

static struct table *table_of_all(const char *fields, bool groups)
{
	const struct table_how how = { .fields = fields,
				       .heads = "id alias value error took_us",
				       .name = render_device_name,
				       .all = true,
				       .groups = groups };
	struct table *t;

	assert_int_equal(table_new(&t, &how, &err), 0);
	return t;
}

static void add(struct table *t, const char *line)
{
	table_add(t, SPAN(line), (struct span){ 0 });
}

static void shown(struct table *t, bool terminal, size_t width,
		  const char *expected)
{
	rendered_start(&s, OUTPUT_TEXT, terminal);
	s.r.width = width;
	assert_int_equal(table_show(t, &s.r, &err), 0);
	assert_string_equal(rendered_out(&s), expected);
	rendered_end(&s);
}

static void test_cells(void **state)
{
	struct table *t = table_of("name,a.b,c", "name a c");

	(void)state;
	/* Without rows there is no heading. */
	shown(t, false, 60, "");
	add(t, "{\"name\":\"x\",\"a\":{\"b\":[1, 2]},\"c\":\"\xc3\xa9\\n\"}");
	add(t, "{\"name\":\"long one\",\"a\":7,\"c\":null}");
	add(t, "{\"name\":null,\"a\":{\"b\":\"q\\u001b\"}}");
	shown(t, false, 20,
	      "name      a.b    c\n"
	      "x         [1,2]  \xc3\xa9\\n\n"
	      "long one\n"
	      "          q\\x1b\n");
	/* They are shown once. */
	shown(t, false, 60, "");
	table_free(t);
	table_free(NULL);
}

static void refused(const char *fields, const char *text, const char *hint)
{
	const struct table_how how = { .fields = fields,
				       .heads = "name count" };
	struct table *t;

	assert_int_equal(table_new(&t, &how, &err), -1);
	assert_null(t);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, text);
	assert_string_equal(err.hint, hint);
	error_reset(&err);
}

static void test_fields(void **state)
{
	char many[128] = "name";
	struct table *t;

	(void)state;
	refused("name,nam", "option '--fields': there is no field 'nam'",
		"there are: name count");
	refused("names", "option '--fields': there is no field 'names'",
		"there are: name count");
	refused("", "option '--fields': there is no field ''",
		"there are: name count");
	table_free(table_of("count.a,name.b.c", "name count"));
	while (strlen(many) < (size_t)TABLE_FIELDS_MAX * 2 + 2)
		strcat(many, ",a");
	t = table_of(many, "name a");
	table_free(t);
	strcat(many, ",a");
	{
		const struct table_how how = { .fields = many,
					       .heads = "name a" };

		assert_int_equal(table_new(&t, &how, &err), -1);
		assert_string_equal(err.text,
				    "option '--fields': more than 32 fields");
		error_reset(&err);
	}
}

/* A cell of 4 kB is enough for any table. */
static void test_large_cell(void **state)
{
	struct table *t = table_of("a", "a");
	char line[5000] = "{\"a\":\"";

	(void)state;
	memset(line + 6, 'x', 4096);
	strcpy(line + 6 + 4096, "\"}");
	add(t, line);
	rendered_start(&s, OUTPUT_TEXT, false);
	assert_int_equal(table_show(t, &s.r, &err), 0);
	assert_int_equal(strlen(rendered_out(&s)), 2 + 4096 + 1);
	rendered_end(&s);
	strcpy(line + 6 + 4096, "yz\"}");
	add(t, line);
	rendered_start(&s, OUTPUT_TEXT, false);
	assert_int_equal(table_show(t, &s.r, &err), 0);
	assert_int_equal(strlen(rendered_out(&s)), 2 + 4096 + strlen("…") + 1);
	assert_null(strchr(rendered_out(&s), 'y'));
	rendered_end(&s);
	table_free(t);
}

static void test_fits(void **state)
{
	static const char line[] =
		"{\"a\":\"0123456789012345678901234567890123456789\",\"b\":\"01234567890123456789\",\"c\":\"01234567\",\"d\":\"d\"}";
	struct table *t = table_of("a,b,c,d", "a b c d");

	(void)state;
	/* In a pipe nothing is cut. */
	add(t, line);
	shown(t, false, 20,
	      "a                                         b                     c         d\n"
	      "0123456789012345678901234567890123456789  01234567890123456789  01234567  d\n");
	add(t, line);
	shown(t, true, 75,
	      "a                                         b                     c         d\n"
	      "0123456789012345678901234567890123456789  01234567890123456789  01234567  d\n");
	add(t, line);
	shown(t, true, 74,
	      "a                                        b                     c         d\n"
	      "01234567890123456789012345678901234567…  01234567890123456789  01234567  d\n");
	/* The widest gives way first, the one that says which row it is last. */
	add(t, line);
	shown(t, true, 60,
	      "a                               b                c         d\n"
	      "01234567890123456789012345678…  01234567890123…  01234567  d\n");
	add(t, line);
	shown(t, true, 43,
	      "a                         b       c       d\n"
	      "01234567890123456789012…  01234…  01234…  d\n");
	/* No room for all: the first ones, and a sign that there are more. */
	add(t, line);
	shown(t, true, 42,
	      "a                         b  …\n"
	      "01234567890123456789012…  012345678901…\n");
	add(t, line);
	shown(t, true, 20,
	      "a  …\n"
	      "0123456789012345678…\n");
	table_free(t);
}

#define KITCHEN "\"device\":{\"id\":\"aa:01\",\"alias\":\"kitchen\"}"
#define HALL "\"device\":{\"id\":\"aa:02\",\"alias\":null}"
#define SERVER "\"device\":{\"id\":\"files\",\"held\":{}}"

/* A field is the value, of the line, or of its device. */
static void test_all(void **state)
{
	static const char value[] = "{\"volume\":7}";
	struct table *t =
		table_of_all("id,value,value.volume,error,took_us", false);

	(void)state;
	table_add(t, SPAN("{" KITCHEN ",\"took_us\":12,\"error\":null}"),
		  SPAN(value));
	add(t, "{" HALL
	       ",\"id\":\"own\",\"error\":{\"message\":\"gone\",\"code\":3}}");
	shown(t, false, 60,
	      "id     value         value.volume  error  took_us\n"
	      "aa:01  {\"volume\":7}  7                    12\n"
	      "own                                gone\n");
	table_free(t);
}

static void row(struct table *t, const char *line, const char *value)
{
	table_add(t, SPAN(line), value ? SPAN(value) : (struct span){ 0 });
}

/* What is alike is one row; what failed comes last. */
static void test_groups(void **state)
{
	struct table *t = table_of_all("value,error", true);

	(void)state;
	row(t, "{" HALL ",\"error\":{\"message\":\"gone\"}}", NULL);
	row(t, "{" SERVER "}", "7");
	row(t, "{" HALL "}", "7");
	row(t, "{" KITCHEN "}", "7");
	row(t, "{" KITCHEN "}", "\"a\"");
	row(t, "{" SERVER "}", "5");
	row(t, "{" HALL "}", NULL);
	shown(t, false, 60,
	      "1 board: null\n  aa:02\n"
	      "1 server: 5\n  files\n"
	      "3 devices: 7\n  aa:02, files, kitchen\n"
	      "1 board: a\n  kitchen\n"
	      "1 board: failed: gone\n  aa:02\n");
	row(t, "{\"device\":7}", "1");
	row(t, "{" KITCHEN "}", "1");
	row(t, "{" HALL "}", "1");
	shown(t, true, 20, "3 boards: 1\n  ?, aa:02, kitchen\n");
	row(t, "{" HALL "}", "\"\"");
	row(t, "{" KITCHEN "}", "null");
	shown(t, false, 60,
	      "1 board: null\n  kitchen\n1 board: \"\"\n  aa:02\n");
	table_free(t);
}

/* What is not shown of a value counts, too. */
static void test_long_groups(void **state)
{
	struct table *t = table_of_all("value,error", true);
	char value[5000], *at;

	(void)state;
	memset(value, 'x', sizeof(value));
	value[0] = value[sizeof(value) - 2] = '"';
	value[sizeof(value) - 1] = '\0';
	row(t, "{" HALL "}", value);
	row(t, "{" KITCHEN "}", value);
	value[sizeof(value) - 3] = 'y';
	row(t, "{" SERVER "}", value);
	rendered_start(&s, OUTPUT_TEXT, false);
	assert_int_equal(table_show(t, &s.r, &err), 0);
	assert_non_null(strstr(rendered_out(&s), "1 server: x"));
	at = strstr(rendered_out(&s), "2 boards: x");
	assert_non_null(at);
	assert_non_null(strstr(at, "\n  aa:02, kitchen\n"));
	rendered_end(&s);
	table_free(t);
}

static void test_colors(void **state)
{
	struct table *t = table_of("a", "a"),
		     *g = table_of_all("value,error", true);

	(void)state;
	rendered_start(&s, OUTPUT_TEXT, true);
	s.r.out_color = true;
	add(t, "{\"a\":1}");
	assert_int_equal(table_show(t, &s.r, &err), 0);
	row(g, "{" HALL "}", "7");
	row(g, "{" HALL ",\"error\":{\"message\":\"gone\"}}", NULL);
	assert_int_equal(table_show(g, &s.r, &err), 0);
	assert_string_equal(rendered_out(&s),
			    "\033[1ma\033[0m\n1\033[0m\n"
			    "\033[1m1 board: 7\033[0m\n  aa:02\n"
			    "\033[1;31m1 board: failed: gone\033[0m\n"
			    "  aa:02\n");
	rendered_end(&s);
	table_free(t);
	table_free(g);
}

/* So many rows, and it says how many there were beside them. */
static void test_too_many(void **state)
{
	struct table *t = table_of("a", "a");

	(void)state;
	for (int i = 0; i < 100002; i++)
		add(t, "{}");
	rendered_start(&s, OUTPUT_TEXT, false);
	assert_int_equal(table_show(t, &s.r, &err), -1);
	assert_int_equal(err.kind, ERR_UNMET);
	assert_string_equal(err.text, "2 rows are not in the table: it holds "
				      "100000");
	error_reset(&err);
	/* Afterwards it is empty. */
	assert_int_equal(table_show(t, &s.r, &err), 0);
	assert_int_equal(strlen(rendered_out(&s)), 2 + 100000);
	rendered_end(&s);
	table_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cells),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_large_cell),
		cmocka_unit_test(test_fits),
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_long_groups),
		cmocka_unit_test(test_colors),
		cmocka_unit_test(test_too_many),
	};

	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
