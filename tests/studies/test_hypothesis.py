"""`--set` judges claims also where a field is otherwise: beside the study, and in none of its totals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commandline import dumbbell
from dumbbell import studies
from dumbbell.studies import Study
from dumbbell.studies.loading import read

pytestmark = pytest.mark.slow

CLAIM = ("claypool2019", "--claims", "S3", "--variants", "bbr", "--seeds", "3")
LOSSY = ("--set", "path.loss=2 %", "--label", "a bad cable")


@pytest.fixture(autouse=True)
def _brief(short: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The study's runs are over in a moment."""

    def loaded(_: str, *, seeds: int | None = None, **__: object) -> Study:
        return read(short, seeds=seeds)

    monkeypatch.setattr(studies, "load", loaded)


def test_a_hypothesis_is_judged_beside_the_study_and_counts_in_no_total(tmp_path: Path) -> None:
    done = dumbbell("study", "run", *CLAIM, *LOSSY, "--out", tmp_path, "--json")
    assert done.returncode == 0, done.stderr
    base, supposed = map(json.loads, done.stdout.splitlines())
    assert (base["hypothesis"], supposed["hypothesis"]) == ("", "a bad cable")
    assert base["value"] != supposed["value"]
    plain = dumbbell("study", "claims", *CLAIM, "--out", tmp_path, "--json")
    assert json.loads(plain.stdout) == base
    again = dumbbell("study", "claims", *CLAIM, *LOSSY, "--out", tmp_path)
    heading, names, *_ = again.stdout.splitlines()
    assert heading.strip() == "bbr, a bad"
    assert names.split()[:3] == ["claim", "bbr", "cable"]
    counted = [
        dumbbell("study", "claims", "claypool2019", "--out", tmp_path, "--totals", "--json", *more).stdout
        for more in ((), LOSSY)
    ]
    assert counted[0] == counted[1]


def test_what_has_no_runs_says_what_makes_them(tmp_path: Path) -> None:
    assert dumbbell("study", "run", *CLAIM, "--out", tmp_path).returncode == 0
    done = dumbbell("study", "claims", *CLAIM, *LOSSY, "--out", tmp_path)
    assert "a bad cable: 0 of 3 runs are there on sim; `dumbbell study run` with the same options makes" in " ".join(
        done.stderr.split()
    )
    assert "a bad cable" not in done.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("claypool2019", "--set", "path.buffer=1 bdp"), "--set path.buffer: figure7 sweeps it"),
        (("claypool2019", "--set", "path.bufer=1 bdp"), 'path.bufer: unknown key; did you mean "buffer"?'),
        (("claypool2019", "--set", "nonsense"), '"nonsense" sets no field'),
        (("claypool2019", "--label", "words"), "--label names what --set supposes"),
        (("all", "--set", "path.loss=1 %"), "--set needs one study"),
    ],
    ids=str,
)
def test_what_makes_no_hypothesis_is_refused(options: tuple[str, ...], message: str, tmp_path: Path) -> None:
    done = dumbbell("study", "run", *options, "--out", tmp_path)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())


def test_hops_take_the_place_of_an_experiments_bottleneck(tmp_path: Path) -> None:
    two = (
        """hops=[{name="queue",rate="path.rate",buffer="path.buffer"},{name="wide",rate="500 Mbit/s",buffer="1 MB"}]"""
    )
    done = dumbbell("study", "run", *CLAIM, "--set", two, "--label", "two queues", "--out", tmp_path, "--json")
    assert done.returncode == 0, done.stderr
    base, supposed = map(json.loads, done.stdout.splitlines())
    assert supposed["hypothesis"] == "two queues"
    assert supposed["value"] == pytest.approx(base["value"], rel=0.05), "a wide queue behind it changes next to nothing"
    both = two.replace("1 MB", "path.buffer")
    done = dumbbell("study", "run", "claypool2019", "--claims", "S8", "--set", both, "--out", tmp_path)
    assert done.returncode == 2
    assert "--set hops: figure7 sweeps path.buffer; give it to one hop" in " ".join(done.stderr.split())
