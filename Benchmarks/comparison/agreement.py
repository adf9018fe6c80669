"""Whether two outputs are the same picture."""

import numpy
from PIL import Image

Image.MAX_IMAGE_PIXELS = None


def pixels(measured, path):
    """The RGBA pixels that a `measure` subcommand's last run made."""
    header = measured.save(path)
    picture = numpy.fromfile(path, numpy.uint8)
    path.unlink()
    return picture.reshape(header["height"], header["width"], 4)


def rgba(source):
    """The RGBA pixels of a file, or of a Pillow image."""
    image = source if isinstance(source, Image.Image) else Image.open(source)
    return numpy.asarray(image.convert("RGBA"))


def compare(ours, theirs, mean_at_most=0.0, largest_at_most=None):
    """What to say of two pictures, and whether they agree."""
    if ours.shape != theirs.shape:
        return f"{ours.shape[1]}×{ours.shape[0]} against {theirs.shape[1]}×{theirs.shape[0]}", False
    difference = numpy.abs(ours.astype(numpy.int16) - theirs)
    mean, largest = float(difference.mean()), int(difference.max())
    if largest == 0:
        return "equal", True
    agrees = mean <= mean_at_most and (largest_at_most is None or largest <= largest_at_most)
    return f"mean difference {mean:.2f}, largest {largest}", agrees


def psnr(picture, original):
    """The peak signal-to-noise ratio of the colours, in decibels; infinite where they are equal."""
    difference = picture[..., :3].astype(numpy.float64) - original[..., :3]
    error = (difference ** 2).mean()
    return float("inf") if error == 0 else 10 * numpy.log10(255 ** 2 / error)
