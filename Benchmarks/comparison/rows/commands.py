"""Whole commands: how fast they start, and what memory they take."""

from .. import inputs
from ..contenders import TESSERA, imagemagick
from ..figures import Figure, value
from . import Bench, Command, row


@row("start-up")
def start_up(bench: Bench):
    """The commands doing nothing but saying their version"""
    return [
        bench.times(
            "start-up: --version",
            Command("tessera", TESSERA, "--version"),
            Command("vipsthumbnail", "vipsthumbnail", "--version"),
            Command("convert (ImageMagick)", imagemagick(), "--version"),
            rounds=3 * bench.rounds)
    ]


@row("convert-command")
def convert_command(bench: Bench):
    """A 24-megapixel JPEG file to a PNG file"""
    jpeg = inputs.photo_jpeg()
    ours, vips = bench.folder / "ours.png", bench.folder / "vips.png"
    return [
        bench.times(
            "24 MP JPEG to PNG, as a command",
            Command("tessera convert", TESSERA, "convert", jpeg, ours, output=ours),
            Command("vips copy", "vips", "copy", jpeg, vips, output=vips),
            rounds=min(3, bench.rounds))
    ]


@row("memory")
def memory(bench: Bench):
    """The peak of resident memory while a 201-megapixel JPEG file becomes a PNG file"""
    jpeg = inputs.huge_jpeg()
    ours, vips = bench.folder / "ours.png", bench.folder / "vips.png"
    contenders = [
        Command("tessera convert", TESSERA, "convert", jpeg, ours, output=ours),
        Command("vips copy", "vips", "copy", jpeg, vips, output=vips),
    ]
    samples = [[contender.run()] for contender in contenders]
    for contender in contenders:
        contender.close()
    peaks = [value(who, them, lambda sample: sample.peak_bytes) for who, them in zip(contenders, samples)]
    times = [value(who, them, lambda sample: sample.seconds) for who, them in zip(contenders, samples)]
    return [
        Figure(bench.name, "peak memory, 201 MP JPEG to PNG", "MB", peaks[0], peaks[1:], bound=100e6),
        Figure(bench.name, "its time", "ms", times[0], times[1:]),
    ]


memory.long = True
