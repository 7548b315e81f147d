/* SPDX-License-Identifier: MIT */
/*
 * Landlock: which files and TCP ports are left. By the kernel's numbers, since
 * the headers of Debian 12 know its first versions only.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fence.h"

/* Landlock 3, 5 */
#define FS_TRUNCATE (1ULL << 14)
#define FS_IOCTL_DEV (1ULL << 15)
/* 4 */
#define NET_BIND (1ULL << 0)
#define NET_CONNECT (1ULL << 1)
#define RULE_NET_PORT 2
/* 6 */
#define SCOPE_ALL 3ULL

#define FS_FIRST ((1ULL << 13) - 1)
#define FS_FILE                                                       \
	(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | \
	 LANDLOCK_ACCESS_FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV)
#define READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define REMOVE LANDLOCK_ACCESS_FS_REMOVE_FILE
#define WRITE                                                          \
	(READ | REMOVE | LANDLOCK_ACCESS_FS_WRITE_FILE | FS_TRUNCATE | \
	 LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_DIR |   \
	 LANDLOCK_ACCESS_FS_REMOVE_DIR)

struct handled { /* struct landlock_ruleset_attr of version 6 */
	uint64_t fs, net, scoped;
};

struct port_rule { /* struct landlock_net_port_attr */
	uint64_t allowed, port;
};

static const struct verb {
	const char *name;
	uint64_t fs, net;
} verbs[] = {
	{ "read ", READ, 0 },
	{ "write ", WRITE, 0 },
	{ "remove ", REMOVE, 0 },
	{ "exec ", READ | LANDLOCK_ACCESS_FS_EXECUTE, 0 },
	{ "bind ", 0, NET_BIND },
	{ "connect ", 0, NET_CONNECT },
};

static struct handled handled_by(long version)
{
	struct handled h = { .fs = FS_FIRST };

	if (version >= 2)
		h.fs |= LANDLOCK_ACCESS_FS_REFER;
	if (version >= 3)
		h.fs |= FS_TRUNCATE;
	if (version >= 4)
		h.net = NET_BIND | NET_CONNECT;
	if (version >= 5)
		h.fs |= FS_IOCTL_DEV;
	if (version >= 6)
		h.scoped = SCOPE_ALL;
	return h;
}

static void add_path(int set, uint64_t access, const char *path)
{
	struct landlock_path_beneath_attr rule = { .allowed_access = access };
	struct stat about;
	int fd = open(path, O_PATH | O_CLOEXEC);

	if (fd < 0)
		return;
	rule.parent_fd = fd;
	if (fstat(fd, &about) == 0 && !S_ISDIR(about.st_mode))
		rule.allowed_access &= FS_FILE;
	if (rule.allowed_access)
		syscall(SYS_landlock_add_rule, set, LANDLOCK_RULE_PATH_BENEATH,
			&rule, 0);
	close(fd);
}

static void add_rule(int set, const struct handled *h, const char *rule)
{
	for (size_t i = 0; i < COUNT(verbs); i++) {
		const struct verb *v = &verbs[i];
		size_t len = strlen(v->name);
		struct port_rule port = { .allowed = v->net & h->net };

		if (strncmp(rule, v->name, len) != 0)
			continue;
		if (v->fs)
			add_path(set, v->fs & h->fs, rule + len);
		port.port = strtoul(rule + len, NULL, 10);
		if (port.allowed)
			syscall(SYS_landlock_add_rule, set, RULE_NET_PORT,
				&port, 0);
	}
}

int fence_files(const char *const *rules)
{
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0,
			       LANDLOCK_CREATE_RULESET_VERSION);
	struct handled h = handled_by(version);
	int set, error = 0;

	if (version < 0)
		return -errno;
	/* Of what an old kernel does not know nothing is set. */
	set = (int)syscall(SYS_landlock_create_ruleset, &h, sizeof(h), 0);
	if (set < 0)
		return -errno;
	for (; *rules; rules++)
		add_rule(set, &h, *rules);
	if (syscall(SYS_landlock_restrict_self, set, 0) != 0)
		error = errno;
	close(set);
	return error ? -error : (int)version;
}
