/* SPDX-License-Identifier: MIT */
/* An image of ESP-IDF: looked at from its front to its end. */
#include "wire/esp_image.h"

#include <string.h>

#include "base/text.h"

enum {
	HEAD = 24,
	SEGMENT_HEAD = 8,
	SEGMENTS_MAX = 16,
	MAGIC = 0xe9,
	CHECKSUM_SEED = 0xef,
	DESCRIPTOR =
		HEAD + SEGMENT_HEAD, /* at the front of the first segment */
	DESCRIPTOR_SIZE = ESP_IMAGE_FRONT - DESCRIPTOR,
	HASH = 32,
	PARTITIONS = 0x8000 /* where a merged image has its table */
};
#define DESCRIPTOR_MAGIC 0xabcd5432u

static const struct {
	unsigned id;
	const char *name;
} chips[] = {
	{ 0x00, "esp32" },   { 0x02, "esp32s2" },  { 0x05, "esp32c3" },
	{ 0x09, "esp32s3" }, { 0x0c, "esp32c2" },  { 0x0d, "esp32c6" },
	{ 0x10, "esp32h2" }, { 0x12, "esp32p4" },  { 0x14, "esp32c61" },
	{ 0x17, "esp32c5" }, { 0x19, "esp32h21" }, { 0x1c, "esp32h4" },
};

const char *esp_chip_name(unsigned chip)
{
	for (size_t i = 0; i < COUNT(chips); i++) {
		if (chips[i].id == chip)
			return chips[i].name;
	}
	return NULL;
}

/* The next letter that counts. */
static int letter(const char **at)
{
	while (**at == '-' || **at == '_' || **at == ' ')
		(*at)++;
	return **at ? text_lower(*(*at)++) : 0;
}

bool esp_chip_same(const char *a, const char *b)
{
	int x;

	do {
		x = letter(&a);
		if (x != letter(&b))
			return false;
	} while (x);
	return true;
}

enum image_fit esp_image_fit(const struct esp_image *i, size_t size,
			     const struct image_place *p)
{
	if (*p->chip && i->chip_name && !esp_chip_same(p->chip, i->chip_name))
		return IMAGE_OTHER_CHIP;
	if (p->room && size > (uint64_t)p->room)
		return IMAGE_TOO_LARGE;
	if (strlen(p->elf_sha256) == SHA256_TEXT - 1 &&
	    text_same(p->elf_sha256, i->elf_sha256))
		return IMAGE_RUNS;
	return IMAGE_FITS;
}

static uint32_t number(const unsigned char *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
	       (uint32_t)at[3] << 24;
}

static void hex(const unsigned char *at, char out[SHA256_TEXT])
{
	static const char digit[] = "0123456789abcdef";

	for (size_t i = 0; i < HASH; i++) {
		out[2 * i] = digit[at[i] >> 4];
		out[2 * i + 1] = digit[at[i] & 15];
	}
	out[SHA256_TEXT - 1] = '\0';
}

static void field(char *out, const unsigned char *at, size_t size)
{
	memcpy(out, at, size);
	out[size] = '\0';
}

/* ---- what else it may be ---- */

static int no_image(const unsigned char *at, size_t len, struct error *err)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *what;
	} known[] = {
		{ "\177ELF", 4, "an ELF file, which is for debuggers" },
		{ "PK\x03\x04", 4, "a zip archive: unpack it first" },
		{ "\x1f\x8b", 2, "packed by gzip: unpack it first" },
	};
	const char *what = "no image of ESP-IDF: it does not begin with 0xE9";

	for (size_t i = 0; i < COUNT(known); i++) {
		if (len >= known[i].len &&
		    memcmp(at, known[i].bytes, known[i].len) == 0)
			what = known[i].what;
	}
	error_set(err, ERR_USAGE, "it is %s", len ? what : "empty");
	return error_hint(
		err,
		"the application alone is meant: build/PROJECT.bin, of 'idf.py build'");
}

static bool has_partitions(const unsigned char *at, size_t len)
{
	return len > PARTITIONS + 1 && at[PARTITIONS] == 0xaa &&
	       at[PARTITIONS + 1] == 0x50;
}

