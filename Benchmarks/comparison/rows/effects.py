"""Effects on 6 megapixels of RGBA that are in memory already, against libvips, Pillow and ImageMagick.

Tessera, libvips and Pillow work on premultiplied bytes, ImageMagick on its own pixels. Everyone makes a new picture;
nothing is done in place. Each figure is taken with all processors and with one.
"""

import json
import math
import os
import statistics

import numpy
import pyvips
from PIL import Image, ImageChops, ImageDraw, ImageFilter

from .. import agreement, inputs
from ..figures import Figure, Value
from . import Bench, Call, Measured, row

WIDTH, HEIGHT = 3000, 2000
RADIUS, BLUR = 200, 20


def premultiplied():
    """The cut-out's premultiplied bytes, height × width × 4."""
    return numpy.array(Image.open(inputs.cutout_png()).convert("RGBa"))


def mask():
    """A grey picture of the same size: a vignette."""

    def make(path):
        y, x = numpy.ogrid[0:HEIGHT, 0:WIDTH]
        distance = numpy.hypot((x + 0.5) / (WIDTH / 2) - 1, (y + 0.5) / (HEIGHT / 2) - 1)
        Image.fromarray(numpy.rint(numpy.clip(1.3 - distance, 0, 1) * 255).astype(numpy.uint8)).save(path)

    return inputs.cached("mask-6mp.png", make)


def as_vips(pixels):
    return pyvips.Image.new_from_memory(
        pixels.tobytes(), pixels.shape[1], pixels.shape[0], pixels.shape[2], "uchar").copy(interpretation="srgb")


def as_magick(path):
    """The file's pixels as ImageMagick holds them, for clones to be worked on."""
    # Wand fails where ImageMagick's library is missing: other rows do without.
    from wand.image import Image as Magick

    return Magick(filename=str(path))


class Peers:
    """The cut-out as each peer has it."""

    def __init__(self):
        pixels = premultiplied()
        self.vips = as_vips(pixels)
        self.pillow = Image.frombuffer("RGBa", (WIDTH, HEIGHT), pixels.tobytes(), "raw", "RGBa", 0, 1)
        self.magick = as_magick(inputs.cutout_png())
        self.mask = numpy.array(Image.open(mask()))

    def magick_call(self, name, change):
        def run():
            copy = self.magick.clone()
            change(copy)
            return copy

        return Call(f"ImageMagick, {name}", run)


def vips_bytes(image):
    # The bytes are computed here; until then libvips has only a plan.
    memory = image.write_to_memory()
    return numpy.frombuffer(memory, numpy.uint8).reshape(image.height, image.width, image.bands)


def fit(peers):
    size = (1024, round(1024 * HEIGHT / WIDTH))
    return (
        [{"scaleToFit": {"width": 1024, "height": 1024}}], "bicubic",
        Call("libvips, resize(kernel=cubic)",
             lambda: vips_bytes(peers.vips.resize(1024 / WIDTH, vscale=size[1] / HEIGHT, kernel="cubic"))),
        Call("Pillow, resize(BICUBIC)", lambda: peers.pillow.resize(size, Image.Resampling.BICUBIC)),
        peers.magick_call("resize(filter='catrom')", lambda image: image.resize(*size, filter="catrom")),
    )


def blur(sigma):
    def calls(peers):
        calls = [
            [{"blur": {"radius": sigma}}], "automatic",
            Call(f"libvips, gaussblur({sigma})", lambda: vips_bytes(peers.vips.gaussblur(sigma))),
            Call(f"Pillow, GaussianBlur({sigma})", lambda: peers.pillow.filter(ImageFilter.GaussianBlur(sigma))),
        ]
        # At 50 ImageMagick takes most of a minute.
        if sigma < 10:
            calls.append(
                peers.magick_call(f"blur(sigma={sigma})", lambda image: image.blur(radius=0, sigma=sigma)))
        return calls

    return calls


