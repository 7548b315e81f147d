/* SPDX-License-Identifier: MIT */
/* A table of texts for most; what needs more than a text is a function. */
#include "diag/serial_rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json_scan.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "wire/envelope.h"
#include "wire/serial_line.h"

#define SHOWN 78 /* bytes of a line that a title has */
#define NAME_SHOWN 40 /* of a tool's name */

struct serial_look {
	struct serial_judge *j;
	struct span line;
	int64_t at_us;
	bool logged; /* log is filled */
	struct esp_log log;
};

static int shown(struct span s)
{
	return (int)text_cut(s.text, s.len, SHOWN);
}

/* "; 12 ms after the backend's tools/call self.x" */
static void add_before(const struct serial_look *l, char *out, size_t size)
{
	const struct serial_judge *j = l->j;
	char time[32];

	*out = '\0';
	if (!*j->before || l->at_us < j->before_us)
		return;
	text_milliseconds((l->at_us - j->before_us) / 1000, time, sizeof(time));
	snprintf(out, size, "; %s after %s", time, j->before);
}

static bool tell(const struct serial_look *l, enum diag_code code,
		 struct span at, const char *format, ...) PRINTF_LIKE(4, 5);

/* Always true: it ends a rule. */
static bool tell(const struct serial_look *l, enum diag_code code,
		 struct span at, const char *format, ...)
{
	const struct diag_frame f = { .at_us = l->at_us,
				      .leg = LEG_SERIAL,
				      .from_device = true,
				      .data = l->line.text,
				      .len = l->line.len };
	char words[96], before[112];
	va_list args;

	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	words[text_cut(words, strlen(words), sizeof(words) - 1)] = '\0';
	add_before(l, before, sizeof(before));
	diag_found_in(l->j->diag, code, &f, at, "%s%s", words, before);
	return true;
}

/* Why the firmware goes down: once, and what follows from it is no news. */
static bool goes_down(const struct serial_look *l)
{
	const bool first = !l->j->told;

	l->j->told = true;
	return first;
}

/* ---- starts ---- */

enum start_kind { START_ASKED, START_SOFTWARE, START_WATCHDOG, START_BROWNOUT };

/* soc_reset_reason_t of ESP-IDF's components/soc: the same on all chips. */
static const struct start_cause {
	int64_t number;
	enum start_kind kind;
	const char *words;
} causes[] = {
	{ 1, START_SOFTWARE, "power on, or the reset button" },
	{ 3, START_SOFTWARE, "restarted by the firmware" },
	{ 4, START_WATCHDOG, "the old watchdog" },
	{ 5, START_ASKED, "woke up from deep sleep" },
	{ 7, START_WATCHDOG, "the watchdog of timer group 0" },
	{ 8, START_WATCHDOG, "the watchdog of timer group 1" },
	{ 9, START_WATCHDOG, "the RTC watchdog" },
	{ 11, START_WATCHDOG, "the watchdog of timer group 0" },
	{ 12, START_SOFTWARE, "restarted by the firmware" },
	{ 13, START_WATCHDOG, "the RTC watchdog" },
	{ 15, START_BROWNOUT, "the voltage was too low" },
	{ 16, START_WATCHDOG, "the RTC watchdog" },
	{ 17, START_WATCHDOG, "the watchdog of timer group 1" },
	{ 18, START_WATCHDOG, "the super watchdog" },
	{ 19, START_SOFTWARE, "a glitch of the clock" },
	{ 21, START_ASKED, "reset over USB" },
	{ 22, START_ASKED, "reset by JTAG over USB" },
	{ 23, START_SOFTWARE, "a glitch of the supply voltage" },
	{ 24, START_ASKED, "reset by JTAG" },
};

static const struct start_cause *cause_of(int64_t number)
{
	for (size_t i = 0; i < COUNT(causes); i++) {
		if (causes[i].number == number)
			return &causes[i];
	}
	return NULL;
}

#define LOOP_US INT64_C(60000000)

