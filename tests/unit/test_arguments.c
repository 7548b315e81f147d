/* SPDX-License-Identifier: MIT */
/* mcp/arguments: words to JSON by a schema, refusals, usage, examples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/split.h"
#include "base/text.h"
#include "mcp/arguments.h"

/* A tool with this schema, and how arguments for it are made. */
struct bench {
	struct tool tool;
	struct arguments_options options;
	cJSON *schema;
	struct buf out, warnings;
	struct error err;
	struct words words;
};

static void bench_init(struct bench *b, const char *schema)
{
	*b = (struct bench){ .tool = { .name = "self.x", .description = "" } };
	if (schema) {
		b->schema = json_parse(schema, strlen(schema), NULL);
		assert_non_null(b->schema);
	}
	b->tool.schema = b->schema;
	b->options.tool = &b->tool;
}

static void bench_done(struct bench *b)
{
	cJSON_Delete(b->schema);
	buf_done(&b->out);
	buf_done(&b->warnings);
	error_reset(&b->err);
	words_done(&b->words);
}

/* line is split as a shell does it, without expansion. */
static int build(struct bench *b, const char *line)
{
	words_done(&b->words);
	error_reset(&b->err);
	buf_reset(&b->warnings);
	assert_int_equal(words_split(&b->words, line, NULL), 0);
	return arguments_build(&b->out, b->words.word, b->words.count,
			       &b->options, &b->warnings, &b->err);
}

static void gives(struct bench *b, const char *line, const char *json)
{
	if (build(b, line) < 0)
		fail_msg("%s: %s", line, b->err.text);
	assert_string_equal(buf_string(&b->out), json);
}

static void refuses(struct bench *b, const char *line, const char *text)
{
	assert_int_equal(build(b, line), -1);
	assert_int_equal(b->err.kind, ERR_USAGE);
	assert_string_equal(b->err.text, text);
	if (b->options.tool)
		assert_non_null(strstr(b->err.detail, "call self.x"));
}

static const char volume[] =
	"{\"type\":\"object\",\"properties\":{\"volume\":{\"type\":\"integer\","
	"\"minimum\":0,\"maximum\":100}},\"required\":[\"volume\"]}";

static const char types[] =
	"{\"type\":\"object\",\"properties\":{\"i\":{\"type\":\"integer\"},"
	"\"n\":{\"type\":\"number\"},\"b\":{\"type\":\"boolean\"},\"s\":"
	"{\"type\":\"string\"},\"z\":{\"type\":\"null\"},\"a\":{\"type\":"
	"\"array\",\"items\":{\"type\":\"string\"}},\"ai\":{\"type\":\"array\","
	"\"items\":{\"type\":\"integer\"}},\"o\":{\"type\":\"object\"},\"on\":"
	"{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"null\"}]},\"sn\":"
	"{\"type\":[\"string\",\"null\"]},\"as\":{\"type\":[\"array\","
	"\"string\"]},\"any\":{},\"dotted.name\":{\"type\":\"string\"},\"e\":"
	"{\"type\":\"string\",\"enum\":[\"light\",\"dark\"]},\"k:\":{}}}";

static void scalars_by_type(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, types);
	gives(&b, "", "{}");
	gives(&b, "i=5", "{\"i\":5}");
	gives(&b, "i=-5 n=1.50 b=true", "{\"i\":-5,\"n\":1.50,\"b\":true}");
	gives(&b, "i=1.0", "{\"i\":1.0}");
	gives(&b, "b=false z=null", "{\"b\":false,\"z\":null}");
	/* Text is text, whatever it looks like. */
	gives(&b, "s=5", "{\"s\":\"5\"}");
	gives(&b, "s=true", "{\"s\":\"true\"}");
	gives(&b, "'s=\"q\"'", "{\"s\":\"\\\"q\\\"\"}");
	gives(&b, "s=", "{\"s\":\"\"}");
	gives(&b, "'s=a=b:=c'", "{\"s\":\"a=b:=c\"}");
	gives(&b, "'s=\"q\"\\\n音'", "{\"s\":\"\\\"q\\\"\\\\\\n音\"}");
	gives(&b, "dotted.name=x", "{\"dotted.name\":\"x\"}");
	gives(&b, "s=-", "{\"s\":\"-\"}");
	bench_done(&b);
}

