/* SPDX-License-Identifier: MIT */
/*
 * Walks a schema's properties in their order, with a stack of its own: a peer
 * decides how deep they are.
 */
#include "out/arguments_rows.h"

#include <string.h>

#include "base/mem.h"

#define ROWS_MOST 400
#define DEPTH_MOST 8

static bool is_required(const cJSON *schema, const char *name)
{
	const cJSON *word;
	cJSON_ArrayForEach(word, json_array(schema, "required")) {
		if (cJSON_IsString(word) &&
		    strcmp(word->valuestring, name) == 0)
			return true;
	}
	return false;
}

static struct argument_row *add(struct argument_rows *rows)
{
	rows->row = mem_grow(rows->row, &rows->capacity, rows->count,
			     sizeof(*rows->row));
	return &rows->row[rows->count++];
}

/* The properties of a schema onto the stack, the first one on top. */
static void push(struct argument_rows *stack, const cJSON *schema,
		 const char *prefix, size_t depth)
{
	const cJSON *property;
	size_t first = stack->count;
	cJSON_ArrayForEach(property, json_object(schema, "properties")) {
		if (stack->count - first >= ROWS_MOST) {
			stack->cut = true;
			break;
		}
		*add(stack) = (struct argument_row){
			.path = mem_printf("%s%s", prefix, property->string),
			.schema = property,
			.required = is_required(schema, property->string),
			.depth = depth,
		};
	}
	for (size_t a = first, b = stack->count; a + 1 < b; a++, b--) {
		struct argument_row swap = stack->row[a];
		stack->row[a] = stack->row[b - 1];
		stack->row[b - 1] = swap;
	}
}

static void push_inner(struct argument_rows *stack,
		       const struct argument_row *of)
{
	CLEANUP(mem_free_ptr) char *member = mem_printf("%s.", of->path);
	CLEANUP(mem_free_ptr) char *element = mem_printf("%s[].", of->path);
	if (of->depth >= DEPTH_MOST) {
		stack->cut = true;
		return;
	}
	push(stack, of->schema, member, of->depth + 1);
	push(stack, json_object(of->schema, "items"), element, of->depth + 1);
}

void argument_rows_init(struct argument_rows *rows, const cJSON *schema)
{
	CLEANUP(argument_rows_done) struct argument_rows stack = { 0 };
	*rows = (struct argument_rows){ 0 };
	push(&stack, schema, "", 0);
	while (stack.count > 0 && rows->count < ROWS_MOST) {
		struct argument_row next = stack.row[--stack.count];
		*add(rows) = next;
		push_inner(&stack, &next);
	}
	rows->cut = stack.cut || stack.count > 0;
}

void argument_rows_done(struct argument_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		mem_free(rows->row[i].path);
	mem_free(rows->row);
	*rows = (struct argument_rows){ 0 };
}
