from __future__ import annotations

import json
import os
import re
import signal
import statistics
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from commandline import DUMBBELL, ROOT, count_stored_runs, dumbbell, json_lines, process
from ledgers import execute
from processes import HANG_S, soon
from terminals import on_a_terminal

MOMENTS = 24
_DURATIONS = [*(f"{1000 + n} ms" for n in range(MOMENTS)), "100000 s"]
MOMENTS_AND_DAYS = (
    "--set", f"duration={json.dumps(_DURATIONS)}", "--set", "path.buffer=1 bdp", "--seeds", "1", "--jobs", "2",
)  # fmt: skip
"""All runs are over in a moment but for one, which takes long and leaves the others a thread."""
SCHEMA = json.loads((ROOT / "docs" / "result.schema.json").read_text(encoding="utf-8"))


def test_what_is_wrong_with_an_experiment_is_said_once(moment: Path, tmp_path: Path) -> None:
    """Of two points one line, in place of one a run; and none where nothing is wrong."""
    alike = ("--set", "flows[0].cc=cubic", "--set", "start_jitter=0 s", "--set", "path.jitter=none")
    printed = dumbbell("run", moment, "--out", tmp_path / "alike", *alike).stderr
    assert " ".join(printed.split()).count("2 seeds have nothing to draw") == 1
    assert "nothing to draw" not in dumbbell("run", moment, "--out", tmp_path / "drawn").stderr


