/* SPDX-License-Identifier: MIT */
/*
 * Values of options, by type. Knows no option by name and no syntax of the
 * command line (that is parse.c).
 */
#include "cli/option.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

const struct option_row *option_by_name(const struct option_row *rows,
					const char *name, size_t len)
{
	for (; rows && rows->name; rows++) {
		if (strlen(rows->name) == len &&
		    memcmp(rows->name, name, len) == 0)
			return rows;
	}
	return NULL;
}

const struct option_row *option_by_letter(const struct option_row *rows,
					  char letter)
{
	for (; rows && rows->name; rows++) {
		if (rows->letter && rows->letter == letter)
			return rows;
	}
	return NULL;
}

bool option_is_flag(const struct option_row *row)
{
	return row->type == OPTION_FLAG || row->type == OPTION_COUNT;
}

bool option_takes_word(const struct option_row *row)
{
	return !option_is_flag(row) && !option_is_optional(row);
}

bool option_is_optional(const struct option_row *row)
{
	return row->type == OPTION_OPTIONAL ||
	       row->type == OPTION_OPTIONAL_TEXT;
}

static void store_bare(const struct option_row *row, void *place)
{
	if (row->type == OPTION_OPTIONAL)
		*(int64_t *)place = OPTION_BARE;
	else
		*(const char **)place = "";
}

/* "option '--timeout'", or what `given` names instead. */
static char *option_label(const struct option_row *row, const char *given)
{
	if (given)
		return mem_strdup(given);
	return mem_printf("option '--%s'", row->name);
}

/* Given once more; on and off are said by a value. */
static void set_flag(const struct option_row *row, void *place, bool on,
		     bool more)
{
	int *count = place;

	if (row->type == OPTION_FLAG)
		*(bool *)place = on;
	else
		*count = more ? *count + 1 : on;
}

static int store_flag(const struct option_row *row, void *place,
		      const char *value, const char *given, struct error *err)
{
	static const char *const on[] = { "1", "true", "yes", "on" };
	static const char *const off[] = { "0", "false", "no", "off" };

	if (!value) {
		set_flag(row, place, true, true);
		return 0;
	}
	if (!given) {
		error_set(err, ERR_USAGE, "option '--%s' takes no value",
			  row->name);
		return error_hint(err, "leave out '=%s'", value);
	}
	for (size_t i = 0; i < COUNT(on); i++) {
		if (text_same(value, on[i])) {
			set_flag(row, place, true, false);
			return 0;
		}
		if (text_same(value, off[i])) {
			set_flag(row, place, false, false);
			return 0;
		}
	}
	return error_set(err, ERR_USAGE, "%s: '%s' is neither on nor off",
			 given, value);
}

static int store_number(const struct option_row *row, int64_t *place,
			const char *value, const char *label, struct error *err)
{
	int64_t max = row->max || row->min ? row->max : INT64_MAX;

	if (text_integer(value, row->min, max, place) == 0)
		return 0;
	if (max == INT64_MAX)
		return error_set(err, ERR_USAGE,
				 "%s: '%s' is no whole number from %lld on",
				 label, value, (long long)row->min);
	return error_set(err, ERR_USAGE,
			 "%s: '%s' is no whole number from %lld to %lld", label,
			 value, (long long)row->min, (long long)max);
}

/* The index of value in "text json raw"; -1 if it is none of them. */
int option_choice(const char *choices, const char *value)
{
	size_t len = strlen(value);
	int index = 0;

	while (*choices) {
		size_t word = strcspn(choices, " ");

		if (word == len && memcmp(choices, value, len) == 0)
			return index;
		choices += word;
		choices += strspn(choices, " ");
		index++;
	}
	return -1;
}

static int store_choice(const struct option_row *row, int *place,
			const char *value, const char *label, struct error *err)
{
	int index = option_choice(row->choices, value);

	if (index < 0)
		return error_set(err, ERR_USAGE, "%s: '%s' is none of: %s",
				 label, value, row->choices);
	*place = index;
	return 0;
}

static int store_duration(const struct option_row *row, int64_t *place,
			  const char *value, const char *label,
			  struct error *err)
{
	int64_t ms;

	if (text_duration(value, &ms, err))
		return error_prefix(err, "%s", label);
	if (ms < row->min)
		return error_set(err, ERR_USAGE, "%s: '%s' is too short", label,
				 value);
	*place = ms;
	return 0;
}

int option_store(const struct option_row *row, void *target, const char *value,
		 const char *given, struct error *err)
{
	void *place = (char *)target + row->offset;
	CLEANUP(mem_free_ptr) char *label = option_label(row, given);
	const char **text = place;

	if (option_is_flag(row))
		return store_flag(row, place, value, given, err);
	if (option_is_optional(row) && !value) {
		store_bare(row, place);
		return 0;
	}
	if (!value || !*value)
		return error_set(err, ERR_USAGE, "%s needs %s", label,
				 row->word);
	switch (row->type) {
	case OPTION_FLAG:
	case OPTION_COUNT:
		break;
	case OPTION_TEXT:
	case OPTION_FILE:
	case OPTION_OPTIONAL_TEXT:
		*text = value;
		break;
	case OPTION_NUMBER:
	case OPTION_OPTIONAL:
		return store_number(row, place, value, label, err);
	case OPTION_DURATION:
		return store_duration(row, place, value, label, err);
	case OPTION_CHOICE:
		return store_choice(row, place, value, label, err);
	case OPTION_LIST:
		words_add(place, value);
		break;
	}
	return 0;
}

int option_environment(const struct option_row *rows, void *target,
		       const bool *seen, struct error *err)
{
	for (size_t i = 0; rows && rows[i].name; i++) {
		const char *value = rows[i].env ? getenv(rows[i].env) : NULL;

		/* An empty variable is as good as none: scripts clear it so. */
		if (!value || !*value || seen[i])
			continue;
		CLEANUP(mem_free_ptr)
		char *given =
			mem_printf("environment variable %s", rows[i].env);
		if (option_store(&rows[i], target, value, given, err))
			return -1;
	}
	return 0;
}

void option_release(const struct option_row *rows, void *target)
{
	for (; rows && rows->name; rows++) {
		void *place = (char *)target + rows->offset;

		if (rows->type == OPTION_LIST)
			words_done(place);
	}
}
