/* SPDX-License-Identifier: MIT */
/* Serial logs: lines, addresses, and what they show, in ESP-IDF's own form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "diag/serial_rules.h"
#include "net/serial.h"
#include "wire/panic_text.h"
#include "wire/serial_line.h"

static struct span span_of(const char *text)
{
	return (struct span){ text, strlen(text) };
}

/* ---- lines ---- */

static void add(void *owner, struct span line, size_t over)
{
	buf_printf(owner, "%.*s|%zu\n", (int)line.len, line.text, over);
}

static void splits(void **state)
{
	static const char text[] = "\x1b[0;32mI (1) a: b\x1b[0m\r\n\r\n"
				   "\x1b]0;title\x07two\n\x1b(Bthree";
	struct serial_splitter s = { 0 };
	struct buf out = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(text) - 1; i++)
		serial_split(&s, text + i, 1, add, &out);
	assert_string_equal(buf_string(&out), "I (1) a: b|0\ntwo|0\n");
	serial_flush(&s, add, &out);
	serial_flush(&s, add, &out);
	assert_non_null(strstr(buf_string(&out), "three|0\n"));
	buf_done(&out);
}

static void cuts(void **state)
{
	static char text[SERIAL_LINE_MAX + 11];
	struct serial_splitter s = { 0 };
	struct buf out = { 0 };

	(void)state;
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\n';
	serial_split(&s, text, sizeof(text), add, &out);
	assert_int_equal(out.len, SERIAL_LINE_MAX + 4);
	assert_string_equal(buf_string(&out) + SERIAL_LINE_MAX, "|10\n");
	buf_done(&out);
}

static void logs(void **state)
{
	struct esp_log log;

	(void)state;
	assert_true(esp_log_read(span_of("E (12345) WS: Failed: x"), &log));
	assert_int_equal(log.level, 'E');
	assert_int_equal(log.ms, 12345);
	assert_memory_equal(log.tag.text, "WS", log.tag.len);
	assert_memory_equal(log.text.text, "Failed: x", log.text.len);
	assert_true(esp_log_read(span_of("W (00:01:30.000) a: b"), &log));
	assert_int_equal(log.ms, -1);
	assert_true(esp_log_read(span_of("I (7) wifi:mode : sta"), &log));
	assert_true(esp_log_read(span_of("12:00:01 -> I (7) a: b"), &log));
	assert_false(esp_log_read(span_of("E (12345) no tag"), &log));
	assert_false(esp_log_read(span_of("E (1x) a: b"), &log));
	assert_false(esp_log_read(span_of("NOTE (1) a: b"), &log));
	assert_false(esp_log_read(span_of(""), &log));
	assert_false(esp_log_read(span_of("E (1"), &log));
}

/* ---- addresses ---- */

static void backtraces(void **state)
{
	struct panic_text p = { 0 };

	(void)state;
	assert_false(panic_text_line(
		&p, span_of("abort() was called at PC 0x42007a3b on core 0")));
	assert_true(panic_text_line(
		&p,
		span_of("Backtrace: 0x400e14ed:0x3ffb5030 0x400d0802:0x3ffb5050 |<-CORRUPTED")));
	assert_int_equal(p.count, 3);
	assert_int_equal(p.address[0], 0x42007a3b);
	assert_int_equal(p.address[1], 0x400e14ed);
	assert_int_equal(p.address[2], 0x400d0802);
	panic_text_reset(&p);
	/* Older ones have no blank behind the colon. */
	assert_true(panic_text_line(
		&p, span_of("Backtrace:0x400e14ed:0x3ffb5030")));
	assert_int_equal(p.count, 1);
}

static void dumps(void **state)
{
	static const char *const lines[] = {
		"Core  0 register dump:",
		"MEPC    : 0x420048b4  RA      : 0x420048c8  SP      : 0x3fc8f2f0  GP      : 0x3fc8a600",
		"A6      : 0x42001fd6  A7      : 0x00000000",
		"Stack memory:",
		"3fc8f2f0: 0x00000000 0x00000000 0x42005678 0x3fc8f310 0x420048b4",
	};
	struct panic_text p = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++)
		assert_false(panic_text_line(&p, span_of(lines[i])));
	assert_true(
		panic_text_line(&p, span_of("ELF file SHA256: 0123456789")));
	assert_int_equal(p.sure, 2);
	assert_int_equal(p.count, 3);
	assert_int_equal(p.address[2], 0x42005678);
}

