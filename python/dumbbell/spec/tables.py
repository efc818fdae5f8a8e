"""The tables of a spec, and the spec itself: what each key may say, and its default."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path as FilePath
from typing import Annotated, Any, ClassVar, Literal, TypeAlias, TypeVar

from pydantic import AfterValidator, Discriminator, Field, PrivateAttr, Tag
from typing_extensions import override

import dumbbell.cc as cc
import dumbbell.spec.run as run
from dumbbell.problem import quoted
from dumbbell.spec.quantity import Bytes, Frequency, Moment, QuantityError, Rate, Share, Size, Time, invalid
from dumbbell.spec.section import Bounds, DependsOnInvalidField, Section, Swept, between, form
from dumbbell.spec.words import SweptWords
from dumbbell.units import PPB

FileT = TypeVar("FileT")

MOST_FLOWS = 100_000
MOST_SEEDS = 1_000_000
MOST_ARRIVALS = 1_000_000
LONGEST_NAME = 100

LineRate: TypeAlias = Annotated[Rate, between(Rate("1 kbit/s"), Rate("1 Tbit/s"))]
ChangedRate: TypeAlias = Annotated[
    Rate, between(Rate("1 kbit/s"), Rate("1 Tbit/s"), "an outage, a rate of 0, is not in this version")
]
StreamRate: TypeAlias = Annotated[Rate, between(Rate("1 bit/s"), Rate("1 Tbit/s"))]
RoundTrip: TypeAlias = Annotated[Time, between(Time("1 us"), Time("100 s"))]
TimeLimit: TypeAlias = Annotated[Time, between(Time("1 ms"), Time("1000000 s"))]
Instant: TypeAlias = Annotated[Time, between(Time("0 s"), Time("1000000 s"))]
Interval: TypeAlias = Annotated[Time, between(Time("1 us"), Time("1000000 s"))]
Payload: TypeAlias = Annotated[Bytes, between(Bytes("1 B"), Bytes("1000000 GB"))]
Memory: TypeAlias = Annotated[Bytes, between(Bytes("1 B"), Bytes("2 GiB"))]
FileName: TypeAlias = Annotated[str, Field(min_length=1)]
Load: TypeAlias = Annotated[float, Field(strict=True, gt=0, le=10)]
Sigma: TypeAlias = Annotated[float, Field(strict=True, gt=0, le=10)]
Shape: TypeAlias = Annotated[float, Field(strict=True, ge=0.1, le=100)]
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

_GROUP = re.compile(r"flows\[([0-9]{1,6})\]")
_LARGEST_BUFFERS = {
    "packets": Size("1000000000 packets"), "bdp": Size("100000 bdp"), **dict.fromkeys(Time.units, Size("1000 s"))
}  # fmt: skip
_LARGEST_BUFFER = Size("1000 GB")


def _sensible_room(size: Size) -> Size:
    """More than none and at most 1000 GB, 1000000000 packets, 100000 bdp or 1000 s."""
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


def _group(text: str) -> str:
    """A group of flows by its place: `flows[0]` is the first."""
    if not _GROUP.fullmatch(text):
        raise invalid(f"{quoted(text)} is no group of flows", 'write it by its place, as "flows[0]"')
    return text


BufferSize: TypeAlias = Annotated[Size, AfterValidator(_sensible_room)]
Name: TypeAlias = Annotated[str, AfterValidator(_proper_name)]
Group: TypeAlias = Annotated[str, AfterValidator(_group)]


class Duration(Time):
    """How long a run takes: a time, or `until done`."""

    __slots__ = ()
    usual: ClassVar[Mapping[str, str]] = {"s": "300"}
    keywords = ("until done",)
    bounds: ClassVar[Bounds[Time]] = Bounds(Time("1 ms"), Time("1000000 s"))

    @property
    def until_done(self) -> bool:
        """Until every finite transfer is complete."""
        return self == "until done"

    @override
    def read(self, text: str) -> None:
        if text != "until done":
            super().read(text)
            if not self.bounds.least.value <= self.value <= self.bounds.most.value:
                raise QuantityError(f"{quoted(text)} is out of range", str(self.bounds))


class SocketMemory(Bytes):
    """Limit of the socket buffers: `max`, `default` or a size."""

    __slots__ = ()
    usual: ClassVar[Mapping[str, str]] = {"MB": "16"}
    keywords = ("max", "default")
    bounds: ClassVar[Bounds[Bytes]] = Bounds(Bytes("4 kB"), Bytes("2 GiB"))

    @property
    def keyword(self) -> Literal["max", "default"] | None:
        """The keyword, if it is one."""
        return "max" if self == "max" else "default" if self == "default" else None

    @override
    def read(self, text: str) -> None:
        if text not in self.keywords:
            super().read(text)
            if not self.bounds.least.value <= self.value <= self.bounds.most.value:
                raise QuantityError(f"{quoted(text)} is out of range", str(self.bounds))


class Jitter(Time):
    """Timing noise of hosts: a time, times that of a full packet on the line, or `none`.

    The value of `packet` is in billionths; what it comes to, the path's rate and MTU decide.
    """

    __slots__ = ()
    noun = "a time or packets"
    usual: ClassVar[Mapping[str, str]] = {"us": "50", "packet": "1"}
    units: ClassVar[Mapping[str, int]] = {**Time.units, "packet": PPB}
    keywords = ("none",)
    bounds: ClassVar[Bounds[Time]] = Bounds(Time("1 ns"), Time("4 s"))
    """What every engine can draw evenly below: Linux's `netem` draws from a mean and a bound on both sides of it, half
    the jitter, which has 31 bits of nanoseconds (`tabledist`): 4.29 s."""

    @override
    @classmethod
    def spelling(cls, unit: str) -> str | None:
        return "packet" if unit.lower() in {"packet", "packets"} else super().spelling(unit)

    @override
    def read(self, text: str) -> None:
        if text == "none":
            self.number, self.value, self.unit = Fraction(0), 0, "ns"
            return
        super().read(text)
        if not self.value:
            raise QuantityError(f"{quoted(text)} is no noise", 'write "none"')
        if self.unit != "packet" and not self.bounds.least.value <= self.value <= self.bounds.most.value:
            raise QuantityError(f"{quoted(text)} is out of range", f'{self.bounds}, or "none"')


class Change(Section):
    """A change of the path at a moment."""

    at: Swept[Instant] = Field(examples=["20 s"])
    """When the rate changes, from the run's beginning; after the change before it and before the run's end."""
    rate: Swept[ChangedRate] = Field(examples=["20 Mbit/s"])
    """The bottleneck's rate from then on. What is on the line at that moment is finished at the new rate."""


