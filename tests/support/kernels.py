"""Kernels that are none: what an engine asks of a kernel, without one; and programs that behave like an agent."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path

from dumbbell.engines.guest import Order
from dumbbell.kernel import Kernel

CONTROLS = {
    "bbr": "bbr",
    "bbr_4_17": "bbr_4_17",
    "bbr_4_17_shallow": "bbr_4_17_s_1a2b",
    "cubic": "cubic",
    "vegas": "vegas",
}

CONTROLS_3 = {"bbr3": "bbr", "cubic": "cubic", "reno": "reno"}
"""Of a kernel whose `bbr` is version 3, and which has no version 1."""


def kernel_3(controls: dict[str, str] | None = None) -> Kernel:
    """One whose `bbr` is version 3; `controls`: another has version 1, too."""
    both = {"bbr": 3} | ({"bbr1": 1} if controls else {})
    return replace(kernel("bbr3", controls=controls or CONTROLS_3), release="6.12.117", versions=both)


def kernel(name: str = "6.1", identity: str = "0123", controls: dict[str, str] | None = None) -> Kernel:
    return Kernel(
        name=name,
        identity=identity,
        executable=Path("/nowhere/linux"),
        release="6.1.192",
        controls=CONTROLS if controls is None else controls,
        compiler="gcc 12",
    )


def agent(folder: Path, program: str) -> Path:
    """A program in Python that is started where an agent would be, its folder the guest's root."""
    script = folder / "agent"
    interpreter = shlex.quote(sys.executable)
    script.write_text(f'#!/bin/sh\nexec {interpreter} -I -c {shlex.quote(program)} "$@"\n', encoding="utf-8")
    return script


def order(folder: Path, program: str, *, limit_s: float = 30, job: str = "{}", seed: int = 1) -> Order:
    return Order(
        kernel=Path("/nowhere/linux"),
        agent=agent(folder, program),
        job=job,
        seed=seed,
        memory_mb=1024,
        limit_s=limit_s,
    )
