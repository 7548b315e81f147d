/* SPDX-License-Identifier: MIT */
/* YAML as JSON: a tree that can be printed and read again, or an error. */
#include <assert.h>
#include <stdint.h>

#include "base/json.h"
#include "base/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = { 0 };
	CLEANUP(json_free_ptr)
	cJSON *tree = yaml_table.read((const char *)data, size, &err);
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(json_free_ptr) cJSON *again = NULL;

	assert(tree || (err.kind == ERR_USAGE && err.text[0]));
	if (tree) {
		json_print(&text, tree);
		again = json_parse(buf_string(&text), text.len, NULL);
		assert(again && json_equal(tree, again));
	}
	error_reset(&err);
	return 0;
}
