"""`import dumbbell` as a script or a notebook uses it."""

from __future__ import annotations

from pathlib import Path

import pytest

import dumbbell
from commandline import MOMENT, python


def test_a_spec_is_run_from_its_text_its_file_its_words_or_an_experiment(tmp_path: Path) -> None:
    path = tmp_path / "moment.toml"
    path.write_text(MOMENT, encoding="utf-8")
    words = {
        "duration": "3 s",
        "seeds": 2,
        "start_jitter": "10 ms",
        "path": {"rate": "20 Mbit/s", "rtt": "20 ms", "buffer": ["0.5 bdp", "2 bdp"]},
        "flows": [{"cc": "bbr"}, {"cc": "cubic", "start": "500 ms"}],
    }
    specs = (MOMENT, path, str(path), words, dumbbell.Experiment(**words))
    ids = [[result.run_id for result in dumbbell.run(spec)] for spec in specs]
    assert len(set(ids[0])) == 4
    assert ids == [ids[0]] * len(specs)


def test_dir_offers_what_there_is_to_use_before_anything_was_used() -> None:
    done = python("import dumbbell, sys; print(*dir(dumbbell)); print('pandas' in sys.modules)")
    offered, pandas = done.stdout.splitlines()
    assert {"run", "open", "Experiment", "SpecError", "__version__"} <= set(offered.split())
    assert not {"TYPE_CHECKING", "annotations", "import_module"} & set(offered.split())
    assert pandas == "False"
    assert all(getattr(dumbbell, name) is not None for name in dir(dumbbell))


def test_results_are_in_order_and_typed() -> None:
    results = dumbbell.run(MOMENT, "sim", jobs=2)
    assert (len(results), len(results.summaries), results.failures) == (4, 4, [])
    assert [each.seed for each in results] == [1, 2, 1, 2]
    assert results[0] == results.summaries[0]
    assert [each.point for each in results[2:]] == [{"path.buffer": "2 bdp"}] * 2
    share = results.summaries[0].groups["cubic"].share
    assert share is not None
    assert 0 < share < 1


def test_all_that_is_wrong_with_a_spec_is_raised_at_once() -> None:
    with pytest.raises(dumbbell.SpecError) as error:
        dumbbell.run({"duration": "3", "flows": [{"cc": "bbrr"}]})
    assert {problem.path for problem in error.value.problems} == {"duration", "path", "flows[0].cc"}


def test_what_an_engine_cannot_honour_is_raised_before_anything_runs() -> None:
    with pytest.raises(dumbbell.SpecError, match=r"measure\.record"):
        dumbbell.run(MOMENT + '[measure]\nrecord = "pcap"')
    with pytest.raises(dumbbell.UnknownEngine, match="not in this version"):
        dumbbell.run(MOMENT, engine="netns")


def test_every_public_name_is_there() -> None:
    assert len(dumbbell.__all__) > 5
    for name in dumbbell.__all__:
        assert getattr(dumbbell, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'runn'"):
        _ = dumbbell.runn


def test_the_import_loads_nothing_heavy() -> None:
    done = python("import dumbbell, sys; print(*(set(sys.modules) & {'numpy', 'pydantic', 'rich', 'dumbbell._core'}))")
    assert (done.returncode, done.stdout) == (0, "\n")
