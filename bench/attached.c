/* SPDX-License-Identifier: MIT */
/*
 * The floor of an attached call: a bare C client on serve's Unix socket, with
 * nothing but system calls (wire/control_frames.h). attached SOCKET DEVICE[,...] COUNT
 * calls self.echo COUNT times, one after the other, of the devices in turn, and
 * checks that each answer has its id and its number. Prints "P50 P99" in
 * microseconds.
 */
#include <arpa/inet.h>
#include <stdarg.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "samples.h"

#define FRAME_SIZE 65536
#define DEVICES_MAX 1000

static void fail(const char *what)
{
	fprintf(stderr, "attached: %s\n", what);
	exit(1);
}

static void send_frame(int fd, char kind, const char *format, ...)
{
	char frame[1024] = { 0 };
	va_list args;

	va_start(args, format);
	int len = vsnprintf(frame + 8, sizeof(frame) - 8, format, args);
	va_end(args);

	unsigned size = htonl((unsigned)len);

	memcpy(frame, &size, 4);
	frame[4] = kind;
	if (write(fd, frame, (size_t)len + 8) != len + 8)
		fail("cannot write");
}

static void read_whole(int fd, char *out, size_t len)
{
	while (len > 0) {
		ssize_t got = read(fd, out, len);

		if (got <= 0)
			fail("serve closed the socket");
		out += got;
		len -= (size_t)got;
	}
}

/* The next frame's kind; its text with a NUL into out. */
static char read_frame(int fd, char *out)
{
	char head[8];
	unsigned len;

	read_whole(fd, head, sizeof(head));
	memcpy(&len, head, 4);
	len = ntohl(len);
	if (len >= FRAME_SIZE)
		fail("a frame is too long");
	read_whole(fd, out, len);
	out[len] = '\0';
	return head[4];
}

static int attach(const char *path, const char *device, char *frame)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strncat(to.sun_path, path, sizeof(to.sun_path) - 1);
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0)
		fail("cannot connect");
	send_frame(fd, 'j', "{\"op\":\"attach\",\"device\":\"%s\"}", device);
	while (read_frame(fd, frame) != 'j' || !strstr(frame, "\"attached\"")) {
		if (strstr(frame, "\"error\""))
			fail(frame);
	}
	return fd;
}

static void call(int fd, long id, long number, char *frame)
{
	char wanted_id[32], wanted_text[64];

	send_frame(fd, 't',
		   "{\"type\":\"mcp\",\"payload\":{\"jsonrpc\":\"2.0\","
		   "\"id\":%ld,\"method\":\"tools/call\",\"params\":{\"name\":"
		   "\"self.echo\",\"arguments\":{\"number\":%ld}}}}",
		   id, number);
	while (read_frame(fd, frame) != 't')
		continue;
	snprintf(wanted_id, sizeof(wanted_id), "\"id\":%ld,", id);
	snprintf(wanted_text, sizeof(wanted_text), "\"text\":\"%ld\"", number);
	if (!strstr(frame, wanted_id) || !strstr(frame, wanted_text))
		fail(frame);
}

/* A connection for each of the devices, "ID,ID,..."; returns how many. */
static size_t attach_all(const char *path, char *devices, int *fd, char *frame)
{
	size_t count = 0;

	for (char *id = strtok(devices, ","); id; id = strtok(NULL, ",")) {
		if (count == DEVICES_MAX)
			fail("too many devices");
		fd[count++] = attach(path, id, frame);
	}
	return count;
}

int main(int argc, char **argv)
{
	static char frame[FRAME_SIZE];
	static int fd[DEVICES_MAX];
	size_t count = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;

	if (count == 0)
		return 2;

	double *sample = calloc(count, sizeof(*sample));
	size_t devices = attach_all(argv[1], argv[2], fd, frame);

	for (size_t i = 0; i < count; i++) {
		double start = now_us();

		call(fd[i % devices], (long)i + 1,
		     (long)(getpid() % 1000) * 1000000 + (long)i, frame);
		sample[i] = now_us() - start;
	}
	samples_print(sample, count);
	free(sample);
	return 0;
}
