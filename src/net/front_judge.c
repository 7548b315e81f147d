/* SPDX-License-Identifier: MIT */
/*
 * Which requests of HTTP reach the owner at all. Here, and not where the head
 * was looked at, since a connection that is kept brings more of them.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "net/front_http.h"

static enum MHD_Result add_header(void *cls, enum MHD_ValueKind kind,
				  const char *name, const char *value)
{
	(void)kind;
	headers_add(cls, name, value ? value : "");
	return MHD_YES;
}

/* The body is not read: the connection ends with the answer. */
enum MHD_Result request_refuse(struct front_request *rq, int status,
			       const char *reason)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("{\"error\":\"%s\"}\n", reason);
	CLEANUP(headers_done) struct headers headers = { 0 };
	const struct front_answer answer = { .status = status,
					     .content_type = "application/json",
					     .headers = &headers,
					     .body = text,
					     .len = strlen(text) };
	char seconds[16];

	snprintf(seconds, sizeof(seconds), "%d",
		 budget_retry_after(rq->front->budget));
	if (status == MHD_HTTP_TOO_MANY_REQUESTS)
		headers_add(&headers, "Retry-After", seconds);
	rq->closes = true;
	request_answer(rq, &answer);
	return request_queue_answer(rq);
}

static enum MHD_Result refuse_head(struct front_request *rq, const char *reason)
{
	front_noise(rq->front, FRONT_BROKEN, rq->peer);
	return request_refuse(rq, 400, reason);
}

/* Who asks, and has its address had more than it gets? Not of those that are known. */
static enum MHD_Result charge(struct front_request *rq)
{
	struct http_guest *g = http_guest_of(rq->connection);
	struct front *f = rq->front;
	const struct front_head head = request_head(rq);
	enum front_standing standing = front_standing(f, &head);

	g->known = standing != FRONT_STRANGER;
	if (standing == FRONT_SHOWN)
		share_close(&g->share);
	if (!g->known && share_is_over(&g->share) &&
	    !front_end_other(f, &g->share)) {
		front_lacks(f, LACK_CONNECTIONS, rq->peer);
		return request_refuse(rq, MHD_HTTP_SERVICE_UNAVAILABLE,
				      BUSY_ADDRESS);
	}
	if (!f->config.counts_questions ||
	    share_spend(&g->share, g->known ? BUDGET_NAMED : BUDGET_QUESTIONS,
			1))
		return MHD_YES;
	front_lacks(f, LACK_QUESTIONS, rq->peer);
	return request_refuse(rq, MHD_HTTP_TOO_MANY_REQUESTS,
			      "too many requests of this address");
}

enum MHD_Result request_judge(struct front_request *rq, bool http_1_0)
{
	const struct sockaddr_storage peer = connection_peer(rq->connection);
	struct http_guest *g = http_guest_of(rq->connection);
	struct front_head head;
	const char *reason;
	int status;

	MHD_get_connection_values(rq->connection, MHD_HEADER_KIND, add_header,
				  &rq->headers);
	reason = head_problem(&rq->headers, http_1_0);
	if (reason)
		return refuse_head(rq, reason);
	front_share_whose(rq->front, &g->share, &peer, &rq->headers, rq->peer);
	head = request_head(rq);
	reason = front_refuse(rq->front, &head, false, &status);
	if (reason)
		return request_refuse(rq, status, reason);
	rq->guest = mem_strdup(admit_guest(&rq->front->admit, &rq->headers));
	return charge(rq);
}

bool request_preflight(struct front_request *rq, const char *method)
{
	const struct headers *asked = &rq->headers;
	const char *fields =
		headers_get(asked, "Access-Control-Request-Headers");
	CLEANUP(headers_done) struct headers headers = { 0 };
	const struct front_answer answer = { .status = MHD_HTTP_NO_CONTENT,
					     .headers = &headers };

	if (!rq->guest || strcmp(method, "OPTIONS") != 0 ||
	    !headers_get(asked, "Access-Control-Request-Method"))
		return false;
	headers_add(&headers, "Access-Control-Allow-Methods",
		    "GET, POST, DELETE, OPTIONS");
	if (fields && header_value_fits(fields))
		headers_add(&headers, "Access-Control-Allow-Headers", fields);
	/* A page of the Internet that asks a private address (Chromium). */
	if (headers_get(asked, "Access-Control-Request-Private-Network"))
		headers_add(&headers, "Access-Control-Allow-Private-Network",
			    "true");
	request_answer(rq, &answer);
	return true;
}
