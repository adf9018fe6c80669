"""The library by ctypes, as another language's foreign function interface sees it: no header, no package."""

import ctypes
import os

library = ctypes.CDLL(os.environ["TESSERA_LIBRARY"])
library.tessera_free.argtypes = [ctypes.c_void_p]
library.tessera_image_free.argtypes = [ctypes.c_void_p]


class Error(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t), ("status", ctypes.c_int32), ("byte_offset", ctypes.c_int64),
        ("message", ctypes.c_char * 1024),
    ]


error = Error(size=ctypes.sizeof(Error))
image, small = ctypes.c_void_p(), ctypes.c_void_p()

# A file of two pixels: P6, 2x1.
data = b"P6 2 1 255\n" + bytes(range(6))
status = library.tessera_open_memory(
    data, ctypes.c_size_t(len(data)), None, ctypes.byref(image), ctypes.byref(error))
assert status == 0 and error.message == b"", error.message
pixels = (ctypes.c_uint8 * 8)()
status = library.tessera_decode(
    image, None, pixels, ctypes.c_size_t(8), ctypes.c_size_t(8), ctypes.byref(error))
assert status == 0, error.message
assert bytes(pixels) == bytes([0, 1, 2, 255, 3, 4, 5, 255]), bytes(pixels)
library.tessera_image_free(image)
library.tessera_image_free(image)

status = library.tessera_open_memory(
    data, ctypes.c_size_t(5), None, ctypes.byref(image), ctypes.byref(error))
assert status == 3 and image.value is None and error.byte_offset == 5, (status, error.message, error.byte_offset)
print("ok")
