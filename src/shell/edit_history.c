/* SPDX-License-Identifier: MIT */
/*
 * The history's file: an entry a line, newlines in it as \n, backslashes
 * doubled. A line is appended when it is remembered, so that a closed window
 * loses none and several shells keep all; the oldest go when one ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "shell/edit_private.h"

#define ENTRIES_MAX 2000
#define ENTRY_MAX ((size_t)64 << 10) /* bytes in the file */
#define FILE_MAX ((off_t)8 << 20) /* what is before is not read */

static void encode(struct buf *out, const char *line)
{
	for (; *line; line++) {
		if (*line == '\n')
			buf_text(out, "\\n");
		else if (*line == '\\')
			buf_text(out, "\\\\");
		else
			buf_char(out, *line);
	}
	buf_char(out, '\n');
}

static void decode(char *line)
{
	char *to = line;

	for (; *line; line++) {
		bool escaped = *line == '\\' && line[1];

		line += escaped;
		*to = *line;
		if (escaped && *line == 'n')
			*to = '\n';
		to++;
	}
	*to = '\0';
}

/* The end of the file, whole lines of it, into out. -1: nothing to read. */
static int load(const char *path, struct buf *out)
{
	struct stat st;
	int fd = file_open_regular(path, 0, &st), result;

	if (fd < 0)
		return -1;
	if (st.st_mode & 077)
		fchmod(fd, 0600);
	if (st.st_size > FILE_MAX)
		lseek(fd, -FILE_MAX, SEEK_END);
	/* It may grow meanwhile. */
	buf_init(out, 2 * (size_t)FILE_MAX);
	result = file_read_fd(out, fd);
	close(fd);
	if (!result && st.st_size > FILE_MAX) {
		const char *end = memchr(out->data, '\n', out->len);

		buf_consume(out, end ? (size_t)(end + 1 - out->data) : 0);
	}
	return result;
}

static void add_entries(struct buf *text)
{
	char *line = text->data, *end;

	for (; line && *line; line = end + 1) {
		end = strchr(line, '\n');
		if (end)
			*end = '\0';
		decode(line);
		if (*line)
			add_history(line);
		if (!end)
			break;
	}
}

void edit_history_open(struct editor *e, const char *path)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	stifle_history(ENTRIES_MAX);
	if (!path)
		return;
	e->history = mem_strdup(path);
	if (load(path, &text) == 0)
		add_entries(&text);
}

static void append(const char *path, const char *line)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	int fd;

	encode(&text, line);
	if (text.len > ENTRY_MAX)
		return;
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK,
		  0600);
	if (fd < 0 || file_write(fd, text.data, text.len))
		log_debug("cannot add to '%s': %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
}

void edit_history_add(struct editor *e, const char *line)
{
	const HIST_ENTRY *last;

	if (!*line || *line == ' ')
		return;
	using_history();
	last = history_get(history_base + history_length - 1);
	if (last && strcmp(last->line, line) == 0)
		return;
	add_history(line);
	if (e->history)
		append(e->history, line);
}

/* The last ENTRIES_MAX lines of text; NULL if there are no more. */
static const char *newest(const struct buf *text)
{
	const char *at = text->data + text->len;
	size_t lines = 0;

	while (at > text->data) {
		if (at[-1] == '\n' && lines++ == ENTRIES_MAX)
			return at;
		at--;
	}
	return NULL;
}

static void trim(const char *path)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	char *file = realpath(path, NULL); /* a link stays one */

	if (file && load(file, &text) == 0 && text.len) {
		const char *from = newest(&text);

		if (from && file_replace(file, 0600, from,
					 text.len - (size_t)(from - text.data)))
			log_debug("cannot replace '%s': %s", file,
				  strerror(errno));
	}
	free(file);
}

void edit_history_close(struct editor *e)
{
	if (e->history)
		trim(e->history);
	mem_free(TAKE(e->history));
	clear_history();
	unstifle_history();
}
