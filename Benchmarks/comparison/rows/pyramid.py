"""Pyramids, first views and tiles of large pictures, against libvips 8.18."""

import io
import os
import re
import statistics
import subprocess
import zipfile

import numpy
import pyvips
from PIL import Image

from .. import agreement, inputs
from ..contenders import TESSERA, Sample
from ..figures import Figure, Value, alternating, value
from ..image_servers import duration
from ..server import ThrottledServer
from . import Bench, Call, Command, Measured, row

Image.MAX_IMAGE_PIXELS = None


def zoomify(path, target):
    """libvips at its fastest: tiles of 256 without overlap in an archive, encoded without a suffix of their own."""
    target.unlink(missing_ok=True)
    picture = pyvips.Image.new_from_file(str(path), access="sequential")
    picture.dzsave(str(target), layout="zoomify", container="zip")


def level(archive, width, height, tier):
    """A level of a Zoomify archive, put together: a fourth channel goes along for the comparison."""
    picture = numpy.full((height, width, 4), 255, numpy.uint8)
    with zipfile.ZipFile(archive) as tiles:
        for name in tiles.namelist():
            stem = os.path.basename(name)
            if not stem.endswith(".jpg"):
                continue
            number, column, line = (int(part) for part in stem[:-4].split("-"))
            if number == tier:
                tile = numpy.asarray(Image.open(io.BytesIO(tiles.read(name))).convert("RGB"))
                y, x = line * 256, column * 256
                picture[y:y + tile.shape[0], x:x + tile.shape[1], :3] = tile
    return picture


def packed(bench, title, path, goal):
    ours, theirs = bench.folder / "ours.pyramid", bench.folder / "theirs.zip"
    measured = Measured("Tessera", "pyramid", path, ours)

    def agree():
        pixels = agreement.pixels(measured, bench.folder / "level")
        # The same level from the other side: tiers count from the smallest.
        return agreement.compare(pixels, level(theirs, pixels.shape[1], pixels.shape[0], 2), mean_at_most=3)

    return bench.times(
        title, measured, Call("libvips, dzsave(layout=zoomify, container=zip)", lambda: zoomify(path, theirs)),
        goal=goal, agreement=agree)


@row("pyramid")
def pyramid(bench: Bench):
    """A 24-megapixel JPEG and PNG to a pyramid of JPEG tiles in one file"""
    yield packed(bench, "24 MP JPEG to a pyramid", inputs.photo_jpeg(), 0.4)
    yield packed(bench, "24 MP PNG to a pyramid", inputs.photo_png(), 1)


@row("pyramid-huge")
def pyramid_huge(bench: Bench):
    """A 201-megapixel JPEG, baseline and progressive, to a pyramid in one file and in a tree of files"""
    baseline = inputs.huge_jpeg()
    yield packed(bench, "201 MP JPEG to a pyramid", baseline, 0.4)
    yield packed(bench, "201 MP progressive JPEG to a pyramid", inputs.huge_progressive_jpeg(), 0.6)

    target = bench.folder / "command.pyramid"
    command = Command("tessera tile", TESSERA, "tile", baseline, target, "--layout", "packed", output=target)
    samples = [command.run() for _ in range(bench.rounds)]
    command.close()
    yield Figure(
        bench.name, "peak memory of the 201 MP pyramid", "MB",
        value(command, samples, lambda sample: sample.peak_bytes), bound=100e6)
    progressive = Command(
        "tessera tile", TESSERA, "tile", inputs.huge_progressive_jpeg(), target, "--layout", "packed", output=target)
    samples = [progressive.run()]
    progressive.close()
    yield Figure(
        bench.name, "the same, progressive", "MB", value(progressive, samples, lambda sample: sample.peak_bytes),
        bound=150e6)

    tree = bench.folder / "tree"
    number = [0]

    def fresh(name):
        number[0] += 1
        return bench.folder / f"{name}-{number[0]}"

    class Tree(Command):
        def __init__(self):
            super().__init__("tessera tile, a tree", "true")

        def run(self):
            command = Command(self.name, TESSERA, "tile", baseline, fresh("tree"), "--layout", "zoomify")
            sample = command.run()
            command.close()
            return sample

    archive = bench.folder / "theirs.zip"

    def with_files():
        zoomify(baseline, archive)
        folder = fresh("files")
        with zipfile.ZipFile(archive) as tiles:
            contents = [tiles.read(name) for name in tiles.namelist()]
        start = os.times().elapsed
        folder.mkdir()
        for index, content in enumerate(contents):
            with open(folder / str(index), "wb", buffering=0) as file:
                file.write(content)
        return os.times().elapsed - start

    yield bench.times(
        "201 MP JPEG to a tree", Tree(), Call("libvips's archive, and writing as many files", with_files),
        goal=1, rounds=min(3, bench.rounds))


