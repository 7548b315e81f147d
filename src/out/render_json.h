/* SPDX-License-Identifier: MIT */
/*
 * The JSON form: a stable interface, one value a line, on stdout the results,
 * on stderr everything else. json_help documents each object; change both
 * together, and only by adding.
 */
#ifndef OUT_RENDER_JSON_H
#define OUT_RENDER_JSON_H

#include "base/buf.h"
#include "base/json.h"
#include "out/render.h"

/* The text of `help json`: paragraphs and indented examples, ends with a
   newline. */
extern const char json_help[];
extern const char json_help_info[];
extern const char json_help_tail[];
/* Behind it: stderr, the raw form, --trace; then what tools --diff and serve
   print. */
extern const char json_help_stderr[];
extern const char json_help_serve[];
extern const char json_help_findings[];
/* What --jq, --expect-jq, --until ask; beside render_json.c, as text only. */
extern const char json_help_asked[];

void json_progress(struct renderer *r, const struct progress_record *p);
void json_target(struct renderer *r, const struct target_record *t);
void json_neighbour(struct renderer *r, const struct neighbour_record *n);
void json_login(struct renderer *r, const struct login_record *l);
void json_task(struct renderer *r, const struct task_record *record);
void json_trust(struct renderer *r, const struct trust_record *t);
void json_adopt(struct renderer *r, const struct adopt_record *a);
void json_upgrade(struct renderer *r, const struct upgrade_record *u);
void json_finding(struct renderer *r, const struct finding_record *f);
void json_device(struct renderer *r, const struct device_record *d);
void json_row(struct renderer *r, const struct device_record *d);

/*
 * A line of the JSON form for stdout, without its line end; b is empty after.
 * --jq makes of value what is printed; value.text NULL: it is the line.
 */
void put_json_line(struct renderer *r, struct buf *b, struct span value);

/* The same, of that line alone, into out instead of stdout. */
void add_json_line(struct renderer *r, struct buf *out, struct span line);

/* The same of a line of a capture; false, with errno, where stdout is lost. */
bool put_captured_line(void *renderer, struct span line);

/* "ok", "odd", "fail", "-", "stopped". */
const char *stage_verdict_name(enum stage_verdict v);
/* The same where a dash says too little: "skipped". */
const char *stage_verdict_word(enum stage_verdict v);

#endif
