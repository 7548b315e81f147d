/* SPDX-License-Identifier: MIT */
/* base/sha256: sums that others published, and lengths around its blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/sha256.h"

static void check(const void *data, size_t len, const char *expected)
{
	char sum[SHA256_TEXT];

	sha256_text(data, len, sum);
	assert_string_equal(sum, expected);
}

#define CHECK(text, expected) check(text, sizeof(text) - 1, expected)

/* FIPS 180-4's own. */
static void published(void **state)
{
	(void)state;
	CHECK("",
	      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	CHECK("abc",
	      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	CHECK("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

/* So many letters 'a', as Python's hashlib has them. */
static void lengths(void **state)
{
	static const struct {
		size_t len;
		const char *sum;
	} rows[] = {
		{ 55,
		  "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318" },
		{ 56,
		  "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a" },
		{ 63,
		  "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34" },
		{ 64,
		  "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb" },
		{ 65,
		  "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0" },
		{ 119,
		  "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb" },
		{ 120,
		  "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c" },
		{ 1000,
		  "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3" },
	};
	char text[1000];

	(void)state;
	memset(text, 'a', sizeof(text));
	for (size_t i = 0; i < COUNT(rows); i++)
		check(text, rows[i].len, rows[i].sum);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published),
		cmocka_unit_test(lengths),
	};

	return cmocka_run_group_tests_name("sha256", tests, NULL, NULL);
}