class Path(Section):
    """One bottleneck between all senders and all receivers."""

    lists: ClassVar[frozenset[str]] = frozenset({"change"})

    rate: Swept[LineRate] = Field(examples=["80 Mbit/s"])
    """The bottleneck's rate. It is charged for Ethernet frames, the IP packet and 14 bytes, as Linux's `tbf` counts: of
    80 Mbit/s an application can see 76.5 at an MTU of 1500."""
    rtt: Swept[RoundTrip] = Field(examples=["25 ms"])
    """The base round-trip time: what a packet and its ACK take when no queue has anything in it and apart from the time
    on the line. A group of flows may have its own, `flows[].rtt`."""
    buffer: Swept[BufferSize] = Field(examples=["1 bdp"])
    """Room of the bottleneck's drop-tail queue. `bdp` is `path.rate` x `path.rtt`, the rate being that of the run's
    beginning: 1 bdp of 80 Mbit/s and 25 ms is 250 kB. A time is what that rate carries in it, as `tbf`'s `latency`:
    25 ms are 250 kB, too. Either holds a frame at least. `packets` are full frames, of MTU + 14 bytes."""
    queue: Swept[Literal["bytes", "packets"]] = "bytes"
    """What the queue counts: bytes of frames, as `tbf` does, or packets of whatever size, as a `pfifo` or many a router
    does. With `"packets"` the buffer is written in `packets`, in `bdp` or as a time."""
    loss: Swept[Annotated[Share, between(Share("0 %"), Share("99.9999999 %"))]] = Field(
        default=Share("0 %"), examples=["0.1 %"]
    )
    """Random loss: each packet of data is lost with this probability, independently of all others, from the end of the
    flow's handshake on. ACKs are never lost so. Results count it as `random_lost_packets`, apart from the queue's
    drops."""
    loss_at: Swept[Literal["before", "after"]] = "before"
    """Where random loss strikes: `"before"` the queue, so that a lost packet takes none of the line's time, or
    `"after"` it, as on a radio link behind the bottleneck, so that the line has carried it for nothing."""
    burst: Swept[Annotated[Bytes, between(Bytes("1 B"), Bytes("1 GB"))]] = Field(
        default=Bytes("5 kB"), examples=["20 kB"]
    )
    """Depth of the token bucket that shapes the line: so much passes at once after a pause. One frame or less is a
    plain line, which sends one frame after the other, unless `shaper = "htb"`. A super-packet (`path.offload`) that is
    larger than the bucket leaves when that is full, and the bucket owes the rest; Linux's `tbf` would cut it, so that
    `linux` asks for a bucket that holds one, 70 kB, or for `htb`."""
    shaper: Swept[Literal["tbf", "htb"]] = "tbf"
    """How the bucket reckons, by the name of Linux's queueing discipline: with `"tbf"` a frame leaves when the tokens
    suffice for it, with `"htb"` when the bucket owes nothing, and it may leave it owing. The rate in the long run is
    the same; after a pause `htb` lets a frame more pass at once. `tc` gives an `htb` that is told none a `burst` of
    1600 B."""
    shaper_at: Swept[Literal["router", "receiver"]] = "router"
    """Where bucket and queue stand: at a `"router"`'s egress, or at the `"receiver"`'s ingress, where an `ifb` takes
    what comes in: the last hop of all, so that nothing of the path can be behind it. To the simulator both are the
    same."""
    jitter: Swept[Jitter] = Field(default=Jitter("50 us"), examples=["1 packet"])
    """Timing noise of the sending hosts. Each burst that a host hands over leaves it later by a time drawn evenly from
    the seed, below this, and never before the burst ahead of it: nothing is reordered. It acts behind the host's own
    queue (`host.qdisc`, an access line that is a device) and before a router's line and the bottleneck, on data and not
    on ACKs. The default is about what hosts have. `"1 packet"` is the time of a full packet on the line: as much as
    takes [phase effects](limitations.md#phase-effects) away; `"none"` is for formulas
    ([which to write](how-to/noise-and-phases.md)). On engines of real hosts noise is their own where nothing is
    written."""
    mtu: Swept[Annotated[int, Field(strict=True, ge=576, le=65_535)]] = Field(default=run.MTU_BYTES, examples=[9000])
    """Largest IP packet in bytes, written without a unit. A full segment carries 52 bytes less: IP, TCP and its
    timestamps."""
    delay_side: Swept[Literal["return", "forward", "split"]] = "return"
    """Where the base round-trip time lies: on the way of the ACKs, on the way of the data behind the bottleneck, or
    half on each. It decides when a receiver has a byte, and not how long a round trip takes."""
    offload: Swept[Flag] = False
    """Whether super-packets of up to 64 kB reach the bottleneck whole, as from a sender with TSO and GSO whose NIC does
    not cut them."""
    change: list[Change] = Field(default=[], max_length=10_000)
    """Changes of the path's rate in the course of a run, each a table `[[path.change]]`, in order of time."""