/* ---- what they show ---- */

struct heard {
	struct diag diag;
	struct serial_judge judge;
	int64_t at_us;
};

static void hear(struct heard *h, const char *line)
{
	h->judge.diag = &h->diag;
	h->at_us += 1000000;
	serial_judge_line(&h->judge, span_of(line), h->at_us);
}

static void forget(struct heard *h)
{
	diag_done(&h->diag);
	*h = (struct heard){ 0 };
}

/* A line, the one code that it shows, and how that begins. */
static const struct shows {
	const char *line;
	enum diag_code code;
	const char *detail;
} table[] = {
	{ "rst:0x1 (POWERON),boot:0x8 (SPI_FAST_FLASH_BOOT)", S801,
	  "power on, or the reset button" },
	{ "I (24) boot: ESP-IDF v5.4 2nd stage bootloader", S801,
	  "what the ROM said" },
	{ "Guru Meditation Error: Core  0 panic'ed (LoadProhibited). Exception was unhandled.",
	  S802, "LoadProhibited on core 0" },
	{ "abort() was called at PC 0x42007a3b on core 0", S803,
	  "abort() was called at PC 0x42007a3b" },
	{ "Stack smashing protect failure!", S803, "Stack smashing" },
	{ "assert failed: xQueueSemaphoreTake queue.c:1545 (( pxQueue ))", S804,
	  "assert failed: xQueueSemaphoreTake" },
	{ "ESP_ERROR_CHECK failed: esp_err_t 0x103 (ESP_ERR_INVALID_STATE) at 0x42012345",
	  S804, "ESP_ERROR_CHECK failed" },
	{ "***ERROR*** A stack overflow in task main has been detected.", S805,
	  "task main" },
	{ "Debug exception reason: Stack canary watchpoint triggered (wifi) ",
	  S805, "task wifi" },
	{ "Guru Meditation Error: Core  0 panic'ed (Stack protection fault). ",
	  S805, "Stack protection fault on core 0" },
	{ "Guru Meditation Error: Core  1 panic'ed (Interrupt wdt timeout on CPU1). ",
	  S806, "Interrupt wdt timeout on CPU1 on core 1" },
	{ "rst:0x7 (TG0WDT_SYS_RST),boot:0x8 (SPI_FAST_FLASH_BOOT)", S808,
	  "the watchdog of timer group 0" },
	{ "rst:0xf (RTCWDT_BROWN_OUT_RST),boot:0x8", S809,
	  "the voltage was too low" },
	{ "E (12) brownout: Brownout detector was triggered", S809,
	  "Brownout detector" },
	{ "Mem alloc fail. size 0x00001000 caps 0x00001800", S811,
	  "Mem alloc fail. size 0x00001000" },
	{ "terminate called after throwing an instance of 'std::bad_alloc'",
	  S811, "std::bad_alloc" },
	{ "E (9) esp-tls-mbedtls: mbedtls_ssl_setup returned -0x7F00", S811,
	  "-0x7F00: no memory" },
	{ "CORRUPT HEAP: Bad tail at 0x3fcb1234. Expected 0xbaad5678 got 0x00000000",
	  S812, "CORRUPT HEAP: Bad tail" },
	{ "I (900) WifiStation: WiFi disconnected, reason: 201", S813,
	  "reason 201: no access point of that name" },
	{ "W (60000) WifiBoard: WiFi connection timeout, entering config mode",
	  S813, "WiFi connection timeout" },
	{ "E (9) WS: Failed to connect to websocket server, code=113", S814,
	  "WS: Failed to connect" },
	{ "E (9) MQTT: Failed to connect to endpoint, code=-1", S814, "MQTT:" },
	{ "E (9) EspTcp: Failed to connect to 192.168.1.9:8000, code=0x71",
	  S814, "EspTcp: Failed to connect to 192.168.1.9:8000" },
	{ "E (9) esp-tls-mbedtls: mbedtls_ssl_handshake returned -0x7200", S815,
	  "-0x7200: what answers speaks no TLS" },
	{ "E (9) WS: Failed to receive server hello", S816, "WS: Failed" },
	{ "E (9) MQTT: UDP is not specified", S816, "MQTT: UDP" },
	{ "E (9) Ota: Failed to check version, status code: 404", S817,
	  "Ota: Failed to check version, status code: 404" },
	{ "E (9) MCP: Invalid id for method: tools/list", S818,
	  "MCP: Invalid id for method: tools/list" },
	{ "E (9) WS: Missing message type, data: {}", S818, "WS: Missing" },
	{ "E (9) WebSocket: Data too large, maximum supported size is 65535 bytes",
	  S819, "WebSocket: Data too large" },
	{ "E (9) WS: Failed to send text: {}", S819, "WS: Failed to send" },
	{ "E (9) Protocol: Channel timeout 121 seconds", S820, "Protocol:" },
	{ "invalid header: 0xffffffff", S821, "invalid header: 0xffffffff" },
	{ "E (9) boot: No bootable app partitions in the partition table", S821,
	  "E (9) boot: No bootable" },
	{ "waiting for download", S822, "its ROM says so" },
	{ "E (9) Display: no such font", S823, "Display: no such font" },
};

