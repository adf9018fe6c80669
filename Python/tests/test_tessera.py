"""Tests of the package, in an environment that has only the wheel, NumPy, Pillow and pytest."""

import io
import multiprocessing
import os
import subprocess
import sys
import threading

import numpy
import pytest

import tessera


def picture(width=93, height=61, channels=4):
    """A gradient with soft edges."""
    y, x = numpy.mgrid[0:height, 0:width]
    planes = [x * 255 // (width - 1), y * 255 // (height - 1), (x + y) % 256, numpy.minimum(255, 32 * x)]
    if channels == 1:
        return planes[0].astype(numpy.uint8)
    return numpy.stack(planes[:channels], axis=2).astype(numpy.uint8)


def file(format="png", **options):
    return tessera.from_array(picture()).encode(format, **options)


@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize("dtype", [numpy.uint8, numpy.uint16])
def test_an_array_survives_a_lossless_file(channels, dtype):
    if channels == 3 and dtype == numpy.uint16:
        with pytest.raises(ValueError):
            tessera.from_array(picture(channels=3).astype(dtype))
        return
    array = picture(channels=channels).astype(dtype) * (257 if dtype == numpy.uint16 else 1)
    image = tessera.open(tessera.from_array(array).encode("png"), bits=16)
    mode = {1: "L", 3: "RGB", 4: "RGBA"}[channels] + ("16" if dtype == numpy.uint16 else "")
    decoded = numpy.asarray(image.decode(mode=mode))
    assert decoded.dtype == dtype
    if channels == 4:
        decoded, array = decoded[:, 1:], array[:, 1:]
    assert (decoded == array).all()


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "RGBA16"])
def test_dlpack_shares_the_memory(mode):
    pixels = tessera.from_array(picture()).decode(mode=mode)
    shared = numpy.from_dlpack(pixels)
    expected = numpy.asarray(pixels)
    assert shared.dtype == expected.dtype and shared.shape == expected.shape
    assert (shared == expected).all() and numpy.shares_memory(shared, expected)
    # It outlives what it came from, and capsules that nobody takes go away.
    wanted = expected.copy()
    for _ in range(1000):
        pixels.__dlpack__()
    del pixels, expected
    assert (shared == wanted).all()
    del shared
    from tessera import _dlpack
    assert not _dlpack._living


def test_dlpack_copies_and_refuses():
    pixels = tessera.from_array(picture()).decode(mode="RGB")
    assert pixels.__dlpack_device__() == (1, 0)
    for wrong in ({"stream": 1}, {"dl_device": (2, 0)}):
        with pytest.raises(BufferError):
            pixels.__dlpack__(**wrong)

    class Copied:
        def __dlpack__(self, **options):
            return pixels.__dlpack__(copy=True)

        def __dlpack_device__(self):
            return pixels.__dlpack_device__()

    copied = numpy.from_dlpack(Copied())
    assert (copied == numpy.asarray(pixels)).all() and not numpy.shares_memory(copied, numpy.asarray(pixels))


def test_arrays_in_other_layouts():
    array = picture(channels=3)
    assert (numpy.asarray(tessera.from_array(array[5:20])) [..., :3] == array[5:20]).all()
    for wrong in (array[:, ::2], array[::-1], array.astype(numpy.float32), array[..., :2], array[0, 0]):
        with pytest.raises(ValueError):
            tessera.from_array(wrong)


@pytest.mark.parametrize("kind", ["path", "bytes", "bytearray", "file", "pipe"])
def test_every_kind_of_source(kind, tmp_path):
    data = file()
    path = tmp_path / "ä.png"
    path.write_bytes(data)
    if kind == "pipe":
        process = subprocess.Popen(["cat", path], stdout=subprocess.PIPE)
        source = process.stdout
    else:
        source = {"path": path, "bytes": data, "bytearray": bytearray(data), "file": path.open("rb")}[kind]
    image = tessera.open(source)
    assert (image.format, image.size, image.has_alpha) == ("PNG", (93, 61), True)
    region = numpy.asarray(image.decode((40, 30, 20, 10), mode="RGB"))
    assert (region == picture(channels=3)[30:40, 40:60]).all()
    if kind == "pipe":
        process.wait()


def test_decoding_takes_memory_sizes_and_backgrounds():
    image = tessera.open(file())
    out = bytearray(93 * 61 * 4)
    pixels = image.decode(mode="RGBA", out=out)
    assert pixels.data.obj is out and numpy.asarray(pixels).shape == (61, 93, 4)
    assert numpy.shares_memory(numpy.asarray(pixels), numpy.frombuffer(out, numpy.uint8))
    with pytest.raises(ValueError):
        image.decode(out=bytearray(5))
    with pytest.raises(ValueError):
        image.decode(mode="CMYK")
    assert image.decode(size=(30, 30), fit=True).size == (30, 20)
    assert image.decode(size=(30, 30)).size == (30, 30)
    assert bytes(image.decode((0, 0, 1, 1), mode="RGB", background=(1, 2, 3)).data) == bytes([1, 2, 3])
    strips = [numpy.asarray(strip) for strip in image.rows(16, mode="RGBA")]
    assert (numpy.concatenate(strips) == numpy.asarray(image)).all()
    with pytest.raises(tessera.TesseraError) as caught:
        image.decode((90, 0, 10, 10))
    assert caught.value.code == "invalid parameter"


def test_a_reduced_image_is_near_the_mean_of_its_pixels():
    array = picture(320, 240, 3)
    small = numpy.asarray(tessera.from_array(array).thumbnail(80).decode(mode="RGB")).astype(float)
    mean = array.reshape(60, 4, 80, 4, 3).mean(axis=(1, 3))
    assert abs(small - mean)[:, :, :2].max() < 3


