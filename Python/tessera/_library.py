"""The C library: its structures and functions, by ctypes, which releases the interpreter's lock during calls."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
from ctypes import POINTER, Structure, c_char, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint8, c_uint32, c_void_p
from pathlib import Path
from typing import Any, Optional


def _find() -> str:
    """The library named by TESSERA_LIBRARY, that in this package, or the system's."""
    if path := os.environ.get("TESSERA_LIBRARY"):
        return path
    own = Path(__file__).parent / "lib" / "libtessera.so.0"
    if own.exists():
        return str(own)
    found = ctypes.util.find_library("tessera")
    if not found:
        raise ImportError("libtessera.so.0 isn't installed; set TESSERA_LIBRARY to its path")
    return found


class TesseraError(Exception):
    """A failure of the library."""

    code: str
    """The kind of failure, such as "corrupt" or "limit exceeded"."""

    byte_offset: Optional[int]
    """The offset in the input at which the failure was found, if it is known."""

    def __init__(self, message: str, code: str, byte_offset: Optional[int] = None):
        super().__init__(message if byte_offset is None else f"{message} (at byte {byte_offset})")
        self.code = code
        self.byte_offset = byte_offset
        self._message = message

    def __reduce__(self) -> Any:
        # Exceptions cross from one process to another by the arguments that they are made of.
        return type(self), (self._message, self.code, self.byte_offset)


class Sized(Structure):
    """A structure that begins with its size."""

    def __init__(self, **values: Any):
        super().__init__(size=ctypes.sizeof(self), **values)


Progress = ctypes.CFUNCTYPE(c_int, c_void_p, c_double)
Read = ctypes.CFUNCTYPE(c_int64, c_void_p, c_void_p, c_size_t)
Seek = ctypes.CFUNCTYPE(c_int, c_void_p, c_int64)
Release = ctypes.CFUNCTYPE(None, c_void_p)
Write = ctypes.CFUNCTYPE(c_int64, c_void_p, c_void_p, c_size_t)


class Error(Sized):
    _fields_ = [("size", c_size_t), ("status", c_int32), ("byte_offset", c_int64), ("message", c_char * 1024)]


class FormatInfo(Sized):
    _fields_ = [
        ("size", c_size_t), ("name", c_char * 32), ("extension", c_char * 16), ("media_type", c_char * 64),
        ("can_decode", c_int32), ("can_encode", c_int32), ("can_encode_animation", c_int32),
    ]


class Limits(Sized):
    _fields_ = [
        ("size", c_size_t), ("pixel_count", c_int64), ("side_length", c_int64), ("input_byte_count", c_int64),
        ("working_byte_count", c_int64), ("metadata_byte_count", c_int64), ("scan_count", c_int64),
        ("frame_count", c_int64), ("compression_ratio", c_int64),
    ]


class OpenOptions(Sized):
    _fields_ = [
        ("size", c_size_t), ("color", c_int32), ("bits_per_channel", c_int32), ("ignores_orientation", c_int32),
        ("image_number", c_int64), ("limits", POINTER(Limits)), ("isolation", c_void_p),
    ]


class Source(Sized):
    _fields_ = [
        ("size", c_size_t), ("context", c_void_p), ("byte_count", c_int64), ("read", Read), ("seek", Seek),
        ("release", Release),
    ]


class Info(Sized):
    _fields_ = [
        ("size", c_size_t), ("width", c_int64), ("height", c_int64), ("format", c_char * 32),
        ("media_type", c_char * 64), ("pixels", c_int32), ("has_alpha", c_int32), ("bits_per_channel", c_int32),
        ("orientation", c_int32), ("is_vector", c_int32), ("is_progressive", c_int32), ("is_animation", c_int32),
        ("image_count", c_int64), ("loop_count", c_int64), ("horizontal_resolution", c_double),
        ("vertical_resolution", c_double),
    ]


class DecodeOptions(Sized):
    _fields_ = [
        ("size", c_size_t), ("x", c_int64), ("y", c_int64), ("width", c_int64), ("height", c_int64),
        ("target_width", c_int64), ("target_height", c_int64), ("fits", c_int32), ("pixels", c_int32),
        ("alpha", c_int32), ("background", c_uint32), ("progress", Progress), ("context", c_void_p),
    ]


class Layout(Sized):
    _fields_ = [
        ("size", c_size_t), ("width", c_int64), ("height", c_int64), ("pixels", c_int32), ("alpha", c_int32),
        ("channel_count", c_int32), ("bits_per_channel", c_int32), ("row_byte_count", c_int64),
    ]


