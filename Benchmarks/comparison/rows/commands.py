"""Whole commands: how fast they start, and what memory they take."""

from pathlib import Path

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


def _smaller(bench: Bench, title, contenders, files, goal):
    """Times of commands, of which ours has a goal, and the sizes of the files that they write"""
    figure = bench.times(title, *contenders, rounds=min(3, bench.rounds), goal=goal)
    sizes = [Path(file).stat().st_size for file in files]
    values = [value(who, [size], lambda size: size) for who, size in zip(contenders, sizes)]
    return [figure, Figure(bench.name, "its size", "MB", values[0], values[1:], goal=1)]


@row("optimize-jpeg")
def optimize_jpeg(bench: Bench):
    """A 24-megapixel JPEG file with optimised tables in progressive scans, the coefficients unchanged"""
    jpeg = inputs.photo_jpeg()
    ours, theirs = bench.folder / "ours.jpg", bench.folder / "theirs.jpg"
    return _smaller(
        bench, "24 MP JPEG optimized, as a command",
        [
            Command("tessera optimize", TESSERA, "optimize", jpeg, ours, output=ours),
            Command(
                "jpegtran", "jpegtran", "-copy", "all", "-optimize", "-progressive", "-outfile", theirs, jpeg,
                output=theirs),
        ], [ours, theirs], goal=0.7)


@row("optimize-png")
def optimize_png(bench: Bench):
    """A cut-out as a PNG file, compressed as far as it goes"""
    png = inputs.cutout_png()
    files = [bench.folder / f"{name}.png" for name in ["ours", "optipng", "zopflipng", "pngcrush"]]
    ours, optipng, zopflipng, pngcrush = files
    return _smaller(
        bench, "PNG optimized, as a command",
        [
            Command("tessera optimize", TESSERA, "optimize", png, ours, output=ours),
            Command("optipng -o5", "optipng", "-quiet", "-o5", "-out", optipng, png, output=optipng),
            Command("zopflipng", "zopflipng", "-y", png, zopflipng, output=zopflipng),
            Command("pngcrush", "pngcrush", "-q", png, pngcrush, output=pngcrush),
        ], files, goal=1)


@row("info-command")
def info_command(bench: Bench):
    """The headers of 3,000 JPEG files: format and size of each, as a command"""
    photo = inputs.small_photo_jpeg().read_bytes()
    folder = bench.folder / "photos"
    folder.mkdir()
    for number in range(3000):
        (folder / f"{number}.jpg").write_bytes(photo)
    files = sorted(folder.iterdir())
    return [
        bench.times(
            "headers of 3,000 JPEGs, as a command",
            Command("tessera info", TESSERA, "info", *files),
            Command("identify -ping", "identify", "-ping", *files),
            rounds=min(3, bench.rounds), goal=1)
    ]
