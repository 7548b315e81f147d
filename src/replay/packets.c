/* SPDX-License-Identifier: MIT */
#include "replay/packets.h"
#include "capture/pcap.h"
#include "capture/reader.h"

int packets_write(struct renderer *out, const char *path, struct error *err)
{
	CLEANUP(pcap_done) struct pcap p = { 0 };
	struct capture_reader *file;
	struct capture_event e;
	int more;

	if (out->out_terminal) {
		error_set(err, ERR_USAGE, "pcapng is nothing for a terminal");
		return error_hint(err,
				  "mcpctl capture pcap FILE >board.pcapng");
	}
	file = capture_open(path, err);
	if (!file)
		return -1;
	pcap_begin(&p, capture_head(file)->made_ms * 1000);
	while ((more = capture_next(file, &e, err)) > 0) {
		pcap_event(&p, &e);
		put_out(out, &p.out);
	}
	put_out(out, &p.out);
	capture_reader_free(file);
	return more;
}
