"""JPNG's container: a colour JPEG and a mask in one file."""

from __future__ import annotations

import ctypes
from typing import NamedTuple

from . import _library as lib


class Parts(NamedTuple):
    """The parts of a JPNG file, byte for byte."""

    color: bytes
    mask: bytes


def split(data: bytes) -> Parts:
    """Takes a JPNG file apart; decodes nothing."""
    keep, address, count = lib.constant_buffer(data)
    parts = lib.JPNGParts()
    lib.call("jpng_split", address, count, ctypes.byref(parts))
    del keep
    view = memoryview(data)
    end = parts.mask_offset + parts.mask_byte_count
    return Parts(bytes(view[: parts.color_byte_count]), bytes(view[parts.mask_offset : end]))


def join(color: bytes, mask: bytes) -> bytes:
    """Makes a JPNG file of a JPEG and a mask, a grey PNG or JPEG; decodes nothing."""
    (keep_color, color_address, color_count), (keep_mask, mask_address, mask_count) = map(
        lib.constant_buffer, (color, mask))
    joined = lib.take_bytes("jpng_join", color_address, color_count, mask_address, mask_count)
    del keep_color, keep_mask
    return joined or b""


def verify(data: bytes) -> list[str]:
    """Checks a JPNG file, and returns what is unusual about it. Raises TesseraError if it is damaged."""
    keep, address, count = lib.constant_buffer(data)
    notes = ctypes.c_void_p()
    lib.call("jpng_verify", address, count, ctypes.byref(notes))
    del keep
    if not notes.value:
        return []
    try:
        return ctypes.string_at(notes.value).decode().split("\n")
    finally:
        lib.library.tessera_free(notes)
