"""The pages of `tessera tile site` in Debian's Firefox: firefox_test.py FIXTURES TESSERA [--shots FOLDER] [--pages FOLDER]."""

import argparse
import os
import pathlib
import shutil
import sys
import tempfile

from firefox import Firefox
from pages_test import make_jpng, make_root
from servers import Nginx

PROGRAM = os.environ.get("FIREFOX", "/usr/bin/firefox-esr")
TAB, RIGHT = "\ue004", "\ue014"
IMPORTS = "const checks = await import('/checks.js'); const { Tessera } = await import('/site/tessera.js');"


def tiles(browser, base):
    browser.goto(f"{base}/blank.html")
    for name in ["420.jpg", "gray.jpg", "restart.jpg", "profile.jpeg", "turned-6.jpeg", "scans-420.jpeg", "scans-gray.jpeg"]:
        for options, way in (({}, "index"), ({"index": None, "storage": False}, "arriving")):
            script = f"{IMPORTS} return checks.compareTiles(...values)"
            result = browser.evaluate(script, f"/fixtures/{name}", options)
            assert result["way"] == way and result["isSize"] and not result["different"], (name, result)


def second_visit(browser, base):
    script = f"{IMPORTS} return (await Tessera.open('/site/bare.jpg')).way"
    browser.goto(f"{base}/blank.html")
    assert browser.evaluate(script) == "arriving"
    browser.evaluate("await new Promise((resolve) => setTimeout(resolve, 500))")
    assert browser.evaluate(script) == "stored"


def element(browser, base, shots):
    settled = "document.querySelector('tessera-image')?.isSettled"
    zoom = "return document.querySelector('tessera-image').getView().zoom * devicePixelRatio"
    for name, size in {"desktop": (1280, 800), "phone": (500, 844)}.items():
        browser.resize(*size)
        browser.goto(f"{base}/site/")
        browser.wait_for(settled)
        label = browser.evaluate(
            "return document.querySelector('tessera-image').shadowRoot.querySelector('.stage').getAttribute('aria-label')"
        )
        assert "A large picture" in label and "6000 by 4500" in label, label
        if shots:
            browser.screenshot(shots / f"firefox-{name}.png")
        browser.press(TAB, "1")
        browser.evaluate("await new Promise((resolve) => setTimeout(resolve, 600))")
        browser.wait_for(settled)
        assert abs(browser.evaluate(zoom) - 1) < 0.01
        before = browser.evaluate("return document.querySelector('tessera-image').getView().x")
        browser.press(RIGHT)
        browser.evaluate("await new Promise((resolve) => setTimeout(resolve, 600))")
        assert browser.evaluate("return document.querySelector('tessera-image').getView().x") > before
        browser.wait_for(settled)
        if shots:
            browser.screenshot(shots / f"firefox-{name}-actual-size.png")


def jpng(browser, base):
    browser.goto(f"{base}/site/blank.html")
    width = browser.evaluate(
        """await navigator.serviceWorker.register('jpng-service-worker.js');
        await navigator.serviceWorker.ready;
        if (!navigator.serviceWorker.controller) await new Promise((resolve) => navigator.serviceWorker.oncontrollerchange = resolve);
        const image = new Image();
        image.src = '/site/cutout.jpng';
        await image.decode();
        const context = new OffscreenCanvas(1500, 1100).getContext('2d');
        context.drawImage(image, 0, 0);
        return [image.naturalWidth, context.getImageData(20, 300, 1, 1).data[3], context.getImageData(1480, 300, 1, 1).data[3]];"""
    )
    assert width == [1500, 0, 255], width


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("fixtures", type=pathlib.Path)
    parser.add_argument("tessera")
    parser.add_argument("--shots", type=pathlib.Path)
    parser.add_argument("--pages", type=pathlib.Path)
    arguments, _ = parser.parse_known_args()
    if not shutil.which(PROGRAM):
        print(f"skipped: there is no Firefox at {PROGRAM}")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        root, _ = make_root(arguments.fixtures, arguments.tessera, folder, arguments.pages)
        shutil.copy(make_jpng(root, arguments.tessera), root / "site" / "cutout.jpng")
        if arguments.shots:
            arguments.shots.mkdir(parents=True, exist_ok=True)
        nginx = Nginx(root, folder)
        browser = Firefox(PROGRAM)
        try:
            tiles(browser, nginx.base)
            second_visit(browser, nginx.base)
            element(browser, nginx.base, arguments.shots)
            jpng(browser, nginx.base)
        finally:
            browser.close()
            nginx.close()
    print("Firefox: tiles of the index and of arriving pictures, the second visit, keyboard, two window sizes and JPNG: ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
