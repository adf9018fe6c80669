"""JPNG against the PNG that it stands for."""

import io

import numpy
from PIL import Image

from .. import agreement, inputs
from . import Bench, Call, Figure, Measured, row
from ..figures import Value


@row("jpng")
def jpng(bench: Bench):
    """The 6-megapixel cut-out as a JPNG at 0.8: its size, and the time to decode it, against its PNG"""
    png = inputs.cutout_png()
    file = bench.folder / "cutout.jpng"
    encoder = Measured("Tessera", "encode", png, "jpng")
    encoder.run()
    size = encoder.save(file)["bytes"]
    encoder.close()
    png_bytes = png.read_bytes()
    figures = [
        Figure(
            bench.name, "size of the 6 MP cut-out", "kB", Value("Tessera, JPNG 0.8", size),
            [Value("Pillow, PNG", len(png_bytes))], goal=1 / 8)
    ]

    ours = Measured("Tessera, JPNG", "decode", file)
    theirs = Call("Pillow, PNG: Image.open().load()", lambda: loaded(png_bytes))

    def agree():
        pixels, original = agreement.pixels(ours, bench.folder / "pixels"), agreement.rgba(theirs.output)
        alpha, alpha_equal = agreement.compare(pixels[..., 3:], original[..., 3:])
        opaque = original[..., 3] == 255
        colour = float(numpy.abs(pixels[opaque][:, :3].astype(numpy.int16) - original[opaque][:, :3]).mean())
        return f"alpha {alpha}, colour's mean difference {colour:.2f}", alpha_equal and colour < 3

    figures.append(bench.times("decoding it", ours, theirs, goal=1 / 5, agreement=agree))
    return figures


def loaded(data):
    image = Image.open(io.BytesIO(data))
    image.load()
    return image
