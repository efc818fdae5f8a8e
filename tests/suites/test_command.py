"""`dumbbell suite`: what it prints, its exit status, its pages and its file for CI."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

from commandline import count_stored_runs, dumbbell


def test_suites_and_scenarios_are_listed() -> None:
    listed = dumbbell("suite", "list").stdout
    assert all(name in listed for name in ("rfc9743", "tcpeval", "nsperf", "rfc7928", "rfc8867", "l4s"))
    scenarios = dumbbell("suite", "list", "rfc7928").stdout
    assert "less-than-best-effort" in scenarios
    assert "missing" in scenarios


def test_a_suite_has_a_page_for_each_algorithm_and_a_file_for_ci(tmp_path: Path) -> None:
    only = ("--only", "coexist,bufferbloat", "--short", "--out", tmp_path, "--junit", tmp_path / "junit.xml")
    done = dumbbell("suite", "run", "nsperf", "--cc", "bbr,cubic", *only)
    assert done.returncode == 1, done.stderr  # BBR takes more of CUBIC's than CUBIC does
    assert "bbr, nsperf: 2 scenarios: 1 hold, 1 fail" in done.stdout
    assert "coexist: fails goodput of cubic - that with cubic is" in done.stderr
    for page in ("bbr-short.html", "cubic-short.html"):
        assert "coexist.toml" in (tmp_path / page).read_text(encoding="utf-8")
    # With CUBIC as the tested one Reno is the baseline: its own runs are shared.
    assert count_stored_runs(tmp_path / "runs") == 6
    root = ET.parse(tmp_path / "junit.xml").getroot()  # noqa: S314 (our own file)
    assert (root.get("tests"), root.get("failures")) == ("4", str(len(list(root.iter("failure")))))
    assert {each.get("name") for each in root} == {"nsperf-coexist", "nsperf-bufferbloat"}
    again = dumbbell("suite", "run", "nsperf", "--cc", "bbr", *only[:5])
    assert again.stdout.strip().splitlines()[-1] in done.stdout  # the runs are there: the same again


def test_what_is_missing_is_skipped_and_fails_nothing(tmp_path: Path) -> None:
    junit = tmp_path / "junit.xml"
    done = dumbbell(
        "suite", "run", "rfc9743", "--only", "multipath", "--out", tmp_path, "--json", "--junit", junit, "--short"
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (record,) = json.loads(done.stdout)
    assert (record["status"], record["section"]) == ("missing", "7.10")
    (skipped,) = ET.parse(junit).getroot().iter("skipped")  # noqa: S314 (our own file)
    assert skipped.get("message", "").startswith("missing: dumbbell has no transport over several paths")


def test_what_is_misspelt_is_bad_input(tmp_path: Path) -> None:
    for arguments in (
        ("suite", "run", "rfc974"), ("suite", "run", "nsperf", "--only", "coexists"),
        ("suite", "run", "nsperf", "--cc", "bbrr", "--only", "coexist"), ("suite", "list", "nsprf"),
        ("suite", "run", "nsperf", "--cc", "bbr", "--baseline", "bbr"),
    ):  # fmt: skip
        done = dumbbell(*arguments, *(("--out", tmp_path) if arguments[1] == "run" else ()))
        assert done.returncode == 2, (arguments, done.stderr)
        assert "\n" not in done.stderr.strip() or "bbrr" in done.stderr
