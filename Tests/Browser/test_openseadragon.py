"""OpenSeadragon, the viewer that most people use, on our IIIF and Deep Zoom. It comes from a package on PyPI."""

import functools
import io
import pathlib
import subprocess
import sys
import tarfile
import tempfile

import numpy
from PIL import Image

from harness import Skip, close, difference, encode, test

PACKAGE = "openslide-python==1.4.7"
PLACE = "examples/deepzoom/static/openseadragon.js"

PAGE = """<style>html, body, #view {{ margin: 0; width: 100%; height: 100% }}</style>
<script src="/openseadragon.js"></script><div id="view"></div>
<script>
  window.viewer = OpenSeadragon({{ id: 'view', drawer: 'canvas', showNavigationControl: false, tileSources: {source},
    imageSmoothingEnabled: true, animationTime: 0, blendTime: 0, minPixelRatio: 0.8, crossOriginPolicy: 'Anonymous' }});
  viewer.addHandler('open-failed', (event) => console.error('open failed: ' + event.message));
  viewer.addHandler('tile-load-failed', (event) => console.error('tile failed: ' + event.message));
</script>"""


@functools.cache
def script():
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
            "--no-binary",
            "openslide-python",
            "-d",
            folder,
            PACKAGE,
        ]
        outcome = subprocess.run(command, capture_output=True, text=True)
        archives = list(pathlib.Path(folder).glob("openslide*.tar.gz"))
        if not archives:
            raise Skip(f"pip could not get {PACKAGE}: {outcome.stderr.strip()[-200:]}")
        with tarfile.open(archives[0]) as archive:
            member = next(member for member in archive.getmembers() if member.name.endswith(PLACE))
            return archive.extractfile(member).read()


def opened(session, source):
    content = script()
    page = session.page(width=900, height=700)
    page.route("**/openseadragon.js", lambda route: route.fulfill(body=content, content_type="text/javascript"))
    address = session.base + "/browser-test"
    page.route(
        address,
        lambda route: route.fulfill(
            content_type="text/html", body=f"<!doctype html><title>Test</title>{PAGE.format(source=source)}"
        ),
    )
    page.goto(address)
    loaded(page)
    return page


def loaded(page):
    page.wait_for_function(
        "() => window.viewer?.world.getItemCount() > 0 && viewer.world.getItemAt(0).getFullyLoaded()", timeout=30000
    )
    page.wait_for_timeout(300)


def shown(page):
    """What is on the screen, and the picture's rectangle that it shows."""
    box = page.evaluate("""() => {
      const item = viewer.world.getItemAt(0);
      const bounds = item.viewportToImageRectangle(viewer.viewport.getBounds(true));
      return [bounds.x, bounds.y, bounds.width, bounds.height];
    }""")
    return numpy.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB")), box


def check(page, source, offset=(0, 0), tolerance=8):
    pixels, (x, y, width, height) = shown(page)
    density = pixels.shape[1] / width
    inner = (
        max(0, x),
        max(0, y),
        min(source.shape[1] + offset[0], x + width),
        min(source.shape[0] + offset[1], y + height),
    )
    left, top = round((inner[0] - x) * density), round((inner[1] - y) * density)
    size = (round((inner[2] - inner[0]) * density), round((inner[3] - inner[1]) * density))
    box = (inner[0] - offset[0], inner[1] - offset[1], inner[2] - offset[0], inner[3] - offset[1])
    part = numpy.asarray(
        Image.fromarray(source).resize(
            size, Image.Resampling.BOX if density < 1 else Image.Resampling.BILINEAR, box=box
        )
    )
    margin = 6
    best = {}
    for dx in (-2, -1, 0, 1, 2):
        for dy in (-2, -1, 0, 1, 2):
            there = pixels[
                top + margin + dy : top + size[1] - margin + dy, left + margin + dx : left + size[0] - margin + dx
            ]
            wanted = part[margin:-margin, margin:-margin][: there.shape[0], : there.shape[1]]
            best[dx, dy] = difference(there, wanted)
    place = min(best, key=best.get)
    assert best[place] < tolerance, f"pixels differ by {best[place]:.1f} on average"
    assert max(map(abs, place)) <= 1, f"the picture is off by {place}"


@test
def opens_iiif_3_and_2_and_deep_zoom(session):
    identifier = encode(session.photograph["id"])
    source = session.pixels(session.photograph["id"])
    for address in (f"/iiif/3/{identifier}/info.json", f"/iiif/2/{identifier}/info.json", f"/dzi/{identifier}.dzi"):
        page = opened(session, f"'{session.base}{address}'")
        size = page.evaluate("(({ x, y }) => [x, y])(viewer.world.getItemAt(0).getContentSize())")
        assert size == [session.photograph["width"], session.photograph["height"]], (address, size)
        check(page, source)
        page.evaluate("viewer.viewport.zoomTo(viewer.world.getItemAt(0).imageToViewportZoom(1), null, true)")
        loaded(page)
        check(page, source)


@test
def shows_the_depths_of_a_large_picture(session):
    large = session.large
    identifier = encode(large["id"])
    x, y = large["width"] // 2 // 64 * 64, large["height"] // 3 // 64 * 64
    data = session.get(f"/iiif/3/{identifier}/{x},{y},2048,2048/max/0/default.png")
    source = numpy.asarray(Image.open(io.BytesIO(data)).convert("RGB"))
    for address in (f"/iiif/3/{identifier}/info.json", f"/dzi/{identifier}.dzi"):
        page = opened(session, f"'{session.base}{address}'")
        page.evaluate(
            """([x, y]) => {
          const item = viewer.world.getItemAt(0);
          viewer.viewport.zoomTo(item.imageToViewportZoom(1), null, true);
          viewer.viewport.panTo(item.imageToViewportCoordinates(x, y), true);
        }""",
            [x + 1024, y + 1024],
        )
        loaded(page)
        close(shown(page)[1][0], x + 1024 - 450, 2, "left edge")
        check(page, source, offset=(x, y))
