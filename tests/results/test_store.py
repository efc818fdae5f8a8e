from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dumbbell.engines.sim import SimEngine
from dumbbell.errors import DamagedLedger, DamageWarning, StoreError, StoreFailure
from dumbbell.results.run_rows import RunRows
from dumbbell.results.schema import FailedRun, Result
from dumbbell.results.store import Store
from dumbbell.results.tables import LEDGER_SCHEMA
from dumbbell.spec import Experiment, Run, expand, load, resolve
from ledgers import execute
from specs import smallest


def series_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("series/*/*.parquet"))


def test_what_was_put_is_what_is_found(folder: Path, campaign: Any) -> None:
    outcomes = campaign()
    assert [(each.point["path.buffer"], each.seed) for each in outcomes] == [
        ("0.5 bdp", 1),
        ("0.5 bdp", 2),
        ("2 bdp", 1),
        ("2 bdp", 2),
    ]
    with Store.open(folder) as store:
        assert list(store.outcomes()) == outcomes
        assert [store.get(each.run_id) for each in outcomes] == outcomes
        assert [each.model_dump_json() for each in store.outcomes()] == [each.model_dump_json() for each in outcomes]
        assert store.get("0" * 16) is None
        assert store.count() == 4


def test_the_run_behind_an_outcome_can_be_measured_again(filled: Store) -> None:
    outcome = next(filled.outcomes())
    run = filled.run(outcome.run_id)
    assert isinstance(run, Run)
    assert run.seed == outcome.seed
    again = SimEngine().measure(run)
    assert len(filled.queue_series(outcome.run_id)) == len(again.bottleneck.series.at_ns) > 10


def test_experiments_are_told_apart_and_by_engine(folder: Path, campaign: Any) -> None:
    one, other = campaign("one"), campaign("other", path__rtt="40 ms")
    with Store.open(folder) as store:
        assert store.experiments() == ["one", "other"]
        assert list(store.outcomes(experiment="one")) == one
        assert list(store.outcomes(experiment="other", engine="sim")) == other
        assert list(store.outcomes(engine="linux")) == []
        assert list(store.outcomes()) == one + other


def test_experiments_share_a_run_that_each_writes_in_its_own_words(folder: Path, campaign: Any) -> None:
    settings = {"path__buffer": ["25 kB"], "seeds": 1}
    (one,), (other,) = campaign("one", **settings), campaign("other", **settings | {"path__buffer": ["25000 B"]})
    assert one.run_id == other.run_id
    with Store.open(folder) as store:
        assert store.count() == 1
        assert [each.point["path.buffer"] for each in store.outcomes()] == ["25 kB", "25000 B"]


def test_runs_that_only_their_words_tell_apart_are_two(campaign: Any) -> None:
    """Their summaries differ: in the name of the algorithm, in the groups, in the BDP."""
    plain = campaign("one", seeds=1)
    spelled = campaign("two", seeds=1, **{"flows[0].cc": "bbr[cwnd_gain=2]", "flows[0].name": "bbr"})
    assert {each.run_id for each in plain}.isdisjoint(each.run_id for each in spelled)
    assert [each.flows[0].cc for each in spelled] == ["bbr[cwnd_gain=2]"] * 2


def test_another_spec_of_the_same_name_is_another_experiment(folder: Path, campaign: Any) -> None:
    first, second = campaign(), campaign(path__rtt="40 ms")
    third = campaign(**{"flows[1].cc": "reno", "host": {"qdisc": "fq"}})
    with Store.open(folder) as store:
        assert list(store.outcomes()) == first + second + third
        labels = ["moment", "moment [path.rtt=40 ms]", "moment [flows[1].cc=reno, host.qdisc=fq]"]
        assert store.experiments() == labels
        assert store.runs()["experiment"].unique().tolist() == labels
        assert [line.experiment for line in store.run_listing()][::4] == labels
        assert list(store.outcomes(experiment="moment [path.rtt=40 ms]")) == second
        assert list(store.outcomes(experiment="moment")) == first + second + third
        assert store.superseded() == {}
    assert campaign() == first  # resumed, and still the one without a label
    with Store.open(folder) as store:
        assert store.experiments() == [*labels[1:], labels[0]]


def test_a_spec_that_differs_much_has_digits_of_its_hash(folder: Path, campaign: Any) -> None:
    campaign(seeds=1)
    campaign(seeds=1, path__buffer=[f"{number} bdp" for number in range(1, 20)])
    with Store.open(folder) as store:
        plain, other = store.experiments()
    assert plain == "moment"
    assert re.fullmatch(r"moment \[spec [0-9a-f]{6}\]", other)


