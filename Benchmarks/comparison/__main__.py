"""Benchmarks/compare: measures the rows that are asked for, and prints them."""

import argparse
import importlib.metadata as metadata
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

from .contenders import imagemagick
from .figures import table


def first_line(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0].strip()


def rust_library(package, name):
    """The version of a Rust library in a package from PyPI, from the package's bill of materials."""
    for path in metadata.files(package):
        if path.name.endswith(".cyclonedx.json"):
            for component in json.loads(path.read_text())["components"]:
                if component["name"] == name:
                    return component["version"]
    return "of unknown version"


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def surroundings():
    """The machine and the peers' versions; refuses a libvips that isn't the one that was asked for."""
    import diskcache
    import numpy
    import PIL
    import pillow_heif
    import pyvips
    from PIL import _avif, features

    libvips = ".".join(str(pyvips.version(part)) for part in range(3))
    if not libvips.startswith("8.18."):
        sys.exit(f"pyvips is bound to libvips {libvips}, not 8.18: remove Benchmarks/.venv and run again")
    pyvips.cache_set_max(0)
    heif = pillow_heif.libheif_info()
    return {
        "machine": f"{processor()}, {os.cpu_count()} cores",
        "swift": first_line("swift", "--version"),
        "libvips in process": libvips,
        "Pillow": f"{PIL.__version__} (libjpeg-turbo {features.version('libjpeg_turbo')}, "
        f"zlib-ng {features.version('zlib_ng')})",
        "Pillow's other libraries": f"libwebp {features.version('webp')}, libavif {features.version('avif')} with "
        f"{_avif.codec_versions()}, OpenJPEG {features.version('jpg_2000')}, libtiff {features.version('libtiff')}",
        "pillow_heif": f"{pillow_heif.__version__}, libheif {pillow_heif.libheif_version()} with "
        f"{heif['decoders'].get('libde265', 'another decoder')} and {heif['encoders'].get('x265', 'another encoder')}",
        "pillow_jxl": f"{metadata.version('pillow-jxl-plugin')}, libjxl {rust_library('pillow-jxl-plugin', 'jpegxl-src')}",
        "wuffs": f"in pywuffs {metadata.version('pywuffs')}",
        "image-png": f"{rust_library('kornia-rs', 'png')}, in kornia-rs {metadata.version('kornia-rs')}",
        "numpy": numpy.__version__,
        "diskcache": diskcache.__version__,
        "vipsthumbnail": first_line("vipsthumbnail", "--version"),
        "ImageMagick": first_line(imagemagick(), "--version").removeprefix("Version: "),
        "libjpeg-turbo": first_line("pkg-config", "--modversion", "libjpeg"),
    }


def main():
    parser = argparse.ArgumentParser(prog="Benchmarks/compare", description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="rows to measure; all without")
    parser.add_argument("--list", action="store_true", help="print the rows' names and end")
    parser.add_argument("--quick", action="store_true", help="three rounds, and no 201-megapixel picture")
    parser.add_argument("--json", metavar="FILE", help="also write everything to FILE")
    parser.add_argument("--check", action="store_true", help="exit 1 if a goal is missed or outputs disagree")
    options = parser.parse_args()

    from . import rows

    known = rows.load()
    if options.list:
        for name, function in known.items():
            print(f"{name:20} {function.__doc__.strip().splitlines()[0]}")
        return
    unknown = [name for name in options.rows if name not in known]
    if unknown:
        sys.exit(f"no such row: {', '.join(unknown)}; there are {', '.join(known)}")

    around = surroundings()
    for what, version in around.items():
        print(f"{what}: {version}")
    figures, broken = [], []
    with tempfile.TemporaryDirectory() as folder:
        for name in options.rows or known:
            if options.quick and not options.rows and getattr(known[name], "long", False):
                continue
            print(f"measuring {name} ...", file=sys.stderr)
            own = Path(folder) / name
            own.mkdir()
            bench = rows.Bench(name, 3 if options.quick else 9, own)
            try:
                figures += list(known[name](bench))
            except Exception as error:  # One broken row must not cost the others' figures.
                broken.append(name)
                print(f"{name}: {error}", file=sys.stderr)
    print()
    print(table(figures))
    if options.json:
        report = {"surroundings": around, "figures": [figure.as_json() for figure in figures], "broken": broken}
        Path(options.json).write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n")
    if broken or any(not figure.agrees for figure in figures):
        sys.exit(1)
    if options.check and not all(figure.holds for figure in figures):
        sys.exit(1)


main()
