"""PNG against Pillow, and against wuffs and image-png, the quickest decoders in C and Rust."""

import io

import kornia_rs
import numpy
import pywuffs
from PIL import Image
from pywuffs.aux import ImageDecoder, ImageDecoderConfig

from .. import agreement, inputs
from ..contenders import one_processor
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

    return [bench.times("decoding a 24 MP PNG", ours, pillow, goal=0.3, agreement=agree)]


@row("png-one-core")
def png_one_core(bench: Bench):
    """A 24-megapixel PNG's bytes to new pixels on one processor, against wuffs and image-png"""
    png = inputs.photo_png()
    data = png.read_bytes()
    width, height = Image.open(png).size
    config = ImageDecoderConfig()
    config.pixel_format = pywuffs.PixelFormat.RGBA_NONPREMUL

    def alpha(rgb):
        return numpy.dstack([rgb, numpy.full(rgb.shape[:2], 255, numpy.uint8)])

    # kornia-rs calls Rust's `png`, and makes RGB, a quarter less to write.
    peers = {
        "wuffs, wuffs_aux::DecodeImage to RGBA": (lambda: ImageDecoder(config).decode(data), lambda result: result.pixbuf),
        "image-png, by kornia_rs to RGB": (
            lambda: kornia_rs.io.decode_image_png_u8(data, (height, width), "rgb"), lambda result: alpha(numpy.asarray(result))),
    }
    for name, (call, pixels) in peers.items():
        with one_processor():
            ours, peer = Measured("Tessera", "decode", png), Call(name, call)

            def agree(ours=ours, peer=peer, pixels=pixels):
                return agreement.compare(agreement.pixels(ours, bench.folder / "pixels"), pixels(peer.output))

            yield bench.times(f"a 24 MP PNG, {name.split(',')[0]}", ours, peer, goal=1, agreement=agree)


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