def shadow(peers):
    """Offset (0, 4), blur 20 (a standard deviation of 10), half black."""
    across, down = BLUR, BLUR + 4
    canvas = (WIDTH + 2 * across, HEIGHT + 2 * down)

    def vips():
        alpha = peers.vips[3].embed(across, down + 4, *canvas).gaussblur(BLUR / 2)
        black = alpha.linear(0.5, 0, uchar=True)
        none = pyvips.Image.black(*canvas)
        layer = none.bandjoin([none, none, black]).copy(interpretation="srgb")
        return vips_bytes(
            layer.composite2(peers.vips, "over", x=across, y=down, premultiplied=True).cast("uchar"))

    def pillow():
        alpha = Image.new("L", canvas)
        alpha.paste(peers.pillow.getchannel("a"), (across, down + 4))
        alpha = alpha.filter(ImageFilter.GaussianBlur(BLUR / 2)).point(lambda value: value / 2)
        layer = Image.new("RGBA", canvas)
        layer.putalpha(alpha)
        layer.alpha_composite(peers.pillow.convert("RGBA"), (across, down))
        return layer.convert("RGBa")

    return (
        [{"shadow": {"color": "#00000080", "x": 0, "y": 4, "blur": BLUR}}], "automatic",
        Call("libvips, gaussblur(10), composite2", vips),
        Call("Pillow, GaussianBlur(10), alpha_composite", pillow),
    )


def reflection(peers):
    """Half the height, a gap of 10, a quarter strong."""
    rows, gap = HEIGHT // 2, 10
    canvas = (WIDTH, HEIGHT + 2 * (rows + gap))
    ramp = numpy.repeat(
        ((1 - (numpy.arange(rows) + 0.5) / rows) * 0.25).astype(numpy.float32)[:, None], WIDTH, axis=1)

    def vips():
        scale = pyvips.Image.new_from_array([[(1 - (y + 0.5) / rows) * 0.25] for y in range(rows)])
        mirrored = peers.vips.crop(0, HEIGHT - rows, WIDTH, rows).flipver()
        faded = (mirrored * scale.resize(WIDTH, vscale=1, kernel="nearest")).rint().cast("uchar")
        page = peers.vips.embed(0, rows + gap, *canvas)
        return vips_bytes(page.insert(faded, 0, rows + HEIGHT + 2 * gap))

    def pillow():
        page = Image.new("RGBa", canvas)
        page.paste(peers.pillow, (0, rows + gap))
        mirrored = peers.pillow.crop((0, HEIGHT - rows, WIDTH, HEIGHT)).transpose(Image.Transpose.FLIP_TOP_BOTTOM)
        scale = Image.fromarray(numpy.rint(ramp * 255).astype(numpy.uint8))
        faded = Image.merge("RGBa", [ImageChops.multiply(band, scale) for band in mirrored.split()])
        page.paste(faded, (0, rows + HEIGHT + 2 * gap))
        return page

    return (
        [{"reflection": {"scale": 0.5, "gap": gap, "alpha": 0.25}}], "automatic",
        Call("libvips, flipver, multiply, embed, insert", vips),
        Call("Pillow, transpose, multiply, paste", pillow),
    )


def corners(peers):
    svg = (f'<svg width="{WIDTH}" height="{HEIGHT}"><rect width="{WIDTH}" height="{HEIGHT}" rx="{RADIUS}" '
           'fill="white"/></svg>').encode()

    def vips():
        shape = pyvips.Image.svgload_buffer(svg)[3]
        return vips_bytes((peers.vips * (shape / 255)).rint().cast("uchar"))

    def pillow():
        shape = Image.new("L", (WIDTH, HEIGHT))
        ImageDraw.Draw(shape).rounded_rectangle((0, 0, WIDTH - 1, HEIGHT - 1), RADIUS, 255)
        return Image.merge("RGBa", [ImageChops.multiply(band, shape) for band in peers.pillow.split()])

    return (
        [{"cornerRadius": {"radius": RADIUS}}], "automatic",
        Call("libvips, svgload of the shape, multiply", vips),
        Call("Pillow, rounded_rectangle (not antialiased), multiply", pillow),
    )


