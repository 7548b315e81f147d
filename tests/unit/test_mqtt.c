/* SPDX-License-Identifier: MIT */
/*
 * The connection to a broker against a real mosquitto: accepted, refused,
 * lost, tried again; TLS; what waits to be sent; peers that are no brokers.
 */
#include <errno.h>

#include "base/module.h"
#include "base/text.h"
#include "net/mqtt.h"
#include "real_broker.h"
#include "skip_for.h"

#define LONG_MS 60000

struct watcher {
	struct mqtt_client *client;
	unsigned connected, lost, messages;
	size_t wanted; /* messages */
	bool up, down, enough, closed;
	char topic[128];
	char *last; /* data of the last message */
	size_t last_len;
	struct error why;
	bool leave_errno, close_inside;
	const char *echo_to;
};

static struct loop *loop;
static const struct mqtt_table *mqtt;
static struct real_broker broker;

static void on_closed(void *owner)
{
	((struct watcher *)owner)->closed = true;
}

static void on_connected(void *owner)
{
	struct watcher *w = owner;

	w->connected++;
	w->up = true;
}

static void on_message(void *owner, const char *topic, const void *data,
		       size_t len)
{
	struct watcher *w = owner;

	w->messages++;
	snprintf(w->topic, sizeof(w->topic), "%s", topic);
	mem_free(w->last);
	w->last = mem_zalloc(len + 1);
	memcpy(w->last, data, len);
	w->last_len = len;
	w->enough = w->messages >= w->wanted;
	if (w->echo_to)
		assert_int_equal(
			mqtt->publish(w->client, w->echo_to, data, len, NULL),
			0);
	if (w->close_inside)
		mqtt->client_close(w->client, on_closed);
	if (w->leave_errno)
		errno = EAGAIN;
}

static void on_lost(void *owner, const struct error *why)
{
	struct watcher *w = owner;

	w->lost++;
	w->down = true;
	w->up = false;
	error_copy(&w->why, why);
}

static const struct mqtt_client_events events = { .connected = on_connected,
						  .message = on_message,
						  .lost = on_lost };

static void wait_for(const bool *flag, const char *what)
{
	if (loop_wait(loop, flag, loop_now() + LONG_MS, NULL))
		fail_msg("no %s", what);
}

static struct mqtt_options options(const char *id)
{
	return (struct mqtt_options){ .host = "127.0.0.1",
				      .port = broker.port,
				      .client_id = id };
}

static void begin(struct watcher *w, const struct mqtt_options *o)
{
	struct error err = { 0 };

	*w = (struct watcher){ .wanted = 1 };
	w->client = mqtt->client_open(loop, o, &events, w, &err);
	if (!w->client)
		fail_msg("%s", err.text);
	/* Nothing is told from inside. */
	assert_int_equal(w->connected + w->lost, 0);
}

static void begin_up(struct watcher *w, const struct mqtt_options *o)
{
	begin(w, o);
	loop_wait(loop, &w->up, loop_now() + LONG_MS, NULL);
	if (!w->up)
		fail_msg("not connected: %s", w->why.text);
}

static void end(struct watcher *w)
{
	if (!w->closed)
		mqtt->client_close(w->client, on_closed);
	wait_for(&w->closed, "end of the client");
	error_reset(&w->why);
	mem_free(w->last);
}

static void says(const struct watcher *w, enum error_kind kind,
		 const char *text, const char *hint)
{
	if (w->why.kind != kind || !strstr(w->why.text, text) ||
	    !strstr(w->why.hint, hint))
		fail_msg("%d: '%s', '%s' instead of %d '%s', '%s'",
			 (int)w->why.kind, w->why.text, w->why.hint, (int)kind,
			 text, hint);
}

static void begin_lost(struct watcher *w, const struct mqtt_options *o)
{
	begin(w, o);
	wait_for(&w->down, "failure");
	assert_int_equal(w->connected, 0);
	assert_int_equal(w->lost, 1);
}

static int prepare(void **state)
{
	struct error err = { 0 };

	(void)state;
	if (loop_new(&loop, &err))
		return -1;
	mqtt = module_table("mqtt", MQTT_TABLE, &err);
	if (!mqtt)
		print_error("%s\n", err.text);
	return mqtt ? 0 : -1;
}

