/* SPDX-License-Identifier: MIT */
/* Files that boards fetch: addresses, ranges, and who has how much. */
#include "net/downloads.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/secret_file.h"
#include "base/text.h"

#define FILE_NAME "/firmware.bin"
#define BLOCK 131072 /* of a file, whole pages */

/* ---- the file ---- */

struct mapping *mapping_new(int fd, size_t max, struct error *err)
{
	const int wanted = F_SEAL_SHRINK | F_SEAL_WRITE;
	int seals = fcntl(fd, F_GET_SEALS);
	struct mapping *m;
	struct stat st;
	void *data;

	if (seals < 0 || (seals & wanted) != wanted || fstat(fd, &st) != 0 ||
	    st.st_size <= 0 || (uint64_t)st.st_size > max) {
		error_set(err, ERR_USAGE,
			  "a sealed memory file of 1 to %zu bytes is expected",
			  max);
		return NULL;
	}
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (data == MAP_FAILED) {
		error_set(err, ERR_CONNECT, "cannot map the file: %s",
			  strerror(errno));
		return NULL;
	}
	m = mem_zalloc(sizeof(*m));
	*m = (struct mapping){ data, data, (size_t)st.st_size, 1 };
	return m;
}

static void mapping_hold(struct mapping *m)
{
	m->holders++;
}

void mapping_release(struct mapping *m)
{
	if (!m || --m->holders)
		return;
	munmap(m->memory, m->len);
	mem_free(m);
}

/* ---- addresses ---- */

struct download *download_new(struct downloads *ds, struct mapping *file,
			      const char *id,
			      const struct download_events *events, void *owner)
{
	struct download *d = mem_zalloc(sizeof(*d));

	random_hex(d->token);
	d->id = mem_strdup(id);
	d->file = file;
	mapping_hold(file);
	d->events = events;
	d->owner = owner;
	d->next = ds->first;
	d->link = &ds->first;
	if (d->next)
		d->next->link = &d->next;
	ds->first = d;
	return d;
}

char *download_url(const struct download *d, const char *base)
{
	return mem_printf("%s" DOWNLOAD_PATH "%s" FILE_NAME, base, d->token);
}

static struct download *find(const struct downloads *ds, const char *path)
{
	struct download *found = NULL;
	const char *token;
	size_t len;

	if (!text_starts(path, DOWNLOAD_PATH))
		return NULL;
	token = path + strlen(DOWNLOAD_PATH);
	len = strcspn(token, "/");
	for (struct download *d = ds->first; d; d = d->next) {
		if (secret_same(d->token, RANDOM_HEX_SIZE - 1, token, len))
			found = d;
	}
	return found && strcmp(token + len, FILE_NAME) == 0 ? found : NULL;
}

bool downloads_show(const struct downloads *ds, const struct visit *v)
{
	return find(ds, v->head->path) != NULL;
}

/* ---- ranges ---- */

static int number(const char **at, size_t *out)
{
	const char *start = *at;

	for (*out = 0; **at >= '0' && **at <= '9'; (*at)++) {
		if (*out > SIZE_MAX / 10 - 9)
			return -1;
		*out = *out * 10 + (size_t)(**at - '0');
	}
	return *at > start ? 1 : 0;
}

/* The last N bytes. */
static int last_bytes(const char *at, size_t len, size_t *from, size_t *count)
{
	size_t n;

	if (number(&at, &n) != 1 || *at)
		return 0;
	if (!n)
		return -1;
	*count = n < len ? n : len;
	*from = len - *count;
	return 1;
}

int range_read(const char *text, size_t len, size_t *from, size_t *count)
{
	const char *at;
	size_t first, last;
	int status;

	if (!text || !text_starts(text, "bytes="))
		return 0;
	at = text + strlen("bytes=");
	if (*at == '-')
		return last_bytes(at + 1, len, from, count);
	if (number(&at, &first) != 1 || *at != '-')
		return 0;
	at++;
	status = number(&at, &last);
	if (status < 0 || *at || (status && last < first))
		return 0;
	if (first >= len)
		return -1;
	if (!status || last >= len)
		last = len - 1;
	*from = first;
	*count = last - first + 1;
	return 1;
}

/* ---- one request ---- */

struct download_fetch {
	struct download *of; /* NULL: its address is void */
	struct mapping *file;
	size_t from;
	size_t passed; /* blocks */
	struct download_fetch *next, **link;
};

