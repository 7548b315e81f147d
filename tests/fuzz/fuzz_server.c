/* SPDX-License-Identifier: MIT */
/*
 * Frames against the simulated device: the first byte chooses a fault and the
 * door, then each line is a text frame.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sim/pretend_loop.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char profile_text[] =
	"{\"camera\":true,\"state\":{\"v\":1},\"tools\":["
	"{\"name\":\"set\",\"arguments\":{\"v\":{\"type\":\"integer\","
	"\"minimum\":0,\"maximum\":100}},\"result\":{\"set\":{\"v\":\"${v}\"}}},"
	"{\"name\":\"get\",\"result\":{\"template\":\"${state.v} ${vision}\"}},"
	"{\"name\":\"mix\",\"arguments\":{\"f\":{\"type\":\"boolean\"},"
	"\"s\":{\"type\":\"string\",\"default\":\"d\",\"maxLength\":9}},"
	"\"result\":{\"cases\":[{\"when\":{\"s\":[\"a\",\"b\"]},\"result\":"
	"{\"template\":\"${f?T:F}/${s}\"}}],\"otherwise\":{\"error\":\"${s}\"}}"
	"},"
	"{\"name\":\"photo\",\"result\":{\"needs_vision\":true,\"json\":[1]}},"
	"{\"name\":\"slow\",\"result\":{\"delay_ms\":50}},"
	"{\"name\":\"reboot\",\"user_only\":true,\"result\":{\"then\":"
	"\"reboot\"}},"
	"{\"name\":\"close\",\"result\":{\"then\":\"close\"}}]}";

static void on_text(void *owner, const char *text, size_t len)
{
	const struct pretend *d = owner;

	if (len > DEVICE_SEND_MAX && !d->config.bare &&
	    !fault_has(&d->config.faults, FAULT_HUGE))
		abort();
	if (text[len] != '\0')
		abort();
}

static void on_binary(void *owner, const void *data, size_t len)
{
	(void)owner;
	(void)data;
	(void)len;
}

static void on_cut(void *owner, const char *text, size_t len, bool close_frame)
{
	(void)owner;
	(void)text;
	(void)len;
	(void)close_frame;
}

static void on_drop(void *owner)
{
	(void)owner;
}

static void on_note(void *owner, enum pretend_note what, const char *text)
{
	(void)owner;
	(void)what;
	(void)text;
}

static void on_finding(void *owner, const struct finding *f, const char *detail)
{
	(void)owner;
	(void)detail;
	if (!finding_row(f->code)->title)
		abort();
}

static void on_audio(void *owner, const struct udp_offer *offer)
{
	(void)owner;
	(void)offer;
}

static const struct pretend_events events = { .text = on_text,
					      .binary = on_binary,
					      .audio = on_audio,
					      .cut = on_cut,
					      .drop = on_drop,
					      .note = on_note,
					      .finding = on_finding };

static struct pretend device;

static void start(void)
{
	struct pretend_config config = { .events = &events,
					 .owner = &device,
					 .frame_version = 1 };

	mem_init();
	if (loop_new(&config.loop, NULL))
		abort();
	config.profile = profile_parse(profile_text, strlen(profile_text),
				       "fuzz.json", NULL);
	if (!config.profile)
		abort();
	pretend_init(&device, &config, "02:00:00:00:00:01", "c");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool started;
	struct fault_plan none = { .count = 0 };
	const char *text = (const char *)data;

	if (!started)
		start();
	started = true;
	if (!size)
		return 0;
	fault_plan_for(&none, 1, &device.config.faults);
	device.config.faults.bits = 1u << (*text & 31);
	device.config.faults.huge = 100;
	device.config.faults.storm = 3;
	device.config.bare = *text & 32;
	device.server.dialect = *text & 64 ? SERVER_2_5_0 : SERVER_2_4_2;
	text++;
	size--;
	pretend_open(&device);
	while (size) {
		const char *end = memchr(text, '\n', size);
		size_t len = end ? (size_t)(end - text) : size;

		pretend_text(&device, text, len);
		len += end != NULL;
		text += len;
		size -= len;
	}
	pretend_hang_up(&device);
	pretend_restart(&device);
	return 0;
}
