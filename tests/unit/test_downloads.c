/* SPDX-License-Identifier: MIT */
/* Files that boards fetch: whose address, which bytes, who is told of how much. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/downloads.h"

#define SIZE 100

/* ---- a front that remembers what it was told to answer ---- */

static struct answer {
	unsigned count;
	int status;
	char *type, *body; /* body: of what is not lent */
	char *range, *accepts;
	struct front_lent lent;
} answer;

static void answer_begin(int status, const char *type, const struct headers *h)
{
	const char *range = h ? headers_get(h, "Content-Range") : NULL;
	const char *accepts = h ? headers_get(h, "Accept-Ranges") : NULL;

	mem_free(answer.type);
	mem_free(answer.body);
	mem_free(answer.range);
	mem_free(answer.accepts);
	answer = (struct answer){ .count = answer.count + 1,
				  .status = status,
				  .type = mem_strdup(type),
				  .range = mem_strdup(range),
				  .accepts = mem_strdup(accepts) };
}

static void on_reply_with(struct front_request *rq, int status,
			  const char *type, const struct headers *h,
			  const char *body, size_t len)
{
	(void)rq;
	answer_begin(status, type, h);
	answer.body = mem_strndup(body, len);
}

static void on_reply(struct front_request *rq, int status, const char *type,
		     const char *body, size_t len)
{
	on_reply_with(rq, status, type, NULL, body, len);
}

static void on_lend(struct front_request *rq, int status, const char *type,
		    const struct headers *h, const struct front_lent *body)
{
	(void)rq;
	answer_begin(status, type, h);
	answer.lent = *body;
}

static const struct front_table front = { .reply = on_reply,
					  .reply_with = on_reply_with,
					  .lend = on_lend };
static struct port port = { .front = &front };

/* ---- what is told ---- */

static struct {
	struct download *d; /* of which the last was */
	unsigned moved, over;
} told;

static void on_moved(void *owner, struct download *d)
{
	assert_ptr_equal(owner, &told);
	told.d = d;
	told.moved++;
}

static void on_over(void *owner, struct download *d)
{
	assert_ptr_equal(owner, &told);
	told.d = d;
	told.over++;
}

static const struct download_events events = { on_moved, on_over };

/* ---- a file and its port ---- */

static struct downloads downloads;
static struct mapping *file;
static struct download *one;

