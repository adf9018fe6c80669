"""Images: opening, decoding, changing and writing them."""

from __future__ import annotations

import ctypes
import io
import json
import os
import threading
from typing import Any, BinaryIO, Callable, Iterator, Mapping, Optional, Sequence, Union

from . import _dlpack
from . import _library as lib

PathLike = Union[str, "os.PathLike[str]"]
Input = Union[PathLike, bytes, bytearray, memoryview, BinaryIO]
ProgressFunction = Callable[[float], Any]
Region = tuple[int, int, int, int]
Size = tuple[int, int]

_PIXELS = {None: 0, "L": 1, "L16": 2, "RGBA": 3, "RGBA16": 4, "RGB": 5, "BGRA": 6}
_NAMES = {number: name for name, number in _PIXELS.items()}
_ALPHA = {None: 0, "none": 1, "straight": 2, "premultiplied": 3}
_KEEP = {"none": 0, "profile": 1, "all": 2}


def _choose(table: Mapping[Any, int], value: Any, name: str) -> int:
    try:
        return table[value]
    except (KeyError, TypeError):
        names = ", ".join(str(key) for key in table if key is not None)
        raise ValueError(f"{name} of {value!r} is none of {names}") from None


def _color(color: Sequence[int]) -> int:
    red, green, blue = (int(channel) for channel in color)
    if not all(0 <= channel <= 255 for channel in (red, green, blue)):
        raise ValueError(f"a color of {tuple(color)} is not from 0 to 255")
    return red << 16 | green << 8 | blue


class Isolation:
    """Decodes files in processes without privileges, by the program tessera-decode."""

    def __init__(self, worker: Optional[PathLike] = None, *, processor_seconds: int = 0, answer_seconds: int = 0):
        """Prepares the processes, which start when an image is opened.

        `worker` is the program's path; None to look for it beside Python and in TESSERA_DECODE_WORKER.
        """
        options = lib.IsolationOptions(
            worker=None if worker is None else lib.path_bytes(worker), processor_seconds=processor_seconds,
            answer_seconds=answer_seconds)
        self._handle = lib.Handle("isolation", "isolation_create", ctypes.byref(options))


