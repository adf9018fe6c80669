"""Animations."""

from __future__ import annotations

import ctypes
from typing import Any, Iterator, NamedTuple, Optional, Sequence

from . import _library as lib
from ._image import Image, Input, _encoding, open as open_image


class Frame(NamedTuple):
    """A frame, and the seconds for which it is shown."""

    image: Image
    duration: float


class AnimatedImage(Sequence[Frame]):
    """An animation's frames, each composed on its canvas and decoded when its pixels are needed.

    Reads GIF, APNG, WebP, AVIF, HEIC and JPEG XL; a still is an animation of one frame.
    """

    def __init__(self, source: Input, **options: Any):
        """Opens an animation; options as `tessera.open`."""
        self._open(open_image(source, **options))

    @classmethod
    def _of(cls, image: Image) -> "AnimatedImage":
        """The animation that an open image is the first frame of."""
        animation = cls.__new__(cls)
        animation._open(image)
        return animation

    def _open(self, image: Image) -> None:
        self._handle = lib.Handle("animation", "animation_open", image._handle.value)
        self._info = lib.AnimationInfo()
        lib.call("animation_describe", self._handle.value, ctypes.byref(self._info))
        self.format = image.format

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of every frame."""
        return self._info.width, self._info.height

    @property
    def loop_count(self) -> int:
        """How often it plays; 0 for endlessly."""
        return self._info.loop_count

    @property
    def duration(self) -> float:
        """The sum of the frames' durations, in seconds."""
        return self._info.duration

    def __len__(self) -> int:
        return self._info.frame_count

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        number = index + len(self) if index < 0 else index
        if not 0 <= number < len(self):
            raise IndexError(f"there is no frame {index}; the animation has {len(self)}")
        duration = ctypes.c_double()
        handle = lib.Handle(
            "image", "animation_frame", self._handle.value, number, after=(ctypes.byref(duration),))
        return Frame(Image(handle), duration.value)

    def __iter__(self) -> Iterator[Frame]:
        return (self[index] for index in range(len(self)))


def encode_frames(
    images: Sequence[Image], format: str, *, durations: Optional[Sequence[float]] = None, **options: Any
) -> bytes:
    """A file of several images: an animation's frames, or pages. Options as `Image.save`, and `loop_count`."""
    if durations is not None and len(durations) != len(images):
        raise ValueError(f"{len(durations)} durations for {len(images)} images")
    settings, callback = _encoding(format, options)
    handles = (ctypes.c_void_p * len(images))(*(image._handle.value for image in images))
    times = None if durations is None else (ctypes.c_double * len(images))(*durations)
    return callback.run(lambda: lib.take_bytes(
        "encode_frames", handles, times, len(images), ctypes.byref(settings))) or b""
