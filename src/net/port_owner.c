/* SPDX-License-Identifier: MIT */
/*
 * Finds the process that listens on a port: its socket's inode in
 * /proc/net/tcp*, then the process that has this inode open.
 */
#include "net/port_owner.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

#define STATE_LISTEN 0x0A
#define STATE_UNCONNECTED 0x07 /* of UDP */

/* The start of the n-th word (from 0) of a line, NULL if it has fewer. */
static const char *word_at(const char *line, int n)
{
	for (;;) {
		line += strspn(line, " ");
		if (!*line || *line == '\n')
			return NULL;
		if (n-- == 0)
			return line;
		line += strcspn(line, " \n");
	}
}

static unsigned long inode_of(const char *line, uint16_t port,
			      unsigned long wanted)
{
	const char *local = word_at(line, 1), *state = word_at(line, 3);
	const char *inode = word_at(line, 9), *colon;

	if (!local || !state || !inode)
		return 0;
	colon = strchr(local, ':');
	if (!colon || strtoul(colon + 1, NULL, 16) != port ||
	    strtoul(state, NULL, 16) != wanted)
		return 0;
	return strtoul(inode, NULL, 10);
}

unsigned long port_owner_inode(const char *line, uint16_t port)
{
	return inode_of(line, port, STATE_LISTEN);
}

static unsigned long find_inode(const char *table, uint16_t port,
				unsigned long state)
{
	unsigned long inode = 0;
	FILE *file = fopen(table, "re");
	char line[512];

	if (!file)
		return 0;
	while (!inode && fgets(line, sizeof(line), file))
		inode = inode_of(line, port, state);
	fclose(file);
	return inode;
}

static bool process_has(const char *pid, const char *link)
{
	char path[64], target[64];
	struct dirent *entry;
	bool found = false;
	DIR *fds;

	snprintf(path, sizeof(path), "/proc/%.16s/fd", pid);
	fds = opendir(path);
	if (!fds)
		return false;
	while (!found && (entry = readdir(fds))) {
		ssize_t len = readlinkat(dirfd(fds), entry->d_name, target,
					 sizeof(target) - 1);

		if (len <= 0)
			continue;
		target[len] = '\0';
		found = !strcmp(target, link);
	}
	closedir(fds);
	return found;
}

static void read_program(const char *pid, char *out, size_t size)
{
	char path[64];
	FILE *file;

	snprintf(out, size, "?");
	snprintf(path, sizeof(path), "/proc/%.16s/comm", pid);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fgets(out, (int)size, file))
		out[strcspn(out, "\n")] = '\0';
	fclose(file);
}

static bool find_process(unsigned long inode, struct port_owner *out)
{
	struct dirent *entry;
	bool found = false;
	int64_t pid;
	char link[48];
	DIR *proc;

	proc = inode ? opendir("/proc") : NULL;
	if (!proc)
		return false;
	snprintf(link, sizeof(link), "socket:[%lu]", inode);
	while (!found && (entry = readdir(proc))) {
		if (text_integer(entry->d_name, 1, INT32_MAX, &pid) ||
		    !process_has(entry->d_name, link))
			continue;
		out->pid = (int)pid;
		read_program(entry->d_name, out->program, sizeof(out->program));
		found = true;
	}
	closedir(proc);
	return found;
}

bool port_owner_find(uint16_t port, struct port_owner *out)
{
	unsigned long inode = find_inode("/proc/net/tcp", port, STATE_LISTEN);

	if (!inode)
		inode = find_inode("/proc/net/tcp6", port, STATE_LISTEN);
	return find_process(inode, out);
}

bool port_owner_find_udp(uint16_t port, struct port_owner *out)
{
	unsigned long inode =
		find_inode("/proc/net/udp", port, STATE_UNCONNECTED);

	if (!inode)
		inode = find_inode("/proc/net/udp6", port, STATE_UNCONNECTED);
	return find_process(inode, out);
}
