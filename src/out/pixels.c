/* SPDX-License-Identifier: MIT */
/* By libturbojpeg and libpng. A loaded part. */
#include "out/pixels.h"

#include <png.h>
#include <stdio.h>
#include <string.h>
#include <turbojpeg.h>

#include "base/mem.h"

/* As the library reads its head, which may be another one than we found. */
static int too_large(uint64_t width, uint64_t height, struct error *err)
{
	return error_set(
		err, ERR_PROTOCOL,
		"inside it says %llux%llu, and %d megapixels are the most",
		(unsigned long long)width, (unsigned long long)height,
		PIXELS_MOST / 1000000);
}

/* ---- JPEG ---- */

/* How often a side is halved while it is decoded: not below what is wanted. */
static int halvings(unsigned width, unsigned height)
{
	unsigned longer = width > height ? width : height;
	int times = 0;

	while (times < 3 && longer / 2 >= PIXELS_SIDE) {
		longer /= 2;
		times++;
	}
	return times;
}

static int jpeg_failed(tjhandle jpeg, struct error *err)
{
	return error_set(err, ERR_PROTOCOL, "the JPEG cannot be decoded: %s",
			 tjGetErrorStr2(jpeg));
}

static int jpeg_rows(struct pixels *out, tjhandle jpeg, const void *data,
		     size_t len, struct error *err)
{
	tjscalingfactor scale = { 1, 1 << halvings(out->width, out->height) };
	int width = TJSCALED((int)out->width, scale);
	int height = TJSCALED((int)out->height, scale);

	out->width = (unsigned)width;
	out->height = (unsigned)height;
	out->rgba = mem_zalloc(4 * (size_t)width * (size_t)height);
	if (tjDecompress2(jpeg, data, len, out->rgba, width, 0, height,
			  TJPF_RGBA, TJFLAG_LIMITSCANS) == 0)
		return 0;
	if (tjGetErrorCode(jpeg) != TJERR_WARNING)
		return jpeg_failed(jpeg, err);
	snprintf(out->damage, sizeof(out->damage), "%s", tjGetErrorStr2(jpeg));
	return 0;
}

static int jpeg_decode(struct pixels *out, tjhandle jpeg, const void *data,
		       size_t len, struct error *err)
{
	int width, height, sampling, space;

	if (tjDecompressHeader3(jpeg, data, len, &width, &height, &sampling,
				&space))
		return jpeg_failed(jpeg, err);
	if (width < 1 || height < 1 ||
	    (uint64_t)width * (uint64_t)height > PIXELS_MOST)
		return too_large((uint64_t)width, (uint64_t)height, err);
	out->width = (unsigned)width;
	out->height = (unsigned)height;
	return jpeg_rows(out, jpeg, data, len, err);
}

static int jpeg_open(struct pixels *out, const void *data, size_t len,
		     struct error *err)
{
	tjhandle jpeg = tjInitDecompress();
	int status;

	if (!jpeg)
		return error_set(err, ERR_PROTOCOL,
				 "libturbojpeg does not start: %s",
				 tjGetErrorStr());
	status = jpeg_decode(out, jpeg, data, len, err);
	tjDestroy(jpeg);
	return status;
}

/* ---- PNG ---- */

static int png_failed(const png_image *png, struct error *err)
{
	return error_set(err, ERR_PROTOCOL, "the PNG cannot be decoded: %s",
			 png->message);
}

static int png_rows(struct pixels *out, png_image *png, struct error *err)
{
	if ((uint64_t)png->width * png->height > PIXELS_MOST)
		return too_large(png->width, png->height, err);
	png->format = PNG_FORMAT_RGBA;
	out->width = png->width;
	out->height = png->height;
	out->rgba = mem_zalloc(4 * (size_t)png->width * png->height);
	if (!png_image_finish_read(png, NULL, out->rgba, 0, NULL))
		return png_failed(png, err);
	if (PNG_IMAGE_FAILED(*png))
		snprintf(out->damage, sizeof(out->damage), "%s", png->message);
	return 0;
}

static int png_open(struct pixels *out, const void *data, size_t len,
		    struct error *err)
{
	png_image png = { .version = PNG_IMAGE_VERSION };
	int status;

	if (!png_image_begin_read_from_memory(&png, data, len))
		return png_failed(&png, err);
	status = png_rows(out, &png, err);
	png_image_free(&png);
	return status;
}

/* ---- made smaller ---- */

struct block { /* of pixels, that become one */
	size_t x, y, width, height;
};

/* What is transparent has no colour to add. */
static void average(unsigned char *out, const struct pixels *p,
		    const struct block *b)
{
	uint64_t sum[4] = { 0 }, count = b->width * b->height;

	for (size_t y = b->y; y < b->y + b->height; y++) {
		const unsigned char *at = p->rgba + 4 * (y * p->width + b->x);

		for (size_t x = 0; x < b->width; x++, at += 4) {
			for (size_t i = 0; i < 3; i++)
				sum[i] += (uint64_t)at[i] * at[3];
			sum[3] += at[3];
		}
	}
	for (size_t i = 0; i < 3; i++)
		out[i] = (unsigned char)(sum[3] ? sum[i] / sum[3] : 0);
	out[3] = (unsigned char)(sum[3] / count);
}

static size_t at_most(size_t wanted, size_t left)
{
	return wanted < left ? wanted : left;
}

/* In place: what is written lies never behind what is still to be read. */
static void shrink(struct pixels *p)
{
	unsigned longer = p->width > p->height ? p->width : p->height;
	size_t by = (longer + PIXELS_SIDE - 1) / PIXELS_SIDE;
	unsigned char *to = p->rgba;

	if (by < 2)
		return;
	for (size_t y = 0; y < p->height; y += by) {
		for (size_t x = 0; x < p->width; x += by, to += 4) {
			const struct block b = { x, y,
						 at_most(by, p->width - x),
						 at_most(by, p->height - y) };
			average(to, p, &b);
		}
	}
	p->width = (unsigned)((p->width + by - 1) / by);
	p->height = (unsigned)((p->height + by - 1) / by);
}

/* ---- all of it ---- */

static int decode(struct pixels *out, const void *data, size_t len,
		  struct error *err)
{
	int status;

	*out = (struct pixels){ 0 };
	if (decoder_check(data, len, err))
		return -1;
	status = *(const unsigned char *)data == 0xff ?
			 jpeg_open(out, data, len, err) :
			 png_open(out, data, len, err);
	if (status == 0)
		shrink(out);
	else
		pixels_done(out);
	return status;
}

const struct pixels_table pixels_table = { .decode = decode };
