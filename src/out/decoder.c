/* SPDX-License-Identifier: MIT */
/* What is asked of the process that decodes, and its answer, believed not far. */
#include "out/decoder.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/file.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/picture.h"
#include "base/text.h"
#include "out/decoder_process.h"

void pixels_done(struct pixels *p)
{
	mem_free(p->rgba);
	*p = (struct pixels){ 0 };
}

/* ---- what is not even asked ---- */

static int check_size(unsigned width, unsigned height, struct error *err)
{
	uint64_t all = (uint64_t)width * height;

	if (all == 0)
		return error_set(err, ERR_PROTOCOL,
				 "it says that it has no pixels");
	if (all <= PIXELS_MOST)
		return 0;
	return error_set(err, ERR_PROTOCOL,
			 "it says %ux%u, %llu megapixels, and %d are the most",
			 width, height,
			 (unsigned long long)((all + 999999) / 1000000),
			 PIXELS_MOST / 1000000);
}

int decoder_check(const void *data, size_t len, struct error *err)
{
	const struct picture_type *type = picture_type(data, len);
	unsigned width, height;

	if (!type)
		return error_set(err, ERR_PROTOCOL,
				 "its bytes are no JPEG and no PNG");
	if (!text_same(type->word, "jpeg") && !text_same(type->word, "png"))
		return error_set(
			err, ERR_PROTOCOL,
			"it is a %s, and only JPEG and PNG are decoded",
			type->name);
	if (len > PIXELS_FILE_MOST)
		return error_set(err, ERR_PROTOCOL,
				 "it has %zu bytes, and %u are the most", len,
				 PIXELS_FILE_MOST);
	if (!picture_size(data, len, &width, &height))
		return error_set(err, ERR_PROTOCOL, "it is a %s without a size",
				 type->name);
	return check_size(width, height, err);
}

/* ---- the process ---- */

/* Memory that it reads or writes as a file. -1: none. */
static int memory_file(const void *data, size_t len)
{
	int fd = memfd_create("mcpctl-picture", MFD_CLOEXEC);

	if (fd < 0)
		return -1;
	if (file_write(fd, data, len) == 0 && lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	close(fd);
	return -1;
}

/* With nothing of our environment. 0, or errno. */
static int start(pid_t *child, int in, int out)
{
	char name[] = "mcpctl", command[] = DECODER_COMMAND,
	     locale[] = "LC_ALL=C";
	char *argv[] = { name, command, NULL }, *env[] = { locale, NULL };

	return confine_spawn(child, "/proc/self/exe", argv, env, in, out);
}

/* False: its time is over. A kernel without pidfd tells of no end: it is waited
   for then, as long as its CPU time goes. */
static bool wait_until_over(pid_t child)
{
	struct pollfd p = { .events = POLLIN };
	int64_t until = loop_now() + (int64_t)1000 * DECODER_SECONDS;
	int status;

	p.fd = (int)syscall(SYS_pidfd_open, child, 0u);
	if (p.fd < 0)
		return true;
	do {
		int64_t left = until - loop_now();

		status = left > 0 ? poll(&p, 1, (int)left) : 0;
	} while (status < 0 && errno == EINTR);
	close(p.fd);
	return status > 0;
}

static int judge_end(int status, bool late, struct error *err)
{
	if (late)
		return error_set(err, ERR_PROTOCOL,
				 "it was not decoded within %d s",
				 DECODER_SECONDS);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT)
		return error_set(err, ERR_INTERRUPTED, "interrupted");
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		return error_set(err, ERR_PROTOCOL,
				 "decoding it takes too much CPU time");
	if (status == 0)
		return 0;
	return error_set(err, ERR_PROTOCOL,
			 "the process that decodes it ended with %s %d",
			 WIFSIGNALED(status) ? "signal" : "status",
			 WIFSIGNALED(status) ? WTERMSIG(status) :
					       WEXITSTATUS(status));
}

static int run(int in, int out, struct error *err)
{
	pid_t child;
	int status = 0, error = start(&child, in, out);
	bool late;

	if (error)
		return error_set(
			err, ERR_CONNECT,
			"the process that decodes it cannot be started: %s",
			strerror(error));
	late = !wait_until_over(child);
	if (late)
		kill(child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return judge_end(status, late, err);
}

/* ---- its answer ---- */

static int odd_answer(struct error *err)
{
	return error_set(err, ERR_PROTOCOL,
			 "the process that decodes it gave no sound answer");
}

static int take_pixels(struct pixels *out, const struct decoder_answer *a,
		       const char *rgba, size_t len, struct error *err)
{
	if (a->width > PIXELS_SIDE || a->height < 1 ||
	    a->height > PIXELS_SIDE || len != 4 * (size_t)a->width * a->height)
		return odd_answer(err);
	*out = (struct pixels){ .width = a->width,
				.height = a->height,
				.rgba = (unsigned char *)mem_copy(rgba, len) };
	memcpy(out->damage, a->words,
	       strnlen(a->words, sizeof(out->damage) - 1));
	return 0;
}

static int read_answer(struct pixels *out, int fd, struct error *err)
{
	CLEANUP(buf_done)
	struct buf all = { .max = sizeof(struct decoder_answer) +
				  4 * (size_t)PIXELS_SIDE * PIXELS_SIDE };
	struct decoder_answer a;

	if (lseek(fd, 0, SEEK_SET) != 0 || file_read_fd(&all, fd) ||
	    all.len < sizeof(a))
		return odd_answer(err);
	memcpy(&a, all.data, sizeof(a));
	if (a.words[strnlen(a.words, sizeof(a.words) - 1)] != '\0')
		return odd_answer(err);
	if (a.width == 0)
		return error_set(
			err, a.kind == ERR_CONNECT ? ERR_CONNECT : ERR_PROTOCOL,
			"%s", a.words);
	return take_pixels(out, &a, all.data + sizeof(a), all.len - sizeof(a),
			   err);
}

int decoder_ask(struct pixels *out, const void *data, size_t len,
		struct error *err)
{
	int in, answer, status = -1;

	*out = (struct pixels){ 0 };
	if (decoder_check(data, len, err))
		return -1;
	in = memory_file(data, len);
	answer = memory_file("", 0);
	if (in < 0 || answer < 0)
		error_set(err, ERR_CONNECT, "no memory file for it: %s",
			  strerror(errno));
	else if (run(in, answer, err) == 0)
		status = read_answer(out, answer, err);
	if (in >= 0)
		close(in);
	if (answer >= 0)
		close(answer);
	return status;
}
