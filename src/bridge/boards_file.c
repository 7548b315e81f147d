/* SPDX-License-Identifier: MIT */
/*
 * {"boards":[{"id","prefix","about","way","seen","list"},…],"lists":{"ID":[TOOL,…]}}:
 * a list of tools stands there once, however many boards have it.
 */
#include "bridge/boards_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/config.h"

#define FILE_MAX ((size_t)32 << 20)
#define ROOM (FILE_MAX - 64) /* for boards and lists */

/* From here a path is that of one serve, and elsewhere that of another. */
static char *whole_path(const char *socket)
{
	CLEANUP(mem_free_ptr) char *folder = file_folder(socket);
	char *real = realpath(folder, NULL);
	char *whole = real ? mem_printf("%s/%s", real, file_name(socket)) :
			     mem_strdup(socket);

	free(real);
	return whole;
}

char *boards_file_path(const char *socket)
{
	CLEANUP(error_reset) struct error ignored = { 0 };
	CLEANUP(mem_free_ptr) char *whole = whole_path(socket);
	CLEANUP(mem_free_ptr)
	char *name = mem_printf("bridge-%016" PRIx64 ".json",
				text_hash(whole, strlen(whole)));
	char *path = NULL;

	return state_file(&path, name, &ignored) ? NULL : path;
}

/* ---- read ---- */

struct kept_reader {
	struct bridge_list **list;
	size_t count, capacity;
	void (*each)(void *owner, const struct kept_board *b);
	void *owner;
	int64_t oldest;
};

static void read_list(struct kept_reader *r, const cJSON *tools)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(error_reset) struct error ignored = { 0 };
	struct tool_list list = { 0 };

	json_print(&text, tools);
	if (text.len < 2 || *text.data != '[' ||
	    (text.len > 2 && tool_list_add_text(&list, text.data + 1,
						text.len - 2, &ignored))) {
		tool_list_done(&list);
		return;
	}
	r->list = mem_grow(r->list, &r->capacity, r->count,
			   sizeof(struct bridge_list *));
	r->list[r->count++] = bridge_list_new(tools->string, &list);
}

static struct bridge_list *find_list(const struct kept_reader *r,
				     const char *id)
{
	for (size_t i = 0; id && i < r->count; i++) {
		if (strcmp(r->list[i]->id, id) == 0)
			return r->list[i];
	}
	return NULL;
}

static void read_board(struct kept_reader *r, const cJSON *board)
{
	struct kept_board b = { .id = json_string(board, "id"),
				.prefix = json_string(board, "prefix"),
				.about = json_string(board, "about"),
				.way = json_string(board, "way"),
				.list = find_list(r,
						  json_string(board, "list")) };

	if (b.id && *b.id && b.prefix && *b.prefix && b.list &&
	    json_integer(board, "seen", &b.seen) == 0 && b.seen >= r->oldest)
		r->each(r->owner, &b);
}

void boards_file_read(const char *path,
		      void (*each)(void *owner, const struct kept_board *b),
		      void *owner)
{
	CLEANUP(buf_done) struct buf text = { .max = FILE_MAX };
	CLEANUP(json_free_ptr) cJSON *tree = NULL;
	const int64_t day = INT64_C(24) * 3600 * 1000;
	struct kept_reader r = { .each = each,
				 .owner = owner,
				 .oldest = unix_now_ms() -
					   BOARDS_FILE_DAYS * day };
	const cJSON *one;
	size_t count = 0;

	if (file_read_own(&text, path) ||
	    !(tree = json_parse(text.data, text.len, NULL)))
		return;
	cJSON_ArrayForEach(one, json_object(tree, "lists")) {
		read_list(&r, one);
	}
	cJSON_ArrayForEach(one, json_array(tree, "boards")) {
		if (count++ < BOARDS_FILE_MOST)
			read_board(&r, one);
	}
	for (size_t i = 0; i < r.count; i++)
		bridge_list_release(r.list[i]);
	mem_free(r.list);
}

/* ---- written ---- */

struct kept_writer {
	const struct kept_board *board;
	size_t own;
	struct buf boards, lists;
	struct name_set seen; /* ids of lists */
	size_t count;
};

static void print_list(struct buf *out, const struct bridge_list *l)
{
	buf_json_string(out, l->id, strlen(l->id));
	buf_text(out, ":[");
	for (size_t i = 0; i < l->tools.count; i++) {
		const struct span text = tool_text(&l->tools.tool[i]);

		if (i)
			buf_char(out, ',');
		buf_add(out, text.text, text.len);
	}
	buf_char(out, ']');
}

static void print_board(struct buf *out, const struct kept_board *b)
{
	buf_text(out, "{\"id\":");
	buf_json_string(out, b->id, strlen(b->id));
	json_add_text(out, "prefix", b->prefix);
	json_add_text(out, "about", b->about);
	json_add_text(out, "way", b->way);
	json_add_text(out, "list", b->list->id);
	buf_printf(out, ",\"seen\":%" PRId64 "}", b->seen);
}

static void add_one(struct buf *out, const struct buf *one)
{
	if (out->len && one->len)
		buf_char(out, ',');
	buf_add(out, buf_string(one), one->len);
}

/* Not what would make the file one that is too large to be read again. */
static void write_board(struct kept_writer *w, const struct kept_board *b)
{
	CLEANUP(buf_done) struct buf board = { 0 }, list = { 0 };

	if (!b->list || !b->list->id || w->count >= BOARDS_FILE_MOST)
		return;
	print_board(&board, b);
	if (name_set_find(&w->seen, b->list->id) == NAME_NONE)
		print_list(&list, b->list);
	if (w->boards.len + w->lists.len + board.len + list.len > ROOM)
		return;
	name_set_add(&w->seen, b->list->id, 0);
	add_one(&w->boards, &board);
	add_one(&w->lists, &list);
	w->count++;
}

/* What another bridge put there. */
static void write_other(void *owner, const struct kept_board *b)
{
	struct kept_writer *w = owner;

	for (size_t i = 0; i < w->own; i++) {
		if (strcmp(w->board[i].id, b->id) == 0)
			return;
	}
	write_board(w, b);
}

int boards_file_write(const char *path, const struct kept_board *board,
		      size_t count, struct error *err)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct kept_writer w = { .board = board, .own = count };
	int failed;

	for (size_t i = 0; i < count; i++)
		write_board(&w, &board[i]);
	boards_file_read(path, write_other, &w);
	buf_printf(&out, "{\"boards\":[%s],\"lists\":{%s}}\n",
		   buf_string(&w.boards), buf_string(&w.lists));
	failed = file_replace(path, 0600, out.data, out.len);
	if (failed)
		error_set(err, ERR_OUTPUT, "'%s' could not be written: %s",
			  path, strerror(errno));
	buf_done(&w.boards);
	buf_done(&w.lists);
	name_set_done(&w.seen);
	return failed ? -1 : 0;
}