@pytest.mark.parametrize(
    ("before", "after", "seeds"),
    [(2, 4, [1, 2, 3, 4]), (4, 2, [1, 2, 3, 4]), ([3, 5], [1, 4], [1, 3, 4, 5]), ([3, 1], [3, 1], [3, 1])],
    ids=["more", "fewer", "others", "as listed"],
)
def test_other_seeds_are_the_same_experiment(
    folder: Path, campaign: Any, before: Any, after: Any, seeds: list[int]
) -> None:
    campaign(seeds=before)
    requested = campaign(seeds=after)
    with Store.open(folder) as store:
        (stored,) = store.campaigns(include_superseded=True)
        assert stored.label == "moment"
        outcomes = list(store.outcomes())
        assert [(each.point["path.buffer"], each.seed) for each in outcomes] == [
            (buffer, seed) for buffer in ("0.5 bdp", "2 bdp") for seed in seeds
        ]
        assert [each for each in outcomes if each.run_id in {one.run_id for one in requested}] == requested
        assert len(store.runs()) == 2 * len(seeds)
        assert store.superseded() == {}
        spec = store.provenance(outcomes[0].run_id)["spec"]
        assert isinstance(spec, dict)
        assert Experiment(**spec).seed_values in (seeds, range(1, len(seeds) + 1))
    assert len(campaign(seeds=after)) == len(requested)


def test_a_part_of_a_sweep_is_shown_by_itself_until_the_whole_is_there(folder: Path, campaign: Any) -> None:
    """As studies do: some versions of the algorithm first, all of them later, or the other way round."""
    one, other = campaign(**{"flows[0].cc": ["bbr"]}), campaign(**{"flows[0].cc": ["reno"]})
    with Store.open(folder) as store:
        assert store.experiments() == ["moment", "moment [flows[0].cc=[reno]]"]
        assert list(store.outcomes()) == one + other
    full_sweep = campaign(**{"flows[0].cc": ["bbr", "reno"]})
    campaign(**{"flows[0].cc": ["reno"]})
    with Store.open(folder) as store:
        assert store.experiments() == ["moment"]
        assert list(store.outcomes()) == full_sweep
        assert list(store.outcomes(include_superseded=True)) == full_sweep
        assert store.count() == len(full_sweep) == 8
        assert store.superseded() == {}


def test_provenance_says_what_one_needs_to_know(filled: Store) -> None:
    facts = filled.provenance(next(filled.outcomes()).run_id)
    versions, spec, run = facts["versions"], facts["spec"], facts["run"]
    assert isinstance(versions, dict)
    assert isinstance(spec, dict)
    assert isinstance(run, dict)
    assert set(versions) == {"python", "dumbbell", "numpy", "pandas", "pyarrow"}
    assert all(versions.values())
    assert (facts["engine"], facts["identity"], facts["seed"]) == ("sim", SimEngine().identity(), 1)
    assert spec["path"]["buffer"] == ["0.5 bdp", "2 bdp"]
    assert run["path"]["rate_bps"] == 20_000_000
    assert {"commit", "platform", "machine", "cores", "finished", "metrics"} <= set(facts)


def test_prune_removes_what_a_later_build_ran_again_and_nothing_else(folder: Path, campaign: Any) -> None:
    retained = campaign(path__rtt="40 ms")
    campaign(build="earlier")
    campaign(build="earlier", path__buffer="2 bdp", seeds=1)
    with Store.open(folder) as store:
        assert len(store.experiments()) == 2
        assert len(list(store.outcomes())) == 8
        assert store.superseded() == {}
    again = campaign()
    assert len(series_files(folder)) == 24
    with Store.open(folder, write=True) as store:
        assert store.superseded() == {"moment [path.rtt=20 ms] (build earlier) on sim": 4}
        assert list(store.outcomes()) == retained + again
        assert len(list(store.outcomes(include_superseded=True))) == 12
        assert store.prune() == 4
        assert list(store.outcomes(include_superseded=True)) == retained + again
        assert list(store.faults()) == []
    assert len(series_files(folder)) == 16


def test_a_run_is_found_by_the_beginning_of_its_id(filled: Store) -> None:
    run_id = next(filled.outcomes()).run_id
    assert filled.find(run_id[:9]) == run_id
    with pytest.raises(StoreError, match="no run id begins"):
        filled.find("xyz")
    with pytest.raises(StoreError, match="more than one"):
        filled.find("")


# -- damage -----------------------------------------------------------------------------------------------------------


