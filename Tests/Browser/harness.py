"""What the browser tests share: the server's pictures, pages, and pixels."""

import base64
import contextlib
import functools
import http.server
import io
import json
import os
import threading
import urllib.error
import urllib.parse
import urllib.request

import numpy
from PIL import Image, ImageOps

Image.MAX_IMAGE_PIXELS = None

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")

tests = {}


class Skip(Exception):
    """The server has nothing to test this with."""


def test(function):
    """Registers a test, called after its file and its function."""
    group = function.__module__.removeprefix("test_")
    tests[f"{group}: {function.__name__.replace('_', ' ')}"] = function
    return function


def encode(identifier):
    return urllib.parse.quote(identifier, safe="!~*'()")


class Session:
    """A browser, a server, and what is on it."""

    def __init__(self, playwright, base, shots, signed=None):
        self.base = base
        self.base_path = urllib.parse.urlsplit(base).path
        self.signed = signed
        self.shots = shots
        self._playwright = playwright
        self._contexts = []
        self._servers = []
        self._complaints = []

    def __enter__(self):
        self.browser = self._playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--force-color-profile=srgb"]
        )
        return self

    def __exit__(self, *_):
        self.browser.close()

    # Pages

    def page(self, path=None, *, width=1280, height=800, ratio=1, is_phone=False, allows=(), **options):
        """A page in a context of its own. What it complains of fails the test, but for texts in `allows`."""
        if is_phone:
            width, height, ratio = 390, 844, 2
            options |= {"is_mobile": True, "has_touch": True}
        context = self.browser.new_context(
            viewport={"width": width, "height": height}, device_scale_factor=ratio, **options
        )
        context.set_default_timeout(15000)
        self._contexts.append(context)
        page = context.new_page()

        def complain(text):
            if not any(allowed in text for allowed in allows):
                self._complaints.append(text)

        page.on(
            "console", lambda message: message.type in ("error", "warning") and complain(f"console: {message.text}")
        )
        page.on("pageerror", lambda error: complain(f"script: {error}"))
        page.add_init_script(
            "addEventListener('securitypolicyviolation', (e) => console.error('policy: ' + e.violatedDirective + ' ' + e.blockedURI))"
        )
        if path is not None:
            page.goto(self.base + path)
        return page

    def blank(self, body, *, path="/browser-test", **options):
        """A page of the server's origin that the test has written."""
        page = self.page(**options)
        address = self.base + path
        page.route(
            address,
            lambda route: route.fulfill(
                content_type="text/html; charset=utf-8", body=f"<!doctype html><html lang=en><title>Test</title>{body}"
            ),
        )
        page.goto(address)
        return page

    def elsewhere(self, files, headers=None):
        """The address of another site, which has these files: {path: (media type, bytes)}."""

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                kind, content = files.get(self.path.split("?")[0], ("text/plain", None))
                self.send_response(404 if content is None else 200)
                self.send_header("Content-Type", kind)
                for name, value in (headers or {}).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content or b"")

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self._servers.append(server)
        return f"http://127.0.0.1:{server.server_address[1]}"

    @contextlib.contextmanager
    def holding(self, page, pattern):
        """Holds back requests; the list that it gives has those so far. Afterwards they go on."""
        held = []
        page.route(pattern, lambda route: held.append(route))
        try:
            yield held
        finally:
            for route in held:
                with contextlib.suppress(Exception):  # aborted meanwhile
                    route.continue_()
            page.unroute(pattern)

    def check_console(self):
        complaints, self._complaints = self._complaints, []
        if complaints:
            raise AssertionError("; ".join(complaints))

    def close_contexts(self):
        for context in self._contexts:
            context.close()
        for server in self._servers:
            server.shutdown()
            server.server_close()
        self._contexts = []
        self._servers = []
        self._complaints = []

    def shot(self, page, name):
        if self.shots:
            self.shots.mkdir(parents=True, exist_ok=True)
            page.screenshot(path=self.shots / f"{name}.png")

    # The server

    def address(self, path):
        """The address of a path, below the server's base path whether or not it is written with that."""
        return self.base + path.removeprefix(self.base_path)

    def get(self, path, headers=None):
        request = urllib.request.Request(self.address(path), headers=headers or {})
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.read()

    def headers(self, path):
        with urllib.request.urlopen(self.address(path), timeout=60) as response:
            return response.headers

    def json(self, path):
        return json.loads(self.get(path))

    def listing(self, **query):
        return self.json("/api/pictures?" + urllib.parse.urlencode(query))

    @functools.cached_property
    def pictures(self):
        """Every picture in the first levels of folders, with its size."""
        found, folders = [], [""]
        for folder in folders:
            answer = self.listing(folder=folder, limit=40)
            found += answer["pictures"]
            if len(folders) < 12:
                folders += [each["path"] for each in answer["folders"]]
        return found[:120]

    @functools.cached_property
    def folder(self):
        folders = self.listing()["folders"]
        if not folders:
            raise Skip("there is no folder")
        return folders[0]

    @functools.cached_property
    def fullest(self):
        """The path of the folder with most pictures, of the topmost two levels."""
        top = self.listing()
        folders = [""] + [folder["path"] for folder in top["folders"]]
        return max(folders, key=lambda folder: self.listing(folder=folder)["total"])

    @functools.lru_cache
    def facts(self, identifier):
        return self.json(f"/api/picture/{encode(identifier)}")

    def find(self, what, matches):
        for picture in self.pictures:
            try:
                facts = self.facts(picture["id"])
            except urllib.error.HTTPError:
                continue
            if matches(facts):
                return facts
        raise Skip(f"there is no {what}")

    @functools.cached_property
    def large(self):
        return self.find("picture of more than 100 megapixels", lambda facts: facts["width"] * facts["height"] > 100e6)

    @functools.cached_property
    def jpng(self):
        return self.find(
            "JPNG with transparency",
            lambda facts: "jpng" in facts and facts["hasAlpha"] and facts["width"] * facts["height"] < 2e6,
        )

    @functools.cached_property
    def photograph(self):
        """An opaque picture that Pillow reads, of a size that can be compared."""

        def matches(facts):
            size = facts["width"] * facts["height"]
            return facts["format"] in ("jpg", "jpeg", "png") and not facts["hasAlpha"] and 5e5 < size < 3e7

        return self.find("opaque JPEG or PNG of middling size", matches)

    @functools.lru_cache(maxsize=4)
    def pixels(self, identifier):
        """A picture's pixels as Pillow reads the file, upright."""
        image = ImageOps.exif_transpose(Image.open(io.BytesIO(self.get(f"/original/{encode(identifier)}"))))
        return numpy.asarray(image.convert("RGB"))


