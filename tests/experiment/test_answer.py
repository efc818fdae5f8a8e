"""The answer of an experiment: each decision from values made by hand, and whole answers from real runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest

import dumbbell
from dumbbell.experiment.answer import answer
from dumbbell.experiment.points import ExperimentRuns, read
from dumbbell.experiment.table import table
from dumbbell.results.measured import MeasuredPoint
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, expand, resolve

PATH = {"rate": "100 Mbit/s", "rtt": "20 ms", "buffer": "1 bdp"}
NEAR = {"name": "near", "cc": "bbr"}
FAR = {"name": "far", "cc": "bbr", "rtt": "100 ms"}
DOWNLOAD = {"name": "get", "cc": ["cubic", "bbr"], "workload": {"transfer": "1 MB"}}
UNTIL = {"duration": "until done", "time_limit": "60 s"}


def runs_with(
    values: Sequence[Sequence[float]], quantity: str = "share", *, failed: int = 0, **fields: Any
) -> ExperimentRuns:
    """An experiment with these values of its first group (and the rest of the share for the second), a row a point."""
    path = PATH | fields.pop("path", {})
    seeds = max(map(len, values)) + failed
    experiment = Experiment(**{"path": path, "duration": "60 s", "seeds": seeds} | fields)
    points = []
    for point, own in zip(expand(experiment), values, strict=True):
        names = list(dict.fromkeys(resolve(point, 1).groups))
        groups = point.fields()["flows"]
        sizes = {name: group.get("count", 1) for name, group in zip(names, groups, strict=True)}
        measured = {(quantity, names[0]): list(own)}
        if len(names) > 1 and quantity == "share":
            rest = [(1 - value) / (len(names) - 1) for value in own]
            measured |= {("share", name): rest for name in names[1:]}
        bulk = quantity == "share" and len(names) > 1
        points.append(
            MeasuredPoint(
                swept=point.values,
                ccs={name: group["cc"] for name, group in zip(names, groups, strict=True)},
                sizes=sizes,
                fair_shares={name: sizes[name] / sum(sizes.values()) for name in names} if bulk else {},
                run_ids={seed: f"{seed:016x}" for seed in range(1, len(own) + 1)},
                errors=dict.fromkeys(range(len(own) + 1, len(own) + failed + 1), "failed"),
                numbers=measured,
            )
        )
    return ExperimentRuns(name="hand", engine="sim", points=points, experiment=experiment, spec=experiment.fields())


def answer_text(values: Sequence[Sequence[float]], quantity: str = "share", **fields: Any) -> str:
    return " ".join(answer(runs_with(values, quantity, **fields)))


BBR_AND_CUBIC = [{"cc": "bbr"}, {"cc": "cubic", "count": 3}]
PAIR = [{"cc": "bbr"}, {"cc": "cubic"}]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([0.80, 0.82, 0.84], "BBR takes 82.0 ± 5.0 % of the goodput, where 25 % would be fair."),
        ([0.25, 0.246, 0.25], ("3 CUBIC flows take 75.1 ± 0.6 % of the goodput, where 75 % would be fair (no"
         " difference that matters).")),
        ([0.30, 0.20, 0.40], ("BBR takes 30.0 ± 24.8 % of the goodput, where 25 % would be fair (3 seeds cannot tell"
         " these apart).")),
        ([0.8], ("BBR takes 80.0 % of the goodput, where 25 % would be fair. There is one seed, so there are no"
         " intervals.")),
        ([0.8, 0.8], ("BBR takes 80.0 % of the goodput, where 25 % would be fair. All seeds gave the same, so there are"
         " no intervals.")),
    ],
)  # fmt: skip
def test_a_share_stands_beside_the_fair_one(values: list[float], said: str) -> None:
    assert answer_text([values], flows=BBR_AND_CUBIC) == said


BUFFERS = {"buffer": ["0.25 bdp", "1 bdp", "4 bdp"]}


@pytest.mark.parametrize(
    ("levels", "said"),
    [
        ((0.80, 0.795, 0.81), ("BBR takes 79.5 to 81.0 % of the goodput at a buffer of 0.25 to 4 BDP, where 50 % would"
         " be fair.")),
        ((0.90, 0.89, 0.60), ("BBR takes 90.0 ± 0.1 % of the goodput at a buffer of 0.25 BDP and 60.0 ± 0.1 % at 4 BDP"
         " (no difference between 0.25 and 1 BDP), where 50 % would be fair.")),
        ((0.90, 0.60, 0.30), ("BBR takes 90.0 ± 0.1 % of the goodput at a buffer of 0.25 BDP and 30.0 ± 0.1 % at 4 BDP,"
         " where 50 % would be fair; it falls below that between 1 and 4 BDP.")),
        ((0.60, 0.90, 0.70), ("BBR takes 60.0 ± 0.1 % of the goodput at a buffer of 0.25 BDP and 70.0 ± 0.1 % at 4 BDP"
         " (most at 1 BDP: 90.0 ± 0.1 %), where 50 % would be fair.")),
    ],
)  # fmt: skip
def test_over_a_sweep_the_ends_the_peak_what_stays_and_where_it_flips(levels: tuple[float, ...], said: str) -> None:
    values = [[level - 0.0001, level, level + 0.0009, level - 0.0008] for level in levels]
    assert answer_text(values, flows=PAIR, path=BUFFERS) == said


def test_ends_that_seeds_do_not_tell_apart_are_said_to_be_so() -> None:
    values = [[0.60, 0.70, 0.65], [0.62, 0.68, 0.66], [0.80, 0.60, 0.75]]
    assert "(the seeds do not tell these apart)" in answer_text(values, flows=PAIR, path=BUFFERS)


def test_what_varies_alike_with_the_seed_is_paired() -> None:
    """Each seed has 10 % less in the deeper queue, though the seeds differ by far more."""
    values = [[0.9, 0.7, 0.5], [0.8, 0.6, 0.4], [0.7, 0.5, 0.3]]
    assert "do not tell" not in answer_text(values, flows=PAIR, path=BUFFERS)
    assert "do not tell" in answer_text([values[0], values[1], values[2][::-1]], flows=PAIR, path=BUFFERS)


def test_flows_of_one_algorithm_are_told_apart_by_what_differs() -> None:
    assert answer_text([[0.3]], flows=[NEAR, FAR]).startswith("far (100 ms) takes 70.0 %")
    unnamed = [{"cc": "bbr"}, {"cc": "bbr", "rtt": "100 ms"}]
    assert answer_text([[0.7]], flows=unnamed).startswith("The 20 ms BBR flow takes 70.0 %")
    later = [{"cc": "bbr"}, {"cc": "bbr", "start": "20 s"}]
    assert answer_text([[0.7]], flows=later).startswith("The BBR flow from 20 s on takes 30.0 %")
    slow = [{"cc": "bbr"}, {"cc": "bbr", "access": {"rate": "1 Gbit/s", "buffer": "1 MB"}}]
    assert answer_text([[0.3]], flows=slow).startswith("The BBR flow on 1 Gbit/s takes 70.0 %")
    assert answer_text([[0.3]], flows=[{"cc": "bbr"}, {"cc": "bbr"}]).startswith("bbr-2 takes 70.0 %")


def test_a_late_joiner_is_what_the_sentence_is_about() -> None:
    flows = [{"name": "first", "cc": "bbr"}, {"name": "late", "cc": "cubic", "start": "20 s"}]
    assert answer_text([[0.9]], flows=flows).startswith("late (from 20 s on, CUBIC) takes 10.0 %")
    soon = [flows[0], flows[1] | {"start": "2 s"}]
    assert answer_text([[0.9]], flows=soon).startswith("first (BBR) takes 90.0 %")


def test_of_a_late_joiner_it_is_said_whether_and_when_rates_are_equal() -> None:
    flows = [{"name": "first", "cc": "bbr"}, {"name": "late", "cc": ["bbr", "cubic"], "start": "20 s"}]
    runs = runs_with([[0.5, 0.51], [0.9, 0.9]], flows=flows)
    for point, known in zip(runs.points, ([1.0, 1.0], [0.0, 0.0]), strict=True):
        point.numbers["converged", ""] = known
    runs.points[0].numbers["convergence", ""] = [3.0, 3.2]
    assert answer(runs)[1] == (
        "The flows come to within 20 % of equal rates as BBR in 2 of 2 runs (after 3.10 ± 1.27 s), as CUBIC in none of"
        " 2 runs."
    )


def test_swept_algorithms_are_conditions() -> None:
    flows = [NEAR | {"cc": ["reno", "bbr"]}, FAR | {"cc": ["reno", "bbr"]}]
    both = answer_text([[0.8], [0.1]], flows=flows, zip=[["flows[0].cc", "flows[1].cc"]])
    assert both.startswith("near (20 ms) takes 80.0 % of the goodput with Reno; 10.0 % with BBR; 50 % would be fair.")
    each = answer_text([[0.5], [0.2], [0.8], [0.5]], flows=flows)
    assert "20.0 % as Reno beside BBR; 80.0 % as BBR beside Reno" in each


def test_of_more_conditions_than_one_reads_there_are_the_ends() -> None:
    ccs = ["reno", "bbr", "cubic", "bbr_4_17"]
    said = answer_text([[n / 20] for n in range(16)], flows=[NEAR | {"cc": ccs}, FAR | {"cc": ccs}])
    assert said.startswith(
        "Over 16 points, near (20 ms) takes from 0 % of the goodput (with Reno) to 75.0 % (with bbr_4_17); 50 % would"
        " be fair."
    )


def test_where_the_order_changes_again_and_again_it_is_counted() -> None:
    losses = {"loss": ["0 %", "1 %", "2 %", "3 %", "4 %"]}
    values = [[3.0], [2.0], [2.0], [3.0], [3.0], [2.0], [2.0], [2.0], [3.0], [2.0]]
    assert answer_text(values, "fct", **UNTIL, path=losses, flows=[DOWNLOAD]).startswith(
        "At a loss of 0 to 4 %, BBR is faster at 3, CUBIC is faster at 1 and there is no difference that is certain at"
        " 1 of 5 places."
    )


def test_of_three_groups_each_is_said() -> None:
    said = answer_text([[0.6]], flows=[*PAIR, {"cc": "reno"}])
    assert said.startswith(
        "BBR takes 60.0 % of the goodput, where 33.3 % would be fair; CUBIC takes 20.0 % and Reno takes 20.0 %."
    )


LOSSES = {"loss": ["0 %", "1 %"]}


@pytest.mark.parametrize(
    ("cubic", "bbr", "said"),
    [
        ([4.0, 4.1, 4.2], [2.0, 2.1, 2.1], ("BBR is faster: 2.07 ± 0.14 s against 4.10 ± 0.25 s of CUBIC, 2.03 ± 0.14 s"
         " less.")),
        ([2.0, 2.01, 2.02], [2.0, 2.02, 2.01], ("there is no difference in completion time: CUBIC 2.01 ±"
         " 0.02 s, BBR 2.01 ± 0.02 s.")),
        ([2.0, 4.0, 3.0], [2.0, 2.1, 2.1], ("3 seeds cannot tell BBR and CUBIC apart: BBR 2.07 ± 0.14 s, CUBIC 3.00 ±"
         " 2.48 s.")),
    ],
)  # fmt: skip
def test_downloads_are_compared_pair_by_pair(cubic: list[float], bbr: list[float], said: str) -> None:
    answered = answer_text([cubic, bbr], "fct", **UNTIL, flows=[DOWNLOAD])
    assert answered.lower() == said.lower()


def test_algorithms_are_compared_within_a_workload_only() -> None:
    stream = {"stream": "5 Mbit/s", "for": "50 s", "every": "40 ms"}
    flow = {"name": "x", "cc": ["reno", "bbr"], "workload": ["bulk", {"transfer": "1 MB"}, stream]}
    runs = runs_with([[v] for v in (9e7, 9e3, 5e6, 4e7, 9e3, 5e6)], "goodput", flows=[flow])
    for point, time in zip(runs.points, (math.nan, 2.0, math.nan, math.nan, 1.0, math.nan), strict=True):
        point.numbers["fct", "x"] = [time]
    (said, _) = answer(runs)
    assert "For the workload bulk, Reno has more: 90.0 Mbit/s against 40.0 Mbit/s of BBR" in said
    assert "for the workload transfer, BBR is faster: 1.00 s against 2.00 s of Reno" in said
    assert "for the workload stream, one seed cannot tell" in said


@pytest.mark.parametrize(
    ("other", "until", "shown"),
    [
        ({"workload": {"transfer": "4 MB"}}, UNTIL, set()),
        ({}, UNTIL, {"goodput"}),
        ({}, {}, {"goodput", "share"}),
    ],
)
def test_what_sizes_decide_is_no_usual_column(other: dict[str, Any], until: dict[str, Any], shown: set[str]) -> None:
    flows = [{"name": "a", "cc": "bbr", "workload": {"transfer": "1 MB"}}, {"name": "b", "cc": "cubic"} | other]
    runs = runs_with([[0.2, 0.2]], flows=flows, **until)
    runs.points[0].numbers["goodput", "a"] = runs.points[0].numbers["goodput", "b"] = [1e6, 2e6]
    assert shown == {"goodput", "share"}.intersection(table(runs).columns)
    assert {"goodput", "share"} <= set(table(runs, everything=True).columns)


def test_groups_with_transfers_of_several_sizes_are_compared_at_one_point_only() -> None:
    sizes = ["1 MB", "10 MB", "20 MB"]
    flows = [{"name": name, "cc": name, "workload": {"transfer": sizes}} for name in ("bbr", "cubic")]
    runs = runs_with([[1.0, 1.1, 1.05]] * 9, "fct", flows=flows, duration="until done", time_limit="60 s")
    for number, point in enumerate(runs.points):
        point.numbers["fct", "cubic"] = [2.0, 2.1, 2.05] if number < 6 else [1.0, 1.1, 1.05]
    assert answer(runs) == ["BBR is faster at 6 and there is no difference that is certain at 3 of 9 places."]


def test_swept_fields_of_flows_have_a_noun_and_of_several_groups_the_groups_name() -> None:
    crowd, other = {"name": "crowd", "cc": "bbr", "count": [1, 8]}, {"name": "other", "cc": "cubic"}
    both = answer_text([[0.7], [0.3]], flows=[crowd, other])
    assert both.startswith("other (CUBIC) takes 30.0 % of the goodput at 1 flow of crowd and 70.0 % at 8, where")
    one = answer_text([[4e7], [9e7]], "goodput", flows=[{"cc": "bbr", "count": [1, 8]}])
    assert one.startswith("The BBR flows get 40.0 Mbit/s at 1 flow and 90.0 Mbit/s at 8")


def test_one_seed_never_says_that_there_is_no_difference() -> None:
    losses = {"loss": ["0 %", "1 %"]}
    values = [[1.0], [1.001], [2.0, 2.1, 2.05], [2.01, 2.09, 2.06]]
    if_few = answer_text(values, "fct", flows=[DOWNLOAD], path=losses, seeds=3, **UNTIL)
    assert "one seed cannot tell" in if_few
    alone = answer_text([[1.0], [1.001], [2.0], [2.01]], "fct", flows=[DOWNLOAD], path=losses, seeds=1, **UNTIL)
    assert "one seed cannot tell" in alone
    assert "no difference" not in alone


def test_the_order_over_a_sweep_has_a_clause_for_each_verdict() -> None:
    # the loss varies slowest
    said = answer_text([[2.0], [2.0], [9.0], [3.0]], "fct", **UNTIL, path=LOSSES, flows=[DOWNLOAD])
    assert said == (
        "At a loss of 0 %, one seed cannot tell CUBIC and BBR apart: CUBIC 2.00 s, BBR 2.00 s; at a loss of 1 %, BBR"
        " is faster: 3.00 s against 9.00 s of CUBIC, 6.00 s less. There is one seed, so there are no intervals."
    )


def test_transfers_that_did_not_complete_are_counted() -> None:
    said = answer_text([[2.0, math.nan, 2.1], [1.0, 1.1, 1.0]], "fct", **UNTIL, flows=[DOWNLOAD])
    assert said.endswith("In 1 of 6 runs not every transfer was complete.")
    assert "only BBR completes in every run: BBR 1.03 ± 0.14 s, CUBIC not complete in 1 of 3 runs" in said
    none = answer_text([[math.nan], [math.nan]], "fct", **UNTIL, flows=[DOWNLOAD])
    assert none == "In 2 of 2 runs not every transfer was complete."


def test_the_cliff_of_each_over_random_loss() -> None:
    path = {"loss": ["0.1 %", "1 %", "10 %"]}
    alone = [{"cc": ["reno", "cubic", "bbr"]}]
    values = [[95e6], [30e6], [97e6], [20e6], [10e6], [96e6], [5e6], [4e6], [90e6]]
    said = answer_text(values, "goodput", flows=alone, path=path)
    assert said.startswith(
        "Goodput stays above 80 % of what the line can carry up to a loss of 0.1 % (Reno), less than 0.1 % (CUBIC) and"
        " 10 % (BBR, the most tried). At 10 %, Reno gets 5.00 Mbit/s, CUBIC gets 4.00 Mbit/s and BBR gets 90.0 Mbit/s."
    )


def test_a_cliff_that_is_elsewhere_in_each_seed_is_said_to_be_so() -> None:
    path = {"loss": ["0.1 %", "1 %", "10 %"]}
    values = [[95e6, 95e6], [95e6, 95e6], [90e6, 60e6]]  # the mean is above 72
    said = answer_text(values, "goodput", flows=[{"cc": "bbr"}], path=path)
    assert "up to a loss of 10 % (BBR, the most tried; its seeds differ)." in said


def test_short_flows_have_a_mean_over_them_at_each_load() -> None:
    web = {"arrivals": {"load": [0.3, 0.6]}, "size": "100 kB"}
    said = answer_text(
        [[0.10, 0.11, 0.12], [0.31, 0.30, 0.29]], "fct", flows=[{"name": "web", "cc": "bbr", "workload": web}]
    )
    assert said == "web takes 0.110 ± 0.025 s on average at a load of 0.3 and 0.300 ± 0.025 s at 0.6."


def test_where_some_short_flows_are_left_behind_the_median_is_said() -> None:
    web = {"arrivals": {"load": [0.3, 0.6]}, "size": "100 kB"}
    runs = runs_with([[0.10], [0.31]], "fct_p50", flows=[{"name": "web", "cc": "bbr", "workload": web}])
    assert answer(runs)[0] == "web takes 0.100 s in the median at a load of 0.3 and 0.310 s at 0.6."
    (first, second) = runs.points
    first.numbers["fct", "web"] = [0.2]
    assert answer(runs)[0].startswith("web takes 0.100 s in the median")
    second.numbers["fct", "web"] = [0.4]
    assert answer(runs)[0].startswith("web takes 0.200 s on average")


def test_transfers_are_not_held_against_other_workloads() -> None:
    swept = {"cc": "bbr", "workload": ["bulk", {"transfer": "1 MB"}]}
    said = answer_text([[0.8], [0.1]], flows=[swept, {"cc": "cubic"}])
    assert "complete" not in said


def test_one_sender_has_a_rate_and_what_it_costs() -> None:
    runs = runs_with([[90e6]], "goodput", flows=[{"cc": "bbr"}])
    runs.points[0].numbers |= {("utilization", ""): [0.94], ("rtt", "bbr"): [0.0251]}
    assert answer(runs)[0] == "BBR gets 90.0 Mbit/s, 94.0 % of the line, at a mean RTT of 25.1 ms."


def test_what_else_than_the_algorithm_is_swept_stands_behind_its_name() -> None:
    flows = [{"cc": ["bbr", "cubic"]}]
    values = [[90e6], [80e6], [70e6], [60e6]]
    said = answer_text(values, "goodput", flows=flows, path={"queue": ["bytes", "packets"]})
    assert said.startswith("BBR at path.queue = bytes has most: BBR at path.queue = bytes 90.0 Mbit/s, CUBIC at")
    one = answer_text(values[:2], "goodput", flows=[{"cc": "bbr"}], path={"queue": ["bytes", "packets"]})
    assert one.startswith("BBR has more at path.queue = bytes: 90.0 Mbit/s against 80.0 Mbit/s at path.queue = packets")


def test_a_stream_has_no_cliff() -> None:
    stream = {"stream": "5 Mbit/s", "for": "50 s", "every": "40 ms"}
    flows = [{"name": "video", "cc": "cubic", "workload": stream}]
    path = {"loss": ["0 %", "1 %", "2 %"]}
    said = answer_text([[5e6], [4e6], [2e6]], "goodput", flows=flows, path=path)
    assert said.startswith("video gets 5.00 Mbit/s of 5 Mbit/s at a loss of 0 % and 2.00 Mbit/s at 2 %.")


def test_a_stream_stands_beside_what_it_asks_for() -> None:
    stream = {"stream": "5 Mbit/s", "for": "50 s", "every": "40 ms"}
    said = answer_text(
        [[2.4e6]], "goodput", flows=[{"name": "video", "cc": "cubic", "workload": stream}, {"cc": "bbr"}]
    )
    assert said.startswith("video (CUBIC) gets 2.40 Mbit/s of 5 Mbit/s.")


def test_a_stream_of_several_rates_is_not_held_against_those_who_take_all_they_get() -> None:
    stream = {"stream": ["2 Mbit/s", "5 Mbit/s"], "for": "50 s", "every": "40 ms"}
    said = answer_text(
        [[2e6], [4e6]], "goodput", flows=[{"name": "video", "cc": "cubic", "workload": stream}, {"cc": "bbr"}]
    )
    assert said.startswith("video (CUBIC) gets 2.00 Mbit/s at a stream rate of 2 Mbit/s for video and 4.00")


def test_what_failed_and_what_is_missing_is_said() -> None:
    runs = runs_with([[0.8, 0.82]], flows=PAIR, failed=1)
    assert answer(runs)[-1] == "Of 3 runs, 1 failed."
    runs.points[0].errors.clear()
    assert answer(runs)[-1] == "Of 3 runs, 1 is missing."
    runs.points.clear()
    assert answer(runs) == ["No run was measured.", "Of 3 runs, 3 are missing."]


def test_without_the_spec_there_is_still_an_answer() -> None:
    runs = runs_with([[0.8, 0.82], [0.6, 0.61], [0.5, 0.52]], flows=PAIR, path=BUFFERS)
    runs.experiment = None
    assert answer(runs)[0].startswith("bbr takes 81.0 ± 12.7 % of the goodput at a buffer of 0.25 BDP")


def test_real_runs_are_answered() -> None:
    fields: dict[str, Any] = {
        "duration": "20 s",
        "seeds": 3,
        "start_jitter": "50 ms",
        "path": PATH | {"rate": "20 Mbit/s"},
    }
    experiment = Experiment(**fields, flows=PAIR, measure={"window": ["25 %", "100 %"], "record": "summary"})
    results = dumbbell.run(experiment)
    with Store.open(results.store) as store:
        (first,) = answer(*read(store))
    assert first.startswith("BBR takes ")
    assert first.endswith(" % of the goodput, where 50 % would be fair.")
