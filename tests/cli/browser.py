# SPDX-License-Identifier: MIT
"""A page in a real browser (chromium, headless), by its DevTools protocol.

browser.py URL STEP…: opens URL, then one STEP after the other:
  until:JS    waits until that is true on the page (60 s at most)
  do:JS       runs that
  print:JS    prints what that is, as JSON
  shot:FILE   a picture of the page
What the page writes to its console, and what it was refused, stands on stderr.
"""
import asyncio, base64, json, os, shutil, subprocess, sys, tempfile

import sockets

PATIENCE = 60


def program():
    return next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)


class Page:
    def __init__(self, socket):
        self.socket, self.id, self.answers = socket, 0, {}

    async def listen(self):
        async for text in self.socket:
            message = json.loads(text)
            if "id" in message:
                self.answers[message["id"]].set_result(message)
            elif message["method"] == "Log.entryAdded":
                print("browser:", message["params"]["entry"]["text"], file=sys.stderr)
            elif message["method"] == "Runtime.exceptionThrown":
                print("browser:", message["params"]["exceptionDetails"], file=sys.stderr)

    async def ask(self, method, **params):
        self.id += 1
        answer = self.answers[self.id] = asyncio.get_running_loop().create_future()
        await self.socket.send(json.dumps({"id": self.id, "method": method, "params": params}))
        message = await answer
        if "error" in message:
            raise SystemExit(f"{method}: {message['error']}")
        return message["result"]

    async def value(self, script):
        got = await self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in got:
            return None
        return got["result"].get("value")

    async def until(self, script):
        while not await self.value(f"!!({script})"):
            await asyncio.sleep(0.05)

    async def step(self, step):
        kind, rest = step.split(":", 1)
        if kind == "until":
            await asyncio.wait_for(self.until(rest), PATIENCE)
        elif kind == "do":
            await self.value(rest)
        elif kind == "print":
            print(json.dumps(await self.value(rest)))
        elif kind == "shot":
            got = await self.ask("Page.captureScreenshot", format="png")
            with open(rest, "wb") as file:
                file.write(base64.b64decode(got["data"]))


async def first_page(folder):
    """The browser says in a file where it listens."""
    path = os.path.join(folder, "DevToolsActivePort")
    while not os.path.exists(path) or not open(path).read().endswith("\n") and not os.path.getsize(path):
        await asyncio.sleep(0.05)
    port = open(path).readline().strip()
    fetch = ["curl", "-s", "--max-time", "10", f"http://127.0.0.1:{port}/json/list"]
    while True:
        got = subprocess.run(fetch, capture_output=True, text=True).stdout
        for target in json.loads(got or "[]"):
            if target["type"] == "page":
                return target["webSocketDebuggerUrl"]
        await asyncio.sleep(0.05)


async def drive(folder, url, steps):
    where = await asyncio.wait_for(first_page(folder), PATIENCE)
    async with sockets.dial(where, {}, max_size=None) as socket:
        page = Page(socket)
        listener = asyncio.create_task(page.listen())
        for domain in ["Page", "Runtime", "Log"]:
            await page.ask(domain + ".enable")
        await page.ask("Page.navigate", url=url)
        await asyncio.wait_for(page.until(f"location.href.startsWith({json.dumps(url)}) && document.readyState == 'complete'"), PATIENCE)
        for step in steps:
            await page.step(step)
        listener.cancel()


def main():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        size = os.environ.get("BROWSER_SIZE", "1100,760")
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-port=0", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1", f"--user-data-dir={folder}", f"--window-size={size}"]
        with subprocess.Popen([program(), *arguments, "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as browser:
            try:
                asyncio.run(drive(folder, sys.argv[1], sys.argv[2:]))
            finally:
                browser.terminate()


main()