# Pixels of a <tessera-image>

READ = """([selector, box]) => {
  const element = document.querySelector(selector);
  const canvas = element.shadowRoot.querySelector('.stage > canvas');
  const [x, y, w, h] = box ?? [0, 0, canvas.width, canvas.height];
  const copy = new OffscreenCanvas(w, h).getContext('2d', { willReadFrequently: true });
  copy.drawImage(canvas, -x, -y);
  const { data } = copy.getImageData(0, 0, w, h);
  let text = '';
  for (let i = 0; i < data.length; i += 32768) text += String.fromCharCode(...data.subarray(i, i + 32768));
  return [w, h, btoa(text)];
}"""


def canvas(page, box=None, selector="tessera-image"):
    """The canvas's pixels, RGBA, in a box of device pixels or all of them."""
    width, height, text = page.evaluate(READ, [selector, box])
    return numpy.frombuffer(base64.b64decode(text), numpy.uint8).reshape(height, width, 4)


def settle(page, selector="tessera-image", timeout=20000):
    page.wait_for_function("(selector) => document.querySelector(selector)?.isSettled", arg=selector, timeout=timeout)


def view(page, selector="tessera-image"):
    return page.evaluate("(selector) => document.querySelector(selector).getView()", selector)


def stage(page, selector="tessera-image"):
    """Where the element's stage is on the page: x, y, width, height."""
    return page.evaluate(
        """(selector) => {
      const box = document.querySelector(selector).getBoundingClientRect();
      return { x: box.x, y: box.y, width: box.width, height: box.height };
    }""",
        selector,
    )


