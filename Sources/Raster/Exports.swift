// What Raster's functions throw, so that whoever calls them needs no other import.
@_exported public import struct Platform.ImageError