/* Behind what it had already, without a hole. */
static void took(struct download_fetch *f, size_t taken)
{
	struct download *d = f->of;

	if (f->from <= d->taken && f->from + taken > d->taken)
		d->taken = f->from + taken;
}

/*
 * What one has passed leaves this process's memory: a page that another one
 * still wants is mapped again, from memory and not from a disk.
 */
static void pass(struct download_fetch *f, size_t taken)
{
	const size_t block = (f->from + taken) / BLOCK;

	for (; f->passed < block; f->passed++)
		madvise((char *)f->file->memory + f->passed * BLOCK, BLOCK,
			MADV_DONTNEED);
}

static void on_moved(void *owner, size_t taken)
{
	struct download_fetch *f = owner;

	pass(f, taken);
	if (!f->of)
		return;
	took(f, taken);
	f->of->events->moved(f->of->owner, f->of);
}

static void unlink_fetch(struct download *d, struct download_fetch *f)
{
	*f->link = f->next;
	if (f->next)
		f->next->link = f->link;
	d->running--;
	f->of = NULL;
}

static void on_over(void *owner, size_t taken)
{
	struct download_fetch *f = owner;
	struct download *d = f->of;

	if (d) {
		took(f, taken);
		unlink_fetch(d, f);
		d->events->over(d->owner, d);
	}
	mapping_release(f->file);
	mem_free(f);
}

static void unlink_download(struct download *d)
{
	if (!d->link)
		return;
	*d->link = d->next;
	if (d->next)
		d->next->link = d->link;
	d->link = NULL;
}

void downloads_done(struct downloads *ds)
{
	while (ds->first)
		unlink_download(ds->first);
}

void download_free(struct download *d)
{
	while (d->fetches)
		unlink_fetch(d, d->fetches);
	unlink_download(d);
	mapping_release(d->file);
	explicit_bzero(d->token, sizeof(d->token));
	mem_free(d->id);
	mem_free(d);
}

static struct download_fetch *fetch_new(struct download *d, size_t from)
{
	struct download_fetch *f = mem_zalloc(sizeof(*f));

	*f = (struct download_fetch){ .of = d,
				      .file = d->file,
				      .from = from,
				      .passed = from / BLOCK,
				      .next = d->fetches,
				      .link = &d->fetches };
	if (f->next)
		f->next->link = &f->next;
	d->fetches = f;
	mapping_hold(d->file);
	d->running++;
	return f;
}

static void send_file(struct download *d, const struct visit *v, int status,
		      size_t from, size_t count)
{
	CLEANUP(headers_done) struct headers headers = { 0 };
	struct download_fetch *f = fetch_new(d, from);
	const struct front_lent lent = { .data = d->file->data + from,
					 .len = count,
					 .moved = on_moved,
					 .over = on_over,
					 .owner = f };
	char range[96];

	headers_add(&headers, "Accept-Ranges", "bytes");
	snprintf(range, sizeof(range), "bytes %zu-%zu/%zu", from,
		 from + count - 1, d->file->len);
	if (status == 206)
		headers_add(&headers, "Content-Range", range);
	if (strcmp(v->head->method, "HEAD") != 0) {
		d->asked++;
		snprintf(d->from, sizeof(d->from), "%s", v->head->address);
		d->events->moved(d->owner, d);
	}
	v->port->front->lend(v->rq, status, "application/octet-stream",
			     &headers, &lent);
}

static void refuse_range(const struct download *d, const struct visit *v)
{
	static const char text[] = "{\"error\":\"nothing is there\"}\n";
	CLEANUP(headers_done) struct headers headers = { 0 };
	char range[48];

	snprintf(range, sizeof(range), "bytes */%zu", d->file->len);
	headers_add(&headers, "Content-Range", range);
	v->port->front->reply_with(v->rq, 416, "application/json", &headers,
				   text, sizeof(text) - 1);
}

bool downloads_http(struct downloads *ds, const struct visit *v)
{
	struct download *d = find(ds, v->head->path);
	const char *method = v->head->method;
	size_t from = 0, count;
	int status;

	if (!d)
		return false;
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0) {
		visit_refuse(v, 405, "GET or HEAD is expected");
		return true;
	}
	count = d->file->len;
	status = range_read(headers_get(v->head->headers, "Range"),
			    d->file->len, &from, &count);
	if (status < 0)
		refuse_range(d, v);
	else
		send_file(d, v, status ? 206 : 200, from, count);
	return true;
}
