// The errors that Raster's functions throw, so that callers need no other import.
@_exported public import struct Platform.ImageError