class Transfer(Section):
    """So many bytes, then close."""

    transfer: Swept[Payload] = Field(examples=["100 MB"])
    """So many bytes, then done. The result has the completion time of each flow, `fct_s`: from `connect()` to the last
    byte's arrival."""


class Stream(Section):
    """Writes of one size at a steady pace."""

    stream: Swept[StreamRate] = Field(examples=["2916.8 kbit/s"])
    """A pace at which the application writes, whether TCP keeps up or not: an even stream, as of a live video. It is
    payload, without headers."""
    for_: Swept[Interval] = Field(alias="for", examples=["34 s"])
    """How long a stream is written."""
    every: Swept[Interval] = Field(examples=["40 ms"])
    """How much time is between two writes of a stream: each is `stream` x `every` bytes."""


class Trace(Section):
    """Writes as a file lists them: time in seconds after the flow's start, bytes."""

    trace: Swept[FileName] = Field(examples=["writes.csv"])
    """A CSV file of writes, relative to the spec's folder: [two columns](#trace-files)."""


class Arrivals(Section):
    """When the transfers of a source arrive: by chance, or as a file lists them."""

    load: Swept[Load] | None = Field(default=None, examples=[0.6])
    """Arrivals by chance (Poisson), so many that they offer the bottleneck this part of `path.rate`: 0.6 is 60 %. What
    is counted is the mean size with the headers of its segments; what is sent again comes on top."""
    rate: Swept[Annotated[Frequency, between(Frequency("0.000001 /s"), Frequency("10000000 /s"))]] | None = Field(
        default=None, examples=["50 /s"]
    )
    """Arrivals by chance (Poisson), so many a second in the mean."""
    trace: Swept[FileName] | None = Field(default=None, examples=["arrivals.csv"])
    """A CSV file of arrivals, relative to the spec's folder: the time of each in seconds after the flow's start, and in
    a second column its size in bytes. Without that column `size` says how large they are."""
    count: Swept[Annotated[int, Field(strict=True, ge=1, le=MOST_ARRIVALS)]] | None = Field(
        default=None, examples=[10_000]
    )
    """So many arrive, and then none. By default they go on arriving until the flow's stop or the run's end. A run that
    is `"until done"` needs it, or a trace."""


