/* SPDX-License-Identifier: MIT */
/*
 * The fields of a form, by libmicrohttpd's post processor. It gives them in
 * pieces; here each becomes whole.
 */
#include <string.h>

#include "base/mem.h"
#include "net/front_http.h"

/* What the processor looks at in one go. */
#define PIECE_MAX 65536

struct post_form {
	front_form_field *field;
	void *owner;
	char *name, *filename, *type; /* of the field that has begun */
	struct buf data;
	bool begun;
};

static void finish_field(struct post_form *f)
{
	if (f->begun)
		f->field(f->owner, f->name, f->filename, f->type,
			 buf_string(&f->data), f->data.len);
	f->begun = false;
	buf_reset(&f->data);
	mem_free(TAKE(f->name));
	mem_free(TAKE(f->filename));
	mem_free(TAKE(f->type));
}

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* The first piece of a field may be empty, and then the next one begins at 0 too. */
static bool goes_on(const struct post_form *f, uint64_t offset,
		    const char *name, const char *filename)
{
	if (!f->begun)
		return false;
	return offset > 0 || (f->data.len == 0 && same(f->name, name) &&
			      same(f->filename, filename));
}

/* NOLINTNEXTLINE(readability-function-size) the signature is libmicrohttpd's */
static enum MHD_Result on_piece(void *cls, enum MHD_ValueKind kind,
				const char *name, const char *filename,
				const char *type, const char *encoding,
				const char *data, uint64_t offset, size_t len)
{
	struct post_form *f = cls;

	(void)kind;
	(void)encoding;
	name = name ? name : "";
	if (!goes_on(f, offset, name, filename)) {
		finish_field(f);
		f->begun = true;
		f->name = mem_strdup(name);
		f->filename = mem_strdup(filename);
		f->type = mem_strdup(type);
	}
	buf_add(&f->data, data, len);
	return MHD_YES;
}

int front_form(struct front_request *rq, front_form_field *field, void *owner,
	       struct error *err)
{
	struct post_form f = { .field = field, .owner = owner };
	struct MHD_PostProcessor *processor = NULL;
	bool whole;

	if (rq->connection)
		processor = MHD_create_post_processor(rq->connection, PIECE_MAX,
						      on_piece, &f);
	if (!processor)
		return error_set(err, ERR_PROTOCOL,
				 "the body is no form (multipart/form-data)");
	whole = MHD_post_process(processor, buf_string(&rq->body),
				 rq->body.len) == MHD_YES;
	whole = MHD_destroy_post_processor(processor) == MHD_YES && whole;
	/* A field that was cut is none. */
	f.begun = f.begun && whole;
	finish_field(&f);
	buf_done(&f.data);
	if (!whole)
		return error_set(err, ERR_PROTOCOL,
				 "the form in the body is broken or cut");
	return 0;
}
