from __future__ import annotations

from itertools import islice
from math import prod
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dumbbell.spec import Experiment, expand, load
from specs import Fields, points, smallest

RATES, RTTS, BUFFERS = ["10 Mbit/s", "20 Mbit/s"], ["5 ms", "10 ms"], ["100 kB", "200 kB"]


@pytest.mark.parametrize(
    ("fields", "values"),
    [
        ({}, [{}]),
        (
            {"path.buffer": ["0.5 bdp", "1bdp", "100 packets"]},
            [{"path.buffer": text} for text in ("0.5 bdp", "1bdp", "100 packets")],
        ),
        (
            {"path.rate": RATES, "path.buffer": BUFFERS, "zip": [["path.rate", "path.buffer"]]},
            [{"path.rate": rate, "path.buffer": buffer} for rate, buffer in zip(RATES, BUFFERS, strict=True)],
        ),
        (
            {"path.rtt": ["5 ms", "10 ms", "5 ms"], "path.mtu": [1500, 1500, 9000], "zip": [["path.rtt", "path.mtu"]]},
            [{"path.rtt": rtt, "path.mtu": mtu} for rtt, mtu in (("5 ms", 1500), ("10 ms", 1500), ("5 ms", 9000))],
        ),
        (
            {"flows[0].workload": {"stream": "1 Mbit/s", "for": ["1 s", "2 s"], "every": "10 ms"}},
            [{"flows[0].workload.for": text} for text in ("1 s", "2 s")],
        ),
        (
            {
                "seeds": [3, 4],
                "measure.window": ["1 s", "2 s"],
                "path.change": [{"at": "2 s", "rate": "20 Mbit/s"}, {"at": "3 s", "rate": "30 Mbit/s"}],
            },
            [{}],
        ),
    ],
    ids=["no list", "a list", "zipped", "zipped values may repeat", "a key that Python keeps for itself", "values"],
)
def test_a_list_makes_a_point_a_value(fields: Fields, values: list[dict[str, Any]]) -> None:
    assert points(fields) == values


def test_lists_make_a_cross_product_in_order_of_appearance() -> None:
    text = """
        duration = "10 s"
        [measure]
        sample = ["10 ms", "20 ms"]
        [path]
        buffer = ["1 bdp", "2 bdp"]
        rtt = "25 ms"
        rate = ["10 Mbit/s", "20 Mbit/s"]
        [[flows]]
        cc = "cubic"
    """
    values = [point.values for point in expand(load(text))]
    assert list(values[0]) == ["measure.sample", "path.buffer", "path.rate"]
    assert [" ".join(each.values()) for each in values] == [
        f"{sample} {buffer} {rate}" for sample in ("10 ms", "20 ms") for buffer in ("1 bdp", "2 bdp") for rate in RATES
    ]
    path = {"buffer": "1 bdp", "rtt": RTTS, "rate": "80 Mbit/s"}
    python = Experiment(flows=[{"count": [1, 2], "cc": ["bbr", "cubic"]}], path=path, duration="10 s")
    assert list(next(expand(python)).values) == ["flows[0].count", "flows[0].cc", "path.rtt"]


def test_zipped_lists_are_crossed_with_the_others() -> None:
    path = {"rate": RATES, "rtt": RTTS, "buffer": BUFFERS}
    zipped = load(smallest(path=path, zip=[["path.rate", "path.buffer"]]))
    assert [tuple(point.values.values()) for point in expand(zipped)] == [
        (rate, rtt, buffer) for rate, buffer in zip(RATES, BUFFERS, strict=True) for rtt in RTTS
    ]


def test_lists_of_tables_and_inside_tables_are_sweeps_too() -> None:
    flows = [
        {"cc": "bbr", "workload": {"transfer": ["1 MB", "10 MB"]}},
        {"cc": "cubic", "workload": ["bulk", {"transfer": "5 MB"}], "access": {"rate": ["1 Gbit/s"], "buffer": "1 MB"}},
    ]
    values = points({"flows": flows, "path.change": [{"at": "2 s", "rate": ["20 Mbit/s", "40 Mbit/s"]}]})
    assert len(values) == 8
    assert values[0] == {
        "path.change[0].rate": "20 Mbit/s",
        "flows[0].workload.transfer": "1 MB",
        "flows[1].workload": "bulk",
        "flows[1].access.rate": "1 Gbit/s",
    }
    assert values[-1]["flows[1].workload"] == {"transfer": "5 MB"}


def test_the_words_of_a_command_are_one_value_and_a_list_of_such_lists_is_a_sweep() -> None:
    several = [["iperf3", "-c", "{receiver}"], ["nc", "-N", "{receiver}", "5001"]]
    field = "flows[0].workload.command"
    assert points({"flows[0].workload": {"command": several[0]}}) == [{}]
    assert points({"flows[0].workload": {"command": several}}) == [{field: command} for command in several]
    zipped = {"command": several, "server": [["iperf3", "-s"], ["nc", "-l", "5001"]]}
    together = {"flows[0].workload": zipped, "zip": [[field, "flows[0].workload.server"]]}
    assert [point[field][0] + point["flows[0].workload.server"][0] for point in points(together)] == [
        "iperf3iperf3", "ncnc",
    ]  # fmt: skip
    workloads = points({"flows[0].workload": ["bulk", {"command": several[0]}]})
    assert workloads == [{"flows[0].workload": "bulk"}, {"flows[0].workload": {"command": several[0]}}]


def test_a_point_has_no_list_left() -> None:
    workload = {"stream": "1 Mbit/s", "for": ["1 s", "2 s"], "every": "10 ms"}
    flows = [{"cc": ["bbr", "cubic"], "workload": workload}]
    for point in expand(load(smallest(flows=flows), overrides={"path.rtt": RTTS})):
        assert point.get("path.rtt") == point.fields()["path"]["rtt"] == point.values["path.rtt"]
        (flow,) = point.fields()["flows"]
        assert flow["cc"] == point.values["flows[0].cc"]
        assert flow["workload"]["for"] == point.values["flows[0].workload.for"]
        assert [each.values for each in expand(load(point.fields()))] == [{}]


@pytest.mark.slow
def test_a_million_points_are_expanded_as_they_are_needed() -> None:
    path = {
        "rate": [f"{n} Mbit/s" for n in range(101, 201)],
        "rtt": [f"{n} ms" for n in range(1, 101)],
        "buffer": [f"{n} bdp" for n in range(1, 101)],
    }
    experiment = load(smallest(path=path))
    assert len(experiment) == 1_000_000
    assert len(list(islice(expand(experiment), 3))) == 3


@pytest.mark.slow
@given(st.lists(st.integers(1, 4), min_size=4, max_size=4))
def test_there_are_as_many_points_as_combinations(lengths: list[int]) -> None:
    fields = {"rate": "{} Mbit/s", "rtt": "{} ms", "buffer": "{} bdp", "burst": "{} kB"}
    path = {
        field: [form.format(10 * (n + 1)) for n in range(length)]
        for (field, form), length in zip(fields.items(), lengths, strict=True)
    }
    experiment = load(smallest(path=path))
    values = [point.values for point in expand(experiment)]
    assert len(values) == prod(lengths) == len(experiment)
    assert len({tuple(map(str, point.values())) for point in values}) == len(values)
