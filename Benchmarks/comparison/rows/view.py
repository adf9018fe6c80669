"""The viewer in a window while a large picture loads."""

import statistics

from .. import inputs
from ..figures import Figure, Value
from ..windows import use_viewer
from . import Bench, row


@row("view")
def view(bench: Bench):
    """How long the viewer keeps its window's loop, and its memory, while a 201-megapixel picture loads and is zoomed"""
    for kind, picture in (("baseline", inputs.huge_jpeg()), ("progressive", inputs.huge_progressive_jpeg())):
        # By itself: the viewer opens a picture's neighbours too.
        folder = bench.folder / kind
        folder.mkdir()
        (folder / "huge.jpg").symlink_to(picture)
        samples = [use_viewer(folder / "huge.jpg", bench.folder) for _ in range(min(3, bench.rounds))]

        def ours(what):
            readings = [sample[what] for sample in samples]
            return Value("tessera-view", statistics.median(readings), readings)

        title = f"201 MP {kind} JPEG in a window"
        yield Figure(
            bench.name, f"{title}: 99th percentile of callbacks", "ms", ours("p99"), bound=0.008,
            agreement=f"{samples[0]['calls']} callbacks, the longest {samples[0]['longest'] * 1000:.1f} ms")
        yield Figure(bench.name, f"{title}: peak memory", "MB", ours("peak"), bound=400e6)


view.long = True
