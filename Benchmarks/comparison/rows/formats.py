"""Every other format against Pillow and libvips: decoding, encoding, and the memory that a thumbnail takes."""

import io

import pillow_heif
import pillow_jxl  # noqa: F401, registers itself
import pyvips
from PIL import Image

from .. import agreement, inputs
from ..contenders import TESSERA
from ..figures import Figure, Value, alternating, value
from . import Bench, Call, Command, LibraryAlone, Measured, row
from .jpng import loaded

pillow_heif.register_heif_opener()

WIDTH, HEIGHT = 3000, 2000

# Pillow's settings for the inputs, and what our defaults (quality 0.8) correspond to when encoding.
SETTINGS = {
    "gif": {},
    "bmp": {},
    "webp": {"quality": 80, "method": 4},
    "tiff": {"compression": "tiff_lzw"},
    "heic": {"quality": 80},
    "avif": {"quality": 80, "speed": 6},
    "jxl": {"quality": 80, "effort": 7},
    "jp2": {"irreversible": True, "quality_mode": "dB", "quality_layers": [42]},
}

# TIFFs are stored in more ways than the one above.
TIFF_COMPRESSIONS = {"uncompressed": "raw", "PackBits": "packbits", "Deflate": "tiff_adobe_deflate"}

# What libvips from PyPI has no loader for, and what Debian's vipsthumbnail has none for either.
WITHOUT_VIPS = {"bmp", "heic", "jxl", "jp2"}
WITHOUT_VIPSTHUMBNAIL = WITHOUT_VIPS | {"avif"}


# Debian's libraries, which Tessera links, are older than those in Pillow's wheels.
ALONE = {"webp", "heic", "avif", "jxl"}
ALONE_ENCODING = {"webp", "heic"}


def photograph():
    return inputs.cached(
        "photo-6mp.png", lambda path: Image.fromarray(inputs.photograph(WIDTH, HEIGHT, 3)).save(path))


def photograph_as(ending):
    return inputs.cached(
        f"photo-6mp.{ending}", lambda path: Image.open(photograph()).save(path, **SETTINGS[ending]))


def photograph_as_tiff(compression):
    return inputs.cached(
        f"photo-6mp-{compression}.tiff", lambda path: Image.open(photograph()).save(path, compression=compression))


def photograph_as_pixels():
    """RGBA rows after a line with the size, for `library-alone`."""

    def make(path):
        image = Image.open(photograph()).convert("RGBA")
        path.write_bytes(f"{image.width} {image.height}\n".encode() + image.tobytes())

    return inputs.cached("photo-6mp.rgba", make)


def speed(seconds):
    return f"{WIDTH * HEIGHT / 1e6 / seconds:.1f} Mpx/s"


@row("formats-decode")
def decode(bench: Bench):
    """6 megapixels of each other format to new pixels"""
    files = [(ending, ending, photograph_as(ending)) for ending in SETTINGS]
    files += [(f"tiff, {name}", "tiff", photograph_as_tiff(value)) for name, value in TIFF_COMPRESSIONS.items()]
    for title, ending, path in files:
        data = path.read_bytes()
        ours = Measured("Tessera", "decode", path)
        pillow = Call("Pillow, Image.open().load()", lambda data=data: loaded(data))
        kept = Call("Pillow, with the last image's memory", lambda data=data: loaded(data), keeps_memory=True)
        peers = [pillow, kept]
        if ending not in WITHOUT_VIPS:
            peers.append(
                Call("libvips, new_from_buffer().write_to_memory()",
                     lambda data=data: pyvips.Image.new_from_buffer(data, "").write_to_memory()))
        alone = LibraryAlone("decode", ending, path) if ending in ALONE else None

        def agree(ours=ours, pillow=pillow, alone=alone):
            # Decoders may differ in how they spread colour differences over pixels.
            pixels = agreement.pixels(ours, bench.folder / "pixels")
            said, agrees = agreement.compare(pixels, agreement.rgba(pillow.output), mean_at_most=1)
            if alone:
                text, same = agreement.compare(
                    pixels, agreement.pixels(alone, bench.folder / "pixels"), mean_at_most=1)
                said, agrees = f"{said}; the library alone: {text}", agrees and same
            return said, agrees

        figure = bench.times(
            f"decoding 6 MP of {title}", ours, *peers, alone=alone, goal=0.9, agreement=agree,
            rounds=min(5, bench.rounds))
        figure.agreement += f"; {speed(figure.ours.median)}"
        yield figure