static void several_types_or_none(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, types);
	gives(&b, "on=5", "{\"on\":5}");
	gives(&b, "on=null", "{\"on\":null}");
	gives(&b, "sn=null", "{\"sn\":null}");
	gives(&b, "sn=5", "{\"sn\":\"5\"}");
	gives(&b, "any=5", "{\"any\":5}");
	gives(&b, "any=true", "{\"any\":true}");
	gives(&b, "'any=\"5\"'", "{\"any\":\"5\"}");
	gives(&b, "any=loud", "{\"any\":\"loud\"}");
	gives(&b, "any=[1]", "{\"any\":\"[1]\"}");
	gives(&b, "as=x", "{\"as\":\"x\"}");
	gives(&b, "as=x as=y", "{\"as\":[\"x\",\"y\"]}");
	gives(&b, "'as=[1, 2]'", "{\"as\":[1,2]}");
	bench_done(&b);
}

static void arrays_and_objects(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, types);
	gives(&b, "a=x", "{\"a\":[\"x\"]}");
	gives(&b, "a=x i=1 a=5", "{\"a\":[\"x\",\"5\"],\"i\":1}");
	gives(&b, "ai=1 ai=2", "{\"ai\":[1,2]}");
	gives(&b, "'a=[\"x\", \"y\"]'", "{\"a\":[\"x\",\"y\"]}");
	gives(&b, "a:=[]", "{\"a\":[]}");
	gives(&b, "ai:=1 ai=2", "{\"ai\":[1,2]}");
	gives(&b, "'o={\"k\": {}}'", "{\"o\":{\"k\":{}}}");
	refuses(&b, "ai=x", "argument 'ai[0]': \"x\" is not of type integer");
	refuses(&b, "ai=1 ai=x",
		"argument 'ai[1]': \"x\" is not of type integer");
	assert_int_equal(build(&b, "ai=1 ai:=["), -1);
	assert_true(text_starts(b.err.text, "argument 'ai' is not JSON: "));
	refuses(&b, "i=1 i=2", "argument 'i' is given more than once");
	refuses(&b, "any=1 any=2", "argument 'any' is given more than once");
	assert_int_equal(build(&b, "'a=[\"x\"'"), -1);
	assert_non_null(strstr(b.err.text, "argument 'a' is not JSON: "));
	assert_int_equal(build(&b, "o=5"), -1);
	assert_string_equal(b.err.text,
			    "argument 'o': \"5\" is not of type object");
	bench_done(&b);
}

static void json_values(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, types);
	gives(&b, "'s:=\"@x\"'", "{\"s\":\"@x\"}");
	gives(&b, "'any:={\"a\": [1, 2]}'", "{\"any\":{\"a\":[1,2]}}");
	/* Digits are sent as they were given. */
	gives(&b, "n:=12345678901234567890.10",
	      "{\"n\":12345678901234567890.10}");
	gives(&b, "i=9007199254740993", "{\"i\":9007199254740993}");
	refuses(&b, "s:=5", "argument 's': 5 is not of type string");
	assert_int_equal(build(&b, "s:=text"), -1);
	assert_non_null(strstr(b.err.text, "argument 's' is not JSON"));
	assert_int_equal(build(&b, "s:=@file"), -1);
	assert_non_null(strstr(b.err.hint, "NAME=@FILE"));
	assert_int_equal(build(&b, "n:=1e999"), -1);
	bench_done(&b);
}

static void whole_objects(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, volume);
	gives(&b, "'{\"volume\": 50}'", "{\"volume\":50}");
	gives(&b, "' {\"volume\":5e1} '", "{\"volume\":5e1}");
	refuses(&b, "'{\"volume\":150}'",
		"argument 'volume': 150 is above the maximum of 100");
	refuses(&b, "'{\"volume\":1,\"volume\":2}'",
		"argument 'volume' stands twice in the object");
	/* At any depth, and however it is written. */
	refuses(&b, "'{\"volume\":1,\"o\":[{\"w\":1,\"\\u0077\":2}]}'",
		"argument 'w' stands twice in the object");
	refuses(&b, "volume=1 'o:={\"w\":1,\"w\":2}'",
		"argument 'w' stands twice in the object");
	refuses(&b, "'{}'", "argument 'volume' is required (integer 0..100)");
	assert_int_equal(build(&b, "'{\"volume\":1'"), -1);
	assert_non_null(
		strstr(b.err.text, "the arguments object is not JSON: "));
	refuses(&b, "'{}' volume=1",
		"'{}' gives all arguments, so no other word may stand beside "
		"it");
	refuses(&b, "volume=1 @x",
		"'@x' gives all arguments, so no other word may stand beside "
		"it");
	b.options.stdin_taken = true;
	refuses(&b, "-",
		"arguments from standard input: something else reads it "
		"already");
	bench_done(&b);
}

