"""The inputs: made here from fixed seeds, so that everyone measures the same bytes. Kept in Benchmarks/.cache."""

import os
import subprocess
from pathlib import Path

import numpy
from PIL import Image

CACHE = Path(__file__).resolve().parent.parent / ".cache"

# Part of each file's name: a change of recipe makes new files.
RECIPE = 2


def cached(name, make):
    """The file of that name, made by `make(path)` where it isn't there yet; it appears whole or not at all."""
    CACHE.mkdir(exist_ok=True)
    stem, ending = name.rsplit(".", 1)
    path = CACHE / f"{stem}-{RECIPE}.{ending}"
    if not path.exists():
        partial = CACHE / f"partial-{os.getpid()}.{ending}"
        try:
            make(partial)
            partial.rename(path)
        finally:
            partial.unlink(missing_ok=True)
    return path


def field(rng, width, height, roughness):
    """A smooth random surface in -1…1 with a photograph's spectrum: octaves, each finer one weaker."""
    total = numpy.zeros((height, width), numpy.float32)
    cells, weight, sum_of_weights = 3, 1.0, 0.0
    while cells < max(width, height) // 4:
        rows = max(2, round(cells * height / width))
        grid = Image.fromarray(rng.uniform(-1, 1, (rows, cells)).astype(numpy.float32))
        total += weight * numpy.asarray(grid.resize((width, height), Image.Resampling.BICUBIC))
        sum_of_weights += weight
        cells, weight = cells * 2, weight * roughness
    return total / sum_of_weights


def photograph(width, height, seed):
    """RGB bytes like a photograph's: soft shading, a few hard-edged shapes, texture, and a sensor's noise, which is the
    same on every channel."""
    rng = numpy.random.default_rng(seed)
    shade = field(rng, width, height, 0.55)
    warm = field(rng, width, height, 0.4)
    green = field(rng, width, height, 0.4)
    y, x = numpy.ogrid[0:height, 0:width]
    for _ in range(24):
        centre_x, centre_y = rng.uniform(0, width), rng.uniform(0, height)
        radius = rng.uniform(0.02, 0.12) * width
        angle, stretch = rng.uniform(0, numpy.pi), rng.uniform(0.3, 1)
        u = (x - centre_x) * numpy.cos(angle) + (y - centre_y) * numpy.sin(angle)
        v = (y - centre_y) * numpy.cos(angle) - (x - centre_x) * numpy.sin(angle)
        inside = u * u + (v / stretch) ** 2 < radius * radius
        shade[inside] += numpy.float32(rng.uniform(-0.5, 0.5))
        warm[inside] += numpy.float32(rng.uniform(-0.5, 0.5))
    noise = rng.standard_normal((height, width), numpy.float32) * numpy.float32(2.5)
    light = 128 + 110 * shade + noise
    picture = numpy.empty((height, width, 3), numpy.uint8)
    for channel, colour in enumerate((55 * warm, 30 * green, -55 * warm + 10 * green)):
        picture[..., channel] = numpy.clip(numpy.rint(light + colour), 0, 255)
    return picture


def photo_jpeg():
    """24 megapixels, 6000 × 4000, baseline 4:2:0 at quality 94, some 1.7 bits a pixel as cameras write."""
    return cached("photo-24mp.jpg", lambda path: Image.fromarray(photograph(6000, 4000, 1)).save(path, quality=94))


def large_jp2():
    """100 megapixels, 12288 × 8192, a part of the 201-megapixel JPEG: lossy in tiles of 1024, as OpenJPEG's program writes a master."""

    def make(path):
        import pyvips

        pixels = path.with_suffix(".tif")
        pyvips.Image.new_from_file(str(huge_jpeg())).crop(0, 0, 12288, 8192).write_to_file(str(pixels))
        subprocess.run(
            ["opj_compress", "-i", pixels, "-o", path, "-I", "-r", "10", "-t", "1024,1024", "-p", "RPCL", "-n", "6",
             "-threads", "ALL_CPUS"], check=True, stdout=subprocess.DEVNULL)
        pixels.unlink()

    return cached("large-100mp.jp2", make)


def bright_jpeg():
    """12 megapixels, 4000 × 3000: a photograph with highlights up to four times white, as libvips writes it with a gain map."""

    def make(path):
        import pyvips

        stored = pyvips.Image.new_from_array(photograph(4000, 3000, 3)).copy(interpretation="srgb")
        light = stored.colourspace("scrgb")
        # Bright light is made brighter, the darker half stays.
        factor = (light - 0.5).abs() + light - 0.5
        (light * (factor * 3 + 1)).cast("float").copy(interpretation="scrgb").uhdrsave(str(path), Q=90)

    return cached("bright-12mp.jpg", make)


def deep_ppm():
    """The 12-megapixel photograph with 16 bits a channel, as a raw PPM."""

    def make(path):
        pixels = photograph(4000, 3000, 3).astype(numpy.uint16) * 257
        path.write_bytes(b"P6\n4000 3000\n65535\n" + pixels.astype(">u2").tobytes())

    return cached("photo-12mp-deep.ppm", make)


def float_vips():
    """The same as floats from 0 to 1, in libvips' own raw format."""

    def make(path):
        import pyvips

        pyvips.Image.new_from_array(photograph(4000, 3000, 3).astype(numpy.float32) / 255).write_to_file(str(path))

    return cached("photo-12mp.v", make)


def small_photo_jpeg():
    """3 megapixels, 2048 × 1536, baseline 4:2:0 at quality 90."""
    return cached("photo-3mp.jpg", lambda path: Image.fromarray(photograph(2048, 1536, 2)).save(path, quality=90))


def progressive_jpeg():
    """The 24-megapixel JPEG's pixels in the ten scans of libjpeg's progressive script, at quality 85."""
    return cached(
        "photo-24mp-progressive.jpg",
        lambda path: Image.open(photo_jpeg()).save(path, quality=85, progressive=True))


def photo_png():
    """The 24-megapixel JPEG's pixels, as Pillow writes them at its default."""
    return cached("photo-24mp.png", lambda path: Image.open(photo_jpeg()).save(path))


def cutout_png():
    """6 megapixels, 3000 × 2000: a photograph in an elliptical cut-out whose alpha ramps over 15 % of the radius, with
    nothing left under full transparency, as Pillow writes it at its default."""

    def make(path):
        width, height = 3000, 2000
        y, x = numpy.ogrid[0:height, 0:width]
        radius = numpy.hypot((x + 0.5) / (width / 2) - 1, (y + 0.5) / (height / 2) - 1)
        alpha = numpy.rint(numpy.clip((1 - radius) / 0.15, 0, 1) * 255).astype(numpy.uint8)
        colour = photograph(width, height, 2)
        colour[alpha == 0] = 0
        Image.fromarray(numpy.dstack([colour, alpha])).save(path)

    return cached("cutout-6mp.png", make)


def huge_jpeg():
    """201 megapixels, 16384 × 12288, baseline 4:2:0: the 24-megapixel photograph repeated."""

    def make(path):
        import pyvips

        photo = pyvips.Image.new_from_file(str(photo_jpeg()))
        photo.replicate(3, 4).crop(0, 0, 16384, 12288).jpegsave(str(path), Q=90, subsample_mode="on")

    return cached("huge-201mp.jpg", make)


def huge_progressive_jpeg():
    """The 201-megapixel JPEG's coefficients in the scans of libjpeg's progressive script."""
    return cached(
        "huge-201mp-progressive.jpg",
        lambda path: subprocess.run(
            ["jpegtran", "-progressive", "-outfile", str(path), str(huge_jpeg())], check=True))