/* So many within a minute are no use. */
static void judge_loop(const struct serial_look *l)
{
	struct serial_judge *j = l->j;
	int64_t oldest;
	char time[32];

	j->start_us[j->starts++ % STARTS_KEPT] = l->at_us;
	if (j->starts < STARTS_KEPT)
		return;
	oldest = j->start_us[j->starts % STARTS_KEPT];
	if (l->at_us - oldest > LOOP_US)
		return;
	text_milliseconds((l->at_us - oldest) / 1000, time, sizeof(time));
	if (l->at_us > oldest)
		tell(l, S810, (struct span){ 0 }, "%d starts within %s",
		     STARTS_KEPT, time);
	else
		tell(l, S810, (struct span){ 0 }, "%" PRIu64 " starts",
		     j->starts);
}

static void begin_start(const struct serial_look *l, bool asked)
{
	serial_judge_end(l->j);
	l->j->told = false;
	l->j->seen++;
	if (!asked)
		judge_loop(l);
}

/* "rst:0xc (RTC_SW_CPU_RST),boot:0x8 (SPI_FAST_FLASH_BOOT)" */
static bool rule_start(const struct serial_look *l)
{
	const struct start_cause *c;
	int64_t number;
	const bool down = l->j->told;
	const struct span at = serial_find(l->line, "rst:0x");

	if (!at.text || !serial_number(l->line, "rst:", &number))
		return false;
	c = cause_of(number);
	l->j->rom_spoke = true;
	begin_start(l, c && c->kind == START_ASKED);
	if (c && c->kind == START_BROWNOUT)
		tell(l, S809, at, "%s", c->words);
	else if (c && c->kind == START_WATCHDOG && !down)
		tell(l, S808, at, "%s", c->words);
	else if (c)
		tell(l, S801, at, "%s%s", c->words,
		     down ? ", after it went down" : "");
	else
		tell(l, S801, at, "reset reason 0x%" PRIx64, (uint64_t)number);
	return true;
}

/* Where the ROM is not heard: USB goes away at a reset, and comes too late. */
static bool rule_bootloader(const struct serial_look *l)
{
	if (!serial_find(l->line, "2nd stage bootloader").text)
		return false;
	if (!l->j->rom_spoke) {
		begin_start(l, false);
		tell(l, S801, (struct span){ 0 },
		     "what the ROM said of its reason was not heard");
	}
	l->j->rom_spoke = false;
	return true;
}

static bool rule_no_firmware(const struct serial_look *l)
{
	static const char *const texts[] = { "invalid header: 0x",
					     "No bootable app partitions",
					     "flash read err," };

	for (size_t i = 0; i < COUNT(texts); i++) {
		const struct span at = serial_find(l->line, texts[i]);

		if (at.text)
			return tell(l, S821, at, "%.*s", shown(l->line),
				    l->line.text);
	}
	return false;
}

static bool rule_download(const struct serial_look *l)
{
	const struct span at = serial_find(l->line, "waiting for download");

	return at.text && tell(l, S822, at, "its ROM says so");
}

/* ---- going down ---- */

/* What stands in the parentheses behind the word. */
static struct span in_brackets(struct span line, const char *word)
{
	const struct span at = serial_find(line, word);
	const char *from, *end;

	if (!at.text)
		return at;
	from = at.text + at.len;
	end = memchr(from, ')', (size_t)(line.text + line.len - from));
	return (struct span){ from, end ? (size_t)(end - from) : 0 };
}

static bool span_starts(struct span s, const char *prefix)
{
	const size_t len = strlen(prefix);

	return s.len >= len && memcmp(s.text, prefix, len) == 0;
}

/* "Guru Meditation Error: Core  0 panic'ed (LoadProhibited). …" */
static bool rule_guru(const struct serial_look *l)
{
	const struct span why = in_brackets(l->line, "panic'ed (");
	enum diag_code code = S802;
	int64_t core = -1;

	if (!serial_find(l->line, "Guru Meditation Error").text || !why.len)
		return false;
	serial_number(l->line, "Core ", &core);
	if (span_starts(why, "Interrupt wdt"))
		code = S806;
	else if (span_starts(why, "Stack protection fault"))
		code = S805;
	l->j->told = true;
	if (core < 0)
		return tell(l, code, why, "%.*s", shown(why), why.text);
	return tell(l, code, why, "%.*s on core %d", shown(why), why.text,
		    (int)core);
}

