"""Advice as sections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dumbbell.decide import text
from dumbbell.report.section import Section

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dumbbell.decide.advice import Advice


def advised(advice: Advice) -> Iterator[Section]:
    """The tables of an answer: of each company one."""
    for place, company in enumerate(advice.question.company):
        table = text.table(advice, company)
        yield Section(anchor=f"advice-{place}", heading=text.caption(advice, company), table=table)
