"""Linux kernels that run as an ordinary process in virtual time: how they are built, kept and found."""

from __future__ import annotations

from dumbbell.kernel.building import build
from dumbbell.kernel.shelf import Kernel, find, kernels, remove

__all__ = ["Kernel", "build", "find", "kernels", "remove"]
