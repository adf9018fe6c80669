"""Images for Scripts/test-desktop, and comparisons of what programs made of them.

images.py make FOLDER COMMAND    writes further files beside the cutout.jpng in it, and what they should look like
images.py same WANTED GOT        exits with 1 unless every pixel is equal, alpha included; GOT may be raw RGBA after its size
images.py thumbnail WANTED GOT SIZE   the same for a thumbnail, within the differences of filters
images.py shows FILE COLOR FRACTION   exits with 1 unless a screenshot has at least this fraction of a colour, RRGGBB
images.py damage FILE FOLDER COUNT    writes damaged copies of a file
"""

import random
import struct
import subprocess
import sys

from PIL import Image, ImageChops, ImageCms


def fail(message):
    sys.exit(f"images.py: {message}")


def read(path):
    if not path.endswith(".rgba"):
        # As stored: PIL applies no profile.
        return Image.open(path).convert("RGBA")
    with open(path, "rb") as file:
        size = tuple(int(word) for word in file.readline().split())
        return Image.frombytes("RGBA", size, file.read())


def same(wanted, got):
    wanted, got = read(wanted), read(got)
    if wanted.size != got.size:
        fail(f"the size is {got.size}, expected {wanted.size}")
    if wanted.getchannel("A").getextrema()[0] == 255:
        fail("the expected image has no transparency")
    differences = [high for _, high in ImageChops.difference(wanted, got).getextrema()]
    if max(differences) > 0:
        fail(f"red, green, blue and alpha differ by {differences}")


def premultiplied(image):
    return Image.composite(image.convert("RGB"), Image.new("RGB", image.size), image.getchannel("A"))


def thumbnail(wanted, got, size):
    wanted, got = read(wanted), read(got)
    side = max(wanted.size)
    expected = tuple(max(1, round(value * min(size, side) / side)) for value in wanted.size)
    if any(abs(a - b) > 1 for a, b in zip(got.size, expected)):
        fail(f"the size is {got.size}, expected {expected}")
    small = wanted.convert("RGBa").resize(got.size, Image.LANCZOS).convert("RGBA")
    pairs = [(premultiplied(small), premultiplied(got)), (small.getchannel("A"), got.getchannel("A"))]
    for a, b in pairs:
        pixels = list(ImageChops.difference(a, b).convert("L").getdata())
        mean = sum(pixels) / len(pixels)
        if mean > 3:
            fail(f"the mean difference is {mean:.1f} of 255")
    if got.getchannel("A").getextrema()[0] > 64:
        fail("the thumbnail has no transparency")


def shows(path, color, fraction):
    image = Image.open(path).convert("RGB")
    wanted = tuple(bytes.fromhex(color))
    count = sum(number for number, pixel in image.getcolors(1 << 24) if max(abs(a - b) for a, b in zip(pixel, wanted)) <= 3)
    share = count / (image.width * image.height)
    if share < fraction:
        fail(f"{share:.1%} of {path} has the colour {color}, expected {fraction:.1%}")


def make(folder, command):
    def tessera(*arguments):
        subprocess.run([command, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    # Red and green are exchanged in an sRGB profile, so that nobody can miss it.
    profile = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    tags = {}
    for index in range(struct.unpack(">I", profile[128:132])[0]):
        entry = 132 + 12 * index
        tags[bytes(profile[entry : entry + 4])] = entry
    red, green = tags[b"rXYZ"] + 4, tags[b"gXYZ"] + 4
    profile[red : red + 8], profile[green : green + 8] = profile[green : green + 8], profile[red : red + 8]
    tessera("jpng", "split", "cutout.jpng", "color.jpg", "mask.png")
    picture = Image.open(f"{folder}/color.jpg")
    picture.save(f"{folder}/profile.jpg", quality=90, icc_profile=bytes(profile))
    tessera("jpng", "join", "profile.jpg", "mask.png", "profile.jpng")
    exif = Image.Exif()
    exif[0x0112] = 6
    picture.save(f"{folder}/turned.jpg", quality=90, exif=exif.tobytes())
    tessera("jpng", "join", "turned.jpg", "mask.png", "turned.jpng")
    picture.convert("L").save(f"{folder}/grey.jpg", quality=90, dpi=(300, 300))
    tessera("jpng", "join", "grey.jpg", "mask.png", "grey.jpng")
    tessera("jpng", "tag", "cutout.jpng", "untagged.jpng", "--remove")
    for name in ["cutout", "profile", "turned", "grey", "untagged"]:
        tessera("convert", f"{name}.jpng", f"{name}-srgb.png", "--color", "srgb", "--keep", "none")
        tessera("convert", f"{name}.jpng", f"{name}-stored.png", "--color", "keep")
    tessera("convert", "color.jpg", "opaque.jpg")


def damage(path, folder, count):
    with open(path, "rb") as file:
        good = file.read()
    numbers = random.Random(1)
    for index in range(int(count)):
        bad = bytearray(good)
        if index % 3 == 0:
            del bad[numbers.randrange(len(bad)) :]
        for _ in range(index % 7 + 1):
            if bad:
                bad[numbers.randrange(len(bad))] = numbers.randrange(256)
        if index % 3 == 1:
            # The sizes in the footer, and the version.
            bad[-16 + index % 12] = numbers.randrange(256)
        with open(f"{folder}/{index}.jpng", "wb") as file:
            file.write(bad)


if __name__ == "__main__":
    name, *arguments = sys.argv[1:]
    if name == "thumbnail":
        thumbnail(arguments[0], arguments[1], int(arguments[2]))
    elif name == "shows":
        shows(arguments[0], arguments[1], float(arguments[2]))
    else:
        {"make": make, "same": same, "damage": damage}[name](*arguments)
