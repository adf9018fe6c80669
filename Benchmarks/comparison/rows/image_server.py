"""The image server under load, against iipsrv 1.1 behind nginx, and nginx with files."""

import io
import random

import numpy
import pyvips
from PIL import Image

from .. import agreement, inputs
from ..figures import Figure, Value, value
from ..image_servers import Load, Nginx, Tessera, fetch, resident_bytes
from . import Bench, row

WIDTH, HEIGHT, TILE = 16384, 12288, 256


def pixels(data):
    return numpy.asarray(Image.open(io.BytesIO(data)).convert("RGBA"))


def same(ours, theirs, mean_at_most):
    return lambda: agreement.compare(pixels(ours()), pixels(theirs()), mean_at_most=mean_at_most)


def tiles(prefix, count, width=WIDTH, height=HEIGHT):
    numbers = random.Random(6)
    for _ in range(count):
        x, y = numbers.randrange(width // TILE) * TILE, numbers.randrange(height // TILE) * TILE
        yield f"{prefix}/{x},{y},{TILE},{TILE}/{TILE},/0/default.jpg"


def regions(prefix, count, width=WIDTH, height=HEIGHT):
    numbers = random.Random(7)
    for _ in range(count):
        yield f"{prefix}/{numbers.randrange(width - 1000)},{numbers.randrange(height - 1000)},1000,1000/500,/0/default.jpg"


def load(bench, title, contenders, goal, check):
    """A figure of times of one request, and one of the slowest hundredth."""
    figure = bench.times(title, *contenders, goal=goal, agreement=check, rounds=min(5, bench.rounds))
    errors = {each.name: each.errors for each in contenders if each.errors}
    if errors:
        figure.agrees, figure.agreement = False, f"failed requests: {errors}"
    figure.unit = "ns" if figure.ours.median < 1e-3 else "ms"
    yield figure
    values = [Value(each.name, sorted(each.p99)[len(each.p99) // 2], each.p99) for each in contenders]
    yield Figure(bench.name, f"{title}: 99th percentile", "ms", values[0], values[1:])


@row("image-server")
def image_server(bench: Bench):
    """Tiles and regions of a 201-megapixel picture over HTTP, hot and cold"""
    pictures = bench.folder / "pictures"
    pictures.mkdir()
    (pictures / "huge.jpg").symlink_to(inputs.huge_jpeg())
    own = bench.folder / "own"
    own.mkdir()
    (own / "huge.jpg").write_bytes(inputs.huge_jpeg().read_bytes())
    pyvips.Image.new_from_file(str(inputs.huge_jpeg()), access="sequential").tiffsave(
        str(pictures / "huge.tif"), tile=True, pyramid=True, compression="jpeg", Q=90, tile_width=TILE,
        tile_height=TILE, bigtiff=True)
    ours, theirs = "/iiif/2/huge.jpg", "/iiif/huge.tif"

    site = bench.folder / "site"
    site.mkdir()
    tessera, nginx = Tessera(own), Nginx(site, pictures)
    try:
        hot = list(tiles(ours, 200))
        files = []
        for number, path in enumerate(hot):
            (site / f"{number}.jpg").write_bytes(fetch(tessera, path))
            files.append(f"/{number}.jpg")
        yield from load(
            bench, "hot tiles, a request",
            [Load("Tessera", tessera, hot, bench.folder), Load("iipsrv", nginx, list(tiles(theirs, 200)), bench.folder)],
            0.2, same(lambda: fetch(tessera, hot[0]), lambda: fetch(nginx, next(tiles(theirs, 1))), 4))
        yield from load(
            bench, "hot tiles, a request",
            [Load("Tessera", tessera, hot, bench.folder), Load("nginx, files", nginx, files, bench.folder)],
            1 / 0.6, same(lambda: fetch(tessera, hot[0]), lambda: fetch(nginx, files[0]), 0))

        # So many that hardly any is asked for twice, so that no response is had from a cache; pixels are, by both.
        yield from load(
            bench, "regions of 1000 at 500, a request",
            [Load("Tessera", tessera, list(regions(ours, 100_000)), bench.folder),
             Load("iipsrv", nginx, list(regions(theirs, 100_000)), bench.folder)],
            0.5, same(lambda: fetch(tessera, next(regions(ours, 1))), lambda: fetch(nginx, next(regions(theirs, 1))), 8))

        before = resident_bytes(tessera.process.pid)
        many = Load("Tessera", tessera, hot, bench.folder, seconds=20)
        count = 0
        while count < 200_000:
            count += many.seconds / many.run().seconds
        after = resident_bytes(tessera.process.pid)
        yield Figure(
            bench.name, f"memory after {count / 1000:.0f} 000 requests more", "MB", Value("Tessera", after),
            [Value("before", before)], goal=1.1)
    finally:
        tessera.close()
        nginx.close()

    site = bench.folder / "cold"
    site.mkdir()
    tessera, nginx = Tessera(own, caches=False), Nginx(site, pictures, caches=False)
    try:
        fetch(tessera, next(tiles(ours, 1)))
        yield from load(
            bench, "cold tiles, a request",
            [Load("Tessera", tessera, list(tiles(ours, 3000)), bench.folder),
             Load("iipsrv", nginx, list(tiles(theirs, 3000)), bench.folder)],
            0.25, same(lambda: fetch(tessera, next(tiles(ours, 1))), lambda: fetch(nginx, next(tiles(theirs, 1))), 4))
    finally:
        tessera.close()
        nginx.close()


image_server.long = True


@row("image-server-jp2")
def image_server_jp2(bench: Bench):
    """A 100-megapixel JPEG 2000 over HTTP without caches: regions, tiles, first view, both by Debian's OpenJPEG"""
    pictures = bench.folder / "pictures"
    pictures.mkdir()
    # Copied: the server doesn't follow links out of its folder.
    (pictures / "large.jp2").write_bytes(inputs.large_jp2().read_bytes())
    site = bench.folder / "site"
    site.mkdir()
    width, height = 12288, 8192
    tessera, nginx = Tessera(pictures, caches=False), Nginx(site, pictures, caches=False)

    def compared(title, make, goal, connections=16):
        ours, theirs = list(make("/iiif/2/large.jp2")), list(make("/iiif/large.jp2"))
        loads = [
            Load("Tessera", tessera, ours, bench.folder, connections=connections),
            Load("iipsrv", nginx, theirs, bench.folder, connections=connections)]
        check = same(lambda: fetch(tessera, ours[0]), lambda: fetch(nginx, theirs[0]), 5)
        yield from load(bench, f"{title} of a JP2, a request", loads, goal, check)

    try:
        yield from compared("regions of 1000 at 500", lambda prefix: regions(prefix, 10_000, width, height), 1 / 1.5)
        yield from compared("tiles of 256", lambda prefix: tiles(prefix, 1536, width, height), 1 / 1.5)
        # One client that waits, as for an image that has just been opened.
        whole = "full/1024,/0/default.jpg"
        yield from compared(
            "the whole at 1024", lambda prefix: [f"{prefix}/{whole}"], 1 / 1.5, connections=1)
    finally:
        tessera.close()
        nginx.close()


image_server_jp2.long = True