class Lognormal(Section):
    """Sizes whose logarithm is normally distributed."""

    mean: Swept[Payload] | None = Field(default=None, examples=["100 kB"])
    """Mean of the sizes. Either it is written, or the median."""
    median: Swept[Payload] | None = Field(default=None, examples=["30 kB"])
    """Median of the sizes."""
    sigma: Swept[Sigma] = Field(examples=[1.5])
    """Standard deviation of the sizes' natural logarithm, a number."""


class Pareto(Section):
    """Sizes with a heavy tail: half as many are `2 ** (1 / shape)` times as large."""

    mean: Swept[Payload] | None = Field(default=None, examples=["100 kB"])
    """Mean of the sizes. Either it is written, or the minimum."""
    minimum: Swept[Payload] | None = Field(default=None, examples=["10 kB"])
    """The smallest size."""
    shape: Swept[Shape] = Field(examples=[1.2])
    """The tail's exponent, a number: the smaller, the heavier. Without a maximum there is a mean only above 1."""
    maximum: Swept[Payload] | None = Field(default=None, examples=["100 MB"])
    """The largest size: the distribution is cut there (bounded Pareto). By default there is none."""


class LognormalSize(Section):
    """Sizes by a lognormal distribution."""

    lognormal: Lognormal
    """Sizes whose logarithm is normally distributed: many small ones and a few large ones."""


class ParetoSize(Section):
    """Sizes by a Pareto distribution."""

    pareto: Pareto
    """Sizes with a heavy tail, as files of the web have."""


class CdfSize(Section):
    """Sizes by a distribution that was measured."""

    cdf: Swept[FileName] = Field(examples=["sizes.csv"])
    """A CSV file, relative to the spec's folder: sizes in bytes and, for each, the share of transfers that are no
    larger, from the smallest size to a share of 1. Between two sizes all are as likely."""


SIZES: dict[str, type[Section]] = {"lognormal": LognormalSize, "pareto": ParetoSize, "cdf": CdfSize}


def _kind_of_size(value: Any) -> str | None:  # noqa: ANN401 (not yet validated)
    """Give the tag of a size; None: none that there is."""
    for kind, section in SIZES.items():
        if isinstance(value, section) or (isinstance(value, dict) and kind in value):
            return f"#{kind}"
    return None if isinstance(value, dict) else "#fixed"