static int finish(void **state)
{
	(void)state;
	broker_done(&broker);
	loop_free(loop);
	loop = NULL;
	return 0;
}

static void need_broker(const char *more)
{
	if (!broker_start(&broker, more))
		skip();
}

/* ---- with a broker ---- */

static void test_messages(void **state)
{
	struct mqtt_options a = options(""), b;
	struct watcher one, two;

	(void)state;
	need_broker("allow_anonymous true");
	a = options("one");
	b = options("two");
	b.host = "localhost"; /* ::1 may come first, where nobody listens */
	begin(&one, &a);
	assert_int_equal(mqtt->publish(one.client, "t", "x", 1, &one.why), -1);
	says(&one, ERR_CONNECT, "is not connected", "");
	/* Before it is connected, and twice: one copy comes. */
	assert_int_equal(mqtt->subscribe(one.client, "up/+", NULL), 0);
	assert_int_equal(mqtt->subscribe(one.client, "up/+", NULL), 0);
	wait_for(&one.up, "connection");
	begin_up(&two, &b);
	assert_int_equal(mqtt->publish(two.client, "up/2", "a\0b", 3, NULL), 0);
	wait_for(&one.enough, "message");
	assert_string_equal(one.topic, "up/2");
	assert_int_equal(one.last_len, 3);
	assert_memory_equal(one.last, "a\0b", 3);
	/* An empty one, and while it is connected. */
	one.enough = false;
	one.wanted = 2;
	assert_int_equal(mqtt->subscribe(one.client, "more", NULL), 0);
	one.echo_to = NULL;
	assert_int_equal(mqtt->publish(one.client, "more", "", 0, NULL), 0);
	wait_for(&one.enough, "empty message");
	assert_int_equal(one.last_len, 0);
	assert_int_equal(one.messages, 2);
	end(&two);
	end(&one);
}