static void refusals(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, volume);
	refuses(&b, "volume=150",
		"argument 'volume': 150 is above the maximum of 100");
	assert_string_equal(b.err.detail, "call self.x volume=<0..100>");
	assert_string_equal(buf_string(&b.out), "");
	refuses(&b, "volume=-1",
		"argument 'volume': -1 is below the minimum of 0");
	refuses(&b, "volume=loud",
		"argument 'volume': \"loud\" is not of type integer");
	refuses(&b, "volume=50.9",
		"argument 'volume': 50.9 is not of type integer");
	refuses(&b,
		"volume=", "argument 'volume': \"\" is not of type integer");
	refuses(&b, "", "argument 'volume' is required (integer 0..100)");
	assert_int_equal(build(&b, "50"), -1);
	assert_int_equal(strncmp(b.err.text, "'50' is no argument", 19), 0);
	assert_string_equal(b.err.hint, "write volume=50");
	assert_int_equal(build(&b, "loud volume=50"), -1);
	assert_string_equal(b.err.hint, "");
	assert_int_equal(build(&b, "=5"), -1);
	assert_int_equal(build(&b, "[1]"), -1);
	refuses(&b, "\"v\xff=1\"", "'v\xff=1' is not valid UTF-8");
	bench_done(&b);
}

static void proposals(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, types);
	refuses(&b, "b=yes", "argument 'b': \"yes\" is not of type boolean");
	assert_string_equal(b.err.hint, "write b=true or b=false");
	refuses(&b, "b=1", "argument 'b': \"1\" is not of type boolean");
	refuses(&b, "e=lihgt",
		"argument 'e': \"lihgt\" is none of [\"light\",\"dark\"]");
	assert_string_equal(b.err.hint, "did you mean 'light'?");
	bench_done(&b);
}

static void unknown_names(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, volume);
	/* Elsewhere than on devices the schema allows it. */
	gives(&b, "volume=1 volum=3", "{\"volume\":1,\"volum\":3}");
	assert_string_equal(
		buf_string(&b.warnings),
		"argument 'volum' is not in the tool's schema, "
		"which forbids no others (did you mean 'volume'?)\n");
	b.options.device = true;
	/* A mistyped name says more than a missing one. */
	refuses(&b, "volum=3",
		"unknown argument 'volum' (did you mean 'volume'?)");
	refuses(&b, "VOLUME=3",
		"unknown argument 'VOLUME' (did you mean 'volume'?)");
	refuses(&b, "volume=1 zzzzzzzz=3", "unknown argument 'zzzzzzzz'");
	assert_string_equal(b.err.hint, "it takes: volume");
	bench_done(&b);
	bench_init(&b, "{\"type\":\"object\",\"properties\":{}}");
	b.options.device = true;
	gives(&b, "", "{}");
	refuses(&b, "x=3", "unknown argument 'x'");
	assert_string_equal(b.err.hint, "it takes no arguments");
	bench_done(&b);
}

static void additional_properties(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "{\"properties\":{\"a\":{}},\"additionalProperties\":"
		       "false}");
	refuses(&b, "ab=1", "unknown argument 'ab' (did you mean 'a'?)");
	bench_done(&b);
	/* Free names of a type are no reason for a warning. */
	bench_init(&b, "{\"additionalProperties\":{\"type\":\"integer\"}}");
	gives(&b, "x=1", "{\"x\":1}");
	assert_string_equal(buf_string(&b.warnings), "");
	refuses(&b, "x=y", "argument 'x': \"y\" is not of type integer");
	bench_done(&b);
	bench_init(&b, "{\"patternProperties\":{\"^x-\":{}},"
		       "\"additionalProperties\":false}");
	gives(&b, "x-a=1", "{\"x-a\":1}");
	assert_int_equal(build(&b, "y=1"), -1);
	bench_done(&b);
	bench_init(&b, "{\"$ref\":\"#/$defs/t\",\"$defs\":{\"t\":"
		       "{\"properties\":{\"a\":{\"type\":\"string\"}},"
		       "\"additionalProperties\":false}}}");
	gives(&b, "a=5", "{\"a\":\"5\"}");
	refuses(&b, "c=5", "unknown argument 'c'");
	bench_done(&b);
}

