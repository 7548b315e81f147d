/* SPDX-License-Identifier: MIT */
#include "diag/codebook.h"

#include <string.h>
#include <strings.h>

#include "base/text.h"

/* The files as they are, each with a NUL; make runs where their paths begin. */
#define FILE_OF(letter)                                                     \
	__asm__(".section .rodata\nfindings_" #letter ":\n"                 \
		".incbin \"src/diag/findings/" #letter ".json\"\n.byte 0\n" \
		".previous");                                               \
	extern __attribute__((visibility("hidden")))                        \
	const char findings_##letter[]
FILE_OF(D);
FILE_OF(B);
FILE_OF(O);
FILE_OF(V);
FILE_OF(M);
FILE_OF(N);
FILE_OF(P);
FILE_OF(H);
FILE_OF(S);

static const char *file_of(char letter)
{
	static const char letters[] = "DBOVMNPHS";
	static const char *const files[] = {
		findings_D, findings_B, findings_O, findings_V, findings_M,
		findings_N, findings_P, findings_H, findings_S
	};

	return files[strchr(letters, letter) - letters];
}

#define ROW(code, severity, title) { #code, SEVERITY_##severity, title },
static const struct finding_row rows[] = { DIAG_CODES(ROW) };
#undef ROW

const struct finding_row *finding_row(enum diag_code code)
{
	return &rows[code];
}

int finding_by_name(const char *name)
{
	for (int i = 0; i < DIAG_CODE_COUNT; i++) {
		if (strcasecmp(rows[i].code, name) == 0)
			return i;
	}
	return -1;
}

const char *finding_nearest(const char *name)
{
	const char *codes[DIAG_CODE_COUNT];

	for (int i = 0; i < DIAG_CODE_COUNT; i++)
		codes[i] = rows[i].code;
	return text_nearest(name, codes, DIAG_CODE_COUNT);
}

const char *severity_name(enum severity s)
{
	return severity_label(s, EXPLAIN_ENGLISH);
}

const char *severity_label(enum severity s, enum explain_language language)
{
	static const char *const labels[][2] = { { "note", "提示" },
						 { "warning", "警告" },
						 { "error", "错误" } };

	return labels[s][language];
}

static const struct {
	const char *name, *label[2];
} parts[EXPLAIN_PARTS] = {
	[EXPLAIN_LOOKS] = { "looks", { "looks", "现象" } },
	[EXPLAIN_WHY] = { "why", { "why", "原因" } },
	[EXPLAIN_VERSIONS] = { "versions", { "versions", "版本" } },
	[EXPLAIN_HITS] = { "hits", { "hits", "影响" } },
	[EXPLAIN_FIRMWARE] = { "firmware", { "firmware", "固件" } },
	[EXPLAIN_BACKEND] = { "backend", { "backend", "后端" } },
	[EXPLAIN_OPERATOR] = { "operator", { "operator", "使用者" } },
	[EXPLAIN_SOURCE] = { "source", { "source", "来源" } },
	[EXPLAIN_PLANT] = { "plant", { "plant", "复现" } },
};

const char *explain_part_name(enum explain_part part)
{
	return parts[part].name;
}

const char *explain_part_label(enum explain_part part,
			       enum explain_language language)
{
	return parts[part].label[language];
}

void explanation_read(struct explanation *out, enum diag_code code,
		      enum explain_language language)
{
	const char *text = file_of(rows[code].code[0]);
	struct span one = { text, strlen(text) };
	const cJSON *entry, *words;

	*out = (struct explanation){ .row = &rows[code], .language = language };
	/* A tree of its entry alone: findings are told while messages wait. */
	if (json_span_member(one, rows[code].code, &one))
		out->entry = json_parse(one.text, one.len, NULL);
	entry = out->entry;
	words = language == EXPLAIN_CHINESE ? json_object(entry, "zh") : entry;
	out->title = json_string(words, "title");
	if (!out->title)
		out->title = rows[code].title;
	for (int i = 0; i < EXPLAIN_PARTS; i++)
		out->part[i] = json_string(i < EXPLAIN_SOURCE ? words : entry,
					   parts[i].name);
}

void explanation_done(struct explanation *e)
{
	cJSON_Delete(e->entry);
	*e = (struct explanation){ 0 };
}
