"""Drives a headless Chromium over its debugging pipe, with nothing but Python's own library."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

_PROGRAMS = ["chromium", "chromium-browser", "google-chrome"]
_OPTIONS = ["--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-default-apps", "--disable-sync",
            "--disable-dev-shm-usage", "--hide-scrollbars", "--password-store=basic"]
_PATIENCE = 60  # seconds


def program() -> str | None:
    return next(filter(None, map(shutil.which, _PROGRAMS)), None)


class Browser:
    """One page. It notes what the page asks the network for, and what it complains of."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_us, to_it = os.pipe(), os.pipe()
        # The browser reads what it is told on 3, and answers on 4.
        script = f'exec "$@" 3<&{to_it[0]} 4>&{to_us[1]}'
        self._process = subprocess.Popen(
            ["bash", "-c", script, "bash", program(), *_OPTIONS, f"--user-data-dir={self._folder.name}", "about:blank"],
            pass_fds=[to_it[0], to_us[1]], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_it[0])
        os.close(to_us[1])
        self._in, self._out = to_us[0], to_it[1]
        self._read, self._sent, self._session = b"", 0, None
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self._loaded = False
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        try:
            self._session = None
            self.call("Browser.close")
        except (OSError, RuntimeError):
            self._process.terminate()
        self._process.wait(_PATIENCE)
        os.close(self._in)
        os.close(self._out)
        self._folder.cleanup()

    def call(self, method: str, **parameters) -> dict:
        self._sent += 1
        message = {"id": self._sent, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._sent:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def _next(self) -> dict:
        deadline = time.monotonic() + _PATIENCE
        while b"\0" not in self._read:
            if not select.select([self._in], [], [], max(0, deadline - time.monotonic()))[0]:
                raise RuntimeError("the browser says nothing")
            piece = os.read(self._in, 1 << 20)
            if not piece:
                raise RuntimeError("the browser ended")
            self._read += piece
        text, self._read = self._read.split(b"\0", 1)
        message = json.loads(text)
        self._note(message.get("method"), message.get("params", {}))
        return message

    def _note(self, method: str | None, what: dict) -> None:
        if method == "Network.requestWillBeSent":
            self.requests.append(what["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(str(what["exceptionDetails"].get("exception", {}).get("description", what)))
        elif method == "Runtime.consoleAPICalled":
            self.complaints.append(" ".join(str(one.get("value")) for one in what["args"]))
        elif method == "Log.entryAdded":
            self.complaints.append(what["entry"]["text"])
        elif method == "Page.loadEventFired":
            self._loaded = True

    def open(self, file: Path, width: int, height: int = 900) -> None:
        """Loads the page anew; notes begin anew too."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.requests, self.complaints, self._loaded = [], [], False
        self.call("Page.navigate", url=file.resolve().as_uri())
        while not self._loaded:
            self._next()

    def value(self, expression: str):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        """Enter, Tab or Space, as a keyboard would."""
        codes = {"Enter": (13, "\r"), "Tab": (9, ""), "Space": (32, " ")}
        code, text = codes[key]
        same = {"key": " " if key == "Space" else key, "code": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **same)
        self.call("Input.dispatchKeyEvent", type="keyUp", **same)

    def screenshot(self, file: Path, whole: bool = True) -> None:
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        file.write_bytes(base64.b64decode(shot["data"]))
