/* SPDX-License-Identifier: MIT */
#include "serve/pages_parts.h"

#include <assert.h>
#include <string.h>
#include <time.h>

#include "base/sha256.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "net/port_parts.h"

/* The files as they are, each with a NUL; make runs where their paths begin. */
#define FILE_OF(name, path)                                      \
	__asm__(".section .rodata\n" #name ":\n"                 \
		".incbin \"src/serve/" path "\"\n"               \
		".byte 0\n.previous");                           \
	/* NOLINTNEXTLINE(bugprone-macro-parentheses): a name */ \
	extern __attribute__((visibility("hidden"))) const char name[]
FILE_OF(pages_style, "pages.css");
FILE_OF(pages_script, "pages.js");
FILE_OF(pages_icon, "pages.svg");

static void escaped(struct buf *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("<>&\"'", *text) || (unsigned char)*text < ' ')
			buf_printf(out, "&#%u;", (unsigned)*text);
		else
			buf_char(out, *text);
	}
}

void html_shown(struct buf *out, const char *text)
{
	CLEANUP(buf_done) struct buf safe = { 0 };

	if (!text)
		return;
	text_safe(&safe, text, strlen(text), TEXT_PARAGRAPH);
	escaped(out, buf_string(&safe));
}

/* For an attribute that comes back as it is: escaped, and nothing else. */
static void html_value(struct buf *out, const char *text)
{
	escaped(out, text);
}

void html_path(struct buf *out, const char *text)
{
	text_percent_encode(out, text, "-._~:");
}

void html_attribute(struct buf *out, const char *name, const char *text)
{
	buf_printf(out, " %s=\"", name);
	html_value(out, text);
	buf_char(out, '"');
}

/* Another content has another address: so it may be kept for good. */
static void add_file(struct buf *out, const char *before, const char *path,
		     const char *after)
{
	const struct html_file *f = html_file(path);
	char sum[SHA256_TEXT];

	assert(f);
	sha256_text(f->text, f->len, sum);
	buf_printf(out, "%s%s?%.16s%s", before, path, sum, after);
}

void html_begin(struct buf *out, const char *title)
{
	buf_text(
		out,
		"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>");
	page_text(out, title);
	buf_text(out, " - mcpctl</title>");
	add_file(out, "<link rel=\"stylesheet\" href=\"", "/web/style.css",
		 "\">");
	add_file(out, "<link rel=\"icon\" href=\"", "/web/icon.svg", "\">");
	add_file(out, "<script defer src=\"", "/web/script.js",
		 "\"></script></head>\n<body>\n");
	buf_text(
		out,
		"<header><a href=\"/\">mcpctl</a> <span id=\"live\"></span></header>\n<main>\n<h1>");
	page_text(out, title);
	buf_text(out, "</h1>\n");
}

void html_end(struct buf *out)
{
	buf_text(out, "</main></body></html>\n");
}

void html_notice(struct buf *out, const char *title, const char *words,
		 const char *back)
{
	html_begin(out, title);
	buf_printf(out, "<div id=\"answer\"><p>%s</p></div>\n", words);
	if (back) {
		buf_text(out, "<p><a");
		html_attribute(out, "href", back);
		buf_text(out, ">Back</a></p>\n");
	}
	html_end(out);
}

void html_time(struct buf *out, int64_t ms)
{
	time_t seconds = (time_t)(ms / 1000);
	char text[32] = "";
	struct tm local;

	if (localtime_r(&seconds, &local))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &local);
	buf_text(out, text);
}

const struct html_file *html_file(const char *path)
{
	static struct html_file files[] = {
		{ "/web/style.css", "text/css; charset=utf-8", pages_style, 0 },
		{ "/web/script.js", "text/javascript; charset=utf-8",
		  pages_script, 0 },
		{ "/web/icon.svg", "image/svg+xml", pages_icon, 0 },
	};

	for (size_t i = 0; i < COUNT(files); i++) {
		if (strcmp(files[i].path, path) != 0)
			continue;
		files[i].len = strlen(files[i].text);
		return &files[i];
	}
	return NULL;
}
