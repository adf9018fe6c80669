"""The Pillow plug-in, against Pillow."""

import io

import numpy
import pytest
from PIL import Image

import tessera
import tessera.pillow


def picture(mode="RGBA", size=(93, 61)):
    y, x = numpy.mgrid[0 : size[1], 0 : size[0]]
    planes = [x * 255 // (size[0] - 1), y * 255 // (size[1] - 1), (x + y) % 256, numpy.minimum(255, 32 * x)]
    return Image.fromarray(numpy.stack(planes, axis=2).astype(numpy.uint8), "RGBA").convert(mode)


def written(image, format, **options):
    file = io.BytesIO()
    image.save(file, format, **options)
    file.seek(0)
    return file


@pytest.fixture
def openers():
    """Tessera's openers, until the test ends."""
    kept = {name: Image.OPEN[name] for name in ("JPEG", "PNG", "GIF")}
    tessera.pillow.register_openers(*kept)
    yield
    Image.OPEN.update(kept)


def test_jpng_keeps_its_transparency(tmp_path):
    original = picture()
    for file in (written(original, "JPNG", quality=95), tmp_path / "a.jpng"):
        if not isinstance(file, io.BytesIO):
            original.save(file, quality=95)
        image = Image.open(file)
        assert (image.format, image.mode, image.size) == ("JPNG", "RGBA", (93, 61))
        assert image.get_format_mimetype() == "image/x-jpng"
        alpha = numpy.asarray(image)[..., 3]
        assert (alpha == numpy.asarray(original)[..., 3]).all()
        difference = abs(numpy.asarray(image).astype(int) - numpy.asarray(original))[:, 8:, :2]
        assert difference.mean() < 4


def test_a_jpeg_stays_a_jpeg():
    image = Image.open(written(picture("RGB"), "JPEG"))
    assert image.format == "JPEG" and type(image).__module__.startswith("PIL")


def test_other_modes_are_written():
    for mode in ("L", "P", "LA", "CMYK", "1"):
        assert Image.open(written(picture(mode), "JPNG")).size == (93, 61)
    with pytest.raises(ValueError):
        written(picture(), "JPNG", quality=0)


def test_openers_decode_as_pillow(openers):
    for mode, format, tolerance in (("RGB", "PNG", 0), ("RGBA", "PNG", 0), ("L", "PNG", 0), ("RGB", "JPEG", 1), ("L", "JPEG", 1)):
        file = written(picture(mode), format)
        mine = Image.open(file)
        assert type(mine).__name__ == f"{format}ImageFile" and type(mine).__module__ != "PIL"
        Image.OPEN[format], tessera_opener = PILLOW[format], Image.OPEN[format]
        theirs = Image.open(io.BytesIO(file.getvalue()))
        Image.OPEN[format] = tessera_opener
        assert (mine.format, mine.mode, mine.size) == (theirs.format, theirs.mode, theirs.size)
        assert abs(numpy.asarray(mine).astype(int) - numpy.asarray(theirs)).max() <= tolerance


def test_draft_and_thumbnail(openers):
    file = written(picture("RGB", (800, 600)), "JPEG")
    image = Image.open(file)
    image.draft("RGB", (100, 75))
    assert image.size == (100, 75)
    image = Image.open(io.BytesIO(file.getvalue()))
    image.thumbnail((128, 128))
    assert image.size == (128, 96)


def test_animations(openers):
    frames = [Image.new("RGB", (12, 10), color) for color in ("red", "lime", "blue")]
    file = io.BytesIO()
    frames[0].save(file, "GIF", save_all=True, append_images=frames[1:], duration=70, loop=0)
    image = Image.open(io.BytesIO(file.getvalue()))
    assert image.n_frames == 3 and image.is_animated
    for index, color in enumerate([(255, 0, 0), (0, 255, 0), (0, 0, 255)]):
        image.seek(index)
        assert image.tell() == index and image.convert("RGB").getpixel((5, 5)) == color
    assert image.info["duration"] == 70
    with pytest.raises(EOFError):
        image.seek(3)


def test_damaged_files_raise(openers):
    data = written(picture("RGB"), "PNG").getvalue()
    with pytest.raises(OSError):
        Image.open(io.BytesIO(data[:20]))
    image = Image.open(io.BytesIO(data[: len(data) // 2]))
    with pytest.raises(OSError):
        image.load()
    with pytest.raises(ValueError):
        tessera.pillow.register_openers("TIFF")


PILLOW = {name: Image.OPEN[name] for name in ("JPEG", "PNG", "GIF")}
