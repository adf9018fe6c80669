"""Compares tiles with Pillow's decoding of whole pictures: compare_tiles.py LIST, a JSON list of [picture, tile, x, y, margin].

A tile's pixels must be the picture's at x, y, but for `margin` pixels at its edges inside the picture, whose colours depend on
what is beside.
"""

import json
import sys

import numpy
from PIL import Image

Image.MAX_IMAGE_PIXELS = None
wholes, failures = {}, 0
for name, tile, x, y, margin in json.load(open(sys.argv[1])):
    if name not in wholes:
        wholes[name] = numpy.asarray(Image.open(name))
    whole, part = wholes[name], numpy.asarray(Image.open(tile))
    height, width = part.shape[:2]
    top, left = (margin if y > 0 else 0), (margin if x > 0 else 0)
    bottom = height - (margin if y + height < whole.shape[0] else 0)
    right = width - (margin if x + width < whole.shape[1] else 0)
    expected = whole[y + top : y + bottom, x + left : x + right]
    found = part[top:bottom, left:right]
    if found.shape != expected.shape or not numpy.array_equal(found, expected):
        failures += 1
        count = "size" if found.shape != expected.shape else int((found != expected).sum())
        print(f"{tile} of {name} at {x}, {y}: {found.shape}, {expected.shape}, different: {count}")
sys.exit(1 if failures else 0)