class ThumbnailOptions(Sized):
    _fields_ = [("size", c_size_t), ("progress", Progress), ("context", c_void_p)]


class EncodeOptions(Sized):
    _fields_ = [
        ("size", c_size_t), ("format", c_char_p), ("quality", c_double), ("lossless", c_int32), ("keeps", c_int32),
        ("background", c_uint32), ("has_background", c_int32), ("loop_count", c_int64), ("maximum_side", c_int64),
        ("maximum_byte_count", c_int64), ("thumbnail_side", c_int64), ("settings", c_char_p),
        ("keeps_existing", c_int32), ("progress", Progress), ("context", c_void_p),
    ]


class Sink(Sized):
    _fields_ = [("size", c_size_t), ("context", c_void_p), ("write", Write)]


class EffectOptions(Sized):
    _fields_ = [
        ("size", c_size_t), ("scale", c_double), ("linear_light", c_int32), ("bits_per_channel", c_int32),
        ("folder", c_char_p),
    ]


class AnimationInfo(Sized):
    _fields_ = [
        ("size", c_size_t), ("width", c_int64), ("height", c_int64), ("frame_count", c_int64),
        ("loop_count", c_int64), ("duration", c_double), ("missing", c_int32),
    ]


class TilesOptions(Sized):
    _fields_ = [("size", c_size_t), ("tile_size", c_int64), ("limits", POINTER(Limits)), ("isolation", c_void_p)]


class TilesInfo(Sized):
    _fields_ = [
        ("size", c_size_t), ("width", c_int64), ("height", c_int64), ("tile_size", c_int64), ("overlap", c_int64),
        ("level_count", c_int64), ("access", c_int32),
    ]


class LevelInfo(Sized):
    _fields_ = [
        ("size", c_size_t), ("width", c_int64), ("height", c_int64), ("column_count", c_int64), ("row_count", c_int64),
    ]


class PyramidOptions(Sized):
    _fields_ = [
        ("size", c_size_t), ("layout", c_char_p), ("tile_size", c_int64), ("overlap", c_int64), ("format", c_char_p),
        ("quality", c_double), ("keeps_existing", c_int32), ("limits", POINTER(Limits)), ("isolation", c_void_p),
        ("progress", Progress), ("context", c_void_p),
    ]


class JPNGParts(Sized):
    _fields_ = [
        ("size", c_size_t), ("color_byte_count", c_int64), ("mask_offset", c_int64), ("mask_byte_count", c_int64),
        ("version", c_int32),
    ]


class IsolationOptions(Sized):
    _fields_ = [
        ("size", c_size_t), ("worker", c_char_p), ("processor_seconds", c_int64), ("answer_seconds", c_int64),
        ("images_per_worker", c_int64),
    ]


_handle = POINTER(c_void_p)
_bytes = POINTER(c_void_p)
_size = POINTER(c_size_t)

# The functions that return a status, with their arguments but the last, the error.
_functions: dict[str, list[Any]] = {
    "format_at": [c_size_t, POINTER(FormatInfo)],
    "open_path": [c_char_p, POINTER(OpenOptions), _handle],
    "open_memory": [c_void_p, c_size_t, POINTER(OpenOptions), _handle],
    "open_source": [POINTER(Source), POINTER(OpenOptions), _handle],
    "image_info": [c_void_p, POINTER(Info)],
    "image_metadata": [c_void_p, c_int32, _bytes, _size],
    "decode_layout": [c_void_p, POINTER(DecodeOptions), POINTER(Layout)],
    "decode": [c_void_p, POINTER(DecodeOptions), c_void_p, c_size_t, c_size_t],
    "image_create": [POINTER(Layout), c_void_p, c_size_t, c_size_t, c_void_p, c_size_t, _handle],
    "thumbnail": [c_void_p, c_int64, c_int64, POINTER(ThumbnailOptions), _handle],
    "encode": [c_void_p, POINTER(EncodeOptions), _bytes, _size],
    "write_path": [c_void_p, c_char_p, POINTER(EncodeOptions)],
    "write_sink": [c_void_p, POINTER(Sink), POINTER(EncodeOptions)],
    "encode_frames": [
        POINTER(c_void_p), POINTER(c_double), c_size_t, POINTER(EncodeOptions), _bytes, _size,
    ],
    "apply": [c_void_p, c_char_p, POINTER(EffectOptions), _handle],
    "animation_open": [c_void_p, _handle],
    "animation_describe": [c_void_p, POINTER(AnimationInfo)],
    "animation_frame": [c_void_p, c_int64, _handle, POINTER(c_double)],
    "tiles_open": [c_char_p, POINTER(TilesOptions), _handle],
    "tiles_describe": [c_void_p, POINTER(TilesInfo)],
    "tiles_level": [c_void_p, c_int64, POINTER(LevelInfo)],
    "tiles_read": [c_void_p, c_int64, c_int64, c_int64, _handle],
    "tiles_copy": [c_void_p, c_int64, c_int64, c_int64, _bytes, _size, POINTER(FormatInfo)],
    "tiles_region": [c_void_p, c_int64, c_int64, c_int64, c_int64, c_int64, c_int64, _handle],
    "pyramid_build": [c_char_p, c_char_p, POINTER(PyramidOptions)],
    "jpng_split": [c_void_p, c_size_t, POINTER(JPNGParts)],
    "jpng_join": [c_void_p, c_size_t, c_void_p, c_size_t, _bytes, _size],
    "jpng_verify": [c_void_p, c_size_t, POINTER(c_void_p)],
    "isolation_create": [POINTER(IsolationOptions), _handle],
}

