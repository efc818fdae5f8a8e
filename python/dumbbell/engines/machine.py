"""This machine's own kernel: which it is, what it has, and whether this process may use it."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import dumbbell.cc as cc
from dumbbell.errors import EngineFailure
from dumbbell.kernel import congestion

BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")
"""Differs with each machine, and each time that it is started."""
TUN: Final = Path("/dev/net/tun")
TOOLS: Final = {
    "ip": "-V", "tc": "-V", "ss": "-V", "iperf3": "--version", "ffmpeg": "-version", "nc": "-h",
}  # fmt: skip
"""What a job may need beside the agent, each with the argument that makes it tell its version."""
_CONTROLS: Final = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
_MODULES: Final = Path("/sys/module")
"""Also of what is no module but a part of the kernel, where that has a version."""
_MACHINE_ID: Final = Path("/etc/machine-id")
_MODULE_PLACES: Final = ("*/net/ipv4", "*", "*/*")
"""Linux's own, and those of other trees."""
_NO_CONTROLS: Final = {"diag"}
"""What else Linux has a module `tcp_NAME` of."""
_MEANS_WITHIN_S: Final = 30
_TOOL_WITHIN_S: Final = 5


def release() -> str:
    """The kernel's release, as "6.1.0-13-amd64"."""
    return platform.release()


def description() -> tuple[str, ...]:
    """What tells this machine and its kernel from others: release, version, machine, CPU, number of cores."""
    machine = _text(_MACHINE_ID).strip() or platform.node()
    lines = _text(Path("/proc/cpuinfo")).splitlines()
    cpu = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return release(), platform.version(), machine, cpu, str(os.cpu_count())


def controls() -> dict[str, str]:
    """The congestion controls that are in the kernel, or that a module of it has -> the kernel's name of each.

    They have the same name, but for variants whose own is too long for Linux, and later versions of an algorithm.
    """
    present = _text(_CONTROLS).split()
    folder = Path("/lib/modules", release())
    modules = (module for place in _MODULE_PLACES for module in folder.glob(f"{place}/tcp_*.ko*"))
    loadable = {module.name.partition(".")[0].removeprefix("tcp_") for module in modules} - _NO_CONTROLS
    return congestion.controls({*present, *loadable}, cc.variants(), versions())


def versions() -> dict[str, int]:
    """Version of each congestion control in the kernel that says one, as version 3 of BBR does, and version 1 not."""
    texts = {file.parent.name.removeprefix("tcp_"): _text(file).strip() for file in _MODULES.glob("tcp_*/version")}
    return {name: int(text) for name, text in texts.items() if text.isdecimal()}


def need_root() -> None:
    """Returns where this process may set up networks.

    Raises:
        EngineFailure: it may not.
    """
    if os.geteuid() != 0:
        raise EngineFailure("needs root: it makes network namespaces and queueing disciplines")


def means(agent: Path) -> Mapping[str, bool]:
    """Which queueing disciplines the kernel has, as the agent found by trying them in a namespace of its own.

    Raises:
        EngineFailure: this process may not try, or the agent cannot.
    """
    need_root()
    try:
        done = subprocess.run(  # noqa: S603 (the agent)
            [agent, "means"], capture_output=True, check=False, encoding="utf-8", timeout=_MEANS_WITHIN_S
        )
        if done.returncode:
            raise EngineFailure(f"find the kernel's queueing disciplines: {done.stderr.strip()}")
        return {str(name): bool(there) for name, there in json.loads(done.stdout).items()}
    except (OSError, ValueError, AttributeError, subprocess.TimeoutExpired) as error:
        raise EngineFailure(f"find the kernel's queueing disciplines: {error}") from None


def tool(name: str) -> str | None:
    """What a tool says of its version; None: it is not here."""
    path = shutil.which(name)
    if path is None:
        return None
    with suppress(OSError, subprocess.TimeoutExpired):
        done = subprocess.run(  # noqa: S603 (one of `TOOLS`)
            [path, TOOLS[name]], capture_output=True, check=False, text=True, errors="replace", timeout=_TOOL_WITHIN_S,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        lines = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        if lines:
            return lines[0]
    return path


def _text(path: Path) -> str:
    """What a file of the system has; empty where it is not there."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
