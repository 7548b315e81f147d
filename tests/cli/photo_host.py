# SPDX-License-Identifier: MIT
"""What a host gets of calls that take a picture."""
import base64


def take(host, question, tool="camera_take_photo"):
    return host.reply(host.start_call(tool, {"question": question}))["result"]


def parts(result):
    content = result["content"]
    assert len(content) == 2 and content[0]["type"] == "text", content
    assert "picture_id" not in content[0]["text"], content
    return content


def photo(result):
    """The text, the picture's bytes, its type."""
    text, item = parts(result)
    assert item["type"] == "image", item
    return text["text"], base64.b64decode(item["data"], validate=True), item["mimeType"]


def missing(result):
    """The text, and why there is no picture."""
    text, item = parts(result)
    start = "[mcpctl: no picture: "
    assert item["type"] == "text" and item["text"].startswith(start), item
    return text["text"], item["text"][len(start):-1]