TransferSize: TypeAlias = Annotated[
    Annotated[Payload, Tag("#fixed")]
    | Annotated[LognormalSize, Tag("#lognormal")]
    | Annotated[ParetoSize, Tag("#pareto")]
    | Annotated[CdfSize, Tag("#cdf")],
    Discriminator(_kind_of_size),
]


class ShortFlows(Section):
    """A source of short transfers, each on a connection of its own."""

    arrivals: Arrivals
    """When transfers arrive. Each has a connection of its own, opened then and closed when it is complete: the flow is
    the source of all of them. Times and sizes are drawn from the seed and the flow's name (of one without a name, its
    place among `[[flows]]`, so that algorithms meet the same arrivals)."""
    size: Swept[TransferSize] | None = Field(default=None, examples=["100 kB"])
    """How large the transfers are: all alike, or drawn from a distribution."""


class Command(Section):
    """A program of the user's own in place of sender and receiver."""

    command: SweptWords = Field(examples=[["iperf3", "-c", "{receiver}", "-p", "{port}", "-t", "{seconds}", "-J"]])
    """A program of your own, started at the sender when the flow starts: its name and its arguments, word by word, no
    shell. [What braces stand for](#commands) is filled in. The flow is complete when the program ends by itself with
    status 0; one that ends with another status makes the run fail, with the last lines of what it said. One that still
    runs at the flow's stop, or the run's end, is told to end (SIGTERM, then SIGKILL). Data goes from the sender to the
    receiver, under the flow's `cc`, which the route sets, whatever the program asks for."""
    server: SweptWords | None = Field(default=None, examples=[["iperf3", "-s", "-1", "-p", "{port}", "-J"]])
    """What `command` talks to: a program that is started at the receiver before the run's time 0, and ended with the
    flow. The default starts none."""
    user: Swept[Literal["caller", "root"]] = "caller"
    """Who both run as. `"caller"`: the user who calls, also where that user became root by `sudo`. `"root"`: root, with
    all its powers, which only the engine `netns` can give: a guest's programs have none."""


WORKLOADS: dict[str, type[Section]] = {
    "transfer": Transfer,
    "stream": Stream,
    "trace": Trace,
    "arrivals": ShortFlows,
    "command": Command,
}


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
    | Annotated[Trace, Tag("#trace")]
    | Annotated[ShortFlows, Tag("#arrivals")]
    | Annotated[Command, Tag("#command")],
    Discriminator(_kind_of_workload),
]


class Access(Section):
    """A sender's own line before the bottleneck."""

    rate: Swept[LineRate] = Field(examples=["1 Gbit/s"])
    """Rate of the access line, which each flow of the group has for itself."""
    buffer: Swept[Annotated[BufferSize, AfterValidator(_no_bdp)]] = Field(examples=["1 MB"])
    """Room of the access line's drop-tail queue. It has no `bdp` of its own. What it drops shows as retransmissions."""
    kind: Swept[Literal["device", "router"]] = "device"
    """Whose line it is. `"device"`: the sender's own, where TCP's small queues hold the sender back before the buffer
    fills, and it sees at once what its queue drops. `"router"`: one behind the sender, whose buffer fills. Behind
    `host.qdisc = "fq"` a device is like a router in that: `fq` holds what waits, and TCP hears of no drop."""


