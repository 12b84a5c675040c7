# SPDX-License-Identifier: MIT
"""The shared library from Python's ctypes, without any module: python examples/ctypes_worlds.py build/libtact.so SCENE [STEPS]"""
import ctypes
import sys

tact = ctypes.CDLL(sys.argv[1])
tact.tact_worlds_open.restype = ctypes.c_void_p
tact.tact_worlds_open.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t]
tact.tact_worlds_view.restype = ctypes.POINTER(ctypes.c_double)
tact.tact_worlds_view.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.POINTER(ctypes.c_ssize_t)]
tact.tact_worlds_step.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p]
tact.tact_worlds_nq.argtypes = tact.tact_worlds_close.argtypes = [ctypes.c_void_p]
tact.tact_version.restype = ctypes.c_char_p
assert tact.tact_real_size() == 8, "a library in single precision"

COUNT, TACT_WORLDS_Q = 4, 0
message = ctypes.create_string_buffer(1300)
worlds = tact.tact_worlds_open(sys.argv[2].encode(), COUNT, 0, message, len(message))
if not worlds:
    sys.exit(message.value.decode())
status = (ctypes.c_int * COUNT)()
tact.tact_worlds_step(worlds, None, None, int(sys.argv[3]) if len(sys.argv) > 3 else 100, status)
stride = ctypes.c_ssize_t()
q = tact.tact_worlds_view(worlds, TACT_WORLDS_Q, ctypes.byref(stride))
print(*(q[(COUNT - 1) * stride.value // 8 + i] for i in range(tact.tact_worlds_nq(worlds))))
tact.tact_worlds_close(worlds)