def masking(peers):
    vips_mask = as_vips(peers.mask[..., None])
    pillow_mask = Image.fromarray(peers.mask)
    return (
        [{"mask": {"picture": str(mask())}}], "automatic",
        Call("libvips, multiply",
             lambda: vips_bytes((peers.vips * vips_mask / 255).rint().cast("uchar"))),
        Call("Pillow, multiply",
             lambda: Image.merge("RGBa", [ImageChops.multiply(band, pillow_mask) for band in peers.pillow.split()])),
    )


def rotation(peers):
    sine, cosine = math.sin(math.radians(7)), math.cos(math.radians(7))

    def rotate(image):
        image.virtual_pixel = "transparent"
        image.distort("scale_rotate_translate", (7,))

    return (
        [{"rotate": {"degrees": 7}}], "bicubic",
        Call("libvips, affine(7°, bicubic)",
             lambda: vips_bytes(peers.vips.affine(
                 [cosine, -sine, sine, cosine], interpolate=pyvips.Interpolate.new("bicubic"), premultiplied=True))),
        Call("Pillow, rotate(-7, BICUBIC, expand)",
             lambda: peers.pillow.rotate(-7, Image.Resampling.BICUBIC, expand=True)),
        peers.magick_call("distort('scale_rotate_translate', 7)", rotate),
    )


EFFECTS = {
    "fit to 1024": fit, "blur of radius 3": blur(3), "blur of radius 50": blur(50), "shadow with blur 20": shadow,
    "reflection": reflection, "corner radius": corners, "masking": masking, "rotation by 7°": rotation,
}

# What the first peer's picture may differ by on average: blurs and rotations are computed in different ways and libvips
# cuts its Gaussian's tails off; canvases of turned pictures differ by a pixel.
TOLERANCE = 1.5


@row("effects")
def effects(bench: Bench):
    """Effects on 6 megapixels of RGBA in memory, with all processors and with one"""
    from wand.resource import limits

    peers = Peers()
    everything = os.sched_getaffinity(0)
    for title, make in EFFECTS.items():
        recipe, filter, *calls = make(peers)
        for processors in (everything, {min(everything)}):
            # Processes that are started and threads that are made take this over.
            os.sched_setaffinity(0, processors)
            threads = len(processors)
            pyvips.concurrency_set(threads)
            limits["thread"] = threads
            try:
                ours = Measured("Tessera", "effect", inputs.cutout_png(), json.dumps(recipe), filter)

                def agree(ours=ours, theirs=calls[0]):
                    picture = agreement.pixels(ours, bench.folder / "pixels")
                    peer = numpy.asarray(theirs.output)
                    height, width = (min(a, b) for a, b in zip(picture.shape[:2], peer.shape[:2]))
                    if max(abs(a - b) for a, b in zip(picture.shape[:2], peer.shape[:2])) > 2:
                        return f"{picture.shape} against {peer.shape}", False
                    return agreement.compare(
                        middle(picture, height, width), middle(peer, height, width), mean_at_most=TOLERANCE)

                yield bench.times(
                    f"{title}, {threads} thread{'s' if threads > 1 else ''}", ours, *calls, agreement=agree,
                    rounds=min(5, bench.rounds))
            finally:
                os.sched_setaffinity(0, everything)


def middle(pixels, height, width):
    top, left = (pixels.shape[0] - height) // 2, (pixels.shape[1] - width) // 2
    return pixels[top:top + height, left:left + width]


@row("effects-memory")
def effects_memory(bench: Bench):
    """The peak of memory that effects take, input and output included, against input and output alone"""
    peers = Peers()
    for title, make in EFFECTS.items():
        recipe, filter, *_ = make(peers)
        ours = Measured("Tessera", "effect", inputs.cutout_png(), json.dumps(recipe), filter, "memory")
        peak = statistics.median(ours.run().peak_bytes for _ in range(bench.rounds))
        result = agreement.pixels(ours, bench.folder / "pixels")
        ours.close()
        yield Figure(
            bench.name, f"memory of {title}", "MB", Value("Tessera", peak),
            [Value("input and output", WIDTH * HEIGHT * 4 + result.size)], goal=2.5)
