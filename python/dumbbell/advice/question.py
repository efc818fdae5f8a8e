"""What advice is asked for: a path, a job, the company on the line, and what counts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final, Literal, TypeAlias, TypeVar, get_args

from dumbbell.cc import Registry, choose
from dumbbell.problem import Problem, SpecError, quoted, suggestion
from dumbbell.spec import expand, load, resolve
from dumbbell.spec.frame import FRAME_BYTES
from dumbbell.spec.link import Link, links
from dumbbell.spec.quantity import Bytes, QuantityError, Rate, Share, Size, Time
from dumbbell.spec.queue import FIFO, Managing
from dumbbell.units import BITS_PER_BYTE, NS_PER_S

Goal: TypeAlias = Literal["goodput", "latency", "completion", "fairness", "balanced"]
JobKind: TypeAlias = Literal["bulk", "transfer", "stream", "requests"]
Order: TypeAlias = Literal["joins", "first", "together"]
"""When the flow that is asked about starts: after its neighbours, before them, or with them."""
GOALS: Final[tuple[str, ...]] = get_args(Goal)
ORDERS: Final[tuple[Order, ...]] = get_args(Order)
ANY_ORDER: Final = "any"
Measurer: TypeAlias = Literal["linux", "hosts"]
MEASURERS: Final[tuple[Measurer, ...]] = get_args(Measurer)
STEP: Final = ","
"""Between the rates that a line has in turns."""
LEAST_RTT_NS: Final = 1_000_000
"""Below it a path is a data centre's: other algorithms (DCTCP), marks instead of drops."""
USUAL_GOALS: Final[Mapping[JobKind, Goal]] = {
    "bulk": "balanced", "transfer": "completion", "requests": "completion", "stream": "latency",
}  # fmt: skip
MOST_NEIGHBOURS: Final = 50
MOST_CANDIDATES: Final = 6
DEFAULT: Final = "cubic"
"""What hosts have unless somebody changes it: kept where nothing speaks against it."""
CANDIDATES: Final = ("bbr", "cubic")
"""What is tried unless somebody says otherwise: the two that hosts have by default or by one setting."""
UNKNOWN_BUFFERS_BDP: Final = (0.1, 0.2, 0.35, 0.6, 1.0, 2.0, 5.0)
"""What is tried of a queue that nobody knows."""
SHORT_TRANSFER_S: Final = 8.0
"""A transfer that takes no longer at a fair share is run in full; what a longer one takes follows from its goodput."""
_Parsed = TypeVar("_Parsed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What the connection is for."""

    kind: JobKind = "bulk"
    size_bytes: int = 0
    """Of a transfer, or of a request's answer."""
    rate_bps: int = 0
    """Of a stream."""

    @property
    def description(self) -> str:
        """In a sentence.

        >>> Job(kind="transfer", size_bytes=10**9).description, Job().description
        ('a transfer of 1 GB', 'bulk traffic')
        """
        size, rate = Bytes.show(self.size_bytes), Rate.show(self.rate_bps)
        return {
            "bulk": "bulk traffic", "transfer": f"a transfer of {size}", "requests": f"requests of {size}",
            "stream": f"a stream of {rate}",
        }[self.kind]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Company:
    """Who else is on the line: so many bulk flows of an algorithm."""

    name: str
    cc: str | None = None
    """None: nobody is, or all others run what is tried."""
    flows: int = 0

    def neighbours_cc(self, candidate: str) -> str:
        """What the others run while a candidate is tried."""
        return self.cc or candidate


def name_of(cc: str) -> str:
    """An algorithm, in a sentence."""
    return {"bbr": "BBR", "cubic": "CUBIC", "reno": "Reno"}.get(cc, cc)


def neighbours(cc: str, flows: int) -> Company:
    """So many others that run an algorithm, whatever the candidate."""
    return Company(name=f"beside {flows} {name_of(cc)}", cc=cc, flows=flows)


def switching(flows: int) -> Company:
    """So many others that run whatever is tried."""
    return Company(name=f"{flows} others switch too", flows=flows)


ALONE: Final = Company(name="alone")
SWITCHING: Final = "same"
"""The algorithm of others that run whatever is tried."""
UNKNOWN_COMPANY: Final = (ALONE, neighbours(DEFAULT, 1), neighbours(DEFAULT, 10), switching(10))
"""What is tried where nobody says who else is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Everything that advice is about."""

    rate_bps: int
    rtt_ns: int
    steps_bps: tuple[int, ...] = ()
    """Rates that the line has in turns, as a radio's; `rate_bps` is their mean. Empty: it has one."""
    buffers_bytes: tuple[int, ...]
    """Queues to try, the shortest first: one where it is known."""
    known_buffer: bool
    qdisc: str = FIFO.kind
    """What manages the queue."""
    loss_ppb: int = 0
    company: tuple[Company, ...] = (ALONE,)
    """Scenarios, each by itself."""
    known_company: bool = True
    job: Job = Job()
    candidates: tuple[str, ...] = CANDIDATES
    goal: Goal = "balanced"
    starts: tuple[Order, ...] = ORDERS
    """When it starts; of several, seed after seed has another one."""
    now: str | None = None
    """What runs today, where somebody says it."""
    preset: str = ""
    """A usual case, that says what nobody wrote."""
    assumed: tuple[str, ...] = ()
    """What it says."""
    link: str = ""
    """A preset of a link, whose keys are the path's where the question has none."""
    of_link: tuple[tuple[str, str], ...] = ()
    """The options that it gives, and their values."""
    back_bps: int = 0
    """Rate of the way back, where somebody says it."""
    intervals: Measurer = "linux"
    """Whose measurements intervals are about: Linux's own TCP with the same starts, or real hosts."""
    lead_s: float = 0.0
    """How much earlier those start that are there first; 0: as `trials.lead_s` says."""
    run_s: float = 0.0
    """How long runs of traffic without an end are; 0: as `trials.duration_s` says."""

    @property
    def default(self) -> str:
        """The candidate that the others are compared with: what runs today, what hosts have, or else the first one."""
        usual = self.now or DEFAULT
        return usual if usual in self.candidates else self.candidates[0]

    def merges(self, seed: int) -> bool:
        """Whether senders hand super-packets to the line in the run of a seed: of real hosts nobody knows it."""
        return self.intervals == "hosts" and seed % 2 == 0

    def order(self, seed: int) -> Order:
        """When the flow that is asked about starts in the run of a seed."""
        return self.starts[(seed - 1) % len(self.starts)]

    @property
    def tried(self) -> tuple[str, ...]:
        """What is run: the candidates, and what hosts have, since harm is what goes beyond one flow more of that."""
        known = DEFAULT in self.candidates or not any(each.flows for each in self.company)
        return self.candidates if known else (*self.candidates, DEFAULT)

    @property
    def full_transfer(self) -> bool:
        """A transfer that is short enough to be run from its first byte to its last, in any company."""
        shared = 1 + max(each.flows for each in self.company)
        bits = BITS_PER_BYTE * self.job.size_bytes * shared
        return self.job.kind == "transfer" and bits / self.rate_bps <= SHORT_TRANSFER_S

    @property
    def endless(self) -> bool:
        """Its runs have bulk traffic: for its own sake, or for a transfer that goes on as they did."""
        return self.job.kind == "bulk" or (self.job.kind == "transfer" and not self.full_transfer)

    @property
    def counts_packets(self) -> bool:
        """The queue is so many frames."""
        return counts_packets(self.qdisc)

    @property
    def fills(self) -> bool:
        """Nothing keeps the queue shorter than it is, so that a load shows how long it is."""
        return self.qdisc == FIFO.kind

    @property
    def bdp_bytes(self) -> float:
        return bdp_bytes(self.rate_bps, self.rtt_ns)

    @property
    def way_s(self) -> float:
        """How long a packet is on its way at least."""
        return self.rtt_ns / NS_PER_S / 2

    def buffer_bdp(self, buffer_bytes: float) -> float:
        """A queue in bandwidth-delay products."""
        return buffer_bytes / self.bdp_bytes

    def loaded_rtt_ns(self, buffer_bytes: float) -> float:
        """The RTT while the queue is full: what a ping during a CUBIC upload shows."""
        return self.rtt_ns + BITS_PER_BYTE * NS_PER_S * buffer_bytes / self.rate_bps


def bdp_bytes(rate_bps: float, time_ns: float) -> float:
    """What a line carries in an RTT, or in the time in which it empties a queue."""
    return rate_bps * time_ns / NS_PER_S / BITS_PER_BYTE


def counts_packets(qdisc: str) -> bool:
    """Whether a discipline's queue is so many frames, of which `tc` has a number where nobody says it."""
    return qdisc not in {"fifo", "red"}


def _limit_bytes(qdisc: str) -> int:
    """What `tc` gives a discipline that counts packets, in full frames."""
    spec = {"duration": "1 s", "path": {"rate": "1 Mbit/s", "rtt": "1 ms", "qdisc": qdisc}, "flows": [{"cc": DEFAULT}]}
    return resolve(next(expand(load(spec))), 1).run.path.buffer_bytes


def queue_sizes(queues_bdp: Iterable[float], one_bdp_bytes: float) -> tuple[int, ...]:
    """Different queues in bytes, none of which is shorter than a few packets, or hardly longer than the one before."""
    sizes: list[int] = []
    for each in queues_bdp:
        size = max(LEAST_QUEUE_BYTES, round(each * one_bdp_bytes))
        if not sizes or size > ALIKE * sizes[-1]:
            sizes.append(size)
    return tuple(sizes)


PRESETS: Final[Mapping[str, Mapping[str, str]]] = {
    "cdn": {"rate": "100 Mbit/s", "rtt": "40 ms", "requests": "1 MB", "for": "completion"},
    "backup": {"rate": "100 Mbit/s", "rtt": "40 ms", "transfer": "1 GB", "for": "balanced"},
    "video": {"rate": "20 Mbit/s", "rtt": "50 ms", "stream": "5 Mbit/s", "for": "latency"},
    "office": {"rate": "20 Mbit/s", "rtt": "25 ms", "beside": "cubic:3", "for": "balanced"},
    "5g": {"rate": "300mbit,60mbit,150mbit", "rtt": "40 ms", "for": "latency"},  # a radio's rate, step by step
    "satellite": {"rate": "20 Mbit/s", "rtt": "600 ms", "for": "goodput"},  # geostationary
    "policed": {"rate": "100 Mbit/s", "rtt": "40 ms", "buffer": "0.05 bdp", "for": "goodput"},  # it hardly queues
}
"""Usual cases, each a whole question: options that stand where none is written."""
LINK_OPTIONS: Final = ("rate", "rtt", "buffer", "qdisc", "loss")
"""Of `[path]`, which a link gives in place of the options of these names."""
_EXCLUSIVE: Final = (("buffer", "loaded-rtt"), ("transfer", "stream", "requests"))
"""Options of which one at most can be."""
ALIKE: Final = 1.1
"""Times a queue's size up to which somebody who measures takes another one for the same."""
LEAST_QUEUE_BYTES: Final = 4 * FRAME_BYTES
"""Of a queue that nobody knows: a shorter one is nowhere."""
_NEIGHBOURS: Final = re.compile(r"([^:]+?)(?::(\d+))?")


def question(options: Mapping[str, str | None], registry: Registry) -> Question:
    """What options ask, by their names on the command line without dashes: `{"rate": "200mbit", "rtt": "80ms"}`.

    `registry` has the algorithms that may be named.

    Raises:
        SpecError: with everything that is wrong with them.
    """
    return _Reader({name: text for name, text in options.items() if text is not None}, registry).question()


class _Reader:
    """Reads options one by one, and notes what is wrong with each."""

    def __init__(self, written: Mapping[str, str], registry: Registry) -> None:
        self.problems: list[Problem] = []
        self.written = written
        self.registry = registry
        preset = self.preset = self._choice("preset", written.get("preset"), tuple(PRESETS))
        usual = PRESETS.get(preset, {})
        self.link, given = self._link(written)
        self.of_link = tuple(given.items())
        self.options = {**usual, **given, **written}
        for names in _EXCLUSIVE:
            there = [name for name in names if name in written]
            if len(there) > 1:
                both = " and ".join(f"--{name}" for name in there)
                self.problems.append(Problem(both, "say the same thing in two ways", "leave one out"))
            implied = next((name for name in names if name in usual), None)
            if implied and there and there[0] != implied:
                self._note(
                    there[0], f"contradicts it: preset {preset} is about --{implied} {usual[implied]}",
                    f"leave one out, or write --{implied} instead",
                )  # fmt: skip
                del self.options[implied]
        self.assumed = tuple(
            f"--{name} {text}"
            for name, text in usual.items()
            if name not in written and name not in given and name in self.options
        )

    def _link(self, written: Mapping[str, str]) -> tuple[str, dict[str, str]]:
        """A link by its name, and the options that it gives where none is written."""
        name = self._choice("link", written.get("link"), tuple(each.name for each in links()))
        link = next((each for each in links() if each.name == name), Link("", "", ()))
        values = {option: link.get(option) for option in LINK_OPTIONS if option not in written}
        if "loaded-rtt" in written:  # it is about the buffer, too
            values.pop("buffer", None)
        # Of a managed queue its name is what advice is about; its parameters stay the link's.
        return name, {
            option: value["kind"] if isinstance(value, dict) else value
            for option, value in values.items()
            if isinstance(value, str) or (isinstance(value, dict) and "kind" in value)
        }

    def question(self) -> Question:
        (rate, steps_bps), rtt = self._rate(), self._needed("rtt", Time, "80ms")
        if rtt is not None and rtt.ns < LEAST_RTT_NS:
            message = (
                f"{quoted(str(rtt))} is a data centre's; what decides there is other algorithms (DCTCP) and marks (ECN)"
            )
            self._note("rtt", message, "advice is for 1 ms and more")
        loss = self._quantity("loss", Share)
        back = self._quantity("back", Rate)
        if back is not None and not back.bps:
            self._note("back", f"{quoted(str(back))} carries no ACK", 'write it as "1 Mbit/s"')
        goal = self._choice("for", self.options.get("for"), GOALS)
        job = self._job()
        qdisc = self._qdisc()
        buffers, known = self._buffers(rate, rtt, qdisc)
        company = self._company()
        candidates = self._candidates()
        now = self.options.get("now")
        if now is not None and (problem := self._unknown(now)):
            self._note("now", problem, "write what `sysctl net.ipv4.tcp_congestion_control` prints")
        intervals = self._choice("intervals", self.options.get("intervals"), MEASURERS) or "linux"
        starts = self._choice("starts", self.options.get("starts"), (*ORDERS, ANY_ORDER))
        if not starts:  # who has a job that begins now finds others there
            starts = ANY_ORDER if job.kind == "bulk" else "joins"
        if self.problems or rate is None or rtt is None:
            raise SpecError(self.problems)
        return Question(
            rate_bps=rate.bps, steps_bps=steps_bps, rtt_ns=rtt.ns, qdisc=qdisc, buffers_bytes=buffers,
            known_buffer=known, loss_ppb=loss.value if loss else 0,
            company=company or UNKNOWN_COMPANY, known_company=bool(company), job=job,
            candidates=tuple(dict.fromkeys([*candidates, *([now] if now else [])])),
            goal=goal or USUAL_GOALS[job.kind],  # type: ignore[arg-type]
            starts=ORDERS if starts == ANY_ORDER else (starts,),  # type: ignore[arg-type]
            intervals=intervals,  # type: ignore[arg-type]
            now=now, preset=self.preset, assumed=self.assumed, link=self.link, of_link=self.of_link,
            back_bps=back.bps if back else 0,
        )  # fmt: skip

    def _qdisc(self) -> str:
        """What manages the queue."""
        kinds = tuple(each for each in get_args(Managing) if each != "cake")
        return self._choice("qdisc", self.options.get("qdisc"), kinds) or FIFO.kind

    def _note(self, name: str, message: str, hint: str = "") -> None:
        self.problems.append(Problem(f"--{name}", message, hint))

    def _choice(self, name: str, text: str | None, known: Sequence[str]) -> str:
        """The text if it is known, else nothing."""
        if text is None or text in known:
            return text or ""
        self._note(name, f"unknown {quoted(text)}", suggestion(text, known))
        return ""

    def _needed(self, name: str, kind: Callable[[str], _Parsed], example: str) -> _Parsed | None:
        is_misspelt = "link" in self.written and not self.link  # it would have had one
        if name not in self.options and not is_misspelt:
            self._note(
                name, "is missing", f"every path has one: --{name} {example}; or a usual case by --preset, or --link"
            )
        return self._quantity(name, kind)

    def _rate(self) -> tuple[Rate | None, tuple[int, ...]]:
        """The line's rate, or the mean of those that it has in turns, and these."""
        text = self.options.get("rate")
        if text is None or STEP not in text:
            rate = self._needed("rate", Rate, "200mbit")
            every = [] if rate is None else [rate]
        else:
            every = []
            for part in text.split(STEP):
                try:
                    every.append(Rate(part.strip()))
                except QuantityError as error:
                    self._note("rate", error.message, error.hint)
        if not all(each.bps for each in every):
            self._note("rate", f"{quoted(text or '')} carries nothing", 'write it as "200 Mbit/s"')
            every = []
        if len(every) < 2:  # noqa: PLR2004 (one that does not change)
            return (every[0] if every else None), ()
        mean_bps = round(fmean(each.bps for each in every))
        return Rate(Rate.show(mean_bps)), tuple(each.bps for each in every)

    def _quantity(self, name: str, kind: Callable[[str], _Parsed]) -> _Parsed | None:
        """None where it is not written, or cannot be read."""
        if name not in self.options:
            return None
        try:
            return kind(self.options[name])
        except QuantityError as error:
            self._note(name, error.message, error.hint)
            return None

    def _buffers(self, rate: Rate | None, rtt: Time | None, qdisc: str) -> tuple[tuple[int, ...], bool]:
        """Queues to try, and whether it is the one that is known."""
        size, loaded = self._quantity("buffer", Size), self._quantity("loaded-rtt", Time)
        if rate is None or rtt is None:
            return (), False
        if loaded is not None:
            if qdisc != FIFO.kind:
                message = f"says nothing of how long a queue can get that {qdisc} keeps short"
                self._note("loaded-rtt", message, "leave it out, or give --buffer")
            elif loaded.ns <= rtt.ns:
                message = f"{quoted(str(loaded))} is not above the RTT without load, {rtt}"
                self._note("loaded-rtt", message, "measure it by ping while an upload by CUBIC runs")
            return (round(bdp_bytes(rate.bps, loaded.ns - rtt.ns)),), True
        if size is not None:
            fills_ns = size.fills_ns(rtt.ns)
            room = size.number * FRAME_BYTES if size.unit == "packets" else size.value
            buffer = round(room if fills_ns is None else bdp_bytes(rate.bps, float(fills_ns)))
            if "buffer" not in self.written:
                buffer = max(buffer, LEAST_QUEUE_BYTES)  # of a usual case, on a line that is slower than that
            if buffer < FRAME_BYTES:
                self._note("buffer", f"{quoted(str(size))} holds no packet", f"at least {FRAME_BYTES} B")
            return (buffer,), True
        if counts_packets(qdisc):
            return (_limit_bytes(qdisc),), True
        if qdisc != FIFO.kind:
            self._note("buffer", f"is missing, of which {qdisc}'s thresholds are parts", "write --buffer 4bdp")
        return queue_sizes(UNKNOWN_BUFFERS_BDP, bdp_bytes(rate.bps, rtt.ns)), False

    def _job(self) -> Job:
        if size := self._quantity("transfer", Bytes):
            return Job(kind="transfer", size_bytes=size.bytes)
        if size := self._quantity("requests", Bytes):
            return Job(kind="requests", size_bytes=size.bytes)
        if rate := self._quantity("stream", Rate):
            return Job(kind="stream", rate_bps=rate.bps)
        return Job()

    def _company(self) -> tuple[Company, ...]:
        text = self.options.get("beside")
        if text is None or text == "none":
            return (ALONE,) if text else ()
        text = text.strip()
        if text.isdecimal():
            self._note("beside", f"{text} neighbours with which algorithm", f"write it as cubic:{text}")
            return ()
        match = _NEIGHBOURS.fullmatch(text)
        cc, count = (match[1], int(match[2] or 1)) if match else ("", 0)
        if cc != SWITCHING and (problem := self._unknown(cc)):
            self._note("beside", problem, "write it as cubic:3, as same:3 if they run what is tried, or none")
        elif not 1 <= count <= MOST_NEIGHBOURS:
            self._note("beside", f"{count} neighbours", f"1 to {MOST_NEIGHBOURS}; nobody is none")
        return (switching(count) if cc == SWITCHING else neighbours(cc, count),)

    def _candidates(self) -> tuple[str, ...]:
        text = self.options.get("candidates")
        if text is None:
            return CANDIDATES
        names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
        for name in names:
            if problem := self._unknown(name):
                self._note("candidates", problem)
        if not 2 <= len(names) <= MOST_CANDIDATES:  # noqa: PLR2004
            self._note("candidates", f"{len(names)} of them", f"2 to {MOST_CANDIDATES}, with commas between them")
        return names

    def _unknown(self, cc: str) -> str:
        try:
            choose(cc, self.registry)
        except SpecError as error:
            return "; ".join(map(str, error.problems))
        return ""
