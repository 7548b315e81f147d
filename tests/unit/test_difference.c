/* SPDX-License-Identifier: MIT */
/* How two conversations differ, as it is told. */
#include "rendered.h"

#include "out/difference.h"

#define SAYS(pointer, old, new)                     \
	((struct difference){ .kind = DIFFERS_SAYS, \
			      .was = &was,          \
			      .is = &is,            \
			      .says = { (pointer), (old), (new) } })

static const struct step was = { .n = 12,
				 .at_us = 1500,
				 .from = FROM_DEVICE,
				 .key = (char[]){
					 "reply to tools/call x\x1b" } };
static const struct step is = { .n = 7,
				.at_us = 2500,
				.from = FROM_BACKEND,
				.key = (char[]){ "tools/call y" } };

static struct rendered s;
static struct differences_shown shown;

static void start(enum output_form form)
{
	rendered_start(&s, form, false);
	shown = (struct differences_shown){ 0 };
}

static void tell(struct difference d)
{
	render_difference(&s.r, &d, &shown);
}

static void shows(const char *expected)
{
	render_differences_end(&s.r, &shown);
	assert_string_equal(rendered_out(&s), expected);
	rendered_end(&s);
}

static void test_kinds(void **state)
{
	const struct step nobody = { .n = 123, .key = (char[]){ "opens" } };

	(void)state;
	start(OUTPUT_TEXT);
	tell((struct difference){ .kind = DIFFERS_MISSING, .was = &was });
	tell((struct difference){ .kind = DIFFERS_MORE, .is = &is });
	tell((struct difference){
		.kind = DIFFERS_ORDER, .was = &nobody, .is = &is });
	tell((struct difference){ .kind = DIFFERS_SLOWER,
				  .was = &was,
				  .is = &is,
				  .was_us = 20000,
				  .is_us = 1500000 });
	shows("missing  #12   device   reply to tools/call x\\x1b\n"
	      "more     #7    backend  tools/call y\n"
	      "moved    #123           opens\n"
	      "slower   #12   device   reply to tools/call x\\x1b\n"
	      "         answered in 20 ms, now in 1.5 s\n");
}

/* What differs in one step stands below it, the step once. */
static void test_values(void **state)
{
	(void)state;
	start(OUTPUT_TEXT);
	tell(SAYS("/a", "1", "\"x\x1b\""));
	tell(SAYS("/b", NULL, "2"));
	tell(SAYS("", "[]", NULL));
	tell((struct difference){ .kind = DIFFERS_MISSING, .was = &was });
	shows("other    #12   device   reply to tools/call x\\x1b\n"
	      "         /a: 1, now \"x\\x1b\"\n"
	      "         /b: nothing, now 2\n"
	      "         the whole: [], now nothing\n"
	      "missing  #12   device   reply to tools/call x\\x1b\n");
}

/* The last column of 60 may be used, and no more. */
static void test_width(void **state)
{
	static const char long_one[] =
		"\"0123456789012345678901234567890123456789\"";

	(void)state;
	start(OUTPUT_TEXT);
	tell(SAYS("/a", "\"123456789012345678\"", "\"3456789012345678901\""));
	tell(SAYS("/a", "\"123456789012345678\"", "\"34567890123456789012\""));
	tell(SAYS("", long_one, "1"));
	tell(SAYS("/a", "\"xxx0123456789012345678901234567890123456789\"",
		  "\"yyyy0123456789012345678901234567890123456789\""));
	s.r.width = 36;
	tell(SAYS("/a", long_one, "1"));
	s.r.width = 35;
	tell(SAYS("/a", "1", long_one));
	shows("other    #12   device   reply to tools/call x\\x1b\n"
	      "         /a: \"123456789012345678\", now \"3456789012345678901\"\n"
	      "         /a\n"
	      "           was \"123456789012345678\"\n"
	      "           now \"34567890123456789012\"\n"
	      "         the whole\n"
	      "           was \"0123456789012345678901234567890123456789\"\n"
	      "           now 1\n"
	      "         /a\n"
	      "           was \"xxx0123456789012345678901234567890123456789\"\n"
	      "           now \"yyyy012345678901234567890123456789012345678…\n"
	      "         /a\n"
	      "           was \"0123456789012345678…\n"
	      "           now 1\n"
	      "         /a\n"
	      "           was 1\n"
	      "           now \"012345678901234567…\n");
}