static void test_wrong_names(void **state)
{
	struct mqtt_options o = options("");
	struct error err = { 0 };
	struct watcher w;

	(void)state;
	need_broker("allow_anonymous true");
	assert_null(mqtt->client_open(loop, &o, &events, &w, &err));
	assert_int_equal(err.kind, ERR_USAGE);
	o = options("\xff");
	assert_null(mqtt->client_open(loop, &o, &events, &w, &err));
	assert_non_null(strstr(err.text, "client id"));
	o = options("id");
	o.tls = true;
	o.cacert = "/no/such/file";
	assert_null(mqtt->client_open(loop, &o, &events, &w, &err));
	assert_int_equal(err.kind, ERR_USAGE);
	if (!strstr(err.text, "'/no/such/file': No such file"))
		fail_msg("%s", err.text);
	o.cacert = "/dev/null";
	assert_null(mqtt->client_open(loop, &o, &events, &w, &err));
	assert_non_null(strstr(err.text, "no certificate in '/dev/null'"));
	o = options("id");
	begin_up(&w, &o);
	assert_int_equal(mqtt->subscribe(w.client, "a/#/b", &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_int_equal(mqtt->publish(w.client, "a/+", "", 0, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_int_equal(mqtt->publish(w.client, "", "", 0, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	end(&w);
}

/* More than the socket takes, and more than may wait. */
static void test_queue(void **state)
{
	static char big[1 << 20];
	struct mqtt_options o;
	struct error err = { 0 };
	struct watcher w;
	size_t sent = 0;

	(void)state;
	need_broker("allow_anonymous true");
	o = options("queue");
	begin_up(&w, &o);
	assert_int_equal(mqtt->subscribe(w.client, "big", NULL), 0);
	memset(big, 'x', sizeof(big));
	/* It reads nothing for a while. */
	kill(broker.pid, SIGSTOP);
	while (sent < 100 &&
	       !mqtt->publish(w.client, "big", big, sizeof(big), &err))
		sent++;
	kill(broker.pid, SIGCONT);
	assert_in_range(sent, 16, 99);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_non_null(strstr(err.text, "too much waits"));
	w.wanted = sent;
	wait_for(&w.enough, "big messages");
	assert_int_equal(w.last_len, sizeof(big));
	/* What waits at a close still goes. */
	w.enough = false;
	w.wanted = sent + 4;
	assert_int_equal(mqtt->publish(w.client, "big", big, 1, NULL), 0);
	end(&w);
}

static void test_close_flushes(void **state)
{
	static char big[1 << 20];
	struct watcher from, to;
	struct mqtt_options o;

	(void)state;
	need_broker("allow_anonymous true");
	o = options("to");
	begin(&to, &o);
	to.wanted = 8;
	mqtt->subscribe(to.client, "big", NULL);
	wait_for(&to.up, "connection");
	o = options("from");
	begin_up(&from, &o);
	for (int i = 0; i < 8; i++)
		assert_int_equal(mqtt->publish(from.client, "big", big,
					       sizeof(big), NULL),
				 0);
	mqtt->client_close(from.client, on_closed);
	wait_for(&to.enough, "all that was sent before the close");
	end(&from);
	end(&to);
}

static void test_close_inside(void **state)
{
	struct mqtt_options o;
	struct watcher w;

	(void)state;
	need_broker("allow_anonymous true");
	o = options("inside");
	begin(&w, &o);
	w.close_inside = true;
	mqtt->subscribe(w.client, "t", NULL);
	wait_for(&w.up, "connection");
	for (int i = 0; i < 3; i++)
		mqtt->publish(w.client, "t", "x", 1, NULL);
	wait_for(&w.closed, "end");
	assert_int_equal(w.messages, 1);
	end(&w);
	/* And before anything happened. */
	begin(&w, &o);
	end(&w);
	assert_int_equal(w.connected, 0);
}

static void test_killed_and_back(void **state)
{
	struct mqtt_options o;
	struct watcher once, own, again;

	(void)state;
	need_broker("allow_anonymous true");
	o = options("once");
	begin_up(&once, &o);
	o = options("mcpctl-0123456789ab");
	begin_up(&own, &o);
	o = options("again");
	o.reconnect = true;
	begin_up(&again, &o);
	mqtt->subscribe(again.client, "t", NULL);
	broker_kill(&broker);
	wait_for(&once.down, "loss");
	says(&once, ERR_CONNECT, "went away", "was it stopped");
	says(&once, ERR_CONNECT, "went away",
	     "another client with our client id");
	wait_for(&own.down, "loss");
	says(&own, ERR_CONNECT, "went away", "was it stopped");
	/* Nobody else has an id that was made here. */
	assert_null(strstr(own.why.hint, "another client"));
	wait_for(&again.down, "loss");
	assert_int_equal(mqtt->publish(again.client, "t", "x", 1, NULL), -1);
	broker_run(&broker);
	wait_for(&again.up, "connection once more");
	assert_int_equal(again.connected, 2);
	/* Subscribed by itself. */
	mqtt->publish(again.client, "t", "x", 1, NULL);
	wait_for(&again.enough, "message");
	assert_int_equal(once.connected, 1);
	assert_int_equal(once.lost, 1);
	end(&once);
	end(&own);
	end(&again);
}

static void test_same_id(void **state)
{
	struct mqtt_options o;
	struct watcher old, new;

	(void)state;
	need_broker("allow_anonymous true");
	o = options("same");
	begin_up(&old, &o);
	begin_up(&new, &o);
	wait_for(&old.down, "end of the older");
	says(&old, ERR_CONNECT, "went away", "another client");
	end(&old);
	end(&new);
}

static void test_credentials(void **state)
{
	struct mqtt_options o;
	struct watcher w;
	char *file;

	(void)state;
	if (!broker_prepare(&broker))
		skip();
	file = broker_path(&broker, "passwords");
	broker_write(&broker, "passwords", "");
	{
		const char *argv[] = { "mosquitto_passwd", "-b", file, "me",
				       "secret",	   NULL };
		char *more = mem_printf("allow_anonymous false\n"
					"password_file %s",
					file);

		assert_int_equal(run_program(argv), 0);
		broker_configure(&broker, more);
		mem_free(more);
	}
	mem_free(file);
	broker_run(&broker);
	o = options("id");
	begin_lost(&w, &o);
	says(&w, ERR_AUTH, "not authorised", "mqtt://USER@HOST");
	end(&w);
	o.user = "me";
	o.password = "wrong";
	begin_lost(&w, &o);
	says(&w, ERR_AUTH, "refused", "MCPCTL_MQTT_PASSWORD");
	end(&w);
	o.password = "secret";
	begin_up(&w, &o);
	end(&w);
}

/* ---- TLS ---- */

static bool make_certificate(void)
{
	char *key = broker_path(&broker, "key"), *crt;
	const char *argv[] = {
		"openssl",  "req",
		"-x509",    "-newkey",
		"rsa:2048", "-nodes",
		"-days",    "2",
		"-subj",    "/CN=localhost",
		"-addext",  "subjectAltName=DNS:localhost,IP:127.0.0.1",
		"-keyout",  key,
		"-out",	    NULL,
		NULL
	};
	int status;

	argv[15] = crt = broker_path(&broker, "crt");
	status = run_program(argv);
	mem_free(key);
	mem_free(crt);
	return status == 0;
}

static void need_tls_broker(const char *options)
{
	char *more;

	if (!broker_prepare(&broker) || !make_certificate())
		skip_for("no mosquitto, or no openssl to make a certificate");
	more = mem_printf("allow_anonymous true\ncertfile %s/crt\n"
			  "cafile %s/crt\nkeyfile %s/key\n%s",
			  broker.folder, broker.folder, broker.folder, options);
	broker_configure(&broker, more);
	mem_free(more);
	broker_run(&broker);
}

static void test_tls(void **state)
{
	struct mqtt_options o;
	struct watcher w;
	char *crt;

	(void)state;
	need_tls_broker("");
	crt = broker_path(&broker, "crt");
	o = options("tls");
	o.tls = true;
	begin_lost(&w, &o);
	says(&w, ERR_CONNECT, "self-signed certificate", "--cacert");
	end(&w);
	o.insecure = true;
	begin_up(&w, &o);
	end(&w);
	o.insecure = false;
	o.cacert = crt;
	begin_up(&w, &o);
	end(&w);
	o.host = "localhost";
	begin_up(&w, &o);
	end(&w);
	/* The right certificate for another name. */
	o.host = "127.0.0.2";
	broker_kill(&broker);
	{
		char *files = mem_printf("certfile %s/crt\nkeyfile %s/key\n",
					 broker.folder, broker.folder);
		char *text = mem_printf("user root\nallow_anonymous true\n"
					"listener %u 127.0.0.2\n%s"
					"listener %u 127.0.0.1\n%s",
					(unsigned)broker.port, files,
					(unsigned)broker.port, files);

		broker_write(&broker, "conf", text);
		mem_free(text);
		mem_free(files);
	}
	broker_run(&broker);
	begin_lost(&w, &o);
	says(&w, ERR_CONNECT, "mismatch", "another name");
	end(&w);
	/* Plain where TLS is wanted. */
	o = options("plain");
	begin_lost(&w, &o);
	says(&w, ERR_CONNECT, "during the MQTT handshake", "mqtts://");
	end(&w);
	mem_free(crt);
}

static void test_client_certificate(void **state)
{
	struct mqtt_options o;
	struct watcher w;

	(void)state;
	need_tls_broker("require_certificate true");
	o = options("tls");
	o.tls = o.insecure = true;
	begin_lost(&w, &o);
	/* The broker may reset the connection before its alert is read. */
	if (strstr(w.why.text, "certificate"))
		says(&w, ERR_CONNECT, "certificate required", "of its clients");
	else
		says(&w, ERR_CONNECT, "", "");
	end(&w);
}

static void test_tls_where_plain(void **state)
{
	struct mqtt_options o;
	struct watcher w;

	(void)state;
	need_broker("allow_anonymous true");
	o = options("tls");
	o.tls = true;
	begin_lost(&w, &o);
	/* It answers what it does not understand, or just ends. */
	says(&w, ERR_CONNECT, "TLS", "mqtt://");
	end(&w);
}

/*
 * Many packets in few TLS records, to an owner that leaves EAGAIN in errno: the
 * library would stop amid a record, and poll sees nothing of the rest.
 */
static void test_tls_burst(void **state)
{
	struct mqtt_options o;
	struct watcher from, to;
	struct error err = { 0 };

	(void)state;
	need_tls_broker("");
	o = options("to");
	o.tls = o.insecure = true;
	begin(&to, &o);
	to.leave_errno = true;
	to.wanted = 2000;
	mqtt->subscribe(to.client, "t", NULL);
	wait_for(&to.up, "connection");
	o.client_id = "from";
	begin_up(&from, &o);
	for (int i = 0; i < 2000; i++) {
		if (mqtt->publish(from.client, "t", "some text", 9, &err))
			fail_msg("%s", err.text);
	}
	wait_for(&to.enough, "all of a burst");
	assert_int_equal(to.messages, 2000);
	end(&from);
	end(&to);
}

/* ---- where no broker is ---- */

static void test_nobody(void **state)
{
	struct mqtt_options o;
	struct watcher w;

	(void)state;
	broker.port = free_port();
	o = options("id");
	begin_lost(&w, &o);
	says(&w, ERR_CONNECT, "connection refused", "mcpctl serve --mqtt");
	assert_int_equal(w.why.code, ECONNREFUSED);
	end(&w);
	o.host = "localhost";
	begin_lost(&w, &o);
	says(&w, ERR_CONNECT, "connection refused", "is a broker running");
	end(&w);
	o.tls = true;
	begin_lost(&w, &o);
	says(&w, ERR_CONNECT, "connection refused", "is a broker running");
	end(&w);
	o.host = "no-such-host.invalid";
	begin_lost(&w, &o);
	says(&w, ERR_CONNECT, "cannot find the broker's host", "IP address");
	end(&w);
}

/* A port for a broker that a child is. */
static int broker_listens(void)
{
	struct sockaddr_in own = { .sin_family = AF_INET };
	socklen_t size = sizeof(own);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&own, sizeof(own)), 0);
	assert_int_equal(listen(fd, 4), 0);
	getsockname(fd, (struct sockaddr *)&own, &size);
	broker.port = ntohs(own.sin_port);
	fflush(NULL);
	return fd;
}

/* A server in a child that says this to the first client, and ends. */
static pid_t start_liar(const char *text, size_t len)
{
	int fd = broker_listens();
	pid_t pid = fork();

	if (pid == 0) {
		char drop[512];
		int client = accept(fd, NULL, NULL);

		if (recv(client, drop, sizeof(drop), 0) > 0)
			send(client, text, len, MSG_NOSIGNAL);
		shutdown(client, SHUT_WR);
		while (recv(client, drop, sizeof(drop), 0) > 0)
			;
		_exit(0);
	}
	close(fd);
	return pid;
}

/* A broker in a child that accepts, reads so many bytes more, and closes. */
static pid_t start_picky(size_t bytes)
{
	int fd = broker_listens();
	pid_t pid = fork();

	if (pid == 0) {
		char drop[512];
		int client = accept(fd, NULL, NULL);
		ssize_t n;

		if (recv(client, drop, sizeof(drop), 0) > 0)
			send(client, "\x20\x02\x00\x00", 4, MSG_NOSIGNAL);
		while (bytes > 0 &&
		       (n = recv(client, drop, sizeof(drop), 0)) > 0)
			bytes -= (size_t)n < bytes ? (size_t)n : bytes;
		_exit(0);
	}
	close(fd);
	return pid;
}

/* A gateway closes at what it does not like: that is no end of the broker. */
static void test_closes_at_what_was_sent(void **state)
{
	static char large[9000];
	static const struct {
		const char *text;
		const char *says, *hints;
	} rows[] = {
		{ large, "right after it was sent 8999 bytes to 't'", "8,192" },
		{ "{\"a\":", "right after it was sent 5 bytes to 't'",
		  "no whole JSON" },
		{ "{\"a\":1}", "right after it was sent 7 bytes to 't'",
		  "signature" },
	};

	(void)state;
	memset(large, '1', sizeof(large) - 1);
	for (size_t i = 0; i < COUNT(rows); i++) {
		size_t len = strlen(rows[i].text);
		pid_t pid = start_picky(len);
		struct mqtt_options o = options("id");
		struct watcher w;

		begin_up(&w, &o);
		mqtt->publish(w.client, "t", rows[i].text, len, NULL);
		wait_for(&w.down, "loss");
		says(&w, ERR_CONNECT, rows[i].says, rows[i].hints);
		end(&w);
		waitpid(pid, NULL, 0);
	}
}

static void test_liars(void **state)
{
	static const struct {
		const char *text;
		size_t len;
		bool tls;
		enum error_kind kind;
		const char *says, *hints;
	} rows[] = {
		{ "", 0, false, ERR_CONNECT, "closed the connection", "mqtts" },
		{ "HTTP/1.1 400 Bad\r\n\r\n", 20, false, ERR_CONNECT,
		  "closed the connection", "is it an MQTT broker" },
		{ "SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3 and some more words "
		  "until there is enough of them for it",
		  95, false, ERR_PROTOCOL, "no MQTT", "is it an MQTT broker" },
		{ "\x20\xff\xff\xff\xff\xff", 6, false, ERR_PROTOCOL, "no MQTT",
		  "is it an MQTT broker" },
		/* A message before CONNACK. */
		{ "\x30\x03\x00\x01t", 5, false, ERR_PROTOCOL, "no MQTT", "" },
		{ "\x20\x02\x00\x01", 4, false, ERR_CONNECT, "MQTT 3.1.1", "" },
		{ "\x20\x02\x00\x02", 4, false, ERR_CONNECT, "client id", "" },
		{ "\x20\x02\x00\x03", 4, false, ERR_CONNECT, "not available",
		  "log" },
		{ "\x20\x02\x00\x04", 4, false, ERR_AUTH, "bad user name",
		  "USER@" },
		{ "\x20\x02\x00\x77", 4, false, ERR_CONNECT,
		  "a reason of its own", "log" },
		{ "", 0, true, ERR_CONNECT, "TLS", "mqtt://" },
		{ "HTTP/1.1 400 Bad\r\n\r\n", 20, true, ERR_CONNECT,
		  "does not speak TLS", "mqtt://" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		pid_t pid = start_liar(rows[i].text, rows[i].len);
		struct mqtt_options o = options("id");
		struct watcher w;

		o.tls = rows[i].tls;
		begin_lost(&w, &o);
		says(&w, rows[i].kind, rows[i].says, rows[i].hints);
		end(&w);
		waitpid(pid, NULL, 0);
	}
}

/* CONNACK, and a SUBACK that grants nothing. */
static void test_no_access(void **state)
{
	pid_t pid = start_liar("\x20\x02\0\0\x90\x03\0\x01\x80", 9);
	struct mqtt_options o = options("id");
	struct watcher w;

	(void)state;
	begin(&w, &o);
	mqtt->subscribe(w.client, "bad/#", NULL);
	wait_for(&w.down, "refusal");
	assert_int_equal(w.connected, 1);
	says(&w, ERR_AUTH, "subscribe to 'bad/#'", "access rules");
	end(&w);
	waitpid(pid, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_messages, prepare, finish),
		cmocka_unit_test_setup_teardown(test_wrong_names, prepare,
						finish),
		cmocka_unit_test_setup_teardown(test_queue, prepare, finish),
		cmocka_unit_test_setup_teardown(test_close_flushes, prepare,
						finish),
		cmocka_unit_test_setup_teardown(test_close_inside, prepare,
						finish),
		cmocka_unit_test_setup_teardown(test_killed_and_back, prepare,
						finish),
		cmocka_unit_test_setup_teardown(test_same_id, prepare, finish),
		cmocka_unit_test_setup_teardown(test_credentials, prepare,
						finish),
		cmocka_unit_test_setup_teardown(test_no_access, prepare,
						finish),
		cmocka_unit_test_setup_teardown(test_tls, prepare, finish),
		cmocka_unit_test_setup_teardown(test_client_certificate,
						prepare, finish),
		cmocka_unit_test_setup_teardown(test_tls_where_plain, prepare,
						finish),
		cmocka_unit_test_setup_teardown(test_tls_burst, prepare,
						finish),
		cmocka_unit_test_setup_teardown(test_nobody, prepare, finish),
		cmocka_unit_test_setup_teardown(test_liars, prepare, finish),
		cmocka_unit_test_setup_teardown(test_closes_at_what_was_sent,
						prepare, finish),
	};

	return cmocka_run_group_tests_name("mqtt", tests, NULL, NULL);
}
