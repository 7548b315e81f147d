/* SPDX-License-Identifier: MIT */
/*
 * What `tools` costs the client: canned tools/list pages, as a device sends
 * them, go through link, listing and the text renderer; the floor is cJSON
 * parsing the same bytes. CPU time of this process. listing TOOLS…
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "mcp/listing.h"
#include "mcp/tools.h"
#include "out/forms.h"
#include "rpc/link.h"

struct pages {
	char **text;
	size_t *len, count, bytes;
};

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static size_t add_tool(struct buf *b, size_t n)
{
	size_t before = b->len;

	buf_printf(
		b,
		"{\"name\":\"self.fill.t%05zu\",\"description\":\"Sets one "
		"value of part %zu of the machine. Call it when somebody asks "
		"for that part; the answer is true.\",\"inputSchema\":{"
		"\"type\":\"object\",\"properties\":{\"value\":{\"type\":"
		"\"integer\",\"minimum\":0,\"maximum\":100}},\"required\":["
		"\"value\"]}}",
		n, n);
	return b->len - before;
}

/* Pages by the firmware's 8,000-byte rule. */
static void make_pages(struct pages *p, size_t tools)
{
	size_t at = 0;

	p->text = calloc(tools + 1, sizeof(*p->text));
	p->len = calloc(tools + 1, sizeof(*p->len));
	while (at < tools) {
		struct buf b;
		size_t start;

		buf_init(&b, 0);
		buf_printf(
			&b,
			"{\"session_id\":\"s\",\"type\":\"mcp\",\"payload\":{"
			"\"jsonrpc\":\"2.0\",\"id\":%zu,\"result\":{\"tools\":[",
			p->count + 1);
		for (start = b.len; at < tools && b.len - start < 7600; at++) {
			if (b.len > start)
				buf_char(&b, ',');
			add_tool(&b, at);
		}
		buf_char(&b, ']');
		if (at < tools)
			buf_printf(&b, ",\"nextCursor\":\"self.fill.t%05zu\"",
				   at);
		buf_text(&b, "}}}");
		p->len[p->count] = b.len;
		p->bytes += b.len;
		p->text[p->count++] = buf_take(&b);
	}
}

static double floor_run(const struct pages *p)
{
	double start = cpu_ms();
	cJSON **trees = calloc(p->count, sizeof(*trees));
	size_t i;

	for (i = 0; i < p->count; i++)
		trees[i] = cJSON_ParseWithLength(p->text[i], p->len[i]);
	for (i = 0; i < p->count; i++)
		cJSON_Delete(trees[i]);
	free(trees);
	return cpu_ms() - start;
}

static void on_reply(void *owner, struct message *m)
{
	struct error err = { 0 };

	if (message_keep(m, &err) || listing_feed_take(owner, m, &err)) {
		fprintf(stderr, "listing: page refused: %s\n", err.text);
		exit(1);
	}
}

static void feed(struct listing *l, struct link *link, const char *text,
		 size_t len)
{
	static const struct link_events events = { .reply = on_reply };
	struct span frame = { text, len };

	link_receive(link, FRAME_TEXT, frame, &events, l);
}

static double client_run(const struct pages *p, struct renderer *r)
{
	double start = cpu_ms();
	struct tool_list list = { 0 };
	struct tools_record record = { .list = &list };
	struct listing listing;
	struct link link;
	size_t i;

	link_init(&link, DIALECT_DEVICE, 1);
	listing_init(&listing, &list, true);
	for (i = 0; i < p->count; i++)
		feed(&listing, &link, p->text[i], p->len[i]);
	for (i = 0; i < list.count; i++)
		r->ops->tool(r, &list.tool[i], &record);
	fflush(r->out);
	listing_done(&listing);
	tool_list_done(&list);
	link_done(&link);
	return cpu_ms() - start;
}

/*
 * In a process of its own: what one run leaves in the allocator must not be
 * paid by the next, as `tools` runs once in its process.
 */
static double apart(const struct pages *p, struct renderer *r)
{
	double took = 0;
	int channel[2];
	pid_t child;

	if (pipe(channel) || (child = fork()) < 0)
		exit(1);
	if (child == 0) {
		/* The floor has the allocator as it comes. */
		if (r)
			mem_init();
		took = r ? client_run(p, r) : floor_run(p);
		_exit(write(channel[1], &took, sizeof(took)) < 0);
	}
	if (read(channel[0], &took, sizeof(took)) != (ssize_t)sizeof(took))
		exit(1);
	waitpid(child, NULL, 0);
	close(channel[0]);
	close(channel[1]);
	return took;
}

static double best(const double *value, size_t count)
{
	double least = value[0];

	while (count-- > 0)
		least = value[count] < least ? value[count] : least;
	return least;
}

int main(int argc, char **argv)
{
	struct renderer r;
	int a;

	renderer_init(&r, OUTPUT_TEXT, COLOR_NEVER);
	r.out = fopen("/dev/null", "w");
	for (a = 1; a < argc; a++) {
		struct pages p = { 0 };
		double floor_ms[9], client_ms[9];
		size_t i;

		make_pages(&p, strtoul(argv[a], NULL, 10));
		for (i = 0; i < COUNT(floor_ms); i++) {
			floor_ms[i] = apart(&p, NULL);
			client_ms[i] = apart(&p, &r);
		}
		printf("%s tools, %zu pages, %zu kB: client %.1f ms, cJSON alone "
		       "%.1f ms: ratio %.2f\n",
		       argv[a], p.count, p.bytes / 1000, best(client_ms, 9),
		       best(floor_ms, 9),
		       best(client_ms, 9) / best(floor_ms, 9));
		while (p.count-- > 0)
			mem_free(p.text[p.count]);
		free(p.text);
		free(p.len);
	}
	fclose(r.out);
	return 0;
}