/* Of what begins alike for long, 16 bytes stand before the difference. */
static void test_same_beginning(void **state)
{
	(void)state;
	start(OUTPUT_TEXT);
	tell(SAYS("/a", "\"0123456789abcdefghijklmnopqrstux--\"",
		  "\"0123456789abcdefghijklmnopqrstuy--\""));
	tell(SAYS("/a", "\"0123456789abcdefghijklmnopqrstuvx--\"",
		  "\"0123456789abcdefghijklmnopqrstuvy--\""));
	shows("other    #12   device   reply to tools/call x\\x1b\n"
	      "         /a\n"
	      "           was \"0123456789abcdefghijklmnopqrstux--\"\n"
	      "           now \"0123456789abcdefghijklmnopqrstuy--\"\n"
	      "         /a\n"
	      "           was …ghijklmnopqrstuvx--\"\n"
	      "           now …ghijklmnopqrstuvy--\"\n");
}

/* Six of one step; how many more there are is said before the next. */
static void test_many(void **state)
{
	(void)state;
	start(OUTPUT_TEXT);
	for (int i = 0; i < 8; i++)
		tell(SAYS("/a", "1", "2"));
	tell((struct difference){ .kind = DIFFERS_MORE, .is = &is });
	for (int i = 0; i < 6; i++)
		tell(SAYS("/b", "1", "2"));
	shows("other    #12   device   reply to tools/call x\\x1b\n"
	      "         /a: 1, now 2\n         /a: 1, now 2\n"
	      "         /a: 1, now 2\n         /a: 1, now 2\n"
	      "         /a: 1, now 2\n         /a: 1, now 2\n"
	      "         … 2 more in it (-v)\n"
	      "more     #7    backend  tools/call y\n"
	      "other    #12   device   reply to tools/call x\\x1b\n"
	      "         /b: 1, now 2\n         /b: 1, now 2\n"
	      "         /b: 1, now 2\n         /b: 1, now 2\n"
	      "         /b: 1, now 2\n         /b: 1, now 2\n");
	start(OUTPUT_TEXT);
	s.r.verbose = true;
	for (int i = 0; i < 7; i++)
		tell(SAYS("/a", "1", "2"));
	shows("other    #12   device   reply to tools/call x\\x1b\n"
	      "         /a: 1, now 2\n         /a: 1, now 2\n"
	      "         /a: 1, now 2\n         /a: 1, now 2\n"
	      "         /a: 1, now 2\n         /a: 1, now 2\n"
	      "         /a: 1, now 2\n");
	start(OUTPUT_TEXT);
	for (int i = 0; i < 7; i++)
		tell(SAYS("/a", "1", "2"));
	render_differences_end(&s.r, &shown);
	assert_non_null(
		strstr(rendered_out(&s), "         … 1 more in it (-v)\n"));
	rendered_end(&s);
}

static void test_json(void **state)
{
	(void)state;
	start(OUTPUT_JSON);
	for (int i = 0; i < 7; i++)
		tell(SAYS("/a", NULL, "2"));
	render_differences_end(&s.r, &shown);
	assert_null(strstr(rendered_out(&s), "more in it"));
	rendered_end(&s);
	start(OUTPUT_JSON);
	tell(SAYS("/a", NULL, "2"));
	tell(SAYS("/a", "1", NULL));
	tell((struct difference){ .kind = DIFFERS_MORE, .is = &is });
	tell((struct difference){ .kind = DIFFERS_SLOWER,
				  .was = &was,
				  .is = &is,
				  .was_us = 20000,
				  .is_us = 1500000 });
#define STEP "\"from\":\"device\",\"step\":\"reply to tools/call x\\u001b\","
#define BOTH "\"was\":{\"n\":12,\"at_us\":1500},\"is\":{\"n\":7,\"at_us\":2500}"
	shows("{\"difference\":{\"kind\":\"other\"," STEP BOTH
	      ",\"pointer\":\"/a\",\"old\":null,\"new\":2}}\n"
	      "{\"difference\":{\"kind\":\"other\"," STEP BOTH
	      ",\"pointer\":\"/a\",\"old\":1,\"new\":null}}\n"
	      "{\"difference\":{\"kind\":\"more\",\"from\":\"backend\","
	      "\"step\":\"tools/call y\",\"was\":null,"
	      "\"is\":{\"n\":7,\"at_us\":2500}}}\n"
	      "{\"difference\":{\"kind\":\"slower\"," STEP BOTH
	      ",\"old_us\":20000,\"new_us\":1500000}}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_width),
		cmocka_unit_test(test_same_beginning),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_json),
	};

	return cmocka_run_group_tests_name("difference", tests, NULL, NULL);
}
