/* SPDX-License-Identifier: MIT */
/*
 * What is left of a serve that was killed: its broker, which ends by itself
 * within a moment, and, where that was killed too, its folder.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "serve/broker.h"

/* The start of /proc/PID/NAME; NULs within it become spaces. */
static void read_start(char *out, size_t size, int pid, const char *name)
{
	char path[64];
	size_t len, i;
	FILE *f;

	*out = '\0';
	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	f = fopen(path, "re");
	if (!f)
		return;
	len = fread(out, 1, size - 1, f);
	fclose(f);
	for (i = 0; i < len; i++) {
		if (!out[i])
			out[i] = ' ';
	}
	out[len] = '\0';
}

static int parent_of(int pid)
{
	static const char name[] = "\nPPid:";
	char text[1024];
	const char *at;

	read_start(text, sizeof(text), pid, "status");
	at = strstr(text, name);
	return at ? (int)strtol(at + strlen(name), NULL, 10) : 0;
}

bool broker_is_orphan(int pid)
{
	char text[1024];

	/* A process that ends has none, and its sockets a little longer. */
	read_start(text, sizeof(text), pid, "cmdline");
	if (!*text)
		return true;
	if (!strstr(text, "/broker.") || !strstr(text, "/mosquitto.conf"))
		return false;
	read_start(text, sizeof(text), parent_of(pid), "comm");
	return !text_starts(text, "mcpctl");
}

/* The serve that made a configuration; 0: it cannot be read, or is no such. */
static int maker_of(const char *config)
{
	static const char option[] = "\nplugin_opt_parent_pid ";
	char text[4096];
	const char *at;
	ssize_t len;
	int fd = open(config, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return 0;
	len = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[len > 0 ? len : 0] = '\0';
	at = strstr(text, option);
	return at ? (int)strtol(at + strlen(option), NULL, 10) : 0;
}

static void remove_if_left(char *folder)
{
	struct broker_files files = { .folder = folder };
	struct stat st;
	int maker;

	files.config = mem_printf("%s/mosquitto.conf", folder);
	maker = maker_of(files.config);
	if (!lstat(folder, &st) && S_ISDIR(st.st_mode) &&
	    st.st_uid == geteuid() && maker > 0 && kill(maker, 0) &&
	    errno == ESRCH) {
		broker_files_remove(&files);
		return;
	}
	mem_free(files.config);
	mem_free(folder);
}

void broker_sweep(const char *near)
{
	struct dirent *entry;
	DIR *dir = opendir(near);

	while (dir && (entry = readdir(dir))) {
		if (text_starts(entry->d_name, "broker."))
			remove_if_left(
				mem_printf("%s/%s", near, entry->d_name));
	}
	if (dir)
		closedir(dir);
}
