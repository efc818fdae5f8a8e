"""What is wrong with the answer of `advise mix`: its lines against the tables of the same answer as JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from fivelines import Lines, form

MOST: Final = 2 / 3 - 1e-9
HALF: Final = 0.5
NAMES: Final = {"bbr": "BBR", "cubic": "CUBIC", "reno": "Reno"}
SETTING: Final = re.compile(r"tcp_congestion_control=([\w-]+)")
INSTRUCTION: Final = r"(?i:\b(keep|use|switch to))\s+{name}"
SIDE: Final = r"{name} where the (rate|RTT) is (above|below) ([\d.]+) (Mbit/s|ms)"
AHEAD: Final = r"{name}(?: is ahead)? on (\d+) %"
Object = Mapping[str, Any]


def faults(answer: Object, lines: Lines) -> list[str]:
    """All of them, of `advise mix --json` and the lines that it prints; nothing: the lines may be followed."""
    return [*form(lines), *instructions(answer, lines), *contradictions(answer, lines)]


def instructions(answer: Object, lines: Lines) -> Iterator[str]:
    """Orders that may not be given: by the share of cases where they are right, and by what runs now."""
    running = sum(answer["cc"].values())
    for label, text in lines:
        for verb, name in _matches(INSTRUCTION, text, answer):
            cc = _names(answer)[name]
            if undecided(answer):
                yield f"{label}: {verb} {name}, and nothing is decided"
            elif share(answer, cc) < MOST:
                yield f"{label}: {verb} {name}, which is right on {share(answer, cc):.0%} of what is decided"
            most = answer["cc"].get(cc, 0) > HALF * running
            if (verb.lower() == "keep") is not most:
                yield f"{label}: {verb} {name}, and {answer['cc']} run"
        for cc in SETTING.findall(text):
            if cc != answer["recommendation"]:
                yield f"{label}: sets {cc}, which is not recommended"
    texts = dict(lines)
    if undecided(answer) and not texts.get("Sure?", "").startswith("No"):
        yield "Sure?: is sure of what is not decided"


def contradictions(answer: Object, lines: Lines) -> Iterator[str]:
    """Sentences that the table contradicts."""
    texts = dict(lines)
    for name, quantity, where, at, unit in _matches(SIDE, texts.get("Answer", ""), answer):
        if share(answer, _names(answer)[name], _on(quantity, where, at, unit)) < MOST:
            yield f"Answer: {name} is not right where the {quantity} is {where} {at} {unit}"
    for name, quantity, where, at, unit in _matches(SIDE, texts.get("When not", ""), answer):
        inside = _on(quantity, where, at, unit)
        chosen = answer["algorithm"]
        if share(answer, _names(answer)[name], inside) < MOST or share(answer, chosen, inside) >= MOST:
            yield f"When not: {name} is not right alone where the {quantity} is {where} {at} {unit}"
    if texts.get("Answer", "").startswith("It depends") and any(
        share(answer, cc) >= MOST for cc in answer["candidates"]
    ):
        yield "Answer: one is right on two thirds"
    for _, text in lines:
        for name, percent in _matches(AHEAD, text, answer):
            value = answer["candidates"].get(_names(answer)[name], {}).get("matters", {}).get("value", 0.0)
            if abs(100 * value - float(percent)) > 1:
                yield f"{name} is ahead on {value:.1%}, and not on {percent} %"


def _names(answer: Object) -> dict[str, str]:
    """The algorithms that an answer may speak of, as it writes them."""
    return {NAMES.get(cc, cc): cc for cc in [*answer["candidates"], *answer["cc"], *NAMES]}


def _matches(pattern: str, text: str, answer: Object) -> list[tuple[str, ...]]:
    names = "|".join(map(re.escape, sorted(_names(answer), key=len, reverse=True)))
    return re.findall(pattern.format(name=rf"(?<!\w)({names})(?![\w\[])"), text)


def undecided(answer: Object) -> bool:
    """Most bytes are not explained, or most cases are open."""
    total = sum(weight for _, _, weight, _ in _cases(answer))
    open_ = sum(weight for _, _, weight, right in _cases(answer) if not right)
    return answer["unexplained"]["sent_bytes"] > HALF or not total or open_ > (HALF + 1e-9) * total


def share(answer: Object, cc: str | None, inside: Callable[[float, float], bool] = lambda *_: True) -> float:
    """Of what is decided on some paths, where an algorithm is right."""
    known = [(weight, right) for rate, rtt, weight, right in _cases(answer) if right and inside(rate, rtt)]
    total = sum(weight for weight, _ in known)
    return sum(weight for weight, right in known if cc in right) / total if total else 0.0


def _cases(answer: Object) -> Iterator[tuple[float, float, float, list[str]]]:
    """Rate, RTT, how many connections, and what is right there."""
    for each in answer["bins"]:
        for queue in each["queues"]:
            yield each["rate_bps"], each["rtt_s"], each["connections"] / len(each["queues"]), queue["right"]


def _on(quantity: str, where: str, at: str, unit: str) -> Callable[[float, float], bool]:
    number = float(at) * {"Mbit/s": 1e6, "ms": 1e-3}[unit]

    def inside(rate: float, rtt: float) -> bool:
        value = rate if quantity == "rate" else rtt
        return (value > number) is (where == "above")

    return inside
