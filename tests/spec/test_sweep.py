from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dumbbell.spec import Experiment, Problem, expand, load
from dumbbell.spec.sweep import Grid

if TYPE_CHECKING:
    from collections.abc import Callable

Words = dict[str, Any]


def values(experiment: Experiment) -> list[dict[str, Any]]:
    return [point.values for point in expand(experiment)]


def test_no_list_makes_one_point(words: Words) -> None:
    assert values(load(words)) == [{}]


def test_a_list_makes_a_point_a_value(words: Words) -> None:
    words["path"]["buffer"] = ["0.5 bdp", "1bdp", "100 packets"]
    assert values(load(words)) == [{"path.buffer": text} for text in ("0.5 bdp", "1bdp", "100 packets")]


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
    first, second, third, *_, last = values(load(text))
    assert list(first) == ["measure.sample", "path.buffer", "path.rate"]
    assert list(first.values()) == ["10 ms", "1 bdp", "10 Mbit/s"]
    assert list(second.values()) == ["10 ms", "1 bdp", "20 Mbit/s"]
    assert list(third.values()) == ["10 ms", "2 bdp", "10 Mbit/s"]
    assert list(last.values()) == ["20 ms", "2 bdp", "20 Mbit/s"]
    assert len(values(load(text))) == 8


def test_python_keeps_the_order_of_words_too() -> None:
    experiment = Experiment(
        flows=[{"count": [1, 2], "cc": ["bbr", "cubic"]}],
        path={"buffer": "1 bdp", "rtt": ["5 ms", "10 ms"], "rate": "80 Mbit/s"},
        duration="10 s",
    )
    assert list(values(experiment)[0]) == ["flows[0].count", "flows[0].cc", "path.rtt"]


def test_zip_pairs_lists(words: Words) -> None:
    words |= {"zip": [["path.rate", "path.buffer"]]}
    words["path"] = {
        "rate": ["10 Mbit/s", "20 Mbit/s"],
        "rtt": ["5 ms", "10 ms"],
        "buffer": ["100 kB", "200 kB"],
    }
    assert [tuple(point.values()) for point in values(load(words))] == [
        ("10 Mbit/s", "5 ms", "100 kB"),
        ("10 Mbit/s", "10 ms", "100 kB"),
        ("20 Mbit/s", "5 ms", "200 kB"),
        ("20 Mbit/s", "10 ms", "200 kB"),
    ]


def test_lists_of_tables_and_inside_tables_are_sweeps_too(words: Words) -> None:
    words["flows"] = [
        {"cc": "bbr", "workload": {"transfer": ["1 MB", "10 MB"]}},
        {"cc": "cubic", "workload": ["bulk", {"transfer": "5 MB"}], "access": {"rate": ["1 Gbit/s"], "buffer": "1 MB"}},
    ]
    words["path"]["change"] = [{"at": "2 s", "rate": ["20 Mbit/s", "40 Mbit/s"]}]
    found = values(load(words))
    assert len(found) == 8
    assert found[0] == {
        "path.change[0].rate": "20 Mbit/s",
        "flows[0].workload.transfer": "1 MB",
        "flows[1].workload": "bulk",
        "flows[1].access.rate": "1 Gbit/s",
    }
    assert found[-1]["flows[1].workload"] == {"transfer": "5 MB"}


def test_keys_that_python_keeps_for_itself_are_swept(words: Words) -> None:
    words["flows"][0]["workload"] = {"stream": "1 Mbit/s", "for": ["1 s", "2 s"], "every": "10 ms"}
    points = list(expand(load(words)))
    assert [point.values for point in points] == [{"flows[0].workload.for": text} for text in ("1 s", "2 s")]
    workload = points[1].experiment.flows[0].workload
    assert getattr(workload, "for_", None) == "2 s"


def test_lists_that_are_values_are_no_sweep(words: Words) -> None:
    words |= {"seeds": [3, 4], "measure": {"window": ["1 s", "2 s"]}}
    words["path"]["change"] = [{"at": "2 s", "rate": "20 Mbit/s"}, {"at": "3 s", "rate": "30 Mbit/s"}]
    experiment = load(words)
    assert values(experiment) == [{}]
    assert list(experiment.seed_values) == [3, 4]


def test_a_point_has_no_list_left(words: Words) -> None:
    words["path"]["rtt"] = ["5 ms", "10 ms"]
    words["flows"][0]["cc"] = ["bbr", "cubic"]
    for point in expand(load(words)):
        assert point.experiment.path.rtt == point.values["path.rtt"]
        assert point.experiment.flows[0].cc == point.values["flows[0].cc"]
        assert values(load(point.experiment)) == [{}]


