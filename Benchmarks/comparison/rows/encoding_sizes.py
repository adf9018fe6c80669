"""Encoding at two sizes: what a format costs must grow with the pixels, and no faster."""

import io

from PIL import Image

from .. import agreement, inputs
from ..contenders import TESSERA
from ..figures import Figure, alternating, value
from . import Bench, Call, Command, Measured, row
from .formats import photograph
from .jpng import loaded

# Every format that is written at any size; icons end at 256 pixels. Those that take many seconds are timed once.
ENDINGS = ["bmp", "png", "jpg", "jpng", "gif", "tiff", "webp", "xbm", "heic", "avif", "jxl", "jp2"]
SLOW = {"heic", "avif", "jxl", "jp2"}

# Four times the pixels in at most this many times the time.
GROWTH = 4.5

# The C library keeps blocks of up to 32 MB for the next time and maps larger ones afresh: with this both sizes are fresh.
FRESH_MEMORY = {"MALLOC_MMAP_THRESHOLD_": "131072"}


@row("bmp-encode")
def bmp_encode(bench: Bench):
    """24 megapixels to a BMP: in memory against Pillow, and as a command against decoding alone"""
    png = inputs.photo_png()
    image = loaded(png.read_bytes())
    ours = Measured("Tessera", "encode", png, "bmp")

    def save():
        buffer = io.BytesIO()
        image.save(buffer, "BMP")
        return buffer.getvalue()

    pillow = Call("Pillow, Image.save()", save)
    file = bench.folder / "encoded.bmp"

    def agree():
        ours.save(file)
        return agreement.compare(agreement.rgba(file), agreement.rgba(Image.open(io.BytesIO(pillow.output))))

    yield bench.times("encoding a 24 MP BMP", ours, pillow, goal=1, agreement=agree)

    jpeg, output = inputs.photo_jpeg(), bench.folder / "converted.bmp"
    contenders = [
        Command("tessera convert", TESSERA, "convert", jpeg, output, output=output),
        Measured("Tessera, decoding alone", "decode", jpeg),
    ]
    samples = alternating(contenders, min(5, bench.rounds))
    values = [value(who, them, lambda sample: sample.seconds) for who, them in zip(contenders, samples)]
    peaks = value(contenders[0], samples[0], lambda sample: sample.peak_bytes)
    for contender in contenders:
        contender.close()
    yield Figure(
        bench.name, "24 MP JPEG to BMP, as a command", "ms", values[0], values[1:], bound=values[1].median + 0.3)
    yield Figure(bench.name, "its peak memory", "MB", peaks, bound=100e6)


@row("encode-growth")
def encode_growth(bench: Bench):
    """24 megapixels to each format against 6: at most 4.5 times the time"""
    for ending in ENDINGS:
        contenders = [
            Measured("Tessera, 24 MP", "encode", inputs.photo_png(), ending, environment=FRESH_MEMORY),
            Measured("Tessera, 6 MP", "encode", photograph(), ending, environment=FRESH_MEMORY),
        ]
        samples = alternating(contenders, 1 if ending in SLOW else min(5, bench.rounds))
        values = [value(who, them, lambda sample: sample.seconds) for who, them in zip(contenders, samples)]
        for contender in contenders:
            contender.close()
        yield Figure(
            bench.name, f"encoding to {ending}, 24 MP and 6 MP", "ms", values[0], values[1:], goal=GROWTH)


encode_growth.long = True
