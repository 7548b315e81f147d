/* SPDX-License-Identifier: MIT */
/*
 * Whether a process is the broker of a serve that is no more: it ends by
 * itself, within a moment.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
