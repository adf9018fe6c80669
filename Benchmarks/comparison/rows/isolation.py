"""What it costs to decode in a process that can do no harm."""

import os

from .. import agreement, inputs
from ..contenders import TESSERA
from . import Bench, Command, Measured, row


@row("isolation")
def isolation(bench: Bench):
    """Pictures decoded by a worker, one that is there already and one that is started for it, against none"""
    os.environ["TESSERA_DECODE_WORKER"] = str(TESSERA.parent / "tessera-decode")

    def comparison(title, file, side):
        isolated = Measured("in a worker", "isolated", file, side)
        here = Measured("in the same process", "isolated", file, side, "here")

        def agree():
            return agreement.compare(
                agreement.pixels(isolated, bench.folder / "isolated"), agreement.pixels(here, bench.folder / "here"))

        return bench.times(title, isolated, here, agreement=agree)

    jpeg, png = inputs.small_photo_jpeg(), inputs.photo_png()
    output = bench.folder / "small.jpg"
    return [
        comparison("thumbnail of a 3 MP JPEG, 400 pixels", jpeg, 400),
        comparison("decoding a 24 MP PNG", png, 0),
        bench.times(
            "thumbnail of a 3 MP JPEG, as a command",
            Command("tessera convert --isolate", TESSERA, "convert", jpeg, output, "--size", "400x400", "--isolate",
                    output=output),
            Command("tessera convert", TESSERA, "convert", jpeg, output, "--size", "400x400", output=output)),
    ]