static void numbers_that_firmware_changes(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, types);
	gives(&b, "i=3000000000", "{\"i\":3000000000}");
	b.options.device = true;
	gives(&b, "i=2147483647", "{\"i\":2147483647}");
	gives(&b, "i=-2147483648", "{\"i\":-2147483648}");
	refuses(&b, "i=2147483648",
		"argument 'i': 2147483648 does not fit into 32 bits");
	assert_non_null(strstr(b.err.hint, "2147483647"));
	refuses(&b, "i=-2147483649",
		"argument 'i': -2147483649 does not fit into 32 bits");
	assert_non_null(strstr(b.err.hint, "-2147483648"));
	refuses(&b, "'o={\"a\":[3e9]}'",
		"argument 'o': 3000000000 does not fit into 32 bits");
	b.options.no_validate = true;
	gives(&b, "i=2147483648", "{\"i\":2147483648}");
	bench_done(&b);
}

static void no_validate(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, volume);
	b.options.no_validate = true;
	b.options.device = true;
	gives(&b, "volume=150 x=y", "{\"volume\":150,\"x\":\"y\"}");
	gives(&b, "", "{}");
	b.options.tool = NULL;
	gives(&b, "a=1 b=[1] 'c=\"1\"'", "{\"a\":1,\"b\":\"[1]\",\"c\":\"1\"}");
	refuses(&b, "a=1 a=2", "argument 'a' is given more than once");
	assert_null(b.err.detail);
	bench_done(&b);
}

static void ignored_keywords_are_told(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "{\"properties\":{\"u\":{\"type\":\"string\",\"format\":"
		       "\"uri\"}},\"minProperties\":1}");
	gives(&b, "u=x:y", "{\"u\":\"x:y\"}");
	assert_string_equal(
		buf_string(&b.warnings),
		"not checked of the tool's schema: minProperties\n");
	bench_done(&b);
	bench_init(&b, NULL);
	gives(&b, "u=5", "{\"u\":5}");
	bench_done(&b);
}