static void shows_each(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		const struct shows *s = &table[i];
		struct heard h = { 0 };

		hear(&h, s->line);
		if (h.diag.count != 1 || h.diag.item[0].code != s->code)
			fail_msg(
				"'%s': %zu findings, the first %s", s->line,
				h.diag.count,
				h.diag.count ?
					finding_row(h.diag.item[0].code)->code :
					"none");
		if (strncmp(h.diag.item[0].detail, s->detail,
			    strlen(s->detail)) != 0)
			fail_msg("'%s': '%s'", s->line, h.diag.item[0].detail);
		assert_int_equal(h.diag.item[0].proof.leg, LEG_SERIAL);
		forget(&h);
	}
}

static void shows_nothing(void **state)
{
	static const char *const lines[] = {
		"I (1234) WS: Connecting to websocket server: ws://192.168.1.2:8000/ with version: 1",
		"I (1240) WS: Session ID: 9c1e",
		"W (1300) MCP: Tool self.x already added",
		"I (900) WifiStation: WiFi disconnected, reason: 8",
		"I (1500) Application: << 今天天气很好",
		"I (1600) SystemInfo: free sram: 81234 minimal sram: 60001",
		"ESP-ROM:esp32s3-20210327",
		"Rebooting...",
		"E",
		"E ()",
	};
	struct heard h = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++)
		hear(&h, lines[i]);
	assert_int_equal(h.diag.count, 0);
	forget(&h);
}

static void watchdog_names_the_task(void **state)
{
	struct heard h = { 0 };

	(void)state;
	hear(&h,
	     "E (65007) task_wdt: Task watchdog got triggered. The following tasks/users did not reset the watchdog in time:");
	assert_int_equal(h.diag.count, 0);
	hear(&h, "E (65007) task_wdt:  - IDLE0 (CPU 0)");
	assert_int_equal(h.diag.count, 1);
	assert_int_equal(h.diag.item[0].code, S807);
	assert_string_equal(h.diag.item[0].detail, "IDLE0 (CPU 0)");
	hear(&h, "E (65007) task_wdt: Tasks currently running:");
	hear(&h, "E (65007) task_wdt: CPU 0: main");
	assert_int_equal(h.diag.count, 1);
	forget(&h);
}

/* A panic, and the start that follows: what it causes is no news. */
static void goes_down_once(void **state)
{
	struct heard h = { 0 };

	(void)state;
	hear(&h, "assert failed: f a.c:1 (x)");
	hear(&h, "abort() was called at PC 0x42007a3b on core 0");
	hear(&h, "E (9) x: last words");
	hear(&h, "rst:0x7 (TG0WDT_SYS_RST),boot:0x8");
	hear(&h, "I (24) boot: ESP-IDF v5.4 2nd stage bootloader");
	assert_int_equal(h.diag.count, 2);
	assert_int_equal(h.diag.item[0].code, S804);
	assert_int_equal(h.diag.item[1].code, S801);
	assert_string_equal(
		h.diag.item[1].detail,
		"the watchdog of timer group 0, after it went down");
	hear(&h, "E (99) x: news again");
	assert_int_equal(diag_count(&h.diag, S823), 1);
	forget(&h);
}

