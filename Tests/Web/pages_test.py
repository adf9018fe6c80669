"""The pages of `tessera tile site` in Chromium: pages_test.py FIXTURES TESSERA [--only TEXT] [--shots FOLDER]."""

import argparse
import io
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import traceback

import numpy
from PIL import Image
from playwright.sync_api import sync_playwright

from fixtures import picture
from servers import Nginx, Plain, free_port

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
here = pathlib.Path(__file__).parent
tests = []


def test(function):
    tests.append(function)
    return function


def make_root(fixtures, tessera, folder, pages):
    """A root folder with a site and the fixtures; and the site's picture."""
    root = pathlib.Path(folder) / "root"
    shutil.copytree(fixtures, root / "fixtures", ignore=lambda _, names: [n for n in names if n.endswith("_files")])
    large = root / "site" / "large.jpg"
    picture(6000, 4500, noise=2).save(pathlib.Path(folder) / "large.jpg", quality=88)
    command = [tessera, "tile", "site", pathlib.Path(folder) / "large.jpg", root / "site", "--title", "A large picture"]
    subprocess.run(command, check=True)
    for path in (root / "site").iterdir() if pages else []:
        if (pages / path.name).is_file():
            shutil.copy(pages / path.name, path)
    shutil.copy(here / "checks.js", root)
    for path in (root / "blank.html", root / "site" / "blank.html"):
        path.write_text("<!doctype html><html lang=en><title>Test</title><body></body></html>")
    # A picture without an index, and the same progressive.
    shutil.copy(large, root / "site" / "bare.jpg")
    Image.open(large).save(root / "site" / "progressive.jpg", quality=88, progressive=True)
    return root, large


class Setting:
    """A root folder with a site and the fixtures, nginx over it, and a browser."""

    def __init__(self, playwright, fixtures, tessera, folder, shots, pages):
        self.tessera, self.shots = tessera, shots
        self.root, self.large = make_root(fixtures, tessera, folder, pages)
        self.nginx = Nginx(self.root, folder)
        self.browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--force-color-profile=srgb"]
        )
        self.contexts, self.servers, self.complaints = [], [], []

    def page(self, path="/blank.html", *, base=None, allows=(), context=None, **options):
        if context is None:
            context = self.browser.new_context(**({"viewport": {"width": 1280, "height": 800}} | options))
            self.contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(30000)

        def complain(text):
            if "favicon" not in text and not any(allowed in text for allowed in allows):
                self.complaints.append(text)

        page.on("console", lambda message: message.type == "error" and complain(f"{message.text} {message.location.get('url')}"))
        page.on("pageerror", lambda error: complain(str(error)))
        page.goto((base or self.nginx.base) + path)
        return page

    def serve(self, **options):
        server = Plain(self.root, **options)
        self.servers.append(server)
        return server.base

    def finish(self):
        for context in self.contexts:
            context.close()
        for server in self.servers:
            server.close()
        complaints, self.contexts, self.servers, self.complaints = self.complaints, [], [], []
        return complaints

    def shot(self, page, name):
        if self.shots:
            self.shots.mkdir(parents=True, exist_ok=True)
            page.screenshot(path=self.shots / f"{name}.png")


def check(page, script, *values):
    """Runs the body of an async function that has checks.js and tessera.js."""
    return page.evaluate(
        f"async (values) => {{ const checks = await import('/checks.js');"
        f" const {{ Tessera, TesseraError }} = await import('/site/tessera.js'); {script} }}",
        list(values),
    )


def settled(page):
    page.wait_for_function("document.querySelector('tessera-image')?.isSettled")


@test
def tiles_equal_the_browsers_own_decoding(setting):
    page = setting.page()
    names = sorted(path.name.removesuffix(".tessera") for path in (setting.root / "fixtures").glob("*.tessera"))
    assert len(names) > 15, names
    for name in names:
        result = check(page, "return checks.compareTiles(values[0])", f"/fixtures/{name}")
        assert result["way"] == "index" and result["isSize"] and not result["different"], (name, result)
    result = check(page, "return checks.compareTiles('/site/large.jpg')")
    assert result["count"] == 50 and not result["different"], result


@test
def pictures_without_an_index_give_the_same_tiles(setting):
    page = setting.page(allows=("404",))
    scans = sorted(path.name for path in (setting.root / "fixtures").glob("scans-*.jpeg"))
    assert len(scans) >= 5, scans
    for name in ["420.jpg", "gray.jpg", "restart.jpg", "profile.jpeg", "turned-6.jpeg", "turned-7.jpeg", *scans]:
        result = check(page, "return checks.compareTiles(values[0], { index: null, storage: false })", f"/fixtures/{name}")
        assert result["way"] == "arriving" and result["isSize"] and not result["different"], (name, result)


