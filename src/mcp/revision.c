/* SPDX-License-Identifier: MIT */
#include "mcp/revision.h"

#include "base/text.h"

struct revisions {
	const char *const *name; /* oldest first */
	size_t count;
};

static struct revisions of_era(enum era era)
{
	static const char *const legacy[] = { REVISION_FIRMWARE, "2025-03-26",
					      "2025-06-18", REVISION_NEWEST };
	static const char *const modern[] = { MODERN_NEWEST };

	if (era == ERA_MODERN)
		return (struct revisions){ modern, COUNT(modern) };
	return (struct revisions){ legacy, COUNT(legacy) };
}

const char *revision_known(enum era era, const char *revision)
{
	struct revisions all = of_era(era);

	for (size_t i = 0; i < all.count; i++) {
		if (text_equal(all.name[i], revision))
			return all.name[i];
	}
	return NULL;
}

const char *revision_choose(enum era era, const cJSON *supported)
{
	struct revisions all = of_era(era);

	for (size_t i = all.count; i-- > 0;) {
		const cJSON *each;

		cJSON_ArrayForEach(each, supported) {
			if (text_equal(cJSON_GetStringValue(each), all.name[i]))
				return all.name[i];
		}
	}
	return NULL;
}

const char *revision_discovered(const cJSON *result)
{
	/* Who answers initialize has settled one. */
	if (json_member(result, "protocolVersion"))
		return NULL;
	return revision_choose(ERA_MODERN,
			       json_array(result, "supportedVersions"));
}