/* "***ERROR*** A stack overflow in task X has been detected." */
static bool rule_stack(const struct serial_look *l)
{
	struct span at = serial_find(l->line, "A stack overflow in task ");
	const struct span canary =
		in_brackets(l->line, "Stack canary watchpoint triggered (");

	if (canary.len) {
		l->j->told = true;
		return tell(l, S805, canary, "task %.*s", shown(canary),
			    canary.text);
	}
	if (!at.text)
		return false;
	at.text += at.len;
	at.len = (size_t)(l->line.text + l->line.len - at.text);
	if (serial_find(at, " has been").text)
		at.len = (size_t)(serial_find(at, " has been").text - at.text);
	l->j->told = true;
	return tell(l, S805, at, "task %.*s", shown(at), at.text);
}

/* Texts of the line, whatever its tag; to its end. */
static const struct down {
	const char *text;
	enum diag_code code;
	bool again; /* told each time: it need not go down */
} downs[] = {
	{ "assert failed: ", S804, false },
	{ "ESP_ERROR_CHECK failed: ", S804, false },
	{ "Stack smashing protect failure", S803, false },
	{ "abort() was called at PC ", S803, false },
	{ "CORRUPT HEAP: ", S812, true },
	{ "Brownout detector was triggered", S809, true },
	{ "std::bad_alloc", S811, true },
	{ "Mem alloc fail", S811, true },
};

static bool rule_down(const struct serial_look *l)
{
	for (size_t i = 0; i < COUNT(downs); i++) {
		const struct down *d = &downs[i];
		struct span at = serial_find(l->line, d->text);

		if (!at.text)
			continue;
		at.len = (size_t)(l->line.text + l->line.len - at.text);
		if (d->again || goes_down(l))
			tell(l, d->code, at, "%.*s", shown(at), at.text);
		return true;
	}
	return false;
}

/* ---- what the log says ---- */

/* The caption has no name; " - IDLE0 (CPU 0)" behind it does. */
static bool rule_watchdog(const struct serial_look *l)
{
	const struct span text = l->log.text;
	const struct span dash = serial_find(l->line, "task_wdt:  - ");
	const bool waits = l->j->watchdog;

	l->j->watchdog = false;
	if (serial_find(l->line, "Task watchdog got triggered").text) {
		l->j->watchdog = true;
		l->j->watchdog_us = l->at_us;
		return true;
	}
	if (waits && dash.text) {
		const char *name = dash.text + dash.len;
		const struct span at = { name, (size_t)(l->line.text +
							l->line.len - name) };

		return tell(l, S807, at, "%.*s", shown(at), at.text);
	}
	if (waits)
		tell(l, S807, text, "no task is named");
	return l->logged && span_starts(l->log.tag, "task_wdt");
}

/* What firmware says of its Wi-Fi (esp-wifi-connect: wifi_station.cc). */
static const struct {
	int64_t number;
	const char *words;
} reasons[] = {
	/* wifi_err_reason_t of ESP-IDF's esp_wifi. */
	{ 2, "the access point let it expire" },
	{ 4, "it was idle for too long" },
	{ 5, "the access point has too many" },
	{ 14, "a damaged frame" },
	{ 15, "handshake failed: most likely the password" },
	{ 39, "time over" },
	{ 200, "the access point is not heard any more" },
	{ 201, "no access point of that name" },
	{ 202, "refused: most likely the password" },
	{ 203, "the access point did not take it in" },
	{ 204, "handshake failed: most likely the password" },
	{ 205, "the connection failed" },
	{ 210, "no access point with security that fits" },
	{ 211, "no access point that is secure enough" },
	{ 212, "no access point that is near enough" },
};

static bool rule_wifi(const struct serial_look *l)
{
	const struct span at = serial_find(l->line, "isconnected, reason: ");
	int64_t number;

	if (l->logged &&
	    serial_find(l->log.text, "WiFi connection timeout").text)
		return tell(l, S813, l->log.text, "%.*s", shown(l->log.text),
			    l->log.text.text);
	if (!at.text || !serial_number(l->line, "reason: ", &number))
		return false;
	/* 3, 8: it left by itself. */
	if (number == 3 || number == 8)
		return true;
	for (size_t i = 0; i < COUNT(reasons); i++) {
		if (reasons[i].number == number)
			return tell(l, S813, at, "reason %d: %s", (int)number,
				    reasons[i].words);
	}
	return tell(l, S813, at, "reason %d", (int)number);
}

