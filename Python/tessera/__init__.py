"""Tessera: opens, reduces, changes and writes images of every common format.

    import tessera

    tessera.thumbnail("photo.jpg", 512).save("small.webp")
    array = numpy.asarray(tessera.open("photo.heic").decode(size=(224, 224), mode="RGB"))

Calls release the interpreter's lock, so threads decode side by side. A process that was forked from one that had used
the library can't use it: start worker processes by multiprocessing's "spawn" or "forkserver".
"""

from . import jpng
from ._animation import AnimatedImage, Frame, encode_frames
from ._image import Image, Isolation, Pixels, effect, from_array, limits, open, save, thumbnail
from ._library import FormatInfo as _FormatInfo
from ._library import TesseraError, call as _call, library as _native
from ._tiles import Level, Tiles, build_pyramid, tiles

__version__: str = _native.tessera_version().decode()

__all__ = [
    "AnimatedImage", "Frame", "Image", "Isolation", "Level", "Pixels", "TesseraError", "Tiles", "build_pyramid",
    "effect", "encode_frames", "formats", "from_array", "jpng", "limits", "open", "save", "thumbnail", "tiles",
]


def formats() -> dict[str, str]:
    """The formats that can be read ("r"), written ("w") or both ("rw"), by name."""
    import ctypes

    result = {}
    for index in range(_native.tessera_format_count()):
        info = _FormatInfo()
        _call("format_at", index, ctypes.byref(info))
        abilities = ("r" if info.can_decode else "") + ("w" if info.can_encode else "")
        if abilities:
            result[info.name.decode()] = abilities
    return result
