/* SPDX-License-Identifier: MIT */
/*
 * Formats of texts, by their shape.
 */
#include "cli/form_format.h"

#include <ctype.h>
#include <string.h>

/* 9 in shape stands for a digit, anything else for itself without case. */
static bool has_shape(const char *text, const char *shape)
{
	for (; *shape; shape++, text++) {
		if (*shape == '9' ? !isdigit((unsigned char)*text) :
				    toupper((unsigned char)*text) != *shape)
			return false;
	}
	return true;
}

static int two_digits(const char *text)
{
	return (text[0] - '0') * 10 + text[1] - '0';
}

static bool is_day(const char *text)
{
	int month, day;

	if (!has_shape(text, "9999-99-99"))
		return false;
	month = two_digits(text + 5);
	day = two_digits(text + 8);
	return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

static bool is_date(const char *text)
{
	return is_day(text) && !text[10];
}

/* RFC 3339: the zone is not optional. */
static bool is_date_time(const char *text)
{
	if (!is_day(text) || !has_shape(text + 10, "T99:99:99"))
		return false;
	text += 19;
	if (*text == '.') {
		size_t digits = strspn(text + 1, "0123456789");

		if (!digits)
			return false;
		text += 1 + digits;
	}
	if (toupper((unsigned char)*text) == 'Z')
		return !text[1];
	return (*text == '+' || *text == '-') && has_shape(text + 1, "99:99") &&
	       !text[6];
}

static bool is_email(const char *text)
{
	const char *at = strrchr(text, '@');

	return at && at > text && at[1] && !strpbrk(text, " \t<>,;");
}

static bool is_uri(const char *text)
{
	size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyz"
				  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.");

	return isalpha((unsigned char)text[0]) && text[len] == ':' &&
	       text[len + 1] && !strpbrk(text, " \t<>\"");
}

static const struct format_row {
	const char *format, *name;
	bool (*fits)(const char *text);
} rows[] = {
	{ "email", "email address", is_email },
	{ "uri", "URI as https://example.com/", is_uri },
	{ "date", "date as 2026-01-31", is_date },
	{ "date-time", "date and time as 2026-01-31T12:00:00Z", is_date_time },
};

static const struct format_row *find(const char *format)
{
	for (size_t i = 0; format && i < COUNT(rows); i++) {
		if (strcmp(rows[i].format, format) == 0)
			return &rows[i];
	}
	return NULL;
}

bool form_format_fits(const char *format, const char *text)
{
	const struct format_row *row = find(format);

	return !row || row->fits(text);
}

const char *form_format_name(const char *format)
{
	const struct format_row *row = find(format);

	return row ? row->name : format;
}
