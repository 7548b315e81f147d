/* SPDX-License-Identifier: MIT */
#include "net/addr2line.h"

#include <elf.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/spawner.h"
#include "base/split.h"

#define TIME_MS 10000
#define GRACE_MS 500
#define RUNS_MAX 4

struct addr2line_run {
	struct addr2line *of;
	struct child *child;
	struct timer timer;
	addr2line_told *told;
	void *owner;
	unsigned lines;
	bool ended;
	struct addr2line_run *next;
};

#ifndef EM_XTENSA
#	define EM_XTENSA 94
#endif

/* Which tools read which machine; the first is the one that is told of. */
static const struct machine {
	uint16_t number; /* e_machine; 0: any other */
	const char *tools[5];
} machines[] = {
	{ EM_XTENSA,
	  { "xtensa-esp32s3-elf-addr2line", "xtensa-esp32-elf-addr2line",
	    "xtensa-esp-elf-addr2line", "xtensa-esp32s2-elf-addr2line" } },
	{ EM_RISCV,
	  { "riscv32-esp-elf-addr2line", "riscv64-unknown-elf-addr2line",
	    "riscv64-linux-gnu-addr2line" } },
	{ 0, { "addr2line" } },
};

/* ---- found ---- */

/* tools/NAME/VERSION/NAME/bin: the last in order, which is the newest mostly. */
static char *in_idf(const char *name)
{
	const char *tools = getenv("IDF_TOOLS_PATH"), *home = getenv("HOME");
	CLEANUP(mem_free_ptr) char *pattern = NULL;
	char *file = NULL;
	glob_t found;

	if (tools && *tools)
		pattern = mem_printf("%s/tools/*/*/*/bin/%s", tools, name);
	else if (home && *home)
		pattern = mem_printf("%s/.espressif/tools/*/*/*/bin/%s", home,
				     name);
	if (!pattern || glob(pattern, 0, NULL, &found) != 0)
		return NULL;
	if (file_is_regular(found.gl_pathv[found.gl_pathc - 1], X_OK))
		file = mem_strdup(found.gl_pathv[found.gl_pathc - 1]);
	globfree(&found);
	return file;
}

static void find_tool(struct addr2line *out, uint16_t number)
{
	const struct machine *m = machines;
	const char *path = getenv("PATH");

	while (m->number && m->number != number)
		m++;
	out->wanted = m->tools[0];
	for (size_t i = 0; !out->tool && m->tools[i]; i++)
		out->tool = file_find(path ? path : "", m->tools[i], X_OK);
	for (size_t i = 0; !out->tool && m->tools[i]; i++)
		out->tool = in_idf(m->tools[i]);
}

/* e_machine stands at the same place for 32 and 64 bits. */
static int read_machine(const char *elf, uint16_t *number, struct error *err)
{
	struct stat st;
	int fd = file_open_regular(elf, 0, &st), error = errno;
	unsigned char head[20];
	int machine;
	ssize_t n;

	if (fd < 0)
		return error_set(
			err, ERR_USAGE, "option '--elf': '%s': %s", elf,
			error == EINVAL ? "no regular file" : strerror(error));
	n = read(fd, head, sizeof(head));
	close(fd);
	if (n != sizeof(head) || memcmp(head, ELFMAG, SELFMAG) != 0) {
		error_set(err, ERR_USAGE, "option '--elf': '%s' is no ELF file",
			  elf);
		return error_hint(
			err,
			"it is the .elf in the build folder of the firmware (build/xiaozhi.elf), not the .bin");
	}
	machine = head[EI_DATA] == ELFDATA2MSB ? head[18] << 8 | head[19] :
						 head[19] << 8 | head[18];
	*number = (uint16_t)machine;
	return 0;
}

int addr2line_find(struct addr2line *out, const char *elf, struct error *err)
{
	uint16_t number = 0;

	*out = (struct addr2line){ 0 };
	if (read_machine(elf, &number, err))
		return -1;
	/* The folder may change meanwhile (--daemon). */
	CLEANUP(mem_free_ptr) char *here = *elf == '/' ? NULL : getcwd(NULL, 0);

	out->elf = here ? mem_printf("%s/%s", here, elf) : mem_strdup(elf);
	find_tool(out, number);
	return 0;
}