@test
def smaller_levels_show_the_same_picture(setting):
    page = setting.page()
    for name in ["turned-1.jpeg", "turned-5.jpeg", "turned-8.jpeg"]:
        for options in ({}, {"index": None, "storage": False}):
            for level in (1, 2):
                found = check(page, "return checks.compareLevel(...values)", f"/fixtures/{name}", level, options)
                assert found[0] < min(4, *found[1:]), (name, level, options, found)
    # In the smallest levels the picture's squares are a few pixels, which JPEG changes: by 7.0 and 10.7 in Pillow's own file.
    for level, most in ((1, 4), (2, 4), (3, 8), (4, 12)):
        found = check(page, "return checks.compareLevel(...values)", "/site/large.jpg", level)
        assert found[0] < min(most, *found[1:]), (level, found)


@test
def the_first_view_takes_few_requests(setting):
    setting.nginx.clear()
    page = setting.page("/site/")
    settled(page)
    answers = setting.nginx.answers("large.jpg.tessera") + setting.nginx.answers("large.jpg")
    assert len(answers) <= 3 and sum(count for _, count, _ in answers) <= 400_000, answers
    code = sum(count for _, count, _ in setting.nginx.answers(".js") + setting.nginx.answers(".wasm"))
    setting.nginx.clear()
    check(
        page,
        "const picture = await Tessera.open('/site/large.jpg'); await picture.tile(0, 5, 4);"
        "window.file = (await picture.tileFile(0, 5, 4)).size;",
    )
    code += sum(count for _, count, _ in setting.nginx.answers(".wasm"))
    assert code <= 200_000, f"{code} bytes of code"
    # The head, which the first view had; a page of the index, and the picture's own data.
    pages, parts = setting.nginx.answers("large.jpg.tessera")[1:], setting.nginx.answers("large.jpg")
    count = sum(count for _, count, _ in pages + parts)
    assert len(pages) <= 1 and len(parts) == 2 and all(status == 206 for status, _, _ in parts), (pages, parts)
    (_, tile, _), own = parts[0], page.evaluate("window.file")
    assert tile + sum(count for _, count, _ in pages) <= 4 * own, (tile, pages, own)


@test
def an_arriving_picture_is_shown_before_its_last_byte(setting):
    page = setting.page(allows=("404",))
    protocol = page.context.new_cdp_session(page)
    protocol.send("Network.enable")
    protocol.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": 5, "downloadThroughput": 2e6, "uploadThroughput": 1e6},
    )
    result = check(
        page,
        """const seen = [];
        const onOverview = ({ bitmap, width, height, done, total }) => seen.push([bitmap.width, width, height, done, total]);
        const picture = await Tessera.open('/site/bare.jpg', { onOverview });
        await new Promise((resolve) => setTimeout(resolve, 500));
        return { seen, way: picture.way, statistics: await picture.statistics() };""",
    )
    assert result["way"] == "arriving" and len(result["seen"]) > 2, result
    first = result["seen"][0]
    assert first[0] == 750 and first[1:3] == [6000, 4500] and first[3] < first[4] / 2, first
    assert result["statistics"]["indexingBytes"] < 150e6
    setting.nginx.clear()
    again = setting.page(context=page.context, allows=("404",))
    way = check(again, "const picture = await Tessera.open('/site/bare.jpg'); await picture.tile(4, 0, 0); return picture.way;")
    answers = setting.nginx.answers("bare.jpg")
    assert way == "stored" and sum(count for _, count, _ in answers) == 0, (way, answers)


@test
def a_progressive_picture_arrives_as_a_whole_overview(setting):
    page = setting.page(allows=("404",))
    protocol = page.context.new_cdp_session(page)
    protocol.send("Network.enable")
    protocol.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": 5, "downloadThroughput": 2e6, "uploadThroughput": 1e6},
    )
    result = check(
        page,
        """const seen = [];
        const onOverview = ({ bitmap, done, total }) => {
          // The last row that isn't empty.
          const rows = checks.pixels(bitmap, 0, 0, bitmap.width, bitmap.height);
          seen.push([rows.findLastIndex((value) => value >>> 24 === 255) / rows.length, done / total]);
        };
        const picture = await Tessera.open('/site/progressive.jpg', { onOverview });
        await new Promise((resolve) => setTimeout(resolve, 500));
        return { seen, way: picture.way, statistics: await picture.statistics() };""",
    )
    # All rows are there long before the bytes are.
    assert result["way"] == "arriving" and any(rows > 0.99 and done < 0.5 for rows, done in result["seen"]), result
    assert result["statistics"]["indexingBytes"] < 150e6
    setting.nginx.clear()
    again = setting.page(context=page.context, allows=("404",))
    script = "const picture = await Tessera.open('/site/progressive.jpg'); await picture.tile(4, 0, 0); return picture.way;"
    way = check(again, script)
    assert way == "stored" and sum(count for _, count, _ in setting.nginx.answers("progressive.jpg")) == 0, way
    result = check(again, "return checks.compareTiles('/site/progressive.jpg', { most: 12 })")
    assert result["way"] == "stored" and not result["different"], result


