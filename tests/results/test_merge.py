"""`dumbbell merge`: what comes into a store, what is refused before and while, and that a kill loses nothing."""

from __future__ import annotations

import json
import math
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commandline import MOMENT, dumbbell, python
from dumbbell.campaign import execution
from dumbbell.campaign.execution import run_campaign
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import EngineFailure, StoreError, StoreFailure
from dumbbell.results import merge as merging
from dumbbell.results.merge import Merged, merge, sources
from dumbbell.results.store import Store
from dumbbell.spec import Run, load
from ledgers import contents, execute


class Built(SimEngine):
    """Of another build, if it has a name; it fails where it is to."""

    def __init__(self, build: str = "", *, fails: Callable[[Run], bool] = lambda _: False) -> None:
        self.build, self.fails = build, fails

    def identity(self) -> str:
        return self.build or super().identity()

    def measure(self, run: Run) -> Measurement:
        if self.fails(run):
            raise EngineFailure("a bug")
        return super().measure(run)


Fill = Callable[..., Path]


@pytest.fixture
def fill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fill:
    """Fills a store with the runs of a moment, but for what is set."""
    monkeypatch.setattr(execution, "ALIKE", math.inf)

    def run_moment(store: str, engine: Built | None = None, **settings: Any) -> Path:
        overrides = {"name": "moment", "duration": "1 s"} | {
            key.replace("__", "."): value for key, value in settings.items()
        }
        with Store.open(tmp_path / store, write=True) as opened:
            list(run_campaign(opened, load(MOMENT, overrides=overrides), engine or Built(), jobs=2))
        return tmp_path / store

    return run_moment


def merged(out: Path, *folders: Path) -> Merged:
    return merge(list(sources(folders, out)), out)


