"""What is wrong with a spec: where, what, and what would be right, also of what this version does not have."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Final

from dumbbell.errors import DumbbellError

LONGEST_QUOTE = 60
LONGEST_LIST = 32
FEW = 4
LARGEST_SHOWN_BITS = 1000


_BOTTLENECK = "the bottleneck's queue is drop-tail"
_ORDER = "the network keeps the packets of a flow in order; path.jitter delays them in order"
_WISHES: Final = {
    "bbr2 bbrv2 bbr3 bbrv3 bbrplus": '"bbr" is BBR v1',
    "copa pcc pccallegro allegro vivace pccvivace prague ledbat ledbat++ compound ctcp fast sprout verus nimbus "
    "timely swift dcqcn hpcc remy orca aurora indigo": "`dumbbell cc list` names what there is",
    "fqcodel codel pie fqpie cake red ared sfq sfb choke dualpi2 l4s aqm priority": _BOTTLENECK,
    "ecn accecn ce": f"{_BOTTLENECK} and marks nothing",
    "reorder reordering duplicate duplication corrupt corruption": _ORDER,
    "lossmodel lossburst burstloss burstyloss gilbert gilbertelliott gemodel": "random loss is independent: path.loss",
    "ackloss lossreturn returnloss returnrate reverserate reverse upstream uplink direction":
        "data goes one way, and the way of the ACKs is perfect",
    "trace linktrace mahimahi bandwidthtrace": "the path's rate changes by [[path.change]]; a file of an "
    'application\'s writes is workload = { trace = "writes.csv" }',
    "link links hop hops topology router routers node nodes bottlenecks":
        "there is one bottleneck, [path], and each flow may have a line of its own before it, access",
    "crosstraffic background backgroundtraffic udp cbr web video requests":
        "traffic is flows of TCP, [[flows]]; many short ones are workload = { arrivals = … }",
}  # fmt: skip
_INSTEAD: Final = {word: instead for words, instead in _WISHES.items() for word in words.split()}
"""What users look for and this version does not have: each with what there is instead."""
_MEANINGS: Final = {
    "delay latency owd onewaydelay ping basertt": 'write rtt = "50 ms": the base round trip, twice a delay of one way',
    "bandwidth bw capacity bitrate linkrate": 'write rate = "80 Mbit/s"',
    "policer policing police": 'a policer is a bucket with hardly a queue: burst = "125 kB", buffer = "1 packets"',
    "queuesize queuelength queuelen buffersize": 'write buffer = "1 bdp", "100 packets" or "20 ms"',
    "hystart cubichystart": 'a constant of the algorithm: cc = "cubic[hystart=0]"',
    "rcvbuf sorcvbuf sndbuf sosndbuf tcprmem tcpwmem":
        "write socket_memory, the limit of either buffer (Linux doubles what setsockopt asks for), or receive_window",
}  # fmt: skip
_MEANT: Final = {word: meant for words, meant in _MEANINGS.items() for word in words.split()}
"""Words of other tools: each with how a spec says it."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a spec.

    >>> str(Problem("flows[2].cc", 'unknown "bbrr"', 'did you mean "bbr"?'))
    'flows[2].cc: unknown "bbrr"; did you mean "bbr"?'
    """

    path: str
    """The field, e.g. `flows[2].cc`; the file where there is no field yet."""
    message: str
    """What was wrong, without the path."""
    hint: str = ""
    """What would be right; empty where the message says it."""

    def __str__(self) -> str:
        where = f"{self.path}: " if self.path else ""
        return where + self.message + (f"; {self.hint}" if self.hint else "")


class SpecError(DumbbellError):
    """A spec that cannot be run, with all its problems."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = list(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))


def quoted(value: object) -> str:
    """Show a value in a message: short, text in double quotes.

    >>> quoted("80 mbps"), quoted(True), quoted(80)
    ('"80 mbps"', 'true', '80')
    """
    if isinstance(value, str):
        return f'"{visible(_short(value))}"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and value.bit_length() > LARGEST_SHOWN_BITS:
        return "a huge number"
    if isinstance(value, int | float):
        return _short(str(value))
    if isinstance(value, list | tuple | dict):
        return "a table" if isinstance(value, dict) else "a list"
    return f"a {type(value).__name__}"


def visible(text: str) -> str:
    """A text whose every letter prints: what would move a terminal's cursor, or hide, stands as its number.

    >>> len(visible("a" + chr(27))), len(visible("é"))
    (5, 1)
    """
    return "".join(letter if letter.isprintable() else f"\\x{ord(letter):02x}" for letter in text)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 1] + "…"


def suggestion(word: object, known: Sequence[str]) -> str:
    """Find the known word that was probably meant, or all of them; or say how a spec has it, or what it has instead.

    >>> suggestion("bbrr", ["bbr", "cubic"])
    'did you mean "bbr"?'
    >>> suggestion("vegas", ["bbr", "cubic"])
    'known: bbr, cubic'
    """
    if isinstance(word, str):
        instead = instead_of(word)
        if instead:
            few = f"known: {', '.join(known)}; " if 0 < len(known) <= FEW else ""
            return f"not in this version: {instead}; {few}see docs/limitations.md"
        if (meant := _MEANT.get(_plain(word))) is not None:
            return meant
        by_case = {name.lower(): name for name in known}
        close = difflib.get_close_matches(word[:LONGEST_QUOTE].lower(), list(by_case), n=1)
        if close:
            return f'did you mean "{by_case[close[0]]}"?'
    more = ", …" if len(known) > LONGEST_LIST else ""
    return "known: " + ", ".join(known[:LONGEST_LIST]) + more if known else ""


def instead_of(word: str) -> str | None:
    """What there is instead of something that this version has not; None of a word that is no known wish.

    >>> instead_of("tcp_bbr_v3"), instead_of("FQ-CoDel"), instead_of("bbrr")
    ('"bbr" is BBR v1', "the bottleneck's queue is drop-tail", None)
    """
    plain = _plain(word)
    return _INSTEAD.get(plain) or _INSTEAD.get(plain.removeprefix("tcp"))


def _plain(word: str) -> str:
    return "".join(letter for letter in word.lower() if letter not in "-_ ")


def typed(path: object) -> str:
    """A path as a shell and a command take it for one.

    >>> typed("my runs"), typed("-runs")
    ("'my runs'", './-runs')

    Bytes that are no UTF-8 are written in octal, as POSIX has it since 2024 and shells before.
    """
    text = f"./{path}" if str(path).startswith("-") else str(path)
    try:
        text.encode()
    except UnicodeEncodeError:
        plain = "".join(chr(b) if 32 <= b < 127 and chr(b) not in "\\'" else f"\\{b:03o}" for b in os.fsencode(text))  # noqa: PLR2004 (ASCII that is printed)
        return f"$'{plain}'"
    return quote(text)