@test
def a_progressive_picture_takes_two_requests_a_tile(setting):
    folder = setting.root / "scans"
    folder.mkdir(exist_ok=True)
    shutil.copy(setting.root / "site" / "progressive.jpg", folder / "photo.jpg")
    subprocess.run([setting.tessera, "tile", "index", folder / "photo.jpg", "--force"], check=True)
    page = setting.page()
    check(page, "window.picture = await Tessera.open('/scans/photo.jpg'); await picture.tile(3, 0, 0);")
    setting.nginx.clear()
    check(page, "await window.picture.tile(0, 5, 4);")
    pages, parts = setting.nginx.answers("photo.jpg.tessera"), setting.nginx.answers("photo.jpg")
    # The picture's data may take two requests at a time.
    assert len(pages) <= 1 and len(parts) <= 2 and all(status == 206 for status, _, _ in parts), (pages, parts)
    print(f"         a tile of a progressive picture: {sum(count for _, count, _ in pages + parts)} bytes", flush=True)
    result = check(page, "return checks.compareTiles('/scans/photo.jpg', { most: 12 })")
    assert result["way"] == "index" and not result["different"], result
    # Servers that answer one range at a time, or none, serve the same.
    for options in ({"ranges": True}, {}):
        page = setting.page(base=setting.serve(**options))
        result = check(page, "return checks.compareTiles('/scans/photo.jpg', { most: 4 })")
        assert not result["different"] and result["statistics"]["answersRanges"] == bool(options), result