static void starts_again_and_again(void **state)
{
	struct heard h = { 0 };

	(void)state;
	hear(&h, "rst:0xc (RTC_SW_CPU_RST),boot:0x8");
	hear(&h, "rst:0xc (RTC_SW_CPU_RST),boot:0x8");
	assert_int_equal(diag_count(&h.diag, S810), 0);
	hear(&h, "rst:0xc (RTC_SW_CPU_RST),boot:0x8");
	assert_int_equal(diag_count(&h.diag, S810), 1);
	assert_string_equal(diag_finding(&h.diag, S810)->detail,
			    "3 starts within 2 s");
	forget(&h);
	/* Those that somebody asked for are none; nor those that are far apart. */
	for (int i = 0; i < 5; i++)
		hear(&h, "rst:0x15 (USB_UART_CHIP_RESET),boot:0x8");
	for (int i = 0; i < 5; i++) {
		h.at_us += 60000000;
		hear(&h, "rst:0x5 (DSLEEP),boot:0x8");
		hear(&h, "rst:0x1 (POWERON),boot:0x8");
	}
	assert_int_equal(diag_count(&h.diag, S810), 0);
	forget(&h);
}

static void noise(void **state)
{
	static const char line[] =
		"\xff\xfe\x80\x81\xff\xfe\x80\x81\xff\xfe\x80\x81\xff\xfe\x80\x81";
	struct heard h = { 0 };

	(void)state;
	for (int i = 0; i < 15; i++)
		hear(&h, line);
	assert_int_equal(h.diag.count, 0);
	hear(&h, line);
	assert_int_equal(diag_count(&h.diag, S824), 1);
	forget(&h);
	/* A text in between: it was a start, or a plug. */
	for (int i = 0; i < 40; i++)
		hear(&h, i % 10 ? line : "I (1) boot: plain text, and enough");
	assert_int_equal(h.diag.count, 0);
	forget(&h);
}

/* The first finding of one line. */
static void is_heard_as(const char *line, enum diag_code code,
			const char *detail)
{
	struct heard h = { 0 };

	hear(&h, line);
	assert_int_equal(h.diag.count, 1);
	if (h.diag.item[0].code != code ||
	    strcmp(h.diag.item[0].detail, detail) != 0)
		fail_msg("'%s': %s '%s'", line,
			 finding_row(h.diag.item[0].code)->code,
			 h.diag.item[0].detail);
	forget(&h);
}

/* soc_reset_reason_t of ESP-IDF: the same on all chips. */
static void causes_of_starts(void **state)
{
	static const struct {
		unsigned number;
		enum diag_code code;
		bool asked; /* by somebody: no start of a loop */
		const char *words;
	} causes[] = {
		{ 0x01, S801, false, "power on, or the reset button" },
		{ 0x02, S801, false, "reset reason 0x2" },
		{ 0x03, S801, false, "restarted by the firmware" },
		{ 0x04, S808, false, "the old watchdog" },
		{ 0x05, S801, true, "woke up from deep sleep" },
		{ 0x06, S801, false, "reset reason 0x6" },
		{ 0x07, S808, false, "the watchdog of timer group 0" },
		{ 0x08, S808, false, "the watchdog of timer group 1" },
		{ 0x09, S808, false, "the RTC watchdog" },
		{ 0x0a, S801, false, "reset reason 0xa" },
		{ 0x0b, S808, false, "the watchdog of timer group 0" },
		{ 0x0c, S801, false, "restarted by the firmware" },
		{ 0x0d, S808, false, "the RTC watchdog" },
		{ 0x0f, S809, false, "the voltage was too low" },
		{ 0x10, S808, false, "the RTC watchdog" },
		{ 0x11, S808, false, "the watchdog of timer group 1" },
		{ 0x12, S808, false, "the super watchdog" },
		{ 0x13, S801, false, "a glitch of the clock" },
		{ 0x14, S801, false, "reset reason 0x14" },
		{ 0x15, S801, true, "reset over USB" },
		{ 0x16, S801, true, "reset by JTAG over USB" },
		{ 0x17, S801, false, "a glitch of the supply voltage" },
		{ 0x18, S801, true, "reset by JTAG" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(causes); i++) {
		CLEANUP(mem_free_ptr)
		char *line =
			mem_printf("rst:0x%x (X),boot:0x8", causes[i].number);
		struct heard h = { 0 };

		is_heard_as(line, causes[i].code, causes[i].words);
		for (int n = 0; n < 3; n++)
			hear(&h, line);
		assert_int_equal(diag_count(&h.diag, S810), !causes[i].asked);
		assert_int_equal(h.judge.seen, 3);
		forget(&h);
	}
}

/* wifi_err_reason_t of ESP-IDF's esp_wifi. */
static void reasons_of_wifi(void **state)
{
	static const struct {
		int number;
		const char *words; /* "": only the number is told */
	} reasons[] = {
		{ 1, "" },
		{ 2, ": the access point let it expire" },
		{ 4, ": it was idle for too long" },
		{ 5, ": the access point has too many" },
		{ 14, ": a damaged frame" },
		{ 15, ": handshake failed: most likely the password" },
		{ 39, ": time over" },
		{ 200, ": the access point is not heard any more" },
		{ 201, ": no access point of that name" },
		{ 202, ": refused: most likely the password" },
		{ 203, ": the access point did not take it in" },
		{ 204, ": handshake failed: most likely the password" },
		{ 205, ": the connection failed" },
		{ 206, "" },
		{ 210, ": no access point with security that fits" },
		{ 211, ": no access point that is secure enough" },
		{ 212, ": no access point that is near enough" },
		{ 213, "" },
	};
	struct heard h = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(reasons); i++) {
		CLEANUP(mem_free_ptr)
		char *line =
			mem_printf("I (9) x: WiFi disconnected, reason: %d",
				   reasons[i].number);
		CLEANUP(mem_free_ptr)
		char *detail = mem_printf("reason %d%s", reasons[i].number,
					  reasons[i].words);

		is_heard_as(line, S813, detail);
	}
	/* It left by itself. */
	hear(&h, "I (9) x: WiFi disconnected, reason: 3");
	hear(&h, "I (9) x: WiFi disconnected, reason: 8");
	hear(&h, "E (9) x: WiFi disconnected, reason: 8");
	assert_int_equal(h.diag.count, 0);
	forget(&h);
}