def test_saving(tmp_path):
    image = tessera.open(file())
    path = tmp_path / "a.webp"
    image.save(path, lossless=True)
    assert tessera.open(path).format == "WebP"
    with pytest.raises(tessera.TesseraError) as caught:
        image.save(path, overwrite=False)
    assert caught.value.code == "input/output" and str(path) in str(caught.value)
    target = io.BytesIO()
    tessera.save(picture(), target, "jpeg", quality=0.5, settings={"subsampling": "444"})
    assert target.getvalue()[:2] == b"\xff\xd8"
    for options in ({"qality": 1}, {"quality": 2}, {"keep": "some"}):
        with pytest.raises((TypeError, ValueError)):
            image.encode("jpeg", **options)
    with pytest.raises(tessera.TesseraError):
        image.encode("jpeg", settings={"no-such": 1})


def test_callbacks_cancel_and_raise(tmp_path):
    image = tessera.open(file())
    with pytest.raises(tessera.TesseraError) as caught:
        image.save(tmp_path / "a.png", progress=lambda fraction: fraction > 0)
    assert caught.value.code == "cancelled" and not os.listdir(tmp_path)

    class Stop(Exception):
        pass

    def stop(_fraction):
        raise Stop

    with pytest.raises(Stop):
        image.decode(progress=stop)

    class Faulty(io.BytesIO):
        def read(self, count=-1):
            raise Stop

        def write(self, data):
            raise Stop

    with pytest.raises(Stop):
        tessera.open(Faulty(b"x" * 100))
    with pytest.raises(Stop):
        image.save(Faulty(), "png")


def test_effects(tmp_path):
    image = tessera.effect(file(), [{"scaleToFit": {"width": 30, "height": 30}}, {"cornerRadius": {"radius": 5}}])
    assert image.size == (30, 20) and numpy.asarray(image.decode(mode="RGBA"))[0, 29, 3] == 0
    with pytest.raises(tessera.TesseraError):
        image.effect([{"nosuch": {}}])


def test_animations():
    frames = [tessera.from_array(numpy.full((10, 12, 3), value, numpy.uint8)) for value in (0, 128, 255)]
    data = tessera.encode_frames(frames, "png", durations=[0.1, 0.2, 0.3], loop_count=2)
    animation = tessera.AnimatedImage(data)
    assert (len(animation), animation.loop_count, animation.size) == (3, 2, (12, 10))
    assert [round(frame.duration, 3) for frame in animation] == [0.1, 0.2, 0.3]
    assert numpy.asarray(animation[-1].image.decode(mode="L")).min() == 255
    assert numpy.asarray(animation[1].image.decode(mode="L")).max() == 128
    with pytest.raises(IndexError):
        animation[3]


def test_tiles_and_pyramids(tmp_path):
    path = tmp_path / "large.jpg"
    tessera.from_array(picture(900, 700, 3)).save(path, quality=0.95)
    tiles = tessera.tiles(path)
    assert (tiles.size, tiles.access, len(tiles.levels)) == ((900, 700), "indexed", 3)
    whole = numpy.asarray(tessera.open(path).decode(mode="RGB"))
    tile = numpy.asarray(tiles.tile(1, 1).decode(mode="RGB"))
    # At a tile's edges chroma has no neighbours to be interpolated with.
    inside = slice(2, -2)
    assert (tile[inside, inside] == whole[256:512, 256:512][inside, inside]).all()
    copied = numpy.asarray(tessera.open(tiles.encoded(1, 1)).decode(mode="RGB"))
    assert (copied == tile).all()
    assert tiles.region((0, 0, 800, 600), (80, 60)).size == (80, 60)
    assert sum(1 for _ in tiles) == 12
    tessera.build_pyramid(path, tmp_path / "large.dzi")
    assert tessera.tiles(tmp_path / "large.dzi").access == "stored"


def test_jpng():
    data = file("jpng")
    parts = tessera.jpng.split(data)
    assert parts.color[:2] == b"\xff\xd8" and parts.mask[:4] == b"\x89PNG"
    assert tessera.jpng.join(*parts) == data and tessera.jpng.verify(data) == []
    with pytest.raises(tessera.TesseraError) as caught:
        tessera.jpng.verify(data[:-1])
    assert caught.value.code == "unknown format"


def test_errors_have_a_code_and_an_offset():
    data = file()
    for source, code in ((data[:20], "truncated"), (b"hello", "unknown format"), ("/nonexistent", "input/output")):
        with pytest.raises(tessera.TesseraError) as caught:
            tessera.open(source)
        assert caught.value.code == code
    with pytest.raises(tessera.TesseraError) as caught:
        tessera.open(data, limits=tessera.limits(pixel_count=10))
    assert caught.value.code == "limit exceeded"
    with pytest.raises(TypeError):
        tessera.limits(pixels=5)


def test_threads_share_an_image():
    image = tessera.open(file("jpeg"))
    expected = image.decode((10, 10, 50, 40)).tobytes()
    failures = []

    def work():
        for _ in range(50):
            if image.decode((10, 10, 50, 40)).tobytes() != expected:
                failures.append(1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def measure(data):
    return tessera.open(data).size


def test_processes():
    data = file()
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(measure, [data] * 4) == [(93, 61)] * 4
    with multiprocessing.get_context("fork").Pool(1) as pool:
        with pytest.raises(Exception) as caught:
            pool.map(measure, [data])
    assert "forked" in str(caught.value)


def test_the_package_needs_nothing_else():
    code = "import sys, tessera; assert not {'numpy', 'PIL'} & set(sys.modules); print(tessera.open(sys.argv[1]).size)"
    done = subprocess.run([sys.executable, "-c", code, "/nonexistent"], capture_output=True, text=True)
    assert "TesseraError" in done.stderr
