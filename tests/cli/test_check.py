"""`dumbbell check`, and the spec that `dumbbell init` writes."""

from __future__ import annotations

import json
import os
import re
import tomllib
from pathlib import Path

import jsonschema
import pytest

from commandline import dumbbell, python
from dumbbell.spec import toml
from specs import smallest

NEEDS_ROOT = "needs root: it makes network namespaces and queueing disciplines"

FASTER = [{"at": "1 s", "rate": "10 Gbit/s"}]
CHANGE = smallest(path={"rate": "1 Mbit/s", "rtt": "10 ms", "buffer": "1000 packets", "change": FASTER})
CONNECTIONS = smallest(
    duration="100 ms",
    measure={"sample": "10 ms"},
    path={"rate": "10 Mbit/s", "rtt": "20 ms", "buffer": "1000 GB"},
    flows=[{"cc": "bbr", "workload": {"arrivals": {"rate": "10000000 /s"}, "size": "10 kB"}}],
)


@pytest.fixture(autouse=True)
def _no_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without kernels for nobody in particular, whatever the user has and is."""
    for folder in ("DUMBBELL_CACHE", "DUMBBELL_DATA"):
        monkeypatch.setenv(folder, str(tmp_path / "user"))
    monkeypatch.setattr("dumbbell.engines.catalogue.own_controls", set[str])
    monkeypatch.setattr(os, "geteuid", lambda: 1000)


@pytest.mark.slow
def test_it_loads_nothing_that_only_results_need(moment: Path) -> None:
    heavy = [
        "numpy", "pandas", "pydantic", "dumbbell.cli.agree", "dumbbell.results.schema", "dumbbell.results.store",
        "dumbbell.campaign.execution",
    ]  # fmt: skip
    program = f"""
import sys
from dumbbell.cli.main import main
sys.argv = ["dumbbell", "check", {str(moment)!r}]
try:
    main()
finally:
    print("loaded:", *(set(sys.modules) & set({heavy})))