static void whole_words(void **state)
{
	(void)state;
	is_heard_as("flash read err, 1000", S821, "flash read err, 1000");
	is_heard_as("Guru Meditation Error: panic'ed (Unhandled debug). ", S802,
		    "Unhandled debug");
	is_heard_as("Guru Meditation Error: Core  1 panic'ed (X). ", S802,
		    "X on core 1");
	is_heard_as("***ERROR*** A stack overflow in task main", S805,
		    "task main");
	is_heard_as(
		"***ERROR*** A stack overflow in task main has been detected.",
		S805, "task main");
	is_heard_as("E (9) esp-tls: mbedtls_ssl_read returned -0x1234", S815,
		    "-0x1234");
	is_heard_as("E (9) esp-tls: mbedtls_ssl_read returned -0x004C", S815,
		    "-0x004C: nothing more came");
	is_heard_as("E (9) esp-tls: mbedtls_ssl_read returned -0x7F00", S811,
		    "-0x7F00: no memory for it");
	/* A tag counts as a whole; some words have no tag. */
	is_heard_as("E (9) WSX: Failed to send text", S823,
		    "WSX: Failed to send text");
	is_heard_as("E (9) W: Failed to send text", S823,
		    "W: Failed to send text");
	is_heard_as("E (9) x: Failed to get host by name", S814,
		    "x: Failed to get host by name");
	is_heard_as("E (9) x: it said ESP_ERR_NO_MEM", S811,
		    "x: it said ESP_ERR_NO_MEM");
	is_heard_as("E (9) x: Failed to allocate 10", S811,
		    "x: Failed to allocate 10");
	is_heard_as("E (9) x: unable, Failed to allocate 10", S823,
		    "x: unable, Failed to allocate 10");
}

