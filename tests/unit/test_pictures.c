/* SPDX-License-Identifier: MIT */
/*
 * Pictures that boards send: who may, what is answered, what is told, what is
 * kept; without a socket and without a command.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "folder.h"
#include "net/pictures.h"

/* Of 2 x 3. */
#define PNG "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\2\0\0\0\3\x08\2\0\0\0"
#define PNG_LEN (sizeof(PNG) - 1)

/* ---- a front that has a form, and remembers what it was to answer ---- */

struct form_field {
	const char *name, *data;
	size_t len;
};

static const struct form_field *form; /* ends with a name that is NULL */
static const char *form_fault;

static struct {
	unsigned count;
	int status;
	char *body, *retry;
} answer;

static void on_reply_with(struct front_request *rq, int status,
			  const char *type, const struct headers *h,
			  const char *body, size_t len)
{
	const char *retry = h ? headers_get(h, "Retry-After") : NULL;

	(void)rq;
	assert_string_equal(type, "application/json");
	mem_free(answer.body);
	mem_free(answer.retry);
	answer.count++;
	answer.status = status;
	answer.body = mem_strndup(body, len);
	answer.retry = mem_strdup(retry);
}

static void on_reply(struct front_request *rq, int status, const char *type,
		     const char *body, size_t len)
{
	on_reply_with(rq, status, type, NULL, body, len);
}

static int on_form(struct front_request *rq, front_form_field *field,
		   void *owner, struct error *err)
{
	(void)rq;
	for (const struct form_field *f = form; f && f->name; f++)
		field(owner, f->name, NULL, NULL, f->data, f->len);
	return form_fault ? error_set(err, ERR_PROTOCOL, "%s", form_fault) : 0;
}

static const struct front_table front = { .reply = on_reply,
					  .reply_with = on_reply_with,
					  .form = on_form };
static struct port port = { .front = &front };

/* ---- who is known, and what is told ---- */

static struct {
	unsigned count;
	enum picture_event event;
	bool upload, bad;
	char *text, *hint, *file, *detail, *device;
} told;

static bool marked, connected;

static void told_reset(void)
{
	mem_free(told.text);
	mem_free(told.hint);
	mem_free(told.file);
	mem_free(told.detail);
	mem_free(told.device);
	memset(&told, 0, sizeof(told));
}

static void on_heard(void *owner, const struct picture_news *n)
{
	unsigned count = told.count + 1;

	(void)owner;
	told_reset();
	told.count = count;
	told.event = n->event;
	told.upload = n->upload;
	told.bad = n->bad;
	told.text = mem_strdup(n->text);
	told.hint = mem_strdup(n->hint);
	told.file = mem_strdup(n->file);
	told.device = mem_strdup(n->who.device_id);
	told.detail = n->detail ? mem_strdup(buf_string(n->detail)) : NULL;
}

static bool by_token(void *owner, const struct visit *v, const char *given,
		     struct who *out)
{
	(void)owner;
	*out = (struct who){ "aa:bb", "client", v->head->address };
	return text_same(given, "Bearer right");
}

static bool by_id(void *owner, const struct visit *v, const char *id,
		  struct who *out)
{
	(void)owner;
	(void)v;
	if (connected)
		*out = (struct who){ id, "client", "there" };
	return connected;
}

static bool marks(void *owner, const struct who *who, struct span picture,
		  char mark[RANDOM_HEX_SIZE])
{
	(void)owner;
	assert_string_equal(who->device_id, "aa:bb");
	assert_int_equal(*picture.text == *PNG, picture.len == PNG_LEN);
	snprintf(mark, RANDOM_HEX_SIZE, "name");
	return marked;
}

static const struct pictures_policy policy = {
	.by_token = by_token, .by_id = by_id, .marks = marks, .heard = on_heard
};

static struct picture_rules rules;
static struct pictures pictures;

