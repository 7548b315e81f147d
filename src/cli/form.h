/* SPDX-License-Identifier: MIT */
/*
 * A form that a server wants filled in (elicitation/create): its flat schema
 * as fields, what was typed as values. Pure: asks nobody, prints nothing.
 */
#ifndef CLI_FORM_H
#define CLI_FORM_H

#include "base/base.h"
#include "base/json.h"

#define FORM_FIELDS_MAX 64
#define FORM_CHOICES_MAX 200 /* of a field; the rest are not offered */

enum form_kind {
	FORM_TEXT,
	FORM_NUMBER,
	FORM_BOOLEAN,
	FORM_CHOICE, /* one of some */
	FORM_CHOICES, /* any number of some: an array */
	FORM_JSON /* what no form should have: typed as JSON */
};

struct form_choice {
	const cJSON *value; /* a text, mostly */
	const char *title; /* NULL: the value says it */
};

/* Lent from the schema. */
struct form_field {
	const char *name;
	const char *title, *description, *format; /* NULL */
	enum form_kind kind;
	bool required;
	const cJSON *schema;
	const cJSON *fallback; /* its default, if that fits; NULL */
	struct form_choice *choice;
	size_t count;
};

struct form { /* zeroed at first */
	const cJSON *schema;
	struct form_field *field; /* in the order of the schema */
	size_t count;
};

/*
 * Take requestedSchema apart; it must outlive the form. -1 (ERR_PROTOCOL): it
 * is no object schema, or has more than FORM_FIELDS_MAX properties.
 */
int form_read(struct form *out, const cJSON *schema, struct error *err);
void form_done(struct form *f);

/*
 * The value that text means for that field, yours: a number, y or n, a choice
 * by its value, title or number, several of them between commas. NULL
 * (ERR_USAGE): why it means none, or does not fit.
 */
cJSON *form_parse(const struct form *f, const struct form_field *field,
		  const char *text, struct error *err);

/*
 * Defaults for what content (an object) has not; the names of required fields
 * that have none are appended to missing, between commas.
 */
void form_complete(const struct form *f, cJSON *content, struct buf *missing);

/* The members of values that the form has, as an object; yours. */
cJSON *form_pick(const struct form *f, const cJSON *values);

/* Whether the whole fits. -1 (ERR_USAGE): which field does not, and why. */
int form_check(const struct form *f, const cJSON *content, struct error *err);

/* "integer 18..120, required", appended: what a field expects, in a line. */
void form_expects(const struct form *f, const struct form_field *field,
		  struct buf *out);

/* "email address", "date as 2026-01-31", … for people; an unknown one is itself. */
const char *form_format_name(const char *format);

#endif