/* What goes on is told each time, what it goes down by once; then no errors. */
static void goes_down_by(void **state)
{
	static const struct {
		const char *line;
		enum diag_code code;
		int times;
		bool silences;
	} downs[] = {
		{ "Guru Meditation Error: Core  0 panic'ed (X). ", S802, 2,
		  true },
		{ "A stack overflow in task x has been detected.", S805, 2,
		  true },
		{ "Stack canary watchpoint triggered (x)", S805, 2, true },
		{ "assert failed: x", S804, 1, true },
		{ "ESP_ERROR_CHECK failed: x", S804, 1, true },
		{ "Stack smashing protect failure!", S803, 1, true },
		{ "abort() was called at PC 0x1", S803, 1, true },
		{ "CORRUPT HEAP: x", S812, 2, false },
		{ "Brownout detector was triggered", S809, 2, false },
		{ "std::bad_alloc", S811, 2, false },
		{ "Mem alloc fail", S811, 2, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(downs); i++) {
		struct heard h = { 0 };

		hear(&h, downs[i].line);
		hear(&h, downs[i].line);
		hear(&h, "E (9) x: last words");
		assert_int_equal(diag_count(&h.diag, downs[i].code),
				 downs[i].times);
		assert_int_equal(diag_count(&h.diag, S823), !downs[i].silences);
		/* Its next start is the consequence. */
		hear(&h, "rst:0x4 (X),boot:0x8");
		assert_int_equal(diag_count(&h.diag, S808), !downs[i].silences);
		assert_int_equal(diag_count(&h.diag, S801), downs[i].silences);
		forget(&h);
	}
}

static void watchdog_without_a_task(void **state)
{
	struct heard h = { 0 };

	(void)state;
	hear(&h, "E (1) task_wdt: Task watchdog got triggered.");
	hear(&h, "E (1) x: another one");
	assert_string_equal(diag_finding(&h.diag, S807)->detail,
			    "no task is named");
	assert_int_equal(diag_count(&h.diag, S823), 1);
	/* A task that nobody asked for is none. */
	hear(&h, "E (1) task_wdt:  - IDLE0 (CPU 0)");
	hear(&h, "E (1) task_wdt_x: y");
	assert_int_equal(diag_count(&h.diag, S807), 1);
	forget(&h);
}

/* Where the log ends, or the chip starts anew, before it names one. */
static void watchdog_says_its_last(void **state)
{
	static const char caption[] =
		"E (1) task_wdt: Task watchdog got triggered. The following";
	struct heard h = { 0 };

	(void)state;
	hear(&h, caption);
	serial_judge_end(&h.judge);
	serial_judge_end(&h.judge);
	assert_int_equal(diag_count(&h.diag, S807), 1);
	assert_string_equal(diag_finding(&h.diag, S807)->detail,
			    "no task is named");
	hear(&h, caption);
	hear(&h, "rst:0xc (RTC_SW_CPU_RST),boot:0x8");
	assert_int_equal(diag_count(&h.diag, S807), 2);
	forget(&h);
}

/* What the ROM says of its reason counts for the bootloader behind it alone. */
static void starts_that_are_heard(void **state)
{
	struct heard h = { 0 };

	(void)state;
	hear(&h, "rst:0x1 (POWERON),boot:0x8");
	hear(&h, "I (24) boot: ESP-IDF v5.4 2nd stage bootloader");
	assert_int_equal(diag_count(&h.diag, S801), 1);
	assert_int_equal(h.judge.seen, 1);
	hear(&h, "I (24) boot: ESP-IDF v5.4 2nd stage bootloader");
	assert_int_equal(diag_count(&h.diag, S801), 2);
	assert_int_equal(h.judge.seen, 2);
	assert_int_equal(diag_count(&h.diag, S810), 0);
	hear(&h, "I (24) boot: ESP-IDF v5.4 2nd stage bootloader");
	assert_int_equal(diag_count(&h.diag, S810), 1);
	assert_int_equal(h.diag.frames, 4);
	forget(&h);
}

/* Three within a minute, to the microsecond; each one more is told, too. */
static void a_minute(void **state)
{
	static const char line[] = "rst:0x1 (POWERON),boot:0x8";
	struct heard h = { 0 };

	(void)state;
	for (int i = 0; i < 3; i++) {
		h.at_us += i < 2 ? 28500000 : 0;
		hear(&h, line);
	}
	assert_string_equal(diag_finding(&h.diag, S810)->detail,
			    "3 starts within 30.5 s");
	forget(&h);
	hear(&h, line);
	hear(&h, line);
	h.at_us = 1000000 + 59000000;
	hear(&h, line);
	assert_string_equal(diag_finding(&h.diag, S810)->detail,
			    "3 starts within 1 min");
	hear(&h, line);
	assert_int_equal(diag_count(&h.diag, S810), 2);
	forget(&h);
	hear(&h, line);
	hear(&h, line);
	h.at_us = 1000000 + 59000001;
	hear(&h, line);
	assert_int_equal(diag_count(&h.diag, S810), 0);
	forget(&h);
	/* By a clock that does not know. */
	for (int i = 0; i < 3; i++) {
		h.at_us = -1000000;
		hear(&h, line);
	}
	assert_string_equal(diag_finding(&h.diag, S810)->detail, "3 starts");
	forget(&h);
}

/* One byte of eight is too many. */
static void share_of_noise(void **state)
{
	struct heard h = { 0 };

	(void)state;
	for (int i = 0; i < 64; i++) {
		hear(&h, "\001abcdefgh");
		hear(&h, "\tabc\tdefg");
		hear(&h, "\xe4\xb8\xad.");
	}
	assert_int_equal(h.diag.count, 0);
	for (int i = 0; i < 31; i++)
		hear(&h, "\001abcdefg");
	assert_int_equal(h.diag.count, 0);
	hear(&h, "\001abcdefg");
	assert_string_equal(diag_finding(&h.diag, S824)->detail,
			    "32 of 256 bytes: most likely another rate");
	for (int i = 0; i < 31; i++)
		hear(&h, "\001abcdefg");
	assert_int_equal(diag_count(&h.diag, S824), 1);
	hear(&h, "\001abcdefg");
	assert_int_equal(diag_count(&h.diag, S824), 2);
	forget(&h);
}

static void frame(struct heard *h, bool from_device, const char *text)
{
	const struct diag_frame f = { .at_us = h->at_us,
				      .from_device = from_device,
				      .data = text,
				      .len = strlen(text) };

	serial_judge_frame(&h->judge, &f);
}

static void names_the_frame_before(void **state)
{
	struct heard h = { 0 };

	(void)state;
	frame(&h, true, "{\"type\":\"hello\"}");
	frame(&h, false,
	      "{\"type\":\"mcp\",\"payload\":{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"self.camera.take_photo\"}}}");
	hear(&h, "Guru Meditation Error: Core  0 panic'ed (LoadProhibited).");
	assert_string_equal(
		h.diag.item[0].detail,
		"LoadProhibited on core 0; 1 s after the backend's tools/call self.camera.take_photo");
	frame(&h, true,
	      "{\"type\":\"mcp\",\"payload\":{\"id\":3,\"result\":{}}}");
	hear(&h, "CORRUPT HEAP: x");
	assert_non_null(strstr(h.diag.item[1].detail,
			       "; 1 s after the device's reply"));
	frame(&h, false, "{broken");
	hear(&h, "Mem alloc fail");
	assert_non_null(
		strstr(h.diag.item[2].detail, "the backend's broken message"));
	forget(&h);
}

static void is_after(const char *text, const char *words)
{
	struct heard h = { 0 };
	struct diag_frame audio = { .at_us = 500, .kind = FRAME_IS_BINARY };

	frame(&h, true, text);
	/* Sound is no cause. */
	serial_judge_frame(&h.judge, &audio);
	h.at_us -= 1000000;
	hear(&h, "Mem alloc fail");
	if (words)
		assert_string_equal(h.diag.item[0].detail + 14, words);
	forget(&h);
}

static void frames_by_their_words(void **state)
{
	struct heard h = { 0 };

	(void)state;
	is_after("{\"type\":\"hello\"}", "; 0 ms after the device's hello");
	/* Of a name so many bytes, and no part of a character. */
	is_after(
		"{\"method\":\"tools/call\",\"params\":{\"name\":\"123456789012345678901234567890123456789\u56fe\"}}",
		"; 0 ms after the device's tools/call 123456789012345678901234567890123456789");
	is_after("{\"type\":\"sixteen_letters_\"}",
		 "; 0 ms after the device's sixteen_letters_");
	is_after("{\"type\":\"seventeen_letters\"}",
		 "; 0 ms after the device's message");
	is_after("{\"method\":\"12345678901234567890123456789012\"}",
		 "; 0 ms after the device's 12345678901234567890123456789012");
	is_after("{\"method\":\"123456789012345678901234567890123\"}",
		 "; 0 ms after the device's message");
	is_after("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
		 "; 0 ms after the device's reply");
	is_after(
		"{\"type\":\"mcp\",\"payload\":{\"method\":\"tools/list\",\"params\":{\"name\":\"x\"}}}",
		"; 0 ms after the device's tools/list");
	/* What came later is not before it. */
	h.at_us = 5000000;
	frame(&h, true, "{\"type\":\"hello\"}");
	h.at_us = 0;
	hear(&h, "Mem alloc fail");
	assert_string_equal(h.diag.item[0].detail, "Mem alloc fail");
	forget(&h);
}

static void learns_who_it_is(void **state)
{
	struct heard h = { 0 };

	(void)state;
	hear(&h, "I (9) wifi:mode : sta (34:85:18:AA:bb:cc)");
	assert_string_equal(h.judge.mac, "34:85:18:aa:bb:cc");
	hear(&h, "I (9) wifi:mode : sta (34:85:18:zz:bb:cd)");
	assert_string_equal(h.judge.mac, "34:85:18:aa:bb:cc");
	forget(&h);
}

/* ---- [ALIAS=]DEVICE[@BAUD] ---- */

static void place(const char *text, const char *alias, const char *device,
		  unsigned rate)
{
	struct serial_place p;

	assert_int_equal(serial_place_read(&p, text, NULL), 0);
	if (alias)
		assert_string_equal(p.alias, alias);
	else
		assert_null(p.alias);
	assert_string_equal(p.device, device);
	assert_int_equal(p.rate, rate);
	serial_place_done(&p);
}

static void places(void **state)
{
	(void)state;
	place("/dev/ttyUSB0", NULL, "/dev/ttyUSB0", 115200);
	place("ttyACM0@921600", NULL, "/dev/ttyACM0", 921600);
	place("kitchen=/dev/ttyUSB0@74880", "kitchen", "/dev/ttyUSB0", 74880);
	place("34:85:18:aa:bb:cc=ttyUSB1", "34:85:18:aa:bb:cc", "/dev/ttyUSB1",
	      115200);
	place("/dev/serial/by-id/usb-a=b", NULL, "/dev/serial/by-id/usb-a=b",
	      115200);
	place("a=b=c", "a", "b=c", 115200);
	place("/a@b/c", NULL, "/a@b/c", 115200);
	place("/a@b/c@50", NULL, "/a@b/c", 50);
	place("x@1@20000000", NULL, "x@1", 20000000);
}

#define FORM "[ALIAS=]DEVICE[@BAUD], as in kitchen=/dev/ttyUSB0@115200"
#define RATE(device) "bits a second: 115200 is usual, as in " device "@115200"

static void no_places(void **state)
{
	static const struct {
		const char *text, *why, *hint;
	} rows[] = {
		{ "", "'' names no device", FORM },
		{ "a=", "'' names no device", FORM },
		{ "@115200", "'@115200' names no device", FORM },
		{ "=/dev/x", "'/dev/x' names no board before '='", FORM },
		{ "/dev/x@1a", "'1a' of '/dev/x@1a' is no rate",
		  RATE("/dev/x") },
		{ "a=/dev/x@", "'' of '/dev/x@' is no rate", RATE("/dev/x") },
		{ "x@49", "'49' of 'x@49' is no rate", RATE("x") },
		{ "x@20000001", "'20000001' of 'x@20000001' is no rate",
		  RATE("x") },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *text = mem_printf("option '--serial': %s", rows[i].why);
		struct error err = { 0 };
		struct serial_place p;

		assert_int_equal(serial_place_read(&p, rows[i].text, &err), -1);
		assert_string_equal(err.text, text);
		assert_string_equal(err.hint, rows[i].hint);
		assert_int_equal(err.kind, ERR_USAGE);
		assert_null(p.device);
		assert_null(p.alias);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(splits),
		cmocka_unit_test(cuts),
		cmocka_unit_test(logs),
		cmocka_unit_test(backtraces),
		cmocka_unit_test(dumps),
		cmocka_unit_test(shows_each),
		cmocka_unit_test(shows_nothing),
		cmocka_unit_test(watchdog_names_the_task),
		cmocka_unit_test(goes_down_once),
		cmocka_unit_test(starts_again_and_again),
		cmocka_unit_test(causes_of_starts),
		cmocka_unit_test(reasons_of_wifi),
		cmocka_unit_test(whole_words),
		cmocka_unit_test(goes_down_by),
		cmocka_unit_test(watchdog_without_a_task),
		cmocka_unit_test(watchdog_says_its_last),
		cmocka_unit_test(starts_that_are_heard),
		cmocka_unit_test(a_minute),
		cmocka_unit_test(share_of_noise),
		cmocka_unit_test(frames_by_their_words),
		cmocka_unit_test(noise),
		cmocka_unit_test(names_the_frame_before),
		cmocka_unit_test(learns_who_it_is),
		cmocka_unit_test(places),
		cmocka_unit_test(no_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