pyramid_huge.long = True


@row("first-view")
def first_view(bench: Bench):
    """A 201-megapixel JPEG's file to a picture of 1024 pixels, and tiles copied from it"""
    jpeg = inputs.huge_jpeg()
    ours = Measured("Tessera, TiledImage.overview(), Lanczos-3", "first-view", jpeg, 1024)
    vips = Call("libvips, thumbnail(1024), Lanczos-3", lambda: pyvips.Image.thumbnail(str(jpeg), 1024).write_to_memory())

    def agree():
        pixels = agreement.pixels(ours, bench.folder / "view")
        rgb = numpy.frombuffer(vips.output, numpy.uint8).reshape(-1, 1024, 3)
        return agreement.compare(pixels[..., :3], rgb, mean_at_most=4)

    yield bench.times("first view of a 201 MP JPEG, Lanczos-3", ours, vips, goal=0.8, agreement=agree)

    tiles = Measured("Tessera", "copied-tiles", jpeg)
    samples = [tiles.run() for _ in range(3 * bench.rounds)]
    tiles.close()
    yield Figure(
        bench.name, "a tile copied bit by bit", "ns",
        value(tiles, samples, lambda sample: sample.seconds / 1000), bound=1 / 30_000)


first_view.long = True


@row("arrival")
def arrival(bench: Bench):
    """A 201-megapixel JPEG at 40 MB/s in pieces of 64 KiB: what remains to be done after the last byte"""
    subject = Measured("Tessera", "last-byte", inputs.huge_jpeg(), 40)
    samples = [Sample(subject.ask("run")["peak"] / 1e9) for _ in range(bench.rounds)]
    subject.close()
    yield Figure(
        bench.name, "from the last byte to the last tile", "ms",
        value(subject, samples, lambda sample: sample.seconds), bound=10e-3)


arrival.long = True


def ways(addresses):
    """What `tessera bench open --stats` says of each way, in seconds: the decoding, and all from the first byte asked for."""
    table = subprocess.run(
        [str(TESSERA), "bench", "open", *addresses, "--stats"], capture_output=True, text=True, check=True).stdout
    found = {}
    for line in table.splitlines()[1:]:
        way, _, _, decoding, _, whole = re.split(r"  +", line.strip())
        found[way] = [duration(time) for time in (decoding, whole)]
    return found


def opened(bench, jpeg, what, rate):
    """PhotoScrollerNetwork's measurement: pictures fetched at once, in its three ways."""
    names = ["incremental", "one-shot", "generic"]
    with ThrottledServer(jpeg, rate) as server:
        addresses = [f"{server.address}/{number}.jpg" for number in range(3)]
        runs = [ways(addresses) for _ in range(bench.rounds)]
    for place, title in enumerate(["from the start of the first decode to the end of the last", "with the fetching"]):
        values = []
        for name in names:
            samples = [run[name][place] for run in runs]
            values.append(Value(f"Tessera, {name}", statistics.median(samples), samples))
        # Decoding while bytes come takes as long as they do: it is the whole that gets shorter.
        yield Figure(bench.name, f"{what}, {title}", "ms", values[0], values[1:], goal=1 if place else None)


@row("server")
def server(bench: Bench):
    """Three 24-megapixel JPEGs at once from a server on loopback, 5 MB/s each, in PhotoScrollerNetwork's three ways"""
    yield from opened(bench, inputs.photo_jpeg(), "three 24 MP JPEGs at 5 MB/s", 5e6)


@row("server-huge")
def server_huge(bench: Bench):
    """Three 201-megapixel JPEGs at once from a server on loopback, 10 MB/s each, in PhotoScrollerNetwork's three ways"""
    yield from opened(bench, inputs.huge_jpeg(), "three 201 MP JPEGs at 10 MB/s", 10e6)


server_huge.long = True


@row("raw-tiles")
def raw_tiles(bench: Bench):
    """The raw tiles of a 24-megapixel picture, copied one by one"""
    jpeg = inputs.photo_jpeg()
    yield bench.times(
        "copying 345 raw tiles", Measured("Tessera, readyTile(_:)", "raw-tiles", jpeg, "store"),
        Measured("memcpy of as many bytes", "raw-tiles", jpeg, "memory"), goal=1.25, rounds=5 * bench.rounds)
