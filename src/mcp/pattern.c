/* SPDX-License-Identifier: MIT */
/*
 * Patterns are ECMA's; PCRE2 comes nearest. It is loaded at the first pattern,
 * so its few functions and numbers are declared here (of PCRE2 10).
 */
#include <dlfcn.h>
#include <string.h>

#include "mcp/pattern.h"

#define LIBRARY "libpcre2-8.so.0"
#define PATTERN_MAX 4096
#define TEXT_MAX (1U << 20)

#define OPTION_ALLOW_EMPTY_CLASS 0x00000001U
#define OPTION_ALT_BSUX 0x00000002U
#define OPTION_DOLLAR_ENDONLY 0x00000010U
#define OPTION_MATCH_UNSET_BACKREF 0x00000200U
#define OPTION_UTF 0x00080000U
#define OPTION_NEVER_BACKSLASH_C 0x00100000U
#define OPTION_ANCHORED 0x80000000U
#define INFO_ALL_OPTIONS 0U
#define NO_MATCH (-1)

/*
 * A pattern of a peer must end. PCRE2 counts for each place where it starts,
 * so the limit for one start depends on how many there are.
 */
#define EFFORT 4000000U
#define EFFORT_LEAST 100U
#define DEPTH_LIMIT 20000U
#define HEAP_LIMIT_KIB 20000U

static struct {
	bool tried, loaded;
	void *(*compile)(const uint8_t *pattern, size_t len, uint32_t options,
			 int *error, size_t *offset, void *context);
	void (*code_free)(void *code);
	int (*info)(const void *code, uint32_t what, void *where);
	void *(*match_data_new)(const void *code, void *context);
	void (*match_data_free)(void *data);
	void *(*limits_new)(void *context);
	void (*limits_free)(void *limits);
	int (*match_limit)(void *limits, uint32_t limit);
	int (*depth_limit)(void *limits, uint32_t limit);
	int (*heap_limit)(void *limits, uint32_t limit);
	int (*match)(const void *code, const uint8_t *text, size_t len,
		     size_t start, uint32_t options, void *data, void *limits);
} pcre2;

/* ISO C has no cast from an object's pointer to a function's. */
static bool find(void *library, const char *name, void *function)
{
	void *symbol = dlsym(library, name);

	memcpy(function, &symbol, sizeof(symbol));
	return symbol != NULL;
}

static bool load(void)
{
	void *lib;

	if (pcre2.tried)
		return pcre2.loaded;
	pcre2.tried = true;
	lib = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	pcre2.loaded =
		lib && find(lib, "pcre2_compile_8", &pcre2.compile) &&
		find(lib, "pcre2_code_free_8", &pcre2.code_free) &&
		find(lib, "pcre2_pattern_info_8", &pcre2.info) &&
		find(lib, "pcre2_match_data_create_from_pattern_8",
		     &pcre2.match_data_new) &&
		find(lib, "pcre2_match_data_free_8", &pcre2.match_data_free) &&
		find(lib, "pcre2_match_context_create_8", &pcre2.limits_new) &&
		find(lib, "pcre2_match_context_free_8", &pcre2.limits_free) &&
		find(lib, "pcre2_set_match_limit_8", &pcre2.match_limit) &&
		find(lib, "pcre2_set_depth_limit_8", &pcre2.depth_limit) &&
		find(lib, "pcre2_set_heap_limit_8", &pcre2.heap_limit) &&
		find(lib, "pcre2_match_8", &pcre2.match);
	return pcre2.loaded;
}

void pattern_done(struct pattern *p)
{
	if (p->match)
		pcre2.match_data_free(p->match);
	if (p->limits)
		pcre2.limits_free(p->limits);
	if (p->code)
		pcre2.code_free(p->code);
	*p = (struct pattern){ 0 };
}

/* p->code stays NULL if it is no pattern. "(*" would set options of PCRE2; in ECMA it is an error. */
static void pattern_compile(struct pattern *p, const char *source)
{
	const uint32_t options = OPTION_ALLOW_EMPTY_CLASS | OPTION_ALT_BSUX |
				 OPTION_DOLLAR_ENDONLY |
				 OPTION_MATCH_UNSET_BACKREF | OPTION_UTF |
				 OPTION_NEVER_BACKSLASH_C;
	size_t len = strlen(source);
	uint32_t found = 0;
	size_t offset;
	int error;

	pattern_done(p);
	p->source = source;
	if (len > PATTERN_MAX || strncmp(source, "(*", 2) == 0)
		return;
	p->code = pcre2.compile((const uint8_t *)source, len, options, &error,
				&offset, NULL);
	if (!p->code)
		return;
	pcre2.info(p->code, INFO_ALL_OPTIONS, &found);
	p->anchored = (found & OPTION_ANCHORED) != 0;
	p->match = pcre2.match_data_new(p->code, NULL);
	p->limits = pcre2.limits_new(NULL);
}

static uint32_t limit_for(const struct pattern *p, size_t len)
{
	uint32_t limit = EFFORT;

	if (!p->anchored)
		limit /= (uint32_t)len + 1;
	return limit < EFFORT_LEAST ? EFFORT_LEAST : limit;
}

enum pattern_result pattern_test(struct pattern *p, const char *pattern,
				 const char *text)
{
	size_t len = strlen(text);
	int result;

	if (!load() || len > TEXT_MAX)
		return PATTERN_UNKNOWN;
	if (p->source != pattern)
		pattern_compile(p, pattern);
	if (!p->code || !p->match || !p->limits)
		return PATTERN_UNKNOWN;
	pcre2.match_limit(p->limits, limit_for(p, len));
	pcre2.depth_limit(p->limits, DEPTH_LIMIT);
	pcre2.heap_limit(p->limits, HEAP_LIMIT_KIB);
	result = pcre2.match(p->code, (const uint8_t *)text, len, 0, 0,
			     p->match, p->limits);
	if (result >= 0)
		return PATTERN_FITS;
	return result == NO_MATCH ? PATTERN_FITS_NOT : PATTERN_DEAR;
}
