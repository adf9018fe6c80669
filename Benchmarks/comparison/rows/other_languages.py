"""libtessera in use: the Python package against pyvips and Pillow, and the desktop's thumbnailer against gdk-pixbuf's."""

import functools
import multiprocessing
import os
import shutil
import subprocess
import sys

import numpy
import pyvips
from PIL import Image

from .. import agreement, inputs
from ..contenders import BENCHMARKS
from ..figures import Figure, alternating, value
from . import Bench, Call, Command, row
from .loading import COUNT, PROCESSORS, SIDE, STEP, photographs, shrink, shrink_and_drop, stacked

REPOSITORY = BENCHMARKS.parent
WIDTH = 400


@functools.cache
def library():
    """The folder with libtessera of these sources and the thumbnailer over it."""
    prefix = BENCHMARKS / ".cache" / "libtessera"
    subprocess.run([REPOSITORY / "Scripts/build-library", prefix], check=True, stdout=subprocess.DEVNULL)
    # As for a package, nothing says there what an earlier run has installed.
    shutil.rmtree(prefix / "desktop", ignore_errors=True)
    subprocess.run(
        [
            REPOSITORY / "Scripts/install-desktop", "--only", "thumbnailer", "--all-formats", "--library", prefix,
            "--prefix", prefix / "desktop",
        ], check=True, stdout=subprocess.DEVNULL, env={**os.environ, "DESTDIR": "/"})
    return prefix


@functools.cache
def package():
    """The Python package over that library."""
    os.environ["TESSERA_LIBRARY"] = str(library() / "lib" / "libtessera.so")
    sys.path.insert(0, str(REPOSITORY / "Python"))
    import tessera

    return tessera


def ours(path, side=SIDE):
    return numpy.asarray(package().thumbnail(str(path), side))


def ours_and_drop(path):
    """What a process of the pool does, as the Pillow pool's in `loading`."""
    return ours(path).shape


def vips(path, side=SIDE):
    return pyvips.Image.thumbnail(str(path), side).numpy()


def vips_and_drop(path):
    return vips(path).shape


def pillow(path, side):
    with Image.open(path) as image:
        image.draft("RGB", (2 * side, 2 * side))
        image.thumbnail((side, side), Image.Resampling.LANCZOS)
        return image


@row("python-thumbnail")
def python_thumbnail(bench: Bench):
    """A 24-megapixel JPEG file to a thumbnail 400 pixels wide by Lanczos-3, in Python"""
    jpeg = inputs.photo_jpeg()
    package()
    tessera = Call("tessera.thumbnail()", lambda: ours(jpeg, WIDTH))
    by_vips = Call("pyvips, thumbnail()", lambda: vips(jpeg, WIDTH))
    by_pillow = Call("Pillow, draft() and thumbnail()", lambda: pillow(jpeg, WIDTH))

    def agree():
        mine = tessera.output[..., :3]
        said, agrees = agreement.compare(mine, by_vips.output[..., :3], mean_at_most=1)
        other, also = agreement.compare(mine, numpy.asarray(by_pillow.output), mean_at_most=1)
        return f"{said}; Pillow: {other}", agrees and also

    against_vips = bench.times(
        "Python thumbnail of a 24 MP JPEG, Lanczos-3", tessera, by_vips, by_pillow, goal=0.5, agreement=agree)
    against_pillow = Figure(
        bench.name, "the same against Pillow", "ms", against_vips.ours, against_vips.peers[1:], goal=0.3)
    return [against_vips, against_pillow]


@row("python-thumbnails")
def python_thumbnails(bench: Bench):
    """500 JPEG files of 3 megapixels to thumbnails of 256 pixels in two Python processes"""
    source = bench.folder / "photographs"
    paths = photographs(source)
    package()
    with multiprocessing.get_context("spawn").Pool(PROCESSORS) as pool:

        def agree():
            return agreement.compare(
                stacked(ours(path)[..., :3] for path in paths[::STEP]), stacked(shrink(path) for path in paths[::STEP]),
                mean_at_most=1)

        return [
            bench.times(
                f"{COUNT} thumbnails of 3 MP JPEGs in {PROCESSORS} Python processes",
                Call("tessera.thumbnail()", lambda: pool.map(ours_and_drop, paths)),
                Call("pyvips, thumbnail()", lambda: pool.map(vips_and_drop, paths)),
                Call("Pillow, draft() and thumbnail()", lambda: pool.map(shrink_and_drop, paths)),
                goal=1, agreement=agree, rounds=min(3, bench.rounds))
        ]


@row("thumbnailer")
def thumbnailer(bench: Bench):
    """The desktop's thumbnail of a 24-megapixel JPEG file, 256 pixels, as a PNG file"""
    jpeg = inputs.photo_jpeg()
    program = library() / "desktop" / "lib" / "tessera" / "tessera-thumbnailer"
    files = [bench.folder / "ours.png", bench.folder / "theirs.png"]
    contenders = [
        Command("tessera-thumbnailer", program, "-s", SIDE, jpeg, files[0], output=files[0]),
        Command("gdk-pixbuf-thumbnailer", "gdk-pixbuf-thumbnailer", "-s", SIDE, jpeg, files[1], output=files[1]),
    ]
    samples = alternating(contenders, bench.rounds)
    for contender in contenders:
        contender.close()
    # gdk-pixbuf reduces by a box filter, so small differences remain.
    said, agrees = agreement.compare(
        *(numpy.asarray(Image.open(file).convert("RGB")) for file in files), mean_at_most=4)
    seconds, peaks = (
        [value(who, them, reading) for who, them in zip(contenders, samples)]
        for reading in (lambda sample: sample.seconds, lambda sample: sample.peak_bytes))
    return [
        Figure(
            bench.name, "desktop thumbnail of a 24 MP JPEG", "ms", seconds[0], seconds[1:], goal=1 / 3, agreement=said,
            agrees=agrees),
        Figure(bench.name, "its peak memory", "MB", peaks[0], peaks[1:], goal=1 / 5),
    ]
