"""A Pillow plug-in: importing it makes Pillow read and write JPNG.

    import tessera.pillow                                # JPNG, with its transparency
    tessera.pillow.register_openers("JPEG", "PNG")       # and faster openers for other formats

Pillow looks at a file's content, and a JPNG begins as a JPEG, so JPNG's opener is put before JPEG's. It leaves JPEGs alone.
"""

from __future__ import annotations

from typing import Any, Callable, Optional

from PIL import Image, ImageFile

from . import _animation, _image
from ._library import TesseraError

_MODES = {"L": "L", "L16": "L", "RGBA": "RGBA", "RGBA16": "RGBA"}
_JPNG_ENDS = (b"GNPJ", b"GEPJ", b"JPNG")
_STARTS = {"JPNG": b"\xff\xd8\xff", "JPEG": b"\xff\xd8\xff", "PNG": b"\x89PNG\r\n\x1a\n", "GIF": b"GIF8"}


def _is_jpng(file: Any) -> bool:
    position = file.tell()
    try:
        file.seek(-4, 2)
        return file.read(4) in _JPNG_ENDS
    except OSError:
        return False
    finally:
        file.seek(position)


class _TesseraImageFile(ImageFile.ImageFile):
    """An image that Tessera decodes when Pillow loads it. Colours, orientation and metadata are as Pillow has them."""

    _wanted = ""

    def _open(self) -> None:
        file: Any = self.fp
        if self._wanted == "JPNG":
            if not _is_jpng(file):
                raise SyntaxError("not a JPNG file")
        elif self._wanted == "JPEG" and _is_jpng(file):
            raise SyntaxError("a JPNG file")
        file.seek(0)
        try:
            self._image = _image.open(file.read(), color="stored", upright=False)
        except TesseraError as error:
            raise SyntaxError(str(error)) from error
        image = self._image
        self._frames: Optional[_animation.AnimatedImage] = None
        self._frame = 0
        self._size = image.size
        self._set_mode("RGBA" if image.has_alpha else "L" if image.mode in ("L", "L16") else "RGB")
        self.tile = []
        if image.icc_profile:
            self.info["icc_profile"] = image.icc_profile
        if image.exif:
            self.info["exif"] = b"Exif\0\0" + image.exif
        if image.resolution:
            self.info["dpi"] = image.resolution
        if image.is_animation:
            self.info["loop"] = image._info.loop_count

    def _set_mode(self, mode: str) -> None:
        # Pillow 10.1 made the mode read-only.
        if isinstance(getattr(type(self), "mode", None), property):
            self._mode = mode
        else:
            self.mode = mode  # type: ignore[misc]

    @property
    def n_frames(self) -> int:
        """The number of frames, or 1."""
        return len(self._animation()) if self.is_animated else 1

    @property
    def is_animated(self) -> bool:
        """Whether there are several frames."""
        return self._image.is_animation and self._image.image_count != 1

    def _animation(self) -> _animation.AnimatedImage:
        if self._frames is None:
            self._frames = _animation.AnimatedImage._of(self._image)
        return self._frames

    def seek(self, frame: int) -> None:
        """Goes to a frame, counted from 0."""
        if frame == self._frame:
            return
        if not 0 <= frame < self.n_frames:
            raise EOFError("no more images in the file")
        self._frame = frame
        self._loaded = False
        self.info["duration"] = round(self._animation()[frame].duration * 1000)

    def tell(self) -> int:
        """The current frame, counted from 0."""
        return self._frame

    def draft(self, mode: Optional[str], size: Optional[tuple[float, float]]) -> Any:
        """Decodes no larger than `size` needs, as Pillow's JPEGs do: at a half, a quarter or an eighth."""
        if size is None or self.is_animated or getattr(self, "_loaded", False):
            return None
        width, height = self._image.size
        scale = int(max(1, min(width // max(1, size[0]), height // max(1, size[1]), 8)))
        scale = 1 << (scale.bit_length() - 1)
        if scale > 1:
            self._size = (-(-width // scale), -(-height // scale))
            return self.mode, (0, 0, width / scale, height / scale)
        return None

    def load(self) -> Any:
        """Decodes the pixels."""
        if not getattr(self, "_loaded", False):
            image = self._animation()[self._frame].image if self.is_animated else self._image
            size = None if self._size == image.size else self._size
            try:
                pixels = image.decode(size=size, mode=self.mode, alpha="straight" if self.mode == "RGBA" else None)
            except TesseraError as error:
                raise OSError(str(error)) from error
            self._loaded = True
            self.im = Image.frombytes(self.mode, self._size, pixels.tobytes()).im
            self.pyaccess = None
            if self._exclusive_fp and self._close_exclusive_fp_after_loading and self.fp and not self.is_animated:
                self.fp.close()
                self.fp = None
        return Image.Image.load(self)


class JPNGImageFile(_TesseraImageFile):
    """A JPNG."""

    format = "JPNG"
    format_description = "JPNG, a JPEG with transparency"
    _wanted = "JPNG"


def _save(image: Image.Image, file: Any, _name: Any) -> None:
    options = image.encoderinfo
    quality = options.get("quality", 80)
    if not isinstance(quality, (int, float)) or not 0 < quality <= 100:
        raise ValueError(f"a quality of {quality!r} is not above 0 and up to 100")
    settings = {"jpng-version": options["version"]} if "version" in options else {}
    if image.mode not in ("L", "RGB", "RGBA"):
        image = image.convert("RGBA" if "A" in image.getbands() or "transparency" in image.info else "RGB")
    channels = len(image.getbands())
    source = _image.from_array(_Array(image.tobytes(), image.size, channels))
    file.write(source.encode("jpng", quality=quality / 100, settings=settings))


class _Array:
    """Pillow's pixels as an array."""

    def __init__(self, data: bytes, size: tuple[int, int], channels: int):
        self._keep, address, _ = _image.lib.constant_buffer(data)
        shape = (size[1], size[0]) if channels == 1 else (size[1], size[0], channels)
        self.__array_interface__ = {"version": 3, "shape": shape, "typestr": "|u1", "data": (address, True)}


def _register_jpng() -> None:
    Image.preinit()
    Image.register_open("JPNG", JPNGImageFile, _accept(_STARTS["JPNG"]))
    # Openers are tried in this order.
    Image.ID.remove("JPNG")
    Image.ID.insert(0, "JPNG")
    Image.register_save("JPNG", _save)
    Image.register_extension("JPNG", ".jpng")
    Image.register_mime("JPNG", "image/x-jpng")


def _accept(start: bytes) -> Callable[[bytes], bool]:
    """Whether a file's first bytes are those of a format."""
    return lambda prefix: prefix.startswith(start)


def register_openers(*formats: str) -> None:
    """Lets Tessera open files of these formats in Pillow: "JPEG", "PNG" and "GIF".

    Palettes and CMYK become RGB or RGBA, and images of 16 bits 8, so a program that wants those as stored keeps Pillow's
    openers.
    """
    Image.preinit()
    for name in formats:
        if name not in ("JPEG", "PNG", "GIF"):
            raise ValueError(f"there is an opener for JPEG, PNG and GIF, not {name}")
        start = _STARTS[name]
        opener = type(f"{name}ImageFile", (_TesseraImageFile,), {
            "format": name, "format_description": f"{name}, by Tessera", "_wanted": name})
        Image.register_open(name, opener, _accept(start))


_register_jpng()