class Pixels:
    """Decoded pixels, rows from the top without padding.

    `numpy.asarray(pixels)` shares the memory, and so do libraries that take DLPack: `torch.from_dlpack(pixels)`.
    """

    def __init__(self, memory: bytearray, layout: lib.Layout):
        self._memory = memory
        self._array = (ctypes.c_uint8 * len(memory)).from_buffer(memory)
        self.width: int = layout.width
        self.height: int = layout.height
        self.mode: str = _NAMES[layout.pixels] or ""
        self.channels: int = layout.channel_count
        self.bits: int = layout.bits_per_channel

    @property
    def size(self) -> Size:
        """Width and height."""
        return self.width, self.height

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape as an array: rows, columns, and channels if there are several."""
        return (self.height, self.width) if self.channels == 1 else (self.height, self.width, self.channels)

    @property
    def __array_interface__(self) -> dict[str, Any]:
        import sys

        order = "<" if sys.byteorder == "little" else ">"
        return {
            "version": 3, "shape": self.shape, "typestr": "|u1" if self.bits == 8 else f"{order}u2",
            "data": (ctypes.addressof(self._array), False), "strides": None,
        }

    def __dlpack__(
        self, *, stream: Any = None, max_version: Optional[tuple[int, int]] = None,
        dl_device: Optional[tuple[int, int]] = None, copy: Optional[bool] = None,
    ) -> Any:
        if stream is not None or dl_device not in (None, _dlpack.CPU):
            raise BufferError("pixels are in the computer's memory: the device is (1, 0), and there is no stream")
        array = (ctypes.c_uint8 * len(self._array)).from_buffer_copy(self._array) if copy else self._array
        return _dlpack.capsule(array, ctypes.addressof(array), self.shape, self.bits)

    def __dlpack_device__(self) -> tuple[int, int]:
        return _dlpack.CPU

    @property
    def data(self) -> memoryview:
        """The bytes, without a copy."""
        return memoryview(self._memory)

    def tobytes(self) -> bytes:
        """A copy of the bytes."""
        return bytes(self._memory)


class Image:
    """An image, decoded when its pixels are needed. Immutable, and safe to use from any thread.

    `numpy.asarray(image)` decodes it whole.
    """

    def __init__(self, handle: lib.Handle):
        self._handle = handle
        info = lib.Info()
        lib.call("image_info", handle.value, ctypes.byref(info))
        self._info = info
        self._pixels: Optional[Pixels] = None
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<tessera.Image {self.format or 'pixels'} {self.width}x{self.height}>"

    @property
    def width(self) -> int:
        """Columns, upright."""
        return self._info.width

    @property
    def height(self) -> int:
        """Rows, upright."""
        return self._info.height

    @property
    def size(self) -> Size:
        """Width and height, upright."""
        return self.width, self.height

    @property
    def format(self) -> Optional[str]:
        """The file's format, such as "JPEG"; None for pixels."""
        return self._info.format.decode() or None

    @property
    def media_type(self) -> Optional[str]:
        """The file's media type; None for pixels."""
        return self._info.media_type.decode() or None

    @property
    def mode(self) -> str:
        """The mode that decoding uses by default: "L", "L16", "RGBA" or "RGBA16"."""
        return _NAMES[self._info.pixels] or ""

    @property
    def has_alpha(self) -> bool:
        """Whether any pixel may be transparent."""
        return bool(self._info.has_alpha)

    @property
    def bits(self) -> int:
        """The bits in a stored channel."""
        return self._info.bits_per_channel

    @property
    def orientation(self) -> int:
        """EXIF's orientation of the file, 1 to 8, which decoding applies."""
        return self._info.orientation

    @property
    def is_animation(self) -> bool:
        """Whether the file's images are frames of an animation."""
        return bool(self._info.is_animation)

    @property
    def image_count(self) -> Optional[int]:
        """The number of images in the file; None if only reading all of it would tell."""
        return self._info.image_count or None

    @property
    def resolution(self) -> Optional[tuple[float, float]]:
        """Pixels per inch, horizontally and vertically; None if unknown."""
        both = self._info.horizontal_resolution, self._info.vertical_resolution
        return both if all(both) else None

    def _metadata(self, block: int) -> Optional[bytes]:
        return lib.take_bytes("image_metadata", self._handle.value, block)

    @property
    def exif(self) -> Optional[bytes]:
        """The EXIF block, a TIFF structure."""
        return self._metadata(1)

    @property
    def xmp(self) -> Optional[bytes]:
        """The XMP packet."""
        return self._metadata(2)

    @property
    def icc_profile(self) -> Optional[bytes]:
        """The ICC profile of the file's colours."""
        return self._metadata(3)

    def decode(
        self, region: Optional[Region] = None, size: Optional[Size] = None, *, fit: bool = False,
        mode: Optional[str] = None, alpha: Optional[str] = None, background: Sequence[int] = (255, 255, 255),
        out: Any = None, progress: Optional[ProgressFunction] = None,
    ) -> Pixels:
        """Decodes a region, scaled to a size; reads and decodes no more of the file than needed.

        `region` is (x, y, width, height) in upright pixels. With `fit`, the result has the region's proportions within
        `size`. `mode` is "L", "L16", "RGB", "RGBA", "RGBA16" or "BGRA"; `alpha` is "none", "straight" or
        "premultiplied". `out` is a bytearray to use, of the right length.
        """
        x, y, width, height = region or (0, 0, 0, 0)
        target_width, target_height = size or (0, 0)
        if region is not None and (width < 1 or height < 1) or size is not None and min(size) < 1:
            raise ValueError("width and height must be at least 1")
        callback = lib.Callback(progress)
        options = lib.DecodeOptions(
            x=x, y=y, width=width, height=height, target_width=target_width, target_height=target_height, fits=fit,
            pixels=_choose(_PIXELS, mode, "mode"), alpha=_choose(_ALPHA, alpha, "alpha"),
            background=_color(background), progress=callback.progress())
        layout = lib.Layout()
        lib.call("decode_layout", self._handle.value, ctypes.byref(options), ctypes.byref(layout))
        count = layout.row_byte_count * layout.height
        if out is None:
            out = bytearray(count)
        elif not isinstance(out, bytearray) or len(out) != count:
            raise ValueError(f"out must be a bytearray of {count} bytes")
        pixels = Pixels(out, layout)
        callback.run(lambda: lib.call(
            "decode", self._handle.value, ctypes.byref(options), ctypes.addressof(pixels._array), count,
            layout.row_byte_count))
        return pixels

    def rows(self, count: int = 256, *, mode: Optional[str] = None, alpha: Optional[str] = None) -> Iterator[Pixels]:
        """The image in strips of `count` rows, each decoded when it is asked for.

        Suits formats whose regions decode independently; others are decoded once for each strip.
        """
        if count < 1:
            raise ValueError("a strip has at least one row")
        for y in range(0, self.height, count):
            yield self.decode((0, y, self.width, min(count, self.height - y)), mode=mode, alpha=alpha)

    @property
    def __array_interface__(self) -> dict[str, Any]:
        with self._lock:
            if self._pixels is None:
                self._pixels = self.decode()
            return self._pixels.__array_interface__

    def thumbnail(
        self, size: Union[int, Size], height: Optional[int] = None, *, progress: Optional[ProgressFunction] = None,
    ) -> "Image":
        """The image reduced to fit a box, with its proportions: `thumbnail(256)` or `thumbnail((640, 480))`."""
        box = (size, size if height is None else height) if isinstance(size, int) else size
        callback = lib.Callback(progress)
        options = lib.ThumbnailOptions(progress=callback.progress())
        return callback.run(lambda: Image(lib.Handle(
            "image", "thumbnail", self._handle.value, box[0], box[1], ctypes.byref(options))))

    def effect(
        self, recipe: Union[str, Sequence[Mapping[str, Any]]], *, scale: float = 1, linear_light: bool = False,
        bits: int = 8, folder: Optional[PathLike] = None,
    ) -> "Image":
        """The image after effects: `effect([{"cornerRadius": {"radius": 20}}])`.

        `recipe` is JSON, or what it stands for. Images in it are found in `folder`.
        """
        text = recipe if isinstance(recipe, str) else json.dumps(recipe)
        options = lib.EffectOptions(
            scale=scale, linear_light=linear_light, bits_per_channel=bits,
            folder=None if folder is None else lib.path_bytes(folder))
        return Image(lib.Handle(
            "image", "apply", self._handle.value, text.encode(), ctypes.byref(options)))

    def encode(self, format: str, **options: Any) -> bytes:
        """The image as a file of `format`, such as "webp". Options as `save`."""
        settings, callback = _encoding(format, options)
        return callback.run(
            lambda: lib.take_bytes("encode", self._handle.value, ctypes.byref(settings))) or b""

    def save(self, target: Union[PathLike, BinaryIO], format: Optional[str] = None, **options: Any) -> None:
        """Writes the image to a path, where the file appears whole or not at all, or to a file object.

        Options: `quality` (0 to 1), `lossless`, `keep` ("none", "profile" or "all" metadata), `background` (red,
        green, blue), `maximum_side`, `maximum_byte_count`, `thumbnail_side`, `settings` (the format's own, such as
        {"subsampling": "420"}), `overwrite`, `progress`.
        """
        settings, callback = _encoding(format, options)
        if isinstance(target, (str, os.PathLike)):
            callback.run(lambda: lib.call(
                "write_path", self._handle.value, lib.path_bytes(target), ctypes.byref(settings)))
            return

        def write(_context: Any, memory: int, count: int) -> int:
            try:
                written = target.write(ctypes.string_at(memory, count))
                return count if written is None else written
            except BaseException as error:  # noqa: BLE001 - raised again below
                callback.error = error
                return -1

        sink = lib.Sink(write=lib.Write(write))
        callback.run(lambda: lib.call(
            "write_sink", self._handle.value, ctypes.byref(sink), ctypes.byref(settings)))


