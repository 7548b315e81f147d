/* SPDX-License-Identifier: MIT */
/*
 * The formats that a form's texts may have (mcp.md, 2025-06-18): email, uri,
 * date, date-time. Looked at for slips of the pen, not proved. Pure.
 */
#ifndef CLI_FORM_FORMAT_H
#define CLI_FORM_FORMAT_H

#include "base/base.h"

/* format NULL, or one that is not known: anything fits. */
bool form_format_fits(const char *format, const char *text);
/* "email address", "date as 2026-01-31", … for people; an unknown one is itself. */
const char *form_format_name(const char *format);

#endif
