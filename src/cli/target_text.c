/* SPDX-License-Identifier: MIT */
/* A target as text: without its secrets, and as words of a command line. */
#include <string.h>

#include "base/mask.h"
#include "base/mem.h"
#include "base/split.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "cli/target_text.h"
#include "net/endpoint.h"

/* "//USER@HOST/PATH?QUERY" without USER and QUERY. */
static void add_without_secrets(struct buf *out, const char *rest)
{
	if (strncmp(rest, "//", 2) == 0) {
		size_t authority = strcspn(rest + 2, "/?#");
		const char *at = memrchr(rest + 2, '@', authority);

		buf_text(out, "//");
		rest = at ? at + 1 : rest + 2;
	}
	text_safe(out, rest, strcspn(rest, "?"), TEXT_NAME);
}

/* To its end, as a shell sees it. */
static size_t word_length(const char *word)
{
	char quote = '\0';
	const char *p;

	for (p = word; *p && (quote || !strchr(" \t\r\n", *p)); p++) {
		if (*p == '\\' && quote != '\'' && p[1])
			p++;
		else if (*p == quote)
			quote = '\0';
		else if (!quote && (*p == '\'' || *p == '"'))
			quote = *p;
	}
	return (size_t)(p - word);
}

/* "--token": what stands behind it. Not where that is the name of a file. */
static bool names_secret(const char *word)
{
	const size_t len = strlen(word);
	const char *last = word + (len < 4 ? 0 : len - 4);

	return *word == '-' && !strchr(word, '=') && !text_same(last, "file") &&
	       !text_same(last, "path") &&
	       mask_is_secret(word + strspn(word, "-"));
}

/* What mask_secrets does not know: arguments, and passwords in addresses. */
static void add_command(struct buf *out, const char *line)
{
	CLEANUP(buf_done) struct buf masked = { 0 };
	bool secret = false;

	while (*line) {
		const size_t space = strspn(line, " \t\r\n");
		const size_t len = word_length(line + space);
		CLEANUP(mem_free_ptr)
		char *word = mem_strndup(line + space, len);
		CLEANUP(mem_free_ptr)
		char *shown = endpoint_without_password(word);

		buf_add(&masked, line, space);
		buf_text(&masked, secret && len && !text_starts(word, "--") ?
					  "***" :
					  shown);
		secret = names_secret(word);
		line += space + len;
	}
	text_safe(out, buf_string(&masked), masked.len, TEXT_NAME);
}

char *target_key(const char *target, const char *device)
{
	size_t scheme =
		target && strchr(target, ':') ? strcspn(target, ":") + 1 : 0;
	struct buf out = { 0 };
	const char *rest;

	if (device && *device) {
		buf_text(&out, "attach:");
		text_safe(&out, device, strlen(device), TEXT_NAME);
		return buf_take(&out);
	}
	for (size_t i = 0; i < scheme; i++)
		buf_char(&out, (char)text_lower(target[i]));
	if (!target)
		return buf_take(&out);
	rest = target + scheme;
	if (strcmp(buf_string(&out), "sim:") == 0) {
		text_safe(&out, rest, strlen(rest), TEXT_NAME);
	} else if (strcmp(buf_string(&out), "stdio:") == 0) {
		CLEANUP(buf_done) struct buf masked = { 0 };

		mask_secrets(&masked, rest, strlen(rest));
		add_command(&out, buf_string(&masked));
	} else {
		add_without_secrets(&out, rest);
	}
	return buf_take(&out);
}

char *target_choice_key(const char *target, const char *device)
{
	CLEANUP(mem_free_ptr) char *key = target_key(target, NULL);

	return device && *device ? mem_printf("%s -d %s", key, device) :
				   TAKE(key);
}

static void add_option(struct buf *out, const char *option, const char *value)
{
	buf_printf(out, "%s ", option);
	words_quote(out, value);
	buf_char(out, ' ');
}

static void add_name(struct buf *out, const char *name, const char *config_file)
{
	if (config_file)
		add_option(out, "--config", config_file);
	add_option(out, "-t", name);
}

/* The key of its list is the target without its secrets. */
static void add_address(struct buf *out, const char *target)
{
	CLEANUP(mem_free_ptr) char *shown = target_key(target, NULL);

	words_quote(out, shown);
	buf_char(out, ' ');
}

void target_words(struct buf *out, const char *target, const char *config_file)
{
	if (!target || !*target)
		return;
	if (strchr(target, ':'))
		add_address(out, target);
	else
		add_name(out, target, config_file);
}