class Flow(Section):
    """A group of flows that differ in their start only, and with `rtt_spread` in their RTT."""

    name: Swept[Name] | None = Field(default=None, examples=["downloads"])
    """Name of the group in results, tables and figures; unique. The default is the algorithm's name. Its flows are
    `downloads`, `downloads-2`, `downloads-3`, …; a flow's name also names its random streams, so that it draws the same
    whatever else a spec has."""
    cc: Swept[str] = Field(examples=["bbr"])
    """The congestion control: an algorithm, a variant, or either with [parameters](#congestion-controls), as
    `"bbr[cwnd_gain=1.5]"`. `dumbbell cc list` has all, with the engines that have them."""
    count: Swept[Annotated[int, Field(strict=True, ge=1, le=MOST_FLOWS)]] = Field(default=1, examples=[4])
    """How many flows the group has. All flows of a spec together are 100,000 at most."""
    start: Swept[Instant] = Field(default=Time("0 s"), examples=["2 s"])
    """When the first flow of the group starts, from the run's beginning."""
    stagger: Swept[Instant] = Field(default=Time("0 s"), examples=["500 ms"])
    """How much later each further flow of the group starts than the one before it."""
    stop: Swept[Instant] | None = Field(default=None, examples=["60 s"])
    """When the flows of the group stop: a moment of the run, and not a length. The default is the run's end. A flow
    that stops aborts, as an application that closes its connections at once: nothing of it is sent or sent again, what
    is under way still arrives, and a reset follows it."""
    workload: Swept[Workload] = "bulk"
    """What the application writes: `"bulk"` as much as TCP takes until the end, or one of the tables in
    [workloads](#workloads), of which one is a program of your own."""
    rtt: Swept[RoundTrip] | None = Field(default=None, examples=["100 ms"])
    """The group's own base round-trip time. The default is `path.rtt`, which `bdp` goes on meaning."""
    access: Swept[Access] | None = None
    """A line of its own before the bottleneck for each sender of the group. The default is none:
    senders hand their packets to the bottleneck's queue."""


class Host(Section):
    """The end hosts."""

    socket_memory: Swept[SocketMemory] = Field(default=SocketMemory("max"), examples=["default", "16 MB"])
    """Limit of each socket's send and receive buffer: `"max"`, which is never the limit; `"default"`, Linux's own (4 MB
    to send, 6 MB to receive); or a size for both. Memory counts as in the kernel, which charges a burst, and a segment
    that waits for others, with more than its payload. Linux doubles what `setsockopt` asks for: a program that sets
    `SO_RCVBUF` to 262144 has `"512 KiB"`. The window that `ss` shows is `host.receive_window`."""
    receive_window: Swept[Memory] | None = Field(default=None, examples=["3.145 MB"])
    """The most that a receiver announces, whatever its memory. The default is no limit but the memory."""
    initial_window: Swept[Annotated[int, Field(strict=True, ge=1, le=10_000)]] = Field(default=10, examples=[32])
    """Initial congestion window in segments, written without a unit."""
    qdisc: Swept[Literal["none", "fq"]] = "none"
    """The sender's queueing discipline. With `"fq"`, as on many Linux servers, every flow is paced, by the queue, in
    which what TCP has sent waits for its departure; with `"none"` those whose algorithm asks for it (BBR), by TCP."""
    sack_compression: Swept[Flag] = True
    """Whether receivers hold SACKs back for up to a millisecond and send one for many, as Linux does since 4.18."""
    gro: Swept[Flag] = False
    """Whether receivers merge the segments of a flow that their NIC hands over together (generic receive offload, which
    nearly every host has on). One ACK answers a merged packet. Without `ack_aggregation` only packets that
    arrive in the same instant come together."""
    ack_aggregation: Swept[Annotated[Time, between(Time("0 s"), Time("100 ms"))]] = Field(
        default=Time("0 s"), examples=["100 us"]
    )
    """Interrupt moderation of the receivers' NICs: each hands over what has arrived at most once in this time, so that
    ACKs leave in lumps. The default hands over every packet by itself."""


class Measure(Section):
    """What to record, and where the summary is taken."""

    lists: ClassVar[frozenset[str]] = frozenset({"window"})

    window: Annotated[list[Moment], Field(min_length=2, max_length=2)] | None = Field(
        default=None, examples=[["25 %", "100 %"]]
    )
    """Begin and end of what the summary is taken of: shares of the duration, or times. The default is the whole run.
    Leave the start out of it where you ask about the steady state. The list is no sweep."""
    sample: Swept[Interval] = Field(default=Time("50 ms"), examples=["10 ms"])
    """How often gauges are sampled: cwnd, RTT, what is in flight, the queue. Mean and percentiles of RTT and queue are
    of these samples; counters are exact, whatever it is."""
    record: Swept[Literal["summary", "series", "acks", "pcap"]] = "series"
    """What is kept beside the summary: `"summary"` nothing, which a large sweep should say; `"series"` the samples of
    every flow and of the queue; `"acks"` the round-trip time of every ACK, too; `"pcap"` captures, which no engine has
    yet."""
    ss: Swept[Interval] | None = Field(default=None, examples=["100 ms"])
    """How often `ss -tin` looks at the senders' connections, beside the engine's own samples: what people see who
    measure by hand. `dumbbell results export --table ss` has it. By default it does not look; the simulator has no
    sockets that it could."""