def _encoding(format: Optional[str], options: dict[str, Any]) -> tuple[lib.EncodeOptions, lib.Callback]:
    callback = lib.Callback(options.pop("progress", None))
    settings = options.pop("settings", None) or {}
    words = [name if value is True else f"{name}={value}" for name, value in settings.items() if value is not False]
    background = options.pop("background", None)
    quality = options.pop("quality", None)
    if quality is not None and not 0 < quality <= 1:
        raise ValueError(f"a quality of {quality} is not above 0 and up to 1")
    result = lib.EncodeOptions(
        format=None if format is None else format.encode(), quality=quality or 0,
        lossless=bool(options.pop("lossless", False)), keeps=_choose(_KEEP, options.pop("keep", "none"), "keep"),
        background=0 if background is None else _color(background), has_background=background is not None,
        loop_count=options.pop("loop_count", 0), maximum_side=options.pop("maximum_side", 0),
        maximum_byte_count=options.pop("maximum_byte_count", 0), thumbnail_side=options.pop("thumbnail_side", 0),
        settings=" ".join(words).encode() or None, keeps_existing=not options.pop("overwrite", True),
        progress=callback.progress())
    if options:
        raise TypeError(f"there is no option {', '.join(sorted(options))}")
    return result, callback


class _FileSource:
    """A Python file object as a source. Lives until the library releases it."""

    _open: dict[int, "_FileSource"] = {}
    _lock = threading.Lock()
    _next = 1

    def __init__(self, file: BinaryIO):
        self.error: Optional[BaseException] = None
        self._file = file
        seekable = file.seekable() if hasattr(file, "seekable") else False
        start = file.tell() if seekable else 0
        count = file.seek(0, io.SEEK_END) - start if seekable else 0
        if seekable:
            file.seek(start)
        self._start = start
        with _FileSource._lock:
            self._key = _FileSource._next
            _FileSource._next += 1
            _FileSource._open[self._key] = self
        self.structure = lib.Source(
            context=self._key, byte_count=count, read=lib.Read(self._read),
            seek=lib.Seek(self._seek) if seekable else lib.Seek(), release=_release)

    def _read(self, _context: Any, memory: int, count: int) -> int:
        try:
            data = self._file.read(count)
            ctypes.memmove(memory, bytes(data), min(count, len(data)))
            return min(count, len(data))
        except BaseException as error:  # noqa: BLE001 - the library reports a failure
            self.error = error
            return -1

    def _seek(self, _context: Any, offset: int) -> int:
        try:
            self._file.seek(self._start + offset)
            return 0
        except BaseException as error:  # noqa: BLE001 - the library reports a failure
            self.error = error
            return -1

    def drop(self) -> None:
        """Ends the source's life."""
        with _FileSource._lock:
            _FileSource._open.pop(self._key, None)


