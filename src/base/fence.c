/* SPDX-License-Identifier: MIT */
/*
 * The fences of a process, one after the other, and what became of each. What
 * a rule does to files stands below, the system calls in
 * fence_calls.c.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/confine.h"
#include "base/fence.h"
#include "base/lookup.h"
#include "base/mem.h"
#include "base/module.h"
#include "base/text.h"

/*
 * Landlock: which files and TCP ports are left. By the kernel's numbers, since
 * the headers of Debian 12 know its first versions only.
 */

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

/* The version of Landlock that is in force then, or -errno. This thread only. */
static int fence_files(const char *const *rules)
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

/*
 * Capabilities, which only root has: those to open any file and to listen below
 * 1024 are left, since Landlock says which files and ports. By the kernel's call,
 * which knows this thread only.
 */
#define KEPT                                                                \
	(CAP_TO_MASK(CAP_DAC_OVERRIDE) | CAP_TO_MASK(CAP_DAC_READ_SEARCH) | \
	 CAP_TO_MASK(CAP_NET_BIND_SERVICE))

/* errno; 0: no more than those are there. *fewer: there were more. */
static int give_up_capabilities(bool *fewer)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3,
						 0 };
	/* Zeros: valgrind knows only of the first that the kernel fills it. */
	struct __user_cap_data_struct held[_LINUX_CAPABILITY_U32S_3] = { 0 };

	*fewer = false;
	if (syscall(SYS_capget, &head, held) != 0)
		return errno;
	*fewer = held[0].permitted & ~KEPT || held[1].permitted;
	held[0].effective &= KEPT;
	held[0].permitted &= KEPT;
	held[0].inheritable = 0;
	held[1] = (struct __user_cap_data_struct){ 0 };
	return syscall(SYS_capset, &head, held) != 0 ? errno : 0;
}

/* ---- rules ---- */

void fence_rule(struct words *rules, const char *verb, const char *path)
{
	CLEANUP(mem_free_ptr) char *rule = NULL;

	if (!path || !*path)
		return;
	rule = mem_printf("%s %s", verb, path);
	words_add(rules, rule);
}

void fence_port(struct words *rules, const char *verb, uint16_t port)
{
	CLEANUP(mem_free_ptr)
	char *rule = mem_printf("%s %u", verb, (unsigned)port);

	words_add(rules, rule);
}

void fence_system(struct words *rules)
{
	/*
	 * Folders, where a file is replaced by another of its name: that of
	 * the resolver is. Of other processes /proc shows nothing that
	 * Landlock does not allow.
	 */
	static const char *const read[] = {
		"/usr",
		"/lib",
		"/lib64",
		"/lib32",
		"/etc",
		"/proc",
		"/sys/devices/system/cpu",
		"/run/systemd/resolve",
		"/run/NetworkManager",
		"/run/resolvconf",
		"/run/connman",
		"/dev/urandom",
		"/dev/random",
		"/dev/zero",
	};

	for (size_t i = 0; i < COUNT(read); i++)
		fence_rule(rules, "read", read[i]);
	fence_rule(rules, "write", "/dev/null");
}

static int on_object(struct dl_phdr_info *info, size_t size, void *data)
{
	const char **loader = data;

	(void)size;
	/* The first is the program itself. */
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];

		if (part->p_type == PT_INTERP)
			/* An address is a number there. */
			memcpy(loader,
			       &(ElfW(Addr)){ info->dlpi_addr + part->p_vaddr },
			       sizeof(*loader));
	}
	return 1;
}

void fence_program(struct words *rules, const char *path)
{
	const char *loader = NULL;

	dl_iterate_phdr(on_object, &loader);
	fence_rule(rules, "exec", path);
	fence_rule(rules, "exec", loader);
}

/* ---- raising them ---- */

static void add(struct buf *out, const char *what)
{
	if (out->len)
		buf_text(out, ", ");
	buf_text(out, what);
}

static void add_missing(struct buf *out, const char *what, int error)
{
	if (out->len)
		buf_text(out, ", ");
	buf_printf(out, "%s (%s)", what, strerror(error));
}

static int refuse_new_privileges(void)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : errno;
}