@row("formats-encode")
def encode(bench: Bench):
    """6 megapixels to each other format at default settings, quality 0.8: time and size"""
    png = photograph()
    image = loaded(png.read_bytes())
    files = [(ending, ending, ()) for ending in SETTINGS]
    # Pillow doesn't dither.
    files.insert(1, ("gif, not dithered", "gif", ("no-dither",)))
    for title, ending, options in files:
        settings = SETTINGS[ending]
        ours = Measured("Tessera", "encode", png, ending, *options)

        def save(ending=ending, settings=settings):
            buffer = io.BytesIO()
            image.save(buffer, {"jxl": "JXL", "heic": "HEIF", "jp2": "JPEG2000"}.get(ending, ending.upper()), **settings)
            return buffer.getvalue()

        pillow = Call("Pillow, Image.save()", save)
        alone = LibraryAlone("encode", ending, photograph_as_pixels()) if ending in ALONE_ENCODING else None
        sizes = {}

        def agree(ours=ours, pillow=pillow, alone=alone, ending=ending, sizes=sizes):
            file = bench.folder / f"encoded.{ending}"
            sizes["ours"], sizes["theirs"] = ours.save(file)["bytes"], len(pillow.output)
            original = agreement.rgba(image)
            mine = agreement.psnr(agreement.rgba(file), original)
            theirs = agreement.psnr(agreement.rgba(Image.open(io.BytesIO(pillow.output))), original)
            said = f"{mine:.1f} dB, peer {theirs:.1f} dB"
            if alone is None:
                return said, True
            other = bench.folder / f"alone.{ending}"
            alone.save(other)
            same = file.read_bytes() == other.read_bytes()
            return f"{said}; the library alone writes {'the same file' if same else 'another file'}", same

        figure = bench.times(
            f"encoding 6 MP to {title}", ours, pillow, alone=alone, goal=0.95, agreement=agree,
            rounds=min(3, bench.rounds))
        figure.agreement += f"; {speed(figure.ours.median)}"
        yield figure
        yield Figure(
            bench.name, f"size of that {title}", "kB", Value("Tessera", sizes["ours"]),
            [Value(pillow.name, sizes["theirs"])])


@row("formats-memory")
def memory(bench: Bench):
    """The peak memory of a thumbnail command on 6 megapixels of each other format"""
    for ending in SETTINGS:
        path = photograph_as(ending)
        small, theirs = bench.folder / "small.png", bench.folder / "peer.png"
        contenders = [
            Command("tessera convert --size 400x400", TESSERA, "convert", path, small, "--size", "400x400", output=small)
        ]
        if ending not in WITHOUT_VIPSTHUMBNAIL:
            contenders.append(
                Command("vipsthumbnail", "vipsthumbnail", path, "-s", "400", "-o", theirs, output=theirs))
        samples = alternating(contenders, 1)
        values = [
            value(who, them, lambda sample: sample.peak_bytes) for who, them in zip(contenders, samples)]
        for contender in contenders:
            contender.close()
        yield Figure(bench.name, f"thumbnail of 6 MP of {ending}", "MB", values[0], values[1:])


@row("jpeg2000")
def jpeg2000(bench: Bench):
    """6 megapixels of JPEG 2000 by commands: all of it, a quarter of its size, and written, against OpenJPEG's own programs"""
    path = photograph_as("jp2")
    pixels = inputs.cached("photo-6mp.ppm", lambda path: Image.open(photograph()).save(path))
    ours, theirs = bench.folder / "ours.ppm", bench.folder / "theirs.ppm"

    def same():
        return agreement.compare(agreement.rgba(ours), agreement.rgba(theirs), mean_at_most=1)

    whole = Command("tessera convert", TESSERA, "convert", path, ours, "--force", output=ours)
    peer = Command("opj_decompress -threads ALL_CPUS", "opj_decompress", "-i", path, "-o", theirs,
                   "-threads", "ALL_CPUS", output=theirs)
    yield bench.times("decoding 6 MP of JPEG 2000", whole, peer, agreement=same)
    size = f"{WIDTH // 4}x{HEIGHT // 4}"
    small = Command("tessera convert --size", TESSERA, "convert", path, ours, "--size", size, "--force", output=ours)
    reduced = Command("opj_decompress -r 2", "opj_decompress", "-i", path, "-o", theirs, "-r", "2", output=theirs)
    yield bench.times("a quarter of its size", small, reduced)
    written, packed = bench.folder / "ours.jp2", bench.folder / "theirs.jp2"
    encode = Command("tessera convert --to jp2", TESSERA, "convert", pixels, written, "--force", output=written)
    press = Command("opj_compress -q 42 -I", "opj_compress", "-i", pixels, "-o", packed, "-I", "-q", "42",
                    "-t", "1024,1024", "-threads", "ALL_CPUS", output=packed)
    yield bench.times("encoding 6 MP to JPEG 2000", encode, press)


@row("formats-tools")
def tools(bench: Bench):
    """6 megapixels of each format whose newest library isn't Debian's, decoded by commands: against the library's own program"""
    ours, theirs = bench.folder / "ours.ppm", bench.folder / "theirs.ppm"
    png, video = bench.folder / "theirs.png", bench.folder / "theirs.y4m"
    # heif-convert writes what the codec has, without converting its colours: its PNGs take longer than decoding.
    programs = {
        "webp": ("dwebp -mt", theirs, lambda path: ["dwebp", "-quiet", "-mt", path, "-ppm", "-o", theirs]),
        "jxl": ("djxl", theirs, lambda path: ["djxl", "--quiet", path, theirs]),
        "avif": ("avifdec, to stored PNG", png,
                 lambda path: ["avifdec", "--jobs", "all", "--png-compress", "0", path, png]),
        "heic": ("heif-convert, to YCbCr", video, lambda path: ["heif-convert", path, video]),
    }

    def same():
        return agreement.compare(agreement.rgba(ours), agreement.rgba(output), mean_at_most=1)

    for ending, (name, output, arguments) in programs.items():
        path = photograph_as(ending)
        command = Command("tessera convert", TESSERA, "convert", path, ours, "--force", output=ours)
        peer = Command(name, *arguments(path), output=output)
        yield bench.times(
            f"decoding 6 MP of {ending}", command, peer, goal=1, agreement=None if output == video else same,
            rounds=min(5, bench.rounds))
