"""JPEG against libjpeg-turbo itself, and thumbnails against libvips."""

import numpy
import pyvips
from PIL import Image

from .. import agreement, inputs
from ..contenders import TESSERA, imagemagick
from . import Bench, Call, Command, Measured, row

WIDTH = 400


@row("jpeg-decode")
def jpeg_decode(bench: Bench):
    """A 24-megapixel JPEG's bytes into pixels that are there already"""
    jpeg = inputs.photo_jpeg()
    ours = Measured("Tessera", "decode-into", jpeg)
    theirs = Measured("C loop over libjpeg-turbo", "libjpeg-decode-into", jpeg)

    def agree():
        return agreement.compare(
            agreement.pixels(ours, bench.folder / "ours"), agreement.pixels(theirs, bench.folder / "theirs"))

    return [bench.times("decoding a 24 MP JPEG", ours, theirs, goal=1.05, agreement=agree)]


@row("jpeg-previews")
def jpeg_previews(bench: Bench):
    """A 24-megapixel JPEG of ten scans that arrives in pieces, with a preview of each scan against none"""
    jpeg = inputs.progressive_jpeg()

    def comparison(name, eighths, goal):
        with_previews = Measured("Tessera, a preview per scan", "preview", jpeg, eighths, "previews")
        without = Measured("Tessera, none", "preview", jpeg, eighths, "none")

        def agree():
            return agreement.compare(
                agreement.pixels(with_previews, bench.folder / "with"),
                agreement.pixels(without, bench.folder / "without"))

        return bench.times(name, with_previews, without, goal=goal, agreement=agree)

    return [comparison("previews at 1/8", 1, 1.5), comparison("previews at full size", 8, 3)]


@row("thumbnail")
def thumbnail(bench: Bench):
    """A 24-megapixel JPEG's bytes to a picture 400 pixels wide by Lanczos-3, in process"""
    # Both decode to a quarter and filter the rest: nearly all of it is libjpeg-turbo's entropy decoding on one processor.
    jpeg = inputs.photo_jpeg()
    data = jpeg.read_bytes()
    ours = Measured("Tessera, Lanczos-3", "thumbnail", jpeg, WIDTH)
    vips = Call(
        "libvips, thumbnail_buffer().write_to_memory(), Lanczos-3",
        lambda: pyvips.Image.thumbnail_buffer(data, WIDTH).write_to_memory())

    def agree():
        pixels = agreement.pixels(ours, bench.folder / "pixels")
        rgb = numpy.frombuffer(vips.output, numpy.uint8).reshape(-1, WIDTH, 3)
        return agreement.compare(pixels[..., :3], rgb, mean_at_most=1)

    return [bench.times("thumbnail of a 24 MP JPEG, Lanczos-3", ours, vips, goal=1, agreement=agree)]


@row("thumbnail-command")
def thumbnail_command(bench: Bench):
    """The same as whole commands, file to file"""
    jpeg = inputs.photo_jpeg()
    ours_file, vips_file, magick_file = (bench.folder / name for name in ("ours.jpg", "vips.jpg", "magick.jpg"))
    ours = Command(
        "tessera convert, Lanczos-3", TESSERA, "convert", jpeg, ours_file, "--size", f"{WIDTH}x{WIDTH}", output=ours_file)
    vips = Command("vipsthumbnail, Lanczos-3", "vipsthumbnail", jpeg, "--size", WIDTH, "-o", vips_file, output=vips_file)
    magick = Command(
        "convert -thumbnail (ImageMagick), Lanczos-3", imagemagick(), "-define", f"jpeg:size={2 * WIDTH}x{2 * WIDTH}", jpeg,
        "-thumbnail", f"{WIDTH}x{WIDTH}", magick_file, output=magick_file)

    def agree():
        return agreement.compare(
            numpy.asarray(Image.open(ours_file)), numpy.asarray(Image.open(vips_file)), mean_at_most=2)

    return [bench.times("thumbnail, as a command, Lanczos-3", ours, vips, magick, goal=1, agreement=agree)]