/* ---- asked ---- */

static const char options[] = "-apfiC";

void addr2line_allow(const struct addr2line *a)
{
	const char *const argv[] = { a->tool, options, "-e", a->elf, NULL };

	if (a->tool)
		spawner_allow(argv, PANIC_ADDRESSES, NULL);
}

static void on_line(void *owner, bool is_err, const char *line)
{
	struct addr2line_run *r = owner;

	if (is_err || !r->told || strstr(line, "??:"))
		return;
	r->lines++;
	r->told(r->owner, line + strspn(line, " "));
}

static void on_closed(void *owner)
{
	mem_free(owner);
}

static void leave(struct addr2line_run *r)
{
	struct addr2line_run **at = &r->of->first;

	while (*at != r)
		at = &(*at)->next;
	*at = r->next;
	r->of->running--;
}

static void on_ended(void *owner, int status)
{
	struct addr2line_run *r = owner;
	CLEANUP(mem_free_ptr) char *text = NULL;

	r->ended = true;
	if (r->told && status != 0)
		text = mem_printf("%s ended with status %d", r->of->wanted,
				  status);
	else if (r->told && r->lines == 0)
		text = mem_printf(
			"none of the addresses is in '%s': is it of this firmware?",
			r->of->elf);
	if (text)
		r->told(r->owner, text);
	if (r->told)
		r->told(r->owner, NULL);
	leave(r);
	timer_close(&r->timer, on_closed);
}

static void on_late(void *owner)
{
	struct addr2line_run *r = owner;

	if (!r->ended)
		child_stop(r->child, GRACE_MS);
}

static int start(struct addr2line_run *r, struct loop *l,
		 const struct panic_text *of, struct error *err)
{
	static const struct child_events events = { .line = on_line,
						    .ended = on_ended };
	CLEANUP(words_done) struct words words = { 0 };
	struct child_options o = { .out = CHILD_PIPE, .err = CHILD_NULL };

	words_add(&words, r->of->tool);
	words_add(&words, options);
	words_add(&words, "-e");
	words_add(&words, r->of->elf);
	for (size_t i = 0; i < of->count; i++) {
		char address[16];

		snprintf(address, sizeof(address), "0x%08x", of->address[i]);
		words_add(&words, address);
	}
	o.argv = words.word;
	return child_start(&r->child, l, &o, &events, r, err);
}

int addr2line_ask(struct addr2line *a, struct loop *l,
		  const struct panic_text *of, addr2line_told *told,
		  void *owner, struct error *err)
{
	struct addr2line_run *r;

	if (!a->tool) {
		error_set(err, ERR_CONNECT,
			  "'%s', which decodes backtraces, is not there",
			  a->wanted);
		return error_hint(
			err,
			"it comes with ESP-IDF: its install.sh, then '. export.sh' in this shell, or IDF_TOOLS_PATH");
	}
	if (a->running >= RUNS_MAX)
		return error_set(err, ERR_CONNECT,
				 "%u backtraces are being decoded already",
				 a->running);
	r = mem_zalloc(sizeof(*r));
	*r = (struct addr2line_run){ .of = a, .told = told, .owner = owner };
	if (start(r, l, of, err)) {
		mem_free(r);
		return -1;
	}
	timer_open(&r->timer, l, on_late, r);
	timer_start(&r->timer, TIME_MS);
	r->next = a->first;
	a->first = r;
	a->running++;
	return 0;
}

void addr2line_done(struct addr2line *a)
{
	while (a->first) {
		struct addr2line_run *r = a->first;

		child_abandon(r->child);
		leave(r);
		timer_close(&r->timer, on_closed);
	}
	mem_free(a->elf);
	mem_free(a->tool);
	*a = (struct addr2line){ 0 };
}
