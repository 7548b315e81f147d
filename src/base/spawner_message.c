/* SPDX-License-Identifier: MIT */
/* Messages between a process and its spawner. What they mean is not known here. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/spawner_message.h"

union control {
	struct cmsghdr header;
	char room[CMSG_SPACE(sizeof(int) * SPAWNER_FDS)];
};

static void wait_for(int socket, short events)
{
	struct pollfd p = { .fd = socket, .events = events };

	poll(&p, 1, -1);
}

static void put_fds(struct msghdr *h, union control *control,
		    const struct spawner_fds *fds)
{
	struct cmsghdr *c = &control->header;
	size_t len = sizeof(int) * fds->count;

	memset(control, 0, sizeof(*control));
	h->msg_control = control;
	h->msg_controllen = CMSG_SPACE(len);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(len);
	memcpy(CMSG_DATA(c), fds->fd, len);
}

int spawner_send(int socket, const struct spawner_message *m,
		 const struct spawner_fds *fds)
{
	struct spawner_message copy = *m;
	struct iovec part = { .iov_base = &copy, .iov_len = sizeof(copy) };
	struct msghdr h = { .msg_iov = &part, .msg_iovlen = 1 };
	union control control;

	if (fds && fds->count)
		put_fds(&h, &control, fds);
	while (sendmsg(socket, &h, MSG_NOSIGNAL) < 0) {
		if (errno == EAGAIN)
			wait_for(socket, POLLOUT);
		else if (errno != EINTR)
			return -errno;
	}
	return 0;
}

static void take_fds(struct msghdr *h, struct spawner_fds *fds)
{
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(h); c; c = CMSG_NXTHDR(h, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		fds->count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(fds->fd, CMSG_DATA(c), fds->count * sizeof(int));
	}
}

int spawner_receive(int socket, struct spawner_message *m,
		    struct spawner_fds *fds, bool wait)
{
	struct iovec part = { .iov_base = m, .iov_len = sizeof(*m) };
	union control control;
	struct msghdr h = { .msg_iov = &part,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof(control) };
	ssize_t got;

	fds->count = 0;
	for (;;) {
		got = recvmsg(socket, &h, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
		if (got >= 0 || (errno != EINTR && errno != EAGAIN))
			break;
		if (errno == EAGAIN && !wait)
			return 0;
		if (errno == EAGAIN)
			wait_for(socket, POLLIN);
	}
	if (got > 0)
		take_fds(&h, fds);
	if (got == (ssize_t)sizeof(*m))
		return 1;
	spawner_fds_close(fds);
	return -1;
}

void spawner_fds_close(struct spawner_fds *fds)
{
	for (size_t i = 0; i < fds->count; i++)
		close(fds->fd[i]);
	fds->count = 0;
}

int spawner_pack(struct spawner_message *m,
		 char *const *const lists[SPAWNER_LISTS])
{
	CLEANUP(buf_done) struct buf all = { 0 };
	int fd, error = 0;

	buf_init(&all, SPAWNER_LISTS_MAX);
	for (size_t i = 0; i < SPAWNER_LISTS; i++) {
		char *const *word = lists[i];

		m->count[i] = 0;
		for (; word && *word; word++, m->count[i]++)
			buf_add(&all, *word, strlen(*word) + 1);
	}
	if (all.full)
		return -E2BIG;
	fd = memfd_create("mcpctl", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (all.len && file_write(fd, all.data, all.len))
		error = errno;
	if (lseek(fd, 0, SEEK_SET) < 0)
		error = errno;
	if (!error)
		return fd;
	close(fd);
	return -error;
}

bool spawner_unpack(struct words lists[SPAWNER_LISTS],
		    const struct spawner_message *m, int fd)
{
	CLEANUP(buf_done) struct buf all = { 0 };
	struct stat st;
	size_t at = 0;

	for (size_t i = 0; i < SPAWNER_LISTS; i++)
		lists[i] = (struct words){ 0 };
	buf_init(&all, SPAWNER_LISTS_MAX);
	/* Of a pipe the end could be waited for. */
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return false;
	if (file_read_fd(&all, fd))
		return false;
	for (size_t i = 0; i < SPAWNER_LISTS; i++) {
		for (uint32_t n = 0; n < m->count[i]; n++) {
			if (at >= all.len)
				return false;
			words_add(&lists[i], all.data + at);
			at += strlen(all.data + at) + 1;
		}
	}
	return at == all.len;
}
