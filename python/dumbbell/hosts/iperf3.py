"""What `iperf3 -J` wrote, as a sheet of points: a test is a row, and its goodput and mean RTT are what was measured."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from dumbbell.hosts.sheet import refusal
from dumbbell.metrics.programs.iperf3 import of_client
from dumbbell.problem import quoted
from dumbbell.spec import Experiment, expand, resolve


def is_json(text: str) -> bool:
    """Whether it is an object in JSON, and no table."""
    return text.lstrip().startswith("{")


def cells(
    text: str, file: str, experiment: Experiment
) -> tuple[tuple[str, ...], list[str], list[tuple[int, list[str]]]]:
    """What it says of itself, headings and rows; objects may stand one behind the other, as `cat` makes them.

    Raises:
        SpecError: it is no JSON of iperf3, its test failed, or nobody knows which group of flows it measured.
    """
    tests = list(_tests(text, file))
    rows = []
    for line, test in tests:
        report = of_client(test)
        if report.goodput_bps is None:
            said = f": {report.error}" if report.error else ""
            raise refusal(f"{file} line {line}", f"iperf3 tells no goodput{said}", "give a test that came to its end")
        rtt = "" if report.rtt_mean_s is None else f"{1e3 * report.rtt_mean_s:.6g}"
        rows.append((line, [f"{report.goodput_bps / 1e6:.9g}", rtt]))
    names = {_group(test, file, experiment) for _, test in tests}
    if len(names) > 1:
        raise refusal(file, f"has tests of {len(names)} groups: {', '.join(sorted(names))}", "give a file for each")
    (name,) = names
    start = tests[0][1].get("start")
    version = start.get("version", "") if isinstance(start, Mapping) else ""
    return (str(version),), [f"goodput.{name} (Mbit/s)", f"rtt.{name} (ms)"], rows


def _tests(text: str, file: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    decoder, place = json.JSONDecoder(), 0
    while text[place:].strip():
        place += len(text[place:]) - len(text[place:].lstrip())
        line = text.count("\n", 0, place) + 1
        try:
            test, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            reason = str(error).partition(":")[0]
            raise refusal(f"{file} line {line}", f"is no JSON: {reason}", "give what iperf3 -J wrote, whole") from None
        if not isinstance(test, dict) or not isinstance(test.get("end", test.get("error")), dict | str):
            raise refusal(f"{file} line {line}", "is JSON, but not of iperf3", "give what iperf3 -J wrote, or a table")
        yield line, test


def _group(test: Mapping[str, Any], file: str, experiment: Experiment) -> str:
    """The group that the test measured: the only one, or that with its congestion control."""
    names = list(dict.fromkeys(resolve(next(expand(experiment)), experiment.seed_values[0]).groups))
    end = test.get("end")
    cc = end.get("sender_tcp_congestion") if isinstance(end, Mapping) else None
    ccs = experiment.of_groups("cc")  # of each group one, or a sweep
    alike = [name for name, own in zip(names, ccs, strict=True) if (cc in own if isinstance(own, list) else cc == own)]
    if len(names) == 1 or len(alike) == 1:
        return alike[0] if len(alike) == 1 else names[0]
    what = f"ran {quoted(cc)}" if cc else "tells no congestion control"
    raise refusal(file, f"{what}, and SPEC has the groups {', '.join(names)}", "write a table: goodput.GROUP (Mbit/s)")