def test_a_million_points_are_expanded_as_they_are_needed(words: Words) -> None:
    words["path"] = {
        "rate": [f"{n} Mbit/s" for n in range(101, 201)],
        "rtt": [f"{n} ms" for n in range(1, 101)],
        "buffer": [f"{n} bdp" for n in range(1, 101)],
    }
    experiment = load(words)
    assert len(Grid.of(experiment)) == 1_000_000
    assert len(list(islice(expand(experiment), 3))) == 3


@pytest.mark.parametrize(
    ("bundles", "path", "message"),
    [
        ([["path.rate", "path.bufer"]], "zip[0]", '"path.bufer" is no list of this spec'),
        ([["path.rate", "path.rtt"]], "zip[0]", '"path.rtt" is no list of this spec'),
        ([["path.rate", "path.rate"]], "zip[0]", '"path.rate" is named twice'),
        ([["path.rate", "path.buffer"], ["path.rate", "path.buffer"]], "zip[1]", '"path.rate" is named twice'),
        ([["path.rate", "flows[0].count"]], "zip[0]", "the lists differ in length"),
        ([["path.rate"]], "zip[0]", "the list is too short"),
        ([[]], "zip[0]", "the list is empty"),
        (["path.rate"], "zip[0]", "must be a list"),
    ],
)
def test_zip_must_make_sense(
    words: Words, problems_of: Callable[..., list[Problem]], bundles: list[Any], path: str, message: str
) -> None:
    words["path"] |= {"rate": ["10 Mbit/s", "20 Mbit/s"], "buffer": ["1 bdp", "2 bdp"]}
    words["flows"][0]["count"] = [1, 2, 3]
    problem = problems_of(words | {"zip": bundles})[0]
    assert problem.path == path
    assert message in problem.message


def test_zip_says_nothing_about_a_list_with_a_problem(words: Words, problems_of: Callable[..., list[Problem]]) -> None:
    words["path"] |= {"rate": ["10 mbps", "20 Mbit/s"], "buffer": ["1 bdp", "2 bdp"]}
    assert [p.path for p in problems_of(words | {"zip": [["path.rate", "path.buffer"]]})] == ["path.rate[0]"]


def test_a_value_is_listed_once(words: Words, problems_of: Callable[..., list[Problem]]) -> None:
    words["path"]["rtt"] = ["5 ms", "10 ms", "5 ms"]
    assert [str(p) for p in problems_of(words)] == ['path.rtt: "5 ms" is listed twice; list each value once']


def test_zipped_values_may_repeat(words: Words) -> None:
    words["path"] |= {"rtt": ["5 ms", "10 ms", "5 ms"], "buffer": ["1 bdp", "1 bdp", "2 bdp"]}
    assert len(values(load(words | {"zip": [["path.rtt", "path.buffer"]]}))) == 3


def test_lists_do_not_nest(words: Words, problems_of: Callable[..., list[Problem]]) -> None:
    words["flows"][0]["workload"] = ["bulk", {"transfer": ["1 MB", "2 MB"]}]
    assert [p.path for p in problems_of(words)] == ["flows[0].workload[1].transfer"]


def test_too_many_points_are_refused(words: Words, problems_of: Callable[..., list[Problem]]) -> None:
    words["path"] |= {"rate": [f"{n} Mbit/s" for n in range(100, 1101)], "rtt": [f"{n} ms" for n in range(1, 1001)]}
    (problem,) = problems_of(words)
    assert problem == Problem("path.rate", "1001 x 1000 = 1001000 points are too many", "at most 1000000")


def test_a_problem_of_one_point_says_which(words: Words, problems_of: Callable[..., list[Problem]]) -> None:
    words["duration"] = ["10 s", "100 s"]
    words["flows"][0]["start"] = ["1 s", "20 s"]
    (problem,) = problems_of(words)
    assert problem.path == "flows[0].start"
    assert problem.message.endswith('(at duration = "10 s", flows[0].start = "20 s")')


@given(st.lists(st.integers(1, 4), min_size=0, max_size=4))
def test_there_are_as_many_points_as_combinations(lengths: list[int]) -> None:
    fields = ["rate", "rtt", "buffer", "mtu"]
    texts: list[list[Any]] = [
        ["10 Mbit/s", "20 Mbit/s", "30 Mbit/s", "40 Mbit/s"],
        ["10 ms", "20 ms", "30 ms", "40 ms"],
        ["1 bdp", "2 bdp", "3 bdp", "4 bdp"],
        [1500, 1400, 1300, 1200],
    ]
    path = {field: text[:length] for field, text, length in zip(fields, texts, lengths, strict=False)}
    defaults = {"rate": "10 Mbit/s", "rtt": "10 ms", "buffer": "1 bdp"}
    experiment = Experiment(
        duration="10 s", path=path | {k: v for k, v in defaults.items() if k not in path}, flows=[{"cc": "bbr"}]
    )
    points = values(experiment)
    product = 1
    for length in lengths:
        product *= length
    assert len(points) == product == len(Grid.of(experiment))
    assert len({tuple(map(str, point.values())) for point in points}) == product
