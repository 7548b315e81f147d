/* SPDX-License-Identifier: MIT */
/*
 * read: what is behind a URI.
 */
#include <string.h>

#include "cli/cmd_items.h"
#include "cli/commands.h"
#include "cli/connection.h"
#include "cli/expect.h"
#include "cli/show.h"

struct read_options {
	const char *save, *expect_jq;
};

static const struct option_row read_options[] = {
	{ .name = "save",
	  .word = "FILE",
	  .type = OPTION_FILE,
	  .offset = offsetof(struct read_options, save),
	  .brief =
		  "write it to FILE, FILE-2, …, exactly as it came; - is stdout" },
	EXPECT_JQ_ROW(struct read_options, expect_jq),
	{ .name = NULL }
};

static int read_run(const struct invocation *in, struct error *err)
{
	const struct read_options *o = in->options;
	struct connection *c = in->connection;
	const char *uri = in->argv[0];
	const struct list_item *item;
	CLEANUP(expectation_done) struct expectation expected = { 0 };

	if (expectation_open(&expected, in->app, NULL, o->expect_jq, err))
		return -1;
	if (client_require(&c->client, "resources", err))
		return -1;
	/* A word without a scheme is a name of the list. */
	if (!strchr(uri, ':')) {
		if (items_cache_find(c, LIST_RESOURCES, uri, &item, err))
			return -1;
		uri = item->key;
	}
	return answer_read(c, uri, o->save, &expected, err);
}

static const struct example read_examples[] = {
	{ "sim:llm read prompt://entity_extraction_prompt", NULL, 0 },
	{ "sim:llm read prompt://entity_extraction_prompt --expect-jq '.contents[0].text | length > 10'",
	  NULL, 0 },
	{ "sim:llm read no-such-resource", NULL, 2 },
	{ NULL, NULL, 0 }
};

const struct command cmd_read = {
	.name = "read",
	.args = "URI",
	.brief = "read a resource and print it",
	.text = "A word without ':' is looked up by its name in the list of resources; a URI is sent as it is, listed or not. "
		"The text goes to stdout; in a pipe a single text is exactly that text, so that '| jq' works. Bytes are described, and on a terminal a JPEG or PNG is drawn as 'call' does it (--image); --save keeps them. "
		"One read may give several resources; then each has its URI above it, and --save writes one file for each. "
		"--expect-jq asks a jq expression of the whole result, as --jq does.",
	.group = GROUP_USE,
	.flags = CMD_SESSION | CMD_SHELL | CMD_MINOR | CMD_PAGED,
	.min = 1,
	.max = 1,
	.operand = OPERAND_RESOURCE,
	.options = read_options,
	.options_size = sizeof(struct read_options),
	.examples = read_examples,
	.run = read_run
};
