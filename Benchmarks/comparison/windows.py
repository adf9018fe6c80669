"""The viewer in a window on a display that nobody sees, and hands that use it."""

import json
import os
import subprocess
import time

from .contenders import TESSERA

VIEWER = TESSERA.with_name("tessera-view")


class Display:
    """A display by Xvfb, of 1280 × 900 pixels."""

    def __init__(self):
        # Without -noreset it begins anew when the last program leaves, and turns away who comes just then.
        self.server = subprocess.Popen(
            ["Xvfb", "-noreset", "-displayfd", "1", "-screen", "0", "1280x900x24", "-nolisten", "tcp"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.environment = os.environ | {
            "DISPLAY": f":{self.server.stdout.readline().strip()}", "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo",
            "GTK_A11Y": "none",
        }

    def do(self, *words):
        return subprocess.run(
            ["xdotool", *[str(word) for word in words]], env=self.environment, capture_output=True, text=True)

    def close(self):
        self.server.terminate()
        self.server.wait()


def use_viewer(picture, folder, seconds=8):
    """Opens a picture in the viewer, zooms and moves it while it loads, closes the window, and returns what the viewer says
    of it: `p99` and `longest` of its callbacks in seconds, `calls`, and `peak`, bytes of memory."""
    display, figures = Display(), folder / "figures.json"
    try:
        viewer = subprocess.Popen(
            [str(VIEWER), str(picture)], env=display.environment | {"TESSERA_VIEW_FIGURES": str(figures)},
            stderr=subprocess.PIPE, text=True)
        window = ""
        while not window:
            if viewer.poll() is not None:
                raise RuntimeError(f"tessera-view ended with status {viewer.returncode}: {viewer.stderr.read()}")
            window = display.do("search", "--onlyvisible", "--name", "Tessera$").stdout.strip().split("\n")[-1]
        display.do("windowfocus", window, "key", "1")
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for x, y in ((300, 300), (800, 450), (550, 200)):
                display.do("mousemove", x, y, "click", "--repeat", 8, "--delay", 25, 5)
                display.do("mousemove", y, x, "click", "--repeat", 8, "--delay", 25, 4)
                display.do(
                    "mousemove", x, y, "mousedown", 1, "mousemove_relative", "--", -120, 60, "sleep", 0.02,
                    "mousemove_relative", "--", -120, 60, "sleep", 0.02, "mouseup", 1)
        for _ in range(20):
            display.do("windowfocus", window, "key", "ctrl+w")
            try:
                viewer.wait(1)
                break
            except subprocess.TimeoutExpired:
                continue
        if viewer.poll() != 0:
            viewer.kill()
            raise RuntimeError(f"tessera-view ended with status {viewer.wait()}")
        return json.loads(figures.read_text())
    finally:
        display.close()