static int memory_file(size_t len, int seals)
{
	int fd = memfd_create("test", MFD_ALLOW_SEALING | MFD_CLOEXEC);

	assert_true(fd >= 0);
	for (size_t i = 0; i < len; i++) {
		char byte = (char)('a' + i % 26);

		assert_int_equal(write(fd, &byte, 1), 1);
	}
	assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

static int set_up(void **state)
{
	int fd = memory_file(SIZE, F_SEAL_SHRINK | F_SEAL_WRITE);

	(void)state;
	file = mapping_new(fd, SIZE, NULL);
	assert_non_null(file);
	close(fd);
	memset(&told, 0, sizeof(told));
	one = download_new(&downloads, file, "aa:bb", &events, &told);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	if (one)
		download_free(one);
	one = NULL;
	assert_null(downloads.first);
	mapping_release(file);
	answer_begin(0, NULL, NULL);
	answer.count = 0;
	return 0;
}

/* Of a head with that range (NULL: none); false: it is about no file. */
static bool asks(const char *method, const char *path, const char *range)
{
	CLEANUP(headers_done) struct headers h = { 0 };
	const struct front_head head = { .address = "10.0.0.7:5000",
					 .method = method,
					 .path = path,
					 .headers = &h };
	const struct visit v = { .port = &port, .head = &head };

	if (range)
		headers_add(&h, "range", range);
	return downloads_http(&downloads, &v);
}

static bool shows(const char *path)
{
	const struct front_head head = { .path = path };
	const struct visit v = { .port = &port, .head = &head };

	return downloads_show(&downloads, &v);
}

static void gets(struct download *d, const char *range)
{
	CLEANUP(mem_free_ptr) char *path = download_url(d, "");

	assert_true(asks("GET", path, range));
}

/* ---- whose address ---- */

static void test_address(void **state)
{
	CLEANUP(mem_free_ptr) char *url = download_url(one, "http://h:1/x");
	CLEANUP(mem_free_ptr)
	char *wanted =
		mem_printf("http://h:1/x/download/%s/firmware.bin", one->token);
	CLEANUP(mem_free_ptr)
	char *more = mem_printf("/download/%s/firmware.bin/", one->token);
	CLEANUP(mem_free_ptr)
	char *bare = mem_printf("/download/%s", one->token);
	CLEANUP(mem_free_ptr)
	char *cut = mem_printf("/download/%.*s/firmware.bin",
			       (int)strlen(one->token) - 1, one->token);
	CLEANUP(mem_free_ptr)
	char *long_ = mem_printf("/download/%s0/firmware.bin", one->token);
	const char *const none[] = {
		more,		bare,	      cut,
		long_,		"/download/", "/download//firmware.bin",
		"/firmware.bin"
	};

	(void)state;
	assert_string_equal(url, wanted);
	assert_string_equal(one->id, "aa:bb");
	assert_true(shows(url + strlen("http://h:1/x")));
	for (size_t i = 0; i < COUNT(none); i++) {
		assert_false(shows(none[i]));
		assert_false(asks("GET", none[i], NULL));
	}
	assert_int_equal(answer.count, 0);
}

static void test_each_its_own(void **state)
{
	struct download *two =
		download_new(&downloads, file, "cc", &events, &told);
	CLEANUP(mem_free_ptr) char *path = download_url(one, "");

	(void)state;
	assert_string_not_equal(one->token, two->token);
	gets(one, NULL);
	assert_ptr_equal(told.d, one);
	answer.lent.over(answer.lent.owner, SIZE);
	gets(two, NULL);
	assert_ptr_equal(told.d, two);
	answer.lent.over(answer.lent.owner, 10);
	assert_int_equal(one->taken, SIZE);
	assert_int_equal(two->taken, 10);
	/* The older one goes: the younger one stays, and its address is void. */
	download_free(one);
	one = two;
	assert_false(shows(path));
	gets(two, NULL);
	answer.lent.over(answer.lent.owner, 0);
}

/* ---- which bytes ---- */

static void test_whole(void **state)
{
	(void)state;
	gets(one, NULL);
	assert_int_equal(answer.status, 200);
	assert_string_equal(answer.type, "application/octet-stream");
	assert_string_equal(answer.accepts, "bytes");
	assert_null(answer.range);
	assert_ptr_equal(answer.lent.data, file->data);
	assert_int_equal(answer.lent.len, SIZE);
	assert_int_equal(one->asked, 1);
	assert_int_equal(one->running, 1);
	assert_string_equal(one->from, "10.0.0.7:5000");
	assert_int_equal(told.moved, 1);
	answer.lent.moved(answer.lent.owner, 40);
	assert_int_equal(one->taken, 40);
	assert_int_equal(told.moved, 2);
	assert_int_equal(told.over, 0);
	answer.lent.over(answer.lent.owner, SIZE);
	assert_int_equal(one->taken, SIZE);
	assert_int_equal(one->running, 0);
	assert_int_equal(told.over, 1);
	assert_int_equal(told.moved, 2);
}

static void test_part(void **state)
{
	(void)state;
	gets(one, "bytes=10-19");
	assert_int_equal(answer.status, 206);
	assert_string_equal(answer.range, "bytes 10-19/100");
	assert_string_equal(answer.accepts, "bytes");
	assert_memory_equal(answer.lent.data, "klmnopqrst", 10);
	assert_int_equal(answer.lent.len, 10);
	answer.lent.over(answer.lent.owner, 10);
	gets(one, "bytes=0-");
	assert_int_equal(answer.status, 206);
	assert_string_equal(answer.range, "bytes 0-99/100");
	answer.lent.over(answer.lent.owner, 0);
}

/* A range that is not understood is none: all of it, and from its front. */
static void test_odd_ranges(void **state)
{
	static const char *const odd[] = { "bytes=10-19,30-39",
					   "bytes=50-10",
					   "bytes=99x",
					   "bytes=99-x",
					   "bytes=9-99999999999999999999",
					   "bytes=-",
					   "bytes=-5x",
					   "lines=1-2" };

	(void)state;
	for (size_t i = 0; i < COUNT(odd); i++) {
		gets(one, odd[i]);
		assert_int_equal(answer.status, 200);
		assert_null(answer.range);
		assert_ptr_equal(answer.lent.data, file->data);
		assert_int_equal(answer.lent.len, SIZE);
		answer.lent.over(answer.lent.owner, 0);
	}
}

static void test_nothing_there(void **state)
{
	(void)state;
	gets(one, "bytes=100-");
	assert_int_equal(answer.status, 416);
	assert_string_equal(answer.type, "application/json");
	assert_string_equal(answer.range, "bytes */100");
	assert_string_equal(answer.body, "{\"error\":\"nothing is there\"}\n");
	assert_int_equal(one->asked, 0);
	assert_int_equal(one->running, 0);
	assert_int_equal(told.moved, 0);
}

static void test_methods(void **state)
{
	CLEANUP(mem_free_ptr) char *path = download_url(one, "");

	(void)state;
	assert_true(asks("HEAD", path, NULL));
	assert_int_equal(answer.status, 200);
	assert_int_equal(answer.lent.len, SIZE);
	assert_int_equal(one->asked, 0);
	assert_string_equal(one->from, "");
	assert_int_equal(told.moved, 0);
	answer.lent.over(answer.lent.owner, 0);
	assert_int_equal(told.over, 1);
	assert_int_equal(one->taken, 0);
	assert_true(asks("POST", path, NULL));
	assert_int_equal(answer.status, 405);
	assert_non_null(strstr(answer.body, "GET or HEAD is expected"));
	assert_int_equal(one->running, 0);
}

/* ---- who has how much ---- */

/* From its front and without a hole, whatever is asked for again. */
static void test_taken(void **state)
{
	static const struct {
		const char *range;
		size_t took, taken;
	} rows[] = {
		{ "bytes=0-49", 30, 30 },  { "bytes=31-60", 30, 30 },
		{ "bytes=10-19", 10, 30 }, { "bytes=30-39", 0, 30 },
		{ "bytes=30-39", 10, 40 }, { "bytes=20-59", 21, 41 },
		{ "bytes=41-", 59, 100 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		gets(one, rows[i].range);
		answer.lent.moved(answer.lent.owner, rows[i].took);
		assert_int_equal(one->taken, rows[i].taken);
		answer.lent.over(answer.lent.owner, rows[i].took);
		assert_int_equal(one->taken, rows[i].taken);
	}
	assert_int_equal(one->asked, COUNT(rows));
}

/* What runs goes on, and nobody hears of it. */
static void test_void_while_it_runs(void **state)
{
	struct front_lent first, second;

	(void)state;
	gets(one, NULL);
	first = answer.lent;
	gets(one, NULL);
	second = answer.lent;
	assert_int_equal(one->running, 2);
	assert_int_equal(file->holders, 4);
	first.over(first.owner, 5);
	assert_int_equal(one->running, 1);
	assert_int_equal(told.over, 1);
	download_free(one);
	one = NULL;
	assert_int_equal(file->holders, 2);
	second.moved(second.owner, 50);
	second.over(second.owner, 50);
	assert_int_equal(told.moved, 2);
	assert_int_equal(told.over, 1);
	assert_int_equal(file->holders, 1);
}

/* The port goes first. */
static void test_port_goes(void **state)
{
	CLEANUP(mem_free_ptr) char *path = download_url(one, "");

	(void)state;
	gets(one, NULL);
	downloads_done(&downloads);
	assert_false(shows(path));
	answer.lent.moved(answer.lent.owner, 7);
	answer.lent.over(answer.lent.owner, 7);
	assert_int_equal(one->taken, 7);
	assert_int_equal(told.over, 1);
}

/* ---- the file ---- */

static void not_mapped(int fd, size_t max, const char *words)
{
	struct error err = { 0 };

	assert_null(mapping_new(fd, max, &err));
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, words);
	error_reset(&err);
	close(fd);
}

static void test_mapping(void **state)
{
	const char *const words =
		"a sealed memory file of 1 to 10 bytes is expected";
	int fd = memory_file(10, F_SEAL_SHRINK | F_SEAL_WRITE);
	struct mapping *m = mapping_new(fd, 10, NULL);

	(void)state;
	assert_non_null(m);
	assert_int_equal(m->len, 10);
	assert_memory_equal(m->data, "abcdefghij", 10);
	assert_int_equal(m->holders, 1);
	assert_true(fcntl(fd, F_GETFD) >= 0);
	close(fd);
	mapping_release(m);
	mapping_release(NULL);
	not_mapped(memory_file(11, F_SEAL_SHRINK | F_SEAL_WRITE), 10, words);
	not_mapped(memory_file(0, F_SEAL_SHRINK | F_SEAL_WRITE), 10, words);
	not_mapped(memory_file(10, F_SEAL_SHRINK), 10, words);
	not_mapped(memory_file(10, F_SEAL_WRITE), 10, words);
	not_mapped(open("/proc/self/exe", O_RDONLY | O_CLOEXEC), 10, words);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_address),
		TEST(test_each_its_own),
		TEST(test_whole),
		TEST(test_part),
		TEST(test_odd_ranges),
		TEST(test_nothing_there),
		TEST(test_methods),
		TEST(test_taken),
		TEST(test_port_goes),
		TEST(test_void_while_it_runs),
		cmocka_unit_test(test_mapping),
	};

	return cmocka_run_group_tests_name("downloads", tests, NULL, NULL);
}