static int no_application(const unsigned char *at, size_t len,
			  struct error *err)
{
	if (has_partitions(at, len))
		error_set(
			err, ERR_USAGE,
			"it is a merged image (bootloader, partition table and application), which is for the cable: over the air it would end in a board that does not start");
	else
		error_set(
			err, ERR_USAGE,
			"it has no descriptor of an application: a bootloader, or a part of something");
	return error_hint(
		err,
		"the application alone is meant: build/PROJECT.bin, not merged-binary.bin nor bootloader.bin");
}

/* ---- its parts ---- */

static int is_cut(size_t need, size_t len, struct error *err)
{
	error_set(err, ERR_USAGE,
		  "it is cut: %zu bytes are there, and its segments need %zu",
		  len, need);
	return error_hint(err, "copy or download it again");
}

static int damaged(const char *what, struct error *err)
{
	error_set(err, ERR_USAGE, "it is damaged: %s", what);
	return error_hint(err, "copy or download it again, or build it anew");
}

/* All segments: where they end, and their checksum. */
static int walk(const unsigned char *at, size_t len, size_t *end,
		unsigned char *sum, struct error *err)
{
	size_t pos = HEAD;

	*sum = CHECKSUM_SEED;
	if (!at[1] || at[1] > SEGMENTS_MAX)
		return damaged("its head has no possible number of segments",
			       err);
	for (unsigned i = 0; i < at[1]; i++) {
		size_t size;

		if (len - pos < SEGMENT_HEAD)
			return is_cut(pos + SEGMENT_HEAD, len, err);
		size = number(at + pos + 4);
		pos += SEGMENT_HEAD;
		if (len - pos < size)
			return is_cut(pos + size, len, err);
		for (size_t k = 0; k < size; k++)
			*sum ^= at[pos + k];
		pos += size;
	}
	*end = pos;
	return 0;
}

/* The checksum is the last byte of a line of 16; the hash follows. */
static int check_end(struct esp_image *out, const unsigned char *at, size_t len,
		     struct error *err)
{
	char wanted[SHA256_TEXT], found[SHA256_TEXT];
	const bool hashed = at[23] != 0;
	unsigned char sum = 0;
	size_t end = 0;

	if (walk(at, len, &end, &sum, err))
		return -1;
	end = (end | 15) + 1;
	if (len < end + (hashed ? HASH : 0))
		return is_cut(end + (hashed ? HASH : 0), len, err);
	if (at[end - 1] != sum)
		return damaged("its checksum does not fit", err);
	out->size = end + (hashed ? HASH : 0);
	if (!hashed)
		return 0;
	sha256_text(at, end, wanted);
	hex(at + end, found);
	if (strcmp(wanted, found) != 0)
		return damaged("its SHA-256 does not fit", err);
	out->hashed = true;
	return 0;
}

static void take_descriptor(struct esp_image *out, const unsigned char *at)
{
	field(out->version, at + 16, 32);
	field(out->project, at + 48, 32);
	field(out->time, at + 80, 16);
	field(out->date, at + 96, 16);
	field(out->idf, at + 112, 32);
	hex(at + 144, out->elf_sha256);
}

int esp_image_peek(struct esp_image *out, const void *data, size_t len,
		   struct error *err)
{
	const unsigned char *at = data;

	*out = (struct esp_image){ 0 };
	if (!len || (at[0] != MAGIC && !has_partitions(at, len)))
		return no_image(at, len, err);
	if (at[0] != MAGIC)
		return no_application(at, len, err);
	if (len < DESCRIPTOR + DESCRIPTOR_SIZE)
		return is_cut(DESCRIPTOR + DESCRIPTOR_SIZE, len, err);
	if (number(at + DESCRIPTOR) != DESCRIPTOR_MAGIC ||
	    number(at + HEAD + 4) < DESCRIPTOR_SIZE)
		return no_application(at, len, err);
	out->chip = at[12] | (unsigned)at[13] << 8;
	out->chip_name = esp_chip_name(out->chip);
	take_descriptor(out, at + DESCRIPTOR);
	return 0;
}

int esp_image_read(struct esp_image *out, const void *data, size_t len,
		   struct error *err)
{
	return esp_image_peek(out, data, len, err) ?
		       -1 :
		       check_end(out, data, len, err);
}
