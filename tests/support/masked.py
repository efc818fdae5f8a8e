"""A kernel that lacks something: this process, and whatever it starts, finds it missing from here on."""

from __future__ import annotations

import ctypes
import errno
import struct
from typing import Final

MASKS: Final = {"landlock": (444, 446), "seccomp": (317, 317)}
"""The numbers of system calls, first and last."""
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _MODE_FILTER = 38, 22, 2
_LOAD, _AT_LEAST, _ABOVE, _RETURN = 0x20, 0x35, 0x25, 0x06
"""Instructions of classic BPF: load a word, two conditional jumps, give a verdict."""
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def mask(what: str) -> None:
    """Has the kernel answer as one that was built without: ENOSYS. There is no way back."""
    first, last = MASKS[what]
    instructions = [
        (_LOAD, 0, 0, 0),  # the system call's number
        (_AT_LEAST, 0, 2, first),  # skips so many if it is, so many if it is not
        (_ABOVE, 1, 0, last),
        (_RETURN, 0, 0, _ERRNO | errno.ENOSYS),
        (_RETURN, 0, 0, _ALLOW),
    ]
    program = _Program(len(instructions), b"".join(struct.pack("HBBI", *each) for each in instructions))
    libc = ctypes.CDLL(None, use_errno=True)
    for arguments in ((_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), (_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(program), 0, 0)):
        if libc.prctl(*arguments):
            raise OSError(ctypes.get_errno(), "no filter of system calls")
