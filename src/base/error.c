/* SPDX-License-Identifier: MIT */
/*
 * Filling in struct error. Nothing here prints.
 */
#include "base/error.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

#define DETAIL_MAX ((size_t)64 * 1024)

/* True if c continues a UTF-8 character. */
static bool continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/*
 * vsnprintf that cuts between characters, so that half a one does not look
 * like invalid UTF-8 of the peer's.
 */
static void PRINTF_LIKE(3, 0)
	format_cut(char *out, size_t size, const char *format, va_list args)
{
	int len = vsnprintf(out, size, format, args);
	size_t end = size - 1, back = 0;

	if (len < 0)
		out[0] = '\0';
	if (len < 0 || (size_t)len < size)
		return;
	/* Go back over the last character, and keep it if it is whole. */
	while (back < 3 && back < end && continues(out[end - 1 - back]))
		back++;
	if (back < end) {
		unsigned char lead = (unsigned char)out[end - 1 - back];
		size_t want = lead >= 0xf0 ? 3 :
			      lead >= 0xe0 ? 2 :
					     lead >= 0xc0;

		if (want > back)
			out[end - 1 - back] = '\0';
	}
}

static void PRINTF_LIKE(2, 3)
	set_text(struct error *err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	format_cut(err->text, sizeof(err->text), format, args);
	va_end(args);
}

int error_set(struct error *err, enum error_kind kind, const char *format, ...)
{
	char text[sizeof(err->text)];
	va_list args;

	if (!err)
		return -1;
	/* Text of the old error may be an argument: format before clearing. */
	va_start(args, format);
	format_cut(text, sizeof(text), format, args);
	va_end(args);
	error_reset(err);
	err->kind = kind;
	memcpy(err->text, text, strlen(text) + 1);
	return -1;
}

int error_hint(struct error *err, const char *format, ...)
{
	char hint[sizeof(err->hint)];
	va_list args;

	if (!err)
		return -1;
	va_start(args, format);
	format_cut(hint, sizeof(hint), format, args);
	va_end(args);
	memcpy(err->hint, hint, strlen(hint) + 1);
	return -1;
}

int error_code(struct error *err, int code)
{
	if (!err)
		return -1;
	err->code = code;
	err->has_code = true;
	return -1;
}

/* A letter and three digits: it may come from a peer. */
static bool is_finding(const char *code)
{
	return code && strlen(code) == 4 && *code >= 'A' && *code <= 'Z' &&
	       strspn(code + 1, "0123456789") == 3;
}

int error_finding(struct error *err, const char *code)
{
	if (err)
		snprintf(err->finding, sizeof(err->finding), "%s",
			 is_finding(code) ? code : "");
	return -1;
}

char *error_headline(const struct error *err)
{
	return *err->finding ? mem_printf("%s (%s)", err->text, err->finding) :
			       mem_strdup(err->text);
}

char *error_line(const struct error *err)
{
	CLEANUP(mem_free_ptr) char *text = error_headline(err);

	return mem_printf("%s%s%s", text, *err->hint ? "; " : "", err->hint);
}

int error_reason(struct error *err, int reason)
{
	if (err)
		err->reason = reason;
	return -1;
}

int error_retry_after(struct error *err, int64_t ms)
{
	if (err)
		err->retry_after = ms;
	return -1;
}

int error_detail(struct error *err, const char *text, size_t len)
{
	char *copy;

	if (!err)
		return -1;
	if (len > DETAIL_MAX)
		len = DETAIL_MAX;
	copy = text ? mem_strndup(text, len) : NULL;
	mem_free(err->detail);
	err->detail = copy;
	return -1;
}

int error_one_of(struct error *err, const char *name, const struct error *one)
{
	CLEANUP(mem_free_ptr) char *headline = error_headline(one);
	CLEANUP(mem_free_ptr) char *told = mem_printf("%s: %s", name, headline);

	error_detail(err, told, strlen(told));
	return error_hint(err, "%s", one->hint);
}

int error_prefix(struct error *err, const char *format, ...)
{
	char old[sizeof(err->text)], prefix[sizeof(err->text)];
	va_list args;

	if (!err)
		return -1;
	va_start(args, format);
	format_cut(prefix, sizeof(prefix), format, args);
	va_end(args);
	memcpy(old, err->text, sizeof(old));
	set_text(err, "%s: %s", prefix, old);
	return -1;
}

void error_reset(struct error *err)
{
	if (!err)
		return;
	mem_free(err->detail);
	*err = (struct error){ 0 };
}

void error_copy(struct error *to, const struct error *from)
{
	char *detail;

	if (!to || to == from)
		return;
	detail = mem_strdup(from->detail);
	error_reset(to);
	*to = *from;
	to->detail = detail;
}

int error_status(const struct error *err)
{
	if (err->kind == ERR_INTERRUPTED && err->code == SIGPIPE)
		return ERR_OUTPUT;
	/* As a shell says it. */
	if (err->kind == ERR_INTERRUPTED && err->code > 0)
		return 128 + err->code;
	return (int)err->kind;
}

const char *error_kind_name(enum error_kind kind)
{
	switch (kind) {
	case ERR_NONE:
		return "none";
	case ERR_PEER:
		return "peer";
	case ERR_USAGE:
		return "usage";
	case ERR_CONNECT:
		return "connect";
	case ERR_TIMEOUT:
		return "timeout";
	case ERR_PROTOCOL:
		return "protocol";
	case ERR_AUTH:
		return "auth";
	case ERR_UNMET:
		return "unmet";
	case ERR_OUTPUT:
		return "output";
	case ERR_INTERRUPTED:
		return "interrupted";
	}
	return "unknown";
}