def _release_source(context: int) -> None:
    with _FileSource._lock:
        source = _FileSource._open.pop(context, None)
    del source


_release = lib.Release(_release_source)


def limits(**values: int) -> lib.Limits:
    """Limits for opening: `limits(pixel_count=10**8)`. Also side_length, input_byte_count, working_byte_count,
    metadata_byte_count, scan_count, frame_count, compression_ratio."""
    known = {field[0] for field in lib.Limits._fields_} - {"size"}
    if unknown := set(values) - known:
        raise TypeError(f"there is no limit {', '.join(sorted(unknown))}")
    return lib.Limits(**values)


def open(
    source: Input, *, color: str = "srgb", bits: int = 8, upright: bool = True, page: Optional[int] = None,
    limits: Optional[lib.Limits] = None, isolation: Optional[Isolation] = None,
) -> Image:
    """Opens an image: a path, bytes, or a file object. Reads only the header; pixels are decoded when needed.

    `color` is "srgb" or "stored". `bits` is 8, or 16 for images that have more. `page` counts from 0.
    """
    options = lib.OpenOptions(
        color=_choose({"srgb": 0, "stored": 1}, color, "color"), bits_per_channel=bits,
        ignores_orientation=not upright, image_number=0 if page is None else page + 1,
        isolation=None if isolation is None else isolation._handle.value)
    if page is not None and page < 0:
        raise ValueError("a page is counted from 0")
    if limits is not None:
        options.limits = ctypes.pointer(limits)
    reference = ctypes.byref(options)
    if isinstance(source, (str, os.PathLike)):
        return Image(lib.Handle("image", "open_path", lib.path_bytes(source), reference))
    if isinstance(source, (bytes, bytearray, memoryview)):
        keep, address, count = lib.constant_buffer(source)
        image = Image(lib.Handle("image", "open_memory", address, count, reference))
        del keep
        return image
    if not hasattr(source, "read"):
        raise TypeError(f"{type(source).__name__} is neither a path, nor bytes, nor a file object")
    file = _FileSource(source)
    try:
        return Image(lib.Handle("image", "open_source", ctypes.byref(file.structure), reference))
    except lib.TesseraError as error:
        file.drop()
        if file.error is not None:
            raise file.error from error
        raise