def files(folder: Path) -> dict[str, bytes]:
    """Every file of a store, but for the lock."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def assert_intact(folder: Path) -> None:
    with Store.open(folder) as store:
        assert list(store.faults()) == []
        assert store.superseded() == {}


def test_seeds_and_experiments_of_several_stores_unite_and_sources_stay_as_they_are(fill: Fill, tmp_path: Path) -> None:
    parts = [fill("one", seeds=[1]), fill("two", seeds=[3, 2]), fill("other", name="other", seeds=1, path__rtt="30 ms")]
    before = list(map(files, parts))
    assert merged(tmp_path / "all", *parts) == Merged(6 + 2, 0)
    assert list(map(files, parts)) == before
    fill("full", seeds=3)
    fill("full", name="other", seeds=1, path__rtt="30 ms")
    assert contents(tmp_path / "all") == contents(tmp_path / "full")
    assert_intact(tmp_path / "all")
    with Store.open(tmp_path / "all") as store, Store.open(parts[1]) as source:
        for outcome in source.outcomes():
            assert store.get(outcome.run_id) == outcome, "with its time"
            assert store.flow_series(outcome.run_id).equals(source.flow_series(outcome.run_id))
            facts = store.provenance(outcome.run_id)
            assert facts | {"spec": 0} == source.provenance(outcome.run_id) | {"spec": 0}


def test_what_is_there_is_not_entered_twice(fill: Fill, tmp_path: Path) -> None:
    one, two = fill("one", seeds=[1, 2]), fill("two", seeds=[2, 3])
    assert merged(tmp_path / "all", one, two, one) == Merged(6, 2 + 4)
    stored = contents(tmp_path / "all")
    assert merged(tmp_path / "all", one, two) == Merged(0, 8)
    assert contents(tmp_path / "all") == stored
    assert merged(one, two) == Merged(2, 2), "into one that has runs of its own"
    assert contents(one) == stored


def test_runs_of_several_pages_and_campaigns_that_share_them(
    fill: Fill, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merging, "PAGE", 3)
    one = fill("one", seeds=4)
    fill("one", seeds=2, name="shared")
    ended: list[int] = []
    assert merge(list(sources([one], tmp_path / "all")), tmp_path / "all", ended.append) == Merged(8, 0)
    assert ended == [3, 3, 2]
    assert contents(tmp_path / "all") == contents(one)


def test_a_failed_run_gives_way_to_a_measured_one_and_never_the_other_way(fill: Fill, tmp_path: Path) -> None:
    failed, measured = fill("failed", Built(fails=lambda run: run.seed == 2)), fill("measured")
    assert merged(tmp_path / "one", failed) == Merged(4, 0)
    assert contents(tmp_path / "one") == contents(failed)
    assert merged(tmp_path / "one", measured) == Merged(2, 2)
    assert merged(tmp_path / "other", measured, failed) == Merged(4, 4)
    for folder in (tmp_path / "one", tmp_path / "other"):
        assert contents(folder) == contents(measured)
        assert_intact(folder)


def test_another_build_for_the_same_spec_is_refused_before_anything_is_written(fill: Fill, tmp_path: Path) -> None:
    one, two = fill("one", Built("a" * 64)), fill("two", Built("b" * 64), seeds=5)
    with pytest.raises(StoreError) as raised:
        merged(tmp_path / "all", one, two)
    assert str(raised.value) == (
        f"{two}: moment on sim is of build bbbbbbbb, and in {one} of build aaaaaaaa;"
        " fill one of them anew, so that one build measures all of it"
    )
    assert not (tmp_path / "all").exists()
    stored = contents(one)
    with pytest.raises(StoreError, match=r"and in .*one of build a"):
        merged(one, fill("third", name="third"), two)
    assert contents(one) == stored
    assert merged(one, fill("elsewhere", Built("b" * 64), path__rtt="30 ms")) == Merged(4, 0), "of another spec"


def test_another_build_for_some_of_the_points_is_refused_too(fill: Fill, tmp_path: Path) -> None:
    """Pruned later, the newer runs of the narrower spec would be gone."""
    one, wide = fill("one", Built("b" * 64)), fill("wide", Built("a" * 64), path__rtt=["20 ms", "40 ms"])
    for parts in ((one, wide), (wide, one)):
        with pytest.raises(StoreError, match="fill one of them anew"):
            merged(tmp_path / "all", *parts)
    assert not (tmp_path / "all").exists()
    both = fill("wide", Built("b" * 64))
    merged(tmp_path / "all", both)
    stored = contents(tmp_path / "all")
    assert merged(tmp_path / "all", both).entered == 0, "its own store says which is later"
    assert contents(tmp_path / "all") == stored


def test_what_a_later_build_superseded_stays_behind(fill: Fill, tmp_path: Path) -> None:
    fill("one", Built("a" * 64))
    assert merged(tmp_path / "all", fill("one", Built("b" * 64))) == Merged(4, 0)
    with Store.open(tmp_path / "all") as store:
        assert [each.identity for each in store.campaigns(include_superseded=True)] == ["b" * 64]


@pytest.mark.parametrize(
    ("table", "column"), [("flow", "goodput_bps"), ("run", "loss_rate"), ("group_value", "rtt"), ("run_value", "power")]
)
def test_other_numbers_under_one_run_are_refused_with_its_id(
    fill: Fill, tmp_path: Path, table: str, column: str
) -> None:
    one, two = fill("one"), fill("two", seeds=3)
    with Store.open(two) as store:
        run_id = next(store.outcomes()).run_id
    key, of_run = "id" if table == "run" else "run", f"SELECT id FROM run WHERE run_id = '{run_id}'"  # noqa: S608 (ours)
    execute(two, f"UPDATE {table} SET {column} = {column} * 1.5 WHERE {key} = ({of_run})")  # noqa: S608 (likewise)
    with pytest.raises(StoreFailure, match=f"^{two}: run {run_id} was measured .* \\(table {table}\\)"):
        merged(tmp_path / "all", one, two)
    assert contents(tmp_path / "all") | {"campaign": 0, "member": 0} == contents(one) | {"campaign": 0, "member": 0}
    assert_intact(tmp_path / "all")


def test_times_and_places_of_a_run_may_differ(fill: Fill, tmp_path: Path) -> None:
    one, two = fill("one"), fill("two")
    execute(two, "UPDATE run SET wall_s = wall_s + 1, finished = 'later'", "UPDATE provenance SET facts = '{}'")
    assert merged(tmp_path / "all", one, two) == Merged(4, 4)


def test_another_run_at_the_same_place_is_refused(fill: Fill, tmp_path: Path) -> None:
    """As of a trace that was changed: the spec has its name only."""
    one, two = fill("one"), fill("two", seeds=3)
    execute(two, "UPDATE run SET run_id = 'f' || substr(run_id, 2)", "UPDATE series SET file = 'f' || substr(file, 2)")
    (two / "series").rename(two / "former")
    for series in two.glob("former/*/*.parquet"):
        place = two / "series" / f"f{series.parent.name[1:]}"
        place.mkdir(parents=True, exist_ok=True)
        series.rename(place / series.name)
    with pytest.raises(StoreFailure, match=r"moment has run f\w+ at .*, where run \w+ is"):
        merged(tmp_path / "all", one, two)
    assert_intact(tmp_path / "all")


def test_a_damaged_source_is_refused_with_what_shows_it(fill: Fill, tmp_path: Path) -> None:
    one, two = fill("one"), fill("two", seeds=[5])
    execute(two, "UPDATE flow SET goodput_bps = goodput_bps + 1", vouched=False)
    done = dumbbell("merge", one, two, "--out", tmp_path / "all")
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"{two}: run ")
    assert f"`dumbbell results verify {two}` shows all that is damaged" in line
    assert not (tmp_path / "all").exists()


@pytest.mark.parametrize("harm", ["cut short", "changed", "not there"])
def test_a_damaged_series_of_a_source_is_refused_and_what_was_entered_stays(
    fill: Fill, tmp_path: Path, harm: str
) -> None:
    one, two = fill("one"), fill("two", seeds=[5])
    series = max(two.glob("series/*/*.parquet"))
    content = series.read_bytes()
    series.unlink()
    if harm != "not there":
        series.write_bytes(content[:-9] if harm == "cut short" else content[:40] + b"?" + content[41:])
    with pytest.raises(StoreFailure, match=f"^{two}: series .*{series.name}.*dumbbell results verify {two}"):
        merged(tmp_path / "all", one, two)
    assert_intact(tmp_path / "all")
    series.write_bytes(content)
    assert merged(tmp_path / "all", one, two) == Merged(2, 4)
    assert contents(tmp_path / "all")["series"] == sorted(contents(one)["series"] + contents(two)["series"])


@pytest.mark.parametrize("name", ["../../../secret", "/etc/hostname", "77/../../../secret", "77", ""])
def test_a_name_that_leaves_the_folder_of_series_is_not_followed(fill: Fill, tmp_path: Path, name: str) -> None:
    one = fill("one", seeds=[1], path__buffer="1 bdp")
    secret = tmp_path / "secret"
    secret.write_text("ours", encoding="utf-8")
    execute(one, f"UPDATE series SET file = '{name}' WHERE kind = 'flows'")  # noqa: S608 (ours)
    with pytest.raises(StoreFailure, match="is not there"):
        merged(tmp_path / "all", one)
    assert secret.read_text(encoding="utf-8") == "ours"
    assert_intact(tmp_path / "all")


def test_what_makes_no_sense_is_refused_in_a_line(fill: Fill, tmp_path: Path) -> None:
    one = fill("one")
    (tmp_path / "link").symlink_to(one)
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "file").touch()
    refused: list[tuple[list[str | Path], str]] = [
        ([one, "--out", one], f"{one}: is to be merged into itself; give another folder with --out"),
        ([tmp_path / "link", "--out", one], f"{tmp_path}/link: is to be merged into itself"),
        ([one, tmp_path / "absent", "--out", tmp_path / "all"], f"{tmp_path}/absent: no such store"),
        ([tmp_path / "text", "--out", tmp_path / "all"], f"{tmp_path}/text: is no store"),
        ([one, "--out", tmp_path / "text"], f"{tmp_path}/text: is no store, and not empty"),
    ]
    for arguments, message in refused:
        done = dumbbell("merge", *arguments)
        assert (done.returncode, done.stdout) == (2, ""), arguments
        assert done.stderr.startswith(message)
        assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "all").exists()
    assert dumbbell("merge", "--out", one).returncode == 2


def test_a_store_that_somebody_writes_to_is_refused(fill: Fill, tmp_path: Path) -> None:
    one, two = fill("one"), fill("two", seeds=3)
    parts = list(sources([one], tmp_path / "all"))
    with Store.open(tmp_path / "all", write=True), pytest.raises(StoreFailure, match="is writing to it"):
        merge(parts, tmp_path / "all")

    def meddling(_: int) -> None:
        execute(one, "UPDATE campaign SET spec = replace(spec, '2 bdp', '3 bdp')")

    with pytest.raises(StoreFailure, match=f"^{one}: another command writes to it"):
        merge(parts, tmp_path / "all", meddling)
    assert_intact(tmp_path / "all")
    assert merged(tmp_path / "more", two) == Merged(6, 0)


def test_it_says_what_came_of_it(fill: Fill, tmp_path: Path) -> None:
    one, two = fill("one"), fill("two", seeds=3)
    out = tmp_path / "all"
    done = dumbbell("merge", one, "--out", out)
    assert (done.stdout, done.stderr) == ("", f"{out}: 4 runs of 1 store; next: dumbbell report {out}\n")
    done = dumbbell("merge", one, two, "--out", out, "--json")
    assert json.loads(done.stdout) == {"store": str(out), "sources": [str(one), str(two)], "entered": 2, "there": 8}
    assert done.stderr == f"{out}: 2 runs of 2 stores (8 more were there already); next: dumbbell report {out}\n"


KILLED = """
import atexit, os, signal, sys
from contextlib import contextmanager
from dumbbell.cli.main import main
from dumbbell.results import merge
from dumbbell.results.ledger import Ledger
from dumbbell.results.series import SeriesFolder