/* A temporary file with these bytes; its name into path. */
static void write_file(char *path, const char *bytes, size_t len)
{
	int fd;

	snprintf(path, 64, "/tmp/mcpctl-test-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), (ssize_t)len);
	close(fd);
}

static int build_with(struct bench *b, const char *before, const char *path)
{
	char *line = mem_printf("%s%s", before, path);
	int status = build(b, line);

	mem_free(line);
	return status;
}

static void files(void **state)
{
	char path[64];
	struct bench b;

	(void)state;
	bench_init(&b, types);
	write_file(path, " 5\n", 3);
	assert_int_equal(build_with(&b, "i=@", path), 0);
	assert_string_equal(buf_string(&b.out), "{\"i\":5}");
	/* Text without change, its last newline too. */
	assert_int_equal(build_with(&b, "s=@", path), 0);
	assert_string_equal(buf_string(&b.out), "{\"s\":\" 5\\n\"}");
	assert_int_equal(build_with(&b, "@", path), -1);
	assert_non_null(strstr(b.err.text, "must hold one JSON object, not "
					   "integer"));
	unlink(path);
	write_file(path, "", 0);
	assert_int_equal(build_with(&b, "s=@", path), 0);
	assert_string_equal(buf_string(&b.out), "{\"s\":\"\"}");
	unlink(path);
	write_file(path, "{\"i\" : 7}\n", 10);
	assert_int_equal(build_with(&b, "@", path), 0);
	assert_string_equal(buf_string(&b.out), "{\"i\":7}");
	assert_int_equal(build_with(&b, "o=@", path), 0);
	assert_string_equal(buf_string(&b.out), "{\"o\":{\"i\":7}}");
	unlink(path);
	write_file(path, "[1, 2]", 6);
	assert_int_equal(build_with(&b, "ai=@", path), 0);
	assert_string_equal(buf_string(&b.out), "{\"ai\":[1,2]}");
	unlink(path);
	bench_done(&b);
}

/* As a shell's @<(…) has it. */
static void what_can_be_read_once(void **state)
{
	struct bench b;
	CLEANUP(mem_free_ptr) char *line = NULL;
	int end[2];

	(void)state;
	bench_init(&b, types);
	assert_int_equal(pipe(end), 0);
	assert_int_equal(write(end[1], "7", 1), 1);
	close(end[1]);
	line = mem_printf("a=@/dev/fd/%d", end[0]);
	gives(&b, line, "{\"a\":[\"7\"]}");
	close(end[0]);
	bench_done(&b);
}

static void bad_files(void **state)
{
	char path[64];
	struct bench b;
	char *large;

	(void)state;
	bench_init(&b, types);
	refuses(&b, "s=@/no/such/file",
		"argument 's': cannot read '/no/such/file': No such file or "
		"directory");
	refuses(&b, "@/", "cannot read '/': Is a directory");
	refuses(&b, "@", "'@' wants the name of a file behind it");
	assert_int_equal(build(&b, "@-"), -1);
	assert_non_null(strstr(b.err.hint, "single -"));
	write_file(path, "a\0b", 3);
	assert_int_equal(build_with(&b, "s=@", path), -1);
	assert_string_equal(b.err.text,
			    "argument 's' holds a NUL byte, which no text may");
	unlink(path);
	write_file(path, "\xff", 1);
	assert_int_equal(build_with(&b, "s=@", path), -1);
	assert_string_equal(b.err.text, "argument 's' is not valid UTF-8");
	unlink(path);
	large = mem_zalloc(ARGUMENTS_FILE_MAX + 1);
	memset(large, 'x', ARGUMENTS_FILE_MAX + 1);
	write_file(path, large, ARGUMENTS_FILE_MAX + 1);
	assert_int_equal(build_with(&b, "s=@", path), -1);
	assert_non_null(strstr(b.err.text, "is larger than 16 MB"));
	unlink(path);
	write_file(path, large, ARGUMENTS_FILE_MAX);
	assert_int_equal(build_with(&b, "s=@", path), 0);
	assert_int_equal(b.out.len, ARGUMENTS_FILE_MAX + strlen("{'s':''}"));
	unlink(path);
	mem_free(large);
	bench_done(&b);
}

static void standard_input(void **state)
{
	int keep = dup(STDIN_FILENO);
	char path[64];
	struct bench b;
	int fd;

	(void)state;
	bench_init(&b, volume);
	write_file(path, "{\"volume\":33}", 13);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	dup2(fd, STDIN_FILENO);
	close(fd);
	gives(&b, "-", "{\"volume\":33}");
	/* Read to its end: nothing is left. */
	assert_int_equal(build(&b, "-"), -1);
	assert_int_equal(strncmp(b.err.text, "standard input is not JSON", 26),
			 0);
	dup2(keep, STDIN_FILENO);
	close(keep);
	unlink(path);
	bench_done(&b);
}

static void usage_is(const char *schema, const char *wanted)
{
	struct bench b;

	bench_init(&b, schema);
	arguments_usage(&b.tool, &b.out);
	assert_string_equal(buf_string(&b.out), wanted);
	bench_done(&b);
}

static void usages(void **state)
{
	(void)state;
	usage_is(volume, "call self.x volume=<0..100>");
	usage_is(NULL, "call self.x");
	usage_is("{}", "call self.x");
	/* What is required is an argument, though nothing more is said of it. */
	usage_is("{\"properties\":{\"a\":{\"type\":\"string\"}},\"required\":"
		 "[\"a\",\"b\"]}",
		 "call self.x a=<string> b=<any>");
	usage_is("{\"properties\":{\"theme\":{\"enum\":[\"light\",\"dark\"]},"
		 "\"on\":{\"type\":\"boolean\"},\"tag\":{\"type\":\"array\","
		 "\"items\":{\"type\":\"string\"}},\"o\":{\"type\":\"object\"},"
		 "\"n\":{\"type\":[\"integer\",\"null\"]},\"x\":{}},"
		 "\"required\":[\"theme\",\"o\"]}",
		 "call self.x theme=light|dark [on=true|false] "
		 "[tag=<string>...] o:=<object> [n=<integer or null>] "
		 "[x=<any>]");
	usage_is("{\"properties\":{\"n\":{\"enum\":[1,2.5]},"
		 "\"m\":{\"enum\":[\"a\",7]},\"z\":{\"enum\":[1,null]}}}",
		 "call self.x [n=1|2.5] [m=a|7] [z=<integer or null>]");
	usage_is("{\"properties\":{\"odd name\":{\"enum\":[\"a b\"]}}}",
		 "call self.x ['odd name'=<string>]");
}

static void example_is(const char *schema, const char *wanted)
{
	struct bench b;

	bench_init(&b, schema);
	assert_int_equal(arguments_example(&b.tool, &b.out), wanted ? 0 : -1);
	assert_string_equal(buf_string(&b.out), wanted ? wanted : "");
	bench_done(&b);
}

static void examples(void **state)
{
	(void)state;
	example_is(volume, "call self.x volume=50");
	example_is(NULL, "call self.x");
	example_is("{\"type\":\"object\",\"properties\":{}}", "call self.x");
	example_is("{\"properties\":{\"url\":{\"type\":\"string\"},\"q\":"
		   "{\"type\":\"integer\"}},\"required\":[\"url\"]}",
		   "call self.x url=http://example.com/");
	example_is(
		"{\"properties\":{\"s\":{\"const\":\"a b\"},\"f\":"
		"{\"const\":\"@x\"},\"t\":{\"const\":\"5\"},\"o\":{\"const\":"
		"{\"a\":1}}},\"required\":[\"s\",\"f\",\"t\",\"o\"]}",
		"call self.x 's=a b' 'f:=\"@x\"' t=5 'o:={\"a\":1}'");
	/* Without a type 5 would be a number. */
	example_is("{\"properties\":{\"t\":{\"enum\":[\"5\",5]}},\"required\":"
		   "[\"t\"]}",
		   "call self.x 't:=\"5\"'");
	example_is("{\"properties\":{\"a=b\":{\"const\":1}},\"required\":"
		   "[\"a=b\"]}",
		   "call self.x '{\"a=b\":1}'");
	example_is("{\"properties\":{\"tag\":{\"type\":\"array\",\"items\":"
		   "{\"type\":\"string\"}}},\"required\":[\"tag\"]}",
		   "call self.x 'tag:=[\"text\"]'");
	example_is("{\"required\":[\"a\"],\"properties\":{\"a\":false}}", NULL);
	example_is("{\"type\":\"string\"}", NULL);
}

static const char defaults[] =
	"{\"type\":\"object\",\"properties\":{\"h\":{\"type\":\"integer\","
	"\"default\":0},\"on\":{\"type\":\"boolean\"},\"rgb\":{\"type\":"
	"\"array\",\"default\":[1,2]},\"t\":{\"type\":\"string\","
	"\"default\":\"a b\"},\"n\":{\"type\":\"integer\"}},"
	"\"required\":[\"on\"]}";

/* What has none stays out; what was given stays as it was. */
static void fills_defaults(void **state)
{
	CLEANUP(buf_done) struct buf names = { 0 };
	struct bench b;

	(void)state;
	bench_init(&b, defaults);
	gives(&b, "on=true", "{\"on\":true}");
	assert_true(arguments_left_out(&b.tool, buf_string(&b.out), &names));
	assert_string_equal(buf_string(&names), "h, rgb, t");
	b.options.fill_defaults = true;
	gives(&b, "on=true h:=1.0",
	      "{\"on\":true,\"h\":1.0,\"rgb\":[1,2],\"t\":\"a b\"}");
	gives(&b, "'{ \"on\": false }'",
	      "{\"on\":false,\"h\":0,\"rgb\":[1,2],\"t\":\"a b\"}");
	assert_false(arguments_left_out(&b.tool, buf_string(&b.out), &names));
	refuses(&b, "h=1", "argument 'on' is required (boolean)");
	buf_reset(&b.out);
	assert_int_equal(arguments_example_filled(&b.tool, &b.out), 0);
	assert_string_equal(buf_string(&b.out),
			    "call self.x on=true h=0 'rgb:=[1,2]' 't=a b'");
	bench_done(&b);
	bench_init(&b, NULL);
	b.options.fill_defaults = true;
	gives(&b, "", "{}");
	assert_int_equal(arguments_example_filled(&b.tool, &b.out), -1);
	bench_done(&b);
}

static const cJSON *property(const struct bench *b, const char *name)
{
	return json_member(json_object(b->schema, "properties"), name);
}

/* What completion and lists ask of a single argument. */
static void single_arguments(void **state)
{
	static const struct {
		const char *name, *text, *json;
	} rows[] = {
		{ "i", "5", "5" },     { "i", "x", "\"x\"" },
		{ "s", "5", "\"5\"" }, { "ai", "[1, 2]", "[1,2]" },
		{ "ai", "[1", NULL },  { "o", "x", NULL },
		{ "s", "\xff", NULL },
	};
	struct bench b;

	(void)state;
	bench_init(&b, types);
	for (size_t i = 0; i < COUNT(rows); i++) {
		int status;

		buf_reset(&b.out);
		status = argument_read(&b.out, b.schema,
				       property(&b, rows[i].name), "n",
				       rows[i].text, &b.err);
		assert_int_equal(status, rows[i].json ? 0 : -1);
		assert_string_equal(buf_string(&b.out),
				    rows[i].json ? rows[i].json : "");
		if (!rows[i].json)
			assert_true(text_starts(b.err.text, "argument 'n' "));
	}
	assert_true(argument_needs_json(b.schema, property(&b, "o")));
	assert_false(argument_needs_json(b.schema, property(&b, "a")));
	assert_false(argument_needs_json(b.schema, property(&b, "as")));
	assert_false(argument_needs_json(b.schema, property(&b, "any")));
	assert_false(argument_needs_json(b.schema, property(&b, "i")));
	bench_done(&b);
	bench_init(&b, "{\"properties\":{\"aa\":{\"type\":\"array\",\"items\":"
		       "{\"type\":\"object\"}},\"an\":{\"type\":\"array\"},"
		       "\"ao\":{\"type\":[\"array\",\"object\"],\"items\":"
		       "{\"type\":\"string\"}}}}");
	assert_true(argument_needs_json(b.schema, property(&b, "aa")));
	assert_true(argument_needs_json(b.schema, property(&b, "an")));
	assert_true(argument_needs_json(b.schema, property(&b, "ao")));
	bench_done(&b);
}

static void ranges(void **state)
{
	static const struct {
		const char *schema;
		bool range;
	} rows[] = {
		{ "{\"type\":\"integer\",\"minimum\":1,\"maximum\":2}", true },
		{ "{\"type\":\"number\",\"minimum\":1,\"maximum\":2}", true },
		{ "{\"$ref\":\"#/$defs/r\"}", true },
		{ "{\"type\":\"string\",\"minimum\":1,\"maximum\":2}", false },
		{ "{\"type\":\"integer\",\"minimum\":1}", false },
		{ "{\"type\":\"integer\",\"maximum\":1}", false },
		{ "{\"type\":\"integer\",\"minimum\":\"1\",\"maximum\":2}",
		  false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *schema = mem_printf(
			"{\"properties\":{\"x\":%s},\"$defs\":{\"r\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":2}}}",
			rows[i].schema);
		const cJSON *end[2];
		struct bench b;

		bench_init(&b, schema);
		if (argument_range(b.schema, property(&b, "x"), end) !=
		    rows[i].range)
			fail_msg("%s", rows[i].schema);
		if (rows[i].range) {
			assert_int_equal(end[0]->valueint, 1);
			assert_int_equal(end[1]->valueint, 2);
		}
		bench_done(&b);
	}
}