library = ctypes.CDLL(_find())
library.tessera_version.restype = c_char_p
library.tessera_status_name.restype = c_char_p
library.tessera_status_name.argtypes = [c_int32]
library.tessera_format_count.restype = c_size_t
library.tessera_free.argtypes = [c_void_p]
library.tessera_free.restype = None
for _name in ("image", "animation", "tiles", "isolation"):
    _function = getattr(library, f"tessera_{_name}_free")
    _function.argtypes = [c_void_p]
    _function.restype = None
for _name, _arguments in _functions.items():
    _function = getattr(library, f"tessera_{_name}")
    _function.argtypes = [*_arguments, POINTER(Error)]
    _function.restype = c_int32


def call(name: str, *arguments: Any) -> None:
    """Calls a function that returns a status; raises TesseraError for any but success."""
    error = Error()
    status = getattr(library, f"tessera_{name}")(*arguments, ctypes.byref(error))
    if status:
        raise TesseraError(
            error.message.decode(errors="replace"), library.tessera_status_name(status).decode(),
            error.byte_offset if error.byte_offset >= 0 else None)


class Handle:
    """A handle of the library, freed with the object."""

    def __init__(self, kind: str, function: str, *arguments: Any, after: tuple[Any, ...] = ()):
        """Calls `function`, whose output is the handle, between `arguments` and `after`."""
        self.value: Optional[int] = None
        self._free = getattr(library, f"tessera_{kind}_free")
        handle = c_void_p()
        call(function, *arguments, ctypes.byref(handle), *after)
        self.value = handle.value

    def __del__(self) -> None:
        if getattr(self, "value", None) is not None:
            self._free(self.value)


def take_bytes(function: str, *arguments: Any, after: tuple[Any, ...] = ()) -> Optional[bytes]:
    """Calls `function`, whose outputs are bytes and their number; None for NULL."""
    memory, count = c_void_p(), c_size_t()
    call(function, *arguments, ctypes.byref(memory), ctypes.byref(count), *after)
    if not memory.value:
        return None
    try:
        return ctypes.string_at(memory.value, count.value)
    finally:
        library.tessera_free(memory)


class Callback:
    """Calls Python from the library, and keeps what it raises."""

    def __init__(self, function: Any):
        self.error: Optional[BaseException] = None
        self._function = function

    def progress(self) -> Any:
        """A progress callback; a true result, or an exception, cancels."""
        if self._function is None:
            return Progress()

        def report(_context: Any, fraction: float) -> int:
            try:
                return 1 if self._function(fraction) else 0
            except BaseException as error:  # noqa: BLE001 - raised again by `run`
                self.error = error
                return 1

        return Progress(report)

    def run(self, work: Any) -> Any:
        """Runs `work`, and raises the callback's exception in place of the error that it caused."""
        try:
            return work()
        except TesseraError:
            if self.error is not None:
                raise self.error from None
            raise


def constant_buffer(data: Any) -> tuple[Any, int, int]:
    """An object that keeps `data` alive, its address, and its number of bytes."""
    view = memoryview(data).cast("B")
    if view.readonly:
        # ctypes takes the address of constant memory only of bytes.
        constant = data if isinstance(data, bytes) else bytes(view)
        return constant, ctypes.cast(ctypes.c_char_p(constant), c_void_p).value or 0, len(constant)
    array = (c_uint8 * len(view)).from_buffer(view)
    return array, ctypes.addressof(array), len(view)


def path_bytes(path: Any) -> bytes:
    """A path for the library."""
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise ValueError("a path can't contain a zero byte")
    return encoded