/* MBEDTLS_ERR_… of mbedTLS: of its ssl, net and x509. */
static const struct {
	int64_t number;
	const char *words;
} faults[] = {
	{ 0x004c, "nothing more came" },
	{ 0x0050, "the server closed it" },
	{ 0x2700, "the certificate is not accepted" },
	{ 0x7200, "what answers speaks no TLS" },
	{ 0x7280, "the server closed it during the handshake" },
	{ 0x7780, "the server refused, by an alert" },
	{ 0x7880, "the server closed it" },
	{ 0x7f00, "no memory for it" },
};

static bool rule_tls(const struct serial_look *l)
{
	const struct span at = serial_find(l->line, "mbedtls_ssl_");
	int64_t number;

	if (!at.text || !serial_number(l->line, "returned -", &number))
		return false;
	for (size_t i = 0; i < COUNT(faults); i++) {
		if (faults[i].number == number)
			return tell(l, number == 0x7f00 ? S811 : S815, at,
				    "-0x%04X: %s", (unsigned)number,
				    faults[i].words);
	}
	return tell(l, S815, at, "-0x%04X", (unsigned)(number & 0xffff));
}

/* Errors of the firmware with a code of their own; the rest is S823. */
static const struct log_words {
	const char *tag; /* NULL: any */
	const char *text; /* how it begins */
	enum diag_code code;
} said[] = {
	{ "WS", "Failed to connect to websocket server", S814 },
	{ "WS", "Failed to create websocket", S814 },
	{ "WS", "Failed to receive server hello", S816 },
	{ "WS", "Unsupported transport", S816 },
	{ "WS", "Missing message type", S818 },
	{ "WS", "Failed to send text", S819 },
	{ "WebSocket", "Failed to connect to server", S814 },
	{ "WebSocket", "WebSocket handshake", S814 },
	{ "WebSocket", "Data too large", S819 },
	{ "MQTT", "Failed to connect", S814 },
	{ "MQTT", "Failed to receive server hello", S816 },
	{ "MQTT", "Unsupported", S816 },
	{ "MQTT", "UDP is not specified", S816 },
	{ "MQTT", "Invalid UDP server", S816 },
	{ "MQTT", "Invalid AES key", S816 },
	{ "MQTT", "Failed to parse json message", S818 },
	{ "MQTT", "Message type is invalid", S818 },
	{ "MQTT", "Failed to publish message", S819 },
	{ "MCP", "Failed to parse MCP message", S818 },
	{ "MCP", "Invalid JSONRPC version", S818 },
	{ "MCP", "Missing method", S818 },
	{ "MCP", "Invalid params for method", S818 },
	{ "MCP", "Invalid id for method", S818 },
	{ "Ota", "Failed to open HTTP connection", S817 },
	{ "Ota", "Failed to check version", S817 },
	{ "Ota", "Failed to parse JSON response", S817 },
	{ "Ota", "Check version URL", S817 },
	{ "Application", "Too many retries, exit version check", S817 },
	{ "Protocol", "Channel timeout", S820 },
	{ NULL, "Failed to get host by name", S814 },
	{ NULL, "couldn't get hostname", S814 },
	{ NULL, "Failed to connect to ", S814 },
};

static enum diag_code code_said(const struct esp_log *log)
{
	for (size_t i = 0; i < COUNT(said); i++) {
		const bool tagged =
			!said[i].tag || (log->tag.len == strlen(said[i].tag) &&
					 span_starts(log->tag, said[i].tag));

		if (tagged && span_starts(log->text, said[i].text))
			return said[i].code;
	}
	if (serial_find(log->text, "ESP_ERR_NO_MEM").text ||
	    span_starts(log->text, "Failed to allocate"))
		return S811;
	return S823;
}

static bool rule_error(const struct serial_look *l)
{
	const struct esp_log *log = &l->log;
	const struct span at = { log->tag.text,
				 (size_t)(l->line.text + l->line.len -
					  log->tag.text) };

	/* While it goes down, that is what is wrong. */
	if (!l->logged || log->level != 'E' || l->j->told)
		return false;
	return tell(l, code_said(log), at, "%.*s", shown(at), at.text);
}

/* ---- a line ---- */

/* Lines of which no rule is asked: what comes is no log at that rate. */
#define ODD_LEAST 256

static bool is_printed(char c)
{
	return (unsigned char)c >= 0x20 || c == '\t';
}