@test
def a_server_of_ours_makes_the_tiles(setting):
    (setting.root / "served").mkdir(exist_ok=True)
    shutil.copy(setting.large, setting.root / "served" / "town.jpg")
    port = free_port()
    server = subprocess.Popen(
        [setting.tessera, "serve", setting.root / "served", "--port", str(port), "--allow-origin", "*"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )
    try:
        base = f"http://127.0.0.1:{port}"
        for _ in range(200):
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        page = setting.page()
        result = check(
            page,
            """const picture = await Tessera.open(values[0]);
            const whole = await createImageBitmap(await (await fetch('/site/large.jpg')).blob());
            const tile = await picture.tile(0, 11, 8), small = await picture.tile(4, 0, 0);
            const part = await picture.region({ x: 5900, y: 4400, width: 500, height: 500 });
            const file = await picture.tileFile(0, 0, 0);
            const mean = (a, b) => {
              const [x, y] = [a, b].map((each) => new Uint8Array(each.buffer));
              return x.reduce((sum, value, place) => sum + Math.abs(value - y[place]), 0) / x.length;
            };
            const difference = mean(checks.pixels(tile, 0, 0, tile.width, tile.height), checks.pixels(whole, 5632, 4096, tile.width, tile.height));
            const controller = new AbortController();
            const cancelled = checks.failure(() => picture.tile(0, 3, 3, { signal: controller.signal }));
            controller.abort();
            const outside = await checks.failure(() => picture.tile(0, 99, 0));
            return { way: picture.way, size: [tile.width, tile.height, small.width, small.height, part.width, part.height], type: file.type,
              source: picture.levels[0].source, difference, cancelled: (await cancelled).name, outside: outside.name };""",
            f"{base}/original/town.jpg",
        )
        difference = result.pop("difference")
        assert difference < 3 and result == {
            "way": "server", "size": [368, 404, 375, 282, 100, 100], "type": "image/jpeg", "source": "server",
            "cancelled": "AbortError", "outside": "RangeError",
        }, (difference, result)
        # A server that has such a folder and isn't ours.
        (setting.root / "original").mkdir(exist_ok=True)
        shutil.copy(setting.root / "fixtures" / "420.jpg", setting.root / "original" / "photo.jpg")
        page = setting.page(allows=("404",))
        assert check(page, "return (await Tessera.open('/original/photo.jpg', { storage: false })).way") == "arriving"
        # The element takes the same way, without the module.
        page = setting.page()
        page.set_content(
            "<style>html, body { margin: 0; height: 100% } tessera-image { display: block; height: 100% }</style>"
            f"<script type=module src=/site/tessera-image.js></script><tessera-image src={base}/original/town.jpg alt=Served></tessera-image>"
        )
        settled(page)
        assert page.evaluate("document.querySelector('tessera-image').naturalWidth") == 6000
        setting.shot(page, "served")
    finally:
        server.terminate()
        server.wait()


@test
def a_stored_index_of_a_changed_picture_is_made_again(setting):
    page = setting.page(allows=("404",))
    path = setting.root / "site" / "short-lived.jpg"
    shutil.copy(setting.root / "fixtures" / "420.jpg", path)
    script = "const picture = await Tessera.open('/site/short-lived.jpg'); return [picture.way, picture.width];"
    assert check(page, script) == ["arriving", 1000]
    page.wait_for_timeout(300)
    assert check(page, script) == ["stored", 1000]
    shutil.copy(setting.root / "fixtures" / "turned-1.jpeg", path)
    assert check(page, script) == ["arriving", 1500]


@test
def a_server_without_ranges_sends_the_picture_once(setting):
    page = setting.page(base=setting.serve(), allows=("404",))
    result = check(page, "return checks.compareTiles('/site/large.jpg')")
    assert not result["different"] and not result["statistics"]["answersRanges"], result
    assert result["statistics"]["picture"]["requests"] == 1, result
    result = check(page, "return checks.compareTiles('/site/bare.jpg')")
    assert result["way"] == "arriving" and not result["different"], result


@test
def a_server_with_single_ranges_gets_several_requests(setting):
    page = setting.page(base=setting.serve(ranges=True))
    result = check(page, "return checks.compareTiles('/fixtures/turned-1.jpeg')")
    assert not result["different"] and result["statistics"]["answersRanges"], result
    assert result["statistics"]["picture"]["requests"] > result["count"], result


@test
def changed_pictures_are_noticed(setting):
    state = {"tag": '"1"', "short": False, "length": None}

    def change(path, content):
        if path.endswith("420.jpg"):
            content = content[:-100] if state["short"] else content
            return content, {"ETag": state["tag"]} | ({"Content-Length": state["length"]} if state["length"] else {})
        return content, {}

    page = setting.page(base=setting.serve(change=change, ranges=True), allows=("416", "CONTENT_LENGTH"))
    script = """window.picture ??= await Tessera.open('/fixtures/420.jpg');
      return checks.failure(() => window.picture.tile(0, ...values));"""
    assert check(page, script, 0, 0) is None
    state["tag"] = '"2"'
    assert check(page, script, 1, 0)["code"] == "changed"
    state.update(tag='"1"', short=True)
    assert check(page, script, 1, 1)["code"] == "changed"
    state.update(short=False)
    assert check(page, script, 1, 1) is None
    # A connection that ends before the announced length.
    state.update(length="9999999")
    assert check(page, script, 0, 1)["code"] == "unreachable"
    state.update(length=None)
    assert check(page, script, 0, 1) is None


@test
def a_picture_that_is_replaced_is_noticed_by_its_tag(setting):
    path = setting.root / "site" / "replaced.jpg"
    shutil.copy(setting.root / "fixtures" / "turned-1.jpeg", path)
    shutil.copy(setting.root / "fixtures" / "turned-1.jpeg.tessera", f"{path}.tessera")
    page = setting.page()
    script = """window.picture ??= await Tessera.open('/site/replaced.jpg');
      return checks.failure(() => window.picture.tile(0, ...values));"""
    assert check(page, script, 0, 0) is None
    setting.nginx.clear()
    # The same length, an hour later: the request's If-Range makes nginx answer with the whole file.
    os.utime(path, (time.time() + 3600, time.time() + 3600))
    error = check(page, script, 2, 2)
    answers = setting.nginx.answers("replaced.jpg")
    assert error["code"] == "changed" and [status for status, _, _ in answers] == [200], (error, answers)
    page.set_content("<script type=module src=/site/tessera-image.js></script><tessera-image src=/site/replaced.jpg>")
    page.wait_for_function("document.querySelector('tessera-image').tileBytes > 0")


@test
def refused_and_missing_pictures_are_named(setting):
    other = setting.serve(ranges=True)
    page = setting.page(allows=("CORS", "404", "ERR_FAILED"))
    error = check(page, "return checks.failure(() => Tessera.open(values[0]))", f"{other}/fixtures/420.jpg")
    assert error["code"] == "unreachable" and "CORS" in error["message"], error
    error = check(page, "return checks.failure(() => Tessera.open('/fixtures/none.jpg'))")
    assert error["code"] == "status" and error["status"] == 404, error
    error = check(page, "return checks.failure(() => Tessera.open('/fixtures/arithmetic.jpeg'))")
    assert error["code"] == "unsupported" and "arithmetic" in error["message"], error
    page.set_content(f"<script type=module src=/site/tessera-image.js></script><tessera-image src=/fixtures/none.jpg>")
    page.get_by_text("There is no such picture.").wait_for()
    setting.shot(page, "missing")


@test
def pictures_of_servers_that_permit_it_are_read(setting):
    permit = lambda path, content: (content, {"Access-Control-Allow-Origin": "*"})
    other = setting.serve(ranges=True, change=permit)
    page = setting.page()
    result = check(page, "return checks.compareTiles(values[0])", f"{other}/fixtures/turned-1.jpeg")
    assert result["way"] == "index" and not result["different"], result


@test
def damage_stays_where_it_is(setting):
    folder = setting.root / "damaged"
    folder.mkdir(exist_ok=True)
    source = setting.root / "fixtures"
    photo, index = bytearray((source / "turned-1.jpeg").read_bytes()), bytearray((source / "turned-1.jpeg.tessera").read_bytes())
    photo[len(photo) // 2 : len(photo) // 2 + 40] = bytes(40)
    (folder / "photo.jpg").write_bytes(photo)
    (folder / "photo.jpg.tessera").write_bytes(index)
    page = setting.page(allows=("404",))
    script = """const picture = await Tessera.open(values[0]);
      const codes = [];
      for (let row = 0; row < picture.levels[0].rows; row += 1) {
        for (let column = 0; column < picture.levels[0].columns; column += 1) {
          codes.push((await checks.failure(() => picture.tile(0, column, row)))?.code ?? 'ok');
        }
      }
      return codes;"""
    codes = check(page, script, "/damaged/photo.jpg")
    assert set(codes) == {"ok", "damaged"} and codes.count("ok") > 2, codes
    # An index whose last page is wrong.
    (folder / "other.jpg").write_bytes((source / "turned-1.jpeg").read_bytes())
    index[-200:] = bytes(200)
    (folder / "other.jpg.tessera").write_bytes(index)
    codes = check(page, script, "/damaged/other.jpg")
    assert set(codes) <= {"ok", "damaged", "invalidIndex"} and codes[0] == "ok" and codes[-1] != "ok", codes
    # One that isn't an index at all is as good as none.
    (folder / "third.jpg").write_bytes((source / "420.jpg").read_bytes())
    (folder / "third.jpg.tessera").write_bytes(b"<!doctype html>" * 21)
    assert check(page, "return (await Tessera.open('/damaged/third.jpg', { storage: false })).way") == "arriving"
    (folder / "fourth.jpg").write_bytes((source / "420.jpg").read_bytes())
    (folder / "fourth.jpg.tessera").write_bytes(index[:300])
    error = check(page, "return checks.failure(() => Tessera.open('/damaged/fourth.jpg', { storage: false }))")
    assert error["code"] == "invalidIndex", error


@test
def requests_can_be_cancelled(setting):
    page = setting.page()
    result = check(
        page,
        """const picture = await Tessera.open('/site/large.jpg');
        const controller = new AbortController();
        const wanted = [0, 1, 2, 3].map((column) => checks.failure(() => picture.tile(0, column, 1, { signal: controller.signal })));
        const kept = picture.tile(0, 2, 2);
        setTimeout(() => controller.abort(), 1);
        const names = (await Promise.all(wanted)).map((error) => error?.name ?? 'ok');
        const early = await checks.failure(() => Tessera.open('/site/large.jpg', { signal: AbortSignal.abort() }));
        return { names, kept: (await kept).width, again: (await picture.tile(0, 1, 1)).width, early: early.name };""",
    )
    assert "AbortError" in result["names"] and set(result["names"]) <= {"AbortError", "ok"}, result
    assert (result["kept"], result["again"], result["early"]) == (512, 512, "AbortError"), result


@test
def regions_are_scaled_parts(setting):
    page = setting.page()
    result = check(
        page,
        """const picture = await Tessera.open('/site/large.jpg');
        const whole = await createImageBitmap(await (await fetch('/site/large.jpg')).blob());
        const exact = await picture.region({ x: 700, y: 900, width: 900, height: 300 });
        const a = checks.pixels(exact, 0, 0, 900, 300), b = checks.pixels(whole, 700, 900, 900, 300);
        const small = await picture.region({ x: 100, y: 100, width: 4000, height: 3000 }, { maxWidth: 600 });
        const outside = await checks.failure(() => picture.region({ x: 7000, y: 0, width: 10, height: 10 }));
        return { same: a.every((value, place) => value === b[place]), size: [small.width, small.height], outside: outside.name };""",
    )
    assert result == {"same": True, "size": [600, 450], "outside": "RangeError"}, result


def make_jpng(root, tessera):
    folder = root / "jpng"
    folder.mkdir(exist_ok=True)
    image = picture(1500, 1100).convert("RGBA")
    y, x = numpy.mgrid[0:1100, 0:1500]
    image.putalpha(Image.fromarray(numpy.clip((x - 200) // 4, 0, 255).astype(numpy.uint8)))
    image.save(folder / "cutout.png")
    target = folder / "cutout.jpng"
    subprocess.run([tessera, "convert", folder / "cutout.png", target, "--force"], check=True, capture_output=True)
    return target


@test
def a_jpng_keeps_its_transparency(setting):
    target = make_jpng(setting.root, setting.tessera)
    subprocess.run([setting.tessera, "tile", "index", target, "--force"], check=True)
    page = setting.page()
    script = """const picture = await Tessera.open('/jpng/cutout.jpng', values[0]);
      await new Promise((resolve) => Object.assign(document.head.appendChild(document.createElement('script')), { src: '/site/jpng.js', onload: resolve }));
      const whole = await createImageBitmap(await JPNG.decode(await (await fetch('/jpng/cutout.jpng')).arrayBuffer()));
      let different = 0;
      for (const [column, row] of [[0, 0], [1, 1], [2, 2]]) {
        const tile = await picture.tile(0, column, row);
        const a = checks.pixels(tile, 0, 0, tile.width, tile.height);
        const b = checks.pixels(whole, column * 512, row * 512, tile.width, tile.height);
        different += a.reduce((sum, value, place) => sum + (value !== b[place]), 0);
      }
      const small = await picture.tile(2, 0, 0);
      const left = checks.pixels(small, 5, 100, 1, 1)[0] >>> 24, right = checks.pixels(small, 360, 100, 1, 1)[0] >>> 24;
      return { way: picture.way, alpha: picture.hasAlpha, different, left, right };"""
    for options, way in (({}, "index"), ({"index": None, "storage": False}, "arriving")):
        result = check(page, script, options)
        assert result == {"way": way, "alpha": True, "different": 0, "left": 0, "right": 255}, result


@test
def a_service_worker_shows_jpng_in_any_image(setting):
    make_jpng(setting.root, setting.tessera)
    shutil.copy(setting.root / "jpng" / "cutout.jpng", setting.root / "site" / "cutout.jpng")
    page = setting.page("/site/blank.html")
    page.evaluate("""async () => {
      await navigator.serviceWorker.register('jpng-service-worker.js');
      await navigator.serviceWorker.ready;
      if (!navigator.serviceWorker.controller) await new Promise((resolve) => navigator.serviceWorker.oncontrollerchange = resolve);
    }""")
    page.set_content("<style>body { background: #0f0; margin: 0 }</style><img src=/site/cutout.jpng style='width: 750px'>")
    page.wait_for_function("document.images[0].complete && document.images[0].naturalWidth === 1500")
    shown = numpy.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
    assert tuple(shown[300, 20]) == (0, 255, 0) and tuple(shown[300, 740]) != (0, 255, 0), shown[300, 20]
    setting.shot(page, "service-worker")


@test
def the_element_works_by_keyboard_and_is_named(setting):
    for name, options in {
        "desktop": {},
        "phone": {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True},
    }.items():
        page = setting.page("/site/", **options)
        settled(page)
        label = page.evaluate("document.querySelector('tessera-image').shadowRoot.querySelector('.stage').getAttribute('aria-label')")
        assert "A large picture" in label and "6000 by 4500" in label, label
        setting.shot(page, f"site-{name}")
        tree = page.locator("tessera-image").aria_snapshot()
        assert 'application "A large picture, 6000 by 4500 pixels.' in tree and 'button "Zoom in"' in tree, tree
        page.keyboard.press("Tab")
        said = lambda: page.evaluate("document.querySelector('tessera-image').shadowRoot.querySelector('.unseen').textContent")
        for key, text in {"r": "Turned to 90 degrees", "R": "Turned to 0 degrees", "0": "The whole picture", "1": "Zoom 100 %"}.items():
            page.keyboard.press(key)
            assert said() == text, (key, said())
        page.wait_for_timeout(400)
        settled(page)
        page.keyboard.press("?")
        page.get_by_role("dialog").wait_for()
        page.keyboard.press("Escape")
        assert page.get_by_role("dialog").count() == 0
        assert abs(page.evaluate("document.querySelector('tessera-image').getView().zoom * devicePixelRatio") - 1) < 0.01
        before = page.evaluate("document.querySelector('tessera-image').getView().x")
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(400)
        assert page.evaluate("document.querySelector('tessera-image').getView().x") > before
        settled(page)
        setting.shot(page, f"site-{name}-actual-size")


@test
def the_main_thread_is_never_busy_for_long(setting):
    """By the processor's time: on a busy machine a task may take longer without doing more."""
    folder = setting.root / "scans"
    folder.mkdir(exist_ok=True)
    shutil.copy(setting.root / "site" / "progressive.jpg", folder / "photo.jpg")
    subprocess.run([setting.tessera, "tile", "index", folder / "photo.jpg", "--force"], check=True)
    longest = {}
    for source in ("/site/large.jpg", "/scans/photo.jpg", "/site/bare.jpg", "/site/progressive.jpg"):
        page = setting.page(allows=("404",))
        protocol = page.context.new_cdp_session(page)
        events, ended = [], []
        protocol.on("Tracing.dataCollected", lambda data, events=events: events.extend(data["value"]))
        protocol.on("Tracing.tracingComplete", lambda _, ended=ended: ended.append(True))
        configuration = {"includedCategories": ["toplevel", "devtools.timeline"]}
        protocol.send("Tracing.start", {"transferMode": "ReportEvents", "traceConfig": configuration})
        page.set_content(
            "<style>html, body { margin: 0; height: 100% } tessera-image { display: block; height: 100% }</style>"
            f"<script type=module src=/site/tessera-image.js></script><tessera-image src={source} alt=Busy></tessera-image>"
        )
        page.wait_for_function("document.querySelector('tessera-image').naturalWidth === 6000")
        page.wait_for_function("!document.querySelector('tessera-image').shadowRoot.querySelector('.chip').textContent")
        settled(page)
        for zoom in (0.5, 1, 2):
            page.evaluate(f"document.querySelector('tessera-image').zoomTo({zoom} / devicePixelRatio, {{ x: 3000, y: 2000 }})")
            page.wait_for_timeout(400)
            settled(page)
        for _ in range(4):
            page.evaluate("document.querySelector('tessera-image').panBy(-400, -200)")
            page.wait_for_timeout(250)
        settled(page)
        protocol.send("Tracing.end")
        while not ended:
            page.wait_for_timeout(50)
        threads = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name" and e["args"]["name"] == "CrRendererMain"}
        tasks = [e["tdur"] / 1000 for e in events if e["name"].endswith("RunTask") and (e["pid"], e["tid"]) in threads and "tdur" in e]
        assert len(tasks) > 100, len(tasks)
        longest[source] = round(max(tasks))
    print(f"         the longest tasks in ms: {longest}", flush=True)
    assert max(longest.values()) < 50, longest


@test
def an_arriving_picture_becomes_tiles_in_the_element(setting):
    page = setting.page(allows=("404",))
    protocol = page.context.new_cdp_session(page)
    protocol.send("Network.enable")
    protocol.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": 5, "downloadThroughput": 3e6, "uploadThroughput": 1e6},
    )
    page.set_content(
        "<style>html, body { margin: 0; height: 100% } tessera-image { display: block; height: 100% }</style>"
        "<script type=module src=/site/tessera-image.js></script><tessera-image src=/site/bare.jpg alt=Arriving></tessera-image>"
    )
    page.get_by_text("Loading the picture").wait_for()
    setting.shot(page, "arriving")
    page.wait_for_function("document.querySelector('tessera-image').naturalWidth === 6000")
    page.wait_for_function("document.querySelector('tessera-image').tileBytes > 0 && !document.querySelector('tessera-image').shadowRoot.querySelector('.chip').textContent")
    settled(page)
    setting.shot(page, "arrived")


@test
def leaflet_shows_it(setting):
    script = next((path for path in pathlib.Path("/usr/share").glob("*/leaflet/leaflet.js")), None) or next(
        pathlib.Path("/usr/share/javascript").glob("leaflet*/leaflet.js"), None
    )
    if not script:
        return "skipped: there is no libjs-leaflet"
    shutil.copy(script, setting.root / "leaflet.js")
    shutil.copy(script.parent / "leaflet.css", setting.root / "leaflet.css")
    page = setting.page()
    page.set_content(
        "<link rel=stylesheet href=/leaflet.css><style>html, body, #map { margin: 0; height: 100% }</style>"
        "<div id=map></div><script src=/leaflet.js></script>"
    )
    page.wait_for_function("!!window.L")
    page.evaluate("""async () => {
      const { tesseraLayer } = await import('/site/tessera-leaflet.js');
      window.map = L.map('map', { crs: L.CRS.Simple, zoomAnimation: false, fadeAnimation: false });
      window.layer = await tesseraLayer(L, '/site/large.jpg');
      map.addLayer(layer).setView(layer.toLatLng(3000, 2000), layer.maxZoom);
      await new Promise((resolve) => layer.isLoading() ? layer.once('load', resolve) : resolve());
    }""")
    page.wait_for_timeout(300)
    shown = numpy.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))[100:700, 100:1200].astype(int)
    expected = numpy.asarray(Image.open(setting.large))[1700:2300, 2460:3560].astype(int)
    assert numpy.abs(shown - expected).mean() < 1, numpy.abs(shown - expected).mean()
    setting.shot(page, "leaflet")


@test
def openseadragon_shows_it(setting):
    sys.path.insert(0, str(here.parent / "Browser"))
    import test_openseadragon

    try:
        (setting.root / "openseadragon.js").write_bytes(test_openseadragon.script())
    except test_openseadragon.Skip as skip:
        return f"skipped: {skip}"
    page = setting.page()
    page.set_content("<style>html, body, #view { margin: 0; height: 100%; width: 100% }</style><div id=view></div><script src=/openseadragon.js></script>")
    page.wait_for_function("!!window.OpenSeadragon")
    page.evaluate("""async () => {
      const { tesseraTileSource } = await import('/site/tessera-openseadragon.js');
      const source = await tesseraTileSource(OpenSeadragon, '/site/large.jpg');
      window.viewer = OpenSeadragon({ id: 'view', drawer: 'canvas', showNavigationControl: false, tileSources: [source],
        animationTime: 0, blendTime: 0 });
      viewer.addHandler('tile-load-failed', (event) => console.error('tile failed: ' + event.message));
    }""")
    loaded = "() => viewer.world.getItemCount() > 0 && viewer.world.getItemAt(0).getFullyLoaded()"
    page.wait_for_function(loaded)
    page.evaluate("""() => {
      const item = viewer.world.getItemAt(0);
      viewer.viewport.zoomTo(item.imageToViewportZoom(1), null, true);
      viewer.viewport.panTo(item.imageToViewportCoordinates(3000, 2000), true);
    }""")
    page.wait_for_timeout(300)
    page.wait_for_function(loaded)
    page.wait_for_timeout(300)
    shown = numpy.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))[100:700, 100:1200].astype(int)
    expected = numpy.asarray(Image.open(setting.large))[1700:2300, 2460:3560].astype(int)
    assert numpy.abs(shown - expected).mean() < 3, numpy.abs(shown - expected).mean()
    setting.shot(page, "openseadragon")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("fixtures", type=pathlib.Path)
    parser.add_argument("tessera")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--shots", type=pathlib.Path, help="where to put pictures of the pages")
    parser.add_argument("--pages", type=pathlib.Path, help="where the site's files come from, in place of the program")
    arguments = parser.parse_args()
    if not shutil.which(CHROMIUM):
        print(f"skipped: there is no Chromium at {CHROMIUM}")
        return 0
    failures = 0
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        setting = Setting(playwright, arguments.fixtures, arguments.tessera, folder, arguments.shots, arguments.pages)
        try:
            for function in tests:
                name = function.__name__.replace("_", " ")
                if arguments.only and not any(text in name for text in arguments.only):
                    continue
                start = time.monotonic()
                try:
                    outcome = function(setting) or "ok"
                    complaints = setting.finish()
                    assert not complaints, f"the console: {complaints}"
                except Exception as error:
                    setting.finish()
                    failures += 1
                    frames = [f for f in traceback.extract_tb(error.__traceback__) if str(here) in f.filename]
                    outcome = f"FAILED: {type(error).__name__}: {error} (line {frames[-1].lineno if frames else 0})"[:700]
                print(f"{time.monotonic() - start:6.1f} s  {name}: {outcome}", flush=True)
        finally:
            setting.browser.close()
            setting.nginx.close()
    print(f"{failures} failed" if failures else "all passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
