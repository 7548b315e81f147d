/* SPDX-License-Identifier: MIT */
/*
 * The device's hello decoded, the server's encoded. Who says it when is
 * rpc/link's matter.
 */
#include "wire/hello.h"
#include "base/text.h"
#include "wire/jsonrpc.h"

#include <string.h>

static void decode_audio(struct hello_audio *out, const cJSON *json)
{
	member_copy(json, "format", out->format, sizeof(out->format));
	out->sample_rate = member_int(json, "sample_rate");
	out->channels = member_int(json, "channels");
	out->frame_duration = member_int(json, "frame_duration");
}

int hello_decode_take(struct hello *out, cJSON *json, struct error *err)
{
	const char *type = json_string(json, "type");
	const cJSON *features = json_object(json, "features");

	*out = (struct hello){ 0 };
	if (!type || strcmp(type, "hello") != 0) {
		cJSON_Delete(json);
		return error_set(err, ERR_PROTOCOL,
				 "hello: the member 'type' is not \"hello\"");
	}
	out->json = json;
	out->version = member_int(json, "version");
	out->has_features = features != NULL;
	out->mcp = json_true(features, "mcp") ||
		   text_same(json_string(features, "mcp"), "true");
	member_copy(json, "transport", out->transport, sizeof(out->transport));
	decode_audio(&out->audio, json_object(json, "audio_params"));
	return 0;
}

void hello_done(struct hello *h)
{
	cJSON_Delete(h->json);
	*h = (struct hello){ 0 };
}

/* Up to the end of audio_params; the object is still open. */
static void encode_common(struct buf *out, const char *transport,
			  const char *session_id)
{
	buf_printf(out,
		   "{\"type\":\"hello\",\"transport\":\"%s\",\"session_id\":",
		   transport);
	buf_json_string(out, session_id, strlen(session_id));
	/* The rate is that of speech to the device, not of its microphone. */
	buf_text(
		out,
		",\"audio_params\":{\"format\":\"opus\",\"sample_rate\":24000,\"channels\":1,\"frame_duration\":60}");
}

void hello_encode_server(struct buf *out, const char *session_id)
{
	encode_common(out, "websocket", session_id);
	buf_char(out, '}');
}

void hello_encode_udp(struct buf *out, const char *session_id,
		      const struct udp_offer *udp)
{
	/* 0 would be refused; what is sent to port 9 is discarded. */
	unsigned port = udp->port ? udp->port : 9;

	encode_common(out, "udp", session_id);
	buf_text(out, ",\"udp\":{\"server\":");
	buf_json_string(out, udp->server, strlen(udp->server));
	buf_printf(out, ",\"port\":%u,\"encryption\":\"aes-128-ctr\",\"key\":",
		   port);
	buf_json_string(out, udp->key, strlen(udp->key));
	buf_text(out, ",\"nonce\":");
	buf_json_string(out, udp->nonce, strlen(udp->nonce));
	buf_text(out, "}}");
}