merge.PAGE = 2
steps, transaction, copy = [], Ledger.transaction, SeriesFolder.copy
atexit.register(lambda: print(len(steps)))

def step():
    steps.append(None)
    if len(steps) == {moment}:
        os.kill(os.getpid(), signal.SIGKILL)

@contextmanager
def stepping(ledger, doing):
    with transaction(ledger, doing) as connection:
        yield connection
        step()
    step()

def copying(*arguments):
    copied = copy(*arguments)
    step()
    return copied

Ledger.transaction, SeriesFolder.copy = stepping, copying
sys.argv = ["dumbbell", "merge", *{arguments!r}]
main()
"""
"""A merge whose process dies at a moment: before or after a transaction ends, or when a file is copied."""


@pytest.mark.long
@pytest.mark.slow
def test_killed_at_any_moment_it_goes_on_to_what_it_would_have_been(fill: Fill, tmp_path: Path) -> None:
    folders = [fill("failed", Built(fails=lambda run: run.seed == 1)), fill("one"), fill("two", seeds=[3, 4])]
    assert merged(tmp_path / "undisturbed", *folders) == Merged(4 + 2 + 4, 2)

    def killed(moment: int, out: Path) -> subprocess.CompletedProcess[str]:
        return python(KILLED.format(moment=moment, arguments=[*map(str, folders), "--out", str(out)]))

    moments = int(killed(0, tmp_path / "counted").stdout)
    assert moments > 40
    for moment in range(1, moments + 1, 3):
        out = tmp_path / f"killed-{moment}"
        done = killed(moment, out)
        assert done.returncode == -signal.SIGKILL, done.stderr
        if moment % 2:
            with Store.open(out, write=True) as store:
                assert list(store.faults()) == []
        merged(out, *folders)
        assert contents(out) == contents(tmp_path / "undisturbed"), moment
        names = [sorted(path.name for path in each.rglob("*")) for each in (out, tmp_path / "undisturbed")]
        assert names[0] == names[1]
        assert_intact(out)
