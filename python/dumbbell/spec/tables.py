"""The tables of a spec, and the spec itself: what each key may say, and its default."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import AfterValidator, Discriminator, Field, PrivateAttr, Tag
from typing_extensions import override

import dumbbell.cc as cc
import dumbbell.spec.run as run
from dumbbell.problem import quoted
from dumbbell.spec.quantity import Bytes, Moment, QuantityError, Rate, Share, Size, Time, invalid
from dumbbell.spec.section import DependsOnInvalidField, Section, Swept, between, form

MOST_FLOWS = 100_000
MOST_SEEDS = 1_000_000
LONGEST_NAME = 100

LineRate: TypeAlias = Annotated[Rate, between(Rate("1 kbit/s"), Rate("1 Tbit/s"))]
StreamRate: TypeAlias = Annotated[Rate, between(Rate("1 bit/s"), Rate("1 Tbit/s"))]
RoundTrip: TypeAlias = Annotated[Time, between(Time("1 us"), Time("100 s"))]
TimeLimit: TypeAlias = Annotated[Time, between(Time("1 ms"), Time("1000000 s"))]
Instant: TypeAlias = Annotated[Time, between(Time("0 s"), Time("1000000 s"))]
Interval: TypeAlias = Annotated[Time, between(Time("1 us"), Time("1000000 s"))]
Payload: TypeAlias = Annotated[Bytes, between(Bytes("1 B"), Bytes("1000000 GB"))]
Memory: TypeAlias = Annotated[Bytes, between(Bytes("1 B"), Bytes("2 GiB"))]
Flag: TypeAlias = Annotated[bool, Field(strict=True)]
Seeds: TypeAlias = Annotated[
    Annotated[int, Field(strict=True, ge=1, le=MOST_SEEDS), Tag("#one")]
    | Annotated[
        list[Annotated[int, Field(strict=True, ge=0, lt=2**63)]],
        Field(min_length=1, max_length=MOST_SEEDS),
        Tag("#sweep"),
    ],
    Discriminator(form),
]

_LARGEST_BUFFERS = {"packets": Size("1000000000 packets"), "bdp": Size("100000 bdp")}
_LARGEST_BUFFER = Size("1000 GB")


def _sensible_room(size: Size) -> Size:
    most = _LARGEST_BUFFERS.get(size.unit, _LARGEST_BUFFER)
    if not 0 < size.value <= most.value:
        raise invalid(f"{quoted(str(size))} is out of range", f"more than none and at most {most}")
    return size


def _no_bdp(size: Size) -> Size:
    if size.unit == "bdp":
        raise invalid(
            f"{quoted(str(size))}: an access line has no bdp of its own", 'write it as "1 MB" or "100 packets"'
        )
    return size


def _proper_name(name: str) -> str:
    if not name.strip() or not name.isprintable() or name != name.strip() or len(name) > LONGEST_NAME:
        raise invalid(f"{quoted(name)} is no name", f"1 to {LONGEST_NAME} printable characters, no space around them")
    return name


BufferSize: TypeAlias = Annotated[Size, AfterValidator(_sensible_room)]
Name: TypeAlias = Annotated[str, AfterValidator(_proper_name)]


class Duration(Time):
    """How long a run takes: a time, or `until done`."""

    __slots__ = ()
    usual: ClassVar[Mapping[str, str]] = {"s": "300"}
    keywords = ("until done",)

    @property
    def until_done(self) -> bool:
        """Until every finite transfer is complete."""
        return self == "until done"

    @override
    def read(self, text: str) -> None:
        if text != "until done":
            super().read(text)
            if not Time("1 ms").value <= self.value <= Time("1000000 s").value:
                raise QuantityError(f"{quoted(text)} is out of range", "from 1 ms to 1000000 s")


class SocketMemory(Bytes):
    """Limit of the socket buffers: `max`, `default` or a size."""

    __slots__ = ()
    usual: ClassVar[Mapping[str, str]] = {"MB": "16"}
    keywords = ("max", "default")

    @property
    def keyword(self) -> Literal["max", "default"] | None:
        """The keyword, if it is one."""
        return "max" if self == "max" else "default" if self == "default" else None

    @override
    def read(self, text: str) -> None:
        if text not in self.keywords:
            super().read(text)
            if not Bytes("4 kB").value <= self.value <= Bytes("2 GiB").value:
                raise QuantityError(f"{quoted(text)} is out of range", "from 4 kB to 2 GiB")


class Change(Section):
    """A change of the path at a moment."""

    at: Swept[Instant] = Field(examples=["20 s"])
    rate: Swept[LineRate] = Field(examples=["20 Mbit/s"])


class Path(Section):
    """One bottleneck between all senders and all receivers."""

    lists: ClassVar[frozenset[str]] = frozenset({"change"})

    rate: Swept[LineRate] = Field(examples=["80 Mbit/s"])
    rtt: Swept[RoundTrip] = Field(examples=["25 ms"])
    buffer: Swept[BufferSize] = Field(examples=["1 bdp"])
    queue: Swept[Literal["bytes", "packets"]] = "bytes"
    loss: Swept[Annotated[Share, between(Share("0 %"), Share("99.9999999 %"))]] = Share("0 %")
    loss_at: Swept[Literal["before", "after"]] = "before"
    burst: Swept[Annotated[Bytes, between(Bytes("1 B"), Bytes("1 GB"))]] = Bytes("5 kB")
    mtu: Swept[Annotated[int, Field(strict=True, ge=576, le=65_535)]] = run.MTU_BYTES
    delay_side: Swept[Literal["return", "forward", "split"]] = "return"
    offload: Swept[Flag] = False
    change: list[Change] = Field(default=[], max_length=10_000)


class Transfer(Section):
    """So many bytes, then close."""

    transfer: Swept[Payload] = Field(examples=["100 MB"])


class Stream(Section):
    """Writes of one size at a steady pace."""

    stream: Swept[StreamRate] = Field(examples=["2916.8 kbit/s"])
    for_: Swept[Interval] = Field(alias="for", examples=["34 s"])
    every: Swept[Interval] = Field(examples=["40 ms"])


class Trace(Section):
    """Writes as a file lists them: time in seconds after the flow's start, bytes."""

    trace: Swept[Annotated[str, Field(min_length=1)]] = Field(examples=["writes.csv"])


