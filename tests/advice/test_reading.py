"""Connections that the model explains, and those that it does not: real ones, a review's, and some made of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path as File

import pytest

from dumbbell.advice.mix import common_question
from dumbbell.advice.paths import Path, cells, path_of
from dumbbell.advice.question import Question
from dumbbell.advice.reading import Contradiction, Starts, contradiction, lengths, sending_s, simulated, starts, steps
from dumbbell.cc import known
from dumbbell.engines.sim import SimEngine
from dumbbell.metrics.connections import capture, read
from dumbbell.results.store import Store

CAPTURES = File(__file__).parents[1] / "metrics" / "captures"
HEAD = "State Recv-Q Send-Q Local Address:Port Peer Address:Port\nESTAB 0 1191704 192.0.2.1:443 192.0.2.2:50000\n"
REVIEW = (CAPTURES / "reordered.txt").read_text(encoding="utf-8").removeprefix(HEAD)
"""A host on 1 Gbit/s whose netem has jitter, so that it reorders: BBR had 1.5 to 2.3 times what CUBIC had there."""
REORDERED = ("dsack_dups:171 ", "reordering:300 ", "reord_seen:13211 ")
RUN_S = 20.0


def line(  # noqa: PLR0913, PLR0917 (what ss shows)
    cc: str, rate: float, min_rtt: float, rtt: float, sent: float, resent: int, more: str = "", busy: float = 0.0
) -> str:
    """A connection as ss shows it: Mbit/s, ms, MB, and segments of 1448 B, busy as long as its rate says."""
    busy = busy or 8 * sent / rate
    return (
        f"\t {cc} wscale:7,7 rto:284 rtt:{rtt}/3.1 mss:1448 cwnd:120 bytes_sent:{sent * 1e6:.0f}"
        f" bytes_retrans:{1448 * resent} delivery_rate {1e6 * rate:.0f}bps busy:{1000 * busy:.0f}ms"
        f" retrans:0/{resent} {more} minrtt:{min_rtt}\n"
    )


def path(text: str) -> Path:
    (connection,) = capture("ss.txt", f"{HEAD}{text}".encode()).connections
    known_path = path_of(connection)
    assert isinstance(known_path, Path)
    return known_path


def question(**options: str) -> Question:
    return common_question(options, known())


def against(known_path: Path, store: Store, about: Question | None = None) -> Contradiction | None:
    """How a connection contradicts what was read of it."""
    (cell,) = cells([known_path], 6.0, about or question())
    ((sizes, _),) = cell.by_queues
    model = starts(cell, replace(cell.question, run_s=RUN_S), SimEngine(), store)
    return contradiction(known_path, sizes, model)


def causes(known_path: Path, store: Store, about: Question | None = None) -> tuple[str, ...]:
    no = against(known_path, store, about)
    return no.causes if no else ()


def test_the_reviews_connection_is_not_explained(store: Store) -> None:
    no = against(path(REVIEW), store)
    assert no is not None
    assert no.causes == ("reordering", "random loss")
    assert no.simulated is not None
    assert no.path.resent_share > 10 * no.simulated[1]


def test_without_its_reordering_it_still_is_not(store: Store) -> None:
    text = REVIEW
    for each in REORDERED:
        text = text.replace(each, "")
    assert causes(path(text), store) == ("random loss",)


def test_the_loss_that_it_shows_does_not_explain_its_rate(store: Store) -> None:
    """CUBIC with 1.8 % of random loss has some Mbit/s there: what was resent was not lost."""
    text = REVIEW
    for each in REORDERED:
        text = text.replace(each, "")
    assert causes(path(text), store, question(loss="1.8%")) == ("reordering",)


VARIANTS = {
    # Out of order: one of the three fields is enough.
    "seen once": (line("cubic", 20, 40, 75, 60, 25, "reord_seen:1"), ("reordering",)),
    "seen often": (line("cubic", 20, 40, 75, 60, 25, "reord_seen:900"), ("reordering",)),
    "far out of order": (line("cubic", 20, 40, 75, 60, 25, "reordering:4"), ("reordering",)),
    "sent twice": (line("cubic", 20, 40, 75, 60, 25, "dsack_dups:1"), ("reordering",)),
    "BBR out of order": (line("bbr", 20, 40, 45, 60, 150, "reordering:30 reord_seen:12"), ("reordering",)),
    "an algorithm that is not simulated, out of order": (
        line("vegas", 20, 40, 45, 60, 25, "reord_seen:12"), ("reordering",),
    ),
    # More loss than a queue's end makes at such a rate: with so much random loss CUBIC would not have it (RFC 9438).
    "2 % at 100 Mbit/s": (line("cubic", 100, 60, 95, 150, 2072), ("random loss",)),
    "1 % at 50 Mbit/s": (line("cubic", 50, 50, 80, 100, 690), ("random loss",)),
    "2 % at 20 Mbit/s": (line("cubic", 20, 40, 75, 60, 828), ("random loss",)),
    "2 % with Reno, long after its start": (line("reno", 50, 50, 80, 400, 5525), ("random loss",)),
    "BBR before a long queue": (line("bbr", 60, 22, 150, 200, 2210), ("random loss",)),
    "BBR before a longer one": (line("bbr", 20, 40, 200, 60, 660), ("random loss",)),
    "loss and out of order": (
        line("cubic", 50, 50, 80, 100, 690, "reord_seen:44 dsack_dups:9"), ("reordering", "random loss"),
    ),
    # Less in the mean than the line gave it last, or no loss where it ought to fill a queue.
    "a tenth in the mean": (line("cubic", 20, 40, 75, 60, 25, busy=240), ("neighbours",)),
    "BBR, a tenth in the mean": (line("bbr", 20, 40, 45, 60, 150, busy=240), ("neighbours",)),
    "no loss, and no queue": (line("cubic", 3, 60, 61, 12, 0), ("neighbours",)),
    # What fits.
    "CUBIC at a queue of 1 BDP": (line("cubic", 20, 40, 75, 60, 25), ()),
    "a few lost of few": (line("cubic", 20, 40, 42, 0.3, 2), ()),
    "BBR": (line("bbr", 20, 40, 45, 60, 150), ()),
    "limited by its application": (line("cubic", 20, 40, 75, 60, 2, "app_limited", busy=240), ()),
    "an algorithm that is not simulated": (line("vegas", 20, 40, 45, 60, 900), ()),
}  # fmt: skip


@pytest.mark.parametrize("name", VARIANTS)
def test_variants_are_explained_or_not_by_their_cause(name: str, store: Store) -> None:
    text, expected = VARIANTS[name]
    assert causes(path(text), store) == expected


KNOWN = {
    50196: (), 56762: (), 36214: (), 44376: (),
    53110: (),  # 1 % of random loss: see below
}  # fmt: skip
"""Of `netns`'s lines, by port: each a lone bulk flow before a drop-tail queue, in order."""


