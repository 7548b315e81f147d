/* SPDX-License-Identifier: MIT */
/* mcp/listing: resources, templates and prompts of all pages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "mcp/listing.h"

static int add(struct page_list *l, const char *text, size_t *skipped,
	       struct error *err)
{
	struct message m;

	assert_int_equal(message_decode(&m, text, strlen(text), NULL), 0);
	return page_list_add_take(l, &m, skipped, err);
}

static void assert_text(const struct list_item *item, const char *wanted)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_strndup(item->text.text, item->text.len);

	assert_string_equal(text, wanted);
}

static void resources(void **state)
{
	struct page_list l = { .kind = LIST_RESOURCES };
	size_t skipped = 0;

	(void)state;
	assert_int_equal(add(&l,
			     "{\"id\":1,\"result\":{\"resources\":[ "
			     "{\"uri\": \"file:///a\",\"name\":\"A\","
			     "\"title\":\"T\",\"description\":\"D\","
			     "\"mimeType\":\"text/plain\"} , 7,{\"uri\":5,"
			     "\"name\":{}}]}}",
			     &skipped, NULL),
			 0);
	assert_int_equal(add(&l,
			     "{\"id\":2,\"result\":{\"resources\":[{\"uri\":"
			     "\"b:\"}]}}",
			     &skipped, NULL),
			 0);
	assert_int_equal(l.count, 3);
	assert_int_equal(l.pages, 2);
	assert_int_equal(skipped, 1);
	assert_string_equal(l.item[0].key, "file:///a");
	assert_string_equal(l.item[0].name, "A");
	assert_string_equal(l.item[0].title, "T");
	assert_string_equal(l.item[0].description, "D");
	assert_string_equal(l.item[0].mime, "text/plain");
	assert_string_equal(l.item[1].key, "");
	assert_null(l.item[1].name);
	assert_text(&l.item[1], "{\"uri\":5,\"name\":{}}");
	assert_text(&l.item[2], "{\"uri\":\"b:\"}");
	page_list_done(&l);
	assert_int_equal(l.count, 0);
}

static void others_have_other_keys(void **state)
{
	struct page_list l = { .kind = LIST_TEMPLATES };

	(void)state;
	assert_int_equal(add(&l,
			     "{\"result\":{\"resourceTemplates\":[{"
			     "\"uriTemplate\":\"a:{x}\",\"uri\":\"no\"}]},"
			     "\"id\":1}",
			     NULL, NULL),
			 0);
	assert_string_equal(l.item[0].key, "a:{x}");
	page_list_done(&l);
	l.kind = LIST_PROMPTS;
	assert_int_equal(add(&l,
			     "{\"result\":{\"prompts\":[{\"name\":\"p\"},1]},"
			     "\"id\":1}",
			     NULL, NULL),
			 0);
	assert_string_equal(l.item[0].key, "p");
	page_list_done(&l);
	assert_string_equal(list_method(LIST_TEMPLATES),
			    "resources/templates/list");
	assert_string_equal(list_member(LIST_TEMPLATES), "resourceTemplates");
	assert_string_equal(list_noun(LIST_PROMPTS), "prompt");
}

static void what_is_no_list(void **state)
{
	static const char *const wrong[] = {
		"{\"id\":1,\"result\":{}}",
		"{\"id\":1,\"result\":[]}",
		"{\"id\":1,\"result\":{\"prompts\":{}}}",
		"{\"id\":1,\"result\":{\"resources\":[]}}",
	};
	struct page_list l = { .kind = LIST_PROMPTS };
	struct error err = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		assert_int_equal(add(&l, wrong[i], NULL, &err), -1);
		assert_int_equal(err.kind, ERR_PROTOCOL);
		assert_string_equal(err.text, "the answer to prompts/list has "
					      "no array 'prompts'");
		assert_string_equal(err.detail, wrong[i]);
	}
	assert_int_equal(l.pages, 0);
	error_reset(&err);
}

static void finds(void **state)
{
	struct page_list l = { .kind = LIST_RESOURCES };

	(void)state;
	assert_null(page_list_find(&l, "x"));
	assert_null(page_list_nearest(&l, "x"));
	assert_int_equal(add(&l,
			     "{\"id\":1,\"result\":{\"resources\":["
			     "{\"name\":\"lost\"},"
			     "{\"uri\":\"demo://text/1\",\"name\":\"b:2\"},"
			     "{\"uri\":\"b:2\",\"name\":\"Readme\"},"
			     "{\"uri\":\"c:3\",\"name\":\"Readme\"}]}}",
			     NULL, NULL),
			 0);
	/* a key goes before a name, and the first before the second */
	assert_ptr_equal(page_list_find(&l, "b:2"), &l.item[2]);
	assert_ptr_equal(page_list_find(&l, "Readme"), &l.item[2]);
	assert_ptr_equal(page_list_find(&l, "lost"), &l.item[0]);
	assert_null(page_list_find(&l, ""));
	assert_string_equal(page_list_nearest(&l, "demo://txt/1"),
			    "demo://text/1");
	assert_string_equal(page_list_nearest(&l, "raedme"), "b:2");
	assert_null(page_list_nearest(&l, "quite something else"));
	assert_null(page_list_nearest(&l, "demo://else"));
	/* near to one that has no key */
	assert_null(page_list_nearest(&l, "losst"));
	page_list_done(&l);
}

static int feed(struct listing *l, const char *text, struct error *err)
{
	struct message m;

	assert_int_equal(message_decode(&m, text, strlen(text), NULL), 0);
	return listing_feed_take(l, &m, err);
}

static void assert_guarded(const char *second, const char *text)
{
	struct page_list list = { .kind = LIST_TEMPLATES };
	struct error err = { 0 };
	struct listing l;

	listing_init_items(&l, &list);
	assert_string_equal(listing_method(&l), "resources/templates/list");
	assert_int_equal(feed(&l,
			      "{\"id\":1,\"result\":{\"resourceTemplates\":"
			      "[{}],\"nextCursor\":\"one\"}}",
			      &err),
			 0);
	assert_int_equal(feed(&l, second, &err), -1);
	assert_int_equal(err.kind, ERR_PROTOCOL);
	assert_string_equal(err.text, text);
	assert_false(l.done);
	error_reset(&err);
	listing_done(&l);
	page_list_done(&list);
}

/* The same as for tools. */
static void guards(void **state)
{
	(void)state;
	assert_guarded("{\"id\":1,\"result\":{\"resourceTemplates\":[{}],"
		       "\"nextCursor\":\"one\"}}",
		       "resources/templates/list page 2: cursor 'one' came "
		       "before, on page 1");
	assert_guarded("{\"id\":1,\"result\":{\"resourceTemplates\":[],"
		       "\"nextCursor\":\"two\"}}",
		       "resources/templates/list page 2: no "
		       "resourceTemplates, but a nextCursor");
	assert_guarded("{\"id\":1,\"result\":{}}",
		       "page 2: the answer to resources/templates/list has no "
		       "array 'resourceTemplates'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(resources),
		cmocka_unit_test(others_have_other_keys),
		cmocka_unit_test(what_is_no_list),
		cmocka_unit_test(finds),
		cmocka_unit_test(guards),
	};

	mem_init();
	return cmocka_run_group_tests_name("page list", tests, NULL, NULL);
}
