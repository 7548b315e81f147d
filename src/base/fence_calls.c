/* SPDX-License-Identifier: MIT */
/*
 * The table of system calls that nothing here needs, refused by seccomp. A part
 * that is loaded, since it needs libseccomp. Why a list of these: base/fence.h.
 */
#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/fence.h"

/*
 * AddressSanitizer looks for leaks at the end by a process that shares our
 * memory, is traced by nobody and traces our threads. Builds with it, which are
 * for tests, may start such a process, and trace.
 */
#define NO_PROCESS (CLONE_THREAD | (ADDRESS_SANITIZED ? CLONE_UNTRACED : 0))

/* By name: a kernel or a library that does not know one has none to refuse. */
static const char *const refused[] = {
	/* other processes */
	"process_vm_readv",
	"process_vm_writev",
	"process_madvise",
	"pidfd_getfd",
	"kcmp",
	"fork",
	"vfork",
	/* the kernel's large and seldom used parts, ways into it before */
	"bpf",
	"perf_event_open",
	"userfaultfd",
	"io_uring_setup",
	"io_uring_enter",
	"io_uring_register",
	"add_key",
	"request_key",
	"keyctl",
	"lookup_dcookie",
	"modify_ldt",
	"vm86",
	"vm86old",
	"uselib",
	"personality",
	"fanotify_init",
	"fanotify_mark",
	"mbind",
	"migrate_pages",
	"move_pages",
	"set_mempolicy",
	"remap_file_pages",
	"quotactl",
	"quotactl_fd",
	"nfsservctl",
	"sysfs",
	"ustat",
	"_sysctl",
	/* namespaces and mounts */
	"unshare",
	"setns",
	"mount",
	"umount",
	"umount2",
	"pivot_root",
	"chroot",
	"fsopen",
	"fsconfig",
	"fsmount",
	"fspick",
	"move_mount",
	"open_tree",
	"mount_setattr",
	"name_to_handle_at",
	"open_by_handle_at",
	/* the machine */
	"init_module",
	"finit_module",
	"delete_module",
	"create_module",
	"kexec_load",
	"kexec_file_load",
	"reboot",
	"swapon",
	"swapoff",
	"acct",
	"syslog",
	"settimeofday",
	"clock_settime",
	"clock_settime64",
	"clock_adjtime",
	"clock_adjtime64",
	"adjtimex",
	"stime",
	"sethostname",
	"setdomainname",
	"iopl",
	"ioperm",
	"vhangup",
	/* who we are */
	"setuid",
	"setgid",
	"setreuid",
	"setregid",
	"setresuid",
	"setresgid",
	"setfsuid",
	"setfsgid",
	"setgroups",
	"setuid32",
	"setgid32",
	"setreuid32",
	"setregid32",
	"setresuid32",
	"setresgid32",
	"setfsuid32",
	"setfsgid32",
	"setgroups32",
	/* set-user-ID files for later, devices, other's files */
	"mknod",
	"mknodat",
	"chown",
	"fchown",
	"lchown",
	"fchownat",
	"chown32",
	"fchown32",
	"lchown32",
};

static int refuse(scmp_filter_ctx ctx, const char *name, int error)
{
	int number = seccomp_syscall_resolve_name(name);

	if (number == __NR_SCMP_ERROR)
		return 0;
	return seccomp_rule_add(ctx, SCMP_ACT_ERRNO((uint32_t)error), number,
				0);
}

/* Threads, no processes: their flags stand elsewhere on one processor. */
static int refuse_processes(scmp_filter_ctx ctx)
{
	unsigned flags = seccomp_arch_native() == SCMP_ARCH_S390X ? 1 : 0;
	struct scmp_arg_cmp no_thread =
		SCMP_CMP(flags, SCMP_CMP_MASKED_EQ, NO_PROCESS, 0);
	int status = refuse(ctx, "clone3", ENOSYS);

	if (!status)
		status = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM),
					  SCMP_SYS(clone), 1, no_thread);
	if (!status && !ADDRESS_SANITIZED)
		status = refuse(ctx, "ptrace", EPERM);
	return status;
}

/* Keys pressed on the user's terminal in our place; sockets of other kinds. */
static int refuse_arguments(scmp_filter_ctx ctx)
{
	const struct scmp_arg_cmp keys =
		SCMP_CMP(1, SCMP_CMP_MASKED_EQ, 0xffffffff, TIOCSTI);
	const struct scmp_arg_cmp kinds[] = {
		SCMP_CMP(0, SCMP_CMP_GT, AF_NETLINK, 0),
		SCMP_CMP(0, SCMP_CMP_EQ, AF_AX25, 0),
		SCMP_CMP(0, SCMP_CMP_EQ, AF_IPX, 0),
		SCMP_CMP(0, SCMP_CMP_EQ, AF_APPLETALK, 0),
		SCMP_CMP(0, SCMP_CMP_EQ, AF_X25, 0),
	};
	int status = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM),
				      SCMP_SYS(ioctl), 1, keys);

	for (size_t i = 0; !status && i < COUNT(kinds); i++)
		status = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EAFNOSUPPORT),
					  SCMP_SYS(socket), 1, kinds[i]);
	return status;
}

static int add_all(scmp_filter_ctx ctx, bool exec)
{
	int status = 0;

	for (size_t i = 0; !status && i < COUNT(refused); i++)
		status = refuse(ctx, refused[i], EPERM);
	if (!status && !exec)
		status = refuse(ctx, "execve", EPERM);
	if (!status && !exec)
		status = refuse(ctx, "execveat", EPERM);
	if (!status)
		status = refuse_processes(ctx);
	if (!status)
		status = refuse_arguments(ctx);
	return status;
}

static int add_io_uring(scmp_filter_ctx ctx, bool exec)
{
	(void)exec;
	return refuse(ctx, "io_uring_setup", ENOSYS);
}

static int load(int (*add)(scmp_filter_ctx ctx, bool exec), bool exec)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
	int status;

	if (!ctx)
		return -ENOMEM;
	/* Of another processor's mode (32 bits): none at all. */
	status = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH,
				  SCMP_ACT_ERRNO(EPERM));
	if (!status)
		status = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_TSYNC, 1);
	if (!status)
		status = add(ctx, exec);
	if (!status)
		status = seccomp_load(ctx);
	seccomp_release(ctx);
	return status;
}

static int refuse_io_uring(void)
{
	return load(add_io_uring, false);
}

static int refuse_calls(bool exec)
{
	return load(add_all, exec);
}

const struct fence_table fence_table = { .refuse_io_uring = refuse_io_uring,
					 .refuse_calls = refuse_calls };
