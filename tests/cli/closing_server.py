# SPDX-License-Identifier: MIT
"""A WebSocket server that answers no message: closing_server.py [CODE [WORDS]].

It ends the connection at the first one with Close CODE; without it is mute.
"""
import asyncio
import sys

import websockets


async def talk(connection, _path=None):
    async for _ in connection:
        if sys.argv[1:]:
            await connection.close(int(sys.argv[1]), "".join(sys.argv[2:3]))


async def main():
    async with websockets.serve(talk, "127.0.0.1", 0) as server:
        print("port", server.sockets[0].getsockname()[1], flush=True)
        await asyncio.Future()


asyncio.run(main())