static bool rule_noise(const struct serial_look *l)
{
	struct serial_judge *j = l->j;
	const char *p = l->line.text, *end = p + l->line.len;
	uint64_t odd = 0;

	while (p < end) {
		size_t n = text_utf8(p, (size_t)(end - p));

		odd += n == 0 || (n == 1 && !is_printed(*p));
		p += n ? n : 1;
	}
	if (odd * 8 < l->line.len) {
		j->bytes = j->odd = 0;
		return false;
	}
	j->bytes += l->line.len;
	j->odd += odd;
	if (j->bytes < ODD_LEAST)
		return true;
	tell(l, S824, (struct span){ 0 },
	     "%" PRIu64 " of %" PRIu64 " bytes: most likely another rate",
	     j->odd, j->bytes);
	j->bytes = j->odd = 0;
	return true;
}

/* "wifi:mode : sta (34:85:18:aa:bb:cc)": its Device-Id. */
static void learn_mac(const struct serial_look *l)
{
	const struct span mac = in_brackets(l->line, "mode : sta (");

	if (mac.len != sizeof(l->j->mac) - 1)
		return;
	for (size_t i = 0; i < mac.len; i++) {
		const char c = mac.text[i];

		if (i % 3 == 2 ? c != ':' :
				 !c || !strchr("0123456789abcdefABCDEF", c))
			return;
	}
	for (size_t i = 0; i < mac.len; i++)
		l->j->mac[i] = (char)text_lower(mac.text[i]);
	l->j->mac[mac.len] = '\0';
}

void serial_judge_line(struct serial_judge *j, struct span line, int64_t at_us)
{
	static bool (*const rules[])(const struct serial_look *l) = {
		rule_noise,    rule_start, rule_bootloader, rule_no_firmware,
		rule_download, rule_guru,  rule_stack,	    rule_down,
		rule_watchdog, rule_wifi,  rule_tls,	    rule_error,
	};
	struct serial_look l = { .j = j, .line = line, .at_us = at_us };

	l.logged = esp_log_read(line, &l.log);
	diag_answer(j->diag);
	learn_mac(&l);
	for (size_t i = 0; i < COUNT(rules); i++) {
		if (rules[i](&l))
			return;
	}
}

void serial_judge_end(struct serial_judge *j)
{
	const struct serial_look l = { .j = j, .at_us = j->watchdog_us };

	if (j->watchdog)
		tell(&l, S807, l.line, "no task is named");
	j->watchdog = false;
}

/* ---- the frame before ---- */

static void keep_words(struct serial_judge *j, bool from_device,
		       const char *what, const char *name)
{
	const int len = name ? text_shown(name, NAME_SHOWN) : 0;

	snprintf(j->before, sizeof(j->before), "the %s's %s%s%.*s",
		 from_device ? "device" : "backend", what, name ? " " : "", len,
		 name ? name : "");
}

static void keep_message(struct serial_judge *j, const struct diag_frame *f,
			 struct span payload)
{
	struct span method, params, name = { 0 };
	CLEANUP(mem_free_ptr) char *word = NULL;
	CLEANUP(mem_free_ptr) char *tool = NULL;

	if (!json_span_member(payload, "method", &method)) {
		keep_words(j, f->from_device, "reply", NULL);
		return;
	}
	word = json_span_string(method);
	if (word && strcmp(word, "tools/call") == 0 &&
	    json_span_member(payload, "params", &params) &&
	    json_span_member(params, "name", &name))
		tool = json_span_string(name);
	if (word && strlen(word) <= 32)
		keep_words(j, f->from_device, word, tool);
	else
		keep_words(j, f->from_device, "message", NULL);
}

void serial_judge_frame(struct serial_judge *j, const struct diag_frame *f)
{
	const struct span frame = { f->data, f->len };
	struct span type;
	CLEANUP(mem_free_ptr) char *word = NULL;

	/* Audio goes on and on: it is no cause. */
	if (f->kind != FRAME_IS_TEXT)
		return;
	j->before_us = f->at_us;
	if (json_check(f->data, f->len, NULL)) {
		keep_words(j, f->from_device, "broken message", NULL);
		return;
	}
	if (json_span_member(frame, "type", &type))
		word = json_span_string(type);
	if (!word || strcmp(word, "mcp") == 0)
		keep_message(j, f, envelope_payload(frame));
	else if (strlen(word) <= 16)
		keep_words(j, f->from_device, word, NULL);
	else
		keep_words(j, f->from_device, "message", NULL);
}
