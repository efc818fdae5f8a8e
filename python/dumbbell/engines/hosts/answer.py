"""What an agent on another host answers: `crates/agent/src/serve.rs`, and how much of it is believed.

Each text has a length and each number a range, so that nothing that a host sends is larger than it can be.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta, MsgspecError, Struct
from msgspec.json import Decoder

from dumbbell.engines.hosts.path_samples import PathSamples, Ports

_Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]
_Word = Annotated[str, Meta(max_length=64, pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.@:+~-]*\Z")]
"""What the kernel calls something, or a version: never a path."""
_Prefix = Annotated[str, Meta(max_length=64, pattern=r"^[0-9a-f.:]+/[0-9]+\Z")]
_Task = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9-]{0,63}\Z")]
_File = Annotated[str, Meta(max_length=4096)]
_MOST: Final = 4096
"""Of what a host has several."""


class Hello(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which agent it is, and where it runs."""

    version: _Word
    sha256: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
    architecture: _Word
    kernel: _Word
    uid: _Count
    cores: Annotated[int, Meta(ge=1, le=2**16)]


class Readings(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What both clocks of a host read at one time."""

    realtime_ns: _Count
    monotonic_ns: _Count


class Interface(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An interface of a host."""

    name: _Word
    up: bool
    mtu_bytes: _Count
    addresses: Annotated[list[_Prefix], Meta(max_length=_MOST)]
    """Each with its prefix: "10.0.0.1/24"."""
    qdisc: _Word | None


class Means(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which queueing disciplines a kernel can make: `crates/agent/src/network/machine.rs`."""

    tbf: bool
    htb: bool
    ifb: bool
    netem: bool
    loss: bool
    fq: bool
    codel: bool
    fq_codel: bool
    pie: bool
    red: bool
    dualpi2: bool
    cake: bool
    police: bool
    accurate_ecn: bool


class Description(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a host has that a run may need."""

    available: Annotated[list[_Word], Meta(max_length=_MOST)]
    """Congestion controls in the kernel, by Linux's names; for a plain user, those that everyone may choose."""
    default: _Word
    """That of connections which choose none, as programs' are."""
    loadable: Annotated[list[_Word], Meta(max_length=_MOST)]
    """Those of its modules."""
    tools: Annotated[dict[_Word, _File | None], Meta(max_length=64)]
    """Where each is."""
    interfaces: Annotated[list[Interface], Meta(max_length=_MOST)]
    means: Means | None
    load: Annotated[float, Meta(ge=0)]
    """Mean number of processes that run or wait for a disk, over a minute."""


class TaskState(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a task stands: `crates/agent/src/serve/tasks.rs`."""

    exists: bool
    runs: bool
    ready: bool
    """All is set up for time 0."""
    begun: bool
    """When time 0 is has been said."""
    complete: bool
    """All finite workloads are complete of which it has an end."""
    outcome_bytes: _Count | None
    captures: Annotated[list[tuple[Literal["senders", "bottleneck", "receivers"], _Count]], Meta(max_length=3)]
    console: Annotated[str, Meta(max_length=8192)]
    """The end of what it said."""


class TaskAnswer(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Of all that can be answered about a task, the one that was asked for."""

    start: bool | None = None
    """It has begun now, and had not before."""
    go: None = None
    finish: None = None
    remove: None = None
    clean: None = None
    state: TaskState | None = None
    collect: Annotated[str, Meta(max_length=2**21)] | None = None
    """A piece of a file in base64; empty: there is no more."""
    tasks: Annotated[list[_Task], Meta(max_length=_MOST)] | None = None


class AgentAnswer(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Of all that can be answered, the one that was asked for."""

    hello: Hello | None = None
    clock: Readings | None = None
    describe: Description | None = None
    task: TaskAnswer | None = None
    reflect: Ports | None = None
    path: PathSamples | None = None


class Reply(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A line of an agent's."""

    id: _Count | None
    """The request's."""
    answer: AgentAnswer | None = None
    error: str | None = None


_REPLY: Final = Decoder(Reply)


def reply(line: bytes) -> Reply | None:
    """What a line says; None: it is no reply."""
    try:
        return _REPLY.decode(line)
    except (MsgspecError, ValueError, RecursionError):
        return None
