/* SPDX-License-Identifier: MIT */
/*
 * `check FILE`: a serial log that was saved. Its times are those of the chip
 * (ESP_LOG, ms since its start); what a start interrupts goes on behind it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "check/check.h"
#include "diag/serial_rules.h"
#include "wire/serial_line.h"

struct serial_file {
	struct serial_judge judge;
	int64_t base_us,
		last_us; /* of this start of the chip; of the last line */
	uint64_t lines, cut;
	bool known; /* a line is one of ESP-IDF's */
};

/* A stamp that falls back: the chip started anew. */
static int64_t time_of(struct serial_file *f, struct span line)
{
	struct esp_log log;
	int64_t at;

	if (serial_find(line, "rst:0x").text)
		f->base_us = f->last_us;
	if (!esp_log_read(line, &log))
		return f->last_us;
	f->known = true;
	if (log.ms < 0)
		return f->last_us;
	at = f->base_us + log.ms * 1000;
	if (at < f->last_us) {
		f->base_us = f->last_us;
		at = f->base_us + log.ms * 1000;
	}
	f->last_us = at;
	return at;
}

static void on_line(void *owner, struct span line, size_t over)
{
	struct serial_file *f = owner;

	f->lines++;
	f->cut += over > 0;
	serial_judge_line(&f->judge, line, time_of(f, line));
}

static int read_lines(struct serial_file *f, int fd, const char *path,
		      struct error *err)
{
	struct serial_splitter split = { 0 };
	char piece[16384];
	ssize_t n;

	while ((n = read(fd, piece, sizeof(piece))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_set(err, ERR_USAGE, "'%s': %s", path,
					 strerror(errno));
		serial_split(&split, piece, (size_t)n, on_line, f);
	}
	serial_flush(&split, on_line, f);
	return 0;
}

static int open_log(const char *path, struct error *err)
{
	struct stat st;
	int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) :
					  file_open_regular(path, 0, &st);

	if (fd >= 0)
		return fd;
	return error_set(err, ERR_USAGE, "'%s': %s", path,
			 errno == EINVAL ? "no regular file" : strerror(errno));
}

int check_serial_log(struct checkup *k, const char *path, struct error *err)
{
	struct serial_file f = { .judge = { .diag = k->diag } };
	int fd = open_log(path, err), status;

	if (fd < 0)
		return -1;
	status = read_lines(&f, fd, path, err);
	close(fd);
	if (status)
		return -1;
	if (!f.known && !f.judge.seen && !k->diag->count)
		return error_set(
			err, ERR_USAGE,
			"'%s' is no capture, and no line of it is one of a board's serial log",
			path);
	check_stage(k, "serial", STAGE_OK,
		    "lines: %llu, starts of the chip: %llu%s",
		    (unsigned long long)f.lines,
		    (unsigned long long)f.judge.seen,
		    f.cut ? ", some lines were cut at 4 kB" : "");
	return check_end(k, err);
}
