"""A headless Firefox, driven by its own protocol (Marionette), for which Debian has no other driver."""

import base64
import json
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

from servers import free_port


class Firefox:
    def __init__(self, program, width=1280, height=800):
        self.folder = tempfile.mkdtemp()
        self.port = free_port()
        preferences = {
            "marionette.port": self.port, "browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False,
            "app.update.enabled": False, "browser.startup.homepage_override.mstone": "ignore",
        }
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in preferences.items()]
        (pathlib.Path(self.folder) / "user.js").write_text("\n".join(lines))
        command = [program, "--headless", "--no-remote", "--profile", self.folder, "--marionette", "about:blank"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.connection = self.connect()
        self.count = 0
        self.read()
        self.command("WebDriver:NewSession", {"pageLoadStrategy": "normal"})
        self.command("WebDriver:SetTimeouts", {"script": 120000, "pageLoad": 120000})
        self.resize(width, height)

    def connect(self):
        for _ in range(600):
            try:
                connection = socket.create_connection(("127.0.0.1", self.port), timeout=180)
                return connection
            except OSError:
                assert self.process.poll() is None, "Firefox ended"
                time.sleep(0.1)
        raise TimeoutError("Firefox didn't start")

    def read(self):
        """A message: its length in decimal, a colon, and JSON."""
        length = b""
        while not length.endswith(b":"):
            length += self.receive(1)
        return json.loads(self.receive(int(length[:-1])))

    def receive(self, count):
        data = b""
        while len(data) < count:
            piece = self.connection.recv(count - len(data))
            if not piece:
                raise ConnectionError("Firefox ended")
            data += piece
        return data

    def command(self, name, parameters):
        self.count += 1
        message = json.dumps([0, self.count, name, parameters]).encode()
        self.connection.sendall(b"%d:%s" % (len(message), message))
        _, _, error, result = self.read()
        if error:
            raise RuntimeError(f"{error['error']}: {error['message']}")
        return result

    def resize(self, width, height):
        """The size of the page: a headless window has its bars, too."""
        self.command("WebDriver:SetWindowRect", {"width": width, "height": height})
        inner = self.evaluate("return [innerWidth, innerHeight]")
        self.command("WebDriver:SetWindowRect", {"width": 2 * width - inner[0], "height": 2 * height - inner[1]})

    def goto(self, url):
        self.command("WebDriver:Navigate", {"url": url})

    def evaluate(self, script, *values):
        """The result of the body of an async function, whose parameter is `values`."""
        wrapped = f"""const done = arguments[arguments.length - 1], values = [...arguments].slice(0, -1);
            (async () => {{ {script} }})().then((value) => done({{ value }}), (error) => done({{ error: String(error) + error.stack }}));"""
        parameters = {"script": wrapped, "args": list(values), "sandbox": None}
        result = self.command("WebDriver:ExecuteAsyncScript", parameters)["value"]
        if "error" in result:
            raise RuntimeError(result["error"])
        return result.get("value")

    def wait_for(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.evaluate(f"return !!({condition})"):
                return
            time.sleep(0.1)
        raise TimeoutError(condition)

    def press(self, *keys):
        """Keys by their WebDriver names: a character, or one of the private code points."""
        for key in keys:
            actions = [{"type": kind, "value": key} for kind in ("keyDown", "keyUp")]
            self.command("WebDriver:PerformActions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self.command("WebDriver:TakeScreenshot", {"full": False})["value"]))

    def close(self):
        self.connection.close()
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