def image_point(page, x, y, selector="tessera-image"):
    """The picture's point under a place of the page, without regard to rotation."""
    box, at = stage(page, selector), view(page, selector)
    return (
        at["x"] + (x - box["x"] - box["width"] / 2) / at["zoom"],
        at["y"] + (y - box["y"] - box["height"] / 2) / at["zoom"],
    )


def expected(source, at, width, height, ratio=1.0):
    """What a canvas of a size in device pixels shows of a source, and where there is picture."""
    density = at["zoom"] * ratio
    turned = Image.fromarray(source)
    place = ((width / 2) / density, (height / 2) / density)
    box = (at["x"] - place[0], at["y"] - place[1], at["x"] + place[0], at["y"] + place[1])
    inner = (max(0, box[0]), max(0, box[1]), min(source.shape[1], box[2]), min(source.shape[0], box[3]))
    left, top = round((inner[0] - box[0]) * density), round((inner[1] - box[1]) * density)
    size = (round((inner[2] - inner[0]) * density), round((inner[3] - inner[1]) * density))
    part = turned.resize(size, Image.Resampling.BOX if density < 1 else Image.Resampling.BILINEAR, box=inner)
    return numpy.asarray(part), (left, top, size[0], size[1])


def difference(a, b):
    return float(numpy.abs(a.astype(int) - b.astype(int)).mean())


def check_pixels(shown, source, at, ratio=1.0, tolerance=7.0):
    """The canvas shows the source's pixels, where they belong: another place within two pixels doesn't fit better."""
    picture, (left, top, width, height) = expected(source, at, shown.shape[1], shown.shape[0], ratio)
    margin = 6
    inner = picture[margin : height - margin, margin : width - margin]

    def at_offset(dx, dy):
        y, x = top + margin + dy, left + margin + dx
        part = shown[y : y + inner.shape[0], x : x + inner.shape[1]]
        assert part[..., 3].min() == 255, "there are holes in the picture"
        return difference(part[..., :3], inner)

    best = {(dx, dy): at_offset(dx, dy) for dx in (-2, -1, 0, 1, 2) for dy in (-2, -1, 0, 1, 2)}
    place = min(best, key=best.get)
    assert best[place] < tolerance, f"pixels differ by {best[place]:.1f} on average"
    assert max(map(abs, place)) <= 1, f"the picture is off by {place}"
    outside = numpy.ones(shown.shape[:2], bool)
    outside[max(0, top - 1) : top + height + 1, max(0, left - 1) : left + width + 1] = False
    assert not shown[outside].any(), "something is drawn beside the picture"


def close(a, b, tolerance, what=""):
    assert abs(a - b) <= tolerance, f"{what} {a} is not {b} ± {tolerance}"


class Fingers:
    """Touches by the DevTools protocol, as Playwright has taps only."""

    def __init__(self, page):
        self.page = page
        self.protocol = page.context.new_cdp_session(page)

    def send(self, kind, *points):
        touches = [{"x": x, "y": y, "id": index} for index, (x, y) in enumerate(points)]
        self.protocol.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

    def move(self, starts, ends, steps=12, pause=12, hold=0):
        self.send("touchStart", *starts)
        for step in range(1, steps + 1):
            part = step / steps
            self.send(
                "touchMove", *[(a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part) for a, b in zip(starts, ends)]
            )
            self.page.wait_for_timeout(pause)
        self.page.wait_for_timeout(hold)
        self.send("touchEnd")

    def tap(self, x, y):
        self.send("touchStart", (x, y))
        self.send("touchEnd")
