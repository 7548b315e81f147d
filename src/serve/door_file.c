/* SPDX-License-Identifier: MIT */
/*
 * One picture that a board sent: read from its form, looked at, kept in a
 * file. What is answered is door_vision's matter.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "serve/door_private.h"

#define QUESTION_MAX 4096
#define NAMES_TRIED 1000

/* ---- the form ---- */

static void on_field(void *owner, const char *name, const char *filename,
		     const char *type, const char *data, size_t len)
{
	struct picture_upload *u = owner;

	(void)filename;
	(void)type;
	if (!strcmp(name, "question")) {
		mem_free(u->question);
		u->question =
			mem_strndup(data, text_cut(data, len, QUESTION_MAX));
		return;
	}
	/* Firmware says "file"; a well-known web client "image". */
	if (strcmp(name, "file") != 0 && strcmp(name, "image") != 0)
		return;
	if (u->has_file) {
		u->more++;
		return;
	}
	u->has_file = true;
	u->bytes = len;
	buf_add(&u->data, data, len);
}

int upload_read(struct picture_upload *u, const struct visit *v,
		struct error *err)
{
	*u = (struct picture_upload){ 0 };
	if (v->door->front_table->form(v->rq, on_field, u, err))
		return -1;
	if (!u->has_file)
		return error_set(err, ERR_PROTOCOL,
				 "the form has no field 'file'");
	if (u->bytes == 0)
		return error_set(err, ERR_PROTOCOL, "the picture is empty");
	u->type = picture_type(u->data.data, u->bytes);
	if (!picture_size(u->data.data, u->bytes, &u->width, &u->height))
		u->width = u->height = 0;
	return 0;
}

void upload_done(struct picture_upload *u)
{
	if (u->temporary && u->file)
		unlink(u->file);
	mem_free(u->file);
	mem_free(u->question);
	buf_done(&u->data);
	*u = (struct picture_upload){ 0 };
}

/* ---- in words ---- */

/* 34567 as "34,567". */
static void add_grouped(struct buf *out, size_t n)
{
	char digits[24];
	size_t len = (size_t)snprintf(digits, sizeof(digits), "%zu", n);

	for (size_t i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			buf_char(out, ',');
		buf_char(out, digits[i]);
	}
}

void upload_describe(struct buf *out, const struct picture_upload *u)
{
	if (u->type)
		buf_printf(out, "a %s picture", u->type->name);
	else
		buf_text(out, "a file that is no known picture");
	if (u->width && u->height)
		buf_printf(out, ", %ux%u", u->width, u->height);
	buf_text(out, ", ");
	add_grouped(out, u->bytes);
	buf_text(out, u->bytes == 1 ? " byte" : " bytes");
}

/* Always there, for programs: null where it is not known. */
static void add_member(struct buf *out, const char *name, const char *value)
{
	if (value)
		door_member(out, name, value);
	else
		buf_printf(out, "%s\"%s\":null", out->len ? "," : "", name);
}

void upload_members(struct buf *out, const struct picture_upload *u)
{
	add_member(out, "file", u->temporary ? NULL : u->file);
	buf_printf(out, ",\"bytes\":%zu", u->bytes);
	add_member(out, "type", u->type ? u->type->word : NULL);
	if (u->width && u->height)
		buf_printf(out, ",\"width\":%u,\"height\":%u", u->width,
			   u->height);
	else
		buf_text(out, ",\"width\":null,\"height\":null");
	add_member(out, "question", u->question);
}

/* ---- files ---- */

static int cannot_use(const char *folder, int error, struct error *err)
{
	error_set(err, ERR_OUTPUT, "--save-images: folder '%.200s': %s", folder,
		  strerror(error));
	error_code(err, error);
	return error_hint(err, "give a folder that can be written to");
}

static int make_folders(const char *folder)
{
	CLEANUP(mem_free_ptr) char *path = mem_strdup(folder);

	for (char *at = path + 1; *path && *at; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		mkdir(path, 0755);
		*at = '/';
	}
	return mkdir(path, 0755);
}

int upload_folder(const char *folder, struct error *err)
{
	struct stat info;

	if (stat(folder, &info) &&
	    (make_folders(folder) || stat(folder, &info)))
		return cannot_use(folder, errno, err);
	if (!S_ISDIR(info.st_mode))
		return cannot_use(folder, ENOTDIR, err);
	if (access(folder, W_OK | X_OK))
		return cannot_use(folder, errno, err);
	return 0;
}

/* The whole file, or errno. Closes fd. */
static int fill(int fd, const struct buf *data)
{
	int error = file_write(fd, data->data, data->len) ? errno : 0;

	if (close(fd) && !error)
		error = errno;
	return error;
}

static int cannot_write(const char *path, int error, struct error *err)
{
	error_set(err, ERR_OUTPUT,
		  "the picture could not be saved as '%.300s': %s", path,
		  strerror(error));
	return error_code(err, error);
}

/* Letters and digits of a name that anybody may have chosen. */
static void add_sane(struct buf *out, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < len && i < 64; i++) {
		char c = name[i];
		bool fine = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
			    (c >= 'a' && c <= 'z') || c == '_';

		if (!fine)
			c = '-';
		buf_char(out, c);
	}
}

/* DIR/YYYYMMDD-HHMMSS-NNN-DEVICE.jpg, another one each time; yours. */
static char *next_name(const struct picture_upload *u, struct door *d,
		       const char *device)
{
	struct buf path = { 0 };
	time_t now = time(NULL);
	struct tm local = { 0 };
	char stamp[32] = "";

	localtime_r(&now, &local);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &local);
	buf_printf(&path, "%s/%s-%03u-", d->server->config.save_images, stamp,
		   d->picture_number++ % 1000);
	add_sane(&path, device);
	buf_printf(&path, ".%s", u->type ? u->type->suffix : "bin");
	return buf_take(&path);
}

/*
 * Whoever watches the folder sees whole pictures only, and none takes the
 * place of another file. Sets u->file; or errno.
 */
static int publish(struct picture_upload *u, struct door *d, const char *part,
		   const char *device)
{
	int tried = 0, error;

	do {
		mem_free(u->file);
		u->file = next_name(u, d, device);
		error = file_publish(part, u->file) ? errno : 0;
	} while (error == EEXIST && ++tried < NAMES_TRIED);
	return error;
}

int upload_save(struct picture_upload *u, struct door *d, const char *name,
		struct error *err)
{
	CLEANUP(mem_free_ptr)
	char *part =
		mem_printf("%s/.mcpctl-XXXXXX", d->server->config.save_images);
	int fd = mkostemp(part, O_CLOEXEC), error;

	if (fd < 0)
		return cannot_write(part, errno, err);
	error = fill(fd, &u->data);
	if (!error)
		error = publish(u, d, part, name);
	if (!error)
		return 0;
	unlink(part);
	cannot_write(u->file ? u->file : part, error, err);
	mem_free(TAKE(u->file));
	return -1;
}

int upload_spool(struct picture_upload *u, struct error *err)
{
	const char *suffix = u->type ? u->type->suffix : "bin";
	CLEANUP(mem_free_ptr)
	char *path =
		mem_printf("%s/mcpctl-XXXXXX.%s", file_temporary(), suffix);
	int fd = mkostemps(path, (int)strlen(suffix) + 1, O_CLOEXEC), error;

	if (fd < 0)
		return cannot_write(path, errno, err);
	error = fill(fd, &u->data);
	if (error) {
		unlink(path);
		return cannot_write(path, error, err);
	}
	u->file = TAKE(path);
	u->temporary = true;
	return 0;
}
