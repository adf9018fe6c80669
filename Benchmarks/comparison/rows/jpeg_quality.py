"""JPEGs for a target: their size at equal scores of SSIMULACRA 2, and the time of one, against libjpeg-turbo."""

import io
import json
import math
import os
import subprocess
from pathlib import Path

from PIL import Image, ImageOps

from .. import agreement, inputs
from ..contenders import TESSERA
from ..figures import Figure, Value
from . import Bench, Call, Measured, row
from .jpng import loaded

SCORES = [70, 80, 90]


def pictures(folder):
    """Photographs made smaller, which takes away what JPEG did to them; without the corpus, generated ones."""
    corpus = Path(os.environ.get("TESSERA_CORPUS", "none")) / "photos"
    found = sorted(corpus.glob("*.jpg"))
    if not found:
        images = [Image.fromarray(inputs.photograph(1200, 800, seed)) for seed in (3, 5)]
    else:
        images = []
        for path in found:
            image = ImageOps.exif_transpose(Image.open(path)).convert("RGB")
            image.thumbnail((1200, 1200), Image.LANCZOS, reducing_gap=None)
            images.append(image)
    for index, image in enumerate(images):
        path = folder / f"picture-{index}.png"
        image.save(path)
        yield path, Image.open(path).convert("RGB")


def score(original, file):
    """The score of a file, which decodes by Pillow."""
    decoded = file.with_suffix(".decoded.png")
    Image.open(file).convert("RGB").save(decoded, compress_level=1)
    said = subprocess.run([TESSERA, "compare", original, decoded, "--json"], capture_output=True, check=True).stdout
    return json.loads(said)["ssimulacra2"]


def libjpeg_turbo(original, image, wanted, folder, progressive):
    """The smaller file of 4:2:0 and 4:4:4, each at the lowest quality that reaches the score; nil if none does."""
    best = None
    for subsampling in ("4:2:0", "4:4:4"):
        low, high = 0, 101
        found = None
        while high - low > 1:
            quality = (low + high) // 2
            file = folder / "theirs.jpg"
            image.save(file, quality=quality, subsampling=subsampling, progressive=progressive, optimize=progressive)
            if score(original, file) >= wanted:
                high, found = quality, file.stat().st_size
            else:
                low = quality
        if found and (best is None or found < best):
            best = found
    return best


@row("jpeg-quality")
def jpeg_quality(bench: Bench):
    """JPEGs at the lowest quality with a score of 70, 80 and 90: sizes, and the time of 24 megapixels, against libjpeg-turbo"""
    images = list(pictures(bench.folder))
    for wanted in SCORES:
        ratios, totals = {False: [], True: []}, {"ours": 0, False: 0, True: 0}
        for original, image in images:
            ours = bench.folder / "ours.jpg"
            subprocess.run(
                [TESSERA, "convert", original, ours, "--target", f"ssimulacra2={wanted}", "--force"], check=True)
            # What Pillow decodes may score a little less than what Tessera does.
            reached = score(original, ours)
            assert reached >= wanted - 0.1, f"{original} has {reached}, not {wanted}"
            sizes = {progressive: libjpeg_turbo(original, image, wanted, bench.folder, progressive) for progressive in ratios}
            if None in sizes.values():
                continue
            totals["ours"] += ours.stat().st_size
            for progressive, size in sizes.items():
                totals[progressive] += size
                ratios[progressive].append(math.log(ours.stat().st_size / size))
        means = {progressive: math.exp(sum(logs) / len(logs)) for progressive, logs in ratios.items()}
        figure = Figure(
            bench.name, f"{len(ratios[False])} JPEGs with a score of {wanted}", "kB", Value("Tessera", totals["ours"]),
            [
                Value("libjpeg-turbo", totals[False]),
                Value("libjpeg-turbo, progressive, optimised", totals[True]),
            ],
            0.85)
        figure.agreement = f"means of the ratios {means[False]:.3f} and {means[True]:.3f}"
        yield figure

    png = inputs.photo_png()
    image = loaded(png.read_bytes())
    ours = Measured("Tessera", "encode", png, "jpg", "80")

    def save(**settings):
        buffer = io.BytesIO()
        image.save(buffer, "JPEG", quality=80, **settings)
        return buffer.getvalue()

    plain = Call("Pillow, libjpeg-turbo", save)
    progressive = Call("the same, progressive, optimised", lambda: save(progressive=True, optimize=True))

    def agree():
        file = bench.folder / "encoded.jpg"
        size = ours.save(file)["bytes"]
        mine = agreement.psnr(agreement.rgba(file), agreement.rgba(image))
        theirs = agreement.psnr(agreement.rgba(Image.open(io.BytesIO(plain.output))), agreement.rgba(image))
        return f"{size / len(plain.output):.2f} of the size, {mine:.1f} dB, peer {theirs:.1f} dB", True

    yield bench.times("24 MP to a JPEG with trellis quantisation", ours, plain, progressive, goal=2, agreement=agree)


jpeg_quality.long = True
