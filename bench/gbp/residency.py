# SPDX-License-Identifier: MIT
"""residency: tells which pages of a file are cached."""
import ctypes
import mmap
import os


class Residency:
    """Tells by mincore() which pages of a file are cached."""

    def __init__(self, path):
        self.file = open(path, "rb")
        self.size = os.fstat(self.file.fileno()).st_size
        self.map = mmap.mmap(self.file.fileno(), 0, prot=mmap.PROT_READ | mmap.PROT_WRITE, flags=mmap.MAP_PRIVATE)
        self.libc = ctypes.CDLL(None, use_errno=True)

    def pages(self):
        vector = (ctypes.c_ubyte * ((self.size + 4095) // 4096))()
        address = ctypes.addressof(ctypes.c_char.from_buffer(self.map))
        if self.libc.mincore(ctypes.c_void_p(address), ctypes.c_size_t(self.size), vector) != 0:
            raise OSError(ctypes.get_errno(), "mincore")
        return [value & 1 for value in vector]