WORKLOADS: dict[str, type[Section]] = {"transfer": Transfer, "stream": Stream, "trace": Trace}


def _kind_of_workload(value: Any) -> str | None:  # noqa: ANN401 (not yet validated)
    """Give the tag of a workload; None: none that there is."""
    for kind, section in WORKLOADS.items():
        if isinstance(value, section) or (isinstance(value, dict) and kind in value):
            return f"#{kind}"
    return "#bulk" if value == "bulk" else None


Workload: TypeAlias = Annotated[
    Annotated[Literal["bulk"], Tag("#bulk")]
    | Annotated[Transfer, Tag("#transfer")]
    | Annotated[Stream, Tag("#stream")]
    | Annotated[Trace, Tag("#trace")],
    Discriminator(_kind_of_workload),
]


class Access(Section):
    """A sender's own line before the bottleneck."""

    rate: Swept[LineRate] = Field(examples=["1 Gbit/s"])
    buffer: Swept[Annotated[BufferSize, AfterValidator(_no_bdp)]] = Field(examples=["1 MB"])


class Flow(Section):
    """A group of flows that differ in their start only."""

    name: Swept[Name] | None = None
    cc: Swept[str] = Field(examples=["bbr"])
    count: Swept[Annotated[int, Field(strict=True, ge=1, le=MOST_FLOWS)]] = 1
    start: Swept[Instant] = Time("0 s")
    stagger: Swept[Instant] = Time("0 s")
    stop: Swept[Instant] | None = None
    workload: Swept[Workload] = "bulk"
    rtt: Swept[RoundTrip] | None = None
    access: Swept[Access] | None = None


class Host(Section):
    """The end hosts."""

    socket_memory: Swept[SocketMemory] = SocketMemory("max")
    receive_window: Swept[Memory] | None = None
    initial_window: Swept[Annotated[int, Field(strict=True, ge=1, le=10_000)]] = 10
    qdisc: Swept[Literal["none", "fq"]] = "none"
    sack_compression: Swept[Flag] = True


class Measure(Section):
    """What to record, and where the summary is taken."""

    lists: ClassVar[frozenset[str]] = frozenset({"window"})

    window: Annotated[list[Moment], Field(min_length=2, max_length=2)] | None = None
    sample: Swept[Interval] = Time("50 ms")
    record: Swept[Literal["summary", "series", "acks", "pcap"]] = "series"


class Spec(Section):
    """A spec of which each key is right by itself, or unknown; whether they fit together is for the rules to say."""

    lists: ClassVar[frozenset[str]] = frozenset({"seeds", "zip", "flows"})

    name: Name = "experiment"
    duration: Swept[Duration] = Field(examples=["300 s"])
    time_limit: Swept[TimeLimit] | None = None
    seeds: Seeds = 1
    start_jitter: Swept[Instant] = Time("0 s")
    zip: list[Annotated[list[str], Field(min_length=2)]] = Field(default=[])
    path: Path = Field(examples=["[path]"])
    flows: Annotated[list[Flow], Field(min_length=1, max_length=MOST_FLOWS)] = Field(examples=["[[flows]]"])
    host: Host = Host()
    measure: Measure = Measure()

    _folder: FilePath = PrivateAttr(default=FilePath())
    _registry: cc.Registry = PrivateAttr(default={})
    _traces: dict[str, run.Trace] = PrivateAttr(default={})

    @property
    def registry(self) -> cc.Registry:
        """The congestion controls that it may name."""
        return self._registry

    @property
    def folder(self) -> FilePath:
        """The folder that the spec's relative file names start from."""
        return self._folder

    def trace_of(self, name: str) -> run.Trace:
        """Give the writes of a trace that the spec names."""
        if name not in self._traces:
            raise DependsOnInvalidField
        return self._traces[name]
