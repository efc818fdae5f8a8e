"""What is wrong with the answer of `advise` about a path: each of its sentences against its own table.

It knows the JSON's `table` and the sentence of the answer, and nothing of the code that made them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from fivelines import form

MOST_HARM: Final = 0.1
TWO_THIRDS: Final = 2 / 3
MS: Final = r"\d+(?:\.\d)?"
BELOW, ABOVE, BETWEEN = rf"below (?P<below>{MS})", rf"above (?P<above>{MS})", rf"of (?P<low>{MS}) to (?P<high>{MS})"
LOAD: Final = rf"(?: with a ping under load (?:{BELOW}|{ABOVE}|{BETWEEN}) ms)?"
NAME: Final = r"(?P<cc>[A-Za-z][\w-]*)"
WHERE: Final = r"(?P<where>Alone|With (?:\d+ to )?\d+ \S+|If all others switch|There)"
ROUNDING: Final = 1.01
"""Of a percentage without digits behind the point."""


@dataclass(frozen=True)
class Cell:
    """A queue in some company: a row of the table for each candidate."""

    company: str
    loaded_ms: float
    rows: Mapping[str, Mapping[str, Any]]
    """By algorithm, in lower case."""
    balanced: bool

    @property
    def is_open(self) -> bool:
        return bool(next(iter(self.rows.values()))["verdict"] == "open")

    def harms(self, cc: str) -> bool:
        """It takes more than a tenth from the others, beyond chance."""
        harm = self.rows[cc]["harm"]
        return harm is not None and harm["value"] > MOST_HARM and harm["low"] > 0

    def suits(self, cc: str) -> bool | None:
        """Whether a candidate is right there; None: nobody can say."""
        if self.is_open:
            return None
        if self.balanced and self.harms(cc):
            return False
        row = self.rows[cc]
        return bool(row["verdict"] == "no matter" or row["best"] == cc)


def cells(answer: Mapping[str, Any]) -> list[Cell]:
    """The table, place by place."""
    by_place: dict[tuple[str, int], dict[str, Mapping[str, Any]]] = {}
    for row in answer["table"]:
        by_place.setdefault((row["company"], row["buffer_bytes"]), {})[row["cc"]] = row
    return [
        Cell(company, 1e3 * next(iter(rows.values()))["loaded_rtt_s"], rows, answer["goal"] == "balanced")
        for (company, _), rows in by_place.items()
    ]


def faults(answer: Mapping[str, Any], lines: Mapping[str, str]) -> list[str]:
    """All of them, of `advise --json` and the lines that it prints, by their labels; nothing: they may be followed."""
    every = cells(answer)
    wrong = list(form(list(lines.items())))
    wrong += _of_headline(answer, lines.get("Answer", ""), every)
    wrong += [f"When not: {each}" for each in _of_exceptions(lines.get("When not", ""), every)]
    wrong += [f"Why: {each}" for each in _of_reasons(lines.get("Why", ""), every)]
    wrong += [f"flips_at: {each}" for each in _of_flips(answer["flips_at"], every)]
    decided = sum(not each.is_open for each in every)
    match = re.search(r"(\d+) of (\d+) cases? (?:is|are) decided", lines.get("Sure?", ""))
    if match and (int(match[1]), int(match[2])) != (decided, len(every)):
        wrong.append(f"Sure?: {match[0]}, and {decided} of {len(every)} are")
    return wrong


def _of_headline(answer: Mapping[str, Any], sentence: str, every: Sequence[Cell]) -> Iterator[str]:
    decided = [each for each in every if not each.is_open]
    if match := re.match(rf"(?:Use|Keep|USE|KEEP) {NAME}", sentence):
        yield from _right_in_most(match["cc"], every)
    elif match := re.match(rf"It does not matter which: (?:use|keep) {NAME}\.", sentence):
        if any(not each.suits(cc) for each in decided for cc in each.rows):
            yield f"“{sentence}”, and somewhere it does"
        if 2 * len(decided) < len(every):
            yield f"“{sentence}”, and most cases are undecided"
    elif sentence.startswith("Nobody can say"):
        if 2 * len(decided) >= len(every):
            yield f"“{sentence}”, and {len(decided)} of {len(every)} cases are decided"
        if answer["recommendation"] != "keep":
            yield "an undecided question has a recommendation"
    elif sentence.startswith("It depends on who else is on the line. "):
        yield from _of_parts(sentence.removeprefix("It depends on who else is on the line. "), every)
        yield from _no_majority(every)
    elif sentence.startswith("It depends on the queue. "):
        yield from _under_load(sentence.removeprefix("It depends on the queue. ").removesuffix("."), every)
        yield from _no_majority(every)
    else:
        yield f"“{sentence}” is no answer"


def _right_in_most(cc: str, every: Sequence[Cell]) -> Iterator[str]:
    decided = [each for each in every if not each.is_open]
    right = sum(bool(each.suits(cc.lower())) for each in decided)
    if right < TWO_THIRDS * len(decided) or 2 * len(decided) < len(every):
        yield f"{cc} is right in {right} of {len(decided)} decided cases of {len(every)}"


def _no_majority(every: Sequence[Cell]) -> Iterator[str]:
    decided = [each for each in every if not each.is_open]
    for cc in every[0].rows:
        if sum(bool(each.suits(cc)) for each in decided) >= TWO_THIRDS * len(decided):
            yield f"{cc} is right in two thirds of the cases"


def _of_parts(sentence: str, every: Sequence[Cell]) -> Iterator[str]:
    """Of a company each: `Alone: CUBIC. With 1 CUBIC: BBR.`."""
    parts = re.findall(rf"{WHERE}: (?P<what>[^.]+)\.", sentence)
    if not parts:
        yield f"“{sentence}” has no answer for each"
    for where, what in parts:
        own = _there(where, every)
        if not own:
            yield f"“{where}” is nowhere in the table"
        else:
            yield from _under_load(what, own)


def _under_load(sentence: str, own: Sequence[Cell]) -> Iterator[str]:
    """`BBR with a ping under load below 60 ms, CUBIC with a ping under load above 60 ms`, or one algorithm."""
    decided = [each for each in own if not each.is_open]
    if sentence == "nobody can say":
        if 2 * len(decided) >= len(own):
            yield f"“{sentence}”, and {len(decided)} of {len(own)} are decided"
    elif sentence == "no matter which":
        if any(not each.suits(cc) for each in decided for cc in each.rows):
            yield f"“{sentence}”, and somewhere it does"
    elif sentence == "as the queue is":
        yield from _no_majority(own)
    elif not sentence.startswith("no simple rule"):
        for part in sentence.split(", "):
            match = re.fullmatch(rf"{NAME}{LOAD}", part)
            if not match:
                yield f"“{part}” is no answer"
            elif _is_bounded(match):
                yield from _all_right(match, own)
            else:
                yield from _right_in_most(match["cc"], own)


def _of_exceptions(line: str, every: Sequence[Cell]) -> Iterator[str]:
    covered = 0
    for sentence in re.split(r"(?<=[.!?]) ", re.sub(r"\bWith a ping", "There with a ping", line)):
        if match := re.match(rf"{WHERE}{LOAD}: {NAME}[.,]", sentence):
            own = _there(match["where"], every)
            yield from _all_right(match, own)
            covered += sum(_is_inside(match, each) for each in own)
        elif match := re.match(r"In (\d+) more of \d+ cases another one is right", sentence):
            covered += int(match[1])
        elif match := re.match(r"Who came first decides .* in (\d+) of", sentence):
            ordered = sum(bool(next(iter(each.rows.values()))["by_order"]) for each in every)
            if int(match[1]) != ordered:
                yield f"“{sentence}”, and it is {ordered}"
        elif sentence != "Nothing that was tried.":
            yield f"“{sentence}” is no exception"
    if covered > len(every):
        yield f"{covered} exceptions of {len(every)} cases"


def _all_right(match: re.Match[str], own: Sequence[Cell]) -> Iterator[str]:
    inside = [each for each in own if _is_inside(match, each)]
    if not inside:
        yield f"“{match[0]}” is about no case"
    wrong = Counter(each.suits(match["cc"].lower()) for each in inside if not each.suits(match["cc"].lower()))
    if wrong:
        yield f"“{match[0]}”: undecided in {wrong[None]}, wrong in {wrong[False]} of {len(inside)}"


def _is_bounded(match: re.Match[str]) -> bool:
    return any(match[name] for name in ("below", "above", "low"))


def _is_inside(match: re.Match[str], cell: Cell) -> bool:
    """Bounds are rounded to their last digit."""
    low, high = match["above"] or match["low"], match["below"] or match["high"]
    return (low is None or cell.loaded_ms >= float(low) - _half_digit(low)) and (
        high is None or cell.loaded_ms <= float(high) + _half_digit(high)
    )


def _half_digit(text: str) -> float:
    return 0.05 if "." in text else 0.5


def _there(where: str, every: Sequence[Cell]) -> list[Cell]:
    """The cells of a company, as a sentence names it."""
    if where == "There":
        return list(every)
    if where == "Alone":
        return [each for each in every if each.company == "alone"]
    if where == "If all others switch":
        return [each for each in every if each.company.endswith("others switch too")]
    least, most, cc = re.fullmatch(r"With (?:(\d+) to )?(\d+) (\S+)", where).groups()  # type: ignore[union-attr]
    return [
        each for each in every
        if (match := re.fullmatch(r"beside (\d+) (\S+)", each.company))
        and match[2] == cc and int(least or most) <= int(match[1]) <= int(most)
    ]  # fmt: skip


def _of_reasons(sentence: str, every: Sequence[Cell]) -> Iterator[str]:
    decided = [each for each in every if not each.is_open]
    if match := re.search(rf"{NAME} takes (\d+)(?: to (\d+))? % from the others, .* in (\d+) of", sentence):
        shares = [
            each.rows[match["cc"].lower()]["harm"]["value"] for each in decided if each.harms(match["cc"].lower())
        ]
        if int(match[4]) != len(shares):
            yield f"“{match[0]}”, and it harms in {len(shares)}"
        elif not _near((int(match[2]), int(match[3] or match[2])), [100 * each for each in shares]):
            yield f"“{match[0]}”, and it takes {sorted(shares)}"
    if match := re.search(
        rf"{NAME} (?:has|is|shares) \d+(?: to \d+)? % (?:more|faster|prompter).* in (\d+) of", sentence
    ):
        ahead = sum(next(iter(each.rows.values()))["verdict"] == "ahead" and bool(each.suits(match["cc"].lower()))
                    for each in decided)  # fmt: skip
        if int(match[2]) != ahead:
            yield f"“{match[0]}”, and it is ahead in {ahead}"
    if (match := re.search(r"may be chance in (\d+) of", sentence)) and int(match[1]) != len(every) - len(decided):
        yield f"“{match[0]}”, and {len(every) - len(decided)} are undecided"
    if match := re.search(rf"{NAME} instead: (\S+)(?: to (\S+))? % goodput for you", sentence):
        other = match["cc"].lower()
        changes = [
            100 * (each.rows[other]["goodput_bps"]["value"] / row["goodput_bps"]["value"] - 1)
            for each in decided
            for cc, row in each.rows.items()
            if cc != other
        ]
        if len(every[0].rows) == len((other, "chosen")) and not _near(
            (int(match[2]), int(match[3] or match[2])), changes
        ):
            yield f"“{match[0]}”, and it is {sorted(changes)}"


def _near(said: tuple[int, int], values: Sequence[float]) -> bool:
    return bool(values) and all(
        abs(one - other) <= ROUNDING for one, other in zip(said, (min(values), max(values)), strict=True)
    )


def _of_flips(flips: Sequence[Mapping[str, Any]], every: Sequence[Cell]) -> Iterator[str]:
    for each in flips:
        at, own = 1e3 * each["loaded_rtt_s"], [cell for cell in every if cell.company == each["company"]]
        for cc, side in ((each["below"], [cell for cell in own if cell.loaded_ms < at][::-1]),
                         (each["above"], [cell for cell in own if cell.loaded_ms > at])):  # fmt: skip
            nearest = next((cell for cell in side if not all(cell.suits(other) for other in cell.rows)), None)
            if nearest is None or nearest.is_open or not nearest.suits(cc):
                yield f"{each['company']}, {at:.0f} ms: {cc} is not right beside it"
