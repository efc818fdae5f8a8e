"""`dumbbell results import`: the record is that of `dumbbell run`, and each file that is none is told in one line."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from commandline import MOMENT, ROOT, dumbbell, json_lines
from dumbbell.results.store import Store
from savedruns import saved


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "mine.json"


def without_time(text: str) -> dict[str, Any]:
    outcome: dict[str, Any] = json.loads(text)
    return {key: value for key, value in outcome.items() if key != "wall_s"}


def test_the_record_is_that_of_a_run(file: Path, store: Path, tmp_path: Path) -> None:
    file.write_text(saved(MOMENT), encoding="utf-8")
    done = dumbbell("results", "import", file, store, "--json")
    assert done.returncode == 0, done.stderr
    spec, other = tmp_path / "mine.toml", tmp_path / "other"
    spec.write_text(MOMENT, encoding="utf-8")
    ran = dumbbell("run", spec, "--out", other, "--json").stdout.splitlines()
    assert without_time(done.stdout) == without_time(ran[0])
    run_id = json.loads(ran[0])["run_id"]
    assert run_id in done.stderr
    with Store.open(store) as ours, Store.open(other) as theirs:
        for table in ("flow_series", "queue_series"):
            assert getattr(ours, table)(run_id).equals(getattr(theirs, table)(run_id))
        facts = [
            {key: value for key, value in each.provenance(run_id).items() if key != "finished"}
            for each in (ours, theirs)
        ]
    assert facts[0] == facts[1]
    assert dumbbell("results", "verify", store).returncode == 0


def test_the_experiment_goes_on_from_there(file: Path, store: Path, tmp_path: Path) -> None:
    file.write_text(saved(MOMENT), encoding="utf-8")
    assert dumbbell("results", "import", file, store).returncode == 0
    assert [(each["experiment"], each["seed"], each["point"]) for each in json_lines("results", "list", store)] == [
        ("mine", 1, {"path.buffer": "0.5 bdp"})
    ]
    spec = tmp_path / "mine.toml"
    spec.write_text(MOMENT, encoding="utf-8")
    assert "4 runs in" in (printed := dumbbell("run", spec, "--out", store).stderr)
    assert "(1 of them there before)" in printed
    again = dumbbell("results", "import", file, store)
    assert (again.returncode, again.stdout) == (0, "")
    assert "(was there before)" in again.stderr
    assert len(json_lines("results", "list", store)) == 4


def test_a_name_in_the_spec_goes_before_that_of_the_file_and_seeds_may_be_listed(file: Path, store: Path) -> None:
    text = f'name = "own"\n{MOMENT.replace("seeds = 2", "seeds = [9007199254740993, 3]")}'
    file.write_text(saved(text), encoding="utf-8")
    assert dumbbell("results", "import", file, store).returncode == 0
    assert [(each["experiment"], each["seed"]) for each in json_lines("results", "list", store)] == [
        ("own", 9007199254740993)
    ]


def test_what_the_page_writes_is_read(file: Path, store: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node here")
    text = MOMENT.replace("seeds = 2", "seeds = [9007199254740993]")
    saved_run = json.loads(saved(text))
    program = (
        f"import {{ runFile }} from {json.dumps((ROOT / 'explorer' / 'src' / 'share.js').as_uri())};"
        f"const [about, spec, measurement] = {json.dumps([saved_run, text, json.dumps(saved_run['measurement'])])};"
        f"process.stdout.write(runFile(about, spec, {saved_run['seed']}n, measurement));"
    )
    done = subprocess.run([node, "--input-type=module", "-"], input=program.encode(), capture_output=True, check=True)
    assert json.loads(done.stdout) == saved_run
    file.write_bytes(done.stdout)
    assert dumbbell("results", "import", file, store).returncode == 0
    assert [each["seed"] for each in json_lines("results", "list", store)] == [9007199254740993]


def shortened(text: str) -> str:
    return text[: len(text) // 2]


def changed(text: str) -> str:
    fields = json.loads(text)
    fields["measurement"]["flows"][1]["at_end"]["delivered_bytes"] += 1
    return json.dumps(fields)


REFUSED = {
    "cut short": (shortened(saved(MOMENT)), "is cut short, or no JSON"),
    "empty": ("", "is cut short, or no JSON"),
    "TOML": (MOMENT, "is cut short, or no JSON"),
    "a list": ("[]", "is no run of the explorer: a list"),
    "a record of a run": ('{"schema": 1}', 'it has no "version"'),
    "no measurement": (saved(MOMENT, measurement=None), 'it has no "measurement"'),
    "a seed of text": (saved(MOMENT, seed="1"), '"seed" must be a whole number, not "1"'),
    "a seed that is true": (saved(MOMENT, seed=True), '"seed" must be a whole number, not true'),
    "a spec that is a table": (saved(MOMENT, spec={}), '"spec" must be text, not a table'),
    "another seed": (saved(MOMENT, seed=3), "its seed, 3, is none of its spec's"),
    "another build": (saved(MOMENT, identity="f" * 64, version="9.9"), 'simulator "ffffffff" of dumbbell 9.9'),
    "another seed's numbers": (saved(MOMENT, seed=2), "is damaged or was changed"),
    "a number changed": (changed(saved(MOMENT)), "is damaged or was changed"),
    "another spec": (saved(MOMENT, spec=MOMENT.replace("20 ms", "21 ms")), "is damaged or was changed"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_file_that_is_none_is_one_clear_message_and_nothing_is_kept(case: str, file: Path, store: Path) -> None:
    text, message = REFUSED[case]
    file.write_text(text, encoding="utf-8")
    done = dumbbell("results", "import", file, store)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"{file}: ")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not store.exists()


def test_a_spec_with_problems_tells_them_and_a_file_must_be_there(file: Path, store: Path, tmp_path: Path) -> None:
    file.write_text(saved(MOMENT, spec=MOMENT.replace("20 Mbit/s", "20 mbps")), encoding="utf-8")
    done = dumbbell("results", "import", file, store)
    assert done.returncode == 2
    assert done.stderr.startswith("path.rate: ")
    for name, message in (("absent.json", "no such file"), (".", "is a folder")):
        done = dumbbell("results", "import", tmp_path / name, store)
        assert done.returncode == 2
        assert message in done.stderr
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe\x00")
    assert "is not UTF-16 text: byte 2" in dumbbell("results", "import", tmp_path / "bytes.json", store).stderr
    assert not store.exists()