def test_json_is_one_valid_object_a_run_in_the_order_of_expansion(moment: Path) -> None:
    done = dumbbell("run", moment, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    results = [json.loads(line) for line in done.stdout.splitlines()]
    points = [(each["point"]["path.buffer"], each["seed"]) for each in results]
    assert points == [("0.5 bdp", 1), ("0.5 bdp", 2), ("2 bdp", 1), ("2 bdp", 2)]
    for each in results:
        jsonschema.Draft202012Validator(SCHEMA).validate(each)
    assert len({each["run_id"] for each in results}) == 4
    assert results[0]["flows"] != results[1]["flows"], "another seed is another run"
    assert [flow["name"] for flow in results[0]["flows"]] == list(results[0]["groups"]) == ["bbr", "cubic"]


def test_the_same_spec_gives_the_same_bytes_on_one_thread_and_on_two(moment: Path, tmp_path: Path) -> None:
    outputs = [
        dumbbell("run", moment, "--json", "--jobs", jobs, "--out", tmp_path / store).stdout
        for jobs, store in (("1", "a"), ("1", "b"), ("2", "c"))
    ]
    assert outputs[0].count('"wall_s":') == 4
    assert len({re.sub(r'"wall_s":[^,]+,', "", output) for output in outputs}) == 1


def test_what_the_store_has_is_printed_and_not_run_again(moment: Path, store: Path) -> None:
    first, second = (dumbbell("run", moment, "--json") for _ in range(2))
    assert first.stdout == second.stdout  # with wall_s
    fresh = dumbbell("run", moment, "--json", "--fresh")
    assert first.stdout != fresh.stdout
    assert re.sub(r'"wall_s":[^,]+,', "", first.stdout) == re.sub(r'"wall_s":[^,]+,', "", fresh.stdout)
    more = dumbbell("run", moment, "--json", "--seeds", "3").stdout.splitlines()
    assert len(more) == 6
    assert set(fresh.stdout.splitlines()) < set(more)
    assert (store / "ledger.sqlite").is_file()


def test_the_usual_store_is_a_folder_where_one_is(
    moment: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DUMBBELL_STORE")
    monkeypatch.chdir(tmp_path)
    assert dumbbell("run", moment).returncode == 0
    assert (tmp_path / "results" / "ledger.sqlite").is_file()


def cells(table: str) -> list[list[str]]:
    """The cells of a printed table, row by row, without answer, caption and heading."""
    lines = table.split("\n\n", 2)[2].splitlines()  # after the answer and the caption
    return [re.split(r" {2,}", line.strip()) for line in lines if re.search(r"\bbbr\b|\bcubic\b|\breno\b", line)]


def test_every_measured_number_has_three_significant_digits(moment: Path) -> None:
    """Two loss-based flows at 100 Mbit/s lose little: with two decimal places it would be 0.01 % or 0.02 %."""
    assignments = ("path.rate=100 Mbit/s", "duration=20 s", "flows[0].cc=reno", 'measure.window=["10 s", "20 s"]')
    sets = [word for each in assignments for word in ("--set", each)]
    ran = dumbbell("run", moment, *sets, "--each-seed", "--columns", "all")
    assert ran.returncode == 0
    numbers = [cell for row in cells(ran.stdout) for cell in row if re.fullmatch(r"[\d.]+", cell) and "." in cell]
    assert len(numbers) > 60
    assert {len(each.replace(".", "").lstrip("0")) for each in numbers} == {3}
    assert any(0 < float(each) < 0.05 for each in numbers)
    assert not re.search(r"\de[-+]\d", ran.stdout)
    means = [cell.split(" ± ") for row in cells(dumbbell("run", moment, *sets).stdout) for cell in row if " ± " in cell]
    assert len(means) > 10
    for mean, half in means:
        larger = max(mean, half.removeprefix("< "), key=float)
        assert len(larger.replace(".", "").lstrip("0")) == 3, (mean, half)


def test_a_line_is_a_point_and_group_with_means_over_the_seeds(moment: Path) -> None:
    command = ("run", moment, "--seeds", "4", "--columns", "n,goodput,loss,fair_share")
    lines = cells(dumbbell(*command).stdout)
    results = json_lines("run", moment, "--seeds", "4")
    rates = [each["groups"]["bbr"]["goodput_bps"] / 1e6 for each in results[:4]]
    loss = [100 * each["bottleneck"]["loss_rate"] for each in results[:4]]
    half = [3.182 * statistics.stdev(values) / 2 for values in (rates, loss)]  # Student's t of 3 degrees of freedom
    shown = [[float(part) for part in cell.split(" ± ")] for cell in lines[0][3:5]]
    assert shown == [
        pytest.approx([statistics.fmean(rates), half[0]], abs=0.051),
        pytest.approx([statistics.fmean(loss), half[1]], abs=0.0051),
    ]
    assert [row[:3] for row in lines[:2]] == [["0.5 bdp", "bbr", "4"], ["cubic", "4", lines[1][2]]]
    assert [row[-1] for row in lines[:2]] == ["58.3", "41.7"], "one begins half a second of three after the other"


def test_seeds_that_change_nothing_are_one_value(moment: Path) -> None:
    still = ("--set", "start_jitter=0 s", "--set", "path.jitter=none")
    done = dumbbell("run", moment, *still, "--set", "flows[0].cc=reno")
    assert "n = 1: all seeds gave the same value" in done.stdout
    assert " ± " not in done.stdout.partition("\n\n")[2]
    assert re.findall(r"(?:reno|cubic) +(\d)  ", done.stdout) == ["1"] * 4


def test_a_row_each_seed_in_any_order_and_with_any_column(moment: Path) -> None:
    command = ("run", moment, "--each-seed", "--columns", "retransmits,goodput")
    rows = cells(dumbbell(*command).stdout)
    assert [row[:3] for row in rows[:4:2]] == [["0.5 bdp", "1", "bbr"], ["2", "bbr", rows[2][2]]]
    rates = [float(row[-1]) for row in rows]
    results = json_lines("run", moment)
    expected = [group["goodput_bps"] / 1e6 for each in results for group in each["groups"].values()]
    assert rates == pytest.approx(expected, rel=0.006)
    largest_first = [float(row[-1]) for row in cells(dumbbell(*command, "--sort", "-goodput").stdout)]
    assert largest_first == sorted(rates, reverse=True)


def test_an_algorithm_that_all_groups_sweep_alike_is_one_column(moment: Path) -> None:
    names = ("--set", "flows[0].name=a", "--set", "flows[1].name=b", "--seeds", "1")
    both = [word for index in "01" for word in ("--set", f'flows[{index}].cc=["reno", "cubic"]')]
    zipped = dumbbell("run", moment, *names, *both, "--set", 'zip=[["flows[0].cc", "flows[1].cc"]]')
    assert "flows[0,1]." in zipped.stdout
    assert [row[:3] for row in cells(zipped.stdout)[:2]] == [["0.5 bdp", "reno", "a"], ["0.5 bdp", "cubic", "a"]]
    crossed = dumbbell("run", moment, *names, *both)
    assert "flows[0,1]." not in crossed.stdout
    assert "starved" not in zipped.stdout + crossed.stdout


@pytest.mark.parametrize("option", [("--columns", "goodput,rtt95"), ("--sort", "-rtt95")], ids=" ".join)
def test_a_column_that_does_not_exist_is_told_before_anything_is_run(
    moment: Path, store: Path, option: tuple[str, str]
) -> None:
    done = dumbbell("run", moment, *option)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == 'unknown column "rtt95"; did you mean "rtt_p95"?\n'
    assert not store.exists()


def test_the_loss_of_the_queue_and_random_loss_are_two_columns(moment: Path) -> None:
    """At 2 % of the packets that come to the queue, of a few thousand."""
    columns = ("--each-seed", "--columns", "loss,random_loss")
    assert "random" not in dumbbell("run", moment).stdout
    settings = ("--set", "path.loss=2 %", "--set", "flows[0].cc=reno", "--set", "duration=20 s")
    rows = [row for row in cells(dumbbell("run", moment, *settings, *columns).stdout) if row[-3:][0] == "reno"]
    assert len(rows) == 4
    assert all(float(row[-1]) == pytest.approx(2, rel=0.3) for row in rows)
    results = json_lines("run", moment, *settings)
    counted = [100 * each["bottleneck"]["dropped_packets"] / each["bottleneck"]["offered_packets"] for each in results]
    assert [float(row[-2]) for row in rows] == pytest.approx(counted, rel=0.01)


def test_warnings_of_many_runs_are_told_once(moment: Path) -> None:
    done = dumbbell("run", moment, "--seeds", "15", "--set", 'measure.window=["1 s", "1100 ms"]')
    window, *_ = [line for line in done.stderr.splitlines() if "less than 10 round trips" in line]
    assert window.startswith("warning: path.buffer = 0.5 bdp, seed 1 (and 29 more runs): measure.window: 0.1 s is less")


def test_it_ends_with_where_the_runs_are_and_what_to_do_next(moment: Path, store: Path, tmp_path: Path) -> None:
    def last(*options: str | Path) -> str:
        return re.sub(r"\d\.\d s", "T", dumbbell("run", moment, *options).stderr.splitlines()[-1])

    assert last() == f"4 runs in {store}, T; next: dumbbell report {store}"
    assert last() == f"4 runs in {store} (all there before), T; next: dumbbell report {store}"
    assert last("--seeds", "3") == f"6 runs in {store} (4 of them there before), T; next: dumbbell report {store}"
    assert last("--out", tmp_path / "my runs").endswith(f"next: dumbbell report '{tmp_path}/my runs'")


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "quoted"), [("-dash", "./-dash"), (os.fsdecode(b"a\xff"), r"$'a\377'")], ids=["dash", "no UTF-8"]
)
def test_a_store_may_be_called_anything(
    moment: Path, tmp_path: Path, name: str, quoted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = process("run", moment, f"--out={name}")
    assert done.returncode == 0, done.stderr
    again = f"./{name}" if name.startswith("-") else name
    assert done.stderr.splitlines()[-1].endswith(f"next: dumbbell report {quoted}")
    for command in (("report",), ("results", "verify"), ("results", "show"), ("results", "list", "--json")):
        done = process(*command, again)
        assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    assert (tmp_path / "report.html").exists()


def test_runs_of_other_metrics_are_noted(moment: Path, store: Path) -> None:
    dumbbell("run", moment)
    execute(store, "UPDATE provenance SET facts = json_set(facts, '$.metrics', 'other')")
    note = "note: an older dumbbell summarised 4 runs in the store; --fresh runs them again\n"
    assert note in dumbbell("run", moment).stderr
    assert note not in dumbbell("run", moment, "--fresh").stderr


def test_the_table_is_aligned_and_words_are_apart(moment: Path) -> None:
    done = dumbbell("run", moment, "--set", 'measure.window=["1 s", "1100 ms"]')
    assert done.returncode == 0
    said, caption, table = done.stdout.split("\n\n")
    assert re.match(r"(BBR|CUBIC) takes [\d.]+", said)
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert caption.splitlines()[0].startswith("moment on sim: 2 points, seeds 1, 2, mean ± 95 %")
    *_, heading, first, second, third, fourth = table.splitlines()
    assert heading.split()[:2] == ["buffer", "group"]
    assert {
        line.index(name) for line, name in ((first, "bbr"), (second, "cubic"), (third, "bbr"), (fourth, "cubic"))
    } == {heading.index("group")}
    assert "warning: path.buffer = 0.5 bdp, seed 1" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr


@pytest.mark.slow
def test_json_is_utf_8_wherever_it_goes(moment: Path) -> None:
    done = process("run", moment, "--json", "--set", "flows[0].name=größer", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout.splitlines()[0])["flows"][0]["name"] == "größer"


def test_options_say_it_instead_of_the_spec(moment: Path) -> None:
    sets = ("path.rtt=40 ms", 'path.buffer=["1 bdp", "3 bdp", "100 packets"]', "flows[0].count=2")
    done = dumbbell("run", moment, "--json", "--seeds", "1", *(word for each in sets for word in ("--set", each)))
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["point"]["path.buffer"] for each in results] == ["1 bdp", "3 bdp", "100 packets"]
    assert all(len(each["flows"]) == 3 and each["seed"] == 1 for each in results)
    assert all(each["flows"][0]["rtt_min_s"] >= 0.040 for each in results)