/* What stands in front of = as it is. */
static void plain_names(void **state)
{
	static const char *const plain[] = { "a",   "a.b", "a-b", "a{",
					     "a b", "音",  "a:b" };
	static const char *const odd[] = {
		"", "@a", "-a", "{a", " a", "\ta", "a=b", "a:", "a\nb", "a\x1b"
	};

	(void)state;
	for (size_t i = 0; i < COUNT(plain); i++) {
		if (!argument_name_is_plain(plain[i]))
			fail_msg("%s", plain[i]);
	}
	for (size_t i = 0; i < COUNT(odd); i++) {
		if (argument_name_is_plain(odd[i]))
			fail_msg("%s", odd[i]);
	}
	assert_true(arguments_are_whole("@a"));
	assert_true(arguments_are_whole("-"));
	assert_true(arguments_are_whole(" \t\r\n{"));
	assert_false(arguments_are_whole("-a"));
	assert_false(arguments_are_whole("a={"));
	assert_false(arguments_are_whole(""));
}

/* A value as a word that means it again. */
static void words_of_values(void **state)
{
	static const struct {
		const char *type, *value, *word;
	} rows[] = {
		{ "integer", "5", "n=5" },
		{ "string", "\"5\"", "n=5" },
		{ "integer", "\"5\"", "n:=\"5\"" },
		{ "string", "\"a b\"", "n=a b" },
		{ "string", "\"@a\"", "n:=\"@a\"" },
		{ "string", "\"\"", "n=" },
		{ "boolean", "true", "n=true" },
		{ "string", "true", "n:=true" },
		{ "array", "[1]", "n:=[1]" },
		{ "object", "{\"a\":1}", "n:={\"a\":1}" },
		{ "string", "\"\\u001b[1m\"", "n:=\"\\u001b[1m\"" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *schema =
			mem_printf("{\"properties\":{\"n\":{\"type\":\"%s\"}}}",
				   rows[i].type);
		CLEANUP(json_free_ptr)
		cJSON *value =
			json_parse(rows[i].value, strlen(rows[i].value), NULL);
		CLEANUP(mem_free_ptr) char *word = NULL;
		struct bench b;

		bench_init(&b, schema);
		word = argument_word(b.schema, property(&b, "n"), "n", value);
		assert_string_equal(word, rows[i].word);
		bench_done(&b);
	}
}

static void words_that_are_none(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, volume);
	assert_int_equal(build(&b, "'volume: 5'"), -1);
	assert_string_equal(
		b.err.text,
		"'volume: 5' is no argument: neither NAME=VALUE nor NAME:=JSON, a JSON object, @FILE or -");
	assert_string_equal(b.err.hint, "write volume=5");
	assert_int_equal(build(&b, "volume:5"), -1);
	assert_string_equal(b.err.hint, "write volume=volume:5");
	assert_int_equal(build(&b, "': 5'"), -1);
	assert_string_equal(b.err.hint, "write volume=: 5");
	assert_int_equal(build(&b, "'volume: '"), -1);
	assert_string_equal(b.err.hint, "write volume=volume: ");
	/* :=5 has no name but the colon. */
	gives(&b, "volume=1 :=5", "{\"volume\":1,\":\":5}");
	refuses(&b, "volume=1 volume=2",
		"argument 'volume' is given more than once");
	assert_string_equal(b.err.hint,
			    "the tool's schema does not make it an array");
	bench_done(&b);
	bench_init(&b, types);
	assert_int_equal(build(&b, "any=1 any=2"), -1);
	assert_string_equal(b.err.hint, "for an array write NAME:=[…]");
	assert_int_equal(build(&b, "s=a zzzzzzzzz 50"), -1);
	assert_string_equal(b.err.hint, "");
	assert_int_equal(build(&b, "b=maybe"), -1);
	assert_string_equal(b.err.hint, "write b=true or b=false");
	assert_int_equal(build(&b, "e=zzzzzzzzzzz"), -1);
	assert_string_equal(b.err.hint, "");
	bench_done(&b);
	bench_init(&b, "{\"type\":\"array\"}");
	refuses(&b, "", "arguments: {} is not of type array");
	bench_done(&b);
	bench_init(&b, "{\"minProperties\":1,\"maxProperties\":1}");
	gives(&b, "'{}'", "{}");
	assert_string_equal(
		buf_string(&b.warnings),
		"not checked of the tool's schema: minProperties, maxProperties\n");
	bench_done(&b);
	bench_init(&b, "{\"properties\":{\"a\":{},\"b\":{}}}");
	b.options.device = true;
	refuses(&b, "zzzz=1", "unknown argument 'zzzz'");
	assert_string_equal(b.err.hint, "it takes: a, b");
	bench_done(&b);
}

