#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A stranger at one door of mcpctl: attack.py KIND [SECONDS [SEED]]

KIND: what serve listens at (http, websocket, mqtt, udp, control), what proxy does
(proxy-http, proxy-websocket, proxy-mqtt, proxy-mcp), what bridge offers to hosts
(hosts-http, hosts-websocket, hosts-stdio, hosts-mqtt, from-point), or what its
clients dial (to-ws, to-http, to-mqtt, to-mcp-mqtt, to-stdio). MCPCTL_BUILD is the
build, to be one with sanitizers. Recorded and well made conversations are changed, in
their meaning and in their bytes, for SECONDS; ends with status 1 if the program
crashed, hung, held memory, or printed a raw control byte. The same SEED gives
the same conversations. What was sent last is then in $ATTACK_KEPT/KIND-SEED
(with ATTACK_WRITE=1 always).
"""
import os
import random
import sys
import tempfile

import at_brokers
import at_clients
import at_hosts
import at_proxy
import at_serve


def main():
    kinds = {**at_serve.KINDS, **at_proxy.KINDS, **at_hosts.KINDS, **at_clients.KINDS,
             **at_brokers.KINDS}
    if len(sys.argv) < 2 or sys.argv[1] not in kinds:
        sys.exit(__doc__)
    kind = sys.argv[1]
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 5
    seed = sys.argv[3] if len(sys.argv) > 3 else str(random.randrange(10**9))
    build = os.path.abspath(os.environ.get("MCPCTL_BUILD", "build/san"))
    kept = os.path.join(os.environ.get("ATTACK_KEPT", os.path.dirname(build) + "/attack"),
                        f"{kind}-{seed}")
    for name in list(os.environ):
        if name.startswith("MCPCTL_"):
            del os.environ[name]
    os.environ["NO_COLOR"] = "1"
    # Short, since the name of a Unix socket is.
    with tempfile.TemporaryDirectory(prefix="attack") as work:
        for name in ("CONFIG", "STATE", "CACHE"):
            os.environ[f"XDG_{name}_HOME"] = f"{work}/{name.lower()}"
        os.environ["HOME"] = work
        attack = kinds[kind](f"{build}/mcpctl", work, kept, seed, seconds)
        broken = attack.whole()
    print(f"{kind}, seed {seed}: {attack.report()}")
    if broken:
        sys.exit(f"attack.py {kind} {seconds:g} {seed}: {broken}\n"
                 f"What was sent last is in {kept}")


if __name__ == "__main__":
    main()