def test_a_dry_run_names_the_runs_and_runs_none(moment: Path, store: Path) -> None:
    planned = json_lines("run", moment, "--dry-run")
    assert not store.exists()
    results = json_lines("run", moment)
    assert [each["run_id"] for each in planned] == [each["run_id"] for each in results]
    assert planned[0]["run"]["path"]["rate_bps"] == 20_000_000
    table = dumbbell("run", moment, "--dry-run").stdout
    assert table.splitlines()[0].split() == ["path.buffer", "seed", "run", "id"]
    assert all(each["run_id"] in table for each in planned)


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_at_once_says_so_and_keeps_what_is_finished(
    moment: Path, store: Path, how: signal.Signals
) -> None:
    started = subprocess.Popen(
        [DUMBBELL, "run", moment, "--json", *MOMENTS_AND_DAYS],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    assert soon(lambda: count_stored_runs(store) == MOMENTS)
    started.send_signal(how)
    output, printed = started.communicate(timeout=HANG_S)
    message = f"{MOMENTS} of {MOMENTS + 1} runs are in {store}; the same command goes on"
    assert (started.returncode, output) == (128 + how, "")
    assert re.fullmatch(f"(.*; Ctrl-C keeps what is finished, .*\n)?interrupted: {re.escape(message)}\n", printed)
    verified = dumbbell("results", "verify", store)
    assert verified.returncode == 0 or "belongs to no run" in verified.stdout
    shown = json_lines("results", "show", store)
    assert [each["point"]["duration"] for each in shown] == _DURATIONS[:-1]


@pytest.mark.slow
@pytest.mark.long
def test_a_terminal_sees_how_long_it_takes_unless_it_is_over_in_a_moment(moment: Path) -> None:
    done = f"{MOMENTS}/{MOMENTS + 1}"
    assert done in on_a_terminal("run", moment, *MOMENTS_AND_DAYS, until=done.encode())
    assert "━" not in on_a_terminal("run", moment, program=(sys.executable, "-c", PATIENT))


PATIENT = "from dumbbell.cli import main, progress; progress.PATIENCE_S = 3600.0; main.main()"
"""The program, to which an hour is a moment."""


def test_time_below_a_rate_is_a_column_where_the_series_are_there(moment: Path) -> None:
    done = dumbbell("run", moment, "--columns", "below[1 Gbit/s]", "--sort", "below[1 Gbit/s]")
    assert [line.split()[-1] for line in done.stdout.splitlines()[-4:]] == ["100"] * 4
    refused = dumbbell("run", moment, "--set", "measure.record=summary", "--columns", "below[1 Gbit/s]")
    assert "kept no series of this kind; see measure.record of its spec" in refused.stderr
    assert dumbbell("run", moment, "--columns", "below[soon]").returncode == 2