def from_array(array: Any, *, alpha: Optional[str] = None, icc_profile: Optional[bytes] = None) -> Image:
    """An image with the pixels of an array of bytes or 16-bit numbers: rows, columns, and 1, 3 or 4 channels.

    Takes whatever has `__array_interface__` or the buffer protocol, such as NumPy's arrays. The pixels are copied.
    """
    view: Any
    interface = getattr(array, "__array_interface__", None)
    if interface is not None:
        shape, typestr = tuple(interface["shape"]), interface["typestr"]
        strides, address = interface.get("strides"), interface["data"][0]
    else:
        view = memoryview(array)
        shape, strides = view.shape or (), None
        typestr = {"B": "|u1", "H": "<u2"}.get(view.format, view.format)
        _keep, address, _ = lib.constant_buffer(view)
    item = {"|u1": 1, "<u2": 2}.get(typestr, 0)
    channels = shape[2] if len(shape) == 3 else 1
    pixels = {(1, 1): 1, (1, 2): 2, (4, 1): 3, (4, 2): 4, (3, 1): 5}.get((channels, item))
    if len(shape) not in (2, 3) or pixels is None:
        raise ValueError(f"an array of the shape {shape} and the type {typestr} isn't an image")
    height, width = shape[:2]
    tight = (width * channels * item, channels * item, item)[:len(shape)]
    if strides is not None and (tuple(strides)[1:] != tight[1:] or strides[0] < tight[0]):
        raise ValueError("the array's pixels aren't contiguous within a row; pass numpy.ascontiguousarray(array)")
    stride = tight[0] if strides is None else strides[0]
    layout = lib.Layout(width=width, height=height, pixels=pixels, alpha=_choose(_ALPHA, alpha, "alpha"))
    count = stride * (height - 1) + tight[0]
    keep, profile, profile_count = lib.constant_buffer(icc_profile or b"")
    image = Image(lib.Handle(
        "image", "image_create", ctypes.byref(layout), address, count, stride, profile if profile_count else None,
        profile_count))
    del keep
    return image


def thumbnail(source: Input, size: Union[int, Size], height: Optional[int] = None, **options: Any) -> Image:
    """Opens an image and reduces it to fit a box; decodes no more of the file than needed. Options as `open`."""
    return open(source, **options).thumbnail(size, height)


def save(image: Any, target: Union[PathLike, BinaryIO], format: Optional[str] = None, **options: Any) -> None:
    """Writes an image, or an array, as `Image.save` does."""
    (image if isinstance(image, Image) else from_array(image)).save(target, format, **options)


def effect(image: Any, recipe: Union[str, Sequence[Mapping[str, Any]]], **options: Any) -> Image:
    """Applies effects to an image, a path or an array, as `Image.effect` does."""
    if isinstance(image, (str, os.PathLike, bytes)):
        image = open(image)
    return (image if isinstance(image, Image) else from_array(image)).effect(recipe, **options)
