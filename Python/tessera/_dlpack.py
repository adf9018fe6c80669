"""DLPack, by which PyTorch, JAX, CuPy and NumPy share memory: https://dmlc.github.io/dlpack."""

from __future__ import annotations

import ctypes
import math
from typing import Any

CPU = (1, 0)
_UNSIGNED = 1
_NAME = b"dltensor"


class _Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("number", ctypes.c_int32)]


class _DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device", _Device), ("dimension_count", ctypes.c_int32), ("type", _DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _ManagedTensor(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]


# Tensors that are in use, by address, with what they refer to.
_living: dict[int, tuple[Any, ...]] = {}


@_Deleter
def _delete(address: int) -> None:
    _living.pop(address, None)


# Capsules are passed as addresses: while one is being freed, nothing may refer to it.
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_is_capsule = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def _free_capsule(capsule: int) -> None:
    # A consumer renames the capsule that it has taken, and calls the deleter itself.
    if _is_capsule(capsule, _NAME):
        _delete(_pointer(capsule, _NAME))


def capsule(owner: Any, address: int, shape: tuple[int, ...], bits: int) -> Any:
    """A capsule of `shape` unsigned numbers at `address`, rows without padding. It keeps `owner` alive."""
    sizes = (ctypes.c_int64 * len(shape))(*shape)
    # In numbers, not bytes.
    steps = (ctypes.c_int64 * len(shape))(*(math.prod(shape[axis + 1:]) for axis in range(len(shape))))
    managed = _ManagedTensor()
    managed.tensor.data = address
    managed.tensor.device = _Device(*CPU)
    managed.tensor.dimension_count = len(shape)
    managed.tensor.type = _DataType(_UNSIGNED, bits, 1)
    managed.tensor.shape = ctypes.cast(sizes, ctypes.POINTER(ctypes.c_int64))
    managed.tensor.strides = ctypes.cast(steps, ctypes.POINTER(ctypes.c_int64))
    managed.deleter = _delete
    place = ctypes.addressof(managed)
    _living[place] = (managed, sizes, steps, owner)
    return _new_capsule(place, _NAME, ctypes.cast(_free_capsule, ctypes.c_void_p))