/* As many as fit into a line, and that there are more. */
static void usage_of_many(void **state)
{
	CLEANUP(buf_done) struct buf schema = { 0 };
	struct bench b;

	(void)state;
	for (int i = 0; i < 70; i++)
		buf_printf(&schema, "%s\"a%02d\":{}",
			   i ? "," : "{\"properties\":{", i);
	buf_text(&schema, "}}");
	bench_init(&b, buf_string(&schema));
	arguments_usage(&b.tool, &b.out);
	assert_true(text_starts(buf_string(&b.out),
				"call self.x [a00=<any>] [a01=<any>] "));
	assert_non_null(strstr(buf_string(&b.out), " [a63=<any>] …"));
	assert_null(strstr(buf_string(&b.out), "a64"));
	bench_done(&b);
}

/* Each is looked for among all: a hostile list of them would take for ever. */
static void usage_of_many_required(void **state)
{
	CLEANUP(buf_done) struct buf schema = { 0 };
	struct bench b;

	(void)state;
	buf_text(&schema, "{\"properties\":{\"a\":{}},\"required\":[\"b\"");
	for (int i = 0; i < 1023; i++)
		buf_text(&schema, ",\"a\"");
	buf_text(&schema, ",\"c\"]}");
	bench_init(&b, buf_string(&schema));
	arguments_usage(&b.tool, &b.out);
	assert_string_equal(buf_string(&b.out),
			    "call self.x a=<any> b=<any> …");
	bench_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scalars_by_type),
		cmocka_unit_test(fills_defaults),
		cmocka_unit_test(several_types_or_none),
		cmocka_unit_test(arrays_and_objects),
		cmocka_unit_test(json_values),
		cmocka_unit_test(whole_objects),
		cmocka_unit_test(refusals),
		cmocka_unit_test(proposals),
		cmocka_unit_test(unknown_names),
		cmocka_unit_test(additional_properties),
		cmocka_unit_test(numbers_that_firmware_changes),
		cmocka_unit_test(no_validate),
		cmocka_unit_test(ignored_keywords_are_told),
		cmocka_unit_test(files),
		cmocka_unit_test(what_can_be_read_once),
		cmocka_unit_test(bad_files),
		cmocka_unit_test(standard_input),
		cmocka_unit_test(usages),
		cmocka_unit_test(usage_of_many),
		cmocka_unit_test(usage_of_many_required),
		cmocka_unit_test(examples),
		cmocka_unit_test(single_arguments),
		cmocka_unit_test(ranges),
		cmocka_unit_test(plain_names),
		cmocka_unit_test(words_of_values),
		cmocka_unit_test(words_that_are_none),
	};

	mem_init();
	return cmocka_run_group_tests_name("arguments", tests, NULL, NULL);
}
