"""Why a kernel does not come up on a machine, as its console shows it, and what helps."""

from __future__ import annotations

import ctypes
import os
import re
import subprocess

STATE_ROOM_BYTES = 12288
"""For vector state, in a kernel before Linux 6.13: `HOST_FP_SIZE` in the recipe. Later ones ask the machine."""
_ALLOWED = "in a container `--security-opt seccomp=unconfined --cap-add SYS_PTRACE` allows it"
_CAUSES = {
    r"ptrace: Operation not permitted": (
        f"this machine forbids a process to trace its own; {_ALLOWED}, and elsewhere a "
        "/proc/sys/kernel/yama/ptrace_scope below 2"
    ),
    r"turn off address randomisation": (
        f"this machine forbids a process to turn off the randomisation of its addresses; {_ALLOWED}"
    ),
    r"/init: Permission denied|execute .*: Permission denied": (
        "programs may not be executed in the temporary folder, or in that of the kernels; "
        "TMPDIR and DUMBBELL_DATA name others"
    ),
    r"setup_physmem - mapping|mount likely just ran out of space": (
        "there is no room for its memory, a file in /dev/shm, or in the temporary folder where that is full; "
        "fewer runs at once need less, and TMPDIR names another folder"
    ),
}
_SEIZE, _INTERRUPT, _GETREGSET, _XSTATE = 0x4206, 0x4207, 0x4204, 0x202


def diagnosis(console: str) -> str | None:
    """What was wrong and what helps, in one line; None: nothing that is known."""
    if "ptrace set fp regs failed, errno = 14" in console and state_bytes() > STATE_ROOM_BYTES:
        return too_large(state_bytes())
    for pattern, cause in _CAUSES.items():
        if re.search(pattern, console):
            return f"the kernel cannot run here: {cause}"
    return None


def too_large(state: int) -> str:
    """What to say of a machine whose vector state does not fit into a kernel."""
    return (
        f"the kernel cannot run here: the vector state of this CPU is {state} bytes, and a kernel before Linux 6.13 "
        f"has room for {STATE_ROOM_BYTES}; a larger HOST_FP_SIZE in kernel/recipe.toml and `dumbbell kernel build` help"
    )


def state_bytes() -> int:
    """Bytes of vector state, x87 to AVX-512 and AMX, that this machine gives out as a whole, and takes back so.

    Raises:
        OSError: it does not let a process trace its own.
    """
    ptrace = ctypes.CDLL(None, use_errno=True).ptrace
    ptrace.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    ptrace.restype = ctypes.c_long

    def ask(request: int, address: int | None = None, data: object = None) -> None:
        if ptrace(request, traced.pid, address, data) < 0:
            raise OSError(ctypes.get_errno(), "ptrace: " + os.strerror(ctypes.get_errno()))

    area = ctypes.create_string_buffer(1 << 20)
    part = (ctypes.c_size_t * 2)(ctypes.addressof(area), len(area))  # a struct iovec: where, and how much
    with subprocess.Popen(["sleep", "60"], stdin=subprocess.DEVNULL) as traced:  # noqa: S607 (the one in PATH)
        try:
            ask(_SEIZE)
            ask(_INTERRUPT)
            os.waitpid(traced.pid, 0)
            ask(_GETREGSET, _XSTATE, ctypes.byref(part))
        finally:
            traced.kill()
    return part[1]
