"""Photographs of another server, made small, against thumbor 7.8: the setting of imgproxy's published benchmark."""

import io
import math
from urllib.parse import quote

import numpy
from PIL import Image

from .. import inputs
from ..figures import Figure, Value
from ..image_servers import Tessera, fetch
from ..thumbor import Origin, Thumbor, Watched, install
from . import Bench, row

SIDE, QUALITY = 512, 80
# Encoders' scales differ: libavif at 80 gives a fifth fewer bytes, and a decibel less, than Pillow's AVIF encoder at 80.
OURS = {"avif": 86}
# Requests a second: ours against theirs.
GOALS = {"jpeg": 2.3, "png": 3.3, "webp": 1, "avif": 1}


def ratio(ours, theirs):
    """Peak signal to noise ratio of two pictures in RGB, in decibels."""
    a, b = (numpy.asarray(picture.convert("RGB"), numpy.float64) for picture in (ours, theirs))
    error = ((a - b) ** 2).mean()
    return math.inf if error == 0 else 10 * math.log10(255 ** 2 / error)


@row("remote-images")
def remote_images(bench: Bench):
    """Photographs from an HTTP origin at 512 pixels, as JPEG, PNG, WebP and AVIF, each fetched and made anew"""
    install()
    photographs = bench.folder / "photographs"
    photographs.mkdir()
    names = [f"photo{number}.jpg" for number in range(6)]
    for number, name in enumerate(names):
        (photographs / name).symlink_to(inputs.cached(
            f"photo-6mp-{number}.jpg",
            lambda path, seed=number: Image.fromarray(inputs.photograph(3000, 2000, 40 + seed)).save(path, quality=90)))
    origin = Origin(photographs, bench.folder)
    tessera = thumbor = None
    try:
        tessera = Tessera(bench.folder, caches=False, options=["--origin", f"private+{origin.address}/"])
        thumbor = Thumbor(bench.folder)
        for kind, goal in GOALS.items():
            sources = [quote(f"{origin.address}/NUMBER/{name}", safe="") for name in names]
            ours = [f"/image/{source}?w={SIDE}&h={SIDE}&format={kind}&q={OURS.get(kind, QUALITY) / 100}" for source in sources]
            theirs = [
                f"/unsafe/fit-in/{SIDE}x{SIDE}/filters:format({kind}):quality({QUALITY})/{source}" for source in sources]
            contenders = [
                Watched("Tessera", tessera, ours, bench.folder), Watched("thumbor 7.8", thumbor, theirs, bench.folder)]
            pictures = [
                [fetch(each, path.replace("NUMBER", "1")) for path in paths]
                for each, paths in ((tessera, ours), (thumbor, theirs))]
            figure = bench.times(
                f"{kind}, a request", *contenders, goal=1 / goal, rounds=min(5, bench.rounds),
                agreement=lambda pictures=pictures: agree(photographs, names, pictures))
            failed = {each.name: each.errors for each in contenders if each.errors}
            if failed:
                figure.agrees, figure.agreement = False, f"failed requests: {failed}"
            yield figure
            yield Figure(
                bench.name, f"{kind}, peak memory", "MB",
                *of_each(contenders, [each.peak for each in contenders]), goal=0.5)
            yield Figure(
                bench.name, f"{kind}, anonymous peak memory", "MB",
                *of_each(contenders, [each.anonymous_peak for each in contenders]), goal=0.5)
            yield Figure(
                bench.name, f"{kind}, bytes of a picture", "kB",
                *of_each(contenders, [sum(map(len, each)) / len(each) for each in pictures]))
    finally:
        for server in (thumbor, tessera, origin):
            if server:
                server.close()


def of_each(contenders, values):
    """Our value, and the list of the peers'."""
    ours, *peers = (Value(each.name, number, [number]) for each, number in zip(contenders, values))
    return ours, peers


def agree(photographs, names, pictures):
    """Each server's PSNR to a Lanczos reduction by Pillow, and whether ours is at most half a decibel below theirs."""
    found = []
    for made in pictures:
        ratios = []
        for name, data in zip(names, made):
            picture = Image.open(io.BytesIO(data))
            with Image.open(photographs / name) as original:
                reference = original.convert("RGB").resize(picture.size, Image.Resampling.LANCZOS)
            ratios.append(ratio(picture, reference))
        found.append(sum(ratios) / len(ratios))
    sizes = {Image.open(io.BytesIO(data)).size for made in pictures for data in made}
    text = f"PSNR {found[0]:.1f} and {found[1]:.1f} dB"
    return (text, found[0] >= found[1] - 0.5) if len(sizes) == 1 else (f"{text}, sizes {sorted(sizes)}", False)


remote_images.long = True
