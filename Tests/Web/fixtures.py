"""Makes the JPEGs that the tests of the WebAssembly module and of its pages use: fixtures.py FOLDER TESSERA."""

import io
import pathlib
import shutil
import struct
import subprocess
import sys

import numpy
from PIL import Image, ImageCms


# Progressive pictures, and the scan scripts of jpegtran for others.
SCANS = {
    "420": {"subsampling": 2}, "422": {"subsampling": 1}, "444": {"subsampling": 0}, "gray": {},
    "restart": {"subsampling": 2, "restart_marker_blocks": 7},
}
SCRIPTS = {
    "sequential": "0; 1; 2;",
    "interleaved": "0; 1 2;",
    "spectral": "0,1,2: 0-0, 0, 0; 0: 1-63, 0, 0; 1: 1-63, 0, 0; 2: 1-63, 0, 0;",
    "bits": "0: 0-0, 0, 2; 1,2: 0-0, 0, 1; 0: 1-5, 0, 3; 0: 6-63, 0, 3; 0: 1-63, 3, 2; 1: 1-63, 0, 1; 2: 1-63, 0, 1; 0: 0-0, 2, 1;"
    " 0,1,2: 0-0, 1, 0; 0: 1-63, 2, 1; 2: 1-63, 1, 0; 1: 1-63, 1, 0; 0: 1-63, 1, 0;",
}


def picture(width, height, noise=6):
    """Colours, edges and some noise, the same each time."""
    y, x = numpy.mgrid[0:height, 0:width].astype(float)
    noise = numpy.random.default_rng(26).normal(0, noise, (height, width))
    planes = [
        128 + 100 * numpy.sin(x / 37) * numpy.cos(y / 53) + noise,
        255 * x / width + 40 * ((x // 90 + y // 70) % 2) + noise,
        255 * y / height + 60 * numpy.sin((x + y) / 11),
    ]
    return Image.fromarray(numpy.clip(numpy.stack(planes, 2), 0, 255).astype(numpy.uint8))


def exif(orientation):
    return b"Exif\0\0MM\0*" + struct.pack(">IHHHIHHI", 8, 1, 0x112, 3, 1, orientation, 0, 0)


def main(folder, tessera):
    def save(name, image, **options):
        image.save(folder / name, "JPEG", quality=85, **options)

    image = picture(1000, 700)
    save("420.jpg", image, subsampling=2)
    save("422.jpg", image, subsampling=1)
    save("444.jpg", image, subsampling=0)
    save("optimized.jpg", image, subsampling=2, optimize=True)
    save("gray.jpg", image.convert("L"))
    save("restart.jpg", image, subsampling=2, restart_marker_blocks=7)
    save("restart-rows.jpg", image, subsampling=2, restart_marker_rows=1)
    save("tiny.jpg", image.crop((0, 0, 9, 5)), subsampling=2)
    save("progressive.jpeg", image, progressive=True)
    for name, options in SCANS.items():
        save(f"scans-{name}.jpeg", image.convert("L") if "gray" in name else image, progressive=True, **options)
    # Other scripts, by jpegtran where there is one: a sequential file of three scans, and one that isn't interleaved.
    if shutil.which("jpegtran"):
        for name, script in SCRIPTS.items():
            (folder / "script.txt").write_text(script)
            command = ["jpegtran", "-scans", folder / "script.txt", "-outfile", folder / f"scans-{name}.jpeg", folder / "422.jpg"]
            subprocess.run(command, check=True)
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    save("profile.jpeg", image, icc_profile=profile)
    for orientation in range(1, 9):
        save(f"turned-{orientation}.jpeg", picture(1500, 1100), subsampling=2, exif=exif(orientation))

    for path in sorted(folder.glob("*.jpg")):
        reduced = Image.open(path)
        # libjpeg's eighth; Pillow takes the scale that isn't smaller than what it is asked for.
        size = (-(-reduced.width // 8), -(-reduced.height // 8))
        reduced.draft(reduced.mode, (reduced.width // 8 or 1, reduced.height // 8 or 1))
        if reduced.size == size:
            (folder / f"{path.name}.eighth").write_bytes(reduced.convert("RGB").tobytes())
        subprocess.run([tessera, "tile", path, f"{path}.dz", "--layout", "deepzoom"], check=True, capture_output=True)
        subprocess.run([tessera, "tile", "index", path], check=True)
    for path in sorted(folder.glob("turned-*.jpeg")):
        subprocess.run([tessera, "tile", "index", path], check=True)
    subprocess.run([tessera, "tile", "index", folder / "profile.jpeg"], check=True)
    for path in sorted(folder.glob("scans-*.jpeg")):
        subprocess.run([tessera, "tile", "index", path], check=True)
    # 12 bits, or arithmetic coding, would need another decoder than browsers have.
    data = bytearray((folder / "420.jpg").read_bytes())
    data[data.index(b"\xff\xc0") + 1] = 0xC9
    (folder / "arithmetic.jpeg").write_bytes(data)
    failed = subprocess.run([tessera, "tile", "index", folder / "arithmetic.jpeg"], capture_output=True, text=True)
    assert failed.returncode == 1 and "arithmetic" in failed.stderr, failed.stderr


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2])
