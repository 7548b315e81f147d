/* SPDX-License-Identifier: MIT */
/*
 * Members into fields of fixed size. Knows no message.
 */
#include "wire/member.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

void member_copy(const cJSON *object, const char *name, char *out, size_t size)
{
	const char *found = json_string(object, name);
	const char *text = found ? found : "";
	size_t len = strlen(text);

	assert(size > 0);
	if (len >= size) {
		len = size - 1;
		while (len && ((unsigned char)text[len] & 0xC0) == 0x80)
			len--;
	}
	memcpy(out, text, len);
	out[len] = '\0';
}

int member_int(const cJSON *object, const char *name)
{
	int64_t value;

	if (json_integer(object, name, &value) || value < INT_MIN ||
	    value > INT_MAX)
		return 0;
	return (int)value;
}
