"""High dynamic range: thumbnails of a JPEG with their gain map, and resizing at more than 8 bits, against libvips."""

import numpy
import pyvips

from .. import agreement, inputs
from ..contenders import TESSERA
from . import Bench, Call, Command, Measured, row

WIDTH = 400


def base_of(path):
    """The pixels of the base in sRGB, read without the map. libvips writes Display P3."""
    image = pyvips.Image.jpegload(str(path))
    return (image.icc_transform("srgb") if image.get_typeof("icc-profile-data") else image).numpy()


def pixels_of(path):
    """The pixels of a raw PPM of 16 bits, whose header has three lines."""
    kind, size, _, pixels = path.read_bytes().split(b"\n", 3)
    assert kind == b"P6", kind
    width, height = map(int, size.split())
    return numpy.frombuffer(pixels, ">u2").reshape(height, width, 3)


@row("gain-map-thumbnail")
def gain_map_thumbnail(bench: Bench):
    """A 12-megapixel JPEG with a gain map, file to file, to 400 pixels: with the map, and without"""
    # The command's times include the start of a process.
    jpeg = inputs.bright_jpeg()
    with_map, without, vips_file = (bench.folder / name for name in ("with.jpg", "without.jpg", "vips.jpg"))

    def command(name, output, *options):
        return Command(
            name, TESSERA, "convert", jpeg, output, "--size", f"{WIDTH}x{WIDTH}", *options, output=output)

    def vips():
        pyvips.Image.thumbnail(str(jpeg), WIDTH).uhdrsave(str(vips_file))

    def agree():
        loaded = pyvips.Image.uhdrload(str(with_map))
        if loaded.get_typeof("gainmap-data") == 0:
            return "libvips finds no map in Tessera's file", False
        return agreement.compare(base_of(with_map), base_of(vips_file), mean_at_most=2)

    peer = Call("libvips, thumbnail().uhdrsave()", vips)
    return [
        bench.times(
            "thumbnail with its gain map, 12 MP, in process",
            Measured("Tessera, Image.thumbnail().write()", "thumbnail-file", jpeg, with_map, WIDTH), peer, goal=0.6,
            agreement=agree),
        bench.times(
            "thumbnail with its gain map, 12 MP, as a command", command("tessera convert", with_map), peer, agreement=agree),
        bench.times(
            "thumbnail with its gain map against one without", command("tessera convert", with_map),
            command("tessera convert --gain-map drop", without, "--gain-map", "drop"), goal=1.3),
    ]


@row("deep-resize")
def deep_resize(bench: Bench):
    """12 megapixels of 16 bits, as high dynamic range is kept, against libvips' floats: raw file to raw file, to a quarter"""
    deep, floats = inputs.deep_ppm(), inputs.float_vips()
    ours_file, vips_file = bench.folder / "ours.ppm", bench.folder / "vips.v"
    ours = Command(
        "tessera convert, 16 bits, Lanczos-3", TESSERA, "convert", deep, ours_file, "--size", "1000x750", output=ours_file)
    vips = Call(
        "libvips, resize() of floats, Lanczos-3, in process",
        lambda: pyvips.Image.new_from_file(str(floats)).resize(0.25).write_to_file(str(vips_file)))

    def agree():
        # In steps of 8 bits.
        own = pixels_of(ours_file) / 257
        theirs = numpy.clip(pyvips.Image.new_from_file(str(vips_file)).numpy(), 0, 1) * 255
        return agreement.compare(
            numpy.rint(own).astype(numpy.uint8), numpy.rint(theirs).astype(numpy.uint8), mean_at_most=1)

    return [bench.times("resizing 12 MP of 16 bits to a quarter", ours, vips, goal=1, agreement=agree)]
