"""JPEG against libjpeg-turbo itself, and thumbnails against libvips."""

import os

import numpy
import pyvips
from PIL import Image

from .. import agreement, inputs
from ..contenders import TESSERA, imagemagick
from . import Bench, Call, Command, Measured, row

WIDTH = 400


@row("jpeg-decode")
def jpeg_decode(bench: Bench):
    """A 24-megapixel JPEG's bytes into pixels that are there already, with 1, 2, 4 and 8 processors"""
    jpeg = inputs.photo_jpeg()
    everything = os.sched_getaffinity(0)

    def comparison(count):
        # What is started now counts the processors now.
        os.sched_setaffinity(0, set(sorted(everything)[:count]))
        try:
            ours = Measured("Tessera", "decode-into", jpeg)
            theirs = Measured("C loop over libjpeg-turbo", "libjpeg-decode-into", jpeg)
        finally:
            os.sched_setaffinity(0, everything)

        def agree():
            return agreement.compare(
                agreement.pixels(ours, bench.folder / "ours"), agreement.pixels(theirs, bench.folder / "theirs"))

        return bench.times(
            f"decoding a 24 MP JPEG, {count} processor{'s' if count > 1 else ''}", ours, theirs,
            goal=1 if count == 1 else 0.6, agreement=agree)

    return [comparison(count) for count in (1, 2, 4, 8) if count <= len(everything)]


@row("jpeg-previews")
def jpeg_previews(bench: Bench):
    """A 24-megapixel JPEG of ten scans that arrives in pieces, with a preview of each scan, against a decode without"""
    jpeg = inputs.progressive_jpeg()

    def comparison(name, eighths, goal):
        ours = Measured("Tessera, a preview per scan", "preview", jpeg, eighths, "previews")
        theirs = Measured("C loop over libjpeg-turbo, no previews", "libjpeg-decode-into", jpeg, eighths)
        buffered = Measured(
            "C loop over libjpeg-turbo, a preview per scan", "libjpeg-decode-into", jpeg, eighths, "previews")
        without = Measured("Tessera, no previews", "preview", jpeg, eighths, "none")

        def agree():
            pixels = agreement.pixels(ours, bench.folder / "ours")
            said, agrees = agreement.compare(pixels, agreement.pixels(theirs, bench.folder / "theirs"))
            same, also = agreement.compare(pixels, agreement.pixels(without, bench.folder / "theirs"))
            return f"{said}; without previews: {same}", agrees and also

        return bench.times(name, ours, theirs, buffered, without, goal=goal, agreement=agree)

    return [comparison("previews at 1/8", 1, 1.3), comparison("previews at full size", 8, 2.2)]


@row("thumbnail")
def thumbnail(bench: Bench):
    """A 24-megapixel JPEG's bytes to a picture 400, 1000 and 2000 pixels wide by Lanczos-3, in process"""
    # Both decode to a quarter, a half or all and filter the rest; entropy decoding takes most of it, by libvips on one processor.
    jpeg = inputs.photo_jpeg()
    data = jpeg.read_bytes()

    def comparison(width):
        ours = Measured("Tessera, Lanczos-3", "thumbnail", jpeg, width)
        vips = Call(
            "libvips, thumbnail_buffer().write_to_memory(), Lanczos-3",
            lambda: pyvips.Image.thumbnail_buffer(data, width).write_to_memory())

        def agree():
            pixels = agreement.pixels(ours, bench.folder / "pixels")
            rgb = numpy.frombuffer(vips.output, numpy.uint8).reshape(-1, width, 3)
            return agreement.compare(pixels[..., :3], rgb, mean_at_most=1)

        return bench.times(
            f"thumbnail of a 24 MP JPEG, {width} px, Lanczos-3", ours, vips, goal=0.6, agreement=agree)

    return [comparison(width) for width in (WIDTH, 1000, 2000)]


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
