# SPDX-License-Identifier: MIT
"""python3-websockets of Debian 12 (10.4) and 13 (15): other names for the same."""
import websockets
import websockets.exceptions

OLD = int(websockets.__version__.split(".")[0]) < 14
Refused = (websockets.exceptions.InvalidStatusCode if OLD
           else websockets.exceptions.InvalidStatus)


def dial(url, headers, **more):
    """A client that sends these headers, for async with."""
    return websockets.connect(
        url, **{"extra_headers" if OLD else "additional_headers": headers},
        **more)


def status(refused):
    """The status of the HTTP answer."""
    return refused.status_code if OLD else refused.response.status_code


def heard(ws):
    """The headers that a client sent."""
    return ws.request_headers if OLD else ws.request.headers