"""
    *_, last, loaded = python(program).stdout.splitlines()
    assert last.startswith("netns: ")
    assert loaded == "loaded:"


@pytest.mark.slow
def test_a_link_is_shown_key_by_key_with_what_the_spec_writes(tmp_path: Path) -> None:
    path = {"link": "dsl_25_5", "rtt": "80 ms", "back": {"rate": "2 Mbit/s"}}
    spec = tmp_path / "spec.toml"
    spec.write_text(toml(smallest(path=path)), encoding="utf-8")
    done = dumbbell("check", spec, "--no-forecast", COLUMNS="200")
    lines = done.stdout.splitlines()
    begin = next(nth for nth, line in enumerate(lines) if line.startswith("link dsl_25_5: A VDSL2 line"))
    shown = [line.strip() for line in lines[begin + 1 : begin + 12] if line.startswith("  path.")]
    assert shown[0].startswith('path.rate = "25 Mbit/s": The rate by which such a line is sold')
    assert 'path.rtt = "80 ms", the spec\'s own; the link\'s: "50 ms"' in shown
    assert 'path.back.rate = "2 Mbit/s", the spec\'s own; the link\'s: "5 Mbit/s"' in shown
    assert len(shown) == 7
    (own,) = [key for key in json.loads(dumbbell("check", spec, "--no-forecast", "--json").stdout)["link"]["keys"]
              if key["key"] == "path.rtt"]  # fmt: skip
    assert (own["value"], own["own"], own["link"]) == ("80 ms", True, "50 ms")
    starlink = dumbbell("check", spec, "--no-forecast", "--set", "path.link=starlink", "--set", "path.rate=9 Mbit/s")
    assert '{ at = "12.07 s", every = "60 s", rtt' not in starlink.stdout, "the spec has an RTT"
    assert "path.change: left out, since the spec has something in its place" in starlink.stdout


@pytest.mark.slow
def test_what_manages_a_queue_is_said_as_tc_has_it(tmp_path: Path) -> None:
    codel = {"kind": "codel", "target": "3 ms", "ecn": True}
    path = smallest()["path"] | {"buffer": "100 packets", "qdisc": [codel, "fifo", {"kind": "red", "min": "30 kB"}]}
    spec = tmp_path / "managed.toml"
    spec.write_text(toml(smallest(path=path)), encoding="utf-8")
    done = dumbbell("check", spec, "--no-forecast")
    lines = [line for line in done.stdout.splitlines() if line.startswith("path.qdisc, to tc: ")]
    assert [line.partition(": ")[2] for line in lines] == [
        "codel limit 100 target 3000us interval 100000us ecn",
        "red limit 151400 min 30000 max 90000 avpkt 1514 burst 33 probability 0.02",
    ]
    assert json.loads(dumbbell("check", spec, "--no-forecast", "--json").stdout)["queues"] == lines


@pytest.mark.slow
def test_what_a_spec_comes_to(moment: Path) -> None:
    done = dumbbell("check", moment)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    taken = lines.pop(1)
    assert lines == [
        "moment: 2 points, 4 runs, 12 simulated seconds, at most 19,867 data packets",
        'linux: no kernel "6.1" here: `dumbbell kernel build` makes it (about 3 minutes)',
        f"netns: {NEEDS_ROOT}",
    ]
    room = r"\d+ MB memory, \d+ MB disk"
    assert re.fullmatch(rf"sim: can run it, in about \d+ \w+ on (one core|\d+ cores); {room}", taken)
    facts = json.loads(dumbbell("check", moment, "--json", "--seeds", "5").stdout)
    first_windows = 2 * 10
    assert facts["packets"] == pytest.approx(10 * (3 * 20e6 / 8 / 1514 + first_windows), rel=0.01)
    assert facts["forecasts"]["sim"]["seconds"] > 0
    assert facts["forecasts"]["sim"]["at_least"] is False
    assert (facts["points"], facts["runs"], facts["simulated_s"]) == (2, 10, 30)
    assert (facts["engines"]["sim"], facts["engines"]["netns"]) == ([], [NEEDS_ROOT])


@pytest.mark.slow
def test_it_answers_of_a_run_whose_rate_changes(tmp_path: Path) -> None:
    """I1 of the review: there was no answer after five minutes."""
    spec = tmp_path / "change.toml"
    spec.write_text(toml(CHANGE), encoding="utf-8")
    facts = json.loads(dumbbell("check", spec, "--json").stdout)
    assert facts["packets"] == pytest.approx((1e6 + 9 * 1e10) / 8 / 1514, rel=1e-3)
    assert facts["forecasts"]["sim"]["core_seconds"] > 0


@pytest.mark.long
@pytest.mark.slow
def test_it_tells_the_memory_of_many_connections(tmp_path: Path) -> None:
    """I3 of the review: "82 packets", and 2.76 GB."""
    spec = tmp_path / "connections.toml"
    spec.write_text(toml(CONNECTIONS), encoding="utf-8")
    facts = json.loads(dumbbell("check", spec, "--json").stdout)
    assert 2.76e9 / 3 < facts["forecasts"]["sim"]["memory_bytes"] / facts["forecasts"]["sim"]["at_once"] < 3 * 2.76e9
    assert facts["packets"] > 1e6
    assert "GB memory" in dumbbell("check", spec).stdout


@pytest.mark.slow
def test_what_a_spec_alone_warns_of(moment: Path) -> None:
    """Said once for all points, and not where nothing is to be said."""
    jitterless = ("--set", "flows[0].cc=cubic", "--set", "start_jitter=0 s", "--set", "path.jitter=none")
    lines = dumbbell("check", moment, *jitterless).stdout
    (warning,) = json.loads(dumbbell("check", moment, *jitterless, "--json").stdout)["warnings"]
    assert warning["kind"] == "seeds alike"
    assert " ".join(lines.split()).count(f"warning: {warning['text']}") == 1
    assert max(map(len, lines.splitlines())) <= 80
    assert json.loads(dumbbell("check", moment, "--json").stdout)["warnings"] == []


def test_an_engine_that_cannot_run_it_says_why(moment: Path) -> None:
    assert "sim: measure.ss: " in dumbbell("check", moment, "--set", "measure.ss=100 ms").stdout
    lines = dumbbell("check", moment, "--set", "flows[1].cc=vegas").stdout.splitlines()
    assert 'sim: flows[1].cc: the simulator has no "vegas"; the linux engine has it' in lines


@pytest.mark.slow
def test_the_spec_of_init_passes_check_and_can_be_run(tmp_path: Path) -> None:
    spec = tmp_path / "mine.toml"
    done = dumbbell("init", spec)
    assert (done.returncode, done.stdout) == (0, "")
    assert f"dumbbell run {spec}" in done.stderr
    checked = dumbbell("check", spec)
    assert checked.stdout.startswith("mine: 3 points, 9 runs, 540 simulated seconds")
    assert "\nsim: can run it, in " in checked.stdout
    assert dumbbell("run", spec, "--seeds", "1", "--set", "duration=5 s").returncode == 0


def test_every_suggestion_of_init_is_a_spec_too(tmp_path: Path) -> None:
    """A line that begins with a comment sign and has an assignment becomes part of the spec."""
    lines = dumbbell("init", "-").stdout.partition("\n\n")[2].splitlines()
    suggestions = [line for line in lines if line.startswith("# ") and ("=" in line or "[[" in line)]
    assert len(suggestions) > 8
    spec = tmp_path / "all.toml"
    spec.write_text("\n".join(line[2:] if line in suggestions else line for line in lines), encoding="utf-8")
    done = dumbbell("check", spec)
    assert (done.returncode, done.stderr) == (0, "")
    assert "sim: can run it" in done.stdout


def test_init_writes_a_schema_that_its_spec_names_and_keeps(tmp_path: Path) -> None:
    spec = tmp_path / "mine.toml"
    assert dumbbell("init", spec, "--schema").returncode == 0
    text = spec.read_text(encoding="utf-8")
    named = text.splitlines()[0].removeprefix("#:schema ")
    schema = json.loads((tmp_path / named).read_text(encoding="utf-8"))
    assert not list(jsonschema.Draft202012Validator(schema).iter_errors(tomllib.loads(text)))
    assert dumbbell("init", "-", "--schema").stdout == (tmp_path / named).read_text(encoding="utf-8")


def test_check_tries_nothing_where_no_forecast_is_wanted(moment: Path) -> None:
    complete = dumbbell("check", moment).stdout.splitlines()
    quick = dumbbell("check", moment, "--no-forecast").stdout.splitlines()
    assert quick[0] == complete[0]
    assert "sim: can run it" in quick
    assert any(line.startswith("sim: can run it, in ") for line in complete)


def test_init_replaces_a_file_only_when_forced(tmp_path: Path) -> None:
    spec = tmp_path / "mine.toml"
    spec.write_text("precious", encoding="utf-8")
    assert dumbbell("init", spec).returncode == 2
    assert spec.read_text(encoding="utf-8") == "precious"
    assert dumbbell("init", spec, "--force").returncode == 0
    assert spec.read_text(encoding="utf-8") != "precious"