class Spec(Section):
    """A spec of which each key is right by itself, or unknown; whether they fit together is for the rules to say."""

    lists: ClassVar[frozenset[str]] = frozenset({"seeds", "zip", "flows"})

    name: Name = Field(default="experiment", examples=["two-flows"])
    """Name of the experiment in stores, tables and pages. A spec in a file has the file's name by default."""
    duration: Swept[Duration] = Field(examples=["300 s"])
    """How long a run takes, or `"until done"`: until every finite workload is complete, or `time_limit`."""
    time_limit: Swept[TimeLimit] | None = Field(default=None, examples=["600 s"])
    """When a run that is `"until done"` ends at the latest. It must be there then, and not otherwise."""
    seeds: Seeds = Field(default=1, examples=[5])
    """How many times each point is run, with seeds 1, 2, 3, …; a list names them: `[7, 8]`. A seed decides
    `path.jitter`, random loss, the phase of BBR's cycle, `start_jitter` and `rtt_spread`. Where a spec has none of
    these, all seeds give the same."""
    start_jitter: Swept[Instant] = Field(default=Time("0 s"), examples=["100 ms"])
    """Each flow starts this much later at most than it otherwise would, by a time drawn evenly from its seed and its
    name. Without it flows are in step in a way that no network is."""
    rtt_spread: Swept[Annotated[Time, between(Time("0 s"), Time("1 s"))]] = Field(
        default=Time("0 s"), examples=["1 ms"]
    )
    """Each flow's base round-trip time is longer by this much at most, by a constant drawn evenly from its seed and its
    name. Seeds then average over [phases](limitations.md#phase-effects), and their interval says how much hangs on
    them ([how much, and with how many seeds](how-to/noise-and-phases.md))."""
    alone: Swept[Group] | None = Field(default=None, examples=["flows[0]"])
    """The only group of flows that runs; the others stay away. Its flows have the names, the random streams and the
    times that they have beside the others, so that a run with them and one without differ in nothing else.
    `dumbbell run --harm` runs each group so, and tells what the others cost it."""
    zip: list[Annotated[list[str], Field(min_length=2)]] = Field(default=[])
    """Lists that [vary together](#sweeps) instead of in every combination, each by its path."""
    path: Path = Field(examples=["[path]"])
    """The network: one bottleneck, a line with a queue before it, between all senders and all receivers, and a perfect
    way back. Each flow has a sender and a receiver of its own."""
    flows: Annotated[list[Flow], Field(min_length=1, max_length=MOST_FLOWS)] = Field(examples=["[[flows]]"])
    """The traffic: groups of TCP flows, a table `[[flows]]` each. The flows of a group differ in their start only,
    and with `rtt_spread` in their RTT."""
    host: Host = Host()
    """The end hosts: what their kernels are set to, the same for all of them."""
    measure: Measure = Measure()
    """What is recorded of a run, and which part of it the summary is taken of."""

    _folder: FilePath = PrivateAttr(default=FilePath())
    _registry: cc.Registry = PrivateAttr(default={})
    _files: dict[tuple[type, str], object] = PrivateAttr(default={})

    @property
    def registry(self) -> cc.Registry:
        """The congestion controls that it may name."""
        return self._registry

    @property
    def folder(self) -> FilePath:
        """The folder that the spec's relative file names start from."""
        return self._folder

    def file(self, kind: type[FileT], name: str) -> FileT:
        """Give what a file has that the spec names: the writes of a trace, arrivals, sizes."""
        found = self._files.get((kind, name))
        if not isinstance(found, kind):
            raise DependsOnInvalidField
        return found
