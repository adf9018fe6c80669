"""Images larger than memory: tiles and pyramids."""

from __future__ import annotations

import ctypes
from typing import Any, Iterator, NamedTuple, Optional

from . import _library as lib
from ._image import Image, Isolation, PathLike, ProgressFunction, Region, Size


class Level(NamedTuple):
    """A level of tiles: its size in pixels, and its columns and rows of tiles."""

    width: int
    height: int
    columns: int
    rows: int


class Tiles:
    """An image in tiles, of which only those requested are decoded where the file allows it."""

    def __init__(
        self, path: PathLike, *, tile_size: int = 0, limits: Optional[lib.Limits] = None,
        isolation: Optional[Isolation] = None,
    ):
        """Opens any image, a packed pyramid, a tree of tiles, or an archive of one."""
        options = lib.TilesOptions(
            tile_size=tile_size, isolation=None if isolation is None else isolation._handle.value)
        if limits is not None:
            options.limits = ctypes.pointer(limits)
        self._handle = lib.Handle("tiles", "tiles_open", lib.path_bytes(path), ctypes.byref(options))
        info = lib.TilesInfo()
        lib.call("tiles_describe", self._handle.value, ctypes.byref(info))
        self.size: Size = (info.width, info.height)
        self.tile_size: int = info.tile_size
        self.overlap: int = info.overlap
        self.access: str = {1: "stored", 2: "indexed", 3: "decoded"}[info.access]
        self.levels: list[Level] = [self._level(number) for number in range(info.level_count)]

    def _level(self, number: int) -> Level:
        info = lib.LevelInfo()
        lib.call("tiles_level", self._handle.value, number, ctypes.byref(info))
        return Level(info.width, info.height, info.column_count, info.row_count)

    def tile(self, column: int, row: int, level: int = 0) -> Image:
        """A tile; level 0 is the full image, and each other half of the one before."""
        return Image(lib.Handle("image", "tiles_read", self._handle.value, level, column, row))

    def encoded(self, column: int, row: int, level: int = 0) -> Optional[bytes]:
        """A tile's file, stored or cut from the image's without loss; None if there is none."""
        return lib.take_bytes("tiles_copy", self._handle.value, level, column, row, after=(None,))

    def region(self, region: Region, size: Optional[Size] = None) -> Image:
        """A region (x, y, width, height) of the full image, scaled to a size."""
        width, height = size or (0, 0)
        return Image(lib.Handle("image", "tiles_region", self._handle.value, *region, width, height))

    def __iter__(self) -> Iterator[Image]:
        """The tiles of the full image, row by row."""
        level = self.levels[0]
        return (self.tile(column, row) for row in range(level.rows) for column in range(level.columns))


def tiles(path: PathLike, **options: Any) -> Tiles:
    """Opens an image in tiles, as `Tiles` does."""
    return Tiles(path, **options)


def build_pyramid(
    input: PathLike, output: PathLike, *, layout: Optional[str] = None, tile_size: int = 0, overlap: int = 0,
    format: Optional[str] = None, quality: Optional[float] = None, overwrite: bool = True,
    limits: Optional[lib.Limits] = None, isolation: Optional[Isolation] = None,
    progress: Optional[ProgressFunction] = None,
) -> None:
    """Builds a pyramid of tiles: "survey.dzi", "survey.szi", "survey.pyramid", "survey.tif", or a folder and a layout."""
    callback = lib.Callback(progress)
    options = lib.PyramidOptions(
        layout=None if layout is None else layout.encode(), tile_size=tile_size, overlap=overlap,
        format=None if format is None else format.encode(), quality=quality or 0, keeps_existing=not overwrite,
        isolation=None if isolation is None else isolation._handle.value, progress=callback.progress())
    if limits is not None:
        options.limits = ctypes.pointer(limits)
    callback.run(lambda: lib.call(
        "pyramid_build", lib.path_bytes(input), lib.path_bytes(output), ctypes.byref(options)))
