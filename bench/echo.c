/* SPDX-License-Identifier: MIT */
/*
 * The floor for a call: libwebsockets to libwebsockets, a text message of
 * SIZE bytes there and back, COUNT times, two processes on one core.
 * echo COUNT SIZE prints "P50 P99" in microseconds.
 */
#include <libwebsockets.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "samples.h"

static size_t size, count, done;
static double *sample, sent_at;
static unsigned char message[LWS_PRE + 65536];

static int on_server(struct lws *wsi, enum lws_callback_reasons reason,
		     void *user, void *in, size_t len)
{
	(void)user;
	if (reason == LWS_CALLBACK_RECEIVE) {
		memcpy(message + LWS_PRE, in, len);
		lws_write(wsi, message + LWS_PRE, len, LWS_WRITE_TEXT);
	}
	return 0;
}

static int on_client(struct lws *wsi, enum lws_callback_reasons reason,
		     void *user, void *in, size_t len)
{
	(void)user, (void)in, (void)len;
	if (reason == LWS_CALLBACK_CLIENT_RECEIVE)
		sample[done++] = now_us() - sent_at;
	else if (reason != LWS_CALLBACK_CLIENT_ESTABLISHED)
		return 0;
	if (done < count) {
		sent_at = now_us();
		lws_write(wsi, message + LWS_PRE, size, LWS_WRITE_TEXT);
	}
	return 0;
}

static struct lws_context *context_new(int port, lws_callback_function *fn)
{
	struct lws_protocols *protocols = calloc(2, sizeof(*protocols));
	struct lws_context_creation_info info = { 0 };

	protocols[0].name = "echo";
	protocols[0].callback = fn;
	protocols[0].rx_buffer_size = 65536;
	info.port = port;
	info.protocols = protocols;
	return lws_create_context(&info);
}

static void serve(int port_pipe)
{
	struct lws_context *server;
	int port;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	server = context_new(0, on_server);
	port = lws_get_vhost_listen_port(
		lws_get_vhost_by_name(server, "default"));
	if (write(port_pipe, &port, sizeof(port)) != (ssize_t)sizeof(port))
		_exit(1);
	while (lws_service(server, 0) >= 0)
		;
	_exit(0);
}

int main(int argc, char **argv)
{
	struct lws_client_connect_info to = { 0 };
	struct lws_context *client;
	int channel[2], port = 0;
	cpu_set_t one;
	pid_t server;

	if (argc != 3 || pipe(channel))
		return 2;
	count = strtoul(argv[1], NULL, 10);
	size = strtoul(argv[2], NULL, 10);
	sample = calloc(count, sizeof(*sample));
	memset(message, 'x', sizeof(message));
	lws_set_log_level(0, NULL);
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	server = fork();
	if (server == 0)
		serve(channel[1]);
	if (read(channel[0], &port, sizeof(port)) != (ssize_t)sizeof(port))
		return 1;
	client = context_new(CONTEXT_PORT_NO_LISTEN, on_client);
	to.context = client;
	to.address = to.host = to.origin = "127.0.0.1";
	to.port = port;
	to.path = "/";
	if (!lws_client_connect_via_info(&to))
		return 1;
	while (done < count && lws_service(client, 0) >= 0)
		;
	samples_print(sample, count);
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	return 0;
}
