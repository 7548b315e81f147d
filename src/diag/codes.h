/* SPDX-License-Identifier: MIT */
/*
 * Every finding by its code: how severe, and in a few words. A code stands for
 * ever and is never used again; a new one takes the next free number of its
 * letter. What else there is to say of each is in diag/findings.json.
 *
 * D device, B backend, O OTA, V vision, M MQTT and UDP, N network and TLS,
 * P plain MCP server, H this host, S what a serial log shows.
 */
#ifndef DIAG_CODES_H
#define DIAG_CODES_H

/* clang-format off */
#define DIAG_CODES(row)                                                        \
	row(D101, ERROR,   "the device does not offer MCP")                    \
	row(D102, ERROR,   "connected, and no hello came")                     \
	row(D103, WARNING, "hello says another transport than it came over")   \
	row(D104, WARNING, "hello has another version than Protocol-Version")  \
	row(D105, WARNING, "Device-Id is missing, or two boards share it")     \
	row(D106, ERROR,   "paging never ends")                                \
	row(D107, WARNING, "the last page has an empty nextCursor")            \
	row(D108, ERROR,   "a tool larger than a page ends the list")          \
	row(D109, WARNING, "the second list differs from the first")           \
	row(D110, WARNING, "more tools than backends keep")                    \
	row(D111, WARNING, "tools that first-page backends never see")         \
	row(D112, NOTE,    "two tools have one name")                          \
	row(D113, WARNING, "names become the same once backends change them")  \
	row(D114, WARNING, "the reply has its id as another type")             \
	row(D115, WARNING, "a reply to an id that nobody asked with")          \
	row(D116, ERROR,   "a reply whose id no call has, while one waits")    \
	row(D117, ERROR,   "a tool name that language models refuse")          \
	row(D118, ERROR,   "an input schema that clients or models refuse")    \
	row(D119, WARNING, "control or invisible characters in a text")        \
	row(D120, WARNING, "a reply larger than some backends take")           \
	row(D121, ERROR,   "an answer is lost, most likely too large to be sent") \
	row(D122, NOTE,    "replies came in another order than the requests")  \
	row(D123, WARNING, "a second reply to one request")                    \
	row(D124, ERROR,   "a reply that cannot be read as JSON")              \
	row(D125, ERROR,   "a message is no UTF-8")                            \
	row(D126, WARNING, "a result without a boolean isError")               \
	row(D127, WARNING, "a reply has a result and an error")                \
	row(D128, NOTE,    "an image in the shape of the firmware")            \
	row(D129, WARNING, "a failure is told as success")                     \
	row(D131, WARNING, "an answer slower than a backend waits")            \
	row(D132, NOTE,    "the tool is still running")                        \
	row(D133, ERROR,   "neither Ping nor main loop answers, TCP does")     \
	row(D134, ERROR,   "the connection does not survive a message")        \
	row(D136, NOTE,    "the tool ends the connection, as it must")         \
	row(D137, WARNING, "a request that poses as a notification")           \
	row(D138, NOTE,    "Ping is not answered in time")                     \
	row(D139, WARNING, "a result with no text, or with several")           \
	row(D140, NOTE,    "errors without a code")                            \
	row(D141, NOTE,    "an answer is late behind a listen message")        \
	row(D142, NOTE,    "the device said hello again")                      \
	row(D143, WARNING, "a frame that is no message of the protocol")        \
	row(D144, WARNING, "binary frames that are no audio")                  \
	row(D145, ERROR,   "a request is not answered in time")                \
	row(D146, ERROR,   "a page without tools names a next one")            \
	row(D147, NOTE,    "hello came late")                                  \
	row(D148, WARNING, "a flood of messages that nobody asked for")        \
	row(D149, WARNING, "arguments that do not fit are accepted")           \
	row(D150, ERROR,   "nextCursor is no text")                            \
	row(D151, ERROR,   "tools/list is answered without a list of tools")   \
	row(D152, WARNING, "an error that is no object with a message")        \
	row(D153, WARNING, "a reply without \"jsonrpc\":\"2.0\"")                \
	row(D154, WARNING, "what is no tool stands in the list of tools")      \
	row(D155, NOTE,    "sound came late")                                  \
	row(D156, WARNING, "no sound for a while in the midst of listening")   \
	row(D157, NOTE,    "sound comes slower or faster than it lasts")       \
	row(D158, WARNING, "an error whose code is no number")                 \
	row(D159, ERROR,   "an image or a sound whose data is no base64")      \
	row(B201, ERROR,   "initialize came before the server hello")          \
	row(B202, ERROR,   "the server hello has no transport")                \
	row(B203, WARNING, "the server hello has no session_id")               \
	row(B204, ERROR,   "an error message instead of the server hello")     \
	row(B205, ERROR,   "refused behind 101 by a text frame")               \
	row(B206, WARNING, "the token was taken once, and is refused now")     \
	row(B207, WARNING, "a message came before the device had said hello")  \
	row(B208, WARNING, "a request came before the server hello")           \
	row(B209, ERROR,   "the server hello did not come in time")            \
	row(B210, ERROR,   "the server hello has another transport")           \
	row(B211, NOTE,    "the envelope has another session_id, or none")     \
	row(B212, NOTE,    "a request has the id 0")                           \
	row(B213, NOTE,    "request ids do not begin at 1")                    \
	row(B214, WARNING, "a request id is used again")                       \
	row(B215, ERROR,   "a request id that firmware does not take")         \
	row(B216, ERROR,   "a request of a shape that firmware drops")         \
	row(B217, WARNING, "a request with a result or error member")          \
	row(B218, NOTE,    "a reply came although nothing was asked")          \
	row(B219, WARNING, "an mcp message without a payload object")          \
	row(B220, NOTE,    "initialize came twice")                            \
	row(B221, WARNING, "tools were asked for without initialize")          \
	row(B222, NOTE,    "notifications/initialized never came")             \
	row(B223, NOTE,    "ping is used, which firmware does not have")       \
	row(B224, NOTE,    "a method that firmware does not have")             \
	row(B225, ERROR,   "a text frame is no JSON")                          \
	row(B226, WARNING, "a message without a type")                         \
	row(B227, NOTE,    "the server said hello twice")                      \
	row(B230, ERROR,   "nextCursor was not followed")                      \
	row(B231, ERROR,   "the same page is asked for again")                 \
	row(B232, WARNING, "withUserTools is not repeated on later pages")     \
	row(B233, NOTE,    "the first tools/list has an empty cursor")         \
	row(B240, ERROR,   "a tool is called that the device does not have")   \
	row(B241, ERROR,   "an argument is missing or of the wrong type")      \
	row(B242, WARNING, "an optional argument has the wrong type")          \
	row(B243, WARNING, "a photo is asked for before vision was given")     \
	row(B250, WARNING, "the reply came after it was given up")             \
	row(B251, WARNING, "the device's error text did not reach the user")   \
	row(B252, WARNING, "a message to the device is larger than is safe")   \
	row(B253, ERROR,   "a message is too large for the board's own port")  \
	row(B261, WARNING, "Close was sent and TCP left open")                 \
	row(B262, ERROR,   "the connection is cut for want of a Pong")         \
	row(B263, ERROR,   "a binary frame is shorter than its head says")     \
	row(B264, ERROR,   "a message is too large for the backend: Close 1009") \
	row(B265, ERROR,   "the backend does not let it stay: Close 1008")     \
	row(O301, ERROR,   "OTA sends the board to MQTT as it was stored")     \
	row(O302, ERROR,   "mqtt.endpoint is no HOST:PORT")                    \
	row(O303, ERROR,   "mqtt has no publish_topic: the board never speaks")\
	row(O304, WARNING, "websocket.version is a text")                      \
	row(O305, ERROR,   "a key or value is too long for the board's store") \
	row(O306, ERROR,   "an OTA reply is too large: the board may hang")    \
	row(O307, ERROR,   "firmware.version has a part that is no number")    \
	row(O309, ERROR,   "websocket.url is read otherwise than meant")       \
	row(O310, ERROR,   "an address that the board cannot reach")           \
	row(O311, ERROR,   "OTA did not answer with 200")                      \
	row(O312, ERROR,   "OTA answered 200 with an error")                   \
	row(O313, ERROR,   "a web page instead of an OTA reply")               \
	row(O314, WARNING, "the OTA reply has no length")                      \
	row(O315, WARNING, "activation holds the board")                       \
	row(O316, WARNING, "websocket without url: the stored one is used")    \
	row(O317, NOTE,    "OTA has newer firmware")                           \
	row(O318, NOTE,    "websocket without token: the stored one is used")  \
	row(O319, NOTE,    "mqtt hides websocket")                             \
	row(O320, WARNING, "an address that the board most likely cannot reach") \
	row(O321, ERROR,   "the OTA reply is nothing that a board reads")      \
	row(O322, WARNING, "server_time is no time, or years off")         \
	row(V501, ERROR,   "the photo was not answered with 200")              \
	row(V502, ERROR,   "the answer to a photo is too large: the board may hang") \
	row(V503, ERROR,   "the vision server refuses chunked bodies")         \
	row(V504, WARNING, "the vision server reads parts by position or name")\
	row(V505, WARNING, "a failure with status 200 to a photo")             \
	row(V506, ERROR,   "a vision address that cannot work")                \
	row(V507, WARNING, "the answer to a photo has no length")              \
	row(V508, ERROR,   "the photo was refused half way")                   \
	row(V509, WARNING, "a vision address that most likely cannot work")    \
	row(M401, ERROR,   "the broker cannot be reached, or refuses")         \
	row(M402, ERROR,   "who never subscribes gets nothing")                \
	row(M403, ERROR,   "the broker's TLS is none that a board accepts")    \
	row(M405, WARNING, "a message above the broker's limit")               \
	row(M406, ERROR,   "two clients take one client id from each other")   \
	row(M407, ERROR,   "the udp part of the hello does not fit")           \
	row(M408, NOTE,    "a goodbye for another session")                    \
	row(M410, ERROR,   "a retained message on the way to the board")       \
	row(M411, WARNING, "a UDP packet that the board drops")                \
	row(M412, NOTE,    "a UDP packet with an old sequence number")         \
	row(M413, ERROR,   "the broker does not let us subscribe")             \
	row(M414, ERROR,   "the broker ends a connection that it had taken")   \
	row(M415, WARNING, "packets of the board's sound are lost, or too late") \
	row(N101, ERROR,   "the name is not found")                            \
	row(N102, ERROR,   "the connection is refused")                        \
	row(N103, ERROR,   "nothing answers at that address")                  \
	row(N104, ERROR,   "no way to that network from here")                 \
	row(N110, ERROR,   "a proxy took Upgrade away")                        \
	row(N111, ERROR,   "it accepts, and does not speak")                   \
	row(N112, ERROR,   "it speaks another protocol")                       \
	row(N113, ERROR,   "it closes during the handshake")                   \
	row(N114, ERROR,   "a proxy on the way does not let us through")       \
	row(N115, ERROR,   "a redirect in place of a WebSocket")               \
	row(N116, ERROR,   "no WebSocket there: an HTTP status in its place")  \
	row(N117, ERROR,   "the connection ends before the answer is whole")   \
	row(N120, ERROR,   "half open: the peer is gone, TCP was not closed")  \
	row(N121, ERROR,   "TLS to a plain port, or plain to a TLS port")      \
	row(N122, ERROR,   "the connection stands, and the peer says nothing") \
	row(N201, ERROR,   "the certificate has expired")                      \
	row(N202, ERROR,   "the certificate is not yet valid")                 \
	row(N203, ERROR,   "the certificate is for another name")              \
	row(N204, ERROR,   "the certificate is from an unknown authority")     \
	row(N205, ERROR,   "the server's certificate chain is not whole")      \
	row(N206, ERROR,   "the server's TLS is too old")                      \
	row(N207, ERROR,   "the server wants a certificate of its clients")    \
	row(P701, ERROR,   "no revision of the protocol in common")            \
	row(P702, WARNING, "lines on stdout that are no messages")             \
	row(P703, ERROR,   "the SSE endpoint leads nowhere")                   \
	row(P704, ERROR,   "the server does not know the session any more")    \
	row(P705, WARNING, "a reply to a notification")                        \
	row(P706, ERROR,   "a request with the id 0 is not answered")          \
	row(P707, ERROR,   "credentials are missing or refused")               \
	row(P708, ERROR,   "a web page instead of an MCP server")              \
	row(P709, WARNING, "a batch in a revision without batches")            \
	row(P710, WARNING, "the result does not fit the output schema")        \
	row(P711, WARNING, "a tool's result has no content that is read")      \
	row(P712, WARNING, "initialize is answered without a revision")        \
	row(P713, ERROR,   "an error of HTTP in place of an answer")           \
	row(P714, ERROR,   "HTTP took the request and gave no whole answer")   \
	row(P715, ERROR,   "the address leads elsewhere: a redirect")          \
	row(P716, ERROR,   "the server's program is missing, or ends too early") \
	row(P717, ERROR,   "the access point has no tool side")                \
	row(P718, WARNING, "two tool sides take one place from each other")    \
	row(P719, ERROR,   "a text that was the id came back without quotes")  \
	row(P720, WARNING, "initialize is answered without what clients insist on") \
	row(P725, WARNING, "a call is refused for what may be left out")       \
	row(P726, NOTE,    "a tool's result has nothing in it")                \
	row(P727, WARNING, "a resultType that the protocol does not know")     \
	row(P728, ERROR,   "HTTP answers with neither JSON nor an event stream") \
	row(P729, ERROR,   "a message is too large for the server: Close 1009") \
	row(P730, ERROR,   "the server failed at a message: Close 1011")       \
	row(H801, WARNING, "a firewall may keep boards away")                  \
	row(H802, ERROR,   "no address that a board can reach")                \
	row(H803, ERROR,   "the port is taken")                                \
	row(H804, WARNING, "the clock is wrong")                               \
	row(H805, WARNING, "mosquitto or its plugin is missing")               \
	row(H806, NOTE,    "a proxy is set in the environment")                \
	row(H807, WARNING, "few file descriptors")                             \
	row(H808, NOTE,    "addresses of containers, which boards do not reach") \
	row(S801, NOTE,    "the board started")                                \
	row(S802, ERROR,   "the chip panicked")                                \
	row(S803, ERROR,   "the firmware aborted")                             \
	row(S804, ERROR,   "an assertion in the firmware failed")              \
	row(S805, ERROR,   "the stack of a task overflowed")                   \
	row(S806, ERROR,   "the interrupt watchdog ended the firmware")        \
	row(S807, WARNING, "the task watchdog: a task does not get its turn")  \
	row(S808, ERROR,   "a watchdog of the hardware reset the chip")        \
	row(S809, ERROR,   "brownout: the supply voltage fell too low")        \
	row(S810, ERROR,   "the board starts again and again")                 \
	row(S811, ERROR,   "memory is used up")                                \
	row(S812, ERROR,   "the heap is corrupt")                              \
	row(S813, WARNING, "the board lost its Wi-Fi, or does not get in")     \
	row(S814, ERROR,   "the board does not get through to a server")       \
	row(S815, ERROR,   "TLS failed on the board")                          \
	row(S816, ERROR,   "the board got no server hello that it takes")      \
	row(S817, ERROR,   "the board got no OTA answer that it takes")        \
	row(S818, ERROR,   "the board dropped a message")                      \
	row(S819, ERROR,   "the board could not send")                         \
	row(S820, WARNING, "the board heard nothing for too long")             \
	row(S821, ERROR,   "the chip finds no firmware to start")              \
	row(S822, WARNING, "the chip waits for a download")                    \
	row(S823, WARNING, "the firmware reports an error")                    \
	row(S824, WARNING, "the serial log is no text")
/* clang-format on */

#define DIAG_CODE(code, severity, title) code,
enum diag_code { DIAG_CODES(DIAG_CODE) DIAG_CODE_COUNT };
#undef DIAG_CODE

enum severity { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_ERROR };

#endif
