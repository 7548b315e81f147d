/* SPDX-License-Identifier: MIT */
/*
 * The fences of a process, one after the other, and what became of each. What
 * a rule does to files stands in fence_files.c, the system calls in
 * fence_calls.c.
 */
#include "base/fence.h"

#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/module.h"
#include "base/text.h"

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
	const struct rlimit none = { 0, 0 };
	int error = refuse_new_privileges();

	setrlimit(RLIMIT_CORE, &none);
	if (!error)
		add(up, "no new privileges");
	else
		add_missing(missing, "no new privileges", error);
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