static int set_up(void **state)
{
	(void)state;
	rules = (struct picture_rules){ .picture_max = 1000 };
	memset(&pictures, 0, sizeof(pictures));
	pictures.policy = &policy;
	pictures.rules = &rules;
	pictures.budget = budget_new();
	marked = connected = false;
	form = NULL;
	form_fault = NULL;
	answer.count = 0;
	return pictures_open(&pictures, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	pictures_done(&pictures);
	budget_free(pictures.budget);
	told_reset();
	mem_free(answer.body);
	mem_free(answer.retry);
	answer.body = answer.retry = NULL;
	return 0;
}

static bool comes(const char *method, const char *path, const char *token,
		  size_t len)
{
	CLEANUP(headers_done) struct headers h = { 0 };
	const struct front_head head = { .address = "10.0.0.7:5000",
					 .method = method,
					 .path = path,
					 .headers = &h };
	const struct visit v = { .port = &port,
				 .head = &head,
				 .len = len,
				 .who = { .address = "10.0.0.7:5000" } };

	if (token)
		headers_add(&h, "authorization", token);
	return pictures_http(&pictures, &v);
}

static void sends(const struct form_field *fields)
{
	form = fields;
	assert_true(comes("POST", "/vision/explain", "Bearer right", 500));
}

static void begins(const char *text, const char *with)
{
	if (!text_starts(text, with))
		fail_msg("'%s' does not begin with '%s'", text, with);
}

static const struct form_field photo[] = { { "question", "what?", 5 },
					   { "file", PNG, PNG_LEN },
					   { NULL, NULL, 0 } };

/* ---- who may ---- */

static void test_other_requests(void **state)
{
	static const char *const other[] = { "/", "/vision", "/vision/explain2",
					     "/uploads", "/vision/explain/x" };

	(void)state;
	for (size_t i = 0; i < COUNT(other); i++)
		assert_false(comes("POST", other[i], "Bearer right", 1));
	assert_int_equal(answer.count, 0);
	assert_true(comes("GET", "/vision/explain/", "Bearer right", 0));
	assert_int_equal(answer.status, 405);
	assert_string_equal(
		answer.body,
		"{\"success\":false,\"message\":\"pictures are sent here with POST\"}");
	assert_true(comes("GET", "/upload/x", NULL, 0));
	assert_int_equal(answer.status, 405);
	assert_int_equal(told.count, 0);
}

static void test_who_is_not_known(void **state)
{
	(void)state;
	form = photo;
	assert_true(comes("POST", "/vision/explain", "Bearer wrong", 1));
	assert_int_equal(answer.status, 401);
	assert_string_equal(
		answer.body,
		"{\"success\":false,\"message\":\"the token is wrong\"}");
	assert_null(answer.retry);
	assert_int_equal(told.event, PICTURE_REFUSED);
	assert_string_equal(told.text,
			    "/vision/explain refused: the token is wrong");
	assert_string_equal(
		told.hint,
		"each connection has its own, which the board gets with initialize: it must be connected here");
	/* Not what it told. */
	assert_null(told.device);
	assert_true(comes("POST", "/vision/explain", NULL, 1));
	assert_int_equal(answer.status, 401);
	assert_string_equal(told.text,
			    "/vision/explain refused: a token is needed");
	assert_true(comes("POST", "/upload/secret", "Bearer wrong", 1));
	assert_int_equal(answer.status, 403);
	assert_string_equal(
		answer.body,
		"{\"success\":false,\"message\":\"this address takes no picture, or takes none any more\"}");
	/* The rest of its path may be a secret. */
	assert_string_equal(
		told.text,
		"/upload refused: this address takes no picture, or takes none any more");
	assert_int_equal(told.count, 3);
}

static void test_how_much_of_whom(void **state)
{
	CLEANUP(mem_free_ptr)
	char *address = pictures_address(&pictures, "", "aa:bb");
	CLEANUP(headers_done) struct headers none = { 0 }, right = { 0 };
	struct front_head head = { .path = "/vision/explain",
				   .headers = &none };
	const struct visit v = { .port = &port, .head = &head };

	(void)state;
	headers_add(&right, "authorization", "Bearer right");
	assert_int_equal(pictures_body_max(&pictures, &v), 131072);
	head.path = address;
	assert_true(pictures_body_max(&pictures, &v) == SIZE_MAX);
	head.path = "/upload/x";
	assert_int_equal(pictures_body_max(&pictures, &v), 131072);
	head.headers = &right;
	assert_true(pictures_body_max(&pictures, &v) == SIZE_MAX);
}

/* ---- the answer ---- */

static void test_fixed_answer(void **state)
{
	(void)state;
	sends(photo);
	assert_int_equal(answer.count, 1);
	assert_int_equal(answer.status, 200);
	assert_string_equal(
		answer.body,
		"{\"success\":true,\"action\":\"RESPONSE\",\"response\":\"mcpctl received a PNG picture, 2x3, 29 bytes\"}");
	assert_int_equal(told.count, 1);
	assert_int_equal(told.event, PICTURE_CAME);
	assert_false(told.bad || told.upload);
	assert_string_equal(
		told.text,
		"sent a PNG picture, 2x3, 29 bytes; it asks 'what?'");
	assert_string_equal(told.device, "aa:bb");
	assert_null(told.file);
	begins(told.detail,
	       "\"file\":null,\"bytes\":29,\"type\":\"png\",\"width\":2,\"height\":3,\"question\":\"what?\",\"took_ms\":");
	rules.vision_text = "a \"cat\"";
	sends(photo);
	assert_string_equal(
		answer.body,
		"{\"success\":true,\"action\":\"RESPONSE\",\"response\":\"a \\\"cat\\\"\"}");
}

static void test_named(void **state)
{
	(void)state;
	marked = true;
	rules.vision_text = "x";
	sends(photo);
	assert_string_equal(
		answer.body,
		"{\"success\":true,\"action\":\"RESPONSE\",\"response\":\"x\",\"picture_id\":\"name\"}");
}

static void test_other_files(void **state)
{
	static const struct form_field odd[] = { { "image", "x", 1 },
						 { "file", PNG, PNG_LEN },
						 { NULL, NULL, 0 } };
	static char large[1234567];
	const struct form_field sole[] = { { "file", large, 123 },
					   { NULL, NULL, 0 } };
	const struct form_field many[] = { { "file", large, sizeof(large) },
					   { "x", "y", 1 },
					   { "question", "one", 3 },
					   { "file", "x", 1 },
					   { "image", "x", 1 },
					   { "question", "two", 3 },
					   { NULL, NULL, 0 } };

	(void)state;
	sends(odd);
	assert_string_equal(
		told.text,
		"sent a file that is no known picture, 1 byte; 1 more file in the form was not looked at");
	assert_true(told.bad);
	begins(told.detail,
	       "\"file\":null,\"bytes\":1,\"type\":null,\"width\":null,\"height\":null,\"question\":null,");
	sends(sole);
	assert_string_equal(told.text,
			    "sent a file that is no known picture, 123 bytes");
	assert_true(told.bad);
	sends(many);
	assert_string_equal(
		told.text,
		"sent a file that is no known picture, 1,234,567 bytes; 2 more files in the form were not looked at; it asks 'two'");
}

static void refuses_form(const struct form_field *fields, const char *message)
{
	CLEANUP(mem_free_ptr)
	char *body =
		mem_printf("{\"success\":false,\"message\":\"%s\"}", message);
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("/vision/explain refused: %s", message);

	sends(fields);
	assert_int_equal(answer.status, 400);
	assert_string_equal(answer.body, body);
	assert_int_equal(told.event, PICTURE_REFUSED);
	assert_string_equal(told.text, text);
	assert_string_equal(
		told.hint,
		"a picture comes as multipart/form-data, in a field 'file'");
}

static void test_forms(void **state)
{
	static const struct form_field none[] = { { "question", "x", 1 },
						  { "photo", "x", 1 },
						  { NULL, NULL, 0 } };
	static const struct form_field empty[] = { { "file", "", 0 },
						   { NULL, NULL, 0 } };

	(void)state;
	refuses_form(none, "the form has no field 'file'");
	refuses_form(empty, "the picture is empty");
	form_fault = "the form is cut";
	refuses_form(photo, "the form is cut");
}

/* Cut between characters, and both sides are told. */
static void test_long_answers(void **state)
{
	char *text = mem_zalloc(8001);

	(void)state;
	memset(text, 'x', 7000);
	rules.vision_text = text;
	sends(photo);
	assert_false(told.bad);
	assert_null(strstr(answer.body, "warning"));
	memset(text, 'x', 7001);
	sends(photo);
	assert_true(told.bad);
	assert_non_null(strstr(
		answer.body,
		"xx\",\"warning\":\"the answer was cut: 7000 of 7001 bytes went to the board\"}"));
	assert_string_equal(
		told.text,
		"sent a PNG picture, 2x3, 29 bytes; it asks 'what?'; the answer was cut: 7000 of 7001 bytes went to the board");
	/* Each of them is two in JSON. */
	memset(text, '"', 6000);
	text[6000] = '\0';
	sends(photo);
	assert_true(told.bad);
	assert_true(strlen(answer.body) < 8000);
	assert_true(strlen(answer.body) > 6500);
	assert_non_null(
		strstr(answer.body, " of 6000 bytes went to the board"));
	mem_free(text);
}

static void test_long_questions(void **state)
{
	char *question = mem_zalloc(5000);
	const struct form_field fields[] = { { "file", PNG, PNG_LEN },
					     { "question", question, 4098 },
					     { NULL, NULL, 0 } };

	(void)state;
	memset(question, 'q', 4095);
	memcpy(question + 4095, "é!", 3);
	sends(fields);
	assert_int_equal(
		strlen(told.text),
		strlen("sent a PNG picture, 2x3, 29 bytes; it asks ''") + 200);
	assert_non_null(strstr(told.detail, "q\",\"took_ms\":"));
	assert_null(strstr(told.detail, "!"));
	mem_free(question);
}

/* ---- the screen: an address for one picture ---- */

static void test_upload(void **state)
{
	CLEANUP(mem_free_ptr)
	char *address = pictures_address(&pictures, "http://h:1", "cc:dd");
	const char *path = address + strlen("http://h:1");

	(void)state;
	assert_memory_equal(address, "http://h:1/upload/", 18);
	rules.vision_text = "a cat";
	form = photo;
	assert_true(comes("POST", path, NULL, 1));
	assert_int_equal(answer.status, 200);
	/* It is no question of the camera. */
	assert_non_null(strstr(answer.body, "mcpctl received a PNG picture"));
	assert_true(told.upload);
	assert_string_equal(told.device, "cc:dd");
	assert_true(comes("POST", path, NULL, 1));
	assert_int_equal(answer.status, 403);
	/* A board that is here may show its token instead. */
	assert_true(comes("POST", "/upload", "Bearer right", 1));
	assert_int_equal(answer.status, 200);
	assert_string_equal(told.device, "aa:bb");
}

/* ---- kept ---- */

static void test_saved(void **state)
{
	CLEANUP(mem_free_ptr) char *kept = folder_path("kept");
	CLEANUP(buf_done) struct buf data = { 0 };
	CLEANUP(mem_free_ptr) char *words = NULL;
	struct stat st;

	(void)state;
	rules.save_images = kept;
	assert_int_equal(pictures_open(&pictures, NULL), 0);
	assert_int_equal(stat(kept, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0755);
	sends(photo);
	assert_non_null(told.file);
	assert_non_null(strstr(told.file, "-000-aa-bb.png"));
	words = mem_printf(
		"sent a PNG picture, 2x3, 29 bytes, saved as %s; it asks 'what?'",
		told.file);
	assert_string_equal(told.text, words);
	assert_int_equal(file_read(&data, "picture", told.file, NULL), 0);
	assert_int_equal(data.len, PNG_LEN);
	assert_memory_equal(data.data, PNG, PNG_LEN);
	assert_null(strstr(answer.body, "warning"));
	/* It is answered all the same where it cannot be. */
	rules.save_images = "/nowhere/at/all";
	sends(photo);
	assert_int_equal(answer.status, 200);
	assert_non_null(strstr(
		answer.body,
		",\"warning\":\"the picture was not saved: No such file or directory\"}"));
	assert_int_equal(told.count, 3);
	assert_int_equal(told.event, PICTURE_CAME);
	assert_null(told.file);
}

static struct disk_space space;
static int space_error;

static int on_space(const char *where, struct disk_space *out)
{
	(void)where;
	*out = space;
	return space_error;
}

/* What stays free is a tenth; the picture must fit beside that. */
static void test_disk(void **state)
{
	(void)state;
	rules.save_images = folder;
	pictures.space = on_space;
	form = photo;
	space = (struct disk_space){ .all = 20000000, .left = 2000499 };
	sends(photo);
	assert_int_equal(answer.status, 507);
	assert_string_equal(
		answer.body,
		"{\"success\":false,\"message\":\"the disk is nearly full\"}");
	assert_int_equal(told.event, PICTURE_NO_ROOM);
	assert_string_equal(told.device, "aa:bb");
	begins(told.text, "a picture was refused: 2.0 MB are free where '");
	assert_non_null(strstr(told.text, "' is, and 2.0 MB stay free"));
	space.left = 2000500;
	sends(photo);
	assert_int_equal(answer.status, 200);
	space.left = 0;
	space_error = EACCES;
	sends(photo);
	assert_int_equal(answer.status, 200);
	space_error = 0;
	/* What is not written needs no room. */
	rules.save_images = NULL;
	sends(photo);
	assert_int_equal(answer.status, 200);
}

/* Three quarters of 32 pictures of the largest are one board's. */
static void test_part_of_a_minute(void **state)
{
	(void)state;
	rules.save_images = folder;
	assert_int_equal(pictures_open(&pictures, NULL), 0);
	pictures.space = on_space;
	space = (struct disk_space){ UINT64_C(1) << 40, UINT64_C(1) << 39 };
	form = photo;
	for (int i = 0; i < 24; i++) {
		comes("POST", "/vision/explain", "Bearer right", 1000);
		assert_int_equal(answer.status, 200);
	}
	comes("POST", "/vision/explain", "Bearer right", 1);
	assert_int_equal(answer.status, 429);
	assert_string_equal(
		answer.body,
		"{\"success\":false,\"message\":\"too many pictures in this minute\"}");
	assert_non_null(answer.retry);
	assert_in_range(atoi(answer.retry), 1, 60);
	assert_int_equal(told.event, PICTURE_NO_ROOM);
	assert_string_equal(
		told.text,
		"a picture was refused: within a minute boards sent more than is taken");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_other_requests),
		TEST(test_who_is_not_known),
		TEST(test_how_much_of_whom),
		TEST(test_fixed_answer),
		TEST(test_named),
		TEST(test_other_files),
		TEST(test_forms),
		TEST(test_long_answers),
		TEST(test_long_questions),
		TEST(test_upload),
		TEST(test_saved),
		TEST(test_disk),
		TEST(test_part_of_a_minute),
	};

	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
