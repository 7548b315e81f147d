/* SPDX-License-Identifier: MIT */
/*
 * An image of ESP-IDF, as `idf.py build` leaves it for the air: its head, its
 * segments, the descriptor of the application at the front of the first one, its
 * checksum and its SHA-256 (esp_image_header_t, esp_image_segment_header_t and
 * esp_app_desc_t of ESP-IDF 5). All numbers are little-endian. Pure.
 */
#ifndef WIRE_ESP_IMAGE_H
#define WIRE_ESP_IMAGE_H

#include "base/error.h"
#include "base/sha256.h"

#define ESP_IMAGE_MAX (32u << 20) /* bytes of a file; no flash has more */

struct esp_image {
	unsigned chip; /* as the head has it */
	const char *chip_name; /* "esp32s3", as boards tell it; NULL: unknown */
	/* Of the descriptor; whatever stood there, cut at its first NUL. */
	char version[33], project[33], time[17], date[17], idf[33];
	char elf_sha256[SHA256_TEXT];
	size_t size; /* to the end of the image; what is behind is a signature */
	bool hashed; /* it carries a SHA-256, and that is right */
};

/*
 * -1 (ERR_USAGE): it is none that a board can take by the air, why, and which
 * file is meant: an ELF file, an archive, a bootloader, a merged image for the
 * cable, one that is cut or damaged.
 */
int esp_image_read(struct esp_image *out, const void *data, size_t len,
		   struct error *err);

/* The same of its first bytes alone: chip and descriptor, nothing is checked behind. */
#define ESP_IMAGE_FRONT 288
int esp_image_peek(struct esp_image *out, const void *data, size_t len,
		   struct error *err);

/* What a board tells of itself, as far as it does: "", 0 where not. */
struct image_place {
	const char *chip, *version, *elf_sha256;
	int64_t room; /* bytes of the partition that it would go to */
};

enum image_fit {
	IMAGE_FITS, /* as far as that is told */
	IMAGE_OTHER_CHIP,
	IMAGE_TOO_LARGE,
	IMAGE_RUNS /* that very build, by its sum */
};
/* size: bytes of the file. */
enum image_fit esp_image_fit(const struct esp_image *i, size_t size,
			     const struct image_place *p);

/* "esp32s3"; NULL: a chip that is not known here. */
const char *esp_chip_name(unsigned chip);
/* The same chip, however it is written ("ESP32-S3"). */
bool esp_chip_same(const char *a, const char *b);

#endif
