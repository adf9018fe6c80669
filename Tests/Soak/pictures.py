"""The pictures that are served and loaded: every format that is written, small and large, some of them animations."""

import pathlib
import struct
import subprocess
import zlib


def animation(frame_count=6, width=64, height=48):
    """An animated PNG (APNG 1.0): a bar that moves."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    data += chunk(b"acTL", struct.pack(">II", frame_count, 0))
    number = 0
    for frame in range(frame_count):
        row = b"".join(
            b"\xc0\x30\x20" if x // 8 == frame else bytes((x * 3, 80, 160)) for x in range(width))
        pixels = zlib.compress((b"\0" + row) * height)
        data += chunk(b"fcTL", struct.pack(">IIIIIHHBB", number, width, height, 0, 0, 1, 10, 0, 0))
        number += 1
        if frame == 0:
            data += chunk(b"IDAT", pixels)
        else:
            data += chunk(b"fdAT", struct.pack(">I", number) + pixels)
            number += 1
    return data + chunk(b"IEND", b"")


DRAWING = """<svg xmlns="http://www.w3.org/2000/svg" width="120" height="90"><rect width="120" height="90" fill="#246"/>
<circle cx="60" cy="45" r="30" fill="#c83"/><text x="10" y="80" font-size="12" fill="#fff">Tessera</text></svg>
"""


def make(tessera, folder):
    """Fills two folders below `folder`: `small` with pictures of all formats, `large` with such as have tiles."""
    folder = pathlib.Path(folder)
    small, large = folder / "small", folder / "large"
    small.mkdir()
    large.mkdir()

    def run(*arguments):
        subprocess.run([tessera, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)

    run("demo", "--output-dir", folder / "samples")
    valley, fruit = folder / "samples/valley.png", folder / "samples/fruit.png"
    for name in ("jpg", "png", "jpng", "gif", "webp", "tif", "heic", "avif", "jxl", "bmp", "ico", "xbm"):
        size = "200x200" if name in ("ico", "avif", "heic") else "400x300"
        run("convert", fruit if name in ("jpng", "png", "webp", "ico") else valley, small / f"picture.{name}",
            "--size", size)
    (small / "drawing.svg").write_text(DRAWING)
    (small / "animation.png").write_bytes(animation())
    for name in ("gif", "webp"):
        run("convert", small / "animation.png", small / f"animation.{name}")
    run("convert", folder / "samples/cutout.png", large / "baseline.jpg", "--size", "2400x1800")
    run("convert", valley, large / "rows.png")
    run("convert", folder / "samples/feather.png", large / "cutout.jpng")
    run("tile", valley, large / "tiled.tif")
    run("tile", valley, large / "packed.pyramid")
    return small, large