def with_another_byte(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


DAMAGES: dict[str, Callable[[bytes], bytes | None]] = {
    "truncated": lambda content: content[:-1],
    "missing": lambda _: None,
    "without a footer": lambda content: content[:-4] + b"\0\0\0\0",
    "another byte": with_another_byte,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_series_is_detected_and_its_run_repeated(folder: Path, campaign: Any, damage: str) -> None:
    before = campaign()
    first, *others = series_files(folder)
    content, times = first.read_bytes(), [path.stat().st_mtime_ns for path in others]
    spoiled = DAMAGES[damage](content)
    first.unlink()
    if spoiled is not None:
        first.write_bytes(spoiled)
    with Store.open(folder) as store:
        run_id = first.name[:16]
        assert not store.finished(run_id)
        assert [store.finished(each.run_id) for each in before].count(False) == 1
        (fault,) = store.faults()
        assert run_id in fault.text
        read = store.flow_series if ".flows." in first.name else store.queue_series
        with pytest.raises(StoreFailure, match="run its experiment again"):
            read(run_id)
    after = campaign()
    assert [each.model_copy(update={"wall_s": 0}) for each in after] == [
        each.model_copy(update={"wall_s": 0}) for each in before
    ]
    assert first.read_bytes() == content
    repeated = [path for path, time in zip(others, times, strict=True) if path.stat().st_mtime_ns != time]
    assert {path.name[:16] for path in repeated} <= {run_id}
    with Store.open(folder) as store:
        assert list(store.faults()) == []


def test_a_byte_that_changed_without_a_trace_is_detected_on_reading(filled: Store) -> None:
    path = series_files(filled.folder)[0]
    times = path.stat()
    path.write_bytes(with_another_byte(path.read_bytes()))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert len(list(filled.faults())) == 1
    with pytest.raises(StoreFailure, match="other bytes"):
        (filled.flow_series if ".flows." in path.name else filled.queue_series)(path.name[:16])


def test_what_a_killed_campaign_left_is_removed(folder: Path, campaign: Any) -> None:
    campaign()
    stray = folder / "series" / "ab" / "ab00000000000000-000000000000.flows.parquet"
    stray.parent.mkdir(exist_ok=True)
    stray.write_bytes(b"PAR1")
    partial = folder / "series" / "partial" / "half"
    partial.write_bytes(b"PAR1")
    execute(folder, "INSERT INTO writer VALUES (1)")  # as if it had not said goodbye
    with Store.open(folder) as store:
        assert [each.text for each in store.faults()] == [f"{stray.parent.name}/{stray.name}: belongs to no run"]
    Store.open(folder, write=True).close()
    assert not stray.exists()
    assert not partial.exists()
    assert len(series_files(folder)) == 8


@pytest.mark.parametrize(("where", "intact"), [("head", 4), ("middle", 1), ("end", 0), ("everything", 0)])
def test_of_a_damaged_ledger_what_is_whole_is_kept_and_nothing_is_changed_where_nothing_is(
    folder: Path, campaign: Any, where: str, intact: int
) -> None:
    campaign()
    ledger = folder / "ledger.sqlite"
    bytes_ = ledger.read_bytes()
    assert len(bytes_) > 40_000
    content = {
        "head": b"garbage!" * 4 + bytes_[32:],
        "middle": bytes_[:20_480] + b"garbage!" * 512 + bytes_[24_576:],
        "end": bytes_[:30_000],
        "everything": b"",
    }[where]
    ledger.write_bytes(content)
    with pytest.raises(DamagedLedger, match=r"ledger.sqlite is damaged .*nothing was changed") as error:
        Store.open(folder)
    assert "\n" not in str(error.value)
    assert ledger.read_bytes() == content
    aside = folder / "ledger.damaged-1.sqlite"
    if intact:
        with pytest.warns(DamageWarning, match=rf"{aside.name}"):
            Store.open(folder, write=True).close()
        with Store.open(folder) as store:
            assert intact <= store.count() <= 4
            assert list(store.faults()) == [] or store.count() < 4
        assert aside.read_bytes() == content
        aside.unlink()
    else:
        with pytest.raises(DamagedLedger, match="move it elsewhere and run again"):
            Store.open(folder, write=True)
        assert ledger.read_bytes() == content
    assert len(series_files(folder)) == 8
    assert not list(folder.glob("*salvage*")) + list(folder.glob("*damaged*"))
    ledger.write_bytes(bytes_)
    with Store.open(folder) as store:
        assert store.count() == 4


# -- what is no store -------------------------------------------------------------------------------------------------


def test_what_is_not_there_is_not_made_by_reading(folder: Path) -> None:
    with pytest.raises(StoreError, match="no such store"):
        Store.open(folder)
    assert not folder.exists()
    folder.mkdir()
    with pytest.raises(StoreError, match=r"no ledger\.sqlite"):
        Store.open(folder)
    with pytest.raises(StoreError, match=r"cannot open it|no such store"):  # the latter from Python 3.14 on
        Store.open(folder / ("x" * 300))


def test_a_store_keeps_itself_out_of_a_repository(folder: Path, campaign: Any) -> None:
    folder.mkdir()
    (folder / ".gitignore").write_text("mine\n", encoding="utf-8")
    campaign()
    assert (folder / ".gitignore").read_text(encoding="utf-8") == "mine\n"
    Store.open(folder.with_name("other"), write=True).close()
    assert (folder.with_name("other") / ".gitignore").read_text(encoding="utf-8") == "*\n"
    (folder.with_name("other") / ".gitignore").unlink()
    Store.open(folder.with_name("other"), write=True).close()
    assert not (folder.with_name("other") / ".gitignore").exists()


def test_a_link_to_nothing_is_no_store(folder: Path) -> None:
    folder.symlink_to(folder.with_name("elsewhere"))
    with pytest.raises(StoreError, match=r"is a symbolic link to .*elsewhere, which is not there"):
        Store.open(folder, write=True)
    folder.with_name("elsewhere").mkdir()
    Store.open(folder, write=True).close()


def test_a_file_or_a_folder_of_other_things_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place, failure, message in (
        ("file", StoreError, "is a file"),
        ("", StoreError, "not empty"),
        ("file/store", StoreFailure, "Not a directory"),
    ):
        with pytest.raises(failure, match=message):
            Store.open(tmp_path / place, write=True)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_ledger_of_another_schema_or_of_something_else_is_refused_and_left_alone(
    folder: Path, tmp_path: Path, campaign: Any
) -> None:
    campaign()
    execute(folder, "UPDATE schema SET version = 7")
    other = tmp_path / "other"
    other.mkdir()
    execute(other, "CREATE TABLE bookmarks (url TEXT)", vouched=False)
    for place, message in (
        (
            folder,
            f"tables of schema 7, and this dumbbell has {LEDGER_SCHEMA}; fill another store: dumbbell run SPEC --out ",
        ),
        (other, "something else"),
    ):
        before = (place / "ledger.sqlite").read_bytes()
        for write in (False, True):
            with pytest.raises(StoreError, match=message):
                Store.open(place, write=write)
        assert (place / "ledger.sqlite").read_bytes() == before


def test_one_writes_and_many_read(folder: Path, campaign: Any) -> None:
    campaign()
    with Store.open(folder, write=True):
        with pytest.raises(StoreFailure, match=rf"another dumbbell command \(pid {os.getpid()}\) is writing"):
            Store.open(folder, write=True)
        with Store.open(folder) as one, Store.open(folder) as other:
            assert one.count() == other.count() == 4
    Store.open(folder, write=True).close()


def test_a_closed_store_keeps_nothing_more(folder: Path, campaign: Any) -> None:
    (outcome, *_) = campaign()
    with Store.open(folder, write=True) as store:
        pass
    with pytest.raises(StoreFailure, match="was closed"):
        store.put([(RunRows({"run_id": outcome.run_id}, (), {}, {}), None)], identity="0")


def test_nothing_lies_beside_a_store_at_rest(folder: Path, campaign: Any) -> None:
    campaign()
    with Store.open(folder) as store:
        assert isinstance(next(store.outcomes()), Result)
    assert sorted(path.name for path in folder.iterdir()) == [".gitignore", "ledger.sqlite", "lock", "series"]


def test_noise_that_is_a_machines_own_is_told_where_a_run_comes_from(tmp_path: Path) -> None:
    """A live engine is asked for none where the spec does not say how much."""
    (point,) = expand(load(smallest()))
    with Store.open(tmp_path, write=True) as store:
        for live in (True, False):
            run_id = f"{live:016x}"
            failed = FailedRun(run_id=run_id, engine="netns", seed=1, point={}, error="unplugged", wall_s=0.0)
            store.put([(RunRows.of(failed, resolve(point, 1, live=live), None), None)], identity="0")
            facts = store.provenance(run_id)
            assert facts.get("timing_noise") == ("the machine's own: the spec has no path.jitter" if live else None)
            assert store.run(run_id).path.jitter_ns == (None if live else resolve(point, 1).run.path.jitter_ns)