def test_real_flows_on_known_lines_are_explained(store: Store) -> None:
    """20 Mbit/s, 40 ms, 1 BDP with CUBIC and with BBR; 8, 60, 2; 50, 30, 0.3: Linux 6.18."""
    for each in read(str(CAPTURES / "known-lines.txt")).connections:
        port = int(each.local.rpartition(":")[2])
        known_path = path_of(each)
        if isinstance(known_path, Path):
            assert causes(known_path, store) == KNOWN.pop(port), port
    assert not KNOWN


def test_what_random_loss_alone_holds_back_looks_like_a_slower_line(store: Store) -> None:
    """CUBIC with 1 % of loss on 20 Mbit/s has 3, and resends what it would on a line of 3: only an idle ping knows."""
    (lossy,) = (
        own for each in read(str(CAPTURES / "known-lines.txt")).connections
        if each.local.endswith(":53110") and isinstance(own := path_of(each), Path)
    )  # fmt: skip
    assert lossy.rate_bps < 5e6
    assert causes(lossy, store) == ()
    twenty = replace(lossy, rate_bps=20.9e6)
    assert causes(twenty, store) == ("neighbours",)


def test_runs_are_as_long_as_connections_sent() -> None:
    every = lengths(48.0, 0.02)
    assert every == (48, 24, 12, 6, 3, 1.5)
    assert [steps(every, each) for each in (100, 48, 30, 24, 2, 1.5, 0.1)] == [
        (48, 24), (48, 24), (48, 24), (48, 24), (3, 1.5), (3, 1.5), (1.5,),
    ]  # fmt: skip
    assert lengths(12.0, 0.6) == (12,)


def test_what_is_lost_in_the_start_counts_once() -> None:
    """100 segments a second, of which 240 are lost in the start, and one in a hundred from then on."""
    share = {24.0: 240 / 2400 + 0.01, 12.0: 240 / 1200 + 0.01}
    model = Starts(question(), (24.0, 12.0), {("cubic", 9, each): (own, 0.8) for each, own in share.items()})
    one = replace(path(line("cubic", 20, 40, 75, 60, 25)), rate_bps=1.2e6)

    def lasting(seconds: float) -> Path:
        return replace(one, sent_bytes=one.sent_bytes * seconds / sending_s(one))

    assert model.resent(lasting(240.0), 9) == pytest.approx((0.02, 0.02), rel=1e-3)
    assert model.resent(lasting(18.0), 9) == pytest.approx((share[24.0], share[12.0]))
    assert model.resent(lasting(6.0), 9) == pytest.approx((0.0, share[12.0]))
    assert model.carried(lasting(18.0), 9) == 0.8


def test_a_path_that_another_one_stands_for_is_allowed_what_that_is_off(store: Store) -> None:
    slow, fast = (path(line("cubic", rate, 50, 80, 100, 690)) for rate in (10, 90))
    (cell,) = cells([slow, fast], 1.0, question())
    model = starts(cell, replace(cell.question, run_s=RUN_S), SimEngine(), store)
    (sizes, members), *_ = cell.by_queues
    assert {each.rate_bps for each in members} == {slow.rate_bps, fast.rate_bps}
    alone = contradiction(replace(fast, rate_bps=float(cell.question.rate_bps)), sizes, model)
    assert alone is not None
    assert contradiction(fast, sizes, model) is None


def test_what_the_simulator_has() -> None:
    assert [simulated(each, SimEngine().algorithms()) for each in ("cubic", "bbr", "reno", "vegas", "")] == [
        True, True, True, False, False,
    ]  # fmt: skip
