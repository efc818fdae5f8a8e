"""Random specs that are valid: what people write, and what is allowed at the extremes; from a seed, always the same."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any, TypeAlias

from dumbbell.errors import DumbbellError
from dumbbell.spec import load

Fields: TypeAlias = "dict[str, Any]"

CCS = ("bbr", "cubic", "reno", "vegas", "illinois", "bbr_1_1", "bbr_4_17", "bbr[cwnd_gain=1.5]", "cubic[beta=0.8]")
SIMULATED = tuple(cc for cc in CCS if cc not in {"vegas", "illinois"})
"""Those that the simulator has."""
_TRIES = 200


def valid_specs(seed: int, count: int, ccs: tuple[str, ...] = CCS) -> Iterator[Fields]:
    """So many specs; half of them with extremes."""
    for number in range(count):
        draw = Random(f"valid specs {seed} {number}")  # noqa: S311 (always the same)
        yield next(fields for _ in range(_TRIES) if (fields := _spec(draw, ccs, extreme=number % 2 == 1)) is not None)


def _spec(draw: Random, ccs: tuple[str, ...], *, extreme: bool) -> Fields | None:
    """A spec; None where its parts do not fit together."""
    fields = _drawn(draw, ccs, extreme=extreme)
    try:
        load(fields)
    except DumbbellError:
        return None
    return fields


def _drawn(draw: Random, ccs: tuple[str, ...], *, extreme: bool) -> Fields:
    def between(least: float, most: float, usual: tuple[float, float]) -> float:
        """A number, all sizes as likely; now and then a bound itself."""
        if not extreme or draw.random() < 0.5:
            least, most = usual
        elif draw.random() < 0.1:
            return draw.choice((least, most))
        return math.exp(draw.uniform(math.log(least), math.log(most)))

    def time(least: float, most: float, usual: tuple[float, float]) -> str:
        return f"{max(1, round(between(least, most, usual) * 1e9))} ns"

    def rate() -> str:
        return f"{max(1000, round(between(1e3, 1e12, (1e6, 1e9))))} bit/s"

    duration_s = between(1e-3, 1e6, (1, 120))
    sample_s = between(duration_s / 1e7, duration_s, (duration_s / 2000, duration_s / 20))
    path: Fields = {
        "rate": [rate() for _ in range(draw.choice((2, 3)))] if draw.random() < 0.15 else rate(),
        "rtt": time(1e-6, 100, (1e-3, 0.2)),
        "buffer": draw.choice((
            f"{between(1, 1e9, (10, 10_000)):.0f} packets",
            f"{between(0.001, 1e5, (0.2, 10)):.4f} bdp",
            f"{between(1514, 1e12, (1e4, 1e7)):.0f} B",
        )),
    }  # fmt: skip
    _maybe(draw, path, 0.2, loss=f"{between(1e-7, 99.9, (0.001, 3)):.7f} %")
    _maybe(draw, path, 0.1, loss_at="after")
    _maybe(draw, path, 0.1, mtu=draw.choice((576, 9000, 65_535)))
    _maybe(draw, path, 0.1, overhead=draw.choice(("38 B", f"{between(1, 1000, (14, 100)):.0f} B")))
    _maybe(draw, path, 0.1, offload=True)
    _maybe(draw, path, 0.1, burst=f"{between(1, 1e9, (2e3, 1e5)):.0f} B", shaper=draw.choice(("tbf", "htb")))
    _maybe(draw, path, 0.2, jitter=draw.choice(("none", "1 packet", time(1e-9, 4, (1e-6, 1e-3)))))
    if draw.random() < 0.2:
        moments = sorted(draw.uniform(0.01, 0.99) * duration_s for _ in range(draw.choice((1, 2, 5))))
        path["change"] = [{"at": f"{round(moment * 1e9)} ns", "rate": rate()} for moment in moments]
    fields: Fields = {"duration": f"{round(duration_s * 1e9)} ns", "path": path}
    fields["flows"] = [_flow(draw, ccs, duration_s, between) for _ in range(draw.choice((1, 1, 2, 3)))]
    seeds = draw.choice((1, 1, 1, 2, 5)) if not extreme or draw.random() < 0.9 else round(between(1, 1e6, (1, 5)))
    fields["seeds"] = seeds
    fields["measure"] = {"sample": f"{max(1000, round(sample_s * 1e9))} ns"}
    _maybe(draw, fields["measure"], 0.3, record=draw.choice(("summary", "acks")))
    if draw.random() < 0.3:
        fields["measure"]["window"] = ["25 %", "100 %"]
    _maybe(draw, fields, 0.2, start_jitter=f"{round(0.001 * duration_s * 1e9)} ns")
    host: Fields = {}
    _maybe(draw, host, 0.15, initial_window=round(between(1, 10_000, (2, 40))))
    _maybe(draw, host, 0.15, receive_window=f"{between(3000, 2**31, (1e4, 1e7)):.0f} B")
    _maybe(draw, host, 0.15, socket_memory=draw.choice(("default", "max", "1 MB")))
    _maybe(draw, host, 0.15, qdisc="fq")
    _maybe(draw, host, 0.1, ack_aggregation=time(1e-6, 0.1, (1e-5, 1e-3)))
    if host:
        fields["host"] = host
    return fields


def _flow(draw: Random, ccs: tuple[str, ...], duration_s: float, between: Any) -> Fields:
    flow: Fields = {"cc": draw.choice(ccs), "name": f"flow {draw.randrange(10**9)}"}
    kind = draw.choice(("bulk", "bulk", "bulk", "transfer", "stream", "arrivals", "load"))
    size = f"{between(1, 1e15, (1e3, 1e7)):.0f} B"
    if kind == "transfer":
        flow["workload"] = {"transfer": size}
    elif kind == "stream":
        every_s = between(1e-6, duration_s, (0.001, 0.1))
        flow["workload"] = {
            "stream": f"{between(1, 1e12, (1e5, 1e8)):.0f} bit/s",
            "for": f"{round(duration_s * draw.uniform(0.2, 1) * 1e9)} ns",
            "every": f"{max(1000, round(every_s * 1e9))} ns",
        }
    elif kind in {"arrivals", "load"}:
        many = max(1.0, between(1, 1e6, (1, 3000)))
        how = (
            {"rate": f"{max(many / duration_s, 1e-6):.6f} /s"}
            if kind == "arrivals"
            else {"load": draw.uniform(0.01, 2)}
        )
        lognormal = {"lognormal": {"median": size, "sigma": round(draw.uniform(0.1, 3), 3)}}
        pareto = {"pareto": {"minimum": size, "shape": 1.2, "maximum": "1000000 GB"}}
        flow["workload"] = {
            "arrivals": how | ({"count": max(1, int(many))} if draw.random() < 0.3 else {}),
            "size": draw.choice((size, lognormal, pareto)),
        }
    if kind not in {"arrivals", "load"}:
        flow["count"] = round(between(1, 100_000, (1, 10)))
        _maybe(draw, flow, 0.2, stagger=f"{round(duration_s * 1e9 / 10 / flow['count'])} ns")
    _maybe(draw, flow, 0.2, start=f"{round(draw.uniform(0, 0.8) * duration_s * 1e9)} ns")
    _maybe(draw, flow, 0.15, stop=f"{round(draw.uniform(0.91, 1) * duration_s * 1e9)} ns")
    _maybe(draw, flow, 0.15, rtt=f"{max(1000, round(between(1e-6, 100, (1e-3, 0.2)) * 1e9))} ns")
    if draw.random() < 0.1:
        flow["access"] = {
            "rate": f"{max(1000, round(between(1e3, 1e12, (1e7, 1e9))))} bit/s",
            "buffer": f"{between(1, 1e9, (20, 2000)):.0f} packets",
        }
    return flow


def _maybe(draw: Random, fields: Fields, share: float, **values: Any) -> None:
    if draw.random() < share:
        fields.update(values)
