"""PNG against Pillow."""

import io

from PIL import Image

from .. import agreement, inputs
from ..figures import Figure, Value
from . import Bench, Call, Measured, row
from .jpng import loaded


@row("png-decode")
def png_decode(bench: Bench):
    """A 24-megapixel PNG's bytes to new pixels"""
    png = inputs.photo_png()
    data = png.read_bytes()
    ours = Measured("Tessera", "decode", png)
    pillow = Call("Pillow, Image.open().load()", lambda: loaded(data))

    def agree():
        return agreement.compare(agreement.pixels(ours, bench.folder / "pixels"), agreement.rgba(pillow.output))

    return [bench.times("decoding a 24 MP PNG", ours, pillow, goal=0.4, agreement=agree)]


@row("png-encode")
def png_encode(bench: Bench):
    """24 megapixels to a PNG in memory at the default level: time and size"""
    png = inputs.photo_png()
    image = loaded(png.read_bytes())
    ours = Measured("Tessera", "encode", png, "png")

    def save():
        buffer = io.BytesIO()
        image.save(buffer, "PNG")
        return buffer.getvalue()

    pillow = Call("Pillow, Image.save()", save)
    file = bench.folder / "encoded.png"
    sizes = {}

    def agree():
        sizes["ours"], sizes["theirs"] = ours.save(file)["bytes"], len(pillow.output)
        return agreement.compare(agreement.rgba(file), agreement.rgba(image))

    time = bench.times(
        "encoding a 24 MP PNG", ours, pillow, goal=0.2, agreement=agree, rounds=min(3, bench.rounds))
    size = Figure(
        bench.name, "size of that PNG", "kB", Value("Tessera", sizes["ours"]), [Value(pillow.name, sizes["theirs"])],
        goal=1)
    return [time, size]