static void refuse_privileges(struct buf *up, struct buf *missing)
{
	int error = refuse_new_privileges();

	confine_limit(RLIMIT_CORE, 0);
	if (!error)
		add(up, "no new privileges");
	else
		add_missing(missing, "no new privileges", error);
}

static void refuse_capabilities(struct buf *up, struct buf *missing)
{
	bool fewer;
	int error = give_up_capabilities(&fewer);

	if (error)
		add_missing(missing, "fewer capabilities", error);
	else if (fewer)
		add(up, "fewer capabilities");
}

static bool may_execute(const char *const *rules)
{
	for (; *rules; rules++) {
		if (text_starts(*rules, "exec "))
			return true;
	}
	return false;
}

static const struct fence_table *table(struct error *err)
{
	return module_table("fence", FENCE_TABLE, err);
}

static void refuse_calls(struct buf *up, struct buf *missing, bool exec)
{
	CLEANUP(error_reset) struct error err = { 0 };
	const struct fence_table *t = table(&err);
	int status;

	if (!t) {
		add(missing, "seccomp (");
		buf_printf(missing, "%s)", err.text);
		return;
	}
	status = t->refuse_calls(exec);
	if (status)
		add_missing(missing, "seccomp", -status);
	else
		add(up, "seccomp");
}

void fence_early(void)
{
	CLEANUP(error_reset) struct error err = { 0 };
	const struct fence_table *t = table(&err);

	/* What fails here fails again in fence_raise, which says so. */
	if (t && !refuse_new_privileges())
		t->refuse_io_uring();
}

char *fence_raise(const char *const *rules)
{
	struct buf up = { 0 };
	CLEANUP(buf_done) struct buf missing = { 0 };
	int version;

	refuse_privileges(&up, &missing);
	refuse_capabilities(&up, &missing);
	refuse_calls(&up, &missing, may_execute(rules));
	version = fence_files(rules);
	if (version > 0) {
		add(&up, "Landlock ");
		buf_printf(&up, "%d", version);
	} else {
		add_missing(&missing, "Landlock", -version);
	}
	if (!up.len)
		buf_text(&up, "none");
	if (missing.len)
		buf_printf(&up, "; not here: %s", missing.data);
	return buf_take(&up);
}

/* What is a thread's own, for threads of libuv's that are there already. */

/* For a thread that is none of libuv's and so never comes. */
#define TOGETHER_S 30

/* One piece of work a thread; each waits for the others, so that none does two. */
struct pool {
	pthread_mutex_t lock;
	pthread_cond_t all_here;
	unsigned threads, here, left;
	struct words rules;
	struct timespec until;
	uv_work_t work[];
};

static unsigned count_threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	const struct dirent *entry;
	unsigned count = 0;

	while (dir && (entry = readdir(dir)))
		count += entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return count;
}

static void on_work(uv_work_t *work)
{
	struct pool *p = work->data;
	bool fewer;
	int late = 0;

	give_up_capabilities(&fewer);
	fence_files((const char *const *)p->rules.word);
	pthread_mutex_lock(&p->lock);
	if (++p->here == p->threads)
		pthread_cond_broadcast(&p->all_here);
	while (p->here < p->threads && late != ETIMEDOUT)
		late = pthread_cond_timedwait(&p->all_here, &p->lock,
					      &p->until);
	pthread_mutex_unlock(&p->lock);
}

static void on_done(uv_work_t *work, int status)
{
	struct pool *p = work->data;

	(void)status;
	if (--p->left)
		return;
	pthread_cond_destroy(&p->all_here);
	pthread_mutex_destroy(&p->lock);
	words_done(&p->rules);
	mem_free(p);
}

void fence_pool(struct loop *l, const struct words *rules)
{
	unsigned count = count_threads();
	struct pool *p;

	if (count < 2 || lookup_threads() != 0)
		return;
	count--;
	p = mem_zalloc(sizeof(*p) + count * sizeof(p->work[0]));
	p->threads = p->left = count;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->all_here, NULL);
	clock_gettime(CLOCK_REALTIME, &p->until);
	p->until.tv_sec += TOGETHER_S;
	for (size_t i = 0; i < rules->count; i++)
		words_add(&p->rules, rules->word[i]);
	for (unsigned i = 0; i < count; i++) {
		p->work[i].data = p;
		uv_queue_work(loop_uv(l), &p->work[i], on_work, on_done);
	}
}
